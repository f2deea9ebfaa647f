// SPDX-License-Identifier: Apache-2.0
// Boards with clocks of their own. Time goes on in cycles of the fastest clock that there could be;
// a slower board leaves one out now and then. Reliable links cross from clock to clock in their
// physical layer (reliable.c). With plain ones there is an elastic buffer between two boards, at
// the far end of the cable: it takes a flit that its sender has sent in a cycle of its own, and
// gives one in each cycle of its receiver's. Its `ready` falls while there is still room for what
// can be on the way: the cable's length there and back. Credits are cumulative, so it does no harm
// that a count shown for one cycle is not seen.
#include "clocks.h"

#include "basics.h"
#include "falls.h"
#include "ledger.h"

#include <inttypes.h>
#include <string.h>

enum {
    ON_WITHIN = 8192,            // cycles in which all boards are switched on
    DEPTH = 4 * MAX_LATENCY + 4, // flits: what it keeps, and what can be on the way
};

struct elastic {
    struct ofr_flit flit[DEPTH];
    unsigned head, count;
};

struct clocks {
    uint64_t on;            // the cycle in which it is switched on
    uint32_t slow, part;    // of 2^32 cycles it leaves so many out; sum so far, modulo 2^32
    uint64_t snapshots, at; // it has made, and in which cycle the latest
    struct elastic in[OFR_LINKS];
};

void start_clocks(struct sim *s)
{
    double fastest = 1 + 1e-6 * s->o.ppm;
    if (!s->clocks)
        s->clocks = allocate(s->boards, sizeof *s->clocks);
    memset(s->clocks, 0, s->boards * sizeof *s->clocks);
    for (uint32_t n = 0; n < s->boards; n++) {
        struct clocks *c = &s->clocks[n];
        double ppm = s->o.ppm * (2 * (double)(random_of(s->o.seed, n, 1) >> 11) * 0x1p-53 - 1);
        c->slow = (uint32_t)(0x1p32 * (1 - (1 + 1e-6 * ppm) / fastest));
        c->part = (uint32_t)random_of(s->o.seed, n, 2);
        c->on = s->cycle + random_of(s->o.seed, n, 3) % ON_WITHIN;
    }
}

bool clocks_run(const struct sim *s)
{
    for (uint32_t n = 0; n < s->boards; n++)
        if (s->cycle < s->clocks[n].on + s->o.latency)
            return false;
    return true;
}

bool clock_is_on(const struct sim *s, uint32_t n, uint64_t cycle)
{
    return cycle >= s->clocks[n].on;
}

bool clock_runs(struct sim *s, uint32_t n, uint64_t cycle)
{
    struct clocks *c = &s->clocks[n];
    uint32_t before = c->part;
    if (!clock_is_on(s, n, cycle))
        return false;
    c->part += c->slow;
    return c->part >= before;
}

uint32_t clock_part(const struct sim *s, uint32_t n)
{
    return s->clocks ? s->clocks[n].part : 0;
}

static void put(const struct sim *s, struct elastic *e, const struct ofr_flit *flit, uint32_t n,
                unsigned port)
{
    if (e->count == 4 * s->o.latency + 4)
        die("the elastic buffer at port %u of board %" PRIu32 " overflows", port, n);
    e->flit[(e->head + e->count++) % DEPTH] = *flit;
}

static struct ofr_flit get(struct elastic *e)
{
    struct ofr_flit flit = {.valid = false};
    if (!e->count)
        return flit;
    flit = e->flit[e->head];
    e->head = (e->head + 1) % DEPTH;
    e->count--;
    return flit;
}

void clock_sees(struct sim *s, uint32_t n, uint64_t cycle)
{
    struct clocks *c = &s->clocks[n];
    uint64_t snapshots = board_snapshots(s->board[n]);
    if (snapshots != c->snapshots)
        c->at = cycle;
    c->snapshots = snapshots;
}

void step_own_clock(struct sim *s, uint32_t n, uint64_t cycle, uint64_t *last_flit)
{
    unsigned now = (unsigned)(cycle % LINE);
    unsigned then = (unsigned)((cycle + LINE - s->o.latency) % LINE);
    struct clocks *c = &s->clocks[n];
    struct ofr_node_in *in = &s->in[n];
    const struct ofr_router_out *out = board_out(s->board[n]);
    bool run = clock_runs(s, n, cycle);

    for (unsigned p = 0; p < 2U * s->o.torus.n; p++) {
        struct cable_end far = s->peer[n][p];
        struct line *mine = &s->line[n][p];
        struct elastic *e = &c->in[p];
        if (!link_pins(s, n, p, run, in))
            e->count = 0;
        else if (cycle < c->on || cycle < s->clocks[far.board].on + s->o.latency)
            in->link_up[p] = false;
        if (in->link_up[p]) {
            const struct line *line = &s->line[far.board][far.port];
            if (line->flit[then].valid)
                put(s, e, &line->flit[then], n, p);
            memcpy(in->tx_credit[p], line->credit[then], OFR_VCS);
            in->tx_ready[p] = line->ready[then];
            if (run)
                in->rx[p] = get(e);
            link_brings(s, n, p, &in->rx[p]);
        }
        mine->ready[now] = e->count <= 2 * s->o.latency;
        struct ofr_flit sent = out->tx[p];
        sent.valid = run && sent.valid && in->tx_ready[p];
        ledger_see(s, n, p, &sent);
        mine->flit[now] = link_takes(s, n, p, &sent);
        memcpy(mine->credit[now], out->rx_credit[p], OFR_VCS);
        if (mine->flit[now].valid || in->rx[p].valid || e->count)
            *last_flit = cycle;
    }
    if (run)
        board_step(s->board[n], in);
    if (cycle % FIRMWARE_EVERY == 0 && cycle >= c->on)
        board_poll_firmware(s->board[n]);
    clock_sees(s, n, cycle);
}

uint64_t snapshots_apart(struct sim *s)
{
    uint64_t first = UINT64_MAX, last = 0;
    for (uint32_t n = 0; n < s->boards; n++) {
        clock_sees(s, n, s->cycle); // of a golden board's firmware, between cycles
        first = s->clocks[n].at < first ? s->clocks[n].at : first;
        last = s->clocks[n].at > last ? s->clocks[n].at : last;
    }
    return last - first;
}
