// SPDX-License-Identifier: Apache-2.0
// Serial lines and pseudo-terminals as streams: raw, 8 bits, no parity, no flow control, at any bit
// rate; for one process alone.
#define _GNU_SOURCE
#include <asm/termbits.h> // of the kernel: any rate; not to be had together with termios.h
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "stream.h"

enum { DEFAULT_BAUD = 115200 };

static void make_raw(struct termios2 *line, unsigned baud)
{
    line->c_iflag = IGNBRK;
    line->c_oflag = 0;
    line->c_lflag = 0;
    line->c_cflag = CS8 | CREAD | CLOCAL | BOTHER | BOTHER << IBSHIFT;
    line->c_ispeed = line->c_ospeed = baud;
    memset(line->c_cc, 0, sizeof line->c_cc);
    line->c_cc[VMIN] = 1;
}

static const char *hint_of(int error)
{
    if (error == ENOENT || error == ENXIO || error == ENODEV)
        return "; is the board plugged in?";
    return error == EACCES ? "; be of the group that has it, dialout as a rule, or take -t usb"
                           : "";
}

int tty_open(struct torus *t, const char *path, struct tty *tty)
{
    unsigned baud = t->options.baud ? t->options.baud : DEFAULT_BAUD;
    char holders[100] = "";
    int fd = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 && errno != EBUSY)
        return fail(t, TORUS_E_TRANSPORT, "%s: %s%s", path, strerror(errno), hint_of(errno)), -1;
    // The lock holds for all who ask for one, TIOCEXCL for all others but root.
    if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB)) {
        add_holders(path, holders, sizeof holders);
        if (fd >= 0)
            close(fd);
        t->taken = true;
        fail(t, TORUS_E_TRANSPORT,
             "%.60s: in use by %s%s; end that first, or let torusctl serve share it", path,
             *holders ? "process" : "another process", holders);
        return -1;
    }
    struct termios2 before, raw;
    if (ioctl(fd, TCGETS2, &before)) {
        fail(t, TORUS_E_TRANSPORT, "%s: not a terminal device", path);
        close(fd);
        return -1;
    }
    raw = before;
    make_raw(&raw, baud);
    if (ioctl(fd, TCSETS2, &raw) || ioctl(fd, TCGETS2, &raw) || ioctl(fd, TIOCEXCL) ||
        raw.c_ospeed > baud + baud / 32 || raw.c_ospeed < baud - baud / 32) {
        fail(t, TORUS_E_TRANSPORT, "%s: cannot be set to %u baud", path, baud);
        ioctl(fd, TCSETS2, &before);
        close(fd);
        return -1;
    }
    *tty = (struct tty){.iflag = before.c_iflag,
                        .oflag = before.c_oflag,
                        .cflag = before.c_cflag,
                        .lflag = before.c_lflag,
                        .ispeed = before.c_ispeed,
                        .ospeed = before.c_ospeed};
    memcpy(tty->cc, before.c_cc, sizeof before.c_cc);
    return fd;
}

void tty_close(int fd, const struct tty *tty)
{
    struct termios2 before;
    if (!ioctl(fd, TCGETS2, &before)) {
        before.c_iflag = tty->iflag;
        before.c_oflag = tty->oflag;
        before.c_cflag = tty->cflag;
        before.c_lflag = tty->lflag;
        before.c_ispeed = tty->ispeed;
        before.c_ospeed = tty->ospeed;
        memcpy(before.c_cc, tty->cc, sizeof before.c_cc);
        ioctl(fd, TCSETS2, &before);
    }
    ioctl(fd, TIOCNXCL);
    close(fd);
}
