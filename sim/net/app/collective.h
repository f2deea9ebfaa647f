// SPDX-License-Identifier: Apache-2.0
// Collective operations as messages, step by step: the sends and receives of one member. Within a
// step a member's messages go and come at once; the next begins when they have ended. All members
// name each other in the same order, so that the messages of two members match by their order.
// Plain C without libraries: the recorder has it, too.
//
//   barrier           dissemination
//   broadcast, reduce binomial tree
//   allreduce         recursive doubling; members beyond a power of 2 hand theirs to one, and get
//   the
//                     result from it
//   gather, scatter   each member and the root, in one step
//   allgather         ring
//   alltoall          member + s and member - s, in step s
//   scan              from member i - 2^s to i, in step s
//   reduce-scatter    as alltoall: each gets its part from all
#ifndef NET_COLLECTIVE_H
#define NET_COLLECTIVE_H

#include <stdbool.h>
#include <stdint.h>

enum net_collective {
    NET_BARRIER,
    NET_BROADCAST,
    NET_REDUCE,
    NET_ALLREDUCE,
    NET_GATHER,
    NET_SCATTER,
    NET_ALLGATHER,
    NET_ALLTOALL,
    NET_SCAN,
};

struct net_collective_call {
    enum net_collective kind;
    unsigned member, members; // this one, 0 .. members - 1
    unsigned root;            // of broadcast, reduce, gather, scatter
    // Bytes: of broadcast, reduce, allreduce, scan: out[0]. gather: out[0] of this one, at the root
    // in[m] of m. scatter: at the root out[m] to m, in[0] of this one. allgather: in[m] of m.
    // alltoall: out[m] to m, in[m] from m. Where `same`, the first stands for all.
    const uint64_t *out, *in;
    bool same;
};

// What is called for each message of this member, in order: to or from `peer`, in a step.
typedef void net_collective_step(void *context, unsigned step, bool receive, unsigned peer,
                                 uint64_t bytes);

void net_collective(const struct net_collective_call *call, net_collective_step *step,
                    void *context);

#endif
