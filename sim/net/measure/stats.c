// SPDX-License-Identifier: Apache-2.0
#include "measure/stats.h"

#include <math.h>
#include <stdlib.h>

bool net_stats_init(struct net_stats *stats, uint32_t batches)
{
    *stats = (struct net_stats){.batches = batches};
    stats->bins = calloc(NET_STATS_BINS, sizeof *stats->bins);
    stats->batch_count = calloc(batches, sizeof *stats->batch_count);
    stats->batch_sum = calloc(batches, sizeof *stats->batch_sum);
    return stats->bins && stats->batch_count && stats->batch_sum;
}

void net_stats_free(struct net_stats *stats)
{
    free(stats->bins);
    free(stats->batch_count);
    free(stats->batch_sum);
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
        unsigned shift = (bin >> NET_STATS_BITS) - 1;
        uint64_t low = (uint64_t)((1u << NET_STATS_BITS) | (bin & ((1u << NET_STATS_BITS) - 1)))
                       << shift;
        double middle = (double)low + ldexp(0.5, (int)shift);
        return middle < (double)stats->max ? middle : (double)stats->max;
    }
    return NAN;
}

// Student's t, two-sided 95%: the exact value for 1 and 2 degrees of freedom, else the normal
// quantile with Cornish and Fisher's terms (within 0.5% from 3 on).
static double student95(uint32_t degrees)
{
    if (degrees == 1)
        return 12.7062;
    if (degrees == 2)
        return 4.30265;
    double z = 1.959964, v = degrees, z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z;
    return z + (z3 + z) / (4 * v) + (5 * z5 + 16 * z3 + 3 * z) / (96 * v * v) +
           (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * v * v * v);
}

double net_stats_ci95(const struct net_stats *stats)
{
    double mean = net_stats_mean(stats), squares = 0;
    uint32_t used = 0;
    for (uint32_t b = 0; b < stats->batches; b++) {
        if (!stats->batch_count[b])
            continue;
        double off = (double)stats->batch_sum[b] / (double)stats->batch_count[b] - mean;
        squares += off * off;
        used++;
    }
    if (used < 2)
        return NAN;
    return student95(used - 1) * sqrt(squares / (used - 1) / used);
}
