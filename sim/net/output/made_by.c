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

// Whether all records have what their preset and routing have by themselves.
static bool as_usual(const json_t *records, const struct net_setting *s)
{
    size_t i;
    json_t *record;
    json_array_foreach((json_t *)records, i, record)
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
        if (strcmp(text, *otherwise ? otherwise : "-") != 0)
            return false;
    }
    return true;
}

void net_made_by(const json_t *records, char *text, unsigned size)
{
    const json_t *first = json_array_get(records, 0);
    static const char *const named[] = {"topology", "routing", "traffic", "load", NULL};
    bool searched =
        json_object_get(first, "gamma_star_gamma0") || json_object_get(first, "saturation_load");
    const char *command = searched ? "saturate" : json_array_size(records) > 1 ? "sweep" : "run";
    unsigned at = (unsigned)snprintf(text, size, "torussim %s", command);
    for (const struct net_setting *s = net_settings; s->name && at < size; s++) {
        char now[1000];
        if (net_name_find(named, s->name) < 0 && as_usual(records, s))
            continue;
        bool load = is_flit(first) && !strcmp(s->name, "load");
        values(records, load ? "load" : s->field, now, sizeof now);
        if (!strcmp(s->name, "engine")) { // without its version
            now[strcspn(now, "-")] = '\0';
            if (!strcmp(now, "dragonfly")) // which the topology says
                strcpy(now, "flit");
            *now = strcmp(now, "packet") ? *now : '\0';
        }
        if (*now)
            at += (unsigned)snprintf(text + at, size - at, " --%s %s", s->name, now);
    }
    const json_t *step = json_object_get(first, is_flit(first) ? "step_load" : "step_gamma0");
    if (json_is_number(step) && at < size)
        at += (unsigned)snprintf(text + at, size - at, " --step %.9g", json_number_value(step));
    const json_t *replicates = json_object_get(first, "replicates");
    if (json_integer_value(replicates) > 1 && at < size)
        snprintf(text + at, size - at, " --replicates %lld",
                 (long long)json_integer_value(replicates));
}
