// SPDX-License-Identifier: Apache-2.0
// What must be true after every cycle: every packet and word is where it must be, messages of the
// oblivious class (of Dally and Seitz's router with one lane) come in order, and nobody starves.
//
// Nobody starves: what may be connected in so many cycles one after the other as the node has
// groups times the largest group is connected, as the service is a round robin over both; input-
// driven that is an input's packet that finds an output, output-driven an output that is wanted.
//
// Of Chaos's links one buffer of four is free (chaos.h), of a ring of the packet engine's escape
// channels one of all (bubble.h). No livelock: a packet that has made
// 5,000 hops is taken for one that never arrives. With a multiqueue of q one that is d hops away
// arrives by the next d with a probability of ((q - 1) / q)^d at the least (thesis, A.2); about 100
// were seen under overload.
//
// Where NET_FLIT_CHECKED is defined the engine watches itself, and stops at what is wrong.
#ifndef NET_FLIT_CHECK_H
#define NET_FLIT_CHECK_H

#include "flit/sim.h"

// NULL, or what is wrong; order and starvation where the engine is watched.
const char *net_flit_check(const struct net_sim *sim);

// Ends the program with a line where it finds anything.
void net_flit_must_hold(const struct net_sim *sim);

// Watches an engine, all its parts, from now on. False: out of memory. Of more than 4,096 nodes the
// order is not.
bool net_flit_watch(struct net_sim *sim);
void net_flit_unwatch(struct net_sim *sim);

// A part's calls: before and after it makes a cycle's connections; of a packet that is delivered.
void net_flit_watch_choices(struct net_sim *sim);
void net_flit_watch_connections(struct net_sim *sim);
void net_flit_watch_delivery(struct net_sim *sim, const struct net_flit_packet *packet);

#endif
