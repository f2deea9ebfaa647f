// SPDX-License-Identifier: Apache-2.0
// What is simulated flit by flit (flit/README.md): the routers of Fulgham's thesis, "Practical
// deadlock-free ... routing", chapters 3, 5 and 6 and appendix B, and the choices that it leaves
// open. Words: what goes over a channel in one direction in a cycle.
#ifndef NET_CONFIG_FLIT_H
#define NET_CONFIG_FLIT_H

#include <stdbool.h>
#include <stdint.h>

enum net_engine_kind { NET_ENGINE_PACKET, NET_ENGINE_FLIT };

// Load 1.0: what the bisection carries when half of the messages cross it (3.3); a word a cycle and
// node; gamma0, 8 / k_max words a cycle and node.
enum net_load_unit { NET_UNIT_FULGHAM, NET_UNIT_PHITS, NET_UNIT_GAMMA0 };

// What an escape VC of Duato's router must be for a packet to take it. BY_SERVICE: empty with
// input-driven service, accepting with output-driven.
enum net_flit_escape { NET_ESCAPE_BY_SERVICE, NET_ESCAPE_EMPTY, NET_ESCAPE_ACCEPTING };

// When a run counts as saturated (3.4 has "more messages are created than delivered"). INTERVAL:
// the 95% interval of the accepted load lies below the generated load. BACKLOG: over the measured
// time more than a message a node was created and not delivered.
enum net_saturation { NET_SATURATION_INTERVAL, NET_SATURATION_BACKLOG };

enum { NET_MAX_LANES = 4, NET_MAX_WORDS = 4096, NET_MAX_NODE_LATENCY = 64 };

struct net_flit_config {
    enum net_load_unit unit;
    bool store; // and forward; else virtual cut-through
    bool full;  // duplex; else a word a cycle over a channel, in one direction or the other
    uint32_t message_words; // of a packet, and of an input or output buffer
    uint32_t lanes;         // of Dally and Seitz's router, per virtual channel that it needs
    uint32_t node_latency;  // cycles from a header's arrival until it is moved on, at the least
    bool output_driven;
    bool random;         // input-driven: an output drawn; else the first in order of dimensions
    bool adaptive_first; // that order: each dimension's unrestricted VC before its restricted one
    enum net_flit_escape escape;
    bool self;               // in permutations, too, a node sends to itself
    uint32_t warm;           // cycles
    uint32_t batches, batch; // number; cycles
    enum net_saturation saturation;
};

struct net_config;

// NULL, or what is wrong, in `message` (of `size` bytes).
const char *net_flit_config_check(const struct net_config *config, char *message, unsigned size);

// Cycles between two messages of a node at load 1.
double net_flit_period(const struct net_config *config);

extern const char *const net_engine_names[],
    *const net_load_unit_names[], *const net_flit_escape_names[], *const net_saturation_names[];

#endif
