// SPDX-License-Identifier: Apache-2.0
// lint-flags: -Itests
//
// seeds: what a board's clocks come to with several placements, a row of a table in README.md.
//
//     seeds BOARD INPUTS MHZ WIRES SEED=REPORT...
//
// INPUTS: the hash of what it was made from; MHZ: the board's clock; WIRES: of a cable, each way;
// REPORT: nextpnr's figures (--report) of the placement with that seed. Of each placement the
// chip's clock counts, and the slowest of those that cables bring. Run from the top folder by
// seeds.sh.
//
// Exit status: 0 good; 2 wrong use, a report that is none, or a README without the board's row.

#define _POSIX_C_SOURCE 200809L
#include "verilog_inputs.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define README "constraints/README.md"
#define BEGIN  "<!-- seeds: begin; made by `make report`, do not edit -->\n"
#define END    "<!-- seeds: end -->"

enum { MAX_SEEDS = 9, MAX_MHZ = 10000, TEXT = 1024 };

const char *const program_name = "seeds";

// The slowest of a report's clocks that are a cable's, or that are none.
static double slowest(const json_t *fmax, bool cable)
{
    const char *name;
    json_t *clock;
    double least = 0;

    json_object_foreach((json_t *)fmax, name, clock)
    {
        double mhz = json_number_value(json_object_get(clock, "achieved"));
        if (!strstr(name, "cable_rx_clk") == !cable && (least <= 0 || mhz < least))
            least = mhz;
    }
    return least;
}

static void read_report(const char *path, double *chip, double *cable)
{
    json_error_t error;
    json_t *root = json_load_file(path, 0, &error);

    if (!root)
        fail("%s:%d: %s", path, error.line, error.text);
    *chip = slowest(json_object_get(root, "fmax"), false);
    *cable = slowest(json_object_get(root, "fmax"), true);
    json_decref(root);
    if (*chip <= 0 || *cable <= 0)
        fail("%s: no clock of the chip, or none of a cable", path);
    if (*chip > MAX_MHZ || *cable > MAX_MHZ)
        fail("%s: a clock of over %d MHz", path, MAX_MHZ);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

// "63.6, 64.1, 62.9 | MEDIAN | BEST", MHz, which are in order then. There is room.
static size_t print_clocks(char *text, size_t size, double *mhz, size_t count)
{
    size_t n = 0;

    for (size_t i = 0; i < count; i++)
        n += (size_t)snprintf(text + n, size - n, "%s%.1f", i ? ", " : "", mhz[i]);
    qsort(mhz, count, sizeof *mhz, ascending);
    double median = (mhz[(count - 1) / 2] + mhz[count / 2]) / 2;
    return n + (size_t)snprintf(text + n, size - n, " | %.1f | %.1f", median, mhz[count - 1]);
}

// A number from 1 to most, whose digits end at `end`.
static long number(const char *text, const char *end, long most, const char *what)
{
    char *stop;
    long n = strtol(text, &stop, 10);

    if (*text < '0' || *text > '9' || stop != end || n < 1 || n > most)
        fail("%s: %s must be a number from 1 to %ld", text, what, most);
    return n;
}

// Puts the row in the place of the board's, between the marks.
static void record(const char *board, const char *row)
{
    char head[128], *readme = slurp(README);
    char *begin = readme ? strstr(readme, BEGIN) : NULL, *end = begin ? strstr(begin, END) : NULL;

    if (!end)
        fail(README ": the lines \"%.*s\" and \"" END "\" are missing", (int)strlen(BEGIN) - 1,
             BEGIN);
    snprintf(head, sizeof head, "\n| %s |", board);
    char *from = strstr(begin, "\n|---|");
    from = from ? strstr(from, head) : NULL;
    if (!from || from > end)
        fail(README ": there is no row | %s | to put it in", board);
    char *behind = strchr(from + 1, '\n');
    FILE *out = fopen(README ".new", "w");
    if (!out)
        fail("cannot write " README ".new: %s", strerror(errno));
    fprintf(out, "%.*s\n%s%s", (int)(from - readme), readme, row, behind);
    if (fclose(out) != 0 || rename(README ".new", README) != 0)
        fail("cannot write " README ": %s", strerror(errno));
    free(readme);
}

int main(int argc, char **argv)
{
    double chip[MAX_SEEDS], cable[MAX_SEEDS]; // MHz, by seed
    size_t count = argc > 5 ? (size_t)argc - 5 : 0, n;
    char row[TEXT], seeds[MAX_SEEDS * 10] = "";

    if (count < 1 || count > MAX_SEEDS)
        fail("usage: seeds BOARD INPUTS MHZ WIRES SEED=REPORT..., 1 to %d of them", MAX_SEEDS);
    if (strlen(argv[1]) > 64 || strlen(argv[2]) > 64)
        fail("%.64s, %.64s: the name of a board and a hash are shorter", argv[1], argv[2]);
    long mhz = number(argv[3], strchr(argv[3], 0), MAX_MHZ, "MHZ");
    long wires = number(argv[4], strchr(argv[4], 0), 64, "WIRES");
    for (size_t i = 0; i < count; i++) {
        const char *path = strchr(argv[5 + i], '=');
        if (!path)
            fail("%s: not SEED=REPORT", argv[5 + i]);
        n = strlen(seeds);
        snprintf(seeds + n, sizeof seeds - n, "%s%ld", i ? ", " : "",
                 number(argv[5 + i], path, 1000000, "SEED"));
        read_report(path + 1, &chip[i], &cable[i]);
    }
    n = (size_t)snprintf(row, sizeof row, "| %s | %s | %ld | %.3f | %s | ", argv[1], argv[2], mhz,
                         (double)(mhz * wires) / 1000, seeds);
    n += print_clocks(row + n, sizeof row - n, chip, count);
    n += (size_t)snprintf(row + n, sizeof row - n, " | ");
    n += print_clocks(row + n, sizeof row - n, cable, count);
    snprintf(row + n, sizeof row - n, " |");
    record(argv[1], row);
    puts(row);
    return 0;
}
