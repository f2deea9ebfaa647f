// SPDX-License-Identifier: Apache-2.0
// The cycle-exact golden link: one end of a reliable link, between a router's port and a physical
// layer; what rtl/link/ofr_link.v computes, bit for bit. Frames and hand-shake: rtl/link/README.md.
//
// Read link.c from the bottom: ofr_link_step() is one clock edge of sender (packer, framer),
// receiver (frames, order, way to the router) and training.
#ifndef OFR_LINK_H
#define OFR_LINK_H

#include "router.h"

// As rtl/link/ofr_link.vh
enum {
    OFR_LINK_SYNC = 0x039f,
    OFR_LINK_CRC_INIT = 0xffff,
    OFR_LINK_RUN = 20,
    OFR_LINK_LOCK = 19,
    OFR_LINK_VERSION = 2,
    OFR_LINK_FRAME_FLITS = 16, // at most
    OFR_LINK_WINDOW = 8,       // frames in the retry buffer
    OFR_LINK_EARLY = 6,        // ... of which so many may be sent before they are full
};
enum ofr_link_state { OFR_LINK_DOWN, OFR_LINK_TRAIN, OFR_LINK_READY, OFR_LINK_UP, OFR_LINK_FAILED };
enum ofr_link_why {
    OFR_LINK_WHY_RESET,
    OFR_LINK_WHY_DISABLED,
    OFR_LINK_WHY_PHY,
    OFR_LINK_WHY_SILENT,
    OFR_LINK_WHY_PEER,
    OFR_LINK_WHY_STUCK,
    OFR_LINK_WHY_VERSION,
    OFR_LINK_WHY_W,
    OFR_LINK_WHY_L,
    OFR_LINK_WHY_C,
    OFR_LINK_WHY_N,
    OFR_LINK_WHY_REFUSED
};
enum {
    OFR_LINK_ITEM_SHAPE = 0,
    OFR_LINK_ITEM_SERIAL = 1, // to 4
    OFR_LINK_ITEM_RECEIVED = 5,
    OFR_LINK_ITEM_FREED = 6,
    // Of an end that is up
    OFR_LINK_SAYS_TIME = 3, // quarters of cycles, 16 bits, as the word in front of this one went
    OFR_LINK_SAYS_LAG = 4,  // when the last TIME came, less what it said
    OFR_LINK_SAYS_HIGH = 5, // NODE.TIME, bits 29 to 14
    OFR_LINK_SAYS_RANK = 6, // who measures time, and how far it is to there
    OFR_LINK_SAYS_TOP = 7,  // NODE.TIME, bits 31 and 30
    OFR_LINK_LAG_UNKNOWN = 0x8000,
};

// Parameters of a build, as of ofr_link.v.
struct ofr_link_shape {
    uint8_t n, flit_bits, slots;
    uint16_t slot_flits;
    bool shared;       // one memory: a word goes and comes every other cycle
    bool serial;       // serial numbers are exchanged
    bool time;         // frames say NODE.TIME
    uint8_t tick;      // log2 of cycles, 8 to 20
    uint8_t crc_check; // bits of the CRC that are looked at, 16; less only for tests
    bool slow;         // one of several with one logic: a word that is read as it is written is new
    bool straight; // out.phy_tx_word is the word that the physical layer has just taken, not the
                   // next one
};

// Input pins of one cycle. Credits and counts as in struct ofr_router_out.
struct ofr_link_in {
    bool enable;
    uint64_t serial;
    uint64_t now;       // NODE.TIME, in quarters of cycles, 34 bits
    uint16_t rank;      // what it says of who measures time
    struct ofr_flit tx; // from the router; taken where valid and out.tx_ready
    uint8_t rx_credit[OFR_VCS], rx_received[OFR_VCS];
    bool phy_up;
    bool phy_tx_ready; // the word is taken; shared: in cycles with out.phase
    bool phy_rx_valid; // shared: never in two cycles in a row
    uint64_t phy_rx_word;
    bool phy_rx_late; // with valid: it came a cycle before; not shared
};

// Output pins: functions of the state alone, valid between two steps.
struct ofr_link_out {
    bool link_up;
    bool tx_ready;
    uint8_t tx_credit[OFR_VCS]; // and base, while tx_rebase
    bool tx_rebase;
    struct ofr_flit rx;
    bool rx_abort;
    uint64_t phy_tx_word;
    bool phase;
    enum ofr_link_state state;
    enum ofr_link_why why;
    uint64_t peer;
    uint16_t lag;      // when the other end's TIME came, less what it said
    bool says;         // the other end says, in this cycle,
    uint8_t says_what; // OFR_LINK_SAYS_*,
    uint16_t says_data;
};

// Events since init: frames with flits sent, goings back, damaged frames, ups, falls.
struct ofr_link_counts {
    uint64_t frames, retries, bad, ups, downs;
};

// One end. Its fields are link.c's own; they are here so that it can be allocated.
struct ofr_link {
    struct ofr_link_shape shape;
    struct ofr_link_out out;
    struct ofr_link_counts counts;
    uint32_t time;
    bool odd; // an odd number of ticks
    struct ofr_link_packer {
        unsigned flits; // in the open frame
        bool head, tail, poison, join;
        bool open, drop;
        uint8_t vc;
    } packer;
    struct ofr_link_window {
        uint8_t close, send, ack; // modulo 16
        bool full, back, late, may_send, idle;
    } window;
    struct ofr_link_framer {
        unsigned at, left, place, run;
        bool hello, data, nak;
        bool due, late, tell; // an end that is up is to say an item; flits wait; this frame does
        unsigned credit, item;
        uint16_t crc;
        uint16_t went; // straight: when the last word did
    } framer;
    struct ofr_link_receiver {
        unsigned at, left;
        bool in, good, wants;
        uint64_t word;
        uint16_t crc, low, high;
        uint8_t write, keep, read; // in the ring of 64 words
        uint8_t expects;
        unsigned flits, kind, vc, next_vc;
        bool open;
        bool ahead;             // the header was read, and its frame is not kept yet
        uint16_t came, lag;     // the word in front of the one that says TIME
        bool older, came_older; // it waited for a cycle: the word in `word`, that of `came`
    } rx;
    struct ofr_link_training {
        enum ofr_link_state state;
        unsigned timer, stuck, want;
        bool up_before; // link_up
        bool rebase;
        bool hello; // the last good frame was one: the other end is not up yet
    } train;
    uint64_t retry[256], ring[64]; // memories, and the words at their outputs
    uint64_t retry_data, ring_data;
};

// An end after reset. The shape must be one that ofr_link.v takes.
void ofr_link_init(struct ofr_link *link, const struct ofr_link_shape *shape);
// One clock cycle.
void ofr_link_step(struct ofr_link *link, const struct ofr_link_in *in);
// No flit is in it, neither to be sent nor to be acknowledged nor on its way to the router.
bool ofr_link_idle(const struct ofr_link *link);
// With the next step a tick ends.
bool ofr_link_tick(const struct ofr_link *link);
// Its receiver is not within a frame.
bool ofr_link_between(const struct ofr_link *link);

// The frame's first half-word from its 11 bits of information, check bits on top.
uint16_t ofr_link_half_word(unsigned info);
// Whether such a half-word is one that a receiver takes.
bool ofr_link_legal(uint16_t half_word);
// The CRC over one more word of `bits` bits, high bit first.
uint16_t ofr_link_crc(uint16_t crc, uint64_t word, unsigned bits);

#endif
