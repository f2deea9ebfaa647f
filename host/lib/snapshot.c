// SPDX-License-Identifier: Apache-2.0
// Counters of all boards at one instant of their one time (one_time.c).
#include <stdlib.h>

#include "measure.h"

enum {
    LATCH = 64,    // most cycles from FW_LATCHED to the latch itself: a store and the way to it
    FIRST = 20000, // cycles to the instant,
    BOARD = 1000,  // and for each board that is to be told
    ATTEMPTS = 8,  // with twice the time each
};

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

// Tells all boards when to latch. *late: one was told too late.
static int arm(struct torus *t, uint32_t number, uint32_t instant, bool *late)
{
    uint32_t data[4] = {number, 0, 0, instant};
    int error = ask_all(t, OFR_AGG_OR, OFR_OP_SNAPSHOT, 1, data, NULL, "arm the counters");
    *late = error == TORUS_E_BOARD && t->status == OFR_LATE;
    return *late ? TORUS_OK : error;
}

// When each has, after the instant: the middle of where that may be. *residual: of any two.
static int latched(struct torus *t, uint32_t instant, double *late, double *residual)
{
    unsigned nodes = node_count(t), count = there(t);
    uint8_t at[3];
    struct request *q = calloc(count, sizeof *q);
    double first = 0, last = 0;
    if (!q)
        return fail(t, TORUS_E_MEMORY, "out of memory");
    for (unsigned i = 0; i < count; i++) {
        there_at(t, i, at);
        by_address(&q[i], pack_at(at), OFR_OP_READ, 0);
        q[i].m[4] = (uint32_t)(OFR_SEL_FIRMWARE | OFR_FW_LATCHED) << 16;
    }
    for (unsigned node = 0; node < nodes && late; node++)
        late[node] = 0;
    int error = exchange(t, q, count);
    for (unsigned i = 0; i < count && error == TORUS_OK; i++) {
        double after = (double)(int32_t)(q[i].r[5] - instant);
        error = status_error(t, &q[i], "read when the counters were latched");
        there_at(t, i, at);
        if (late)
            late[node_of(t, at)] = after + LATCH / 2.0;
        first = i && first < after ? first : after;
        last = i && last > after ? last : after;
    }
    *residual = last - first + LATCH + clocks_error(t);
    free(q);
    return error;
}

// *again: too late for one, nothing is read.
static int latch_and_read(struct torus *t, uint32_t lead, bool *again, double *late,
                          double *residual,
                          void (*each)(void *ctx, const uint8_t at[3], const uint64_t *counters),
                          void *ctx)
{
    uint32_t number = random_word(), now;
    t->status = OFR_OK;
    int error = torus_read(t, NULL, OFR_NODE_TIME, &now);
    if (error == TORUS_OK)
        error = arm(t, number, now + lead, again);
    if (error != TORUS_OK || *again)
        return error;
    error = wait_time(t, now + lead);
    if (error == TORUS_OK)
        error = latched(t, now + lead, late, residual);
    if (error == TORUS_OK)
        error = read_counters(t, number, true, each, ctx);
    return error;
}

API int torus_snapshot(struct torus *t, double *late, double *residual,
                       void (*each)(void *ctx, const uint8_t at[3], const uint64_t *counters),
                       void *ctx)
{
    if (!reached(t))
        return fail(t, TORUS_E_UNKNOWN, "discover the torus or attach to it first");
    uint32_t lead = FIRST + BOARD * node_count(t);
    int error = clocks_ready(t);
    for (unsigned i = 0; error == TORUS_OK && i < ATTEMPTS; i++) {
        bool again = false;
        error = latch_and_read(t, lead, &again, late, residual, each, ctx);
        if (error == TORUS_OK && !again)
            return ok(t);
        if (error == TORUS_E_BOARD && t->status == OFR_STALE)
            error = TORUS_OK; // another host has latched: anew
        else
            lead *= 2;
    }
    return error != TORUS_OK
               ? error
               : fail(t, TORUS_E_BOARD,
                      "latch the counters at one instant: too late for some, or another host did "
                      "so meanwhile, %d times",
                      ATTEMPTS);
}
