// SPDX-License-Identifier: Apache-2.0
#include "traffic/pairs.h"

#include <stdlib.h>

#include "config/random.h"

bool net_pairs_init(struct net_pairs *p, const struct net_config *c)
{
    uint32_t nodes = ofr_nodes(&c->torus), messages = c->active / 2 * c->rounds * 2;
    *p = (struct net_pairs){.count = c->active / 2,
                            .rounds = c->rounds,
                            .ping = c->burst * c->message_packets,
                            .pong = c->message_packets};
    p->node = calloc(nodes, sizeof *p->node);
    p->pair = calloc(nodes, sizeof *p->pair);
    p->born = calloc(messages + 1, sizeof *p->born);
    p->missing = calloc(messages + 1, sizeof *p->missing);
    p->latency = calloc(p->count + 1, sizeof *p->latency);
    if (!p->node || !p->pair || !p->born || !p->missing || !p->latency)
        return false;
    for (uint32_t i = 0; i < nodes; i++) { // Fisher and Yates; the first ones are on
        uint32_t j = net_below(net_random(c->seed, DRAW_PAIRS, i, 0), i + 1);
        p->node[i] = p->node[j];
        p->node[j] = i;
    }
    for (uint32_t i = 0; i < nodes; i++)
        p->pair[p->node[i]] = i < 2 * p->count ? i / 2 : UINT32_MAX;
    for (uint32_t m = 0; m < messages; m++) {
        p->born[m] = m % (2 * p->rounds) ? UINT64_MAX : 0;
        p->missing[m] = m & 1 ? p->pong : p->ping;
    }
    return true;
}

void net_pairs_free(struct net_pairs *p)
{
    free(p->node);
    free(p->pair);
    free(p->born);
    free(p->missing);
    free(p->latency);
    *p = (struct net_pairs){0};
}

uint32_t net_pairs_arrived(struct net_pairs *p, uint32_t message, uint64_t time)
{
    if (--p->missing[message])
        return UINT32_MAX;
    if (message & 1)
        p->latency[message / (2 * p->rounds)] += time - p->born[message - 1];
    if ((message + 1) % (2 * p->rounds) == 0)
        return UINT32_MAX;
    p->born[message + 1] = time;
    return message + 1;
}
