// SPDX-License-Identifier: Apache-2.0
#include "flit/deadlock.h"

#include <stdlib.h>
#include <string.h>

// Channels: [node][port][vc]. Edges of a channel lead to channels of nodes near by: a sorted list.
struct edges {
    uint32_t *to;
    uint32_t count, room;
};

struct graph {
    struct net_flit_shape shape;
    net_flit_relation *relation;
    uint32_t nodes, ports, vcs;
    struct ofr_coord *coord;
    struct edges *edges; // [channel]
    bool *used;          // [channel]
    // Of one destination: who was looked at for which channel (round), and those still to be.
    uint32_t *seen, *stack;
    uint32_t round;
    bool out_of_memory;
};

static uint32_t channel(const struct graph *g, uint32_t node, struct net_flit_out out)
{
    return (node * g->ports + out.port) * g->vcs + out.vc;
}

static uint32_t neighbour(const struct graph *g, uint32_t node, unsigned port)
{
    struct ofr_coord next = ofr_neighbour(&g->shape.torus, g->coord[node], port);
    return ofr_node_id(&g->shape.torus, &next);
}

static void add(struct graph *g, uint32_t from, uint32_t to)
{
    struct edges *e = &g->edges[from];
    for (uint32_t i = 0; i < e->count; i++)
        if (e->to[i] == to)
            return;
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

// All restricted channels that a packet to `dst` may use next after `from`, which leads to `node`,
// over unrestricted ones.
static void follow(struct graph *g, uint32_t from, uint32_t node, const struct ofr_coord *dst)
{
    struct net_flit_out out[NET_FLIT_OUTS];
    uint32_t height = 0;
    g->round++;
    g->stack[height++] = node;
    g->seen[node] = g->round;
    while (height) {
        uint32_t at = g->stack[--height];
        unsigned count = g->relation(&g->shape, &g->coord[at], dst, out);
        for (unsigned i = 0; i < count; i++) {
            if (out[i].restricted) {
                add(g, from, channel(g, at, out[i]));
                continue;
            }
            uint32_t next = neighbour(g, at, out[i].port);
            if (g->seen[next] == g->round)
                continue;
            g->seen[next] = g->round;
            g->stack[height++] = next;
        }
    }
}

// False: a packet in `stuck` has no restricted channel.
static bool build(struct graph *g, struct ofr_waiting *stuck)
{
    struct net_flit_out out[NET_FLIT_OUTS];
    for (uint32_t dst = 0; dst < g->nodes; dst++)
        for (uint32_t node = 0; node < g->nodes; node++) {
            if (node == dst)
                continue;
            unsigned count = g->relation(&g->shape, &g->coord[node], &g->coord[dst], out);
            bool escape = false;
            for (unsigned i = 0; i < count; i++) {
                if (!out[i].restricted)
                    continue;
                escape = true;
                uint32_t from = channel(g, node, out[i]);
                g->used[from] = true;
                follow(g, from, neighbour(g, node, out[i].port), &g->coord[dst]);
            }
            *stuck = (struct ofr_waiting){.node = node, .port = OFR_AT_LOCAL};
            if (!escape)
                return false;
        }
    return true;
}

// A cycle by depth-first search: state 1: on the path, 2: done. Its channels go to `path` from
// *start to *end.
static bool find_cycle(const struct graph *g, uint32_t channels, uint8_t *state, uint32_t *path,
                       uint32_t *next, uint32_t *start, uint32_t *end)
{
    for (uint32_t root = 0; root < channels; root++) {
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

static void judge(const struct graph *g, uint32_t channels, struct ofr_deadlock *d)
{
    uint8_t *state = calloc(channels, sizeof *state);
    uint32_t *path = calloc(channels, sizeof *path), *next = calloc(channels, sizeof *next);
    uint32_t start = 0, end = 0;
    for (uint32_t i = 0; i < channels; i++) {
        d->queues += g->used[i];
        d->dependencies += g->edges[i].count;
    }
    d->verdict = OFR_NO_CHECK;
    if (state && path && next) {
        bool cycle = find_cycle(g, channels, state, path, next, &start, &end);
        d->verdict = cycle ? OFR_DEADLOCK : OFR_ACYCLIC;
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
    struct ofr_deadlock d = {.verdict = OFR_NO_CHECK};
    struct graph g = {.shape = net_flit_shape(c),
                      .relation = relation,
                      .nodes = ofr_nodes(&c->torus),
                      .ports = 2u * c->torus.n};
    g.vcs = g.shape.vcs;
    uint32_t channels = g.nodes * g.ports * g.vcs;
    g.coord = calloc(g.nodes, sizeof *g.coord);
    g.edges = calloc(channels, sizeof *g.edges);
    g.used = calloc(channels, sizeof *g.used);
    g.seen = calloc(g.nodes, sizeof *g.seen);
    g.stack = calloc(g.nodes, sizeof *g.stack);
    if (g.coord && g.edges && g.used && g.seen && g.stack) {
        for (uint32_t node = 0; node < g.nodes; node++)
            g.coord[node] = ofr_node_coord(&c->torus, node);
        if (!build(&g, &d.queue[0]))
            d.verdict = OFR_NO_ESCAPE;
        else if (!g.out_of_memory)
            judge(&g, channels, &d);
    }
    for (uint32_t i = 0; g.edges && i < channels; i++)
        free(g.edges[i].to);
    free(g.coord);
    free(g.edges);
    free(g.used);
    free(g.seen);
    free(g.stack);
    return d;
}
