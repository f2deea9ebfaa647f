// SPDX-License-Identifier: Apache-2.0
// Ctrl-C and other requests to end: noted, so that a command can clean up. A second one kills.
#define _GNU_SOURCE
#include <signal.h>
#include <string.h>

#include "ctl.h"

static volatile sig_atomic_t noted;

static void note(int number)
{
    (void)number;
    noted = 1;
}

void interrupt_note(void)
{
    struct sigaction action = {.sa_handler = note, .sa_flags = (int)SA_RESETHAND};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
}

bool interrupted(void *ctx)
{
    (void)ctx;
    return noted;
}
