// SPDX-License-Identifier: Apache-2.0
// What may be said of a series and of replicates: where a run's warm-up ends, Student's interval.
#ifndef NET_STEADY_H
#define NET_STEADY_H

#include <stdint.h>

enum { NET_STEADY_LEAST = 10 }; // observations that a warm-up is looked for in

// How many observations at the beginning of y[0 .. count - 1] are warm-up, by the test MSER (White,
// Simulation 69(6), 1997): those without which the standard error of the mean of the rest, taken
// for independent, is least; with 100 of them or more in groups of five (MSER-5: White, Cobb,
// Spratt, WSC 2000), of fewer one by one. At most half of the series is looked at; -1: the least is
// in the last tenth of that, as where y grows all the time, or there are fewer than
// NET_STEADY_LEAST, so nothing is steady.
int64_t net_warm_up(const double *y, uint32_t count);

// Student's t: what 95% of the values of its distribution with `degrees` (1 ..) degrees of freedom
// are within.
double net_student95(uint32_t degrees);

// Half the width of the 95% interval of the mean of independent values; *mean: that (may be NULL).
// NaN with fewer than two.
double net_interval95(const double *values, uint32_t count, double *mean);

#endif
