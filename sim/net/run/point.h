// SPDX-License-Identifier: Apache-2.0
// Simulated points, each run once and kept in a store; gamma* on top of them.
#ifndef NET_POINT_H
#define NET_POINT_H

#include "run/engine.h"
#include "run/store.h"

struct net_points {
    struct net_store store;
    atomic_bool *stop;
    atomic_bool unwritten; // a record could not be written
    atomic_bool failed;    // a run was out of memory
};

// The record of a run, from the store or simulated now, with the early verdict on limit_us (0:
// none; record "end": "limited"; a stored verdict on a higher limit holds, too). Borrowed. NULL:
// interrupted or out of memory. Different threads: different configurations.
json_t *net_point(struct net_points *points, const struct net_config *config, double limit_us,
                  _Atomic float *progress);

// Mean lifetime, us; infinite where the run did not drain. Of engine flit the latency, cycles.
double net_point_mean(const json_t *record);

// Whether the watchdog ended it; net_point_stuck says so in a line on stderr, with what was stuck.
bool net_point_is_stuck(const json_t *record);
bool net_point_stuck(const json_t *record);

// gamma*: the largest load, in steps of 1/per (per: a multiple of 20, 20 to 1000; the paper's is
// 20) and below 2, whose mean lifetime is at most `factor` times that at load 0.1; taken to be the
// only such step. `start`: the load to be tried first (0: 0.2), which costs nothing but time when
// it is wrong; what the store has counts before. `base_messages`: of the run at load 0.1, where
// nothing queues up that a longer run would show (0: as many as of the others). False: as NULL
// above, or gamma->at is of a run that is stuck (else NULL then).
enum { NET_STEPS = 20 }; // in gamma0: the paper's

struct net_gamma {
    double gamma, base_us;
    const json_t *at; // the record at gamma*; borrowed
    int runs;         // points looked for, besides those that were in the store before
};
bool net_gamma_star(struct net_points *points, const struct net_config *config, double start,
                    uint32_t base_messages, unsigned per, double factor, struct net_gamma *gamma,
                    _Atomic float *progress);

// The factor unless it is given: 1.2, the paper's; with random arrivals, whose packets do not wait
// for a burst of their own, 3.
double net_gamma_factor(const struct net_config *config);

#endif
