// SPDX-License-Identifier: Apache-2.0
// Measuring: traffic from the boards' generators, checkers, counters. Almost all by collectives, so
// that a run costs a few requests whatever the number of boards.
#include <stdlib.h>
#include <string.h>

#include "../../sim/model/decide.h"
#include "measure.h"

// READ4 of four selectors over all boards.
static int read_all(struct torus *t, enum ofr_aggregate aggregate, unsigned a, unsigned b,
                    unsigned c, unsigned d, uint32_t out[4])
{
    uint32_t ask4[4] = {a | (uint32_t)b << 16, c | (uint32_t)d << 16};
    return ask_all(t, aggregate, OFR_OP_READ4, 0, ask4, out, "read all boards");
}

// Of a snapshot, over all boards.
struct totals {
    uint64_t link_flits;
    uint32_t oidn, widn;
    unsigned collectives; // up to the one that latched it
};

static void take_totals(const uint32_t d[4], struct totals *out)
{
    out->link_flits = d[0] | (uint64_t)d[1] << 32;
    out->oidn = d[2];
    out->widn = d[3];
}

// Link flits of one collective: packets and answers along the tree of protocol.h, seen from the
// board we are plugged into.
static int collective_flits(struct torus *t, double *flits)
{
    *flits = t->collective_flits;
    if (*flits > 0)
        return TORUS_OK;
    struct ofr_torus torus = {.n = (uint8_t)t->dims};
    uint32_t coord;
    int error = torus_read(t, NULL, OFR_NODE_COORD, &coord);
    if (error != TORUS_OK)
        return error;
    unsigned packets = 0, packet = (8 + OFR_MESSAGE_BYTES) / t->flit_bytes;
    for (unsigned i = 0; i < t->dims; i++)
        torus.k[i] = t->k[i];
    for (unsigned i = 0; i < t->dims; i++) {
        unsigned along = 0;
        for (unsigned c = 0; c < t->k[i]; c++)
            along += 2 * ofr_dim_distance(&torus, i, coord >> 8 * i & 15, c);
        for (unsigned above = i + 1; above < t->dims; above++)
            along *= t->k[above];
        packets += along;
    }
    *flits = t->collective_flits = (double)packets * (packet < 4 ? 4 : packet);
    return TORUS_OK;
}

// OP_GEN, as a run wants it.
struct setting {
    unsigned arg;
    uint32_t data[4];
};

// Sets the generators up and starts them all in the same cycle, far enough ahead that all boards
// have been told: what that takes in simulation is learned from the first run. before: the snapshot
// that setting up has latched.
static int start(struct torus *t, const struct torus_run *run, const struct setting *set,
                 struct totals *before)
{
    double end = monotonic() + t->options.timeout;
    if (!t->ahead)
        t->ahead = 4000 + 1000 * (t->k[0] + t->k[1] + t->k[2]);
    for (bool again = true;;) {
        int error = TORUS_OK;
        uint32_t from = t->ahead + run->warmup, data[4] = {0, t->ahead, from, from + run->cycles};
        uint32_t d[4];
        if (again) {
            error = ask_all(t, OFR_AGG_OR, OFR_OP_GEN, set->arg, set->data, NULL,
                            "set the generators up");
            before->collectives = t->collectives;
        }
        if (error == TORUS_OK)
            error = ask_all(t, OFR_AGG_TOTALS, OFR_OP_START, 2, data, d, "start the generators");
        if (error == TORUS_OK)
            take_totals(d, before);
        if (error != TORUS_E_BOARD || (t->status != OFR_LATE && t->status != OFR_STALE))
            return error;
        // Too late for some: give more time. Or another host has latched what was before: anew.
        again = t->status == OFR_STALE;
        if (again && monotonic() > end)
            return error;
        if (!again && (t->ahead *= 2) > 1u << 28)
            return clocks_differ(t);
        error = stop_all(t); // those that have been told
        if (error != TORUS_OK)
            return error;
    }
}

// Waits until the window is over, looking only at the board we are plugged into: nothing of ours is
// on the links in the window. *start: NODE.TIME of the first message.
static int wait_window(struct torus *t, uint32_t *start)
{
    double last = monotonic(), nap = 0.0002;
    uint32_t before = 0;
    for (;;) {
        struct request q;
        by_path(&q, NULL, 0, OFR_OP_READ4, 0);
        q.m[2] = OFR_SEL_NODE | OFR_NODE_TIME | (uint32_t)(OFR_SEL_NODE | OFR_CHECK_TO) << 16;
        q.m[3] = OFR_SEL_NODE | OFR_GEN_START | (uint32_t)(OFR_SEL_NODE | OFR_GEN_START) << 16;
        int error = ask(t, &q, "read the time");
        uint32_t now = q.r[2];
        *start = q.r[4];
        if (error != TORUS_OK || (int32_t)(now - q.r[3]) >= 0)
            return error;
        if (now != before)
            last = monotonic();
        else if (monotonic() - last > t->options.timeout)
            return fail(t, TORUS_E_BOARD, "NODE.TIME stands still at %u", now);
        before = now;
        if ((error = wait_more(t, nap)) != TORUS_OK)
            return error;
        nap = nap < 0.02 ? 1.5 * nap : nap;
    }
}

// Waits until all packets are delivered. now[0] sent, [1] received, damaged ones included, [2]
// received in the window, [3] sum of OFR_FW_STATUS.
static int wait_done(struct torus *t, uint32_t now[4])
{
    double last = monotonic(), nap = 0.0005;
    uint32_t before[4] = {0};
    for (;;) {
        int error =
            read_all(t, OFR_AGG_SUM, OFR_SEL_NODE | OFR_GEN_SENT, OFR_SEL_FIRMWARE | OFR_FW_GOT,
                     OFR_SEL_NODE | OFR_CHECK_ARRIVED, OFR_SEL_FIRMWARE | OFR_FW_STATUS, now);
        if (error != TORUS_OK)
            return error;
        error = lease_keep(t);
        if (error != TORUS_OK)
            return error;
        bool all_sent = (now[3] & 0xffff) == node_count(t) * OFR_GEN_STATUS_DONE_MASK;
        if (all_sent && now[1] == now[0])
            return TORUS_OK;
        if (memcmp(now, before, sizeof before) != 0) {
            memcpy(before, now, sizeof before);
            last = monotonic();
        } else if (monotonic() - last > t->options.timeout) {
            if (!all_sent && now[0] == now[1]) // nothing is stuck: for some it is not time yet
                return clocks_differ(t);
            return fail(t, TORUS_E_FAILED,
                        "%u packets sent, %u delivered, and no progress for %g s", now[0], now[1],
                        t->options.timeout);
        }
        if ((error = wait_more(t, nap)) != TORUS_OK)
            return error;
        nap = nap < 0.02 ? 1.5 * nap : nap;
    }
}

API double torus_bin_end(unsigned bin)
{
    bin++;
    return bin < 16 ? bin : (double)(8 + bin % 8) * (double)(1u << (bin / 8 - 1));
}

// The bin in which the 99th percentile lies, by search over cumulative sums, four a step, between
// the mean's and the largest latency's.
static int find_p99(struct torus *t, uint32_t count, double mean, uint32_t max, double *p99)
{
    *p99 = 0;
    if (!count)
        return TORUS_OK;
    // So many packets may be above the bin: in it or below it are 99%, rounded up.
    uint32_t allowed = count - (uint32_t)(((uint64_t)count * 99 + 99) / 100);
    // From bin `low` on there are more than that (or low = 0), from bin `high` on there are not.
    unsigned low = 0, high = ofr_bin(max) + 1, from = ofr_bin((uint32_t)mean);
    for (bool first = true; high - low > 1; first = false) {
        unsigned at[4];
        uint32_t above[4];
        if (!first || from >= high - 1)
            from = low;
        for (unsigned i = 0; i < 4; i++) {
            unsigned part = from == low ? i + 1 : i;
            at[i] = from + (high - from) * part / (from == low ? 5 : 4);
            at[i] += at[i] == low;
        }
        int error = read_all(t, OFR_AGG_SUM, OFR_SEL_ABOVE | at[0], OFR_SEL_ABOVE | at[1],
                             OFR_SEL_ABOVE | at[2], OFR_SEL_ABOVE | at[3], above);
        if (error != TORUS_OK)
            return error;
        for (unsigned i = 4; i-- > 0;)
            if (above[i] <= allowed && at[i] < high)
                high = at[i];
        for (unsigned i = 0; i < 4; i++)
            if (above[i] > allowed && at[i] > low && at[i] < high)
                low = at[i];
    }
    *p99 = torus_bin_end(high - 1);
    return TORUS_OK;
}

API int torus_histogram(struct torus *t, const struct torus_result *result,
                        uint32_t count[TORUS_BINS])
{
    uint32_t above[TORUS_BINS + 4] = {0}; // packets in the bins from this one on
    unsigned bins = ofr_bin(result->max) + 1;
    memset(count, 0, TORUS_BINS * sizeof *count);
    if (!t->good)
        return fail(t, TORUS_E_UNKNOWN, "discover the torus or attach to it first");
    // From the top down, until all packets are found: short lifetimes have bins of their own.
    for (unsigned low = bins; low > 0 && above[low] < result->measured;) {
        unsigned at[4];
        low = low > 4 ? low - 4 : 0;
        for (unsigned i = 0; i < 4; i++)
            at[i] = low + i;
        int error = read_all(t, OFR_AGG_SUM, OFR_SEL_ABOVE | at[0], OFR_SEL_ABOVE | at[1],
                             OFR_SEL_ABOVE | at[2], OFR_SEL_ABOVE | at[3], &above[low]);
        if (error != TORUS_OK)
            return error;
        for (unsigned i = 4; i-- > 0 && low + i < bins;)
            count[low + i] = above[low + i] - above[low + i + 1];
    }
    return ok(t);
}

static unsigned links(const struct torus *t)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < t->dims; i++)
        sum += t->k[i] == 1 ? 0 : t->k[i] == 2 ? node_count(t) : 2 * node_count(t);
    return sum;
}

static int read_results(struct torus *t, const struct torus_run *run, const uint32_t now[4],
                        uint32_t number, struct torus_result *out)
{
    uint32_t ask4[4] = {
        OFR_SEL_NODE | OFR_CHECK_SUM_LOW | (OFR_SEL_NODE | OFR_CHECK_SUM_HIGH) << 16,
        OFR_SEL_NODE | OFR_CHECK_COUNT | (OFR_SEL_NODE | OFR_CHECK_MAX) << 16, number};
    uint32_t d[4], errors[4] = {0};
    int error =
        ask_all(t, OFR_AGG_RESULT, OFR_OP_READ4, 1, ask4, d, "read the checkers, latch counters");
    if (error == TORUS_OK && now[3] >> 16)
        error = read_all(t, OFR_AGG_SUM, OFR_SEL_NODE | OFR_CHECK_ERRORS,
                         OFR_SEL_NODE | OFR_CHECK_ERRORS, OFR_SEL_NODE | OFR_CHECK_ERRORS,
                         OFR_SEL_NODE | OFR_CHECK_ERRORS, errors);
    if (error != TORUS_OK)
        return error;
    out->sent = now[0];
    out->errors = errors[0];
    out->received = now[1] - errors[0];
    out->accepted = (double)now[2] * run->packet_flits / ((double)run->cycles * node_count(t));
    out->mean = d[2] ? (double)(d[0] | (uint64_t)d[1] << 32) / (double)d[2] : 0;
    out->max = d[3];
    out->measured = d[2];
    if (below_zero(out->max))
        return clocks_differ(t);
    return TORUS_OK;
}

// The counters of the snapshot that was latched with the results; where another host has latched
// since, of one of ours that is later: all packets have arrived.
static int read_totals(struct torus *t, uint32_t number, struct totals *after)
{
    double end = monotonic() + t->options.timeout;
    for (;;) {
        uint32_t data[4] = {number}, d[4] = {0};
        int error = ask_all(t, OFR_AGG_TOTALS, OFR_OP_TOTALS, 0, data, d, "read the counters");
        take_totals(d, after);
        if (error != TORUS_E_BOARD || t->status != OFR_STALE || monotonic() > end)
            return error;
        number = data[0] = random_word();
        after->collectives = t->collectives + 1;
        error = ask_all(t, OFR_AGG_OR, OFR_OP_SNAPSHOT, 0, data, NULL, "latch the counters");
        if (error != TORUS_OK)
            return error;
    }
}

static int measure(struct torus *t, const struct torus_run *run, struct totals *after,
                   struct torus_result *out)
{
    uint32_t now[4] = {0}, number = random_word();
    int error = wait_window(t, &out->start);
    if (error == TORUS_OK)
        error = wait_done(t, now);
    if (error == TORUS_OK) {
        after->collectives = t->collectives + 1;
        error = read_results(t, run, now, number, out);
    }
    if (error == TORUS_OK)
        error = read_totals(t, number, after);
    if (error == TORUS_OK)
        error = find_p99(t, out->measured, out->mean, out->max, &out->p99);
    // It is of one routing and one traffic only if nobody else could write meanwhile.
    return error == TORUS_OK ? lease_verify(t) : error;
}

// In the lease.
static int run_leased(struct torus *t, const struct torus_run *run, uint32_t ticks,
                      uint32_t messages, struct torus_result *out)
{
    struct totals before = {0}, after = {0};
    struct setting set = {(unsigned)run->pattern | (unsigned)t->traffic << 4 |
                              (t->generation & 3) << 6,
                          {ticks, messages,
                           run->packet_flits << OFR_GEN_LENGTH_FLITS_LSB |
                               (uint32_t)run->message_packets << OFR_GEN_LENGTH_PACKETS_LSB,
                           run->seed}};
    double management = 0;
    int error = clocks_ready(t);
    out->apart = clocks_error(t, (double)run->warmup + run->cycles);
    if (error == TORUS_OK)
        error = collective_flits(t, &management);
    if (error != TORUS_OK)
        return error;
    out->offered = 256.0 * run->packet_flits * run->message_packets / ticks;
    out->packet_flits = run->packet_flits;
    out->gamma0 = torus_gamma0(t->dims, t->k);
    error = start(t, run, &set, &before);
    if (error == TORUS_OK)
        error = measure(t, run, &after, out);
    if (error != TORUS_OK) {
        leave_silent(t);
        return error;
    }
    if (out->sent) {
        out->oidn = (double)(after.oidn - before.oidn) / (double)out->sent;
        out->widn = (double)(after.widn - before.widn) / (double)out->sent;
        out->hops = ((double)(after.link_flits - before.link_flits) -
                     management * (after.collectives - before.collectives)) /
                    ((double)out->sent * run->packet_flits);
    }
    if (links(t))
        out->link_use = out->hops * out->accepted * node_count(t) / links(t);
    if (out->errors)
        return fail(t, TORUS_E_FAILED, "%u of %llu packets came damaged or to the wrong board",
                    out->errors, (unsigned long long)out->sent);
    return ok(t);
}

static int run_once(struct torus *t, const struct torus_run *wanted, struct torus_result *out)
{
    struct torus_run run = *wanted;
    uint32_t ticks;
    memset(out, 0, sizeof *out);
    if (!t->good)
        return fail(t, TORUS_E_UNKNOWN, "discover the torus or attach to it first");
    int error = check_run(t, &run);
    if (error != TORUS_OK)
        return error;
    uint32_t messages = messages_of(&run, &ticks);
    if (!messages)
        return fail(t, TORUS_E_USAGE, "load %g: messages would be more than 2^24 cycles apart",
                    run.load);
    if ((double)messages * run.message_packets * node_count(t) > UINT32_MAX)
        return fail(t, TORUS_E_USAGE, "a run of more than 2^32 packets: make the window shorter");
    error = lease_for_cycles(t, (double)run.warmup + run.cycles);
    return error == TORUS_OK ? lease_done(t, run_leased(t, &run, ticks, messages, out)) : error;
}

API int torus_run(struct torus *t, const struct torus_run *run, struct torus_result *out)
{
    int error = run_once(t, run, out);
    return error == TORUS_E_BOARD && clocks_doubted(t) ? run_once(t, run, out) : error;
}
