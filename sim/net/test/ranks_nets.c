// SPDX-License-Identifier: Apache-2.0
// One simulation on all MPI ranks: random small nets give the same to the bit, at every rank, as
// one thread does at the first; so do a run that is stuck, with what is, and one that is stopped at
// a limit. mpirun -np N ranks_nets NETS [seed]; exit status 0: all are the same. Ranks say what
// differs.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

#include "exact.h"
#include "random_net.h"
#include "run/ranks.h"

static uint64_t seed;
static unsigned nets;

// Rank 0 alone, then all.
static struct net_result compare(struct net_config *c, double limit_us)
{
    struct net_result alone = {0};
    if (net_rank() == 0)
        alone = net_run(c, limit_us, NULL, NULL);
    c->ranks = (uint32_t)net_ranks();
    struct net_result all = net_run(c, limit_us, NULL, NULL);
    if (net_rank() == 0) {
        assert_string_equal(alone.stuck, all.stuck);
        assert_same(c, &alone, &all);
        net_result_free(&alone);
    }
    // The other ranks have the same as the first.
    struct net_result theirs = all;
    uint64_t digest[3] = {all.stats.sum, all.hops, all.end_time};
    net_ranks_copy(0, &theirs, sizeof theirs);
    net_ranks_copy(0, digest, sizeof digest);
    assert_int_equal(digest[0], all.stats.sum);
    assert_int_equal(digest[1], all.hops);
    assert_int_equal(digest[2], all.end_time);
    assert_int_equal(theirs.end, all.end);
    assert_string_equal(theirs.stuck, all.stuck);
    return all;
}

static void random_nets(void **state)
{
    (void)state;
    uint64_t naks = 0, derouted = 0;
    for (unsigned round = 0; round < nets; round++) {
        struct net_config c = random_net(round, &seed);
        c.threads = 1 + (uint32_t)(exact_random(&seed) % 2);
        struct net_result r = compare(&c, 0);
        assert_int_equal(r.end, NET_DRAINED);
        naks += r.naks;
        derouted += r.oidn + r.widn + r.por;
        net_result_free(&r);
    }
    assert_true(naks > 0 && derouted > 0);
}

static void stuck_and_limited(void **state)
{
    (void)state;
    struct net_config c = net_config_default(NET_PRESET_OFR, NET_OFR);
    assert_true(net_torus_parse("4x4x4", &c.torus));
    c.messages = 200;
    c.ext_latency_ns = 1e6; // nothing arrives within the watchdog's time
    c.watchdog_us = 100;
    struct net_result r = compare(&c, 0);
    assert_int_equal(r.end, NET_STUCK);
    assert_true(strlen(r.stuck) > 0);
    net_result_free(&r);

    c = net_config_default(NET_PRESET_OFR, NET_ABR);
    assert_true(net_torus_parse("4x4x4", &c.torus));
    c.traffic.pattern = NET_TORNADO;
    c.load = 1.5;
    c.messages = 4;
    r = compare(&c, 5);
    assert_int_equal(r.end, NET_LIMITED);
    net_result_free(&r);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_nets),
                                       cmocka_unit_test(stuck_and_limited)};
    if (argc < 2)
        return 2;
    net_ranks_begin();
    nets = (unsigned)atoi(argv[1]);
    seed = exact_seed(argc - 1, argv + 1, 1);
    net_ranks_copy(0, &seed, sizeof seed);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    if (failed)
        exit(1); // ends the others, which may wait
    net_ranks_end();
    return 0;
}
