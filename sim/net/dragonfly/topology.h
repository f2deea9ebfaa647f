// SPDX-License-Identifier: Apache-2.0
// The Dragonfly: groups of `a` routers, each with `p` nodes and `h` global links; complete graphs
// in a group and between groups, one link between any two of the a h + 1 groups.
//
// Router r of group g is number g a + r, node i of it number (g a + r) p + i. Ports of a router: 0
// .. a - 2 local, to the others of its group by number; then h global, then p of its nodes.
// Palm tree (Camarero et al., ACM TACO 11(4), 2014): global port j of router r goes to group
// g - (r h + j + 1).
// A physical escape ring has a port more, before those of the nodes: out of it a link to the router
// with the number below, into it one from the router above; the last one of a group is above router
// 0 of the group after.
#ifndef NET_DRAGONFLY_TOPOLOGY_H
#define NET_DRAGONFLY_TOPOLOGY_H

#include "config/config.h"

struct net_dragonfly {
    uint32_t a, p, h, groups, routers, nodes;
    unsigned globals, locals, ports; // first global port; first of a node; all
    bool ring;                       // physical: of port locals - 1
};

struct net_dragonfly net_dragonfly(const struct net_dragonfly_config *config);

// The same with a physical ring.
struct net_dragonfly net_dragonfly_with_ring(const struct net_dragonfly_config *config);

static inline bool net_dragonfly_is_global(const struct net_dragonfly *d, unsigned port)
{
    return port >= d->globals && port < d->globals + d->h;
}

static inline bool net_dragonfly_is_ring(const struct net_dragonfly *d, unsigned port)
{
    return d->ring && port + 1 == d->locals;
}

// Whether a hop out of a router leads to another group.
static inline bool net_dragonfly_leaves(const struct net_dragonfly *d, uint32_t router,
                                        unsigned port)
{
    return net_dragonfly_is_ring(d, port) ? router % d->a == 0 : net_dragonfly_is_global(d, port);
}

// Local port of router r of a group to router `to` of it.
static inline unsigned net_dragonfly_local_port(unsigned r, unsigned to)
{
    return to < r ? to : to - 1;
}

// Router that a port of links leads to; *back: its port of the same link.
uint32_t net_dragonfly_peer(const struct net_dragonfly *d, uint32_t router, unsigned port,
                            unsigned *back);

// Router from which a port of links is reached; *out: by which of its ports. Another than the one
// that it leads to for the ring's only.
uint32_t net_dragonfly_before(const struct net_dragonfly *d, uint32_t router, unsigned port,
                              unsigned *out);

// Router (0 .. a - 1) and port of group `from` with the link to group `to`.
unsigned net_dragonfly_exit(const struct net_dragonfly *d, uint32_t from, uint32_t to,
                            unsigned *port);

#endif
