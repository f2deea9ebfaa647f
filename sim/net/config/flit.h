// SPDX-License-Identifier: Apache-2.0
// What is simulated flit by flit (flit/README.md): the routers of Fulgham's thesis, "Practical
// deadlock-free ... routing", chapters 3 to 6 and appendix B, and the choices that it leaves
// open. Words: what goes over a channel in one direction in a cycle.
#ifndef NET_CONFIG_FLIT_H
#define NET_CONFIG_FLIT_H

#include <stdbool.h>
#include <stdint.h>

#include "torus.h"

enum net_engine_kind { NET_ENGINE_PACKET, NET_ENGINE_FLIT };

// Load 1.0: what the bisection carries when half of the messages cross it (3.3); a word a cycle and
// node; gamma0, 8 / k_max words a cycle and node.
enum net_load_unit { NET_UNIT_FULGHAM, NET_UNIT_PHITS, NET_UNIT_GAMMA0 };

// What an escape VC of Duato's router must be for a packet to take it. BY_SERVICE: empty with
// input-driven service, accepting with output-driven.
enum net_flit_escape { NET_ESCAPE_BY_SERVICE, NET_ESCAPE_EMPTY, NET_ESCAPE_ACCEPTING };

enum net_switching { NET_CUT_THROUGH, NET_STORE_AND_FORWARD, NET_WORMHOLE };

// Of Triplex (4.6): a message's class; of rule 4 (4t on a torus): all its ways, those that are not
// minimal, or none.
enum net_triplex_class { NET_OBLIVIOUS, NET_MINIMAL, NET_NON_MINIMAL };
enum net_rule4 { NET_RULE4_FULL, NET_RULE4_NON_MINIMAL, NET_RULE4_NONE };

// When a run counts as saturated (3.4 has "more messages are created than delivered"). INTERVAL:
// the 95% interval of the accepted load lies below the generated load. BACKLOG: over the measured
// time more than a message a node was created and not delivered. GROWTH: the 95% interval of what a
// batch creates and does not deliver lies above 0; so what the births happen to be is no part of
// it.
enum net_saturation { NET_SATURATION_INTERVAL, NET_SATURATION_BACKLOG, NET_SATURATION_GROWTH };

enum {
    NET_MAX_LANES = 4,
    NET_MAX_UNRESTRICTED = 8,
    NET_MAX_WORDS = 4096,
    NET_MAX_NODE_LATENCY = 64,
    NET_MAX_LINK_LATENCY = 1000,
    NET_MAX_MULTIQUEUE = 32,
    NET_MAX_BUFFER_PACKETS = 16,
};

struct net_flit_config {
    enum net_load_unit unit;
    enum net_switching switching;
    bool full; // duplex; else a word a cycle over a channel, in one direction or the other
    uint32_t message_words;
    uint32_t long_words; // of a share of the messages; 0: there are none
    double long_share;
    uint32_t buffer_words;   // wormhole: of an input or output buffer
    uint32_t buffer_packets; // else: of the longest messages there is room for in one
    bool with_head; // else: an output's place is free a cycle after the tail before it has left
    bool lagging;   // wormhole: into a full buffer nothing goes in the cycle in which a word leaves
    uint32_t lanes; // of Dally and Seitz's router, per virtual channel that it needs
    uint32_t unrestricted_vcs; // of Duato's and Triplex's, of a link
    uint32_t node_latency;     // cycles from a header's arrival until it is moved on, at the least
    // Cycles of a link's words, and of what is told back, by dimension (torus or mesh).
    uint32_t link_latency[OFR_MAX_DIMS];
    uint32_t link_latencies; // that were given: 1 for all, or n
    bool output_driven;
    bool random;         // input-driven: an output drawn; else the first in order of dimensions
    bool adaptive_first; // that order: each dimension's unrestricted VC before its restricted one
    enum net_flit_escape escape;
    enum net_triplex_class class; // Triplex: of the messages that need no order
    double in_order;              // share of the messages, which are of the oblivious class
    enum net_rule4 rule4;
    uint32_t deroute_after; // cycles that a header waits before it may deroute
    double deroute_probability;
    bool deroute_injected;   // from the injection buffer, too; Chaos: it goes to the multiqueue
    uint32_t multiqueue;     // Chaos: packets that it has room for
    bool queue_drawn;        // output-driven, its packets have no precedence over those of inputs
    uint32_t queue_after;    // cycles that a header waits before it may go there
    bool self;               // in permutations, too, a node sends to itself
    uint32_t warm;           // cycles
    uint32_t batches, batch; // number; cycles
    enum net_saturation saturation;
};

struct net_config;

// NULL, or what is wrong, in `message` (of `size` bytes).
const char *net_flit_config_check(const struct net_config *config, char *message, unsigned size);

// Packets that an input or output buffer takes, one with wormhole switching and in Chaos's router;
// slots of a virtual channel, as bubble.h counts them.
uint32_t net_flit_buffer_packets(const struct net_config *config);
uint32_t net_flit_slots(const struct net_config *config);

// Words of an input or output buffer; the longest message; the mean.
uint32_t net_flit_buffer_words(const struct net_config *config);
uint32_t net_flit_longest(const struct net_config *config);
double net_flit_mean_words(const struct net_config *config);

// Cycles between two messages of a node at load 1.
double net_flit_period(const struct net_config *config);

extern const char *const net_engine_names[], *const net_load_unit_names[],
                                                 *const net_flit_escape_names[],
                                                     *const net_saturation_names[],
                                                         *const net_switching_names[],
                                                             *const net_triplex_class_names[],
                                                                 *const net_rule4_names[];

#endif
