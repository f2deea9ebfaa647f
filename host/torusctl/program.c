// SPDX-License-Identifier: Apache-2.0
// torusctl program: coordinates and routing tables of all boards.
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl.h"

enum { TIE = 256, RESUME, ABORT, PRINT, DIMENSIONS, AROUND };
enum { OFR = 2 }; // of routing_list, the default

static struct {
    int routing, tie, threshold, delta; // -1: not given
    bool resume, abort, print, around;
    double watch;     // seconds, 0: not given
    unsigned dims;    // of what is printed, 0: not given
    const char *file; // NULL: a preset
    struct torus_preset preset;
    struct torus_table table;
} set = {.routing = -1, .tie = -1, .threshold = -1, .delta = -1};

static const struct argp_option options[] = {
    {"routing", 'r', routing_list, 0, "a preset (ofr)", 1},
    {"tie", TIE, tie_list, 0, "distance k/2: either way (both), or as published the + one", 1},
    {"threshold", 'H', "SLOTS", 0, "injection threshold, 0 to 15 (C/2)", 1},
    {"delta", 'D', "HOPS", 0, "Delta, 0 to 7 (2, or half the smallest size)", 1},
    {"around", AROUND, 0, 0, "with destinations that lead around missing cables", 1},
    {"watch", 'w', "SECONDS", 0, "with --around: stay, and program anew when cables come or go", 1},
    {"resume", RESUME, 0, 0, "finish a program that was cut short", 2},
    {"abort", ABORT, 0, 0, "undo a program that was cut short", 2},
    {"print", PRINT, 0, 0, "print the routing as a FILE to start from, and program nothing", 3},
    {"dimensions", DIMENSIONS, "2|3", 0, "with --print: of the table printed (2)", 3},
    {0},
};

static bool option(int key, char *arg, struct argp_state *state)
{
    switch (key) {
    case 'r':
        set.routing = (int)one_of(state, arg, "routing", routing_list);
        return true;
    case TIE:
        set.tie = (int)one_of(state, arg, "tie", tie_list);
        return true;
    case 'H':
        set.threshold = (int)whole(state, arg, 0, 15);
        return true;
    case 'D':
        set.delta = (int)whole(state, arg, 0, 7);
        return true;
    case AROUND:
        set.around = true;
        return true;
    case 'w':
        set.watch = number(state, arg, 0.1, 3600);
        return true;
    case RESUME:
        set.resume = true;
        return true;
    case ABORT:
        set.abort = true;
        return true;
    case PRINT:
        set.print = true;
        return true;
    case DIMENSIONS:
        set.dims = (unsigned)whole(state, arg, 2, 3);
        return true;
    default:
        return false;
    }
}

static const char *idle(const struct args *a, const struct given *o)
{
    bool own = o->group == 0,
         mends = own && (!strcmp(o->name, "resume") || !strcmp(o->name, "abort"));
    bool setting = own && (!strcmp(o->name, "routing") || !strcmp(o->name, "tie") ||
                           !strcmp(o->name, "threshold") || !strcmp(o->name, "delta"));
    if (mends && set.resume && set.abort)
        return "either --resume or --abort";
    if (mends && set.around)
        return "--around is a program of its own: it mends what was cut short, too";
    if (setting && a->rest_count)
        return "FILE says all about the routing";
    if (setting && (set.resume || set.abort))
        return "the routing is the one that was cut short";
    if (own && !strcmp(o->name, "delta") && set.routing >= 0 && set.routing != OFR)
        return "Delta is how far OIDNs are, which --routing ofr has only";
    if (own && !strcmp(o->name, "dimensions") && (!set.print || set.around || a->rest_count))
        return "of a preset that --print prints; else a table has the torus'";
    if (own && !strcmp(o->name, "watch") && (!set.around || set.print))
        return "with --around, and not with --print";
    if (!set.print)
        return NULL;
    if (own && !strcmp(o->name, "around") && !a->where)
        return "it asks the boards: say where one is, with -t";
    if (mends || o->group == WRITING)
        return "--print programs nothing";
    if (o->group == FORMAT)
        return "--print prints a FILE, in the one format that they have";
    return own || set.around ? NULL : "--print asks no board; only --around --print does";
}

// Files that are wrong are found before anything is opened.
static int prepare(struct args *a)
{
    set.file = a->rest_count ? a->rest[0] : NULL;
    set.preset = preset_of(set.routing >= 0 ? (unsigned)set.routing : OFR, set.tie > 0,
                           set.threshold, set.delta);
    bool good = !set.file || table_read(set.file, &set.table);
    if (good && set.around && set.table.destination_count)
        good = file_bad(set.file, "destinations: --around works them out");
    if (good && set.around)
        return GO_ON;
    if (good && set.print && !set.file)
        torus_preset_table(&set.preset, set.dims ? set.dims : 2, &set.table);
    if (good && set.print)
        table_print(&set.table);
    if (good && !set.print)
        return GO_ON;
    free((void *)set.table.destinations);
    return good ? 0 : 2;
}

static bool board_there(const struct torus *t, const uint8_t at[3])
{
    return board_at(t, at[0], at[1], at[2]) != NULL;
}

// The places without a board, and the pairs of others that nothing leads round to each other, said.
// How many.
static unsigned unreachable(const struct torus *t)
{
    unsigned count = 0, dims = set.table.dims;
    uint8_t at[3];
    char from[PLACE], to[PLACE];
    for (unsigned node = 0; next_missing(t, &node, at); node++) {
        fprintf(stderr, "torusctl: unreachable: %s, where no board is\n",
                place_called(at, dims, to));
        count++;
    }
    bool all = !count;
    for (unsigned i = 0; i < set.table.destination_count; i++) {
        const struct torus_destination *d = &set.table.destinations[i];
        if (d->mode != TORUS_UNREACHABLE ||
            !(all || (board_there(t, d->from) && board_there(t, d->to))))
            continue;
        fprintf(stderr, "torusctl: unreachable: %s to %s\n", place_called(d->from, dims, from),
                place_called(d->to, dims, to));
        count++;
    }
    return count;
}

static int say_error(struct torus *t, int error)
{
    if (error != TORUS_E_USAGE || !set.file)
        return report(t, error);
    fprintf(stderr, "torusctl: %s: ", set.file);
    put_named(stderr, torus_detail(t));
    fputc('\n', stderr);
    return 2;
}

// Gives the table destinations around the cables that are missing, and says for which pairs there
// is no way.
static int lead_around(struct torus *t)
{
    struct torus_destination *list = NULL;
    unsigned none;
    int error = set.file ? TORUS_OK : torus_preset_here(t, &set.preset, &set.table);
    if (error == TORUS_OK)
        error = torus_around(t, &set.table, &list, &set.table.destination_count, &none);
    set.table.destinations = list;
    return error;
}

// The library takes less where a torus is small; who asked for more is told. Exit status.
static int look_at_delta(struct torus *t)
{
    uint8_t k[3];
    int most = 8;
    char value[16], text[64];
    if (set.delta < 0 || set.resume || set.abort || !torus_sizes(t, k))
        return 0;
    for (unsigned i = 0; i < 3; i++)
        if (k[i] > 1 && k[i] / 2 < most)
            most = k[i] / 2;
    snprintf(value, sizeof value, "%d", set.delta);
    snprintf(text, sizeof text, "at most %d, half of this torus' smallest size", most);
    return set.delta <= most ? 0 : wrong("--delta", value, text);
}

static int program_all(struct torus *t)
{
    // Nothing is missing: a preset stays one.
    const struct torus_table *table = set.file || set.table.destination_count ? &set.table : NULL;
    return set.resume  ? torus_program_resume(t, table)
           : set.abort ? torus_program_abort(t, table)
           : table     ? torus_program_table(t, table)
                       : torus_program(t, &set.preset);
}

// What boards there are: as they have reported, or else by looking at all. The library's error.
static int find(struct torus *t)
{
    bool known = false;
    int error = torus_boards(t) ? torus_links_follow(t, &known) : TORUS_OK;
    return known || error == TORUS_E_TRANSPORT || error == TORUS_E_CANCELLED ? error : discover(t);
}

// Around what is missing now. Exit status; *error: the library's, which is said; but where the
// connection broke (0) it is the caller's.
static int around_once(struct torus *t, const struct args *a, int *error)
{
    free((void *)set.table.destinations);
    set.table.destinations = NULL;
    set.table.destination_count = 0;
    *error = find(t);
    if (*error == TORUS_OK || (*error == TORUS_E_MISCABLED && torus_gaps(t))) {
        *error = TORUS_E_USAGE;
        if (look_at_delta(t))
            return 2;
        *error = lead_around(t);
    }
    if (*error == TORUS_OK && set.print)
        table_print(&set.table);
    else if (*error == TORUS_OK)
        *error = program_all(t);
    if (*error != TORUS_OK) {
        int failed = *error == TORUS_E_TRANSPORT ? 0 : say_error(t, *error);
        if (*error == TORUS_E_FAILED && !set.print)
            unreachable(t); // that is why boards are cut off
        return failed;
    }
    int status = set.print ? 0 : put_programmed(t, a);
    return unreachable(t) && !status ? 1 : status;
}

// Until it is interrupted. What is wrong at one time, cables in the wrong place say, may be right
// at the next. Boards that were asked for their links report: heard where others can have the board
// meanwhile.
static int watch(struct torus *t, const struct args *a)
{
    int error, status = around_once(t, a, &error);
    for (unsigned broke = 0; !output_failed();) {
        bool anew = false, reported = false;
        if (error == TORUS_OK)
            error = torus_links_changed(t, &anew);
        if (error != TORUS_OK || !anew) {
            anew = error != TORUS_OK;
            bool again = look_anew(t, error, &broke);
            if (error != TORUS_E_TRANSPORT)
                broke = 0;
            bool hears = !broke && torus_shared(t);
            if (hears)
                error = torus_links_wait(t, set.watch, &reported);
            // Not where the board is there, but nobody takes what is sent
            if (hears ? error == TORUS_E_TRANSPORT : again || !broke)
                error = rest(t, again ? 0 : set.watch);
            if (interrupted(NULL))
                return 0;
            if (error != TORUS_OK)
                return report(t, error);
        }
        if (anew || reported)
            status = around_once(t, a, &error);
        fflush(stdout);
    }
    return status;
}

static int do_program(struct torus *t, const struct args *a)
{
    int status, error = TORUS_OK;
    if (set.around) {
        status = set.watch > 0 ? watch(t, a) : around_once(t, a, &error);
        if (!(set.watch > 0) && error == TORUS_E_TRANSPORT)
            status = say_error(t, error);
    } else {
        // Missing cables are the library's affair: it may go round them.
        error = set.table.destination_count ? discover(t) : attach_or_discover(t);
        bool there = error == TORUS_OK || (error == TORUS_E_MISCABLED && torus_gaps(t));
        status = there ? look_at_delta(t) : 0;
        if (there && !status)
            status = table_find_names(t, set.file, &set.table);
        if (there && !status)
            error = program_all(t);
        if (!status)
            status = error == TORUS_OK ? put_programmed(t, a) : say_error(t, error);
    }
    free((void *)set.table.destinations);
    return status;
}

const struct command command_program = {
    .name = "program",
    .arguments = "[FILE]",
    .most = 1,
    .summary = "coordinates and routing tables of all boards: a preset, or FILE",
    .about =
        "Writes coordinates where they differ, then the routing: a preset, or the table in a JSON "
        "FILE, which --print prints an example of. It is staged on all boards, verified and "
        "committed with a new generation number; then it prints what is programmed, as info "
        "does.\n\n"
        "abr: minimal adaptive; por: with WIDNs only; ofr: OutFlank Routing; dor: dimension "
        "order; rdr: a random minimal dimension. A program that was cut short is finished by "
        "--resume or undone by --abort; where it was of a FILE, give that FILE with them.\n\n"
        "--around discovers the torus, works out destinations that lead around the cables and "
        "boards that are missing, and programs them with the routing; boards that are missing and "
        "pairs for which there is no way are listed (exit status 1) and refused where packets "
        "enter. With --print it prints them as a FILE. Once all is back program without --around; "
        "or let --watch do all that, which looks every so many seconds (a request a board) and "
        "holds the lease only while it programs. Where serve shares the board it hears of changes "
        "from the boards. A table by which packets could wait for each other in a circle, or would "
        "come to a missing cable, is refused.",
    .examples = "program --routing ofr\n"
                "!program --print --dimensions 3 > mine.json\n"
                "program mine.json\n"
                "program --routing ofr --around\n"
                "program --around --watch 5\n"
                "program mine.json --resume\n",
    .groups = CONNECTION | REQUESTS | AT_ONCE | PLACES | WRITING | FORMAT,
    .options = options,
    .option = option,
    .idle = idle,
    .prepare = prepare,
    .run = do_program,
};
