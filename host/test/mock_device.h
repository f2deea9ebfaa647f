// SPDX-License-Identifier: Apache-2.0
// lint-flags: -I/usr/include/umockdev-1.0 -I/usr/include/glib-2.0
// lint-flags: -I/usr/lib/x86_64-linux-gnu/glib-2.0/include
// A device of mock_usb.h's machine: its connection to the USB/IP server, the host's transfers on
// their way there and back, and what happens to them. Callers hold the machine's lock where a
// program runs.
#ifndef MOCK_DEVICE_H
#define MOCK_DEVICE_H

#include <pthread.h>
#include <umockdev.h>

#include "mock_usb.h"

enum { URBS = 64, INTERFACES = 2, HEADER = 48, TRANSFER = 1 << 16, FRAME = 32, HELD = 4096 };

// A transfer of the host's. The server knows it by `number`, 0 where it was not asked.
struct mock_urb {
    UMockdevIoctlClient *client;
    UMockdevIoctlData *urb, *buffer;
    uint32_t number;
    unsigned char endpoint;
    bool held; // not sent yet: the endpoint is halted
    bool done;
    int status;
    size_t actual;
};

// One direction's bytes on their way through the faults: what is no whole frame yet, what has
// passed.
struct stream {
    uint8_t part[FRAME], late[FRAME], passed[HELD];
    size_t part_count, late_count, passed_count;
};

struct mock_device {
    struct mock *mock;
    unsigned number;
    bool plugged, gone; // gone: no bytes any more, as a fault has it
    int fd;
    char serial[64], path[128];
    unsigned packet;
    bool halted[32];
    UMockdevIoctlBase *base;
    UMockdevIoctlClient *claimed[INTERFACES];
    struct mock_urb urb[URBS];
    unsigned urbs, bulk, in_flight;
    uint32_t number_next;
    struct stream in, out;
    uint8_t input[HEADER + TRANSFER];
    size_t got;
};

struct mock {
    UMockdevTestbed *bed;
    pthread_mutex_t lock;
    struct mock_faults faults;
    struct mock_seen seen;
    pid_t program; // that mock_run() runs
    uint64_t random;
    struct mock_device device[MOCK_DEVICES + 1]; // by number
};

// A test that cannot go on: says why, with errno's text, and ends.
_Noreturn void mock_die(const char *what);

// Connects to the server's device of that number; returns when it has it.
void device_import(struct mock_device *d, unsigned port);
// A control transfer in, as the kernel does them when a device is plugged in: how many bytes.
size_t device_ask(struct mock_device *d, const uint8_t setup[8], uint8_t *to, uint32_t room);
// To the server: a transfer (data NULL: in; setup NULL: bulk), the end of one. The transfer's
// number.
uint32_t device_submit(struct mock_device *d, unsigned endpoint, bool in, const uint8_t *setup,
                       const uint8_t *data, uint32_t length);
void device_unlink(struct mock_device *d, uint32_t number);
// A bulk transfer of the host's begins; whether it stalls instead.
void device_start(struct mock_device *d, struct mock_urb *u);
bool device_halts(struct mock_device *d);
void device_finish(struct mock_urb *u, int status, size_t actual);
// What has come from the server, waiting up to a millisecond if there is nothing.
void device_listen(struct mock_device *d);
// The plug is pulled.
void device_pull(struct mock_device *d);

#endif
