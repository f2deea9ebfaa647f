// SPDX-License-Identifier: Apache-2.0
// torussim sweep: loads x routings x patterns x seeds. torussim saturate: gamma* of each routing
// and pattern: the largest load, in steps of 0.05, whose mean lifetime is at most 1.2 times the
// same routing's at load 0.1.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/options.h"
#include "output/record.h"
#include "run/point.h"
#include "run/pool.h"
#include "run/ranks.h"

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
    unsigned per; // saturate: steps in gamma0
    bool resume;
};

struct task {
    struct net_config config;
    char key[NET_KEY];
};

struct sweep {
    struct task *tasks;
    uint32_t count;
    unsigned per;   // steps in gamma0
    uint32_t *todo; // numbers of the tasks that the store does not have
    struct net_points points;
};

enum { O_OUT = 256, O_RESUME, O_STEP };

// Steps in gamma0; 0.1, where the search begins, is one of them.
static unsigned parse_step(const char *text)
{
    double step = net_parse_real("--step", text), per = round(1 / step);
    if (!(step > 0) || !(fabs(per * step - 1) < 1e-9) || per > 1000 || (unsigned)per % 20)
        net_refuse(
            "--step %s: must be 0.05, 0.025, 0.0125, 0.01, 0.005 or another 1/N, N a multiple "
            "of 20 up to 1000",
            text);
    return (unsigned)per;
}

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
        args->per = parse_step(arg);
        return 0;
    case O_OUT:
        args->out = arg;
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
        {"out", O_OUT, "FILE", 0, "write every point there as it finishes, as JSON lines", 0},
        {"resume", O_RESUME, NULL, 0, "continue --out FILE: do not repeat what is in it", 0},
        {0}};
    const struct argp_child children[] = {{net_options_argp(), 0, NULL, 0}, {0}};
    const struct argp argp = {list, parse, "", doc, children, NULL, NULL};
    net_ranks_begin();
    *args = (struct args){.jobs = net_pool_jobs(), .per = NET_STEPS};
    argp_parse(&argp, argc, argv, 0, NULL, args);
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
static void make_tasks(struct sweep *sweep, const struct args *args, const char *what, bool loads)
{
    struct words routing = split(args, "routing", "ofr", false);
    struct words pattern = split(args, "traffic", "uniform", false);
    struct words load = split(args, "load", "0.1", loads);
    struct words seed = split(args, "seed", "1", false);
    uint64_t count = (uint64_t)routing.count * pattern.count * load.count * seed.count;
    if (count > MAX_TASKS)
        net_refuse("%s: more than %d points", what, MAX_TASKS);
    sweep->tasks = calloc(count + 1, sizeof *sweep->tasks);
    sweep->todo = calloc(count + 1, sizeof *sweep->todo);
    if (!sweep->tasks || !sweep->todo)
        net_refuse("out of memory");
    for (unsigned p = 0; p < pattern.count; p++)
        for (unsigned r = 0; r < routing.count; r++)
            for (unsigned l = 0; l < load.count; l++)
                for (unsigned s = 0; s < seed.count; s++) {
                    struct task *task = &sweep->tasks[sweep->count++];
                    task->config = net_options_config(&args->options, routing.word[r],
                                                      pattern.word[p], load.word[l], seed.word[s]);
                    net_key(what, &task->config, task->key);
                }
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

static void saturate_point(void *context, uint32_t number, _Atomic float *progress)
{
    struct sweep *sweep = context;
    const struct task *task = &sweep->tasks[sweep->todo[number]];
    const struct net_config *c = &task->config;
    struct net_gamma gamma;
    double start = net_seconds();
    if (!net_gamma_star(&sweep->points, c, 0, sweep->per, &gamma, progress)) {
        net_point_stuck(gamma.at);
        return;
    }
    json_t *record = json_object();
    net_record_settings(record, c);
    json_object_set_new(record, "load_gamma0", json_null());
    json_object_set_new(record, "gamma_star_gamma0", json_real(gamma.gamma));
    json_object_set_new(record, "step_gamma0", json_real(1.0 / sweep->per));
    json_object_set_new(record, "base_lifetime_us", json_real(gamma.base_us));
    json_object_set_new(record, "runs", json_integer(gamma.runs));
    json_object_set_new(record, "wall_s", json_real(net_seconds() - start));
    // of the run at gamma*
    static const char *const fields[] = {
        "mean_lifetime_us", "mean_ci95_low_us",   "mean_ci95_high_us", "p99_us",
        "source_wait_us",   "network_latency_us", "accepted_gamma0",   "fairness"};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        json_object_set(record, fields[i], json_object_get(gamma.at, fields[i]));
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
                printf("%*.3f", width, json_real_value(value));
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
    if (done < sweep->count)
        fprintf(stderr, "torussim: %u of %u points are done%s\n", done, sweep->count,
                args->out && atomic_load(&net_stop) ? "; --resume continues" : "");
}

static int run(struct sweep *sweep, const struct args *args, net_task *task,
               const char *const *columns)
{
    struct net_points *points = &sweep->points;
    net_store_open(&points->store, args->out, args->resume);
    uint32_t todo = 0;
    for (uint32_t i = 0; i < sweep->count; i++)
        if (!net_store_find(&points->store, sweep->tasks[i].key))
            sweep->todo[todo++] = i;
    net_catch_signals();
    if (!net_pool(args->jobs, todo, task, sweep, &net_stop, &points->store)) {
        fputs("torussim: no threads\n", stderr);
        return 1;
    }
    bool bad = atomic_load(&points->failed);
    if (net_rank() == 0) {
        json_t *list = json_array();
        for (uint32_t i = 0; i < sweep->count; i++) {
            json_t *record = net_store_find(&points->store, sweep->tasks[i].key);
            if (record)
                json_array_append(list, record);
            bad = net_point_stuck(record) || bad;
        }
        print(sweep, args, list, columns);
        bool unwritten = atomic_load(&points->unwritten) || points->store.unwritten;
        if (unwritten)
            fprintf(stderr, "torussim: --out %s could not be written\n", args->out);
        bad = bad || unwritten || json_array_size(list) < sweep->count;
        json_decref(list);
    }
    net_store_close(&points->store);
    free(sweep->tasks);
    free(sweep->todo);
    net_ranks_end();
    return bad;
}

int net_command_sweep(int argc, char **argv)
{
    static const char *const columns[] = {
        "traffic",          "routing",   "load_gamma0", "seed",       "end",
        "mean_lifetime_us", "p99_us",    "saturated",   "oidn_ratio", "widn_ratio",
        "por_ratio",        "mean_hops", NULL};
    struct args args;
    struct sweep sweep = {.points.stop = &net_stop};
    read_args(argc, argv,
              "Simulates all combinations of --routing, --traffic, --load and --seed, each a list "
              "A,B,C; loads also FIRST:LAST:STEP.",
              &args);
    if (args.per != NET_STEPS)
        net_refuse("sweep: --step is for saturate");
    make_tasks(&sweep, &args, "point", true);
    return run(&sweep, &args, sweep_point, columns);
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
    struct args args;
    struct sweep sweep = {.points.stop = &net_stop};
    read_args(argc, argv,
              "gamma* of every --routing and --traffic (lists A,B,C): the largest load below 2, in "
              "steps of --step, whose mean lifetime is at most 1.2 times that at load 0.1.",
              &args);
    if (net_options_value(&args.options, "load"))
        net_refuse("saturate: it looks for the load, --load is not for it");
    if (net_options_value(&args.options, "trace"))
        net_refuse("saturate: a trace has no load to look for");
    if (net_options_value(&args.options, "application"))
        net_refuse("saturate: an application has no load to look for");
    if (net_options_value(&args.options, "active"))
        net_refuse("saturate: ping-pong has no load to look for");
    char what[40];
    sweep.per = args.per;
    snprintf(what, sizeof what, "saturate 1/%u", args.per);
    make_tasks(&sweep, &args, what, false);
    return run(&sweep, &args, saturate_point, columns);
}
