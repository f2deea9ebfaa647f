// SPDX-License-Identifier: Apache-2.0
// A node's datagrams: the block, and the registers through which software is its user (ATTACH):
// what rtl/datagram/ofr_datagrams.v computes, every pin every cycle.
#ifndef OFR_DATAGRAMS_H
#define OFR_DATAGRAMS_H

#include "datagram.h"

struct ofr_datagrams {
    struct ofr_datagram block;
    bool attached; // ATTACH
    // Inside a datagram, of which the user has given or taken a part
    bool giving, taking;
    // Software's beat: its last one waits to be taken, or the next one is being written
    bool waits;
    struct ofr_datagram_beat beat;
    uint32_t high;
    bool take; // in the next step what m shows is taken
    // In whose step a register was accessed: what the write behind it goes by, as the cycle began
    bool accessed;
    bool timed; // there was such an access: software's take cycles
    struct ofr_datagrams_seen {
        bool inside, ready, mid, comes;
    } seen;
    const struct ofr_config *config; // of the last step
};

// Input pins of one cycle; others as in struct ofr_datagram_in.
struct ofr_datagrams_in {
    const struct ofr_datagram_pins *pins; // NULL: nothing is offered or taken
    bool tx_ready, tx_unreachable;
    struct ofr_flit rx;
    bool access; // a register of the node is accessed in this cycle, in one of three at most
    const struct ofr_config *config; // stays valid up to the next step
};

// The state after a reset; false where the shape is out of range.
bool ofr_datagrams_init(struct ofr_datagrams *d, const struct ofr_datagram_shape *shape);

// Output pins, functions of the state alone, toward the user's logic: as in datagram.h.
bool ofr_datagrams_ready(const struct ofr_datagrams *d);
struct ofr_datagram_beat ofr_datagrams_m(const struct ofr_datagrams *d);
// Toward the local port.
struct ofr_flit ofr_datagrams_tx(const struct ofr_datagrams *d);

// One clock cycle.
void ofr_datagrams_step(struct ofr_datagrams *d, const struct ofr_datagrams_in *in);

// Registers of block DATAGRAM by byte offset in the node: a read before the step of its cycle, a
// write behind it. Behind a step without in->access any number of them: what a write began is
// finished before the next one, as far as others need not act. False: a bus error, nothing was
// written.
uint32_t ofr_datagrams_read(struct ofr_datagrams *d, unsigned offset);
bool ofr_datagrams_write(struct ofr_datagrams *d, unsigned offset, uint32_t value);

// In place of a write that is known to be refused.
void ofr_datagrams_refused(struct ofr_datagrams *d);

// A step would change nothing until a beat is offered, taken or comes, or a register is written.
bool ofr_datagrams_idle(const struct ofr_datagrams *d);

#endif
