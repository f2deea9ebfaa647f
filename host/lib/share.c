// SPDX-License-Identifier: Apache-2.0
// One process may have a board and share it: where its socket is, so that others of the same user
// find it by the board's own name. In a folder that only the user can enter: $XDG_RUNTIME_DIR's
// outflank or, where that will not do, /tmp/outflank-UID. Beside the socket is a lock, held as long
// as the board is shared: so a socket without a holder is one that was left behind.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "stream.h"

enum { FOLDER = 60, BACKLOG = 16 }; // bytes of its path: a socket's is short

struct share {
    char path[SHARE_PATH]; // of the socket
    int lock, listener;    // -1: none
};

// The folder, made if `make`; which: 0 or 1. False: there is none, or others can enter it.
static bool folder(unsigned which, bool make, char path[FOLDER])
{
    const char *run = getenv("XDG_RUNTIME_DIR");
    struct stat is;
    int n = which                ? snprintf(path, FOLDER, "/tmp/outflank-%u", (unsigned)geteuid())
            : run && *run == '/' ? snprintf(path, FOLDER, "%s/outflank", run)
                                 : -1;
    if (n < 0 || n >= FOLDER)
        return false;
    if (make)
        mkdir(path, 0700);
    return !lstat(path, &is) && S_ISDIR(is.st_mode) && is.st_uid == geteuid() &&
           !(is.st_mode & (S_IRWXG | S_IRWXO));
}

// A board's name as a file's: the end of it, for people, and a hash (FNV-1a) of all.
static void socket_name(const char *kind, const char *name, char out[48])
{
    char real[PATH_MAX];
    uint64_t hash = UINT64_C(14695981039346656037);
    bool path = strcmp(kind, "usb") != 0; // else a place on the bus
    const char *whole = path && realpath(name, real) ? real : name, *end = strrchr(whole, '/');
    for (unsigned part = 0; part < 2; part++)
        for (const char *c = part ? whole : kind; *c; c++)
            hash = (hash ^ (uint8_t)*c) * UINT64_C(1099511628211);
    snprintf(out, 48, "%.20s-%016llx" SHARE_END, end ? end + 1 : whole, (unsigned long long)hash);
}

// Locks the board's name: -1, somebody has it. A lock that was removed while it was waited for,
// with the socket of whoever had it, is none.
static int lock_name(const char *path)
{
    struct stat ours, there;
    for (;;) {
        int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (fd < 0)
            return -1;
        if (flock(fd, LOCK_EX | LOCK_NB)) {
            close(fd);
            errno = EWOULDBLOCK;
            return -1;
        }
        if (!fstat(fd, &ours) && !stat(path, &there) && ours.st_ino == there.st_ino)
            return fd;
        close(fd);
    }
}

// Of that lock: beside where the socket of a shared board would be.
static bool hold_path(const char *kind, const char *name, char path[SHARE_PATH + 8])
{
    char file[48], in[FOLDER];
    if (!folder(0, true, in) && !folder(1, true, in))
        return false;
    socket_name(kind, name, file);
    snprintf(path, SHARE_PATH + 8, "%s/%s.held", in, file);
    return true;
}

int share_hold(struct torus *t, const char *kind, const char *name)
{
    char path[SHARE_PATH + 8], holders[100] = "";
    if (!hold_path(kind, name, path))
        return TORUS_OK; // it is not known who else is there
    int fd = lock_name(path);
    if (fd >= 0) {
        t->hold = fd + 1;
        return TORUS_OK;
    }
    t->taken = errno == EWOULDBLOCK;
    if (!t->taken)
        return TORUS_OK;
    add_holders(path, holders, sizeof holders);
    return fail(t, TORUS_E_TRANSPORT,
                "%s:%.80s: %s%s has it: end that first, or let torusctl serve share it", kind, name,
                *holders ? "process" : "another process", holders);
}

void share_let_go(struct torus *t)
{
    char link[40], path[SHARE_PATH + 8];
    if (!t->hold)
        return;
    snprintf(link, sizeof link, "/proc/self/fd/%d", t->hold - 1);
    ssize_t n = readlink(link, path, sizeof path - 1);
    if (n > 0 && n < (ssize_t)sizeof path - 1) {
        path[n] = 0;
        unlink(path); // locked: nobody else's
    }
    close(t->hold - 1);
    t->hold = 0;
}

static void lock_path(const struct share *s, char path[SHARE_PATH + 8])
{
    snprintf(path, SHARE_PATH + 8, "%s.lock", s->path);
}

// For this process alone: its name is locked, or others have it.
static int share_begin(struct torus *t, const char *kind, const char *name, const char *file)
{
    char path[FOLDER], lock[SHARE_PATH + 8], holders[100] = "";
    if (!folder(0, true, path) && !folder(1, true, path))
        return fail(t, TORUS_E_TRANSPORT,
                    "no folder for the shared board's socket: /tmp/outflank-%u is not one of ours "
                    "that nobody else can enter",
                    (unsigned)geteuid());
    struct share *s = calloc(1, sizeof *s);
    if (!s)
        return fail(t, TORUS_E_MEMORY, "out of memory");
    snprintf(s->path, sizeof s->path, "%s/%s", path, file);
    lock_path(s, lock);
    s->listener = -1;
    s->lock = lock_name(lock);
    if (s->lock >= 0) {
        t->share = s;
        return TORUS_OK;
    }
    free(s);
    if (errno != EWOULDBLOCK)
        return fail(t, TORUS_E_TRANSPORT, "%.150s: %s", lock, strerror(errno));
    add_holders(lock, holders, sizeof holders);
    return fail(t, TORUS_E_TRANSPORT,
                "%s:%.60s: shared already%s%s; any tool that is told -t %s:%.40s uses that", kind,
                name, *holders ? " by process" : "", holders, kind, name);
}

int share_enter(struct torus *t, const char *kind, const char *name, bool *entered)
{
    char file[48], path[FOLDER], at[SHARE_PATH];
    socket_name(kind, name, file);
    *entered = false;
    if (t->alone)
        return t->share ? TORUS_OK : share_begin(t, kind, name, file);
    for (unsigned which = 0; which < 2; which++) {
        if (!folder(which, false, path))
            continue;
        snprintf(at, sizeof at, "%s/%s", path, file);
        int fd = unix_connect(at);
        if (fd < 0)
            continue;
        *entered = t->shared = true;
        return stream_open(t, fd, NULL);
    }
    return TORUS_OK;
}

int share_listen(struct torus *t)
{
    struct share *s = t->share;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (!s)
        return fail(t, TORUS_E_USAGE, "this kind of connection cannot be shared");
    memcpy(address.sun_path, s->path, sizeof s->path);
    unlink(s->path); // we have the lock: whoever listened there is dead
    s->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (s->listener < 0 || bind(s->listener, (struct sockaddr *)&address, sizeof address) ||
        chmod(s->path, 0600) || listen(s->listener, BACKLOG))
        return fail(t, TORUS_E_TRANSPORT, "%s: %s", s->path, strerror(errno));
    return TORUS_OK;
}

void share_end(struct torus *t)
{
    struct share *s = t->share;
    char lock[SHARE_PATH + 8];
    if (!s)
        return;
    if (s->listener >= 0) {
        unlink(s->path);
        close(s->listener);
    }
    lock_path(s, lock);
    unlink(lock);
    close(s->lock);
    free(s);
    t->share = NULL;
}

API const char *torus_share_path(const struct torus *t)
{
    return t->share ? t->share->path : NULL;
}

API unsigned torus_share_poll(struct torus *t, struct pollfd *fds, unsigned room, bool writing)
{
    unsigned count = 0;
    if (t->share && room)
        fds[count++] = (struct pollfd){.fd = t->share->listener, .events = POLLIN};
    return t->poll ? count + t->poll(t->transport.ctx, fds + count, room - count, writing) : count;
}

API int torus_share_accept(struct torus *t)
{
    return t->share ? accept4(t->share->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC) : -1;
}

API int torus_share_read(struct torus *t, void *to, size_t bytes)
{
    if (t->rx_count && bytes >= t->rx_count) { // that our own requests have left
        int n = (int)t->rx_count;
        memcpy(to, t->rx, t->rx_count);
        t->rx_count = 0;
        return n;
    }
    return t->transport.read ? t->transport.read(t->transport.ctx, to, bytes, 0) : -1;
}

API int torus_share_write(struct torus *t, const void *from, size_t bytes)
{
    return t->transport.write ? t->transport.write(t->transport.ctx, from, bytes, 0) : -1;
}
