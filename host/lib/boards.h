// SPDX-License-Identifier: Apache-2.0
// Boards and topology: single boards (board.c), the session with its lease and key (session.c), the
// walk and the torus in the graph (discover.c), what is wrong with the cables (cables.c).
#ifndef TORUS_BOARDS_H
#define TORUS_BOARDS_H

#include "request.h"

// The number of the board we are plugged into.
int gateway_node(struct torus *t, unsigned *node);

// Recognises the torus in what the walk found: sizes, coordinates, faults.
int recognise(struct torus *t);
// Compares every cable with what the boards' coordinates want (cables.c): faults.
int check_cables(struct torus *t);
// Notes a fault. cable: NULL if it is not about one.
__attribute__((format(printf, 4, 5))) void fault(struct torus *t, enum torus_fault_kind kind,
                                                 const struct torus_cable *cable,
                                                 const char *format, ...);

#endif
