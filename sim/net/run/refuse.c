// SPDX-License-Identifier: Apache-2.0
// lint-flags: -D_GNU_SOURCE
#include "run/refuse.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "run/ranks.h"

static const char *refuse_in;

void net_refuse_in(const char *where)
{
    refuse_in = where;
}

void net_refuse(const char *format, ...)
{
    va_list args;
    if (net_rank()) // rank 0 mostly finds the same, and one line is enough
        sleep(1);
    va_start(args, format);
    fputs("torussim: ", stderr);
    if (refuse_in)
        fprintf(stderr, "%s: ", refuse_in);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    exit(2);
}

uint64_t net_parse_count(const char *what, const char *text, uint64_t least, uint64_t most)
{
    char *end;
    errno = 0;
    uint64_t value = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || errno)
        net_refuse("%s %s: not a whole number", what, text);
    if (value < least || value > most)
        net_refuse("%s %s: must be %llu to %llu", what, text, (unsigned long long)least,
                   (unsigned long long)most);
    return value;
}

double net_parse_real(const char *what, const char *text)
{
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end || !isfinite(value))
        net_refuse("%s %s: not a number", what, text);
    return value;
}

const char *net_parse_path(const char *what, const char *text)
{
    if (!*text)
        net_refuse("%s '': must be a name", what);
    return text;
}

atomic_bool net_stop;

static void on_signal(int number)
{
    (void)number;
    atomic_store(&net_stop, true);
}

void net_catch_signals(void)
{
    // The second one ends the program at once.
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}
