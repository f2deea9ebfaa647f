// SPDX-License-Identifier: Apache-2.0
#include "unix_listen.h"

#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { WAITING = 4 }; // hosts that are not taken yet

int unix_listen(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const struct sockaddr *a = (const struct sockaddr *)&address;
    size_t room = sizeof address.sun_path;
    if ((size_t)snprintf(address.sun_path, room, "%s", path) >= room) {
        errno = ENAMETOOLONG;
        return -1;
    }
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    int error = EADDRINUSE;
    if (connect(fd, a, sizeof address) && errno != EAGAIN) {
        unlink(path);
        error = bind(fd, a, sizeof address) || listen(fd, WAITING) ? errno : 0;
    }
    if (!error)
        return fd;
    close(fd);
    errno = error;
    return -1;
}
