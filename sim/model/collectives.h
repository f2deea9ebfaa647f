// SPDX-License-Identifier: Apache-2.0
// A node's collectives: the block, its place in a group, and the registers through which software
// is its user (ATTACH): what rtl/collective/ofr_collectives.v computes, every pin every cycle.
#ifndef OFR_COLLECTIVES_H
#define OFR_COLLECTIVES_H

#include "collective.h"

struct ofr_collectives {
    struct ofr_collective block;
    bool parent, attached; // PLACE, ATTACH
    uint8_t children;
    uint16_t size[OFR_COLLECTIVE_CHILDREN];
    // Software's beat: its last one waits to be taken, or the next one is being written
    bool waits;
    struct ofr_beat beat;
    uint8_t user; // TX_OP
    uint32_t high;
    // Done in the next step: what m_axis shows is taken; commands
    bool take, leave, clear;
    uint8_t drop;
    bool was; // busy, a cycle ago
    uint16_t good, failed;
    // In whose step a register was accessed: what the write behind it goes by, as the cycle began
    bool accessed;
    bool timed; // there was such an access: software's take cycles
    struct ofr_collectives_seen {
        bool free, ready, comes;
    } seen;
};

// The user's logic in one cycle.
struct ofr_collectives_pins {
    struct ofr_beat s;
    uint8_t s_user;
    bool m_ready;
};

// Input pins of one cycle; from, to_ready: as in struct ofr_collective_in, of ends that the
// collectives have.
struct ofr_collectives_in {
    const struct ofr_collectives_pins *pins; // NULL: nothing is offered or taken
    struct ofr_beat from[OFR_COLLECTIVE_PAIRS];
    bool to_ready[OFR_COLLECTIVE_PAIRS];
    bool access; // a register of the node is accessed in this cycle, in one of three at most
};

// False where the shape is out of range.
bool ofr_collectives_init(struct ofr_collectives *c, const struct ofr_collective_shape *shape);

// Output pins of a cycle, m and s_ready toward the user's logic.
void ofr_collectives_out(const struct ofr_collectives *c, const struct ofr_collectives_in *in,
                         struct ofr_collective_out *out);

// One clock cycle.
void ofr_collectives_step(struct ofr_collectives *c, const struct ofr_collectives_in *in);

// Registers of block COLLECTIVE by byte offset in the node: a read before the step of its cycle, a
// write behind it. Behind a step without in->access any number of them: what a write began is
// finished before the next one, as far as others need not act. False: a bus error, nothing was
// written.
uint32_t ofr_collectives_read(struct ofr_collectives *c, unsigned offset);
bool ofr_collectives_write(struct ofr_collectives *c, unsigned offset, uint32_t value);

// In place of a write that is known to be refused.
void ofr_collectives_refused(struct ofr_collectives *c);

// A step would change nothing until a beat is offered, taken or comes, or a register is written.
bool ofr_collectives_idle(const struct ofr_collectives *c);

#endif
