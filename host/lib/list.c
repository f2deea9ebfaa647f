// SPDX-License-Identifier: Apache-2.0
// The streams that there are: boards on USB, and sockets of simulators and of shared boards that
// somebody listens at, as the kernel says.
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "stream.h"

// "boardN.sock" is a simulator's; a shared board's has an end of its own.
static const char *socket_of(const char *path)
{
    const char *name = strrchr(path, '/');
    unsigned n;
    int end = 0;
    size_t length = strlen(path), share = strlen(SHARE_END);
    name = name ? name + 1 : path;
    if (length > share && !strcmp(path + length - share, SHARE_END))
        return "board that torusctl serve shares";
    if (sscanf(name, "board%u.sock%n", &n, &end) == 1 && end && !name[end])
        return "simulated board";
    return NULL;
}

API unsigned torus_list(struct torus_stream *out, unsigned room)
{
    enum { LISTENS = 0x10000 }; // the kernel's __SO_ACCEPTCON
    unsigned count = usb_list(out, room), flags;
    char line[400];
    int at;
    FILE *f = fopen("/proc/net/unix", "r");
    while (f && fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = 0;
        at = 0;
        if (sscanf(line, "%*s %*s %*s %x %*s %*s %*s %n", &flags, &at) != 1 || !at)
            continue;
        const char *path = line + at, *what = socket_of(path);
        // One that was bound below another process's folder may not be reached from here.
        if (!(flags & LISTENS) || !what || access(path, R_OK | W_OK))
            continue;
        if (count < room) {
            snprintf(out[count].where, sizeof out[count].where, "unix:%.120s", path);
            snprintf(out[count].what, sizeof out[count].what, "%s", what);
        }
        count++;
    }
    if (f)
        fclose(f);
    return count;
}
