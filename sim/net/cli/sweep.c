// SPDX-License-Identifier: Apache-2.0
// torussim sweep: loads x routings x patterns x seeds. torussim saturate: gamma* of each routing
// and pattern: the largest load, in steps, whose mean lifetime is at most 1.2 times the same
// routing's at load 0.1; with replicates what stands behind it, too.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/options.h"
#include "output/record.h"
#include "output/replicates.h"
#include "run/claim.h"
#include "run/pool.h"
#include "run/ranks.h"
#include "run/saturation.h"

enum { MAX_LIST = 200, MAX_TASKS = 100000 };

struct words {
    char *text;
    unsigned count;
    const char *word[MAX_LIST];
};

struct args {
    struct net_options options;
    const char *out;
    uint32_t jobs;
    unsigned per;  // saturate: steps in gamma0
    double factor; // saturate: 0: by the arrivals
    uint32_t replicates;
    bool resume;
};

struct task {
    struct net_config config;
    char key[NET_KEY];
};

struct sweep {
    struct task *tasks;
    uint32_t count, records;
    unsigned per; // steps in gamma0
    double factor;
    uint32_t replicates; // saturate
    uint32_t each;       // so many tasks, one behind the other, are one record
    uint32_t *todo;      // numbers of the tasks that the store does not have
    struct net_points points;
};

enum { O_OUT = 256, O_RESUME, O_STEP, O_FACTOR };

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
    case O_STEP:
        args->per = net_parse_step(arg);
        return 0;
    case O_FACTOR:
        args->factor = net_parse_real("--factor", arg);
        if (!(args->factor > 1 && args->factor <= 100))
            net_refuse("--factor %s: must be more than 1, at most 100", arg);
        return 0;
    case 'R':
        args->replicates = (uint32_t)net_parse_count("--replicates", arg, 1, NET_MAX_REPLICATES);
        return 0;
    case O_OUT:
        args->out = net_parse_path("--out", arg);
        return 0;
    case O_RESUME:
        args->resume = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void read_args(int argc, char **argv, const char *doc, struct args *args)
{
    static const struct argp_option list[] = {
        {"jobs", 'j', "NUMBER", 0, "threads (as many as there are processors; of each MPI rank: 1)",
         0},
        {"step", O_STEP, "GAMMA0", 0, "saturate: of the loads (0.05)", 0},
        {"factor", O_FACTOR, "NUMBER", 0,
         "saturate: times the lifetime at load 0.1 (1.2, the paper's; with bernoulli and onoff 3)",
         0},
        {"replicates", 'R', "NUMBER", 0,
         "runs of each point with seeds one after the other, as one record with intervals; "
         "saturate: also runs of 4 times the messages (1: neither)",
         0},
        {"out", O_OUT, "FILE", 0, "write every point there as it finishes, as JSON lines", 0},
        {"resume", O_RESUME, NULL, 0, "continue --out FILE: do not repeat what is in it", 0},
        {0}};
    const struct argp_child children[] = {{net_options_argp(), 0, NULL, 0}, {0}};
    const struct argp argp = {list, parse, "", doc, children, NULL, NULL};
    net_ranks_begin();
    *args = (struct args){.jobs = net_pool_jobs(), .per = NET_STEPS, .replicates = 1};
    net_options_parse(&argp, argc, argv, 0, args);
}

// "a,b,c", and for numbers also "first:last:step".
static struct words split(const struct args *args, const char *name, const char *otherwise,
                          bool range)
{
    const char *given = net_options_value(&args->options, name);
    struct words words = {.text = strdup(given ? given : otherwise)};
    double first, last, step;
    char end;
    if (range && sscanf(words.text, "%lf:%lf:%lf%c", &first, &last, &step, &end) == 3) {
        double steps = floor((last - first) / step + 1e-9);
        if (!(step > 0) || !(steps >= 0) || steps >= MAX_LIST)
            net_refuse("--%s %s: must be first:last:step with 1 to %d values", name, words.text,
                       MAX_LIST);
        char *at = realloc(words.text, ((size_t)steps + 1) * 24);
        words.text = at;
        for (int i = 0; at && i <= (int)steps; i++) {
            words.word[words.count++] = at;
            at += snprintf(at, 24, "%.9g", first + i * step) + 1;
        }
        return words;
    }
    char *rest = words.text, *word;
    while ((word = strsep(&rest, ","))) {
        if (words.count == MAX_LIST)
            net_refuse("--%s: at most %d values", name, MAX_LIST);
        words.word[words.count++] = word;
    }
    return words;
}

// All combinations, checked before anything runs.
static void make_tasks(struct sweep *sweep, struct args *args, const char *what, bool loads)
{
    const char *engine = net_options_value(&args->options, "engine");
    const char *topology = net_options_value(&args->options, "topology");
    bool flit = engine && !strcmp(engine, "flit");
    bool dragonfly = topology && !strncmp(topology, "dragonfly:", 10);
    if (flit && args->factor > 0)
        net_refuse("--factor goes with --engine packet only");
    struct words routing =
        split(args, "routing", flit ? dragonfly ? "minimal" : "dally-seitz" : "ofr", false);
    struct words pattern = split(args, "traffic", "uniform", false);
    struct words load = split(args, "load", "0.1", loads);
    struct words seed = split(args, "seed", "1", false);
    // Replicates of sweep are points; saturate sees to its own.
    uint32_t replicates = loads ? args->replicates : 1;
    uint64_t count = (uint64_t)routing.count * pattern.count * load.count * seed.count * replicates;
    if (count > MAX_TASKS)
        net_refuse("%s: more than %d points", what, MAX_TASKS);
    sweep->records = routing.count * pattern.count * load.count * seed.count;
    sweep->tasks = calloc(count + 1, sizeof *sweep->tasks);
    sweep->todo = calloc(count + 1, sizeof *sweep->todo);
    if (!sweep->tasks || !sweep->todo)
        net_refuse("out of memory");
    for (unsigned p = 0; p < pattern.count; p++)
        for (unsigned r = 0; r < routing.count; r++)
            for (unsigned l = 0; l < load.count; l++)
                for (unsigned s = 0; s < seed.count * replicates; s++) {
                    struct task *task = &sweep->tasks[sweep->count++];
                    task->config =
                        net_options_config(&args->options, routing.word[r], pattern.word[p],
                                           load.word[l], seed.word[s / replicates]);
                    if (task->config.seed + args->replicates - 1 > INT64_MAX)
                        net_refuse("--seed %s: too large for so many replicates",
                                   seed.word[s / replicates]);
                    task->config.seed += s % replicates;
                    net_key(what, &task->config, task->key);
                }
    net_options_refuse_idle(&args->options);
    free(routing.text);
    free(pattern.text);
    free(load.text);
    free(seed.text);
}

static void sweep_point(void *context, uint32_t number, _Atomic float *progress)
{
    struct sweep *sweep = context;
    net_point(&sweep->points, &sweep->tasks[sweep->todo[number]].config, 0, progress);
}

// Of engine flit: the saturation point.
static void saturate_flit(struct sweep *sweep, const struct task *task, _Atomic float *progress)
{
    struct net_saturated found;
    struct net_sides sides = {0};
    double start = net_seconds();
    bool good =
        net_saturation_point(&sweep->points, &task->config, 0, sweep->per, &found, progress);
    if (good && sweep->replicates > 1 && isfinite(found.load))
        good = net_saturation_sides(&sweep->points, &task->config, sweep->per, sweep->replicates,
                                    &found, &sides);
    if (!good) {
        net_point_stuck(found.at);
        return;
    }
    json_t *record = json_object();
    net_record_settings(record, &task->config);
    json_object_set_new(record, "load", json_null());
    json_object_set_new(record, "saturation_load", net_record_real(found.load));
    json_object_set_new(record, "step_load", json_real(1.0 / sweep->per));
    json_object_set_new(record, "runs", json_integer(found.runs + (int)sides.runs));
    json_object_set_new(record, "replicates", json_integer(sweep->replicates));
    if (sweep->replicates > 1 && isfinite(found.load))
        for (unsigned i = 0; i < 2; i++) {
            static const char *const names[2][2] = {{"below_saturated", "below_4n_saturated"},
                                                    {"at_saturated", "at_4n_saturated"}};
            json_object_set_new(record, names[i][0], json_integer(sides.saturated[i]));
            json_object_set_new(record, names[i][1], json_boolean(sides.long_run[i]));
        }
    json_object_set_new(record, "wall_s", json_real(net_seconds() - start));
    static const char *const fields[] = {"generated_load", "accepted_load", "accepted_load_ci95",
                                         "latency_cycles", "source_wait_cycles"};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        json_object_set(record, fields[i], json_object_get(found.at, fields[i]));
    if (!net_store_add(&sweep->points.store, task->key, record))
        atomic_store(&sweep->points.unwritten, true);
}

static void saturate_point(void *context, uint32_t number, _Atomic float *progress)
{
    struct sweep *sweep = context;
    const struct task *task = &sweep->tasks[sweep->todo[number]];
    const struct net_config *c = &task->config;
    if (c->engine == NET_ENGINE_FLIT) {
        saturate_flit(sweep, task, progress);
        return;
    }
    struct net_claim claim = {.at = NULL};
    struct net_gamma *gamma = &claim.gamma;
    double start = net_seconds(), factor = sweep->factor > 0 ? sweep->factor : net_gamma_factor(c);
    bool good = sweep->replicates > 1
                    ? net_claim(&sweep->points, c, 0, sweep->per, factor, sweep->replicates, &claim,
                                progress)
                    : net_gamma_star(&sweep->points, c, 0, 0, sweep->per, factor, gamma, progress);
    if (!good) {
        net_point_stuck(gamma->at);
        return;
    }
    json_t *record = json_object();
    net_record_settings(record, c);
    json_object_set_new(record, "load_gamma0", json_null());
    json_object_set_new(record, "gamma_star_gamma0", json_real(gamma->gamma));
    json_object_set_new(record, "step_gamma0", json_real(1.0 / sweep->per));
    json_object_set_new(record, "factor", json_real(factor));
    json_object_set_new(record, "base_lifetime_us", json_real(gamma->base_us));
    json_object_set_new(record, "runs", json_integer(gamma->runs));
    net_claim_fields(record, &claim);
    json_object_set_new(record, "wall_s", json_real(net_seconds() - start));
    // of the run at gamma*, or the replicates
    static const char *const fields[] = {
        "replicates",   "mean_lifetime_us",     "mean_ci95_low_us", "mean_ci95_high_us",
        "p99_us",       "p99_ci95_us",          "source_wait_us",   "network_latency_us",
        "warmup_us",    "steady_lifetime_us",   "offered_gamma0",   "accepted_gamma0",
        "fairness",     "accepted_ci95_gamma0", "link_use_min",     "link_use_mean",
        "link_use_max", "derouted_ratio",       "mean_hops"};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        json_object_set(record, fields[i],
                        json_object_get(claim.at ? claim.at : gamma->at, fields[i]));
    json_decref(claim.at);
    if (!net_store_add(&sweep->points.store, task->key, record))
        atomic_store(&sweep->points.unwritten, true);
}

// ---- Output
// --------------------------------------------------------------------------------------

static void print_table(const json_t *list, const char *const *columns)
{
    size_t i;
    json_t *record;
    for (int c = 0; columns[c]; c++)
        printf("%s%-*s", c ? "  " : "", c < 2 ? 15 : 9, columns[c]);
    printf("\n");
    json_array_foreach((json_t *)list, i, record)
    {
        for (int c = 0; columns[c]; c++) {
            const json_t *value = json_object_get(record, columns[c]);
            int width = (int)strlen(columns[c]);
            width = c < 2 ? 15 : width > 9 ? width : 9;
            printf("%s", c ? "  " : "");
            if (json_is_string(value))
                printf("%-*s", width, json_string_value(value));
            else if (json_is_boolean(value))
                printf("%-*s", width, json_is_true(value) ? "yes" : "no");
            else if (json_is_integer(value))
                printf("%*lld", width, (long long)json_integer_value(value));
            else if (json_is_real(value))
                printf("%*.*f", width, strstr(columns[c], "ci95") ? 4 : 3, json_real_value(value));
            else
                printf("%*s", width, "-");
        }
        printf("\n");
    }
}

static void print(const struct sweep *sweep, const struct args *args, json_t *list,
                  const char *const *columns)
{
    uint32_t done = (uint32_t)json_array_size(list);
    if (args->options.format == FORMAT_JSON) {
        json_t *units = json_object(), *value, *o;
        const char *field;
        json_object_foreach(json_array_get(list, 0), field, value)
        {
            if (*net_record_unit(field))
                json_object_set_new(units, field, json_string(net_record_unit(field)));
        }
        o = json_pack("{s:o, s:O}", "units", units, "records", list);
        json_dumpf(o, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
        putchar('\n');
        json_decref(o);
    } else if (args->options.format == FORMAT_CSV) {
        for (uint32_t i = 0; i < done; i++) {
            if (i == 0)
                net_record_csv_head(json_array_get(list, i), stdout);
            net_record_csv(json_array_get(list, i), stdout);
        }
    } else {
        print_table(list, columns);
    }
    if (done < sweep->records)
        fprintf(stderr, "torussim: %s%u of %u points are done%s\n",
                atomic_load(&sweep->points.failed) ? "out of memory: " : "", done, sweep->records,
                args->out && atomic_load(&net_stop) ? "; --resume continues" : "");
}

// What the store does not have, each once, how ever often a list names it: two threads at the same
// point would both write it. Returns how many.
static uint32_t choose(struct sweep *sweep)
{
    uint32_t todo = 0;
    json_t *chosen = json_object();
    for (uint32_t i = 0; i < sweep->count; i++) {
        const char *key = sweep->tasks[i].key;
        if (net_store_find(&sweep->points.store, key) || json_object_get(chosen, key))
            continue;
        json_object_set_new(chosen, key, json_true());
        sweep->todo[todo++] = i;
    }
    json_decref(chosen);
    return todo;
}

static int run(struct sweep *sweep, const struct args *args, net_task *task,
               const char *const *columns)
{
    struct net_points *points = &sweep->points;
    net_store_open(&points->store, args->out, args->resume);
    uint32_t todo = choose(sweep);
    net_catch_signals();
    if (!net_pool(args->jobs, todo, task, sweep, &net_stop, &points->store)) {
        fputs("torussim: no threads\n", stderr);
        return 1;
    }
    bool bad = atomic_load(&points->failed);
    if (net_rank() == 0) {
        json_t *list = json_array();
        for (uint32_t i = 0; i < sweep->count; i += sweep->each) {
            json_t *records[NET_MAX_REPLICATES];
            uint32_t there = 0;
            for (uint32_t r = 0; r < sweep->each; r++) {
                json_t *record = net_store_find(&points->store, sweep->tasks[i + r].key);
                if (record)
                    records[there++] = record;
                bad = net_point_stuck(record) || bad;
            }
            if (there == sweep->each)
                json_array_append_new(list, net_record_combine(records, there));
        }
        print(sweep, args, list, columns);
        bool unwritten = atomic_load(&points->unwritten) || points->store.unwritten;
        if (unwritten)
            fprintf(stderr, "torussim: --out %s could not be written\n", args->out);
        bad = bad || unwritten || json_array_size(list) < sweep->records;
        json_decref(list);
    }
    net_store_close(&points->store);
    free(sweep->tasks);
    free(sweep->todo);
    net_ranks_end();
    return bad;
}

static bool is_flit(const struct sweep *sweep)
{
    return sweep->tasks[0].config.engine == NET_ENGINE_FLIT;
}

int net_command_sweep(int argc, char **argv)
{
    static const char *const columns[] = {
        "traffic",          "routing",   "load_gamma0", "seed",       "end",
        "mean_lifetime_us", "p99_us",    "saturated",   "oidn_ratio", "widn_ratio",
        "por_ratio",        "mean_hops", NULL};
    static const char *const flit[] = {"traffic",
                                       "routing",
                                       "load",
                                       "seed",
                                       "end",
                                       "generated_load",
                                       "accepted_load",
                                       "latency_cycles",
                                       "source_wait_cycles",
                                       "saturated",
                                       NULL};
    // Of replicates, with half the width of their intervals.
    static const char *const means[] = {"traffic",
                                        "routing",
                                        "load_gamma0",
                                        "end",
                                        "mean_lifetime_us",
                                        "mean_ci95_low_us",
                                        "mean_ci95_high_us",
                                        "accepted_gamma0",
                                        "accepted_ci95_gamma0",
                                        "p99_us",
                                        "saturated",
                                        NULL};
    static const char *const flit_means[] = {"traffic",
                                             "routing",
                                             "load",
                                             "end",
                                             "generated_load",
                                             "accepted_load",
                                             "accepted_load_ci95",
                                             "latency_cycles",
                                             "latency_ci95_cycles",
                                             "source_wait_cycles",
                                             "saturated",
                                             NULL};
    struct args args;
    struct sweep sweep = {.points.stop = &net_stop};
    read_args(argc, argv,
              "Simulates all combinations of --routing, --traffic, --load and --seed, each a list "
              "A,B,C; loads also FIRST:LAST:STEP.",
              &args);
    if (args.per != NET_STEPS)
        net_refuse("sweep: --step is for saturate");
    if (args.factor > 0)
        net_refuse("sweep: --factor is for saturate");
    sweep.each = args.replicates;
    make_tasks(&sweep, &args, "point", true);
    const char *const *shown = args.replicates > 1 ? is_flit(&sweep) ? flit_means : means
                               : is_flit(&sweep)   ? flit
                                                   : columns;
    return run(&sweep, &args, sweep_point, shown);
}

int net_command_saturate(int argc, char **argv)
{
    static const char *const columns[] = {"traffic",
                                          "routing",
                                          "seed",
                                          "gamma_star_gamma0",
                                          "accepted_gamma0",
                                          "base_lifetime_us",
                                          "mean_lifetime_us",
                                          "runs",
                                          "wall_s",
                                          NULL};
    static const char *const claims[] = {"traffic",
                                         "routing",
                                         "gamma_star_gamma0",
                                         "gamma_steady_gamma0",
                                         "sure",
                                         "below_times",
                                         "below_ci95_times",
                                         "below_4n_times",
                                         "above_times",
                                         "above_ci95_times",
                                         "above_4n_times",
                                         "accepted_gamma0",
                                         "accepted_ci95_gamma0",
                                         "p99_us",
                                         "fairness",
                                         NULL};
    static const char *const flit[] = {"traffic",       "routing", "seed",   "saturation_load",
                                       "accepted_load", "runs",    "wall_s", NULL};
    static const char *const sides[] = {"traffic",         "routing",
                                        "saturation_load", "replicates",
                                        "below_saturated", "below_4n_saturated",
                                        "at_saturated",    "at_4n_saturated",
                                        "accepted_load",   NULL};
    struct args args;
    struct sweep sweep = {.points.stop = &net_stop, .each = 1};
    read_args(
        argc, argv,
        "gamma* of every --routing and --traffic (lists A,B,C): the largest load below 2, in "
        "steps of --step, whose mean lifetime is at most --factor times that at load 0.1. "
        "With --replicates also the largest one that holds with 4 times the messages, and "
        "there and a step above replicates with Student's 95% interval. With --engine flit the "
        "saturation point instead: the least load in steps of --step that is saturated; with "
        "--replicates also how many of these are saturated there and a step below, and whether a "
        "run with batches of 4 times the cycles is.",
        &args);
    if (net_options_value(&args.options, "load"))
        net_refuse("saturate: it looks for the load, --load is not for it");
    if (net_options_value(&args.options, "trace"))
        net_refuse("saturate: a trace has no load to look for");
    if (net_options_value(&args.options, "application"))
        net_refuse("saturate: an application has no load to look for");
    if (net_options_value(&args.options, "active"))
        net_refuse("saturate: ping-pong has no load to look for");
    char what[80];
    sweep.per = args.per;
    sweep.factor = args.factor;
    sweep.replicates = args.replicates;
    int at = snprintf(what, sizeof what, "saturate 1/%u", args.per);
    if (args.factor > 0)
        at += snprintf(what + at, sizeof what - (size_t)at, " factor %.9g", args.factor);
    if (args.replicates > 1)
        snprintf(what + at, sizeof what - (size_t)at, " replicates %u", args.replicates);
    make_tasks(&sweep, &args, what, false);
    return run(&sweep, &args, saturate_point,
               is_flit(&sweep)       ? args.replicates > 1 ? sides : flit
               : args.replicates > 1 ? claims
                                     : columns);
}
