// SPDX-License-Identifier: Apache-2.0
// Fetch into the cache what comes next will touch: of the lines some events ahead, in two steps,
// since the second needs what the first one fetched; of the wheel the next event. It pays only
// where what is touched does not fit the cache anyway (net_part.look_ahead).
#ifndef NET_AHEAD_H
#define NET_AHEAD_H

#include "packet/part.h"

// What only fetches into the cache is without effect to GCC: unless it is inlined at once, its
// calls are dropped.
#define AHEAD static inline __attribute__((always_inline))

enum { FAR = 40, MIDDLE = 26, NEAR = 14 };

// Fetches into the cache where the escape's queues begin, if there is one that waits.
AHEAD void look_ahead_escape(const struct net_part *part, uint32_t place)
{
    if (net_link(&part->links, place)->waiting >> NET_VS1)
        __builtin_prefetch(&part->links.escape[2 * (size_t)place]);
}

// Fetches into the cache what send_next will touch.
AHEAD void look_ahead_queue(const struct net_part *part, uint32_t place)
{
    struct net_link *link = net_link(&part->links, place);
    if (!link->waiting)
        return;
    unsigned vc = 31 - (unsigned)__builtin_clz(link->waiting);
    __builtin_prefetch(&part->links.slots[net_queue(&part->links, link, place, vc)->head]);
}

AHEAD void look_ahead_arrive(const struct net_part *part)
{
    const struct net_line *line = &part->wheel.line[LINE_OWN];
    const struct net_links *links = &part->links;
    const struct net_line_event *e = net_wheel_ahead(line, FAR);
    if (e) {
        __builtin_prefetch(net_link(links, e->index));
        __builtin_prefetch(net_quiet(links, net_node(links, e->index)));
    }
    e = net_wheel_ahead(line, NEAR);
    if (!e)
        return;
    const struct net_packet *packet = net_wheel_cargo_ahead(line, NEAR);
    uint32_t node = net_node(links, e->index);
    __builtin_prefetch(net_link(links, net_link(links, e->index)->peer));
    for (uint32_t rest = net_leg_mu(packet->leg); rest; rest &= rest - 1)
        __builtin_prefetch(net_link(links, net_place(links, node, (unsigned)__builtin_ctz(rest))));
}

AHEAD void look_ahead_free(const struct net_part *part, uint32_t l)
{
    const struct net_line *line = &part->wheel.line[l];
    const struct net_line_event *e = net_wheel_ahead(line, FAR);
    if (e)
        __builtin_prefetch(net_link(&part->links, e->index));
    e = net_wheel_ahead(line, MIDDLE);
    if (e)
        look_ahead_escape(part, e->index);
    e = net_wheel_ahead(line, NEAR);
    if (e)
        look_ahead_queue(part, e->index);
}

AHEAD void look_ahead_nak(const struct net_part *part)
{
    const struct net_line *line = &part->wheel.line[LINE_NAK];
    const struct net_line_event *e = net_wheel_ahead(line, FAR);
    if (e)
        __builtin_prefetch(net_link(&part->links, e->index));
    e = net_wheel_ahead(line, NEAR);
    if (!e)
        return;
    const struct net_packet *packet = net_wheel_cargo_ahead(line, NEAR);
    struct net_link *link = net_link(&part->links, e->index);
    if (link->waiting >> packet->vc & 1)
        __builtin_prefetch(
            &part->links.slots[net_queue(&part->links, link, e->index, packet->vc)->head]);
}

AHEAD void look_ahead_inject(const struct net_part *part)
{
    enum { FARTHEST_INJECT = 9, FAR_INJECT = 6, NEAR_INJECT = 3 };
    const struct net_line *line = &part->wheel.line[LINE_INJECT];
    const struct net_line_event *e = net_wheel_ahead(line, FARTHEST_INJECT);
    if (e)
        __builtin_prefetch(&part->sources[e->index]);
    e = net_wheel_ahead(line, FAR_INJECT);
    if (e) {
        uint32_t from = part->sources[e->index].at;
        const char *ways = (const char *)&part->ways[(size_t)from * part->max_ways];
        __builtin_prefetch(&part->coord[e->index]);
        __builtin_prefetch(net_quiet(&part->links, e->index));
        for (size_t at = 0; at < part->max_ways * sizeof *part->ways; at += 64)
            __builtin_prefetch(ways + at);
    }
    e = net_wheel_ahead(line, NEAR_INJECT);
    if (!e)
        return;
    for (unsigned port = 0; port < part->links.ports; port++)
        if (net_may_settle(&part->links, e->index, port, part->wheel.now))
            __builtin_prefetch(net_link(&part->links, net_place(&part->links, e->index, port)));
}

AHEAD void look_ahead_wheel(const struct net_part *part)
{
    const struct net_event *next = net_wheel_peek(&part->wheel);
    if (!next || next->kind == NET_BIRTH || next->kind == NET_INJECT)
        return;
    __builtin_prefetch(net_link(&part->links, next->index));
    if (next->kind == NET_NAK)
        __builtin_prefetch(&part->links.slots[next->packet]);
}

#endif
