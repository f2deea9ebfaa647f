// SPDX-License-Identifier: Apache-2.0
// Messages under way (messages.c): what calls with one or several, and collectives (collective.c),
// are made of. Needs boards.h.
#ifndef TORUS_PARTS_H
#define TORUS_PARTS_H

enum { HEAD = 8 };

// One end's part in a message: it sends it, or takes it.
struct part {
    const struct torus_end *end;
    bool take;
    // A collective's message begins with HEAD bytes that say what it is, and has just `bytes` more:
    // a taken one that differs is an error.
    bool headed;
    uint8_t head[HEAD], came[HEAD];
    uint8_t *body; // what is sent (not written to), or room
    size_t bytes;  // of it
    size_t ready;  // of those to be sent, so many may go already
    size_t moved;  // that went, or came, head included: more than there is room for: thrown away
    bool whole;    // its border too
    bool held;     // it may not begin yet
    bool waits;    // the last time there was nothing, or no room
    struct part *other; // its other end's part, NULL: not among these
};

// Moves them all, to their ends. seconds: how long nothing may move. step: is told that something
// has come, and sets what is ready; NULL: nothing changes.
int move_parts(struct torus *t, struct part *p, unsigned count, double seconds,
               void (*step)(void *ctx), void *ctx);

// Of the body.
static inline size_t body_moved(const struct part *p)
{
    size_t head = p->headed ? HEAD : 0, moved = p->moved < head ? 0 : p->moved - head;
    return moved < p->bytes ? moved : p->bytes;
}

#endif
