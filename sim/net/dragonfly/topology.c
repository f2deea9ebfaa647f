// SPDX-License-Identifier: Apache-2.0
#include "dragonfly/topology.h"

struct net_dragonfly net_dragonfly(const struct net_dragonfly_config *c)
{
    struct net_dragonfly d = {.a = c->a, .p = c->p, .h = c->h, .groups = c->a * c->h + 1};
    d.routers = d.groups * d.a;
    d.nodes = d.routers * d.p;
    d.globals = d.a - 1;
    d.locals = d.globals + d.h;
    d.ports = d.locals + d.p;
    return d;
}

struct net_dragonfly net_dragonfly_with_ring(const struct net_dragonfly_config *c)
{
    struct net_dragonfly d = net_dragonfly(c);
    d.ring = true;
    d.locals++;
    d.ports++;
    return d;
}

uint32_t net_dragonfly_peer(const struct net_dragonfly *d, uint32_t router, unsigned port,
                            unsigned *back)
{
    uint32_t group = router / d->a, r = router % d->a;
    if (net_dragonfly_is_ring(d, port)) {
        *back = port;
        return (router + d->routers - 1) % d->routers;
    }
    if (port < d->globals) {
        unsigned to = port < r ? port : port + 1;
        *back = net_dragonfly_local_port(to, r);
        return group * d->a + to;
    }
    uint32_t link = r * d->h + port - d->globals, there = d->a * d->h - 1 - link;
    *back = d->globals + there % d->h;
    return (group + d->groups - link - 1) % d->groups * d->a + there / d->h;
}

uint32_t net_dragonfly_before(const struct net_dragonfly *d, uint32_t router, unsigned port,
                              unsigned *out)
{
    if (!net_dragonfly_is_ring(d, port))
        return net_dragonfly_peer(d, router, port, out);
    *out = port;
    return (router + 1) % d->routers;
}

unsigned net_dragonfly_exit(const struct net_dragonfly *d, uint32_t from, uint32_t to,
                            unsigned *port)
{
    uint32_t link = (from + d->groups - to - 1) % d->groups;
    *port = d->globals + link % d->h;
    return link / d->h;
}
