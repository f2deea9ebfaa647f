// SPDX-License-Identifier: Apache-2.0
// lint-flags: -D_GNU_SOURCE
#include "packet/net.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "packet/part.h"
#include "packet/swap.h"
#include "run/together.h"
#include "topo/slabs.h"

struct net_sim {
    const struct net_config *config;
    struct net_links links;
    struct net_paths paths;
    struct net_schedule schedule;
    struct ofr_coord *coord;
    uint16_t *exists;
    struct net_source *sources;
    struct ofr_way *ways;
    uint16_t *way_count;
    uint64_t *sink_free, *nak_until;

    uint32_t count;         // of parts, on all ranks
    uint32_t first, end;    // those that are simulated here; a rank may have parts without nodes
    struct net_part *parts; // [count]
    uint32_t *bounds;       // [count + 1]
    bool together;          // with other ranks
    struct net_swap swap;   // with them
    uint64_t look_ahead, until;
    // Of even and odd windows, so that one is read while the other is written.
    struct net_post *posts[2]; // [from][to]
    uint64_t *next[2];         // [part]: its next event, posted ones included
    uint64_t soonest[2];       // of all of them and of other ranks' parts
    pthread_barrier_t barrier;
};

// ---- With other ranks: what is said of all
// --------------------------------------------------------------------------------

static uint64_t least(const struct net_sim *sim, uint64_t value)
{
    return sim->together ? net_ranks_least(value) : value;
}

static uint64_t most(const struct net_sim *sim, uint64_t value)
{
    return ~least(sim, ~value);
}

static bool any(const struct net_sim *sim, bool value)
{
    return most(sim, value) != 0;
}

static void add_up(const struct net_sim *sim, uint64_t *sums, size_t count)
{
    if (sim->together)
        net_ranks_add(sums, count);
}

// ---- Windows
// -------------------------------------------------------------------------------------

static uint64_t next_event(const struct net_part *part)
{
    uint64_t key;
    net_wheel_first(&part->wheel, &key);
    return key == UINT64_MAX ? UINT64_MAX : key / NET_KINDS;
}

// The same with what it has sent; that is in the order of time, NAKs apart.
static uint64_t next_sent(const struct net_part *part, const struct net_post *posts)
{
    uint64_t next = part->out_of_memory ? UINT64_MAX : next_event(part); // then it stands still
    for (uint32_t to = 0; to < part->parts; to++) {
        const struct net_box *arrive = &posts[to].box[MAIL_ARRIVE], *nak = &posts[to].box[MAIL_NAK];
        if (arrive->count && arrive->mail[0].time < next)
            next = arrive->mail[0].time;
        for (uint32_t i = 0; i < nak->count; i++)
            next = nak->mail[i].time < next ? nak->mail[i].time : next;
    }
    return next;
}

static void work(void *context, unsigned number)
{
    struct net_sim *sim = context;
    uint32_t own = sim->first + number;
    struct net_part *part = &sim->parts[own];
    uint64_t before = 0; // end of the window before
    for (unsigned window = 0;; window++) {
        unsigned now = window & 1;
        uint64_t start = UINT64_MAX;
        sim->next[now][own] = next_sent(part, &sim->posts[now][(size_t)own * sim->count]);
        pthread_barrier_wait(&sim->barrier);
        for (uint32_t p = sim->first; p < sim->end; p++)
            start = sim->next[now][p] < start ? sim->next[now][p] : start;
        if (sim->together) {
            if (own == sim->first)
                sim->soonest[now] = net_swap(&sim->swap, sim->posts[now], start);
            pthread_barrier_wait(&sim->barrier);
            start = sim->soonest[now];
        }
        net_part_deliver(part, before, &sim->posts[now][own], sim->count);
        if (start >= sim->until)
            break;
        before = sim->until - start < sim->look_ahead ? sim->until : start + sim->look_ahead;
        part->out = &sim->posts[!now][(size_t)own * sim->count];
        net_part_run(part, before);
    }
}

// All ranks begin, or none.
static bool agree(void *context, bool there)
{
    return !any(context, !there);
}

static void advance(struct net_sim *sim, uint64_t until)
{
    sim->until = until;
    if (sim->count == 1) {
        net_part_run(&sim->parts[0], until);
        return;
    }
    if (!net_together(sim->end - sim->first, work, agree, sim))
        sim->parts[sim->first].out_of_memory = true;
}

// ---- Start and end
// -------------------------------------------------------------------------------

// Parts are slabs, as many on each rank.
static bool make_parts(struct net_sim *sim, const struct net_times *times)
{
    const struct net_config *c = sim->config;
    uint32_t nodes = ofr_nodes(&c->torus), ranks = sim->together ? (uint32_t)net_ranks() : 1;
    uint32_t here = c->threads ? c->threads : 1, most_here = nodes / ranks ? nodes / ranks : 1;
    sim->look_ahead = times->ext_latency + times->ext_ack;
    // An application's state is one for all nodes.
    bool undivided = !times->ext_latency || sim->schedule.replay.app;
    if (undivided)
        here = 1;
    here = here < most_here ? here : most_here;
    uint32_t count = here * ranks;
    size_t posts = (size_t)count * count;
    sim->parts = net_allocate(count, sizeof *sim->parts);
    sim->bounds = net_allocate(count + 1, sizeof *sim->bounds);
    for (int i = 0; i < 2; i++) {
        sim->posts[i] = net_allocate(posts, sizeof *sim->posts[i]);
        sim->next[i] = net_allocate(count, sizeof *sim->next[i]);
    }
    if (!sim->parts || !sim->bounds || !sim->posts[0] || !sim->posts[1] || !sim->next[0] ||
        !sim->next[1])
        return false;
    sim->count = count;
    sim->first = sim->together ? here * (uint32_t)net_rank() : 0;
    sim->end = sim->first + here;
    for (uint32_t p = 0; p <= count; p++)
        sim->bounds[p] = net_slab(&c->torus, p, count);
    for (uint32_t p = 1; undivided && p < count; p++)
        sim->bounds[p] = nodes;
    return !sim->together || net_swap_init(&sim->swap, here);
}

static bool init_part(struct net_sim *sim, uint32_t p, const struct net_times *times,
                      uint32_t max_ways)
{
    static const size_t cargo[NET_LINES] = {[LINE_OWN] = sizeof(struct net_packet),
                                            [LINE_OTHERS] = sizeof(struct net_packet),
                                            [LINE_NAK] = sizeof(struct net_packet)};
    static const uint32_t kind[NET_LINES] = {NET_FREE,   NET_FREE,   NET_ARRIVE,
                                             NET_ARRIVE, NET_INJECT, NET_NAK};
    // From about so many bytes on that its links and nodes take.
    enum { FOOTPRINT = 1 << 20 };
    struct net_part *part = &sim->parts[p];
    uint32_t nodes = sim->bounds[p + 1] - sim->bounds[p];
    *part = (struct net_part){
        .config = sim->config,
        .times = *times,
        .links = net_links_part(&sim->links, sim->bounds[p], sim->bounds[p + 1]),
        .paths = &sim->paths,
        .schedule = &sim->schedule,
        .coord = sim->coord,
        .exists = sim->exists,
        .sources = sim->sources,
        .ways = sim->ways,
        .way_count = sim->way_count,
        .max_ways = max_ways,
        .sink_free = sim->sink_free,
        .counted = sim->schedule.batch_rate > 0 ? sim->schedule.generation : UINT64_MAX,
        .gate = sim->config->source_gate_us > 0
                    ? (uint64_t)(sim->config->source_gate_us * 1000 * NET_UNITS_PER_NS)
                    : UINT64_MAX,
        .nak_gate = (uint64_t)llround(sim->config->nak_gate_us * 1000 * NET_UNITS_PER_NS),
        .nak_until = sim->nak_until,
        .parts = sim->count,
        .bounds = sim->bounds};
    part->look_ahead =
        ((size_t)nodes << sim->links.bits << sim->links.link_shift) >= (size_t)FOOTPRINT;
    part->latest = net_allocate(nodes, sizeof *part->latest);
    return part->latest && net_wheel_init(&part->wheel, times->horizon, cargo, kind) &&
           net_stats_init(&part->result.stats, sim->schedule.batches);
}

// All ways from node 0, where they are every node's. False: out of memory.
static bool init_ways(struct net_sim *sim, uint32_t nodes, uint32_t max_ways)
{
    if (!net_paths_alike(&sim->paths))
        return true;
    sim->way_count = net_allocate(nodes, sizeof *sim->way_count);
    for (uint32_t t = 0; sim->way_count && t < nodes; t++)
        sim->way_count[t] = (uint16_t)net_ways_kept(&sim->paths, &sim->coord[0], &sim->coord[t],
                                                    &sim->ways[(size_t)t * max_ways]);
    return sim->way_count;
}

static bool init(struct net_sim *sim, const struct net_config *config)
{
    uint32_t nodes = ofr_nodes(&config->torus);
    struct net_times times = net_config_times(config);
    *sim = (struct net_sim){.config = config, .together = config->ranks > 1};
    net_paths_init(&sim->paths, config);
    uint32_t max_ways = net_paths_most(&sim->paths);
    sim->coord = net_allocate(nodes, sizeof *sim->coord);
    sim->exists = net_allocate(nodes, sizeof *sim->exists);
    sim->sources = net_allocate(nodes, sizeof *sim->sources);
    sim->ways = net_allocate((size_t)nodes * max_ways, sizeof *sim->ways);
    sim->sink_free = net_allocate(nodes, sizeof *sim->sink_free);
    if (!sim->coord || !sim->exists || !sim->sources || !sim->ways || !sim->sink_free ||
        !net_links_init(&sim->links, config, &times) || !net_schedule_init(&sim->schedule, config))
        return false;
    if (config->nak_gate_us > 0) {
        sim->nak_until = net_allocate((size_t)nodes << sim->links.bits, sizeof *sim->nak_until);
        if (!sim->nak_until)
            return false;
    }
    if (!make_parts(sim, &times))
        return false;
    for (uint32_t node = 0; node < nodes; node++) {
        sim->coord[node] = ofr_node_coord(&config->torus, node);
        sim->exists[node] = (uint16_t)ofr_existing_ports(&config->torus, &sim->coord[node]);
    }
    if (!init_ways(sim, nodes, max_ways))
        return false;
    for (uint32_t p = sim->first; p < sim->end; p++) {
        if (!init_part(sim, p, &times, max_ways))
            return false;
        net_part_start(&sim->parts[p]);
    }
    return !pthread_barrier_init(&sim->barrier, NULL, sim->end - sim->first);
}

static void quit(struct net_sim *sim)
{
    for (uint32_t p = sim->first; p < sim->end; p++) {
        net_wheel_free(&sim->parts[p].wheel);
        net_links_part_free(&sim->parts[p].links);
        net_stats_free(&sim->parts[p].result.stats);
        free(sim->parts[p].latest);
        free(sim->parts[p].same_node);
    }
    for (int i = 0; i < 2; i++) {
        for (size_t b = 0; b < (size_t)sim->count * sim->count; b++)
            for (int kind = 0; kind < MAIL_KINDS; kind++)
                free(sim->posts[i][b].box[kind].mail);
        free(sim->posts[i]);
        free(sim->next[i]);
    }
    if (sim->together)
        net_swap_free(&sim->swap);
    net_schedule_free(&sim->schedule);
    net_links_free(&sim->links);
    free(sim->parts);
    free(sim->bounds);
    free(sim->coord);
    free(sim->exists);
    free(sim->sources);
    free(sim->ways);
    free(sim->way_count);
    free(sim->sink_free);
    free(sim->nak_until);
    free(sim);
}

static struct net_sim *open_sim(const struct net_config *config)
{
    struct net_sim *sim = malloc(sizeof *sim);
    bool bad = !sim || !init(sim, config);
    if (!(config->ranks > 1 ? net_ranks_any(bad) : bad))
        return sim;
    if (sim)
        quit(sim);
    return NULL;
}

// Of this rank's nodes, the first queue that is full, then the first generator that is not done,
// then links. Returns how early that is in this order.
static uint64_t name_stuck_here(const struct net_sim *sim, char *text, size_t size)
{
    static const char *const vcs[] = {"adaptive", "VS1", "VS2"};
    uint32_t first = sim->bounds[sim->first], end = sim->bounds[sim->end];
    for (uint32_t node = first; node < end; node++)
        for (unsigned port = 0; port < sim->links.ports; port++)
            for (unsigned vc = 0; vc < NET_VCS; vc++) {
                if (net_used(&sim->links, node, vc)[port] < sim->config->slots)
                    continue;
                snprintf(text, size, "full: %s queue of node %u, port %c%c, and perhaps others",
                         vcs[vc], node, "xyzuvw"[port / 2], port % 2 ? '-' : '+');
                return node;
            }
    for (uint32_t node = first; node < end; node++) {
        const struct net_source *source = &sim->sources[node];
        if (source->message != NET_NO_MESSAGE) {
            snprintf(text, size, "the generator of node %u, message %u, packet %u to node %u", node,
                     source->message, source->packet, source->destination);
            return (uint64_t)1 << 32 | node;
        }
    }
    snprintf(text, size, "packets on links");
    return (uint64_t)2 << 32;
}

static void name_stuck(const struct net_sim *sim, char *text, size_t size)
{
    uint64_t early = name_stuck_here(sim, text, size);
    if (!sim->together)
        return;
    enum { RANKS = 1 << 20 };
    uint64_t from = net_ranks_least(early * RANKS + (uint64_t)net_rank());
    net_ranks_copy((int)(from % RANKS), text, size);
}

// Packets in queues and on links.
static uint64_t in_flight(const struct net_part *part)
{
    uint64_t slots = part->links.capacity;
    for (uint32_t s = part->links.unused; s != NET_NONE; s = part->links.slots[s].next)
        slots--;
    const struct net_line *line = part->wheel.line;
    return slots + line[LINE_OWN].count + line[LINE_OTHERS].count + line[LINE_NAK].count;
}

static struct net_watch watch(const struct net_sim *sim, uint64_t at)
{
    struct net_watch w = {.next = UINT64_MAX, .packets = sim->schedule.packets};
    for (uint32_t p = sim->first; p < sim->end; p++) {
        const struct net_part *part = &sim->parts[p];
        uint64_t next = next_event(part);
        w.next = next < w.next ? next : w.next;
        w.last = part->wheel.now > w.last ? part->wheel.now : w.last;
        w.progress = part->progress > w.progress ? part->progress : w.progress;
        w.out_of_memory = w.out_of_memory || part->out_of_memory;
        w.consumed += part->result.consumed;
    }
    w.next = least(sim, w.next);
    w.last = most(sim, w.last);
    w.progress = most(sim, w.progress);
    w.out_of_memory = any(sim, w.out_of_memory);
    add_up(sim, &w.consumed, 1);
    w.generated = net_schedule_generated(&sim->schedule, at);
    return w;
}

// What packets that have not left their generators have to wait there at least from `at` on, or
// from their birth where that is later, for those before them: of those that are born all of it, of
// the unborn for what is not of their own message. Of this rank's nodes, added up. A generator
// whose backlog is gone before the next message is born starts afresh.
static uint64_t waits(const struct net_sim *sim, uint64_t at)
{
    const struct net_schedule *s = &sim->schedule;
    uint64_t each = sim->parts[sim->first].times.inject, sum = 0;
    for (uint32_t node = sim->bounds[sim->first]; node < sim->bounds[sim->end]; node++) {
        const struct net_source *source = &sim->sources[node];
        uint64_t ready = at, packets = source->packets - source->packet; // when the next is sent
        uint32_t m = source->message;
        while (m != NET_NO_MESSAGE) {
            uint64_t born = net_schedule_born(s, m);
            if (born > at && born >= ready)
                break;
            sum += born > at ? (ready - born) * packets
                             : (ready - at) * packets + packets * (packets - 1) / 2 * each;
            ready += packets * each;
            m = net_schedule_next(s, node, m);
            packets = m == NET_NO_MESSAGE ? 0 : net_schedule_packets(s, node, m);
        }
    }
    return sum;
}

// Lifetimes of the consumed packets, ages of those that are born, and what both they and the unborn
// have to wait yet in an empty network: a generator sends one packet after the other.
static double lifetimes(const struct net_sim *sim, uint64_t at)
{
    const struct net_times *t = &sim->parts[sim->first].times;
    enum { CONSUMED, LIFETIMES, NUMBERS, WAITS, SUMMED };
    uint64_t sum[SUMMED] = {0};
    for (uint32_t p = sim->first; p < sim->end; p++) {
        const struct net_part *part = &sim->parts[p];
        sum[CONSUMED] += part->result.consumed;
        sum[LIFETIMES] += part->result.stats.sum;
        sum[NUMBERS] += part->numbers;
    }
    bool pattern = !sim->schedule.trace && !sim->schedule.pairs.count && !sim->schedule.replay.app;
    sum[WAITS] = pattern ? waits(sim, at) : 0;
    add_up(sim, sum, SUMMED);
    double least = (double)sum[LIFETIMES];
    if (!pattern)
        return least;
    // From birth to consumption at the node itself; births are rounded.
    uint64_t shortest = 2 * (t->int_packet + t->int_latency) - 1;
    return least + net_schedule_ages(&sim->schedule, at, sum[CONSUMED], sum[NUMBERS]) +
           (double)sum[WAITS] +
           (double)net_schedule_unborn_places(&sim->schedule, at) * (double)t->inject +
           (double)(sim->schedule.packets - net_schedule_generated(&sim->schedule, at)) *
               (double)shortest;
}

// What is added up over parts and ranks, besides the statistics.
#define SUM(field) offsetof(struct net_result, field)
static const size_t sums[] = {
    SUM(consumed), SUM(entered),   SUM(oidn),          SUM(widn),    SUM(por),
    SUM(hops),     SUM(naks),      SUM(consumed_hops), SUM(refused), SUM(consumed_in_time),
    SUM(wait_sum), SUM(in_flight), SUM(slots_held)};
enum { SUMS = sizeof sums / sizeof *sums };

static uint64_t *summed(struct net_result *r, int i)
{
    return (uint64_t *)(void *)((char *)r + sums[i]);
}

static void add(struct net_result *sum, struct net_result *r)
{
    for (int i = 0; i < SUMS; i++)
        *summed(sum, i) += *summed(r, i);
    sum->end_time = r->end_time > sum->end_time ? r->end_time : sum->end_time;
    net_stats_merge(&sum->stats, &r->stats);
}

// The sum of a rank's parts becomes that of all ranks.
static void add_ranks(struct net_result *sum)
{
    struct net_stats *stats = &sum->stats;
    uint64_t list[SUMS + 2] = {[SUMS] = stats->count, stats->sum};
    for (int i = 0; i < SUMS; i++)
        list[i] = *summed(sum, i);
    net_ranks_add(list, SUMS + 2);
    for (int i = 0; i < SUMS; i++)
        *summed(sum, i) = list[i];
    stats->count = list[SUMS];
    stats->sum = list[SUMS + 1];
    stats->max = ~net_ranks_least(~stats->max);
    sum->end_time = ~net_ranks_least(~sum->end_time);
    net_ranks_add(stats->bins, NET_STATS_BINS);
    net_ranks_add(stats->batch_count, stats->batches);
    net_ranks_add(stats->batch_sum, stats->batches);
    net_ranks_add(stats->arrived, stats->batches);
}

// Jain's fairness of what the nodes' generators got in: 1: all as much; 1/N: one node all.
static double fairness(const struct net_sim *sim)
{
    uint64_t sum[2] = {0}, nodes = ofr_nodes(&sim->config->torus); // and of squares
    for (uint32_t node = sim->bounds[sim->first]; node < sim->bounds[sim->end]; node++) {
        sum[0] += sim->sources[node].in_time;
        sum[1] += (uint64_t)sim->sources[node].in_time * sim->sources[node].in_time;
    }
    add_up(sim, sum, 2);
    return sum[1] ? (double)sum[0] * (double)sum[0] / ((double)nodes * (double)sum[1]) : NAN;
}

// Of all links: UINT64_MAX where there is none. NULL: out of memory.
static uint64_t *sent(const struct net_sim *sim)
{
    uint32_t nodes = ofr_nodes(&sim->config->torus), ports = sim->links.ports;
    uint64_t *list = calloc((size_t)nodes * ports, sizeof *list);
    if (any(sim, !list) || !list) {
        free(list);
        return NULL;
    }
    for (uint32_t node = sim->bounds[sim->first]; node < sim->bounds[sim->end]; node++)
        for (unsigned port = 0; port < ports; port++) {
            uint32_t place = net_place(&sim->links, node, port);
            list[(size_t)node * ports + port] =
                (uint64_t)sim->links.sent[place] << 16 | net_link(&sim->links, place)->sent;
        }
    add_up(sim, list, (size_t)nodes * ports);
    for (size_t i = 0; i < (size_t)nodes * ports; i++)
        if (!(sim->exists[i / ports] >> i % ports & 1))
            list[i] = UINT64_MAX;
    return list;
}

static struct net_result result(struct net_sim *sim, enum net_end end, uint64_t at)
{
    const struct net_replay *replay = &sim->schedule.replay;
    struct net_result sum = {.end = end, .solution = replay->end};
    if (end == NET_DRAINED && replay->app && replay->ended < replay->app->ops) {
        sum.end = NET_STUCK;
        snprintf(sum.stuck, sizeof sum.stuck, "%u of %u operations have not ended",
                 replay->app->ops - replay->ended, replay->app->ops);
    }
    if (any(sim, !net_stats_init(&sum.stats, sim->schedule.batches)))
        sum.end = NET_NO_MEMORY;
    for (uint32_t p = sim->first; p < sim->end && sum.end != NET_NO_MEMORY; p++) {
        struct net_part *part = &sim->parts[p];
        add(&sum, &part->result);
        sum.in_flight += in_flight(part);
        if (end == NET_DRAINED)
            sum.slots_held += net_links_settle(&part->links, UINT64_MAX - 1); // all ACKs back
    }
    if (sum.end != NET_NO_MEMORY && sim->together)
        add_ranks(&sum);
    if (sum.end != NET_NO_MEMORY) {
        sum.generated = net_schedule_generated(&sim->schedule, at);
        sum.waiting = sum.generated - sum.entered;
        sum.pairs = sim->schedule.pairs.count;
        sum.fairness = fairness(sim);
        sum.sent = sent(sim);
    }
    if (end == NET_DRAINED) {
        sum.pair_latency = sim->schedule.pairs.latency;
        sim->schedule.pairs.latency = NULL;
    } else {
        sum.end_time = at;
    }
    uint64_t counted = sim->parts[sim->first].counted;
    sum.counted = counted < sum.end_time ? counted : sum.end_time;
    if (end == NET_STUCK)
        name_stuck(sim, sum.stuck, sizeof sum.stuck);
    pthread_barrier_destroy(&sim->barrier);
    quit(sim);
    return sum;
}

const struct net_engine net_packet_engine = {
    .name = "packet-5",
    .check = net_config_check,
    .open = open_sim,
    .advance = advance,
    .watch = watch,
    .lifetimes = lifetimes,
    .result = result,
};
