// SPDX-License-Identifier: Apache-2.0
#include "flit/check.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "flit/bubble.h"
#include "flit/chaos.h"
#include "flit/cut.h"
#include "flit/wire.h"
#include "route/relation.h"

enum { MAX_ORDERED = 4096, MOST_HOPS = 5000 };

struct net_flit_watch {
    uint64_t *could;  // per node: places that could have been connected in this cycle
    uint8_t *passed;  // per node and place: cycles in a row in which it could and was not
    uint32_t *last;   // per pair of nodes: number of the message that came last, plus 1; or NULL
    uint64_t *before; // per node: outputs that were taken before the connections
    atomic_bool out_of_order, starved;
};

bool net_flit_watch(struct net_sim *sim)
{
    struct net_flit_watch *w = sim->watch = calloc(1, sizeof *w);
    if (!w)
        return false;
    for (uint32_t p = 1; p < sim->parts; p++)
        sim->part[p]->watch = w;
    w->could = calloc(sim->nodes, sizeof *w->could);
    w->before = calloc(sim->nodes, sizeof *w->before);
    w->passed = calloc((size_t)sim->nodes * sim->places, sizeof *w->passed);
    if (sim->nodes <= MAX_ORDERED)
        w->last = calloc((size_t)sim->nodes * sim->nodes, sizeof *w->last);
    return w->could && w->before && w->passed && (w->last || sim->nodes > MAX_ORDERED);
}

void net_flit_unwatch(struct net_sim *sim)
{
    if (!sim->watch)
        return;
    free(sim->watch->could);
    free(sim->watch->before);
    free(sim->watch->passed);
    free(sim->watch->last);
    free(sim->watch);
    for (uint32_t p = 0; p < sim->parts; p++)
        sim->part[p]->watch = NULL;
}

// Outputs of a node that an input is connected to.
static uint64_t connected(const struct net_sim *sim, uint32_t node)
{
    uint64_t outputs = 0;
    for (uint64_t rest = sim->node[node].link; rest; rest &= rest - 1) {
        size_t place = (size_t)node * sim->places + (unsigned)__builtin_ctzll(rest);
        outputs |= (uint64_t)1 << sim->input[place].to;
    }
    return outputs;
}

void net_flit_watch_choices(struct net_sim *sim)
{
    struct net_flit_watch *w = sim->watch;
    for (uint32_t node = sim->first; node < sim->past; node++) {
        uint64_t inputs = 0, outputs = 0;
        for (uint64_t rest = sim->node[node].wait; rest; rest &= rest - 1) {
            unsigned place = (unsigned)__builtin_ctzll(rest);
            const struct net_flit_input *in = &sim->input[(size_t)node * sim->places + place];
            for (unsigned i = 0; in->ready[0] <= sim->now && i < in->count; i++)
                if (net_flit_is_free(sim, node, in->out[i])) {
                    inputs |= (uint64_t)1 << place;
                    outputs |= (uint64_t)1 << (in->out[i] & NET_FLIT_PLACE);
                }
        }
        w->could[node] = sim->config->flit.output_driven ? outputs : inputs;
        w->before[node] = connected(sim, node);
    }
}

void net_flit_watch_connections(struct net_sim *sim)
{
    struct net_flit_watch *w = sim->watch;
    unsigned queue = sim->places - 1 - sim->queue, widest = 2 * sim->vcs;
    unsigned most = sim->groups * (queue > widest ? queue : widest);
    for (uint32_t node = sim->first; node < sim->past; node++) {
        uint64_t served = sim->config->flit.output_driven ? connected(sim, node) & ~w->before[node]
                                                          : ~sim->node[node].wait;
        uint64_t passed_over = w->could[node] & ~served;
        uint8_t *passed = &w->passed[(size_t)node * sim->places];
        for (unsigned place = 0; place < sim->places; place++) {
            passed[place] = passed_over >> place & 1 ? (uint8_t)(passed[place] + 1) : 0;
            if (passed[place] > most)
                w->starved = true;
        }
    }
}

void net_flit_watch_delivery(struct net_sim *sim, const struct net_flit_packet *p)
{
    bool ordered =
        sim->config->routing == NET_DALLY_SEITZ ? sim->shape.lanes == 1 : p->class == NET_OBLIVIOUS;
    if (!sim->watch->last || !ordered || p->message == UINT32_MAX)
        return;
    uint32_t *last = &sim->watch->last[(size_t)p->src * sim->nodes + p->dst];
    if (p->message < *last)
        sim->watch->out_of_order = true;
    *last = p->message + 1;
}

// Of a buffer's packets one, in order.
struct part {
    uint32_t packet;
    unsigned length, in, out;
};

static struct part part_of(const struct net_sim *sim, const struct net_flit_buffer *b, unsigned i)
{
    if (i && i <= b->middle) {
        const struct net_flit_middle *m = net_flit_middle(&sim->depth, b, i - 1);
        return (struct part){m->packet, m->length, m->length, 0};
    }
    unsigned slot = i != 0;
    return (struct part){b->packet[slot], b->length[slot], b->in[slot], slot ? 0 : b->out};
}

// Words of a buffer within its room and its packets' length; NULL, or what is wrong. leaves: of the
// multiqueue, the first is on its way even if no word has left.
static const char *check_buffer(const struct net_sim *sim, const struct net_flit_buffer *b,
                                uint32_t room, bool leaves)
{
    bool one = b->packet[0] != NET_FLIT_NO_PACKET, two = net_flit_newest(b);
    unsigned packets = net_flit_packets(b), words = 0;
    if ((!one && (two || b->in[0] || b->out)) || (!two && (b->in[1] || b->middle)))
        return "an empty buffer has words";
    for (unsigned i = 0; i < packets; i++) {
        struct part p = part_of(sim, b, i);
        if (p.length != net_flit_packet(sim, p.packet)->length || p.in > p.length)
            return "more words came into a buffer than a packet has";
        if (i + 1 < packets && p.in < p.length)
            return "a buffer took a packet too soon";
        words += p.in - p.out;
    }
    if (b->out > b->in[0])
        return "more words left a buffer than came";
    if (packets > 1 && net_flit_headers(b) > sim->depth.packets + leaves)
        return "a buffer took a packet too soon";
    if (b->words != words)
        return "a buffer's words are not those of its packets";
    return b->words > room ? "a buffer is too full" : NULL;
}

// Packet exchange: of a link's four buffers one has no packet that waits.
static const char *check_exchange(const struct net_sim *sim)
{
    for (uint32_t i = 0; i < sim->nodes * sim->shape.torus.n; i++) {
        const struct net_flit_channel *ch = &sim->channel[i];
        unsigned port = 2 * (i % sim->shape.torus.n), waiting = 0;
        for (unsigned end = 0; end < 2 && ch->node[0] != UINT32_MAX; end++) {
            struct net_chaos_end e = net_chaos_end(sim, ch->node[end], port + end);
            waiting += (unsigned)e.out + e.in;
        }
        if (waiting == 4)
            return "a link has no room for a packet exchange";
    }
    return NULL;
}

// Headers on a link, each there as long as no word of its packet has come: what is on the way, `on`
// words, is what its end counts as there last. Adds each packet's words on the way, if `words`.
static unsigned headers_on_link(const struct net_sim *sim, const struct net_flit_buffer *seen,
                                unsigned on, uint32_t *words)
{
    unsigned headers = 0;
    for (unsigned i = on ? net_flit_packets(seen) : 0; i-- && on;) {
        struct part p = part_of(sim, seen, i);
        unsigned its = on < p.in ? on : p.in;
        headers += its == p.in;
        on -= its;
        if (words)
            words[p.packet] += its;
    }
    return headers;
}

// Words on a link from an end.
static unsigned all_on_link(const struct net_sim *sim, uint32_t channel, unsigned end)
{
    unsigned words = 0;
    for (unsigned vc = 0; vc < sim->vcs; vc++)
        words += net_wire_count(sim, channel, end, vc).words;
    return words;
}

// Links of more than a cycle, and those that are cut: an end counts as there what is in the buffer
// at the other end, what is on its way there, and what left so late that it cannot know. Adds the
// words on the way.
static const char *check_end(const struct net_sim *sim, const struct net_flit_channel *ch,
                             unsigned end, unsigned vc, struct net_wire_count on, uint32_t *words)
{
    const struct net_flit_buffer *seen = &ch->seen[end][vc].b;
    unsigned there = ch->in[end][vc].b.words + on.words + on.left;
    headers_on_link(sim, seen, on.words, words);
    return seen->words != there || there > sim->room ? "room in a buffer is lost or doubled" : NULL;
}

static const char *check_wires(const struct net_sim *sim, uint32_t *words)
{
    const char *wrong = NULL, *found;
    for (uint32_t c = 0; c < sim->nodes * sim->shape.torus.n; c++) {
        const struct net_flit_channel *ch = &sim->channel[c];
        if (ch->wire && !sim->config->flit.full && all_on_link(sim, c, 0) && all_on_link(sim, c, 1))
            wrong = "words of both directions are on a half-duplex link";
        for (unsigned i = 0; ch->wire && i < 2 * sim->vcs; i++) {
            found = check_end(sim, ch, i & 1, i / 2, net_wire_count(sim, c, i & 1, i / 2), words);
            wrong = found ? found : wrong;
        }
    }
    for (uint32_t p = 0; p < sim->parts; p++) {
        const struct net_sim *part = sim->part[p];
        for (uint32_t end = 0; end < part->cuts; end++)
            for (uint32_t vc = 0; vc < sim->vcs; vc++) {
                found = check_end(sim, &sim->channel[part->first_cut + end], part->cut[end].end, vc,
                                  net_cut_count(part, end, vc), words);
                wrong = found ? found : wrong;
            }
    }
    return wrong;
}

// Packets that buffers of a ring of one virtual channel, from a node on, have room for beside those
// that wait.
static unsigned bubbles(const struct net_sim *sim, uint32_t node, unsigned port, unsigned vc)
{
    unsigned free = 0;
    uint32_t at = node;
    do {
        uint32_t channel = sim->link[at * sim->ports + port];
        const struct net_flit_channel *ch = &sim->channel[channel];
        const struct net_flit_input *in = &ch->in[port & 1][vc];
        bool leaves = in->to != NET_FLIT_NONE && !in->b.out; // its header is to come to another
        free += 2 * sim->depth.packets + leaves - net_flit_headers(&ch->out[port & 1][vc].b) -
                net_flit_headers(&in->b);
        if (ch->wire)
            free -= headers_on_link(sim, &ch->seen[port & 1][vc].b,
                                    net_wire_count(sim, channel, port & 1, vc).words, NULL);
        at = ch->node[!(port & 1)];
    } while (at != node);
    return free;
}

// Bubble flow control: of the buffers of a ring of escape channels one is free.
static const char *check_rings(const struct net_sim *sim)
{
    for (uint32_t node = 0; node < sim->nodes; node++)
        for (unsigned port = 0; port < sim->ports; port++) {
            unsigned dim = port / 2;
            if (sim->shape.torus.k[dim] < 3 || sim->coord[node].c[dim])
                continue;
            for (unsigned vc = NET_VS1; vc <= NET_VS2; vc++)
                if (!bubbles(sim, node, port, vc))
                    return "a ring of escape channels has no bubble";
        }
    return NULL;
}

// Counts where each packet's words are.
static void count(const struct net_sim *sim, const struct net_flit_buffer *b, uint32_t *words)
{
    for (unsigned i = 0; i < net_flit_packets(b); i++) {
        struct part p = part_of(sim, b, i);
        words[p.packet] += p.in - p.out;
    }
}

const char *net_flit_check(const struct net_sim *sim)
{
    if (sim->watch && sim->watch->starved)
        return "a packet starves";
    if (sim->watch && sim->watch->out_of_order)
        return "a message of the oblivious class is overtaken";
    const char *wrong = sim->config->routing == NET_CHAOS ? check_exchange(sim)
                        : sim->bubble                     ? check_rings(sim)
                                                          : NULL;
    const struct net_flit_counts sum = net_flit_sum(sim);
    uint32_t *words = calloc(sim->pool->end, sizeof *words), flying = 0;
    uint64_t born = 0, injected = 0;
    for (size_t i = 0; words && !wrong && i < (size_t)sim->nodes * sim->places; i++) {
        bool local = (i + 1) % sim->places == 0, queue = i % sim->places >= sim->queue && !local;
        wrong = check_buffer(sim, &sim->input[i].b, local ? NET_MAX_WORDS : sim->room,
                             queue && sim->input[i].to != NET_FLIT_NONE);
        wrong = wrong ? wrong : check_buffer(sim, &sim->output[i].b, sim->room, false);
        count(sim, &sim->input[i].b, words);
        count(sim, &sim->output[i].b, words);
    }
    if (words && !wrong)
        wrong = check_wires(sim, words);
    for (uint32_t node = 0; words && node < sim->nodes; node++) {
        const struct net_flit_node *n = &sim->node[node];
        born += n->created;
        if (n->wait & n->link)
            wrong = "a packet that is connected seeks an output";
        injected += n->injected;
        if (n->deliver != NET_FLIT_NONE) { // words that are delivered already
            const struct net_flit_buffer *b =
                &sim->input[(size_t)node * sim->places + n->deliver].b;
            words[b->packet[0]] += b->out;
        }
    }
    for (uint32_t i = 0; words && !wrong && i < sim->pool->end; i++) {
        flying += words[i] != 0;
        if (words[i] && words[i] != net_flit_packet(sim, i)->length)
            wrong = "words of a packet are lost or doubled";
        else if (words[i] && net_flit_packet(sim, i)->hops > MOST_HOPS)
            wrong = "a packet goes on and on";
    }
    if (words && !wrong && flying != sum.in_flight)
        wrong = "packets are lost or doubled";
    if (!wrong && (sum.injected != sum.delivered + sum.in_flight || injected > born))
        wrong = "what entered is not what was delivered and what is on its way";
    free(words);
    return wrong;
}

void net_flit_must_hold(const struct net_sim *sim)
{
    const char *wrong = net_flit_check(sim);
    if (!wrong)
        return;
    fprintf(stderr, "torussim: cycle %u: %s\n", sim->now - 1, wrong);
    abort();
}
