// SPDX-License-Identifier: Apache-2.0
// The event queue: a timing wheel of 1/60 ns, in which every fixed delay of the paper's Table 1 is
// an integer; a heap for the few events beyond its horizon; and lines, one for each delay that most
// events have, which are in order by themselves, cost next to nothing and show what comes.
//
// Order. By time, at one time by kind. Events of one time and kind leave a line in the order in
// which they came, and so they leave the wheel; between a line, the wheel and the heap it is open.
#ifndef NET_WHEEL_H
#define NET_WHEEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NET_LINES = 6, NET_KINDS = 8 };

// What is to happen; `kind` (0 .. NET_KINDS - 1), `index` and `packet` are the engine's. 16 bytes.
struct net_event {
    uint32_t next; // in the wheel's slot, or in the list of unused events
    uint32_t kind;
    uint32_t index;
    uint32_t packet;
};

struct net_line_event {
    uint32_t time; // modulo 2^32: net_wheel_time
    uint32_t index;
};

struct net_line {
    struct net_line_event *at; // a ring
    char *cargo;               // beside it: cargo_size bytes for each event
    size_t cargo_size;
    uint32_t first, count, mask;
    uint32_t kind;
};

struct net_far {
    uint64_t time;
    struct net_event event;
};

struct net_wheel {
    uint64_t now; // units; the time of the event taken last
    // Key (time * NET_KINDS + kind) of the first event of each line, of those in the wheel, and of
    // those in the heap; UINT64_MAX: none.
    uint64_t soonest[NET_LINES + 2];
    uint32_t mask;      // slots - 1
    uint32_t *tail;     // per slot: its last event, whose `next` is the first; UINT32_MAX: none
    uint64_t *occupied; // a bit per slot
    struct net_event *events;
    uint32_t unused; // list of unused events
    uint32_t capacity;
    uint32_t pending; // events in the wheel
    struct net_line line[NET_LINES];
    struct net_far *far;
    uint32_t far_count, far_capacity;
};

// For delays below `horizon` units without the heap; cargo[l]: bytes that an event of line l
// carries, 0: none; kind[l]: that of its events. False: out of memory.
bool net_wheel_init(struct net_wheel *wheel, uint64_t horizon, const size_t cargo[NET_LINES],
                    const uint32_t kind[NET_LINES]);
void net_wheel_free(struct net_wheel *wheel);

// Puts an event `time` >= now; beyond the horizon into the heap. False: out of memory.
bool net_wheel_put_slow(struct net_wheel *wheel, uint64_t time, struct net_event event);

// Makes a line longer. False: out of memory.
bool net_wheel_grow(struct net_line *line);

// Takes the first event of the heap.
struct net_event net_wheel_take_far(struct net_wheel *wheel);

static inline uint64_t net_wheel_key(uint64_t time, uint32_t kind)
{
    return time * NET_KINDS + kind;
}

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
        wheel->tail[slot] = e;
    } else if (wheel->events[tail].kind <= kind) {
        *event = (struct net_event){wheel->events[tail].next, kind, index, packet};
        wheel->events[tail].next = e;
        wheel->tail[slot] = e;
    } else { // behind all others up to its kind
        uint32_t before = tail;
        while (wheel->events[wheel->events[before].next].kind <= kind)
            before = wheel->events[before].next;
        *event = (struct net_event){wheel->events[before].next, kind, index, packet};
        wheel->events[before].next = e;
    }
    wheel->pending++;
    uint64_t key = net_wheel_key(time, kind), *soonest = &wheel->soonest[NET_LINES];
    *soonest = key < *soonest ? key : *soonest;
    return true;
}

// When it is.
static inline uint64_t net_wheel_time(const struct net_wheel *wheel, const struct net_line_event *e)
{
    return wheel->now + (uint32_t)(e->time - (uint32_t)wheel->now);
}

// Puts an event there, at a time not before that of any other in the line and less than 2^32 units
// from now. Returns where its cargo
// goes, aligned to 16 bytes where its size is (not NULL without cargo either), or NULL: out of
// memory.
static inline void *net_wheel_put_line(struct net_wheel *wheel, uint32_t l, uint64_t time,
                                       uint32_t index)
{
    struct net_line *line = &wheel->line[l];
    if (line->count > line->mask && !net_wheel_grow(line))
        return NULL;
    uint32_t place = (line->first + line->count++) & line->mask;
    line->at[place] = (struct net_line_event){(uint32_t)time, index};
    if (line->count == 1)
        wheel->soonest[l] = net_wheel_key(time, line->kind);
    return line->cargo + place * line->cargo_size;
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
    return &wheel->events[wheel->events[wheel->tail[soonest / NET_KINDS & wheel->mask]].next];
}

// Where the next event is: a line; NET_LINES: the wheel; NET_LINES + 1: the heap. *key: its key,
// UINT64_MAX: there is none.
static inline uint32_t net_wheel_first(const struct net_wheel *wheel, uint64_t *key)
{
    uint64_t least = wheel->soonest[0];
    uint32_t first = 0;
    for (uint32_t l = 1; l < NET_LINES + 2; l++) {
        first = wheel->soonest[l] < least ? l : first;
        least = wheel->soonest[l] < least ? wheel->soonest[l] : least;
    }
    *key = least;
    return first;
}

// Takes `count` events off a line.
static inline void net_wheel_drop(struct net_wheel *wheel, uint32_t l, uint32_t count)
{
    struct net_line *line = &wheel->line[l];
    line->first = (line->first + count) & line->mask;
    line->count -= count;
    wheel->soonest[l] =
        line->count ? net_wheel_key(net_wheel_time(wheel, &line->at[line->first]), line->kind)
                    : UINT64_MAX;
}

// Takes the first event of the wheel, which has one.
static inline struct net_event net_wheel_take_wheel(struct net_wheel *wheel)
{
    uint64_t time = wheel->soonest[NET_LINES] / NET_KINDS;
    uint32_t slot = (uint32_t)time & wheel->mask, tail = wheel->tail[slot];
    uint32_t e = wheel->events[tail].next;
    struct net_event event = wheel->events[e];
    wheel->events[e].next = wheel->unused;
    wheel->unused = e;
    wheel->pending--;
    if (e != tail) {
        wheel->events[tail].next = event.next;
        wheel->soonest[NET_LINES] = net_wheel_key(time, wheel->events[event.next].kind);
        return event;
    }
    wheel->tail[slot] = UINT32_MAX;
    uint32_t word = slot / 64, last = wheel->mask / 64;
    uint64_t bits = wheel->occupied[word] & ~((uint64_t)1 << slot % 64);
    wheel->occupied[word] = bits;
    wheel->soonest[NET_LINES] = UINT64_MAX;
    if (wheel->pending == 0)
        return event;
    bits &= ~(uint64_t)0 << slot % 64;
    while (!bits) {
        word = word == last ? 0 : word + 1;
        bits = wheel->occupied[word];
    }
    uint32_t next = word * 64 + (uint32_t)__builtin_ctzll(bits);
    wheel->soonest[NET_LINES] =
        net_wheel_key(time + ((next - slot) & wheel->mask),
                      wheel->events[wheel->events[wheel->tail[next]].next].kind);
    return event;
}

// Takes the earliest event, off a line without its cargo, and moves `now`. False: there is none.
static inline bool net_wheel_take(struct net_wheel *wheel, struct net_event *event)
{
    uint64_t key;
    uint32_t l = net_wheel_first(wheel, &key);
    if (key == UINT64_MAX)
        return false;
    wheel->now = key / NET_KINDS;
    if (l < NET_LINES) {
        const struct net_line *line = &wheel->line[l];
        *event = (struct net_event){0, line->kind, line->at[line->first].index, 0};
        net_wheel_drop(wheel, l, 1);
    } else {
        *event = l == NET_LINES ? net_wheel_take_wheel(wheel) : net_wheel_take_far(wheel);
    }
    return true;
}

#endif
