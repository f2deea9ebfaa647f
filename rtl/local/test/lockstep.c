// SPDX-License-Identifier: Apache-2.0
// ofr_local against struct ofr_local in lockstep: random register accesses, random li_ready, random
// deliveries (good, damaged, cut, poisoned, management, for others). Every output pin every cycle
// and every register read is compared. With channels their packets come back in order, so their
// ends are joined with each other, and so do datagrams. Ends that the collectives have are joined
// with others, whose beats are what members say, or anything. Build with -DN= -DW= -DL= -DWITHOUT=
// -DCHANNELS= -DDATAGRAMS= -DCOLLECTIVES=, once for each Verilated shape.
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
#define N           3
#define W           32
#define L           40
#define WITHOUT     0
#define CHANNELS    4
#define DATAGRAMS   2
#define COLLECTIVES 3
#endif

enum { MAX_FLITS = 64, QUEUE = 8, EPISODE = 3000, SCRIPT = 24, CHANNEL_QUEUE = 512 };

static const unsigned MIN_FLITS = W == 64 ? 4 : 256 / W, ENDS = CHANNELS;

// What was exercised; a run that leaves one at 0 fails.
struct coverage {
    uint64_t pattern[9], sent, back_to_back, preempted, received, errors, arrived, counted, dropped;
    uint64_t full, mgmt_sent, refused, done, disabled, bins;
    // By the destination table: headers by mode (users', management's), IDN this node, changed, a
    // header whose entry was written while it waited
    uint64_t mode[2][5], idn_here, pinned, rewritten;
    // Of channels: connections, beats by pins and by registers, each way; both users wait
    uint64_t opened, given, taken, written, read, broken, both;
    // Of datagrams: sent, taken, without a way, beside another user's
    uint64_t datagrams, datagrams_taken, no_way, beside;
    uint64_t datagram_written, datagram_read, datagram_attached; // by registers
    // Of collectives: beats given by pins and by registers, taken likewise; of their streams, taken
    // and given; verdicts, with children, good and bad; parents'
    uint64_t user_given, user_written, user_taken, user_read, from, to, good, bad, as_child;
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
    // Channels: their packets on the way back; the user's logic; register writes to come
    struct ofr_channels channels;
    struct ofr_datagrams datagrams; // their packets come back likewise
    struct ofr_datagram_pins datagram;
    unsigned datagram_taking;
    struct ofr_collectives collectives;
    struct ofr_collectives_pins collective;
    unsigned collective_taking;
    bool played; // a member beside this one has ended the operation
    struct ofr_channels_pins pins;
    struct packet *back;
    unsigned back_first, backs, offering, taking[16];
    struct {
        uint16_t offset;
        uint32_t value;
    } script[SCRIPT];
    unsigned steps, step;
    struct local_pins access; // of the cycle that comes
    int fault;                // -1: none
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
    if (b->backs && chance(b, 80)) {
        *p = b->back[b->back_first++ % CHANNEL_QUEUE];
        b->backs--;
        b->lo_index = 0;
        if (chance(b, 1))
            damage(b, p);
        return;
    }
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

static const uint16_t OF_CHANNELS[] = {
    OFR_CHANNEL_CONTROL, OFR_CHANNEL_SELECT, OFR_CHANNEL_PEER,    OFR_CHANNEL_COMMAND,
    OFR_CHANNEL_STATE,   OFR_CHANNEL_SENT,   OFR_CHANNEL_HEARD,   OFR_CHANNEL_RECEIVED,
    OFR_CHANNEL_DROPPED, OFR_CHANNEL_HEAD,   OFR_CHANNEL_SHAPE,   OFR_CHANNEL_ATTACH,
    OFR_CHANNEL_TX,      OFR_CHANNEL_TX_END, OFR_CHANNEL_TX_HIGH, OFR_CHANNEL_TX_DATA,
    OFR_CHANNEL_RX,      OFR_CHANNEL_RX,     OFR_CHANNEL_RX_HIGH, OFR_CHANNEL_RX_DATA,
    OFR_CHANNEL_RX_NEXT,
};

static const uint16_t OF_DATAGRAMS[] = {
    OFR_DATAGRAM_SENT,    OFR_DATAGRAM_RECEIVED, OFR_DATAGRAM_NO_ROOM,     OFR_DATAGRAM_SPOILED,
    OFR_DATAGRAM_ILLEGAL, OFR_DATAGRAM_REASON,   OFR_DATAGRAM_HEAD,        OFR_DATAGRAM_SHAPE,
    OFR_DATAGRAM_ATTACH,  OFR_DATAGRAM_TX_TO,    OFR_DATAGRAM_TX,          OFR_DATAGRAM_TX_END,
    OFR_DATAGRAM_TX_HIGH, OFR_DATAGRAM_TX_DATA,  OFR_DATAGRAM_RX,          OFR_DATAGRAM_RX_HIGH,
    OFR_DATAGRAM_RX_DATA, OFR_DATAGRAM_RX_NEXT,  OFR_DATAGRAM_RX_NEXT + 4,
};

static const uint16_t OF_COLLECTIVES[] = {
    OFR_COLLECTIVE_SHAPE,   OFR_COLLECTIVE_PLACE,   OFR_COLLECTIVE_SIZE_LOW,
    OFR_COLLECTIVE_CONTROL, OFR_COLLECTIVE_STATE,   OFR_COLLECTIVE_SIZE_HIGH,
    OFR_COLLECTIVE_COUNT,   OFR_COLLECTIVE_ATTACH,  OFR_COLLECTIVE_TX_OP,
    OFR_COLLECTIVE_TX,      OFR_COLLECTIVE_TX_END,  OFR_COLLECTIVE_TX_HIGH,
    OFR_COLLECTIVE_TX_DATA, OFR_COLLECTIVE_RX,      OFR_COLLECTIVE_RX_HIGH,
    OFR_COLLECTIVE_RX_DATA, OFR_COLLECTIVE_RX_NEXT, OFR_COLLECTIVE_RX_NEXT + 4,
};

static void write_later(struct bench *b, unsigned offset, uint32_t value)
{
    b->script[b->steps].offset = (uint16_t)offset;
    b->script[b->steps++].value = value;
}

static unsigned any_node(struct bench *b)
{
    unsigned node = 0;
    for (unsigned i = 0; i < N; i++)
        node |= below(b, b->config.torus.k[i]) << (4 * i);
    if (chance(b, 50)) // whose entry was just written, wherever that is
        node = (b->model.pins.addr - 1U - below(b, 8)) & 0xfff;
    return node;
}

// A datagram's: what its user would do, and what it would not.
static void datagram_access(struct bench *b, struct local_pins *in)
{
    const struct ofr_datagrams *d = &b->datagrams;
    uint32_t value = word32(b);
    unsigned adr = OF_DATAGRAMS[below(b, sizeof OF_DATAGRAMS / sizeof *OF_DATAGRAMS)];
    if (chance(b, 30)) {
        in->reg_re = 1;
        in->reg_adr = (uint16_t)adr;
        return;
    }
    if (d->attached && chance(b, 80))
        adr = d->block.shown.valid && chance(b, 60) ? OFR_DATAGRAM_RX_NEXT
              : chance(b, 15)                       ? OFR_DATAGRAM_TX_END
              : chance(b, 15)                       ? OFR_DATAGRAM_TX_TO
                                                    : OFR_DATAGRAM_TX_DATA;
    if (adr == OFR_DATAGRAM_ATTACH)
        value = chance(b, 60);
    if (adr == OFR_DATAGRAM_TX_END && chance(b, 80))
        value = below(b, W / 8 + 1);
    if (adr == OFR_DATAGRAM_TX_TO && chance(b, 80))
        value = any_node(b) | below(b, 16) << 12 | (chance(b, 2) ? 3 : below(b, 3)) << 16;
    in->reg_we = 1;
    in->reg_adr = (uint16_t)adr;
    in->reg_wdat = value;
}

// A collective's: what its user would do, and what it would not.
static void collective_access(struct bench *b, struct local_pins *in)
{
    const struct ofr_collectives *c = &b->collectives;
    uint32_t value = word32(b);
    unsigned adr = OF_COLLECTIVES[below(b, sizeof OF_COLLECTIVES / sizeof *OF_COLLECTIVES)];
    if (chance(b, 30)) {
        in->reg_re = 1;
        in->reg_adr = (uint16_t)adr;
        return;
    }
    if (c->attached && chance(b, 80))
        adr = c->block.m.valid && chance(b, 60) ? OFR_COLLECTIVE_RX_NEXT
              : chance(b, 25)                   ? OFR_COLLECTIVE_TX_END
                                                : OFR_COLLECTIVE_TX_DATA;
    if (adr == OFR_COLLECTIVE_TX_END)
        value = chance(b, 95) ? below(b, W / 8 + 1) & ~3U : value;
    if (adr == OFR_COLLECTIVE_TX_OP)
        value = chance(b, 90) ? below(b, 6) | below(b, 8) << 3 : value;
    if (adr == OFR_COLLECTIVE_CONTROL && chance(b, 70))
        value &= chance(b, 50) ? OFR_COLLECTIVE_CONTROL_CLEAR_MASK : 0;
    if (adr == OFR_COLLECTIVE_SIZE_LOW || adr == OFR_COLLECTIVE_SIZE_HIGH)
        value &= 0x00010001;
    if (adr == OFR_COLLECTIVE_ATTACH || adr == OFR_COLLECTIVE_PLACE)
        value &= chance(b, 50) ? word32(b) : 0x30;
    in->reg_we = 1;
    in->reg_adr = (uint16_t)adr;
    in->reg_wdat = value;
}

// Two of the node's ends are joined, each the pins' or software's, or the one the collectives'.
static void join(struct bench *b)
{
    unsigned one = below(b, ENDS), other = below(b, ENDS);
    bool collective = COLLECTIVES && chance(b, 70);
    if (collective) {
        one = below(b, CHANNELS - 1 < COLLECTIVES + 1 ? CHANNELS - 1 : COLLECTIVES + 1);
        other = CHANNELS - 1;
    }
    uint32_t conn = word32(b) & 255U << OFR_CHANNEL_PEER_CONN_LSB;
    b->steps = b->step = 0;
    write_later(b, OFR_CHANNEL_CONTROL, 6 + below(b, 6));
    for (unsigned i = 0; i < 2; i++) {
        write_later(b, OFR_CHANNEL_SELECT, i ? one : other);
        write_later(b, OFR_CHANNEL_ATTACH,
                    i && collective ? OFR_CHANNEL_ATTACH_COLLECTIVE_MASK | below(b, 2)
                    : collective    ? chance(b, 10)
                                    : below(b, chance(b, 5) ? 4 : 2));
        write_later(b, OFR_CHANNEL_PEER,
                    my_word(b) | (i ? other : one) << OFR_CHANNEL_PEER_END_LSB | conn);
        write_later(b, OFR_CHANNEL_COMMAND,
                    i ? OFR_CHANNEL_COMMAND_OPEN : OFR_CHANNEL_COMMAND_LISTEN);
    }
    if (!collective)
        return;
    // A group of this end alone, and of any user
    write_later(b, OFR_COLLECTIVE_CONTROL,
                OFR_COLLECTIVE_CONTROL_LEAVE_MASK | OFR_COLLECTIVE_CONTROL_DROP_MASK);
    write_later(b, OFR_COLLECTIVE_RX_NEXT, 0);
    write_later(b, OFR_COLLECTIVE_CONTROL, OFR_COLLECTIVE_CONTROL_CLEAR_MASK);
    write_later(b, OFR_COLLECTIVE_PLACE,
                one ? 1U << (one - 1) << OFR_COLLECTIVE_PLACE_CHILDREN_LSB : 1);
    write_later(b, OFR_COLLECTIVE_ATTACH, below(b, 2));
}

// Of an end whose connection software has: what it would do, and what it would not.
static void channel_access(struct bench *b, struct local_pins *in)
{
    uint32_t value = word32(b);
    unsigned adr;
    if (b->step < b->steps) {
        in->reg_we = 1;
        in->reg_adr = b->script[b->step].offset;
        in->reg_wdat = b->script[b->step++].value;
        return;
    }
    if (chance(b, 2)) {
        join(b);
        return;
    }
    if (chance(b, 30)) {
        in->reg_re = 1;
        in->reg_adr = OF_CHANNELS[below(b, sizeof OF_CHANNELS / sizeof *OF_CHANNELS)];
        return;
    }
    switch (below(b, 16)) {
    case 0:
    case 1:
    case 2:
        adr = OFR_CHANNEL_SELECT;
        value = chance(b, 97) ? below(b, ENDS) : value;
        break;
    case 3:
    case 4:
    case 5:
    case 6:
    case 7:
        adr = OFR_CHANNEL_TX_DATA;
        break;
    case 8:
    case 9:
        adr = OFR_CHANNEL_TX_END;
        value = chance(b, 95) ? below(b, W / 8 + 1) : value;
        break;
    case 10:
        adr = OFR_CHANNEL_TX_HIGH;
        break;
    case 11:
        adr = chance(b, 80) ? OFR_CHANNEL_RX_NEXT : OFR_CHANNEL_COMMAND;
        value = chance(b, 50) ? OFR_CHANNEL_COMMAND_CLOSE : below(b, 6);
        break;
    case 12:
        adr = chance(b, 90) ? OFR_CHANNEL_RX_NEXT
                            : OF_CHANNELS[below(b, sizeof OF_CHANNELS / sizeof *OF_CHANNELS)];
        break;
    default:
        adr = OFR_CHANNEL_RX_NEXT;
        break;
    }
    in->reg_we = 1;
    in->reg_adr = (uint16_t)adr;
    in->reg_wdat = value;
}

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
    } else if (COLLECTIVES && b->step == b->steps && chance(b, 25)) {
        collective_access(b, in);
    } else if (DATAGRAMS && chance(b, 25)) {
        datagram_access(b, in);
    } else if (CHANNELS && chance(b, 40)) {
        channel_access(b, in);
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

enum {
    WITHOUT_CHANNELS = 256,
    WITHOUT_DATAGRAMS = 512,
    WITHOUT_COLLECTIVES = 1024
}; // beside OFR_WITHOUT_*

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
    {"end that software has", WITHOUT_CHANNELS, 200},
    {"beat that software writes", WITHOUT_CHANNELS, 20},
    {"turn of the channels", WITHOUT_CHANNELS, 200},
    {"turn of the datagrams", WITHOUT_DATAGRAMS, 200},
    {"datagram on its way", WITHOUT_DATAGRAMS, 200},
    {"way of a datagram", WITHOUT_DATAGRAMS, 200},
    {"datagram that software writes", WITHOUT_DATAGRAMS, 20},
    {"whom it is for", WITHOUT_DATAGRAMS, 20},
    {"user of the datagrams", WITHOUT_DATAGRAMS, 200},
    {"inside a datagram that is given", WITHOUT_DATAGRAMS, 200},
    {"inside a datagram that is taken", WITHOUT_DATAGRAMS, 200},
    {"end that the collectives have", WITHOUT_COLLECTIVES, 200},
    {"place in the group", WITHOUT_COLLECTIVES, 200},
    {"collective that software writes", WITHOUT_COLLECTIVES, 20},
    {"count of operations", WITHOUT_COLLECTIVES, 200},
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
    case 15:
        b->config.epoch = !b->config.epoch;
        break;
    case 16:
        b->channels.attached ^= 1;
        break;
    case 17:
        b->channels.beat.data ^= 4;
        break;
    case 18:
    case 19:
        m->user_turn = (uint8_t)((m->user_turn + 1) % OFR_LOCAL_USERS);
        break;
    case 20:
        b->datagrams.block.out[below(b, 2)][below(b, 4)] ^= 4;
        break;
    case 21:
        b->datagrams.block.nowhere = !b->datagrams.block.nowhere;
        break;
    case 22:
        b->datagrams.beat.data ^= 4;
        break;
    case 23:
        b->datagrams.beat.dest ^= 1;
        break;
    case 24:
        b->datagrams.attached = !b->datagrams.attached;
        break;
    case 25:
        b->datagrams.giving = !b->datagrams.giving;
        break;
    case 26:
        b->datagrams.taking = !b->datagrams.taking;
        break;
    case 27:
        b->channels.joined ^= (uint8_t)(1U << below(b, COLLECTIVES + 1));
        break;
    case 28:
        b->collectives.parent = !b->collectives.parent;
        break;
    case 29:
        b->collectives.beat.data ^= 4;
        break;
    default:
        b->collectives.good++;
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
        unsigned kind = b->sent.flit[32 / W] >> OFR_PKT_KIND_LSB % W & 15;
        bool comes_back = kind == OFR_PKT_KIND_CHANNEL || kind == OFR_PKT_KIND_DATAGRAM;
        if (flit->last && comes_back && b->backs < CHANNEL_QUEUE)
            b->back[(b->back_first + b->backs++) % CHANNEL_QUEUE] = b->sent;
        else if (flit->last && b->loops < QUEUE)
            b->loop[b->loops++] = b->sent;
        if (flit->last && !comes_back) {
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

// ---- The channels' user -------------------------------------------------------------------------

static void drive_channels(struct bench *b, struct local_pins *in)
{
    for (unsigned e = 0; e < ENDS; e++) {
        struct ofr_beat *s = &b->pins.s[e];
        bool member = COLLECTIVES && e == ENDS - 1 && !chance(b, 2);
        if (!s->valid && !member && chance(b, b->offering))
            *s = (struct ofr_beat){.valid = true,
                                   .data = draw(b) & (~(uint64_t)0 >> (64 - W)),
                                   .keep = (uint8_t)((1U << below(b, W / 8 + 1)) - 1),
                                   .last = chance(b, 12)};
        b->pins.m_ready[e] = chance(b, b->taking[e]);
        in->s_valid |= (uint16_t)(s->valid << e);
        in->s_last |= (uint16_t)(s->last << e);
        in->s_data[e] = s->data;
        in->s_keep[e] = s->keep;
        in->m_ready |= (uint16_t)(b->pins.m_ready[e] << e);
    }
}

static void compare_channels(struct bench *b, const struct local_pins *in,
                             const struct local_outs *out)
{
    int ready = CHANNELS ? ofr_channels_ready(&b->channels) : -1;
    compare(b, "s_axis_tready", out->s_ready, ready < 0 ? 0 : 1U << ready);
    for (unsigned e = 0; e < ENDS; e++) {
        struct ofr_beat m = ofr_channels_m(&b->channels, e);
        compare(b, "m_axis_tvalid", out->m_valid >> e & 1, m.valid);
        if (!m.valid || b->failed)
            continue;
        if (!m.user)
            compare(b, "m_axis_tdata", out->m_data[e], m.data);
        compare(b, "m_axis_tkeep", out->m_keep[e], m.keep);
        compare(b, "m_axis_tlast", out->m_last >> e & 1, m.last);
        compare(b, "m_axis_tuser", out->m_user >> e & 1, m.user);
        b->cov.taken += in->m_ready >> e & 1;
        b->cov.broken += m.user;
    }
    if (ready >= 0 && b->pins.s[ready].valid)
        b->cov.given++;
}

// The beat that was taken in this cycle is offered no longer.
static void channels_took(struct bench *b, int ready)
{
    if (ready >= 0)
        b->pins.s[ready].valid = false;
}

// ---- The datagrams' user ------------------------------------------------------------------------

static void drive_datagrams(struct bench *b, struct local_pins *in)
{
    struct ofr_datagram_beat *s = &b->datagram.s;
    if (!s->valid && chance(b, b->offering))
        *s = (struct ofr_datagram_beat){.valid = true,
                                        .data = draw(b) & (~(uint64_t)0 >> (64 - W)),
                                        .keep = (uint8_t)((1U << below(b, W / 8 + 1)) - 1),
                                        .last = chance(b, 15),
                                        .dest = (uint16_t)(any_node(b) | below(b, 16) << 12),
                                        .cls = (uint8_t)(chance(b, 2) ? 3 : below(b, 3))};
    b->datagram.m_ready = chance(b, b->datagram_taking);
    in->sd_valid = s->valid;
    in->sd_data = s->data;
    in->sd_keep = s->keep;
    in->sd_last = s->last;
    in->sd_dest = s->dest;
    in->sd_user = s->cls;
    in->md_ready = b->datagram.m_ready;
}

// Returns whether the beat is taken.
static bool compare_datagrams(struct bench *b, const struct local_outs *out)
{
    bool ready = DATAGRAMS && ofr_datagrams_ready(&b->datagrams);
    struct ofr_datagram_beat m = ofr_datagrams_m(&b->datagrams);
    compare(b, "s_datagram_tready", out->sd_ready, ready);
    compare(b, "m_datagram_tvalid", out->md_valid, m.valid);
    if (m.valid) {
        compare(b, "m_datagram_tdata", out->md_data, m.data);
        compare(b, "m_datagram_tkeep", out->md_keep, m.keep);
        compare(b, "m_datagram_tlast", out->md_last, m.last);
        compare(b, "m_datagram_tid", out->md_id, m.source);
        compare(b, "m_datagram_tdest", out->md_dest, m.dest);
        b->cov.datagrams_taken += m.last && b->datagram.m_ready;
    }
    b->cov.beside += ofr_datagrams_tx(&b->datagrams).valid &&
                     (CHANNELS ? ofr_channels_tx(&b->channels).valid : b->model.gen.out.valid);
    return ready && b->datagram.s.valid;
}

// ---- The collectives' user ----------------------------------------------------------------------

static void drive_collectives(struct bench *b, struct local_pins *in)
{
    struct ofr_beat *s = &b->collective.s;
    // Nothing begins while a group is formed
    bool forms = b->step < b->steps;
    if (!s->valid && chance(b, b->offering) && (!forms || b->collectives.block.busy)) {
        *s = (struct ofr_beat){.valid = true,
                               .data = draw(b) & (~(uint64_t)0 >> (64 - W)),
                               .keep = (uint8_t)((1U << (below(b, W / 8 + 1) & ~3U)) - 1),
                               .last = chance(b, 60)};
        if (s->last && chance(b, 70))
            s->keep = 0;
        if (chance(b, 2))
            s->keep = (uint8_t)(word32(b) & ((1U << W / 8) - 1));
        if (!b->collectives.block.busy) // constant in a message
            b->collective.s_user =
                (uint8_t)(chance(b, 95) ? below(b, 6) | below(b, 8) << 3 : below(b, 128));
    }
    b->collective.m_ready = forms || chance(b, b->collective_taking);
    in->sc_valid = s->valid;
    in->sc_data = s->data;
    in->sc_keep = s->keep;
    in->sc_last = s->last;
    in->sc_user = b->collective.s_user;
    in->mc_ready = b->collective.m_ready;
}

// The user of the last end is, mostly, a member of a group with this one: it gives nothing but the
// end of each operation.
static void play_member(struct bench *b)
{
    const struct ofr_collective *c = &b->collectives.block;
    struct ofr_beat *s = &b->pins.s[CHANNELS - 1];
    uint64_t end = c->op | (unsigned)c->type << OFR_COLLECTIVE_TYPE_LSB |
                   (unsigned)c->number << OFR_COLLECTIVE_NUMBER_LSB;
    b->played = b->played && c->busy;
    if (s->valid || !c->busy || b->played || !chance(b, 30))
        return;
    *s = (struct ofr_beat){.valid = true,
                           .last = true,
                           .data = W == 64 ? end << 32 : end,
                           .keep = (uint8_t)((1U << W / 8) - 1)};
    b->played = true;
}

// The pins, as the channels' step found them. Returns whether the user's beat is taken.
static bool compare_collectives(struct bench *b, const struct local_outs *out)
{
    struct ofr_collectives_in in = {.pins = &b->collective};
    struct ofr_collective_out o = {.s_ready = false};
    const struct ofr_collective *c = &b->collectives.block;
    for (unsigned p = 0; COLLECTIVES && p <= COLLECTIVES; p++) {
        in.from[p] = ofr_channels_from(&b->channels, p);
        in.to_ready[p] = ofr_channels_to_ready(&b->channels, p);
    }
    if (COLLECTIVES)
        ofr_collectives_out(&b->collectives, &in, &o);
    compare(b, "s_collective_tready", out->sc_ready, o.s_ready);
    compare(b, "m_collective_tvalid", out->mc_valid, o.m.valid);
    if (o.m.valid) {
        compare(b, "m_collective_tdata", out->mc_data, o.m.data);
        compare(b, "m_collective_tkeep", out->mc_keep, o.m.keep);
        compare(b, "m_collective_tlast", out->mc_last, o.m.last);
        compare(b, "m_collective_tuser", out->mc_user, (unsigned)o.m_end << 1 | o.m.user);
        b->cov.user_taken += b->collective.m_ready;
    }
    for (unsigned p = 0; COLLECTIVES && p <= COLLECTIVES; p++) {
        b->cov.from += in.from[p].valid && o.from_ready[p];
        b->cov.to += o.to[p].valid && in.to_ready[p];
    }
    if (b->collectives.was && !c->busy) {
        b->cov.good += !c->reason && b->collectives.children;
        b->cov.as_child += !c->reason && b->collectives.parent;
        b->cov.bad += c->reason != 0;
    }
    b->cov.user_given += o.s_ready && b->collective.s.valid;
    return o.s_ready && b->collective.s.valid;
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
    // The access was drawn a cycle ahead
    in.reg_we = b->access.reg_we;
    in.reg_re = b->access.reg_re;
    in.reg_adr = b->access.reg_adr;
    in.reg_wdat = b->access.reg_wdat;
    memset(&b->access, 0, sizeof b->access);
    random_access(b, &b->access);
    in.reg_early = b->access.reg_we || b->access.reg_re;
    if (COLLECTIVES)
        play_member(b);
    drive_channels(b, &in);
    if (DATAGRAMS)
        drive_datagrams(b, &in);
    if (COLLECTIVES)
        drive_collectives(b, &in);
    min.access = in.reg_we || in.reg_re;
    min.pins = &b->pins;
    min.datagram = &b->datagram;
    min.collective = &b->collective;

    if (b->fault >= 0 && below(b, faults[b->fault].every) == 0)
        put_fault(b);

    local_rtl_eval(b->rtl, &in, &out);
    struct ofr_flit flit = ofr_local_out(&b->model, &b->config);
    compare(b, "li_valid", out.li_valid, flit.valid);
    compare(b, "lo_ready", out.lo_ready, 1);
    int ready = CHANNELS ? ofr_channels_ready(&b->channels) : -1;
    compare_channels(b, &in, &out);
    bool given = compare_datagrams(b, &out), begun = compare_collectives(b, &out);
    b->cov.both += CHANNELS && b->model.gen.out.valid && ofr_channels_tx(&b->channels).valid;
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
    const struct ofr_datagram *block = &b->datagrams.block;
    uint32_t sent = block->sent, illegal = block->illegal;
    collect(b, &flit, take);
    if (take && flit.last)
        b->li_inside = false;
    else if (take)
        b->li_vc = flit.vc;
    uint16_t entry = b->model.pins.entry;
    bool waits = flit.valid && !take && !b->li_inside && !b->model.busy;
    ofr_local_step(&b->model, &min);
    channels_took(b, ready);
    if (given)
        b->datagram.s.valid = false;
    if (begun)
        b->collective.s.valid = false;
    b->cov.datagrams += block->sent != sent;
    b->cov.no_way += block->illegal != illegal && block->reason == OFR_DATAGRAM_REASON_UNREACHABLE;
    compare(b, "ev_pinned", out.ev_pinned, b->model.pinned - pinned);
    b->cov.pinned += b->model.pinned - pinned;
    b->cov.rewritten += waits && b->model.pins.entry != entry;
    if (in.reg_we) {
        bool ok = ofr_local_write(&b->model, in.reg_adr, in.reg_wdat, &b->config);
        compare(b, "reg_err", out.reg_err, !ok);
        b->cov.refused += !ok;
        b->cov.written += ok && CHANNELS && in.reg_adr == OFR_CHANNEL_TX_DATA;
        b->cov.read += ok && CHANNELS && in.reg_adr == OFR_CHANNEL_RX_NEXT;
        b->cov.datagram_attached += ok && DATAGRAMS && in.reg_adr == OFR_DATAGRAM_ATTACH;
        b->cov.datagram_written += ok && DATAGRAMS && in.reg_adr == OFR_DATAGRAM_TX_DATA;
        b->cov.datagram_read += ok && DATAGRAMS && in.reg_adr == OFR_DATAGRAM_RX_NEXT;
        b->cov.user_written += ok && COLLECTIVES && in.reg_adr == OFR_COLLECTIVE_TX_DATA;
        b->cov.user_read += ok && COLLECTIVES && in.reg_adr == OFR_COLLECTIVE_RX_NEXT;
        b->cov.opened += ok && CHANNELS && in.reg_adr == OFR_CHANNEL_COMMAND &&
                         in.reg_wdat == OFR_CHANNEL_COMMAND_OPEN;
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
    // A node's place and sizes change while nothing is generated: not configured, and drained
    if (reset || ofr_gen_idle(&b->model.gen)) {
        struct ofr_torus *t = &b->config.torus;
        t->n = N;
        bool powers = chance(b, 60), square = chance(b, 40);
        for (unsigned i = 0; i < N; i++) {
            t->k[i] = (uint8_t)(powers ? 1U << below(b, 5) : 1 + below(b, 16));
            if (i > 0 && square)
                t->k[i] = t->k[0];
            b->config.me.c[i] = (uint8_t)below(b, t->k[i]);
        }
    }
    b->config.configured = !chance(b, 8);
    b->config.epoch = chance(b, 50);
    b->cov.disabled += !b->config.configured;
    b->now = chance(b, 30) ? 0U - below(b, EPISODE) : reset ? word32(b) : b->now;
    b->ready_chance = chance(b, 50) ? 100 : chance(b, 15) ? 1 : 5 + below(b, 90);
    b->access_chance = chance(b, 30) ? 1 : chance(b, 30) ? 60 : 12;
    b->lo_chance = chance(b, 30) ? 100 : 1 + below(b, 60);
    b->gap_chance = chance(b, 50) ? 0 : below(b, 70);
    b->offering = chance(b, 20) ? 0 : 1 + below(b, 100);
    for (unsigned e = 0; e < ENDS; e++)
        b->taking[e] = chance(b, 20) ? 0 : 1 + below(b, 100);
    if (DATAGRAMS)
        b->datagram_taking = chance(b, 20) ? 0 : 1 + below(b, 100);
    if (COLLECTIVES)
        b->collective_taking = chance(b, 20) ? 0 : 1 + below(b, 100);
    if (reset) {
        struct local_pins in = {.rst = 1};
        struct local_outs out;
        for (int i = 0; i < 2; i++) {
            local_rtl_eval(b->rtl, &in, &out);
            local_rtl_clock(b->rtl);
        }
        static const struct ofr_shape shape = {.n = N,
                                               .flit_bits = W,
                                               .slot_flits = L,
                                               .without = WITHOUT,
                                               .channels = CHANNELS,
                                               .room = 4,
                                               .datagrams = DATAGRAMS,
                                               .collectives = COLLECTIVES};
        struct ofr_local_parts parts = {&b->channels, &b->datagrams, &b->collectives};
        if (!ofr_local_init(&b->model, &shape, &parts))
            differ(b, "ofr_local_init", 1, 0);
        b->li_inside = false;
        b->lo.flits = 0;
        b->loops = b->backs = 0;
        b->steps = b->step = 0;
        memset(&b->access, 0, sizeof b->access);
        memset(&b->pins, 0, sizeof b->pins);
        memset(&b->datagram, 0, sizeof b->datagram);
        memset(&b->collective, 0, sizeof b->collective);
        b->pins_to_write = 0;
        b->to_send = b->to_aim = b->to_commit = false;
        b->since_strobe = 0;
    }
}

// Returns whether RTL and model agreed.
static bool run(uint64_t cycles, uint64_t seed, int fault, struct coverage *cov)
{
    static struct bench bench; // large; one at a time
    static struct packet back[CHANNEL_QUEUE];
    struct bench *b = &bench;
    memset(b, 0, sizeof *b);
    b->back = back;
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
    if (CHANNELS)
        printf("# channels: opened %" PRIu64 ", beats by pins %" PRIu64 ", %" PRIu64
               ", by registers %" PRIu64 ", %" PRIu64 ", broken %" PRIu64
               ", beside the generator's %" PRIu64 " cycles\n",
               c.opened, c.given, c.taken, c.written, c.read, c.broken, c.both);
    bool channels = !CHANNELS || (c.opened && c.given && c.taken && c.written && c.read &&
                                  c.broken && (no_gen || c.both));
    if (DATAGRAMS)
        printf("# datagrams: sent %" PRIu64 ", taken %" PRIu64 ", without a way %" PRIu64
               ", beside another user's %" PRIu64 " cycles; users changed %" PRIu64
               ", beats by registers %" PRIu64 ", %" PRIu64 "\n",
               c.datagrams, c.datagrams_taken, c.no_way, c.beside, c.datagram_attached,
               c.datagram_written, c.datagram_read);
    bool datagrams = !DATAGRAMS || (c.datagrams && c.datagrams_taken && c.beside &&
                                    c.datagram_attached && c.datagram_written && c.datagram_read &&
                                    (c.no_way || WITHOUT & OFR_WITHOUT_PINS));
    if (COLLECTIVES)
        printf("# collectives: beats by pins %" PRIu64 ", %" PRIu64 ", by registers %" PRIu64
               ", %" PRIu64 ", of streams %" PRIu64 ", %" PRIu64 ", operations good with children "
               "%" PRIu64 ", with a parent %" PRIu64 ", failed %" PRIu64 "\n",
               c.user_given, c.user_taken, c.user_written, c.user_read, c.from, c.to, c.good,
               c.as_child, c.bad);
    bool collectives =
        !COLLECTIVES || (c.user_given && c.user_taken && c.user_written && c.user_read && c.from &&
                         c.to && c.good && c.as_child && c.bad);
    result(gen && check && rest && pins && channels && datagrams && collectives,
           "everything was exercised", "");
    // Registers are written at random, so this is what no setting of them can do.
    result(((no_gen && !CHANNELS && !DATAGRAMS) || c.headers) && !c.forged,
           "user traffic never poses as management", "");
    for (int i = 0; i < FAULTS; i++)
        if (!(faults[i].of &
              (WITHOUT | (CHANNELS ? 0 : WITHOUT_CHANNELS) | (DATAGRAMS ? 0 : WITHOUT_DATAGRAMS) |
               (COLLECTIVES ? 0 : WITHOUT_COLLECTIVES))))
            result(!run(cycles, seed, i, NULL), "found a wrong ", faults[i].name);
    printf("1..%d\n", number);
    return failures != 0;
}
