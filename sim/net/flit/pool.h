// SPDX-License-Identifier: Apache-2.0
// Room for packets, by number; of the Dragonfly, too. Several threads take from one pool, each by
// a share of its own; packets never move, so one thread's may be read while another takes new ones.
#ifndef NET_FLIT_POOL_H
#define NET_FLIT_POOL_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Chunk c holds 2^c packets, those of the numbers 2^c to 2^(c + 1) - 1, and begins with a line of
// the cache.
enum { NET_POOL_LINE = 64, NET_POOL_FIRST = 10, NET_POOL_CHUNKS = 31, NET_POOL_TURN = 256 };
#define NET_POOL_NONE UINT32_MAX

struct net_flit_pool {
    size_t bytes, next; // of a packet; where it holds the number of the next unused one
    char *chunk[NET_POOL_CHUNKS];
    uint32_t fresh, end; // numbers from NET_POOL_FIRST's on that were never used; of the last chunk
    uint32_t given_back; // unused ones that no share has; NET_POOL_NONE: none
    pthread_mutex_t lock;
};

// A thread's unused packets, chained.
struct net_flit_share {
    uint32_t unused, count;
};

static const struct net_flit_share net_flit_no_share = {NET_POOL_NONE, 0};

void net_flit_pool_init(struct net_flit_pool *pool, size_t bytes, size_t next);
void net_flit_pool_free(struct net_flit_pool *pool);

// Fetches NET_POOL_TURN packets, at least one, or gives as many back. False: out of memory.
bool net_flit_pool_fetch(struct net_flit_pool *pool, struct net_flit_share *share);
void net_flit_pool_give(struct net_flit_pool *pool, struct net_flit_share *share);

static inline void *net_flit_pool_at(const struct net_flit_pool *pool, uint32_t number,
                                     size_t bytes)
{
    unsigned c = 31 - (unsigned)__builtin_clz(number);
    return pool->chunk[c] + (number ^ (uint32_t)1 << c) * bytes;
}

static inline uint32_t *net_flit_pool_next(const struct net_flit_pool *pool, uint32_t number)
{
    return (uint32_t *)(void *)((char *)net_flit_pool_at(pool, number, pool->bytes) + pool->next);
}

// NET_POOL_NONE: out of memory.
static inline uint32_t net_flit_pool_take(struct net_flit_pool *pool, struct net_flit_share *share)
{
    if (!share->count && !net_flit_pool_fetch(pool, share))
        return NET_POOL_NONE;
    uint32_t number = share->unused;
    share->unused = *net_flit_pool_next(pool, number);
    share->count--;
    return number;
}

// What one part only delivers, others take: more than two turns are given back.
static inline void net_flit_pool_put(struct net_flit_pool *pool, struct net_flit_share *share,
                                     uint32_t number)
{
    *net_flit_pool_next(pool, number) = share->unused;
    share->unused = number;
    if (++share->count > 2 * NET_POOL_TURN)
        net_flit_pool_give(pool, share);
}

#endif
