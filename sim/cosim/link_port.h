// SPDX-License-Identifier: Apache-2.0
// A router's port as a link sees it, with random traffic: it sends on credits and re-bases them,
// takes packets into slots and gives the slots back. Two of them keep one ledger of every packet a
// direction: what arrives is checked against it.
#ifndef LINK_PORT_H
#define LINK_PORT_H

#include "fabric.h"
#include "link.h"

enum { PORT_QUEUE = 32 };

struct port_packet {
    uint64_t id, begun; // begun: cycle in which its header was first at the pins
    unsigned length;
    bool poison;
};

// Packets by their end: all that a port has sent is delivered, cut (its tail was poisoned here),
// lost (and counted by re-basing), or it was on its way when a board was reset.
struct port_totals {
    uint64_t sent, delivered, cut, lost, gone, flits, latency_sum, latency_max;
};

struct port {
    struct rng rng;
    struct ofr_link_shape shape;
    unsigned length_min, length_max; // flits
    unsigned start_permille;         // chance to begin a packet in a cycle
    unsigned gap_permille;           // chance of a cycle without a flit inside a packet
    unsigned hold;                   // cycles that a packet stays in its slot, at most
    bool stopped;                    // begins no packet
    // Sender
    uint8_t sent[OFR_VCS];
    struct port_packet out;
    unsigned out_left, out_vc;
    bool shown; // its next flit is at the pins
    unsigned down_for;
    bool was_reset, was_up; // was_reset: an end was, since the link rose
    bool trained;           // since its last reset
    uint8_t base[OFR_VCS];  // packets that the other end had received, at the last re-basing
    struct {
        struct port_packet packet[PORT_QUEUE];
        unsigned first, count;
    } ledger[OFR_VCS]; // sent, header not seen at the other end
    // Receiver
    uint8_t received[OFR_VCS], freed[OFR_VCS];
    unsigned waiting[OFR_VCS][16]; // cycles until slots are freed
    unsigned slots[OFR_VCS];       // in use
    struct port_packet in;
    unsigned in_at, in_vc, quiet;
    struct port_totals totals;
    char error[160];
};

void port_init(struct port *port, const struct ofr_link_shape *shape, uint64_t seed);
// Pins of this cycle to the link, from what the link has at its own; `peer`: the other end's port.
void port_step(struct port *port, struct port *peer, const struct ofr_link_out *link,
               struct ofr_link_in *in, uint64_t cycle, unsigned latency);
// The board of this port is reset.
void port_reset(struct port *port, struct port *peer);
bool port_idle(const struct port *port);

#endif
