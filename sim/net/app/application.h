// SPDX-License-Identifier: Apache-2.0
// An application: what the ranks of a parallel program compute and send, and what waits for what.
//
// Operations of a rank:
//   calc  computes for so long
//   send  hands a message to the network, which takes it when it can; ends when its last packet has
//         entered the network (so does MPI_Send of a message that is not copied)
//   recv  ends when all of a message has arrived
// Each begins when all that it waits for, operations of the same rank, have ended (or, GOAL's
// irequires, begun). Messages of the same two ranks and tag are received in the order of their
// operations. There are as many receives as sends, and nothing waits for itself, over messages
// either: a replay comes to an end.
//
// Read from (the first line that is not empty tells which):
//   - torussim's own format (read_own.c), which `torussim record` writes;
//   - GOAL text (LogGOPSim's; read_goal.c);
//   - text traces of liballprof (read_allprof.c), a file a rank.
#ifndef NET_APPLICATION_H
#define NET_APPLICATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum net_op_kind { NET_OP_CALC, NET_OP_SEND, NET_OP_RECV };

#define NET_NO_OP UINT32_MAX

struct net_op {
    uint8_t kind;
    uint32_t rank, peer;    // peer: of a send, recv
    uint64_t amount;        // calc: units of 1/60 ns; send: bytes
    uint64_t tag;           // of a send, recv
    uint32_t message;       // of a send, recv: its number
    uint32_t needs;         // operations that it waits for
    uint32_t first, follow; // edges of those that wait for it, in order
    uint32_t line;          // where it was read, 0: in no file
};

struct net_edge {
    uint32_t op, before;
    bool at_start; // `op` waits for `before` to begin only
};

struct net_application {
    uint32_t ranks;
    bool *begun; // per rank: its operations were read
    struct net_op *op;
    uint32_t ops, op_room;
    struct net_edge *edge; // sorted by `before` once it is finished
    uint32_t edges, edge_room;
    uint32_t messages;
    uint32_t *send, *recv; // per message: its operations
    uint64_t bytes;        // of all messages
    double calc;           // of all computation, units
    uint64_t digest;       // of all there is
};

enum { NET_MAX_RANKS = 1 << 22, NET_MAX_OPS = 1 << 27 };

// Building one. net_application_op: the new operation's number, NET_NO_OP: out of memory or more
// than NET_MAX_OPS. net_application_after: false: out of memory. before: of the same rank.
struct net_application *net_application_new(uint32_t ranks);
uint32_t net_application_op(struct net_application *app, struct net_op op);
bool net_application_after(struct net_application *app, uint32_t op, uint32_t before,
                           bool at_start);

// Matches messages and orders edges. False: what is wrong, in `wrong` (of `size` bytes).
bool net_application_finish(struct net_application *app, char *wrong, unsigned size);

void net_application_free(struct net_application *app);

// NULL: what is wrong, with file and line, in `wrong` (of `size` bytes).
struct net_application *net_application_read(const char *path, char *wrong, unsigned size);

#endif
