// SPDX-License-Identifier: Apache-2.0
// USB without a kernel: sysfs, device nodes and usbdevfs made up by umockdev, for host programs
// that run as they are, in processes of their own. What is plugged in are the devices of a USB/IP
// server (boardsim --usbip): this is its client, as a kernel's vhci-hcd would be. Between the two
// it can do what cables, chips and people do.
#ifndef MOCK_USB_H
#define MOCK_USB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct mock;
enum { MOCK_DEVICES = 4 };

// What goes wrong, from the next transfer on. A frame is 32 bytes of UART data.
struct mock_faults {
    long after; // UART bytes of both directions until the event, -1: never
    enum { MOCK_UNPLUG, MOCK_SIGNAL } event;
    int signal;
    pid_t process; // that gets the signal; 0: the program run, and the device hears no more of it
    double damage, drop, repeat, delay; // probability, per frame
    unsigned stall_every;               // every so many bulk transfers stall, 0: none
    bool stall_for_good;                // the halt does not clear
    bool short_packets;                 // transfers in end after 0 to 5 bytes of data
    bool mute;                          // the host hears nothing
    bool no_size;                       // plugged in, its endpoints say wMaxPacketSize 0
};
extern const struct mock_faults mock_no_faults;

// The made-up machine, empty. One a process, which is started anew with argv where umockdev was not
// loaded before. Never NULL: failures end the program.
struct mock *mock_new(char **argv, uint64_t seed);
void mock_free(struct mock *m);

// Plugs device 1-`device` (from 1 on) of the server at 127.0.0.1:port in; the machine knows it as
// place 1-`device`. mock_unplug() pulls it, also where a fault did already.
void mock_plug(struct mock *m, unsigned port, unsigned device);
void mock_unplug(struct mock *m, unsigned device);
// An interface of it has the kernel's driver, which made this port ("ttyUSB0").
void mock_kernel_driver(struct mock *m, unsigned device, unsigned interface, const char *tty);
// Its node may be opened by nobody.
void mock_forbid(struct mock *m, unsigned device);
const char *mock_serial(const struct mock *m, unsigned device);

void mock_set_faults(struct mock *m, const struct mock_faults *faults);

struct mock_seen {
    long bytes;         // UART bytes both ways
    unsigned faults;    // done, of all kinds
    unsigned latency;   // as the host has set it, ms
    unsigned in_flight; // most transfers in at the same time
    bool event;
    unsigned claims;    // interfaces claimed now
    unsigned interface; // claimed last
};
// Since mock_set_faults() or mock_plug().
struct mock_seen mock_seen(struct mock *m);

// Runs a program there: exit status, or 128 + signal; -1: killed because it took longer than
// `seconds`. Its output, stderr included, is in `output`.
int mock_run(struct mock *m, char *const *argv, double seconds, char *output, size_t size);

#endif
