// SPDX-License-Identifier: Apache-2.0
// The maximum concurrent flow of a pattern: the largest load at which its mean demand fits on the
// links, were it spread over paths at best. No routing accepts more in the long run.
//
// Units: a link carries 1; at load gamma (in gamma0) a node sends gamma 8 / k_max. The links inside
// a node are not looked at.
//
// Both sides of the linear program are solved, and each proves its bound by itself:
//   at least: the flow found, of all demand at load 1, loads no link with more than L: 1 / L.
//   at most: for any lengths l >= 0 of the links, the sum of l over the sum of demand times
//     shortest distance (Shahrokhi and Matula, J. ACM 37, 1990).
// As in Garg and Koenemann (SIAM J. Comput. 37, 2007) lengths are exponential in the links' loads,
// a (load / largest - 1), and flow goes to shortest paths; but it is kept by flow and path, and
// what was put on a path that has become too long is moved to the shortest by a Newton step in the
// sum of the lengths. (Their flows only grow: after 1024 phases, Bit-Reverse at k = 8, 2.6% apart.)
// Paths are looked for at lengths that stay fixed over all flows, which gives the upper bound; a
// grows as soon as it and not the flow's imbalance is what keeps the two apart.
#ifndef NET_LIMIT_H
#define NET_LIMIT_H

#include <stdatomic.h>

#include "limit/demand.h"
#include "limit/shortest.h"

struct net_limit {
    double lower, upper; // gamma0
    uint32_t flows;      // looked at
    uint32_t shifts;     // demand.h
    uint32_t passes;     // in which paths were looked for
    uint64_t paths;      // that carry flow
    const char *wrong;   // NULL, or why there are no bounds: static text
};

// gap: upper / lower - 1 at which to end, above 0. most_passes: end at the latest after so many, 1
// ..; the bounds hold nevertheless. Ends early when *stop is set (may be NULL). progress: 0 .. 1,
// may be NULL. For a configuration that net_config_check takes; message as in net_demand_init.
struct net_limit net_limit(const struct net_config *config, enum net_path_kind kind, int message,
                           double gap, uint32_t most_passes, atomic_bool *stop,
                           _Atomic float *progress);

#endif
