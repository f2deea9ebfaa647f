// SPDX-License-Identifier: Apache-2.0
// Can packets wait for each other in a circle on the Dragonfly? A static check of the relation that
// runs (relation.h): all headers that a packet may have at each router, whatever was chosen on its
// way, are followed from every source to every destination.
//
// Virtual cut-through: a packet is in one buffer and waits for one ahead. Vertices are the input
// VCs of links; an edge leads from where a packet may be to what it waits for: its minimal hop's
// VC, of OFAR the escape ring's, which it may enter from any buffer. Acyclic, or for the ring: a
// cycle by itself which nothing enters without two free slots (cyclic but escapable), so that a
// bubble stays, and from which packets go to their destination at the latest.
#ifndef NET_DRAGONFLY_DEADLOCK_H
#define NET_DRAGONFLY_DEADLOCK_H

#include "dragonfly/relation.h"
#include "waits.h"

enum { NET_DF_MAX_CHECKED = 120 }; // routers

// The relation's functions, which a broken variant replaces.
struct net_df_relation {
    struct net_df_way (*minimal)(const struct net_df_shape *shape, const struct net_df_header *h,
                                 uint32_t router);
    unsigned (*misroutes)(const struct net_df_shape *shape, const struct net_df_header *h,
                          uint32_t router, bool injected, struct net_df_way out[NET_DF_WAYS]);
    struct net_df_way (*ring)(const struct net_df_shape *shape, const struct net_df_header *h,
                              uint32_t router);
    // Free slots that a hop along the ring needs.
    unsigned (*ring_needs)(enum net_df_kind kind);
};

extern const struct net_df_relation net_df_relation;

// For a configuration that net_config_check takes, of at most so many routers. In the verdict's
// queues `node` is the router that the link leaves. OFR_NO_CHECK: out of memory.
struct ofr_deadlock net_df_deadlock(const struct net_config *config,
                                    const struct net_df_relation *relation);

#endif
