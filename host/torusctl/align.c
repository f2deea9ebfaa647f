// SPDX-License-Identifier: Apache-2.0
// torusctl align: one time for boards with clocks of their own.
#include <stdio.h>
#include <stdlib.h>

#include "ctl.h"

int do_align(struct torus *t, const struct args *a)
{
    uint8_t k[3];
    int status = attach(t, NULL);
    if (status)
        return status;
    unsigned dims = torus_sizes(t, k), nodes = (unsigned)k[0] * k[1] * k[2];
    struct torus_alignment *board = calloc(nodes, sizeof *board);
    double apart;
    int error = board ? torus_align(t, board, &apart) : TORUS_E_MEMORY;
    if (error == TORUS_OK)
        error = torus_release(t);
    json_t *rows = json_array();
    for (unsigned node = 0; node < nodes && error == TORUS_OK; node++) {
        uint8_t at[3] = {(uint8_t)(node % k[0]), (uint8_t)(node / k[0] % k[1]),
                         (uint8_t)(node / k[0] / k[1])};
        json_array_append_new(rows, json_pack("{s:o,s:f,s:f,s:f}", "at", json_at(at, dims), "ppm",
                                              board[node].ppm, "offset", board[node].offset, "left",
                                              board[node].left));
    }
    if (error == TORUS_OK && a->format == TEXT)
        printf("aligned: clocks at most %.1f cycles apart; offset before, and what is left of it, "
               "in cycles\n",
               apart);
    if (error == TORUS_OK)
        put_rows(a, json_pack("{s:o,s:f}", "sizes", json_at(k, dims), "apart", apart), "clocks",
                 json_incref(rows), NULL);
    json_decref(rows);
    free(board);
    return error == TORUS_OK ? 0 : report(t, error);
}
