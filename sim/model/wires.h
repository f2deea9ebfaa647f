// SPDX-License-Identifier: Apache-2.0
// What the wires of a torus allow messages over channels: the bounds beside measured figures.
#ifndef OFR_WIRES_H
#define OFR_WIRES_H

#include <stddef.h>

#include "channel.h"

// Directed links that there are in a torus of sizes k[0] ... k[n - 1]; a flit a cycle each.
static inline unsigned ofr_wires_links(const uint8_t *k, unsigned n)
{
    unsigned nodes = 1, links = 0;
    for (unsigned i = 0; i < n; i++)
        nodes *= k[i];
    for (unsigned i = 0; i < n; i++)
        links += k[i] > 2 ? 2 * nodes : k[i] == 2 ? nodes : 0;
    return links;
}

// Flits of a message of so many bytes, 0 included: payload, and the headers of each packet.
// flit_bits: W; slot_flits: L.
static inline double ofr_wires_flits(unsigned flit_bits, unsigned slot_flits, size_t bytes)
{
    unsigned heads = ofr_channel_head_flits(flit_bits), most = slot_flits - heads;
    size_t flits = (bytes + flit_bits / 8 - 1) / (flit_bits / 8);
    size_t packets = flits ? (flits + most - 1) / most : 1;
    return (double)(flits + packets * heads);
}

// Cycles that its first flit needs at least: routers have four each, an end and its peer nine.
static inline double ofr_wires_latency(unsigned hops)
{
    return 9 + 4 * (hops + 1.0);
}

// Least cycles in which each of a ring's nodes sends a message of so many flits to either
// neighbour: what a local port carries, what all links carry together, and the last flit's way.
// hops: from neighbour to neighbour, summed over the ring; nearest: of them.
static inline double ofr_wires_ring(double flits, unsigned hops, unsigned links, unsigned nearest)
{
    double local = 2 * flits, over = 2 * flits * hops / links;
    return (local > over ? local : over) - 1 + ofr_wires_latency(nearest);
}

#endif
