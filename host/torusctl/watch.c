// SPDX-License-Identifier: Apache-2.0
// torusctl counters --watch and diff: counters of all boards at two times, their difference, rates,
// and the thresholds that make a link a bad one.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ctl.h"
#include "ofr_regs.h"

static void take_board(void *ctx, const uint8_t at[3], const uint64_t *counters)
{
    struct counter_set *s = ctx;
    unsigned node = torus_node(s->k, at);
    memcpy(s->value[node], counters, sizeof s->value[node]);
}

static bool make_room(struct counter_set *s)
{
    s->nodes = (unsigned)s->k[0] * s->k[1] * s->k[2];
    s->value = calloc(s->nodes, sizeof *s->value);
    return s->value || wrong("counters", "of all boards", "out of memory") == 0;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int counters_take(struct torus *t, struct counter_set *s)
{
    s->dims = torus_sizes(t, s->k);
    if (!s->value && !make_room(s))
        return TORUS_E_MEMORY;
    int error = torus_read(t, NULL, OFR_NODE_TIME, &s->cycle);
    s->seconds = now();
    return error == TORUS_OK ? torus_counters(t, take_board, s) : error;
}

int counters_at_once(struct torus *t, double seconds, struct torus_clock *clock, double *residual,
                     struct counter_set *s)
{
    s->dims = torus_sizes(t, s->k);
    if (!s->value && !make_room(s))
        return TORUS_E_MEMORY;
    int error = torus_snapshot(t, seconds, clock, residual, take_board, s);
    s->seconds = now();
    return error == TORUS_OK ? torus_read(t, NULL, OFR_NODE_TIME, &s->cycle) : error;
}

// Is it a largest value, of which there is no difference?
static bool high_water(unsigned counter)
{
    return counter >= OFR_COUNTER_HIGH_BASE;
}

// Files -------------------------------------------------------------------------------------------

static const char *const file_keys_wanted[] = {"sizes", "boards", "milliseconds", "cycle", NULL};
static const char *const board_keys[] = {"at", "counters", NULL};

static bool read_board(const char *file, size_t number, json_t *entry, struct counter_set *s)
{
    char what[80];
    json_t *value, *at = json_object_get(entry, "at");
    const char *name;
    unsigned node = 0, step = 1;
    snprintf(what, sizeof what, "boards[%zu]", number);
    if (!file_keys(file, what, entry, board_keys, NULL))
        return false;
    bool good = json_array_size(at) == s->dims;
    for (unsigned i = 0; i < s->dims && good; i++) {
        json_int_t c = json_integer_value(json_array_get(at, i));
        good = json_is_integer(json_array_get(at, i)) && c >= 0 && c < s->k[i];
        node += step * (unsigned)c;
        step *= s->k[i];
    }
    if (!good)
        return file_bad(file, "%s.at: no place in the torus", what);
    json_object_foreach(json_object_get(entry, "counters"), name, value)
    {
        int i = torus_counter_named(name, s->dims);
        snprintf(what, sizeof what, "boards[%zu].counters", number);
        if (i < 0)
            return file_bad(file, "%s: unknown counter \"%.40s\"", what, name);
        if (!json_is_integer(value) || json_integer_value(value) < 0)
            return file_bad(file, "%s: \"%s\" is not a whole number", what, name);
        s->value[node][i] = (uint64_t)json_integer_value(value);
    }
    return true;
}

// What `torusctl --format json counters` has printed. false: said what is wrong.
static bool read_set(const char *file, struct counter_set *s)
{
    json_t *root = file_load(file), *entry;
    size_t i;
    if (!root)
        return false;
    json_t *sizes = json_object_get(root, "sizes"), *boards = json_object_get(root, "boards");
    bool good = file_keys(file, "file", root, file_keys_wanted, "clocks");
    s->dims = (unsigned)json_array_size(sizes);
    s->k[0] = s->k[1] = s->k[2] = 1;
    if (good && s->dims != 2 && s->dims != 3)
        good = file_bad(file, "sizes: 2 or 3 numbers");
    for (i = 0; good && i < s->dims; i++) {
        json_int_t k = json_integer_value(json_array_get(sizes, i));
        good = (k >= 1 && k <= 16) || file_bad(file, "sizes[%zu]: from 1 to 16", i);
        s->k[i] = (uint8_t)k;
    }
    good = good && make_room(s);
    if (good && json_array_size(boards) != s->nodes)
        good = file_bad(file, "boards: a list of %u", s->nodes);
    for (i = 0; good && i < s->nodes; i++) {
        entry = json_array_get(boards, i);
        good = read_board(file, i, entry, s);
    }
    s->seconds = 1e-3 * json_number_value(json_object_get(root, "milliseconds"));
    s->cycle = (uint32_t)json_integer_value(json_object_get(root, "cycle"));
    json_decref(root);
    return good;
}

// Thresholds --------------------------------------------------------------------------------------

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

// Says the links of which a counter went up by more than a rule wants. How many.
static unsigned bad_links(const struct rules *rules, const struct counter_set *before,
                          const struct counter_set *after)
{
    static const char *const units[] = {"in all", "a second", "a cycle"};
    double cycles = after->cycle - before->cycle, seconds = after->seconds - before->seconds;
    double per[3] = {1, seconds > 0 ? seconds : 1, cycles > 0 ? cycles : 1};
    unsigned bad = 0;
    for (unsigned node = 0; node < after->nodes; node++)
        for (unsigned i = 0; i < TORUS_COUNTERS; i++) {
            char name[32];
            if (!torus_counter_name(i, after->dims, name) || name[2] != '.')
                continue;
            for (unsigned r = 0; r < rules->count; r++) {
                const struct rule *rule = &rules->rule[r];
                uint64_t from = high_water(i) ? 0 : before->value[node][i];
                double rate = (double)(after->value[node][i] - from) / per[rule->per];
                if (strcmp(name + 3, rule->counter) != 0 || !(rate > rule->above))
                    continue;
                fprintf(stderr, "torusctl: bad link: %.2s of (%u,%u,%u): %s %g %s, above %g\n",
                        name, node % after->k[0], node / after->k[0] % after->k[1],
                        node / after->k[0] / after->k[1], name + 3, rate, units[rule->per],
                        rule->above);
                bad++;
            }
        }
    return bad;
}

// Differences -------------------------------------------------------------------------------------

static json_t *changes(const struct args *a, const struct counter_set *before,
                       const struct counter_set *after)
{
    json_t *rows = json_array();
    double seconds = after->seconds - before->seconds;
    for (unsigned node = 0; node < after->nodes; node++) {
        uint8_t at[3] = {(uint8_t)(node % after->k[0]), (uint8_t)(node / after->k[0] % after->k[1]),
                         (uint8_t)(node / after->k[0] / after->k[1])};
        for (unsigned i = 0; i < TORUS_COUNTERS; i++) {
            uint64_t is = after->value[node][i], was = before->value[node][i];
            char name[32];
            // 48 bits; a board that was reset has counted from 0 again.
            uint64_t change = is >= was ? is - was : is;
            if (!torus_counter_name(i, after->dims, name) || (is == was && !a->all))
                continue;
            json_array_append_new(
                rows,
                json_pack("{s:o,s:s,s:I,s:I,s:I,s:o}", "at", json_at(at, after->dims), "counter",
                          name, "before", (json_int_t)was, "after", (json_int_t)is, "change",
                          (json_int_t)change, "per_second",
                          high_water(i) || !(seconds > 0) ? json_null()
                                                          : json_real((double)change / seconds)));
        }
    }
    return rows;
}

static json_t *interval(const struct counter_set *before, const struct counter_set *after)
{
    return json_pack("{s:o,s:f,s:I}", "sizes", json_at(after->k, after->dims), "seconds",
                     after->seconds - before->seconds, "cycles",
                     (json_int_t)(uint32_t)(after->cycle - before->cycle));
}

int do_diff(const struct args *a)
{
    struct counter_set before = {0}, after = {0};
    struct rules rules = {0};
    int status = 2;
    if (a->rest_count < 2) {
        wrong("command", "diff", "write two files after it, from torusctl --format json counters");
    } else if ((!a->thresholds || thresholds_read(a->thresholds, &rules)) &&
               read_set(a->rest[0], &before) && read_set(a->rest[1], &after)) {
        if (before.dims != after.dims || memcmp(before.k, after.k, 3) != 0) {
            wrong("file", a->rest[1], "of a torus of another size");
        } else {
            put_rows(a, interval(&before, &after), "changes", changes(a, &before, &after), NULL);
            status = bad_links(&rules, &before, &after) > 0;
        }
    }
    free(before.value);
    free(after.value);
    return status;
}

int watch(struct torus *t, const struct args *a)
{
    struct counter_set set[2] = {0};
    struct rules rules = {0};
    int status = 0, error = TORUS_OK;
    if (a->thresholds && !thresholds_read(a->thresholds, &rules))
        return 2;
    for (unsigned i = 0; error == TORUS_OK && (!a->count || i <= a->count); i++) {
        struct counter_set *before = &set[!(i % 2)], *after = &set[i % 2];
        if (i) {
            struct timespec nap = {.tv_sec = (time_t)a->watch};
            nap.tv_nsec = (long)(1e9 * (a->watch - (double)nap.tv_sec));
            nanosleep(&nap, NULL);
        }
        error = counters_take(t, after);
        if (!i || error != TORUS_OK)
            continue;
        if (a->format == TEXT)
            printf("%sinterval %u: %.3f s, %u cycles\n", i > 1 ? "\n" : "", i,
                   after->seconds - before->seconds, after->cycle - before->cycle);
        put_rows(a, interval(before, after), "changes", changes(a, before, after), NULL);
        fflush(stdout);
        status |= bad_links(&rules, before, after) > 0;
    }
    if (error != TORUS_OK)
        status = report(t, error);
    free(set[0].value);
    free(set[1].value);
    return status;
}
