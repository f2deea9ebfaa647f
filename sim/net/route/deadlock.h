// SPDX-License-Identifier: Apache-2.0
// Can the network deadlock? A static check of the routing relation that runs (relation.h), over all
// sources, destinations, ways and places that a packet can come to.
//
// A packet is in one queue, of a link and a VC, and waits there for one of the outputs of the next
// node. The escape queues must bring every packet on, whatever happens in the others (Duato, IEEE
// TPDS 4, 1993; packets are stored whole, so what they left behind does not matter):
//   1. wherever a packet is, one of its outputs is an escape queue;
//   2. the dependencies of escape queues on escape queues have no cycle; or each cycle is a ring by
//      itself, in which a packet goes on into the one next queue with a free slot, while everything
//      that enters the ring, from the generator, other queues and other rings, needs two, so that a
//      bubble stays (Carrion et al., HiPC 1997; Puente et al., J. Parallel Distrib. Comput. 61,
//      2001).
#ifndef NET_DEADLOCK_H
#define NET_DEADLOCK_H

#include "route/relation.h"

typedef unsigned net_relation(enum net_routing routing, struct net_in in, struct net_head head,
                              struct net_candidate out[NET_MAX_CANDIDATES]);

enum net_verdict {
    NET_ACYCLIC,
    NET_ESCAPABLE, // cyclic, but rings with a bubble only
    NET_DEADLOCK,  // a cycle, in `queue`
    NET_NO_ESCAPE, // a packet in queue[0] has no escape
    NET_NO_CHECK,  // out of memory
};

// The escape or other queue of a link.
struct net_waiting {
    uint32_t node;
    uint8_t port, vc;
    enum net_need need; // of what comes into it from the one before it in a cycle
};

enum { NET_MAX_CYCLE = 256 };

struct net_deadlock {
    enum net_verdict verdict;
    uint32_t queues, dependencies; // escape queues that are used, and among them
    uint32_t rings;
    // NET_DEADLOCK: a cycle; one that is a ring by itself is entered with too little room by
    // `entered`, a need that is not NET_NEED_ENTERS.
    struct net_waiting queue[NET_MAX_CYCLE];
    unsigned length; // of the cycle, at most so many are shown
    bool ring;
    enum net_need entered;
};

// For a configuration that net_config_check takes; relation: net_candidates, or another.
struct net_deadlock net_deadlock_check(const struct net_config *config, net_relation *relation);

#endif
