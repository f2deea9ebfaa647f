// SPDX-License-Identifier: Apache-2.0
// An iCE40 HX8K that does what its configuration says, bit by bit: IceStorm's text form of a
// bitstream (.asc) and its chip database in, an event-driven simulation out. A second decoder
// beside icebox_vlog, and one that takes a changed bit in milliseconds, without a compiler.
//
// What it knows: logic cells with carry and flip-flop, block RAM, all routing, plain input and
// output pins, one clock from a PLL, input pins as clocks of flip-flops. Clock edges of anything
// else do not come: what is clocked by it stands still. A wire that nobody drives is 0; of several
// drivers a 0 wins; the pins of cells without a wire have the cell's default.
#ifndef ICE40_H
#define ICE40_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Up to 64 such chips run at once, lanes of one, each with a configuration of its own that differs
// in a few bits: what costs time is only what differs.

enum { ICE40_PINS = 64, ICE40_LOCK_CYCLE = 2400 }; // as in rtl/top/test/SB_PLL40_CORE.v
enum { ICE40_LANES = 64 };

struct ice40_map;  // the chip database: tiles, wires, switches
struct ice40_bits; // a configuration
struct ice40;      // a chip that runs

// Errors of these: one line on stderr, and exit status 2.
struct ice40_map *ice40_map_read(const char *path, const char *package);
void ice40_map_free(struct ice40_map *map);
struct ice40_bits *ice40_bits_read(const struct ice40_map *map, const char *path);
struct ice40_bits *ice40_bits_copy(const struct ice40_bits *bits);
void ice40_bits_free(struct ice40_bits *bits);

// The bits that matter: set ones of the look-up tables (entries that the cell's connected inputs
// can reach), flip-flops and carries of cells in use, and of switches on the way to them. Returns
// how many there are; they are counted from 0 in the order of tiles. `what` of flip: "tile X Y, row
// R, column C: look-up table|cell|routing".
size_t ice40_used(const struct ice40_map *map, const struct ice40_bits *bits);
void ice40_flip(const struct ice40_map *map, struct ice40_bits *bits, size_t which, char *what,
                size_t size);

// A chip just configured, with the ports of a .pcf, and `count` others, up to 63: lane 0 is of
// `bits`, lane i + 1 of wrong[i], which is `bits` with bits flipped that matter. Bits and map may
// go afterwards.
struct ice40 *ice40_new(const struct ice40_map *map, const struct ice40_bits *bits, const char *pcf,
                        struct ice40_bits *const *wrong, unsigned count);
void ice40_free(struct ice40 *chip);

// The number of a port of the .pcf, for the two below; -1: there is none. All lanes have the same
// inputs; of an output, a bit a lane.
int ice40_port(const struct ice40 *chip, const char *name);
void ice40_set(struct ice40 *chip, int port, bool level);
uint64_t ice40_get(const struct ice40 *chip, int port);

// Half a period of the clock, in which it has that level: inputs as set, then what rises, the clock
// or an input that is one, outputs as they are after it. Returns false when the logic of lane 0
// oscillates. Lanes whose logic did in this half are `restless`; they go on as lane 0 does, as
// those that leave.
bool ice40_half(struct ice40 *chip, bool clock);
uint64_t ice40_restless(const struct ice40 *chip);
void ice40_leave(struct ice40 *chip, unsigned lane);

// Lanes in which any wire was ever another than in lane 0.
uint64_t ice40_strayed(const struct ice40 *chip);

#endif
