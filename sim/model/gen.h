// SPDX-License-Identifier: Apache-2.0
// The traffic generator: what rtl/local/ofr_gen.v computes, cycle for cycle (paper, sec. 4).
//
// Message m is generated at START + floor(m PERIOD / 256) and has PACKETS packets to one
// destination. The source queue is unbounded: it is the difference of two counters.
#ifndef OFR_GEN_H
#define OFR_GEN_H

#include "router.h"

enum ofr_gen_draw { OFR_DRAW_DONE, OFR_DRAW_DIM, OFR_DRAW_FLY, OFR_DRAW_HALF, OFR_DRAW_WALK };

struct ofr_gen {
    // Build
    uint8_t n, flit_bits;
    uint16_t slot_flits;
    // Registers (block GEN)
    bool enable;
    uint8_t cls, pattern;
    uint32_t start, period, messages, seed;
    uint16_t flits, packets, target;
    // Run: armed but the packet before not out yet; armed; all sent
    bool pend, run, done;
    uint64_t next;  // when the next message is generated, cycles in 32.8 fixed point
    uint64_t stamp; // when the message now being sent was generated, 32.8
    uint32_t left;  // messages still to generate (if MESSAGES is not 0)
    uint32_t offered, sent;
    uint16_t packets_left; // of the message now being sent, this one included
    uint16_t seq;
    uint32_t lfsr;
    // Destination of the message now being sent, and the machine that works it out
    uint16_t dest;
    bool uniform; // the run's pattern is UNIFORM
    enum ofr_gen_draw draw;
    uint8_t dim;  // OFR_DRAW_DIM: the dimension at hand
    uint8_t p, q; // positions of coordinate bits, 0 to 4n - 1: x bits first
    bool up;      // OFR_DRAW_WALK: q goes up, else down
    // Output register
    struct ofr_flit out; // vc: not its business
    bool first;          // it holds flit 0
    uint8_t index;       // of the flit in it; stays at the first payload flit's
    uint16_t flits_left; // flits of this packet behind it
    uint64_t payload;
};

// n: 2 or 3; flit_bits: 16, 32, 64; slot_flits: largest packet, flits.
void ofr_gen_init(struct ofr_gen *gen, unsigned n, unsigned flit_bits, unsigned slot_flits);

// Fewest flits a packet may have: 4, and 32 bytes.
unsigned ofr_min_flits(unsigned flit_bits);

// One cycle. take: the flit in gen->out goes into the local port in this cycle. now: NODE.TIME.
// The torus and the place in `config` may change while ofr_gen_idle().
void ofr_gen_step(struct ofr_gen *gen, bool take, uint32_t now, const struct ofr_config *config);

// Registers, by byte offset in the node. Reads of other offsets are 0. A write returns false when
// refused (bus error): class DIRECTED, an unknown pattern, ENABLE without LENGTH, LENGTH outside
// ofr_min_flits() .. L or without packets.
uint32_t ofr_gen_read(const struct ofr_gen *gen, unsigned offset);
bool ofr_gen_write(struct ofr_gen *gen, unsigned offset, uint32_t value);

// A step would change nothing until a register is written.
bool ofr_gen_idle(const struct ofr_gen *gen);

#endif
