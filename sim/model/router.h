// SPDX-License-Identifier: Apache-2.0
// The cycle-exact golden router: what rtl/router/ofr_router.v computes, bit for bit.
//
// Read router.c from the bottom: ofr_router_step() is one clock edge and follows a packet through
// the pipeline in rtl/router/README.md: arrive (pins to register), stage A (route and select one
// candidate per input), stage B (arbitrate the outputs), transfer (crossbar to output register).
#ifndef OFR_ROUTER_H
#define OFR_ROUTER_H

#include <stddef.h>

#include "decide.h"

enum {
    OFR_DIMS = 3,                  // largest n of the router
    OFR_LINKS = 2 * OFR_DIMS,      // link ports x+ x- y+ y- z+ z-
    OFR_LOCAL = OFR_LINKS,         // index of the local port in the arrays below, for n = 2 too
    OFR_ALL_PORTS = OFR_LINKS + 1, //
    OFR_VCS = 3, // adaptive, VS1, VS2; at the local port: deroute, user, management
    OFR_MAX_SLOTS = 8,
    OFR_COUNTS = 129, // counters, in the order of rtl/regs/outflank.json
};

// Build parameters of one router and of its local port.
enum {
    OFR_WITHOUT_GEN = 1,
    OFR_WITHOUT_CHECK = 2,
    OFR_WITHOUT_PINS = 4,
    OFR_WITHOUT_COUNT = 8, // all counters but the small build's
    OFR_WITHOUT_TIME = 16, // one for all boards, over reliable links
    OFR_WITHOUT_UNIT = 32, // the OFR unit: what it would decide is minimal, a cycle later
};
struct ofr_shape {
    uint8_t n;           // dimensions, 2 or 3
    uint8_t flit_bits;   // W: 16, 32 or 64
    uint8_t slots;       // C: slots per VC, 2 to 8
    uint8_t unit_mul;    // OFR unit with multipliers: 1, without: 0
    uint8_t without;     // what the node does not have: OFR_WITHOUT_* ored
    uint16_t slot_flits; // L: flits per slot, a power of two, 4 to 1024, L W / 8 >= 32 bytes
    uint8_t links;     // of a node: 0 plain links, else reliable ones, log2 of their tick's cycles
    uint8_t link_bits; // of these: bits that come over a cable a cycle
    uint8_t channels;  // of a node: ends of channels, 0 to 16; with them
    uint8_t room;      // packets that an end receives ahead of its consumer, 2, 4 or 8
    uint8_t datagrams; // of a node: 0 none, else likewise packets of these
    uint8_t collectives; // of a node: 0 none, else most children in a group, less than channels
};

// What the registers of blocks NODE and OFR hold, as the router sees it. May change between cycles.
struct ofr_config {
    bool configured;
    struct ofr_torus torus;
    struct ofr_coord me;
    enum ofr_tie tie;
    uint8_t select; // OFR_SELECT_*
    uint8_t escape; // OFR_NODE_ROUTING_ESCAPE_*: minimal and deroute, from the local port into an
                    // escape VC
    uint8_t threshold;      // slots, less than C
    uint8_t watchdog_time;  // 2^time cycles, 0: off
    uint8_t ring_wait_time; // 2^time cycles
    const struct ofr_table *table;
    bool epoch; // low bit of the table's generation; the local port's, not the router's
};

struct ofr_flit {
    uint64_t data;
    bool valid, last, poison;
    uint8_t vc;
};

// Input pins of one cycle. Entries of absent ports are ignored.
struct ofr_router_in {
    struct ofr_flit rx[OFR_LINKS];
    bool rx_abort[OFR_LINKS];
    bool tx_ready[OFR_LINKS];
    uint8_t tx_credit[OFR_LINKS][OFR_VCS]; // cumulative, modulo 16
    uint8_t tx_base[OFR_LINKS][OFR_VCS];   // what the neighbour has received, modulo 16
    bool tx_rebase[OFR_LINKS];             // the count of packets sent becomes tx_base
    bool link_up[OFR_LINKS];
    struct ofr_flit li; // into the local port; taken where valid and li_ready[vc]
    bool lo_ready;
};

// Output pins: functions of the state alone, valid between two steps.
struct ofr_router_out {
    struct ofr_flit tx[OFR_LINKS];
    uint8_t rx_credit[OFR_LINKS][OFR_VCS];
    uint8_t rx_received[OFR_LINKS][OFR_VCS]; // packets received, modulo 16
    bool li_ready[OFR_VCS];
    struct ofr_flit lo;
    bool drained;          // no packet here and all credits home
    bool watchdog;         // latched
    uint32_t time;         // cycles since reset
    uint16_t dropped_head; // header word 0 of the last packet discarded
    uint8_t dropped_port;  // ... and the port it came from, 2n: the local one
    bool dropped;          // ... if there was any
    uint8_t malformed;     // packets too long, too short or on no VC, to 255
    uint8_t malformed_now; // ... found in this cycle, counted in the next; no pin
};

struct ofr_router;

// Bytes of a router of this shape; ofr_router_init() makes one there (aligned as for malloc).
// ofr_router_init returns NULL where the shape is out of range.
size_t ofr_router_size(const struct ofr_shape *shape);
struct ofr_router *ofr_router_init(void *memory, const struct ofr_shape *shape);

// One clock cycle: reads the input pins and the configuration, and advances all state.
void ofr_router_step(struct ofr_router *router, const struct ofr_router_in *in,
                     const struct ofr_config *config);

const struct ofr_router_out *ofr_router_out(const struct ofr_router *router);

// Live counters, index as in rtl/regs/outflank.json.
const uint64_t *ofr_router_counters(const struct ofr_router *router);

// Register side effects: seed the LFSR (0 is taken as 1), clear the watchdog latch.
void ofr_router_seed(struct ofr_router *router, uint32_t seed);
void ofr_router_clear_watchdog(struct ofr_router *router);

// Slots in use downstream of output port p, VC v, in flight included (for tests and the bench).
unsigned ofr_router_used(const struct ofr_router *router, unsigned port, unsigned vc);

#endif
