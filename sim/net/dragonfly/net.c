// SPDX-License-Identifier: Apache-2.0
#include "dragonfly/net.h"

#include <stdio.h>

#include "dragonfly/sim.h"

static void advance(struct net_sim *sim, uint64_t until)
{
    uint64_t cycles = (until + NET_FLIT_CYCLE - 1) / NET_FLIT_CYCLE; // those that begin before it
    uint32_t end = cycles < sim->end ? (uint32_t)cycles : sim->end;
    net_df_advance(sim, end);
}

static struct net_watch watch(const struct net_sim *sim, uint64_t at)
{
    (void)at;
    const struct net_df_counts sum = net_df_sum(sim);
    bool over = sim->now >= sim->end;
    return (struct net_watch){.next = over ? UINT64_MAX : (uint64_t)sim->now * NET_FLIT_CYCLE,
                              .last = (uint64_t)sim->end * NET_FLIT_CYCLE,
                              .progress = (uint64_t)sum.progress * NET_FLIT_CYCLE,
                              .consumed = sim->now, // the progress of a run is its time
                              .packets = sim->end,
                              .generated = sim->now + (sum.in_flight != 0),
                              .out_of_memory = sum.out_of_memory};
}

static void name_stuck(const struct net_sim *sim, char *text, size_t size)
{
    size_t vcs = (size_t)sim->d.routers * sim->d.ports * sim->vcs;
    for (size_t i = 0; i < vcs; i++) {
        size_t port = i / sim->vcs;
        if (!sim->queue[i].count)
            continue;
        snprintf(text, size, "a packet to node %u in VC %u of router %u, port %u, and others",
                 net_df_packet(sim, sim->queue[i].first)->h.dst, (unsigned)(i % sim->vcs),
                 (unsigned)(port / sim->d.ports), (unsigned)(port % sim->d.ports));
        return;
    }
    snprintf(text, size, "packets on links");
}

static struct net_result result(struct net_sim *sim, enum net_end end, uint64_t at)
{
    const struct net_df_counts sum = net_df_sum(sim);
    net_df_add_batches(sim);
    struct net_result r = {.end = end,
                           .generated = sum.created,
                           .consumed = sum.delivered,
                           .in_flight = sum.entered - sum.delivered,
                           .waiting = sum.created - sum.entered - sum.refused,
                           .refused = sum.refused,
                           .entered = sum.entered,
                           .hops = sum.hops,
                           .end_time = at,
                           .flit = net_flit_means(sim->config, sim->batch, sim->d.nodes)};
    r.flit.latency_max = sum.latency_max;
    r.flit.flit_hops = sum.hops * sim->words;
    for (unsigned i = 0; i < 3; i++)
        r.flit.waits[i] = sum.waits[i] / sum.measured;
    r.flit.ring_entries = sum.entries;
    double injected = 0;
    for (unsigned i = 0; i < sim->d.a; i++)
        injected += (double)sim->injected[i];
    for (unsigned i = 0; i < sim->d.a; i++) {
        r.flit.injected[i] = sim->injected[i];
        r.flit.share[i] = (double)sim->injected[i] * sim->d.a / injected;
    }
    r.flit.routers = sim->d.a;
    if (end == NET_STUCK)
        name_stuck(sim, r.stuck, sizeof r.stuck);
    net_df_free(sim);
    return r;
}

const struct net_engine net_dragonfly_engine = {
    .name = "dragonfly-3",
    .check = net_dragonfly_config_check,
    .open = net_df_open,
    .advance = advance,
    .watch = watch,
    .result = result,
};
