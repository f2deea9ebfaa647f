// SPDX-License-Identifier: Apache-2.0
#include "fabric.h"

#include "packet.h"
#include "pattern.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum {
    CABLE_FLITS = 64, // in flight on a cable; its ready falls when full
    MAX_LATENCY = 16,
    ABORT_QUIET = 4, // cycles without a flit from an abort on
    MAX_FLITS = 2048,
    MIN_DOWN = 8,       // cycles that a link is down, rtl/README.md; and as many as its cable is
    LAST_WORDS = 4,     // long and this: until its ends know what has been received
    LOST_AFTER = 20000, // cycles after which a packet that may be lost is taken to be
    LATE_HEADER = 16,   // cycles for which a header may come out after its link fell
};

struct packet {
    bool outstanding;
    bool directed;
    uint8_t class, lvc;
    uint16_t length; // flits
    uint32_t dst;
    uint64_t header, born, injected; // injected: 0 not yet
};

struct cable_flit {
    struct ofr_flit flit;
    bool abort;
    uint64_t due;
};

// From an output port to the input port it is plugged into, and the credits back.
struct cable {
    bool present;
    uint32_t to_node;
    unsigned to_port, latency;
    struct cable_flit ring[CABLE_FLITS];
    unsigned head, count;
    bool ready;           // what the sender was told this cycle
    bool inside, cutting; // sender's side: inside a packet; its rest is dropped
    unsigned position, cut_at;
    uint64_t quiet_until;
    uint8_t credits[MAX_LATENCY][OFR_VCS];  // of the receiver, by cycle
    uint8_t received[MAX_LATENCY][OFR_VCS]; // likewise: the packets that it has received
    uint64_t down_from, down_until;
    // Receiver's end: inside a packet; it fell there; and what is wrong with the packet.
    bool rx_inside, abort_due;
    unsigned rx_position, stray, short_at, stretch;
    bool swallow;
};

struct node {
    struct packet *packet; // o.outstanding of them
    uint16_t next_seq;
    uint16_t *queue[OFR_VCS]; // sequence numbers waiting per local VC
    unsigned queue_head[OFR_VCS], queue_count[OFR_VCS];
    double credit;         // flits that the offered load allows
    unsigned message_left; // packets of the present message to come
    uint32_t message, message_dst;
    bool sending;
    unsigned lvc, position, send_length;
    uint16_t seq;
    uint64_t reset_until;
    uint64_t received[MAX_FLITS];
    unsigned received_count;
    struct cable cable[OFR_LINKS];
};

struct fabric {
    struct fabric_options o;
    struct rng rng;
    uint64_t cycle;
    uint32_t nodes;
    bool stopped, held;
    struct fabric_totals totals;
    uint64_t outstanding, born_sum; // packets on their way, and the sum of their birth cycles
    char error[200];
    const struct packet *ping;
    uint64_t ping_cycles;
    uint16_t *last_seq; // [src][dst][management]: in-order packets' latest, + 1
    struct node *node;
};

static void fail(struct fabric *f, const char *format, ...)
{
    va_list args;
    if (f->error[0])
        return;
    va_start(args, format);
    vsnprintf(f->error, sizeof f->error, format, args);
    va_end(args);
}

// Flit j of a packet: the header words first, then a hash of who it is.
static uint64_t content(const struct fabric *f, const struct packet *p, unsigned j)
{
    unsigned bits = f->o.shape.flit_bits;
    uint64_t mask = bits == 64 ? ~UINT64_C(0) : (UINT64_C(1) << bits) - 1;
    if (j * bits < 64)
        return (p->header >> (j * bits)) & mask;
    struct rng hash = {(p->header & ~UINT64_C(0xffff)) * 31 + j};
    return rng_next(&hash) & mask;
}

static bool new_rings(const struct fabric *f, struct node *u)
{
    u->packet = calloc(f->o.outstanding, sizeof *u->packet);
    bool ok = u->packet;
    for (unsigned v = 0; v < OFR_VCS; v++) {
        u->queue[v] = calloc(f->o.outstanding, sizeof *u->queue[v]);
        ok = ok && u->queue[v];
    }
    return ok;
}

struct fabric *fabric_new(const struct fabric_options *options)
{
    struct fabric *f = calloc(1, sizeof *f);
    if (!f)
        return NULL;
    f->o = *options;
    if (!f->o.outstanding)
        f->o.outstanding = 1024;
    f->rng.state = options->seed;
    f->nodes = ofr_nodes(&options->torus);
    f->node = calloc(f->nodes, sizeof *f->node);
    f->last_seq = calloc((size_t)f->nodes * f->nodes * 2, sizeof *f->last_seq);
    if (!f->node || !f->last_seq) {
        fabric_free(f);
        return NULL;
    }
    for (uint32_t n = 0; n < f->nodes; n++) {
        if (!new_rings(f, &f->node[n])) {
            fabric_free(f);
            return NULL;
        }
        struct ofr_coord at = ofr_node_coord(&options->torus, n);
        uint32_t exists = ofr_existing_ports(&options->torus, &at);
        for (unsigned p = 0; p < 2U * options->torus.n; p++) {
            struct cable *c = &f->node[n].cable[p];
            struct ofr_coord to = ofr_neighbour(&options->torus, at, p);
            c->present = exists >> p & 1 && !options->linked;
            c->to_node = ofr_node_id(&options->torus, &to);
            c->to_port = p ^ 1;
            c->latency = 1 + rng_below(&f->rng, options->latency);
        }
    }
    return f;
}

void fabric_free(struct fabric *f)
{
    if (!f)
        return;
    for (uint32_t n = 0; f->node && n < f->nodes; n++) {
        free(f->node[n].packet);
        for (unsigned v = 0; v < OFR_VCS; v++)
            free(f->node[n].queue[v]);
    }
    free(f->node);
    free(f->last_seq);
    free(f);
}

uint32_t fabric_nodes(const struct fabric *f)
{
    return f->nodes;
}

static void done_with(struct fabric *f, struct packet *p)
{
    p->outstanding = false;
    f->outstanding--;
    f->born_sum -= p->born;
}

void fabric_hold(struct fabric *f, bool held)
{
    f->held = held;
}

void fabric_stop(struct fabric *f)
{
    for (uint32_t n = 0; n < f->nodes && !f->stopped; n++) {
        struct node *u = &f->node[n];
        u->sending = u->sending && u->position > 0;
        for (unsigned v = 0; v < OFR_VCS; v++) {
            for (unsigned i = 0; i < u->queue_count[v]; i++)
                done_with(f, &u->packet[u->queue[v][(u->queue_head[v] + i) % f->o.outstanding] %
                                        f->o.outstanding]);
            u->queue_count[v] = 0;
        }
    }
    f->stopped = true;
}

// --- Traffic
// ---------------------------------------------------------------------------------------

// The destination of the next packet: a message's packets share theirs (paper, sec. 4).
static uint32_t next_destination(struct fabric *f, uint32_t n)
{
    struct node *u = &f->node[n];
    if (u->message_left-- > 0)
        return u->message_dst;
    u->message_left = f->o.message_packets ? f->o.message_packets - 1 : 0;
    uint32_t message = f->o.only_bit ? f->o.only_bit - 1 : u->message;
    u->message++;
    if (f->o.pattern == OFR_GEN_CONTROL_PATTERN_UNIFORM) {
        u->message_dst = rng_below(&f->rng, f->nodes);
    } else if (f->o.pattern == OFR_GEN_CONTROL_PATTERN_FIXED) {
        u->message_dst = n == f->o.target ? 0 : f->o.target;
    } else {
        struct ofr_coord from = ofr_node_coord(&f->o.torus, n);
        struct ofr_coord to = ofr_pattern_destination(&f->o.torus, f->o.pattern, &from, message);
        u->message_dst = ofr_node_id(&f->o.torus, &to);
    }
    return u->message_dst;
}

static unsigned draw_class(struct fabric *f)
{
    unsigned total = f->o.class_weight[0] + f->o.class_weight[1] + f->o.class_weight[2];
    unsigned at = rng_below(&f->rng, total);
    for (unsigned c = 0; c < 2; c++) {
        if (at < f->o.class_weight[c])
            return c;
        at -= f->o.class_weight[c];
    }
    return 2;
}

// A free packet of node n's ring, or NULL; `held` counts those that found none.
static struct packet *new_packet(struct fabric *f, uint32_t n)
{
    struct node *u = &f->node[n];
    struct packet *p = &u->packet[u->next_seq % f->o.outstanding];
    if (p->outstanding && f->o.lossy && p->injected && f->cycle - p->injected > LOST_AFTER)
        done_with(f, p);
    if (p->outstanding) {
        f->totals.held++;
        return NULL;
    }
    *p = (struct packet){.outstanding = true, .born = f->cycle};
    p->length =
        (uint16_t)(f->o.length_min + rng_below(&f->rng, f->o.length_max - f->o.length_min + 1));
    return p;
}

// The IDN by which in-order packets from src to dst go, as the destination table would have it; dst
// itself if they go straight. The same for all packets of a pair: they stay in order.
static uint32_t pinned_via(const struct fabric *f, uint32_t src, uint32_t dst)
{
    struct rng hash = {f->o.seed ^ ((uint64_t)src * f->nodes + dst)};
    if (!rng_chance(&hash, f->o.pin_permille))
        return dst;
    uint32_t via = rng_below(&hash, f->nodes);
    return via == src ? dst : via;
}

// Makes the header and queues the packet; target: coordinates, or the port of a directed packet.
static void enqueue(struct fabric *f, uint32_t n, struct packet *p, bool mgmt, unsigned target)
{
    struct node *u = &f->node[n];
    struct ofr_coord me = ofr_node_coord(&f->o.torus, n);
    p->lvc = mgmt                                ? OFR_LVC_MGMT
             : p->class == OFR_PKT_CLASS_DEROUTE ? OFR_LVC_DEROUTE
                                                 : OFR_LVC_USER;
    uint32_t via = p->class == OFR_PKT_CLASS_INORDER ? pinned_via(f, n, p->dst) : p->dst;
    struct ofr_coord idn = ofr_node_coord(&f->o.torus, via);
    bool leg = via == p->dst;
    struct ofr_header header = {.target =
                                    leg ? (uint16_t)target : ofr_coord_word(&idn, f->o.torus.n),
                                .cls = p->class,
                                .leg = leg,
                                .mgmt = mgmt,
                                .dest = (uint16_t)target,
                                .source = ofr_coord_word(&me, f->o.torus.n),
                                .seq = u->next_seq};
    p->header = ofr_header_pack(&header);
    unsigned v = p->lvc;
    u->queue[v][(u->queue_head[v] + u->queue_count[v]++) % f->o.outstanding] = u->next_seq;
    u->next_seq++;
    f->totals.generated++;
    f->outstanding++;
    f->born_sum += p->born;
}

static void generate(struct fabric *f, uint32_t n)
{
    struct node *u = &f->node[n];
    struct packet *p = new_packet(f, n);
    unsigned target = 0;
    if (!p)
        return;
    bool mgmt = rng_chance(&f->rng, f->o.mgmt_permille);
    p->class = (uint8_t)(mgmt ? OFR_PKT_CLASS_INORDER : draw_class(f));
    if (mgmt && rng_chance(&f->rng, 300)) {
        unsigned port = rng_below(&f->rng, 2U * f->o.torus.n);
        if (u->cable[port].present) {
            p->directed = true;
            p->class = OFR_PKT_CLASS_DIRECTED;
            p->dst = u->cable[port].to_node;
            target = port;
        }
    }
    if (!p->directed) {
        p->dst = next_destination(f, n);
        struct ofr_coord to = ofr_node_coord(&f->o.torus, p->dst);
        target = ofr_coord_word(&to, f->o.torus.n);
    }
    enqueue(f, n, p, mgmt, target);
}

bool fabric_ping(struct fabric *f, uint32_t src, bool directed, uint32_t dst_or_port)
{
    struct packet *p = new_packet(f, src);
    if (!p)
        return false;
    unsigned target = dst_or_port;
    p->directed = directed;
    p->class = directed ? OFR_PKT_CLASS_DIRECTED : OFR_PKT_CLASS_INORDER;
    p->dst = directed ? f->node[src].cable[dst_or_port].to_node : dst_or_port;
    if (!directed) {
        struct ofr_coord to = ofr_node_coord(&f->o.torus, p->dst);
        target = ofr_coord_word(&to, f->o.torus.n);
    }
    enqueue(f, src, p, true, target);
    f->ping = p;
    f->ping_cycles = 0;
    return true;
}

uint64_t fabric_ping_cycles(const struct fabric *f)
{
    return f->ping_cycles;
}

static bool malformed(struct fabric *f)
{
    return f->o.malformed_permille && rng_chance(&f->rng, f->o.malformed_permille);
}

// Flits of a packet that is too short or too long.
static unsigned wrong_length(struct fabric *f)
{
    if (rng_below(&f->rng, 2))
        return 1 + rng_below(&f->rng, 3);
    return f->o.shape.slot_flits + 1 + rng_below(&f->rng, 6);
}

static void drive_local(struct fabric *f, uint32_t n, const struct ofr_router_out *out,
                        struct ofr_router_in *in)
{
    struct node *u = &f->node[n];
    if (f->cycle < u->reset_until)
        return;
    if (f->held)
        return;
    u->credit += f->o.load_permille / 1000.0;
    unsigned packets = f->o.message_packets ? f->o.message_packets : 1;
    double mean = packets * (f->o.length_min + f->o.length_max) / 2.0;
    while (!f->stopped && u->credit >= mean && (!f->o.messages || u->message < f->o.messages)) {
        u->credit -= mean;
        for (unsigned i = 0; i < packets; i++)
            generate(f, n);
    }
    if (!u->sending) {
        unsigned first = rng_below(&f->rng, OFR_VCS);
        for (unsigned step = 0; step < OFR_VCS && !u->sending; step++) {
            unsigned v = (first + step) % OFR_VCS;
            if (!u->queue_count[v] || (!out->li_ready[v] && !rng_chance(&f->rng, 100)))
                continue;
            u->sending = true;
            u->lvc = v;
            u->position = 0;
            u->seq = u->queue[v][u->queue_head[v]];
            u->send_length =
                malformed(f) ? wrong_length(f) : u->packet[u->seq % f->o.outstanding].length;
        }
    }
    if (!u->sending && malformed(f)) // on no VC: never taken
        in->li = (struct ofr_flit){.valid = true, .vc = OFR_VCS, .last = true};
    // Full speed at high load and inside a message, else a gap now and then
    bool gaps = f->o.load_permille < 700 && !f->o.message_packets;
    if (!u->sending || rng_chance(&f->rng, gaps ? 50 : 0))
        return;
    struct packet *p = &u->packet[u->seq % f->o.outstanding];
    in->li = (struct ofr_flit){.valid = true,
                               .vc = (uint8_t)u->lvc,
                               .data = content(f, p, u->position),
                               .last = u->position + 1U == u->send_length};
    if (!out->li_ready[u->lvc]) {
        u->sending = u->position > 0; // may think again
        return;
    }
    if (u->position++ == 0) {
        p->injected = f->cycle;
        u->queue_head[u->lvc] = (u->queue_head[u->lvc] + 1) % f->o.outstanding;
        u->queue_count[u->lvc]--;
        f->totals.injected++;
    }
    if (in->li.last)
        u->sending = false;
}

static void check_packet(struct fabric *f, uint32_t n, bool poison)
{
    struct node *u = &f->node[n];
    unsigned bits = f->o.shape.flit_bits;
    uint64_t header = 0;
    for (unsigned j = 0; j * bits < 64; j++)
        header |= u->received[j] << (j * bits);
    if (poison) {
        f->totals.cut++;
        if (!f->o.abort_permille && !f->o.lossy)
            fail(f, "node %u: a poisoned packet that nobody cut", n);
        return;
    }
    if (f->o.unchecked) {
        f->totals.delivered++;
        return;
    }
    struct ofr_coord me = ofr_node_coord(&f->o.torus, n);
    struct ofr_coord from = {{header >> OFR_PKT_SRC_X_LSB & 15, header >> OFR_PKT_SRC_Y_LSB & 15,
                              header >> OFR_PKT_SRC_Z_LSB & 15}};
    if (!ofr_inside(&f->o.torus, &from)) {
        fail(f, "node %u: source outside the torus", n);
        return;
    }
    uint32_t src = ofr_node_id(&f->o.torus, &from);
    uint16_t seq = (uint16_t)(header >> OFR_PKT_SEQ_LSB);
    struct packet *p = &f->node[src].packet[seq % f->o.outstanding];
    // Taken to be lost, and another one has its place
    if (f->o.lossy && (uint16_t)(f->node[src].next_seq - seq) > f->o.outstanding)
        return;
    if (!p->outstanding || (uint16_t)(p->header >> OFR_PKT_SEQ_LSB) != seq) {
        fail(f, "node %u: packet %u of node %u twice, or never sent", n, seq, src);
        return;
    }
    done_with(f, p);
    if (p == f->ping) {
        f->ping = NULL;
        f->ping_cycles = f->cycle - p->born;
    }
    if (p->dst != n)
        fail(f, "node %u: packet %u of node %u is for node %u", n, seq, src, p->dst);
    if (u->received_count != p->length)
        fail(f, "node %u: packet %u of node %u has %u flits, not %u", n, seq, src,
             u->received_count, p->length);
    unsigned target = (unsigned)header & 0xfff;
    bool arrival = p->directed && (target & 15) == (f->node[src].cable[p->header & 15].to_port);
    if (!arrival && (p->directed || target != ofr_coord_word(&me, f->o.torus.n)))
        fail(f, "node %u: packet %u of node %u has target %03x", n, seq, src, target);
    // Words 0 and 1 change on the way: target, leg, and the IDN in place of the destination
    uint64_t leg = (uint64_t)1 << OFR_PKT_LEG_LSB;
    if (!(header & leg) || ((header ^ p->header) & ~(UINT64_C(0x0fff0fff) | leg)))
        fail(f, "node %u: packet %u of node %u: header %016llx, sent %016llx", n, seq, src,
             (unsigned long long)header, (unsigned long long)p->header);
    for (unsigned j = 0; j < p->length; j++)
        if (j * bits >= 64 && u->received[j] != content(f, p, j))
            fail(f, "node %u: packet %u of node %u damaged at flit %u", n, seq, src, j);
    if (p->class == OFR_PKT_CLASS_INORDER) {
        bool mgmt = p->lvc == OFR_LVC_MGMT;
        uint16_t *last = &f->last_seq[((size_t)src * f->nodes + n) * 2 + mgmt];
        if (*last && (int16_t)(seq - (uint16_t)(*last - 1)) <= 0)
            fail(f, "node %u: in-order packet %u of node %u after %u", n, seq, src, *last - 1U);
        *last = (uint16_t)(seq + 1);
    }
    f->totals.delivered++;
    f->totals.flits_delivered += p->length;
    f->totals.latency_sum += f->cycle - p->born;
}

static void take_local(struct fabric *f, uint32_t n, const struct ofr_router_out *out,
                       struct ofr_router_in *in)
{
    struct node *u = &f->node[n];
    in->lo_ready = !rng_chance(&f->rng, 1000 - f->o.sink_permille);
    if (!out->lo.valid || !in->lo_ready || f->cycle < u->reset_until)
        return;
    if (u->received_count == MAX_FLITS) {
        fail(f, "node %u: a packet without end", n);
        return;
    }
    u->received[u->received_count++] = out->lo.data;
    if (out->lo.last) {
        check_packet(f, n, out->lo.poison);
        u->received_count = 0;
    }
}

// --- Cables
// ----------------------------------------------------------------------------------------

static void push(struct fabric *f, struct cable *c, const struct ofr_flit *flit, bool abort)
{
    struct cable_flit *at = &c->ring[(c->head + c->count++) % CABLE_FLITS];
    *at = (struct cable_flit){.abort = abort, .due = f->cycle + c->latency};
    if (flit)
        at->flit = *flit;
}

// Sender's end: takes what the router sends.
static void feed_cable(struct fabric *f, struct cable *c, const struct ofr_flit *tx)
{
    if (!tx->valid || !c->ready)
        return;
    if (!c->inside) {
        c->cutting = false;
        c->position = 0;
        c->cut_at =
            rng_chance(&f->rng, f->o.abort_permille) ? 1 + rng_below(&f->rng, f->o.length_max) : 0;
    }
    if (c->cut_at && c->position == c->cut_at) {
        c->cutting = true;
        push(f, c, NULL, true);
    }
    if (!c->cutting)
        push(f, c, tx, false);
    c->position++;
    c->inside = !tx->last;
}

// What can be wrong with the packet whose header comes next.
static void spoil(struct fabric *f, struct cable *c)
{
    c->short_at = 0;
    c->stretch = 0;
    if (!malformed(f))
        return;
    switch (rng_below(&f->rng, 3)) {
    case 0:
        c->stray = 1 + rng_below(&f->rng, f->o.shape.slot_flits + 6U);
        break;
    case 1:
        c->short_at = 1 + rng_below(&f->rng, 3);
        break;
    default:
        c->stretch = 1 + rng_below(&f->rng, 6);
    }
}

// The next flit as the receiver sees it. Returns whether it is the cable's own, which then is gone.
static bool receive(struct fabric *f, struct cable *c, const struct ofr_flit *flit,
                    struct ofr_flit *seen)
{
    if (!c->rx_inside && !c->swallow && !c->stray && c->rx_position == 0)
        spoil(f, c);
    if (c->stray) { // a packet on no VC
        *seen = (struct ofr_flit){
            .valid = true, .vc = OFR_VCS, .data = rng_next(&f->rng) & 0xffff, .last = !--c->stray};
        c->rx_position = c->stray ? 0 : 1; // then the real one
        return false;
    }
    if (c->swallow) { // the rest of one that was too short
        c->swallow = !flit->last;
        c->rx_position = 0;
        return true;
    }
    *seen = *flit;
    unsigned position = c->rx_inside ? c->rx_position : 0;
    c->rx_position = position + 1;
    c->rx_inside = !flit->last;
    if (position > 0 && malformed(f)) // the VC counts in the header, poison in the tail
        seen->vc = (uint8_t)rng_below(&f->rng, OFR_VCS + 1);
    if (!flit->last && malformed(f))
        seen->poison = true;
    if (position == 0 && f->o.unchecked && malformed(f))
        seen->data ^= rng_next(&f->rng) & 0xffff;
    if (c->short_at == position + 1) {
        seen->last = true;
        c->swallow = !flit->last;
        c->rx_inside = false;
        c->rx_position = 0;
        if (!f->o.unchecked) // else the next packet may be dropped, and its slot with it
            c->quiet_until = f->cycle + ABORT_QUIET;
        return true;
    }
    if (flit->last && c->stretch) { // goes on, until it is longer than a slot
        seen->last = c->rx_position >= f->o.shape.slot_flits + c->stretch;
        c->rx_inside = !seen->last;
        if (seen->last)
            c->rx_position = 0;
        return seen->last;
    }
    if (flit->last)
        c->rx_position = 0;
    return true;
}

// Receiver's end: the pins of this cycle.
static void drain_cable(struct fabric *f, struct cable *c, struct ofr_router_in *in)
{
    struct cable_flit *at = &c->ring[c->head];
    if (!c->rx_inside && !c->swallow && !c->stray && f->cycle >= c->quiet_until && malformed(f)) {
        in->rx_abort[c->to_port] = true; // with no packet under way: it does nothing
        c->quiet_until = f->cycle + ABORT_QUIET;
        return;
    }
    if (!c->count || at->due > f->cycle || f->cycle < c->quiet_until ||
        rng_chance(&f->rng, f->o.gap_permille))
        return;
    if (at->abort) {
        in->rx_abort[c->to_port] = true;
        c->quiet_until = f->cycle + ABORT_QUIET;
        c->rx_inside = c->swallow = false;
        c->rx_position = c->stray = 0;
    } else if (!receive(f, c, &at->flit, &in->rx[c->to_port])) {
        return;
    }
    c->count--;
    c->head = c->count ? (c->head + 1) % CABLE_FLITS : 0; // 0: stays in the cache
}

// A link that is down takes what the router sends and drops it to the tail; its credits may be
// anything until it has been trained. It ends with an abort what had come in half.
static void idle_cable(struct fabric *f, struct cable *c, const struct ofr_flit *tx,
                       struct ofr_router_in *near, unsigned port, struct ofr_router_in *far)
{
    near->tx_ready[port] = c->ready = true;
    if (tx->valid) {
        c->inside = !tx->last;
        c->cutting = true;
    }
    far->rx_abort[c->to_port] = c->abort_due;
    c->abort_due = false;
    near->tx_rebase[port] = f->cycle + 1 + rng_below(&f->rng, 3) >= c->down_until;
    for (unsigned v = 0; v < OFR_VCS && !near->tx_rebase[port]; v++) {
        near->tx_credit[port][v] = rng_next(&f->rng) & 15;
        near->tx_base[port][v] = rng_next(&f->rng) & 15;
    }
}

static void fall(struct fabric *f, struct cable *c, uint64_t until)
{
    if (c->down_until <= f->cycle)
        c->down_from = f->cycle;
    if (c->down_until < until)
        c->down_until = until;
    c->abort_due = c->abort_due || c->rx_inside || c->stray;
    c->rx_inside = c->swallow = false;
    c->rx_position = c->stray = 0;
    c->cutting = c->inside;
    c->count = c->head = 0;
    c->quiet_until = f->cycle + ABORT_QUIET;
}

void fabric_cut(struct fabric *f, uint32_t node, unsigned port, unsigned cycles)
{
    struct cable *c = &f->node[node].cable[port], *back;
    if (!c->present)
        return;
    back = &f->node[c->to_node].cable[c->to_port];
    unsigned length = c->latency > back->latency ? c->latency : back->latency;
    unsigned least = length + LAST_WORDS > MIN_DOWN ? length + LAST_WORDS : MIN_DOWN;
    uint64_t until = f->cycle + (cycles < least ? least : cycles);
    fall(f, c, until);
    fall(f, back, until);
}

void fabric_reset(struct fabric *f, uint32_t node, unsigned cycles)
{
    struct node *u = &f->node[node];
    u->reset_until = f->cycle + cycles;
    u->sending = false;
    u->received_count = 0;
    for (unsigned p = 0; p < 2U * f->o.torus.n; p++)
        fabric_cut(f, node, p, cycles + MAX_LATENCY + LAST_WORDS + rng_below(&f->rng, 100));
}

void fabric_cycle(struct fabric *f, const struct ofr_router_out *const out[],
                  struct ofr_router_in in[])
{
    for (uint32_t n = 0; n < f->nodes; n++)
        memset(&in[n], 0, sizeof in[n]);
    for (uint32_t n = 0; n < f->nodes; n++) {
        for (unsigned p = 0; p < 2U * f->o.torus.n; p++) {
            struct cable *c = &f->node[n].cable[p];
            in[n].link_up[p] = c->present && f->cycle >= c->down_until;
            if (!c->present)
                continue;
            unsigned now = f->cycle % MAX_LATENCY;
            memcpy(c->credits[now], out[c->to_node]->rx_credit[c->to_port], OFR_VCS);
            memcpy(c->received[now], out[c->to_node]->rx_received[c->to_port], OFR_VCS);
            if (f->cycle >= c->latency) {
                unsigned then = (f->cycle - c->latency) % MAX_LATENCY;
                memcpy(in[n].tx_credit[p], c->credits[then], OFR_VCS);
                memcpy(in[n].tx_base[p], c->received[then], OFR_VCS);
            }
            if (!in[n].link_up[p]) {
                if (out[n]->tx[p].valid && !c->inside && f->cycle > c->down_from + LATE_HEADER)
                    fail(f,
                         "cycle %" PRIu64 ": node %u sends a header out of port %u, whose link "
                         "fell in cycle %" PRIu64,
                         f->cycle, n, p, c->down_from);
                idle_cable(f, c, &out[n]->tx[p], &in[n], p, &in[c->to_node]);
                if (f->cycle < f->node[n].reset_until) // what the router was sending has no tail
                    c->inside = c->cutting = false;
                continue;
            }
            c->ready =
                c->count < CABLE_FLITS - 2 && !rng_chance(&f->rng, 1000 - f->o.ready_permille);
            in[n].tx_ready[p] = c->ready;
            feed_cable(f, c, &out[n]->tx[p]);
            drain_cable(f, c, &in[c->to_node]);
        }
        drive_local(f, n, out[n], &in[n]);
        take_local(f, n, out[n], &in[n]);
    }
    f->cycle++;
}

uint64_t fabric_skip(struct fabric *f, uint64_t cycles)
{
    cycles -= cycles % MAX_LATENCY; // leaves the rings of credits as they are
    for (uint32_t n = 0; n < f->nodes; n++)
        f->node[n].credit += (double)cycles * f->o.load_permille / 1000.0;
    f->cycle += cycles;
    return cycles;
}

bool fabric_drained(const struct fabric *f)
{
    if (f->outstanding && !f->o.abort_permille && !f->o.lossy)
        return false;
    for (uint32_t n = 0; n < f->nodes; n++) {
        if (f->node[n].sending || f->node[n].received_count)
            return false;
        for (unsigned v = 0; v < OFR_VCS; v++)
            if (f->node[n].queue_count[v])
                return false;
        for (unsigned p = 0; p < OFR_LINKS; p++)
            if (f->node[n].cable[p].count || f->node[n].cable[p].inside)
                return false;
    }
    return true;
}

const char *fabric_error(const struct fabric *f)
{
    return f->error[0] ? f->error : NULL;
}

struct fabric_totals fabric_totals(const struct fabric *f)
{
    struct fabric_totals totals = f->totals;
    totals.age_sum = f->outstanding * f->cycle - f->born_sum;
    return totals;
}
