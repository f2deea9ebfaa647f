// SPDX-License-Identifier: Apache-2.0
// Streams of bytes to one board: sockets (transport.c), serial lines (tty.c), USB (usb.c). What
// they open becomes the handle's transport.
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

// Adds the other processes that have a file open whose path ends like that, as " 12 (name)".
void add_holders(const char *path, char *text, size_t size);

#endif
