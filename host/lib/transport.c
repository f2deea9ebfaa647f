// SPDX-License-Identifier: Apache-2.0
// Opening a connection: which kind `where` says, and whether another process shares that board.
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "stream.h"

static int open_unix(struct torus *t, const char *path)
{
    bool entered = false;
    int error = share_enter(t, "unix", path, &entered);
    if (error != TORUS_OK || entered)
        return error;
    error = share_hold(t, "unix", path);
    if (error != TORUS_OK)
        return error;
    int fd = unix_connect(path);
    if (fd >= 0)
        return stream_open(t, fd, NULL);
    error = errno;
    share_let_go(t);
    errno = error;
    if (errno == ENAMETOOLONG)
        return fail(t, TORUS_E_USAGE, "unix:%s: the path is too long", path);
    return fail(t, TORUS_E_TRANSPORT, "unix:%s: %s; is the board or the simulator running?", path,
                strerror(errno));
}

static int open_tty(struct torus *t, const char *path)
{
    struct tty before;
    bool entered = false;
    int error = share_enter(t, "tty", path, &entered);
    if (error != TORUS_OK || entered)
        return error;
    int fd = tty_open(t, path, &before);
    return fd < 0 ? TORUS_E_TRANSPORT : stream_open(t, fd, &before);
}

static int open_tcp(struct torus *t, const char *text)
{
    char *end;
    unsigned long port = strtoul(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || port < 1 || port > 65535)
        return fail(t, TORUS_E_USAGE, "tcp:%s: write a port from 1 to 65535", text);
    int fd = t->alone ? -1 : loopback_connect((uint16_t)port);
    if (fd >= 0)
        return stream_open(t, fd, NULL);
    if (t->alone)
        return fail(t, TORUS_E_USAGE, "tcp:%s: is shared already", text);
    return fail(t, TORUS_E_TRANSPORT, "tcp:%s: %s; does torusctl serve --tcp %s run?", text,
                strerror(errno), text);
}

static int open_any(struct torus *t, const char *where)
{
    const char *colon = strchr(where, ':');
    bool empty = colon && !colon[1];
    t->shared = !strncmp(where, "tcp:", 4);
    if (!strcmp(where, "usb") || (!strncmp(where, "usb:", 4) && !empty))
        return usb_open(t, where[3] ? where + 4 : NULL);
    if (!strncmp(where, "unix:", 5) && !empty)
        return open_unix(t, where + 5);
    if ((!strncmp(where, "tty:", 4) && !empty) || !strncmp(where, "/dev/", 5))
        return open_tty(t, where[0] == 't' ? where + 4 : where);
    if (!strncmp(where, "tcp:", 4))
        return open_tcp(t, where + 4);
    return fail(t, TORUS_E_USAGE, "%s: say usb, usb:SERIAL, unix:PATH, tty:PATH or tcp:PORT",
                where);
}

// Who has a board between two looks of somebody who rests in between (torus_rest()), or is about to
// end, gets it: so it is asked for again for a second.
static int open_in_a_second(struct torus *t)
{
    static const double patience = 1, pause = 0.02;
    double end = monotonic() + patience;
    for (;;) {
        t->taken = false;
        int error = open_any(t, t->where);
        if (error == TORUS_OK || !t->taken || monotonic() > end)
            return error;
        if ((error = wait_more(t, pause)) != TORUS_OK)
            return error;
    }
}

static int open_handle(struct torus **out, const char *where, bool alone,
                       const struct torus_options *options)
{
    *out = handle_new(options);
    if (!*out)
        return TORUS_E_MEMORY;
    (*out)->alone = alone;
    (*out)->where = strdup(where);
    if (!(*out)->where)
        return fail(*out, TORUS_E_MEMORY, "out of memory");
    int error = options_check(*out);
    return error == TORUS_OK ? open_in_a_second(*out) : error;
}

API int torus_open(struct torus **out, const char *where, const struct torus_options *options)
{
    return open_handle(out, where, false, options);
}

API int torus_share(struct torus **out, const char *where, const struct torus_options *options)
{
    int error = open_handle(out, where, true, options);
    return error == TORUS_OK ? share_listen(*out) : error;
}

API void torus_rest(struct torus *t)
{
    bool others = t->where && !t->alone;
    if (!others || t->lease.session || t->started || !t->transport.close)
        return;
    t->transport.close(t->transport.ctx);
    t->transport = (struct torus_transport){.read = NULL};
    t->rx_count = 0;
    share_let_go(t);
    t->resting = true;
}

API int torus_back(struct torus *t)
{
    int error = t->resting ? open_in_a_second(t) : ok(t);
    t->resting &= error != TORUS_OK;
    return error;
}

API bool torus_shared(const struct torus *t)
{
    return t->shared;
}

API bool torus_taken(const struct torus *t)
{
    return t->taken;
}
