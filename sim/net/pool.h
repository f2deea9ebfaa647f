// SPDX-License-Identifier: Apache-2.0
// Independent tasks on several threads, with a progress bar on a terminal.
#ifndef NET_POOL_H
#define NET_POOL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

// One task: number 0 .. tasks - 1; `progress` (0 .. 1) may be written while it runs.
typedef void net_task(void *context, uint32_t number, _Atomic float *progress);

// Runs tasks 0 .. tasks - 1, `jobs` at a time, in this order; none is begun after *stop was set.
// Returns when all that were begun have ended. False: threads could not be made.
bool net_pool(uint32_t jobs, uint32_t tasks, net_task *task, void *context, atomic_bool *stop);

// Wall clock, s.
double net_seconds(void);

#endif
