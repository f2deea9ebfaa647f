// SPDX-License-Identifier: Apache-2.0
// torusctl snapshot: all counters of all boards at one instant, whatever their clocks.
#include <stdlib.h>

#include "ctl.h"

static struct {
    bool all;
    double seconds;
} set;

static const struct argp_option options[] = {
    {"all", 'A', 0, 0, "must be there: it is of all boards at once", 1},
    {"watch", 'w', "SECONDS", 0, "between the two comparisons of the clocks (0.5)", 1},
    {0},
};

static bool option(int key, char *arg, struct argp_state *state)
{
    if (key == 'A')
        set.all = true;
    else if (key == 'w')
        set.seconds = number(state, arg, 0.001, 1e6);
    else
        return false;
    return true;
}

static const struct column columns[] = {
    {"at", "at", 0, 0},
    {"ppm", "ppm", 0, 0},
    {"offset", "offset", 0, 0},
    {"late", "late", 0, 0},
    {"uncertainty", "uncertainty", 0, 0},
    {0},
};

static json_t *clock_row(const struct torus_clock *c, const uint8_t at[3], unsigned dims)
{
    return json_pack("{s:o,s:f,s:f,s:f,s:f}", "at", json_at(at, dims), "ppm", c->ppm, "offset",
                     c->offset, "late", c->late, "uncertainty", c->uncertainty);
}

// As JSON it is a file for diff, with the clocks besides.
static void put(const struct args *a, const struct counter_set *s, const struct torus_clock *clock,
                double residual)
{
    bool json = a->format == JSON;
    struct table *rows = table_begin(a, json ? "boards" : "clocks", json ? board_columns : columns);
    json_t *clocks = json_array(), *head = boards_head(s);
    uint8_t at[3];
    table_note(rows, "latched at most %.0f cycles apart; offsets and times in cycles", residual);
    for (unsigned node = 0; node < s->nodes; node++) {
        torus_node_at(s->k, node, at);
        json_t *row = clock_row(&clock[node], at, s->dims);
        json_array_append(clocks, row);
        table_row(rows, json ? board_row(s, node) : json_incref(row));
        json_decref(row);
    }
    json_object_set_new(head, "clocks",
                        json_pack("{s:f,s:o}", "residual_cycles", residual, "boards", clocks));
    table_end(rows, head);
}

static int prepare(struct args *a)
{
    (void)a;
    return set.all ? GO_ON : wrong("command", "snapshot", "say --all: it is of all boards at once");
}

static int do_snapshot(struct torus *t, const struct args *a)
{
    struct counter_set s = {0};
    double residual = 0;
    int status = attach(t, NULL);
    if (status)
        return status;
    torus_sizes(t, s.k);
    struct torus_clock *clock = calloc((size_t)s.k[0] * s.k[1] * s.k[2], sizeof *clock);
    int error = clock ? counters_at_once(t, set.seconds, clock, &residual, &s) : TORUS_E_MEMORY;
    if (error == TORUS_OK)
        put(a, &s, clock, residual);
    free(clock);
    free(s.value);
    return error == TORUS_OK ? 0 : report(t, error);
}

const struct command command_snapshot = {
    .name = "snapshot",
    .summary = "--all: all counters at one instant, and how exact that is",
    .about = "All counters of all boards at one instant, where every board has a clock of its "
             "own: offset and rate of each are worked out from pings that both ends stamp, in two "
             "rounds, --watch seconds apart. Printed with it: by how many cycles, at most, any "
             "two boards are apart. With --format json the counters too, as a file for diff.",
    .examples = "snapshot --all\nsnapshot --all --format json > before.json\n",
    .groups = CONNECTION | REQUESTS | AT_ONCE | PLACES | FORMAT,
    .options = options,
    .option = option,
    .prepare = prepare,
    .run = do_snapshot,
};
