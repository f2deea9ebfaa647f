// SPDX-License-Identifier: Apache-2.0
// The packet engine's routers on the flit engine: DOR, RDR, ABR, POR and OFR by the same relation
// (route/relation.h), ways and choice (route/paths.h); on tori, by packets, input-driven. Normative
// text:
//
// Virtual channels of a link: adaptive, VS1, VS2.
// Slots. Each has as many as its output buffer and the neighbour's input buffer have room for
//   packets (net_flit_slots). A slot is used while a packet's header is in such a buffer, or is to
//   come there as the packet is connected to it. What has left the header behind goes after it, as
//   each buffer takes all of a packet.
// Free is an output whose buffer takes a new packet, and of which relation.h's need is met by the
//   slots not used; a packet that enters the network needs more than --throttle of them in an
//   adaptive channel, more than --escape-throttle in the others.
//   So nothing enters a ring of escape channels by a buffer unless there is room for two headers
//   in that one and the next: for one there always is, and packets in the ring go on.
// Selection. The adaptive output with the least slots in use, the lowest port on a tie; where none
//   is free the escape. RDR: of one dimension, drawn for every packet and hop.
// Way. A packet's is chosen at the injection buffer, in each cycle in which it may be connected,
// the
//   first one for good with --decide once; by the slots in use as --count-used counts them. Those
//   of a link whose adaptive channel takes nothing from there are all in use (relation.h,
//   net_seen). At its IDN a packet goes on to its destination.
#ifndef NET_FLIT_BUBBLE_H
#define NET_FLIT_BUBBLE_H

#include "flit/sim.h"

// Makes sim->bubble; false: out of memory.
bool net_bubble_open(struct net_sim *sim);
void net_bubble_free(struct net_sim *sim);

// A packet is put into a node's injection buffer; is the first of an input buffer, whose candidates
// it sets (sim.h); is connected to output `to`.
void net_bubble_put(struct net_sim *sim, uint32_t node, struct net_flit_packet *packet);
void net_bubble_begin(struct net_sim *sim, uint32_t node, unsigned place,
                      struct net_flit_packet *packet);
void net_bubble_connected(struct net_sim *sim, uint32_t node, unsigned place, unsigned to,
                          struct net_flit_packet *packet);

// The decision on the way of a node's injection buffer's packet, before a cycle's connections.
void net_bubble_decide(struct net_sim *sim, uint32_t node);

// Of an input's candidate; the output for an input's packet, negative: none is free.
bool net_bubble_is_free(const struct net_sim *sim, uint32_t node, unsigned candidate);
int net_bubble_pick(const struct net_sim *sim, uint32_t node, const struct net_flit_input *in);

#endif
