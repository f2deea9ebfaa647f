// SPDX-License-Identifier: Apache-2.0
// The OFR decision once more, from the paper's equations 1 to 17 and the rules in decide.h, in
// exact rationals (GMP) and by walking the torus: shares no code and no method with decide.c.
#ifndef OFR_TEST_EXACT_H
#define OFR_TEST_EXACT_H

#include "decide.h"

struct ofr_decision exact_decide(const struct ofr_sample *sample, const struct ofr_table *table);

// Seed of a randomised test: argv[1], else $SEED, else `otherwise`; printed.
uint64_t exact_seed(int argc, char **argv, uint64_t otherwise);

// SplitMix64.
uint64_t exact_random(uint64_t *state);

// A random table: any lambda, valid bits, parameters and rule bits.
void exact_random_table(struct ofr_table *table, unsigned n, uint64_t *state);

// Random occupancies 0 .. slots, of several temperaments (empty, full, one hot, any).
void exact_random_used(struct ofr_sample *sample, uint64_t *state);

#endif
