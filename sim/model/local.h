// SPDX-License-Identifier: Apache-2.0
// What sits at the local port: network interface, traffic generator, channels, with collectives
// over them, datagrams, checker, destination table, and the mux between them: what
// rtl/local/ofr_local.v computes, every output pin every cycle.
#ifndef OFR_LOCAL_PORT_H
#define OFR_LOCAL_PORT_H

#include "channels.h"
#include "check.h"
#include "collectives.h"
#include "datagrams.h"
#include "gen.h"
#include "ni.h"
#include "pins.h"

// Users of the local port, in the order of their turns.
enum { OFR_LOCAL_GENERATOR, OFR_LOCAL_CHANNEL, OFR_LOCAL_DATAGRAM, OFR_LOCAL_USERS };

struct ofr_local {
    struct ofr_ni ni;
    struct ofr_gen gen;
    struct ofr_check check;
    uint8_t without; // OFR_WITHOUT_*
    struct ofr_pins pins;
    struct ofr_channels *channels;   // NULL: none
    struct ofr_datagrams *datagrams; // likewise
    struct ofr_collectives *collectives;
    bool user_busy;        // inside a packet of a user's
    uint8_t user_turn;     // whose that, or the last one, is: OFR_LOCAL_*
    struct ofr_flit next;  // their flits: behind the port, and
    struct ofr_flit user;  // at it; a header is looked up in either, and before
    bool busy, second;     // inside a packet; at its second flit
    bool ni_known;         // the network interface's header was looked up a cycle ago
    bool ni_turn;          // of the network interface
    uint8_t vc;            // local VC of the packet under way
    uint64_t pinned;       // counter PINNED
    bool receiving, to_ni; // the same for what is delivered
};

// Input pins of one cycle: the router's outputs of this cycle, and what the registers hold.
struct ofr_local_in {
    bool li_ready[3]; // per local VC
    struct ofr_flit lo;
    uint32_t time; // NODE.TIME
    const struct ofr_config *config;
    bool access;                                   // as in struct ofr_channels_in
    const struct ofr_channels_pins *pins;          // likewise
    const struct ofr_datagram_pins *datagram;      // NULL: nothing is offered or taken
    const struct ofr_collectives_pins *collective; // likewise
};

// Memory for the parts of a shape that has them.
struct ofr_local_parts {
    struct ofr_channels *channels;
    struct ofr_datagrams *datagrams;
    struct ofr_collectives *collectives;
};

// Of a shape: n, flit_bits, slot_flits, without, channels, room, datagrams and collectives;
// slot_flits need not be a power of two where there are neither channels nor datagrams. parts may
// be NULL where there are none of them. False where something is out of range.
bool ofr_local_init(struct ofr_local *local, const struct ofr_shape *shape,
                    const struct ofr_local_parts *parts);

// The flit at the local port's input, with its local VC: EPOCH is stamped, and a header is as the
// destination table wants it. lo_ready is always 1.
struct ofr_flit ofr_local_out(const struct ofr_local *local, const struct ofr_config *config);

// One clock cycle.
void ofr_local_step(struct ofr_local *local, const struct ofr_local_in *in);

// Register accesses of blocks NI, GEN, CHECK, PINS, CHANNEL, DATAGRAM and COLLECTIVE by byte offset
// in the node: a read before the step of its cycle, a write after. Other offsets read 0, and those
// of a part that is not there. A write returns false when refused (bus error): as the parts say,
// and to a part that is not there.
uint32_t ofr_local_read(struct ofr_local *local, unsigned offset);
bool ofr_local_write(struct ofr_local *local, unsigned offset, uint32_t value,
                     const struct ofr_config *config);

// A step would change nothing until a register is written or a flit is delivered.
bool ofr_local_idle(const struct ofr_local *local);

#endif
