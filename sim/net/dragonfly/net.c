// SPDX-License-Identifier: Apache-2.0
#include "dragonfly/net.h"

#include <stdio.h>
#include <stdlib.h>

#include "dragonfly/sim.h"

static void advance(struct net_sim *sim, uint64_t until)
{
    uint64_t cycles = (until + NET_FLIT_CYCLE - 1) / NET_FLIT_CYCLE; // those that begin before it
    uint32_t end = cycles < sim->end ? (uint32_t)cycles : sim->end;
    while (sim->now < end && !sim->out_of_memory) {
        // Nothing happens until the next birth, once the last credits are back.
        if (!sim->in_flight && sim->now > sim->progress + sim->slots) {
            uint32_t next = net_df_skip(sim);
            sim->now = next < end ? next : end;
            if (sim->now == end)
                return;
        }
        net_df_cycle(sim);
#ifdef NET_FLIT_CHECKED
        const char *wrong = net_df_check(sim);
        if (wrong) {
            fprintf(stderr, "torussim: cycle %u: %s\n", sim->now - 1, wrong);
            abort();
        }
#endif
    }
}

static struct net_watch watch(const struct net_sim *sim, uint64_t at)
{
    (void)at;
    bool over = sim->now >= sim->end;
    return (struct net_watch){.next = over ? UINT64_MAX : (uint64_t)sim->now * NET_FLIT_CYCLE,
                              .last = (uint64_t)sim->end * NET_FLIT_CYCLE,
                              .progress = (uint64_t)sim->progress * NET_FLIT_CYCLE,
                              .consumed = sim->now, // the progress of a run is its time
                              .packets = sim->end,
                              .generated = sim->now + (sim->in_flight != 0),
                              .out_of_memory = sim->out_of_memory};
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
    struct net_result r = {.end = end,
                           .generated = sim->created,
                           .consumed = sim->delivered,
                           .in_flight = sim->entered - sim->delivered,
                           .waiting = sim->created - sim->entered - sim->refused,
                           .refused = sim->refused,
                           .entered = sim->entered,
                           .hops = sim->hops,
                           .end_time = at,
                           .flit = net_flit_means(sim->config, sim->batch, sim->d.nodes)};
    r.flit.latency_max = sim->latency_max;
    r.flit.flit_hops = sim->hops * sim->words;
    for (unsigned i = 0; i < 3; i++)
        r.flit.waits[i] = sim->waits[i] / sim->measured;
    r.flit.ring_entries = sim->entries;
    double sum = 0;
    for (unsigned i = 0; i < sim->d.a; i++)
        sum += (double)sim->injected[i];
    for (unsigned i = 0; i < sim->d.a; i++) {
        r.flit.injected[i] = sim->injected[i];
        r.flit.share[i] = (double)sim->injected[i] * sim->d.a / sum;
    }
    r.flit.routers = sim->d.a;
    if (end == NET_STUCK)
        name_stuck(sim, r.stuck, sizeof r.stuck);
    net_df_free(sim);
    return r;
}

const struct net_engine net_dragonfly_engine = {
    .name = "dragonfly-2",
    .check = net_dragonfly_config_check,
    .open = net_df_open,
    .advance = advance,
    .watch = watch,
    .result = result,
};
