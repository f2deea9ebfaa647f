// SPDX-License-Identifier: Apache-2.0
#include "traffic/arrivals.h"

#include <math.h>
#include <stdio.h>

#include "config/random.h"
#include "traffic/trace.h"

// Of being on, of a birth in a slot that is on, of on to off, of off to on.
struct chances {
    double on, birth, leave, join;
};

static struct chances chances(const struct net_config *c, double period)
{
    struct chances p = {.on = 1, .birth = 1 / period};
    if (c->arrivals == NET_ARRIVAL_ONOFF) {
        p.on = c->on_fraction;
        p.birth /= p.on;
        p.leave = p.birth / c->on_messages;
        p.join = p.leave * p.on / (1 - p.on);
    }
    return p;
}

// Numbers in a period, at least: so as to be compared with 1 with rounding left out of it.
static double period_of(const struct net_config *c)
{
    struct net_times t = net_config_times(c);
    return t.message / (double)t.int_packet;
}

const char *net_arrivals_check(const struct net_config *c, char *message, unsigned size)
{
    if (c->arrivals == NET_ARRIVAL_BURST)
        return NULL;
    double period = period_of(c), slots = ceil(period * c->messages);
    struct chances p = chances(c, period);
    if (p.birth > 1 + 1e-9)
        snprintf(message, size,
                 "load %g is more than a message in every slot of a packet's time on the "
                 "generator's link: at most %.4g",
                 c->load, c->load / p.birth);
    else if (slots > NET_MAX_ARRIVAL_SLOTS)
        snprintf(message, size,
                 "%u messages at load %g last %.0f slots of a packet's time on the generator's "
                 "link, more than %d: fewer messages or a higher load",
                 c->messages, c->load, slots, NET_MAX_ARRIVAL_SLOTS);
    else if (p.leave > 1 || p.join > 1)
        snprintf(message, size,
                 "a node cannot be on for %g of the time and %g messages: a smaller --on-fraction "
                 "or more --on-messages",
                 c->on_fraction, c->on_messages);
    else
        return NULL;
    return message;
}

static uint64_t share(double chance)
{
    return (uint64_t)llround(fmin(chance, 1) * 0x1p32);
}

void net_arrivals_init(struct net_arrivals *a, const struct net_config *c)
{
    struct net_times t = net_config_times(c);
    *a = (struct net_arrivals){
        .kind = c->arrivals, .seed = c->seed, .messages = c->messages, .period = 1};
    if (c->arrivals == NET_ARRIVAL_BURST) {
        a->numbers = c->messages;
        a->step = t.message;
        return;
    }
    a->period = fmax(period_of(c), 1);
    a->numbers = (uint32_t)ceil(a->period * c->messages);
    a->step = (double)t.int_packet;
    struct chances p = chances(c, a->period);
    a->on = share(p.on);
    a->birth = share(p.birth);
    a->leave = share(p.leave);
    a->join = share(p.join);
}

static uint32_t next_staggered(const struct net_arrivals *a, uint32_t node, uint32_t message)
{
    uint64_t draw = net_random(a->seed, DRAW_ARRIVAL, node, 0);
    double phase = (double)(draw >> 11) * 0x1p-53 * a->period;
    uint32_t m = 0;
    if (message != NET_NO_MESSAGE) {
        double about = floor(((double)message - phase) / a->period);
        m = about > 0 ? (uint32_t)about : 0;
        while ((uint32_t)(phase + m * a->period) <= message)
            m++;
    }
    return m < a->messages ? (uint32_t)(phase + m * a->period) : NET_NO_MESSAGE;
}

uint32_t net_arrivals_next(const struct net_arrivals *a, uint32_t node, uint32_t message)
{
    uint32_t slot = message == NET_NO_MESSAGE ? 0 : message + 1;
    uint64_t draw;
    if (a->kind == NET_ARRIVAL_STAGGERED)
        return next_staggered(a, node, message);
    if (a->kind == NET_ARRIVAL_BURST)
        return slot < a->numbers ? slot : NET_NO_MESSAGE;
    bool on = true; // where a message was born the node was
    if (message == NET_NO_MESSAGE) {
        draw = net_random(a->seed, DRAW_ARRIVAL, node, 1);
        on = draw >> 32 < a->on;
    } else {
        draw = net_random(a->seed, DRAW_ARRIVAL, node, (uint64_t)message << 1);
        on = (draw & UINT32_MAX) >= a->leave;
    }
    for (; slot < a->numbers; slot++) {
        // Upper half: a birth; lower half: on or off from the next slot on.
        draw = net_random(a->seed, DRAW_ARRIVAL, node, (uint64_t)slot << 1);
        if (on && draw >> 32 < a->birth)
            return slot;
        on = on ? (draw & UINT32_MAX) >= a->leave : (draw & UINT32_MAX) < a->join;
    }
    return NET_NO_MESSAGE;
}
