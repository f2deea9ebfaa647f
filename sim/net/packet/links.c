// SPDX-License-Identifier: Apache-2.0
// lint-flags: -D_GNU_SOURCE
#include "packet/links.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

void *net_allocate(size_t count, size_t size)
{
    enum { LINE = 64, PAGE = 2 << 20 };
    size_t bytes = count * size, unit = bytes >= PAGE ? PAGE : LINE;
    bytes = (bytes + unit - 1) & ~(unit - 1);
    void *memory = aligned_alloc(unit, bytes);
    if (memory && unit == PAGE)
        madvise(memory, bytes, MADV_HUGEPAGE); // or it does without
    return memory ? memset(memory, 0, bytes) : NULL;
}

static unsigned log2_of(size_t bytes)
{
    unsigned shift = 0;
    while ((size_t)1 << shift < bytes)
        shift++;
    return shift;
}

bool net_links_init(struct net_links *links, const struct net_config *config,
                    const struct net_times *times)
{
    const struct ofr_torus *torus = &config->torus;
    uint32_t nodes = ofr_nodes(torus), ports = 2u * torus->n;
    // Packets arrive at most every ext_packet, an ACK waits for at most one packet and the two ACKs
    // before it; and no more are on their way than there are slots.
    uint64_t window = times->ext_packet + 3 * times->ext_ack + times->ext_latency;
    *links = (struct net_links){.end = nodes,
                                .ports = ports,
                                .bits = log2_of(ports),
                                .ring = 4,
                                .unused = NET_NONE,
                                .no_ack = times->ext_ack + times->ext_latency};
    while (links->ring < window / times->ext_packet + 1 && links->ring < NET_VCS * config->slots)
        links->ring *= 2;
    while (window >> links->shift >= 1u << 30)
        links->shift++;
    links->link_shift = log2_of(sizeof(struct net_link) + links->ring * sizeof(uint64_t));
    links->node_shift =
        log2_of(ports * (sizeof(uint32_t) + NET_VCS * sizeof(uint16_t)) + sizeof(uint32_t));
    size_t places = (size_t)nodes << links->bits;
    links->link = net_allocate(places, (size_t)1 << links->link_shift);
    links->node = net_allocate(nodes, (size_t)1 << links->node_shift);
    links->escape = net_allocate(places, 2 * sizeof *links->escape);
    links->sent = net_allocate(places, sizeof *links->sent);
    if (config->smooth)
        links->mean = net_allocate(places, sizeof *links->mean);
    if (!links->link || !links->node || !links->escape || !links->sent ||
        (config->smooth && !links->mean))
        return false;
    for (uint32_t node = 0; node < nodes; node++) {
        struct ofr_coord at = ofr_node_coord(torus, node);
        for (unsigned port = 0; port < ports; port++) {
            struct ofr_coord to = ofr_neighbour(torus, at, port);
            net_link(links, net_place(links, node, port))->peer =
                net_place(links, ofr_node_id(torus, &to), port ^ 1);
        }
    }
    net_links_settle(links, 0);
    return true;
}

void net_links_free(struct net_links *links)
{
    free(links->link);
    free(links->node);
    free(links->escape);
    free(links->sent);
    free(links->mean);
}

struct net_links net_links_part(const struct net_links *all, uint32_t first, uint32_t end)
{
    struct net_links part = *all;
    part.first = first;
    part.end = end;
    return part;
}

void net_links_part_free(struct net_links *part)
{
    free(part->slots);
}

bool net_links_grow(struct net_links *links)
{
    uint32_t capacity = links->capacity ? 2 * links->capacity : 1024;
    struct net_packet *slots = net_allocate(capacity, sizeof *slots);
    if (!slots)
        return false;
    if (links->slots)
        memcpy(slots, links->slots, links->capacity * sizeof *slots);
    free(links->slots);
    for (uint32_t s = links->capacity; s < capacity; s++)
        slots[s].next = s + 1 < capacity ? s + 1 : links->unused;
    links->slots = slots;
    links->unused = links->capacity;
    links->capacity = capacity;
    return true;
}

void net_settle_due(struct net_links *links, uint32_t node, unsigned port, uint64_t now)
{
    struct net_link *link = net_link(links, net_place(links, node, port));
    uint64_t next = now + links->no_ack;
    while (link->ack_count) {
        uint64_t first = link->ack[link->ack_first];
        next = first >> 2;
        if (next > now)
            break;
        net_used(links, node, first & 3)[port]--;
        link->ack_first = (link->ack_first + 1) & (links->ring - 1);
        link->ack_count--;
        next = now + links->no_ack;
    }
    net_quiet(links, node)[port] = (uint32_t)(next >> links->shift);
}

uint64_t net_links_settle(struct net_links *links, uint64_t now)
{
    uint64_t held = 0;
    for (uint32_t node = links->first; node < links->end; node++)
        for (unsigned port = 0; port < links->ports; port++) {
            net_settle_due(links, node, port, now);
            for (unsigned vc = 0; vc < NET_VCS; vc++)
                held += net_used(links, node, vc)[port];
        }
    links->next_settle = now + ((uint64_t)1 << 30 << links->shift);
    return held;
}
