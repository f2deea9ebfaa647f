// SPDX-License-Identifier: Apache-2.0
// The flit engine's state, and a cycle of it. Normative text:
//
// Node. An injection buffer, a delivery buffer, and for each virtual channel of each link an input
//   and an output buffer. A packet is a message, of one length or of two (--long-words). With
//   packet switching (cut-through, store-and-forward) a buffer has room for --buffer-packets of the
//   longest packets, with wormhole switching for --buffer-words and one packet; the injection
//   buffer has any packet. A buffer takes a new packet when it is empty, or when the tail of its
//   newest is in and there are fewer than it has room for whose head has not begun to leave; so
//   with room for one it has parts of two at most. They leave in the order in which they came.
//   Of an output buffer, --output-reuse after-tail, with packet switching: the place of a packet is
//   free a cycle after its tail has left; so of one virtual channel packets are a cycle apart.
//   Words of a packet go one after the other, one a cycle; those that came into a buffer in a cycle
//   leave it in the next at the earliest. Where a word goes there must be room.
// Cycle. 1. Messages are born; a packet is put into an injection buffer that is empty, all words of
//   it. 2. Channels move words from output to input buffers. 3. Every node makes at most one
//   connection, of the packet that is first in an input buffer to an output buffer that takes it
//   (or to the delivery buffer, which takes one packet at a time), not sooner than `node_latency`
//   cycles after its header came (its tail: store-and-forward). 4. Connected words move from input
//   to output buffers. 3 and 4 see what 2 has done, and of the neighbour's input buffers nothing
//   that happens in 4 of this cycle. With wormhole switching 3 comes before 2.
//   Wormhole switching, --flow same-cycle: in 2 a word may go into an input buffer that is full,
//   too, if one leaves it in 4 of the same cycle, which the channels ahead decide (they are served
//   first; in a ring of such channels, or after NET_FLIT_CHAIN of them, it may not). So a stream
//   goes on by a word a cycle in buffers of one word; with next-cycle by one in two cycles.
//   So a packet of L words over h hops without any other takes (h + 1) latency + h + L - 1 cycles
//   from its injection buffer until it is delivered.
// Link. --link-latency cycles, of each dimension's links: what a word takes from an output buffer
//   to the input buffer at the other end, and what it takes until it is known there that a word has
//   left that one. Of 1 both ends see the same, in the cycle after. Of more (l) a word that goes in
//   2 of cycle t is there in 2 of t + l - 1, and what leaves in 4 of t is known from t + l on; all
//   that the text here asks of the neighbour's input buffer it asks of it as known, where it has
//   the words that are on the link, too. The packet above takes h (l - 1) cycles more.
// Channel. Full duplex: a word a cycle in either direction. Half: one; where both ends have one, it
//   keeps its direction while the packet last served there is unfinished, else it turns. Of an
//   end's virtual channels the one last served goes on while its packet is unfinished and can move,
//   else the next one that can. A half-duplex link of more cycles turns when the last word of the
//   other direction is over; until then nothing goes. What has left buffers is told beside it.
// Service. Input-driven: the input buffers in groups, one for each dimension and one for the
//   injection buffer, round robin over the groups and in each; the first whose packet finds an
//   output is connected: to the first in the order of the relation, or to one drawn. Of lanes the
//   one with most space (the lowest of equal ones). Output-driven: the same round over the output
//   buffers that are free and wanted (the last group: delivery), and one of the packets that want
//   it, drawn.
//   Free is for Dally and Seitz, and for Triplex with packet switching, an output buffer that takes
//   a new packet; for Duato and wormhole Triplex one that is empty, since the cycle before at the
//   latest, with the neighbour's input buffer taking one (wormhole: empty); for what they wait for
//   see enum net_flit_escape.
// Deroutes of Triplex. A header of the non-minimal class that finds no minimal output in a cycle in
//   which it is looked at, and could go on --deroute-after cycles ago, takes with
//   --deroute-probability one of the free deroutes, drawn.
// The Chaos router has a multiqueue, and connections of its own: chaos.h. What is free for the
// packet engine's routers, and which output they take: bubble.h. Random numbers are by position
// (config/random.h).
//
// Parts. The nodes may be simulated in parts, one after the other or each on a thread of its own,
//   to the same bit: what a cycle does is three steps (net_flit_step), and in none of them does a
//   part read what another writes in it. A channel is of the part of its node 0, which moves words
//   in both directions. A header that comes to another part's node is left for that one to look at
//   (`begun`), and so is, for the channel's part, a word for a channel (`send`). Where links
//   between parts are cut (cut.h) each does a cycle by itself, all three steps, before they meet.
#ifndef NET_FLIT_SIM_H
#define NET_FLIT_SIM_H

#include "flit/buffer.h"
#include "flit/net.h"
#include "flit/relation.h"

enum { NET_FLIT_NONE = UINT8_MAX, NET_FLIT_CHAIN = 1024, NET_FLIT_STEPS = 3 };

// A line of the cache each: two beside each other are often two threads' in turn.
struct __attribute__((aligned(NET_POOL_LINE))) net_flit_packet {
    uint32_t src, dst, message, next; // next: of the free ones
    uint32_t born, entered;           // cycles; entered: the injection buffer
    uint32_t hops;
    uint16_t length;
    uint8_t class; // enum net_triplex_class
    bool to_idn;   // of bubble.h: on the first leg of two; the leg
    uint64_t leg;
};

struct net_flit_input {
    struct net_flit_buffer b;
    uint32_t ready[2]; // cycle from which on the first and the newest may be connected
    uint32_t fresh;    // cycle in which the last word came in
    uint8_t to;        // output of the first packet; NET_FLIT_NONE: not connected
    uint8_t count;     // of its candidates, outputs by number, without deroutes
    bool deroutes;
    uint8_t out[NET_FLIT_OUTS]; // and NET_FLIT_WAITS where it waits for it
};

// Of a candidate, beside the output's number: what a packet waits for, or where bubble.h needs what
// a ring's entry needs; by which it enters the network (bubble.h).
enum { NET_FLIT_WAITS = 0x80, NET_FLIT_ENTERS = 0x40, NET_FLIT_PLACE = 0x3f };

struct net_flit_output {
    struct net_flit_buffer b;
    uint32_t freed; // cycle in which the last tail left
};

// An end of a link of more than a cycle.
struct net_flit_wire {
    uint8_t *word;    // [cycle mod latency]: VC of the word that went, plus 1; 0: none
    uint32_t *header; // [cycle mod latency]: its packet, if it is a header
    uint16_t *left;   // [cycle mod latency]: VCs at the other end that a word left
    uint32_t sent;    // cycle in which a word went last, plus 1; 0: never
    uint32_t away;    // words that are there or on the way, as known
};

// Of one dimension and node, to the next node in + direction.
struct net_flit_channel {
    uint32_t node[2];               // [0] sends in + direction; UINT32_MAX: there is no channel
    struct net_flit_output *out[2]; // each end's, of VC 0
    struct net_flit_input *in[2];   // where they go to
    struct net_flit_input *seen[2]; // the same, but of a link of more than a cycle as known here
    uint32_t served;                // cycle of the last time, plus 1
    uint16_t send[2];               // each end's virtual channels with words
    uint16_t begun;                 // those whose header came to node 1, of another part, now
    uint8_t last;                   // end that sent last
    uint8_t vc[2];                  // that each end served last
    struct net_flit_wire *wire;     // of each end; NULL: a link of a cycle
};

struct net_flit_node {
    uint64_t wait, link;               // inputs whose first packet seeks an output; is connected
    uint64_t tells;                    // inputs of which the other end is told what has left
    uint32_t created, injected;        // messages
    uint32_t birth, inject_birth;      // cycle of message `created`, and of message `injected`
    uint32_t next_born;                // node after this one in the same bucket of the calendar
    uint8_t deliver;                   // input that the delivery buffer is connected to
    uint8_t group;                     // served last
    uint8_t pointer[OFR_MAX_DIMS + 2]; // of each group: after what was served last
};

enum { NET_FLIT_CALENDAR = 1024 };

// Of all parts; the members of net_sim say what.
struct net_flit_counts {
    uint64_t created, delivered, injected, hops, flit_hops, latency_max, derouted;
    uint32_t in_flight, progress;
    bool out_of_memory;
};

// What a part tells the others before they meet.
struct net_flit_told {
    uint32_t in_flight, progress;
    bool out_of_memory;
};

// A part of the nodes. `All` is what every part has the same of, or the same memory; the rest is
// its own. net_flit_open's is the first.
struct net_sim {
    // For tests, in the first part; may be NULL. Here, beside what nobody writes while threads run:
    // all of them look at it.
    void (*on_delivery)(void *context, const struct net_flit_packet *packet, uint32_t cycle);
    void *context;
    // All.
    struct net_sim **part;
    uint32_t parts;
    const struct net_config *config;
    struct net_flit_shape shape;
    struct net_traffic traffic;
    uint32_t nodes, ports, vcs, places; // places: inputs or outputs of a node; the last is local
    uint32_t queue, groups;             // first place of Chaos's multiqueue; groups: of inputs
    uint32_t room, latency;             // words of a buffer; node latency
    struct net_flit_depth depth;        // packets of a buffer
    uint32_t farthest;                  // of the link latencies
    bool same_cycle, whole;             // flow; a packet is in a buffer whole before it goes on
    bool with_head;                     // output reuse
    bool strict[2];                     // free is empty; [1]: of what a packet waits for
    bool apart;                         // steps 1 and 2 are, too
    uint32_t end;                       // first cycle that is not simulated
    double birth_log;                   // log(1 - probability of a birth)
    struct ofr_coord *coord;
    struct net_flit_node *node;
    struct net_flit_input *input;     // [node][place]
    struct net_flit_output *output;   // [node][place], the last is not used
    uint32_t *link;                   // [node][port]: channel; its end is port & 1
    struct net_flit_channel *channel; // [node][dimension]
    uint64_t group_mask[OFR_MAX_DIMS + 2];
    struct net_flit_pool *pool;   // packets
    struct net_flit_watch *watch; // of check.h; NULL: not looked at
    struct net_bubble *bubble;    // of bubble.h; NULL: another router

    uint32_t first, past;                 // its nodes: first .. past - 1
    uint32_t first_channel, own_channels; // its channels: that and so many
    uint32_t now;                         // next cycle
    uint32_t *leaving, *coming; // channels of it to, and of others from, another part's node
    uint32_t leavings, comings; // so many
    uint32_t chain;             // channels that are being served one for another's sake
    // Its ends of links that are cut (cut.h), so many, as channels from the first on; what is known
    // of the other ends' buffers, [end][vc]; those with words; mail, [turn mod 2][end].
    struct net_flit_cut *cut;
    uint32_t first_cut, cuts;
    struct net_flit_input *known;
    uint64_t *sending;
    struct net_flit_mail *mail[2];
    uint32_t turn;                // cycles that were simulated
    struct net_flit_told told[2]; // [turn mod 2]: to the other parts
    uint32_t next;                // the next birth, to them
    // Bit maps of what has anything to do.
    uint64_t *channels, *waiting, *linked, *injecting;
    uint32_t calendar[NET_FLIT_CALENDAR]; // nodes by birth
    struct net_flit_share share;
    uint32_t in_flight; // packets that entered here less those delivered here, modulo 2^32
    uint32_t progress;  // cycle in which a packet was connected or delivered last
    bool out_of_memory;
    struct net_flit_batch *batch;
    uint64_t created, delivered, injected, hops, flit_hops, latency_max, derouted;
};

// For a configuration that net_config_check takes. NULL: out of memory.
struct net_sim *net_flit_open(const struct net_config *config);
void net_flit_free(struct net_sim *sim);

static inline struct net_flit_packet *net_flit_packet(const struct net_sim *sim, uint32_t number)
{
    return net_flit_pool_at(sim->pool, number, sizeof(struct net_flit_packet));
}

static inline bool net_flit_is_here(const struct net_sim *part, uint32_t node)
{
    return node - part->first < part->past - part->first;
}

// From now on the other end of a link is told what leaves the input buffers of its port here.
static inline void net_flit_tells(struct net_sim *sim, uint32_t node, unsigned port)
{
    sim->node[node].tells |= (((uint64_t)1 << sim->vcs) - 1) << port * sim->vcs;
}

// Whether an output takes a new packet.
static inline bool net_flit_takes(const struct net_sim *sim, const struct net_flit_output *out)
{
    return net_flit_accepts(&sim->depth, &out->b) &&
           (sim->with_head ||
            net_flit_packets(&out->b) + (out->freed == sim->now) < sim->depth.packets);
}

// For each member of a bit map in a range of its words.
#define NET_FLIT_EACH(i, map, from, past)                                                          \
    for (uint32_t word_ = (from) / 64; word_ < ((past) + 63) / 64; word_++)                        \
        for (uint64_t rest_ = (map)[word_]; rest_; rest_ &= rest_ - 1)                             \
            for (uint32_t i = word_ * 64 + (uint32_t)__builtin_ctzll(rest_), once_ = 1; once_;     \
                 once_ = 0)

// Simulates cycle sim->now of all parts, one after the other. net_flit_skip: the next one in which
// anything happens in any of them (UINT32_MAX: none).
void net_flit_cycle(struct net_sim *sim);
uint32_t net_flit_skip(const struct net_sim *sim);

// A step of cycle part->now, 0 .. NET_FLIT_STEPS - 1; the last one ends the cycle. Those from one
// to net_flit_until's a part does after each other, the next when all have done these.
void net_flit_step(struct net_sim *part, unsigned step);
static inline unsigned net_flit_until(const struct net_sim *part, unsigned step)
{
    bool meet = part->apart || (!step && !part->cuts);
    return meet ? step + 1 : NET_FLIT_STEPS;
}
uint32_t net_flit_part_skip(const struct net_sim *part);

// Whether the engine was built with NET_FLIT_CHECKED.
extern const bool net_flit_checked;

// ---- parts.c

// Makes sim->part of a first part that has all but its own; false: out of memory. sim->config's
// threads, at most one for each node.
bool net_flit_make_parts(struct net_sim *sim);
void net_flit_free_parts(struct net_sim *sim);

// Simulates all cycles before `end`, each part on a thread of its own.
void net_flit_advance(struct net_sim *sim, uint32_t end);

// What all parts have counted. Their batches: the first has those of all from now on, the others
// none.
struct net_flit_counts net_flit_sum(const struct net_sim *sim);
void net_flit_add_batches(struct net_sim *sim);

// Puts a packet into the injection buffer of `src`, which must be empty, in cycle sim->now.
void net_flit_put(struct net_sim *sim, uint32_t src, uint32_t dst);

// Whether nothing happens before the next birth: no packet is on its way, and of the last one's
// words all is known.
static inline bool net_flit_is_idle(const struct net_sim *sim, uint32_t in_flight,
                                    uint32_t progress)
{
    return !in_flight && sim->now >= progress + sim->farthest;
}

// Whether a packet may be connected to `candidate`, one of its input's, now.
bool net_flit_is_free(const struct net_sim *sim, uint32_t node, unsigned candidate);

// Of chaos.c: makes a connection; input-driven, the next one
// in turn (false: there is none); what comes next in a set; what was served in turn.
void net_flit_connect(struct net_sim *sim, uint32_t node, unsigned place, unsigned to);
bool net_flit_route_inputs(struct net_sim *sim, uint32_t node);
unsigned net_flit_next_bit(uint64_t mask, unsigned from);
void net_flit_served(struct net_flit_node *node, unsigned group, unsigned place);

#endif
