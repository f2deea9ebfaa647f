// SPDX-License-Identifier: Apache-2.0
// Random numbers by position, not by order: a draw depends on the seed and on what it is for, so
// the same run gives the same result whatever is simulated beside it, and nothing is stored.
#ifndef NET_RANDOM_H
#define NET_RANDOM_H

#include <stdint.h>

// What a draw is for; draws of different uses are independent.
enum net_draw {
    DRAW_DESTINATION,
    DRAW_PERMUTATION,
    DRAW_HOTSPOT,
    DRAW_TIE,
    DRAW_RDR,
    DRAW_PAIRS,
    DRAW_PLACE,
    DRAW_RIVAL,
    DRAW_ORDER,
    DRAW_ARRIVAL,
    DRAW_LENGTH,
    DRAW_SELECT,
    DRAW_CLASS,
    DRAW_DEROUTE,
    DRAW_MISROUTE,
    DRAW_ALLOCATE,
};

// 64 uniform bits (the finaliser of SplitMix64, applied to each argument in turn).
static inline uint64_t net_random(uint64_t seed, enum net_draw use, uint64_t a, uint64_t b)
{
    uint64_t in[3] = {(uint64_t)use, a, b}, x = seed;
    for (int i = 0; i < 3; i++) {
        x = (x ^ in[i]) + 0x9e3779b97f4a7c15U;
        x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9U;
        x = (x ^ x >> 27) * 0x94d049bb133111ebU;
        x ^= x >> 31;
    }
    return x;
}

// 0 .. bound - 1, bound in 1 .. 2^32 - 1; off from uniform by less than bound / 2^32.
static inline uint32_t net_below(uint64_t random, uint32_t bound)
{
    return (uint32_t)((random >> 32) * bound >> 32);
}

#endif
