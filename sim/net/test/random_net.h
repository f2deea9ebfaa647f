// SPDX-License-Identifier: Apache-2.0
// Small nets drawn at random for the tests of the packet engine, and what makes two results the
// same to the bit. After cmocka.h.
#ifndef RANDOM_NET_H
#define RANDOM_NET_H

#include <string.h>

#include "exact.h"
#include "run/engine.h"
#include "topo/name.h"

// Any preset (by `round`), routing, pattern and arrivals, odd sizes, few slots; one that
// net_config_check takes.
static inline struct net_config random_net(unsigned round, uint64_t *seed)
{
    static const char *const tori[] = {"3x5x7", "2x2x2", "2x3x4", "1x4x5",   "4x4x4",      "1", "2",
                                       "9",     "2x2",   "6x6",   "3x3x3x3", "2x2x2x2x2x2"};
    static const enum net_pattern patterns[] = {NET_UNIFORM, NET_TORNADO, NET_NEIGHBOUR,
                                                NET_PERMUTATION, NET_HOTSPOT};
    struct net_config c = net_config_default((enum net_preset)(round % 3),
                                             (enum net_routing)(exact_random(seed) % 5));
    assert_true(net_torus_parse(tori[exact_random(seed) % 12], &c.torus));
    c.traffic.pattern = patterns[exact_random(seed) % 5];
    c.traffic.hotspots = 1;
    c.traffic.hotspot[0] = (uint32_t)(exact_random(seed) % ofr_nodes(&c.torus));
    c.traffic.weight = 0.3;
    c.tie = (enum net_tie)(exact_random(seed) % 3);
    c.messages = 1 + (uint32_t)(exact_random(seed) % 6);
    c.message_packets = 1 + (uint32_t)(exact_random(seed) % 60);
    c.slots = 2 + (uint32_t)(exact_random(seed) % 8);
    c.throttle = (uint32_t)(exact_random(seed) % c.slots);
    c.escape_throttle = c.throttle;
    if (exact_random(seed) % 3 == 0) {
        c.escape_throttle = (uint32_t)(exact_random(seed) % (c.slots + (c.routing != NET_DOR)));
        c.transit_throttle = (uint32_t)(exact_random(seed) % c.slots);
        c.node_throttle = (uint32_t)(exact_random(seed) % (4 * c.slots));
        c.nak_gate_us = (double)(exact_random(seed) % 3);
        c.nak_ports = 1 + (uint32_t)(exact_random(seed) % 6);
        while (c.nak_ports > 1 && net_config_check(&c, (char[300]){0}, 300))
            c.nak_ports--; // more than a node has
        c.source_gate_us = (double)(exact_random(seed) % 20);
        c.ratio = (double)(exact_random(seed) % 9) / 4;
        c.above_mean = (double)(exact_random(seed) % 5) / 2;
        c.once = exact_random(seed) & 1;
        c.smooth = (uint32_t)(exact_random(seed) % 5);
        c.gates_only = exact_random(seed) & 1 && c.smooth && (c.ratio > 0 || c.above_mean > 0);
    }
    c.load = 0.1 + (double)(exact_random(seed) % 30) / 10;
    c.count_all = exact_random(seed) & 1;
    c.orthants = c.routing == NET_OFR && c.torus.n <= 5 && exact_random(seed) & 1;
    c.injection_gamma0 = 1 + (double)(exact_random(seed) % 60) / 10;
    c.ext_latency_ns = (double)(exact_random(seed) % 2000);
    c.ack_bytes = 1 + (uint32_t)(exact_random(seed) % 512);
    c.seed = exact_random(seed);
    c.pipelined = exact_random(seed) & 1;
    c.arrivals = (enum net_arrival)(exact_random(seed) % 4);
    c.on_messages = 1 + (double)(exact_random(seed) % 9);
    if (exact_random(seed) % 3 == 0) {
        c.mixed = 2;
        c.mix[0] = (struct net_mix){1, 2};
        c.mix[1] = (struct net_mix){c.message_packets, 1};
    }
    char wrong[300];
    while (net_config_check(&c, wrong, sizeof wrong)) // more than the arrivals can make
        c.load /= 2;
    return c;
}

static inline void assert_same(const struct net_config *c, const struct net_result *a,
                               const struct net_result *b)
{
    size_t links = (size_t)ofr_nodes(&c->torus) * 2 * c->torus.n;
    struct net_result x = *a, y = *b;
    assert_memory_equal(a->stats.bins, b->stats.bins, NET_STATS_BINS * sizeof *a->stats.bins);
    assert_memory_equal(a->stats.batch_sum, b->stats.batch_sum,
                        a->stats.batches * sizeof *a->stats.batch_sum);
    x.stats.bins = y.stats.bins = NULL;
    x.stats.batch_count = y.stats.batch_count = NULL;
    x.stats.batch_sum = y.stats.batch_sum = NULL;
    assert_memory_equal(a->stats.arrived, b->stats.arrived,
                        a->stats.batches * sizeof *a->stats.arrived);
    x.stats.arrived = y.stats.arrived = NULL;
    assert_memory_equal(a->sent, b->sent, links * sizeof *a->sent);
    x.sent = y.sent = NULL;
    x.pair_latency = y.pair_latency = NULL;
    assert_memory_equal(&x, &y, sizeof x);
}

#endif
