// SPDX-License-Identifier: Apache-2.0
// Gradients of a torus of boards are summed, in hardware: each has some of the samples of a linear
// regression in fixed point, and in each step the sum of all boards' gradients, by the kernel
// gradients.v at the pins of its channels. Each board's sum is compared with the host's, bit by
// bit.
//
//   gradients WHERE WORDS STEPS [--shape chain|tree] [--loss FILE] [--host]
#include "example.h"
#include "group.h"

#include <ofr_regs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    WORDS = 4096, // of a kernel's memory
    HEAD = 2,     // words before the vector, in either message
    CHILDREN = 3, // most, of the kernel
    SAMPLES = 64, // a board has
    SECONDS = 600,
    PACKET = 16,  // flits of these boards' packets, of which the payload has
    PAYLOAD = 13, //
    HOP = 18,     // cycles for a beat between neighbours, over a channel
};

struct options {
    unsigned words, steps;
    enum ofr_group_shape shape;
    bool host;
    const char *loss;
};

struct training {
    unsigned words, samples, shift; // shift: the rate is 2^-shift
    int8_t *x;                      // of all samples: -1 or 1
    int32_t *y;                     // what they must give
    int32_t *weight;                // 16 bits behind the point
};

static uint32_t drawn(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 32);
}

static int32_t output(const struct training *t, const int32_t *weight, unsigned sample)
{
    uint32_t sum = 0; // modulo 2^32, as the boards' sums
    for (unsigned i = 0; i < t->words; i++)
        sum += (uint32_t)weight[i] * (uint32_t)t->x[(size_t)sample * t->words + i];
    return (int32_t)sum;
}

static struct training begin(const struct example *e, unsigned words)
{
    struct training t = {.words = words, .samples = SAMPLES * e->nodes};
    uint64_t state = 1;
    t.x = example_memory(e, (size_t)words * t.samples, 1);
    t.y = example_memory(e, t.samples, sizeof *t.y);
    t.weight = example_memory(e, words, sizeof *t.weight);
    int32_t *wanted = example_memory(e, words, sizeof *wanted);
    // Twice the largest eigenvalue that there may be, about: samples + words.
    while (1U << t.shift < 2 * (t.samples + words))
        t.shift++;
    for (unsigned i = 0; i < words; i++)
        wanted[i] = (int32_t)(drawn(&state) % 131072) - 65536;
    for (size_t i = 0; i < (size_t)words * t.samples; i++)
        t.x[i] = drawn(&state) >> 31 ? 1 : -1;
    for (unsigned s = 0; s < t.samples; s++)
        t.y[s] = output(&t, wanted, s);
    free(wanted);
    return t;
}

static void end(struct training *t)
{
    free(t->x);
    free(t->y);
    free(t->weight);
}

// A board's gradient, of its own samples. Returns the sum of the errors' sizes.
static uint64_t gradient(const struct training *t, unsigned board, uint32_t *out)
{
    uint64_t off = 0;
    memset(out, 0, t->words * sizeof *out);
    for (unsigned s = board * SAMPLES; s < (board + 1) * SAMPLES; s++) {
        int32_t error = (int32_t)((uint32_t)output(t, t->weight, s) - (uint32_t)t->y[s]);
        off += (uint64_t)llabs(error);
        for (unsigned i = 0; i < t->words; i++)
            out[i] += (uint32_t)error * (uint32_t)t->x[(size_t)s * t->words + i];
    }
    return off;
}

// ---- The group ----------------------------------------------------------------------------------

struct group {
    struct ofr_group_member *tree;
    struct example_join *list; // edges, and each kernel with the host
    unsigned joins, depth;
};

static struct group form(const struct example *e, enum ofr_group_shape shape)
{
    struct ofr_torus torus = {.n = e->k[2] > 1 ? 3 : 2, .k = {e->k[0], e->k[1], e->k[2]}};
    struct ofr_coord *at = example_memory(e, e->nodes, sizeof *at);
    struct group g = {.tree = example_memory(e, e->nodes, sizeof *g.tree),
                      .list = example_memory(e, 2 * (size_t)e->nodes, sizeof *g.list)};
    for (unsigned n = 0; n < e->nodes; n++)
        at[n] = ofr_node_coord(&torus, n);
    if (!ofr_group_form(&torus, at, e->nodes, 0, shape, CHILDREN, g.tree))
        example_fail(e, 2,
                     "no such group: a tree in %u dimensions wants %u children, the kernel has %d: "
                     "take --shape chain",
                     torus.n, torus.n + 1U, CHILDREN);
    for (unsigned n = 0; n < e->nodes; n++) {
        struct example_join up = {.from.end = 0}, host = {.from_software = true};
        example_at(e, n, up.from.at);
        host.from = host.to = up.from;
        host.from.end = SOFTWARE_END;
        host.to.end = KERNEL_END;
        g.list[g.joins++] = host;
        g.depth = g.tree[n].depth > g.depth ? g.tree[n].depth : g.depth;
        if (g.tree[n].parent < 0)
            continue;
        example_at(e, (unsigned)g.tree[n].parent, up.to.at);
        up.to.end = (uint8_t)(1 + g.tree[n].slot);
        g.list[g.joins++] = up;
    }
    free(at);
    return g;
}

// 2n(p-1)/p words, and what ../../../rtl/collective/README.md derives for the way.
static double bound(const struct example *e, const struct group *g, unsigned words)
{
    unsigned packet = words + 4 < PACKET ? words + 4 : PACKET;
    return 2.0 * words * (e->nodes - 1) / e->nodes + 2.0 * g->depth * (2 * packet + HOP + 2) +
           2.0 * (g->tree[0].children - 1U) * packet;
}

// All vectors in and out at one board's local port, a flit a cycle, packets' heads included.
static double one_board(const struct example *e, unsigned words)
{
    unsigned flits = words + (words + PAYLOAD - 1) / PAYLOAD * (PACKET - PAYLOAD);
    return 2.0 * flits * (e->nodes - 1);
}

// ---- Steps --------------------------------------------------------------------------------------

struct run {
    uint32_t least, most; // cycles of the slowest board, in the steps
    size_t wrong;         // words
    double first, last;   // mean error
};

static void load(const struct example *e, const struct group *g, struct example_words *message)
{
    for (unsigned n = 0; n < e->nodes; n++) {
        const struct ofr_group_member *m = &g->tree[n];
        message[n].word[0] = (m->parent >= 0) | ((1U << m->children) - 1) << 1;
        message[n].word[1] = OFR_COLLECTIVE_SUM;
    }
}

// The kernels' answers; each board's sum beside the host's.
static void compare(const struct example *e, const struct example_words *message, unsigned words,
                    const uint32_t *sum, struct run *r)
{
    static const char *const why[] = {"", "a vector that it has no room for",
                                      "a message that cannot be", "the collective failed, reason"};
    uint32_t most = 0;
    for (unsigned n = 0; n < e->nodes; n++) {
        const struct example_words *m = &message[n];
        if (m->words < HEAD || (!m->word[0] && m->words != HEAD + words))
            example_fail(e, 2, "kernel of node %u: an answer of %zu words", n, m->words);
        if (m->word[0])
            example_fail(e, 2, "kernel of node %u: %s (%u)", n, why[m->word[0] & 3],
                         m->word[0] >> 3);
        most = m->word[1] > most ? m->word[1] : most;
        for (unsigned i = 0; i < words; i++)
            if (m->word[HEAD + i] != sum[i]) {
                if (!r->wrong)
                    fprintf(stderr, "gradients: node %u, word %u: %#x, not %#x\n", n, i,
                            m->word[HEAD + i], sum[i]);
                r->wrong++;
            }
    }
    r->least = !r->least || most < r->least ? most : r->least;
    r->most = most > r->most ? most : r->most;
}

static struct run train(struct example *e, const struct options *o, const struct group *g)
{
    struct run r = {0};
    struct training t = begin(e, o->words);
    struct example_words *message = example_memory(e, e->nodes, sizeof *message);
    size_t words = HEAD + (size_t)o->words;
    uint32_t *memory = example_memory(e, e->nodes * words, sizeof *memory),
             *sum = example_memory(e, o->words, sizeof *sum);
    FILE *loss = o->loss ? fopen(o->loss, "w") : NULL;
    if (o->loss && !loss)
        example_fail(e, 2, "%s: cannot be written", o->loss);
    for (unsigned step = 0; step < o->steps; step++) {
        uint64_t off = 0;
        memset(sum, 0, o->words * sizeof *sum);
        for (unsigned n = 0; n < e->nodes; n++) {
            message[n] = (struct example_words){n, memory + n * words, words};
            off += gradient(&t, n, message[n].word + HEAD);
            for (unsigned i = 0; i < o->words; i++)
                sum[i] += message[n].word[HEAD + i];
        }
        load(e, g, message);
        example_send(e, message, e->nodes);
        example_receive(e, message, e->nodes, SECONDS);
        compare(e, message, o->words, sum, &r);
        // What board 0 has got goes into the weights.
        for (unsigned i = 0; i < o->words; i++)
            t.weight[i] -= (int32_t)message[0].word[HEAD + i] / (1 << t.shift);
        r.last = (double)off / t.samples / 65536;
        r.first = step ? r.first : r.last;
        if (loss)
            fprintf(loss, "%u %.6f\n", step, r.last);
    }
    if (loss && fclose(loss))
        example_fail(e, 2, "%s: cannot be written", o->loss);
    free(memory);
    free(sum);
    free(message);
    end(&t);
    return r;
}

// The same sum by libtorus' collectives, over software's ends: cycles, or 0: it is wrong.
static uint32_t by_host(struct example *e, unsigned words)
{
    struct torus_group *group;
    struct training t = begin(e, words);
    int32_t **vector = example_memory(e, e->nodes, sizeof(int32_t *));
    uint32_t *sum = example_memory(e, words, sizeof *sum), from, to;
    bool good = true;
    for (unsigned n = 0; n < e->nodes; n++) {
        uint32_t *own = example_memory(e, words, sizeof *own);
        gradient(&t, n, own);
        for (unsigned i = 0; i < words; i++)
            sum[i] += own[i];
        vector[n] = (int32_t *)own;
    }
    example_good(e, torus_group_open(&group, e->t, NULL, NULL, e->nodes));
    example_good(e, torus_read(e->t, NULL, OFR_NODE_TIME, &from));
    example_good(e, torus_all_reduce(group, TORUS_SUM, vector, words));
    example_good(e, torus_read(e->t, NULL, OFR_NODE_TIME, &to));
    example_good(e, torus_group_close(group));
    for (unsigned n = 0; n < e->nodes; n++) {
        good = good && !memcmp(vector[n], sum, words * sizeof *sum);
        free(vector[n]);
    }
    free(vector);
    free(sum);
    end(&t);
    return good ? to - from : 0;
}

static struct options read_options(const struct example *e, int argc, char **argv)
{
    struct options o = {.shape = OFR_GROUP_CHAIN};
    if (argc < 4)
        example_fail(e, 2,
                     "wrong use: gradients WHERE WORDS STEPS [--shape chain|tree] "
                     "[--loss FILE] [--host]");
    o.words = example_number(e, argv[2], "WORDS", 1, WORDS);
    o.steps = example_number(e, argv[3], "STEPS", 1, 10000);
    for (int i = 4; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (!strcmp(argv[i], "--host")) {
            o.host = true;
            continue;
        }
        if (!strcmp(argv[i], "--loss") && *value)
            o.loss = value;
        else if (!strcmp(argv[i], "--shape") && (!strcmp(value, "chain") || !strcmp(value, "tree")))
            o.shape = value[0] == 't' ? OFR_GROUP_TREE : OFR_GROUP_CHAIN;
        else
            example_fail(e, 2, "%s %s: --shape chain or tree, --loss FILE, --host", argv[i], value);
        i++;
    }
    return o;
}

int main(int argc, char **argv)
{
    struct example e = {.name = "gradients"};
    struct options o = read_options(&e, argc, argv);
    example_begin(&e, "gradients", argv[1], true);
    uint32_t host = o.host ? by_host(&e, o.words) : 0;
    struct group g = form(&e, o.shape);
    example_join(&e, g.list, g.joins);
    struct run r = train(&e, &o, &g);
    example_part(&e, g.list, g.joins);
    double least = bound(&e, &g, o.words);
    printf("%u boards, %u words of gradient, %u steps, by a %s %u deep\n", e.nodes, o.words,
           o.steps, o.shape == OFR_GROUP_TREE ? "tree" : "chain", g.depth);
    printf("all-reduce: %u to %u cycles; 2n(p-1)/p and latency: %.0f, ratio %.2f; through one "
           "board: %.0f at least\n",
           r.least, r.most, least, r.most / least, one_board(&e, o.words));
    if (o.host)
        printf("by libtorus' collectives: %u cycles%s\n", host, host ? ", equal" : ", WRONG");
    printf("mean error of a sample: %.4f, then %.4f\n", r.first, r.last);
    printf("%s\n", r.wrong ? "sums: WRONG"
                           : "sums: of all boards and steps equal to the host's, "
                             "bit by bit");
    free(g.tree);
    free(g.list);
    example_end(&e);
    return r.wrong || (o.host && !host);
}
