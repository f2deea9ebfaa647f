// SPDX-License-Identifier: Apache-2.0
#include "bench_plot.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../sim/net/output/gnuplot.h"

double *curve_point(const struct curves *c, unsigned pattern, unsigned routing, unsigned load)
{
    return &c->accepted[((size_t)pattern * c->routings + routing) * c->sweep->loads + load];
}

bool curves_new(struct curves *c)
{
    size_t points = (size_t)c->sweep->patterns * c->routings * c->sweep->loads;
    c->accepted = malloc(points * sizeof *c->accepted);
    for (size_t i = 0; c->accepted && i < points; i++)
        c->accepted[i] = NAN;
    return c->accepted;
}

static void plot_script(const void *ctx, FILE *out, const char *stem)
{
    const struct curves *c = ctx;
    unsigned panels = c->sweep->patterns, wide = panels > 1 ? 2 : 1,
             high = (panels + wide - 1) / wide;
    fputs("# Made by torusctl bench\nset encoding utf8\n", out);
    for (unsigned p = 0; p < panels; p++)
        for (unsigned r = 0; r < c->routings; r++) {
            fprintf(out, "$c%u_%u << EOD\n", p, r);
            for (unsigned l = 0; l < c->sweep->loads; l++) {
                gnuplot_number(out, c->sweep->load[l]);
                gnuplot_number(out, *curve_point(c, p, r, l));
                fputc('\n', out);
            }
            fputs("EOD\n", out);
        }
    for (int svg = 0; svg < 2; svg++) {
        gnuplot_output(out, svg, 480 * wide, 360 * high, stem);
        fprintf(out,
                "set multiplot layout %u,%u\nset grid\nset key left top\nset xrange [0:*]\n"
                "set yrange [0:*]\nset xlabel 'offered load (%s)'\nset ylabel 'accepted (%s)'\n",
                high, wide, c->unit, c->unit);
        for (unsigned p = 0; p < panels; p++) {
            bool any = false;
            for (const double *v = curve_point(c, p, 0, 0); v < curve_point(c, p + 1, 0, 0); v++)
                any |= isfinite(*v);
            if (!any)
                continue;
            fputs("set title ", out);
            gnuplot_text(out, torus_pattern_name(c->sweep->pattern[p]));
            fputs("\nplot ", out);
            for (unsigned r = 0; r < c->routings; r++) {
                fprintf(out,
                        "$c%u_%u using 1:2 with linespoints pt %u ps 0.8 lw 2 lc rgb '%s' title ",
                        p, r, 5 + 2 * (r % 4), gnuplot_colour(r));
                gnuplot_text(out, c->routing[r]);
                fputs(", ", out);
            }
            fputs("x with lines dt 3 lc rgb 'gray' notitle\n", out);
        }
        fputs("unset multiplot\nunset output\nreset\n", out);
    }
}

int plot(const struct curves *c, const char *stem)
{
    return plot_run(stem, plot_script, c);
}

// A name of pictures, which gnuplot takes; .gp alone would be one that nobody sees.
static bool good_stem(const char *stem)
{
    const char *slash = strrchr(stem, '/');
    return *stem && !(slash && !slash[1]) && !strchr(stem, '\'') && strlen(stem) < 297;
}

int plot_run(const char *stem, void (*write)(const void *ctx, FILE *out, const char *file),
             const void *ctx)
{
    char folder[500], name[300];
    const char *slash = strrchr(stem, '/'), *file = slash ? slash + 1 : stem;
    int above = slash && slash > stem ? (int)(slash - stem) : 1;
    snprintf(folder, sizeof folder, "%.*s", above, slash ? stem : ".");
    snprintf(name, sizeof name, "%s.gp", stem);
    FILE *out = fopen(name, "w");
    if (!out)
        return wrong("plot", name, strerror(errno));
    write(ctx, out, file);
    bool bad = ferror(out);
    if (fclose(out) || bad) {
        unlink(name);
        return wrong("plot", name, "it could not be written");
    }
    snprintf(name, sizeof name, "%s.gp", file);
    return gnuplot_run("torusctl", folder, name) ? 0 : 2;
}

int plot_check(const char *stem)
{
    char name[300];
    if (!good_stem(stem))
        return wrong("plot", stem, "it must end with a name, be shorter, and without quotes");
    snprintf(name, sizeof name, "%s.gp", stem);
    bool there = !access(name, F_OK);
    FILE *out = fopen(name, "a");
    if (!out)
        return wrong("plot", name, strerror(errno));
    fclose(out);
    if (!there)
        unlink(name); // what is cut short leaves nothing
    return 0;
}
