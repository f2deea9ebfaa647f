// SPDX-License-Identifier: Apache-2.0
// MPI ranks: tasks are handed out by rank 0, which also gets all records. Built with MPI where it
// is there (NET_MPI), and used where the program was started by mpirun; else there is one rank.
#ifndef NET_RANKS_H
#define NET_RANKS_H

#include <stdbool.h>
#include <stdint.h>

// First and last of a command that uses ranks. A process that exits in between with a status other
// than 0 ends all others, too.
void net_ranks_begin(void);
void net_ranks_end(void);

int net_rank(void);  // 0 .. net_ranks() - 1
int net_ranks(void); // 1 ..

// Rank 0's text for all ranks; all of them call it, the others with NULL. Returns what is to be
// freed; NULL: one rank, or out of memory.
char *net_ranks_share(const char *text);

// ---- Ranks other than 0; any thread

// Tells rank 0 which task has ended (UINT32_MAX: none) and asks it for another; UINT32_MAX: there
// is none.
uint32_t net_ranks_ask(uint32_t ended);

// Sends rank 0 a text; and that this rank will not ask any more.
void net_ranks_tell(const char *text);
void net_ranks_done(void);

// ---- Rank 0; always the same thread

struct net_ranks_hooks {
    void *context;
    uint32_t (*next)(void *context);               // as net_ranks_ask
    void (*ended)(void *context, uint32_t number); // a task
    void (*told)(void *context, const char *text);
};

// Answers what has come, and returns how many ranks are not done.
int net_ranks_serve(const struct net_ranks_hooks *hooks);

#endif
