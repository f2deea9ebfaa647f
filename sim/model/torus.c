// SPDX-License-Identifier: Apache-2.0
#include "torus.h"

// Coordinate distance going +, 0 .. k - 1.
static unsigned forward(unsigned k, unsigned s, unsigned t)
{
    return t >= s ? t - s : t + k - s;
}

unsigned ofr_dim_distance(const struct ofr_torus *torus, unsigned dim, unsigned s, unsigned t)
{
    unsigned k = torus->k[dim];
    unsigned plus = forward(k, s, t);
    return 2 * plus <= k ? plus : k - plus;
}

unsigned ofr_distance(const struct ofr_torus *torus, const struct ofr_coord *s,
                      const struct ofr_coord *t)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < torus->n; i++)
        sum += ofr_dim_distance(torus, i, s->c[i], t->c[i]);
    return sum;
}

unsigned ofr_dim_minimal(const struct ofr_torus *torus, unsigned dim, unsigned s, unsigned t,
                         enum ofr_tie tie)
{
    unsigned k = torus->k[dim];
    if (s == t)
        return 0;
    if (k == 2) // a mesh axis: node 0 has only +, node 1 only -
        return s == 0 ? 1 : 2;
    unsigned plus = forward(k, s, t);
    if (2 * plus == k)
        return tie == OFR_TIE_BOTH ? 3 : 1;
    return 2 * plus < k ? 1 : 2;
}

uint32_t ofr_minimal_ports(const struct ofr_torus *torus, const struct ofr_coord *s,
                           const struct ofr_coord *t, enum ofr_tie tie)
{
    uint32_t mask = 0;
    for (unsigned i = 0; i < torus->n; i++)
        mask |= (uint32_t)ofr_dim_minimal(torus, i, s->c[i], t->c[i], tie) << (2 * i);
    return mask;
}

uint32_t ofr_existing_ports(const struct ofr_torus *torus, const struct ofr_coord *s)
{
    uint32_t mask = 0;
    for (unsigned i = 0; i < torus->n; i++) {
        uint32_t both = 3;
        if (torus->k[i] < 2)
            both = 0;
        else if (torus->k[i] == 2)
            both = s->c[i] == 0 ? 1 : 2;
        mask |= both << (2 * i);
    }
    return mask;
}

int ofr_escape_port(const struct ofr_torus *torus, const struct ofr_coord *s,
                    const struct ofr_coord *t)
{
    for (unsigned i = 0; i < torus->n; i++) {
        unsigned dirs = ofr_dim_minimal(torus, i, s->c[i], t->c[i], OFR_TIE_PLUS);
        if (dirs)
            return (int)ofr_port(i, dirs == 2);
    }
    return -1;
}

struct ofr_coord ofr_neighbour(const struct ofr_torus *torus, struct ofr_coord s, unsigned port)
{
    unsigned i = port / 2, k = torus->k[i], c = s.c[i];
    if (port % 2)
        c = c == 0 ? k - 1 : c - 1;
    else
        c = c + 1 >= k ? 0 : c + 1;
    s.c[i] = (uint8_t)c;
    return s;
}

bool ofr_inside(const struct ofr_torus *torus, const struct ofr_coord *s)
{
    for (unsigned i = 0; i < torus->n; i++)
        if (s->c[i] >= torus->k[i])
            return false;
    return true;
}

uint32_t ofr_nodes(const struct ofr_torus *torus)
{
    uint32_t nodes = 1;
    for (unsigned i = 0; i < torus->n; i++)
        nodes *= torus->k[i];
    return nodes;
}

uint32_t ofr_node_id(const struct ofr_torus *torus, const struct ofr_coord *s)
{
    uint32_t id = 0;
    for (unsigned i = torus->n; i-- > 0;)
        id = id * torus->k[i] + s->c[i];
    return id;
}

struct ofr_coord ofr_node_coord(const struct ofr_torus *torus, uint32_t id)
{
    struct ofr_coord s = {{0}};
    for (unsigned i = 0; i < torus->n; i++) {
        s.c[i] = (uint8_t)(id % torus->k[i]);
        id /= torus->k[i];
    }
    return s;
}
