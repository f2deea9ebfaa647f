// SPDX-License-Identifier: Apache-2.0
#include "route/deadlock.h"

#include <stdlib.h>

#include "route/rivals.h"

// A packet that has come to a node. Where it is matters in dimensions of size 2 only, whose two
// nodes have different ports: class has these coordinates, the others are 0.
struct state {
    uint64_t leg; // net_pack_leg(); 0: an unused place
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
    // outputs at the next node (the node itself), as struct ofr_waits has them.
    uint64_t (*follows)[2];
    struct state *state;
    size_t states, room; // room: a power of 2
    bool failed, no_escape;
    struct ofr_waiting stranded;
};

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
    uint64_t *follows = x->follows[before * (3 * x->ports + 1) + queue];
    bool escapes = false;
    for (unsigned i = 0; i < count; i++) {
        follows[out[i].need == NET_NEED_ENTERS] |= (uint64_t)1 << (3 * out[i].port + out[i].vc);
        escapes = escapes || out[i].vc != NET_ADAPTIVE;
    }
    if (!escapes) {
        x->no_escape = true;
        x->stranded = (struct ofr_waiting){
            before, (uint8_t)(generated ? OFR_AT_LOCAL : s.in.port ^ 1), s.in.vc, 1};
        return 0;
    }
    uint64_t arrivals = 0;
    for (unsigned i = 0; i < count; i++) {
        struct state next = {.leg = net_leg_hop(s.leg, out[i].port),
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
    struct state begin = {.leg = net_pack_leg(net_first_leg(&x->paths, from, to, way, 0)),
                          .class = x->class[ofr_node_id(&x->paths.torus, from)],
                          .in = {NET_GENERATOR, 0},
                          .to_idn = to_idn};
    uint64_t arrivals = follow(x, begin);
    for (; to_idn && arrivals; arrivals &= arrivals - 1) {
        unsigned by = (unsigned)__builtin_ctzll(arrivals);
        follow(x, (struct state){.leg = net_pack_leg(net_leg(&x->paths, &way->q, to, 0)),
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

// ---- The graph of queues

static const uint64_t *of_queue(const void *of, uint32_t queue)
{
    const struct checker *x = of;
    uint32_t node = queue / (3 * x->ports);
    return x->follows[x->class[node] * (3 * x->ports + 1) + queue % (3 * x->ports)];
}

static const uint64_t *of_generator(const void *of, uint32_t node)
{
    const struct checker *x = of;
    return x->follows[x->class[node] * (3 * x->ports + 1) + 3 * x->ports];
}

struct ofr_deadlock net_deadlock_check(const struct net_config *config, net_relation *relation)
{
    struct ofr_deadlock result = {.verdict = OFR_NO_CHECK};
    struct checker x = {.config = config,
                        .relation = relation,
                        .nodes = ofr_nodes(&config->torus),
                        .ports = 2u * config->torus.n};
    void *memory = malloc(ofr_waits_bytes(&config->torus));
    net_paths_init(&x.paths, config);
    if (x.paths.tie == NET_TIE_RANDOM) // one of both
        x.paths.tie = NET_TIE_BOTH;
    x.class = malloc(x.nodes * sizeof *x.class);
    x.follows = calloc((size_t)x.nodes * (3 * x.ports + 1), sizeof *x.follows);
    if (x.class && x.follows && memory) {
        for (uint32_t node = 0; node < x.nodes; node++) {
            struct ofr_coord at = ofr_node_coord(&config->torus, node);
            for (unsigned i = 0; i < config->torus.n; i++)
                at.c[i] = config->torus.k[i] == 2 ? at.c[i] : 0;
            x.class[node] = ofr_node_id(&config->torus, &at);
        }
        enumerate(&x);
        if (x.no_escape) {
            result.verdict = OFR_NO_ESCAPE;
            result.queue[0] = x.stranded;
            result.length = 1;
        } else if (!x.failed) {
            const struct ofr_waits waits = {&config->torus, of_queue, of_generator, &x};
            result = ofr_waits_judge(&waits, memory);
        }
    }
    free(x.class);
    free(x.follows);
    free(x.state);
    free(memory);
    return result;
}
