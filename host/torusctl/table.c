// SPDX-License-Identifier: Apache-2.0
// Tables as files (README.md, "A table of one's own"): JSON to struct torus_table and back. Strict:
// every key must be there, none may be unknown.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl.h"

static const char *const classes[] = {"inorder", "minimal", "deroute", NULL};
static const char *const selects[] = {"most-free", "random-free", "lowest", "rdr", NULL};
static const char *const ties[] = {"plus", "both", NULL};
static const char *const keys[] = {"dimensions", "class", "select", "tie",  "threshold", "delta",
                                   "eta",        "rules", "widn",   "oidn", "table",     NULL};
static const char *const set_keys[] = {"equal", "lambda", NULL};
static const char *const entry_keys[] = {"from", "to", "mode", NULL};
static const char *const modes[] = {"free", "minimal", "escape", "idn", "unreachable", NULL};

static int find(const char *word, const char *const *list)
{
    for (int i = 0; word && list[i]; i++)
        if (!strcmp(word, list[i]))
            return i;
    return -1;
}

// what: the key's name in the file.
static bool get_word(const char *file, const char *what, json_t *value, const char *const *list,
                     unsigned *out)
{
    int i = find(json_string_value(value), list);
    if (i < 0) {
        char text[80] = "";
        for (unsigned j = 0; list[j]; j++)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s\"%s\"", j ? ", " : "",
                     list[j]);
        return file_bad(file, "%s: one of %s", what, text);
    }
    *out = (unsigned)i;
    return true;
}

static bool get_integer(const char *file, const char *what, json_t *value, int low, int high,
                        int *out)
{
    json_int_t v = json_integer_value(value);
    if (!json_is_integer(value) || v < low || v > high)
        return file_bad(file, "%s: a whole number from %d to %d", what, low, high);
    *out = (int)v;
    return true;
}

static bool get_settings(const char *file, json_t *root, struct torus_table *out)
{
    unsigned traffic, select, tie;
    int dims = 0, delta = 0, threshold = 255;
    json_t *value = json_object_get(root, "threshold"), *item;
    size_t i;
    if (!get_integer(file, "dimensions", json_object_get(root, "dimensions"), 2, 3, &dims) ||
        !get_word(file, "class", json_object_get(root, "class"), classes, &traffic) ||
        !get_word(file, "select", json_object_get(root, "select"), selects, &select) ||
        !get_word(file, "tie", json_object_get(root, "tie"), ties, &tie) ||
        !get_integer(file, "delta", json_object_get(root, "delta"), 0, 8, &delta))
        return false;
    if ((!json_is_string(value) || strcmp(json_string_value(value), "half") != 0) &&
        !get_integer(file, "threshold (or \"half\")", value, 0, 15, &threshold))
        return false;
    *out = (struct torus_table){.dims = (uint8_t)dims,
                                .traffic = (enum torus_traffic)traffic,
                                .select = (enum torus_select)select,
                                .tie_both = tie,
                                .threshold = (uint8_t)threshold,
                                .delta = (uint8_t)delta};
    value = json_object_get(root, "eta");
    double eta = 16 * json_number_value(value);
    if (!json_is_number(value) || eta < 0 || eta > 255 || eta != (double)(unsigned)eta)
        return file_bad(file, "eta: a multiple of 1/16 from 0 to 15.9375");
    out->eta = (uint8_t)eta;
    value = json_object_get(root, "oidn");
    if (!json_is_boolean(value))
        return file_bad(file, "oidn: true or false");
    out->oidn = json_is_true(value);
    value = json_object_get(root, "rules");
    if (!json_is_array(value))
        return file_bad(file, "rules: a list of \"a\" and \"b\"");
    json_array_foreach(value, i, item)
    {
        const char *rule = json_string_value(item);
        if (!rule || (strcmp(rule, "a") != 0 && strcmp(rule, "b") != 0))
            return file_bad(file, "rules[%zu]: \"a\" or \"b\"", i);
        *(*rule == 'a' ? &out->rule_a : &out->rule_b) = true;
    }
    value = json_object_get(root, "widn");
    if (!json_is_array(value))
        return file_bad(file, "widn: a list of beta");
    json_array_foreach(value, i, item)
    {
        char what[32];
        int beta = 0;
        snprintf(what, sizeof what, "widn[%zu]", i);
        if (!get_integer(file, what, item, 1, (1 << dims) - 1, &beta))
            return false;
        out->widn |= (uint8_t)(1u << beta);
    }
    return true;
}

static bool get_set(const char *file, size_t number, json_t *entry, struct torus_table *out,
                    unsigned *seen)
{
    char what[64];
    unsigned set = 0;
    json_t *vector, *value;
    size_t i, j;
    snprintf(what, sizeof what, "table[%zu]", number);
    if (!file_keys(file, what, entry, set_keys, NULL))
        return false;
    const char *equal = json_string_value(json_object_get(entry, "equal"));
    if (!equal)
        return file_bad(file, "%s.equal: a string of dimensions", what);
    for (const char *c = equal; *c; c++) {
        const char *dim = strchr("xyz", *c);
        if (!dim || dim - "xyz" >= out->dims || set >> (dim - "xyz") & 1)
            return file_bad(file, "%s.equal: \"%.20s\": each of %s once at most", what, equal,
                            out->dims == 2 ? "x, y" : "x, y, z");
        set |= 1u << (dim - "xyz");
    }
    if (*seen >> set & 1)
        return file_bad(file, "%s: \"%s\" was there before", what, equal);
    *seen |= 1u << set;
    json_t *list = json_object_get(entry, "lambda");
    if (!json_is_array(list) || json_array_size(list) > TORUS_VECTORS)
        return file_bad(file, "%s.lambda: a list of at most %d vectors", what, TORUS_VECTORS);
    json_array_foreach(list, i, vector)
    {
        snprintf(what, sizeof what, "table[%zu].lambda[%zu]", number, i);
        if (json_array_size(vector) != out->dims)
            return file_bad(file, "%s: a list of %u numbers", what, out->dims);
        json_array_foreach(vector, j, value)
        {
            if (!json_is_integer(value) || json_integer_value(value) < -1 ||
                json_integer_value(value) > 1)
                return file_bad(file, "%s[%zu]: unknown lambda: -1, 0 or 1", what, j);
            out->lambda[set][i][j] = (int8_t)json_integer_value(value);
        }
    }
    out->count[set] = (uint8_t)json_array_size(list);
    return true;
}

// Places that the file names: their coordinates are known when the torus is (table_find_names()).
static struct named {
    size_t entry;
    unsigned key; // of entry_keys, or VIA
    uint64_t serial;
} * named;
static size_t named_count;
enum { FROM, TO, VIA };

static bool note_name(const char *file, const char *what, const char *name, unsigned dims,
                      struct named place)
{
    if (!names_given())
        return file_bad(file, "%s: %u coordinates from 0 to 15, or with --names a name", what,
                        dims);
    if (!name_serial(name, &place.serial))
        return file_bad(file, "%s: no board of the file of --names is called \"%.40s\"", what,
                        name);
    struct named *more = realloc(named, (named_count + 1) * sizeof *named);
    if (!more)
        return file_bad(file, "out of memory");
    named = more;
    named[named_count++] = place;
    return true;
}

static bool get_node(const char *file, const char *what, json_t *value, unsigned dims,
                     struct named place, uint8_t out[3])
{
    if (json_is_string(value))
        return note_name(file, what, json_string_value(value), dims, place);
    bool good = json_array_size(value) == dims;
    for (unsigned i = 0; i < dims && good; i++) {
        json_t *number = json_array_get(value, i);
        json_int_t c = json_integer_value(number);
        good = json_is_integer(number) && c >= 0 && c <= 15;
        out[i] = (uint8_t)c;
    }
    return good ||
           file_bad(file, "%s: %u coordinates from 0 to 15, or with --names a name", what, dims);
}

static bool get_destination(const char *file, size_t number, json_t *entry, unsigned dims,
                            struct torus_destination *out)
{
    char what[3][64], name[64];
    unsigned mode;
    for (unsigned i = 0; i < 3; i++)
        snprintf(what[i], sizeof what[i], "destinations[%zu].%s", number, entry_keys[i]);
    snprintf(name, sizeof name, "destinations[%zu]", number);
    if (!file_keys(file, name, entry, entry_keys, "via"))
        return false;
    json_t *from = json_object_get(entry, "from"), *via = json_object_get(entry, "via");
    const char *word = json_string_value(from);
    out->from_all = word && !strcmp(word, "all");
    if ((!out->from_all &&
         !get_node(file, what[0], from, dims, (struct named){number, FROM, 0}, out->from)) ||
        !get_node(file, what[1], json_object_get(entry, "to"), dims, (struct named){number, TO, 0},
                  out->to) ||
        !get_word(file, what[2], json_object_get(entry, "mode"), modes, &mode))
        return false;
    out->mode = (enum torus_pin)mode;
    if (!via != (mode != TORUS_IDN))
        return file_bad(file, via ? "%s: \"via\" without mode \"idn\"" : "%s: \"via\" is missing",
                        name);
    snprintf(name, sizeof name, "destinations[%zu].via", number);
    return !via || get_node(file, name, via, dims, (struct named){number, VIA, 0}, out->via);
}

static bool get_destinations(const char *file, json_t *list, struct torus_table *out)
{
    size_t count = json_array_size(list), i;
    json_t *entry;
    char text[120];
    if (!json_is_array(list))
        return file_bad(file, "destinations: a list of entries");
    if (!count)
        return true;
    struct torus_destination *d = calloc(count, sizeof *d);
    if (!d)
        return file_bad(file, "out of memory");
    out->destinations = d;
    out->destination_count = (unsigned)count;
    json_array_foreach(list, i, entry)
    {
        if (!get_destination(file, i, entry, out->dims, &d[i]))
            return false;
    }
    return named_count || torus_table_check(out, text) == TORUS_OK || file_bad(file, "%s", text);
}

int table_find_names(struct torus *t, const char *file, struct torus_table *table)
{
    static const char *const at[] = {[FROM] = "from", [TO] = "to", [VIA] = "via"};
    struct torus_destination *list = (struct torus_destination *)table->destinations;
    char text[120];
    int status = 0;
    for (size_t i = 0; i < named_count && !status; i++) {
        const struct named *n = &named[i];
        struct torus_destination *d = &list[n->entry];
        uint8_t *place = n->key == FROM ? d->from : n->key == TO ? d->to : d->via;
        int error = torus_find(t, n->serial, place);
        if (error == TORUS_E_USAGE)
            status =
                file_bad(file, "destinations[%zu].%s: board %016llx \"%s\" is not in this torus",
                         n->entry, at[n->key], (unsigned long long)n->serial, name_of(n->serial))
                    ? 0
                    : 2;
        else if (error != TORUS_OK)
            status = report(t, error);
    }
    if (!status && named_count && torus_table_check(table, text) != TORUS_OK)
        status = file_bad(file, "%s", text) ? 0 : 2;
    free(named);
    named = NULL;
    named_count = 0;
    return status;
}

bool table_read(const char *file, struct torus_table *out)
{
    json_t *root = file_load(file), *entry;
    size_t i;
    if (!root)
        return false;
    unsigned seen = 0;
    bool good =
        file_keys(file, "file", root, keys, "destinations") && get_settings(file, root, out);
    json_t *table = json_object_get(root, "table");
    if (good && !json_is_array(table))
        good = file_bad(file, "table: a list of sets");
    for (i = 0; good && i < json_array_size(table); i++) {
        entry = json_array_get(table, i);
        good = get_set(file, i, entry, out, &seen);
    }
    json_t *destinations = json_object_get(root, "destinations");
    if (good && destinations)
        good = get_destinations(file, destinations, out);
    json_decref(root);
    return good;
}

static void print_node(const char *key, const uint8_t at[3], unsigned dims)
{
    printf("\"%s\": [%u, %u", key, at[0], at[1]);
    if (dims == 3)
        printf(", %u", at[2]);
    printf("]");
}

static void print_destinations(const struct torus_table *p)
{
    printf(",\n  \"destinations\": [");
    for (unsigned i = 0; i < p->destination_count; i++) {
        const struct torus_destination *d = &p->destinations[i];
        printf("%s\n    {", i ? "," : "");
        if (d->from_all)
            printf("\"from\": \"all\"");
        else
            print_node("from", d->from, p->dims);
        printf(", ");
        print_node("to", d->to, p->dims);
        printf(", \"mode\": \"%s\"", modes[d->mode]);
        if (d->mode == TORUS_IDN) {
            printf(", ");
            print_node("via", d->via, p->dims);
        }
        printf("}");
    }
    printf("\n  ]");
}

// By hand: jansson would give every number of a vector a line.
void table_print(const struct torus_table *p)
{
    const char *comma = "";
    printf("{\n  \"dimensions\": %u,\n  \"class\": \"%s\",\n  \"select\": \"%s\",\n"
           "  \"tie\": \"%s\",\n",
           p->dims, classes[p->traffic], selects[p->select], ties[p->tie_both]);
    if (p->threshold == 255)
        printf("  \"threshold\": \"half\",\n");
    else
        printf("  \"threshold\": %u,\n", p->threshold);
    printf("  \"delta\": %u,\n  \"eta\": %g,\n  \"rules\": [%s%s%s],\n  \"widn\": [", p->delta,
           p->eta / 16.0, p->rule_a ? "\"a\"" : "", p->rule_a && p->rule_b ? ", " : "",
           p->rule_b ? "\"b\"" : "");
    for (unsigned beta = 1; beta < 1u << p->dims; beta++)
        if (p->widn >> beta & 1) {
            printf("%s%u", comma, beta);
            comma = ", ";
        }
    printf("],\n  \"oidn\": %s,\n  \"table\": [", p->oidn ? "true" : "false");
    comma = "";
    for (unsigned set = 0; set < 1u << p->dims; set++) {
        if (!p->count[set])
            continue;
        printf("%s\n    {\"equal\": \"%s%s%s\", \"lambda\": [", comma, set & 1 ? "x" : "",
               set & 2 ? "y" : "", set & 4 ? "z" : "");
        for (unsigned j = 0; j < p->count[set]; j++) {
            printf("%s[%d, %d", j ? ", " : "", p->lambda[set][j][0], p->lambda[set][j][1]);
            if (p->dims == 3)
                printf(", %d", p->lambda[set][j][2]);
            printf("]");
        }
        printf("]}");
        comma = ",";
    }
    printf("\n  ]");
    if (p->destination_count)
        print_destinations(p);
    printf("\n}\n");
}
