// SPDX-License-Identifier: Apache-2.0
// The parts of one simulation, and their threads.
#include <stdlib.h>
#include <string.h>

#include "flit/check.h"
#include "flit/cut.h"
#include "flit/sim.h"
#include "run/together.h"
#include "topo/slabs.h"

// Which of a part's channels lead to another's nodes, and which of others' to its own.
static bool find_neighbours(struct net_sim *part)
{
    uint32_t n = part->shape.torus.n, from = part->first * n, past = part->past * n;
    for (unsigned twice = 0; twice < 2; twice++) {
        part->leavings = part->comings = 0;
        for (uint32_t c = 0; c < part->nodes * n; c++) {
            const struct net_flit_channel *ch = &part->channel[c];
            bool own = c >= from && c < past;
            bool there = ch->node[1] >= part->first && ch->node[1] < part->past;
            if (ch->node[0] == UINT32_MAX || own == there)
                continue;
            if (own && twice)
                part->leaving[part->leavings] = c;
            else if (twice)
                part->coming[part->comings] = c;
            part->leavings += own;
            part->comings += !own;
        }
        if (twice)
            break;
        part->leaving = calloc(part->leavings + 1, sizeof *part->leaving);
        part->coming = calloc(part->comings + 1, sizeof *part->coming);
        if (!part->leaving || !part->coming)
            return false;
    }
    return true;
}

static bool make_part(struct net_sim *part)
{
    uint32_t nodes = part->nodes;
    part->channels = calloc((size_t)nodes * part->shape.torus.n / 64 + 1, sizeof *part->channels);
    part->waiting = calloc(nodes / 64 + 1, sizeof *part->waiting);
    part->linked = calloc(nodes / 64 + 1, sizeof *part->linked);
    part->injecting = calloc(nodes / 64 + 1, sizeof *part->injecting);
    part->batch = calloc(part->config->flit.batches, sizeof *part->batch);
    return part->channels && part->waiting && part->linked && part->injecting && part->batch &&
           find_neighbours(part);
}

bool net_flit_make_parts(struct net_sim *sim)
{
    uint32_t threads = sim->config->threads ? sim->config->threads : 1;
    uint32_t parts = threads < sim->nodes ? threads : sim->nodes;
    sim->part = calloc(parts, sizeof(struct net_sim *));
    if (!sim->part)
        return false;
    for (uint32_t p = 0; p < parts; p++) {
        struct net_sim *part = p ? malloc(sizeof *part) : sim;
        if (!part)
            return false;
        if (p)
            *part = *sim->part[0];
        sim->part[p] = part;
        part->channels = part->waiting = part->linked = part->injecting = NULL;
        part->leaving = part->coming = NULL;
        part->batch = NULL;
        part->cut = NULL;
        part->known = NULL;
        part->sending = NULL;
        part->mail[0] = part->mail[1] = NULL;
        sim->parts = p + 1;
        part->first = net_slab(&sim->shape.torus, p, parts);
        part->past = net_slab(&sim->shape.torus, p + 1, parts);
        part->first_channel = part->first * sim->shape.torus.n;
        part->own_channels = (part->past - part->first) * sim->shape.torus.n;
        if (!make_part(part))
            return false;
    }
    for (uint32_t p = 0; p < parts; p++)
        sim->part[p]->parts = parts;
    return net_cut_links(sim);
}

void net_flit_free_parts(struct net_sim *sim)
{
    net_cut_free(sim);
    for (uint32_t p = 0; p < sim->parts; p++) {
        struct net_sim *part = sim->part[p];
        free(part->channels);
        free(part->waiting);
        free(part->linked);
        free(part->injecting);
        free(part->leaving);
        free(part->coming);
        free(part->batch);
        if (p)
            free(part);
    }
    free(sim->part);
}

struct net_flit_counts net_flit_sum(const struct net_sim *sim)
{
    struct net_flit_counts sum = {0};
    for (uint32_t p = 0; p < sim->parts; p++) {
        const struct net_sim *part = sim->part[p];
        sum.created += part->created;
        sum.delivered += part->delivered;
        sum.injected += part->injected;
        sum.hops += part->hops;
        sum.flit_hops += part->flit_hops;
        sum.derouted += part->derouted;
        sum.in_flight += part->in_flight;
        sum.latency_max = part->latency_max > sum.latency_max ? part->latency_max : sum.latency_max;
        sum.progress = part->progress > sum.progress ? part->progress : sum.progress;
        sum.out_of_memory |= part->out_of_memory;
    }
    return sum;
}

void net_flit_add_batches(struct net_sim *sim)
{
    for (uint32_t p = 1; p < sim->parts; p++)
        net_flit_take_batches(&sim->config->flit, sim->batch, sim->part[p]->batch);
}

// ---- Threads

struct threads {
    struct net_sim *sim;
    uint32_t end;
    struct net_barrier barrier;
};

// The cycle in which anything happens next, the same for all parts: what they tell before they meet
// stays until they meet again.
static uint32_t next_cycle(struct threads *t, struct net_sim *part)
{
    uint32_t flying = 0, next = UINT32_MAX, progress = 0, turn = part->turn & 1;
    bool out_of_memory = false;
    part->told[turn] = (struct net_flit_told){part->in_flight, part->progress, part->out_of_memory};
    net_barrier_wait(&t->barrier);
    for (uint32_t p = 0; p < part->parts; p++) {
        const struct net_flit_told *told = &part->part[p]->told[turn];
        flying += told->in_flight;
        progress = told->progress > progress ? told->progress : progress;
        out_of_memory |= told->out_of_memory;
    }
    if (out_of_memory)
        return t->end;
    if (!net_flit_is_idle(part, flying, progress))
        return part->now;
    part->next = net_flit_part_skip(part);
    net_barrier_wait(&t->barrier);
    for (uint32_t p = 0; p < part->parts; p++)
        next = part->part[p]->next < next ? part->part[p]->next : next;
    return next < t->end ? next : t->end;
}

static void work(void *context, unsigned number)
{
    struct threads *t = context;
    struct net_sim *part = t->sim->part[number];
    while (part->now < t->end) {
        part->now = next_cycle(t, part);
        if (part->now >= t->end)
            return;
        for (unsigned step = 0; step < NET_FLIT_STEPS; step++) {
            net_flit_step(part, step);
            if (step + 1 < NET_FLIT_STEPS && net_flit_until(part, step) == step + 1)
                net_barrier_wait(&t->barrier);
        }
        if (!net_flit_checked)
            continue;
        net_barrier_wait(&t->barrier);
        if (!number)
            net_flit_must_hold(part);
    }
}

static void advance_one(struct net_sim *sim, uint32_t end)
{
    while (sim->now < end && !sim->out_of_memory) {
        if (net_flit_is_idle(sim, sim->in_flight, sim->progress)) {
            uint32_t next = net_flit_skip(sim);
            sim->now = next < end ? next : end;
            if (sim->now == end)
                return;
        }
        net_flit_cycle(sim);
    }
}

void net_flit_advance(struct net_sim *sim, uint32_t end)
{
    struct threads threads = {.sim = sim, .end = end};
    if (sim->parts == 1) {
        advance_one(sim, end);
        return;
    }
    net_barrier_init(&threads.barrier, sim->parts);
    if (!net_together(sim->parts, work, NULL, &threads))
        sim->out_of_memory = true;
}
