// SPDX-License-Identifier: Apache-2.0
// What a run measures, whatever engine it was.
#ifndef NET_RESULT_H
#define NET_RESULT_H

#include "measure/stats.h"

enum net_end {
    NET_DRAINED,     // all generated packets consumed
    NET_LIMITED,     // the mean lifetime will exceed the limit, whatever comes
    NET_STUCK,       // the watchdog
    NET_INTERRUPTED, // *stop was set
    NET_NO_MEMORY,
};

enum { NET_MAX_GROUP = 64 }; // routers

// Of engine flit: over the measured time, with half the 95% interval of batch means. Loads in its
// --load-unit, times in cycles; NaN where nothing was delivered.
struct net_flit_figures {
    double generated, accepted, accepted_half;
    double latency, latency_half, latency_max; // injection buffer to delivery
    double wait;                               // birth to injection buffer, of the delivered
    bool saturated;
    uint64_t flit_hops; // of the whole run: words over channels
    uint64_t deroutes;  // the same: hops that were deroutes, or packets that were sent by an IDN
    // Of a Dragonfly, else 0: cycles in buffers of local links, global ones and the ring, means of
    // the delivered; packets that entered the ring; per router of a group, of all groups: packets
    // injected in the measured time, and of how many times the mean that is.
    double waits[3];
    uint64_t ring_entries;
    unsigned routers;
    uint64_t injected[NET_MAX_GROUP];
    double share[NET_MAX_GROUP];
};

struct net_result {
    enum net_end end;
    uint64_t generated, consumed, in_flight, waiting; // packets; generated = the sum of the others
    uint64_t entered;          // accepted by their first router, or by the own node's sink
    uint64_t oidn, widn, por;  // derouted, of the entered ones; por: also by orthants
    uint64_t hops;             // accepted, on links
    uint64_t consumed_hops;    // of the consumed packets
    uint64_t naks, refused;    // NAKs on links; refused injections
    uint64_t consumed_in_time; // before the last generation period ended
    uint64_t wait_sum;         // generation to entry, over the entered packets, units
    uint64_t end_time;         // units
    uint64_t slots_held;       // after NET_DRAINED and the last ACK: 0, or slots have leaked
    double fairness;           // Jain's index over the nodes, of packets that entered in that time
    struct net_stats stats;    // lifetimes
    uint32_t pairs;            // in ping-pong
    uint64_t solution;         // of an application: when its last operation ended, units
    uint64_t *pair_latency;    // per pair: summed over its rounds, units; NULL: none or not drained
    // Per node and port: packets that began to go over its link while they were counted, those of a
    // pattern until the end of generation; UINT64_MAX: no link. NULL: out of memory.
    uint64_t *sent;
    uint64_t counted; // units, how long that was
    char stuck[160];  // NET_STUCK: what is stuck
    struct net_flit_figures flit;
};

void net_result_free(struct net_result *result);

#endif
