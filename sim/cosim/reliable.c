// SPDX-License-Identifier: Apache-2.0
// Reliable links between boards (rtl/link/README.md). At every port is the golden model's end; an
// RTL board has its own, whose words go over the cable, and the golden one beside it must show the
// same. The physical layer is as wide as a word. Between boards with clocks of their own it leaves
// out a word in every block, as rtl/link/phy does, and a FIFO at the receiver goes from one clock
// to the other: what its synchronisers take is part of the cable's length.
#include "reliable.h"

#include "basics.h"
#include "clocks.h"
#include "link_node.h"
#include "noise.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BURST_WORDS = 40,
    SEEDS = 16,        // of random_of(), from here on
    FIFO_WORDS = 8,    // a power of two
    BLOCK_WORDS = 128, // the first of which is no word of the link
};

struct link_end {
    struct ofr_link link;
    uint64_t word[LINE]; // that it has sent, by cycle
    bool valid[LINE];
    uint32_t lag[LINE]; // clock_part() of the sender then
    unsigned delay;     // of the cable to here, cycles
    struct rng rng;
    struct noise noise; // of what comes to here
    uint64_t words, wrong;
    unsigned block;    // with clocks of their own: where the sender is in its block
    struct {           // likewise, of the receiver
        uint64_t next; // has come since its last edge, if
        bool waits;
        uint64_t word[FIFO_WORDS];
        unsigned head, count;
        bool gave;  // in the last cycle
        bool older; // the first one was there then
    } fifo;
};

// The cable's length beyond --latency, the same both ways.
static unsigned longer(const struct sim *s, uint32_t n, unsigned p)
{
    struct cable_end far = s->peer[n][p];
    if (far.board >= 0 &&
        ((uint32_t)far.board < n || ((uint32_t)far.board == n && far.port < (int)p))) {
        n = (uint32_t)far.board;
        p = (unsigned)far.port;
    }
    return (unsigned)(random_of(s->o.seed, n, SEEDS + OFR_LINKS + p) % (s->o.spread + 1));
}

static struct link_end *at(const struct sim *s, uint32_t n, unsigned p)
{
    return &s->link_end[n * (size_t)OFR_LINKS + p];
}

void open_links(struct sim *s)
{
    if (!s->o.reliable)
        return;
    if (!s->link_end)
        s->link_end = allocate(s->boards, OFR_LINKS * sizeof *s->link_end);
    memset(s->link_end, 0, s->boards * OFR_LINKS * sizeof *s->link_end);
    for (uint32_t n = 0; n < s->boards; n++) {
        const struct rtl_board_ops *ops = s->o.kinds[n] == 's' ? &rtl_board_small_link
                                          : s->o.torus.n == 2  ? &rtl_board_2_link
                                                               : &rtl_board_3_link;
        bool misfit = (int)n == s->o.misfit;
        struct ofr_link_shape shape = {.n = ops->shape.n,
                                       .flit_bits = ops->shape.flit_bits,
                                       .slots = (uint8_t)(ops->shape.slots - misfit),
                                       .slot_flits = ops->shape.slot_flits,
                                       .shared = s->o.kinds[n] == 's',
                                       .serial = s->o.kinds[n] != 's',
                                       .time = !(ops->shape.without & OFR_WITHOUT_TIME),
                                       .tick = ops->shape.links,
                                       .crc_check = 16};
        for (unsigned p = 0; p < OFR_LINKS; p++) {
            struct link_end *e = at(s, n, p);
            ofr_link_init(&e->link, &shape);
            e->rng.state = random_of(s->o.seed, n, SEEDS + p);
            e->delay = s->o.latency + longer(s, n, p);
            noise_error_rate(&e->noise, &e->rng, s->o.bit_errors);
            e->noise.burst_rate = s->o.bursts;
            e->noise.burst_steps = BURST_WORDS;
        }
    }
}

void reset_links(struct sim *s, uint32_t n)
{
    for (unsigned p = 0; p < OFR_LINKS && s->link_end; p++) {
        struct ofr_link_shape shape = at(s, n, p)->link.shape;
        ofr_link_init(&at(s, n, p)->link, &shape);
    }
}

static bool same(struct cable_end a, struct cable_end b)
{
    return a.board == b.board && a.port == b.port;
}

static bool pulled(const struct sim *s, struct cable_end here, struct cable_end far, uint64_t cycle)
{
    for (size_t i = 0; i < s->o.pulls; i++) {
        const struct pull *u = &s->pull[i];
        if (cycle >= u->from && cycle < u->to && (same(u->end, here) || same(u->end, far)))
            return true;
    }
    return false;
}

// The word that the cable brings.
static bool arrives(const struct sim *s, struct link_end *e, struct cable_end far, uint64_t cycle,
                    uint64_t *word, uint32_t *lag)
{
    const struct link_end *from = at(s, (uint32_t)far.board, (unsigned)far.port);
    unsigned then = (unsigned)((cycle + LINE - e->delay) % LINE), bits = e->link.shape.flit_bits;
    if (!from->valid[then])
        return false;
    uint64_t wrong = noise_step(&e->noise, &e->rng, bits, false);
    wrong &= bits == 64 ? ~UINT64_C(0) : (UINT64_C(1) << bits) - 1;
    *word = from->word[then] ^ wrong;
    *lag = from->lag[then];
    e->words++;
    e->wrong += wrong != 0;
    return true;
}

static void put(struct link_end *e, uint32_t n, unsigned p, uint64_t word)
{
    if (e->fifo.count == FIFO_WORDS)
        die("the FIFO of the link at port %u of board %" PRIu32 " overflows", p, n);
    e->fifo.word[(e->fifo.head + e->fifo.count++) % FIFO_WORDS] = word;
}

// What comes between two edges of the receiver's clock it has at the second one: `later`.
static void take(struct link_end *e, uint32_t n, unsigned p, bool came, uint64_t word, bool later)
{
    if (e->fifo.waits)
        put(e, n, p, e->fifo.next);
    e->fifo.waits = came && later;
    if (e->fifo.waits)
        e->fifo.next = word;
    else if (came)
        put(e, n, p, word);
}

// A cycle of the receiver's.
static bool get(struct link_end *e, uint64_t *word)
{
    bool rests = e->link.shape.shared && e->fifo.gave;
    e->fifo.gave = e->fifo.count && !rests;
    if (!e->fifo.gave)
        return false;
    *word = e->fifo.word[e->fifo.head];
    e->fifo.head = (e->fifo.head + 1) % FIFO_WORDS;
    e->fifo.older = --e->fifo.count != 0;
    return true;
}

// The word that the physical layer takes from the link is to be sent in this cycle.
static bool takes_word(const struct sim *s, struct link_end *e, bool phase)
{
    if (e->link.shape.shared && !phase)
        return false;
    e->block = (e->block + 1) % BLOCK_WORDS;
    return !s->clocks || e->block != 0;
}

// Something is at the other end of that cable, and runs.
static bool hears(const struct sim *s, uint32_t n, unsigned p, uint64_t cycle)
{
    struct cable_end far = s->peer[n][p];
    return far.board >= 0 && s->link[n][p].phase == LINK_UP &&
           (!s->clocks || (clock_is_on(s, n, cycle) && cycle >= at(s, n, p)->delay &&
                           clock_is_on(s, (uint32_t)far.board, cycle - at(s, n, p)->delay)));
}

void step_links(struct sim *s, uint32_t n, uint64_t cycle, bool run, struct ofr_node_in *in,
                uint64_t *last_flit)
{
    unsigned now = (unsigned)(cycle % LINE);
    uint16_t rank = 0;
    unsigned part = 0;
    uint32_t time = run ? board_time(s->board[n], &rank, &part) : 0;
    const struct ofr_router_out *out = board_out(s->board[n]);
    for (unsigned p = 0; p < 2U * s->o.torus.n; p++) {
        struct link_end *e = at(s, n, p);
        struct cable_end far = s->peer[n][p];
        const struct ofr_link_out *o = &e->link.out;
        uint64_t word = 0;
        uint32_t lag = 0;
        bool up = hears(s, n, p, cycle);
        bool came = up && !pulled(s, (struct cable_end){(int)n, (int)p}, far, cycle) &&
                    arrives(s, e, far, cycle, &word, &lag);
        if (!up) {
            e->fifo.waits = false;
            e->fifo.count = 0;
        }
        if (s->clocks)
            take(e, n, p, came, word, clock_part(s, n) < lag);
        e->valid[now] = false;
        if (!run)
            continue;
        bool late = e->fifo.older;
        if (s->clocks)
            came = get(e, &word);
        link_to_node(o, in, p);
        struct ofr_link_in to = {.enable = true,
                                 .serial = random_of(s->o.seed, n, 0),
                                 .now = (uint64_t)time << 2 | part,
                                 .rank = rank,
                                 .phy_up = up,
                                 .phy_tx_ready = takes_word(s, e, o->phase),
                                 .phy_rx_valid = came,
                                 .phy_rx_word = word,
                                 .phy_rx_late = late};
        link_from_node(out, p, &to);
        e->valid[now] = to.phy_tx_ready;
        e->lag[now] = clock_part(s, n);
        e->word[now] = board_link(s->board[n], p, &to, o);
        if (out->tx[p].valid || !ofr_link_idle(&e->link))
            *last_flit = cycle;
        in->link_tick = ofr_link_tick(&e->link);
        in->link[p] = link_step(&e->link, &to);
    }
}

bool links_are_up(const struct sim *s)
{
    for (uint32_t n = 0; n < s->boards && s->link_end; n++)
        for (unsigned p = 0; p < 2U * s->o.torus.n; p++)
            if (s->peer[n][p].board >= 0 && !at(s, n, p)->link.out.link_up)
                return false;
    return true;
}

bool links_settling(const struct sim *s)
{
    for (size_t i = 0; i < s->o.pulls && s->link_end; i++)
        if (s->cycle >= s->pull[i].from && s->cycle < s->pull[i].to)
            return true;
    for (uint32_t n = 0; n < s->boards && s->link_end; n++)
        for (unsigned p = 0; p < 2U * s->o.torus.n; p++) {
            enum ofr_link_state state = at(s, n, p)->link.out.state;
            if (s->peer[n][p].board >= 0 && state != OFR_LINK_UP && state != OFR_LINK_FAILED)
                return true;
        }
    return false;
}

void say_links(const struct sim *s)
{
    struct ofr_link_counts sum = {0};
    uint64_t words = 0, wrong = 0;
    if (!s->link_end)
        return;
    for (size_t i = 0; i < s->boards * (size_t)OFR_LINKS; i++) {
        const struct link_end *e = &s->link_end[i];
        words += e->words;
        wrong += e->wrong;
        sum.frames += e->link.counts.frames;
        sum.retries += e->link.counts.retries;
        sum.bad += e->link.counts.bad;
        sum.downs += e->link.counts.downs;
    }
    printf("boardsim: links: %" PRIu64 " words, %" PRIu64 " wrong; %" PRIu64
           " frames with flits, %" PRIu64 " damaged frames, %" PRIu64 " retries, %" PRIu64
           " falls\n",
           words, wrong, sum.frames, sum.bad, sum.retries, sum.downs);
}

void close_links(struct sim *s)
{
    free(s->link_end);
}
