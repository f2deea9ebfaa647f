// SPDX-License-Identifier: Apache-2.0
// ofr_node against its golden model, cycle by cycle, with random register accesses, legal and not:
// what a read shows, which writes are bus errors, and every link pin. Links fall and rise, the node
// is reset. TAP; SEED replays.
#include "node_shim.h"
#include "ofr_regs.h"
#include "packet.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 12, CYCLES = 40000, RESET_CYCLES = 4, MIN_DOWN = 40 };

static uint64_t state; // splitmix64

static uint32_t below(uint32_t n)
{
    uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    z ^= z >> 31;
    return (uint32_t)((z >> 32) * n >> 32);
}

static uint32_t word(void)
{
    return below(1U << 16) << 16 | below(1U << 16);
}

// The neighbour at one port, as its link shows it: packets to the node as credits allow, and what
// the node sends is taken at once.
struct neighbour {
    uint8_t sent[OFR_VCS], received[OFR_VCS], freed[OFR_VCS];
    unsigned left, vc; // flits of the packet to the node
    bool header, inside;
    unsigned down, quiet;
};

struct test {
    struct ofr_shape shape;
    struct node_rtl *rtl;
    void *memory;
    struct ofr_node node;
    uint64_t serial;
    struct neighbour neighbour[OFR_LINKS];
    struct ofr_node_in in;
    struct ofr_datagram_pins datagram;
    struct ofr_collectives_pins collective;
    bool given; // its beat is taken in this cycle
    struct node_bus bus;
    bool was_up[OFR_LINKS];
    unsigned tick;     // cycles since the last one of the links
    unsigned idle;     // cycles to the next access
    bool taken;        // the access is the strobe of this cycle
    uint32_t expected; // what the read shows
    uint64_t cycle;
    uint64_t refused, accepted, packets, resets, datagrams; // datagrams: sent
    uint64_t operations;                                    // of collectives, that have ended
    char why[160];
};

static void differ(struct test *t, const char *what, unsigned at, uint64_t rtl, uint64_t model)
{
    if (!t->why[0])
        snprintf(t->why, sizeof t->why,
                 "cycle %" PRIu64 ": %s %x is %" PRIx64 " in the RTL, %" PRIx64 " in the model",
                 t->cycle, what, at, rtl, model);
}

static unsigned links(const struct test *t)
{
    return 2U * t->shape.n;
}

static uint64_t draw_flit(const struct test *t, bool header)
{
    uint64_t data = (uint64_t)word() << 32 | word();
    if (header) { // coordinates mostly of a 4x4 torus
        data &= ~UINT64_C(0x0ccc);
        if (below(8))
            data |= UINT64_C(1) << OFR_PKT_LEG_LSB;
    }
    return t->shape.flit_bits == 64 ? data : data & ((UINT64_C(1) << t->shape.flit_bits) - 1);
}

static void drive_port(struct test *t, unsigned p, const struct ofr_router_out *out)
{
    struct neighbour *n = &t->neighbour[p];
    struct ofr_node_in *in = &t->in;
    const struct ofr_flit *tx = &out->tx[p];
    in->tx_ready[p] = n->down || below(8) > 0;
    in->rx[p] = (struct ofr_flit){.valid = false};
    in->rx_abort[p] = false;
    if (tx->valid && in->tx_ready[p] && !n->down) {
        if (!n->inside)
            n->received[tx->vc]++;
        n->freed[tx->vc] += tx->last;
    }
    if (tx->valid && in->tx_ready[p])
        n->inside = !tx->last;
    if (!n->down && below(3000) == 0) {
        n->down = MIN_DOWN + below(below(4) ? 200 : 5000);
        in->rx_abort[p] = n->left > 0;
        n->left = 0;
    }
    in->link_up[p] = !n->down;
    in->tx_rebase[p] = n->down == 1;
    for (unsigned v = 0; v < OFR_VCS; v++) {
        if (n->down) { // what was on its way is gone
            n->freed[v] = n->received[v];
            n->sent[v] = out->rx_received[p][v];
        }
        in->tx_credit[p][v] = n->freed[v] & 15;
        in->tx_base[p][v] = n->received[v] & 15;
    }
    if (n->down) {
        n->down--;
        n->quiet = 4;
        return;
    }
    if (n->quiet) {
        n->quiet--;
        return;
    }
    bool pause = t->cycle >> 9 & 1; // so that the node drains
    if (!n->left && !pause && below(4) == 0) {
        unsigned shortest = t->shape.flit_bits == 16 ? 16 : 8;
        n->vc = below(60) ? below(3) : 3;
        n->left = shortest + below(t->shape.slot_flits - shortest + 1U);
        if (below(40) == 0)
            n->left = 1 + below(t->shape.slot_flits + 8U); // too long or too short
        if (n->vc < 3 && ((n->sent[n->vc] - out->rx_credit[p][n->vc]) & 15) >= t->shape.slots)
            n->left = 0;
        else if (n->vc < 3)
            n->sent[n->vc] = (n->sent[n->vc] + 1) & 15;
        n->header = true;
    }
    if (n->left && below(6)) {
        in->rx[p] = (struct ofr_flit){.valid = true,
                                      .vc = (uint8_t)n->vc,
                                      .data = draw_flit(t, n->header),
                                      .last = n->left == 1,
                                      .poison = n->left == 1 && below(20) == 0};
        n->header = false;
        n->left--;
        if (!n->left)
            n->quiet = 4; // behind one that is too short
        t->packets += !n->left;
    }
}

// The link's end at one port, whatever an end may show and more.
static void drive_link(struct test *t, unsigned p)
{
    struct ofr_link_status *link = &t->in.link[p];
    bool fell = t->was_up[p] && !t->in.link_up[p];
    if (below(50) == 0) {
        link->state = below(5);
        link->why = below(12);
        link->peer = (uint64_t)word() << 32 | word();
    }
    // What its neighbour says: mostly that it is better, and not far off
    link->says = below(8) == 0;
    link->says_what = below(8);
    link->says_data = below(4) ? below(256) - 128 : word();
    link->lag = below(4) ? below(256) - 128 : word();
    link->frame = below(4) == 0;
    link->retry = below(20) == 0;
    link->bad = below(20) == 0;
    link->down = fell;
    t->was_up[p] = t->in.link_up[p];
}

// One of block CHANNEL: software joins ends of the node, sends and takes.
static void draw_channel(struct test *t)
{
    struct node_bus *b = &t->bus;
    b->adr += (uint16_t)(4 * below(21));
    if (b->adr == OFR_CHANNEL_SELECT && below(8))
        b->dat_w = below(t->shape.channels);
    if (b->adr == OFR_CHANNEL_PEER && below(8))
        b->dat_w = ofr_coord_word(&t->node.config.me, t->shape.n) | below(t->shape.channels)
                                                                        << OFR_CHANNEL_PEER_END_LSB;
    if (b->adr == OFR_CHANNEL_COMMAND)
        b->dat_w = 1 + below(4);
    if (b->adr == OFR_CHANNEL_CONTROL)
        b->dat_w = 6 + below(4);
    if (b->adr == OFR_CHANNEL_TX_END)
        b->dat_w = below(4);
}

// An access; half of them to where the guards are.
static void draw_access(struct test *t)
{
    static const uint16_t guarded[] = {OFR_NODE_CONTROL, OFR_NODE_SIZE, OFR_NODE_COORD,
                                       OFR_NODE_ROUTING, OFR_NODE_TIE,  OFR_NODE_SEED};
    static const uint16_t others[] = {
        OFR_NODE_ID,          OFR_NODE_SHAPE,       OFR_NODE_STATUS,     OFR_NODE_WATCHDOG,
        OFR_NODE_RING_WAIT,   OFR_NODE_DROPPED,     OFR_GEN_CONTROL,     OFR_GEN_LENGTH,
        OFR_GEN_STATUS,       OFR_GEN_SEED,         OFR_GEN_TARGET,      OFR_OFR_PARAM,
        OFR_OFR_WIDN,         OFR_OFR_COMMIT,       OFR_NODE_TIME,       OFR_NODE_TIME_RATE,
        OFR_NODE_TIME_STATE,  OFR_NODE_TIME_ADD,    OFR_GEN_PERIOD,      OFR_LINKS_UP,
        OFR_LINKS_UP,         OFR_LINKS_UP,         OFR_CHANNEL_CONTROL, OFR_CHANNEL_CONTROL,
        OFR_CHANNEL_CONTROL,  OFR_CHANNEL_CONTROL,  OFR_DATAGRAM_SENT,   OFR_DATAGRAM_SENT,
        OFR_COLLECTIVE_SHAPE, OFR_COLLECTIVE_SHAPE, OFR_COLLECTIVE_SHAPE};
    struct node_bus *b = &t->bus;
    b->stb = true;
    b->we = below(2);
    b->adr = below(2) || !t->node.config.configured
                 ? guarded[below(sizeof guarded / sizeof *guarded)]
                 : others[below(sizeof others / sizeof *others)];
    if (b->adr == OFR_LINKS_UP)
        b->adr += (uint16_t)(4 * below(128));
    if (b->adr == OFR_DATAGRAM_SENT)
        b->adr += (uint16_t)(4 * below(19));
    if (b->adr == OFR_COLLECTIVE_SHAPE)
        b->adr += (uint16_t)(4 * below(18));
    b->dat_w = below(3) ? word() : word() & 0x07070707;
    if (b->adr == OFR_CHANNEL_CONTROL)
        draw_channel(t);
    if (b->adr == OFR_DATAGRAM_TX_TO)
        b->dat_w &= below(8) ? 0x3f033 : 0x3ffff;
    if (b->adr == OFR_DATAGRAM_TX_END && below(8))
        b->dat_w = below(3);
    if (b->adr == OFR_COLLECTIVE_TX_END && below(8))
        b->dat_w = 2 * below(2);
    if (b->adr == OFR_NODE_SIZE && below(3))
        b->dat_w = 0x010404;
    if (b->adr == OFR_NODE_CONTROL)
        b->dat_w = below(4) > 0;
    if (b->adr == OFR_NODE_COORD && below(3))
        b->dat_w &= 0x030303;
    if (b->adr == OFR_NODE_ROUTING && below(3))
        b->dat_w &= 0x0123;
    if (b->adr == OFR_NODE_RING_WAIT || b->adr == OFR_NODE_WATCHDOG)
        b->dat_w = below(16);
    if (b->adr == OFR_GEN_PERIOD)
        b->dat_w = 256 + below(100000);
    if (b->adr == OFR_GEN_LENGTH)
        b->dat_w = (16 + below(2)) | 1U << 16;
}

// The user of datagrams: mostly to nodes that are there.
static void drive_datagrams(struct test *t)
{
    struct ofr_datagram_beat *s = &t->datagram.s;
    bool pause = t->cycle >> 9 & 1; // so that the node drains
    if (!s->valid && below(4) == 0 && (!pause || t->node.local.datagrams->block.inside))
        *s = (struct ofr_datagram_beat){.valid = true,
                                        .data = word() & 0xffff,
                                        .keep = (uint8_t)below(4),
                                        .last = below(6) == 0,
                                        .dest = (uint16_t)(word() & (below(8) ? 0xf033 : 0xffff)),
                                        .cls = (uint8_t)below(below(8) ? 3 : 4)};
    t->datagram.m_ready = below(4) > 0;
    t->in.datagram = &t->datagram;
}

static void compare_datagrams(struct test *t)
{
    struct ofr_datagram_beat rtl, model = ofr_datagrams_m(t->node.local.datagrams);
    bool rtl_ready = node_rtl_datagram(t->rtl, &rtl);
    bool ready = ofr_datagrams_ready(t->node.local.datagrams);
    if (rtl_ready != ready)
        differ(t, "s_datagram_tready", 0, rtl_ready, ready);
    if (rtl.valid != model.valid)
        differ(t, "m_datagram_tvalid", 0, rtl.valid, model.valid);
    else if (model.valid &&
             (rtl.data != model.data || rtl.keep != model.keep || rtl.last != model.last ||
              rtl.source != model.source || rtl.dest != model.dest))
        differ(t, "m_datagram_tdata", 0, rtl.data, model.data);
}

// The user of collectives: messages of 0 to 3 words, mostly taken.
static void drive_collectives(struct test *t)
{
    struct ofr_beat *s = &t->collective.s;
    bool busy = t->node.local.collectives->block.busy;
    if (!s->valid && below(4) == 0) {
        *s = (struct ofr_beat){
            .valid = true, .data = word() & 0xffff, .keep = below(8) ? 3 : 0, .last = below(3) > 0};
        if (!busy)
            t->collective.s_user = (uint8_t)(below(8) ? below(6) | below(8) << 3 : below(128));
    }
    t->collective.m_ready = below(4) > 0;
    t->in.collective = &t->collective;
}

// The pins as the inputs of the cycle that is over leave them.
static void show_collectives(const struct test *t, struct ofr_collective_out *out)
{
    const struct ofr_local *l = &t->node.local;
    struct ofr_collectives_in in = {.pins = &t->collective};
    for (unsigned p = 0; p <= t->shape.collectives; p++) {
        in.from[p] = ofr_channels_from(l->channels, p);
        in.to_ready[p] = ofr_channels_to_ready(l->channels, p);
    }
    ofr_collectives_out(l->collectives, &in, out);
}

static void compare_collectives(struct test *t)
{
    struct ofr_collective_out rtl, model;
    node_rtl_collective(t->rtl, &rtl);
    show_collectives(t, &model);
    if (rtl.s_ready != model.s_ready)
        differ(t, "s_collective_tready", 0, rtl.s_ready, model.s_ready);
    if (rtl.m.valid != model.m.valid)
        differ(t, "m_collective_tvalid", 0, rtl.m.valid, model.m.valid);
    else if (model.m.valid &&
             (rtl.m.data != model.m.data || rtl.m.keep != model.m.keep ||
              rtl.m.last != model.m.last || rtl.m.user != model.m.user || rtl.m_end != model.m_end))
        differ(t, "m_collective_tdata", 0, rtl.m.data, model.m.data);
}

static void compare(struct test *t)
{
    const struct ofr_router_out *model = ofr_node_out(&t->node);
    struct ofr_router_out rtl;
    node_rtl_out(t->rtl, &rtl);
    for (unsigned p = 0; p < links(t); p++) {
        const struct ofr_flit *r = &rtl.tx[p], *m = &model->tx[p];
        if (r->valid != m->valid)
            differ(t, "tx_valid of port", p, r->valid, m->valid);
        else if (m->valid && (r->data != m->data || r->vc != m->vc || r->last != m->last ||
                              r->poison != m->poison))
            differ(t, "flit of port", p, r->data, m->data);
        for (unsigned v = 0; v < OFR_VCS; v++) {
            if (rtl.rx_credit[p][v] != model->rx_credit[p][v])
                differ(t, "credit of port", p, rtl.rx_credit[p][v], model->rx_credit[p][v]);
            if (rtl.rx_received[p][v] != model->rx_received[p][v])
                differ(t, "received by port", p, rtl.rx_received[p][v], model->rx_received[p][v]);
        }
    }
}

static void reset(struct test *t)
{
    unsigned cycles = RESET_CYCLES + below(10);
    memset(t->neighbour, 0, sizeof t->neighbour);
    memset(&t->in, 0, sizeof t->in);
    memset(&t->datagram, 0, sizeof t->datagram);
    memset(&t->collective, 0, sizeof t->collective);
    t->bus.stb = t->taken = false;
    memset(t->was_up, 0, sizeof t->was_up);
    t->tick = 0;
    t->idle = 300; // the counters and the destination table clear themselves
    while (cycles--)
        node_rtl_step(t->rtl, true, &t->in, &t->bus);
    ofr_node_init(&t->node, &t->shape, t->serial, t->memory);
    for (unsigned p = 0; p < links(t); p++)
        t->neighbour[p].down = 1 + below(100);
    t->resets++;
}

static void cycle(struct test *t)
{
    for (unsigned p = 0; p < links(t); p++) {
        drive_port(t, p, ofr_node_out(&t->node));
        drive_link(t, p);
    }
    drive_datagrams(t);
    drive_collectives(t);
    t->in.link_tick = ++t->tick == 1U << t->shape.links;
    if (t->in.link_tick)
        t->tick = 0;
    if (!t->bus.stb && t->idle-- == 0)
        draw_access(t);
    bool strobe = t->taken;
    t->in.access = strobe;
    if (strobe && !t->bus.we)
        t->expected = ofr_node_read(&t->node, t->bus.adr);
    node_rtl_step(t->rtl, false, &t->in, &t->bus);
    struct ofr_collective_out member;
    show_collectives(t, &member);
    t->given = t->collective.s.valid && member.s_ready;
    bool given = t->datagram.s.valid && ofr_datagrams_ready(t->node.local.datagrams);
    uint32_t sent = t->node.local.datagrams->block.sent;
    ofr_node_step(&t->node, &t->in);
    if (given)
        t->datagram.s.valid = false;
    t->datagrams += t->node.local.datagrams->block.sent != sent;
    t->cycle++;
    compare(t);
    t->taken = t->bus.stb && !strobe;
    if (!strobe)
        return;
    struct node_seen seen = node_rtl_bus(t->rtl);
    bool error = false;
    if (t->bus.we)
        ofr_node_write(&t->node, t->bus.adr, t->bus.dat_w, &error);
    else if (seen.dat_r != t->expected)
        differ(t, "register", t->bus.adr, seen.dat_r, t->expected);
    if (seen.err != error || seen.ack == error)
        differ(t, t->bus.we ? "error of a write to" : "error of a read of", t->bus.adr, seen.err,
               error);
    t->refused += error;
    t->accepted += t->bus.we && !error;
    t->bus.stb = t->taken = false;
    t->idle = 2 + below(below(4) ? 10 : 300);
    if (!t->node.config.configured && below(2)) // the topology can be written, as soon as it drains
        t->idle = 2 + below(3);
}

static void step(struct test *t)
{
    const struct ofr_collectives *c = t->node.local.collectives;
    unsigned ended = (unsigned)c->good + c->failed;
    cycle(t);
    compare_datagrams(t);
    compare_collectives(t);
    t->operations += (unsigned)c->good + c->failed > ended;
    if (t->given)
        t->collective.s.valid = false;
}

int main(void)
{
    const char *text = getenv("SEED");
    uint64_t seed = text ? strtoull(text, NULL, 10) : 1;
    bool failed = false;
    uint64_t refused = 0, accepted = 0, packets = 0, datagrams = 0, operations = 0;
    unsigned number = 0;
    printf("# seed %" PRIu64 "\n", seed);
    for (; number < RUNS && !failed; number++) {
        struct test t = {.shape = node_rtl_shape()};
        state = seed + number;
        t.serial = (uint64_t)word() << 32 | word();
        t.rtl = node_rtl_new(t.serial, word());
        t.memory = malloc(ofr_node_size(&t.shape));
        if (!t.rtl || !t.memory) {
            fprintf(stderr, "test_node: out of memory\n");
            node_rtl_delete(t.rtl);
            free(t.memory);
            return 2;
        }
        reset(&t);
        while (t.cycle < CYCLES && !t.why[0]) {
            if (below(4000) == 0 && !t.taken)
                reset(&t);
            step(&t);
        }
        failed = t.why[0];
        printf("%sok %u - %" PRIu64 " cycles, %" PRIu64 " resets, %" PRIu64 " packets, %" PRIu64
               " writes, %" PRIu64 " refused\n",
               failed ? "not " : "", number + 1, t.cycle, t.resets, t.packets, t.accepted,
               t.refused);
        if (failed)
            printf("# %s\n# SEED=%" PRIu64 " shows it again\n", t.why, seed + number);
        refused += t.refused;
        accepted += t.accepted;
        packets += t.packets;
        datagrams += t.datagrams;
        operations += t.operations;
        node_rtl_delete(t.rtl);
        free(t.memory);
    }
    bool met = refused > 1000 && accepted > 1000 && packets > 1000 && datagrams > 1000 &&
               operations > 1000;
    if (!failed)
        printf("%sok %u - met: packets, datagrams, collectives, writes, and writes refused\n",
               met ? "" : "not ", ++number);
    printf("1..%u\n", number);
    return failed || !met;
}
