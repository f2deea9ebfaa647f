// SPDX-License-Identifier: Apache-2.0
// Which class should streams travel in? Streams between nodes of a torus of golden routers, all
// packets in the in-order class, or in one that overtakes, put in order again at the receiver: what
// they carry, how long a packet takes, how far packets come out of order. See
// rtl/channel/README.md, "The class of streams".
//
// Each node has one stream to another and one from another, as ofr_channel has them: full packets,
// as many ahead of the consumer as it has ROOM, a STATE packet back (same class) once packets have
// been taken, in order, at once. Beside them packets to random nodes, minimal, if asked for.
#include "ofr_regs.h"
#include "packet.h"
#include "rng.h"
#include "router.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    W = 32,
    L = 32, // flits a packet
    HEAD = 3,
    C = 8,
    STATE_FLITS = 4,
    MOST = 256, // nodes
    SEQS = 256, // packets of a stream that can be told apart
    TABLES = 48,
    WARM = 2000,
    COUNT = 6000, // cycles measured
};

enum kind { DATA = 1, STATE, OTHER };
enum pattern { NEIGHBOUR, PAIRS, OPPOSITE, PATTERNS };
static const char *const pattern_name[] = {"neighbour", "pairs", "opposite"};
static const char *const class_name[] = {"in-order", "minimal", "deroute"};

struct setting {
    unsigned k; // k x k nodes
    enum pattern pattern;
    unsigned class;        // OFR_PKT_CLASS_INORDER, MINIMAL or DEROUTE
    unsigned room;         // packets, to SEQS / 2
    unsigned load, others; // permille of a flit a cycle and node: of a stream, 1000: as many as
                           // there is room for; and of the other packets
    unsigned cycles;       // measured
    uint64_t seed;
};

struct figures {
    uint64_t taken;            // packets by the consumers, in the cycles measured
    uint64_t came, overtaken;  // of these came, and came after a later one
    unsigned held;             // most packets of a stream that waited for an earlier one
    uint64_t latency, longest; // from when it was there to be sent to the consumer, of those taken
    bool bad;                  // a packet came twice, or one that was not on its way
};

struct node {
    struct ofr_router *router;
    struct ofr_config config;
    struct ofr_router_in in;
    // Sender
    uint32_t to;
    uint32_t made, sent, limit; // packets: there to be sent, sent, may be sent
    uint64_t made_at[SEQS];
    unsigned debt, others_debt; // permille of flits not made yet
    unsigned others;            // packets of these that wait
    bool state_due;
    unsigned turn;
    // The packet at the local port
    unsigned flits, at;
    uint64_t header;
    unsigned vc;
    // Receiver
    uint32_t from, taken;
    bool here[SEQS];
    unsigned held;
    uint64_t first; // header of the one that comes
    unsigned got;
    uint32_t latest; // newest that has come, + 1
};

struct net {
    struct setting s;
    struct ofr_torus torus;
    struct ofr_table table;
    struct rng rng;
    uint32_t nodes;
    uint64_t cycle;
    bool counts;
    struct figures f;
    struct node node[MOST];
};

static void pair_nodes(struct net *t)
{
    uint32_t to[MOST] = {0}, k = t->s.k;
    for (uint32_t n = 0; n < t->nodes; n++)
        to[n] = t->s.pattern == NEIGHBOUR ? n / k * k + (n + 1) % k
                                          : (n / k + k / 2) % k * k + (n + k / 2) % k;
    if (t->s.pattern == PAIRS) { // one circle through all nodes, drawn (Sattolo)
        for (uint32_t n = 0; n < t->nodes; n++)
            to[n] = n;
        for (uint32_t n = t->nodes - 1; n > 0; n--) {
            uint32_t m = rng_below(&t->rng, n), x = to[n];
            to[n] = to[m];
            to[m] = x;
        }
    }
    for (uint32_t n = 0; n < t->nodes; n++) {
        t->node[n].to = to[n];
        t->node[to[n]].from = n;
    }
}

static void begin(struct net *t, const struct setting *s)
{
    static const struct ofr_shape shape = {
        .n = 2, .flit_bits = W, .slots = C, .unit_mul = 1, .slot_flits = L};
    memset(t, 0, sizeof *t);
    t->s = *s;
    t->rng.state = s->seed;
    t->torus = (struct ofr_torus){.n = 2, .k = {(uint8_t)s->k, (uint8_t)s->k}};
    t->nodes = ofr_nodes(&t->torus);
    ofr_table_reset(&t->table, 2);
    pair_nodes(t);
    for (uint32_t n = 0; n < t->nodes; n++) {
        struct node *x = &t->node[n];
        void *memory = malloc(ofr_router_size(&shape));
        x->router = memory ? ofr_router_init(memory, &shape) : NULL;
        if (!x->router) {
            fputs("stream_class: out of memory\n", stderr);
            exit(2);
        }
        ofr_router_seed(x->router, n + 1);
        x->config = (struct ofr_config){.configured = true,
                                        .torus = t->torus,
                                        .me = ofr_node_coord(&t->torus, n),
                                        .select = OFR_SELECT_MOST_FREE,
                                        .threshold = C / 2,
                                        .ring_wait_time = 8,
                                        .table = &t->table};
        x->limit = s->room;
    }
}

static void end(struct net *t)
{
    for (uint32_t n = 0; n < t->nodes; n++)
        free(t->node[n].router);
}

// ---- Sender -------------------------------------------------------------------------------------

static void compose(struct net *t, uint32_t n, enum kind kind, uint32_t to, unsigned class,
                    uint32_t seq)
{
    struct node *x = &t->node[n];
    struct ofr_coord me = ofr_node_coord(&t->torus, n), there = ofr_node_coord(&t->torus, to);
    struct ofr_header header = {.target = ofr_coord_word(&there, 2),
                                .cls = (uint8_t) class,
                                .leg = 1,
                                .dest = ofr_coord_word(&there, 2),
                                .source = ofr_coord_word(&me, 2),
                                .kind = (uint8_t)kind,
                                .seq = (uint16_t)seq};
    x->header = ofr_header_pack(&header);
    x->flits = kind == STATE ? STATE_FLITS : L;
    x->at = 0;
    x->vc = class == OFR_PKT_CLASS_DEROUTE ? OFR_LVC_DEROUTE : OFR_LVC_USER;
}

// The next packet: a STATE first, then the stream's and the others' by turns.
static void next_packet(struct net *t, uint32_t n)
{
    struct node *x = &t->node[n];
    bool data = x->sent != x->made && (int32_t)(x->limit - x->sent) > 0;
    if (x->state_due) {
        x->state_due = false;
        compose(t, n, STATE, x->from, t->s.class, x->taken + t->s.room);
    } else if (data && (!x->others || !(x->turn++ & 1))) {
        compose(t, n, DATA, x->to, t->s.class, x->sent++);
    } else if (x->others) {
        uint32_t to = rng_below(&t->rng, t->nodes - 1);
        x->others--;
        compose(t, n, OTHER, to + (to >= n), OFR_PKT_CLASS_MINIMAL, 0);
    }
}

static void send(struct net *t, uint32_t n, const struct ofr_router_out *out)
{
    struct node *x = &t->node[n];
    x->debt += t->s.load;
    // No more than are told apart: these, and as many on their way as there is room for
    if ((t->s.load >= 1000 || x->debt >= 1000 * L) && x->made - x->sent < SEQS / 4) {
        x->debt = t->s.load >= 1000 ? 0 : x->debt - 1000 * L;
        x->made_at[x->made++ % SEQS] = t->cycle;
    }
    x->others_debt += t->s.others;
    if (x->others_debt >= 1000 * L && x->others < SEQS) {
        x->others_debt -= 1000 * L;
        x->others++;
    }
    if (x->at == x->flits)
        next_packet(t, n);
    if (x->at == x->flits)
        return;
    x->in.li = (struct ofr_flit){.valid = true,
                                 .vc = (uint8_t)x->vc,
                                 .data = x->at * W < 64 ? x->header >> (x->at * W) & 0xffffffff : 0,
                                 .last = x->at + 1 == x->flits};
    x->at += out->li_ready[x->vc];
}

// ---- Receiver -----------------------------------------------------------------------------------

static void came(struct net *t, struct node *x, uint16_t seq)
{
    uint16_t ahead = (uint16_t)(seq - (uint16_t)x->taken);
    uint32_t full = x->taken + ahead;
    if (ahead >= t->s.room || x->here[full % SEQS]) {
        t->f.bad = true;
        return;
    }
    x->here[full % SEQS] = true;
    x->held++;
    t->f.came += t->counts;
    t->f.overtaken += t->counts && (int32_t)(x->latest - full) > 0;
    if ((int32_t)(full + 1 - x->latest) > 0)
        x->latest = full + 1;
    for (; x->here[x->taken % SEQS]; x->taken++) {
        uint64_t took = t->cycle - t->node[x->from].made_at[x->taken % SEQS];
        x->here[x->taken % SEQS] = false;
        x->held--;
        x->state_due = true;
        if (!t->counts)
            continue;
        t->f.taken++;
        t->f.latency += took;
        t->f.longest = took > t->f.longest ? took : t->f.longest;
    }
    if (t->counts && x->held > t->f.held)
        t->f.held = x->held;
}

static void receive(struct net *t, uint32_t n, const struct ofr_flit *lo)
{
    struct node *x = &t->node[n];
    if (!lo->valid)
        return;
    if (x->got == 0)
        x->first = 0;
    if (x->got * W < 64)
        x->first |= lo->data << (x->got * W);
    x->got++;
    if (!lo->last)
        return;
    x->got = 0;
    struct ofr_header header = ofr_header_unpack(x->first);
    if (header.kind == DATA) {
        came(t, x, header.seq);
    } else if (header.kind == STATE) {
        int16_t more = (int16_t)(header.seq - (uint16_t)x->limit); // a later one may have come
        x->limit += more > 0 ? (uint32_t)more : 0;
    }
}

// ---- All ----------------------------------------------------------------------------------------

static void step(struct net *t)
{
    for (uint32_t n = 0; n < t->nodes; n++) {
        struct node *x = &t->node[n];
        const struct ofr_router_out *out = ofr_router_out(x->router);
        memset(&x->in, 0, sizeof x->in);
        x->in.lo_ready = true;
        for (unsigned p = 0; p < 4; p++) {
            struct ofr_coord to = ofr_neighbour(&t->torus, x->config.me, p);
            const struct ofr_router_out *far =
                ofr_router_out(t->node[ofr_node_id(&t->torus, &to)].router);
            x->in.link_up[p] = x->in.tx_ready[p] = true;
            x->in.rx[p] = far->tx[p ^ 1];
            memcpy(x->in.tx_credit[p], far->rx_credit[p ^ 1], OFR_VCS);
        }
        receive(t, n, &out->lo);
        if (t->cycle >= TABLES)
            send(t, n, out);
    }
    for (uint32_t n = 0; n < t->nodes; n++)
        ofr_router_step(t->node[n].router, &t->node[n].in, &t->node[n].config);
    t->cycle++;
}

static struct figures measure(const struct setting *s)
{
    static struct net net; // large; one at a time
    begin(&net, s);
    for (unsigned i = 0; i < WARM + s->cycles && !net.f.bad; i++) {
        net.counts = i >= WARM;
        step(&net);
    }
    end(&net);
    return net.f;
}

static double carried(const struct setting *s, const struct figures *f)
{
    return (double)f->taken * (L - HEAD) / s->cycles / (s->k * s->k);
}

static void print(const struct setting *s, const struct figures *f)
{
    printf("| %ux%u | %s | %.1f | %s | %u | %.3f | %.0f | %.0f | %.1f%% | %u |\n", s->k, s->k,
           pattern_name[s->pattern], s->others / 1000.0, class_name[s->class], s->room,
           carried(s, f), f->taken ? (double)f->latency / (double)f->taken : 0.0,
           (double)f->longest, f->came ? 100.0 * (double)f->overtaken / (double)f->came : 0.0,
           f->held);
    fflush(stdout);
}

static void heading(const char *what)
{
    printf("\n%s\n\n| torus | streams | others | class | room | payload | latency | longest | "
           "overtaken | held |\n|---|---|---|---|---|---|---|---|---|---|\n",
           what);
}

static const unsigned classes[] = {OFR_PKT_CLASS_INORDER, OFR_PKT_CLASS_MINIMAL,
                                   OFR_PKT_CLASS_DEROUTE};

static bool bench(uint64_t seed)
{
    static const unsigned sizes[] = {4, 8}, rooms[] = {4, 8, SEQS / 2};
    bool good = true;
    printf("# %u-flit packets of %u bits, C = %u, seed %u, %u cycles; payload: flits a cycle and "
           "node; latency: cycles, mean; held: most packets of a stream that wait for an earlier "
           "one\n",
           L, W, C, (unsigned)seed, COUNT);
    for (unsigned rate = 0; rate < 2; rate++) {
        heading(rate ? "Streams of 0.1 flits a cycle and node: latency"
                     : "Streams that always have more: what they carry");
        for (unsigned i = 0; i < 2 * PATTERNS * 2; i++)
            for (unsigned c = 0; c < 3; c++)
                for (unsigned r = rate ? 2 : 0; r < 3; r++) {
                    struct setting s = {.k = sizes[i / (2 * PATTERNS)],
                                        .pattern = (enum pattern)(i / 2 % PATTERNS),
                                        .others = i & 1 ? 200 : 0,
                                        .class = classes[c],
                                        .room = rooms[rate ? 1 : r],
                                        .load = rate ? 100 : 1000,
                                        .cycles = COUNT,
                                        .seed = seed};
                    struct figures f = measure(&s);
                    print(&s, &f);
                    good = good && !f.bad;
                }
    }
    return good;
}

// What the choice rests on, on a small torus, as TAP.
static bool check(uint64_t seed)
{
    struct setting s = {
        .k = 4, .pattern = PAIRS, .load = 1000, .others = 200, .cycles = 2000, .seed = seed};
    bool all = true;
    for (unsigned c = 0; c < 3; c++) {
        s.class = classes[c];
        s.room = SEQS / 2;
        struct figures f = measure(&s);
        bool ok = !f.bad && f.taken && (c == 0 ? !f.overtaken && !f.held : f.overtaken && f.held);
        printf("%s %u - 4x4, class %s: %.1f%% of a stream's packets are overtaken, %u held\n",
               ok ? "ok" : "not ok", c + 1, class_name[s.class],
               f.came ? 100.0 * (double)f.overtaken / (double)f.came : 0.0, f.held);
        all = all && ok;
    }
    puts("1..3");
    return all;
}

int main(int argc, char **argv)
{
    bool checks = argc > 1 && strcmp(argv[1], "--check") == 0;
    const char *text = argc > 1 + checks ? argv[1 + checks] : "1";
    char *rest;
    uint64_t seed = strtoull(text, &rest, 10);
    if (argc > 2 + checks || *text < '0' || *text > '9' || *rest) {
        fputs("stream_class: usage: stream_class [--check] [SEED], a number\n", stderr);
        return 2;
    }
    return (checks ? check(seed) : bench(seed)) ? 0 : 1;
}
