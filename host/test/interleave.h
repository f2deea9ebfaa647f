// SPDX-License-Identifier: Apache-2.0
// Two hosts at boards of which one acts between any two frames of the other: the boards, what the
// second one does, and the loop. What the first one does is the tests': test_interleave.c calls the
// library, test_commands.c whole commands of torusctl.
#ifndef INTERLEAVE_H
#define INTERLEAVE_H

#include "fake.h"

struct operation;

// The boards, the first host, and what the second one does at which of the first one's frames.
struct stage {
    struct fake_fabric *f;
    struct fake_wire wire[2];
    struct torus *first, *second;
    struct torus_transport beneath; // the first host's wire
    long at, frames;                // acts before frame `at`; frames so far
    void (*act)(struct stage *s);
    bool acted;
    bool broken;         // who had no right to wrote all the same
    int said;            // the second host's, of what it did
    unsigned generation; // that it gave a table, 0: none
    const struct operation *o;
    char why[200]; // the first host's error, where it is not the detail
};

// Boards programmed with ABR, both hosts attached.
void set_up(struct stage *s, uint64_t seed, unsigned kx, unsigned ky);
void tear_down(struct stage *s);

// Which routing do all boards have? 0: not all the same one.
unsigned routing_of(const struct fake_fabric *f);
// The highest generation that a board has.
unsigned newest(const struct fake_fabric *f);
// Counters that tell when they were latched: all of a board the same number, which goes up.
void tick(struct fake_fabric *f);
// One request to the board that the second host is plugged into, by its frame; its status. d3.
unsigned ask_raw(struct stage *s, unsigned op, unsigned session, unsigned high, uint32_t *d3);

// Frames after the last one that needs the lease: a look, giving back.
enum { AFTER = 2 };

// What the first host does: gives 0, and sets *is to whether what it was told is so, or an error,
// of which s->why or the detail says what it was.
struct operation {
    const char *name;
    int (*go)(struct stage *s, bool *is);
    unsigned kx, ky;     // of the torus
    bool clocks;         // time goes on by itself, and packets take some
    bool quiet;          // counters that go up are traffic to it: it may be refused then
    unsigned slot_flits; // 0: 16
    const void *use;     // its own
};

// Every action of the second host before each of the frames of the operation. Lies: the first host
// was told that it had done what was not so, or could not do it although the other one did but
// read; they are printed. *refused: of the others, errors, *tried: of all.
unsigned lies(const struct operation *o, uint64_t seed, unsigned *refused, unsigned *tried);

#endif
