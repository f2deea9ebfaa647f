// SPDX-License-Identifier: Apache-2.0
// MPI ranks. Either tasks are handed out by rank 0, which also gets all records; or all simulate
// one net together (packet/net.h). Built with MPI where it is there (NET_MPI), and used where the
// program was started by mpirun; else there is one rank.
#ifndef NET_RANKS_H
#define NET_RANKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// First and last of a command that uses ranks. A process that exits in between with a status other
// than 0 ends all others, too. Refuses to be one of several processes where it was built without
// MPI.
void net_ranks_begin(void);
void net_ranks_end(void);

// Before all else: what others than rank 0 print is not seen, so that help is there once. Whether
// this is one of them.
bool net_ranks_quiet(void);

// Whether mpirun has started more than one, which is known before MPI begins.
bool net_ranks_several(void);

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

// ---- All ranks together: each call is one of all of them, one thread at a time. With one rank
// they do nothing.

uint64_t net_ranks_least(uint64_t value);
bool net_ranks_any(bool value);

// Every sum over all ranks.
void net_ranks_add(uint64_t *sums, size_t count);

// What rank `from` has, to all.
void net_ranks_copy(int from, void *bytes, size_t size);

// Bytes from one rank to another.
struct net_parcel {
    char *bytes; // NULL: none
    size_t size, capacity;
};

// Makes room for so many bytes more and returns where they go; out of memory: ends all ranks.
char *net_parcel_more(struct net_parcel *parcel, size_t size);

// Sends to[rank] to each rank, gets from[rank] of each, both [ranks]; returns the least of all
// values.
uint64_t net_ranks_swap(uint64_t value, struct net_parcel *to, struct net_parcel *from);

#endif
