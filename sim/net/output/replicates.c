// SPDX-License-Identifier: Apache-2.0
#include "output/replicates.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "config/settings.h"
#include "measure/steady.h"
#include "output/record.h"

double net_record_mean(json_t *const *records, uint32_t count, const char *field, double *half)
{
    double values[NET_MAX_REPLICATES], mean;
    for (uint32_t i = 0; i < count; i++) {
        const json_t *value = json_object_get(records[i], field);
        values[i] = json_is_number(value) ? json_number_value(value) : NAN;
    }
    double width = net_interval95(values, count, &mean);
    if (half)
        *half = width;
    return mean;
}

static bool is_setting(const char *field)
{
    for (const struct net_setting *s = net_settings; s->name; s++)
        if (!strcmp(s->field, field))
            return true;
    return false;
}

void net_record_interval(const char *field, char *name, size_t size)
{
    static const char *const units[] = {"_cycles", "_us", "_gamma0"};
    size_t base = strlen(field);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        size_t unit = strlen(units[i]);
        if (base > unit && !strcmp(field + base - unit, units[i])) {
            base -= unit;
            break;
        }
    }
    snprintf(name, size, "%.*s_ci95%s", (int)base, field, field + base);
}

bool net_record_ended_well(const json_t *record)
{
    const char *end = json_string_value(json_object_get(record, "end"));
    return !end || !strcmp(end, "drained") || !strcmp(end, "complete");
}

json_t *net_record_combine(json_t *const *records, uint32_t count)
{
    json_t *sum = json_copy(records[0]), *value;
    const char *field;
    double half, mean;
    char interval[100];
    if (count == 1)
        return sum;
    json_object_foreach(records[0], field, value)
    {
        if (is_setting(field) || !json_is_number(value))
            continue;
        mean = net_record_mean(records, count, field, NULL);
        json_object_set_new(sum, field, net_record_real(mean));
    }
    for (uint32_t i = count; i-- > 0;) {
        if (json_is_true(json_object_get(records[i], "saturated")))
            json_object_set_new(sum, "saturated", json_true());
        if (!net_record_ended_well(records[i])) {
            json_object_set(sum, "end", json_object_get(records[i], "end"));
            json_object_set(sum, "stuck", json_object_get(records[i], "stuck"));
        }
    }
    json_object_set_new(sum, "replicates", json_integer(count));
    if (json_object_get(records[0], "mean_lifetime_us")) {
        mean = net_record_mean(records, count, "mean_lifetime_us", &half);
        json_object_set_new(sum, "mean_ci95_low_us", net_record_real(mean - half));
        json_object_set_new(sum, "mean_ci95_high_us", net_record_real(mean + half));
    }
    json_object_foreach(records[0], field, value)
    {
        net_record_interval(field, interval, sizeof interval);
        if (!json_object_get(records[0], interval))
            continue;
        net_record_mean(records, count, field, &half);
        json_object_set_new(sum, interval, net_record_real(half));
    }
    mean = net_record_mean(records, count, "wall_s", NULL);
    json_object_set_new(sum, "wall_s", net_record_real(mean * count));
    return sum;
}
