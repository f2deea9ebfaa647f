// SPDX-License-Identifier: Apache-2.0
// Traffic patterns: where message m of node s goes (paper, sec. 4; rtl/local/README.md). Pure
// functions, for any number of dimensions.
#ifndef OFR_PATTERN_H
#define OFR_PATTERN_H

#include "torus.h"

// A pattern's (OFR_GEN_CONTROL_PATTERN_*) name in all tools, the paper's word: "uniform",
// "transposition3d"; NULL: none.
const char *ofr_pattern_name(unsigned pattern);

// The pattern (OFR_GEN_CONTROL_PATTERN_*) of that name, or of another word that is in use for it:
// "transpose", "rotate3d", "bit-reverse", "neighbor". -1: none. What all tools read names with.
int ofr_pattern_named(const char *name);

// Why the pattern (OFR_GEN_CONTROL_PATTERN_*) does not exist on this torus, as half a sentence
// ("it needs ..."), or NULL if it does.
const char *ofr_pattern_missing(const struct ofr_torus *torus, unsigned pattern);

// Destination of message m of node s, m from 0 on. All patterns but UNIFORM and FIXED, which the
// caller draws or knows (here: s). Only where the pattern exists; elsewhere it may lie outside.
struct ofr_coord ofr_pattern_destination(const struct ofr_torus *torus, unsigned pattern,
                                         const struct ofr_coord *s, uint32_t m);

#endif
