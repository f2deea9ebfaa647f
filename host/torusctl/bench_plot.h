// SPDX-License-Identifier: Apache-2.0
// Accepted over offered load as a plot: what bench has measured, as figure 4 of the paper.
#ifndef BENCH_PLOT_H
#define BENCH_PLOT_H

#include "ctl.h"

enum { MAX_ROUTINGS = 5 };

struct curves {
    const struct sweep *sweep;
    const char *routing[MAX_ROUTINGS]; // NULL: as programmed
    unsigned routings;
    const char *unit; // of loads
    double *accepted; // in that unit, NaN: none; to be freed
};
// Makes room, all NaN; false: out of memory.
bool curves_new(struct curves *c);
// Where a point is; pattern = patterns: the end.
double *curve_point(const struct curves *c, unsigned pattern, unsigned routing, unsigned load);

// A plot that cannot be written is found before anything is measured. Exit status.
int plot_check(const char *stem);
// STEM.gp, as write() has it, and .png and .svg, which it makes in its folder. Exit status.
int plot_run(const char *stem, void (*write)(const void *ctx, FILE *out, const char *file),
             const void *ctx);
// STEM.gp, .png and .svg. Exit status.
int plot(const struct curves *c, const char *stem);

#endif
