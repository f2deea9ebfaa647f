// SPDX-License-Identifier: Apache-2.0
// Links of more than a cycle (sim.h, "Link"): what is on its way over them, and what an end knows
// of the buffers at the other. Calls of one end go with a channel's part (send, due), or with the
// part of the node that they name (left, learn), each in a step in which no other part has any.
#ifndef NET_FLIT_WIRE_H
#define NET_FLIT_WIRE_H

#include "flit/sim.h"

// Makes the wires of all channels that have a link of more than a cycle. False: out of memory.
bool net_wire_open(struct net_sim *sim);
void net_wire_free(struct net_sim *sim);

// Whether an end may send: half duplex only when the last word of the other direction is over.
bool net_wire_may_send(const struct net_sim *sim, uint32_t channel, unsigned end);

// A word goes, of `packet` the header (NET_FLIT_NO_PACKET: another of the packet before).
void net_wire_send(struct net_sim *sim, uint32_t channel, unsigned end, unsigned vc,
                   uint32_t packet);

// The virtual channel of the word that comes over from an end in this cycle, negative: none.
// *packet: if it is a header, whose, else NET_FLIT_NO_PACKET.
int net_wire_due(struct net_sim *sim, uint32_t channel, unsigned end, uint32_t *packet);

// A word leaves a node's input buffer in this cycle.
void net_wire_left(struct net_sim *sim, uint32_t node, unsigned place);

// At the end of a cycle: what a part's nodes know in the next one.
void net_wire_learn(struct net_sim *part);

// Words that are on their way from an end, of a virtual channel; words that left at the other end,
// of which it is not known yet.
struct net_wire_count {
    unsigned words, left;
};
struct net_wire_count net_wire_count(const struct net_sim *sim, uint32_t channel, unsigned end,
                                     unsigned vc);

#endif
