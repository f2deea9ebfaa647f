// SPDX-License-Identifier: Apache-2.0
// Many clients' requests to one board, which takes a few at a time from one host: whose turn it is,
// and whose answer comes. Frames of protocol.h; no input or output of its own (serve.c). Every
// request goes on under a sequence number of the relay's, so that clients with the same session and
// numbers do not mix, and so does each time that it is sent again, so that a write never acts
// twice. Answers go to who asked, and to nobody else: the one to who takes the lease is a secret.
// Reports, which nobody has just asked for, go to all.
#ifndef RELAY_H
#define RELAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "protocol.h"

enum {
    RELAY_CLIENTS = 64,
    RELAY_QUEUE = 16, // requests of a client that wait for their turn
    RELAY_KNOWN = 64, // of a client's requests so many are still known when they come again
    RELAY_ANSWERS =
        64, // frames for a client that does not read; more are lost, as on a serial line
    RELAY_TIME_OUT = 10, // tenths of a second: a request without an answer keeps nobody back longer
};

struct relay;

// window: requests at the board at once, 1 to 7. NULL: no memory.
struct relay *relay_new(unsigned window);
void relay_free(struct relay *r);

// A client comes: its number, -1: there are RELAY_CLIENTS. It goes.
int relay_join(struct relay *r);
void relay_leave(struct relay *r, int client);

// Bytes of a client, in any pieces; how many were taken: less than all while its queue is full.
// What is no frame is thrown away.
size_t relay_from_client(struct relay *r, int client, const uint8_t *bytes, size_t count);
// Is there room for a frame of its?
bool relay_takes(const struct relay *r, int client);

// Bytes of the board. now: seconds, monotonic.
void relay_from_board(struct relay *r, const uint8_t *bytes, size_t count, double now);
// The next frame for it. False: none may go now; then *wake is when to look again, if nothing comes
// before (a time far away where nothing waits).
bool relay_to_board(struct relay *r, double now, uint8_t frame[OFR_FRAME_BYTES], double *wake);

// What waits for a client, and that it has got so many bytes of it.
size_t relay_for_client(const struct relay *r, int client, const uint8_t **bytes);
void relay_got(struct relay *r, int client, size_t count);

#endif
