// SPDX-License-Identifier: Apache-2.0
// torusctl: the command line of libtorus.
#define _GNU_SOURCE
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl.h"

enum {
    O_TIE = 256,
    O_RESUME,
    O_ABORT,
    O_PRINT,
    O_ASSIGN,
    O_SVG,
    O_PATH,
    O_PLOT,
    O_HISTOGRAM,
    O_LINKS,
    O_THRESHOLDS,
    O_DIMENSIONS,
    O_KEY,
    O_SET_KEY,
    O_TAKE_OVER,
    O_GAMMA,
    O_MESSAGE,
    O_WARMUP,
    O_CYCLES,
    O_SEED,
    O_RETRY,
    O_WINDOW,
    O_SESSION,
    O_BAUD,
};

static const struct argp_option option_list[] = {
    {"transport", 't', "WHERE", 0,
     "the board we are plugged into: usb, usb:SERIAL, unix:PATH or tty:PATH", 0},
    {"baud", O_BAUD, "N", 0, "usb: bits per second (115200)", 0},
    {"format", 'f', "FORMAT", 0, "text (default), json or csv", 0},
    {"timeout", 'T', "SECONDS", 0, "give up after so long without an answer (30)", 0},
    {"retry", O_RETRY, "SECONDS", 0, "send again after so long (0.5, doubling)", 0},
    {"window", O_WINDOW, "N", 0, "requests under way at once, 1 to 7 (4; discover, counters 7)", 0},
    {"session", O_SESSION, "N", 0, "session number, 1 to 65535 (random)", 0},
    {"key", O_KEY, "HEX", 0, "64-bit key of locked boards", 0},
    {"take-over", O_TAKE_OVER, "N", 0, "take the write lease from session N, known to be dead", 0},
    {"assign", O_ASSIGN, 0, 0, "discover: give the boards their coordinates too", 0},
    {"svg", O_SVG, "FILE", 0, "discover: draw the torus into FILE (with graphviz)", 0},
    {0, 0, 0, 0, "program:", 1},
    {"routing", 'r', "NAME", 0,
     "abr, por, ofr (default), dor or rdr; bench: a list (what is programmed)", 1},
    {"tie", O_TIE, "WHICH", 0, "distance k/2: both (default) or plus", 1},
    {"threshold", 'H', "SLOTS", 0, "injection threshold (C/2)", 1},
    {"delta", 'D', "HOPS", 0, "Delta (2)", 1},
    {"resume", O_RESUME, 0, 0, "finish a program that was cut short", 1},
    {"abort", O_ABORT, 0, 0, "undo a program that was cut short", 1},
    {"print", O_PRINT, 0, 0, "print the routing as a FILE to start from, and program nothing", 1},
    {"dimensions", O_DIMENSIONS, "N", 0, "of the table printed, 2 (default) or 3", 1},
    {0, 0, 0, 0, "run, bench, trace, bandwidth, latency (lists are separated by commas):", 2},
    {"pattern", 'p', "LIST", 0,
     "uniform (default), butterfly, transpose, bitreverse, rotate3d, "
     "complement, tornado, neighbour, or all",
     2},
    {"load", 'l', "LIST", 0,
     "offered loads in flits per cycle and node (0.1; bench 0.1 to 1, bandwidth 1, latency 0.05)",
     2},
    {"gamma", O_GAMMA, 0, 0, "loads are in units of gamma0 instead", 2},
    {"length", 'L', "FLITS", 0, "flits a packet (a slot)", 2},
    {"message", O_MESSAGE, "PACKETS", 0, "packets a message (1)", 2},
    {"warmup", O_WARMUP, "CYCLES", 0, "cycles before the window (1000)", 2},
    {"cycles", O_CYCLES, "CYCLES", 0, "cycles of the window (4000)", 2},
    {"seed", O_SEED, "N", 0, "of the destinations (1)", 2},
    {"plot", O_PLOT, "STEM", 0, "bench: accepted over offered load, as STEM.svg, .png and .gp", 2},
    {"histogram", O_HISTOGRAM, 0, 0, "bench, JSON: of the lifetimes", 2},
    {"links", O_LINKS, 0, 0, "bench, JSON: flits over every link", 2},
    {0, 0, 0, 0, "counters, ping, trace, latency:", 3},
    {"at", 'a', "X,Y[,Z]", 0, "one board only; ping: default the one we are plugged into", 3},
    {"all", 'A', 0, 0, "counters: those that are 0 too; ping: all boards; latency: all pairs", 3},
    {"path", O_PATH, "PORTS", 0, "ping, trace: directed route, such as x+,x+,y-", 3},
    {"count", 'c', "N", 0, "ping N times (1); --watch, monitor: N intervals (no end)", 3},
    {"watch", 'w', "SECONDS", 0,
     "counters: what changes, and rates, every so many seconds; monitor: so often (1); snapshot: "
     "between comparisons of the clocks (0.5)",
     3},
    {"thresholds", O_THRESHOLDS, "FILE", 0, "--watch, diff: what makes a link bad", 3},
    {0},
};

#define COMMANDS                                                                                   \
    "discover, info, program, run, bench, counters, snapshot, align, monitor, diff, ping, trace, " \
    "bandwidth, latency"

static const struct command {
    const char *name;
    int (*run)(struct torus *t, const struct args *a); // NULL: needs no board
    unsigned arguments;                                // after its name, at most
} commands[] = {
    {"discover", do_discover, 0}, {"info", do_info, 0},   {"program", do_program, 1},
    {"run", do_run, 0},           {"bench", do_bench, 0}, {"counters", do_counters, 0},
    {"ping", do_ping, 0},         {"trace", do_trace, 2}, {"bandwidth", do_bandwidth, 2},
    {"latency", do_latency, 2},   {"diff", NULL, 2},      {"monitor", do_monitor, 0},
    {"snapshot", do_snapshot, 0}, {"align", do_align, 0},
};

static unsigned most_arguments(const char *command)
{
    for (unsigned i = 0; i < sizeof commands / sizeof *commands; i++)
        if (!strcmp(command, commands[i].name))
            return commands[i].arguments;
    return MAX_REST; // the command is what is wrong
}

static double number(struct argp_state *state, const char *arg, double low, double high)
{
    char *end;
    double value = strtod(arg, &end);
    if (end == arg || *end || !(value >= low && value <= high)) {
        argp_failure(state, 2, 0, "'%s' is not a number from %g to %g", arg, low, high);
        exit(2);
    }
    return value;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct args *a = state->input;
    char *end;
    switch (key) {
    case 't':
        a->where = arg;
        break;
    case 'f':
        if (!strcmp(arg, "json"))
            a->format = JSON;
        else if (!strcmp(arg, "csv"))
            a->format = CSV;
        else if (strcmp(arg, "text") != 0)
            argp_failure(state, 2, 0, "format '%s': say text, json or csv", arg);
        break;
    case 'T':
        a->options.timeout = number(state, arg, 0.01, 1e6);
        break;
    case O_RETRY:
        a->options.retry = number(state, arg, 0.001, 1e6);
        break;
    case O_WINDOW:
        a->options.window = (unsigned)number(state, arg, 1, 7);
        break;
    case O_BAUD:
        a->options.baud = (unsigned)number(state, arg, 300, 12e6);
        break;
    case O_SESSION:
        a->options.session = (uint16_t)number(state, arg, 1, 65535);
        break;
    case O_TAKE_OVER:
        a->options.take_over = (uint16_t)number(state, arg, 1, 65535);
        break;
    case O_KEY:
        a->options.key = strtoull(arg, &end, 16);
        if (end == arg || *end || !a->options.key)
            argp_failure(state, 2, 0, "key '%s': up to 16 hexadecimal digits, not 0", arg);
        break;
    case 'r':
        a->routing = arg;
        break;
    case O_TIE:
        a->tie = arg;
        break;
    case 'H':
        a->threshold = (long)number(state, arg, 0, 15);
        break;
    case 'D':
        a->delta = (long)number(state, arg, 0, 7);
        break;
    case O_RESUME:
        a->resume = true;
        break;
    case O_ABORT:
        a->abort = true;
        break;
    case O_ASSIGN:
        a->assign = true;
        break;
    case 'w':
        a->watch = number(state, arg, 0.001, 1e6);
        break;
    case O_PLOT:
        a->plot = arg;
        break;
    case O_HISTOGRAM:
        a->histogram = true;
        break;
    case O_LINKS:
        a->links = true;
        break;
    case O_THRESHOLDS:
        a->thresholds = arg;
        break;
    case O_PATH:
        a->path = arg;
        break;
    case O_SVG:
        a->svg = arg;
        break;
    case O_PRINT:
        a->print = true;
        break;
    case O_DIMENSIONS:
        a->dims = (unsigned)number(state, arg, 2, 3);
        break;
    case 'p':
        a->patterns = arg;
        break;
    case 'l':
        a->loads = arg;
        break;
    case O_GAMMA:
        a->gamma = true;
        break;
    case 'L':
        a->run.packet_flits = (unsigned)number(state, arg, 4, 1024);
        break;
    case O_MESSAGE:
        a->run.message_packets = (unsigned)number(state, arg, 1, 65535);
        break;
    case O_WARMUP:
        a->run.warmup = (unsigned)number(state, arg, 0, 1 << 28);
        break;
    case O_CYCLES:
        a->run.cycles = (unsigned)number(state, arg, 1, 1 << 28);
        break;
    case O_SEED:
        a->run.seed = (uint32_t)number(state, arg, 0, 4294967295.0);
        break;
    case 'a':
        a->at = arg;
        break;
    case 'A':
        a->all = true;
        break;
    case 'c':
        a->count = (unsigned)number(state, arg, 1, 1e6);
        break;
    case ARGP_KEY_ARG:
        if (state->arg_num == 0)
            a->command = arg;
        else if (state->arg_num <= MAX_REST && state->arg_num <= most_arguments(a->command))
            a->rest[a->rest_count++] = arg;
        else
            argp_failure(state, 2, 0, "'%s' is one argument too many", arg);
        break;
    case ARGP_KEY_END:
        if (!a->command)
            argp_failure(state, 2, 0, "say what to do, one of: " COMMANDS);
        else if (!a->where && !a->print && strcmp(a->command, "diff") != 0)
            argp_failure(state, 2, 0,
                         "say where the board is: -t usb, usb:SERIAL, unix:PATH or tty:PATH");
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

int main(int argc, char **argv)
{
    static const struct argp argp = {
        .options = option_list,
        .parser = parse,
        .args_doc = "COMMAND\nprogram FILE\ntrace A B\nbandwidth A B\nlatency A B\ndiff FILE FILE",
        .doc = "Brings up and measures a torus of Outflank boards through one of them.\v"
               "Commands:\n"
               "  discover   find the boards, draw the torus, report wrong cables\n"
               "  info       what is programmed\n"
               "  program    coordinates and routing tables of all boards: a preset, or FILE\n"
               "  run        traffic patterns: load, latency, derouted packets, link use\n"
               "  bench      run over routings (--routing abr,ofr), patterns and loads; a plot\n"
               "  counters   all counters of all boards\n"
               "  snapshot   --all: all counters at one instant, and how exact that is\n"
               "  align      makes one time of boards' clocks; run, bench and others do so by "
               "themselves\n"
               "  monitor    the torus on the whole screen: load, waits, errors of the links\n"
               "  diff       of two files from counters --format json\n"
               "  ping       ask a board who it is\n"
               "  trace      the links that packets from A to B take; or the boards on --path\n"
               "  bandwidth  of streams between A and B\n"
               "  latency    between A and B; --all: of all pairs\n"
               "A and B are places, X,Y or X,Y,Z.\n"
               "Exit status: 0 good, 1 a check failed, 2 wrong use or no connection.",
    };
    struct args a = {
        .dims = 2, .threshold = -1, .delta = -1, .patterns = "uniform", .run = torus_run_default()};
    argp_err_exit_status = 2;
    if (argp_parse(&argp, argc, argv, 0, NULL, &a))
        return 2;
    if (!strcmp(a.command, "program") && a.rest_count)
        a.file = a.rest[0];
    a.preset.tie_both = !a.tie || !strcmp(a.tie, "both");
    a.preset.threshold = a.threshold >= 0 ? (uint8_t)a.threshold : 255;
    if (!strcmp(a.command, "program")) { // wrong files are found before anything is opened
        int status = prepare_program(&a);
        if (status || a.print) {
            free((void *)a.table.destinations);
            return status;
        }
    }
    if (!strcmp(a.command, "diff"))
        return do_diff(&a);
    for (unsigned i = 0; i < sizeof commands / sizeof *commands; i++) {
        if (strcmp(a.command, commands[i].name) != 0)
            continue;
        struct torus *t;
        int error = torus_open(&t, a.where, &a.options);
        int status = error == TORUS_OK ? commands[i].run(t, &a) : report(t, error);
        torus_close(t);
        free((void *)a.table.destinations);
        return status;
    }
    return wrong("command", a.command, "say one of: " COMMANDS);
}
