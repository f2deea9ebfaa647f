// SPDX-License-Identifier: Apache-2.0
// The event queue: a timing wheel of 1/60 ns, in which every fixed delay of the paper's Table 1 is
// an integer, and a heap for the few events beyond its horizon. Events of the same time leave in
// the order in which they came, those of the heap first and in the order of their index.
#ifndef NET_WHEEL_H
#define NET_WHEEL_H

#include <stdbool.h>
#include <stdint.h>

enum { NET_UNITS_PER_NS = 60 };

// What is to happen; `kind` and `index` are the engine's. 16 bytes.
struct net_event {
    uint32_t next; // in the wheel's slot, or in the list of unused events
    uint32_t kind;
    uint32_t index;
    uint32_t packet;
};

struct net_far {
    uint64_t time;
    struct net_event event;
};

struct net_wheel {
    uint64_t now;       // units; the time of the event taken last
    uint32_t mask;      // slots - 1
    uint32_t *tail;     // per slot: its last event, whose `next` is the first; UINT32_MAX: none
    uint64_t *occupied; // a bit per slot
    struct net_event *events;
    uint32_t unused; // list of unused events
    uint32_t capacity;
    uint32_t pending; // events in the wheel
    struct net_far *far;
    uint32_t far_count, far_capacity;
};

// For delays below `horizon` units without the heap. False: out of memory.
bool net_wheel_init(struct net_wheel *wheel, uint64_t horizon);
void net_wheel_free(struct net_wheel *wheel);

// Puts an event `time` >= now; beyond the horizon into the heap. False: out of memory.
bool net_wheel_put_slow(struct net_wheel *wheel, uint64_t time, struct net_event event);

// Takes the earliest event and moves `now`. False: there is none.
bool net_wheel_take(struct net_wheel *wheel, struct net_event *event);

static inline bool net_wheel_put(struct net_wheel *wheel, uint64_t time, uint32_t kind,
                                 uint32_t index, uint32_t packet)
{
    uint32_t e = wheel->unused;
    if (time - wheel->now > wheel->mask || e == UINT32_MAX)
        return net_wheel_put_slow(wheel, time, (struct net_event){0, kind, index, packet});
    uint32_t slot = (uint32_t)time & wheel->mask;
    struct net_event *event = &wheel->events[e];
    uint32_t tail = wheel->tail[slot];
    wheel->unused = event->next;
    if (tail == UINT32_MAX) {
        *event = (struct net_event){e, kind, index, packet};
        wheel->occupied[slot / 64] |= (uint64_t)1 << slot % 64;
    } else {
        *event = (struct net_event){wheel->events[tail].next, kind, index, packet};
        wheel->events[tail].next = e;
    }
    wheel->tail[slot] = e;
    wheel->pending++;
    return true;
}

#endif
