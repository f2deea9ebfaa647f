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
            struct net_flit_input *seen = calloc(sim->vcs, sizeof *seen);
            sim->channel[c].seen[end] = seen;
            wire[end].word = calloc(latency, sizeof *wire[end].word);
            wire[end].left = calloc(latency, sizeof *wire[end].left);
            if (!seen || !wire[end].word || !wire[end].left)
                return false;
            for (unsigned vc = 0; vc < sim->vcs; vc++)
                seen[vc].b = net_flit_empty;
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
        net_flit_add(seen, packet, net_flit_packet(sim, packet)->length);
    seen->in[net_flit_newest(seen)]++;
    wire->word[sim->now % latency_of(sim, channel)] = (uint8_t)(vc + 1);
    wire->sent = sim->now + 1;
    wire->away++;
}

int net_wire_due(struct net_sim *sim, uint32_t channel, unsigned end, uint32_t *packet)
{
    struct net_flit_channel *ch = &sim->channel[channel];
    uint8_t *word = &ch->wire[end].word[(sim->now + 1) % latency_of(sim, channel)];
    int vc = *word - 1;
    *word = 0;
    if (vc < 0)
        return vc;
    // It is of the packet that came last, until the tail of that is in; a header is of the one that
    // went last, as none goes before a word of that one has left the buffer.
    const struct net_flit_buffer *in = &ch->in[end][vc].b, *seen = &ch->seen[end][vc].b;
    unsigned newest = net_flit_newest(in);
    bool goes_on = in->packet[0] != NET_FLIT_NO_PACKET && in->in[newest] < in->length[newest];
    *packet = goes_on ? NET_FLIT_NO_PACKET : seen->packet[net_flit_newest(seen)];
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
        net_flit_take(&sim->channel[channel].seen[end][__builtin_ctz(rest)].b);
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
    const struct net_flit_buffer *seen = &sim->channel[channel].seen[end][vc].b;
    unsigned of_newest = seen->in[net_flit_newest(seen)];
    count.newest = count.words < of_newest ? count.words : of_newest;
    return count;
}
