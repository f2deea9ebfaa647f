// SPDX-License-Identifier: Apache-2.0
// Snapshots at one instant of boards that keep one time, or share a clock, or have neither: they
// are no further apart, by the time that all boards share, than the library says, or it refuses.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fake.h"

static uint64_t seed;

static void see(void *ctx, const uint8_t at[3], const uint64_t *counters)
{
    (void)at;
    (void)counters;
    ++*(unsigned *)ctx;
}

// What boards keep of one time.
enum kept {
    SHARED, // one clock
    LOCKED, // one time
    LATER,  // as soon as somebody has looked a few times
    NEVER,  // it is not found
    NONE    // clocks of their own, and nothing that keeps one time
};

static unsigned looks;

// The time of one board jumps once it is armed.
static void jump(struct fake_board *b)
{
    if (b == b->fabric->board && b->fw.armed && b->ahead < 1e6)
        b->ahead += 5e6; // which marks it as done; and 100 ms
}

static void lock(struct fake_board *b)
{
    if (++looks == 500)
        for (unsigned i = 0; i < b->fabric->boards; i++)
            b->fabric->board[i].reg[OFR_NODE_TIME_STATE / 4] |= OFR_NODE_TIME_STATE_LOCKED_MASK;
}

struct shot {
    double residual, spread;
    unsigned seen;
    int error;
    char detail[200];
};

static struct shot snapshot(unsigned kx, unsigned ky, uint64_t number, enum kept kept, bool jumping)
{
    static const struct torus_options quick = {
        .size = sizeof(struct torus_options), .timeout = 20, .retry = 0.005};
    struct fake_fabric *f = fake_new(kx, ky, 1, true, seed + number);
    struct torus_preset preset = torus_preset_default(TORUS_OFR);
    struct fake_wire wire = {&f->board[fake_random(f, f->boards)], -1};
    struct shot s = {0};
    struct torus *t;
    double *late = calloc(kx * ky, sizeof *late);
    bool locked = kept == LOCKED;
    f->clocks = true;
    looks = 0;
    for (unsigned i = 0; i < f->boards; i++) {
        struct fake_board *b = &f->board[i];
        b->rate = 1;
        if (kept == NONE)
            b->ahead = 1e7 * (1 + (double)i);
        if (kept == SHARED || kept == NONE)
            continue;
        b->ahead = locked || kept == LATER ? fake_random(f, 1000) / 1000.0 : 1e7 * (1 + (double)i);
        b->reg[OFR_NODE_TIME_RATE / 4] = i; // as clocks of their own have it
        b->reg[OFR_NODE_TIME_STATE / 4] =
            (locked ? OFR_NODE_TIME_STATE_LOCKED_MASK : 0) | i << OFR_NODE_TIME_STATE_DISTANCE_LSB;
    }
    assert_non_null(late);
    assert_int_equal(torus_open_transport(&t, fake_transport(&wire), &quick), TORUS_OK);
    assert_int_equal(torus_discover(t), TORUS_OK);
    assert_int_equal(torus_program(t, &preset), TORUS_OK);
    f->after_poll = jumping ? jump : kept == LATER ? lock : NULL;
    s.error = torus_snapshot(t, late, &s.residual, see, &s.seen);
    snprintf(s.detail, sizeof s.detail, "%s", torus_detail(t));
    double first = f->board[0].latched_cycles, last = first;
    for (unsigned i = 0; i < f->boards; i++) {
        double at = f->board[i].latched_cycles;
        first = at < first ? at : first;
        last = at > last ? at : last;
        assert_true(s.error != TORUS_OK || jumping || (late[i] >= 0 && late[i] < 100000));
    }
    s.spread = last - first;
    torus_close(t);
    free(late);
    fake_free(f);
    return s;
}

static void within(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 6; i++) {
        struct shot s = snapshot(i % 2 ? 3 : 4, 4, i, i % 3, false);
        print_message("# latched %.0f cycles apart, said at most %.0f; %s\n", s.spread, s.residual,
                      s.detail);
        assert_int_equal(s.error, TORUS_OK);
        assert_int_equal(s.seen, i % 2 ? 12 : 16);
        assert_true(s.spread <= s.residual);
        assert_true(i % 3 != LATER || looks >= 500);
    }
}

// That is seen by what boards say of when they latched.
static void jumps(void **state)
{
    (void)state;
    struct shot s = snapshot(3, 3, 100, LOCKED, true);
    print_message("# latched %.0f cycles apart, said at most %.0f\n", s.spread, s.residual);
    assert_int_equal(s.error, TORUS_OK);
    assert_true(s.spread > 10000 && s.spread <= s.residual);
}

static void refused(void **state)
{
    (void)state;
    struct shot s = snapshot(3, 2, 200, NONE, false);
    assert_int_equal(s.error, TORUS_E_BOARD);
    assert_non_null(strstr(s.detail, "keep none"));
    assert_int_equal(s.seen, 0);
    s = snapshot(3, 2, 201, NEVER, false);
    assert_int_equal(s.error, TORUS_E_BOARD);
    assert_non_null(strstr(s.detail, "have not found one time"));
    assert_int_equal(s.seen, 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(within),
        cmocka_unit_test(jumps),
        cmocka_unit_test(refused),
    };
    seed = fake_seed(argc, argv);
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("snapshot", tests, NULL, NULL);
}
