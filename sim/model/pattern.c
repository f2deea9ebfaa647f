// SPDX-License-Identifier: Apache-2.0
#include "pattern.h"

#include "ofr_regs.h"

#include <stddef.h>
#include <string.h>

const char *ofr_pattern_name(unsigned pattern)
{
    static const char *const names[] = {
        [OFR_GEN_CONTROL_PATTERN_UNIFORM] = "uniform",
        [OFR_GEN_CONTROL_PATTERN_BUTTERFLY] = "butterfly",
        [OFR_GEN_CONTROL_PATTERN_TRANSPOSE] = "transposition",
        [OFR_GEN_CONTROL_PATTERN_BITREVERSE] = "bitreverse",
        [OFR_GEN_CONTROL_PATTERN_ROTATE3D] = "transposition3d",
        [OFR_GEN_CONTROL_PATTERN_COMPLEMENT] = "complement",
        [OFR_GEN_CONTROL_PATTERN_TORNADO] = "tornado",
        [OFR_GEN_CONTROL_PATTERN_NEIGHBOUR] = "neighbour",
        [OFR_GEN_CONTROL_PATTERN_FIXED] = "fixed",
    };
    return pattern < sizeof names / sizeof *names ? names[pattern] : NULL;
}

int ofr_pattern_named(const char *name)
{
    static const struct {
        const char *name;
        int pattern;
    } others[] = {
        {"transpose", OFR_GEN_CONTROL_PATTERN_TRANSPOSE},
        {"rotate3d", OFR_GEN_CONTROL_PATTERN_ROTATE3D},
        {"bit-reverse", OFR_GEN_CONTROL_PATTERN_BITREVERSE},
        {"neighbor", OFR_GEN_CONTROL_PATTERN_NEIGHBOUR},
    };
    for (unsigned i = 0; ofr_pattern_name(i); i++)
        if (!strcmp(name, ofr_pattern_name(i)))
            return (int)i;
    for (unsigned i = 0; i < sizeof others / sizeof *others; i++)
        if (!strcmp(name, others[i].name))
            return others[i].pattern;
    return -1;
}

// All sizes are powers of two.
static bool powers(const struct ofr_torus *torus)
{
    for (unsigned i = 0; i < torus->n; i++)
        if (torus->k[i] & (torus->k[i] - 1))
            return false;
    return true;
}

// Bits of a node number, where all sizes are powers of two.
static unsigned id_bits(const struct ofr_torus *torus)
{
    unsigned bits = 0;
    while (ofr_nodes(torus) >> bits > 1)
        bits++;
    return bits;
}

// Dimensions from the third on are absent.
static bool flat(const struct ofr_torus *torus)
{
    for (unsigned i = 2; i < torus->n; i++)
        if (torus->k[i] != 1)
            return false;
    return torus->n >= 2;
}

const char *ofr_pattern_missing(const struct ofr_torus *t, unsigned pattern)
{
    static const char not_powers[] = "it needs sizes that are powers of two";
    switch (pattern) {
    case OFR_GEN_CONTROL_PATTERN_BUTTERFLY:
        if (!powers(t))
            return not_powers;
        return id_bits(t) ? NULL : "it needs more than one node";
    case OFR_GEN_CONTROL_PATTERN_BITREVERSE:
        return powers(t) ? NULL : not_powers;
    case OFR_GEN_CONTROL_PATTERN_TRANSPOSE:
        if (flat(t))
            return t->k[0] == t->k[1] ? NULL : "it needs two equal sizes";
        if (!powers(t))
            return not_powers;
        return id_bits(t) % 2 ? "it needs a number of nodes that is a power of four" : NULL;
    case OFR_GEN_CONTROL_PATTERN_ROTATE3D:
        return t->n == 3 && t->k[0] == t->k[1] && t->k[1] == t->k[2] ? NULL : "it needs a cube";
    default:
        return NULL;
    }
}

struct ofr_coord ofr_pattern_destination(const struct ofr_torus *t, unsigned pattern,
                                         const struct ofr_coord *s, uint32_t m)
{
    struct ofr_coord d = *s;
    uint32_t id, to = 0;
    unsigned bits;
    switch (pattern) {
    case OFR_GEN_CONTROL_PATTERN_BUTTERFLY:
        bits = id_bits(t);
        return bits ? ofr_node_coord(t, ofr_node_id(t, s) ^ UINT32_C(1) << m % bits) : d;
    case OFR_GEN_CONTROL_PATTERN_TRANSPOSE:
        if (!flat(t)) { // the halves of the node number's bits change places
            bits = id_bits(t) / 2;
            id = ofr_node_id(t, s);
            return ofr_node_coord(t, id >> bits | (id & ((UINT32_C(1) << bits) - 1)) << bits);
        }
        d.c[0] = s->c[1];
        d.c[1] = s->c[0];
        return d;
    case OFR_GEN_CONTROL_PATTERN_BITREVERSE:
        id = ofr_node_id(t, s);
        for (unsigned i = 0; i < id_bits(t); i++)
            to = to << 1 | (id >> i & 1);
        return ofr_node_coord(t, to);
    case OFR_GEN_CONTROL_PATTERN_ROTATE3D:
        d.c[0] = s->c[1];
        d.c[1] = s->c[2];
        d.c[2] = s->c[0];
        return d;
    case OFR_GEN_CONTROL_PATTERN_COMPLEMENT:
        for (unsigned i = 0; i < t->n; i++)
            d.c[i] = (uint8_t)(t->k[i] - 1 - s->c[i]);
        return d;
    case OFR_GEN_CONTROL_PATTERN_TORNADO: // ceil(k/2) - 1 = floor((k - 1) / 2)
        for (unsigned i = 0; i < t->n; i++)
            d.c[i] = (uint8_t)((s->c[i] + (t->k[i] - 1) / 2) % t->k[i]);
        return d;
    case OFR_GEN_CONTROL_PATTERN_NEIGHBOUR:
        return ofr_neighbour(t, d, ofr_port(0, false));
    default:
        return d;
    }
}
