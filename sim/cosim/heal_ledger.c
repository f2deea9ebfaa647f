// SPDX-License-Identifier: Apache-2.0
// The ledger of heal.c: knows every packet by source and SEQ, and where it is; it follows their
// heads from pin to pin. No packet may come twice, or other than it was sent; what has not come was
// discarded by a router that counted it, was on a link that fell, which the two ends' counts tell
// as well, or on a board that was reset.
#include "heal.h"

#include "packet.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_LATE = 16, // cycles for which a router may go on to begin packets for a dead link
    UNKNOWN = -1,
};

static int32_t id_of(const struct heal *r, uint64_t flit1)
{
    struct ofr_header h = ofr_header_unpack(flit1 << 32);
    struct ofr_coord c = {{h.source & 15, h.source >> 4 & 15, h.source >> 8 & 15}};
    for (unsigned d = 0; d < r->torus.n; d++)
        if (c.c[d] >= r->torus.k[d])
            return UNKNOWN;
    if (h.seq >= HEAL_SEQS || h.kind != OFR_PKT_KIND_GEN)
        return UNKNOWN;
    return (int32_t)(ofr_node_id(&r->torus, &c) * HEAL_SEQS + h.seq);
}

static void see_injected(struct heal *r, uint32_t n, const struct ofr_flit *f)
{
    struct heal_pins *l = &r->li[n];
    if (l->index == 1) {
        int32_t id = id_of(r, f->data);
        if (id == UNKNOWN || r->packet[id].state != NONE)
            heal_fail(r, "node %u begins a packet that was there before", n);
        else
            r->packet[id] = (struct heal_packet){.state = INSIDE, .where = (uint16_t)n};
        r->injected++;
    }
    l->index = f->last ? 0 : l->index + 1;
}

// A packet leaves: which one it is stands in its second flit.
static void see_sent(struct heal *r, uint32_t n, unsigned p, const struct ofr_flit *f)
{
    struct heal_pins *t = &r->tx[heal_port(r, n, p)];
    struct heal_link *l = &r->link[heal_port(r, n, p)];
    if (t->index == 0) {
        if (l->count == HEAL_QUEUE)
            heal_fail(r, "node %u, port %u: too many packets on the link", n, p);
        if (l->down > MOST_LATE)
            heal_fail(r, "node %u begins a packet at port %u, whose link fell %u cycles ago", n, p,
                      l->down);
        unsigned at = (l->first + l->count++) % HEAL_QUEUE;
        t->began = r->cycle;
        l->head[at] = UNKNOWN;
        l->vc[at] = f->vc;
        l->sent[f->vc] = (l->sent[f->vc] + 1) & 15;
    } else if (t->index == 1) {
        int32_t id = id_of(r, f->data);
        struct heal_packet *k = &r->packet[id == UNKNOWN ? 0 : id];
        if (id != UNKNOWN && k->state == INSIDE && k->where == n) {
            k->state = LINKED;
            k->where = (uint16_t)heal_port(r, n, p);
            // The far end may have its head already, and may have been reset with it
            if (l->count)
                l->head[(l->first + l->count - 1) % HEAL_QUEUE] = id;
            else
                k->excused |= t->began <= r->reset_at && (int)heal_far(r, n, p) == r->board;
        }
    }
    t->index = f->last ? 0 : t->index + 1;
}

static void see_received(struct heal *r, uint32_t n, unsigned p, const struct ofr_flit *f)
{
    size_t from = heal_port(r, heal_far(r, n, p), p ^ 1);
    struct heal_pins *t = &r->rx[heal_port(r, n, p)];
    struct heal_link *l = &r->link[from];
    if (t->index == 0) {
        if (!l->count) {
            heal_fail(r, "node %u, port %u: a packet comes that was not sent", n, p);
            return;
        }
        t->id = l->head[l->first];
        l->first = (l->first + 1) % HEAL_QUEUE;
        l->count--;
        if (t->id != UNKNOWN)
            r->packet[t->id] = (struct heal_packet){
                .state = INSIDE, .where = (uint16_t)n, .excused = r->packet[t->id].excused};
    } else if (t->index == 1) {
        int32_t id = id_of(r, f->data);
        struct heal_packet *k = &r->packet[id == UNKNOWN ? 0 : id];
        if (t->id == UNKNOWN && id != UNKNOWN && k->state == LINKED && k->where == from)
            *k = (struct heal_packet){.state = INSIDE, .where = (uint16_t)n, .excused = k->excused};
        else if (t->id != id && !(f->last && f->poison))
            heal_fail(r, "node %u, port %u: another packet comes than was sent", n, p);
        t->id = id;
    }
    t->index = f->last ? 0 : t->index + 1;
}

static void see_cut(struct heal *r, uint32_t n, unsigned p)
{
    struct heal_pins *t = &r->rx[heal_port(r, n, p)];
    r->headless[n] += t->index == 1;
    t->index = 0;
}

static void see_delivered(struct heal *r, uint32_t n, const struct ofr_flit *f)
{
    struct heal_pins *l = &r->lo[n];
    if (l->index == 1)
        l->id = id_of(r, f->data);
    l->index++;
    if (!f->last)
        return;
    struct heal_packet *k = &r->packet[l->id == UNKNOWN ? 0 : l->id];
    bool good = l->index > 1 && l->id != UNKNOWN && k->state == INSIDE && k->where == n;
    if (!good && !f->poison)
        heal_fail(r, "node %u: a packet is delivered that is not there, for the second time%s", n,
                  l->id != UNKNOWN && k->state == DELIVERED ? "" : " or never sent");
    if (good)
        k->state = f->poison ? POISONED : DELIVERED;
    r->poisoned += f->poison;
    r->delivered += !f->poison;
    if (good && !f->poison) {
        uint32_t source = (uint32_t)l->id / HEAL_SEQS;
        size_t pair = (size_t)source * r->nodes + n;
        uint64_t gap = r->cycle - r->last[pair];
        if (!r->needs[pair] && gap > r->most_gap)
            r->most_gap = gap;
        r->last[pair] = r->cycle;
        for (unsigned i = 0; i < 2; i++) {
            uint32_t node = i ? n : source;
            gap = r->cycle - r->last_from[i * r->nodes + node];
            if (gap > r->most_wait && (int)node != r->board)
                r->most_wait = gap;
            r->last_from[i * r->nodes + node] = r->cycle;
        }
    }
    l->index = 0;
}

// The link is trained anew: what was on it is lost, as many as its two routers' counts tell.
static void see_rebased(struct heal *r, uint32_t n, unsigned p, const uint8_t base[OFR_VCS])
{
    struct heal_link *l = &r->link[heal_port(r, n, p)];
    unsigned left[OFR_VCS] = {0};
    for (; l->count; l->count--) {
        int32_t id = l->head[l->first];
        left[l->vc[l->first]]++;
        l->first = (l->first + 1) % HEAL_QUEUE;
        if (id != UNKNOWN && r->packet[id].state == LINKED)
            r->packet[id].state = LOST;
        r->lost++;
    }
    for (unsigned v = 0; v < OFR_VCS; v++) {
        unsigned counted = (l->sent[v] + 16U - base[v]) & 15;
        bool reset = (int)n == r->board || (int)heal_far(r, n, p) == r->board;
        if (counted != left[v] && !reset)
            heal_fail(r, "node %u, port %u: %u packets were lost on VC %u, its ends count %u", n, p,
                      left[v], v, counted);
        l->sent[v] = base[v];
    }
}

void heal_see(struct heal *r)
{
    for (uint32_t n = 0; n < r->nodes; n++) {
        if (r->off[n])
            continue;
        const struct ofr_router_in *in = &r->in[n];
        const struct ofr_router_out *out = r->out[n];
        struct ofr_flit li = ofr_local_out(&r->node[n].local, &r->node[n].config);
        if (out->lo.valid)
            see_delivered(r, n, &out->lo);
        if (li.valid && out->li_ready[li.vc])
            see_injected(r, n, &li);
        for (unsigned p = 0; p < r->ports; p++) {
            struct heal_link *l = &r->link[heal_port(r, n, p)];
            if (in->rx_abort[p])
                see_cut(r, n, p);
            if (in->rx[p].valid)
                see_received(r, n, p, &in->rx[p]);
            if (in->tx_rebase[p])
                see_rebased(r, n, p, in->tx_base[p]);
            if (out->tx[p].valid && in->tx_ready[p])
                see_sent(r, n, p, &out->tx[p]);
            l->down = in->link_up[p] ? 0 : l->down + 1;
            l->fell |= !in->link_up[p];
        }
    }
}

void heal_see_off(struct heal *r, uint32_t x)
{
    // What it was sending has gone on with its head alone
    for (size_t i = 0; i < (size_t)r->nodes * HEAL_SEQS; i++) {
        struct heal_packet *k = &r->packet[i];
        uint32_t from = k->where / r->ports, to = 0;
        if (k->state == LINKED)
            to = heal_far(r, from, k->where % r->ports);
        k->excused |=
            (k->state == INSIDE && k->where == x) || (k->state == LINKED && (from == x || to == x));
    }
    for (unsigned p = 0; p < r->ports; p++) {
        const struct heal_pins *rx = &r->rx[heal_port(r, heal_far(r, x, p), p ^ 1)];
        if (rx->index && rx->id != UNKNOWN)
            r->packet[rx->id].excused = true;
        r->tx[heal_port(r, x, p)].index = r->rx[heal_port(r, x, p)].index = 0;
        memset(r->link[heal_port(r, x, p)].sent, 0, OFR_VCS);
    }
    r->li[x].index = r->lo[x].index = 0;
}

// Every pair that there may be has had a packet since then.
void heal_all_flow(struct heal *r, uint64_t since)
{
    for (uint32_t s = 0; s < r->nodes; s++)
        for (uint32_t t = 0; t < r->nodes; t++) {
            bool away = r->off[s] || r->off[t];
            if (s == t || away || r->last[s * r->nodes + t] >= since)
                continue;
            // Two cables may leave a pair without a way (around.h)
            if (r->entry[s * r->nodes + t] >> OFR_PINS_DATA_MODE_LSB ==
                OFR_PINS_DATA_MODE_UNREACHABLE)
                continue;
            heal_fail(r, "no packet from node %u to node %u for %" PRIu64 " cycles%s", s, t,
                      r->cycle - since,
                      r->needs[s * r->nodes + t] ? "" : ", which do not need what is lost");
        }
}

// Each packet that is not delivered is accounted for.
void heal_account(struct heal *r)
{
    uint64_t *stuck = calloc(r->nodes, sizeof *stuck), twice = 0, headless = 0, cut = 0;
    if (!stuck)
        abort();
    for (uint32_t n = 0; n < r->nodes; n++)
        headless += r->headless[n];
    for (size_t i = 0; i < (size_t)r->nodes * HEAL_SEQS; i++) {
        const struct heal_packet *k = &r->packet[i];
        bool missing = k->state == INSIDE || k->state == LINKED || k->state == LOST;
        cut += k->state == LINKED && !k->excused;
        if (k->state == LOST && !r->link[k->where].fell)
            heal_fail(r, "a packet is lost on a link that did not fall");
        if (missing && k->excused)
            r->excused++;
        else if (k->state == INSIDE)
            stuck[k->where]++;
    }
    if (cut > headless)
        heal_fail(r, "%" PRIu64 " packets are on links that are empty", cut);
    for (uint32_t n = 0; n < r->nodes; n++) {
        uint64_t counted = heal_discarded(r, n) + r->discarded[n];
        bool reset = (int)n == r->board;
        // Excused ones may have been discarded, too
        if (stuck[n] > counted + headless || (!reset && counted > stuck[n] + headless + r->excused))
            heal_fail(r, "node %u: %" PRIu64 " packets ended there, %" PRIu64 " were discarded", n,
                      stuck[n], counted);
        twice += r->node[n].local.check.errors;
    }
    if (twice)
        heal_fail(r, "%" PRIu64 " packets came damaged", twice);
    free(stuck);
}
