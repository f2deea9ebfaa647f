// SPDX-License-Identifier: Apache-2.0
// ofr_local against struct ofr_local in lockstep: random register accesses, random li_ready, random
// deliveries (good, damaged, cut, poisoned, management, for others). Every output pin every cycle
// and every register read is compared. Build with -DN= -DW= -DL= -DWITHOUT=, once for each
// Verilated shape.
//
//   lockstep [CYCLES [SEED]]   SEED also from the environment; on a mismatch: cycle, pin, values
//
// After that each fault of `faults` is put into the model: it must be found.
#include "local.h"
#include "local_shim.h"
#include "packet.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef N // for tools that read this file alone
#define N       3
#define W       32
#define L       40
#define WITHOUT 0
#endif

enum { MAX_FLITS = 64, QUEUE = 8, EPISODE = 3000 };

static const unsigned MIN_FLITS = W == 64 ? 4 : 256 / W;

// What was exercised; a run that leaves one at 0 fails.
struct coverage {
    uint64_t pattern[9], sent, back_to_back, preempted, received, errors, arrived, counted, dropped;
    uint64_t full, mgmt_sent, refused, done, disabled, bins;
    // By the destination table: headers by mode (users', management's), IDN this node, changed, a
    // header whose entry was written while it waited
    uint64_t mode[2][5], idn_here, pinned, rewritten;
    uint64_t headers, forged; // of user packets, by the RTL's pins; that say they are management
};

struct packet {
    uint64_t flit[MAX_FLITS + 8];
    unsigned flits;
    bool poison;
};

struct bench {
    uint64_t rng;
    struct local_rtl *rtl;
    struct ofr_local model;
    struct ofr_config config;
    uint32_t now;
    uint64_t cycle;
    unsigned since_strobe;
    // Local port, in: the packet under way
    bool li_inside, ends_here; // a user packet's tail left in the cycle before
    unsigned li_vc, ready_chance;
    struct packet sent;        // being collected
    struct packet loop[QUEUE]; // packets the generator sent, to be delivered again
    unsigned loops;
    // Local port, out
    struct packet lo;
    unsigned lo_index;
    unsigned lo_chance, gap_chance, access_chance;
    // Register accesses still to do in order (a burst)
    int bins_to_read, pins_to_write;
    bool to_send;   // TX_SEND follows
    bool to_aim;    // the entry of what was sent follows
    bool to_commit; // the banks of the destination table change places
    int fault;      // -1: none
    bool failed, quiet;
    struct coverage cov;
};

static uint64_t draw(struct bench *b) // xorshift64*
{
    b->rng ^= b->rng >> 12;
    b->rng ^= b->rng << 25;
    b->rng ^= b->rng >> 27;
    return b->rng * 0x2545f4914f6cdd1dULL;
}

static unsigned below(struct bench *b, unsigned n)
{
    return (unsigned)((draw(b) >> 33) % n);
}

static bool chance(struct bench *b, unsigned percent)
{
    return below(b, 100) < percent;
}

static uint32_t word32(struct bench *b)
{
    return (uint32_t)(draw(b) >> 32);
}

// Up to 32 bits, each length as likely as any other.
static uint32_t any_length(struct bench *b)
{
    return word32(b) >> below(b, 32);
}

// ---- Packets, written down again from the documentation -----------------------------------------

static void put_word(struct packet *p, unsigned i, unsigned value)
{
    unsigned flit = i * 16 / W, shift = i * 16 % W;
    p->flit[flit] &= ~((uint64_t)0xffff << shift);
    p->flit[flit] |= (uint64_t)value << shift;
}

static uint64_t galois(uint64_t p)
{
    uint64_t top = (uint64_t)1 << (W - 1), taps = W == 16 ? 0x2d : W == 32 ? 0x400007 : 0x1b;
    uint64_t next = (p & (top - 1)) << 1;
    return p & top ? next ^ taps : next;
}

static void make_generator_packet(struct bench *b, struct packet *p, unsigned target, unsigned leg,
                                  unsigned kind, uint32_t stamp, unsigned flits)
{
    unsigned source = word32(b) & 0xfff, seq = word32(b) & 0xffff;
    memset(p, 0, sizeof *p);
    p->flits = flits;
    put_word(p, 0, target | below(b, 3) << 12 | leg << 14);
    put_word(p, 1, word32(b) & 0xffff);
    put_word(p, 2, source | kind << 12);
    put_word(p, 3, seq);
    put_word(p, 4, stamp & 0xffff);
    put_word(p, 5, stamp >> 16);
    uint64_t state;
    if (W == 64) {
        uint64_t bound = p->flit[0] >> 32;
        state = (~bound & 0xffffffffU) << 32 | bound;
        p->flit[1] |= state & 0xffffffff00000000U;
        state = galois(state) ^ stamp;
    } else {
        state = p->flit[32 / W];
        for (unsigned i = 32 / W + 1; i < 96 / W; i++)
            state = galois(state) ^ p->flit[i];
    }
    for (unsigned i = W == 64 ? 2 : 96 / W; i < flits; i++) {
        p->flit[i] = (i + 1 == flits ? ~state : state) & (~(uint64_t)0 >> (64 - W));
        state = galois(state);
    }
}

static unsigned my_word(const struct bench *b)
{
    return ofr_coord_word(&b->config.me, N);
}

static void damage(struct bench *b, struct packet *p)
{
    switch (below(b, 5)) {
    case 0:
        p->flit[below(b, p->flits)] ^= (uint64_t)1 << below(b, W);
        break;
    case 1: // cut short
        p->flits = 1 + below(b, p->flits);
        break;
    case 2: // run on
        p->flit[p->flits] = draw(b) & (~(uint64_t)0 >> (64 - W));
        p->flits++;
        break;
    case 3: { // two flits swapped
        unsigned i = below(b, p->flits), j = below(b, p->flits);
        uint64_t t = p->flit[i];
        p->flit[i] = p->flit[j];
        p->flit[j] = t;
        break;
    }
    default:
        p->poison = true;
        p->flits = 1 + below(b, p->flits);
        break;
    }
}

static void next_delivery(struct bench *b)
{
    struct packet *p = &b->lo;
    unsigned target = chance(b, 92) ? my_word(b) : word32(b) & (N == 3 ? 0xfff : 0xff);
    unsigned kind = below(b, 10);
    if (kind < 3 && b->loops) { // what the generator sent, as it would arrive
        *p = b->loop[--b->loops];
        put_word(p, 0, ((unsigned)p->flit[0] & 0xf000) | target);
    } else if (kind < 6) {
        unsigned flits = MIN_FLITS + below(b, L - MIN_FLITS + 1);
        if (chance(b, 60))
            flits = MIN_FLITS;
        unsigned what = chance(b, 95) ? OFR_PKT_KIND_GEN : below(b, 16);
        make_generator_packet(b, p, target, !chance(b, 4), what, b->now - any_length(b), flits);
    } else {
        memset(p, 0, sizeof *p);
        p->flits = chance(b, 90) ? 256 / W : 1 + below(b, L);
        for (unsigned i = 0; i < p->flits; i++)
            p->flit[i] = draw(b) & (~(uint64_t)0 >> (64 - W));
        put_word(p, 0, target | (chance(b, 50) ? 3U << 12 : below(b, 4) << 12) | 3U << 14);
    }
    if (chance(b, 8))
        damage(b, p);
    b->lo_index = 0;
}

// ---- Register accesses --------------------------------------------------------------------------

static const uint16_t READABLE[] = {
    OFR_NI_STATUS,      OFR_NI_RX_DATA,   OFR_GEN_CONTROL,  OFR_GEN_START,
    OFR_GEN_PERIOD,     OFR_GEN_MESSAGES, OFR_GEN_LENGTH,   OFR_GEN_SEED,
    OFR_GEN_TARGET,     OFR_GEN_STATUS,   OFR_GEN_OFFERED,  OFR_GEN_SENT,
    OFR_CHECK_CONTROL,  OFR_CHECK_FROM,   OFR_CHECK_TO,     OFR_CHECK_RECEIVED,
    OFR_CHECK_ARRIVED,  OFR_CHECK_ERRORS, OFR_CHECK_COUNT,  OFR_CHECK_SUM_LOW,
    OFR_CHECK_SUM_HIGH, OFR_CHECK_MAX,    OFR_CHECK_BIN,    OFR_CHECK_BIN_COUNT,
    OFR_NODE_TIME,      OFR_NI_TX_HEAD,   OFR_PINS_CONTROL, OFR_PINS_CLEAR,
    OFR_PINS_ADDR,      OFR_PINS_DATA,
};

// A random entry of the destination table: now and then a mode that does not exist, or this node.
static uint32_t any_entry(struct bench *b)
{
    uint32_t q = chance(b, 40) ? my_word(b) : word32(b) & 0xfff;
    return q | (chance(b, 97) ? below(b, 5) : 5 + below(b, 3)) << OFR_PINS_DATA_MODE_LSB |
           (word32(b) & 0xffff8000);
}

// What waits at the port, or will: management's where there is no generator.
static struct ofr_flit *port_flit(struct bench *b)
{
    struct ofr_local *m = &b->model;
    return m->ni_turn || WITHOUT & OFR_WITHOUT_GEN ? &m->ni.out : &m->user;
}

static void random_write(struct bench *b, struct local_pins *in)
{
    uint32_t v = word32(b);
    unsigned adr;
    switch (below(b, 32)) {
    case 0:
    case 1:
        adr = OFR_GEN_CONTROL;
        v = (uint32_t)chance(b, 80) | below(b, 4) << 4 | below(b, chance(b, 95) ? 9 : 16) << 8;
        break;
    case 2:
        adr = OFR_GEN_START;
        v = b->now + below(b, 200) - 60;
        break;
    case 3:
        adr = OFR_GEN_PERIOD;
        v = word32(b) >> (14 + below(b, 18));
        break;
    case 4:
        adr = OFR_GEN_MESSAGES;
        v = chance(b, 30) ? 0 : below(b, 40);
        break;
    case 5:
        adr = OFR_GEN_LENGTH;
        v = (chance(b, 80) ? MIN_FLITS + below(b, L - MIN_FLITS + 1) : below(b, L + 4)) |
            (chance(b, 50) ? 1 : below(b, 5)) << 16;
        break;
    case 6:
        adr = OFR_GEN_SEED;
        if (chance(b, 10))
            v = 0x9e3779b9;
        break;
    case 7:
        adr = OFR_GEN_TARGET;
        if (chance(b, 60))
            v = b->model.pins.addr - 1U - below(b, 8);
        break;
    case 8:
        adr = chance(b, 10) ? OFR_CHECK_CONTROL : OFR_CHECK_BIN;
        break;
    case 9:
        adr = OFR_CHECK_FROM;
        v = b->now - below(b, 4000) + 1000;
        break;
    case 10:
        adr = OFR_CHECK_TO;
        v = b->now - below(b, 4000) + 3000;
        break;
    case 11:
        adr = OFR_CHECK_BIN;
        v = below(b, 256);
        break;
    case 12:
    case 28:
    case 29:
    case 30:
    case 31:
        adr = OFR_NI_TX_HEAD;
        if (chance(b, 60)) // to a destination whose entry was just written
            v = (v & ~0xfffU) | ((b->model.pins.addr - 1U - below(b, 8)) & 0xfff);
        b->to_send = chance(b, 70);
        break;
    case 24: // the entry of a packet that is on its way
        adr = OFR_PINS_ADDR;
        v = chance(b, 70) ? (uint32_t)port_flit(b)->data : b->model.gen.dest;
        b->pins_to_write = chance(b, 80) ? 1 + (int)below(b, 20) : 0;
        break;
    case 25:
    case 26:
        adr = OFR_PINS_DATA;
        v = any_entry(b);
        break;
    case 27:
        adr = chance(b, 3) ? OFR_PINS_CLEAR : OFR_PINS_CONTROL;
        v = (v & ~1U) | chance(b, 85);
        break;
    case 13:
    case 14:
    case 15:
    case 16:
        adr = OFR_NI_TX_DATA;
        break;
    case 17:
        adr = OFR_NI_TX_SEND;
        break;
    case 18:
    case 19:
    case 20:
    case 21:
    case 22:
        adr = OFR_NI_RX_NEXT;
        break;
    default:
        adr = READABLE[below(b, sizeof READABLE / sizeof *READABLE)];
        if (adr == OFR_CHECK_CONTROL)
            adr = OFR_CHECK_RECEIVED;
        break;
    }
    in->reg_we = 1;
    in->reg_adr = (uint16_t)adr;
    in->reg_wdat = v;
}

static void random_access(struct bench *b, struct local_pins *in)
{
    b->since_strobe++;
    if (b->since_strobe < 3)
        return;
    if (b->bins_to_read > 0) {
        b->bins_to_read--;
        in->reg_re = 1;
        in->reg_adr = OFR_CHECK_BIN_COUNT;
    } else if (b->pins_to_write > 0) {
        b->to_commit = !--b->pins_to_write && chance(b, 70);
        in->reg_we = 1;
        in->reg_adr = OFR_PINS_DATA;
        in->reg_wdat = any_entry(b);
    } else if (b->to_commit) {
        b->to_commit = false;
        in->reg_we = 1;
        in->reg_adr = OFR_PINS_CONTROL;
        in->reg_wdat = 1;
    } else if (b->to_send && chance(b, 30)) {
        b->to_send = false;
        b->to_aim = chance(b, 30);
        in->reg_we = 1;
        in->reg_adr = OFR_NI_TX_SEND;
    } else if (b->to_aim && chance(b, 30)) {
        b->to_aim = false;
        b->pins_to_write = 1;
        in->reg_we = 1;
        in->reg_adr = OFR_PINS_ADDR;
        in->reg_wdat = (uint32_t)b->model.ni.out.data;
    } else if (chance(b, b->access_chance)) {
        in->reg_re = 1;
        in->reg_adr = READABLE[below(b, sizeof READABLE / sizeof *READABLE)];
        if (chance(b, 25))
            in->reg_adr = OFR_NI_RX_DATA; // eight of them a packet
        else if (chance(b, 3))
            b->bins_to_read = 256;
    } else if (chance(b, b->access_chance)) {
        random_write(b, in);
    }
    if (in->reg_re || in->reg_we)
        b->since_strobe = 0;
}

// ---- Faults: one bit of the model's state, flipped now and then ---------------------------------

static const struct {
    const char *name;
    unsigned of;    // the part that it is in, OFR_WITHOUT_*
    unsigned every; // cycles on average
} faults[] = {
    {"destination LFSR", OFR_WITHOUT_GEN, 200},
    {"time stamp", OFR_WITHOUT_GEN, 200},
    {"sequence number", OFR_WITHOUT_GEN, 200},
    {"payload", OFR_WITHOUT_GEN, 200},
    {"sum of lifetimes", OFR_WITHOUT_CHECK, 200},
    {"histogram bin", OFR_WITHOUT_CHECK, 200},
    {"SENT", OFR_WITHOUT_GEN, 200},
    {"received word", 0, 200},
    {"sending mailbox", 0, 200},
    {"turn of management", 0, 200},
    {"end of the window", OFR_WITHOUT_CHECK, 200},
    {"message clock", OFR_WITHOUT_GEN, 200},
    {"destination table entry", OFR_WITHOUT_PINS, 20},
    {"destination looked up", OFR_WITHOUT_PINS, 20},
    {"header at the port", OFR_WITHOUT_GEN, 200},
    {"epoch", 0, 4},
};

enum { FAULTS = sizeof faults / sizeof *faults };

static void put_fault(struct bench *b)
{
    struct ofr_local *m = &b->model;
    switch (b->fault) {
    case 0:
        m->gen.lfsr ^= 1U << 13;
        break;
    case 1:
        m->gen.stamp ^= 1U << 8;
        break;
    case 2:
        m->gen.seq ^= 1;
        break;
    case 3:
        m->gen.payload ^= 4;
        break;
    case 4:
        m->check.sum ^= 1;
        break;
    case 5:
        m->check.histogram[below(b, 64)] ^= 1;
        break;
    case 6:
        m->gen.sent ^= 1;
        break;
    case 7:
        m->ni.rx[below(b, 4)][below(b, 8)] ^= 1U << below(b, 32);
        break;
    case 8:
        m->ni.tx[below(b, 8)] ^= 1U << below(b, 32);
        break;
    case 9:
        m->ni_turn = !m->ni_turn;
        break;
    case 10:
        m->check.to ^= 1U << 9;
        break;
    case 11:
        m->gen.next ^= 1U << 12;
        break;
    case 12: // of the packet at the port
        m->pins.table[m->pins.bank][port_flit(b)->data & (N == 3 ? 0xfff : 0xff)] ^=
            1U << OFR_PINS_DATA_MODE_LSB;
        break;
    case 13:
        m->pins.entry =
            m->pins
                .table[m->pins.bank][(m->pins.addr - 1U - below(b, 8)) & (N == 3 ? 0xfff : 0xff)];
        break;
    case 14:
        m->user.data ^= (uint64_t)1 << OFR_PKT_SRC_X_LSB % W;
        break;
    default:
        b->config.epoch = !b->config.epoch;
        break;
    }
}

// ---- One cycle ----------------------------------------------------------------------------------

static void differ(struct bench *b, const char *what, uint64_t rtl, uint64_t model)
{
    if (!b->failed && !b->quiet)
        printf("# cycle %" PRIu64 ": %s: RTL %#" PRIx64 ", model %#" PRIx64 "\n", b->cycle, what,
               rtl, model);
    b->failed = true;
}

static void compare(struct bench *b, const char *what, uint64_t rtl, uint64_t model)
{
    if (rtl != model)
        differ(b, what, rtl, model);
}

static void collect(struct bench *b, const struct ofr_flit *flit, bool take)
{
    if (take && flit->vc != OFR_LVC_MGMT) {
        if (!b->li_inside)
            b->sent.flits = 0;
        b->sent.flit[b->sent.flits++] = flit->data;
        if (flit->last && b->loops < QUEUE)
            b->loop[b->loops++] = b->sent;
        if (flit->last) {
            b->sent.poison = false;
            b->cov.sent++;
            b->cov.pattern[b->model.gen.pattern]++;
        }
    }
    b->cov.mgmt_sent += take && flit->last && flit->vc == OFR_LVC_MGMT;
    if (take)
        b->li_inside = !flit->last;
}

// A header enters by the entry at hand.
static void look_at_entry(struct bench *b, bool mgmt)
{
    unsigned entry = b->model.pins.entry, mode = entry >> OFR_PINS_DATA_MODE_LSB;
    b->cov.mode[mgmt][mode]++;
    b->cov.idn_here += mode == OFR_PINS_DATA_MODE_IDN && (entry & 0xfff) == my_word(b);
}

static void one_cycle(struct bench *b)
{
    struct local_pins in = {
        .configured = b->config.configured, .epoch = b->config.epoch, .now = b->now};
    struct ofr_local_in min = {.time = b->now, .config = &b->config};
    struct local_outs out;

    in.me = (uint16_t)my_word(b);
    for (unsigned i = 0; i < N; i++)
        in.size |= (uint32_t)b->config.torus.k[i] << (5 * i);
    for (unsigned v = 0; v < 3; v++) {
        min.li_ready[v] = chance(b, b->ready_chance) || (b->li_inside && b->li_vc == v);
        in.li_ready |= (uint8_t)(min.li_ready[v] << v);
    }
    if (b->lo.flits == 0 && chance(b, b->lo_chance))
        next_delivery(b);
    if (b->lo.flits != 0 && !chance(b, b->gap_chance)) {
        struct packet *p = &b->lo;
        bool last = b->lo_index + 1 == p->flits;
        min.lo = (struct ofr_flit){
            .valid = true, .data = p->flit[b->lo_index], .last = last, .poison = last && p->poison};
        if (++b->lo_index == p->flits)
            p->flits = 0;
    } else {
        min.lo.data = draw(b) & (~(uint64_t)0 >> (64 - W));
    }
    in.lo_valid = min.lo.valid;
    in.lo_data = min.lo.data;
    in.lo_last = min.lo.last;
    in.lo_poison = min.lo.poison;
    random_access(b, &in);

    if (b->fault >= 0 && below(b, faults[b->fault].every) == 0)
        put_fault(b);

    local_rtl_eval(b->rtl, &in, &out);
    struct ofr_flit flit = ofr_local_out(&b->model, &b->config);
    compare(b, "li_valid", out.li_valid, flit.valid);
    compare(b, "lo_ready", out.lo_ready, 1);
    if (flit.valid && out.li_valid) {
        compare(b, "li_vc", out.li_vc, flit.vc);
        compare(b, "li_data", out.li_data, flit.data);
        compare(b, "li_last", out.li_last, flit.last);
        if (!b->li_inside && out.li_vc != OFR_LVC_MGMT) {
            b->cov.headers++;
            b->cov.forged += out.li_data >> OFR_PKT_MGMT_LSB & 1;
        }
    }
    if (in.reg_re) {
        char name[32];
        snprintf(name, sizeof name, "register %03x", in.reg_adr);
        uint32_t value = ofr_local_read(&b->model, in.reg_adr);
        compare(b, name, out.reg_rdat, value);
        b->cov.bins += in.reg_adr == OFR_CHECK_BIN_COUNT && value != 0;
        if (in.reg_adr == OFR_CHECK_ARRIVED)
            b->cov.arrived += value != 0;
        if (in.reg_adr == OFR_CHECK_ERRORS)
            b->cov.errors += value;
        if (in.reg_adr == OFR_CHECK_RECEIVED)
            b->cov.received += value;
        if (in.reg_adr == OFR_CHECK_COUNT)
            b->cov.counted += value;
        b->cov.done += in.reg_adr == OFR_GEN_STATUS && (value & OFR_GEN_STATUS_DONE_MASK);
    }
    bool take = flit.valid && min.li_ready[flit.vc];
    bool user = take && flit.vc != OFR_LVC_MGMT;
    b->cov.back_to_back += user && !b->li_inside && b->ends_here;
    b->ends_here = user && flit.last;
    b->cov.preempted +=
        flit.valid && flit.vc == OFR_LVC_MGMT && !b->li_inside && b->model.user.valid;
    if (take && !b->li_inside && b->model.pins.active && !(WITHOUT & OFR_WITHOUT_PINS))
        look_at_entry(b, !user);
    uint64_t pinned = b->model.pinned;
    collect(b, &flit, take);
    if (take && flit.last)
        b->li_inside = false;
    else if (take)
        b->li_vc = flit.vc;
    uint16_t entry = b->model.pins.entry;
    bool waits = flit.valid && !take && !b->li_inside && !b->model.busy;
    ofr_local_step(&b->model, &min);
    compare(b, "ev_pinned", out.ev_pinned, b->model.pinned - pinned);
    b->cov.pinned += b->model.pinned - pinned;
    b->cov.rewritten += waits && b->model.pins.entry != entry;
    if (in.reg_we) {
        bool ok = ofr_local_write(&b->model, in.reg_adr, in.reg_wdat, &b->config);
        compare(b, "reg_err", out.reg_err, !ok);
        b->cov.refused += !ok;
    } else {
        compare(b, "reg_err", out.reg_err, 0);
    }
    b->cov.full += b->model.ni.rx_used == OFR_NI_PACKETS;
    b->cov.dropped += b->model.ni.dropped != 0;
    local_rtl_clock(b->rtl);
    b->now++;
    b->cycle++;
}

static void new_episode(struct bench *b, bool reset)
{
    struct ofr_torus *t = &b->config.torus;
    memset(&b->config, 0, sizeof b->config);
    t->n = N;
    bool powers = chance(b, 60), square = chance(b, 40);
    for (unsigned i = 0; i < N; i++) {
        t->k[i] = (uint8_t)(powers ? 1U << below(b, 5) : 1 + below(b, 16));
        if (i > 0 && square)
            t->k[i] = t->k[0];
        b->config.me.c[i] = (uint8_t)below(b, t->k[i]);
    }
    b->config.configured = !chance(b, 8);
    b->config.epoch = chance(b, 50);
    b->cov.disabled += !b->config.configured;
    b->now = chance(b, 30) ? 0U - below(b, EPISODE) : reset ? word32(b) : b->now;
    b->ready_chance = chance(b, 50) ? 100 : chance(b, 15) ? 1 : 5 + below(b, 90);
    b->access_chance = chance(b, 30) ? 1 : chance(b, 30) ? 60 : 12;
    b->lo_chance = chance(b, 30) ? 100 : 1 + below(b, 60);
    b->gap_chance = chance(b, 50) ? 0 : below(b, 70);
    if (reset) {
        struct local_pins in = {.rst = 1};
        struct local_outs out;
        for (int i = 0; i < 2; i++) {
            local_rtl_eval(b->rtl, &in, &out);
            local_rtl_clock(b->rtl);
        }
        static const struct ofr_shape shape = {
            .n = N, .flit_bits = W, .slot_flits = L, .without = WITHOUT};
        if (!ofr_local_init(&b->model, &shape))
            differ(b, "ofr_local_init", 1, 0);
        b->li_inside = false;
        b->lo.flits = 0;
        b->loops = 0;
        b->pins_to_write = 0;
        b->to_send = b->to_aim = b->to_commit = false;
        b->since_strobe = 0;
    }
}

// Returns whether RTL and model agreed.
static bool run(uint64_t cycles, uint64_t seed, int fault, struct coverage *cov)
{
    static struct bench bench; // large; one at a time
    struct bench *b = &bench;
    memset(b, 0, sizeof *b);
    b->rng = (seed + 1) * 0x9e3779b97f4a7c15ULL;
    if (b->rng == 0)
        b->rng = 1;
    b->fault = fault;
    b->quiet = fault >= 0;
    b->rtl = local_rtl_new(seed);
    while (b->cycle < cycles && !b->failed) {
        new_episode(b, b->cycle == 0 || chance(b, 30));
        for (unsigned i = 0; i < EPISODE && !b->failed; i++)
            one_cycle(b);
    }
    local_rtl_delete(b->rtl);
    if (cov)
        *cov = b->cov;
    return !b->failed;
}

static int number, failures;

static void result(bool ok, const char *name, const char *more)
{
    printf("%s %d - ofr_local N=%d W=%d WITHOUT=%d: %s%s\n", ok ? "ok" : "not ok", ++number, N, W,
           WITHOUT, name, more);
    failures += !ok;
}

int main(int argc, char **argv)
{
    const char *env = getenv("SEED");
    uint64_t cycles = argc > 1 ? strtoull(argv[1], NULL, 0) : 2000000;
    uint64_t seed = strtoull(argc > 2 ? argv[2] : env ? env : "1", NULL, 0);
    struct coverage c;

    setvbuf(stdout, NULL, _IOLBF, 0);
    printf("# seed %" PRIu64 ", %" PRIu64 " cycles; again: %s %" PRIu64 " %" PRIu64 "\n", seed,
           cycles, argv[0], cycles, seed);
    result(run(cycles, seed, -1, &c), "lockstep", "");
    unsigned wakes = 0;
    while (wakes < 100 && run(EPISODE, seed + 1 + wakes, -1, NULL))
        wakes++;
    if (wakes < 100)
        printf("# again: %s %d %" PRIu64 "\n", argv[0], EPISODE, seed + 1 + wakes);
    result(wakes == 100, "the same from 100 random states before the first reset", "");

    bool patterns = true;
    for (unsigned i = 0; i < 9; i++)
        patterns = patterns && c.pattern[i] != 0;
    printf("# sent %" PRIu64 ", management %" PRIu64 ", went first %" PRIu64 ", refused %" PRIu64
           ", mailbox full %" PRIu64 " cycles, bins not 0 %" PRIu64 "\n",
           c.sent, c.mgmt_sent, c.preempted, c.refused, c.full, c.bins);
    bool gen = WITHOUT & OFR_WITHOUT_GEN ||
               (patterns && c.sent && c.back_to_back && c.preempted && c.done && c.disabled);
    bool check =
        WITHOUT & OFR_WITHOUT_CHECK || (c.received && c.errors && c.arrived && c.counted && c.bins);
    bool rest = c.dropped && c.full && c.mgmt_sent && c.refused;
    bool pins = c.pinned && c.rewritten && c.idn_here, no_gen = WITHOUT & OFR_WITHOUT_GEN;
    for (unsigned mode = 0; mode < 5; mode++) {
        printf("# destination table, mode %u: %" PRIu64 " packets, %" PRIu64 " of management\n",
               mode, c.mode[0][mode], c.mode[1][mode]);
        pins = pins && (no_gen || c.mode[0][mode]) && c.mode[1][mode];
    }
    printf("# IDN is this node %" PRIu64 ", changed %" PRIu64 ", entry changed meanwhile %" PRIu64
           "\n",
           c.idn_here, c.pinned, c.rewritten);
    pins = pins || WITHOUT & OFR_WITHOUT_PINS;
    result(gen && check && rest && pins, "everything was exercised", "");
    // Registers are written at random, so this is what no setting of them can do.
    result((no_gen || c.headers) && !c.forged, "user traffic never poses as management", "");
    for (int i = 0; i < FAULTS; i++)
        if (!(faults[i].of & WITHOUT))
            result(!run(cycles, seed, i, NULL), "found a wrong ", faults[i].name);
    printf("1..%d\n", number);
    return failures != 0;
}
