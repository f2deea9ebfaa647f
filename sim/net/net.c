// SPDX-License-Identifier: Apache-2.0
#include "net.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "paths.h"
#include "random.h"
#include "schedule.h"
#include "wheel.h"

enum { NONE = UINT32_MAX };
enum vc { ADAPTIVE, VS1, VS2, VCS };
enum event { ARRIVE, FREE, INJECT, NAK }; // the first three have lines

struct packet {           // 32 bytes: none lies in two cache lines
    uint32_t next;        // in its queue, or in the list of unused packets
    uint32_t destination; // node
    uint32_t message;     // number at its source
    uint32_t order;       // of entering its queue
    struct net_leg leg;   // seen from the far end of the link whose queue it is in
    uint32_t luck;        // RDR's draws
    uint16_t hops;
    uint16_t vc : 2, to_idn : 1, // on its first leg of two
        draw : OFR_MAX_DIMS;     // tie directions of the second leg (NET_TIE_RANDOM)
};

_Static_assert(sizeof(struct packet) == 32, "two to a cache line");

// An outgoing link, its queues and its transmitter. 64 bytes.
struct link {
    _Alignas(64) uint64_t free_at; // when the transmitter is done with all that it has begun
    uint32_t head[VCS], tail[VCS]; // waiting packets, oldest first
    uint32_t node;                 // that it leaves
    uint32_t peer;                 // the link back, of the neighbour
    uint32_t peer_node;
    uint8_t port, peer_port;
    uint8_t ack_first, ack_count; // in the ring of ACKs on their way
    bool armed;                   // a FREE event is coming
};

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
    uint32_t nodes, ports; // 2n links a node, missing ones included
    struct ofr_coord *coord;
    uint16_t *exists; // ports with a link, per node
    uint16_t *used;   // [node][VC][port]: slots in use
    uint64_t *ack_at; // [node][port]: when the next ACK comes back; UINT64_MAX: none on its way
    struct link *links;
    uint64_t *acks; // [link][ring]: time * 4 + VC
    uint32_t ring;  // a power of two
    struct source *sources;
    struct ofr_way *ways; // [node][max_ways], of the sources' messages
    uint32_t max_ways;
    uint64_t *sink_free; // when the link to the sink is free
    struct packet *packets;
    uint32_t unused, packet_capacity;
    uint32_t order;
    uint64_t progress; // last accept
    uint64_t watchdog;
    bool out_of_memory;
};

static struct packet *packet_of(struct net *net, uint32_t index)
{
    return &net->packets[index];
}

static void put(struct net *net, uint64_t time, enum event kind, uint32_t index, uint32_t packet)
{
    if (!net_wheel_put(&net->wheel, time, kind, index, packet))
        net->out_of_memory = true;
}

// The same for an event whose delay is always the same.
static void put_line(struct net *net, uint64_t time, enum event kind, uint32_t index,
                     uint32_t packet)
{
    if (!net_wheel_put_line(&net->wheel, kind, time, index, packet))
        net->out_of_memory = true;
}

// Zeroed memory that begins with a cache line.
static void *allocate(size_t count, size_t size)
{
    size_t bytes = (count * size + 63) & ~(size_t)63;
    void *memory = aligned_alloc(64, bytes);
    return memory ? memset(memory, 0, bytes) : NULL;
}

static uint32_t new_packet(struct net *net)
{
    if (net->unused == NONE) {
        uint32_t capacity = net->packet_capacity ? 2 * net->packet_capacity : 1024;
        struct packet *packets = allocate(capacity, sizeof *packets);
        if (!packets) {
            net->out_of_memory = true;
            return NONE;
        }
        if (net->packets)
            memcpy(packets, net->packets, net->packet_capacity * sizeof *packets);
        free(net->packets);
        for (uint32_t p = net->packet_capacity; p < capacity; p++)
            packets[p] = (struct packet){.next = p + 1 < capacity ? p + 1 : NONE};
        net->packets = packets;
        net->unused = net->packet_capacity;
        net->packet_capacity = capacity;
    }
    uint32_t p = net->unused;
    net->unused = net->packets[p].next;
    return p;
}

// ---- Queues and links
// ----------------------------------------------------------------------------

static uint16_t *used_of(struct net *net, uint32_t node, unsigned vc)
{
    return &net->used[(node * VCS + vc) * net->ports];
}

// Frees the slots of a link whose ACKs are back by now.
static void settle_due(struct net *net, uint32_t node, unsigned port)
{
    uint32_t index = node * net->ports + port;
    struct link *link = &net->links[index];
    uint64_t *ack_at = &net->ack_at[index];
    const uint64_t *ring = &net->acks[(size_t)index * net->ring];
    while (*ack_at <= net->wheel.now) {
        used_of(net, node, ring[link->ack_first] & 3)[port]--;
        link->ack_first = (link->ack_first + 1) & (net->ring - 1);
        *ack_at = --link->ack_count ? ring[link->ack_first] >> 2 : UINT64_MAX;
    }
}

static inline void settle(struct net *net, uint32_t node, unsigned port)
{
    if (net->ack_at[node * net->ports + port] <= net->wheel.now)
        settle_due(net, node, port);
}

// Sends the next packet of an idle link that has one.
static void send_next(struct net *net, uint32_t index)
{
    struct link *link = &net->links[index];
    uint64_t now = net->wheel.now;
    for (unsigned vc = VS2 + 1; vc-- > 0;) { // VS2, VS1, adaptive
        uint32_t p = link->head[vc];
        if (p == NONE)
            continue;
        link->head[vc] = packet_of(net, p)->next;
        link->free_at = now + net->times.ext_packet;
        put_line(net, link->free_at + net->times.ext_latency, ARRIVE, link->peer, p);
        break;
    }
    if (link->head[ADAPTIVE] != NONE || link->head[VS1] != NONE || link->head[VS2] != NONE) {
        link->armed = true;
        put_line(net, link->free_at, FREE, index, NONE);
    }
}

// Fetches into the cache what send_next will touch.
static inline void look_ahead_queues(const struct net *net, const struct link *link)
{
    for (unsigned vc = 0; vc < VCS; vc++)
        if (link->head[vc] != NONE)
            __builtin_prefetch(&net->packets[link->head[vc]]);
}

// A link has got something to send.
static void poke(struct net *net, uint32_t index)
{
    struct link *link = &net->links[index];
    if (link->armed)
        return;
    if (link->free_at <= net->wheel.now) {
        send_next(net, index);
    } else {
        link->armed = true;
        put(net, link->free_at, FREE, index, NONE);
    }
}

static void on_free(struct net *net, uint32_t index)
{
    struct link *link = &net->links[index];
    if (link->free_at > net->wheel.now) { // an ACK came between
        look_ahead_queues(net, link);
        put(net, link->free_at, FREE, index, NONE);
        return;
    }
    link->armed = false;
    send_next(net, index);
}

// Puts a packet behind all others of its queue, whose slot is counted already.
static void append(struct net *net, uint32_t index, uint32_t p)
{
    struct packet *packet = packet_of(net, p);
    struct link *link = &net->links[index];
    unsigned vc = packet->vc;
    packet->next = NONE;
    if (link->head[vc] == NONE)
        link->head[vc] = p;
    else
        packet_of(net, link->tail[vc])->next = p;
    link->tail[vc] = p;
    poke(net, index);
}

// Puts a NAKed packet back into its queue, by age.
static void on_nak(struct net *net, uint32_t index, uint32_t p)
{
    struct packet *packet = packet_of(net, p);
    struct link *link = &net->links[index];
    uint32_t *at = &link->head[packet->vc];
    while (*at != NONE && (int32_t)(packet->order - packet_of(net, *at)->order) > 0)
        at = &packet_of(net, *at)->next;
    packet->next = *at;
    *at = p;
    if (packet->next == NONE)
        link->tail[packet->vc] = p;
    poke(net, index);
}

// Begins to send an ACK or NAK over a link; returns when it is there.
static uint64_t answer(struct net *net, struct link *back)
{
    uint64_t start = back->free_at > net->wheel.now ? back->free_at : net->wheel.now;
    back->free_at = start + net->times.ext_ack;
    return back->free_at + net->times.ext_latency;
}

// ---- Routing
// -------------------------------------------------------------------------------------

// A place in a router's queues.
struct place {
    unsigned port, vc;
};

// Where a packet goes on at a node with minimal ports `mu` (not 0); false: nowhere. from: the port
// that it came in by, or NONE from the generator; vc: the VC that it came in; luck: RDR's draw.
static bool route(struct net *net, uint32_t node, uint32_t mu, unsigned from, unsigned vc,
                  bool to_idn, uint32_t luck, struct place *place)
{
    const struct net_config *c = net->config;
    bool injected = from == NONE;
    uint16_t *used = used_of(net, node, ADAPTIVE);
    uint32_t ports = mu;
    if (c->routing == NET_DOR)
        ports = 0;
    if (c->routing == NET_RDR) {
        unsigned dims = 0;
        for (unsigned i = 0; i < net->config->torus.n; i++)
            dims += (mu >> 2 * i & 3) != 0;
        unsigned pick = net_below((uint64_t)luck << 32, dims);
        for (unsigned i = 0; i < net->config->torus.n; i++)
            if ((mu >> 2 * i & 3) && pick-- == 0)
                ports = mu & 3u << 2 * i;
    }
    unsigned best = 0, least = UINT32_MAX;
    for (uint32_t rest = ports; rest; rest &= rest - 1) {
        unsigned port = (unsigned)__builtin_ctz(rest);
        settle(net, node, port);
        if (used[port] < least) {
            least = used[port];
            best = port;
        }
    }
    if (least < c->slots - (injected ? c->throttle : 0)) {
        *place = (struct place){best, ADAPTIVE};
        return true;
    }
    unsigned port = (unsigned)__builtin_ctz(mu);
    settle(net, node, port);
    unsigned escape = to_idn ? VS1 : VS2;
    unsigned spare = 1;
    if (injected)
        spare = c->throttle > 1 ? c->throttle : 1;
    else if (vc == escape && port == (from ^ 1))
        spare = 0;
    *place = (struct place){port, escape};
    return used_of(net, node, escape)[port] + spare < c->slots;
}

// The packet's leg after a hop through `port`.
static void advance(struct net_leg *leg, unsigned port)
{
    unsigned dim = port / 2;
    leg->mu &= (uint16_t) ~(1u << (port ^ 1)); // at k/2 either way was minimal
    if (--leg->left[dim] == 0)
        leg->mu &= (uint16_t) ~(1u << port);
}

// Puts a packet into a queue of a node, or back (`place` as route() found it).
static void enqueue(struct net *net, uint32_t node, struct place place, uint32_t p)
{
    struct packet *packet = packet_of(net, p);
    packet->vc = place.vc & 3;
    packet->order = net->order++;
    advance(&packet->leg, place.port);
    used_of(net, node, place.vc)[place.port]++;
    append(net, node * net->ports + place.port, p);
}

static void start_message(struct net *net, uint32_t node, uint32_t message);

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
    if (net->schedule.pairs.count) {
        uint32_t next = net_pairs_arrived(&net->schedule.pairs, message, end);
        if (next != UINT32_MAX)
            start_message(net, net_pairs_node(&net->schedule.pairs, next, false), next);
    }
    return true;
}

// ---- Events
// --------------------------------------------------------------------------------------

static void on_arrive(struct net *net, uint32_t index, uint32_t p)
{
    struct link *back = &net->links[index]; // of this node
    uint32_t node = back->node, at = back->peer;
    struct packet *packet = packet_of(net, p);
    unsigned came_by = packet->vc;
    bool accepted;
    if (packet->leg.mu == 0 && packet->to_idn) {
        packet->to_idn = false;
        packet->leg =
            net_leg(&net->paths, &net->coord[node], &net->coord[packet->destination], packet->draw);
    }
    uint64_t answered = answer(net, back);
    if (packet->leg.mu == 0) {
        accepted = consume(net, node, packet->message, packet->hops + 1u);
        if (accepted) {
            packet->next = net->unused;
            net->unused = p;
        }
    } else {
        struct place place;
        uint32_t luck = 0;
        if (net->config->routing == NET_RDR)
            luck = (uint32_t)net_random(net->config->seed, DRAW_RDR, packet->luck, packet->hops);
        accepted =
            route(net, node, packet->leg.mu, back->port, came_by, packet->to_idn, luck, &place);
        if (accepted) {
            packet->hops++;
            enqueue(net, node, place, p);
        }
    }
    if (!accepted) {
        net->result.naks++;
        put(net, answered, NAK, at, p);
        return;
    }
    net->result.hops++;
    net->progress = net->wheel.now;
    struct link *link = &net->links[at];
    uint64_t *ring = &net->acks[(size_t)at * net->ring];
    if (link->ack_count == net->ring) // some are back for long, but nobody has looked
        settle(net, back->peer_node, back->peer_port);
    if (!link->ack_count)
        net->ack_at[at] = answered;
    ring[(link->ack_first + link->ack_count++) & (net->ring - 1)] = answered << 2 | came_by;
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
        const struct ofr_load load = {used, net->exists[node],
                                      (uint8_t)(c->slots * (c->count_all ? VCS : 1))};
        for (uint32_t rest = net->exists[node]; rest; rest &= rest - 1) {
            unsigned port = (unsigned)__builtin_ctz(rest);
            settle(net, node, port);
            used[port] = (uint8_t)used_of(net, node, ADAPTIVE)[port]; // NET_MAX_SLOTS
            bool closed = used[port] + c->throttle >= c->slots;
            if (c->count_all)
                used[port] += used_of(net, node, VS1)[port] + used_of(net, node, VS2)[port];
            if (c->preset == NET_PRESET_OFR && closed) // struct ofr_sample
                used[port] = load.slots;
        }
        way = &ways[net_choose(&net->paths, &load, ways, source->ways, (uint32_t)luck)];
    }
    bool to_idn = way->kind == OFR_OIDN || way->kind == OFR_WIDN;
    struct net_leg leg = net_first_leg(&net->paths, &net->coord[node],
                                       &net->coord[source->destination], way, (uint32_t)luck);
    struct place place;
    uint32_t rdr = (uint32_t)net_random(c->seed, DRAW_RDR, (uint32_t)(luck >> 32), 0);
    if (!route(net, node, leg.mu, NONE, ADAPTIVE, to_idn, rdr, &place))
        return false;
    uint32_t p = new_packet(net);
    if (p == NONE)
        return true;
    *packet_of(net, p) = (struct packet){.destination = source->destination,
                                         .message = source->message,
                                         .leg = leg,
                                         .to_idn = to_idn,
                                         .draw = (luck >> 8) & ((1u << OFR_MAX_DIMS) - 1),
                                         .luck = (uint32_t)(luck >> 32)};
    enqueue(net, node, place, p);
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
    source->message = net_schedule_next(&net->schedule, node, source->message);
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
        put_line(net, time, INJECT, node, NONE);
    else
        put(net, time, INJECT, node, NONE);
}

static void on_inject(struct net *net, uint32_t node)
{
    uint64_t answered = net->wheel.now + net->times.int_ack + net->times.int_latency;
    if (!inject(net, node)) {
        net->result.refused++;
        offer(net, node, answered);
    } else if (next_packet(net, node)) {
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

// ---- Start and end
// -------------------------------------------------------------------------------

static bool init(struct net *net, const struct net_config *config)
{
    uint32_t nodes = ofr_nodes(&config->torus), ports = 2u * config->torus.n;
    size_t links = (size_t)nodes * ports;
    *net = (struct net){.config = config,
                        .times = net_config_times(config),
                        .nodes = nodes,
                        .ports = ports,
                        .unused = NONE,
                        .watchdog = (uint64_t)(config->watchdog_us * 1000 * NET_UNITS_PER_NS)};
    net_paths_init(&net->paths, config);
    // ACKs on their way to a link: packets arrive at most every ext_packet, an ACK waits for at
    // most one packet and the two ACKs before it.
    const struct net_times *t = &net->times;
    uint64_t window = t->ext_packet + 3 * t->ext_ack + t->ext_latency;
    for (net->ring = 4; net->ring < window / t->ext_packet + 1;)
        net->ring *= 2;
    net->max_ways = 1;
    if (net->paths.derouting)
        net->max_ways = 1 + OFR_TABLE_INDEXES + ((config->orthants ? 2u : 1u) << config->torus.n);
    net->coord = allocate(nodes, sizeof *net->coord);
    net->exists = allocate(nodes, sizeof *net->exists);
    net->used = allocate(links * VCS, sizeof *net->used);
    net->ack_at = allocate(links, sizeof *net->ack_at);
    net->links = allocate(links, sizeof *net->links); // a cache line each
    net->acks = allocate(links * net->ring, sizeof *net->acks);
    net->sources = allocate(nodes, sizeof *net->sources);
    net->ways = allocate((size_t)nodes * net->max_ways, sizeof *net->ways);
    net->sink_free = allocate(nodes, sizeof *net->sink_free);
    if (!net->coord || !net->exists || !net->used || !net->ack_at || !net->links || !net->acks ||
        !net->sources || !net->ways || !net->sink_free ||
        !net_schedule_init(&net->schedule, config) || !net_wheel_init(&net->wheel, t->horizon) ||
        !net_stats_init(&net->result.stats, net->schedule.batches))
        return false;
    for (uint32_t node = 0; node < nodes; node++) {
        net->coord[node] = ofr_node_coord(&config->torus, node);
        net->exists[node] = (uint16_t)ofr_existing_ports(&config->torus, &net->coord[node]);
        for (unsigned port = 0; port < ports; port++) {
            struct ofr_coord to = ofr_neighbour(&config->torus, net->coord[node], port);
            uint32_t peer_node = ofr_node_id(&config->torus, &to), index = node * ports + port;
            net->ack_at[index] = UINT64_MAX;
            net->links[index] = (struct link){.head = {NONE, NONE, NONE},
                                              .tail = {NONE, NONE, NONE},
                                              .node = node,
                                              .peer = peer_node * ports + (port ^ 1),
                                              .peer_node = peer_node,
                                              .port = (uint8_t)port,
                                              .peer_port = (uint8_t)(port ^ 1)};
        }
    }
    for (uint32_t node = 0; node < nodes; node++) {
        net->sources[node].message = NET_NO_MESSAGE;
        if (next_packet(net, node))
            offer(net, node, 0);
    }
    return !net->out_of_memory;
}

static void quit(struct net *net)
{
    net_schedule_free(&net->schedule);
    net_wheel_free(&net->wheel);
    free(net->coord);
    free(net->exists);
    free(net->used);
    free(net->ack_at);
    free(net->links);
    free(net->acks);
    free(net->sources);
    free(net->ways);
    free(net->sink_free);
    free(net->packets);
}

static void name_stuck(struct net *net)
{
    char *text = net->result.stuck;
    size_t size = sizeof net->result.stuck;
    static const char *const vcs[] = {"adaptive", "VS1", "VS2"};
    for (size_t l = 0; l < (size_t)net->nodes * net->ports; l++)
        for (unsigned vc = 0; vc < VCS; vc++) {
            uint16_t used = net->used[(l / net->ports * VCS + vc) * net->ports + l % net->ports];
            if (used < net->config->slots)
                continue;
            snprintf(text, size, "full: %s queue of node %zu, port %c%c, and perhaps others",
                     vcs[vc], l / net->ports, "xyzuvw"[l % net->ports / 2], l % 2 ? '-' : '+');
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
enum { FAR = 16, NEAR = 8 };

static inline void look_ahead_arrive(const struct net *net)
{
    const struct net_line *line = &net->wheel.line[ARRIVE];
    const struct net_line_event *e = net_wheel_ahead(line, FAR);
    if (e) {
        __builtin_prefetch(&net->links[e->index]);
        __builtin_prefetch(&net->packets[e->packet]);
    }
    e = net_wheel_ahead(line, NEAR);
    if (!e)
        return;
    const struct link *back = &net->links[e->index];
    uint32_t at = back->peer, first = back->node * net->ports;
    __builtin_prefetch(&net->links[at]);
    __builtin_prefetch(&net->ack_at[at]);
    __builtin_prefetch(&net->acks[(size_t)at * net->ring]);
    __builtin_prefetch(&net->used[first * VCS]);
    for (uint32_t rest = net->packets[e->packet].leg.mu; rest; rest &= rest - 1) {
        uint32_t index = first + (uint32_t)__builtin_ctz(rest);
        __builtin_prefetch(&net->links[index]);
        __builtin_prefetch(&net->ack_at[index]);
        __builtin_prefetch(&net->acks[(size_t)index * net->ring]);
    }
}

static inline void look_ahead_free(const struct net *net)
{
    const struct net_line *line = &net->wheel.line[FREE];
    const struct net_line_event *e = net_wheel_ahead(line, FAR);
    if (e)
        __builtin_prefetch(&net->links[e->index]);
    e = net_wheel_ahead(line, NEAR);
    if (e)
        look_ahead_queues(net, &net->links[e->index]);
}

static inline void look_ahead_inject(const struct net *net)
{
    const struct net_line_event *e = net_wheel_ahead(&net->wheel.line[INJECT], 2);
    if (!e)
        return;
    uint32_t first = e->index * net->ports;
    const char *ways = (const char *)&net->ways[(size_t)e->index * net->max_ways];
    __builtin_prefetch(&net->sources[e->index]);
    __builtin_prefetch(&net->used[first * VCS]);
    __builtin_prefetch(&net->coord[e->index]);
    for (size_t at = 0; at < net->max_ways * sizeof *net->ways; at += 64)
        __builtin_prefetch(ways + at);
    for (unsigned port = 0; port < net->ports; port++) {
        __builtin_prefetch(&net->links[first + port]);
        __builtin_prefetch(&net->ack_at[first + port]);
        __builtin_prefetch(&net->acks[(size_t)(first + port) * net->ring]);
    }
}

static inline void look_ahead_wheel(const struct net *net)
{
    const struct net_event *next = net_wheel_peek(&net->wheel);
    if (!next || next->kind == INJECT)
        return;
    __builtin_prefetch(&net->links[next->index]);
    if (next->kind == NAK)
        __builtin_prefetch(&net->packets[next->packet]);
}

static enum net_end loop(struct net *net, double limit, atomic_bool *stop, _Atomic float *progress)
{
    struct net_event event;
    for (uint32_t count = 0; net_wheel_take(&net->wheel, &event); count++) {
        if (event.kind == ARRIVE)
            look_ahead_arrive(net);
        else if (event.kind == FREE)
            look_ahead_free(net);
        else if (event.kind == INJECT)
            look_ahead_inject(net);
        look_ahead_wheel(net);
        switch (event.kind) {
        case ARRIVE:
            on_arrive(net, event.index, event.packet);
            break;
        case FREE:
            on_free(net, event.index);
            break;
        case NAK:
            on_nak(net, event.index, event.packet);
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

// Slots in use when all ACKs are back.
static uint64_t slots_held(struct net *net)
{
    uint64_t held = 0;
    net->wheel.now = UINT64_MAX - 1;
    for (uint32_t node = 0; node < net->nodes; node++)
        for (unsigned port = 0; port < net->ports; port++) {
            settle(net, node, port);
            for (unsigned vc = 0; vc < VCS; vc++)
                held += used_of(net, node, vc)[port];
        }
    return held;
}

struct net_result net_run(const struct net_config *config, double limit_us, atomic_bool *stop,
                          _Atomic float *progress)
{
    struct net net;
    enum net_end end = NET_NO_MEMORY;
    if (init(&net, config))
        end = loop(&net, limit_us * 1000 * NET_UNITS_PER_NS * (double)net.schedule.packets, stop,
                   progress);
    struct net_result result = net.result;
    result.end = end;
    result.generated =
        end == NET_NO_MEMORY ? 0 : net_schedule_generated(&net.schedule, net.wheel.now);
    for (uint32_t p = net.unused; p != NONE; p = net.packets[p].next)
        result.in_flight++; // unused ones, for now
    result.in_flight = net.packet_capacity - result.in_flight;
    result.pairs = net.schedule.pairs.count;
    if (end == NET_DRAINED) {
        result.pair_latency = net.schedule.pairs.latency;
        net.schedule.pairs.latency = NULL;
    }
    result.waiting = result.generated - result.entered;
    if (end == NET_DRAINED)
        result.slots_held = slots_held(&net);
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
