// SPDX-License-Identifier: Apache-2.0
// What is simulated: every figure of the paper's Table 1 and every choice that it leaves open.
#ifndef NET_CONFIG_H
#define NET_CONFIG_H

#include "config/dragonfly.h"
#include "config/flit.h"
#include "decide.h"
#include "traffic/traffic.h"

// From NET_VALIANT on: rivals.h. From NET_DALLY_SEITZ on: of engine flit (flit/relation.h); from
// NET_MINIMAL_HOPS on, and NET_VALIANT and NET_UGAL, of the Dragonfly (dragonfly/relation.h).
enum net_routing {
    NET_DOR,
    NET_RDR,
    NET_ABR,
    NET_POR,
    NET_OFR,
    NET_VALIANT,
    NET_GOAL,
    NET_UGAL,
    NET_DALLY_SEITZ,
    NET_DUATO,
    NET_TRIPLEX,
    NET_CHAOS,
    NET_MINIMAL_HOPS,
    NET_PB,
    NET_PAR,
    NET_OFAR,
};

// Whose reading of the paper's section 3 (paths.h).
enum net_preset { NET_PRESET_OFR, NET_PRESET_2013, NET_PRESET_LITERAL };

// NET_TIE_RANDOM: one direction, drawn per packet, leg and dimension; the escape takes it, too.
// NET_TIE_ALTERNATE: + in dimensions 0, 2, ..., - in the others.
enum net_tie { NET_TIE_PLUS, NET_TIE_BOTH, NET_TIE_RANDOM, NET_TIE_ALTERNATE };

// With derouting three VCs of them must fit the decision's 8 bits; without, so many are as good as
// unbounded queues.
enum { NET_MAX_SLOTS = 80, NET_UNBOUNDED_SLOTS = 60000 };

// Units of time in a nanosecond: every fixed delay of the paper's Table 1 is a whole number of
// them.
enum { NET_UNITS_PER_NS = 60 };

enum { NET_MAX_THREADS = 256 };

// When messages are born (traffic/arrivals.h).
enum net_arrival {
    NET_ARRIVAL_BURST,
    NET_ARRIVAL_STAGGERED,
    NET_ARRIVAL_BERNOULLI,
    NET_ARRIVAL_ONOFF,
};

// A share of the messages is `packets` long.
enum { NET_MAX_MIX = 8 };
struct net_mix {
    uint32_t packets;
    double weight; // of all weights together
};

// Bounds of the load, in gamma0.
#define NET_MIN_LOAD 1e-6
#define NET_MAX_LOAD 100.0

struct net_config {
    enum net_engine_kind engine;
    struct ofr_torus torus;
    bool mesh; // the torus without its wraps; engine flit only
    enum net_preset preset;
    enum net_routing routing;
    enum net_tie tie;
    struct net_traffic_config traffic;
    const struct net_trace *trace; // instead of traffic, load and messages; NULL: none
    // The same (app/application.h); NULL: none. Its computation takes its time by `pace`; rank r is
    // on node r, or on one that is drawn.
    const struct net_application *application;
    double pace;
    bool scattered;
    uint64_t seed;

    // Ping-pong instead of traffic, load and messages (pairs.h): nodes that are on, in pairs (0:
    // no ping-pong); rounds, messages of a ping, 1 ..
    uint32_t active, rounds, burst;

    double load;              // gamma, in gamma0 (8 B_ext / k_max bytes per second and node)
    uint32_t messages;        // per node, 1 ..
    uint32_t message_packets; // M, 1 ..
    uint32_t mixed;           // lengths that are drawn per message instead of M; 0: none
    struct net_mix mix[NET_MAX_MIX];
    enum net_arrival arrivals;
    double on_fraction;        // onoff: of the time, below 1
    double on_messages;        // onoff: mean number of messages of an on period
    uint32_t packet_bytes;     // S, 1 ..
    uint32_t ack_bytes;        // of an ACK or NAK
    uint32_t slots;            // C, 2 .. the above; of each VC and of the consumption queue
    uint32_t throttle;         // a packet just injected needs more free slots than this, 0 .. C - 1
    uint32_t escape_throttle;  // the same in an escape VC, 0 .. C; C: it never goes there
    uint32_t transit_throttle; // a packet in the network needs more free slots than this to go on
                               // in an adaptive VC, 0 .. C - 1
    uint32_t node_throttle; // injection waits while more slots of the node's links, all VCs, are in
                            // use; 0: it does not
    double nak_gate_us; // and while NAKs to as many links of the node as the next says are at most
                        // so old; 0: it does not
    uint32_t nak_ports; // 1 .. OFR_MAX_PORTS
    double int_latency_ns, int_gbps; // lambda_int, B_int
    double ext_latency_ns, ext_gbps; // lambda_ext, B_ext
    double injection_gamma0;         // rate of the injection tick grid (paper, sec. 4: 2.4)
    bool pipelined; // injection goes on without waiting for the router's ACK, and knows no ticks

    uint32_t delta;  // Delta, hops
    double eta;      // multiple of 1/16 below 16
    bool oidn, widn; // candidates of OFR
    bool orthants;   // of OFR, too: POR's of ofr-2013 (paths.h), after the others; n up to 5
    bool count_all;  // used slots: of all VCs, not of the adaptive one only
    // Of the injection decision, none by default: derouted are only packets that have waited at
    // most so long at their source (us; 0: all may be), and where the minimal way's least used
    // slots are more than so many times those of the other (0: any); used slots are running means,
    // which move by 1/2^smooth of the way at every offer (0: as they are).
    double source_gate_us, ratio;
    double above_mean; // like ratio, over the mean of the node's links
    bool once;         // a packet keeps the way of its first try
    uint32_t smooth;
    bool gates_only; // ratio and above_mean take these means, to 1/256 slot; the choice does not

    // Of one simulation: threads of a rank, 0 and 1: one; MPI ranks that simulate it together, 0
    // and 1: each by itself, else all. Nothing depends on them but the time it takes.
    uint32_t threads, ranks;

    double watchdog_us; // stop when nothing was accepted or consumed for so long; 0: never

    struct net_dragonfly_config dragonfly; // a = 0: the torus or mesh
    struct net_flit_config flit;           // of engine flit, which has no other figures of hardware
};

// Defaults of a preset and a routing, torus 8x8x8, uniform, load 0.5. eta: the paper's is 2 for OFR
// and 1 for POR; preset ofr has 1 for both, the best in the older study of fair ties (RESULTS.md),
// where the router's register is 2 after reset.
struct net_config net_config_default(enum net_preset preset, enum net_routing routing);

// All delays, in units of 1/60 ns, rounded to the nearest.
struct net_times {
    uint64_t ext_packet, ext_ack, ext_latency;
    uint64_t int_packet, int_ack, int_latency;
    uint64_t tick;    // of the injection grid
    uint64_t inject;  // between two injections of a node, at least
    double message;   // between two messages of a node, in the mean
    double packet;    // between two packets of a node at load gamma0
    uint64_t horizon; // no delay of a packet, ACK or injection is longer
};

struct net_times net_config_times(const struct net_config *config);

// NULL, or what is wrong with the configuration, in `message` (of `size` bytes).
const char *net_config_check(const struct net_config *config, char *message, unsigned size);

// Mean length of a pattern's message, packets.
double net_config_mean_packets(const struct net_config *config);

// How many messages make as many packets as those of a default configuration.
uint32_t net_config_messages(const struct net_config *config);

// Names as the options have them, ended by NULL.
extern const char *const net_routing_names[],
    *const net_preset_names[], *const net_tie_names[], *const net_arrival_names[];

// Whether it is one of those whose escape keeps a bubble, which both engines have (flit/bubble.h).
static inline bool net_routing_by_bubble(enum net_routing routing)
{
    return routing <= NET_OFR;
}

static inline bool net_routing_of_dragonfly(enum net_routing routing)
{
    return routing >= NET_MINIMAL_HOPS || routing == NET_VALIANT || routing == NET_UGAL;
}

// Index of a name; -1: it is not there.
int net_name_find(const char *const *names, const char *name);

#endif
