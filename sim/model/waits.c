// SPDX-License-Identifier: Apache-2.0
#include "waits.h"

#include <string.h>

#include "ofr_regs.h"

struct graph {
    const struct ofr_waits *w;
    uint32_t nodes, ports, queues;
    uint64_t *rest;         // per place of the path: what is left to look at
    uint32_t *number, *low; // Tarjan, SIAM J. Comput. 1, 1972; number 0: not seen
    uint32_t *part;         // per queue: its strong component, from 1; 0: not yet
    uint32_t *stack, *path, *size;
    uint64_t escapes; // a node's escape queues
    uint32_t parts;
};

enum { WORDS = 6 }; // arrays of 32 bits

static uint32_t queues_of(const struct ofr_torus *torus)
{
    return ofr_nodes(torus) * OFR_QUEUE_VCS * 2U * torus->n;
}

size_t ofr_waits_bytes(const struct ofr_torus *torus)
{
    size_t n = (size_t)queues_of(torus) + 1;
    return n * (sizeof(uint64_t) + WORDS * sizeof(uint32_t));
}

static struct graph lay_out(const struct ofr_waits *w, void *memory)
{
    struct graph g = {
        .w = w, .nodes = ofr_nodes(w->torus), .ports = 2U * w->torus->n, .rest = memory};
    g.queues = queues_of(w->torus);
    size_t n = (size_t)g.queues + 1; // components count from 1
    memset(memory, 0, ofr_waits_bytes(w->torus));
    uint32_t *word = (uint32_t *)(g.rest + n);
    uint32_t **const array[WORDS] = {&g.number, &g.low, &g.part, &g.stack, &g.path, &g.size};
    for (unsigned i = 0; i < WORDS; i++)
        *array[i] = word + i * n;
    for (unsigned port = 0; port < g.ports; port++)
        g.escapes |= (uint64_t)(1U << OFR_VC_VS1 | 1U << OFR_VC_VS2) << OFR_QUEUE_VCS * port;
    return g;
}

// The first queue of the node whose queues follow a queue.
static uint32_t behind(const struct graph *g, uint32_t queue)
{
    const struct ofr_torus *torus = g->w->torus;
    uint32_t of_node = OFR_QUEUE_VCS * g->ports;
    struct ofr_coord to = ofr_neighbour(torus, ofr_node_coord(torus, queue / of_node),
                                        queue % of_node / OFR_QUEUE_VCS);
    return ofr_node_id(torus, &to) * of_node;
}

// The escape queues that packets in a queue wait for.
static uint64_t after(const struct graph *g, uint32_t queue)
{
    const uint64_t *waits = g->w->queue(g->w->of, queue);
    return (waits[0] | waits[1]) & g->escapes;
}

// Strong components of the escape queues.
static void components(struct graph *g)
{
    uint32_t seen = 0, stacked = 0;
    for (uint32_t root = 0; root < g->queues; root++) {
        if (g->number[root] || root % OFR_QUEUE_VCS == OFR_VC_ADAPTIVE)
            continue;
        uint32_t depth = 0;
        g->path[0] = root;
        for (bool down = true;;) {
            uint32_t queue = g->path[depth];
            if (down) {
                g->number[queue] = g->low[queue] = ++seen;
                g->stack[stacked++] = queue;
                g->rest[depth] = after(g, queue);
                down = false;
            }
            if (g->rest[depth]) {
                uint32_t to = behind(g, queue) + (uint32_t)__builtin_ctzll(g->rest[depth]);
                g->rest[depth] &= g->rest[depth] - 1;
                if (!g->number[to]) {
                    g->path[++depth] = to;
                    down = true;
                } else if (!g->part[to] && g->number[to] < g->low[queue]) {
                    g->low[queue] = g->number[to];
                }
                continue;
            }
            if (g->low[queue] == g->number[queue]) {
                uint32_t member;
                g->parts++;
                do {
                    member = g->stack[--stacked];
                    g->part[member] = g->parts;
                    g->size[g->parts]++;
                } while (member != queue);
            }
            if (!depth)
                break;
            uint32_t low = g->low[queue];
            queue = g->path[--depth];
            if (low < g->low[queue])
                g->low[queue] = low;
        }
    }
}

// A cycle through the queue, within its component: breadth first.
static void find_cycle(const struct graph *g, uint32_t start, struct ofr_deadlock *result)
{
    uint32_t *from = g->low, head = 0, tail = 0, last = start, of_node = OFR_QUEUE_VCS * g->ports;
    bool closed = false;
    memset(g->number, 0, g->queues * sizeof *g->number);
    g->stack[tail++] = start;
    while (head < tail && !closed) {
        uint32_t queue = g->stack[head++], first = behind(g, queue);
        for (uint64_t rest = after(g, queue); rest; rest &= rest - 1) {
            uint32_t to = first + (uint32_t)__builtin_ctzll(rest);
            if (to == start) {
                last = queue;
                closed = true;
            }
            if (g->part[to] != g->part[start] || g->number[to] || to == start)
                continue;
            g->number[to] = 1;
            from[to] = queue;
            g->stack[tail++] = to;
        }
    }
    // Backwards from `last` to the start.
    uint32_t length = 1;
    for (uint32_t queue = last; queue != start; queue = from[queue])
        length++;
    result->length = length;
    uint32_t at = length, queue = last, to = start;
    while (at--) {
        // The slots are those of going into `to`, the one behind `queue`.
        bool one = g->w->queue(g->w->of, queue)[0] >> to % of_node & 1;
        uint32_t place = (at + 1) % length;
        if (place < OFR_CYCLE_SHOWN)
            result->queue[place] =
                (struct ofr_waiting){to / of_node, (uint8_t)(to % of_node / OFR_QUEUE_VCS),
                                     (uint8_t)(to % OFR_QUEUE_VCS), one ? 1 : 2};
        to = queue;
        queue = queue == start ? start : from[queue];
    }
}

// What is wrong with packets in one place and what they wait for, of queues from `first` on: a
// queue in a cycle that is no ring with a bubble. 0: nothing, else that queue's number + 1.
static uint32_t wrong(const struct graph *g, const uint64_t waits[2], uint32_t first, uint32_t part,
                      bool *ring)
{
    unsigned inside = 0;
    for (unsigned two = 0; two < 2; two++)
        for (uint64_t rest = waits[two] & g->escapes; rest; rest &= rest - 1) {
            uint32_t to = first + (uint32_t)__builtin_ctzll(rest);
            if (g->size[g->part[to]] < 2) // a queue does not follow itself: links have two ends
                continue;
            *ring = g->part[to] != part;
            inside += !*ring;
            if (*ring ? !two : two || inside > 1)
                return to + 1;
        }
    return 0;
}

struct ofr_deadlock ofr_waits_judge(const struct ofr_waits *waits, void *memory)
{
    struct graph g = lay_out(waits, memory);
    struct ofr_deadlock result = {.verdict = OFR_ACYCLIC};
    uint32_t bad = 0, of_node = OFR_QUEUE_VCS * g.ports;
    components(&g);
    for (uint32_t part = 1; part <= g.parts; part++)
        result.rings += g.size[part] > 1;
    if (result.rings)
        result.verdict = OFR_ESCAPABLE;
    for (uint32_t queue = 0; queue < g.queues; queue++) {
        const uint64_t *of = waits->queue(waits->of, queue);
        if (queue % OFR_QUEUE_VCS != OFR_VC_ADAPTIVE) {
            result.queues += (of[0] | of[1]) != 0;
            result.dependencies += (uint32_t)__builtin_popcountll((of[0] | of[1]) & g.escapes);
        }
        if (result.rings && !bad)
            bad = wrong(&g, of, behind(&g, queue), g.part[queue], &result.ring);
    }
    for (uint32_t node = 0; node < g.nodes && result.rings && !bad; node++)
        bad = wrong(&g, waits->local(waits->of, node), node * of_node, 0, &result.ring);
    if (!bad) {
        result.ring = false;
        return result;
    }
    result.verdict = OFR_DEADLOCK;
    find_cycle(&g, bad - 1, &result);
    return result;
}
