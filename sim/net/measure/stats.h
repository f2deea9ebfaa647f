// SPDX-License-Identifier: Apache-2.0
// Lifetimes: their mean and quantiles, all and by when a packet was born.
#ifndef NET_STATS_H
#define NET_STATS_H

#include <stdbool.h>
#include <stdint.h>

enum { NET_STATS_BITS = 9, NET_STATS_BINS = 56 << NET_STATS_BITS };

// Sums are exact; a quantile is off by at most 1 part in 2^(NET_STATS_BITS + 1).
struct net_stats {
    uint64_t count, sum, max; // units of 1/60 ns
    uint64_t *bins;
    uint32_t batches;
    uint64_t *batch_count, *batch_sum; // per batch: packets that are born in it
    uint64_t *arrived;                 // per batch: packets that arrive in its time
};

bool net_stats_init(struct net_stats *stats, uint32_t batches);
void net_stats_free(struct net_stats *stats);

// Adds what another with as many batches has.
void net_stats_merge(struct net_stats *to, const struct net_stats *from);

static inline unsigned net_stats_bin(uint64_t value)
{
    if (value < 1u << NET_STATS_BITS)
        return (unsigned)value;
    unsigned shift = 63 - (unsigned)__builtin_clzll(value) - NET_STATS_BITS;
    return (shift << NET_STATS_BITS) + (unsigned)(value >> shift);
}

// The least value of a bin.
static inline uint64_t net_stats_low(unsigned bin)
{
    if (bin < 2u << NET_STATS_BITS)
        return bin;
    unsigned shift = (bin >> NET_STATS_BITS) - 1;
    return (uint64_t)((1u << NET_STATS_BITS) | (bin & ((1u << NET_STATS_BITS) - 1))) << shift;
}

static inline void net_stats_add(struct net_stats *stats, uint32_t batch, uint64_t value)
{
    stats->count++;
    stats->sum += value;
    stats->max = value > stats->max ? value : stats->max;
    stats->bins[net_stats_bin(value)]++;
    stats->batch_count[batch]++;
    stats->batch_sum[batch] += value;
}

static inline void net_stats_arrived(struct net_stats *stats, uint32_t batch)
{
    stats->arrived[batch]++;
}

// Mean; the value below which a fraction 0 .. 1 lies; units. NaN where nothing was counted.
double net_stats_mean(const struct net_stats *stats);
double net_stats_quantile(const struct net_stats *stats, double fraction);

// Mean over the packets of batch `first` and those after it; NaN where there is none.
double net_stats_from(const struct net_stats *stats, uint32_t first);

// The first batch after the warm-up, by the batches' means (steady.h); one without packets goes for
// as the one before it. -1: nothing is steady.
int64_t net_stats_warm_up(const struct net_stats *stats);

#endif
