// SPDX-License-Identifier: Apache-2.0
// lint-flags: -D_GNU_SOURCE
// torussim record: runs an MPI program with the recorder before Open MPI, and makes one file of
// what its ranks have left.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/application.h"
#include "cli/options.h"
#include "config/line.h"
#include "output/child.h"
#include "output/files.h"

enum { O_CLOCK = 1024, O_OUT };

struct args {
    const char *out, *clock;
    char **command; // ended by NULL
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct args *args = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->err_stream = NULL; // the hint at --help after getopt's line
        return 0;
    case O_OUT:
        args->out = net_parse_path("record: --out", arg);
        return 0;
    case O_CLOCK:
        if (strcmp(arg, "cpu") && strcmp(arg, "wall"))
            net_refuse("--clock %s: must be cpu or wall", arg);
        args->clock = arg;
        return 0;
    case ARGP_KEY_ARGS:
        args->command = state->argv + state->next;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

// Beside the program's folder: ../lib/torussim-record.so
static void find_library(char path[PATH_MAX])
{
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = '\0';
    for (int up = 0; up < 2; up++)
        if (strrchr(self, '/'))
            *strrchr(self, '/') = '\0';
    struct stat there;
    if (snprintf(path, PATH_MAX, "%s/lib/torussim-record.so", self) >= PATH_MAX ||
        stat(path, &there) || there.st_size == 0)
        net_refuse("record: %s is not there, or empty: it is built where Open MPI's development "
                   "files are",
                   path);
}

// The output is a new file, which can be made: known before the program has run, not after.
static void check_output(const char *out)
{
    struct stat there;
    const char *slash = strrchr(out, '/');
    if (!lstat(out, &there))
        net_refuse("record: --out %s: it is there already; name a new file", out);
    if (slash && !slash[1])
        net_refuse("record: --out %s: must be a file's name, not a folder's", out);
    net_file_check("record: --out", out);
}

// Starts the command with these in its environment, on other hosts, too. 0, or what is wrong.
static int start(char **command, const char *library, const char *folder, const char *clock,
                 pid_t *child)
{
    setenv("LD_PRELOAD", library, 1);
    setenv("TORUSSIM_RECORD", folder, 1);
    setenv("TORUSSIM_CLOCK", clock, 1);
    setenv("OMPI_MCA_mca_base_env_list", "LD_PRELOAD;TORUSSIM_RECORD;TORUSSIM_CLOCK", 1);
    return posix_spawnp(child, command[0], NULL, NULL, command, environ);
}

// Appends a rank's part; sets `ranks` from the first. False: it is not there, or not whole; or
// *why says why it could not be read.
static bool append(FILE *to, const char *folder, unsigned rank, unsigned *ranks, const char **why)
{
    char path[PATH_MAX + 16], *line = NULL;
    size_t room = 0;
    unsigned number = 0;
    int length = 0;
    bool whole = false;
    snprintf(path, sizeof path, "%s/%u", folder, rank);
    FILE *part = fopen(path, "r");
    if (part)
        length = net_line(part, &line, &room, why);
    if (length > 0 && sscanf(line, "ranks %u", &number) == 1) {
        if (rank == 0) {
            *ranks = number;
            fprintf(to, "torussim-application 1\n%s", line);
        }
        while (number == *ranks && (length = net_line(part, &line, &room, why)) > 0) {
            whole = !strcmp(line, "# end\n");
            if (!whole)
                fputs(line, to);
        }
    }
    free(line);
    if (part)
        fclose(part);
    if (length >= 0)
        *why = NULL;
    return whole && length >= 0;
}

// With all in it, or, where it is kept, but for what merge has made.
static void remove_folder(const char *folder, bool kept)
{
    char path[2 * PATH_MAX];
    DIR *dir = opendir(folder);
    const struct dirent *entry;
    while (dir && (entry = readdir(dir))) {
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (entry->d_name[0] != '.' && !(kept && !strcmp(entry->d_name, "all")))
            unlink(path);
    }
    if (dir)
        closedir(dir);
    rmdir(folder);
}

// Gives a file its name, which is no other's; not every file system has links. Not 0: errno.
static int place(const char *path, const char *out)
{
    if (!link(path, out))
        return 0;
    if (errno != EPERM && errno != ENOSYS && errno != EOPNOTSUPP)
        return -1;
    if (!renameat2(AT_FDCWD, path, AT_FDCWD, out, RENAME_NOREPLACE))
        return 0;
    struct stat there;
    return errno != EINVAL || !lstat(out, &there) ? -1 : rename(path, out);
}

// One file of all parts, under its name once it is whole. False: a line says why not; *kept: it is
// whole, but without that name.
static bool merge(const char *folder, const char *out, bool *kept)
{
    char path[PATH_MAX], wrong[600];
    const char *why = NULL;
    unsigned ranks = 1, rank = 0;
    snprintf(path, sizeof path, "%s/all", folder);
    FILE *all = fopen(path, "w");
    while (all && rank < ranks && append(all, folder, rank, &ranks, &why))
        rank++;
    bool good = all && !ferror(all);
    if (all && fclose(all))
        good = false;
    if (!good) {
        fprintf(stderr, "torussim record: %s: %s\n", path, strerror(errno));
        return false;
    }
    if (rank < ranks && why) {
        fprintf(stderr, "torussim record: rank %u's recording: %s; %s is not written\n", rank, why,
                out);
        return false;
    }
    if (rank < ranks) {
        fprintf(stderr,
                "torussim record: rank %u has left no whole recording (it must be a program of "
                "Open MPI, in C, that calls MPI_Finalize); %s is not written\n",
                rank, out);
        return false;
    }
    struct net_application *app = net_application_read(path, wrong, sizeof wrong);
    if (!app) {
        fprintf(stderr, "torussim record: %s; %s is not written\n", wrong, out);
        return false;
    }
    good = !child_signalled() && !place(path, out);
    *kept = !good && !child_signalled();
    if (*kept)
        fprintf(stderr, "torussim record: %s: %s; the recording is %s\n", out, strerror(errno),
                path);
    if (good)
        printf("%s: %u ranks, %u operations, %u messages, %llu bytes\n", out, app->ranks, app->ops,
               app->messages, (unsigned long long)app->bytes);
    net_application_free(app);
    return good;
}

// Runs the program and makes one file of what it leaves in the folder. False: as merge.
static bool record(const struct args *args, const char *library, const char *folder, bool *kept)
{
    pid_t child;
    int failed = start(args->command, library, folder, args->clock, &child);
    if (failed) {
        remove_folder(folder, false);
        net_refuse("record: %s: %s", args->command[0], strerror(failed));
    }
    child_watch(child);
    int status = child_wait();
    status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    bool good = !child_signalled() && status == 0 && merge(folder, args->out, kept);
    if (child_signalled() && !good)
        fprintf(stderr, "torussim record: interrupted; %s is not written\n", args->out);
    else if (status)
        fprintf(stderr, "torussim record: the program ended with status %d; %s is not written\n",
                status, args->out);
    return good;
}

int net_command_record(int argc, char **argv)
{
    static const struct argp_option list[] = {
        {"out", O_OUT, "FILE", 0, "what is recorded, a new file", 0},
        {"clock", O_CLOCK, "CLOCK", 0,
         "of the computation between two calls: cpu (default), the thread's processor time, or "
         "wall",
         0},
        {0}};
    static const struct argp argp = {
        list,
        parse,
        "mpirun ... PROGRAM [ARGUMENT...]",
        "Runs a C program of Open MPI and records its messages with what waits for what and the "
        "computation between, for --application.",
        NULL,
        NULL,
        NULL};
    struct args args = {.clock = "cpu"};
    char library[PATH_MAX], folder[PATH_MAX];
    net_options_parse(&argp, argc, argv, ARGP_IN_ORDER, &args);
    if (!args.out)
        net_refuse("record: --out is missing");
    if (!args.command || !*args.command || !**args.command)
        net_refuse("record: there is no program to run");
    check_output(args.out);
    find_library(library);
    int length =
        snprintf(folder, sizeof folder, "%s%s.XXXXXX", *args.out == '/' ? "" : "./", args.out);
    child_begin();
    char *path = length < PATH_MAX && mkdtemp(folder) ? realpath(folder, NULL) : NULL;
    if (!path)
        net_refuse("record: %s: %s", args.out, strerror(errno));
    bool kept = false, good = record(&args, library, path, &kept);
    remove_folder(path, kept);
    free(path);
    return !good;
}
