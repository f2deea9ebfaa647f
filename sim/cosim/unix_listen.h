// SPDX-License-Identifier: Apache-2.0
// A Unix socket that a simulator is reached at.
#ifndef UNIX_LISTEN_H
#define UNIX_LISTEN_H

// Listens at a path, non-blocking; what a program that has ended left there is taken away. Returns
// the socket, or -1 with errno; EADDRINUSE: another program listens there.
int unix_listen(const char *path);

#endif
