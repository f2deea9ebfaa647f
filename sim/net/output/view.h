// SPDX-License-Identifier: Apache-2.0
// Pictures of what torussim has written, by gnuplot: STEM.gp, STEM.png and STEM.svg, each with
// axes, units and the commands that made it.
#ifndef NET_VIEW_H
#define NET_VIEW_H

#include <stdbool.h>

#include "output/table.h"

struct net_view {
    const char *stem;    // path without .gp, .png, .svg
    const char *command; // that draws it
    const char *x, *y;   // of curves: fields; NULL: load and lifetime, of engine flit latency
    const char *plane;   // of links: "xy" or two others of x, y, z, u, v, w; one for one dimension
    const char *at;      // of links: the other coordinates, as 0,3; NULL: all 0
};

// Curves of y over x: one for every combination of settings that records differ in; the seeds of a
// point as mean with Student's 95% interval. x may be a text. Runs that did not drain are left out.
// A map of the use of every link of a plane, a panel for each port. A histogram of lifetimes.
//
// Prints what was drawn. On a mistake of the user's: one line on stderr, exit status 2. False: a
// line on stderr says why not.
bool net_view(const struct net_table *table, const struct net_view *view);

#endif
