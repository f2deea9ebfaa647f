// SPDX-License-Identifier: Apache-2.0
// Streams from single boards to single boards, on boards of one time.
#include <stdlib.h>

#include "measure.h"

// In the lease.
static int flows_leased(struct flows *f)
{
    struct torus *t = f->w.t;
    int error = f->untimed ? clocks_known(t, &f->same) : clocks_ready(t);
    if (error == TORUS_OK)
        error = traffic_measure(&f->w);
    for (unsigned i = 0; i < f->count; i++) {
        f->flow[i].apart = clocks_error(t);
        if (!f->same)
            f->flow[i].accepted = f->flow[i].mean = -1;
    }
    return error;
}

static int flows_once(struct torus *t, const struct torus_flow_options *o, struct torus_flow *flow,
                      unsigned count)
{
    struct torus_run run = torus_run_default();
    struct torus_flow_options own;
    char place[16];
    if (!options_take(&own, sizeof own, o))
        return fail(t, TORUS_E_USAGE,
                    "struct torus_flow_options: begin with torus_flow_options_default()");
    struct flows f = {.w = {.t = t}, .flow = flow, .count = count, .untimed = own.untimed};
    if (!reached(t))
        return fail(t, TORUS_E_UNKNOWN, "discover the torus or attach to it first");
    run.load = own.load;
    run.packet_flits = own.packet_flits;
    run.warmup = own.warmup;
    run.cycles = own.cycles;
    int error = flows_prepare(&f, &run);
    if (error == TORUS_OK && count) {
        error = lease_for_cycles(t, (double)own.warmup + own.cycles);
        if (error == TORUS_OK)
            error = lease_done(t, flows_leased(&f));
    }
    free(f.q);
    for (unsigned i = 0; i < count && error == TORUS_OK; i++)
        if (flow[i].errors)
            error = fail(t, TORUS_E_FAILED, "%u packets from %s came damaged", flow[i].errors,
                         place_text(t, flow[i].from, place));
    return error == TORUS_OK ? ok(t) : error;
}

API int torus_flows(struct torus *t, const struct torus_flow_options *o, struct torus_flow *flow,
                    unsigned count)
{
    int error = flows_once(t, o, flow, count);
    return error == TORUS_E_BOARD && clocks_doubted(t) ? flows_once(t, o, flow, count) : error;
}
