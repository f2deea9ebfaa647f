// SPDX-License-Identifier: Apache-2.0
#include "dragonfly/deadlock.h"

#include <stdlib.h>

enum { GOES = 4 };

// A packet that has come to a router over a port, in VC `vc` (OFAR: or any other of the port but
// the ring's).
struct state {
    struct net_df_header h;
    uint32_t router;
    uint8_t port, vc, vcs;
};

// All groups are alike: shifts of the groups change no way. So the destinations of group 0 are
// enough, and what is waited for is kept by a router's number in its group.
struct checker {
    struct net_df_shape shape;
    const struct net_df_relation *relation;
    unsigned a, ports, vcs; // ports: of links
    // [r][input port, the last one injection][vc][output port][vc]: free slots that are waited for,
    // 0: none; and GOES where packets go there without waiting, with one.
    uint8_t *needs;
    uint64_t *seen;      // states, packed; 0: an unused place
    size_t states, room; // room: a power of 2
    struct state *stack;
    size_t depth, stack_room;
    bool failed, stranded;
    struct state where;
    // The graph of all input VCs: [router][port][vc].
    uint32_t vertices, *path;
    uint8_t *colour; // 0: new, 1: on the path, 2: done
};

const struct net_df_relation net_df_relation = {net_df_minimal, net_df_misroutes, net_df_ring,
                                                net_df_ring_needs};

// ---- States

static uint64_t pack(const struct state *s)
{
    const struct net_df_header *h = &s->h;
    const struct {
        uint32_t value;
        unsigned bits;
    } parts[] = {
        {s->router, 9},      {s->port, 6},      {s->vc, 3},
        {h->src, 8},         {h->dst, 12},      {h->via == NET_DF_NO_GROUP ? 255 : h->via, 8},
        {h->globals, 2},     {h->locals, 2},    {h->exits, 2},
        {h->decided, 1},     {h->misrouted, 1}, {h->strayed, 1},
        {h->must_global, 1}, {h->ring, 1}};
    uint64_t packed = 1; // never 0
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        packed = packed << parts[i].bits | parts[i].value;
    return packed;
}

static size_t place_of(const uint64_t *table, size_t room, uint64_t state)
{
    uint64_t hash = state * 0x9e3779b97f4a7c15U;
    size_t at = (hash ^ hash >> 29) & (room - 1);
    while (table[at] && table[at] != state)
        at = (at + 1) & (room - 1);
    return at;
}

static bool is_new(struct checker *x, uint64_t state)
{
    if (2 * (x->states + 1) > x->room) {
        size_t room = x->room ? 2 * x->room : 4096;
        uint64_t *table = calloc(room, sizeof *table);
        if (!table) {
            x->failed = true;
            return false;
        }
        for (size_t i = 0; i < x->room; i++)
            if (x->seen[i])
                table[place_of(table, room, x->seen[i])] = x->seen[i];
        free(x->seen);
        x->seen = table;
        x->room = room;
    }
    size_t at = place_of(x->seen, x->room, state);
    if (x->seen[at])
        return false;
    x->seen[at] = state;
    x->states++;
    return true;
}

static void push(struct checker *x, struct state s)
{
    if (!is_new(x, pack(&s)) || x->failed)
        return;
    if (x->depth == x->stack_room) {
        size_t room = x->stack_room ? 2 * x->stack_room : 1024;
        struct state *stack = realloc(x->stack, room * sizeof *stack);
        if (!stack) {
            x->failed = true;
            return;
        }
        x->stack = stack;
        x->stack_room = room;
    }
    x->stack[x->depth++] = s;
}

static bool injected(const struct checker *x, const struct state *s)
{
    return s->port >= x->ports;
}

// ---- What follows from a state

// What is known of a hop: from each VC that the packet may be in to each that will do.
static void note(struct checker *x, const struct state *s, struct net_df_way way, unsigned slots)
{
    unsigned port = injected(x, s) ? x->ports : s->port;
    unsigned first = injected(x, s) ? 0 : s->vc, vcs = injected(x, s) ? 1 : s->vcs;
    for (unsigned from = first; from < first + vcs; from++)
        for (unsigned to = way.vc; to < way.vc + way.vcs; to++) {
            size_t in = (s->router % x->a * (x->ports + 1) + port) * x->vcs + from;
            uint8_t *needs = &x->needs[(in * x->ports + way.port) * x->vcs + to];
            unsigned known = *needs & ~(unsigned)GOES;
            if (slots == GOES)
                *needs |= GOES;
            else if (!known || slots < known)
                *needs = (uint8_t)((*needs & GOES) | slots);
        }
}

static void go(struct checker *x, const struct state *s, struct net_df_way way)
{
    unsigned back;
    if (way.port >= x->ports) // to its node
        return;
    if (way.kind != NET_DF_ENTER && way.kind != NET_DF_RING)
        note(x, s, way, GOES);
    uint32_t peer = net_dragonfly_peer(&x->shape.d, s->router, way.port, &back);
    push(x, (struct state){.h = net_df_after(&x->shape, s->h, s->router, way),
                           .router = peer,
                           .port = (uint8_t)back,
                           .vc = way.vc,
                           .vcs = way.vcs});
}

static void wait_for(struct checker *x, const struct state *s, struct net_df_way way,
                     unsigned slots)
{
    if (way.port < x->ports && !injected(x, s))
        note(x, s, way, slots);
}

static void strand(struct checker *x, const struct state *s)
{
    x->stranded = true;
    x->where = *s;
}

static void follow_ofar(struct checker *x, const struct state *s)
{
    struct net_df_way ways[NET_DF_WAYS];
    struct net_df_way minimal = x->relation->minimal(&x->shape, &s->h, s->router);
    bool leaves = !s->h.ring || net_df_may_leave(&x->shape, &s->h, s->router);
    if (!s->h.must_global && leaves) {
        go(x, s, minimal);
        if (minimal.port >= x->ports)
            return; // its node takes it
    }
    unsigned count = x->relation->misroutes(&x->shape, &s->h, s->router, injected(x, s), ways);
    for (unsigned i = 0; i < count; i++)
        go(x, s, ways[i]);
    if (injected(x, s))
        return;
    struct net_df_way ring = x->relation->ring(&x->shape, &s->h, s->router);
    if (!ring.vcs) {
        strand(x, s);
        return;
    }
    wait_for(x, s, ring, x->relation->ring_needs((enum net_df_kind)ring.kind));
    go(x, s, ring);
}

static void follow(struct checker *x, const struct state *s)
{
    if (x->shape.routing == NET_OFAR) {
        follow_ofar(x, s);
        return;
    }
    struct net_df_way way = x->relation->minimal(&x->shape, &s->h, s->router);
    wait_for(x, s, way, 1);
    go(x, s, way);
    if (!net_df_may_choose(&x->shape, &s->h, s->router))
        return;
    for (uint32_t via = 0; via < x->shape.d.groups; via++)
        if (net_df_may_be_via(&x->shape, &s->h, via)) {
            struct state by = *s;
            by.h.via = (uint16_t)via;
            by.h.decided = true;
            way = x->relation->minimal(&x->shape, &by.h, s->router);
            wait_for(x, &by, way, 1);
            go(x, &by, way);
        }
}

static void enumerate(struct checker *x)
{
    const struct net_dragonfly *d = &x->shape.d;
    for (uint32_t to = 0; to < d->a; to++)
        for (uint32_t from = 0; from < d->routers; from++) {
            push(x, (struct state){.h = net_df_begin(&x->shape, from * d->p, to * d->p),
                                   .router = from,
                                   .port = (uint8_t)d->locals});
            while (x->depth && !x->failed && !x->stranded) {
                struct state s = x->stack[--x->depth];
                follow(x, &s);
            }
        }
}

// The ring must come by every destination: from router 0 through all the others and back.
static bool ring_is_whole(const struct checker *x)
{
    const struct net_df_header h = {.ring = true};
    uint32_t router = 0, steps = 0;
    unsigned back;
    do {
        struct net_df_way way = x->relation->ring(&x->shape, &h, router);
        router = net_dragonfly_peer(&x->shape.d, router, way.port, &back);
        steps++;
    } while (router && steps <= x->shape.d.routers);
    return steps == x->shape.d.routers;
}

// ---- The graph

static uint32_t vertex(const struct checker *x, uint32_t router, unsigned port, unsigned vc)
{
    return (router * x->ports + port) * x->vcs + vc;
}

// What is known of the hop from input VC `in` (port * vcs + vc) of a router to output port and VC
// number `i`.
static unsigned known(const struct checker *x, uint32_t router, unsigned in, unsigned i)
{
    unsigned per = x->ports * x->vcs;
    return x->needs[((size_t)(router % x->a) * (per + x->vcs) + in) * per + i];
}

// Vertex `to` that follows one over output port and VC number `i`; its slots, 0: none.
static unsigned edge(const struct checker *x, uint32_t from, unsigned i, uint32_t *to)
{
    uint32_t per = x->ports * x->vcs, router = from / per;
    unsigned slots = known(x, router, from % per, i) & ~(unsigned)GOES, back;
    if (slots) {
        uint32_t peer = net_dragonfly_peer(&x->shape.d, router, i / x->vcs, &back);
        *to = vertex(x, peer, back, i % x->vcs);
    }
    return slots;
}

// A cycle in path[0 .. length - 1]; 0: there is none.
static unsigned find_cycle(struct checker *x, uint32_t *next)
{
    unsigned per = x->ports * x->vcs;
    for (uint32_t start = 0; start < x->vertices; start++) {
        uint32_t depth = 0;
        if (x->colour[start])
            continue;
        x->path[depth++] = start;
        x->colour[start] = 1;
        next[start] = 0;
        while (depth) {
            uint32_t v = x->path[depth - 1], to = 0;
            while (next[v] < per && !edge(x, v, next[v], &to))
                next[v]++;
            if (next[v] == per) {
                x->colour[v] = 2;
                depth--;
                continue;
            }
            next[v]++;
            if (x->colour[to] == 1) {
                uint32_t begin = 0;
                while (x->path[begin] != to)
                    begin++;
                for (uint32_t i = begin; i < depth; i++)
                    x->path[i - begin] = x->path[i];
                return depth - begin;
            }
            if (!x->colour[to]) {
                x->colour[to] = 1;
                next[to] = 0;
                x->path[depth++] = to;
            }
        }
    }
    return 0;
}

static struct ofr_waiting waiting(const struct checker *x, uint32_t v, unsigned slots)
{
    unsigned out;
    uint32_t port = v / x->vcs % x->ports, router = v / x->vcs / x->ports;
    uint32_t before = net_dragonfly_before(&x->shape.d, router, port, &out);
    return (struct ofr_waiting){before, (uint8_t)out, (uint8_t)(v % x->vcs), (uint8_t)slots};
}

// Whether a cycle is a ring by itself, which is entered with two slots only; *one: it is one, but
// entered with one.
static bool is_ring(const struct checker *x, unsigned length, bool *one)
{
    bool *on = calloc(x->vertices, sizeof *on), alone = on != NULL;
    unsigned per = x->ports * x->vcs, back;
    *one = false;
    for (unsigned i = 0; on && i < length; i++)
        on[x->path[i]] = true;
    for (uint32_t router = 0; on && router < x->shape.d.routers; router++)
        for (unsigned in = 0; in < per + x->vcs; in++) { // the last ones: injection
            bool within = in < per && on[router * per + in];
            unsigned ahead = 0;
            for (unsigned i = 0; i < per; i++) {
                unsigned hop = known(x, router, in, i), slots = hop & ~(unsigned)GOES;
                if (!hop)
                    continue;
                uint32_t peer = net_dragonfly_peer(&x->shape.d, router, i / x->vcs, &back);
                bool enters = on[vertex(x, peer, back, i % x->vcs)];
                ahead += slots != 0;
                *one = *one || (enters && (hop & GOES || (slots == 1 && !within)));
            }
            alone = alone && !(within && ahead != 1);
        }
    free(on);
    *one = *one && alone;
    return alone && !*one;
}

static void judge(struct checker *x, struct ofr_deadlock *result)
{
    uint32_t *next = calloc(x->vertices, sizeof *next), to;
    x->path = calloc(x->vertices, sizeof *x->path);
    x->colour = calloc(x->vertices, sizeof *x->colour);
    if (!next || !x->path || !x->colour) {
        free(next);
        return;
    }
    for (uint32_t v = 0; v < x->vertices; v++) {
        unsigned ahead = 0;
        for (unsigned i = 0; i < x->ports * x->vcs; i++)
            ahead += edge(x, v, i, &to) != 0;
        result->queues += ahead != 0;
        result->dependencies += ahead;
    }
    unsigned length = find_cycle(x, next);
    result->verdict = OFR_ACYCLIC;
    if (length && is_ring(x, length, &result->ring)) {
        result->verdict = OFR_ESCAPABLE;
        result->rings = 1;
    } else if (length) {
        result->verdict = OFR_DEADLOCK;
        result->length = length;
        for (unsigned i = 0; i < length && i < OFR_CYCLE_SHOWN; i++)
            result->queue[i] = waiting(x, x->path[i], 1);
    }
    free(next);
}

struct ofr_deadlock net_df_deadlock(const struct net_config *config,
                                    const struct net_df_relation *relation)
{
    struct ofr_deadlock result = {.verdict = OFR_NO_CHECK};
    struct checker x = {.shape = net_df_shape(config), .relation = relation};
    const struct net_dragonfly *d = &x.shape.d;
    // Whether a packet has left the ring is what counts, and whether it may once more.
    x.shape.ring_exits = x.shape.ring_exits > 1 ? 1 : x.shape.ring_exits;
    x.a = d->a;
    x.ports = d->locals;
    for (unsigned port = 0; port < x.ports; port++)
        x.vcs = net_df_vcs(&x.shape, port) > x.vcs ? net_df_vcs(&x.shape, port) : x.vcs;
    x.vertices = d->routers * x.ports * x.vcs;
    size_t per = (size_t)x.ports * x.vcs;
    x.needs = per ? calloc(x.a * (per + x.vcs) * per, 1) : NULL;
    if (x.needs) {
        enumerate(&x);
        if (x.stranded || (x.shape.routing == NET_OFAR && !ring_is_whole(&x))) {
            result.verdict = OFR_NO_ESCAPE;
            result.queue[0] = waiting(&x, vertex(&x, x.where.router, x.where.port, x.where.vc), 1);
            result.length = 1;
        } else if (!x.failed) {
            judge(&x, &result);
        }
    }
    free(x.needs);
    free(x.seen);
    free(x.stack);
    free(x.path);
    free(x.colour);
    return result;
}
