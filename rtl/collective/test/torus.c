// SPDX-License-Identifier: Apache-2.0
// Collectives over a torus: golden routers, at each local port a golden ofr_channel, at its ends an
// ofr_collective (the models that lockstep.c and the channels' bench hold against the RTL). Groups
// are formed by sim/model/group.h. Every word of every result is checked against plain arithmetic;
// then barrier and all-reduce are timed, beside their bounds.
//
//   torus [KxK[xK] ...]   tori to time, 4x4 and 4x4x4 if none is named; SEED from the environment;
//                         with FLIPS there cables flip bits
#include "collective.h"
#include "group.h"
#include "packet.h"
#include "rng.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PAIRS = OFR_COLLECTIVE_PAIRS, // the ends that the block has; the next one is for timing a hop
    ENDS = PAIRS + 1,
    ROOM = 4,
    OPS = 64,
    TABLES = 48,       // cycles until a router that is configured routes
    PATIENCE = 400000, // cycles in which an operation must end
};

struct write {
    uint16_t offset;
    uint32_t value;
};

struct place {
    struct ofr_router *router;
    struct ofr_router_in in;
    struct ofr_config config;
    struct ofr_channel channel;
    struct ofr_collective block;
    unsigned far[OFR_LINKS]; // node at each port
    uint32_t ports;
    struct write write[OPS];
    unsigned writes, done, wait;
    // Its part in the group
    bool member;
    unsigned index;
    // The user's logic
    unsigned message, beat, messages; // that come next; of the operation
    uint16_t half;
    bool halved, offers, clear;
    unsigned words, parts; // that have come: of a message; messages
    bool over;
    unsigned reason;
    struct ofr_beat s; // at the end for timing
};

struct torus {
    struct ofr_torus shape;
    struct place *place;
    unsigned nodes, w, l;
    struct ofr_table table;
    struct rng rng;
    uint64_t cycle, seed;
    bool failed, flips;
    // The group
    unsigned count, root;
    unsigned *node; // of a member
    unsigned *at;   // member by its place in the order of members
    struct ofr_group_member *tree;
    uint32_t conn;
    // The operation
    bool busy;
    unsigned op, type, length, rate, taking, bad; // bad: verdicts that are
    uint32_t *sum;                                // of all, word by word
    unsigned left;                                // members without a verdict
};

static int number, failures;
static char label[80];

static void check(bool ok, const char *what)
{
    printf("%s %d - collectives, %s: %s\n", ok ? "ok" : "not ok", ++number, label, what);
    failures += !ok;
}

static void *get(size_t count, size_t size)
{
    void *p = calloc(count, size);
    if (!p) {
        fputs("torus: no memory\n", stderr);
        exit(2);
    }
    return p;
}

static void fail(struct torus *t, unsigned n, const char *what, uint64_t have, uint64_t want)
{
    if (!t->failed)
        printf("# cycle %" PRIu64 ", node %u, operation %u, %u words: %s: %#" PRIx64
               ", not %#" PRIx64 "\n",
               t->cycle, n, t->op, t->length, what, have, want);
    t->failed = true;
}

// ---- Operations ---------------------------------------------------------------------------------

static uint32_t word_of(const struct torus *t, unsigned member, unsigned i)
{
    struct rng r = {.state = t->seed ^ (uint64_t)member << 40 ^ (uint64_t)(i + 1) << 8};
    return (uint32_t)rng_next(&r);
}

// Words of what a member gives, or SCATTER: of its part. Parts are not all of one length.
static unsigned words_of(const struct torus *t, unsigned member)
{
    bool parts = t->op == OFR_COLLECTIVE_SCATTER || t->op == OFR_COLLECTIVE_GATHER;
    return t->length + (parts ? member % 3 : 0);
}

static bool gives(const struct torus *t, unsigned member)
{
    return t->op >= OFR_COLLECTIVE_GATHER ||
           (member == t->root &&
            (t->op == OFR_COLLECTIVE_BROADCAST || t->op == OFR_COLLECTIVE_SCATTER));
}

static struct ofr_beat next_beat(const struct torus *t, const struct place *x)
{
    unsigned whose =
        t->op == OFR_COLLECTIVE_SCATTER && x->index == t->root ? t->at[x->message] : x->index;
    unsigned words = gives(t, x->index) ? words_of(t, whose) : 0;
    unsigned beats = (words * 32 + t->w - 1) / t->w, i = x->beat * t->w / 32;
    struct ofr_beat s = {.valid = true, .last = x->beat + 1 >= beats};
    if (!beats)
        return s;
    s.keep = (uint8_t)((1U << t->w / 8) - 1);
    s.data = word_of(t, whose, i);
    if (t->w == 16)
        s.data = s.data >> (x->beat % 2 * 16) & 0xffff;
    else if (t->w == 64 && i + 1 < words)
        s.data |= (uint64_t)word_of(t, whose, i + 1) << 32;
    else if (t->w == 64)
        s.keep = 0x0f;
    return s;
}

// A word has come.
static void take_word(struct torus *t, unsigned n, struct place *x, uint32_t word)
{
    uint32_t want = t->op == OFR_COLLECTIVE_SCATTER     ? word_of(t, x->index, x->words)
                    : t->op == OFR_COLLECTIVE_GATHER    ? word_of(t, t->at[x->parts], x->words)
                    : t->op == OFR_COLLECTIVE_BROADCAST ? word_of(t, t->root, x->words)
                    : x->words < t->length              ? t->sum[x->words]
                                                        : 0;
    if (!t->bad && word != want)
        fail(t, n, "a word", word, want);
    x->words++;
}

// A message has ended, maybe with the verdict.
static void take_end(struct torus *t, unsigned n, struct place *x, bool verdict)
{
    bool root = x->index == t->root;
    bool vector = t->op == OFR_COLLECTIVE_ALLREDUCE || (t->op == OFR_COLLECTIVE_REDUCE && root) ||
                  (t->op == OFR_COLLECTIVE_BROADCAST && !root);
    unsigned parts = t->op == OFR_COLLECTIVE_SCATTER          ? 1
                     : t->op == OFR_COLLECTIVE_GATHER && root ? t->count
                                                              : 0;
    unsigned want = !verdict
                        ? words_of(t, t->op == OFR_COLLECTIVE_SCATTER ? x->index : t->at[x->parts])
                    : vector ? t->length
                             : 0;
    if (!t->bad && x->words != want)
        fail(t, n, "words", x->words, want);
    x->words = 0;
    x->parts += !verdict;
    if (!verdict)
        return;
    if (!t->bad && x->parts != parts)
        fail(t, n, "messages", x->parts, parts);
    x->over = true;
    t->left--;
}

static void take(struct torus *t, unsigned n, struct place *x, const struct ofr_collective_out *out)
{
    const struct ofr_beat *m = &out->m;
    if (m->user) {
        t->bad++;
        x->reason = (t->w == 64 ? m->data >> 32 : m->data) >> OFR_COLLECTIVE_REASON_LSB & 7;
    }
    for (unsigned i = 0; i < 8 && m->keep >> i & 1 && x->parts < t->count;
         i += t->w == 16 ? 2 : 4) {
        if (t->w == 16 && !x->halved)
            x->half = (uint16_t)m->data;
        else
            take_word(t, n, x,
                      t->w == 16 ? x->half | (uint32_t)m->data << 16
                                 : (uint32_t)(m->data >> (8 * i)));
        x->halved = t->w == 16 && !x->halved;
    }
    if (m->last)
        take_end(t, n, x, out->m_end);
}

// ---- A cycle ------------------------------------------------------------------------------------

static const struct ofr_router_out *out_of(const struct torus *t, unsigned n)
{
    return ofr_router_out(t->place[n].router);
}

// What comes over the cables.
static void cables(struct torus *t, unsigned n)
{
    struct place *x = &t->place[n];
    for (unsigned p = 0; p < 2U * t->shape.n; p++) {
        if (!(x->ports >> p & 1))
            continue;
        const struct ofr_router_out *far = out_of(t, x->far[p]);
        x->in.link_up[p] = x->in.tx_ready[p] = true;
        x->in.rx[p] = far->tx[p ^ 1];
        if (t->flips && t->cycle % 500 == 0)
            x->in.rx[p].data ^= 1U << 13;
        memcpy(x->in.tx_credit[p], far->rx_credit[p ^ 1], OFR_VCS);
    }
    x->in.lo_ready = true;
}

// The next register write of a node: announced, then done.
static bool writes_now(struct place *x, struct ofr_channel_in *in)
{
    if (!x->wait && x->done < x->writes)
        x->wait = 5;
    in->early = x->wait == 5;
    in->writes = x->wait == 4;
    x->wait -= x->wait != 0;
    return in->writes;
}

static void local(struct torus *t, unsigned n)
{
    struct place *x = &t->place[n];
    const struct ofr_group_member *g = x->member ? &t->tree[x->index] : NULL;
    struct ofr_channel_in in = {.config = &x->config, .rx = out_of(t, n)->lo};
    struct ofr_collective_in block = {.has_parent = g && g->parent >= 0};
    struct ofr_collective_out out;
    int ready = ofr_channel_ready(&x->channel);

    if (g) {
        block.children = (uint8_t)((1U << g->children) - 1);
        memcpy(block.size, g->size, sizeof block.size);
    }
    block.clear = x->clear;
    x->clear = false;
    for (unsigned p = 0; p < PAIRS; p++) {
        block.from[p] = ofr_channel_m(&x->channel, p);
        block.to_ready[p] = ready == (int)p;
    }
    if (t->busy && x->member && x->message < x->messages && rng_chance(&t->rng, t->rate))
        x->offers = true;
    if (x->offers) {
        block.s = next_beat(t, x);
        block.s_user = (uint8_t)(t->op | t->type << OFR_COLLECTIVE_TYPE_LSB |
                                 (x->message + 1 < x->messages ? OFR_COLLECTIVE_MORE : 0));
    }
    block.m_ready = rng_chance(&t->rng, t->taking);
    ofr_collective_out(&x->block, &block, &out);
    for (unsigned p = 0; p < PAIRS; p++) {
        in.s[p] = out.to[p];
        in.s[p].keep = (uint8_t)((1U << t->w / 8) - 1);
        in.m_ready[p] = out.from_ready[p];
    }
    if (x->offers && out.s_ready) {
        x->offers = false;
        x->beat++;
        if (block.s.last) {
            x->beat = 0;
            x->message++;
        }
    }
    if (out.m.valid && block.m_ready) {
        if (!t->busy || !x->member || x->over)
            fail(t, n, "a beat of no operation", out.m.data, 0);
        else
            take(t, n, x, &out);
    }
    ofr_collective_step(&x->block, &block);

    in.s[PAIRS] = x->s;
    in.m_ready[PAIRS] = true;
    x->s.valid = x->s.valid && ready != PAIRS;
    in.tx_ready = out_of(t, n)->li_ready[OFR_LVC_USER];
    x->in.li = ofr_channel_tx(&x->channel);
    x->in.li.vc = OFR_LVC_USER;
    bool now = writes_now(x, &in);
    struct write w = now ? x->write[x->done++] : (struct write){0};
    if (now && ofr_channel_refused(&x->channel, w.offset, w.value, &x->config))
        fail(t, n, "a register's write is refused", w.offset, w.value);
    ofr_channel_step(&x->channel, &in, now, w.offset, w.value);
}

static void step(struct torus *t, unsigned count)
{
    for (unsigned i = 0; i < count && !t->failed; i++) {
        for (unsigned n = 0; n < t->nodes; n++) {
            cables(t, n);
            local(t, n);
        }
        for (unsigned n = 0; n < t->nodes; n++)
            ofr_router_step(t->place[n].router, &t->place[n].in, &t->place[n].config);
        t->cycle++;
    }
}

// ---- Groups -------------------------------------------------------------------------------------

static void write_register(struct place *x, unsigned offset, uint32_t value)
{
    if (x->done == x->writes)
        x->done = x->writes = 0;
    if (x->writes == OPS) {
        fputs("torus: too many writes\n", stderr);
        exit(2);
    }
    x->write[x->writes++] = (struct write){(uint16_t)offset, value};
}

static void command(struct torus *t, unsigned n, unsigned e, unsigned far, unsigned f,
                    uint32_t what)
{
    struct place *x = &t->place[n];
    write_register(x, OFR_CHANNEL_SELECT, e);
    if (what == OFR_CHANNEL_COMMAND_OPEN || what == OFR_CHANNEL_COMMAND_LISTEN)
        write_register(x, OFR_CHANNEL_PEER,
                       ofr_coord_word(&t->place[far].config.me, t->shape.n) | f << 12 |
                           (t->conn & 0xff) << 16);
    write_register(x, OFR_CHANNEL_COMMAND, what);
}

static void write_all(struct torus *t)
{
    bool some = true;
    while (some && !t->failed) {
        step(t, 8);
        some = false;
        for (unsigned n = 0; n < t->nodes; n++)
            some = some || t->place[n].done < t->place[n].writes;
    }
    step(t, 100 + 4 * t->nodes);
}

// Both ends of all edges: the parent's listens first. Or what: another command, to both.
static void all_edges(struct torus *t, uint32_t what)
{
    t->conn++;
    for (int side = 0; side < 2; side++) {
        for (unsigned m = 0; m < t->count; m++) {
            const struct ofr_group_member *g = &t->tree[m];
            if (g->parent < 0)
                continue;
            unsigned kid = t->node[m], par = t->node[g->parent];
            if (!side)
                command(t, par, 1U + g->slot, kid, 0, what ? what : OFR_CHANNEL_COMMAND_LISTEN);
            else if (!what)
                command(t, kid, 0, par, 1U + g->slot, OFR_CHANNEL_COMMAND_OPEN);
        }
        write_all(t);
    }
}

// The group of the nodes in t->node; its streams are opened.
static bool form(struct torus *t, unsigned root, enum ofr_group_shape shape)
{
    struct ofr_coord *at = get(t->count, sizeof *at);
    for (unsigned m = 0; m < t->count; m++)
        at[m] = t->place[t->node[m]].config.me;
    t->root = root;
    bool ok =
        ofr_group_form(&t->shape, at, t->count, root, shape, OFR_COLLECTIVE_CHILDREN, t->tree);
    free(at);
    if (!ok)
        return false;
    for (unsigned n = 0; n < t->nodes; n++)
        t->place[n].member = false;
    for (unsigned m = 0; m < t->count; m++) {
        struct place *x = &t->place[t->node[m]];
        x->member = x->clear = true;
        x->index = m;
        t->at[t->tree[m].order] = m;
    }
    all_edges(t, 0);
    return !t->failed;
}

// The ends of all edges that are open; one, of member `but`, has ended.
static void dissolve_broken(struct torus *t, unsigned but)
{
    for (unsigned m = 0; m < t->count; m++)
        if (t->tree[m].parent >= 0 && m != but)
            command(t, t->node[m], 0, 0, 0, OFR_CHANNEL_COMMAND_CLOSE);
    write_all(t);
    step(t, 400);
}

static void dissolve(struct torus *t)
{
    all_edges(t, OFR_CHANNEL_COMMAND_CLOSE);
    step(t, 400);
}

// ---- Runs ---------------------------------------------------------------------------------------

static uint32_t merged(const struct torus *t, uint32_t a, uint32_t b)
{
    bool less = t->type & OFR_COLLECTIVE_UNSIGNED ? a < b : (int32_t)a < (int32_t)b;
    switch (t->type & 3) {
    case OFR_COLLECTIVE_SUM:
        return a + b;
    case OFR_COLLECTIVE_OR:
        return a | b;
    case OFR_COLLECTIVE_MIN:
        return less ? a : b;
    default:
        return less ? b : a;
    }
}

// All members begin in one cycle; the cycles until the last has its verdict.
static uint64_t operate(struct torus *t, unsigned op, unsigned type, unsigned length)
{
    uint64_t from = t->cycle;
    t->op = op;
    t->type = type;
    t->length = length;
    t->seed = rng_next(&t->rng);
    t->left = t->count;
    t->bad = 0;
    free(t->sum);
    t->sum = get(length + 1, sizeof *t->sum);
    for (unsigned i = 0; i < length && op >= OFR_COLLECTIVE_REDUCE; i++) {
        t->sum[i] = word_of(t, 0, i);
        for (unsigned m = 1; m < t->count; m++)
            t->sum[i] = merged(t, t->sum[i], word_of(t, m, i));
    }
    for (unsigned m = 0; m < t->count; m++) {
        struct place *x = &t->place[t->node[m]];
        x->message = x->beat = x->words = x->parts = 0;
        x->over = x->halved = false;
        x->messages = op == OFR_COLLECTIVE_SCATTER && m == t->root ? t->count : 1;
    }
    t->busy = true;
    while (t->left && !t->failed && t->cycle < from + PATIENCE)
        step(t, 1);
    if (t->left)
        fail(t, 0, "it hangs, members", t->left, 0);
    uint64_t cycles = t->cycle - from;
    // Those whose message is thrown away end it, too
    for (unsigned m = 0; m < t->count && !t->failed; m++)
        while (t->place[t->node[m]].message < t->place[t->node[m]].messages && !t->failed)
            step(t, 1);
    t->busy = false;
    step(t, 4);
    return cycles;
}

static void torus_end(struct torus *t)
{
    for (unsigned n = 0; n < t->nodes; n++)
        free(t->place[n].router);
    free(t->place);
    free(t->node);
    free(t->at);
    free(t->tree);
    free(t->sum);
}

static void torus_begin(struct torus *t, struct ofr_torus shape, unsigned w, unsigned l,
                        uint64_t seed)
{
    const struct ofr_shape router = {.n = shape.n,
                                     .flit_bits = (uint8_t)w,
                                     .slots = 8,
                                     .unit_mul = 1,
                                     .slot_flits = (uint16_t)l};
    const struct ofr_channel_shape channel = {.n = shape.n,
                                              .flit_bits = (uint8_t)w,
                                              .slot_flits = (uint16_t)l,
                                              .ends = ENDS,
                                              .room = ROOM};
    const struct ofr_collective_shape block = {.flit_bits = (uint8_t)w,
                                               .children = OFR_COLLECTIVE_CHILDREN};
    memset(t, 0, sizeof *t);
    t->shape = shape;
    t->w = w;
    t->l = l;
    t->rng.state = seed;
    t->rate = t->taking = 1000;
    t->flips = getenv("FLIPS");
    t->nodes = ofr_nodes(&shape);
    t->place = get(t->nodes, sizeof *t->place);
    t->node = get(t->nodes, sizeof *t->node);
    t->at = get(t->nodes, sizeof *t->at);
    t->tree = get(t->nodes, sizeof *t->tree);
    ofr_table_reset(&t->table, shape.n);
    snprintf(label, sizeof label, "W=%u L=%u, %ux%ux%u", w, l, shape.k[0], shape.k[1],
             shape.n > 2 ? shape.k[2] : 1U);
    for (unsigned n = 0; n < t->nodes; n++) {
        struct place *x = &t->place[n];
        x->config = (struct ofr_config){.configured = true,
                                        .torus = shape,
                                        .me = ofr_node_coord(&shape, n),
                                        .ring_wait_time = 8,
                                        .table = &t->table};
        x->ports = ofr_existing_ports(&shape, &x->config.me);
        for (unsigned p = 0; p < 2U * shape.n; p++)
            if (x->ports >> p & 1) {
                struct ofr_coord far = ofr_neighbour(&shape, x->config.me, p);
                x->far[p] = ofr_node_id(&shape, &far);
            }
        x->router = ofr_router_init(get(1, ofr_router_size(&router)), &router);
        if (!x->router || !ofr_channel_init(&x->channel, &channel) ||
            !ofr_collective_init(&x->block, &block)) {
            fputs("torus: no router, channel or collective of this shape\n", stderr);
            exit(2);
        }
    }
    step(t, TABLES);
}

// All nodes of the torus are the group.
static void all_nodes(struct torus *t)
{
    t->count = t->nodes;
    for (unsigned n = 0; n < t->nodes; n++)
        t->node[n] = n;
}

// Some of them, in any order.
static void some_nodes(struct torus *t)
{
    all_nodes(t);
    t->count = 1 + rng_below(&t->rng, t->nodes);
    for (unsigned i = 0; i < t->count; i++) {
        unsigned j = i + rng_below(&t->rng, t->nodes - i), n = t->node[i];
        t->node[i] = t->node[j];
        t->node[j] = n;
    }
}

// Every operation, on groups of all shapes; then a stream of one breaks, and it is formed anew.
static void correct(struct ofr_torus shape, unsigned w, unsigned l, uint64_t seed)
{
    struct torus t;
    torus_begin(&t, shape, w, l, seed);
    unsigned groups = 0, operations = 0;
    for (unsigned i = 0; i < 6 && !t.failed; i++, groups++) {
        i % 2 ? some_nodes(&t) : all_nodes(&t);
        if (!form(&t, rng_below(&t.rng, t.count), (enum ofr_group_shape)(i % 3)))
            fail(&t, 0, "a group cannot be formed", i, 0);
        for (unsigned op = 0; op < OFR_COLLECTIVE_OPS && !t.failed; op++, operations++) {
            t.rate = rng_chance(&t.rng, 500) ? 1000 : 100 + rng_below(&t.rng, 900);
            t.taking = rng_chance(&t.rng, 500) ? 1000 : 100 + rng_below(&t.rng, 900);
            unsigned length =
                rng_chance(&t.rng, 300) ? rng_below(&t.rng, 3) : rng_below(&t.rng, 4 * l * w / 32);
            operate(&t, op, rng_below(&t.rng, 8), length);
            if (t.bad)
                fail(&t, 0, "a verdict of", t.place[t.node[0]].reason, 0);
        }
        dissolve(&t);
    }
    char text[200];
    snprintf(text, sizeof text, "%u groups, %u operations, every word is right", groups,
             operations);
    check(!t.failed, text);

    all_nodes(&t);
    t.rate = t.taking = 1000;
    form(&t, 0, OFR_GROUP_TREE);
    operate(&t, OFR_COLLECTIVE_ALLREDUCE, OFR_COLLECTIVE_SUM, 100);
    bool was = !t.bad;
    unsigned m = 1 + rng_below(&t.rng, t.count - 1); // the stream to its parent
    command(&t, t.node[m], 0, 0, 0, OFR_CHANNEL_COMMAND_ABORT);
    operate(&t, OFR_COLLECTIVE_ALLREDUCE, OFR_COLLECTIVE_SUM, 20000);
    unsigned bad = t.bad;
    operate(&t, OFR_COLLECTIVE_BARRIER, 0, 0);
    bool all = t.bad == t.count;
    for (unsigned i = 0; i < t.count; i++)
        all = all && t.place[t.node[i]].reason == OFR_COLLECTIVE_BROKEN;
    snprintf(text, sizeof text,
             "a stream ends under an all-reduce: %u of %u members say so, of the next one all", bad,
             t.count);
    check(!t.failed && was && bad && all, text);
    dissolve_broken(&t, m);
    form(&t, 0, OFR_GROUP_TREE);
    operate(&t, OFR_COLLECTIVE_ALLREDUCE, OFR_COLLECTIVE_MAX, 100);
    check(!t.failed && !t.bad, "formed anew it works again");
    torus_end(&t);
}

// ---- Figures ------------------------------------------------------------------------------------

// Cycles from TVALID to TVALID of a beat to the neighbour, over a channel.
static unsigned hop(struct torus *t)
{
    t->conn++;
    command(t, 1, PAIRS, 0, PAIRS, OFR_CHANNEL_COMMAND_LISTEN);
    write_all(t);
    command(t, 0, PAIRS, 1, PAIRS, OFR_CHANNEL_COMMAND_OPEN);
    write_all(t);
    uint64_t from = t->cycle;
    t->place[0].s = (struct ofr_beat){.valid = true, .last = true, .keep = 15};
    while (!ofr_channel_m(&t->place[1].channel, PAIRS).valid && t->cycle < from + 200 && !t->failed)
        step(t, 1);
    return (unsigned)(t->cycle - from);
}

static unsigned depth(const struct torus *t)
{
    unsigned most = 0;
    for (unsigned m = 0; m < t->count; m++)
        most = t->tree[m].depth > most ? t->tree[m].depth : most;
    return most;
}

// README.md derives it: what an all-reduce takes besides its vector's passing.
static unsigned latency(const struct torus *t, unsigned h, unsigned words)
{
    unsigned packet = words + 4 < t->l ? words + 4 : t->l;
    return 2 * depth(t) * (2 * packet + h + 2) + 2 * (t->tree[t->root].children - 1U) * packet;
}

static void figures(struct ofr_torus shape, uint64_t seed)
{
    struct torus t;
    char text[240];
    unsigned diameter = 0;
    torus_begin(&t, shape, 32, 128, seed);
    for (unsigned d = 0; d < shape.n; d++)
        diameter += shape.k[d] / 2U;
    unsigned h = hop(&t), p = t.nodes;
    all_nodes(&t);

    form(&t, 0, OFR_GROUP_TREE);
    operate(&t, OFR_COLLECTIVE_BARRIER, 0, 0);
    uint64_t sum = 0, most = 0, bound = 2ULL * diameter * h;
    for (unsigned i = 0; i < 4; i++) {
        uint64_t c = operate(&t, OFR_COLLECTIVE_BARRIER, 0, 0);
        sum += c;
        most = c > most ? c : most;
    }
    snprintf(text, sizeof text,
             "barrier of %u: %" PRIu64
             " cycles, %.2f of twice the diameter of %u x a channel's hop "
             "of %u; the tree is %u deep",
             p, most, (double)most / (double)bound, diameter, h, depth(&t));
    check(!t.failed && (double)most <= 1.3 * (double)bound, text);
    uint64_t one = operate(&t, OFR_COLLECTIVE_ALLREDUCE, OFR_COLLECTIVE_SUM, 1);
    unsigned small = 1024;
    uint64_t tree = operate(&t, OFR_COLLECTIVE_ALLREDUCE, OFR_COLLECTIVE_SUM, small);
    dissolve(&t);

    form(&t, 0, OFR_GROUP_CHAIN);
    unsigned sizes[] = {small, p < 128 ? 4096 : 16384};
    uint64_t took[2];
    for (unsigned i = 0; i < 2; i++) {
        unsigned n = sizes[i], extra = latency(&t, h, n);
        took[i] = operate(&t, OFR_COLLECTIVE_ALLREDUCE, OFR_COLLECTIVE_SUM, n);
        double wire = 2.0 * n * (p - 1) / p;
        snprintf(text, sizeof text,
                 "all-reduce of %u words on %u, chain: %" PRIu64 " cycles; 2n(p-1)/p is %.0f, "
                 "latency %u: %.2f of both",
                 n, p, took[i], wire, extra, (double)took[i] / (wire + extra));
        check(!t.failed && (double)took[i] <= 1.3 * wire + extra, text);
    }
    double slope = (double)(took[1] - took[0]) / (sizes[1] - sizes[0]);
    snprintf(text, sizeof text, "each word more takes %.2f cycles, %.2f of 2(p-1)/p", slope,
             slope / (2.0 * (p - 1) / p));
    check(!t.failed && slope <= 1.3 * 2 * (p - 1) / p, text);
    printf("# all-reduce by the tree: 1 word %" PRIu64 " cycles, %u words %" PRIu64 "\n", one,
           small, tree);
    torus_end(&t);
}

static bool read_torus(const char *text, struct ofr_torus *to)
{
    unsigned k[3] = {1, 1, 1};
    int end = 0;
    char *next;
    memset(to, 0, sizeof *to);
    for (to->n = 0; to->n < 3; text = next + 1) {
        k[to->n++] = (unsigned)strtoul(text, &next, 10);
        end = *next;
        if (next == text || end != 'x')
            break;
    }
    for (unsigned d = 0; d < to->n; d++)
        to->k[d] = (uint8_t)k[d];
    return !end && to->n >= 2 && k[0] && k[1] && k[2] && k[0] <= 16 && k[1] <= 16 && k[2] <= 16 &&
           k[0] * k[1] * k[2] > 1;
}

int main(int argc, char **argv)
{
    const char *env = getenv("SEED");
    uint64_t seed = env ? strtoull(env, NULL, 0) : 1;
    struct ofr_torus shape;
    setvbuf(stdout, NULL, _IOLBF, 0);
    printf("# seed %" PRIu64 "; again: SEED=%" PRIu64 " %s\n", seed, seed, argv[0]);
    if (argc == 1 && getenv("FLIPS")) {
        correct((struct ofr_torus){.n = 2, .k = {4, 3}}, 32, 32, seed);
    } else if (argc == 1) {
        correct((struct ofr_torus){.n = 2, .k = {3, 2}}, 16, 32, seed);
        correct((struct ofr_torus){.n = 3, .k = {2, 2, 3}}, 64, 16, seed);
        correct((struct ofr_torus){.n = 2, .k = {4, 3}}, 32, 32, seed);
        figures((struct ofr_torus){.n = 2, .k = {4, 4}}, seed);
        figures((struct ofr_torus){.n = 3, .k = {4, 4, 4}}, seed);
    }
    for (int i = 1; i < argc; i++) {
        if (!read_torus(argv[i], &shape)) {
            fprintf(stderr, "torus: %s: no torus, give KxK or KxKxK, each 1 to 16\n", argv[i]);
            return 2;
        }
        figures(shape, seed);
    }
    printf("1..%d\n", number);
    return failures != 0;
}
