// SPDX-License-Identifier: Apache-2.0
#include "deadlock.h"

#include <string.h>

#include "credit.h"
#include "detours.h"
#include "packet.h"
#include "pins.h"
#include "route.h"

enum { QUEUES = OFR_QUEUE_VCS * 2 * 3 }; // of a node; bit QUEUES of a mask: its local port

// Legs that packets are on, a bit each, for a pair of nodes at which a leg begins and ends.
enum leg {
    TO_DEST_INORDER = 1,
    TO_DEST_ADAPTIVE = 2,
    TO_IDN_INORDER = 4,
    TO_IDN_ADAPTIVE = 8,
    FROM_IDN_INORDER = 16,
    FROM_IDN_ADAPTIVE = 32,
};

struct checker {
    const struct ofr_programmed *p;
    uint32_t nodes, ports;
    struct ofr_pins *pins;
    struct ofr_detours detours;
    uint64_t (*follows)[2]; // per queue, as struct ofr_waits has them
    uint64_t (*local)[2];   // per node
    void *judge;
    uint32_t (*next)[6];  // per node and port: the neighbour
    uint32_t *in;         // per node: the queues in which packets come to it, bit 3 port + vc
    uint32_t (*comes)[2]; // per IDN: those in which packets come to it, adaptive ones in [1]
    uint32_t *order;      // nodes, from the one that is farthest from a leg's end on
    uint8_t *distance;
    uint8_t *up;  // per node: ports whose link is up at both ends
    uint8_t *leg; // [from * nodes + to]: enum leg
    struct ofr_deadlock dead;
};

bool ofr_link_up(const struct ofr_programmed *p, uint32_t node, unsigned port)
{
    if (!p->up)
        return true;
    struct ofr_coord to = ofr_neighbour(&p->torus, ofr_node_coord(&p->torus, node), port);
    return (p->up[node] >> port & 1) && (p->up[ofr_node_id(&p->torus, &to)] >> (port ^ 1) & 1);
}

enum part {
    PINS,
    FOLLOWS,
    LOCAL,
    JUDGE,
    NEXT,
    IN,
    COMES,
    ORDER,
    DETOURS,
    DISTANCE,
    UP,
    LEG,
    PARTS
};

// Where each part of the memory begins, aligned, and behind them where it ends.
static void lay_out(const struct ofr_torus *torus, size_t begin[PARTS + 1])
{
    const struct checker *x = NULL; // for the sizes
    size_t n = ofr_nodes(torus), queues = n * OFR_QUEUE_VCS * 2 * torus->n;
    const size_t bytes[PARTS] = {
        [PINS] = sizeof *x->pins,
        [FOLLOWS] = queues * sizeof *x->follows,
        [LOCAL] = n * sizeof *x->local,
        [JUDGE] = ofr_waits_bytes(torus),
        [NEXT] = n * sizeof *x->next,
        [IN] = n * sizeof *x->in,
        [COMES] = n * sizeof *x->comes,
        [ORDER] = n * sizeof *x->order,
        [DETOURS] = ofr_detours_bytes(torus),
        [DISTANCE] = n,
        [UP] = n,
        [LEG] = n * n,
    };
    begin[0] = 0;
    for (unsigned i = 0; i < PARTS; i++)
        begin[i + 1] = begin[i] + ((bytes[i] + 15) & ~(size_t)15);
}

size_t ofr_deadlock_bytes(const struct ofr_torus *torus)
{
    size_t begin[PARTS + 1];
    lay_out(torus, begin);
    return begin[PARTS];
}

static void set_up(struct checker *x, uint8_t *memory)
{
    const struct ofr_torus *torus = &x->p->torus;
    size_t begin[PARTS + 1];
    lay_out(torus, begin);
    memset(memory, 0, begin[PARTS]);
    x->nodes = ofr_nodes(torus);
    x->ports = 2U * torus->n;
    x->pins = (void *)(memory + begin[PINS]);
    x->follows = (void *)(memory + begin[FOLLOWS]);
    x->local = (void *)(memory + begin[LOCAL]);
    x->judge = memory + begin[JUDGE];
    x->next = (void *)(memory + begin[NEXT]);
    x->in = (void *)(memory + begin[IN]);
    x->comes = (void *)(memory + begin[COMES]);
    x->order = (void *)(memory + begin[ORDER]);
    x->distance = memory + begin[DISTANCE];
    x->up = memory + begin[UP];
    x->leg = memory + begin[LEG];
    x->detours = ofr_detours(torus, x->p->tie, x->p->table, memory + begin[DETOURS]);
    ofr_pins_init(x->pins, torus->n == 3 ? 3 : 2);
    x->pins->active = true;
}

// ---- Which legs there are

static void note(struct checker *x, uint32_t from, uint32_t to, enum leg leg)
{
    x->leg[(size_t)from * x->nodes + to] |= (uint8_t)leg;
}

static void note_detour(struct checker *x, uint32_t s, uint32_t q, uint32_t t, bool adaptive)
{
    note(x, s, q, adaptive ? TO_IDN_ADAPTIVE : TO_IDN_INORDER);
    note(x, q, t, adaptive ? FROM_IDN_ADAPTIVE : FROM_IDN_INORDER);
}

// All ways between which the OFR unit decides.
static void note_ways(struct checker *x, uint32_t s, uint32_t t)
{
    const struct ofr_torus *torus = &x->p->torus;
    struct ofr_coord from = ofr_node_coord(torus, s), to = ofr_node_coord(torus, t);
    uint32_t q[OFR_MAX_DETOURS];
    note(x, s, t, TO_DEST_ADAPTIVE);
    for (unsigned i = ofr_detours_of(&x->detours, &from, &to, q); i-- > 0;)
        note_detour(x, s, q[i], t, true);
}

// A packet from s to t as it is sent, and what the local port and the OFR unit make of it.
static void note_packet(struct checker *x, uint32_t s, uint32_t t, unsigned cls)
{
    const struct ofr_torus *torus = &x->p->torus;
    struct ofr_coord from = ofr_node_coord(torus, s), to = ofr_node_coord(torus, t), end = to;
    struct ofr_header h = {.target = ofr_coord_word(&to, 3), .cls = (uint8_t)cls, .leg = 1};
    if (x->p->entry) {
        bool pinned;
        x->pins->entry = x->p->entry[(size_t)s * x->nodes + t];
        h = ofr_header_unpack(
            ofr_pins_apply(x->pins, ofr_header_pack(&h), ofr_coord_word(&from, 3), &pinned));
        for (unsigned i = 0; i < torus->n; i++)
            end.c[i] = h.target >> 4 * i & 15;
    }
    uint32_t q = ofr_node_id(torus, &end);
    if (h.cls == OFR_PKT_CLASS_DIRECTED || !ofr_inside(torus, &end) || q == s)
        return; // discarded; or delivered to where it is
    if (h.cls == OFR_PKT_CLASS_DEROUTE)
        note_ways(x, s, t);
    else if (h.leg)
        note(x, s, q, h.cls == OFR_PKT_CLASS_INORDER ? TO_DEST_INORDER : TO_DEST_ADAPTIVE);
    else
        note_detour(x, s, q, t, h.cls != OFR_PKT_CLASS_INORDER);
}

// ---- What follows from them

// Whether `free` slots are enough to take one of an escape VC; 0: one is, 1: it takes two.
static unsigned slots_less_one(bool goes_on)
{
    return !ofr_bubble_allows(1, goes_on);
}

// Packets in the queues `in` of a node wait for the adaptive VCs of some ports and for an escape.
static void wait_for(struct checker *x, uint32_t node, uint32_t in, uint32_t adaptive,
                     unsigned escape, unsigned ring)
{
    uint64_t one = 0, out = (uint64_t)1 << (OFR_QUEUE_VCS * escape + ring);
    for (; adaptive; adaptive &= adaptive - 1)
        one |= (uint64_t)1 << (OFR_QUEUE_VCS * __builtin_ctz(adaptive) + OFR_VC_ADAPTIVE);
    for (; in; in &= in - 1) {
        unsigned by = (unsigned)__builtin_ctz(in), port = by / OFR_QUEUE_VCS;
        bool local = by == QUEUES;
        bool goes_on = !local && ofr_route_goes_on(port, by % OFR_QUEUE_VCS, escape, ring);
        uint64_t *waits = x->local[node];
        if (!local)
            waits = x->follows[(x->next[node][port] * x->ports + (port ^ 1)) * OFR_QUEUE_VCS +
                               by % OFR_QUEUE_VCS];
        waits[0] |= one;
        waits[slots_less_one(goes_on)] |= out;
    }
}

// Nodes by their distance from `end`, the farthest first.
static void sort_nodes(struct checker *x, uint32_t end)
{
    uint32_t first[OFR_MAX_DIMS * 128] = {0}, sum = 0; // at most k/2 hops a dimension
    struct ofr_coord to = ofr_node_coord(&x->p->torus, end);
    for (uint32_t n = 0; n < x->nodes; n++) {
        struct ofr_coord from = ofr_node_coord(&x->p->torus, n);
        x->distance[n] = (uint8_t)ofr_distance(&x->p->torus, &from, &to);
        first[x->distance[n]]++;
    }
    for (unsigned d = sizeof first / sizeof *first; d-- > 0;) {
        uint32_t count = first[d];
        first[d] = sum;
        sum += count;
    }
    for (uint32_t n = 0; n < x->nodes; n++)
        x->order[first[x->distance[n]]++] = n;
}

// Brings the packets of a leg from where x->in has them to its end, whose place in x->in then has
// the queues in which they come there; the others are 0. (Every hop is a minimal one.)
static void bring(struct checker *x, uint32_t end, unsigned cls, unsigned leg)
{
    const struct ofr_torus *torus = &x->p->torus;
    struct ofr_coord to = ofr_node_coord(torus, end);
    unsigned ring = ofr_route_ring(leg);
    for (uint32_t i = 0; i + 1 < x->nodes; i++) {
        uint32_t node = x->order[i], in = x->in[node];
        if (!in)
            continue;
        struct ofr_coord at = ofr_node_coord(torus, node);
        uint32_t adaptive = ofr_route_adaptive(torus, x->p->tie, &at, &to, cls) & x->up[node];
        unsigned escape = (unsigned)ofr_escape_port(torus, &at, &to);
        if (!(x->up[node] >> escape & 1)) {
            x->dead.verdict = OFR_DEAD_LINK;
            x->dead.queue[0] = (struct ofr_waiting){node, (uint8_t)escape, (uint8_t)ring, 0};
            x->dead.length = 1;
            x->dead.toward = end;
            return;
        }
        wait_for(x, node, in, adaptive, escape, ring);
        x->in[node] = 0;
        x->in[x->next[node][escape]] |= 1U << (OFR_QUEUE_VCS * (escape ^ 1) + ring);
        for (; adaptive; adaptive &= adaptive - 1) {
            unsigned port = (unsigned)__builtin_ctz(adaptive);
            x->in[x->next[node][port]] |= 1U << (OFR_QUEUE_VCS * (port ^ 1) + OFR_VC_ADAPTIVE);
        }
    }
}

// All legs of a kind toward `end`. Of those that begin at an IDN packets come there as x->comes
// says. Returns in what queues they come to the end.
static uint32_t all_toward(struct checker *x, uint32_t end, bool adaptive, bool to_idn)
{
    unsigned local = to_idn ? TO_IDN_INORDER : TO_DEST_INORDER, idn = FROM_IDN_INORDER;
    uint32_t any = 0;
    for (uint32_t n = 0; n < x->nodes; n++) {
        unsigned leg = x->leg[(size_t)n * x->nodes + end];
        x->in[n] = leg & local << adaptive ? 1U << QUEUES : 0;
        if (!to_idn && (leg & idn << adaptive))
            x->in[n] |= x->comes[n][adaptive];
        any |= x->in[n];
    }
    if (any && x->dead.verdict != OFR_DEAD_LINK)
        bring(x, end, adaptive ? OFR_PKT_CLASS_MINIMAL : OFR_PKT_CLASS_INORDER, !to_idn);
    return x->in[end];
}

static const uint64_t *of_queue(const void *of, uint32_t queue)
{
    return ((const struct checker *)of)->follows[queue];
}

static const uint64_t *of_local(const void *of, uint32_t node)
{
    return ((const struct checker *)of)->local[node];
}

static void know_links(struct checker *x)
{
    const struct ofr_torus *torus = &x->p->torus;
    for (uint32_t n = 0; n < x->nodes; n++) {
        struct ofr_coord at = ofr_node_coord(torus, n);
        for (uint32_t rest = ofr_existing_ports(torus, &at); rest; rest &= rest - 1) {
            unsigned port = (unsigned)__builtin_ctz(rest);
            struct ofr_coord to = ofr_neighbour(torus, at, port);
            x->next[n][port] = ofr_node_id(torus, &to);
            x->up[n] |= (uint8_t)(ofr_link_up(x->p, n, port) << port);
            // A directed packet: into VS2 over any link, and out of the network behind it.
            if (x->up[n] >> port & 1)
                x->local[n][slots_less_one(false)] |= (uint64_t)1
                                                      << (OFR_QUEUE_VCS * port + OFR_VC_VS2);
        }
    }
}

struct ofr_deadlock ofr_deadlock_check(const struct ofr_programmed *p, void *memory)
{
    struct checker x = {.p = p};
    set_up(&x, memory);
    know_links(&x);
    for (uint32_t s = 0; s < x.nodes; s++)
        for (uint32_t t = 0; t < x.nodes; t++)
            for (unsigned cls = OFR_PKT_CLASS_INORDER; s != t && cls <= OFR_PKT_CLASS_DEROUTE;
                 cls++)
                note_packet(&x, s, t, cls);
    for (unsigned to_idn = 2; to_idn-- > 0;)
        for (uint32_t end = 0; end < x.nodes; end++) {
            sort_nodes(&x, end);
            for (unsigned adaptive = 0; adaptive < 2; adaptive++) {
                uint32_t comes = all_toward(&x, end, adaptive, to_idn);
                if (to_idn)
                    x.comes[end][adaptive] = comes;
            }
        }
    if (x.dead.verdict == OFR_DEAD_LINK)
        return x.dead;
    const struct ofr_waits waits = {&p->torus, of_queue, of_local, &x};
    return ofr_waits_judge(&waits, x.judge);
}
