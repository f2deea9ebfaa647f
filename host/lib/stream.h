// SPDX-License-Identifier: Apache-2.0
// Streams of bytes to one board: sockets and terminals (transport.c), USB (usb.c). What they open
// becomes the handle's transport.
#ifndef TORUS_STREAM_H
#define TORUS_STREAM_H

#include "handle.h"

// A board's FTDI chip, by its serial number or place on the bus, NULL: the only one.
int usb_open(struct torus *t, const char *wanted);

#endif
