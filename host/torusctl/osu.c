// SPDX-License-Identifier: Apache-2.0
// torusctl osu: messages between two boards and collectives of all, as the OSU micro-benchmarks
// measure MPI.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_plot.h"
#include "sizes.h"

enum { MAX_SIZE = 256, REPETITIONS, PLOT };
enum test { LATENCY, BW, BIBW, ALLREDUCE, BARRIER, TESTS };

static const char *const tests[TESTS] = {"latency", "bw", "bibw", "allreduce", "barrier"};

static struct {
    unsigned max_size, repetitions;
    const char *plot;
    unsigned test;
} set = {.max_size = 1024, .repetitions = 3};

static const struct argp_option options[] = {
    {"max-size", MAX_SIZE, "BYTES", 0, "largest message or vector, up to 1048576 (1024)", 1},
    {"repetitions", REPETITIONS, "N", 0, "of each size, of which the best counts (3)", 1},
    {"plot", PLOT, "STEM", 0, "bytes a cycle over size, as STEM.svg, .png and .gp (gnuplot)", 2},
    {0},
};

static bool option(int key, char *arg, struct argp_state *state)
{
    if (key == MAX_SIZE)
        set.max_size = (unsigned)whole(state, arg, 1, 1 << 20);
    else if (key == REPETITIONS)
        set.repetitions = (unsigned)whole(state, arg, 1, 1000);
    else if (key == PLOT)
        set.plot = arg;
    else
        return false;
    return true;
}

static const char *idle(const struct args *a, const struct given *o)
{
    bool sized = !strcmp(o->name, "max-size") || !strcmp(o->name, "plot");
    return sized && a->rest_count && !strcmp(a->rest[0], "barrier") ? "a barrier has no size"
                                                                    : NULL;
}

static int prepare(struct args *a)
{
    for (set.test = 0; a->rest_count && set.test < TESTS; set.test++)
        if (!strcmp(a->rest[0], tests[set.test]))
            break;
    if (!a->rest_count)
        return wrong("command", "osu", "say latency A B, bw A B, bibw A B, allreduce or barrier");
    if (set.test == TESTS)
        return wrong("test", a->rest[0], "latency A B, bw A B, bibw A B, allreduce or barrier");
    if (set.test == ALLREDUCE && set.max_size < 4)
        return wrong("option", "--max-size", "a vector has a word, 4 at least");
    if (a->rest_count != (set.test <= BIBW ? 3 : 1))
        return wrong("command", tests[set.test],
                     set.test <= BIBW ? "write two places after it, X,Y or X,Y,Z each"
                                      : "it is of all boards: nothing follows it");
    if (set.test <= BIBW && !(place_good(a->rest[1]) && place_good(a->rest[2])))
        return 2;
    return set.plot && plot_check(set.plot) ? 2 : GO_ON;
}

struct under_test {
    struct shape shape;
    struct torus_end end[2];   // of a test between two boards
    struct torus_group *group; // of another
    uint8_t *data[2], *room[2];
    int32_t **values;
    double patience;
};

// A message from end i to the other one; *m two of them.
static void message(const struct under_test *u, struct torus_message *m, unsigned i, size_t bytes,
                    int first)
{
    m[0] = (struct torus_message){
        .end = u->end[i], .data = u->data[i], .bytes = bytes, .other = first + 1};
    m[1] = (struct torus_message){
        .end = u->end[!i], .take = true, .data = u->room[i], .bytes = bytes, .other = first};
}

static int once(struct torus *t, const struct under_test *u, size_t bytes)
{
    struct torus_message m[4];
    if (set.test == ALLREDUCE)
        return torus_all_reduce(u->group, TORUS_SUM, u->values, bytes / 4);
    if (set.test == BARRIER)
        return torus_barrier(u->group);
    message(u, m, 0, bytes, 0);
    message(u, m + 2, 1, bytes, 2);
    if (set.test != LATENCY)
        return torus_messages(t, m, set.test == BIBW ? 4 : 2, u->patience);
    int error = torus_messages(t, m, 2, u->patience);
    m[2].other = 1;
    m[3].other = 0;
    return error == TORUS_OK ? torus_messages(t, m + 2, 2, u->patience) : error;
}

// Every board gives 1: then each word is how many there are.
static void fill(const struct under_test *u, size_t bytes)
{
    for (unsigned i = 0; i < 2 && set.test <= BIBW; i++) {
        memset(u->room[i], 0, bytes);
        for (size_t n = 0; n < bytes; n++)
            u->data[i][n] = (uint8_t)(n * 5 + n / 256 + i + 1);
    }
    for (unsigned m = 0; m < u->shape.boards && set.test == ALLREDUCE; m++)
        for (size_t n = 0; n < bytes / 4; n++)
            u->values[m][n] = 1;
}

static bool right(const struct under_test *u, size_t bytes)
{
    bool good = true;
    for (unsigned i = 0; i < (set.test == BW ? 1 : 2) && set.test <= BIBW; i++)
        good &= !memcmp(u->room[i], u->data[i], bytes);
    for (unsigned m = 0; m < u->shape.boards && set.test == ALLREDUCE; m++)
        for (size_t n = 0; n < bytes / 4; n++)
            good &= u->values[m][n] == (int32_t)u->shape.boards;
    return good;
}

// Least cycles. Of an all-reduce: a board sends 2 (p - 1) / p of the vector, a flit a cycle.
static double bound(const struct under_test *u, size_t bytes)
{
    unsigned diameter = 0, p = u->shape.boards;
    for (unsigned i = 0; i < 3; i++)
        diameter += u->shape.k[i] / 2;
    if (set.test >= ALLREDUCE)
        return 2 * diameter * ofr_wires_latency(1) +
               (set.test == BARRIER ? 0 : 2 * (p - 1.0) / p * wires_flits(&u->shape, bytes));
    return ofr_wires_latency(shape_distance(&u->shape, u->end[0].at, u->end[1].at)) +
           wires_flits(&u->shape, bytes);
}

static int measure(struct torus *t, const struct under_test *u, struct sizes *s, bool *bad)
{
    bool goes_on = true;
    for (unsigned i = s->first; i < s->sizes; i++) {
        size_t bytes = set.test == BARRIER ? 0 : (size_t)1 << i;
        s->bound[0][i] = bound(u, bytes);
        for (unsigned n = 0; n < set.repetitions && goes_on; n++) {
            uint32_t from = 0, to = 0;
            fill(u, bytes);
            int error = sizes_time(t, &from);
            if (error == TORUS_OK)
                error = once(t, u, bytes);
            if (error == TORUS_OK)
                error = sizes_time(t, &to);
            *bad = error == TORUS_OK && !right(u, bytes);
            if (error != TORUS_OK || *bad)
                return error;
            goes_on = sizes_note(s, i, from, set.test == LATENCY ? from + (to - from) / 2 : to);
        }
        progress_bar("sizes", i - s->first + 1, s->sizes - s->first);
    }
    return TORUS_OK;
}

static int open_ends(struct torus *t, struct under_test *u)
{
    struct torus_group_options o = torus_group_options_default();
    o.seconds = u->patience;
    return set.test <= BIBW ? torus_channel_open(t, &u->end[0], &u->end[1], u->patience)
                            : torus_group_open(&u->group, t, &o, (const uint8_t(*)[3])u->shape.at,
                                               u->shape.boards);
}

static int close_ends(struct torus *t, struct under_test *u, bool good)
{
    if (!good)
        interrupt_overhear();
    if (set.test > BIBW)
        return torus_group_close(u->group);
    if (good)
        return torus_channel_close(t, &u->end[0], u->patience);
    torus_channel_abort(t, &u->end[0]);
    torus_channel_abort(t, &u->end[1]);
    return TORUS_OK;
}

// Memory of all, for sizes up to most.
static bool make_room(struct under_test *u, size_t most)
{
    bool good = true;
    for (unsigned i = 0; i < 2 && set.test <= BIBW; i++) {
        u->data[i] = malloc(most);
        u->room[i] = malloc(most);
        good &= u->data[i] && u->room[i];
    }
    if (set.test == ALLREDUCE)
        u->values = calloc(u->shape.boards, sizeof *u->values);
    for (unsigned m = 0; m < u->shape.boards && u->values; m++) {
        u->values[m] = malloc(most);
        good &= u->values[m] != NULL;
    }
    return good && (set.test != ALLREDUCE || u->values);
}

static int put(const struct args *a, const struct sizes *s)
{
    struct table *rows = table_begin(a, "sizes", sizes_columns);
    sizes_rows(s, rows);
    table_end(rows, NULL);
    return set.plot ? sizes_plot(s, set.plot) : 0;
}

static int do_osu(struct torus *t, const struct args *a)
{
    static struct sizes s;
    struct under_test u = {.patience = a->options.timeout > 0 ? a->options.timeout : 30};
    bool bad = false;
    int error = TORUS_OK, status = shape_get(t, &u.shape);
    for (unsigned i = 0; i < 2 && set.test <= BIBW && !status; i++)
        status = place_find(t, a->rest[1 + i], u.end[i].at);
    u.end[1].end = 1; // of one board, too
    s.title = tests[set.test];
    s.curves = 1;
    s.moved = set.test == BIBW ? 2 : 1;
    s.first = set.test == ALLREDUCE ? 2 : 0;
    s.empty = set.test == BARRIER;
    snprintf(s.name[0], sizeof s.name[0], "%s", tests[set.test]);
    while (s.sizes < MOST_SIZES && 1U << s.sizes <= (s.empty ? 1 : set.max_size))
        s.sizes++;
    if (!status && !make_room(&u, (size_t)1 << (s.sizes - 1)))
        status = wrong("memory", "none", "choose a smaller --max-size");
    if (!status) {
        error = open_ends(t, &u);
        bool opened = error == TORUS_OK;
        if (opened)
            error = measure(t, &u, &s, &bad);
        status = error != TORUS_OK ? report(t, error) : 0;
        if (bad) {
            fprintf(stderr, "torusctl: what has come is not what was sent\n");
            status = 1;
        }
        error = opened ? close_ends(t, &u, !status) : TORUS_OK;
        if (!status && error != TORUS_OK)
            status = report(t, error);
    }
    if (!status)
        status = put(a, &s);
    if (!status && set.test > BIBW && u.shape.missing)
        status = 1;
    for (unsigned i = 0; i < 2; i++) {
        free(u.data[i]);
        free(u.room[i]);
    }
    for (unsigned m = 0; m < u.shape.boards && u.values; m++)
        free(u.values[m]);
    free(u.values);
    return streams_end(t, status);
}

const struct command command_osu = {
    .name = "osu",
    .arguments = "latency|bw|bibw A B\nallreduce\nbarrier",
    .most = 3,
    .summary = "messages between two boards, all-reduce, barrier, of doubling sizes",
    .about =
        "Messages and collectives over channels, as the OSU micro-benchmarks measure them: "
        "latency, half of what a message there and back takes; bw, one there; bibw, one each way "
        "at once, between A and B, places X,Y or X,Y,Z; allreduce, the sum of vectors of all "
        "boards; barrier, of all boards. In cycles of the board plugged into, the best of the "
        "repetitions, of sizes from 1 byte on (allreduce: 4, a word), each double the one before. "
        "The bytes come from this program and go back to it, by requests, which is what limits "
        "them (b_eff says more). Beside each is what the wires would allow: the first flit's way "
        "and a flit a cycle. What came is compared: exit status 1. Takes ends 0 and 1 of A and B, "
        "or 0 to 2 of all boards.",
    .examples = "osu latency 0,0 2,1\nosu allreduce --max-size 65536 --plot allreduce\nosu "
                "barrier\n",
    .groups = CONNECTION | REQUESTS | AT_ONCE | PLACES | WRITING | FORMAT,
    .options = options,
    .option = option,
    .idle = idle,
    .prepare = prepare,
    .run = do_osu,
};
