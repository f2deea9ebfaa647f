// SPDX-License-Identifier: Apache-2.0
// The traffic engine: settings; generators started, waited for and stopped, whatever it is that
// they send (run.c, streams.c).
#include <inttypes.h>
#include <string.h>

#include "measure.h"

API void torus_run_init(struct torus_run *run, size_t size)
{
    const struct torus_run defaults = {.size = sizeof defaults,
                                       .pattern = TORUS_UNIFORM,
                                       .load = 0.1,
                                       .message_packets = 1,
                                       .warmup = 1000,
                                       .cycles = 4000,
                                       .seed = 1};
    options_give(run, size, &defaults, sizeof defaults);
}

API void torus_flow_options_init(struct torus_flow_options *options, size_t size)
{
    const struct torus_flow_options defaults = {
        .size = sizeof defaults, .load = 1, .warmup = 1000, .cycles = 4000};
    options_give(options, size, &defaults, sizeof defaults);
}

const char *traffic_missing(bool generator, bool checker)
{
    return generator && checker ? NULL
           : generator          ? "a traffic checker"
           : checker            ? "a traffic generator"
                                : "a traffic generator and checker";
}

int check_run(struct torus *t, struct torus_run *run)
{
    char size[16];
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
    if (!torus_pattern_name(run->pattern))
        return fail(t, TORUS_E_USAGE, "unknown pattern %d", (int)run->pattern);
    const char *why = torus_pattern_missing(run->pattern, t->dims, t->k);
    if (why)
        return fail(t, TORUS_E_USAGE, "pattern %s does not exist in %s: %s",
                    torus_pattern_name(run->pattern), size_text(t, size), why);
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

// Stopped and begun anew, with more time, until all boards are told in time.
static int begin(struct traffic *w)
{
    struct torus *t = w->t;
    double end = monotonic() + t->options.timeout;
    if (!t->ahead)
        t->ahead = 4000 + 1000 * (t->k[0] + t->k[1] + t->k[2]);
    for (enum ofr_status again = OFR_STALE;;) {
        int error = again == OFR_STALE ? w->set_up(w) : TORUS_OK;
        again = OFR_OK;
        t->started |= error == TORUS_OK;
        if (error == TORUS_OK)
            error = w->begin(w, &again);
        if (error == TORUS_OK && again != OFR_OK)
            error = stop_all(t); // those that have been told
        if (error != TORUS_OK || again == OFR_OK)
            return error;
        if (again == OFR_LATE && (t->ahead *= 2) > 1u << 28)
            return clocks_differ(t);
        if (again == OFR_STALE && monotonic() > end)
            return fail(t, TORUS_E_BOARD,
                        "another host latches the counters whenever generators are to begin");
    }
}

// Looking only at the board we are plugged into: nothing of ours is on the links in the window.
// Whoever takes the lease over ends it.
static int wait_window(struct traffic *w)
{
    struct torus *t = w->t;
    uint32_t length = w->warmup + w->cycles, before = 0;
    double last = monotonic(), nap = 0.0002;
    for (;;) {
        struct request q;
        by_path(&q, NULL, 0, OFR_OP_READ4, 0);
        q.m[2] = q.m[3] =
            OFR_SEL_NODE | OFR_NODE_TIME | (uint32_t)(OFR_SEL_FIRMWARE | OFR_FW_LEASE) << 16;
        int error = ask(t, &q, "read the time");
        uint32_t now = q.r[2], owner = q.r[3] & 0xffff;
        if (error != TORUS_OK)
            return error;
        if (owner != t->session)
            return fail(t, TORUS_E_LEASE, "the write lease is lost: %s (%u)",
                        owner ? "another session has it" : "it ran out", owner);
        if ((int32_t)(now - w->start - length) >= 0)
            return TORUS_OK;
        if (now != before)
            last = monotonic();
        else if (monotonic() - last > t->options.timeout)
            return fail(t, TORUS_E_BOARD, "NODE.TIME stands still at %u", now);
        before = now;
        if ((int32_t)(now - w->start) > 0)
            progress(t, "cycles", now - w->start, length);
        if ((error = wait_more(t, nap)) != TORUS_OK)
            return error;
        nap = nap < 0.02 ? 1.5 * nap : nap;
    }
}

int traffic_go(struct traffic *w)
{
    int error = begin(w);
    return error == TORUS_OK ? wait_window(w) : error;
}

static int wait_done(struct traffic *w)
{
    struct torus *t = w->t;
    struct traffic_seen before = {.sent = 0};
    double last = monotonic(), nap = 0.0005;
    for (;;) {
        struct traffic_seen now = {.sent = 0};
        int error = w->look(w, &now);
        if (error != TORUS_OK || (now.ended && now.sent == now.arrived))
            return error;
        error = lease_keep(t);
        if (error != TORUS_OK)
            return error;
        if (now.sent != before.sent || now.arrived != before.arrived || now.ended != before.ended)
            last = monotonic();
        else if (monotonic() - last > t->options.timeout) {
            if (!now.ended && now.sent == now.arrived) // nothing is stuck: for some it is not time
                return clocks_differ(t);
            return fail(t, TORUS_E_FAILED,
                        "%" PRIu64 " packets sent, %" PRIu64 " delivered, and no progress for %g s",
                        now.sent, now.arrived, t->options.timeout);
        }
        before = now;
        progress(t, "packets", (double)now.arrived, (double)now.sent);
        if ((error = wait_more(t, nap)) != TORUS_OK)
            return error;
        nap = nap < 0.02 ? 1.5 * nap : nap;
    }
}

int traffic_measure(struct traffic *w)
{
    int error = traffic_go(w);
    if (error == TORUS_OK)
        error = wait_done(w);
    if (error == TORUS_OK)
        error = w->read(w);
    // It is of one routing and one traffic only if nobody else could write meanwhile.
    if (error == TORUS_OK)
        error = lease_verify(w->t);
    if (error != TORUS_OK)
        leave_silent(w->t);
    w->t->started &= error != TORUS_OK;
    return error;
}
