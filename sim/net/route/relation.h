// SPDX-License-Identifier: Apache-2.0
// The routing relation: where a packet may go on at a node, and what each of these outputs needs.
// It reads no occupancy and draws nothing: a deadlock checker enumerates with it what an engine
// runs. Which of the outputs is taken is the engine's selection (select.h).
//
//   DOR: the escape only. RDR, ABR, POR, OFR: the adaptive VC of every minimal direction, and the
//   escape in dimension order (Adaptive Bubble Router; paper, sec. 2): VS1 toward an IDN, VS2
//   toward the destination. RDR's draw of one dimension is a matter of selection.
#ifndef NET_RELATION_H
#define NET_RELATION_H

#include "config/config.h"
#include "config/random.h"
#include "credit.h"
#include "route.h"
#include "route/paths.h"

enum net_vc { NET_ADAPTIVE, NET_VS1, NET_VS2, NET_VCS };

// What an output needs, of its VC downstream.
enum net_need {
    NET_NEED_SLOT,    // a free slot
    NET_NEED_GOES_ON, // that of a ring the packet is in; once no output that needs a slot has one
    NET_NEED_ENTERS,  // two, the bubble rule's; once no output that needs a slot has one
};

enum { NET_GENERATOR = OFR_MAX_PORTS }; // "port" of a packet that enters the network

// What a packet comes in by. vc: of no meaning from the generator.
struct net_in {
    uint8_t port, vc;
};

// What of a packet routing looks at. mu: minimal ports of its leg, not 0.
struct net_head {
    uint16_t mu;
    bool to_idn; // on the first leg of two
};

struct net_candidate {
    uint8_t port, vc;
    enum net_need need;
};

enum { NET_MAX_CANDIDATES = OFR_MAX_PORTS + 1 };

// The relation as an engine wants it: all adaptive outputs, which need a slot, as a mask of ports
// (0: none), and the escape.
struct net_outputs {
    uint32_t adaptive;
    struct net_candidate escape;
};

static inline struct net_outputs net_outputs(enum net_routing routing, struct net_in in,
                                             struct net_head head)
{
    uint8_t port = (uint8_t)__builtin_ctz(head.mu); // dimension order, + at distance k/2
    uint8_t vc = (uint8_t)(NET_VS2 - head.to_idn);  // VS1 toward an IDN
    bool goes_on = ofr_route_goes_on(in.port, in.vc, port, vc);
    return (struct net_outputs){
        .adaptive = routing == NET_DOR ? 0 : head.mu,
        .escape = {port, vc, goes_on ? NET_NEED_GOES_ON : NET_NEED_ENTERS},
    };
}

// The same as a list, the escape last; returns how many.
static inline unsigned net_candidates(enum net_routing routing, struct net_in in,
                                      struct net_head head,
                                      struct net_candidate out[NET_MAX_CANDIDATES])
{
    struct net_outputs o = net_outputs(routing, in, head);
    unsigned count = 0;
    for (uint32_t rest = o.adaptive; rest; rest &= rest - 1)
        out[count++] =
            (struct net_candidate){(uint8_t)__builtin_ctz(rest), NET_ADAPTIVE, NET_NEED_SLOT};
    out[count++] = o.escape;
    return count;
}

// Whether an output has what it needs. free: slots of its VC downstream; reserve: how many of them
// are not enough (a packet from the generator: the throttle; in the network: 0).
static inline bool net_need_met(enum net_need need, unsigned free, unsigned reserve)
{
    bool bubble = need == NET_NEED_SLOT || ofr_bubble_allows(free, need == NET_NEED_GOES_ON);
    return bubble && ofr_threshold_allows(free, reserve);
}

// RDR: of the minimal ports those of one dimension, by 32 drawn bits.
static inline uint32_t net_one_dimension(uint32_t mu, unsigned n, uint32_t luck)
{
    unsigned dims = 0;
    for (unsigned i = 0; i < n; i++)
        dims += (mu >> 2 * i & 3) != 0;
    unsigned pick = net_below((uint64_t)luck << 32, dims);
    for (unsigned i = 0; i < n; i++)
        if ((mu >> 2 * i & 3) && pick-- == 0)
            return mu & 3u << 2 * i;
    return 0;
}

// Slots of a link as the decision on a way counts them (struct ofr_load).
static inline uint8_t net_load_slots(const struct net_config *c)
{
    return (uint8_t)(c->slots * (c->count_all ? NET_VCS : 1)); // NET_MAX_SLOTS
}

// Slots in use as that decision sees them: in preset ofr all of a link into which the generator
// may not put a packet (libofr's rule), of which the paper's presets know nothing. adaptive,
// escapes: in use; escapes counts with count_all only.
static inline unsigned net_seen(const struct net_config *c, unsigned adaptive, unsigned escapes)
{
    bool closed = c->preset == NET_PRESET_OFR &&
                  !ofr_threshold_allows(ofr_credit_free(adaptive, c->slots), c->throttle);
    return closed ? net_load_slots(c) : adaptive + (c->count_all ? escapes : 0);
}

#endif
