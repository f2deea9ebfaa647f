// SPDX-License-Identifier: Apache-2.0
#include "traffic/schedule.h"

#include <stdlib.h>

#include "config/random.h"

enum { BATCHES = 32 };

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

bool net_schedule_init(struct net_schedule *s, const struct net_config *config)
{
    *s = (struct net_schedule){.config = config,
                               .trace = config->trace,
                               .nodes = ofr_nodes(&config->torus),
                               .period = net_config_times(config).message,
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
    if (!s->trace) {
        s->packets = (uint64_t)s->nodes * config->messages * config->message_packets;
        s->generation = net_schedule_born(s, config->messages);
        return net_traffic_init(&s->traffic, &config->traffic, &config->torus, config->seed);
    }
    s->batches = s->trace->count < BATCHES ? s->trace->count : BATCHES;
    for (uint32_t m = 0; m < s->trace->count; m++)
        s->packets += net_schedule_packets(s, m);
    s->generation = s->trace->message[s->trace->count - 1].time;
    return true;
}

void net_schedule_free(struct net_schedule *s)
{
    net_traffic_free(&s->traffic);
    net_pairs_free(&s->pairs);
    net_replay_free(&s->replay);
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
    uint32_t next = message == NET_NO_MESSAGE ? 0 : message + 1;
    return next < s->config->messages ? next : NET_NO_MESSAGE;
}

uint32_t net_schedule_destination(const struct net_schedule *s, uint32_t node, uint32_t message)
{
    if (s->replay.app)
        return net_replay_destination(&s->replay, message);
    if (s->pairs.count)
        return net_pairs_node(&s->pairs, message, true);
    return s->trace ? s->trace->message[message].dst : net_destination(&s->traffic, node, message);
}

uint32_t net_schedule_packets(const struct net_schedule *s, uint32_t message)
{
    if (s->replay.app)
        return net_replay_packets(&s->replay, message);
    if (s->pairs.count)
        return message & 1 ? s->pairs.pong : s->pairs.ping;
    if (!s->trace)
        return s->config->message_packets;
    return (s->trace->message[message].bytes - 1) / s->config->packet_bytes + 1;
}

uint32_t net_schedule_arrived(struct net_schedule *s, uint32_t message, uint64_t time)
{
    return s->pairs.count ? net_pairs_arrived(&s->pairs, message, time) : NET_NO_MESSAGE;
}

uint64_t net_schedule_generated(const struct net_schedule *s, uint64_t now)
{
    uint64_t packets = 0;
    if (s->replay.app)
        return s->replay.generated;
    for (uint32_t m = 0; m < s->pairs.count * s->pairs.rounds * 2; m++)
        packets += s->pairs.born[m] <= now ? net_schedule_packets(s, m) : 0;
    if (s->pairs.count)
        return packets;
    uint64_t per_message = s->trace ? 1 : s->nodes;
    uint32_t count = s->trace ? s->trace->count : s->config->messages;
    for (uint32_t m = 0; m < count && net_schedule_born(s, m) <= now; m++)
        packets += per_message * net_schedule_packets(s, m);
    return packets;
}
