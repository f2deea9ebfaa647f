// SPDX-License-Identifier: Apache-2.0
#include "node_time.h"

#include "ofr_regs.h"

#include <string.h>

enum {
    ID_BITS = 11,
    DISTANCE = 31,
    YOUNG = 0x7ff,
    NEAR = 512, // eighths of a cycle
    NEAR_OTHER = 32,
    GOOD = 16,
    LOCKED = 32, // measurements
    SURE = 127,
    WAIT = 3,
};

void ofr_time_init(struct ofr_time *t, const struct ofr_shape *shape, uint64_t serial)
{
    memset(t, 0, sizeof *t);
    t->ports = shape->links && !(shape->without & OFR_WITHOUT_TIME) ? 2U * shape->n : 0;
    t->tick = shape->links;
    for (; serial; serial >>= ID_BITS)
        t->id ^= serial & YOUNG;
    t->rank = t->ports ? UINT16_MAX : 0;
}

static uint16_t own_rank(const struct ofr_time *t)
{
    return (uint16_t)((t->old ? t->id : YOUNG) << 5);
}

// Whom to follow. *taken: another one from now on.
static void choose(struct ofr_time *t, const struct ofr_link_status *s, bool up, bool *taken)
{
    uint16_t own = own_rank(t), offer = (uint16_t)(s->says_data + 1);
    bool heard = s->says && s->says_what == OFR_LINK_SAYS_RANK;
    bool near = (s->says_data & DISTANCE) != DISTANCE, parent = t->follows && t->port == t->scan;
    *taken = heard && near && !parent && offer < t->rank;
    bool lost = t->follows && (!up || (heard && parent && !(near && offer < own)));
    if (lost) {
        t->follows = false;
        t->rank = own;
    } else if (*taken) {
        t->follows = true;
        t->port = t->scan;
        t->rank = offer;
    } else if (!t->follows) {
        t->rank = own;
    } else if (heard && parent) {
        t->rank = offer;
    }
}

static void step_by(struct ofr_time *t, uint32_t cycles)
{
    t->ahead += (uint64_t)cycles << 32;
    t->wait = WAIT;
    t->good = 0;
}

// here, there: quarters of cycles; nearest: to the root, not another neighbour.
static void correct(struct ofr_time *t, uint16_t here, uint16_t there, bool nearest)
{
    int error = (int16_t)(here - there); // eighths of a cycle by which this board is ahead
    int near = nearest ? NEAR : NEAR_OTHER;
    bool half = (here >> 15 ^ here >> 14) & 1; // known modulo 2^13 cycles only
    if (!half && error >= -near && error < near) {
        // An 8th of it now; a 100th, or an 800th, spread over the time to the next measurement
        t->ahead -= (uint64_t)error << 26;
        t->rate += (uint32_t)(-error * (1 << (t->good == SURE ? 16 : 19)) >> t->tick);
        if (nearest) {
            t->error = error;
            t->good = error < -GOOD || error > GOOD ? 0 : t->good < SURE ? t->good + 1 : SURE;
        }
    } else if (nearest) {
        step_by(t, half ? 0x2000 : -(uint32_t)(error >> 3));
    }
}

static void follow(struct ofr_time *t, const struct ofr_link_status *s, uint32_t now, bool nearest)
{
    if (!s->says)
        return;
    if (s->says_what == OFR_LINK_SAYS_LAG) {
        if (t->wait)
            t->wait--;
        else if (s->lag != OFR_LINK_LAG_UNKNOWN && s->says_data != OFR_LINK_LAG_UNKNOWN)
            correct(t, s->lag, s->says_data, nearest);
    } else if (!nearest || t->wait || !((now >> 13 ^ now >> 12) & 1)) { // or near a carry
        return;
    } else if (s->says_what == OFR_LINK_SAYS_HIGH && s->says_data != (now >> 14 & 0xffff)) {
        step_by(t, ((s->says_data - (now >> 14)) & 0xffff) << 14);
    } else if (s->says_what == OFR_LINK_SAYS_TOP && (s->says_data & 3) != now >> 30) {
        step_by(t, (s->says_data - (now >> 30)) << 30);
    }
}

void ofr_time_step(struct ofr_time *t, uint32_t cycle,
                   const struct ofr_link_status status[OFR_LINKS], const bool link_up[OFR_LINKS])
{
    uint32_t now = t->time;
    t->time = cycle + (uint32_t)(t->ahead >> 32) + 1;
    t->part = (uint32_t)t->ahead;
    t->ahead += (uint64_t)(int64_t)(int32_t)t->rate;
    if (!t->ports)
        return;
    bool taken, next = (cycle & 0xfff) == 0xfff || !link_up[t->scan];
    unsigned with = t->good == SURE ? t->scan : t->port;
    if (t->follows)
        follow(t, &status[t->with], now, t->with == t->port);
    t->with = with;
    choose(t, &status[t->scan], link_up[t->port], &taken);
    if (taken) {
        t->wait = WAIT;
        t->good = 0;
    }
    t->old |= (cycle & 0x1ffff) == 0x1ffff;
    if (next)
        t->scan = t->scan + 1 == t->ports ? 0 : t->scan + 1;
}

uint32_t ofr_time_state(const struct ofr_time *t)
{
    if (!t->ports)
        return 0;
    bool locked = t->follows ? t->good >= LOCKED : t->old;
    return (uint32_t)locked << OFR_NODE_TIME_STATE_LOCKED_LSB |
           (uint32_t)t->rank << OFR_NODE_TIME_STATE_DISTANCE_LSB |
           (t->follows ? t->port : 7) << OFR_NODE_TIME_STATE_PORT_LSB |
           ((uint32_t)(t->follows ? t->error : 0) & 1023) << OFR_NODE_TIME_STATE_ERROR_LSB;
}
