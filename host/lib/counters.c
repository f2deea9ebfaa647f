// SPDX-License-Identifier: Apache-2.0
// Counters of all boards, as latched.
#include <stdlib.h>

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

int read_counters(struct torus *t,
                  void (*each)(void *ctx, const uint8_t at[3], const uint64_t *counters), void *ctx)
{
    unsigned nodes = node_count(t);
    uint64_t(*values)[TORUS_COUNTERS] = calloc(nodes, sizeof *values);
    struct request *q = calloc(nodes, sizeof *q);
    unsigned *have = calloc(nodes, sizeof *have), *of = calloc(nodes, sizeof *of);
    int error = TORUS_OK;
    unsigned window = t->options.window;
    if (!t->window_wanted) // one request a board
        t->options.window = MAX_WINDOW;
    if (!values || !q || !have || !of) {
        error = fail(t, TORUS_E_MEMORY, "out of memory");
        goto out;
    }
    while (error == TORUS_OK) {
        unsigned n = 0;
        for (unsigned node = 0; node < nodes; node++) {
            uint8_t at[3];
            if (have[node] == TORUS_COUNTERS)
                continue;
            node_at(t, node, at);
            by_address(&q[n], pack_at(at), OFR_OP_COUNTERS, have[node]);
            of[n++] = node;
        }
        if (!n)
            break;
        error = exchange(t, q, n);
        for (unsigned i = 0; i < n && error == TORUS_OK; i++) {
            unsigned node = of[i], count = q[i].r[1] >> 16 & 0xff;
            error = status_error(t, &q[i], "read the counters");
            if (error != TORUS_OK)
                break;
            if (!count || have[node] + count > TORUS_COUNTERS ||
                !unpack(q[i].r + 2, count, values[node] + have[node]))
                error = fail(t, TORUS_E_PROTOCOL, "counters of node %u make no sense", node);
            have[node] += count;
        }
    }
    for (unsigned node = 0; node < nodes && error == TORUS_OK; node++) {
        uint8_t at[3];
        node_at(t, node, at);
        each(ctx, at, values[node]);
    }
out:
    t->options.window = window;
    free(values);
    free(q);
    free(have);
    free(of);
    return error;
}

API int torus_counters(struct torus *t,
                       void (*each)(void *ctx, const uint8_t at[3], const uint64_t *counters),
                       void *ctx)
{
    if (!t->good)
        return fail(t, TORUS_E_UNKNOWN, "discover the torus or attach to it first");
    int error = ask_all(t, OFR_AGG_OR, OFR_OP_SNAPSHOT, 0, NULL, NULL, "latch the counters");
    return error == TORUS_OK ? read_counters(t, each, ctx) : error;
}
