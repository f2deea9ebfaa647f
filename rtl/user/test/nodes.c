// SPDX-License-Identifier: Apache-2.0
// lint-flags: -DW=32 -DENDS=4
#include "nodes.h"

#include <inttypes.h>
#include <string.h>

void fail(struct bench *b, unsigned n, const char *what, uint64_t is, uint64_t should)
{
    if (b->failures++ < 10)
        printf("# cycle %" PRIu64 ", node %u: %s: %" PRIx64 ", not %" PRIx64 "\n", b->cycle, n,
               what, is, should);
}

static unsigned peer(unsigned n, unsigned e) // whose end e ^ 1 it is
{
    return e % 2 == 0 ? (n + 1) % NODES : (n + NODES - 1) % NODES;
}

static struct ofr_beat given(const struct node *x, unsigned e)
{
    return (struct ofr_beat){
        .data = x->out.m_data[e],
        .keep = x->out.m_keep[e],
        .valid = x->out.m_valid >> e & 1,
        .last = x->out.m_last >> e & 1,
    };
}

// ---- What joins them ----------------------------------------------------------------------------

static void offer(struct node *x, unsigned e, const struct ofr_beat *beat)
{
    x->in.s_valid |= (uint16_t)(1U << e);
    x->in.s_last |= (uint16_t)(beat->last << e);
    x->in.s_user |= (uint16_t)(beat->user << e);
    x->in.s_data[e] = beat->data;
    x->in.s_keep[e] = beat->keep;
}

static void prepare(struct bench *b, unsigned n)
{
    struct node *x = &b->node[n];
    x->in.s_valid = x->in.s_last = x->in.s_user = x->in.m_ready = 0;
    for (unsigned e = 0; e < ENDS; e++) {
        x->in.s_data[e] = rng_next(&b->rng);
        x->in.s_keep[e] = (uint8_t)rng_next(&b->rng);
        if (b->channels) {
            struct ofr_beat m = ofr_channels_m(&x->channels, e);
            if (m.valid)
                offer(x, e, &m);
        } else {
            x->offered[e] = x->way[e].valid && (x->offered[e] || !rng_chance(&b->rng, b->slow));
            if (x->offered[e])
                offer(x, e, &x->way[e]);
            if (!b->node[peer(n, e)].way[e ^ 1].valid && !rng_chance(&b->rng, b->slow))
                x->in.m_ready |= (uint16_t)(1U << e);
        }
    }
    if (b->channels && ofr_channels_ready(&x->channels) >= 0)
        x->in.m_ready = (uint16_t)(1U << ofr_channels_ready(&x->channels));
}

static void through_wires(struct bench *b, unsigned n)
{
    struct node *x = &b->node[n];
    for (unsigned e = 0; e < ENDS && !x->in.rst; e++) {
        struct ofr_beat beat = given(x, e);
        if (x->in.s_valid >> e & x->out.s_ready >> e & 1)
            x->way[e].valid = x->offered[e] = false;
        if (beat.valid && x->in.m_ready >> e & 1) {
            b->beats++;
            if (rng_chance(&b->rng, b->flips))
                beat.data ^= (uint64_t)1 << rng_below(&b->rng, W);
            b->node[peer(n, e)].way[e ^ 1] = beat;
        }
    }
}

static void depart(struct bench *b, struct node *x, const struct ofr_flit *f)
{
    x->sent.flit[x->sent.flits++] = f->data;
    if (!f->last)
        return;
    struct node *to = &b->node[x->sent.flit[0] & 1];
    if (x->sent.flit[0] & 0x10)
        to += 2;
    if (to->count == PACKETS)
        fail(b, 0, "packets on the way", PACKETS, PACKETS - 1);
    else
        to->queue[(to->first + to->count++) % PACKETS] = x->sent;
    x->sent.flits = 0;
}

static void through_channels(struct bench *b, unsigned n)
{
    struct node *x = &b->node[n];
    struct ofr_channels_in in = {.pins = &x->pins, .config = &x->config};
    for (unsigned e = 0; e < ENDS; e++) {
        x->pins.s[e] = x->in.rst ? (struct ofr_beat){0} : given(x, e);
        x->pins.m_ready[e] = x->out.s_ready >> e & 1;
        b->beats += x->pins.s[e].valid && x->in.m_ready >> e & 1;
    }
    struct ofr_flit tx = ofr_channels_tx(&x->channels);
    in.tx_ready = !rng_chance(&b->rng, b->slow);
    if (tx.valid && in.tx_ready)
        depart(b, x, &tx);
    if (x->count && !rng_chance(&b->rng, b->slow)) {
        const struct packet *p = &x->queue[x->first];
        in.rx.valid = true;
        in.rx.data = p->flit[x->flit++];
        in.rx.last = x->flit == p->flits;
        if (in.rx.last) {
            x->first = (x->first + 1) % PACKETS;
            x->count--;
            x->flit = 0;
        }
    }
    ofr_channels_step(&x->channels, &in);
}

// ---- Pins and registers, whatever the program does ----------------------------------------------

static void watch_pins(struct bench *b, unsigned n)
{
    struct node *x = &b->node[n];
    bool silent = x->quiet > 2;
    for (unsigned e = 0; e < ENDS; e++) {
        bool valid = x->out.m_valid >> e & 1, before = x->was.m_valid >> e & 1;
        bool taken = before && x->was_ready >> e & 1;
        if (x->was_reset)
            continue;
        if (before && !taken &&
            (!valid || x->out.m_data[e] != x->was.m_data[e] ||
             x->out.m_keep[e] != x->was.m_keep[e] || ((x->out.m_last ^ x->was.m_last) >> e & 1)))
            fail(b, n, "a beat that nobody took has changed", e, 0);
        if (silent && valid && (!before || taken))
            fail(b, n, "a beat of a program that is held", e, 0);
        if (silent && x->out.s_ready >> e & 1)
            fail(b, n, "TREADY of a program that is held", e, 0);
    }
    x->was = x->out;
    x->was_ready = x->in.m_ready;
    x->was_reset = x->in.rst;
    x->quiet = x->run || x->drain || x->in.rst ? 0 : x->quiet + 1;
}

// The register that was looked at in this cycle must have said this.
static void watch_register(struct bench *b, unsigned n)
{
    struct node *x = &b->node[n];
    uint32_t is = x->out.reg_rdat;
    b->checks++;
    switch (x->in.reg_adr) {
    case OFR_USER_SHAPE:
        if (is != (14U << OFR_USER_SHAPE_RAM_LSB | ENDS))
            fail(b, n, "SHAPE", is, 14U << OFR_USER_SHAPE_RAM_LSB | ENDS);
        break;
    case OFR_USER_CONTROL:
        if (is != (unsigned)(x->drain << 1 | x->run))
            fail(b, n, "CONTROL", is, (unsigned)(x->drain << 1 | x->run));
        break;
    case OFR_USER_MEM_ADDR:
        if (is != x->mem_addr)
            fail(b, n, "MEM_ADDR", is, x->mem_addr);
        break;
    case OFR_USER_STATE: {
        unsigned s = is & OFR_USER_STATE_STATE_MASK;
        if ((s == OFR_USER_STATE_STATE_HELD) == x->run || s == 3 ||
            (x->stopped && s != OFR_USER_STATE_STATE_STOPPED))
            fail(b, n, "STATE", is, x->run);
        x->stopped = s == OFR_USER_STATE_STATE_STOPPED;
        break;
    }
    default:
        break;
    }
}

static void written(struct node *x)
{
    uint32_t value = x->in.reg_wdat;
    if (!x->in.reg_we || x->out.reg_err)
        return;
    if (x->in.reg_adr == OFR_USER_CONTROL) {
        x->stopped = x->stopped && (value & 1);
        x->quiet = 0;
        x->run = value & 1;
        x->drain = value >> 1 & 1;
    } else if (x->in.reg_adr == OFR_USER_MEM_ADDR) {
        x->mem_addr = value;
    } else if (x->in.reg_adr == OFR_USER_MEM_DATA) {
        x->mem_addr += 4;
    }
}

void step(struct bench *b, unsigned reset)
{
    static const uint16_t look[] = {OFR_USER_SHAPE, OFR_USER_CONTROL, OFR_USER_STATE,
                                    OFR_USER_MEM_ADDR};
    for (unsigned n = 0; n < NODES; n++) {
        struct node *x = &b->node[n];
        x->in.rst = reset >> n & 1;
        if (!x->in.reg_we && !x->in.reg_adr) // no access: any may be looked at
            x->in.reg_adr = look[rng_below(&b->rng, 4)];
        prepare(b, n);
        user_rtl_eval(x->rtl, &x->in, &x->out);
        if (!x->in.rst)
            watch_register(b, n);
        watch_pins(b, n);
    }
    for (unsigned n = 0; n < NODES; n++) {
        struct node *x = &b->node[n];
        if (b->channels)
            through_channels(b, n);
        else
            through_wires(b, n);
        user_rtl_clock(x->rtl);
        written(x);
        if (x->in.rst) {
            x->run = x->drain = x->stopped = false;
            x->mem_addr = 0;
        }
        x->in.reg_we = 0;
        x->in.reg_adr = 0;
        x->in.reg_wdat = (uint32_t)rng_next(&b->rng);
    }
    b->cycle++;
}

void steps(struct bench *b, unsigned count)
{
    while (count--)
        step(b, 0);
}

// ---- The board's accesses -----------------------------------------------------------------------

uint32_t reads(struct bench *b, unsigned n, unsigned offset)
{
    b->node[n].in.reg_adr = (uint16_t)offset;
    step(b, 0);
    uint32_t value = b->node[n].out.reg_rdat;
    steps(b, 2 + rng_below(&b->rng, 2));
    return value;
}

bool writes(struct bench *b, unsigned n, unsigned offset, uint32_t value)
{
    b->node[n].in.reg_adr = (uint16_t)offset;
    b->node[n].in.reg_we = 1;
    b->node[n].in.reg_wdat = value;
    step(b, 0);
    bool taken = !b->node[n].out.reg_err;
    steps(b, 2 + rng_below(&b->rng, 2));
    return taken;
}

void load(struct bench *b, unsigned n, uint32_t address, const uint32_t *word, unsigned words)
{
    bool good = writes(b, n, OFR_USER_CONTROL, 0) && writes(b, n, OFR_USER_MEM_ADDR, address);
    for (unsigned i = 0; i < words; i++)
        good = writes(b, n, OFR_USER_MEM_DATA, word[i]) && good;
    if (!good)
        fail(b, n, "a load is refused", address, words);
}

uint32_t peek(struct bench *b, unsigned n, uint32_t address)
{
    if (!writes(b, n, OFR_USER_MEM_ADDR, address))
        fail(b, n, "MEM_ADDR is refused", address, RAM);
    return reads(b, n, OFR_USER_MEM_DATA);
}

unsigned state(struct bench *b, unsigned n)
{
    return reads(b, n, OFR_USER_STATE) & OFR_USER_STATE_STATE_MASK;
}

unsigned cause(struct bench *b, unsigned n)
{
    return (reads(b, n, OFR_USER_STATE) & OFR_USER_STATE_CAUSE_MASK) >> OFR_USER_STATE_CAUSE_LSB;
}

unsigned console(struct bench *b, unsigned n, char *text, unsigned room)
{
    unsigned got = 0, none = 0;
    while (got + 1 < room && none < 2) { // what waits comes within a few cycles
        unsigned count = reads(b, n, OFR_USER_CONSOLE) & OFR_USER_CONSOLE_COUNT_MASK;
        uint32_t data = reads(b, n, OFR_USER_CONSOLE_DATA);
        unsigned take = count ? 1 + rng_below(&b->rng, count) : 0;
        take = take < room - 1 - got ? take : room - 1 - got;
        none = count ? 0 : none + 1;
        if (count && !writes(b, n, OFR_USER_CONSOLE, take))
            fail(b, n, "the console is refused", take, count);
        for (unsigned i = 0; i < take; i++)
            text[got++] = (char)(data >> 8 * i);
    }
    text[got] = 0;
    return got;
}

// ---- From the start, and anew -------------------------------------------------------------------

static void command(struct bench *b, unsigned n, unsigned offset, uint32_t value)
{
    if (!ofr_channels_write(&b->node[n].channels, offset, value, &b->node[n].config))
        fail(b, n, "a channel's register is refused", offset, value);
}

static uint32_t of_channel(struct bench *b, unsigned n, unsigned e, unsigned offset)
{
    command(b, n, OFR_CHANNEL_SELECT, e);
    return ofr_channels_read(&b->node[n].channels, offset);
}

static uint32_t name(const struct bench *b, unsigned n, unsigned e, unsigned conn)
{
    return ofr_coord_word(&b->node[n].config.me, 2) | e << OFR_CHANNEL_PEER_END_LSB |
           conn << OFR_CHANNEL_PEER_CONN_LSB;
}

static bool is_free(struct bench *b, unsigned n, unsigned e)
{
    return of_channel(b, n, e, OFR_CHANNEL_STATE) & OFR_CHANNEL_STATE_FREE_MASK;
}

void abort_channel(struct bench *b, unsigned n)
{
    unsigned s = of_channel(b, n, 0, OFR_CHANNEL_STATE) & OFR_CHANNEL_STATE_STATE_MASK;
    if (s != OFR_CHANNEL_STATE_STATE_IDLE && s != OFR_CHANNEL_STATE_STATE_ENDED)
        command(b, n, OFR_CHANNEL_COMMAND, OFR_CHANNEL_COMMAND_ABORT);
}

static void join(struct bench *b)
{
    unsigned conn = rng_below(&b->rng, 256);
    for (unsigned n = 0; n < NODES; n++) {
        unsigned to = peer(n, 0);
        command(b, to, OFR_CHANNEL_SELECT, 1);
        command(b, to, OFR_CHANNEL_PEER, name(b, n, 0, conn));
        command(b, to, OFR_CHANNEL_COMMAND, OFR_CHANNEL_COMMAND_LISTEN);
        command(b, n, OFR_CHANNEL_SELECT, 0);
        command(b, n, OFR_CHANNEL_PEER, name(b, to, 1, conn));
        command(b, n, OFR_CHANNEL_COMMAND, OFR_CHANNEL_COMMAND_OPEN);
    }
}

static bool is_settled(struct bench *b)
{
    bool yes = true;
    for (unsigned n = 0; n < NODES; n++) {
        yes = yes && !b->node[n].count && !b->node[n].sent.flits;
        yes = yes && !(reads(b, n, OFR_USER_STATE) & OFR_USER_STATE_MID_MASK);
        for (unsigned e = 0; e < ENDS; e++) {
            if (b->channels && e < 2)
                yes = yes && is_free(b, n, e);
            yes = yes && !b->node[n].way[e].valid;
        }
    }
    return yes;
}

void settle(struct bench *b)
{
    for (unsigned n = 0; n < NODES; n++) {
        writes(b, n, OFR_USER_CONTROL, 0);
        if (b->channels)
            abort_channel(b, n);
        if (b->channels && !is_free(b, n, 1))
            if ((of_channel(b, n, 1, OFR_CHANNEL_STATE) & OFR_CHANNEL_STATE_STATE_MASK) !=
                OFR_CHANNEL_STATE_STATE_ENDED)
                command(b, n, OFR_CHANNEL_COMMAND, OFR_CHANNEL_COMMAND_ABORT);
        writes(b, n, OFR_USER_CONTROL, OFR_USER_CONTROL_DRAIN_MASK);
    }
    // An answer may still come of a packet that has just come
    unsigned tries = 0;
    for (unsigned good = 0; good < 4 && tries++ < 1000; steps(b, 20))
        good = is_settled(b) ? good + 1 : 0;
    if (tries >= 1000)
        fail(b, 0, "it does not settle", 0, 1);
    for (unsigned n = 0; n < NODES; n++)
        writes(b, n, OFR_USER_CONTROL, 0);
    if (b->channels)
        join(b);
}

void bench_begin(struct bench *b, uint64_t seed, bool channels)
{
    static const struct ofr_channel_shape shape = {
        .n = 2, .flit_bits = W, .slot_flits = L, .ends = ENDS, .room = 2};
    memset(b, 0, sizeof *b);
    b->rng.state = b->seed = seed;
    b->channels = channels;
    b->slow = rng_below(&b->rng, 4) * 250;
    for (unsigned n = 0; n < NODES; n++) {
        struct node *x = &b->node[n];
        x->rtl = user_rtl_new(rng_next(&b->rng));
        x->config.torus.n = 2;
        x->config.torus.k[0] = x->config.torus.k[1] = 2;
        x->config.me.c[0] = n & 1;
        x->config.me.c[1] = n >> 1;
        if (!ofr_channels_init(&x->channels, &shape, 0))
            fail(b, n, "the channels' shape", 0, 1);
        x->was_reset = true;
    }
    for (unsigned i = 0; i < 4; i++)
        step(b, 15);
    if (channels) {
        steps(b, 4);
        join(b);
    }
}

void bench_end(struct bench *b)
{
    for (unsigned n = 0; n < NODES; n++)
        user_rtl_delete(b->node[n].rtl);
}
