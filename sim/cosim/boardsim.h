// SPDX-License-Identifier: Apache-2.0
// What boardsim's files share. boardsim.c: options, start and end, the verdict; cables.c: which
// port is joined to which; steps.c: time, threads, what is on the cables; clocks.c: the same for
// boards with clocks of their own; ledger.c: the packets that went over each; uarts.c: hosts.
#ifndef BOARDSIM_H
#define BOARDSIM_H

#include "board.h"
#include "usbip.h"

#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdnoreturn.h>

enum {
    MAX_LATENCY = 32,
    MAX_THREADS = 16,
    MAX_PLUGS = 256,
    MAX_PPM = 500000,
    FIRMWARE_EVERY = 8, // cycles between two polls of a golden board's firmware
};

struct cable_end {
    int board, port; // -1: nothing plugged in
};

// What an output port showed in the last cycles: its cable. A board can be up to `latency` cycles
// ahead of the one that looks at it.
enum { LINE = 2 * MAX_LATENCY };
struct line {
    struct ofr_flit flit[LINE];
    uint8_t credit[LINE][OFR_VCS]; // of the port's input, on their way to the far output
    bool ready[LINE];              // likewise; only with clocks of their own
};

struct uart_socket {
    int listener, client; // -1: none
    bool pty, hung_up;
    uint8_t frame[OFR_FRAME_BYTES]; // with --wait: what has come of one
    unsigned got;
};

struct options {
    struct ofr_torus torus;
    char *kinds; // a letter a board
    char kind;   // of all boards, where kinds is NULL
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
    bool wait;          // time stands still while no host waits for an answer
    unsigned ppm;       // 0: one clock for all
    const char *ledger; // file, NULL: none
};

struct clocks;
struct worker;
struct ledger;

struct sim {
    struct options o;
    uint32_t boards;
    struct board **board;
    struct cable_end (*peer)[OFR_LINKS];
    struct line (*line)[OFR_LINKS];
    struct uart_socket *uart;
    struct ftdi_chip *chip; // with usbip
    struct usbip *usbip;    // NULL: none
    struct clocks *clocks;  // NULL: one clock for all
    struct ofr_node_in *in;
    struct pollfd *fds;
    struct ledger *ledger; // NULL: none
    uint64_t cycle;
    uint64_t owed;     // with --wait: bytes of answers that hosts wait for
    uint64_t reported; // snapshots a board that have been told about
    bool differed;     // before the last power cycle
    // Threads: each steps its share of the boards and meets the others every `latency` cycles
    unsigned threads;
    pthread_t thread[MAX_THREADS];
    struct worker *worker;
    uint64_t last_flit[MAX_THREADS];
    sem_t go[MAX_THREADS];
    atomic_uint arrived, round;
    bool quit;
};

// boardsim.c. die() says what is wrong, in one line, and ends with status 2; allocate() gives
// zeroed memory, or does that.
__attribute__((format(printf, 1, 2))) noreturn void die(const char *format, ...);
void *allocate(size_t n, size_t size);
// A random number of board n's, the same for a seed: `what` 0 is its serial number, which says
// nothing about its place in the torus.
uint64_t random_of(uint64_t seed, uint32_t n, unsigned what);

// cables.c: the cables of the torus, then what --cable changes.
void cable_torus(struct sim *s);
void change_cables(struct sim *s);

// steps.c
void start_threads(struct sim *s);
void end_threads(struct sim *s);
// Some cycles of all boards.
void step_batch(struct sim *s);
// Nothing in any golden board or on any cable: time may stand still.
bool idle(const struct sim *s);

// clocks.c, with --ppm: draws each board's clock and the cycle in which it is switched on.
void start_clocks(struct sim *s);
// One cycle of the fastest clock that there could be: board n's, too, or not.
void step_own_clock(struct sim *s, uint32_t n, uint64_t cycle, uint64_t *last_flit);
// All boards are switched on.
bool clocks_run(const struct sim *s);
// So many of those cycles are between the first and the last board's latest snapshot.
uint64_t snapshots_apart(struct sim *s);
// NODE.TIME of any two boards are *apart cycles apart. False: not known, without golden models.
bool times_apart(const struct sim *s, uint32_t *apart);

// ledger.c, with --ledger: counts the packets of users that go out of each port, by the flits on
// the cables themselves. ledger_see: the flit at port p of board n, in each cycle.
void open_ledger(struct sim *s);
void ledger_see(struct sim *s, uint32_t n, unsigned p, const struct ofr_flit *flit);
// Writes what was counted: a line a port, board, port, packets.
void write_ledger(const struct sim *s);

// uarts.c: opens each board's socket or terminal, and the USB/IP server.
void open_uarts(struct sim *s);
void close_uarts(struct sim *s);
// Bytes to and from the boards; whether there were any.
bool serve_uarts(struct sim *s);
// Until a host wants something, for a while at most.
void wait_for_host(struct sim *s);

#endif
