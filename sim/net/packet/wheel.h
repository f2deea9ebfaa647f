// SPDX-License-Identifier: Apache-2.0
// The event queue: a timing wheel of 1/60 ns, in which every fixed delay of the paper's Table 1 is
// an integer; a heap for the few events beyond its horizon; and lines, one for each delay that most
// events have, which are in order by themselves, cost next to nothing and show what comes. Events
// of the same time leave in the order in which they came, those of the heap first and in the order
// of their index.
#ifndef NET_WHEEL_H
#define NET_WHEEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NET_LINES = 4 };

// What is to happen; `kind` (0 .. 15) and `index` (below 2^28) are the engine's. 16 bytes.
struct net_event {
    uint32_t next;  // in the wheel's slot, or in the list of unused events
    uint32_t order; // of coming, modulo 2^32
    uint32_t kind : 4, index : 28;
    uint32_t packet; // the engine's, too
};

struct net_line_event {
    uint64_t time;
    uint32_t order;
    uint32_t index;
};

struct net_line {
    struct net_line_event *at; // a ring
    char *cargo;               // beside it: cargo_size bytes for each event
    size_t cargo_size;
    uint32_t first, count, mask;
};

struct net_far {
    uint64_t time;
    struct net_event event;
};

struct net_wheel {
    uint64_t now;                    // units; the time of the event taken last
    uint64_t soonest[NET_LINES + 1]; // time of the first event of each line; last: of those in the
                                     // wheel; UINT64_MAX: none
    uint32_t mask;                   // slots - 1
    uint32_t *tail;     // per slot: its last event, whose `next` is the first; UINT32_MAX: none
    uint64_t *occupied; // a bit per slot
    struct net_event *events;
    uint32_t unused; // list of unused events
    uint32_t capacity;
    uint32_t pending; // events in the wheel
    uint32_t order;
    struct net_line line[NET_LINES]; // of the kinds 0, 1, ...
    struct net_far *far;
    uint32_t far_count, far_capacity;
};

// For delays below `horizon` units without the heap; cargo[l]: bytes that an event of line l
// carries, 0: none. False: out of memory.
bool net_wheel_init(struct net_wheel *wheel, uint64_t horizon, const size_t cargo[NET_LINES]);
void net_wheel_free(struct net_wheel *wheel);

// Puts an event `time` >= now; beyond the horizon into the heap. False: out of memory.
bool net_wheel_put_slow(struct net_wheel *wheel, uint64_t time, struct net_event event);

// Makes a line longer. False: out of memory.
bool net_wheel_grow(struct net_line *line);

// Takes the first event of the heap.
struct net_event net_wheel_take_far(struct net_wheel *wheel);

static inline bool net_wheel_put(struct net_wheel *wheel, uint64_t time, uint32_t kind,
                                 uint32_t index, uint32_t packet)
{
    uint32_t e = wheel->unused;
    if (time - wheel->now > wheel->mask || e == UINT32_MAX)
        return net_wheel_put_slow(wheel, time, (struct net_event){0, 0, kind, index, packet});
    uint32_t slot = (uint32_t)time & wheel->mask;
    struct net_event *event = &wheel->events[e];
    uint32_t tail = wheel->tail[slot];
    uint32_t order = wheel->order++;
    wheel->unused = event->next;
    if (tail == UINT32_MAX) {
        *event = (struct net_event){e, order, kind, index, packet};
        wheel->occupied[slot / 64] |= (uint64_t)1 << slot % 64;
    } else {
        *event = (struct net_event){wheel->events[tail].next, order, kind, index, packet};
        wheel->events[tail].next = e;
    }
    wheel->tail[slot] = e;
    wheel->pending++;
    uint64_t *soonest = &wheel->soonest[NET_LINES];
    *soonest = time < *soonest ? time : *soonest;
    return true;
}

// Puts an event of kind `line` there, at a time not before that of any other in the line. Returns
// where its cargo goes, aligned to 16 bytes where its size is (not NULL without cargo either), or
// NULL: out of memory.
static inline void *net_wheel_put_line(struct net_wheel *wheel, uint32_t kind, uint64_t time,
                                       uint32_t index)
{
    struct net_line *line = &wheel->line[kind];
    if (line->count > line->mask && !net_wheel_grow(line))
        return NULL;
    uint32_t place = (line->first + line->count++) & line->mask;
    line->at[place] = (struct net_line_event){time, wheel->order++, index};
    if (line->count == 1)
        wheel->soonest[kind] = time;
    return line->cargo + place * line->cargo_size;
}

// The cargo of the event that was taken last, of this line: there until the next one is put.
static inline const void *net_wheel_cargo(const struct net_line *line)
{
    return line->cargo + ((line->first - 1) & line->mask) * line->cargo_size;
}

// The event of a line that has `ahead` others before it, and its cargo; NULL: none.
static inline const struct net_line_event *net_wheel_ahead(const struct net_line *line,
                                                           uint32_t ahead)
{
    return ahead < line->count ? &line->at[(line->first + ahead) & line->mask] : NULL;
}

static inline const void *net_wheel_cargo_ahead(const struct net_line *line, uint32_t ahead)
{
    return line->cargo + ((line->first + ahead) & line->mask) * line->cargo_size;
}

// The first event of the wheel itself; NULL: none.
static inline const struct net_event *net_wheel_peek(const struct net_wheel *wheel)
{
    uint64_t soonest = wheel->soonest[NET_LINES];
    if (soonest == UINT64_MAX)
        return NULL;
    return &wheel->events[wheel->events[wheel->tail[soonest & wheel->mask]].next];
}

// The line whose first event is the next of all but the heap's; NET_LINES: it is the wheel's.
// Without branches while no two are at the same time, since nobody can guess which line it is.
static inline uint32_t net_wheel_first_line(const struct net_wheel *wheel)
{
    uint64_t time = wheel->soonest[0];
    uint32_t first = 0, same = 0, order = 0;
    for (uint32_t l = 1; l <= NET_LINES; l++) {
        first = wheel->soonest[l] < time ? l : first;
        time = wheel->soonest[l] < time ? wheel->soonest[l] : time;
    }
    for (uint32_t l = 0; l <= NET_LINES; l++)
        same += wheel->soonest[l] == time;
    if (same == 1 || time == UINT64_MAX)
        return time == UINT64_MAX ? NET_LINES : first;
    for (uint32_t l = 0, known = 0; l <= NET_LINES; l++) {
        if (wheel->soonest[l] != time)
            continue;
        const struct net_line *line = &wheel->line[l];
        uint32_t its = l < NET_LINES ? line->at[line->first].order : net_wheel_peek(wheel)->order;
        if (!known++ || (int32_t)(its - order) < 0) {
            order = its;
            first = l;
        }
    }
    return first;
}

// Takes the earliest event and moves `now`. False: there is none.
static inline bool net_wheel_take(struct net_wheel *wheel, struct net_event *event)
{
    uint32_t l = net_wheel_first_line(wheel);
    uint64_t time = wheel->soonest[l];
    if (wheel->far_count && wheel->far[0].time <= time) {
        wheel->now = wheel->far[0].time;
        *event = net_wheel_take_far(wheel);
        return true;
    }
    if (l < NET_LINES) {
        struct net_line *line = &wheel->line[l];
        const struct net_line_event *first = &line->at[line->first];
        *event = (struct net_event){0, first->order, l, first->index, 0};
        wheel->now = time;
        line->first = (line->first + 1) & line->mask;
        wheel->soonest[l] = --line->count ? line->at[line->first].time : UINT64_MAX;
        return true;
    }
    if (time == UINT64_MAX)
        return false;
    uint32_t slot = (uint32_t)time & wheel->mask, tail = wheel->tail[slot];
    uint32_t e = wheel->events[tail].next;
    *event = wheel->events[e];
    wheel->events[e].next = wheel->unused;
    wheel->unused = e;
    wheel->pending--;
    wheel->now = time;
    if (e != tail) {
        wheel->events[tail].next = event->next;
        return true;
    }
    wheel->tail[slot] = UINT32_MAX;
    uint32_t word = slot / 64, last = wheel->mask / 64;
    uint64_t bits = wheel->occupied[word] & ~((uint64_t)1 << slot % 64);
    wheel->occupied[word] = bits;
    wheel->soonest[NET_LINES] = UINT64_MAX;
    if (wheel->pending == 0)
        return true;
    bits &= ~(uint64_t)0 << slot % 64;
    while (!bits) {
        word = word == last ? 0 : word + 1;
        bits = wheel->occupied[word];
    }
    uint32_t next = word * 64 + (uint32_t)__builtin_ctzll(bits);
    wheel->soonest[NET_LINES] = time + ((next - slot) & wheel->mask);
    return true;
}

#endif
