// SPDX-License-Identifier: Apache-2.0
#include "flit/relation.h"

struct net_flit_shape net_flit_shape(const struct net_config *c)
{
    struct net_flit_shape s = {.torus = c->torus,
                               .mesh = c->mesh,
                               .duato = c->routing == NET_DUATO,
                               .both = c->tie == NET_TIE_BOTH,
                               .adaptive_first = c->flit.adaptive_first,
                               .classes = 1};
    for (unsigned i = 0; i < c->torus.n && !c->mesh; i++)
        s.classes = c->torus.k[i] > 2 ? 2 : s.classes;
    s.lanes = s.duato ? 1 : (uint8_t)c->flit.lanes;
    s.vcs = (uint8_t)(s.classes * s.lanes + s.duato);
    return s;
}

bool net_flit_link(const struct net_flit_shape *s, const struct ofr_coord *at, unsigned port)
{
    unsigned k = s->torus.k[port / 2], c = at->c[port / 2];
    bool wraps = !s->mesh && k > 2;
    return wraps || (port & 1 ? c > 0 : c + 1 < k);
}

// Minimal directions along a dimension: bit 0 is +, bit 1 is -.
static unsigned minimal(const struct net_flit_shape *s, unsigned dim, unsigned from, unsigned to)
{
    unsigned k = s->torus.k[dim];
    if (from == to)
        return 0;
    if (s->mesh || k <= 2)
        return from < to ? 1 : 2;
    unsigned ahead = (to + k - from) % k;
    return 2 * ahead < k ? 1 : 2 * ahead > k ? 2 : s->both ? 3 : 1;
}

unsigned net_flit_outs(const struct net_flit_shape *s, const struct ofr_coord *at,
                       const struct ofr_coord *to, struct net_flit_out out[NET_FLIT_OUTS])
{
    unsigned count = 0;
    bool lowest = true;
    for (unsigned dim = 0; dim < s->torus.n; dim++) {
        unsigned from = at->c[dim], until = to->c[dim], ways = minimal(s, dim, from, until);
        if (!ways)
            continue;
        bool minus = !(ways & 1); // of the restricted channels: + where both are minimal
        uint8_t port = (uint8_t)(2 * dim + minus);
        struct net_flit_out restricted[NET_MAX_LANES];
        unsigned lanes = lowest ? s->lanes : 0;
        bool wrap_ahead = minus ? from < until : from > until;
        for (unsigned lane = 0; lane < lanes; lane++) {
            unsigned class = s->classes == 2 && !wrap_ahead;
            restricted[lane] =
                (struct net_flit_out){port, (uint8_t)(class * s->lanes + lane), true};
        }
        for (unsigned lane = 0; lane < lanes && !s->adaptive_first; lane++)
            out[count++] = restricted[lane];
        for (unsigned way = 0; way < 2 && s->duato; way++)
            if (ways >> way & 1)
                out[count++] =
                    (struct net_flit_out){(uint8_t)(2 * dim + way), (uint8_t)(s->vcs - 1), false};
        for (unsigned lane = 0; lane < lanes && s->adaptive_first; lane++)
            out[count++] = restricted[lane];
        if (!s->duato)
            return count;
        lowest = false;
    }
    return count;
}
