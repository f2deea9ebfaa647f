// SPDX-License-Identifier: Apache-2.0
#include "output/plot.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "output/files.h"
#include "output/gnuplot.h"
#include "output/record.h"

double net_cell_load(const struct net_experiment *e, unsigned load)
{
    return e->loads ? e->load[load] : NAN;
}

// After a command that takes it: what all of it is, and what made it.
static void put_title(FILE *out, const struct net_experiment *e, unsigned size, const char *made_by)
{
    enum { LINE = 120 };
    char title[400];
    const char *at = title;
    snprintf(title, sizeof title, "%.380s, k = %u", e->title, e->size[size]);
    while (*at) { // in lines that fit
        int length = (int)strlen(at) > LINE ? LINE : (int)strlen(at);
        while (at[length] && length > LINE / 2 && at[length] != ' ')
            length--;
        char line[LINE + 1];
        snprintf(line, sizeof line, "%.*s", length, at);
        gnuplot_text(out, line);
        fputs(" . \"\\n\" . ", out);
        at += length;
        at += *at == ' ';
    }
    gnuplot_text(out, made_by);
    fputs(" noenhanced\n", out);
}

// Lines of a block: x, value, paper's value.
static void bar_data(FILE *out, const struct net_experiment *e, const double *values, unsigned size)
{
    for (unsigned s = 0; s < e->series; s++) {
        fprintf(out, "$s%u << EOD\n", s);
        for (unsigned r = 0; r < e->rows; r++) {
            fprintf(out, "%g", r + (s + 0.5 - e->series / 2.0) * 0.8 / e->series);
            gnuplot_number(out, values[net_cell(e, size, r, s, 0)]);
            gnuplot_number(out, net_experiment_paper(e, size, r, s, net_cell_load(e, 0)));
            fputc('\n', out);
        }
        fputs("EOD\n", out);
    }
}

static void curve_data(FILE *out, const struct net_experiment *e, const double *values,
                       unsigned size)
{
    for (unsigned r = 0; r < e->rows; r++)
        for (unsigned s = 0; s < e->series; s++) {
            fprintf(out, "$c%u_%u << EOD\n", r, s);
            for (unsigned l = 0; l < e->loads; l++) {
                fprintf(out, "%g", e->load[l]);
                gnuplot_number(out, values[net_cell(e, size, r, s, l)]);
                gnuplot_number(out, net_experiment_paper(e, size, r, s, e->load[l]));
                fputc('\n', out);
            }
            fputs("EOD\n", out);
        }
}

// gnuplot takes no axis without values: says so for rows first .. last - 1, which have none.
static void set_empty(FILE *out, const struct net_experiment *e, const double *values,
                      unsigned size, unsigned first, unsigned last)
{
    for (size_t i = net_cell(e, size, first, 0, 0); i < net_cell(e, size, last, 0, 0); i++)
        if (isfinite(values[i]))
            return;
    fputs("set yrange [0:1]\n", out);
}

// Whether the rows' names do not fit beside each other.
static bool is_crowded(const struct net_experiment *e)
{
    size_t letters = 0;
    for (unsigned r = 0; r < e->rows; r++)
        letters += strlen(e->row[r].name) + 2;
    return letters > 120;
}

static void draw_bars(FILE *out, const struct net_experiment *e, const double *values,
                      unsigned size, const char *made_by)
{
    if (is_crowded(e))
        fputs("set xtics rotate by 25 right\n", out);
    fprintf(out, "set boxwidth %g\nset style fill solid 0.75\nset xtics (", 0.72 / e->series);
    for (unsigned r = 0; r < e->rows; r++) {
        fputs(r ? ", " : "", out);
        gnuplot_text(out, e->row[r].name);
        fprintf(out, " %u", r);
    }
    fprintf(out,
            ") scale 0\nset xrange [-0.6:%g]\nset yrange [0:*]\nset offsets 0,0,graph 0.06,0\nset "
            "grid ytics\n",
            e->rows - 0.4);
    // All the picture's width is the bars'.
    fputs("set key outside center bottom horizontal\nset ylabel ", out);
    gnuplot_text(out, e->label);
    fputc('\n', out);
    set_empty(out, e, values, size, 0, e->rows);
    fputs("set title ", out);
    put_title(out, e, size, made_by);
    fputs("plot ", out);
    for (unsigned s = 0; s < e->series; s++) {
        fprintf(out, "$s%u using 1:2 with boxes lc rgb '%s' title ", s, gnuplot_colour(s));
        gnuplot_text(out, e->column[s].name);
        fputs(", ", out);
    }
    const char *from = net_experiment_from(e, size);
    for (unsigned s = 0; s < e->series && from; s++) {
        fprintf(out, "$s%u using 1:3 with points pt 6 ps 1.2 lw 2 lc rgb 'black' ", s);
        fputs(s ? "notitle, " : "title ", out);
        if (!s) {
            gnuplot_text(out, from);
            fputs(", ", out);
        }
    }
    fputs("NaN notitle\n", out);
}

// The label of a panel of curves: that of the first series with another one than those before;
// NULL: there are not so many.
static const char *panel_label(const struct net_experiment *e, unsigned number)
{
    for (unsigned s = 0; s < e->series; s++) {
        bool again = false;
        for (unsigned before = 0; before < s; before++)
            again = again || !strcmp(e->column[before].panel, e->column[s].panel);
        if (!again && number-- == 0)
            return e->column[s].panel;
    }
    return NULL;
}

static unsigned count_panels(const struct net_experiment *e)
{
    unsigned count = 0;
    while (panel_label(e, count))
        count++;
    return count;
}

// How panels lie: those of a row beside each other, where each row has several; with several rows
// one more for the key, where each row has several panels one below each.
static void lay_out(const struct net_experiment *e, unsigned *wide, unsigned *high)
{
    unsigned panels = count_panels(e);
    *wide = e->rows == 1 ? 1 : panels > 1 ? panels : 2;
    *high = e->rows == 1 ? panels : panels > 1 ? e->rows + 1 : (e->rows + 2) / 2;
}

// The curves of a panel; row: e->rows: the key alone. They look by their place in it, so that what
// has a place in two panels looks the same in both.
static void draw_panel(FILE *out, const struct net_experiment *e, unsigned size, unsigned row,
                       const char *panel)
{
    bool key = row == e->rows, first = true;
    unsigned place = 0;
    const char *from = net_experiment_from(e, size);
    fputs("plot ", out);
    for (unsigned s = 0; s < e->series; s++) {
        if (strcmp(e->column[s].panel, panel) != 0)
            continue;
        if (key)
            fputs("NaN", out);
        else
            fprintf(out, "$c%u_%u using 1:2", row, s);
        fprintf(out, " with linespoints pt %u ps 0.8 lw 2 lc rgb '%s' title ", 5 + 2 * (place % 4),
                gnuplot_colour(place));
        gnuplot_text(out, e->column[s].name);
        fputs(", ", out);
        place++;
    }
    place = 0;
    for (unsigned s = 0; s < e->series && from; s++) {
        if (strcmp(e->column[s].panel, panel) != 0 || (key && !first))
            continue;
        if (key)
            fputs("NaN", out);
        else
            fprintf(out, "$c%u_%u using 1:3", row, s);
        fprintf(out, " with points pt 6 ps 1.4 lc rgb '%s' ",
                key || e->rows == 1 ? "black" : gnuplot_colour(place));
        fputs(first ? "title " : "notitle", out);
        if (first)
            gnuplot_text(out, from);
        fputs(", ", out);
        first = false;
        place++;
    }
    fputs("NaN notitle\n", out);
}

// What the load is in, in brackets.
static const char *load_unit(const struct net_experiment *e)
{
    const char *topology = json_string_value(json_object_get(e->options, "topology"));
    bool dragonfly = topology && !strncmp(topology, "dragonfly:", 10);
    return !e->flit    ? " \u03b3 (\u03b30)"
           : dragonfly ? " (phits/cycle/node)"
                       : " (1: what the bisection carries)";
}

static void draw_curves(FILE *out, const struct net_experiment *e, const double *values,
                        unsigned size, const char *made_by)
{
    unsigned wide, high, panels = count_panels(e);
    bool key = e->rows > 1;
    lay_out(e, &wide, &high);
    fprintf(out, "set multiplot layout %u,%u title ", high, wide);
    put_title(out, e, size, made_by);
    fprintf(out, "set grid\nset xlabel 'offered load%s'\n", load_unit(e));
    double most = 0;
    for (unsigned l = 0; l < e->loads; l++)
        most = e->load[l] > most ? e->load[l] : most;
    fprintf(out, "set xrange [0:%g]\n", most);
    const char *range =
        strcmp(net_record_unit(e->column[0].field), "of packets") ? "[*:*]" : "[0:*]";
    fputs(key ? "unset key\n" : "set key outside right top\n", out);
    for (unsigned r = 0; r < e->rows; r++)
        for (unsigned p = 0; p < panels; p++) {
            fprintf(out, "set yrange %s\n", range);
            set_empty(out, e, values, size, r, r + 1);
            fputs("set ylabel ", out);
            gnuplot_text(out, panel_label(e, p));
            fputs("\nset title ", out);
            gnuplot_text(out, e->row[r].name);
            fputc('\n', out);
            draw_panel(out, e, size, r, panel_label(e, p));
        }
    if (key) {
        fputs("unset title\nunset xlabel\nunset ylabel\nunset tics\nunset border\nunset grid\n"
              "set yrange [0:1]\nset key center center\n",
              out);
        for (unsigned p = 0; p < panels; p++)
            draw_panel(out, e, size, e->rows, panel_label(e, p));
    }
    fputs("unset multiplot\n", out);
}

// The curve of a row and series in a panel: where one of the two is the same for all, it goes
// without saying.
static void draw_curve(FILE *out, const struct net_experiment *e, const json_t *panel, int row,
                       int series)
{
    bool rows = json_array_size(json_object_get(panel, "rows")) > 1;
    bool all_series = json_array_size(json_object_get(panel, "series")) > 1;
    const char *row_name = e->row[row].name, *name = e->column[series].name;
    char title[200];
    snprintf(title, sizeof title, "%.90s%s%.90s", rows || !all_series ? row_name : "",
             rows && all_series ? ", " : "", all_series ? name : "");
    fprintf(out, "$c%d_%d using 2:1 with lines lw 2 lc rgb '%s' dt %d title ", row, series,
            gnuplot_colour((rows ? row : series)), rows && all_series ? 1 + series : 1);
    gnuplot_text(out, title);
    fputs(", ", out);
}

// The largest value of all panels with a panel's label, so that they can be compared.
static double panels_max(const struct net_experiment *e, const double *values, unsigned size,
                         const json_t *of)
{
    size_t i, j, k;
    json_t *panel, *row, *series;
    double max = 0;
    json_array_foreach(e->panels, i, panel)
    {
        if (!json_equal(json_object_get(panel, "label"), json_object_get(of, "label")))
            continue;
        json_array_foreach(json_object_get(panel, "rows"), j, row)
        {
            json_array_foreach(json_object_get(panel, "series"), k, series)
            {
                int r = net_experiment_row(e, json_string_value(row));
                int s = net_experiment_series(e, json_string_value(series));
                if (r >= 0)
                    max = fmax(max,
                               values[net_cell(e, size, (unsigned)r, (unsigned)s, e->loads - 1)]);
            }
        }
    }
    return max > 0 ? max : 1;
}

// Shares of the pairs, in the experiment's panels.
static void draw_panels(FILE *out, const struct net_experiment *e, const double *values,
                        unsigned size, const char *made_by)
{
    size_t i, j, k;
    json_t *panel, *row, *series;
    fprintf(out, "set multiplot layout %zu,2 title ", (json_array_size(e->panels) + 1) / 2);
    put_title(out, e, size, made_by);
    // A margin for the key, the same for all panels.
    fputs("set grid\nset ylabel 'fraction of the pairs'\nset yrange [0:1]\n"
          "set key outside right top samplen 2\nset rmargin 20\n",
          out);
    json_array_foreach(e->panels, i, panel)
    {
        const json_t *mark = json_object_get(panel, "mark");
        fputs("set title ", out);
        gnuplot_text(out, json_string_value(json_object_get(panel, "title")));
        fputs("\nset xlabel ", out);
        gnuplot_text(out, json_string_value(json_object_get(panel, "label")));
        fprintf(out, "\nset xrange [0:%g]\nunset arrow\n",
                1.05 * panels_max(e, values, size, panel));
        if (mark)
            fprintf(out,
                    "set arrow from %g, graph 0 to %g, graph 1 nohead lw 2 dt 2 lc rgb 'black'\n",
                    json_number_value(mark), json_number_value(mark));
        fputs("plot ", out);
        json_array_foreach(json_object_get(panel, "rows"), j, row)
        {
            json_array_foreach(json_object_get(panel, "series"), k, series)
            {
                int r = net_experiment_row(e, json_string_value(row));
                if (r >= 0) // not left out by --row
                    draw_curve(out, e, panel, r,
                               net_experiment_series(e, json_string_value(series)));
            }
        }
        // Also where there is nothing else: gnuplot takes no axis without values.
        fputs("'+' using (0):(0):(0) with points pt 0 notitle\n", out);
    }
    fputs("unset multiplot\n", out);
}

bool net_plot(const struct net_experiment *e, const double *values, const char *made_by,
              const char *directory)
{
    char script[100], stem[100], path[500];
    snprintf(script, sizeof script, "%s.gp", e->name);
    snprintf(path, sizeof path, "%s/%s", directory, script);
    FILE *out = fopen(path, "w");
    if (!out) {
        fprintf(stderr, "torussim: %s: %s\n", path, strerror(errno));
        return false;
    }
    bool curves = e->loads > 1;
    unsigned width = 1000, height = curves || !is_crowded(e) ? 440 : 520;
    unsigned wide, high;
    lay_out(e, &wide, &high);
    if (curves && (e->rows > 1 || high > 1))
        height = 340 * high;
    if (e->quantiles)
        height = 340 * (((unsigned)json_array_size(e->panels) + 1) / 2);
    fputs("# Made by torussim reproduce\nset encoding utf8\n", out);
    for (unsigned size = 0; size < e->sizes; size++) {
        (curves ? curve_data : bar_data)(out, e, values, size);
        for (int svg = 0; svg < 2; svg++) {
            snprintf(stem, sizeof stem, "%s-%u", e->name, e->size[size]);
            gnuplot_output(out, svg, width, height, stem);
            if (e->quantiles)
                draw_panels(out, e, values, size, made_by);
            else
                (curves ? draw_curves : draw_bars)(out, e, values, size, made_by);
            fputs("unset output\nreset\n", out);
        }
    }
    bool good = net_file_close(out, path);
    if (!good)
        unlink(path);
    return good && gnuplot_run("torussim", directory, script);
}
