// SPDX-License-Identifier: Apache-2.0
#include "packet/wheel.h"

#include <stdlib.h>
#include <string.h>

bool net_wheel_init(struct net_wheel *wheel, uint64_t horizon, const size_t cargo[NET_LINES],
                    const uint32_t kind[NET_LINES])
{
    uint32_t slots = 1024;
    // Beyond 2^22 slots (70 us) the heap is cheaper than memory.
    while (slots <= horizon && slots < 1u << 22)
        slots *= 2;
    *wheel = (struct net_wheel){.mask = slots - 1, .unused = UINT32_MAX};
    memset(wheel->soonest, 0xff, sizeof wheel->soonest);
    wheel->tail = malloc(slots * sizeof *wheel->tail);
    wheel->occupied = calloc(slots / 64, sizeof *wheel->occupied);
    if (!wheel->tail || !wheel->occupied)
        return false;
    memset(wheel->tail, 0xff, slots * sizeof *wheel->tail);
    for (int l = 0; l < NET_LINES; l++) {
        struct net_line *line = &wheel->line[l];
        *line = (struct net_line){.mask = 255, .cargo_size = cargo[l], .kind = kind[l]};
        line->at = malloc((line->mask + 1) * sizeof *line->at);
        line->cargo = malloc((line->mask + 1) * line->cargo_size + 1);
        if (!line->at || !line->cargo)
            return false;
    }
    return true;
}

void net_wheel_free(struct net_wheel *wheel)
{
    free(wheel->tail);
    free(wheel->occupied);
    free(wheel->events);
    free(wheel->far);
    for (int l = 0; l < NET_LINES; l++) {
        free(wheel->line[l].at);
        free(wheel->line[l].cargo);
    }
    *wheel = (struct net_wheel){0};
}

bool net_wheel_grow(struct net_line *line)
{
    size_t size = (size_t)line->mask + 1, each = line->cargo_size;
    struct net_line_event *at = realloc(line->at, 2 * size * sizeof *at);
    if (!at)
        return false;
    line->at = at;
    char *cargo = realloc(line->cargo, 2 * size * each + 1);
    if (!cargo)
        return false;
    line->cargo = cargo;
    // What went round lies before the first: it goes behind the last.
    memcpy(at + size, at, line->first * sizeof *at);
    memcpy(cargo + size * each, cargo, line->first * each);
    line->mask = (uint32_t)(2 * size - 1);
    return true;
}

static bool before(const struct net_far *a, const struct net_far *b)
{
    uint64_t x = net_wheel_key(a->time, a->event.kind), y = net_wheel_key(b->time, b->event.kind);
    return x != y ? x < y : a->event.index < b->event.index;
}

static void note_far(struct net_wheel *wheel)
{
    const struct net_far *first = wheel->far;
    wheel->soonest[NET_LINES + 1] =
        wheel->far_count ? net_wheel_key(first->time, first->event.kind) : UINT64_MAX;
}

static bool far_put(struct net_wheel *wheel, uint64_t time, struct net_event event)
{
    if (wheel->far_count == wheel->far_capacity) {
        uint32_t capacity = wheel->far_capacity ? 2 * wheel->far_capacity : 64;
        struct net_far *far = realloc(wheel->far, capacity * sizeof *far);
        if (!far)
            return false;
        wheel->far = far;
        wheel->far_capacity = capacity;
    }
    struct net_far new = {time, event};
    uint32_t i = wheel->far_count++;
    for (; i > 0 && before(&new, &wheel->far[(i - 1) / 2]); i = (i - 1) / 2)
        wheel->far[i] = wheel->far[(i - 1) / 2];
    wheel->far[i] = new;
    note_far(wheel);
    return true;
}

struct net_event net_wheel_take_far(struct net_wheel *wheel)
{
    struct net_event first = wheel->far[0].event;
    struct net_far last = wheel->far[--wheel->far_count];
    uint32_t i = 0;
    for (;;) {
        uint32_t child = 2 * i + 1;
        if (child >= wheel->far_count)
            break;
        if (child + 1 < wheel->far_count && before(&wheel->far[child + 1], &wheel->far[child]))
            child++;
        if (!before(&wheel->far[child], &last))
            break;
        wheel->far[i] = wheel->far[child];
        i = child;
    }
    wheel->far[i] = last;
    note_far(wheel);
    return first;
}

bool net_wheel_put_slow(struct net_wheel *wheel, uint64_t time, struct net_event event)
{
    if (time - wheel->now > wheel->mask)
        return far_put(wheel, time, event);
    uint32_t capacity = wheel->capacity ? 2 * wheel->capacity : 256;
    struct net_event *events = realloc(wheel->events, capacity * sizeof *events);
    if (!events)
        return false;
    for (uint32_t e = wheel->capacity; e < capacity; e++)
        events[e].next = e + 1 < capacity ? e + 1 : UINT32_MAX;
    wheel->events = events;
    wheel->unused = wheel->capacity;
    wheel->capacity = capacity;
    return net_wheel_put(wheel, time, event.kind, event.index, event.packet);
}
