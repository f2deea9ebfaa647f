// SPDX-License-Identifier: Apache-2.0
#include "packet/part.h"

#include <stdlib.h>
#include <string.h>

#include "config/random.h"
#include "packet/ahead.h"
#include "packet/select.h"
#include "route/rivals.h"

enum { NONE = NET_NONE };

static void put(struct net_part *part, uint64_t time, enum net_kind kind, uint32_t index,
                uint32_t packet)
{
    if (!net_wheel_put(&part->wheel, time, kind, index, packet))
        part->out_of_memory = true;
}

// The same for an event whose delay is always the same.
static void put_line(struct net_part *part, enum net_which_line l, uint64_t time, uint32_t index)
{
    if (!net_wheel_put_line(&part->wheel, l, time, index))
        part->out_of_memory = true;
}

// ---- Mail
// ----------------------------------------------------------------------------------------

// A letter to the part of a place; NULL: out of memory.
static struct net_packet *mail(struct net_part *part, enum net_mail_kind kind, uint64_t time,
                               uint32_t place)
{
    uint32_t to = 0, node = net_node(&part->links, place);
    while (part->bounds[to + 1] <= node)
        to++;
    struct net_box *box = &part->out[to].box[kind];
    if (box->count == box->capacity) {
        uint32_t capacity = box->capacity ? 2 * box->capacity : 64;
        struct net_mail *more = realloc(box->mail, capacity * sizeof *more);
        if (!more) {
            part->out_of_memory = true;
            return NULL;
        }
        box->mail = more;
        box->capacity = capacity;
    }
    struct net_mail *letter = &box->mail[box->count++];
    letter->time = time;
    letter->place = place;
    return &letter->packet;
}

// A packet comes back to its queue.
static void nak(struct net_part *part, uint64_t time, uint32_t place,
                const struct net_packet *packet)
{
    // As soon as can be: so these are in the order of time.
    if (time == part->wheel.now + part->times.ext_ack + part->times.ext_latency) {
        struct net_packet *cargo = net_wheel_put_line(&part->wheel, LINE_NAK, time, place);
        if (cargo)
            *cargo = *packet;
        else
            part->out_of_memory = true;
        return;
    }
    uint32_t s = net_slot(&part->links);
    if (s == NONE) {
        part->out_of_memory = true;
        return;
    }
    part->links.slots[s] = *packet;
    put(part, time, NET_NAK, place, s);
}

void net_part_deliver(struct net_part *part, uint64_t now, struct net_post *posts, uint32_t stride)
{
    if (part->wheel.now < now)
        part->wheel.now = now;
    for (;;) { // arrivals of all parts in the order of time
        struct net_box *first = NULL;
        for (uint32_t from = 0; from < part->parts; from++) {
            struct net_box *box = &posts[(size_t)from * stride].box[MAIL_ARRIVE];
            if (box->taken < box->count &&
                (!first || box->mail[box->taken].time < first->mail[first->taken].time))
                first = box;
        }
        if (!first)
            break;
        const struct net_mail *letter = &first->mail[first->taken++];
        struct net_packet *cargo =
            net_wheel_put_line(&part->wheel, LINE_OTHERS, letter->time, letter->place);
        if (cargo)
            *cargo = letter->packet;
        else
            part->out_of_memory = true;
    }
    for (uint32_t from = 0; from < part->parts; from++) {
        struct net_box *boxes = posts[(size_t)from * stride].box;
        for (uint32_t i = 0; i < boxes[MAIL_ACK].count; i++) {
            const struct net_mail *m = &boxes[MAIL_ACK].mail[i];
            net_ack_late(&part->links, m->place, now, m->time, m->packet.vc);
        }
        for (uint32_t i = 0; i < boxes[MAIL_NAK].count; i++) {
            const struct net_mail *m = &boxes[MAIL_NAK].mail[i];
            nak(part, m->time, m->place, &m->packet);
        }
        for (int kind = 0; kind < MAIL_KINDS; kind++)
            boxes[kind].count = boxes[kind].taken = 0;
    }
}

// ---- Queues and links
// ----------------------------------------------------------------------------

// Begins to send a packet over an idle link; returns where the packet goes. NULL: out of memory.
static inline struct net_packet *transmit(struct net_part *part, uint32_t place,
                                          struct net_link *link)
{
    link->free_at = part->wheel.now + part->times.ext_packet;
    link->armed = true;
    if (part->wheel.now < part->counted && !++link->sent)
        part->links.sent[place]++;
    put_line(part, LINE_FREE, link->free_at, place);
    uint64_t time = link->free_at + part->times.ext_latency;
    if (!net_own(&part->links, link->peer))
        return mail(part, MAIL_ARRIVE, time, link->peer);
    struct net_packet *cargo = net_wheel_put_line(&part->wheel, LINE_OWN, time, link->peer);
    if (!cargo)
        part->out_of_memory = true;
    return cargo;
}

// Sends the next packet of an idle link that has one.
static void send_next(struct net_part *part, uint32_t place, struct net_link *link)
{
    unsigned vc = 31 - (unsigned)__builtin_clz(link->waiting); // VS2, VS1, adaptive
    struct net_queue *queue = net_queue(&part->links, link, place, vc);
    uint32_t s = queue->head;
    const struct net_packet *packet = &part->links.slots[s];
    struct net_packet *cargo = transmit(part, place, link);
    if (cargo)
        *cargo = *packet;
    queue->head = packet->next;
    if (packet->next == NONE)
        link->waiting &= (uint8_t) ~(1u << vc);
    net_slot_free(&part->links, s);
}

static void on_free(struct net_part *part, uint32_t place)
{
    struct net_link *link = net_link(&part->links, place);
    link->armed = link->waiting != 0;
    if (!link->armed)
        return;
    if (link->free_at > part->wheel.now) { // an ACK came between
        if (link->free_at == part->wheel.now + part->times.ext_ack)
            put_line(part, LINE_AGAIN, link->free_at, place);
        else
            put(part, link->free_at, NET_FREE, place, NONE);
        return;
    }
    send_next(part, place, link);
}

// Where a packet for a link, whose slot is counted already, goes: on its way, if the link is idle,
// else behind all others of its queue; the sending is seen to. NULL: out of memory.
static inline __attribute__((always_inline)) struct net_packet *append(struct net_part *part,
                                                                       uint32_t place, unsigned vc)
{
    struct net_link *link = net_link(&part->links, place);
    if (!link->armed && link->free_at <= part->wheel.now) // nothing waits there
        return transmit(part, place, link);
    struct net_queue *queue = net_queue(&part->links, link, place, vc);
    uint32_t s = net_slot(&part->links);
    if (s == NONE) {
        part->out_of_memory = true;
        return NULL;
    }
    if (link->waiting >> vc & 1)
        part->links.slots[queue->tail].next = s;
    else
        queue->head = s;
    queue->tail = s;
    link->waiting |= (uint8_t)(1u << vc);
    if (!link->armed) {
        link->armed = true;
        put(part, link->free_at, NET_FREE, place, NONE);
    }
    return &part->links.slots[s];
}

// Puts a NAKed packet back into its queue, by age.
static void on_nak(struct net_part *part, uint32_t place, uint32_t s)
{
    if (part->nak_gate)
        part->nak_until[place] = part->wheel.now + part->nak_gate;
    struct net_packet *slots = part->links.slots;
    struct net_link *link = net_link(&part->links, place);
    unsigned vc = slots[s].vc;
    struct net_queue *queue = net_queue(&part->links, link, place, vc);
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
    if (link->free_at <= part->wheel.now) {
        send_next(part, place, link);
    } else {
        link->armed = true;
        put(part, link->free_at, NET_FREE, place, NONE);
    }
}

// The same of one that was on a line.
static void on_nak_line(struct net_part *part)
{
    const struct net_line *line = &part->wheel.line[LINE_NAK];
    uint32_t place = line->at[line->first].index, s = net_slot(&part->links);
    if (s == NONE) {
        part->out_of_memory = true;
        return;
    }
    part->links.slots[s] = *(const struct net_packet *)net_wheel_cargo_ahead(line, 0);
    net_wheel_drop(&part->wheel, LINE_NAK, 1);
    on_nak(part, place, s);
}

// Begins to send an ACK or NAK over a link; returns when it is there.
static uint64_t answer(struct net_part *part, struct net_link *back)
{
    uint64_t start = back->free_at > part->wheel.now ? back->free_at : part->wheel.now;
    back->free_at = start + part->times.ext_ack;
    return back->free_at + part->times.ext_latency;
}

// ---- Routing
// -------------------------------------------------------------------------------------

// Where a packet goes on at a node, as net_select says it. luck: RDR's draw.
static inline int route(struct net_part *part, uint32_t node, struct net_in in,
                        struct net_head head, uint32_t luck)
{
    const struct net_config *c = part->config;
    struct net_outputs outputs = net_outputs(c->routing, in, head);
    if (c->routing == NET_RDR)
        outputs.adaptive = net_one_dimension(outputs.adaptive, c->torus.n, luck);
    bool enters = in.port == NET_GENERATOR;
    return net_select(&part->links, node, part->wheel.now, outputs, c->slots,
                      enters ? c->throttle : c->transit_throttle, enters ? c->escape_throttle : 0);
}

// Puts a packet into a queue of a node, `way` as route() found it. Inlined, the packet is in
// registers.
static inline __attribute__((always_inline)) void enqueue(struct net_part *part, uint32_t node,
                                                          unsigned way, struct net_packet packet)
{
    unsigned port = way >> 2, vc = way & 3;
    packet.vc = (uint8_t)vc;
    packet.order = (*net_entered(&part->links, node))++;
    packet.leg = net_leg_hop(packet.leg, port);
    packet.next = NONE;
    net_used(&part->links, node, vc)[port]++;
    struct net_packet *there = append(part, net_place(&part->links, node, port), vc);
    if (there)
        *there = packet;
}

static void start_message(struct net_part *part, uint32_t node, uint32_t message);
static void on_known(void *context, uint32_t message, uint64_t time);

// Takes a packet for this node into the consumption queue, if there is room.
static bool consume(struct net_part *part, uint32_t node, uint32_t message, unsigned hops)
{
    uint64_t now = part->wheel.now, *free_at = &part->sink_free[node];
    uint64_t start = *free_at > now ? *free_at : now;
    // Those before it that have not begun to leave fill the queue.
    if (start - now > part->config->slots * part->times.int_packet)
        return false;
    *free_at = start + part->times.int_packet;
    uint64_t end = *free_at + part->times.int_latency;
    struct net_result *r = &part->result;
    r->consumed++;
    part->numbers += message;
    r->consumed_hops += hops;
    if (end <= part->schedule->generation) {
        r->consumed_in_time++;
        net_stats_arrived(&r->stats, net_schedule_time_batch(part->schedule, end));
    }
    net_stats_add(&r->stats, net_schedule_batch(part->schedule, message),
                  end - net_schedule_born(part->schedule, message));
    r->end_time = end > r->end_time ? end : r->end_time;
    part->progress = now;
    if (part->schedule->replay.app)
        net_replay_arrived(&part->schedule->replay, message, end, on_known, part);
    uint32_t next = net_schedule_arrived(part->schedule, message, end);
    if (next != NET_NO_MESSAGE)
        start_message(part, node, next);
    return true;
}

// ---- Events
// --------------------------------------------------------------------------------------

// index: the place of the link back.
static inline __attribute__((always_inline)) void on_arrive(struct net_part *part, uint32_t index,
                                                            struct net_packet packet)
{
    uint32_t node = net_node(&part->links, index), port = net_port(&part->links, index);
    struct net_link *back = net_link(&part->links, index);
    unsigned came_by = packet.vc;
    bool accepted;
    if (net_leg_mu(packet.leg) == 0 && packet.draw & NET_TO_IDN) {
        packet.draw &= (uint8_t)~NET_TO_IDN;
        packet.leg = net_pack_leg(net_leg(part->paths, &part->coord[node],
                                          &part->coord[packet.destination], packet.draw));
    }
    uint64_t answered = answer(part, back);
    if (net_leg_mu(packet.leg) == 0) {
        accepted = consume(part, node, packet.message, packet.hops + 1u);
    } else {
        uint32_t luck = 0;
        if (part->config->routing == NET_RDR)
            luck = (uint32_t)net_random(part->config->seed, DRAW_RDR, packet.luck, packet.hops);
        int way = route(part, node, (struct net_in){(uint8_t)port, (uint8_t)came_by},
                        net_packet_head(&packet), luck);
        accepted = way >= 0;
        if (accepted) {
            packet.hops++;
            enqueue(part, node, (unsigned)way, packet);
        }
    }
    if (!accepted) {
        part->result.naks++;
        if (net_own(&part->links, back->peer)) {
            nak(part, answered, back->peer, &packet);
        } else {
            struct net_packet *letter = mail(part, MAIL_NAK, answered, back->peer);
            if (letter)
                *letter = packet;
        }
        return;
    }
    part->result.hops++;
    part->progress = part->wheel.now;
    if (net_own(&part->links, back->peer)) {
        net_ack(&part->links, back->peer, part->wheel.now, answered, came_by);
    } else {
        struct net_packet *letter = mail(part, MAIL_ACK, answered, back->peer);
        if (letter)
            letter->vc = (uint8_t)came_by;
    }
}

// How many of a node's links had a NAK back within the gate's time.
static unsigned links_with_nak(const struct net_part *part, uint32_t node)
{
    unsigned count = 0;
    for (uint32_t rest = part->exists[node]; rest; rest &= rest - 1) {
        uint32_t place = net_place(&part->links, node, (unsigned)__builtin_ctz(rest));
        count += part->nak_until[place] > part->wheel.now;
    }
    return count;
}

// Of one of the source's ways.
static uint64_t first_leg(const struct net_part *part, uint32_t node, const struct ofr_way *way,
                          uint32_t draw)
{
    const struct net_source *source = &part->sources[node];
    bool from_0 = part->way_count;
    return net_pack_leg(net_first_leg(part->paths, &part->coord[from_0 ? 0 : node],
                                      &part->coord[from_0 ? source->at : source->destination], way,
                                      draw));
}

// Offers the source's packet to the router.
static bool inject(struct net_part *part, uint32_t node)
{
    const struct net_config *c = part->config;
    struct net_source *source = &part->sources[node];
    struct net_result *r = &part->result;
    if (source->destination == node) {
        if (!consume(part, node, source->message, 0))
            return false;
        r->entered++;
        source->in_time += part->wheel.now <= part->schedule->generation;
        r->wait_sum += part->wheel.now - source->born;
        return true;
    }
    if (c->node_throttle &&
        net_in_use(&part->links, node, part->exists[node], part->wheel.now) > c->node_throttle)
        return false;
    if (part->nak_gate && links_with_nak(part, node) >= c->nak_ports)
        return false;
    const struct ofr_way *ways = &part->ways[(size_t)source->at * part->max_ways];
    const struct ofr_way *way = &ways[0];
    uint64_t luck = 0;
    if (c->routing == NET_RDR || c->tie == NET_TIE_RANDOM)
        luck =
            net_random(c->seed, DRAW_TIE, node, (uint64_t)source->message << 32 | source->packet);
    if (source->chosen) {
        way = &ways[source->chosen - 1];
    } else if (source->ways > 1 && part->wheel.now - source->born <= part->gate) {
        uint8_t used[OFR_MAX_PORTS];
        uint16_t gates[OFR_MAX_PORTS];
        const struct ofr_load load = {used, part->exists[node], net_load_slots(c)};
        net_look(&part->links, c, node, load.ports, part->wheel.now, used, gates);
        way = &ways[net_choose(part->paths, &load, ways, source->ways, (uint32_t)luck)];
        if (way != ways && net_gates_close(c, gates, load.ports, ways[0].leave, way->leave))
            way = ways;
    }
    if (c->once && source->ways > 1)
        source->chosen = (uint32_t)(way - ways) + 1;
    struct ofr_way drawn;
    if (net_is_rival(c->routing)) {
        uint8_t used[OFR_MAX_PORTS];
        uint16_t gates[OFR_MAX_PORTS];
        const struct ofr_load load = {used, part->exists[node], net_load_slots(c)};
        if (c->routing == NET_UGAL)
            net_look(&part->links, c, node, load.ports, part->wheel.now, used, gates);
        drawn = net_rival_way(
            part->paths, c->routing, &part->coord[node], &part->coord[source->destination],
            net_random(c->seed, DRAW_RIVAL, node, (uint64_t)source->message << 32 | source->packet),
            &load);
        way = &drawn;
    }
    bool to_idn = way->kind == OFR_OIDN || way->kind == OFR_WIDN;
    uint64_t leg = source->minimal;
    if (way == &drawn)
        leg = net_pack_leg(net_first_leg(part->paths, &part->coord[node],
                                         &part->coord[source->destination], way, (uint32_t)luck));
    else if (way != ways || c->tie == NET_TIE_RANDOM)
        leg = first_leg(part, node, way, (uint32_t)luck);
    uint32_t rdr = (uint32_t)net_random(c->seed, DRAW_RDR, (uint32_t)(luck >> 32), 0);
    int out = route(part, node, (struct net_in){NET_GENERATOR, 0},
                    (struct net_head){(uint16_t)net_leg_mu(leg), to_idn}, rdr);
    if (out < 0)
        return false;
    uint8_t draw = (luck >> 8) & ((1u << OFR_TABLE_DIMS) - 1);
    enqueue(part, node, (unsigned)out,
            (struct net_packet){.leg = leg,
                                .destination = source->destination,
                                .message = source->message,
                                .draw = (uint8_t)(draw | (to_idn ? NET_TO_IDN : 0)),
                                .luck = (uint32_t)(luck >> 32)});
    r->entered++;
    source->in_time += part->wheel.now <= part->schedule->generation;
    r->wait_sum += part->wheel.now - source->born;
    if (way->kind != OFR_MINIMAL) {
        // GOAL's orthant may be the minimal one.
        r->por += net_is_rival(c->routing)
                      ? way->kind == OFR_OIDN || (net_leg_mu(leg) & ~ways[0].leave) != 0
                      : c->routing == NET_POR || way->kind == NET_ORTHANT;
        r->oidn += c->routing == NET_OFR && way->kind == OFR_OIDN;
        r->widn += c->routing == NET_OFR && way->kind == OFR_WIDN;
    }
    part->progress = part->wheel.now;
    return true;
}

// The node that is as far from node 0 as t from s.
static uint32_t apart(const struct net_part *part, uint32_t s, uint32_t t)
{
    const struct ofr_torus *torus = &part->paths->torus;
    struct ofr_coord to = part->coord[t];
    for (unsigned i = 0; i < torus->n; i++) {
        int hops = to.c[i] - part->coord[s].c[i];
        to.c[i] = (uint8_t)(hops < 0 ? hops + torus->k[i] : hops);
    }
    return ofr_node_id(torus, &to);
}

// Sets out the first packet of the source's message.
static void load_message(struct net_part *part, uint32_t node)
{
    struct net_source *source = &part->sources[node];
    const struct net_schedule *schedule = part->schedule;
    source->packet = source->chosen = 0;
    source->born = net_schedule_born(schedule, source->message);
    source->packets = net_schedule_packets(schedule, node, source->message);
    uint32_t destination = net_schedule_destination(schedule, node, source->message);
    if (source->ways && destination == source->destination)
        return; // the ways are those of the message before
    source->destination = destination;
    source->at = part->way_count ? apart(part, node, destination) : node;
    struct ofr_way *ways = &part->ways[(size_t)source->at * part->max_ways];
    source->ways = part->way_count ? part->way_count[source->at]
                                   : net_ways_kept(part->paths, &part->coord[node],
                                                   &part->coord[destination], ways);
    source->minimal = first_leg(part, node, ways, 0);
}

// Moves on to the packet after this one; false: the node has sent all.
static bool next_packet(struct net_part *part, uint32_t node)
{
    struct net_source *source = &part->sources[node];
    source->chosen = 0;
    if (source->message != NET_NO_MESSAGE && ++source->packet < source->packets)
        return true;
    source->message = part->schedule->replay.app
                          ? net_replay_next(&part->schedule->replay, node)
                          : net_schedule_next(part->schedule, node, source->message);
    if (source->message == NET_NO_MESSAGE)
        return false;
    load_message(part, node);
    return true;
}

// Sets out the source's packet on the first tick at `earliest` or later that is after its birth.
static void offer(struct net_part *part, uint32_t node, uint64_t earliest)
{
    const struct net_times *t = &part->times;
    uint64_t born = part->sources[node].born;
    if (part->config->pipelined) { // `earliest`: when the link from the generator is free
        uint64_t start = earliest > born ? earliest : born;
        put(part, start + t->int_packet + t->int_latency, NET_INJECT, node, NONE);
        return;
    }
    uint64_t from = earliest > born ? earliest : born + 1;
    uint64_t tick = (from + t->tick - 1) / t->tick * t->tick;
    uint64_t time = tick + t->int_packet + t->int_latency;
    if (earliest > born) // from one injection to the next it is always the same delay
        put_line(part, LINE_INJECT, time, node);
    else
        put(part, time, NET_INJECT, node, NONE);
}

static void on_inject(struct net_part *part, uint32_t node)
{
    uint64_t answered = part->wheel.now + part->times.int_ack + part->times.int_latency;
    if (!inject(part, node)) {
        part->result.refused++;
        offer(part, node, answered);
        return;
    }
    if (part->schedule->replay.app)
        net_replay_left(&part->schedule->replay, part->sources[node].message, part->wheel.now,
                        on_known, part);
    if (next_packet(part, node)) {
        // Pipelined: the packet after it has left right behind it.
        offer(part, node,
              part->config->pipelined ? part->wheel.now - part->times.int_latency : answered);
    }
}

// A message is born at a node that has none.
static void start_message(struct net_part *part, uint32_t node, uint32_t message)
{
    part->sources[node].message = message;
    load_message(part, node);
    offer(part, node, 0);
}

// An application's message will be born.
static void on_known(void *context, uint32_t message, uint64_t time)
{
    struct net_part *part = context;
    put(part, time, NET_BIRTH, net_replay_source(&part->schedule->replay, message), message);
}

static void on_birth(struct net_part *part, uint32_t node, uint32_t message)
{
    net_replay_queue(&part->schedule->replay, message);
    if (part->sources[node].message == NET_NO_MESSAGE && next_packet(part, node))
        offer(part, node, 0);
}

void net_part_start(struct net_part *part)
{
    for (uint32_t node = part->links.first; node < part->links.end; node++) {
        part->sources[node].message = NET_NO_MESSAGE;
        if (next_packet(part, node))
            offer(part, node, 0);
    }
    if (part->schedule->replay.app)
        net_replay_start(&part->schedule->replay, on_known, part);
}

// ---- Several arrivals at one time
// ----------------------------------------------------------------

// Events of a line at the time that it begins with, if that is `time`.
static inline uint32_t run_of(const struct net_line *line, uint64_t time)
{
    uint32_t count = 0, low = (uint32_t)time;
    while (count < line->count && line->at[(line->first + count) & line->mask].time == low)
        count++;
    return count;
}

// Place i of a run: those of the part's own links first, then those of others'.
static inline struct net_line *at_run(struct net_part *part, uint32_t own, uint32_t i, uint32_t *at)
{
    struct net_line *line = &part->wheel.line[i < own ? LINE_OWN : LINE_OTHERS];
    *at = (line->first + (i < own ? i : i - own)) & line->mask;
    return line;
}

// Whether an arrival comes before another of its time and node.
static bool sooner(const struct net_part *part, uint32_t place, uint32_t other)
{
    uint64_t seed = part->config->seed, now = part->wheel.now;
    uint64_t a = net_random(seed, DRAW_ORDER, now, place);
    uint64_t b = net_random(seed, DRAW_ORDER, now, other);
    return a != b ? a < b : place < other;
}

// Place i of a run is at the node of place `before`, behind which its others are in their order: it
// finds its own among them.
static void sort_in(struct net_part *part, uint32_t own, uint32_t i, uint32_t before)
{
    part->same_node[i] = before;
    for (uint32_t j = before;; i = j, j = part->same_node[j]) {
        uint32_t a, b;
        struct net_line *x = at_run(part, own, i, &a), *y = at_run(part, own, j, &b);
        struct net_packet *p = (struct net_packet *)(void *)x->cargo + a;
        struct net_packet *q = (struct net_packet *)(void *)y->cargo + b;
        if (!sooner(part, x->at[a].index, y->at[b].index))
            return;
        struct net_packet packet = *p;
        uint32_t index = x->at[a].index;
        *p = *q;
        *q = packet;
        x->at[a].index = y->at[b].index;
        y->at[b].index = index;
        if (part->same_node[j] == NONE)
            return;
    }
}

// Puts the arrivals of a run that are at the same node into their order. False: out of memory.
static bool sort_run(struct net_part *part, uint32_t own, uint32_t others)
{
    uint32_t count = own + others;
    if (count > part->run_capacity) {
        uint32_t *more = realloc(part->same_node, 2 * (size_t)count * sizeof *more);
        if (!more)
            return false;
        part->same_node = more;
        part->run_capacity = 2 * count;
    }
    uint32_t number = ++part->runs;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at;
        const struct net_line *line = at_run(part, own, i, &at);
        uint32_t node = net_node(&part->links, line->at[at].index) - part->links.first;
        struct net_latest *latest = &part->latest[node];
        if (latest->run == number)
            sort_in(part, own, i, latest->place);
        else
            part->same_node[i] = NONE;
        *latest = (struct net_latest){number, i};
    }
    return true;
}

static inline __attribute__((always_inline)) void take_arrival(struct net_part *part, uint32_t l,
                                                               bool ahead)
{
    // A copy: what follows may put other events into the line.
    struct net_packet packet =
        *(const struct net_packet *)net_wheel_cargo_ahead(&part->wheel.line[l], 0);
    uint32_t index = net_wheel_ahead(&part->wheel.line[l], 0)->index;
    net_wheel_drop(&part->wheel, l, 1);
    if (ahead)
        look_ahead_arrive(part);
    on_arrive(part, index, packet);
}

// All of one time.
AHEAD void on_arrivals(struct net_part *part, bool ahead)
{
    const struct net_line *line = part->wheel.line;
    uint32_t own = run_of(&line[LINE_OWN], part->wheel.now);
    uint32_t others = run_of(&line[LINE_OTHERS], part->wheel.now);
    if (own + others > 1 && !sort_run(part, own, others))
        part->out_of_memory = true;
    for (uint32_t i = 0; i < own; i++)
        take_arrival(part, LINE_OWN, ahead);
    for (uint32_t i = 0; i < others; i++)
        take_arrival(part, LINE_OTHERS, ahead);
}

// All of a line's events at this time.
AHEAD void on_line(struct net_part *part, uint32_t l, bool ahead)
{
    const struct net_line *line = &part->wheel.line[l];
    uint32_t now = (uint32_t)part->wheel.now;
    do {
        uint32_t index = line->at[line->first].index;
        net_wheel_drop(&part->wheel, l, 1);
        if (ahead && l == LINE_INJECT)
            look_ahead_inject(part);
        else if (ahead)
            look_ahead_free(part, l);
        if (l == LINE_INJECT)
            on_inject(part, index);
        else
            on_free(part, index);
    } while (line->count && line->at[line->first].time == now);
}

AHEAD void run(struct net_part *part, uint64_t until, bool ahead)
{
    struct net_wheel *wheel = &part->wheel;
    uint64_t key, end = net_wheel_key(until, 0);
    while (!part->out_of_memory) {
        uint32_t l = net_wheel_first(wheel, &key);
        if (key >= end)
            return;
        wheel->now = key / NET_KINDS;
        if (wheel->now >= part->links.next_settle)
            net_links_settle(&part->links, wheel->now);
        if (ahead)
            look_ahead_wheel(part);
        if (l == LINE_FREE) {
            on_line(part, LINE_FREE, ahead);
        } else if (l == LINE_OWN || l == LINE_OTHERS) {
            on_arrivals(part, ahead);
        } else if (l == LINE_INJECT) {
            on_line(part, LINE_INJECT, ahead);
        } else if (l == LINE_AGAIN) {
            on_line(part, LINE_AGAIN, ahead);
        } else if (l == LINE_NAK) {
            if (ahead)
                look_ahead_nak(part);
            on_nak_line(part);
        } else {
            struct net_event event =
                l == NET_LINES ? net_wheel_take_wheel(wheel) : net_wheel_take_far(wheel);
            if (event.kind == NET_FREE)
                on_free(part, event.index);
            else if (event.kind == NET_NAK)
                on_nak(part, event.index, event.packet);
            else if (event.kind == NET_BIRTH)
                on_birth(part, event.index, event.packet);
            else
                on_inject(part, event.index);
        }
    }
}

void net_part_run(struct net_part *part, uint64_t until)
{
    if (part->look_ahead)
        run(part, until, true);
    else
        run(part, until, false);
}
