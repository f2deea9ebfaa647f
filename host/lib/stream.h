// SPDX-License-Identifier: Apache-2.0
// Streams of bytes to one board: sockets (socket.c), serial lines (tty.c), USB (usb.c), and boards
// that another process shares (share.c). What they open becomes the handle's transport.
#ifndef TORUS_STREAM_H
#define TORUS_STREAM_H

#include "handle.h"

// A board's FTDI chip, by its serial number or place on the bus, NULL: the only one.
int usb_open(struct torus *t, const char *wanted);
// The boards on USB: up to `room`; returns how many there are.
unsigned usb_list(struct torus_stream *out, unsigned room);

// What a serial line's settings were.
struct tty {
    unsigned iflag, oflag, cflag, lflag, ispeed, ospeed;
    uint8_t cc[19];
};
// Opens a serial line, raw at options.baud, for this process alone; -1: failed.
int tty_open(struct torus *t, const char *path, struct tty *before);
void tty_close(int fd, const struct tty *before);

// What is open as the handle's stream; before: it is a serial line, set so before. Closes fd where
// it fails.
int stream_open(struct torus *t, int fd, const struct tty *before);
// Connects: -1 and errno.
int unix_connect(const char *path);
int loopback_connect(uint16_t port);
// Every Unix socket with a path: does it listen; is it one that a listener has accepted?
void unix_sockets(void (*each)(void *ctx, const char *path, bool listens, bool taken), void *ctx);

// A board by its name, as "tty", "/dev/ttyUSB0": if another process shares it, connects to that.
// With t->alone it is to be shared by this process: fails if another one does.
enum { SHARE_PATH = 108 };
#define SHARE_END ".share" // ends the names of the sockets
int share_enter(struct torus *t, const char *kind, const char *name, bool *entered);
// Then, when it is open: others may come.
int share_listen(struct torus *t);
void share_end(struct torus *t);
// A socket that lets one process in does not say who that is: so it is locked by its name, as far
// as all are of this user. t->taken: another process has it. Until share_let_go().
int share_hold(struct torus *t, const char *kind, const char *name);
void share_let_go(struct torus *t);

// Adds the other processes that have a file open whose path ends like that, as " 12 (name), 15
// (other)".
void add_holders(const char *path, char *text, size_t size);

#endif
