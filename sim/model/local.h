// SPDX-License-Identifier: Apache-2.0
// What sits at the local port: network interface, traffic generator and checker, and the mux
// between them: what rtl/local/ofr_local.v computes, every output pin every cycle.
#ifndef OFR_LOCAL_PORT_H
#define OFR_LOCAL_PORT_H

#include "check.h"
#include "gen.h"
#include "ni.h"

struct ofr_local {
    struct ofr_ni ni;
    struct ofr_gen gen;
    struct ofr_check check;
    bool busy, ni_turn;    // inside a packet; of the network interface
    bool receiving, to_ni; // the same for what is delivered
};

// Input pins of one cycle: the router's outputs of this cycle, and what the registers hold.
struct ofr_local_in {
    bool li_ready[3]; // per local VC
    struct ofr_flit lo;
    uint32_t time; // NODE.TIME
    const struct ofr_config *config;
};

// n: 2 or 3; flit_bits: 16, 32, 64; slot_flits: 4 to 1024 and at least 32 bytes. Else false.
bool ofr_local_init(struct ofr_local *local, unsigned n, unsigned flit_bits, unsigned slot_flits);

// The flit at the local port's input: a function of the state alone. lo_ready is always 1.
struct ofr_flit ofr_local_out(const struct ofr_local *local);

// One clock cycle.
void ofr_local_step(struct ofr_local *local, const struct ofr_local_in *in);

// Register accesses of blocks NI, GEN and CHECK by byte offset in the node: a read before the step
// of its cycle, a write after. Other offsets read 0. A write returns false when refused (bus
// error).
uint32_t ofr_local_read(struct ofr_local *local, unsigned offset);
bool ofr_local_write(struct ofr_local *local, unsigned offset, uint32_t value,
                     const struct ofr_config *config);

// A step would change nothing until a register is written or a flit is delivered.
bool ofr_local_idle(const struct ofr_local *local);

#endif
