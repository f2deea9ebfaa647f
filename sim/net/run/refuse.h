// SPDX-License-Identifier: Apache-2.0
// How torussim refuses bad input, and how it is told to stop.
#ifndef NET_REFUSE_H
#define NET_REFUSE_H

#include <stdatomic.h>
#include <stdint.h>

// A whole number or a real number, the whole text, within bounds; else a line on stderr and exit
// status 2.
uint64_t net_parse_count(const char *what, const char *text, uint64_t least, uint64_t most);
double net_parse_real(const char *what, const char *text);

// The name of a file or folder, which is not empty; else the same.
const char *net_parse_path(const char *what, const char *text);

// What the mistakes to come are in, NULL: the command line; the text stays the caller's.
void net_refuse_in(const char *where);

// One line on stderr, exit status 2.
_Noreturn void net_refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

// Set by the first SIGINT or SIGTERM after net_catch_signals().
extern atomic_bool net_stop;
void net_catch_signals(void);

#endif
