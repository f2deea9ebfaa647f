// SPDX-License-Identifier: Apache-2.0
// The checker: what rtl/local/ofr_check.v computes, cycle for cycle.
//
// Takes every user packet that the router delivers, never pushes back. A generator packet must have
// this node as its target, LEG = 1, at least the fewest flits, and the payload that SOURCE, SEQ and
// time stamp ask for; the last flit's payload is inverted, so a packet cut short or run on fails.
#ifndef OFR_CHECK_H
#define OFR_CHECK_H

#include "router.h"

enum { OFR_CHECK_BINS = 256 }; // bins from 240 on stay empty

struct ofr_check {
    // Build
    uint8_t n, flit_bits;
    // Registers (block CHECK)
    bool window;
    uint32_t from, to;
    uint32_t received, arrived, errors, count, max;
    uint64_t sum; // 48 bits
    uint8_t bin;
    uint32_t histogram[OFR_CHECK_BINS];
    // The packet under way
    uint8_t index; // of the next flit; stays at the first payload flit's
    bool good, is_gen;
    uint64_t payload;
    uint32_t stamp; // when it was generated
    // Pipeline: 1 lifetime and window, 2 sums and bin, 3 histogram read, 4 histogram write
    bool stage1, stage2, in_window, stage3, stage4;
    uint32_t end, lifetime;
    uint8_t hit_bin;
    bool written; // stage 4 wrote hit_bin in the last cycle: a read does not see it yet
    // Clearing takes 256 cycles, in which nothing is counted
    bool clearing;
    uint8_t clear_bin;
};

void ofr_check_init(struct ofr_check *check, unsigned n, unsigned flit_bits);

// One cycle. flit: of a user packet, valid or not. now: NODE.TIME.
void ofr_check_step(struct ofr_check *check, const struct ofr_flit *flit, uint32_t now,
                    const struct ofr_config *config);

// Registers, by byte offset in the node; others read 0. A read of BIN_COUNT steps BIN.
uint32_t ofr_check_read(struct ofr_check *check, unsigned offset);
void ofr_check_write(struct ofr_check *check, unsigned offset, uint32_t value);

// Nothing to do until a flit comes.
bool ofr_check_idle(const struct ofr_check *check);

// Histogram: lifetimes below 8 have a bin each, from there 8 bins an octave. 0 <= bin < 240.
unsigned ofr_check_bin(uint32_t lifetime);

// Least lifetime of a bin; UINT32_MAX for the bins from 240 on, which no lifetime falls into.
uint32_t ofr_check_bin_low(unsigned bin);

#endif
