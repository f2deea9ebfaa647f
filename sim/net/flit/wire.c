// SPDX-License-Identifier: Apache-2.0
#include "flit/wire.h"

#include <stdlib.h>

static uint32_t latency_of(const struct net_sim *sim, uint32_t channel)
{
    return sim->config->flit.link_latency[channel % sim->shape.torus.n];
}

bool net_wire_open(struct net_sim *sim)
{
    sim->farthest = 1;
    for (unsigned dim = 0; dim < sim->shape.torus.n; dim++)
        if (sim->config->flit.link_latency[dim] > sim->farthest)
            sim->farthest = sim->config->flit.link_latency[dim];
    for (uint32_t c = 0; sim->farthest > 1 && c < sim->nodes * sim->shape.torus.n; c++) {
        uint32_t latency = latency_of(sim, c);
        if (latency == 1 || sim->channel[c].node[0] == UINT32_MAX)
            continue;
        struct net_flit_wire *wire = sim->channel[c].wire = calloc(2, sizeof *wire);
        for (unsigned end = 0; wire && end < 2; end++) {
            net_flit_tells(sim, sim->channel[c].node[end], 2 * (c % sim->shape.torus.n) + end);
            struct net_flit_input *seen = calloc(sim->vcs, sizeof *seen);
            sim->channel[c].seen[end] = seen;
            wire[end].word = calloc(latency, sizeof *wire[end].word);
            wire[end].header = calloc(latency, sizeof *wire[end].header);
            wire[end].left = calloc(latency, sizeof *wire[end].left);
            if (!seen || !wire[end].word || !wire[end].header || !wire[end].left)
                return false;
            for (unsigned vc = 0; vc < sim->vcs; vc++) {
                seen[vc].b = net_flit_empty;
                seen[vc].b.number = 2 * sim->nodes * sim->places + (2 * c + end) * sim->vcs + vc;
            }
        }
        if (!wire)
            return false;
    }
    return true;
}

void net_wire_free(struct net_sim *sim)
{
    for (uint32_t c = 0; sim->channel && c < sim->nodes * sim->shape.torus.n; c++) {
        struct net_flit_wire *wire = sim->channel[c].wire;
        for (unsigned end = 0; wire && end < 2; end++) {
            free(sim->channel[c].seen[end]);
            free(wire[end].word);
            free(wire[end].header);
            free(wire[end].left);
        }
        free(wire);
    }
}

bool net_wire_may_send(const struct net_sim *sim, uint32_t channel, unsigned end)
{
    const struct net_flit_wire *other = &sim->channel[channel].wire[!end];
    return sim->config->flit.full || !other->sent ||
           sim->now + 1 >= other->sent + latency_of(sim, channel);
}

void net_wire_send(struct net_sim *sim, uint32_t channel, unsigned end, unsigned vc,
                   uint32_t packet)
{
    struct net_flit_wire *wire = &sim->channel[channel].wire[end];
    struct net_flit_buffer *seen = &sim->channel[channel].seen[end][vc].b;
    if (packet != NET_FLIT_NO_PACKET)
        net_flit_add(&sim->depth, seen, packet, net_flit_packet(sim, packet)->length);
    net_flit_come(seen, net_flit_newest(seen), 1);
    wire->word[sim->now % latency_of(sim, channel)] = (uint8_t)(vc + 1);
    wire->header[sim->now % latency_of(sim, channel)] = packet;
    wire->sent = sim->now + 1;
    wire->away++;
}

int net_wire_due(struct net_sim *sim, uint32_t channel, unsigned end, uint32_t *packet)
{
    struct net_flit_wire *wire = &sim->channel[channel].wire[end];
    uint32_t at = (sim->now + 1) % latency_of(sim, channel);
    int vc = wire->word[at] - 1;
    wire->word[at] = 0;
    *packet = wire->header[at];
    return vc;
}

void net_wire_left(struct net_sim *sim, uint32_t node, unsigned place)
{
    unsigned port = place / sim->vcs;
    uint32_t channel = sim->link[node * sim->ports + port];
    struct net_flit_wire *wire = sim->channel[channel].wire;
    if (wire)
        wire[!(port & 1)].left[sim->now % latency_of(sim, channel)] |=
            (uint16_t)(1u << place % sim->vcs);
}

static void learn(struct net_sim *sim, uint32_t channel, unsigned end)
{
    struct net_flit_wire *wire = &sim->channel[channel].wire[end];
    uint16_t *left = &wire->left[(sim->now + 1) % latency_of(sim, channel)];
    for (unsigned rest = *left; rest; rest &= rest - 1) {
        net_flit_take(&sim->depth, &sim->channel[channel].seen[end][__builtin_ctz(rest)].b);
        wire->away--;
    }
    *left = 0;
}

void net_wire_learn(struct net_sim *part)
{
    uint32_t n = part->shape.torus.n;
    if (part->farthest == 1)
        return;
    NET_FLIT_EACH(c, part->channels, part->first * n, part->past * n)
    {
        const struct net_flit_channel *ch = &part->channel[c];
        for (unsigned end = 0; ch->wire && end < 2; end++)
            if (net_flit_is_here(part, ch->node[end]))
                learn(part, c, end);
    }
    for (uint32_t i = 0; i < part->comings; i++)
        if (part->channel[part->coming[i]].wire)
            learn(part, part->coming[i], 1);
}

struct net_wire_count net_wire_count(const struct net_sim *sim, uint32_t channel, unsigned end,
                                     unsigned vc)
{
    const struct net_flit_wire *wire = sim->channel[channel].wire;
    struct net_wire_count count = {0};
    if (!wire)
        return count;
    for (uint32_t i = 0; i < latency_of(sim, channel); i++) {
        count.words += wire[end].word[i] == vc + 1;
        count.left += wire[end].left[i] >> vc & 1;
    }
    return count;
}
