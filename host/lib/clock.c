// SPDX-License-Identifier: Apache-2.0
// Counters of all boards at one instant, where every board has a clock of its own.
//
// A ping (OP_CLOCK) is stamped by the gateway when it leaves (d0) and when its answer is back (d2),
// and by the other board in between (d1). So that board's clock was at d1 at some time from d0 to
// d2 of the gateway's: their middle, half their distance either way. The shortest of several such
// round trips is kept. Two of those, some time apart, give the clock's rate; both carry over to a
// time to come.
#include <stdlib.h>
#include <string.h>

#include "measure.h"

enum {
    PINGS = 8,     // in each of the two rounds
    LATCH = 64,    // most cycles from FW_LATCHED to the latch itself: a store and the way to it
    FIRST = 20000, // cycles to the instant, besides what the boards' answers take
    ATTEMPTS = 8,  // at arming, each with twice the time
};

struct reading {
    double middle, half, offset; // cycles of the gateway since `zero`; offset: d1 less the middle
    bool there;
};

struct clocks {
    struct torus *t;
    unsigned nodes, gateway;
    uint32_t zero, last; // of the gateway's clock: the first stamp, the latest
    struct reading *first, *second;
    struct request *q;
    double span;     // cycles that asking all boards took
    uint32_t number; // of the snapshot
};

int64_t nearest(double x)
{
    const double most = (double)(INT64_C(1) << 62); // which what is no number is not below
    double within = x < -most ? -most : x < most ? x : most;
    return (int64_t)(within < 0 ? within - 0.5 : within + 0.5);
}

// All boards but the gateway, once.
static int ping_all(struct clocks *c, struct reading *best)
{
    unsigned n = 0;
    for (unsigned node = 0; node < c->nodes; node++) {
        uint8_t at[3];
        node_at(c->t, node, at);
        if (node != c->gateway)
            by_address(&c->q[n++], pack_at(at), OFR_OP_CLOCK, 0);
    }
    int error = exchange(c->t, c->q, n);
    for (unsigned node = 0, i = 0; node < c->nodes && error == TORUS_OK; node++) {
        if (node == c->gateway)
            continue;
        const struct request *q = &c->q[i++];
        uint32_t left = q->r[2], there = q->r[3], back = q->r[4];
        error = status_error(c->t, q, "compare the clocks");
        double half = (double)(back - left) / 2, middle = (double)(int32_t)(left - c->zero) + half;
        if ((int32_t)(back - c->last) > 0)
            c->last = back;
        if (best[node].there && half >= best[node].half)
            continue;
        // 32 bits of each clock, whatever their difference.
        best[node] = (struct reading){.there = true,
                                      .half = half,
                                      .middle = middle,
                                      .offset = (double)(int32_t)(there - left) - half};
    }
    return error;
}

static int ping_round(struct clocks *c, struct reading *best)
{
    int error = TORUS_OK;
    uint32_t from = c->last;
    for (unsigned i = 0; i < PINGS && error == TORUS_OK; i++)
        error = ping_all(c, best);
    c->span = (double)(c->last - from) / PINGS;
    return error;
}

// What the node's clock is ahead at a time of the gateway's, and by how much that may be wrong.
static double ahead_at(const struct clocks *c, unsigned node, double time, double *wrong,
                       double *rate)
{
    const struct reading *a = &c->first[node], *b = &c->second[node];
    *rate = *wrong = 0;
    if (node == c->gateway)
        return 0;
    double apart = b->middle - a->middle, step = b->offset - a->offset;
    // Clocks wrap round after 2^32 cycles: so may their difference.
    step -= step > 2147483648.0 ? 4294967296.0 : step < -2147483648.0 ? -4294967296.0 : 0;
    *rate = apart > 0 ? step / apart : 0;
    *wrong = b->half + (apart > 0 ? (a->half + b->half) / apart * (time - b->middle) : 0);
    return b->offset + *rate * (time - b->middle);
}

// Tells all boards when to latch, `lead` cycles from the last stamp. *late: for one that is past.
static int arm(struct clocks *c, double lead, double *instant, bool *late)
{
    *instant = (double)(int32_t)(c->last - c->zero) + lead;
    *late = false;
    for (unsigned node = 0; node < c->nodes; node++) {
        double wrong, rate, ahead = ahead_at(c, node, *instant, &wrong, &rate);
        uint8_t at[3];
        node_at(c->t, node, at);
        by_address(&c->q[node], pack_at(at), OFR_OP_SNAPSHOT, 1);
        c->q[node].m[2] = c->number;
        c->q[node].m[5] = c->zero + (uint32_t)nearest(*instant + ahead);
    }
    int error = exchange(c->t, c->q, c->nodes);
    for (unsigned node = 0; node < c->nodes && error == TORUS_OK; node++) {
        if (c->q[node].status == OFR_LATE)
            *late = true;
        else
            error = status_error(c->t, &c->q[node], "arm the counters");
    }
    return error;
}

static int latched(struct clocks *c, double instant, struct torus_clock *clock, double *residual)
{
    double first = 0, last = 0;
    for (unsigned node = 0; node < c->nodes; node++) {
        uint8_t at[3];
        node_at(c->t, node, at);
        by_address(&c->q[node], pack_at(at), OFR_OP_READ, 0);
        c->q[node].m[4] = (uint32_t)(OFR_SEL_FIRMWARE | OFR_FW_LATCHED) << 16;
    }
    int error = exchange(c->t, c->q, c->nodes);
    for (unsigned node = 0; node < c->nodes && error == TORUS_OK; node++) {
        struct torus_clock *k = &clock[node];
        double rate;
        error = status_error(c->t, &c->q[node], "read when the counters were latched");
        k->offset = ahead_at(c, node, instant, &k->uncertainty, &rate);
        k->ppm = 1e6 * rate;
        uint32_t wanted = c->zero + (uint32_t)nearest(instant + k->offset);
        // The middle of where the latch may have been.
        k->late = (double)(int32_t)(c->q[node].r[5] - wanted) + LATCH / 2.0;
        k->uncertainty += LATCH / 2.0 + 1;
        if (node == 0 || k->late - k->uncertainty < first)
            first = k->late - k->uncertainty;
        if (node == 0 || k->late + k->uncertainty > last)
            last = k->late + k->uncertainty;
    }
    *residual = last - first;
    return error;
}

static int first_round(struct clocks *c)
{
    int error = gateway_node(c->t, &c->gateway);
    if (error == TORUS_OK)
        error = torus_read(c->t, NULL, OFR_NODE_TIME, &c->zero);
    if (error != TORUS_OK)
        return error;
    c->last = c->zero;
    return ping_round(c, c->first);
}

int clocks_compare(struct torus *t, double *ahead, double *wrong, unsigned *gateway)
{
    struct clocks c = {.t = t, .nodes = node_count(t)};
    c.first = calloc(c.nodes, sizeof *c.first);
    c.q = calloc(c.nodes, sizeof *c.q);
    int error = TORUS_E_MEMORY;
    if (c.first && c.q)
        error = first_round(&c);
    else
        fail(t, error, "out of memory");
    for (unsigned node = 0; node < c.nodes && error == TORUS_OK; node++) {
        ahead[node] = c.first[node].offset;
        wrong[node] = c.first[node].half;
    }
    *gateway = c.gateway;
    free(c.first);
    free(c.q);
    return error;
}

static int measure_clocks(struct clocks *c, double seconds)
{
    int error = first_round(c);
    if (error == TORUS_OK)
        pause_seconds(seconds > 0 ? seconds : 0.5);
    return error == TORUS_OK ? ping_round(c, c->second) : error;
}

// Waits for a NODE.TIME of the board we are plugged into.
static int wait_time(struct torus *t, uint32_t until)
{
    double last = monotonic(), nap = 0.0002;
    for (uint32_t now, before = 0;; before = now) {
        int error = torus_read(t, NULL, OFR_NODE_TIME, &now);
        if (error != TORUS_OK || (int32_t)(now - until) >= 0)
            return error;
        if (now != before)
            last = monotonic();
        else if (monotonic() - last > t->options.timeout)
            return fail(t, TORUS_E_BOARD, "NODE.TIME stands still at %u", now);
        if ((error = wait_more(t, nap)) != TORUS_OK)
            return error;
        nap = nap < 0.02 ? 1.5 * nap : nap;
    }
}

int clocks_differ(struct torus *t)
{
    if (t->alignment)
        t->alignment->differ = t->alignment->shared;
    return fail(t, TORUS_E_BOARD,
                "the boards' clocks differ, although they were aligned: has a board been reset?");
}

bool clocks_doubted(struct torus *t)
{
    struct alignment *a = t->alignment;
    if (!a || !a->differ)
        return false;
    *a = (struct alignment){.seconds = monotonic() - STALE};
    return true;
}

double clocks_error(const struct torus *t, double cycles)
{
    const struct alignment *a = t->alignment;
    return !a || a->shared ? 0 : a->kept ? a->error : a->error + GROWTH + a->drift * cycles;
}

// *late: too late for one, nothing was read; stays true where it was not done.
static int latch_and_read(struct clocks *c, double lead, bool *late, struct torus_clock *clock,
                          double *residual,
                          void (*each)(void *ctx, const uint8_t at[3], const uint64_t *counters),
                          void *ctx)
{
    double instant = 0;
    c->t->status = OFR_OK;
    c->number = random_word();
    *late = true;
    int error = torus_read(c->t, NULL, OFR_NODE_TIME, &c->last);
    if (error == TORUS_OK)
        error = arm(c, lead, &instant, late);
    if (error != TORUS_OK || *late)
        return error;
    *late = true;
    error = wait_time(c->t, c->zero + (uint32_t)nearest(instant));
    if (error == TORUS_OK)
        error = latched(c, instant, clock, residual);
    if (error == TORUS_OK)
        error = read_counters(c->t, c->number, true, each, ctx);
    *late = error != TORUS_OK;
    return error;
}

API int torus_snapshot(struct torus *t, double seconds, struct torus_clock *clock, double *residual,
                       void (*each)(void *ctx, const uint8_t at[3], const uint64_t *counters),
                       void *ctx)
{
    if (!t->good)
        return fail(t, TORUS_E_UNKNOWN, "discover the torus or attach to it first");
    struct clocks c = {.t = t, .nodes = node_count(t)};
    bool late = true;
    int error = TORUS_E_MEMORY;
    c.first = calloc(c.nodes, sizeof *c.first);
    c.second = calloc(c.nodes, sizeof *c.second);
    c.q = calloc(c.nodes, sizeof *c.q);
    if (c.first && c.second && c.q)
        error = measure_clocks(&c, seconds);
    else
        fail(t, error, "out of memory");
    double lead = FIRST + 4 * c.span;
    for (unsigned i = 0; error == TORUS_OK && i < ATTEMPTS; i++) {
        error = latch_and_read(&c, lead, &late, clock, residual, each, ctx);
        if (error == TORUS_OK && !late)
            break;
        if (error == TORUS_E_BOARD && t->status == OFR_STALE)
            error = TORUS_OK; // another host has latched: anew
        else
            lead *= 2;
    }
    if (error == TORUS_OK && late)
        error = fail(t, TORUS_E_BOARD,
                     "latch the counters at one instant: too late for some, or another host did so "
                     "meanwhile, %d times",
                     ATTEMPTS);
    free(c.first);
    free(c.second);
    free(c.q);
    return error;
}
