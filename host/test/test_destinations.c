// SPDX-License-Identifier: Apache-2.0
// Destination tables: what boards hold afterwards, that at every moment it is all of one
// generation's tables, what a program cut short leaves, and that no table can shut the host out.
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "fake.h"
#include "fw_parts.h"

static uint64_t seed;

static const struct torus_options quick = {
    .size = sizeof(struct torus_options), .timeout = 0.3, .retry = 0.001};

struct host {
    struct fake_wire wire;
    struct torus *t;
};

static void plug(struct host *h, struct fake_board *b, long writes,
                 const struct torus_options *options)
{
    h->wire = (struct fake_wire){b, writes};
    assert_int_equal(torus_open_transport(&h->t, fake_transport(&h->wire), options), TORUS_OK);
}

static void expect(struct host *h, int error, int want)
{
    if (error != want)
        print_message("# %s: %s\n", torus_strerror(error), torus_detail(h->t));
    assert_int_equal(error, want);
}

// Coordinates as in packet headers.
static uint32_t word_of(const uint8_t at[3])
{
    return at[0] | (uint32_t)at[1] << 4 | (uint32_t)at[2] << 8;
}

static void node_of(const struct fake_fabric *f, unsigned n, uint8_t at[3])
{
    at[0] = (uint8_t)(n % f->k[0]);
    at[1] = (uint8_t)(n / f->k[0] % f->k[1]);
    at[2] = (uint8_t)(n / f->k[0] / f->k[1]);
}

enum { LIST = 4096 };

// A preset's table with random destinations, `unreachable` or not, a pair or a node's all at once.
static struct torus_table draw_table(struct fake_fabric *f, struct torus_destination *list,
                                     bool unreachable)
{
    struct torus_preset preset = torus_preset_default(TORUS_OFR);
    struct torus_table table;
    unsigned n = 0;
    assert_int_equal(torus_preset_table(&preset, f->dims, &table), TORUS_OK);
    table.delta = 1;
    for (unsigned to = 0; to < f->boards; to++) {
        bool all = !fake_random(f, 4);
        for (unsigned from = 0; from < (all ? 1 : f->boards); from++) {
            struct torus_destination *d = &list[n];
            if (!all && (from == to || fake_random(f, 3)))
                continue;
            *d = (struct torus_destination){.from_all = all};
            d->mode = (enum torus_pin)fake_random(f, unreachable ? 5 : 4);
            if (!all)
                node_of(f, from, d->from);
            node_of(f, to, d->to);
            if (d->mode == TORUS_IDN)
                node_of(f, fake_random(f, f->boards), d->via);
            assert_true(++n < LIST);
        }
    }
    if (!n) { // a list that is not empty
        list[n] = (struct torus_destination){.from_all = true, .mode = TORUS_ESCAPE};
        n++;
    }
    table.destinations = list;
    table.destination_count = n;
    return table;
}

// The table around the cables that are missing, with a few pairs told more than they must.
static struct torus_table led_around(struct fake_fabric *f, struct torus *t,
                                     struct torus_destination *list)
{
    struct torus_preset preset = torus_preset_default(TORUS_OFR);
    struct torus_destination *around;
    struct torus_table table;
    unsigned count, none;
    assert_int_equal(torus_preset_here(t, &preset, &table), TORUS_OK);
    assert_int_equal(torus_around(t, &table, &around, &count, &none), TORUS_OK);
    assert_true(count + 8 < LIST && !none);
    memcpy(list, around, count * sizeof *list);
    free(around);
    table.destinations = list;
    table.destination_count = count;
    for (unsigned tries = 0; tries < 8; tries++) {
        struct torus_destination *d = &list[table.destination_count];
        unsigned from = fake_random(f, f->boards), to = fake_random(f, f->boards), i = 0;
        *d = (struct torus_destination){.mode = tries % 2 ? TORUS_ESCAPE : TORUS_NO_DEROUTE};
        node_of(f, from, d->from);
        node_of(f, to, d->to);
        while (memcmp(list[i].from, d->from, 3) != 0 || memcmp(list[i].to, d->to, 3) != 0)
            i++;
        if (from == to || i < table.destination_count)
            continue;
        table.destination_count++;
        table.destination_count -= torus_table_safe(t, &table) != TORUS_OK;
    }
    return table;
}

// A random table that is safe in the torus as it is cabled.
static struct torus_table random_table(struct fake_fabric *f, struct torus_destination *list,
                                       bool unreachable)
{
    struct torus_table table;
    struct host h;
    plug(&h, &f->board[0], -1, &quick);
    int error = torus_discover(h.t);
    if (torus_gaps(h.t)) {
        table = led_around(f, h.t, list);
    } else {
        expect(&h, error, TORUS_OK);
        do
            table = draw_table(f, list, unreachable);
        while (torus_table_safe(h.t, &table) != TORUS_OK);
    }
    torus_close(h.t);
    return table;
}

// The table that makes every node unreachable from every other.
static struct torus_table unreachable_table(struct fake_fabric *f, struct torus_destination *list)
{
    struct torus_table table = random_table(f, list, false);
    for (unsigned i = 0; i < f->boards; i++) {
        list[i] = (struct torus_destination){.from_all = true, .mode = TORUS_UNREACHABLE};
        node_of(f, i, list[i].to);
    }
    table.destination_count = f->boards;
    return table;
}

static uint32_t header_word(uint32_t coord)
{
    return (coord & 15) | (coord >> 4 & 0xf0) | (coord >> 8 & 0xf00);
}

// Does the board hold these entries, by the list's meaning, and no others, and the IDN table?
static bool board_holds(const struct fake_board *b, const struct torus_table *table)
{
    uint32_t me = header_word(b->reg[OFR_NODE_COORD / 4]);
    uint16_t want[4096] = {0};
    for (unsigned set = 0; set < 1u << table->dims; set++)
        if ((b->table[set * TORUS_VECTORS] != 0) != (table->count[set] != 0))
            return false;
    if (!table->destination_count)
        return !b->reg[OFR_PINS_CONTROL / 4];
    for (unsigned j = 0; j < table->destination_count; j++) {
        const struct torus_destination *d = &table->destinations[j];
        if (word_of(d->to) != me && (d->from_all || word_of(d->from) == me))
            want[word_of(d->to)] = (uint16_t)((unsigned)d->mode << 12 | word_of(d->via));
    }
    return b->reg[OFR_PINS_CONTROL / 4] && memcmp(want, b->pins, sizeof want) == 0;
}

static bool holds(const struct fake_fabric *f, const struct torus_table *table)
{
    for (unsigned i = 0; i < f->boards; i++)
        if (!board_holds(&f->board[i], table))
            return false;
    return true;
}

static unsigned boards_on(const struct fake_fabric *f)
{
    unsigned on = 0;
    for (unsigned i = 0; i < f->boards; i++)
        on += f->board[i].reg[OFR_PINS_CONTROL / 4];
    return on;
}

// After each step of a board that wrote to its tables: has it, whole, what its generation is? `of`:
// the tables by generation, NULL where nothing is to be seen; mixes: times that it had not.
enum { GENERATIONS = 8 };
static const struct torus_table *of[GENERATIONS];
static unsigned mixes, looks;

static void look(struct fake_board *b)
{
    unsigned generation = b->fw.active & 0xffff;
    if (!b->touched || generation >= GENERATIONS || !of[generation])
        return;
    b->touched = 0;
    looks++;
    mixes += !board_holds(b, of[generation]);
}

static void watch(struct fake_fabric *f)
{
    memset(of, 0, sizeof of);
    mixes = looks = 0;
    f->after_poll = look;
}

// Random lists arrive as they are, again and again, attached or discovered, and go again. No board
// ever has some of one table and some of another.
static void arrive(void **state)
{
    (void)state;
    static const unsigned sizes[][3] = {{4, 4, 1}, {2, 3, 1}, {3, 4, 2}, {1, 3, 1}, {16, 2, 1}};
    enum { ROUNDS = 3 };
    struct torus_destination *list = calloc(LIST * (ROUNDS + 1), sizeof *list);
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct fake_fabric *f = fake_new(sizes[i][0], sizes[i][1], sizes[i][2], true, seed + i);
        struct torus_preset preset = torus_preset_default(TORUS_ABR), is;
        struct torus_table table[ROUNDS + 1], none;
        struct host h;
        unsigned generation, on;
        plug(&h, &f->board[f->boards / 2], -1, &quick);
        expect(&h, torus_discover(h.t), TORUS_OK);
        watch(f);
        assert_int_equal(torus_preset_table(&preset, f->dims, &none), TORUS_OK);
        of[ROUNDS + 1] = &none;
        for (unsigned round = 0; round < ROUNDS; round++) {
            table[round] = random_table(f, list + LIST * round, false);
            of[round + 1] = &table[round];
            expect(&h, torus_program_table(h.t, &table[round]), TORUS_OK);
            assert_true(holds(f, &table[round]));
            assert_int_equal(boards_on(f), f->boards);
            expect(&h, torus_attach(h.t), TORUS_OK);
            expect(&h, torus_programmed(h.t, &is, &generation), TORUS_OK);
            assert_int_equal(is.routing, TORUS_CUSTOM);
            assert_int_equal(generation, round + 1);
            expect(&h, torus_destinations_on(h.t, &on), TORUS_OK);
            assert_int_equal(on, f->boards);
        }
        expect(&h, torus_program(h.t, &preset), TORUS_OK);
        assert_true(holds(f, &none));
        expect(&h, torus_programmed(h.t, &is, &generation), TORUS_OK);
        expect(&h, torus_destinations_on(h.t, &on), TORUS_OK);
        assert_int_equal(on, 0);
        assert_true(looks > f->boards * ROUNDS);
        assert_int_equal(mixes, 0);
        // Twin: a board whose table has no shadow is noticed.
        table[ROUNDS] = random_table(f, list + LIST * ROUNDS, false);
        of[ROUNDS + 2] = &table[ROUNDS];
        f->board[0].no_shadow = true;
        expect(&h, torus_program_table(h.t, &table[ROUNDS]), TORUS_OK);
        expect(&h, torus_program_table(h.t, &table[0]), TORUS_OK);
        assert_true(mixes);
        torus_close(h.t);
        fake_free(f);
    }
    free(list);
}

// A wire on which a frame takes 200 ms, for host and boards.
static struct torus_transport fast;
static double seconds; // so far

static int slow_write(void *ctx, const void *from, size_t bytes, int milliseconds)
{
    enum { MS = 200 };
    const struct fake_wire *w = ctx;
    struct fake_fabric *f = w->board->fabric;
    nanosleep(&(const struct timespec){.tv_nsec = MS * 1000000L}, NULL);
    seconds += MS * 1e-3;
    f->time += FAKE_CLOCK / 1000 * MS;
    for (unsigned i = 0; i < f->boards; i++) {
        f->board[i].timer += FAKE_CLOCK / 1000 * MS;
        lease_expire(&f->board[i].fw);
    }
    return fast.write(ctx, from, bytes, milliseconds);
}

// 8x8 boards with a key: to write their tables takes longer than a lease, which no board loses
// while it waits for its turn. Nor may it be done without the key.
static void keyed(void **state)
{
    (void)state;
    struct torus_destination *list = calloc(LIST, sizeof *list);
    struct fake_fabric *f = fake_new(8, 8, 1, true, seed);
    struct torus_table table = random_table(f, list, false);
    struct torus_options with = quick;
    struct host h = {.wire = {f->board, -1}};
    struct torus_transport slow = fast = fake_transport(&h.wire);
    slow.write = slow_write;
    with.key = 0x123456789abcdef0;
    with.timeout = 30;
    plug(&h, f->board, -1, &quick);
    expect(&h, torus_discover(h.t), TORUS_OK);
    expect(&h, torus_set_key(h.t, with.key), TORUS_OK);
    torus_close(h.t);
    plug(&h, f->board, -1, &quick);
    expect(&h, torus_discover(h.t), TORUS_OK);
    expect(&h, torus_program_table(h.t, &table), TORUS_E_LOCKED);
    assert_int_equal(boards_on(f), 0);
    torus_close(h.t);
    seconds = 0;
    assert_int_equal(torus_open_transport(&h.t, slow, &with), TORUS_OK);
    expect(&h, torus_discover(h.t), TORUS_OK);
    expect(&h, torus_program_table(h.t, &table), TORUS_OK);
    print_message("# %u entries, %.0f s\n", table.destination_count, seconds);
    assert_true(seconds > 150); // more than two leases
    assert_true(holds(f, &table));
    assert_int_equal(boards_on(f), f->boards);
    torus_close(h.t);
    fake_free(f);
    free(list);
}

// Wrong lists, and boards that have no table: refused, and nothing is written.
static void refused(void **state)
{
    (void)state;
    static const struct torus_destination lists[][2] = {
        {{.from = {0, 0}, .to = {4, 0}, .mode = TORUS_ESCAPE}},
        {{.from = {0, 3}, .to = {1, 0}, .mode = TORUS_ESCAPE}},
        {{.from = {0, 0}, .to = {1, 0}, .mode = TORUS_IDN, .via = {0, 3}}},
        {{.from = {0, 0}, .to = {1, 0}, .mode = TORUS_ESCAPE, .via = {1, 0}}},
        {{.from = {1, 1}, .to = {1, 1}, .mode = TORUS_ESCAPE}},
        {{.from = {0, 0}, .to = {1, 0}, .mode = (enum torus_pin)5}},
        {{.from = {0, 0}, .to = {1, 0, 1}, .mode = TORUS_ESCAPE}},
        {{.from = {0, 0}, .to = {1, 0}, .mode = TORUS_ESCAPE},
         {.from = {0, 0}, .to = {1, 0}, .mode = TORUS_FREE}},
        {{.from = {2, 1}, .to = {1, 0}, .mode = TORUS_ESCAPE},
         {.from_all = true, .to = {1, 0}, .mode = TORUS_ESCAPE}},
        {{.from_all = true, .to = {1, 0}, .mode = TORUS_ESCAPE}}, // the good one: no table
    };
    enum { COUNT = sizeof lists / sizeof *lists };
    for (unsigned i = 0; i < COUNT; i++) {
        struct fake_fabric *f = fake_new(4, 3, 1, true, seed);
        struct torus_destination unused[LIST];
        struct torus_table table = random_table(f, unused, false);
        struct host h;
        table.destinations = lists[i];
        table.destination_count = 1 + (lists[i][1].to[0] != 0);
        f->board[7].no_pins = i == COUNT - 1;
        plug(&h, &f->board[2], -1, &quick);
        expect(&h, torus_discover(h.t), TORUS_OK);
        expect(&h, torus_program_table(h.t, &table), TORUS_E_USAGE);
        assert_non_null(strstr(torus_detail(h.t),
                               i < COUNT - 1 ? "destinations[" : "without a destination table"));
        for (unsigned b = 0; b < f->boards; b++) {
            assert_int_equal(f->board[b].fw.lease, 0);
            assert_int_equal(f->board[b].reg[OFR_NODE_CONTROL / 4], 0);
        }
        torus_close(h.t);
        fake_free(f);
    }
}

// A table that cuts every board off: said so, and taken back over directed routes.
static void taken_back(void **state)
{
    (void)state;
    struct fake_fabric *f = fake_new(4, 4, 1, true, seed);
    struct torus_destination list[LIST];
    struct torus_table bad = unreachable_table(f, list);
    struct torus_preset preset = torus_preset_default(TORUS_OFR), is;
    struct host h;
    unsigned generation;
    plug(&h, &f->board[3], -1, &quick);
    expect(&h, torus_discover(h.t), TORUS_OK);
    expect(&h, torus_program_table(h.t, &bad), TORUS_E_FAILED);
    assert_int_equal(boards_on(f), f->boards);
    for (unsigned b = 0; b < f->boards; b++)
        assert_int_equal(f->board[b].fw.lease, 0);
    torus_close(h.t);
    plug(&h, &f->board[9], -1, &quick);
    expect(&h, torus_attach(h.t), TORUS_E_TIMEOUT);
    expect(&h, torus_discover(h.t), TORUS_OK);
    expect(&h, torus_program(h.t, &preset), TORUS_OK);
    assert_int_equal(boards_on(f), 0);
    expect(&h, torus_attach(h.t), TORUS_OK);
    expect(&h, torus_programmed(h.t, &is, &generation), TORUS_OK);
    assert_int_equal(is.routing, TORUS_OFR);
    assert_int_equal(generation, 2);
    torus_close(h.t);
    fake_free(f);
}

// With a cable missing only a table with destinations can be programmed, and it can.
static void missing_cable(void **state)
{
    (void)state;
    struct fake_fabric *f = fake_new(4, 4, 1, true, seed);
    fake_cut(&f->board[fake_random(f, 16)], fake_random(f, 4));
    struct torus_destination list[LIST], unsafe_list[LIST];
    struct torus_table table = random_table(f, list, false), none = table;
    struct torus_table unsafe = draw_table(f, unsafe_list, false);
    struct torus_preset is;
    struct host h;
    unsigned generation;
    none.destination_count = 0;
    plug(&h, &f->board[1], -1, &quick);
    expect(&h, torus_discover(h.t), TORUS_E_MISCABLED);
    assert_true(torus_gaps(h.t));
    expect(&h, torus_program_table(h.t, &none), TORUS_E_MISCABLED);
    assert_int_equal(f->board[1].fw.lease, 0);
    // Packets would come to the cable: refused by the library itself, nothing written.
    expect(&h, torus_program_table(h.t, &unsafe), TORUS_E_USAGE);
    assert_non_null(strstr(torus_detail(h.t), "come to a missing cable"));
    assert_int_equal(f->board[1].fw.lease, 0);
    expect(&h, torus_program_table(h.t, &table), TORUS_OK);
    assert_true(holds(f, &table));
    expect(&h, torus_attach(h.t), TORUS_OK);
    expect(&h, torus_programmed(h.t, &is, &generation), TORUS_OK);
    torus_close(h.t);
    // Another fault than a missing cable is not gone round.
    fake_cable(&f->board[0], 0, &f->board[5], 2);
    plug(&h, &f->board[1], -1, &quick);
    expect(&h, torus_discover(h.t), TORUS_E_MISCABLED);
    assert_false(torus_gaps(h.t));
    expect(&h, torus_program_table(h.t, &table), TORUS_E_UNKNOWN);
    torus_close(h.t);
    fake_free(f);
}

// A session that programs `table[1]` over `table[0]` is killed after so many frames. True: it came
// to its end before. The next session says so or finds it whole, and mends it.
static bool kill_one(long writes, bool resume, bool cut, unsigned *mended)
{
    struct fake_fabric *f = fake_new(3, 2, 1, true, seed);
    if (cut)
        fake_cut(&f->board[1], 0);
    struct torus_destination list[2][LIST];
    struct torus_table table[2] = {random_table(f, list[0], false),
                                   random_table(f, list[1], false)};
    struct torus_options first = quick, second = quick;
    struct torus_preset is;
    struct host h;
    unsigned generation;
    watch(f);
    of[1] = of[3] = &table[0];
    of[2] = &table[1];
    plug(&h, &f->board[1], -1, &quick);
    expect(&h, torus_discover(h.t), cut ? TORUS_E_MISCABLED : TORUS_OK);
    expect(&h, torus_program_table(h.t, &table[0]), TORUS_OK);
    torus_close(h.t);
    first.token = second.token = 41;
    second.take_over = true;
    plug(&h, &f->board[2], writes, &first);
    int error = torus_discover(h.t);
    bool done =
        (error == TORUS_OK || torus_gaps(h.t)) && torus_program_table(h.t, &table[1]) == TORUS_OK;
    h.wire.writes_left = 0;
    torus_close(h.t);

    unsigned at_new = 0, staged = 0;
    for (unsigned i = 0; i < f->boards; i++) {
        at_new += (f->board[i].fw.active & 0xffff) == 2;
        staged += f->board[i].fw.staged != 0;
    }
    bool whole = !staged && (!at_new || at_new == f->boards);
    assert_int_equal(boards_on(f), f->boards); // never without a table
    if (whole)
        assert_true(holds(f, &table[at_new != 0]));
    plug(&h, &f->board[5], -1, &second);
    expect(&h, torus_attach(h.t), TORUS_OK);
    bool half = torus_programmed(h.t, &is, &generation) == TORUS_E_MIXED;
    assert_int_equal(half, !whole);
    assert_true(!done || (at_new && !half));
    if (half) {
        expect(&h, torus_discover(h.t), cut ? TORUS_E_MISCABLED : TORUS_OK);
        error = resume ? torus_program_resume(h.t, &table[1]) : torus_program_abort(h.t, &table[0]);
        expect(&h, error, TORUS_OK);
        assert_true(holds(f, &table[resume]));
        expect(&h, torus_attach(h.t), TORUS_OK);
        expect(&h, torus_programmed(h.t, &is, &generation), TORUS_OK);
        assert_int_equal(generation, resume ? 2 : 3);
        ++*mended;
    }
    assert_int_equal(mixes, 0);
    torus_close(h.t);
    fake_free(f);
    return done;
}

static void killed(void **state)
{
    (void)state;
    unsigned mended = 0;
    for (unsigned way = 0; way < 4; way++) {
        long writes = 1;
        while (!kill_one(writes, way & 1, way & 2, &mended))
            writes++;
        assert_true(writes > 30);
    }
    print_message("# mended %u programs that were cut short\n", mended);
    assert_true(mended > 100);
}

// A board loses its power and comes back.
static void power_cycle(struct fake_board *b)
{
    fw_init(&b->fw);
    memset(b->table, 0, sizeof b->table);
    memset(b->pins_shadow, 0, sizeof b->pins_shadow);
    b->reg[OFR_PINS_CONTROL / 4] = b->reg[OFR_OFR_COMMIT / 4] = b->reg[OFR_NODE_CONTROL / 4] = 0;
    b->reg[OFR_NODE_COORD / 4] = 0;
    b->reg[OFR_NODE_SIZE / 4] = 0x010101;
    b->mail_count = 0;
}

static struct fake_board *victim;
static long frames, cut_at;

static int cutting_write(void *ctx, const void *from, size_t bytes, int milliseconds)
{
    if (frames++ == cut_at)
        power_cycle(victim);
    return fast.write(ctx, from, bytes, milliseconds);
}

// Before which frame ever a board is power-cycled: it is as after reset or has the new tables
// whole, all others have the old ones or the new ones, nobody is told that all is well unless it
// was, and it is mended. False: the program was over before that.
static bool power_cut(long at, unsigned *refused)
{
    struct fake_fabric *f = fake_new(3, 2, 1, true, seed);
    struct torus_destination list[2][LIST];
    struct torus_table table[2] = {random_table(f, list[0], false),
                                   random_table(f, list[1], false)};
    struct torus_preset is;
    struct host h;
    unsigned generation, newest = 0;
    plug(&h, &f->board[1], -1, &quick);
    watch(f);
    of[1] = &table[0];
    of[2] = &table[1];
    expect(&h, torus_discover(h.t), TORUS_OK);
    expect(&h, torus_program_table(h.t, &table[0]), TORUS_OK);
    torus_close(h.t);
    h.wire = (struct fake_wire){&f->board[1], -1};
    struct torus_transport cutting = fast = fake_transport(&h.wire);
    cutting.write = cutting_write;
    frames = 0;
    cut_at = -1;
    victim = &f->board[3];
    assert_int_equal(torus_open_transport(&h.t, cutting, &quick), TORUS_OK);
    expect(&h, torus_discover(h.t), TORUS_OK);
    frames = 0;
    cut_at = at;
    int error = torus_program_table(h.t, &table[1]);
    bool over = frames <= at;
    *refused += error != TORUS_OK;
    cut_at = -1;
    torus_close(h.t);
    for (unsigned i = 0; i < f->boards; i++) {
        const struct fake_board *b = &f->board[i];
        unsigned has = b->fw.active & 0xffff;
        assert_true(has ? has <= 2 && board_holds(b, of[has]) : b == victim);
        assert_true(has || !b->reg[OFR_PINS_CONTROL / 4]);
        assert_true(error != TORUS_OK || has == 2 || b == victim);
        newest = has > newest ? has : newest;
        if (b->fw.staged)
            newest = 2;
    }
    assert_int_equal(mixes, 0);
    plug(&h, &f->board[5], -1, &quick);
    expect(&h, torus_discover(h.t), TORUS_OK);
    if (torus_programmed(h.t, &is, &generation) != TORUS_OK || error != TORUS_OK)
        expect(&h, torus_program_resume(h.t, &table[newest - 1]), TORUS_OK);
    expect(&h, torus_attach(h.t), TORUS_OK);
    expect(&h, torus_programmed(h.t, &is, &generation), TORUS_OK);
    assert_true(holds(f, &table[newest - 1]));
    assert_int_equal(mixes, 0);
    torus_close(h.t);
    fake_free(f);
    return !over;
}

static void powered(void **state)
{
    (void)state;
    unsigned refused = 0;
    long at = 0;
    while (power_cut(at, &refused))
        at++;
    print_message("# power cut before each of %ld frames: %u programs refused\n", at, refused);
    assert_true(refused > 30);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrive),     cmocka_unit_test(keyed),         cmocka_unit_test(refused),
        cmocka_unit_test(taken_back), cmocka_unit_test(missing_cable), cmocka_unit_test(killed),
        cmocka_unit_test(powered),
    };
    if (getenv("ONLY")) // for the twins
        cmocka_set_test_filter(getenv("ONLY"));
    seed = fake_seed(argc, argv);
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("destinations", tests, NULL, NULL);
}
