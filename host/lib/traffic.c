// SPDX-License-Identifier: Apache-2.0
// The traffic engine: settings; generators started, waited for and stopped, whatever it is that
// they send (run.c, streams.c).
#include <inttypes.h>
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

int traffic_go(struct traffic *w)
{
    int error = begin(w);
    return error == TORUS_OK ? wait_time(w->t, w->start + w->warmup + w->cycles + w->apart) : error;
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
    return error;
}
