// SPDX-License-Identifier: Apache-2.0
// Collectives: what rtl/collective/ofr_collective.v computes, every pin every cycle. Operations,
// format of the messages between members, errors: rtl/collective/README.md.
//
// A member of a group has a stream pair to its parent and one to each of its children in a tree.
// Contributions go up the tree, the result and the verdict come down. Each operation is one message
// of the user's logic in and one out, and on every edge one up and one down.
#ifndef OFR_COLLECTIVE_H
#define OFR_COLLECTIVE_H

#include "channel.h"
#include "ofr_regs.h"

enum {
    OFR_COLLECTIVE_CHILDREN = 4,                        // most of a member
    OFR_COLLECTIVE_PAIRS = 1 + OFR_COLLECTIVE_CHILDREN, // pair 0 is the parent's
    OFR_COLLECTIVE_QUEUE = 16,                          // beats on their way up
    OFR_COLLECTIVE_BURST = 16, // words of a child that are merged before the next child's turn
};

// TUSER of s_axis, as register TX_OP has it.
enum {
    OFR_COLLECTIVE_BARRIER = OFR_COLLECTIVE_TX_OP_OP_BARRIER,
    // The root's vector to all others
    OFR_COLLECTIVE_BROADCAST = OFR_COLLECTIVE_TX_OP_OP_BROADCAST,
    // The root's messages, one to each member, in the order of members
    OFR_COLLECTIVE_SCATTER = OFR_COLLECTIVE_TX_OP_OP_SCATTER,
    // All members' messages to the root, in this order
    OFR_COLLECTIVE_GATHER = OFR_COLLECTIVE_TX_OP_OP_GATHER,
    OFR_COLLECTIVE_REDUCE = OFR_COLLECTIVE_TX_OP_OP_REDUCE,       // all vectors to one, to the root
    OFR_COLLECTIVE_ALLREDUCE = OFR_COLLECTIVE_TX_OP_OP_ALLREDUCE, // ... to all
    OFR_COLLECTIVE_OPS,
    // Types. With UNSIGNED the minimum and maximum are of unsigned numbers
    OFR_COLLECTIVE_SUM = OFR_COLLECTIVE_TX_OP_TYPE_SUM,
    OFR_COLLECTIVE_OR = OFR_COLLECTIVE_TX_OP_TYPE_OR,
    OFR_COLLECTIVE_MIN = OFR_COLLECTIVE_TX_OP_TYPE_MIN,
    OFR_COLLECTIVE_MAX = OFR_COLLECTIVE_TX_OP_TYPE_MAX,
    OFR_COLLECTIVE_UNSIGNED = 4,
    OFR_COLLECTIVE_TYPE_LSB = OFR_COLLECTIVE_TX_OP_TYPE_LSB,
    // SCATTER, root: another message follows
    OFR_COLLECTIVE_MORE = OFR_COLLECTIVE_TX_OP_MORE_MASK,
};

// Why an operation failed, as register STATE has it.
enum {
    OFR_COLLECTIVE_OK = OFR_COLLECTIVE_STATE_REASON_GOOD,
    OFR_COLLECTIVE_LENGTH = OFR_COLLECTIVE_STATE_REASON_LENGTH,
    OFR_COLLECTIVE_MISMATCH = OFR_COLLECTIVE_STATE_REASON_MISMATCH,
    OFR_COLLECTIVE_ILLEGAL = OFR_COLLECTIVE_STATE_REASON_ILLEGAL,
    OFR_COLLECTIVE_ABORTED = OFR_COLLECTIVE_STATE_REASON_ABORTED,
    OFR_COLLECTIVE_BROKEN = OFR_COLLECTIVE_STATE_REASON_BROKEN,
};

// The beat that ends a message between members, and the verdict at m_axis: fields of TDATA, which
// are in its upper half at W = 64.
enum {
    OFR_COLLECTIVE_REASON_LSB = 6,
    OFR_COLLECTIVE_PART_LSB = 9, // only a part ends here, not the operation
    OFR_COLLECTIVE_ODD_LSB = 10, // W = 64: the lower half is the vector's last word
    OFR_COLLECTIVE_NUMBER_LSB = 11,
    OFR_COLLECTIVE_NUMBERS = 32, // operations are counted modulo this
};

struct ofr_collective_shape {
    uint8_t flit_bits; // W: 16, 32 or 64
    uint8_t children;  // most of this member, 1 to 4
};

enum ofr_collective_phase {
    OFR_COLLECTIVE_OWN,   // the member's own vector goes up as it is
    OFR_COLLECTIVE_CHILD, // a child's does
    OFR_COLLECTIVE_MERGE, // own and children's become one, word by word; also their ends
    OFR_COLLECTIVE_FLUSH, // the operation has failed: all is thrown away up to its end
};

struct ofr_collective {
    struct ofr_collective_shape shape;
    bool busy;
    uint8_t op, type, number;
    uint8_t broken; // a bit a pair
    // Up: what goes to the parent, or at the root goes down
    uint8_t phase;       // enum ofr_collective_phase
    uint8_t err;         // FLUSH: why
    bool up_done;        // the end of what goes up has been made
    bool own_over;       // the last beat of the member's own has been taken
    bool own_part;       // ... of a part, whose end is due
    uint8_t seen;        // children whose end has been taken, a bit each
    uint8_t cur;         // child whose turn it is
    uint8_t at, length;  // words of the burst merged with this child's; of all of it
    bool ends, ends_odd; // ... the last of them is the end, at W = 64 with a word
    uint64_t acc[OFR_COLLECTIVE_BURST];
    bool high, due; // W = 16: second half of a word comes; is to go
    uint16_t low_own, low_child, high_up;
    struct ofr_beat up[OFR_COLLECTIVE_QUEUE]; // for the parent, or at the root to go down
    uint8_t up_first, up_count;
    // Down: what comes from the parent, or at the root from up
    struct ofr_beat down; // at the children's pins
    uint8_t to;           // children that have not taken it
    bool over;            // the verdict has come
    bool cut, fails;      // the member has left the operation; its m_axis is to be told
    uint8_t reason;       // the last verdict at m_axis
    struct ofr_beat m;    // at m_axis; user: failed
    bool m_end;           // ... the verdict
    // SCATTER: whose parts come
    bool self, served, extra; // the member's own; nobody's; there were such
    uint8_t whose;
    uint16_t left; // parts of child `whose`
};

// Input pins of one cycle. Pair 0 is the parent's, 1 + i child i's.
struct ofr_collective_in {
    struct ofr_beat s;
    uint8_t s_user;
    bool m_ready;
    struct ofr_beat from[OFR_COLLECTIVE_PAIRS]; // the m_axis of the channels' ends
    bool to_ready[OFR_COLLECTIVE_PAIRS];
    // The member's place; constant while busy
    bool has_parent;
    uint8_t children;                       // those that there are, a bit each
    uint16_t size[OFR_COLLECTIVE_CHILDREN]; // members in a child's subtree, itself included
    bool leave;                             // the operation
    uint8_t drop;                           // take these pairs for broken, a bit each
    bool clear;                             // none is broken any more
};

struct ofr_collective_out {
    bool s_ready;
    struct ofr_beat m; // user: the operation has failed
    bool m_end;        // this beat is the verdict
    bool from_ready[OFR_COLLECTIVE_PAIRS];
    struct ofr_beat to[OFR_COLLECTIVE_PAIRS];
    bool busy;
    uint8_t reason, broken;
    uint8_t waits; // pairs whose end has not come yet in this operation, a bit each
};

// False where the shape is out of range.
bool ofr_collective_init(struct ofr_collective *c, const struct ofr_collective_shape *shape);

// Output pins. s_ready and from_ready depend on the inputs of the same cycle, all else on the state
// alone.
void ofr_collective_out(const struct ofr_collective *c, const struct ofr_collective_in *in,
                        struct ofr_collective_out *out);

// One clock cycle.
void ofr_collective_step(struct ofr_collective *c, const struct ofr_collective_in *in);

#endif
