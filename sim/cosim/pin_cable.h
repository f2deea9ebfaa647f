// SPDX-License-Identifier: Apache-2.0
// One direction of a cable, at its pins: up to 64 data wires and a clock, in time. Delay, skew of
// each wire, jitter of each edge, bit errors, bursts, and what else happens to cables; and the
// delays that an FPGA may have at its data pins. Everything follows from the seed. Times in
// femtoseconds.
#ifndef PIN_CABLE_H
#define PIN_CABLE_H

#include "noise.h"

enum { PIN_WIRES = 64, PIN_QUEUE = 256 };
#define PIN_BIT   UINT64_C(10000000) // nominal time of a bit
#define PIN_NEVER UINT64_MAX

enum pin_fault { PIN_GOOD, PIN_DEAD, PIN_STUCK, PIN_NOISE };

struct pin_edge {
    uint64_t at;
    bool level;
};

struct pin_line { // edges under way, in order
    struct pin_edge edge[PIN_QUEUE];
    unsigned first, count;
    uint64_t last; // arrival of the last one
    int64_t skew;
    unsigned taps; // steps of the delay at the far end
    bool level;    // at the far end
};

struct pin_cable {
    struct rng rng;
    unsigned wires;
    uint64_t delay;
    uint64_t jitter;      // an edge is so much early or late, at most
    uint64_t tap;         // a step of the delays at the far end's data pins
    struct noise noise;   // a step a bit time
    enum pin_fault fault; // PIN_DEAD: neither clock nor data
    unsigned stuck_wire;
    bool stuck_at;
    bool out; // pulled: as dead; put back, its contacts bounce
    // State
    bool was_out;
    uint64_t bits, errors;
    struct pin_line clock, data[PIN_WIRES];
};

void pin_init(struct pin_cable *cable, uint64_t seed, unsigned wires);
void pin_error_rate(struct pin_cable *cable, double rate);
// The sender's pins at `now`: a bit a wire; an edge of its clock.
void pin_drive(struct pin_cable *cable, uint64_t now, uint64_t bits);
void pin_clock(struct pin_cable *cable, uint64_t now, bool level);
// When the next edge of the clock arrives, PIN_NEVER if none is under way.
uint64_t pin_next(const struct pin_cable *cable);
// It arrives: the clock's level, and the data at the pins just then.
bool pin_take(struct pin_cable *cable, uint64_t *bits);

#endif
