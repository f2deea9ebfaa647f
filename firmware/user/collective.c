// SPDX-License-Identifier: Apache-2.0
// Collectives over a ring of channels. A call uses it as a chain, from the root on or up to it, so
// that nobody waits for anybody in a circle; pieces are passed on as they come, so that all members
// move at once. Before the pieces goes a head, by which members that do not do the same are found.
#include "outflank_user.h"

enum { NEXT = 0, BEFORE = 1 }; // ends
enum { PIECE = 64 };           // bytes
enum kind { BARRIER = 1, BROADCAST, REDUCE, ALL_REDUCE, SCATTER, GATHER };

// What the call is, its root and bytes.
struct head {
    uint32_t call, root, bytes;
};

// Where this member is in a call's chain, of `members`.
struct chain {
    unsigned members, first, place; // first: the member at place 0
    enum torus_moved state;         // TORUS_MORE: it goes on
};

static enum torus_moved broken; // what every call ends with; TORUS_MORE: it is not

// Only a member that goes no further sends anything backward.
static enum torus_moved next_fails(void)
{
    struct torus_transfer t = {.end = NEXT};
    enum torus_moved moved = torus_recv_some(&t);
    return moved == TORUS_MORE || moved == TORUS_BROKEN ? moved : TORUS_OTHER;
}

// An empty message, which no call has: to both neighbours, as either may wait for this one, but to
// none that has failed itself.
static void fails(struct chain *c, enum torus_moved why, bool next_has)
{
    struct torus_transfer next = {.end = NEXT}, before = {.end = BEFORE};
    torus_send_some(&before);
    while (!next_has && torus_send_some(&next) == TORUS_MORE)
        next_has = next_fails() != TORUS_MORE;
    broken = c->state = why;
}

static void give(struct chain *c, const void *data, size_t bytes)
{
    struct torus_transfer t = {.end = NEXT, .data = (uint8_t *)(uintptr_t)data, .bytes = bytes};
    enum torus_moved why = TORUS_MORE;
    if (c->state != TORUS_MORE || c->place + 1 == c->members)
        return;
    while (torus_send_some(&t) == TORUS_MORE && why == TORUS_MORE)
        why = next_fails();
    if (why != TORUS_MORE)
        fails(c, why, true);
}

static void take(struct chain *c, void *data, size_t bytes)
{
    size_t got;
    if (c->state != TORUS_MORE || !c->place)
        return;
    enum torus_moved moved = torus_message_recv(BEFORE, data, bytes, &got);
    if (moved == TORUS_BROKEN)
        fails(c, moved, false);
    else if (moved != TORUS_WHOLE || got != bytes)
        fails(c, TORUS_OTHER, false);
}

static size_t piece(size_t bytes, size_t done)
{
    return bytes - done < PIECE ? bytes - done : PIECE;
}

static bool same(const struct head *a, const struct head *b)
{
    return a->call == b->call && a->root == b->root && a->bytes == b->bytes;
}

// There is no memcpy() here.
static void copy(void *to, const void *from, size_t bytes)
{
    volatile uint8_t *p = to;
    for (size_t i = 0; i < bytes; i++)
        p[i] = ((const uint8_t *)from)[i];
}

// skip: the chain begins so many behind the root.
static struct chain begin(enum kind kind, unsigned operation, unsigned root, unsigned skip,
                          size_t bytes)
{
    const struct head mine = {kind << 8 | operation, root, bytes};
    struct head theirs;
    struct chain c = {.members = torus_place.nodes, .first = root + skip, .state = broken};
    if (root >= c.members || operation > TORUS_OR) {
        c.state = TORUS_USAGE;
        return c;
    }
    c.first = c.first == c.members ? 0 : c.first;
    c.place = torus_place.node - c.first + (torus_place.node < c.first ? c.members : 0);
    take(&c, &theirs, sizeof theirs);
    if (c.place && c.state == TORUS_MORE && !same(&theirs, &mine))
        fails(&c, TORUS_OTHER, false);
    give(&c, &mine, sizeof mine);
    return c;
}

static enum torus_moved end(const struct chain *c)
{
    return c->state == TORUS_MORE ? TORUS_WHOLE : c->state;
}

static bool is_last(const struct chain *c)
{
    return c->place + 1 == c->members;
}

enum torus_moved torus_barrier(void)
{
    // Once round says to the last that all have come, once more says it to all
    struct chain c = begin(BARRIER, 0, 0, 1, 0);
    if (c.state == TORUS_MORE)
        c = begin(BARRIER, 0, 0, 0, 0);
    return end(&c);
}

enum torus_moved torus_broadcast(unsigned root, void *data, size_t bytes)
{
    struct chain c = begin(BROADCAST, 0, root, 0, bytes);
    for (size_t n, done = 0; done < bytes && c.state == TORUS_MORE; done += n) {
        n = piece(bytes, done);
        take(&c, (uint8_t *)data + done, n);
        give(&c, (uint8_t *)data + done, n);
    }
    return end(&c);
}

static int32_t reduced(enum torus_reduction operation, int32_t a, int32_t b)
{
    switch (operation) {
    case TORUS_SUM:
        return (int32_t)((uint32_t)a + (uint32_t)b);
    case TORUS_MIN:
        return a < b ? a : b;
    case TORUS_MAX:
        return a > b ? a : b;
    default:
        return a | b;
    }
}

static enum torus_moved reduce(enum kind kind, unsigned root, enum torus_reduction operation,
                               const int32_t *values, int32_t *result, size_t words)
{
    int32_t sum[PIECE / 4];
    struct chain c = begin(kind, operation, root, 1, 4 * words);
    for (size_t n, done = 0; done < words && c.state == TORUS_MORE; done += n) {
        n = piece(4 * words, 4 * done) / 4;
        take(&c, sum, 4 * n);
        for (size_t i = 0; i < n; i++)
            sum[i] = c.place ? reduced(operation, sum[i], values[done + i]) : values[done + i];
        give(&c, sum, 4 * n);
        if (is_last(&c) && c.state == TORUS_MORE)
            copy(result + done, sum, 4 * n);
    }
    return end(&c);
}

enum torus_moved torus_reduce(unsigned root, enum torus_reduction operation, const int32_t *values,
                              int32_t *result, size_t words)
{
    return reduce(REDUCE, root, operation, values, result, words);
}

enum torus_moved torus_all_reduce(enum torus_reduction operation, int32_t *values, size_t words)
{
    enum torus_moved moved = reduce(ALL_REDUCE, 0, operation, values, values, words);
    return moved == TORUS_WHOLE ? torus_broadcast(0, values, 4 * words) : moved;
}

// A block from the one before, into `into` or on to the next where it is NULL.
static void pass(struct chain *c, uint8_t *into, size_t bytes)
{
    uint8_t some[PIECE];
    for (size_t n, done = 0; done < bytes && c->state == TORUS_MORE; done += n) {
        n = piece(bytes, done);
        take(c, into ? into + done : some, n);
        if (!into)
            give(c, some, n);
    }
}

static void give_block(struct chain *c, const uint8_t *block, size_t bytes)
{
    for (size_t n, done = 0; done < bytes; done += n) {
        n = piece(bytes, done);
        give(c, block + done, n);
    }
}

// The block in `all` of the member at a place.
static size_t block_at(const struct chain *c, unsigned place, size_t bytes)
{
    unsigned member = c->first + place;
    return bytes * (member < c->members ? member : member - c->members);
}

enum torus_moved torus_scatter(unsigned root, const void *all, void *data, size_t bytes)
{
    struct chain c = begin(SCATTER, 0, root, 0, bytes);
    for (unsigned i = c.members - 1; i > c.place && c.state == TORUS_MORE; i--) // farthest first
        if (c.place)
            pass(&c, NULL, bytes);
        else
            give_block(&c, (const uint8_t *)all + block_at(&c, i, bytes), bytes);
    if (c.place)
        pass(&c, data, bytes);
    else if (c.state == TORUS_MORE)
        copy(data, (const uint8_t *)all + block_at(&c, 0, bytes), bytes);
    return end(&c);
}

enum torus_moved torus_gather(unsigned root, const void *data, void *all, size_t bytes)
{
    struct chain c = begin(GATHER, 0, root, 1, bytes);
    for (unsigned i = 0; i < c.place && c.state == TORUS_MORE; i++)
        pass(&c, is_last(&c) ? (uint8_t *)all + block_at(&c, i, bytes) : NULL, bytes);
    if (c.state == TORUS_MORE && is_last(&c))
        copy((uint8_t *)all + block_at(&c, c.place, bytes), data, bytes);
    else
        give_block(&c, data, bytes);
    return end(&c);
}
