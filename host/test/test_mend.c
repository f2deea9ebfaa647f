// SPDX-License-Identifier: Apache-2.0
// A torus whose cables come and go under a host that leads around them: every change is noticed,
// the boards hold what leads round the cables that are missing, and with all of them back the
// preset.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fake.h"

static uint64_t seed;

static const struct torus_options quick = {
    .size = sizeof(struct torus_options), .timeout = 0.3, .retry = 0.001};

enum { MOST = 3, ROUNDS = 25 };

struct lab {
    struct fake_fabric *f;
    struct fake_wire wire;
    struct torus *t;
    struct fake_board *end[MOST]; // + ends of cables that are pulled, NULL: none
    struct fake_board *other[MOST];
    unsigned port[MOST], pulled;
};

static void expect(struct lab *l, int error, int want)
{
    if (error != want)
        print_message("# %s: %s\n", torus_strerror(error), torus_detail(l->t));
    assert_int_equal(error, want);
}

static void pull(struct lab *l)
{
    struct fake_board *b = &l->f->board[fake_random(l->f, l->f->boards)];
    unsigned port = 2 * (unsigned)fake_random(l->f, l->f->dims), i = 0;
    if (!b->peer[port] || l->pulled == MOST)
        return;
    while (l->end[i])
        i++;
    l->end[i] = b;
    l->other[i] = b->peer[port];
    l->port[i] = port;
    fake_cut(b, port);
    l->pulled++;
}

static void put_back(struct lab *l, unsigned i)
{
    if (!l->end[i])
        return;
    fake_cable(l->end[i], l->port[i], l->other[i], l->port[i] + 1);
    l->end[i] = NULL;
    l->pulled--;
}

static void at_of(const struct fake_board *b, uint8_t at[3])
{
    for (unsigned i = 0; i < 3; i++)
        at[i] = b->reg[OFR_NODE_COORD / 4] >> 8 * i & 15;
}

static uint16_t pin_of(const struct fake_board *from, const struct fake_board *to)
{
    uint8_t at[3];
    at_of(to, at);
    return from->pins[at[0] | at[1] << 4 | at[2] << 8];
}

// Neighbours without their cable go by another node, if their tables are on.
static void assert_around(struct lab *l)
{
    unsigned on = 0;
    for (unsigned i = 0; i < l->f->boards; i++)
        on += l->f->board[i].reg[OFR_PINS_CONTROL / 4];
    assert_int_equal(on, l->pulled ? l->f->boards : 0);
    for (unsigned i = 0; i < MOST; i++)
        if (l->end[i]) {
            assert_true(pin_of(l->end[i], l->other[i]) >> 12 >= TORUS_IDN);
            assert_true(pin_of(l->other[i], l->end[i]) >> 12 >= TORUS_IDN);
        }
}

static void mend(struct lab *l, const struct torus_preset *preset)
{
    struct torus_table table;
    struct torus_destination *list;
    unsigned count, unreachable;
    expect(l, torus_discover(l->t), l->pulled ? TORUS_E_MISCABLED : TORUS_OK);
    assert_int_equal(torus_preset_table(preset, l->f->dims, &table), TORUS_OK);
    expect(l, torus_around(l->t, &table, &list, &count, &unreachable), TORUS_OK);
    assert_int_equal(count != 0, l->pulled != 0);
    assert_true(unreachable == 0 || l->pulled > 2);
    table.destinations = list;
    table.destination_count = count;
    expect(l, torus_table_safe(l->t, &table), TORUS_OK);
    expect(l, count ? torus_program_table(l->t, &table) : torus_program(l->t, preset), TORUS_OK);
    // One entry with more freedom would not be safe.
    for (unsigned i = 0; i < count; i++)
        if (list[i].mode != TORUS_FREE) {
            enum torus_pin is = list[i].mode;
            memset(list[i].via, 0, 3);
            list[i].mode = is - 1 < TORUS_ESCAPE ? is - 1 : TORUS_ESCAPE;
            expect(l, torus_table_safe(l->t, &table), TORUS_E_USAGE);
            assert_non_null(strstr(torus_detail(l->t), "come to a missing cable, "));
            break;
        }
    free(list);
    assert_around(l);
}

static void cables(void **state)
{
    (void)state;
    static const unsigned sizes[][3] = {{4, 4, 1}, {3, 3, 3}, {5, 3, 1}};
    unsigned noticed = 0, none = 0;
    for (unsigned size = 0; size < sizeof sizes / sizeof *sizes; size++) {
        const unsigned *k = sizes[size];
        struct lab l = {.f = fake_new(k[0], k[1], k[2], true, seed + size)};
        struct torus_preset preset = torus_preset_default(TORUS_OFR);
        bool changed;
        preset.delta = 1;
        l.wire = (struct fake_wire){&l.f->board[fake_random(l.f, l.f->boards)], -1};
        assert_int_equal(torus_open_transport(&l.t, fake_transport(&l.wire), &quick), TORUS_OK);
        expect(&l, torus_links_changed(l.t, &changed), TORUS_E_UNKNOWN);
        mend(&l, &preset);
        expect(&l, torus_links_changed(l.t, &changed), TORUS_OK);
        assert_false(changed);
        for (unsigned round = 0; round < ROUNDS; round++) {
            unsigned before = l.pulled;
            if (round == ROUNDS - 1)
                for (unsigned i = 0; i < MOST; i++)
                    put_back(&l, i);
            else if (fake_random(l.f, 3))
                pull(&l);
            else
                put_back(&l, (unsigned)fake_random(l.f, MOST));
            bool reported = false; // by now boards have been asked for their links
            expect(&l, torus_links_wait(l.t, l.pulled != before ? 60 : 0.02, &reported), TORUS_OK);
            assert_int_equal(reported, l.pulled != before);
            expect(&l, torus_links_changed(l.t, &changed), TORUS_OK);
            assert_int_equal(changed, l.pulled != before);
            noticed += changed;
            none += !changed;
            if (changed) {
                mend(&l, &preset);
                for (unsigned i = 0; i < l.f->boards; i++) // long: reports come once more
                    l.f->board[i].timer += 1 << 18;
                expect(&l, torus_links_changed(l.t, &changed), TORUS_OK);
                assert_false(changed);
            }
        }
        assert_int_equal(l.pulled, 0);
        assert_around(&l);
        torus_close(l.t);
        fake_free(l.f);
    }
    print_message("# %u changes, %u times none\n", noticed, none);
    assert_true(noticed > 15 && none > 5);
}

// What leads around what is missing now, programmed. The entries that it has.
static unsigned lead_around(struct lab *l, const struct torus_preset *preset)
{
    struct torus_table table;
    struct torus_destination *list;
    unsigned count, unreachable;
    assert_int_equal(torus_preset_table(preset, l->f->dims, &table), TORUS_OK);
    expect(l, torus_around(l->t, &table, &list, &count, &unreachable), TORUS_OK);
    table.destinations = list;
    table.destination_count = count;
    expect(l, count ? torus_program_table(l->t, &table) : torus_program(l->t, preset), TORUS_OK);
    free(list);
    assert_around(l);
    return count;
}

// The destinations that each board has in force: of all boards, one board after the other.
static uint16_t *in_force(const struct lab *l)
{
    enum { EACH = sizeof l->f->board->pins / sizeof *l->f->board->pins };
    uint16_t *all = calloc(l->f->boards * (size_t)EACH, sizeof *all);
    for (unsigned i = 0; i < l->f->boards; i++)
        if (l->f->board[i].reg[OFR_PINS_CONTROL / 4])
            memcpy(all + i * (size_t)EACH, l->f->board[i].pins, sizeof l->f->board->pins);
    return all;
}

// What is to be sent from one to the other: what changes, or what is there, whichever is less.
struct difference {
    unsigned changed, there, least;
};

static struct difference difference(const struct lab *l, const uint16_t *was, const uint16_t *is)
{
    enum { EACH = sizeof l->f->board->pins / sizeof *l->f->board->pins };
    struct difference d = {0};
    for (unsigned i = 0; i < l->f->boards; i++) {
        unsigned changed = 0, there = 0;
        for (size_t j = i * (size_t)EACH; j < (i + 1) * (size_t)EACH; j++) {
            changed += was[j] != is[j];
            there += is[j] != 0;
        }
        d.changed += changed;
        d.there += there;
        d.least += changed < there ? changed : there;
    }
    return d;
}

static bool same_cables(const struct torus_board *a, unsigned n, const struct torus *t)
{
    for (unsigned i = 0; i < n; i++) {
        unsigned j = 0;
        while (torus_board(t, j)->serial != a[i].serial)
            j++;
        const struct torus_board *b = torus_board(t, j);
        if (a[i].links != b->links || memcmp(a[i].at, b->at, 3) != 0 || a[i].hops != b->hops)
            return false;
        for (unsigned p = 0; p < TORUS_PORTS; p++)
            if (a[i].peer_port[p] != b->peer_port[p] ||
                (a[i].peer[p] >= 0 &&
                 a[a[i].peer[p]].serial != torus_board(t, (unsigned)b->peer[p])->serial))
                return false;
    }
    return true;
}

// Cables come and go, and boards report: what is known follows them, as discovering anew would
// have it, and only destinations are sent.
static void followed(void **state)
{
    (void)state;
    static const unsigned sizes[][3] = {{4, 4, 1}, {3, 3, 3}, {5, 3, 1}};
    unsigned followed = 0, alone = 0, sent = 0, there = 0;
    for (unsigned size = 0; size < sizeof sizes / sizeof *sizes; size++) {
        const unsigned *k = sizes[size];
        struct lab l = {.f = fake_new(k[0], k[1], k[2], true, seed + size)};
        struct torus_preset preset = torus_preset_default(TORUS_OFR);
        struct torus_changes changes;
        bool changed;
        preset.delta = 1;
        l.wire = (struct fake_wire){&l.f->board[fake_random(l.f, l.f->boards)], -1};
        assert_int_equal(torus_open_transport(&l.t, fake_transport(&l.wire), &quick), TORUS_OK);
        mend(&l, &preset);
        for (unsigned round = 0; round < ROUNDS; round++) {
            unsigned before = l.pulled;
            bool reported = false, known = false;
            expect(&l, torus_links_changed(l.t, &changed), TORUS_OK);
            assert_false(changed);
            if (fake_random(l.f, 3))
                pull(&l);
            else
                put_back(&l, (unsigned)fake_random(l.f, MOST));
            if (l.pulled == before)
                continue;
            expect(&l, torus_links_wait(l.t, 60, &reported), TORUS_OK);
            assert_true(reported);
            int error = torus_links_follow(l.t, &known);
            expect(&l, error, l.pulled ? TORUS_E_MISCABLED : TORUS_OK);
            assert_true(known);
            followed++;
            assert_int_equal(torus_gaps(l.t), l.pulled != 0);
            uint16_t *was = in_force(&l);
            lead_around(&l, &preset);
            uint16_t *is = in_force(&l);
            if (torus_changes(l.t, &changes)) {
                struct difference d = difference(&l, was, is);
                assert_int_equal(changes.changed, d.changed);
                assert_int_equal(changes.sent, d.least);
                assert_true(changes.changed && changes.requests >= l.f->boards);
                alone++;
                sent += d.least;
                there += d.there;
            }
            free(was);
            free(is);
            struct torus_board *known_by = calloc(l.f->boards, sizeof *known_by);
            for (unsigned i = 0; i < l.f->boards; i++)
                known_by[i] = *torus_board(l.t, i);
            expect(&l, torus_discover(l.t), l.pulled ? TORUS_E_MISCABLED : TORUS_OK);
            assert_true(same_cables(known_by, l.f->boards, l.t));
            free(known_by);
        }
        torus_close(l.t);
        fake_free(l.f);
    }
    print_message("# %u followed, %u times destinations alone: %u sent, where boards have %u\n",
                  followed, alone, sent, there);
    assert_true(followed > 30 && alone > 30);
}

// A second cable is pulled: boards are sent what changes by it, not again what leads around the
// first one. Way 1: a board has another table in force than this handle committed, of the same
// generation: all are sent the whole. Way 2: 4x4x4, in some two requests a board.
static void second(void **state)
{
    (void)state;
    for (unsigned way = 0; way < 3; way++) {
        struct lab l = {.f = fake_new(4, 4, way == 2 ? 4 : 1, true, seed)};
        struct torus_preset preset = torus_preset_default(TORUS_OFR);
        struct torus_changes changes;
        bool changed, reported, known;
        l.wire = (struct fake_wire){l.f->board, -1};
        assert_int_equal(torus_open_transport(&l.t, fake_transport(&l.wire), &quick), TORUS_OK);
        mend(&l, &preset);
        expect(&l, torus_links_changed(l.t, &changed), TORUS_OK);
        for (unsigned cut = 0; cut < 2; cut++) {
            struct fake_board *b = &l.f->board[cut ? 10 : 5];
            l.end[cut] = b;
            l.other[cut] = b->peer[cut * 2];
            l.port[cut] = cut * 2;
            l.pulled = cut + 1;
            fake_cut(b, cut * 2);
            expect(&l, torus_links_wait(l.t, 60, &reported), TORUS_OK);
            expect(&l, torus_links_follow(l.t, &known), TORUS_E_MISCABLED);
            if (cut && way == 1)
                l.f->board[9].fw.active_crc ^= 1;
            uint16_t *was = in_force(&l);
            lead_around(&l, &preset);
            uint16_t *is = in_force(&l);
            struct difference d = difference(&l, was, is);
            bool alone = torus_changes(l.t, &changes);
            assert_int_equal(alone, !(cut && way == 1));
            if (alone) {
                print_message("# cut %u: %u destinations are not free, %u changed, %u sent in %u "
                              "requests\n",
                              cut + 1, d.there, d.changed, changes.sent, changes.requests);
                assert_int_equal(changes.sent, d.least);
                assert_true(2 * changes.requests < 5 * l.f->boards);
                assert_true(cut ? changes.sent * 3 < d.there * 2 : changes.sent == d.there);
            }
            free(was);
            free(is);
        }
        torus_close(l.t);
        fake_free(l.f);
    }
}

// More has changed than was reported by then, or than is reported at all: it does not fit, so all
// is discovered.
static void more(void **state)
{
    (void)state;
    for (unsigned way = 0; way < 2; way++) {
        struct lab l = {.f = fake_new(4, 4, 1, true, seed)};
        struct torus_preset preset = torus_preset_default(TORUS_OFR);
        bool changed, reported, known = true;
        struct fake_board *b = &l.f->board[5], *peer = b->peer[0];
        l.wire = (struct fake_wire){l.f->board, -1};
        assert_int_equal(torus_open_transport(&l.t, fake_transport(&l.wire), &quick), TORUS_OK);
        expect(&l, torus_links_follow(l.t, &known), TORUS_E_UNKNOWN);
        mend(&l, &preset);
        expect(&l, torus_links_changed(l.t, &changed), TORUS_OK);
        expect(&l, torus_links_follow(l.t, &known), TORUS_OK); // nothing was reported
        assert_false(known);
        fake_cut(b, 0);
        expect(&l, torus_links_wait(l.t, 60, &reported), TORUS_OK);
        assert_true(reported);
        if (way) // as boards that began anew
            peer->fw.report[0] = peer->peer[2]->fw.report[0] = 0;
        fake_cut(peer, 2);
        expect(&l, torus_links_follow(l.t, &known), TORUS_OK);
        assert_false(known);
        torus_close(l.t);
        fake_free(l.f);
    }
}

// Somebody else has programmed, or a board begins anew: then all are sent the whole table.
static void others(void **state)
{
    (void)state;
    for (unsigned way = 0; way < 3; way++) {
        struct lab l = {.f = fake_new(4, 4, 1, true, seed + way)};
        struct fake_wire wire = {&l.f->board[7], -1};
        struct torus_preset preset = torus_preset_default(TORUS_OFR),
                            other = torus_preset_default(TORUS_ABR);
        struct torus_changes changes;
        struct torus *t;
        bool changed, reported, known = true;
        unsigned generation;
        l.wire = (struct fake_wire){l.f->board, -1};
        assert_int_equal(torus_open_transport(&l.t, fake_transport(&l.wire), &quick), TORUS_OK);
        mend(&l, &preset);
        expect(&l, torus_links_changed(l.t, &changed), TORUS_OK);
        if (way == 1) {
            assert_int_equal(torus_open_transport(&t, fake_transport(&wire), &quick), TORUS_OK);
            assert_int_equal(torus_attach(t), TORUS_OK);
            assert_int_equal(torus_program(t, &other), TORUS_OK);
            torus_close(t);
        } else if (way == 2) { // to the same, and others have other coordinates
            uint32_t *at = &l.f->board[3].reg[OFR_NODE_COORD / 4];
            *at ^= 1;
        }
        l.end[0] = &l.f->board[5];
        l.other[0] = l.end[0]->peer[0];
        l.port[0] = 0;
        l.pulled = 1;
        fake_cut(l.end[0], 0);
        expect(&l, torus_links_wait(l.t, 60, &reported), TORUS_OK);
        expect(&l, torus_links_follow(l.t, &known), TORUS_E_MISCABLED);
        assert_true(known);
        lead_around(&l, &preset);
        assert_int_equal(torus_changes(l.t, &changes), way == 0);
        expect(&l, torus_programmed(l.t, &other, &generation), TORUS_OK);
        assert_int_equal(l.f->board[9].fw.active & 0xffff, generation);
        torus_close(l.t);
        fake_free(l.f);
    }
}

// A cable that is pulled before boards are first asked for their links: none reports, they say so
// when asked. It may be on nobody's way.
static void unheard(void **state)
{
    (void)state;
    for (unsigned tries = 0; tries < 16; tries++) {
        struct lab l = {.f = fake_new(4, 4, 1, true, seed + tries)};
        struct torus_preset preset = torus_preset_default(TORUS_OFR);
        bool changed = false;
        l.wire = (struct fake_wire){&l.f->board[fake_random(l.f, l.f->boards)], -1};
        assert_int_equal(torus_open_transport(&l.t, fake_transport(&l.wire), &quick), TORUS_OK);
        mend(&l, &preset);
        pull(&l);
        expect(&l, torus_links_changed(l.t, &changed), TORUS_OK);
        assert_true(changed);
        torus_close(l.t);
        fake_free(l.f);
    }
}

static void count_board(void *ctx, const uint8_t at[3], const uint64_t *counters)
{
    (void)at, (void)counters;
    ++*(unsigned *)ctx;
}

// Traffic of the boards that there are: what is to the one that is away is discarded by who sends
// it.
static void run_without(struct lab *l)
{
    enum { DISCARDED = 3, CYCLES = 4000 };
    struct torus_run run = torus_run_default();
    struct torus_result r;
    unsigned there = l->f->boards - 1;
    run.packet_flits = 16;
    expect(l, torus_run(l->t, &run, &r), TORUS_E_USAGE); // as long as management's
    run.packet_flits = 32;
    run.cycles = CYCLES;
    l->f->time = 0x60000000; // since long
    for (unsigned discards = 0; discards <= DISCARDED; discards += DISCARDED) {
        l->f->discards = discards;
        expect(l, torus_run(l->t, &run, &r), TORUS_OK);
        assert_true(there && r.sent && r.sent % there == 0);
        assert_int_equal(r.sent - r.received, there * discards);
        double all = r.accepted * CYCLES * there; // flits in the window
        assert_true(fabs(all - 32.0 * (double)r.received) < 1e-3);
    }
    l->f->discards = 0;
}

// A board is away, as all its links; the others know it and hold what leads around it. Another one
// in its place gets its coordinates and tables.
static void board(void **state)
{
    (void)state;
    static const unsigned sizes[][3] = {{4, 4, 1}, {3, 3, 3}, {5, 3, 1}};
    for (unsigned size = 0; size < sizeof sizes / sizeof *sizes; size++) {
        const unsigned *k = sizes[size];
        struct lab l = {.f = fake_new(k[0], k[1], k[2], true, seed + size)};
        unsigned n = l.f->boards, gone = (unsigned)fake_random(l.f, n);
        struct fake_board *b = &l.f->board[gone], *peer[6] = {0};
        struct torus_preset preset = torus_preset_default(TORUS_OFR);
        struct torus_table table;
        struct torus_destination *list;
        unsigned count, none, on, generation;
        uint8_t place[3], at[3];
        bool changed;
        preset.delta = 1;
        l.f->slot_flits = 32;
        l.wire = (struct fake_wire){&l.f->board[(gone + 1 + fake_random(l.f, n - 1)) % n], -1};
        assert_int_equal(torus_open_transport(&l.t, fake_transport(&l.wire), &quick), TORUS_OK);
        mend(&l, &preset);
        at_of(b, place);
        for (unsigned p = 0; p < 2 * l.f->dims; p++) {
            peer[p] = b->peer[p];
            fake_cut(b, p);
        }
        expect(&l, torus_links_changed(l.t, &changed), TORUS_OK);
        assert_true(changed);
        expect(&l, torus_discover(l.t), TORUS_E_MISCABLED);
        assert_true(torus_gaps(l.t));
        assert_int_equal(torus_preset_table(&preset, l.f->dims, &table), TORUS_OK);
        expect(&l, torus_around(l.t, &table, &list, &count, &none), TORUS_OK);
        assert_int_equal(none, 2 * (n - 1)); // nothing but to it and from it
        table.destinations = list;
        table.destination_count = count;
        expect(&l, torus_program_table(l.t, &table), TORUS_OK);
        expect(&l, torus_destinations_on(l.t, &on), TORUS_OK);
        assert_int_equal(on, n - 1);
        expect(&l, torus_programmed(l.t, &preset, &generation), TORUS_OK);
        for (unsigned i = 0; i < n; i++)
            if (i != gone) {
                assert_int_equal(l.f->board[i].reg[OFR_PINS_CONTROL / 4], 1);
                assert_int_equal(pin_of(&l.f->board[i], b) >> 12, TORUS_UNREACHABLE);
            }
        assert_int_equal(b->reg[OFR_PINS_CONTROL / 4], 0); // nothing came to it
        free(list);
        // Who comes anew finds the others, and can ask them
        struct fake_wire wire = {&l.f->board[(gone + 1) % n], -1};
        struct torus_preset is;
        struct torus *other;
        unsigned read = 0, theirs;
        assert_int_equal(torus_open_transport(&other, fake_transport(&wire), &quick), TORUS_OK);
        assert_int_equal(torus_counters(other, count_board, &read), TORUS_E_UNKNOWN);
        assert_int_equal(torus_discover(other), TORUS_E_MISCABLED);
        assert_int_equal(torus_programmed(other, &is, &theirs), TORUS_OK);
        assert_int_equal(theirs, generation);
        assert_int_equal(torus_counters(other, count_board, &read), TORUS_OK);
        assert_int_equal(read, n - 1);
        torus_close(other);
        run_without(&l);
        // Another one
        b->serial ^= 0x5a5a;
        b->reg[OFR_NODE_CONTROL / 4] = 0;
        for (unsigned p = 0; p < 2 * l.f->dims; p++)
            fake_cable(b, p, peer[p], p ^ 1);
        expect(&l, torus_links_changed(l.t, &changed), TORUS_OK);
        assert_true(changed);
        preset = torus_preset_default(TORUS_OFR);
        preset.delta = 1;
        mend(&l, &preset);
        at_of(b, at);
        assert_memory_equal(at, place, 3);
        torus_close(l.t);
        fake_free(l.f);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(cables),   cmocka_unit_test(unheard),
                                       cmocka_unit_test(followed), cmocka_unit_test(second),
                                       cmocka_unit_test(more),     cmocka_unit_test(others),
                                       cmocka_unit_test(board)};
    seed = fake_seed(argc, argv);
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("mend", tests, NULL, NULL);
}
