// SPDX-License-Identifier: Apache-2.0
// torusctl counters: all of all boards; --watch: what changes.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

#include "ctl.h"

enum { THRESHOLDS = 256 };

static struct {
    const char *at, *thresholds;
    bool all;
    double watch;   // seconds between two looks, 0: one look
    unsigned count; // of intervals, 0: no end
    struct rules rules;
} set;

static const struct argp_option options[] = {
    {"at", 'a', "X,Y[,Z]", 0, "of one board only", 1},
    {"all", 'A', 0, 0, "those that are 0, or have not changed, too", 1},
    {"watch", 'w', "SECONDS", 0, "what changes, and rates, every so many seconds", 1},
    {"count", 'c', "N", 0, "with --watch: N intervals (no end)", 1},
    {"thresholds", THRESHOLDS, "FILE", 0, "with --watch: what makes a link bad", 1},
    {0},
};

static bool option(int key, char *arg, struct argp_state *state)
{
    switch (key) {
    case 'a':
        set.at = arg;
        return true;
    case 'A':
        set.all = true;
        return true;
    case 'w':
        set.watch = number(state, arg, 0.001, 1e6);
        return true;
    case 'c':
        set.count = (unsigned)whole(state, arg, 1, 1000000);
        return true;
    case THRESHOLDS:
        set.thresholds = arg;
        return true;
    default:
        return false;
    }
}

static int prepare(struct args *a)
{
    (void)a;
    if (set.at && !place_good(set.at))
        return 2;
    if (set.at && set.watch > 0)
        return wrong("option", "--at", "not with --watch");
    if (set.thresholds && !(set.watch > 0))
        return wrong("option", "--thresholds", "with --watch, or with diff");
    if (set.count && !(set.watch > 0))
        return wrong("option", "--count", "with --watch");
    return !set.thresholds || thresholds_read(set.thresholds, &set.rules) ? GO_ON : 2;
}

static int watch(struct torus *t, const struct args *a)
{
    struct counter_set both[2] = {0};
    int status = 0, error = TORUS_OK;
    for (unsigned i = 0; error == TORUS_OK && !output_failed() && (!set.count || i <= set.count);
         i++) {
        struct counter_set *before = &both[!(i % 2)], *after = &both[i % 2];
        if (i)
            error = rest(t, set.watch);
        if (error == TORUS_OK)
            error = counters_take(t, after);
        for (unsigned broke = 0; look_anew(t, error, &broke) && (error = rest(t, 0)) == TORUS_OK;)
            error = counters_take(t, after);
        if (!i || error != TORUS_OK)
            continue;
        if (a->format == TEXT)
            printf("%sinterval %u: %.3f s, %.0f cycles\n", i > 1 ? "\n" : "", i,
                   counters_seconds(before, after), counters_cycles(before, after));
        status |= put_changes(a, before, after, set.all) > 0;
        status |= bad_links(&set.rules, before, after) > 0;
    }
    if (error != TORUS_OK)
        status = report(t, error);
    free(both[0].value);
    free(both[1].value);
    return status;
}

static const struct column columns[] = {
    {"at", "at", -8, 0},
    {"counter", "counter", -24, 0},
    {"value", "value", 12, 0},
    {0},
};

static void put_board(const struct args *a, struct table *rows, const struct counter_set *s,
                      unsigned node)
{
    uint8_t at[3];
    char name[32];
    torus_node_at(s->k, node, at);
    if (a->format == JSON) {
        table_row(rows, board_row(s, node));
        return;
    }
    for (unsigned i = 0; i < TORUS_COUNTERS; i++) {
        uint64_t value = s->value[node][i];
        if (torus_counter_name(i, s->dims, name) && (value || set.all || a->format == CSV))
            table_row(rows, json_pack("{s:o,s:s,s:o}", "at", json_at(at, s->dims), "counter", name,
                                      "value", counter_json(s, i, value)));
    }
}

static bool is_there(const struct torus *t, const uint8_t k[3], unsigned node)
{
    uint8_t at[3];
    torus_node_at(k, node, at);
    return board_at(t, at[0], at[1], at[2]) != NULL;
}

static int do_counters(struct torus *t, const struct args *a)
{
    struct counter_set s = {0};
    uint8_t at[3] = {0};
    struct torus_preset preset;
    unsigned missing, generation;
    int mixed = 0, status = attach_there(t, &missing);
    if (status)
        return status;
    int same = torus_programmed(t, &preset, &generation);
    if (same != TORUS_OK)
        mixed = report(t, same);
    if (same != TORUS_OK && same != TORUS_E_MIXED)
        return mixed;
    mixed |= missing > 0;
    if (set.watch > 0) {
        status = watch(t, a);
        return status ? status : mixed;
    }
    torus_sizes(t, s.k);
    if (set.at && (status = place_find(t, set.at, at)))
        return status;
    for (unsigned i = 0; i < 3; i++)
        if (set.at && at[i] >= s.k[i])
            return wrong("place", set.at, "outside of the torus");
    int error = counters_take(t, &s);
    if (error == TORUS_OK) {
        struct table *rows = table_begin(a, "boards", a->format == JSON ? board_columns : columns);
        for (unsigned node = 0; node < s.nodes && !output_failed(); node++)
            if ((!set.at || node == torus_node(s.k, at)) && (!missing || is_there(t, s.k, node)))
                put_board(a, rows, &s, node);
        table_end(rows, boards_head(&s));
    }
    free(s.value);
    return error == TORUS_OK ? mixed : report(t, error);
}

const struct command command_counters = {
    .name = "counters",
    .summary = "all counters of all boards",
    .about =
        "All counters of all boards, latched together; or, with --watch, what changes and its "
        "rate. --format json prints a file that diff takes. What boards are built not to count, "
        "small ones, is null there, empty in CSV and \"-\" with --all.\n\n"
        "--thresholds names a JSON file that says what makes a link bad: "
        "{\"links\": [{\"counter\": \"crc\", \"above\": 0, \"per\": \"total\"}]}, per being total, "
        "second or cycle; a bad link is named and makes the exit status 1. So does a board that "
        "was "
        "reset in between.",
    .examples = "counters --at 0,1\n"
                "counters --format json > before.json\n"
                "counters --watch 10 --thresholds links.json\n",
    .groups = CONNECTION | REQUESTS | AT_ONCE | PLACES | FORMAT,
    .options = options,
    .option = option,
    .prepare = prepare,
    .run = do_counters,
};
