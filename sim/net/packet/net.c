// SPDX-License-Identifier: Apache-2.0
#include "packet/net.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/random.h"
#include "packet/links.h"
#include "packet/select.h"
#include "packet/wheel.h"
#include "route/paths.h"
#include "traffic/schedule.h"

enum { NONE = NET_NONE };
// All but NAK and BIRTH have lines; those of ARRIVE carry the packet. Indexes: ARRIVE the place of
// the link back, FREE, AGAIN and NAK that of the link, INJECT and BIRTH the node. AGAIN is FREE, an
// ACK's time after it.
enum event { ARRIVE, FREE, INJECT, AGAIN, NAK, BIRTH };

// A generator: the packet that it offers next.
struct source {
    uint64_t born;
    uint32_t message, packet; // numbers; NET_NO_MESSAGE: none before or behind it
    uint32_t packets;         // of the message
    uint32_t destination;
    uint32_t ways; // count
};

struct net {
    const struct net_config *config;
    struct net_times times;
    struct net_paths paths;
    struct net_schedule schedule;
    struct net_wheel wheel;
    struct net_result result;
    struct net_links links;
    uint32_t nodes;
    struct ofr_coord *coord;
    uint16_t *exists; // ports with a link, per node
    struct source *sources;
    struct ofr_way *ways; // [node][max_ways], of the sources' messages
    uint32_t max_ways;
    uint64_t *sink_free; // when the link to the sink is free
    uint32_t order;
    bool far_acks;     // their time is beyond the wheel's horizon, its order the heap's
    uint64_t progress; // last accept
    uint64_t watchdog;
    bool out_of_memory;
};

static void put(struct net *net, uint64_t time, enum event kind, uint32_t index, uint32_t packet)
{
    if (!net_wheel_put(&net->wheel, time, kind, index, packet))
        net->out_of_memory = true;
}

// The same for an event whose delay is always the same.
static void put_line(struct net *net, uint64_t time, enum event kind, uint32_t index)
{
    if (!net_wheel_put_line(&net->wheel, kind, time, index))
        net->out_of_memory = true;
}

// ---- Queues and links
// ----------------------------------------------------------------------------

// Begins to send a packet over an idle link; returns where the packet goes. NULL: out of memory.
static inline struct net_packet *transmit(struct net *net, struct net_link *link)
{
    link->free_at = net->wheel.now + net->times.ext_packet;
    struct net_packet *cargo =
        net_wheel_put_line(&net->wheel, ARRIVE, link->free_at + net->times.ext_latency, link->peer);
    if (!cargo)
        net->out_of_memory = true;
    return cargo;
}

// Sends the next packet of an idle link that has one.
static void send_next(struct net *net, uint32_t place, struct net_link *link)
{
    unsigned vc = 31 - (unsigned)__builtin_clz(link->waiting); // VS2, VS1, adaptive
    struct net_queue *queue = net_queue(&net->links, link, place, vc);
    uint32_t s = queue->head;
    const struct net_packet *packet = &net->links.slots[s];
    struct net_packet *cargo = transmit(net, link);
    if (cargo)
        *cargo = *packet;
    queue->head = packet->next;
    if (packet->next == NONE)
        link->waiting &= (uint8_t) ~(1u << vc);
    net_slot_free(&net->links, s);
    link->armed = link->waiting != 0;
    if (link->armed)
        put_line(net, link->free_at, FREE, place);
}

// What only fetches into the cache is without effect to GCC: unless it is inlined at once, its
// calls are dropped.
#define AHEAD static inline __attribute__((always_inline))

// Fetches into the cache what send_next will touch.
AHEAD void look_ahead_queue(const struct net *net, uint32_t place)
{
    struct net_link *link = net_link(&net->links, place);
    if (!link->waiting)
        return;
    unsigned vc = 31 - (unsigned)__builtin_clz(link->waiting);
    __builtin_prefetch(&net->links.slots[net_queue(&net->links, link, place, vc)->head]);
}

static void on_free(struct net *net, uint32_t place)
{
    struct net_link *link = net_link(&net->links, place);
    if (link->free_at > net->wheel.now) { // an ACK came between
        if (link->free_at == net->wheel.now + net->times.ext_ack && !net->far_acks)
            put_line(net, link->free_at, AGAIN, place);
        else
            put(net, link->free_at, FREE, place, NONE);
        return;
    }
    send_next(net, place, link);
}

// Where a packet for a link, whose slot is counted already, goes: on its way, if the link is idle,
// else behind all others of its queue; the sending is seen to. NULL: out of memory.
static inline struct net_packet *append(struct net *net, uint32_t place, unsigned vc)
{
    struct net_link *link = net_link(&net->links, place);
    if (!link->armed && link->free_at <= net->wheel.now) // nothing waits there
        return transmit(net, link);
    struct net_queue *queue = net_queue(&net->links, link, place, vc);
    uint32_t s = net_slot(&net->links);
    if (s == NONE) {
        net->out_of_memory = true;
        return NULL;
    }
    if (link->waiting >> vc & 1)
        net->links.slots[queue->tail].next = s;
    else
        queue->head = s;
    queue->tail = s;
    link->waiting |= (uint8_t)(1u << vc);
    if (!link->armed) {
        link->armed = true;
        put(net, link->free_at, FREE, place, NONE);
    }
    return &net->links.slots[s];
}

// Puts a NAKed packet back into its queue, by age.
static void on_nak(struct net *net, uint32_t place, uint32_t s)
{
    struct net_packet *slots = net->links.slots;
    struct net_link *link = net_link(&net->links, place);
    unsigned vc = slots[s].vc;
    struct net_queue *queue = net_queue(&net->links, link, place, vc);
    if (!(link->waiting >> vc & 1))
        queue->head = NONE;
    uint32_t *at = &queue->head;
    while (*at != NONE && (int32_t)(slots[s].order - slots[*at].order) > 0)
        at = &slots[*at].next;
    slots[s].next = *at;
    *at = s;
    if (slots[s].next == NONE)
        queue->tail = s;
    link->waiting |= (uint8_t)(1u << vc);
    if (link->armed)
        return;
    if (link->free_at <= net->wheel.now) {
        send_next(net, place, link);
    } else {
        link->armed = true;
        put(net, link->free_at, FREE, place, NONE);
    }
}

// Begins to send an ACK or NAK over a link; returns when it is there.
static uint64_t answer(struct net *net, struct net_link *back)
{
    uint64_t start = back->free_at > net->wheel.now ? back->free_at : net->wheel.now;
    back->free_at = start + net->times.ext_ack;
    return back->free_at + net->times.ext_latency;
}

// ---- Routing
// -------------------------------------------------------------------------------------

// Where a packet goes on at a node, as net_select says it. luck: RDR's draw.
static inline int route(struct net *net, uint32_t node, struct net_in in, struct net_head head,
                        uint32_t luck)
{
    const struct net_config *c = net->config;
    struct net_outputs outputs = net_outputs(c->routing, in, head);
    if (c->routing == NET_RDR)
        outputs.adaptive = net_one_dimension(outputs.adaptive, c->torus.n, luck);
    return net_select(&net->links, node, net->wheel.now, outputs, c->slots,
                      in.port == NET_GENERATOR ? c->throttle : 0);
}

// Puts a packet into a queue of a node, `way` as route() found it. Inlined, the packet is in
// registers.
static inline __attribute__((always_inline)) void enqueue(struct net *net, uint32_t node,
                                                          unsigned way, struct net_packet packet)
{
    unsigned port = way >> 2, vc = way & 3;
    packet.vc = (uint8_t)vc;
    packet.order = net->order++;
    packet.leg = net_leg_hop(packet.leg, port);
    packet.next = NONE;
    net_used(&net->links, node, vc)[port]++;
    struct net_packet *there = append(net, net_place(node, port), vc);
    if (there)
        *there = packet;
}

static void start_message(struct net *net, uint32_t node, uint32_t message);
static void on_known(void *context, uint32_t message, uint64_t time);

// Takes a packet for this node into the consumption queue, if there is room.
static bool consume(struct net *net, uint32_t node, uint32_t message, unsigned hops)
{
    uint64_t now = net->wheel.now, *free_at = &net->sink_free[node];
    uint64_t start = *free_at > now ? *free_at : now;
    // Those before it that have not begun to leave fill the queue.
    if (start - now > net->config->slots * net->times.int_packet)
        return false;
    *free_at = start + net->times.int_packet;
    uint64_t end = *free_at + net->times.int_latency;
    struct net_result *r = &net->result;
    r->consumed++;
    r->consumed_hops += hops;
    r->consumed_in_time += end <= net->schedule.generation;
    net_stats_add(&r->stats, net_schedule_batch(&net->schedule, message),
                  end - net_schedule_born(&net->schedule, message));
    r->end_time = end > r->end_time ? end : r->end_time;
    net->progress = now;
    if (net->schedule.replay.app)
        net_replay_arrived(&net->schedule.replay, message, end, on_known, net);
    if (net->schedule.pairs.count) {
        uint32_t next = net_pairs_arrived(&net->schedule.pairs, message, end);
        if (next != UINT32_MAX)
            start_message(net, net_pairs_node(&net->schedule.pairs, next, false), next);
    }
    return true;
}

// ---- Events
// --------------------------------------------------------------------------------------

// index: the place of the link back.
static void on_arrive(struct net *net, uint32_t index)
{
    // A copy: what follows may put other events into the line.
    struct net_packet packet =
        *(const struct net_packet *)net_wheel_cargo(&net->wheel.line[ARRIVE]);
    uint32_t node = index >> NET_PORT_BITS, port = index & ((1u << NET_PORT_BITS) - 1);
    struct net_link *back = net_link(&net->links, index);
    unsigned came_by = packet.vc;
    bool accepted;
    if (net_leg_mu(packet.leg) == 0 && packet.draw & NET_TO_IDN) {
        packet.draw &= (uint8_t)~NET_TO_IDN;
        packet.leg = net_pack_leg(
            net_leg(&net->paths, &net->coord[node], &net->coord[packet.destination], packet.draw));
    }
    uint64_t answered = answer(net, back);
    if (net_leg_mu(packet.leg) == 0) {
        accepted = consume(net, node, packet.message, packet.hops + 1u);
    } else {
        uint32_t luck = 0;
        if (net->config->routing == NET_RDR)
            luck = (uint32_t)net_random(net->config->seed, DRAW_RDR, packet.luck, packet.hops);
        int way = route(net, node, (struct net_in){(uint8_t)port, (uint8_t)came_by},
                        net_packet_head(&packet), luck);
        accepted = way >= 0;
        if (accepted) {
            packet.hops++;
            enqueue(net, node, (unsigned)way, packet);
        }
    }
    if (!accepted) {
        net->result.naks++;
        uint32_t s = net_slot(&net->links);
        if (s == NONE) {
            net->out_of_memory = true;
        } else {
            net->links.slots[s] = packet;
            put(net, answered, NAK, back->peer, s);
        }
        return;
    }
    net->result.hops++;
    net->progress = net->wheel.now;
    net_ack(&net->links, back->peer, net->wheel.now, answered, came_by);
}

// Offers the source's packet to the router.
static bool inject(struct net *net, uint32_t node)
{
    const struct net_config *c = net->config;
    struct source *source = &net->sources[node];
    struct net_result *r = &net->result;
    if (source->destination == node) {
        if (!consume(net, node, source->message, 0))
            return false;
        r->entered++;
        r->wait_sum += net->wheel.now - source->born;
        return true;
    }
    const struct ofr_way *ways = &net->ways[(size_t)node * net->max_ways];
    const struct ofr_way *way = &ways[0];
    uint64_t luck = 0;
    if (c->routing == NET_RDR || c->tie == NET_TIE_RANDOM)
        luck =
            net_random(c->seed, DRAW_TIE, node, (uint64_t)source->message << 32 | source->packet);
    if (source->ways > 1) {
        uint8_t used[OFR_MAX_PORTS];
        const struct ofr_load load = {used, net->exists[node], net_load_slots(c)};
        net_look(&net->links, c, node, load.ports, net->wheel.now, used);
        way = &ways[net_choose(&net->paths, &load, ways, source->ways, (uint32_t)luck)];
    }
    bool to_idn = way->kind == OFR_OIDN || way->kind == OFR_WIDN;
    struct net_leg leg = net_first_leg(&net->paths, &net->coord[node],
                                       &net->coord[source->destination], way, (uint32_t)luck);
    uint32_t rdr = (uint32_t)net_random(c->seed, DRAW_RDR, (uint32_t)(luck >> 32), 0);
    int out =
        route(net, node, (struct net_in){NET_GENERATOR, 0}, (struct net_head){leg.mu, to_idn}, rdr);
    if (out < 0)
        return false;
    uint8_t draw = (luck >> 8) & ((1u << OFR_MAX_DIMS) - 1);
    enqueue(net, node, (unsigned)out,
            (struct net_packet){.leg = net_pack_leg(leg),
                                .destination = source->destination,
                                .message = source->message,
                                .draw = (uint8_t)(draw | (to_idn ? NET_TO_IDN : 0)),
                                .luck = (uint32_t)(luck >> 32)});
    r->entered++;
    r->wait_sum += net->wheel.now - source->born;
    if (way->kind != OFR_MINIMAL) {
        r->por += c->routing == NET_POR || way->kind == NET_ORTHANT;
        r->oidn += c->routing == NET_OFR && way->kind == OFR_OIDN;
        r->widn += c->routing == NET_OFR && way->kind == OFR_WIDN;
    }
    net->progress = net->wheel.now;
    return true;
}

// Sets out the first packet of the source's message.
static void load_message(struct net *net, uint32_t node)
{
    struct source *source = &net->sources[node];
    const struct net_schedule *schedule = &net->schedule;
    source->packet = 0;
    source->born = net_schedule_born(schedule, source->message);
    source->packets = net_schedule_packets(schedule, source->message);
    source->destination = net_schedule_destination(schedule, node, source->message);
    source->ways = 1;
    struct ofr_way *ways = &net->ways[(size_t)node * net->max_ways];
    struct ofr_way all[OFR_MAX_WAYS];
    unsigned count =
        net_ways(&net->paths, &net->coord[node], &net->coord[source->destination], true, all);
    memcpy(ways, all, count * sizeof *ways);
    source->ways = count;
}

// Moves on to the packet after this one; false: the node has sent all.
static bool next_packet(struct net *net, uint32_t node)
{
    struct source *source = &net->sources[node];
    if (source->message != NET_NO_MESSAGE && ++source->packet < source->packets)
        return true;
    source->message = net->schedule.replay.app
                          ? net_replay_next(&net->schedule.replay, node)
                          : net_schedule_next(&net->schedule, node, source->message);
    if (source->message == NET_NO_MESSAGE)
        return false;
    load_message(net, node);
    return true;
}

// Sets out the source's packet on the first tick at `earliest` or later that is after its birth.
static void offer(struct net *net, uint32_t node, uint64_t earliest)
{
    const struct net_times *t = &net->times;
    uint64_t born = net->sources[node].born;
    if (net->config->pipelined) { // `earliest`: when the link from the generator is free
        uint64_t start = earliest > born ? earliest : born;
        put(net, start + t->int_packet + t->int_latency, INJECT, node, NONE);
        return;
    }
    uint64_t from = earliest > born ? earliest : born + 1;
    uint64_t tick = (from + t->tick - 1) / t->tick * t->tick;
    uint64_t time = tick + t->int_packet + t->int_latency;
    if (earliest > born) // from one injection to the next it is always the same delay
        put_line(net, time, INJECT, node);
    else
        put(net, time, INJECT, node, NONE);
}

static void on_inject(struct net *net, uint32_t node)
{
    uint64_t answered = net->wheel.now + net->times.int_ack + net->times.int_latency;
    if (!inject(net, node)) {
        net->result.refused++;
        offer(net, node, answered);
        return;
    }
    if (net->schedule.replay.app)
        net_replay_left(&net->schedule.replay, net->sources[node].message, net->wheel.now, on_known,
                        net);
    if (next_packet(net, node)) {
        // Pipelined: the packet after it has left right behind it.
        offer(net, node,
              net->config->pipelined ? net->wheel.now - net->times.int_latency : answered);
    }
}

// A message is born at a node that has none.
static void start_message(struct net *net, uint32_t node, uint32_t message)
{
    net->sources[node].message = message;
    load_message(net, node);
    offer(net, node, 0);
}

// An application's message will be born.
static void on_known(void *context, uint32_t message, uint64_t time)
{
    struct net *net = context;
    put(net, time, BIRTH, net_replay_source(&net->schedule.replay, message), message);
}

static void on_birth(struct net *net, uint32_t node, uint32_t message)
{
    net_replay_queue(&net->schedule.replay, message);
    if (net->sources[node].message == NET_NO_MESSAGE && next_packet(net, node))
        offer(net, node, 0);
}

// ---- Start and end
// -------------------------------------------------------------------------------

static bool init(struct net *net, const struct net_config *config)
{
    uint32_t nodes = ofr_nodes(&config->torus);
    *net = (struct net){.config = config,
                        .times = net_config_times(config),
                        .links.unused = NONE,
                        .nodes = nodes,
                        .watchdog = (uint64_t)(config->watchdog_us * 1000 * NET_UNITS_PER_NS)};
    net_paths_init(&net->paths, config);
    net->max_ways = 1;
    if (net->paths.derouting)
        net->max_ways = 1 + OFR_TABLE_INDEXES + ((config->orthants ? 2u : 1u) << config->torus.n);
    net->coord = net_allocate(nodes, sizeof *net->coord);
    net->exists = net_allocate(nodes, sizeof *net->exists);
    net->sources = net_allocate(nodes, sizeof *net->sources);
    net->ways = net_allocate((size_t)nodes * net->max_ways, sizeof *net->ways);
    net->sink_free = net_allocate(nodes, sizeof *net->sink_free);
    static const size_t cargo[NET_LINES] = {[ARRIVE] = sizeof(struct net_packet)};
    if (!net->coord || !net->exists || !net->sources || !net->ways || !net->sink_free ||
        !net_links_init(&net->links, config, &net->times) ||
        !net_schedule_init(&net->schedule, config) ||
        !net_wheel_init(&net->wheel, net->times.horizon, cargo) ||
        !net_stats_init(&net->result.stats, net->schedule.batches))
        return false;
    net->far_acks = net->times.ext_ack > net->wheel.mask;
    for (uint32_t node = 0; node < nodes; node++) {
        net->coord[node] = ofr_node_coord(&config->torus, node);
        net->exists[node] = (uint16_t)ofr_existing_ports(&config->torus, &net->coord[node]);
    }
    for (uint32_t node = 0; node < nodes; node++) {
        net->sources[node].message = NET_NO_MESSAGE;
        if (next_packet(net, node))
            offer(net, node, 0);
    }
    if (net->schedule.replay.app)
        net_replay_start(&net->schedule.replay, on_known, net);
    return !net->out_of_memory;
}

static void quit(struct net *net)
{
    net_schedule_free(&net->schedule);
    net_wheel_free(&net->wheel);
    net_links_free(&net->links);
    free(net->coord);
    free(net->exists);
    free(net->sources);
    free(net->ways);
    free(net->sink_free);
}

static void name_stuck(struct net *net)
{
    char *text = net->result.stuck;
    size_t size = sizeof net->result.stuck;
    static const char *const vcs[] = {"adaptive", "VS1", "VS2"};
    for (uint32_t node = 0; node < net->nodes; node++)
        for (unsigned port = 0; port < net->links.ports; port++)
            for (unsigned vc = 0; vc < NET_VCS; vc++) {
                if (net_used(&net->links, node, vc)[port] < net->config->slots)
                    continue;
                snprintf(text, size, "full: %s queue of node %u, port %c%c, and perhaps others",
                         vcs[vc], node, "xyzuvw"[port / 2], port % 2 ? '-' : '+');
                return;
            }
    for (uint32_t node = 0; node < net->nodes; node++)
        if (net->sources[node].message != NET_NO_MESSAGE) {
            snprintf(text, size, "the generator of node %u, message %u, packet %u to node %u", node,
                     net->sources[node].message, net->sources[node].packet,
                     net->sources[node].destination);
            return;
        }
    snprintf(text, size, "packets on links");
}

// Fetch into the cache what comes next will touch: of the lines some events ahead, in two steps,
// since the second needs what the first one fetched; of the wheel the next event.
enum { FAR = 24, NEAR = 12 };

AHEAD void look_ahead_arrive(const struct net *net)
{
    const struct net_line *line = &net->wheel.line[ARRIVE];
    const struct net_links *links = &net->links;
    const struct net_line_event *e = net_wheel_ahead(line, FAR);
    if (e) {
        __builtin_prefetch(net_link(links, e->index));
        __builtin_prefetch(net_quiet(links, e->index >> NET_PORT_BITS));
    }
    e = net_wheel_ahead(line, NEAR);
    if (!e)
        return;
    const struct net_packet *packet = net_wheel_cargo_ahead(line, NEAR);
    uint32_t node = e->index >> NET_PORT_BITS;
    __builtin_prefetch(net_link(links, net_link(links, e->index)->peer));
    for (uint32_t rest = net_leg_mu(packet->leg); rest; rest &= rest - 1)
        __builtin_prefetch(net_link(links, net_place(node, (unsigned)__builtin_ctz(rest))));
}

AHEAD void look_ahead_free(const struct net *net, enum event kind)
{
    const struct net_line *line = &net->wheel.line[kind];
    const struct net_line_event *e = net_wheel_ahead(line, FAR);
    if (e)
        __builtin_prefetch(net_link(&net->links, e->index));
    e = net_wheel_ahead(line, NEAR);
    if (e)
        look_ahead_queue(net, e->index);
}

AHEAD void look_ahead_inject(const struct net *net)
{
    enum { FAR_INJECT = 6, NEAR_INJECT = 3 };
    const struct net_line *line = &net->wheel.line[INJECT];
    const struct net_line_event *e = net_wheel_ahead(line, FAR_INJECT);
    if (e) {
        const char *ways = (const char *)&net->ways[(size_t)e->index * net->max_ways];
        __builtin_prefetch(&net->sources[e->index]);
        __builtin_prefetch(&net->coord[e->index]);
        __builtin_prefetch(net_quiet(&net->links, e->index));
        for (size_t at = 0; at < net->max_ways * sizeof *net->ways; at += 64)
            __builtin_prefetch(ways + at);
    }
    e = net_wheel_ahead(line, NEAR_INJECT);
    if (!e)
        return;
    for (unsigned port = 0; port < net->links.ports; port++)
        if (net_may_settle(&net->links, e->index, port, net->wheel.now))
            __builtin_prefetch(net_link(&net->links, net_place(e->index, port)));
}

AHEAD void look_ahead_wheel(const struct net *net)
{
    const struct net_event *next = net_wheel_peek(&net->wheel);
    if (!next || next->kind == INJECT || next->kind == BIRTH)
        return;
    __builtin_prefetch(net_link(&net->links, next->index));
    if (next->kind == NAK)
        __builtin_prefetch(&net->links.slots[next->packet]);
}

static enum net_end loop(struct net *net, double limit, atomic_bool *stop, _Atomic float *progress)
{
    struct net_event event;
    for (uint32_t count = 0; net_wheel_take(&net->wheel, &event); count++) {
        if (event.kind == ARRIVE)
            look_ahead_arrive(net);
        else if (event.kind == FREE || event.kind == AGAIN)
            look_ahead_free(net, event.kind);
        else if (event.kind == INJECT)
            look_ahead_inject(net);
        look_ahead_wheel(net);
        if (net->wheel.now >= net->links.next_settle)
            net_links_settle(&net->links, net->wheel.now);
        switch (event.kind) {
        case ARRIVE:
            on_arrive(net, event.index);
            break;
        case FREE:
        case AGAIN:
            on_free(net, event.index);
            break;
        case NAK:
            on_nak(net, event.index, event.packet);
            break;
        case BIRTH:
            on_birth(net, event.index, event.packet);
            break;
        default:
            on_inject(net, event.index);
            break;
        }
        if (count & 0xffff)
            continue;
        if (net->out_of_memory)
            return NET_NO_MEMORY;
        if (stop && atomic_load(stop))
            return NET_INTERRUPTED;
        if (progress)
            atomic_store(progress, (float)net->result.consumed / (float)net->schedule.packets);
        if (limit > 0 &&
            net_schedule_ages(&net->schedule, &net->result.stats, net->wheel.now) > limit)
            return NET_LIMITED;
        if (net->watchdog && net->wheel.now > net->progress + net->watchdog &&
            net_schedule_generated(&net->schedule, net->wheel.now) > net->result.consumed) {
            name_stuck(net);
            return NET_STUCK;
        }
    }
    if (net->out_of_memory)
        return NET_NO_MEMORY;
    return NET_DRAINED;
}

// Packets in queues and on links.
static uint64_t in_flight(const struct net *net)
{
    uint64_t slots = net->links.capacity;
    for (uint32_t s = net->links.unused; s != NONE; s = net->links.slots[s].next)
        slots--;
    return slots + net->wheel.line[ARRIVE].count;
}

struct net_result net_run(const struct net_config *config, double limit_us, atomic_bool *stop,
                          _Atomic float *progress)
{
    struct net net;
    enum net_end end = NET_NO_MEMORY;
    if (init(&net, config))
        end = loop(&net, limit_us * 1000 * NET_UNITS_PER_NS * (double)net.schedule.packets, stop,
                   progress);
    const struct net_replay *replay = &net.schedule.replay;
    if (end == NET_DRAINED && replay->app && replay->ended < replay->app->ops) {
        snprintf(net.result.stuck, sizeof net.result.stuck, "%u of %u operations have not ended",
                 replay->app->ops - replay->ended, replay->app->ops);
        end = NET_STUCK;
    }
    struct net_result result = net.result;
    result.end = end;
    result.generated =
        end == NET_NO_MEMORY ? 0 : net_schedule_generated(&net.schedule, net.wheel.now);
    result.in_flight = in_flight(&net);
    result.pairs = net.schedule.pairs.count;
    result.solution = net.schedule.replay.end;
    if (end == NET_DRAINED) {
        result.pair_latency = net.schedule.pairs.latency;
        net.schedule.pairs.latency = NULL;
    }
    result.waiting = result.generated - result.entered;
    if (end == NET_DRAINED)
        result.slots_held = net_links_settle(&net.links, UINT64_MAX - 1); // all ACKs back
    else
        result.end_time = net.wheel.now;
    quit(&net);
    return result;
}

void net_result_free(struct net_result *result)
{
    net_stats_free(&result->stats);
    free(result->pair_latency);
}
