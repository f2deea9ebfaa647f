// SPDX-License-Identifier: Apache-2.0
// Counters of all boards at one time: taken, named, read from files, printed, and what changed.
#define _GNU_SOURCE
#include <math.h>
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

static void take_absent(const struct torus *t, struct counter_set *s)
{
    for (unsigned i = 0; i < TORUS_COUNTERS; i++)
        s->absent[i] = !torus_counter_built(t, i);
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

// NODE.TIME now, and how fast it goes: two looks, this far apart.
static int look_at_time(struct torus *t, struct counter_set *s)
{
    enum { MILLISECONDS = 20 };
    uint32_t first;
    int error = torus_read(t, NULL, OFR_NODE_TIME, &first);
    double began = now();
    struct timespec nap = {.tv_nsec = MILLISECONDS * 1000000L};
    nanosleep(&nap, NULL);
    if (error == TORUS_OK)
        error = torus_read(t, NULL, OFR_NODE_TIME, &s->cycle);
    s->seconds = now();
    s->hertz = s->seconds > began ? (s->cycle - first) / (s->seconds - began) : 0;
    return error;
}

int counters_take(struct torus *t, struct counter_set *s)
{
    s->dims = torus_sizes(t, s->k);
    if (!s->value && !make_room(s))
        return TORUS_E_MEMORY;
    take_absent(t, s);
    int error = look_at_time(t, s);
    return error == TORUS_OK ? torus_counters(t, take_board, s) : error;
}

int counters_at_once(struct torus *t, double *late, double *residual, struct counter_set *s)
{
    s->dims = torus_sizes(t, s->k);
    if (!s->value && !make_room(s))
        return TORUS_E_MEMORY;
    take_absent(t, s);
    int error = torus_snapshot(t, late, residual, take_board, s);
    return error == TORUS_OK ? look_at_time(t, s) : error;
}

bool counter_high_water(unsigned counter)
{
    return counter >= OFR_COUNTER_HIGH_BASE;
}

double counters_seconds(const struct counter_set *before, const struct counter_set *after)
{
    return after->seconds - before->seconds;
}

double counters_cycles(const struct counter_set *before, const struct counter_set *after)
{
    double low = (uint32_t)(after->cycle - before->cycle), turn = 4294967296.0;
    double about = counters_seconds(before, after) * (before->hertz + after->hertz) / 2;
    return low + (about > low ? turn * floor((about - low) / turn + 0.5) : 0);
}

bool counters_reset(const struct counter_set *before, const struct counter_set *after,
                    unsigned node)
{
    for (unsigned i = 0; i < TORUS_COUNTERS; i++)
        if (after->value[node][i] < before->value[node][i])
            return true;
    return false;
}

uint64_t counters_change(const struct counter_set *before, const struct counter_set *after,
                         unsigned node, unsigned counter)
{
    uint64_t from = counters_reset(before, after, node) ? 0 : before->value[node][counter];
    return after->value[node][counter] - from;
}

// Files -------------------------------------------------------------------------------------------

static const char *const file_keys_wanted[] = {"sizes", "boards", "milliseconds",
                                               "cycle", "hertz",  NULL};
static const char *const board_keys[] = {"at", "counters", NULL};

static bool read_board(const char *file, size_t number, json_t *entry, struct counter_set *s)
{
    char what[80];
    json_t *value, *at = json_object_get(entry, "at");
    const char *name;
    unsigned node = 0, step = 1;
    uint8_t place[3] = {0};
    snprintf(what, sizeof what, "boards[%zu]", number);
    if (!file_keys(file, what, entry, board_keys, "name"))
        return false;
    bool good = json_array_size(at) == s->dims;
    for (unsigned i = 0; i < s->dims && good; i++) {
        json_int_t c = json_integer_value(json_array_get(at, i));
        good = json_is_integer(json_array_get(at, i)) && c >= 0 && c < s->k[i];
        place[i] = (uint8_t)c;
        node += step * (unsigned)c;
        step *= s->k[i];
    }
    if (!good)
        return file_bad(file, "%s.at: no place in the torus", what);
    json_t *called = json_object_get(entry, "name");
    if (called && !json_is_null(called) && !json_is_string(called))
        return file_bad(file, "%s.name: a string, or null", what);
    if (json_is_string(called) && !place_call(place, json_string_value(called)))
        return file_bad(file, "out of memory");
    json_object_foreach(json_object_get(entry, "counters"), name, value)
    {
        int i = torus_counter_named(name, s->dims);
        snprintf(what, sizeof what, "boards[%zu].counters", number);
        if (i < 0)
            return file_bad(file, "%s: unknown counter \"%.40s\"", what, name);
        if (json_is_null(value)) {
            s->absent[i] = true;
            continue;
        }
        if (!json_is_integer(value) || json_integer_value(value) < 0)
            return file_bad(file, "%s: \"%s\" is not a whole number", what, name);
        s->value[node][i] = (uint64_t)json_integer_value(value);
    }
    return true;
}

bool counters_read(const char *file, struct counter_set *s)
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
    s->hertz = json_number_value(json_object_get(root, "hertz"));
    json_decref(root);
    return good;
}

// Printed
// ------------------------------------------------------------------------------------------

const struct column board_columns[] = {{"at", "at", 0, 0}, {"counters", NULL, 0, 0}, {0}};

json_t *counter_json(const struct counter_set *s, unsigned counter, uint64_t value)
{
    return s->absent[counter] ? json_null() : json_integer((json_int_t)value);
}

json_t *board_row(const struct counter_set *s, unsigned node)
{
    uint8_t at[3];
    char name[32];
    json_t *values = json_object();
    torus_node_at(s->k, node, at);
    for (unsigned i = 0; i < TORUS_COUNTERS; i++)
        if (torus_counter_name(i, s->dims, name))
            json_object_set_new(values, name, counter_json(s, i, s->value[node][i]));
    return json_pack("{s:o,s:o}", "at", json_at(at, s->dims), "counters", values);
}

json_t *boards_head(const struct counter_set *s)
{
    return json_pack("{s:o,s:I,s:I,s:f}", "sizes", json_at(s->k, s->dims), "milliseconds",
                     (json_int_t)(1e3 * s->seconds), "cycle", (json_int_t)s->cycle, "hertz",
                     s->hertz);
}

static const struct column change_columns[] = {
    {"at", "at", 0, 0},
    {"counter", "counter", -1, 0},
    {"before", "before", 0, 0},
    {"after", "after", 0, 0},
    {"change", "change", 0, 0},
    {"per_second", "per_second", 0, 0},
    {0},
};

unsigned put_changes(const struct args *a, const struct counter_set *before,
                     const struct counter_set *after, bool all)
{
    struct table *rows = table_begin(a, "changes", change_columns);
    double seconds = counters_seconds(before, after);
    json_t *resets = json_array();
    uint8_t at[3];
    char name[TORUS_NAME], place[PLACE];
    for (unsigned node = 0; node < after->nodes; node++) {
        bool reset = counters_reset(before, after, node);
        torus_node_at(after->k, node, at);
        if (reset) {
            json_array_append_new(resets, json_at(at, after->dims));
            fprintf(stderr, "torusctl: board %s was reset: its changes are since then\n",
                    place_called(at, after->dims, place));
        }
        for (unsigned i = 0; i < TORUS_COUNTERS; i++) {
            uint64_t is = after->value[node][i], was = before->value[node][i];
            bool rate = !counter_high_water(i) && !reset && seconds > 0;
            if (!torus_counter_name(i, after->dims, name) || (is == was && !all))
                continue;
            uint64_t change = counters_change(before, after, node, i);
            rate &= !after->absent[i];
            table_row(rows, json_pack("{s:o,s:s,s:o,s:o,s:o,s:o}", "at", json_at(at, after->dims),
                                      "counter", name, "before", counter_json(before, i, was),
                                      "after", counter_json(after, i, is), "change",
                                      counter_json(after, i, change), "per_second",
                                      rate ? json_real((double)change / seconds) : json_null()));
        }
    }
    unsigned count = (unsigned)json_array_size(resets);
    table_end(rows,
              json_pack("{s:o,s:f,s:f,s:o}", "sizes", json_at(after->k, after->dims), "seconds",
                        seconds, "cycles", counters_cycles(before, after), "reset", resets));
    return count;
}
