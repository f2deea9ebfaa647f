// SPDX-License-Identifier: Apache-2.0
// A buffer of words, with those of packets one after the other (sim.h): of the first and of the
// newest it may have parts, those between are whole.
#ifndef NET_FLIT_BUFFER_H
#define NET_FLIT_BUFFER_H

#include <stdbool.h>
#include <stdint.h>

#include "flit/pool.h"

#define NET_FLIT_NO_PACKET NET_POOL_NONE

// The first packet and the newest, if that is another; words of each, those that came in, and those
// that have left of the first; words that are there. Of packets between: how many, the first's
// place.
struct net_flit_buffer {
    uint32_t packet[2];
    uint32_t number; // in net_flit_depth
    uint16_t length[2], in[2], out, words;
    uint8_t middle, middle_first;
};

static const struct net_flit_buffer net_flit_empty = {
    .packet = {NET_FLIT_NO_PACKET, NET_FLIT_NO_PACKET}};

// How many packets a buffer has room for, 1 or more (--buffer-packets); those between.
struct net_flit_middle {
    uint32_t packet, ready; // ready: an input's, as that of sim.h
    uint16_t length;
};
struct net_flit_depth {
    unsigned packets;
    struct net_flit_middle *middle; // [buffer][packets - 1]
};

// The packet that came last, 0 or 1.
static inline unsigned net_flit_newest(const struct net_flit_buffer *b)
{
    return b->packet[1] != NET_FLIT_NO_PACKET;
}

// Packets of which it has words, or is to have.
static inline unsigned net_flit_packets(const struct net_flit_buffer *b)
{
    return (b->packet[0] != NET_FLIT_NO_PACKET) + net_flit_newest(b) + b->middle;
}

// Those of them whose header has not left.
static inline unsigned net_flit_headers(const struct net_flit_buffer *b)
{
    return net_flit_packets(b) - (b->out != 0);
}

// Whether it takes a new packet.
static inline bool net_flit_accepts(const struct net_flit_depth *depth,
                                    const struct net_flit_buffer *b)
{
    unsigned newest = net_flit_newest(b);
    return b->packet[0] == NET_FLIT_NO_PACKET ||
           (b->in[newest] == b->length[newest] && net_flit_headers(b) < depth->packets);
}

// Of those between the one that came so many after the first of them.
static inline struct net_flit_middle *net_flit_middle(const struct net_flit_depth *depth,
                                                      const struct net_flit_buffer *b, unsigned i)
{
    unsigned room = depth->packets - 1;
    return &depth->middle[(uint64_t)b->number * room + (b->middle_first + i) % room];
}

// A new packet, no word of which is in yet; returns 0 where it is the first one, else 1.
static inline unsigned net_flit_add(const struct net_flit_depth *depth, struct net_flit_buffer *b,
                                    uint32_t packet, uint16_t length)
{
    unsigned slot = b->packet[0] != NET_FLIT_NO_PACKET;
    if (net_flit_newest(b))
        *net_flit_middle(depth, b, b->middle++) =
            (struct net_flit_middle){.packet = b->packet[1], .length = b->length[1]};
    b->packet[slot] = packet;
    b->length[slot] = length;
    b->in[slot] = 0;
    return slot;
}

// Words of the packet `slot` come in.
static inline void net_flit_come(struct net_flit_buffer *b, unsigned slot, unsigned words)
{
    b->in[slot] = (uint16_t)(b->in[slot] + words);
    b->words = (uint16_t)(b->words + words);
}

// The first of those between becomes the first; it is still at its place, the last in turn.
__attribute__((noinline, cold, unused)) static void
net_flit_promote(const struct net_flit_depth *depth, struct net_flit_buffer *b)
{
    const struct net_flit_middle *next = net_flit_middle(depth, b, 0);
    b->packet[0] = next->packet;
    b->length[0] = b->in[0] = next->length;
    b->middle_first = (uint8_t)((b->middle_first + 1u) % (depth->packets - 1));
    b->middle--;
}

// The one that was promoted last.
static inline const struct net_flit_middle *net_flit_promoted(const struct net_flit_depth *depth,
                                                              const struct net_flit_buffer *b)
{
    return net_flit_middle(depth, b, depth->packets - 2);
}

// A word leaves; true: it was the tail, and the next packet is the first. Promoted, if there is a
// newest then.
static inline bool net_flit_take(const struct net_flit_depth *depth, struct net_flit_buffer *b)
{
    b->words--;
    if (++b->out < b->length[0])
        return false;
    b->out = 0;
    if (__builtin_expect(b->middle, 0)) {
        net_flit_promote(depth, b);
        return true;
    }
    b->packet[0] = b->packet[1];
    b->length[0] = b->length[1];
    b->in[0] = b->in[1];
    b->packet[1] = NET_FLIT_NO_PACKET;
    b->in[1] = 0;
    return true;
}

#endif
