// SPDX-License-Identifier: Apache-2.0
// boardsim's state, which its files share: the boards, what joins them, time, hosts.
#ifndef SIM_H
#define SIM_H

#include "board.h"
#include "options.h"
#include "usbip.h"

#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

enum {
    MAX_THREADS = 16,
    BATCH = 64,         // cycles between two looks at the hosts
    FIRMWARE_EVERY = 8, // cycles between two polls of a golden board's firmware
};

struct cable_end {
    int board, port; // -1: nothing plugged in
};

struct pull { // a plug that is out in these cycles
    struct cable_end end;
    uint64_t from, to;
};

// What an output port showed in the last cycles: its cable. A board can be up to `latency` cycles
// ahead of the one that looks at it.
enum { LINE = 2 * MAX_LATENCY };
struct line {
    struct ofr_flit flit[LINE];
    uint8_t credit[LINE][OFR_VCS]; // of the port's input, on their way to the far output
    bool ready[LINE];              // likewise; only with clocks of their own
};

// One end of a cable. LINK_TRAINS: the count of packets sent becomes what the other end has
// received.
enum link_phase { LINK_UP, LINK_DOWN, LINK_TRAINS };
struct link {
    enum link_phase phase;
    uint64_t until;          // LINK_DOWN: at least
    bool sending, receiving; // a packet, with its header out but not its tail
    bool dropping;           // the rest of the packet that is being sent
    bool abort;              // due
    uint8_t base[OFR_VCS];
};

struct uart_socket {
    int listener, client; // -1: none
    bool pty, hung_up;
    uint8_t frame[OFR_FRAME_BYTES]; // with --wait: what has come of one
    unsigned got;
    unsigned gone; // bytes of a frame from the board that have gone to the host,
    bool bulk;     // which is one of bytes (protocol.h, BULK)
};

// Who tells boardsim what to do while it runs (control.c).
struct control {
    int listener, client; // -1: none
    char line[64];        // what has come of a command
    unsigned got;
    bool waits; // for links to settle
};

struct clocks;
struct worker;
struct ledger;
struct link_end;
struct phy_end;

struct sim {
    struct options o;
    uint32_t boards;
    struct board **board;
    const struct logic *logic; // at the pins of their channels; NULL: none
    struct cable_end (*peer)[OFR_LINKS];
    struct line (*line)[OFR_LINKS];
    struct link (*link)[OFR_LINKS];
    struct uart_socket *uart;
    struct ftdi_chip *chip; // with usbip
    struct usbip *usbip;    // NULL: none
    struct clocks *clocks;  // NULL: one clock for all
    struct ofr_node_in *in;
    struct pollfd *fds;
    struct ledger *ledger;     // NULL: none
    struct pull *pull;         // o.pulls of them
    struct link_end *link_end; // reliable links' ends, OFR_LINKS a board; NULL: none
    struct phy_end *phy_end;   // cables' ends at pins, likewise; neither: plain links
    struct control control;
    struct times {      // times_watch()
        uint64_t up_at; // all links, UINT64_MAX: not now
        uint64_t looks;
        double neighbours; // most cycles apart
        double beyond;     // of any two boards, less half their distance
        double *at;        // of each board, as it was looked at last
    } times;
    uint64_t cycle;
    uint64_t owed;     // with --wait: answers that hosts wait for
    uint64_t reported; // snapshots a board that have been told about
    bool differed;     // before the last power cycle
    // Threads (steps.c)
    unsigned threads;
    pthread_t thread[MAX_THREADS];
    struct worker *worker;
    uint64_t last_flit[MAX_THREADS];
    sem_t go[MAX_THREADS];
    uint64_t from, until; // the stretch's cycles
    struct share {
        _Alignas(64) atomic_uint_fast64_t taken; // a stretch's number, and how many of the boards
    } share[MAX_THREADS];
    atomic_uint done; // boards of the stretch
    unsigned stretch, patience;
    unsigned alone, away; // batches to come of the first thread alone, of how many
    atomic_bool running;  // a batch
    atomic_bool quit;
};

#endif
