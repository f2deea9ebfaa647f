// SPDX-License-Identifier: Apache-2.0
// Arrivals: how many messages, when, how unevenly; lengths by weight; what they cannot be.
// test_arrivals [seed]
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "exact.h"
#include "topo/name.h"
#include "traffic/schedule.h"

static uint64_t seed;

static struct net_config make(enum net_arrival arrivals, double load, uint32_t messages)
{
    struct net_config c = net_config_default(NET_PRESET_OFR, NET_ABR);
    assert_true(net_torus_parse("8x8x8", &c.torus));
    c.arrivals = arrivals;
    c.load = load;
    c.messages = messages;
    c.message_packets = 1;
    c.seed = exact_random(&seed) >> 1;
    return c;
}

// Counts of messages in windows of so many numbers, over all nodes: mean and variance.
static void count(const struct net_config *c, uint32_t window, double *mean, double *variance)
{
    struct net_arrivals a;
    double sum = 0, squares = 0, windows = 0;
    net_arrivals_init(&a, c);
    for (uint32_t node = 0; node < 512; node++) {
        uint32_t m = net_arrivals_next(&a, node, NET_NO_MESSAGE);
        for (uint32_t first = 0; first + window <= a.numbers; first += window) {
            double here = 0;
            for (; m < first + window; m = net_arrivals_next(&a, node, m)) {
                assert_true(m >= first);
                here++;
            }
            sum += here;
            squares += here * here;
            windows++;
        }
    }
    *mean = sum / windows;
    *variance = squares / windows - *mean * *mean;
}

static void rates(void **state)
{
    (void)state;
    double mean, variance;
    // Slots of 64 ns, a packet every 204.8 at load 1: 0.3125 a slot. Of 320 slots 100 * load.
    struct net_config c = make(NET_ARRIVAL_BERNOULLI, 0.4, 800);
    char wrong[300];
    assert_null(net_config_check(&c, wrong, sizeof wrong));
    count(&c, 320, &mean, &variance);
    // 512 nodes, 20 windows: the mean is off by 6 / 101 at most once in 300.
    assert_float_equal(mean, 40, 0.2);
    assert_float_equal(variance / (40 * (1 - 0.125)), 1, 0.06);

    c.arrivals = NET_ARRIVAL_ONOFF;
    c.on_fraction = 0.5;
    c.on_messages = 10;
    count(&c, 320, &mean, &variance);
    // On for 40 slots and off for 40 in the mean: the number of slots that are on of n has the
    // variance n/4 (1 + r) / (1 - r) of a chain with correlation r = 1 - 2/40 over long windows,
    // a birth in each of them 0.25: 160 (0.25)(0.75) + 0.0625 * 80 * (39 - 2 * r (1 - r^n) / (1 -
    // r)^2 / n ...).
    double r = 0.95, n = 320;
    double on = n / 4 * ((1 + r) / (1 - r) - 2 * r * (1 - pow(r, n)) / (n * (1 - r) * (1 - r)));
    assert_float_equal(mean, 40, 0.6);
    assert_float_equal(variance / (160 * 0.25 * 0.75 + 0.0625 * on), 1, 0.06);
}

// As many as there are to be, a period apart, each node in a phase of its own.
static void phases(void **state)
{
    (void)state;
    struct net_config c = make(NET_ARRIVAL_STAGGERED, 0.37, 50);
    struct net_arrivals a;
    double phases = 0, squares = 0, same = 0;
    net_arrivals_init(&a, &c);
    uint32_t first0 = net_arrivals_next(&a, 0, NET_NO_MESSAGE);
    for (uint32_t node = 0; node < 512; node++) {
        uint32_t m = net_arrivals_next(&a, node, NET_NO_MESSAGE), number = 0, before = m;
        double phase = m / a.period;
        assert_true(phase < 1);
        phases += phase;
        squares += phase * phase;
        same += m == first0;
        for (; m != NET_NO_MESSAGE; m = net_arrivals_next(&a, node, m), number++) {
            assert_true(m < a.numbers);
            if (number)
                assert_true(fabs(m - before - a.period) <= 1);
            before = m;
        }
        assert_int_equal(number, 50);
    }
    // Uniform over a period of 8.6 slots, of which the phase shows the whole ones.
    assert_float_equal(phases / 512, 0.5 - 0.5 / a.period, 0.06);
    assert_true(same < 120);
    assert_true(squares / 512 - phases / 512 * phases / 512 > 0.06);
}

// Packets and ages of a schedule are what its messages add up to.
static void schedules(void **state)
{
    (void)state;
    for (int kind = 0; kind < 4; kind++)
        for (int mixed = 0; mixed < 2; mixed++) {
            struct net_config c = make((enum net_arrival)kind, 0.8, 60);
            struct net_schedule s;
            assert_true(net_torus_parse("4x5", &c.torus));
            c.message_packets = 7;
            c.on_fraction = 0.3;
            c.on_messages = 5;
            if (mixed) {
                c.mixed = 2;
                c.mix[0] = (struct net_mix){3, 6};
                c.mix[1] = (struct net_mix){31, 2}; // 10 in the mean
            }
            assert_true(net_schedule_init(&s, &c));
            for (int i = 0; i < 5; i++) {
                uint64_t at = s.generation * (unsigned)i / 4, packets = 0, all = 0;
                double ages = 0;
                for (uint32_t node = 0; node < 20; node++) {
                    uint32_t m = net_schedule_next(&s, node, NET_NO_MESSAGE);
                    for (; m != NET_NO_MESSAGE; m = net_schedule_next(&s, node, m)) {
                        uint64_t born = net_schedule_born(&s, m);
                        uint32_t length = net_schedule_packets(&s, node, m);
                        assert_true(mixed ? length == 3 || length == 31 : length == 7);
                        assert_true(net_schedule_batch(&s, m) < s.batches);
                        assert_true(born < s.generation);
                        all += length;
                        if (born > at)
                            continue;
                        packets += length;
                        ages += length * (double)(at - born);
                    }
                }
                assert_int_equal(s.packets, all);
                assert_int_equal(net_schedule_generated(&s, at), packets);
                assert_true(fabs(net_schedule_ages(&s, at, 0, 0) - ages) <= (double)packets + 1);
            }
            // 60 messages of 20 nodes: a tenth is 3.5 standard deviations or more, onoff's apart.
            double mean = mixed ? 10 : 7;
            assert_float_equal((double)s.packets / 1200 / mean, 1,
                               kind == NET_ARRIVAL_ONOFF ? 0.4 : 0.2);
            net_schedule_free(&s);
        }
}

static void refused(const struct net_config *c, const char *why)
{
    char wrong[300] = "";
    assert_non_null(net_config_check(c, wrong, sizeof wrong));
    if (!strstr(wrong, why))
        fail_msg("%s is not in: %s", why, wrong);
}

static void limits(void **state)
{
    (void)state;
    struct net_config c = make(NET_ARRIVAL_BERNOULLI, 3.3, 10);
    refused(&c, "at most 3.2");
    c.load = 3.2;
    char wrong[300];
    assert_null(net_config_check(&c, wrong, sizeof wrong));
    c.load = 1e-6;
    refused(&c, "fewer messages or a higher load");
    c = make(NET_ARRIVAL_ONOFF, 1.7, 10);
    c.on_fraction = 0.5;
    refused(&c, "at most 1.6");
    c.load = 0.5;
    c.on_fraction = 0.9;
    c.on_messages = 1;
    refused(&c, "a smaller --on-fraction");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rates), cmocka_unit_test(phases),
                                       cmocka_unit_test(schedules), cmocka_unit_test(limits)};
    seed = exact_seed(argc, argv, 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
