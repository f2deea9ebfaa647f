// SPDX-License-Identifier: Apache-2.0
// The command that serve is given, as a process.
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ctl.h"
#include "tenant.h"

pid_t tenant_start(const struct args *a)
{
    char name[] = "torusctl", to[] = "-t";
    char *argv[MAX_REST + 4] = {name};
    unsigned count = 1;
    for (unsigned i = 0; i < a->rest_count; i++)
        argv[count++] = (char *)a->rest[i];
    argv[count++] = to; // last: no other board
    argv[count] = (char *)a->where;
    fflush(NULL);
    pid_t serve = getpid(), tenant = fork();
    if (tenant == 0) {
        prctl(PR_SET_PDEATHSIG, SIGTERM); // a serve that is killed tells nobody
        if (getppid() != serve)
            _exit(2);
        execv("/proc/self/exe", argv);
        _exit(2);
    }
    if (tenant < 0)
        wrong("serve", a->rest[0], strerror(errno));
    return tenant;
}

bool tenant_ended(pid_t tenant, bool asked, int *status)
{
    int how;
    if (waitpid(tenant, &how, WNOHANG) != tenant)
        return false;
    *status = WIFEXITED(how) ? WEXITSTATUS(how) : 2;
    if (!asked && WIFSIGNALED(how))
        wrong("command", "of serve", strsignal(WTERMSIG(how)));
    return true;
}

void tenant_kill(pid_t tenant)
{
    kill(tenant, SIGKILL);
    waitpid(tenant, NULL, 0);
}
