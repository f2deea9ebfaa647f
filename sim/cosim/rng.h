// SPDX-License-Identifier: Apache-2.0
// splitmix64: a stream of random numbers, replayed from its seed.
#ifndef RNG_H
#define RNG_H

#include <stdbool.h>
#include <stdint.h>

struct rng {
    uint64_t state;
};

static inline uint64_t rng_next(struct rng *rng)
{
    uint64_t z = rng->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

// Uniform in 0 .. n - 1; n > 0.
static inline uint32_t rng_below(struct rng *rng, uint32_t n)
{
    return (uint32_t)(((rng_next(rng) >> 32) * n) >> 32);
}

// True with probability permille / 1000.
static inline bool rng_chance(struct rng *rng, unsigned permille)
{
    return permille && rng_below(rng, 1000) < permille;
}

#endif
