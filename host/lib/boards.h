// SPDX-License-Identifier: Apache-2.0
// Boards and topology: single boards (board.c), the session with its lease and key (session.c), the
// walk (discover.c), the torus in the graph (recognise.c), what is wrong with the cables (cables.c,
// twist.c, faults.c).
#ifndef TORUS_BOARDS_H
#define TORUS_BOARDS_H

#include "request.h"

// The number of the board we are plugged into.
int gateway_node(struct torus *t, unsigned *node);

// Recognises the torus in what the walk found: sizes, coordinates, faults.
int recognise(struct torus *t);
// Compares every cable with what the boards' coordinates want (cables.c): faults.
int check_cables(struct torus *t);
// Names twisted and mirrored seams among these wrong cables, + ends first (twist.c): faults.
int check_seams(struct torus *t, const struct torus_cable *wrong, unsigned count);
// Notes a fault (faults.c). cable: NULL if it is not about one. Where there is no memory for it,
// t->faults_lost.
__attribute__((format(printf, 4, 5))) void fault(struct torus *t, enum torus_fault_kind kind,
                                                 const struct torus_cable *cable,
                                                 const char *format, ...);
void faults_forget(struct torus *t);
// "(3,0)", in 3 dimensions "(3,0,1)".
void place_text(const struct torus *t, const uint8_t at[3], char text[16]);

#endif
