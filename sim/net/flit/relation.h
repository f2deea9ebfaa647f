// SPDX-License-Identifier: Apache-2.0
// The routing relation of the flit engine: at which virtual channels a message may go on. It
// depends on node and destination alone, so the deadlock checker enumerates with it what the engine
// runs.
//
//   At distance k/2 --tie says which direction is minimal: +, both, or + in dimensions 0, 2, ...,
//     - in the others.
//   Dally and Seitz (IEEE TC 36(5), 1987; thesis, 3.1): dimension order, one direction. Of a
//     ring class 0 as long as the wrap is still ahead, else 1; of a mesh one class. Each class has
//     `lanes` channels, any of which will do.
//   Duato (thesis, 3.1): restricted channels, those of Dally and Seitz with one lane, and one
//     unrestricted channel more in every minimal direction (--unrestricted-vcs: several, any of
//     which will do, here and below).
//   Triplex (thesis, 4.6): channels as Duato's. With l the lowest dimension to be corrected:
//     1. Dally and Seitz's restricted channel;
//     2. the unrestricted channel of every minimal direction;
//     3. deroutes: the unrestricted channel of every other direction; with wormhole switching (3w)
//        in dimensions above l only;
//     4. where l is to be corrected in - direction and no wrap of l is ahead (4t, a mesh has none):
//        every channel of every dimension above l. Of the deroutes that are ways of 4, too.
//     A message of the oblivious class takes 1, of the minimal one what is no deroute.
//   Chaos (thesis, 3.1): the one channel of every minimal direction; its deroutes: chaos.h.
//
// Virtual channels of a link: class * lanes + lane; the unrestricted ones are the last.
#ifndef NET_FLIT_RELATION_H
#define NET_FLIT_RELATION_H

#include "config/config.h"

enum {
    NET_FLIT_MAX_PLACES = 64, // virtual channels of a node and one
    NET_FLIT_OUTS = NET_FLIT_MAX_PLACES,
};

struct net_flit_shape {
    struct ofr_torus torus;
    bool mesh, both, alternate, adaptive_first, wormhole;
    enum net_routing routing;
    enum net_rule4 rule4;
    uint8_t classes, lanes; // classes: 0 of Chaos, which waits for no channel
    uint8_t vcs, free;      // of a link; those of them that are not restricted
};

struct net_flit_out {
    uint8_t port, vc;
    bool waits; // Dally and Seitz's: what a message waits for if it gets none
    bool deroute;
};

// In the order of a fixed selection, by dimension; deroutes come last. None: `at` is the
// destination.
typedef unsigned net_flit_relation(const struct net_flit_shape *shape, const struct ofr_coord *at,
                                   const struct ofr_coord *to,
                                   struct net_flit_out out[NET_FLIT_OUTS]);
net_flit_relation net_flit_outs;

struct net_flit_shape net_flit_shape(const struct net_config *config);

// Whether there is a link; a dimension of size 2 is a mesh axis, as in torus.h.
bool net_flit_link(const struct net_flit_shape *shape, const struct ofr_coord *at, unsigned port);

#endif
