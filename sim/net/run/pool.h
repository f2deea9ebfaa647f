// SPDX-License-Identifier: Apache-2.0
// Independent tasks on several threads and MPI ranks, with a progress bar on a terminal.
#ifndef NET_POOL_H
#define NET_POOL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "run/store.h"

// One task: number 0 .. tasks - 1; `progress` (0 .. 1) may be written while it runs.
typedef void net_task(void *context, uint32_t number, _Atomic float *progress);

// Runs tasks 0 .. tasks - 1, `jobs` at a time on each rank, in this order; none is begun after
// *stop was set. Returns when all that were begun have ended; then the store of rank 0 has what the
// tasks have put into those of the others. False: threads could not be made.
bool net_pool(uint32_t jobs, uint32_t tasks, net_task *task, void *context, atomic_bool *stop,
              struct net_store *store);

// Threads unless --jobs says so: as many as there are processors, one with several ranks.
uint32_t net_pool_jobs(void);

// Wall clock, s.
double net_seconds(void);

#endif
