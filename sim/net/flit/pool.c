// SPDX-License-Identifier: Apache-2.0
#include "flit/pool.h"

#include <stdlib.h>

void net_flit_pool_init(struct net_flit_pool *pool, size_t bytes, size_t next)
{
    uint32_t first = (uint32_t)1 << NET_POOL_FIRST;
    *pool = (struct net_flit_pool){
        .bytes = bytes, .next = next, .fresh = first, .end = first, .given_back = NET_POOL_NONE};
    pthread_mutex_init(&pool->lock, NULL);
}

void net_flit_pool_free(struct net_flit_pool *pool)
{
    for (unsigned c = 0; c < NET_POOL_CHUNKS; c++)
        free(pool->chunk[c]);
    pthread_mutex_destroy(&pool->lock);
}

static bool grow(struct net_flit_pool *pool)
{
    unsigned c = 31 - (unsigned)__builtin_clz(pool->end);
    if (c >= NET_POOL_CHUNKS)
        return false;
    pool->chunk[c] = aligned_alloc(NET_POOL_LINE, pool->bytes << c);
    pool->end = pool->chunk[c] ? pool->end * 2 : pool->end;
    return pool->chunk[c] != NULL;
}

bool net_flit_pool_fetch(struct net_flit_pool *pool, struct net_flit_share *share)
{
    pthread_mutex_lock(&pool->lock);
    while (share->count < NET_POOL_TURN) {
        uint32_t number = pool->given_back;
        if (number != NET_POOL_NONE)
            pool->given_back = *net_flit_pool_next(pool, number);
        else if (pool->fresh < pool->end || grow(pool))
            number = pool->fresh++;
        else
            break;
        *net_flit_pool_next(pool, number) = share->unused;
        share->unused = number;
        share->count++;
    }
    pthread_mutex_unlock(&pool->lock);
    return share->count > 0;
}

void net_flit_pool_give(struct net_flit_pool *pool, struct net_flit_share *share)
{
    uint32_t first = share->unused, last = first;
    for (uint32_t i = 1; i < NET_POOL_TURN; i++)
        last = *net_flit_pool_next(pool, last);
    share->unused = *net_flit_pool_next(pool, last);
    share->count -= NET_POOL_TURN;
    pthread_mutex_lock(&pool->lock);
    *net_flit_pool_next(pool, last) = pool->given_back;
    pool->given_back = first;
    pthread_mutex_unlock(&pool->lock);
}
