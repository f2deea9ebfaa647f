// SPDX-License-Identifier: Apache-2.0
// The flit engine, net_flit_engine of run/engine.h: what is simulated stands in sim.h, the settings
// in config/flit.h.
#ifndef NET_FLIT_NET_H
#define NET_FLIT_NET_H

#include <stddef.h>

#include "run/engine.h"

// A cycle of the engine in the driver's units: 10 ns.
enum { NET_FLIT_CYCLE = 10 * NET_UNITS_PER_NS };

// What a batch of cycles counts.
struct net_flit_batch {
    uint64_t created, delivered, latency, wait; // latency, wait: of the delivered, cycles
};

// The cycle in which the measured time is over.
static inline uint32_t net_flit_end(const struct net_flit_config *config)
{
    return config->warm + config->batches * config->batch;
}

// The batch that a cycle is of; NULL: it is not of the measured time.
static inline struct net_flit_batch *net_flit_batch_of(const struct net_flit_config *config,
                                                       struct net_flit_batch *batches,
                                                       uint32_t cycle)
{
    bool measured = cycle >= config->warm && cycle < net_flit_end(config);
    return measured ? &batches[(cycle - config->warm) / config->batch] : NULL;
}

// Takes all batches over into others, to which they are added: a part's into those of all.
void net_flit_take_batches(const struct net_flit_config *config, struct net_flit_batch *to,
                           struct net_flit_batch *from);

// Figures of the measured time by batch means (thesis, 3.6), but those of the whole run.
struct net_flit_figures net_flit_means(const struct net_config *config,
                                       const struct net_flit_batch *batches, uint32_t nodes);

#endif
