// SPDX-License-Identifier: Apache-2.0
// torusctl align: one time for boards with clocks of their own.
#include <stdlib.h>

#include "ctl.h"

static const struct column columns[] = {
    {"at", "at", 0, 0},
    {"ppm", "ppm", 0, 0},
    {"offset", "offset", 0, 0},
    {"left", "left", 0, 0},
    {0},
};

static int do_align(struct torus *t, const struct args *a)
{
    uint8_t k[3], at[3];
    int status = attach(t, NULL);
    if (status)
        return status;
    unsigned dims = torus_sizes(t, k), nodes = (unsigned)k[0] * k[1] * k[2];
    struct torus_alignment *board = calloc(nodes, sizeof *board);
    double apart = 0;
    int error = board ? torus_align(t, board, &apart) : TORUS_E_MEMORY;
    if (error == TORUS_OK)
        error = torus_release(t);
    if (error != TORUS_OK) {
        free(board);
        return report(t, error);
    }
    struct table *rows = table_begin(a, "clocks", columns);
    table_note(rows,
               "aligned: clocks at most %.1f cycles apart; offset before, and what is left of it, "
               "in cycles",
               apart);
    for (unsigned node = 0; node < nodes; node++) {
        torus_node_at(k, node, at);
        table_row(rows,
                  json_pack("{s:o,s:f,s:f,s:f}", "at", json_at(at, dims), "ppm", board[node].ppm,
                            "offset", board[node].offset, "left", board[node].left));
    }
    table_end(rows, json_pack("{s:o,s:f}", "sizes", json_at(k, dims), "apart", apart));
    free(board);
    return 0;
}

const struct command command_align = {
    .name = "align",
    .summary = "make one time of the boards' clocks",
    .about = "Makes one time (NODE.TIME) of the clocks of boards that have their own, by the "
             "lifetimes of packets between neighbours: that of the board that is plugged in. Shows "
             "how much faster every clock is, what it was ahead, and what is left of it, and by "
             "how many cycles, at most, any two are apart. run, bench, bandwidth and latency do so "
             "by themselves where the clocks differ, and say how exactly.",
    .examples = "align\nalign --format csv\n",
    .groups = CONNECTION | REQUESTS | AT_ONCE | PLACES | WRITING | FORMAT,
    .run = do_align,
};
