// SPDX-License-Identifier: Apache-2.0
// Example: a Jacobi stencil on a ring of nodes. End 0 is joined with end 1 of the next node. Each
// step a node gives its first row to the node before and its last to the next, takes theirs, and
// all cells become the mean of their neighbours. argument: seed, steps.
#include "jacobi.h"
#include "outflank_user.h"

enum { NEXT = 0, BEFORE = 1 }; // ends

// Row 0 and row ROWS + 1 are the neighbours'.
static int32_t cell[2][JACOBI_ROWS + 2][JACOBI_COLS];

static bool exchange(int32_t now[JACOBI_ROWS + 2][JACOBI_COLS])
{
    enum { BYTES = sizeof now[0] };
    struct torus_transfer out[2] = {
        {.end = NEXT, .data = (uint8_t *)now[JACOBI_ROWS], .bytes = BYTES},
        {.end = BEFORE, .data = (uint8_t *)now[1], .bytes = BYTES},
    };
    struct torus_transfer in[2] = {
        {.end = NEXT, .data = (uint8_t *)now[JACOBI_ROWS + 1], .bytes = BYTES},
        {.end = BEFORE, .data = (uint8_t *)now[0], .bytes = BYTES},
    };
    bool has[2] = {false, false}, sent = false;
    // All four at once: that nobody waits for anybody in a circle
    while (!sent || !has[0] || !has[1]) {
        sent = true;
        for (int i = 0; i < 2; i++) {
            sent &= torus_send_some(&out[i]) == TORUS_WHOLE;
            if (!has[i]) {
                enum torus_moved moved = torus_recv_some(&in[i]);
                has[i] = moved == TORUS_WHOLE && in[i].done == BYTES;
                if (moved != TORUS_MORE && !has[i])
                    return false;
            }
        }
    }
    return true;
}

int main(void)
{
    uint64_t begin = torus_time();
    uint32_t seed = torus_place.argument[0], steps = torus_place.argument[1], old = 0;
    for (uint32_t r = 0; r < JACOBI_ROWS; r++)
        for (uint32_t c = 0; c < JACOBI_COLS; c++)
            cell[0][r + 1][c] = jacobi_first(seed, torus_place.node * JACOBI_ROWS + r, c);
    for (uint32_t s = 0; s < steps; s++, old ^= 1) {
        if (!exchange(cell[old])) {
            torus_print("broken\n");
            return 1;
        }
        int32_t(*now)[JACOBI_COLS] = cell[old];
        for (uint32_t r = 1; r <= JACOBI_ROWS; r++)
            for (uint32_t c = 0; c < JACOBI_COLS; c++)
                cell[old ^ 1][r][c] =
                    jacobi_cell(now[r - 1][c], now[r + 1][c], now[r][(c - 1) % JACOBI_COLS],
                                now[r][(c + 1) % JACOBI_COLS]);
    }
    uint32_t sum = 0;
    for (uint32_t r = 1; r <= JACOBI_ROWS; r++)
        for (uint32_t c = 0; c < JACOBI_COLS; c++)
            sum += (uint32_t)cell[old][r][c];
    torus_place.result = (uint32_t)(uintptr_t)cell[old][1];
    torus_print("sum ");
    torus_print_number(sum);
    torus_print("\n");
    if (torus_time() <= begin)
        return 2;
    return 0;
}
