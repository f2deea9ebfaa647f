// SPDX-License-Identifier: Apache-2.0
// Rivals of OFR in the literature: the way is drawn for every packet at its source. All run on the
// same router: adaptive among the leg's directions, escape in dimension order.
//
//   Valiant  over a node drawn from all (Valiant and Brebner, STOC 1981), on minimal legs
//   GOAL     in each dimension one direction for good, f hops away with probability (k - f)/k:
//   short
//            ways the more likely (Singh, Dally, Gupta, Towles, ISCA 2003)
//   UGAL     minimal, or over a drawn node where used slots times hops are less there (Singh's
//            thesis, Stanford 2005); used: the least of the leg's first links
#ifndef NET_RIVALS_H
#define NET_RIVALS_H

#include "route/paths.h"

static inline bool net_is_rival(enum net_routing routing)
{
    return routing == NET_VALIANT || routing == NET_GOAL || routing == NET_UGAL;
}

// The way over node q: of kind OFR_OIDN, or the minimal one where q is s or t.
struct ofr_way net_way_over(const struct net_paths *paths, const struct ofr_coord *s,
                            const struct ofr_coord *t, const struct ofr_coord *q);

// The way in an orthant: bit i: - in dimension i.
struct ofr_way net_way_in(const struct ofr_coord *t, unsigned orthant);

// Slots in use of the link that has least of some.
unsigned net_least_used(const struct ofr_load *load, uint32_t ports);

// A packet's way from s to t, s != t, by 64 drawn bits. load: of s; UGAL's.
struct ofr_way net_rival_way(const struct net_paths *paths, enum net_routing routing,
                             const struct ofr_coord *s, const struct ofr_coord *t, uint64_t draw,
                             const struct ofr_load *load);

#endif
