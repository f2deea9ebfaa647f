// SPDX-License-Identifier: Apache-2.0
// Which messages there are and when: of a pattern, one per node and period, numbered per node; of a
// trace, its lines, numbered through; of ping-pong, the pairs' chains; of an application, its
// sends.
#ifndef NET_SCHEDULE_H
#define NET_SCHEDULE_H

#include "app/replay.h"
#include "config/config.h"
#include "traffic/pairs.h"
#include "traffic/trace.h"

struct net_schedule {
    const struct net_config *config;
    const struct net_trace *trace; // NULL: none
    struct net_pairs pairs;        // count 0: none
    struct net_replay replay;      // app NULL: none
    struct net_traffic traffic;
    uint32_t nodes;
    double period;       // units; of a pattern
    uint32_t batches;    // of statistics
    uint64_t packets;    // of all messages
    uint64_t generation; // units; when the last generation period ends
};

// False: out of memory.
bool net_schedule_init(struct net_schedule *schedule, const struct net_config *config);
void net_schedule_free(struct net_schedule *schedule);

// The message of a node after `message` (NET_NO_MESSAGE: its first); NET_NO_MESSAGE: none.
uint32_t net_schedule_next(const struct net_schedule *schedule, uint32_t node, uint32_t message);

uint32_t net_schedule_destination(const struct net_schedule *schedule, uint32_t node,
                                  uint32_t message);
uint32_t net_schedule_packets(const struct net_schedule *schedule, uint32_t message);

// A packet of a message arrives at `time`. Returns the message that is born by that, at the node
// where it arrives, whose generator has none then; NET_NO_MESSAGE: none.
uint32_t net_schedule_arrived(struct net_schedule *schedule, uint32_t message, uint64_t time);

static inline uint64_t net_schedule_born(const struct net_schedule *schedule, uint32_t message)
{
    if (schedule->replay.app)
        return schedule->replay.born[message];
    if (schedule->pairs.count)
        return schedule->pairs.born[message];
    return schedule->trace ? schedule->trace->message[message].time
                           : (uint64_t)(message * schedule->period);
}

// Batch of statistics: a pattern's generation period, a 32nd of a trace's or an application's
// messages, a round.
static inline uint32_t net_schedule_batch(const struct net_schedule *schedule, uint32_t message)
{
    if (schedule->pairs.count)
        return message / 2 % schedule->pairs.rounds;
    if (schedule->replay.app)
        return (uint32_t)((uint64_t)message * schedule->batches / schedule->replay.app->messages);
    return schedule->trace
               ? (uint32_t)((uint64_t)message * schedule->batches / schedule->trace->count)
               : message;
}

// Packets born by `now`.
uint64_t net_schedule_generated(const struct net_schedule *schedule, uint64_t now);

#endif
