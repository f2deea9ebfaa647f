// SPDX-License-Identifier: Apache-2.0
// Lifetimes: mean with its 95% interval, quantiles.
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
    uint64_t *batch_count, *batch_sum; // per batch: packets of one generation period
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

static inline void net_stats_add(struct net_stats *stats, uint32_t batch, uint64_t value)
{
    stats->count++;
    stats->sum += value;
    stats->max = value > stats->max ? value : stats->max;
    stats->bins[net_stats_bin(value)]++;
    stats->batch_count[batch]++;
    stats->batch_sum[batch] += value;
}

// Mean; the value below which a fraction 0 .. 1 lies; units. NaN where nothing was counted.
double net_stats_mean(const struct net_stats *stats);
double net_stats_quantile(const struct net_stats *stats, double fraction);

// Half the width of the mean's 95% interval, by Student's t over the batches that have packets
// (which are taken to be independent); NaN with fewer than two of them.
double net_stats_ci95(const struct net_stats *stats);

#endif
