// SPDX-License-Identifier: Apache-2.0
// Cables at the pins of boards with a physical layer (phy_cables.h).
#include "phy_cables.h"

#include "basics.h"
#include "cables.h"
#include "noise.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_WIRES = 8,
    HALVES = 256,     // that a cable remembers, a power of two
    SKEW = 6,         // halves of a bit by which a wire or the clock may be late
    BURST_BITS = 40,  // mean length
    SEED_CABLES = 48, // of random_of(), from here on
};
_Static_assert(HALVES >= 4 * MAX_LATENCY + SKEW,
               "a board may be ahead of the one that looks at it");

// A port: what it sends, and the way of what comes to it.
struct phy_end {
    uint8_t data[HALVES];
    bool clk[HALVES];
    struct rng rng;
    struct noise noise; // of what it sends
    uint64_t bits, wrong;
    unsigned delay[MOST_WIRES + 1]; // halves: of each data wire, of the clock
    unsigned stuck;                 // a bit for each wire that is 0
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
        if (!rest || sscanf(rest, ":%u%c", &wire, &extra) != 1 || wire >= rtl_board_2_phy.wires)
            die("--stuck %s: write 5.x+:2, a port and the wire, 0 to %u, that brings it nothing",
                s->o.stuck[i], rtl_board_2_phy.wires - 1);
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
            unsigned length = 2 * s->o.latency + rng_below(&e->rng, 2 * s->o.spread + 1);
            for (unsigned w = 0; w <= MOST_WIRES; w++)
                e->delay[w] = length + rng_below(&e->rng, SKEW + 1);
            noise_error_rate(&e->noise, &e->rng, s->o.bit_errors);
            e->noise.burst_rate = s->o.bursts;
            e->noise.burst_steps = BURST_BITS;
        }
    read_stuck(s);
}

// What the cable brings to a port in that half of a cycle.
static void arrives(const struct sim *s, uint32_t n, unsigned p, uint64_t half,
                    struct rtl_cable_pins *pins)
{
    struct cable_end far = s->peer[n][p];
    const unsigned wires = rtl_board_2_phy.wires;
    const struct phy_end *e = at(s, n, p);
    if (far.board < 0 || s->link[n][p].phase != LINK_UP)
        return;
    const struct phy_end *from = at(s, (uint32_t)far.board, (unsigned)far.port);
    for (unsigned w = 0; w < wires; w++) {
        uint64_t bit = from->data[(half - e->delay[w]) % HALVES] >> w & 1;
        if (!(e->stuck >> w & 1))
            pins->data |= bit << (p * wires + w);
    }
    pins->clk |= (uint32_t)from->clk[(half - e->delay[MOST_WIRES]) % HALVES] << p;
}

// What the board puts out from the middle of this cycle on.
static void sends(struct sim *s, uint32_t n, unsigned p, uint64_t cycle, uint64_t out)
{
    const unsigned wires = rtl_board_2_phy.wires;
    const uint64_t mask = (UINT64_C(1) << wires) - 1;
    struct phy_end *e = at(s, n, p);
    uint64_t wrong = noise_step(&e->noise, &e->rng, wires, false) & mask;
    e->bits += wires;
    for (unsigned w = 0; w < wires; w++)
        e->wrong += wrong >> w & 1;
    uint8_t data = (uint8_t)((out >> (p * wires) & mask) ^ wrong);
    unsigned half = (2 * cycle + 1) % HALVES;
    e->data[half] = e->data[(half + 1) % HALVES] = data;
    e->clk[half] = false;
    e->clk[(half + 1) % HALVES] = true;
}

void step_phy(struct sim *s, uint32_t n, uint64_t cycle, uint64_t *last_flit)
{
    struct rtl_cable_pins half[2] = {{0}, {0}};
    const unsigned ports = 2U * s->o.torus.n;
    for (unsigned p = 0; p < ports; p++)
        for (unsigned i = 0; i < 2; i++)
            arrives(s, n, p, 2 * cycle + i, &half[i]);
    for (unsigned p = 0; p < ports; p++) {
        const struct ofr_flit *tx = &board_out(s->board[n])->tx[p];
        if (tx->valid)
            *last_flit = cycle;
    }
    uint64_t out = board_cables(s->board[n], half);
    for (unsigned p = 0; p < ports; p++)
        sends(s, n, p, cycle, out);
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
