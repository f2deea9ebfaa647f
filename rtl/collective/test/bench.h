// SPDX-License-Identifier: Apache-2.0
// What the parts of the bench of ofr_collective share: members, the streams between them, the
// operations that they do. Build with -DW= -DCHILDREN=.
#ifndef COLLECTIVE_BENCH_H
#define COLLECTIVE_BENCH_H

#include "collective.h"
#include "collective_shim.h"
#include "rng.h"

#ifndef W // for tools that read the files alone
#define W        32
#define CHILDREN 4
#endif
#ifndef MOST_WORDS // of a member's vector
#define MOST_WORDS 600
#endif

enum {
    MEMBERS = 6,
    QUEUE = 64, // beats on their way between two members
    BYTES = W / 8,
    PLANS = 4, // operations that are remembered; members are one apart at most
    LONG = MOST_WORDS,
    WORDS = MEMBERS * (LONG + 2),
    PATIENCE = 100 * LONG, // cycles in which an operation of all must end
};

// One direction of a stream: keeps order, any delay. Once it is broken it gives what it has, then
// the beat that says so, and throws away what it gets; silent: without that beat.
struct stream {
    struct ofr_beat beat[QUEUE];
    uint64_t at[QUEUE]; // cycle from which it can arrive
    unsigned first, count;
    bool held; // its first beat was offered and not taken
    bool mid;  // inside a message, at the side that sends
    bool broken, silent, told;
};

// What goes wrong in an operation.
enum fault {
    NONE,
    LENGTHS,   // a member's vector has another length
    ANOTHER,   // a member does another operation, or of another type
    ILLEGAL,   // no such operation, MORE, TKEEP
    LEAVES,    // a member leaves
    BREAKS,    // a stream breaks
    CLOSES,    // ... without a word; both its ends are told
    PARTS,     // SCATTER, root: too few or too many messages
    FORGOTTEN, // a member was not cleared with the others
    FAULTS,
};

struct plan {
    unsigned op, type, fault, culprit;
    unsigned words[MEMBERS]; // of a member's vector; SCATTER: of the part it is to get
    uint64_t seed;
};

struct member {
    struct collective_rtl *rtl;
    struct ofr_collective model;
    unsigned parent, slot; // member, this one's place among its children
    unsigned child[CHILDREN];
    unsigned kids, size;    // a bit a child; members in the subtree
    unsigned order;         // place in the order of members
    struct stream up, down; // to the parent, from it
    // The user's logic
    uint64_t given, got; // operations begun, ended
    struct ofr_beat s;   // offered
    uint8_t user;
    unsigned message, beat; // of the operation: that come next
    bool inside;            // the operation's last message has not ended
    unsigned rate, taking;  // permille of cycles
    uint64_t asleep;        // begins nothing before this cycle
    uint64_t leaves;        // 0, or a cycle
    bool left;
    unsigned waiting; // cycles with TREADY since it left, until it was told
    // What has come of the operation
    uint32_t word[WORDS];
    unsigned words, border[MEMBERS + 2], borders;
    uint16_t half; // W = 16
    bool halved;
    struct ofr_beat held;
    bool held_end;
};

struct coverage {
    uint64_t ops[OFR_COLLECTIVE_OPS], faults[FAULTS], reasons[6], failed, words, beats, longest,
        empty, stalled, resets, stopped, late, alone, reopened, odd, deepest, widest;
};

struct bench {
    struct rng rng;
    struct member member[MEMBERS];
    struct plan plan[PLANS];
    uint64_t cycle, plans; // operations planned
    uint64_t moved;        // cycle in which an operation was last ended
    unsigned members;
    unsigned delay, ready; // of streams: cycles, permille
    unsigned breaking;     // member whose stream to its parent breaks, MEMBERS: none
    uint64_t breaks;       // ... in this cycle
    bool drops;            // both ends are to be told of a closed stream
    bool hold;             // nobody begins another operation
    bool failed, quiet;
    int fault; // put into the model
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

static inline struct plan *plan_of(struct bench *b, uint64_t nth)
{
    return &b->plan[nth % PLANS];
}

// The run has failed, and why: what there is, what there should be. Only the first is printed.
void fail(struct bench *b, unsigned n, const char *what, uint64_t have, uint64_t want);

// ---- Streams ------------------------------------------------------------------------------------

void stream_open(struct stream *x);
void stream_break(struct stream *x, bool silent);
// What is offered in this cycle, and whether that is taken.
struct ofr_beat stream_offers(struct bench *b, struct stream *x);
void stream_taken(struct stream *x, bool taken);
// Whether it takes a beat, and that one.
bool stream_ready(struct bench *b, const struct stream *x);
void stream_put(struct bench *b, struct stream *x, const struct ofr_beat *beat);

// ---- Operations ---------------------------------------------------------------------------------

void make_plan(struct bench *b);
// The member's operation as it does it, maybe not the one that was planned.
unsigned op_of(const struct plan *p, unsigned n);
// The next beat of the user's logic.
void next_beat(struct bench *b, unsigned n);
// One has been taken; one has come at m_axis.
void given(struct bench *b, unsigned n);
void account(struct bench *b, unsigned n, const struct ofr_beat *m, bool end);

#endif
