// SPDX-License-Identifier: Apache-2.0
//
// report: the size and speed table of rtl/README.md, and beside the bars in tests/RESULTS.md.
//
//     report run [-a] [-j JOBS] [-s SEEDS] OUT
//         build what changed (-a: all), rewrite both tables
//     report bars
//         rewrite the table of bars from the rows as they are
//     report check
//         TAP: is every row up to date, and the bars' table?
//     report wrap PORTS.json
//         the Verilog shell around module dut, for synth.sh
//     report files MODULE FILE...
//         of these files those that the module is made from, for lint.sh
//
// Run from the top folder. The builds are in rtl/report.json. A row carries the hash of what it was
// made from: the build's entry, synth.sh, and its Verilog without comments and blanks, which is the
// top module and every module whose name occurs in what is already in; of the generated macros,
// those that occur. SEEDS: how many placements (3); fmax is their median, with the best beside it.
//
// Exit status: 0 done (a missed bar is in the table, not in the status); 1 a build failed or
// (check) a row is out of date; 2 wrong use or a malformed report.json.

#define _POSIX_C_SOURCE 200809L
#include "verilog_inputs.h"

#include <ctype.h>
#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define README   "rtl/README.md"
#define RESULTS  "tests/RESULTS.md"
#define BUILDS   "rtl/report.json"
#define SYNTH    "tests/synth.sh"
#define FLOW     "1" // a new one when the shell or the way of counting changes
#define BEGIN    "<!-- report: begin; made by `make report`, do not edit -->"
#define END      "<!-- report: end -->"
#define BARS     "<!-- bars: begin; made by `make report`, do not edit -->"
#define BARS_END "<!-- bars: end -->"

enum { MAX_SEEDS = 9, TEXT = 1024, COLUMNS = 10 };

struct build {
    const char *name, *target, *top, *params, *options;
    int freq;
    const json_t *bars, *aim;
    char hash[17];
    char files[VERILOG_FILES * 64]; // paths with blanks between, as far as used
    bool found;                     // the top module exists
    bool stale;
    pid_t pid;
    char row[2 * TEXT];
};

// What a build came to.
struct figures {
    double lut, ff, ram, dsp, cells, median, best;
    char path[TEXT]; // the critical path in words
};

const char *const program_name = "report";

// Finds the build's files and hashes its inputs.
static void find_inputs(struct build *b, struct verilog_files *s, const char *synth)
{
    uint64_t hash = hash_start();

    b->found = verilog_find(s, b->top);
    hash = hash_text(hash, FLOW);
    hash = hash_text(hash_text(hash, b->target), b->top);
    hash = hash_text(hash_text(hash, b->params), b->options);
    hash = hash_bytes(hash, &b->freq, sizeof b->freq);
    hash = hash_verilog(hash_text(hash, synth), s);
    verilog_paths(s, b->files, sizeof b->files);
    snprintf(b->hash, sizeof b->hash, "%016llx", (unsigned long long)hash);
}

static const char *text_of(const json_t *j, const char *key, const char *otherwise, size_t at)
{
    const json_t *v = json_object_get(j, key);

    if (!v && otherwise)
        return otherwise;
    if (!json_is_string(v) || strpbrk(json_string_value(v), "|\n"))
        fail(BUILDS ": builds[%zu]: \"%s\" is missing or not one line of text without |", at, key);
    return json_string_value(v);
}

static void check_bars(const json_t *bars, const char *name)
{
    static const char *const known[] = {"lut", "cells", "ram", "fmax"};
    const char *key;
    json_t *value;

    json_object_foreach((json_t *)bars, key, value)
    {
        bool good = json_is_number(value);

        for (size_t i = 0, hit = 0; i < 4; i++) {
            hit += !strcmp(known[i], key);
            good = good && (i < 3 || hit);
        }
        if (!good)
            fail(BUILDS ": %s: a bar is lut, cells, ram or fmax with a number", name);
    }
}

static struct build *read_builds(json_t **root, size_t *count)
{
    json_error_t error;
    size_t i;
    json_t *e;

    *root = json_load_file(BUILDS, JSON_REJECT_DUPLICATES, &error);
    if (!*root)
        fail(BUILDS ":%d: %s", error.line, error.text);
    const json_t *list = json_object_get(*root, "builds");
    *count = json_array_size(list);
    if (!*count)
        fail(BUILDS ": \"builds\" is missing or empty");
    struct build *b = calloc(*count, sizeof *b);
    struct verilog_files *s = calloc(1, sizeof *s);
    char *synth = slurp(SYNTH);
    if (!b || !s || !synth)
        fail("cannot read " SYNTH);
    verilog_read_rtl(s, false);
    verilog_read(s, "tests/report/*.v", false);
    json_array_foreach((json_t *)list, i, e)
    {
        b[i].name = text_of(e, "name", NULL, i);
        b[i].target = text_of(e, "target", NULL, i);
        b[i].top = text_of(e, "top", NULL, i);
        b[i].params = text_of(e, "params", "", i);
        b[i].options = text_of(e, "options", "", i);
        b[i].freq = (int)json_integer_value(json_object_get(e, "freq"));
        b[i].bars = json_object_get(e, "bars");
        b[i].aim = json_object_get(e, "aim");
        check_bars(b[i].bars, b[i].name);
        check_bars(b[i].aim, b[i].name);
        if (b[i].freq < 1 || b[i].freq > 1000)
            fail(BUILDS ": %s: \"freq\" is not 1 to 1000 MHz", b[i].name);
        for (size_t k = 0; k < i; k++)
            if (!strcmp(b[i].name, b[k].name))
                fail(BUILDS ": two builds are named %s", b[i].name);
        find_inputs(&b[i], s, synth);
    }
    verilog_free(s);
    free(s);
    free(synth);
    return b;
}

// The build's row in the README as it is, into row; false when there is none.
static bool find_row(const char *readme, const char *name, char *row, size_t size)
{
    const char *p = strstr(readme, BEGIN), *end = p ? strstr(p, END) : NULL;

    for (; name && p && end && p < end; p = strchr(p, '\n') + 1) {
        if (p[0] == '|' && p[1] == ' ' && !strncmp(p + 2, name, strlen(name)) &&
            !strncmp(p + 2 + strlen(name), " |", 2)) {
            unsigned columns = 0;
            for (const char *c = p; *c != '\n'; c++)
                columns += c[1] == '|';
            snprintf(row, size, "%.*s", (int)strcspn(p, "\n"), p);
            return columns == COLUMNS;
        }
    }
    return false;
}

// ---- the shell ----------------------------------------------------------------------------------

static int wrap(const char *path)
{
    json_error_t error;
    json_t *root = json_load_file(path, 0, &error);
    json_t *ports =
        json_object_get(json_object_get(json_object_get(root, "modules"), "dut"), "ports");
    const char *name;
    json_t *p;
    size_t in = 0, out = 0;
    bool has_clock = false;

    if (!ports)
        fail("%s: no module dut with ports", path);
    json_object_foreach(ports, name, p)
    {
        size_t bits = json_array_size(json_object_get(p, "bits"));
        const char *dir = json_string_value(json_object_get(p, "direction"));

        if (!dir || (strcmp(dir, "input") && strcmp(dir, "output")))
            fail("%s: port %s is neither input nor output", path, name);
        if (!strcmp(name, "clk"))
            has_clock = true;
        else if (!strcmp(dir, "input"))
            in += bits;
        else
            out += bits;
    }
    if (!has_clock || !in || !out)
        fail("%s: the module needs clk, another input and an output", path);
    printf("module wrap (input wire clk, input wire si, output wire so);\n"
           "    reg [%zu:0] in_q;\n    reg [%zu:0] out_q;\n    wire [%zu:0] out_w;\n"
           "    assign so = out_q[%zu];\n"
           "    always @(posedge clk) begin\n        in_q <= (in_q << 1) | si;\n"
           "        out_q <= out_w ^ ((out_q << 1) | in_q[%zu]);\n    end\n    dut u (.clk(clk)",
           in - 1, out - 1, out - 1, out - 1, in - 1);
    in = out = 0;
    json_object_foreach(ports, name, p)
    {
        size_t bits = json_array_size(json_object_get(p, "bits"));
        bool is_in = !strcmp(json_string_value(json_object_get(p, "direction")), "input");

        if (!strcmp(name, "clk"))
            continue;
        printf(",\n        .\\%s (%s[%zu +: %zu])", name, is_in ? "in_q" : "out_w",
               is_in ? in : out, bits);
        *(is_in ? &in : &out) += bits;
    }
    puts(");\nendmodule");
    json_decref(root);
    return 0;
}

// ---- results ------------------------------------------------------------------------------------

// Sums the cells of a module in Yosys's stat text whose type starts with `type`; both the layouts
// of Yosys 0.23 ("SB_LUT4  808") and of later ones ("808  LUT4") are read.
static double cells_of(const char *stat, const char *module, const char *type)
{
    char head[64];
    double sum = 0;

    snprintf(head, sizeof head, "=== %s ===", module);
    const char *p = strstr(stat, head);
    if (!p)
        return 0;
    for (p = strchr(p, '\n'); p; p = strchr(p, '\n')) {
        char a[64], b[64];

        p++;
        if (!strncmp(p, "===", 3))
            break;
        char line[256];
        snprintf(line, sizeof line, "%.*s", (int)strcspn(p, "\n"), p);
        if (sscanf(line, " %63s %63s", a, b) != 2)
            continue;
        bool first = isdigit((unsigned char)a[0]);
        if (!strncmp(first ? b : a, type, strlen(type)))
            sum += strtod(first ? a : b, NULL);
    }
    return sum;
}

// A cell's name without the shell's instance name and without what synthesis made of it.
static void cell_name(const json_t *end, char *out, size_t size)
{
    const char *s = json_string_value(json_object_get(end, "cell"));
    size_t n = 0;

    if (!s)
        s = "?";
    if (!strncmp(s, "u.", 2))
        s += 2;
    while (*s && n + 1 < size) {
        if (!strncmp(s, "_SB_", 4) || !strncmp(s, "_LUT4_", 6) || !strncmp(s, "_TRELLIS_", 9) ||
            !strncmp(s, "_PFUMX_", 7) || !strncmp(s, "_L6MUX21_", 9) || !strncmp(s, "_CCU2C_", 7))
            break;
        out[n++] = *s == '|' ? '!' : *s;
        s++;
    }
    out[n] = 0;
}

// The critical path from register to register, in words.
static void describe_path(const json_t *report, char *text, size_t size)
{
    size_t i, k;
    json_t *path, *step;

    snprintf(text, size, "-");
    json_array_foreach(json_object_get(report, "critical_paths"), i, path)
    {
        const char *from = json_string_value(json_object_get(path, "from"));
        const char *to = json_string_value(json_object_get(path, "to"));
        const json_t *steps = json_object_get(path, "path");
        double logic = 0, routing = 0;
        unsigned levels = 0;
        char a[96], b[96];

        if (!from || !to || from[0] == '<' || to[0] == '<' || !json_array_size(steps))
            continue;
        json_array_foreach((json_t *)steps, k, step)
        {
            const char *type = json_string_value(json_object_get(step, "type"));
            double delay = json_number_value(json_object_get(step, "delay"));

            if (type && !strcmp(type, "routing"))
                routing += delay;
            else
                logic += delay;
            levels += type && !strcmp(type, "logic");
        }
        cell_name(json_object_get(json_array_get(steps, 0), "from"), a, sizeof a);
        if (!json_object_get(json_array_get(steps, 0), "from"))
            snprintf(a, sizeof a, "?");
        cell_name(json_object_get(json_array_get(steps, json_array_size(steps) - 1), "to"), b,
                  sizeof b);
        snprintf(text, size, "`%s` to `%s`: %u levels, logic %.1f ns, routing %.1f ns", a, b,
                 levels, logic, routing);
        return;
    }
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

// Reads what synth.sh left. Returns false if something is missing.
static bool read_figures(const char *out, const struct build *b, int seeds, struct figures *f)
{
    char path[512], paths[MAX_SEEDS][TEXT];
    double fmax[MAX_SEEDS], sorted[MAX_SEEDS], used = 0;
    bool ice = !strncmp(b->target, "ice40", 5);

    memset(f, 0, sizeof *f);
    snprintf(path, sizeof path, "%s/stat.txt", out);
    char *stat = slurp(path);
    if (!stat)
        return false;
    if (ice) {
        f->lut = cells_of(stat, "dut", "SB_LUT4");
        f->ff = cells_of(stat, "dut", "SB_DFF");
        f->ram = cells_of(stat, "dut", "SB_RAM40_4K");
    } else {
        // A carry cell takes two LUT4, a piece of distributed RAM four and two for its write port.
        f->lut = cells_of(stat, "dut", "LUT4") + 2 * cells_of(stat, "dut", "CCU2C") +
                 6 * cells_of(stat, "dut", "TRELLIS_DPR16X4");
        f->ff = cells_of(stat, "dut", "TRELLIS_FF");
        f->ram = cells_of(stat, "dut", "DP16KD") + cells_of(stat, "dut", "PDPW16KD");
        f->dsp = cells_of(stat, "dut", "MULT18X18D");
    }
    // The shell: on iCE40 a logic cell for each of its flip-flops, on ECP5 its LUTs.
    double shell = cells_of(stat, "wrap", ice ? "SB_DFF" : "LUT4");
    free(stat);
    for (int s = 0; s < seeds; s++) {
        json_error_t error;
        const char *clock;
        json_t *entry;

        snprintf(path, sizeof path, "%s/seed-%d.json", out, s + 1);
        json_t *report = json_load_file(path, 0, &error);
        if (!report)
            return false;
        fmax[s] = 1e9;
        json_object_foreach(json_object_get(report, "fmax"), clock, entry)
        {
            double mhz = json_number_value(json_object_get(entry, "achieved"));

            if (mhz < fmax[s])
                fmax[s] = mhz;
        }
        sorted[s] = fmax[s];
        describe_path(report, paths[s], sizeof paths[s]);
        used = json_number_value(
            json_object_get(json_object_get(json_object_get(report, "utilization"),
                                            ice ? "ICESTORM_LC" : "TRELLIS_COMB"),
                            "used"));
        json_decref(report);
    }
    f->cells = used - shell;
    qsort(sorted, (size_t)seeds, sizeof *sorted, ascending);
    f->median = sorted[(seeds - 1) / 2];
    f->best = sorted[seeds - 1];
    for (int s = 0; s < seeds; s++)
        if (fmax[s] == f->median)
            snprintf(f->path, sizeof f->path, "%s", paths[s]);
    return f->median < 1e9;
}

// The figures that bars are of, as a row has them. False: it failed.
static bool row_figures(const char *row, struct figures *f)
{
    memset(f, 0, sizeof *f);
    return sscanf(row, "| %*[^|]| %*[^|]| %lf | %lf | %lf | %lf | %lf | %lf", &f->lut, &f->ff,
                  &f->ram, &f->dsp, &f->cells, &f->median) == 6;
}

// The bars as text, and what is there; returns whether all are met.
static bool judge(const json_t *bars, const struct figures *f, char *text, char *there, size_t size)
{
    const char *key;
    json_t *value;
    bool met = true;

    text[0] = there[0] = 0;
    json_object_foreach((json_t *)bars, key, value)
    {
        double bar = json_number_value(value);
        bool is_fmax = !strcmp(key, "fmax");
        double have = is_fmax                 ? f->median
                      : !strcmp(key, "lut")   ? f->lut
                      : !strcmp(key, "cells") ? f->cells
                                              : f->ram;
        size_t n = strlen(text), m = strlen(there);

        met = met && (is_fmax ? have >= bar : have <= bar);
        snprintf(text + n, size - n, "%s%s %s %.0f", n ? ", " : "", key,
                 is_fmax ? ">=" : "<=", bar);
        snprintf(there + m, size - m, "%s%.*f", m ? ", " : "", is_fmax, have);
    }
    return met;
}

static void make_row(struct build *b, const char *out, int seeds, bool built)
{
    struct figures f;

    if (!built || !read_figures(out, b, seeds, &f)) {
        char path[512];
        snprintf(path, sizeof path, "%s.err", out);
        char *err = slurp(path);

        if (err)
            err[strcspn(err, "\n")] = 0;
        for (char *p = err; p && *p; p++)
            if (*p == '|')
                *p = '!';
        snprintf(b->row, sizeof b->row, "| %s | %s | | | | | | **failed** | %.300s | %s |", b->name,
                 b->target, err ? err : "", b->found ? b->hash : "no such module");
        free(err);
        return;
    }
    snprintf(b->row, sizeof b->row,
             "| %s | %s | %.0f | %.0f | %.0f | %.0f | %.0f | %.1f (%.1f) | %s | %s |", b->name,
             b->target, f.lut, f.ff, f.ram, f.dsp, f.cells, f.median, f.best, f.path, b->hash);
}

// Puts the text in place of what is from `begin` to `end` in the file; where they are not, behind
// it and the heading.
static void replace_block(const char *path, const char *begin, const char *end, const char *heading,
                          const char *text)
{
    char new[64], *old = slurp(path);
    const char *first = old ? strstr(old, begin) : NULL, *last = first ? strstr(first, end) : NULL;

    if (!old)
        fail("cannot read %s", path);
    snprintf(new, sizeof new, "%s.new", path);
    FILE *out = fopen(new, "w");
    if (!out)
        fail("cannot write %s: %s", new, strerror(errno));
    if (last)
        fwrite(old, 1, (size_t)(first - old), out);
    else
        fprintf(out, "%s\n## %s\n\n", old, heading);
    fprintf(out, "%s\n%s%s%s", begin, text, end, last ? last + strlen(end) : "\n");
    if (fclose(out) != 0 || rename(new, path) != 0)
        fail("cannot write %s: %s", path, strerror(errno));
    free(old);
}

// The table of bars from the rows, which must be there; to be freed.
static char *bars_table(const struct build *b, size_t count)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    if (!out)
        fail("out of memory");
    fputs("| build | bar | measured | met | aim |\n|---|---|---|---|---|\n", out);
    for (size_t i = 0; i < count; i++) {
        struct figures f;
        char bars[256], aims[256], there[256], aimed[256];
        bool failed = !row_figures(b[i].row, &f);
        bool met = judge(b[i].bars, &f, bars, there, sizeof bars);
        bool all = judge(b[i].aim, &f, aims, aimed, sizeof aims);

        if (!*bars && !*aims)
            continue;
        fprintf(out, "| %s, %s | %s | %s | %s | %s |\n", b[i].name, b[i].target, bars,
                failed ? "-" : there,
                failed || !met ? "**no**"
                : *aims && all ? "yes, and the aim"
                               : "yes",
                aims);
    }
    if (fclose(out) != 0)
        fail("out of memory");
    return text;
}

static void write_bars(const struct build *b, size_t count)
{
    char *text = bars_table(b, count);

    replace_block(RESULTS, BARS, BARS_END, "Bars", text);
    free(text);
}

static void write_table(const struct build *b, size_t count, int seeds)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    if (!out)
        fail("out of memory");
    fprintf(
        out,
        "Out of context, each module in a shell of flip-flops that is not counted. LUT4: on ECP5\n"
        "with 2 for a carry cell and 6 for 16x4 of distributed RAM. Cells: iCE40 logic cells,\n"
        "ECP5 TRELLIS_COMB, after packing. fmax in MHz: the median of %d placements, in brackets\n"
        "the best. Inputs: hash of what the row was made from.\n\n"
        "| build | target | LUT4 | FF | block RAM | DSP | cells | fmax | critical path | inputs |\n"
        "|---|---|---|---|---|---|---|---|---|---|\n",
        seeds);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%s\n", b[i].row);
    if (fclose(out) != 0)
        fail("out of memory");
    replace_block(README, BEGIN, END, "Size and speed", text);
    free(text);
}

static pid_t start(const struct build *b, const char *out, int seeds)
{
    char freq[16], list[4 * MAX_SEEDS] = "", err[512], words[sizeof b->files];
    const char *argv[VERILOG_FILES + 16] = {"sh", SYNTH, out,        b->target, b->top,
                                            freq, list,  b->options, b->params};
    size_t n = 9;

    snprintf(freq, sizeof freq, "%d", b->freq);
    for (int s = 1; s <= seeds; s++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%d ", s);
    memcpy(words, b->files, sizeof words);
    char *save = NULL;
    for (char *w = strtok_r(words, " ", &save); w; w = strtok_r(NULL, " ", &save))
        argv[n++] = w;
    snprintf(err, sizeof err, "%s.err", out);
    fflush(stdout);
    pid_t pid = fork();
    if (pid < 0)
        fail("fork: %s", strerror(errno));
    if (pid == 0) {
        if (!freopen(err, "w", stderr))
            _exit(126);
        execvp("sh", (char *const *)argv);
        _exit(127);
    }
    return pid;
}

static void path_of(char *text, size_t size, const char *out, size_t i)
{
    snprintf(text, size, "%s/build-%zu", out, i);
}

static int run(bool all, int jobs, int seeds, const char *out)
{
    json_t *root;
    size_t count, next = 0;
    int running = 0, failed = 0;
    char dir[400];
    struct build *b = read_builds(&root, &count);
    char *readme = slurp(README);

    if (!readme)
        fail("cannot read " README);
    if (mkdir(out, 0777) != 0 && errno != EEXIST)
        fail("cannot make %s: %s", out, strerror(errno));
    for (size_t i = 0; i < count; i++) {
        b[i].stale = all || !find_row(readme, b[i].name, b[i].row, sizeof b[i].row) ||
                     !strstr(b[i].row, b[i].hash) || strstr(b[i].row, "**failed**");
    }
    while (next < count || running) {
        while (next < count && running < jobs) {
            struct build *x = &b[next];

            path_of(dir, sizeof dir, out, next++);
            if (!x->stale)
                continue;
            if (!x->found) {
                fprintf(stderr, "report: %s: there is no module %s\n", x->name, x->top);
                make_row(x, "/nonexistent", seeds, false);
                failed++;
                continue;
            }
            printf("building: %s\n", x->name);
            x->pid = start(x, dir, seeds);
            running++;
        }
        if (!running)
            continue;
        int status;
        pid_t pid = wait(&status);
        for (size_t i = 0; i < count; i++) {
            if (pid <= 0 || b[i].pid != pid)
                continue;
            running--;
            path_of(dir, sizeof dir, out, i);
            make_row(&b[i], dir, seeds, status == 0);
            failed += strstr(b[i].row, "**failed**") != NULL;
            printf("%s\n", b[i].row);
        }
    }
    write_table(b, count, seeds);
    write_bars(b, count);
    puts("");
    for (size_t i = 0; i < count; i++)
        puts(b[i].row);
    free(readme);
    free(b);
    json_decref(root);
    return failed != 0;
}

// The bars' table from the README's rows. Exit status: 1 if a row is missing.
static int bars(void)
{
    json_t *root;
    size_t count;
    struct build *b = read_builds(&root, &count);
    char *readme = slurp(README);
    int status = 0;

    for (size_t i = 0; i < count && !status; i++)
        if (!readme || !find_row(readme, b[i].name, b[i].row, sizeof b[i].row)) {
            fprintf(stderr, "report: %s is not in " README ": run make report\n", b[i].name);
            status = 1;
        }
    if (!status)
        write_bars(b, count);
    free(readme);
    free(b);
    json_decref(root);
    return status;
}

static int check(void)
{
    json_t *root;
    size_t count;
    bool bad = false;
    struct build *b = read_builds(&root, &count);
    char *readme = slurp(README), *results = slurp(RESULTS);

    printf("1..%zu\n", count + 1);
    for (size_t i = 0; i < count; i++) {
        const char *why = NULL;

        bool there = readme && find_row(readme, b[i].name, b[i].row, sizeof b[i].row);
        if (!b[i].found)
            why = "there is no such module";
        else if (!there)
            why = "it is not in the table";
        else if (!strstr(b[i].row, b[i].hash))
            why = "it has changed since the table was made";
        else if (strstr(b[i].row, "**failed**"))
            why = "it could not be built";
        printf("%s %zu - report: %s\n", why ? "not ok" : "ok", i + 1, b[i].name);
        if (why)
            printf("# %s: run make report\n", why);
        bad = bad || why;
    }
    char *table = bars_table(b, count);
    const char *there = results ? strstr(results, BARS "\n") : NULL;
    bool same = there && !strncmp(there + strlen(BARS "\n"), table, strlen(table)) &&
                !strncmp(there + strlen(BARS "\n") + strlen(table), BARS_END, strlen(BARS_END));
    printf("%s %zu - report: the bars in " RESULTS "\n", same ? "ok" : "not ok", count + 1);
    if (!same)
        puts("# they are not what the rows say: run report bars, or make report");
    bad = bad || !same;
    free(table);
    free(results);
    free(readme);
    free(b);
    json_decref(root);
    return bad;
}

static int usage(void)
{
    fputs("usage: report run [-a] [-j JOBS] [-s SEEDS] OUT | report bars | report check | report "
          "wrap JSON | report files MODULE FILE...\n",
          stderr);
    return 2;
}

// Of these files those that a module is made from, on a line.
static int files(const char *module, char *const *paths)
{
    struct verilog_files s = {0};
    char used[VERILOG_FILES * 64];
    int status = 2;

    for (; *paths; paths++)
        verilog_read(&s, *paths, false);
    if (verilog_find(&s, module)) {
        verilog_paths(&s, used, sizeof used);
        puts(used);
        status = 0;
    } else {
        fprintf(stderr, "report: none of the files has module %s\n", module);
    }
    verilog_free(&s);
    return status;
}

int main(int argc, char **argv)
{
    bool all = false;
    long jobs = 2, seeds = 3;
    int opt;

    if (argc == 2 && !strcmp(argv[1], "check"))
        return check();
    if (argc == 2 && !strcmp(argv[1], "bars"))
        return bars();
    if (argc == 3 && !strcmp(argv[1], "wrap"))
        return wrap(argv[2]);
    if (argc > 3 && !strcmp(argv[1], "files"))
        return files(argv[2], argv + 3);
    if (argc < 3 || strcmp(argv[1], "run") != 0)
        return usage();
    optind = 2;
    while ((opt = getopt(argc, argv, "aj:s:")) != -1) {
        if (opt == 'a')
            all = true;
        else if (opt == 'j')
            jobs = strtol(optarg, NULL, 10);
        else if (opt == 's')
            seeds = strtol(optarg, NULL, 10);
        else
            return usage();
    }
    if (optind + 1 != argc || jobs < 1 || jobs > 64 || seeds < 1 || seeds > MAX_SEEDS)
        return usage();
    setenv("REPORT", argv[0], 1);
    return run(all, (int)jobs, (int)seeds, argv[optind]);
}
