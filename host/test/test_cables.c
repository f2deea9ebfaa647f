// SPDX-License-Identifier: Apache-2.0
// Wrong cables of all kinds in tori of many sizes: discover names each of them, its ends included,
// and nothing else; twisted and mirrored seams, and ruins: what it names, mended, makes a torus,
// and takes no more than was done.
#include <limits.h>
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
    static const struct torus_options quick = {
        .size = sizeof(struct torus_options), .timeout = 2, .retry = 0.001};
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

// Mending
// ------------------------------------------------------------------------------------------

// Does with the cables what the faults say: pulls the wrong ones, plugs in what should be. Returns
// how many cables those are.
static unsigned mend(struct fake_fabric *f, const struct torus *t)
{
    struct torus_cable c;
    enum torus_fault_kind kind;
    unsigned cables = 0;
    for (unsigned plug = 0; plug < 2; plug++)
        for (unsigned i = 0; (kind = torus_fault_kind(t, i, &c)) != TORUS_FAULT_NONE; i++) {
            if (c.board[0] < 0 || (plug ? c.to < 0 : kind == TORUS_FAULT_MISSING))
                continue;
            struct fake_board *b =
                &f->board[place(f, torus_board(t, (unsigned)c.board[0])->serial)];
            if (plug)
                fake_cable(b, (unsigned)c.port[0],
                           &f->board[place(f, torus_board(t, (unsigned)c.to)->serial)],
                           (unsigned)c.to_port);
            else
                fake_cut(b, (unsigned)c.port[0]);
            cables += !plug || kind == TORUS_FAULT_MISSING;
        }
    return cables;
}

static struct torus *discover(struct fake_fabric *f, struct fake_wire *wire, int expected)
{
    static const struct torus_options quick = {
        .size = sizeof(struct torus_options), .timeout = 2, .retry = 0.001};
    struct torus *t;
    *wire = (struct fake_wire){&f->board[fake_random(f, f->boards)], -1};
    assert_int_equal(torus_open_transport(&t, fake_transport(wire), &quick), TORUS_OK);
    int error = torus_discover(t);
    for (unsigned i = 0; error != expected && torus_fault(t, i); i++)
        print_message("# found %s: %s\n", torus_fault_name(torus_fault_kind(t, i, NULL)),
                      torus_fault(t, i));
    assert_int_equal(error, expected);
    return t;
}

// Two cables of anywhere exchange their far ends, or one is pulled. Returns how many.
static unsigned spoil_anywhere(struct fake_fabric *f)
{
    unsigned a = fake_random(f, f->boards), b = fake_random(f, f->boards);
    unsigned p = fake_random(f, 2 * f->dims), q = fake_random(f, 2 * f->dims);
    struct fake_board *c = f->board[a].peer[p], *d = f->board[b].peer[q];
    if (!c || !d || c == &f->board[b] || (a == b && p == q))
        return 0;
    if (!fake_random(f, 3)) {
        fake_cut(&f->board[a], p);
        return 1;
    }
    unsigned to_p = f->board[a].peer_port[p], to_q = f->board[b].peer_port[q];
    fake_cable(&f->board[a], p, d, to_q);
    fake_cable(&f->board[b], q, c, to_p);
    return 2;
}

// Seams
// --------------------------------------------------------------------------------------------

struct seam {
    unsigned dim, at, offset[3];
    bool mirror[3];
    unsigned moved; // rows
};

// Cables a seam of f as the offsets and mirrors say.
static void cable_seam(struct fake_fabric *f, struct seam *s)
{
    struct fake_board *far[16 * 16];
    unsigned near[16 * 16], count = 0;
    s->moved = 0;
    for (unsigned n = 0; n < f->boards; n++) {
        unsigned c[3] = {n % f->k[0], n / f->k[0] % f->k[1], n / f->k[0] / f->k[1]};
        if (c[s->dim] != s->at)
            continue;
        for (unsigned d = 0; d < 3; d++)
            if (d != s->dim)
                c[d] = ((s->mirror[d] ? f->k[d] - c[d] : c[d]) + s->offset[d]) % f->k[d];
        c[s->dim] = (s->at + 1) % f->k[s->dim];
        unsigned to = c[0] + f->k[0] * (c[1] + f->k[1] * c[2]);
        s->moved += to != neighbour(f, n, 2 * s->dim);
        near[count] = n;
        far[count++] = &f->board[to];
    }
    for (unsigned i = 0; i < count; i++)
        fake_cable(&f->board[near[i]], 2 * s->dim, far[i], 2 * s->dim + 1);
}

static struct seam draw_seam(struct fake_fabric *f, bool mirror)
{
    struct seam s = {.dim = fake_random(f, f->dims)};
    s.at = fake_random(f, f->k[s.dim]);
    bool any = false;
    while (!any)
        for (unsigned d = 0; d < f->dims; d++) {
            s.offset[d] = d == s.dim ? 0 : fake_random(f, f->k[d]);
            s.mirror[d] = mirror && d != s.dim && f->k[d] > 2 && fake_random(f, 2);
            any |= mirror ? s.mirror[d] : s.offset[d] > 0;
        }
    return s;
}

static void seam(const uint8_t k[3], bool mirror, unsigned more, uint64_t number)
{
    struct fake_fabric *f = fake_new(k[0], k[1], k[2], true, seed + number);
    struct seam s = draw_seam(f, mirror);
    struct fake_wire wire;
    unsigned named = 0, spoiled;
    char text[40];
    cable_seam(f, &s);
    spoiled = s.moved;
    for (unsigned i = 0; i < more; i++)
        spoiled += spoil_anywhere(f);
    struct torus *t = discover(f, &wire, TORUS_E_MISCABLED);
    uint8_t found[3];
    bool same = true; // sizes: where others fit as well, another seam may be named
    torus_sizes(t, found);
    for (unsigned d = 0; d < 3; d++)
        same &= found[d] == k[d];
    enum torus_fault_kind kind;
    for (unsigned i = 0; (kind = torus_fault_kind(t, i, NULL)) != TORUS_FAULT_NONE; i++) {
        bool is = kind == (mirror ? TORUS_FAULT_MIRROR : TORUS_FAULT_TWIST);
        snprintf(text, sizeof text, " from %s of (", torus_port_name(2 * s.dim));
        named += is && strstr(torus_fault(t, i), text);
        if (is && !more && k[2] == 1 && !mirror && same) { // its rows, and how far off they are
            unsigned d = !s.dim, o = 2 * s.offset[d] <= k[d] ? s.offset[d] : k[d] - s.offset[d];
            snprintf(text, sizeof text, "%c%c%u", "xyz"[d], o == s.offset[d] ? '+' : '-', o);
            named += strstr(torus_fault(t, i), text) ? 0 : 100;
            snprintf(text, sizeof text, "%c = 0 to %u;", "xyz"[d], k[d] - 1);
            named += strstr(torus_fault(t, i), text) ? 0 : 100;
        }
    }
    bool should = same && s.moved > 2 + more;
    unsigned mended = mend(f, t);
    bool bad = mended > spoiled || (mended == spoiled && should && named != 1);
    for (unsigned i = 0; bad && torus_fault(t, i); i++)
        print_message("# %s\n", torus_fault(t, i));
    if (bad)
        fail_msg("%ux%ux%u, number %llu: %u where %u were spoiled; seam of %c named %u times", k[0],
                 k[1], k[2], (unsigned long long)number, mended, spoiled, "xyz"[s.dim], named);
    torus_close(t);
    torus_close(discover(f, &wire, TORUS_OK));
    fake_free(f);
}

static const uint8_t seam_sizes[][3] = {{16, 16, 1}, {5, 7, 1},  {8, 6, 1}, {4, 4, 1},
                                        {9, 4, 1},   {16, 5, 1}, {6, 5, 4}, {7, 7, 7},
                                        {4, 4, 4},   {5, 3, 8},  {2, 9, 1}, {3, 2, 7}};
enum { SEAM_SIZES = sizeof seam_sizes / sizeof *seam_sizes };

static void twisted(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 12; i++)
        seam(seam_sizes[i % SEAM_SIZES], false, 0, 2000 + i);
}

static void mirrored(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 10; i++) // but for those without three rows to mirror
        seam(seam_sizes[i % 10], true, 0, 3000 + i);
}

static void seams_and_more(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 24; i++)
        seam(seam_sizes[i % SEAM_SIZES], i % 2 && i % SEAM_SIZES < 10, 1 + i / 8, 4000 + i);
}

// Some rows of a seam only: those of a run are each one too far, the last one goes back.
static void part_of_a_seam(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 12; i++) {
        const uint8_t k = (uint8_t)(8 + i % 9);
        struct fake_fabric *f = fake_new(k, k, 1, true, seed + 5000 + i);
        unsigned first = fake_random(f, k), rows = 4 + fake_random(f, k - 6);
        unsigned at = fake_random(f, k);
        struct fake_wire wire;
        for (unsigned r = 0; r < rows; r++)
            fake_cable(&f->board[at + k * ((first + r) % k)], 0,
                       &f->board[(at + 1) % k + k * ((first + (r + 1) % rows) % k)], 1);
        struct torus *t = discover(f, &wire, TORUS_E_MISCABLED);
        assert_int_equal(torus_fault_kind(t, 0, NULL), TORUS_FAULT_TWIST);
        assert_int_equal(mend(f, t), rows);
        torus_close(t);
        torus_close(discover(f, &wire, TORUS_OK));
        fake_free(f);
    }
}

// Ruins
// --------------------------------------------------------------------------------------------

// So many cables are pulled that there was no room for them once.
static void many_missing(void **state)
{
    (void)state;
    struct fake_fabric *f = fake_new(16, 16, 1, true, seed);
    struct fake_wire wire;
    unsigned cut = 0;
    for (unsigned b = 0; b < f->boards; b++) { // one of a board's at most: all are still reached
        unsigned p = fake_random(f, 4), links = 0;
        struct fake_board *c = f->board[b].peer[p];
        for (unsigned q = 0; c && q < 4; q++)
            links += c->peer[q] && f->board[b].peer[q];
        if (links == 4) {
            fake_cut(&f->board[b], p);
            cut++;
        }
    }
    struct torus *t = discover(f, &wire, TORUS_E_MISCABLED);
    unsigned faults = 0;
    while (torus_fault(t, faults)) {
        if (torus_fault_kind(t, faults, NULL) != TORUS_FAULT_MISSING)
            print_message("# %s\n", torus_fault(t, faults));
        assert_int_equal(torus_fault_kind(t, faults, NULL), TORUS_FAULT_MISSING);
        faults++;
    }
    assert_true(cut > 64);
    assert_int_equal(faults, cut);
    assert_true(torus_gaps(t));
    torus_close(t);
    // The twin: one of them goes to the wrong board, behind all that are missing.
    fake_cable(&f->board[0], 0, &f->board[100], 3);
    t = discover(f, &wire, TORUS_E_MISCABLED);
    assert_false(torus_gaps(t));
    torus_close(t);
    fake_free(f);
}

// The least that a torus of these sizes could take, over all ways to place the boards: by trying
// them. The first board is at node 0, which loses nothing.
struct all_ways {
    const struct fake_fabric *f;
    unsigned k[3], boards, cables;
    unsigned node[9], least;
    bool used[9];
};

// As many cables as are wrong or missing, of which a wrong one may be moved to where one is
// missing; of those that are equal the one with less of both.
static unsigned cost_of(unsigned wrong, unsigned missing)
{
    return 1000 * (wrong > missing ? wrong : missing) + wrong + missing;
}

static unsigned cost_named(const struct torus *t)
{
    struct torus_cable c;
    enum torus_fault_kind kind;
    unsigned wrong = 0, missing = 0;
    for (unsigned i = 0; (kind = torus_fault_kind(t, i, &c)) != TORUS_FAULT_NONE; i++) {
        wrong += c.board[0] >= 0 && kind != TORUS_FAULT_MISSING;
        missing += c.board[0] >= 0 && c.to_port >= 0;
    }
    return cost_of(wrong, missing);
}

static unsigned node_beside(const unsigned k[3], unsigned n, unsigned port)
{
    struct fake_fabric f = {.k = {k[0], k[1], k[2]}};
    return neighbour(&f, n, port);
}

static void try_ways(struct all_ways *w, unsigned board)
{
    if (board < w->boards) {
        for (unsigned n = 0; n < (board ? w->boards : 1); n++) {
            if (w->used[n])
                continue;
            w->used[n] = true;
            w->node[board] = n;
            try_ways(w, board + 1);
            w->used[n] = false;
        }
        return;
    }
    // A dimension of 2 either way round.
    for (unsigned turn = 0; turn < 8; turn++) {
        unsigned right = 0, spare = 0, needed = 0;
        bool possible = true;
        for (unsigned d = 0; d < 3; d++) {
            possible &= !(turn >> d & 1) || w->k[d] == 2;
            needed += w->k[d] > 2 ? w->boards : w->k[d] == 2 ? w->boards / 2 : 0;
        }
        for (unsigned b = 0; possible && b < w->boards; b++)
            for (unsigned p = 0; p < 6; p += 2) {
                const struct fake_board *fb = &w->f->board[b];
                unsigned n = w->node[b], k = w->k[p / 2];
                unsigned c[3] = {n % w->k[0], n / w->k[0] % w->k[1], n / w->k[0] / w->k[1]};
                if (k < 2 || !fb->peer[p] || fb->peer_port[p] != p + 1 ||
                    w->node[fb->peer[p] - w->f->board] != node_beside(w->k, n, p))
                    continue;
                bool is_needed = k > 2 || c[p / 2] == (turn >> p / 2 & 1);
                right += is_needed;
                spare += !is_needed;
            }
        unsigned wrong = w->cables - right - spare, missing = needed - right;
        unsigned cost = cost_of(wrong, missing);
        if (possible && cost < w->least)
            w->least = cost;
    }
}

static unsigned least_of_all_ways(const struct fake_fabric *f)
{
    struct all_ways w = {.f = f, .boards = f->boards, .least = UINT_MAX};
    for (unsigned b = 0; b < f->boards; b++)
        for (unsigned p = 0; p < 6; p++)
            w.cables += f->board[b].peer[p] != NULL;
    w.cables /= 2;
    for (w.k[0] = 1; w.k[0] <= f->boards; w.k[0]++)
        for (w.k[1] = 1; w.k[1] <= f->boards; w.k[1]++)
            for (w.k[2] = 1; w.k[2] <= (f->dims == 3 ? f->boards : 1); w.k[2]++)
                if (w.k[0] * w.k[1] * w.k[2] == f->boards)
                    try_ways(&w, 0);
    return w.least;
}

// Tori of up to 9 boards with any number of cables anywhere: what is named is no more than what the
// best of all ways takes.
static void small_ruins(void **state)
{
    (void)state;
    static const uint8_t sizes[][3] = {{3, 3, 1}, {4, 2, 1}, {2, 2, 2}, {7, 1, 1}, {3, 2, 1}};
    unsigned tried = 0, worst = 0;
    for (unsigned i = 0; i < 40; i++) {
        const uint8_t *k = sizes[i % 5];
        struct fake_fabric *f = fake_new(k[0], k[1], k[2], i % 2, seed + 6000 + i);
        struct fake_wire wire;
        static const struct torus_options quick = {
            .size = sizeof(struct torus_options), .timeout = 2, .retry = 0.001};
        struct torus *t;
        for (unsigned n = 1 + i / 5 % 6; n; n--) // of random cables
            spoil_anywhere(f);
        wire = (struct fake_wire){&f->board[0], -1};
        assert_int_equal(torus_open_transport(&t, fake_transport(&wire), &quick), TORUS_OK);
        int error = torus_discover(t);
        unsigned best = least_of_all_ways(f);
        uint8_t found[3];
        torus_sizes(t, found);
        if (torus_boards(t) == f->boards && found[0] * found[1] * found[2] == (int)f->boards) {
            if (cost_named(t) > best || (error == TORUS_OK) != !best) {
                for (unsigned n = 0; torus_fault(t, n); n++)
                    print_message("# %s\n", torus_fault(t, n));
                fail_msg("%ux%ux%u, number %u: %u where %u is enough", k[0], k[1], k[2], i,
                         cost_named(t), best);
            }
            mend(f, t);
            torus_close(t);
            t = discover(f, &wire, TORUS_OK);
            tried++;
            worst = best > worst ? best : worst;
        }
        torus_close(t);
        fake_free(f);
    }
    print_message("# %u small ruins, the worst takes %u cables\n", tried, worst / 1000);
    assert_true(tried > 25 && worst > 5000);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(five_wrong),     cmocka_unit_test(one_wrong),
        cmocka_unit_test(twisted),        cmocka_unit_test(mirrored),
        cmocka_unit_test(seams_and_more), cmocka_unit_test(part_of_a_seam),
        cmocka_unit_test(many_missing),   cmocka_unit_test(small_ruins),
    };
    seed = fake_seed(argc, argv);
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("cables", tests, NULL, NULL);
}
