// SPDX-License-Identifier: Apache-2.0
// Cables at the pins of boards with a physical layer (phy_cables.h).
#include "phy_cables.h"

#include "basics.h"
#include "cables.h"
#include "clocks.h"
#include "noise.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_WIRES = 8,
    CYCLES = 256,      // of its sender that a cable remembers, a power of two
    HALF = 1 << 15,    // of a cycle; times are in 1 / 65536 of one
    SKEW = 6,          // halves of a bit by which a wire or the clock may be late
    SPREAD_CYCLES = 8, // that the latest wire may be later, jitter included
    BOUNCES = 24,      // edges of a plug that is put in, in so many cycles:
    BOUNCE_CYCLES = 3,
    BURST_BITS = 40,                                      // mean length
    SEED_CABLES = 48,                                     // of random_of(), from here on
    MOST_EDGES = 2 * 4 * OFR_LINKS + BOUNCES * OFR_LINKS, // in a cycle
};
_Static_assert(CYCLES >= 4 * MAX_LATENCY + SPREAD_CYCLES,
               "a board may be ahead of the one that looks at it");

// What a port puts out in a cycle of its board's clock: data, and its clock falls; half a cycle
// later it rises.
struct sent {
    bool is; // the clock had an edge
    uint8_t data;
    uint64_t at[MOST_WIRES], falls, rises;
};

// A port: what it sends, and the way of what comes to it.
struct phy_end {
    struct sent sent[CYCLES];
    struct rng rng, far_rng;
    struct noise noise; // of what it sends
    uint64_t bits, wrong;
    uint64_t delay[MOST_WIRES + 1]; // of each data wire, of the clock
    unsigned stuck;                 // a bit for each wire that is 0
    // What has come to it: the sender's cycle that is next, of each data wire and of the clock
    bool plugged, fell;
    unsigned bounces; // cycles to go
    uint64_t next[MOST_WIRES + 1];
    uint8_t data;
    bool clk;
};

// What the clock that comes to a port does in a cycle.
struct edge {
    uint64_t at;
    unsigned port;
    bool level;
};

static struct phy_end *at(const struct sim *s, uint32_t n, unsigned p)
{
    return &s->phy_end[n * (size_t)OFR_LINKS + p];
}

static void read_stuck(struct sim *s)
{
    struct cable_end end;
    unsigned wire;
    for (size_t i = 0; i < s->o.stucks; i++) {
        const char *rest = read_end(s, s->o.stuck[i], &end);
        char extra;
        if (!rest || sscanf(rest, ":%u%c", &wire, &extra) != 1 || wire > rtl_board_2_phy.wires)
            die("--stuck %s: write 5.x+:2, a port and the wire, 0 to %u, that brings it nothing; "
                "%u: the clock",
                s->o.stuck[i], rtl_board_2_phy.wires - 1, rtl_board_2_phy.wires);
        at(s, (uint32_t)end.board, (unsigned)end.port)->stuck |= 1U << wire;
    }
}

void open_phy(struct sim *s)
{
    if (!s->o.phy)
        return;
    if (!s->phy_end)
        s->phy_end = allocate(s->boards, OFR_LINKS * sizeof *s->phy_end);
    memset(s->phy_end, 0, s->boards * OFR_LINKS * sizeof *s->phy_end);
    for (uint32_t n = 0; n < s->boards; n++)
        for (unsigned p = 0; p < OFR_LINKS; p++) {
            struct phy_end *e = at(s, n, p);
            e->rng.state = random_of(s->o.seed, n, SEED_CABLES + p);
            e->far_rng.state = random_of(s->o.seed, n, SEED_CABLES + OFR_LINKS + p);
            // A cycle more, in which the board at the other end is no further yet
            uint64_t length = 2 * s->o.latency + 2 + rng_below(&e->rng, 2 * s->o.spread + 1);
            for (unsigned w = 0; w <= MOST_WIRES; w++)
                e->delay[w] = length * HALF + (s->o.jitter ? rng_below(&e->rng, SKEW * HALF + 1)
                                                           : rng_below(&e->rng, SKEW + 1) * HALF);
            noise_error_rate(&e->noise, &e->rng, s->o.bit_errors);
            e->noise.burst_rate = s->o.bursts;
            e->noise.burst_steps = BURST_BITS;
        }
    read_stuck(s);
}

// The sender's cycles up to this one can be looked at.
static uint64_t seen(const struct sim *s, uint64_t cycle)
{
    return cycle - s->o.latency;
}

static void put(struct edge *edge, unsigned *count, uint64_t when, unsigned port, bool level)
{
    unsigned i = (*count)++;
    for (; i && edge[i - 1].at > when; i--)
        edge[i] = edge[i - 1];
    edge[i] = (struct edge){when, port, level};
}

// A plug is put in, or has been pulled.
static bool look_at_plug(const struct sim *s, struct phy_end *e, uint32_t n, unsigned p,
                         uint64_t cycle)
{
    bool plugged = s->peer[n][p].board >= 0 && s->link[n][p].phase == LINK_UP &&
                   cycle > 2 * CYCLES && !(e->stuck >> rtl_board_2_phy.wires & 1);
    if (plugged && !e->plugged) {
        for (unsigned w = 0; w <= MOST_WIRES; w++)
            e->next[w] = seen(s, cycle) - s->o.spread - SPREAD_CYCLES;
        e->fell = true;
        e->bounces = BOUNCE_CYCLES;
    }
    e->plugged = plugged;
    return plugged;
}

// The edges that the clock at a port has in this cycle.
static void find_edges(const struct sim *s, uint32_t n, unsigned p, uint64_t cycle,
                       struct edge *edge, unsigned *count)
{
    struct phy_end *e = at(s, n, p);
    const uint64_t from = cycle << 16, until = from + 2 * HALF;
    if (!look_at_plug(s, e, n, p, cycle)) {
        if (e->clk || e->data)
            put(edge, count, from, p, false);
        e->data = 0;
        return;
    }
    if (e->bounces) {
        e->bounces--;
        for (unsigned i = 0; i < BOUNCES / BOUNCE_CYCLES; i++)
            put(edge, count, from + rng_below(&e->far_rng, 2 * HALF), p, i & 1);
    }
    const struct phy_end *far = at(s, (uint32_t)s->peer[n][p].board, (unsigned)s->peer[n][p].port);
    uint64_t *next = &e->next[MOST_WIRES];
    for (; *next <= seen(s, cycle); ++*next, e->fell = false) {
        const struct sent *t = &far->sent[*next % CYCLES];
        if (!t->is)
            continue;
        uint64_t falls = t->falls + e->delay[MOST_WIRES], rises = t->rises + e->delay[MOST_WIRES];
        if (!e->fell && falls >= until)
            return;
        if (!e->fell && falls >= from)
            put(edge, count, falls, p, false);
        e->fell = true; // it falls only once
        if (rises >= until)
            return;
        if (rises >= from)
            put(edge, count, rises, p, true);
    }
}

// The data wires of a port at that time.
static void move_data(const struct sim *s, uint32_t n, unsigned p, uint64_t cycle, uint64_t when)
{
    struct phy_end *e = at(s, n, p);
    if (!e->plugged)
        return;
    const struct phy_end *far = at(s, (uint32_t)s->peer[n][p].board, (unsigned)s->peer[n][p].port);
    for (unsigned w = 0; w < rtl_board_2_phy.wires; w++)
        for (; e->next[w] <= seen(s, cycle); e->next[w]++) {
            const struct sent *t = &far->sent[e->next[w] % CYCLES];
            if (t->is && t->at[w] + e->delay[w] > when)
                break;
            if (t->is)
                e->data = (uint8_t)((e->data & ~(1U << w)) | (t->data & 1U << w));
        }
    e->data &= (uint8_t)~e->stuck;
}

// What the board puts out with its clock's edge at that time; or that it had none.
static void sends(struct sim *s, uint32_t n, unsigned p, uint64_t cycle, uint64_t when,
                  const uint64_t *out)
{
    const unsigned wires = rtl_board_2_phy.wires;
    const uint64_t mask = (UINT64_C(1) << wires) - 1;
    const uint32_t jitter = s->o.jitter * 4 * HALF / 100;
    struct phy_end *e = at(s, n, p);
    struct sent *t = &e->sent[cycle % CYCLES];
    t->is = out;
    if (!out)
        return;
    uint64_t wrong = noise_step(&e->noise, &e->rng, wires, false) & mask;
    e->bits += wires;
    t->data = (uint8_t)((*out >> (p * wires) & mask) ^ wrong);
    for (unsigned w = 0; w < wires; w++) {
        e->wrong += wrong >> w & 1;
        t->at[w] = when + (jitter ? rng_below(&e->rng, jitter + 1) : 0);
    }
    t->falls = when + (jitter ? rng_below(&e->rng, jitter + 1) : 0);
    t->rises = when + HALF + (jitter ? rng_below(&e->rng, jitter + 1) : 0);
}

void step_phy(struct sim *s, uint32_t n, uint64_t cycle, uint64_t *last_flit)
{
    const unsigned ports = 2U * s->o.torus.n, wires = rtl_board_2_phy.wires;
    const bool on = !s->clocks || clock_is_on(s, n, cycle),
               run = !s->clocks || clock_runs(s, n, cycle);
    const uint64_t mine = (cycle << 16) + (clock_part(s, n) >> 16);
    struct edge edge[MOST_EDGES];
    unsigned count = 0;
    uint64_t out = 0;
    bool stepped = !run;
    for (unsigned p = 0; p < ports && on; p++)
        find_edges(s, n, p, cycle, edge, &count);
    for (unsigned i = 0; i < count || !stepped;) {
        if (!stepped && (i == count || edge[i].at > mine)) {
            out = board_cables(s->board[n]);
            stepped = true;
            continue;
        }
        uint64_t when = edge[i].at;
        for (; i < count && edge[i].at == when; i++) {
            at(s, n, edge[i].port)->clk = edge[i].level;
            move_data(s, n, edge[i].port, cycle, when);
        }
        struct rtl_cable_pins pins = {0};
        for (unsigned p = 0; p < ports; p++) {
            pins.data |= (uint64_t)at(s, n, p)->data << (p * wires);
            pins.clk |= (uint32_t)at(s, n, p)->clk << p;
        }
        board_cables_in(s->board[n], &pins);
    }
    for (unsigned p = 0; p < ports; p++) {
        if (run && board_out(s->board[n])->tx[p].valid)
            *last_flit = cycle;
        sends(s, n, p, cycle, mine, run ? &out : NULL);
    }
    if (s->clocks)
        clock_sees(s, n, cycle);
}

bool phy_is_up(const struct sim *s)
{
    for (uint32_t n = 0; n < s->boards && s->phy_end; n++)
        for (unsigned p = 0; p < 2U * s->o.torus.n; p++)
            if (s->peer[n][p].board >= 0 && !(board_links_up(s->board[n]) >> p & 1))
                return false;
    return true;
}

void say_phy(const struct sim *s)
{
    uint64_t bits = 0, wrong = 0;
    if (!s->phy_end)
        return;
    for (size_t i = 0; i < s->boards * (size_t)OFR_LINKS; i++) {
        bits += s->phy_end[i].bits;
        wrong += s->phy_end[i].wrong;
    }
    printf("boardsim: cables: %" PRIu64 " bits, %" PRIu64 " wrong\n", bits, wrong);
}

void close_phy(struct sim *s)
{
    free(s->phy_end);
}
