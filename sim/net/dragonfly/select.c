// SPDX-License-Identifier: Apache-2.0
#include "dragonfly/select.h"

#include "config/random.h"

static bool is_node(const struct net_sim *sim, unsigned port)
{
    return port >= sim->d.locals;
}

// Most room in one of `vcs` virtual channels from `vc` on; *best: that one.
static unsigned most_room(const struct net_sim *sim, uint32_t router, unsigned port, unsigned vc,
                          unsigned vcs, unsigned *best)
{
    const uint8_t *credit = &sim->credit[net_df_port_of(sim, router, port) * sim->vcs];
    unsigned most = 0;
    for (unsigned v = vc; v < vc + vcs; v++)
        if (credit[v] > most) {
            most = credit[v];
            *best = v;
        }
    return most;
}

static bool idle(const struct net_sim *sim, uint32_t router, unsigned port)
{
    return sim->port[net_df_port_of(sim, router, port)].output_free <= sim->now;
}

// Packets beyond an output that is not the ring's, and room for such when it is empty.
static unsigned used(const struct net_sim *sim, uint32_t router, unsigned port, unsigned *room)
{
    unsigned vcs =
        net_dragonfly_is_global(&sim->d, port) ? sim->shape.global_vcs : sim->shape.local_vcs;
    const uint8_t *credit = &sim->credit[net_df_port_of(sim, router, port) * sim->vcs];
    unsigned free = 0;
    *room = vcs * net_df_room(sim, router, port);
    for (unsigned v = 0; v < vcs; v++)
        free += credit[v];
    return *room - free;
}

static double occupancy(const struct net_sim *sim, uint32_t router, unsigned port)
{
    unsigned room, packets = used(sim, router, port, &room);
    return (double)packets / room;
}

static uint64_t draw(const struct net_sim *sim, uint32_t router, const struct net_df_packet *p,
                     unsigned number)
{
    return net_random(sim->config->seed, DRAW_MISROUTE, (uint64_t)router << 32 | p->source,
                      (uint64_t)sim->now << 32 | p->message << 4 | number);
}

// ---- At the source

// Hops to the destination, by a header's via.
static unsigned hops_ahead(const struct net_sim *sim, struct net_df_header h, uint32_t router)
{
    unsigned hops = 0, back;
    for (;; hops++) {
        struct net_df_way way = net_df_minimal(&sim->shape, &h, router);
        if (is_node(sim, way.port))
            return hops;
        h = net_df_after(&sim->shape, h, router, way);
        router = net_dragonfly_peer(&sim->d, router, way.port, &back);
    }
}

// A via behind a global link of a router that the policy allows; none: NET_DF_NO_GROUP.
static uint16_t draw_via(const struct net_sim *sim, uint32_t router, bool injected,
                         const struct net_df_packet *p)
{
    const struct net_dragonfly *d = &sim->d;
    enum net_misrouting policy = sim->shape.misrouting;
    uint32_t group = router / d->a, r = router % d->a;
    if (policy == NET_MM)
        policy = injected ? NET_CRG : NET_NRG;
    for (unsigned i = 0; i < 16; i++) { // all but the destination's group will do
        uint64_t random = draw(sim, router, p, i);
        uint32_t from = policy == NET_CRG ? r : net_below(random << 32, d->a);
        if (policy == NET_NRG && from == r)
            continue;
        unsigned back, link = d->globals + net_below(random, d->h);
        uint32_t via = net_dragonfly_peer(d, group * d->a + from, link, &back) / d->a;
        if (net_df_may_be_via(&sim->shape, &p->h, via))
            return (uint16_t)via;
    }
    return NET_DF_NO_GROUP;
}

void net_df_note_congestion(struct net_sim *sim)
{
    const struct net_dragonfly_config *c = &sim->config->dragonfly;
    uint8_t *now = &sim->congested[(size_t)(sim->now % sim->delay) * sim->d.routers * sim->d.h];
    for (uint32_t router = sim->first; router < sim->past; router++) {
        unsigned packets[NET_MAX_DRAGONFLY_PORTS], sum = 0;
        for (unsigned j = 0; j < sim->d.h; j++)
            sum += packets[j] =
                net_df_room(sim, router, sim->d.globals + j) -
                sim->credit[net_df_port_of(sim, router, sim->d.globals + j) * sim->vcs];
        for (unsigned j = 0; j < sim->d.h; j++)
            now[router * sim->d.h + j] =
                packets[j] > c->pb_ratio * sum / sim->d.h + c->pb_words / sim->words;
    }
}

// Whether the minimal global link was congested when its router last told.
static bool is_congested(const struct net_sim *sim, uint32_t router, const struct net_df_header *h)
{
    const struct net_dragonfly *d = &sim->d;
    unsigned port;
    uint32_t group = router / d->a;
    uint32_t from = group * d->a + net_dragonfly_exit(d, group, h->dst / d->p / d->a, &port);
    // Of its own links a router knows more, of the others what was said `delay` cycles ago.
    uint32_t when = from == router ? sim->now : sim->now + 1;
    return sim
        ->congested[((size_t)(when % sim->delay) * d->routers + from) * d->h + port - d->globals];
}

// Draws the via that a packet may go by, once at a router.
static void draw_choice(struct net_sim *sim, uint32_t router, unsigned port,
                        struct net_df_packet *p)
{
    struct net_df_header by = p->h;
    p->h.decided = true;
    by.via = p->choice = draw_via(sim, router, is_node(sim, port), p);
    p->ahead[0] = (uint8_t)hops_ahead(sim, p->h, router);
    p->ahead[1] = by.via == NET_DF_NO_GROUP ? 0 : (uint8_t)hops_ahead(sim, by, router);
}

// Whether to go by the drawn via, in every cycle anew: one decision for good would leave a packet
// that found the minimal way free at the head of its queue until that is free again.
static void choose(struct net_sim *sim, uint32_t router, struct net_df_packet *p)
{
    struct net_df_header by = p->h;
    unsigned room;
    p->h.via = NET_DF_NO_GROUP;
    by.via = p->choice;
    if (by.via == NET_DF_NO_GROUP)
        return;
    if (sim->shape.routing != NET_VALIANT) {
        unsigned minimal = net_df_minimal(&sim->shape, &p->h, router).port;
        unsigned other = net_df_minimal(&sim->shape, &by, router).port;
        double cost = (double)used(sim, router, minimal, &room) * sim->words * p->ahead[0];
        double others = (double)used(sim, router, other, &room) * sim->words * p->ahead[1];
        bool congested = sim->shape.routing == NET_PB && is_congested(sim, router, &p->h);
        if (!congested && cost <= others + sim->config->dragonfly.ugal_words)
            return;
    }
    p->h.via = by.via;
}

// ---- In transit

// One of OFAR's misroutes; false: none will do now.
static bool pick_misroute(struct net_sim *sim, uint32_t router, unsigned port,
                          const struct net_df_packet *p, const struct net_df_way *ways,
                          unsigned count, double most_used, struct net_df_way *way, unsigned *vc)
{
    unsigned best = 0, ties = 0;
    uint64_t random = draw(sim, router, p, port % 16);
    // RRG: a router of the group first, this one or the one behind a local port.
    unsigned r = router % sim->d.a;
    unsigned drawn = net_below(random << 32, sim->d.a);
    bool draws =
        sim->shape.misrouting == NET_RRG && !p->h.must_global && ways[0].kind != NET_DF_LOCAL;
    for (unsigned i = 0; i < count; i++) {
        unsigned to = ways[i].port, v = 0;
        if (draws && (ways[i].kind == NET_DF_GLOBAL
                          ? drawn != r
                          : drawn == r || net_dragonfly_local_port(r, drawn) != to))
            continue;
        if (!idle(sim, router, to))
            continue;
        unsigned room = most_room(sim, router, to, ways[i].vc, ways[i].vcs, &v);
        if (!room || room < best || occupancy(sim, router, to) > most_used)
            continue;
        ties = room > best ? 1 : ties + 1;
        best = room;
        if (ties == 1 || !net_below(net_random(random, DRAW_MISROUTE, i, 0), ties)) {
            *way = ways[i];
            *vc = v;
        }
    }
    return ties != 0;
}

static bool select_ring(struct net_sim *sim, uint32_t router, const struct net_df_packet *p,
                        struct net_df_way *way, unsigned *vc)
{
    *way = net_df_ring(&sim->shape, &p->h, router);
    return idle(sim, router, way->port) && most_room(sim, router, way->port, way->vc, 1, vc) >=
                                               net_df_ring_needs((enum net_df_kind)way->kind);
}

static bool select_ofar(struct net_sim *sim, uint32_t router, unsigned port,
                        struct net_df_packet *p, struct net_df_way *way, unsigned *vc)
{
    struct net_df_way ways[NET_DF_WAYS], minimal = net_df_minimal(&sim->shape, &p->h, router);
    bool leaves = !p->h.ring || net_df_may_leave(&sim->shape, &p->h, router);
    unsigned room = 0;
    if (!p->h.must_global && leaves) {
        *way = minimal;
        if (!minimal.vcs) // to its node
            return idle(sim, router, minimal.port);
        room = most_room(sim, router, minimal.port, minimal.vc, minimal.vcs, vc);
        if (room && idle(sim, router, minimal.port))
            return true;
    }
    if (p->h.ring)
        return select_ring(sim, router, p, way, vc);
    unsigned count = net_df_misroutes(&sim->shape, &p->h, router, is_node(sim, port), ways);
    double most = p->h.must_global
                      ? 1
                      : sim->config->dragonfly.occupancy * occupancy(sim, router, minimal.port);
    if (count && pick_misroute(sim, router, port, p, ways, count, most, way, vc))
        return true;
    for (unsigned i = 0; p->h.must_global && i < count; i++)
        room += most_room(sim, router, ways[i].port, ways[i].vc, ways[i].vcs, vc);
    return !room && !is_node(sim, port) && select_ring(sim, router, p, way, vc);
}

bool net_df_select(struct net_sim *sim, uint32_t router, unsigned port, struct net_df_packet *p,
                   struct net_df_way *way, unsigned *vc)
{
    if (sim->shape.routing == NET_OFAR)
        return select_ofar(sim, router, port, p, way, vc);
    if (net_df_may_choose(&sim->shape, &p->h, router))
        draw_choice(sim, router, port, p);
    if (p->h.decided)
        choose(sim, router, p);
    *way = net_df_minimal(&sim->shape, &p->h, router);
    return idle(sim, router, way->port) &&
           (!way->vcs || most_room(sim, router, way->port, way->vc, way->vcs, vc));
}
