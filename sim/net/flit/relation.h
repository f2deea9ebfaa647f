// SPDX-License-Identifier: Apache-2.0
// The routing relation of the flit engine: at which virtual channels a packet may go on. It depends
// on node and destination alone, so the deadlock checker enumerates with it what the engine runs.
//
//   Dally and Seitz (IEEE TC 36(5), 1987; thesis, 3.1): dimension order, + at distance k/2. Of a
//     ring class 0 as long as the wrap is still ahead, else 1; of a mesh one class. Each class has
//     `lanes` channels, any of which will do.
//   Duato (thesis, 3.1): restricted channels, those of Dally and Seitz with one lane, and one
//     unrestricted channel more in every minimal direction.
//
// Virtual channels of a link: class * lanes + lane; Duato's unrestricted one is the last.
#ifndef NET_FLIT_RELATION_H
#define NET_FLIT_RELATION_H

#include "config/config.h"

enum { NET_FLIT_OUTS = 2 * OFR_MAX_DIMS + NET_MAX_LANES };

struct net_flit_shape {
    struct ofr_torus torus;
    bool mesh, duato, both, adaptive_first;
    uint8_t classes, lanes, vcs; // vcs: of a link
};

struct net_flit_out {
    uint8_t port, vc;
    bool restricted;
};

// In the order of a fixed selection, by dimension. None: `at` is the destination.
typedef unsigned net_flit_relation(const struct net_flit_shape *shape, const struct ofr_coord *at,
                                   const struct ofr_coord *to,
                                   struct net_flit_out out[NET_FLIT_OUTS]);
net_flit_relation net_flit_outs;

struct net_flit_shape net_flit_shape(const struct net_config *config);

// Whether there is a link; a dimension of size 2 is a mesh axis, as in torus.h.
bool net_flit_link(const struct net_flit_shape *shape, const struct ofr_coord *at, unsigned port);

#endif
