// SPDX-License-Identifier: Apache-2.0
// Counters of all boards, as latched.
#include <stdlib.h>
#include <string.h>

#include "measure.h"

// Unpacks an OP_COUNTERS response (protocol.h, end) into count values. False if it is not sound.
static bool unpack(const uint32_t *d, unsigned count, uint64_t *values)
{
    uint8_t bytes[16];
    for (unsigned i = 0; i < 16; i++)
        bytes[i] = (uint8_t)(d[i / 4] >> 8 * (i % 4));
    for (unsigned i = 0, n = 0; n < count;) {
        if (i >= 16)
            return false;
        if (!bytes[i]) {
            if (i + 1 >= 16 || n + bytes[i + 1] + 1u > count)
                return false;
            for (unsigned zeros = bytes[i + 1] + 1u; zeros--;)
                values[n++] = 0;
            i += 2;
            continue;
        }
        uint64_t value = 0;
        unsigned shift = 0;
        do {
            if (i >= 16 || shift > 42)
                return false;
            value |= (uint64_t)(bytes[i] & 0x7f) << shift;
            shift += 7;
        } while (bytes[i++] & 0x80);
        values[n++] = value;
    }
    return true;
}

enum { MOST_OTHERS = 2 }; // snapshots of other hosts that are gone on with

struct reader {
    struct torus *t;
    uint32_t number; // of the snapshot
    uint64_t (*values)[TORUS_COUNTERS];
    struct request *q;
    unsigned *have, *of; // counters of a node so far; node of a request
};

// A request to every board that has more to say. *left: how many; *other: number of the snapshot
// that has been latched since, 0: none.
static int read_some(struct reader *r, unsigned *left, uint32_t *other)
{
    struct torus *t = r->t;
    unsigned n = 0;
    *other = 0;
    for (unsigned node = 0; node < node_count(t); node++) {
        uint8_t at[3];
        if (r->have[node] == TORUS_COUNTERS)
            continue;
        node_at(t, node, at);
        by_address(&r->q[n], pack_at(at), OFR_OP_COUNTERS, r->have[node]);
        r->q[n].m[2] = r->number;
        r->of[n++] = node;
    }
    *left = n;
    int error = n ? exchange(t, r->q, n) : TORUS_OK;
    for (unsigned i = 0; i < n && error == TORUS_OK; i++) {
        const struct request *q = &r->q[i];
        unsigned node = r->of[i], count = q->r[1] >> 16 & 0xff;
        if (q->status == OFR_STALE) {
            *other = q->r[5];
            return TORUS_OK;
        }
        error = status_error(t, q, "read the counters");
        if (error != TORUS_OK)
            break;
        if (!count || r->have[node] + count > TORUS_COUNTERS ||
            !unpack(q->r + 2, count, r->values[node] + r->have[node]))
            return fail(t, TORUS_E_PROTOCOL, "counters of node %u make no sense", node);
        r->have[node] += count;
    }
    return error;
}

// From the beginning: of the boards that there are.
static void begin(struct reader *r)
{
    struct torus *t = r->t;
    for (unsigned node = 0; node < node_count(t); node++)
        r->have[node] = t->absent ? TORUS_COUNTERS : 0;
    for (unsigned i = 0; t->absent && i < t->board_count; i++)
        r->have[node_of(t, t->boards[i].at)] = 0;
}

int read_counters(struct torus *t, uint32_t number, bool just_that,
                  void (*each)(void *ctx, const uint8_t at[3], const uint64_t *counters), void *ctx)
{
    unsigned nodes = node_count(t), left = 1, window = t->options.window;
    struct reader r = {.t = t, .number = number};
    r.values = calloc(nodes, sizeof *r.values);
    r.q = calloc(nodes, sizeof *r.q);
    r.have = calloc(nodes, sizeof *r.have);
    r.of = calloc(nodes, sizeof *r.of);
    bool room = r.values && r.q && r.have && r.of;
    int error = room ? TORUS_OK : fail(t, TORUS_E_MEMORY, "out of memory");
    if (!t->window_wanted) // one request a board
        t->options.window = MAX_WINDOW;
    if (room)
        begin(&r);
    unsigned others = just_that ? 0 : MOST_OTHERS;
    while (room && error == TORUS_OK && left) {
        uint32_t other;
        error = read_some(&r, &left, &other);
        if (error != TORUS_OK || !other)
            continue;
        t->status = OFR_STALE;
        if (!others--)
            error = fail(t, TORUS_E_BOARD,
                         "read the counters: other hosts latch them all the time; once more later");
        // Another host's are as good: from the beginning, so that all are of one instant.
        r.number = other;
        begin(&r);
    }
    for (unsigned i = 0; room && i < there(t) && error == TORUS_OK; i++) {
        uint8_t at[3];
        there_at(t, i, at);
        each(ctx, at, r.values[node_of(t, at)]);
    }
    t->options.window = window;
    free(r.values);
    free(r.q);
    free(r.have);
    free(r.of);
    return error;
}

API int torus_counters(struct torus *t,
                       void (*each)(void *ctx, const uint8_t at[3], const uint64_t *counters),
                       void *ctx)
{
    if (!reached(t))
        return fail(t, TORUS_E_UNKNOWN, "discover the torus or attach to it first");
    // Hosts that latched at the same time may have left each some boards, and then no number is
    // that of all: latched anew, not in step with them.
    double end = monotonic() + t->options.timeout;
    for (double nap = 0.01;; nap = nap < 0.5 ? 2 * nap : nap) {
        uint32_t data[4] = {random_word()};
        int error = ask_all(t, OFR_AGG_OR, OFR_OP_SNAPSHOT, 0, data, NULL, "latch the counters");
        if (error == TORUS_OK)
            error = read_counters(t, data[0], false, each, ctx);
        if (error != TORUS_E_BOARD || t->status != OFR_STALE || monotonic() > end)
            return error;
        pause_seconds(nap * random_word() / UINT32_MAX);
    }
}
