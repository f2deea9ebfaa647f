// SPDX-License-Identifier: Apache-2.0
// Which messages there are and when: of a pattern, numbered per node by when they are born
// (arrivals.h); of a trace, its lines, numbered through; of ping-pong, the pairs' chains; of an
// application, its sends.
#ifndef NET_SCHEDULE_H
#define NET_SCHEDULE_H

#include "app/replay.h"
#include "config/config.h"
#include "traffic/arrivals.h"
#include "traffic/pairs.h"
#include "traffic/trace.h"

struct net_schedule {
    const struct net_config *config;
    const struct net_trace *trace; // NULL: none
    struct net_pairs pairs;        // count 0: none
    struct net_replay replay;      // app NULL: none
    struct net_traffic traffic;
    struct net_arrivals arrivals; // of a pattern
    // Of a pattern, of all nodes' messages with lower numbers: packets, and packets times number.
    // Also how many packets stand before each in its message, added up.
    uint64_t *packets_before, *numbers_before, *places_before; // [numbers + 1]
    uint32_t nodes;
    uint32_t batches;    // of statistics
    double batch_rate;   // of a pattern: 1 / units; else 0
    uint64_t packets;    // of all messages
    uint64_t generation; // units; when the last generation period ends; UINT64_MAX: none
};

// False: out of memory.
bool net_schedule_init(struct net_schedule *schedule, const struct net_config *config);
void net_schedule_free(struct net_schedule *schedule);

// The message of a node after `message` (NET_NO_MESSAGE: its first); NET_NO_MESSAGE: none.
uint32_t net_schedule_next(const struct net_schedule *schedule, uint32_t node, uint32_t message);

uint32_t net_schedule_destination(const struct net_schedule *schedule, uint32_t node,
                                  uint32_t message);
uint32_t net_schedule_packets(const struct net_schedule *schedule, uint32_t node, uint32_t message);

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
                           : net_arrivals_born(&schedule->arrivals, message);
}

// Batch of statistics: a pattern's generation period, or with random arrivals a 160th of the time
// of generation; a 32nd of a trace's or an application's messages; a round.
static inline uint32_t net_schedule_batch(const struct net_schedule *schedule, uint32_t message)
{
    if (schedule->pairs.count)
        return message / 2 % schedule->pairs.rounds;
    if (schedule->replay.app)
        return (uint32_t)((uint64_t)message * schedule->batches / schedule->replay.app->messages);
    return schedule->trace
               ? (uint32_t)((uint64_t)message * schedule->batches / schedule->trace->count)
           : schedule->batches == schedule->arrivals.numbers
               ? message
               : (uint32_t)((uint64_t)message * schedule->batches / schedule->arrivals.numbers);
}

// The batch whose time it is; of a pattern: else 0.
static inline uint32_t net_schedule_time_batch(const struct net_schedule *schedule, uint64_t time)
{
    uint32_t batch = (uint32_t)((double)time * schedule->batch_rate);
    return batch < schedule->batches ? batch : schedule->batches - 1;
}

// Packets born by `now`.
uint64_t net_schedule_generated(const struct net_schedule *schedule, uint64_t now);

// Of a pattern: ages at `now` of all packets that are born and not consumed, units. consumed: those
// that are; numbers: their messages' numbers added up.
double net_schedule_ages(const struct net_schedule *schedule, uint64_t now, uint64_t consumed,
                         uint64_t numbers);

// Of a pattern's packets that are not born at `now`: how many stand before each in its message,
// added up.
uint64_t net_schedule_unborn_places(const struct net_schedule *schedule, uint64_t now);

#endif
