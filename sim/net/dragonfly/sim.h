// SPDX-License-Identifier: Apache-2.0
// The Dragonfly's state, and a cycle of it. Normative text:
//
// Router. An input buffer for each virtual channel of each link, first in first out, and queues of
//   injection VCs for each node; no output buffers. Virtual cut-through: a packet goes on once its
//   header is there, `node_latency` cycles later at the earliest, when the output is idle and the
//   virtual channel beyond has room for all of it; then its words follow one a cycle, and input
//   port and output are busy as long. As all packets have one length and all links the same rate,
//   every word's time follows from its header's, and room is counted in packets.
// Link. A header that goes in cycle t is at the next router in t + latency; the packet's room in
// the
//   buffer that it left is known free at the router before in t + words + latency.
//   So a packet of L words over h hops without any other takes (h + 1) node_latency + the latencies
//   of its links + L - 1 cycles from its birth until it is delivered.
// Source. Message number m of a node joins the queue of injection VC m mod VCs at its birth; where
//   that is full it is refused, and counted.
// Allocator. Every input VC whose first packet may go on asks for one output (select.h), by what
// was
//   known at the beginning of the cycle. Separable, `iterations` times: an input port takes one of
//   its VCs that ask for an output still to be had, an output one of the ports that ask for it,
//   packets in transit before injected ones. --allocator says which: the least recently served; the
//   next one, by number, after the one served last; or one drawn, by position, in each cycle.
// Random numbers are by position (config/random.h).
//
// Parts. Groups may be simulated in parts, each on a thread of its own, to the same bit: what a
//   group does is there for another one after a global link's latency at the earliest, a packet or
//   room, so for as long each part goes on by itself. What is for another part it leaves in a box,
//   from which that one takes it when all have come so far.
#ifndef NET_DRAGONFLY_SIM_H
#define NET_DRAGONFLY_SIM_H

#include <stddef.h>

#include "dragonfly/relation.h"
#include "flit/net.h"
#include "flit/pool.h"

enum { NET_DF_CALENDAR = 1024 };
#define NET_DF_NO_PACKET NET_POOL_NONE

// A line of the cache: of each queue the first one is looked at in every cycle.
struct __attribute__((aligned(NET_POOL_LINE))) net_df_packet {
    struct net_df_header h;
    uint32_t source, message, next; // next: in a queue, of the free ones, or on the same link
    uint32_t born, entered;         // cycles; entered: left the injection queue
    uint32_t ready;                 // cycle from which on it may go on
    uint32_t at;                    // input VC that it is in or comes to
    uint32_t wait[3];               // cycles in buffers of local links, global ones, the ring
    uint16_t choice;                // where h.decided: the via drawn here
    uint8_t ahead[2];               // and the hops to the destination, minimal and by it
};

struct net_df_queue {
    uint32_t first, last, count;
    uint32_t served; // cycle of the last time, plus 1
};

struct net_df_port {
    uint32_t input_free, output_free; // cycles from which on they are idle
    uint8_t queues;                   // input VCs with a packet, a bit each
};

struct net_df_event {
    uint32_t *item;
    uint32_t count, room;
};

struct net_df_letter {
    uint32_t cycle, item; // as of an event
    bool credit;
};

struct net_df_box { // from one part to another
    struct net_df_letter *letter;
    uint32_t count, room;
};

// What the parts tell each other when they meet.
struct net_df_told {
    uint32_t in_flight, progress;
    bool out_of_memory;
};

// Of all parts; the members of net_sim say what.
struct net_df_counts {
    uint64_t created, refused, delivered, entered, hops, latency_max, entries;
    uint32_t in_flight, progress;
    double waits[3], measured;
    bool out_of_memory;
};

// A part of the groups. `All` is what every part has the same of, or the same memory; the rest is
// its own. net_df_open's is the first.
struct net_sim {
    // All.
    struct net_sim **part;
    uint32_t parts;
    const struct net_config *config;
    struct net_df_shape shape;
    struct net_dragonfly d;
    uint32_t words, latency;            // of a packet; node latency
    unsigned vcs;                       // of an array; a port may have fewer
    uint32_t end;                       // first cycle that is not simulated
    struct net_df_port *port;           // [router][port]
    struct net_df_queue *queue;         // [router][port][vc]
    uint8_t *credit;                    // [router][port][vc]: packets that there is room for beyond
    uint32_t *served;                   // [router][output][input]: cycle of the last time, plus 1
    uint64_t *occupied;                 // [router]: input ports with a packet
    uint8_t *congested;                 // [cycle mod delay][router]: PB, a bit for each global link
    uint32_t delay, slots;              // of the wheels
    struct net_flit_pool *pool;         // packets
    uint32_t *birth, *born, *next_born; // [node]: cycle of the next birth; messages
    double birth_log;

    uint32_t first, past;                   // its routers: first .. past - 1
    uint32_t now;                           // next cycle
    struct net_df_event *arrival, *credits; // wheels of `slots` cycles
    uint32_t *calendar;                     // of births
    struct net_df_box *box[2];              // [turn mod 2][part]: what it has for others
    uint32_t turn, next;                    // meetings so far; its next birth
    struct net_df_told told[2];             // [turn mod 2]
    struct net_flit_share share;
    uint32_t in_flight; // packets that were born here less those delivered here, modulo 2^32
    uint32_t progress;
    bool out_of_memory;
    struct net_flit_batch *batch;
    uint64_t *injected; // [router of a group], in the measured time
    uint64_t created, refused, delivered, entered, hops, latency_max,
        entries;               // entries: of the ring
    double waits[3], measured; // of packets delivered in the measured time
    // For tests, in the first part; may be NULL. Threads call it at once.
    void (*on_delivery)(void *context, const struct net_df_packet *packet, uint32_t cycle);
    void *context;
};

static inline struct net_df_packet *net_df_packet(const struct net_sim *sim, uint32_t number)
{
    return net_flit_pool_at(sim->pool, number, sizeof(struct net_df_packet));
}

struct net_sim *net_df_open(const struct net_config *config);
void net_df_free(struct net_sim *sim);

// Simulates cycle part->now; of several parts this is for net_df_advance.
void net_df_cycle(struct net_sim *part);

// Puts a message into a source's queue, of the part, in cycle sim->now.
void net_df_put(struct net_sim *sim, uint32_t source, uint32_t dst, uint32_t message);

// The next cycle in which a message of the part is born, UINT32_MAX: none.
uint32_t net_df_skip(const struct net_sim *part);

// Puts something into a part's wheel, due in `after` cycles.
void net_df_schedule(struct net_sim *part, bool credit, uint32_t after, uint32_t item);

// ---- parts.c

// Makes sim->part of a first part that has all but its own; false: out of memory. sim->config's
// threads, at most one for each group.
bool net_df_make_parts(struct net_sim *sim);
void net_df_free_parts(struct net_sim *sim);

// Simulates all cycles before `end`, each part on a thread of its own.
void net_df_advance(struct net_sim *sim, uint32_t end);

// Leaves something for another router's part.
void net_df_post(struct net_sim *part, uint32_t router, bool credit, uint32_t after, uint32_t item);

// What all parts have counted. Their batches and injected packets: the first has those of all from
// now on, the others none.
struct net_df_counts net_df_sum(const struct net_sim *sim);
void net_df_add_batches(struct net_sim *sim);

// A cycle's connections (router.c), and what becomes of one (sim.c): `way` over VC `vc`.
void net_df_allocate(struct net_sim *sim, uint32_t router);
// What they look at is asked for ahead: it is spread over more memory than a cache has.
void net_df_fetch(const struct net_sim *sim, uint32_t router);
void net_df_send(struct net_sim *sim, uint32_t router, unsigned port, unsigned queue,
                 struct net_df_way way, unsigned vc);

// Whether packets, room and counts of all parts are where they must be, when nothing is in a box:
// NULL, or what is wrong.
const char *net_df_check(const struct net_sim *sim);

// Room of a VC beyond an output, or in a node's queue, packets.
unsigned net_df_room(const struct net_sim *sim, uint32_t router, unsigned port);

static inline size_t net_df_port_of(const struct net_sim *sim, uint32_t router, unsigned port)
{
    return (size_t)router * sim->d.ports + port;
}

#endif
