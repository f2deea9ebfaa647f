// SPDX-License-Identifier: Apache-2.0
// A torus of golden nodes over reliable links at full load, while cables are pulled and put back,
// boards are reset and lose power, at random places and times. A host of few lines leads around
// what is down, some time after it is so, as torusctl does (around.h), and takes boards in again.
//
// A ledger knows every packet by source and SEQ, and where it is: it follows their heads from pin
// to pin. No packet may come twice, or other than it was sent; what has not come was discarded by a
// router that counted it, was on a link that fell, which the two ends' counts tell as well, or on a
// board that was reset. Pairs of which no shortest way needs what is lost never stop; the others go
// on once they are led around; afterwards all is as it was. An event is a run of its own, that
// follows from the seed and its number.
#include "around.h"
#include "links.h"
#include "node.h"
#include "packet.h"
#include "rng.h"

#include <argp.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    FLITS = 16,
    SEQS = 1 << 14,  // of a source, in an event
    QUEUE = 64,      // heads on a link
    MOST_LATE = 16,  // cycles for which a router may go on to begin packets for a dead link
    HOST_MIN = 2000, // cycles until it has heard of a change and works on it
    HOST_MORE = 18000,
    STAGGER = 1000, // its tables come to force within so many
    UP_WITHIN = 30000,
    WARM_UP = 4000,
    FALLEN = 12000, // cycles within which the ends have noticed
    LOAD = 45,      // cycles between two packets of a node: what a torus with a cable less
    LOAD_TWO = 64,  // carries, and with two less
    GAPS = 30,      // a pair has waited too long after so many times the mean
    WATCHDOG = 15,
    STARVED = 1 << 15, // cycles after which a node has, at full load
    DRAIN = 100000,
    UNKNOWN = -1,
};

enum kind { PULL, TWO, BLINK, RESET, POWER, KINDS };
static const char *const names[KINDS] = {"cable", "two cables", "loose plug", "reset", "power"};

enum state { NONE, INSIDE, LINKED, DELIVERED, POISONED, LOST };
struct packet {
    uint8_t state;
    uint16_t where; // node; or node and port whose link it is on
    bool excused;   // was on the board that was reset, or on its links
};

struct pins { // a place where flits go by
    unsigned index;
    uint64_t began;
    int32_t id; // of the packet
};

struct link { // from a port
    int32_t head[QUEUE];
    uint8_t vc[QUEUE];
    unsigned first, count;
    uint8_t sent[OFR_VCS]; // modulo 16, as the router counts
    unsigned down;         // cycles
    bool fell;             // within this event
};

struct options {
    struct ofr_torus torus;
    unsigned events, first;
    int kind; // -1: all in turn
    uint64_t seed;
    bool no_host;
};

struct run {
    const struct options *o;
    struct ofr_torus torus;
    uint32_t nodes;
    unsigned ports;
    enum kind kind;
    struct rng rng;
    char why[240];
    uint64_t cycle;
    // Boards
    struct ofr_node *node;
    void **memory;
    unsigned *off; // cycles to go
    struct links *links;
    const struct ofr_router_out **out;
    struct ofr_router_in *in;
    // The host: what it knows, what it has set
    uint8_t *known, *told;
    uint64_t acts_at; // UINT64_MAX: nothing to do
    uint64_t *commit_at;
    uint16_t *entry;
    bool *configured, *ready;
    bool traffic;
    bool full;       // load: all that goes in
    unsigned period; // cycles between two packets of a node
    bool renumber;   // the generator of the board that was reset
    uint64_t led_at; // when all tables of the last change were in force
    // Ledger
    struct packet *packet; // [node][SEQS]
    struct pins *tx, *rx;  // [node][port]
    struct pins *li, *lo;  // [node]
    struct link *link;     // [node][port]
    uint64_t *discarded;   // by a node, of before its reset
    uint64_t *headless;    // cut before it was known who they are, by the node that they came to
    uint64_t *last;        // [source][destination]: when a packet came
    uint64_t *last_from;   // [source], [destination]
    bool *needs;           // ... its shortest ways may need what is lost
    uint64_t injected, delivered, poisoned, lost, excused;
    uint64_t most_gap, most_wait; // of a pair that does not need what is lost; of a node, at all
    int board;                    // that was reset, -1: none
    uint64_t reset_at;
};

static void fail(struct run *r, const char *format, ...)
{
    va_list list;
    if (r->why[0])
        return;
    int used = snprintf(r->why, sizeof r->why, "cycle %" PRIu64 ": ", r->cycle);
    va_start(list, format);
    vsnprintf(r->why + used, sizeof r->why - (size_t)used, format, list);
    va_end(list);
}

static size_t port_of(const struct run *r, uint32_t n, unsigned p)
{
    return (size_t)n * r->ports + p;
}

static uint32_t far_node(const struct run *r, uint32_t n, unsigned p)
{
    struct ofr_coord here = ofr_node_coord(&r->torus, n);
    struct ofr_coord to = ofr_neighbour(&r->torus, here, p);
    return ofr_node_id(&r->torus, &to);
}

static unsigned word_of(const struct run *r, uint32_t n)
{
    struct ofr_coord c = ofr_node_coord(&r->torus, n);
    return ofr_coord_word(&c, r->torus.n);
}

static unsigned distance(const struct run *r, uint32_t a, uint32_t b)
{
    struct ofr_coord x = ofr_node_coord(&r->torus, a), y = ofr_node_coord(&r->torus, b);
    unsigned sum = 0;
    for (unsigned d = 0; d < r->torus.n; d++) {
        unsigned k = r->torus.k[d], by = (x.c[d] + k - y.c[d]) % k;
        sum += by < k - by ? by : k - by;
    }
    return sum;
}

// --- Boards
// --------------------------------------------------------------------------------------------

static const struct ofr_shape *shape_of(const struct run *r)
{
    static struct ofr_shape shape = {
        .flit_bits = 32, .slots = 8, .unit_mul = 1, .slot_flits = FLITS};
    shape.n = r->torus.n;
    return &shape;
}

static void write_node(struct run *r, uint32_t n, unsigned offset, uint32_t value)
{
    bool error = false;
    ofr_node_write(&r->node[n], offset, value, &error);
    if (error)
        fail(r, "node %u refuses a write of %x to %x", n, value, offset);
}

static void power_up(struct run *r, uint32_t n)
{
    ofr_node_init(&r->node[n], shape_of(r), n, r->memory[n]);
    r->configured[n] = r->ready[n] = false;
}

// All but its destination table; which can be written when it is cleared.
static void configure(struct run *r, uint32_t n)
{
    // Its size is written while no packet is in it: what comes to it meanwhile it discards
    if (!r->node[n].drained)
        return;
    struct ofr_coord c = ofr_node_coord(&r->torus, n);
    const uint8_t *k = r->torus.k;
    bool three = r->torus.n == 3;
    write_node(r, n, OFR_NODE_SIZE,
               k[0] | (uint32_t)k[1] << 8 | (three ? (uint32_t)k[2] << 16 : 0));
    write_node(r, n, OFR_NODE_COORD,
               c.c[0] | (uint32_t)c.c[1] << 8 | (three ? (uint32_t)c.c[2] << 16 : 0));
    write_node(r, n, OFR_NODE_SEED, (uint32_t)rng_next(&r->rng) | 1);
    write_node(r, n, OFR_NODE_WATCHDOG, WATCHDOG);
    write_node(r, n, OFR_NODE_CONTROL, 1);
    write_node(r, n, OFR_GEN_LENGTH, FLITS | 1U << 16);
    write_node(r, n, OFR_GEN_SEED, (uint32_t)rng_next(&r->rng) | 1);
    write_node(r, n, OFR_GEN_MESSAGES, 0);
    write_node(r, n, OFR_GEN_PERIOD, r->period << 8);
    r->configured[n] = true;
}

static void generate(struct run *r, uint32_t n)
{
    struct ofr_node *node = &r->node[n];
    write_node(r, n, OFR_GEN_START, ofr_node_read(node, OFR_NODE_TIME) + 4);
    write_node(r, n, OFR_GEN_CONTROL,
               1 | OFR_PKT_CLASS_DEROUTE << OFR_GEN_CONTROL_CLASS_LSB |
                   OFR_GEN_CONTROL_PATTERN_UNIFORM << OFR_GEN_CONTROL_PATTERN_LSB);
    r->ready[n] = true;
}

// --- The ledger
// ----------------------------------------------------------------------------------------

static int32_t id_of(const struct run *r, uint64_t flit1)
{
    struct ofr_header h = ofr_header_unpack(flit1 << 32);
    struct ofr_coord c = {{h.source & 15, h.source >> 4 & 15, h.source >> 8 & 15}};
    for (unsigned d = 0; d < r->torus.n; d++)
        if (c.c[d] >= r->torus.k[d])
            return UNKNOWN;
    if (h.seq >= SEQS || h.kind != OFR_PKT_KIND_GEN)
        return UNKNOWN;
    return (int32_t)(ofr_node_id(&r->torus, &c) * SEQS + h.seq);
}

static void see_injected(struct run *r, uint32_t n, const struct ofr_flit *f)
{
    struct pins *l = &r->li[n];
    if (l->index == 1) {
        int32_t id = id_of(r, f->data);
        if (id == UNKNOWN || r->packet[id].state != NONE)
            fail(r, "node %u begins a packet that was there before", n);
        else
            r->packet[id] = (struct packet){.state = INSIDE, .where = (uint16_t)n};
        r->injected++;
    }
    l->index = f->last ? 0 : l->index + 1;
}

// A packet leaves: which one it is stands in its second flit.
static void see_sent(struct run *r, uint32_t n, unsigned p, const struct ofr_flit *f)
{
    struct pins *t = &r->tx[port_of(r, n, p)];
    struct link *l = &r->link[port_of(r, n, p)];
    if (t->index == 0) {
        if (l->count == QUEUE)
            fail(r, "node %u, port %u: too many packets on the link", n, p);
        if (l->down > MOST_LATE)
            fail(r, "node %u begins a packet at port %u, whose link fell %u cycles ago", n, p,
                 l->down);
        unsigned at = (l->first + l->count++) % QUEUE;
        t->began = r->cycle;
        l->head[at] = UNKNOWN;
        l->vc[at] = f->vc;
        l->sent[f->vc] = (l->sent[f->vc] + 1) & 15;
    } else if (t->index == 1) {
        int32_t id = id_of(r, f->data);
        struct packet *k = &r->packet[id == UNKNOWN ? 0 : id];
        if (id != UNKNOWN && k->state == INSIDE && k->where == n) {
            k->state = LINKED;
            k->where = (uint16_t)port_of(r, n, p);
            // The far end may have its head already, and may have been reset with it
            if (l->count)
                l->head[(l->first + l->count - 1) % QUEUE] = id;
            else
                k->excused |= t->began <= r->reset_at && (int)far_node(r, n, p) == r->board;
        }
    }
    t->index = f->last ? 0 : t->index + 1;
}

static void see_received(struct run *r, uint32_t n, unsigned p, const struct ofr_flit *f)
{
    size_t from = port_of(r, far_node(r, n, p), p ^ 1);
    struct pins *t = &r->rx[port_of(r, n, p)];
    struct link *l = &r->link[from];
    if (t->index == 0) {
        if (!l->count) {
            fail(r, "node %u, port %u: a packet comes that was not sent", n, p);
            return;
        }
        t->id = l->head[l->first];
        l->first = (l->first + 1) % QUEUE;
        l->count--;
        if (t->id != UNKNOWN)
            r->packet[t->id] = (struct packet){
                .state = INSIDE, .where = (uint16_t)n, .excused = r->packet[t->id].excused};
    } else if (t->index == 1) {
        int32_t id = id_of(r, f->data);
        struct packet *k = &r->packet[id == UNKNOWN ? 0 : id];
        if (t->id == UNKNOWN && id != UNKNOWN && k->state == LINKED && k->where == from)
            *k = (struct packet){.state = INSIDE, .where = (uint16_t)n, .excused = k->excused};
        else if (t->id != id && !(f->last && f->poison))
            fail(r, "node %u, port %u: another packet comes than was sent", n, p);
        t->id = id;
    }
    t->index = f->last ? 0 : t->index + 1;
}

static void see_cut(struct run *r, uint32_t n, unsigned p)
{
    struct pins *t = &r->rx[port_of(r, n, p)];
    r->headless[n] += t->index == 1;
    t->index = 0;
}

static void see_delivered(struct run *r, uint32_t n, const struct ofr_flit *f)
{
    struct pins *l = &r->lo[n];
    if (l->index == 1)
        l->id = id_of(r, f->data);
    l->index++;
    if (!f->last)
        return;
    struct packet *k = &r->packet[l->id == UNKNOWN ? 0 : l->id];
    bool good = l->index > 1 && l->id != UNKNOWN && k->state == INSIDE && k->where == n;
    if (!good && !f->poison)
        fail(r, "node %u: a packet is delivered that is not there, for the second time%s", n,
             l->id != UNKNOWN && k->state == DELIVERED ? "" : " or never sent");
    if (good)
        k->state = f->poison ? POISONED : DELIVERED;
    r->poisoned += f->poison;
    r->delivered += !f->poison;
    if (good && !f->poison) {
        uint32_t source = (uint32_t)l->id / SEQS;
        size_t pair = (size_t)source * r->nodes + n;
        uint64_t gap = r->cycle - r->last[pair];
        if (!r->needs[pair] && gap > r->most_gap)
            r->most_gap = gap;
        r->last[pair] = r->cycle;
        for (unsigned i = 0; i < 2; i++) {
            uint32_t node = i ? n : source;
            gap = r->cycle - r->last_from[i * r->nodes + node];
            if (gap > r->most_wait && (int)node != r->board)
                r->most_wait = gap;
            r->last_from[i * r->nodes + node] = r->cycle;
        }
    }
    l->index = 0;
}

// The link is trained anew: what was on it is lost, as many as its two routers' counts tell.
static void see_rebased(struct run *r, uint32_t n, unsigned p, const uint8_t base[OFR_VCS])
{
    struct link *l = &r->link[port_of(r, n, p)];
    unsigned left[OFR_VCS] = {0};
    for (; l->count; l->count--) {
        int32_t id = l->head[l->first];
        left[l->vc[l->first]]++;
        l->first = (l->first + 1) % QUEUE;
        if (id != UNKNOWN && r->packet[id].state == LINKED)
            r->packet[id].state = LOST;
        r->lost++;
    }
    for (unsigned v = 0; v < OFR_VCS; v++) {
        unsigned counted = (l->sent[v] + 16U - base[v]) & 15;
        bool reset = (int)n == r->board || (int)far_node(r, n, p) == r->board;
        if (counted != left[v] && !reset)
            fail(r, "node %u, port %u: %u packets were lost on VC %u, its ends count %u", n, p,
                 left[v], v, counted);
        l->sent[v] = base[v];
    }
}

static void see(struct run *r)
{
    for (uint32_t n = 0; n < r->nodes; n++) {
        if (r->off[n])
            continue;
        const struct ofr_router_in *in = &r->in[n];
        const struct ofr_router_out *out = r->out[n];
        struct ofr_flit li = ofr_local_out(&r->node[n].local, &r->node[n].config);
        if (out->lo.valid)
            see_delivered(r, n, &out->lo);
        if (li.valid && out->li_ready[li.vc])
            see_injected(r, n, &li);
        for (unsigned p = 0; p < r->ports; p++) {
            struct link *l = &r->link[port_of(r, n, p)];
            if (in->rx_abort[p])
                see_cut(r, n, p);
            if (in->rx[p].valid)
                see_received(r, n, p, &in->rx[p]);
            if (in->tx_rebase[p])
                see_rebased(r, n, p, in->tx_base[p]);
            if (out->tx[p].valid && in->tx_ready[p])
                see_sent(r, n, p, &out->tx[p]);
            l->down = in->link_up[p] ? 0 : l->down + 1;
            l->fell |= !in->link_up[p];
        }
    }
}

// --- The host
// ------------------------------------------------------------------------------------------

// Ports whose link is up at both ends.
static void look(const struct run *r, uint8_t *up)
{
    memset(up, 0, r->nodes);
    for (uint32_t n = 0; n < r->nodes; n++)
        for (unsigned p = 0; p < r->ports; p++) {
            uint32_t far = far_node(r, n, p);
            if (!r->off[n] && !r->off[far] && r->in[n].link_up[p] && r->in[far].link_up[p ^ 1])
                up[n] |= (uint8_t)(1U << p);
        }
}

static void work_out(struct run *r)
{
    struct ofr_table table;
    struct ofr_programmed p = {
        .torus = r->torus, .tie = OFR_TIE_BOTH, .table = &table, .up = r->told};
    void *memory = malloc(ofr_around_bytes(&r->torus));
    if (!memory)
        abort();
    ofr_table_reset(&table, r->torus.n);
    ofr_around(&p, r->entry, memory);
    free(memory);
}

// Writes a node's table and commits it. False: not yet.
static bool commit(struct run *r, uint32_t n)
{
    struct ofr_node *node = &r->node[n];
    if (ofr_node_read(node, OFR_PINS_CLEAR))
        return false;
    for (uint32_t t = 0; t < r->nodes; t++) {
        write_node(r, n, OFR_PINS_ADDR, word_of(r, t));
        write_node(r, n, OFR_PINS_DATA, r->entry[n * r->nodes + t]);
    }
    write_node(r, n, OFR_PINS_CONTROL, 1);
    return true;
}

static void host(struct run *r)
{
    look(r, r->known);
    bool changed = memcmp(r->known, r->told, r->nodes) != 0, working = false;
    for (uint32_t n = 0; n < r->nodes; n++) {
        changed |= !r->configured[n] && !r->off[n];
        working |= r->commit_at[n] != UINT64_MAX;
    }
    if (changed && !working && r->acts_at == UINT64_MAX && !r->o->no_host)
        r->acts_at = r->cycle + HOST_MIN + rng_below(&r->rng, HOST_MORE);
    if (r->cycle >= r->acts_at) {
        r->acts_at = UINT64_MAX;
        memcpy(r->told, r->known, r->nodes);
        work_out(r);
        for (uint32_t n = 0; n < r->nodes; n++) {
            if (!r->off[n])
                r->commit_at[n] = r->cycle + rng_below(&r->rng, STAGGER);
        }
    }
    for (uint32_t n = 0; n < r->nodes; n++) {
        if (r->off[n])
            r->commit_at[n] = UINT64_MAX;
        if (r->cycle < r->commit_at[n])
            continue;
        if (!r->configured[n])
            configure(r, n);
        if (!r->configured[n] || !commit(r, n))
            continue;
        r->commit_at[n] = UINT64_MAX;
        r->led_at = r->cycle;
        if (r->traffic && !r->ready[n]) {
            generate(r, n);
            r->renumber = true;
        }
    }
}

// Nothing is left to do, and all links are up.
static bool settled(const struct run *r)
{
    bool good = links_up(r->links) && r->acts_at == UINT64_MAX &&
                (r->o->no_host || !memcmp(r->known, r->told, r->nodes));
    for (uint32_t n = 0; n < r->nodes; n++)
        good = good && r->commit_at[n] == UINT64_MAX && r->configured[n] && !r->off[n];
    return good;
}

// --- Time
// ----------------------------------------------------------------------------------------------

static void step(struct run *r)
{
    memset(r->in, 0, r->nodes * sizeof *r->in);
    for (uint32_t n = 0; n < r->nodes; n++)
        r->out[n] = ofr_node_out(&r->node[n]);
    links_cycle(r->links, r->out, r->in);
    see(r);
    host(r);
    for (uint32_t n = 0; n < r->nodes; n++) {
        struct ofr_node_in in = {.link_tick = false};
        if (r->off[n]) {
            r->off[n]--;
            continue;
        }
        memcpy(in.rx, r->in[n].rx, sizeof in.rx);
        memcpy(in.rx_abort, r->in[n].rx_abort, sizeof in.rx_abort);
        memcpy(in.tx_ready, r->in[n].tx_ready, sizeof in.tx_ready);
        memcpy(in.tx_credit, r->in[n].tx_credit, sizeof in.tx_credit);
        memcpy(in.tx_base, r->in[n].tx_base, sizeof in.tx_base);
        memcpy(in.tx_rebase, r->in[n].tx_rebase, sizeof in.tx_rebase);
        memcpy(in.link_up, r->in[n].link_up, sizeof in.link_up);
        ofr_node_step(&r->node[n], &in);
        if (r->renumber && (int)n == r->board && r->node[n].local.gen.run) {
            r->node[n].local.gen.seq = SEQS / 2; // not the same numbers again
            r->renumber = false;
        }
        if (ofr_node_read(&r->node[n], OFR_NODE_STATUS) & OFR_NODE_STATUS_WATCHDOG_MASK)
            fail(r, "node %u: a packet has waited for 2^%d cycles", n, WATCHDOG);
    }
    links_step(r->links);
    r->cycle++;
}

static void steps(struct run *r, uint64_t cycles)
{
    for (uint64_t i = 0; i < cycles && !r->why[0]; i++)
        step(r);
}

static bool steps_until_settled(struct run *r, uint64_t limit)
{
    for (uint64_t i = 0; i < limit && !r->why[0]; i++) {
        step(r);
        if (settled(r))
            return true;
    }
    return false;
}

static uint64_t discarded(struct run *r, uint32_t n)
{
    write_node(r, n, OFR_COUNT_SNAPSHOT, 0);
    return ofr_counters_value(&r->node[n].counters, OFR_COUNTER_DISCARDED);
}

// --- What happens
// ------------------------------------------------------------------------------------------

static void pull(struct run *r, unsigned cycles)
{
    uint32_t n = rng_below(&r->rng, r->nodes);
    unsigned p = rng_below(&r->rng, r->ports);
    uint32_t m = far_node(r, n, p);
    links_pull(r->links, n, p, cycles);
    for (uint32_t s = 0; s < r->nodes; s++)
        for (uint32_t t = 0; t < r->nodes; t++) {
            unsigned d = distance(r, s, t);
            r->needs[s * r->nodes + t] |= distance(r, s, n) + 1 + distance(r, m, t) == d ||
                                          distance(r, s, m) + 1 + distance(r, n, t) == d;
        }
}

static void turn_off(struct run *r, unsigned cycles)
{
    uint32_t x = rng_below(&r->rng, r->nodes);
    r->board = (int)x;
    r->reset_at = r->cycle;
    r->off[x] = cycles;
    r->discarded[x] = discarded(r, x);
    for (uint32_t s = 0; s < r->nodes; s++)
        for (uint32_t t = 0; t < r->nodes; t++)
            r->needs[s * r->nodes + t] |=
                distance(r, s, x) + distance(r, x, t) == distance(r, s, t);
    // What was on it or on its links. What it was sending has gone on with its head alone.
    for (size_t i = 0; i < (size_t)r->nodes * SEQS; i++) {
        struct packet *k = &r->packet[i];
        uint32_t from = k->where / r->ports, to = 0;
        if (k->state == LINKED)
            to = far_node(r, from, k->where % r->ports);
        k->excused |=
            (k->state == INSIDE && k->where == x) || (k->state == LINKED && (from == x || to == x));
    }
    for (unsigned p = 0; p < r->ports; p++) {
        const struct pins *rx = &r->rx[port_of(r, far_node(r, x, p), p ^ 1)];
        if (rx->index && rx->id != UNKNOWN)
            r->packet[rx->id].excused = true;
        r->tx[port_of(r, x, p)].index = r->rx[port_of(r, x, p)].index = 0;
        memset(r->link[port_of(r, x, p)].sent, 0, OFR_VCS);
    }
    r->li[x].index = r->lo[x].index = 0;
    links_reset(r->links, x, cycles);
    power_up(r, x);
}

static void harm(struct run *r, uint64_t gap)
{
    unsigned led = HOST_MIN + HOST_MORE + 2 * STAGGER + 10000;
    unsigned away = led + (unsigned)gap + rng_below(&r->rng, 5000);
    switch (r->kind) {
    case PULL:
        pull(r, away);
        break;
    case TWO:
        pull(r, away);
        steps(r, rng_below(&r->rng, 3000));
        pull(r, away);
        break;
    case BLINK:
        pull(r, 1 + rng_below(&r->rng, rng_chance(&r->rng, 500) ? 100 : 6000));
        break;
    case RESET:
        turn_off(r, 1 + rng_below(&r->rng, 300));
        break;
    default:
        turn_off(r, away);
    }
    steps(r, r->kind == BLINK || r->kind == RESET ? FALLEN : led);
}

// Every pair that there may be has had a packet since then; at full load, where a node beside what
// is lost may be let in seldom, every node.
static void all_flow(struct run *r, uint64_t since)
{
    for (uint32_t n = 0; n < r->nodes && r->full; n++)
        if (!r->off[n] && (r->last_from[n] < since || r->last_from[r->nodes + n] < since))
            fail(r, "no packet of node %u, or to it, for %" PRIu64 " cycles", n, r->cycle - since);
    if (r->full)
        return;
    for (uint32_t s = 0; s < r->nodes; s++)
        for (uint32_t t = 0; t < r->nodes; t++) {
            bool away = r->off[s] || r->off[t];
            if (s == t || away || r->last[s * r->nodes + t] >= since)
                continue;
            // Two cables may leave a pair without a way (around.h)
            if (r->entry[s * r->nodes + t] >> OFR_PINS_DATA_MODE_LSB ==
                OFR_PINS_DATA_MODE_UNREACHABLE)
                continue;
            fail(r, "no packet from node %u to node %u for %" PRIu64 " cycles%s", s, t,
                 r->cycle - since,
                 r->needs[s * r->nodes + t] ? "" : ", which do not need what is lost");
        }
}

// Each packet that is not delivered is accounted for.
static void account(struct run *r)
{
    uint64_t *stuck = calloc(r->nodes, sizeof *stuck), twice = 0, headless = 0, cut = 0;
    if (!stuck)
        abort();
    for (uint32_t n = 0; n < r->nodes; n++)
        headless += r->headless[n];
    for (size_t i = 0; i < (size_t)r->nodes * SEQS; i++) {
        const struct packet *k = &r->packet[i];
        bool missing = k->state == INSIDE || k->state == LINKED || k->state == LOST;
        cut += k->state == LINKED && !k->excused;
        if (k->state == LOST && !r->link[k->where].fell)
            fail(r, "a packet is lost on a link that did not fall");
        if (missing && k->excused)
            r->excused++;
        else if (k->state == INSIDE)
            stuck[k->where]++;
    }
    if (cut > headless)
        fail(r, "%" PRIu64 " packets are on links that are empty", cut);
    for (uint32_t n = 0; n < r->nodes; n++) {
        uint64_t counted = discarded(r, n) + r->discarded[n];
        bool reset = (int)n == r->board;
        // Excused ones may have been discarded, too
        if (stuck[n] > counted + headless || (!reset && counted > stuck[n] + headless + r->excused))
            fail(r, "node %u: %" PRIu64 " packets ended there, %" PRIu64 " were discarded", n,
                 stuck[n], counted);
        twice += r->node[n].local.check.errors;
    }
    if (twice)
        fail(r, "%" PRIu64 " packets came damaged", twice);
    free(stuck);
}

static bool drained(const struct run *r)
{
    for (uint32_t n = 0; n < r->nodes; n++)
        if (!ofr_router_out(r->node[n].router)->drained || r->li[n].index)
            return false;
    return links_idle(r->links);
}

static bool set_up(struct run *r)
{
    size_t n = r->nodes, ports = n * r->ports;
    struct links_options links = {.torus = r->torus,
                                  .shape = {.n = r->torus.n,
                                            .flit_bits = 32,
                                            .slots = 8,
                                            .slot_flits = FLITS,
                                            .serial = true,
                                            .tick = 8,
                                            .crc_check = 16},
                                  .seed = rng_next(&r->rng),
                                  .latency = 1 + rng_below(&r->rng, 32),
                                  .pace = 1};
    r->node = calloc(n, sizeof *r->node);
    r->memory = calloc(n, sizeof *r->memory);
    r->off = calloc(n, sizeof *r->off);
    r->out = calloc(n, sizeof *r->out);
    r->in = calloc(n, sizeof *r->in);
    r->known = calloc(2, n);
    r->commit_at = calloc(n, sizeof *r->commit_at);
    r->entry = calloc(n * n, sizeof *r->entry);
    r->configured = calloc(2, n);
    r->packet = calloc(n * SEQS, sizeof *r->packet);
    r->tx = calloc(2 * ports + 2 * n, sizeof *r->tx);
    r->link = calloc(ports, sizeof *r->link);
    r->discarded = calloc(2 * n, sizeof *r->discarded);
    r->last = calloc(n * n + 2 * n, sizeof *r->last);
    r->needs = calloc(n * n, sizeof *r->needs);
    r->links = links_new(&links);
    if (!r->node || !r->memory || !r->off || !r->out || !r->in || !r->known || !r->commit_at ||
        !r->entry || !r->configured || !r->packet || !r->tx || !r->link || !r->discarded ||
        !r->last || !r->needs || !r->links)
        return false;
    r->told = r->known + n;
    r->ready = r->configured + n;
    r->rx = r->tx + ports;
    r->li = r->rx + ports;
    r->lo = r->li + n;
    r->headless = r->discarded + n;
    r->last_from = r->last + n * n;
    r->acts_at = UINT64_MAX;
    r->board = -1;
    for (uint32_t i = 0; i < n; i++) {
        r->memory[i] = malloc(ofr_node_size(shape_of(r)));
        if (!r->memory[i])
            return false;
        r->commit_at[i] = UINT64_MAX;
        power_up(r, i);
        configure(r, i);
    }
    return true;
}

static void clean_up(struct run *r)
{
    for (uint32_t n = 0; n < r->nodes && r->memory; n++)
        free(r->memory[n]);
    links_free(r->links);
    void *all[] = {r->node,  r->memory,    r->off,       (void *)r->out, r->in,
                   r->known, r->commit_at, r->entry,     r->configured,  r->packet,
                   r->tx,    r->link,      r->discarded, r->last,        r->needs};
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

static bool event(const struct options *o, unsigned number, double *before, double *after)
{
    struct run r = {.o = o,
                    .torus = o->torus,
                    .nodes = ofr_nodes(&o->torus),
                    .ports = 2U * o->torus.n,
                    .kind = o->kind >= 0 ? (enum kind)o->kind : (enum kind)(number % KINDS),
                    .full = number / KINDS % 2 == 0};
    r.period = r.full ? FLITS : r.kind == TWO ? LOAD_TWO : LOAD;
    r.rng.state = o->seed * 1000003 + number;
    rng_next(&r.rng);
    if (!set_up(&r)) {
        fprintf(stderr, "heal: out of memory\n");
        exit(2);
    }
    // A pair's packets come every `mean` cycles, by LOAD
    uint64_t mean = (r.kind == TWO ? LOAD_TWO : LOAD) * (r.nodes - 1), gap = GAPS * mean;
    for (uint64_t i = 0; i < UP_WITHIN && !links_up(r.links); i++)
        step(&r);
    if (!links_up(r.links))
        fail(&r, "links do not come up");
    look(&r, r.told);
    work_out(&r);
    r.acts_at = UINT64_MAX;
    for (size_t i = 0; i < (size_t)r.nodes * r.ports; i++)
        r.link[i].fell = false;
    r.traffic = true;
    for (uint32_t n = 0; n < r.nodes; n++)
        generate(&r, n);
    uint64_t start = r.cycle;
    for (size_t i = 0; i < (size_t)r.nodes * r.nodes; i++)
        r.last[i] = start;
    for (size_t i = 0; i < 2 * (size_t)r.nodes; i++)
        r.last_from[i] = start;
    steps(&r, WARM_UP);
    uint64_t came = r.delivered;
    steps(&r, gap);
    *before = (double)(r.delivered - came) * FLITS / (double)(gap * r.nodes);
    all_flow(&r, start);
    steps(&r, rng_below(&r.rng, 2000));

    uint64_t at = r.cycle, led = 0;
    harm(&r, gap);
    if (r.kind != BLINK && r.kind != RESET) { // led around meanwhile
        uint64_t since = r.cycle;
        led = r.led_at;
        steps(&r, gap);
        all_flow(&r, since);
    }
    if (!steps_until_settled(&r, 200000))
        fail(&r, "not all is as it was before");
    uint64_t back = r.cycle;
    steps(&r, WARM_UP);
    came = r.delivered;
    steps(&r, gap);
    *after = (double)(r.delivered - came) * FLITS / (double)(gap * r.nodes);
    all_flow(&r, back);
    if (!r.full && r.most_gap > gap)
        fail(&r, "%" PRIu64 " cycles without a packet of a pair that does not need what is lost",
             r.most_gap);
    if (r.most_wait > STARVED)
        fail(&r, "%" PRIu64 " cycles without a packet of one node, or to it", r.most_wait);
    if (*after < 0.95 * *before)
        fail(&r, "%.3f flits a cycle and node afterwards, %.3f before", *after, *before);
    for (uint32_t n = 0; n < r.nodes; n++)
        write_node(&r, n, OFR_GEN_CONTROL, 0);
    r.traffic = false;
    uint64_t stop = r.cycle;
    while (!r.why[0] && (r.cycle < stop + 100 || !drained(&r)))
        if (step(&r), r.cycle > stop + DRAIN)
            fail(&r, "packets are left that do not move");
    account(&r);
    uint64_t gone = 0;
    for (uint32_t n = 0; n < r.nodes; n++)
        gone += discarded(&r, n) + r.discarded[n];
    // Pulled cables: the four counts make up all
    if (r.board < 0 && r.injected != r.delivered + r.poisoned + gone + r.lost)
        fail(&r,
             "%" PRIu64 " packets, %" PRIu64 " delivered, %" PRIu64 " poisoned, %" PRIu64
             " discarded, %" PRIu64 " lost on links",
             r.injected, r.delivered, r.poisoned, gone, r.lost);
    printf("%sok %u - %s, %s, at cycle %" PRIu64 ", led around %" PRIu64 " later, all back %" PRIu64
           " later: %" PRIu64 " packets, %" PRIu64 " delivered, %" PRIu64 " poisoned, %" PRIu64
           " discarded, %" PRIu64 " lost on links, %" PRIu64 " of a board reset; %.3f and %.3f; "
           "longest wait of others' pairs %" PRIu64 ", of a node %" PRIu64 "\n",
           r.why[0] ? "not " : "", number + 1, names[r.kind], r.full ? "full load" : "less load",
           at - start, led > at ? led - at : 0, back - at, r.injected, r.delivered, r.poisoned,
           gone, r.lost, r.excused, *before, *after, r.most_gap, r.most_wait);
    if (r.why[0])
        printf("# %s\n# again: --seed %" PRIu64 " --first %u --events 1\n", r.why, o->seed, number);
    fflush(stdout);
    bool good = !r.why[0];
    clean_up(&r);
    return good;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    unsigned k[3];
    char extra;
    switch (key) {
    case 'T': {
        int n = sscanf(arg, "%ux%ux%u%c", &k[0], &k[1], &k[2], &extra);
        if (n != 2 && n != 3)
            argp_error(state, "--torus %s: write 4x4", arg);
        o->torus.n = (uint8_t)n;
        for (int i = 0; i < n; i++) {
            if (k[i] < 3 || k[i] > 8)
                argp_error(state, "--torus %s: sizes are 3 to 8", arg);
            o->torus.k[i] = (uint8_t)k[i];
        }
        return 0;
    }
    case 'e':
        o->events = (unsigned)strtoul(arg, NULL, 10);
        return 0;
    case 'f':
        o->first = (unsigned)strtoul(arg, NULL, 10);
        return 0;
    case 's':
        o->seed = strtoull(arg, NULL, 10);
        return 0;
    case 'k':
        for (o->kind = 0; o->kind < KINDS && strcmp(arg, names[o->kind]); o->kind++) {
        }
        if (o->kind == KINDS)
            argp_error(state, "--kind %s: there is none", arg);
        return 0;
    case 'n':
        o->no_host = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int main(int argc, char **argv)
{
    static const struct argp_option list[] = {
        {"torus", 'T', "KxK[xK]", 0, "(default 4x4)", 0},
        {"events", 'e', "N", 0, "(default 10)", 0},
        {"first", 'f', "N", 0, "the number of the first (0), for replay", 0},
        {"kind", 'k', "KIND", 0, "cable, two cables, loose plug, reset or power (in turn)", 0},
        {"seed", 's', "N", 0, "(default: SEED, or 1)", 0},
        {"no-host", 'n', NULL, 0, "nobody leads around: must be found", 0},
        {0}};
    static const struct argp parser = {
        list, parse, NULL, "Cables and boards that go and come back under full load.",
        NULL, NULL,  NULL};
    const char *seed = getenv("SEED");
    struct options o = {.torus = {.n = 2, .k = {4, 4}},
                        .events = 10,
                        .kind = -1,
                        .seed = seed ? strtoull(seed, NULL, 10) : 1};
    double before, after, sum[2] = {0};
    unsigned failed = 0, i = 0;
    argp_err_exit_status = 2;
    argp_parse(&parser, argc, argv, 0, NULL, &o);
    printf("# seed %" PRIu64 "\n", o.seed);
    for (; i < o.events && failed < 3; i++) {
        failed += !event(&o, o.first + i, &before, &after);
        sum[0] += before;
        sum[1] += after;
    }
    printf("# %.4f flits a cycle and node before, %.4f afterwards, in the mean of %u\n1..%u\n",
           sum[0] / (i ? i : 1), sum[1] / (i ? i : 1), i, o.first + i);
    return failed ? 1 : 0;
}
