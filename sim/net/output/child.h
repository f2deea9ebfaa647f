// SPDX-License-Identifier: Apache-2.0
// A program that this one starts and waits for. What would end this one meanwhile ends the child
// instead, so that what it leaves half done can be removed.
#ifndef CHILD_H
#define CHILD_H

#include <sys/types.h>

// From now on SIGINT, SIGTERM and SIGHUP are kept from this program (not those that it ignores).
void child_begin(void);

// The child that they end, the second one at once; also those that came since child_begin.
void child_watch(pid_t child);

// Waits for it; its status as by waitpid.
int child_wait(void);

// The signal that came since child_begin, 0: none.
int child_signalled(void);

// Signals are again what they were before child_begin.
void child_end(void);

#endif
