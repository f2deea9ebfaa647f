// SPDX-License-Identifier: Apache-2.0
#include "detours.h"

// Sources are of different classes by their places in dimensions of size 2.
static uint32_t class_of(const struct ofr_torus *torus, const struct ofr_coord *s)
{
    uint32_t class = 0;
    for (unsigned i = 0; i < torus->n; i++)
        if (torus->k[i] == 2)
            class = 2 * class + s->c[i];
    return class;
}

static uint32_t classes(const struct ofr_torus *torus)
{
    struct ofr_coord last = {{0}};
    for (unsigned i = 0; i < torus->n; i++)
        last.c[i] = torus->k[i] == 2;
    return class_of(torus, &last) + 1;
}

// Shifted so that s, or from where s, is the first node of its class.
static struct ofr_coord shift(const struct ofr_torus *torus, struct ofr_coord at,
                              const struct ofr_coord *s, bool back)
{
    for (unsigned i = 0; i < torus->n; i++) {
        unsigned k = torus->k[i], c = at.c[i] + (back ? s->c[i] : k - s->c[i]);
        if (k != 2)
            at.c[i] = (uint8_t)(c >= k ? c - k : c);
    }
    return at;
}

size_t ofr_detours_bytes(const struct ofr_torus *torus)
{
    return (size_t)classes(torus) * ofr_nodes(torus) * (sizeof(uint16_t) * OFR_MAX_DETOURS + 1);
}

struct ofr_detours ofr_detours(const struct ofr_torus *torus, enum ofr_tie tie,
                               const struct ofr_table *table, void *memory)
{
    uint32_t nodes = ofr_nodes(torus), all = classes(torus) * nodes;
    struct ofr_detours d = {.torus = torus, .idn = memory};
    d.count = (uint8_t *)(d.idn + all);
    for (uint32_t n = 0; n < nodes; n++) {
        struct ofr_coord s = ofr_node_coord(torus, n), first = shift(torus, s, &s, false);
        uint32_t at = class_of(torus, &s) * nodes;
        for (uint32_t m = 0; ofr_node_id(torus, &first) == n && m < nodes; m++) {
            struct ofr_coord t = ofr_node_coord(torus, m);
            struct ofr_way ways[OFR_MAX_WAYS];
            unsigned count = ofr_ways(torus, tie, &s, &t, table, ways);
            d.count[at + m] = 0;
            for (unsigned i = 1; i < count && ways[0].distance >= 2; i++)
                if (ways[i].admissible)
                    d.idn[at + m][d.count[at + m]++] = (uint16_t)ofr_node_id(torus, &ways[i].q);
        }
    }
    return d;
}

unsigned ofr_detours_of(const struct ofr_detours *d, const struct ofr_coord *s,
                        const struct ofr_coord *t, uint32_t q[OFR_MAX_DETOURS])
{
    struct ofr_coord to = shift(d->torus, *t, s, false);
    uint32_t at = class_of(d->torus, s) * ofr_nodes(d->torus) + ofr_node_id(d->torus, &to);
    for (unsigned i = 0; i < d->count[at]; i++) {
        struct ofr_coord via = ofr_node_coord(d->torus, d->idn[at][i]);
        via = shift(d->torus, via, s, true);
        q[i] = ofr_node_id(d->torus, &via);
    }
    return d->count[at];
}
