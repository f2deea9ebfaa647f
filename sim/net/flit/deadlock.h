// SPDX-License-Identifier: Apache-2.0
// Can the flit engine's routers deadlock? A static check of the relation that runs (relation.h).
//
// A packet may be at any node for any destination, as every node is a source. The graph's vertices
// are the restricted virtual channels (of Dally and Seitz all); there is an edge from one to
// another if a packet may use the first, then none or only unrestricted ones, then the second
// (Dally and Seitz 1987; Duato 1993: direct and indirect dependencies, the extended channel
// dependency graph). Without a cycle, and with a restricted channel wherever a packet is, none
// waits for ever. This holds for wormhole routing, and packets that wait in one buffer need less.
#ifndef NET_FLIT_DEADLOCK_H
#define NET_FLIT_DEADLOCK_H

#include "flit/relation.h"
#include "route/deadlock.h"

// More would take too long with Duato's indirect dependencies.
enum { NET_FLIT_MAX_CHECKED = 2048 }; // nodes

// For a configuration that net_config_check takes, of at most so many nodes; relation:
// net_flit_outs, or another. The verdict is OFR_ACYCLIC, OFR_DEADLOCK, OFR_NO_ESCAPE or
// OFR_NO_CHECK.
struct ofr_deadlock net_flit_deadlock(const struct net_config *config, net_flit_relation *relation);

#endif
