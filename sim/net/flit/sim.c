// SPDX-License-Identifier: Apache-2.0
#include "flit/sim.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "flit/births.h"
#include "flit/bubble.h"
#include "flit/chaos.h"
#include "flit/check.h"
#include "flit/cut.h"
#include "flit/wire.h"

static inline void set(uint64_t *map, uint32_t i)
{
    map[i >> 6] |= (uint64_t)1 << (i & 63);
}

static inline void clear(uint64_t *map, uint32_t i)
{
    map[i >> 6] &= ~((uint64_t)1 << (i & 63));
}

static struct net_flit_input *input_of(const struct net_sim *sim, uint32_t node, unsigned place)
{
    return &sim->input[(size_t)node * sim->places + place];
}

static struct net_flit_output *output_of(const struct net_sim *sim, uint32_t node, unsigned place)
{
    return &sim->output[(size_t)node * sim->places + place];
}

// ---- Births

static void enter_calendar(struct net_sim *sim, uint32_t node)
{
    struct net_flit_node *n = &sim->node[node];
    uint32_t *bucket = &sim->calendar[n->birth % NET_FLIT_CALENDAR];
    n->next_born = *bucket;
    *bucket = node;
}

static struct net_flit_batch *batch_now(const struct net_sim *sim)
{
    return net_flit_batch_of(&sim->config->flit, sim->batch, sim->now);
}

static void give_birth(struct net_sim *sim)
{
    uint32_t *bucket = &sim->calendar[sim->now % NET_FLIT_CALENDAR], node = *bucket;
    *bucket = UINT32_MAX;
    while (node != UINT32_MAX) {
        struct net_flit_node *n = &sim->node[node];
        uint32_t next = n->next_born;
        if (n->birth == sim->now) {
            struct net_flit_batch *batch = batch_now(sim);
            sim->created++;
            if (batch)
                batch->created++;
            n->created++;
            n->birth =
                net_flit_birth_after(sim->config, sim->birth_log, node, n->created, sim->now);
            set(sim->injecting, node);
        }
        if (n->birth < sim->end)
            enter_calendar(sim, node);
        node = next;
    }
}

// ---- Headers

// A packet is the first one of an input buffer.
static void begin(struct net_sim *sim, uint32_t node, unsigned place)
{
    struct net_flit_input *in = input_of(sim, node, place);
    struct net_flit_packet *p = net_flit_packet(sim, in->b.packet[0]);
    struct net_flit_out out[NET_FLIT_OUTS];
    in->to = NET_FLIT_NONE;
    sim->node[node].wait |= (uint64_t)1 << place;
    set(sim->waiting, node);
    if (sim->bubble) {
        net_bubble_begin(sim, node, place, p);
        return;
    }
    unsigned count = net_flit_outs(&sim->shape, &sim->coord[node], &sim->coord[p->dst], out);
    in->count = 0;
    in->deroutes = count && out[count - 1].deroute && p->class == NET_NON_MINIMAL;
    for (unsigned i = 0; i < count && !out[i].deroute; i++)
        if (out[i].waits || p->class != NET_OBLIVIOUS)
            in->out[in->count++] =
                (uint8_t)(out[i].port * sim->vcs + out[i].vc + (out[i].waits ? NET_FLIT_WAITS : 0));
    if (!count)
        in->out[in->count++] = (uint8_t)(sim->places - 1);
}

// A share of the messages: whether this one is of it.
static bool drawn(const struct net_sim *sim, enum net_draw use, double share, uint32_t src,
                  uint32_t message)
{
    return share > 0 &&
           (double)(net_random(sim->config->seed, use, src, message) >> 11) * 0x1p-53 < share;
}

static void put_message(struct net_sim *sim, uint32_t src, uint32_t dst, uint32_t message,
                        uint32_t born)
{
    unsigned place = sim->places - 1;
    struct net_flit_input *in = input_of(sim, src, place);
    uint32_t packet = net_flit_pool_take(sim->pool, &sim->share);
    if (packet == NET_FLIT_NO_PACKET) {
        sim->out_of_memory = true;
        return;
    }
    const struct net_flit_config *f = &sim->config->flit;
    bool is_long = f->long_words && drawn(sim, DRAW_LENGTH, f->long_share, src, message);
    uint16_t length = (uint16_t)(is_long ? f->long_words : f->message_words);
    enum net_triplex_class class = NET_MINIMAL; // of Duato's; Dally and Seitz's have one way
    if (sim->config->routing == NET_CHAOS || sim->config->oidn || sim->config->widn)
        class = NET_NON_MINIMAL;
    if (sim->config->routing == NET_TRIPLEX)
        class = drawn(sim, DRAW_CLASS, f->in_order, src, message) ? NET_OBLIVIOUS : f->class;
    *net_flit_packet(sim, packet) = (struct net_flit_packet){.src = src,
                                                             .dst = dst,
                                                             .message = message,
                                                             .born = born,
                                                             .entered = sim->now,
                                                             .length = length,
                                                             .class = (uint8_t) class};
    net_flit_add(&sim->depth, &in->b, packet, length);
    net_flit_come(&in->b, 0, length);
    in->ready[0] = sim->now + sim->latency;
    in->fresh = sim->now;
    sim->injected++;
    sim->in_flight++;
    if (sim->bubble)
        net_bubble_put(sim, src, net_flit_packet(sim, packet));
    begin(sim, src, place);
}

void net_flit_put(struct net_sim *sim, uint32_t src, uint32_t dst)
{
    sim->created++;
    put_message(sim, src, dst, UINT32_MAX, sim->now);
}

static void inject(struct net_sim *sim, uint32_t node)
{
    struct net_flit_node *n = &sim->node[node];
    if (input_of(sim, node, sim->places - 1)->b.packet[0] != NET_FLIT_NO_PACKET)
        return;
    if (n->injected == n->created) {
        clear(sim->injecting, node);
        return;
    }
    put_message(sim, node, net_destination(&sim->traffic, node, n->injected), n->injected,
                n->inject_birth);
    n->injected++;
    n->inject_birth =
        net_flit_birth_after(sim->config, sim->birth_log, node, n->injected, n->inject_birth);
    if (n->injected == n->created)
        clear(sim->injecting, node);
}

// ---- Channels

static void serve_channel(struct net_sim *sim, uint32_t number);

// The channel ahead, which may be another part's: whoever serves one that way serves all.
static void serve_ahead(struct net_sim *sim, uint32_t number)
{
    struct net_sim *first = sim->part[0], **part = sim->part;
    if (first->chain + 1 == NET_FLIT_CHAIN)
        return;
    while (!net_flit_is_here(*part, number / sim->shape.torus.n))
        part++;
    first->chain++;
    serve_channel(*part, number);
    first->chain--;
}

// Whether a word leaves a full input in phase 4 of this cycle.
static bool will_leave(struct net_sim *sim, uint32_t node, const struct net_flit_input *in)
{
    if (in->to == NET_FLIT_NONE || in->to == sim->places - 1)
        return in->to != NET_FLIT_NONE;
    const struct net_flit_output *out = output_of(sim, node, in->to);
    if (out->b.words < sim->room)
        return true;
    serve_ahead(sim, sim->link[node * sim->ports + in->to / sim->vcs]);
    return out->b.words < sim->room;
}

// Whether an output's next word can go over to the neighbour's input: there is one (its bit is
// set), and room for it.
static inline bool can_move(struct net_sim *sim, const struct net_flit_output *out,
                            const struct net_flit_input *in, uint32_t neighbour)
{
    if (!out->b.out && !net_flit_accepts(&sim->depth, &in->b))
        return false;
    return in->b.words < sim->room || (sim->same_cycle && will_leave(sim, neighbour, in));
}

// Virtual channel that an end would send on; negative: none.
static inline int pick_vc(struct net_sim *sim, const struct net_flit_channel *ch, unsigned end)
{
    unsigned mask = ch->send[end], last = ch->vc[end];
    const struct net_flit_output *out = ch->out[end];
    const struct net_flit_input *in = ch->seen[end];
    if (!mask)
        return -1;
    if (mask >> last & 1 && out[last].b.out && can_move(sim, &out[last], &in[last], ch->node[!end]))
        return (int)last;
    unsigned after = mask >> last >> 1 << last << 1; // they come first
    for (unsigned part = 0; part < 2; part++)
        for (unsigned rest = part ? mask & ~after : after; rest; rest &= rest - 1) {
            unsigned vc = (unsigned)__builtin_ctz(rest);
            if (can_move(sim, &out[vc], &in[vc], ch->node[!end]))
                return (int)vc;
        }
    return -1;
}

// A word comes into an input buffer in cycle `now`, of `packet` its header.
static inline void arrive(struct net_sim *sim, struct net_flit_channel *ch, unsigned end,
                          unsigned port, unsigned vc, uint32_t packet, uint32_t now)
{
    struct net_flit_input *in = &ch->in[end][vc];
    unsigned slot = in->b.packet[1] != NET_FLIT_NO_PACKET;
    if (packet != NET_FLIT_NO_PACKET) {
        struct net_flit_packet *p = net_flit_packet(sim, packet);
        slot = net_flit_add(&sim->depth, &in->b, packet, p->length);
        if (__builtin_expect(in->b.middle, 0)) // the newest before
            net_flit_middle(&sim->depth, &in->b, in->b.middle - 1u)->ready = in->ready[1];
        in->ready[slot] = sim->whole ? UINT32_MAX : now + sim->latency;
        p->hops++;
        if (!slot && !net_flit_is_here(sim, ch->node[!end]))
            ch->begun |= (uint16_t)(1u << vc);
        else if (!slot)
            begin(sim, ch->node[!end], (port ^ 1) * sim->vcs + vc);
    }
    in->fresh = now;
    net_flit_come(&in->b, slot, 1);
    if (in->b.in[slot] == in->b.length[slot] && sim->whole)
        in->ready[slot] = now + sim->latency;
}

// It has left an output buffer.
static inline void sent(struct net_sim *sim, struct net_flit_channel *ch, unsigned end, unsigned vc)
{
    struct net_flit_output *out = &ch->out[end][vc];
    sim->flit_hops++;
    if (net_flit_take(&sim->depth, &out->b)) {
        out->freed = sim->now;
        sim->hops++;
    }
    if (out->b.in[0] == out->b.out)
        ch->send[end] &= (uint16_t) ~(1u << vc);
    ch->last = (uint8_t)end;
    ch->vc[end] = (uint8_t)vc;
}

// A header's packet, if an output's next word is one.
static inline uint32_t header_of(const struct net_flit_output *out)
{
    return out->b.out ? NET_FLIT_NO_PACKET : out->b.packet[0];
}

// Of a link of more than a cycle, what its ends would send; then what comes over it.
__attribute__((noinline)) static void serve_wire(struct net_sim *sim, uint32_t number, int vc0,
                                                 int vc1)
{
    const int vc[2] = {vc0, vc1};
    struct net_flit_channel *ch = &sim->channel[number];
    unsigned port = 2 * (number % sim->shape.torus.n);
    for (unsigned end = 0; end < 2; end++)
        if (vc[end] >= 0 && net_wire_may_send(sim, number, end)) {
            net_wire_send(sim, number, end, (unsigned)vc[end], header_of(&ch->out[end][vc[end]]));
            sent(sim, ch, end, (unsigned)vc[end]);
        }
    for (unsigned end = 0; end < 2; end++) {
        uint32_t packet;
        int due = net_wire_due(sim, number, end, &packet);
        if (due >= 0)
            arrive(sim, ch, end, port + end, (unsigned)due, packet, sim->now);
    }
    if (!ch->send[0] && !ch->send[1] && !ch->wire[0].away && !ch->wire[1].away)
        clear(sim->channels, number);
}

// Once a cycle. Always inline, as it is most of the time that a cycle takes.
__attribute__((always_inline)) static inline void serve(struct net_sim *sim, uint32_t number)
{
    struct net_flit_channel *ch = &sim->channel[number];
    if (ch->served == sim->now + 1)
        return;
    ch->served = sim->now + 1;
    unsigned port = 2 * (number % sim->shape.torus.n);
    int vc[2] = {pick_vc(sim, ch, 0), pick_vc(sim, ch, 1)};
    if (vc[0] >= 0 && vc[1] >= 0 && !sim->config->flit.full)
        vc[ch->out[ch->last][ch->vc[ch->last]].b.out ? !ch->last : ch->last] = -1;
    if (ch->wire) {
        serve_wire(sim, number, vc[0], vc[1]);
        return;
    }
    for (unsigned end = 0; end < 2; end++)
        if (vc[end] >= 0) {
            unsigned v = (unsigned)vc[end];
            arrive(sim, ch, end, port + end, v, header_of(&ch->out[end][v]), sim->now);
            sent(sim, ch, end, v);
        }
    if (!ch->send[0] && !ch->send[1])
        clear(sim->channels, number);
}

static void serve_channel(struct net_sim *sim, uint32_t number)
{
    serve(sim, number);
}

// An end of a link that is cut.
static void serve_end(struct net_sim *sim, uint32_t i)
{
    struct net_flit_channel *ch = &sim->channel[sim->first_cut + i];
    unsigned end = sim->cut[i].end;
    int vc = pick_vc(sim, ch, end);
    if (vc >= 0) {
        net_cut_send(sim, i, (unsigned)vc, header_of(&ch->out[end][vc]));
        sent(sim, ch, end, (unsigned)vc);
    }
    if (!ch->send[end])
        clear(sim->sending, i);
}

// As a cycle begins: what came over links that are cut in the one before.
static void take_mail(struct net_sim *sim)
{
    for (uint32_t i = 0; i < sim->cuts; i++) {
        const struct net_flit_mail *mail = net_cut_coming(sim, i);
        if (mail->word)
            arrive(sim, &sim->channel[sim->first_cut + i], !sim->cut[i].end, sim->cut[i].port ^ 1u,
                   mail->word - 1u, mail->header, sim->now - 1);
    }
    net_cut_learn(sim);
}

// What other parts have left for this one's channels.
static void note_words(struct net_sim *sim)
{
    for (uint32_t i = 0; i < sim->leavings; i++)
        if (sim->channel[sim->leaving[i]].send[1])
            set(sim->channels, sim->leaving[i]);
}

// The headers that other parts' channels have brought.
static void note_headers(struct net_sim *sim)
{
    for (uint32_t i = 0; i < sim->comings; i++) {
        struct net_flit_channel *ch = &sim->channel[sim->coming[i]];
        unsigned port = 2 * (sim->coming[i] % sim->shape.torus.n) + 1;
        for (unsigned rest = ch->begun; rest; rest &= rest - 1)
            begin(sim, ch->node[1], port * sim->vcs + (unsigned)__builtin_ctz(rest));
        ch->begun = 0;
    }
}

// ---- Connections

// Of an input's candidate.
bool net_flit_is_free(const struct net_sim *sim, uint32_t node, unsigned candidate)
{
    unsigned place = candidate & NET_FLIT_PLACE;
    if (place == sim->places - 1)
        return sim->node[node].deliver == NET_FLIT_NONE;
    if (sim->bubble)
        return net_bubble_is_free(sim, node, candidate);
    const struct net_flit_output *out = output_of(sim, node, place);
    if (sim->config->routing == NET_CHAOS)
        return net_flit_takes(sim, out) && net_chaos_may_load(net_chaos_end(sim, node, place));
    if (!sim->strict[candidate != place]) // NET_FLIT_WAITS
        return net_flit_takes(sim, out);
    if (out->b.packet[0] != NET_FLIT_NO_PACKET || out->freed == sim->now)
        return false;
    unsigned port = place / sim->vcs, vc = place % sim->vcs;
    const struct net_flit_channel *ch = &sim->channel[sim->link[node * sim->ports + port]];
    const struct net_flit_buffer *in = &ch->seen[port & 1][vc].b;
    return sim->shape.wormhole ? in->packet[0] == NET_FLIT_NO_PACKET
                               : net_flit_accepts(&sim->depth, in);
}

// The buffer of an output, or of the multiqueue.
static struct net_flit_buffer *target(struct net_sim *sim, uint32_t node, unsigned to)
{
    return to < sim->queue ? &output_of(sim, node, to)->b : &input_of(sim, node, to)->b;
}

void net_flit_connect(struct net_sim *sim, uint32_t node, unsigned place, unsigned to)
{
    struct net_flit_node *n = &sim->node[node];
    struct net_flit_input *in = input_of(sim, node, place);
    n->wait &= ~((uint64_t)1 << place);
    n->link |= (uint64_t)1 << place;
    set(sim->linked, node);
    in->to = (uint8_t)to;
    sim->progress = sim->now;
    if (sim->bubble)
        net_bubble_connected(sim, node, place, to, net_flit_packet(sim, in->b.packet[0]));
    if (to == sim->places - 1) {
        n->deliver = (uint8_t)place;
        return;
    }
    unsigned slot =
        net_flit_add(&sim->depth, target(sim, node, to), in->b.packet[0], in->b.length[0]);
    if (to < sim->queue)
        return;
    input_of(sim, node, to)->ready[slot] = UINT32_MAX; // until its header is there
    if (!slot)
        begin(sim, node, to);
}

// A deroute for an input's packet; negative: none.
static int pick_deroute(struct net_sim *sim, uint32_t node, unsigned place,
                        const struct net_flit_input *in)
{
    const struct net_flit_config *f = &sim->config->flit;
    uint64_t draw = net_random(sim->config->seed, DRAW_DEROUTE,
                               (uint64_t)node * NET_FLIT_MAX_PLACES + place, sim->now);
    if ((place == sim->places - 1 && !f->deroute_injected) ||
        sim->now - in->ready[0] < f->deroute_after ||
        (double)(draw >> 32) * 0x1p-32 >= f->deroute_probability)
        return -1;
    struct net_flit_out out[NET_FLIT_OUTS];
    unsigned free[NET_FLIT_OUTS], found = 0;
    const struct net_flit_packet *p = net_flit_packet(sim, in->b.packet[0]);
    unsigned count = net_flit_outs(&sim->shape, &sim->coord[node], &sim->coord[p->dst], out);
    for (unsigned i = 0; i < count; i++) {
        unsigned to = out[i].port * sim->vcs + out[i].vc;
        if (out[i].deroute && net_flit_is_free(sim, node, to))
            free[found++] = to;
    }
    if (!found)
        return -1;
    sim->derouted++;
    return (int)free[net_below(draw << 32, found)];
}

// Output for an input's packet; negative: none is free.
static int pick_output(struct net_sim *sim, uint32_t node, unsigned place,
                       const struct net_flit_input *in)
{
    unsigned free[NET_FLIT_OUTS], count = 0, most = 0, best = 0;
    if (sim->bubble)
        return net_bubble_pick(sim, node, in);
    bool lanes = sim->config->routing == NET_DALLY_SEITZ;
    for (unsigned i = 0; i < in->count; i++) {
        if (!net_flit_is_free(sim, node, in->out[i]))
            continue;
        unsigned to = in->out[i] & NET_FLIT_PLACE;
        free[count++] = to;
        if (!lanes && !sim->config->flit.random)
            return (int)to;
        unsigned space = sim->room - output_of(sim, node, to)->b.words;
        if (count == 1 || space > most) {
            most = space;
            best = to;
        }
    }
    if (!count)
        return in->deroutes ? pick_deroute(sim, node, place, in) : -1;
    if (lanes)
        return (int)best;
    return (int)free[net_below(net_random(sim->config->seed, DRAW_SELECT, node, sim->now), count)];
}

// The bit of a mask that is next in turn, from `from` on.
unsigned net_flit_next_bit(uint64_t mask, unsigned from)
{
    uint64_t after = from < 64 ? mask >> from << from : 0;
    return (unsigned)__builtin_ctzll(after ? after : mask);
}

void net_flit_served(struct net_flit_node *n, unsigned group, unsigned place)
{
    n->group = (uint8_t)group;
    n->pointer[group] = (uint8_t)(place + 1);
}

bool net_flit_route_inputs(struct net_sim *sim, uint32_t node)
{
    struct net_flit_node *n = &sim->node[node];
    for (unsigned i = 1; i <= sim->groups; i++) {
        unsigned g = (n->group + i) % sim->groups;
        for (uint64_t mask = n->wait & sim->group_mask[g]; mask;) {
            unsigned place = net_flit_next_bit(mask, n->pointer[g]);
            const struct net_flit_input *in = input_of(sim, node, place);
            int to = in->ready[0] <= sim->now ? pick_output(sim, node, place, in) : -1;
            if (to >= 0) {
                net_flit_connect(sim, node, place, (unsigned)to);
                net_flit_served(n, g, place);
                return true;
            }
            mask &= ~((uint64_t)1 << place);
        }
    }
    return false;
}

// Whether an input's packet wants an output and may have it.
static bool wants(const struct net_sim *sim, uint32_t node, const struct net_flit_input *in,
                  unsigned to)
{
    for (unsigned i = 0; i < in->count; i++)
        if ((in->out[i] & NET_FLIT_PLACE) == to)
            return net_flit_is_free(sim, node, in->out[i]);
    return false;
}

static void route_outputs(struct net_sim *sim, uint32_t node)
{
    struct net_flit_node *n = &sim->node[node];
    unsigned groups = sim->shape.torus.n + 1u, ready[NET_FLIT_MAX_PLACES], count = 0;
    uint64_t wanted = 0;
    for (uint64_t rest = n->wait; rest; rest &= rest - 1) {
        unsigned place = (unsigned)__builtin_ctzll(rest);
        const struct net_flit_input *in = input_of(sim, node, place);
        bool any = false;
        for (unsigned i = 0; in->ready[0] <= sim->now && i < in->count; i++)
            if (net_flit_is_free(sim, node, in->out[i])) {
                wanted |= (uint64_t)1 << (in->out[i] & NET_FLIT_PLACE);
                any = true;
            }
        if (any)
            ready[count++] = place;
    }
    for (unsigned i = 1; wanted && i <= groups; i++) {
        unsigned g = (n->group + i) % groups, from[NET_FLIT_MAX_PLACES] = {0}, wanting = 0;
        if (!(wanted & sim->group_mask[g]))
            continue;
        unsigned to = net_flit_next_bit(wanted & sim->group_mask[g], n->pointer[g]);
        for (unsigned r = 0; r < count; r++)
            if (wants(sim, node, input_of(sim, node, ready[r]), to))
                from[wanting++] = ready[r];
        uint64_t draw = net_random(sim->config->seed, DRAW_SELECT, node, sim->now);
        net_flit_connect(sim, node, from[net_below(draw, wanting)], to);
        net_flit_served(n, g, to);
        return;
    }
}

// ---- Crossbar

static void deliver(struct net_sim *sim, uint32_t node, uint32_t packet)
{
    const struct net_flit_packet *p = net_flit_packet(sim, packet);
    struct net_flit_batch *batch = batch_now(sim);
    uint32_t latency = sim->now - p->entered;
    if (sim->watch)
        net_flit_watch_delivery(sim, p);
    if (sim->part[0]->on_delivery)
        sim->part[0]->on_delivery(sim->part[0]->context, p, sim->now);
    if (batch) {
        batch->delivered++;
        batch->latency += latency;
        batch->wait += p->entered - p->born;
        sim->latency_max = latency > sim->latency_max ? latency : sim->latency_max;
    }
    sim->delivered++;
    sim->in_flight--;
    sim->progress = sim->now;
    sim->node[node].deliver = NET_FLIT_NONE;
    net_flit_pool_put(sim->pool, &sim->share, packet);
}

// A word has come into the multiqueue, of its buffer's packet `slot`.
static void queue_up(struct net_sim *sim, uint32_t node, unsigned place, unsigned slot)
{
    struct net_flit_input *in = input_of(sim, node, place);
    in->fresh = sim->now;
    if (in->b.in[slot] == (sim->whole ? in->b.length[slot] : 1))
        in->ready[slot] = sim->now + 1;
}

// A word leaves an input buffer, of which the other end of its link must be told.
__attribute__((noinline)) static void tell_left(struct net_sim *sim, uint32_t node, unsigned place)
{
    uint32_t channel = sim->link[node * sim->ports + place / sim->vcs];
    if (sim->cuts)
        net_cut_left(sim, channel - sim->first_cut, place % sim->vcs);
    else
        net_wire_left(sim, node, place);
}

static void cross(struct net_sim *sim, uint32_t node, unsigned place)
{
    struct net_flit_node *n = &sim->node[node];
    struct net_flit_input *in = input_of(sim, node, place);
    struct net_flit_buffer *out = NULL;
    unsigned to = in->to, fresh = in->fresh == sim->now && place < sim->places - 1 &&
                                  in->b.packet[1] == NET_FLIT_NO_PACKET;
    if (in->b.in[0] - fresh <= in->b.out)
        return;
    if (to < sim->places - 1) {
        out = target(sim, node, to);
        if (out->words >= sim->room)
            return;
        unsigned slot = out->packet[1] != NET_FLIT_NO_PACKET;
        net_flit_come(out, slot, 1);
        if (to < sim->queue) {
            unsigned port = to / sim->vcs;
            uint32_t channel = sim->link[node * sim->ports + port];
            sim->channel[channel].send[port & 1] |= (uint16_t)(1u << to % sim->vcs);
            if (channel - sim->first_channel < sim->own_channels)
                set(sim->channels, channel);
            else if (sim->cuts)
                set(sim->sending, channel - sim->first_cut);
        } else {
            queue_up(sim, node, to, slot);
        }
    }
    uint32_t packet = in->b.packet[0];
    if (__builtin_expect(n->tells >> place & 1, 0))
        tell_left(sim, node, place);
    if (!net_flit_take(&sim->depth, &in->b))
        return;
    if (!out)
        deliver(sim, node, packet);
    n->link &= ~((uint64_t)1 << place);
    in->to = NET_FLIT_NONE;
    bool promoted = net_flit_newest(&in->b);
    in->ready[0] = promoted ? net_flit_promoted(&sim->depth, &in->b)->ready : in->ready[1];
    if (in->b.packet[0] != NET_FLIT_NO_PACKET)
        begin(sim, node, place);
    if (place == sim->places - 1 && n->injected < n->created)
        set(sim->injecting, node);
}

// ---- A cycle

static void make_connections(struct net_sim *sim)
{
    if (sim->bubble)
        NET_FLIT_EACH(node, sim->waiting, sim->first, sim->past)
        {
            net_bubble_decide(sim, node);
        }
    if (sim->watch)
        net_flit_watch_choices(sim);
    NET_FLIT_EACH(node, sim->waiting, sim->first, sim->past)
    {
        if (sim->config->routing == NET_CHAOS)
            net_chaos_route(sim, node);
        else if (sim->config->flit.output_driven)
            route_outputs(sim, node);
        else
            net_flit_route_inputs(sim, node);
        if (!sim->node[node].wait)
            clear(sim->waiting, node);
    }
    if (sim->watch)
        net_flit_watch_connections(sim);
}

static void serve_channels(struct net_sim *sim)
{
    uint32_t n = sim->shape.torus.n;
    note_words(sim);
    NET_FLIT_EACH(channel, sim->channels, sim->first * n, sim->past * n)
    {
        serve(sim, channel);
    }
    NET_FLIT_EACH(end, sim->sending, 0, sim->cuts)
    {
        serve_end(sim, end);
    }
}

static void cross_all(struct net_sim *sim)
{
    NET_FLIT_EACH(node, sim->linked, sim->first, sim->past)
    {
        for (uint64_t rest = sim->node[node].link; rest; rest &= rest - 1)
            cross(sim, node, (unsigned)__builtin_ctzll(rest));
        if (!sim->node[node].link)
            clear(sim->linked, node);
    }
}

void net_flit_step(struct net_sim *sim, unsigned step)
{
    bool wormhole = sim->shape.wormhole;
    if (step == 0) {
        if (sim->cuts)
            take_mail(sim);
        give_birth(sim);
        NET_FLIT_EACH(node, sim->injecting, sim->first, sim->past)
        {
            inject(sim, node);
        }
    }
    if (step == (wormhole ? 1 : 0)) {
        // One for the other's sake, over all parts: the first does it for them.
        if (!sim->same_cycle)
            serve_channels(sim);
        for (uint32_t p = 0; sim->same_cycle && sim == sim->part[0] && p < sim->parts; p++)
            serve_channels(sim->part[p]);
    }
    if (step == (wormhole ? 2 : 1))
        note_headers(sim);
    if (step == (wormhole ? 0 : 1))
        make_connections(sim);
    if (step == 2) {
        cross_all(sim);
        net_wire_learn(sim);
        sim->turn++;
        sim->now++;
    }
}

#ifdef NET_FLIT_CHECKED
const bool net_flit_checked = true;
#else
const bool net_flit_checked = false;
#endif

void net_flit_cycle(struct net_sim *sim)
{
    // To and fro, so that what depends on the order of the parts is seen.
    bool back = sim->now & 1;
    for (unsigned step = 0, past; step < NET_FLIT_STEPS; step = past) {
        past = net_flit_until(sim, step);
        for (uint32_t p = 0; p < sim->parts; p++)
            for (unsigned s = step; s < past; s++)
                net_flit_step(sim->part[back ? sim->parts - 1 - p : p], s);
    }
    if (net_flit_checked)
        net_flit_must_hold(sim);
}

uint32_t net_flit_part_skip(const struct net_sim *sim)
{
    uint32_t next = UINT32_MAX;
    NET_FLIT_EACH(node, sim->injecting, sim->first, sim->past)
    {
        if (sim->node[node].injected < sim->node[node].created)
            return sim->now;
    }
    for (uint32_t node = sim->first; node < sim->past; node++)
        if (sim->node[node].birth < sim->end && sim->node[node].birth < next)
            next = sim->node[node].birth;
    return next;
}

uint32_t net_flit_skip(const struct net_sim *sim)
{
    uint32_t next = UINT32_MAX;
    const struct net_flit_counts sum = net_flit_sum(sim);
    for (uint32_t p = 0; p < sim->parts; p++) {
        uint32_t its = net_flit_part_skip(sim->part[p]);
        next = its < next ? its : next;
    }
    return net_flit_is_idle(sim, sum.in_flight, sum.progress) ? next : sim->now;
}

// ---- Start and end

static bool lay_out(struct net_sim *sim)
{
    uint32_t nodes = sim->nodes, n = sim->shape.torus.n;
    size_t places = (size_t)nodes * sim->places, ports = (size_t)nodes * sim->ports;
    sim->coord = calloc(nodes, sizeof *sim->coord);
    sim->node = calloc(nodes, sizeof *sim->node);
    sim->input = calloc(places, sizeof *sim->input);
    sim->output = calloc(places, sizeof *sim->output);
    sim->link = calloc(ports, sizeof *sim->link);
    sim->channel = calloc((size_t)nodes * n, sizeof *sim->channel);
    sim->pool = calloc(1, sizeof *sim->pool);
    // Of inputs, outputs, and inputs as known at the other ends of longer links (wire.c).
    if (sim->depth.packets > 1)
        sim->depth.middle = calloc((2 * places + ports * sim->vcs) * (sim->depth.packets - 1),
                                   sizeof *sim->depth.middle);
    if (sim->pool)
        net_flit_pool_init(sim->pool, sizeof(struct net_flit_packet),
                           offsetof(struct net_flit_packet, next));
    return sim->coord && sim->node && sim->input && sim->output && sim->link && sim->channel &&
           sim->pool && (sim->depth.packets == 1 || sim->depth.middle);
}

static void start_node(struct net_sim *sim, uint32_t node)
{
    const struct ofr_torus *torus = &sim->shape.torus;
    struct net_flit_node *n = &sim->node[node];
    n->deliver = NET_FLIT_NONE;
    for (unsigned place = 0; place < sim->places; place++) {
        *input_of(sim, node, place) =
            (struct net_flit_input){.b = net_flit_empty, .to = NET_FLIT_NONE};
        *output_of(sim, node, place) =
            (struct net_flit_output){.b = net_flit_empty, .freed = UINT32_MAX};
        uint32_t number = node * sim->places + place;
        input_of(sim, node, place)->b.number = number;
        output_of(sim, node, place)->b.number = sim->nodes * sim->places + number;
    }
    for (unsigned port = 0; port < sim->ports; port++) {
        unsigned dim = port / 2;
        bool there = net_flit_link(&sim->shape, &sim->coord[node], port);
        struct ofr_coord next = ofr_neighbour(torus, sim->coord[node], port);
        uint32_t peer = there ? ofr_node_id(torus, &next) : UINT32_MAX;
        uint32_t number = (port & 1 ? peer : node) * torus->n + dim;
        sim->link[node * sim->ports + port] = there ? number : UINT32_MAX;
        if (port & 1)
            continue;
        sim->channel[number].node[0] = there ? node : UINT32_MAX;
        sim->channel[number].node[1] = peer;
        for (unsigned end = 0; end < 2 && there; end++) {
            sim->channel[number].out[end] =
                output_of(sim, end ? peer : node, (port + end) * sim->vcs);
            sim->channel[number].in[end] = sim->channel[number].seen[end] =
                input_of(sim, end ? node : peer, (port + !end) * sim->vcs);
        }
    }
}

static void first_birth(struct net_sim *sim, uint32_t node)
{
    struct net_flit_node *n = &sim->node[node];
    n->birth = n->inject_birth = UINT32_MAX;
    bool drawn =
        sim->traffic.config.pattern == NET_UNIFORM || sim->traffic.config.pattern == NET_HOTSPOT;
    if (drawn || sim->config->flit.self || net_destination(&sim->traffic, node, 0) != node)
        n->birth = n->inject_birth = net_flit_birth_after(sim->config, sim->birth_log, node, 0, -1);
    if (n->birth < sim->end)
        enter_calendar(sim, node);
}

struct net_sim *net_flit_open(const struct net_config *c)
{
    struct net_sim *sim = calloc(1, sizeof *sim);
    if (!sim)
        return NULL;
    sim->config = c;
    sim->shape = net_flit_shape(c);
    sim->nodes = ofr_nodes(&c->torus);
    sim->ports = 2u * c->torus.n;
    sim->vcs = sim->shape.vcs;
    sim->queue = sim->ports * sim->vcs;
    sim->places = sim->queue + (c->routing == NET_CHAOS ? c->flit.multiqueue : 0) + 1;
    sim->groups = c->torus.n + 1u + (c->routing == NET_CHAOS);
    sim->room = net_flit_buffer_words(c);
    sim->depth.packets = net_flit_buffer_packets(c);
    sim->latency = c->flit.node_latency;
    sim->same_cycle = sim->shape.wormhole && !c->flit.lagging;
    sim->with_head = c->flit.with_head || sim->shape.wormhole;
    sim->whole = c->flit.switching == NET_STORE_AND_FORWARD;
    bool strict = c->routing == NET_DUATO || (c->routing == NET_TRIPLEX && sim->shape.wormhole);
    bool accepting = c->flit.escape == NET_ESCAPE_ACCEPTING ||
                     (c->flit.escape == NET_ESCAPE_BY_SERVICE && c->flit.output_driven);
    sim->strict[0] = strict;
    sim->strict[1] = strict && !accepting;
    sim->apart = sim->shape.wormhole || strict ||
                 net_routing_by_bubble(c->routing); // who looks into the neighbour's buffers
    sim->end = net_flit_end(&c->flit);
    sim->birth_log = net_flit_birth_log(c);
    sim->share = net_flit_no_share;
    memset(sim->calendar, 0xff, sizeof sim->calendar);
    for (unsigned dim = 0; dim < c->torus.n; dim++)
        sim->group_mask[dim] = (((uint64_t)1 << 2 * sim->vcs) - 1) << 2 * sim->vcs * dim;
    sim->group_mask[c->torus.n] = (uint64_t)1 << (sim->places - 1);
    sim->group_mask[c->torus.n + 1] =
        ((uint64_t)1 << (sim->places - 1)) - ((uint64_t)1 << sim->queue);
    if (!lay_out(sim) || (net_routing_by_bubble(c->routing) && !net_bubble_open(sim)) ||
        !net_traffic_init(&sim->traffic, &c->traffic, &c->torus, c->seed)) {
        net_flit_free(sim);
        return NULL;
    }
    for (uint32_t node = 0; node < sim->nodes; node++)
        sim->coord[node] = ofr_node_coord(&c->torus, node);
    for (uint32_t node = 0; node < sim->nodes; node++)
        start_node(sim, node);
    if (!net_wire_open(sim) || !net_flit_make_parts(sim) ||
        (net_flit_checked && !net_flit_watch(sim))) {
        net_flit_free(sim);
        return NULL;
    }
    for (uint32_t p = 0; p < sim->parts; p++)
        for (uint32_t node = sim->part[p]->first; node < sim->part[p]->past; node++)
            first_birth(sim->part[p], node);
    return sim;
}

void net_flit_free(struct net_sim *sim)
{
    net_traffic_free(&sim->traffic);
    free(sim->coord);
    free(sim->node);
    free(sim->input);
    free(sim->output);
    free(sim->link);
    free(sim->depth.middle);
    net_wire_free(sim);
    free(sim->channel);
    if (sim->pool)
        net_flit_pool_free(sim->pool);
    free(sim->pool);
    net_bubble_free(sim);
    net_flit_unwatch(sim);
    net_flit_free_parts(sim);
    free(sim);
}
