// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "config/settings.h"
#include "output/gnuplot.h"
#include "output/made_by.h"
#include "output/picture.h"
#include "output/replicates.h"
#include "run/refuse.h"

enum { MAX_CURVES = 40, MAX_POINTS = 1000, MAX_SETTINGS = 20 };

struct point {
    double x, y, low, high;
};

struct curve {
    char title[300];
    unsigned count;
    struct point point[MAX_POINTS];
};

struct curves {
    const struct net_view *view;
    char load_unit[40];                              // "": none, or several
    json_t *categories;                              // texts of x; empty: x is a number
    const struct net_setting *setting[MAX_SETTINGS]; // that tell them apart
    unsigned settings;
    unsigned count;
    struct curve *curve;
};

static bool has_bars(const struct curve *curve)
{
    for (unsigned p = 0; p < curve->count; p++)
        if (isfinite(curve->point[p].low))
            return true;
    return false;
}

static void draw_curves(FILE *out, const void *data)
{
    const struct curves *c = data;
    bool texts = json_array_size(c->categories) > 0, bars = false;
    double range[2] = {INFINITY, -INFINITY}, high[2] = {INFINITY, -INFINITY};
    for (unsigned i = 0; i < c->count; i++) {
        bars = bars || has_bars(&c->curve[i]);
        fprintf(out, "$c%u << EOD\n", i);
        for (unsigned p = 0; p < c->curve[i].count; p++) {
            const struct point *at = &c->curve[i].point[p];
            range[0] = fmin(range[0], at->x);
            range[1] = fmax(range[1], at->x);
            high[0] = fmin(fmin(high[0], at->y), at->low); // which may be NaN
            high[1] = fmax(fmax(high[1], at->y), at->high);
            double beside = texts ? 0.5 * ((i + 0.5) / c->count - 0.5) : 0;
            fprintf(out, "%.9g", at->x + beside);
            gnuplot_number(out, at->y);
            gnuplot_number(out, at->low);
            gnuplot_number(out, at->high);
            fputc('\n', out);
        }
        fputs("EOD\n", out);
    }
    fputs("set bmargin screen 0.20\nset grid\nset key outside right top\nset xlabel ", out);
    net_picture_label(out, c->view->x, c->load_unit);
    fputs("\nset ylabel ", out);
    net_picture_label(out, c->view->y, c->load_unit);
    if (bars)
        fputs("\nset key title 'bars: 95% interval'", out);
    fputs("\nset offsets graph 0.03, graph 0.03, graph 0.05, graph 0.05\n", out);
    // gnuplot takes no axis of one value without a word.
    if (range[0] == range[1] || texts)
        fprintf(out, "set xrange [%g:%g]\n", range[0] - 0.5, range[1] + 0.5);
    if (high[0] == high[1])
        fprintf(out, "set yrange [%g:%g]\n", high[0] - 0.5, high[0] + 0.5);
    if (texts) {
        size_t i;
        json_t *name;
        fputs("set xtics (", out);
        json_array_foreach(c->categories, i, name)
        {
            fputs(i ? ", " : "", out);
            gnuplot_text(out, json_string_value(name));
            fprintf(out, " %zu", i);
        }
        fputs(")\n", out);
    }
    fputs("plot ", out);
    for (unsigned i = 0; i < c->count; i++) {
        const char *colour = gnuplot_colour(i);
        if (has_bars(&c->curve[i]))
            fprintf(out, "$c%u using 1:2:3:4 with yerrorbars pt 0 lw 1.5 lc rgb '%s' notitle, ", i,
                    colour);
        fprintf(out, "$c%u using 1:2 with %s pt %u ps 0.8 lw 2 lc rgb '%s' title ", i,
                texts ? "points" : "linespoints", 5 + 2 * (i % 4), colour);
        gnuplot_text(out, *c->curve[i].title ? c->curve[i].title : c->view->y);
        fputs(i + 1 < c->count ? ", " : "\n", out);
    }
}

// A record's value of a setting; NULL: it has none. A later setting's default is not there.
static const json_t *value_of(const json_t *record, const struct net_setting *s)
{
    const json_t *its = json_object_get(record, s->field);
    return its || !s->later ? its : json_null();
}

// A record's values of the curves' settings, in words.
static void title_of(const struct curves *c, const json_t *record, char *title, size_t size)
{
    size_t at = 0;
    *title = '\0';
    for (unsigned i = 0; i < c->settings && at < size; i++) {
        const struct net_setting *s = c->setting[i];
        const json_t *its = value_of(record, s);
        bool named = json_is_number(its) || s->later;
        char value[300];
        net_value_text(its, value, sizeof value);
        if (!json_is_null(its)) // does not apply
            at += (size_t)snprintf(title + at, size - at, "%s%s%s%s", at ? ", " : "",
                                   named ? s->name : "", named ? " " : "", value);
    }
}

// Whether records of one title so far differ in a setting; what follows from a word on the x axis
// does not count.
static bool splits(const struct curves *c, const json_t *records, const struct net_setting *s)
{
    json_t *record, *first = json_object();
    size_t i;
    bool differ = false;
    json_array_foreach((json_t *)records, i, record)
    {
        char title[400], x[80] = "";
        title_of(c, record, title, 300);
        if (json_is_string(json_object_get(record, c->view->x)))
            net_value_text(json_object_get(record, c->view->x), x, sizeof x);
        snprintf(title + strlen(title), sizeof title - strlen(title), " %s", x);
        const json_t *before = json_object_get(first, title);
        const json_t *its = value_of(record, s);
        differ = differ || (before && its && !json_equal(before, its));
        if (!before && its)
            json_object_set(first, title, (json_t *)its);
    }
    json_decref(first);
    return differ;
}

static void choose(struct curves *c, const json_t *records, const struct net_setting *s)
{
    if (strcmp(s->field, c->view->x) != 0 && c->settings < MAX_SETTINGS && splits(c, records, s))
        c->setting[c->settings++] = s;
}

static bool setting_of(const char *field)
{
    const struct net_setting *s = net_settings;
    while (s->name && strcmp(s->field, field) != 0)
        s++;
    return s->name;
}

// The settings that tell one curve from another, none that follows from those before it.
static void choose_settings(struct curves *c, const json_t *records)
{
    static const char *const first[] = {"routing",  "arrivals", "traffic",
                                        "topology", "preset",   NULL};
    // Along a setting points of several loads are none of one curve; along what is measured they
    // are the curve.
    static const char *const never[] = {"seed", "load", NULL};
    const struct net_setting *load = net_setting_find("load");
    if (setting_of(c->view->x) && strcmp(load->field, c->view->x) != 0)
        choose(c, records, load);
    for (const char *const *name = first; *name; name++)
        choose(c, records, net_setting_find(*name));
    for (const struct net_setting *s = net_settings; s->name; s++)
        if (net_name_find(first, s->name) < 0 && net_name_find(never, s->name) < 0)
            choose(c, records, s);
}

// Where a record is on the x axis; NaN: nowhere.
static double x_of(struct curves *c, const json_t *record)
{
    const json_t *x = json_object_get(record, c->view->x);
    size_t i;
    json_t *name;
    if (json_is_number(x))
        return json_number_value(x);
    if (!json_is_string(x))
        return NAN;
    json_array_foreach(c->categories, i, name)
    {
        if (json_equal(name, x))
            return (double)i;
    }
    json_array_append(c->categories, (json_t *)x);
    return (double)json_array_size(c->categories) - 1;
}

static double number(const json_t *record, const char *field)
{
    const json_t *value = json_object_get(record, field);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

// All of one curve and one x, as a point.
static struct point gather(const struct net_view *view, double x, json_t *const *records,
                           uint32_t count)
{
    double half;
    struct point p = {.x = x, .low = NAN, .high = NAN};
    p.y = net_record_mean(records, count, view->y, &half);
    p.low = p.y - half;
    p.high = p.y + half;
    // Replicates as one record, or batches.
    char interval[100];
    net_record_interval(view->y, interval, sizeof interval);
    if (count == 1 && !strcmp(view->y, "mean_lifetime_us")) {
        p.low = number(records[0], "mean_ci95_low_us");
        p.high = number(records[0], "mean_ci95_high_us");
    } else if (count == 1) {
        half = number(records[0], interval);
        p.low = p.y - half;
        p.high = p.y + half;
    }
    return p;
}

static struct curve *curve_of(struct curves *c, const char *title)
{
    for (unsigned i = 0; i < c->count; i++)
        if (!strcmp(c->curve[i].title, title))
            return &c->curve[i];
    if (c->count == MAX_CURVES)
        net_refuse("view: more than %d curves: the records differ in too much", MAX_CURVES);
    struct curve *curve = &c->curve[c->count++];
    snprintf(curve->title, sizeof curve->title, "%s", title);
    curve->count = 0;
    return curve;
}

static int by_x(const void *a, const void *b)
{
    double x = ((const struct point *)a)->x, y = ((const struct point *)b)->x;
    return x < y ? -1 : x > y;
}

bool net_view_records(const struct net_table *table, const struct net_view *given)
{
    // Engine flit has units of its own.
    bool flit = json_object_get(json_array_get(table->rows, 0), "accepted_load") != NULL;
    struct net_view named = *given;
    const struct net_view *view = &named;
    named.x = given->x ? given->x : flit ? "load" : "load_gamma0";
    named.y = given->y ? given->y : flit ? "latency_cycles" : "mean_lifetime_us";
    size_t i, j;
    json_t *record, *other, *good = json_array();
    bool known_x = false, known_y = false;
    char made_by[4000];
    struct curves c = {.view = view, .categories = json_array()};
    json_array_foreach(table->rows, i, record)
    {
        const json_t *x = json_object_get(record, view->x), *y = json_object_get(record, view->y);
        known_x = known_x || x;
        known_y = known_y || y;
        if (net_record_ended_well(record) && json_is_number(y) &&
            (json_is_number(x) || json_is_string(x)))
            json_array_append(good, record);
    }
    if (!known_x || !known_y)
        net_refuse("view: records have no field %s", known_x ? view->y : view->x);
    if (!json_array_size(good))
        net_refuse("view: no record has both %s and %s", view->x, view->y);
    c.curve = calloc(MAX_CURVES, sizeof *c.curve);
    if (!c.curve)
        net_refuse("out of memory");
    net_made_by(good, made_by, sizeof made_by);
    choose_settings(&c, good);
    const json_t *unit = json_object_get(json_array_get(good, 0), "load_unit");
    json_array_foreach(good, i, record)
    {
        if (unit && !json_equal(json_object_get(record, "load_unit"), unit))
            unit = NULL;
    }
    if (json_is_string(unit))
        net_value_text(unit, c.load_unit, sizeof c.load_unit);
    json_array_foreach(good, i, record)
    {
        json_t *same[NET_MAX_REPLICATES];
        uint32_t count = 0;
        char title[300], its[300];
        double x = x_of(&c, record);
        title_of(&c, record, title, sizeof title);
        struct curve *curve = curve_of(&c, title);
        bool done = false;
        for (unsigned p = 0; p < curve->count; p++)
            done = done || curve->point[p].x == x;
        if (done)
            continue;
        json_array_foreach(good, j, other)
        {
            title_of(&c, other, its, sizeof its);
            if (x_of(&c, other) == x && !strcmp(its, title) && count < NET_MAX_REPLICATES)
                same[count++] = other;
        }
        if (curve->count == MAX_POINTS)
            net_refuse("view: more than %d points in a curve", MAX_POINTS);
        curve->point[curve->count++] = gather(view, x, same, count);
    }
    for (unsigned k = 0; k < c.count; k++)
        qsort(c.curve[k].point, c.curve[k].count, sizeof *c.curve[k].point, by_x);
    bool drawn = net_picture(view, 1100, 640, made_by, draw_curves, &c);
    if (drawn)
        printf("%s.png, %s.svg: %u curves of %zu of %zu records\n", view->stem, view->stem, c.count,
               json_array_size(good), json_array_size(table->rows));
    json_decref(good);
    json_decref(c.categories);
    free(c.curve);
    return drawn;
}
