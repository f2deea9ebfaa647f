// SPDX-License-Identifier: Apache-2.0
// Links between two parts that are cut (sim.h, "Parts"): each end is a channel of its own part's,
// with what is known there of the buffers at the other end. A cycle's word over it, and which
// buffers words have left, are mail, which the other part takes as its next cycle begins. Nothing
// that came in a cycle is looked at in it, so a cycle is what it is where the link is whole.
#ifndef NET_FLIT_CUT_H
#define NET_FLIT_CUT_H

#include "flit/sim.h"

struct net_flit_mail {
    uint32_t header; // of the word: its packet, if it is one, else NET_FLIT_NO_PACKET
    uint16_t left;   // virtual channels whose input buffer here a word left
    uint8_t word;    // virtual channel of the word that went, plus 1; 0: none
};

// An end, of the channel sim->channel[part->first_cut + i] for the i-th of a part.
struct net_flit_cut {
    uint32_t channel;    // that of the whole link
    uint32_t other, its; // the part there, and which of its ends that is
    uint8_t end, port;
};

// Cuts all links between parts, if they may be: of full duplex, as of half only one end sends, and
// where no rule looks at what came in the same cycle. False: out of memory.
bool net_cut_links(struct net_sim *sim);
void net_cut_free(struct net_sim *sim);

// Of a part, its end `i`. A word goes, of `packet` the header (NET_FLIT_NO_PACKET: none).
void net_cut_send(struct net_sim *part, uint32_t i, unsigned vc, uint32_t packet);

// A word leaves the input buffer there.
static inline void net_cut_left(struct net_sim *part, uint32_t i, unsigned vc)
{
    part->mail[part->turn & 1][i].left |= (uint16_t)(1u << vc);
}

// What is left for it.
static inline const struct net_flit_mail *net_cut_coming(const struct net_sim *part, uint32_t i)
{
    const struct net_flit_cut *cut = &part->cut[i];
    return &part->part[cut->other]->mail[~part->turn & 1][cut->its];
}

// As a cycle begins: what left the other end's buffers is known; none is left for it yet.
void net_cut_learn(struct net_sim *part);

// For check.h, between cycles: words that are on their way from an end, of a virtual channel, and
// those that left at the other end, of which it is not known yet.
struct net_wire_count net_cut_count(const struct net_sim *part, uint32_t i, unsigned vc);

#endif
