// SPDX-License-Identifier: Apache-2.0
// lint-flags: -D_GNU_SOURCE
#include "output/gnuplot.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>

#include "output/child.h"

void gnuplot_text(FILE *out, const char *text)
{
    fputc('\'', out);
    for (; *text; text++)
        fputs((char[3]){(unsigned char)*text < ' ' ? ' ' : *text, *text == '\'' ? '\'' : '\0'},
              out);
    fputc('\'', out);
}

void gnuplot_number(FILE *out, double value)
{
    if (isfinite(value))
        fprintf(out, " %.6g", value);
    else
        fputs(" NaN", out);
}

const char *gnuplot_colour(unsigned i)
{
    static const char *const colours[] = {"#4477aa", "#ee6677", "#228833", "#ccbb44",
                                          "#66ccee", "#aa3377", "#777777", "#000000",
                                          "#aaccee", "#ffb6c1", "#99cc88", "#ee9944"};
    return colours[i % (sizeof colours / sizeof *colours)];
}

void gnuplot_output(FILE *out, bool svg, unsigned width, unsigned height, const char *stem)
{
    fprintf(out, "set terminal %s noenhanced size %u,%u font 'sans,11' background 'white'\n",
            svg ? "svg" : "pngcairo", width, height);
    char file[200];
    snprintf(file, sizeof file, "%s.%s", stem, svg ? "svg" : "png");
    fputs("set output ", out);
    gnuplot_text(out, file);
    fputc('\n', out);
}

// Of what gnuplot said, the first reason: what stands behind `"SCRIPT" line N: ', which follows the
// command and a mark; where there is none, its first line.
static void read_reason(FILE *said, char *reason, size_t size)
{
    char line[600];
    bool found = false;
    reason[0] = '\0';
    while (said && fgets(line, sizeof line, said)) {
        const char *place = strstr(line, "\" line "), *text = place ? strstr(place, ": ") : NULL;
        line[strcspn(line, "\r\n")] = '\0';
        if (text && !strncasecmp(text, ": warning", 9))
            continue;
        if (text ? !found : !*reason && *line && *line != ' ')
            snprintf(reason, size, "%s", text ? text + 2 : line);
        found = found || text;
    }
}

// Has gnuplot draw the script of the folder above, in `folder`; false: `reason` says why not.
static bool draw(const char *folder, const char *script, char *reason, size_t size)
{
    char above[600];
    int said[2];
    snprintf(above, sizeof above, "../%s", script);
    char *argv[] = {(char[]){"gnuplot"}, above, NULL};
    posix_spawn_file_actions_t actions;
    pid_t child;
    if (pipe2(said, O_CLOEXEC)) {
        snprintf(reason, size, "%s", strerror(errno));
        return false;
    }
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addchdir_np(&actions, folder);
    posix_spawn_file_actions_adddup2(&actions, said[1], 1);
    posix_spawn_file_actions_adddup2(&actions, said[1], 2);
    int failed = posix_spawnp(&child, "gnuplot", &actions, NULL, argv, environ), status = 0;
    posix_spawn_file_actions_destroy(&actions);
    close(said[1]);
    FILE *from = fdopen(said[0], "r");
    if (!failed) {
        child_watch(child);
        read_reason(from, reason, size);
        status = child_wait();
    }
    if (from)
        fclose(from);
    if (failed)
        snprintf(reason, size, "it cannot be started: %s", strerror(failed));
    else if (WIFSIGNALED(status))
        snprintf(reason, size, "signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    else if (status && !*reason)
        snprintf(reason, size, "status %d", WEXITSTATUS(status));
    return !failed && !status;
}

// Whether a picture has its end: gnuplot does not notice that a disk is full.
static bool whole(const char *path)
{
    char end[17] = "";
    FILE *picture = fopen(path, "r");
    if (!picture)
        return false;
    bool there = !fseek(picture, -16, SEEK_END) && fread(end, 1, 16, picture) == 16;
    fclose(picture);
    return there && (memmem(end, 16, "IEND", 4) || memmem(end, 16, "</svg>", 6));
}

// What is to be done with each picture of a folder; false: `reason` says what is wrong with it.
typedef bool per_picture(const char *path, const char *to, char *reason, size_t size);

static bool look(const char *path, const char *to, char *reason, size_t size)
{
    if (whole(path))
        return true;
    snprintf(reason, size, "%s is not whole; is the disk full?", to);
    return false;
}

static bool move(const char *path, const char *to, char *reason, size_t size)
{
    if (!rename(path, to))
        return true;
    snprintf(reason, size, "%s: %s", to, strerror(errno));
    return false;
}

static bool discard(const char *path, const char *to, char *reason, size_t size)
{
    (void)to, (void)reason, (void)size;
    unlink(path);
    return true;
}

static bool for_pictures(const char *folder, const char *directory, per_picture *what, char *reason,
                         size_t size)
{
    DIR *dir = opendir(folder);
    const struct dirent *entry;
    bool good = true;
    while (good && dir && (entry = readdir(dir))) {
        char path[1200], to[1200];
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        snprintf(to, sizeof to, "%s/%s", directory, entry->d_name);
        good = what(path, to, reason, size);
    }
    if (dir)
        closedir(dir);
    return good;
}

// Pictures are drawn in a folder beside their script, and take their places once all are whole.
bool gnuplot_run(const char *program, const char *directory, const char *script)
{
    char folder[700], reason[1400] = "";
    child_begin();
    bool good =
        snprintf(folder, sizeof folder, "%s/.gnuplot.XXXXXX", directory) < (int)sizeof folder;
    if (!good || !mkdtemp(folder)) {
        snprintf(reason, sizeof reason, "%s: %s", directory, strerror(good ? errno : ENAMETOOLONG));
        good = false;
    } else {
        good = draw(folder, script, reason, sizeof reason) &&
               for_pictures(folder, directory, look, reason, sizeof reason) &&
               for_pictures(folder, directory, move, reason, sizeof reason);
        for_pictures(folder, directory, discard, reason, sizeof reason);
        rmdir(folder);
    }
    child_end();
    if (!good)
        fprintf(stderr, "%s: gnuplot could not draw %s/%s: %s\n", program, directory, script,
                reason);
    return good;
}
