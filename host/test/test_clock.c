// SPDX-License-Identifier: Apache-2.0
// Snapshots at one instant of boards whose clocks start anywhere and are up to 200 ppm apart: they
// are no further apart, by the time that all boards share, than the library says.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fake.h"

static uint64_t seed;

enum { PPM = 100 };

static void see(void *ctx, const uint8_t at[3], const uint64_t *counters)
{
    (void)at;
    (void)counters;
    ++*(unsigned *)ctx;
}

// The clock of one board has jumped since it was compared: no host can know.
static void jump(struct fake_board *b)
{
    if (b == b->fabric->board && b->fw.armed && b->ahead < 4 * 4294967296.0)
        b->ahead += 4 * 4294967296.0 + 5e6; // which marks it as done; and 100 ms
}

struct shot {
    double residual, spread, worst_ppm;
    unsigned seen;
};

static struct shot snapshot(unsigned kx, unsigned ky, uint64_t number, bool broken)
{
    static const struct torus_options quick = {
        .size = sizeof(struct torus_options), .timeout = 20, .retry = 0.005};
    struct fake_fabric *f = fake_new(kx, ky, 1, true, seed + number);
    struct torus_preset preset = torus_preset_default(TORUS_OFR);
    struct torus_clock *clock = calloc(kx * ky, sizeof *clock);
    struct fake_wire wire = {&f->board[fake_random(f, f->boards)], -1};
    struct shot s = {0};
    struct torus *t;
    f->clocks = true;
    for (unsigned i = 0; i < f->boards; i++) {
        f->board[i].ahead = (double)fake_random(f, 0xffffffff);
        f->board[i].rate = 1 + 1e-6 * ((double)fake_random(f, 2 * PPM * 1000) / 1000 - PPM);
    }
    assert_non_null(clock);
    assert_int_equal(torus_open_transport(&t, fake_transport(&wire), &quick), TORUS_OK);
    assert_int_equal(torus_discover(t), TORUS_OK);
    assert_int_equal(torus_program(t, &preset), TORUS_OK);
    f->after_poll = broken ? jump : NULL;
    int error = torus_snapshot(t, 0.2, clock, &s.residual, see, &s.seen);
    if (error != TORUS_OK)
        print_message("# %s\n", torus_detail(t));
    assert_int_equal(error, TORUS_OK);
    double first = f->board[0].latched_cycles, last = first;
    for (unsigned i = 0; i < f->boards; i++) {
        double at = f->board[i].latched_cycles;
        first = at < first ? at : first;
        last = at > last ? at : last;
    }
    s.spread = last - first;
    // Rates, of boards by node number; which board is where, discover says.
    for (unsigned i = 0; i < torus_boards(t); i++) {
        const struct torus_board *b = torus_board(t, i);
        for (unsigned j = 0; j < f->boards; j++) {
            if (f->board[j].serial != b->serial)
                continue;
            double ppm = 1e6 * (f->board[j].rate / wire.board->rate - 1);
            double wrong = ppm - clock[b->at[0] + kx * b->at[1]].ppm;
            wrong = wrong < 0 ? -wrong : wrong;
            s.worst_ppm = wrong > s.worst_ppm ? wrong : s.worst_ppm;
        }
    }
    torus_close(t);
    free(clock);
    fake_free(f);
    return s;
}

static void within(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 5; i++) {
        struct shot s = snapshot(i % 2 ? 3 : 4, 4, i, false);
        print_message("# latched %.0f cycles apart, said at most %.0f; rates within %.2f ppm\n",
                      s.spread, s.residual, s.worst_ppm);
        assert_int_equal(s.seen, i % 2 ? 12 : 16);
        assert_true(s.spread <= s.residual);
        // In the 0.2 s between the rounds of pings clocks 200 ppm apart drift by 2000 cycles.
        assert_true(s.worst_ppm < 5);
        assert_true(s.residual < 100000);
    }
}

// The twin: clocks that are not what they were when they were compared.
static void jumps(void **state)
{
    (void)state;
    struct shot s = snapshot(3, 3, 100, true);
    print_message("# latched %.0f cycles apart, said at most %.0f\n", s.spread, s.residual);
    assert_true(s.spread > s.residual);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(within),
        cmocka_unit_test(jumps),
    };
    seed = fake_seed(argc, argv);
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("clock", tests, NULL, NULL);
}
