// SPDX-License-Identifier: Apache-2.0
// Which of the relation's hops a packet asks for. Occupancy of an output: packets beyond, in its
// link or on their way back as credits, of the room in all VCs but the ring's.
//
//   valiant: a via drawn by the misrouting policy. ugal (UGAL-L): one where minimal occupancy times
//     hops is more than that over the drawn via, and the threshold. pb: also where the minimal
//     global link is congested: what is in the VC that a source's packets take there is above
//     pb_ratio times the mean of its router's global links and pb_words, as told a local link's
//     latency ago. par: as ugal, again after a local hop. The via is drawn once; whether to go by
//     it is asked in every cycle until the packet goes.
//   ofar: the minimal hop if its output is idle and has room; else, of the misroutes that are idle,
//     have room and an occupancy of at most `occupancy` times the minimal output's, the one with
//     most room, drawn of equal ones (rrg: of those of a drawn router of the group); else, where
//     the minimal output has no room in any VC and the packet is in transit, the ring.
#ifndef NET_DRAGONFLY_SELECT_H
#define NET_DRAGONFLY_SELECT_H

#include "dragonfly/sim.h"

// What the first packet of an input VC asks for; false: nothing now. *vc: the virtual channel.
bool net_df_select(struct net_sim *sim, uint32_t router, unsigned port, struct net_df_packet *p,
                   struct net_df_way *way, unsigned *vc);

// PB: notes which global links are congested, once a cycle.
void net_df_note_congestion(struct net_sim *sim);

#endif
