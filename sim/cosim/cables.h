// SPDX-License-Identifier: Apache-2.0
// Which port is joined to which: the cables of the torus, then what --cable changes.
#ifndef CABLES_H
#define CABLES_H

#include "sim.h"

void cable_torus(struct sim *s);
// What --cable says.
void change_cables(struct sim *s);
// --pull, once the cables are as they are.
void read_pulls(struct sim *s);
// An end in words, "5.x+": port x+ of board 5. Returns what is behind it; NULL: it is not written
// so.
const char *read_end(const struct sim *s, const char *text, struct cable_end *end);
// A cable in words: "5.x+", or "5.x+:7.y-", the port that it joins that one to; b->board is -1
// where there is none. False: it is not written so.
bool read_cable(const struct sim *s, const char *text, struct cable_end *a, struct cable_end *b);
// While boards run, between two batches: a cable pulled, one plugged in. To where there is one, it
// is pulled first.
void unplug(struct sim *s, struct cable_end end);
void plug(struct sim *s, struct cable_end a, struct cable_end b);
// The neighbour's end that faces this one, whether or not there is a cable: at pins a ring of two
// has both. board -1: none, the ring has size 1.
struct cable_end facing_end(const struct sim *s, struct cable_end end);
// The far end of the cable that the torus has here; board -1: none, its ring has size 1,
// or 2, which has one cable here.
struct cable_end torus_cable(const struct sim *s, struct cable_end end);

#endif
