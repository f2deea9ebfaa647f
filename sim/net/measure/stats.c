// SPDX-License-Identifier: Apache-2.0
#include "measure/stats.h"

#include <math.h>
#include <stdlib.h>

#include "measure/steady.h"

bool net_stats_init(struct net_stats *stats, uint32_t batches)
{
    *stats = (struct net_stats){.batches = batches};
    stats->bins = calloc(NET_STATS_BINS, sizeof *stats->bins);
    stats->batch_count = calloc(batches, sizeof *stats->batch_count);
    stats->batch_sum = calloc(batches, sizeof *stats->batch_sum);
    stats->arrived = calloc(batches, sizeof *stats->arrived);
    return stats->bins && stats->batch_count && stats->batch_sum && stats->arrived;
}

void net_stats_free(struct net_stats *stats)
{
    free(stats->bins);
    free(stats->batch_count);
    free(stats->batch_sum);
    free(stats->arrived);
    *stats = (struct net_stats){0};
}

void net_stats_merge(struct net_stats *to, const struct net_stats *from)
{
    to->count += from->count;
    to->sum += from->sum;
    to->max = from->max > to->max ? from->max : to->max;
    for (unsigned bin = 0; bin < NET_STATS_BINS; bin++)
        to->bins[bin] += from->bins[bin];
    for (uint32_t b = 0; b < to->batches; b++) {
        to->batch_count[b] += from->batch_count[b];
        to->batch_sum[b] += from->batch_sum[b];
        to->arrived[b] += from->arrived[b];
    }
}

double net_stats_mean(const struct net_stats *stats)
{
    return stats->count ? (double)stats->sum / (double)stats->count : NAN;
}

double net_stats_quantile(const struct net_stats *stats, double fraction)
{
    uint64_t below = 0;
    double rank = fraction * (double)stats->count;
    for (unsigned bin = 0; bin < NET_STATS_BINS; bin++) {
        below += stats->bins[bin];
        if (!stats->bins[bin] || (double)below < rank)
            continue;
        if (bin < 2u << NET_STATS_BITS)
            return bin;
        double middle = (double)net_stats_low(bin) + ldexp(0.5, (int)(bin >> NET_STATS_BITS) - 1);
        return middle < (double)stats->max ? middle : (double)stats->max;
    }
    return NAN;
}

double net_stats_from(const struct net_stats *stats, uint32_t first)
{
    uint64_t count = 0, sum = 0;
    for (uint32_t b = first; b < stats->batches; b++) {
        count += stats->batch_count[b];
        sum += stats->batch_sum[b];
    }
    return count ? (double)sum / (double)count : NAN;
}

int64_t net_stats_warm_up(const struct net_stats *stats)
{
    double *means = malloc(stats->batches * sizeof *means), last = net_stats_mean(stats);
    for (uint32_t b = 0; means && b < stats->batches; b++) {
        if (stats->batch_count[b])
            last = (double)stats->batch_sum[b] / (double)stats->batch_count[b];
        means[b] = last;
    }
    int64_t first = means ? net_warm_up(means, stats->batches) : -1;
    free(means);
    return first;
}
