// SPDX-License-Identifier: Apache-2.0
#include "flit/exchange.h"

const struct net_chaos_rule net_chaos_rule = {net_chaos_may_load, net_chaos_may_exchange};

// Of a link: bit 2 e: a packet waits in the output of end e, bit 2 e + 1: in its input.
enum { STATES = 16 };

static struct net_chaos_end end_of(unsigned state, unsigned end)
{
    return (struct net_chaos_end){.out = state >> 2 * end & 1, .in = state >> (2 * end + 1) & 1};
}

// The state after a packet crossed from `end`, or was exchanged there; the same: it cannot.
static unsigned crossed(unsigned state, unsigned end)
{
    unsigned out = 1u << 2 * end, in = 2u << 2 * !end;
    return state & out && !(state & in) ? state ^ out ^ in : state;
}

static unsigned exchanged(unsigned state, unsigned end, const struct net_chaos_rule *rule)
{
    struct net_chaos_end e = end_of(state, end);
    return rule->may_exchange(e) && e.in && !e.out ? state ^ 3u << 2 * end : state;
}

// A state that a link comes to and in which it stands still; 0: there is none.
static unsigned stuck(const struct net_chaos_rule *rule)
{
    unsigned reached = 1, before = 0;
    while (reached != before) {
        before = reached;
        for (unsigned state = 0; state < STATES; state++)
            for (unsigned end = 0; end < 2 && before >> state & 1; end++) {
                reached |= 1u << crossed(state, end) | 1u << exchanged(state, end, rule);
                reached |= 1u << (state & ~(2u << 2 * end)); // it went on, or was delivered
                if (rule->may_load(end_of(state, end)))
                    reached |= 1u << (state | 1u << 2 * end);
            }
    }
    for (unsigned state = 1; state < STATES; state++) {
        bool moves = false;
        for (unsigned end = 0; end < 2; end++)
            moves |= crossed(state, end) != state || exchanged(state, end, rule) != state;
        if (reached >> state & 1 && !moves)
            return state;
    }
    return 0;
}

struct ofr_deadlock net_chaos_deadlock(const struct net_config *c, net_flit_relation *relation,
                                       const struct net_chaos_rule *rule)
{
    struct ofr_deadlock d = {.verdict = OFR_ACYCLIC};
    struct net_flit_shape shape = net_flit_shape(c);
    struct net_flit_out out[NET_FLIT_OUTS];
    uint32_t nodes = ofr_nodes(&c->torus);
    bool is_stuck = stuck(rule) != 0;
    for (uint32_t node = 0; node < nodes; node++) {
        struct ofr_coord at = ofr_node_coord(&c->torus, node);
        for (uint32_t to = 0; to < nodes; to++) {
            struct ofr_coord dst = ofr_node_coord(&c->torus, to);
            d.queue[0] = (struct ofr_waiting){.node = node, .port = OFR_AT_LOCAL};
            if (to != node && !relation(&shape, &at, &dst, out)) {
                d.verdict = OFR_NO_ESCAPE;
                return d;
            }
        }
        for (unsigned port = 0; port < 2u * c->torus.n; port += 2) {
            if (!net_flit_link(&shape, &at, port))
                continue;
            d.queues += 4;
            d.dependencies += 4;
            d.rings++;
            d.verdict = is_stuck ? OFR_DEADLOCK : OFR_ESCAPABLE;
            if (!is_stuck)
                continue;
            struct ofr_coord next = ofr_neighbour(&c->torus, at, port);
            d.queue[0].port = (uint8_t)port;
            d.queue[1] = (struct ofr_waiting){.node = ofr_node_id(&c->torus, &next),
                                              .port = (uint8_t)(port + 1)};
            d.length = 2;
            d.ring = true;
            return d;
        }
    }
    return d;
}
