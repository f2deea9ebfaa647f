// SPDX-License-Identifier: Apache-2.0
// Four Verilated routers in a 2 x 2 torus, whatever is at their local ports: for benches of blocks
// that are there, in a torus.
#ifndef SQUARE_H
#define SQUARE_H

#include "rtl_router.h"

enum {
    SQUARE_SIDE = 2,
    SQUARE_NODES = SQUARE_SIDE * SQUARE_SIDE,
    SQUARE_TABLES = 48, // cycles until a router that is configured routes
};

struct square_node {
    struct rtl_router *router;
    struct ofr_config config;
    struct ofr_router_out out; // of this cycle
    struct ofr_router_in in;   // of this cycle: li is for the block at the local port
};

struct square {
    struct square_node node[SQUARE_NODES]; // node n at (n & 1, n >> 1)
    struct ofr_table table;
    uint64_t cycle;
    bool flips; // cables flip a bit in every 500th cycle
};

// Routers of two dimensions, configured, in random state. False: there is no memory.
bool square_begin(struct square *s, uint64_t seed);
void square_end(struct square *s);
// What comes to the routers in this cycle, but li; then the blocks say li, and the cycle ends.
void square_cables(struct square *s);
void square_step(struct square *s);
// Nothing is in any router.
bool square_drained(const struct square *s);

#endif
