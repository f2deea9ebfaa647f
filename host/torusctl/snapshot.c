// SPDX-License-Identifier: Apache-2.0
// torusctl snapshot: all counters of all boards at one instant of their one time.
#include <stdlib.h>

#include "ctl.h"

static bool all;

static const struct argp_option options[] = {
    {"all", 'A', 0, 0, "must be there: it is of all boards at once", 1},
    {0},
};

static bool option(int key, char *arg, struct argp_state *state)
{
    (void)arg;
    (void)state;
    all |= key == 'A';
    return key == 'A';
}

static const struct column columns[] = {
    {"at", "at", 0, 0},
    {"late", "late", 0, 0},
    {0},
};

// As JSON it is a file for diff, with the times besides.
static void put(struct torus *t, const struct args *a, const struct counter_set *s,
                const double *late, double residual)
{
    bool json = a->format == JSON;
    struct table *rows = table_begin(a, json ? "boards" : "clocks", json ? board_columns : columns);
    json_t *clocks = json_array(), *head = boards_head(s);
    uint8_t at[3];
    table_note(rows, "latched at most %.0f cycles apart; late: cycles after the instant", residual);
    for (unsigned node = 0; next_there(t, &node, at); node++) {
        json_t *row = json_pack("{s:o,s:f}", "at", json_at(at, s->dims), "late", late[node]);
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
    return all ? GO_ON : wrong("command", "snapshot", "say --all: it is of all boards at once");
}

static int do_snapshot(struct torus *t, const struct args *a)
{
    struct counter_set s = {0};
    double residual = 0;
    unsigned missing;
    int status = attach(t, &missing);
    if (status)
        return status;
    torus_sizes(t, s.k);
    double *late = calloc((size_t)s.k[0] * s.k[1] * s.k[2], sizeof *late);
    int error = late ? counters_at_once(t, late, &residual, &s) : TORUS_E_MEMORY;
    if (error == TORUS_OK)
        put(t, a, &s, late, residual);
    free(late);
    free(s.value);
    return error == TORUS_OK ? missing > 0 : report(t, error);
}

const struct command command_snapshot = {
    .name = "snapshot",
    .summary = "--all: all counters at one instant, and how exact that is",
    .about = "All counters of all boards at one instant of their one time (torusctl time), and by "
             "how many cycles, at most, any two boards are apart: each tells when it latched. With "
             "--format json the counters too, as a file for diff.",
    .examples = "snapshot --all\nsnapshot --all --format json > before.json\n",
    .groups = CONNECTION | REQUESTS | AT_ONCE | PLACES | FORMAT,
    .options = options,
    .option = option,
    .prepare = prepare,
    .run = do_snapshot,
};
