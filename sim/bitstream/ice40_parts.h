// SPDX-License-Identifier: Apache-2.0
// What ice40_map.c reads and ice40.c runs.
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

noreturn void ice40_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
void *ice40_alloc(size_t count, size_t size);

// The wire's number, -1: there is none.
int32_t ice40_net(const struct ice40_map *map, unsigned x, unsigned y, const char *name);

#endif
