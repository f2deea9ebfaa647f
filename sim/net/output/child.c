// SPDX-License-Identifier: Apache-2.0
// lint-flags: -D_GNU_SOURCE
#include "output/child.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/wait.h>

enum { SIGNALS = 3 };
static const int signals[SIGNALS] = {SIGINT, SIGTERM, SIGHUP};

static struct sigaction before[SIGNALS];
static volatile sig_atomic_t signalled, running;

static void on_signal(int number, siginfo_t *info, void *context)
{
    (void)context;
    int again = signalled;
    signalled = number;
    // The terminal sends its own (a code above 0) to the child, too: twice would be an emergency.
    if (running && (again || info->si_code <= 0))
        kill(running, again ? SIGKILL : number);
}

void child_begin(void)
{
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};
    signalled = running = 0;
    for (int i = 0; i < SIGNALS; i++) {
        sigaction(signals[i], NULL, &before[i]);
        if (before[i].sa_handler != SIG_IGN)
            sigaction(signals[i], &action, NULL);
    }
}

void child_watch(pid_t child)
{
    running = child;
    if (signalled)
        kill(child, signalled);
}

int child_wait(void)
{
    siginfo_t info;
    int status = 0;
    pid_t child = running;
    while (waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT) && errno == EINTR)
        continue;
    running = 0; // before its number may be another's
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    return status;
}

int child_signalled(void)
{
    return signalled;
}

void child_end(void)
{
    for (int i = 0; i < SIGNALS; i++)
        sigaction(signals[i], &before[i], NULL);
}
