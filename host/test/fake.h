// SPDX-License-Identifier: Apache-2.0
// A fabric of fake boards in one process: the real firmware over registers that are just enough of
// a node (mailboxes joined by cables, table with CRC, counters, a generator that is done at once).
#ifndef FAKE_H
#define FAKE_H

#include <stdio.h>

#include "fw.h"
#include "libtorus.h"

enum { FAKE_MAIL = 4, FAKE_UART = 4096, FAKE_COUNTERS = 129, FAKE_CLOCK = 50000000 };

struct fake_queue {
    uint8_t byte[FAKE_UART];
    unsigned in, out;
};

struct fake_fabric;

struct fake_board {
    struct fake_fabric *fabric;
    struct fw fw;
    uint64_t serial;
    uint32_t reg[0xc24 / 4];    // not all of them are there: hal_write()
    struct fake_board *peer[6]; // cables
    unsigned peer_port[6];
    bool dead;   // its firmware does nothing
    bool passes; // a packet is always at it, so that it takes no tie
    struct fake_queue from_host, to_host;
    uint32_t tx[8], mail[FAKE_MAIL][8];
    unsigned tx_words, mail_count, mail_word;
    uint8_t shadow[64], table[64]; // OFR.DATA values
    uint32_t crc;                  // running, of DATA
    uint32_t timer;
    uint64_t counter[FAKE_COUNTERS], latched[FAKE_COUNTERS];
    unsigned snapshots, busy, table_writes;
    uint16_t pins[4096]; // PINS.DATA values that are active
    uint16_t pins_shadow[4096];
    unsigned clearing;  // reads of PINS.CLEAR until it is done
    bool no_pins;       // built without
    bool no_traffic;    // built without generator and checker
    bool no_shadow;     // a twin: what is written is active at once
    unsigned beats;     // of channels, that went to an end or were taken from one
    unsigned touched;   // writes to the tables, their settings and NODE.ROUTING
    double rate, ahead; // NODE.TIME is ahead + rate * fake_cycles(), where the fabric has `clocks`
    double latched_cycles; // fake_cycles() at the last snapshot
};

struct fake_fabric {
    unsigned dims, k[3], boards;
    struct fake_board *board; // node number order when cabled as a torus
    uint64_t random;
    double lose;         // probability that a packet is dropped
    double damage;       // probability that a byte from or to a host is changed, lost or doubled
    uint32_t time;       // NODE.TIME of all boards
    unsigned started;    // generators, since the last time that all were
    unsigned slot_flits; // of the boards; 0: 16
    unsigned generated;  // bit r: traffic was begun while a table of routing r was active
    uint32_t lifetime;   // cycles, of packets; 0: sums that carry between boards
    bool few_counters;   // boards are built with those of small FPGAs only
    unsigned discards;   // packets of each run that a board discards
    uint32_t user_shape, channel_shape; // SHAPE of the boards' USER and CHANNEL; 0: as usual
    bool clocks; // boards have instead clocks of their own, which go by fake_cycles()
    void (*after_poll)(struct fake_board *board); // or NULL
};

// A torus of fake boards, cabled right; wrap cables in dimensions of size 2 too if `wrap`.
struct fake_fabric *fake_new(unsigned kx, unsigned ky, unsigned kz, bool wrap, uint64_t seed);
void fake_free(struct fake_fabric *f);

void fake_cut(struct fake_board *b, unsigned port);
void fake_cable(struct fake_board *a, unsigned port_a, struct fake_board *b, unsigned port_b);

// Cycles of 50 MHz since some time; of the time of fake_time.c where that is linked.
double fake_cycles(void);

// Polls all firmware until nothing happens any more.
void fake_settle(struct fake_fabric *f);

// The UART of board b as a transport. writes_left: frames until the connection breaks, -1: never.
struct fake_wire {
    struct fake_board *board;
    long writes_left;
};
struct torus_transport fake_transport(struct fake_wire *wire);

// Uniform random number below n.
uint32_t fake_random(struct fake_fabric *f, uint32_t n);

// Seed of a test: argument, environment variable SEED, or 1; printed.
uint64_t fake_seed(int argc, char **argv);

#endif
