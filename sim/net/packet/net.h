// SPDX-License-Identifier: Apache-2.0
// The engine: generators, routers with output queues, links with ACK and NAK, sinks. Packets are
// stored and forwarded whole; time is in units of 1/60 ns.
//
// Node. The generator holds an unbounded queue of messages; one packet at a time goes to the
//   router, on ticks of a fixed grid from time 0, strictly after its generation, and the next
//   one, or the same again, not before the router's ACK or NAK is back. Pipelined: no ticks, the
//   next one goes as soon as the link to the router is free, or when the router, which was full,
//   has room for the one before it (found by trying it again, as above).
// Queues. Every outgoing link has three of C slots: adaptive, VS1 (escape toward an IDN), VS2
//   (escape toward the destination). An arriving packet is put into a queue at once, or NAKed. A
//   slot is held until the ACK comes back: packets in flight count as used. A NAKed packet goes
//   back into its queue, in front of those that entered it later.
// Link. ACK and NAK go over the reverse channel, take its time and go before packets; then VS2,
//   VS1, adaptive.
// Routing. The freest adaptive queue among the minimal directions, the lowest port on a tie; none
//   free: dimension order in the escape queue, with 1 free slot to go on in the same queue, 2 to
//   enter it. A packet from the generator needs more than `throttle` free slots in either.
//   DOR: the escape only. RDR: a minimal dimension drawn per packet and node, its adaptive queue,
//   then the escape.
// Sink. The consumption queue has C slots, one freed when sending to the sink starts.
#ifndef NET_NET_H
#define NET_NET_H

#include <stdatomic.h>

#include "config/config.h"
#include "measure/stats.h"

// This engine and its version, which goes up whenever a record may change: records of different
// ones are never taken for each other.
#define NET_ENGINE "packet-1"

enum net_end {
    NET_DRAINED,     // all generated packets consumed
    NET_LIMITED,     // the mean lifetime will exceed the limit, whatever comes
    NET_STUCK,       // the watchdog
    NET_INTERRUPTED, // *stop was set
    NET_NO_MEMORY,
};

struct net_result {
    enum net_end end;
    uint64_t generated, consumed, in_flight, waiting; // packets; generated = the sum of the others
    uint64_t entered;          // accepted by their first router, or by the own node's sink
    uint64_t oidn, widn, por;  // derouted, of the entered ones; por: also by orthants
    uint64_t hops;             // accepted, on links
    uint64_t consumed_hops;    // of the consumed packets
    uint64_t naks, refused;    // NAKs on links; refused injections
    uint64_t consumed_in_time; // until the last generation period ended
    uint64_t wait_sum;         // generation to entry, over the entered packets, units
    uint64_t end_time;         // units
    uint64_t slots_held;       // after NET_DRAINED and the last ACK: 0, or slots have leaked
    struct net_stats stats;    // lifetimes
    uint32_t pairs;            // in ping-pong
    uint64_t solution;         // of an application: when its last operation ended, units
    uint64_t *pair_latency;    // per pair: summed over its rounds, units; NULL: none or not drained
    char stuck[160];           // NET_STUCK: what is stuck
};

// Stops early with NET_LIMITED once lifetimes of the consumed plus present ages of the others
// exceed limit_us times all packets to be generated (0: no limit): then the mean lifetime of the
// whole run exceeds limit_us. `stop` (may be NULL) is looked at now and then, and `progress`
// (0 .. 1, may be NULL) written. For a configuration that net_config_check takes; limit_us is 0 for
// a trace and ping-pong.
struct net_result net_run(const struct net_config *config, double limit_us, atomic_bool *stop,
                          _Atomic float *progress);

void net_result_free(struct net_result *result);

#endif
