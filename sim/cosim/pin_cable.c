// SPDX-License-Identifier: Apache-2.0
#include "pin_cable.h"

#include <math.h>
#include <string.h>

enum { BOUNCES = 24 }; // edges of a plug that is put in

static double uniform(struct rng *rng)
{
    return (double)((rng_next(rng) >> 11) + 1) / 9007199254740993.0; // above 0, at most 1
}

static void draw_error(struct pin_cable *c)
{
    c->until_error = c->error_rate > 0 ? floor(log(uniform(&c->rng)) / log1p(-c->error_rate)) : 0;
}

void pin_init(struct pin_cable *c, uint64_t seed, unsigned wires)
{
    memset(c, 0, sizeof *c);
    c->rng.state = seed;
    c->wires = wires;
}

void pin_error_rate(struct pin_cable *c, double rate)
{
    c->error_rate = rate;
    draw_error(c);
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

// Which bits of this bit time are wrong.
static uint64_t disturb(struct pin_cable *c)
{
    uint64_t wrong = 0;
    if (c->error_rate > 0) {
        while (c->until_error < c->wires) {
            wrong ^= UINT64_C(1) << (unsigned)c->until_error;
            double at = c->until_error;
            draw_error(c);
            c->until_error += at + 1;
        }
        c->until_error -= c->wires;
    }
    if (!c->burst_left && c->burst_rate > 0 && uniform(&c->rng) < c->burst_rate)
        c->burst_left = 1 + rng_below(&c->rng, 2 * c->burst_bits);
    if (c->burst_left || c->fault == PIN_NOISE) {
        c->burst_left -= c->burst_left > 0;
        wrong ^= rng_next(&c->rng);
    }
    return wrong;
}

void pin_drive(struct pin_cable *c, uint64_t now, uint64_t bits)
{
    uint64_t wrong = disturb(c);
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
        while (l->count && l->edge[l->first].at <= now)
            take(l);
        *bits |= (uint64_t)l->level << w;
    }
    return c->clock.level;
}
