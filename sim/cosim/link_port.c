// SPDX-License-Identifier: Apache-2.0
#include "link_port.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

enum { LATE_HEADERS = 3, QUIET = 4 }; // cycles: the link contract of rtl/README.md

static void fail(struct port *p, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (!p->error[0])
        vsnprintf(p->error, sizeof p->error, format, args);
    va_end(args);
}

static uint64_t content(const struct port *p, uint64_t id, unsigned at)
{
    struct rng rng = {id * 4099 + at};
    uint64_t word = rng_next(&rng);
    return p->shape.flit_bits == 64 ? word : word & ((UINT64_C(1) << p->shape.flit_bits) - 1);
}

void port_init(struct port *p, const struct ofr_link_shape *shape, uint64_t seed)
{
    memset(p, 0, sizeof *p);
    p->rng.state = seed;
    p->shape = *shape;
    p->down_for = LATE_HEADERS + 1;
}

bool port_idle(const struct port *p)
{
    bool idle = p->out_left == 0;
    for (unsigned v = 0; v < OFR_VCS; v++)
        idle = idle && p->ledger[v].count == 0 && p->slots[v] == 0;
    return idle;
}

void port_reset(struct port *p, struct port *peer)
{
    p->was_reset = peer->was_reset = true;
    p->trained = false;
    p->out_left = 0;
    p->shown = false;
    p->down_for = LATE_HEADERS + 1;
    peer->totals.gone += p->in_at != 0;
    p->in_at = p->quiet = 0;
    for (unsigned v = 0; v < OFR_VCS; v++) {
        p->sent[v] = p->received[v] = p->freed[v] = 0;
        p->slots[v] = 0;
    }
}

// --- Sender --------------------------------------------------------------------------------------

static void begin_packet(struct port *p, const struct ofr_link_out *link, uint64_t cycle)
{
    unsigned v = rng_below(&p->rng, OFR_VCS);
    unsigned used = (p->sent[v] - link->tx_credit[v]) & 15;
    if (used >= p->shape.slots || p->ledger[v].count == PORT_QUEUE)
        return;
    p->out = (struct port_packet){.id = rng_next(&p->rng),
                                  .begun = cycle,
                                  .length = p->length_min +
                                            rng_below(&p->rng, p->length_max - p->length_min + 1),
                                  .poison = rng_below(&p->rng, 64) == 0};
    p->out_left = p->out.length;
    p->out_vc = v;
    p->sent[v] = (p->sent[v] + 1) & 15;
    unsigned at = (p->ledger[v].first + p->ledger[v].count++) % PORT_QUEUE;
    p->ledger[v].packet[at] = p->out;
    p->totals.sent++;
}

// What the other end has not received by now is lost.
static void rebase(struct port *p, const struct ofr_link_out *link)
{
    for (unsigned v = 0; v < OFR_VCS; v++) {
        unsigned lost = (p->sent[v] - link->tx_credit[v]) & 15;
        if (!p->was_reset && lost != p->ledger[v].count)
            fail(p, "%u packets lost on VC %u, of which re-basing counts %u", p->ledger[v].count, v,
                 lost);
        p->sent[v] = p->base[v] = link->tx_credit[v];
        p->totals.lost += p->ledger[v].count;
        p->ledger[v].count = 0;
    }
}

// The link rises. Before that it may re-base to what a board said that has been reset since, and it
// may rise by that, too: until the board has trained anew it was of before the reset.
static void rise(struct port *p, const struct port *peer)
{
    if (!peer->trained)
        return;
    for (unsigned v = 0; v < OFR_VCS; v++)
        if (p->base[v] != peer->received[v])
            fail(p, "re-based to %u packets on VC %u, received: %u", p->base[v], v,
                 peer->received[v]);
    p->was_reset = false;
}

static void send(struct port *p, const struct ofr_link_out *link, struct ofr_link_in *in,
                 uint64_t cycle)
{
    p->down_for = link->link_up ? 0 : p->down_for + (p->down_for <= LATE_HEADERS);
    if (p->out_left == 0 && p->down_for <= LATE_HEADERS && !p->stopped &&
        rng_chance(&p->rng, p->start_permille))
        begin_packet(p, link, cycle);
    if (p->out_left && !p->shown)
        p->shown = p->out_left == p->out.length || !rng_chance(&p->rng, p->gap_permille);
    in->tx = (struct ofr_flit){0};
    if (!p->shown)
        return;
    in->tx.valid = true;
    in->tx.vc = (uint8_t)p->out_vc;
    in->tx.data = content(p, p->out.id, p->out.length - p->out_left);
    in->tx.last = p->out_left == 1;
    in->tx.poison = in->tx.last && p->out.poison;
    if (link->tx_ready) {
        p->out_left--;
        p->shown = false;
    }
}

// --- Receiver ------------------------------------------------------------------------------------

static void take_header(struct port *p, struct port *peer, unsigned v, uint64_t cycle,
                        unsigned latency)
{
    if (v >= OFR_VCS || peer->ledger[v].count == 0) {
        fail(p, "a packet on VC %u that was not sent", v);
        return;
    }
    p->in = peer->ledger[v].packet[peer->ledger[v].first];
    p->in_vc = v;
    peer->ledger[v].first = (peer->ledger[v].first + 1) % PORT_QUEUE;
    peer->ledger[v].count--;
    p->received[v] = (p->received[v] + 1) & 15;
    uint64_t took = cycle - p->in.begun - latency;
    p->totals.latency_sum += took;
    if (took > p->totals.latency_max)
        p->totals.latency_max = took;
    if (p->slots[v] == p->shape.slots)
        fail(p, "more than %u packets on VC %u", p->shape.slots, v);
    else
        p->waiting[v][p->slots[v]++] = 1 + rng_below(&p->rng, p->hold);
}

static void take(struct port *p, struct port *peer, const struct ofr_link_out *link, uint64_t cycle,
                 unsigned latency)
{
    const struct ofr_flit *f = &link->rx;
    p->quiet -= p->quiet > 0;
    if (link->rx_abort) {
        if (!link->link_up)
            fail(p, "an abort after the link fell");
        p->quiet = QUIET;
        peer->totals.cut += p->in_at != 0;
        p->in_at = 0;
        if (f->valid)
            fail(p, "a flit with an abort");
        return;
    }
    if (!f->valid)
        return;
    if (p->quiet || !link->link_up)
        fail(p, "a flit on a link that is down, or too soon after an abort");
    if (p->in_at == 0)
        take_header(p, peer, f->vc, cycle, latency);
    if (p->error[0])
        return;
    bool last = ++p->in_at == p->in.length;
    if (f->vc != p->in_vc || f->data != content(p, p->in.id, p->in_at - 1) || f->last != last ||
        f->poison != (last && p->in.poison))
        fail(p, "flit %u of %u on VC %u: data %" PRIx64 ", last %d, poison %d", p->in_at,
             p->in.length, f->vc, f->data, f->last, f->poison);
    p->totals.flits++;
    if (last) {
        p->in_at = 0;
        peer->totals.delivered++;
    }
}

void port_step(struct port *p, struct port *peer, const struct ofr_link_out *link,
               struct ofr_link_in *in, uint64_t cycle, unsigned latency)
{
    for (unsigned v = 0; v < OFR_VCS; v++) {
        in->rx_credit[v] = p->freed[v];
        in->rx_received[v] = p->received[v];
    }
    if (link->tx_rebase) {
        rebase(p, link);
        p->trained = true;
    }
    if (link->link_up && !p->was_up)
        rise(p, peer);
    p->was_up = link->link_up;
    send(p, link, in, cycle);
    take(p, peer, link, cycle, latency);
    for (unsigned v = 0; v < OFR_VCS; v++)
        // The oldest goes first, and only whole
        if (p->slots[v] && !(p->slots[v] == 1 && p->in_at && p->in_vc == v) &&
            --p->waiting[v][0] == 0) {
            memmove(&p->waiting[v][0], &p->waiting[v][1], sizeof p->waiting[v][0] * 15);
            p->slots[v]--;
            p->freed[v] = (p->freed[v] + 1) & 15;
        }
}
