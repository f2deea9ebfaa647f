// SPDX-License-Identifier: Apache-2.0
// Hosts: each board's UART as a Unix socket or a terminal, and behind a USB chip.
#ifndef UARTS_H
#define UARTS_H

#include "sim.h"

// unix_listen(), or the simulator ends with a line.
int listen_at(const char *path);
// Where board n's is; too long a path ends the simulator with a line.
void socket_path(const struct sim *s, uint32_t n, char path[108]);
// Opens each board's socket or terminal, and the USB/IP server.
void open_uarts(struct sim *s);
void close_uarts(struct sim *s);
// Bytes to and from the boards; whether there were any.
bool serve_uarts(struct sim *s);
// Has a board still to take bytes from a host? Bytes of an answer that was given early, say.
bool uarts_backlog(const struct sim *s);
// Until a host wants something, for a while at most.
void wait_for_host(struct sim *s);

#endif
