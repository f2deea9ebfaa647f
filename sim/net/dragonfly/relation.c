// SPDX-License-Identifier: Apache-2.0
#include "dragonfly/relation.h"

struct net_df_shape net_df_shape(const struct net_config *c)
{
    bool ring = c->routing == NET_OFAR && c->dragonfly.physical_ring;
    return (struct net_df_shape){.d = ring ? net_dragonfly_with_ring(&c->dragonfly)
                                           : net_dragonfly(&c->dragonfly),
                                 .routing = c->routing,
                                 .misrouting = c->dragonfly.misrouting,
                                 .local_misrouting = c->dragonfly.local_misrouting,
                                 .by_hops = c->dragonfly.by_hops,
                                 .local_vcs = (uint8_t)c->dragonfly.local_vcs,
                                 .global_vcs = (uint8_t)c->dragonfly.global_vcs,
                                 .injection_vcs = (uint8_t)c->dragonfly.injection_vcs,
                                 .ring_exits = (uint8_t)c->dragonfly.ring_exits};
}

unsigned net_df_vcs(const struct net_df_shape *s, unsigned port)
{
    if (port >= s->d.locals)
        return s->injection_vcs;
    if (net_dragonfly_is_ring(&s->d, port))
        return 1;
    return (net_dragonfly_is_global(&s->d, port) ? s->global_vcs : s->local_vcs) +
           (s->routing == NET_OFAR && !s->d.ring);
}

bool net_df_is_ring(const struct net_df_shape *s, unsigned port, unsigned vc)
{
    if (s->routing != NET_OFAR || port >= s->d.locals)
        return false;
    return s->d.ring ? net_dragonfly_is_ring(&s->d, port) : vc + 1 == net_df_vcs(s, port);
}

static uint32_t group_of(const struct net_df_shape *s, uint32_t node)
{
    return node / s->d.p / s->d.a;
}

struct net_df_header net_df_begin(const struct net_df_shape *s, uint32_t src, uint32_t dst)
{
    return (struct net_df_header){
        .dst = dst, .src = (uint16_t)group_of(s, src), .via = NET_DF_NO_GROUP};
}

// The virtual channels of a hop that is not the ring's.
static struct net_df_way hop(const struct net_df_shape *s, const struct net_df_header *h,
                             unsigned port, enum net_df_kind kind)
{
    bool global = net_dragonfly_is_global(&s->d, port);
    uint8_t vcs = global ? s->global_vcs : s->local_vcs;
    struct net_df_way way = {
        .port = (uint8_t)port, .vc = h->globals, .vcs = 1, .kind = (uint8_t)kind};
    if (s->routing == NET_OFAR && !s->by_hops) {
        way.vc = 0;
        way.vcs = vcs;
    } else if ((s->routing == NET_PAR || s->routing == NET_OFAR) && !global) {
        way.vc = h->globals ? (uint8_t)(h->globals + 1) : h->locals;
    }
    if (s->routing == NET_OFAR && way.vc >= vcs)
        way.vc = (uint8_t)(vcs - 1);
    return way;
}

struct net_df_way net_df_minimal(const struct net_df_shape *s, const struct net_df_header *h,
                                 uint32_t router)
{
    const struct net_dragonfly *d = &s->d;
    uint32_t group = router / d->a, r = router % d->a, to = h->dst / d->p;
    uint32_t goal = h->via != NET_DF_NO_GROUP ? h->via : to / d->a;
    unsigned port = 0, there = to % d->a;
    if (goal == group && to == router)
        return (struct net_df_way){.port = (uint8_t)(d->locals + h->dst % d->p)};
    if (goal != group)
        there = net_dragonfly_exit(d, group, goal, &port);
    if (there != r)
        port = net_dragonfly_local_port(r, there);
    return hop(s, h, port, NET_DF_MINIMAL);
}

bool net_df_may_choose(const struct net_df_shape *s, const struct net_df_header *h, uint32_t router)
{
    bool chooses = s->routing == NET_VALIANT || s->routing == NET_UGAL || s->routing == NET_PB ||
                   s->routing == NET_PAR;
    return chooses && !h->decided && h->via == NET_DF_NO_GROUP && !h->globals &&
           group_of(s, h->dst) != router / s->d.a && h->locals <= (s->routing == NET_PAR);
}

bool net_df_may_be_via(const struct net_df_shape *s, const struct net_df_header *h, uint32_t group)
{
    return group != h->src && group != group_of(s, h->dst);
}

// Global links of this router but `but`; local ones.
static unsigned globals(const struct net_df_shape *s, const struct net_df_header *h, unsigned but,
                        struct net_df_way *out)
{
    unsigned count = 0;
    for (unsigned port = s->d.globals; port < s->d.globals + s->d.h; port++)
        if (port != but)
            out[count++] = hop(s, h, port, NET_DF_GLOBAL);
    return count;
}

static unsigned locals(const struct net_df_shape *s, const struct net_df_header *h, unsigned but,
                       enum net_df_kind kind, struct net_df_way *out)
{
    unsigned count = 0;
    for (unsigned port = 0; port < s->d.globals; port++)
        if (port != but)
            out[count++] = hop(s, h, port, kind);
    return count;
}

unsigned net_df_misroutes(const struct net_df_shape *s, const struct net_df_header *h,
                          uint32_t router, bool injected, struct net_df_way out[NET_DF_WAYS])
{
    uint32_t group = router / s->d.a, goal = group_of(s, h->dst);
    unsigned count = 0;
    if (s->routing != NET_OFAR || h->ring)
        return 0;
    if (h->must_global)
        return globals(s, h, NET_MAX_DRAGONFLY_PORTS, out);
    unsigned port = net_df_minimal(s, h, router).port;
    if (group == h->src && goal != group) {
        bool own = s->misrouting == NET_CRG || s->misrouting == NET_RRG ||
                   (s->misrouting == NET_MM && injected);
        bool others = s->misrouting == NET_NRG || s->misrouting == NET_RRG ||
                      (s->misrouting == NET_MM && !injected);
        if (own && !h->misrouted)
            count += globals(s, h, port, &out[count]);
        if (others && !h->misrouted)
            count += locals(s, h, port, NET_DF_NEIGHBOUR, &out[count]);
    } else if (s->local_misrouting && !h->strayed && !h->exits && port < s->d.globals) {
        count = locals(s, h, port, NET_DF_LOCAL, out);
    }
    return count;
}

struct net_df_way net_df_ring(const struct net_df_shape *s, const struct net_df_header *h,
                              uint32_t router)
{
    uint32_t r = router % s->d.a;
    uint8_t kind = h->ring ? NET_DF_RING : NET_DF_ENTER;
    if (s->d.ring)
        return (struct net_df_way){.port = (uint8_t)(s->d.locals - 1), .vcs = 1, .kind = kind};
    unsigned port = r ? net_dragonfly_local_port(r, r - 1) : s->d.globals;
    return (struct net_df_way){
        .port = (uint8_t)port, .vc = r ? s->local_vcs : s->global_vcs, .vcs = 1, .kind = kind};
}

unsigned net_df_ring_needs(enum net_df_kind kind)
{
    return kind == NET_DF_ENTER ? 2 : 1;
}

bool net_df_may_leave(const struct net_df_shape *s, const struct net_df_header *h, uint32_t router)
{
    return h->dst / s->d.p == router || h->exits < s->ring_exits;
}

struct net_df_header net_df_after(const struct net_df_shape *s, struct net_df_header h,
                                  uint32_t router, struct net_df_way way)
{
    bool global = net_dragonfly_leaves(&s->d, router, way.port);
    unsigned back;
    if (h.ring && way.kind == NET_DF_MINIMAL) {
        h.ring = false;
        h.exits++;
    }
    h.ring |= way.kind == NET_DF_ENTER;
    h.misrouted |= global || way.kind == NET_DF_NEIGHBOUR || h.ring;
    h.must_global = way.kind == NET_DF_NEIGHBOUR;
    h.strayed = !global && (h.strayed || way.kind == NET_DF_LOCAL);
    h.decided = false;
    if (s->routing == NET_OFAR && !s->by_hops)
        return h;
    h.locals = global ? 0 : (uint8_t)(h.locals + (h.locals < 3)); // 3: where ofar was in the ring
    h.globals = (uint8_t)(h.globals + (global && h.globals < 3));
    if (global && h.via == net_dragonfly_peer(&s->d, router, way.port, &back) / s->d.a)
        h.via = NET_DF_NO_GROUP;
    return h;
}
