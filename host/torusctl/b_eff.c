// SPDX-License-Identifier: Apache-2.0
// torusctl b_eff: the effective bandwidth of rings of boards, by messages over channels.
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench_plot.h"
#include "sizes.h"

enum { MAX_SIZE = 256, REPETITIONS, RINGS, SEED, PLOT };

static struct {
    unsigned max_size, repetitions, rings, seed;
    const char *plot;
} set = {.max_size = 1024, .repetitions = 2, .rings = 1, .seed = 1};

static const struct argp_option options[] = {
    {"max-size", MAX_SIZE, "BYTES", 0,
     "largest message, up to 1048576, which b_eff has; 21 sizes then (1024)", 1},
    {"repetitions", REPETITIONS, "N", 0, "of each size, of which the best counts (2)", 1},
    {"rings", RINGS, "N", 0, "random rings beside the natural one, up to 16 (1)", 1},
    {"seed", SEED, "N", 0, "of the random rings (1)", 1},
    {"plot", PLOT, "STEM", 0, "bytes a cycle over size, as STEM.svg, .png and .gp (gnuplot)", 2},
    {0},
};

static bool option(int key, char *arg, struct argp_state *state)
{
    switch (key) {
    case MAX_SIZE:
        set.max_size = (unsigned)whole(state, arg, 1, 1 << 20);
        return true;
    case REPETITIONS:
        set.repetitions = (unsigned)whole(state, arg, 1, 1000);
        return true;
    case RINGS:
        set.rings = (unsigned)whole(state, arg, 0, MOST_CURVES - 2);
        return true;
    case SEED:
        set.seed = (unsigned)whole(state, arg, 0, UINT32_MAX);
        return true;
    case PLOT:
        set.plot = arg;
        return true;
    }
    return false;
}

static const char *idle(const struct args *a, const struct given *o)
{
    (void)a;
    return !strcmp(o->name, "seed") && !set.rings ? "there are no random rings: --rings 0" : NULL;
}

static int prepare(struct args *a)
{
    (void)a;
    return set.plot && plot_check(set.plot) ? 2 : GO_ON;
}

struct ring {
    struct shape shape;
    uint8_t (*at)[3]; // boards in the order of the ring
    struct torus_message *message;
    uint8_t *out, *in; // what all send; a message's room each, with room for a compared one
    unsigned open;     // channels
    double patience;
};

// Board i's end 0 is joined with the next one's end 1. i: up to as many as there are.
static struct torus_end end_of(const struct ring *r, unsigned i, unsigned end)
{
    struct torus_end e = {.end = (uint8_t)end};
    memcpy(e.at, r->at[i < r->shape.boards ? i : 0], 3);
    return e;
}

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525 + 1013904223;
    return *state >> 8;
}

// The order of the nodes' numbers, or one that is drawn.
static void order(struct ring *r, bool random, uint32_t *state)
{
    memcpy(r->at, r->shape.at, r->shape.boards * sizeof *r->at);
    for (unsigned i = r->shape.boards; random && i > 1; i--) {
        unsigned j = next_random(state) % i;
        uint8_t kept[3];
        memcpy(kept, r->at[j], 3);
        memcpy(r->at[j], r->at[i - 1], 3);
        memcpy(r->at[i - 1], kept, 3);
    }
}

// Least cycles of a size.
static double bound(const struct ring *r, size_t bytes)
{
    unsigned hops = 0, nearest = UINT_MAX;
    for (unsigned i = 0; i < r->shape.boards; i++) {
        unsigned d = shape_distance(&r->shape, r->at[i], r->at[(i + 1) % r->shape.boards]);
        hops += d;
        nearest = d < nearest ? d : nearest;
    }
    return ofr_wires_ring(wires_flits(&r->shape, bytes), hops, wires_links(&r->shape), nearest);
}

// Every board sends a message to either neighbour, and takes theirs.
static int turn_once(struct torus *t, struct ring *r, size_t bytes)
{
    for (unsigned i = 0; i < r->shape.boards; i++)
        for (unsigned end = 0; end < 2; end++) {
            unsigned there =
                end ? (i + r->shape.boards - 1) % r->shape.boards : (i + 1) % r->shape.boards;
            struct torus_message *m = &r->message[4 * i + 2 * end];
            m[0] = (struct torus_message){.end = end_of(r, i, end),
                                          .data = r->out,
                                          .bytes = bytes,
                                          .other = (int)(4 * there + 2 * !end + 1)};
            m[1] = (struct torus_message){.end = m[0].end,
                                          .take = true,
                                          .data = r->in + (2 * i + end) * bytes,
                                          .bytes = bytes,
                                          .other = (int)(4 * there + 2 * !end)};
        }
    return torus_messages(t, r->message, 4 * r->shape.boards, r->patience);
}

// What came is what was sent?
static bool right(const struct ring *r, size_t bytes)
{
    for (unsigned i = 0; i < 2 * r->shape.boards; i++)
        if (r->message[2 * i + 1].moved != bytes || memcmp(r->in + i * bytes, r->out, bytes) != 0)
            return false;
    return true;
}

// The library's error; *bad: what came is not what was sent.
static int measure(struct torus *t, struct ring *r, struct sizes *s, bool *bad)
{
    int error = TORUS_OK;
    bool goes_on = true;
    for (r->open = 0; r->open < r->shape.boards && error == TORUS_OK;) {
        struct torus_end a = end_of(r, r->open, 0), b = end_of(r, r->open + 1, 1);
        error = torus_channel_open(t, &a, &b, r->patience);
        r->open += error == TORUS_OK; // what is another program's stays so
    }
    for (unsigned i = 0; i < s->sizes && error == TORUS_OK; i++) {
        size_t bytes = (size_t)1 << i;
        s->bound[s->curves - 1][i] = bound(r, bytes);
        for (unsigned n = 0; n < set.repetitions && goes_on && error == TORUS_OK; n++) {
            uint32_t from = 0, to = 0;
            memset(r->in, 0, 2 * r->shape.boards * bytes);
            error = sizes_time(t, &from);
            if (error == TORUS_OK)
                error = turn_once(t, r, bytes);
            if (error == TORUS_OK)
                error = sizes_time(t, &to);
            if (error == TORUS_OK && !right(r, bytes)) {
                *bad = true;
                return TORUS_OK;
            }
            goes_on = sizes_note(s, i, from, to);
        }
        progress_bar("sizes", (s->curves - 1) * s->sizes + i + 1, (set.rings + 1) * s->sizes);
    }
    for (unsigned i = 0; i < r->open && error == TORUS_OK; i++) {
        struct torus_end a = end_of(r, i, 0);
        error = torus_channel_close(t, &a, r->patience);
    }
    return error;
}

// A mean; null where a size is missing in it.
static json_t *known(double mean)
{
    return isnan(mean) ? json_null() : json_real(mean);
}

static int put(const struct args *a, struct sizes *s)
{
    unsigned most = s->sizes ? 1U << (s->sizes - 1) : 0;
    double natural = sizes_mean(s, 0), product = 0, random = 0;
    for (unsigned c = 1; c < s->curves; c++)
        product += log(sizes_mean(s, c)) / (s->curves - 1);
    random = s->curves > 1 ? exp(product) : natural;
    struct table *rows = table_begin(a, "sizes", sizes_columns);
    if (isnan(natural) || isnan(random))
        table_note(
            rows,
            "b_eff is not known: sizes take longer than is measured; choose a smaller --max-size");
    else
        table_note(rows,
                   "b_eff of %u size%s %u B: %.4g bytes a cycle and board (natural ring %.4g, "
                   "random %.4g), moved by the host",
                   s->sizes, s->sizes == 1 ? " of" : "s up to", most, sqrt(natural * random),
                   natural, random);
    sizes_rows(s, rows);
    table_end(rows,
              json_pack("{s:o,s:o,s:o,s:i}", "b_eff", known(sqrt(natural * random)), "natural",
                        known(natural), "random", known(random), "sizes_count", (int)s->sizes));
    return set.plot ? sizes_plot(s, set.plot) : 0;
}

static int do_b_eff(struct torus *t, const struct args *a)
{
    static struct sizes s;
    struct ring r = {.patience = a->options.timeout > 0 ? a->options.timeout : 30};
    uint32_t state = set.seed;
    bool bad = false;
    int error = TORUS_OK, status = shape_get(t, &r.shape);
    if (status)
        return status;
    if (r.shape.boards < 2)
        return streams_end(t, wrong("torus", "of one board", "a ring has two at least"));
    s.title = "b_eff: natural and random rings; dotted: what the wires would allow";
    s.moved = 2;
    while (s.sizes < MOST_SIZES && 1U << s.sizes <= set.max_size)
        s.sizes++;
    size_t most = (size_t)1 << (s.sizes - 1);
    r.at = calloc(r.shape.boards, sizeof *r.at);
    r.message = calloc(r.shape.boards, 4 * sizeof *r.message);
    r.out = malloc(most);
    r.in = malloc(2 * r.shape.boards * most);
    bool room = r.at && r.message && r.out && r.in;
    if (!room)
        status = wrong("memory", "none", "choose a smaller --max-size");
    for (size_t i = 0; i < most && room; i++)
        r.out[i] = (uint8_t)(i * 7 + i / 256 + 1);
    for (unsigned ring = 0; ring <= set.rings && room && !bad && error == TORUS_OK; ring++) {
        order(&r, ring > 0, &state);
        snprintf(s.name[ring], sizeof s.name[ring], ring ? "random %u" : "natural", ring);
        s.curves++;
        error = measure(t, &r, &s, &bad);
    }
    if (error != TORUS_OK)
        status = report(t, error);
    if (bad) {
        fprintf(stderr, "torusctl: what has come is not what was sent\n");
        status = 1;
    }
    if (status && r.at) { // leaves the ends as they were
        interrupt_overhear();
        for (unsigned i = 0; i < r.open; i++)
            for (unsigned end = 0; end < 2; end++) {
                struct torus_end e = end_of(&r, i + end, end);
                torus_channel_abort(t, &e);
            }
    }
    if (!status)
        status = put(a, &s);
    if (!status && r.shape.missing)
        status = 1;
    free(r.at);
    free(r.message);
    free(r.out);
    free(r.in);
    return streams_end(t, status);
}

const struct command command_b_eff = {
    .name = "b_eff",
    .summary = "effective bandwidth: messages of doubling sizes round natural and random rings",
    .about =
        "The effective bandwidth b_eff, by the rules of HPCC_FPGA: every board sends a message to "
        "both its neighbours in a ring and takes theirs, of sizes from 1 byte on, each double the "
        "one before; the best of the repetitions counts; the mean over the sizes is a ring's, the "
        "geometric mean of the natural ring's (boards in the order of their nodes) and the random "
        "ones' is b_eff, in bytes a cycle that each board sends. The whole of it has 21 sizes, up "
        "to 1 MiB. The bytes come from this program and go back to it, by requests: that, and not "
        "the wires, is what the figures say of boards, whose UARTs carry the requests; of golden "
        "boards, whose firmware and UARTs take no time, they say what the network does meanwhile. "
        "Beside each is what the wires would allow: a flit a cycle at the local port, the hops of "
        "all over all links, and the last flit's way. What came is compared: exit status 1. Takes "
        "ends 0 and 1 of all boards. Sizes beyond what takes 2^30 cycles are not measured.",
    .examples = "b_eff\nb_eff --max-size 65536 --rings 3 --plot b_eff\n",
    .groups = CONNECTION | REQUESTS | AT_ONCE | PLACES | WRITING | FORMAT,
    .options = options,
    .option = option,
    .idle = idle,
    .prepare = prepare,
    .run = do_b_eff,
};
