// SPDX-License-Identifier: Apache-2.0
// USB/IP server (Linux' Documentation/usb/usbip_protocol.rst, version 1.1.1): shows FTDI chips as
// USB devices 1-1, 1-2, ... to whoever connects from this machine. A USB device is one client's.
#ifndef USBIP_H
#define USBIP_H

#include <poll.h>

#include "ftdi_chip.h"

struct usbip;

enum { USBIP_CLIENTS = 300 };

// Listens on 127.0.0.1; port 0: any that is free. NULL: it cannot (errno).
struct usbip *usbip_new(unsigned port, struct ftdi_chip *chip, unsigned chips);
void usbip_free(struct usbip *u);
unsigned usbip_port(const struct usbip *u);

// Does what can be done without waiting. `taken`: whether a device must not be given to a client
// now.
void usbip_serve(struct usbip *u, bool (*taken)(void *ctx, unsigned device), void *ctx);

// A client has this device.
bool usbip_attached(const struct usbip *u, unsigned device);

// What to wait for, 1 + USBIP_CLIENTS at most: returns how many. *milliseconds is made shorter if a
// device has something to say before.
unsigned usbip_wait(const struct usbip *u, struct pollfd *fds, int *milliseconds);

#endif
