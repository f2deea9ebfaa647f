// SPDX-License-Identifier: Apache-2.0
// lint-flags: -D_GNU_SOURCE
#include "output/gnuplot.h"

#include <errno.h>
#include <math.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

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

bool gnuplot_run(const char *program, const char *directory, const char *script)
{
    posix_spawn_file_actions_t actions;
    char *argv[] = {(char[]){"gnuplot"}, (char *)script, NULL};
    pid_t child;
    int status, failed;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addchdir_np(&actions, directory);
    failed = posix_spawnp(&child, "gnuplot", &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed) {
        fprintf(stderr, "%s: gnuplot: %s; %s/%s is there to be drawn\n", program, strerror(failed),
                directory, script);
        return false;
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    if (status)
        fprintf(stderr, "%s: gnuplot could not draw %s/%s\n", program, directory, script);
    return status == 0;
}
