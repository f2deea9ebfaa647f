// SPDX-License-Identifier: Apache-2.0
// Maximum concurrent flows that are known exactly, and on random tori bounds that hold whatever the
// solver does: what dimension order carries, and links over hops.
// test_limit [seed]
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exact.h"
#include "limit/limit.h"
#include "topo/name.h"

static uint64_t seed;

static struct net_config make(const char *torus, enum net_pattern pattern)
{
    struct net_config c = net_config_default(NET_PRESET_OFR, NET_OFR);
    assert_true(net_torus_parse(torus, &c.torus));
    c.traffic.pattern = pattern;
    return c;
}

static struct net_limit limit_of(const struct net_config *c, enum net_path_kind kind, int message)
{
    struct net_limit limit = net_limit(c, kind, message, 0.01, 3000, NULL, NULL);
    assert_null(limit.wrong);
    if (limit.lower > limit.upper * (1 + 1e-9) || limit.upper > 1.01 * limit.lower)
        fail_msg("%g to %g after %u passes", limit.lower, limit.upper, limit.passes);
    return limit;
}

static void assert_limit(const char *torus, enum net_pattern pattern, enum net_path_kind kind,
                         int message, double exact)
{
    struct net_config c = make(torus, pattern);
    struct net_limit limit = limit_of(&c, kind, message);
    if (limit.lower > exact * (1 + 1e-9) || limit.upper < exact * (1 - 1e-9))
        fail_msg("%s %s: %.9g is not in %.9g to %.9g", torus, net_pattern_name(pattern), exact,
                 limit.lower, limit.upper);
}

static void rings(void **state)
{
    (void)state;
    // Tornado, k = 5: 2 hops on, or 3 back: a node sends 1/2 that way and 1/3 this way at most, in
    // units of 8/k links.
    assert_limit("5", NET_TORNADO, NET_PATHS_MINIMAL, NET_DEMAND_ALL, 5 / 16.0);
    assert_limit("5", NET_TORNADO, NET_PATHS_ANY, NET_DEMAND_ALL, (1 / 2.0 + 1 / 3.0) * 5 / 8);
    assert_limit("8", NET_TORNADO, NET_PATHS_ANY, NET_DEMAND_ALL, 1 / 3.0 + 1 / 5.0);
    assert_limit("8", NET_NEIGHBOUR, NET_PATHS_ANY, NET_DEMAND_ALL, 1 + 1 / 7.0);
    assert_limit("8", NET_NEIGHBOUR, NET_PATHS_MINIMAL, NET_DEMAND_ALL, 1);
    // At distance k/2 either way, or + only.
    assert_limit("8", NET_UNIFORM, NET_PATHS_MINIMAL, NET_DEMAND_ALL, 1);
    struct net_config c = make("8", NET_UNIFORM);
    c.tie = NET_TIE_PLUS; // 1+2+3+4 of 8 go +, 6 of 8 go -
    struct net_limit plus = limit_of(&c, NET_PATHS_MINIMAL, NET_DEMAND_ALL);
    assert_true(plus.lower <= 0.8 + 1e-9 && plus.upper >= 0.8 - 1e-9);
    assert_limit("2", NET_COMPLEMENT, NET_PATHS_ANY, NET_DEMAND_ALL, 1 / 4.0);
}

// Where links across a bisection are full, or hops are as few as can be on links used alike.
static void cubes(void **state)
{
    (void)state;
    assert_limit("8x8x8", NET_TORNADO, NET_PATHS_MINIMAL, NET_DEMAND_ALL, 1 / 3.0);
    assert_limit("8x8x8", NET_TORNADO, NET_PATHS_ANY, NET_DEMAND_ALL, 1 / 3.0 + 1 / 5.0);
    assert_limit("8x8x8", NET_TORNADO, NET_PATHS_IDN, NET_DEMAND_ALL, 1 / 3.0 + 1 / 5.0);
    assert_limit("8x8x8", NET_COMPLEMENT, NET_PATHS_ANY, NET_DEMAND_ALL, 0.5);
    assert_limit("8x8x8", NET_UNIFORM, NET_PATHS_ANY, NET_DEMAND_ALL, 1);
    assert_limit("8x8x8", NET_BITREVERSE, NET_PATHS_MINIMAL, NET_DEMAND_ALL, 0.5);
    assert_limit("8x8x8", NET_BUTTERFLY, NET_PATHS_MINIMAL, 0, 1);
    assert_limit("8x8x8", NET_BUTTERFLY, NET_PATHS_MINIMAL, 1, 0.5);
    assert_limit("8x8x8", NET_BUTTERFLY, NET_PATHS_MINIMAL, 5, 0.5);
}

// By dimension order, + at ties: the load it carries.
static double dimension_order(const struct net_config *c, const struct net_demand *demand)
{
    static double load[4096 * OFR_MAX_PORTS];
    const struct ofr_torus *torus = &c->torus;
    double most = 0;
    unsigned k_max = 1;
    memset(load, 0, sizeof load);
    for (unsigned i = 0; i < torus->n; i++)
        k_max = torus->k[i] > k_max ? torus->k[i] : k_max;
    for (uint32_t f = 0; f < demand->count; f++) {
        struct ofr_coord at = ofr_node_coord(torus, demand->flow[f].source);
        struct ofr_coord to = ofr_node_coord(torus, demand->flow[f].destination);
        int port;
        while ((port = ofr_escape_port(torus, &at, &to)) >= 0) {
            double *l = &load[ofr_node_id(torus, &at) * OFR_MAX_PORTS + (unsigned)port];
            *l += demand->flow[f].share * 8 / k_max;
            most = *l > most ? *l : most;
            at = ofr_neighbour(torus, at, (unsigned)port);
        }
    }
    return 1 / most;
}

// Links over demand times hops: what minimal paths cannot exceed, were all links full.
static double links_over_hops(const struct net_config *c, const struct net_demand *demand)
{
    const struct ofr_torus *torus = &c->torus;
    unsigned links = 0, k_max = 1;
    double hops = 0;
    for (unsigned i = 0; i < torus->n; i++)
        k_max = torus->k[i] > k_max ? torus->k[i] : k_max;
    for (uint32_t node = 0; node < ofr_nodes(torus); node++) {
        struct ofr_coord at = ofr_node_coord(torus, node);
        links += (unsigned)__builtin_popcount(ofr_existing_ports(torus, &at));
    }
    for (uint32_t f = 0; f < demand->count; f++) {
        struct ofr_coord s = ofr_node_coord(torus, demand->flow[f].source);
        struct ofr_coord t = ofr_node_coord(torus, demand->flow[f].destination);
        hops += demand->flow[f].share * ofr_distance(torus, &s, &t) * 8 / k_max;
    }
    return links / hops;
}

static void random_tori(void **state)
{
    (void)state;
    static const char *const tori[] = {"4x4", "3x5", "2x4x3", "5x5", "1x7", "8x4", "2x2", "3x3x3"};
    for (unsigned round = 0; round < 60; round++) {
        enum net_pattern pattern = exact_random(&seed) % 4 ? NET_PERMUTATION : NET_HOTSPOT;
        struct net_config c = make(tori[exact_random(&seed) % 8], pattern);
        c.seed = exact_random(&seed) >> 1;
        c.tie = exact_random(&seed) & 1 ? NET_TIE_PLUS : NET_TIE_BOTH;
        c.traffic.hotspots = 1;
        c.traffic.weight = (double)(exact_random(&seed) % 11) / 10;
        c.traffic.hotspot[0] = (uint32_t)(exact_random(&seed) % ofr_nodes(&c.torus));
        struct net_demand demand;
        const char *none =
            net_demand_init(&demand, &c.traffic, &c.torus, c.seed, NET_DEMAND_ALL, false);
        if (none) {
            assert_string_equal(none, "no packet leaves its node");
            continue;
        }
        struct net_limit any = limit_of(&c, NET_PATHS_ANY, NET_DEMAND_ALL);
        struct net_limit minimal = limit_of(&c, NET_PATHS_MINIMAL, NET_DEMAND_ALL);
        struct net_limit idn = limit_of(&c, NET_PATHS_IDN, NET_DEMAND_ALL);
        double least = dimension_order(&c, &demand), most = links_over_hops(&c, &demand);
        net_demand_free(&demand);
        if (minimal.lower > idn.upper + 1e-9 || idn.lower > any.upper + 1e-9 ||
            least > minimal.upper + 1e-9 || any.lower > most + 1e-9)
            fail_msg("round %u: dimension order %g, minimal %g, IDN %g, any %g, most %g", round,
                     least, minimal.lower, idn.lower, any.lower, most);
    }
}

// Uniform looks at one node, hot spots without weight at all of them.
static void shifts_change_nothing(void **state)
{
    (void)state;
    static const char *const tori[] = {"4x4", "3x5", "2x4x3", "6x3"};
    for (unsigned i = 0; i < 4; i++)
        for (int kind = 0; kind < 3; kind++) {
            struct net_config c = make(tori[i], NET_UNIFORM), d = make(tori[i], NET_HOTSPOT);
            d.traffic.hotspots = 1;
            struct net_limit a = limit_of(&c, (enum net_path_kind)kind, NET_DEMAND_ALL);
            struct net_limit b = limit_of(&d, (enum net_path_kind)kind, NET_DEMAND_ALL);
            assert_true(a.shifts > 1 && b.shifts == 1 && a.flows * a.shifts == b.flows);
            assert_true(a.lower <= b.upper && b.lower <= a.upper);
        }
}

static void what_has_no_limit(void **state)
{
    (void)state;
    struct net_config c = make("1", NET_UNIFORM);
    assert_string_equal(net_limit(&c, NET_PATHS_ANY, -1, 0.01, 9, NULL, NULL).wrong,
                        "no packet leaves its node");
    c = make("64x64", NET_HOTSPOT);
    c.traffic.hotspots = 1;
    assert_string_equal(net_limit(&c, NET_PATHS_ANY, -1, 0.01, 9, NULL, NULL).wrong,
                        "more than 4194304 pairs of nodes");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rings),
        cmocka_unit_test(cubes),
        cmocka_unit_test(random_tori),
        cmocka_unit_test(shifts_change_nothing),
        cmocka_unit_test(what_has_no_limit),
    };
    seed = exact_seed(argc, argv, 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
