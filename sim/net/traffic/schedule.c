// SPDX-License-Identifier: Apache-2.0
#include "traffic/schedule.h"

#include <stdlib.h>

#include "config/random.h"

enum { BATCHES = 32, PATTERN_BATCHES = 160 };

static bool init_replay(struct net_schedule *s, const struct net_config *config)
{
    const struct net_application *app = config->application;
    uint32_t *node = calloc(s->nodes, sizeof *node);
    if (!node)
        return false;
    for (uint32_t i = 0; i < s->nodes; i++) { // Fisher and Yates
        uint32_t j =
            config->scattered ? net_below(net_random(config->seed, DRAW_PLACE, i, 0), i + 1) : i;
        node[i] = node[j];
        node[j] = i;
    }
    if (!net_replay_init(&s->replay, app, config->pace, config->packet_bytes, s->nodes, node))
        return false;
    s->batches = app->messages < BATCHES ? app->messages + !app->messages : BATCHES;
    for (uint32_t m = 0; m < app->messages; m++)
        s->packets += net_replay_packets(&s->replay, m);
    s->generation = UINT64_MAX;
    return true;
}

static bool init_pattern(struct net_schedule *s, const struct net_config *config)
{
    struct net_arrivals *a = &s->arrivals;
    net_arrivals_init(a, config);
    bool random =
        config->arrivals == NET_ARRIVAL_BERNOULLI || config->arrivals == NET_ARRIVAL_ONOFF;
    s->batches = random ? PATTERN_BATCHES : config->messages;
    s->batches = s->batches < a->numbers ? s->batches : a->numbers;
    s->generation = net_arrivals_born(a, a->numbers);
    s->batch_rate = s->batches / (a->numbers * a->step);
    s->packets_before = calloc((size_t)a->numbers + 1, sizeof *s->packets_before);
    s->numbers_before = calloc((size_t)a->numbers + 1, sizeof *s->numbers_before);
    s->places_before = calloc((size_t)a->numbers + 1, sizeof *s->places_before);
    if (!s->packets_before || !s->numbers_before || !s->places_before)
        return false;
    bool alike = config->arrivals == NET_ARRIVAL_BURST && !config->mixed; // all nodes
    for (uint32_t node = 0; node < (alike ? 1 : s->nodes); node++) {
        uint32_t m = net_arrivals_next(a, node, NET_NO_MESSAGE);
        for (; m != NET_NO_MESSAGE; m = net_arrivals_next(a, node, m)) {
            uint64_t packets = net_schedule_packets(s, node, m), nodes = alike ? s->nodes : 1;
            s->packets_before[m + 1] += packets * nodes;
            s->places_before[m + 1] += packets * (packets - 1) / 2 * nodes;
        }
    }
    for (uint32_t m = 0; m < a->numbers; m++) {
        s->numbers_before[m + 1] = s->numbers_before[m] + s->packets_before[m + 1] * m;
        s->packets_before[m + 1] += s->packets_before[m];
        s->places_before[m + 1] += s->places_before[m];
    }
    s->packets = s->packets_before[a->numbers];
    return net_traffic_init(&s->traffic, &config->traffic, &config->torus, config->seed);
}

bool net_schedule_init(struct net_schedule *s, const struct net_config *config)
{
    *s = (struct net_schedule){.config = config,
                               .trace = config->trace,
                               .nodes = ofr_nodes(&config->torus),
                               .batches = config->messages};
    if (config->active) {
        s->batches = config->rounds;
        s->packets = (uint64_t)config->active / 2 * config->rounds * (config->burst + 1) *
                     config->message_packets;
        s->generation = UINT64_MAX;
        return net_pairs_init(&s->pairs, config);
    }
    if (config->application)
        return init_replay(s, config);
    if (!s->trace)
        return init_pattern(s, config);
    s->batches = s->trace->count < BATCHES ? s->trace->count : BATCHES;
    for (uint32_t m = 0; m < s->trace->count; m++)
        s->packets += net_schedule_packets(s, 0, m);
    s->generation = s->trace->message[s->trace->count - 1].time;
    return true;
}

void net_schedule_free(struct net_schedule *s)
{
    net_traffic_free(&s->traffic);
    net_pairs_free(&s->pairs);
    net_replay_free(&s->replay);
    free(s->packets_before);
    free(s->numbers_before);
    free(s->places_before);
}

uint32_t net_schedule_next(const struct net_schedule *s, uint32_t node, uint32_t message)
{
    if (s->replay.app) // all are born by what begins
        return NET_NO_MESSAGE;
    if (s->pairs.count) { // the others are born by what arrives
        uint32_t pair = s->pairs.pair[node];
        bool pings = pair != UINT32_MAX && s->pairs.node[2 * pair] == node;
        return pings && message == NET_NO_MESSAGE ? pair * s->pairs.rounds * 2 : NET_NO_MESSAGE;
    }
    if (s->trace)
        return message == NET_NO_MESSAGE ? s->trace->first[node] : s->trace->message[message].next;
    return net_arrivals_next(&s->arrivals, node, message);
}

uint32_t net_schedule_destination(const struct net_schedule *s, uint32_t node, uint32_t message)
{
    if (s->replay.app)
        return net_replay_destination(&s->replay, message);
    if (s->pairs.count)
        return net_pairs_node(&s->pairs, message, true);
    return s->trace ? s->trace->message[message].dst : net_destination(&s->traffic, node, message);
}

// Its length is drawn per message.
static uint32_t mixed_packets(const struct net_config *c, uint32_t node, uint32_t message)
{
    double weights = 0;
    uint32_t i = 0;
    for (; i < c->mixed; i++)
        weights += c->mix[i].weight;
    uint64_t draw = net_random(c->seed, DRAW_LENGTH, node, message);
    double rest = (double)(draw >> 11) * 0x1p-53 * weights;
    for (i = 0; i + 1 < c->mixed && rest >= c->mix[i].weight; i++)
        rest -= c->mix[i].weight;
    return c->mix[i].packets;
}

uint32_t net_schedule_packets(const struct net_schedule *s, uint32_t node, uint32_t message)
{
    if (s->replay.app)
        return net_replay_packets(&s->replay, message);
    if (s->pairs.count)
        return message & 1 ? s->pairs.pong : s->pairs.ping;
    if (!s->trace)
        return s->config->mixed ? mixed_packets(s->config, node, message)
                                : s->config->message_packets;
    return (s->trace->message[message].bytes - 1) / s->config->packet_bytes + 1;
}

uint32_t net_schedule_arrived(struct net_schedule *s, uint32_t message, uint64_t time)
{
    return s->pairs.count ? net_pairs_arrived(&s->pairs, message, time) : NET_NO_MESSAGE;
}

// How many numbers' time has come.
static uint32_t born_by(const struct net_schedule *s, uint64_t now)
{
    const struct net_arrivals *a = &s->arrivals;
    double about = (double)now / a->step;
    uint32_t m = about < a->numbers ? (uint32_t)about : a->numbers;
    while (m < a->numbers && net_arrivals_born(a, m) <= now)
        m++;
    while (m && net_arrivals_born(a, m - 1) > now)
        m--;
    return m;
}

uint64_t net_schedule_generated(const struct net_schedule *s, uint64_t now)
{
    uint64_t packets = 0;
    if (s->replay.app)
        return s->replay.generated;
    for (uint32_t m = 0; m < s->pairs.count * s->pairs.rounds * 2; m++)
        packets += s->pairs.born[m] <= now ? net_schedule_packets(s, 0, m) : 0;
    if (s->pairs.count)
        return packets;
    if (!s->trace)
        return s->packets_before[born_by(s, now)];
    for (uint32_t m = 0; m < s->trace->count && net_schedule_born(s, m) <= now; m++)
        packets += net_schedule_packets(s, 0, m);
    return packets;
}

double net_schedule_ages(const struct net_schedule *s, uint64_t now, uint64_t consumed,
                         uint64_t numbers)
{
    uint32_t born = born_by(s, now);
    return (double)(s->packets_before[born] - consumed) * (double)now -
           (double)(s->numbers_before[born] - numbers) * s->arrivals.step;
}

uint64_t net_schedule_unborn_places(const struct net_schedule *s, uint64_t now)
{
    return s->places_before[s->arrivals.numbers] - s->places_before[born_by(s, now)];
}
