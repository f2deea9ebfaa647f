// SPDX-License-Identifier: Apache-2.0
#include "links.h"

#include "link_report.h"
#include "link_wire.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { BURST_WORDS = 40 };

struct end {
    bool present;
    uint32_t to_node;
    unsigned to_port;
    struct ofr_link model;
    struct link_rtl *rtl;
    struct ofr_link_in in;
    struct wire wire;       // from here
    unsigned pulled, off;   // cycles to go: its cable's plug, its board's reset
    bool notices;           // the physical layer does that the plug is out
    bool wrong_word, wrong; // the word that came last; one of the frame that comes
    uint64_t apart;
    struct links_totals before; // of the time before its last reset
};

struct links {
    struct links_options o;
    struct rng rng;
    uint32_t nodes;
    unsigned ports;
    uint64_t cycle, apart_max;
    bool unseen;
    char error[200];
    uint32_t error_node;
    struct end *end; // [node][port]
};

static struct end *at(const struct links *l, uint32_t node, unsigned port)
{
    return &l->end[(size_t)node * l->ports + port];
}

static struct end *far_end(const struct links *l, const struct end *e)
{
    return at(l, e->to_node, e->to_port);
}

void links_noise(struct links *l, double error_rate, double burst_rate)
{
    for (size_t i = 0; i < (size_t)l->nodes * l->ports; i++) {
        struct wire *w = &l->end[i].wire;
        wire_error_rate(w, error_rate);
        w->noise.burst_rate = burst_rate;
        w->noise.burst_steps = BURST_WORDS;
        w->noise.burst_left = 0;
    }
}

struct links *links_new(const struct links_options *o)
{
    struct links *l = calloc(1, sizeof *l);
    if (!l)
        return NULL;
    l->o = *o;
    l->rng.state = o->seed;
    l->nodes = ofr_nodes(&o->torus);
    l->ports = 2U * o->torus.n;
    l->end = calloc((size_t)l->nodes * l->ports, sizeof *l->end);
    if (!l->end) {
        free(l);
        return NULL;
    }
    for (uint32_t n = 0; n < l->nodes; n++) {
        struct ofr_coord here = ofr_node_coord(&o->torus, n);
        uint32_t exists = ofr_existing_ports(&o->torus, &here);
        for (unsigned p = 0; p < l->ports; p++) {
            struct end *e = at(l, n, p);
            struct ofr_coord to = ofr_neighbour(&o->torus, here, p);
            e->present = exists >> p & 1;
            if (!e->present)
                continue;
            e->to_node = ofr_node_id(&o->torus, &to);
            e->to_port = p ^ 1;
            e->in.enable = true;
            e->in.serial = UINT64_C(0x4f46520000000000) + n;
            ofr_link_init(&e->model, &o->shape);
            wire_init(&e->wire, rng_next(&l->rng), o->shape.flit_bits,
                      1 + rng_below(&l->rng, o->latency));
            e->rtl = o->rtl ? o->rtl->create(rng_next(&l->rng)) : NULL;
            if (o->rtl && !e->rtl) {
                links_free(l);
                return NULL;
            }
        }
    }
    return l;
}

void links_free(struct links *l)
{
    if (!l)
        return;
    for (size_t i = 0; i < (size_t)l->nodes * l->ports; i++)
        if (l->end[i].rtl)
            l->o.rtl->destroy(l->end[i].rtl);
    free(l->end);
    free(l);
}

static void drive_router(const struct end *e, struct ofr_router_in *in, unsigned port)
{
    const struct ofr_link_out *o = &e->model.out;
    in->link_up[port] = o->link_up;
    in->rx[port] = o->rx;
    in->rx_abort[port] = o->rx_abort;
    in->tx_ready[port] = o->tx_ready;
    in->tx_rebase[port] = o->tx_rebase;
    memcpy(in->tx_credit[port], o->tx_credit, OFR_VCS);
    memcpy(in->tx_base[port], o->tx_credit, OFR_VCS);
}

void links_cycle(struct links *l, const struct ofr_router_out *const out[],
                 struct ofr_router_in in[])
{
    for (uint32_t n = 0; n < l->nodes; n++)
        for (unsigned p = 0; p < l->ports; p++) {
            struct end *e = at(l, n, p);
            if (!e->present)
                continue;
            drive_router(e, &in[n], p);
            bool turn = l->o.pace ? l->cycle % l->o.pace == 0 : rng_below(&l->rng, 3) == 0;
            e->in.tx = out[n]->tx[p];
            memcpy(e->in.rx_credit, out[n]->rx_credit[p], OFR_VCS);
            memcpy(e->in.rx_received, out[n]->rx_received[p], OFR_VCS);
            e->in.phy_up = !(e->pulled && e->notices);
            e->in.phy_tx_ready = turn && !e->off && (!l->o.shape.shared || e->model.out.phase);
        }
    for (uint32_t n = 0; n < l->nodes; n++)
        for (unsigned p = 0; p < l->ports; p++) {
            struct end *e = at(l, n, p), *far;
            if (!e->present)
                continue;
            far = far_end(l, e);
            bool comes = wire_step(&e->wire, e->in.phy_tx_ready && !e->pulled,
                                   e->model.out.phy_tx_word, &far->in.phy_rx_word);
            far->in.phy_rx_valid = comes && !e->pulled;
            e->pulled -= e->pulled > 0;
        }
    l->cycle++;
}

static void compare(struct links *l, uint32_t n, unsigned p)
{
    struct end *e = at(l, n, p);
    struct ofr_link_out rtl;
    uint64_t is[2];
    l->o.rtl->out(e->rtl, &rtl);
    const char *pin = link_differs(&rtl, &e->model.out, is);
    if (!pin || l->error[0])
        return;
    l->error_node = n;
    snprintf(l->error, sizeof l->error,
             "node %u, port %u, link: %s is %" PRIx64 " in the RTL, %" PRIx64 " in the model", n, p,
             pin, is[0], is[1]);
}

static void count(struct links_totals *t, const struct end *e)
{
    t->frames += e->model.counts.frames;
    t->bad += e->model.counts.bad;
    t->retries += e->model.counts.retries;
    t->falls += e->model.counts.downs;
}

static void reset_step(struct links *l, struct end *e)
{
    if (--e->off)
        return;
    struct ofr_link_shape shape = l->o.shape;
    count(&e->before, e);
    e->before.falls += e->model.out.link_up;
    ofr_link_init(&e->model, &shape);
    e->wrong = e->wrong_word = false;
    if (e->rtl)
        l->o.rtl->reset(e->rtl);
}

// Whether a frame that the cable has damaged was taken.
static void watch(struct links *l, struct end *e)
{
    bool step = e->model.rx.in && (!l->o.shape.shared || e->model.time & 1);
    e->wrong |= step && e->wrong_word;
    if (e->in.phy_rx_valid)
        e->wrong_word = far_end(l, e)->wire.wrong;
    ofr_link_step(&e->model, &e->in);
    l->unseen |= e->model.rx.good && e->wrong;
    if (ofr_link_between(&e->model))
        e->wrong = false;
}

static bool is_up(const struct end *e)
{
    return e->model.out.state == OFR_LINK_UP && !e->off;
}

void links_step(struct links *l)
{
    for (uint32_t n = 0; n < l->nodes; n++)
        for (unsigned p = 0; p < l->ports; p++) {
            struct end *e = at(l, n, p);
            if (!e->present)
                continue;
            if (e->off) {
                reset_step(l, e);
            } else {
                watch(l, e);
                if (e->rtl)
                    l->o.rtl->step(e->rtl, &e->in);
            }
            if (e->rtl && !e->off)
                compare(l, n, p);
        }
    for (size_t i = 0; i < (size_t)l->nodes * l->ports; i++) {
        struct end *e = &l->end[i];
        e->apart = e->present && is_up(e) != is_up(far_end(l, e)) ? e->apart + 1 : 0;
        if (e->apart > l->apart_max)
            l->apart_max = e->apart;
    }
}

void links_reset(struct links *l, uint32_t node, unsigned cycles)
{
    for (unsigned p = 0; p < l->ports; p++)
        at(l, node, p)->off = cycles;
}

void links_pull(struct links *l, uint32_t node, unsigned port, unsigned cycles)
{
    struct end *e = at(l, node, port);
    if (!e->present)
        return;
    struct end *both[] = {e, far_end(l, e)};
    for (unsigned i = 0; i < 2; i++) {
        both[i]->pulled = cycles;
        both[i]->notices = rng_below(&l->rng, 2);
    }
}

void links_calm(struct links *l)
{
    links_noise(l, 0, 0);
    for (size_t i = 0; i < (size_t)l->nodes * l->ports; i++)
        l->end[i].pulled = 0;
}

bool links_up(const struct links *l)
{
    for (size_t i = 0; i < (size_t)l->nodes * l->ports; i++)
        if (l->end[i].present && (!l->end[i].model.out.link_up || l->end[i].off))
            return false;
    return true;
}

bool links_idle(const struct links *l)
{
    for (size_t i = 0; i < (size_t)l->nodes * l->ports; i++)
        if (l->end[i].present && !ofr_link_idle(&l->end[i].model))
            return false;
    return true;
}

const char *links_error(const struct links *l, uint32_t *node)
{
    *node = l->error_node;
    return l->error[0] ? l->error : NULL;
}

bool links_unseen(const struct links *l)
{
    return l->unseen;
}

bool links_apart(const struct links *l)
{
    return l->apart_max > (UINT64_C(17) << l->o.shape.tick) + 300;
}

struct links_totals links_totals(const struct links *l)
{
    struct links_totals t = {.apart_max = l->apart_max};
    for (size_t i = 0; i < (size_t)l->nodes * l->ports; i++) {
        const struct end *e = &l->end[i];
        if (!e->present)
            continue;
        t.ends++;
        t.words += e->wire.sent;
        t.errors += e->wire.errors;
        t.frames += e->before.frames;
        t.bad += e->before.bad;
        t.retries += e->before.retries;
        t.falls += e->before.falls;
        count(&t, e);
    }
    return t;
}
