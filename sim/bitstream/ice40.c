// SPDX-License-Identifier: Apache-2.0
// lint-flags: -Isim/bitstream
//
// From an HX8K's configuration to what ice40_run.c runs: look-up tables, carries, flip-flops and
// block RAMs, joined as the switches say; and which bits matter for that.
#define _GNU_SOURCE
#include "ice40_parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CARRY = 0xe8e8, ALL_OF = 0x8000 };

// Bits of a cell's flip-flop and carry, by their place among its 20.
enum { HAS_CARRY = 8, HAS_FF = 9, SETS = 18, ASYNC = 19, CELL_BITS = 20 };

// While a chip is built from its bits.
struct build {
    const struct ice40_map *map;
    const struct ice40_bits *bits;
    struct ice40 *chip;
    int32_t *source; // of a wire: the node it is, -1: none
    uint32_t *in_start, *in_from, *in_switch;
    uint32_t *seen, stamp, *stack;
    bool *used; // switches on the way to something
    size_t room;
};

// Places of a cell's bits; 0 to 9 in its upper row, 10 to 19 in its lower one.
static size_t cell_bit(unsigned cell, unsigned bit)
{
    return (2 * cell + bit / 10) * COLUMNS + 36 + bit % 10;
}

// Which bit of a cell is the entry of its table for in3 in2 in1 in0 (IceStorm's logic tile).
static const uint8_t entry_bit[16] = {4, 14, 15, 5, 6, 16, 17, 7, 3, 13, 12, 2, 1, 11, 10, 0};

static uint32_t add_node(struct build *b, enum ice40_kind kind, uint32_t site)
{
    struct ice40 *chip = b->chip;

    if (chip->nodes == b->room) {
        b->room = b->room ? 2 * b->room : 1024;
        chip->node = realloc(chip->node, b->room * sizeof *chip->node);
        if (!chip->node)
            ice40_fail("out of memory");
    }
    chip->node[chip->nodes] = (struct node){.kind = (uint8_t)kind, .site = site};
    return (uint32_t)chip->nodes++;
}

static int32_t net_of(const struct build *b, unsigned x, unsigned y, const char *what, int index)
{
    char name[32];

    if (index < 0)
        snprintf(name, sizeof name, "%s", what);
    else
        snprintf(name, sizeof name, "%s%d", what, index);
    return ice40_net(b->map, x, y, name);
}

static void set_source(struct build *b, int32_t net, uint32_t node)
{
    if (net >= 0)
        b->source[net] = (int32_t)node;
}

// ---- wires --------------------------------------------------------------------------------------

// The wire that a switch takes, -1: none.
static int64_t chosen(const struct ice40_map *map, const struct ice40_bits *bits,
                      const struct ice40_switch *s)
{
    unsigned value = 0;

    for (unsigned i = 0; i < s->bits; i++)
        value = value << 1 | bits->tile[s->x][s->y][s->bit[i]];
    if (value)
        for (unsigned i = 0; i < s->choices; i++)
            if (map->choice[s->first + i].value == value)
                return map->choice[s->first + i].from;
    return -1;
}

// For each wire those that feed it.
static void connect(struct build *b)
{
    const struct ice40_map *map = b->map;
    uint32_t *from = ice40_alloc(map->switches, sizeof *from);

    b->in_start = ice40_alloc(map->nets + 2, sizeof *b->in_start);
    for (size_t i = 0; i < map->switches; i++) {
        int64_t c = chosen(map, b->bits, &map->sw[i]);
        from[i] = c < 0 ? UINT32_MAX : (uint32_t)c;
        if (c < 0)
            continue;
        b->in_start[map->sw[i].to + 2]++;
        if (map->sw[i].both_ways)
            b->in_start[c + 2]++;
    }
    for (size_t i = 2; i < map->nets + 2; i++)
        b->in_start[i] += b->in_start[i - 1];
    b->in_from = ice40_alloc(b->in_start[map->nets + 1], sizeof *b->in_from);
    b->in_switch = ice40_alloc(b->in_start[map->nets + 1], sizeof *b->in_switch);
    for (size_t i = 0; i < map->switches; i++) {
        if (from[i] == UINT32_MAX)
            continue;
        uint32_t at = b->in_start[map->sw[i].to + 1]++;
        b->in_from[at] = from[i];
        b->in_switch[at] = (uint32_t)i;
        if (map->sw[i].both_ways) {
            at = b->in_start[from[i] + 1]++;
            b->in_from[at] = map->sw[i].to;
            b->in_switch[at] = (uint32_t)i;
        }
    }
    free(from);
}

// The node at a wire. alone: what it is when nothing is connected to it.
static uint32_t driver(struct build *b, int32_t net, uint32_t alone)
{
    uint32_t found[INPUTS] = {HIGH, HIGH, HIGH, HIGH};
    unsigned count = 0;
    size_t depth = 0;

    if (net < 0)
        return alone;
    if (b->source[net] < 0 && b->in_start[net] == b->in_start[net + 1])
        return alone;
    b->stamp++;
    b->stack[depth++] = (uint32_t)net;
    b->seen[net] = b->stamp;
    while (depth) {
        uint32_t n = b->stack[--depth];
        if (b->source[n] >= 0) {
            bool known = false;
            for (unsigned i = 0; i < count; i++)
                known = known || found[i] == (uint32_t)b->source[n];
            if (!known && count < INPUTS)
                found[count++] = (uint32_t)b->source[n];
            continue;
        }
        for (uint32_t i = b->in_start[n]; i < b->in_start[n + 1]; i++) {
            b->used[b->in_switch[i]] = true;
            if (b->seen[b->in_from[i]] != b->stamp) {
                b->seen[b->in_from[i]] = b->stamp;
                b->stack[depth++] = b->in_from[i];
            }
        }
    }
    if (count < 2)
        return count ? found[0] : LOW;
    uint32_t all = add_node(b, TABLE, 0);
    b->chip->node[all].table = ALL_OF;
    memcpy(b->chip->node[all].in, found, sizeof found);
    return all;
}

// ---- from bits to nodes -------------------------------------------------------------------------

struct cell {
    uint32_t table, carry, flop;
};

static uint32_t cell_site(unsigned x, unsigned y, unsigned cell, unsigned part)
{
    return SITE_CELL + ((x * SIDE + y) * CELLS + cell) * 3 + part;
}

// A cell's table of its 16 entries, and whether it has any bit.
static bool cell_used(const struct ice40_bits *bits, unsigned x, unsigned y, unsigned cell,
                      uint16_t *table)
{
    const uint8_t *tile = bits->tile[x][y];
    bool any = false;

    *table = 0;
    for (unsigned i = 0; i < 16; i++)
        *table |= (uint16_t)(tile[cell_bit(cell, entry_bit[i])] << i);
    for (unsigned i = 0; i < CELL_BITS; i++)
        any = any || tile[cell_bit(cell, i)];
    return any;
}

static void make_cells(struct build *b, struct cell (*cells)[SIDE][CELLS], unsigned x, unsigned y)
{
    const uint8_t *tile = b->bits->tile[x][y];
    uint16_t table;
    char name[32];

    for (unsigned k = 0; k < CELLS; k++) {
        struct cell *c = &cells[x][y][k];
        *c = (struct cell){0, 0, 0};
        if (!cell_used(b->bits, x, y, k, &table))
            continue;
        c->table = add_node(b, TABLE, cell_site(x, y, k, 0));
        b->chip->node[c->table].table = table;
        snprintf(name, sizeof name, "lutff_%u/lout", k);
        set_source(b, ice40_net(b->map, x, y, name), c->table);
        if (tile[cell_bit(k, HAS_CARRY)]) {
            c->carry = add_node(b, TABLE, cell_site(x, y, k, 1));
            b->chip->node[c->carry].table = CARRY;
            snprintf(name, sizeof name, "lutff_%u/cout", k);
            set_source(b, ice40_net(b->map, x, y, name), c->carry);
        }
        uint32_t out = c->table;
        if (tile[cell_bit(k, HAS_FF)])
            out = c->flop = add_node(b, FLOP, cell_site(x, y, k, 2));
        snprintf(name, sizeof name, "lutff_%u/out", k);
        set_source(b, ice40_net(b->map, x, y, name), out);
    }
    if (!tile[1 * COLUMNS + 49])
        set_source(b, ice40_net(b->map, x, y, "carry_in_mux"), tile[1 * COLUMNS + 50] ? HIGH : LOW);
}

static void join_cells(struct build *b, struct cell (*cells)[SIDE][CELLS], unsigned x, unsigned y)
{
    const uint8_t *tile = b->bits->tile[x][y];
    char name[32];
    bool flops = false;

    for (unsigned k = 0; k < CELLS; k++)
        flops = flops || cells[x][y][k].flop;
    uint32_t enable = HIGH, set = LOW, clock = LOW;
    if (flops) {
        enable = driver(b, ice40_net(b->map, x, y, "lutff_global/cen"), HIGH);
        set = driver(b, ice40_net(b->map, x, y, "lutff_global/s_r"), LOW);
        clock = driver(b, ice40_net(b->map, x, y, "lutff_global/clk"), LOW);
        if (tile[0])
            ice40_fail("tile %u %u: its clock is inverted, which is not modelled", x, y);
    }
    for (unsigned k = 0; k < CELLS; k++) {
        const struct cell *c = &cells[x][y][k];
        if (!c->table)
            continue;
        uint32_t in[INPUTS];
        for (unsigned i = 0; i < INPUTS; i++) {
            snprintf(name, sizeof name, "lutff_%u/in_%u", k, i);
            in[i] = driver(b, ice40_net(b->map, x, y, name), LOW);
        }
        memcpy(b->chip->node[c->table].in, in, sizeof in);
        if (c->carry) {
            uint32_t from = k ? cells[x][y][k - 1].carry
                              : driver(b, ice40_net(b->map, x, y, "carry_in_mux"), LOW);
            uint32_t three[INPUTS] = {in[1], in[2], from, LOW};
            memcpy(b->chip->node[c->carry].in, three, sizeof three);
        }
        if (c->flop) {
            struct node *f = &b->chip->node[c->flop];
            f->in[0] = c->table;
            f->in[1] = enable;
            f->in[2] = set;
            f->sets = tile[cell_bit(k, SETS)];
            f->clock = clock;
            if (tile[cell_bit(k, ASYNC)] && set != LOW)
                ice40_fail("tile %u %u: a reset without a clock, which is not modelled", x, y);
        }
    }
}

// The clock that comes by a wire with this driver: the PLL's, or of a pin, also where a table
// passes it on, which is the way to a global wire from pins that have none; of anything else LOW.
static uint32_t clock_of(const struct ice40 *c, uint32_t driver)
{
    for (unsigned tables = 0; driver >= FIRST && c->node[driver].kind == TABLE; tables++) {
        const struct node *n = &c->node[driver];
        unsigned high = 0, pass = INPUTS;
        for (unsigned i = 0; i < INPUTS; i++) {
            high |= (unsigned)(n->in[i] == HIGH) << i;
            if (n->in[i] != LOW && n->in[i] != HIGH)
                pass = pass == INPUTS ? i : INPUTS + 1; // the only one
        }
        if (tables == CELLS || pass >= INPUTS || n->table >> high & 1 ||
            !(n->table >> (high | 1U << pass) & 1))
            return LOW;
        driver = n->in[pass];
    }
    return driver == CLOCK || (driver >= FIRST && c->node[driver].kind == SOURCE) ? driver : LOW;
}

// The wire of a RAM's pin in either of its tiles.
static int32_t ram_net(const struct build *b, unsigned x, unsigned y, const char *pin, int index)
{
    int32_t net = net_of(b, x, y, pin, index);

    return net >= 0 ? net : net_of(b, x, y + 1, pin, index);
}

static bool ram_used(const struct ice40_bits *bits, unsigned x, unsigned y)
{
    return bits->tile[x][y][1 * COLUMNS + 7]; // PowerUp
}

static void make_ram(struct build *b, struct ram *r, unsigned x, unsigned y)
{
    const uint8_t *upper = b->bits->tile[x][y + 1];

    r->word = ice40_alloc(1, sizeof *r->word);
    r->write_mode = (uint8_t)(upper[1 * COLUMNS + 7] + 2 * upper[0 * COLUMNS + 7]);
    r->read_mode = (uint8_t)(upper[3 * COLUMNS + 7] + 2 * upper[2 * COLUMNS + 7]);
    for (unsigned i = 0; i < 256; i++)
        r->word[0][i] = (uint16_t)(b->bits->ram[x][y][i / LINES][2 * (i % LINES)] |
                                   b->bits->ram[x][y][i / LINES][2 * (i % LINES) + 1] << 8);
    for (int i = 0; i < 16; i++) {
        r->rdata[i] = add_node(b, READ, SITE_READ + (uint32_t)((x * SIDE + y) * 16) + (uint32_t)i);
        set_source(b, ram_net(b, x, y, "ram/RDATA_", i), r->rdata[i]);
    }
}

static void join_ram(struct build *b, struct ram_pins *r, unsigned x, unsigned y)
{
    if (b->bits->tile[x][y][0] || b->bits->tile[x][y + 1][0])
        ice40_fail("RAM %u %u: its clock is inverted, which is not modelled", x, y);
    for (int i = 0; i < 11; i++) {
        r->waddr[i] = driver(b, ram_net(b, x, y, "ram/WADDR_", i), LOW);
        r->raddr[i] = driver(b, ram_net(b, x, y, "ram/RADDR_", i), LOW);
    }
    for (int i = 0; i < 16; i++) {
        r->mask[i] = driver(b, ram_net(b, x, y, "ram/MASK_", i), LOW);
        r->wdata[i] = driver(b, ram_net(b, x, y, "ram/WDATA_", i), LOW);
    }
    r->we = driver(b, ram_net(b, x, y, "ram/WE", -1), LOW);
    r->re = driver(b, ram_net(b, x, y, "ram/RE", -1), LOW);
    r->wclke = driver(b, ram_net(b, x, y, "ram/WCLKE", -1), HIGH);
    r->rclke = driver(b, ram_net(b, x, y, "ram/RCLKE", -1), HIGH);
    r->wclk = driver(b, ram_net(b, x, y, "ram/WCLK", -1), LOW) == CLOCK;
    r->rclk = driver(b, ram_net(b, x, y, "ram/RCLK", -1), LOW) == CLOCK;
}

// The .pcf's ports: a pin is an output if its cell drives it.
static void make_ports(struct build *b, const char *path)
{
    static const uint8_t type_bit[2][6] = {{3, 3, 0, 0, 4, 4}, {13, 13, 10, 10, 14, 14}},
                         type_column[6] = {17, 16, 17, 16, 16, 17};
    FILE *f = fopen(path, "r");
    char line[256], name[32], pin[8];

    if (!f)
        ice40_fail("%s: %s", path, strerror(errno));
    while (fgets(line, sizeof line, f)) {
        if (sscanf(line, " set_io %31s %7s", name, pin) != 2)
            continue;
        const struct ice40_pad *pad = NULL;
        for (size_t i = 0; i < b->map->pads; i++)
            if (!strcmp(b->map->pad[i].pin, pin))
                pad = &b->map->pad[i];
        if (!pad || b->chip->ports == ICE40_PINS)
            ice40_fail("%s: %s: no such pin, or more than %d", path, pin, ICE40_PINS);
        unsigned type = 0;
        for (unsigned i = 0; i < 6; i++)
            type |=
                (unsigned)
                    b->bits->tile[pad->x][pad->y][type_bit[pad->io][i] * COLUMNS + type_column[i]]
                << i;
        struct port *p = &b->chip->port[b->chip->ports++];
        snprintf(p->name, sizeof p->name, "%s", name);
        // 000001: plain input. 011001: plain output, which is read back, too.
        p->input = type == 0x01;
        if (type != 0x01 && type != 0x19)
            ice40_fail("%s: pin %s is of a kind that is not modelled (%02x)", path, pin, type);
        char wire[24];
        snprintf(wire, sizeof wire, "io_%d/D_IN_0", pad->io);
        if (p->input) {
            p->node = add_node(b, SOURCE, SITE_PORT + (uint32_t)b->chip->ports - 1);
            set_source(b, ice40_net(b->map, pad->x, pad->y, wire), p->node);
        } else {
            snprintf(wire, sizeof wire, "io_%d/D_OUT_0", pad->io);
            p->node = (uint32_t)ice40_net(b->map, pad->x, pad->y, wire); // until it is joined
        }
    }
    fclose(f);
}

static void make_clock(struct build *b)
{
    const struct ice40_map *map = b->map;

    for (unsigned g = 0; g < GLOBALS; g++)
        if (b->bits->padin[g])
            set_source(b, net_of(b, 1, 1, "glb_netwk_", (int)g), CLOCK);
    if (map->pll.there)
        set_source(b, ice40_net(map, map->pll.lock_x, map->pll.lock_y, map->pll.lock), LOCK);
}

// Wires from the fabric onto the global ones, which are no switches.
static void join_globals(struct build *b)
{
    for (unsigned g = 0; g < GLOBALS; g++) {
        int32_t to = net_of(b, 1, 1, "glb_netwk_", (int)g);
        int32_t from = ice40_net(b->map, b->map->gbufin[g].x, b->map->gbufin[g].y, "fabout");
        if (to >= 0 && from >= 0 && b->source[to] < 0 && b->in_start[from] != b->in_start[from + 1])
            b->source[to] = (int32_t)driver(b, from, LOW);
    }
}

// A chip's nodes and the switches they use; b is to be freed by end_build.
static void build(struct build *b, const char *pcf)
{
    const struct ice40_map *map = b->map;
    struct cell(*cells)[SIDE][CELLS] = ice40_alloc(SIDE, sizeof *cells);
    size_t r = 0;

    b->source = ice40_alloc(map->nets, sizeof *b->source);
    memset(b->source, 0xff, map->nets * sizeof *b->source);
    b->seen = ice40_alloc(map->nets, sizeof *b->seen);
    b->stack = ice40_alloc(map->nets, sizeof *b->stack);
    b->used = ice40_alloc(map->switches, sizeof *b->used);
    while (b->chip->nodes < FIRST)
        add_node(b, SOURCE, 0);
    connect(b);
    make_clock(b);
    if (pcf)
        make_ports(b, pcf);
    for (unsigned x = 0; x < SIDE; x++)
        for (unsigned y = 0; y < SIDE; y++)
            b->chip->rams += map->tile[x][y] == 'b' && ram_used(b->bits, x, y);
    b->chip->ram = ice40_alloc(b->chip->rams, sizeof *b->chip->ram);
    for (unsigned x = 0; x < SIDE; x++)
        for (unsigned y = 0; y < SIDE; y++) {
            if (map->tile[x][y] == 'l')
                make_cells(b, cells, x, y);
            if (map->tile[x][y] == 'b' && ram_used(b->bits, x, y))
                make_ram(b, &b->chip->ram[r++], x, y);
        }
    join_globals(b);
    r = 0;
    for (unsigned x = 0; x < SIDE; x++)
        for (unsigned y = 0; y < SIDE; y++) {
            if (map->tile[x][y] == 'l')
                join_cells(b, cells, x, y);
            if (map->tile[x][y] == 'b' && ram_used(b->bits, x, y))
                join_ram(b, &b->chip->ram[r++].pins, x, y);
        }
    for (size_t i = FIRST; i < b->chip->nodes; i++)
        if (b->chip->node[i].kind == FLOP)
            b->chip->node[i].clock = clock_of(b->chip, b->chip->node[i].clock);
    for (size_t i = 0; i < b->chip->ports; i++)
        if (!b->chip->port[i].input)
            b->chip->port[i].node = driver(b, (int32_t)b->chip->port[i].node, LOW);
    b->chip->reset =
        map->pll.there
            ? driver(b, ice40_net(map, map->pll.reset_x, map->pll.reset_y, "fabout"), LOW)
            : LOW;
    free(cells);
}

static void end_build(struct build *b)
{
    free(b->source);
    free(b->in_start);
    free(b->in_from);
    free(b->in_switch);
    free(b->seen);
    free(b->stack);
    free(b->used);
}

struct ice40 *ice40_build(const struct ice40_map *map, const struct ice40_bits *bits,
                          const char *pcf)
{
    struct ice40 *c = ice40_alloc(1, sizeof *c);
    struct build b = {.map = map, .bits = bits, .chip = c};

    build(&b, pcf);
    end_build(&b);
    return c;
}

// ---- bits that matter ---------------------------------------------------------------------------

// Which bits of every tile, as kinds: 0 none.
enum { OF_TABLE = 1, OF_CELL, OF_ROUTING };
typedef uint8_t kinds[SIDE][SIDE][ROWS * COLUMNS];

static void mark(const struct ice40_map *map, const struct ice40_bits *bits, kinds *kind)
{
    struct ice40 *c = ice40_alloc(1, sizeof *c);
    struct build b = {.map = map, .bits = bits, .chip = c};
    uint16_t table;
    char name[32];

    build(&b, NULL);
    for (unsigned x = 0; x < SIDE; x++)
        for (unsigned y = 0; y < SIDE; y++)
            for (unsigned k = 0; k < CELLS && map->tile[x][y] == 'l'; k++) {
                unsigned tied = 0;
                if (!cell_used(bits, x, y, k, &table))
                    continue;
                for (unsigned i = 0; i < INPUTS; i++) {
                    snprintf(name, sizeof name, "lutff_%u/in_%u", k, i);
                    if (driver(&b, ice40_net(map, x, y, name), LOW) == LOW)
                        tied |= 1u << i;
                }
                for (unsigned i = 0; i < 16; i++)
                    if (!(i & tied) && table >> i & 1)
                        (*kind)[x][y][cell_bit(k, entry_bit[i])] = OF_TABLE;
                for (unsigned i = 0; i < CELL_BITS; i++)
                    if ((i == HAS_CARRY || i == HAS_FF || i == SETS || i == ASYNC) &&
                        bits->tile[x][y][cell_bit(k, i)])
                        (*kind)[x][y][cell_bit(k, i)] = OF_CELL;
            }
    for (size_t s = 0; s < map->switches; s++)
        for (unsigned i = 0; i < map->sw[s].bits && b.used[s]; i++)
            if (bits->tile[map->sw[s].x][map->sw[s].y][map->sw[s].bit[i]])
                (*kind)[map->sw[s].x][map->sw[s].y][map->sw[s].bit[i]] = OF_ROUTING;
    end_build(&b);
    ice40_free(c);
}

// The which-th bit that matters, with its kind in *what; counts them where there are fewer.
static size_t find(const struct ice40_map *map, const struct ice40_bits *bits, size_t which,
                   size_t *at, uint8_t *what)
{
    kinds *kind = ice40_alloc(1, sizeof *kind);
    const uint8_t *k = &(*kind)[0][0][0];
    size_t count = 0;

    mark(map, bits, kind);
    for (size_t i = 0; i < sizeof *kind; i++)
        if (k[i] && count++ == which) {
            *at = i;
            *what = k[i];
        }
    free(kind);
    return count;
}

size_t ice40_used(const struct ice40_map *map, const struct ice40_bits *bits)
{
    size_t at;
    uint8_t what;

    return find(map, bits, SIZE_MAX, &at, &what);
}

void ice40_flip(const struct ice40_map *map, struct ice40_bits *bits, size_t which, char *what,
                size_t size)
{
    static const char *const name[] = {"", "look-up table", "cell", "routing"};
    size_t at = 0, tile = ROWS * COLUMNS;
    uint8_t kind = 0;

    if (find(map, bits, which, &at, &kind) <= which)
        ice40_fail("bit %zu: there are not so many that matter", which);
    uint8_t *bit = &bits->tile[0][0][0] + at;
    *bit = !*bit;
    snprintf(what, size, "tile %zu %zu, row %zu, column %zu: %s", at / tile / SIDE,
             at / tile % SIDE, at % tile / COLUMNS, at % tile % COLUMNS, name[kind]);
}
