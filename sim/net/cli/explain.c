// SPDX-License-Identifier: Apache-2.0
// torussim explain: one decision, with all candidates and their profits as exact fractions.
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "cli/options.h"
#include "route/relation.h"

struct args {
    struct net_options options;
    const char *src, *dst, *used;
};

enum { O_SRC = 256, O_DST, O_USED };

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct args *args = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &args->options;
        return 0;
    case O_SRC:
        args->src = arg;
        return 0;
    case O_DST:
        args->dst = arg;
        return 0;
    case O_USED:
        args->used = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

// `count` numbers with commas between them, number i below limit[i].
static void parse_list(const char *what, const char *text, unsigned count, const unsigned *limit,
                       uint8_t *out)
{
    if (!text)
        net_refuse("explain needs %s", what);
    const char *at = text;
    for (unsigned i = 0; i < count; i++) {
        char *end;
        unsigned long value = strtoul(at, &end, 10);
        if (*at < '0' || *at > '9' || *end != (i + 1 < count ? ',' : '\0'))
            net_refuse("%s %s: must be %u numbers with commas between them", what, text, count);
        if (value >= limit[i])
            net_refuse("%s %s: number %u must be 0 to %u", what, text, i + 1, limit[i] - 1);
        out[i] = (uint8_t)value;
        at = end + 1;
    }
}

static json_t *fraction(struct net_profit p)
{
    char text[48];
    if (p.den == 0)
        return json_string("infinite");
    int64_t a = p.num < 0 ? -p.num : p.num, b = p.den;
    while (a) {
        int64_t rest = b % a;
        b = a;
        a = rest;
    }
    snprintf(text, sizeof text, "%lld/%lld", (long long)(p.num / b), (long long)(p.den / b));
    return json_string(text);
}

static json_t *coordinates(const struct ofr_torus *torus, const struct ofr_coord *q)
{
    json_t *list = json_array();
    for (unsigned i = 0; i < torus->n; i++)
        json_array_append_new(list, json_integer(q->c[i]));
    return list;
}

static json_t *candidate(const struct net_paths *paths, const struct ofr_coord *s,
                         const struct ofr_coord *t, const struct ofr_load *load,
                         const struct ofr_way *way, unsigned d)
{
    unsigned n = paths->torus.n, set = 0;
    json_t *o = json_object(), *vector = json_array();
    for (unsigned i = 0; i < n; i++)
        set |= (unsigned)(s->c[i] == t->c[i]) << i;
    for (unsigned i = 0; i < n; i++)
        json_array_append_new(vector, json_integer(way->kind == OFR_OIDN
                                                       ? paths->table.lambda[set][way->index][i]
                                                       : way->index >> i & 1));
    if (way->kind == NET_ORTHANT) {
        json_object_set_new(o, "kind", json_string("orthant"));
        json_object_set_new(o, "minus", vector);
    } else {
        json_object_set_new(o, "kind", json_string(way->kind == OFR_OIDN ? "oidn" : "widn"));
        json_object_set_new(o, way->kind == OFR_OIDN ? "lambda" : "beta", vector);
        json_object_set_new(o, "q", coordinates(&paths->torus, &way->q));
    }
    json_object_set_new(o, "admissible", json_boolean(way->admissible));
    json_object_set_new(o, "distance", way->admissible ? json_integer(way->distance) : json_null());
    json_object_set_new(
        o, "profit", way->admissible ? fraction(net_way_profit(paths, load, way, d)) : json_null());
    return o;
}

// Of a candidate: lambda, beta, or of an orthant which dimensions go -.
static const json_t *vector_of(const json_t *candidate)
{
    static const char *const names[] = {"lambda", "beta", "minus"};
    const json_t *vector = NULL;
    for (int i = 0; i < 3 && !vector; i++)
        vector = json_object_get(candidate, names[i]);
    return vector;
}

static void print_numbers(const json_t *list, const char *between, int width)
{
    for (size_t i = 0; i < json_array_size(list); i++)
        printf("%s%*d", i ? between : "", width, (int)json_integer_value(json_array_get(list, i)));
}

// "( 0,-1, 1)"
static void print_list(const json_t *list)
{
    putchar('(');
    print_numbers(list, ",", 2);
    putchar(')');
}

static void print_text(const json_t *o)
{
    const json_t *minimal = json_object_get(o, "minimal"), *list = json_object_get(o, "candidates");
    const json_t *choice = json_object_get(o, "choice");
    size_t i;
    json_t *c;
    printf("  no kind     vector         q              distance  profit\n");
    printf("   - minimal                                 %8d  %s\n",
           (int)json_integer_value(json_object_get(minimal, "distance")),
           json_string_value(json_object_get(minimal, "profit")));
    json_array_foreach((json_t *)list, i, c)
    {
        printf(" %3zu %-8s ", i, json_string_value(json_object_get(c, "kind")));
        print_list(vector_of(c));
        printf("     ");
        if (json_object_get(c, "q"))
            print_list(json_object_get(c, "q"));
        if (json_is_true(json_object_get(c, "admissible")))
            printf("     %8d  %s\n", (int)json_integer_value(json_object_get(c, "distance")),
                   json_string_value(json_object_get(c, "profit")));
        else
            printf("     not admissible\n");
    }
    if (json_is_integer(choice))
        printf("choice: %d: ", (int)json_integer_value(choice));
    else
        printf("choice: minimal: ");
    printf("%s\n", json_string_value(json_object_get(o, "reason")));
}

// The minimal route and the candidates, a line each; lists with blanks between their numbers.
static void print_csv(const json_t *o)
{
    const json_t *minimal = json_object_get(o, "minimal"), *list = json_object_get(o, "candidates");
    const json_t *choice = json_object_get(o, "choice");
    size_t i;
    json_t *c;
    printf("index,kind,vector,q,admissible,distance,profit,chosen\n");
    printf(",minimal,,,true,%d,%s,%s\n",
           (int)json_integer_value(json_object_get(minimal, "distance")),
           json_string_value(json_object_get(minimal, "profit")),
           json_is_integer(choice) ? "false" : "true");
    json_array_foreach((json_t *)list, i, c)
    {
        bool chosen = json_is_integer(choice) && json_integer_value(choice) == (json_int_t)i;
        printf("%zu,%s,", i, json_string_value(json_object_get(c, "kind")));
        print_numbers(vector_of(c), " ", 0);
        putchar(',');
        print_numbers(json_object_get(c, "q"), " ", 0);
        if (json_is_true(json_object_get(c, "admissible")))
            printf(",true,%d,%s,%s\n", (int)json_integer_value(json_object_get(c, "distance")),
                   json_string_value(json_object_get(c, "profit")), chosen ? "true" : "false");
        else
            printf(",false,,,false\n");
    }
}

int net_command_explain(int argc, char **argv)
{
    static const struct argp_option list[] = {
        {"src", O_SRC, "X,Y,...", 0, "coordinates of the source", 0},
        {"dst", O_DST, "X,Y,...", 0, "coordinates of the destination", 0},
        {"used", O_USED, "A,B,...", 0,
         "slots in use at the source, ports in the order x+ x- y+ y- z+ z-", 0},
        {0}};
    const struct argp_child children[] = {{net_options_argp(), 0, NULL, 0}, {0}};
    const struct argp argp = {
        list,
        parse,
        "",
        "Shows one decision: all candidates, their profits, the choice; eta is "
        "the router's, 2, unless it is given. A run with preset ofr takes all slots of a link for "
        "used from which the generator is kept off; so does this where --throttle is given, "
        "otherwise --used is taken as it is.",
        children,
        NULL,
        NULL};
    struct args args = {0};
    net_options_parse(&argp, argc, argv, 0, &args);
    struct net_config config = net_options_config(&args.options, NULL, NULL, NULL, NULL);
    if (config.engine == NET_ENGINE_FLIT)
        net_refuse("explain: goes with --engine packet only");
    net_options_refuse_idle(&args.options);
    // What a router decides, with its registers as they are after reset.
    if (!net_options_value(&args.options, "eta") && config.routing == NET_OFR)
        config.eta = 2;
    if (config.routing != NET_POR && config.routing != NET_OFR)
        net_refuse("explain: --routing must be por or ofr, the others do not decide");
    if (config.tie == NET_TIE_RANDOM)
        net_refuse("explain: --tie must be plus or both");
    bool throttle = net_options_value(&args.options, "throttle");
    if (throttle && config.count_all)
        net_refuse("explain: --throttle goes by the adaptive slots, not with --count-used all");

    unsigned n = config.torus.n, sizes[OFR_MAX_DIMS] = {0}, slots[OFR_MAX_PORTS] = {0};
    unsigned capacity = net_load_slots(&config);
    struct ofr_coord s = {{0}}, t = {{0}};
    uint8_t used[OFR_MAX_PORTS] = {0};
    for (unsigned i = 0; i < n; i++)
        sizes[i] = config.torus.k[i];
    for (unsigned p = 0; p < 2 * n; p++)
        slots[p] = capacity + 1;
    parse_list("--src", args.src, n, sizes, s.c);
    parse_list("--dst", args.dst, n, sizes, t.c);
    parse_list("--used", args.used, 2 * n, slots, used);

    for (unsigned p = 0; p < 2 * n && throttle && config.preset == NET_PRESET_OFR; p++)
        used[p] = (uint8_t)net_seen(&config, used[p], 0);

    struct net_paths paths;
    struct ofr_way ways[OFR_MAX_WAYS];
    net_paths_init(&paths, &config);
    const struct ofr_load load = {used, ofr_existing_ports(&config.torus, &s), (uint8_t)capacity};
    unsigned count = net_ways(&paths, &s, &t, false, ways), d = ways[0].distance;
    unsigned choice = net_choose(&paths, &load, ways, count, 0);

    json_t *o = json_object(), *minimal = json_object(), *candidates = json_array();
    json_object_set_new(minimal, "distance", json_integer(d));
    json_object_set_new(minimal, "profit", fraction(net_way_profit(&paths, &load, &ways[0], d)));
    json_object_set_new(o, "minimal", minimal);
    unsigned admissible = 0;
    for (unsigned w = 1; w < count; w++) {
        admissible += ways[w].admissible;
        json_array_append_new(candidates, candidate(&paths, &s, &t, &load, &ways[w], d));
    }
    json_object_set_new(o, "candidates", candidates);
    json_object_set_new(o, "choice", choice ? json_integer(choice - 1) : json_string("minimal"));
    const char *reason = "no candidate has more profit than the minimal route";
    if (d < 2)
        reason = "no decision: the destination is less than 2 hops away";
    else if (!admissible)
        reason = "no candidate is admissible";
    else if (choice)
        reason = "the most profit, the first of those with as much, more than the minimal route";
    json_object_set_new(o, "reason", json_string(reason));
    if (args.options.format == FORMAT_JSON) {
        json_dumpf(o, stdout, JSON_INDENT(2));
        putchar('\n');
    } else if (args.options.format == FORMAT_CSV) {
        print_csv(o);
    } else {
        print_text(o);
    }
    json_decref(o);
    return 0;
}
