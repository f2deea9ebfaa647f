// SPDX-License-Identifier: Apache-2.0
// Nodes with ofr_datagram, each beside its golden model on the same pins, joined by a fabric that
// keeps no order, and in bad times loses, poisons, cuts and forges packets. Every output pin is
// compared every cycle, and a register drawn at random; besides, a ledger knows every datagram.
// Build with -DN= -DW= -DL= -DROOM=; with -DALONE: the model by itself.
//
//   lockstep [CYCLES [SEED]]   SEED also from the environment
#include "bench.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef ALONE
static const bool alone = true;
#define datagram_rtl_new(seed)           ((void)(seed), NULL)
#define datagram_rtl_delete(rtl)         ((void)(rtl))
#define datagram_rtl_clock(rtl)          ((void)(rtl))
#define datagram_rtl_eval(rtl, pins, to) ((void)(rtl), (void)(pins), (void)(to))
#else
static const bool alone = false;
#endif

void fail(struct bench *b, unsigned n, const char *what, uint64_t have, uint64_t want)
{
    if (!b->failed && !b->quiet)
        printf("# cycle %" PRIu64 ", node %u: %s: %#" PRIx64 ", not %#" PRIx64 "\n", b->cycle, n,
               what, have, want);
    b->failed = true;
}

void same(struct bench *b, unsigned n, const char *what, uint64_t have, uint64_t want)
{
    if (have != want)
        fail(b, n, what, have, want);
}

// ---- Fabric -------------------------------------------------------------------------------------

static void enqueue(struct bench *b, unsigned to, const struct packet *p)
{
    struct node *x = &b->node[to];
    if (x->coming == QUEUE) // full: lost, as on a cable
        return;
    x->from[x->coming] = *p;
    x->from[x->coming++].at = b->cycle + 1 + below(b, b->delay);
}

static void put_field(struct packet *p, unsigned lsb, unsigned bits, uint64_t value)
{
    for (unsigned i = 0; i < bits && (lsb + i) / W < p->flits; i++) {
        uint64_t *flit = &p->flit[(lsb + i) / W], bit = (uint64_t)1 << (lsb + i) % W;
        *flit = value >> i & 1 ? *flit | bit : *flit & ~bit;
    }
}

// Harm on the way: false where the packet is lost.
static bool harm(struct bench *b, struct packet *p)
{
    unsigned how = below(b, 3);
    b->cov.lost += how == 0;
    b->cov.poisoned += how == 1;
    b->cov.cut += how == 2;
    p->poison = true;
    if (how == 2)
        p->flits = 4 + below(b, p->flits - 3);
    p->flit[p->flits - 1] = rng_next(&b->rng) & FLIT_MASK;
    return how != 0;
}

// One that came, changed, comes again; or flits of nobody's.
static void forge(struct bench *b, unsigned to)
{
    struct packet p = b->node[to].seen;
    if (p.flits == 0)
        return;
    p.poison = false;
    switch (below(b, 6)) {
    case 0: // of another kind
        put_field(&p, OFR_PKT_KIND_LSB, 4, below(b, 16));
        break;
    case 1: // another length, a little or a lot
        put_field(&p, OFR_PKT_SEQ_LSB, 12, chance(b, 500) ? below(b, MOST + 9) : below(b, 4096));
        break;
    case 2: // too short
        p.flits = 1 + below(b, 4);
        break;
    case 3: // too long, with a length that says so, or does not
        p.flits = L + 1 + below(b, 6);
        if (chance(b, 700))
            put_field(&p, OFR_PKT_SEQ_LSB, 12, (p.flits - HEAD) * BYTES - below(b, BYTES));
        break;
    case 4: // one flit more, or less
        p.flits += chance(b, 500) && p.flits < L ? 1U : p.flits > 4 ? -1U : 0;
        break;
    default:
        p.flits = 1 + below(b, L);
        for (unsigned i = 0; i < p.flits; i++)
            p.flit[i] = rng_next(&b->rng) & FLIT_MASK;
        break;
    }
    b->cov.forged++;
    enqueue(b, to, &p);
}

static void leave(struct bench *b, unsigned n)
{
    struct node *x = &b->node[n];
    struct packet p = x->sent;
    p.poison = false;
    bool somebody = false;
    for (unsigned to = 0; to < NODES && !x->nowhere; to++) {
        if (ofr_coord_word(&b->node[to].config.me, N) != (p.flit[0] & 0xfff))
            continue;
        somebody = true;
        if (!b->bad || !chance(b, 60) || harm(b, &p))
            enqueue(b, to, &p);
    }
    b->cov.nobody += !somebody && !x->nowhere;
}

// What comes to node n in this cycle.
static struct ofr_flit arrive(struct bench *b, unsigned n)
{
    struct node *x = &b->node[n];
    struct ofr_flit f = {
        .data = rng_next(&b->rng) & FLIT_MASK, .last = chance(b, 500), .poison = chance(b, 500)};
    if (b->wire && n == 1) {
        f = b->line[b->cycle % 64];
        if (!f.valid)
            return f;
        x->seen.flit[x->flit] = f.data;
        x->seen.flits = x->flit + 1;
        flit_comes(x, x->flit, f.last ? &x->seen : NULL);
        x->flit = f.last ? 0 : x->flit + 1;
        return f;
    }
    for (unsigned i = 0; i < x->coming && x->arriving < 0; i++)
        if (x->from[i].at <= b->cycle)
            x->arriving = (int)i;
    if (x->arriving < 0 || chance(b, b->gap))
        return f;
    struct packet *p = &x->from[x->arriving];
    f.valid = true;
    f.data = p->flit[x->flit];
    f.last = x->flit + 1 == p->flits;
    f.poison = f.last && p->poison;
    flit_comes(x, x->flit++, f.last ? p : NULL);
    if (f.last) {
        x->seen = *p;
        *p = x->from[--x->coming];
        x->arriving = -1;
        x->flit = 0;
    }
    return f;
}

// ---- One cycle ----------------------------------------------------------------------------------

static void reset(struct bench *b, unsigned n)
{
    struct node *x = &b->node[n];
    static const struct ofr_datagram_shape shape = {
        .n = N, .flit_bits = W, .slot_flits = L, .room = ROOM};
    struct datagram_pins in = {.rst = 1};
    struct datagram_outs out;
    for (int i = 0; i < 2; i++) {
        datagram_rtl_eval(x->rtl, &in, &out);
        datagram_rtl_clock(x->rtl);
    }
    if (!ofr_datagram_init(&x->model, &shape))
        fail(b, n, "ofr_datagram_init", 0, 1);
    if (x->arriving >= 0 && x->flit) // the rest of what was arriving
        x->from[x->arriving] = x->from[--x->coming];
    x->arriving = -1;
    x->flit = x->beats = x->sent.flits = x->got = 0;
    x->out.count = x->in.count = 0;
    x->s.valid = x->tx.valid = x->m.valid = x->nowhere = false;
    x->sends = x->illegal = x->takes = x->received = x->no_room = x->spoiled = 0;
    x->reason = OFR_DATAGRAM_REASON_NONE;
    x->is = x->was = NOT_OURS;
}

// Puts a fault into the model's state, to see that it is found.
enum { FAULTS = 9 };
static const char *const faults[FAULTS] = {
    "payload to send",    "payload that came",   "half of the RAM", "length", "sender of one kept",
    "kind of what comes", "flits of what comes", "unreachable",     "count"};
static void put_fault(struct bench *b)
{
    struct ofr_datagram *m = &b->node[below(b, NODES)].model;
    switch (b->fault) {
    case 0:
        m->out[below(b, 2)][below(b, 4)] ^= 1;
        break;
    case 1:
        m->in[below(b, ROOM)][HEAD + below(b, 4)] ^= 1;
        break;
    case 2:
        m->half ^= 1;
        break;
    case 3:
        m->length ^= 1;
        m->word ^= 1;
        break;
    case 4:
        m->kept[below(b, ROOM)].source ^= 1;
        break;
    case 5:
        m->kind ^= 1;
        break;
    case 6:
        m->index += m->index > 4;
        break;
    case 7:
        m->nowhere = !m->nowhere;
        break;
    default:
        m->no_room ^= 4;
        break;
    }
}

static void compare(struct bench *b, unsigned n, const struct datagram_outs *out,
                    const struct ofr_flit *tx, const struct ofr_datagram_beat *m, unsigned adr)
{
    struct node *x = &b->node[n];
    char name[32];
    snprintf(name, sizeof name, "register %03x", adr);
    same(b, n, name, out->reg_rdat, ofr_datagram_read(&x->model, adr));
    same(b, n, "s_axis_tready", out->s_ready, ofr_datagram_ready(&x->model));
    same(b, n, "tx_valid", out->tx_valid, tx->valid);
    if (tx->valid) {
        same(b, n, "tx_data", out->tx_data, tx->data);
        same(b, n, "tx_last", out->tx_last, tx->last);
    }
    same(b, n, "m_axis_tvalid", out->m_valid, m->valid);
    if (!m->valid)
        return;
    same(b, n, "m_axis_tdata", out->m_data, m->data);
    same(b, n, "m_axis_tkeep", out->m_keep, m->keep);
    same(b, n, "m_axis_tlast", out->m_last, m->last);
    same(b, n, "m_axis_tid", out->m_id, m->source);
    same(b, n, "m_axis_tdest", out->m_dest, m->dest);
}

static void one_node(struct bench *b, unsigned n)
{
    struct node *x = &b->node[n];
    struct ofr_datagram_in min = {.config = &x->config};
    struct datagram_pins in = {.me = ofr_coord_word(&x->config.me, N)};
    struct datagram_outs out = {0};
    for (unsigned i = 0; i < N; i++)
        in.size |= (uint32_t)x->config.torus.k[i] << (5 * i);
    in.reg_adr = (uint16_t)(OFR_BLOCK_DATAGRAM + 4 * below(b, 9));
    if (chance(b, 50))
        in.reg_adr ^= (uint16_t)(1U << below(b, 12));
    next_beat(b, x);
    min.s = x->s;
    if (!x->s.valid) // anything may be on the pins
        min.s = (struct ofr_datagram_beat){.data = rng_next(&b->rng) & FLIT_MASK,
                                           .keep = (uint8_t)below(b, 1U << BYTES),
                                           .last = chance(b, 500),
                                           .dest = (uint16_t)below(b, 0x10000),
                                           .cls = (uint8_t)below(b, 4)};
    in.s_valid = min.s.valid;
    in.s_data = min.s.data;
    in.s_keep = min.s.keep;
    in.s_last = min.s.last;
    in.s_dest = min.s.dest;
    in.s_user = min.s.cls;
    in.m_ready = min.m_ready = chance(b, x->taking);
    in.tx_ready = min.tx_ready = chance(b, b->ready);
    in.tx_unreachable = min.tx_unreachable = !b->wire && chance(b, 6);
    min.rx = arrive(b, n);
    in.rx_valid = min.rx.valid;
    in.rx_data = min.rx.data;
    in.rx_last = min.rx.last;
    in.rx_poison = min.rx.poison;

    struct ofr_flit tx = ofr_datagram_tx(&x->model);
    struct ofr_datagram_beat m = ofr_datagram_m(&x->model);
    bool taken = min.s.valid && ofr_datagram_ready(&x->model);
    datagram_rtl_eval(x->rtl, &in, &out);
    if (!alone)
        compare(b, n, &out, &tx, &m, in.reg_adr);
    if (taken)
        beat_given(b, x);
    if (flit_sent(b, n, &tx, min.tx_ready, min.tx_unreachable)) {
        if (!b->wire)
            leave(b, n);
        x->sent.flits = 0;
        x->nowhere = false;
    }
    if (b->wire && n == 0) {
        b->line[(b->cycle + b->delay) % 64] = tx.valid && min.tx_ready ? tx : (struct ofr_flit){0};
        b->busy += tx.valid;
    }
    beat_taken(b, n, &m, min.m_ready);
    ofr_datagram_step(&x->model, &min);
    datagram_rtl_clock(x->rtl);
    counts(b, n);
}

static void one_cycle(struct bench *b)
{
    if (b->fault >= 0 && below(b, 100) == 0)
        put_fault(b);
    for (unsigned n = 0; n < (b->wire ? 2 : NODES); n++)
        one_node(b, n);
    if (b->bad && chance(b, 10))
        forge(b, below(b, NODES));
    if (b->bad && below(b, 2000) == 0) {
        reset(b, below(b, NODES));
        b->cov.resets++;
    }
    b->cycle++;
}

static void cycles(struct bench *b, unsigned count)
{
    for (unsigned i = 0; i < count && !b->failed; i++)
        one_cycle(b);
}

// ---- Runs ---------------------------------------------------------------------------------------

static void start(struct bench *b, uint64_t seed, int fault)
{
    memset(b, 0, sizeof *b);
    b->rng.state = seed;
    b->fault = fault;
    b->quiet = fault >= 0;
    b->ready = 1000;
    b->delay = 1;
    for (unsigned n = 0; n < NODES; n++) {
        struct node *x = &b->node[n];
        x->config.torus = (struct ofr_torus){.n = N, .k = {5, 16, N == 3 ? 2 : 1}};
        x->config.me = (struct ofr_coord){{(uint8_t)(2 * n), (uint8_t)(n * 7), N == 3 && n == 2}};
        x->arriving = x->exact = -1;
        x->taking = 1000;
        x->rtl = datagram_rtl_new(seed + n);
        reset(b, n);
    }
}

static void stop(struct bench *b)
{
    for (unsigned n = 0; n < NODES; n++)
        datagram_rtl_delete(b->node[n].rtl);
}

// Nothing is being given, or on its way.
static bool is_quiet(const struct bench *b)
{
    for (unsigned n = 0; n < NODES; n++) {
        const struct node *x = &b->node[n];
        if (x->beats || x->out.count || x->coming || x->in.count || x->sent.flits ||
            x->is != NOT_OURS || x->was != NOT_OURS)
            return false;
    }
    return true;
}

static void episode(struct bench *b)
{
    b->bad = chance(b, 600);
    b->delay = 1 + below(b, 200);
    b->gap = chance(b, 500) ? 0 : below(b, 400);
    b->ready = chance(b, 500) ? 1000 : 100 + below(b, 900);
    for (unsigned n = 0; n < NODES; n++) {
        struct node *x = &b->node[n];
        x->pause = false;
        x->rate = chance(b, 400) ? 1000 : 20 + below(b, 980);
        x->taking = chance(b, 400) ? 1000 : chance(b, 200) ? 0 : 20 + below(b, 980);
    }
    cycles(b, 1000 + below(b, 3000));
    if (!chance(b, 300))
        return;
    // All comes to rest, and nothing is left anywhere
    b->bad = false;
    b->ready = 1000;
    b->gap = 0;
    for (unsigned n = 0; n < NODES; n++) {
        b->node[n].pause = true;
        b->node[n].rate = b->node[n].taking = 1000;
    }
    for (unsigned i = 0; i < (QUEUE + 4) * (L + 8) && !is_quiet(b); i++)
        cycles(b, 1);
    for (unsigned n = 0; n < NODES && !b->failed; n++) {
        const struct node *x = &b->node[n];
        same(b, n, "at rest: not sent, not come, not taken",
             x->out.count + x->coming + x->in.count + x->sent.flits, 0);
        same(b, n, "at rest: RECEIVED and taken", x->model.received, x->takes);
    }
}

static bool run(uint64_t most, uint64_t seed, int fault, struct coverage *cov)
{
    static struct bench bench; // large; one at a time
    struct bench *b = &bench;
    start(b, seed, fault);
    while (b->cycle < most && !b->failed)
        episode(b);
    stop(b);
    if (cov)
        *cov = b->cov;
    return !b->failed;
}

static int number, failures;

static void result(bool ok, const char *name, const char *more)
{
    printf("%s %d - ofr_datagram N=%d W=%d L=%d ROOM=%d: %s%s\n", ok ? "ok" : "not ok", ++number, N,
           W, L, ROOM, name, more);
    failures += !ok;
}

// ---- Figures: node 0 sends to node 1 over a wire ------------------------------------------------

enum { DELAY = 16 };

static void wire(struct bench *b, uint64_t seed, unsigned bytes)
{
    start(b, seed, -1);
    b->wire = true;
    b->delay = DELAY;
    b->node[0].exact = (int)bytes;
    b->node[0].rate = 1000;
    b->node[1].pause = true;
}

static void latency(struct bench *b, uint64_t seed, unsigned bar)
{
    char text[80];
    wire(b, seed, BYTES);
    uint64_t from = b->cycle;
    while (!ofr_datagram_m(&b->node[1].model).valid && b->cycle < from + 200 && !b->failed) {
        one_cycle(b);
        b->node[0].pause = true;
    }
    unsigned cycles_ = (unsigned)(b->cycle - from - DELAY);
    snprintf(text, sizeof text, "%u cycles besides the fabric's, from TVALID to TVALID", cycles_);
    result(!b->failed && cycles_ <= bar, "latency of a datagram of one beat: ", text);
    stop(b);
}

// As fast as the link carries them, nothing dropped.
static void goodput(struct bench *b, uint64_t seed, unsigned bytes)
{
    enum { COUNT = 10000 };
    char name[48], text[80];
    unsigned payload = (bytes + BYTES - 1) / BYTES, flits = HEAD + payload;
    double want = (double)bytes / BYTES / (flits < 4 ? 4 : flits);
    wire(b, seed, bytes);
    cycles(b, 4 * L + 100);
    uint64_t takes = b->node[1].takes, busy = b->busy;
    cycles(b, COUNT);
    double have = (double)(b->node[1].takes - takes) * bytes / BYTES / COUNT;
    snprintf(name, sizeof name, "datagrams of %u bytes: ", bytes);
    snprintf(text, sizeof text, "%.1f%% of the link's flits, headers leave %.1f%%", 100 * have,
             100 * want);
    result(!b->failed && b->busy - busy == COUNT && have >= 0.98 * want && b->node[1].no_room == 0,
           name, text);
    stop(b);
}

// A consumer that takes nothing: so many packets are kept, the others counted, the link goes on.
static void stopped(struct bench *b, uint64_t seed)
{
    enum { COUNT = 10000 };
    char text[80];
    wire(b, seed, 3 * BYTES);
    b->node[1].taking = 0;
    cycles(b, COUNT);
    uint32_t sent = b->node[0].sends, received = b->node[1].received;
    b->node[1].taking = 1000;
    b->node[0].pause = true;
    cycles(b, 200);
    const struct node *x = &b->node[1];
    snprintf(text, sizeof text, "%u of %u datagrams kept, the others counted", received, sent);
    result(!b->failed && b->busy >= COUNT - 10 && received == ROOM &&
               x->received + x->no_room == b->node[0].sends && x->takes == x->received,
           "a consumer that takes nothing: ", text);
    stop(b);
}

int main(int argc, char **argv)
{
    static struct bench bench;
    const char *env = getenv("SEED");
    uint64_t most = argc > 1 ? strtoull(argv[1], NULL, 0) : 1000000;
    uint64_t seed = strtoull(argc > 2 ? argv[2] : env ? env : "1", NULL, 0);
    struct coverage c;

    setvbuf(stdout, NULL, _IOLBF, 0);
    printf("# seed %" PRIu64 ", %" PRIu64 " cycles of %d nodes; again: %s %" PRIu64 " %" PRIu64
           "\n",
           seed, most, NODES, argv[0], most, seed);
    result(run(most, seed, -1, &c), "lockstep and ledger", "");
    printf("# sent %" PRIu64 ", kept %" PRIu64 ", taken %" PRIu64 ", no room %" PRIu64
           ", spoiled %" PRIu64 "; empty %" PRIu64 ", of a byte %" PRIu64 ", of a whole packet "
           "%" PRIu64 ", of a byte more %" PRIu64 "\n",
           c.sent, c.received, c.taken, c.no_room, c.spoiled, c.empty, c.one_byte, c.whole,
           c.too_long);
    printf("# too long %" PRIu64 ", to no node %" PRIu64 ", no class %" PRIu64 ", no way %" PRIu64
           "; lost %" PRIu64 ", poisoned %" PRIu64 ", cut %" PRIu64 ", forged %" PRIu64
           ", to nobody %" PRIu64 ", resets %" PRIu64 ", cycles that a consumer waits %" PRIu64
           ", the port %" PRIu64 "\n",
           c.reason[1], c.reason[2], c.reason[3], c.reason[4], c.lost, c.poisoned, c.cut, c.forged,
           c.nobody, c.resets, c.stopped, c.waited);
    bool all = c.sent && c.received && c.taken && c.no_room && c.spoiled && c.empty && c.one_byte &&
               c.whole && c.too_long && c.null_beats && c.lost && c.poisoned && c.cut && c.forged &&
               c.nobody && c.resets && c.stopped && c.waited;
    for (unsigned i = 1; i < 5; i++)
        all = all && c.reason[i] && c.class_of[i % 3];
    result(all, "everything was exercised", "");
    latency(&bench, seed, 12);
    goodput(&bench, seed, MOST);
    goodput(&bench, seed, MOST / 2 + 1);
    goodput(&bench, seed, BYTES);
    stopped(&bench, seed);
    for (int i = 0; i < FAULTS && !alone; i++)
        result(!run(most, seed, i, NULL), "found a wrong ", faults[i]);
    printf("1..%d\n", number);
    return failures != 0;
}
