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

// What stands behind a saturation point: at the load a step below it [0] and there [1], how many of
// `replicates` seeds one after the other are saturated, and whether one run is with batches of 4
// times the cycles. found: as it was found; its `at` is that of a run that is stuck, if one is.
// False: as above.
struct net_sides {
    uint32_t saturated[2], runs;
    bool long_run[2];
};
bool net_saturation_sides(struct net_points *points, const struct net_config *config, unsigned per,
                          uint32_t replicates, struct net_saturated *found,
                          struct net_sides *sides);

// The largest accepted load at the loads 1, 1 - 1/per .. 0.3, down to where a load is more than a
// step below it. False: as above.
bool net_peak(struct net_points *points, const struct net_config *config, unsigned per,
              double *peak, const json_t **at, _Atomic float *progress);

#endif
