// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <string.h>

#include "output/gnuplot.h"
#include "output/picture.h"
#include "run/refuse.h"

struct histogram {
    const struct net_table *table;
    double packets, middle, late; // us, of 50 and 99%
};

static double of(const json_t *row, const char *field)
{
    return json_number_value(json_object_get(row, field));
}

static void draw_histogram(FILE *out, const void *data)
{
    const struct histogram *h = data;
    size_t i;
    json_t *row;
    fputs("$h << EOD\n", out);
    json_array_foreach(h->table->rows, i, row)
    {
        double low = of(row, "low_us"), high = of(row, "high_us");
        fprintf(out, "%.9g %.9g %.9g %.9g\n", sqrt(low * high),
                100 * of(row, "packets") / h->packets / log2(high / low), low, high);
    }
    fputs("EOD\n", out);
    fprintf(out,
            "set title 'Lifetimes of %.0f packets'\nset bmargin screen 0.20\nset grid\nset "
            "logscale x\n",
            h->packets);
    fputs(
        "set xlabel 'lifetime, from birth to the end of consumption (us)'\nset ylabel 'packets per "
        "octave of lifetime (%)'\nset yrange [0:*]\nset style fill solid 0.75 border\nset key "
        "off\n",
        out);
    const struct {
        double at;
        const char *name;
    } marks[] = {{h->middle, "50%"}, {h->late, "99%"}};
    for (int m = 0; m < 2; m++)
        fprintf(out,
                "set arrow from %g, graph 0 to %g, graph 1 nohead lw 2 dt 2 lc rgb 'black'\nset "
                "label '%s: %.4g us' at %g, graph 0.96 offset 0.5,%d\n",
                marks[m].at, marks[m].at, marks[m].name, marks[m].at, marks[m].at, -m);
    fprintf(out, "plot $h using 1:2:3:4:(0):2 with boxxyerror lc rgb '%s'\n", gnuplot_colour(0));
}

bool net_view_histogram(const struct net_table *table, const struct net_view *view)
{
    struct histogram h = {.table = table};
    size_t i;
    json_t *row;
    double below = 0;
    json_array_foreach(table->rows, i, row)
    {
        if (!(of(row, "low_us") > 0 && of(row, "high_us") > of(row, "low_us") &&
              of(row, "packets") > 0))
            net_refuse("view: bin %zu: must have 0 < low_us < high_us and packets", i + 1);
        h.packets += of(row, "packets");
    }
    json_array_foreach(table->rows, i, row)
    {
        double middle = sqrt(of(row, "low_us") * of(row, "high_us"));
        double before = below / h.packets, share = (below += of(row, "packets")) / h.packets;
        h.middle = before < 0.5 && share >= 0.5 ? middle : h.middle;
        h.late = before < 0.99 && share >= 0.99 ? middle : h.late;
    }
    bool drawn = net_picture(view, 1100, 640, table->command, draw_histogram, &h);
    if (drawn)
        printf("%s.png, %s.svg: %.0f packets\n", view->stem, view->stem, h.packets);
    return drawn;
}
