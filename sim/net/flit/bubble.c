// SPDX-License-Identifier: Apache-2.0
#include "flit/bubble.h"

#include <stdlib.h>
#include <string.h>

#include "config/random.h"
#include "route/relation.h"

struct net_bubble_source {
    uint8_t ways; // of its injection buffer's packet
    uint8_t way;  // the one that it has now
    bool for_good;
};

struct net_bubble {
    struct net_config config; // with the slots that there are
    struct net_paths paths;
    struct ofr_way *way; // [node][max_ways]
    uint32_t max_ways;
    struct net_bubble_source *source; // [node]
};

bool net_bubble_open(struct net_sim *sim)
{
    struct net_bubble *b = sim->bubble = calloc(1, sizeof *b);
    if (!b)
        return false;
    b->config = *sim->config;
    b->config.slots = net_flit_slots(sim->config);
    net_paths_init(&b->paths, &b->config);
    b->max_ways = net_paths_most(&b->paths);
    b->way = calloc((size_t)sim->nodes * b->max_ways, sizeof *b->way);
    b->source = calloc(sim->nodes, sizeof *b->source);
    return b->way && b->source;
}

void net_bubble_free(struct net_sim *sim)
{
    if (!sim->bubble)
        return;
    free(sim->bubble->way);
    free(sim->bubble->source);
    free(sim->bubble);
}

// Slots in use of a virtual channel.
static unsigned used(const struct net_sim *sim, uint32_t node, unsigned port, unsigned vc)
{
    const struct net_flit_channel *ch = &sim->channel[sim->link[node * sim->ports + port]];
    return net_flit_headers(&ch->out[port & 1][vc].b) + net_flit_headers(&ch->seen[port & 1][vc].b);
}

// RDR's ports at this hop.
static uint32_t drawn(const struct net_sim *sim, const struct net_flit_packet *p, uint32_t mu)
{
    uint64_t random =
        net_random(sim->config->seed, DRAW_RDR, (uint64_t)p->src << 32 | p->message, p->hops);
    return net_one_dimension(mu, sim->shape.torus.n, (uint32_t)random);
}

static void set_candidates(struct net_sim *sim, uint32_t node, unsigned place,
                           const struct net_flit_packet *p)
{
    struct net_flit_input *in = &sim->input[(size_t)node * sim->places + place];
    uint32_t mu = net_leg_mu(p->leg);
    in->count = 0;
    if (!mu) {
        in->out[in->count++] = (uint8_t)(sim->places - 1);
        return;
    }
    bool local = place == sim->places - 1;
    struct net_in by = {local ? NET_GENERATOR : (uint8_t)(place / sim->vcs),
                        (uint8_t)(place % sim->vcs)};
    struct net_candidate out[NET_MAX_CANDIDATES];
    unsigned count =
        net_candidates(sim->config->routing, by, (struct net_head){(uint16_t)mu, p->to_idn}, out);
    uint32_t ports = sim->config->routing == NET_RDR ? drawn(sim, p, mu) : mu;
    for (unsigned i = 0; i < count; i++)
        if (out[i].vc != NET_ADAPTIVE || ports >> out[i].port & 1)
            in->out[in->count++] = (uint8_t)((out[i].port * sim->vcs + out[i].vc) |
                                             (out[i].need == NET_NEED_ENTERS ? NET_FLIT_WAITS : 0) |
                                             (local ? NET_FLIT_ENTERS : 0));
}

void net_bubble_put(struct net_sim *sim, uint32_t node, struct net_flit_packet *p)
{
    struct net_bubble *b = sim->bubble;
    struct ofr_way all[OFR_MAX_WAYS];
    b->source[node] = (struct net_bubble_source){.ways = 1};
    if (p->src == p->dst)
        return;
    const struct ofr_coord *s = &sim->coord[node], *t = &sim->coord[p->dst];
    unsigned count = net_ways(&b->paths, s, t, true, all);
    memcpy(&b->way[(size_t)node * b->max_ways], all, count * sizeof *all);
    b->source[node].ways = (uint8_t)count;
    p->leg = net_pack_leg(net_first_leg(&b->paths, s, t, all, 0));
}

void net_bubble_begin(struct net_sim *sim, uint32_t node, unsigned place, struct net_flit_packet *p)
{
    if (!net_leg_mu(p->leg) && p->to_idn) {
        p->to_idn = false;
        p->leg =
            net_pack_leg(net_leg(&sim->bubble->paths, &sim->coord[node], &sim->coord[p->dst], 0));
    }
    set_candidates(sim, node, place, p);
}

void net_bubble_connected(struct net_sim *sim, uint32_t node, unsigned place, unsigned to,
                          struct net_flit_packet *p)
{
    if (to == sim->places - 1)
        return;
    p->leg = net_leg_hop(p->leg, to / sim->vcs);
    sim->derouted += place == sim->places - 1 && sim->bubble->source[node].way;
}

void net_bubble_decide(struct net_sim *sim, uint32_t node)
{
    const struct net_bubble *b = sim->bubble;
    struct net_bubble_source *source = &b->source[node];
    unsigned place = sim->places - 1;
    const struct net_flit_input *in = &sim->input[(size_t)node * sim->places + place];
    if (source->ways < 2 || source->for_good || !(sim->node[node].wait >> place & 1) ||
        in->ready[0] > sim->now)
        return;
    uint8_t seen[OFR_MAX_PORTS] = {0};
    struct ofr_load load = {seen, 0, net_load_slots(&b->config)};
    for (unsigned port = 0; port < sim->ports; port++) {
        if (sim->link[node * sim->ports + port] == UINT32_MAX)
            continue;
        load.ports |= 1u << port;
        unsigned escapes = 0;
        if (b->config.count_all)
            escapes = used(sim, node, port, NET_VS1) + used(sim, node, port, NET_VS2);
        seen[port] = (uint8_t)net_seen(&b->config, used(sim, node, port, NET_ADAPTIVE), escapes);
    }
    const struct ofr_way *ways = &b->way[(size_t)node * b->max_ways];
    source->way = (uint8_t)net_choose(&b->paths, &load, ways, source->ways, 0);
    source->for_good = b->config.once;
    const struct ofr_way *way = &ways[source->way];
    struct net_flit_packet *p = net_flit_packet(sim, in->b.packet[0]);
    p->to_idn = way->kind == OFR_OIDN || way->kind == OFR_WIDN;
    p->leg = net_pack_leg(net_first_leg(&b->paths, &sim->coord[node], &sim->coord[p->dst], way, 0));
    set_candidates(sim, node, place, p);
}

bool net_bubble_is_free(const struct net_sim *sim, uint32_t node, unsigned candidate)
{
    unsigned place = candidate & NET_FLIT_PLACE, port = place / sim->vcs, vc = place % sim->vcs;
    const struct net_config *c = &sim->bubble->config;
    if (!net_flit_accepts(&sim->depth, &sim->output[(size_t)node * sim->places + place].b))
        return false;
    unsigned reserve = vc == NET_ADAPTIVE ? c->throttle : c->escape_throttle;
    enum net_need need = candidate & NET_FLIT_WAITS ? NET_NEED_ENTERS
                         : vc == NET_ADAPTIVE       ? NET_NEED_SLOT
                                                    : NET_NEED_GOES_ON;
    return net_need_met(need, ofr_credit_free(used(sim, node, port, vc), c->slots),
                        candidate & NET_FLIT_ENTERS ? reserve : 0);
}

int net_bubble_pick(const struct net_sim *sim, uint32_t node, const struct net_flit_input *in)
{
    unsigned least = sim->bubble->config.slots + 1;
    int best = -1;
    for (unsigned i = 0; i < in->count; i++) {
        unsigned to = in->out[i] & NET_FLIT_PLACE;
        if (!net_flit_is_free(sim, node, in->out[i]))
            continue;
        if (to == sim->places - 1 || to % sim->vcs != NET_ADAPTIVE)
            return best < 0 ? (int)to : best; // the last one
        unsigned now = used(sim, node, to / sim->vcs, NET_ADAPTIVE);
        if (now < least) {
            least = now;
            best = (int)to;
        }
    }
    return best;
}
