// SPDX-License-Identifier: Apache-2.0
// Channels over real routers: a 2 x 2 torus of Verilated routers, at each local port a Verilated
// ofr_channel and beside it its golden model on the same pins, compared every cycle. All ends of
// every node are joined with ends of the three other nodes; every beat is checked at its consumer.
// Build with -DN=2 -DW= -DL= -DENDS= -DROOM=.
//
//   torus [CYCLES [SEED]]   SEED also from the environment; with FLIPS there cables flip bits
#include "bench.h"
#include "square.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ALL = SQUARE_NODES,
    STOPPED = ENDS - 1, // end of node 0 whose consumer takes nothing
    PATIENCE = 60000,   // cycles in which all must come to rest
};

struct port {
    unsigned node, end; // its peer
    uint64_t given, got;
    uint64_t sent_bytes, got_bytes;
    struct ofr_beat s;
    bool broken;
};

struct place {
    struct square_node *net;
    struct channel_rtl *rtl;
    struct ofr_channel model;
    struct port port[ENDS];
    unsigned wait; // a register's access: 2 in the cycle before, 1 in its own
    uint16_t offset;
    uint32_t value, read;
    bool writes;
};

struct torus {
    struct place place[ALL];
    struct square square;
    struct rng rng;
    uint64_t cycle, seed, li,
        lo; // li, lo: cycle of the last flit into and out of node 0's, 1's router
    bool paused, failed;
    unsigned rate, taking; // permille
};

static int number, failures;

static void check(bool ok, const char *what)
{
    printf("%s %d - channels over routers, W=%d L=%d ENDS=%d: %s\n", ok ? "ok" : "not ok", ++number,
           W, L, ENDS, what);
    failures += !ok;
}

void fail(struct bench *b, unsigned n, unsigned e, const char *what, uint64_t have, uint64_t want)
{
    (void)b;
    printf("# node %u, end %u: %s: %#" PRIx64 ", not %#" PRIx64 "\n", n, e, what, have, want);
}

static void same(struct torus *t, unsigned n, unsigned e, const char *what, uint64_t have,
                 uint64_t want)
{
    if (have != want && !t->failed) {
        printf("# cycle %" PRIu64 "\n", t->square.cycle);
        fail(NULL, n, e, what, have, want);
        t->failed = true;
    }
}

// The beat that an end gives as its `count`th; one in sixteen is a message's last.
static struct ofr_beat beat_of(const struct torus *t, unsigned n, unsigned e, uint64_t count)
{
    struct rng r = {.state = t->seed ^ ((uint64_t)(n * ENDS + e) << 40) ^ count};
    uint64_t data = rng_next(&r);
    unsigned bytes = rng_below(&r, BYTES + 1);
    bool last = (rng_next(&r) & 15) == 0;
    uint8_t all = (uint8_t)((1U << BYTES) - 1);
    return (struct ofr_beat){.valid = true,
                             .last = last,
                             .keep = last ? (uint8_t)((1U << bytes) - 1) : all,
                             .data = data & (~(uint64_t)0 >> (64 - W))};
}

static unsigned bytes_in(const struct ofr_beat *b)
{
    return (unsigned)__builtin_popcount(b->keep);
}

// A beat comes to its consumer.
static void take(struct torus *t, unsigned n, unsigned e, const struct ofr_beat *m)
{
    struct port *x = &t->place[n].port[e];
    if (m->user) {
        x->broken = true;
        return;
    }
    struct ofr_beat want = beat_of(t, x->node, x->end, x->got++);
    uint64_t mask = 0;
    for (unsigned i = 0; i < BYTES; i++)
        mask |= want.keep >> i & 1 ? (uint64_t)0xff << (8 * i) : 0;
    same(t, n, e, "TKEEP of a beat", m->keep, want.keep);
    same(t, n, e, "TLAST of a beat", m->last, want.last);
    same(t, n, e, "TDATA of a beat", m->data & mask, want.data & mask);
    x->got_bytes += bytes_in(m);
}

static void one_node_of(struct torus *t, unsigned n)
{
    struct place *x = &t->place[n];
    struct ofr_channel_in min = {.config = &x->net->config, .rx = x->net->out.lo};
    struct channel_pins in = {.me = ofr_coord_word(&x->net->config.me, N)};
    struct channel_outs out;
    for (unsigned i = 0; i < N; i++)
        in.size |= (uint32_t)x->net->config.torus.k[i] << (5 * i);
    in.reg_early = min.early = x->wait == 2;
    in.reg_we = min.writes = x->wait == 1 && x->writes;
    in.reg_adr = x->offset;
    in.reg_wdat = x->value;
    in.rx_valid = x->net->out.lo.valid;
    in.rx_data = x->net->out.lo.data;
    in.rx_last = x->net->out.lo.last;
    in.rx_poison = x->net->out.lo.poison;
    in.tx_ready = min.tx_ready = x->net->out.li_ready[OFR_LVC_USER];
    for (unsigned e = 0; e < ENDS; e++) {
        struct port *p = &x->port[e];
        struct ofr_beat next = beat_of(t, n, e, p->given);
        bool inside = p->given && !beat_of(t, n, e, p->given - 1).last;
        if (!p->s.valid && (!t->paused || inside) && rng_chance(&t->rng, t->rate))
            p->s = next;
        min.s[e] = p->s;
        in.s_valid |= (uint16_t)(p->s.valid << e);
        in.s_last |= (uint16_t)(p->s.last << e);
        in.s_data[e] = p->s.data;
        in.s_keep[e] = p->s.keep;
        min.m_ready[e] = (n != 0 || e != STOPPED) && rng_chance(&t->rng, t->taking);
        in.m_ready |= (uint16_t)(min.m_ready[e] << e);
    }
    channel_rtl_eval(x->rtl, &in, &out);
    struct ofr_flit tx = ofr_channel_tx(&x->model);
    same(t, n, 0, "tx_valid", out.tx_valid, tx.valid);
    if (tx.valid) {
        same(t, n, 0, "tx_data", out.tx_data, tx.data);
        same(t, n, 0, "tx_last", out.tx_last, tx.last);
    }
    int ready = ofr_channel_ready(&x->model);
    same(t, n, 0, "s_axis_tready", out.s_ready, ready < 0 ? 0 : 1U << ready);
    bool refused =
        min.writes && ofr_channel_refused(&x->model, x->offset, x->value, &x->net->config);
    if (x->wait == 1) {
        same(t, n, x->model.select, "reg_err", out.reg_err, refused);
        same(t, n, x->model.select, "reg_rdat", out.reg_rdat,
             ofr_channel_read(&x->model, x->offset));
        x->read = out.reg_rdat;
    }
    for (unsigned e = 0; e < ENDS; e++) {
        struct ofr_beat m = ofr_channel_m(&x->model, e);
        same(t, n, e, "m_axis_tvalid", out.m_valid >> e & 1, m.valid);
        if (m.valid) {
            same(t, n, e, "m_axis_tlast", out.m_last >> e & 1, m.last);
            same(t, n, e, "m_axis_tuser", out.m_user >> e & 1, m.user);
            same(t, n, e, "m_axis_tkeep", out.m_keep[e], m.keep);
            if (!m.user)
                same(t, n, e, "m_axis_tdata", out.m_data[e], m.data);
            if (min.m_ready[e])
                take(t, n, e, &m);
        }
    }
    // From the RTL's pins, as in a board
    x->net->in.li = (struct ofr_flit){
        .valid = out.tx_valid, .vc = OFR_LVC_USER, .data = out.tx_data, .last = out.tx_last};
    if (ready >= 0 && min.s[ready].valid) {
        x->port[ready].given++;
        x->port[ready].sent_bytes += bytes_in(&min.s[ready]);
        x->port[ready].s.valid = false;
    }
    ofr_channel_step(&x->model, &min, min.writes && !refused, x->offset, x->value);
    channel_rtl_clock(x->rtl);
    x->wait -= x->wait != 0;
    if (n == 0 && tx.valid)
        t->li = t->square.cycle;
    if (n == 1 && x->net->out.lo.valid)
        t->lo = t->square.cycle;
}

static void step(struct torus *t, unsigned count)
{
    for (unsigned i = 0; i < count && !t->failed; i++) {
        square_cables(&t->square);
        for (unsigned n = 0; n < ALL; n++)
            one_node_of(t, n);
        square_step(&t->square);
    }
}

static uint32_t access_register(struct torus *t, unsigned n, bool writes, unsigned offset,
                                uint32_t value)
{
    struct place *x = &t->place[n];
    x->wait = 2;
    x->writes = writes;
    x->offset = (uint16_t)offset;
    x->value = value;
    step(t, 4);
    return x->read;
}

static uint32_t read_end(struct torus *t, unsigned n, unsigned e, unsigned offset)
{
    access_register(t, n, true, OFR_CHANNEL_SELECT, e);
    return access_register(t, n, false, offset, 0);
}

static void command_end(struct torus *t, unsigned n, unsigned e, uint32_t what)
{
    access_register(t, n, true, OFR_CHANNEL_SELECT, e);
    access_register(t, n, true, OFR_CHANNEL_COMMAND, what);
}

static void begin(struct torus *t, uint64_t seed)
{
    memset(t, 0, sizeof *t);
    t->seed = t->rng.state = seed;
    t->paused = true;
    t->rate = t->taking = 1000;
    bool good = square_begin(&t->square, seed);
    t->square.flips = getenv("FLIPS");
    static const struct ofr_channel_shape shape = {
        .n = N, .flit_bits = W, .slot_flits = L, .ends = ENDS, .room = ROOM};
    for (unsigned n = 0; n < ALL; n++) {
        struct place *x = &t->place[n];
        struct channel_pins in = {.rst = 1};
        struct channel_outs out;
        x->net = &t->square.node[n];
        x->rtl = channel_rtl_new(seed + n);
        if (!good || !ofr_channel_init(&x->model, &shape)) {
            fputs("torus: no router, or no channels of this shape\n", stderr);
            exit(2);
        }
        for (int i = 0; i < 2; i++) {
            channel_rtl_eval(x->rtl, &in, &out);
            channel_rtl_clock(x->rtl);
        }
        for (unsigned e = 0; e < ENDS; e++) {
            x->port[e].node = n ^ (1 + e % (ALL - 1));
            x->port[e].end = e;
        }
    }
    step(t, SQUARE_TABLES);
}

// End e of all nodes: the lower of two listens, the other opens.
static void open_all(struct torus *t)
{
    for (unsigned e = 0; e < ENDS; e++)
        for (unsigned n = 0; n < ALL; n++) {
            unsigned p = t->place[n].port[e].node;
            uint32_t name =
                ofr_coord_word(&t->square.node[p].config.me, N) | e << 12 | (e + 1) << 16;
            access_register(t, n, true, OFR_CHANNEL_SELECT, e);
            access_register(t, n, true, OFR_CHANNEL_PEER, name);
            access_register(t, n, true, OFR_CHANNEL_COMMAND,
                            n < p ? OFR_CHANNEL_COMMAND_LISTEN : OFR_CHANNEL_COMMAND_OPEN);
        }
}

// All ends are in this state.
static bool all_are(const struct torus *t, unsigned state)
{
    for (unsigned i = 0; i < ALL * ENDS; i++)
        if (t->place[i / ENDS].model.end[i % ENDS].state != state)
            return false;
    return true;
}

// The connection whose consumer takes nothing has its end here.
static bool is_stopped(const struct torus *t, unsigned n, unsigned e)
{
    return e == STOPPED && (n == 0 || t->place[n].port[e].node == 0);
}

// What was given has been taken.
static bool at_rest(const struct torus *t)
{
    for (unsigned n = 0; n < ALL; n++)
        for (unsigned e = 0; e < ENDS; e++) {
            const struct port *x = &t->place[n].port[e];
            if (x->s.valid || (!is_stopped(t, n, e) && x->got != t->place[x->node].port[e].given))
                return false;
        }
    return true;
}

int main(int argc, char **argv)
{
    static struct torus t; // large
    const char *env = getenv("SEED");
    unsigned most = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 0) : 20000;
    uint64_t seed = strtoull(argc > 2 ? argv[2] : env ? env : "1", NULL, 0);
    char text[160];

    setvbuf(stdout, NULL, _IOLBF, 0);
    printf("# seed %" PRIu64 ", %u cycles; again: %s %u %" PRIu64 "\n", seed, most, argv[0], most,
           seed);
    begin(&t, seed);
    open_all(&t);
    step(&t, 500);
    check(!t.failed && all_are(&t, OFR_CHANNEL_STATE_STATE_OPEN), "all connections are open");

    // One message of one beat, from node 0 to its neighbour, as nothing else is under way
    struct port *x = &t.place[0].port[0], *y = &t.place[x->node].port[0];
    unsigned sent = 0;
    for (; !beat_of(&t, 0, 0, sent).last; sent++)
        ;
    x->given = y->got = sent;
    uint64_t from = t.square.cycle;
    x->s = beat_of(&t, 0, 0, sent);
    t.lo = 0;
    while (y->got == sent && t.square.cycle < from + 200 && !t.failed)
        step(&t, 1);
    unsigned whole = (unsigned)(t.square.cycle - 1 - from), routers = (unsigned)(t.lo - t.li);
    snprintf(text, sizeof text, "a beat to the neighbour: %u cycles, of which two routers have %u",
             whole, routers);
    check(!t.failed && y->got == sent + 1 && whole <= routers + 12, text);

    t.paused = false;
    for (unsigned i = 0; i < 8; i++) {
        t.rate = 100 + rng_below(&t.rng, 900);
        t.taking = i == 7 ? 1000 : 200 + rng_below(&t.rng, 800);
        step(&t, most / 8);
    }
    uint64_t fewest = UINT64_MAX, beats = 0;
    for (unsigned i = 0; i < ALL * ENDS; i++) {
        const struct port *p = &t.place[i / ENDS].port[i % ENDS];
        beats += p->got;
        if (i != STOPPED && p->got < fewest)
            fewest = p->got;
    }
    snprintf(text, sizeof text,
             "RTL and model agree, %" PRIu64 " beats came, at least %" PRIu64 " to every consumer "
             "that takes",
             beats, fewest);
    check(!t.failed && fewest > most / 400, text);

    t.paused = true;
    t.rate = 1000;
    uint64_t until = t.square.cycle + PATIENCE;
    // The stopped connection's sender has a beat that nobody takes; its stream is ended
    command_end(&t, 0, STOPPED, OFR_CHANNEL_COMMAND_ABORT);
    while (!at_rest(&t) && t.square.cycle < until && !t.failed)
        step(&t, 100);
    check(!t.failed && at_rest(&t), "all that was given has been taken, once, in order");
    for (unsigned e = 0; e < STOPPED; e++)
        for (unsigned n = 0; n < ALL; n++)
            if (n < t.place[n].port[e].node)
                command_end(&t, n, e, OFR_CHANNEL_COMMAND_CLOSE);
    for (unsigned n = 1; n < ALL; n++)
        if (n < t.place[n].port[STOPPED].node)
            command_end(&t, n, STOPPED, OFR_CHANNEL_COMMAND_CLOSE);
    while (!all_are(&t, OFR_CHANNEL_STATE_STATE_ENDED) && t.square.cycle < until + PATIENCE &&
           !t.failed)
        step(&t, 100);
    check(!t.failed && all_are(&t, OFR_CHANNEL_STATE_STATE_ENDED), "all connections have ended");
    bool counts = true;
    for (unsigned n = 0; n < ALL && !t.failed; n++)
        for (unsigned e = 0; e < ENDS; e++) {
            uint32_t state = read_end(&t, n, e, OFR_CHANNEL_STATE);
            unsigned reason = state >> OFR_CHANNEL_STATE_REASON_LSB & 7;
            bool aborted = is_stopped(&t, n, e);
            const struct port *p = &t.place[n].port[e];
            bool ok = reason == (aborted ? OFR_CHANNEL_STATE_REASON_ABORTED
                                         : OFR_CHANNEL_STATE_REASON_CLOSED);
            if (!aborted)
                ok = ok && read_end(&t, n, e, OFR_CHANNEL_SENT) == (uint32_t)p->sent_bytes &&
                     read_end(&t, n, e, OFR_CHANNEL_HEARD) == (uint32_t)p->sent_bytes &&
                     read_end(&t, n, e, OFR_CHANNEL_RECEIVED) == (uint32_t)p->got_bytes;
            if (!ok)
                fail(NULL, n, e, "the end of its connection: STATE", state, 0);
            counts = counts && ok;
        }
    check(!t.failed && counts, "reasons and byte counts at both ends are true");
    step(&t, 200);
    check(!t.failed && square_drained(&t.square), "the routers are empty");
    for (unsigned n = 0; n < ALL; n++) {
        channel_rtl_delete(t.place[n].rtl);
    }
    square_end(&t.square);
    printf("1..%d\n", number);
    return failures != 0;
}
