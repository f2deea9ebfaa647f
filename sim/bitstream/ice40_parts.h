// SPDX-License-Identifier: Apache-2.0
// What ice40_map.c reads, ice40.c makes of it, and ice40_run.c runs.
#ifndef ICE40_PARTS_H
#define ICE40_PARTS_H

#include "ice40.h"

#include <stdnoreturn.h>

enum {
    SIDE = 34, // tiles a side
    ROWS = 16,
    COLUMNS = 54,
    CELLS = 8, // of a logic tile
    GLOBALS = 8,
    BITS_MAX = 5, // of a switch
    LINES = 16,   // of a block RAM's content, 256 bits each
    PADS = 512,
};

// Where a wire comes from: `choices` from `first` on, by the value of its configuration bits.
struct ice40_switch {
    uint32_t to, first;
    uint8_t x, y, choices, bits;
    bool both_ways;
    uint16_t bit[BITS_MAX]; // row * COLUMNS + column, the first counts most
};

struct ice40_choice {
    uint32_t from;
    uint8_t value;
};

struct ice40_name {
    uint32_t net;
    uint8_t x, y;
    char name[22];
};

struct ice40_pad {
    char pin[6];
    uint8_t x, y, io;
};

struct ice40_map {
    size_t nets, switches, choices, names, pads;
    struct ice40_switch *sw;
    struct ice40_choice *choice;
    struct ice40_name *name; // sorted
    struct ice40_pad pad[PADS];
    struct {
        uint8_t x, y, global;
    } gbufin[GLOBALS];
    struct {
        unsigned bank, x, y;
    } padin[GLOBALS]; // the extra bit that puts a PLL or pin on this global wire
    struct {
        bool there;
        uint8_t lock_x, lock_y, reset_x, reset_y;
        char lock[22];
    } pll;                 // that of the lower side, which the boards use
    char tile[SIDE][SIDE]; // 'l' logic, 'b' and 't' RAM, 'i' pins, 0
};

struct ice40_bits {
    uint8_t tile[SIDE][SIDE][ROWS * COLUMNS];
    uint8_t ram[SIDE][SIDE][LINES][32]; // bytes from the lowest bit on
    bool padin[GLOBALS];
};

// ---- a chip's net list --------------------------------------------------------------------------

// Sources of values: constants, the clock, and from FIRST on what the chip has.
enum { LOW, HIGH, CLOCK, LOCK, FIRST };

enum { INPUTS = 4 };

enum ice40_kind { SOURCE, TABLE, FLOP, READ };

// Where on the chip a node is, so that nodes of two configurations can be told to be the same: of a
// cell its table, carry and flip-flop, of a RAM its data out, of ports; 0: nowhere.
enum {
    SITE_CELL = 1,
    SITE_READ = SITE_CELL + SIDE * SIDE * CELLS * 3,
    SITE_PORT = SITE_READ + SIDE * SIDE * 16,
    SITES = SITE_PORT + ICE40_PINS,
};

struct node {
    uint32_t in[INPUTS]; // TABLE: its inputs; FLOP: data, enable, set or reset
    uint16_t table;      // TABLE: by in[3..0]
    uint32_t clock;      // FLOP: whose rising edge it takes over at; LOW: none's
    uint8_t kind;
    bool sets;
    uint32_t site;
};

struct ram_pins {
    uint32_t waddr[11], raddr[11], mask[16], wdata[16];
    uint32_t we, wclke, re, rclke;
    bool wclk, rclk;
};

struct ram {
    struct ram_pins pins;
    uint32_t rdata[16];
    uint8_t write_mode, read_mode;
    uint64_t own;          // lanes that have a content of their own; the others have lane 0's
    uint16_t (*word)[256]; // of each lane
};

struct port {
    char name[32];
    uint32_t node; // input: the source; output: what drives it
    bool input;
};

// What is otherwise in one lane: a node, a RAM's pins (by its number), the source of a port (by its
// number) or of the PLL's reset.
struct other_node {
    uint32_t at;
    uint64_t lane; // its bit; 0: no longer
    struct node node;
};

struct other_ram {
    uint32_t at;
    uint64_t lane;
    struct ram_pins pins;
};

struct other_source {
    uint32_t at;
    uint64_t lane;
    uint32_t node;
};

struct ice40 {
    size_t nodes, rams, ports;
    struct node *node;
    struct ram *ram;
    struct port port[ICE40_PINS];
    uint32_t reset;
    unsigned lanes;
    struct other_node *other_node; // sorted by `at`
    struct other_ram *other_ram;
    struct other_source *other_port, *other_reset;
    size_t other_nodes, other_rams, other_ports, other_resets;
    uint32_t *other_first; // of a node: its first in other_node and, in the next one's, the end
    uint64_t *value;       // of a node: a bit a lane
    // Who looks at a node: `reader` from start[node] to start[node + 1]; RAMs count from nodes on.
    uint32_t *start, *reader;
    // What has to be looked at, by level: tables, then flip-flops of the PLL's clock, then all
    // others, then RAMs.
    uint32_t *queue, *queue_start, *queue_count;
    struct {
        uint32_t node;
        uint64_t value;
    } * changed;
    uint16_t *level, levels, low;
    bool *queued;
    bool *rose; // of a node that may be a clock: it does so now
    unsigned locked;
    uint64_t restless, moved, strayed;
    bool steady;
};

// A chip that does not run yet, one lane.
struct ice40 *ice40_build(const struct ice40_map *map, const struct ice40_bits *bits,
                          const char *pcf);

noreturn void ice40_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
void *ice40_alloc(size_t count, size_t size);

// The wire's number, -1: there is none.
int32_t ice40_net(const struct ice40_map *map, unsigned x, unsigned y, const char *name);

#endif
