// SPDX-License-Identifier: Apache-2.0
// The flit engine: hand-worked cases, and on random shapes what must hold in every cycle.
// Usage: test_flit [seed]
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "config/random.h"
#include "config/settings.h"
#include "exact.h"
#include "flit/check.h"
#include "flit/deadlock.h"
#include "flit/exchange.h"

static uint64_t seed;

static void set(struct net_config *c, const char *name, const char *value)
{
    char wrong[400];
    const char *what = net_setting_parse(net_setting_find(name), c, value, wrong, sizeof wrong);
    if (what)
        fail_msg("%s", what);
}

static struct net_config make(const char *topology, enum net_routing routing)
{
    struct net_config c = net_config_default(NET_PRESET_OFR, routing);
    set(&c, "engine", "flit");
    set(&c, "topology", topology);
    return c;
}

// ---- Loads

static void periods(void **state)
{
    (void)state;
    // The thesis, 3.3: one message of 20 words per 80 cycles on the torus, 160 on the mesh, l
    // cycles on hypercubes; twice the rate with full duplex.
    static const struct {
        const char *topology, *unit, *duplex;
        double period;
    } cases[] = {{"torus:16x16", "fulgham", "half", 80},   {"mesh:16x16", "fulgham", "half", 160},
                 {"torus:2x2x2x2", "fulgham", "half", 20}, {"mesh:2x2x2", "fulgham", "half", 20},
                 {"torus:16x16", "fulgham", "full", 40},   {"torus:16x8", "fulgham", "half", 80},
                 {"torus:16x16", "phits", "half", 20},     {"torus:16x16", "gamma0", "half", 40}};
    // Wormhole: two simplex channels of half the width, so 40 words per 80 cycles; with long ones
    // 800/11 words in the mean.
    struct net_config w = make("torus:16x16", NET_DALLY_SEITZ);
    set(&w, "duplex", "full");
    set(&w, "message-words", "40");
    assert_true(net_flit_period(&w) == 80);
    set(&w, "long-words", "400");
    assert_true(fabs(net_flit_period(&w) - 80 * 800 / 11.0 / 40) < 1e-6);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct net_config c = make(cases[i].topology, NET_DALLY_SEITZ);
        set(&c, "load-unit", cases[i].unit);
        set(&c, "duplex", cases[i].duplex);
        assert_true(net_flit_period(&c) == cases[i].period);
    }
}

// ---- One packet

struct log {
    uint32_t count, latency, cycle[1 << 16];
    uint64_t digest;
    uint32_t *last; // per pair of nodes: number of the message delivered last, plus 1
    uint32_t nodes;
    const struct net_flit_shape *shape;
    bool ordered;
};

// Summed up: of one cycle's packets in any order.
static uint64_t digest_of(const struct net_flit_packet *p, uint32_t cycle)
{
    return net_random(cycle, DRAW_ORDER, (uint64_t)p->src << 32 | p->dst,
                      (uint64_t)p->message << 32 | p->hops);
}

static void note(void *context, const struct net_flit_packet *p, uint32_t cycle)
{
    struct log *log = context;
    log->latency = cycle - p->entered;
    if (log->count < 1 << 16)
        log->cycle[log->count] = cycle;
    log->count++;
    log->digest += digest_of(p, cycle);
    if (!log->last)
        return;
    uint32_t *last = &log->last[p->src * log->nodes + p->dst];
    bool ordered = log->ordered || p->class == NET_OBLIVIOUS;
    if (ordered && p->message + 1 <= *last)
        fail_msg("message %u from %u to %u after %u", p->message, p->src, p->dst, *last - 1);
    *last = ordered ? p->message + 1 : *last;
    struct ofr_coord s = ofr_node_coord(&log->shape->torus, p->src);
    struct ofr_coord t = ofr_node_coord(&log->shape->torus, p->dst);
    unsigned hops = 0;
    for (unsigned i = 0; i < log->shape->torus.n; i++)
        hops += log->shape->mesh ? (unsigned)abs(s.c[i] - t.c[i])
                                 : ofr_dim_distance(&log->shape->torus, i, s.c[i], t.c[i]);
    if (p->class == NET_NON_MINIMAL ? p->hops < hops : p->hops != hops)
        fail_msg("seed %llu, class %u from %u to %u: %u hops, not %u", (unsigned long long)seed,
                 p->class, p->src, p->dst, p->hops, hops);
}

static struct net_sim *quiet(struct net_config *c, struct log *log)
{
    c->load = 0;
    struct net_sim *sim = net_flit_open(c);
    assert_non_null(sim);
    memset(log, 0, sizeof *log);
    sim->on_delivery = note;
    sim->context = log;
    return sim;
}

static void cycle(struct net_sim *sim)
{
    net_flit_cycle(sim);
    const char *wrong = net_flit_check(sim);
    if (wrong)
        fail_msg("seed %llu, cycle %u: %s", (unsigned long long)seed, sim->now - 1, wrong);
}

// A random shape of at most 200 nodes and a router; what is chosen goes to `text`.
static struct net_config draw(uint64_t *random, char *text, size_t size)
{
    static const enum net_routing routings[] = {NET_DALLY_SEITZ, NET_DUATO, NET_TRIPLEX,
                                                NET_CHAOS,       NET_DOR,   NET_RDR,
                                                NET_ABR,         NET_POR,   NET_OFR};
    enum net_routing routing = routings[exact_random(random) % 9];
    bool bubble = net_routing_by_bubble(routing);
    unsigned n = 1 + (unsigned)(exact_random(random) % 3), nodes = 1;
    size_t at =
        (size_t)snprintf(text, size, "%s:", exact_random(random) & 1 || bubble ? "torus" : "mesh");
    for (unsigned i = 0; i < n; i++) {
        unsigned k = 1 + (unsigned)(exact_random(random) % (n == 1 ? 12 : n == 2 ? 7 : 5));
        nodes *= k;
        at += (size_t)snprintf(text + at, size - at, i ? "x%u" : "%u", k);
    }
    struct net_config c = make(text, routing);
    c.flit.switching = (enum net_switching)(exact_random(random) % 3);
    if ((c.routing == NET_CHAOS || bubble) && c.flit.switching == NET_WORMHOLE)
        c.flit.switching = NET_CUT_THROUGH;
    c.flit.buffer_packets = exact_random(random) & 1 ? 1 : 2 + (uint32_t)(exact_random(random) % 4);
    uint32_t slots = net_flit_slots(&c);
    c.throttle = (uint32_t)(exact_random(random) % slots);
    c.escape_throttle = (uint32_t)(exact_random(random) % (slots + (routing != NET_DOR)));
    c.once = exact_random(random) & 1;
    c.count_all = exact_random(random) & 1;
    if (bubble && exact_random(random) % 4 == 0)
        c.preset = NET_PRESET_LITERAL;
    c.flit.multiqueue = 2 + (uint32_t)(exact_random(random) % 5);
    c.flit.queue_drawn = exact_random(random) % 4 == 0;
    c.flit.queue_after = (uint32_t)(exact_random(random) % 10);
    c.flit.buffer_words = 1 + (uint32_t)(exact_random(random) % 3);
    c.flit.lagging = exact_random(random) % 4 == 0;
    c.flit.class = (enum net_triplex_class)(exact_random(random) % 3);
    c.flit.in_order = (double)(exact_random(random) % 3) / 2;
    c.flit.rule4 = (enum net_rule4)(exact_random(random) % 3);
    c.flit.deroute_after = (uint32_t)(exact_random(random) % 20);
    c.flit.deroute_probability = 0.1;
    c.flit.deroute_injected = exact_random(random) & 1;
    c.flit.message_words = 1 + (uint32_t)(exact_random(random) % 9);
    c.flit.node_latency = 1 + (uint32_t)(exact_random(random) % 5);
    c.flit.lanes = 1 + (uint32_t)(exact_random(random) % 2);
    c.flit.unrestricted_vcs = 1 + (uint32_t)(exact_random(random) % 3);
    c.flit.full = exact_random(random) & 1;
    c.flit.output_driven = exact_random(random) & 1 &&
                           (c.routing != NET_TRIPLEX || c.flit.class != NET_NON_MINIMAL) && !bubble;
    c.flit.random = exact_random(random) & 1;
    c.flit.adaptive_first = exact_random(random) & 1;
    c.flit.escape = (enum net_flit_escape)(exact_random(random) % 3);
    c.flit.with_head = exact_random(random) & 1;
    const enum net_tie ties[] = {NET_TIE_PLUS, NET_TIE_BOTH, NET_TIE_ALTERNATE};
    c.tie = ties[exact_random(random) % (bubble ? 2 : 3)];
    c.seed = exact_random(random) >> 1;
    bool short_links = routing == NET_CHAOS || exact_random(random) & 1;
    for (unsigned i = 0; i < n; i++)
        c.flit.link_latency[i] =
            short_links ? 1 : 1 + (uint32_t)(exact_random(random) % 3) * (i + 2);
    c.flit.link_latencies = n;
    for (unsigned i = 0; i < n; i++)
        c.flit.lagging = c.flit.lagging || c.flit.link_latency[i] > 1;
    snprintf(text + at, size - at,
             " routing %d class %d switching %d words %u buffer %u packets %u links %u %u %u%s",
             c.routing, c.flit.class, c.flit.switching, c.flit.message_words, c.flit.buffer_words,
             c.flit.buffer_packets, c.flit.link_latency[0], c.flit.link_latency[1],
             c.flit.link_latency[2], c.flit.lagging ? " lagging" : "");
    return c;
}

static void zero_load(void **state)
{
    (void)state;
    static struct log log;
    uint64_t random = seed;
    for (int round = 0; round < 300; round++) {
        char text[200];
        struct net_config c = draw(&random, text, sizeof text);
        // In buffers of one word that are filled a cycle after they are empty a word takes two, on
        // a longer link the whole way there and back.
        c.flit.buffer_words += c.flit.lagging ? 30 : 0;
        struct net_sim *sim = quiet(&c, &log);
        uint32_t src = (uint32_t)(exact_random(&random) % sim->nodes);
        uint32_t dst = (uint32_t)(exact_random(&random) % sim->nodes), hops = 0;
        uint32_t more = 0; // cycles on links, beyond one a hop
        for (unsigned i = 0; i < c.torus.n; i++) {
            int k = c.torus.k[i], way = abs(sim->coord[src].c[i] - sim->coord[dst].c[i]);
            uint32_t its = (uint32_t)(!c.mesh && k > 2 && k - way < way ? k - way : way);
            hops += its;
            more += its * (c.flit.link_latency[i] - 1);
        }
        uint32_t words = c.flit.message_words, latency = c.flit.node_latency;
        uint32_t expected = c.flit.switching == NET_STORE_AND_FORWARD
                                ? hops * (latency + words) + latency + words - 1
                                : (hops + 1) * latency + hops + words - 1;
        expected += more;
        net_flit_put(sim, src, dst);
        for (uint32_t i = 0; i <= expected; i++)
            cycle(sim);
        if (log.count != 1 || log.latency != expected)
            fail_msg("seed %llu, round %d, %s: %u to %u, %u hops: latency %u, not %u",
                     (unsigned long long)seed, round, text, src, dst, hops, log.latency, expected);
        assert_int_equal(sim->flit_hops, hops * words);
        net_flit_free(sim);
    }
}

// Hypercubes of many dimensions: from corner to corner a hop in each, by any router.
static void hypercubes(void **state)
{
    (void)state;
    static struct log log;
    uint64_t random = seed + 3;
    static const char cube[] = "torus:2x2x2x2x2x2x2x2x2x2x2x2";
    for (unsigned n = 7; n <= OFR_MAX_DIMS; n++)
        for (int r = NET_DALLY_SEITZ; r <= NET_CHAOS; r++) {
            char name[sizeof cube];
            snprintf(name, sizeof name, "%.*s", (int)(5 + 2 * n), cube);
            struct net_config c = make(name, (enum net_routing)r);
            c.flit.lanes = 1;
            char wrong[400];
            if (net_config_check(&c, wrong, sizeof wrong))
                fail_msg("%s: %s", name, wrong);
            struct net_sim *sim = quiet(&c, &log);
            assert_int_equal(sim->nodes, 1u << n);
            uint32_t corner = (uint32_t)(exact_random(&random) % sim->nodes);
            net_flit_put(sim, corner, corner ^ (sim->nodes - 1));
            uint32_t expected = (n + 1) * c.flit.node_latency + n + c.flit.message_words - 1;
            for (uint32_t i = 0; i <= expected; i++)
                cycle(sim);
            if (log.count != 1 || log.latency != expected || sim->hops != n)
                fail_msg("%s, routing %d: latency %u, not %u", name, r, log.latency, expected);
            net_flit_free(sim);
        }
}

static const struct net_flit_buffer *in_buffer(const struct net_sim *sim, uint32_t node,
                                               unsigned port, unsigned vc)
{
    return &sim->input[node * sim->places + port * sim->vcs + vc].b;
}

static const struct net_flit_buffer *out_buffer(const struct net_sim *sim, uint32_t node,
                                                unsigned port, unsigned vc)
{
    return &sim->output[node * sim->places + port * sim->vcs + vc].b;
}

// Two words from node 7 to node 1 of a ring of 8, latency 3, by hand: over the wrap in class 0,
// then in class 1.
static void one_path(void **state)
{
    (void)state;
    static struct log log;
    struct net_config c = make("torus:8", NET_DALLY_SEITZ);
    c.flit.message_words = 2;
    c.flit.lanes = 1;
    struct net_sim *sim = quiet(&c, &log);
    net_flit_put(sim, 7, 1);
    for (int i = 0; i < 4; i++) // cycles 0 .. 3: the head goes to the output buffer in 3
        cycle(sim);
    assert_int_equal(out_buffer(sim, 7, 0, 0)->in[0], 1);
    cycle(sim); // 4: it goes over the wrap, the tail comes after it
    assert_int_equal(in_buffer(sim, 0, 1, 0)->in[0], 1);
    assert_int_equal(out_buffer(sim, 7, 0, 0)->in[0], 2);
    assert_int_equal(out_buffer(sim, 7, 0, 0)->out, 1);
    cycle(sim); // 5
    assert_int_equal(in_buffer(sim, 0, 1, 0)->in[0], 2);
    assert_int_equal(out_buffer(sim, 7, 0, 0)->packet[0], NET_FLIT_NO_PACKET);
    cycle(sim);
    assert_int_equal(in_buffer(sim, 0, 1, 0)->out, 0);
    cycle(sim); // 7
    assert_int_equal(out_buffer(sim, 0, 0, 1)->in[0], 1);
    cycle(sim); // 8
    assert_int_equal(in_buffer(sim, 1, 1, 1)->in[0], 1);
    for (int i = 9; i < 12; i++)
        cycle(sim);
    assert_int_equal(in_buffer(sim, 1, 1, 1)->out, 1); // 11: delivered from here
    assert_int_equal(log.count, 0);
    cycle(sim);
    assert_int_equal(log.cycle[0], 12);
    net_flit_free(sim);
}

// Two nodes send each other 4 words: with half duplex one packet waits until the other is over,
// with full duplex none does. On a longer link until its tail is at the other end.
static void duplex(void **state)
{
    (void)state;
    static struct log log;
    struct net_config c = make("mesh:2", NET_DALLY_SEITZ);
    c.flit.message_words = 4;
    for (int full = 0; full < 2; full++)
        for (uint32_t link = 1; link < 6; link += 4) {
            c.flit.full = full;
            c.flit.link_latency[0] = link;
            struct net_sim *sim = quiet(&c, &log);
            net_flit_put(sim, 0, 1);
            net_flit_put(sim, 1, 0);
            for (uint32_t i = 0; i < 15 + 2 * link; i++)
                cycle(sim);
            assert_int_equal(log.count, 2);
            assert_int_equal(log.cycle[0], 9 + link);
            assert_int_equal(log.cycle[1], 9 + link + (full ? 0 : 3 + link));
            net_flit_free(sim);
        }
}

// Cycles of 20 packets over the link to the last of three nodes, which the other two keep busy. The
// next header goes when the tail before it has gone, and when it is known that a header has left
// the buffer there, if that is full: two links and the node's latency after it went.
static uint32_t link_cycles(uint32_t words, uint32_t link, unsigned switching, uint32_t packets,
                            bool with_head)
{
    static struct log log;
    struct net_config c = make("mesh:3", NET_DALLY_SEITZ);
    c.flit.message_words = words;
    c.flit.lanes = 1;
    c.flit.full = true;
    c.flit.switching = (enum net_switching)switching;
    c.flit.lagging = true;
    c.flit.buffer_words = words;
    c.flit.buffer_packets = packets;
    c.flit.with_head = with_head;
    c.flit.link_latency[0] = link;
    struct net_sim *sim = quiet(&c, &log);
    while (log.count < 60) {
        for (uint32_t node = 0; node < 2; node++)
            if (sim->input[(node + 1) * sim->places - 1].b.packet[0] == NET_FLIT_NO_PACKET)
                net_flit_put(sim, node, 2);
        cycle(sim);
    }
    net_flit_free(sim);
    return log.cycle[59] - log.cycle[39];
}

static void link_rate(void **state)
{
    (void)state;
    for (uint32_t link = 1; link < 40; link += link < 12 ? 1 : 9) {
        uint32_t there_and_back = 2 * link + 2; // latency 3
        uint32_t period = there_and_back > 20 ? there_and_back : 20;
        for (unsigned switching = NET_CUT_THROUGH; switching <= NET_WORMHOLE; switching++)
            if (switching != NET_STORE_AND_FORWARD)
                assert_int_equal(link_cycles(20, link, switching, 1, true), 20 * period);
        // After the tail: a cycle more, in which nothing goes.
        uint32_t apart = there_and_back > 21 ? there_and_back : 21;
        assert_int_equal(link_cycles(20, link, NET_CUT_THROUGH, 1, false), 20 * apart);
        assert_int_equal(link_cycles(20, link, NET_WORMHOLE, 1, false), 20 * period);
    }
    // With room for several packets so many are on their way there and back.
    for (uint32_t packets = 2; packets <= 10; packets += packets < 5 ? 3 : 5)
        for (uint32_t link = 1; link < 120; link += 13) {
            uint32_t there_and_back = (2 * link + 2) * (20 / packets);
            uint32_t cycles = there_and_back > 160 ? there_and_back : 160;
            assert_int_equal(link_cycles(8, link, NET_CUT_THROUGH, packets, true), cycles);
            // Of several virtual places one is free as a tail leaves.
            assert_int_equal(link_cycles(8, link, NET_CUT_THROUGH, packets, false), cycles);
        }
}

// Packets that stand in an input buffer with room for three, in order, one of them leaving: a
// fourth header comes in as the first one's goes.
static void depth(void **state)
{
    (void)state;
    static struct log log;
    struct net_config c = make("mesh:3", NET_DALLY_SEITZ);
    c.flit.message_words = 4;
    c.flit.lanes = 1;
    c.flit.node_latency = 1;
    c.flit.full = true;
    c.flit.buffer_packets = 3;
    struct net_sim *sim = quiet(&c, &log);
    // The output of node 1 to node 2 is made to take nothing.
    struct net_flit_buffer *out = &sim->output[1 * sim->places + 0].b;
    const struct net_flit_buffer free = *out;
    out->packet[0] = 0;
    out->length[0] = 1;
    for (uint32_t i = 0; i < 60; i++) {
        if (sim->input[0 * sim->places + sim->places - 1].b.packet[0] == NET_FLIT_NO_PACKET)
            net_flit_put(sim, 0, 2);
        net_flit_cycle(sim);
    }
    const struct net_flit_buffer *in = in_buffer(sim, 1, 1, 0);
    assert_int_equal(net_flit_packets(in), 3);
    assert_int_equal(in->words, 12);
    assert_int_equal(net_flit_packets(out_buffer(sim, 0, 0, 0)), 3);
    *out = free;
    net_flit_cycle(sim); // the first is connected, and its header goes on
    assert_int_equal(in->out, 1);
    assert_int_equal(net_flit_packets(in), 3);
    net_flit_cycle(sim);
    assert_int_equal(net_flit_packets(in), 4);
    assert_int_equal(in->words, 12 - 2 + 1);
    for (uint32_t i = 0; i < 60; i++)
        cycle(sim);
    assert_true(log.count >= 7);
    for (uint32_t i = 1; i < log.count; i++) // no gap between them
        assert_int_equal(log.cycle[i], log.cycle[i - 1] + 4);
    net_flit_free(sim);
}

// A second packet follows the first in Dally and Seitz's buffers at once, where they are reused
// with the head; else, and in Duato's, it finds the output buffer empty a cycle after the tail
// left.
static void bubble(void **state)
{
    (void)state;
    static struct log log;
    for (int which = 0; which < 3; which++) {
        bool duato = which == 2;
        struct net_config c = make("mesh:3", duato ? NET_DUATO : NET_DALLY_SEITZ);
        c.flit.with_head = which == 0;
        c.flit.message_words = 8;
        c.flit.lanes = 1;
        c.flit.node_latency = 1;
        // One virtual channel, to see the bubble: the other is taken away.
        struct net_sim *sim = quiet(&c, &log);
        if (duato)
            sim->output[1 * sim->places + 0 * sim->vcs + 1].b.packet[0] = 0;
        net_flit_put(sim, 0, 2);
        net_flit_put(sim, 1, 2);
        for (int i = 0; i < 60; i++)
            net_flit_cycle(sim);
        assert_int_equal(log.count, 2);
        // Of node 1: head in the output buffer in 1, over in 2 .. 9, delivered in 3 .. 10. Of node
        // 0: head at node 1 in 2, taken when the first has begun to leave, so in 3, and over right
        // behind its tail in 10 .. 17; else taken in 10, over in 11 .. 18.
        assert_int_equal(log.cycle[0], 10);
        assert_int_equal(log.cycle[1], which ? 19 : 18);
        net_flit_free(sim);
    }
}

// ---- Many packets

// Links between parts of it are cut, if its routing allows it.
static void let_cut(struct net_config *c)
{
    c->flit.full = true;
    if (c->flit.switching == NET_WORMHOLE)
        c->flit.switching = NET_CUT_THROUGH;
    for (unsigned i = 0; i < c->flit.link_latencies; i++)
        c->flit.link_latency[i] = 1;
}

static void conservation(void **state)
{
    (void)state;
    static struct log log, again;
    uint64_t random = seed + 1;
    static const char *const patterns[] = {"uniform", "tornado", "complement", "neighbour",
                                           "permutation"};
    uint64_t chaos_derouted = 0, by_idn = 0, cuts = 0;
    for (int round = 0; round < 120; round++) {
        char text[200];
        struct net_config c = draw(&random, text, sizeof text);
        if (round % 3 == 0)
            let_cut(&c);
        set(&c, "traffic", patterns[exact_random(&random) % 5]);
        set(&c, "load-unit", "phits");
        c.load = 0.05 + (double)(exact_random(&random) % 100) / 110;
        c.flit.self = exact_random(&random) & 1;
        c.flit.long_words = exact_random(&random) & 1 ? 25 : 0;
        c.flit.warm = 50;
        c.flit.batches = 4;
        c.flit.batch = 100;
        for (int twice = 0; twice < 2; twice++) {
            struct log *l = twice ? &again : &log;
            // The second time in parts.
            c.threads = twice ? 1 + (uint32_t)(exact_random(&random) % 4) : 1;
            struct net_sim *sim = net_flit_open(&c);
            assert_non_null(sim);
            memset(l, 0, sizeof *l);
            l->nodes = sim->nodes;
            l->shape = &sim->shape;
            l->ordered = c.routing == NET_DALLY_SEITZ && c.flit.lanes == 1;
            l->last = calloc((size_t)sim->nodes * sim->nodes, sizeof *l->last);
            sim->on_delivery = note;
            sim->context = l;
            assert_true(net_flit_watch(sim));
            uint32_t before = 0;
            while (sim->now < sim->end || net_flit_skip(sim) != UINT32_MAX) { // then it drains
                before = sim->now;
                cycle(sim);
                if (before > net_flit_sum(sim).progress + 5000)
                    fail_msg("seed %llu, round %d, %s: stuck", (unsigned long long)seed, round,
                             text);
            }
            struct net_flit_counts sum = net_flit_sum(sim);
            cuts += sim->cuts != 0;
            assert_int_equal(sum.created, sum.delivered);
            assert_int_equal(sum.created, l->count);
            chaos_derouted += c.routing == NET_CHAOS ? sum.derouted : 0;
            by_idn += net_routing_by_bubble(c.routing) ? sum.derouted : 0;
            if (!c.oidn && !c.widn && net_routing_by_bubble(c.routing))
                assert_int_equal(sum.derouted, 0);
            free(l->last);
            net_flit_free(sim);
        }
        if (log.digest != again.digest || log.count != again.count)
            fail_msg("seed %llu, round %d, %s: not the same in %u parts", (unsigned long long)seed,
                     round, text, c.threads);
    }
    if (!chaos_derouted || !by_idn)
        fail_msg("seed %llu: no packet was derouted", (unsigned long long)seed);
    if (!cuts)
        fail_msg("seed %llu: no link was cut", (unsigned long long)seed);
    print_message("# %llu rounds with links that are cut\n", (unsigned long long)cuts);
}

// ---- Threads

static void add_up(void *context, const struct net_flit_packet *p, uint32_t cycle)
{
    atomic_fetch_add((atomic_ullong *)context, digest_of(p, cycle));
}

// All packets of a run come in the same cycles, by the same number of hops, on any number of
// threads; what is counted is the same.
static void threads(void **state)
{
    (void)state;
    uint64_t random = seed + 2;
    for (int round = 0; round < 16; round++) {
        char text[200];
        struct net_config c = draw(&random, text, sizeof text);
        set(&c, "load-unit", "phits");
        c.load = round % 4 ? 0.05 + (double)(exact_random(&random) % 100) / 110 : 0.001;
        c.flit.warm = 20;
        c.flit.batches = 2;
        c.flit.batch = 100;
        struct net_flit_counts first = {0};
        struct net_flit_batch batches[2];
        unsigned long long digest = 0;
        for (c.threads = 1; c.threads <= 3; c.threads++) {
            struct net_sim *sim = net_flit_open(&c);
            assert_non_null(sim);
            atomic_ullong all;
            atomic_init(&all, 0);
            sim->on_delivery = add_up;
            sim->context = &all;
            // In two turns, as the driver does it.
            net_flit_advance(sim, 90);
            net_flit_advance(sim, sim->end);
            struct net_flit_counts sum = net_flit_sum(sim);
            net_flit_add_batches(sim);
            if (c.threads == 1) {
                first = sum;
                digest = all;
                memcpy(batches, sim->batch, sizeof batches);
            }
            if (all != digest || memcmp(batches, sim->batch, sizeof batches) ||
                sum.created != first.created || sum.delivered != first.delivered ||
                sum.injected != first.injected || sum.hops != first.hops ||
                sum.flit_hops != first.flit_hops || sum.latency_max != first.latency_max ||
                sum.derouted != first.derouted || sum.in_flight != first.in_flight ||
                sum.progress != first.progress)
                fail_msg("seed %llu, round %d, %s: not the same on %u threads",
                         (unsigned long long)seed, round, text, c.threads);
            net_flit_free(sim);
        }
    }
}

// ---- Deadlock

// At distance k/2 + in dimension 0, - in dimension 1: so a message of Transpose crosses the
// diagonal.
static void ties(void **state)
{
    (void)state;
    const enum net_routing routings[] = {NET_DALLY_SEITZ, NET_DUATO, NET_TRIPLEX, NET_CHAOS};
    for (size_t r = 0; r < sizeof routings / sizeof *routings; r++)
        for (unsigned x = 0; x < 8; x++) {
            struct net_config c = make("torus:8x8", routings[r]);
            assert_int_equal(c.tie, NET_TIE_ALTERNATE);
            struct net_flit_shape shape = net_flit_shape(&c);
            const struct ofr_coord at = {.c = {(uint8_t)x, (uint8_t)((x + 4) % 8)}},
                                   to = {.c = {at.c[1], at.c[0]}},
                                   below = {.c = {to.c[0], at.c[1]}};
            struct net_flit_out out[NET_FLIT_OUTS];
            unsigned count = net_flit_outs(&shape, &at, &to, out);
            for (unsigned i = 0; i < count && !out[i].deroute; i++)
                assert_true(out[i].port == 0 || out[i].port == 3);
            count = net_flit_outs(&shape, &below, &to, out);
            assert_true(count && out[0].port == 3);
            c.tie = NET_TIE_PLUS;
            shape = net_flit_shape(&c);
            count = net_flit_outs(&shape, &below, &to, out);
            assert_true(count && out[0].port == 2);
        }
}

static void what_ships(void **state)
{
    (void)state;
    static const char *const shapes[] = {
        "torus:4x4", "torus:5x3", "torus:8",    "torus:3x4x5",   "torus:2x6x4",
        "mesh:4x5",  "mesh:7",    "mesh:3x3x3", "torus:2x2x2x2", "torus:2x2x2x2x2x2x2"};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int r = NET_DALLY_SEITZ; r <= NET_TRIPLEX; r++)
            for (int tie = NET_TIE_PLUS; tie <= NET_TIE_ALTERNATE; tie++)
                for (int rule4 = NET_RULE4_FULL; rule4 <= NET_RULE4_NONE; rule4++)
                    for (int wormhole = 0; wormhole < 2; wormhole++) {
                        if (tie == NET_TIE_RANDOM) // the packet engine's
                            continue;
                        struct net_config c = make(shapes[i], (enum net_routing)r);
                        c.tie = (enum net_tie)tie;
                        c.flit.rule4 = (enum net_rule4)rule4;
                        c.flit.switching = wormhole ? NET_WORMHOLE : NET_CUT_THROUGH;
                        c.flit.unrestricted_vcs = tie == NET_TIE_PLUS ? 1 : 2;
                        struct ofr_deadlock d = net_flit_deadlock(&c, net_flit_outs);
                        if (d.verdict != OFR_ACYCLIC || !d.queues)
                            fail_msg("%s, routing %d: verdict %d", shapes[i], r, d.verdict);
                    }
}

// Without classes: a ring waits for itself.
static unsigned one_class(const struct net_flit_shape *s, const struct ofr_coord *at,
                          const struct ofr_coord *to, struct net_flit_out out[NET_FLIT_OUTS])
{
    unsigned count = net_flit_outs(s, at, to, out);
    for (unsigned i = 0; i < count; i++)
        out[i].vc = out[i].waits ? out[i].vc % s->lanes : out[i].vc;
    return count;
}

// Duato without its restriction: what is unrestricted is waited for, too.
static unsigned no_restriction(const struct net_flit_shape *s, const struct ofr_coord *at,
                               const struct ofr_coord *to, struct net_flit_out out[NET_FLIT_OUTS])
{
    unsigned count = net_flit_outs(s, at, to, out);
    for (unsigned i = 0; i < count; i++)
        out[i].waits = true;
    return count;
}

// No restricted channel in the last dimension.
static unsigned no_escape(const struct net_flit_shape *s, const struct ofr_coord *at,
                          const struct ofr_coord *to, struct net_flit_out out[NET_FLIT_OUTS])
{
    unsigned count = net_flit_outs(s, at, to, out);
    for (unsigned i = 0; i < count; i++)
        out[i].waits = out[i].waits && out[i].port / 2 + 1 < s->torus.n;
    return count;
}

// The lowest dimension last where the destination's number is odd.
static unsigned no_order(const struct net_flit_shape *s, const struct ofr_coord *at,
                         const struct ofr_coord *to, struct net_flit_out out[NET_FLIT_OUTS])
{
    struct ofr_coord x = *at;
    if (to->c[0] % 2 && at->c[1] != to->c[1])
        x.c[0] = to->c[0];
    return net_flit_outs(s, &x, to, out);
}

// Triplex's rule 3 with wormhole switching: deroutes in the lowest dimension, too.
static unsigned rule_3(const struct net_flit_shape *s, const struct ofr_coord *at,
                       const struct ofr_coord *to, struct net_flit_out out[NET_FLIT_OUTS])
{
    struct net_flit_shape packet = *s;
    packet.wormhole = false;
    return net_flit_outs(&packet, at, to, out);
}

// Triplex's rule 4 where it must not be: wherever a message waits for a port of these parities.
static unsigned rule_4_for(const struct net_flit_shape *s, const struct ofr_coord *at,
                           const struct ofr_coord *to, struct net_flit_out out[NET_FLIT_OUTS],
                           bool minus)
{
    unsigned count = net_flit_outs(s, at, to, out), waits = 0;
    while (waits < count && !out[waits].waits)
        waits++;
    if (waits == count || (out[waits].port & 1) != minus)
        return count;
    for (unsigned port = (out[waits].port | 1u) + 1; port < 2u * s->torus.n; port++)
        for (unsigned vc = 0; vc + s->free < s->vcs && net_flit_link(s, at, port); vc++)
            out[count++] =
                (struct net_flit_out){.port = (uint8_t)port, .vc = (uint8_t)vc, .deroute = true};
    return count;
}

static unsigned rule_4_for_plus(const struct net_flit_shape *s, const struct ofr_coord *at,
                                const struct ofr_coord *to, struct net_flit_out out[NET_FLIT_OUTS])
{
    return rule_4_for(s, at, to, out, false);
}

static unsigned rule_4_over_wraps(const struct net_flit_shape *s, const struct ofr_coord *at,
                                  const struct ofr_coord *to,
                                  struct net_flit_out out[NET_FLIT_OUTS])
{
    return rule_4_for(s, at, to, out, true);
}

static unsigned no_way(const struct net_flit_shape *s, const struct ofr_coord *at,
                       const struct ofr_coord *to, struct net_flit_out out[NET_FLIT_OUTS])
{
    return at->c[0] == 1 && to->c[0] == 1 ? 0 : net_flit_outs(s, at, to, out);
}

static void broken_triplex(void **state)
{
    (void)state;
    static const struct {
        const char *topology, *switching;
        net_flit_relation *relation;
    } cases[] = {{"mesh:3x3", "wormhole", rule_4_for_plus},
                 {"mesh:3x3", "cut-through", rule_4_for_plus},
                 {"torus:5x5", "wormhole", rule_4_over_wraps},
                 {"torus:5x5", "cut-through", rule_4_over_wraps},
                 {"mesh:3x3", "wormhole", rule_3},
                 {"torus:4x4", "wormhole", rule_3}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct net_config c = make(cases[i].topology, NET_TRIPLEX);
        set(&c, "switching", cases[i].switching);
        set(&c, "rule-4", "full");
        set(&c, "unrestricted-vcs", i % 2 ? "2" : "1");
        struct ofr_deadlock d = net_flit_deadlock(&c, cases[i].relation);
        // With rule 3 a message may wait for what it holds itself.
        if (d.verdict != OFR_DEADLOCK || d.length < (cases[i].relation == rule_3 ? 1 : 2))
            fail_msg("case %zu: verdict %d, a cycle of %u", i, d.verdict, d.length);
    }
}

static void a_cycle_with(const char *topology, enum net_routing routing,
                         net_flit_relation *relation, uint32_t unrestricted)
{
    struct net_config c = make(topology, routing);
    c.flit.unrestricted_vcs = unrestricted;
    struct ofr_deadlock d = net_flit_deadlock(&c, relation);
    assert_int_equal(d.verdict, OFR_DEADLOCK);
    assert_true(d.length >= 2);
    for (unsigned i = 0; i < d.length && i < OFR_CYCLE_SHOWN; i++)
        assert_true(d.queue[i].node < ofr_nodes(&c.torus));
}

static void a_cycle(const char *topology, enum net_routing routing, net_flit_relation *relation)
{
    for (uint32_t unrestricted = 1; unrestricted <= 3; unrestricted += 2)
        a_cycle_with(topology, routing, relation, unrestricted);
}

// Of a message that is to go in two dimensions: one restricted channel, and so many in each.
static void unrestricted(void **state)
{
    (void)state;
    for (uint32_t free = 1; free <= 8; free++) {
        struct net_config c = make("torus:4x4", NET_DUATO);
        c.flit.unrestricted_vcs = free;
        struct net_flit_shape s = net_flit_shape(&c);
        struct ofr_coord from = {{0}}, to = {{1, 3}};
        struct net_flit_out out[NET_FLIT_OUTS];
        unsigned count = net_flit_outs(&s, &from, &to, out), ways[2] = {0};
        assert_int_equal(s.vcs, 2 + free);
        assert_int_equal(count, 1 + 2 * free);
        for (unsigned i = 0; i < count; i++) {
            assert_true(out[i].port == 0 || out[i].port == 3); // + in x, - in y
            assert_true(out[i].waits == (i == 0) && (out[i].vc < 2) == (i == 0) && !out[i].deroute);
            ways[out[i].port & 1] |= out[i].waits ? 0 : 1u << (out[i].vc - 2);
        }
        assert_int_equal(ways[0], (1u << free) - 1);
        assert_int_equal(ways[1], (1u << free) - 1);
    }
}

static void broken_relations(void **state)
{
    (void)state;
    a_cycle("torus:4x4", NET_DALLY_SEITZ, one_class);
    a_cycle("torus:5", NET_DALLY_SEITZ, one_class);
    a_cycle("torus:4x4", NET_DUATO, one_class);
    a_cycle("mesh:3x3", NET_DALLY_SEITZ, no_order);
    a_cycle("mesh:3x3", NET_DUATO, no_restriction);
    a_cycle("torus:4x4", NET_DUATO, no_restriction);
    struct net_config c = make("mesh:3x3", NET_DUATO);
    assert_int_equal(net_flit_deadlock(&c, no_escape).verdict, OFR_NO_ESCAPE);
}

// ---- Packet exchange

static bool never(struct net_chaos_end end)
{
    (void)end;
    return false;
}

static bool if_empty(struct net_chaos_end end)
{
    return !end.out;
}

static bool always(struct net_chaos_end end)
{
    (void)end;
    return true;
}

static void packet_exchange(void **state)
{
    (void)state;
    static const char *const shapes[] = {"torus:4x4", "torus:5x3", "mesh:7", "torus:2x6x1",
                                         "mesh:3x3x3"};
    static const uint32_t links[] = {32, 30, 6, 18, 54}; // by hand; torus 2x6x1: 6 + 12
    static const struct net_chaos_rule broken[] = {
        {net_chaos_may_load, never},        // no exchange
        {if_empty, net_chaos_may_exchange}, // without its room
        {always, never},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct net_config c = make(shapes[i], NET_CHAOS);
        struct ofr_deadlock d = net_flit_deadlock(&c, net_flit_outs);
        assert_int_equal(d.verdict, OFR_ESCAPABLE);
        assert_int_equal(d.rings, links[i]);
        for (size_t b = 0; b < sizeof broken / sizeof *broken; b++) {
            d = net_chaos_deadlock(&c, net_flit_outs, &broken[b]);
            assert_int_equal(d.verdict, OFR_DEADLOCK);
            assert_true(d.length == 2 && d.ring && d.queue[0].node != d.queue[1].node);
        }
    }
    struct net_config c = make("mesh:3x3", NET_CHAOS);
    assert_int_equal(net_flit_deadlock(&c, no_way).verdict, OFR_NO_ESCAPE);
    c = make("mesh:1", NET_CHAOS);
    assert_int_equal(net_flit_deadlock(&c, net_flit_outs).verdict, OFR_ACYCLIC);
}

// On a line of three nodes, packets of a word, latency 1 and a multiqueue of 2: node 1's way to 2
// is barred, so two packets from 0 wait in its multiqueue, and with the third one in its input one
// of them, or itself after them, goes back to node 0, until the way is free.
static void exchanges(void **state)
{
    (void)state;
    static struct log log;
    struct net_config c = make("mesh:3", NET_CHAOS);
    c.flit.message_words = 1;
    c.flit.node_latency = 1;
    c.flit.multiqueue = 2;
    c.flit.full = true;
    struct net_sim *sim = quiet(&c, &log);
    sim->output[1 * sim->places + 0].b.packet[0] = 0; // node 1, + port
    const struct net_flit_node *node = &sim->node[1];
    for (int i = 0; i < 3; i++) {
        net_flit_put(sim, 0, 2);
        for (int j = 0; j < 8 && (i < 2 || j < 2); j++)
            net_flit_cycle(sim);
        assert_int_equal(__builtin_popcountll(node->wait >> sim->queue & 3), i < 2 ? i + 1 : 2);
        assert_int_equal(sim->derouted, 0);
    }
    assert_true(net_chaos_may_exchange((struct net_chaos_end){.in = true}));
    for (int j = 0; j < 3; j++)
        net_flit_cycle(sim);
    assert_int_equal(sim->derouted, 1); // to node 0, from where it will come again
    assert_int_equal(log.count, 0);
    sim->output[1 * sim->places + 0].b.packet[0] = NET_FLIT_NO_PACKET;
    for (int j = 0; j < 40; j++)
        cycle(sim);
    assert_int_equal(log.count, 3);
    assert_int_equal(sim->hops, 3 * 2 + 2 * sim->derouted);
    net_flit_free(sim);
}

// ---- Figures

static struct net_result simulate(const char *topology, const char *load)
{
    struct net_config c = make(topology, NET_DALLY_SEITZ);
    set(&c, "load", load);
    set(&c, "warm-up", "3000");
    set(&c, "batch-cycles", "500");
    return net_run(&c, 0, NULL, NULL);
}

static void figures(void **state)
{
    (void)state;
    struct net_result r = simulate("torus:8x8", "0.3"); // 0.3 * 64 nodes * 10,000 / 40 = 4,800
    assert_int_equal(r.end, NET_DRAINED);
    assert_false(r.flit.saturated);
    assert_true(r.flit.generated > 0.285 && r.flit.generated < 0.315);
    assert_true(r.flit.accepted > r.flit.generated - 0.02);
    assert_true(r.flit.accepted < r.flit.generated + 0.02);
    // 4 hops in the mean: 5 * 3 + 4 + 19 = 38 cycles without others.
    assert_true(r.flit.latency > 38 && r.flit.latency < 60);
    assert_int_equal(r.generated, r.consumed + r.in_flight + r.waiting);
    net_result_free(&r);
    r = simulate("torus:8x8", "1.3");
    assert_true(r.flit.saturated && r.flit.accepted < 1.1 && r.flit.accepted > 0.6);
    net_result_free(&r);
    r = simulate("torus:8x8", "0.000001"); // nothing happens, and it ends
    assert_int_equal(r.end, NET_DRAINED);
    net_result_free(&r);
}

// Batches made by hand: what each says of them. The births differ from batch to batch by far more
// than what is left over.
static void saturation_tests(void **state)
{
    (void)state;
    enum { NODES = 16, BATCHES = 10 };
    static const struct {
        int left[2]; // of even and odd batches: created and not delivered
        bool interval, backlog, growth;
    } cases[] = {
        {{0, 0}, false, false, false},
        {{1, 1}, false, false, true}, // 10 in all, less than a message a node
        {{2, 2}, false, true, true},
        {{-30, 30}, false, false, false}, // now fewer, now more: nothing is left
        {{-20, 24}, false, true, false},  // the interval of 2 is as wide as what the batches differ
        {{-2, -2}, false, false, false},
        {{300, 310}, true, true, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct net_config c = make("torus:4x4", NET_DALLY_SEITZ);
        struct net_flit_batch batch[BATCHES] = {{0}};
        c.flit.batches = BATCHES;
        c.flit.batch = 1000;
        for (int b = 0; b < BATCHES; b++) {
            batch[b].created = 500 + (uint64_t)(b * 37 % 100);
            batch[b].delivered = (uint64_t)((int)batch[b].created - cases[i].left[b % 2]);
        }
        const bool wanted[] = {cases[i].interval, cases[i].backlog, cases[i].growth};
        for (int test = NET_SATURATION_INTERVAL; test <= NET_SATURATION_GROWTH; test++) {
            c.flit.saturation = (enum net_saturation)test;
            if (net_flit_means(&c, batch, NODES).saturated != wanted[test])
                fail_msg("case %zu, test %s", i, net_saturation_names[test]);
        }
    }
}

int main(int argc, char **argv)
{
    seed = exact_seed(argc, argv, 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(periods),
        cmocka_unit_test(zero_load),
        cmocka_unit_test(hypercubes),
        cmocka_unit_test(one_path),
        cmocka_unit_test(duplex),
        cmocka_unit_test(link_rate),
        cmocka_unit_test(depth),
        cmocka_unit_test(bubble),
        cmocka_unit_test(conservation),
        cmocka_unit_test(unrestricted),
        cmocka_unit_test(ties),
        cmocka_unit_test(what_ships),
        cmocka_unit_test(broken_relations),
        cmocka_unit_test(broken_triplex),
        cmocka_unit_test(packet_exchange),
        cmocka_unit_test(exchanges),
        cmocka_unit_test(figures),
        cmocka_unit_test(threads),
        cmocka_unit_test(saturation_tests),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    if (argc > 2) // that one alone, for twins
        cmocka_set_test_filter(argv[2]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
