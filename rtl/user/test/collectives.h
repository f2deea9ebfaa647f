// SPDX-License-Identifier: Apache-2.0
// What collectives.c and the host have in common.
#ifndef COLLECTIVES_H
#define COLLECTIVES_H

#include <stdint.h>

// Words of a member; a piece has 16. MOST: that there is room for.
static const uint32_t collective_sizes[] = {0, 1, 17};
enum { COLLECTIVE_MOST = 40 };
enum { COLLECTIVE_OTHER = 99 }; // exit code: members did not do the same

// Word i of what a node has for calls of a size.
static inline uint32_t collective_word(uint32_t seed, uint32_t node, uint32_t size, uint32_t i)
{
    uint32_t x = seed ^ (node << 24 | size << 12 | i) ^ 0x9e3779b9U;
    for (int k = 0; k < 3; k++) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
    }
    return x;
}

static inline uint32_t collective_fold(uint32_t sum, uint32_t word)
{
    return (sum << 5 | sum >> 27) ^ (word + 0x7ed55d16U);
}

#endif
