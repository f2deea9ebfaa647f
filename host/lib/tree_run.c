// SPDX-License-Identifier: Apache-2.0
// What a group of boards does whose collectives in hardware are joined (tree.c), where its user is
// software: a beat a request, for all members. Each turn takes the lease, does what can be done
// now, and gives it back, as with channels.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "boards.h"
#include "group.h"
#include "moves.h"
#include "tree.h"

enum { MOST_ROUNDS = 64 }; // of all members, in a turn

static const char *const reasons[] = {
    "good",
    "members' vectors differ in length",
    "members do not do the same",
    "an operation that cannot be",
    "a member has left it",
    "a stream between members is broken",
};
enum { REASONS = sizeof reasons / sizeof *reasons };

// A member in an operation.
struct acting {
    uint8_t *give, *take; // what is left of its messages, and its result, as the network has them
    unsigned messages;    // that it has not given to their end
    size_t length;        // bytes of each of them
    size_t given;         // of the one under way
    size_t result, taken; // bytes
    bool over;            // the verdict has come
};

struct operation {
    struct torus_tree *g;
    uint32_t what; // TX_OP
    size_t bytes;  // of a vector
    struct acting *acting;
    unsigned left; // members without a verdict
    bool moved;    // something has, in this turn
};

static int give_beat(struct operation *o, unsigned m)
{
    struct torus *t = o->g->t;
    struct acting *a = &o->acting[m];
    const uint8_t *at = o->g->at[m];
    uint8_t beat[8] = {0};
    size_t left = a->length - a->given;
    bool last = left <= t->flit_bytes;
    unsigned now = last ? (unsigned)left : t->flit_bytes;
    int error = TORUS_OK;
    if (now)
        memcpy(beat, a->give, now);
    if (!a->given)
        error = torus_write(t, at, OFR_COLLECTIVE_TX_OP,
                            o->what | (a->messages > 1 ? OFR_COLLECTIVE_TX_OP_MORE_MASK : 0));
    if (error == TORUS_OK && last)
        error = torus_write(t, at, OFR_COLLECTIVE_TX_END, now);
    if (error == TORUS_OK && t->flit_bytes == 8)
        error = torus_write(t, at, OFR_COLLECTIVE_TX_HIGH, ofr_get32(beat + 4));
    if (error == TORUS_OK)
        error = torus_write(t, at, OFR_COLLECTIVE_TX_DATA, ofr_get32(beat));
    if (now)
        a->give += now;
    a->given = last ? 0 : a->given + now;
    a->messages -= last;
    o->moved = true;
    return error;
}

// A beat has come: bytes of the result, or the verdict.
static int take_beat(struct operation *o, unsigned m, uint32_t rx, uint32_t low, uint32_t high)
{
    struct torus *t = o->g->t;
    struct acting *a = &o->acting[m];
    char place[16];
    uint8_t beat[8];
    unsigned bytes = FIELD(rx, OFR_COLLECTIVE_RX_BYTES);
    int error = torus_write(t, o->g->at[m], OFR_COLLECTIVE_RX_NEXT, 0);
    ofr_put32(beat, low);
    ofr_put32(beat + 4, high);
    o->moved = true;
    if (error != TORUS_OK)
        return error;
    if (FIELD(rx, OFR_COLLECTIVE_RX_FAILED)) {
        uint32_t state = 0;
        error = torus_read(t, o->g->at[m], OFR_COLLECTIVE_STATE, &state);
        unsigned why = FIELD(state, OFR_COLLECTIVE_STATE_REASON);
        return error != TORUS_OK
                   ? error
                   : fail(t, TORUS_E_FAILED, "%s: the operation has failed: %s",
                          place_text(t, o->g->at[m], place), why < REASONS ? reasons[why] : "?");
    }
    if (bytes > 8 || bytes > a->result - a->taken)
        return fail(t, TORUS_E_PROTOCOL, "%s: more than the result has come",
                    place_text(t, o->g->at[m], place));
    if (bytes)
        memcpy(a->take + a->taken, beat, bytes);
    a->taken += bytes;
    if (FIELD(rx, OFR_COLLECTIVE_RX_LAST) && o->bytes && a->taken % o->bytes)
        return fail(t, TORUS_E_PROTOCOL, "%s: a vector of another length has come",
                    place_text(t, o->g->at[m], place));
    if (!FIELD(rx, OFR_COLLECTIVE_RX_VERDICT))
        return TORUS_OK;
    if (a->taken != a->result)
        return fail(t, TORUS_E_PROTOCOL, "%s: less than the result has come",
                    place_text(t, o->g->at[m], place));
    a->over = true;
    o->left--;
    return TORUS_OK;
}

// A member's block has refused something: because it is not the group's any more?
static int explain(const struct torus_tree *g, unsigned m)
{
    struct torus *t = g->t;
    uint32_t attached = 0;
    char detail[WIDTH], place[16];
    snprintf(detail, sizeof detail, "%s", torus_detail(t));
    int error = torus_read(t, g->at[m], OFR_COLLECTIVE_ATTACH, &attached);
    if (error != TORUS_OK)
        return error;
    return attached ? fail(t, TORUS_E_BOARD, "%s", detail)
                    : fail(t, TORUS_E_FAILED,
                           "%s is not in the group any more: the board has begun anew, or "
                           "somebody has ended the group",
                           place_text(t, g->at[m], place));
}

// What one member can do now.
static int act(struct operation *o, unsigned m)
{
    static const uint16_t offset[4] = {OFR_COLLECTIVE_TX, OFR_COLLECTIVE_RX, OFR_COLLECTIVE_RX_DATA,
                                       OFR_COLLECTIVE_RX_HIGH};
    uint32_t value[4] = {0};
    int error = read_four(o->g->t, o->g->at[m], offset, value);
    if (error == TORUS_OK && FIELD(value[0], OFR_COLLECTIVE_TX_READY) && o->acting[m].messages)
        error = give_beat(o, m);
    if (error == TORUS_OK && FIELD(value[1], OFR_COLLECTIVE_RX_VALID))
        error = take_beat(o, m, value[1], value[2], value[3]);
    return error == TORUS_E_BOARD ? explain(o->g, m) : error;
}

// A turn: rounds of all members, while something moves.
static int turn(struct operation *o)
{
    struct torus *t = o->g->t;
    int error = lease_turn(t);
    if (error != TORUS_OK)
        return error;
    bool any = false;
    o->moved = true;
    for (unsigned round = 0; round < MOST_ROUNDS && o->moved && o->left && error == TORUS_OK;
         round++) {
        o->moved = false;
        for (unsigned m = 0; m < o->g->members && error == TORUS_OK; m++)
            if (!o->acting[m].over)
                error = act(o, m);
        any = any || o->moved;
        if (error == TORUS_OK)
            error = lease_keep(t);
    }
    o->moved = any;
    return lease_done(t, error);
}

static int operate(struct operation *o)
{
    struct torus *t = o->g->t;
    double until = monotonic() + o->g->seconds;
    while (o->left) {
        bool late = is_late(until);
        int error = turn(o);
        if (error == TORUS_OK && o->moved)
            until = monotonic() + o->g->seconds;
        else if (error == TORUS_OK)
            error = late ? fail(t, TORUS_E_TIMEOUT,
                                "nothing moves in the group: %u of %u members have no verdict",
                                o->left, o->g->members)
                         : pause_turn(t, until);
        if (error != TORUS_OK)
            return error;
    }
    return TORUS_OK;
}

// Who has a vector, and of how many members its words are: all for what is scattered or gathered.
enum who { NOBODY, ROOT, OTHERS, ALL };
struct side {
    enum who who;
    bool whole;
    int32_t *const *values; // of each member
    int32_t *one;           // of the root, in place of these
};

// Members' vectors of the member's there are; 0: it has none.
static unsigned parts_of(const struct torus_tree *g, const struct side *s, unsigned m)
{
    bool root = g->place[m].parent < 0;
    bool has = s->who == ALL || s->who == (root ? ROOT : OTHERS);
    return !has ? 0 : s->whole ? g->members : 1;
}

// Between the caller's words and the network's bytes. A part that is of all members goes by the
// order of the tree.
static void copy_words(const struct torus_tree *g, const struct side *s, unsigned m, size_t words,
                       uint8_t *bytes, bool out)
{
    unsigned parts = words ? parts_of(g, s, m) : 0;
    for (unsigned whose = 0; whose < parts; whose++) {
        size_t place = parts > 1 ? g->place[whose].order : 0;
        int32_t *v = (s->one ? s->one : s->values[m]) + whose * words;
        uint8_t *at = bytes + 4 * words * place;
        for (size_t i = 0; i < words; i++)
            if (out)
                v[i] = (int32_t)ofr_get32(at + 4 * i);
            else
                ofr_put32(at + 4 * i, (uint32_t)v[i]);
    }
}

static void acting_free(struct acting *acting, uint8_t **given, unsigned members)
{
    for (unsigned m = 0; m < members; m++) {
        if (given)
            free(given[m]);
        if (acting)
            free(acting[m].take);
    }
    free(given);
    free(acting);
}

// An operation; `out` is written only where all is well.
static int run(struct torus_tree *g, uint32_t what, const struct side *in, const struct side *out,
               size_t words)
{
    struct torus *t = g->t;
    if (!g->software)
        return fail(t, TORUS_E_USAGE, "the group's user is the logic at the boards' pins");
    if (g->broken)
        return fail(t, TORUS_E_FAILED, "an operation of the group has failed: close it");
    if (words > SIZE_MAX / 4 / g->members)
        return fail(t, TORUS_E_USAGE, "%zu words: too many", words);
    struct operation o = {.g = g, .what = what, .bytes = 4 * words, .left = g->members};
    o.acting = calloc(g->members, sizeof *o.acting);
    uint8_t **given = calloc(g->members, sizeof *given);
    bool good = o.acting && given;
    for (unsigned m = 0; m < g->members && good; m++) {
        unsigned gives = parts_of(g, in, m), takes = parts_of(g, out, m);
        struct acting *a = &o.acting[m];
        // Who has nothing to give gives an empty message.
        *a = (struct acting){.messages = gives ? gives : 1,
                             .length = gives ? o.bytes : 0,
                             .result = takes * o.bytes};
        a->give = given[m] = malloc(gives * o.bytes + 1);
        a->take = malloc(a->result + 1);
        good = a->give && a->take;
        if (good)
            copy_words(g, in, m, words, given[m], false);
    }
    int error = good ? operate(&o) : fail(t, TORUS_E_MEMORY, "no memory for a group");
    g->broken = good && error != TORUS_OK;
    for (unsigned m = 0; m < g->members && good && error == TORUS_OK; m++)
        copy_words(g, out, m, words, o.acting[m].take, true);
    acting_free(o.acting, given, g->members);
    return error == TORUS_OK ? ok(t) : error;
}

#define OP(name) ((uint32_t)OFR_COLLECTIVE_TX_OP_OP_##name << OFR_COLLECTIVE_TX_OP_OP_LSB)

static const struct side nobody = {.who = NOBODY};

API int torus_tree_barrier(struct torus_tree *g)
{
    return run(g, OP(BARRIER), &nobody, &nobody, 0);
}

API int torus_tree_broadcast(struct torus_tree *g, int32_t *const *values, size_t words)
{
    return run(g, OP(BROADCAST), &(struct side){.who = ROOT, .values = values},
               &(struct side){.who = OTHERS, .values = values}, words);
}

API int torus_tree_scatter(struct torus_tree *g, const int32_t *all, int32_t *const *values,
                           size_t words)
{
    return run(g, OP(SCATTER), &(struct side){.who = ROOT, .whole = true, .one = (int32_t *)all},
               &(struct side){.who = ALL, .values = values}, words);
}

API int torus_tree_gather(struct torus_tree *g, int32_t *const *values, int32_t *all, size_t words)
{
    return run(g, OP(GATHER), &(struct side){.who = ALL, .values = values},
               &(struct side){.who = ROOT, .whole = true, .one = all}, words);
}

// *what: which operation with which type.
static int find_reduction(struct torus *t, enum torus_reduction operation, uint32_t *what)
{
    static const uint8_t type[] = {[TORUS_SUM] = OFR_COLLECTIVE_TX_OP_TYPE_SUM,
                                   [TORUS_MIN] = OFR_COLLECTIVE_TX_OP_TYPE_MIN,
                                   [TORUS_MAX] = OFR_COLLECTIVE_TX_OP_TYPE_MAX,
                                   [TORUS_OR] = OFR_COLLECTIVE_TX_OP_TYPE_OR};
    if ((unsigned)operation >= sizeof type)
        return fail(t, TORUS_E_USAGE, "reduction %d: there is no such one", (int)operation);
    *what |= (uint32_t)type[operation] << OFR_COLLECTIVE_TX_OP_TYPE_LSB;
    return TORUS_OK;
}

API int torus_tree_reduce(struct torus_tree *g, enum torus_reduction operation,
                          int32_t *const *values, int32_t *result, size_t words)
{
    uint32_t what = OP(REDUCE);
    int error = find_reduction(g->t, operation, &what);
    return error != TORUS_OK ? error
                             : run(g, what, &(struct side){.who = ALL, .values = values},
                                   &(struct side){.who = ROOT, .one = result}, words);
}

API int torus_tree_all_reduce(struct torus_tree *g, enum torus_reduction operation,
                              int32_t *const *values, size_t words)
{
    uint32_t what = OP(ALLREDUCE);
    int error = find_reduction(g->t, operation, &what);
    const struct side all = {.who = ALL, .values = values};
    return error != TORUS_OK ? error : run(g, what, &all, &all, words);
}
