// SPDX-License-Identifier: Apache-2.0
// torusctl bench: routings x patterns x loads on the boards' generators, and a plot of accepted
// over offered load, as figure 4 of the paper.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_plot.h"
#include "ctl.h"

enum { TIE = 256, GAMMA, PLOT, HISTOGRAM, LINKS };

static struct {
    const char *patterns, *loads, *routings, *plot;
    bool gamma, histogram, links; // gamma: loads are in gamma0
    int tie, threshold;           // -1: not given
    struct sweep sweep;
} set = {.patterns = "uniform",
         .loads = "0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1",
         .tie = -1,
         .threshold = -1};

static const struct argp_option options[] = {
    {"routing", 'r', "abr|por|ofr|dor|rdr[,...]", 0,
     "each programmed in turn (none: what is programmed)", 1},
    {"tie", TIE, tie_list, 0, "with --routing: distance k/2, either way (both) or the + one", 1},
    {"threshold", 'H', "SLOTS", 0, "with --routing: injection threshold, 0 to 15 (C/2)", 1},
    {"pattern", 'p', "PATTERN[,...]", 0, "traffic (uniform): all, or some of @PATTERNS@", 2},
    {"load", 'l', "LOAD[,...]", 0,
     "offered, in flits per cycle and node, header included (0.1 to 1)", 2},
    {"gamma", GAMMA, 0, 0, "loads are in units of gamma0 instead", 2},
    {"plot", PLOT, "STEM", 0, "accepted over offered load, as STEM.svg, .png and .gp (gnuplot)", 3},
    {"histogram", HISTOGRAM, 0, 0, "with --format json: of the lifetimes", 3},
    {"links", LINKS, 0, 0, "with --format json: flits over every link", 3},
    {0},
};

static bool option(int key, char *arg, struct argp_state *state)
{
    switch (key) {
    case 'r':
        set.routings = arg;
        return true;
    case TIE:
        set.tie = (int)one_of(state, arg, "tie", tie_list);
        return true;
    case 'H':
        set.threshold = (int)whole(state, arg, 0, 15);
        return true;
    case 'p':
        set.patterns = arg;
        return true;
    case 'l':
        set.loads = arg;
        return true;
    case GAMMA:
        set.gamma = true;
        return true;
    case PLOT:
        set.plot = arg;
        return true;
    case HISTOGRAM:
        set.histogram = true;
        return true;
    case LINKS:
        set.links = true;
        return true;
    default:
        return false;
    }
}

struct bench {
    const struct args *a;
    struct torus *t;
    struct curves curves;
    unsigned dims, nodes;
    uint8_t k[3];
    double unit;     // of the loads, in flits per cycle and node
    double apart;    // of clocks, at most
    uint64_t *flits; // sent over every link so far: [node][port]
    json_t *row;     // of the present point
    struct table *rows;
    json_t *skipped;
};

// "abr,ofr".
static int read_routings(const char *list, struct curves *c)
{
    static char text[200];
    snprintf(text, sizeof text, "%s", list);
    c->routings = 0;
    for (char *word = text, *next; word; word = next) {
        int routing;
        next = strchr(word, ',');
        if (next)
            *next++ = 0;
        routing = torus_routing_named(word);
        if (!routing || routing == TORUS_CUSTOM)
            return wrong("routing", word, "say some of abr, por, ofr, dor and rdr");
        if (c->routings == MAX_ROUTINGS)
            return wrong("routing", word, "five at most");
        c->routing[c->routings++] = torus_routing_name((enum torus_routing)routing);
    }
    return 0;
}

static void link_flits(void *ctx, const uint8_t at[3], const uint64_t *counters)
{
    struct bench *b = ctx;
    unsigned node = torus_node(b->k, at);
    json_t *links = json_object_get(b->row, "links");
    for (unsigned p = 0; p < 2 * b->dims; p++) {
        uint64_t *was = &b->flits[node * TORUS_PORTS + p];
        uint64_t is = counters[p * 12] + counters[p * 12 + 4] + counters[p * 12 + 8];
        if (links && is > *was)
            json_array_append_new(links,
                                  json_pack("{s:o,s:s,s:I}", "at", json_at(at, b->dims), "port",
                                            torus_port_name(p), "flits", (json_int_t)(is - *was)));
        *was = is;
    }
}

// Into the row: the histogram's bins that are not empty; flits over every link.
static int add_details(struct bench *b, const struct torus_result *result)
{
    uint32_t count[TORUS_BINS];
    json_t *bins = json_array();
    int error = set.histogram ? torus_histogram(b->t, result, count) : TORUS_OK;
    for (unsigned i = 0; set.histogram && error == TORUS_OK && i < TORUS_BINS; i++)
        if (count[i])
            json_array_append_new(bins, json_pack("{s:f,s:I}", "below", torus_bin_end(i), "packets",
                                                  (json_int_t)count[i]));
    if (set.histogram)
        json_object_set(b->row, "histogram", bins);
    json_decref(bins);
    if (error == TORUS_OK && set.links) {
        json_object_set_new(b->row, "links", json_array());
        error = torus_counters(b->t, link_flits, b);
    }
    return error;
}

static int bench_point(struct bench *b, const char *routing, unsigned p, unsigned r, unsigned l)
{
    struct torus_run run = b->a->run;
    struct torus_result result;
    double total = (double)set.sweep.patterns * b->curves.routings * set.sweep.loads;
    run.pattern = set.sweep.pattern[p];
    run.load = set.sweep.load[l] * b->unit;
    progress_bar("points", (double)((r * set.sweep.patterns + p) * set.sweep.loads + l), total);
    int error = torus_run(b->t, &run, &result);
    progress_bar("", 1, 1);
    if (error != TORUS_OK)
        return report(b->t, error);
    *curve_point(&b->curves, p, r, l) = result.accepted / b->unit;
    b->row = run_row(routing, torus_pattern_name(run.pattern), &result);
    b->apart = result.apart > b->apart ? result.apart : b->apart;
    error = add_details(b, &result);
    table_row(b->rows, b->row);
    if (error != TORUS_OK)
        return report(b->t, error);
    return output_failed() ? 2 : 0;
}

static int bench_routing(struct bench *b, unsigned r)
{
    struct torus_preset preset;
    unsigned generation;
    int status = 0, error = TORUS_OK;
    if (b->curves.routing[r]) {
        preset =
            torus_preset_default((enum torus_routing)torus_routing_named(b->curves.routing[r]));
        preset.tie_both = set.tie <= 0;
        if (set.threshold >= 0)
            preset.threshold = (uint8_t)set.threshold;
        error = torus_program(b->t, &preset);
    }
    if (error == TORUS_OK)
        error = torus_programmed(b->t, &preset, &generation);
    if (error != TORUS_OK)
        return report(b->t, error);
    b->curves.routing[r] = preset.routing ? torus_routing_name(preset.routing) : "none";
    for (unsigned p = 0; p < set.sweep.patterns && !status; p++) {
        if (r ? torus_pattern_missing(set.sweep.pattern[p], b->dims, b->k) && set.sweep.patterns > 1
              : sweep_skips(&set.sweep, p, b->dims, b->k, b->skipped))
            continue;
        for (unsigned l = 0; l < set.sweep.loads && !status; l++)
            status = bench_point(b, b->curves.routing[r], p, r, l);
    }
    return status;
}

// What was programmed before is programmed again. A table of one's own is not known here.
static int restore(struct bench *b, const struct torus_preset *before, int status)
{
    if (!set.routings)
        return status;
    interrupt_overhear();
    if (before->routing && before->routing != TORUS_CUSTOM) {
        int error = torus_program(b->t, before);
        return error == TORUS_OK || status ? status : report(b->t, error);
    }
    fprintf(stderr, "torusctl: routing %s stays programmed\n",
            b->curves.routing[b->curves.routings - 1]);
    return status;
}

static int measure(struct bench *b)
{
    int status = 0, error = TORUS_OK;
    if (set.links && (error = torus_counters(b->t, link_flits, b)) != TORUS_OK)
        return report(b->t, error);
    run_note(b->rows, b->dims, b->k);
    for (unsigned r = 0; r < b->curves.routings && !status; r++)
        status = bench_routing(b, r);
    put_apart(b->a, b->apart);
    return status;
}

static const char *idle(const struct args *a, const struct given *o)
{
    (void)a;
    return !strcmp(o->name, "seed") ? sweep_seedless(set.patterns) : NULL;
}

static int prepare(struct args *a)
{
    struct curves c;
    int status = sweep_read(set.patterns, set.loads, &set.sweep);
    if (!status && set.routings)
        status = read_routings(set.routings, &c);
    if (!status && !set.routings && (set.tie >= 0 || set.threshold >= 0))
        status = wrong("option", set.tie >= 0 ? "--tie" : "--threshold", "with --routing");
    if (!status && (set.histogram || set.links) && a->format != JSON)
        status = wrong("option", set.links ? "--links" : "--histogram", "with --format json");
    if (!status && set.plot)
        status = plot_check(set.plot);
    return status ? status : GO_ON;
}

static int do_bench(struct torus *t, const struct args *a)
{
    struct bench b = {.a = a, .t = t, .curves = {.routings = 1, .sweep = &set.sweep}};
    struct torus_preset before;
    unsigned generation;
    int error = torus_attach(t);
    if (error == TORUS_OK)
        error = names_learn(t);
    if (error == TORUS_OK)
        error = torus_lease(t, 0);
    if (error == TORUS_OK)
        error = torus_programmed(t, &before, &generation);
    if (error != TORUS_OK)
        return report(t, error);
    b.dims = torus_sizes(t, b.k);
    b.nodes = (unsigned)b.k[0] * b.k[1] * b.k[2];
    b.unit = sweep_unit(set.gamma, b.dims, b.k);
    if (!(b.unit > 0))
        return 2;
    b.curves.unit = set.gamma ? "\u03b30" : "flits per cycle and node";
    if (set.routings)
        read_routings(set.routings, &b.curves);
    b.flits = calloc((size_t)b.nodes * TORUS_PORTS, sizeof *b.flits);
    if (!b.flits || !curves_new(&b.curves)) {
        free(b.flits);
        return wrong("command", "bench", "out of memory");
    }
    b.rows = table_begin(a, "runs", run_columns);
    b.skipped = json_array();
    int status = restore(&b, &before, measure(&b));
    if (!status && (error = torus_release(t)) != TORUS_OK)
        status = report(t, error);
    if (status)
        table_drop(b.rows);
    else
        table_end(b.rows, json_pack("{s:o,s:f,s:O}", "sizes", json_at(b.k, b.dims), "gamma0",
                                    torus_gamma0(b.dims, b.k), "skipped", b.skipped));
    if (!status && set.plot)
        status = plot(&b.curves, set.plot);
    json_decref(b.skipped);
    free(b.curves.accepted);
    free(b.flits);
    return status;
}

const struct command command_bench = {
    .name = "bench",
    .summary = "run over routings (--routing abr,ofr), patterns and loads; a plot",
    .about =
        "Runs traffic, as run does, over several routings, each programmed in turn, patterns and "
        "loads, and draws accepted over offered load as the paper's Fig. 4. In JSON also the "
        "histogram of the lifetimes and the flits over every link. What was programmed before is "
        "programmed again at the end.",
    .examples = "bench --routing abr,ofr --pattern uniform,tornado --gamma --plot fig4\n"
                "bench --load 0.1,0.5 --format json --histogram --links\n",
    .groups = CONNECTION | REQUESTS | AT_ONCE | PLACES | WRITING | FORMAT | STREAM | MESSAGES,
    .options = options,
    .option = option,
    .idle = idle,
    .prepare = prepare,
    .run = do_bench,
};
