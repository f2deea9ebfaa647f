// SPDX-License-Identifier: Apache-2.0
// The example's grid: integers on a torus, ROWS rows a node, one node's rows after another's.
// Program and golden result share the sizes, the first state and the rule of one cell, and nothing
// else.
#ifndef JACOBI_H
#define JACOBI_H

#include <stdint.h>

enum { JACOBI_ROWS = 6, JACOBI_COLS = 8 };

static inline int32_t jacobi_first(uint32_t seed, uint32_t row, uint32_t col)
{
    uint32_t x = seed ^ (row << 16 | col);
    for (int i = 0; i < 3; i++) { // xorshift32
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
    }
    return (int32_t)(x & 0xffffff);
}

static inline int32_t jacobi_cell(int32_t up, int32_t down, int32_t left, int32_t right)
{
    return (up + down + left + right) >> 2; // of numbers that are not negative
}

#endif
