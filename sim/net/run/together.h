// SPDX-License-Identifier: Apache-2.0
// One simulation on several threads that meet often: every cycle, so the barrier waits by looking,
// and gives its processor away only where others have none to come on.
#ifndef NET_TOGETHER_H
#define NET_TOGETHER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct net_barrier {
    atomic_uint arrived, turn;
    unsigned parties;
};

static inline void net_barrier_init(struct net_barrier *barrier, unsigned parties)
{
    atomic_init(&barrier->arrived, 0);
    atomic_init(&barrier->turn, 0);
    barrier->parties = parties;
}

// What any thread did before it came, all see after it.
void net_barrier_wait(struct net_barrier *barrier);

// Calls work(context, number) for 0 .. count - 1 (at most NET_MAX_THREADS), each on a thread of its
// own, 0 on the caller's, once all are there. agree: told whether they are, says whether they begin
// (ranks do, or none); NULL: if they are. False: they did not, nothing was called.
bool net_together(unsigned count, void (*work)(void *context, unsigned number),
                  bool (*agree)(void *context, bool there), void *context);

#endif
