// SPDX-License-Identifier: Apache-2.0
// torussim limit: maximum concurrent flow of patterns, with a bound from either side.
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/options.h"
#include "limit/limit.h"
#include "run/pool.h"
#include "topo/name.h"

enum { O_GAP = 1024, O_PASSES, O_PATHS, O_PHASE };

enum { KINDS = 3 };

static const char *const kinds[KINDS] = {"any", "minimal", "idn"};

struct args {
    struct net_options options;
    bool kind[KINDS];
    double gap;
    uint32_t passes;
    const char *phase; // NULL: not given
};

// Marks what a list of kinds of paths has.
static void parse_paths(const char *text, bool *kind)
{
    char *copy = strdup(text), *rest = copy, *word;
    memset(kind, 0, KINDS * sizeof *kind);
    while ((word = strsep(&rest, ","))) {
        bool known = false;
        for (int i = 0; i < KINDS; i++)
            if (!strcmp(word, kinds[i]))
                known = kind[i] = true;
        if (!known)
            net_refuse("--paths %s: must be a list of any, minimal, idn", text);
    }
    free(copy);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct args *args = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &args->options;
        return 0;
    case O_GAP:
        args->gap = net_parse_real("--gap", arg);
        if (args->gap < 1e-4 || args->gap > 1)
            net_refuse("--gap %s: must be 0.0001 to 1", arg);
        return 0;
    case O_PASSES:
        args->passes = (uint32_t)net_parse_count("--passes", arg, 1, 1000000);
        return 0;
    case O_PATHS:
        parse_paths(arg, args->kind);
        return 0;
    case O_PHASE:
        args->phase = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

struct problem {
    struct net_config config;
    enum net_path_kind kind;
    int message;
    const struct args *args;
    struct net_limit limit;
};

static void run_problem(void *context, uint32_t number, _Atomic float *progress)
{
    struct problem *problem = context;
    (void)number;
    problem->limit = net_limit(&problem->config, problem->kind, problem->message,
                               problem->args->gap, problem->args->passes, &net_stop, progress);
}

static json_t *real(double value)
{
    char text[40];
    snprintf(text, sizeof text, "%.6g", value);
    return json_real(strtod(text, NULL));
}

static json_t *record(const struct problem *p)
{
    char torus[NET_TORUS_TEXT];
    const struct net_limit *l = &p->limit;
    net_torus_print(&p->config.torus, torus, sizeof torus);
    json_t *o = json_object();
    json_object_set_new(o, "topology", json_string(torus));
    json_object_set_new(o, "traffic", json_string(net_pattern_name(p->config.traffic.pattern)));
    json_object_set_new(o, "phase", p->message < 0 ? json_null() : json_integer(p->message));
    json_object_set_new(o, "seed", json_integer((json_int_t)p->config.seed));
    json_object_set_new(o, "paths", json_string(kinds[p->kind]));
    bool idn = p->kind == NET_PATHS_IDN;
    json_object_set_new(o, "tie",
                        p->kind == NET_PATHS_ANY ? json_null()
                                                 : json_string(net_tie_names[p->config.tie]));
    json_object_set_new(o, "preset",
                        idn ? json_string(net_preset_names[p->config.preset]) : json_null());
    json_object_set_new(o, "routing",
                        idn ? json_string(net_routing_names[p->config.routing]) : json_null());
    json_object_set_new(o, "lower_gamma0", real(l->lower));
    json_object_set_new(o, "upper_gamma0", real(l->upper));
    json_object_set_new(o, "flows", json_integer(l->flows));
    json_object_set_new(o, "shifts", json_integer(l->shifts));
    json_object_set_new(o, "carrying_paths", json_integer((json_int_t)l->paths));
    json_object_set_new(o, "passes", json_integer(l->passes));
    return o;
}

static void print_csv(json_t *o, bool head)
{
    const char *key, *before = "";
    json_t *value;
    json_object_foreach(o, key, value)
    {
        printf("%s", before);
        before = ",";
        if (head)
            printf("%s", key);
        else if (json_is_string(value))
            printf("%s", json_string_value(value));
        else if (json_is_integer(value))
            printf("%" JSON_INTEGER_FORMAT, json_integer_value(value));
        else if (json_is_real(value))
            printf("%.6g", json_real_value(value));
    }
    putchar('\n');
}

// One problem, printed, the first with a head; false: interrupted, out of memory (*end), or the
// bounds are further apart than asked.
static bool solve(struct problem *p, json_t *all, bool *end)
{
    const struct args *args = p->args;
    const char *pattern = net_pattern_name(p->config.traffic.pattern);
    net_pool(1, 1, run_problem, p, &net_stop, NULL);
    const struct net_limit *l = &p->limit;
    if (atomic_load(&net_stop)) {
        fputs("torussim: interrupted\n", stderr);
        return false;
    }
    if (l->wrong) {
        fprintf(stderr, "torussim: limit of %s: %s\n", pattern, l->wrong);
        *end = true;
        return false;
    }
    json_t *o = record(p);
    if (args->options.format == FORMAT_TEXT) {
        if (json_array_size(all) == 0)
            printf("%-16s %-8s %8s %8s   (load in gamma0)\n", "traffic", "paths", "at least",
                   "at most");
        printf("%-16s %-8s %8.4f %8.4f\n", pattern, kinds[p->kind], l->lower, l->upper);
    } else if (args->options.format == FORMAT_CSV) {
        if (json_array_size(all) == 0)
            print_csv(o, true);
        print_csv(o, false);
    }
    fflush(stdout);
    json_array_append_new(all, o);
    if (l->upper / l->lower - 1 <= args->gap)
        return true;
    fprintf(stderr, "torussim: limit of %s, %s paths: bounds %.2g apart after %u passes\n", pattern,
            kinds[p->kind], l->upper / l->lower - 1, l->passes);
    return false;
}

int net_command_limit(int argc, char **argv)
{
    static const struct argp_option list[] = {
        {"paths", O_PATHS, "LIST", 0,
         "of any, minimal, idn (one of the routing's candidates); default all three", 0},
        {"gap", O_GAP, "NUMBER", 0, "how far apart the bounds may be, upper / lower - 1 (0.01)", 0},
        {"passes", O_PASSES, "NUMBER", 0, "in which to get there at most (2000)", 0},
        {"phase", O_PHASE, "NUMBER", 0,
         "of butterfly: one bit's messages alone (default: the mean over all)", 0},
        {0}};
    const struct argp_child children[] = {{net_options_argp(), 0, NULL, 0}, {0}};
    const struct argp argp = {
        list,
        parse,
        "",
        "Bounds the load, in gamma0, that a traffic pattern allows on the links at best (maximum "
        "concurrent flow): with any paths, with minimal ones, and by one IDN of the routing's "
        "candidates. --traffic is a list; --preset, --routing, --idn, --delta, --tie say what the "
        "candidates and minimal paths are.",
        children,
        NULL,
        NULL};
    static const char *const meant[] = {"topology", "traffic", "hotspots", "hotspot-weight",
                                        "seed",     "preset",  "routing",  "idn",
                                        "delta",    "tie",     "engine",   NULL};
    struct args args = {.kind = {true, true, true}, .gap = 0.01, .passes = 2000};
    net_options_parse(&argp, argc, argv, 0, &args);
    for (unsigned i = 0; i < args.options.count; i++)
        if (net_name_find(meant, args.options.given[i].setting->name) < 0)
            net_refuse("limit: --%s has no meaning here", args.options.given[i].setting->name);
    const char *patterns = net_options_value(&args.options, "traffic");
    char *copy = strdup(patterns ? patterns : "uniform"), *rest = copy, *pattern;
    struct problem problem[NET_PATTERNS];
    unsigned count = 0;
    while ((pattern = strsep(&rest, ","))) {
        if (count == NET_PATTERNS)
            net_refuse("limit: --traffic: at most %d patterns", NET_PATTERNS);
        struct problem *p = &problem[count++];
        *p = (struct problem){.args = &args, .message = NET_DEMAND_ALL};
        p->config = net_options_config(&args.options, NULL, pattern, NULL, NULL);
        if (p->config.engine == NET_ENGINE_FLIT)
            net_refuse("limit: goes with --engine packet only");
        if (args.phase && p->config.traffic.pattern != NET_BUTTERFLY)
            net_refuse("limit: --phase goes with --traffic butterfly only");
        unsigned phases = 0;
        while (args.phase && (uint32_t)2 << phases <= ofr_nodes(&p->config.torus))
            phases++;
        if (args.phase)
            p->message = (int)net_parse_count("--phase", args.phase, 0, phases - 1);
        const char *wrong = net_demand_check(&p->config.traffic, &p->config.torus, p->config.seed);
        if (wrong)
            net_refuse("limit of %s: %s", pattern, wrong);
    }
    free(copy);
    net_options_refuse_idle(&args.options);

    net_catch_signals();
    json_t *all = json_array();
    bool good = true, end = false;
    for (unsigned i = 0; i < count && !end && !atomic_load(&net_stop); i++)
        for (int kind = 0; kind < KINDS && !end && !atomic_load(&net_stop); kind++) {
            problem[i].kind = (enum net_path_kind)kind;
            if (args.kind[kind])
                good = solve(&problem[i], all, &end) && good;
        }
    if (args.options.format == FORMAT_JSON) {
        json_dumpf(all, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
        putchar('\n');
    }
    json_decref(all);
    return !good;
}
