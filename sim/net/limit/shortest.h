// SPDX-License-Identifier: Apache-2.0
// Shortest paths in a torus whose links have lengths: over any path, over minimal paths only, or
// over the ways of a routing (both legs minimal).
#ifndef NET_SHORTEST_H
#define NET_SHORTEST_H

#include <stddef.h>

#include "route/paths.h"

enum net_path_kind { NET_PATHS_ANY, NET_PATHS_MINIMAL, NET_PATHS_IDN };

// A path as the links that it takes, each node * ports + port, in order.
struct net_path {
    uint32_t length; // links
    uint32_t *link;  // room for `room`
    uint32_t room;
};

struct net_shortest {
    struct net_paths paths;
    enum net_path_kind kind;
    uint32_t nodes, ports;
    const double *length; // per link, >= 0; the caller's, who sets and may change them
    uint32_t *neighbour;  // per link; NET_SHORTEST_NONE: there is no such link
    uint32_t tree_source; // NET_SHORTEST_NONE: none
    double *distance;     // of the tree
    uint32_t *by;         // of the tree: the link into a node
    struct net_shortest_entry {
        double distance;
        uint32_t node;
    } * heap;
    uint32_t *cell_node, *cell_by; // of a leg's box
    double *cell_distance;
    struct net_path leg[2], found;
};

#define NET_SHORTEST_NONE UINT32_MAX

// config: torus, tie, and for NET_PATHS_IDN preset, routing and candidates. NET_TIE_RANDOM counts
// as both. False: out of memory; free it then, too.
bool net_shortest_init(struct net_shortest *shortest, const struct net_config *config,
                       enum net_path_kind kind);
void net_shortest_free(struct net_shortest *shortest);

// The lengths have changed.
void net_shortest_changed(struct net_shortest *shortest);

// The length of a shortest path from s to t, s != t, and in *path what it is, until the next call.
// INFINITY: out of memory.
double net_shortest(struct net_shortest *shortest, uint32_t s, uint32_t t,
                    const struct net_path **path);

#endif
