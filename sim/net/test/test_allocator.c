// SPDX-License-Identifier: Apache-2.0
// The Dragonfly's separable allocator: who goes first to an output that several input ports, or
// several virtual channels of one, ask for at once.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "config/settings.h"
#include "dragonfly/sim.h"

enum { MOST = 8, ORDERS = 6 };

// Sources of the packets in the order in which they come, and messages' numbers.
struct log {
    uint32_t count, source[MOST], message[MOST];
};

static void note(void *context, const struct net_df_packet *p, uint32_t cycle)
{
    (void)cycle;
    struct log *log = context;
    assert_true(log->count < MOST);
    log->source[log->count] = p->source;
    log->message[log->count++] = p->message;
}

// Two routers of four nodes in a group; nodes 0 to 3 send to node 4, all over one link.
static struct net_sim *quiet(struct net_config *c, enum net_allocator allocator, struct log *log)
{
    static const char *const options[][2] = {{"engine", "flit"},
                                             {"topology", "dragonfly:2x4x1"},
                                             {"load-unit", "phits"},
                                             {"message-words", "8"},
                                             {"node-latency", "1"}};
    char wrong[400];
    *c = net_config_default(NET_PRESET_OFR, NET_MINIMAL_HOPS);
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        assert_null(net_setting_parse(net_setting_find(options[i][0]), c, options[i][1], wrong,
                                      sizeof wrong));
    c->dragonfly.allocator = allocator;
    c->load = 0;
    struct net_sim *sim = net_df_open(c);
    assert_non_null(sim);
    memset(log, 0, sizeof *log);
    sim->on_delivery = note;
    sim->context = log;
    return sim;
}

static void run(struct net_sim *sim, unsigned cycles)
{
    while (cycles--) {
        net_df_cycle(sim);
        assert_null(net_df_check(sim));
    }
}

// Nodes 1 and 3, then 0, 1 and 2 at once; the order of these three, a digit each.
static unsigned ports(enum net_allocator allocator, uint64_t seed)
{
    struct net_config c;
    struct log log;
    struct net_sim *sim = quiet(&c, allocator, &log);
    c.seed = seed;
    net_df_put(sim, 1, 4, 0);
    run(sim, 20);
    net_df_put(sim, 3, 4, 0);
    run(sim, 20);
    for (uint32_t node = 0; node < 3; node++)
        net_df_put(sim, node, 4, 1);
    run(sim, 60);
    assert_int_equal(log.count, 5);
    net_df_free(sim);
    return log.source[2] * 100 + log.source[3] * 10 + log.source[4];
}

// One node: a message of injection VC 1, one of 0, then one of each of 0, 1 and 2.
static unsigned channels(enum net_allocator allocator, uint64_t seed)
{
    struct net_config c;
    struct log log;
    struct net_sim *sim = quiet(&c, allocator, &log);
    c.seed = seed;
    net_df_put(sim, 0, 4, 1);
    run(sim, 20);
    net_df_put(sim, 0, 4, 0);
    run(sim, 20);
    for (uint32_t message = 3; message < 6; message++)
        net_df_put(sim, 0, 4, message);
    run(sim, 60);
    assert_int_equal(log.count, 5);
    net_df_free(sim);
    return log.message[2] % 3 * 100 + log.message[3] % 3 * 10 + log.message[4] % 3;
}

static void least_recent(void **state)
{
    (void)state;
    assert_int_equal(ports(NET_LEAST_RECENT, 1), 21); // 0 and 2 never were: 0, 2, 1
    assert_int_equal(channels(NET_LEAST_RECENT, 1), 210);
}

static void round_robin(void **state)
{
    (void)state;
    assert_int_equal(ports(NET_ROUND_ROBIN, 1), 12); // after 3: 0, 1, 2
    assert_int_equal(channels(NET_ROUND_ROBIN, 1), 120);
}

// All orders come, each as often within four deviations, and the same for the same seed.
static void random_one(void **state)
{
    (void)state;
    static const unsigned order[ORDERS] = {12, 21, 102, 120, 201, 210};
    unsigned count[2][ORDERS] = {{0}};
    for (uint64_t seed = 1; seed <= 600; seed++)
        for (unsigned what = 0; what < 2; what++) {
            unsigned its = what ? channels(NET_RANDOM_ONE, seed) : ports(NET_RANDOM_ONE, seed);
            assert_int_equal(its,
                             what ? channels(NET_RANDOM_ONE, seed) : ports(NET_RANDOM_ONE, seed));
            for (unsigned i = 0; i < ORDERS; i++)
                count[what][i] += its == order[i];
        }
    for (unsigned i = 0; i < 2 * ORDERS; i++)
        assert_in_range(count[i / ORDERS][i % ORDERS], 63, 137);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(least_recent),
        cmocka_unit_test(round_robin),
        cmocka_unit_test(random_one),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
