// SPDX-License-Identifier: Apache-2.0
// torusctl time: how good the boards' one time is.
#include <stdlib.h>

#include "ctl.h"

static const struct column columns[] = {
    {"at", "at", 0, 0},
    {"ppm", "ppm", 0, 0},
    {"left", "left", 0, 0},
    {0},
};

static int do_time(struct torus *t, const struct args *a)
{
    uint8_t k[3], at[3];
    unsigned missing;
    int status = attach(t, &missing);
    if (status)
        return status;
    unsigned dims = torus_sizes(t, k), nodes = (unsigned)k[0] * k[1] * k[2];
    struct torus_time *board = calloc(nodes, sizeof *board);
    double apart = 0;
    int error = board ? torus_one_time(t, board, &apart) : TORUS_E_MEMORY;
    if (error != TORUS_OK) {
        free(board);
        return report(t, error);
    }
    struct table *rows = table_begin(a, "clocks", columns);
    table_note(
        rows,
        "NODE.TIME of any two boards is at most %.1f cycles apart; left: cycles from that of "
        "the neighbour that it follows",
        apart);
    for (unsigned node = 0; next_there(t, &node, at); node++)
        table_row(rows, json_pack("{s:o,s:f,s:f}", "at", json_at(at, dims), "ppm", board[node].ppm,
                                  "left", board[node].left));
    table_end(rows, json_pack("{s:o,s:f}", "sizes", json_at(k, dims), "apart", apart));
    free(board);
    return missing > 0;
}

const struct command command_time = {
    .name = "time",
    .summary = "the one time of all boards, and how good it is",
    .about = "Waits until all boards have one time (NODE.TIME), which they keep by themselves over "
             "reliable links, within some 200,000 cycles after these are up; on other links they "
             "share a clock and a reset, or have none. Shows how much faster every board's clock "
             "is than that of the board plugged into, what is left between a board's time and its "
             "neighbour's, and by how many cycles, at most, any two are apart. run, bench, "
             "bandwidth, latency and snapshot wait for it by themselves.",
    .examples = "time\ntime --format csv\n",
    .groups = CONNECTION | REQUESTS | AT_ONCE | PLACES | FORMAT,
    .run = do_time,
};
