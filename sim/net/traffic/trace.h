// SPDX-License-Identifier: Apache-2.0
// Traffic from a trace: a CSV file of lines
//   time_ns,src,dst,bytes
// time_ns: a number, 0 .. 1e12, never less than in the line before; src, dst: node ids; bytes: 1 ..
// 2^31 - 1, sent as whole packets. The first line may be these names. A line may end in CR LF.
#ifndef NET_TRACE_H
#define NET_TRACE_H

#include <stdint.h>

struct net_trace_message {
    uint64_t time; // units of 1/60 ns
    uint32_t src, dst, bytes;
    uint32_t next; // the next message of src; NET_NO_MESSAGE: none
};

enum { NET_NO_MESSAGE = UINT32_MAX };

struct net_trace {
    struct net_trace_message *message;
    uint32_t *first; // per node: its first message
    uint32_t count;  // 1 ..
    uint64_t digest; // of all messages
};

// NULL: what is wrong, with the line, in `wrong` (of `size` bytes).
struct net_trace *net_trace_read(const char *path, uint32_t nodes, char *wrong, unsigned size);
void net_trace_free(struct net_trace *trace);

#endif
