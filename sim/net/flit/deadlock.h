// SPDX-License-Identifier: Apache-2.0
// Can the flit engine's routers deadlock? A static check of the relation that runs (relation.h).
//
// A message may be at any node for any destination, as every node is a source. The graph's vertices
// are the virtual channels that messages wait for (of Dally and Seitz all, of Duato and Triplex the
// restricted ones); there is an edge from one to another if a message may hold the first and wait
// for the second, having gone on over any that it did not wait for (Dally and Seitz 1987; Duato
// 1993: direct and indirect dependencies; thesis, appendix A: the waiting graph BWG', in which a
// message waits for what dimension order gives it). Without a cycle, and with a channel to wait for
// wherever a message is, none waits for ever. This holds for wormhole routing, and packets that
// wait in one buffer need less; of Triplex with packet switching, which has rule 3 instead of 3w,
// the graph is that of packets: they hold one buffer.
//
// A cycle of Triplex means a deadlock if it is a true one (appendix A, theorem 18): here, if for
// the cycle that was found there are messages that share no channel. Else the answer is unknown.
//
// Of Chaos: exchange.h.
#ifndef NET_FLIT_DEADLOCK_H
#define NET_FLIT_DEADLOCK_H

#include "flit/relation.h"
#include "route/deadlock.h"

// Nodes; more would take too long with indirect dependencies, Triplex's above all.
enum { NET_FLIT_MAX_CHECKED = 2048, NET_FLIT_MAX_TRIPLEX = 256 };

// For a configuration that net_config_check takes, of at most so many nodes; relation:
// net_flit_outs, or another. The verdict is OFR_ACYCLIC, OFR_ESCAPABLE, OFR_DEADLOCK, OFR_UNKNOWN,
// OFR_NO_ESCAPE or OFR_NO_CHECK.
struct ofr_deadlock net_flit_deadlock(const struct net_config *config, net_flit_relation *relation);

#endif
