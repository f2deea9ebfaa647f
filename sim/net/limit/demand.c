// SPDX-License-Identifier: Apache-2.0
#include "limit/demand.h"

#include <stdlib.h>

static struct ofr_coord plus(const struct ofr_torus *torus, struct ofr_coord a, struct ofr_coord v)
{
    for (unsigned i = 0; i < torus->n; i++)
        a.c[i] = (uint8_t)((a.c[i] + v.c[i]) % torus->k[i]);
    return a;
}

static uint32_t shifted(const struct ofr_torus *torus, uint32_t node, struct ofr_coord v)
{
    struct ofr_coord to = plus(torus, ofr_node_coord(torus, node), v);
    return ofr_node_id(torus, &to);
}

// Whether messages first .. last - 1 of all nodes go on as they do when the torus is shifted.
static bool invariant(const struct net_traffic *traffic, uint32_t first, uint32_t last,
                      struct ofr_coord v)
{
    const struct ofr_torus *torus = &traffic->torus;
    for (unsigned i = 0; i < torus->n; i++)
        if (torus->k[i] <= 2 && v.c[i])
            return false;
    if (traffic->config.pattern == NET_UNIFORM)
        return true;
    if (traffic->config.pattern == NET_HOTSPOT)
        return false;
    for (uint32_t node = 0; node < traffic->nodes; node++)
        for (uint32_t m = first; m < last; m++)
            if (net_destination(traffic, shifted(torus, node, v), m) !=
                shifted(torus, net_destination(traffic, node, m), v))
                return false;
    return true;
}

// The least node that is known to be in the node's orbit.
static uint32_t least_of(uint32_t *least, uint32_t node)
{
    while (least[node] != node)
        node = least[node] = least[least[node]];
    return node;
}

// Fills in `least` and `shifts`. Such vectors are a group, and node 0's orbit names its members: so
// a vector whose node is in it needs no look, and few make the group.
static void find_orbits(struct net_demand *demand, const struct net_traffic *traffic,
                        uint32_t first, uint32_t last, bool shifts)
{
    const struct ofr_torus *torus = &traffic->torus;
    uint32_t *least = demand->least;
    for (uint32_t node = 0; node < traffic->nodes; node++)
        least[node] = node;
    for (uint32_t by = 1; shifts && by < traffic->nodes; by++) {
        struct ofr_coord v = ofr_node_coord(torus, by);
        if (!least_of(least, by) || !invariant(traffic, first, last, v))
            continue;
        for (uint32_t node = 0; node < traffic->nodes; node++) {
            uint32_t a = least_of(least, node), b = least_of(least, shifted(torus, node, v));
            least[a > b ? a : b] = a > b ? b : a;
        }
    }
    demand->shifts = 1;
    for (uint32_t node = 1; node < traffic->nodes; node++) {
        least[node] = least_of(least, node);
        demand->shifts += !least[node];
    }
}

static void add(struct net_demand *demand, uint32_t source, uint32_t destination, double share)
{
    if (source == destination || share <= 0)
        return;
    demand->flow[demand->count++] = (struct net_flow){source, destination, share};
}

static bool is_drawn(enum net_pattern pattern)
{
    return pattern == NET_UNIFORM || pattern == NET_HOTSPOT;
}

static const char too_many[] = "more than 4194304 pairs of nodes";
static const char none[] = "no packet leaves its node";

const char *net_demand_check(const struct net_traffic_config *config, const struct ofr_torus *torus,
                             uint64_t seed)
{
    struct net_traffic traffic;
    uint64_t nodes = ofr_nodes(torus);
    if (is_drawn(config->pattern) && nodes < 2)
        return none;
    if (config->pattern == NET_HOTSPOT)
        return nodes * (nodes + config->hotspots) > NET_MAX_FLOWS ? too_many : NULL;
    if (config->pattern == NET_UNIFORM)
        return NULL;
    if (!net_traffic_init(&traffic, config, torus, seed))
        return "out of memory";
    bool leaves = false;
    for (uint32_t node = 0; node < nodes; node++)
        leaves = leaves || net_destination(&traffic, node, 0) != node;
    net_traffic_free(&traffic);
    return leaves ? NULL : none;
}

const char *net_demand_init(struct net_demand *demand, const struct net_traffic_config *config,
                            const struct ofr_torus *torus, uint64_t seed, int message, bool shifts)
{
    struct net_traffic traffic;
    bool drawn = is_drawn(config->pattern);
    *demand = (struct net_demand){0};
    if (!net_traffic_init(&traffic, config, torus, seed))
        return "out of memory";
    uint32_t first = 0, last = config->pattern == NET_BUTTERFLY ? traffic.bits : 1;
    if (message != NET_DEMAND_ALL) {
        first = (uint32_t)message % last;
        last = first + 1;
    }
    demand->least = malloc(traffic.nodes * sizeof *demand->least);
    if (!demand->least) {
        net_traffic_free(&traffic);
        return "out of memory";
    }
    find_orbits(demand, &traffic, first, last, shifts);
    uint64_t per_source = drawn ? (uint64_t)traffic.nodes + config->hotspots : last - first;
    uint64_t flows = per_source * (traffic.nodes / demand->shifts);
    if (flows <= NET_MAX_FLOWS)
        demand->flow = malloc((flows + 1) * sizeof *demand->flow);
    for (uint32_t s = 0; demand->flow && s < traffic.nodes; s++) {
        if (demand->least[s] != s)
            continue;
        double spots = config->pattern == NET_HOTSPOT ? config->weight : 0;
        for (uint32_t t = 0; drawn && t < traffic.nodes; t++)
            add(demand, s, t, (1 - spots) / traffic.nodes);
        for (uint32_t h = 0; drawn && h < config->hotspots; h++)
            add(demand, s, config->hotspot[h], spots / config->hotspots);
        for (uint32_t m = first; !drawn && m < last; m++)
            add(demand, s, net_destination(&traffic, s, m), 1.0 / (last - first));
    }
    net_traffic_free(&traffic);
    const char *wrong = NULL;
    if (flows > NET_MAX_FLOWS)
        wrong = too_many;
    else if (!demand->flow)
        wrong = "out of memory";
    else if (!demand->count)
        wrong = none;
    if (wrong)
        net_demand_free(demand);
    return wrong;
}

void net_demand_free(struct net_demand *demand)
{
    free(demand->flow);
    free(demand->least);
    *demand = (struct net_demand){0};
}
