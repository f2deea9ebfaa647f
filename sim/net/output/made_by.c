// SPDX-License-Identifier: Apache-2.0
#include "output/made_by.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/settings.h"

void net_value_text(const json_t *value, char *text, unsigned size)
{
    if (json_is_string(value))
        snprintf(text, size, "%s", json_string_value(value));
    else if (json_is_integer(value))
        snprintf(text, size, "%lld", (long long)json_integer_value(value));
    else if (json_is_real(value))
        snprintf(text, size, "%.9g", json_real_value(value));
    else
        snprintf(text, size, "-");
}

static int by_number(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

// All values of a field that are there, each once, as A,B,C, numbers rising; many numbers as
// FIRST:LAST:STEP, if that is what they are.
static void values(const json_t *records, const char *field, char *text, unsigned size)
{
    enum { FEW = 6 };
    size_t i, numbers = 0;
    json_t *record, *seen = json_object();
    double *number = malloc(json_array_size(records) * sizeof *number);
    char one[300];
    unsigned at = 0;
    *text = '\0';
    json_array_foreach((json_t *)records, i, record)
    {
        const json_t *value = json_object_get(record, field);
        net_value_text(value, one, sizeof one);
        if (value && !json_is_null(value) && !json_object_get(seen, one)) {
            json_object_set_new(seen, one, json_true());
            if (number && json_is_number(value))
                number[numbers++] = json_number_value(value);
            else if (at < size)
                at += (unsigned)snprintf(text + at, size - at, "%s%s", at ? "," : "", one);
        }
    }
    if (numbers)
        qsort(number, numbers, sizeof *number, by_number);
    bool even = numbers > FEW;
    for (i = 2; even && i < numbers; i++)
        even = fabs(number[i] - 2 * number[i - 1] + number[i - 2]) < 1e-6;
    if (even)
        snprintf(text, size, "%.9g:%.9g:%.6g", number[0], number[numbers - 1],
                 number[1] - number[0]);
    for (i = 0; !even && i < numbers && at < size; i++)
        at += (unsigned)snprintf(text + at, size - at, "%s%.9g", at ? "," : "", number[i]);
    json_decref(seen);
    free(number);
}

static bool is_flit(const json_t *record)
{
    const char *engine = json_string_value(json_object_get(record, "engine"));
    return engine && strncmp(engine, "packet", 6) != 0;
}

static bool has_throttle(const void *setting, const char *name)
{
    return !strcmp(name, "throttle") && setting != net_setting_find(name);
}

// Whether a record has what its preset and routing have by themselves.
static bool as_usual(const json_t *record, const struct net_setting *s)
{
    char text[300], otherwise[NET_SETTING_TEXT];
    net_value_text(json_object_get(record, "preset"), text, sizeof text);
    int p = net_name_find(net_preset_names, text);
    net_value_text(json_object_get(record, "routing"), text, sizeof text);
    int r = net_name_find(net_routing_names, text);
    struct net_config usual =
        net_config_default((enum net_preset)(p < 0 ? 0 : p), (enum net_routing)(r < 0 ? 0 : r));
    if (is_flit(record))
        usual.engine = NET_ENGINE_FLIT;
    // What others' defaults follow from.
    static const char *const leads[] = {"topology", "switching", "buffer-packets", "slots",
                                        "arrivals", "mix",       "throttle"};
    for (size_t l = 0; l < sizeof leads / sizeof *leads; l++) {
        const struct net_setting *lead = net_setting_find(leads[l]);
        const json_t *its = json_object_get(record, lead->field);
        net_value_text(its, text, sizeof text);
        if (its && !json_is_null(its) && lead != s)
            net_setting_parse(lead, &usual, text, otherwise, sizeof otherwise);
    }
    net_settings_follow(&usual, has_throttle, s);
    net_setting_print(s, &usual, otherwise, sizeof otherwise);
    net_value_text(json_object_get(record, s->field), text, sizeof text);
    return !strcmp(text, *otherwise ? otherwise : "-");
}

// Options of which sweep takes several values.
static const char *const lists[] = {"routing", "traffic", "load", "seed", NULL};

static bool is_list(const struct net_setting *s)
{
    return net_name_find(lists, s->name) >= 0;
}

static const char *field_of(const json_t *record, const struct net_setting *s)
{
    return is_flit(record) && !strcmp(s->name, "load") ? "load" : s->field;
}

// What gives a setting its value in a record; "": nothing does.
static void value_text(const json_t *record, const struct net_setting *s, char *text, unsigned size)
{
    const json_t *value = json_object_get(record, field_of(record, s));
    *text = '\0';
    if (value && !json_is_null(value))
        net_value_text(value, text, size);
    if (strcmp(s->name, "engine") != 0)
        return;
    text[strcspn(text, "-")] = '\0'; // without its version
    if (!strcmp(text, "dragonfly"))  // which the topology says
        snprintf(text, size, "flit");
}

// Records that one command makes, lists and all.
struct group {
    json_t *records;
    json_t *options; // name to value: the topology, and what is not as usual; without lists
    json_t *kinds;   // what of a record bears on that, of those that are in it
};

enum { KIND = 2048 };

static void kind_of(const json_t *record, char *text, unsigned size)
{
    unsigned at = 0;
    for (const struct net_setting *s = net_settings; s->name && at < size; s++) {
        char value[300];
        value_text(record, s, value, sizeof value);
        if (!is_list(s) || !strcmp(s->name, "routing"))
            at += (unsigned)snprintf(text + at, size - at, "%s ", value);
    }
}

// Adds a record that the group's command makes as it is, which takes up what it lacks for that; no
// other record of it would then be another. False: it cannot.
static bool join(struct group *group, json_t *record)
{
    char kind[KIND], its[300], text[300];
    size_t i;
    json_t *other, *more = json_object();
    bool good = true;
    kind_of(record, kind, sizeof kind);
    bool known = json_object_get(group->kinds, kind);
    for (const struct net_setting *s = net_settings; !known && good && s->name; s++) {
        if (is_list(s))
            continue;
        value_text(record, s, its, sizeof its);
        const char *given = json_string_value(json_object_get(group->options, s->name));
        if (given) {
            good = !*its || !strcmp(its, given);
        } else if (!strcmp(s->name, "topology") || !as_usual(record, s)) {
            json_object_set_new(more, s->name, json_string(its));
            json_array_foreach(group->records, i, other)
            {
                value_text(other, s, text, sizeof text);
                good = good && (!*text || !strcmp(text, its));
            }
        }
    }
    if (good) {
        json_object_update(group->options, more);
        json_object_set_new(group->kinds, kind, json_true());
        json_array_append(group->records, record);
    }
    json_decref(more);
    return good;
}

// Of records in as few groups as are found in their order. NULL: out of memory.
static struct group *groups_of(const json_t *records, unsigned *count)
{
    struct group *groups = calloc(json_array_size(records) + 1, sizeof *groups);
    size_t i;
    json_t *record;
    *count = 0;
    json_array_foreach((json_t *)records, i, record)
    {
        unsigned g = 0;
        while (groups && g < *count && !join(&groups[g], record))
            g++;
        if (groups && g == *count) {
            groups[g] = (struct group){json_array(), json_object(), json_object()};
            join(&groups[g], record);
            ++*count;
        }
    }
    return groups;
}

// What a group's command gives a setting; "": nothing.
static void option_of(const struct group *group, const struct net_setting *s, char *text,
                      unsigned size)
{
    const json_t *first = json_array_get(group->records, 0);
    const char *given = json_string_value(json_object_get(group->options, s->name));
    if (is_list(s))
        values(group->records, field_of(first, s), text, size);
    else
        snprintf(text, size, "%s", given ? given : "");
    if (!strcmp(s->name, "engine") && !strcmp(text, "packet"))
        *text = '\0';
    if (!strcmp(s->name, "seed") && !strcmp(text, s->otherwise))
        *text = '\0';
}

// Options of a group; beside another one what it has otherwise.
static void put_options(FILE *out, const struct group *group, const struct group *beside)
{
    const json_t *first = json_array_get(group->records, 0);
    for (const struct net_setting *s = net_settings; s->name; s++) {
        char its[1000], theirs[1000] = "";
        option_of(group, s, its, sizeof its);
        if (beside)
            option_of(beside, s, theirs, sizeof theirs);
        if (!*its && *theirs) // as usual
            value_text(first, s, its, sizeof its);
        if (*its && strcmp(its, theirs) != 0)
            fprintf(out, " --%s %s", s->name, its);
    }
}

// Says so where not all runs that a group's lists name are there.
static void put_missing(FILE *out, const struct group *group)
{
    json_t *record, *runs = json_object();
    size_t named = 1, i;
    for (const char *const *name = lists; *name; name++) {
        json_t *seen = json_object();
        json_array_foreach(group->records, i, record)
        {
            char text[300];
            value_text(record, net_setting_find(*name), text, sizeof text);
            json_object_set_new(seen, text, json_true());
        }
        named *= json_object_size(seen);
        json_decref(seen);
    }
    json_array_foreach(group->records, i, record)
    {
        char run[1300] = "";
        unsigned at = 0;
        for (const char *const *name = lists; *name; name++) {
            char text[300];
            value_text(record, net_setting_find(*name), text, sizeof text);
            at += (unsigned)snprintf(run + at, sizeof run - at, "%s ", text);
        }
        json_object_set_new(runs, run, json_true());
    }
    if (json_object_size(runs) < named)
        fprintf(out, " (%zu of these %zu runs)", json_object_size(runs), named);
    json_decref(runs);
}

void net_made_by(const json_t *records, char *text, unsigned size)
{
    unsigned count;
    const json_t *first = json_array_get(records, 0);
    bool searched =
        json_object_get(first, "gamma_star_gamma0") || json_object_get(first, "saturation_load");
    struct group *groups = groups_of(records, &count);
    FILE *out = fmemopen(text, size, "w");
    *text = '\0';
    if (out && groups)
        fprintf(out, "torussim %s",
                searched                       ? "saturate"
                : json_array_size(records) > 1 ? "sweep"
                                               : "run");
    for (unsigned g = 0; out && groups && g < count; g++) {
        if (g)
            fputs("; and with", out);
        put_options(out, &groups[g], g ? &groups[0] : NULL);
        const json_t *step = json_object_get(first, is_flit(first) ? "step_load" : "step_gamma0");
        if (!g && json_is_number(step))
            fprintf(out, " --step %.9g", json_number_value(step));
        const json_t *replicates = json_object_get(first, "replicates");
        if (!g && json_integer_value(replicates) > 1)
            fprintf(out, " --replicates %lld", (long long)json_integer_value(replicates));
        put_missing(out, &groups[g]);
    }
    if (out)
        fclose(out);
    text[size - 1] = '\0';
    for (unsigned g = 0; groups && g < count; g++) {
        json_decref(groups[g].records);
        json_decref(groups[g].options);
        json_decref(groups[g].kinds);
    }
    free(groups);
}
