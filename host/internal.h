// SPDX-License-Identifier: Apache-2.0
// What the files of libtorus share. Not installed.
#ifndef TORUS_INTERNAL_H
#define TORUS_INTERNAL_H

#include "protocol.h"
#include "torus.h"

#define API __attribute__((visibility("default")))

enum { MAX_BOARDS = 4096, MAX_FAULTS = 64, WIDTH = 240 };

struct torus {
    struct torus_transport transport;
    struct torus_options options;
    uint16_t session, seq;
    bool wrote;                   // we may hold leases
    unsigned collectives;         // done so far
    unsigned ahead;               // cycles from now to the start of a run, 0: to be guessed
    double round_trip, last_good; // seconds; smoothed, monotonic time of the last good answer
    double kept_gap;              // seconds before sending again, from a request that was
    uint8_t rx[OFR_FRAME_BYTES];
    unsigned rx_count;
    char detail[WIDTH];

    struct torus_board *boards; // by discover
    unsigned board_count, board_room;
    unsigned dims;
    uint8_t k[3]; // 0: unknown
    unsigned slots, slot_flits, flit_bytes;
    bool good; // the graph is a torus, or attach found one
    bool attached;
    struct torus_preset preset; // as last read or written
    unsigned generation;
    char (*faults)[WIDTH];
    unsigned fault_count;
};

enum state { WAITING, SENT, DONE, FAILED };

// A request and its response. Set mode, to, aggregate, m[0] by request_*(), then exchange().
struct request {
    enum ofr_mode mode;
    uint32_t to; // coordinates (x 3:0, y 7:4, z 11:8)
    enum ofr_aggregate aggregate;
    uint32_t m[OFR_MESSAGE_WORDS], r[OFR_MESSAGE_WORDS];
    enum state state;
    enum ofr_status status;
    double sent, first, gap; // monotonic seconds
    bool resent;
    unsigned pending; // times PENDING came
};

// Records the error and returns it.
__attribute__((format(printf, 3, 4))) int fail(struct torus *t, int error, const char *format, ...);
int ok(struct torus *t);
double monotonic(void);
void pause_seconds(double seconds);

// Messages: by path (hops = 0: the gateway), by address, to all.
void by_path(struct request *q, const uint8_t *path, unsigned hops, unsigned op, unsigned arg);
void by_address(struct request *q, uint32_t to, unsigned op, unsigned arg);
void to_all(struct request *q, enum ofr_aggregate aggregate, unsigned op, unsigned arg);
uint32_t pack_at(const uint8_t at[3]);
const char *port_name(unsigned port);

// Does all requests, `window` at a time. At most one of them may be a writing one to the same board
// unless window is 1. TORUS_OK: all have an answer, whose status is to be looked at.
// TORUS_E_TIMEOUT: some have none (state FAILED). The detail names the first.
int exchange(struct torus *t, struct request *q, unsigned count);
// One request. Statuses other than OFR_OK become errors with a detail that begins with `what`.
int ask(struct torus *t, struct request *q, const char *what);
int status_error(struct torus *t, const struct request *q, const char *what);
// A collective over all boards: m is the message (4 data words); result: combined data, may be
// NULL.
int ask_all(struct torus *t, enum ofr_aggregate aggregate, unsigned op, unsigned arg,
            const uint32_t data[4], uint32_t result[4], const char *what);
unsigned torus_nodes(const struct torus *t);
void node_at(const struct torus *t, unsigned node, uint8_t at[3]);

// Recognises the torus in what discover found: sizes, coordinates, faults.
int recognise(struct torus *t);
__attribute__((format(printf, 2, 3))) void fault(struct torus *t, const char *format, ...);

#endif
