// SPDX-License-Identifier: Apache-2.0
// The whole stack: libtorus against the real firmware on a fabric of fake boards.
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "../../sim/model/decide.h"
#include "fake.h"
#include "fw_parts.h"

static uint64_t seed;

static const struct torus_options quick = {
    .size = sizeof(struct torus_options), .timeout = 2, .retry = 0.001};

struct host {
    struct fake_wire wire;
    struct torus *t;
};

// Plugs a host into board b. `writes`: frames until it is killed, -1: never.
static void plug(struct host *h, struct fake_board *b, long writes,
                 const struct torus_options *options)
{
    h->wire = (struct fake_wire){b, writes};
    assert_int_equal(torus_open_transport(&h->t, fake_transport(&h->wire), options), TORUS_OK);
}

static void unplug(struct host *h)
{
    torus_close(h->t);
}

static void expect(struct host *h, int error, int want)
{
    if (error != want)
        print_message("# %s: %s\n", torus_strerror(error), torus_detail(h->t));
    assert_int_equal(error, want);
    if (error != TORUS_OK)
        assert_true(*torus_detail(h->t));
}

static bool fault_says(const struct torus *t, const char *text)
{
    for (unsigned i = 0; torus_fault(t, i); i++)
        if (strstr(torus_fault(t, i), text))
            return true;
    for (unsigned i = 0; torus_fault(t, i); i++)
        print_message("# fault: %s\n", torus_fault(t, i));
    return false;
}

static struct fake_board *board_of(struct fake_fabric *f, uint64_t serial)
{
    for (unsigned i = 0; i < f->boards; i++)
        if (f->board[i].serial == serial)
            return &f->board[i];
    return NULL;
}

// Are all boards' coordinates those of the fabric, but for where the origin is?
static void check_places(struct fake_fabric *f, struct torus *t)
{
    unsigned shift[3] = {0, 0, 0};
    assert_int_equal(torus_boards(t), f->boards);
    for (unsigned round = 0; round < 2; round++) {
        for (unsigned i = 0; i < f->boards; i++) {
            const struct torus_board *b = torus_board(t, i);
            unsigned n = (unsigned)(board_of(f, b->serial) - f->board);
            unsigned at[3] = {n % f->k[0], n / f->k[0] % f->k[1], n / f->k[0] / f->k[1]};
            assert_true(b->placed);
            for (unsigned d = 0; d < 3; d++) {
                unsigned is = (at[d] + f->k[d] - b->at[d]) % f->k[d];
                if (i == 0 && round == 0)
                    shift[d] = is;
                assert_int_equal(is, shift[d]);
            }
        }
    }
}

static void discover_one(unsigned kx, unsigned ky, unsigned kz, bool wrap)
{
    struct fake_fabric *f = fake_new(kx, ky, kz, wrap, seed + kx + 16 * ky);
    struct host h;
    uint8_t k[3];
    plug(&h, &f->board[fake_random(f, f->boards)], -1, &quick);
    expect(&h, torus_discover(h.t), TORUS_OK);
    assert_int_equal(torus_sizes(h.t, k), f->dims);
    for (unsigned d = 0; d < 3; d++)
        assert_int_equal(k[d], f->k[d]);
    check_places(f, h.t);
    // Everybody can be pinged along the path that was found, and says who he is.
    for (unsigned i = 0; i < f->boards; i++) {
        struct torus_identity id;
        const struct torus_board *b = torus_board(h.t, i);
        expect(&h, torus_ping_path(h.t, b->path, b->hops, &id), TORUS_OK);
        assert_int_equal(id.serial, b->serial);
    }
    unplug(&h);
    fake_free(f);
}

static void discover_sizes(void **state)
{
    (void)state;
    static const uint8_t sizes[][3] = {{2, 2, 1}, {4, 4, 1}, {3, 5, 1}, {2, 2, 2}, {1, 1, 1},
                                       {4, 1, 1}, {1, 5, 1}, {2, 1, 1}, {3, 4, 5}, {16, 16, 1},
                                       {5, 2, 1}, {2, 3, 4}, {16, 2, 1}};
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (unsigned wrap = 0; wrap < 2; wrap++)
            discover_one(sizes[i][0], sizes[i][1], sizes[i][2], wrap);
}

static struct fake_board *at(struct fake_fabric *f, unsigned x, unsigned y)
{
    return &f->board[x + f->k[0] * y];
}

// One fabric with wrong cables: discover must not call it a torus, and must say this of it, with so
// many faults in all (0: any number).
static void wrong(struct fake_fabric *f, unsigned faults, const char *says)
{
    struct host h;
    plug(&h, &f->board[fake_random(f, 2)], -1, &quick);
    expect(&h, torus_discover(h.t), TORUS_E_MISCABLED);
    assert_true(fault_says(h.t, says));
    if (faults) {
        assert_non_null(torus_fault(h.t, faults - 1));
        assert_null(torus_fault(h.t, faults));
    }
    // Nor may anything be programmed into it.
    struct torus_preset p = torus_preset_default(TORUS_OFR);
    expect(&h, torus_program(h.t, &p), torus_gaps(h.t) ? TORUS_E_MISCABLED : TORUS_E_UNKNOWN);
    for (unsigned i = 0; i < f->boards; i++)
        assert_int_equal(f->board[i].reg[OFR_NODE_CONTROL / 4], 0);
    unplug(&h);
    fake_free(f);
}

static void missing_cable(void **state)
{
    (void)state;
    for (unsigned port = 0; port < 4; port++) {
        struct fake_fabric *f = fake_new(4, 4, 1, true, seed);
        fake_cut(at(f, 1, 2), port);
        wrong(f, 1, "no cable from");
    }
    struct fake_fabric *f = fake_new(3, 5, 1, true, seed);
    fake_cut(at(f, 2, 0), 0); // a wrap
    wrong(f, 1, "no cable from x+");
}

static void swapped_cables(void **state)
{
    (void)state;
    // The x+ cables of (0,0) and (0,1) go to each other's neighbour.
    struct fake_fabric *f = fake_new(4, 4, 1, true, seed);
    fake_cable(at(f, 0, 0), 0, at(f, 1, 1), 1);
    fake_cable(at(f, 0, 1), 0, at(f, 1, 0), 1);
    wrong(f, 2, "it should go to x- of");
    // x+ and y+ of one board swapped.
    f = fake_new(4, 4, 1, true, seed);
    fake_cable(at(f, 2, 2), 0, at(f, 2, 3), 3);
    fake_cable(at(f, 2, 2), 2, at(f, 3, 2), 1);
    wrong(f, 0, "it should go to");
    // x+ and x- of one board swapped.
    f = fake_new(4, 4, 1, true, seed);
    struct fake_board *b = at(f, 1, 1), *left = at(f, 0, 1), *right = at(f, 2, 1);
    fake_cut(b, 0);
    fake_cut(b, 1);
    fake_cable(b, 0, left, 0);
    fake_cable(b, 1, right, 1);
    wrong(f, 0, "it should go to");
    // In a torus of 2x2.
    f = fake_new(2, 2, 1, false, seed);
    fake_cable(at(f, 0, 0), 0, at(f, 1, 1), 1);
    fake_cable(at(f, 0, 1), 0, at(f, 1, 0), 1);
    wrong(f, 0, "");
}

static void looped_cable(void **state)
{
    (void)state;
    struct fake_fabric *f = fake_new(4, 4, 1, true, seed);
    fake_cable(at(f, 3, 1), 0, at(f, 3, 1), 2);
    wrong(f, 0, "loops back");
    f = fake_new(4, 4, 1, true, seed);
    fake_cable(at(f, 3, 1), 0, at(f, 3, 1), 1);
    wrong(f, 0, "loops back");
}

static void doubled_cable(void **state)
{
    (void)state;
    // A second cable between (0,0) and (1,0), on the y ports.
    struct fake_fabric *f = fake_new(4, 4, 1, true, seed);
    fake_cable(at(f, 0, 0), 2, at(f, 1, 0), 3);
    wrong(f, 0, "it should go to");
}

static void missing_board(void **state)
{
    (void)state;
    struct fake_fabric *f = fake_new(4, 4, 1, true, seed);
    for (unsigned port = 0; port < 4; port++)
        fake_cut(at(f, 2, 2), port);
    wrong(f, 0, "no board at");
}

static void dead_board(void **state)
{
    (void)state;
    struct fake_fabric *f = fake_new(4, 4, 1, true, seed);
    struct torus_options o = quick;
    struct host h;
    at(f, 2, 2)->dead = true;
    o.timeout = 0.2;
    plug(&h, &f->board[0], -1, &o);
    expect(&h, torus_discover(h.t), TORUS_E_MISCABLED);
    assert_true(fault_says(h.t, "nothing answers at port"));
    unplug(&h);
    fake_free(f);
}

static void same_serial(void **state)
{
    (void)state;
    struct fake_fabric *f = fake_new(4, 4, 1, true, seed);
    at(f, 2, 2)->serial = at(f, 0, 1)->serial;
    wrong(f, 0, "do two boards have this number");
    // All boards: the next one is taken for the board itself.
    static const uint8_t sizes[][3] = {{2, 2, 1}, {2, 1, 1}, {4, 4, 1}, {2, 2, 2}};
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        f = fake_new(sizes[i][0], sizes[i][1], sizes[i][2], true, seed);
        for (unsigned b = 0; b < f->boards; b++)
            f->board[b].serial = 1;
        wrong(f, 0, "another board has this number: give each its own");
    }
    // Neighbours of a ring whose third board has a number of its own.
    f = fake_new(3, 1, 1, true, seed);
    at(f, 1, 0)->serial = at(f, 0, 0)->serial;
    wrong(f, 0, "number");
    // A board in which a cable goes round a corner has none of that.
    f = fake_new(4, 4, 1, true, seed);
    fake_cable(at(f, 3, 1), 0, at(f, 3, 1), 2);
    struct host h;
    plug(&h, &f->board[0], -1, &quick);
    expect(&h, torus_discover(h.t), TORUS_E_MISCABLED);
    assert_false(fault_says(h.t, "number"));
    unplug(&h);
    fake_free(f);
}

static void size_17(void **state)
{
    (void)state;
    struct fake_fabric *f = fake_new(17, 1, 1, true, seed);
    wrong(f, 0, "a size is at most 16");
}

// Every board's registers after program.
static void check_programmed(struct fake_fabric *f, uint32_t generation, bool oidn)
{
    struct ofr_table table;
    ofr_table_reset(&table, f->dims);
    uint32_t seen[4096 / 32] = {0};
    for (unsigned i = 0; i < f->boards; i++) {
        struct fake_board *b = &f->board[i];
        uint32_t c = b->reg[OFR_NODE_COORD / 4];
        unsigned node = (c & 15) + f->k[0] * ((c >> 8 & 15) + f->k[1] * (c >> 16 & 15));
        assert_true(node < f->boards && !(seen[node / 32] >> node % 32 & 1));
        seen[node / 32] |= 1u << node % 32;
        assert_int_equal(b->reg[OFR_NODE_SIZE / 4], f->k[0] | f->k[1] << 8 | f->k[2] << 16);
        assert_int_equal(b->reg[OFR_NODE_CONTROL / 4], 1);
        assert_int_equal(b->reg[OFR_OFR_COMMIT / 4], generation);
        assert_int_equal(b->fw.staged, 0);
        assert_int_equal(b->reg[OFR_OFR_PARAM / 4] >> OFR_OFR_PARAM_OIDN_LSB & 1, oidn);
        for (unsigned set = 0; set < 1u << f->dims; set++)
            for (unsigned j = 0; j < 8; j++) {
                unsigned byte = b->table[8 * set + j];
                assert_int_equal(byte >> 6 & 1, table.valid[set] >> j & 1);
                for (unsigned d = 0; d < f->dims; d++)
                    assert_int_equal(byte >> 2 * d & 3, table.lambda[set][j][d] & 3);
            }
    }
}

// Coordinates alone: reachable by address, nothing programmed yet.
static void assign(void **state)
{
    (void)state;
    struct fake_fabric *f = fake_new(3, 4, 2, true, seed);
    struct torus_preset p = torus_preset_default(TORUS_OFR), is;
    struct host h;
    unsigned generation;
    plug(&h, &f->board[7], -1, &quick);
    expect(&h, torus_assign(h.t), TORUS_E_UNKNOWN);
    expect(&h, torus_discover(h.t), TORUS_OK);
    expect(&h, torus_assign(h.t), TORUS_OK);
    for (unsigned i = 0; i < f->boards; i++)
        assert_int_equal(f->board[i].fw.lease, 0);
    unplug(&h);
    plug(&h, &f->board[0], -1, &quick);
    expect(&h, torus_attach(h.t), TORUS_OK);
    expect(&h, torus_programmed(h.t, &is, &generation), TORUS_OK);
    assert_int_equal(generation, 0);
    assert_int_equal(is.routing, 0);
    for (unsigned node = 0; node < f->boards; node++) {
        uint8_t c[3] = {(uint8_t)(node % 3), (uint8_t)(node / 3 % 4), (uint8_t)(node / 12)};
        struct torus_identity id;
        expect(&h, torus_ping(h.t, c, &id), TORUS_OK);
        assert_memory_equal(id.at, c, 3);
    }
    expect(&h, torus_program(h.t, &p), TORUS_OK);
    check_programmed(f, 1, true);
    unplug(&h);
    fake_free(f);
}

static void program_one(unsigned kx, unsigned ky, unsigned kz)
{
    struct fake_fabric *f = fake_new(kx, ky, kz, true, seed);
    struct torus_preset p = torus_preset_default(TORUS_OFR), is;
    struct host h;
    unsigned generation;
    plug(&h, &f->board[f->boards / 2], -1, &quick);
    expect(&h, torus_attach(h.t), TORUS_E_UNKNOWN); // not configured yet
    expect(&h, torus_discover(h.t), TORUS_OK);
    expect(&h, torus_program(h.t, &p), TORUS_OK);
    check_programmed(f, 1, true);
    unplug(&h);
    // Another host, at another board, without discovering.
    plug(&h, &f->board[0], -1, &quick);
    expect(&h, torus_attach(h.t), TORUS_OK);
    expect(&h, torus_programmed(h.t, &is, &generation), TORUS_OK);
    assert_int_equal(is.routing, TORUS_OFR);
    assert_int_equal(is.threshold, 4);
    assert_true(is.tie_both);
    assert_int_equal(generation, 1);
    p = torus_preset_default(TORUS_POR);
    p.tie_both = false;
    expect(&h, torus_program(h.t, &p), TORUS_OK);
    check_programmed(f, 2, false);
    for (unsigned i = 0; i < f->boards; i++)
        assert_int_equal(f->board[i].reg[OFR_NODE_TIE / 4], 0);
    expect(&h, torus_program_resume(h.t, NULL), TORUS_E_UNKNOWN); // nothing to mend
    expect(&h, torus_program_abort(h.t, NULL), TORUS_E_UNKNOWN);
    // By address all boards answer; outside of the torus is an error.
    for (unsigned i = 0; i < f->boards; i++) {
        uint8_t c[3] = {(uint8_t)(i % kx), (uint8_t)(i / kx % ky), (uint8_t)(i / kx / ky)};
        struct torus_identity id;
        expect(&h, torus_ping(h.t, c, &id), TORUS_OK);
        assert_memory_equal(id.at, c, 3);
    }
    uint8_t outside[3] = {(uint8_t)kx, 0, 0};
    struct torus_identity id;
    expect(&h, torus_ping(h.t, outside, &id), TORUS_E_USAGE);
    unplug(&h);
    fake_free(f);
}

static void program_sizes(void **state)
{
    (void)state;
    program_one(2, 2, 1);
    program_one(4, 4, 1);
    program_one(3, 5, 1);
    program_one(2, 2, 2);
    program_one(16, 16, 1); // 16 hops away: long paths
    program_one(1, 3, 1);
}

// A session that programs OFR over ABR is killed after so many frames. Returns true if it was not:
// it came to its end before. Counts what states were seen.
static bool kill_one(long writes, bool resume, double lose, unsigned seen[4])
{
    struct fake_fabric *f = fake_new(3, 2, 1, true, seed + (uint64_t)writes);
    struct torus_preset p = torus_preset_default(TORUS_ABR), is;
    struct torus_options first = quick, second = quick;
    struct host h;
    unsigned generation;
    plug(&h, &f->board[1], -1, &quick);
    expect(&h, torus_discover(h.t), TORUS_OK);
    p.tie_both = false; // and OFR's is
    expect(&h, torus_program(h.t, &p), TORUS_OK);
    unplug(&h);

    first.token = second.token = 41;
    second.take_over = true;
    f->lose = lose;
    plug(&h, &f->board[2], writes, &first);
    p = torus_preset_default(TORUS_OFR);
    int error = torus_attach(h.t);
    if (error == TORUS_OK)
        error = torus_program(h.t, &p);
    h.wire.writes_left = 0;
    unplug(&h);
    f->lose = 0;
    if (error == TORUS_OK) {
        check_programmed(f, 2, true);
        fake_free(f);
        return true;
    }

    // The truth, by looking into the boards.
    unsigned at_new = 0, staged = 0, both = 0;
    for (unsigned i = 0; i < f->boards; i++) {
        both += f->board[i].reg[OFR_NODE_TIE / 4];
        at_new += (f->board[i].fw.active & 0xffff) == 2;
        staged += f->board[i].fw.staged != 0;
    }
    seen[0] += staged != 0;
    seen[1] += at_new && at_new < f->boards;
    bool half = staged || (at_new && at_new < f->boards);
    assert_true(half || both == at_new); // the tie goes with the table
    seen[3] += staged && both && !at_new;
    plug(&h, &f->board[5], -1, &second);
    bool mixed = both && both < f->boards;
    expect(&h, torus_attach(h.t), mixed ? TORUS_E_MIXED : TORUS_OK);
    if (mixed)
        expect(&h, torus_discover(h.t), TORUS_OK);
    expect(&h, torus_programmed(h.t, &is, &generation), half ? TORUS_E_MIXED : TORUS_OK);
    error = resume ? torus_program_resume(h.t, NULL) : torus_program_abort(h.t, NULL);
    expect(&h, error, half ? TORUS_OK : TORUS_E_UNKNOWN);
    expect(&h, torus_programmed(h.t, &is, &generation), TORUS_OK);
    if (half) {
        assert_int_equal(is.routing, resume ? TORUS_OFR : TORUS_ABR);
        for (unsigned i = 0; i < f->boards; i++)
            assert_int_equal(f->board[i].reg[OFR_NODE_TIE / 4], resume);
        check_programmed(f, resume ? 2 : 3, true);
        seen[2]++;
    }
    unplug(&h);
    fake_free(f);
    return false;
}

// A session that is killed after any number of frames never leaves a torus that is half programmed
// and does not say so; resume and abort both mend it. With packets lost, so that a commit is killed
// in its middle, too.
static void killed_session(void **state)
{
    (void)state;
    unsigned seen[4] = {0};
    for (unsigned resume = 0; resume < 2; resume++) {
        long writes = 1;
        while (!kill_one(writes, resume, 0, seen))
            writes++;
        assert_true(writes > 10);
        for (writes = 12; writes < 60; writes += 2 + resume)
            kill_one(writes, resume, 0.35, seen);
    }
    print_message(
        "# killed with a table staged %u times, ties besides %u times, committed in part %u "
        "times\n",
        seen[0], seen[3], seen[1]);
    assert_true(seen[0] && seen[2] && seen[3]);
}

// Where no board takes the tie, all are as before, and the board's reason is what is said; where
// some have it, that is said.
static void tie_refused(void **state)
{
    (void)state;
    for (unsigned takes = 0; takes < 2; takes++) {
        struct fake_fabric *f = fake_new(3, 2, 1, true, seed);
        struct torus_preset p = torus_preset_default(TORUS_ABR), is;
        struct host h;
        unsigned generation;
        plug(&h, &f->board[1], -1, &quick);
        expect(&h, torus_discover(h.t), TORUS_OK);
        expect(&h, torus_program(h.t, &p), TORUS_OK);
        unplug(&h);
        for (unsigned i = 0; i < f->boards; i++) {
            uint32_t at = f->board[i].reg[OFR_NODE_COORD / 4];
            f->board[i].passes = !takes || at; // (0,0) is the first
        }

        plug(&h, &f->board[2], -1, &quick);
        expect(&h, torus_attach(h.t), TORUS_OK);
        p = torus_preset_default(TORUS_OFR);
        p.tie_both = false;
        expect(&h, torus_program(h.t, &p), TORUS_E_BOARD);
        assert_true(!!strstr(torus_detail(h.t), "boards may differ now") == takes);
        assert_non_null(strstr(torus_detail(h.t), "write"));
        for (unsigned i = 0; i < f->boards; i++)
            assert_int_equal(f->board[i].fw.staged != 0, takes);
        unplug(&h);

        plug(&h, &f->board[2], -1, &quick);
        expect(&h, torus_attach(h.t), takes ? TORUS_E_MIXED : TORUS_OK);
        if (!takes) {
            expect(&h, torus_programmed(h.t, &is, &generation), TORUS_OK);
            assert_int_equal(is.routing, TORUS_ABR);
            assert_true(is.tie_both);
        }
        unplug(&h);
        fake_free(f);
    }
}

// A program over a table of its own, which nobody has at hand any more, is killed after any number
// of frames: what is on is said as it is, and what was staged can be taken back.
static void staged_over_custom(void **state)
{
    (void)state;
    unsigned staged_times = 0;
    for (long writes = 1;; writes++) {
        struct fake_fabric *f = fake_new(3, 2, 1, true, seed);
        struct torus_preset p = torus_preset_default(TORUS_OFR), is;
        struct torus_options mine = quick;
        struct torus_table own;
        struct host h;
        unsigned generation, staged = 0;
        p.threshold = 3;
        p.delta = 1;
        torus_preset_table(&p, 2, &own);
        plug(&h, &f->board[1], -1, &quick);
        expect(&h, torus_discover(h.t), TORUS_OK);
        expect(&h, torus_program_table(h.t, &own), TORUS_OK);
        unplug(&h);

        p = torus_preset_default(TORUS_DOR);
        mine.token = 41;
        plug(&h, &f->board[2], writes, &mine);
        int error = torus_attach(h.t);
        if (error == TORUS_OK)
            error = torus_program(h.t, &p);
        h.wire.writes_left = 0;
        unplug(&h);
        for (unsigned i = 0; i < f->boards; i++)
            staged += f->board[i].fw.staged != 0;
        if (error != TORUS_OK && staged) {
            staged_times++;
            mine.take_over = true;
            plug(&h, &f->board[5], -1, &mine);
            expect(&h, torus_attach(h.t), TORUS_OK);
            expect(&h, torus_programmed(h.t, &is, &generation), TORUS_E_MIXED);
            assert_int_equal(is.routing, TORUS_CUSTOM);
            assert_int_equal(is.threshold, 3);
            assert_int_equal(generation, 1);
            expect(&h, torus_program_abort(h.t, NULL), TORUS_OK);
            expect(&h, torus_programmed(h.t, &is, &generation), TORUS_OK);
            assert_int_equal(is.routing, TORUS_CUSTOM);
            assert_int_equal(generation, 1);
            for (unsigned i = 0; i < f->boards; i++)
                assert_int_equal(f->board[i].fw.staged, 0);
            unplug(&h);
        }
        fake_free(f);
        if (error == TORUS_OK)
            break;
    }
    assert_true(staged_times);
}

// As above, in the middle of a commit, when only some boards have got it.
static void half_committed(void **state)
{
    (void)state;
    for (unsigned resume = 0; resume < 2; resume++) {
        struct fake_fabric *f = fake_new(4, 4, 1, true, seed);
        struct torus_preset p = torus_preset_default(TORUS_DOR), is;
        struct host h;
        unsigned generation;
        plug(&h, &f->board[1], -1, &quick);
        expect(&h, torus_discover(h.t), TORUS_OK);
        expect(&h, torus_program(h.t, &p), TORUS_OK);
        p = torus_preset_default(TORUS_POR);
        expect(&h, torus_program(h.t, &p), TORUS_OK);
        // Set five boards back, as if the commit had not come to them.
        for (unsigned i = 3; i < 8; i++) {
            struct fw *fw = &f->board[i].fw;
            fw->staged = fw->active;
            fw->active = fw->previous;
            fw->previous = 0;
            f->board[i].reg[OFR_OFR_COMMIT / 4] = 1;
        }
        expect(&h, torus_programmed(h.t, &is, &generation), TORUS_E_MIXED);
        struct torus_run run = torus_run_default();
        struct torus_result result;
        expect(&h, torus_run(h.t, &run, &result), TORUS_E_MIXED); // every later command says so
        expect(&h, resume ? torus_program_resume(h.t, NULL) : torus_program_abort(h.t, NULL),
               TORUS_OK);
        expect(&h, torus_programmed(h.t, &is, &generation), TORUS_OK);
        assert_int_equal(is.routing, resume ? TORUS_POR : TORUS_DOR);
        check_programmed(f, resume ? 2 : 3, !resume);
        unplug(&h);
        fake_free(f);
    }
}

// What a board's active table and settings are after a custom program.
static void check_custom(struct fake_fabric *f, const struct torus_table *table)
{
    for (unsigned i = 0; i < f->boards; i++) {
        struct fake_board *b = &f->board[i];
        uint32_t param = b->reg[OFR_OFR_PARAM / 4], routing = b->reg[OFR_NODE_ROUTING / 4];
        assert_int_equal(b->fw.staged, 0);
        assert_int_equal(b->reg[OFR_NODE_TIE / 4], table->tie_both);
        assert_int_equal(b->reg[OFR_OFR_WIDN / 4], table->widn);
        assert_int_equal(param >> OFR_OFR_PARAM_DELTA_LSB & 15, table->delta);
        assert_int_equal(param >> OFR_OFR_PARAM_ETA_LSB & 255, table->eta);
        assert_int_equal(param >> OFR_OFR_PARAM_RULE_A_LSB & 1, table->rule_a);
        assert_int_equal(param >> OFR_OFR_PARAM_RULE_B_LSB & 1, table->rule_b);
        assert_int_equal(param >> OFR_OFR_PARAM_OIDN_LSB & 1, table->oidn);
        assert_int_equal(routing & 3, table->select);
        assert_int_equal(routing >> OFR_NODE_ROUTING_THRESHOLD_LSB & 15, table->threshold);
        for (unsigned set = 0; set < 1u << table->dims; set++)
            for (unsigned j = 0; j < 8; j++) {
                unsigned byte = b->table[8 * set + j];
                assert_int_equal(byte >> 6, j < table->count[set]);
                for (unsigned d = 0; d < table->dims; d++)
                    assert_int_equal(byte >> 2 * d & 3, table->lambda[set][j][d] & 3);
            }
    }
}

// Random tables of one's own arrive as they are; wrong ones are refused and nothing is sent; a
// program cut short needs the table to be mended, and that very one.
static void custom_tables(void **state)
{
    (void)state;
    for (unsigned dims = 2; dims <= 3; dims++) {
        struct fake_fabric *f = fake_new(4, 4, dims == 3 ? 5 : 1, true, seed + dims);
        struct torus_preset p = torus_preset_default(TORUS_ABR), is;
        struct torus_table table = {.dims = (uint8_t)dims}, other;
        struct torus_run run = torus_run_default();
        struct torus_result result;
        unsigned generation;
        struct host h;
        table.traffic = TORUS_DEROUTE;
        table.select = (enum torus_select)fake_random(f, 4);
        table.tie_both = fake_random(f, 2);
        table.threshold = (uint8_t)fake_random(f, 8);
        table.delta = (uint8_t)fake_random(f, 3);
        table.eta = (uint8_t)fake_random(f, 256);
        table.rule_a = fake_random(f, 2);
        table.rule_b = fake_random(f, 2);
        table.oidn = fake_random(f, 2);
        table.widn = (uint8_t)(2 * fake_random(f, 1u << ((1u << dims) - 1)));
        for (unsigned set = 0; set < 1u << dims; set++) {
            table.count[set] = (uint8_t)fake_random(f, 9);
            for (unsigned j = 0; j < table.count[set]; j++)
                for (unsigned d = 0; d < dims; d++)
                    table.lambda[set][j][d] = (int8_t)((int)fake_random(f, 3) - 1);
        }
        plug(&h, &f->board[3], -1, &quick);
        expect(&h, torus_program_table(h.t, &table), TORUS_E_UNKNOWN);
        expect(&h, torus_discover(h.t), TORUS_OK);
        expect(&h, torus_program(h.t, &p), TORUS_OK);
        unsigned writes = f->board[0].table_writes;
        other = table;
        other.delta = 3; // 4 / 2 is the most
        expect(&h, torus_program_table(h.t, &other), TORUS_E_USAGE);
        other = table;
        other.threshold = 8;
        expect(&h, torus_program_table(h.t, &other), TORUS_E_USAGE);
        other = table;
        other.dims = (uint8_t)(5 - dims);
        other.widn = 0;
        expect(&h, torus_program_table(h.t, &other), TORUS_E_USAGE);
        other = table;
        other.count[1] = 1;
        other.lambda[1][0][1] = 2;
        expect(&h, torus_program_table(h.t, &other), TORUS_E_USAGE);
        assert_int_equal(f->board[0].table_writes, writes);
        expect(&h, torus_program_table(h.t, &table), TORUS_OK);
        check_custom(f, &table);
        expect(&h, torus_programmed(h.t, &is, &generation), TORUS_OK);
        assert_int_equal(is.routing, TORUS_CUSTOM);
        assert_int_equal(is.tie_both, table.tie_both);
        assert_int_equal(is.threshold, table.threshold);
        assert_int_equal(is.delta, table.delta);
        assert_int_equal(generation, 2);
        expect(&h, torus_run(h.t, &run, &result), TORUS_OK);
        assert_int_equal(f->board[0].reg[OFR_GEN_CONTROL / 4] >> OFR_GEN_CONTROL_CLASS_LSB & 3,
                         OFR_PKT_CLASS_DEROUTE);
        // As if the commit had not come to one board.
        struct fw *fw = &f->board[5].fw;
        fw->staged = fw->active;
        fw->active = fw->previous;
        fw->previous = 0;
        f->board[5].reg[OFR_OFR_COMMIT / 4] = 1;
        other = table;
        other.eta ^= 1;
        expect(&h, torus_program_resume(h.t, NULL), TORUS_E_USAGE);
        expect(&h, torus_program_resume(h.t, &other), TORUS_E_USAGE);
        expect(&h, torus_programmed(h.t, &is, &generation), TORUS_E_MIXED);
        expect(&h, torus_program_resume(h.t, &table), TORUS_OK);
        expect(&h, torus_programmed(h.t, &is, &generation), TORUS_OK);
        check_custom(f, &table);
        unplug(&h);
        fake_free(f);
    }
}

// Tenths of a second pass at all boards, in steps that no timer of 32 bits misses.
static void pass(struct fake_fabric *f, unsigned tenths)
{
    for (unsigned n = 0; n < tenths; n++) {
        for (unsigned i = 0; i < f->boards; i++) {
            f->board[i].timer += FAKE_CLOCK / 10;
            lease_expire(&f->board[i].fw);
        }
        f->time += FAKE_CLOCK / 10;
    }
}

static void two_hosts(void **state)
{
    (void)state;
    struct fake_fabric *f = fake_new(4, 4, 1, true, seed);
    struct torus_options oa = quick, ob = quick;
    struct torus_preset p = torus_preset_default(TORUS_OFR);
    struct torus_owner owner;
    struct host a, b;
    oa.session = 1111;
    oa.label = "alice@lab";
    ob.session = 2222;
    plug(&a, &f->board[0], -1, &oa);
    plug(&b, &f->board[9], -1, &ob);
    expect(&a, torus_discover(a.t), TORUS_OK);
    expect(&b, torus_discover(b.t), TORUS_OK);
    expect(&a, torus_program(a.t, &p), TORUS_OK);
    expect(&a, torus_lease(a.t, 0), TORUS_OK);
    pass(f, 75);
    expect(&b, torus_attach(b.t), TORUS_OK); // reading is free
    p = torus_preset_default(TORUS_ABR);
    expect(&b, torus_program(b.t, &p), TORUS_E_BUSY);
    assert_non_null(strstr(torus_detail(b.t), "session 1111 has the write lease"));
    assert_non_null(strstr(torus_detail(b.t), "for 7 s by its clock"));
    assert_non_null(strstr(torus_detail(b.t), ", and calls itself alice@la; wait"));
    check_programmed(f, 1, true);
    struct torus_run run = torus_run_default();
    struct torus_result result;
    expect(&b, torus_run(b.t, &run, &result), TORUS_E_BUSY);
    expect(&b, torus_stop(b.t), TORUS_E_BUSY);
    expect(&a, torus_release(a.t), TORUS_OK);
    expect(&b, torus_owner(b.t, &owner), TORUS_OK);
    assert_int_equal(owner.session, 0);
    expect(&b, torus_program(b.t, &p), TORUS_OK);
    check_programmed(f, 2, true);
    // A dead session's lease runs out by itself.
    expect(&a, torus_attach(a.t), TORUS_OK);
    expect(&a, torus_lease(a.t, 0), TORUS_OK);
    expect(&b, torus_program(b.t, &p), TORUS_E_BUSY);
    pass(f, 600);
    expect(&b, torus_program(b.t, &p), TORUS_E_BUSY);
    pass(f, 50);
    expect(&b, torus_program(b.t, &p), TORUS_OK);
    check_programmed(f, 3, true);
    // Or is taken over by who has its token; whose it was is told, and goes on with a new one.
    unplug(&a);
    oa.token = ob.token = 0x12345678;
    plug(&a, &f->board[0], -1, &oa);
    expect(&a, torus_attach(a.t), TORUS_OK);
    expect(&a, torus_lease(a.t, 3000), TORUS_OK);
    for (unsigned right = 0; right < 2; right++) {
        unplug(&b);
        ob.take_over = true;
        ob.token = right ? oa.token : oa.token + 1;
        plug(&b, &f->board[9], -1, &ob);
        expect(&b, torus_attach(b.t), TORUS_OK);
        expect(&b, torus_program(b.t, &p), right ? TORUS_OK : TORUS_E_BUSY);
    }
    check_programmed(f, 4, true);
    expect(&a, torus_program(a.t, &p), TORUS_E_LEASE);
    expect(&a, torus_program(a.t, &p), TORUS_OK);
    unplug(&a);
    unplug(&b);
    // Not configured yet, the board with the lowest serial number decides.
    fake_free(f);
    f = fake_new(4, 4, 1, true, seed);
    ob.take_over = false;
    plug(&a, &f->board[0], -1, &oa);
    plug(&b, &f->board[9], -1, &ob);
    expect(&b, torus_discover(b.t), TORUS_OK);
    expect(&a, torus_discover(a.t), TORUS_OK);
    struct fake_board *lowest = f->board;
    for (unsigned i = 0; i < f->boards; i++)
        lowest = f->board[i].serial < lowest->serial ? &f->board[i] : lowest;
    expect(&a, torus_lease(a.t, 0), TORUS_OK);
    for (unsigned i = 0; i < f->boards; i++)
        if (&f->board[i] != lowest)
            lease_end(&f->board[i].fw);
    expect(&b, torus_program(b.t, &p), TORUS_E_BUSY);
    for (unsigned i = 0; i < f->boards; i++) {
        assert_int_equal(f->board[i].reg[OFR_NODE_CONTROL / 4], 0);
        assert_int_equal(f->board[i].fw.lease != 0, &f->board[i] == lowest);
    }
    // And where another board is somebody else's, all are given back.
    expect(&a, torus_release(a.t), TORUS_OK);
    expect(&a, torus_lease(a.t, 0), TORUS_OK);
    struct fake_board *other = lowest == f->board ? f->board + 1 : f->board;
    for (unsigned i = 0; i < f->boards; i++)
        if (&f->board[i] != other)
            lease_end(&f->board[i].fw);
    expect(&b, torus_program(b.t, &p), TORUS_E_BUSY);
    for (unsigned i = 0; i < f->boards; i++)
        assert_int_equal(f->board[i].fw.lease != 0, &f->board[i] == other);
    unplug(&a);
    unplug(&b);
    fake_free(f);
}

// A board stops being part of the torus in the middle of a lease: addresses lead nowhere then, and
// still all boards give the lease back, whether the handle has walked to them or not.
static void leaves_in_lease(void **state)
{
    (void)state;
    struct torus_preset p = torus_preset_default(TORUS_ABR);
    struct torus_options o = quick;
    o.timeout = 0.4; // what is asked by address is waited for
    for (unsigned round = 0; round < 8; round++) {
        bool walked = round & 1, far = round & 2, held = round & 4;
        struct fake_fabric *f = fake_new(4, 2, 1, false, seed + round);
        struct host h;
        plug(&h, &f->board[0], -1, &o);
        expect(&h, torus_discover(h.t), TORUS_OK);
        expect(&h, torus_program(h.t, &p), TORUS_OK);
        if (!walked) {
            unplug(&h);
            plug(&h, &f->board[0], -1, &o);
        }
        expect(&h, torus_attach(h.t), TORUS_OK);
        if (held)
            expect(&h, torus_lease(h.t, 0), TORUS_OK);
        uint8_t place[3] = {2, 1, 0};
        struct fake_board *b = f->board;
        while (far && b->reg[OFR_NODE_COORD / 4] != 0x102)
            b++;
        expect(&h, torus_write(h.t, far ? place : NULL, OFR_NODE_CONTROL, 0), TORUS_OK);
        assert_int_equal(b->reg[OFR_NODE_CONTROL / 4], 0);
        if (held)
            expect(&h, torus_release(h.t), TORUS_OK);
        for (unsigned i = 0; i < f->boards; i++)
            assert_int_equal(f->board[i].fw.lease, 0);
        // And goes on: it is found, and programmed again.
        expect(&h, torus_discover(h.t), TORUS_OK);
        expect(&h, torus_program(h.t, &p), TORUS_OK);
        unplug(&h);
        fake_free(f);
    }
}

// A board that was reset is named, from wherever it is looked for: also over a dimension of two,
// which has one cable.
static void reset_board_named(void **state)
{
    (void)state;
    struct torus_preset p = torus_preset_default(TORUS_ABR);
    struct torus_options o = quick;
    o.timeout = 0.4;
    for (unsigned from = 0; from < 8; from++) {
        struct fake_fabric *f = fake_new(4, 2, 1, false, seed);
        struct host h;
        unsigned gone = (from + 5) % 8;
        plug(&h, &f->board[from], -1, &o);
        expect(&h, torus_discover(h.t), TORUS_OK);
        expect(&h, torus_program(h.t, &p), TORUS_OK);
        f->board[gone].reg[OFR_NODE_CONTROL / 4] = 0;
        expect(&h, torus_attach(h.t), TORUS_E_UNKNOWN);
        assert_non_null(strstr(torus_detail(h.t), "is not configured: it was reset"));
        unplug(&h);
        fake_free(f);
    }
}

static void keyed(void **state)
{
    (void)state;
    struct fake_fabric *f = fake_new(4, 2, 1, true, seed);
    struct torus_options o = quick;
    struct torus_preset p = torus_preset_default(TORUS_OFR);
    struct host h;
    plug(&h, &f->board[0], -1, &quick);
    expect(&h, torus_discover(h.t), TORUS_OK);
    expect(&h, torus_program(h.t, &p), TORUS_OK);
    expect(&h, torus_set_key(h.t, 0x123456789abcdef0), TORUS_OK);
    unplug(&h);
    for (unsigned i = 0; i < f->boards; i++)
        assert_int_equal(f->board[i].fw.lease, 0);
    plug(&h, &f->board[3], -1, &quick);
    expect(&h, torus_attach(h.t), TORUS_OK);
    expect(&h, torus_program(h.t, &p), TORUS_E_LOCKED);
    expect(&h, torus_write(h.t, NULL, OFR_NODE_SEED, 5), TORUS_E_LOCKED);
    unplug(&h);
    o.key = 0x123456789abcdef1;
    plug(&h, &f->board[3], -1, &o);
    expect(&h, torus_attach(h.t), TORUS_OK);
    expect(&h, torus_program(h.t, &p), TORUS_E_LOCKED);
    unplug(&h);
    check_programmed(f, 1, true);
    o.key = 0x123456789abcdef0;
    for (unsigned discovered = 0; discovered < 2; discovered++) {
        plug(&h, &f->board[3], -1, &o);
        expect(&h, discovered ? torus_discover(h.t) : torus_attach(h.t), TORUS_OK);
        expect(&h, torus_program(h.t, &p), TORUS_OK);
        unplug(&h);
        check_programmed(f, 2 + discovered, true);
    }
    // A new board among them has no key, and then none has: no key is wrong there.
    for (unsigned round = 0; round < 4; round++) {
        for (unsigned i = 0; i < f->boards; i++)
            if (round >= 2 || i == 3 * (round % 2) + 2)
                memset(f->board[i].fw.key, 0, sizeof f->board[i].fw.key);
        plug(&h, &f->board[2 + round], -1, &o);
        expect(&h, round % 2 ? torus_discover(h.t) : torus_attach(h.t), TORUS_OK);
        expect(&h, torus_program(h.t, &p), TORUS_OK);
        unplug(&h);
        check_programmed(f, 4 + round, true);
    }
    fake_free(f);
}

static void dead_uart(void **state)
{
    (void)state;
    struct fake_fabric *f = fake_new(2, 2, 1, true, seed);
    struct torus_options o = {.size = sizeof(struct torus_options), .timeout = 0.3, .retry = 0.05};
    struct torus_identity id;
    struct host h;
    f->board[0].dead = true;
    plug(&h, &f->board[0], -1, &o);
    expect(&h, torus_ping_path(h.t, NULL, 0, &id), TORUS_E_TIMEOUT);
    expect(&h, torus_discover(h.t), TORUS_E_TIMEOUT);
    unplug(&h);
    plug(&h, &f->board[1], 0, &o); // the connection is broken
    expect(&h, torus_ping_path(h.t, NULL, 0, &id), TORUS_E_TRANSPORT);
    unplug(&h);
    fake_free(f);
}

// Who was waited for in vain is not waited for as long again, until it has been heard.
static void in_vain(void **state)
{
    (void)state;
    struct fake_fabric *f = fake_new(2, 2, 1, true, seed);
    struct torus_options o = {.size = sizeof(struct torus_options), .timeout = 2.4, .retry = 0.01};
    struct torus_preset p = torus_preset_default(TORUS_ABR);
    struct host h;
    uint32_t value;
    const uint8_t far[3] = {1, 1, 0};
    plug(&h, &f->board[0], -1, &o);
    expect(&h, torus_discover(h.t), TORUS_OK);
    expect(&h, torus_program(h.t, &p), TORUS_OK);
    struct fake_board *b = f->board;
    while (b->reg[OFR_NODE_COORD / 4] != 0x101)
        b++;
    static const char *const said[] = {"(1,1) in 2.4 s", "(1,1) in 2 s", "(1,1) in 2.4 s"};
    for (unsigned i = 0; i < 3; i++) {
        if (i == 2)
            expect(&h, torus_read(h.t, far, OFR_NODE_COORD, &value), TORUS_OK);
        b->dead = true;
        expect(&h, torus_read(h.t, far, OFR_NODE_COORD, &value), TORUS_E_TIMEOUT);
        assert_non_null(strstr(torus_detail(h.t), said[i]));
        b->dead = i == 0;
    }
    unplug(&h);
    fake_free(f);
}

// Frames damaged, lost, doubled on the way and packets dropped in the fabric: slower, not wrong.
static void bad_wires(void **state)
{
    (void)state;
    struct fake_fabric *f = fake_new(4, 4, 1, true, seed);
    struct torus_options o = {.size = sizeof(struct torus_options), .timeout = 20, .retry = 0.002};
    struct torus_preset p = torus_preset_default(TORUS_OFR);
    struct host h;
    f->damage = 0.002;
    f->lose = 0.03;
    plug(&h, &f->board[6], -1, &o);
    expect(&h, torus_discover(h.t), TORUS_OK);
    check_places(f, h.t);
    expect(&h, torus_program(h.t, &p), TORUS_OK);
    check_programmed(f, 1, true);
    unplug(&h);
    fake_free(f);
}

static void forget(struct fake_board *b)
{
    memset(b->fw.stored, 0, sizeof b->fw.stored);
}

// Broken twin of bad_wires: without the firmware's store a retry of a table write acts twice, and
// the CRC finds it.
static void bad_wires_no_store(void **state)
{
    (void)state;
    unsigned caught = 0;
    for (unsigned i = 0; i < 10 && !caught; i++) {
        struct fake_fabric *f = fake_new(4, 4, 1, true, seed + i);
        struct torus_options o = {
            .size = sizeof(struct torus_options), .timeout = 20, .retry = 0.002};
        struct torus_preset p = torus_preset_default(TORUS_OFR);
        struct host h;
        f->lose = 0.1;
        f->after_poll = forget;
        plug(&h, &f->board[6], -1, &o);
        expect(&h, torus_discover(h.t), TORUS_OK);
        int error = torus_program(h.t, &p);
        caught += error == TORUS_E_BOARD && strstr(torus_detail(h.t), "CRC");
        unplug(&h);
        fake_free(f);
    }
    assert_true(caught);
}

static void traffic(void **state)
{
    (void)state;
    struct fake_fabric *f = fake_new(3, 5, 1, true, seed);
    struct torus_preset p = torus_preset_default(TORUS_ABR);
    struct torus_run run = torus_run_default();
    struct torus_result r;
    struct host h;
    plug(&h, &f->board[4], -1, &quick);
    expect(&h, torus_discover(h.t), TORUS_OK);
    expect(&h, torus_run(h.t, &run, &r), TORUS_E_UNKNOWN); // nothing programmed
    expect(&h, torus_program(h.t, &p), TORUS_OK);
    run.load = 0.5;
    run.warmup = 0;
    run.cycles = 3200; // packets of 16 flits, one in 32 cycles: 100, and one at the end
    expect(&h, torus_run(h.t, &run, &r), TORUS_OK);
    assert_int_equal(r.sent, 15 * 101);
    assert_int_equal(r.received, 15 * 101);
    assert_int_equal(r.packet_flits, 16);
    assert_true(r.offered > 0.4999 && r.offered < 0.5001);
    assert_true(r.accepted > 0.504 && r.accepted < 0.506); // 101 x 16 / 3200
    // 15 x 0xc0000000 is more than 32 bits.
    assert_true(r.mean > 0xc0000000 / 101.0 - 1 && r.mean < 0xc0000000 / 101.0 + 1);
    assert_int_equal(r.max, 100);
    assert_int_equal(f->board[0].reg[OFR_GEN_CONTROL / 4] >> OFR_GEN_CONTROL_CLASS_LSB & 3,
                     OFR_PKT_CLASS_MINIMAL);
    for (unsigned i = 1; i < f->boards; i++)
        assert_int_not_equal(f->board[i].reg[OFR_GEN_SEED / 4], f->board[0].reg[OFR_GEN_SEED / 4]);
    for (unsigned i = 0; i < f->boards; i++) // one start for all
        assert_int_equal(f->board[i].reg[OFR_GEN_START / 4], f->board[0].reg[OFR_GEN_START / 4]);
    run.pattern = TORUS_BUTTERFLY;
    expect(&h, torus_run(h.t, &run, &r), TORUS_E_USAGE);
    run.pattern = TORUS_UNIFORM;
    run.load = -1;
    expect(&h, torus_run(h.t, &run, &r), TORUS_E_USAGE);
    run.load = 0.5;
    run.packet_flits = 17;
    expect(&h, torus_run(h.t, &run, &r), TORUS_E_USAGE);
    unplug(&h);
    fake_free(f);
}

static void patterns(void **state)
{
    (void)state;
    static const struct {
        uint8_t k[3];
        unsigned mask; // of the patterns that exist
    } list[] = {
        {{4, 4, 1}, 0xef}, {{3, 5, 1}, 0xe1}, {{5, 5, 1}, 0xe5}, {{4, 2, 1}, 0xeb},
        {{4, 4, 4}, 0xff}, {{4, 4, 2}, 0xeb}, {{3, 3, 3}, 0xf1}, {{2, 4, 2}, 0xef},
    };
    for (unsigned i = 0; i < sizeof list / sizeof *list; i++) {
        unsigned mask = 0;
        for (unsigned p = 0; p < TORUS_PATTERNS; p++)
            mask |= (unsigned)!torus_pattern_missing((enum torus_pattern)p,
                                                     list[i].k[2] > 1 ? 3 : 2, list[i].k)
                    << p;
        assert_int_equal(mask, list[i].mask);
    }
    assert_true(torus_gamma0(2, (uint8_t[]){8, 4, 1}) == 1.0);
    assert_true(torus_gamma0(2, (uint8_t[]){3, 3, 1}) == 3.0);
    assert_true(torus_gamma0(2, (uint8_t[]){2, 2, 1}) == 2.0);
}

struct seen {
    struct fake_fabric *f;
    unsigned count;
};

static void see(void *ctx, const uint8_t c[3], const uint64_t *counters)
{
    struct seen *s = ctx;
    for (unsigned i = 0; i < s->f->boards; i++) {
        struct fake_board *b = &s->f->board[i];
        if (b->reg[OFR_NODE_COORD / 4] == (c[0] | (uint32_t)c[1] << 8 | (uint32_t)c[2] << 16)) {
            assert_memory_equal(counters, b->counter, sizeof b->counter);
            s->count++;
        }
    }
}

static void counters(void **state)
{
    (void)state;
    struct fake_fabric *f = fake_new(3, 2, 2, true, seed);
    struct torus_preset p = torus_preset_default(TORUS_OFR);
    struct seen s = {f, 0};
    struct host h;
    plug(&h, &f->board[4], -1, &quick);
    expect(&h, torus_discover(h.t), TORUS_OK);
    expect(&h, torus_program(h.t, &p), TORUS_OK);
    for (unsigned i = 0; i < FAKE_COUNTERS; i++)
        f->board[0].counter[i] = 0;
    for (unsigned i = 0; i < FAKE_COUNTERS; i++)
        f->board[1].counter[i] = 0xffffffffffff;
    expect(&h, torus_counters(h.t, see, &s), TORUS_OK);
    assert_int_equal(s.count, f->boards);
    unplug(&h);
    fake_free(f);
}

// What never ends: noise without a pause, PENDING with a count that goes up and down. Both are a
// time-out.
struct endless {
    uint8_t frame[OFR_FRAME_BYTES];
    unsigned at, pending, count;
};

static int endless_write(void *ctx, const void *from, size_t bytes, int milliseconds)
{
    struct endless *e = ctx;
    (void)milliseconds;
    assert_int_equal(bytes, sizeof e->frame);
    memcpy(e->frame, from, bytes);
    return (int)bytes;
}

static int endless_read(void *ctx, void *to, size_t bytes, int milliseconds)
{
    struct endless *e = ctx;
    (void)milliseconds;
    if (!e->pending) {
        memset(to, e->count++ % 7 ? OFR_FRAME_SYNC : 3, bytes);
        return (int)bytes;
    }
    uint8_t answer[OFR_FRAME_BYTES];
    memcpy(answer, e->frame, sizeof answer);
    answer[4] |= OFR_RESPONSE;
    answer[5] = OFR_PENDING;
    ofr_put32(answer + 12, 5 + e->count % 3);
    ofr_put32(answer + 28, ofr_crc32(answer, 28));
    if (bytes > sizeof answer - e->at)
        bytes = sizeof answer - e->at;
    memcpy(to, answer + e->at, bytes);
    e->at = (e->at + (unsigned)bytes) % sizeof answer;
    e->count += e->at == 0;
    return (int)bytes;
}

static void endless(void **state)
{
    (void)state;
    for (unsigned pending = 0; pending < 2; pending++) {
        struct endless e = {.pending = pending};
        struct torus_transport wire = {endless_read, endless_write, NULL, &e};
        struct torus_identity id;
        struct host h;
        assert_int_equal(torus_open_transport(&h.t, wire, &quick), TORUS_OK);
        expect(&h, torus_ping_path(h.t, NULL, 0, &id), TORUS_E_TIMEOUT);
        unplug(&h);
    }
}

// A board whose firmware is of another version is named, and not talked to. Between boards nothing
// says so but the answer to a ping: changed here on its way to the host.
static int older_read(void *ctx, void *to, size_t bytes, int milliseconds)
{
    struct fake_wire *w = ctx;
    struct torus_transport wire = fake_transport(w);
    uint8_t *frame = to;
    int n = wire.read(w, to, bytes, milliseconds);
    uint64_t serial = w->board->fabric->board[2].serial;
    if (n == OFR_FRAME_BYTES && (frame[4] & OFR_OP_MASK) == OFR_OP_PING && !frame[5] &&
        ofr_get32(frame + 16) == (uint32_t)serial) {
        ofr_put32(frame + 24, (ofr_get32(frame + 24) & ~(15u << OFR_INFO_VERSION_LSB)) |
                                  2u << OFR_INFO_VERSION_LSB);
        ofr_put32(frame + 28, ofr_crc32(frame, 28));
    }
    return n;
}

static void older_board(void **state)
{
    (void)state;
    struct fake_fabric *f = fake_new(4, 1, 1, true, seed);
    struct host h = {.wire = {f->board, -1}};
    struct torus_transport wire = fake_transport(&h.wire);
    wire.read = older_read;
    assert_int_equal(torus_open_transport(&h.t, wire, &quick), TORUS_OK);
    expect(&h, torus_discover(h.t), TORUS_E_MISCABLED);
    assert_true(fault_says(h.t, "speaks version 2 of the protocol"));
    unplug(&h);
    fake_free(f);
}

// What small boards count, as rtl/regs/README.md has it under NODE.SHAPE.COUNT.
static void few_counters(void **state)
{
    (void)state;
    static const char *const there[] = {"injected", "delivered", "oidn",           "widn",
                                        "pinned",   "discarded", "poisoned",       ".crc",
                                        ".retry",   ".reset",    ".adaptive.flits"};
    for (unsigned few = 0; few < 2; few++) {
        struct fake_fabric *f = fake_new(2, 2, 1, true, seed);
        struct host h;
        unsigned built = 0;
        f->few_counters = few;
        plug(&h, f->board, -1, &quick);
        assert_true(torus_counter_built(h.t, 0)); // nobody knows yet
        expect(&h, torus_discover(h.t), TORUS_OK);
        for (unsigned i = 0; i < TORUS_COUNTERS + 3; i++) {
            char name[TORUS_NAME];
            bool is = torus_counter_name(i, 2, name), wanted = !few && is;
            for (unsigned n = 0; few && is && n < sizeof there / sizeof *there; n++)
                wanted |= there[n][0] == '.' ? name[1] != 'o' && !strcmp(name + 2, there[n])
                                             : !strcmp(name, there[n]);
            assert_int_equal(torus_counter_built(h.t, i), wanted);
            built += wanted;
        }
        assert_int_equal(built, few ? 7 + 4 * 4 : 5 * 12 + 9 + 4 * 6);
        unplug(&h);
        fake_free(f);
    }
}

// A board without generator, checker and destination table among others: traffic between these goes
// past it, and what all are to do is refused, wherever the host is.
static void mixed_boards(void **state)
{
    (void)state;
    enum { BARE = 4 };
    struct fake_fabric *f = fake_new(3, 3, 1, true, seed);
    struct torus_preset p = torus_preset_default(TORUS_OFR);
    struct torus_flow_options o = torus_flow_options_default();
    struct torus_run run = torus_run_default();
    f->board[BARE].no_traffic = f->board[BARE].no_pins = true;
    f->lifetime = 100;
    for (unsigned plugged = 0; plugged < f->boards; plugged += BARE)
        for (unsigned anew = 0; anew < 2; anew++) {
            struct host h;
            struct torus_result result;
            unsigned on;
            plug(&h, &f->board[plugged], -1, &quick);
            expect(&h, torus_discover(h.t), TORUS_OK);
            expect(&h, torus_program(h.t, &p), TORUS_OK);
            if (!anew) {
                unplug(&h);
                plug(&h, &f->board[plugged], -1, &quick);
                expect(&h, torus_attach(h.t), TORUS_OK);
            }
            const uint32_t at = f->board[BARE].reg[OFR_NODE_COORD / 4];
            const uint8_t x = at & 15, y = at >> 8 & 15, u = (x + 1) % 3, v = (y + 1) % 3;
            struct torus_flow flow[3] = {{.from = {u, y}, .to = {x, v}},
                                         {.from = {x, y}, .to = {u, v}},
                                         {.from = {u, v}, .to = {x, y}}};
            char text[2][64];
            snprintf(text[0], 64, "at (%u,%u) is built without a traffic gen", x, y);
            snprintf(text[1], 64, "at (%u,%u) is built without a traffic check", x, y);
            expect(&h, torus_flows(h.t, &o, flow, 1), TORUS_OK);
            assert_true(flow->sent && flow->received == flow->sent);
            expect(&h, torus_flows(h.t, &o, flow + 1, 1), TORUS_E_USAGE);
            assert_non_null(strstr(torus_detail(h.t), text[0]));
            expect(&h, torus_flows(h.t, &o, flow + 2, 1), TORUS_E_USAGE);
            assert_non_null(strstr(torus_detail(h.t), text[1]));
            expect(&h, torus_run(h.t, &run, &result), TORUS_E_USAGE);
            assert_non_null(strstr(torus_detail(h.t), "some of them, are built without a traffic"));
            expect(&h, torus_destinations_on(h.t, &on), TORUS_OK);
            expect(&h, torus_stop(h.t), TORUS_OK);
            unplug(&h);
        }
    fake_free(f);
}

// A user's core has an end at least, and no more than its STATE has bits for. And a board's
// channels have one at least.
static void impossible_core(void **state)
{
    (void)state;
    static const uint8_t at[1][3] = {{1, 0, 0}}, image[32] = {0x6f};
    static const struct torus_end from = {.at = {0, 0, 0}}, to = {.at = {1, 0, 0}};
    struct torus_preset preset = torus_preset_default(TORUS_ABR);
    static const unsigned ends[] = {1, OFR_USER_STATE_MID_BITS, OFR_USER_STATE_MID_BITS + 1, 31, 0};
    for (unsigned i = 0; i < sizeof ends / sizeof *ends; i++) {
        struct fake_fabric *f = fake_new(2, 2, 1, true, seed);
        struct torus_channel channel;
        struct torus_user user;
        struct host h;
        int wanted = i < 2 ? TORUS_OK : TORUS_E_PROTOCOL;
        f->user_shape = ends[i] << OFR_USER_SHAPE_ENDS_LSB | 31U << OFR_USER_SHAPE_RAM_LSB;
        plug(&h, f->board, -1, &quick);
        expect(&h, torus_discover(h.t), TORUS_OK);
        expect(&h, torus_program(h.t, &preset), TORUS_OK);
        expect(&h, torus_user_load(h.t, at, 1, image, sizeof image), wanted);
        expect(&h, torus_user_join(h.t, &from, &to, 0.01), wanted);
        expect(&h, torus_user_state(h.t, at[0], &user), wanted);
        if (wanted == TORUS_OK) {
            assert_int_equal(user.ends, ends[i]);
            assert_int_equal(user.memory, (size_t)1 << 31);
        } else {
            assert_true(!!strstr(torus_detail(h.t), "user's core has"));
        }
        f->channel_shape = ends[i] << OFR_CHANNEL_SHAPE_ENDS_LSB | 4U << OFR_CHANNEL_SHAPE_ROOM_LSB;
        expect(&h, torus_channel_state(h.t, &to, &channel), ends[i] ? TORUS_OK : TORUS_E_PROTOCOL);
        unplug(&h);
        fake_free(f);
    }
}

// A bit error test that is longer than an end counts is made in turns: 2^31 bits at most, of which
// fake boards say each time that they have seen 100,000, three of wire 1 wrong.
static void bit_errors(void **state)
{
    (void)state;
    struct fake_fabric *f = fake_new(2, 2, 1, true, seed);
    struct torus_bert r;
    struct host h;
    unsigned port = 0;
    plug(&h, f->board, -1, &quick);
    expect(&h, torus_discover(h.t), TORUS_OK);
    while (port < 3 && torus_board(h.t, 0)->peer[port] < 0)
        port++;
    double turns = ceil(1000 * (double)FAKE_CLOCK / 0x1p31);
    expect(&h, torus_bert(h.t, 0, port, 1000, &r), TORUS_OK);
    assert_true(r.up && r.was_up && r.ends == 2 && r.end[0].board != r.end[1].board);
    assert_true(r.seconds >= 1000 && r.seconds < 1000.001);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(r.end[i].phy.wires, 2);
        assert_true(r.end[i].phy.bits == 100000 * turns);
        assert_true(r.end[i].phy.wire[0].errors == 0 && r.end[i].phy.wire[0].eye == 2);
        assert_true(r.end[i].phy.wire[1].errors == 3 * turns);
    }
    expect(&h, torus_bert(h.t, 0, 4, 1, &r), TORUS_E_USAGE);
    expect(&h, torus_bert(h.t, 4, 0, 1, &r), TORUS_E_USAGE);
    expect(&h, torus_bert(h.t, 0, port, 0, &r), TORUS_E_USAGE);
    unplug(&h);
    fake_free(f);
}

// More than a minute passes once so many bytes have gone, so that no lease is left: of the board's
// time, or the host's too.
static struct {
    unsigned bytes;
    bool both;
} gone;
static void long_minute(struct fake_board *b)
{
    struct timespec seconds = {.tv_sec = gone.both ? 70 : 0};
    if (b->beats != gone.bytes / 2)
        return;
    b->fabric->after_poll = NULL;
    nanosleep(&seconds, NULL);
    pass(b->fabric, 700);
}

// A lease that is lost in the middle of a long message: what has gone is told, and nothing goes
// behind it. Between two requests that is exact; with one under way it is what had an answer, and
// that there may be more. So for messages.
static void message_cut(void **state)
{
    (void)state;
    static const struct {
        unsigned gone; // bytes, of requests of 384 and frames of 24
        bool both, messages;
        int error;
    } cut[] = {{384, true, false, TORUS_E_LEASE},  {384, true, true, TORUS_E_LEASE},
               {480, false, false, TORUS_E_LEASE}, {480, false, true, TORUS_E_LEASE},
               {480, true, false, TORUS_E_FAILED}, {480, true, true, TORUS_E_FAILED}};
    for (unsigned i = 0; i < sizeof cut / sizeof *cut; i++) {
        struct fake_fabric *f = fake_new(2, 2, 1, true, seed);
        struct torus_preset p = torus_preset_default(TORUS_ABR);
        const struct torus_end from = {.end = 1}, to = {.at = {1, 0, 0}, .end = 2};
        static uint8_t zeros[1000];
        struct torus_message m = {.end = from, .data = zeros, .bytes = sizeof zeros, .other = -1};
        struct host h;
        plug(&h, f->board, -1, &quick);
        expect(&h, torus_discover(h.t), TORUS_OK);
        expect(&h, torus_program(h.t, &p), TORUS_OK);
        expect(&h, torus_channel_open(h.t, &from, &to, 1), TORUS_OK);
        gone.bytes = cut[i].gone;
        gone.both = cut[i].both;
        f->after_poll = long_minute;
        expect(&h,
               cut[i].messages ? torus_messages(h.t, &m, 1, 1)
                               : torus_channel_send(h.t, &from, zeros, sizeof zeros, 1, &m.moved),
               cut[i].error);
        assert_null(f->after_poll);
        assert_int_equal(m.moved, 384);
        unsigned beats = 0;
        for (unsigned b = 0; b < f->boards; b++)
            beats += f->board[b].beats;
        assert_int_equal(beats, cut[i].gone / 2);
        assert_true(
            !!strstr(torus_detail(h.t), "up to 384 bytes more may have gone to (0,0) end 1") ==
            (cut[i].gone > 384));
        unplug(&h);
        fake_free(f);
    }
}

// The time of a turn passes as it begins: ticks of 256 cycles.
static void turn_passes(struct fake_board *b)
{
    uint32_t *test = &b->reg[OFR_NODE_BERT / 4];
    double seconds = 256.0 / FAKE_CLOCK * (*test & OFR_NODE_BERT_TICKS_MASK);
    struct timespec time = {.tv_sec = (time_t)seconds};
    *test = 0;
    nanosleep(&time, NULL);
    pass(b->fabric, (unsigned)(10 * seconds));
}

// A day, which is longer than any lease, of a link that is up, and of one that is not.
static void bit_errors_of_a_day(void **state)
{
    (void)state;
    for (unsigned cut = 0; cut < 2; cut++) {
        struct fake_fabric *f = fake_new(4, 2, 1, true, seed);
        struct torus_bert r;
        struct host h;
        if (cut)
            fake_cut(f->board, 0);
        plug(&h, f->board, -1, &quick);
        expect(&h, torus_discover(h.t), cut ? TORUS_E_MISCABLED : TORUS_OK);
        f->after_poll = turn_passes;
        expect(&h, torus_bert(h.t, 0, 0, 86400, &r), TORUS_OK);
        assert_true(r.was_up == !cut && r.ends == 2 - cut && r.seconds >= 86400);
        unplug(&h);
        fake_free(f);
    }
}

// Another board in the place of board b, fresh: unconfigured, with this serial number.
static void replace(struct fake_board *b, uint64_t serial)
{
    memset(b->reg, 0, sizeof b->reg);
    b->reg[OFR_NODE_SIZE / 4] = 0x010101;
    b->serial = serial;
    fw_init(&b->fw);
}

// Where each board of the fabric was found; a board's number in the fabric, its node as found.
static void found(struct fake_fabric *f, struct torus *t, unsigned *node)
{
    uint8_t k[3];
    torus_sizes(t, k);
    for (unsigned i = 0; i < torus_boards(t); i++) {
        const struct torus_board *b = torus_board(t, i);
        node[board_of(f, b->serial) - f->board] = torus_node(k, b->at);
    }
}

// Coordinates stay when a board is replaced, even by one with the lowest serial number, as those
// that are programmed say; where none is, by torus_keep(); and boards are found by serial number.
static void kept(void **state)
{
    (void)state;
    static const uint8_t sizes[][3] = {{4, 4, 1}, {3, 5, 1}, {2, 2, 1}, {2, 3, 4}, {5, 1, 1}};
    for (unsigned i = 0; i < 2 * sizeof sizes / sizeof *sizes; i++) {
        const uint8_t *k = sizes[i / 2];
        struct fake_fabric *f = fake_new(k[0], k[1], k[2], i % 2, seed + i);
        unsigned node[64], now[64], plain[64], first = 0, gone = fake_random(f, f->boards);
        struct torus_place place[64];
        uint8_t at[3];
        struct host h;
        plug(&h, f->board, -1, &quick);
        expect(&h, torus_discover(h.t), TORUS_OK);
        expect(&h, torus_assign(h.t), TORUS_OK);
        found(f, h.t, node);
        for (unsigned b = 0; b < f->boards; b++) {
            place[b].serial = f->board[b].serial;
            torus_node_at(k, node[b], place[b].at);
            first = node[b] ? first : b;
        }
        // By address, and as discovered.
        expect(&h, torus_find(h.t, f->board[gone].serial, at), TORUS_OK);
        assert_memory_equal(at, place[gone].at, 3);
        expect(&h, torus_attach(h.t), TORUS_OK);
        expect(&h, torus_find(h.t, f->board[gone].serial, at), TORUS_OK);
        assert_memory_equal(at, place[gone].at, 3);
        expect(&h, torus_find(h.t, 0xdead, at), TORUS_E_USAGE);
        // One replaced, the origin at times.
        gone = i % 3 ? gone : first;
        replace(&f->board[gone], 1);
        expect(&h, torus_discover(h.t), TORUS_OK);
        found(f, h.t, now);
        assert_memory_equal(now, node, f->boards * sizeof *node);
        // All without power meanwhile.
        for (unsigned b = 0; b < f->boards; b++)
            replace(&f->board[b], f->board[b].serial);
        expect(&h, torus_discover(h.t), TORUS_OK);
        found(f, h.t, plain);
        assert_true(plain[gone] == 0 || !(i % 2)); // else a pair's one cable may say which is 0
        expect(&h, torus_keep(h.t, k, place, f->boards), TORUS_OK);
        expect(&h, torus_discover(h.t), TORUS_OK);
        found(f, h.t, now);
        assert_memory_equal(now, node, f->boards * sizeof *node);
        // No places: as without. A place outside: refused.
        expect(&h, torus_keep(h.t, k, NULL, 0), TORUS_OK);
        expect(&h, torus_discover(h.t), TORUS_OK);
        found(f, h.t, now);
        assert_memory_equal(now, plain, f->boards * sizeof *now);
        place[0].at[0] = k[0];
        expect(&h, torus_keep(h.t, k, place, 1), TORUS_E_USAGE);
        unplug(&h);
        fake_free(f);
    }
}

// Boards that have been given coordinates which do not fit together say nothing.
static void disagreeing(void **state)
{
    (void)state;
    struct fake_fabric *f = fake_new(4, 4, 1, true, seed);
    unsigned before[16] = {0}, now[16] = {0};
    struct host h;
    plug(&h, f->board, -1, &quick);
    expect(&h, torus_discover(h.t), TORUS_OK);
    expect(&h, torus_assign(h.t), TORUS_OK);
    found(f, h.t, before);
    for (unsigned i = 0; i < 16; i++) // all one further in x, but for one
        f->board[i].reg[OFR_NODE_COORD / 4] =
            (f->board[i].reg[OFR_NODE_COORD / 4] & ~15u) | (before[i] + (i != 7)) % 4;
    expect(&h, torus_discover(h.t), TORUS_OK);
    found(f, h.t, now);
    assert_memory_equal(now, before, sizeof now);
    unplug(&h);
    fake_free(f);
}

static void usage(void **state)
{
    (void)state;
    struct torus *t;
    assert_int_equal(torus_open(&t, "nonsense", NULL), TORUS_E_USAGE);
    assert_true(*torus_detail(t));
    torus_close(t);
    assert_int_equal(torus_open(&t, "unix:/nonexistent/socket", NULL), TORUS_E_TRANSPORT);
    torus_close(t);
    assert_int_equal(torus_open(&t, "tty:/dev/null", NULL), TORUS_E_TRANSPORT);
    torus_close(t);
    assert_string_equal(torus_strerror(12345), "unknown error");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(discover_sizes),    cmocka_unit_test(missing_cable),
        cmocka_unit_test(swapped_cables),    cmocka_unit_test(looped_cable),
        cmocka_unit_test(doubled_cable),     cmocka_unit_test(missing_board),
        cmocka_unit_test(dead_board),        cmocka_unit_test(same_serial),
        cmocka_unit_test(size_17),           cmocka_unit_test(assign),
        cmocka_unit_test(program_sizes),     cmocka_unit_test(killed_session),
        cmocka_unit_test(tie_refused),       cmocka_unit_test(staged_over_custom),
        cmocka_unit_test(half_committed),    cmocka_unit_test(custom_tables),
        cmocka_unit_test(two_hosts),         cmocka_unit_test(leaves_in_lease),
        cmocka_unit_test(reset_board_named), cmocka_unit_test(keyed),
        cmocka_unit_test(dead_uart),         cmocka_unit_test(in_vain),
        cmocka_unit_test(bad_wires),         cmocka_unit_test(bad_wires_no_store),
        cmocka_unit_test(traffic),           cmocka_unit_test(patterns),
        cmocka_unit_test(counters),          cmocka_unit_test(endless),
        cmocka_unit_test(older_board),       cmocka_unit_test(few_counters),
        cmocka_unit_test(mixed_boards),      cmocka_unit_test(impossible_core),
        cmocka_unit_test(bit_errors),        cmocka_unit_test(bit_errors_of_a_day),
        cmocka_unit_test(message_cut),       cmocka_unit_test(kept),
        cmocka_unit_test(disagreeing),       cmocka_unit_test(usage),
    };
    if (getenv("ONLY")) // for the twins
        cmocka_set_test_filter(getenv("ONLY"));
    seed = fake_seed(argc, argv);
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("libtorus", tests, NULL, NULL);
}
