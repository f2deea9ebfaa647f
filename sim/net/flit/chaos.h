// SPDX-License-Identifier: Apache-2.0
// The Chaos router (Konstantinidou and Snyder, IEEE TC 43(12), 1994; thesis, 2.1, 3.1, 4.7 and
// A.2). Normative text:
//
// Node. No virtual channels; a multiqueue of --multiqueue packets, each with a buffer like the
//   others. Packets take minimal ways, from input buffers and from the multiqueue.
// Multiqueue. A packet of an input buffer that has no free minimal output, and could go on
//   --queue-after cycles ago, goes there, as soon as one of its buffers takes a packet: the
//   longest waiting one, one a cycle beside the connection to an output. From the injection buffer
//   with --deroute-injected yes only. It may go on a cycle after its header came there.
// Service. As the other routers' (sim.h); input-driven the multiqueue is one more group. Output-
//   driven, of those that want an output the one that is in the multiqueue longest, then one of the
//   inputs, drawn; with --precedence none one of them all, drawn.
// Packet exchange (Ngai and Seitz 1989): who sends a packet to a neighbour must be able to accept
//   one from it. Of a link's end: while a packet waits in its input buffer, nothing goes into its
//   output buffer but by an exchange. Exchange: where a packet waits in an input buffer as above,
//   the multiqueue is full and the output buffer of the same link takes a packet, one goes there
//   from the multiqueue, whole: the longest waiting one that wants it; where none does and all are
//   whole and wait, none for delivery, one drawn of them all, which is derouted. The packet of the
//   input buffer takes its place.
//   So of the four buffers of a link, two outputs and two inputs, one never has a packet that
//   waits, and goes round: no deadlock. The draw makes livelock improbable (A.2).
#ifndef NET_FLIT_CHAOS_H
#define NET_FLIT_CHAOS_H

#include "flit/sim.h"

// An end of a link: whether a packet that has not begun to go on is in its output buffer, and in
// the input buffer from the other end.
struct net_chaos_end {
    bool out, in;
};

// The rule, as the engine and the deadlock checker use it. Whether a packet may go into the output;
// and whether it must be an exchange, which empties the input.
bool net_chaos_may_load(struct net_chaos_end end);
bool net_chaos_may_exchange(struct net_chaos_end end);

// Of port `port` of a node.
struct net_chaos_end net_chaos_end(const struct net_sim *sim, uint32_t node, unsigned port);

// A cycle's connections of a node, inputs to outputs and to the multiqueue.
void net_chaos_route(struct net_sim *sim, uint32_t node);

#endif
