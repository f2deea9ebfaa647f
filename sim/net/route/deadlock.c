// SPDX-License-Identifier: Apache-2.0
#include "route/deadlock.h"

#include <stdlib.h>
#include <string.h>

#include "route/rivals.h"

enum { NEEDS = 3 };

// A packet that has come to a node. Where it is matters in dimensions of size 2 only, whose two
// nodes have different ports: class has these coordinates, the others are 0.
struct state {
    uint64_t leg; // mu in bits 0 .. 15, left[i] from bit 16 + 8 i on; 0: an unused place
    uint32_t class;
    struct net_in in;
    bool to_idn;
    uint64_t arrivals; // bits 3 port + vc: by what it may come to the leg's end
};

struct checker {
    const struct net_config *config;
    net_relation *relation;
    struct net_paths paths;
    uint32_t nodes, ports;
    uint32_t *class; // per node
    // Per class of node, port and VC of the queue before it (the generator behind all ports): the
    // outputs at the next node (the node itself), bits 3 port + vc, by need.
    uint64_t (*follows)[NEEDS];
    struct state *state;
    size_t states, room; // room: a power of 2
    bool failed, no_escape;
    struct net_waiting stranded;
};

static uint64_t pack(struct net_leg leg)
{
    uint64_t packed = leg.mu;
    for (unsigned i = 0; i < OFR_MAX_DIMS; i++)
        packed |= (uint64_t)leg.left[i] << (16 + 8 * i);
    return packed;
}

static uint64_t hop(uint64_t leg, unsigned port)
{
    unsigned left = 16 + 8 * (port / 2);
    leg &= ~((uint64_t)1 << (port ^ 1)); // at k/2 either way was minimal
    leg -= (uint64_t)1 << left;
    return leg & ~((uint64_t) !(leg >> left & 0xff) << port);
}

static uint32_t neighbour(const struct checker *x, uint32_t node, unsigned port)
{
    struct ofr_coord to =
        ofr_neighbour(&x->paths.torus, ofr_node_coord(&x->paths.torus, node), port);
    return ofr_node_id(&x->paths.torus, &to);
}

static size_t place_of(const struct state *table, size_t room, const struct state *s)
{
    uint64_t hash = s->leg * 0x9e3779b97f4a7c15U ^ s->class * 0xbf58476d1ce4e5b9U ^
                    (uint64_t)(s->in.port << 4 | s->in.vc << 1 | s->to_idn) * 0x94d049bb133111ebU;
    size_t at = (hash ^ hash >> 29) & (room - 1);
    while (table[at].leg && (table[at].leg != s->leg || table[at].class != s->class ||
                             table[at].in.port != s->in.port || table[at].in.vc != s->in.vc ||
                             table[at].to_idn != s->to_idn))
        at = (at + 1) & (room - 1);
    return at;
}

static bool grow(struct checker *x)
{
    size_t room = x->room ? 2 * x->room : 4096;
    struct state *table = calloc(room, sizeof *table);
    if (!table)
        return false;
    for (size_t i = 0; i < x->room; i++)
        if (x->state[i].leg)
            table[place_of(table, room, &x->state[i])] = x->state[i];
    free(x->state);
    x->state = table;
    x->room = room;
    return true;
}

// Notes what follows from a packet that has come to a node, up to the end of its leg. Returns by
// what it may come there.
static uint64_t follow(struct checker *x, struct state s)
{
    if (x->failed || x->no_escape)
        return 0;
    if (2 * (x->states + 1) > x->room && !grow(x)) {
        x->failed = true;
        return 0;
    }
    size_t at = place_of(x->state, x->room, &s);
    if (x->state[at].leg)
        return x->state[at].arrivals;
    x->state[at] = s;
    x->states++;
    struct net_candidate out[NET_MAX_CANDIDATES];
    struct net_head head = {(uint16_t)s.leg, s.to_idn};
    unsigned count = x->relation(x->config->routing, s.in, head, out);
    // The queue that it is in, of the node before this one.
    bool generated = s.in.port == NET_GENERATOR;
    uint32_t before = generated ? s.class : x->class[neighbour(x, s.class, s.in.port)];
    unsigned queue = generated ? 3 * x->ports : 3u * (s.in.port ^ 1u) + s.in.vc;
    uint64_t(*follows)[NEEDS] = &x->follows[before * (3 * x->ports + 1) + queue];
    bool escapes = false;
    for (unsigned i = 0; i < count; i++) {
        (*follows)[out[i].need] |= (uint64_t)1 << (3 * out[i].port + out[i].vc);
        escapes = escapes || out[i].vc != NET_ADAPTIVE;
    }
    if (!escapes) {
        x->no_escape = true;
        x->stranded = (struct net_waiting){
            before, (uint8_t)(generated ? NET_GENERATOR : s.in.port ^ 1), s.in.vc, NET_NEED_SLOT};
        return 0;
    }
    uint64_t arrivals = 0;
    for (unsigned i = 0; i < count; i++) {
        struct state next = {.leg = hop(s.leg, out[i].port),
                             .class = x->class[neighbour(x, s.class, out[i].port)],
                             .in = {out[i].port ^ 1, out[i].vc},
                             .to_idn = s.to_idn};
        if ((uint16_t)next.leg == 0)
            arrivals |= (uint64_t)1 << (3 * next.in.port + next.in.vc);
        else
            arrivals |= follow(x, next);
    }
    if (x->room)
        x->state[place_of(x->state, x->room, &s)].arrivals = arrivals; // it may have been moved
    return arrivals;
}

static void follow_way(struct checker *x, const struct ofr_coord *from, const struct ofr_coord *to,
                       const struct ofr_way *way)
{
    bool to_idn = way->kind == OFR_OIDN || way->kind == OFR_WIDN;
    struct state begin = {.leg = pack(net_first_leg(&x->paths, from, to, way, 0)),
                          .class = x->class[ofr_node_id(&x->paths.torus, from)],
                          .in = {NET_GENERATOR, 0},
                          .to_idn = to_idn};
    uint64_t arrivals = follow(x, begin);
    for (; to_idn && arrivals; arrivals &= arrivals - 1) {
        unsigned by = (unsigned)__builtin_ctzll(arrivals);
        follow(x, (struct state){.leg = pack(net_leg(&x->paths, &way->q, to, 0)),
                                 .class = x->class[ofr_node_id(&x->paths.torus, &way->q)],
                                 .in = {(uint8_t)(by / 3), (uint8_t)(by % 3)}});
    }
}

// All ways of all pairs. Where shifts of the torus change no way one source of each class is
// enough.
static void enumerate(struct checker *x)
{
    const struct ofr_torus *torus = &x->paths.torus;
    struct ofr_way ways[OFR_MAX_WAYS];
    for (uint32_t s = 0; s < x->nodes && !x->failed && !x->no_escape; s++) {
        if (x->config->preset == NET_PRESET_OFR && x->class[s] != s)
            continue;
        struct ofr_coord from = ofr_node_coord(torus, s);
        for (uint32_t t = 0; t < x->nodes; t++) {
            if (s == t)
                continue;
            struct ofr_coord to = ofr_node_coord(torus, t);
            unsigned count = net_ways(&x->paths, &from, &to, true, ways);
            if (ways[0].distance < 2) // there is no decision
                count = 1;
            for (unsigned w = 0; w < count; w++)
                follow_way(x, &from, &to, &ways[w]);
            // What rivals draw from.
            bool goal = x->config->routing == NET_GOAL, rival = net_is_rival(x->config->routing);
            uint32_t drawn = goal ? 1u << torus->n : x->nodes;
            for (uint32_t d = 0; rival && d < drawn; d++) {
                struct ofr_coord q = ofr_node_coord(torus, goal ? 0 : d);
                struct ofr_way way =
                    goal ? net_way_in(&to, d) : net_way_over(&x->paths, &from, &to, &q);
                follow_way(x, &from, &to, &way);
            }
        }
    }
}

// ---- The graph of escape queues, numbered node * 3 ports + 3 port + vc

static const uint64_t *after(const struct checker *x, uint32_t queue)
{
    uint32_t node = queue / (3 * x->ports);
    return x->follows[x->class[node] * (3 * x->ports + 1) + queue % (3 * x->ports)];
}

static uint64_t escapes(const struct checker *x)
{
    uint64_t mask = 0;
    for (unsigned port = 0; port < x->ports; port++)
        mask |= (uint64_t)6 << 3 * port;
    return mask;
}

// The node whose queues follow a queue.
static uint32_t next_node(const struct checker *x, uint32_t queue)
{
    return neighbour(x, queue / (3 * x->ports), queue % (3 * x->ports) / 3);
}

struct graph {
    uint32_t queues;
    uint32_t *number, *low; // Tarjan, SIAM J. Comput. 1, 1972; number 0: not seen
    uint32_t *part;         // per queue: its strong component, from 1; 0: not yet
    uint32_t *stack, *path, *size;
    uint64_t *rest; // per place of the path: what is left to look at
    uint32_t parts;
};

static bool components(const struct checker *x, struct graph *g)
{
    size_t n = g->queues = x->nodes * 3 * x->ports;
    g->number = calloc(n, sizeof *g->number);
    g->low = calloc(n, sizeof *g->low);
    g->part = calloc(n, sizeof *g->part);
    g->stack = calloc(n, sizeof *g->stack);
    g->path = calloc(n, sizeof *g->path);
    g->size = calloc(n + 1, sizeof *g->size);
    g->rest = calloc(n, sizeof *g->rest);
    if (!g->number || !g->low || !g->part || !g->stack || !g->path || !g->size || !g->rest)
        return false;
    uint32_t seen = 0, stacked = 0;
    uint64_t mask = escapes(x);
    for (uint32_t root = 0; root < n; root++) {
        if (g->number[root] || root % 3 == NET_ADAPTIVE)
            continue;
        uint32_t depth = 0;
        g->path[0] = root;
        for (bool down = true;;) {
            uint32_t queue = g->path[depth];
            if (down) {
                const uint64_t *follow = after(x, queue);
                g->number[queue] = g->low[queue] = ++seen;
                g->stack[stacked++] = queue;
                g->rest[depth] = (follow[0] | follow[1] | follow[2]) & mask;
                down = false;
            }
            if (g->rest[depth]) {
                unsigned bit = (unsigned)__builtin_ctzll(g->rest[depth]);
                uint32_t to = next_node(x, queue) * 3 * x->ports + bit;
                g->rest[depth] &= g->rest[depth] - 1;
                if (!g->number[to]) {
                    g->path[++depth] = to;
                    down = true;
                } else if (!g->part[to] && g->number[to] < g->low[queue]) {
                    g->low[queue] = g->number[to];
                }
                continue;
            }
            if (g->low[queue] == g->number[queue]) {
                uint32_t member;
                g->parts++;
                do {
                    member = g->stack[--stacked];
                    g->part[member] = g->parts;
                    g->size[g->parts]++;
                } while (member != queue);
            }
            if (!depth)
                break;
            uint32_t low = g->low[queue];
            queue = g->path[--depth];
            if (low < g->low[queue])
                g->low[queue] = low;
        }
    }
    return true;
}

// A cycle through the queue, within its component: breadth first.
static void find_cycle(const struct checker *x, struct graph *g, uint32_t start,
                       struct net_deadlock *result)
{
    uint64_t mask = escapes(x);
    uint32_t *from = g->low, head = 0, tail = 0, last = UINT32_MAX;
    memset(g->number, 0, g->queues * sizeof *g->number);
    g->stack[tail++] = start;
    while (head < tail && last == UINT32_MAX) {
        uint32_t queue = g->stack[head++];
        const uint64_t *follow = after(x, queue);
        for (uint64_t rest = (follow[0] | follow[1] | follow[2]) & mask; rest; rest &= rest - 1) {
            uint32_t to = next_node(x, queue) * 3 * x->ports + (unsigned)__builtin_ctzll(rest);
            if (to == start)
                last = queue;
            if (g->part[to] != g->part[start] || g->number[to] || to == start)
                continue;
            g->number[to] = 1;
            from[to] = queue;
            g->stack[tail++] = to;
        }
    }
    // Backwards from `last` to the start.
    uint32_t length = 1;
    for (uint32_t queue = last; queue != start; queue = from[queue])
        length++;
    result->length = length;
    uint32_t at = length, queue = last, to = start;
    while (at--) {
        const uint64_t *follow = after(x, queue);
        unsigned need = 0;
        while (!(follow[need] >> to % (3 * x->ports) & 1))
            need++;
        // The need is that of going into `to`, the one behind `queue`.
        uint32_t place = (at + 1) % length;
        if (place < NET_MAX_CYCLE)
            result->queue[place] =
                (struct net_waiting){to / (3 * x->ports), (uint8_t)(to % (3 * x->ports) / 3),
                                     (uint8_t)(to % 3), (enum net_need)need};
        to = queue;
        queue = queue == start ? start : from[queue];
    }
}

// Judges the components of more than one queue (a queue does not follow itself: links have two
// ends).
static void judge(const struct checker *x, struct graph *g, struct net_deadlock *result)
{
    uint64_t mask = escapes(x);
    uint32_t bad = UINT32_MAX;
    result->verdict = NET_ACYCLIC;
    for (uint32_t part = 1; part <= g->parts; part++)
        result->rings += g->size[part] > 1;
    if (result->rings)
        result->verdict = NET_ESCAPABLE;
    for (uint32_t queue = 0; queue < g->queues; queue++) {
        const uint64_t *follow = after(x, queue);
        uint32_t first = next_node(x, queue) * 3 * x->ports, inside = 0;
        bool escape = queue % 3 != NET_ADAPTIVE;
        result->queues += escape && (follow[0] | follow[1] | follow[2]) != 0;
        for (unsigned need = 0; need < NEEDS; need++)
            for (uint64_t rest = follow[need] & mask; rest; rest &= rest - 1) {
                uint32_t to = first + (unsigned)__builtin_ctzll(rest);
                bool within = escape && g->part[to] == g->part[queue];
                result->dependencies += escape;
                inside += within;
                if (g->size[g->part[to]] < 2 || bad != UINT32_MAX)
                    continue;
                if (within && (need != NET_NEED_GOES_ON || inside > 1)) {
                    bad = to;
                } else if (!within && need != NET_NEED_ENTERS) {
                    bad = to;
                    result->ring = true;
                    result->entered = (enum net_need)need;
                }
            }
    }
    // From the generators.
    for (uint32_t node = 0; node < x->nodes && bad == UINT32_MAX; node++) {
        const uint64_t *follow = x->follows[x->class[node] * (3 * x->ports + 1) + 3 * x->ports];
        for (unsigned need = 0; need < NEEDS; need++)
            for (uint64_t rest = follow[need] & mask; rest; rest &= rest - 1) {
                uint32_t to = node * 3 * x->ports + (unsigned)__builtin_ctzll(rest);
                if (g->size[g->part[to]] > 1 && need != NET_NEED_ENTERS && bad == UINT32_MAX) {
                    bad = to;
                    result->ring = true;
                    result->entered = (enum net_need)need;
                }
            }
    }
    if (bad == UINT32_MAX)
        return;
    result->verdict = NET_DEADLOCK;
    find_cycle(x, g, bad, result);
}

struct net_deadlock net_deadlock_check(const struct net_config *config, net_relation *relation)
{
    struct net_deadlock result = {.verdict = NET_NO_CHECK};
    struct checker x = {.config = config,
                        .relation = relation,
                        .nodes = ofr_nodes(&config->torus),
                        .ports = 2u * config->torus.n};
    struct graph g = {0};
    net_paths_init(&x.paths, config);
    if (x.paths.tie == NET_TIE_RANDOM) // one of both
        x.paths.tie = NET_TIE_BOTH;
    x.class = malloc(x.nodes * sizeof *x.class);
    x.follows = calloc((size_t)x.nodes * (3 * x.ports + 1), sizeof *x.follows);
    if (x.class && x.follows) {
        for (uint32_t node = 0; node < x.nodes; node++) {
            struct ofr_coord at = ofr_node_coord(&config->torus, node);
            for (unsigned i = 0; i < config->torus.n; i++)
                at.c[i] = config->torus.k[i] == 2 ? at.c[i] : 0;
            x.class[node] = ofr_node_id(&config->torus, &at);
        }
        enumerate(&x);
        if (x.no_escape) {
            result.verdict = NET_NO_ESCAPE;
            result.queue[0] = x.stranded;
            result.length = 1;
        } else if (!x.failed && components(&x, &g)) {
            judge(&x, &g, &result);
        }
    }
    free(x.class);
    free(x.follows);
    free(x.state);
    free(g.number);
    free(g.low);
    free(g.part);
    free(g.stack);
    free(g.path);
    free(g.size);
    free(g.rest);
    return result;
}
