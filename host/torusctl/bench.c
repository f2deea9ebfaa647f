// SPDX-License-Identifier: Apache-2.0
// torusctl bench: routings x patterns x loads on the boards' generators, and a plot of accepted
// over offered load, as figure 4 of the paper.
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../sim/net/output/gnuplot.h"
#include "ctl.h"

enum { MAX_ROUTINGS = 5 };

struct bench {
    const struct args *a;
    struct torus *t;
    struct sweep sweep;
    const char *routing[MAX_ROUTINGS]; // NULL: as programmed
    unsigned routings, dims, nodes;
    uint8_t k[3];
    double unit;      // of the loads, in flits per cycle and node
    double apart;     // of clocks, at most
    double *accepted; // [pattern][routing][load], NaN: none
    uint64_t *flits;  // sent over every link so far: [node][port]
    json_t *rows, *skipped;
};

static size_t cell(const struct bench *b, unsigned pattern, unsigned routing, unsigned load)
{
    return ((size_t)pattern * b->routings + routing) * b->sweep.loads + load;
}

// "abr,ofr"; nothing: what is programmed.
static int read_routings(struct bench *b, char *text)
{
    const char *all = "say some of abr, por, ofr, dor and rdr";
    b->routings = 0;
    for (char *word = text, *next; word; word = next) {
        int routing;
        next = strchr(word, ',');
        if (next)
            *next++ = 0;
        routing = torus_routing_named(word);
        if (!routing || routing == TORUS_CUSTOM)
            return wrong("routing", word, all);
        if (b->routings == MAX_ROUTINGS)
            return wrong("routing", word, "five at most");
        b->routing[b->routings++] = torus_routing_name((enum torus_routing)routing);
    }
    return 0;
}

static void link_flits(void *ctx, const uint8_t at[3], const uint64_t *counters)
{
    struct bench *b = ctx;
    unsigned node = torus_node(b->k, at);
    json_t *row = json_array_get(b->rows, json_array_size(b->rows) - 1);
    json_t *links = json_object_get(row, "links");
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

// Into the last row: the histogram's bins that are not empty; flits over every link.
static int add_details(struct bench *b, const struct torus_result *result)
{
    uint32_t count[TORUS_BINS];
    json_t *row = json_array_get(b->rows, json_array_size(b->rows) - 1), *bins = json_array();
    int error = b->a->histogram ? torus_histogram(b->t, result, count) : TORUS_OK;
    for (unsigned i = 0; b->a->histogram && error == TORUS_OK && i < TORUS_BINS; i++)
        if (count[i])
            json_array_append_new(bins, json_pack("{s:f,s:I}", "below", torus_bin_end(i), "packets",
                                                  (json_int_t)count[i]));
    if (b->a->histogram)
        json_object_set(row, "histogram", bins);
    json_decref(bins);
    if (error == TORUS_OK && b->a->links) {
        json_object_set_new(row, "links", json_array());
        error = torus_counters(b->t, link_flits, b);
    }
    return error;
}

static int bench_point(struct bench *b, const char *routing, unsigned p, unsigned r, unsigned l)
{
    struct torus_run run = b->a->run;
    struct torus_result result;
    double total = (double)b->sweep.patterns * b->routings * b->sweep.loads;
    run.pattern = b->sweep.pattern[p];
    run.load = b->sweep.load[l] * b->unit;
    progress("points", (double)((r * b->sweep.patterns + p) * b->sweep.loads + l), total);
    int error = torus_run(b->t, &run, &result);
    progress("", 1, 1);
    if (error != TORUS_OK)
        return report(b->t, error);
    b->accepted[cell(b, p, r, l)] = result.accepted / b->unit;
    run_row(b->a, b->rows, routing, torus_pattern_name(run.pattern), &result);
    b->apart = result.apart > b->apart ? result.apart : b->apart;
    error = b->a->format == JSON ? add_details(b, &result) : TORUS_OK;
    return error == TORUS_OK ? 0 : report(b->t, error);
}

static int bench_routing(struct bench *b, unsigned r)
{
    struct torus_preset preset;
    unsigned generation;
    int status = 0, error = TORUS_OK;
    if (b->routing[r]) {
        preset = torus_preset_default((enum torus_routing)torus_routing_named(b->routing[r]));
        preset.tie_both = b->a->preset.tie_both;
        if (b->a->preset.threshold != 255)
            preset.threshold = b->a->preset.threshold;
        error = torus_program(b->t, &preset);
    }
    if (error == TORUS_OK)
        error = torus_programmed(b->t, &preset, &generation);
    if (error != TORUS_OK)
        return report(b->t, error);
    b->routing[r] = preset.routing ? torus_routing_name(preset.routing) : "none";
    for (unsigned p = 0; p < b->sweep.patterns && !status; p++) {
        if (r ? torus_pattern_missing(b->sweep.pattern[p], b->dims, b->k) && b->sweep.patterns > 1
              : sweep_skips(&b->sweep, p, b->dims, b->k, b->skipped))
            continue;
        for (unsigned l = 0; l < b->sweep.loads && !status; l++)
            status = bench_point(b, b->routing[r], p, r, l);
    }
    return status;
}

// Plot --------------------------------------------------------------------------------------------

static void plot_script(const struct bench *b, FILE *out, const char *stem)
{
    unsigned panels = b->sweep.patterns, wide = panels > 1 ? 2 : 1,
             high = (panels + wide - 1) / wide;
    fputs("# Made by torusctl bench\nset encoding utf8\n", out);
    for (unsigned p = 0; p < panels; p++)
        for (unsigned r = 0; r < b->routings; r++) {
            fprintf(out, "$c%u_%u << EOD\n", p, r);
            for (unsigned l = 0; l < b->sweep.loads; l++) {
                gnuplot_number(out, b->sweep.load[l]);
                gnuplot_number(out, b->accepted[cell(b, p, r, l)]);
                fputc('\n', out);
            }
            fputs("EOD\n", out);
        }
    for (int svg = 0; svg < 2; svg++) {
        const char *unit = b->a->gamma ? "\u03b30" : "flits per cycle and node";
        gnuplot_output(out, svg, 480 * wide, 360 * high, stem);
        fprintf(out,
                "set multiplot layout %u,%u\nset grid\nset key left top\nset xrange [0:*]\n"
                "set yrange [0:*]\nset xlabel 'offered load (%s)'\nset ylabel 'accepted (%s)'\n",
                high, wide, unit, unit);
        for (unsigned p = 0; p < panels; p++) {
            bool any = false;
            for (size_t i = cell(b, p, 0, 0); i < cell(b, p + 1, 0, 0); i++)
                any |= isfinite(b->accepted[i]);
            if (!any)
                continue;
            fputs("set title ", out);
            gnuplot_text(out, torus_pattern_name(b->sweep.pattern[p]));
            fputs("\nplot ", out);
            for (unsigned r = 0; r < b->routings; r++) {
                fprintf(out,
                        "$c%u_%u using 1:2 with linespoints pt %u ps 0.8 lw 2 lc rgb '%s' title ",
                        p, r, 5 + 2 * (r % 4), gnuplot_colour(r));
                gnuplot_text(out, b->routing[r]);
                fputs(", ", out);
            }
            fputs("x with lines dt 3 lc rgb 'gray' notitle\n", out);
        }
        fputs("unset multiplot\nunset output\nreset\n", out);
    }
}

// STEM.gp, .png and .svg.
static int plot(const struct bench *b, const char *stem)
{
    char folder[500], name[300];
    const char *slash = strrchr(stem, '/'), *file = slash ? slash + 1 : stem;
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash + 1 - stem) : 1,
             slash ? stem : ".");
    if (strchr(stem, '\'') || snprintf(name, sizeof name, "%s.gp", stem) >= (int)sizeof name)
        return wrong("plot", stem, "a shorter name, without quotes");
    FILE *out = fopen(name, "w");
    if (!out)
        return wrong("plot", name, strerror(errno));
    plot_script(b, out, file);
    if (fclose(out))
        return wrong("plot", name, strerror(errno));
    snprintf(name, sizeof name, "%s.gp", file);
    return gnuplot_run("torusctl", folder, name) ? 0 : 2;
}

// A plot that cannot be written is found before anything is measured.
static int try_plot(const char *stem)
{
    char name[300];
    snprintf(name, sizeof name, "%s.gp", stem);
    FILE *out = fopen(name, "a");
    return out ? fclose(out) : wrong("plot", name, strerror(errno));
}

int do_bench(struct torus *t, const struct args *a)
{
    struct bench b = {.a = a, .t = t, .routings = 1};
    struct torus_preset before;
    unsigned generation;
    char routings[200];
    snprintf(routings, sizeof routings, "%s", a->routing ? a->routing : "");
    if (a->tie && strcmp(a->tie, "both") != 0 && strcmp(a->tie, "plus") != 0)
        return wrong("tie", a->tie, "say both or plus");
    int status = a->routing ? read_routings(&b, routings) : 0;
    if (!status)
        status = sweep_read(a, "0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1", &b.sweep);
    if (!status && a->plot)
        status = try_plot(a->plot);
    if (status)
        return status;
    int error = torus_attach(t);
    if (error == TORUS_OK)
        error = torus_programmed(t, &before, &generation);
    if (error != TORUS_OK)
        return report(t, error);
    b.dims = torus_sizes(t, b.k);
    b.nodes = (unsigned)b.k[0] * b.k[1] * b.k[2];
    b.unit = a->gamma ? torus_gamma0(b.dims, b.k) : 1;
    b.rows = json_array();
    b.skipped = json_array();
    size_t cells = cell(&b, b.sweep.patterns, 0, 0);
    b.accepted = calloc(cells, sizeof *b.accepted);
    b.flits = calloc((size_t)b.nodes * TORUS_PORTS, sizeof *b.flits);
    if (!b.accepted || !b.flits)
        status = wrong("command", "bench", "out of memory");
    for (size_t i = 0; b.accepted && i < cells; i++)
        b.accepted[i] = NAN;
    if (!status && a->links && (error = torus_counters(t, link_flits, &b)) != TORUS_OK)
        status = report(t, error);
    if (!status)
        run_head(a, b.dims, b.k);
    for (unsigned r = 0; r < b.routings && !status; r++)
        status = bench_routing(&b, r);
    put_apart(a, b.apart);
    // As it was before: a table of one's own is not known here.
    if (a->routing && before.routing && before.routing != TORUS_CUSTOM) {
        if (torus_program(t, &before) != TORUS_OK && !status)
            status = report(t, TORUS_E_FAILED);
    } else if (a->routing) {
        fprintf(stderr, "torusctl: routing %s stays programmed\n", b.routing[b.routings - 1]);
    }
    if (!status && (error = torus_release(t)) != TORUS_OK)
        status = report(t, error);
    if (!status && a->format == JSON)
        put_json(json_pack("{s:o,s:f,s:O,s:O}", "sizes", json_at(b.k, b.dims), "gamma0",
                           torus_gamma0(b.dims, b.k), "runs", b.rows, "skipped", b.skipped));
    if (!status && a->plot)
        status = plot(&b, a->plot);
    json_decref(b.rows);
    json_decref(b.skipped);
    free(b.accepted);
    free(b.flits);
    return status;
}
