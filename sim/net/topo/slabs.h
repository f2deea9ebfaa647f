// SPDX-License-Identifier: Apache-2.0
// The nodes in parts, one for each thread.
#ifndef NET_SLABS_H
#define NET_SLABS_H

#include "torus.h"

// First node of part `part` of `parts` (part == parts: the number of nodes): whole planes of the
// last dimension where there are enough of them.
static inline uint32_t net_slab(const struct ofr_torus *torus, uint32_t part, uint32_t parts)
{
    uint32_t nodes = ofr_nodes(torus), last = torus->k[torus->n - 1];
    uint32_t planes = last >= parts ? last : nodes;
    return (uint32_t)((uint64_t)planes * part / parts) * (nodes / planes);
}

#endif
