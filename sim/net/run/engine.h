// SPDX-License-Identifier: Apache-2.0
// An engine, and how it is driven: it simulates up to an instant; at fixed instants of simulated
// time the driver looks at the limit, the watchdog and whether it is to stop. So a record depends
// on neither threads nor the clock.
#ifndef NET_ENGINE_H
#define NET_ENGINE_H

#include <stdatomic.h>

#include "config/config.h"
#include "measure/result.h"

// What the driver looks at. Times in units, UINT64_MAX: none.
struct net_watch {
    uint64_t next;      // the next event
    uint64_t last;      // the last one
    uint64_t progress;  // when a packet was accepted or consumed last
    uint64_t consumed;  // packets
    uint64_t packets;   // of the whole run
    uint64_t generated; // packets born by `at`
    bool out_of_memory;
};

struct net_sim; // an engine's

struct net_engine {
    // Its name and version, which goes up whenever a record may change: records of different ones
    // are never taken for each other.
    const char *name;
    // NULL, or what is wrong with a configuration, in `message` (of `size` bytes).
    const char *(*check)(const struct net_config *config, char *message, unsigned size);
    // For a configuration that check takes, which stays the caller's. NULL: out of memory.
    struct net_sim *(*open)(const struct net_config *config);
    // Simulates all events before `until`, units, which never goes back.
    void (*advance)(struct net_sim *sim, uint64_t until);
    struct net_watch (*watch)(const struct net_sim *sim, uint64_t at);
    // What the lifetimes of all packets of the run, added up, come to at least, as it is at `at`;
    // units. NULL: never limited.
    double (*lifetimes)(const struct net_sim *sim, uint64_t at);
    // Ends the simulation with `end` at `at`, units, and frees it.
    struct net_result (*result)(struct net_sim *sim, enum net_end end, uint64_t at);
};

extern const struct net_engine net_packet_engine, net_flit_engine, net_dragonfly_engine;

// The engine of a configuration.
const struct net_engine *net_engine(const struct net_config *config);

// Stops early with NET_LIMITED once the engine's least lifetimes exceed limit_us times all packets
// to be generated (0: no limit): then the mean lifetime of the whole run exceeds limit_us. `stop`
// (may be NULL) is looked at now and then, and `progress` (0 .. 1, may be NULL) written. limit_us
// is 0 for a trace and ping-pong.
struct net_result net_run(const struct net_config *config, double limit_us, atomic_bool *stop,
                          _Atomic float *progress);

#endif
