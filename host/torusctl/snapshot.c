// SPDX-License-Identifier: Apache-2.0
// torusctl snapshot: all counters of all boards at one instant, whatever their clocks.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl.h"

int do_snapshot(struct torus *t, const struct args *a)
{
    struct counter_set s = {0};
    double residual = 0;
    int status = a->all ? attach(t, NULL)
                        : wrong("command", "snapshot", "say --all: it is of all boards at once");
    if (status)
        return status;
    s.dims = torus_sizes(t, s.k);
    unsigned nodes = (unsigned)s.k[0] * s.k[1] * s.k[2];
    struct torus_clock *clock = calloc(nodes, sizeof *clock);
    int error = clock ? counters_at_once(t, a->watch, clock, &residual, &s) : TORUS_E_MEMORY;
    json_t *boards = json_array(), *clocks = json_array();
    for (unsigned node = 0; error == TORUS_OK && node < nodes; node++) {
        uint8_t at[3] = {(uint8_t)(node % s.k[0]), (uint8_t)(node / s.k[0] % s.k[1]),
                         (uint8_t)(node / s.k[0] / s.k[1])};
        json_array_append_new(clocks,
                              json_pack("{s:o,s:f,s:f,s:f,s:f}", "at", json_at(at, s.dims), "ppm",
                                        clock[node].ppm, "offset", clock[node].offset, "late",
                                        clock[node].late, "uncertainty", clock[node].uncertainty));
        if (a->format == JSON)
            print_board(a, &s, node, boards);
    }
    if (error == TORUS_OK && a->format == JSON) {
        put_json(json_pack("{s:o,s:O,s:I,s:I,s:{s:f,s:O}}", "sizes", json_at(s.k, s.dims), "boards",
                           boards, "milliseconds", (json_int_t)(1e3 * s.seconds), "cycle",
                           (json_int_t)s.cycle, "clocks", "residual_cycles", residual, "boards",
                           clocks));
    } else if (error == TORUS_OK) {
        if (a->format == TEXT)
            printf("latched at most %.0f cycles apart; offsets and times in cycles\n", residual);
        put_rows(a, json_object(), "clocks", json_incref(clocks), NULL);
    }
    json_decref(boards);
    json_decref(clocks);
    free(clock);
    free(s.value);
    return error == TORUS_OK ? 0 : report(t, error);
}
