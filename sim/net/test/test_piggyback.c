// SPDX-License-Identifier: Apache-2.0
// Piggybacking (PB) on the Dragonfly, by single packets in a network whose queues are made by hand:
// what a router tells its group of its global links, when the others know it, and what they do.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "config/settings.h"
#include "dragonfly/sim.h"

// h = 3: groups of 6 routers with 3 nodes and 3 global links each; local links of 10 cycles; room
// for 32 packets of 8 words in a VC of a global link, so its link is congested with more than twice
// the mean of its router's three and 5 packets: with 16, alone, but not with 15.
enum {
    SOURCE = 10 * 18, // router 0 of group 10
    GROUP = 6,        // its minimal link leaves from router 1
    FULL = 31,        // one place is left, for a packet that goes there all the same
    SINCE = 20,       // cycle from which on the link is as it is
    DELAY = 10,
};

static void set(struct net_config *c, const char *name, const char *value)
{
    char wrong[400];
    const char *what = net_setting_parse(net_setting_find(name), c, value, wrong, sizeof wrong);
    if (what)
        fail_msg("%s", what);
}

static void note(void *context, const struct net_df_packet *p, uint32_t cycle)
{
    (void)cycle;
    *(unsigned *)context = p->h.globals;
}

// Global hops of a packet that is born in cycle `born`, where from SINCE on to `until` the minimal
// link has `packets` in virtual channel `vc`: 1 by the minimal way, else 2. `from`: its router.
static unsigned hops(enum net_routing routing, unsigned from, unsigned vc, unsigned packets,
                     uint32_t until, uint32_t born)
{
    struct net_config c = net_config_default(NET_PRESET_OFR, routing);
    unsigned port, done = 0;
    set(&c, "engine", "flit");
    set(&c, "topology", "dragonfly:3");
    set(&c, "load-unit", "phits");
    set(&c, "message-words", "8");
    set(&c, "node-latency", "1");
    c.load = 0;
    struct net_sim *sim = net_df_open(&c);
    assert_non_null(sim);
    assert_int_equal(net_dragonfly_exit(&sim->d, 10, GROUP, &port), 1);
    uint8_t *credit = &sim->credit[net_df_port_of(sim, 10 * 6 + 1, port) * sim->vcs + vc];
    sim->on_delivery = note;
    sim->context = &done;
    while (!done && sim->now < 2000) {
        if (sim->now == SINCE)
            *credit = (uint8_t)(*credit - packets);
        if (sim->now == until)
            *credit = (uint8_t)(*credit + packets);
        if (sim->now == born)
            net_df_put(sim, SOURCE + from * 3, GROUP * 18, 0);
        net_df_cycle(sim);
    }
    net_df_free(sim);
    return done;
}

// A packet asks in the cycle after its birth, and knows what was so DELAY cycles before that.
static void told(void **state)
{
    (void)state;
    uint32_t knows = SINCE + DELAY - 1, end = 100;
    assert_int_equal(hops(NET_PB, 0, 0, FULL, UINT32_MAX, 5), 1);         // nothing is congested
    assert_int_equal(hops(NET_PB, 0, 0, FULL, UINT32_MAX, knows - 1), 1); // not known yet
    assert_int_equal(hops(NET_PB, 0, 0, FULL, UINT32_MAX, knows), 2);
    assert_int_equal(hops(NET_PB, 0, 0, FULL, end, end + DELAY - 2), 2); // nor that it is over
    assert_int_equal(hops(NET_PB, 0, 0, FULL, end, end + DELAY - 1), 1);
    // UGAL-L sees its own router's queues only.
    assert_int_equal(hops(NET_UGAL, 0, 0, FULL, UINT32_MAX, knows), 1);
    assert_int_equal(hops(NET_UGAL, 1, 0, FULL, UINT32_MAX, knows), 2);
}

static void threshold(void **state)
{
    (void)state;
    assert_int_equal(hops(NET_PB, 0, 0, 15, UINT32_MAX, 50), 1);
    assert_int_equal(hops(NET_PB, 0, 0, 16, UINT32_MAX, 50), 2);
    assert_int_equal(hops(NET_PB, 0, 1, FULL, UINT32_MAX, 50), 1); // of packets that come back
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(told), cmocka_unit_test(threshold)};
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
