// SPDX-License-Identifier: Apache-2.0
// The effective bandwidth b_eff by the rules of HPCC_FPGA, between users' logic at the channels'
// pins: every node of a torus of golden nodes sends a message to both its neighbours in a ring and
// takes theirs, of 1 byte to 1 MiB, each twice the one before; rings are the natural one (nodes by
// number) and random ones; the best of the repetitions counts. In bytes a cycle that each node
// sends: a ring's is the mean over the sizes, b_eff the geometric mean of the natural ring's and of
// the random ones'. Beside each size is what the wires allow (wires.h). `torusctl b_eff` is the
// same through a host, by requests.
//
//   b_eff [--max-size BYTES] [--rings N] [--repetitions N] [KxK[xK] ...]
//
// SEED, of the random rings, is from the environment; with FLIPS there cables flip bits. Exit
// status 1: a byte that came was not the one that was sent, a size took more than LIMIT times its
// bound, or a large one got less than SHARE of the wires in the natural ring.
#include <argp.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "node.h"
#include "packet.h"
#include "rng.h"
#include "wires.h"

enum {
    W = 32,
    L = 128,         // flits a slot: 512 bytes
    ROOM = 4,        // packets that an end has room for
    ENDS = 2,        // 0 joined with the next node's 1
    MOST_RINGS = 16, // random ones
    MOST_TORI = 16,  // of a command
    TABLES = 64,     // cycles until nodes that are configured route
    LIMIT = 16,      // a size that takes so many times its bound hangs
    LARGE = 4096,    // bytes from which on a natural ring
    SHARE = 80,      // ... gets so much of the wires, percent
};

static struct {
    size_t max_size;
    unsigned rings, repetitions;
    uint64_t seed;
    const char *torus[MOST_TORI];
    unsigned tori;
} set = {.max_size = 1 << 20, .rings = 1, .repetitions = 2, .seed = 1};

struct end {           // and the user's logic there
    uint32_t to;       // its peer, as node * ENDS + end
    size_t given, got; // bytes of the message
};

struct ring {
    struct ofr_torus torus;
    uint32_t nodes;
    struct ofr_node *node;
    void **memory;
    struct ofr_channels_pins *pins;
    struct end *end;
    uint32_t *order;
    struct rng rng;
    uint64_t cycle;
    size_t bytes;  // of each message
    uint32_t left; // ends that have not got theirs
    bool wrong, flips;
};

static void *get(size_t count, size_t size)
{
    void *p = calloc(count, size);
    if (!p) {
        fputs("b_eff: out of memory: take a smaller torus\n", stderr);
        exit(2);
    }
    return p;
}

static void write_node(struct ring *r, uint32_t n, unsigned offset, uint32_t value)
{
    bool error = false;
    ofr_node_write(&r->node[n], offset, value, &error);
    if (error) {
        fprintf(stderr, "b_eff: node %u refuses a write of %x to %x\n", n, value, offset);
        exit(2);
    }
}

// ---- Users' logic -------------------------------------------------------------------------------

// Byte i of what an end sends.
static uint8_t byte_of(uint32_t e, size_t i)
{
    return (uint8_t)(i * 7 + i / 256 + 31 * e + 1);
}

// At every end; 0 bytes: none.
static void begin_message(struct ring *r, size_t bytes)
{
    r->bytes = bytes;
    r->left = bytes ? r->nodes * ENDS : 0;
    for (uint32_t e = 0; e < r->nodes * ENDS; e++)
        r->end[e].given = r->end[e].got = 0;
}

static struct ofr_beat next_beat(const struct ring *r, uint32_t e)
{
    size_t left = r->bytes - r->end[e].given;
    unsigned bytes = left < W / 8 ? (unsigned)left : W / 8;
    struct ofr_beat s = {
        .valid = bytes != 0, .last = left <= W / 8, .keep = (uint8_t)((1U << bytes) - 1)};
    for (unsigned i = 0; i < bytes; i++)
        s.data |= (uint64_t)byte_of(e, r->end[e].given + i) << (8 * i);
    return s;
}

static void take(struct ring *r, uint32_t e, const struct ofr_beat *m)
{
    struct end *x = &r->end[e];
    for (unsigned i = 0; i < W / 8; i++)
        if (m->keep >> i & 1)
            r->wrong |= (uint8_t)(m->data >> (8 * i)) != byte_of(x->to, x->got++);
    r->wrong |= m->user || m->last != (x->got == r->bytes) || x->got > r->bytes;
    r->left -= m->last;
}

// ---- A cycle ------------------------------------------------------------------------------------

static void step_node(struct ring *r, uint32_t n, const struct ofr_node_in *cables)
{
    struct ofr_channels *c = r->node[n].local.channels;
    struct ofr_node_in in = *cables;
    struct ofr_channels_pins *pins = &r->pins[n];
    int ready = ofr_channels_ready(c);
    for (uint32_t i = 0; i < ENDS; i++) {
        struct ofr_beat m = ofr_channels_m(c, i);
        pins->s[i] = next_beat(r, n * ENDS + i);
        pins->m_ready[i] = true;
        if (m.valid)
            take(r, n * ENDS + i, &m);
    }
    if (ready >= 0 && ready < ENDS)
        r->end[n * ENDS + (uint32_t)ready].given +=
            (size_t)__builtin_popcount(pins->s[ready].valid ? pins->s[ready].keep : 0);
    in.pins = pins;
    ofr_node_step(&r->node[n], &in);
}

// Cables of a cycle: all nodes' pins as they stand before any of them steps.
static void step(struct ring *r, struct ofr_node_in *in)
{
    for (uint32_t n = 0; n < r->nodes; n++) {
        struct ofr_coord me = ofr_node_coord(&r->torus, n);
        uint32_t ports = ofr_existing_ports(&r->torus, &me);
        for (unsigned p = 0; p < 2U * r->torus.n; p++) {
            if (!(ports >> p & 1))
                continue;
            struct ofr_coord far = ofr_neighbour(&r->torus, me, p);
            const struct ofr_router_out *out = ofr_node_out(&r->node[ofr_node_id(&r->torus, &far)]);
            in[n].link_up[p] = in[n].tx_ready[p] = true;
            in[n].rx[p] = out->tx[p ^ 1];
            if (r->flips && r->cycle % 500 == 0)
                in[n].rx[p].data ^= 1U << 13;
            memcpy(in[n].tx_credit[p], out->rx_credit[p ^ 1], OFR_VCS);
        }
    }
    for (uint32_t n = 0; n < r->nodes; n++)
        step_node(r, n, &in[n]);
    r->cycle++;
}

// Until all have their message, or for so many cycles. How many it took.
static uint64_t pass(struct ring *r, struct ofr_node_in *in, uint64_t most)
{
    uint64_t from = r->cycle;
    while (r->cycle < from + most && r->left && !r->wrong)
        step(r, in);
    return r->cycle - from;
}

// ---- Rings --------------------------------------------------------------------------------------

static void set_up(struct ring *r)
{
    const uint8_t *k = r->torus.k;
    struct ofr_shape shape = {.n = r->torus.n,
                              .flit_bits = W,
                              .slots = 8,
                              .unit_mul = 1,
                              .slot_flits = L,
                              .channels = ENDS,
                              .room = ROOM};
    r->nodes = ofr_nodes(&r->torus);
    r->node = get(r->nodes, sizeof *r->node);
    r->memory = get(r->nodes, sizeof *r->memory);
    r->pins = get(r->nodes, sizeof *r->pins);
    r->end = get((size_t)r->nodes * ENDS, sizeof *r->end);
    r->order = get(r->nodes, sizeof *r->order);
    for (uint32_t n = 0; n < r->nodes; n++) {
        struct ofr_coord c = ofr_node_coord(&r->torus, n);
        bool three = r->torus.n == 3;
        r->memory[n] = get(1, ofr_node_size(&shape));
        if (!ofr_node_init(&r->node[n], &shape, n, r->memory[n]))
            abort(); // a shape of this file
        write_node(r, n, OFR_NODE_SIZE,
                   k[0] | (uint32_t)k[1] << 8 | (three ? (uint32_t)k[2] << 16 : 0));
        write_node(r, n, OFR_NODE_COORD,
                   c.c[0] | (uint32_t)c.c[1] << 8 | (three ? (uint32_t)c.c[2] << 16 : 0));
        write_node(r, n, OFR_NODE_CONTROL, 1);
        r->order[n] = n;
    }
}

static void clean_up(struct ring *r)
{
    for (uint32_t n = 0; n < r->nodes; n++)
        free(r->memory[n]);
    free(r->memory);
    free(r->node);
    free(r->pins);
    free(r->end);
    free(r->order);
}

static void shuffle(struct ring *r)
{
    for (uint32_t i = r->nodes; i > 1; i--) {
        uint32_t j = rng_below(&r->rng, i), kept = r->order[j];
        r->order[j] = r->order[i - 1];
        r->order[i - 1] = kept;
    }
}

static void command(struct ring *r, uint32_t e, unsigned what)
{
    uint32_t n = e / ENDS, to = r->end[e].to;
    write_node(r, n, OFR_CHANNEL_SELECT, e % ENDS);
    if (what == OFR_CHANNEL_COMMAND_LISTEN || what == OFR_CHANNEL_COMMAND_OPEN)
        write_node(r, n, OFR_CHANNEL_PEER,
                   ofr_coord_word(&r->node[to / ENDS].config.me, r->torus.n) |
                       to % ENDS << OFR_CHANNEL_PEER_END_LSB |
                       (uint32_t)(1 + r->cycle % 255) << OFR_CHANNEL_PEER_CONN_LSB);
    write_node(r, n, OFR_CHANNEL_COMMAND, what);
}

// The ends of the ring's order are joined, or closed.
static void join(struct ring *r, struct ofr_node_in *in, bool open)
{
    for (uint32_t i = 0; i < r->nodes; i++) {
        uint32_t from = r->order[i] * ENDS, to = r->order[(i + 1) % r->nodes] * ENDS + 1;
        r->end[from].to = to;
        r->end[to].to = from;
        if (open)
            command(r, to, OFR_CHANNEL_COMMAND_LISTEN);
        command(r, from, open ? OFR_CHANNEL_COMMAND_OPEN : OFR_CHANNEL_COMMAND_CLOSE);
    }
    for (int i = 0; i < 500; i++)
        step(r, in);
}

static double bound(const struct ring *r, size_t bytes)
{
    unsigned hops = 0, nearest = UINT_MAX;
    for (uint32_t i = 0; i < r->nodes; i++) {
        struct ofr_coord a = ofr_node_coord(&r->torus, r->order[i]),
                         b = ofr_node_coord(&r->torus, r->order[(i + 1) % r->nodes]);
        unsigned d = ofr_distance(&r->torus, &a, &b);
        hops += d;
        nearest = d < nearest ? d : nearest;
    }
    return ofr_wires_ring(ofr_wires_flits(W, L, bytes), hops,
                          ofr_wires_links(r->torus.k, r->torus.n), nearest);
}

// One ring, all sizes; its mean, or NAN where something is wrong.
static double measure(struct ring *r, struct ofr_node_in *in, const char *name, bool natural)
{
    double sum = 0;
    unsigned sizes = 0;
    begin_message(r, 0);
    join(r, in, true);
    for (size_t bytes = 1; bytes <= set.max_size; bytes *= 2, sizes++) {
        double least = bound(r, bytes);
        uint64_t best = UINT64_MAX;
        for (unsigned i = 0; i < set.repetitions && !r->wrong && !(i && r->left); i++) {
            begin_message(r, bytes);
            uint64_t took = pass(r, in, (uint64_t)(LIMIT * least));
            best = took < best ? took : best;
        }
        double rate = 2.0 * (double)bytes / (double)best, share = 100 * least / (double)best;
        const char *why = r->wrong  ? "what came is not what was sent"
                          : r->left ? "not all comes"
                          : natural && bytes >= LARGE && share < SHARE
                              ? "too little of what the wires carry"
                              : NULL;
        printf("# %-10s %8zu B %9" PRIu64 " cycles %8.4f bytes a cycle, %5.1f%% of the wires\n",
               name, bytes, best, rate, share);
        if (why) {
            printf("# %s ring, %zu bytes: %s\n", name, bytes, why);
            return NAN;
        }
        sum += rate;
    }
    begin_message(r, 0);
    join(r, in, false);
    return sum / sizes;
}

static bool run(const struct ofr_torus *torus, const char *name)
{
    struct ring r = {.torus = *torus, .rng = {.state = set.seed}, .flips = getenv("FLIPS") != NULL};
    double natural, product = 0;
    set_up(&r);
    struct ofr_node_in *in = get(r.nodes, sizeof *in);
    for (int i = 0; i < TABLES; i++)
        step(&r, in);
    natural = measure(&r, in, "natural", true);
    for (unsigned i = 0; i < set.rings && !isnan(natural + product); i++) {
        char label[24];
        snprintf(label, sizeof label, "random %u", i + 1);
        shuffle(&r);
        product += log(measure(&r, in, label, false)) / set.rings;
    }
    double random = set.rings ? exp(product) : natural;
    bool good = !isnan(natural + random);
    if (good)
        printf("# %s: b_eff %.4f bytes a cycle and node (natural ring %.4f, random %.4f), W = %d, "
               "L = %d, local port 4\n",
               name, sqrt(natural * random), natural, random, W, L);
    free(in);
    clean_up(&r);
    return good;
}

// ---- Options ------------------------------------------------------------------------------------

static uint64_t whole(struct argp_state *state, const char *arg, uint64_t least, uint64_t most)
{
    char *end;
    uint64_t value = strtoull(arg, &end, 10);
    if (arg[0] < '0' || arg[0] > '9' || *end || value < least || value > most)
        argp_error(state, "%s: say a whole number from %" PRIu64 " to %" PRIu64, arg, least, most);
    return value;
}

static bool parse_torus(const char *text, struct ofr_torus *torus)
{
    unsigned k[3] = {0};
    char extra;
    int n = sscanf(text, "%ux%ux%u%c", &k[0], &k[1], &k[2], &extra);
    *torus = (struct ofr_torus){.n = (uint8_t)n};
    for (int i = 0; i < n && i < 3; i++)
        torus->k[i] = (uint8_t)k[i];
    return (n == 2 || n == 3) && k[0] >= 2 && k[0] <= 8 && k[1] >= 1 && k[1] <= 8 &&
           (n == 2 || (k[2] >= 1 && k[2] <= 8));
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct ofr_torus torus;
    switch (key) {
    case 'm':
        set.max_size = whole(state, arg, 1, 1 << 20);
        return 0;
    case 'r':
        set.rings = (unsigned)whole(state, arg, 0, MOST_RINGS);
        return 0;
    case 'n':
        set.repetitions = (unsigned)whole(state, arg, 1, 1000);
        return 0;
    case ARGP_KEY_ARG:
        if (!parse_torus(arg, &torus))
            argp_error(state,
                       "torus %s: write KxK or KxKxK, as 4x4; sizes are 1 to 8, the first "
                       "from 2 on",
                       arg);
        if (set.tori == MOST_TORI)
            argp_error(state, "torus %s: up to %d in a command", arg, MOST_TORI);
        set.torus[set.tori++] = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int main(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"max-size", 'm', "BYTES", 0, "largest message, up to 1048576, which b_eff has", 0},
        {"rings", 'r', "N", 0, "random rings beside the natural one, up to 16 (1)", 0},
        {"repetitions", 'n', "N", 0, "of each size, of which the best counts (2)", 0},
        {0}};
    static const struct argp parser = {
        options, parse, "[TORUS...]", "b_eff between users' logic at channels' pins.",
        NULL,    NULL,  NULL};
    const char *env = getenv("SEED");
    unsigned failures = 0;
    set.seed = env ? strtoull(env, NULL, 0) : set.seed;
    argp_err_exit_status = 2;
    argp_parse(&parser, argc, argv, 0, NULL, NULL);
    if (!set.tori)
        set.torus[set.tori++] = "4x4";
    setvbuf(stdout, NULL, _IOLBF, 0);
    printf("# seed %" PRIu64 "\n", set.seed);
    for (unsigned i = 0; i < set.tori; i++) {
        struct ofr_torus torus;
        parse_torus(set.torus[i], &torus);
        bool good = run(&torus, set.torus[i]);
        failures += !good;
        printf("%s %u - b_eff at the pins, %s: all bytes came, and large messages get %d%% of the "
               "wires\n",
               good ? "ok" : "not ok", i + 1, set.torus[i], SHARE);
    }
    printf("1..%u\n", set.tori);
    return failures != 0;
}
