// SPDX-License-Identifier: Apache-2.0
// A buffer of words, with parts of two packets at most (sim.h).
#ifndef NET_FLIT_BUFFER_H
#define NET_FLIT_BUFFER_H

#include <stdbool.h>
#include <stdint.h>

#include "flit/pool.h"

#define NET_FLIT_NO_PACKET NET_POOL_NONE

// Its packets; words of each, those that came in, and those that have left of the first.
struct net_flit_buffer {
    uint32_t packet[2];
    uint16_t length[2], in[2], out;
};

static const struct net_flit_buffer net_flit_empty = {
    .packet = {NET_FLIT_NO_PACKET, NET_FLIT_NO_PACKET}};

static inline unsigned net_flit_words(const struct net_flit_buffer *b)
{
    return (unsigned)b->in[0] - b->out + b->in[1];
}

// A new packet, no word of which is in yet; returns 0 where it is the first one, else 1.
static inline unsigned net_flit_add(struct net_flit_buffer *b, uint32_t packet, uint16_t length)
{
    unsigned slot = b->packet[0] != NET_FLIT_NO_PACKET;
    b->packet[slot] = packet;
    b->length[slot] = length;
    b->in[slot] = 0;
    return slot;
}

// The packet that came last, 0 or 1.
static inline unsigned net_flit_newest(const struct net_flit_buffer *b)
{
    return b->packet[1] != NET_FLIT_NO_PACKET;
}

// A word leaves; true: it was the tail, and the next packet is the first.
static inline bool net_flit_take(struct net_flit_buffer *b)
{
    if (++b->out < b->length[0])
        return false;
    b->packet[0] = b->packet[1];
    b->length[0] = b->length[1];
    b->in[0] = b->in[1];
    b->packet[1] = NET_FLIT_NO_PACKET;
    b->in[1] = b->out = 0;
    return true;
}

#endif
