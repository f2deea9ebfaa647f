// SPDX-License-Identifier: Apache-2.0
// One direction of a cable, as a link sees it behind its physical layer: words with a latency, bit
// errors, bursts, and what else happens to cables. Everything follows from the seed.
#ifndef LINK_WIRE_H
#define LINK_WIRE_H

#include "noise.h"

enum { WIRE_LATENCY = 64 }; // at most, cycles

enum wire_fault { WIRE_GOOD, WIRE_DEAD, WIRE_STUCK, WIRE_NOISE };

struct wire {
    struct rng rng;
    unsigned bits;      // of a word
    unsigned latency;   // cycles, 1 to WIRE_LATENCY
    struct noise noise; // a step a word
    enum wire_fault fault;
    unsigned stuck_bit;
    bool stuck_at;
    // State
    bool wrong; // the word that came out last
    uint64_t sent, errors;
    struct {
        bool valid;
        uint64_t word;
    } line[WIRE_LATENCY];
    unsigned at;
};

void wire_init(struct wire *wire, uint64_t seed, unsigned bits, unsigned latency);
void wire_error_rate(struct wire *wire, double rate);
// One cycle: what goes in now, and what comes out. Returns whether a word comes out.
bool wire_step(struct wire *wire, bool valid, uint64_t word, uint64_t *out);

#endif
