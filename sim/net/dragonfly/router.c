// SPDX-License-Identifier: Apache-2.0
// The separable allocator of a router.
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

// The least recently served VC of an input port that asks for an output still to be had; negative:
// none.
static int pick_queue(const struct net_sim *sim, uint32_t router, unsigned port,
                      const struct requests *all)
{
    const struct net_df_queue *queue = &sim->queue[net_df_port_of(sim, router, port) * sim->vcs];
    int best = -1;
    for (unsigned mask = all->asks[port]; mask; mask &= mask - 1) {
        unsigned v = (unsigned)__builtin_ctz(mask);
        if (!(all->taken >> all->of[port][v].way.port & 1) &&
            (best < 0 || queue[v].served < queue[best].served))
            best = (int)v;
    }
    return best;
}

// Whether an output rather takes input port x than y.
static bool before(const struct net_sim *sim, uint32_t router, unsigned out, unsigned x, unsigned y)
{
    bool transit_x = x < sim->d.locals, transit_y = y < sim->d.locals;
    const uint32_t *served = &sim->served[net_df_port_of(sim, router, out) * sim->d.ports];
    if (transit_x != transit_y && !sim->config->dragonfly.equal)
        return transit_x;
    return served[x] < served[y];
}

void net_df_allocate(struct net_sim *sim, uint32_t router)
{
    struct requests all = {.inputs = 0};
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
