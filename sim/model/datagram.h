// SPDX-License-Identifier: Apache-2.0
// Datagrams: what rtl/datagram/ofr_datagram.v computes, every pin every cycle. Format and
// guarantees: rtl/datagram/README.md.
//
// A node has one AXI4-Stream port pair. What a user's logic gives up to TLAST is a packet to a node
// of its choice, in a class of its choice; what has come whole and found room goes to the consumer.
#ifndef OFR_DATAGRAM_H
#define OFR_DATAGRAM_H

#include "router.h"

enum {
    OFR_DATAGRAM_FLITS = 256, // largest L
    OFR_DATAGRAM_ROOM = 8,    // most packets that are received ahead of the consumer
};

struct ofr_datagram_shape {
    uint8_t n;           // dimensions, 2 or 3
    uint8_t flit_bits;   // W: 16, 32 or 64
    uint16_t slot_flits; // L: largest packet, a power of two, L W / 8 from 32 bytes, 8 to 256
    uint8_t room;        // packets, a power of two, 2 to 8
};

// A beat of the AXI4-Stream.
struct ofr_datagram_beat {
    uint64_t data;
    uint8_t keep; // a bit a byte; sending: counts in the last beat, the lowest without a gap
    bool valid, last;
    uint8_t cls;     // sending: OFR_PKT_CLASS_*, in the first beat
    uint16_t dest;   // sending: node, 12 bits, and end, in the first beat; receiving: the end
    uint16_t source; // receiving: the node
};

// Of one that is kept.
struct ofr_datagram_kept {
    uint16_t source, word; // word: header word SEQ
};

struct ofr_datagram {
    struct ofr_datagram_shape shape;
    // Gathering
    bool held;      // a whole one waits for the one before to leave
    bool inside;    // a beat of the one under way has come
    uint8_t half;   // of `out`, in which it is
    uint16_t count; // its flits, to as many as a packet has room for
    uint8_t why;    // it cannot be sent: OFR_DATAGRAM_REASON_*
    uint8_t cls;
    uint16_t dest, length; // length: of what is held, bytes
    uint64_t out[2][OFR_DATAGRAM_FLITS];
    // Sending
    bool busy;          // a packet is on its way to the port
    uint16_t step, end; // its flits that got there; those it has but for what makes it four
    uint16_t to, word;  // header words DEST and SEQ
    bool nowhere;       // there is no way to its node
    struct ofr_flit tx; // at the port
    // Receiving
    uint16_t index;        // of the flit that comes, to L
    bool drop;             // the packet found no room
    uint16_t source, head; // of the last packet; head: header word SEQ
    uint8_t kind;
    bool ended, poison;        // a packet's last flit came a cycle ago
    uint16_t tail;             // ... its index
    uint8_t used, write, read; // packets that are kept
    struct ofr_datagram_kept kept[OFR_DATAGRAM_ROOM];
    uint64_t in[OFR_DATAGRAM_ROOM][OFR_DATAGRAM_FLITS];
    uint16_t at;                         // next flit for the consumer
    struct ofr_datagram_beat got, shown; // out of the RAM; at the port
    // Registers
    uint32_t sent, received, no_room, spoiled, illegal;
    uint8_t reason;
};

// The user's logic in one cycle.
struct ofr_datagram_pins {
    struct ofr_datagram_beat s;
    bool m_ready;
};

// Input pins of one cycle.
struct ofr_datagram_in {
    struct ofr_datagram_beat s;
    bool m_ready;
    bool tx_ready;
    bool tx_unreachable; // there is no way to the node of the packet at the port
    struct ofr_flit rx;  // what is delivered to this node, not management
    const struct ofr_config *config;
};

// The state after a reset; false where the shape is out of range.
bool ofr_datagram_init(struct ofr_datagram *dg, const struct ofr_datagram_shape *shape);

// Output pins, functions of the state alone: s_axis_tready; m_axis; the local port's flit.
bool ofr_datagram_ready(const struct ofr_datagram *dg);
struct ofr_datagram_beat ofr_datagram_m(const struct ofr_datagram *dg);
struct ofr_flit ofr_datagram_tx(const struct ofr_datagram *dg);

// One clock cycle.
void ofr_datagram_step(struct ofr_datagram *dg, const struct ofr_datagram_in *in);

// A step would change nothing until a beat is offered, taken or comes.
bool ofr_datagram_idle(const struct ofr_datagram *dg);

// Registers by byte offset in the node, as in the cycle of the next step; others read 0.
uint32_t ofr_datagram_read(const struct ofr_datagram *dg, unsigned offset);

#endif
