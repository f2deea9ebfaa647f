// SPDX-License-Identifier: Apache-2.0
#include "sizes.h"

#include <math.h>

#include "../../sim/net/output/gnuplot.h"
#include "bench_plot.h"
#include "ofr_regs.h"

unsigned wires_links(const struct shape *s)
{
    return ofr_wires_links(s->k, 3);
}

double wires_flits(const struct shape *s, size_t bytes)
{
    return ofr_wires_flits(8 * s->flit_bytes, s->slot_flits, bytes);
}

int sizes_time(struct torus *t, uint32_t *cycle)
{
    return torus_read(t, NULL, OFR_NODE_TIME, cycle);
}

bool sizes_note(struct sizes *s, unsigned i, uint32_t from, uint32_t to)
{
    double *best = &s->best[s->curves - 1][i], cycles = (uint32_t)(to - from);
    if (*best == 0 || cycles < *best)
        *best = cycles;
    return cycles < 1U << 30;
}

const struct column sizes_columns[] = {
    {"curve", "curve", -1, 0},
    {"bytes", "bytes", 0, 0},
    {"cycles", "cycles", 0, 0},
    {"least", "least", 0, 0},
    {"bytes_per_cycle", "bytes/cycle", 0, 0},
    {"bound", "wires", 0, 0},
    {"percent", "%", 0, 0},
    {0},
};

// Bytes a cycle; null where nothing was measured.
static json_t *rate(double bytes, double cycles)
{
    return cycles > 0 ? json_real(bytes / cycles) : json_null();
}

void sizes_rows(const struct sizes *s, struct table *rows)
{
    for (unsigned c = 0; c < s->curves; c++)
        for (unsigned i = s->first; i < s->sizes; i++) {
            double bytes = s->empty ? 0 : s->moved * (double)(1UL << i), best = s->best[c][i];
            table_row(rows, json_pack("{s:s,s:i,s:o,s:f,s:o,s:o,s:o}", "curve", s->name[c], "bytes",
                                      s->empty ? 0 : 1 << i, "cycles",
                                      best > 0 ? json_integer((json_int_t)best) : json_null(),
                                      "least", s->bound[c][i], "bytes_per_cycle", rate(bytes, best),
                                      "bound", rate(bytes, s->bound[c][i]), "percent",
                                      rate(100 * s->bound[c][i], best)));
        }
}

double sizes_mean(const struct sizes *s, unsigned curve)
{
    double sum = 0;
    for (unsigned i = 0; i < s->sizes; i++) {
        if (s->best[curve][i] == 0)
            return NAN;
        sum += s->moved * (double)(1UL << i) / s->best[curve][i];
    }
    return sum / s->sizes;
}

static void script(const void *ctx, FILE *out, const char *stem)
{
    const struct sizes *s = ctx;
    fputs("# Made by torusctl\nset encoding utf8\n", out);
    for (unsigned c = 0; c < s->curves; c++) {
        fprintf(out, "$c%u << EOD\n", c);
        for (unsigned i = s->first; i < s->sizes; i++) {
            double bytes = (double)(1UL << i);
            gnuplot_number(out, bytes);
            gnuplot_number(out, s->best[c][i] > 0 ? s->moved * bytes / s->best[c][i] : NAN);
            gnuplot_number(out, s->moved * bytes / s->bound[c][i]);
            fputc('\n', out);
        }
        fputs("EOD\n", out);
    }
    for (int svg = 0; svg < 2; svg++) {
        gnuplot_output(out, svg, 640, 420, stem);
        fputs("set grid\nset key left top\nset logscale xy\nset xlabel 'bytes a message'\n"
              "set ylabel 'bytes a cycle and board'\nset title ",
              out);
        gnuplot_text(out, s->title);
        fputs("\nplot ", out);
        for (unsigned c = 0; c < s->curves; c++) {
            fprintf(out, "%s$c%u using 1:2 with linespoints pt 7 ps 0.8 lw 2 lc rgb '%s' title ",
                    c ? ", " : "", c, gnuplot_colour(c));
            gnuplot_text(out, s->name[c]);
            fprintf(out, ", $c%u using 1:3 with lines dt 3 lc rgb '%s' notitle", c,
                    gnuplot_colour(c));
        }
        fputs("\nunset output\nreset\n", out);
    }
}

int sizes_plot(const struct sizes *s, const char *stem)
{
    return plot_run(stem, script, s);
}
