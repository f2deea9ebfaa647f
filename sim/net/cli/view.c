// SPDX-License-Identifier: Apache-2.0
// torussim view: a picture of what the others have written.
#include <argp.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/options.h"
#include "output/command.h"
#include "output/view.h"

struct args {
    const char *file;
    struct net_view view;
};

enum { O_OUT = 256, O_PLANE, O_AT };

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct args *args = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->err_stream = NULL; // the hint at --help after getopt's line
        return 0;
    case 'x':
        args->view.x = arg;
        return 0;
    case 'y':
        args->view.y = arg;
        return 0;
    case O_OUT:
        args->view.stem = net_parse_path("view: --out", arg);
        return 0;
    case O_PLANE:
        args->view.plane = arg;
        return 0;
    case O_AT:
        args->view.at = arg;
        return 0;
    case ARGP_KEY_ARG:
        if (args->file)
            net_refuse("view: one file at a time");
        args->file = net_parse_path("view: FILE", arg);
        return 0;
    case ARGP_KEY_END:
        if (!args->file)
            net_refuse("view: which file?");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int net_command_view(int argc, char **argv)
{
    static const struct argp_option list[] = {
        {"out", O_OUT, "STEM", 0, "writes STEM.gp, STEM.png, STEM.svg (the file's name)", 0},
        {"x", 'x', "FIELD", 0, "records: along the x axis (load_gamma0; of engine flit load)", 0},
        {"y", 'y', "FIELD", 0,
         "records: along the y axis (mean_lifetime_us; of engine flit latency_cycles)", 0},
        {"plane", O_PLANE, "AXES", 0, "links: those of a map (xy)", 0},
        {"at", O_AT, "COORDINATES", 0, "links: the others, as 3 or 0,3 (0)", 0},
        {0}};
    const struct argp argp = {
        list,
        parse,
        "FILE",
        "Draws a record set (--out of sweep or saturate, or what run, sweep or "
        "saturate print with --format json or csv) as curves, every link's "
        "use (run --links) as maps, lifetimes (run --histogram) as a "
        "histogram, by gnuplot.",
        NULL,
        NULL,
        NULL};
    struct args args = {.view = {.x = NULL}};
    char command[1000], stem[PATH_MAX + 8];
    net_command_line("view", argc, argv, command, sizeof command);
    net_options_parse(&argp, argc, argv, 0, &args);
    args.view.command = command;
    if (!args.view.stem) {
        const char *dot = strrchr(args.file, '.');
        bool suffix = dot && !strchr(dot, '/') && dot > args.file;
        snprintf(stem, sizeof stem, "%.*s-view",
                 suffix ? (int)(dot - args.file) : (int)strlen(args.file), args.file);
        args.view.stem = stem;
    }
    struct net_table table = net_table_read(args.file);
    bool drawn = net_view(&table, &args.view);
    net_table_free(&table);
    return !drawn;
}
