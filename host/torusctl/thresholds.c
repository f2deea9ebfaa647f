// SPDX-License-Identifier: Apache-2.0
// Thresholds: the rules of a file, and the links that are bad by them.
#include <stdio.h>
#include <string.h>

#include "ctl.h"

static const char *const rule_keys[] = {"counter", "above", "per", NULL};

static bool read_rule(const char *file, size_t number, json_t *entry, struct rule *out)
{
    static const char *const units[] = {"total", "second", "cycle"};
    char what[40];
    unsigned known = 0;
    snprintf(what, sizeof what, "links[%zu]", number);
    if (!file_keys(file, what, entry, rule_keys, NULL))
        return false;
    const char *counter = json_string_value(json_object_get(entry, "counter"));
    const char *per = json_string_value(json_object_get(entry, "per"));
    json_t *above = json_object_get(entry, "above");
    for (unsigned i = 0; counter && i < TORUS_COUNTERS; i++) {
        char name[32];
        known += torus_counter_name(i, 3, name) && name[2] == '.' && !strcmp(name + 3, counter);
    }
    if (!known)
        return file_bad(file, "%s.counter: not a link's, such as \"crc\" or \"vs1.stall_credit\"",
                        what);
    if (!json_is_number(above) || json_number_value(above) < 0)
        return file_bad(file, "%s.above: a number from 0 on", what);
    snprintf(out->counter, sizeof out->counter, "%s", counter);
    out->above = json_number_value(above);
    for (out->per = 0; out->per < 3; out->per++)
        if (per && !strcmp(per, units[out->per]))
            return true;
    return file_bad(file, "%s.per: \"total\", \"second\" or \"cycle\"", what);
}

static const char *const thresholds_keys[] = {"links", NULL};

bool thresholds_read(const char *file, struct rules *out)
{
    json_t *root = file_load(file), *entry;
    size_t i;
    if (!root)
        return false;
    json_t *links = json_object_get(root, "links");
    bool good = file_keys(file, "file", root, thresholds_keys, NULL);
    if (good && (!json_is_array(links) || json_array_size(links) > MAX_RULES))
        good = file_bad(file, "links: a list of at most %d rules", MAX_RULES);
    for (i = 0; good && i < json_array_size(links); i++) {
        entry = json_array_get(links, i);
        good = read_rule(file, i, entry, &out->rule[out->count++]);
    }
    json_decref(root);
    return good;
}

// Is it on something that the boards do not count?
static bool rule_absent(const struct rule *rule, const struct counter_set *s)
{
    char name[TORUS_NAME];
    for (unsigned i = 0; i < TORUS_COUNTERS; i++)
        if (torus_counter_name(i, s->dims, name) && name[2] == '.' &&
            !strcmp(name + 3, rule->counter))
            return s->absent[i];
    return false;
}

unsigned bad_links(const struct rules *rules, const struct counter_set *before,
                   const struct counter_set *after)
{
    static const char *const units[] = {"in all", "a second", "a cycle"};
    double cycles = counters_cycles(before, after), seconds = counters_seconds(before, after);
    double per[3] = {1, seconds > 0 ? seconds : 1, cycles > 0 ? cycles : 1};
    unsigned bad = 0;
    uint8_t at[3];
    for (unsigned r = 0; r < rules->count; r++)
        if (rule_absent(&rules->rule[r], after)) {
            fprintf(stderr, "torusctl: no link can be judged by %s: these boards do not count it\n",
                    rules->rule[r].counter);
            bad++;
        }
    char place[PLACE];
    for (unsigned node = 0; node < after->nodes; node++)
        for (unsigned i = 0; i < TORUS_COUNTERS; i++) {
            char name[32];
            if (!torus_counter_name(i, after->dims, name) || name[2] != '.')
                continue;
            for (unsigned r = 0; r < rules->count; r++) {
                const struct rule *rule = &rules->rule[r];
                uint64_t up = counter_high_water(i) ? after->value[node][i]
                                                    : counters_change(before, after, node, i);
                double rate = (double)up / per[rule->per];
                if (strcmp(name + 3, rule->counter) != 0 || !(rate > rule->above))
                    continue;
                torus_node_at(after->k, node, at);
                fprintf(stderr, "torusctl: bad link: %.2s of %s: %s %g %s, above %g\n", name,
                        place_called(at, after->dims, place), name + 3, rate, units[rule->per],
                        rule->above);
                bad++;
            }
        }
    return bad;
}
