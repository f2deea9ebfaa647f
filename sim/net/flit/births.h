// SPDX-License-Identifier: Apache-2.0
// Births of messages: in each cycle with the same probability, by position.
#ifndef NET_FLIT_BIRTHS_H
#define NET_FLIT_BIRTHS_H

#include <math.h>

#include "config/config.h"
#include "config/random.h"

// log(1 - probability): 0 at load 0 (no birth), minus infinity at one birth a cycle.
static inline double net_flit_birth_log(const struct net_config *config)
{
    return log1p(-config->load / net_flit_period(config));
}

// Cycle of a node's birth of message `message`, after one in `cycle`; -1: the first.
static inline uint32_t net_flit_birth_after(const struct net_config *config, double birth_log,
                                            uint32_t node, uint32_t message, int64_t cycle)
{
    double u = (double)((net_random(config->seed, DRAW_ARRIVAL, node, message) >> 11) + 1) *
               0x1p-53; // 0 < u <= 1
    double birth = (double)cycle + 1 + floor(log(u) / birth_log);
    return birth < UINT32_MAX ? (uint32_t)birth : UINT32_MAX;
}

#endif
