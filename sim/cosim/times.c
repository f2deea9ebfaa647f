// SPDX-License-Identifier: Apache-2.0
#include "times.h"

#include "basics.h"
#include "board.h"
#include "clocks.h"
#include "reliable.h"

#include <math.h>
#include <stdio.h>

enum { SETTLED = 1000000 }; // cycles from links that are up to one time

// Of board 0's NODE.TIME, in cycles that a register has.
static int32_t cycles_ahead(const struct sim *s, uint32_t n)
{
    uint16_t rank;
    unsigned part;
    return (int32_t)(board_time(s->board[n], &rank, &part) - board_time(s->board[0], &rank, &part));
}

// The same with the parts of a cycle that no register has.
static double ahead(const struct sim *s, uint32_t n)
{
    return cycles_ahead(s, n) + board_time_part(s->board[n]) - clock_part(s, n) * 0x1p-32;
}

uint32_t times_apart(const struct sim *s)
{
    int32_t first = 0, last = 0;
    for (uint32_t n = 0; n < s->boards; n++) {
        int32_t at = cycles_ahead(s, n);
        first = at < first ? at : first;
        last = at > last ? at : last;
    }
    return (uint32_t)last - (uint32_t)first;
}

void times_watch(struct sim *s)
{
    struct times *t = &s->times;
    if (!s->link_end || !links_are_up(s)) {
        t->up_at = UINT64_MAX;
        return;
    }
    if (t->up_at > s->cycle)
        t->up_at = s->cycle;
    if (s->cycle < t->up_at + SETTLED)
        return;
    t->looks++;
    if (!t->at)
        t->at = allocate(s->boards, sizeof *t->at);
    for (uint32_t n = 0; n < s->boards; n++)
        t->at[n] = ahead(s, n);
    for (uint32_t a = 0; a < s->boards; a++) {
        struct ofr_coord here = ofr_node_coord(&s->o.torus, a);
        for (uint32_t b = 0; b < a; b++) {
            double apart = fabs(t->at[a] - t->at[b]);
            // Two boards are a hop apart at least, so most pairs need no distance.
            if (apart <= fmin(t->neighbours, t->beyond + 0.5))
                continue;
            struct ofr_coord there = ofr_node_coord(&s->o.torus, b);
            unsigned distance = ofr_distance(&s->o.torus, &here, &there);
            if (distance == 1)
                t->neighbours = fmax(t->neighbours, apart);
            t->beyond = fmax(t->beyond, apart - 0.5 * distance);
        }
    }
}

void times_say(const struct sim *s)
{
    const struct times *t = &s->times;
    if (t->looks)
        printf("boardsim: one time: neighbours at most %.2f cycles apart, any two boards %.2f more "
               "than half their distance\n",
               t->neighbours, t->beyond);
}
