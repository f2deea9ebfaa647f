// SPDX-License-Identifier: Apache-2.0
#include "pin_cable.h"

#include <string.h>

enum { BOUNCES = 24 }; // edges of a plug that is put in

void pin_init(struct pin_cable *c, uint64_t seed, unsigned wires)
{
    memset(c, 0, sizeof *c);
    c->rng.state = seed;
    c->wires = wires;
}

void pin_error_rate(struct pin_cable *c, double rate)
{
    noise_error_rate(&c->noise, &c->rng, rate);
}

// Edges of a line do not overtake each other.
static void push(struct pin_cable *c, struct pin_line *l, uint64_t now, bool level)
{
    uint64_t at = now + c->delay + (uint64_t)l->skew;
    if (c->jitter)
        at += rng_next(&c->rng) % (2 * c->jitter + 1);
    if (at <= l->last)
        at = l->last + 1;
    if (l->count == PIN_QUEUE)
        return;
    l->edge[(l->first + l->count++) % PIN_QUEUE] = (struct pin_edge){at, level};
    l->last = at;
}

void pin_drive(struct pin_cable *c, uint64_t now, uint64_t bits)
{
    uint64_t wrong = noise_step(&c->noise, &c->rng, c->wires, c->fault == PIN_NOISE);
    c->bits += c->wires;
    for (unsigned w = 0; w < c->wires; w++) {
        bool bit = ((bits ^ wrong) >> w) & 1;
        c->errors += (wrong >> w) & 1;
        if (c->fault == PIN_STUCK && w == c->stuck_wire)
            bit = c->stuck_at;
        if (c->fault != PIN_DEAD && !c->out)
            push(c, &c->data[w], now, bit);
    }
}

void pin_clock(struct pin_cable *c, uint64_t now, bool level)
{
    if (c->was_out && !c->out)
        for (unsigned i = 0; i < BOUNCES; i++)
            push(c, &c->clock, now + rng_next(&c->rng) % (PIN_BIT * 3), i & 1);
    c->was_out = c->out;
    if (c->fault != PIN_DEAD && !c->out)
        push(c, &c->clock, now, level);
}

uint64_t pin_next(const struct pin_cable *c)
{
    return c->clock.count ? c->clock.edge[c->clock.first].at : PIN_NEVER;
}

static void take(struct pin_line *l)
{
    l->level = l->edge[l->first].level;
    l->first = (l->first + 1) % PIN_QUEUE;
    l->count--;
}

bool pin_take(struct pin_cable *c, uint64_t *bits)
{
    uint64_t now = pin_next(c);
    take(&c->clock);
    *bits = 0;
    for (unsigned w = 0; w < c->wires; w++) {
        struct pin_line *l = &c->data[w];
        while (l->count && l->edge[l->first].at + c->tap * l->taps <= now)
            take(l);
        *bits |= (uint64_t)l->level << w;
    }
    return c->clock.level;
}
