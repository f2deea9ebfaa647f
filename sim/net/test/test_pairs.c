// SPDX-License-Identifier: Apache-2.0
// Ping-pong: latencies by hand, conservation on random small runs, the bound that one path sets.
// test_pairs [seed]
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "exact.h"
#include "run/engine.h"
#include "topo/name.h"
#include "traffic/pairs.h"

static uint64_t seed;

// The RDR study's way: pipelined, queues as good as unbounded, unthrottled.
static struct net_config study(const char *torus, enum net_routing routing, uint32_t active)
{
    struct net_config c = net_config_default(NET_PRESET_OFR, routing);
    assert_true(net_torus_parse(torus, &c.torus));
    c.active = active;
    c.pipelined = true;
    c.slots = NET_UNBOUNDED_SLOTS;
    c.throttle = c.escape_throttle = 0;
    return c;
}

static struct net_result run(const struct net_config *c)
{
    char wrong[200] = "";
    net_config_check(c, wrong, sizeof wrong);
    assert_string_equal(wrong, "");
    return net_run(c, 0, NULL, NULL);
}

// Units as in test_net.c: a packet takes 12288 + 12000 on a link, 3840 + 4800 inside.
static void latencies_by_hand(void **state)
{
    (void)state;
    struct net_config c = study("2", NET_DOR, 2);
    c.message_packets = 3;
    c.rounds = 4;
    struct net_result r = run(&c);
    // The third packet waits for two on the link, and then is two hops from the sink. The next
    // message starts when it is there; ACKs of the one before are over by then.
    uint64_t one_way = 8640 + 3 * 12288 + 12000 + 8640;
    assert_int_equal(r.end, NET_DRAINED);
    assert_int_equal(r.pairs, 1);
    assert_int_equal(r.pair_latency[0], 4 * 2 * one_way);
    assert_int_equal(r.end_time, 4 * 2 * one_way);
    assert_int_equal(r.hops, 4 * 2 * 3);
    // Lifetimes are those of packets: the first is there two packets earlier.
    assert_int_equal(r.stats.sum, 4 * 2 * (3 * one_way - 3 * 12288));
    net_result_free(&r);

    c.burst = 2; // pings of 6 packets, pongs of 3
    r = run(&c);
    assert_int_equal(r.pair_latency[0], 4 * (2 * one_way + 3 * 12288));
    net_result_free(&r);

    // The link inside is the slower one.
    c.burst = 1;
    c.int_gbps = 10; // 24576
    r = run(&c);
    assert_int_equal(r.pair_latency[0], 4 * 2 * (3 * 24576 + 4800 + 24288 + 24576 + 4800));
    net_result_free(&r);

    // Stop and wait: the second enters 3 ticks of 1280 * 11 after the first (test_net.c), the
    // third as much later. A pong starts on the grid.
    c = study("2", NET_DOR, 2);
    c.pipelined = false;
    c.message_packets = 3;
    c.rounds = 1;
    r = run(&c);
    uint64_t there = 1280 + 8640 + 2 * 14080 + 24288 + 8640;
    uint64_t tick = (there / 1280 + 1) * 1280;
    assert_int_equal(r.pair_latency[0], tick + there - 1280);
    net_result_free(&r);
}

static void every_packet_arrives(void **state)
{
    (void)state;
    static const char *const tori[] = {"3x5x7", "2x2x2", "2x3x4", "1x4x5", "4x4x4", "2", "9"};
    uint64_t naks = 0, unbounded = 0;
    for (unsigned round = 0; round < 150; round++) {
        struct net_config c =
            study(tori[exact_random(&seed) % 7], (enum net_routing)(exact_random(&seed) % 5), 0);
        uint32_t nodes = ofr_nodes(&c.torus);
        c.active = 2 + 2 * (uint32_t)(exact_random(&seed) % (nodes / 2));
        c.rounds = 1 + (uint32_t)(exact_random(&seed) % 5);
        c.burst = 1 + (uint32_t)(exact_random(&seed) % 5);
        c.message_packets = 1 + (uint32_t)(exact_random(&seed) % 40);
        c.tie = (enum net_tie)(exact_random(&seed) % 3);
        c.ext_latency_ns = (double)(exact_random(&seed) % 300);
        c.int_latency_ns = (double)(exact_random(&seed) % 300);
        c.ack_bytes = (uint32_t)(exact_random(&seed) % 20);
        bool bounded = c.oidn || c.widn || exact_random(&seed) & 1;
        if (bounded) {
            c.pipelined = exact_random(&seed) & 1;
            c.slots = 2 + (uint32_t)(exact_random(&seed) % 8);
            c.throttle = c.escape_throttle = (uint32_t)(exact_random(&seed) % c.slots);
        }
        c.seed = exact_random(&seed);
        struct net_result r = run(&c), again = run(&c);
        uint64_t each = (uint64_t)c.rounds * (c.burst + 1) * c.message_packets;
        if (r.end != NET_DRAINED)
            fprintf(stderr, "# round %u: end %d, %s\n", round, r.end, r.stuck);
        assert_int_equal(r.end, NET_DRAINED);
        assert_int_equal(r.pairs, c.active / 2);
        assert_int_equal(r.generated, c.active / 2 * each);
        assert_int_equal(r.consumed, r.generated);
        assert_int_equal(r.entered, r.generated);
        assert_int_equal(r.in_flight, 0);
        assert_int_equal(r.waiting, 0);
        assert_int_equal(r.slots_held, 0);
        assert_int_equal(r.consumed_hops, r.hops);
        struct net_pairs pairs;
        assert_true(net_pairs_init(&pairs, &c));
        uint64_t hops = 0;
        unsigned used[256] = {0};
        for (uint32_t p = 0; p < pairs.count; p++) {
            struct ofr_coord s = ofr_node_coord(&c.torus, pairs.node[2 * p]);
            struct ofr_coord t = ofr_node_coord(&c.torus, pairs.node[2 * p + 1]);
            assert_int_equal(used[pairs.node[2 * p]]++ + used[pairs.node[2 * p + 1]]++, 0);
            hops += ofr_distance(&c.torus, &s, &t) * each;
            // No chain is faster than its data over the link from the generator.
            double least = (double)net_config_times(&c).int_packet * c.rounds * c.message_packets;
            assert_true((double)r.pair_latency[p] > least * (c.burst + 1));
            assert_int_equal(r.pair_latency[p], again.pair_latency[p]);
        }
        net_pairs_free(&pairs);
        if (c.routing != NET_OFR && c.routing != NET_POR)
            assert_int_equal(r.hops, hops);
        if (!bounded) {
            assert_int_equal(r.naks + r.refused, 0);
            unbounded++;
        }
        assert_int_equal(r.stats.sum, again.stats.sum);
        naks += r.naks;
        net_result_free(&r);
        net_result_free(&again);
    }
    // The runs were hard enough to mean something.
    assert_true(naks > 1000);
    assert_true(unbounded > 20);
}

// One path carries no more than its links; RDR's many do, where nothing else is in the way.
static void one_path_is_bounded(void **state)
{
    (void)state;
    unsigned beyond = 0;
    for (unsigned round = 0; round < 20; round++) {
        struct net_config c = study("8x8x8", NET_DOR, 2 + 2 * (round % 10));
        c.rounds = 1;
        c.burst = 10;
        c.message_packets = 16;
        c.seed = exact_random(&seed);
        uint64_t least = (uint64_t)c.burst * c.message_packets * net_config_times(&c).ext_packet;
        struct net_result dor = run(&c);
        c.routing = NET_RDR;
        struct net_result rdr = run(&c);
        for (uint32_t p = 0; p < dor.pairs; p++) {
            assert_true(dor.pair_latency[p] > least);
            beyond += rdr.pair_latency[p] < least;
        }
        net_result_free(&dor);
        net_result_free(&rdr);
    }
    assert_true(beyond > 20);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(latencies_by_hand),
        cmocka_unit_test(every_packet_arrives),
        cmocka_unit_test(one_path_is_bounded),
    };
    seed = exact_seed(argc, argv, 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
