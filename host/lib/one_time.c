// SPDX-License-Identifier: Apache-2.0
// One NODE.TIME that boards with reliable links keep by themselves: register NODE.TIME_STATE.
#include <stdlib.h>

#include "measure.h"

enum {
    PATIENCE = 1 << 23, // cycles that it may take
    STEP = 1 << 20,     // cycles; by more NODE.TIME goes on only where it is set right
};

static uint32_t two(unsigned offset)
{
    return offset | (uint32_t)offset << 16;
}

int time_kept(struct torus *t, bool *good)
{
    struct alignment *a = t->alignment;
    uint32_t ask[4] = {two(OFR_NODE_TIME_STATE), two(OFR_NODE_TIME_STATE)}, all[4], most[4];
    int error = ask_all(t, OFR_AGG_SPAN, OFR_OP_READ4, 0, ask, all, "look at NODE.TIME_STATE");
    a->kept = error == TORUS_OK && all[2]; // all[0]: ANDed, all[2]: ORed
    *good = a->kept && all[0] & OFR_NODE_TIME_STATE_LOCKED_MASK &&
            !((all[0] ^ all[2]) & OFR_NODE_TIME_STATE_ROOT_MASK);
    if (!*good)
        return error;
    error = ask_all(t, OFR_AGG_MAX, OFR_OP_READ4, 0, ask, most, "look at NODE.TIME_STATE");
    // Any two: 1 and half their distance in the tree, by way of the root at most
    a->error = 1 + (most[0] >> OFR_NODE_TIME_STATE_DISTANCE_LSB &
                    ((1U << OFR_NODE_TIME_STATE_DISTANCE_BITS) - 1));
    return error;
}

int time_wait(struct torus *t)
{
    uint32_t now, before, passed = 0;
    double last = monotonic();
    bool good = false;
    int error = torus_read(t, NULL, OFR_NODE_TIME, &before);
    while (error == TORUS_OK && (error = time_kept(t, &good)) == TORUS_OK && !good) {
        error = torus_read(t, NULL, OFR_NODE_TIME, &now);
        if (error != TORUS_OK)
            return error;
        if (now != before)
            last = monotonic();
        passed += now - before < STEP ? now - before : 0;
        before = now;
        if (passed > PATIENCE || monotonic() - last > t->options.timeout)
            return fail(t, TORUS_E_BOARD,
                        "the boards have not found one time (NODE.TIME_STATE) in %u cycles",
                        passed);
        error = wait_more(t, 0.0002);
    }
    return error;
}

int time_show(struct torus *t, struct torus_alignment *board)
{
    unsigned nodes = node_count(t), gateway;
    struct request *q = calloc(nodes, sizeof *q);
    if (!q)
        return fail(t, TORUS_E_MEMORY, "out of memory");
    for (unsigned node = 0; node < nodes; node++) {
        uint8_t at[3];
        node_at(t, node, at);
        by_address(&q[node], pack_at(at), OFR_OP_READ4, 0);
        q[node].m[2] = OFR_NODE_TIME_STATE | (uint32_t)OFR_NODE_TIME_RATE << 16;
        q[node].m[3] = q[node].m[2];
    }
    int error = gateway_node(t, &gateway);
    if (error == TORUS_OK)
        error = exchange(t, q, nodes);
    for (unsigned node = 0; node < nodes && error == TORUS_OK; node++) {
        double measure = 1 + (int32_t)q[gateway].r[3] * 0x1p-32;
        uint32_t ahead = q[node].r[2] << (32 - OFR_NODE_TIME_STATE_ERROR_BITS);
        error = status_error(t, &q[node], "read NODE.TIME_STATE");
        board[node].ppm = 1e6 * (measure / (1 + (int32_t)q[node].r[3] * 0x1p-32) - 1);
        board[node].left = (int32_t)ahead * 0x1p-25; // eighths of a cycle, in the top bits
        board[node].offset = board[node].left;
    }
    free(q);
    return error;
}
