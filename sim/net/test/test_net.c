// SPDX-License-Identifier: Apache-2.0
// The engine: lifetimes by hand, conservation on random small runs, same seed same result, the
// watchdog, the early verdict. test_net [seed]
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "exact.h"
#include "random_net.h"
#include "run/engine.h"
#include "topo/name.h"
#include "traffic/schedule.h"

static uint64_t seed;

static struct net_config small(const char *torus, enum net_pattern pattern,
                               enum net_routing routing)
{
    struct net_config c = net_config_default(NET_PRESET_OFR, routing);
    assert_true(net_torus_parse(torus, &c.torus));
    c.traffic.pattern = pattern;
    c.messages = 1;
    c.message_packets = 1;
    c.pipelined = false;
    return c;
}

static struct net_result run(const struct net_config *c)
{
    char wrong[200] = "";
    net_config_check(c, wrong, sizeof wrong);
    assert_string_equal(wrong, "");
    return net_run(c, 0, NULL, NULL);
}

// Table 1 in units of 1/60 ns: a packet takes 12288 + 12000 on a link, 3840 + 4800 inside; an ACK
// 240 + 12000 and 75 + 4800; k = 8: ticks every 5120.
static void lifetimes_by_hand(void **state)
{
    (void)state;
    struct net_config c = small("8", NET_NEIGHBOUR, NET_ABR);
    struct net_result r = run(&c);
    // Born at 0, first tick after it, into the router, a hop, to the sink.
    uint64_t one = 5120 + 8640 + 24288 + 8640;
    assert_int_equal(r.end, NET_DRAINED);
    assert_int_equal(r.stats.count, 8);
    assert_int_equal(r.stats.sum, 8 * one);
    assert_int_equal(r.end_time, one);
    assert_int_equal(r.hops, 8);
    assert_int_equal(r.wait_sum, 8 * (5120 + 8640));
    net_result_free(&r);

    // The ACK is back 4875 after the router took the packet: the next goes 3 ticks later. The link
    // is free 12288 after the first began.
    c.message_packets = 2;
    r = run(&c);
    uint64_t entered = 5120 + 8640 + 3 * 5120;
    assert_int_equal(r.stats.sum, 8 * (one + entered + 24288 + 8640));
    net_result_free(&r);

    // 6 packets over 3 hops: tornado on 8 nodes, every router forwards two neighbours' packets.
    // One packet alone: 3 hops.
    c = small("8", NET_TORNADO, NET_ABR);
    r = run(&c);
    assert_int_equal(r.hops, 24);
    // All leave at once and never meet: every packet waits for nothing but ACKs, which go the
    // other way.
    assert_int_equal(r.stats.sum, 8 * (5120 + 8640 + 3 * 24288 + 8640));
    net_result_free(&r);

    // To oneself: in, out.
    c = small("1x1", NET_UNIFORM, NET_ABR);
    r = run(&c);
    // k_max = 1: ticks every 640.
    assert_int_equal(r.stats.sum, 640 + 8640 + 8640);
    assert_int_equal(r.hops, 0);
    net_result_free(&r);
}

// Two nodes that send to each other over one link each way, so packets wait for the ACKs of the
// others. Node 0's packet and node 1's ACK share a link.
static void acks_take_the_links_time(void **state)
{
    (void)state;
    struct net_config c = small("2", NET_NEIGHBOUR, NET_ABR);
    c.message_packets = 3;
    struct net_result r = run(&c);
    // k = 2: ticks every 1280, a try every 11 of them. Entries: 1280 + 8640 + {0, 14080, 28160}.
    // First leaves at 9920, is there at 34208. Second enters at 24000 after the link is free
    // (22208), is there at 48288. Third enters at 38080: the link sends the ACK of the first
    // (34208 to 34448) and is free; it is there at 62368.
    assert_int_equal(r.stats.sum, 2 * ((34208 + 8640) + (48288 + 8640) + (62368 + 8640)));
    net_result_free(&r);

    // A longer packet keeps the link busy when the ACK wants it: it waits, and so does the next
    // packet behind it.
    c.packet_bytes = 1024; // 24576 on the link, 7680 inside, ticks every 2560
    r = run(&c);
    // A try every 8 ticks (17355 to the ACK, so 7 ticks: 17920). Entries at 2560 + 12480 =
    // 15040, 32960, 50880. The link: 15040 to 39616, 39616 to 64192 (ACK asked for at 51616, goes
    // 64192 to 64432), third from 64432. There: 51616, 76192, 101008.
    assert_int_equal(r.stats.sum, 2 * (51616 + 76192 + 101008 + 3 * 12480));
    net_result_free(&r);
}

static void conserved(const struct net_config *c, const struct net_result *r)
{
    uint64_t nodes = ofr_nodes(&c->torus), per_batch = nodes * c->message_packets;
    bool periods = c->arrivals == NET_ARRIVAL_BURST && !c->mixed;
    assert_int_equal(r->end, NET_DRAINED);
    if (periods)
        assert_int_equal(r->generated, per_batch * c->messages);
    assert_int_equal(r->consumed, r->generated);
    assert_int_equal(r->entered, r->generated);
    assert_int_equal(r->in_flight, 0);
    assert_int_equal(r->waiting, 0);
    assert_int_equal(r->slots_held, 0);
    assert_int_equal(r->consumed_hops, r->hops);
    for (uint32_t m = 0; periods && m < c->messages; m++)
        assert_int_equal(r->stats.batch_count[m], per_batch);
    if (c->routing != NET_OFR)
        assert_int_equal(r->oidn + r->widn, 0);
    if (c->routing == NET_OFR || c->routing == NET_POR)
        return;
    // Minimal routing makes exactly the minimal hops.
    struct net_schedule schedule;
    uint64_t hops = 0;
    assert_true(net_schedule_init(&schedule, c));
    for (uint32_t node = 0; node < nodes; node++) {
        uint32_t m = net_schedule_next(&schedule, node, NET_NO_MESSAGE);
        for (; m != NET_NO_MESSAGE; m = net_schedule_next(&schedule, node, m)) {
            struct ofr_coord s = ofr_node_coord(&c->torus, node);
            struct ofr_coord t =
                ofr_node_coord(&c->torus, net_schedule_destination(&schedule, node, m));
            hops += (uint64_t)ofr_distance(&c->torus, &s, &t) *
                    net_schedule_packets(&schedule, node, m);
        }
    }
    net_schedule_free(&schedule);
    assert_int_equal(r->hops, hops);
}

static void odd_sizes_conserve(void **state)
{
    (void)state;
    uint64_t derouted = 0, naks = 0;
    for (unsigned round = 0; round < 240; round++) {
        struct net_config c = random_net(round, &seed);
        struct net_result r = run(&c);
        c.threads = 1 + (uint32_t)(exact_random(&seed) % 5);
        struct net_result again = run(&c);
        if (r.end != NET_DRAINED)
            fprintf(stderr, "# round %u: end %d, %s\n", round, r.end, r.stuck);
        conserved(&c, &r);
        // The same seed gives the same result, on any number of threads.
        assert_same(&c, &r, &again);
        derouted += r.oidn + r.widn + r.por;
        naks += r.naks;
        net_result_free(&r);
        net_result_free(&again);
    }
    // The runs were hard enough to mean something.
    assert_true(derouted > 1000);
    assert_true(naks > 1000);
}

// Two nodes, two slots: of three packets that are there at once the third needs the escape, unless
// it must wait until the first one's ACK is back, two latencies later.
static double slowest(uint32_t escape_throttle, uint32_t node_throttle)
{
    struct net_config c = small("2", NET_NEIGHBOUR, NET_ABR);
    c.slots = 2;
    c.throttle = 0;
    c.escape_throttle = escape_throttle;
    c.node_throttle = node_throttle;
    c.pipelined = true;
    c.message_packets = 3;
    c.ext_latency_ns = 10000;
    struct net_result r = run(&c);
    double us = (double)r.stats.max / 1000 / NET_UNITS_PER_NS;
    conserved(&c, &r);
    net_result_free(&r);
    return us;
}

static void injection_waits(void **state)
{
    (void)state;
    assert_true(slowest(0, 0) < 12);
    assert_true(slowest(0, 3) < 12); // 0, 1, 2 slots were in use
    assert_true(slowest(2, 0) > 30); // there and back and there
    assert_true(slowest(1, 0) < 12); // two are free
    assert_true(slowest(0, 1) > 30);
}

// Where transit needs more than a slot, a packet in the network takes the escape earlier: NAKs
// differ; nothing is derouted by a gate that closes at once, nor where the minimal one must be far
// fuller than the node's mean link; hardly anything where it must be so than the other; and means
// of the used slots decide otherwise than the slots, as does a packet that keeps its way. Where
// only the gates take the means, they tell otherwise than by the slots, and without a gate nothing
// does.
static void rules_for_overload(void **state)
{
    (void)state;
    uint64_t naks[2], derouted[9];
    for (int rule = 0; rule < 10; rule++) {
        struct net_config c = net_config_default(NET_PRESET_OFR, NET_OFR);
        assert_true(net_torus_parse("4x4x4", &c.torus));
        c.traffic.pattern = NET_TORNADO;
        c.load = 1.2;
        c.messages = 2;
        c.transit_throttle = rule == 1 ? 4 : 0;
        c.source_gate_us = rule == 2 ? 1e-3 : 0;
        c.ratio = rule == 3 ? 1000 : rule == 7 || rule == 9 ? 2 : 0;
        c.smooth = rule == 4 || rule == 7 || rule == 8 ? 4 : 0;
        c.gates_only = rule == 7 || rule == 8;
        c.above_mean = rule == 5 ? 1000 : 0;
        c.once = rule == 6;
        // Without a gate: refused of a user.
        struct net_result r = rule == 8 ? net_run(&c, 0, NULL, NULL) : run(&c);
        conserved(&c, &r);
        if (rule < 2)
            naks[rule] = r.naks;
        if (rule != 1)
            derouted[rule ? rule - 1 : 0] = r.oidn + r.widn;
        net_result_free(&r);
    }
    assert_true(naks[0] != naks[1]);
    assert_true(derouted[0] > 1000);
    assert_int_equal(derouted[1], 0);
    assert_true(derouted[2] < derouted[0] / 2);
    assert_true(derouted[3] != derouted[0]);
    assert_int_equal(derouted[4], 0);
    assert_true(derouted[5] != derouted[0]);
    assert_true(derouted[6] > 0 && derouted[6] < derouted[8]);
    assert_int_equal(derouted[7], derouted[0]);
}

// A gate after NAKs: injection waits, few packets come back; where none comes back nothing changes.
static void waits_after_a_nak(void **state)
{
    (void)state;
    struct net_result r[2];
    for (int quiet = 0; quiet < 2; quiet++) {
        for (int gate = 0; gate < 2; gate++) {
            struct net_config c = net_config_default(NET_PRESET_OFR, NET_OFR);
            assert_true(net_torus_parse("4x4x4", &c.torus));
            c.traffic.pattern = quiet ? NET_NEIGHBOUR : NET_UNIFORM;
            c.load = quiet ? 0.1 : 1.2;
            c.messages = 4;
            c.nak_gate_us = gate ? 100 : 0;
            r[gate] = run(&c);
            conserved(&c, &r[gate]);
        }
        if (quiet) {
            assert_int_equal(r[1].naks, 0);
            assert_int_equal(r[0].end_time, r[1].end_time);
            assert_int_equal(r[0].refused, r[1].refused);
        } else {
            assert_true(r[0].naks > 1000);
            assert_true(r[1].naks < r[0].naks / 2);
            assert_true(r[1].refused > r[0].refused);
            assert_true(r[1].end_time > r[0].end_time + (uint64_t)100000 * NET_UNITS_PER_NS);
        }
        net_result_free(&r[0]);
        net_result_free(&r[1]);
    }
}

// With more links asked for the gate shuts less often, so more NAKs come; with more than there are
// never.
static void waits_after_naks_of_many_links(void **state)
{
    (void)state;
    static const uint32_t links[] = {1, 2, 3, 7, 1};
    struct net_result r[5];
    for (int i = 0; i < 5; i++) {
        struct net_config c = net_config_default(NET_PRESET_OFR, NET_OFR);
        assert_true(net_torus_parse("4x4x4", &c.torus));
        c.load = 1.2;
        c.messages = 4;
        c.nak_gate_us = i < 4 ? 2 : 0;
        c.nak_ports = links[i];
        r[i] = i == 3 ? net_run(&c, 0, NULL, NULL) : run(&c); // 7: refused of a user
        conserved(&c, &r[i]);
    }
    assert_true(r[0].naks < r[1].naks);
    assert_true(r[1].naks < r[2].naks);
    assert_true(r[2].naks < r[3].naks);
    assert_int_equal(r[3].naks, r[4].naks);
    assert_int_equal(r[3].end_time, r[4].end_time);
    for (int i = 0; i < 5; i++)
        net_result_free(&r[i]);
}

// More ACKs are on their way over a link than a byte counts; and times that are far apart, so that
// ACKs are left unlooked at for long.
static void long_links(void **state)
{
    (void)state;
    struct net_config c = small("8", NET_NEIGHBOUR, NET_ABR);
    c.packet_bytes = 32;
    c.message_packets = 700;
    c.messages = 3;
    c.slots = 3000;
    c.throttle = c.escape_throttle = 0;
    c.pipelined = true;
    c.load = 100;
    c.ext_latency_ns = 10000;
    struct net_result r = run(&c);
    conserved(&c, &r);
    // 2100 packets of 12.8 ns a link, 20 us until a slot is free again: with 256 of them it would
    // take 164 us.
    assert_true(r.end_time < (uint64_t)60000 * NET_UNITS_PER_NS);
    net_result_free(&r);

    c = small("8", NET_NEIGHBOUR, NET_ABR);
    c.messages = 40;
    c.load = 3.01e-6;                   // 68 ms apart: 0.95 times 2^32 units
    c.throttle = c.escape_throttle = 7; // a slot that is not settled keeps the next packet out
    r = run(&c);
    conserved(&c, &r);
    assert_int_equal(r.refused, 0);
    net_result_free(&r);
}

// More packets than 16 bits count.
static void links_are_counted(void **state)
{
    (void)state;
    struct net_config c = small("2", NET_UNIFORM, NET_ABR);
    c.active = 2;
    c.rounds = 1;
    c.burst = 1000;
    c.message_packets = 140;
    c.pipelined = true;
    struct net_result r = run(&c);
    assert_int_equal(r.end, NET_DRAINED);
    uint64_t more = r.sent[0] > r.sent[3] ? r.sent[0] : r.sent[3];
    assert_int_equal(r.sent[1], UINT64_MAX); // k = 2: one way round
    assert_int_equal(r.sent[0] + r.sent[3], r.hops + r.naks);
    assert_true(more >= 140000);
    assert_int_equal(r.counted, r.end_time);
    net_result_free(&r);
}

// The RDR document: a dimension drawn per node and hop; DOR: none.
static void rdr_spreads(void **state)
{
    (void)state;
    struct net_config c = small("8x8", NET_TORNADO, NET_RDR);
    c.messages = 8;
    c.message_packets = 96;
    struct net_result rdr = run(&c);
    conserved(&c, &rdr);
    c.routing = NET_DOR;
    struct net_result dor = run(&c);
    conserved(&c, &dor);
    assert_true(rdr.stats.sum != dor.stats.sum);
    net_result_free(&rdr);
    net_result_free(&dor);
}

static void watchdog_names_what_is_stuck(void **state)
{
    (void)state;
    // Nothing can arrive within the watchdog's time: the link is longer.
    struct net_config c = small("4x4x4", NET_UNIFORM, NET_OFR);
    c.message_packets = 200;
    c.messages = 200;
    c.ext_latency_ns = 1e6;
    c.watchdog_us = 100;
    struct net_result r = run(&c);
    assert_int_equal(r.end, NET_STUCK);
    assert_true(strlen(r.stuck) > 0);
    assert_true(r.generated > 0);
    assert_int_equal(r.generated, r.consumed + r.in_flight + r.waiting);
    net_result_free(&r);
}

static void verdict_is_exact(void **state)
{
    (void)state;
    struct net_config c = net_config_default(NET_PRESET_OFR, NET_ABR);
    assert_true(net_torus_parse("4x4x4", &c.torus));
    c.traffic.pattern = NET_TORNADO;
    c.load = 1.5;
    struct net_result whole = run(&c);
    double mean = net_stats_mean(&whole.stats) / 1000 / NET_UNITS_PER_NS;
    struct net_result early = net_run(&c, mean * 0.7, NULL, NULL);
    assert_int_equal(early.end, NET_LIMITED);
    assert_true(early.end_time < whole.end_time);
    assert_int_equal(early.generated, early.consumed + early.in_flight + early.waiting);
    struct net_result late = net_run(&c, mean * 1.000001, NULL, NULL);
    assert_int_equal(late.end, NET_DRAINED);
    assert_int_equal(late.stats.sum, whole.stats.sum);
    net_result_free(&whole);
    net_result_free(&early);
    net_result_free(&late);
}

// What lifetimes come to at least never exceeds what they are in the end; every packet
// waits for those of its message before it, so it is no small part of them from the beginning, and
// most of it where generators cannot keep up.
static void least_lifetimes(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 24; i++) {
        struct net_config c = small("4x4x4", i & 1 ? NET_UNIFORM : NET_TORNADO, NET_OFR);
        c.arrivals = (enum net_arrival)(i / 2 % 4);
        c.pipelined = i / 8 % 2;
        c.seed = 1 + i;
        c.threads = 1 + i / 2 % 3;
        c.load = i / 12 ? 1.1 : 0.1;
        c.messages = 6;
        c.message_packets = 1 + i * 11 % 40;
        if (i % 5 == 4) {
            c.mixed = 2;
            c.mix[0] = (struct net_mix){3, 6};
            c.mix[1] = (struct net_mix){31, 2};
        }
        struct net_result whole = run(&c);
        assert_int_equal(whole.end, NET_DRAINED);
        struct net_sim *sim = net_packet_engine.open(&c);
        assert_non_null(sim);
        double sum = (double)whole.stats.sum;
        if (c.arrivals == NET_ARRIVAL_BURST && c.load < 1 && c.message_packets > 20)
            assert_true(net_packet_engine.lifetimes(sim, 0) > 0.3 * sum);
        if (c.arrivals == NET_ARRIVAL_BURST && c.load > 1 && !c.pipelined)
            assert_true(net_packet_engine.lifetimes(sim, 0) > 0.8 * sum);
        for (uint64_t at = 0; at <= whole.end_time; at += whole.end_time / 50) {
            net_packet_engine.advance(sim, at);
            double least = net_packet_engine.lifetimes(sim, at);
            assert_true(least <= sum + 1);
        }
        struct net_result ended = net_packet_engine.result(sim, NET_INTERRUPTED, whole.end_time);
        net_result_free(&ended);
        net_result_free(&whole);
    }
}

static void statistics(void **state)
{
    (void)state;
    struct net_stats s;
    assert_true(net_stats_init(&s, 3));
    assert_true(isnan(net_stats_mean(&s)));
    // Batch means 100, 200, 300.
    for (unsigned i = 0; i < 30; i++)
        net_stats_add(&s, i % 3, 100 * (i % 3 + 1));
    assert_float_equal(net_stats_mean(&s), 200, 1e-9);
    assert_float_equal(net_stats_from(&s, 1), 250, 1e-9);
    assert_float_equal(net_stats_quantile(&s, 0.5), 200, 0);
    net_stats_free(&s);
    assert_true(net_stats_init(&s, 1));
    for (uint64_t v = 1; v <= 1000000; v++)
        net_stats_add(&s, 0, v * 977);
    for (unsigned q = 1; q < 100; q++)
        assert_true(fabs(net_stats_quantile(&s, q / 100.0) / (q * 9770000.0) - 1) < 1.0 / 1000);
    net_stats_free(&s);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lifetimes_by_hand),  cmocka_unit_test(acks_take_the_links_time),
        cmocka_unit_test(odd_sizes_conserve), cmocka_unit_test(long_links),
        cmocka_unit_test(rdr_spreads),        cmocka_unit_test(watchdog_names_what_is_stuck),
        cmocka_unit_test(verdict_is_exact),   cmocka_unit_test(least_lifetimes),
        cmocka_unit_test(statistics),         cmocka_unit_test(links_are_counted),
        cmocka_unit_test(injection_waits),    cmocka_unit_test(rules_for_overload),
        cmocka_unit_test(waits_after_a_nak),  cmocka_unit_test(waits_after_naks_of_many_links),
    };
    seed = exact_seed(argc, argv, 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
