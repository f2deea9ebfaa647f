// SPDX-License-Identifier: Apache-2.0
// Which processes have a device open, by /proc, for messages.
#define _GNU_SOURCE
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stream.h"

void add_holders(const char *path, char *text, size_t size)
{
    DIR *proc = opendir("/proc");
    size_t length = strlen(path), n = strlen(text), first = n;
    for (struct dirent *p; proc && (p = readdir(proc));) {
        char folder[300], link[600], target[300], name[32] = "?";
        snprintf(folder, sizeof folder, "/proc/%s/fd", p->d_name);
        bool other = p->d_name[0] >= '0' && p->d_name[0] <= '9' && atol(p->d_name) != getpid();
        DIR *fds = other ? opendir(folder) : NULL;
        bool has = false;
        for (struct dirent *f; fds && !has && (f = readdir(fds));) {
            snprintf(link, sizeof link, "%s/%s", folder, f->d_name);
            ssize_t got = readlink(link, target, sizeof target - 1);
            has = got >= (ssize_t)length && !strncmp(target + got - length, path, length);
        }
        if (fds)
            closedir(fds);
        if (!has)
            continue;
        snprintf(link, sizeof link, "/proc/%s/comm", p->d_name);
        FILE *comm = fopen(link, "r");
        if (comm && fgets(name, sizeof name, comm))
            name[strcspn(name, "\n")] = 0;
        if (comm)
            fclose(comm);
        if (n + 80 < size)
            n += (size_t)snprintf(text + n, size - n, "%s %s (%s)", n > first ? "," : "", p->d_name,
                                  name);
    }
    if (proc)
        closedir(proc);
}
