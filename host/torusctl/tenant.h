// SPDX-License-Identifier: Apache-2.0
// The command that serve is given: a torusctl of its own, which comes to the board as any other.
#ifndef TENANT_H
#define TENANT_H

#include <sys/types.h>

#include "command.h"

// Starts it: serve's arguments, with serve's board. -1: said why not.
pid_t tenant_start(const struct args *a);
// Has it ended? *status: its exit status, 2 where a signal ended it, which is said unless it was
// asked to end.
bool tenant_ended(pid_t tenant, bool asked, int *status);
// Ends it, whatever it does.
void tenant_kill(pid_t tenant);

#endif
