// SPDX-License-Identifier: Apache-2.0
// The parts of one simulation, and their threads.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dragonfly/sim.h"
#include "run/together.h"

static bool make_part(struct net_sim *part)
{
    part->arrival = calloc(part->slots, sizeof *part->arrival);
    part->credits = calloc(part->slots, sizeof *part->credits);
    part->calendar = malloc(NET_DF_CALENDAR * sizeof *part->calendar);
    part->batch = calloc(part->config->flit.batches, sizeof *part->batch);
    part->injected = calloc(part->d.a, sizeof *part->injected);
    for (unsigned turn = 0; turn < 2; turn++)
        part->box[turn] = calloc(part->parts, sizeof *part->box[turn]);
    if (part->calendar)
        memset(part->calendar, 0xff, NET_DF_CALENDAR * sizeof *part->calendar);
    return part->arrival && part->credits && part->calendar && part->batch && part->injected &&
           part->box[0] && part->box[1];
}

bool net_df_make_parts(struct net_sim *sim)
{
    uint32_t threads = sim->config->threads ? sim->config->threads : 1, groups = sim->d.groups;
    uint32_t parts = threads < groups ? threads : groups;
    sim->part = calloc(parts, sizeof(struct net_sim *));
    if (!sim->part)
        return false;
    sim->part[0] = sim;
    sim->parts = 1;
    for (uint32_t p = 1; p < parts; p++) { // all before any has anything of its own
        sim->part[p] = malloc(sizeof *sim);
        if (!sim->part[p])
            return false;
        *sim->part[p] = *sim;
        sim->parts++;
    }
    for (uint32_t p = 0; p < parts; p++) {
        struct net_sim *part = sim->part[p];
        part->parts = parts;
        part->first = groups * p / parts * sim->d.a;
        part->past = groups * (p + 1) / parts * sim->d.a;
        if (!make_part(part))
            return false;
    }
    return true;
}

void net_df_free_parts(struct net_sim *sim)
{
    for (uint32_t p = 0; p < sim->parts; p++) {
        struct net_sim *part = sim->part[p];
        for (uint32_t i = 0; i < part->slots; i++) {
            if (part->arrival)
                free(part->arrival[i].item);
            if (part->credits)
                free(part->credits[i].item);
        }
        for (unsigned turn = 0; turn < 2; turn++) {
            for (uint32_t i = 0; part->box[turn] && i < part->parts; i++)
                free(part->box[turn][i].letter);
            free(part->box[turn]);
        }
        free(part->arrival);
        free(part->credits);
        free(part->calendar);
        free(part->batch);
        free(part->injected);
        if (p)
            free(part);
    }
    free(sim->part);
}

struct net_df_counts net_df_sum(const struct net_sim *sim)
{
    struct net_df_counts sum = {0};
    for (uint32_t p = 0; p < sim->parts; p++) {
        const struct net_sim *part = sim->part[p];
        sum.created += part->created;
        sum.refused += part->refused;
        sum.delivered += part->delivered;
        sum.entered += part->entered;
        sum.hops += part->hops;
        sum.entries += part->entries;
        sum.in_flight += part->in_flight;
        sum.latency_max = part->latency_max > sum.latency_max ? part->latency_max : sum.latency_max;
        sum.progress = part->progress > sum.progress ? part->progress : sum.progress;
        for (unsigned i = 0; i < 3; i++) // whole numbers, so in any order
            sum.waits[i] += part->waits[i];
        sum.measured += part->measured;
        sum.out_of_memory |= part->out_of_memory;
    }
    return sum;
}

void net_df_add_batches(struct net_sim *sim)
{
    for (uint32_t p = 1; p < sim->parts; p++) {
        net_flit_take_batches(&sim->config->flit, sim->batch, sim->part[p]->batch);
        for (unsigned r = 0; r < sim->d.a; r++) {
            sim->injected[r] += sim->part[p]->injected[r];
            sim->part[p]->injected[r] = 0;
        }
    }
}

// ---- Mail

void net_df_post(struct net_sim *part, uint32_t router, bool credit, uint32_t after, uint32_t item)
{
    uint32_t to = 0;
    while (router >= part->part[to]->past)
        to++;
    struct net_df_box *box = &part->box[part->turn & 1][to];
    if (box->count == box->room) {
        uint32_t room = box->room ? 2 * box->room : 64;
        struct net_df_letter *letter = realloc(box->letter, room * sizeof *letter);
        if (!letter) {
            part->out_of_memory = true;
            return;
        }
        box->letter = letter;
        box->room = room;
    }
    box->letter[box->count++] = (struct net_df_letter){part->now + after, item, credit};
}

// Takes what the others left for it since they met before this time.
static void collect(struct net_sim *part, uint32_t number)
{
    for (uint32_t p = 0; p < part->parts; p++) {
        struct net_df_box *box = &part->part[p]->box[~part->turn & 1][number];
        for (uint32_t i = 0; i < box->count; i++)
            net_df_schedule(part, box->letter[i].credit, box->letter[i].cycle - part->now,
                            box->letter[i].item);
        box->count = 0;
    }
}

// ---- Threads

struct threads {
    struct net_sim *sim;
    uint32_t end;
    struct net_barrier barrier;
};

// Whether nothing happens until the next birth: no packet is there, and since the last one all room
// has been told of, and that it is there in all that a group's routers tell each other (PB).
static bool is_idle(const struct net_sim *sim, uint32_t in_flight, uint32_t progress)
{
    return !in_flight && sim->now > progress + sim->slots + sim->delay;
}

// All parts meet; the cycle in which anything happens next, the same for all of them. What one
// tells or leaves before they meet stays until they have met again, as the next goes elsewhere.
static uint32_t meet(struct threads *t, struct net_sim *part, uint32_t number)
{
    struct net_df_told all = {0};
    uint32_t next = UINT32_MAX, turn = part->turn & 1;
    part->told[turn] = (struct net_df_told){part->in_flight, part->progress, part->out_of_memory};
    net_barrier_wait(&t->barrier);
    for (uint32_t p = 0; p < part->parts; p++) {
        const struct net_df_told *told = &part->part[p]->told[turn];
        all.in_flight += told->in_flight;
        all.progress = told->progress > all.progress ? told->progress : all.progress;
        all.out_of_memory |= told->out_of_memory;
    }
    part->turn++;
    collect(part, number);
    if (all.out_of_memory)
        return t->end;
    if (!is_idle(part, all.in_flight, all.progress))
        return part->now;
    part->next = net_df_skip(part);
    net_barrier_wait(&t->barrier);
    for (uint32_t p = 0; p < part->parts; p++)
        next = part->part[p]->next < next ? part->part[p]->next : next;
    return next < t->end ? next : t->end;
}

static void work(void *context, unsigned number)
{
    struct threads *t = context;
    struct net_sim *part = t->sim->part[number];
    for (;;) {
        uint32_t now = meet(t, part, number), alone = part->config->dragonfly.global_latency;
        part->now = now;
        if (now >= t->end)
            return;
        while (part->now < t->end && part->now - now < alone)
            net_df_cycle(part);
    }
}

static void must_hold(const struct net_sim *sim)
{
#ifdef NET_FLIT_CHECKED
    const char *wrong = net_df_check(sim);
    if (wrong) {
        fprintf(stderr, "torussim: cycle %u: %s\n", sim->now - 1, wrong);
        abort();
    }
#else
    (void)sim;
#endif
}

static void advance_one(struct net_sim *sim, uint32_t end)
{
    while (sim->now < end && !sim->out_of_memory) {
        if (is_idle(sim, sim->in_flight, sim->progress)) {
            uint32_t next = net_df_skip(sim);
            sim->now = next < end ? next : end;
            if (sim->now == end)
                return;
        }
        net_df_cycle(sim);
        must_hold(sim);
    }
}

void net_df_advance(struct net_sim *sim, uint32_t end)
{
    struct threads threads = {.sim = sim, .end = end};
    if (sim->parts == 1) {
        advance_one(sim, end);
        return;
    }
    net_barrier_init(&threads.barrier, sim->parts);
    if (!net_together(sim->parts, work, NULL, &threads))
        sim->out_of_memory = true;
    must_hold(sim);
}
