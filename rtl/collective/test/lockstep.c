// SPDX-License-Identifier: Apache-2.0
// A group of members with ofr_collective, each beside its golden model on the same pins, joined in
// a random tree by streams (any delay, gaps, no room at times; some break or are closed). Every
// output pin is compared every cycle. Besides the comparison a ledger knows every operation: who
// succeeds has the exact result, who fails has the reason that fits what went wrong, nobody hangs.
// Then one block by itself with pins at random. Build with -DW= -DCHILDREN=; with -DALONE: the
// model alone.
//
//   lockstep [CYCLES [SEED]]   SEED also from the environment
#include "bench.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef ALONE
static const bool alone = true;
#define collective_rtl_new(seed)           ((void)(seed), NULL)
#define collective_rtl_delete(rtl)         ((void)(rtl))
#define collective_rtl_clock(rtl)          ((void)(rtl))
#define collective_rtl_eval(rtl, pins, to) ((void)(rtl), (void)(pins), (void)(to))
#else
static const bool alone = false;
#endif

void fail(struct bench *b, unsigned n, const char *what, uint64_t have, uint64_t want)
{
    if (!b->failed && !b->quiet)
        printf("# cycle %" PRIu64 ", member %u of %u, operation %" PRIu64 ": %s: %#" PRIx64
               ", not %#" PRIx64 "\n",
               b->cycle, n, b->members, b->member[n].got, what, have, want);
    if (!b->failed && !b->quiet) {
        const struct plan *p = plan_of(b, b->member[n].got);
        printf("# ... which is %u, type %u, fault %u of member %u; stream that breaks: %u\n", p->op,
               p->type, p->fault, p->culprit, b->breaking);
    }
    b->failed = true;
}

static void same(struct bench *b, unsigned n, const char *what, uint64_t rtl, uint64_t model)
{
    if (rtl != model)
        fail(b, n, what, rtl, model);
}

// ---- Pins ---------------------------------------------------------------------------------------

static const uint64_t mask = ~(uint64_t)0 >> (64 - W);

static void set_pins(struct collective_pins *to, const struct ofr_collective_in *in)
{
    *to = (struct collective_pins){.has_parent = in->has_parent,
                                   .children = in->children,
                                   .leave = in->leave,
                                   .drop = in->drop,
                                   .clear = in->clear,
                                   .s_valid = in->s.valid,
                                   .s_last = in->s.last,
                                   .s_keep = in->s.keep,
                                   .s_data = in->s.data,
                                   .s_user = in->s_user,
                                   .m_ready = in->m_ready};
    memcpy(to->size, in->size, sizeof to->size);
    for (unsigned p = 0; p <= CHILDREN; p++) {
        to->from_valid |= (uint8_t)(in->from[p].valid << p);
        to->from_last |= (uint8_t)(in->from[p].last << p);
        to->from_user |= (uint8_t)(in->from[p].user << p);
        to->from_data[p] = in->from[p].data;
        to->to_ready |= (uint8_t)(in->to_ready[p] << p);
    }
}

// One cycle of both; out: the model's pins.
static void both(struct bench *b, unsigned n, const struct ofr_collective_in *in,
                 struct ofr_collective_out *out)
{
    struct member *x = &b->member[n];
    struct collective_pins pins;
    struct collective_outs rtl;
    set_pins(&pins, in);
    ofr_collective_out(&x->model, in, out);
    collective_rtl_eval(x->rtl, &pins, &rtl);
    if (!alone) {
        same(b, n, "busy", rtl.busy, out->busy);
        same(b, n, "reason", rtl.reason, out->reason);
        same(b, n, "broken", rtl.broken, out->broken);
        same(b, n, "waits", rtl.waits, out->waits);
        same(b, n, "s_axis_tready", rtl.s_ready, out->s_ready);
        same(b, n, "m_axis_tvalid", rtl.m_valid, out->m.valid);
        if (out->m.valid) {
            same(b, n, "m_axis_tdata", rtl.m_data, out->m.data & mask);
            same(b, n, "m_axis_tkeep", rtl.m_keep, out->m.keep);
            same(b, n, "m_axis_tlast", rtl.m_last, out->m.last);
            same(b, n, "m_axis_tuser", rtl.m_user, out->m_end * 2U + out->m.user);
        }
        for (unsigned p = 0; p <= CHILDREN; p++) {
            same(b, n, "from_tready", rtl.from_ready >> p & 1, out->from_ready[p]);
            same(b, n, "to_tvalid", rtl.to_valid >> p & 1, out->to[p].valid);
            if (out->to[p].valid) {
                same(b, n, "to_tdata", rtl.to_data[p], out->to[p].data & mask);
                same(b, n, "to_tlast", rtl.to_last >> p & 1, out->to[p].last);
                same(b, n, "to_tkeep", rtl.to_keep[p], (1U << BYTES) - 1);
            }
        }
    }
    ofr_collective_step(&x->model, in);
    collective_rtl_clock(x->rtl);
}

// What is not reset starts at random in the RTL, and so does not matter.
static void reset(struct bench *b, unsigned n)
{
    static const struct ofr_collective_shape shape = {.flit_bits = W, .children = CHILDREN};
    struct member *x = &b->member[n];
    struct collective_pins in = {.rst = 1};
    struct collective_outs out;
    for (int i = 0; i < 2; i++) {
        collective_rtl_eval(x->rtl, &in, &out);
        collective_rtl_clock(x->rtl);
    }
    if (!ofr_collective_init(&x->model, &shape))
        fail(b, n, "ofr_collective_init", 0, 1);
}

// ---- Faults in the model ------------------------------------------------------------------------

enum { WRONGS = 10 };
static const char *const wrongs[WRONGS] = {
    "partial result", "number",  "beat on its way up", "child to be served", "end seen", "part",
    "place",          "verdict", "broken stream",      "beat at m_axis"};

static void put_wrong(struct bench *b)
{
    struct ofr_collective *m = &b->member[below(b, b->members)].model;
    switch (b->fault) {
    case 0:
        m->acc[below(b, OFR_COLLECTIVE_BURST)] ^= 1U << below(b, 32);
        break;
    case 1:
        m->number ^= 1;
        break;
    case 2:
        m->up[below(b, OFR_COLLECTIVE_QUEUE)].data ^= 1U << below(b, 16);
        break;
    case 3:
        m->to ^= 1;
        break;
    case 4:
        m->seen ^= 1;
        break;
    case 5:
        m->left ^= 1;
        break;
    case 6:
        m->at ^= 1;
        break;
    case 7:
        m->over = !m->over;
        break;
    case 8:
        m->broken ^= 1;
        break;
    default:
        m->m.keep ^= 1;
        break;
    }
}

// ---- One cycle ----------------------------------------------------------------------------------

static void take(struct bench *b, const struct member *x, struct ofr_collective_in *in)
{
    in->s = x->s;
    in->s_user = x->s.valid ? x->user : (uint8_t)below(b, 128);
    in->m_ready = chance(b, x->taking);
}

// The user's logic: what it offers, takes, whether it leaves.
static void use(struct bench *b, unsigned n, struct ofr_collective_in *in)
{
    struct member *x = &b->member[n];
    // Halves of a group whose stream is broken go on without each other, but not for ever
    bool begins = !x->inside && !x->s.valid;
    for (unsigned i = 0; begins && i < b->members; i++)
        if (x->given > b->member[i].got + 2)
            return take(b, x, in);
    if (begins && x->given == b->plans && !b->hold && x->got == x->given)
        make_plan(b);
    if (!x->s.valid &&
        (!begins || (x->given < b->plans && x->got == x->given && b->cycle >= x->asleep)) &&
        chance(b, x->rate))
        next_beat(b, n);
    take(b, x, in);
    const struct plan *p = plan_of(b, x->got);
    if (x->got >= b->plans || p->fault != LEAVES || p->culprit != n || x->left)
        return;
    bool all = true, late = false; // all others have got theirs; some have not begun
    for (unsigned i = 0; i < b->members; i++) {
        all = all && (i == n || b->member[i].got > x->got);
        late = late || (b->member[i].given == x->got && !b->member[i].inside);
    }
    bool doing = x->model.busy && !x->model.over && !x->model.cut;
    bool stops = (p->seed & 3) == 0; // takes nothing until the others have gone on without it
    if (stops && doing && !x->leaves)
        in->m_ready = false;
    if (!x->leaves && doing && chance(b, p->seed & 4 ? 200 : 12)) {
        in->leave = true;
        x->leaves = b->cycle;
        b->cov.alone += late;
    }
    if (stops && x->leaves && !all)
        in->m_ready = false;
    b->cov.stopped += stops && x->leaves && !all;
}

static void break_stream(struct bench *b, struct stream *x, bool silent)
{
    unsigned left = x->count ? below(b, x->count + 1) : 0;
    if (x->held && !left)
        left = 1;
    x->count = left; // the rest has not come through
    stream_break(x, silent);
}

// Breaks what is to break. Both ends of a stream that was closed are told, a while later.
static void break_some(struct bench *b)
{
    const struct plan *p = NULL;
    for (unsigned n = 0; n < b->members; n++)
        if (b->member[n].got < b->plans)
            p = plan_of(b, b->member[n].got);
    if (p && b->breaking == MEMBERS && (p->fault == BREAKS || p->fault == CLOSES) &&
        chance(b, 15)) {
        struct member *x = &b->member[p->culprit ? p->culprit : 1];
        b->breaking = (unsigned)(x - b->member);
        b->breaks = b->cycle;
        b->drops = p->fault == CLOSES;
        break_stream(b, &x->up, b->drops);
        break_stream(b, &x->down, b->drops);
    }
    // Opened again before its ends are cleared: nothing is read of it until they are
    if (b->breaking < MEMBERS) {
        struct member *x = &b->member[b->breaking];
        const struct member *parent = &b->member[x->parent];
        if ((x->model.broken & 1) && (parent->model.broken >> (1 + x->slot) & 1) && x->up.broken &&
            x->up.told == !x->up.silent && chance(b, 20)) {
            b->cov.reopened++;
            stream_open(&x->up);
            stream_open(&x->down);
        }
    }
}

static void one_member(struct bench *b, unsigned n)
{
    struct member *x = &b->member[n];
    struct ofr_collective_in in = {.has_parent = n != 0, .children = (uint8_t)x->kids};
    struct ofr_collective_out out;
    struct stream *from[1 + CHILDREN] = {n ? &x->down : NULL};
    struct stream *to[1 + CHILDREN] = {n ? &x->up : NULL};
    use(b, n, &in);
    for (unsigned i = 0; i < CHILDREN; i++) {
        in.size[i] = (uint16_t)below(b, 4096);
        if (!(x->kids >> i & 1))
            continue;
        in.size[i] = (uint16_t)b->member[x->child[i]].size;
        from[1 + i] = &b->member[x->child[i]].up;
        to[1 + i] = &b->member[x->child[i]].down;
    }
    for (unsigned p = 0; p <= CHILDREN; p++) {
        if (from[p])
            in.from[p] = stream_offers(b, from[p]);
        in.to_ready[p] = to[p] ? stream_ready(b, to[p]) : chance(b, 500);
    }
    if (b->drops && b->cycle == b->breaks + 300) {
        if (n == b->breaking)
            in.drop = 1;
        else if (n == b->member[b->breaking].parent)
            in.drop = (uint8_t)(2U << b->member[b->breaking].slot);
    }
    both(b, n, &in, &out);
    if (!in.leave && x->model.cut && !x->left && x->leaves)
        x->leaves = 0; // an operation before
    if (in.leave && x->model.cut)
        x->left = true;
    if (x->left && in.m_ready && ++x->waiting > 4)
        fail(b, n, "not told that it has left, cycles", x->waiting, 4);
    if (!x->left)
        x->waiting = 0;
    for (unsigned p = 0; p <= CHILDREN; p++) {
        if (from[p])
            stream_taken(from[p], in.from[p].valid && out.from_ready[p]);
        if (to[p] && out.to[p].valid && in.to_ready[p])
            stream_put(b, to[p], &out.to[p]);
        else if (!to[p] && out.to[p].valid)
            fail(b, n, "beats to nobody, pair", p, 0);
    }
    // An offered beat stays
    if (x->held.valid &&
        (!out.m.valid || out.m.data != x->held.data || out.m.last != x->held.last ||
         out.m.user != x->held.user || out.m_end != x->held_end))
        fail(b, n, "an offered beat has changed", out.m.data, x->held.data);
    x->held = out.m;
    x->held.valid = out.m.valid && !in.m_ready;
    x->held_end = out.m_end;
    b->cov.stalled += x->held.valid;
    if (x->s.valid && out.s_ready)
        given(b, n);
    if (out.m.valid && in.m_ready)
        account(b, n, &out.m, out.m_end);
}

static void one_cycle(struct bench *b)
{
    if (b->fault >= 0 && below(b, 300) == 0)
        put_wrong(b);
    break_some(b);
    for (unsigned n = 0; n < b->members && !b->failed; n++) {
        struct member *x = &b->member[n];
        if (below(b, 800) == 0) { // it is quicker or slower, stops, begins late
            x->rate = chance(b, 500) ? 1000 : 20 + below(b, 980);
            x->taking = chance(b, 500) ? 1000 : chance(b, 300) ? 0 : 20 + below(b, 980);
            x->asleep = chance(b, 150) ? b->cycle + below(b, 1500) : 0;
            b->cov.late += x->asleep != 0;
        }
        one_member(b, n);
    }
    if (below(b, 3000) == 0) {
        b->delay = 1 + below(b, 50);
        b->ready = chance(b, 500) ? 1000 : 200 + below(b, 800);
    }
    b->cycle++;
}

// ---- Groups -------------------------------------------------------------------------------------

// Members that follow in the order of members: the member, then each child's subtree.
static unsigned walk(struct bench *b, unsigned n, unsigned order)
{
    struct member *x = &b->member[n];
    unsigned first = order;
    x->order = order++;
    for (unsigned i = 0; i < CHILDREN; i++)
        if (x->kids >> i & 1)
            order = walk(b, x->child[i], order);
    x->size = order - first;
    return order;
}

// A random tree, whose streams are open. Of who is at rest.
static void form(struct bench *b)
{
    b->members = chance(b, 60) ? 1 : 2 + below(b, MEMBERS - 1);
    bool chain = chance(b, 200), star = chance(b, 200);
    for (unsigned n = 0; n < MEMBERS; n++) {
        struct member *x = &b->member[n];
        x->kids = 0;
        stream_open(&x->up);
        stream_open(&x->down);
        x->given = x->got = 0;
        x->leaves = 0;
    }
    b->plans = 0;
    b->breaking = MEMBERS;
    b->drops = false;
    unsigned deep[MEMBERS] = {0};
    for (unsigned n = 1; n < b->members; n++) {
        unsigned p = chain ? n - 1 : star ? 0 : below(b, n);
        while (b->member[p].kids == (1U << CHILDREN) - 1)
            p = (p + 1) % n;
        unsigned slot = below(b, CHILDREN);
        while (b->member[p].kids >> slot & 1)
            slot = (slot + 1) % CHILDREN;
        b->member[p].kids |= 1U << slot;
        b->member[p].child[slot] = n;
        b->member[n].parent = p;
        b->member[n].slot = slot;
        deep[n] = deep[p] + 1;
        if (deep[n] > b->cov.deepest)
            b->cov.deepest = deep[n];
        unsigned kids = (unsigned)__builtin_popcount(b->member[p].kids);
        if (kids > b->cov.widest)
            b->cov.widest = kids;
    }
    walk(b, 0, 0);
}

static bool at_rest(const struct bench *b)
{
    for (unsigned n = 0; n < b->members; n++) {
        const struct member *x = &b->member[n];
        if (x->given != b->plans || x->got != b->plans || x->inside || x->model.busy)
            return false;
    }
    return true;
}

// All end what has been planned.
static void rest(struct bench *b)
{
    b->hold = true;
    b->moved = b->cycle;
    while (!b->failed && !at_rest(b)) {
        if (b->cycle % 256 == 0)
            for (unsigned n = 0; n < b->members; n++) {
                b->member[n].rate = b->member[n].taking = 1000;
                b->member[n].asleep = 0;
            }
        one_cycle(b);
        if (b->cycle - b->moved > PATIENCE)
            fail(b, 0, "it hangs", b->member[0].got, b->plans);
    }
    for (int i = 0; i < 200; i++)
        one_cycle(b);
    for (unsigned n = 0; n < b->members && !b->failed; n++) {
        const struct member *x = &b->member[n];
        if (x->up.count || x->down.count || x->up.mid || x->down.mid)
            fail(b, n, "beats of a stream are left, or half a message", x->up.count, x->down.count);
        if (x->held.valid)
            fail(b, n, "a beat too many", x->held.data, 0);
    }
}

// All but `not`.
static void clear(struct bench *b, unsigned not )
{
    for (unsigned n = 0; n < b->members; n++) {
        struct ofr_collective_in in = {.clear = n != not };
        struct ofr_collective_out out;
        both(b, n, &in, &out);
    }
}

static void episode(struct bench *b)
{
    if (b->cycle == 0 || chance(b, 300)) { // in whatever state they are
        for (unsigned n = 0; n < MEMBERS; n++) {
            struct member *x = &b->member[n];
            reset(b, n);
            x->s.valid = x->inside = x->left = x->halved = x->held.valid = false;
            x->words = x->borders = x->message = x->beat = 0;
        }
        b->cov.resets++;
    } else {
        rest(b);
        if (b->failed)
            return;
        bool counted = b->breaking == MEMBERS && b->members > 1;
        if (counted && chance(b, 400)) {
            unsigned culprit = below(b, b->members);
            counted = b->member[culprit].model.number != 0;
            clear(b, culprit);
            if (counted) {
                make_plan(b);
                plan_of(b, b->plans - 1)->fault = FORGOTTEN;
                rest(b);
            }
        }
        b->members = MEMBERS;
        clear(b, MEMBERS);
    }
    form(b);
    b->hold = false;
    b->moved = b->cycle;
    uint64_t until = b->cycle + 2000 + below(b, 6000);
    unsigned more = below(b, 3);
    uint64_t plans = 0;
    while (b->cycle < until && !b->failed) {
        one_cycle(b);
        if (b->breaking == MEMBERS)
            plans = b->plans;
        if (b->plans > plans + more)
            break; // a few operations over the broken stream, then the group is formed anew
        if (b->cycle - b->moved > PATIENCE)
            fail(b, 0, "it hangs", b->member[0].got, b->plans);
    }
}

static struct bench bench; // large; one at a time

static bool run(uint64_t most, uint64_t seed, int fault, struct coverage *cov)
{
    struct bench *b = &bench;
    memset(b, 0, sizeof *b);
    b->rng.state = seed;
    b->fault = fault;
    b->quiet = fault >= 0;
    b->delay = 1;
    b->ready = 1000;
    for (unsigned n = 0; n < MEMBERS; n++) {
        b->member[n].rtl = collective_rtl_new(seed + n);
        b->member[n].rate = b->member[n].taking = 1000;
    }
    while (b->cycle < most && !b->failed)
        episode(b);
    for (unsigned n = 0; n < MEMBERS; n++)
        collective_rtl_delete(b->member[n].rtl);
    if (cov)
        *cov = b->cov;
    return !b->failed;
}

// ---- Pins at random -----------------------------------------------------------------------------

// An end that could be one, of this operation and number more often than not.
static uint64_t some_end(struct bench *b, const struct ofr_collective *m)
{
    uint64_t f =
        chance(b, 800) ? m->op | (unsigned)m->type << OFR_COLLECTIVE_TYPE_LSB : below(b, 64);
    f |= (chance(b, 950) ? m->number : below(b, 32)) << OFR_COLLECTIVE_NUMBER_LSB;
    f |= (chance(b, 950) ? 0 : below(b, 8)) << OFR_COLLECTIVE_REASON_LSB;
    f |= chance(b, 150) << OFR_COLLECTIVE_PART_LSB;
    f |= chance(b, 300) << OFR_COLLECTIVE_ODD_LSB;
    return (W == 64 ? f << 32 | (uint32_t)rng_next(&b->rng) : f) & mask;
}

static bool at_random(uint64_t most, uint64_t seed)
{
    struct bench *b = &bench;
    struct member *x = &b->member[0];
    struct ofr_collective_in in = {0};
    struct ofr_collective_out out;
    unsigned ends = 0;
    memset(b, 0, sizeof *b);
    b->rng.state = seed;
    b->members = 1;
    x->rtl = collective_rtl_new(seed);
    reset(b, 0);
    for (b->cycle = 0; b->cycle < most && !b->failed; b->cycle++) {
        if (below(b, 2000) == 0)
            reset(b, 0);
        if (below(b, 500) == 0)
            ends = below(b, 900);
        if (!x->model.busy) {
            in.has_parent = chance(b, 700);
            in.children = (uint8_t)below(b, 1U << CHILDREN);
            for (unsigned i = 0; i < CHILDREN; i++)
                in.size[i] = (uint16_t)(chance(b, 900) ? 1 + below(b, 3) : below(b, 4096));
        }
        in.s = (struct ofr_beat){
            .valid = chance(b, 800),
            .last = chance(b, ends),
            .data = rng_next(&b->rng) & mask,
            .keep = (uint8_t)(chance(b, 800) ? (1U << BYTES) - 1 : below(b, 1U << BYTES))};
        if (W == 64 && chance(b, 200))
            in.s.keep = 0x0f;
        in.s.keep = chance(b, 200) ? 0 : in.s.keep;
        in.s_user = (uint8_t)(chance(b, 900) ? below(b, 6) | below(b, 8) << 3 : below(b, 128));
        if (chance(b, 100))
            in.s_user = OFR_COLLECTIVE_SCATTER | OFR_COLLECTIVE_MORE;
        in.m_ready = chance(b, 800);
        for (unsigned p = 0; p <= CHILDREN; p++) {
            bool last = chance(b, ends);
            in.from[p] =
                (struct ofr_beat){.valid = chance(b, 800),
                                  .last = last,
                                  .user = below(b, 400) == 0,
                                  .data = last ? some_end(b, &x->model) : rng_next(&b->rng) & mask};
            in.to_ready[p] = chance(b, 800);
        }
        in.leave = below(b, 300) == 0;
        in.drop = (uint8_t)(below(b, 800) == 0 ? below(b, 2U << CHILDREN) : 0);
        in.clear = chance(b, 50);
        both(b, 0, &in, &out);
    }
    collective_rtl_delete(x->rtl);
    return !b->failed;
}

// ---- Result -------------------------------------------------------------------------------------

static int number, failures;

static void result(bool ok, const char *name, const char *more)
{
    printf("%s %d - ofr_collective W=%d CHILDREN=%d: %s%s\n", ok ? "ok" : "not ok", ++number, W,
           CHILDREN, name, more);
    failures += !ok;
}

int main(int argc, char **argv)
{
    static const char *const ops[] = {"barrier", "broadcast", "scatter",
                                      "gather",  "reduce",    "all-reduce"};
    static const char *const kinds[] = {"nothing", "lengths", "another", "illegal",  "leaves",
                                        "breaks",  "closed",  "parts",   "forgotten"};
    static const char *const reasons[] = {"ok",      "length",  "mismatch",
                                          "illegal", "aborted", "broken"};
    const char *env = getenv("SEED");
    uint64_t most = argc > 1 ? strtoull(argv[1], NULL, 0) : 400000;
    uint64_t seed = strtoull(argc > 2 ? argv[2] : env ? env : "1", NULL, 0);
    struct coverage c;

    setvbuf(stdout, NULL, _IOLBF, 0);
    printf("# seed %" PRIu64 ", %" PRIu64 " cycles; again: %s %" PRIu64 " %" PRIu64 "\n", seed,
           most, argv[0], most, seed);
    result(run(most, seed, -1, &c), "lockstep and ledger", "");
    bool all = c.words && c.empty && c.longest > 100 && c.stalled && c.resets && c.stopped &&
               c.late && c.alone && c.reopened && c.deepest > 2 && c.widest == CHILDREN &&
               (W != 64 || c.odd);
    printf("# %" PRIu64 " words of results, longest %" PRIu64 ", %" PRIu64
           " empty; beats given %" PRIu64 "; trees to depth %" PRIu64 ", %" PRIu64
           " children; cycles that a consumer waits %" PRIu64 ", of who has left %" PRIu64
           "; begun late %" PRIu64 ", left before all had begun %" PRIu64
           "; streams opened again %" PRIu64 "; resets %" PRIu64 "\n",
           c.words, c.longest, c.empty, c.beats, c.deepest, c.widest, c.stalled, c.stopped, c.late,
           c.alone, c.reopened, c.resets);
    for (unsigned i = 0; i < OFR_COLLECTIVE_OPS; i++) {
        printf("# %s: %" PRIu64 "\n", ops[i], c.ops[i]);
        all = all && c.ops[i];
    }
    for (unsigned i = 0; i < FAULTS; i++) {
        printf("# operations in which %s goes wrong: %" PRIu64 "\n", kinds[i], c.faults[i]);
        all = all && c.faults[i];
    }
    for (unsigned i = 0; i < 6; i++) {
        printf("# verdicts %s: %" PRIu64 "\n", reasons[i], c.reasons[i]);
        all = all && c.reasons[i];
    }
    result(all, "everything was exercised", "");
    if (!alone)
        result(at_random(most, seed), "lockstep, pins at random", "");
    for (int i = 0; i < WRONGS && !alone; i++)
        result(!run(most, seed, i, NULL), "found a wrong ", wrongs[i]);
    printf("1..%d\n", number);
    return failures != 0;
}
