// SPDX-License-Identifier: Apache-2.0
// The Dragonfly of Garcia et al., "Global Misrouting Policies in Two-level Hierarchical Networks"
// (INA-OCMC 2013), and what the paper leaves open. Words are its phits.
#ifndef NET_CONFIG_DRAGONFLY_H
#define NET_CONFIG_DRAGONFLY_H

#include <stdbool.h>
#include <stdint.h>

// Over which global links a packet may be misrouted (section 3). RRG: of any router of the group;
// CRG: of the router where it is; NRG: of the others; MM: CRG at injection, NRG in transit.
enum net_misrouting { NET_RRG, NET_CRG, NET_NRG, NET_MM };

// Whom the separable allocator takes of those that ask: the one served least recently, the next one
// after the one served last, or one that is drawn in every cycle.
enum net_allocator { NET_LEAST_RECENT, NET_ROUND_ROBIN, NET_RANDOM_ONE };

enum {
    NET_MAX_DRAGONFLY_PORTS = 64, // of a router, those of its nodes included
    NET_MAX_DRAGONFLY_VCS = 8,    // of a port, the ring's included
};

struct net_dragonfly_config {
    uint32_t a, p, h; // routers of a group, nodes and global links of a router; a = 0: no Dragonfly
    enum net_misrouting misrouting;
    bool local_misrouting;                         // of OFAR: "+L"
    uint32_t local_vcs, global_vcs, injection_vcs; // the ring's not included
    uint32_t local_words, global_words;            // of a VC's buffer
    uint32_t source_words;                         // of an injection VC's queue
    uint32_t local_latency, global_latency;        // of links, cycles
    enum net_allocator allocator;
    uint32_t iterations; // of it
    bool equal;          // at an output packets in transit do not go before injected ones
    double occupancy;    // OFAR: of the minimal output's occupancy, a candidate's at most
    bool physical_ring;  // OFAR: the escape ring has ports and links of its own
    bool by_hops;        // OFAR: virtual channels rise with the hops made; else any will do
    uint32_t ring_exits; // OFAR: so often a packet leaves the escape ring before its destination
    double ugal_words;   // UGAL's threshold, words times hops
    double pb_ratio;     // PB: a global link is congested over so many times its router's mean
    double pb_words;     // and so many words
};

struct net_config;

// NULL, or what is wrong, in `message` (of `size` bytes).
const char *net_dragonfly_config_check(const struct net_config *config, char *message,
                                       unsigned size);

// "dragonfly:H" or "dragonfly:AxPxH"; false where it is neither or too large.
bool net_dragonfly_parse(const char *text, struct net_dragonfly_config *config);

extern const char *const net_misrouting_names[], *const net_allocator_names[];

#endif
