// SPDX-License-Identifier: Apache-2.0
// The flit engine, net_flit_engine of run/engine.h: what is simulated stands in sim.h, the settings
// in config/flit.h.
#ifndef NET_FLIT_NET_H
#define NET_FLIT_NET_H

#include "run/engine.h"

// A cycle of the engine in the driver's units: 10 ns.
enum { NET_FLIT_CYCLE = 10 * NET_UNITS_PER_NS };

// What a batch of cycles counts.
struct net_flit_batch {
    uint64_t created, delivered, latency, wait; // latency, wait: of the delivered, cycles
};

// Figures of the measured time by batch means (thesis, 3.6), but those of the whole run.
struct net_flit_figures net_flit_means(const struct net_config *config,
                                       const struct net_flit_batch *batches, uint32_t nodes);

#endif
