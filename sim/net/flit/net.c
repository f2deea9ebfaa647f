// SPDX-License-Identifier: Apache-2.0
#include "flit/net.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "flit/sim.h"
#include "measure/steady.h"
#include "topo/name.h"

static void advance(struct net_sim *sim, uint64_t until)
{
    uint64_t cycles = (until + NET_FLIT_CYCLE - 1) / NET_FLIT_CYCLE; // those that begin before it
    uint32_t end = cycles < sim->end ? (uint32_t)cycles : sim->end;
    net_flit_advance(sim, end);
}

static struct net_watch watch(const struct net_sim *sim, uint64_t at)
{
    (void)at;
    const struct net_flit_counts sum = net_flit_sum(sim);
    bool over = sim->now >= sim->end;
    return (struct net_watch){.next = over ? UINT64_MAX : (uint64_t)sim->now * NET_FLIT_CYCLE,
                              .last = (uint64_t)sim->end * NET_FLIT_CYCLE,
                              .progress = (uint64_t)sum.progress * NET_FLIT_CYCLE,
                              // The progress of a run is its time.
                              .consumed = sim->now,
                              .packets = sim->end,
                              // Nothing is stuck that is not on its way.
                              .generated = sim->now + (sum.in_flight != 0),
                              .out_of_memory = sum.out_of_memory};
}

void net_flit_take_batches(const struct net_flit_config *config, struct net_flit_batch *to,
                           struct net_flit_batch *from)
{
    for (uint32_t b = 0; b < config->batches; b++) {
        to[b].created += from[b].created;
        to[b].delivered += from[b].delivered;
        to[b].latency += from[b].latency;
        to[b].wait += from[b].wait;
    }
    memset(from, 0, config->batches * sizeof *from);
}

struct net_flit_figures net_flit_means(const struct net_config *config,
                                       const struct net_flit_batch *batches, uint32_t nodes)
{
    const struct net_flit_config *f = &config->flit;
    struct net_flit_figures g = {0};
    double scale = net_flit_period(config) / ((double)nodes * f->batch);
    double *accepted = calloc(f->batches, sizeof *accepted);
    double *latency = calloc(f->batches, sizeof *latency);
    double *growth = calloc(f->batches, sizeof *growth);
    double created = 0, delivered = 0, latencies = 0, waits = 0;
    uint32_t with = 0;
    for (uint32_t b = 0; accepted && latency && growth && b < f->batches; b++) {
        const struct net_flit_batch *batch = &batches[b];
        created += (double)batch->created;
        delivered += (double)batch->delivered;
        latencies += (double)batch->latency;
        waits += (double)batch->wait;
        accepted[b] = (double)batch->delivered * scale;
        growth[b] = (double)batch->created - (double)batch->delivered;
        if (batch->delivered)
            latency[with++] = (double)batch->latency / (double)batch->delivered;
    }
    double grown = 0, grown_half = 0;
    if (accepted && latency && growth) {
        g.accepted_half = net_interval95(accepted, f->batches, &g.accepted);
        g.latency_half = net_interval95(latency, with, NULL);
        grown_half = net_interval95(growth, f->batches, &grown);
    }
    g.generated = created * scale / f->batches;
    g.latency = latencies / delivered;
    g.wait = waits / delivered;
    g.saturated = f->saturation == NET_SATURATION_BACKLOG ? created - delivered > nodes
                  : f->saturation == NET_SATURATION_GROWTH
                      ? grown > grown_half
                      : g.accepted + g.accepted_half < g.generated;
    free(accepted);
    free(growth);
    free(latency);
    return g;
}

static void name_stuck(const struct net_sim *sim, char *text, size_t size)
{
    for (size_t i = 0; i < (size_t)sim->nodes * sim->places; i++) {
        const struct net_flit_input *in = &sim->input[i];
        if (in->b.packet[0] == NET_FLIT_NO_PACKET || in->to != NET_FLIT_NONE)
            continue;
        unsigned place = (unsigned)(i % sim->places), port = place / sim->vcs;
        uint32_t node = (uint32_t)(i / sim->places),
                 dst = net_flit_packet(sim, in->b.packet[0])->dst;
        if (place >= sim->queue && place < sim->places - 1)
            snprintf(text, size, "a packet to node %u in the multiqueue of node %u", dst, node);
        else if (place == sim->places - 1)
            snprintf(text, size, "a packet to node %u in the injection buffer of node %u", dst,
                     node);
        else
            snprintf(text, size, "a packet to node %u in VC %u of node %u, port %s, and others",
                     dst, place % sim->vcs, node, net_port_print(port, (char[NET_PORT_TEXT]){0}));
        return;
    }
    snprintf(text, size, "packets on channels");
}

static struct net_result result(struct net_sim *sim, enum net_end end, uint64_t at)
{
    const struct net_flit_counts sum = net_flit_sum(sim);
    net_flit_add_batches(sim);
    struct net_result r = {.end = end,
                           .generated = sum.created,
                           .consumed = sum.delivered,
                           .in_flight = sum.in_flight,
                           .waiting = sum.created - sum.injected,
                           .entered = sum.injected,
                           .hops = sum.hops,
                           .end_time = at,
                           .flit = net_flit_means(sim->config, sim->batch, sim->nodes)};
    r.flit.latency_max = sum.latency_max;
    r.flit.flit_hops = sum.flit_hops;
    r.flit.deroutes = sum.derouted;
    if (end == NET_STUCK)
        name_stuck(sim, r.stuck, sizeof r.stuck);
    net_flit_free(sim);
    return r;
}

const struct net_engine net_flit_engine = {
    .name = "flit-1",
    .check = net_flit_config_check,
    .open = net_flit_open,
    .advance = advance,
    .watch = watch,
    .result = result,
};
