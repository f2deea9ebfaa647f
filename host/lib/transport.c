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
    int fd = unix_connect(path);
    if (fd >= 0)
        return stream_open(t, fd, NULL);
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
    if (!strcmp(where, "usb") || !strncmp(where, "usb:", 4))
        return usb_open(t, where[3] && where[4] ? where + 4 : NULL);
    if (!strncmp(where, "unix:", 5))
        return open_unix(t, where + 5);
    if (!strncmp(where, "tty:", 4) || !strncmp(where, "/dev/", 5))
        return open_tty(t, where[0] == 't' ? where + 4 : where);
    if (!strncmp(where, "tcp:", 4))
        return open_tcp(t, where + 4);
    return fail(t, TORUS_E_USAGE, "%s: say usb, usb:SERIAL, unix:PATH, tty:PATH or tcp:PORT",
                where);
}

API int torus_open(struct torus **out, const char *where, const struct torus_options *options)
{
    *out = handle_new(options);
    if (!*out)
        return TORUS_E_MEMORY;
    int error = options_check(*out);
    return error == TORUS_OK ? open_any(*out, where) : error;
}

API int torus_share(struct torus **out, const char *where, const struct torus_options *options)
{
    *out = handle_new(options);
    if (!*out)
        return TORUS_E_MEMORY;
    (*out)->alone = true;
    int error = options_check(*out);
    if (error == TORUS_OK)
        error = open_any(*out, where);
    return error == TORUS_OK ? share_listen(*out) : error;
}
