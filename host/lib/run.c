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
    unsigned packets = 0, packet = message_flits(t);
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
    *flits = t->collective_flits = (double)packets * packet;
    return TORUS_OK;
}

struct run {
    struct traffic w; // begins with it
    unsigned gen_arg; // OP_GEN
    uint32_t gen[4];
    unsigned packet_flits;
    struct totals before, after;
    double management;     // link flits of a collective, where it matters
    uint64_t discarded[2]; // packets, where boards are missing: before, and the last look's
    uint32_t arrived;      // packets, in the window
    bool damaged;          // a checker has seen one
    struct torus_result *out;
};

static void add_discarded(void *ctx, const uint8_t at[3], const uint64_t *counters)
{
    (void)at;
    *(uint64_t *)ctx += counters[OFR_COUNTER_DISCARDED];
}

// Packets that boards have discarded so far: where boards are missing, those to them.
static int read_discarded(struct torus *t, uint64_t *sum)
{
    uint32_t data[4] = {random_word()};
    *sum = 0;
    int error = ask_all(t, OFR_AGG_OR, OFR_OP_SNAPSHOT, 0, data, NULL, "latch the counters");
    return error == TORUS_OK ? read_counters(t, data[0], false, add_discarded, sum) : error;
}

// Latches the counters, too.
static int set_up(struct traffic *w)
{
    struct run *r = (struct run *)w;
    int error = w->t->absent ? read_discarded(w->t, &r->discarded[0]) : TORUS_OK;
    if (error != TORUS_OK)
        return error;
    error =
        ask_all(w->t, OFR_AGG_OR, OFR_OP_GEN, r->gen_arg, r->gen, NULL, "set the generators up");
    r->before.collectives = w->t->collectives;
    return error;
}

// All in the same cycle, far enough ahead that all boards have been told: what that takes in
// simulation is learned from the first run.
static int begin(struct traffic *w, enum ofr_status *again)
{
    struct run *r = (struct run *)w;
    struct torus *t = w->t;
    uint32_t from = t->ahead + w->warmup, data[4] = {0, t->ahead, from, from + w->cycles}, d[4];
    int error = ask_all(t, OFR_AGG_TOTALS, OFR_OP_START, 2, data, d, "start the generators");
    if (error == TORUS_E_BOARD && (t->status == OFR_LATE || t->status == OFR_STALE)) {
        *again = t->status;
        return TORUS_OK;
    }
    if (error != TORUS_OK)
        return error;
    take_totals(d, &r->before);
    return torus_read(t, NULL, OFR_GEN_START, &w->start);
}

static int look(struct traffic *w, struct traffic_seen *seen)
{
    struct run *r = (struct run *)w;
    uint32_t now[4]; // [3]: sum of OFR_FW_STATUS
    int error =
        read_all(w->t, OFR_AGG_SUM, OFR_SEL_NODE | OFR_GEN_SENT, OFR_SEL_FIRMWARE | OFR_FW_GOT,
                 OFR_SEL_NODE | OFR_CHECK_ARRIVED, OFR_SEL_FIRMWARE | OFR_FW_STATUS, now);
    if (error != TORUS_OK)
        return error;
    seen->sent = now[0];
    seen->arrived = now[1]; // damaged ones included
    seen->ended = (now[3] & 0xffff) == there(w->t) * OFR_GEN_STATUS_DONE_MASK;
    r->arrived = now[2];
    r->damaged = now[3] >> 16;
    r->out->sent = now[0];
    r->out->received = now[1];
    if (w->t->absent && seen->ended) {
        error = read_discarded(w->t, &r->discarded[1]);
        seen->arrived += r->discarded[1] - r->discarded[0];
    }
    return error;
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
    // A mean above the largest is a board's nonsense.
    unsigned low = 0, high = ofr_bin(max) + 1, from = ofr_bin(mean < max ? (uint32_t)mean : max);
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

// Has nothing been started since, by anybody?
static int same_run(struct torus *t, const struct torus_result *result)
{
    uint32_t start;
    int error = torus_read(t, NULL, OFR_GEN_START, &start);
    if (error == TORUS_OK && start != result->start)
        error = fail(t, TORUS_E_LEASE,
                     "read the histogram: it is gone, as other traffic was started (at %u); "
                     "torus_lease() keeps others away",
                     start);
    return error == TORUS_OK ? ok(t) : error;
}

API int torus_histogram(struct torus *t, const struct torus_result *result,
                        uint32_t count[TORUS_BINS])
{
    uint32_t above[TORUS_BINS + 4] = {0}; // packets in the bins from this one on
    unsigned bins = ofr_bin(result->max) + 1;
    memset(count, 0, TORUS_BINS * sizeof *count);
    if (!reached(t))
        return fail(t, TORUS_E_UNKNOWN, "discover the torus or attach to it first");
    int error = same_run(t, result);
    // From the top down, until all packets are found: short lifetimes have bins of their own.
    for (unsigned low = bins; error == TORUS_OK && low > 0 && above[low] < result->measured;) {
        unsigned at[4];
        low = low > 4 ? low - 4 : 0;
        for (unsigned i = 0; i < 4; i++)
            at[i] = low + i;
        error = read_all(t, OFR_AGG_SUM, OFR_SEL_ABOVE | at[0], OFR_SEL_ABOVE | at[1],
                         OFR_SEL_ABOVE | at[2], OFR_SEL_ABOVE | at[3], &above[low]);
        for (unsigned i = 4; i-- > 0 && low + i < bins && error == TORUS_OK;)
            count[low + i] = above[low + i] - above[low + i + 1];
    }
    return error == TORUS_OK ? same_run(t, result) : error;
}

static unsigned links(const struct torus *t)
{
    unsigned sum = 0;
    for (unsigned i = 0; t->absent && i < t->board_count; i++)
        for (unsigned p = 0; p < 2 * t->dims; p++)
            sum += t->boards[i].peer[p] >= 0;
    if (t->absent)
        return sum;
    for (unsigned i = 0; i < t->dims; i++)
        sum += t->k[i] == 1 ? 0 : t->k[i] == 2 ? node_count(t) : 2 * node_count(t);
    return sum;
}

static int read_results(struct run *r, uint32_t number)
{
    struct torus *t = r->w.t;
    struct torus_result *out = r->out;
    uint32_t ask4[4] = {
        OFR_SEL_NODE | OFR_CHECK_SUM_LOW | (OFR_SEL_NODE | OFR_CHECK_SUM_HIGH) << 16,
        OFR_SEL_NODE | OFR_CHECK_COUNT | (OFR_SEL_NODE | OFR_CHECK_MAX) << 16, number};
    uint32_t d[4], errors[4] = {0};
    int error =
        ask_all(t, OFR_AGG_RESULT, OFR_OP_READ4, 1, ask4, d, "read the checkers, latch counters");
    if (error == TORUS_OK && r->damaged)
        error = read_all(t, OFR_AGG_SUM, OFR_SEL_NODE | OFR_CHECK_ERRORS,
                         OFR_SEL_NODE | OFR_CHECK_ERRORS, OFR_SEL_NODE | OFR_CHECK_ERRORS,
                         OFR_SEL_NODE | OFR_CHECK_ERRORS, errors);
    if (error != TORUS_OK)
        return error;
    out->start = r->w.start;
    out->errors = errors[0];
    out->received -= errors[0];
    out->accepted = (double)r->arrived * r->packet_flits / ((double)r->w.cycles * there(t));
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

static int read(struct traffic *w)
{
    struct run *r = (struct run *)w;
    uint32_t number = random_word();
    r->after.collectives = w->t->collectives + 1;
    int error = read_results(r, number);
    if (error == TORUS_OK)
        error = read_totals(w->t, number, &r->after);
    if (error == TORUS_OK)
        error = find_p99(w->t, r->out->measured, r->out->mean, r->out->max, &r->out->p99);
    return error;
}

// Hops of the run's packets, all together. What OP_TOTALS counts has no management in it, but where
// the run's packets are as long as management's; there our own collectives are taken away, and what
// other tools ask of the boards meanwhile is not known.
static double users_hops(const struct torus *t, const struct run *r)
{
    double flits = (double)(int64_t)(r->after.link_flits - r->before.link_flits);
    double longer = (double)r->packet_flits - (double)message_flits(t);
    if (longer != 0)
        return flits / longer;
    return (flits - r->management * (r->after.collectives - r->before.collectives)) /
           r->packet_flits;
}

// In the lease.
static int run_leased(struct torus *t, const struct torus_run *run, uint32_t ticks,
                      uint32_t messages, struct torus_result *out)
{
    struct run r = {.w = {.t = t,
                          .warmup = run->warmup,
                          .cycles = run->cycles,
                          .set_up = set_up,
                          .begin = begin,
                          .look = look,
                          .read = read},
                    .gen_arg = (unsigned)run->pattern | (unsigned)t->traffic << 4 |
                               (t->generation & 3) << 6,
                    .gen = {ticks, messages,
                            run->packet_flits << OFR_GEN_LENGTH_FLITS_LSB |
                                (uint32_t)run->message_packets << OFR_GEN_LENGTH_PACKETS_LSB,
                            run->seed},
                    .packet_flits = run->packet_flits,
                    .out = out};
    int error = clocks_ready(t);
    out->apart = clocks_error(t);
    if (error == TORUS_OK && run->packet_flits == message_flits(t))
        error = collective_flits(t, &r.management);
    if (error != TORUS_OK)
        return error;
    out->offered = 256.0 * run->packet_flits * run->message_packets / ticks;
    out->packet_flits = run->packet_flits;
    out->gamma0 = torus_gamma0(t->dims, t->k);
    error = traffic_measure(&r.w);
    if (error != TORUS_OK)
        return error;
    // Of what went anywhere
    double sent = (double)(out->sent - (r.discarded[1] - r.discarded[0]));
    if (sent > 0) {
        out->oidn = (double)(r.after.oidn - r.before.oidn) / sent;
        out->widn = (double)(r.after.widn - r.before.widn) / sent;
        out->hops = users_hops(t, &r) / sent;
    }
    if (links(t))
        out->link_use = out->hops * out->accepted * there(t) / links(t);
    if (out->errors)
        return fail(t, TORUS_E_FAILED, "%u of %llu packets came damaged or to the wrong board",
                    out->errors, (unsigned long long)out->sent);
    return ok(t);
}

static int run_once(struct torus *t, const struct torus_run *wanted, struct torus_result *out)
{
    struct torus_run run;
    uint32_t ticks;
    memset(out, 0, sizeof *out);
    if (!options_take(&run, sizeof run, wanted))
        return fail(t, TORUS_E_USAGE, "struct torus_run: begin with torus_run_default()");
    if (!reached(t))
        return fail(t, TORUS_E_UNKNOWN, "discover the torus or attach to it first");
    int error = check_run(t, &run);
    if (error == TORUS_OK)
        error = parts_known(t);
    const char *missing = traffic_missing(t->generator, t->checker);
    if (error == TORUS_OK && missing)
        error = fail(t, TORUS_E_USAGE,
                     "these boards, or some of them, are built without %s: no run of all", missing);
    if (error == TORUS_OK && t->absent && run.packet_flits == message_flits(t))
        error = fail(t, TORUS_E_USAGE,
                     "packets of %u flits, as management's, cannot be told from it while %s; take "
                     "another length",
                     run.packet_flits, t->faults[0].text);
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
