// SPDX-License-Identifier: Apache-2.0
// lint-flags: -Itests
//
// board: what `make bitstream` knows of a board, from constraints/BOARD.json and its pins, .pcf
// (iCE40) or .lpf (ECP5).
//
//     board facts   BOARD                        shell assignments for bitstream.sh
//     board verilog BOARD FOLDER                 what it is made from, into FOLDER
//     board pattern KIB                          content for a RAM of 32-bit words, in which the
//                                                place of every bit can be found again
//     board pins    BOARD [REPOSITORY=FOLDER...] TAP: does the record of the pins hold?
//     board result  BOARD FOLDER [record]        what a build came to; record: into README.md
//     board check   BOARD                        TAP: is the README's table good, and of what is
//     here?
//
// Run from the top folder. Synthesis gives cells names with lines in them, and what is made of them
// may depend on that; so `verilog` writes what the hash is of, files without comments and empty
// lines. Each pin is recorded with the name and line that each source has for it, null where it
// says nothing; two of different repositories must say something. Of each cable's wire a source
// says which number its pin has at the header (header.h). With checkouts of the sources'
// repositories `pins` looks there. A board that differs from another only in its FPGA has the pins
// of that: "pins_of" names it.
//
// A table of other inputs stays true of those, and is only said to be old: not everybody who
// changes a router has to place and route it.
//
// With BOARD_SEED in the environment all is as if BOARD.json had that seed: seeds.sh places a board
// with several.
//
// Exit status: 0 good; 1 something does not hold; 2 wrong use or a malformed file; 3 of `check`:
// the table is good, but of other inputs, or the README says that there is none.

#define _POSIX_C_SOURCE 200809L
#include "header.h"
#include "verilog_inputs.h"

#include <ctype.h>
#include <errno.h>
#include <glob.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FOLDER      "constraints/"
#define README      FOLDER "README.md"
#define FLOW        FOLDER "bitstream.sh"
#define RAM_ECP5    "rtl/top/test/DP16KD.v" // its outputs' delay, for mapping
#define TOOLS       "tests/ecp5_tools.txt"
#define TOOLS_ICE40 "tests/ice40_tools.txt" // beside the others
#define NEVER       "Not built yet.\n"      // in place of a board's table

enum { MAX_PINS = 512, MAX_SOURCES = 6, TEXT = 1024, CELLS_MIN = 1, MAX_SEED = 1000000 };

const char *const program_name = "board";

struct board {
    const char *name;
    const char *pins_of;   // the board whose pins these are; itself, if no other
    json_t *root, *record; // BOARD.json, and that of the board whose pins these are
    const char *fpga, *package, *top, *serial, *synth;
    char parameters[TEXT]; // of the top, other than its defaults: NAME=NUMBER, with blanks between
    int seed, clock_mhz, flash_kib, firmware_kib;
    bool ecp5;
    char *pins; // the .pcf or .lpf without comments
    char hash[17];
    struct verilog_files files;
};

// ---- the files ----------------------------------------------------------------------------------

static void list_boards(char *text, size_t size)
{
    glob_t g = {0};
    size_t n = 0;

    text[0] = 0;
    if (glob(FOLDER "*.json", 0, NULL, &g) != 0)
        fail("no boards in " FOLDER ": not in the top folder?");
    for (size_t i = 0; i < g.gl_pathc && n < size; i++) {
        const char *base = strrchr(g.gl_pathv[i], '/') + 1;
        n += (size_t)snprintf(text + n, size - n, "%s%.*s", i ? ", " : "", (int)(strlen(base) - 5),
                              base);
    }
    globfree(&g);
}

static const char *text_of(const struct board *b, const char *key)
{
    const char *text = json_string_value(json_object_get(b->root, key));

    if (!text || strpbrk(text, "|\n'"))
        fail(FOLDER "%s.json: \"%s\" is missing or not one line of text without | and '", b->name,
             key);
    return text;
}

static int number_of(const struct board *b, const char *key, int max)
{
    json_int_t n = json_integer_value(json_object_get(b->root, key));

    if (n < 1 || n > max)
        fail(FOLDER "%s.json: \"%s\" is not a number from 1 to %d", b->name, key, max);
    return (int)n;
}

static int seed_of(const struct board *b)
{
    const char *other = getenv("BOARD_SEED");
    char *end;
    long seed = other ? strtol(other, &end, 10) : number_of(b, "seed", MAX_SEED);

    if (other && (!isdigit((unsigned char)*other) || *end || seed < 1 || seed > MAX_SEED))
        fail("BOARD_SEED='%s': must be a number from 1 to %d", other, MAX_SEED);
    return (int)seed;
}

static void read_parameters(struct board *b)
{
    const json_t *all = json_object_get(b->root, "parameters");
    const char *name;
    json_t *value;
    size_t n = 0;

    if (all && !json_is_object(all))
        fail(FOLDER "%s.json: \"parameters\" is no object", b->name);
    json_object_foreach((json_t *)all, name, value)
    {
        if (!json_is_integer(value) || !isalpha((unsigned char)name[0]) || n > TEXT / 2 ||
            name[strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_")])
            fail(FOLDER "%s.json: \"parameters\": %s: capital letters and a number each", b->name,
                 name);
        n += (size_t)snprintf(b->parameters + n, TEXT - n, "%s%s=%d", n ? " " : "", name,
                              (int)json_integer_value(value));
    }
}

// Without comments and what stands before a line's end for nothing.
static void strip_pins(char *text)
{
    char *to = text;

    for (char *line = text; *line;) {
        size_t len = strcspn(line, "\n"), keep = strcspn(line, "#\n");
        char *next = line + len + (line[len] == '\n');

        while (keep && isspace((unsigned char)line[keep - 1]))
            keep--;
        memmove(to, line, keep);
        to += keep;
        if (keep)
            *to++ = '\n';
        line = next;
    }
    *to = 0;
}

static json_t *read_board(const char *name)
{
    char path[TEXT], known[TEXT];
    json_error_t error;
    bool plain = name[0] && strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == strlen(name);

    snprintf(path, sizeof path, FOLDER "%s.json", name);
    char *text = plain ? slurp(path) : NULL;
    if (!text && plain && strstr(name, "5a-75"))
        fail("\"%s\": its level shifters are outputs only, so nothing comes in over a cable", name);
    if (!text) {
        list_boards(known, sizeof known);
        fail("there is no board \"%s\"; BOARD is one of: %s", name, known);
    }
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    free(text);
    if (!root)
        fail("%s:%d: %s", path, error.line, error.text);
    return root;
}

static void load(struct board *b, const char *name)
{
    char path[TEXT];

    *b = (struct board){.name = name, .pins_of = name, .root = read_board(name)};
    if (json_object_get(b->root, "pins_of"))
        b->pins_of = text_of(b, "pins_of");
    b->record = read_board(b->pins_of);
    const char *wrong = header_share(b->record);
    if (wrong)
        fail(FOLDER "%s.json: %s", b->pins_of, wrong);
    if (json_object_get(b->record, "pins_of"))
        fail(FOLDER "%s.json: \"pins_of\": %s has no pins of its own", name, b->pins_of);
    b->fpga = text_of(b, "fpga");
    b->package = text_of(b, "package");
    b->top = text_of(b, "top");
    b->serial = text_of(b, "serial");
    b->synth = text_of(b, "synth");
    b->seed = seed_of(b);
    b->clock_mhz = number_of(b, "clock_mhz", 1000);
    b->flash_kib = number_of(b, "flash_kib", 1 << 20);
    b->firmware_kib = number_of(b, "firmware_kib", b->flash_kib);

    read_parameters(b);

    b->ecp5 = !strncmp(b->fpga, "ecp5", 4);
    snprintf(path, sizeof path, FOLDER "%s.%s", b->pins_of, b->ecp5 ? "lpf" : "pcf");
    b->pins = slurp(path);
    char *flow = slurp(FLOW);
    if (!b->pins || !flow)
        fail("cannot read %s", b->pins ? FLOW : path);
    strip_pins(b->pins);

    verilog_read_rtl(&b->files, true);
    if (!verilog_find(&b->files, b->top))
        fail(FOLDER "%s.json: there is no module %s in rtl", name, b->top);
    uint64_t hash = hash_text(hash_text(hash_start(), flow), b->pins);
    hash = hash_text(hash_text(hash_text(hash, b->fpga), b->package), b->top);
    hash = hash_text(hash_text(hash_text(hash, b->serial), b->synth), b->parameters);
    hash = hash_bytes(hash, &b->seed, sizeof b->seed);
    hash = hash_bytes(hash, &b->clock_mhz, sizeof b->clock_mhz);
    const char *other = b->ecp5 ? RAM_ECP5 : TOOLS_ICE40;
    char *tools = slurp(TOOLS), *more = slurp(other);
    if (!tools || !more)
        fail("cannot read " TOOLS " and %s", other);
    hash = hash_text(hash_text(hash, tools), more);
    snprintf(b->hash, sizeof b->hash, "%016llx", (unsigned long long)hash_verilog(hash, &b->files));
    free(tools);
    free(more);
    free(flow);
}

static int facts(const struct board *b)
{
    char files[VERILOG_FILES * 64];

    verilog_paths(&b->files, files, sizeof files);
    printf("fpga='%s' package='%s' pins_of='%s' top='%s' serial='%s' synth='%s' parameters='%s'\n"
           "seed=%d clock_mhz=%d flash_kib=%d firmware_kib=%d inputs=%s\nfiles='%s'\n",
           b->fpga, b->package, b->pins_of, b->top, b->serial, b->synth, b->parameters, b->seed,
           b->clock_mhz, b->flash_kib, b->firmware_kib, b->hash, files);
    return 0;
}

static void write_text(const char *folder, const char *name, const char *text)
{
    char path[TEXT];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *out = fopen(path, "w");
    if (!out || fputs(text, out) < 0 || fclose(out) != 0)
        fail("cannot write %s: %s", path, strerror(errno));
}

static int verilog(const struct board *b, const char *folder)
{
    char *defs = slurp("rtl/regs/ofr_defs.vh");

    if (!defs)
        fail("cannot read rtl/regs/ofr_defs.vh");
    write_text(folder, "ofr_defs.vh", defs);
    for (size_t i = 0; i < b->files.count; i++)
        if (b->files.file[i].used)
            write_text(folder, strrchr(b->files.file[i].path, '/') + 1, b->files.file[i].code);
    free(defs);
    return 0;
}

// Numbers from a fixed seed (xorshift).
static int pattern(const char *kib)
{
    uint32_t x = 2463534242;
    char *end;
    long size = strtol(kib, &end, 10);

    if (*end || size < 1 || size > 1024)
        fail("pattern: '%s' is no size of a RAM, 1 to 1024 KiB", kib);
    for (long i = size * 256; i > 0; i--) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        printf("%08x\n", (unsigned)x);
    }
    return 0;
}

// ---- the record of the pins ---------------------------------------------------------------------

static bool has_word(const char *line, size_t len, const char *word)
{
    size_t n = strlen(word);

    for (size_t i = 0; n && i + n <= len; i++)
        if (!memcmp(line + i, word, n) && (i == 0 || !isalnum((unsigned char)line[i - 1])) &&
            (i + n == len || !isalnum((unsigned char)line[i + n])))
            return true;
    return false;
}

// Whether a line of the .pcf or .lpf puts a port onto a pin, and which.
static bool places(const struct board *b, const char *line, char port[64], char pin[16])
{
    return sscanf(line, b->ecp5 ? "LOCATE COMP \"%63[^\"]\" SITE \"%15[^\"]\"" : "set_io %63s %15s",
                  port, pin) == 2;
}

// The pin of a port, false if there is none.
static bool pin_of(const struct board *b, const char *port, char pin[16])
{
    char p[64];

    for (const char *line = b->pins; *line; line = strchr(line, '\n') + 1)
        if (places(b, line, p, pin) && !strcmp(p, port))
            return true;
    return false;
}

// Whether the line of the source at `file` has the name and the pin.
static bool line_says(const char *file, json_int_t number, const char *name, const char *pin)
{
    char *text = slurp(file);
    const char *line = text;
    bool good = false;

    for (json_int_t n = 1; line && n < number; n++) {
        line = strchr(line, '\n');
        line = line ? line + 1 : NULL;
    }
    if (line) {
        size_t len = strcspn(line, "\n");
        good = has_word(line, len, name) && has_word(line, len, pin);
    }
    free(text);
    return good;
}

// What is wrong with the record of one pin, in `why`.
static bool pin_holds(const struct board *b, const json_t *entry, size_t sources,
                      const char *const *repository, char why[TEXT])
{
    const char *port = json_string_value(json_object_get(entry, "port"));
    const char *pin = json_string_value(json_object_get(entry, "pin"));
    const json_t *said = json_object_get(entry, "said");
    char placed[16];

    if (!port || !pin || json_array_size(said) != sources) {
        snprintf(why, TEXT,
                 "a pin needs port, pin, and in \"said\" a name and line, or null, of each source");
        return false;
    }
    const char *first = NULL; // repository that names it
    bool two = false;
    for (size_t i = 0; i < sources; i++) {
        const json_t *s = json_array_get(said, i);
        if (json_is_null(s))
            continue;
        if (!json_is_string(json_array_get(s, 0)) || json_integer_value(json_array_get(s, 1)) < 1) {
            snprintf(why, TEXT, "%s: source %zu says no name and line", port, i + 1);
            return false;
        }
        two = two || (first && strcmp(first, repository[i]) != 0);
        first = repository[i];
    }
    if (!two) {
        snprintf(why, TEXT, "%s is named by no two sources of different repositories", port);
        return false;
    }
    if (!pin_of(b, port, placed)) {
        snprintf(why, TEXT, "%s is not among the pins for the tools", port);
        return false;
    }
    if (strcmp(placed, pin) != 0) {
        snprintf(why, TEXT, "%s is %s in the record, %s for the tools", port, pin, placed);
        return false;
    }
    return true;
}

static bool result(int *number, bool good, const char *name, const char *why)
{
    printf("%s %d - %s\n", good ? "ok" : "not ok", ++*number, name);
    if (!good)
        printf("# %s\n", why);
    return good;
}

// The folder that REPOSITORY=FOLDER names for this one; NULL: it is for another.
static const char *checkout(const char *argument, const char *repository)
{
    size_t length = strlen(repository);
    return !strncmp(argument, repository, length) && argument[length] == '=' ? argument + length + 1
                                                                             : NULL;
}

// The checkout of a repository among the arguments, NULL if it is not there.
static const char *folder_of(const char *repository, int argc, char **argv)
{
    const char *at = NULL;

    for (int a = 0; a < argc; a++) {
        const char *folder = checkout(argv[a], repository);
        at = folder ? folder : at;
    }
    return at;
}

// The sources of a list, behind the `count` that there are. false: one is not whole.
static bool read_sources(const json_t *sources, size_t *count, const char *repository[MAX_SOURCES],
                         const char *path[MAX_SOURCES])
{
    for (size_t i = 0; i < json_array_size(sources); i++, (*count)++) {
        const json_t *s = json_array_get(sources, i);
        const char *commit = json_string_value(json_object_get(s, "commit"));
        if (*count == MAX_SOURCES)
            return false;
        repository[*count] = json_string_value(json_object_get(s, "repository"));
        path[*count] = json_string_value(json_object_get(s, "path"));
        if (!repository[*count] || !path[*count] || !commit || strlen(commit) != 40 ||
            strspn(commit, "0123456789abcdef") != 40)
            return false;
    }
    return true;
}

// Whether the lines of a source, the file, have the pins.
static bool lines_hold(const json_t *list, size_t source, const char *path, const char *file,
                       char why[TEXT])
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *entry = json_array_get(list, i);
        const json_t *said = json_array_get(json_object_get(entry, "said"), source);
        const char *as = json_string_value(json_array_get(said, 0));
        const char *pin = json_string_value(json_object_get(entry, "pin"));
        json_int_t line = json_integer_value(json_array_get(said, 1));
        if (!json_is_null(said) && (!as || !pin || !line_says(file, line, as, pin))) {
            snprintf(why, TEXT, "%s:%d does not say %s at %s", path, (int)line, as ? as : "?",
                     pin ? pin : "?");
            return false;
        }
    }
    return true;
}

// A result: whether a source says the pins, or the numbers at the header, as the record has it.
static bool in_source(const struct board *b, int *number, size_t source, bool numbers,
                      const char *repository, const char *path, int argc, char **argv)
{
    const char *at = folder_of(repository, argc, argv);
    char why[TEXT] = "", name[TEXT], file[TEXT];

    snprintf(name, sizeof name, "%s: the %s are so in %s, %s", b->name,
             numbers ? "numbers at the header" : "pins", repository, path);
    if (!at) {
        printf("ok %d - %s # SKIP no checkout\n", ++*number, name);
        return true;
    }
    snprintf(file, sizeof file, "%s/%s", at, path);
    char *text = slurp(file);
    bool good = text != NULL;
    if (!good)
        snprintf(why, sizeof why, "%.300s: %s", file, strerror(errno));
    else if (numbers)
        good = header_holds(b->record, path, text, why, sizeof why);
    else
        good = lines_hold(json_object_get(b->record, "pins"), source, path, file, why);
    free(text);
    return result(number, good, name, why);
}

static int pins(const struct board *b, int argc, char **argv)
{
    const json_t *list = json_object_get(b->record, "pins"), *entry;
    const json_t *more = json_object_get(json_object_get(b->record, "header"), "sources");
    size_t count = 0, named, i, k;
    char why[TEXT] = "", name[TEXT];
    const char *repository[MAX_SOURCES], *path[MAX_SOURCES];
    bool good, all = true;
    int number = 0;

    good = read_sources(json_object_get(b->record, "sources"), &count, repository, path);
    named = count;
    good = good && named >= 2 && read_sources(more, &count, repository, path);
    for (int a = 0; a < argc && good; a++) {
        char known[TEXT] = "";
        for (k = 0; k < count && !checkout(argv[a], repository[k]); k++)
            snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s=FOLDER",
                     k ? " or " : "", repository[k]);
        if (k == count)
            fail("%s: '%s' is no checkout of a source: say %s", b->name, argv[a], known);
    }
    snprintf(name, sizeof name, "%s: two sources or more, each with its commit", b->name);
    if (!result(&number, good, name, "each needs repository, path and the commit's 40 digits"))
        goto end;

    size_t placed = 0;
    char port[64], pin[16];
    for (const char *line = b->pins; *line; line = strchr(line, '\n') + 1)
        placed += places(b, line, port, pin);
    good = json_array_size(list) == placed && placed > 0;
    snprintf(why, sizeof why, "%zu pins are recorded, %zu are for the tools", json_array_size(list),
             placed);
    json_array_foreach((json_t *)list, i, entry)
    {
        for (k = 0; k < i && good; k++) {
            const json_t *other = json_array_get(list, k);
            if (json_equal(json_object_get(entry, "port"), json_object_get(other, "port")) ||
                json_equal(json_object_get(entry, "pin"), json_object_get(other, "pin"))) {
                good = false;
                snprintf(why, sizeof why, "entries %zu and %zu have the same port or pin", k + 1,
                         i + 1);
            }
        }
        good = good && pin_holds(b, entry, named, repository, why);
    }
    snprintf(name, sizeof name, "%s: the record has every pin that the tools get, and agrees",
             b->name);
    all = result(&number, good, name, why);

    for (k = 0; k < named; k++)
        all = in_source(b, &number, k, false, repository[k], path[k], argc, argv) && all;
    good = header_holds(b->record, NULL, NULL, why, sizeof why);
    snprintf(name, sizeof name, "%s: a source numbers each wire at the header", b->name);
    all = result(&number, good, name, why) && all;
    for (k = 0; k < count; k++)
        if (header_reads(b->record, path[k]))
            all = in_source(b, &number, k, true, repository[k], path[k], argc, argv) && all;
end:
    printf("1..%d\n", number);
    return all && good ? 0 : 1;
}

// ---- results ------------------------------------------------------------------------------------

// The parts of a board by the names of their instances; the first that matches counts.
static const struct part {
    const char *name, *instance; // in the board's top, for ECP5 in its instance `chip`
} parts[] = {
    {"cables' links", "board.links."},
    {"OFR unit", "board.node.routing.g_ofr."},
    {"router", "board.node.routing."},
    {"counters", "board.node.g_count"},
    {"local port and mailbox", "board.node.local_port."},
    {"registers of the node", "board.node."},
    {"core", "board.soc.core."},
    {"UART", "board.soc.uart."},
    {"rest of the SoC", "board.soc."},
    {"clock, reset, LEDs, cells that only pass a carry on", ""},
};

enum { PARTS = sizeof parts / sizeof parts[0] };

// What is counted of a part. An iCE40's cell is a flip-flop, too, where DFF_ENABLE says so.
enum { CELLS, FLIP_FLOPS, RAMS, MULTIPLIERS, KINDS };
static const char *const kinds_ecp5[KINDS] = {"TRELLIS_COMB", "TRELLIS_FF", "DP16KD", "MULT18X18D"};
static const char *const kinds_ice40[KINDS] = {"ICESTORM_LC", "", "ICESTORM_RAM", ""};

struct figures {
    int cells, cells_there, ram, ram_there;
    double fmax;
    int part[PARTS][KINDS];
    char sha256[65];
};

static size_t part_of(const char *cell)
{
    const char *inner = strncmp(cell, "chip.", 5) ? cell : cell + 5;
    size_t p = 0;

    while (strncmp(inner, parts[p].instance, strlen(parts[p].instance)) != 0)
        p++;
    return p;
}

static json_t *json_of(const char *folder, const char *file)
{
    char path[TEXT];
    json_error_t error;

    snprintf(path, sizeof path, "%s/%s", folder, file);
    json_t *root = json_load_file(path, 0, &error);
    if (!root && error.line < 0) // the file could not be opened; its name is in the text
        fail("%s; first: make bitstream", error.text);
    if (!root)
        fail("%s:%d: %s", path, error.line, error.text);
    return root;
}

static void used_of(const json_t *report, const char *type, int *used, int *there)
{
    const json_t *u = json_object_get(json_object_get(report, "utilization"), type);

    *used = (int)json_integer_value(json_object_get(u, "used"));
    *there = (int)json_integer_value(json_object_get(u, "available"));
}

static void read_figures(const struct board *b, struct figures *f, const char *folder)
{
    const char *const *kinds = b->ecp5 ? kinds_ecp5 : kinds_ice40;
    json_t *report = json_of(folder, "report.json"), *netlist = json_of(folder, "placed.json");
    json_t *clock, *module, *cell;
    const char *key, *name;
    char path[TEXT];

    *f = (struct figures){.fmax = 1e9};
    used_of(report, kinds[CELLS], &f->cells, &f->cells_there);
    used_of(report, kinds[RAMS], &f->ram, &f->ram_there);
    json_object_foreach(json_object_get(report, "fmax"), key, clock)
    {
        double mhz = json_number_value(json_object_get(clock, "achieved"));
        f->fmax = mhz < f->fmax ? mhz : f->fmax;
    }
    json_object_foreach(json_object_get(netlist, "modules"), key, module)
    {
        json_object_foreach(json_object_get(module, "cells"), name, cell)
        {
            const char *type = json_string_value(json_object_get(cell, "type"));
            const char *flip_flop = json_string_value(
                json_object_get(json_object_get(cell, "parameters"), "DFF_ENABLE"));
            size_t p, kind = 0;
            while (kind < KINDS && (!type || strcmp(type, kinds[kind]) != 0))
                kind++;
            if (kind == KINDS)
                continue;
            p = part_of(name);
            f->part[p][kind]++;
            if (!b->ecp5 && kind == CELLS && flip_flop && !strcmp(flip_flop, "1"))
                f->part[p][FLIP_FLOPS]++;
        }
    }
    json_decref(report);
    json_decref(netlist);
    snprintf(path, sizeof path, "%s/sha256", folder);
    char *sum = slurp(path);
    snprintf(f->sha256, sizeof f->sha256, "%s", sum ? sum : "");
    free(sum);
    if (f->cells < CELLS_MIN || f->fmax >= 1e9 || strlen(f->sha256) != 64)
        fail("%s: the results are not all there", folder);
}

// What is in each tile: lines `X Y PART`, of the part that has most of its cells.
static int tiles(const char *folder)
{
    enum { SIDE = 128 };
    unsigned(*count)[SIDE][PARTS] = calloc(SIDE, sizeof *count), x, y;
    json_t *netlist = json_of(folder, "placed.json"), *module, *cell;
    const char *key, *name;

    if (!count)
        fail("out of memory");
    json_object_foreach(json_object_get(netlist, "modules"), key, module)
    {
        json_object_foreach(json_object_get(module, "cells"), name, cell)
        {
            const char *bel = json_string_value(
                json_object_get(json_object_get(cell, "attributes"), "NEXTPNR_BEL"));
            if (bel && sscanf(bel, "X%u/Y%u/", &x, &y) == 2 && x < SIDE && y < SIDE)
                count[x][y][part_of(name)]++;
        }
    }
    for (x = 0; x < SIDE; x++)
        for (y = 0; y < SIDE; y++) {
            size_t most = 0;
            for (size_t p = 1; p < PARTS; p++)
                most = count[x][y][p] > count[x][y][most] ? p : most;
            if (count[x][y][most])
                printf("%u %u %s\n", x, y, parts[most].name);
        }
    json_decref(netlist);
    free(count);
    return 0;
}

static void mark(char *text, size_t size, const struct board *b, const char *which)
{
    snprintf(text, size, "<!-- bitstream %s: %s -->", b->name, which);
}

static void print_tables(FILE *out, const struct board *b, const struct figures *f)
{
    fprintf(out,
            "| board | inputs | SHA-256 of the bitstream | cells | block RAM | clock | fmax |\n"
            "|---|---|---|---|---|---|---|\n"
            "| %s | %s | %s | %d of %d | %d of %d | %d MHz | %.1f MHz |\n\n"
            "| part | cells | flip-flops | block RAM | multipliers |\n|---|---|---|---|---|\n",
            b->name, b->hash, f->sha256, f->cells, f->cells_there, f->ram, f->ram_there,
            b->clock_mhz, f->fmax);
    for (size_t p = 0; p < PARTS; p++)
        fprintf(out, "| %s | %d | %d | %d | %d |\n", parts[p].name, f->part[p][CELLS],
                f->part[p][FLIP_FLOPS], f->part[p][RAMS], f->part[p][MULTIPLIERS]);
}

// The part of the README between the board's marks; ends the program where they are not there.
static char *find_region(char *readme, const struct board *b, size_t *len)
{
    char begin[128], end[128];

    mark(begin, sizeof begin, b, "begin; made by `make bitstream RECORD=1`, do not edit");
    mark(end, sizeof end, b, "end");
    char *from = readme ? strstr(readme, begin) : NULL;
    char *to = from ? strstr(from, end) : NULL;
    if (!to)
        fail(README ": the lines \"%s\" and \"%s\" are missing", begin, end);
    from += strlen(begin) + 1;
    *len = (size_t)(to - from);
    return from;
}

static int result_of(const struct board *b, const char *folder, bool record)
{
    struct figures f;
    char *readme = slurp(README);
    size_t len;
    const char *region = find_region(readme, b, &len);
    int status = 0;

    read_figures(b, &f, folder);
    print_tables(stdout, b, &f);
    if (f.fmax < b->clock_mhz) {
        fprintf(stderr, "board: %s: %.1f MHz where its clock is %d\n", b->name, f.fmax,
                b->clock_mhz);
        status = 1;
    }
    if (!status && record) {
        FILE *out = fopen(README ".new", "w");
        if (!out)
            fail("cannot write " README ".new: %s", strerror(errno));
        fwrite(readme, 1, (size_t)(region - readme), out);
        print_tables(out, b, &f);
        fputs(region + len, out);
        if (fclose(out) != 0 || rename(README ".new", README) != 0)
            fail("cannot write " README ": %s", strerror(errno));
    }
    free(readme);
    return status;
}

static int check(const struct board *b)
{
    char *readme = slurp(README), row[256], name[TEXT], why[TEXT];
    size_t len;
    char *region = find_region(readme, b, &len);
    char hash[17] = "", sum[65] = "";
    int cells = 0, cells_there = 0, ram = 0, ram_there = 0, clock = 0, number = 0;
    double fmax = 0;

    region[len] = 0;
    if (!strcmp(region, NEVER)) {
        printf("ok 1 - %s: the table is of what is here # SKIP it was never built\n1..1\n",
               b->name);
        free(readme);
        return 3;
    }
    snprintf(row, sizeof row, "\n| %s |", b->name);
    const char *at = strstr(region, row);
    bool read = at && sscanf(at + strlen(row),
                             " %16[0-9a-f] | %64[0-9a-f] | %d of %d | %d of %d "
                             "| %d MHz | %lf MHz |",
                             hash, sum, &cells, &cells_there, &ram, &ram_there, &clock, &fmax) == 8;
    bool stale = read && strcmp(hash, b->hash) != 0;
    snprintf(name, sizeof name,
             stale ? "%s: the table is of what is here # SKIP it is of inputs %s, these are %s: "
                     "make bitstream BOARD=%s RECORD=1 (minutes)"
                   : "%s: the table is of what is here",
             b->name, hash, b->hash, b->name);
    bool good = result(&number, read, name, "there is no row that can be read");
    snprintf(name, sizeof name, "%s: it fits and meets its clock", b->name);
    snprintf(why, sizeof why, "%d of %d cells, %d of %d block RAMs, %.1f of %d MHz", cells,
             cells_there, ram, ram_there, fmax, b->clock_mhz);
    good = result(&number,
                  read && cells <= cells_there && ram <= ram_there && clock == b->clock_mhz &&
                      fmax >= clock,
                  name, why) &&
           good;
    printf("1..%d\n", number);
    free(readme);
    return !good ? 1 : stale ? 3 : 0;
}

int main(int argc, char **argv)
{
    struct board b;
    const char *command = argc > 2 ? argv[1] : "";
    static const struct {
        const char *name;
        int least, most;
    } commands[] = {{"facts", 3, 3}, {"verilog", 4, 4}, {"pins", 3, INT_MAX}, {"result", 4, 5},
                    {"check", 3, 3}, {"pattern", 3, 3}, {"tiles", 3, 3}};
    size_t c = 0, all = sizeof commands / sizeof *commands;
    int status = 2;

    while (c < all && (strcmp(command, commands[c].name) != 0 || argc < commands[c].least ||
                       argc > commands[c].most))
        c++;
    if (c == all)
        fail("usage: board facts BOARD | verilog BOARD FOLDER | pins BOARD [REPOSITORY=FOLDER...] |"
             " result BOARD FOLDER [record] | check BOARD | pattern KIB | tiles FOLDER");
    if (!strcmp(command, "pattern"))
        return pattern(argv[2]);
    if (!strcmp(command, "tiles"))
        return tiles(argv[2]);
    load(&b, argv[2]);
    if (!strcmp(command, "facts"))
        status = facts(&b);
    else if (!strcmp(command, "verilog"))
        status = verilog(&b, argv[3]);
    else if (!strcmp(command, "pins"))
        status = pins(&b, argc - 3, argv + 3);
    else if (!strcmp(command, "result"))
        status = result_of(&b, argv[3], argc > 4 && !strcmp(argv[4], "record"));
    else
        status = check(&b);
    verilog_free(&b.files);
    free(b.pins);
    json_decref(b.root);
    json_decref(b.record);
    return status;
}
