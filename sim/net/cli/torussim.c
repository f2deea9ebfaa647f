// SPDX-License-Identifier: Apache-2.0
// torussim: the network simulator's command line.
// lint-flags: -DTORUSSIM_VERSION="0"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/options.h"
#include "output/files.h"
#include "run/ranks.h"

static const char without[] = "start it without mpirun";

static const struct {
    const char *name, *what;
    int (*main)(int argc, char **argv);
    const char *alone; // what to do instead of running it on several ranks; NULL: it uses them
} commands[] = {
    {"run", "simulate one point", net_command_run, NULL},
    {"sweep", "simulate many: loads, routings, patterns, seeds", net_command_sweep, NULL},
    {"saturate", "find the load at which each routing saturates", net_command_saturate, NULL},
    {"reproduce", "repeat a published experiment: tables and plots", net_command_reproduce, NULL},
    {"view", "draw what the others have written", net_command_view, without},
    {"explain", "show one routing decision", net_command_explain, without},
    {"limit", "the load that a pattern allows at best", net_command_limit, without},
    {"record", "record an MPI program, to be replayed", net_command_record,
     "start it without mpirun, which goes before the program: torussim record --out FILE mpirun "
     "..."},
    {"check-deadlock", "whether packets can wait for each other in a circle",
     net_command_check_deadlock, without},
};

enum { COMMANDS = sizeof commands / sizeof *commands };

// The settings as part of the manual page: what `make` puts into torussim.1.in.
static int manual(void)
{
    for (const struct net_setting *s = net_settings; s->name; s++) {
        char help[500];
        net_setting_help(s, help, sizeof help);
        printf(".TP\n.B --%s\n.I %s\n.br\n%s\n", s->name, s->value, help);
    }
    return 0;
}

static int usage(FILE *out)
{
    fputs("Usage: torussim COMMAND [OPTION...]\n"
          "Packet-level simulator of torus networks.\n\n",
          out);
    for (int i = 0; i < COMMANDS; i++)
        fprintf(out, "  %-14s %s\n", commands[i].name, commands[i].what);
    fputs("\n`torussim COMMAND --help` lists a command's options, `torussim --version` says which "
          "this is.\n",
          out);
    return out == stderr ? 2 : 0;
}

// At the end, argp's own of --help as well: what was printed has arrived, or a line on stderr says
// no.
static void close_output(void)
{
    if (!net_file_close(stdout, "standard output"))
        _exit(1);
}

int main(int argc, char **argv)
{
    char name[64];
    // Where one of 0, 1, 2 is closed, a file that is opened must not get its number.
    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDONLY) < 0)
            return 1;
    argp_err_exit_status = 2;
    atexit(close_output);
    bool behind = net_ranks_quiet();
    if (argc < 2)
        return behind ? 0 : usage(stderr);
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-?"))
        return usage(stdout);
    if (!strcmp(argv[1], "--manual"))
        return manual();
    if (!strcmp(argv[1], "--version"))
        return puts("torussim " TORUSSIM_VERSION) < 0;
    for (int i = 0; i < COMMANDS; i++) {
        if (strcmp(argv[1], commands[i].name) != 0)
            continue;
        if (commands[i].alone && behind)
            return 0; // another status might end rank 0 before its line
        if (commands[i].alone && net_ranks_several())
            net_refuse("%s is not spread over ranks: %s", commands[i].name, commands[i].alone);
        snprintf(name, sizeof name, "torussim %s", commands[i].name);
        argv[1] = name;
        return commands[i].main(argc - 1, argv + 1);
    }
    if (behind)
        return 0;
    net_refuse("%s: there is no such command (torussim --help lists them)", argv[1]);
}
