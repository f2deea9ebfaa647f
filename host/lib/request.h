// SPDX-License-Identifier: Apache-2.0
// Frames and requests (exchange.c): messages of protocol.h to one board, some, or all, with
// time-outs and retries.
#ifndef TORUS_REQUEST_H
#define TORUS_REQUEST_H

#include "handle.h"

enum state { WAITING, SENT, DONE, FAILED };

// A request and its response. Set up by by_path(), by_address() or to_all(); then m[2] to m[5].
struct request {
    enum ofr_mode mode;
    uint32_t to; // coordinates (x 3:0, y 7:4, z 11:8)
    enum ofr_aggregate aggregate;
    uint32_t m[OFR_MESSAGE_WORDS], r[OFR_MESSAGE_WORDS];
    enum state state;
    enum ofr_status status;
    double sent, first, gap; // monotonic seconds
    bool resent;
    uint8_t *bulk;    // bytes in bulk frames beside an OP_MOVE, NULL: none; not written to, or room
    uint32_t frames;  // of those wanted, that have come: a bit each
    double moved;     // when PENDING last said another number of boards,
    uint32_t missing; // this one
};

// Messages: by path (hops = 0: the gateway), by address, to all.
void by_path(struct request *q, const uint8_t *path, unsigned hops, unsigned op, unsigned arg);
void by_address(struct request *q, uint32_t to, unsigned op, unsigned arg);
void to_all(struct request *q, enum ofr_aggregate aggregate, unsigned op, unsigned arg);

// Bytes in bulk frames, m[2] how many, to an end (those of `bulk`) or from one (for which there is
// room there).
void with_bulk(struct request *q, uint8_t *bulk, unsigned bytes);

// Does all requests, `window` at a time. At most one of them may be a writing one to the same board
// unless window is 1. TORUS_OK: all have an answer, whose status is to be looked at.
// TORUS_E_TIMEOUT: some have none (state FAILED). The detail names the first.
int exchange(struct torus *t, struct request *q, unsigned count);
// Waits for a report of a board (protocol.h, WATCH), t->reported, up to so many seconds.
int await_report(struct torus *t, double seconds);
// One request. Statuses other than OFR_OK become errors with a detail that begins with `what`.
int ask(struct torus *t, struct request *q, const char *what);
int status_error(struct torus *t, const struct request *q, const char *what);
// A collective over all boards. data: four words, NULL: zeros; result: combined data, may be NULL.
int ask_all(struct torus *t, enum ofr_aggregate aggregate, unsigned op, unsigned arg,
            const uint32_t data[4], uint32_t result[4], const char *what);

#endif
