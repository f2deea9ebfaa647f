// SPDX-License-Identifier: Apache-2.0
// torussim reproduce: an experiment file's table or curves, with the paper's figures beside and
// plots.
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output/command.h"
#include "output/files.h"
#include "output/plot.h"
#include "output/record.h"
#include "output/replicates.h"
#include "run/claim.h"
#include "run/pool.h"
#include "run/ranks.h"
#include "run/saturation.h"
#include "study/checks.h"
#include "study/experiment.h"

struct args {
    struct net_options options;
    const char *name, *out, *row;
    uint32_t jobs, size, replicates;
    unsigned per; // steps in gamma0; 0: the experiment's
    bool resume, quick;
    char command[1000]; // all of it, as it was given
};

// A gamma*, a curve of points, or a point and its quantiles.
struct task {
    struct net_config config;
    const char *field;      // of the first cell that has it
    double start;           // where a load is looked for first; 0: anywhere
    uint32_t base_messages; // of net_gamma_star
    char key[NET_KEY];
};

struct reproduction {
    struct net_experiment e;
    struct net_points points;
    struct task *tasks;
    uint32_t count;
    uint32_t *task; // of a cell: [size][row][series]; UINT32_MAX: none
    double *values; // net_cell()
    uint32_t stuck; // cells with a run that the watchdog ended
    uint32_t replicates;
    unsigned per;
    struct net_claim *claims; // [cell], of replicates
};

enum { O_OUT = 256, O_RESUME, O_SIZE, O_ROW, O_STEP, O_QUICK };

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct args *args = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &args->options;
        return 0;
    case 'j':
        args->jobs = (uint32_t)net_parse_count("--jobs", arg, 1, 1024);
        return 0;
    case O_OUT:
        args->out = net_parse_path("--out", arg);
        return 0;
    case O_RESUME:
        args->resume = true;
        return 0;
    case O_QUICK:
        args->quick = true;
        return 0;
    case O_SIZE:
        args->size = (uint32_t)net_parse_count("--size", arg, 1, 255);
        return 0;
    case 'R':
        args->replicates = (uint32_t)net_parse_count("--replicates", arg, 1, NET_MAX_REPLICATES);
        return 0;
    case O_STEP:
        args->per = net_parse_step(arg);
        return 0;
    case O_ROW:
        args->row = arg;
        return 0;
    case ARGP_KEY_ARG:
        if (args->name)
            net_refuse("reproduce: one experiment at a time");
        args->name = net_parse_path("reproduce: NAME", arg);
        return 0;
    case ARGP_KEY_END:
        if (!args->name)
            net_refuse("reproduce: which experiment? (a name or a file; see --help)");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void read_args(int argc, char **argv, struct args *args)
{
    static const struct argp_option list[] = {
        {"jobs", 'j', "NUMBER", 0, "threads (as many as there are processors; of each MPI rank: 1)",
         0},
        {"out", O_OUT, "FOLDER", 0, "for points, tables and plots (the experiment's name)", 0},
        {"resume", O_RESUME, NULL, 0, "take the points that the folder has, run the others", 0},
        {"size", O_SIZE, "K", 0, "only K x K x K tori", 0},
        {"row", O_ROW, "NAME", 0, "only this row", 0},
        {"step", O_STEP, "GAMMA0", 0,
         "of the loads among which gamma* is looked for (0.05, or the experiment's)", 0},
        {"replicates", 'R', "NUMBER", 0,
         "gamma* is the largest load that holds with 4 times the messages, too; with so many "
         "replicates there and a step above (1: neither)",
         0},
        {"quick", O_QUICK, NULL, 0, "with the experiment's shorter runs", 0},
        {0}};
    const struct argp_child children[] = {{net_options_argp(), 0, NULL, 0}, {0}};
    char doc[1000] = "Repeats an experiment: built in, or a file as in sim/net/study/experiment.h. "
                     "Routing, traffic, topology and load are the experiment's; other options win "
                     "over it.\n\nBuilt in:";
    for (const struct net_builtin *b = net_builtins; b->name; b++)
        snprintf(doc + strlen(doc), sizeof doc - strlen(doc), " %s", b->name);
    const struct argp argp = {list, parse, "NAME|FILE", doc, children, NULL, NULL};
    net_ranks_begin();
    *args = (struct args){.jobs = net_pool_jobs(), .replicates = 1};
    net_command_line("reproduce", argc, argv, args->command, sizeof args->command);
    net_options_parse(&argp, argc, argv, 0, args);
    static const char *const fixed[] = {"routing", "traffic", "topology",   "load",
                                        "trace",   "active",  "application"};
    for (int i = 0; i < 7; i++)
        if (net_options_value(&args->options, fixed[i]))
            net_refuse("reproduce: --%s is not for it", fixed[i]);
}

// What all of it, or a row, is of, at any size; NULL: of what the size says.
static const char *fixed_topology(const struct net_experiment *e)
{
    const char *topology = json_string_value(json_object_get(e->options, "topology"));
    for (unsigned r = 0; r < e->rows && !topology; r++)
        topology = json_string_value(json_object_get(e->row[r].options, "topology"));
    return topology;
}

// Leaves only what --size and --row ask for.
static void restrict_to(struct net_experiment *e, const struct args *args)
{
    if (args->size) {
        const char *topology = fixed_topology(e);
        bool known = false;
        for (unsigned i = 0; i < e->sizes; i++)
            known = known || e->size[i] == args->size;
        if (topology && !known)
            net_refuse("experiment %s: --size %u: it is of %s", e->name, args->size, topology);
        e->sizes = 1;
        e->size[0] = args->size;
    }
    if (!args->row)
        return;
    unsigned row = 0;
    while (row < e->rows && strcmp(e->row[row].name, args->row) != 0)
        row++;
    if (row == e->rows)
        net_refuse("experiment %s: there is no row %s", e->name, args->row);
    e->row[0] = e->row[row];
    e->rows = 1;
}

// One task for all cells of the same configuration, the largest sizes first: all mistakes come out
// before anything runs.
static void make_tasks(struct reproduction *r, struct net_options *given)
{
    const struct net_experiment *e = &r->e;
    size_t cells = (size_t)e->sizes * e->rows * e->series;
    r->tasks = calloc(cells, sizeof *r->tasks);
    r->task = calloc(cells, sizeof *r->task);
    r->values = calloc(cells * (e->loads ? e->loads : 1), sizeof *r->values);
    r->claims = calloc(cells, sizeof *r->claims);
    if (!r->tasks || !r->task || !r->values || !r->claims)
        net_refuse("out of memory");
    for (unsigned size = e->sizes; size-- > 0;)
        for (unsigned row = 0; row < e->rows; row++)
            for (unsigned series = 0; series < e->series; series++) {
                uint32_t *number = &r->task[(size * e->rows + row) * e->series + series];
                *number = UINT32_MAX;
                if (!net_experiment_has(e, size, row))
                    continue;
                struct task task = {.config = net_experiment_config(e, size, row, series, given),
                                    .field = net_experiment_field(e, row, series),
                                    .start = net_experiment_paper(e, size, row, series, NAN)};
                if (!isfinite(task.start))
                    task.start = e->row[row].start;
                uint32_t base_messages = (uint32_t)e->row[row].base_messages;
                if (base_messages < task.config.messages)
                    task.base_messages = base_messages;
                if (e->quantiles && !task.config.active)
                    net_refuse("experiment %s, %s, %s: quantiles go with the option active",
                               e->name, e->row[row].name, e->column[series].name);
                if ((e->loads && isnan(e->load[0])) != (task.config.application != NULL))
                    net_refuse("experiment %s, %s, %s: loads null goes with the option application",
                               e->name, e->row[row].name, e->column[series].name);
                uint32_t i = 0;
                net_key(e->loads ? "" : task.field, &task.config, task.key);
                while (i < r->count && (strcmp(r->tasks[i].key, task.key) != 0 ||
                                        r->tasks[i].base_messages != task.base_messages))
                    i++;
                r->tasks[i] = task;
                r->count += i == r->count;
                *number = i;
            }
}

// Runs a curve's points from the lowest load on; returns their number below `until`, with their
// records, and behind them that of a run that is stuck. The quantiles of a point have one record.
// Negative: interrupted.
static int run_curve(struct reproduction *r, const struct task *task, json_t **records,
                     _Atomic float *progress)
{
    const struct net_experiment *e = &r->e;
    double limit = 0;
    if (e->quantiles) {
        json_t *record = net_point(&r->points, &task->config, 0, progress);
        bool drained = record && isfinite(net_point_mean(record));
        for (unsigned l = 0; l < e->loads; l++)
            records[l] = record;
        return !record ? -1 : drained ? (int)e->loads : 0;
    }
    for (unsigned l = 0; l < e->loads; l++) {
        struct net_config config = task->config;
        if (isfinite(e->load[l]))
            config.load = e->load[l];
        json_t *record = net_point(&r->points, &config, limit, NULL);
        if (!record)
            return -1;
        double mean = net_point_mean(record);
        records[l] = record;
        if (l == 0)
            limit = e->until * mean;
        if (!isfinite(mean) || (limit > 0 && mean > limit))
            return (int)l;
        atomic_store(progress, (float)(l + 1) / (float)e->loads);
    }
    return (int)e->loads;
}

// A task's gamma*, with what stands behind it where there are replicates; of engine flit the
// saturation point or the peak, in `steady`. False: as net_claim.
static bool find(struct reproduction *r, const struct task *task, struct net_claim *claim,
                 _Atomic float *progress)
{
    double factor = net_gamma_factor(&task->config);
    *claim = (struct net_claim){.at = NULL};
    if (!strcmp(task->field, "peak_load"))
        return net_peak(&r->points, &task->config, r->per, &claim->steady, &claim->gamma.at,
                        progress);
    if (!strcmp(task->field, "saturation_load")) {
        struct net_saturated found;
        bool done =
            net_saturation_point(&r->points, &task->config, task->start, r->per, &found, progress);
        claim->steady = found.load;
        claim->gamma.at = found.at;
        return done;
    }
    if (r->replicates > 1)
        return net_claim(&r->points, &task->config, task->start, r->per, factor, r->replicates,
                         claim, progress);
    bool done = net_gamma_star(&r->points, &task->config, task->start, task->base_messages, r->per,
                               factor, &claim->gamma, progress);
    claim->steady = claim->gamma.gamma;
    return done;
}

static void run_task(void *context, uint32_t number, _Atomic float *progress)
{
    struct reproduction *r = context;
    const struct task *task = &r->tasks[number];
    json_t *records[NET_LOADS];
    if (r->e.loads) {
        run_curve(r, task, records, progress);
        return;
    }
    struct net_claim claim;
    find(r, task, &claim, progress);
    json_decref(claim.at);
}

// The cells' values from the points, which are all there by now or never will be. Returns how many
// cells are not done.
static uint32_t collect(struct reproduction *r)
{
    const struct net_experiment *e = &r->e;
    _Atomic float progress;
    for (size_t i = 0; i < net_cell(e, e->sizes, 0, 0, 0); i++)
        r->values[i] = NAN;
    uint32_t missing = 0;
    atomic_store(&net_stop, true); // nothing more is run
    for (unsigned cell = 0; cell < e->sizes * e->rows * e->series; cell++) {
        if (r->task[cell] == UINT32_MAX)
            continue;
        const struct task *task = &r->tasks[r->task[cell]];
        const char *field = net_experiment_field(e, cell / e->series % e->rows, cell % e->series);
        double *values = &r->values[(size_t)cell * (e->loads ? e->loads : 1)];
        json_t *records[NET_LOADS] = {NULL};
        if (!e->loads) {
            struct net_claim *claim = &r->claims[cell];
            bool done = find(r, task, claim, &progress);
            bool stuck = !done && net_point_stuck(claim->gamma.at);
            *values = done ? claim->steady : NAN;
            missing += !done && !stuck;
            r->stuck += stuck;
            continue;
        }
        int points = run_curve(r, task, records, &progress);
        missing += points < 0;
        r->stuck += points >= 0 && (unsigned)points < e->loads && net_point_stuck(records[points]);
        unsigned shown = points < 0 ? e->loads : (unsigned)points;
        for (unsigned l = 0; l < shown && records[l]; l++) {
            char name[100];
            const char *star = strchr(field, '*');
            if (star) // of quantiles
                snprintf(name, sizeof name, "%.*s%.0f%.40s", (int)(star - field), field,
                         100 * e->load[l], star + 1);
            const json_t *value = json_object_get(records[l], star ? name : field);
            values[l] = json_is_number(value) ? json_number_value(value) : NAN;
        }
    }
    return missing;
}

// ---- Output
// --------------------------------------------------------------------------------------

// What a cell's values stand at.
static const char *axis(const struct net_experiment *e)
{
    return e->quantiles ? "fraction" : e->flit ? "load" : "load_gamma0";
}

static json_t *real_or_null(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

// What stands behind a value that replicates do.
static void add_claim(json_t *o, const struct reproduction *r, unsigned cell)
{
    static const char *const fields[] = {"accepted_gamma0", "accepted_ci95_gamma0",
                                         "p99_us",          "p99_ci95_us",
                                         "fairness",        "link_use_max"};
    const struct net_claim *claim = &r->claims[cell];
    if (r->replicates < 2)
        return;
    json_object_set_new(o, "replicates", json_integer(r->replicates));
    json_object_set_new(o, "step_gamma0", json_real(1.0 / r->per));
    json_object_set_new(o, "factor", net_record_real(claim->factor));
    json_object_set_new(o, "gamma_star_gamma0", net_record_real(claim->gamma.gamma));
    net_claim_fields(o, claim);
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        json_object_set(o, fields[i], json_object_get(claim->at, fields[i]));
}

// How many values have the paper's beside them, and are as near to it as asked.
struct tally {
    unsigned compared, within;
};

struct table {
    json_t *list;
    struct tally scored, unscored;
};

// Every value as a flat record.
static struct table as_table(const struct reproduction *r)
{
    const struct net_experiment *e = &r->e;
    struct table t = {.list = json_array()};
    for (unsigned size = 0; size < e->sizes; size++)
        for (unsigned row = 0; row < e->rows; row++)
            for (unsigned s = 0; s < e->series; s++)
                for (unsigned l = 0; l < (e->loads ? e->loads : 1); l++) {
                    double load = net_cell_load(e, l);
                    double value = r->values[net_cell(e, size, row, s, l)];
                    double paper = net_experiment_paper(e, size, row, s, load);
                    bool both = isfinite(value) && isfinite(paper) && e->tolerance > 0;
                    bool good = both && net_experiment_within(e, value, paper);
                    bool scored = both && !e->column[s].unscored;
                    struct tally *tally = e->column[s].unscored ? &t.unscored : &t.scored;
                    tally->compared += both;
                    tally->within += good;
                    if (!isfinite(value) && !isfinite(paper))
                        continue;
                    json_t *o = json_pack("{s:i, s:s, s:s, s:o, s:s, s:o, s:o, s:o}", "k",
                                          (int)e->size[size], "row", e->row[row].name, "series",
                                          e->column[s].name, axis(e), real_or_null(load), "field",
                                          net_experiment_field(e, row, s), "value",
                                          real_or_null(value), "paper", real_or_null(paper),
                                          "within", scored ? json_boolean(good) : json_null());
                    add_claim(o, r, (size * e->rows + row) * e->series + s);
                    json_array_append_new(t.list, o);
                }
    return t;
}

static void print_value(FILE *out, int width, int beside_width, double value, double paper,
                        bool off)
{
    char text[40] = "-", beside[40] = "";
    if (isfinite(value))
        snprintf(text, sizeof text, "%.3f", value);
    if (isfinite(paper))
        snprintf(beside, sizeof beside, " (%.3f)%s", paper, off ? "!" : "");
    fprintf(out, "  %*s%-*s", width, text, beside_width, beside);
}

// Rows (or loads) down, series across, the paper's values in brackets.
static void print_block(const struct reproduction *r, FILE *out, unsigned size, int row)
{
    const struct net_experiment *e = &r->e;
    int width = 8, beside = net_experiment_from(e, size) ? 12 : 0, name = 18;
    for (unsigned i = 0; i < e->rows && row < 0; i++)
        name = (int)strlen(e->row[i].name) > name ? (int)strlen(e->row[i].name) : name;
    for (unsigned s = 0; s < e->series; s++)
        width = (int)strlen(e->column[s].name) > width ? (int)strlen(e->column[s].name) : width;
    fprintf(out, "%-*s", name, row < 0 ? "" : axis(e));
    for (unsigned s = 0; s < e->series; s++)
        fprintf(out, "  %*s%*s", width, e->column[s].name, beside, "");
    fputc('\n', out);
    for (unsigned i = 0; i < (row < 0 ? e->rows : e->loads); i++) {
        unsigned at = row < 0 ? i : (unsigned)row, l = row < 0 ? 0 : i;
        double load = net_cell_load(e, l);
        bool any = row < 0;
        for (unsigned s = 0; s < e->series; s++)
            any = any || isfinite(r->values[net_cell(e, size, at, s, l)]) ||
                  isfinite(net_experiment_paper(e, size, at, s, load));
        if (!any)
            continue;
        if (row < 0)
            fprintf(out, "%-*s", name, e->row[i].name);
        else
            fprintf(out, "%-*.2f", name, load);
        for (unsigned s = 0; s < e->series; s++) {
            double value = r->values[net_cell(e, size, at, s, l)];
            double paper = net_experiment_paper(e, size, at, s, load);
            print_value(out, width, beside, value, paper,
                        isfinite(value) && e->tolerance > 0 &&
                            !net_experiment_within(e, value, paper));
        }
        fputc('\n', out);
    }
}

static void print_tally(const struct reproduction *r, FILE *out, const struct table *t)
{
    const struct net_experiment *e = &r->e;
    const char *between = ": ";
    if (t->scored.compared || t->unscored.compared)
        fputc('\n', out);
    if (t->scored.compared)
        fprintf(out, "%u of %u are within %g%s of it (!: not)\n", t->scored.within,
                t->scored.compared, e->relative ? 100 * e->tolerance : e->tolerance,
                e->relative ? "%" : "");
    if (!t->unscored.compared)
        return;
    fprintf(out, "not counted, %u of %u", t->unscored.within, t->unscored.compared);
    for (unsigned s = 0; s < e->series; s++)
        if (e->column[s].unscored) {
            fprintf(out, "%s%s", between, e->column[s].name);
            between = ", ";
        }
    fputc('\n', out);
}

static void print_text(const struct reproduction *r, FILE *out, const struct table *t)
{
    const struct net_experiment *e = &r->e;
    fprintf(out, "%s\n", e->title);
    if (r->replicates > 1)
        fprintf(out,
                "What holds with N and 4 N messages, in steps of %g; %u replicates there and a "
                "step above are in %s.json\n",
                1.0 / r->per, r->replicates, e->name);
    for (unsigned size = 0; size < e->sizes; size++) {
        const char *from = net_experiment_from(e, size);
        fprintf(out, "\nk = %u%s%s%s\n", e->size[size], from ? " (in brackets: " : "",
                from ? from : "", from ? ")" : "");
        for (unsigned row = 0; row < e->rows && e->loads > 1; row++) {
            fprintf(out, "\n%s\n", e->row[row].name);
            print_block(r, out, size, (int)row);
        }
        if (e->loads < 2)
            print_block(r, out, size, -1);
    }
    print_tally(r, out, t);
    if (e->checks) {
        unsigned held;
        fputc('\n', out);
        unsigned made = net_checks(e, r->values, out, NULL, &held);
        fprintf(out, "%u of %u hold\n", held, made);
    }
}

static void print_json(const struct reproduction *r, FILE *out, const struct table *t)
{
    const struct net_experiment *e = &r->e;
    unsigned held;
    json_t *units = json_pack("{s:s}", axis(e),
                              e->quantiles ? "of pairs"
                              : e->flit    ? net_record_unit("load")
                                           : "gamma0");
    json_t *checks = json_array();
    net_checks(e, r->values, NULL, checks, &held);
    for (unsigned cell = 0; cell < e->rows * e->series; cell++) {
        const char *field = net_experiment_field(e, cell / e->series, cell % e->series);
        json_object_set_new(units, field, json_string(net_record_unit(field)));
    }
    json_t *o = json_pack("{s:s, s:s, s:o, s:f, s:b, s:i, s:i, s:o, s:O}", "experiment", e->name,
                          "title", e->title, "units", units, "tolerance", e->tolerance, "relative",
                          (int)e->relative, "compared", (int)t->scored.compared, "within",
                          (int)t->scored.within, "checks", checks, "values", t->list);
    json_dumpf(o, out, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    fputc('\n', out);
    json_decref(o);
}

static void print_csv(FILE *out, const json_t *list)
{
    size_t i;
    json_t *value;
    json_array_foreach((json_t *)list, i, value)
    {
        if (i == 0)
            net_record_csv_head(value, out);
        net_record_csv(value, out);
    }
}

static void print(const struct reproduction *r, const struct table *t, enum net_format format,
                  FILE *out)
{
    if (format == FORMAT_TEXT)
        print_text(r, out, t);
    else if (format == FORMAT_JSON)
        print_json(r, out, t);
    else
        print_csv(out, t->list);
}

static const char *const ends[] = {"txt", "json", "csv"}; // as enum net_format

// All three forms, each into a file of the folder.
static bool print_files(const struct reproduction *r, const struct table *t, const char *folder)
{
    bool good = true;
    for (int f = 0; f < 3; f++) {
        char path[500];
        snprintf(path, sizeof path, "%s/%s.%s", folder, r->e.name, ends[f]);
        FILE *out = fopen(path, "w");
        if (!out) {
            fprintf(stderr, "torussim: %s: %s\n", path, strerror(errno));
            good = false;
            continue;
        }
        print(r, t, (enum net_format)f, out);
        if (!net_file_close(out, path)) {
            unlink(path);
            good = false;
        }
    }
    return good;
}

// Tables and plots of what is done; true: something is not as it should be.
static bool report(struct reproduction *r, const struct args *args, const char *folder,
                   double start)
{
    bool stopped = atomic_load(&net_stop);
    uint32_t missing = collect(r);
    struct table table = as_table(r);
    unsigned held, made = net_checks(&r->e, r->values, NULL, NULL, &held);
    bool written = print_files(r, &table, folder);
    bool drawn = net_plot(&r->e, r->values, args->command, folder);
    print(r, &table, args->options.format, stdout);
    fflush(stdout);
    json_decref(table.list);
    fprintf(stderr, "torussim: %.0f s, tables%s are in %s\n", net_seconds() - start,
            drawn ? " and plots" : "", folder);
    if (missing)
        fprintf(stderr, "torussim: %s%u cells are not done%s\n",
                atomic_load(&r->points.failed) ? "out of memory: " : "", missing,
                stopped ? "; --resume continues" : "");
    bool unwritten = atomic_load(&r->points.unwritten) || r->points.store.unwritten;
    if (unwritten)
        fprintf(stderr, "torussim: %s/points.jsonl could not be written\n", folder);
    return missing || r->stuck || table.scored.compared > table.scored.within || made > held ||
           !written || !drawn || unwritten;
}

// Refuses a file in the folder that no experiment has made there.
static void refuse_there(const char *folder, const char *name, const char *end)
{
    char path[600];
    struct stat there;
    snprintf(path, sizeof path, "%.400s/%s%s", folder, name, end);
    if (!lstat(path, &there))
        net_refuse("--out %s: %s%s is there already, and no points.jsonl beside it", folder, name,
                   end);
}

// Makes the folder, or sees to it that nothing of somebody else's in it will be written over.
static void open_folder(const struct net_experiment *e, const char *name, const char *folder,
                        const char *points)
{
    struct stat experiment, there;
    bool file = stat(name, &experiment) == 0, ours = stat(points, &there) == 0;
    if (strlen(folder) > 400)
        net_refuse("--out %.40s...: too long, at most 400 bytes", folder);
    if (!mkdir(folder, 0777))
        return;
    if (errno != EEXIST)
        net_refuse("--out %s: %s", folder, strerror(errno));
    for (int f = 0; f < 3; f++) {
        char path[500];
        snprintf(path, sizeof path, "%.400s/%s.%s", folder, e->name, ends[f]);
        if (stat(path, &there))
            continue;
        if (file && there.st_dev == experiment.st_dev && there.st_ino == experiment.st_ino)
            net_refuse("--out %s: the table would be written over the experiment, %s", folder,
                       path);
    }
    if (ours)
        return;
    char end[40];
    for (int f = 0; f < 3; f++) {
        snprintf(end, sizeof end, ".%s", ends[f]);
        refuse_there(folder, e->name, end);
    }
    refuse_there(folder, e->name, ".gp");
    for (unsigned size = 0; size < e->sizes; size++) {
        snprintf(end, sizeof end, "-%u.png", e->size[size]);
        refuse_there(folder, e->name, end);
        snprintf(end, sizeof end, "-%u.svg", e->size[size]);
        refuse_there(folder, e->name, end);
    }
}

int net_command_reproduce(int argc, char **argv)
{
    struct args args;
    struct reproduction r = {.points.stop = &net_stop};
    read_args(argc, argv, &args);
    r.replicates = args.replicates;
    net_experiment_open(&r.e, args.name);
    r.per = args.per ? args.per : r.e.per;
    if (r.e.loads && (args.replicates > 1 || args.per))
        net_refuse("experiment %s: --replicates and --step are for gamma*", r.e.name);
    if (args.replicates > 1 && strcmp(r.e.column[0].field, "gamma_star_gamma0") != 0)
        net_refuse("experiment %s: --replicates is for gamma*", r.e.name);
    if (args.quick && !r.e.quick)
        net_refuse("reproduce: experiment %s has no shorter runs, --quick is not for it", r.e.name);
    r.e.shortened = args.quick;
    restrict_to(&r.e, &args);
    make_tasks(&r, &args.options);
    net_options_refuse_idle(&args.options);
    const char *folder = args.out ? args.out : r.e.name;
    char path[500];
    snprintf(path, sizeof path, "%.400s/points.jsonl", folder);
    if (net_rank() == 0)
        open_folder(&r.e, args.name, folder, path);
    net_store_open(&r.points.store, path, args.resume);

    double start = net_seconds();
    net_catch_signals();
    if (!net_pool(args.jobs, r.count, run_task, &r, &net_stop, &r.points.store)) {
        fputs("torussim: no threads\n", stderr);
        return 1;
    }
    bool bad = net_rank() == 0 && report(&r, &args, folder, start);
    bad = bad || atomic_load(&r.points.failed);
    for (size_t i = 0; i < (size_t)r.e.sizes * r.e.rows * r.e.series; i++)
        json_decref(r.claims[i].at);
    free(r.claims);
    net_store_close(&r.points.store);
    net_experiment_close(&r.e);
    free(r.tasks);
    free(r.task);
    free(r.values);
    net_ranks_end();
    return bad;
}
