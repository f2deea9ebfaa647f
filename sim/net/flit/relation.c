// SPDX-License-Identifier: Apache-2.0
#include "flit/relation.h"

#include "route/relation.h"

struct net_flit_shape net_flit_shape(const struct net_config *c)
{
    struct net_flit_shape s = {.torus = c->torus,
                               .mesh = c->mesh,
                               .both = c->tie == NET_TIE_BOTH,
                               .alternate = c->tie == NET_TIE_ALTERNATE,
                               .adaptive_first =
                                   c->flit.adaptive_first && c->routing != NET_DALLY_SEITZ,
                               .wormhole = c->flit.switching == NET_WORMHOLE,
                               .routing = c->routing,
                               .rule4 = c->flit.rule4,
                               .classes = 1};
    for (unsigned i = 0; i < c->torus.n && !c->mesh; i++)
        s.classes = c->torus.k[i] > 2 ? 2 : s.classes;
    bool unrestricted = c->routing != NET_DALLY_SEITZ;
    s.free = unrestricted ? (uint8_t)c->flit.unrestricted_vcs : 0;
    if (c->routing == NET_CHAOS) {
        s.classes = 0;
        s.free = 1;
    }
    if (net_routing_by_bubble(c->routing)) {
        s.classes = s.lanes = 1;
        s.vcs = NET_VCS;
        return s;
    }
    s.lanes = unrestricted ? 1 : (uint8_t)c->flit.lanes;
    s.vcs = (uint8_t)(s.classes * s.lanes + s.free);
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
    return 2 * ahead < k ? 1 : 2 * ahead > k ? 2 : s->both ? 3 : s->alternate && dim % 2 ? 2 : 1;
}

// Whether the way from `from` to `until` goes over the wrap.
static bool wrap_ahead(bool minus, unsigned from, unsigned until)
{
    return minus ? from < until : from > until;
}

// Dally and Seitz's channels of the lowest dimension, for all lanes.
static unsigned restricted(const struct net_flit_shape *s, unsigned dim, bool minus, unsigned from,
                           unsigned until, struct net_flit_out *out)
{
    unsigned class = s->classes == 2 && !wrap_ahead(minus, from, until);
    for (unsigned lane = 0; lane < s->lanes; lane++)
        out[lane] = (struct net_flit_out){.port = (uint8_t)(2 * dim + minus),
                                          .vc = (uint8_t)(class * s->lanes + lane),
                                          .waits = true};
    return s->lanes;
}

// The unrestricted channels of a port.
static unsigned unrestricted(const struct net_flit_shape *s, unsigned port, bool deroute,
                             struct net_flit_out *out)
{
    for (unsigned i = 0; i < s->free; i++)
        out[i] = (struct net_flit_out){
            .port = (uint8_t)port, .vc = (uint8_t)(s->vcs - s->free + i), .deroute = deroute};
    return s->free;
}

// Triplex's ways of rule 4 by one port: the restricted channels; the unrestricted ones are of rule
// 2 or 3.
static unsigned rule4(const struct net_flit_shape *s, unsigned port, bool deroute,
                      struct net_flit_out *out)
{
    for (unsigned vc = 0; vc + s->free < s->vcs; vc++)
        out[vc] =
            (struct net_flit_out){.port = (uint8_t)port, .vc = (uint8_t)vc, .deroute = deroute};
    return (unsigned)s->vcs - s->free;
}

// Triplex's deroutes; free4: rule 4 holds.
static unsigned deroutes(const struct net_flit_shape *s, const struct ofr_coord *at,
                         const struct ofr_coord *to, unsigned lowest, bool free4,
                         struct net_flit_out *out)
{
    unsigned count = 0;
    for (unsigned port = 0; port < 2u * s->torus.n; port++) {
        unsigned dim = port / 2, ways = minimal(s, dim, at->c[dim], to->c[dim]);
        if (ways >> (port & 1) & 1 || !net_flit_link(s, at, port) || s->torus.k[dim] == 1)
            continue;
        if (dim > lowest || !s->wormhole)
            count += unrestricted(s, port, true, &out[count]);
        if (dim > lowest && free4)
            count += rule4(s, port, true, &out[count]);
    }
    return count;
}

unsigned net_flit_outs(const struct net_flit_shape *s, const struct ofr_coord *at,
                       const struct ofr_coord *to, struct net_flit_out out[NET_FLIT_OUTS])
{
    unsigned count = 0, lowest = s->torus.n;
    bool free4 = false;
    for (unsigned dim = 0; dim < s->torus.n; dim++) {
        unsigned from = at->c[dim], until = to->c[dim], ways = minimal(s, dim, from, until);
        if (!ways)
            continue;
        bool minus = !(ways & 1); // of the restricted channels: + where both are minimal
        bool first = lowest == s->torus.n;
        if (first) {
            lowest = dim;
            free4 = s->routing == NET_TRIPLEX && s->rule4 != NET_RULE4_NONE && minus &&
                    !wrap_ahead(minus, from, until);
        }
        if (first && s->classes && !s->adaptive_first)
            count += restricted(s, dim, minus, from, until, &out[count]);
        if (s->routing == NET_DALLY_SEITZ)
            return count;
        for (unsigned way = 0; way < 2; way++) {
            unsigned port = 2 * dim + way;
            if (!(ways >> way & 1))
                continue;
            count += unrestricted(s, port, false, &out[count]);
            if (free4 && !first && s->rule4 == NET_RULE4_FULL)
                count += rule4(s, port, false, &out[count]);
        }
        if (first && s->classes && s->adaptive_first)
            count += restricted(s, dim, minus, from, until, &out[count]);
    }
    if (s->routing == NET_TRIPLEX && lowest < s->torus.n)
        count += deroutes(s, at, to, lowest, free4, &out[count]);
    return count;
}
