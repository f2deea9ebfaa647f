// SPDX-License-Identifier: Apache-2.0
// torussim run: one point, with a progress bar.
#include <stdlib.h>
#include <sys/resource.h>

#include "cli/options.h"
#include "output/record.h"
#include "run/engine.h"
#include "run/pool.h"

struct args {
    struct net_options options;
    uint32_t threads;
};

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
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

struct point {
    struct net_config config;
    struct net_result result;
    double wall; // s
};

static void run_point(void *context, uint32_t number, _Atomic float *progress)
{
    struct point *point = context;
    (void)number;
    double start = net_seconds();
    point->result = net_run(&point->config, 0, &net_stop, progress);
    point->wall = net_seconds() - start;
}

int net_command_run(int argc, char **argv)
{
    const struct argp_child children[] = {{net_options_argp(), 0, NULL, 0}, {0}};
    static const struct argp_option list[] = {
        {"threads", 'T', "NUMBER", 0, "that the simulation is spread over (1)", 0}, {0}};
    const struct argp argp = {list,     parse, "",  "Simulates one point and prints its record.",
                              children, NULL,  NULL};
    struct args args = {.threads = 1};
    argp_parse(&argp, argc, argv, 0, NULL, &args);
    struct point point = {.config = net_options_config(&args.options, NULL, NULL, NULL, NULL),
                          .result.end = NET_NO_MEMORY};
    const struct net_config *config = &point.config;
    point.config.threads = args.threads;
    struct net_result *result = &point.result;

    net_catch_signals();
    net_pool(1, 1, run_point, &point, &net_stop, NULL);
    if (result->end == NET_NO_MEMORY) {
        fputs(atomic_load(&net_stop) ? "torussim: interrupted\n" : "torussim: out of memory\n",
              stderr);
        return 1;
    }
    json_t *record = net_record(config, result, point.wall);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    json_object_set_new(
        record, "cpu_s",
        json_real((double)usage.ru_utime.tv_sec + 1e-6 * (double)usage.ru_utime.tv_usec));
    json_object_set_new(record, "peak_memory_mb", json_integer(usage.ru_maxrss / 1024));
    if (args.options.format == FORMAT_JSON) {
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
    } else if (args.options.format == FORMAT_CSV) {
        net_record_csv_head(record, stdout);
        net_record_csv(record, stdout);
    } else {
        net_record_text(record, stdout);
    }
    json_decref(record);
    if (result->end == NET_STUCK)
        fprintf(stderr, "torussim: nothing accepted or consumed for %g us: %s\n",
                config->watchdog_us, result->stuck);
    bool bad = result->end != NET_DRAINED;
    net_result_free(result);
    return bad;
}
