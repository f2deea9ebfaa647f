// SPDX-License-Identifier: Apache-2.0
// `make bench`: the paper's table 2 on the golden model, and butterfly bit by bit. See README.md
// for what is measured and why.
#include "gamma.h"
#include "ofr_regs.h"
#include "pattern.h"

#include <argp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    OVERLOAD_MESSAGES = 36, // whole rounds of butterfly's 6 and 9 bits
    MAX_JOBS = 512,
    ESCAPES = 3,
};

static const char *const routing_name[] = {"ABR", "POR", "OFR"};

// By OFR_NODE_ROUTING_ESCAPE_*
static const char *const escape_name[ESCAPES] = {"bubble", "empty", "never"};

static const struct torus {
    const char *name;
    uint8_t n, k;
} tori[] = {{"8x8x8", 3, 8}, {"8x8", 2, 8}, {"4x4x4", 3, 4}};
enum { TORI = sizeof tori / sizeof *tori };

// The paper's, unless one is asked for
static const int patterns[] = {OFR_GEN_CONTROL_PATTERN_BUTTERFLY, OFR_GEN_CONTROL_PATTERN_UNIFORM,
                               OFR_GEN_CONTROL_PATTERN_TRANSPOSE, OFR_GEN_CONTROL_PATTERN_ROTATE3D,
                               OFR_GEN_CONTROL_PATTERN_BITREVERSE};

struct job {
    struct gamma_job gamma;
    const char *torus, *pattern;
    bool phases, overload;
    unsigned messages;
};

struct result {
    struct gamma_star star;
    struct gamma_overload over;
    double seconds;
    bool ok;
};

struct options {
    const char *torus, *tie;
    int pattern;          // -1: the paper's
    bool escape[ESCAPES]; // by OFR_NODE_ROUTING_ESCAPE_*; none: bubble
    bool phases, overload;
    unsigned jobs, messages;
    uint64_t seed;
};

static bool wanted(const char *asked, const char *name)
{
    return !asked || strcmp(asked, name) == 0;
}

// ABR, POR, OFR of one case.
static void add_three(const struct options *o, struct job job, struct job list[MAX_JOBS],
                      unsigned *count)
{
    for (int routing = GAMMA_ABR; routing <= GAMMA_OFR && *count < MAX_JOBS; routing++) {
        job.gamma.routing = (enum gamma_routing)routing;
        job.gamma.seed = o->seed;
        job.phases = o->phases;
        job.overload = o->overload;
        job.messages = o->messages;
        list[(*count)++] = job;
    }
}

static unsigned list_jobs(const struct options *o, struct job list[MAX_JOBS])
{
    int one = o->phases ? OFR_GEN_CONTROL_PATTERN_BUTTERFLY : o->pattern;
    const int *pattern = one < 0 ? patterns : &one;
    unsigned count = 0, many = one < 0 ? sizeof patterns / sizeof *patterns : 1;
    for (unsigned t = 0; t < TORI; t++) {
        const struct ofr_torus torus = {.n = tori[t].n, .k = {tori[t].k, tori[t].k, tori[t].k}};
        for (int tie = OFR_TIE_PLUS; tie <= OFR_TIE_BOTH; tie++)
            for (unsigned i = 0; i < many * ESCAPES; i++) {
                int p = pattern[i / ESCAPES];
                unsigned escape = i % ESCAPES;
                if (!wanted(o->torus, tori[t].name) ||
                    !wanted(o->tie, tie == OFR_TIE_PLUS ? "plus" : "both") || !o->escape[escape] ||
                    ofr_pattern_missing(&torus, (unsigned)p))
                    continue;
                struct job job = {.gamma = {.n = tori[t].n,
                                            .k = tori[t].k,
                                            .pattern = p,
                                            .tie = (enum ofr_tie)tie,
                                            .escape = (uint8_t)escape},
                                  .torus = tori[t].name,
                                  .pattern = ofr_pattern_name((unsigned)p)};
                unsigned bit = o->phases;
                do {
                    job.gamma.only_bit = bit;
                    add_three(o, job, list, &count);
                } while (bit && 1U << bit++ < tori[t].k);
            }
    }
    return count;
}

static struct result run(const struct job *job)
{
    struct result r = {.ok = true};
    time_t start = time(NULL);
    const char *error = job->phases || job->overload ? NULL : gamma_star(&job->gamma, &r.star);
    if (!error)
        error = gamma_overload(&job->gamma, job->messages, &r.over);
    if (error)
        fprintf(stderr, "bench: %s, %s: %s\n", job->torus, job->pattern, error);
    r.ok = !error;
    r.seconds = (double)(time(NULL) - start);
    return r;
}

static const char *tie_name(const struct job *j)
{
    return j->gamma.tie == OFR_TIE_BOTH ? "both" : "plus";
}

// A line as soon as a result is there.
static void print_line(const struct job *j, const struct result *r)
{
    printf("# %-5s %s %-15s %-6s %s ", j->torus, tie_name(j), j->pattern,
           escape_name[j->gamma.escape], routing_name[j->gamma.routing]);
    if (j->phases)
        printf(" bit %u:", j->gamma.only_bit - 1);
    else if (!j->overload)
        printf(" gamma* %.2f, lifetime %.0f, %.0f at 0.1; OIDN %.2f, WIDN %.2f;",
               0.05 * r->star.step, r->star.lifetime, r->star.base, r->star.oidn, r->star.widn);
    printf(" accepts %.3f, OIDN %.2f, WIDN %.2f, escape %.2f, links", r->over.accepted,
           r->over.oidn, r->over.widn, r->over.escape);
    for (unsigned p = 0; p < 2U * j->gamma.n; p++)
        printf(" %.2f", r->over.link[p]);
    printf(" (%.0f s)\n", r->seconds);
    fflush(stdout);
}

// Runs all jobs, `at_once` processes at a time; each writes its result into a pipe.
static bool run_all(const struct job *job, unsigned count, unsigned at_once, struct result *result)
{
    pid_t pid[MAX_JOBS];
    int from[MAX_JOBS];
    unsigned started = 0, done = 0;
    while (done < count) {
        while (started < count && started - done < at_once) {
            int ends[2];
            if (pipe(ends) != 0 || (pid[started] = fork()) < 0) {
                perror("bench");
                return false;
            }
            if (pid[started] == 0) {
                struct result r = run(&job[started]);
                _exit(r.ok && write(ends[1], &r, sizeof r) == sizeof r ? 0 : 1);
            }
            close(ends[1]);
            from[started++] = ends[0];
        }
        int status = 0;
        pid_t ended = wait(&status);
        for (unsigned i = 0; i < started; i++) {
            if (pid[i] != ended)
                continue;
            if (status != 0 || read(from[i], &result[i], sizeof result[i]) != sizeof result[i])
                return false;
            close(from[i]);
            print_line(&job[i], &result[i]);
        }
        done++;
    }
    return true;
}

static void print_table(const struct job *job, const struct result *r, unsigned count)
{
    bool star = count && !job[0].overload;
    printf(
        "\n| torus | tie | pattern | escape | %saccepted at load 1: ABR | POR | OFR | OFR/ABR |\n"
        "|---|---|---|---|%s---|---|---|---|\n",
        star ? "gamma* ABR | POR | OFR | OFR/ABR | " : "", star ? "---|---|---|---|" : "");
    for (unsigned i = 0; i + 2 < count; i += 3) {
        printf("| %s | %s | %s | %s |", job[i].torus, tie_name(&job[i]), job[i].pattern,
               escape_name[job[i].gamma.escape]);
        if (star)
            printf(" %.2f | %.2f | %.2f | %.2f |", 0.05 * r[i].star.step, 0.05 * r[i + 1].star.step,
                   0.05 * r[i + 2].star.step, (double)r[i + 2].star.step / r[i].star.step);
        printf(" %.3f | %.3f | %.3f | %.2f |\n", r[i].over.accepted, r[i + 1].over.accepted,
               r[i + 2].over.accepted, r[i + 2].over.accepted / r[i].over.accepted);
    }
    printf("\n");
}

// The bars, as TAP, with tie plus and the bubble rule: gamma* of OFR at least 1.5 times ABR's on
// butterfly in 8x8x8; and where all nodes send over half a ring, OFR and POR accept at least 1.5
// times what ABR does.
static bool judge(const struct job *job, const struct result *r, unsigned count)
{
    unsigned bars = 0, failed = 0;
    for (unsigned i = 0; i + 2 < count; i += 3) {
        const struct gamma_job *g = &job[i].gamma;
        if (g->tie != OFR_TIE_PLUS || g->pattern != OFR_GEN_CONTROL_PATTERN_BUTTERFLY ||
            g->escape != OFR_NODE_ROUTING_ESCAPE_BUBBLE)
            continue;
        if (job[i].phases && 1U << g->only_bit == g->k) {
            double least = 1.5 * r[i].over.accepted;
            bool ok = r[i + 1].over.accepted >= least && r[i + 2].over.accepted >= least;
            printf("%s %u - %s: POR and OFR accept 1.5 times ABR at distance k/2\n",
                   ok ? "ok" : "not ok", ++bars, job[i].torus);
            failed += !ok;
        } else if (!job[i].phases && !job[i].overload && g->n == 3 && g->k == 8) {
            bool ok = 2 * r[i + 2].star.step >= 3 * r[i].star.step;
            printf("%s %u - %s: gamma* of OFR 1.5 times ABR on butterfly\n", ok ? "ok" : "not ok",
                   ++bars, job[i].torus);
            failed += !ok;
        }
    }
    printf("1..%u\n", bars);
    return failed == 0;
}

static bool known(const char *arg, const char *const *names, unsigned count)
{
    for (unsigned i = 0; arg && i < count; i++)
        if (strcmp(arg, names[i]) == 0)
            return true;
    return false;
}

// The names in a list with commas; false if one is none.
static bool read_escapes(const char *arg, bool escape[ESCAPES])
{
    for (const char *at = arg; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        size_t length = strcspn(at, ",");
        unsigned i = 0;
        while (i < ESCAPES &&
               (strlen(escape_name[i]) != length || strncmp(at, escape_name[i], length) != 0))
            i++;
        if (i == ESCAPES)
            return false;
        escape[i] = true;
    }
    return true;
}

// All names, "a, b, c".
static const char *pattern_list(char *text, size_t size)
{
    size_t n = 0;
    for (unsigned i = 0; ofr_pattern_name(i) && n < size; i++)
        if (i != OFR_GEN_CONTROL_PATTERN_FIXED)
            n += (size_t)snprintf(text + n, size - n, "%s%s", n ? ", " : "", ofr_pattern_name(i));
    return text;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    static const char *const torus[] = {"8x8x8", "8x8", "4x4x4"}, *const tie[] = {"plus", "both"};
    char names[256];
    struct options *o = state->input;
    char *end = NULL;
    unsigned long long number = arg ? strtoull(arg, &end, 10) : 0;
    bool bad = arg && (end == arg || *end);
    switch (key) {
    case 't':
        if (!known(o->torus = arg, torus, 3))
            argp_error(state, "--torus %s: 8x8x8, 8x8 or 4x4x4", arg);
        return 0;
    case 'e':
        if (!known(o->tie = arg, tie, 2))
            argp_error(state, "--tie %s: plus or both", arg);
        return 0;
    case 'p':
        o->pattern = ofr_pattern_named(arg);
        if (o->pattern < 0 || o->pattern == OFR_GEN_CONTROL_PATTERN_FIXED)
            argp_error(state, "--pattern %s: there is no such pattern; it is one of %s", arg,
                       pattern_list(names, sizeof names));
        return 0;
    case 'E':
        if (!read_escapes(arg, o->escape))
            argp_error(state, "--escape %s: bubble, empty, never, or several of them", arg);
        return 0;
    case 'o':
        o->overload = true;
        return 0;
    case 'P':
        o->phases = true;
        return 0;
    case 'm':
        o->messages = (unsigned)number;
        if (bad || number < 4 || number > OVERLOAD_MESSAGES)
            argp_error(state, "--messages %s: 4 to %d", arg, OVERLOAD_MESSAGES);
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
        {"torus", 't', "KxK[xK]", 0, "8x8x8, 8x8 or 4x4x4 (default: all)", 0},
        {"tie", 'e', "plus|both", 0, "(default: one after the other)", 0},
        {"pattern", 'p', "NAME", 0, "one of torusctl's and torussim's (default: the paper's five)",
         0},
        {"escape", 'E', "bubble|empty|never", 0,
         "packets enter an escape VC from the local port by the bubble rule (default), only an "
         "empty one, or not at all; a list for one after the other",
         0},
        {"overload", 'o', NULL, 0, "load 1 only, no gamma*", 0},
        {"phases", 'P', NULL, 0, "butterfly with one bit at a time, at load 1 only", 0},
        {"messages", 'm', "N", 0, "a node, at load 1 (default 36)", 0},
        {"jobs", 'j', "N", 0, "processes at a time (default 2)", 0},
        {"seed", 's', "N", 0, "(default 1)", 0},
        {0}};
    static const struct argp parser = {
        list, parse, NULL, "gamma* and accepted load of ABR, POR and OFR.", NULL, NULL, NULL};
    struct options o = {.pattern = -1, .jobs = 2, .messages = OVERLOAD_MESSAGES, .seed = 1};
    static struct job job[MAX_JOBS];
    static struct result result[MAX_JOBS];
    argp_err_exit_status = 2;
    argp_parse(&parser, argc, argv, 0, NULL, &o);
    if (!o.escape[1] && !o.escape[2])
        o.escape[OFR_NODE_ROUTING_ESCAPE_BUBBLE] = true;
    unsigned count = list_jobs(&o, job);
    if (count == 0) {
        fprintf(stderr, "bench: no such pattern on that torus\n");
        return 2;
    }
    printf(
        "# packets of %d flits of 64 bits, %d slots a VC, %d packets a message, %d messages a "
        "node, threshold %d,\n# OFR: Delta 2, eta 2; POR: WIDNs only, eta 1; seed %llu. Loads in "
        "flits a cycle and node\n",
        GAMMA_PACKET, GAMMA_SLOTS, GAMMA_MESSAGE, GAMMA_MESSAGES, GAMMA_THRESHOLD,
        (unsigned long long)o.seed);
    fflush(stdout);
    if (!run_all(job, count, o.jobs, result))
        return 1;
    if (!o.phases)
        print_table(job, result, count);
    return judge(job, result, count) ? 0 : 1;
}
