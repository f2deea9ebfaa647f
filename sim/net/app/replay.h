// SPDX-License-Identifier: Apache-2.0
// An application on its way: which messages are born, and when, by what has left and arrived. Times
// in units; what happens to a rank depends on that rank's messages only.
#ifndef NET_REPLAY_H
#define NET_REPLAY_H

#include "app/application.h"

struct net_replay {
    const struct net_application *app;
    double pace;           // computation takes its time by this
    uint32_t packet;       // bytes
    uint32_t *node;        // per rank
    uint32_t *missing;     // per operation: what it waits for; of a recv that has begun: BEGUN
    uint64_t *ready;       // per operation: none of that was later; units
    uint64_t *born;        // per message; UINT64_MAX: not yet known
    uint64_t *arrived;     // per message: its last packet
    uint32_t *to_leave;    // per message: packets
    uint32_t *to_arrive;   // per message: packets
    uint32_t *next;        // per message: behind it in its node's queue; NET_NO_MESSAGE: none
    uint32_t *head, *tail; // per node: messages born that have not begun to leave
    uint32_t *stack;       // operations whose begin (or end, bit 31) is to be seen to
    uint32_t ended;        // operations
    uint64_t end;          // when the last one of them did, units
    uint64_t generated;    // packets of messages that were queued
};

// What is called for every message whose birth is now known; time: not before what led to it.
typedef void net_replay_born(void *context, uint32_t message, uint64_t time);

// nodes: of the torus, at least as many as ranks; node: per rank, becomes the replay's, NULL: as
// numbered. False: out of memory; free it then, too.
bool net_replay_init(struct net_replay *replay, const struct net_application *app, double pace,
                     uint32_t packet_bytes, uint32_t nodes, uint32_t *node);
void net_replay_free(struct net_replay *replay);

// All that waits for nothing begins at time 0.
void net_replay_start(struct net_replay *replay, net_replay_born *born, void *context);

// A packet of the message enters the network, or its last byte arrives, at `time`.
void net_replay_left(struct net_replay *replay, uint32_t message, uint64_t time,
                     net_replay_born *born, void *context);
void net_replay_arrived(struct net_replay *replay, uint32_t message, uint64_t time,
                        net_replay_born *born, void *context);

uint32_t net_replay_packets(const struct net_replay *replay, uint32_t message);

// The message is born now: it goes behind those of its node. The first of a node's, which leaves
// the queue, or NET_NO_MESSAGE.
void net_replay_queue(struct net_replay *replay, uint32_t message);
uint32_t net_replay_next(struct net_replay *replay, uint32_t node);

static inline uint32_t net_replay_source(const struct net_replay *replay, uint32_t message)
{
    return replay->node[replay->app->op[replay->app->send[message]].rank];
}

static inline uint32_t net_replay_destination(const struct net_replay *replay, uint32_t message)
{
    return replay->node[replay->app->op[replay->app->send[message]].peer];
}

#endif
