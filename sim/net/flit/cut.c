// SPDX-License-Identifier: Apache-2.0
#include "flit/cut.h"

#include <stdlib.h>
#include <string.h>

#include "flit/wire.h"

static bool may_cut(const struct net_sim *sim)
{
    return sim->parts > 1 && sim->config->flit.full && !sim->shape.wormhole && !sim->bubble &&
           sim->config->routing != NET_CHAOS && sim->farthest == 1;
}

// A part's ends, counted where there is no room for them yet.
static void find_ends(struct net_sim *part)
{
    uint32_t n = part->shape.torus.n;
    part->cuts = 0;
    for (uint32_t c = 0; c < part->nodes * n; c++)
        for (unsigned end = 0; end < 2; end++) {
            const struct net_flit_channel *ch = &part->channel[c];
            if (ch->node[0] == UINT32_MAX || !net_flit_is_here(part, ch->node[end]) ||
                net_flit_is_here(part, ch->node[!end]))
                continue;
            if (part->cut)
                part->cut[part->cuts] = (struct net_flit_cut){
                    .channel = c, .end = (uint8_t)end, .port = (uint8_t)(2 * (c % n) + end)};
            part->cuts++;
        }
}

static bool make_ends(struct net_sim *part)
{
    find_ends(part);
    size_t bytes = (part->cuts / 8 + 1) * NET_POOL_LINE;
    part->cut = calloc(part->cuts + 1, sizeof *part->cut);
    part->known = calloc((size_t)part->cuts * part->vcs + 1, sizeof *part->known);
    part->sending = calloc(part->cuts / 64 + 1, sizeof *part->sending);
    for (unsigned turn = 0; turn < 2; turn++) {
        part->mail[turn] = aligned_alloc(NET_POOL_LINE, bytes);
        if (part->mail[turn])
            memset(part->mail[turn], 0, bytes);
    }
    if (!part->cut || !part->known || !part->sending || !part->mail[0] || !part->mail[1])
        return false;
    find_ends(part);
    return true;
}

static int by_channel(const void *a, const void *b)
{
    uint32_t x = ((const struct net_flit_cut *)a)->channel;
    uint32_t y = ((const struct net_flit_cut *)b)->channel;
    return (x > y) - (x < y);
}

// The part that an end leads to, and which of its ends, in order, is the other one.
static void find_other(const struct net_sim *part, struct net_flit_cut *cut)
{
    uint32_t there = part->channel[cut->channel].node[!cut->end];
    while (!net_flit_is_here(part->part[cut->other], there))
        cut->other++;
    const struct net_sim *other = part->part[cut->other];
    const struct net_flit_cut *its = bsearch(cut, other->cut, other->cuts, sizeof *cut, by_channel);
    cut->its = (uint32_t)(its - other->cut);
}

// The end becomes a channel, in place of the link's.
static void make_channel(struct net_sim *part, uint32_t i)
{
    const struct net_flit_cut *cut = &part->cut[i];
    uint32_t number = part->first_cut + i;
    struct net_flit_channel *ch = &part->channel[number];
    *ch = part->channel[cut->channel];
    ch->seen[cut->end] = &part->known[i * part->vcs];
    for (unsigned vc = 0; vc < part->vcs; vc++) {
        struct net_flit_buffer *b = &ch->seen[cut->end][vc].b;
        *b = net_flit_empty;
        b->number = 2 * part->nodes * part->places + (2 * cut->channel + cut->end) * part->vcs + vc;
    }
    part->link[ch->node[cut->end] * part->ports + cut->port] = number;
    net_flit_tells(part, ch->node[cut->end], cut->port);
}

bool net_cut_links(struct net_sim *sim)
{
    if (!may_cut(sim))
        return true;
    uint32_t all = sim->nodes * sim->shape.torus.n;
    for (uint32_t p = 0; p < sim->parts; p++) {
        struct net_sim *part = sim->part[p];
        if (!make_ends(part))
            return false;
        part->leavings = part->comings = 0;
        part->first_cut = all;
        part->apart = false;
        all += part->cuts;
    }
    struct net_flit_channel *channel = realloc(sim->channel, all * sizeof *channel);
    if (!channel)
        return false;
    for (uint32_t p = 0; p < sim->parts; p++)
        sim->part[p]->channel = channel;
    for (uint32_t p = 0; p < sim->parts; p++)
        for (uint32_t i = 0; i < sim->part[p]->cuts; i++) {
            find_other(sim->part[p], &sim->part[p]->cut[i]);
            make_channel(sim->part[p], i);
        }
    return true;
}

void net_cut_free(struct net_sim *sim)
{
    for (uint32_t p = 0; p < sim->parts; p++) {
        free(sim->part[p]->cut);
        free(sim->part[p]->known);
        free(sim->part[p]->sending);
        free(sim->part[p]->mail[0]);
        free(sim->part[p]->mail[1]);
    }
}

void net_cut_send(struct net_sim *part, uint32_t i, unsigned vc, uint32_t packet)
{
    struct net_flit_buffer *seen = &part->known[i * part->vcs + vc].b;
    struct net_flit_mail *mail = &part->mail[part->turn & 1][i];
    if (packet != NET_FLIT_NO_PACKET)
        net_flit_add(&part->depth, seen, packet, net_flit_packet(part, packet)->length);
    net_flit_come(seen, net_flit_newest(seen), 1);
    mail->word = (uint8_t)(vc + 1);
    mail->header = packet;
}

void net_cut_learn(struct net_sim *part)
{
    for (uint32_t i = 0; i < part->cuts; i++)
        for (unsigned rest = net_cut_coming(part, i)->left; rest; rest &= rest - 1)
            net_flit_take(&part->depth,
                          &part->known[i * part->vcs + (unsigned)__builtin_ctz(rest)].b);
    memset(part->mail[part->turn & 1], 0, part->cuts * sizeof(struct net_flit_mail));
}

struct net_wire_count net_cut_count(const struct net_sim *part, uint32_t i, unsigned vc)
{
    return (struct net_wire_count){.words = part->mail[~part->turn & 1][i].word == vc + 1,
                                   .left = net_cut_coming(part, i)->left >> vc & 1};
}
