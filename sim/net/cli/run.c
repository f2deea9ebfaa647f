// SPDX-License-Identifier: Apache-2.0
// torussim run: one point, with a progress bar.
#include <stdio_ext.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "cli/options.h"
#include "output/files.h"
#include "output/record.h"
#include "output/replicates.h"
#include "run/engine.h"
#include "run/pool.h"
#include "run/ranks.h"

struct args {
    struct net_options options;
    uint32_t threads, replicates;
    const char *links, *histogram;
};

enum { O_LINKS = 256, O_HISTOGRAM };

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct args *args = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &args->options;
        return 0;
    case 'T':
        args->threads = (uint32_t)net_parse_count("--threads", arg, 1, NET_MAX_THREADS);
        return 0;
    case 'R':
        args->replicates = (uint32_t)net_parse_count("--replicates", arg, 1, NET_MAX_REPLICATES);
        return 0;
    case O_LINKS:
        args->links = net_parse_path("--links", arg);
        return 0;
    case O_HISTOGRAM:
        args->histogram = net_parse_path("--histogram", arg);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

// Replicates, one after the other.
struct point {
    struct net_config config;
    uint32_t count, ended;
    json_t *records[NET_MAX_REPLICATES];
    struct net_result last;
    bool bad, out_of_memory;
};

static void run_point(void *context, uint32_t number, _Atomic float *progress)
{
    struct point *point = context;
    (void)number;
    for (uint32_t i = 0; i < point->count; i++) {
        struct net_config config = point->config;
        config.seed += i;
        double start = net_seconds();
        net_result_free(&point->last);
        point->last = net_run(&config, 0, &net_stop, progress);
        point->out_of_memory = point->last.end == NET_NO_MEMORY;
        point->bad = point->bad || point->last.end != NET_DRAINED;
        if (point->last.end == NET_STUCK && net_rank() == 0)
            fprintf(stderr, "torussim: seed %llu: nothing accepted or consumed for %g us: %s\n",
                    (unsigned long long)config.seed, config.watchdog_us, point->last.stuck);
        if (point->out_of_memory)
            return;
        point->records[point->ended++] = net_record(&config, &point->last, net_seconds() - start);
        if (point->last.end == NET_INTERRUPTED)
            return;
    }
}

// What the processes of all ranks took: processor time, s; memory, that of the largest one, KiB.
static void usage(double *cpu_s, uint64_t *memory)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    uint64_t us = (uint64_t)usage.ru_utime.tv_sec * 1000000 + (uint64_t)usage.ru_utime.tv_usec;
    net_ranks_add(&us, 1);
    *cpu_s = 1e-6 * (double)us;
    *memory = ~net_ranks_least(~(uint64_t)usage.ru_maxrss);
}

static void print(json_t *record, enum net_format format)
{
    if (format == FORMAT_JSON) {
        const char *key;
        json_t *value, *units = json_object();
        json_object_foreach(record, key, value)
        {
            const char *unit = net_record_unit(key);
            if (*unit)
                json_object_set_new(units, key, json_string(unit));
        }
        json_object_set_new(record, "units", units);
        json_dumpf(record, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
        putchar('\n');
    } else if (format == FORMAT_CSV) {
        net_record_csv_head(record, stdout);
        net_record_csv(record, stdout);
    } else {
        net_record_text(record, stdout);
    }
}

int net_command_run(int argc, char **argv)
{
    const struct argp_child children[] = {{net_options_argp(), 0, NULL, 0}, {0}};
    static const struct argp_option list[] = {
        {"threads", 'T', "NUMBER", 0,
         "that the simulation is spread over (1); under mpirun of each rank, all of which take "
         "part",
         0},
        {"replicates", 'R', "NUMBER", 0,
         "runs with seeds one after the other, as one record with intervals (1)", 0},
        {"links", O_LINKS, "FILE", 0, "write every link's use there, as CSV", 0},
        {"histogram", O_HISTOGRAM, "FILE", 0, "write the lifetimes' histogram there, as CSV", 0},
        {0}};
    const struct argp argp = {list,     parse, "",  "Simulates one point and prints its record.",
                              children, NULL,  NULL};
    struct args args = {.threads = 1, .replicates = 1};
    net_ranks_begin();
    bool alone = net_ranks() == 1, first = net_rank() == 0;
    net_options_parse(&argp, argc, argv, 0, &args);
    struct point point = {.config = net_options_config(&args.options, NULL, NULL, NULL, NULL),
                          .count = args.replicates};
    const struct net_config *config = &point.config;
    net_options_refuse_idle(&args.options);
    if (args.replicates > 1 && (args.links || args.histogram))
        net_refuse("--links and --histogram are of one run, --replicates of several");
    if (config->seed + args.replicates - 1 > INT64_MAX)
        net_refuse("--seed %llu: too large for so many replicates",
                   (unsigned long long)config->seed);
    if (config->engine == NET_ENGINE_FLIT && (args.links || args.histogram))
        net_refuse("--links and --histogram go with --engine packet only");
    if (args.threads > 1 && (config->application || config->active))
        net_refuse("--threads does not go with %s, which is not spread over threads",
                   config->application ? "--application" : "--active");
    if (!alone && (config->engine == NET_ENGINE_FLIT || config->application || config->active))
        net_refuse("%s is not spread over ranks: start torussim run without mpirun for it",
                   config->application ? "an application (--application)"
                   : config->active    ? "ping-pong (--active)"
                                       : "--engine flit");
    if (first)
        net_files_check(args.links, args.histogram);
    point.config.threads = args.threads;
    point.config.ranks = (uint32_t)net_ranks();

    net_catch_signals();
    _Atomic float progress;
    if (alone)
        net_pool(1, 1, run_point, &point, &net_stop, NULL);
    else
        run_point(&point, 0, &progress);
    if (point.out_of_memory || !point.ended) {
        if (first)
            fputs(atomic_load(&net_stop) ? "torussim: interrupted\n" : "torussim: out of memory\n",
                  stderr);
        net_ranks_end();
        return 1;
    }
    json_t *record = net_record_combine(point.records, point.ended);
    double cpu_s;
    uint64_t memory;
    usage(&cpu_s, &memory);
    json_object_set_new(record, "cpu_s", json_real(cpu_s));
    json_object_set_new(record, "peak_memory_mb", json_integer((json_int_t)(memory / 1024)));
    bool bad = point.bad;
    if (first) {
        if (point.last.end == NET_INTERRUPTED)
            fputs("torussim: interrupted\n", stderr);
        bool written = net_file_links(args.links, config, &point.last) &&
                       net_file_histogram(args.histogram, config, &point.last);
        bad = bad || !written;
        print(record, args.options.format);
        if (!written && fflush(stdout)) { // on the same disk, mostly: one line is enough
            __fpurge(stdout);
            clearerr(stdout);
        }
    }
    json_decref(record);
    for (uint32_t i = 0; i < point.ended; i++)
        json_decref(point.records[i]);
    net_result_free(&point.last);
    net_ranks_end();
    return bad;
}
