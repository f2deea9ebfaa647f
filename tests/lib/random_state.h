// SPDX-License-Identifier: Apache-2.0
// What a Verilated model starts with where neither reset nor `initial` sets it: random bits, the
// same for the same seed. Needs --x-initial unique.
#ifndef RANDOM_STATE_H
#define RANDOM_STATE_H

#include "verilated.h"

#include <cstdint>

// To be called before the model is made, which draws its state then. Returns the context.
inline VerilatedContext *random_state(VerilatedContext &context, uint64_t seed)
{
    // Verilator's generator begins alike for seeds that are alike: 31 bits of splitmix64 of it.
    seed = (seed ^ (seed >> 30)) * 0xbf58476d1ce4e5b9u + 0x9e3779b97f4a7c15u;
    seed = (seed ^ (seed >> 27)) * 0x94d049bb133111ebu;
    context.randReset(2);
    context.randSeed(int(seed >> 33) | 1); // 0 would be the time of day
    return &context;
}

// A Verilated top that starts so, in a context of its own.
template <class Top> struct random_top {
    VerilatedContext context;
    Top top;
    explicit random_top(uint64_t seed) : top(random_state(context, seed))
    {
    }
    ~random_top()
    {
        top.final();
    }
};

#endif
