// SPDX-License-Identifier: Apache-2.0
// Of engine flit (Fulgham's thesis, 3.4): the saturation point, "the smallest applied load at which
// more messages are created than can be delivered", and the peak throughput (appendix B).
#ifndef NET_SATURATION_H
#define NET_SATURATION_H

#include "run/point.h"

struct net_saturated {
    double load;      // the least one that is saturated, in steps; --load-unit; NaN: none below 2
    const json_t *at; // its record; of a run that is stuck: that; borrowed
    int runs;
};

// In steps of 1/per (20 to 1000), taken to be saturated from one step on. `start`: the load tried
// first (0: 0.5). False: interrupted, out of memory, or at->end is "stuck".
bool net_saturation_point(struct net_points *points, const struct net_config *config, double start,
                          unsigned per, struct net_saturated *found, _Atomic float *progress);

// The largest accepted load at the loads 1, 1 - 1/per .. 0.3, down to where a load is more than a
// step below it. False: as above.
bool net_peak(struct net_points *points, const struct net_config *config, unsigned per,
              double *peak, const json_t **at, _Atomic float *progress);

#endif
