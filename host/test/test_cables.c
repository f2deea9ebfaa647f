// SPDX-License-Identifier: Apache-2.0
// Wrong cables of all kinds in tori of many sizes: discover names each of them, its ends included,
// and nothing else.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fake.h"

static uint64_t seed;

enum { WRONG = 5, MAX_EXPECTED = 4 * WRONG };

// A cable or a pair without one, by places in the fabric; ends in either order.
struct expected {
    enum torus_fault_kind kind;
    unsigned board[2], port[2];
    bool either; // a missing cable: either of these two pairs, which one depends on what is moved
    unsigned other[2], other_port[2];
};

struct trial {
    struct fake_fabric *f;
    bool *used; // boards that are part of a wrong cable already, or beside one
    struct expected want[MAX_EXPECTED];
    unsigned count;
};

static unsigned neighbour(const struct fake_fabric *f, unsigned n, unsigned port)
{
    unsigned c[3] = {n % f->k[0], n / f->k[0] % f->k[1], n / f->k[0] / f->k[1]};
    unsigned d = port / 2;
    c[d] = (c[d] + (port % 2 ? f->k[d] - 1 : 1)) % f->k[d];
    return c[0] + f->k[0] * (c[1] + f->k[1] * c[2]);
}

// A board that no wrong cable is near, so that wrong cables stay each by itself.
static unsigned pick(struct trial *r)
{
    struct fake_fabric *f = r->f;
    for (;;) {
        unsigned n = fake_random(f, f->boards);
        bool near = r->used[n];
        for (unsigned p = 0; p < 2 * f->dims; p++)
            near |= r->used[neighbour(f, n, p)];
        if (near)
            continue;
        r->used[n] = true;
        for (unsigned p = 0; p < 2 * f->dims; p++)
            r->used[neighbour(f, n, p)] = true;
        return n;
    }
}

static struct expected *expect(struct trial *r, enum torus_fault_kind kind, unsigned a,
                               unsigned port_a, unsigned b, unsigned port_b)
{
    struct expected *e = &r->want[r->count++];
    *e = (struct expected){.kind = kind, .board = {a, b}, .port = {port_a, port_b}};
    return e;
}

// One cable for two pairs, that of port p of a and that of port q of b: one of them stays open.
static void expect_one_of(struct trial *r, unsigned a, unsigned p, unsigned b, unsigned q)
{
    struct expected *e = expect(r, TORUS_FAULT_MISSING, a, p, neighbour(r->f, a, p), p ^ 1);
    e->either = true;
    e->other[0] = b;
    e->other[1] = neighbour(r->f, b, q);
    e->other_port[0] = q;
    e->other_port[1] = q ^ 1;
}

static void cable(struct trial *r, unsigned a, unsigned p, unsigned b, unsigned q)
{
    fake_cable(&r->f->board[a], p, &r->f->board[b], q);
}

static void spoil(struct trial *r)
{
    struct fake_fabric *f = r->f;
    unsigned ports = 2 * f->dims, a = pick(r), p = fake_random(f, ports), b, q;
    unsigned c = neighbour(f, a, p), d;
    switch (fake_random(f, 6)) {
    case 0:
        fake_cut(&f->board[a], p);
        expect(r, TORUS_FAULT_MISSING, a, p, c, p ^ 1);
        break;
    case 1: // the far ends of two cables swapped
        b = pick(r);
        q = fake_random(f, ports);
        d = neighbour(f, b, q);
        cable(r, a, p, d, q ^ 1);
        cable(r, b, q, c, p ^ 1);
        expect(r, TORUS_FAULT_SWAPPED, a, p, d, q ^ 1);
        expect(r, TORUS_FAULT_SWAPPED, b, q, c, p ^ 1);
        break;
    case 2: // two cables of one board swapped
        q = (p + 1 + fake_random(f, ports - 1)) % ports;
        d = neighbour(f, a, q);
        cable(r, a, p, d, q ^ 1);
        cable(r, a, q, c, p ^ 1);
        expect(r, TORUS_FAULT_SWAPPED, a, p, d, q ^ 1);
        expect(r, TORUS_FAULT_SWAPPED, a, q, c, p ^ 1);
        break;
    case 3: // looped back
        q = (p + 1 + fake_random(f, ports - 1)) % ports;
        cable(r, a, p, a, q);
        expect(r, TORUS_FAULT_LOOPED, a, p, a, q);
        expect_one_of(r, a, p, a, q);
        break;
    case 4: // a second cable to a neighbour, in another dimension
        q = (p + 2) % ports;
        cable(r, a, q, c, q ^ 1);
        expect(r, TORUS_FAULT_DOUBLED, a, q, c, q ^ 1);
        expect_one_of(r, a, q, c, q ^ 1);
        break;
    default: // moved to a board far away
        b = pick(r);
        q = fake_random(f, ports);
        cable(r, a, p, b, q);
        expect(r, TORUS_FAULT_MISPLACED, a, p, b, q);
        expect_one_of(r, a, p, b, q);
    }
}

static unsigned place(const struct fake_fabric *f, uint64_t serial)
{
    unsigned n = 0;
    while (f->board[n].serial != serial)
        n++;
    return n;
}

static bool same(const unsigned board[2], const unsigned port[2], const unsigned b[2],
                 const unsigned p[2])
{
    return (board[0] == b[0] && port[0] == p[0] && board[1] == b[1] && port[1] == p[1]) ||
           (board[0] == b[1] && port[0] == p[1] && board[1] == b[0] && port[1] == p[0]);
}

// Are the faults of t just those expected?
static bool as_expected(const struct trial *r, const struct torus *t)
{
    bool found[MAX_EXPECTED] = {false};
    unsigned i = 0;
    for (; torus_fault(t, i); i++) {
        struct torus_cable c;
        enum torus_fault_kind kind = torus_fault_kind(t, i, &c);
        if (c.board[0] < 0 || c.board[1] < 0)
            return false;
        unsigned board[2], port[2], e = 0;
        for (unsigned s = 0; s < 2; s++) {
            board[s] = place(r->f, torus_board(t, (unsigned)c.board[s])->serial);
            port[s] = (unsigned)c.port[s];
        }
        for (; e < r->count; e++) {
            const struct expected *w = &r->want[e];
            if (!found[e] && w->kind == kind &&
                (same(board, port, w->board, w->port) ||
                 (w->either && same(board, port, w->other, w->other_port))))
                break;
        }
        if (e == r->count)
            return false;
        found[e] = true;
    }
    return i == r->count;
}

static void show(const struct trial *r, const struct torus *t)
{
    for (unsigned i = 0; i < r->count; i++)
        print_message("# expected %s: board %u port %u, board %u port %u\n",
                      torus_fault_name(r->want[i].kind), r->want[i].board[0], r->want[i].port[0],
                      r->want[i].board[1], r->want[i].port[1]);
    for (unsigned i = 0; torus_fault(t, i); i++)
        print_message("# found %s: %s\n", torus_fault_name(torus_fault_kind(t, i, NULL)),
                      torus_fault(t, i));
}

static void try_size(const uint8_t k[3], unsigned wrong, uint64_t number)
{
    static const struct torus_options quick = {.timeout = 2, .retry = 0.001};
    struct trial r = {.f = fake_new(k[0], k[1], k[2], true, seed + number)};
    struct torus *t;
    r.used = calloc(r.f->boards, sizeof *r.used);
    assert_non_null(r.used);
    for (unsigned i = 0; i < wrong; i++)
        spoil(&r);
    struct fake_wire wire = {&r.f->board[fake_random(r.f, r.f->boards)], -1};
    assert_int_equal(torus_open_transport(&t, fake_transport(&wire), &quick), TORUS_OK);
    assert_int_equal(torus_discover(t), TORUS_E_MISCABLED);
    if (!as_expected(&r, t)) {
        show(&r, t);
        fail_msg("%ux%ux%u, number %llu", k[0], k[1], k[2], (unsigned long long)number);
    }
    // The twin: one wrong cable more, and what was expected no longer fits.
    unsigned a = pick(&r);
    fake_cut(&r.f->board[a], 0);
    assert_int_equal(torus_discover(t), TORUS_E_MISCABLED);
    assert_false(as_expected(&r, t));
    torus_close(t);
    free(r.used);
    fake_free(r.f);
}

static void five_wrong(void **state)
{
    (void)state;
    static const uint8_t sizes[][3] = {{16, 16, 1}, {16, 13, 1}, {15, 16, 1}, {7, 7, 7}};
    for (unsigned i = 0; i < 60; i++)
        try_size(sizes[i % 4], WRONG, i);
}

// Small ones, where a wrong cable is near everything.
static void one_wrong(void **state)
{
    (void)state;
    static const uint8_t sizes[][3] = {{6, 5, 1}, {8, 6, 1}, {5, 7, 1}, {5, 5, 5}};
    for (unsigned i = 0; i < 40; i++)
        try_size(sizes[i % 4], 1, 1000 + i);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(five_wrong),
        cmocka_unit_test(one_wrong),
    };
    seed = fake_seed(argc, argv);
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("cables", tests, NULL, NULL);
}
