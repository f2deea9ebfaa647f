// SPDX-License-Identifier: Apache-2.0
// lint-flags: -Isim/bitstream
//
// An HX8K of ice40.h that runs. Look-up tables and carries are nodes of a net list in which only
// what changed is worked out again, level by level; flip-flops and block RAMs take over at the
// edge. A node's value is a word with a bit a lane; where all lanes agree, which is nearly
// everywhere, a table is looked up once.
#define _GNU_SOURCE
#include "ice40_parts.h"

#include <stdlib.h>
#include <string.h>

enum { SWEEPS = 64, RAMS = 64 };
enum { PLL_LEVEL, PIN_LEVEL, RAM_LEVEL, BEHIND }; // behind those of the tables

// ---- configurations that differ -----------------------------------------------------------------

// Room for one more in an array of n.
static void *one_more(void *array, size_t n, size_t size)
{
    if (n & (n - 1))
        return array;
    array = realloc(array, (n ? 2 * n : 1) * size);
    if (!array)
        ice40_fail("out of memory");
    return array;
}

// The node of c that joins these, a new one if there is none.
static uint32_t joined(struct ice40 *c, const struct node *n)
{
    for (size_t i = FIRST; i < c->nodes; i++)
        if (!c->node[i].site && !memcmp(c->node[i].in, n->in, sizeof n->in))
            return (uint32_t)i;
    c->node = one_more(c->node, c->nodes, sizeof *c->node);
    c->node[c->nodes] = *n;
    return (uint32_t)c->nodes++;
}

static bool same_node(const struct node *a, const struct node *b)
{
    return !memcmp(a->in, b->in, sizeof a->in) && a->table == b->table && a->sets == b->sets &&
           a->clock == b->clock;
}

static void rename_pins(struct ram_pins *p, const uint32_t *name)
{
    for (unsigned i = 0; i < 11; i++) {
        p->waddr[i] = name[p->waddr[i]];
        p->raddr[i] = name[p->raddr[i]];
    }
    for (unsigned i = 0; i < 16; i++) {
        p->mask[i] = name[p->mask[i]];
        p->wdata[i] = name[p->wdata[i]];
    }
    p->we = name[p->we];
    p->re = name[p->re];
    p->wclke = name[p->wclke];
    p->rclke = name[p->rclke];
}

static bool same_pins(const struct ram_pins *a, const struct ram_pins *b)
{
    return !memcmp(a->waddr, b->waddr, sizeof a->waddr) &&
           !memcmp(a->raddr, b->raddr, sizeof a->raddr) &&
           !memcmp(a->mask, b->mask, sizeof a->mask) &&
           !memcmp(a->wdata, b->wdata, sizeof a->wdata) && a->we == b->we && a->re == b->re &&
           a->wclke == b->wclke && a->rclke == b->rclke && a->wclk == b->wclk && a->rclk == b->rclk;
}

// Takes a configuration's chip into a lane of c, as what is otherwise in it. `own`: how many of c's
// nodes are of its own configuration; those behind join drivers of others.
static void take_lane(struct ice40 *c, struct ice40 *v, size_t own, uint64_t lane)
{
    uint32_t *at_site = ice40_alloc(SITES, sizeof *at_site),
             *name = ice40_alloc(v->nodes, sizeof *name);

    for (size_t i = FIRST; i < own; i++)
        at_site[c->node[i].site] = (uint32_t)i;
    for (uint32_t i = 0; i < v->nodes; i++)
        name[i] = i < FIRST ? i : v->node[i].site ? at_site[v->node[i].site] : 0;
    // What joins drivers joins no such nodes, so in one pass.
    for (size_t i = FIRST; i < v->nodes; i++)
        if (!v->node[i].site) {
            struct node n = v->node[i];
            for (unsigned k = 0; k < INPUTS; k++)
                n.in[k] = name[n.in[k]];
            name[i] = joined(c, &n);
        }
    for (size_t i = FIRST; i < v->nodes; i++) {
        struct node n = v->node[i];
        for (unsigned k = 0; k < INPUTS; k++)
            n.in[k] = name[n.in[k]];
        n.clock = name[n.clock];
        if (!n.site || same_node(&n, &c->node[name[i]]))
            continue;
        c->other_node = one_more(c->other_node, c->other_nodes, sizeof *c->other_node);
        c->other_node[c->other_nodes++] = (struct other_node){name[i], lane, n};
    }
    for (size_t i = 0; i < c->rams; i++) {
        struct ram_pins p = v->ram[i].pins;
        rename_pins(&p, name);
        if (same_pins(&p, &c->ram[i].pins))
            continue;
        c->other_ram = one_more(c->other_ram, c->other_rams, sizeof *c->other_ram);
        c->other_ram[c->other_rams++] = (struct other_ram){(uint32_t)i, lane, p};
    }
    for (size_t i = 0; i < c->ports; i++)
        if (name[v->port[i].node] != c->port[i].node) {
            c->other_port = one_more(c->other_port, c->other_ports, sizeof *c->other_port);
            c->other_port[c->other_ports++] =
                (struct other_source){(uint32_t)i, lane, name[v->port[i].node]};
        }
    if (name[v->reset] != c->reset) {
        c->other_reset = one_more(c->other_reset, c->other_resets, sizeof *c->other_reset);
        c->other_reset[c->other_resets++] = (struct other_source){0, lane, name[v->reset]};
    }
    free(at_site);
    free(name);
}

static int by_node(const void *a, const void *b)
{
    const struct other_node *x = a, *y = b;

    return (x->at > y->at) - (x->at < y->at);
}

static void sort_others(struct ice40 *c)
{
    if (c->other_nodes)
        qsort(c->other_node, c->other_nodes, sizeof *c->other_node, by_node);
    c->other_first = ice40_alloc(c->nodes + 1, sizeof *c->other_first);
    size_t o = 0;
    for (size_t i = 0; i <= c->nodes; i++) {
        while (o < c->other_nodes && c->other_node[o].at < i)
            o++;
        c->other_first[i] = (uint32_t)o;
    }
}

// ---- who looks at whom --------------------------------------------------------------------------

static unsigned ram_inputs(const struct ram_pins *r, uint32_t list[64])
{
    unsigned n = 0;

    for (unsigned i = 0; i < 11; i++) {
        list[n++] = r->waddr[i];
        list[n++] = r->raddr[i];
    }
    for (unsigned i = 0; i < 16; i++) {
        list[n++] = r->mask[i];
        list[n++] = r->wdata[i];
    }
    list[n++] = r->we;
    list[n++] = r->re;
    list[n++] = r->wclke;
    list[n++] = r->rclke;
    return n;
}

static unsigned inputs_of(const struct node *n)
{
    return n->kind == TABLE ? INPUTS : n->kind == FLOP ? 3 : 0;
}

// Nodes that somebody looks at are counted first, then put in.
static void look(struct ice40 *c, const uint32_t *in, unsigned count, uint32_t who, bool put_in)
{
    for (unsigned k = 0; k < count; k++) {
        if (put_in)
            c->reader[c->start[in[k] + 1]++] = who;
        else
            c->start[in[k] + 2]++;
    }
}

static void make_readers(struct ice40 *c)
{
    uint32_t list[64];

    c->start = ice40_alloc(c->nodes + 2, sizeof *c->start);
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < c->nodes; i++)
            look(c, c->node[i].in, inputs_of(&c->node[i]), (uint32_t)i, pass);
        for (size_t i = 0; i < c->other_nodes; i++)
            look(c, c->other_node[i].node.in, inputs_of(&c->other_node[i].node),
                 c->other_node[i].at, pass);
        for (size_t i = 0; i < c->rams; i++)
            look(c, list, ram_inputs(&c->ram[i].pins, list), (uint32_t)(c->nodes + i), pass);
        for (size_t i = 0; i < c->other_rams; i++)
            look(c, list, ram_inputs(&c->other_ram[i].pins, list),
                 (uint32_t)(c->nodes + c->other_ram[i].at), pass);
        if (!pass) {
            for (size_t i = 2; i < c->nodes + 2; i++)
                c->start[i] += c->start[i - 1];
            c->reader = ice40_alloc(c->start[c->nodes + 1], sizeof *c->reader);
        }
    }
}

// An input of table n, all lanes' one after the other; UINT32_MAX behind the last.
static uint32_t input_of(const struct ice40 *c, uint32_t n, unsigned i)
{
    uint32_t other = c->other_first[n] + i / INPUTS - 1;

    if (i < INPUTS)
        return c->node[n].in[i];
    return other < c->other_first[n + 1] ? c->other_node[other].node.in[i % INPUTS] : UINT32_MAX;
}

// Has flip-flop i the PLL's clock in all lanes?
static bool has_pll(const struct ice40 *c, size_t i)
{
    bool has = c->node[i].clock == CLOCK;

    for (uint32_t o = c->other_first[i]; o < c->other_first[i + 1]; o++)
        has = has && c->other_node[o].node.clock == CLOCK;
    return has;
}

// Levels of the tables, inputs first, those of all lanes; a loop is cut where it is met, so that a
// table reads from its own level never, and from a higher one only there.
static void make_levels(struct ice40 *c)
{
    enum { NEW, BEGUN, DONE };
    struct {
        uint32_t node;
        unsigned next;
    } *stack = ice40_alloc(c->nodes, sizeof *stack);
    uint8_t *state = ice40_alloc(c->nodes, sizeof *state);

    c->level = ice40_alloc(c->nodes + c->rams, sizeof *c->level);
    for (size_t i = 0; i < c->nodes; i++) {
        size_t depth = 0;
        if (c->node[i].kind != TABLE || state[i] != NEW)
            continue;
        state[i] = BEGUN;
        stack[depth].node = (uint32_t)i;
        stack[depth++].next = 0;
        while (depth) {
            uint32_t n = stack[depth - 1].node;
            uint32_t from = input_of(c, n, stack[depth - 1].next++);
            if (from != UINT32_MAX) {
                if (c->node[from].kind == TABLE && state[from] == NEW) {
                    state[from] = BEGUN;
                    stack[depth].node = from;
                    stack[depth++].next = 0;
                }
                continue;
            }
            for (unsigned k = 0; (from = input_of(c, n, k)) != UINT32_MAX; k++)
                if (c->node[from].kind == TABLE && state[from] == DONE &&
                    c->level[from] >= c->level[n])
                    c->level[n] = (uint16_t)(c->level[from] + 1);
            state[n] = DONE;
            c->levels = c->level[n] >= c->levels ? (uint16_t)(c->level[n] + 1) : c->levels;
            depth--;
        }
    }
    free(stack);
    free(state);
    c->queue_start = ice40_alloc((size_t)c->levels + BEHIND + 1, sizeof *c->queue_start);
    c->queue_count = ice40_alloc((size_t)c->levels + BEHIND, sizeof *c->queue_count);
    for (size_t i = 0; i < c->nodes + c->rams; i++) {
        if (i >= c->nodes)
            c->level[i] = (uint16_t)(c->levels + RAM_LEVEL);
        else if (c->node[i].kind != TABLE)
            c->level[i] = (uint16_t)(c->levels + (has_pll(c, i) ? PLL_LEVEL : PIN_LEVEL));
        c->queue_start[c->level[i] + 1]++;
    }
    for (unsigned i = 1; i < c->levels + BEHIND + 1u; i++)
        c->queue_start[i] += c->queue_start[i - 1];
    c->queue = ice40_alloc(c->nodes + c->rams, sizeof *c->queue);
    c->low = c->levels;
}

// ---- a period -----------------------------------------------------------------------------------

// Lane 0's value in all lanes.
static uint64_t all_lanes(uint64_t value)
{
    return -(value & 1);
}

static void enqueue(struct ice40 *c, uint32_t i)
{
    uint16_t level = c->level[i];

    if (c->queued[i])
        return;
    c->queued[i] = true;
    c->queue[c->queue_start[level] + c->queue_count[level]++] = i;
    c->low = level < c->low ? level : c->low;
}

static void put(struct ice40 *c, uint32_t i, uint64_t value)
{
    if (c->value[i] == value)
        return;
    c->moved |= c->value[i] ^ value;
    c->strayed |= value ^ all_lanes(value);
    c->value[i] = value;
    for (uint32_t k = c->start[i]; k < c->start[i + 1]; k++)
        enqueue(c, c->reader[k]);
}

static uint64_t look_up(const struct ice40 *c, const struct node *n)
{
    const uint64_t in[INPUTS] = {c->value[n->in[0]], c->value[n->in[1]], c->value[n->in[2]],
                                 c->value[n->in[3]]};
    uint64_t part[8];

    if (in[0] == all_lanes(in[0]) && in[1] == all_lanes(in[1]) && in[2] == all_lanes(in[2]) &&
        in[3] == all_lanes(in[3]))
        return all_lanes((uint64_t)n->table >>
                         ((in[0] & 1) | (in[1] & 2) | (in[2] & 4) | (in[3] & 8)));
    for (unsigned i = 0; i < 8; i++)
        part[i] =
            (all_lanes(n->table >> 2 * i) & ~in[0]) | (all_lanes(n->table >> (2 * i + 1)) & in[0]);
    for (unsigned k = 1; k < INPUTS; k++)
        for (unsigned i = 0; i < 8u >> k; i++)
            part[i] = (part[2 * i] & ~in[k]) | (part[2 * i + 1] & in[k]);
    return part[0];
}

// What a flip-flop takes over.
static uint64_t next_of(const struct ice40 *c, const struct node *n, uint64_t now)
{
    uint64_t enable = c->value[n->in[1]], set = c->value[n->in[2]];

    if (!c->rose[n->clock])
        return now;
    return (now & ~enable) | (enable & ((set & all_lanes(n->sets)) | (~set & c->value[n->in[0]])));
}

// With what is otherwise in some lanes: value of table i, or what flip-flop i takes over.
static uint64_t with_others(const struct ice40 *c, uint32_t i, uint64_t value)
{
    for (uint32_t o = c->other_first[i]; o < c->other_first[i + 1]; o++) {
        const struct other_node *other = &c->other_node[o];
        if (!other->lane)
            continue;
        uint64_t there = other->node.kind == TABLE ? look_up(c, &other->node)
                                                   : next_of(c, &other->node, c->value[i]);
        value = (value & ~other->lane) | (there & other->lane);
    }
    return value;
}

// Those lanes go on as lane 0 does.
static void leave(struct ice40 *c, uint64_t lanes)
{
    for (size_t i = 0; i < c->nodes; i++)
        c->value[i] = (c->value[i] & ~lanes) | (all_lanes(c->value[i]) & lanes);
    for (size_t i = 0; i < c->rams; i++)
        c->ram[i].own &= ~lanes;
    for (size_t i = 0; i < c->other_nodes; i++)
        c->other_node[i].lane &= ~lanes;
    for (size_t i = 0; i < c->other_rams; i++)
        c->other_ram[i].lane &= ~lanes;
    for (size_t i = 0; i < c->other_ports; i++)
        c->other_port[i].lane &= ~lanes;
    for (size_t i = 0; i < c->other_resets; i++)
        c->other_reset[i].lane &= ~lanes;
}

// Works out what is queued. Lanes that do not come to rest leave; returns false where lane 0 does
// not.
static bool settle(struct ice40 *c)
{
    uint16_t level = c->low;
    unsigned back = 0;

    c->low = c->levels;
    while (level < c->levels) {
        const uint32_t *at = &c->queue[c->queue_start[level]];
        uint32_t count = c->queue_count[level];
        c->queue_count[level] = 0;
        for (uint32_t i = 0; i < count; i++) {
            c->queued[at[i]] = false;
            put(c, at[i], with_others(c, at[i], look_up(c, &c->node[at[i]])));
        }
        if (c->low < level) {
            back++;
            if (back == SWEEPS)
                c->moved = 0;
            if (back == 2 * SWEEPS) { // what moves still will always do
                if (c->moved & 1)
                    return false;
                c->restless |= c->moved;
                leave(c, c->moved);
                back = 0;
            }
            level = c->low;
        } else {
            level++;
        }
        c->low = c->levels;
    }
    return true;
}

static unsigned gather(const struct ice40 *c, const uint32_t *node, unsigned count, unsigned lane)
{
    unsigned word = 0;

    for (unsigned i = 0; i < count; i++)
        word |= (unsigned)(c->value[node[i]] >> lane & 1) << i;
    return word;
}

static bool in_lane(const struct ice40 *c, uint32_t node, unsigned lane)
{
    return c->value[node] >> lane & 1;
}

// Bits of a word that an address takes part in: mode 0 all 16, then every 2nd, 4th, 8th, from the
// address' upper bits on.
static unsigned lanes_of(unsigned mode, unsigned address)
{
    static const unsigned lane[4] = {0xffff, 0x5555, 0x1111, 0x0101};

    return lane[mode] << (address >> 8 & ((1u << mode) - 1));
}

// Where the data pins of each mode are (Yosys' SB_RAM40_4K, after Lattice's memory guide).
static unsigned data_bit(unsigned mode, unsigned i)
{
    static const unsigned group[4] = {1, 2, 4, 8}, offset[4] = {0, 0, 1, 3};

    return i / group[mode] * group[mode] + offset[mode];
}

// What a RAM does at the edge in one lane.
struct access {
    bool read, write;
    unsigned out;               // what it reads
    unsigned address, to, data; // what it writes: these bits
};

static struct access ram_access(const struct ice40 *c, const struct ram *r,
                                const struct ram_pins *p, unsigned lane)
{
    struct access a = {.read = p->rclk && in_lane(c, p->re, lane) && in_lane(c, p->rclke, lane),
                       .write = p->wclk && in_lane(c, p->we, lane) && in_lane(c, p->wclke, lane)};

    if (a.read) {
        unsigned address = gather(c, p->raddr, 11, lane);
        unsigned word = r->word[r->own >> lane & 1 ? lane : 0][address & 0xff] &
                        lanes_of(r->read_mode, address);
        a.out = r->read_mode ? 0 : word;
        for (unsigned k = 0; k < 16 && r->read_mode; k++)
            if (word >> k & 1)
                a.out |= 1u << data_bit(r->read_mode, k);
    }
    if (a.write) {
        unsigned address = gather(c, p->waddr, 11, lane), pins = gather(c, p->wdata, 16, lane);
        a.to = r->write_mode ? lanes_of(r->write_mode, address)
                             : 0xffff & ~gather(c, p->mask, 16, lane);
        for (unsigned k = 0; k < 16; k++)
            a.data |= (pins >> data_bit(r->write_mode, k) & 1) << k;
        a.address = address & 0xff;
    }
    return a;
}

static void ram_write(struct ram *r, unsigned lane, const struct access *a)
{
    uint16_t *word = &r->word[lane][a->address];

    if (a->write)
        *word = (uint16_t)((*word & ~a->to) | (a->data & a->to));
}

// The edge at RAM i, what it has at its data pins then into `next`; returns whether it read.
static bool ram_edge(struct ice40 *c, uint32_t i, uint64_t next[16])
{
    struct ram *r = &c->ram[i];
    uint32_t list[64];
    unsigned inputs = ram_inputs(&r->pins, list);
    uint64_t alone = r->own; // lanes that are not as lane 0
    const struct ram_pins *pins[ICE40_LANES];
    struct access one, other[ICE40_LANES];

    for (unsigned k = 0; k < inputs; k++)
        alone |= c->value[list[k]] ^ all_lanes(c->value[list[k]]);
    for (unsigned lane = 1; lane < c->lanes; lane++)
        pins[lane] = &r->pins;
    for (size_t o = 0; o < c->other_rams; o++)
        if (c->other_ram[o].at == i && c->other_ram[o].lane) {
            alone |= c->other_ram[o].lane;
            pins[__builtin_ctzll(c->other_ram[o].lane)] = &c->other_ram[o].pins;
        }
    one = ram_access(c, r, &r->pins, 0);
    bool read = one.read, write = one.write;
    for (unsigned k = 0; k < 16; k++) {
        uint64_t now = c->value[r->rdata[k]];
        next[k] = one.read ? (now & alone) | (all_lanes(one.out >> k) & ~alone) : now;
    }
    for (uint64_t left = alone; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        other[lane] = ram_access(c, r, pins[lane], lane);
        read = read || other[lane].read;
        write = write || other[lane].write;
        for (unsigned k = 0; k < 16 && other[lane].read; k++)
            next[k] = (next[k] & ~(UINT64_C(1) << lane)) | (uint64_t)(other[lane].out >> k & 1)
                                                               << lane;
    }
    for (uint64_t left = alone; left; left &= left - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(left);
        if (!one.write && !other[lane].write)
            continue;
        if (!(r->own >> lane & 1)) {
            memcpy(r->word[lane], r->word[0], sizeof r->word[0]);
            r->own |= UINT64_C(1) << lane;
        }
        ram_write(r, lane, &other[lane]);
    }
    ram_write(r, 0, &one);
    // Written again, or read, in the next cycle, even if nothing changes until then.
    if (write)
        enqueue(c, (uint32_t)c->nodes + i);
    return read;
}

// The PLL has locked when its reset has been high for so long. A lane in which the reset is low has
// no lock, and has it at once when it rises: that long ago nobody looks.
static void lock(struct ice40 *c)
{
    uint64_t reset = c->value[c->reset];

    for (size_t o = 0; o < c->other_resets; o++)
        reset = (reset & ~c->other_reset[o].lane) |
                (c->value[c->other_reset[o].node] & c->other_reset[o].lane);
    if (!(reset & 1))
        c->locked = 0;
    else if (c->locked < ICE40_LOCK_CYCLE)
        c->locked++;
    put(c, LOCK, c->locked == ICE40_LOCK_CYCLE ? reset : 0);
}

// Whether flip-flop i has to be looked at again at another clock's edge.
static bool waits(const struct ice40 *c, uint32_t i)
{
    uint32_t clock = c->node[i].clock;
    bool wait = clock != LOW && !c->rose[clock];

    for (uint32_t o = c->other_first[i]; o < c->other_first[i + 1]; o++) {
        clock = c->other_node[o].node.clock;
        wait = wait || (clock != LOW && !c->rose[clock]);
    }
    return wait;
}

// Takes down what the flip-flops of a level take over, behind `changes` others; returns how many
// then.
static size_t flop_edge(struct ice40 *c, unsigned level, size_t changes)
{
    uint32_t *at = &c->queue[c->queue_start[c->levels + level]];
    uint32_t count = c->queue_count[c->levels + level], left = 0;

    for (uint32_t i = 0; i < count; i++) {
        if (c->node[at[i]].kind == FLOP) {
            uint64_t next = with_others(c, at[i], next_of(c, &c->node[at[i]], c->value[at[i]]));
            if (next != c->value[at[i]]) {
                c->changed[changes].node = at[i];
                c->changed[changes++].value = next;
            }
            if (level == PIN_LEVEL && waits(c, at[i])) {
                at[left++] = at[i];
                continue;
            }
        }
        c->queued[at[i]] = false;
    }
    c->queue_count[c->levels + level] = left;
    return changes;
}

bool ice40_half(struct ice40 *c, bool clock)
{
    size_t changes = 0;
    uint64_t read[RAMS][16], reads = 0;
    uint32_t rams[RAMS], count = 0;
    bool pins = false;

    c->restless = 0;
    c->rose[CLOCK] = clock && !(c->value[CLOCK] & 1);
    put(c, CLOCK, all_lanes(clock));
    for (size_t i = 0; i < c->ports; i++)
        pins = pins || (c->port[i].input && c->rose[c->port[i].node]);
    if (!c->steady || !settle(c))
        return c->steady = false;
    if (pins || c->rose[CLOCK])
        changes = flop_edge(c, PIN_LEVEL, changes);
    if (c->rose[CLOCK]) {
        changes = flop_edge(c, PLL_LEVEL, changes);
        count = c->queue_count[c->levels + RAM_LEVEL];
        memcpy(rams, &c->queue[c->queue_start[c->levels + RAM_LEVEL]], count * sizeof *rams);
        c->queue_count[c->levels + RAM_LEVEL] = 0;
    }
    for (uint32_t i = 0; i < count; i++)
        c->queued[rams[i]] = false;
    for (uint32_t i = 0; i < count; i++)
        if (ram_edge(c, rams[i] - (uint32_t)c->nodes, read[i]))
            reads |= UINT64_C(1) << i;
    for (size_t i = 0; i < changes; i++)
        put(c, c->changed[i].node, c->changed[i].value);
    for (uint32_t i = 0; i < count; i++)
        for (unsigned k = 0; k < 16 && reads >> i & 1; k++)
            put(c, c->ram[rams[i] - c->nodes].rdata[k], read[i][k]);
    if (c->rose[CLOCK])
        lock(c);
    for (size_t i = 0; i < c->ports; i++)
        c->rose[c->port[i].node] = false;
    return c->steady = settle(c);
}

uint64_t ice40_restless(const struct ice40 *chip)
{
    return chip->restless;
}

uint64_t ice40_strayed(const struct ice40 *chip)
{
    return chip->strayed;
}

void ice40_leave(struct ice40 *chip, unsigned lane)
{
    leave(chip, UINT64_C(1) << lane);
}

struct ice40 *ice40_new(const struct ice40_map *map, const struct ice40_bits *bits, const char *pcf,
                        struct ice40_bits *const *wrong, unsigned count)
{
    struct ice40 *c = ice40_build(map, bits, pcf);
    size_t own = c->nodes;

    if (c->rams > RAMS || count >= ICE40_LANES)
        ice40_fail("more than %d block RAMs, or %d lanes", RAMS, ICE40_LANES);
    // Room as one_more counts it.
    size_t room = 1;
    while (room < c->nodes)
        room *= 2;
    c->node = realloc(c->node, room * sizeof *c->node);
    if (!c->node)
        ice40_fail("out of memory");
    c->lanes = count + 1;
    for (unsigned i = 0; i < count; i++) {
        struct ice40 *v = ice40_build(map, wrong[i], pcf);
        if (v->rams != c->rams || v->ports != c->ports)
            ice40_fail("a configuration with other RAMs or ports is none of its lanes");
        take_lane(c, v, own, UINT64_C(2) << i);
        ice40_free(v);
    }
    for (size_t i = 0; i < c->rams; i++) {
        c->ram[i].word = realloc(c->ram[i].word, c->lanes * sizeof *c->ram[i].word);
        if (!c->ram[i].word)
            ice40_fail("out of memory");
    }
    sort_others(c);
    make_readers(c);
    make_levels(c);
    c->value = ice40_alloc(c->nodes, sizeof *c->value);
    c->queued = ice40_alloc(c->nodes + c->rams, sizeof *c->queued);
    c->rose = ice40_alloc(c->nodes, sizeof *c->rose);
    c->changed = ice40_alloc(c->nodes, sizeof *c->changed);
    c->value[HIGH] = UINT64_MAX;
    for (size_t i = 0; i < c->nodes + c->rams; i++)
        if (i >= c->nodes || c->node[i].kind == TABLE || c->node[i].kind == FLOP)
            enqueue(c, (uint32_t)i);
    c->steady = true;
    return c;
}

void ice40_free(struct ice40 *c)
{
    if (c) {
        for (size_t i = 0; i < c->rams; i++)
            free(c->ram[i].word);
        free(c->node);
        free(c->ram);
        free(c->other_node);
        free(c->other_ram);
        free(c->other_port);
        free(c->other_reset);
        free(c->other_first);
        free(c->value);
        free(c->start);
        free(c->reader);
        free(c->queue);
        free(c->queue_start);
        free(c->queue_count);
        free(c->queued);
        free(c->rose);
        free(c->level);
        free(c->changed);
    }
    free(c);
}

int ice40_port(const struct ice40 *chip, const char *name)
{
    for (size_t i = 0; i < chip->ports; i++)
        if (!strcmp(chip->port[i].name, name))
            return (int)i;
    return -1;
}

void ice40_set(struct ice40 *chip, int port, bool level)
{
    if (port >= 0 && chip->port[port].input) {
        uint32_t node = chip->port[port].node;
        chip->rose[node] = level && !(chip->value[node] & 1);
        put(chip, node, all_lanes(level));
    }
}

uint64_t ice40_get(const struct ice40 *chip, int port)
{
    if (port < 0)
        return 0;
    uint64_t value = chip->value[chip->port[port].node];
    for (size_t o = 0; o < chip->other_ports; o++)
        if (chip->other_port[o].at == (uint32_t)port)
            value = (value & ~chip->other_port[o].lane) |
                    (chip->value[chip->other_port[o].node] & chip->other_port[o].lane);
    return value;
}
