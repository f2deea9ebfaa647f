// SPDX-License-Identifier: Apache-2.0
// Streams from single boards to single boards, on their generators and checkers.
#include <stdlib.h>
#include <string.h>

#include "internal.h"

API struct torus_flow_options torus_flow_options_default(void)
{
    return (struct torus_flow_options){.load = 1, .warmup = 1000, .cycles = 4000};
}

struct flows {
    struct torus *t;
    const struct torus_flow_options *o;
    struct torus_flow *flow;
    unsigned count;
    struct request *q; // room for two a flow
    uint32_t ticks, messages, flits, start;
    uint32_t apart; // cycles that the boards' clocks may be apart, either way
    uint32_t later; // cycles that it begins later than it could
};

static int check(struct flows *f)
{
    struct torus *t = f->t;
    uint8_t *used = calloc(torus_nodes(t), 1);
    int error = TORUS_OK;
    if (!used)
        return fail(t, TORUS_E_MEMORY, "out of memory");
    for (unsigned i = 0; i < f->count && error == TORUS_OK; i++) {
        struct torus_flow *w = &f->flow[i];
        unsigned node[2] = {0, 0};
        for (unsigned e = 0; e < 2 && error == TORUS_OK; e++) {
            const uint8_t *c = e ? w->to : w->from;
            if (c[0] >= t->k[0] || c[1] >= t->k[1] || c[2] >= t->k[2]) {
                error =
                    fail(t, TORUS_E_USAGE, "(%u,%u,%u) is outside of the torus", c[0], c[1], c[2]);
                break;
            }
            node[e] = node_of(t, c);
            if (used[node[e]] >> e & 1)
                error = fail(t, TORUS_E_USAGE, "two streams %s (%u,%u,%u)", e ? "to" : "from", c[0],
                             c[1], c[2]);
            used[node[e]] |= (uint8_t)(1u << e);
        }
        if (error == TORUS_OK && node[0] == node[1])
            error = fail(t, TORUS_E_USAGE, "a stream from (%u,%u,%u) to itself", w->from[0],
                         w->from[1], w->from[2]);
    }
    free(used);
    return error;
}

// All requests of f->q; statuses other than OFR_OK become errors. *late: one was that.
static int do_all(struct flows *f, unsigned count, const char *what, bool *late)
{
    int error = exchange(f->t, f->q, count);
    for (unsigned i = 0; i < count && error == TORUS_OK; i++) {
        if (late && f->q[i].status == OFR_LATE)
            *late = true;
        else
            error = status_error(f->t, &f->q[i], what);
    }
    return error;
}

static void write_to(struct request *q, const uint8_t at[3], unsigned offset, uint32_t value)
{
    by_address(q, pack_at(at), OFR_OP_WRITE, 0);
    q->m[4] = (uint32_t)offset << 16;
    q->m[5] = value;
}

// Registers of the boards at one end of all streams, the same one of each.
static int write_ends(struct flows *f, bool to, unsigned offset, uint32_t value)
{
    for (unsigned i = 0; i < f->count; i++)
        write_to(&f->q[i], to ? f->flow[i].to : f->flow[i].from, offset, value);
    return do_all(f, f->count, "set the checkers up", NULL);
}

static int set_up(struct flows *f)
{
    struct torus *t = f->t;
    uint32_t gen[4] = {f->ticks, f->messages,
                       f->flits << OFR_GEN_LENGTH_FLITS_LSB | 1u << OFR_GEN_LENGTH_PACKETS_LSB, 1};
    int error = torus_lease(t, 0);
    if (error == TORUS_OK)
        error = ask_all(t, OFR_AGG_OR, OFR_OP_GEN,
                        OFR_GEN_CONTROL_PATTERN_FIXED | (unsigned)t->traffic << 4 |
                            (t->generation & 3) << 6,
                        gen, NULL, "set the generators up");
    if (error != TORUS_OK)
        return error;
    for (unsigned i = 0; i < f->count; i++)
        write_to(&f->q[i], f->flow[i].from, OFR_GEN_TARGET, pack_at(f->flow[i].to));
    return do_all(f, f->count, "set the generators up", NULL);
}

static int stop_all(struct torus *t)
{
    return ask_all(t, OFR_AGG_OR, OFR_OP_START, 0, NULL, NULL, "stop the generators");
}

// One cycle for all, `ahead` cycles from now, which grows until all boards hear of it in time.
static int start_all(struct flows *f)
{
    struct torus *t = f->t;
    bool all = f->count == torus_nodes(t);
    int error = TORUS_OK;
    if (!t->ahead)
        t->ahead = 4000 + 1000 * (t->k[0] + t->k[1] + t->k[2]);
    for (; error == TORUS_OK && t->ahead <= 1u << 28; t->ahead *= 2) {
        bool late = false;
        uint32_t now, from, to;
        error = torus_read(t, NULL, OFR_NODE_TIME, &now);
        if (error != TORUS_OK)
            return error;
        f->start = now + t->ahead + f->apart + f->later;
        from = f->start + f->o->warmup;
        to = from + f->o->cycles;
        if (all) {
            uint32_t data[4] = {0, f->start, from, to};
            error = ask_all(t, OFR_AGG_TOTALS, OFR_OP_START, 1, data, NULL, "start the generators");
            late = error == TORUS_E_BOARD;
            error = late ? TORUS_OK : error;
        } else {
            // Boards that only receive: their checkers. Then the sources, which set their own.
            if ((error = write_ends(f, true, OFR_CHECK_FROM, from)) != TORUS_OK ||
                (error = write_ends(f, true, OFR_CHECK_TO, to)) != TORUS_OK ||
                (error = write_ends(f, true, OFR_CHECK_CONTROL, 1)) != TORUS_OK)
                return error;
            for (unsigned i = 0; i < f->count; i++) {
                by_address(&f->q[i], pack_at(f->flow[i].from), OFR_OP_START, 1);
                f->q[i].m[3] = f->start;
                f->q[i].m[4] = from;
                f->q[i].m[5] = to;
            }
            error = do_all(f, f->count, "start the generators", &late);
        }
        // One whose clock is ahead has not begun before the last one was told.
        if (error == TORUS_OK && !late && f->apart) {
            error = torus_read(t, NULL, OFR_NODE_TIME, &now);
            late = (int32_t)(f->start - f->apart - now) < 0;
        }
        if (error != TORUS_OK || !late)
            return error;
        error = stop_all(t);
    }
    return error == TORUS_OK ? clocks_differ(t) : error;
}

int wait_time(struct torus *t, uint32_t until)
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
        pause_seconds(nap);
        nap = nap < 0.02 ? 1.5 * nap : nap;
    }
}

// What sources have sent and destinations received: *done when all of it is there.
static int look(struct flows *f, bool *done, uint32_t *progress)
{
    *done = true;
    *progress = 0;
    for (unsigned i = 0; i < f->count; i++) {
        struct request *q = &f->q[2 * i];
        by_address(q, pack_at(f->flow[i].from), OFR_OP_READ4, 0);
        q->m[2] = OFR_SEL_NODE | OFR_GEN_STATUS | (uint32_t)(OFR_SEL_NODE | OFR_GEN_SENT) << 16;
        q->m[3] = q->m[2];
        q++;
        by_address(q, pack_at(f->flow[i].to), OFR_OP_READ4, 0);
        q->m[2] =
            OFR_SEL_NODE | OFR_CHECK_RECEIVED | (uint32_t)(OFR_SEL_NODE | OFR_CHECK_ERRORS) << 16;
        q->m[3] =
            OFR_SEL_NODE | OFR_CHECK_ARRIVED | (uint32_t)(OFR_SEL_NODE | OFR_CHECK_ARRIVED) << 16;
    }
    int error = do_all(f, 2 * f->count, "read the generators", NULL);
    for (unsigned i = 0; i < f->count && error == TORUS_OK; i++) {
        const uint32_t *sent = f->q[2 * i].r + 2, *got = f->q[2 * i + 1].r + 2;
        struct torus_flow *w = &f->flow[i];
        w->sent = sent[1];
        w->received = got[0];
        w->errors = got[1];
        w->accepted = (double)got[2] * f->flits / f->o->cycles;
        *done &= (sent[0] & OFR_GEN_STATUS_DONE_MASK) && w->sent == w->received + w->errors;
        *progress += w->sent + w->received + w->errors;
    }
    return error;
}

static int wait_all(struct flows *f)
{
    struct torus *t = f->t;
    double last = monotonic(), nap = 0.0005;
    uint32_t progress, before = 0;
    bool done;
    for (;;) {
        int error = look(f, &done, &progress);
        if (error != TORUS_OK || done)
            return error;
        if (progress != before)
            last = monotonic();
        else if (monotonic() - last > t->options.timeout)
            return fail(t, TORUS_E_FAILED, "packets are lost: no progress for %g s",
                        t->options.timeout);
        before = progress;
        pause_seconds(nap);
        nap = nap < 0.02 ? 1.5 * nap : nap;
    }
}

// Do the clocks of the boards at the ends agree with that of the one we are plugged into, as far as
// pings can tell? For who does not want them aligned: *same becomes false where they do not.
static int compare_ends(struct flows *f, bool *same)
{
    enum { ROUNDS = 4 };
    uint32_t coord;
    int error = torus_read(f->t, NULL, OFR_NODE_COORD, &coord);
    for (unsigned round = 0; round < ROUNDS && error == TORUS_OK && *same; round++) {
        unsigned n = 0;
        for (unsigned i = 0; i < 2 * f->count; i++) {
            const uint8_t *at = i % 2 ? f->flow[i / 2].to : f->flow[i / 2].from;
            if (at[0] != (coord & 15) || at[1] != (coord >> 8 & 15) || at[2] != (coord >> 16 & 15))
                by_address(&f->q[n++], pack_at(at), OFR_OP_CLOCK, 0);
        }
        error = do_all(f, n, "compare the clocks", NULL);
        for (unsigned i = 0; i < n && error == TORUS_OK; i++) {
            const uint32_t *r = f->q[i].r; // d1 is between d0 and d2
            *same &= r[3] - r[2] <= r[4] - r[2];
        }
    }
    return error;
}

// *same: no lifetime is below 0.
static int read_latency(struct flows *f, bool *same)
{
    for (unsigned i = 0; i < f->count; i++) {
        struct request *q = &f->q[i];
        by_address(q, pack_at(f->flow[i].to), OFR_OP_READ4, 0);
        q->m[2] = OFR_SEL_NODE | OFR_CHECK_COUNT | (uint32_t)(OFR_SEL_NODE | OFR_CHECK_MAX) << 16;
        q->m[3] =
            OFR_SEL_NODE | OFR_CHECK_SUM_LOW | (uint32_t)(OFR_SEL_NODE | OFR_CHECK_SUM_HIGH) << 16;
    }
    int error = do_all(f, f->count, "read the checkers", NULL);
    for (unsigned i = 0; i < f->count && error == TORUS_OK; i++) {
        const uint32_t *r = f->q[i].r + 2;
        f->flow[i].measured = r[0];
        f->flow[i].max = r[1];
        uint64_t sum = r[2] | (uint64_t)r[3] << 32;
        // Few packets, whose lifetimes may be below 0: of the sum modulo 2^32.
        f->flow[i].mean = !r[0] ? 0 : f->apart ? (double)(int32_t)sum / r[0] : (double)sum / r[0];
        if (below_zero(r[1]))
            *same = false;
    }
    return error;
}

// Settings of all sorts. TORUS_OK and no f->q: there is nothing to do.
static int prepare(struct flows *f, struct torus_run *run)
{
    int error = check_run(f->t, run);
    if (error == TORUS_OK)
        error = check(f);
    if (error != TORUS_OK || !f->count)
        return error;
    f->messages = messages_of(run, &f->ticks);
    f->flits = run->packet_flits;
    if (!f->messages)
        return fail(f->t, TORUS_E_USAGE, "load %g: packets would be more than 2^24 cycles apart",
                    run->load);
    f->q = calloc(2 * (size_t)f->count, sizeof *f->q);
    if (!f->q) {
        fail(f->t, TORUS_E_MEMORY, "out of memory");
        return TORUS_E_MEMORY;
    }
    return TORUS_OK;
}

// From setting up to the end of the window of the clock of the board we are plugged into.
static int go(struct flows *f)
{
    int error = set_up(f);
    if (error == TORUS_OK)
        error = start_all(f);
    if (error == TORUS_OK)
        error = wait_time(f->t, f->start + f->o->warmup + f->o->cycles + f->apart);
    return error;
}

static void stop_after_error(struct torus *t)
{
    char detail[WIDTH];
    memcpy(detail, t->detail, sizeof detail);
    stop_all(t);
    memcpy(t->detail, detail, sizeof detail);
}

static int flows_once(struct torus *t, const struct torus_flow_options *o, struct torus_flow *flow,
                      unsigned count)
{
    struct torus_run run = torus_run_default();
    struct flows f = {.t = t, .o = o, .flow = flow, .count = count};
    if (!t->good)
        return fail(t, TORUS_E_UNKNOWN, "discover the torus or attach to it first");
    run.load = o->load;
    run.packet_flits = o->packet_flits;
    run.warmup = o->warmup;
    run.cycles = o->cycles;
    int error = prepare(&f, &run);
    if (error != TORUS_OK || !count) {
        free(f.q);
        return error;
    }
    bool same = true;
    error = o->untimed ? clocks_known(t, &same) : clocks_ready(t);
    if (error == TORUS_OK && o->untimed)
        error = compare_ends(&f, &same);
    if (error == TORUS_OK)
        error = go(&f);
    if (error == TORUS_OK)
        error = wait_all(&f);
    if (error == TORUS_OK)
        error = read_latency(&f, &same);
    if (error == TORUS_OK && !same && !o->untimed)
        error = clocks_differ(t);
    for (unsigned i = 0; i < count; i++) {
        flow[i].apart = clocks_error(t, 0);
        if (!same)
            flow[i].accepted = flow[i].mean = -1;
    }
    free(f.q);
    if (error != TORUS_OK) { // leave no traffic behind
        stop_after_error(t);
        return error;
    }
    for (unsigned i = 0; i < count; i++)
        if (flow[i].errors)
            return fail(t, TORUS_E_FAILED, "%u packets from (%u,%u,%u) came damaged",
                        flow[i].errors, flow[i].from[0], flow[i].from[1], flow[i].from[2]);
    return ok(t);
}

API int torus_flows(struct torus *t, const struct torus_flow_options *o, struct torus_flow *flow,
                    unsigned count)
{
    int error = flows_once(t, o, flow, count);
    return error == TORUS_E_BOARD && clocks_doubted(t) ? flows_once(t, o, flow, count) : error;
}

int flow_lifetimes(struct torus *t, struct torus_flow *flow, unsigned count, uint32_t apart,
                   uint32_t later)
{
    enum { PACKETS = 16 };
    struct torus_run run = torus_run_default();
    unsigned period = 4 * t->slot_flits + 64; // one packet at a time
    run.load = (double)t->slot_flits / period;
    run.warmup = 0;
    run.cycles = PACKETS * period - 1;
    struct torus_flow_options o = {.load = run.load, .cycles = run.cycles};
    struct flows f = {
        .t = t, .o = &o, .flow = flow, .count = count, .apart = apart, .later = later};
    bool any;
    int error = prepare(&f, &run);
    if (error == TORUS_OK)
        error = go(&f);
    if (error == TORUS_OK)
        error = read_latency(&f, &any);
    free(f.q);
    if (error != TORUS_OK)
        stop_after_error(t);
    for (unsigned i = 0; i < f.count && error == TORUS_OK; i++)
        if (flow[i].measured != PACKETS)
            error =
                fail(t, TORUS_E_BOARD,
                     "align the clocks: %u of %d packets from (%u,%u,%u) came in time: their "
                     "rates are too far apart, or packets are lost",
                     flow[i].measured, PACKETS, flow[i].from[0], flow[i].from[1], flow[i].from[2]);
    return error;
}
