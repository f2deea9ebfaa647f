// SPDX-License-Identifier: Apache-2.0
// The engine's selection among a packet's outputs, by slots in use, and the injection decision.
#ifndef NET_SELECT_H
#define NET_SELECT_H

#include "config/random.h"
#include "packet/links.h"
#include "route/relation.h"

// The freest adaptive output, the lowest port on a tie; where it has not what it needs, the escape.
// PORT << 2 | VC; -1: nowhere now. reserve: slots that are not enough, in an adaptive VC and in an
// escape (net_need_met). now: units.
static inline int net_select(struct net_links *links, uint32_t node, uint64_t now,
                             struct net_outputs outputs, unsigned slots, unsigned reserve,
                             unsigned escape_reserve)
{
    const uint16_t *used = net_used(links, node, NET_ADAPTIVE);
    enum { PORT = 16 };
    uint32_t best = UINT32_MAX; // slots in use * PORT + port, so that no branch has to be foretold
    for (uint32_t rest = outputs.adaptive; rest; rest &= rest - 1) {
        unsigned port = (unsigned)__builtin_ctz(rest);
        net_settle(links, node, port, now);
        uint32_t one = (uint32_t)used[port] * PORT + port;
        best = one < best ? one : best;
    }
    if (net_need_met(NET_NEED_SLOT, ofr_credit_free(best / PORT, slots), reserve))
        return (int)(best % PORT << 2 | NET_ADAPTIVE);
    struct net_candidate escape = outputs.escape;
    net_settle(links, node, escape.port, now);
    unsigned free = ofr_credit_free(net_used(links, node, escape.vc)[escape.port], slots);
    return net_need_met(escape.need, free, escape_reserve) ? escape.port << 2 | escape.vc : -1;
}

// Slots in use as the decision on a way sees them (struct ofr_load): all of a link into which the
// generator may not put a packet, in preset ofr (libofr's rule); the paper's presets know no such
// thing. ports: those that exist, as a mask. used: by port; gates: the same as the gates before
// derouting see it, in 1/256 slot.
static inline void net_look(struct net_links *links, const struct net_config *c, uint32_t node,
                            uint32_t ports, uint64_t now, uint8_t used[OFR_MAX_PORTS],
                            uint16_t gates[OFR_MAX_PORTS])
{
    const uint16_t *adaptive = net_used(links, node, NET_ADAPTIVE);
    for (uint32_t rest = ports; rest; rest &= rest - 1) {
        unsigned port = (unsigned)__builtin_ctz(rest), escapes = 0;
        net_settle(links, node, port, now);
        if (c->count_all)
            escapes = net_used(links, node, NET_VS1)[port] + net_used(links, node, NET_VS2)[port];
        unsigned seen = net_seen(c, adaptive[port], escapes);
        if (c->smooth) {
            uint16_t *mean = &links->mean[net_place(links, node, port)];
            *mean = (uint16_t)(*mean + (((int)(seen << 8) - *mean) >> c->smooth));
            if (!c->gates_only)
                seen = (*mean + 128u) >> 8;
        }
        used[port] = (uint8_t)seen;
        gates[port] =
            (uint16_t)(c->smooth && c->gates_only ? links->mean[net_place(links, node, port)]
                                                  : seen << 8);
    }
}

// Whether gates keep a packet from a way that leaves over `over` instead of the minimal one over
// `minimal`: that must be fuller than the other by `ratio`, and than the node's mean link by
// `above_mean`. ports: those that exist; all not empty.
static inline bool net_gates_close(const struct net_config *c, const uint16_t gates[OFR_MAX_PORTS],
                                   uint32_t ports, uint32_t minimal, uint32_t over)
{
    unsigned here = UINT16_MAX, there = UINT16_MAX, sum = 0, links = 0;
    for (uint32_t rest = ports; rest; rest &= rest - 1, links++) {
        unsigned port = (unsigned)__builtin_ctz(rest), used = gates[port];
        sum += used;
        if (minimal >> port & 1)
            here = used < here ? used : here;
        if (over >> port & 1)
            there = used < there ? used : there;
    }
    return (c->ratio > 0 && here <= c->ratio * there) ||
           (c->above_mean > 0 && here <= c->above_mean * sum / links);
}

// Slots in use of all links of a node, in all VCs.
static inline unsigned net_in_use(struct net_links *links, uint32_t node, uint32_t ports,
                                  uint64_t now)
{
    unsigned sum = 0;
    for (uint32_t rest = ports; rest; rest &= rest - 1) {
        unsigned port = (unsigned)__builtin_ctz(rest);
        net_settle(links, node, port, now);
        for (unsigned vc = 0; vc < NET_VCS; vc++)
            sum += net_used(links, node, vc)[port];
    }
    return sum;
}

#endif
