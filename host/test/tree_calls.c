// SPDX-License-Identifier: Apache-2.0
// libtorus' collectives in hardware, on the boards at argv[1], 3x3, as calls: trees and chains of
// all and of some, every operation and reduction, what is refused, and why; a stream that is
// broken; a group that others have. argv[2]: only these. TAP.
#include <libtorus.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const char subject[] = "trees";
#include "calls.h"

enum { MOST = 9, WORDS = 20 };

static const uint8_t some[][3] = {{2, 1, 0}, {0, 0, 0}, {1, 2, 0}, {2, 2, 0}};

static uint32_t reduce(enum torus_reduction operation, uint32_t a, uint32_t b)
{
    int32_t x = (int32_t)a, y = (int32_t)b;
    return operation == TORUS_SUM   ? a + b
           : operation == TORUS_OR  ? a | b
           : operation == TORUS_MIN ? (x < y ? a : b)
                                    : (x > y ? a : b);
}

// All members have what plain arithmetic says.
static bool reduces(struct torus_tree *g, unsigned members, enum torus_reduction operation,
                    unsigned words)
{
    int32_t data[MOST][WORDS], *values[MOST];
    uint32_t want[WORDS];
    for (unsigned m = 0; m < members; m++) {
        values[m] = data[m];
        fill((uint8_t *)data[m], 4 * words, 31 * m + operation);
        for (unsigned i = 0; i < words; i++)
            want[i] = m ? reduce(operation, want[i], (uint32_t)data[m][i]) : (uint32_t)data[m][i];
    }
    if (torus_tree_all_reduce(g, operation, values, words) != TORUS_OK)
        return false;
    for (unsigned m = 0; m < members; m++)
        if (memcmp(data[m], want, 4 * words) != 0)
            return false;
    return true;
}

enum { BARRIER, BROADCAST, SCATTER, GATHER, REDUCE, ALL_REDUCE, OPERATIONS };

// One of them, with what `seed` makes; everybody has then what is due, and nobody anything else.
static bool does(struct torus_tree *g, unsigned members, unsigned root, unsigned operation,
                 size_t words, unsigned seed)
{
    int32_t data[MOST][WORDS], before[MOST][WORDS], want[WORDS];
    int32_t all[MOST * WORDS], part[MOST * WORDS], *values[MOST];
    int error;
    for (unsigned m = 0; m < members; m++) {
        values[m] = data[m];
        fill((uint8_t *)data[m], sizeof data[m], seed + 31 * m);
    }
    fill((uint8_t *)all, sizeof all, seed + 7);
    memcpy(before, data, sizeof before);
    memcpy(part, all, sizeof part);
    for (size_t i = 0; i < words; i++) {
        want[i] = before[0][i];
        for (unsigned m = 1; m < members; m++)
            want[i] = (int32_t)((uint32_t)want[i] + (uint32_t)before[m][i]);
    }
    error = operation == BARRIER     ? torus_tree_barrier(g)
            : operation == BROADCAST ? torus_tree_broadcast(g, values, words)
            : operation == SCATTER   ? torus_tree_scatter(g, all, values, words)
            : operation == GATHER    ? torus_tree_gather(g, values, all, words)
            : operation == REDUCE    ? torus_tree_reduce(g, TORUS_SUM, values, all, words)
                                     : torus_tree_all_reduce(g, TORUS_SUM, values, words);
    for (unsigned m = 0; m < members; m++) {
        if (operation == BROADCAST)
            memcpy(before[m], before[root], 4 * words);
        else if (operation == SCATTER)
            memcpy(before[m], part + m * words, 4 * words);
        else if (operation == GATHER)
            memcpy(part + m * words, before[m], 4 * words);
        else if (operation == ALL_REDUCE)
            memcpy(before[m], want, 4 * words);
    }
    if (operation == REDUCE)
        memcpy(part, want, 4 * words);
    return error == TORUS_OK && !memcmp(all, part, sizeof all) &&
           !memcmp(data, before, members * sizeof *data);
}

// Each behind each, of one word, none, and as many as there are.
static bool pairs(struct torus_tree *g, unsigned members, unsigned root)
{
    static const unsigned words[] = {1, 0, 3};
    unsigned seed = 0;
    bool good = true;
    for (unsigned first = 0; first < OPERATIONS; first++)
        for (unsigned second = 0; second < OPERATIONS && good; second++, seed++)
            good = does(g, members, root, first, words[seed % 3], seed) &&
                   does(g, members, root, second, words[seed / 3 % 3], seed + 100);
    return good;
}

static bool each_pair; // also

static void group(const char *name, enum torus_tree_shape shape, unsigned root,
                  const uint8_t (*at)[3], unsigned members)
{
    struct torus_tree_options o = torus_tree_options_default();
    struct torus_tree *g = NULL;
    char text[64];
    o.shape = shape;
    o.root = root;
    o.software = true;
    result(torus_tree_open(&g, t, &o, at, members) == TORUS_OK, name);
    if (!g)
        return;
    bool good = torus_tree_barrier(g) == TORUS_OK && torus_tree_place(g, root).parent == -1 &&
                torus_tree_place(g, root).order == 0 && reduces(g, members, TORUS_SUM, 3);
    for (unsigned operation = TORUS_SUM; operation <= TORUS_OR && members < 4; operation++)
        good = good && reduces(g, members, operation, operation == TORUS_MAX ? WORDS : 2);
    good = good && reduces(g, members, TORUS_SUM, 0);
    snprintf(text, sizeof text, "%s: results", name);
    result(good, text);
    snprintf(text, sizeof text, "%s: vectors at their members", name);
    for (unsigned operation = BARRIER; operation < OPERATIONS && shape == TORUS_TREE; operation++)
        good = good && does(g, members, root, operation, members < 4 ? 5 : 1, operation);
    result(good, text);
    if (each_pair) {
        snprintf(text, sizeof text, "%s: each operation behind each", name);
        result(pairs(g, members, root), text);
    }
    result(torus_tree_close(g) == TORUS_OK, "and it is closed");
}

static void refusals(void)
{
    struct torus_tree_options o = torus_tree_options_default();
    struct torus_tree *g = NULL;
    const uint8_t outside[][3] = {{0, 0, 0}, {3, 0, 0}}, twice[][3] = {{1, 1, 0}, {1, 1, 0}};
    says(torus_tree_open(&g, t, NULL, outside, 2), TORUS_E_USAGE, "outside of the torus",
         "a node outside");
    says(torus_tree_open(&g, t, NULL, twice, 2), TORUS_E_USAGE, "twice", "a member twice");
    o.root = 4;
    says(torus_tree_open(&g, t, &o, some, 4), TORUS_E_USAGE, "members are 0 to 3",
         "a root that is none");
    says(torus_tree_open(&g, t, NULL, some, 0), TORUS_E_USAGE, "1 to 9", "nobody");
    result(!g, "no group was made");
    result(torus_tree_open(&g, t, NULL, some, 4) == TORUS_OK, "one for the logic at the pins");
    says(torus_tree_barrier(g), TORUS_E_USAGE, "logic at the boards' pins", "which is its user");
    torus_tree_keep(g);
}

// The group that refusals() left is there, and is not disturbed.
static void taken(void)
{
    struct torus_end end = {{1, 2, 0}, 0};
    struct torus_channel c;
    struct torus_tree *g = NULL;
    says(torus_tree_open(&g, t, NULL, NULL, 0), TORUS_E_BOARD, "in a group", "members of another");
    result(!g && torus_channel_state(t, &end, &c) == TORUS_OK && c.open && c.collective &&
               !c.software,
           "whose streams are still open");
    size_t sent;
    says(torus_channel_send(t, &end, "x", 1, 1, &sent), TORUS_E_USAGE, "collectives'",
         "and nobody else's");
    result(torus_tree_clear(t, some, 4) == TORUS_OK, "it is ended");
    result(torus_channel_state(t, &end, &c) == TORUS_OK && !c.open && c.free && !c.collective,
           "and its ends are free");
}

// A stream is broken: all members are told, and a new group does not know of it.
static void broken(void)
{
    struct torus_tree_options o = torus_tree_options_default();
    struct torus_tree *g = NULL;
    o.software = true;
    result(torus_tree_open(&g, t, &o, some, 4) == TORUS_OK, "a group");
    if (!g)
        return;
    unsigned leaf = 0;
    for (unsigned m = 1; m < 4; m++)
        if (torus_tree_place(g, m).depth > torus_tree_place(g, leaf).depth)
            leaf = m;
    struct torus_end end = {.end = 0};
    memcpy(end.at, some[leaf], 3);
    result(torus_tree_barrier(g) == TORUS_OK && torus_channel_abort(t, &end) == TORUS_OK,
           "a barrier, and a stream is aborted");
    says(torus_tree_barrier(g), TORUS_E_FAILED, "a stream between members is broken", "the next");
    says(torus_tree_barrier(g), TORUS_E_FAILED, "close it", "and the next");
    result(torus_tree_close(g) == TORUS_OK, "closed");
}

int main(int argc, char **argv)
{
    char where[256];
    const char *only = argc > 2 ? argv[2] : NULL;
    struct torus_options options = torus_options_default();
    snprintf(where, sizeof where, "unix:%s/board0.sock", argc > 1 ? argv[1] : ".");
    options.timeout = 60;
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (torus_open(&t, where, &options) != TORUS_OK || torus_attach(t) != TORUS_OK) {
        fprintf(stderr, "%s\n", t ? torus_detail(t) : "no memory");
        return 2;
    }
    if (only && !strcmp(only, "pairs")) {
        each_pair = true;
        group("a chain of four", TORUS_CHAIN, 2, some, 4);
        group("a tree of three", TORUS_TREE, 1, some, 3);
    }
    if (!only || !strcmp(only, "groups")) {
        group("a tree of all", TORUS_TREE, 0, NULL, 9);
        group("a chain of all", TORUS_CHAIN, 4, NULL, 9);
        group("a tree of some", TORUS_TREE, 2, some, 3);
        group("one alone", TORUS_TREE, 0, some, 1);
    }
    if (!only || !strcmp(only, "taken")) {
        refusals();
        taken();
    }
    if (!only || !strcmp(only, "broken")) {
        broken();
        group("a new one, of some of these", TORUS_TREE, 1, some, 3);
    }
    torus_close(t);
    printf("1..%d\n", number);
    return failures != 0;
}
