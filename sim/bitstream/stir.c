// SPDX-License-Identifier: Apache-2.0
// lint-flags: -Ihost/lib -Isim/cosim
//
// stir: draws what is the same in every other session with a torus of boards. In each round all of
// them are configured anew, over directed routes: selection, threshold, ring wait, tie and, in two
// of three rounds, as some places in a torus of sizes up to 16. Generators, where boards have one,
// send in any class; the boards without are read. Where the torus is not one of such sizes, there
// are nodes that are not there. So in these rounds all have targets that are, but for one board in
// the second, which sends one packet anywhere: it may go round for ever, and a few of them fill a
// ring, which then lets nobody in, management with it. In half of the rounds all have one target.
// At last the torus is what it was before. For runs whose pins are compared (bitsim, boardsim):
// what boards should do with that nobody says.
//
//     stir WHERE ROUNDS [SEED]
//
// WHERE: as in torus_open(). Exit status: 0 all rounds were done; 1 the boards said no; 2 wrong
// use.
#include "boards.h"
#include "number.h"
#include "request.h"
#include "rng.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 64, SIZES = 16, READS = 3 };

struct stir {
    struct torus *t;
    unsigned boards;
    uint32_t shape[MOST]; // NODE.SHAPE
    struct rng rng;
    unsigned long wishes, refused; // writes, and those that the hardware does not take
};

// What a round draws for all boards.
struct round {
    enum kind { AS_IT_IS, THERE, ANYWHERE } kind;
    unsigned k[2];         // sizes
    unsigned at[2][SIZES]; // coordinates of those boards that have this one in the torus as it is
    bool together;         // all have one target,
    unsigned target[2];    // there,
    unsigned lost;         // but this board, whose packet goes anywhere; none: as many as there are
    unsigned tie;
};

// 0 to n - 1.
static uint32_t draw(struct stir *s, uint32_t n)
{
    return rng_below(&s->rng, n);
}

static bool generates(const struct stir *s, unsigned board)
{
    return s->shape[board] & OFR_NODE_SHAPE_GEN_MASK;
}

static uint32_t field(uint32_t value, uint32_t mask, unsigned lsb)
{
    return (value & mask) >> lsb;
}

// One short operation at each board, or at those with a generator; arguments by `of`.
typedef uint32_t (*argument)(struct stir *s, const struct round *r, unsigned board);

static int all(struct stir *s, const struct round *r, unsigned op, unsigned offset, argument of,
               bool generators, const char *what)
{
    struct request q[MOST];
    unsigned count = 0;

    for (unsigned i = 0; i < s->boards; i++) {
        if (generators && !generates(s, i))
            continue;
        to_board(s->t, &q[count++], i, op, 0, offset, of(s, r, i));
    }
    int error = exchange(s->t, q, count);
    for (unsigned i = 0; i < count && error == TORUS_OK; i++) {
        s->wishes++;
        s->refused += q[i].status == OFR_BUS_ERROR;
        if (q[i].status != OFR_BUS_ERROR)
            error = status_error(s->t, &q[i], what);
    }
    return error;
}

static int set(struct stir *s, const struct round *r, unsigned offset, argument of, bool generators)
{
    return all(s, r, OFR_OP_WRITE, offset, of, generators, "write");
}

static uint32_t zero(struct stir *s, const struct round *r, unsigned board)
{
    (void)s, (void)r, (void)board;
    return 0;
}

static uint32_t place(struct stir *s, const struct round *r, unsigned board)
{
    uint32_t v = r->tie << OFR_CONFIG_TIE_LSB | 1u << OFR_CONFIG_ON_LSB;

    for (unsigned d = 0; d < 2; d++) {
        unsigned at = r->at[d][torus_board(s->t, board)->at[d]];
        v |= (r->k[d] - 1) << (OFR_CONFIG_SIZE_LSB + 4 * d) | (uint32_t)at
                                                                  << (OFR_CONFIG_COORD_LSB + 4 * d);
    }
    return v;
}

static uint32_t routing(struct stir *s, const struct round *r, unsigned board)
{
    uint32_t slots = field(s->shape[board], OFR_NODE_SHAPE_C_MASK, OFR_NODE_SHAPE_C_LSB);
    uint32_t v = draw(s, 4) << OFR_NODE_ROUTING_SELECT_LSB;

    (void)r;
    v |= draw(s, 4) << OFR_NODE_ROUTING_ESCAPE_LSB; // some of these two are refused
    return v | draw(s, slots + 1) << OFR_NODE_ROUTING_THRESHOLD_LSB;
}

static uint32_t ring_wait(struct stir *s, const struct round *r, unsigned board)
{
    (void)r, (void)board;
    return draw(s, 16);
}

static uint32_t any(struct stir *s, const struct round *r, unsigned board)
{
    (void)r, (void)board;
    return draw(s, UINT32_MAX);
}

// Of FIXED: one of the boards or, of the lost one, whatever a header can have.
static uint32_t target(struct stir *s, const struct round *r, unsigned board)
{
    uint32_t v = 0;

    if (board == r->lost)
        return draw(s, 4096);
    for (unsigned d = 0; d < 2; d++)
        v |= r->at[d][r->together ? r->target[d] : draw(s, s->t->k[d])] << 4 * d;
    return v;
}

// 32 bytes at least, up to a slot.
static uint32_t length(struct stir *s, const struct round *r, unsigned board)
{
    uint32_t shape = s->shape[board],
             least = 32 / field(shape, OFR_NODE_SHAPE_W8_MASK, OFR_NODE_SHAPE_W8_LSB),
             most = field(shape, OFR_NODE_SHAPE_L_MASK, OFR_NODE_SHAPE_L_LSB);
    uint32_t flits = least + draw(s, most - least + 1);
    uint32_t packets = board == r->lost ? 1 : 1 + draw(s, 8);

    return flits << OFR_GEN_LENGTH_FLITS_LSB | packets << OFR_GEN_LENGTH_PACKETS_LSB;
}

static uint32_t messages(struct stir *s, const struct round *r, unsigned board)
{
    // Not without end, so that what starves goes on before long
    return board == r->lost ? 1 : 1 + draw(s, 400);
}

// From more than a link carries to next to nothing.
static uint32_t period(struct stir *s, const struct round *r, unsigned board)
{
    (void)r, (void)board;
    return 256u << draw(s, 12);
}

static uint32_t control(struct stir *s, const struct round *r, unsigned board)
{
    // With an IDN, which may be anywhere, as it is and of the lost one only
    bool all = r->kind == AS_IT_IS || board == r->lost;
    uint32_t class = draw(s, all ? 3 : 2), pattern = draw(s, 8);

    if (!all || r->together || draw(s, 4) == 0)
        pattern = OFR_GEN_CONTROL_PATTERN_FIXED;
    return 1u << OFR_GEN_CONTROL_ENABLE_LSB | class << OFR_GEN_CONTROL_CLASS_LSB |
           pattern << OFR_GEN_CONTROL_PATTERN_LSB;
}

// Any register of the node, also where there is none.
static uint32_t selector(struct stir *s)
{
    static const uint32_t blocks[] = {OFR_BLOCK_NODE, OFR_BLOCK_NODE, OFR_BLOCK_LINKS,
                                      OFR_BLOCK_OFR, OFR_BLOCK_PINS}; // the node's twice as often
    uint32_t block = blocks[draw(s, sizeof blocks / sizeof *blocks)];
    return OFR_SEL_NODE | (block + 4 * draw(s, 32));
}

// Boards without a generator have to say something.
static int look(struct stir *s)
{
    for (unsigned i = 0; i < s->boards; i++) {
        struct request q;
        if (generates(s, i))
            continue;
        to_board(s->t, &q, i, OFR_OP_READ, 0, selector(s), 0);
        int error = exchange(s->t, &q, 1);
        if (error != TORUS_OK)
            return error;
    }
    return TORUS_OK;
}

static int stir(struct stir *s, const struct round *r, bool last)
{
    int error = set(s, r, OFR_GEN_CONTROL, zero, true);

    // Nobody routes any more, so that all that is under way is discarded and the guarded are open.
    if (error == TORUS_OK)
        error = set(s, r, OFR_NODE_CONTROL, zero, false);
    if (error == TORUS_OK)
        error = all(s, r, OFR_OP_CONFIGURE, 0, place, false, "configure");
    if (error != TORUS_OK || last)
        return error;
    const struct {
        unsigned offset;
        argument of;
        bool generators;
    } wish[] = {
        {OFR_GEN_LENGTH, length, true},     {OFR_GEN_MESSAGES, messages, true},
        {OFR_GEN_PERIOD, period, true},     {OFR_GEN_TARGET, target, true},
        {OFR_GEN_SEED, any, true},          {OFR_GEN_CONTROL, control, true},
        {OFR_NODE_ROUTING, routing, false}, {OFR_NODE_RING_WAIT, ring_wait, false},
        {OFR_NODE_SEED, any, false},
    };
    for (unsigned i = 0; i < sizeof wish / sizeof *wish && error == TORUS_OK; i++)
        error = set(s, r, wish[i].offset, wish[i].of, wish[i].generators);
    for (unsigned i = 0; i < READS && error == TORUS_OK; i++)
        error = look(s);
    return error;
}

// A board that has one; none: as many as there are boards.
static unsigned some_generator(struct stir *s)
{
    unsigned count = 0, some = 0;

    for (unsigned i = 0; i < s->boards; i++)
        count += generates(s, i);
    unsigned left = count ? draw(s, count) : 0;
    while (some < s->boards && (!generates(s, some) || left-- > 0))
        some++;
    return some;
}

static struct round drawn(struct stir *s, enum kind kind)
{
    struct round r = {.kind = kind};

    r.tie = draw(s, 2);
    r.together = draw(s, 2);
    r.lost = kind == ANYWHERE ? some_generator(s) : s->boards;
    for (unsigned d = 0; d < 2; d++) {
        unsigned n = s->t->k[d], more = kind == AS_IT_IS ? 0 : draw(s, SIZES - n + 1);
        r.k[d] = n + more;
        r.target[d] = draw(s, n);
        // Up in a circle, whatever is left out in between, so that whoever is nearer in a direction
        // is so by cables, too
        unsigned at = more ? draw(s, r.k[d]) : 0;
        for (unsigned i = 0; i < n; i++) {
            r.at[d][i] = at % r.k[d];
            unsigned skip = draw(s, more + 1);
            more -= skip;
            at += 1 + skip;
        }
    }
    return r;
}

static int find(struct stir *s)
{
    int error = torus_discover(s->t);

    s->boards = torus_boards(s->t);
    if (error == TORUS_OK && (s->boards > MOST || s->t->k[2] > 1))
        error = fail(s->t, TORUS_E_USAGE, "%u boards, %u of them along z: at most %d, and 1",
                     s->boards, s->t->k[2], MOST);
    struct request *q = NULL;
    if (error == TORUS_OK)
        error = read_register(s->t, OFR_NODE_SHAPE, &q, "read the shapes");
    for (unsigned i = 0; i < s->boards && error == TORUS_OK; i++)
        s->shape[i] = q[i].r[5];
    free(q);
    return error;
}

int main(int argc, char **argv)
{
    if (argc < 3 || argc > 4) {
        fputs("usage: stir WHERE ROUNDS [SEED]\n", stderr);
        return 2;
    }
    unsigned long rounds = number("stir", "ROUNDS", argv[2], ULONG_MAX);
    unsigned long seed = argc > 3 ? number("stir", "SEED", argv[3], ULONG_MAX) : 1;
    struct stir s = {.rng = {seed}};
    struct torus_options options = torus_options_default();

    options.timeout = 1200; // simulated boards are slow
    options.retry = 10;
    printf("stir: seed %lu\n", seed);
    fflush(stdout);
    int error = torus_open(&s.t, argv[1], &options);
    if (error == TORUS_OK)
        error = find(&s);
    if (error == TORUS_OK)
        error = torus_lease(s.t, 65536);
    for (unsigned long i = 0; i <= rounds && error == TORUS_OK; i++) {
        bool last = i == rounds;
        struct round r = drawn(&s, last ? AS_IT_IS : i % 3);
        r.tie |= last;
        error = stir(&s, &r, last);
        if (!last && error == TORUS_OK)
            printf("round %lu: %ux%u, (0,0) at (%u,%u), tie %u%s\n", i, r.k[0], r.k[1], r.at[0][0],
                   r.at[1][0], r.tie, r.together ? ", one target" : "");
        fflush(stdout);
    }
    if (error != TORUS_OK)
        fprintf(stderr, "stir: %s\n", s.t ? torus_detail(s.t) : "out of memory");
    printf("stir: %lu writes, of which the boards did not take %lu\n", s.wishes, s.refused);
    torus_close(s.t);
    return error != TORUS_OK;
}
