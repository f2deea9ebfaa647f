// SPDX-License-Identifier: Apache-2.0
// Nodes with ofr_channel, each beside its golden model on the same pins, joined by a fabric that
// keeps order (any delay, gaps, tx_ready falling, and in bad times packets lost, poisoned, cut,
// forged). Every output pin is compared every cycle, and a register drawn at random. Besides the
// comparison a ledger knows every beat: what a consumer gets is what was given, in order, once, and
// the byte counts are true. Build with -DN= -DW= -DL= -DENDS= -DROOM=; with -DALONE: the model by
// itself.
//
//   lockstep [CYCLES [SEED]]   SEED also from the environment
//   lockstep large [SEED]      messages of about 1 MiB
#include "bench.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef ALONE
static const bool alone = true;
#define channel_rtl_new(seed)           ((void)(seed), NULL)
#define channel_rtl_delete(rtl)         ((void)(rtl))
#define channel_rtl_clock(rtl)          ((void)(rtl))
#define channel_rtl_eval(rtl, pins, to) ((void)(rtl), (void)(pins), (void)(to))
#else
static const bool alone = false;
#endif

void fail(struct bench *b, unsigned n, unsigned e, const char *what, uint64_t have, uint64_t want)
{
    if (!b->failed && !b->quiet)
        printf("# cycle %" PRIu64 ", node %u, end %u: %s: %#" PRIx64 ", not %#" PRIx64 "\n",
               b->cycle, n, e, what, have, want);
    b->failed = true;
}

static void same(struct bench *b, unsigned n, unsigned e, const char *what, uint64_t rtl,
                 uint64_t model)
{
    if (rtl != model)
        fail(b, n, e, what, rtl, model);
}

// ---- Registers ----------------------------------------------------------------------------------

static void push(struct node *x, unsigned e, unsigned offset, uint32_t value)
{
    if (x->ops < OPS)
        x->op[x->ops++] =
            (struct op){.end = (uint8_t)e, .offset = (uint16_t)offset, .value = value};
}

static void command(struct node *x, unsigned e, uint32_t what)
{
    push(x, e, OFR_CHANNEL_SELECT, e);
    push(x, e, OFR_CHANNEL_COMMAND, what);
}

static bool is_free(struct node *x, unsigned e)
{
    for (unsigned i = 0; i < x->ops; i++)
        if (x->op[i].end == e)
            return false;
    if (x->writes && x->now.end == e)
        return false;
    return show(x, e, OFR_CHANNEL_STATE) & OFR_CHANNEL_STATE_FREE_MASK;
}

static void join(struct bench *b, unsigned n, unsigned e, unsigned p, unsigned f, uint32_t answer)
{
    uint32_t conn = ++b->conn;
    if (answer) {
        push(&b->node[p], f, OFR_CHANNEL_SELECT, f);
        push(&b->node[p], f, OFR_CHANNEL_PEER, name_of(b, n, e, conn));
        push(&b->node[p], f, OFR_CHANNEL_COMMAND, answer);
    }
    push(&b->node[n], e, OFR_CHANNEL_SELECT, e);
    push(&b->node[n], e, OFR_CHANNEL_PEER, name_of(b, p, f, conn));
    push(&b->node[n], e, OFR_CHANNEL_COMMAND, OFR_CHANNEL_COMMAND_OPEN);
}

// Connections come and go.
static void live(struct bench *b, unsigned n)
{
    struct node *x = &b->node[n];
    unsigned e = below(b, ENDS), p = below(b, NODES), f = below(b, ENDS);
    if (x->ops > OPS / 2 || b->node[p].ops > OPS / 2)
        return;
    if (is_free(x, e)) {
        if (chance(b, 60)) { // to where there is nobody, or nobody listens
            push(x, e, OFR_CHANNEL_SELECT, e);
            push(x, e, OFR_CHANNEL_PEER, 3U | f << 12 | ++b->conn << 16);
            command(x, e, chance(b, 500) ? OFR_CHANNEL_COMMAND_OPEN : OFR_CHANNEL_COMMAND_LISTEN);
        } else if (is_free(&b->node[p], f) && (p != n || f != e)) {
            join(b, n, e, p, f,
                 chance(b, 800)   ? OFR_CHANNEL_COMMAND_LISTEN
                 : chance(b, 500) ? OFR_CHANNEL_COMMAND_OPEN
                                  : 0);
        }
    } else if (is_open(x, e) && chance(b, 60)) {
        command(x, e, chance(b, 700) ? OFR_CHANNEL_COMMAND_CLOSE : OFR_CHANNEL_COMMAND_ABORT);
    } else if (!is_open(x, e) && chance(b, 5)) {
        command(x, e, OFR_CHANNEL_COMMAND_ABORT);
    }
}

// The write of the next cycle, if there is one.
static bool next_write(struct bench *b, struct node *x, struct op *op)
{
    if (++x->since < 3)
        return false;
    if (x->ops != 0) {
        *op = x->op[0];
        memmove(x->op, x->op + 1, --x->ops * sizeof *x->op);
    } else if (!b->wire && chance(b, 20)) { // one that must be refused
        static const uint16_t where[] = {OFR_CHANNEL_CONTROL, OFR_CHANNEL_SELECT, OFR_CHANNEL_PEER,
                                         OFR_CHANNEL_COMMAND};
        op->offset = where[below(b, 4)];
        op->value = op->offset == OFR_CHANNEL_COMMAND ? below(b, 6) : (uint32_t)rng_next(&b->rng);
        op->end = ENDS;
        op->refused = true;
    } else {
        return false;
    }
    x->since = 0;
    return true;
}

// A connection has begun.
static void begun(struct node *x, unsigned e)
{
    struct end *end = &x->end[e];
    end->name = show(x, e, OFR_CHANNEL_PEER);
    bool again = false; // after a reset: the peer must take nothing of it
    for (unsigned i = 0; i < LOGS; i++)
        again = again || end->log[i].name == (end->name | NAMED);
    end->now = (end->now + 1) % LOGS;
    memset(&end->log[end->now], 0, offsetof(struct log, beat));
    end->log[end->now].name = again ? 0 : end->name | NAMED;
    end->old_message = end->inside;
    end->got_beats = end->got_bytes = 0;
    end->broken = false;
}

// ---- One cycle ----------------------------------------------------------------------------------

static void reset(struct bench *b, unsigned n)
{
    struct node *x = &b->node[n];
    static const struct ofr_channel_shape shape = {
        .n = N, .flit_bits = W, .slot_flits = L, .ends = ENDS, .room = ROOM};
    struct channel_pins in = {.rst = 1};
    struct channel_outs out;
    for (int i = 0; i < 2; i++) {
        channel_rtl_eval(x->rtl, &in, &out);
        channel_rtl_clock(x->rtl);
    }
    if (!ofr_channel_init(&x->model, &shape))
        fail(b, n, 0, "ofr_channel_init", 0, 1);
    if (x->source >= 0 && x->flit) { // the rest of what was arriving
        x->from[x->source].first = (x->from[x->source].first + 1) % QUEUE;
        x->from[x->source].count--;
    }
    x->source = -1;
    x->sent.flits = x->ops = 0;
    x->writes = x->reads = false;
    for (unsigned e = 0; e < ENDS; e++) {
        struct end *end = &x->end[e];
        end->left = 0;
        end->s.valid = end->inside = end->old_message = end->broken = end->held.valid = false;
        end->name = 0;
        end->got_beats = end->got_bytes = 0;
    }
    push(x, 0, OFR_CHANNEL_CONTROL, b->calm ? 15 : TICK - 1);
}

// Puts a fault into the model's state, to see that it is found.
enum { FAULTS = 9 };
static const char *const faults[FAULTS] = {"limit", "expect", "payload",    "length of a message",
                                           "turn",  "age",    "byte count", "connection",
                                           "credit"};
static void put_fault(struct bench *b)
{
    struct ofr_channel *m = &b->node[below(b, NODES)].model;
    unsigned e = below(b, ENDS);
    struct ofr_channel_end *x = &m->end[e];
    switch (b->fault) {
    case 0:
        x->limit++;
        break;
    case 1:
        x->expect ^= 1;
        break;
    case 2:
        // The newest packet that waits for a consumer: most slots are empty most of the time
        for (unsigned i = 0; i < ENDS && x->freed == x->expect; i++)
            x = &m->end[e = (e + 1) % ENDS];
        if (x->freed != x->expect)
            m->store[e].in[(x->expect - 1) % ROOM][0] ^= 1U << below(b, 16);
        break;
    case 3:
        x->out_code[below(b, 2)] ^= 1;
        break;
    case 4:
        // To send, and to give a beat: two that want to send at once are rare where it is idle
        m->turn = (uint8_t)((m->turn + (m->busy ? 0 : 1)) % ENDS);
        m->grant = (uint8_t)((m->grant + 1) % ENDS);
        break;
    case 5:
        x->age = (uint8_t)((x->age + 1) & 3);
        break;
    case 6:
        x->received ^= 4;
        break;
    case 7:
        x->conn ^= 1;
        break;
    default:
        x->freed++;
        break;
    }
}

static void compare_end(struct bench *b, unsigned n, unsigned e, const struct channel_outs *out,
                        bool ready, const struct ofr_beat *m)
{
    same(b, n, e, "s_axis_tready", out->s_ready >> e & 1, ready);
    same(b, n, e, "m_axis_tvalid", out->m_valid >> e & 1, m->valid);
    if (!m->valid)
        return;
    same(b, n, e, "m_axis_tlast", out->m_last >> e & 1, m->last);
    same(b, n, e, "m_axis_tuser", out->m_user >> e & 1, m->user);
    same(b, n, e, "m_axis_tkeep", out->m_keep[e], m->keep);
    if (!m->user)
        same(b, n, e, "m_axis_tdata", out->m_data[e], m->data);
}

static void one_node(struct bench *b, unsigned n)
{
    static const uint16_t registers[] = {
        OFR_CHANNEL_CONTROL, OFR_CHANNEL_SELECT,   OFR_CHANNEL_PEER,  OFR_CHANNEL_COMMAND,
        OFR_CHANNEL_STATE,   OFR_CHANNEL_SENT,     OFR_CHANNEL_HEARD, OFR_CHANNEL_RECEIVED,
        OFR_CHANNEL_DROPPED, OFR_CHANNEL_HEAD,     OFR_CHANNEL_STATE, OFR_CHANNEL_SENT,
        OFR_GEN_STATUS,      OFR_CHANNEL_RECEIVED,
    };
    struct node *x = &b->node[n];
    struct ofr_channel_in min = {.config = &x->config};
    struct channel_pins in = {.me = ofr_coord_word(&x->config.me, N)};
    struct channel_outs out = {0};
    struct op op = {.offset = registers[below(b, sizeof registers / sizeof *registers)]};
    bool we = x->writes, re = x->reads;

    if (b->life && chance(b, 15))
        live(b, n);
    if (we)
        op = x->now;
    bool refused = we && ofr_channel_refused(&x->model, op.offset, op.value, &x->config);
    if (we && op.refused && !refused) // one that was to be, but now is none
        op.offset = OFR_CHANNEL_STATE;
    min.writes = we;
    x->writes = next_write(b, x, &x->now);
    x->reads = !x->writes && !b->wire && x->since >= 3 && chance(b, 500); // or a register is read
    if (x->reads)
        x->since = 0;
    in.reg_early = min.early = x->writes || x->reads;
    for (unsigned i = 0; i < N; i++)
        in.size |= (uint32_t)x->config.torus.k[i] << (5 * i);
    in.reg_we = we;
    in.reg_adr = op.offset;
    in.reg_wdat = op.value;
    min.rx = arrive(b, n);
    in.rx_valid = min.rx.valid;
    in.rx_data = min.rx.data;
    in.rx_last = min.rx.last;
    in.rx_poison = min.rx.poison;
    in.tx_ready = min.tx_ready = chance(b, b->ready);
    for (unsigned e = 0; e < ENDS; e++) {
        struct end *end = &x->end[e];
        next_beat(b, end);
        min.s[e] = end->s;
        in.s_valid |= (uint16_t)(end->s.valid << e);
        in.s_last |= (uint16_t)(end->s.last << e);
        in.s_data[e] = end->s.data;
        in.s_keep[e] = end->s.keep;
        min.m_ready[e] = chance(b, end->taking);
        in.m_ready |= (uint16_t)(min.m_ready[e] << e);
    }

    struct ofr_flit tx = ofr_channel_tx(&x->model);
    channel_rtl_eval(x->rtl, &in, &out);
    if (!alone) {
        same(b, n, 0, "tx_valid", out.tx_valid, tx.valid);
        if (tx.valid) {
            same(b, n, 0, "tx_data", out.tx_data, tx.data);
            same(b, n, 0, "tx_last", out.tx_last, tx.last);
        }
        char name[32];
        snprintf(name, sizeof name, "register %03x", op.offset);
        same(b, n, x->model.select, "reg_err", out.reg_err, refused);
        if (we || re)
            same(b, n, x->model.select, name, out.reg_rdat, ofr_channel_read(&x->model, op.offset));
    }
    int gives = ofr_channel_ready(&x->model);
    bool taken[ENDS];
    for (unsigned e = 0; e < ENDS; e++) {
        struct ofr_beat m = ofr_channel_m(&x->model, e);
        bool ready = gives == (int)e;
        if (!alone)
            compare_end(b, n, e, &out, ready, &m);
        account(b, n, e, &m, min.m_ready[e]);
        taken[e] = min.s[e].valid && ready;
        b->cov.full += min.s[e].valid && !ready && is_open(x, e);
        if (taken[e])
            given(b, x, e);
    }
    uint16_t dropped = x->model.dropped;
    uint8_t states[ENDS];
    for (unsigned e = 0; e < ENDS; e++)
        states[e] = x->model.end[e].state;
    depart(b, n, &tx, min.tx_ready);
    ofr_channel_step(&x->model, &min, we && !refused, op.offset, op.value);
    channel_rtl_clock(x->rtl);
    while (refused && x->ops && x->op[0].offset != OFR_CHANNEL_SELECT) // what builds upon it
        memmove(x->op, x->op + 1, --x->ops * sizeof *x->op);
    b->cov.refused += refused;
    b->cov.writes += we;
    b->cov.strange += x->model.dropped != dropped;
    for (unsigned e = 0; e < ENDS; e++) {
        const struct ofr_channel_end *end = &x->model.end[e];
        if ((end->state == OFR_CHANNEL_STATE_STATE_OPENING ||
             end->state == OFR_CHANNEL_STATE_STATE_LISTEN) &&
            (states[e] == OFR_CHANNEL_STATE_STATE_IDLE ||
             states[e] == OFR_CHANNEL_STATE_STATE_ENDED))
            begun(x, e);
        if (end->state != OFR_CHANNEL_STATE_STATE_ENDED || states[e] == end->state)
            continue;
        if (end->reason < 6)
            (end->told ? b->cov.told : b->cov.ended)[end->reason]++;
        if (!b->bad && end->told && end->reason == OFR_CHANNEL_STATE_REASON_CLOSED &&
            states[e] == OFR_CHANNEL_STATE_STATE_CLOSING)
            check_taken(b, n, e);
        if (b->calm && end->reason != OFR_CHANNEL_STATE_REASON_CLOSED)
            fail(b, n, e, "ended, though nothing came to harm: reason", end->reason, 0);
    }
}

// A node is reset amid all, and now and then opens again what it had.
static void reset_one(struct bench *b, unsigned n)
{
    struct node *x = &b->node[n];
    uint32_t name[ENDS];
    for (unsigned e = 0; e < ENDS; e++)
        name[e] = is_open(x, e) ? x->end[e].name : 0;
    reset(b, n);
    b->cov.resets++;
    for (unsigned e = 0; e < ENDS; e++) {
        unsigned p = name[e] & 3, f = name[e] >> 12 & 15;
        // Not where the peer has got nothing yet, or has been reset and has opened again itself: it
        // could not tell, and the ledger has both by one name
        if (!name[e] || p >= NODES || p == n || !b->node[p].model.end[f].expect ||
            !b->node[p].end[f].log[b->node[p].end[f].now].name)
            continue;
        push(x, e, OFR_CHANNEL_SELECT, e);
        push(x, e, OFR_CHANNEL_PEER, name[e]);
        push(x, e, OFR_CHANNEL_COMMAND, OFR_CHANNEL_COMMAND_OPEN);
    }
}

static void one_cycle(struct bench *b)
{
    if (b->fault >= 0 && below(b, 400) == 0)
        put_fault(b);
    for (unsigned n = 0; n < (b->wire ? 2 : NODES); n++)
        one_node(b, n);
    if (b->bad && chance(b, 4))
        forge(b, below(b, NODES));
    if (b->bad && b->life && below(b, 2500) == 0) {
        reset_one(b, below(b, NODES));
    }
    b->cycle++;
}

// ---- Runs ---------------------------------------------------------------------------------------

static void cycles(struct bench *b, unsigned count)
{
    for (unsigned i = 0; i < count && !b->failed; i++)
        one_cycle(b);
}

// Long enough for all that is under way to arrive, and for what is lost to be found out.
static void settle(struct bench *b)
{
    cycles(b, (6U << TICK) + NODES * ENDS * (ROOM + 6) * (L + 40));
}

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
        x->config.configured = true;
        x->config.torus = (struct ofr_torus){.n = N, .k = {4, 2, N == 3 ? 2 : 1}};
        x->config.me.c[0] = (uint8_t)n;
        x->config.me.c[1] = n & 1;
        x->source = -1;
        x->rtl = channel_rtl_new(seed + n);
    }
}

static void stop(struct bench *b)
{
    for (unsigned n = 0; n < NODES; n++)
        channel_rtl_delete(b->node[n].rtl);
}

static void traffic(struct bench *b)
{
    for (unsigned n = 0; n < NODES; n++)
        for (unsigned e = 0; e < ENDS; e++) {
            struct end *x = &b->node[n].end[e];
            x->pause = false;
            x->rate = chance(b, 400) ? 1000 : 20 + below(b, 980);
            x->taking = chance(b, 400) ? 1000 : chance(b, 200) ? 0 : 20 + below(b, 980);
            x->largest = chance(b, 300) ? 4 * (L - HEAD) + 3 : 1 + below(b, L);
        }
}

static void episode(struct bench *b)
{
    unsigned nth = b->episodes++; // a calm one and two bad ones at least, whatever the seed
    b->calm = nth == 0 || (nth > 2 && chance(b, 400));
    b->bad = !b->calm && (nth <= 2 || chance(b, 800));
    b->life = false;
    b->delay = 1 + below(b, 60);
    b->gap = chance(b, 500) ? 0 : below(b, 400);
    b->ready = chance(b, 500) ? 1000 : 500 + below(b, 500);
    memset(b->node[0].from, 0, sizeof b->node[0].from);
    for (unsigned n = 0; n < NODES; n++) {
        memset(b->node[n].from, 0, sizeof b->node[n].from);
        b->node[n].source = -1;
        reset(b, n);
        // Numbers come again after 256 connections; by now nobody knows those of before
        for (unsigned i = 0; i < ENDS * LOGS; i++)
            b->node[n].end[i / LOGS].log[i % LOGS].name = 0;
    }
    cycles(b, 10);
    // All ends in pairs; those that listen first
    unsigned order[NODES * ENDS];
    for (unsigned i = 0; i < NODES * ENDS; i++) {
        unsigned j = below(b, i + 1);
        order[i] = order[j];
        order[j] = i;
    }
    for (unsigned i = 0; i + 1 < NODES * ENDS; i += 2) {
        join(b, order[i] / ENDS, order[i] % ENDS, order[i + 1] / ENDS, order[i + 1] % ENDS,
             OFR_CHANNEL_COMMAND_LISTEN);
        cycles(b, 20);
    }
    for (int i = 0; i < 3; i++) {
        traffic(b);
        b->life = !b->calm;
        cycles(b, 1500 + below(b, 2000));
    }
    b->life = b->bad = false;
    b->gap = 0;
    b->ready = 1000;
    for (unsigned n = 0; n < NODES; n++)
        for (unsigned e = 0; e < ENDS; e++) {
            b->node[n].end[e].pause = true;
            b->node[n].end[e].rate = b->node[n].end[e].taking = 1000;
        }
    settle(b);
    check_rest(b);
    bool open[NODES][ENDS] = {{0}};
    for (unsigned n = 0; n < NODES && !b->failed; n++)
        for (unsigned e = 0; e < ENDS; e++)
            open[n][e] = state_of(&b->node[n], e) == OFR_CHANNEL_STATE_STATE_OPEN;
    for (unsigned i = 0; i < NODES * ENDS && !b->failed; i++) {
        unsigned n = i / ENDS, e = i % ENDS;
        if (state_of(&b->node[n], e) == OFR_CHANNEL_STATE_STATE_OPEN && chance(b, 700))
            command(&b->node[n], e, OFR_CHANNEL_COMMAND_CLOSE);
        cycles(b, 8 + 2 * b->delay);
    }
    for (unsigned n = 0; n < NODES && !b->failed; n++)
        for (unsigned e = 0; e < ENDS; e++)
            if (state_of(&b->node[n], e) == OFR_CHANNEL_STATE_STATE_OPEN)
                command(&b->node[n], e, OFR_CHANNEL_COMMAND_CLOSE);
    bool life = b->calm;
    b->calm = false; // one that its peer has closed meanwhile refuses
    settle(b);
    b->calm = life;
    check_rest(b);
    for (unsigned n = 0; n < NODES && !b->failed; n++)
        for (unsigned e = 0; e < ENDS && !b->failed; e++)
            if (open[n][e])
                check_closed(b, n, e);
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
    printf("%s %d - ofr_channel N=%d W=%d L=%d ENDS=%d ROOM=%d: %s%s\n", ok ? "ok" : "not ok",
           ++number, N, W, L, ENDS, ROOM, name, more);
    failures += !ok;
}

// ---- Long messages ------------------------------------------------------------------------------

// In a ring of streams, all of them slow at times or stopped, each node sends the next one a
// message: of a byte less than 1 MiB, of 1 MiB, of a byte more.
static int large(uint64_t seed)
{
    enum { MIB = 1 << 20, LIMIT = 8000000 };
    static struct bench bench;
    struct bench *b = &bench;
    char text[160];

    start(b, seed, -1);
    b->calm = true;
    b->delay = 1 + below(b, 60);
    b->gap = below(b, 100);
    b->ready = 900 + below(b, 100);
    for (unsigned n = 0; n < NODES; n++)
        reset(b, n);
    cycles(b, 10);
    for (unsigned n = 0; n < NODES; n++) {
        b->node[n].end[0].exact = MIB - 1 + n;
        join(b, n, 0, (n + 1) % NODES, 1, OFR_CHANNEL_COMMAND_LISTEN);
        cycles(b, 20);
    }
    cycles(b, 200 + 4 * b->delay);
    unsigned come = 0;
    while (come < NODES && b->cycle < LIMIT && !b->failed) {
        traffic(b);
        come = 0;
        for (unsigned n = 0; n < NODES; n++) {
            struct end *x = b->node[n].end;
            for (unsigned e = 0; e < ENDS; e++) // one message
                x[e].pause = e != 0 || x->log[x->now].beats;
            come += b->node[(n + 1) % NODES].end[1].got_bytes >= x->exact;
        }
        cycles(b, 500 + below(b, 1000));
    }
    if (come < NODES)
        fail(b, 0, 0, "messages that have come", come, NODES);
    settle(b);
    check_rest(b);
    for (unsigned n = 0; n < NODES; n++)
        command(&b->node[n], 0, OFR_CHANNEL_COMMAND_CLOSE);
    settle(b);
    for (unsigned n = 0; n < NODES && !b->failed; n++) {
        check_closed(b, n, 0);
        same(b, n, 0, "bytes sent", show(&b->node[n], 0, OFR_CHANNEL_SENT), MIB - 1 + n);
    }
    stop(b);
    snprintf(text, sizeof text,
             "a byte less, 1 MiB, a byte more: %" PRIu64 " messages, %" PRIu64 " bytes, %" PRIu64
             " packets, %" PRIu64 " cycles",
             b->cov.messages, b->cov.bytes, b->cov.packets, b->cycle);
    result(!b->failed && b->cov.messages == NODES, "lockstep and ledger, ", text);
    printf("1..%d\n", number);
    return failures != 0;
}

// ---- Figures ------------------------------------------------------------------------------------

// Two nodes and a wire of `delay` cycles; end e of one joined with end e of the other.
static void two_nodes(struct bench *b, uint64_t seed, unsigned delay)
{
    start(b, seed, -1);
    b->wire = true;
    b->delay = delay;
    b->calm = true;
    for (unsigned n = 0; n < 2; n++)
        reset(b, n);
    cycles(b, 8);
    for (unsigned e = 0; e < ENDS; e++) {
        join(b, 0, e, 1, e, OFR_CHANNEL_COMMAND_LISTEN);
        cycles(b, 12);
    }
    cycles(b, 200 + 4 * delay);
}

// End e of node n sends messages of so many beats without an idle cycle.
static void stream(struct bench *b, unsigned n, unsigned e, unsigned beats, bool is_taken)
{
    struct end *x = &b->node[n].end[e];
    x->rate = 1000;
    x->exact = beats * BYTES;
    b->node[!n].end[e].taking = is_taken ? 1000 : 0;
}

// Bytes that come to node n's end e within some cycles.
static void measure(struct bench *b, unsigned count, uint64_t bytes[2][ENDS])
{
    cycles(b, 4 * ROOM * L + 200);
    for (unsigned i = 0; i < 2 * ENDS; i++)
        bytes[i / ENDS][i % ENDS] = b->node[i / ENDS].end[i % ENDS].got_bytes;
    cycles(b, count);
    for (unsigned i = 0; i < 2 * ENDS; i++)
        bytes[i / ENDS][i % ENDS] =
            b->node[i / ENDS].end[i % ENDS].got_bytes - bytes[i / ENDS][i % ENDS];
}

// Share of a link's flits that are a message's of so many flits, by README.md; both: as much goes
// the other way, and a packet of credit for each.
static double share(unsigned flits, bool both)
{
    unsigned packets = (flits + L - HEAD - 1) / (L - HEAD);
    return (double)flits / (flits + packets * (HEAD + (both ? W == 16 ? 8U : 4U : 0)));
}

static void figures(uint64_t seed)
{
    enum { DELAY = 16, COUNT = 20000 };
    static struct bench bench;
    struct bench *b = &bench;
    uint64_t bytes[2][ENDS];
    const unsigned kib = 1024 / BYTES;
    char text[160];

    two_nodes(b, seed, DELAY);
    b->node[0].end[0].exact = BYTES;
    b->node[0].end[0].left = 0;
    stream(b, 0, 0, 1, true);
    b->node[0].end[0].pause = true;
    next_beat(b, &b->node[0].end[0]);
    b->node[0].end[0].pause = false;
    uint64_t from = b->cycle;
    while (!b->node[1].end[0].got_bytes && b->cycle < from + 200 && !b->failed) {
        one_cycle(b);
        b->node[0].end[0].pause = true;
    }
    unsigned latency = (unsigned)(b->cycle - 1 - from - DELAY);
    snprintf(text, sizeof text, "%u cycles besides the fabric's, from TVALID to TVALID", latency);
    result(!b->failed && latency <= 12, "latency of a beat: ", text);
    stop(b);

    // Credit for a round trip, and for the packet that is being gathered and the one being taken
    bool is_roomy = (ROOM - 2) * L >= 2 * DELAY + 40;
    for (int both = 0; both < 2; both++) {
        two_nodes(b, seed, DELAY);
        stream(b, 0, 0, kib, true);
        if (both)
            stream(b, 1, 0, kib, true);
        measure(b, COUNT, bytes);
        // Both ways a credit waits behind a packet under way, now and then for want of it too
        double have = (double)bytes[1][0] / BYTES / COUNT, want = share(kib, both);
        double bar = both ? 0.95 * want : 0.99 * want;
        snprintf(text, sizeof text, "%.1f%% of the link's flits, headers leave %.1f%%", 100 * have,
                 100 * want);
        result(!b->failed && (!is_roomy || have >= bar) && (W != 32 || L != 128 || have >= 0.85),
               both ? "1 KiB messages, both ways: " : "1 KiB messages, one way: ", text);
        stop(b);
    }

    for (int stopped = 0; stopped < (ENDS > 1 ? 2 : 0); stopped++) {
        two_nodes(b, seed, DELAY);
        for (unsigned e = 0; e < ENDS; e++)
            stream(b, 0, e, L - HEAD, e != 0 || !stopped);
        measure(b, COUNT, bytes);
        double sum = 0, squares = 0;
        unsigned count = 0;
        for (unsigned e = stopped ? 1 : 0; e < ENDS; e++, count++) {
            sum += (double)bytes[1][e];
            squares += (double)bytes[1][e] * (double)bytes[1][e];
        }
        double jain = count ? sum * sum / (count * squares) : 1;
        double all = sum / BYTES / COUNT, want = share(L - HEAD, false);
        snprintf(text, sizeof text, "Jain %.3f, %.1f%% of the link's flits, headers leave %.1f%%",
                 jain, 100 * all, 100 * want);
        result(!b->failed && jain >= 0.95 && all >= 0.95 * want && (!stopped || !bytes[1][0]),
               stopped ? "one consumer stopped, the others: " : "all ends at once: ", text);
        stop(b);
    }
}

int main(int argc, char **argv)
{
    const char *env = getenv("SEED");
    bool is_large = argc > 1 && strcmp(argv[1], "large") == 0;
    uint64_t most = argc > 1 ? strtoull(argv[1], NULL, 0) : 700000;
    uint64_t seed = strtoull(argc > 2 ? argv[2] : env ? env : "1", NULL, 0);
    struct coverage c;

    setvbuf(stdout, NULL, _IOLBF, 0);
    if (is_large) {
        printf("# seed %" PRIu64 "; again: %s large %" PRIu64 "\n", seed, argv[0], seed);
        return large(seed);
    }
    printf("# seed %" PRIu64 ", %" PRIu64 " cycles of %d nodes; again: %s %" PRIu64 " %" PRIu64
           "\n",
           seed, most, NODES, argv[0], most, seed);
    result(run(most, seed, -1, &c), "lockstep and ledger", "");
    printf("# beats %" PRIu64 ", messages %" PRIu64 " (empty %" PRIu64 ", of a byte %" PRIu64
           "), bytes %" PRIu64 ", packets %" PRIu64 ", cycles that a consumer waits %" PRIu64
           ", a sender %" PRIu64 "\n",
           c.beats, c.messages, c.empty_messages, c.one_byte, c.bytes, c.packets, c.stopped,
           c.full);
    printf("# lost %" PRIu64 ", poisoned %" PRIu64 ", cut %" PRIu64 ", forged %" PRIu64
           ", dropped %" PRIu64 ", resets %" PRIu64 ", writes %" PRIu64 ", refused %" PRIu64
           ", beats thrown away %" PRIu64 ", closed with all counts equal %" PRIu64 "\n",
           c.lost, c.poisoned, c.cut, c.forged, c.strange, c.resets, c.writes, c.refused, c.skipped,
           c.exact);
    bool all = c.beats && c.messages && c.empty_messages && c.one_byte && c.stopped && c.full &&
               c.lost && c.poisoned && c.cut && c.forged && c.strange && c.resets && c.refused &&
               c.skipped && c.exact;
    for (unsigned i = 0; i < 6; i++) {
        printf("# ended, reason %u: %" PRIu64 ", told %" PRIu64 "\n", i, c.ended[i], c.told[i]);
        all = all && c.ended[i] && (c.told[i] || i == OFR_CHANNEL_STATE_REASON_SILENT);
    }
    result(all, "everything was exercised", "");
    figures(seed);
    for (int i = 0; i < FAULTS && !alone; i++)
        result(!run(most, seed, i, NULL), "found a wrong ", faults[i]);
    printf("1..%d\n", number);
    return failures != 0;
}
