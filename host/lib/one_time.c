// SPDX-License-Identifier: Apache-2.0
// One NODE.TIME for all boards: of boards that share a clock, or that keep one by themselves over
// reliable links (NODE.TIME_STATE). Hosts look whether it is one, wait until it is, and set
// nothing.
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

// Where the boards do not share a clock: do they keep one time, is it good, and how exact is it?
static int time_kept(struct torus *t, bool *good)
{
    struct one_time *a = t->one_time;
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

static int time_wait(struct torus *t)
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

// What the boards say of it themselves, one a node: those that there are.
static int time_show(struct torus *t, struct torus_time *board)
{
    unsigned count = there(t), gateway;
    uint8_t at[3];
    struct request *q = calloc(count, sizeof *q);
    double measure = 1;
    if (!q)
        return fail(t, TORUS_E_MEMORY, "out of memory");
    for (unsigned i = 0; i < count; i++) {
        there_at(t, i, at);
        by_address(&q[i], pack_at(at), OFR_OP_READ4, 0);
        q[i].m[2] = OFR_NODE_TIME_STATE | (uint32_t)OFR_NODE_TIME_RATE << 16;
        q[i].m[3] = q[i].m[2];
    }
    int error = gateway_node(t, &gateway);
    if (error == TORUS_OK)
        error = exchange(t, q, count);
    for (unsigned i = 0; i < count && error == TORUS_OK; i++) {
        error = status_error(t, &q[i], "read NODE.TIME_STATE");
        there_at(t, i, at);
        if (node_of(t, at) == gateway)
            measure = 1 + (int32_t)q[i].r[3] * 0x1p-32;
    }
    for (unsigned i = 0; i < count && error == TORUS_OK; i++) {
        uint32_t ahead = q[i].r[2] << (32 - OFR_NODE_TIME_STATE_ERROR_BITS);
        there_at(t, i, at);
        struct torus_time *b = &board[node_of(t, at)];
        b->ppm = 1e6 * (measure / (1 + (int32_t)q[i].r[3] * 0x1p-32) - 1);
        b->left = (int32_t)ahead * 0x1p-25; // eighths of a cycle, in the top bits
    }
    free(q);
    return error;
}

// Is it the same time on all boards, as far as collectives can tell, and has none a rate of its
// own?
static int look(struct torus *t, bool *one)
{
    uint32_t ask[4] = {OFR_NODE_TIME | (uint32_t)OFR_NODE_TIME_RATE << 16}, least[4], most[4];
    uint32_t before, after;
    ask[1] = ask[0];
    int error = torus_read(t, NULL, OFR_NODE_TIME, &before);
    if (error == TORUS_OK)
        error = ask_all(t, OFR_AGG_MIN, OFR_OP_READ4, 0, ask, least, "look at the clocks");
    if (error == TORUS_OK)
        error = ask_all(t, OFR_AGG_MAX, OFR_OP_READ4, 0, ask, most, "look at the clocks");
    if (error == TORUS_OK)
        error = torus_read(t, NULL, OFR_NODE_TIME, &after);
    *one = error == TORUS_OK && (int32_t)(least[0] - before) >= 0 &&
           (int32_t)(after - most[0]) >= 0 && !most[1];
    return error;
}

int clocks_known(struct torus *t, bool *same)
{
    bool first = !t->one_time;
    int error = TORUS_OK;
    *same = false;
    if (first && !(t->one_time = calloc(1, sizeof *t->one_time)))
        return fail(t, TORUS_E_MEMORY, "out of memory");
    if (first)
        error = look(t, &t->one_time->shared);
    if (error == TORUS_OK && t->one_time->shared)
        *same = true;
    else if (error == TORUS_OK)
        error = time_kept(t, same);
    if (error != TORUS_OK && first)
        clocks_forget(t);
    return error;
}

int clocks_ready(struct torus *t)
{
    bool same;
    int error = clocks_known(t, &same);
    if (error != TORUS_OK || same)
        return error;
    if (t->one_time->kept)
        return time_wait(t);
    return fail(t, TORUS_E_BOARD,
                "the boards have not one NODE.TIME, and keep none (NODE.TIME_STATE), as those with "
                "reliable links do: on other links they have to share a clock and a reset");
}

int clocks_differ(struct torus *t)
{
    if (t->one_time)
        t->one_time->differ = t->one_time->shared;
    return fail(
        t, TORUS_E_BOARD,
        "the boards' NODE.TIMEs differ, although they were the same: has a board been reset?");
}

bool clocks_doubted(struct torus *t)
{
    struct one_time *a = t->one_time;
    if (!a || !a->differ)
        return false;
    *a = (struct one_time){.shared = false};
    return true;
}

double clocks_error(const struct torus *t)
{
    return t->one_time && t->one_time->kept ? t->one_time->error : 0;
}

API int torus_one_time(struct torus *t, struct torus_time *board, double *error)
{
    if (!reached(t))
        return fail(t, TORUS_E_UNKNOWN, "discover the torus or attach to it first");
    clocks_forget(t); // looked at anew
    int result = clocks_ready(t);
    *error = clocks_error(t);
    if (result == TORUS_OK && board) {
        for (unsigned node = 0; node < node_count(t); node++)
            board[node] = (struct torus_time){.ppm = 0};
        if (t->one_time->kept)
            result = time_show(t, board);
    }
    return result == TORUS_OK ? ok(t) : result;
}
