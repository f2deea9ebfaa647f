// SPDX-License-Identifier: Apache-2.0
// Bits that come out wrong, one at a time by chance and in bursts, as a cable or a pin draws them.
#ifndef NOISE_H
#define NOISE_H

#include "rng.h"

struct noise {
    double error_rate;    // of a bit: noise_error_rate()
    double burst_rate;    // of a step: so often a burst begins
    unsigned burst_steps; // its mean length; half of its bits are wrong
    // State
    unsigned burst_left;
    double until_error; // bits to the next one
};

void noise_error_rate(struct noise *noise, struct rng *rng, double rate);
// The next step, of 1 to 64 bits: which are wrong; in `hiss` any, as in a burst.
uint64_t noise_step(struct noise *noise, struct rng *rng, unsigned bits, bool hiss);

#endif
