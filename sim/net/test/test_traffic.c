// SPDX-License-Identifier: Apache-2.0
// Traffic patterns: those that the router's generator has are libofr's, on every torus; the others
// by hand. test_traffic
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ofr_regs.h"
#include "pattern.h"
#include "topo/name.h"
#include "traffic/traffic.h"

static struct net_traffic make(enum net_pattern pattern, const char *torus, bool *exists)
{
    struct net_traffic_config config = {.pattern = pattern};
    struct net_traffic traffic = {0};
    struct ofr_torus t;
    assert_true(net_torus_parse(torus, &t));
    *exists = !net_traffic_check(&config, &t);
    if (*exists)
        assert_true(net_traffic_init(&traffic, &config, &t, 1));
    return traffic;
}

static void patterns_are_libofrs(void **state)
{
    (void)state;
    static const char *const tori[] = {"8x8x9", "8x8x8",    "8x8x16",  "4x16",   "16x4",
                                       "5x5",   "5x5x1",    "4x4x4",   "3x5",    "8",
                                       "1",     "1x1",      "2",       "2x2x2",  "24x24x16",
                                       "9x9x9", "2x4x8x16", "3x3x3x3", "4x2x4x2"};
    static const struct {
        enum net_pattern ours;
        unsigned theirs;
    } both[] = {
        {NET_BUTTERFLY, OFR_GEN_CONTROL_PATTERN_BUTTERFLY},
        {NET_TRANSPOSITION, OFR_GEN_CONTROL_PATTERN_TRANSPOSE},
        {NET_TRANSPOSITION3D, OFR_GEN_CONTROL_PATTERN_ROTATE3D},
        {NET_BITREVERSE, OFR_GEN_CONTROL_PATTERN_BITREVERSE},
        {NET_COMPLEMENT, OFR_GEN_CONTROL_PATTERN_COMPLEMENT},
        {NET_TORNADO, OFR_GEN_CONTROL_PATTERN_TORNADO},
        {NET_NEIGHBOUR, OFR_GEN_CONTROL_PATTERN_NEIGHBOUR},
    };
    for (unsigned i = 0; i < sizeof tori / sizeof *tori; i++)
        for (unsigned p = 0; p < sizeof both / sizeof *both; p++) {
            bool exists;
            struct net_traffic traffic = make(both[p].ours, tori[i], &exists);
            struct ofr_torus t;
            net_torus_parse(tori[i], &t);
            if (exists != !ofr_pattern_missing(&t, both[p].theirs))
                print_error("# %s on %s\n", net_pattern_name(both[p].ours), tori[i]);
            assert_int_equal(exists, !ofr_pattern_missing(&t, both[p].theirs));
            for (uint32_t node = 0; exists && node < ofr_nodes(&t); node++)
                for (uint32_t m = 0; m < 14; m++) {
                    struct ofr_coord s = ofr_node_coord(&t, node);
                    struct ofr_coord d = ofr_pattern_destination(&t, both[p].theirs, &s, m);
                    assert_int_equal(net_destination(&traffic, node, m), ofr_node_id(&t, &d));
                }
            net_traffic_free(&traffic);
        }
}

// On 4x8, node = x + 4 y: by the number and by the coordinates are not the same.
static void by_id_and_by_coordinates(void **state)
{
    (void)state;
    static const struct {
        enum net_pattern pattern;
        uint32_t node, to;
    } hand[] = {
        {NET_NEIGHBOUR, 3, 0},          {NET_NEIGHBOUR_ID, 3, 4},     {NET_NEIGHBOUR_ID, 31, 0},
        {NET_TORNADO, 0, 1 + 4 * 3},    {NET_TORNADO_ID, 0, 15},      {NET_TORNADO_ID, 20, 3},
        {NET_BITREVERSE, 1, 16},        {NET_BITREVERSE_COORD, 1, 2}, {NET_BITREVERSE_COORD, 4, 16},
        {NET_BITREVERSE_COORD, 14, 25}, {NET_SHUFFLE, 16, 1},         {NET_SHUFFLE_COORD, 16, 4},
        {NET_SHUFFLE_COORD, 2, 1},      {NET_SHUFFLE_COORD, 13, 26},
    };
    for (size_t i = 0; i < sizeof hand / sizeof *hand; i++) {
        bool exists;
        struct net_traffic traffic = make(hand[i].pattern, "4x8", &exists);
        assert_true(exists);
        assert_int_equal(net_destination(&traffic, hand[i].node, 0), hand[i].to);
        net_traffic_free(&traffic);
    }
    // Permutations, wherever they are.
    static const char *const tori[] = {"4x8", "8x8x8", "1x16", "2x2", "1"};
    for (size_t t = 0; t < sizeof tori / sizeof *tori; t++)
        for (int p = NET_TORNADO_ID; p <= NET_SHUFFLE_COORD; p++) {
            bool exists, taken[512] = {false};
            struct net_traffic traffic = make((enum net_pattern)p, tori[t], &exists);
            assert_true(exists);
            for (uint32_t node = 0; node < traffic.nodes; node++) {
                uint32_t to = net_destination(&traffic, node, 0);
                assert_true(to < traffic.nodes && !taken[to]);
                taken[to] = true;
            }
            net_traffic_free(&traffic);
        }
    bool exists;
    make(NET_SHUFFLE_COORD, "6x4", &exists);
    assert_false(exists);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns_are_libofrs),
        cmocka_unit_test(by_id_and_by_coordinates),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
