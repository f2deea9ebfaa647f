// SPDX-License-Identifier: Apache-2.0
// torusctl run: a row a pattern and load.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "ctl.h"

enum { GAMMA = 256 };

static struct {
    const char *patterns, *loads;
    bool gamma; // loads are in gamma0
    struct sweep sweep;
} set = {.patterns = "uniform", .loads = "0.1"};

static const struct argp_option options[] = {
    {"pattern", 'p', "PATTERN[,...]", 0, "traffic (uniform): all, or some of @PATTERNS@", 1},
    {"load", 'l', "LOAD[,...]", 0, "offered, in flits per cycle and node, header included (0.1)",
     1},
    {"gamma", GAMMA, 0, 0, "loads are in units of gamma0 instead", 1},
    {0},
};

static bool option(int key, char *arg, struct argp_state *state)
{
    (void)state;
    switch (key) {
    case 'p':
        set.patterns = arg;
        return true;
    case 'l':
        set.loads = arg;
        return true;
    case GAMMA:
        set.gamma = true;
        return true;
    default:
        return false;
    }
}

static const char *idle(const struct args *a, const struct given *o)
{
    (void)a;
    return !strcmp(o->name, "seed") ? sweep_seedless(set.patterns) : NULL;
}

static int prepare(struct args *a)
{
    (void)a;
    int status = sweep_read(set.patterns, set.loads, &set.sweep);
    return status ? status : GO_ON;
}

static int do_run(struct torus *t, const struct args *a)
{
    const struct sweep *s = &set.sweep;
    struct torus_preset preset;
    unsigned generation, missing;
    int status = attach_there(t, &missing), error;
    if (status)
        return status;
    error = torus_lease(t, 0); // all runs are of one routing
    if (error == TORUS_OK)
        error = torus_programmed(t, &preset, &generation);
    if (error != TORUS_OK)
        return report(t, error);
    uint8_t k[3];
    unsigned dims = torus_sizes(t, k);
    double unit = sweep_unit(set.gamma, dims, k), apart = 0;
    if (!(unit > 0))
        return 2;
    const char *routing = preset.routing ? torus_routing_name(preset.routing) : "none";
    struct table *rows = table_begin(a, "runs", run_columns);
    json_t *skipped = json_array();
    uint64_t sent = 0, lost = 0;
    bool any = false;
    for (unsigned i = 0; i < s->patterns && status != 2; i++) {
        if (sweep_skips(s, i, dims, k, skipped))
            continue;
        for (unsigned j = 0; j < s->loads && status != 2; j++) {
            struct torus_run run = a->run;
            struct torus_result result;
            run.pattern = s->pattern[i];
            run.load = s->load[j] * unit;
            error = torus_run(t, &run, &result);
            if (error == TORUS_OK || (error == TORUS_E_FAILED && result.accepted > 0)) {
                if (!any)
                    run_note(rows, dims, k);
                any = true;
                sent += result.sent;
                lost += result.sent - result.received - result.errors;
                table_row(rows, run_row(routing, torus_pattern_name(run.pattern), &result));
                apart = result.apart > apart ? result.apart : apart;
            }
            if (error != TORUS_OK)
                status = report(t, error);
            if (output_failed())
                status = 2;
        }
    }
    put_apart(a, apart);
    // Not left to torus_close(), which waits a second only: many simulated boards need more.
    if (status == 0 && (error = torus_release(t)) != TORUS_OK)
        status = report(t, error);
    if (any)
        table_end(rows, json_pack("{s:o,s:f,s:s,s:s,s:i,s:O}", "sizes", json_at(k, dims), "gamma0",
                                  torus_gamma0(dims, k), "routing", routing, "tie",
                                  preset.tie_both ? "both" : "plus", "generation", (int)generation,
                                  "skipped", skipped));
    else
        table_drop(rows);
    json_decref(skipped);
    if (missing && any)
        fprintf(stderr,
                "torusctl: %" PRIu64 " of %" PRIu64
                " packets were to boards that are missing, and were discarded where they were "
                "sent\n",
                lost, sent);
    return status;
}

const struct command command_run = {
    .name = "run",
    .summary = "traffic patterns: load, latency, derouted packets, link use",
    .about =
        "Traffic from all boards' generators, as the routing that is programmed takes it: a row a "
        "pattern and load. The generators start in the same cycle; what is counted is what is "
        "delivered within the window of --cycles, after --warmup. Lifetimes are of packets "
        "generated in the window, in cycles, waiting at the source included. gamma0 is the load "
        "that saturates the bisection under uniform traffic and minimal routing.\n\n"
        "Patterns that this torus cannot have are skipped where there are several. The exit "
        "status is 1 if a packet was lost or damaged.\n\n"
        "While a board is missing and destination tables lead around it, as program has it, the "
        "others run; what is for that board is discarded where it is sent, and counted. Packets as "
        "long as management's cannot be told from it then, and are refused.",
    .examples = "run --pattern all --load 0.1,0.3 --gamma\n"
                "run --pattern tornado --load 0.8 --cycles 100000 --format json\n",
    .groups = CONNECTION | REQUESTS | AT_ONCE | PLACES | WRITING | FORMAT | STREAM | MESSAGES,
    .options = options,
    .option = option,
    .idle = idle,
    .prepare = prepare,
    .run = do_run,
};
