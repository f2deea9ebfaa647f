// SPDX-License-Identifier: Apache-2.0
// Connections: a socket or a serial line as a stream of bytes.
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "stream.h"

struct stream {
    int fd;
    bool tty;
    struct tty before;
};

static int fd_wait(int fd, short events, int milliseconds)
{
    struct pollfd p = {.fd = fd, .events = events};
    int n = poll(&p, 1, milliseconds);
    return n < 0 && errno != EINTR ? -1 : n > 0;
}

static int fd_read(void *ctx, void *to, size_t bytes, int milliseconds)
{
    struct stream *s = ctx;
    int ready = fd_wait(s->fd, POLLIN, milliseconds);
    if (ready <= 0)
        return ready;
    ssize_t n = read(s->fd, to, bytes);
    if (n < 0)
        return errno == EAGAIN || errno == EINTR ? 0 : -1;
    return n == 0 ? -1 : (int)n;
}

static int fd_write(void *ctx, const void *from, size_t bytes, int milliseconds)
{
    struct stream *s = ctx;
    int ready = fd_wait(s->fd, POLLOUT, milliseconds);
    if (ready <= 0)
        return ready;
    ssize_t n = s->tty ? write(s->fd, from, bytes) : send(s->fd, from, bytes, MSG_NOSIGNAL);
    if (n < 0)
        return errno == EAGAIN || errno == EINTR ? 0 : -1;
    return (int)n;
}

static void fd_close(void *ctx)
{
    struct stream *s = ctx;
    if (s->tty)
        tty_close(s->fd, &s->before);
    else
        close(s->fd);
    free(s);
}

static int open_unix(struct torus *t, const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path)
        return fail(t, TORUS_E_USAGE, "unix:%s: the path is too long", path), -1;
    memcpy(address.sun_path, path, strlen(path));
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address) < 0) {
        fail(t, TORUS_E_TRANSPORT, "unix:%s: %s; is the board or the simulator running?", path,
             strerror(errno));
        if (fd >= 0)
            close(fd);
        return -1;
    }
    return fd;
}

API int torus_open(struct torus **out, const char *where, const struct torus_options *options)
{
    struct torus *t = *out = handle_new(options);
    if (!t)
        return TORUS_E_MEMORY;
    if (!strcmp(where, "usb") || !strncmp(where, "usb:", 4))
        return usb_open(t, where[3] && where[4] ? where + 4 : NULL);
    struct stream *s = calloc(1, sizeof *s);
    if (!s)
        return fail(t, TORUS_E_MEMORY, "out of memory");
    if (!strncmp(where, "unix:", 5)) {
        s->fd = open_unix(t, where + 5);
    } else if (!strncmp(where, "tty:", 4) || !strncmp(where, "/dev/", 5)) {
        s->tty = true;
        s->fd = tty_open(t, where[0] == 't' ? where + 4 : where, &s->before);
    } else {
        free(s);
        return fail(t, TORUS_E_USAGE, "%s: say usb, usb:SERIAL, unix:PATH or tty:PATH", where);
    }
    if (s->fd < 0) {
        free(s);
        return TORUS_E_TRANSPORT;
    }
    t->transport = (struct torus_transport){fd_read, fd_write, fd_close, s};
    return TORUS_OK;
}
