// SPDX-License-Identifier: Apache-2.0
// The rivals' ways: how often each is drawn, where they lead, when UGAL goes straight.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "config/random.h"
#include "route/rivals.h"
#include "topo/name.h"

enum { DRAWS = 40000 };

static struct net_paths make(const char *torus, enum net_routing routing)
{
    struct net_config c = net_config_default(NET_PRESET_OFR, routing);
    struct net_paths paths;
    assert_true(net_torus_parse(torus, &c.torus));
    net_paths_init(&paths, &c);
    return paths;
}

static uint64_t bits(unsigned draw)
{
    return net_random(7, DRAW_TIE, draw, 0);
}

static void near(unsigned count, double share)
{
    assert_true(count > (share - 0.02) * DRAWS && count < (share + 0.02) * DRAWS);
}

static void valiant(void **state)
{
    (void)state;
    struct net_paths paths = make("4x5", NET_VALIANT);
    struct ofr_coord s = {{1, 2}}, t = {{3, 2}};
    unsigned over[20] = {0}, straight = 0;
    for (unsigned d = 0; d < DRAWS; d++) {
        struct ofr_way way = net_rival_way(&paths, NET_VALIANT, &s, &t, bits(d), NULL);
        straight += way.kind == OFR_MINIMAL;
        if (way.kind == OFR_MINIMAL)
            continue;
        assert_int_equal(way.distance, ofr_distance(&paths.torus, &s, &way.q) +
                                           ofr_distance(&paths.torus, &way.q, &t));
        over[ofr_node_id(&paths.torus, &way.q)]++;
    }
    near(straight, 2 / 20.0); // over s and over t
    for (unsigned q = 0; q < 20; q++)
        near(over[q], q == ofr_node_id(&paths.torus, &s) || q == ofr_node_id(&paths.torus, &t)
                          ? 0
                          : 1 / 20.0);
}

static void goal(void **state)
{
    (void)state;
    struct net_paths paths = make("8x8x2", NET_GOAL);
    struct ofr_coord s = {{6, 5, 1}}, t = {{1, 5, 0}}; // 3 on over the wrap, 5 back
    unsigned back = 0;
    for (unsigned d = 0; d < DRAWS; d++) {
        struct ofr_way way = net_rival_way(&paths, NET_GOAL, &s, &t, bits(d), NULL);
        struct net_leg leg = net_first_leg(&paths, &s, &t, &way, 0);
        bool minus = leg.mu & 2;
        assert_int_equal(leg.mu, (minus ? 2 : 1) | 1 << 5); // of size 2: the one way there is
        assert_int_equal(leg.left[0], minus ? 5 : 3);
        assert_int_equal(leg.left[1], 0);
        assert_int_equal(leg.left[2], 1);
        back += minus;
    }
    near(back, 3 / 8.0);
}

static void ugal(void **state)
{
    (void)state;
    struct net_paths paths = make("8x8", NET_UGAL);
    struct ofr_coord s = {{0, 0}}, t = {{2, 0}};
    uint8_t used[OFR_MAX_PORTS] = {0};
    const struct ofr_load load = {used, 15, 8};
    unsigned over = 0;
    for (unsigned d = 0; d < DRAWS; d++)
        over += net_rival_way(&paths, NET_UGAL, &s, &t, bits(d), &load).kind != OFR_MINIMAL;
    assert_int_equal(over, 0); // nothing is used: 0 <= 0
    used[0] = 8;               // x+, which is all that is minimal
    for (unsigned d = 0; d < DRAWS; d++) {
        struct ofr_way way = net_rival_way(&paths, NET_UGAL, &s, &t, bits(d), &load);
        struct ofr_coord q = ofr_node_coord(&paths.torus, net_below(bits(d), 64));
        // x+ is among the first links to the drawn node, and the only one, where it lies on the
        // row.
        bool only = q.c[1] == 0 && q.c[0] <= 4 && q.c[0] != 4;
        assert_int_equal(way.kind != OFR_MINIMAL, !only);
        over += way.kind != OFR_MINIMAL;
    }
    near(over, 60 / 64.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(valiant), cmocka_unit_test(goal),
                                       cmocka_unit_test(ugal)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
