// SPDX-License-Identifier: Apache-2.0
// The destination table for broken cables (registers PINS): what rtl/local/ofr_pins.v computes.
//
// One entry per destination overrides class and route of what this node sends there:
// FREE         as sent
// MINIMAL      class DEROUTE becomes MINIMAL
// ESCAPE       class INORDER: dimension order on the escape VCs only
// IDN          class INORDER on leg 0 to node q, from there on leg 1; as ESCAPE where q is this
// node UNREACHABLE  directed over a port that does not exist, for the router to discard and count
// Directed packets are left alone. There are two banks: headers are looked up in one, entries are
// written to the other, the shadow bank, which is made a copy of the first, an entry every other
// cycle, when it becomes that.
#ifndef OFR_PINS_H
#define OFR_PINS_H

#include <stdbool.h>
#include <stdint.h>

enum { OFR_PINS_ENTRIES = 4096 }; // by header word, x in the low bits; n = 2: the first 256

struct ofr_pins {
    uint8_t n;
    bool enable, clearing;
    bool bank;         // which one is looked up in
    bool on, active;   // in the cycle in which `read` and `entry` were read: on
    bool was_clearing; // in the cycle of the last step: what a write in that cycle meets
    bool copy, got;    // clearing: makes a copy; whose next entry is in `kept`
    uint16_t addr, clear_addr, kept;
    uint16_t table[2][OFR_PINS_ENTRIES]; // as written to DATA
    uint16_t read;                       // the memory's output
    uint16_t entry; // the register behind it: of the header at the port, if there is one
};

void ofr_pins_init(struct ofr_pins *pins, unsigned n);

// One cycle. route: header word ROUTE of the packet that may be at the port in two cycles.
void ofr_pins_step(struct ofr_pins *pins, unsigned route);

// The header flit as it enters the router; me: this node as a header word. *pinned: its class or
// route has changed, and it is not discarded.
uint64_t ofr_pins_apply(const struct ofr_pins *pins, uint64_t flit, unsigned me, bool *pinned);

// Registers, by byte offset in the node; others read 0. A write returns false when refused (bus
// error): DATA with a mode that does not exist; DATA, or on, while the shadow bank is being
// cleared.
uint32_t ofr_pins_read(const struct ofr_pins *pins, unsigned offset);
bool ofr_pins_write(struct ofr_pins *pins, unsigned offset, uint32_t value);

// A step would change nothing until a register is written (but the memory's output).
bool ofr_pins_idle(const struct ofr_pins *pins);

#endif
