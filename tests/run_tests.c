// SPDX-License-Identifier: Apache-2.0
//
// run_tests: runs test programs that print TAP, several at a time, and counts their results.
//
//     run_tests [-j JOBS] [-t SECONDS] [-l LOGDIR] [-v] TEST...
//
// Each TEST is an executable or a script, run from the current folder without arguments, standard
// input empty, output and errors together into LOGDIR/<name>.log, in a process group of its own
// that is killed after SECONDS. `ok` lines count as passed, `not ok` as failed, either with
// `# SKIP` as skipped (cmocka prints `not ok # SKIP`), a plan `1..0 # SKIP` too. A test that ends
// with another status than 0 though nothing failed, is killed, prints no result, or fewer than its
// plan `1..N` says, counts as one more failure. A failed test's failures and the tail of its log
// are printed (-v: all results).
//
// The last line is `N passed, N failed`; before it, what was skipped, and why, and `N skipped`.
// Exit status: 0 all passed; 1 a failure, or nothing passed; 2 wrong use.

#define _DEFAULT_SOURCE // wait4()

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_JOBS = 64, TAIL_LINES = 25, LINE = 4096 };

struct test {
    const char *path;
    char log[PATH_MAX], took[PATH_MAX]; // log file; file with the last run's duration
    double last;                        // that duration in seconds, huge when unknown: runs first
    pid_t pid;
    double started, ended;
    bool timed_out;
};

struct result {
    unsigned passed, failed, skipped;
};

struct options {
    int jobs, seconds;
    const char *logs;
    bool verbose;
};

static volatile sig_atomic_t interrupted;

static void on_signal(int sig)
{
    interrupted = sig;
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void prepare(struct test *t, const char *path, const char *logs)
{
    char name[NAME_MAX];
    size_t n = 0;

    // The whole path, so that two tests of one name in two folders have two logs.
    for (const char *p = path; *p && n + 1 < sizeof name; p++)
        name[n++] = *p == '/' ? '-' : *p;
    name[n] = 0;
    *t = (struct test){.path = path, .last = 1e9};
    snprintf(t->log, sizeof t->log, "%s/%s.log", logs, name);
    snprintf(t->took, sizeof t->took, "%s/%s.seconds", logs, name);
    FILE *f = fopen(t->took, "r");
    if (f) {
        char line[64];

        if (fgets(line, sizeof line, f))
            t->last = strtod(line, NULL);
        fclose(f);
    }
}

static int longest_first(const void *a, const void *b)
{
    const struct test *x = a, *y = b;

    return (x->last < y->last) - (x->last > y->last);
}

static bool start(struct test *t)
{
    t->started = now();
    t->pid = fork();
    if (t->pid < 0) {
        perror("run_tests: fork");
        return false;
    }
    if (t->pid == 0) {
        int in = open("/dev/null", O_RDONLY);
        int out = open(t->log, O_WRONLY | O_CREAT | O_TRUNC, 0666);

        setpgid(0, 0);
        if (in < 0 || out < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(out, 2) < 0)
            _exit(126);
        // A name without a slash is a file here, not a command to look up.
        char path[PATH_MAX];
        snprintf(path, sizeof path, "%s%s", strchr(t->path, '/') ? "" : "./", t->path);
        execl(path, path, (char *)NULL);
        fprintf(stderr, "cannot run %s: %s\n", path, strerror(errno));
        _exit(127);
    }
    setpgid(t->pid, t->pid); // in both, whoever comes first
    return true;
}

static bool starts_with(const char *line, const char *word)
{
    size_t n = strlen(word);

    return !strncmp(line, word, n) && (line[n] == ' ' || line[n] == '\n' || !line[n]);
}

static bool is_skip(const char *line)
{
    const char *hash = strchr(line, '#');

    while (hash && hash[1] == ' ')
        hash++;
    return hash && (!strncmp(hash + 1, "SKIP", 4) || !strncmp(hash + 1, "skip", 4));
}

// Counts a log's results; prints the failed ones, with `verbose` all. Returns what to say when the
// log alone shows a failure that no line stands for, else NULL.
static const char *read_log(const struct test *t, bool verbose, struct result *r)
{
    FILE *f = fopen(t->log, "r");
    char line[LINE];
    unsigned seen = 0, planned = 0;
    bool has_plan = false, whole = true, failing = false;

    if (!f)
        return "has no log";
    while (fgets(line, sizeof line, f)) {
        bool begins = whole;

        whole = strchr(line, '\n') != NULL;
        if (!begins)
            continue;
        bool good = starts_with(line, "ok"), bad = starts_with(line, "not ok");
        if (!strncmp(line, "1..", 3)) {
            planned += (unsigned)strtoul(line + 3, NULL, 10);
            has_plan = true;
            if (is_skip(line)) {
                r->skipped++;
                printf("    %s%s", line, whole ? "" : "\n");
            }
        }
        if (!good && !bad) {
            if (failing && *line == '#') // what a failed test says about it
                printf("    %s%s", line, whole ? "" : "\n");
            continue;
        }
        seen++;
        failing = bad && !is_skip(line);
        if (is_skip(line))
            r->skipped++;
        else if (good)
            r->passed++;
        else
            r->failed++;
        if (verbose || failing || is_skip(line))
            printf("    %s%s", line, whole ? "" : "\n");
    }
    fclose(f);
    if (has_plan && seen != planned)
        return "did not print as many results as it planned";
    if (!seen && !(has_plan && !planned))
        return "printed no result";
    return NULL;
}

static void print_tail(const char *path)
{
    FILE *f = fopen(path, "r");
    char lines[TAIL_LINES][LINE];
    unsigned n = 0;

    if (!f)
        return;
    while (fgets(lines[n % TAIL_LINES], LINE, f))
        n++;
    fclose(f);
    printf("    --- the end of %s:\n", path);
    for (unsigned i = n > TAIL_LINES ? n - TAIL_LINES : 0; i < n; i++) {
        char *line = lines[i % TAIL_LINES];

        line[strcspn(line, "\n")] = 0;
        printf("    | %s\n", line);
    }
}

static double seconds_of(struct timeval time)
{
    return (double)time.tv_sec + 1e-6 * (double)time.tv_usec;
}

// used: by it, and by what it has waited for.
static void finish(struct test *t, int status, const struct rusage *used, const struct options *o,
                   struct result *total)
{
    struct result r = {0};
    char why[128] = "";

    t->ended = now();
    kill(-t->pid, SIGKILL); // what it left running
    double took = t->ended - t->started;
    printf("%s (%.1f s, of a processor %.1f)\n", t->path, took,
           seconds_of(used->ru_utime) + seconds_of(used->ru_stime));
    const char *log_says = read_log(t, o->verbose, &r);
    if (t->timed_out)
        snprintf(why, sizeof why, "was stopped after %d s", o->seconds);
    else if (WIFSIGNALED(status))
        snprintf(why, sizeof why, "was killed by signal %d", WTERMSIG(status));
    else if (WEXITSTATUS(status) != 0 && !r.failed)
        snprintf(why, sizeof why, "ended with status %d", WEXITSTATUS(status));
    else if (log_says)
        snprintf(why, sizeof why, "%s", log_says);
    if (*why) {
        r.failed++;
        printf("    not ok - %s %s\n", t->path, why);
    }
    if (r.failed && !o->verbose)
        print_tail(t->log);
    if (!t->timed_out) {
        FILE *f = fopen(t->took, "w");

        if (f) {
            fprintf(f, "%.1f\n", took);
            fclose(f);
        }
    }
    fflush(stdout);
    total->passed += r.passed;
    total->failed += r.failed;
    total->skipped += r.skipped;
}

// Runs all; returns false if it could not, or was interrupted.
static bool run(struct test *tests, int count, const struct options *o, struct result *total)
{
    int next = 0, running = 0;

    while (next < count || running) {
        while (next < count && running < o->jobs && !interrupted) {
            if (!start(&tests[next]))
                return false;
            next++;
            running++;
        }
        for (int i = 0; i < next; i++) {
            struct test *t = &tests[i];
            struct rusage used;
            int status;

            if (t->ended > 0)
                continue;
            if (interrupted || (!t->timed_out && now() - t->started > o->seconds)) {
                t->timed_out = true;
                kill(-t->pid, SIGKILL);
            }
            if (wait4(t->pid, &status, WNOHANG, &used) == t->pid) {
                running--;
                if (interrupted)
                    t->ended = now();
                else
                    finish(t, status, &used, o, total);
            }
        }
        if (interrupted && !running)
            return false;
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    }
    return true;
}

static int usage(void)
{
    fputs("usage: run_tests [-j JOBS] [-t SECONDS] [-l LOGDIR] [-v] TEST...\n", stderr);
    return 2;
}

static bool parse_number(const char *s, int max, int *value)
{
    char *end;
    long n = strtol(s, &end, 10);

    *value = (int)n;
    return *s && !*end && n >= 1 && n <= max;
}

int main(int argc, char **argv)
{
    struct options o = {.jobs = 2, .seconds = 900, .logs = "."};
    struct result total = {0};
    int opt;

    while ((opt = getopt(argc, argv, "j:t:l:v")) != -1) {
        switch (opt) {
        case 'j':
            if (!parse_number(optarg, MAX_JOBS, &o.jobs))
                return usage();
            break;
        case 't':
            if (!parse_number(optarg, 1000000, &o.seconds))
                return usage();
            break;
        case 'l':
            o.logs = optarg;
            break;
        case 'v':
            o.verbose = true;
            break;
        default:
            return usage();
        }
    }
    if (mkdir(o.logs, 0777) != 0 && errno != EEXIST) {
        fprintf(stderr, "run_tests: cannot make %s: %s\n", o.logs, strerror(errno));
        return 2;
    }

    // Tests run in groups of their own: a Ctrl-C does not reach them but through here.
    struct sigaction sa = {.sa_handler = on_signal};
    sigaction(SIGINT, &sa, NULL);
    sigaction(SIGTERM, &sa, NULL);
    sigaction(SIGHUP, &sa, NULL);
    setenv("CMOCKA_MESSAGE_OUTPUT", "TAP", 1);

    int count = argc - optind;
    struct test *tests = calloc(count ? (size_t)count : 1, sizeof *tests);
    if (!tests) {
        fputs("run_tests: out of memory\n", stderr);
        return 2;
    }
    for (int i = 0; i < count; i++)
        prepare(&tests[i], argv[optind + i], o.logs);
    qsort(tests, (size_t)count, sizeof *tests, longest_first);

    bool complete = run(tests, count, &o, &total);
    free(tests);
    if (!complete) {
        fputs("run_tests: interrupted\n", stderr);
        return 1;
    }
    if (!total.passed && !total.failed)
        puts("run_tests: no test passed, so this is a failure");
    if (total.skipped)
        printf("%u skipped\n", total.skipped);
    printf("%u passed, %u failed\n", total.passed, total.failed);
    return total.failed || !total.passed;
}
