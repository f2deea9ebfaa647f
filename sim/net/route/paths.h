// SPDX-License-Identifier: Apache-2.0
// Which way a packet goes: the ways from s to t of a preset, and the choice among them. Preset
// `ofr` is sim/model/decide.h to the letter; the two others are the paper's text and the author's
// experiment of 2013, read as follows.
//
// Preset ofr-literal: the text as printed. As decide.h, but for
//   - midpoints on the bare coordinates: lambda_i = 0 is floor((s_i + t_i)/2) (eq. 2), a WIDN
//     floor((s_i + t_i + beta_i k_i)/2) mod k_i (eq. 1), whichever way round is shorter;
//   - both rule bits off: eq. 15 without "0 when full", the first term 1 only for u_q = u* = 0;
//   - at distance k/2 only + is minimal.
//
// Preset ofr-2013: the author's experiment. As decide.h, but for
//   - tie `plus`;
//   - the midpoint of a dimension: floor((s+t)/2), or floor(((s+t) mod k)/2) if |s-t| > k/2; its
//     antipode is midpoint + floor(k/2) mod k. (Where the path wraps, this midpoint may be the
//     antipode of the true one.) OIDNs take midpoints, WIDNs all combinations of midpoint and
//     antipode, beta = 0 included, with z running fastest;
//   - n = 3: OIDNs in general position in the order (-1,1,0) (-1,0,1) (1,-1,0) (0,-1,1) (1,0,-1)
//     (0,1,-1); collinear s, t: only (-1,0,0) and (0,-1,0) (the unequal coordinate last);
//   - profit: with F the free adaptive slots summed over the first leg's links and m the number of
//     minimal directions of the second leg (the minimal route: of its only leg), u = C - F/m; F = 0
//     makes the profit 0, else u* = 0 makes the first term 1, else it is u*/u, whatever its sign;
//     u = 0 beats every finite profit;
//   - POR: instead of a WIDN, one of the 2^n orthants, whose directions are kept up to t, with x
//     running fastest; m is 3 for each of them; the escape is VS2.
//
// Option orthants (of no preset): such orthants are candidates after all others, admissible where
// one of their directions is not minimal for (s, t).
#ifndef NET_PATHS_H
#define NET_PATHS_H

#include "config/config.h"

enum { NET_ORTHANT = OFR_WIDN + 1 }; // a way's kind

struct net_paths {
    struct ofr_torus torus;
    enum net_preset preset;
    enum net_tie tie;
    bool derouting; // there are candidates at all
    bool orthants;  // are candidates
    struct ofr_table table;
};

// One leg of a packet's way: what is left of it, seen from where the packet is (or, while it waits
// for a link, from that link's far end).
struct net_leg {
    uint16_t mu; // minimal ports; both of a dimension: at distance k/2, either may go
    uint8_t left[OFR_TABLE_DIMS]; // hops per dimension
};

// A leg as a number: mu in bits 0 .. 15, left[i] from bit 16 + 8 i on.
static inline uint64_t net_pack_leg(struct net_leg leg)
{
    uint64_t packed = leg.mu;
    for (unsigned i = 0; i < OFR_TABLE_DIMS; i++)
        packed |= (uint64_t)leg.left[i] << (16 + 8 * i);
    return packed;
}

static inline uint32_t net_leg_mu(uint64_t leg)
{
    return leg & 0xffff;
}

// The leg after a hop through `port`.
static inline uint64_t net_leg_hop(uint64_t leg, unsigned port)
{
    unsigned left = 16 + 8 * (port / 2);
    leg &= ~((uint64_t)1 << (port ^ 1)); // at k/2 either way was minimal
    leg -= (uint64_t)1 << left;
    return leg & ~((uint64_t) !(leg >> left & 0xff) << port);
}

void net_paths_init(struct net_paths *paths, const struct net_config *config);

// Whether ways depend on where t is from s alone: as from node 0 to t - s, but that q is away from
// node 0, too.
bool net_paths_alike(const struct net_paths *paths);

// How many ways there are at most, of those that are admissible.
unsigned net_paths_most(const struct net_paths *paths);

// Ways from s to t, ways[0] the minimal one; only admissible ones if `prune`, else all, for people
// to see. Returns how many. (Kind NET_ORTHANT: index: bit i is - in dimension i, q = t, arrive =
// m = 3.)
unsigned net_ways(const struct net_paths *paths, const struct ofr_coord *s,
                  const struct ofr_coord *t, bool prune, struct ofr_way ways[OFR_MAX_WAYS]);

// The admissible ones; room for net_paths_most().
unsigned net_ways_kept(const struct net_paths *paths, const struct ofr_coord *s,
                       const struct ofr_coord *t, struct ofr_way *ways);

// Index of the way to take. `draw`, here and below: bit i set takes - in dimension i at distance
// k/2 (NET_TIE_RANDOM; candidates and their admissibility are those of NET_TIE_BOTH, u and the leg
// have the drawn direction only).
unsigned net_choose(const struct net_paths *paths, const struct ofr_load *load,
                    const struct ofr_way *ways, unsigned count, uint32_t draw);

// Profit of an admissible way, d = d(s, t), as a fraction, den >= 0, not reduced; den 0: infinite
// (ofr-2013).
struct net_profit {
    int64_t num, den;
};
struct net_profit net_way_profit(const struct net_paths *paths, const struct ofr_load *load,
                                 const struct ofr_way *way, unsigned d);

// The leg from a to b along minimal directions.
struct net_leg net_leg(const struct net_paths *paths, const struct ofr_coord *a,
                       const struct ofr_coord *b, uint32_t draw);

// The first leg of a way.
struct net_leg net_first_leg(const struct net_paths *paths, const struct ofr_coord *s,
                             const struct ofr_coord *t, const struct ofr_way *way, uint32_t draw);

#endif
