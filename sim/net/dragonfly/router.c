// SPDX-License-Identifier: Apache-2.0
// The separable allocator of a router.
#include "config/random.h"
#include "dragonfly/select.h"

struct request {
    struct net_df_way way;
    unsigned vc;
};

struct requests {
    struct request of[NET_MAX_DRAGONFLY_PORTS][NET_MAX_DRAGONFLY_VCS];
    uint8_t asks[NET_MAX_DRAGONFLY_PORTS]; // of each input port: VCs that ask
    uint64_t inputs;                       // input ports of which one does
    uint64_t taken;                        // outputs that have been given
};

void net_df_fetch(const struct net_sim *sim, uint32_t router)
{
    for (uint64_t rest = sim->occupied[router]; rest; rest &= rest - 1) {
        size_t at = net_df_port_of(sim, router, (unsigned)__builtin_ctzll(rest));
        if (sim->port[at].input_free > sim->now)
            continue;
        for (unsigned mask = sim->port[at].queues; mask; mask &= mask - 1) {
            unsigned v = (unsigned)__builtin_ctz(mask);
            __builtin_prefetch(net_df_packet(sim, sim->queue[at * sim->vcs + v].first), 1);
        }
    }
}

static void ask(struct net_sim *sim, uint32_t router, struct requests *all)
{
    for (uint64_t rest = sim->occupied[router]; rest; rest &= rest - 1) {
        unsigned port = (unsigned)__builtin_ctzll(rest);
        size_t at = net_df_port_of(sim, router, port);
        all->asks[port] = 0;
        if (sim->port[at].input_free > sim->now)
            continue;
        for (unsigned mask = sim->port[at].queues; mask; mask &= mask - 1) {
            unsigned v = (unsigned)__builtin_ctz(mask);
            struct net_df_packet *p = net_df_packet(sim, sim->queue[at * sim->vcs + v].first);
            struct request *r = &all->of[port][v];
            r->vc = 0;
            if (p->ready <= sim->now && net_df_select(sim, router, port, p, &r->way, &r->vc))
                all->asks[port] |= (uint8_t)(1u << v);
        }
        if (all->asks[port])
            all->inputs |= (uint64_t)1 << port;
    }
}

// Who asks at a place in a router: each of `count`, with the cycle in which it was served last
// there, plus 1, `stride` bytes apart.
struct place {
    const struct net_sim *sim;
    uint64_t number; // among the places of all routers
    const uint32_t *served;
    size_t stride;
    unsigned count;
};

static uint32_t served_at(const struct place *p, unsigned i)
{
    return *(const uint32_t *)((const char *)p->served + i * p->stride);
}

// The place of the one that was served last, or of the last one.
static unsigned served_last(const struct place *p)
{
    unsigned last = p->count - 1;
    for (unsigned i = 0; i < p->count; i++)
        if (served_at(p, i) > served_at(p, last))
            last = i;
    return last;
}

// Whether x is taken rather than y.
static bool goes_first(const struct place *p, unsigned x, unsigned y)
{
    unsigned last;
    switch (p->sim->config->dragonfly.allocator) {
    case NET_ROUND_ROBIN:
        last = served_last(p) + 1;
        return (x + p->count - last) % p->count < (y + p->count - last) % p->count;
    case NET_RANDOM_ONE:
        return net_random(p->sim->config->seed, DRAW_ALLOCATE, p->number << 8 | x, p->sim->now) <
               net_random(p->sim->config->seed, DRAW_ALLOCATE, p->number << 8 | y, p->sim->now);
    default:
        return served_at(p, x) < served_at(p, y);
    }
}

// The VC of an input port that is taken of those that ask for an output still to be had; negative:
// none.
static int pick_queue(const struct net_sim *sim, uint32_t router, unsigned port,
                      const struct requests *all)
{
    size_t at = net_df_port_of(sim, router, port);
    struct place its = {sim, 2 * at, &sim->queue[at * sim->vcs].served, sizeof *sim->queue,
                        sim->vcs};
    int best = -1;
    for (unsigned mask = all->asks[port]; mask; mask &= mask - 1) {
        unsigned v = (unsigned)__builtin_ctz(mask);
        if (!(all->taken >> all->of[port][v].way.port & 1) &&
            (best < 0 || goes_first(&its, v, (unsigned)best)))
            best = (int)v;
    }
    return best;
}

// Whether an output rather takes input port x than y.
static bool before(const struct net_sim *sim, uint32_t router, unsigned out, unsigned x, unsigned y)
{
    bool transit_x = x < sim->d.locals, transit_y = y < sim->d.locals;
    size_t at = net_df_port_of(sim, router, out);
    struct place its = {sim, 2 * at + 1, &sim->served[at * sim->d.ports], sizeof *sim->served,
                        sim->d.ports};
    if (transit_x != transit_y && !sim->config->dragonfly.equal)
        return transit_x;
    return goes_first(&its, x, y);
}

void net_df_allocate(struct net_sim *sim, uint32_t router)
{
    struct requests all; // of the rest only what asks is written, and read
    all.inputs = all.taken = 0;
    ask(sim, router, &all);
    for (unsigned i = 0; i < sim->config->dragonfly.iterations && all.inputs; i++) {
        int8_t winner[NET_MAX_DRAGONFLY_PORTS], queue[NET_MAX_DRAGONFLY_PORTS];
        uint64_t wanted = 0;
        for (uint64_t rest = all.inputs; rest; rest &= rest - 1) {
            unsigned port = (unsigned)__builtin_ctzll(rest);
            int q = pick_queue(sim, router, port, &all);
            if (q < 0) {
                all.inputs &= ~((uint64_t)1 << port);
                continue;
            }
            unsigned out = all.of[port][q].way.port;
            queue[port] = (int8_t)q;
            if (!(wanted >> out & 1) || before(sim, router, out, port, (unsigned)winner[out]))
                winner[out] = (int8_t)port;
            wanted |= (uint64_t)1 << out;
        }
        for (uint64_t rest = wanted; rest; rest &= rest - 1) {
            unsigned out = (unsigned)__builtin_ctzll(rest), port = (unsigned)winner[out];
            const struct request *r = &all.of[port][queue[port]];
            all.inputs &= ~((uint64_t)1 << port);
            sim->served[net_df_port_of(sim, router, out) * sim->d.ports + port] = sim->now + 1;
            net_df_send(sim, router, port, (unsigned)queue[port], r->way, r->vc);
        }
        all.taken |= wanted;
    }
}
