// SPDX-License-Identifier: Apache-2.0
// Can the network deadlock? A static check of the routing relation that runs (relation.h), over all
// sources, destinations, ways and places that a packet can come to: wherever it is, one of its
// outputs is an escape queue, and what the escape queues wait for is judged by libofr's waits.h.
// (libofr's deadlock.h is the same for the boards' router and destination tables.)
#ifndef NET_DEADLOCK_H
#define NET_DEADLOCK_H

#include "route/relation.h"
#include "waits.h"

typedef unsigned net_relation(enum net_routing routing, struct net_in in, struct net_head head,
                              struct net_candidate out[NET_MAX_CANDIDATES]);

// For a configuration that net_config_check takes; relation: net_candidates, or another.
// OFR_NO_CHECK: out of memory.
struct ofr_deadlock net_deadlock_check(const struct net_config *config, net_relation *relation);

#endif
