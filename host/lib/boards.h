// SPDX-License-Identifier: Apache-2.0
// Boards and topology: single boards (board.c), the session with its lease and key (session.c), the
// walk (discover.c), the torus in the graph (recognise.c), what is wrong with the cables (cables.c,
// twist.c, faults.c).
#ifndef TORUS_BOARDS_H
#define TORUS_BOARDS_H

#include "request.h"

// The write lease of all boards, for so many seconds from now on (0: a default), taken unless we
// have it. Operations that write begin with it and end with lease_done(), which gives it back where
// nothing else needs it, and returns `error` or else its own. lease_keep() renews it in long ones,
// when half of its time is over. lease_verify() fails (TORUS_E_LEASE) where it was lost since.
int lease_begin(struct torus *t, double seconds);
int lease_keep(struct torus *t);
int lease_verify(struct torus *t);
int lease_done(struct torus *t, int error);

// Stops all generators, in the lease. It is not cancelled.
int stop_all(struct torus *t);

// t->clock, the rate of the clock of the board we are plugged into.
int read_clock(struct torus *t);

// Requests to boards by their number, over the directed routes that discover found. high: d2, bits
// 31:16; value: d3.
void to_board(struct torus *t, struct request *q, unsigned board, unsigned op, unsigned arg,
              unsigned high, uint32_t value);
// Such requests. The first status that is not OK.
int ask_boards(struct torus *t, struct request *q, unsigned count, const char *what);
// The short operation that reads to all boards: in d3 of the responses *q, to be freed in any case.
int ask_every(struct torus *t, unsigned op, unsigned high, struct request **q, const char *what);
// A node's register of all boards, likewise.
int read_register(struct torus *t, unsigned offset, struct request **q, const char *what);
// The same short operation to `count` boards from number `first` on.
int write_boards(struct torus *t, unsigned first, unsigned count, unsigned op, unsigned arg,
                 unsigned high, uint32_t value, const char *what);

// Is that a place in the torus, as far as its sizes are known? False: TORUS_E_USAGE is said.
bool inside(struct torus *t, const uint8_t at[3]);
// The number of the board we are plugged into.
int gateway_node(struct torus *t, unsigned *node);

// Registers of a board's node, at most READ_SOME, in that order, over its directed route.
enum { READ_SOME = 10 };
int read_node(struct torus *t, unsigned board, const uint16_t *offset, unsigned count,
              uint32_t *value);
// What the physical layer at a port shows: links.c.
int read_phy(struct torus *t, unsigned board, unsigned port, struct torus_phy *out);
// Ends of reliable links that do not fit (links.c): faults.
int check_links(struct torus *t);

// Recognises the torus in what the walk found: sizes, coordinates, faults.
int recognise(struct torus *t);
// What parts all boards have, and any (struct torus, shapes), by address; asked once.
int parts_known(struct torus *t);
// Of boards that have their places: is it a torus, or what is wrong? As torus_discover().
int judge(struct torus *t);
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

#endif
