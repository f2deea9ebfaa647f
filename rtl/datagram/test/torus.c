// SPDX-License-Identifier: Apache-2.0
// Datagrams over real routers: a 2 x 2 torus of Verilated routers, at each local port a Verilated
// ofr_datagram and beside it its golden model on the same pins, compared every cycle. Everybody
// sends to everybody, in all classes; a ledger has every datagram until its consumer has it.
// Build with -DN=2 -DW= -DL= -DROOM=.
//
//   torus [CYCLES [SEED]]   SEED also from the environment; with FLIPS there cables flip bits
#include "datagram.h"
#include "datagram_shim.h"
#include "packet.h"
#include "rng.h"
#include "square.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef N // for tools that read the file alone
#define N    2
#define W    64
#define L    8
#define ROOM 2
#endif

enum {
    ALL = SQUARE_NODES,
    BYTES = W / 8,
    MOST = (L - 64 / W) * BYTES, // bytes of the largest datagram
    PATIENCE = 20000,            // cycles in which all must come to rest
    OPEN = 1 << 16,              // datagrams that the ledger holds for a node
};

struct datagram {
    uint64_t flit[L];
    uint16_t bytes;
    uint8_t node, end, cls; // node: for it; in the ledger: from it
};

struct place {
    struct square_node *net;
    struct datagram_rtl *rtl;
    struct ofr_datagram model;
    // The user's logic
    struct datagram gives, gets;
    unsigned beat, beats, got; // of what it gives; gets
    struct ofr_datagram_beat s;
    unsigned rate, taking; // permille
    // The local port
    bool inside;
    uint8_t vc;
    // Ledger: for this node and not there yet; what this node gave
    struct datagram *open;
    unsigned opens;
    uint64_t given, no_way, illegal, taken;
};

struct torus {
    struct place place[ALL];
    struct square square;
    struct rng rng;
    uint64_t cycle, li, lo; // li, lo: cycle of the last flit into node 0's router, out of 1's
    uint64_t of_class[3];   // that came
    bool no_way[ALL][ALL];  // from, to: the destination table has none
    bool paused, failed;
};

static int number, failures;

static void check(bool ok, const char *what)
{
    printf("%s %d - datagrams over routers, W=%d L=%d ROOM=%d: %s\n", ok ? "ok" : "not ok",
           ++number, W, L, ROOM, what);
    failures += !ok;
}

static void same(struct torus *t, unsigned n, const char *what, uint64_t have, uint64_t want)
{
    if (have == want || t->failed)
        return;
    printf("# cycle %" PRIu64 ", node %u: %s: %#" PRIx64 ", not %#" PRIx64 "\n", t->square.cycle, n,
           what, have, want);
    t->failed = true;
}

static unsigned word_of(const struct torus *t, unsigned n)
{
    return ofr_coord_word(&t->square.node[n].config.me, N);
}

static unsigned beats_of(const struct datagram *d)
{
    return d->bytes ? (d->bytes + BYTES - 1U) / BYTES : 1;
}

// ---- The user's logic, and the ledger -----------------------------------------------------------

static void next_beat(struct torus *t, unsigned n)
{
    struct place *x = &t->place[n];
    struct datagram *d = &x->gives;
    if (x->s.valid || (x->beats == 0 && t->paused) || !rng_chance(&t->rng, x->rate))
        return;
    if (x->beats == 0) {
        memset(d, 0, sizeof *d);
        d->bytes = (uint16_t)rng_below(&t->rng, rng_chance(&t->rng, 300) ? 2 * BYTES : MOST + 1);
        d->node = (uint8_t)rng_below(&t->rng, ALL);
        d->end = (uint8_t)rng_below(&t->rng, 16);
        d->cls = (uint8_t)(rng_chance(&t->rng, 30) ? 3 : rng_below(&t->rng, 3));
        x->beats = beats_of(d);
        for (unsigned i = 0; i < x->beats; i++)
            d->flit[i] = rng_next(&t->rng) & (~(uint64_t)0 >> (64 - W));
        x->beat = 0;
    }
    unsigned left = d->bytes - x->beat * BYTES, bytes = left < BYTES ? left : BYTES;
    x->s = (struct ofr_datagram_beat){.valid = true,
                                      .last = x->beat + 1 == x->beats,
                                      .keep = (uint8_t)((1U << bytes) - 1),
                                      .data = d->flit[x->beat],
                                      .dest = (uint16_t)(word_of(t, d->node) | d->end << 12U),
                                      .cls = d->cls};
}

static void beat_given(struct torus *t, unsigned n)
{
    struct place *x = &t->place[n], *to = &t->place[x->gives.node];
    x->s.valid = false;
    if (++x->beat < x->beats)
        return;
    x->beats = 0;
    if (x->gives.cls == OFR_PKT_CLASS_DIRECTED) {
        x->illegal++;
    } else if (t->no_way[n][x->gives.node]) {
        x->no_way++;
    } else if (to->opens == OPEN) {
        same(t, n, "datagrams under way", OPEN, OPEN - 1);
    } else {
        x->given++;
        to->open[to->opens] = x->gives;
        to->open[to->opens++].node = (uint8_t)n;
    }
}

// A whole one has come: it is struck off the ledger.
static void strike_off(struct torus *t, unsigned n)
{
    struct place *x = &t->place[n];
    for (unsigned i = 0; i < x->opens; i++) {
        struct datagram *d = &x->open[i];
        unsigned rest = d->bytes % BYTES, last = beats_of(d) - 1;
        uint64_t mask = rest ? (~(uint64_t)0 >> (64 - 8 * rest)) : d->bytes ? ~(uint64_t)0 : 0;
        if (word_of(t, d->node) != x->gets.node || d->end != x->gets.end ||
            d->bytes != x->gets.bytes || memcmp(d->flit, x->gets.flit, last * sizeof *d->flit) ||
            ((d->flit[last] ^ x->gets.flit[last]) & mask))
            continue;
        t->of_class[d->cls]++;
        x->taken++;
        *d = x->open[--x->opens];
        return;
    }
    same(t, n, "taken: what nobody gave, or again; from", x->gets.node, 0xfff);
}

static void beat_taken(struct torus *t, unsigned n, const struct ofr_datagram_beat *m)
{
    struct place *x = &t->place[n];
    if (x->got == L) {
        same(t, n, "taken: beats", L + 1, L);
        return;
    }
    if (x->got == 0)
        memset(&x->gets, 0, sizeof x->gets);
    x->gets.flit[x->got++] = m->data;
    x->gets.bytes = (uint16_t)(x->gets.bytes + __builtin_popcount(m->keep));
    x->gets.node = (uint8_t)m->source;
    x->gets.end = (uint8_t)m->dest;
    if (!m->last)
        return;
    x->got = 0;
    strike_off(t, n);
}

// ---- One cycle ----------------------------------------------------------------------------------

// The local port: the VC by the class, the way by the destination table, as ofr_local has them.
// Returns whether there is none, in the header's cycle.
static bool enter(struct torus *t, unsigned n, const struct ofr_flit *tx)
{
    struct place *x = &t->place[n];
    bool nowhere = false;
    x->net->in.li = *tx;
    if (tx->valid && !x->inside) {
        unsigned to = (unsigned)(tx->data & 1) | (unsigned)(tx->data >> 4 & 1) << 1;
        x->vc = (tx->data >> OFR_PKT_CLASS_LSB & 3) == OFR_PKT_CLASS_DEROUTE ? OFR_LVC_DEROUTE
                                                                             : OFR_LVC_USER;
        nowhere = t->no_way[n][to];
        if (nowhere) // over a port that there is not, for the router to discard
            x->net->in.li.data |= (uint64_t)OFR_PKT_CLASS_DIRECTED << OFR_PKT_CLASS_LSB | 15;
    }
    x->net->in.li.vc = x->vc;
    return nowhere;
}

static void one_node(struct torus *t, unsigned n)
{
    struct place *x = &t->place[n];
    struct ofr_datagram_in min = {.config = &x->net->config, .rx = x->net->out.lo};
    struct datagram_pins in = {.me = ofr_coord_word(&x->net->config.me, N)};
    struct datagram_outs out;
    for (unsigned i = 0; i < N; i++)
        in.size |= (uint32_t)x->net->config.torus.k[i] << (5 * i);
    struct ofr_flit tx = ofr_datagram_tx(&x->model);
    struct ofr_datagram_beat m = ofr_datagram_m(&x->model);
    in.tx_unreachable = min.tx_unreachable = enter(t, n, &tx);
    in.tx_ready = min.tx_ready = x->net->out.li_ready[x->vc];
    next_beat(t, n);
    min.s = x->s;
    in.s_valid = x->s.valid;
    in.s_data = x->s.data;
    in.s_keep = x->s.keep;
    in.s_last = x->s.last;
    in.s_dest = x->s.dest;
    in.s_user = x->s.cls;
    in.m_ready = min.m_ready = rng_chance(&t->rng, x->taking);
    in.rx_valid = min.rx.valid;
    in.rx_data = min.rx.data;
    in.rx_last = min.rx.last;
    in.rx_poison = min.rx.poison;
    in.reg_adr = (uint16_t)(OFR_BLOCK_DATAGRAM + 4 * (t->square.cycle % 8));
    bool taken = x->s.valid && ofr_datagram_ready(&x->model);

    datagram_rtl_eval(x->rtl, &in, &out);
    same(t, n, "s_axis_tready", out.s_ready, ofr_datagram_ready(&x->model));
    same(t, n, "reg_rdat", out.reg_rdat, ofr_datagram_read(&x->model, in.reg_adr));
    same(t, n, "tx_valid", out.tx_valid, tx.valid);
    if (tx.valid) {
        same(t, n, "tx_data", out.tx_data, tx.data);
        same(t, n, "tx_last", out.tx_last, tx.last);
    }
    same(t, n, "m_axis_tvalid", out.m_valid, m.valid);
    if (m.valid) {
        same(t, n, "m_axis_tdata", out.m_data, m.data);
        same(t, n, "m_axis_tkeep", out.m_keep, m.keep);
        same(t, n, "m_axis_tlast", out.m_last, m.last);
        same(t, n, "m_axis_tid", out.m_id, m.source);
        same(t, n, "m_axis_tdest", out.m_dest, m.dest);
        if (min.m_ready)
            beat_taken(t, n, &m);
    }
    if (taken)
        beat_given(t, n);
    if (tx.valid && min.tx_ready)
        x->inside = !tx.last;
    if (n == 0 && tx.valid)
        t->li = t->square.cycle;
    if (n == 1 && x->net->out.lo.valid)
        t->lo = t->square.cycle;
    ofr_datagram_step(&x->model, &min);
    datagram_rtl_clock(x->rtl);
}

static void step(struct torus *t, unsigned count)
{
    for (unsigned i = 0; i < count && !t->failed; i++) {
        square_cables(&t->square);
        for (unsigned n = 0; n < ALL; n++)
            one_node(t, n);
        square_step(&t->square);
    }
}

// ---- Runs ---------------------------------------------------------------------------------------

static void begin(struct torus *t, uint64_t seed)
{
    memset(t, 0, sizeof *t);
    t->rng.state = seed;
    t->paused = true;
    bool good = square_begin(&t->square, seed);
    t->square.flips = getenv("FLIPS");
    static const struct ofr_datagram_shape shape = {
        .n = N, .flit_bits = W, .slot_flits = L, .room = ROOM};
    for (unsigned n = 0; n < ALL; n++) {
        struct place *x = &t->place[n];
        struct datagram_pins in = {.rst = 1};
        struct datagram_outs out;
        x->net = &t->square.node[n];
        x->rtl = datagram_rtl_new(seed + n);
        x->open = calloc(OPEN, sizeof *x->open);
        if (!good || !x->open || !ofr_datagram_init(&x->model, &shape)) {
            fputs("torus: no router, no memory, or no datagrams of this shape\n", stderr);
            exit(2);
        }
        x->rate = x->taking = 1000;
        for (int i = 0; i < 2; i++) {
            datagram_rtl_eval(x->rtl, &in, &out);
            datagram_rtl_clock(x->rtl);
        }
    }
    step(t, SQUARE_TABLES);
}

static bool is_drained(const struct torus *t)
{
    bool drained = square_drained(&t->square);
    for (unsigned n = 0; n < ALL; n++) {
        const struct place *x = &t->place[n];
        drained = drained && x->beats == 0 && !x->model.held && !x->model.busy &&
                  !x->model.tx.valid && !x->model.used && !x->model.got.valid &&
                  !x->model.shown.valid;
    }
    return drained;
}

// One datagram of one beat, from node 0 to its neighbour, as nothing else is under way.
static void one_datagram(struct torus *t)
{
    struct place *x = &t->place[0];
    char text[100];
    x->gives = (struct datagram){.bytes = BYTES, .node = 1, .flit = {0x0123456789abcdef}};
    x->gives.flit[0] &= ~(uint64_t)0 >> (64 - W);
    x->beats = 1;
    uint64_t from = t->square.cycle;
    while (t->place[1].taken == 0 && t->square.cycle < from + 200 && !t->failed)
        step(t, 1);
    unsigned whole = (unsigned)(t->square.cycle - 1 - from), routers = (unsigned)(t->lo - t->li);
    snprintf(text, sizeof text, "a beat to the neighbour: %u cycles, of which two routers have %u",
             whole, routers);
    check(!t->failed && t->place[1].taken == 1 && whole <= routers + 12, text);
}

int main(int argc, char **argv)
{
    static struct torus t;
    const char *env = getenv("SEED");
    unsigned most = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 0) : 20000;
    uint64_t seed = strtoull(argc > 2 ? argv[2] : env ? env : "1", NULL, 0);
    char text[200];

    setvbuf(stdout, NULL, _IOLBF, 0);
    printf("# seed %" PRIu64 ", %u cycles; again: %s %u %" PRIu64 "\n", seed, most, argv[0], most,
           seed);
    begin(&t, seed);
    one_datagram(&t);
    for (unsigned i = 0; i < 8; i++) {
        t.paused = false;
        for (unsigned n = 0; n < ALL; n++) {
            struct place *x = &t.place[n];
            x->rate = 50 + rng_below(&t.rng, 951);
            x->taking = i == 7 ? 1000 : rng_chance(&t.rng, 150) ? 0 : 50 + rng_below(&t.rng, 951);
        }
        step(&t, most / 8);
        // Ways are taken and given only while nobody is about to use them
        t.paused = true;
        for (unsigned n = 0; n < ALL; n++)
            t.place[n].rate = t.place[n].taking = 1000;
        uint64_t until = t.square.cycle + PATIENCE;
        while (!is_drained(&t) && t.square.cycle < until && !t.failed)
            step(&t, 10);
        step(&t, 16); // until the last one is counted, and taken
        for (unsigned p = 0; p < ALL * ALL; p++)
            t.no_way[p / ALL][p % ALL] = rng_chance(&t.rng, 100);
    }
    snprintf(text, sizeof text,
             "RTL and model agree; came in order %" PRIu64 ", minimal %" PRIu64 ", free %" PRIu64,
             t.of_class[0], t.of_class[1], t.of_class[2]);
    check(!t.failed && t.of_class[0] > most / 100 && t.of_class[1] > most / 100 &&
              t.of_class[2] > most / 100,
          text);
    check(!t.failed && is_drained(&t), "the routers are empty, all that was kept is taken");
    uint64_t given = 0, taken = 0, none = 0, illegal = 0, no_way = 0;
    for (unsigned n = 0; n < ALL; n++) {
        const struct place *x = &t.place[n];
        same(&t, n, "SENT", x->model.sent, x->given);
        same(&t, n, "ILLEGAL", x->model.illegal, x->illegal + x->no_way);
        same(&t, n, "RECEIVED", x->model.received, x->taken);
        same(&t, n, "NO_ROOM", x->model.no_room, x->opens);
        same(&t, n, "SPOILED", x->model.spoiled, 0);
        given += x->given;
        taken += x->taken;
        none += x->opens;
        illegal += x->illegal;
        no_way += x->no_way;
    }
    snprintf(text, sizeof text,
             "of %" PRIu64 " sent all were taken once (%" PRIu64 ") or counted (%" PRIu64
             "); %" PRIu64 " of no class, %" PRIu64 " without a way",
             given, taken, none, illegal, no_way);
    check(!t.failed && given == taken + none && taken && none && illegal && no_way, text);
    for (unsigned n = 0; n < ALL; n++) {
        datagram_rtl_delete(t.place[n].rtl);
        free(t.place[n].open);
    }
    square_end(&t.square);
    printf("1..%d\n", number);
    return failures != 0;
}
