// SPDX-License-Identifier: Apache-2.0
// Which cables are wrong, once every board has its place: each is said once, by what is wrong with
// it, and cables that are not there besides.
//
// A torus wants pairs of ports joined. A wrong cable joins ports of two pairs; as a port has one
// cable, pairs and wrong cables make paths and rings. In a ring as many cables as pairs are there,
// in the wrong places: they are swapped. A path has a pair more than cables: one is missing. So
// each wrong cable is given a pair of its own to go to, and the pairs left over are missing cables.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "boards.h"

static void board_name(const struct torus *t, const struct torus_board *b, char text[64])
{
    char at[16] = "";
    if (b->placed)
        place_text(t, b->at, at);
    snprintf(text, 64, "%s%s[%016llx]", at, b->placed ? " " : "", (unsigned long long)b->serial);
}

enum { NO_PAIR = -1, NO_CABLE = -1 };

struct wrong_cable {
    struct torus_cable c;
    int pair[2]; // that its ends belong to
    int end;     // that may stay; -1: not said yet
    bool ring;
    unsigned order;
};

struct check {
    struct torus *t;
    int *at;                   // board at a node
    int (*in_pair)[2];         // wrong cables at the two ports of a pair: number node * dims + dim
    struct wrong_cable *wrong; // of them
    unsigned count;
};

// The node beside `c` at port p.
static unsigned beside(const struct torus *t, const uint8_t c[3], unsigned p)
{
    uint8_t at[3];
    unsigned k = t->k[p / 2];
    memcpy(at, c, 3);
    at[p / 2] = (uint8_t)((at[p / 2] + (p % 2 ? k - 1 : 1)) % k);
    return node_of(t, at);
}

// Does a torus need a cable at port p of this place? A dimension of 2 is one cable.
static bool needed(const struct torus *t, const uint8_t at[3], unsigned p)
{
    unsigned k = t->k[p / 2];
    return k > 2 || (k == 2 && at[p / 2] == p % 2);
}

// The pair of port p of board b, NO_PAIR if the torus wants none there.
static int pair_of(const struct check *k, int b, unsigned p)
{
    const struct torus_board *board = &k->t->boards[b];
    if (!board->placed || !needed(k->t, board->at, p) || k->at[node_of(k->t, board->at)] != b)
        return NO_PAIR;
    unsigned node = p % 2 ? beside(k->t, board->at, p) : node_of(k->t, board->at);
    return (int)(node * k->t->dims + p / 2);
}

// Is the cable at port p of board b one that a torus has there, the optional second one of a
// dimension of 2 included?
static bool right(const struct check *k, const struct torus_board *b, unsigned p)
{
    return b->placed && k->t->k[p / 2] > 1 && b->peer[p] >= 0 && b->peer_port[p] == (int)(p ^ 1) &&
           b->peer[p] == k->at[beside(k->t, b->at, p)];
}

// "the 4x4 torus"
static void torus_name(const struct torus *t, char text[32])
{
    int n = snprintf(text, 32, "the %ux%u", t->k[0], t->k[1]);
    if (t->dims == 3)
        n += snprintf(text + n, 32 - (size_t)n, "x%u", t->k[2]);
    snprintf(text + n, 32 - (size_t)n, " torus");
}

static void check_places(struct check *k)
{
    struct torus *t = k->t;
    unsigned nodes = node_count(t);
    char one[64], whole[32];
    torus_name(t, whole);
    for (unsigned i = 0; i < nodes; i++)
        k->at[i] = -1;
    for (unsigned i = 0; i < t->board_count; i++) {
        const struct torus_board *b = &t->boards[i];
        board_name(t, b, one);
        if (b->dims != t->dims)
            fault(t, TORUS_FAULT_BOARD, NULL, "board %s has %u dimensions, the others %u", one,
                  b->dims, t->dims);
        if (b->placed)
            k->at[node_of(t, b->at)] = (int)i;
        else
            fault(t, TORUS_FAULT_BOARD, NULL,
                  "board %s is one too many for %s; a size is at most 16", one, whole);
    }
    for (unsigned node = 0; node < nodes; node++) {
        uint8_t c[3];
        node_at(t, node, c);
        place_text(t, c, one);
        if (k->at[node] < 0) {
            fault(t, TORUS_FAULT_BOARD, NULL, "no board at %s of %s", one, whole);
            t->absent++;
        }
    }
}

// By dimension and place of the first end.
static int by_place(const void *a, const void *b)
{
    const struct wrong_cable *x = a, *y = b;
    return (x->order > y->order) - (x->order < y->order);
}

static void list_wrong(struct check *k)
{
    struct torus *t = k->t;
    for (unsigned i = 0; i < t->board_count; i++) {
        const struct torus_board *b = &t->boards[i];
        for (unsigned p = 0; p < 2u * t->dims; p++) {
            int c = b->peer[p], q = b->peer_port[p];
            if (c < (int)i || (c == (int)i && q < (int)p) || right(k, b, p))
                continue;
            bool turn = p % 2 && q % 2 == 0; // the + end first
            struct wrong_cable *w = &k->wrong[k->count++];
            *w = (struct wrong_cable){
                .end = -1,
                .c = {.board = {turn ? c : (int)i, turn ? (int)i : c},
                      .port = {(int8_t)(turn ? q : (int)p), (int8_t)(turn ? (int)p : q)}}};
            const struct torus_board *first = &t->boards[w->c.board[0]];
            w->order = ((unsigned)w->c.port[0] * (node_count(t) + 1) +
                        (first->placed ? node_of(t, first->at) : node_count(t)))
                           << 16 |
                       (unsigned)w->c.board[0];
        }
    }
    qsort(k->wrong, k->count, sizeof *k->wrong, by_place);
    for (unsigned i = 0; i < k->count; i++)
        for (unsigned e = 0; e < 2; e++) {
            struct wrong_cable *w = &k->wrong[i];
            w->pair[e] = pair_of(k, w->c.board[e], (unsigned)w->c.port[e]);
            if (w->pair[e] != NO_PAIR)
                k->in_pair[w->pair[e]][w->c.port[e] % 2] = (int)i;
        }
}

// The wrong cable at the other port of the pair of cable w's end e, NO_CABLE if there is none.
static int next(const struct check *k, int w, unsigned e)
{
    const struct wrong_cable *c = &k->wrong[w];
    return c->pair[e] == NO_PAIR ? NO_CABLE : k->in_pair[c->pair[e]][!(c->c.port[e] % 2)];
}

// From cable w, which end `from` of leads nowhere, or round its ring: each goes to the pair it came
// from, so that a ring's and a path's pairs are all given away but for a path's last.
static void give_pairs(struct check *k, int w, unsigned from, bool ring)
{
    for (;;) {
        struct wrong_cable *c = &k->wrong[w];
        if (c->end >= 0)
            return;
        c->end = (int)from;
        c->ring = ring;
        int to = next(k, w, !from);
        if (to == NO_CABLE)
            return;
        from = k->wrong[to].pair[0] != c->pair[!from];
        w = to;
    }
}

static void describe_wrong(struct check *k, const struct wrong_cable *w)
{
    struct torus *t = k->t;
    struct torus_cable c = w->c;
    char one[64], two[64], three[64], more[120] = "", what[160];
    enum torus_fault_kind kind = w->ring ? TORUS_FAULT_SWAPPED : TORUS_FAULT_MISPLACED;
    if (w->end == 1)
        c = (struct torus_cable){.board = {c.board[1], c.board[0]}, .port = {c.port[1], c.port[0]}};
    c.to = c.to_port = -1;
    const struct torus_board *a = &t->boards[c.board[0]], *b = &t->boards[c.board[1]];
    board_name(t, a, one);
    board_name(t, b, two);
    for (unsigned p = 0; p < 2u * t->dims && c.board[0] != c.board[1]; p++)
        if (a->peer[p] == c.board[1] && right(k, a, p) && needed(t, a->at, p)) {
            kind = TORUS_FAULT_DOUBLED;
            snprintf(more, sizeof more, ", which %s is cabled to already", torus_port_name(p));
        }
    // From + to - of one dimension: so two boards look as well that are taken for one.
    if (c.board[0] == c.board[1] && (c.port[0] ^ c.port[1]) == 1)
        snprintf(more, sizeof more, ", or another board has this number: give each its own");
    if (w->pair[w->end] == NO_PAIR) {
        snprintf(what, sizeof what, "there should be none");
    } else {
        c.to = k->at[beside(t, a->at, (unsigned)c.port[0])];
        c.to_port = (int8_t)(c.port[0] ^ 1);
        if (c.to >= 0)
            board_name(t, &t->boards[c.to], three);
        else
            snprintf(three, sizeof three, "a board that is missing");
        snprintf(what, sizeof what, "%s should go to %s of %s%s",
                 c.board[0] == c.board[1] ? torus_port_name((unsigned)c.port[0]) : "it",
                 torus_port_name((unsigned)c.port[0] ^ 1), three,
                 kind == TORUS_FAULT_SWAPPED ? " (swapped)" : "");
    }
    if (c.board[0] == c.board[1])
        fault(t, TORUS_FAULT_LOOPED, &c, "cable from %s of %s loops back to its own %s; %s%s",
              torus_port_name((unsigned)c.port[0]), one, torus_port_name((unsigned)c.port[1]), what,
              more);
    else
        fault(t, kind, &c, "cable from %s of %s goes to %s of %s%s; %s",
              torus_port_name((unsigned)c.port[0]), one, torus_port_name((unsigned)c.port[1]), two,
              more, what);
}

// Pairs without a cable that no wrong cable was given.
static void list_missing(struct check *k)
{
    struct torus *t = k->t;
    char one[64], two[64];
    for (unsigned node = 0; node < node_count(t); node++) {
        for (unsigned dim = 0; dim < t->dims && k->at[node] >= 0; dim++) {
            const struct torus_board *b = &t->boards[k->at[node]];
            unsigned p = 2 * dim;
            int pair = pair_of(k, k->at[node], p);
            if (pair == NO_PAIR || right(k, b, p))
                continue;
            int want = k->at[beside(t, b->at, p)];
            bool given = want < 0; // the board is said to be missing
            for (unsigned side = 0; side < 2; side++) {
                int w = k->in_pair[pair][side];
                given |= w != NO_CABLE && k->wrong[w].pair[k->wrong[w].end] == pair;
            }
            if (given)
                continue;
            board_name(t, b, one);
            board_name(t, &t->boards[want], two);
            fault(t, TORUS_FAULT_MISSING,
                  &(struct torus_cable){.board = {k->at[node], want},
                                        .port = {(int8_t)p, (int8_t)(p ^ 1)},
                                        .to = want,
                                        .to_port = (int8_t)(p ^ 1)},
                  "no cable from %s of %s to %s of %s", torus_port_name(p), one,
                  torus_port_name(p ^ 1), two);
        }
    }
}

// Twisted and mirrored seams among the wrong cables.
static int list_seams(const struct check *k)
{
    struct torus_cable *wrong = calloc(k->count + 1u, sizeof *wrong);
    if (!wrong)
        return fail(k->t, TORUS_E_MEMORY, "out of memory");
    for (unsigned i = 0; i < k->count; i++)
        wrong[i] = k->wrong[i].c;
    int error = check_seams(k->t, wrong, k->count);
    free(wrong);
    return error;
}

int check_cables(struct torus *t)
{
    size_t nodes = node_count(t), ends = (size_t)t->board_count * TORUS_PORTS;
    struct check k = {.t = t,
                      .at = calloc(nodes, sizeof *k.at),
                      .in_pair = malloc(nodes * t->dims * sizeof *k.in_pair),
                      .wrong = calloc(ends + 1, sizeof *k.wrong)};
    int error = TORUS_E_MEMORY;
    if (k.at && k.in_pair && k.wrong) {
        for (size_t i = 0; i < nodes * t->dims; i++)
            k.in_pair[i][0] = k.in_pair[i][1] = NO_CABLE;
        check_places(&k);
        list_wrong(&k);
        // Paths first, from an end that leads nowhere; what is left are rings. An end without a
        // pair has nowhere to go, so that path is begun at its other end.
        for (unsigned i = 0; i < 2 * k.count; i++)
            if (k.wrong[i / 2].pair[i % 2] != NO_PAIR && next(&k, (int)i / 2, i % 2) == NO_CABLE)
                give_pairs(&k, (int)i / 2, i % 2, false);
        for (unsigned i = 0; i < 2 * k.count; i++)
            if (k.wrong[i / 2].pair[i % 2] == NO_PAIR)
                give_pairs(&k, (int)i / 2, i % 2, false);
        for (unsigned i = 0; i < k.count; i++)
            give_pairs(&k, (int)i, 0, true);
        error = list_seams(&k);
        for (unsigned i = 0; i < k.count; i++)
            describe_wrong(&k, &k.wrong[i]);
        list_missing(&k);
    }
    free(k.at);
    free(k.in_pair);
    free(k.wrong);
    return error == TORUS_OK ? error : fail(t, error, "out of memory");
}
