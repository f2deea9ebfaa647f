// SPDX-License-Identifier: Apache-2.0
// torusctl collective: a group of boards whose collectives' blocks are joined; operations tried.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ctl.h"

enum { ROOT = 256, CHAIN, WORDS, STAY, CLEAR, MOST_WORDS = 4096 };

static struct {
    const char *root; // NULL: the first member
    unsigned words;
    bool chain, stay, clear;
} set = {.words = 16};

static const struct argp_option options[] = {
    {"root", ROOT, "PLACE", 0, "the member at the tree's root (the first one)", 1},
    {"chain", CHAIN, 0, 0, "all members in a row, for long vectors; not a tree", 1},
    {"words", WORDS, "N", 0, "of the vectors that are summed up, up to 4096 (16)", 1},
    {"stay", STAY, 0, 0, "try nothing: the group stays, its user is the logic at the pins", 1},
    {"clear", CLEAR, 0, 0, "ends the groups of these boards, whoever has formed them", 1},
    {0},
};

static bool option(int key, char *arg, struct argp_state *state)
{
    switch (key) {
    case ROOT:
        set.root = arg;
        return true;
    case CHAIN:
        return set.chain = true;
    case WORDS:
        set.words = (unsigned)whole(state, arg, 0, MOST_WORDS);
        return true;
    case STAY:
        return set.stay = true;
    case CLEAR:
        return set.clear = true;
    default:
        return false;
    }
}

static const char *idle(const struct args *a, const struct given *o)
{
    (void)a;
    if (set.clear && (!strcmp(o->name, "root") || !strcmp(o->name, "chain") ||
                      !strcmp(o->name, "words") || !strcmp(o->name, "stay")))
        return "not with --clear, which ends a group";
    if (set.clear && !strcmp(o->name, "format"))
        return "--clear prints nothing";
    if (set.stay && !strcmp(o->name, "words"))
        return "nothing is summed up: leave out one of them";
    return NULL;
}

static bool all(const struct args *a)
{
    return a->rest_count == 1 && !strcmp(a->rest[0], "all");
}

static int prepare(struct args *a)
{
    if (!a->rest_count)
        return wrong("command", "collective", "say PLACE PLACE ..., or all");
    for (unsigned i = 0; i < a->rest_count && !all(a); i++)
        if (!place_good(a->rest[i]))
            return 2;
    return set.root && !place_good(set.root) ? 2 : GO_ON;
}

// The members, to be freed; NULL: *status, what is wrong has been said.
static uint8_t (*find_members(struct torus *t, const struct args *a, unsigned *count,
                              int *status))[3]
{
    uint8_t k[3], place[3];
    torus_sizes(t, k);
    uint8_t(*at)[3] = calloc(all(a) ? (size_t)k[0] * k[1] * k[2] : a->rest_count, sizeof *at);
    *count = 0;
    *status = 0;
    if (!at) {
        *status = wrong("command", "collective", "out of memory");
        return NULL;
    }
    for (unsigned n = 0; all(a) && !*status && next_there(t, &n, place); n++)
        memcpy(at[(*count)++], place, sizeof place);
    for (; !all(a) && *count < a->rest_count && !*status; ++*count)
        *status = place_find(t, a->rest[*count], at[*count]);
    if (*status) {
        free(at);
        at = NULL;
    }
    return at;
}

// Of the root among the members; -1: *status, likewise.
static int find_root(struct torus *t, uint8_t (*at)[3], unsigned members, int *status)
{
    uint8_t root[3];
    *status = 0;
    if (!set.root)
        return 0;
    *status = place_find(t, set.root, root);
    for (unsigned m = 0; m < members && !*status; m++)
        if (!memcmp(at[m], root, sizeof root))
            return (int)m;
    if (!*status)
        *status = wrong("root", set.root, "it is no member of the group");
    return -1;
}

// ---- What is tried ------------------------------------------------------------------------------

// A word of a member's vector: any, and others in every place.
static int32_t word_of(unsigned member, unsigned i)
{
    uint32_t x = (member + 1) * 0x9e3779b9U + (i + 1) * 0x85ebca6bU;
    x ^= x >> 15;
    return (int32_t)(x * 0x2c1b3c6dU);
}

// The library's error. *wrong_at: members whose result is not the sum.
static int try_sum(struct torus_tree *g, unsigned members, unsigned *wrong_at, double *seconds)
{
    int32_t **values = calloc(members, sizeof *values);
    int32_t *data = calloc((size_t)members * set.words + 1, sizeof *data);
    double start = seconds_now();
    int error = values && data ? TORUS_OK : TORUS_E_MEMORY;
    for (unsigned m = 0; m < members && error == TORUS_OK; m++) {
        values[m] = data + (size_t)m * set.words;
        for (unsigned i = 0; i < set.words; i++)
            values[m][i] = word_of(m, i);
    }
    if (error == TORUS_OK)
        error = torus_tree_all_reduce(g, TORUS_SUM, values, set.words);
    *seconds = seconds_now() - start;
    for (unsigned m = 0; m < members && error == TORUS_OK; m++) {
        bool equal = true;
        for (unsigned i = 0; i < set.words; i++) {
            uint32_t sum = 0;
            for (unsigned other = 0; other < members; other++)
                sum += (uint32_t)word_of(other, i);
            equal = equal && (uint32_t)values[m][i] == sum;
        }
        *wrong_at += !equal;
    }
    free(values);
    free(data);
    return error;
}

static const struct column columns[] = {
    {"members", "members", 0, 0},
    {"depth", "depth", 0, 0},
    {"words", "words", 0, 0},
    {"barrier", "barrier, s", 0, 3},
    {"sum", "sum, s", 0, 3},
    {"verdict", "verdict", -1, 0},
    {0},
};

// The library's error; *status: 1, a sum is not the sum.
static int try_group(struct torus_tree *g, const struct args *a, unsigned members, int *status)
{
    unsigned wrong_at = 0, depth = 0;
    double start = seconds_now(), barrier, sum;
    int error = torus_tree_barrier(g);
    barrier = seconds_now() - start;
    if (error == TORUS_OK)
        error = try_sum(g, members, &wrong_at, &sum);
    if (error != TORUS_OK)
        return error;
    for (unsigned m = 0; m < members; m++) {
        unsigned d = torus_tree_place(g, m).depth;
        depth = d > depth ? d : depth;
    }
    struct table *rows = table_begin(a, NULL, columns);
    table_row(rows, json_pack("{s:i,s:i,s:i,s:f,s:f,s:s}", "members", (int)members, "depth",
                              (int)depth, "words", (int)set.words, "barrier", barrier, "sum", sum,
                              "verdict", wrong_at ? "differs" : "equal"));
    table_end(rows, NULL);
    *status = wrong_at != 0;
    return TORUS_OK;
}

// ---- The group as it stays ----------------------------------------------------------------------

static const struct column place_columns[] = {
    {"at", "at", 0, 0},
    {"parent", "parent", 0, 0},
    {"depth", "depth", 0, 0},
    {"order", "order", 0, 0},
    {0},
};

static void show(struct torus_tree *g, const struct args *a, uint8_t (*at)[3], unsigned members,
                 unsigned dims)
{
    struct table *rows = table_begin(a, "members", place_columns);
    for (unsigned m = 0; m < members; m++) {
        struct torus_tree_place p = torus_tree_place(g, m);
        table_row(rows, json_pack("{s:o,s:o,s:i,s:i}", "at", json_at(at[m], dims), "parent",
                                  p.parent < 0 ? json_null() : json_at(at[p.parent], dims), "depth",
                                  (int)p.depth, "order", (int)p.order));
    }
    table_end(rows, NULL);
}

static int do_group(struct torus *t, const struct args *a, uint8_t (*at)[3], unsigned members)
{
    struct torus_tree_options o = torus_tree_options_default();
    struct torus_tree *g;
    uint8_t k[3];
    unsigned dims = torus_sizes(t, k);
    int status, root = find_root(t, at, members, &status);
    if (status)
        return status;
    o.root = (unsigned)root;
    o.shape = set.chain ? TORUS_CHAIN : TORUS_TREE;
    o.software = !set.stay;
    if (a->options.timeout > 0)
        o.seconds = a->options.timeout;
    int error = torus_tree_open(&g, t, &o, (const uint8_t(*)[3])at, members);
    if (error != TORUS_OK)
        return report(t, error);
    if (set.stay) {
        show(g, a, at, members, dims);
        torus_tree_keep(g);
        return 0;
    }
    error = try_group(g, a, members, &status);
    if (error != TORUS_OK) {
        status = report(t, error);
        interrupt_overhear(); // leaves the boards as they were
        torus_tree_close(g);
        return status;
    }
    error = torus_tree_close(g);
    return error == TORUS_OK ? status : report(t, error);
}

static int do_collective(struct torus *t, const struct args *a)
{
    unsigned members, missing;
    int status = attach_there(t, &missing);
    if (status)
        return status;
    uint8_t(*at)[3] = find_members(t, a, &members, &status);
    if (!at)
        return status;
    if (set.clear) {
        int error = torus_tree_clear(t, (const uint8_t(*)[3])at, members);
        status = error == TORUS_OK ? 0 : report(t, error);
    } else {
        status = do_group(t, a, at, members);
    }
    free(at);
    return status ? status : all(a) && missing;
}

const struct command command_collective = {
    .name = "collective",
    .arguments = "PLACE...|all",
    .most = MAX_REST,
    .summary = "a group of boards whose collectives in hardware are joined, and tried",
    .about =
        "Boards that are built with collectives do barriers, sums and more of a group by "
        "themselves, "
        "over channels. This gives each member, X,Y or X,Y,Z, its place in a tree, or a chain, "
        "joins "
        "them, lets them do a barrier and an all-reduce, which is compared with the sum that the "
        "host makes, and ends the group: a word a request, for trials. With --stay the group "
        "stays, "
        "for the logic at the boards' pins, until --clear. It is formed over the tables in force, "
        "so also around broken cables. Exit status 1: a result is not the sum.",
    .examples = "collective all\ncollective 0,0 1,0 2,1 --root 1,0 --chain --words 100\n"
                "collective all --stay\ncollective all --clear\n",
    .groups = CONNECTION | REQUESTS | PLACES | WRITING | FORMAT,
    .options = options,
    .option = option,
    .idle = idle,
    .prepare = prepare,
    .run = do_collective,
};
