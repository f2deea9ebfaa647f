// SPDX-License-Identifier: Apache-2.0
// Ping-pong between nodes paired at random (RDR document, sec. 3): of every pair one node sends a
// ping of `burst` messages, the other, when it has all of it, a pong of one; then the next round.
// The messages of a pair are a chain, each born when the one before it has arrived: ping and pong
// of round 0, of round 1, and so on, numbered through over all pairs.
#ifndef NET_PAIRS_H
#define NET_PAIRS_H

#include "config/config.h"

struct net_pairs {
    uint32_t count, rounds; // pairs; 0: there is no ping-pong
    uint32_t ping, pong;    // packets
    uint32_t *node;         // [pair][2]: who pings, who answers
    uint32_t *pair;         // per node; UINT32_MAX: it is off
    uint64_t *born;         // per message, units; UINT64_MAX: not yet
    uint32_t *missing;      // per message: packets that have not arrived
    uint64_t *latency;      // per pair, units: ping's birth to pong's arrival, summed over rounds
};

// False: out of memory.
bool net_pairs_init(struct net_pairs *pairs, const struct net_config *config);
void net_pairs_free(struct net_pairs *pairs);

static inline uint32_t net_pairs_node(const struct net_pairs *pairs, uint32_t message, bool to)
{
    return pairs->node[message / (2 * pairs->rounds) * 2 + ((message & 1) != to)];
}

// A packet of a message arrives at `time`. Returns the message that is born by that, or UINT32_MAX.
uint32_t net_pairs_arrived(struct net_pairs *pairs, uint32_t message, uint64_t time);

#endif
