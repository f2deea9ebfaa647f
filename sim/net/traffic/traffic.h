// SPDX-License-Identifier: Apache-2.0
// Traffic patterns: who sends to whom. Node id = x + kx y + kx ky z. Those that the literature has
// by node number as well as by coordinate are here by both; butterfly and complement are the same
// by either.
#ifndef NET_TRAFFIC_H
#define NET_TRAFFIC_H

#include "torus.h"

enum net_pattern {
    NET_UNIFORM,          // any node, itself included, drawn per message
    NET_BUTTERFLY,        // libofr's, as all down to NET_NEIGHBOUR (sim/model/pattern.h)
    NET_TRANSPOSITION,    // 2D: x and y change places; else: the halves of the id's bits
    NET_TRANSPOSITION3D,  // (x, y, z) -> (y, z, x), three equal sizes
    NET_BITREVERSE,       // the id's log2 N bits reversed
    NET_COMPLEMENT,       // k - 1 - c in every dimension
    NET_TORNADO,          // ceil(k/2) - 1 nodes on in the + direction of every dimension
    NET_NEIGHBOUR,        // x + 1
    NET_DIAGONAL,         // one node on in the + direction of every dimension
    NET_TRANSPOSITION_ID, // id = i + r j -> j + r i, r = sqrt(N), whatever the sizes
    NET_SHUFFLE,          // the id's bits rotated left by one
    NET_PERMUTATION,      // a random permutation, drawn once per seed
    NET_HOTSPOT,          // with probability `weight` one of the listed nodes, else uniform
    NET_TORNADO_ID,       // id + ceil(N/2) - 1
    NET_NEIGHBOUR_ID,     // id + 1
    NET_BITREVERSE_COORD, // the bits of every coordinate reversed
    NET_SHUFFLE_COORD,    // the bits of every coordinate rotated left by one
    NET_ADVERSARIAL,      // of a Dragonfly: any node of the group that is `offset` on
    NET_PATTERNS,
};

enum { NET_MAX_HOTSPOTS = 64 };

struct net_traffic_config {
    enum net_pattern pattern;
    uint32_t offset; // groups, 1 ..
    double weight;   // of the hot spots together, 0 .. 1
    uint32_t hotspots;
    uint32_t hotspot[NET_MAX_HOTSPOTS]; // node ids
};

struct net_traffic {
    struct net_traffic_config config;
    struct ofr_torus torus;
    uint64_t seed;
    uint32_t nodes, bits, root;
    uint32_t *permutation;
};

// NULL, or what the torus must be for this pattern (and is not).
const char *net_traffic_check(const struct net_traffic_config *config,
                              const struct ofr_torus *torus);

// For a configuration that net_traffic_check takes. False: out of memory.
bool net_traffic_init(struct net_traffic *traffic, const struct net_traffic_config *config,
                      const struct ofr_torus *torus, uint64_t seed);
void net_traffic_free(struct net_traffic *traffic);

// Destination of a node's message number `message`, from 0.
uint32_t net_destination(const struct net_traffic *traffic, uint32_t node, uint32_t message);

const char *net_pattern_name(enum net_pattern pattern);
int net_pattern_parse(const char *name); // -1: unknown

#endif
