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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns_are_libofrs),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
