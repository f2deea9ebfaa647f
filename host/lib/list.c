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

struct list {
    struct torus_stream *out;
    unsigned room, count;
};

static void add_socket(void *ctx, const char *path, bool listens, bool taken)
{
    struct list *l = ctx;
    const char *what = socket_of(path);
    (void)taken;
    // One that was bound below another process's folder may not be reached from here.
    if (!listens || !what || access(path, R_OK | W_OK))
        return;
    if (l->count < l->room) {
        struct torus_stream *s = &l->out[l->count];
        snprintf(s->where, sizeof s->where, "unix:%.120s", path);
        snprintf(s->what, sizeof s->what, "%s", what);
    }
    l->count++;
}

API unsigned torus_list(struct torus_stream *out, unsigned room)
{
    struct list l = {out, room, usb_list(out, room)};
    unix_sockets(add_socket, &l);
    return l.count;
}
