// SPDX-License-Identifier: Apache-2.0
// A torus of golden routers in a fabric, without RTL: for long runs of the model alone.
#ifndef GOLDEN_H
#define GOLDEN_H

#include "fabric.h"

struct golden {
    struct fabric *fabric;
    uint32_t nodes;
    struct ofr_router **router;
    struct ofr_config *config; // one a node; may be changed between steps
    uint64_t cycle;
    // Its own
    const struct ofr_router_out **out;
    struct ofr_router_in *in;
};

// All routers with `base` as configuration but for the coordinates, links up, ready for traffic.
// base->table must outlive it. Returns false when memory is short or the shape is out of range.
bool golden_init(struct golden *golden, const struct fabric_options *options,
                 const struct ofr_config *base);
void golden_free(struct golden *golden);

void golden_step(struct golden *golden);

// Nothing is on its way, and every credit is home.
bool golden_idle(const struct golden *golden);

// Lets up to `cycles` pass (whole sixteens) in which all is idle and no packet falls due. The
// routers do not see them: their time and random numbers stand still.
void golden_skip(struct golden *golden, uint64_t cycles);

// A router's watchdog has latched.
bool golden_watchdog(const struct golden *golden);

// Stops the traffic and steps until nothing is left, for at most `limit` cycles; returns whether
// every packet was delivered, every credit is home and the fabric found nothing wrong.
bool golden_drain(struct golden *golden, uint64_t limit);

// Sum over all nodes of one counter (index as in rtl/regs/outflank.json).
uint64_t golden_counter(const struct golden *golden, unsigned index);

#endif
