// SPDX-License-Identifier: Apache-2.0
// What the parts of the bench of ofr_channel share: nodes, their ends, the packets between them.
// Build with -DN= -DW= -DL= -DENDS= -DROOM=.
#ifndef CHANNEL_BENCH_H
#define CHANNEL_BENCH_H

#include "channel.h"
#include "channel_shim.h"
#include "packet.h"
#include "rng.h"

#ifndef N // for tools that read the files alone
#define N    2
#define W    32
#define L    32
#define ENDS 4
#define ROOM 4
#endif

enum {
    NODES = 3,
    HEAD = W == 16 ? 6 : 3,   // flits of the headers
    QUEUE = 256,              // packets on their way between two nodes
    LOG = 2 * (ROOM + 5) * L, // beats, more than can be on their way
    LOGS = 32,                // connections of an end that are remembered
    NAMED = 1 << 24,          // in a log's name: there is one
    OPS = 64,                 // register writes that wait
    TICK = 9,                 // 2^TICK cycles, CONTROL.TIME is one less
    BYTES = W / 8,
};

struct packet {
    uint64_t flit[L + 8];
    unsigned flits;
    bool poison;
    uint64_t at; // cycle from which it can arrive
};

struct queue {
    struct packet packet[QUEUE];
    unsigned first, count;
};

struct beat {
    uint64_t data;
    uint8_t keep;
    bool last;
};

// What an end has given to its connection.
struct log {
    uint32_t name;                // PEER, as written; 0: none
    uint64_t beats, bytes, whole; // whole: bytes in messages that have ended
    struct beat beat[LOG];
};

struct end {
    uint32_t name; // of the connection, by register PEER
    struct log log[LOGS];
    unsigned now;     // its log
    bool old_message; // the message under way began before the connection
    // The user's logic
    struct ofr_beat s;
    unsigned left;         // beats of the message
    bool inside;           // beats of it have been given
    bool pause;            // no new message
    unsigned rate, taking; // permille of cycles
    unsigned largest;      // beats of a message
    unsigned exact;        // not 0: bytes of every message
    // The consumer
    uint64_t got_beats, got_bytes;
    bool broken;          // the beat that says so has come
    struct ofr_beat held; // offered and not taken
};

struct op {
    uint16_t offset;
    uint32_t value;
    uint8_t end;
    bool refused; // is to be
};

struct node {
    struct channel_rtl *rtl;
    struct ofr_channel model;
    struct ofr_config config;
    struct end end[ENDS];
    struct op op[OPS];
    unsigned ops, since; // cycles since the last register write
    bool writes, reads;  // a register, in the next cycle:
    struct op now;
    struct packet sent; // being collected
    struct queue from[NODES];
    int source; // whose packet is arriving, -1: none
    unsigned flit;
    struct packet seen; // one that came, to be forged from
};

struct coverage {
    uint64_t beats, messages, bytes, packets, stopped, full, ended[6], told[6], refused, strange,
        forged;
    uint64_t lost, poisoned, cut, resets, empty_messages, one_byte, four_packets, skipped, exact,
        writes;
};

struct bench {
    struct rng rng;
    struct node node[NODES];
    uint64_t cycle;
    uint32_t conn;
    unsigned episodes;
    unsigned delay, gap, ready; // of the fabric: cycles, permille
    bool wire;                  // an ideal one: packets cut through, 0 to 1 and back
    struct ofr_flit line[2][64];
    bool bad;  // packets come to harm
    bool life; // connections come and go
    bool calm; // nothing may break
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

static inline unsigned state_of(const struct node *x, unsigned e)
{
    return x->model.end[e].state;
}

static inline bool is_open(const struct node *x, unsigned e)
{
    return state_of(x, e) == OFR_CHANNEL_STATE_STATE_OPEN ||
           state_of(x, e) == OFR_CHANNEL_STATE_STATE_CLOSING;
}

// As the register shows it.
static inline uint32_t show(struct node *x, unsigned e, unsigned offset)
{
    uint8_t select = x->model.select;
    x->model.select = (uint8_t)e;
    uint32_t value = ofr_channel_read(&x->model, offset);
    x->model.select = select;
    return value;
}

static inline uint32_t name_of(const struct bench *b, unsigned node, unsigned end, uint32_t conn)
{
    return ofr_coord_word(&b->node[node].config.me, N) | end << 12 | (conn & 0xff) << 16;
}

// The run has failed, and why: what there is, what there should be. Only the first is printed.
void fail(struct bench *b, unsigned n, unsigned e, const char *what, uint64_t have, uint64_t want);

// ---- Fabric: keeps order; in bad times packets are lost, poisoned, cut, forged ------------------

// What comes to node n in this cycle, and what it sends, if the fabric takes it.
struct ofr_flit arrive(struct bench *b, unsigned n);
void depart(struct bench *b, unsigned n, const struct ofr_flit *f, bool ready);

// A packet that came to the node comes again, changed.
void forge(struct bench *b, unsigned to);

// ---- Ledger: knows every beat -------------------------------------------------------------------

void next_beat(struct bench *b, struct end *x);          // of the user's logic
void given(struct bench *b, struct node *n, unsigned e); // it was taken from it
// What is at the consumer's port, and whether it takes it.
void account(struct bench *b, unsigned n, unsigned e, const struct ofr_beat *m, bool ready);
void check_taken(struct bench *b, unsigned n, unsigned e);  // as the peer says CLOSED
void check_rest(struct bench *b);                           // when nothing is under way any more
void check_closed(struct bench *b, unsigned n, unsigned e); // both ends know the other's bytes

#endif
