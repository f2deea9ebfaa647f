// SPDX-License-Identifier: Apache-2.0
// What an experiment claims beside figures: orderings and bounds of its values.
#ifndef NET_CHECKS_H
#define NET_CHECKS_H

#include "study/experiment.h"

// Prints all checks of all sizes whose values (as in plot.h) are all there, as lines to `out`, and
// appends them to a list; either may be NULL.
// Returns how many these are; *held: how many of them hold.
unsigned net_checks(const struct net_experiment *e, const double *values, FILE *out, json_t *list,
                    unsigned *held);

#endif
