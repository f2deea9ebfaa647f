// SPDX-License-Identifier: Apache-2.0
#include "traffic/traffic.h"

#include <stdlib.h>
#include <string.h>

#include "config/random.h"

static const char *const names[NET_PATTERNS] = {
    "uniform", "butterfly", "transposition", "transposition3d", "bitreverse", "complement",
    "tornado", "neighbour", "shuffle",       "permutation",     "hotspot",
};

const char *net_pattern_name(enum net_pattern pattern)
{
    return pattern < NET_PATTERNS ? names[pattern] : NULL;
}

int net_pattern_parse(const char *name)
{
    for (int i = 0; i < NET_PATTERNS; i++)
        if (!strcmp(name, names[i]))
            return i;
    return -1;
}

static uint32_t root_of(uint32_t nodes)
{
    uint32_t r = 1;
    while ((uint64_t)r * r < nodes)
        r++;
    return r;
}

const char *net_traffic_check(const struct net_traffic_config *config,
                              const struct ofr_torus *torus)
{
    uint32_t nodes = ofr_nodes(torus), root = root_of(nodes);
    switch (config->pattern) {
    case NET_BUTTERFLY:
    case NET_BITREVERSE:
    case NET_COMPLEMENT:
    case NET_SHUFFLE:
        return nodes < 2 || nodes & (nodes - 1) ? "the number of nodes must be a power of 2" : NULL;
    case NET_TRANSPOSITION:
        return root * root != nodes ? "the number of nodes must be a square" : NULL;
    case NET_TRANSPOSITION3D:
        return torus->n != 3 || torus->k[0] != torus->k[1] || torus->k[1] != torus->k[2]
                   ? "there must be three dimensions of equal size"
                   : NULL;
    case NET_HOTSPOT:
        if (config->hotspots == 0)
            return "there must be a list of hot spots";
        for (uint32_t i = 0; i < config->hotspots; i++)
            if (config->hotspot[i] >= nodes)
                return "a hot spot is not a node of the torus";
        return config->weight >= 0 && config->weight <= 1 ? NULL
                                                          : "the hot spots' weight must be 0 to 1";
    default:
        return NULL;
    }
}

bool net_traffic_init(struct net_traffic *traffic, const struct net_traffic_config *config,
                      const struct ofr_torus *torus, uint64_t seed)
{
    uint32_t nodes = ofr_nodes(torus);
    *traffic = (struct net_traffic){
        .config = *config, .torus = *torus, .seed = seed, .nodes = nodes, .root = root_of(nodes)};
    while ((uint32_t)1 << traffic->bits < nodes)
        traffic->bits++;
    if (config->pattern != NET_PERMUTATION)
        return true;
    traffic->permutation = calloc(nodes, sizeof *traffic->permutation);
    if (!traffic->permutation)
        return false;
    for (uint32_t i = 0; i < nodes; i++) { // Fisher and Yates
        uint32_t j = net_below(net_random(seed, DRAW_PERMUTATION, i, 0), i + 1);
        traffic->permutation[i] = traffic->permutation[j];
        traffic->permutation[j] = i;
    }
    return true;
}

void net_traffic_free(struct net_traffic *traffic)
{
    free(traffic->permutation);
    traffic->permutation = NULL;
}

// The node `step(k)` on in the + direction of every dimension.
static uint32_t shifted(const struct net_traffic *traffic, uint32_t node, bool tornado)
{
    struct ofr_coord c = ofr_node_coord(&traffic->torus, node);
    for (unsigned i = 0; i < traffic->torus.n; i++) {
        unsigned k = traffic->torus.k[i];
        unsigned step = tornado ? (k + 1) / 2 - 1 : 1;
        c.c[i] = (uint8_t)((c.c[i] + step) % k);
    }
    return ofr_node_id(&traffic->torus, &c);
}

uint32_t net_destination(const struct net_traffic *traffic, uint32_t node, uint32_t message)
{
    uint32_t bits = traffic->bits, to = 0;
    uint64_t draw;
    switch (traffic->config.pattern) {
    case NET_BUTTERFLY:
        return node ^ (uint32_t)1 << message % bits;
    case NET_TRANSPOSITION:
        return node / traffic->root + node % traffic->root * traffic->root;
    case NET_TRANSPOSITION3D: {
        struct ofr_coord c = ofr_node_coord(&traffic->torus, node);
        return ofr_node_id(&traffic->torus, &(struct ofr_coord){{c.c[1], c.c[2], c.c[0]}});
    }
    case NET_BITREVERSE:
        for (uint32_t i = 0; i < bits; i++)
            to |= (node >> i & 1) << (bits - 1 - i);
        return to;
    case NET_COMPLEMENT:
        return traffic->nodes - 1 - node;
    case NET_TORNADO:
        return shifted(traffic, node, true);
    case NET_NEIGHBOUR:
        return shifted(traffic, node, false);
    case NET_SHUFFLE:
        return (node << 1 | node >> (bits - 1)) & (traffic->nodes - 1);
    case NET_PERMUTATION:
        return traffic->permutation[node];
    case NET_HOTSPOT:
        draw = net_random(traffic->seed, DRAW_HOTSPOT, node, message);
        if ((double)(draw >> 11) * 0x1p-53 < traffic->config.weight) {
            draw = net_random(traffic->seed, DRAW_HOTSPOT, node, (uint64_t)1 << 32 | message);
            return traffic->config.hotspot[net_below(draw, traffic->config.hotspots)];
        }
        break;
    default:
        break;
    }
    return net_below(net_random(traffic->seed, DRAW_DESTINATION, node, message), traffic->nodes);
}
