// SPDX-License-Identifier: Apache-2.0
// The Dragonfly: its links, hand-worked packets, what must hold in every cycle on random shapes and
// settings, and the deadlock checker with relations that are broken.
// Usage: test_dragonfly [seed]
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "config/settings.h"
#include "dragonfly/deadlock.h"
#include "dragonfly/sim.h"
#include "exact.h"

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
    set(&c, "load-unit", "phits");
    set(&c, "message-words", "8");
    set(&c, "node-latency", "1");
    if (routing == NET_PAR)
        set(&c, "local-vcs", "4");
    return c;
}

static const enum net_routing routings[] = {NET_MINIMAL_HOPS, NET_VALIANT, NET_UGAL,
                                            NET_PB,           NET_PAR,     NET_OFAR};
enum { ROUTINGS = sizeof routings / sizeof *routings };

// ---- Links

static void links(void **state)
{
    (void)state;
    static const char *const shapes[] = {"dragonfly:1", "dragonfly:2", "dragonfly:6",
                                         "dragonfly:3x1x2", "dragonfly:5x2x3"};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct net_config c = make(shapes[i], NET_MINIMAL_HOPS);
        struct net_dragonfly d = net_dragonfly(&c.dragonfly);
        assert_int_equal(d.groups, d.a * d.h + 1);
        for (uint32_t r = 0; r < d.routers; r++)
            for (unsigned port = 0; port < d.locals; port++) {
                unsigned back, there;
                uint32_t peer = net_dragonfly_peer(&d, r, port, &back);
                assert_true(peer < d.routers && peer != r);
                assert_int_equal(net_dragonfly_peer(&d, peer, back, &there), r);
                assert_int_equal(there, port);
                assert_int_equal(peer / d.a == r / d.a, !net_dragonfly_is_global(&d, port));
            }
        for (uint32_t from = 0; from < d.groups; from++)
            for (uint32_t to = 0; to < d.groups; to++) {
                unsigned port, back;
                if (from == to)
                    continue;
                uint32_t r = from * d.a + net_dragonfly_exit(&d, from, to, &port);
                assert_int_equal(net_dragonfly_peer(&d, r, port, &back) / d.a, to);
            }
    }
    // A physical ring comes by every router, out of each group over one link, and back.
    struct net_config ring = make("dragonfly:2", NET_OFAR);
    struct net_dragonfly w = net_dragonfly_with_ring(&ring.dragonfly);
    uint32_t at = 0, left = 0;
    for (uint32_t hops = 0; hops < w.routers; hops++) {
        unsigned port = w.locals - 1, back, out;
        assert_true(net_dragonfly_is_ring(&w, port) && !net_dragonfly_is_global(&w, port));
        uint32_t next = net_dragonfly_peer(&w, at, port, &back);
        assert_int_equal(net_dragonfly_before(&w, next, back, &out), at);
        assert_int_equal(out, port);
        assert_int_equal(next / w.a != at / w.a, net_dragonfly_leaves(&w, at, port));
        left += next / w.a != at / w.a;
        assert_true(!next == (hops + 1 == w.routers));
        at = next;
    }
    assert_int_equal(left, w.groups);
    // The paper's router 11 under ADV+2, h = 6.
    struct net_config c = make("dragonfly:6", NET_MINIMAL_HOPS);
    struct net_dragonfly d = net_dragonfly(&c.dragonfly);
    unsigned port;
    assert_int_equal(d.routers, 876);
    assert_int_equal(d.nodes, 5256);
    assert_int_equal(net_dragonfly_exit(&d, 30, 32, &port), 11);
}

// ---- One packet

struct log {
    uint32_t count, latency, limit;
    uint64_t digest;
    uint8_t hops[2];
};

static void note(void *context, const struct net_df_packet *p, uint32_t cycle)
{
    struct log *log = context;
    log->count++;
    log->latency = cycle - p->born;
    log->digest = (log->digest ^ cycle ^ (uint64_t)p->source << 20 ^ (uint64_t)p->h.dst << 40 ^
                   (uint64_t)p->message << 52) *
                  0x9e3779b97f4a7c15U;
    assert_true(p->h.globals <= log->limit);
}

static uint32_t alone(const char *topology, enum net_routing routing, uint32_t from, uint32_t to)
{
    struct log log = {.limit = 2};
    struct net_config c = make(topology, routing);
    c.load = 0;
    struct net_sim *sim = net_df_open(&c);
    assert_non_null(sim);
    sim->on_delivery = note;
    sim->context = &log;
    net_df_put(sim, from, to, 0);
    for (int i = 0; i < 1000 && !log.count; i++) {
        net_df_cycle(sim);
        assert_null(net_df_check(sim));
    }
    assert_int_equal(log.count, 1);
    net_df_free(sim);
    return log.latency;
}

static void one_packet(void **state)
{
    (void)state;
    // h = 2: a = 4, groups of 8 nodes. (hops + 1) + latencies + 8 - 1. Router 0 port 0 leads from
    // group 1 to group 0, to router 3.
    assert_int_equal(alone("dragonfly:2", NET_MINIMAL_HOPS, 8, 9), 1 + 7);        // one router
    assert_int_equal(alone("dragonfly:2", NET_MINIMAL_HOPS, 8, 14), 2 + 10 + 7);  // l
    assert_int_equal(alone("dragonfly:2", NET_MINIMAL_HOPS, 8, 6), 2 + 100 + 7);  // g
    assert_int_equal(alone("dragonfly:2", NET_MINIMAL_HOPS, 8, 0), 3 + 110 + 7);  // g-l
    assert_int_equal(alone("dragonfly:2", NET_MINIMAL_HOPS, 10, 0), 4 + 120 + 7); // l-g-l
    assert_int_equal(alone("dragonfly:2", NET_OFAR, 10, 0), 4 + 120 + 7);         // not in the way
    assert_int_equal(alone("dragonfly:2", NET_UGAL, 10, 0), 4 + 120 + 7);
    uint32_t valiant = alone("dragonfly:2", NET_VALIANT, 10, 0);
    assert_in_range(valiant, 3 + 200 + 7, 6 + 230 + 7);
    assert_int_equal(alone("dragonfly:2", NET_VALIANT, 8, 14), 2 + 10 + 7); // within a group: none
}

// ---- Many packets

static struct net_config draw(uint64_t *random, char *text, size_t size)
{
    unsigned a = 2 + (unsigned)(exact_random(random) % 4), p = 1 + exact_random(random) % 3;
    unsigned h = 1 + (unsigned)(exact_random(random) % 3);
    size_t at = (size_t)snprintf(text, size, "dragonfly:%ux%ux%u", a, p, h);
    struct net_config c = make(text, routings[exact_random(random) % ROUTINGS]);
    struct net_dragonfly_config *d = &c.dragonfly;
    c.flit.message_words = 1 + (uint32_t)(exact_random(random) % 9);
    c.flit.node_latency = 1 + (uint32_t)(exact_random(random) % 3);
    d->misrouting = (enum net_misrouting)(exact_random(random) % 4);
    d->local_misrouting = exact_random(random) & 1;
    d->local_vcs = (c.routing == NET_PAR ? 4 : 3) + (uint32_t)(exact_random(random) % 2);
    d->global_vcs = 2 + (uint32_t)(exact_random(random) % 2);
    d->injection_vcs = 1 + (uint32_t)(exact_random(random) % 3);
    d->local_words = c.flit.message_words * (2 + (uint32_t)(exact_random(random) % 3));
    d->global_words = c.flit.message_words * (2 + (uint32_t)(exact_random(random) % 6));
    d->source_words = c.flit.message_words * (2 + (uint32_t)(exact_random(random) % 20));
    d->local_latency = 1 + (uint32_t)(exact_random(random) % 9);
    d->global_latency = 1 + (uint32_t)(exact_random(random) % 40);
    d->iterations = 1 + (uint32_t)(exact_random(random) % 3);
    d->equal = exact_random(random) & 1;
    d->ring_exits = (uint32_t)(exact_random(random) % 4);
    d->by_hops = exact_random(random) & 1;
    d->physical_ring = exact_random(random) & 1;
    d->allocator = (enum net_allocator)(exact_random(random) % 3);
    c.seed = exact_random(random) >> 1;
    snprintf(text + at, size - at, " routing %d misrouting %d%s%s words %u buffers %u %u",
             c.routing, d->misrouting, d->local_misrouting ? "+L" : "",
             d->physical_ring ? " physical" : "", c.flit.message_words, d->local_words,
             d->global_words);
    return c;
}

static void conservation(void **state)
{
    (void)state;
    uint64_t random = seed + 1;
    for (int round = 0; round < 25; round++) {
        char text[200], message[400];
        struct log log[2] = {{0}, {0}};
        struct net_config c = draw(&random, text, sizeof text);
        c.load = 0.1 + (double)(exact_random(&random) % 100) / 110;
        if (exact_random(&random) & 1) {
            c.traffic.pattern = NET_ADVERSARIAL;
            c.traffic.offset =
                1 + (uint32_t)(exact_random(&random) % (c.dragonfly.a * c.dragonfly.h));
        }
        c.flit.warm = 50;
        c.flit.batches = 4;
        c.flit.batch = 100;
        if (net_config_check(&c, message, sizeof message))
            fail_msg("%s: %s", text, message);
        for (int twice = 0; twice < 2; twice++) {
            struct net_sim *sim = net_df_open(&c);
            assert_non_null(sim);
            log[twice].limit = c.routing == NET_MINIMAL_HOPS ? 1 : 2;
            if (c.routing == NET_OFAR)
                log[twice].limit = c.dragonfly.by_hops ? 3 : 0;
            sim->on_delivery = note;
            sim->context = &log[twice];
            while (sim->now < sim->end || sim->in_flight) { // then it drains
                net_df_cycle(sim);
                const char *wrong = net_df_check(sim);
                if (wrong || sim->now > sim->progress + 5000)
                    fail_msg("seed %llu, round %d, %s, cycle %u: %s", (unsigned long long)seed,
                             round, text, sim->now, wrong ? wrong : "stuck");
            }
            assert_int_equal(sim->created, sim->delivered + sim->refused);
            assert_int_equal(sim->delivered, log[twice].count);
            net_df_free(sim);
        }
        assert_true(log[0].digest == log[1].digest && log[0].count == log[1].count);
    }
}

// ---- Threads

// In any order, by several threads at once.
static void add(void *context, const struct net_df_packet *p, uint32_t cycle)
{
    uint64_t hash = (cycle ^ (uint64_t)p->source << 20 ^ (uint64_t)p->h.dst << 40 ^
                     (uint64_t)p->message << 52) *
                    0x9e3779b97f4a7c15U;
    atomic_fetch_add((_Atomic uint64_t *)context, hash ^ hash >> 29);
}

static void threads(void **state)
{
    (void)state;
    uint64_t random = seed + 2;
    for (int round = 0; round < 20; round++) {
        char text[200], message[400];
        _Atomic uint64_t digest[2] = {0};
        struct net_df_counts sum[2];
        struct net_flit_batch batch[2][4];
        struct net_config c = draw(&random, text, sizeof text);
        c.load = round % 4 ? 0.1 + (double)(exact_random(&random) % 100) / 110 : 0.001;
        c.flit.warm = 50;
        c.flit.batches = 4;
        c.flit.batch = 120;
        if (net_config_check(&c, message, sizeof message))
            fail_msg("%s: %s", text, message);
        for (int twice = 0; twice < 2; twice++) {
            c.threads = twice ? 2 + (uint32_t)(exact_random(&random) % 4) : 1;
            struct net_sim *sim = net_df_open(&c);
            assert_non_null(sim);
            sim->on_delivery = add;
            sim->context = &digest[twice];
            while (sim->now < sim->end) {
                uint32_t until = sim->now + 1 + (uint32_t)(exact_random(&random) % 200);
                net_df_advance(sim, until < sim->end ? until : sim->end);
                const char *wrong = net_df_check(sim);
                if (wrong)
                    fail_msg("seed %llu, round %d, %s, %u threads, cycle %u: %s",
                             (unsigned long long)seed, round, text, c.threads, sim->now, wrong);
            }
            sum[twice] = net_df_sum(sim);
            net_df_add_batches(sim);
            memcpy(batch[twice], sim->batch, sizeof batch[twice]);
            net_df_free(sim);
        }
        const struct net_df_counts *a = &sum[0], *b = &sum[1];
        if (digest[0] != digest[1] || a->created != b->created || a->refused != b->refused ||
            a->hops != b->hops || a->entries != b->entries || a->latency_max != b->latency_max ||
            a->in_flight != b->in_flight || a->progress != b->progress ||
            a->waits[0] != b->waits[0] || a->waits[1] != b->waits[1] ||
            a->waits[2] != b->waits[2] || memcmp(batch[0], batch[1], sizeof batch[0]) != 0)
            fail_msg("seed %llu, round %d, %s: not the same on %u threads",
                     (unsigned long long)seed, round, text, c.threads);
    }
}

// ---- Deadlock

static void what_ships(void **state)
{
    (void)state;
    static const char *const shapes[] = {"dragonfly:1", "dragonfly:2", "dragonfly:3x1x2",
                                         "dragonfly:5x1x1", "dragonfly:2x2x3"};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int r = 0; r < ROUTINGS; r++)
            for (int m = NET_RRG; m <= NET_MM; m++)
                for (int bits = 0; bits < (routings[r] == NET_OFAR ? 8 : 2); bits++) {
                    struct net_config c = make(shapes[i], routings[r]);
                    c.dragonfly.misrouting = (enum net_misrouting)m;
                    c.dragonfly.local_misrouting = bits & 1;
                    c.dragonfly.by_hops = bits >> 1 & 1;
                    c.dragonfly.physical_ring = bits >> 2;
                    struct ofr_deadlock d = net_df_deadlock(&c, &net_df_relation);
                    if (d.verdict != (routings[r] == NET_OFAR ? OFR_ESCAPABLE : OFR_ACYCLIC) ||
                        !d.queues)
                        fail_msg("%s, routing %d: verdict %d", shapes[i], routings[r], d.verdict);
                }
}

// Without a VC more for each hop.
static struct net_df_way one_vc(const struct net_df_shape *s, const struct net_df_header *h,
                                uint32_t router)
{
    struct net_df_way way = net_df_minimal(s, h, router);
    way.vc = 0;
    return way;
}

// PAR with three local VCs: its last local hop has no VC of its own.
static struct net_df_way three_vcs(const struct net_df_shape *s, const struct net_df_header *h,
                                   uint32_t router)
{
    struct net_df_way way = net_df_minimal(s, h, router);
    way.vc = way.vc > 2 ? 2 : way.vc;
    return way;
}

static unsigned one_slot(enum net_df_kind kind)
{
    (void)kind;
    return 1;
}

// The ring in VC 0 of the links, where all others are, too.
static struct net_df_way shared_ring(const struct net_df_shape *s, const struct net_df_header *h,
                                     uint32_t router)
{
    struct net_df_way way = net_df_ring(s, h, router);
    way.vc = 0;
    return way;
}

// From router 1 to router 0 and back: no ring through all.
static struct net_df_way short_ring(const struct net_df_shape *s, const struct net_df_header *h,
                                    uint32_t router)
{
    struct net_df_way way = net_df_ring(s, h, router);
    if (router % s->d.a == 0)
        way.port = (uint8_t)net_dragonfly_local_port(0, s->d.a - 1);
    return way;
}

static struct net_df_way no_ring(const struct net_df_shape *s, const struct net_df_header *h,
                                 uint32_t router)
{
    struct net_df_way way = net_df_ring(s, h, router);
    way.vcs = router % s->d.a != 1;
    return way;
}

static void broken(void **state)
{
    (void)state;
    struct net_df_relation r;
    for (int i = 0; i < 13; i++) {
        static const struct {
            enum net_routing routing;
            enum ofr_verdict verdict;
            bool ring;
        } cases[] = {{NET_VALIANT, OFR_DEADLOCK, false}, {NET_MINIMAL_HOPS, OFR_DEADLOCK, false},
                     {NET_PAR, OFR_DEADLOCK, false},     {NET_OFAR, OFR_DEADLOCK, true},
                     {NET_OFAR, OFR_DEADLOCK, true},     {NET_OFAR, OFR_NO_ESCAPE, false},
                     {NET_OFAR, OFR_NO_ESCAPE, false},   {NET_UGAL, OFR_DEADLOCK, false},
                     {NET_PB, OFR_DEADLOCK, false},      {NET_OFAR, OFR_DEADLOCK, true},
                     {NET_OFAR, OFR_DEADLOCK, true},     {NET_OFAR, OFR_NO_ESCAPE, false},
                     {NET_OFAR, OFR_NO_ESCAPE, false}};
        struct net_config c = make("dragonfly:2", cases[i].routing);
        c.dragonfly.by_hops = i == 9;
        c.dragonfly.physical_ring = i > 9;
        r = net_df_relation;
        r.minimal = i < 2 || i == 7 || i == 8 ? one_vc : i == 2 ? three_vcs : r.minimal;
        r.ring_needs = i == 3 || i == 9 || i == 10 ? one_slot : r.ring_needs;
        r.ring = i == 4              ? shared_ring
                 : i == 5 || i == 11 ? short_ring
                 : i == 6 || i == 12 ? no_ring
                                     : r.ring;
        struct ofr_deadlock d = net_df_deadlock(&c, &r);
        if (d.verdict != cases[i].verdict || d.ring != cases[i].ring ||
            (d.verdict == OFR_DEADLOCK && d.length < 2))
            fail_msg("case %d: verdict %d, a cycle of %u, ring %d", i, d.verdict, d.length, d.ring);
    }
}

// ---- Figures

static struct net_result simulate(enum net_routing routing, enum net_misrouting misrouting,
                                  const char *traffic, double load)
{
    struct net_config c = make("dragonfly:3", routing);
    set(&c, "traffic", traffic);
    c.dragonfly.misrouting = misrouting;
    c.load = load;
    c.flit.warm = 4000;
    c.flit.batches = 5;
    c.flit.batch = 400;
    struct net_result r = net_run(&c, 0, NULL, NULL);
    assert_int_equal(r.end, NET_DRAINED);
    assert_int_equal(r.generated, r.consumed + r.in_flight + r.waiting + r.refused);
    return r;
}

static void figures(void **state)
{
    (void)state;
    // A group's nodes, a p of them, share one global link under ADV: 1 / (a p) = 1/18.
    struct net_result r = simulate(NET_MINIMAL_HOPS, NET_RRG, "adv+2", 0.3);
    assert_true(r.flit.saturated && r.flit.accepted > 0.053 && r.flit.accepted < 1.0 / 18 + 0.001);
    r = simulate(NET_MINIMAL_HOPS, NET_RRG, "uniform", 0.3);
    assert_true(!r.flit.saturated && r.flit.accepted > 0.28 && r.flit.latency < 160);
    r = simulate(NET_VALIANT, NET_RRG, "adv+2", 0.15);
    assert_true(!r.flit.saturated && r.flit.latency > 200);
    double valiant = simulate(NET_VALIANT, NET_RRG, "adv+1", 0.5).flit.accepted;
    r = simulate(NET_PB, NET_RRG, "adv+1", 0.5); // and the minimal links besides
    assert_true(r.flit.accepted > valiant - 0.01 && valiant > 0.35);
    // Router 5 of 6 has the minimal link: CRG starves its nodes, MM does not (Fig. 6).
    r = simulate(NET_OFAR, NET_CRG, "adv+1", 0.3);
    assert_true(r.flit.routers == 6 && r.flit.share[5] < 0.7);
    r = simulate(NET_OFAR, NET_MM, "adv+1", 0.2);
    assert_true(r.flit.share[5] > 0.9);
}

// Takes the room of the ring's VCs away, so that nothing enters it or goes on in it.
static void close_ring(struct net_sim *sim, uint8_t *held)
{
    for (size_t i = 0; i < (size_t)sim->d.routers * sim->d.locals; i++) {
        unsigned port = (unsigned)(i % sim->d.locals);
        size_t vc = net_df_port_of(sim, (uint32_t)(i / sim->d.locals), port) * sim->vcs +
                    net_df_vcs(&sim->shape, port) - 1;
        held[vc] = (uint8_t)(held[vc] + sim->credit[vc]);
        sim->credit[vc] = 0;
    }
}

static void open_ring(struct net_sim *sim, const uint8_t *held)
{
    for (size_t i = 0; i < (size_t)sim->d.routers * sim->d.ports * sim->vcs; i++)
        sim->credit[i] = (uint8_t)(sim->credit[i] + held[i]);
}

// Why OFAR with NRG and RRG collapses: its VCs have no order, so packets wait for each other in
// circles, and are left to the ring. Shown by closing the ring once the network is full, without
// new packets: what remains would wait for good. With the ring open again it is delivered, so it is
// not the ring that stops; and where VCs rise with the hops nothing remains.
static void collapse(void **state)
{
    (void)state;
    static const struct {
        enum net_misrouting misrouting;
        bool by_hops, collapses;
    } cases[] = {{NET_NRG, false, true},
                 {NET_RRG, false, true},
                 {NET_NRG, true, false},
                 {NET_RRG, true, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct net_config c = make("dragonfly:3", NET_OFAR);
        set(&c, "traffic", "adv+2");
        set(&c, "local-vcs", "4");
        c.dragonfly.ring_exits = 200; // nothing must go on in the ring
        c.dragonfly.misrouting = cases[i].misrouting;
        c.dragonfly.by_hops = cases[i].by_hops;
        c.dragonfly.source_words = 16;
        c.load = 0.6;
        c.flit.warm = 2500;
        c.flit.batches = 2;
        c.flit.batch = 500;
        struct net_sim *sim = net_df_open(&c);
        assert_non_null(sim);
        while (sim->now < c.flit.warm)
            net_df_cycle(sim);
        uint64_t before = sim->delivered;
        while (sim->now < sim->end)
            net_df_cycle(sim);
        assert_null(net_df_check(sim));
        double accepted = (double)(sim->delivered - before) * 8 / sim->d.nodes / 1000;
        uint8_t *held = calloc((size_t)sim->d.routers * sim->d.ports * sim->vcs, 1);
        assert_non_null(held);
        while (sim->in_flight && sim->now < sim->progress + 1000) {
            close_ring(sim, held);
            net_df_cycle(sim);
        }
        uint32_t remain = sim->in_flight;
        open_ring(sim, held);
        free(held);
        assert_null(net_df_check(sim)); // no room was lost
        sim->progress = sim->now;
        while (sim->in_flight && sim->now < sim->progress + 5000)
            net_df_cycle(sim);
        printf("# %s%s: accepts %.3f; without the ring %u packets remain for good\n",
               net_misrouting_names[c.dragonfly.misrouting], c.dragonfly.by_hops ? ", hops" : "",
               accepted, remain);
        assert_int_equal(sim->in_flight, 0);
        assert_true(cases[i].collapses ? accepted < 0.05 : accepted > 0.25);
        assert_true(cases[i].collapses ? remain > 100 : !remain);
        net_df_free(sim);
    }
}

// A network that is idle at times: the driver leaves cycles out, and nothing changes.
static void idle(void **state)
{
    (void)state;
    struct net_config c = make("dragonfly:2", NET_OFAR);
    c.load = 0.0005;
    c.flit.warm = 20000;
    c.flit.batches = 2;
    c.flit.batch = 20000;
    struct net_result r = net_run(&c, 0, NULL, NULL);
    struct net_sim *sim = net_df_open(&c);
    assert_non_null(sim);
    while (sim->now < sim->end)
        net_df_cycle(sim);
    assert_null(net_df_check(sim));
    assert_int_equal(r.end, NET_DRAINED);
    assert_true(r.consumed > 150 && r.consumed == sim->delivered && r.hops == sim->hops);
    assert_true(r.flit.latency < 160);
    net_df_free(sim);
}

int main(int argc, char **argv)
{
    seed = exact_seed(argc, argv, 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links),      cmocka_unit_test(one_packet), cmocka_unit_test(conservation),
        cmocka_unit_test(what_ships), cmocka_unit_test(broken),     cmocka_unit_test(figures),
        cmocka_unit_test(collapse),   cmocka_unit_test(idle),       cmocka_unit_test(threads),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
