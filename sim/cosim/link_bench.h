// SPDX-License-Identifier: Apache-2.0
// What benches of two link ends have in common: options and traffic (link_report.h: what they say).
#ifndef LINK_BENCH_H
#define LINK_BENCH_H

#include <argp.h>
#include <time.h>

#include "link_port.h"

// Options --seed, --cycles, --runs, --seconds, --kind, --errors: of a parser that names
// link_bench_argp among its children and, at ARGP_KEY_INIT, gives it one of these, with the
// defaults.
struct link_bench_options {
    uint64_t seed, cycles;
    unsigned runs;
    time_t until; // 0: `runs` runs
    int kind;     // -1: of the seed
    double rate;  // bit errors, below 0: of the kind
    int kinds;    // how many there are
};
extern const struct argp link_bench_argp;
// The number that an option has; ends the program where it has none.
uint64_t link_bench_number(struct argp_state *state, const char *arg);
// Is there to be another run, after `run` of them?
bool link_bench_goes_on(const struct link_bench_options *o, unsigned run);

// A port with traffic of the seed: lengths by `fixed` (0: all that fill a slot, 1: short ones, else
// both), how often it sends, with what gaps, and how long it keeps what has come.
void link_bench_port(struct port *port, const struct ofr_link_shape *shape, struct rng *rng,
                     unsigned fixed);
// Of such a port: sends whenever it may, and keeps nothing.
void link_bench_press(struct port *port);

#endif
