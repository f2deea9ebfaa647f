// SPDX-License-Identifier: Apache-2.0
// The presets' ways and choices: ofr is the model's, ofr-2013 and ofr-literal by hand.
// test_paths [seed]
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "exact.h"
#include "route/relation.h"
#include "topo/name.h"

static uint64_t seed;

static struct net_paths make(enum net_preset preset, enum net_routing routing, const char *torus)
{
    struct net_config c = net_config_default(preset, routing);
    struct net_paths paths;
    assert_true(net_torus_parse(torus, &c.torus));
    net_paths_init(&paths, &c);
    return paths;
}

static struct ofr_coord at(uint8_t x, uint8_t y, uint8_t z)
{
    return (struct ofr_coord){{x, y, z}};
}

static void assert_q(const struct ofr_way *way, uint8_t x, uint8_t y, uint8_t z)
{
    assert_int_equal(way->q.c[0], x);
    assert_int_equal(way->q.c[1], y);
    assert_int_equal(way->q.c[2], z);
}

static void assert_profit(struct net_profit p, int64_t num, int64_t den)
{
    assert_true(p.den > 0);
    assert_int_equal(p.num * den, num * p.den);
}

// Preset ofr takes ofr_decide's way, on random pairs, sizes and occupancies, pruned or not.
static void ofr_is_the_models(void **state)
{
    (void)state;
    static const char *const tori[] = {"8x8x8", "3x5x7",   "2x6x4", "1x9",
                                       "4x4",   "2x3x2x4", "16x8x8"};
    for (unsigned round = 0; round < 40000; round++) {
        unsigned which = exact_random(&seed) % 7;
        enum net_routing routing = exact_random(&seed) & 1 ? NET_OFR : NET_POR;
        struct net_paths paths = make(NET_PRESET_OFR, routing, tori[which]);
        paths.tie = exact_random(&seed) & 1 ? NET_TIE_PLUS : NET_TIE_BOTH;
        uint32_t nodes = ofr_nodes(&paths.torus);
        struct ofr_sample x = {.torus = paths.torus,
                               .tie = paths.tie == NET_TIE_PLUS ? OFR_TIE_PLUS : OFR_TIE_BOTH,
                               .s = ofr_node_coord(&paths.torus, exact_random(&seed) % nodes),
                               .t = ofr_node_coord(&paths.torus, exact_random(&seed) % nodes),
                               .slots = 8};
        exact_random_used(&x, &seed);
        struct ofr_decision want = ofr_decide(&x, &paths.table);
        struct ofr_load load = {x.used, ofr_existing_ports(&x.torus, &x.s), x.slots};
        struct ofr_way ways[OFR_MAX_WAYS];
        unsigned count = net_ways(&paths, &x.s, &x.t, round & 1, ways);
        const struct ofr_way *way = &ways[net_choose(&paths, &load, ways, count, 0)];
        assert_int_equal(way->kind, want.kind);
        assert_memory_equal(&way->q, &want.q, sizeof want.q);
    }
}

// s = (6,0,1), t = (1,3,1): in x the way is + over the wrap, the midpoint floor((7 mod 8)/2) = 3 is
// the antipode of the true one; z is equal.
static void ofr_2013_geometry(void **state)
{
    (void)state;
    struct net_paths paths = make(NET_PRESET_2013, NET_OFR, "8x8x8");
    struct ofr_coord s = at(6, 0, 1), t = at(1, 3, 1);
    struct ofr_way ways[OFR_MAX_WAYS];
    unsigned count = net_ways(&paths, &s, &t, false, ways);
    assert_int_equal(count, 1 + 4 + 8);
    assert_int_equal(ways[0].distance, 6);
    assert_int_equal(ways[0].arrive, 2);
    // Coplanar, z equal: (lambda_z; lambda_x, lambda_y) = (0,-1,1) (0,1,-1) (1,0,0) (-1,0,0).
    assert_q(&ways[1], 4, 5, 1);
    assert_q(&ways[2], 3, 6, 1);
    assert_q(&ways[3], 3, 1, 3);
    assert_q(&ways[4], 3, 1, 7);
    // 6 to 4 in x, 0 to 5 in y are 2 + 3; 4 to 1, 5 to 3: 3 + 2.
    assert_true(ways[1].admissible);
    assert_int_equal(ways[1].distance, 10);
    assert_int_equal(ways[1].leave, 1 << 1 | 1 << 3); // x-, y-
    assert_int_equal(ways[1].arrive, 2);
    // WIDNs: z fastest; beta = 0 is there and leaves over x-.
    assert_int_equal(ways[5].index, 0);
    assert_q(&ways[5], 3, 1, 1);
    assert_true(ways[5].admissible);
    assert_int_equal(ways[5].leave, 1 << 1 | 1 << 2);
    assert_int_equal(ways[6].index, 4); // z
    assert_q(&ways[6], 3, 1, 5);
    assert_int_equal(ways[7].index, 2);
    assert_q(&ways[7], 3, 5, 1);
    // beta = (1,0,0) is the true midpoint: minimal, not admissible.
    assert_int_equal(ways[9].index, 1);
    assert_q(&ways[9], 7, 1, 1);
    assert_false(ways[9].admissible);
}

static void ofr_2013_order(void **state)
{
    (void)state;
    static const int8_t general[6][3] = {{-1, 1, 0}, {-1, 0, 1}, {1, -1, 0},
                                         {0, -1, 1}, {1, 0, -1}, {0, 1, -1}};
    struct net_paths paths = make(NET_PRESET_2013, NET_OFR, "8x8x8");
    for (unsigned j = 0; j < 6; j++)
        assert_memory_equal(paths.table.lambda[0][j], general[j], 3);
    assert_int_equal(paths.table.valid[0], 0x3f);
    // Collinear along y: (x, z; y) = (-1,0;0) (0,-1;0).
    struct ofr_way ways[OFR_MAX_WAYS];
    struct ofr_coord s = at(2, 1, 4), t = at(2, 4, 4);
    net_ways(&paths, &s, &t, false, ways);
    assert_int_equal(ways[1].kind, OFR_OIDN);
    assert_q(&ways[1], 0, 2, 4);
    assert_q(&ways[2], 2, 2, 2);
    assert_int_equal(ways[3].kind, OFR_WIDN);
}

// C = 8; used x+ 6, x- 1, y+ 4, y- 2, z+ 3, z- 5; u* = 1. The pair of ofr_2013_geometry.
static void ofr_2013_profit(void **state)
{
    (void)state;
    struct net_paths paths = make(NET_PRESET_2013, NET_OFR, "8x8x8");
    struct ofr_coord s = at(6, 0, 1), t = at(1, 3, 1);
    struct ofr_way ways[OFR_MAX_WAYS];
    unsigned count = net_ways(&paths, &s, &t, false, ways);
    uint8_t used[] = {6, 1, 4, 2, 3, 5};
    struct ofr_load load = {used, 0x3f, 8};
    // Minimal: F = 2 + 4, m = 2, u = 5: 1/5 + 2.
    assert_profit(net_way_profit(&paths, &load, &ways[0], 6), 11, 5);
    // lambda (-1,1): F = 7 + 6, m = 2, u = 3/2: 2/3 + 2 * 6/10.
    assert_profit(net_way_profit(&paths, &load, &ways[1], 6), 28, 15);
    // (1,0,0): leaves over x- y+ z+, F = 7 + 4 + 5 = 16; (3,1,3) to (1,3,1): x- y+ z-, m = 3,
    // u = 8/3; distances 3 + 1 + 2 and 2 + 2 + 2: 3/8 + 2 * 6/12.
    assert_profit(net_way_profit(&paths, &load, &ways[3], 6), 11, 8);
    assert_int_equal(net_choose(&paths, &load, ways, count, 0), 0);

    // A way with m = 1 of a leg over two links: u = 8 - 13/1 < 0.
    struct ofr_way way = ways[1];
    way.arrive = 1;
    assert_profit(net_way_profit(&paths, &load, &way, 6), -1 + 6, 5); // 1/-5 + 6/5
    // u = 0 beats every finite profit.
    uint8_t half[] = {6, 4, 4, 4, 3, 5};
    load.used = half;
    assert_int_equal(net_way_profit(&paths, &load, &way, 6).den, 0);
    way.admissible = true;
    struct ofr_way two[] = {ways[0], way};
    assert_int_equal(net_choose(&paths, &load, two, 2, 0), 1);
    // No free slot: 0. u* = 0 then makes all others' first term 1.
    uint8_t full[] = {8, 8, 8, 8, 8, 0};
    load.used = full;
    assert_profit(net_way_profit(&paths, &load, &ways[1], 6), 0, 1);
    assert_profit(net_way_profit(&paths, &load, &ways[4], 6), 1 * ways[4].distance + 12,
                  ways[4].distance);
}

// The way taken is the first of the greatest profit, whatever need not be computed.
static void choice_2013(void **state)
{
    (void)state;
    static const char *const tori[] = {"8x8x8", "3x5x7", "2x6x4", "9", "4x4", "1x8x8", "2x3x2x4"};
    for (unsigned round = 0; round < 40000; round++) {
        enum net_routing routing = exact_random(&seed) & 1 ? NET_OFR : NET_POR;
        struct net_paths paths = make(NET_PRESET_2013, routing, tori[exact_random(&seed) % 7]);
        paths.table.eta = (uint8_t)(exact_random(&seed) % 3 * 16);
        uint32_t nodes = ofr_nodes(&paths.torus);
        struct ofr_sample x = {.torus = paths.torus,
                               .s = ofr_node_coord(&paths.torus, exact_random(&seed) % nodes),
                               .t = ofr_node_coord(&paths.torus, exact_random(&seed) % nodes),
                               .slots = 8};
        exact_random_used(&x, &seed);
        struct ofr_load load = {x.used, ofr_existing_ports(&x.torus, &x.s), x.slots};
        struct ofr_way ways[OFR_MAX_WAYS];
        unsigned count = net_ways(&paths, &x.s, &x.t, round & 1, ways), best = 0;
        unsigned d = ways[0].distance;
        for (unsigned w = 1; w < count && d >= 2; w++) {
            struct net_profit p = net_way_profit(&paths, &load, &ways[w], d);
            struct net_profit most = net_way_profit(&paths, &load, &ways[best], d);
            if (ways[w].admissible && p.num * most.den > most.num * p.den)
                best = w;
        }
        assert_int_equal(net_choose(&paths, &load, ways, count, 0), best);
    }
}

static void por_2013(void **state)
{
    (void)state;
    struct net_paths paths = make(NET_PRESET_2013, NET_POR, "8x8x8");
    struct ofr_coord s = at(1, 2, 3), t = at(3, 2, 7);
    struct ofr_way ways[OFR_MAX_WAYS];
    unsigned count = net_ways(&paths, &s, &t, false, ways);
    assert_int_equal(count, 1 + 8);
    assert_int_equal(ways[0].leave, 1 << 0 | 1 << 4); // at distance 4: z+
    // Orthants with x fastest: x- z+ is the second, x+ z- the fifth; y does not matter.
    assert_false(ways[1].admissible);
    assert_true(ways[2].admissible);
    assert_int_equal(ways[2].distance, 6 + 4);
    assert_int_equal(ways[2].leave, 1 << 1 | 1 << 4);
    assert_false(ways[3].admissible);
    assert_true(ways[5].admissible);
    assert_int_equal(ways[5].distance, 2 + 4);
    assert_int_equal(ways[5].leave, 1 << 0 | 1 << 5);
    // Minimal: F = 2 + 3, m = 2, u = 11/2: 2/11 + 1; x+ z-: F = 2 + 7, m = 3, u = 5: 1/5 + 1.
    uint8_t used[] = {6, 2, 3, 4, 5, 1};
    struct ofr_load load = {used, 0x3f, 8};
    assert_profit(net_way_profit(&paths, &load, &ways[0], 6), 13, 11);
    assert_profit(net_way_profit(&paths, &load, &ways[5], 6), 6, 5);
    assert_int_equal(net_choose(&paths, &load, ways, count, 0), 5);
    struct net_leg leg = net_first_leg(&paths, &s, &t, &ways[2], 0);
    assert_int_equal(leg.left[0], 6);
    assert_int_equal(leg.left[1], 0);
    assert_int_equal(leg.left[2], 4);
    assert_int_equal(leg.mu, ways[2].leave);
}

// As candidates of OFR, behind all others; u as in eq. 16, both ways at distance k/2.
static void orthants_beside(void **state)
{
    (void)state;
    struct net_config c = net_config_default(NET_PRESET_OFR, NET_OFR);
    c.eta = 2;
    struct ofr_coord s = at(1, 2, 3), t = at(3, 2, 7);
    struct ofr_way ways[OFR_MAX_WAYS], others[OFR_MAX_WAYS];
    struct net_paths paths;
    net_paths_init(&paths, &c);
    unsigned without = net_ways(&paths, &s, &t, false, others);
    c.orthants = true;
    net_paths_init(&paths, &c);
    unsigned count = net_ways(&paths, &s, &t, false, ways);
    assert_int_equal(count, without + 8);
    assert_memory_equal(ways, others, without * sizeof *ways);
    const struct ofr_way *orthant = &ways[without];
    // z is at distance 4: z+ and z- are both minimal, and only x- is another way.
    assert_false(orthant[0].admissible);
    assert_true(orthant[1].admissible);
    assert_false(orthant[4].admissible);
    assert_true(orthant[5].admissible);
    assert_int_equal(orthant[5].leave, 1 << 1 | 1 << 5);
    assert_int_equal(orthant[5].distance, 6 + 4);
    // All full but for x- and z-: x- z- has u = (1 + 3)/2, u* = 1: 1/2 + 2 * 6/10; an IDN that
    // leaves over one of them and a full link has less.
    uint8_t used[] = {8, 1, 8, 8, 8, 3};
    struct ofr_load load = {used, 0x3f, 8};
    assert_profit(net_way_profit(&paths, &load, &orthant[5], 6), 17, 10);
    struct net_leg leg = net_first_leg(&paths, &s, &t, &orthant[5], 0);
    assert_int_equal(leg.left[0], 6);
    assert_int_equal(leg.left[1], 0);
    assert_int_equal(leg.left[2], 4);
    assert_int_equal(leg.mu, orthant[5].leave);
}

// Bare coordinates: (6 + 1)/2 = 3 in x; eq. 15 without the two rules.
static void literal(void **state)
{
    (void)state;
    struct net_paths paths = make(NET_PRESET_LITERAL, NET_OFR, "8x8x8");
    struct ofr_coord s = at(6, 0, 1), t = at(1, 3, 1);
    struct ofr_way ways[OFR_MAX_WAYS];
    unsigned count = net_ways(&paths, &s, &t, false, ways);
    assert_int_equal(count, 1 + 4 + 7);
    assert_q(&ways[3], 3, 1, 3);
    assert_int_equal(ways[5].index, 1); // beta = (1,0,0): floor(15/2) = 7
    assert_q(&ways[5], 7, 1, 1);
    assert_int_equal(ways[8].index, 4);
    assert_q(&ways[8], 3, 1, 5);
    uint8_t used[] = {8, 0, 8, 8, 8, 8};
    struct ofr_load load = {used, 0x3f, 8};
    // u* = 0: the first term is 0 where u > 0, even where all is full.
    assert_profit(net_way_profit(&paths, &load, &ways[0], 6), 2, 1);
}

static void random_ties(void **state)
{
    (void)state;
    struct net_paths paths = make(NET_PRESET_OFR, NET_OFR, "8x8x8");
    struct ofr_coord s = at(0, 0, 0), t = at(4, 1, 4);
    paths.tie = NET_TIE_RANDOM;
    for (uint32_t draw = 0; draw < 8; draw++) {
        struct net_leg leg = net_leg(&paths, &s, &t, draw);
        assert_int_equal(leg.mu, (draw & 1 ? 2 : 1) | 1 << 2 | (draw & 4 ? 2 : 1) << 4);
        assert_int_equal(leg.left[0], 4);
    }
    paths.tie = NET_TIE_BOTH;
    assert_int_equal(net_leg(&paths, &s, &t, 7).mu, 3 | 1 << 2 | 3 << 4);
}

// Where all nodes are said to be alike, ways from any node are those from node 0.
static void alike(void **state)
{
    (void)state;
    static const char *const tori[] = {"8x8x8", "3x5x7", "9", "1x4x4", "6x4x3x3", "2x6x4"};
    unsigned count_alike = 0;
    for (unsigned round = 0; round < 20000; round++) {
        enum net_preset preset = (enum net_preset)(exact_random(&seed) % 3);
        enum net_routing routing = exact_random(&seed) & 1 ? NET_OFR : NET_POR;
        struct net_paths paths = make(preset, routing, tori[exact_random(&seed) % 6]);
        const enum net_tie ties[] = {NET_TIE_PLUS, NET_TIE_BOTH, NET_TIE_RANDOM};
        paths.tie = ties[exact_random(&seed) % 3];
        uint32_t nodes = ofr_nodes(&paths.torus), draw = (uint32_t)exact_random(&seed);
        struct ofr_coord s = ofr_node_coord(&paths.torus, exact_random(&seed) % nodes);
        struct ofr_coord t = ofr_node_coord(&paths.torus, exact_random(&seed) % nodes);
        struct ofr_coord zero = {{0}}, apart = t;
        for (unsigned i = 0; i < paths.torus.n; i++)
            apart.c[i] = (uint8_t)((t.c[i] + paths.torus.k[i] - s.c[i]) % paths.torus.k[i]);
        struct ofr_way ways[OFR_MAX_WAYS], from_0[OFR_MAX_WAYS];
        if (!net_paths_alike(&paths))
            continue;
        count_alike++;
        unsigned count = net_ways_kept(&paths, &s, &t, ways);
        assert_int_equal(count, net_ways_kept(&paths, &zero, &apart, from_0));
        for (unsigned w = 0; w < count; w++) {
            struct net_leg a = net_first_leg(&paths, &s, &t, &ways[w], draw);
            struct net_leg b = net_first_leg(&paths, &zero, &apart, &from_0[w], draw);
            assert_true(net_pack_leg(a) == net_pack_leg(b));
            from_0[w].q = ways[w].q;
            assert_memory_equal(&ways[w], &from_0[w], sizeof ways[w]);
        }
    }
    assert_in_range(count_alike, 4000, 7000); // a third of the presets, 5 of 6 tori
}

// The outputs of random heads, by the rules' text; the bubble and the threshold by hand.
static void relation(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 20000; round++) {
        enum net_routing routing = exact_random(&seed) % 5;
        struct net_paths paths = make(NET_PRESET_OFR, routing, round & 1 ? "8x5x2" : "4x4");
        uint32_t nodes = ofr_nodes(&paths.torus), links = 2u * paths.torus.n;
        struct ofr_coord s = ofr_node_coord(&paths.torus, exact_random(&seed) % nodes);
        struct ofr_coord t = ofr_node_coord(&paths.torus, exact_random(&seed) % nodes);
        if (!ofr_distance(&paths.torus, &s, &t))
            continue;
        struct net_leg leg = net_leg(&paths, &s, &t, 0);
        struct net_in in = {(uint8_t)(exact_random(&seed) % links),
                            (uint8_t)(exact_random(&seed) % NET_VCS)};
        if (exact_random(&seed) % 4 == 0)
            in = (struct net_in){NET_GENERATOR, 0};
        struct net_head head = {leg.mu, exact_random(&seed) & 1};
        struct net_candidate out[NET_MAX_CANDIDATES];
        unsigned count = net_candidates(routing, in, head, out);
        uint32_t adaptive = 0;
        for (unsigned i = 0; i + 1 < count; i++) {
            assert_int_equal(out[i].vc, NET_ADAPTIVE);
            assert_int_equal(out[i].need, NET_NEED_SLOT);
            adaptive |= 1u << out[i].port;
        }
        assert_int_equal(adaptive, routing == NET_DOR ? 0 : leg.mu);
        struct net_candidate escape = out[count - 1];
        assert_int_equal(escape.port, ofr_escape_port(&paths.torus, &s, &t));
        assert_int_equal(escape.vc, head.to_idn ? NET_VS1 : NET_VS2);
        bool same_ring = in.port != NET_GENERATOR && in.port / 2 == escape.port / 2 &&
                         in.port != escape.port && in.vc == escape.vc;
        assert_int_equal(escape.need, same_ring ? NET_NEED_GOES_ON : NET_NEED_ENTERS);
    }
    assert_true(net_need_met(NET_NEED_SLOT, 1, 0) && !net_need_met(NET_NEED_SLOT, 0, 0));
    assert_true(net_need_met(NET_NEED_GOES_ON, 1, 0) && !net_need_met(NET_NEED_GOES_ON, 0, 0));
    assert_true(net_need_met(NET_NEED_ENTERS, 2, 0) && !net_need_met(NET_NEED_ENTERS, 1, 0));
    assert_true(net_need_met(NET_NEED_SLOT, 5, 4) && !net_need_met(NET_NEED_SLOT, 4, 4));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ofr_is_the_models), cmocka_unit_test(ofr_2013_geometry),
        cmocka_unit_test(ofr_2013_order),    cmocka_unit_test(ofr_2013_profit),
        cmocka_unit_test(choice_2013),       cmocka_unit_test(por_2013),
        cmocka_unit_test(literal),           cmocka_unit_test(random_ties),
        cmocka_unit_test(orthants_beside),   cmocka_unit_test(alike),
        cmocka_unit_test(relation),
    };
    seed = exact_seed(argc, argv, 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
