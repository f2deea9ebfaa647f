// SPDX-License-Identifier: Apache-2.0
// Routings: presets, the tables they stand for, and what boards are sent of a table.
#include <stdio.h>
#include <string.h>

#include "../../sim/model/decide.h"
#include "tables.h"

static const char *const routing_names[] = {
    [TORUS_ABR] = "abr", [TORUS_POR] = "por", [TORUS_OFR] = "ofr",
    [TORUS_DOR] = "dor", [TORUS_RDR] = "rdr", [TORUS_CUSTOM] = "custom",
};

enum { ROUTINGS = sizeof routing_names / sizeof *routing_names };

API const char *torus_routing_name(enum torus_routing routing)
{
    return (unsigned)routing < ROUTINGS ? routing_names[routing] : NULL;
}

API int torus_routing_named(const char *name)
{
    for (int i = 1; i < ROUTINGS; i++)
        if (routing_names[i] && !strcmp(name, routing_names[i]))
            return i;
    return 0;
}

API struct torus_preset torus_preset_default(enum torus_routing routing)
{
    return (struct torus_preset){
        .routing = routing, .tie_both = true, .threshold = 255, .delta = 2};
}

API int torus_preset_table(const struct torus_preset *p, unsigned dims, struct torus_table *out)
{
    bool por = p->routing == TORUS_POR, ofr = p->routing == TORUS_OFR;
    if (p->routing < TORUS_ABR || p->routing > TORUS_RDR || dims < 2 || dims > 3)
        return TORUS_E_USAGE;
    *out = (struct torus_table){
        .dims = (uint8_t)dims,
        .traffic = por || ofr                ? TORUS_DEROUTE
                   : p->routing == TORUS_DOR ? TORUS_INORDER
                                             : TORUS_MINIMAL,
        .select = p->routing == TORUS_RDR ? TORUS_SELECT_RDR : TORUS_MOST_FREE,
        .tie_both = p->tie_both,
        .threshold = p->threshold,
        .delta = p->delta,
        .eta = por ? 16 : 32, // POR 1, OFR 2 (paper, sec. 4)
        .rule_a = true,
        .rule_b = true,
        .oidn = !por,
        .widn = por || ofr ? (uint8_t)((1u << (1u << dims)) - 2) : 0,
    };
    struct ofr_table table;
    ofr_table_reset(&table, dims);
    for (unsigned set = 0; set < 1u << dims; set++)
        for (unsigned j = 0; j < OFR_TABLE_INDEXES; j++)
            if (table.valid[set] >> j & 1)
                memcpy(out->lambda[set][out->count[set]++], table.lambda[set][j], 3);
    return TORUS_OK;
}

API int torus_table_check(const struct torus_table *p, char text[120])
{
    const char *wrong = NULL;
    *text = 0;
    if (p->dims < 2 || p->dims > 3)
        wrong = "dimensions: 2 or 3";
    else if ((unsigned)p->traffic > TORUS_DEROUTE)
        wrong = "class: inorder, minimal or deroute";
    else if ((unsigned)p->select > TORUS_SELECT_RDR)
        wrong = "select: 0 to 3";
    else if (p->threshold > 15 && p->threshold != 255)
        wrong = "threshold: 0 to 15 slots";
    else if (p->delta > 8)
        wrong = "Delta: 0 to 8 hops";
    else if (p->widn & 1 || p->widn >> (1u << p->dims))
        wrong = "widn: beta from 1 to 2^dimensions - 1";
    for (unsigned set = 0; !wrong && set < 1u << p->dims; set++) {
        if (p->count[set] > TORUS_VECTORS)
            wrong = "more than 8 lambda vectors in a set";
        for (unsigned j = 0; !wrong && j < p->count[set]; j++)
            for (unsigned i = 0; i < p->dims; i++)
                if (p->lambda[set][j][i] < -1 || p->lambda[set][j][i] > 1) {
                    snprintf(text, 120, "set %u, vector %u: unknown lambda %d: -1, 0 or 1", set, j,
                             p->lambda[set][j][i]);
                    return TORUS_E_USAGE;
                }
    }
    if (wrong)
        snprintf(text, 120, "%s", wrong);
    return wrong || !destinations_check(p, text) ? TORUS_E_USAGE : TORUS_OK;
}

// The 16 bits that boards keep beside the generation: routing 2:0, then tie 3, threshold 7:4, Delta
// 10:8, or of a custom table its class 4:3 and a hash 15:5.
uint32_t describe(const struct torus_preset *p)
{
    return (uint32_t)p->routing | (uint32_t)p->tie_both << 3 | (uint32_t)(p->threshold & 15) << 4 |
           (uint32_t)(p->delta & 7) << 8;
}

struct torus_preset described(uint32_t word)
{
    return (struct torus_preset){.routing = (enum torus_routing)(word & 7),
                                 .tie_both = word >> 3 & 1,
                                 .threshold = word >> 4 & 15,
                                 .delta = word >> 8 & 7};
}

enum torus_traffic described_traffic(uint32_t word)
{
    struct torus_preset p = described(word);
    struct torus_table table;
    if (p.routing == TORUS_CUSTOM)
        return (enum torus_traffic)(word >> 3 & 3);
    return torus_preset_table(&p, 2, &table) == TORUS_OK ? table.traffic : TORUS_MINIMAL;
}

unsigned table_bytes(const struct torus_table *table, uint8_t out[64])
{
    unsigned sets = 1u << table->dims;
    memset(out, 0, 64);
    for (unsigned set = 0; set < sets; set++)
        for (unsigned j = 0; j < table->count[set]; j++) {
            unsigned byte = OFR_OFR_DATA_VALID_MASK;
            for (unsigned i = 0; i < table->dims; i++)
                byte |= ((unsigned)table->lambda[set][j][i] & 3) << 2 * i;
            out[set * TORUS_VECTORS + j] = (uint8_t)byte;
        }
    return sets * TORUS_VECTORS;
}

uint32_t table_parameters(const struct torus_table *p)
{
    return (uint32_t)p->delta << OFR_OFR_PARAM_DELTA_LSB |
           (uint32_t)p->eta << OFR_OFR_PARAM_ETA_LSB |
           (uint32_t)p->rule_a << OFR_OFR_PARAM_RULE_A_LSB |
           (uint32_t)p->rule_b << OFR_OFR_PARAM_RULE_B_LSB |
           (uint32_t)p->oidn << OFR_OFR_PARAM_OIDN_LSB | (uint32_t)p->widn << 16 |
           (uint32_t)p->select << 24 | (uint32_t)p->threshold << 26;
}

uint32_t describe_table(const struct torus_table *table)
{
    uint8_t bytes[64];
    unsigned count = table_bytes(table, bytes);
    uint32_t word = table_parameters(table), crc = 0xffffffff;
    for (unsigned i = 0; i < count; i++)
        crc = ofr_crc32_byte(crc, bytes[i]);
    for (unsigned i = 0; i < 4; i++)
        crc = ofr_crc32_byte(crc, (uint8_t)(word >> 8 * i));
    crc = ofr_crc32_byte(crc, table->tie_both);
    for (unsigned i = 0; i < table->destination_count; i++) {
        const struct torus_destination *d = &table->destinations[i];
        uint32_t words[3] = {(uint32_t)d->from_all << 12 | pack_at(d->from), pack_at(d->to),
                             (uint32_t)d->mode << 12 | pack_at(d->via)};
        for (unsigned j = 0; j < 6; j++)
            crc = ofr_crc32_byte(crc, (uint8_t)(words[j / 2] >> 8 * (j % 2)));
    }
    return (uint32_t)TORUS_CUSTOM | (uint32_t)table->traffic << 3 | (~crc & 0x7ff) << 5;
}
