// SPDX-License-Identifier: Apache-2.0
// A torus of given sizes laid over the graph of boards and cables that discover found: which board
// is at which node, so that as many cables as can be are where such a torus has them. Not
// installed.
#ifndef TORUS_LAYOUT_H
#define TORUS_LAYOUT_H

#include "libtorus.h"

enum { NOWHERE = -1 };

struct layout {
    const struct torus_board *board; // the graph; their coordinates are not used
    unsigned boards, dims;
    uint8_t k[3]; // sizes, 1 to 16
    unsigned nodes;
    int *node;                     // of each board, NOWHERE: none
    int *board_at;                 // of each node, NOWHERE: none
    uint16_t (*next)[TORUS_PORTS]; // of each node, in the direction of a port
    // Cables: right and needed; in the place of the second one that a dimension of 2 may have; in
    // any other place; places of needed ones without one, and so many for each board too many as
    // it takes to have one board more.
    unsigned right, spare, wrong, missing;
    unsigned *scratch; // 16 a board
};

// Room for a torus of up to `nodes` nodes over `boards` boards. False: out of memory.
bool layout_new(struct layout *l, const struct torus_board *board, unsigned boards, unsigned dims,
                unsigned nodes);
void layout_free(struct layout *l);
// Of the same graph and room.
void layout_copy(struct layout *to, const struct layout *from);

// Another torus, with no board anywhere.
void layout_sizes(struct layout *l, const uint8_t k[3]);
// Places all boards from board `start` on, which comes to node 0: over cables that the squares
// around them confirm first, and without going round the torus where that can be avoided, so that
// where a torus is twisted the seam is where coordinates begin anew. luck: another order for each;
// odd ones rather take a cable that is to be doubted than go round, from 2 on some are doubted
// more.
void layout_grow(struct layout *l, unsigned start, unsigned luck);
// Moves whole regions (shift.c) as long as more cables fit. Boards may come to lie upon each other.
// False: out of memory.
bool layout_shift(struct layout *l);
// Boards that lie upon each other, and those that are nowhere, get nodes of their own; counts
// cables.
void layout_settle(struct layout *l);
// After that: exchanges two boards, or moves one to a free node, as long as more cables fit.
void layout_polish(struct layout *l);
// Moves all so that what was at coordinates `wanted` is at node 0; where a dimension of 2 has one
// cable a pair, node 0 is the one that uses its +.
void layout_turn(struct layout *l, const uint8_t wanted[3]);

// Cables to be touched: those that are wrong go where one is missing.
static inline unsigned layout_cost(const struct layout *l)
{
    return l->wrong > l->missing ? l->wrong : l->missing;
}

// The board that the cable at a port leads to, where it ends at the opposite port of another board
// and the torus has that dimension; NOWHERE.
int layout_link(const struct layout *l, unsigned board, unsigned port);
// Does the torus need a cable at this port of a node? A dimension of 2 is one cable.
bool layout_needs(const struct layout *l, unsigned node, unsigned port);

// The node beside one, in the direction of a port.
static inline unsigned layout_beside(const struct layout *l, unsigned node, unsigned port)
{
    return l->next[node][port];
}

#endif
