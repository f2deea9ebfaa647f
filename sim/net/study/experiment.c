// SPDX-License-Identifier: Apache-2.0
#include "study/experiment.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "output/record.h"
#include "run/engine.h"
#include "run/point.h"

// Options may be texts or numbers; all become texts.
static void check_options(json_t *options, const char *what)
{
    struct net_options known = {0};
    const char *name;
    json_t *value;
    void *tmp;
    if (options && !json_is_object(options))
        net_refuse("%s: options must be an object", what);
    json_object_foreach_safe(options, tmp, name, value)
    {
        char text[40];
        if (!net_options_set(&known, name, "") || !strcmp(name, "load") || !strcmp(name, "trace"))
            net_refuse("%s: there is no such option: %s", what, name);
        if (json_is_string(value))
            continue;
        if (!json_is_number(value))
            net_refuse("%s: option %s must be a text or a number", what, name);
        if (json_is_integer(value))
            snprintf(text, sizeof text, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
        else
            snprintf(text, sizeof text, "%.12g", json_real_value(value));
        json_object_set_new(options, name, json_string(text));
    }
}

static void apply(struct net_options *to, const json_t *options)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)options, name, value)
    {
        net_options_set(to, name, json_string_value(value));
    }
}

// The values' axis: loads or fractions.
static void read_loads(struct net_experiment *e, const json_t *loads)
{
    double first, last, step;
    char end;
    if (loads && e->quantiles)
        net_refuse("loads and quantiles do not go together");
    if (json_is_string(loads)) {
        if (sscanf(json_string_value(loads), "%lf:%lf:%lf%c", &first, &last, &step, &end) != 3 ||
            !(step > 0) || !(first >= NET_MIN_LOAD) || !(last >= first) || last > NET_MAX_LOAD ||
            (last - first) / step >= NET_LOADS)
            net_refuse("loads %s: must be FIRST:LAST:STEP with 1 to %d values",
                       json_string_value(loads), NET_LOADS);
        while (e->loads <= (last - first) / step + 1e-9 && e->loads < NET_LOADS) {
            e->load[e->loads] = first + e->loads * step;
            e->loads++;
        }
        return;
    }
    if (json_is_null(loads)) {
        e->load[e->loads++] = NAN;
        return;
    }
    if (e->quantiles) {
        for (; e->loads < NET_QUANTILES; e->loads++)
            e->load[e->loads] = e->loads / (NET_QUANTILES - 1.0);
        return;
    }
    if (!json_is_array(loads) || json_array_size(loads) < 1 || json_array_size(loads) > NET_LOADS)
        net_refuse("loads: must be a text or a list of 1 to %d numbers", NET_LOADS);
    for (; e->loads < json_array_size(loads); e->loads++) {
        e->load[e->loads] = json_number_value(json_array_get(loads, e->loads));
        if (!(e->load[e->loads] >= NET_MIN_LOAD && e->load[e->loads] <= NET_MAX_LOAD))
            net_refuse("loads: must be numbers from %g on, at most %g", NET_MIN_LOAD, NET_MAX_LOAD);
    }
}

// The name of a member that is for one size.
static void check_size(const char *k, const char *what)
{
    char *end;
    unsigned long size = strtoul(k, &end, 10);
    if (*k < '1' || *k > '9' || *end || size > 255)
        net_refuse("%s: size %s: must be a whole number from 1 to 255", what, k);
}

// A value that is looked for by runs at several loads.
static bool is_search(const char *field)
{
    return !strcmp(field, "gamma_star_gamma0") || !strcmp(field, "saturation_load") ||
           !strcmp(field, "peak_load");
}

// What fields there are: the record of a small run, ping-pong for quantiles.
static json_t *sample_record(const struct net_experiment *e)
{
    struct net_config config = net_config_default(NET_PRESET_OFR, NET_OFR);
    config.torus = (struct ofr_torus){1, {2}};
    config.messages = config.message_packets = 1;
    config.active = e->quantiles ? 2 : 0;
    if (e->flit) {
        config = net_config_default(NET_PRESET_OFR, NET_DALLY_SEITZ);
        config.engine = NET_ENGINE_FLIT;
        config.torus = (struct ofr_torus){1, {4}};
        config.flit.warm = 0;
        config.flit.batches = 2;
        config.flit.batch = 200;
    }
    const char *topology = json_string_value(json_object_get(e->options, "topology"));
    if (e->flit && topology && net_dragonfly_parse(topology, &config.dragonfly)) {
        config.routing = NET_MINIMAL_HOPS;
        config.load = NET_MIN_LOAD;
    }
    struct net_result result = net_run(&config, 0, NULL, NULL);
    json_t *record = net_record(&config, &result, 1);
    net_result_free(&result);
    return record;
}

// A field must be a number there; of quantiles, with a number for the star.
static void check_field(const json_t *sample, const char *field, const char *what)
{
    const char *star = strchr(field, '*');
    char name[100];
    snprintf(name, sizeof name, star ? "%.*s50%.40s" : "%.*s", star ? (int)(star - field) : 99,
             field, star ? star + 1 : "");
    const json_t *value = json_object_get(sample, name);
    if (!value || json_is_string(value) || json_is_boolean(value))
        net_refuse("%s: there is no field %s with a number in a record", what, field);
}

static void read_axes(struct net_experiment *e, const json_t *sizes, const json_t *rows,
                      const json_t *series, const char *field)
{
    json_error_t error;
    size_t i;
    json_t *item;
    char what[200];
    if (!json_is_array(sizes) || json_array_size(sizes) < 1 || json_array_size(sizes) > NET_SIZES)
        net_refuse("sizes: must be a list of 1 to %d numbers", NET_SIZES);
    json_array_foreach((json_t *)sizes, i, item)
    {
        json_int_t k = json_integer_value(item);
        if (k < 1 || k > 255)
            net_refuse("sizes: must be whole numbers from 1 to 255");
        e->size[e->sizes++] = (unsigned)k;
    }
    if (!json_is_array(rows) || json_array_size(rows) < 1 || json_array_size(rows) > NET_ROWS)
        net_refuse("rows: must be a list of 1 to %d objects", NET_ROWS);
    json_t *sample = e->loads ? sample_record(e) : NULL; // else the field is gamma*
    json_array_foreach((json_t *)rows, i, item)
    {
        e->row[i].options = e->row[i].sizes = NULL;
        if (json_unpack_ex(item, &error, JSON_STRICT, "{s:s, s?o, s?o, s?F, s?I, s?s}", "name",
                           &e->row[i].name, "options", &e->row[i].options, "sizes",
                           &e->row[i].sizes, "start", &e->row[i].start, "base_messages",
                           &e->row[i].base_messages, "field", &e->row[i].field))
            net_refuse("row %zu: %s", i + 1, error.text);
        if (!(e->row[i].start >= 0 && e->row[i].start < 2))
            net_refuse("row %s: start must be 0 to 2", e->row[i].name);
        if (e->row[i].base_messages < 0 || e->row[i].base_messages > INT32_MAX)
            net_refuse("row %s: base_messages: must be 0 to %d", e->row[i].name, INT32_MAX);
        snprintf(what, sizeof what, "row %s", e->row[i].name);
        check_options(e->row[i].options, what);
        if (e->row[i].field && (!sample || e->quantiles))
            net_refuse("%s: a field of its own goes with loads", what);
        if (e->row[i].field)
            check_field(sample, e->row[i].field, what);
        const char *k;
        json_t *options;
        if (e->row[i].sizes && !json_is_object(e->row[i].sizes))
            net_refuse("%s: sizes must be an object", what);
        json_object_foreach(e->row[i].sizes, k, options)
        {
            check_size(k, what);
            check_options(json_is_null(options) ? NULL : options, what);
        }
        if (net_experiment_row(e, e->row[i].name) >= 0)
            net_refuse("%s: it is there twice", what);
        e->rows++;
    }
    if (!json_is_array(series) || json_array_size(series) < 1 ||
        json_array_size(series) > NET_SERIES)
        net_refuse("series: must be a list of 1 to %d objects", NET_SERIES);
    json_array_foreach((json_t *)series, i, item)
    {
        e->column[i].field = field;
        e->column[i].options = NULL;
        e->column[i].panel = e->label;
        int scored = 1;
        if (json_unpack_ex(item, &error, JSON_STRICT, "{s:s, s?o, s?s, s?s, s?b}", "name",
                           &e->column[i].name, "options", &e->column[i].options, "field",
                           &e->column[i].field, "panel", &e->column[i].panel, "scored", &scored))
            net_refuse("series %zu: %s", i + 1, error.text);
        e->column[i].unscored = !scored;
        if (!e->column[i].field)
            net_refuse("series %s: no field", e->column[i].name);
        if (e->quantiles != (strchr(e->column[i].field, '*') != NULL))
            net_refuse("series %s: field %s goes %s quantiles", e->column[i].name,
                       e->column[i].field, e->quantiles ? "without" : "with");
        if ((e->loads == 0) != is_search(e->column[i].field))
            net_refuse("series %s: field %s goes %s loads", e->column[i].name, e->column[i].field,
                       e->loads ? "without" : "with");
        snprintf(what, sizeof what, "series %s", e->column[i].name);
        if (sample)
            check_field(sample, e->column[i].field, what);
        check_options(e->column[i].options, what);
        if (net_experiment_series(e, e->column[i].name) >= 0)
            net_refuse("%s: it is there twice", what);
        e->series++;
    }
    json_decref(sample);
}

int net_experiment_row(const struct net_experiment *e, const char *name)
{
    for (unsigned i = 0; i < e->rows; i++)
        if (!strcmp(e->row[i].name, name))
            return (int)i;
    return -1;
}

int net_experiment_series(const struct net_experiment *e, const char *name)
{
    for (unsigned i = 0; i < e->series; i++)
        if (!strcmp(e->column[i].name, name))
            return (int)i;
    return -1;
}

static void check_name(const struct net_experiment *e, const json_t *name, bool series,
                       const char *what)
{
    const char *text = json_string_value(name);
    if (!text || (series ? net_experiment_series : net_experiment_row)(e, text) < 0)
        net_refuse("%s: there is no %s %s", what, series ? "series" : "row", text ? text : "");
}

static void check_panels(const struct net_experiment *e)
{
    json_error_t error;
    size_t i, j;
    json_t *panel, *name;
    if (e->quantiles != (json_array_size(e->panels) > 0) ||
        json_is_array(e->panels) != e->quantiles)
        net_refuse("panels: a list that goes with quantiles, of at least one");
    json_array_foreach(e->panels, i, panel)
    {
        const char *title, *label;
        json_t *rows, *series;
        double mark;
        if (json_unpack_ex(panel, &error, JSON_STRICT, "{s:s, s:s, s:o, s:o, s?F}", "title", &title,
                           "label", &label, "rows", &rows, "series", &series, "mark", &mark))
            net_refuse("panel %zu: %s", i + 1, error.text);
        json_array_foreach(rows, j, name)
        {
            check_name(e, name, false, title);
        }
        json_array_foreach(series, j, name)
        {
            check_name(e, name, true, title);
        }
        if (!json_array_size(rows) || !json_array_size(series))
            net_refuse("panel %zu: needs a list of rows and one of series", i + 1);
    }
}

static void check_checks(const struct net_experiment *e)
{
    json_error_t error;
    size_t i, j;
    json_t *check, *term;
    if (e->checks && !json_is_array(e->checks))
        net_refuse("checks: must be a list");
    json_array_foreach(e->checks, i, check)
    {
        const char *what;
        json_t *sum;
        double above, at_most;
        if (json_unpack_ex(check, &error, JSON_STRICT, "{s:s, s:o, s?F, s?F}", "what", &what, "sum",
                           &sum, "above", &above, "at_most", &at_most))
            net_refuse("check %zu: %s", i + 1, error.text);
        if (!json_array_size(sum) ||
            !json_object_get(check, "above") == !json_object_get(check, "at_most"))
            net_refuse("check %zu: needs a sum, and either above or at_most", i + 1);
        json_array_foreach(sum, j, term)
        {
            bool point = false;
            double at = json_number_value(json_array_get(term, 3));
            for (unsigned l = 0; l < e->loads; l++)
                point = point || fabs(e->load[l] - at) < 1e-6;
            if (!json_is_number(json_array_get(term, 0)) ||
                json_array_size(term) != (e->loads ? 4 : 3) || (e->loads && !point))
                net_refuse("check %zu: a term must be [factor, row, series%s]", i + 1,
                           e->quantiles ? ", fraction"
                           : e->loads   ? ", load"
                                        : "");
            check_name(e, json_array_get(term, 1), false, what);
            check_name(e, json_array_get(term, 2), true, what);
        }
    }
}

// [[load or fraction, value], ...] or a value.
static bool is_figure(const json_t *figure)
{
    size_t i;
    json_t *pair;
    if (json_is_number(figure))
        return true;
    json_array_foreach((json_t *)figure, i, pair)
    {
        if (json_array_size(pair) != 2 || !json_is_number(json_array_get(pair, 0)) ||
            !json_is_number(json_array_get(pair, 1)))
            return false;
    }
    return json_is_array(figure);
}

static void check_paper(const struct net_experiment *e)
{
    json_error_t error;
    const char *k, *row, *series, *from;
    json_t *of_size, *of_row, *rows, *figure;
    if (e->paper && !json_is_object(e->paper))
        net_refuse("paper: must be an object");
    json_object_foreach(e->paper, k, of_size)
    {
        check_size(k, "paper");
        if (json_unpack_ex(of_size, &error, JSON_STRICT, "{s:s, s:o}", "from", &from, "rows",
                           &rows))
            net_refuse("paper, size %s: %s", k, error.text);
        if (!json_is_object(rows))
            net_refuse("paper, size %s: rows must be an object", k);
        json_object_foreach(rows, row, of_row)
        {
            if (net_experiment_row(e, row) < 0)
                net_refuse("paper, size %s: there is no row %s", k, row);
            if (!json_is_object(of_row))
                net_refuse("paper, size %s, row %s: must be an object", k, row);
            json_object_foreach(of_row, series, figure)
            {
                if (net_experiment_series(e, series) < 0)
                    net_refuse("paper, size %s, row %s: there is no series %s", k, row, series);
                if (!is_figure(figure))
                    net_refuse("paper, size %s, row %s, series %s: must be a number or a list of "
                               "pairs of numbers",
                               k, row, series);
            }
        }
    }
}

// A number that is not negative; 0 where it is not given.
static double read_number(const json_t *value, const char *what)
{
    if (value && !(json_is_number(value) && json_number_value(value) >= 0))
        net_refuse("%s: must be a number, not negative", what);
    return json_number_value(value);
}

static json_t *find(const char *name, struct net_experiment *e)
{
    json_error_t error;
    for (const struct net_builtin *b = net_builtins; b->name; b++)
        if (!strcmp(name, b->name)) {
            snprintf(e->name, sizeof e->name, "%s", name);
            return json_loads(b->text, JSON_REJECT_DUPLICATES, &error);
        }
    FILE *file = fopen(name, "r");
    const char *base = strrchr(name, '/') ? strrchr(name, '/') + 1 : name;
    const char *end = strrchr(base, '.'); // of a file's name: fulgham-4.8 is none
    if (!file && errno == ENOENT && base == name && !(end && !strcmp(end, ".json"))) {
        char names[1000] = "";
        for (const struct net_builtin *b = net_builtins; b->name; b++)
            snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s",
                     b == net_builtins ? "" : ", ", b->name);
        net_refuse("there is no such experiment (%s) or file", names);
    }
    if (!file)
        net_refuse("%s", strerror(errno));
    struct stat status;
    if (!fstat(fileno(file), &status) && S_ISDIR(status.st_mode))
        net_refuse("%s", strerror(EISDIR));
    json_t *json = json_loadf(file, JSON_REJECT_DUPLICATES, &error);
    fclose(file);
    if (!json)
        net_refuse("line %d: %s", error.line, error.text);
    snprintf(e->name, sizeof e->name, "%.*s",
             (int)(end && end > base ? end - base : (long)strlen(base)), base);
    for (const char *c = e->name; *c; c++)
        if ((unsigned char)*c < ' ')
            net_refuse("a name for files must not have control characters");
    return json;
}

void net_experiment_open(struct net_experiment *e, const char *name)
{
    static char where[300];
    json_error_t error;
    json_t *sizes, *rows, *series, *loads = NULL, *tolerance = NULL, *until = NULL, *step = NULL;
    const char *field = NULL;
    int relative = 0, quantiles = 0;
    *e = (struct net_experiment){0};
    snprintf(where, sizeof where, "experiment %.250s", name);
    net_refuse_in(where);
    e->json = find(name, e);
    static const char *const texts[] = {"title", "label", "field"};
    for (int i = 0; i < 3; i++) {
        const json_t *text = json_object_get(e->json, texts[i]);
        if (text && !json_is_string(text))
            net_refuse("%s: must be a text", texts[i]);
    }
    if (json_unpack_ex(
            e->json, &error, JSON_STRICT,
            "{s:s, s:s, s:o, s?o, s:o, s:o, s?s, s?o, s?o, s?o, s?o, s?b, s?b, s?o, s?o, s?o, s?o}",
            "title", &e->title, "label", &e->label, "sizes", &sizes, "options", &e->options, "rows",
            &rows, "series", &series, "field", &field, "loads", &loads, "until", &until, "paper",
            &e->paper, "tolerance", &tolerance, "relative", &relative, "quantiles", &quantiles,
            "panels", &e->panels, "checks", &e->checks, "quick", &e->quick, "step", &step))
        net_refuse("%s", error.text);
    e->relative = relative;
    const char *engine = json_string_value(json_object_get(e->options, "engine"));
    e->flit = engine && !strcmp(engine, "flit");
    e->quantiles = quantiles;
    e->tolerance = read_number(tolerance, "tolerance");
    e->until = read_number(until, "until");
    char text[40];
    snprintf(text, sizeof text, "%.9g", step ? read_number(step, "step") : 1.0 / NET_STEPS);
    e->per = net_parse_step(text);
    if (loads || quantiles)
        read_loads(e, loads);
    check_options(e->options, "options");
    check_options(e->quick, "quick");
    read_axes(e, sizes, rows, series, field);
    check_panels(e);
    check_paper(e);
    check_checks(e);
    net_refuse_in(NULL);
}

void net_experiment_close(struct net_experiment *e)
{
    json_decref(e->json);
}

// The member of an object that is named by a size.
static json_t *of_size(const json_t *object, unsigned k)
{
    char text[12];
    snprintf(text, sizeof text, "%u", k);
    return json_object_get(object, text);
}

bool net_experiment_has(const struct net_experiment *e, unsigned size, unsigned row)
{
    return !json_is_null(of_size(e->row[row].sizes, e->size[size]));
}

struct net_config net_experiment_config(const struct net_experiment *e, unsigned size, unsigned row,
                                        unsigned series, struct net_options *given)
{
    char topology[40], where[400];
    unsigned k = e->size[size];
    struct net_options options = {0};
    snprintf(topology, sizeof topology, "torus:%ux%ux%u", k, k, k);
    net_options_set(&options, "topology", topology);
    apply(&options, e->options);
    apply(&options, e->row[row].options);
    apply(&options, of_size(e->row[row].sizes, k));
    apply(&options, e->column[series].options);
    if (e->shortened)
        apply(&options, e->quick);
    net_options_merge(&options, given);
    snprintf(where, sizeof where, "experiment %s, %.100s, %.100s, k = %u", e->name,
             e->row[row].name, e->column[series].name, k);
    net_refuse_in(where);
    struct net_config config = net_options_config(&options, NULL, NULL, "0.1", NULL);
    net_refuse_in(NULL);
    net_options_note(given, &config);
    return config;
}

double net_experiment_paper(const struct net_experiment *e, unsigned size, unsigned row,
                            unsigned series, double load)
{
    const json_t *rows = json_object_get(of_size(e->paper, e->size[size]), "rows");
    const json_t *value =
        json_object_get(json_object_get(rows, e->row[row].name), e->column[series].name);
    size_t i;
    json_t *pair;
    if (json_is_number(value))
        return json_number_value(value);
    json_array_foreach((json_t *)value, i, pair)
    {
        if (fabs(json_number_value(json_array_get(pair, 0)) - load) < 1e-6)
            return json_number_value(json_array_get(pair, 1));
    }
    return NAN;
}

const char *net_experiment_from(const struct net_experiment *e, unsigned size)
{
    return json_string_value(json_object_get(of_size(e->paper, e->size[size]), "from"));
}

bool net_experiment_within(const struct net_experiment *e, double value, double paper)
{
    return fabs(value - paper) <= e->tolerance * (e->relative ? fabs(paper) : 1) + 1e-9;
}
