// SPDX-License-Identifier: Apache-2.0
// The routing relation of the Dragonfly: where a packet may go on. It depends on the router and on
// the packet's header alone, so the deadlock checker enumerates with it what the engine runs.
//
//   minimal: to the router with the global link to the destination's group, over it, to the
//     destination: l-g-l at most.
//   valiant, ugal, pb, par: that, or the same by way of `via`, a group that is neither the source's
//     nor the destination's (l-g-l-g-l at most). A packet within a group has none. It is drawn at
//     the source; par may do so one local hop later, too (l-l-g-l-g-l). A local hop takes the VC of
//     so many global hops as were made, of par one more after a global or local hop; a global hop
//     that of the global hops. So VCs only rise along a way (Guenther, 1981).
//   ofar (Garcia et al., ICPP 2012; the paper's sections 2 and 3): minimal, or misrouted: once in
//     the source's group, over a global link of this router or, after a local hop, of its
//     neighbour; with local misrouting once in every other group, and once within one, over a local
//     link where the minimal hop is local. Any VC will do; with --vc-order hops that of par, the
//     last one for all hops beyond.
//     What waits takes the escape ring, which goes through all routers (in a group from the last to
//     the first, then on over global port 0) in a VC of its own of its links, with --ring physical
//     over links of its own (topology.h), and leaves it for its minimal hop, `ring_exits` times at
//     most before the destination. To enter the ring takes two
//     free slots of a packet, to go on in it one (bubble). What is or was in it is not misrouted.
#ifndef NET_DRAGONFLY_RELATION_H
#define NET_DRAGONFLY_RELATION_H

#include "dragonfly/topology.h"

struct net_df_shape {
    struct net_dragonfly d;
    enum net_routing routing;
    enum net_misrouting misrouting;
    bool local_misrouting, by_hops;
    uint8_t local_vcs, global_vcs, injection_vcs; // an embedded ring's is the one behind them
    uint8_t ring_exits;
};

enum { NET_DF_NO_GROUP = UINT16_MAX };

struct net_df_header {
    uint32_t dst;      // node
    uint16_t src, via; // groups; via: still ahead, or none
    uint8_t globals;   // global hops that were made
    uint8_t locals;    // local hops in this group
    uint8_t exits;     // from the ring
    bool decided;      // a via has been drawn here
    bool misrouted;    // no global misrouting any more
    bool strayed;      // no local misrouting in this group any more
    bool must_global;  // the next hop is over one of this router's global links
    bool ring;
};

enum net_df_kind {
    NET_DF_MINIMAL,   // or towards via
    NET_DF_GLOBAL,    // misrouted over a global link of this router
    NET_DF_NEIGHBOUR, // misrouted to a router whose global links are next
    NET_DF_LOCAL,     // misrouted in the group
    NET_DF_ENTER,     // the ring
    NET_DF_RING,      // on in it
};

// A hop: any of `vcs` virtual channels from `vc` on. To a node: vcs is 0.
struct net_df_way {
    uint8_t port, vc, vcs;
    uint8_t kind;
};

enum { NET_DF_WAYS = 2 * NET_MAX_DRAGONFLY_PORTS };

struct net_df_shape net_df_shape(const struct net_config *config);

// Virtual channels of a port, the ring's included; of a node's: injection VCs.
unsigned net_df_vcs(const struct net_df_shape *shape, unsigned port);

// Whether a port's virtual channel is the ring's.
bool net_df_is_ring(const struct net_df_shape *shape, unsigned port, unsigned vc);

// A new packet's header.
struct net_df_header net_df_begin(const struct net_df_shape *shape, uint32_t src, uint32_t dst);

// The minimal hop, to via or the destination.
struct net_df_way net_df_minimal(const struct net_df_shape *shape, const struct net_df_header *h,
                                 uint32_t router);

// OFAR's misroutes, without the minimal hop's port; with must_global all that there is. injected:
// still at the source's injection queue. Their number.
unsigned net_df_misroutes(const struct net_df_shape *shape, const struct net_df_header *h,
                          uint32_t router, bool injected, struct net_df_way out[NET_DF_WAYS]);

// OFAR's hop along the ring, of kind ENTER or RING.
struct net_df_way net_df_ring(const struct net_df_shape *shape, const struct net_df_header *h,
                              uint32_t router);

// Free slots of a packet that it takes.
unsigned net_df_ring_needs(enum net_df_kind kind);

// Whether a packet in the ring may leave it here.
bool net_df_may_leave(const struct net_df_shape *shape, const struct net_df_header *h,
                      uint32_t router);

// Header after a hop.
struct net_df_header net_df_after(const struct net_df_shape *shape, struct net_df_header h,
                                  uint32_t router, struct net_df_way way);

// Whether a packet may choose a via here, and whether a group may be one.
bool net_df_may_choose(const struct net_df_shape *shape, const struct net_df_header *h,
                       uint32_t router);
bool net_df_may_be_via(const struct net_df_shape *shape, const struct net_df_header *h,
                       uint32_t group);

#endif
