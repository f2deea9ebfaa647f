// SPDX-License-Identifier: Apache-2.0
// Can Chaos routers deadlock? Packet exchange, checked as a rule: a link's two output and two input
// buffers are a ring, over the multiqueues of both ends. Every state that it can come to is
// enumerated, by the rule that runs (chaos.h), from empty buffers on: packets come into an output
// where the rule lets them, cross, are exchanged, and leave an input or do not; the multiqueues are
// full, and the other links stand still. In each state with a packet that waits, one can cross or
// be exchanged; so all links go on, whatever the others do. Where a packet has nothing to wait for
// but a link, and one with the destination as its end is always near: the relation gives every
// packet a way.
//
// Sources: thesis, 2.1; Ngai and Seitz, SPAA 1989; Konstantinidou and Snyder, IEEE TC 43(12), 1994.
#ifndef NET_FLIT_EXCHANGE_H
#define NET_FLIT_EXCHANGE_H

#include "flit/chaos.h"
#include "flit/deadlock.h"

struct net_chaos_rule {
    bool (*may_load)(struct net_chaos_end end);
    bool (*may_exchange)(struct net_chaos_end end);
};
extern const struct net_chaos_rule net_chaos_rule; // the one that runs

// OFR_ESCAPABLE: each link is a ring with a bubble; OFR_DEADLOCK: the outputs of a link that wait
// for each other; OFR_NO_ESCAPE: a packet without a way. OFR_ACYCLIC: there is no link.
struct ofr_deadlock net_chaos_deadlock(const struct net_config *config, net_flit_relation *relation,
                                       const struct net_chaos_rule *rule);

#endif
