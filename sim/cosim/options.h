// SPDX-License-Identifier: Apache-2.0
// boardsim's command line.
#ifndef OPTIONS_H
#define OPTIONS_H

#include "ftdi_chip.h"
#include "torus.h"

enum { MAX_LATENCY = 32, MAX_PLUGS = 256, MAX_ORDERS = 64, MAX_PPM = 500000, MAX_LINK_PPM = 3000 };

// What is to be done to a board or a cable in a cycle (control.h).
struct timed_order {
    uint64_t cycle;
    const char *order;
    bool done;
};

struct options {
    struct ofr_torus torus;
    char *kinds;              // a letter a board
    char kind;                // of all boards, where kinds is NULL
    char *bitstream, *beside; // what board a b is, and r and g beside it; NULL: not said
    bool shadow, pty;
    const char *directory;
    unsigned latency, threads;
    uint64_t cycles; // 0: until a signal
    uint64_t seed;
    uint64_t break_at;     // 0: never
    char *plug[MAX_PLUGS]; // --cable, in order
    size_t plugs;
    bool usbip; // serve
    unsigned port;
    enum ftdi_kind chip;
    bool wait;                 // time stands still while no host waits for an answer
    unsigned ppm;              // 0: one clock for all
    const char *ledger;        // file, NULL: none
    unsigned channels;         // ends of channels a board has
    bool user;                 // RTL boards have a user's core
    const char *logic;         // file of the logic at their pins, NULL: none
    bool reliable, phy;        // links; with either:
    double bit_errors, bursts; // of a bit, of a word
    char *pull[MAX_PLUGS];     // --pull, in order
    size_t pulls;
    char *stuck[MAX_PLUGS]; // phy: --stuck, in order
    size_t stucks;
    unsigned jitter; // phy: an edge comes up to so many percent of a bit early or late
    int misfit;      // a golden board whose ends do not fit the others', -1: none
    unsigned spread; // a cable is up to so much longer than latency, cycles
    struct timed_order order_at[MAX_ORDERS]; // --at
    size_t orders;
    bool given[128]; // by an option's letter: is it on the command line?
    char order[64];  // for a simulator that runs, "": this is to be one
};

// From the command line; what is wrong there ends the program with status 2.
struct options options_read(int argc, char **argv);
// The name of one that was given and whose letter is none of these; NULL: there is none.
const char *options_other(const struct options *o, const char *letters);

#endif
