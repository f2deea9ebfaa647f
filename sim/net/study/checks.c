// SPDX-License-Identifier: Apache-2.0
#include "study/checks.h"

#include <math.h>
#include <stdio.h>

#include "output/plot.h"

static double term_value(const struct net_experiment *e, const double *values, unsigned size,
                         const json_t *term)
{
    int row = net_experiment_row(e, json_string_value(json_array_get(term, 1)));
    int series = net_experiment_series(e, json_string_value(json_array_get(term, 2)));
    double at = json_number_value(json_array_get(term, 3));
    unsigned l = 0;
    while (l + 1 < e->loads && fabs(e->load[l] - at) > 1e-6)
        l++;
    if (row < 0) // --row left it out
        return NAN;
    return json_number_value(json_array_get(term, 0)) *
           values[net_cell(e, size, (unsigned)row, (unsigned)series, l)];
}

struct check {
    const char *what;
    double value, bound; // value: NaN where a cell of it has not been run
    bool above;          // value > bound; else value <= bound
    bool holds;
};

// Check number 0 .. of a size. False: there is no such check.
static bool evaluate(const struct net_experiment *e, const double *values, unsigned size,
                     unsigned number, struct check *check)
{
    const json_t *o = json_array_get(e->checks, number), *above = json_object_get(o, "above");
    size_t i;
    json_t *term;
    if (!o)
        return false;
    *check =
        (struct check){.what = json_string_value(json_object_get(o, "what")),
                       .bound = json_number_value(above ? above : json_object_get(o, "at_most")),
                       .above = above != NULL};
    json_array_foreach(json_object_get(o, "sum"), i, term)
    {
        check->value += term_value(e, values, size, term);
    }
    check->holds = check->above ? check->value > check->bound : check->value <= check->bound;
    return true;
}

unsigned net_checks(const struct net_experiment *e, const double *values, FILE *out, json_t *list,
                    unsigned *held)
{
    unsigned made = 0;
    struct check c;
    *held = 0;
    for (unsigned size = 0; size < e->sizes; size++)
        for (unsigned i = 0; evaluate(e, values, size, i, &c); i++) {
            if (!isfinite(c.value))
                continue;
            made++;
            *held += c.holds;
            if (out)
                fprintf(out, "%s  %s: %.3f (must be %s %g)\n", c.holds ? "yes" : "NO ", c.what,
                        c.value, c.above ? "above" : "at most", c.bound);
            if (list)
                json_array_append_new(list,
                                      json_pack("{s:i, s:s, s:f, s:s, s:f, s:b}", "k",
                                                (int)e->size[size], "what", c.what, "value",
                                                c.value, "relation", c.above ? "above" : "at most",
                                                "bound", c.bound, "holds", (int)c.holds));
        }
    return made;
}
