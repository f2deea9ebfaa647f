// SPDX-License-Identifier: Apache-2.0
// What parts of different MPI ranks send each other: their posts, packed, once a window. A packet
// travels whole, as it does between threads.
#ifndef NET_SWAP_H
#define NET_SWAP_H

#include "packet/part.h"
#include "run/ranks.h"

struct net_swap {
    uint32_t ranks, rank, parts;  // parts: of each rank
    struct net_parcel *to, *from; // [ranks]
};

// False: out of memory.
bool net_swap_init(struct net_swap *swap, uint32_t parts);
void net_swap_free(struct net_swap *swap);

// posts[from][to] of all parts: those from this rank's parts to others' go there and are empty
// then, those from others' come. `next`: the next event of this rank's parts, what they have sent
// included; returns that of all ranks, units.
uint64_t net_swap(struct net_swap *swap, struct net_post *posts, uint64_t next);

#endif
