// SPDX-License-Identifier: Apache-2.0
// Lockstep: a torus of RTL routers and a torus of golden routers on the same pins; every output pin
// is compared every cycle, all counters at random snapshots and at the end. The traffic comes from
// fabric.c, which checks delivery as well. While it runs, life goes on: routers are reset, links
// fall and rise, settings and topology are written. With reliable links (lockstep_links()) a link
// end is below every port, on both sides, and the cables between have bit errors. Everything
// follows from the seed. See README.md.
#include "counters.h"
#include "credit.h"
#include "fabric.h"
#include "links.h"
#include "ofr_regs.h"
#include "ofr_unit.h"
#include "pattern.h"
#include "router_differs.h"
#include "rtl_router.h"

#include <argp.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TRACE_CYCLES = 50, RESET_CYCLES = 4, DRAIN_CYCLES = 200000, KEYS = 256, LOADS = 9 };
// Reliable links: cycles after reset until all are up; nodes, so that this is a small part of a
// run; events are rarer by so much, since a link that falls takes some 5,000 cycles to come back.
enum { UP_TICKS = 40, LINKED_NODES = 16, LINKED_CALM = 40 };
// Router-cycles in all from which on the runs must have met everything that is drawn.
enum { COVERING = 3000000, LINKED_COVERING = 1000000 };

struct options {
    struct fabric_options fabric;
    bool torus_given;
    uint64_t cycles; // router-cycles a run
    unsigned runs;
    uint64_t total;                  // router-cycles to reach with further runs, 0: `runs` runs
    unsigned seconds;                // new runs begin for so long, 0: `runs` or `total`
    unsigned select, tie, threshold; // KEYS: drawn
    int traffic_class;               // -1: drawn weights
    int load;                        // permille of a flit a cycle and node, -1: drawn
    int pattern;                     // OFR_GEN_CONTROL_PATTERN_*, -1: drawn
    bool aborts;
    unsigned life;   // enum life, KEYS: drawn
    unsigned escape; // OFR_NODE_ROUTING_ESCAPE_*, KEYS: drawn
    const char *vcd;
    uint64_t until; // stop after this cycle (replay), 0: none
    uint32_t trace_node;
    uint64_t break_at; // golden side loses a credit from this cycle on: the test's broken twin
};

// Reads a router's counters through its registers while it works, and compares.
enum reading { REST, COPYING, LOW, HIGH, FINISHED };
struct reader {
    enum reading state;
    unsigned wait; // cycles to the next strobe
    unsigned left; // counters to read
    bool snapshot; // the model takes its own after this cycle's step
    struct ofr_counters counters;
};

// Writes a new IDN table to all routers at once through their registers, under traffic. The readers
// rest meanwhile.
enum { STROBE_CYCLES = 3, COMMIT_CYCLES = 64, TABLE_WRITES = 4 + 64 };
struct writer {
    struct {
        uint16_t offset;
        uint32_t value;
    } write[TABLE_WRITES];
    unsigned count, at; // at == count: nothing to write
    unsigned wait;      // cycles to the next strobe
    uint64_t next;      // cycle at which the next table is drawn
};

// What happens besides traffic. CALM: nothing but settings. FAULTS: resets of single routers, links
// that fall and rise, nodes that are unconfigured for a while, malformed packets: what arrives is
// right, and at the end everything drains. ABUSE: also coordinates and sizes that are not true,
// and neighbours that free what was never there.
enum life { CALM, FAULTS, ABUSE };

// A node's reset, and the writing of its topology: unconfigured, drained, written, configured.
enum writing { NOT_WRITING, DRAINING, WRITTEN };
struct events {
    unsigned reset; // cycles of reset to go
    bool in_reset;  // ... this one is one: what is written to a register is lost
    enum writing writing;
    unsigned wait; // cycles in this state
    bool watchdog, seed;
    uint32_t seed_value;
};

// Of a neighbour about the slots of a VC that it has freed.
struct lie {
    uint32_t node;
    uint8_t port, vc, credit;
    uint64_t until;
};

struct run {
    const struct options *o;
    struct fabric_options fo;
    uint64_t seed;
    uint32_t nodes;
    struct fabric *fabric;
    uint64_t length;               // cycles of traffic
    struct links *links;           // NULL: plain ones
    double error_rate, burst_rate; // of their cables
    uint64_t end;                  // cycle at which traffic ends; UINT64_MAX: links are not up yet
    struct rtl_router **rtl;
    void **memory;
    struct ofr_router **model;
    struct ofr_config *config;
    struct ofr_router_in *in;
    struct reader *reader;
    struct ofr_unit *unit; // their registers are written as the RTL's
    struct writer writer;
    enum life life;
    struct events *events;
    struct lie lie;
    unsigned calm;  // cycles to the next event
    unsigned stale; // banks of the IDN table with what was there before a reset
    uint64_t resets, cuts, topologies, malformed, lies;
    struct rng rng; // of readers, writer and settings
    bool ended;     // no new traffic, nothing happens any more
    bool finish;    // read all counters once more, then no more
    uint64_t cycle, snapshots, tables;
    char why[256];
    uint32_t bad_node;
    unsigned break_port; // one that has a link
};

// What all runs together have met.
struct totals {
    uint64_t router_cycles, cut, snapshots, tables, resets, cuts, topologies, malformed, lies;
    unsigned lives, escapes;
    unsigned loads, ties; // bit masks
    struct links_totals links;
    unsigned unseen;    // runs that ended with a damaged frame whose CRC fits
    bool one, two, odd; // sizes of the torus
};

static void differ(struct run *r, uint32_t n, const char *pin, int port, uint64_t rtl,
                   uint64_t model)
{
    struct ofr_coord c = ofr_node_coord(&r->fo.torus, n);
    if (r->why[0])
        return;
    r->bad_node = n;
    snprintf(r->why, sizeof r->why,
             "cycle %" PRIu64 ", node %u (%u,%u,%u), port %d: %s is %" PRIx64
             " in the RTL, %" PRIx64 " in the model",
             r->cycle, n, c.c[0], c.c[1], c.c[2], port, pin, rtl, model);
}

static void compare(struct run *r, uint32_t n, const struct ofr_router_out *rtl,
                    const struct ofr_router_out *model)
{
    struct router_difference d;
    if (router_differs(r->fo.torus.n, rtl, model, &d))
        differ(r, n, d.pin, d.port, d.rtl, d.model);
}

// Draws the settings that the options leave open and that may change between any two cycles.
static void draw_settings(struct run *r, struct ofr_config *config)
{
    const struct options *o = r->o;
    struct rng *rng = &r->rng;
    config->select = (uint8_t)(o->select < KEYS ? o->select : rng_below(rng, 4));
    config->threshold =
        (uint8_t)(o->threshold < KEYS ? o->threshold : rng_below(rng, r->fo.shape.slots));
    config->escape = (uint8_t)(o->escape < KEYS    ? o->escape
                               : rng_below(rng, 3) ? OFR_NODE_ROUTING_ESCAPE_BUBBLE
                                                   : rng_below(rng, 3));
    // Short times matter most: a run is short
    config->ring_wait_time =
        (uint8_t)(rng_below(rng, 4) ? 2 + rng_below(rng, 6) : rng_below(rng, 16));
}

static void counter_name(unsigned index, char *name, size_t size)
{
    static const char *const by_vc[] = {"flits", "packets", "stall_credit", "stall_alloc"};
    static const char *const node[] = {"injected", "delivered", "oidn",     "widn", "pinned",
                                       "refused",  "discarded", "poisoned", "hops"};
    if (index < OFR_COUNTER_NODE_BASE)
        snprintf(name, size, "counter %u (%s, VC %u)", index, by_vc[index % 4], index / 4 % 3);
    else if (index < OFR_COUNTER_LINK_BASE)
        snprintf(name, size, "counter %u (%s)", index, node[index - OFR_COUNTER_NODE_BASE]);
    else if (index < OFR_COUNTER_HIGH_BASE)
        snprintf(name, size, "counter %u (link)", index);
    else
        snprintf(name, size, "counter %u (high water, VC %u)", index,
                 (index - OFR_COUNTER_HIGH_BASE) % 3);
}

static int counter_port(unsigned index)
{
    return index < OFR_COUNTER_NODE_BASE   ? (int)index / 12
           : index < OFR_COUNTER_LINK_BASE ? -1
           : index < OFR_COUNTER_HIGH_BASE ? ((int)index - OFR_COUNTER_LINK_BASE) / 3
                                           : ((int)index - OFR_COUNTER_HIGH_BASE) / 3;
}

static void compare_read(struct run *r, uint32_t n, unsigned offset)
{
    struct ofr_counters *c = &r->reader[n].counters;
    unsigned index = c->index;
    uint32_t rtl = rtl_router_read(r->rtl[n], offset);
    uint32_t model = ofr_counters_read(c, offset);
    if (rtl != model) {
        char name[64];
        counter_name(index, name, sizeof name);
        differ(r, n, name, counter_port(index), rtl, model);
    }
}

// One strobe of a reader, if it is due: now and then a snapshot, then its counters.
static void read_counters(struct run *r, uint32_t n)
{
    struct reader *u = &r->reader[n];
    unsigned index = 0;
    if (r->finish && u->state == REST && u->wait > 2)
        u->wait = 2;
    if (u->state == FINISHED || (u->wait && u->wait--))
        return;
    u->wait = 2 + (!r->finish && rng_below(&r->rng, 8) == 0 ? rng_below(&r->rng, 40) : 0);
    switch (u->state) {
    case REST:
        rtl_router_write(r->rtl[n], OFR_COUNT_SNAPSHOT, 0);
        u->snapshot = true;
        u->state = COPYING;
        u->left = 0;
        r->snapshots++;
        break;
    case COPYING:
        if (rtl_router_read(r->rtl[n], OFR_COUNT_SNAPSHOT))
            break;
        // All counters at the end; else from a random one on
        if (!r->finish && rng_below(&r->rng, 4))
            index = rng_below(&r->rng, 256);
        rtl_router_write(r->rtl[n], OFR_COUNT_INDEX, index);
        ofr_counters_write(&u->counters, OFR_COUNT_INDEX, index, NULL);
        u->left = r->finish || index == 0 ? OFR_COUNTS : 1 + rng_below(&r->rng, 40);
        u->state = LOW;
        break;
    case LOW:
        compare_read(r, n, OFR_COUNT_LOW);
        u->state = HIGH;
        break;
    case HIGH:
        compare_read(r, n, OFR_COUNT_HIGH);
        u->state = --u->left ? LOW : REST;
        if (u->state == REST)
            u->wait += rng_below(&r->rng, rng_below(&r->rng, 2) ? 100 : 10000);
        if (u->state == REST && r->finish && u->counters.index == OFR_COUNTS)
            u->state = FINISHED;
        break;
    default:
        break;
    }
}

static uint32_t draw_entry(struct rng *rng)
{
    uint32_t entry = 0;
    for (unsigned i = 0; i < 3; i++) {
        uint32_t lambda = rng_below(rng, 3);
        entry |= (lambda == 2 ? 3 : lambda) << (2 * i);
    }
    return entry | (rng_below(rng, 4) ? OFR_OFR_DATA_VALID_MASK : 0);
}

static void queue_write(struct writer *w, unsigned offset, uint32_t value)
{
    w->write[w->count].offset = (uint16_t)offset;
    w->write[w->count++].value = value;
}

// All of a table is drawn, or a part of it; now and then the reset table comes back.
static void draw_table(struct run *r)
{
    struct writer *w = &r->writer;
    struct rng *rng = &r->rng;
    unsigned entries = 8U << r->fo.torus.n, first = 0;
    w->at = w->count = 0;
    w->wait = STROBE_CYCLES;
    if (rng_below(rng, 6) == 0 && !r->stale) {
        queue_write(w, OFR_OFR_COMMIT, 0);
        return;
    }
    uint32_t delta = rng_below(rng, 4) ? 1 + rng_below(rng, 8) : rng_below(rng, 16),
             eta = rng_below(rng, 256);
    uint32_t flags = (uint32_t)(rng_below(rng, 4) > 0) << OFR_OFR_PARAM_RULE_A_LSB |
                     (uint32_t)(rng_below(rng, 4) > 0) << OFR_OFR_PARAM_RULE_B_LSB |
                     (uint32_t)(rng_below(rng, 4) > 0) << OFR_OFR_PARAM_OIDN_LSB;
    queue_write(w, OFR_OFR_PARAM,
                delta << OFR_OFR_PARAM_DELTA_LSB | eta << OFR_OFR_PARAM_ETA_LSB | flags);
    queue_write(w, OFR_OFR_WIDN, rng_below(rng, 256));
    if (r->stale) {
        r->stale--;
    } else if (rng_below(rng, 4) == 0) {
        first = rng_below(rng, entries);
        entries = 1 + rng_below(rng, entries - first);
    }
    queue_write(w, OFR_OFR_ADDR, first);
    for (unsigned i = 0; i < entries; i++)
        queue_write(w, OFR_OFR_DATA, draw_entry(rng));
    queue_write(w, OFR_OFR_COMMIT, 1 + rng_below(rng, 65535));
}

static bool any_reset(const struct run *r)
{
    for (uint32_t n = 0; n < r->nodes; n++)
        if (r->events[n].reset)
            return true;
    return false;
}

// The writer's strobe of this cycle, if one is due: on the RTL's side now, on the model's after the
// step. Returns whether the writer is at work.
static bool write_table(struct run *r, bool *strobe)
{
    struct writer *w = &r->writer;
    *strobe = false;
    if (w->at == w->count && w->wait == 0) {
        if (r->finish || r->cycle < w->next || any_reset(r))
            return false;
        draw_table(r);
    }
    if (w->wait) {
        w->wait--;
        return true;
    }
    *strobe = true;
    for (uint32_t n = 0; n < r->nodes; n++)
        rtl_router_write(r->rtl[n], w->write[w->at].offset, w->write[w->at].value);
    return true;
}

static void end_write(struct run *r)
{
    struct writer *w = &r->writer;
    for (uint32_t n = 0; n < r->nodes; n++)
        if (!r->events[n].in_reset)
            ofr_unit_write(&r->unit[n], w->write[w->at].offset, w->write[w->at].value);
    w->wait = STROBE_CYCLES - 1;
    if (++w->at == w->count) {
        w->wait = COMMIT_CYCLES;
        w->next = r->cycle + rng_below(&r->rng, 2000);
        r->tables++;
    }
}

// --- Life ----------------------------------------------------------------------------------------

// Values that registers take while the node is unconfigured and drained: COORD inside SIZE is
// checked when it is configured.
static void write_topology(struct run *r, uint32_t n)
{
    struct ofr_config *c = &r->config[n];
    struct rng *rng = &r->rng;
    if (r->o->tie == KEYS)
        c->tie = rng_below(rng, 2) ? OFR_TIE_BOTH : OFR_TIE_PLUS;
    for (unsigned i = 0; i < r->fo.torus.n && r->life == ABUSE; i++) {
        c->torus.k[i] = (uint8_t)(1 + rng_below(rng, 16));
        c->me.c[i] = (uint8_t)rng_below(rng, c->torus.k[i]);
    }
    r->topologies++;
}

static void begin_reset(struct run *r, uint32_t n)
{
    r->events[n] = (struct events){.reset = RESET_CYCLES + rng_below(&r->rng, 20)};
    fabric_reset(r->fabric, n, r->events[n].reset);
    if (r->links)
        links_reset(r->links, n, r->events[n].reset);
    r->config[n].configured = true;
    r->stale = 2;
    r->resets++;
}

static void cut(struct run *r, uint32_t n, unsigned port, unsigned cycles)
{
    if (r->links)
        links_pull(r->links, n, port, cycles);
    else
        fabric_cut(r->fabric, n, port, cycles);
}

// More slots in use than there are, by what a neighbour says it has freed: nothing more may be
// sent. Two packets may be granted already, and counts may not wrap with them.
static void begin_lie(struct run *r, uint32_t n, unsigned port, unsigned vc)
{
    unsigned slots = r->fo.shape.slots, top = ofr_credit_most(slots);
    if (top < slots + 2 || !r->in[n].link_up[port])
        return;
    unsigned used = slots + rng_below(&r->rng, top - slots - 1);
    unsigned more = used - ofr_router_used(r->model[n], port, vc) +
                    (top + 1) * rng_below(&r->rng, 2); // in bits that do not count
    r->lie = (struct lie){.node = n,
                          .port = (uint8_t)port,
                          .vc = (uint8_t)vc,
                          .credit = (uint8_t)((r->in[n].tx_credit[port][vc] - more) & 15),
                          .until = r->cycle + 1 + rng_below(&r->rng, 200)};
    r->lies++;
}

// It ends with the link: what is said of one that is trained anew is believed.
static void keep_lie(struct run *r)
{
    struct ofr_router_in *in = &r->in[r->lie.node];
    if (!in->link_up[r->lie.port])
        r->lie.until = 0;
    if (r->cycle < r->lie.until)
        in->tx_credit[r->lie.port][r->lie.vc] = r->lie.credit;
}

// Draws what happens in this cycle.
static void draw_event(struct run *r)
{
    struct rng *rng = &r->rng;
    uint32_t n = rng_below(rng, r->nodes);
    struct events *e = &r->events[n];
    if (r->calm-- || e->reset)
        return;
    r->calm = rng_below(rng, rng_below(rng, 2) ? 50 : 500) * (r->links ? LINKED_CALM : 1);
    switch (rng_below(rng, 6)) {
    case 0:
        // Not when the last snapshot may come before the counters have cleared themselves
        if (r->cycle + 400 < r->end)
            begin_reset(r, n);
        break;
    case 1:
        // One in eight stays down for long: what had its way there is discarded; others come up as
        // soon as they may
        cut(r, n, rng_below(rng, 2U * r->fo.torus.n),
            r->links || rng_below(rng, 4) ? rng_below(rng, rng_below(rng, 6) ? 300 : 10000) : 0);
        r->cuts++;
        break;
    case 2:
        if (e->writing == NOT_WRITING) {
            e->writing = rng_below(rng, 4) ? DRAINING : WRITTEN; // or for some cycles, not drained
            e->wait = 0;
            r->config[n].configured = false;
        }
        break;
    case 3:
        if (r->life == ABUSE && !r->links && r->cycle >= r->lie.until)
            begin_lie(r, n, rng_below(rng, 2U * r->fo.torus.n), rng_below(rng, OFR_VCS));
        break;
    case 4:
        e->watchdog = true;
        r->config[n].watchdog_time = (uint8_t)rng_below(rng, rng_below(rng, 4) ? 16 : 32);
        break;
    default:
        e->seed = true;
        e->seed_value = rng_below(rng, 8) ? (uint32_t)rng_next(rng) : 0;
        break;
    }
}

// A reset is held, a topology is written on. `drained`: before this cycle's step.
static void write_on(struct run *r, uint32_t n, bool drained)
{
    struct events *e = &r->events[n];
    e->wait++;
    if (e->writing == DRAINING && drained) {
        write_topology(r, n);
        e->writing = rng_below(&r->rng, 4) ? WRITTEN : DRAINING; // or another write, if it is
        e->wait = 0;                                             // still drained
    } else if (e->writing == DRAINING && e->wait > 2000) {
        e->writing = WRITTEN;
    } else if (e->writing == WRITTEN && e->wait > 2 + rng_below(&r->rng, 20)) {
        e->writing = NOT_WRITING;
        r->config[n].configured = true;
    }
}

// In reset both sides stand still. The counters' registers can be read at once behind it: they show
// a snapshot of zeros.
static void reset_step(struct run *r, uint32_t n)
{
    struct reader *u = &r->reader[n];
    r->malformed += ofr_router_out(r->model[n])->malformed;
    rtl_router_reset(r->rtl[n]);
    rtl_router_step(r->rtl[n], &r->in[n], &r->config[n]);
    ofr_router_init(r->memory[n], &r->fo.shape);
    ofr_unit_reset(&r->unit[n]);
    ofr_counters_init(&u->counters, r->fo.torus.n);
    u->snapshot = false;
    u->wait = 200 + rng_below(&r->rng, 2000);
    u->left = 1 + rng_below(&r->rng, OFR_COUNTS);
    u->state = rng_below(&r->rng, 2) ? REST : LOW;
    r->events[n].reset--;
}

// The end of life: everything that drains does. Coordinates that are not true send packets round in
// circles, so after those all that is there is discarded, and the links are trained anew.
static void settle(struct run *r)
{
    if (r->links)
        links_calm(r->links);
    for (uint32_t n = 0; n < r->nodes; n++) {
        r->events[n].writing = NOT_WRITING;
        r->config[n].configured = r->life != ABUSE;
        for (unsigned p = 0; p < 2U * r->fo.torus.n && r->life == ABUSE; p++)
            fabric_cut(r->fabric, n, p, 2000);
    }
}

static void step_links(struct run *r)
{
    uint32_t node;
    links_step(r->links);
    if (links_error(r->links, &node) && !r->why[0]) {
        r->bad_node = node;
        snprintf(r->why, sizeof r->why, "cycle %" PRIu64 ": %s", r->cycle,
                 links_error(r->links, &node));
    }
}

// Traffic begins when all links are up, with the errors of this run.
static void begin(struct run *r)
{
    unsigned most = UP_TICKS << lockstep_links()->shape().tick;
    if (links_up(r->links)) {
        fabric_hold(r->fabric, false);
        links_noise(r->links, r->error_rate, r->burst_rate);
        r->end = r->cycle + r->length;
    } else if (r->cycle > most) {
        snprintf(r->why, sizeof r->why, "not all links up %u cycles after reset", most);
    }
}

static void step(struct run *r, const struct ofr_router_out *out[], struct ofr_router_out *seen)
{
    bool strobe;
    for (uint32_t n = 0; n < r->nodes; n++)
        out[n] = ofr_router_out(r->model[n]);
    if (r->life != CALM && !r->ended && r->end != UINT64_MAX)
        draw_event(r);
    fabric_cycle(r->fabric, out, r->in);
    if (r->links)
        links_cycle(r->links, out, r->in);
    keep_lie(r);
    bool writing = write_table(r, &strobe);
    for (uint32_t n = 0; n < r->nodes; n++) {
        struct reader *u = &r->reader[n];
        struct events *e = &r->events[n];
        e->in_reset = e->reset;
        if (e->in_reset) {
            reset_step(r, n);
            continue;
        }
        bool drained = out[n]->drained;
        if (!writing)
            read_counters(r, n);
        if (e->seed)
            rtl_router_seed(r->rtl[n], e->seed_value);
        if (e->watchdog)
            rtl_router_clear_watchdog(r->rtl[n]);
        // Settings that may change at any time
        if (rng_below(&r->rng, 4096) == 0)
            draw_settings(r, &r->config[n]);
        rtl_router_step(r->rtl[n], &r->in[n], &r->config[n]);
        if (r->o->break_at && r->cycle >= r->o->break_at && n == 0)
            r->in[0].tx_credit[r->break_port][0] ^= 1;
        ofr_router_step(r->model[n], &r->in[n], &r->config[n]);
        if (u->snapshot)
            ofr_counters_write(&u->counters, OFR_COUNT_SNAPSHOT, 0,
                               ofr_router_counters(r->model[n]));
        u->snapshot = false;
        if (e->seed)
            ofr_router_seed(r->model[n], e->seed_value);
        if (e->watchdog)
            ofr_router_clear_watchdog(r->model[n]);
        e->seed = e->watchdog = false;
        write_on(r, n, drained);
    }
    if (strobe)
        end_write(r);
    if (r->links)
        step_links(r);
    r->cycle++;
    for (uint32_t n = 0; n < r->nodes; n++) {
        rtl_router_out(r->rtl[n], seen);
        compare(r, n, seen, ofr_router_out(r->model[n]));
    }
}

static bool finished(struct run *r)
{
    r->finish = true;
    for (uint32_t n = 0; n < r->nodes; n++)
        if (r->reader[n].state != FINISHED)
            return false;
    return true;
}

// Reliable links: nothing may be lost at up to 1e-4 (calm); or whatever happens to cables and
// boards.
static void draw_links(struct run *r, struct rng *rng)
{
    static const double soft[] = {0, 1e-6, 1e-5, 1e-4}, hard[] = {1e-5, 1e-4, 1e-3, 1e-2};
    r->fo.linked = true;
    r->fo.abort_permille = 0;
    if (r->o->life == KEYS)
        r->life = r->seed / 2 % 2 ? FAULTS : CALM;
    r->error_rate = r->life == CALM ? soft[r->seed / 4 % 4] : hard[rng_below(rng, 4)];
    if (r->life != CALM && rng_below(rng, 2)) {
        r->error_rate = 0;
        r->burst_rate = 1.0 / (2000 + rng_below(rng, 20000));
    }
}

static bool set_up_links(struct run *r, struct rng *rng)
{
    const struct link_rtl_ops *ops = lockstep_links();
    struct links_options o = {
        .torus = r->fo.torus, .shape = ops->shape(), .rtl = ops, .seed = rng_next(rng)};
    o.latency = 1 + rng_below(rng, rng_below(rng, 2) ? 4 : 64);
    o.pace = o.shape.shared ? 1 : rng_below(rng, 4);
    r->links = links_new(&o);
    if (!r->links)
        return false;
    links_noise(r->links, r->error_rate > 1e-4 ? 0 : r->error_rate, 0);
    fabric_hold(r->fabric, true);
    r->end = UINT64_MAX;
    return true;
}

// Draws what the options leave open.
static void draw(struct run *r, struct rng *rng)
{
    const struct options *o = r->o;
    struct fabric_options *f = &r->fo;
    static const unsigned loads[LOADS] = {50, 150, 300, 500, 700, 900, 1000, 1200, 1500};
    struct ofr_shape shape = f->shape;

    if (!o->torus_given) {
        static const uint8_t sizes[] = {1, 2, 3, 4, 5, 6, 7, 8, 16};
        f->torus.n = shape.n;
        do {
            for (unsigned i = 0; i < shape.n; i++)
                f->torus.k[i] = sizes[rng_below(rng, sizeof sizes)];
            // Seeds in a row have a size of 1, of 2, an odd one, and any
            f->torus.k[rng_below(rng, shape.n)] = r->seed % 4 == 0   ? 1
                                                  : r->seed % 4 == 1 ? 2
                                                  : r->seed % 4 == 2
                                                      ? (uint8_t)(3 + 2 * rng_below(rng, 3))
                                                      : f->torus.k[0];
        } while (ofr_nodes(&f->torus) > (lockstep_links() ? LINKED_NODES : 64) ||
                 ofr_nodes(&f->torus) < 2);
    }
    // Saturation: gamma0 = 8/k flits a cycle and node (paper, sec. 4), and the local port takes 1
    unsigned widest = 8, saturation;
    for (unsigned i = 0; i < f->torus.n; i++)
        widest = f->torus.k[i] > widest ? f->torus.k[i] : widest;
    saturation = 8000 / widest;
    f->load_permille =
        o->load >= 0 ? (unsigned)o->load : loads[r->seed % LOADS] * saturation / 1000;
    f->latency = 1 + rng_below(rng, rng_below(rng, 2) ? 2 : 12);
    f->ready_permille = rng_below(rng, 2) ? 1000 : 500 + rng_below(rng, 500);
    f->gap_permille = rng_below(rng, 2) ? 0 : rng_below(rng, 500);
    f->sink_permille = rng_below(rng, 2) ? 1000 : 300 + rng_below(rng, 700);
    f->abort_permille = o->aborts || r->seed % 5 == 0 ? 20 : 0;
    r->life = o->life < KEYS           ? o->life
              : rng_below(rng, 4) == 0 ? CALM
              : rng_below(rng, 3)      ? FAULTS
                                       : ABUSE;
    if (lockstep_links())
        draw_links(r, rng);
    f->lossy = r->life != CALM;
    f->unchecked = r->life == ABUSE;
    f->malformed_permille = r->life != CALM && rng_below(rng, 2) ? 20 : 0;
    f->mgmt_permille = rng_below(rng, 3) ? 20 : 200;
    f->pin_permille = r->seed % 3 == 0 ? 400 : 0;
    f->length_min = 4;
    if (f->length_min * shape.flit_bits < 64)
        f->length_min = 64U / shape.flit_bits;
    f->length_max = shape.slot_flits;
    if (rng_below(rng, 3) == 0)
        f->length_min = f->length_max;
    if (o->traffic_class >= 0)
        f->class_weight[o->traffic_class] = 1;
    else if (rng_below(rng, 4) == 0)
        f->class_weight[OFR_PKT_CLASS_DEROUTE] = 1; // else little of it reaches the escape VCs
    else
        for (int i = 0; i < 3; i++)
            f->class_weight[i] = 1 + rng_below(rng, 4);
    f->pattern = OFR_GEN_CONTROL_PATTERN_UNIFORM;
    if (o->pattern >= 0)
        f->pattern = (unsigned)o->pattern;
    else if (rng_below(rng, 2))
        f->pattern = rng_below(rng, OFR_GEN_CONTROL_PATTERN_FIXED);
    if (ofr_pattern_missing(&f->torus, f->pattern))
        f->pattern = OFR_GEN_CONTROL_PATTERN_TORNADO;
}

static bool set_up(struct run *r)
{
    struct rng rng = {r->seed};
    struct ofr_config base = {.configured = true};
    r->fo = r->o->fabric;
    draw(r, &rng);
    r->fo.seed = rng_next(&rng);
    r->rng.state = rng_next(&rng);
    base.torus = r->fo.torus;
    base.tie = r->o->tie < KEYS ? r->o->tie : r->seed / 3 % 2;
    draw_settings(r, &base);
    base.watchdog_time = (uint8_t)rng_below(&rng, 16);

    r->fabric = fabric_new(&r->fo);
    r->nodes = ofr_nodes(&r->fo.torus);
    r->end = r->length = r->o->cycles / r->nodes;
    r->rtl = calloc(r->nodes, sizeof *r->rtl);
    r->model = calloc(r->nodes, sizeof *r->model);
    r->memory = calloc(r->nodes, sizeof *r->memory);
    r->config = calloc(r->nodes, sizeof *r->config);
    r->in = calloc(r->nodes, sizeof *r->in);
    r->reader = calloc(r->nodes, sizeof *r->reader);
    r->unit = calloc(r->nodes, sizeof *r->unit);
    r->events = calloc(r->nodes, sizeof *r->events);
    if (!r->unit || !r->events || !r->fabric || !r->rtl || !r->model || !r->memory || !r->config ||
        !r->in || !r->reader)
        return false;
    for (uint32_t n = 0; n < r->nodes; n++) {
        uint32_t seed = (uint32_t)rng_next(&rng);
        r->config[n] = base;
        r->config[n].me = ofr_node_coord(&r->fo.torus, n);
        ofr_unit_init(&r->unit[n], r->fo.torus.n);
        r->config[n].table = ofr_unit_active(&r->unit[n]);
        r->memory[n] = malloc(ofr_router_size(&r->fo.shape));
        r->model[n] = ofr_router_init(r->memory[n], &r->fo.shape);
        r->rtl[n] = rtl_router_new(seed);
        if (!r->model[n] || !r->rtl[n])
            return false;
        if (r->o->vcd && n == r->o->trace_node)
            rtl_router_trace(r->rtl[n], NULL);
        rtl_router_seed(r->rtl[n], seed);
        // The seed and the topology take a cycle each on both sides
        for (int i = 0; i < 4; i++) {
            rtl_router_step(r->rtl[n], &r->in[n], &r->config[n]);
            ofr_router_step(r->model[n], &r->in[n], &r->config[n]);
            if (i == 0)
                ofr_router_seed(r->model[n], seed);
        }
        ofr_counters_init(&r->reader[n].counters, r->fo.torus.n);
        // The counters clear themselves in as many cycles as there are
        r->reader[n].wait = 200 + rng_below(&rng, 2000);
    }
    if (lockstep_links() && !set_up_links(r, &rng))
        return false;
    struct ofr_coord origin = ofr_node_coord(&r->fo.torus, 0);
    while (!(ofr_existing_ports(&r->fo.torus, &origin) >> r->break_port & 1))
        r->break_port++;
    // One run in three keeps the reset table
    r->writer.next = r->seed / 4 % 3 ? rng_below(&r->rng, 200) : UINT64_MAX;
    return true;
}

static void tear_down(struct run *r)
{
    for (uint32_t n = 0; n < r->nodes; n++) {
        rtl_router_free(r->rtl[n]);
        free(r->memory[n]);
    }
    free(r->rtl);
    free(r->model);
    free(r->memory);
    free(r->config);
    free(r->in);
    free(r->reader);
    free(r->unit);
    free(r->events);
    links_free(r->links);
    fabric_free(r->fabric);
}

static void describe(const struct run *r, char *text, size_t size)
{
    const struct fabric_options *f = &r->fo;
    const struct ofr_config *c = &r->config[0];
    char links[160] = "";
    if (r->links) {
        struct links_totals t = links_totals(r->links);
        snprintf(links, sizeof links,
                 ", bit errors %g bursts %g: %" PRIu64 " of %" PRIu64 " words, %" PRIu64
                 " bad frames, %" PRIu64 " falls%s",
                 r->error_rate, r->burst_rate, t.errors, t.words, t.bad, t.falls,
                 links_unseen(r->links) ? "; ended by a damaged frame whose CRC fits" : "");
    }
    snprintf(text, size,
             "torus %ux%ux%u load %u%% latency %u ready %u gap %u sink %u lengths %u-%u classes "
             "%u:%u:%u select %u tie %u threshold %u %s%s",
             f->torus.k[0], f->torus.k[1], f->torus.n == 3 ? f->torus.k[2] : 1,
             f->load_permille / 10, f->latency, f->ready_permille, f->gap_permille,
             f->sink_permille, f->length_min, f->length_max, f->class_weight[0], f->class_weight[1],
             f->class_weight[2], c->select, (unsigned)c->tie, c->threshold,
             r->life == CALM     ? "calm"
             : r->life == FAULTS ? "faults"
                                 : "abuse",
             links);
}

static void add_totals(struct totals *t, const struct run *r)
{
    t->router_cycles += r->cycle * r->nodes;
    t->cut += fabric_totals(r->fabric).cut;
    t->snapshots += r->snapshots;
    t->tables += r->tables;
    t->resets += r->resets;
    t->cuts += r->cuts;
    t->topologies += r->topologies;
    t->malformed += r->malformed;
    t->lies += r->lies;
    t->lives |= 1U << r->life;
    if (r->links) {
        struct links_totals l = links_totals(r->links);
        t->links.words += l.words;
        t->links.errors += l.errors;
        t->links.bad += l.bad;
        t->links.falls += l.falls;
        t->unseen += links_unseen(r->links);
    }
    for (uint32_t n = 0; n < r->nodes; n++) {
        t->malformed += ofr_router_out(r->model[n])->malformed;
        t->escapes |= 1U << r->config[n].escape;
    }
    t->loads |= 1U << r->seed % LOADS;
    t->ties |= 1U << r->config[0].tie;
    for (unsigned i = 0; i < r->fo.torus.n; i++) {
        t->one |= r->fo.torus.k[i] == 1;
        t->two |= r->fo.torus.k[i] == 2;
        t->odd |= r->fo.torus.k[i] > 1 && r->fo.torus.k[i] % 2;
    }
}

// At up to 1e-4 no link falls and no packet is cut; ends disagree for no longer than is said.
static void check_links(struct run *r, bool drained)
{
    struct links_totals t = links_totals(r->links);
    if (r->life == CALM && drained && (t.falls || fabric_totals(r->fabric).cut))
        snprintf(r->why, sizeof r->why, "%" PRIu64 " falls of links, %" PRIu64 " packets cut",
                 t.falls, fabric_totals(r->fabric).cut);
    else if (links_apart(r->links))
        snprintf(r->why, sizeof r->why, "the ends of a link disagreed for %" PRIu64 " cycles",
                 t.apart_max);
}

// One run; returns whether all was well. Says what was wrong and how to replay it.
static bool run_once(const struct options *o, uint64_t seed, unsigned number, char **argv,
                     struct totals *all)
{
    struct run r = {.o = o, .seed = seed};
    char text[480];
    if (!set_up(&r)) {
        fprintf(stderr, "lockstep: out of memory\n");
        exit(2);
    }
    const struct ofr_router_out **out = calloc(r.nodes, sizeof *out);
    struct ofr_router_out seen;
    bool drained = false;
    unsigned traced = 0;

    while (!r.why[0] && (r.cycle < r.end || !drained) && (!o->until || r.cycle < o->until) &&
           !(r.links && links_unseen(r.links))) {
        if (r.end == UINT64_MAX)
            begin(&r);
        if (r.cycle >= r.end && !r.ended && !any_reset(&r)) {
            r.ended = true;
            fabric_stop(r.fabric);
            settle(&r);
        }
        if (o->vcd && r.cycle + TRACE_CYCLES >= o->until && !traced++)
            rtl_router_trace(r.rtl[o->trace_node % r.nodes], o->vcd);
        step(&r, out, &seen);
        if (fabric_error(r.fabric) && !r.why[0])
            snprintf(r.why, sizeof r.why, "cycle %" PRIu64 ": %s", r.cycle, fabric_error(r.fabric));
        drained = r.cycle > r.end && fabric_drained(r.fabric) &&
                  (!r.links || (links_up(r.links) && links_idle(r.links)));
        for (uint32_t n = 0; n < r.nodes && drained; n++)
            drained = ofr_router_out(r.model[n])->drained;
        drained = drained && finished(&r);
        if (r.end != UINT64_MAX && r.cycle > r.end + DRAIN_CYCLES && !drained)
            snprintf(r.why, sizeof r.why, "not drained %d cycles after the traffic stopped",
                     DRAIN_CYCLES);
    }
    if (r.links && !r.why[0])
        check_links(&r, drained);
    add_totals(all, &r);
    describe(&r, text, sizeof text);
    struct fabric_totals totals = fabric_totals(r.fabric);
    bool ok = !r.why[0];
    printf("%sok %u - seed %" PRIu64 " %s: %" PRIu64 " packets, %" PRIu64 " cut, %" PRIu64
           " snapshots, %" PRIu64 " tables\n",
           ok ? "" : "not ", number, seed, text, totals.delivered, totals.cut, r.snapshots,
           r.tables);
    fflush(stdout);
    if (!ok && !o->vcd) {
        char command[512] = "";
        for (char **arg = argv; *arg; arg++) { // what comes last counts
            strncat(command, *arg, sizeof command - strlen(command) - 2);
            strcat(command, " ");
        }
        size_t used = strlen(command);
        snprintf(command + used, sizeof command - used,
                 "--seconds 0 --total 0 --runs 1 --seed %" PRIu64 " --until %" PRIu64
                 " --trace %u --vcd %s-%" PRIu64 ".vcd",
                 seed, r.cycle, r.bad_node, argv[0], seed);
        printf("# %s\n# replay: %s\n", r.why, command);
        fflush(stdout);
        if (system(command) == -1)
            printf("# no waveform: the replay did not start\n");
    } else if (!ok) {
        printf("# %s\n# waveform of the RTL router of node %u: %s\n", r.why, o->trace_node, o->vcd);
    }
    tear_down(&r);
    free(out);
    return ok;
}

static unsigned long long at_most(struct argp_state *state, const char *name,
                                  unsigned long long number, unsigned most)
{
    if (number > most)
        argp_error(state, "--%s %llu: at most %u", name, number, most);
    return number;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    unsigned k[3] = {1, 1, 1};
    char *end = NULL;
    unsigned long long number = arg ? strtoull(arg, &end, 10) : 0;

    if (key == 'T' && arg) {
        unsigned n = (unsigned)sscanf(arg, "%ux%ux%u", &k[0], &k[1], &k[2]);
        if (n != rtl_router_shape().n || strspn(arg, "0123456789x") != strlen(arg))
            argp_error(state, "--torus %s: this build has %u dimensions", arg,
                       rtl_router_shape().n);
        o->fabric.torus.n = (uint8_t)n;
        for (unsigned i = 0; i < n; i++) {
            if (k[i] < 1 || k[i] > 16)
                argp_error(state, "--torus %s: sizes are from 1 to 16", arg);
            o->fabric.torus.k[i] = (uint8_t)k[i];
        }
        o->torus_given = true;
        return 0;
    }
    if (arg && key != 'V' && key != ARGP_KEY_ARG && (end == arg || *end || *arg == '-'))
        argp_error(state, "%s: not a number", arg);
    switch (key) {
    case 's':
        o->fabric.seed = number;
        return 0;
    case 'c':
        o->cycles = number;
        return 0;
    case 'r':
        o->runs = (unsigned)number;
        return 0;
    case 'N':
        o->total = number;
        return 0;
    case 'e':
        o->seconds = (unsigned)number;
        return 0;
    case 'S':
        o->select = (unsigned)at_most(state, "select", number, OFR_SELECT_RDR);
        return 0;
    case 't':
        o->tie = (unsigned)at_most(state, "tie", number, 1);
        return 0;
    case 'H':
        o->threshold = (unsigned)at_most(state, "threshold", number, 15);
        return 0;
    case 'C':
        o->traffic_class = (int)at_most(state, "class", number, OFR_PKT_CLASS_DEROUTE);
        return 0;
    case 'l':
        o->load = (int)at_most(state, "load", number, 4000);
        return 0;
    case 'p':
        o->pattern = (int)at_most(state, "pattern", number, OFR_GEN_CONTROL_PATTERN_NEIGHBOUR);
        return 0;
    case 'L':
        o->life = (unsigned)at_most(state, "life", number, lockstep_links() ? FAULTS : ABUSE);
        return 0;
    case 'E':
        o->escape = (unsigned)at_most(state, "escape", number, OFR_NODE_ROUTING_ESCAPE_NEVER);
        return 0;
    case 'a':
        o->aborts = true;
        return 0;
    case 'u':
        o->until = number;
        return 0;
    case 'n':
        o->trace_node = (uint32_t)number;
        return 0;
    case 'V':
        o->vcd = arg;
        return 0;
    case 'b':
        o->break_at = number;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int main(int argc, char **argv)
{
    static const struct argp_option list[] = {
        {"torus", 'T', "KxK[xK]", 0, "sizes (default: drawn from the seed)", 0},
        {"seed", 's', "N", 0, "seed of the first run (default 1)", 0},
        {"cycles", 'c', "N", 0, "router-cycles a run (default 200000)", 0},
        {"runs", 'r', "N", 0, "runs, seeds counting up (default 10)", 0},
        {"total", 'N', "N", 0, "router-cycles in all: as many runs as that takes", 0},
        {"seconds", 'e', "N", 0, "new runs begin for so long", 0},
        {"select", 'S', "N", 0, "OFR_SELECT_* (default: drawn)", 0},
        {"tie", 't', "N", 0, "0 plus, 1 both (default: drawn)", 0},
        {"threshold", 'H', "N", 0, "injection threshold (default: drawn)", 0},
        {"class", 'C', "N", 0, "0 in-order, 1 minimal, 2 deroute (default: a mix)", 0},
        {"load", 'l', "PERMILLE", 0, "flits a cycle and node (default: drawn)", 0},
        {"pattern", 'p', "N", 0,
         "destination pattern, tornado where it does not exist (default: drawn)", 0},
        {"aborts", 'a', NULL, 0, "cut packets on the cables in every run (default: in one of 5)",
         0},
        {"life", 'L', "N", 0, "0 calm, 1 faults, 2 abuse, not with links (default: drawn)", 0},
        {"escape", 'E', "N", 0, "OFR_NODE_ROUTING_ESCAPE_* (default: drawn)", 0},
        {"until", 'u', "CYCLE", 0, "stop there (replay)", 0},
        {"trace", 'n', "NODE", 0, "node that --vcd shows", 0},
        {"vcd", 'V', "FILE", 0, "write the last cycles as a waveform", 0},
        {"break", 'b', "CYCLE", 0, "lose a credit of the model from here on: must be caught", 0},
        {0}};
    static const struct argp parser = {
        list, parse, NULL, "RTL routers against golden routers, pin by pin.", NULL, NULL, NULL};
    struct options o = {.cycles = 200000,
                        .runs = 10,
                        .select = KEYS,
                        .tie = KEYS,
                        .threshold = KEYS,
                        .life = KEYS,
                        .escape = KEYS,
                        .traffic_class = -1,
                        .load = -1,
                        .pattern = -1,
                        .fabric = {.seed = 1, .shape = rtl_router_shape()}};
    argp_err_exit_status = 2;
    argp_parse(&parser, argc, argv, 0, NULL, &o);
    struct totals all = {0};
    unsigned failed = 0, i = 0;
    time_t begin = time(NULL);
    for (; failed < 3 && (o.seconds ? time(NULL) - begin < o.seconds
                          : o.total ? all.router_cycles < o.total
                                    : i < o.runs);
         i++)
        failed += !run_once(&o, o.fabric.seed + i, i + 1, argv, &all);
    if (lockstep_links()) {
        bool met = all.resets && all.cuts && all.links.bad && all.links.falls && all.one &&
                   all.two && all.odd;
        if (o.total >= LINKED_COVERING && !o.torus_given && o.life == KEYS) {
            failed += !met;
            printf("%sok %u - met: sizes of 1, of 2 and odd, resets, pulled plugs, bad frames, "
                   "falls\n",
                   met ? "" : "not ", ++i);
        }
        printf("# links: %" PRIu64 " words, %" PRIu64 " wrong, %" PRIu64 " bad frames, %" PRIu64
               " falls; %" PRIu64 " resets of single nodes, %" PRIu64
               " plugs pulled; %u runs ended by a damaged frame whose CRC fits\n",
               all.links.words, all.links.errors, all.links.bad, all.links.falls, all.resets,
               all.cuts, all.unseen);
    } else if (o.total >= COVERING && !o.torus_given && o.load < 0 && o.tie == KEYS &&
               o.life == KEYS && o.escape == KEYS) {
        bool met = all.loads == (1U << LOADS) - 1 && all.ties == 3 && all.one && all.two &&
                   all.odd && all.cut && all.snapshots && all.tables && all.lives == 7 &&
                   all.escapes == 7 && all.resets && all.cuts && all.topologies && all.malformed &&
                   (all.lies || ofr_credit_most(o.fabric.shape.slots) < o.fabric.shape.slots + 2U);
        failed += !met;
        printf("%sok %u - met: all %d loads, both ties, sizes of 1, of 2 and odd, %" PRIu64
               " cut packets, %" PRIu64 " snapshots, %" PRIu64 " tables under traffic, %" PRIu64
               " resets of single routers, %" PRIu64 " links that fell, %" PRIu64
               " topologies written, %" PRIu64 " malformed packets, %" PRIu64 " credits that lie\n",
               met ? "" : "not ", ++i, LOADS, all.cut, all.snapshots, all.tables, all.resets,
               all.cuts, all.topologies, all.malformed, all.lies);
    }
    printf("1..%u\n# %" PRIu64 " router-cycles, %u mismatches\n", i, all.router_cycles, failed);
    return failed ? 1 : 0;
}
