// SPDX-License-Identifier: Apache-2.0
// Channels, the stream service: what rtl/channel/ofr_channel.v computes, every pin every cycle.
// Format, states and guarantees: rtl/channel/README.md.
//
// A node has up to 16 ends, each an AXI4-Stream port pair. An end is joined with one peer's. DATA
// packets carry a message in pieces and are sent only where the peer has reserved room for them;
// the other types open, ask, close.
#ifndef OFR_CHANNEL_BLOCK_H
#define OFR_CHANNEL_BLOCK_H

#include "router.h"

enum {
    OFR_CHANNEL_ENDS = 16,   // most a node can have
    OFR_CHANNEL_FLITS = 256, // largest L
    OFR_CHANNEL_ROOM = 8,    // most packets an end can receive ahead of its consumer
    OFR_CHANNEL_NAME = 5,    // beside the values of COMMAND: PEER is written
    OFR_CHANNEL_OUT = 4, // packets an end gathers: one is sent, others fill; short ones hide no gap
};

struct ofr_channel_shape {
    uint8_t n;           // dimensions, 2 or 3
    uint8_t flit_bits;   // W: 16, 32 or 64
    uint16_t slot_flits; // L: largest packet, a power of two, L W / 8 from 32 bytes, 8 to 256
    uint8_t ends;        // 1 to 16
    uint8_t room;        // packets, a power of two, 2 to 8
};

// Flits before a DATA packet's payload; flit_bits: W. rtl/channel/README.md.
static inline unsigned ofr_channel_head_flits(unsigned flit_bits)
{
    return flit_bits == 16 ? 6 : 3;
}

// A beat of an AXI4-Stream.
struct ofr_beat {
    uint64_t data;
    uint8_t keep; // a bit a byte
    bool valid, last;
    bool user; // receiving side: the stream is broken; keep = 0, last = 1, data is nothing
};

// An end's registers.
struct ofr_channel_end {
    uint8_t state, reason; // OFR_CHANNEL_STATE_*
    uint8_t age;           // ticks since the peer was heard, to 3
    bool told, named;      // named: PEER has been written
    bool asks;             // to send one of the packets below, as its row was last written
    uint16_t peer;         // node and end, as in PEER
    uint8_t conn;
    // Sending. Counts of DATA packets are modulo 256
    uint8_t packed, seq, limit; // gathered; sent; the first that has no room
    uint16_t fill;              // flits in the packet being gathered
    bool mid, skip;             // inside a message; its rest is thrown away
    bool want_reset, want_open, want_close, want_probe, want_state;
    uint8_t out_code[OFR_CHANNEL_OUT];
    // Bytes in this connection; 0 where not any
    bool any_sent, any_received, any_heard;
    uint32_t sent, received, heard;
    // Receiving
    uint8_t expect, freed; // received; read from the slots, for the consumer
    uint16_t at;           // flit that the consumer's port gets next
    bool mark;             // the broken beat is to come
    struct ofr_beat shown; // at the consumer's port
};

// Its memories.
struct ofr_channel_store {
    uint64_t out[OFR_CHANNEL_OUT][OFR_CHANNEL_FLITS];
    bool out_last[OFR_CHANNEL_OUT][OFR_CHANNEL_FLITS];
    uint64_t in[OFR_CHANNEL_ROOM][OFR_CHANNEL_FLITS];
    uint8_t in_code[OFR_CHANNEL_ROOM][OFR_CHANNEL_FLITS]; // 0, or of the packet's last flit: CODE
};

// A count of bytes that has been found and is not written yet.
struct ofr_channel_count {
    uint8_t age, end; // 2: since this cycle, 0: it is written
    uint32_t was;
};

// In the order of precedence.
enum ofr_channel_op {
    OFR_CHANNEL_EVENT,   // a packet came
    OFR_CHANNEL_WRITTEN, // a register was written
    OFR_CHANNEL_COUNTS,  // a DATA packet was sent
    OFR_CHANNEL_PICK,    // an end's turn to send
    OFR_CHANNEL_ANSWER,  // that of the answer to strangers
    OFR_CHANNEL_WALK,    // the ends are walked through, every other cycle
    OFR_CHANNEL_NOTHING,
};

struct ofr_channel {
    struct ofr_channel_shape shape;
    uint8_t head_flits; // of packet header and channel header
    struct ofr_channel_end end[OFR_CHANNEL_ENDS];
    struct ofr_channel_store store[OFR_CHANNEL_ENDS];
    uint8_t select, time;
    uint32_t count; // of cycles, 24 bits
    uint16_t dropped;
    uint8_t walk, left; // end that is looked at next; so many until all have seen the last tick
    // What is done in this cycle, and with whose row
    enum ofr_channel_op op;
    uint8_t op_end;
    bool access; // a register is accessed in this cycle
    struct ofr_channel_count gone_sent, come_received, come_heard;
    bool command;  // a write's command is not done yet
    uint8_t what;  // ... OFR_CHANNEL_COMMAND_*, OFR_CHANNEL_NAME, 0: nothing
    uint8_t grant; // whose beat can be taken in this cycle
    uint8_t cur;   // whose flit the receiving RAM shows:
    uint64_t mem_data;
    uint8_t mem_code;
    uint8_t next;  // who has it next,
    bool has_next; // ... if there is one
    // Sending: the packet under way, until its last flit is fetched
    uint8_t asked; // who is asked whether it wants to send; `ends`: the answer to strangers
    bool busy;
    uint8_t turn, type, code, send_seq, send_limit;
    uint16_t step, payload;  // flits sent of its headers, fetched of what is behind them
    uint32_t bytes;          // received, as a packet that is not DATA tells
    struct ofr_flit fetched; // before the pins
    struct ofr_flit out;     // at the pins
    bool sent;               // DATA that was sent is to be counted
    uint8_t sent_end, sent_code;
    uint16_t sent_flits;
    // An answer to a packet of no connection here
    bool reply;
    uint16_t reply_peer;
    uint8_t reply_conn, reply_from;
    // Receiving: the packet under way
    uint16_t index; // of the next flit, to L + 1
    uint16_t source, seq;
    uint8_t kind;
    uint32_t head, word; // channel header; first 32 bits behind it
    bool crowded;        // a flit of it had no room
    uint64_t first;      // the flit before
    uint16_t knows;      // the peer of the end that it is for, as it is read,
    uint16_t known;      // ... and a cycle later
    uint8_t knows_conn, known_conn;
    bool spoiled;    // a tail came a cycle ago, poisoned or of a length that cannot be
    bool due;        // a packet has come, and is dealt with in this cycle or the next
    uint16_t length; // ... flits behind the headers
};

// Input pins of one cycle.
struct ofr_channel_in {
    struct ofr_beat s[OFR_CHANNEL_ENDS]; // from the user's logic
    bool m_ready[OFR_CHANNEL_ENDS];
    bool tx_ready;      // the local port takes the flit
    struct ofr_flit rx; // delivered to this node, of any KIND; always taken
    bool early;         // a register is accessed in the next cycle, in one of three at most
    bool writes;        // one is written, refused or not
    const struct ofr_config *config; // me
};

// False where the shape is out of range.
bool ofr_channel_init(struct ofr_channel *ch, const struct ofr_channel_shape *shape);

// Output pins: functions of the state alone. ready: the end whose TREADY is 1, or -1: none.
int ofr_channel_ready(const struct ofr_channel *ch);
struct ofr_beat ofr_channel_m(const struct ofr_channel *ch, unsigned e);
struct ofr_flit ofr_channel_tx(const struct ofr_channel *ch);

// One clock cycle. reg_we: this register is written in it (offset, value; in->writes too), and the
// write was not refused.
void ofr_channel_step(struct ofr_channel *ch, const struct ofr_channel_in *in, bool reg_we,
                      unsigned offset, uint32_t value);

// The same in two parts, for who does not know of an access ahead: a register of the node is
// accessed in the cycle that begins; in the one whose step was done a register was written.
void ofr_channel_accessed(struct ofr_channel *ch);
void ofr_channel_written(struct ofr_channel *ch, bool reg_we, unsigned offset, uint32_t value);

// A beat of the end would be taken as its turn comes.
bool ofr_channel_room(const struct ofr_channel *ch, unsigned e);
// Steps would change nothing but the time until a beat is offered or taken, a packet comes, a
// register is written; no connection is open.
bool ofr_channel_idle(const struct ofr_channel *ch);

// Registers by byte offset in the node, in a cycle behind one with in->early; others read 0.
// refused: a write would be a bus error, or would have been when the end that is selected was as
// seen.
uint32_t ofr_channel_read(const struct ofr_channel *ch, unsigned offset);
bool ofr_channel_refused(const struct ofr_channel *ch, unsigned offset, uint32_t value,
                         const struct ofr_config *config);
struct ofr_channel_seen {
    uint8_t state;
    bool named, free;
};
struct ofr_channel_seen ofr_channel_see(const struct ofr_channel *ch);
bool ofr_channel_was_refused(const struct ofr_channel *ch, const struct ofr_channel_seen *seen,
                             unsigned offset, uint32_t value, const struct ofr_config *config);

#endif
