// SPDX-License-Identifier: Apache-2.0
#include "flit/deadlock.h"

#include <stdlib.h>
#include <string.h>

#include "flit/exchange.h"

// Channels: [node][port][vc]. Edges of a channel lead to channels of nodes near by: a sorted list.
struct edges {
    uint32_t *to;
    uint32_t count, room;
};

struct graph {
    struct net_flit_shape shape;
    net_flit_relation *relation;
    uint32_t nodes, ports, vcs, channels;
    struct ofr_coord *coord;
    struct edges *edges; // [channel]
    bool *used;          // [channel]: waited for
    uint64_t *known;     // [channel][channel]: edges, a bit each; NULL: there are too many channels
    // Of one destination and node: who was looked at (round), those still to be, what is waited for
    // and by which channel each node was come to.
    uint32_t *seen, *stack, *via;
    struct edges found;
    uint32_t round;
    bool out_of_memory;
};

enum { MAX_KNOWN = 11585 }; // channels: 16 MiB

static uint32_t channel(const struct graph *g, uint32_t node, struct net_flit_out out)
{
    return (node * g->ports + out.port) * g->vcs + out.vc;
}

static uint32_t neighbour(const struct graph *g, uint32_t node, unsigned port)
{
    struct ofr_coord next = ofr_neighbour(&g->shape.torus, g->coord[node], port);
    return ofr_node_id(&g->shape.torus, &next);
}

static void append(struct graph *g, struct edges *e, uint32_t to)
{
    if (e->count == e->room) {
        uint32_t room = e->room ? 2 * e->room : 4;
        uint32_t *list = realloc(e->to, room * sizeof *list);
        if (!list) {
            g->out_of_memory = true;
            return;
        }
        e->to = list;
        e->room = room;
    }
    e->to[e->count++] = to;
}

static void add(struct graph *g, uint32_t from, uint32_t to)
{
    struct edges *e = &g->edges[from];
    if (g->known) {
        uint64_t bit = (uint64_t)from * g->channels + to;
        if (g->known[bit >> 6] >> (bit & 63) & 1)
            return;
        g->known[bit >> 6] |= (uint64_t)1 << (bit & 63);
    } else {
        for (uint32_t i = 0; i < e->count; i++)
            if (e->to[i] == to)
                return;
    }
    append(g, e, to);
}

// Triplex with packet switching: what a packet holds is one buffer.
static bool held_whole(const struct graph *g)
{
    return g->shape.routing == NET_TRIPLEX && !g->shape.wormhole;
}

// All channels that a message to `dst` whose header is in `node` may wait for there, or after it
// has gone on over channels that it does not wait for, into g->found. `until`: only until that
// channel is found; its node. UINT32_MAX: not found.
static uint32_t follow(struct graph *g, uint32_t node, const struct ofr_coord *dst, uint32_t until)
{
    struct net_flit_out out[NET_FLIT_OUTS];
    uint32_t height = 0, next_up = 0;
    g->round++;
    g->found.count = 0;
    g->stack[height++] = node;
    g->seen[node] = g->round;
    while (next_up < height) {
        uint32_t at = g->stack[next_up++];
        unsigned count = g->relation(&g->shape, &g->coord[at], dst, out);
        for (unsigned i = 0; i < count; i++) {
            if (out[i].waits) {
                append(g, &g->found, channel(g, at, out[i]));
                if (channel(g, at, out[i]) == until)
                    return at;
                continue;
            }
            uint32_t next = neighbour(g, at, out[i].port);
            if (held_whole(g) || g->seen[next] == g->round)
                continue;
            g->seen[next] = g->round;
            g->via[next] = channel(g, at, out[i]);
            g->stack[height++] = next;
        }
    }
    return UINT32_MAX;
}

// False: a packet in `stuck` has no channel to wait for.
static bool mark_used(struct graph *g, struct ofr_waiting *stuck)
{
    struct net_flit_out out[NET_FLIT_OUTS];
    for (uint32_t dst = 0; dst < g->nodes; dst++)
        for (uint32_t node = 0; node < g->nodes; node++) {
            if (node == dst)
                continue;
            unsigned count = g->relation(&g->shape, &g->coord[node], &g->coord[dst], out);
            bool escape = false;
            for (unsigned i = 0; i < count; i++)
                if (out[i].waits)
                    g->used[channel(g, node, out[i])] = escape = true;
            *stuck = (struct ofr_waiting){.node = node, .port = OFR_AT_LOCAL};
            if (!escape)
                return false;
        }
    return true;
}

static void build(struct graph *g)
{
    struct net_flit_out out[NET_FLIT_OUTS];
    for (uint32_t dst = 0; dst < g->nodes; dst++)
        for (uint32_t next = 0; next < g->nodes; next++) {
            follow(g, next, &g->coord[dst], UINT32_MAX);
            for (unsigned port = 0; port < g->ports; port++) {
                uint32_t from = neighbour(g, next, port ^ 1);
                if (!net_flit_link(&g->shape, &g->coord[from], port))
                    continue;
                unsigned count = g->relation(&g->shape, &g->coord[from], &g->coord[dst], out);
                for (unsigned i = 0; i < count; i++)
                    for (uint32_t f = 0; out[i].port == port && f < g->found.count; f++)
                        if (g->used[channel(g, from, out[i])])
                            add(g, channel(g, from, out[i]), g->found.to[f]);
            }
        }
}

// A message that holds `from`, waits for `to` and holds nothing that is held already: what it holds
// is marked. False: there is none.
static bool hold(struct graph *g, uint32_t from, uint32_t to, bool *held)
{
    struct net_flit_out out[NET_FLIT_OUTS];
    uint32_t node = from / g->vcs / g->ports;
    if (held[from])
        return false;
    for (uint32_t dst = 0; dst < g->nodes; dst++) {
        unsigned count = g->relation(&g->shape, &g->coord[node], &g->coord[dst], out);
        bool may = false;
        for (unsigned i = 0; i < count; i++)
            may |= channel(g, node, out[i]) == from;
        uint32_t start = neighbour(g, node, from / g->vcs % g->ports), at = UINT32_MAX;
        if (may)
            at = follow(g, start, &g->coord[dst], to);
        if (at == UINT32_MAX)
            continue;
        bool free = true;
        for (uint32_t back = at; back != start; back = g->via[back] / g->vcs / g->ports)
            free &= !held[g->via[back]] && g->via[back] != from;
        if (!free)
            continue;
        held[from] = true;
        for (uint32_t back = at; back != start; back = g->via[back] / g->vcs / g->ports)
            held[g->via[back]] = true;
        return true;
    }
    return false;
}

// Whether a cycle can be held by messages that share no channel (a true cycle).
static bool is_true(struct graph *g, const uint32_t *path, uint32_t start, uint32_t end)
{
    bool *held = calloc(g->channels, sizeof *held), good = held != NULL;
    for (uint32_t i = start; i < end && good; i++)
        good = hold(g, path[i], path[i + 1 < end ? i + 1 : start], held);
    free(held);
    return good;
}

// A cycle by depth-first search: state 1: on the path, 2: done. Its channels go to `path` from
// *start to *end.
static bool find_cycle(const struct graph *g, uint8_t *state, uint32_t *path, uint32_t *next,
                       uint32_t *start, uint32_t *end)
{
    for (uint32_t root = 0; root < g->channels; root++) {
        uint32_t depth = 0;
        if (state[root] || !g->used[root])
            continue;
        path[depth++] = root;
        state[root] = 1;
        while (depth) {
            uint32_t at = path[depth - 1];
            if (next[at] == g->edges[at].count) {
                state[at] = 2;
                depth--;
                continue;
            }
            uint32_t to = g->edges[at].to[next[at]++];
            if (state[to] == 1) {
                *end = depth;
                for (*start = depth - 1; path[*start] != to;)
                    --*start;
                return true;
            }
            if (!state[to]) {
                state[to] = 1;
                path[depth++] = to;
            }
        }
    }
    return false;
}

static void judge(struct graph *g, struct ofr_deadlock *d)
{
    uint32_t channels = g->channels;
    uint8_t *state = calloc(channels, sizeof *state);
    uint32_t *path = calloc(channels, sizeof *path), *next = calloc(channels, sizeof *next);
    uint32_t start = 0, end = 0;
    for (uint32_t i = 0; i < channels; i++) {
        d->queues += g->used[i];
        d->dependencies += g->edges[i].count;
    }
    d->verdict = OFR_NO_CHECK;
    if (state && path && next) {
        bool cycle = find_cycle(g, state, path, next, &start, &end),
             triplex = g->shape.routing == NET_TRIPLEX;
        d->verdict = !cycle                                     ? OFR_ACYCLIC
                     : !triplex || is_true(g, path, start, end) ? OFR_DEADLOCK
                                                                : OFR_UNKNOWN;
    }
    for (; start < end; start++, d->length++)
        if (d->length < OFR_CYCLE_SHOWN)
            d->queue[d->length] =
                (struct ofr_waiting){.node = path[start] / g->vcs / g->ports,
                                     .port = (uint8_t)(path[start] / g->vcs % g->ports),
                                     .vc = (uint8_t)(path[start] % g->vcs)};
    free(state);
    free(path);
    free(next);
}

struct ofr_deadlock net_flit_deadlock(const struct net_config *c, net_flit_relation *relation)
{
    if (c->routing == NET_CHAOS)
        return net_chaos_deadlock(c, relation, &net_chaos_rule);
    struct ofr_deadlock d = {.verdict = OFR_NO_CHECK};
    struct graph g = {.shape = net_flit_shape(c),
                      .relation = relation,
                      .nodes = ofr_nodes(&c->torus),
                      .ports = 2u * c->torus.n};
    g.vcs = g.shape.vcs;
    g.channels = g.nodes * g.ports * g.vcs;
    g.coord = calloc(g.nodes, sizeof *g.coord);
    g.edges = calloc(g.channels, sizeof *g.edges);
    g.used = calloc(g.channels, sizeof *g.used);
    g.seen = calloc(g.nodes, sizeof *g.seen);
    g.stack = calloc(g.nodes, sizeof *g.stack);
    g.via = calloc(g.nodes, sizeof *g.via);
    if (g.channels <= MAX_KNOWN) // else, or without memory, lists are searched
        g.known = calloc((size_t)g.channels * g.channels / 64 + 1, sizeof *g.known);
    if (g.coord && g.edges && g.used && g.seen && g.stack && g.via) {
        for (uint32_t node = 0; node < g.nodes; node++)
            g.coord[node] = ofr_node_coord(&c->torus, node);
        if (!mark_used(&g, &d.queue[0])) {
            d.verdict = OFR_NO_ESCAPE;
        } else {
            build(&g);
            if (!g.out_of_memory)
                judge(&g, &d);
        }
    }
    for (uint32_t i = 0; g.edges && i < g.channels; i++)
        free(g.edges[i].to);
    free(g.found.to);
    free(g.known);
    free(g.coord);
    free(g.edges);
    free(g.used);
    free(g.seen);
    free(g.stack);
    free(g.via);
    return d;
}
