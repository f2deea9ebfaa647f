// SPDX-License-Identifier: Apache-2.0
// An experiment file: a table or a figure as rows (traffic) times series (routings) times sizes,
// each cell one or more points. JSON; every other key is refused:
//   title, label   text; label: of the values' axis
//   sizes          k of the k x k x k tori
//   options        options of `torussim run` for all: {"preset": "ofr-2013", ...}
//   rows, series   lists of {"name": text, "options": {...}}; the series' options win
//     rows: "sizes": {"K": {...}}   options for that size only; null: not at that size
//     rows: "start": number         load at which gamma* is looked for first, where there is no
//                                   paper's; by itself the search begins at 0.2
//     rows: "base_messages": N      messages a node of the run at load 0.1 that gamma* goes by,
//                                   where fewer tell as much; by itself, and with replicates, as
//                                   many as of the others
//     series, rows: "field"         what it shows, where not the experiment's `field`: a field of a
//                                   record, or gamma_star_gamma0; a row's wins
//     series: "panel"               the picture's panel that it is in, by its axis' label; by
//                                   itself `label`; those with a place in two look the same
//     series: "scored": false       the paper's values stand beside it, but are not counted
//   field          as above
//   step           of the loads among which a saturation point or gamma* is looked for (0.05)
//   quick          options that reproduce --quick puts over the experiment's: a shorter look
//   loads          list, or "FIRST:LAST:STEP"; null: one point that has no load, as an application;
//                  none, nor quantiles: field is gamma_star_gamma0,
//                  or with engine flit saturation_load or peak_load (run/saturation.h)
//   quantiles      true: instead of loads; a cell is a distribution over the pairs of a ping-pong,
//   in
//                  steps of 0.05; fields latency_q*_us and bandwidth_q*_gbs
//   panels         with quantiles: list of {"title": text, "label": text, "rows": [row, ...],
//                  "series": [series, ...], "mark": number}: parts of the picture with the curves
//                  of all these; mark: where a limit is drawn
//   until          a curve ends before the first load whose mean lifetime is over so many times
//                  that at its first load
//   paper          {"K": {"from": text, "rows": {row: {series: value or [[load, value], ...]}}}}
//   tolerance, relative   how far from that is within; relative true: as a fraction of it
//   checks         list of {"what": text, "sum": [[factor, row, series, load or fraction], ...],
//                  "above" or "at_most": number}: whether the sum over factor times value is that
#ifndef NET_EXPERIMENT_H
#define NET_EXPERIMENT_H

#include <jansson.h>

#include "cli/options.h"

enum { NET_SIZES = 8, NET_ROWS = 32, NET_SERIES = 64, NET_LOADS = 64, NET_QUANTILES = 21 };

struct net_experiment {
    json_t *json;
    char name[64]; // for file names
    const char *title, *label;
    double until, tolerance; // 0: none
    bool relative;
    bool flit;    // engine
    unsigned per; // steps in a load of 1
    bool quantiles;
    bool shortened; // `quick` counts
    unsigned sizes, rows, series, loads;
    unsigned size[NET_SIZES];
    double load[NET_LOADS]; // with quantiles: fractions 0 .. 1; NAN: there is none
    struct {
        const char *name;
        json_t *options, *sizes;
        double start;             // 0: none
        json_int_t base_messages; // 0: as many as of the others
        const char *field;        // NULL: the series'
    } row[NET_ROWS];
    struct {
        const char *name, *field, *panel;
        json_t *options;
        bool unscored;
    } column[NET_SERIES];
    json_t *options, *quick, *paper, *panels, *checks;
};

// Reads a file, or a built-in experiment by its name. On a mistake: one line on stderr, exit
// status 2. The process may hold one at a time.
void net_experiment_open(struct net_experiment *e, const char *name);
void net_experiment_close(struct net_experiment *e);

// Whether a row is there at a size.
bool net_experiment_has(const struct net_experiment *e, unsigned size, unsigned row);

// What a cell shows.
static inline const char *net_experiment_field(const struct net_experiment *e, unsigned row,
                                               unsigned series)
{
    return e->row[row].field ? e->row[row].field : e->column[series].field;
}

// Number of a row or series; -1: none of that name.
int net_experiment_row(const struct net_experiment *e, const char *name);
int net_experiment_series(const struct net_experiment *e, const char *name);

// Configuration of a cell (numbers of size, row, series) with load 0.1, the options in `given`
// winning over all others. Mistakes as above.
struct net_config net_experiment_config(const struct net_experiment *e, unsigned size, unsigned row,
                                        unsigned series, struct net_options *given);

// What the paper has, NaN: nothing; load: NaN for a cell of one point.
double net_experiment_paper(const struct net_experiment *e, unsigned size, unsigned row,
                            unsigned series, double load);
// Where it has that from, NULL: it has nothing for that size.
const char *net_experiment_from(const struct net_experiment *e, unsigned size);

// Whether a value is as near to the paper's as the experiment asks.
bool net_experiment_within(const struct net_experiment *e, double value, double paper);

// Built-in experiments (made from experiments/), ended by a NULL name.
struct net_builtin {
    const char *name, *text;
};
extern const struct net_builtin net_builtins[];

#endif
