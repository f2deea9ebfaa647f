// SPDX-License-Identifier: Apache-2.0
#include "traffic/traffic.h"

#include <stdlib.h>
#include <string.h>

#include "config/random.h"
#include "ofr_regs.h"
#include "pattern.h"

// Number of a pattern in libofr, which has those up to NET_NEIGHBOUR.
static unsigned libofrs(enum net_pattern pattern)
{
    static const unsigned char number[NET_PATTERNS] = {
        [NET_BUTTERFLY] = OFR_GEN_CONTROL_PATTERN_BUTTERFLY,
        [NET_TRANSPOSITION] = OFR_GEN_CONTROL_PATTERN_TRANSPOSE,
        [NET_TRANSPOSITION3D] = OFR_GEN_CONTROL_PATTERN_ROTATE3D,
        [NET_BITREVERSE] = OFR_GEN_CONTROL_PATTERN_BITREVERSE,
        [NET_COMPLEMENT] = OFR_GEN_CONTROL_PATTERN_COMPLEMENT,
        [NET_TORNADO] = OFR_GEN_CONTROL_PATTERN_TORNADO,
        [NET_NEIGHBOUR] = OFR_GEN_CONTROL_PATTERN_NEIGHBOUR,
    };
    return number[pattern];
}

const char *net_pattern_name(enum net_pattern pattern)
{
    static const char *const own[NET_PATTERNS] = {
        [NET_DIAGONAL] = "diagonal",
        [NET_TRANSPOSITION_ID] = "transposition-id",
        [NET_SHUFFLE] = "shuffle",
        [NET_PERMUTATION] = "permutation",
        [NET_HOTSPOT] = "hotspot",
        [NET_TORNADO_ID] = "tornado-id",
        [NET_NEIGHBOUR_ID] = "neighbour-id",
        [NET_BITREVERSE_COORD] = "bitreverse-coord",
        [NET_SHUFFLE_COORD] = "shuffle-coord",
        [NET_ADVERSARIAL] = "adv",
    };
    if (pattern <= NET_NEIGHBOUR)
        return ofr_pattern_name(libofrs(pattern));
    return pattern < NET_PATTERNS ? own[pattern] : NULL;
}

int net_pattern_parse(const char *name)
{
    int number = ofr_pattern_named(name);
    for (int i = 0; i < NET_PATTERNS; i++)
        if (i <= NET_NEIGHBOUR ? (int)libofrs((enum net_pattern)i) == number
                               : !strcmp(name, net_pattern_name((enum net_pattern)i)))
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
    case NET_SHUFFLE:
        return nodes < 2 || nodes & (nodes - 1)
                   ? "it needs a number of nodes that is a power of two"
                   : NULL;
    case NET_BITREVERSE_COORD:
    case NET_SHUFFLE_COORD:
        for (unsigned i = 0; i < torus->n; i++)
            if (torus->k[i] & (torus->k[i] - 1))
                return "it needs sizes that are powers of two";
        return NULL;
    case NET_TRANSPOSITION_ID:
        return root * root != nodes ? "it needs a number of nodes that is a square" : NULL;
    case NET_ADVERSARIAL:
        return "it needs a Dragonfly";
    case NET_HOTSPOT:
        if (config->hotspots == 0)
            return "it needs a list of hot spots";
        for (uint32_t i = 0; i < config->hotspots; i++)
            if (config->hotspot[i] >= nodes)
                return "a hot spot is not a node of the torus";
        return config->weight >= 0 && config->weight <= 1 ? NULL
                                                          : "the hot spots' weight must be 0 to 1";
    default:
        return ofr_pattern_missing(torus, libofrs(config->pattern));
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

// A coordinate of `size` values, a power of two, with its bits reversed or rotated left by one.
static uint8_t reversed(uint8_t c, unsigned size)
{
    unsigned to = 0;
    for (; size > 1; size >>= 1, c >>= 1)
        to = to << 1 | (c & 1);
    return (uint8_t)to;
}

static uint8_t rotated(uint8_t c, unsigned size)
{
    return (uint8_t)((c << 1 | (c & size >> 1) / (size > 1 ? size >> 1 : 1)) & (size - 1));
}

uint32_t net_destination(const struct net_traffic *traffic, uint32_t node, uint32_t message)
{
    uint32_t bits = traffic->bits;
    struct ofr_coord c = ofr_node_coord(&traffic->torus, node);
    uint64_t draw;
    switch (traffic->config.pattern) {
    case NET_DIAGONAL:
        for (unsigned i = 0; i < traffic->torus.n; i++)
            c.c[i] = (uint8_t)((c.c[i] + 1) % traffic->torus.k[i]);
        return ofr_node_id(&traffic->torus, &c);
    case NET_TRANSPOSITION_ID:
        return node / traffic->root + node % traffic->root * traffic->root;
    case NET_TORNADO_ID:
        return (uint32_t)((node + (uint64_t)(traffic->nodes - 1) / 2) % traffic->nodes);
    case NET_NEIGHBOUR_ID:
        return (node + 1) % traffic->nodes;
    case NET_BITREVERSE_COORD:
    case NET_SHUFFLE_COORD:
        for (unsigned i = 0; i < traffic->torus.n; i++)
            c.c[i] = (traffic->config.pattern == NET_SHUFFLE_COORD ? rotated : reversed)(
                c.c[i], traffic->torus.k[i]);
        return ofr_node_id(&traffic->torus, &c);
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
    case NET_UNIFORM:
        break;
    default:
        c = ofr_pattern_destination(&traffic->torus, libofrs(traffic->config.pattern), &c, message);
        return ofr_node_id(&traffic->torus, &c);
    }
    return net_below(net_random(traffic->seed, DRAW_DESTINATION, node, message), traffic->nodes);
}
