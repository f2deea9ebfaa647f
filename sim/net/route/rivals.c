// SPDX-License-Identifier: Apache-2.0
#include "route/rivals.h"

#include <string.h>

#include "config/random.h"

static struct ofr_way minimal(const struct net_paths *paths, const struct ofr_coord *s,
                              const struct ofr_coord *t)
{
    return ofr_way_minimal(&paths->torus, paths->tie == NET_TIE_PLUS ? OFR_TIE_PLUS : OFR_TIE_BOTH,
                           s, t);
}

struct ofr_way net_way_over(const struct net_paths *paths, const struct ofr_coord *s,
                            const struct ofr_coord *t, const struct ofr_coord *q)
{
    struct ofr_way way = minimal(paths, s, q);
    if (!memcmp(q, s, sizeof *q) || !memcmp(q, t, sizeof *q))
        return minimal(paths, s, t);
    way.kind = OFR_OIDN;
    way.q = *q;
    way.distance =
        (uint16_t)(ofr_distance(&paths->torus, s, q) + ofr_distance(&paths->torus, q, t));
    return way;
}

struct ofr_way net_way_in(const struct ofr_coord *t, unsigned orthant)
{
    return (struct ofr_way){
        .kind = NET_ORTHANT, .index = (uint8_t)orthant, .admissible = true, .q = *t};
}

unsigned net_least_used(const struct ofr_load *load, uint32_t ports)
{
    unsigned least = UINT8_MAX;
    for (; ports; ports &= ports - 1) {
        unsigned used = load->used[__builtin_ctz(ports)];
        least = used < least ? used : least;
    }
    return least;
}

struct ofr_way net_rival_way(const struct net_paths *paths, enum net_routing routing,
                             const struct ofr_coord *s, const struct ofr_coord *t, uint64_t draw,
                             const struct ofr_load *load)
{
    const struct ofr_torus *torus = &paths->torus;
    if (routing == NET_GOAL) {
        unsigned orthant = 0;
        for (unsigned i = 0; i < torus->n; i++) {
            unsigned k = torus->k[i], forward = (t->c[i] + k - s->c[i]) % k;
            bool minus = net_below(net_random(draw, DRAW_RIVAL, i, 0), k) < forward;
            orthant |= (unsigned)minus << i;
        }
        return net_way_in(t, orthant);
    }
    struct ofr_coord q = ofr_node_coord(torus, net_below(draw, ofr_nodes(torus)));
    struct ofr_way straight = minimal(paths, s, t), over = net_way_over(paths, s, t, &q);
    if (routing == NET_VALIANT)
        return over;
    unsigned near = net_least_used(load, straight.leave) * straight.distance;
    return near <= net_least_used(load, over.leave) * over.distance ? straight : over;
}
