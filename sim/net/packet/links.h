// SPDX-License-Identifier: Apache-2.0
// The links of a net with their queues, and the packets that wait there, laid out by what a hop
// touches: one cache line a link, one a node (n up to 3), and the packets on a link travel with
// their event. The engine (net.c) decides what happens to them.
//
// Places. A link is named by the node that it leaves and its port there: NODE << bits | PORT.
// Parts. A part of the nodes, first to end - 1, has a pool of its own for the packets that wait
//   there; all else is shared, and a part touches only what belongs to its nodes.
// Slots in use. Counted per node, VC and port; those whose ACK is on its way are still in it, and
//   the times of these ACKs are kept with the link. They are looked at when somebody wants to know
//   (net_settle), and then only if one can be back: the node has for every port a time before which
//   none is. It has it in units of 2^shift and modulo 2^32, which is right as long as nothing is
//   left for 2^30 of them: so all are settled every so often (next_settle).
#ifndef NET_LINKS_H
#define NET_LINKS_H

#include <stddef.h>

#include "config/config.h"
#include "route/paths.h"
#include "route/relation.h"

enum { NET_NONE = UINT32_MAX };
enum { NET_TO_IDN = 128 }; // on the first leg of two

// 32 bytes: none lies in two cache lines. Written and read by its fields: a wide load would have to
// wait for the narrow stores before it.
struct net_packet {
    uint64_t leg;         // net_pack_leg(), seen from the far end of the link whose queue it is in
    uint32_t destination; // node
    uint32_t message;     // number at its source
    uint32_t order;       // of entering its queue, counted per node
    uint32_t luck;        // RDR's draws
    uint16_t hops;
    uint8_t vc;
    uint8_t draw;  // tie directions of the second leg (NET_TIE_RANDOM); NET_TO_IDN
    uint32_t next; // while it waits: slot of the one behind it, or of an unused one
};

_Static_assert(sizeof(struct net_packet) == 32, "two to a cache line");

struct net_queue {
    uint32_t head, tail; // slots, oldest first; where nothing waits: undefined
};

// A link, its transmitter and what an uncongested one needs of its queues. A cache line, with more
// than 4 ACKs on their way at a time two or more.
struct net_link {
    uint64_t free_at; // when the transmitter is done with all that it has begun
    struct net_queue adaptive;
    uint32_t peer;   // the link back, of the neighbour
    uint8_t waiting; // bit per VC: its queue is not empty
    bool armed;      // a FREE event is coming
    uint16_t sent;   // packets, modulo 2^16; the rest is in links->sent
    uint32_t ack_first, ack_count;
    uint64_t ack[]; // ring of the ACKs on their way: time * 4 + VC
};

struct net_links {
    uint32_t first, end;             // the part's nodes
    uint32_t ports;                  // 2n links a node, missing ones included
    uint32_t ring;                   // ACKs on their way to a link, at most; a power of two
    unsigned bits;                   // of a port in a place
    unsigned link_shift, node_shift; // log2 of the bytes of a link and of a node
    char *link, *node;
    struct net_queue *escape; // [place]: VS1, VS2
    uint32_t *sent;           // [place]: 2^16 packets each
    uint16_t *mean;           // [place]: 1/256 slots in use, running means; NULL: none are wanted
    struct net_packet *slots;
    uint32_t unused, capacity;
    unsigned shift;
    uint64_t no_ack;      // an ACK that is not on its way yet takes at least so long
    uint64_t next_settle; // when net_links_settle is due
};

// Zeroed memory that begins with a cache line; large ones in large pages. NULL: out of memory.
void *net_allocate(size_t count, size_t size);

// False: out of memory.
bool net_links_init(struct net_links *links, const struct net_config *config,
                    const struct net_times *times);
void net_links_free(struct net_links *links);

// The part of the nodes first to end - 1, without any packet; and what it has of its own freed.
struct net_links net_links_part(const struct net_links *all, uint32_t first, uint32_t end);
void net_links_part_free(struct net_links *part);

// Makes room for more packets. False: out of memory.
bool net_links_grow(struct net_links *links);

// Frees the slots of a node's port whose ACKs are back by `now`.
void net_settle_due(struct net_links *links, uint32_t node, unsigned port, uint64_t now);

// The same for all of the part; sets next_settle. Returns the slots that are still in use.
uint64_t net_links_settle(struct net_links *links, uint64_t now);

static inline uint32_t net_place(const struct net_links *links, uint32_t node, unsigned port)
{
    return node << links->bits | port;
}

static inline uint32_t net_node(const struct net_links *links, uint32_t place)
{
    return place >> links->bits;
}

static inline unsigned net_port(const struct net_links *links, uint32_t place)
{
    return place & ((1u << links->bits) - 1);
}

// Whether a place belongs to the part.
static inline bool net_own(const struct net_links *links, uint32_t place)
{
    return net_node(links, place) - links->first < links->end - links->first;
}

static inline struct net_link *net_link(const struct net_links *links, uint32_t place)
{
    return (struct net_link *)(void *)(links->link + ((size_t)place << links->link_shift));
}

static inline struct net_queue *net_queue(const struct net_links *links, struct net_link *link,
                                          uint32_t place, unsigned vc)
{
    return vc == NET_ADAPTIVE ? &link->adaptive : &links->escape[2 * (size_t)place + vc - 1];
}

// Per port: no ACK is back before this.
static inline uint32_t *net_quiet(const struct net_links *links, uint32_t node)
{
    return (uint32_t *)(void *)(links->node + ((size_t)node << links->node_shift));
}

// How many packets have entered queues of the node, modulo 2^32.
static inline uint32_t *net_entered(const struct net_links *links, uint32_t node)
{
    return net_quiet(links, node) + links->ports;
}

// Per port: slots in use.
static inline uint16_t *net_used(const struct net_links *links, uint32_t node, unsigned vc)
{
    return (uint16_t *)(net_entered(links, node) + 1) + vc * links->ports;
}

static inline bool net_may_settle(const struct net_links *links, uint32_t node, unsigned port,
                                  uint64_t now)
{
    return (int32_t)((uint32_t)(now >> links->shift) - net_quiet(links, node)[port]) >= 0;
}

static inline void net_settle(struct net_links *links, uint32_t node, unsigned port, uint64_t now)
{
    if (net_may_settle(links, node, port, now))
        net_settle_due(links, node, port, now);
}

// Puts an ACK on its way over a link back to its `place`, of the part: it frees a slot of `vc` at
// `time`, which is later than that of those before it.
static inline void net_ack(struct net_links *links, uint32_t place, uint64_t now, uint64_t time,
                           unsigned vc)
{
    struct net_link *link = net_link(links, place);
    if (link->ack_count == links->ring) // some are back for long, but nobody has looked
        net_settle_due(links, net_node(links, place), net_port(links, place), now);
    link->ack[(link->ack_first + link->ack_count++) & (links->ring - 1)] = time << 2 | vc;
}

// The same where it was sent by another part up to a look-ahead ago, in which time somebody may
// have looked and found nothing on its way.
static inline void net_ack_late(struct net_links *links, uint32_t place, uint64_t now,
                                uint64_t time, unsigned vc)
{
    uint32_t *quiet = &net_quiet(links, net_node(links, place))[net_port(links, place)];
    uint32_t due = (uint32_t)(time >> links->shift);
    net_ack(links, place, now, time, vc);
    if ((int32_t)(due - *quiet) < 0)
        *quiet = due;
}

static inline struct net_head net_packet_head(const struct net_packet *packet)
{
    return (struct net_head){(uint16_t)net_leg_mu(packet->leg), packet->draw & NET_TO_IDN};
}

// A slot for a packet; NET_NONE: out of memory.
static inline uint32_t net_slot(struct net_links *links)
{
    if (links->unused == NET_NONE && !net_links_grow(links))
        return NET_NONE;
    uint32_t s = links->unused;
    links->unused = links->slots[s].next;
    return s;
}

static inline void net_slot_free(struct net_links *links, uint32_t s)
{
    links->slots[s].next = links->unused;
    links->unused = s;
}

#endif
