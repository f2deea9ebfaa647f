// SPDX-License-Identifier: Apache-2.0
// A torus of routers joined by cables, with random traffic and a checker that knows every packet.
// What drives the pins: cables with latency, gaps, a ready that falls and cut packets; local ports
// that inject random packets and push back. The routers themselves are the caller's.
#ifndef FABRIC_H
#define FABRIC_H

#include "rng.h"
#include "router.h"

#include <stdio.h>

struct fabric_options {
    struct ofr_shape shape;
    struct ofr_torus torus;
    uint64_t seed;
    unsigned load_permille;          // flits a cycle and node offered, of 1000
    unsigned ready_permille;         // chance that a link takes a flit
    unsigned gap_permille;           // chance that a cable holds its next flit back for a cycle
    unsigned sink_permille;          // chance that the local port's user takes a flit
    unsigned latency;                // longest cable, cycles; each is drawn from 1 to this
    unsigned abort_permille;         // chance that a packet is cut on a cable (per packet)
    unsigned class_weight[3];        // in-order, minimal, deroute
    unsigned mgmt_permille;          // chance that a packet is management by address
    unsigned pin_permille;           // chance that a pair's in-order packets go by an IDN
    unsigned length_min, length_max; // flits a packet
    unsigned pattern;                // OFR_GEN_CONTROL_PATTERN_*, one that exists on the torus
    uint32_t target;                 // of FIXED: the node that all others send to, itself to node 0
    unsigned message_packets;    // paper: M packets at once to one destination, the same time and
                                 // bit (butterfly) at all nodes; 0: single packets
    unsigned messages;           // a source ends after this many; 0: never
    unsigned only_bit;           // butterfly: always bit only_bit - 1; 0: the next at each message
    bool lossy;                  // links are cut, routers reset or not configured: packets get lost
    bool unchecked;              // not even the topology is true: what arrives is not checked
    unsigned malformed_permille; // lossy: chance that a packet is too long or too short, or that
                                 // one on no VC comes before it, on a cable or into a local port;
                                 // that a flit has a VC or poison where they do not count; that
                                 // an abort cuts nothing; unchecked: that a header is another one
    bool linked;                 // no cables: the routers' links are the caller's
    unsigned outstanding;        // packets a source may have on their way, generated and not yet
                                 // delivered; a power of two to 32768, 0: 1024
};

struct fabric;

// NULL when memory is short.
struct fabric *fabric_new(const struct fabric_options *options);
void fabric_free(struct fabric *fabric);

uint32_t fabric_nodes(const struct fabric *fabric);
// While it is held nothing is generated.
void fabric_hold(struct fabric *fabric, bool held);
// Forgets the packets whose injection has not begun, and offers no new ones.
void fabric_stop(struct fabric *fabric);

// Computes the input pins of all nodes for this cycle from all nodes' output pins, and takes note
// of what the local ports delivered. `out` and `in` have an element a node.
void fabric_cycle(struct fabric *fabric, const struct ofr_router_out *const out[],
                  struct ofr_router_in in[]);

// Lets up to `cycles` pass (whole sixteens) in which nothing is under way and no packet falls due.
// Returns how many passed.
uint64_t fabric_skip(struct fabric *fabric, uint64_t cycles);

// A node's router is in reset for so many cycles from the next fabric_cycle() on, 1 at least. All
// its links fall at both ends, and rise again once it has been out of reset for a while.
void fabric_reset(struct fabric *fabric, uint32_t node, unsigned cycles);
// A cable, both ways, is down for so many cycles from the next fabric_cycle() on; at least for as
// few as a link may be (rtl/README.md), more where it is long.
void fabric_cut(struct fabric *fabric, uint32_t node, unsigned port, unsigned cycles);

// Everything generated is delivered or was cut, and no cable carries anything.
bool fabric_drained(const struct fabric *fabric);
// First thing that went wrong with delivery (lost, twice, damaged, out of order, wrong place,
// overflow), or NULL.
const char *fabric_error(const struct fabric *fabric);
struct fabric_totals {
    uint64_t generated, injected, delivered, cut, flits_delivered;
    uint64_t held;        // not generated, since a source had too many packets outstanding
    uint64_t latency_sum; // generation to tail at the local port, cycles, delivered packets
    uint64_t age_sum;     // generation to now, cycles, packets not delivered yet
};
struct fabric_totals fabric_totals(const struct fabric *fabric);

// One more packet, a management one: directed over a port, or by address to a node. Returns false
// where the source has too many outstanding. fabric_ping_cycles(): cycles from here to its tail's
// delivery, 0 while it is under way. One at a time.
bool fabric_ping(struct fabric *fabric, uint32_t src, bool directed, uint32_t dst_or_port);
uint64_t fabric_ping_cycles(const struct fabric *fabric);

#endif
