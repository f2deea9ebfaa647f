// SPDX-License-Identifier: Apache-2.0
// Plots of a reproduced experiment by gnuplot.
#ifndef NET_PLOT_H
#define NET_PLOT_H

#include "study/experiment.h"

// values: [size][row][series][load], one load where the experiment has none; NaN: nothing there.
//
// Writes NAME.gp into `directory` and has gnuplot make NAME-K.png and NAME-K.svg, K the size. One
// load or none: bars of the series for every row, the paper's values as marks. More: a panel for
// each row, a curve for each series, the paper's values as marks. Quantiles: the experiment's
// panels, the fraction over the value. made_by: the command, which is in the picture. False: a line
// on stderr says why.
bool net_plot(const struct net_experiment *e, const double *values, const char *made_by,
              const char *directory);

// Index into values.
static inline size_t net_cell(const struct net_experiment *e, unsigned size, unsigned row,
                              unsigned series, unsigned load)
{
    unsigned loads = e->loads ? e->loads : 1;
    return ((size_t)(size * e->rows + row) * e->series + series) * loads + load;
}

// The load that net_experiment_paper is to be asked for.
double net_cell_load(const struct net_experiment *e, unsigned load);

#endif
