// SPDX-License-Identifier: Apache-2.0
// A socket or a serial line that is open as a stream of bytes; connecting to sockets.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
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

static unsigned fd_poll(void *ctx, struct pollfd *fds, unsigned room, bool writing)
{
    const struct stream *s = ctx;
    if (room)
        fds[0] = (struct pollfd){.fd = s->fd, .events = writing ? POLLIN | POLLOUT : POLLIN};
    return room > 0;
}

void unix_sockets(void (*each)(void *ctx, const char *path, bool listens, bool taken), void *ctx)
{
    enum { LISTENS = 0x10000, CONNECTED = 3 }; // the kernel's __SO_ACCEPTCON, SS_CONNECTED
    unsigned flags, state;
    char line[400];
    FILE *f = fopen("/proc/net/unix", "r");
    while (f && fgets(line, sizeof line, f)) {
        int at = 0;
        line[strcspn(line, "\n")] = 0;
        if (sscanf(line, "%*s %*s %*s %x %*s %x %*s %n", &flags, &state, &at) == 2 && at)
            each(ctx, line + at, flags & LISTENS, state == CONNECTED);
    }
    if (f)
        fclose(f);
}

struct look {
    const char *path;
    bool taken;
};

static void look(void *ctx, const char *path, bool listens, bool taken)
{
    struct look *l = ctx;
    l->taken |= taken && !listens && !strcmp(path, l->path);
}

// Nobody reads what we have sent, and somebody else is served.
static const char *fd_silent(void *ctx)
{
    const struct stream *s = ctx;
    struct sockaddr_un peer = {.sun_path = ""};
    socklen_t size = sizeof peer - 1;
    struct look l = {peer.sun_path, false};
    int unread = 0;
    if (s->tty || getpeername(s->fd, (struct sockaddr *)&peer, &size) ||
        peer.sun_family != AF_UNIX || ioctl(s->fd, TIOCOUTQ, &unread) || !unread)
        return NULL;
    unix_sockets(look, &l);
    return l.taken ? "another process has it: end that first, or let torusctl serve share it"
                   : NULL;
}

int stream_open(struct torus *t, int fd, const struct tty *before)
{
    struct stream *s = calloc(1, sizeof *s);
    if (!s) {
        close(fd);
        return fail(t, TORUS_E_MEMORY, "out of memory");
    }
    *s = (struct stream){.fd = fd, .tty = before};
    if (before)
        s->before = *before;
    t->transport = (struct torus_transport){fd_read, fd_write, fd_close, s};
    t->poll = fd_poll;
    t->silent = fd_silent;
    return TORUS_OK;
}

static int connected(int fd, const struct sockaddr *address, socklen_t size)
{
    if (fd < 0 || connect(fd, address, size) == 0)
        return fd;
    int error = errno;
    close(fd);
    errno = error;
    return -1;
}

int unix_connect(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(address.sun_path, path, strlen(path));
    return connected(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0),
                     (const struct sockaddr *)&address, sizeof address);
}

int loopback_connect(uint16_t port)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    int on = 1, fd = connected(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0),
                               (const struct sockaddr *)&address, sizeof address);
    if (fd >= 0)
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return fd;
}
