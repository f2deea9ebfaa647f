// SPDX-License-Identifier: Apache-2.0
// Throughput of the routings on the golden model (paper, sec. 4, table 2): gamma*, the largest
// offered load that is sustained, in steps of 0.05 gamma0. See README.md for what is measured.
#include "golden.h"
#include "ofr_regs.h"

#include <argp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MESSAGE = 96, STEPS = 20, PACKET = 32, MAX_JOBS = 64 };

enum routing { ABR, POR, OFR };

static const char *const routing_name[] = {"ABR", "POR", "OFR"};

struct job {
    uint8_t n, k;
    int pattern;
    const char *pattern_name;
    enum routing routing;
    enum ofr_tie tie;
};

struct result {
    unsigned step;  // gamma* in steps of 0.05 gamma0
    double latency; // mean at gamma*, cycles from generation to tail
    double oidn, widn;
    double seconds;
};

struct options {
    bool plus_only, both_only;
    int dims;
    const char *pattern, *routing;
    unsigned jobs;
    uint64_t seed;
};

static struct ofr_shape shape_of(unsigned n)
{
    return (struct ofr_shape){
        .n = (uint8_t)n, .flit_bits = 64, .slots = 8, .unit_mul = 1, .slot_flits = PACKET};
}

// Butterfly takes one message per bit of the node number: whole rounds of them, else at least this.
static uint64_t window(const struct job *job, double load)
{
    unsigned bits = 0;
    for (unsigned k = 1; k < job->k; k <<= 1)
        bits += job->n;
    double message = MESSAGE * PACKET / load;
    unsigned messages = job->pattern == OFR_GEN_CONTROL_PATTERN_BUTTERFLY ? bits : 6;
    return (uint64_t)(message * messages);
}

// Offers load (flits a cycle and node); returns whether 97% of it arrive in the second window.
static bool sustained(const struct job *job, double load, uint64_t seed, struct result *out)
{
    struct fabric_options f = {
        .shape = shape_of(job->n),
        .torus = {.n = job->n, .k = {job->k, job->k, job->n > 2 ? job->k : 0}},
        .seed = seed,
        .load_permille = (unsigned)(load * 1000 + 0.5),
        .ready_permille = 1000,
        .sink_permille = 1000,
        .latency = 1,
        .length_min = PACKET,
        .length_max = PACKET,
        .pattern = job->pattern,
        .message_packets = MESSAGE};
    struct ofr_table table;
    ofr_table_reset(&table, job->n);
    if (job->routing == POR) {
        table.oidn = false;
        table.eta = 16;
    }
    struct ofr_config base = {.configured = true,
                              .tie = job->tie,
                              .select = OFR_SELECT_MOST_FREE,
                              .threshold = 4,
                              .ring_wait_time = 8,
                              .table = &table};
    struct golden g;
    f.class_weight[job->routing == ABR ? OFR_PKT_CLASS_MINIMAL : OFR_PKT_CLASS_DEROUTE] = 1;
    if (!golden_init(&g, &f, &base)) {
        fprintf(stderr, "bench: out of memory\n");
        exit(2);
    }
    uint64_t cycles = window(job, load);
    while (g.cycle < cycles)
        golden_step(&g);
    struct fabric_totals before = fabric_totals(g.fabric);
    uint64_t injected = golden_counter(&g, OFR_COUNTER_INJECTED);
    uint64_t oidn = golden_counter(&g, OFR_COUNTER_OIDN),
             widn = golden_counter(&g, OFR_COUNTER_WIDN);
    while (g.cycle < 2 * cycles)
        golden_step(&g);
    struct fabric_totals after = fabric_totals(g.fabric);
    if (fabric_error(g.fabric)) {
        fprintf(stderr, "bench: %s\n", fabric_error(g.fabric));
        exit(1);
    }
    double accepted = (double)(after.flits_delivered - before.flits_delivered);
    double offered = load * (double)cycles * g.nodes;
    bool ok = accepted >= 0.97 * offered;
    if (ok) {
        double packets = (double)(after.delivered - before.delivered);
        double entered = (double)(golden_counter(&g, OFR_COUNTER_INJECTED) - injected);
        out->latency = (double)(after.latency_sum - before.latency_sum) / packets;
        out->oidn = (double)(golden_counter(&g, OFR_COUNTER_OIDN) - oidn) / entered;
        out->widn = (double)(golden_counter(&g, OFR_COUNTER_WIDN) - widn) / entered;
    }
    golden_free(&g);
    return ok;
}

// Largest sustained step by bisection: assumes that what a load sustains, a lower one does.
static struct result find(const struct job *job, uint64_t seed)
{
    struct result result = {0};
    double gamma0 = 8.0 / job->k;
    unsigned low = 0, high = STEPS + 1;
    time_t start = time(NULL);
    while (high - low > 1) {
        unsigned middle = low == 0 && high == STEPS + 1 ? 8 : (low + high) / 2;
        double load = 0.05 * middle * gamma0;
        if (load <= 1 && sustained(job, load, seed, &result))
            low = middle;
        else
            high = middle;
    }
    result.step = low;
    result.seconds = (double)(time(NULL) - start);
    return result;
}

static unsigned list_jobs(const struct options *o, struct job job[MAX_JOBS])
{
    static const struct {
        const char *name;
        int pattern;
        int only_n; // 0: any
    } patterns[] = {{"butterfly", OFR_GEN_CONTROL_PATTERN_BUTTERFLY, 0},
                    {"uniform", OFR_GEN_CONTROL_PATTERN_UNIFORM, 0},
                    {"transpose", OFR_GEN_CONTROL_PATTERN_TRANSPOSE, 2},
                    {"rotate3d", OFR_GEN_CONTROL_PATTERN_ROTATE3D, 3},
                    {"bit-reverse", OFR_GEN_CONTROL_PATTERN_BITREVERSE, 0}};
    unsigned count = 0;
    for (uint8_t n = 3; n >= 2; n--)
        for (int tie = 0; tie < 2; tie++)
            for (unsigned p = 0; p < sizeof patterns / sizeof *patterns; p++)
                for (int routing = ABR; routing <= OFR; routing++) {
                    if ((patterns[p].only_n && patterns[p].only_n != n) ||
                        (o->dims && o->dims != n) || (o->plus_only && tie) ||
                        (o->both_only && !tie) ||
                        (o->pattern && strcmp(o->pattern, patterns[p].name) != 0) ||
                        (o->routing && strcmp(o->routing, routing_name[routing]) != 0))
                        continue;
                    job[count++] =
                        (struct job){n, 8, patterns[p].pattern, patterns[p].name, routing, tie};
                }
    return count;
}

static void print_line(const struct job *j, const struct result *r)
{
    printf("%-7s %-4s %-11s %s  gamma* %.2f  latency %6.0f  OIDN %.2f  WIDN %.2f  (%.0f s)\n",
           j->n == 2 ? "8x8" : "8x8x8", j->tie ? "both" : "plus", j->pattern_name,
           routing_name[j->routing], 0.05 * r->step, r->latency, r->oidn, r->widn, r->seconds);
    fflush(stdout);
}

// Runs all jobs, `jobs` processes at a time; each writes its result into a pipe.
static bool run_all(const struct options *o, const struct job *job, unsigned count,
                    struct result *result)
{
    pid_t pid[MAX_JOBS];
    int from[MAX_JOBS];
    unsigned started = 0, done = 0;
    while (done < count) {
        while (started < count && started - done < o->jobs) {
            int ends[2];
            if (pipe(ends) != 0 || (pid[started] = fork()) < 0) {
                perror("bench");
                return false;
            }
            if (pid[started] == 0) {
                struct result r = find(&job[started], o->seed);
                _exit(write(ends[1], &r, sizeof r) == sizeof r ? 0 : 2);
            }
            close(ends[1]);
            from[started++] = ends[0];
        }
        int status = 0;
        pid_t ended = wait(&status);
        for (unsigned i = 0; i < started; i++) {
            if (pid[i] != ended)
                continue;
            if (read(from[i], &result[i], sizeof result[i]) != sizeof result[i] || status != 0) {
                fprintf(stderr, "bench: a run failed\n");
                return false;
            }
            close(from[i]);
            print_line(&job[i], &result[i]);
        }
        done++;
    }
    return true;
}

static void print_table(const struct job *job, const struct result *result, unsigned count)
{
    printf(
        "\n| torus | tie | pattern | ABR | POR | OFR | OFR/ABR |\n|---|---|---|---|---|---|---|\n");
    for (unsigned i = 0; i + 2 < count; i += 3)
        printf("| %s | %s | %s | %.2f | %.2f | %.2f | %.2f |\n", job[i].n == 2 ? "8x8" : "8x8x8",
               job[i].tie ? "both" : "plus", job[i].pattern_name, 0.05 * result[i].step,
               0.05 * result[i + 1].step, 0.05 * result[i + 2].step,
               (double)result[i + 2].step / result[i].step);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    char *end = NULL;
    unsigned long long number = arg ? strtoull(arg, &end, 10) : 0;
    bool bad = arg && (end == arg || *end);
    switch (key) {
    case 'd':
        o->dims = (int)number;
        if (bad || number < 2 || number > 3)
            argp_error(state, "--dims %s: 2 or 3", arg);
        return 0;
    case 't':
        if (!arg)
            return ARGP_ERR_UNKNOWN;
        o->plus_only = strcmp(arg, "plus") == 0;
        o->both_only = strcmp(arg, "both") == 0;
        if (!o->plus_only && !o->both_only)
            argp_error(state, "--tie %s: plus or both", arg);
        return 0;
    case 'p':
        o->pattern = arg;
        return 0;
    case 'r':
        o->routing = arg;
        return 0;
    case 'j':
        o->jobs = (unsigned)number;
        if (bad || number < 1 || number > MAX_JOBS)
            argp_error(state, "--jobs %s: 1 to %d", arg, MAX_JOBS);
        return 0;
    case 's':
        o->seed = number;
        if (bad)
            argp_error(state, "--seed %s: not a number", arg);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int main(int argc, char **argv)
{
    static const struct argp_option list[] = {
        {"dims", 'd', "N", 0, "2: 8x8, 3: 8x8x8 (default: both)", 0},
        {"tie", 't', "plus|both", 0, "(default: one after the other)", 0},
        {"pattern", 'p', "NAME", 0, "butterfly, uniform, transpose, rotate3d, bit-reverse", 0},
        {"routing", 'r', "NAME", 0, "ABR, POR, OFR", 0},
        {"jobs", 'j', "N", 0, "processes at a time (default 2)", 0},
        {"seed", 's', "N", 0, "(default 1)", 0},
        {0}};
    static const struct argp parser = {list, parse, NULL, "gamma* of ABR, POR and OFR.",
                                       NULL, NULL,  NULL};
    struct options o = {.jobs = 2, .seed = 1};
    struct job job[MAX_JOBS];
    struct result result[MAX_JOBS] = {{0}};
    argp_err_exit_status = 2;
    argp_parse(&parser, argc, argv, 0, NULL, &o);
    unsigned count = list_jobs(&o, job);
    if (count == 0) {
        fprintf(stderr, "bench: nothing of that name\n");
        return 2;
    }
    printf("packets of %d flits of 64 bits, 8 slots a VC, %d packets a message, threshold 4, "
           "gamma0 = 1 flit a cycle and node\n",
           PACKET, MESSAGE);
    fflush(stdout);
    if (!run_all(&o, job, count, result))
        return 1;
    if (!o.routing)
        print_table(job, result, count);
    // The bar: with tie plus, OFR reaches at least 1.5 times ABR on Butterfly in 8x8x8
    for (unsigned i = 0; i + 2 < count && !o.routing; i += 3)
        if (job[i].n == 3 && job[i].tie == OFR_TIE_PLUS &&
            job[i].pattern == OFR_GEN_CONTROL_PATTERN_BUTTERFLY &&
            2 * result[i + 2].step < 3 * result[i].step) {
            printf("not ok: OFR on Butterfly, 8x8x8, tie plus, below 1.5 times ABR\n");
            return 1;
        }
    return 0;
}
