// SPDX-License-Identifier: Apache-2.0
#include "around.h"

#include "detours.h"
#include "packet.h"
#include "route.h"

// Of a pair of nodes, with what classes packets get from one to the other
enum { INORDER_SAFE = 1, ADAPTIVE_SAFE = 2 };

struct around {
    const struct ofr_programmed *p;
    uint32_t nodes;
    uint8_t *safe; // [from * nodes + to]
    struct ofr_coord *at;
    struct ofr_detours detours;
};

size_t ofr_around_bytes(const struct ofr_torus *torus)
{
    size_t n = ofr_nodes(torus);
    return ofr_detours_bytes(torus) + n * sizeof(struct ofr_coord) + n * n;
}

static bool is_safe(const struct around *x, uint32_t from, uint32_t to, unsigned how)
{
    return x->safe[(size_t)from * x->nodes + to] & how;
}

// Is `from` safe toward `to`, of which all nodes nearer to it are known?
static unsigned look(const struct around *x, uint32_t from, uint32_t to)
{
    const struct ofr_torus *torus = &x->p->torus;
    const struct ofr_coord *a = &x->at[from], *b = &x->at[to];
    unsigned escape = (unsigned)ofr_escape_port(torus, a, b);
    if (!ofr_link_up(x->p, from, escape))
        return 0;
    struct ofr_coord next = ofr_neighbour(torus, *a, escape);
    unsigned safe = x->safe[(size_t)ofr_node_id(torus, &next) * x->nodes + to];
    uint32_t rest = ofr_route_adaptive(torus, x->p->tie, a, b, OFR_PKT_CLASS_MINIMAL);
    for (; rest && (safe & ADAPTIVE_SAFE); rest &= rest - 1) {
        unsigned port = (unsigned)__builtin_ctz(rest);
        next = ofr_neighbour(torus, *a, port);
        if (ofr_link_up(x->p, from, port) &&
            !is_safe(x, ofr_node_id(torus, &next), to, ADAPTIVE_SAFE))
            safe &= ~(unsigned)ADAPTIVE_SAFE;
    }
    return safe;
}

// Every minimal hop leads nearer, so what is near is known first.
static void find_safe(struct around *x, uint32_t to)
{
    uint8_t *safe = x->safe + to;
    unsigned far = 0;
    safe[(size_t)to * x->nodes] = INORDER_SAFE | ADAPTIVE_SAFE;
    for (unsigned i = 0; i < x->p->torus.n; i++)
        far += x->p->torus.k[i] / 2U;
    for (unsigned d = 1; d <= far; d++)
        for (uint32_t from = 0; from < x->nodes; from++)
            if (ofr_distance(&x->p->torus, &x->at[from], &x->at[to]) == d)
                safe[(size_t)from * x->nodes] = (uint8_t)look(x, from, to);
}

static bool free_is_safe(const struct around *x, uint32_t s, uint32_t t)
{
    uint32_t q[OFR_MAX_DETOURS];
    for (unsigned i = ofr_detours_of(&x->detours, &x->at[s], &x->at[t], q); i-- > 0;)
        if (!is_safe(x, s, q[i], ADAPTIVE_SAFE) || !is_safe(x, q[i], t, ADAPTIVE_SAFE))
            return false;
    return true;
}

// The node to go by, or `nodes`. Where several are as near the pairs share them out.
static uint32_t idn(const struct around *x, uint32_t s, uint32_t t)
{
    uint32_t best = x->nodes, first = (s + t) % x->nodes;
    unsigned shortest = UINT16_MAX;
    for (uint32_t i = 0; i < x->nodes; i++) {
        uint32_t q = first + i < x->nodes ? first + i : first + i - x->nodes;
        if (q == s || q == t || !is_safe(x, s, q, INORDER_SAFE) || !is_safe(x, q, t, INORDER_SAFE))
            continue;
        unsigned d = ofr_distance(&x->p->torus, &x->at[s], &x->at[q]) +
                     ofr_distance(&x->p->torus, &x->at[q], &x->at[t]);
        if (d < shortest) {
            shortest = d;
            best = q;
        }
    }
    return best;
}

static unsigned entry_of(const struct around *x, uint32_t s, uint32_t t)
{
    if (s == t)
        return OFR_PINS_DATA_MODE_FREE << OFR_PINS_DATA_MODE_LSB;
    if (is_safe(x, s, t, ADAPTIVE_SAFE))
        return (free_is_safe(x, s, t) ? OFR_PINS_DATA_MODE_FREE : OFR_PINS_DATA_MODE_MINIMAL)
               << OFR_PINS_DATA_MODE_LSB;
    if (is_safe(x, s, t, INORDER_SAFE))
        return OFR_PINS_DATA_MODE_ESCAPE << OFR_PINS_DATA_MODE_LSB;
    uint32_t q = idn(x, s, t);
    if (q == x->nodes)
        return OFR_PINS_DATA_MODE_UNREACHABLE << OFR_PINS_DATA_MODE_LSB;
    return (unsigned)OFR_PINS_DATA_MODE_IDN << OFR_PINS_DATA_MODE_LSB |
           ofr_coord_word(&x->at[q], 3);
}

uint32_t ofr_around(const struct ofr_programmed *p, uint16_t *entry, void *memory)
{
    uint32_t n = ofr_nodes(&p->torus), unreachable = 0;
    struct around x = {
        .p = p,
        .nodes = n,
    };
    uint8_t *room = (uint8_t *)memory + ofr_detours_bytes(&p->torus);
    x.detours = ofr_detours(&p->torus, p->tie, p->table, memory);
    x.at = (void *)room;
    x.safe = room + n * sizeof *x.at;
    for (uint32_t i = 0; i < n; i++)
        x.at[i] = ofr_node_coord(&p->torus, i);
    for (uint32_t to = 0; to < n; to++)
        find_safe(&x, to);
    for (uint32_t s = 0; s < n; s++)
        for (uint32_t t = 0; t < n; t++) {
            unsigned e = entry_of(&x, s, t);
            entry[(size_t)s * n + t] = (uint16_t)e;
            unreachable += e >> OFR_PINS_DATA_MODE_LSB == OFR_PINS_DATA_MODE_UNREACHABLE;
        }
    return unreachable;
}
