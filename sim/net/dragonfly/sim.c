// SPDX-License-Identifier: Apache-2.0
#include "dragonfly/sim.h"

#include <stdlib.h>

#include "dragonfly/select.h"
#include "flit/births.h"

unsigned net_df_room(const struct net_sim *sim, uint32_t router, unsigned port)
{
    const struct net_dragonfly_config *c = &sim->config->dragonfly;
    uint32_t words = port >= sim->d.locals                         ? c->source_words
                     : net_dragonfly_leaves(&sim->d, router, port) ? c->global_words
                                                                   : c->local_words;
    return words / sim->words;
}

// Of an output's.
static uint32_t link_latency(const struct net_sim *sim, uint32_t router, unsigned port)
{
    return net_dragonfly_leaves(&sim->d, router, port) ? sim->config->dragonfly.global_latency
                                                       : sim->config->dragonfly.local_latency;
}

static struct net_flit_batch *batch_now(const struct net_sim *sim)
{
    return net_flit_batch_of(&sim->config->flit, sim->batch, sim->now);
}

// ---- Packets and queues

// `at`: number of the input VC.
static void append(struct net_sim *sim, uint32_t at, uint32_t packet)
{
    struct net_df_queue *q = &sim->queue[at];
    uint32_t port = at / sim->vcs;
    net_df_packet(sim, packet)->next = NET_DF_NO_PACKET;
    net_df_packet(sim, packet)->at = at;
    if (q->count++)
        net_df_packet(sim, q->last)->next = packet;
    else
        q->first = packet;
    q->last = packet;
    sim->port[port].queues |= (uint8_t)(1u << at % sim->vcs);
    sim->occupied[port / sim->d.ports] |= (uint64_t)1 << port % sim->d.ports;
}

static void remove_first(struct net_sim *sim, uint32_t at)
{
    struct net_df_queue *q = &sim->queue[at];
    uint32_t port = at / sim->vcs;
    q->first = net_df_packet(sim, q->first)->next;
    if (--q->count)
        return;
    sim->port[port].queues &= (uint8_t) ~(1u << at % sim->vcs);
    if (!sim->port[port].queues)
        sim->occupied[port / sim->d.ports] &= ~((uint64_t)1 << port % sim->d.ports);
}

void net_df_schedule(struct net_sim *sim, bool credit, uint32_t after, uint32_t item)
{
    struct net_df_event *e =
        &(credit ? sim->credits : sim->arrival)[(sim->now + after) % sim->slots];
    if (e->count == e->room) {
        uint32_t room = e->room ? 2 * e->room : 16;
        uint32_t *list = realloc(e->item, room * sizeof *list);
        if (!list) {
            sim->out_of_memory = true;
            return;
        }
        e->item = list;
        e->room = room;
    }
    e->item[e->count++] = item;
}

// For a router that may be another part's.
static void pass_on(struct net_sim *sim, uint32_t router, bool credit, uint32_t after,
                    uint32_t item)
{
    if (router - sim->first < sim->past - sim->first)
        net_df_schedule(sim, credit, after, item);
    else
        net_df_post(sim, router, credit, after, item);
}

// ---- Births

// Destination of a node's message: a node of the group that is `offset` on, or any other node.
static uint32_t destination(const struct net_sim *sim, uint32_t node, uint32_t message)
{
    const struct net_dragonfly *d = &sim->d;
    const struct net_config *c = sim->config;
    uint64_t random = net_random(c->seed, DRAW_DESTINATION, node, message);
    uint32_t group_nodes = d->a * d->p;
    if (c->traffic.pattern == NET_ADVERSARIAL)
        return (node / group_nodes + c->traffic.offset) % d->groups * group_nodes +
               net_below(random, group_nodes);
    uint32_t other = net_below(random, d->nodes - 1);
    return other + (other >= node);
}

void net_df_put(struct net_sim *sim, uint32_t source, uint32_t dst, uint32_t message)
{
    unsigned port = sim->d.locals + source % sim->d.p, v = message % sim->shape.injection_vcs;
    size_t at = net_df_port_of(sim, source / sim->d.p, port) * sim->vcs + v;
    sim->created++;
    if (sim->queue[at].count >= net_df_room(sim, source / sim->d.p, port)) {
        sim->refused++;
        return;
    }
    uint32_t packet = net_flit_pool_take(sim->pool, &sim->share);
    if (packet == NET_DF_NO_PACKET) {
        sim->out_of_memory = true;
        return;
    }
    *net_df_packet(sim, packet) =
        (struct net_df_packet){.h = net_df_begin(&sim->shape, source, dst),
                               .source = source,
                               .message = message,
                               .born = sim->now,
                               .ready = sim->now + sim->latency};
    sim->in_flight++;
    append(sim, (uint32_t)at, packet);
}

static void enter_calendar(struct net_sim *sim, uint32_t node)
{
    uint32_t *bucket = &sim->calendar[sim->birth[node] % NET_DF_CALENDAR];
    sim->next_born[node] = *bucket;
    *bucket = node;
}

static void give_birth(struct net_sim *sim)
{
    uint32_t *bucket = &sim->calendar[sim->now % NET_DF_CALENDAR], node = *bucket;
    struct net_flit_batch *batch = batch_now(sim);
    *bucket = UINT32_MAX;
    while (node != UINT32_MAX) {
        uint32_t next = sim->next_born[node];
        if (sim->birth[node] == sim->now) {
            uint32_t message = sim->born[node]++;
            net_df_put(sim, node, destination(sim, node, message), message);
            if (batch)
                batch->created++;
            sim->birth[node] =
                net_flit_birth_after(sim->config, sim->birth_log, node, message + 1, sim->now);
        }
        if (sim->birth[node] < sim->end)
            enter_calendar(sim, node);
        node = next;
    }
}

uint32_t net_df_skip(const struct net_sim *sim)
{
    uint32_t next = UINT32_MAX;
    for (uint32_t node = sim->first * sim->d.p; node < sim->past * sim->d.p; node++)
        if (sim->birth[node] < sim->end && sim->birth[node] < next)
            next = sim->birth[node];
    return next;
}

// ---- A hop

static void deliver(struct net_sim *sim, uint32_t packet)
{
    struct net_df_packet *p = net_df_packet(sim, packet);
    struct net_flit_batch *batch = batch_now(sim);
    uint32_t latency = sim->now - p->entered;
    if (sim->part[0]->on_delivery)
        sim->part[0]->on_delivery(sim->part[0]->context, p, sim->now);
    if (batch) {
        batch->delivered++;
        batch->latency += latency;
        batch->wait += p->entered - p->born;
        sim->measured++;
        for (unsigned i = 0; i < 3; i++)
            sim->waits[i] += p->wait[i];
        sim->latency_max = latency > sim->latency_max ? latency : sim->latency_max;
    }
    sim->delivered++;
    sim->in_flight--;
    sim->progress = sim->now;
    net_flit_pool_put(sim->pool, &sim->share, packet);
}

// The packet leaves its buffer's front; its wait there is counted, its room given back.
static void leave(struct net_sim *sim, uint32_t router, unsigned port, unsigned queue,
                  struct net_df_packet *p)
{
    size_t at = net_df_port_of(sim, router, port);
    remove_first(sim, (uint32_t)(at * sim->vcs + queue));
    sim->queue[at * sim->vcs + queue].served = sim->now + 1;
    sim->port[at].input_free = sim->now + sim->words;
    sim->progress = sim->now;
    if (port >= sim->d.locals) {
        p->entered = sim->now;
        sim->entered++;
        if (batch_now(sim))
            sim->injected[router % sim->d.a]++;
        return;
    }
    unsigned out, kind = net_df_is_ring(&sim->shape, port, queue)
                             ? 2
                             : net_dragonfly_is_global(&sim->d, port);
    p->wait[kind] += sim->now - p->ready;
    uint32_t before = net_dragonfly_before(&sim->d, router, port, &out);
    pass_on(sim, before, true, sim->words + link_latency(sim, before, out),
            (uint32_t)(net_df_port_of(sim, before, out) * sim->vcs + queue));
}

void net_df_send(struct net_sim *sim, uint32_t router, unsigned port, unsigned queue,
                 struct net_df_way way, unsigned vc)
{
    size_t out = net_df_port_of(sim, router, way.port);
    uint32_t packet = sim->queue[net_df_port_of(sim, router, port) * sim->vcs + queue].first;
    struct net_df_packet *p = net_df_packet(sim, packet);
    unsigned back;
    leave(sim, router, port, queue, p);
    sim->port[out].output_free = sim->now + sim->words;
    if (way.port >= sim->d.locals) {
        net_df_schedule(sim, false, sim->words - 1, packet);
        p->at = UINT32_MAX; // the words are on their way to the node
        return;
    }
    uint32_t peer = net_dragonfly_peer(&sim->d, router, way.port, &back);
    uint32_t latency = link_latency(sim, router, way.port);
    p->h = net_df_after(&sim->shape, p->h, router, way);
    p->at = (uint32_t)(net_df_port_of(sim, peer, back) * sim->vcs + vc);
    p->ready = sim->now + latency + sim->latency;
    sim->credit[out * sim->vcs + vc]--;
    sim->hops++;
    sim->entries += way.kind == NET_DF_ENTER;
    pass_on(sim, peer, false, latency, packet);
}

// ---- A cycle

void net_df_cycle(struct net_sim *sim)
{
    struct net_df_event *arrival = &sim->arrival[sim->now % sim->slots];
    struct net_df_event *credits = &sim->credits[sim->now % sim->slots];
    for (uint32_t i = 0; i < arrival->count; i++)
        if (net_df_packet(sim, arrival->item[i])->at != UINT32_MAX)
            append(sim, net_df_packet(sim, arrival->item[i])->at, arrival->item[i]);
        else
            deliver(sim, arrival->item[i]);
    for (uint32_t i = 0; i < credits->count; i++)
        sim->credit[credits->item[i]]++;
    arrival->count = credits->count = 0;
    give_birth(sim);
    if (sim->shape.routing == NET_PB)
        net_df_note_congestion(sim);
    for (uint32_t router = sim->first; router < sim->past; router++) {
        if (router + 1 < sim->past)
            net_df_fetch(sim, router + 1);
        if (sim->occupied[router])
            net_df_allocate(sim, router);
    }
    sim->now++;
}

// ---- Start and end

static bool lay_out(struct net_sim *sim)
{
    const struct net_dragonfly *d = &sim->d;
    size_t ports = (size_t)d->routers * d->ports;
    sim->port = calloc(ports, sizeof *sim->port);
    sim->queue = calloc(ports * sim->vcs, sizeof *sim->queue);
    sim->credit = calloc(ports * sim->vcs, sizeof *sim->credit);
    sim->served = calloc(ports * d->ports, sizeof *sim->served);
    sim->occupied = calloc(d->routers, sizeof *sim->occupied);
    sim->congested = calloc((size_t)sim->delay * d->routers * d->h, sizeof *sim->congested);
    sim->birth = calloc(d->nodes, sizeof *sim->birth);
    sim->born = calloc(d->nodes, sizeof *sim->born);
    sim->next_born = calloc(d->nodes, sizeof *sim->next_born);
    sim->pool = calloc(1, sizeof *sim->pool);
    if (sim->pool)
        net_flit_pool_init(sim->pool, sizeof(struct net_df_packet),
                           offsetof(struct net_df_packet, next));
    return sim->port && sim->queue && sim->credit && sim->served && sim->occupied &&
           sim->congested && sim->birth && sim->born && sim->next_born && sim->pool;
}

struct net_sim *net_df_open(const struct net_config *c)
{
    struct net_sim *sim = calloc(1, sizeof *sim);
    if (!sim)
        return NULL;
    sim->config = c;
    sim->shape = net_df_shape(c);
    sim->d = sim->shape.d;
    sim->words = c->flit.message_words;
    sim->latency = c->flit.node_latency;
    for (unsigned port = 0; port < sim->d.ports; port++) {
        unsigned vcs = net_df_vcs(&sim->shape, port);
        sim->vcs = vcs > sim->vcs ? vcs : sim->vcs;
        if (port < sim->d.locals && link_latency(sim, 0, port) + sim->words >= sim->slots)
            sim->slots = link_latency(sim, 0, port) + sim->words + 1;
    }
    sim->delay = c->dragonfly.local_latency + 1;
    sim->end = net_flit_end(&c->flit);
    sim->birth_log = net_flit_birth_log(c);
    sim->share = net_flit_no_share;
    sim->share = net_flit_no_share;
    if (!lay_out(sim) || !net_df_make_parts(sim)) {
        net_df_free(sim);
        return NULL;
    }
    for (uint32_t router = 0; router < sim->d.routers; router++)
        for (unsigned port = 0; port < sim->d.locals; port++)
            for (unsigned v = 0; v < net_df_vcs(&sim->shape, port); v++)
                sim->credit[net_df_port_of(sim, router, port) * sim->vcs + v] =
                    (uint8_t)net_df_room(sim, router, port);
    for (uint32_t n = 0; n < sim->parts; n++) {
        struct net_sim *part = sim->part[n];
        for (uint32_t node = part->first * sim->d.p; node < part->past * sim->d.p; node++) {
            part->birth[node] = net_flit_birth_after(c, sim->birth_log, node, 0, -1);
            if (part->birth[node] < part->end)
                enter_calendar(part, node);
        }
    }
    return sim;
}

void net_df_free(struct net_sim *sim)
{
    free(sim->port);
    free(sim->queue);
    free(sim->credit);
    free(sim->served);
    free(sim->occupied);
    free(sim->congested);
    free(sim->birth);
    free(sim->born);
    free(sim->next_born);
    if (sim->pool)
        net_flit_pool_free(sim->pool);
    free(sim->pool);
    net_df_free_parts(sim);
    free(sim);
}
