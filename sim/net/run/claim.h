// SPDX-License-Identifier: Apache-2.0
// A load that is claimed to be the highest that a routing carries, and what stands behind it.
//
// 1. One seed finds gamma* (point.h) by runs of N messages.
// 2. One run of 4 N messages at gamma*: over the limit, the network was filling up, and the largest
//    load below is looked for that is within it with 4 N messages, too.
// 3. Replicates, seeds from the first on, of N messages at that load and one step above: their mean
//    lifetime over the same seed's at load 0.1, with Student's interval. One run of 4 N at the load
//    above.
// All runs are points of the store: what has been run is not run again.
#ifndef NET_CLAIM_H
#define NET_CLAIM_H

#include "run/point.h"

struct net_claim {
    struct net_gamma gamma; // by step 1
    double steady;          // gamma0; gamma* where it stood in step 2
    double factor;          // of the limit
    // Mean lifetime over that at load 0.1: at `steady` and one step above, mean over replicates and
    // half its 95% interval, and by one run of 4 N; infinite: over the limit, not run to the end.
    double below, below_half, below_long;
    double above, above_half, above_long;
    // Whether the intervals and the long runs say that it is below the limit here and above it
    // there.
    bool sure;
    json_t *at; // the replicates at `steady` as one record; the caller's
};

// `replicates`: 2 .. NET_MAX_REPLICATES. False: interrupted, or claim->gamma.at is of a run that is
// stuck.
bool net_claim(struct net_points *points, const struct net_config *config, double start,
               unsigned per, double factor, uint32_t replicates, struct net_claim *claim,
               _Atomic float *progress);

// Adds what stands behind gamma* to a record; null where there are no replicates, or over the
// limit.
void net_claim_fields(json_t *record, const struct net_claim *claim);

#endif
