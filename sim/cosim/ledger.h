// SPDX-License-Identifier: Apache-2.0
// The packets of users that go out of each port, with --ledger, by the flits on the cables
// themselves.
#ifndef LEDGER_H
#define LEDGER_H

#include "sim.h"

void open_ledger(struct sim *s);
// The flit at port p of board n, in each cycle.
void ledger_see(struct sim *s, uint32_t n, unsigned p, const struct ofr_flit *flit);
// Writes what was counted: a line a port, board, port, packets.
void write_ledger(const struct sim *s);

#endif
