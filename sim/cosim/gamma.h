// SPDX-License-Identifier: Apache-2.0
// Throughput of one routing under one pattern on the golden model, measured as the paper does
// (sec. 4, table 1 and 2). README.md says what is measured and why.
#ifndef GAMMA_H
#define GAMMA_H

#include "golden.h"

enum {
    GAMMA_MESSAGE = 96,  // packets a message
    GAMMA_MESSAGES = 32, // a node, all at the same ticks, then run empty
    GAMMA_PACKET = 32,   // flits of 64 bits
    GAMMA_SLOTS = 8,
    GAMMA_THRESHOLD = 4, // injection needs more free slots than this
    GAMMA_STEPS = 20,    // a step is 0.05 flits a cycle and node
    GAMMA_BASE = 2,      // the step of the base
};

enum gamma_routing { GAMMA_ABR, GAMMA_POR, GAMMA_OFR };

struct gamma_job {
    uint8_t n, k; // k x k or k x k x k
    int pattern;  // OFR_GEN_CONTROL_PATTERN_*
    enum gamma_routing routing;
    enum ofr_tie tie;
    uint8_t escape;    // OFR_NODE_ROUTING_ESCAPE_*
    unsigned only_bit; // butterfly: always bit only_bit - 1; 0: the next at each message
    uint64_t seed;
};

// What gamma_star() found, and the derouted shares of all packets at gamma*.
struct gamma_star {
    unsigned step;         // gamma* in steps, at least the base's
    double base, lifetime; // mean at the base's load and at gamma*, cycles
    double oidn, widn;
};

// What gamma_overload() found. Flits a cycle and node; shares of packets (oidn, widn), of hops.
struct gamma_overload {
    double accepted;
    double link[OFR_LINKS];
    double oidn, widn, escape;
};

// gamma*: the largest step at which the mean lifetime (generation to tail, source queue included)
// is at most 1.2 times that at the base. By bisection: takes it that a load above one that exceeds
// this exceeds it too. Returns NULL, or what went wrong.
const char *gamma_star(const struct gamma_job *job, struct gamma_star *out);

// Offers 1 flit a cycle and node, `messages` messages a node: the load accepted while the middle
// half of all packets arrives.
const char *gamma_overload(const struct gamma_job *job, unsigned messages,
                           struct gamma_overload *out);

#endif
