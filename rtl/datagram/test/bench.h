// SPDX-License-Identifier: Apache-2.0
// What the parts of the bench of ofr_datagram share: nodes, the packets between them, and the
// ledger, which knows every datagram and says what must become of it without asking the model.
// Build with -DN= -DW= -DL= -DROOM=.
#ifndef DATAGRAM_BENCH_H
#define DATAGRAM_BENCH_H

#include "datagram.h"
#include "datagram_shim.h"
#include "packet.h"
#include "rng.h"

#ifndef N // for tools that read the files alone
#define N    2
#define W    32
#define L    32
#define ROOM 4
#endif

enum {
    NODES = 3,
    BYTES = W / 8,
    HEAD = 64 / W,             // flits of the header
    MOST = (L - HEAD) * BYTES, // bytes of the largest datagram
    BEATS = 2 * L + 2,         // of the largest one that is tried
    QUEUE = 64,                // packets on their way to a node; datagrams that wait
};

#define FLIT_MASK (~(uint64_t)0 >> (64 - W))

struct packet {
    uint64_t flit[L + 8];
    unsigned flits;
    bool poison;
    uint64_t at; // cycle from which it can arrive
};

// A datagram: of the user's logic, or as it has come.
struct datagram {
    uint64_t flit[BEATS];
    unsigned bytes;
    uint16_t node, end; // the other one's node
    uint8_t cls;
};

struct fifo {
    struct datagram item[QUEUE];
    unsigned first, count;
};

struct node {
    struct datagram_rtl *rtl;
    struct ofr_datagram model;
    struct ofr_config config;
    // The user's logic
    struct datagram given; // the one it gives
    unsigned beats, beat;  // of it; beats: 0, none
    struct ofr_datagram_beat s;
    unsigned rate, taking; // permille of cycles
    bool pause;            // no new datagram
    int exact;             // not negative: all have so many bytes, and go to node 1
    // Sending
    struct fifo out;    // whole, not yet sent
    struct packet sent; // being collected
    bool nowhere;       // the packet under way has no way
    struct ofr_flit tx; // of the last cycle, if it was not taken
    uint32_t sends, illegal;
    uint8_t reason;
    // Receiving
    struct packet from[QUEUE]; // on their way, in no order
    unsigned coming;
    int arriving; // one of them, -1: none
    unsigned flit;
    bool may_drop, must_drop;                 // it, by what waits for the consumer
    struct datagram came, due;                // whose tail has come; whose tail came a cycle before
    enum { NOT_OURS, GOOD, SPOILED } is, was; // what these are
    struct packet seen;                       // one that came, to be forged from
    struct fifo in;                           // kept, not yet taken by the consumer
    unsigned got;                             // beats taken of the first of them
    struct ofr_datagram_beat m;               // of the last cycle, if it was not taken
    uint32_t takes, received, no_room, spoiled;
};

struct coverage {
    uint64_t sent, received, taken, no_room, spoiled, reason[5], empty, one_byte, whole, too_long;
    uint64_t lost, poisoned, cut, forged, nobody, resets, stopped, waited, class_of[3], null_beats;
};

struct bench {
    struct rng rng;
    struct node node[NODES];
    uint64_t cycle;
    unsigned delay, gap, ready; // of the fabric: cycles, permille
    bool bad;                   // packets come to harm
    bool wire;                  // node 0 to 1 alone, flits after `delay` cycles
    struct ofr_flit line[64];
    uint64_t busy; // cycles in which node 0 has a flit for the wire
    bool failed, quiet;
    int fault;
    struct coverage cov;
};

static inline unsigned below(struct bench *b, unsigned n)
{
    return rng_below(&b->rng, n);
}

static inline bool chance(struct bench *b, unsigned permille)
{
    return rng_chance(&b->rng, permille);
}

// The run has failed, and why: what there is, what there should be. Only the first is printed.
void fail(struct bench *b, unsigned n, const char *what, uint64_t have, uint64_t want);
// The two are the same, or the run fails.
void same(struct bench *b, unsigned n, const char *what, uint64_t have, uint64_t want);

// ---- Ledger -------------------------------------------------------------------------------------

void next_beat(struct bench *b, struct node *x);  // of the user's logic
void beat_given(struct bench *b, struct node *x); // it was taken
// What is at the local port, whether it is taken, and whether there is no way to its node. True as
// a packet's last flit is, which is in x->sent; it is on its way, but where there is none.
bool flit_sent(struct bench *b, unsigned n, const struct ofr_flit *tx, bool ready,
               bool unreachable);
// What comes: the flit's index in its packet; at its last one, the packet.
void flit_comes(struct node *x, unsigned index, const struct packet *last);
// What is at the consumer's port, and whether it takes it.
void beat_taken(struct bench *b, unsigned n, const struct ofr_datagram_beat *m, bool ready);
// After the cycle: all counts are those of the ledger.
void counts(struct bench *b, unsigned n);

#endif
