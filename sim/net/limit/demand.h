// SPDX-License-Identifier: Apache-2.0
// The mean demand of a traffic pattern, as a list of flows from node to node, and how much of the
// torus it is enough to look at.
//
// Where shifting the torus by a vector v maps the demand onto itself (to each flow s -> t there is
// s + v -> t + v), it does so with a best solution of any convex problem, too, and with the mean of
// its images. So of all nodes that such shifts map onto each other one is enough: flows are listed
// of the least node of each such orbit only, and links go by classes. Dimensions of size 2 are mesh
// axes and are not shifted.
#ifndef NET_DEMAND_H
#define NET_DEMAND_H

#include "traffic/traffic.h"

struct net_flow {
    uint32_t source, destination; // node ids, different
    double share;                 // of what the source sends, 0 .. 1
};

struct net_demand {
    struct net_flow *flow; // by source
    uint32_t count;
    uint32_t shifts; // nodes in an orbit, 1 .. N
    uint32_t *least; // per node: the least of its orbit
};

enum { NET_DEMAND_ALL = -1, NET_MAX_FLOWS = 1 << 22 };

// NULL, or why there is no such list: too many flows, none. For a pattern that net_traffic_check
// takes.
const char *net_demand_check(const struct net_traffic_config *config, const struct ofr_torus *torus,
                             uint64_t seed);

// message: only what a node's message of this number goes to (butterfly's phase), or
// NET_DEMAND_ALL, the mean over all. shifts: whether to use them. NULL, or what is wrong: as above,
// or no memory.
const char *net_demand_init(struct net_demand *demand, const struct net_traffic_config *config,
                            const struct ofr_torus *torus, uint64_t seed, int message, bool shifts);
void net_demand_free(struct net_demand *demand);

#endif
