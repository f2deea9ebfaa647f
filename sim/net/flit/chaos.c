// SPDX-License-Identifier: Apache-2.0
#include "flit/chaos.h"

#include "config/random.h"

bool net_chaos_may_load(struct net_chaos_end end)
{
    return !end.out && !end.in;
}

bool net_chaos_may_exchange(struct net_chaos_end end)
{
    return !end.out && end.in;
}

struct net_chaos_end net_chaos_end(const struct net_sim *sim, uint32_t node, unsigned port)
{
    size_t place = (size_t)node * sim->places + port;
    const struct net_flit_buffer *out = &sim->output[place].b;
    const struct net_flit_input *in = &sim->input[place];
    bool second = in->b.packet[1] != NET_FLIT_NO_PACKET;
    return (struct net_chaos_end){.out = out->packet[0] != NET_FLIT_NO_PACKET &&
                                         (!out->out || out->packet[1] != NET_FLIT_NO_PACKET),
                                  .in = in->b.packet[0] != NET_FLIT_NO_PACKET &&
                                        (in->to == NET_FLIT_NONE || second)};
}

static struct net_flit_input *input_of(const struct net_sim *sim, uint32_t node, unsigned place)
{
    return &sim->input[(size_t)node * sim->places + place];
}

static uint64_t bit(unsigned place)
{
    return (uint64_t)1 << place;
}

// Places of the multiqueue.
static uint64_t queue(const struct net_sim *sim)
{
    return sim->group_mask[sim->shape.torus.n + 1];
}

// Whether the packet of an input that waits could go on now, but for the one connection a cycle.
static bool finds_output(const struct net_sim *sim, uint32_t node, const struct net_flit_input *in)
{
    for (unsigned i = 0; i < in->count; i++)
        if (net_flit_is_free(sim, node, in->out[i]))
            return true;
    return false;
}

static bool wants(const struct net_flit_input *in, unsigned to)
{
    for (unsigned i = 0; i < in->count; i++)
        if (in->out[i] == to)
            return true;
    return false;
}

// Of a mask of places the one whose packet could go on first; there is one.
static unsigned oldest(const struct net_sim *sim, uint32_t node, uint64_t places)
{
    unsigned best = (unsigned)__builtin_ctzll(places);
    for (uint64_t rest = places; rest; rest &= rest - 1) {
        unsigned place = (unsigned)__builtin_ctzll(rest);
        if (input_of(sim, node, place)->ready[0] < input_of(sim, node, best)->ready[0])
            best = place;
    }
    return best;
}

static unsigned draw(const struct net_sim *sim, uint32_t node, uint64_t places, enum net_draw use)
{
    uint64_t random = net_random(sim->config->seed, use, node, sim->now);
    unsigned skip = net_below(random, (unsigned)__builtin_popcountll(places));
    for (; skip; skip--)
        places &= places - 1;
    return (unsigned)__builtin_ctzll(places);
}

// Inputs that wait for the multiqueue.
static uint64_t stalled(const struct net_sim *sim, uint32_t node)
{
    uint64_t from = bit(sim->queue) - 1, found = 0;
    if (sim->config->flit.deroute_injected)
        from |= bit(sim->places - 1);
    for (uint64_t rest = sim->node[node].wait & from; rest; rest &= rest - 1) {
        unsigned place = (unsigned)__builtin_ctzll(rest);
        const struct net_flit_input *in = input_of(sim, node, place);
        if (in->ready[0] <= sim->now && sim->now - in->ready[0] >= sim->config->flit.queue_after &&
            !finds_output(sim, node, in))
            found |= bit(place);
    }
    return found;
}

// A place of the multiqueue that takes a packet; none: 0.
static unsigned room(const struct net_sim *sim, uint32_t node)
{
    for (unsigned place = sim->queue; place < sim->places - 1; place++)
        if (net_flit_accepts(&sim->depth, &input_of(sim, node, place)->b))
            return place;
    return 0;
}

// Places of the multiqueue whose packet may be exchanged.
static uint64_t exchangeable(const struct net_sim *sim, uint32_t node)
{
    uint64_t found = 0;
    for (uint64_t rest = sim->node[node].wait & queue(sim); rest; rest &= rest - 1) {
        unsigned place = (unsigned)__builtin_ctzll(rest);
        const struct net_flit_input *in = input_of(sim, node, place);
        if (in->ready[0] <= sim->now && in->b.in[0] == in->b.length[0] &&
            !wants(in, sim->places - 1))
            found |= bit(place);
    }
    return found;
}

// Those of the places that want a port.
static uint64_t wanting(const struct net_sim *sim, uint32_t node, uint64_t places, unsigned port)
{
    uint64_t found = 0;
    for (uint64_t rest = places; rest; rest &= rest - 1) {
        unsigned place = (unsigned)__builtin_ctzll(rest);
        if (wants(input_of(sim, node, place), port))
            found |= bit(place);
    }
    return found;
}

// Ports where an exchange may be: a draw only among all of the multiqueue, as with fewer, in the
// end one, the same packets would go to and fro for ever.
static uint64_t exchanges(const struct net_sim *sim, uint32_t node)
{
    uint64_t found = 0, may = exchangeable(sim, node);
    if (!may || room(sim, node))
        return 0;
    for (uint64_t rest = stalled(sim, node) & (bit(sim->queue) - 1); rest; rest &= rest - 1) {
        unsigned port = (unsigned)__builtin_ctzll(rest);
        if (net_flit_takes(sim, &sim->output[(size_t)node * sim->places + port]) &&
            net_chaos_may_exchange(net_chaos_end(sim, node, port)) &&
            (may == queue(sim) || wanting(sim, node, may, port)))
            found |= bit(port);
    }
    return found;
}

static void exchange(struct net_sim *sim, uint32_t node, unsigned port)
{
    uint64_t may = exchangeable(sim, node), want = wanting(sim, node, may, port);
    unsigned place = want ? oldest(sim, node, want) : draw(sim, node, may, DRAW_DEROUTE);
    sim->derouted += !want;
    net_flit_connect(sim, node, place, port);
    net_flit_connect(sim, node, port, place);
}

static void route_inputs(struct net_sim *sim, uint32_t node)
{
    struct net_flit_node *n = &sim->node[node];
    if (net_flit_route_inputs(sim, node))
        return;
    uint64_t may = exchanges(sim, node);
    for (unsigned i = 1; may && i <= sim->groups; i++) {
        unsigned g = (n->group + i) % sim->groups;
        if (!(may & sim->group_mask[g]))
            continue;
        unsigned port = net_flit_next_bit(may & sim->group_mask[g], n->pointer[g]);
        exchange(sim, node, port);
        net_flit_served(n, g, port);
        return;
    }
}

static void route_outputs(struct net_sim *sim, uint32_t node)
{
    struct net_flit_node *n = &sim->node[node];
    uint64_t wanted = 0, from[2 * OFR_MAX_DIMS + 1] = {0}; // the last: delivery
    for (uint64_t rest = n->wait; rest; rest &= rest - 1) {
        unsigned place = (unsigned)__builtin_ctzll(rest);
        const struct net_flit_input *in = input_of(sim, node, place);
        for (unsigned i = 0; in->ready[0] <= sim->now && i < in->count; i++)
            if (net_flit_is_free(sim, node, in->out[i])) {
                wanted |= bit(in->out[i]);
                from[in->out[i] < sim->queue ? in->out[i] : sim->queue] |= bit(place);
            }
    }
    uint64_t may = exchanges(sim, node);
    unsigned groups = sim->shape.torus.n + 1u;
    for (unsigned i = 1; (wanted | may) && i <= groups; i++) {
        unsigned g = (n->group + i) % groups;
        uint64_t mask = (wanted | may) & sim->group_mask[g];
        if (!mask)
            continue;
        unsigned to = net_flit_next_bit(mask, n->pointer[g]);
        uint64_t places = wanted & bit(to) ? from[to < sim->queue ? to : sim->queue] : 0;
        if (!places)
            exchange(sim, node, to);
        else if (places & queue(sim) && !sim->config->flit.queue_drawn)
            net_flit_connect(sim, node, oldest(sim, node, places & queue(sim)), to);
        else
            net_flit_connect(sim, node, draw(sim, node, places, DRAW_SELECT), to);
        net_flit_served(n, g, to);
        return;
    }
}

void net_chaos_route(struct net_sim *sim, uint32_t node)
{
    if (sim->config->flit.output_driven)
        route_outputs(sim, node);
    else
        route_inputs(sim, node);
    unsigned to = room(sim, node);
    uint64_t waiting = to ? stalled(sim, node) : 0;
    if (waiting)
        net_flit_connect(sim, node, oldest(sim, node, waiting), to);
}
