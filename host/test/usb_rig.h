// SPDX-License-Identifier: Apache-2.0
// What the tests over USB share: a boardsim, a made-up machine with its boards plugged in, torusctl
// on it; results as TAP. Call rig_new() first in main().
#ifndef USB_RIG_H
#define USB_RIG_H

#include "mock_usb.h"

struct rig {
    struct mock *mock;
    pid_t sim;
    unsigned port;
    uint64_t seed;
    char dir[64], log[96];
    const char *ctl; // torusctl, or a broken one
    char out[1 << 16];
    int status;  // of the last torusctl
    double took; // its seconds
    unsigned number, failed;
};

struct rig *rig_new(int argc, char **argv);
// Ends what runs; the exit status of the test.
int rig_end(struct rig *r);

// One result. Returns ok.
__attribute__((format(printf, 3, 4))) bool check(struct rig *r, bool ok, const char *format, ...);

// boardsim with these options (one string, separated by single blanks), its first `plugged` boards
// plugged in.
void rig_boards(struct rig *r, const char *options, unsigned plugged);
// Ends it, boards unplugged before: its exit status. Its output is in file `log`.
int rig_stop(struct rig *r);

// torusctl on a transport ("usb", "usb:SERIAL", "unix:0": board 0's socket) with these arguments,
// likewise one string; time-out 60 s, repeating after 10 s, unless they say otherwise: so nothing
// is sent twice because the machine is busy. Exit status, -1: it did not end; output in r->out.
int torusctl(struct rig *r, const char *where, const char *arguments);
// Whether the output has this in it; is one line.
bool says(const struct rig *r, const char *text);
bool one_line(const struct rig *r);
// Whether there is one complaint in it, beside results from before.
bool one_complaint(const struct rig *r);

#endif
