// SPDX-License-Identifier: Apache-2.0
// Ctrl-C and other requests to end: noted, so that a command can clean up. Another one, a second
// later or more, kills; sooner it is the same one, which came to the process and to its group.
#define _GNU_SOURCE
#include <signal.h>
#include <time.h>

#include "ctl.h"

static volatile sig_atomic_t noted;
static struct timespec first;

static void note(int number)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (!noted) {
        first = now;
        noted = 1;
    } else if (now.tv_sec - first.tv_sec > 1) {
        signal(number, SIG_DFL);
        raise(number);
    }
}

void interrupt_note(void)
{
    struct sigaction action = {.sa_handler = note};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
}

static bool overheard;

bool interrupted(void *ctx)
{
    (void)ctx;
    return noted && !overheard;
}

void interrupt_overhear(void)
{
    overheard = true;
}
