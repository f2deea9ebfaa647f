// SPDX-License-Identifier: Apache-2.0
#include "router.h"

#include "credit.h"
#include "packet.h"
#include "route.h"

#include <string.h>

enum {
    DISCARD = 15, // "output" of a packet that goes nowhere
    FLAG_LAST = 1,
    FLAG_POISON = 2,
    FLAG_ORDER_SHIFT = 1, // header flits keep the rdr order where tails keep the poison bit
    MIN_FLITS = 4,        // no packet is shorter, a cut-off one neither
    SETTLED = 3,
    SETTLE_CYCLES = 16, // in which the RTL writes each table once
    STARVING = 2,       // ring-wait ticks after which an entry counts as starving
};

enum reason { UNROUTED, NO_CREDIT, NO_DECISION, GRANTABLE };

// What stage A found for a header: registered, used by stage B in the next cycle.
struct request {
    enum reason reason;
    uint8_t out; // port or DISCARD
    uint8_t vc;
    bool refused; // enters an escape ring, and the bubble rule or the threshold said no
};

struct input {
    // Arrival: the flit that came last (valid: not yet written), and where it is written. The data
    // stay until the next flit, and fill up a packet that is cut off.
    struct ofr_flit in;
    bool in_abort;
    bool in_first;
    bool in_swap; // a header that meets its IDN
    uint8_t in_flags;
    bool open; // the pins are inside a packet
    bool drop; // ... of which nothing more is taken
    uint8_t open_vc;
    bool busy; // a packet is half written
    bool cut;  // an aborted packet is being filled up to MIN_FLITS
    uint8_t write_vc;
    uint16_t write_offset;
    uint8_t write_slot[OFR_VCS];
    uint8_t received[OFR_VCS]; // headers written, modulo 16
    // Waiting packets per VC: the candidate's is one of them.
    uint8_t waiting[OFR_VCS];
    uint8_t head_slot[OFR_VCS];
    // Candidate: the one header that stages A and B work on.
    bool cand;
    uint8_t cand_vc;
    uint8_t cand_order;
    bool cand_decided;  // the OFR unit's decision is in the header
    uint64_t cand_flit; // flit 0, as it will leave
    struct request request;
    // Header fetch: what was read is at the memory's output now, until something else is read.
    bool fetch;
    bool fetch_behind; // the one behind the candidate
    uint8_t fetch_vc;
    uint8_t fetch_slot;
    bool granted; // stage B granted this input in the cycle before
    bool asked;   // ... or it could have been, with no packet running
    // Stream: the packet that crosses the switch.
    bool stream, stream_first, stream_loaded;
    bool tail_new; // its tail has just come to the switch
    uint8_t stream_vc, stream_slot, stream_out, stream_out_vc;
    uint16_t stream_offset; // next flit to read
    uint64_t read_data;     // the memory's output
    uint8_t read_flags;
    uint8_t freed[OFR_VCS];
    uint8_t started[OFR_VCS]; // local port: packets begun, modulo 16
    bool stale[OFR_VCS];      // watchdog: the head did not move since the last tick
    // A ring entry that was refused: which packet, where to, and for how many ticks.
    bool wait;
    uint8_t wait_vc, wait_out, wait_ring, wait_age;
};

struct output {
    bool owned;
    uint8_t owner;
    uint8_t vc;
    uint8_t last_grant; // round robin
    struct ofr_flit flit;
};

struct ofr_router {
    struct ofr_shape shape;
    struct ofr_router_out out;
    struct input input[OFR_ALL_PORTS];
    struct output output[OFR_ALL_PORTS];
    uint8_t sent[OFR_LINKS][OFR_VCS]; // slots taken downstream, modulo 16
    // sent - returned, a cycle old (an output is held for four); 0 where the link is down
    uint8_t used[OFR_LINKS][OFR_VCS];
    uint8_t room[OFR_LINKS][OFR_VCS]; // free slots downstream; none where the link is down
    bool up[OFR_LINKS];
    uint8_t threshold; // settings of the cycle before
    bool rdr;
    uint8_t settle; // SETTLED: the RTL's tables of coordinates are those of the configuration
    uint32_t lfsr;
    unsigned order; // random order of the dimensions, drawn in the cycle before
    // Ring wait: a token goes round the inputs and stays with a starving entry until that has gone.
    uint8_t token;
    bool hold; // the token's entry, registered: others do not enter this ring
    uint8_t hold_out, hold_ring;
    bool hold_through;           // ... nor do they go on in it
    bool stuck;                  // a head that did not move for too long: seen in the cycle before
    bool ring_bit, watchdog_bit; // the bits of time whose change is a tick, in the cycle before
    // Decision for the head of the local port's deroute VC.
    unsigned deciding; // cycles to go, 0: idle
    bool wanted;       // its packet is still there
    bool decided;
    struct ofr_decision decision;
    uint64_t counter[OFR_COUNTS];
    // VC buffers: [port][VC * C + slot][offset]
    uint64_t *data;
    uint8_t *flags;
};

// One cycle's wires between the stages.
struct wires {
    bool moves[OFR_ALL_PORTS];   // the stream of input i crosses the switch
    bool ends[OFR_ALL_PORTS];    // ... with its tail
    uint8_t asks[OFR_ALL_PORTS]; // of output o: the inputs that ask for it
    bool grant[OFR_ALL_PORTS];
    uint8_t used[OFR_LINKS][OFR_VCS]; // the next cycle's
    bool tick_watchdog, tick_ring;
    bool decided;   // the decision stands at the start of the cycle
    bool discarded; // a packet, by a port before this one
};

static unsigned field(uint64_t flit, unsigned lsb, unsigned bits)
{
    return (unsigned)(flit >> lsb) & ((1U << bits) - 1);
}

static uint64_t with_field(uint64_t flit, unsigned lsb, unsigned bits, unsigned value)
{
    uint64_t mask = ((UINT64_C(1) << bits) - 1) << lsb;
    return (flit & ~mask) | (((uint64_t)value << lsb) & mask);
}

// Coordinates in header bits; what lies beyond dimension n is not looked at.
static struct ofr_coord unpack_coord(const struct ofr_config *cfg, unsigned packed)
{
    struct ofr_coord coord = {{packed & 15, packed >> 4 & 15, packed >> 8 & 15}};
    if (cfg->torus.n == 2)
        coord.c[2] = 0;
    return coord;
}

static bool same(const struct ofr_coord *a, const struct ofr_coord *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

// 8 steps of the 32-bit Galois LFSR x^32 + x^22 + x^2 + x + 1, right shift: one cycle's worth.
static uint32_t lfsr_step(uint32_t state)
{
    for (int i = 0; i < 8; i++)
        state = (state >> 1) ^ (state & 1 ? 0x80200003U : 0);
    return state;
}

// The next cycle's random order of the dimensions, the same at all inputs: 0 or 1 for n = 2, 0 to 5
// for n = 3 (each within 0.8%).
static unsigned random_order(const struct ofr_router *r)
{
    unsigned byte = r->lfsr & 255;
    return r->shape.n == 2 ? byte & 1 : (byte * 6) >> 8;
}

// The j-th dimension of an order.
static unsigned order_dim(unsigned n, unsigned order, unsigned j)
{
    static const uint8_t table[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                        {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    return n == 2 ? j ^ order : table[order][j];
}

static unsigned links(const struct ofr_router *r)
{
    return 2U * r->shape.n;
}

static size_t slot_address(const struct ofr_router *r, unsigned port, unsigned vc, unsigned slot)
{
    return ((size_t)(port * OFR_VCS + vc) * r->shape.slots + slot) * r->shape.slot_flits;
}

static unsigned next_slot(const struct ofr_router *r, unsigned slot)
{
    return slot + 1U == r->shape.slots ? 0 : slot + 1U;
}

// --- Stage A: route and select -------------------------------------------------------------------

// First port of the wanted mask in the order of the selection; the mask is not empty.
static unsigned select_port(const struct ofr_router *r, unsigned select, uint32_t mask)
{
    unsigned best = 0;
    if (select == OFR_SELECT_RANDOM_FREE) {
        for (unsigned j = 0; j < r->shape.n; j++) {
            unsigned dim = order_dim(r->shape.n, r->order, j);
            uint32_t pair = mask >> (2 * dim) & 3;
            if (pair)
                return 2 * dim + (pair == 3 ? r->lfsr >> 31 : pair >> 1);
        }
    }
    for (unsigned p = links(r); p-- > 0;) {
        bool better = select == OFR_SELECT_LOWEST || best == 0 ||
                      r->room[p][OFR_VC_ADAPTIVE] >= r->room[best - 1][OFR_VC_ADAPTIVE];
        if ((mask >> p & 1) && better)
            best = p + 1;
    }
    return best - 1;
}

// rdr: the first dimension of the packet's order that is minimal.
static uint32_t rdr_mask(const struct ofr_router *r, uint32_t minimal, unsigned order)
{
    for (unsigned j = 0; j < r->shape.n; j++) {
        uint32_t pair = minimal & (3U << (2 * order_dim(r->shape.n, order, j)));
        if (pair)
            return pair;
    }
    return 0;
}

// The escape VC `ring` of output `port`, whose link is up: the bubble rule, and from the local port
// more free slots than the threshold. While an entry starves, no other enters its ring but
// management's, in every other 2^RING_WAIT cycles none goes on in it either, and the threshold does
// not keep the entry out.
static struct request escape_request(const struct ofr_router *r, unsigned i, unsigned vc,
                                     unsigned port, unsigned ring, unsigned threshold, bool mgmt)
{
    bool goes_on = ofr_route_goes_on(i, vc, port, ring);
    unsigned room = r->room[port][ring];
    struct request req = {.out = (uint8_t)port, .vc = (uint8_t)ring};
    bool holds = r->hold && r->token == i && r->hold_out == port;
    bool free =
        ofr_bubble_allows(room, goes_on) && (holds || ofr_threshold_allows(room, threshold));
    bool held = !mgmt && r->hold && r->token != i && r->hold_out == port && r->hold_ring == ring &&
                (!goes_on || r->hold_through);
    req.reason = free && !held ? GRANTABLE : NO_CREDIT;
    req.refused = !goes_on && !free;
    return req;
}

static struct request adaptive_or_escape(const struct ofr_router *r, const struct ofr_config *cfg,
                                         unsigned i, const struct input *u, uint64_t flit)
{
    struct ofr_coord target = unpack_coord(cfg, field(flit, OFR_PKT_TARGET_X_LSB, 12));
    unsigned class = field(flit, OFR_PKT_CLASS_LSB, 2);
    bool mgmt = field(flit, OFR_PKT_MGMT_LSB, 1);
    unsigned ring = ofr_route_ring(field(flit, OFR_PKT_LEG_LSB, 1));
    unsigned threshold = i == OFR_LOCAL && !mgmt ? r->threshold : 0;
    bool full = true; // no minimal adaptive VC has a credit

    if (class != OFR_PKT_CLASS_INORDER) {
        uint32_t mask = ofr_route_adaptive(&cfg->torus, cfg->tie, &cfg->me, &target, class);
        uint32_t open = 0;
        if (r->rdr)
            mask = rdr_mask(r, mask, u->cand_order);
        for (unsigned p = 0; p < links(r); p++) {
            unsigned room = mask >> p & 1 ? r->room[p][OFR_VC_ADAPTIVE] : 0;
            full = full && room == 0;
            open |= (uint32_t)ofr_threshold_allows(room, threshold) << p;
        }
        if (open)
            return (struct request){.reason = GRANTABLE,
                                    .out = (uint8_t)select_port(r, cfg->select, open),
                                    .vc = OFR_VC_ADAPTIVE};
    }
    if (!full)
        return (struct request){.reason = NO_CREDIT};
    unsigned port = (unsigned)ofr_escape_port(&cfg->torus, &cfg->me, &target);
    // Waiting for an adaptive slot without a way out could be for ever
    if (!r->up[port])
        return (struct request){.reason = GRANTABLE, .out = DISCARD};
    struct request req = escape_request(r, i, u->cand_vc, port, ring, threshold, mgmt);
    bool restricted = i == OFR_LOCAL && !mgmt && class != OFR_PKT_CLASS_INORDER;
    if (restricted && cfg->escape != OFR_NODE_ROUTING_ESCAPE_BUBBLE) {
        if (cfg->escape != OFR_NODE_ROUTING_ESCAPE_EMPTY || r->used[port][ring])
            req.reason = NO_CREDIT;
        req.refused = false; // it waits for an adaptive slot as well
    }
    return req;
}

// Does the OFR unit decide about the candidate?
static bool deroutes(const struct input *u, unsigned i)
{
    return i == OFR_LOCAL && u->cand_vc == OFR_LVC_DEROUTE &&
           field(u->cand_flit, OFR_PKT_CLASS_LSB, 2) == OFR_PKT_CLASS_DEROUTE;
}

// The decision goes into the candidate's header, which is routed from the next cycle on.
static void take_decision(const struct ofr_router *r, struct input *u)
{
    u->cand_decided = true;
    if (r->decision.kind == OFR_MINIMAL)
        return;
    u->cand_flit = with_field(u->cand_flit, OFR_PKT_TARGET_X_LSB, 12,
                              ofr_coord_word(&r->decision.q, r->shape.n));
    u->cand_flit = with_field(u->cand_flit, OFR_PKT_LEG_LSB, 1, 0);
}

// Routes the candidate's header.
static struct request route(const struct ofr_router *r, const struct ofr_config *cfg, unsigned i)
{
    const struct input *u = &r->input[i];
    unsigned class = field(u->cand_flit, OFR_PKT_CLASS_LSB, 2);
    bool mgmt = field(u->cand_flit, OFR_PKT_MGMT_LSB, 1);
    bool local = i == OFR_LOCAL;
    struct request req = {.reason = GRANTABLE, .out = DISCARD};

    if (cfg->configured && r->settle != SETTLED)
        return (struct request){.reason = UNROUTED};
    if (class == OFR_PKT_CLASS_DIRECTED) {
        unsigned port = field(u->cand_flit, OFR_PKT_TARGET_X_LSB, OFR_PKT_TARGET_X_BITS);
        if (mgmt && !local) {
            req.out = OFR_LOCAL;
        } else if (mgmt && port < links(r) && r->up[port]) {
            req = escape_request(r, i, u->cand_vc, port, OFR_VC_VS2, 0, true);
        }
        return req;
    }
    if (!cfg->configured)
        return req;

    struct ofr_coord target = unpack_coord(cfg, field(u->cand_flit, OFR_PKT_TARGET_X_LSB, 12));
    if (!ofr_inside(&cfg->torus, &target))
        return req;

    if (deroutes(u, i) && !u->cand_decided)
        return (struct request){.reason = NO_DECISION};
    if (same(&target, &cfg->me)) {
        req.out = OFR_LOCAL;
        return req;
    }
    return adaptive_or_escape(r, cfg, i, u, u->cand_flit);
}

// A header becomes the candidate, to be routed in the next cycle.
static void set_candidate(struct input *u, unsigned vc, uint64_t flit, unsigned flags)
{
    u->cand = true;
    u->cand_vc = (uint8_t)vc;
    u->cand_flit = flit;
    u->cand_order = (uint8_t)(flags >> FLAG_ORDER_SHIFT);
    u->cand_decided = false;
    u->request = (struct request){.reason = UNROUTED};
}

// Does the fetched header become the candidate? Not while flit 0 of the running packet is still at
// the switch (it is the candidate's copy); nor while the candidate may go, so that it keeps its
// turn at the output; nor if it is the one behind the candidate. So the VCs take turns.
static bool adopts(const struct input *u, const struct wires *w, unsigned i)
{
    bool keeps = u->cand && (u->request.reason == GRANTABLE || u->fetch_behind);
    return u->fetch && !keeps && (!u->stream_first || w->moves[i]);
}

// Routes the candidate anew on the credits of this cycle. `before` is the input at the start of the
// cycle.
static void stage_a(struct ofr_router *r, const struct ofr_config *cfg, unsigned i,
                    const struct input *before, const struct wires *w)
{
    struct input *u = &r->input[i];

    if (adopts(before, w, i)) {
        set_candidate(u, before->fetch_vc, before->read_data, before->read_flags);
    } else if (!before->cand) {
        ;
    } else {
        u->cand = !w->grant[i];
        if (u->cand)
            u->request = route(r, cfg, i);
        // Also into one that goes now: to be discarded, as the node was unconfigured meanwhile
        if (w->decided && deroutes(u, i))
            take_decision(r, u);
    }
}

// --- Stage B: arbitration ------------------------------------------------------------------------

// An input asks when no packet runs, or when its tail has just come to the switch.
static bool asks(const struct input *u)
{
    return u->cand && u->request.reason == GRANTABLE && (!u->stream || u->tail_new);
}

// The inputs that ask for each output, a bit an input.
static void find_requests(const struct ofr_router *r, struct wires *w)
{
    for (unsigned i = 0; i < OFR_ALL_PORTS; i++) {
        const struct input *u = &r->input[i];
        if (asks(u) && u->request.out != DISCARD)
            w->asks[u->request.out] |= (uint8_t)(1U << i);
    }
}

// Round robin from the last granted input on. The choice does not wait for whether the output is
// free or the chosen input's tail crosses in this cycle: if not, nobody is granted. One grant in
// four, at random, leaves the round robin where it is: else an input's turns can be in step with
// the others', so that always the same one of its VCs loses.
static void arbitrate(struct ofr_router *r, struct wires *w, unsigned o)
{
    struct output *out = &r->output[o];
    if (!w->asks[o] || out->owned)
        return;
    for (unsigned step = 1; step <= OFR_ALL_PORTS; step++) {
        unsigned i = (out->last_grant + step) % OFR_ALL_PORTS;
        if (!(w->asks[o] >> i & 1))
            continue;
        if (r->input[i].stream && !w->ends[i])
            return;
        w->grant[i] = true;
        out->owned = true;
        out->owner = (uint8_t)i;
        out->vc = r->input[i].request.vc;
        if (r->lfsr >> 8 & 3)
            out->last_grant = (uint8_t)i;
        return;
    }
}

// The RTL looks coordinates up in tables that it writes row by row, over and over: a node that was
// configured routes when that has been done since.
static void settle(struct ofr_router *r, bool configured)
{
    if (!configured)
        r->settle = 0;
    else if (r->settle == SETTLED - 1 ||
             (r->settle < SETTLED && r->out.time % SETTLE_CYCLES == SETTLE_CYCLES - 1))
        r->settle++;
}

// The token stays with an input whose refused entry has waited long enough, else it goes on.
static void move_token(struct ofr_router *r, const struct input *at)
{
    r->hold = at->wait && at->wait_age == STARVING;
    r->hold_out = at->wait_out;
    r->hold_ring = at->wait_ring;
    if (r->hold)
        return;
    if (r->token == OFR_LOCAL)
        r->token = 0;
    else
        r->token = r->token + 1U == links(r) ? OFR_LOCAL : r->token + 1U;
}

// --- Transfer ------------------------------------------------------------------------------------

static bool can_load(const struct ofr_router *r, const struct ofr_router_in *in, unsigned o)
{
    bool ready = o == OFR_LOCAL ? in->lo_ready : in->tx_ready[o];
    return !r->output[o].flit.valid || ready;
}

static void find_moves(const struct ofr_router *r, const struct ofr_router_in *in, struct wires *w)
{
    for (unsigned i = 0; i < OFR_ALL_PORTS; i++) {
        const struct input *u = &r->input[i];
        bool open = u->stream_out == DISCARD || can_load(r, in, u->stream_out);
        w->moves[i] = u->stream && (u->stream_first || u->stream_loaded) && open;
        w->ends[i] = w->moves[i] && !u->stream_first && (u->read_flags & FLAG_LAST);
    }
}

// Loads the output registers with what crosses the switch this cycle.
static void transfer(struct ofr_router *r, const struct ofr_router_in *in, const struct wires *w)
{
    for (unsigned o = 0; o < OFR_ALL_PORTS; o++) {
        struct output *out = &r->output[o];
        if (can_load(r, in, o))
            out->flit.valid = false;
        if (!out->owned || !w->moves[out->owner])
            continue;
        const struct input *u = &r->input[out->owner];
        out->flit.valid = true;
        out->flit.vc = out->vc;
        out->flit.data = u->stream_first ? u->cand_flit : u->read_data;
        out->flit.last = w->ends[out->owner];
        out->flit.poison = w->ends[out->owner] && (u->read_flags & FLAG_POISON);
        r->counter[(o * OFR_VCS + (o == OFR_LOCAL ? 0 : out->vc)) * 4 + OFR_COUNTER_FLITS]++;
        if (o == OFR_LOCAL && out->flit.last)
            r->counter[out->flit.poison ? OFR_COUNTER_POISONED : OFR_COUNTER_DELIVERED]++;
        if (w->ends[out->owner])
            out->owned = false;
    }
}

// --- Memory reads: the stream's next flit, else a header -----------------------------------------

static void read_memory(struct ofr_router *r, unsigned i, size_t address)
{
    struct input *u = &r->input[i];
    u->read_data = r->data[address];
    u->read_flags = r->flags[address];
}

// Has the flit at this offset of a slot been written?
static bool written(const struct input *u, unsigned vc, unsigned slot, unsigned offset)
{
    bool partial = u->busy && u->write_vc == vc && u->write_slot[vc] == slot;
    return !partial || offset < u->write_offset;
}

// Whose header to fetch next: management first at the local port, else the VCs in turn.
static int fetch_choice(const struct ofr_router *r, unsigned i)
{
    const struct input *u = &r->input[i];
    bool open[OFR_VCS];
    for (unsigned v = 0; v < OFR_VCS; v++)
        open[v] = u->waiting[v] && !(u->cand && u->cand_vc == v);
    if (i == OFR_LOCAL && open[OFR_LVC_MGMT])
        return OFR_LVC_MGMT;
    for (unsigned step = 1; step <= OFR_VCS; step++) {
        unsigned v = (u->fetch_vc + step) % OFR_VCS;
        if (open[v])
            return (int)v;
    }
    return -1;
}

// Reads a header to be the next candidate; returns whether it did. The candidate first has its turn
// in stage B.
static bool fetch_header(struct ofr_router *r, unsigned i)
{
    struct input *u = &r->input[i];
    if (u->fetch || u->granted || (u->cand && u->request.reason == UNROUTED))
        return false;
    int vc = fetch_choice(r, i);
    bool next = vc < 0 && u->cand && u->waiting[u->cand_vc] >= 2;
    if (next)
        vc = u->cand_vc;
    if (vc < 0)
        return false;
    unsigned slot = u->head_slot[vc];
    read_memory(r, i, slot_address(r, i, (unsigned)vc, next ? next_slot(r, slot) : slot));
    u->fetch_vc = (uint8_t)vc;
    u->fetch_behind = next;
    return true;
}

// The memory's one read port: the stream's next flit, else the header of the next candidate.
static void memory_stage(struct ofr_router *r, unsigned i, const struct wires *w)
{
    struct input *u = &r->input[i];
    bool adopted = adopts(u, w, i);
    // What was fetched stays until it is taken, but if it is behind a candidate that may not go
    bool dropped = u->cand && u->fetch_behind && u->request.reason != GRANTABLE;

    u->tail_new = false;
    if ((u->stream_first || u->stream_loaded) && !w->moves[i])
        return;
    u->stream_loaded =
        u->stream && !w->ends[i] && written(u, u->stream_vc, u->stream_slot, u->stream_offset);
    if (u->stream_loaded) {
        read_memory(r, i, slot_address(r, i, u->stream_vc, u->stream_slot) + u->stream_offset);
        u->stream_offset++;
        u->tail_new = u->read_flags & FLAG_LAST;
        u->fetch = false;
    } else {
        u->fetch = fetch_header(r, i) || (u->fetch && !adopted && !dropped);
    }
}

// --- Arrival -------------------------------------------------------------------------------------

static void write_flit(struct ofr_router *r, unsigned i, uint64_t data, unsigned flags)
{
    struct input *u = &r->input[i];
    unsigned vc = u->write_vc;
    size_t address = slot_address(r, i, vc, u->write_slot[vc]) + u->write_offset;
    r->data[address] = data;
    r->flags[address] = (uint8_t)flags;
    if (u->write_offset == 0) {
        u->waiting[vc]++;
        u->received[vc] = (u->received[vc] + 1) & OFR_CREDIT_MASK;
    }
    if (flags & FLAG_LAST && u->write_offset > 0) {
        u->write_offset = 0;
        u->write_slot[vc] = (uint8_t)next_slot(r, u->write_slot[vc]);
        u->busy = false;
    } else {
        u->write_offset++;
        u->busy = true;
    }
}

// Is the destination in flit 1, for which a header at its IDN has to wait?
static bool swaps_late(const struct ofr_router *r, const struct input *u)
{
    return u->in.valid && u->in_first && u->in_swap && r->shape.flit_bits == 16;
}

// Where a packet meets its IDN, target and destination change places and LEG becomes 1. `second` is
// flit 1, looked at with W = 16.
static uint64_t swap(const struct ofr_router *r, const struct ofr_config *cfg, uint64_t flit,
                     uint64_t second)
{
    bool wide = r->shape.flit_bits > 16;
    unsigned dest = wide ? field(flit, OFR_PKT_DEST_X_LSB, 12) : field(second, 0, 12);
    flit = with_field(flit, OFR_PKT_TARGET_X_LSB, 12, dest);
    if (wide)
        flit = with_field(flit, OFR_PKT_DEST_X_LSB, 12, ofr_coord_word(&cfg->me, r->shape.n));
    return with_field(flit, OFR_PKT_LEG_LSB, 1, 1);
}

// Is a packet that was cut off being filled up?
static bool fills(const struct input *u)
{
    return u->cut || (u->in_abort && (u->busy || u->in.valid));
}

// Writes the flit that came last, a header as `header`; `pins`: another one is there. A cut-off
// packet is filled up with that flit as it came and gets a poisoned tail. A flit between header and
// tail waits until the next one is at the pins: the RTL writes with it whether that is the tail.
static void write_stage(struct ofr_router *r, unsigned i, uint64_t header, bool pins)
{
    struct input *u = &r->input[i];
    bool fill = fills(u);
    bool at_once = u->in_first ? !swaps_late(r, u) : u->in.last;
    bool first = u->in.valid && u->in_first;
    unsigned flags = u->in_flags;
    if (!fill && !(u->in.valid && (at_once || pins)))
        return;
    if (fill) {
        u->cut = u->in.valid || u->write_offset < MIN_FLITS - 1;
        if (!u->in.valid)
            flags = u->cut ? 0 : FLAG_LAST | FLAG_POISON;
    }
    if (first)
        u->write_vc = u->in.vc;
    write_flit(r, i, first ? header : u->in.data, flags);
    u->in.valid = false;
}

// Does a header from the pins of link input i meet its IDN here?
static bool at_idn(const struct ofr_config *cfg, unsigned i, uint64_t flit)
{
    struct ofr_coord target = unpack_coord(cfg, field(flit, OFR_PKT_TARGET_X_LSB, 12));
    return i != OFR_LOCAL && field(flit, OFR_PKT_CLASS_LSB, 2) != OFR_PKT_CLASS_DIRECTED &&
           !field(flit, OFR_PKT_LEG_LSB, 1) && same(&target, &cfg->me);
}

// Is a flit taken from the pins?
static bool takes(const struct ofr_router *r, unsigned i, const struct ofr_flit *pins)
{
    return pins->valid && (i != OFR_LOCAL || (pins->vc < OFR_VCS && r->out.li_ready[pins->vc]));
}

// Drops what is not a packet: one on no VC, one that comes while a cut-off one is being filled up,
// and what is behind the last flit of a slot. That flit becomes a poisoned tail, and a packet of
// less than MIN_FLITS ends as one that is cut off. Returns whether the flit is to be kept; `next`:
// its place in its packet.
static bool guard(struct ofr_router *r, unsigned i, struct ofr_flit *pins, bool filling,
                  unsigned next, bool *cut)
{
    struct input *u = &r->input[i];
    bool first = !u->open, last = pins->last;
    u->open = !last;
    if (!first && u->drop) {
        u->drop = !last;
        return false;
    }
    if (first && ((i != OFR_LOCAL && pins->vc >= OFR_VCS) || filling)) {
        u->drop = !last;
        r->out.malformed_now++;
        return false;
    }
    u->drop = false;
    if (last && next < MIN_FLITS - 1) {
        pins->last = false;
        *cut = true;
        r->out.malformed_now++;
    } else if (!last && next == r->shape.slot_flits - 1U) {
        pins->last = pins->poison = u->drop = true;
        r->out.malformed_now++;
    }
    return true;
}

// Writes what came last and registers the pins. A header whose VC is empty becomes the candidate
// if that place is free.
static void arrive(struct ofr_router *r, unsigned i, const struct ofr_config *cfg,
                   const struct ofr_router_in *in, const struct input *before,
                   const struct wires *w)
{
    struct input *u = &r->input[i];
    struct ofr_flit pins = i == OFR_LOCAL ? in->li : in->rx[i];
    bool taken = takes(r, i, &pins), first = !u->open, cut = false;
    // A packet that is cut off, if it is not written whole with this cycle
    bool filling = fills(u) && (u->in.valid || u->write_offset < MIN_FLITS - 1);
    if (i == OFR_LOCAL)
        pins.poison = false;
    if (taken) {
        u->open_vc = pins.vc;
        taken = guard(r, i, &pins, filling, first ? 0 : u->write_offset + u->in.valid, &cut);
    } else if (i != OFR_LOCAL && in->rx_abort[i]) {
        u->open = false;
    }
    first = first && taken;
    bool late = taken && swaps_late(r, u);
    unsigned vc = late ? u->in.vc : pins.vc;
    bool free = taken && !before->cand && !before->fetch &&
                (!before->stream_first || w->moves[i]) && before->waiting[vc] == 0;
    uint64_t header = u->in.data; // if it is a header: as it goes on
    if (u->in_swap && (late || r->shape.flit_bits > 16))
        header = swap(r, cfg, header, pins.data);
    if (late) {
        pins.data = with_field(pins.data, 0, 12, ofr_coord_word(&cfg->me, r->shape.n));
        if (free)
            set_candidate(u, vc, header, u->in_flags);
    }
    write_stage(r, i, header, taken);
    u->in_abort = cut || (i != OFR_LOCAL && in->rx_abort[i]);
    if (!taken)
        return;
    u->in_flags = (uint8_t)((pins.last ? FLAG_LAST : 0) | (pins.poison ? FLAG_POISON : 0));
    u->in_swap = at_idn(cfg, i, pins.data);
    if (first) {
        u->in_flags = (uint8_t)(r->order << FLAG_ORDER_SHIFT);
        if (i != OFR_LOCAL && field(pins.data, OFR_PKT_CLASS_LSB, 2) == OFR_PKT_CLASS_DIRECTED)
            pins.data = with_field(pins.data, OFR_PKT_TARGET_X_LSB, OFR_PKT_TARGET_X_BITS, i);
        if (free && !u->in_swap)
            set_candidate(u, pins.vc, pins.data, u->in_flags);
        else if (free && r->shape.flit_bits > 16)
            set_candidate(u, pins.vc, swap(r, cfg, pins.data, 0), u->in_flags);
        if (i == OFR_LOCAL)
            u->started[pins.vc] = (u->started[pins.vc] + 1) & OFR_CREDIT_MASK;
    }
    u->in = pins;
    u->in_first = first;
}

// --- Bookkeeping ---------------------------------------------------------------------------------

static void take_granted(struct ofr_router *r, unsigned i)
{
    struct input *u = &r->input[i];
    u->stream = true;
    u->stream_first = true;
    u->stream_vc = u->cand_vc;
    u->stream_slot = u->head_slot[u->cand_vc];
    u->stream_offset = 1;
    u->stream_out = u->request.out;
    u->stream_out_vc = u->request.vc;
}

// What a grant changes besides, in the cycle behind it.
static void account(struct ofr_router *r, unsigned i, const struct input *before, struct wires *w)
{
    struct input *u = &r->input[i];
    unsigned v = u->stream_vc, out = u->stream_out;
    bool decided = i == OFR_LOCAL && v == OFR_LVC_DEROUTE && r->decided;
    u->waiting[v]--;
    u->head_slot[v] = (uint8_t)next_slot(r, u->head_slot[v]);
    if (u->wait_vc == v)
        u->wait = false;
    if (i == OFR_LOCAL && v == OFR_LVC_DEROUTE)
        r->decided = r->wanted = false;
    if (out == DISCARD) {
        r->counter[OFR_COUNTER_DISCARDED]++;
        if (w->discarded) // of several in one cycle the first port's is kept
            return;
        w->discarded = r->out.dropped = true;
        r->out.dropped_head = (uint16_t)before->cand_flit;
        r->out.dropped_port = (uint8_t)(i == OFR_LOCAL ? links(r) : i);
        return;
    }
    if (out < OFR_LINKS) {
        r->sent[out][u->stream_out_vc] = (r->sent[out][u->stream_out_vc] + 1) & OFR_CREDIT_MASK;
        r->counter[OFR_COUNTER_HOPS]++;
    }
    r->counter[(out * OFR_VCS + (out == OFR_LOCAL ? 0 : u->stream_out_vc)) * 4 +
               OFR_COUNTER_PACKETS]++;
    r->counter[OFR_COUNTER_INJECTED] += i == OFR_LOCAL;
    r->counter[OFR_COUNTER_OIDN] += decided && r->decision.kind == OFR_OIDN;
    r->counter[OFR_COUNTER_WIDN] += decided && r->decision.kind == OFR_WIDN;
}

// Cycles that a candidate waits while no packet runs; for the allocation, counted a cycle later.
static void count_stalls(struct ofr_router *r, unsigned i)
{
    struct input *u = &r->input[i];
    unsigned base = (i * OFR_VCS + u->cand_vc) * 4;
    bool waits = u->cand && !u->stream;
    r->counter[base + OFR_COUNTER_STALL_CREDIT] += waits && u->request.reason == NO_CREDIT;
    r->counter[base + OFR_COUNTER_STALL_ALLOC] += u->asked && !u->granted;
    u->asked = waits && u->request.reason == GRANTABLE;
}

// Ticks every 2^log2 cycles: when that bit of time changes.
static bool tick(uint32_t time, unsigned log2, bool *bit)
{
    bool was = *bit;
    *bit = time >> log2 & 1;
    return *bit != was;
}

// Watchdog: a head that has not moved from one tick to the next but one latches it.
static void watch(struct ofr_router *r, unsigned i, const struct wires *w, bool stepped)
{
    struct input *u = &r->input[i];
    for (unsigned v = 0; v < OFR_VCS; v++) {
        bool streams = u->stream && u->stream_vc == v;
        bool moved = streams && (w->moves[i] || u->granted);
        if (moved || (!streams && u->waiting[v] == 0))
            u->stale[v] = false;
        else if (stepped && u->stale[v])
            r->stuck = true;
        else if (stepped)
            u->stale[v] = true;
    }
}

// A refused ring entry starts its wait; account() ends it.
static void ring_wait(struct ofr_router *r, unsigned i, const struct wires *w)
{
    struct input *u = &r->input[i];
    if (!u->wait && u->cand && u->request.refused) {
        u->wait = true;
        u->wait_vc = u->cand_vc;
        u->wait_out = u->request.out;
        u->wait_ring = u->request.vc;
        u->wait_age = 0;
        r->counter[OFR_COUNTER_REFUSED]++;
    } else if (u->wait && w->tick_ring && u->wait_age < STARVING) {
        u->wait_age++;
    }
}

// The OFR unit: starts on a candidate that waits for its decision, samples everything in that
// cycle, answers a fixed number of cycles later.
static void decide(struct ofr_router *r, const struct ofr_config *cfg)
{
    const struct input *u = &r->input[OFR_LOCAL];
    if (r->deciding) {
        if (--r->deciding == 0)
            r->decided = r->wanted;
        return;
    }
    if (r->decided || !u->cand || u->request.reason != NO_DECISION)
        return;
    struct ofr_sample sample = {
        .torus = cfg->torus, .tie = cfg->tie, .s = cfg->me, .slots = r->shape.slots};
    sample.t = unpack_coord(cfg, field(u->cand_flit, OFR_PKT_TARGET_X_LSB, 12));
    for (unsigned p = 0; p < links(r); p++) {
        unsigned room = r->room[p][OFR_VC_ADAPTIVE];
        sample.used[p] =
            (uint8_t)(r->shape.slots - (ofr_threshold_allows(room, r->threshold) ? room : 0));
    }
    r->wanted = true;
    if (r->shape.without & OFR_WITHOUT_UNIT) {
        r->decision.kind = OFR_MINIMAL;
        r->deciding = 1;
        return;
    }
    r->decision = ofr_decide(&sample, cfg->table);
    r->deciding = ofr_unit_cycles(r->shape.n, r->shape.unit_mul);
}

static void update_outputs(struct ofr_router *r)
{
    const struct input *l = &r->input[OFR_LOCAL];
    bool drained = true;
    for (unsigned i = 0; i < OFR_ALL_PORTS; i++) {
        const struct input *u = &r->input[i];
        drained = drained && !u->in.valid && !u->busy && !u->cand && !u->stream && !u->waiting[0] &&
                  !u->waiting[1] && !u->waiting[2] && !r->output[i].flit.valid;
    }
    for (unsigned p = 0; p < links(r); p++) {
        r->out.tx[p] = r->output[p].flit;
        for (unsigned v = 0; v < OFR_VCS; v++) {
            r->out.rx_credit[p][v] = r->input[p].freed[v];
            r->out.rx_received[p][v] = r->input[p].received[v];
            drained = drained && r->used[p][v] == 0;
        }
    }
    r->out.lo = r->output[OFR_LOCAL].flit;
    for (unsigned v = 0; v < OFR_VCS; v++) {
        bool room = ((l->started[v] - l->freed[v]) & OFR_CREDIT_MASK) < r->shape.slots;
        r->out.li_ready[v] = l->open ? v == l->open_vc : room;
    }
    r->out.drained = drained;
}

// Nothing here and nothing at the pins: the cycle changes nothing that matters (a short cut only).
static bool rests(const struct input *u, const struct ofr_flit *pins, bool abort)
{
    bool empty = !u->waiting[0] && !u->waiting[1] && !u->waiting[2] && !u->busy && !u->cut;
    bool still = !u->cand && !u->stream && !u->stream_loaded && !u->fetch && !u->wait;
    return empty && still && !u->in.valid && !u->in_abort && !pins->valid && !abort;
}

void ofr_router_step(struct ofr_router *r, const struct ofr_router_in *in,
                     const struct ofr_config *cfg)
{
    struct wires w = {.decided = r->decided};
    w.tick_watchdog =
        tick(r->out.time, cfg->watchdog_time, &r->watchdog_bit) && cfg->watchdog_time != 0;
    w.tick_ring = tick(r->out.time, cfg->ring_wait_time, &r->ring_bit);
    for (unsigned p = 0; p < links(r); p++)
        for (unsigned v = 0; v < OFR_VCS; v++)
            w.used[p][v] =
                in->link_up[p]
                    ? (uint8_t)ofr_credit_used(r->sent[p][v], in->tx_credit[p][v], r->shape.slots)
                    : 0;
    struct input token = r->input[r->token];
    bool stuck = r->stuck;
    r->stuck = false;
    unsigned malformed = r->out.malformed + r->out.malformed_now;
    r->out.malformed = (uint8_t)(malformed < UINT8_MAX ? malformed : UINT8_MAX);
    r->out.malformed_now = 0;

    decide(r, cfg);
    find_moves(r, in, &w);
    transfer(r, in, &w);
    find_requests(r, &w);
    for (unsigned o = 0; o < OFR_ALL_PORTS; o++)
        arbitrate(r, &w, o);
    for (unsigned i = 0; i < OFR_ALL_PORTS; i++) {
        struct input *u = &r->input[i];
        if (rests(u, i == OFR_LOCAL ? &in->li : &in->rx[i], i != OFR_LOCAL && in->rx_abort[i])) {
            u->granted = u->asked = false;
            memset(u->stale, 0, sizeof u->stale);
            continue;
        }
        struct input before = *u;
        if (asks(u) && u->request.out == DISCARD)
            w.grant[i] = !u->stream || w.ends[i];
        count_stalls(r, i);
        watch(r, i, &w, w.tick_watchdog);
        ring_wait(r, i, &w);
        memory_stage(r, i, &w);
        if (w.moves[i])
            u->stream_first = false;
        if (w.ends[i]) {
            u->stream = false;
            u->freed[u->stream_vc] = (u->freed[u->stream_vc] + 1) & OFR_CREDIT_MASK;
        }
        if (w.grant[i])
            take_granted(r, i);
        stage_a(r, cfg, i, &before, &w);
        arrive(r, i, cfg, in, &before, &w);
        if (u->granted)
            account(r, i, &before, &w);
        u->granted = w.grant[i];
    }
    move_token(r, &token);
    r->hold_through = r->ring_bit;
    r->out.watchdog = r->out.watchdog || stuck;
    for (unsigned p = 0; p < links(r); p++) {
        r->up[p] = in->link_up[p];
        for (unsigned v = 0; v < OFR_VCS; v++) {
            if (in->tx_rebase[p])
                r->sent[p][v] = in->tx_base[p][v];
            r->used[p][v] = w.used[p][v];
            r->room[p][v] =
                in->link_up[p] ? (uint8_t)ofr_credit_free(r->used[p][v], r->shape.slots) : 0;
            uint64_t *high = &r->counter[OFR_COUNTER_HIGH_BASE + p * OFR_VCS + v];
            if (r->used[p][v] > *high)
                *high = r->used[p][v];
        }
    }
    settle(r, cfg->configured);
    r->threshold = cfg->threshold;
    r->rdr = cfg->select == OFR_SELECT_RDR;
    r->order = random_order(r);
    r->lfsr = lfsr_step(r->lfsr);
    r->out.time++;
    update_outputs(r);
}

const struct ofr_router_out *ofr_router_out(const struct ofr_router *r)
{
    return &r->out;
}

const uint64_t *ofr_router_counters(const struct ofr_router *r)
{
    return r->counter;
}

void ofr_router_seed(struct ofr_router *r, uint32_t seed)
{
    r->lfsr = seed ? seed : 1;
}

void ofr_router_clear_watchdog(struct ofr_router *r)
{
    r->out.watchdog = false;
}

unsigned ofr_router_used(const struct ofr_router *r, unsigned port, unsigned vc)
{
    return r->used[port][vc];
}

static bool shape_ok(const struct ofr_shape *s)
{
    unsigned l = s->slot_flits;
    bool power = l >= 4 && l <= 1024 && (l & (l - 1)) == 0;
    bool width = s->flit_bits == 16 || s->flit_bits == 32 || s->flit_bits == 64;
    return (s->n == 2 || s->n == 3) && width && power && l * s->flit_bits >= 256 && s->slots >= 2 &&
           s->slots <= OFR_MAX_SLOTS;
}

static size_t buffer_flits(const struct ofr_shape *s)
{
    return (size_t)OFR_ALL_PORTS * OFR_VCS * s->slots * s->slot_flits;
}

size_t ofr_router_size(const struct ofr_shape *shape)
{
    return sizeof(struct ofr_router) + buffer_flits(shape) * (sizeof(uint64_t) + 1);
}

struct ofr_router *ofr_router_init(void *memory, const struct ofr_shape *shape)
{
    struct ofr_router *r = memory;
    if (!shape_ok(shape))
        return NULL;
    memset(memory, 0, ofr_router_size(shape));
    r->shape = *shape;
    r->lfsr = 1;
    r->data = (uint64_t *)(r + 1);
    r->flags = (uint8_t *)(r->data + buffer_flits(shape));
    update_outputs(r);
    return r;
}
