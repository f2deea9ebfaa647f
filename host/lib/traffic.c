// SPDX-License-Identifier: Apache-2.0
// The traffic engine: settings, and streams from single boards to single boards on their generators
// and checkers. It takes no care that clocks are the same.
#include <stdlib.h>
#include <string.h>

#include "measure.h"

API struct torus_run torus_run_default(void)
{
    return (struct torus_run){.pattern = TORUS_UNIFORM,
                              .load = 0.1,
                              .message_packets = 1,
                              .warmup = 1000,
                              .cycles = 4000,
                              .seed = 1};
}

API struct torus_flow_options torus_flow_options_default(void)
{
    return (struct torus_flow_options){.load = 1, .warmup = 1000, .cycles = 4000};
}

int check_run(struct torus *t, struct torus_run *run)
{
    int error = TORUS_OK;
    if (!t->generation) { // else the boards themselves check that they have that generation
        struct torus_preset preset;
        unsigned generation;
        error = torus_programmed(t, &preset, &generation);
    }
    if (error != TORUS_OK)
        return error;
    if (!t->generation)
        return fail(t, TORUS_E_UNKNOWN, "no routing is programmed; run program first");
    if (!t->generator || !t->checker)
        return fail(t, TORUS_E_USAGE, "these boards are built without %s: nothing to run",
                    t->generator ? "a traffic checker"
                    : t->checker ? "a traffic generator"
                                 : "a traffic generator and checker");
    if (!torus_pattern_name(run->pattern))
        return fail(t, TORUS_E_USAGE, "unknown pattern %d", (int)run->pattern);
    const char *why = torus_pattern_missing(run->pattern, t->dims, t->k);
    if (why)
        return fail(t, TORUS_E_USAGE, "pattern %s does not exist in %ux%ux%u: %s",
                    torus_pattern_name(run->pattern), t->k[0], t->k[1], t->k[2], why);
    unsigned least = t->flit_bytes == 8 ? 4 : 32 / t->flit_bytes;
    if (!run->packet_flits)
        run->packet_flits = t->slot_flits;
    if (run->packet_flits < least || run->packet_flits > t->slot_flits)
        return fail(t, TORUS_E_USAGE, "packets of %u flits: from %u to %u", run->packet_flits,
                    least, t->slot_flits);
    if (!run->message_packets || run->message_packets > 65535)
        return fail(t, TORUS_E_USAGE, "messages of %u packets: 1 to 65535", run->message_packets);
    if (!(run->load > 0 && run->load <= 1000))
        return fail(t, TORUS_E_USAGE, "load %g flits per cycle and node: above 0, at most 1000",
                    run->load);
    if (!run->cycles || run->cycles > 1u << 28 || run->warmup > 1u << 28)
        return fail(t, TORUS_E_USAGE,
                    "a window of %u cycles after %u: 1 to 2^28 after at most 2^28", run->cycles,
                    run->warmup);
    return TORUS_OK;
}

uint32_t messages_of(const struct torus_run *run, uint32_t *ticks)
{
    double period = 256.0 * run->packet_flits * run->message_packets / run->load;
    if (period > 4e9 || period < 1)
        return 0;
    *ticks = (uint32_t)(period + 0.5);
    return (uint32_t)(((double)run->warmup + run->cycles) * 256 / *ticks) + 1;
}

static int check(struct flows *f)
{
    struct torus *t = f->t;
    uint8_t *used = calloc(node_count(t), 1);
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

int flows_ask(struct flows *f, unsigned count, const char *what, bool *late)
{
    int error = exchange(f->t, f->q, count);
    for (unsigned i = 0; i < count && error == TORUS_OK; i++)
        if (late && f->q[i].status == OFR_LATE)
            *late = true;
        else
            error = status_error(f->t, &f->q[i], what);
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
    return flows_ask(f, f->count, "set the checkers up", NULL);
}

static int set_up(struct flows *f)
{
    struct torus *t = f->t;
    uint32_t gen[4] = {f->ticks, f->messages,
                       f->flits << OFR_GEN_LENGTH_FLITS_LSB | 1u << OFR_GEN_LENGTH_PACKETS_LSB, 1};
    int error = ask_all(t, OFR_AGG_OR, OFR_OP_GEN,
                        OFR_GEN_CONTROL_PATTERN_FIXED | (unsigned)t->traffic << 4 |
                            (t->generation & 3) << 6,
                        gen, NULL, "set the generators up");
    if (error != TORUS_OK)
        return error;
    for (unsigned i = 0; i < f->count; i++)
        write_to(&f->q[i], f->flow[i].from, OFR_GEN_TARGET, pack_at(f->flow[i].to));
    return flows_ask(f, f->count, "set the generators up", NULL);
}

int stop_all(struct torus *t)
{
    if (!t->addressed)
        return write_boards(t, 0, t->board_count, OFR_OP_START, 0, 0, 0, "stop the generators");
    return ask_all(t, OFR_AGG_OR, OFR_OP_START, 0, NULL, NULL, "stop the generators");
}

void leave_silent(struct torus *t)
{
    char detail[WIDTH];
    memcpy(detail, t->detail, sizeof detail);
    if (t->lease.session)
        stop_all(t);
    memcpy(t->detail, detail, sizeof detail);
}

API int torus_stop(struct torus *t)
{
    if (!t->good && !t->gaps)
        return fail(t, TORUS_E_UNKNOWN, "discover the torus or attach to it first");
    int error = lease_begin(t, 0);
    return error == TORUS_OK ? lease_done(t, stop_all(t)) : error;
}

int lease_for_cycles(struct torus *t, double cycles)
{
    int error = read_clock(t);
    return error == TORUS_OK ? lease_begin(t, 60 + 1.05 * cycles / t->clock) : error;
}

// All generators from f->start on. *late: a board was told too late.
static int start_at(struct flows *f, bool *late)
{
    struct torus *t = f->t;
    uint32_t from = f->start + f->o->warmup, to = from + f->o->cycles;
    if (f->count == node_count(t)) {
        uint32_t data[4] = {0, f->start, from, to};
        int error = ask_all(t, OFR_AGG_OR, OFR_OP_START, 1, data, NULL, "start the generators");
        *late = error == TORUS_E_BOARD && t->status == OFR_LATE;
        return *late ? TORUS_OK : error;
    }
    // Boards that only receive: their checkers. Then the sources, which set their own.
    int error = write_ends(f, true, OFR_CHECK_FROM, from);
    if (error == TORUS_OK)
        error = write_ends(f, true, OFR_CHECK_TO, to);
    if (error == TORUS_OK)
        error = write_ends(f, true, OFR_CHECK_CONTROL, 1);
    if (error != TORUS_OK)
        return error;
    for (unsigned i = 0; i < f->count; i++) {
        by_address(&f->q[i], pack_at(f->flow[i].from), OFR_OP_START, 1);
        f->q[i].m[3] = f->start;
        f->q[i].m[4] = from;
        f->q[i].m[5] = to;
    }
    return flows_ask(f, f->count, "start the generators", late);
}

// One cycle for all, `ahead` cycles from now, which grows until all boards hear of it in time.
static int start_all(struct flows *f)
{
    struct torus *t = f->t;
    if (!t->ahead)
        t->ahead = 4000 + 1000 * (t->k[0] + t->k[1] + t->k[2]);
    for (; t->ahead <= 1u << 28; t->ahead *= 2) {
        bool late = false;
        uint32_t now;
        int error = torus_read(t, NULL, OFR_NODE_TIME, &now);
        f->start = now + t->ahead + f->apart + f->later;
        if (error == TORUS_OK)
            error = start_at(f, &late);
        // One whose clock is ahead has not begun before the last one was told.
        if (error == TORUS_OK && !late && f->apart) {
            error = torus_read(t, NULL, OFR_NODE_TIME, &now);
            late = (int32_t)(f->start - f->apart - now) < 0;
        }
        if (error == TORUS_OK && late)
            error = stop_all(t); // those that have been told
        if (error != TORUS_OK || !late)
            return error;
    }
    return clocks_differ(t);
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
    int error = flows_ask(f, 2 * f->count, "read the generators", NULL);
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

int flows_wait(struct flows *f)
{
    struct torus *t = f->t;
    double last = monotonic(), nap = 0.0005;
    uint32_t progress, before = 0;
    bool done;
    for (;;) {
        int error = look(f, &done, &progress);
        if (error != TORUS_OK || done)
            return error;
        error = lease_keep(t);
        if (error != TORUS_OK)
            return error;
        if (progress != before)
            last = monotonic();
        else if (monotonic() - last > t->options.timeout)
            return fail(t, TORUS_E_FAILED, "packets are lost: no progress for %g s",
                        t->options.timeout);
        before = progress;
        if ((error = wait_more(t, nap)) != TORUS_OK)
            return error;
        nap = nap < 0.02 ? 1.5 * nap : nap;
    }
}

// *same: no lifetime is below 0.
int flows_read(struct flows *f, bool *same)
{
    for (unsigned i = 0; i < f->count; i++) {
        struct request *q = &f->q[i];
        by_address(q, pack_at(f->flow[i].to), OFR_OP_READ4, 0);
        q->m[2] = OFR_SEL_NODE | OFR_CHECK_COUNT | (uint32_t)(OFR_SEL_NODE | OFR_CHECK_MAX) << 16;
        q->m[3] =
            OFR_SEL_NODE | OFR_CHECK_SUM_LOW | (uint32_t)(OFR_SEL_NODE | OFR_CHECK_SUM_HIGH) << 16;
    }
    int error = flows_ask(f, f->count, "read the checkers", NULL);
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
int flows_prepare(struct flows *f, struct torus_run *run)
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
int flows_go(struct flows *f)
{
    int error = set_up(f);
    if (error == TORUS_OK)
        error = start_all(f);
    if (error == TORUS_OK)
        error = wait_time(f->t, f->start + f->o->warmup + f->o->cycles + f->apart);
    return error;
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
    int error = flows_prepare(&f, &run);
    if (error != TORUS_OK || !f.q)
        return error;
    error = flows_go(&f);
    if (error == TORUS_OK)
        error = flows_read(&f, &any);
    free(f.q);
    if (error != TORUS_OK)
        leave_silent(t);
    for (unsigned i = 0; i < f.count && error == TORUS_OK; i++)
        if (flow[i].measured != PACKETS)
            error =
                fail(t, TORUS_E_BOARD,
                     "align the clocks: %u of %d packets from (%u,%u,%u) came in time: their "
                     "rates are too far apart, or packets are lost",
                     flow[i].measured, PACKETS, flow[i].from[0], flow[i].from[1], flow[i].from[2]);
    return error;
}
