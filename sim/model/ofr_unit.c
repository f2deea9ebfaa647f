// SPDX-License-Identifier: Apache-2.0
#include "ofr_unit.h"

#include "ofr_regs.h"

enum {
    DATA_BITS = 0x7f, // X, Y, Z, VALID
    PARAM_BITS = 0x7fff,
    BLOCK = OFR_OFR_PARAM & 0xf00,
};

static uint32_t crc_byte(uint32_t crc, uint8_t byte)
{
    crc ^= byte;
    for (int i = 0; i < 8; i++)
        crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    return crc;
}

uint32_t ofr_table_crc(const uint8_t *data, unsigned bytes)
{
    uint32_t crc = ~0u;
    for (unsigned i = 0; i < bytes; i++)
        crc = crc_byte(crc, data[i] & DATA_BITS);
    return ~crc;
}

static unsigned field(uint32_t value, unsigned lsb, unsigned bits)
{
    return value >> lsb & ((1u << bits) - 1);
}

static void activate(struct ofr_unit *unit, const uint8_t *bank)
{
    struct ofr_table *t = &unit->active;
    for (unsigned set = 0; set < 8; set++) {
        t->valid[set] = 0;
        for (unsigned j = 0; j < OFR_TABLE_INDEXES; j++) {
            uint8_t entry = bank[8 * set + j];
            t->valid[set] |= (uint8_t)(field(entry, OFR_OFR_DATA_VALID_LSB, 1) << j);
            for (unsigned i = 0; i < unit->n; i++) {
                unsigned two = entry >> (2 * i) & 3;
                t->lambda[set][j][i] = two == 3 ? -1 : (int8_t)two;
            }
        }
    }
    t->delta = (uint8_t)field(unit->param, OFR_OFR_PARAM_DELTA_LSB, OFR_OFR_PARAM_DELTA_BITS);
    t->eta = (uint8_t)field(unit->param, OFR_OFR_PARAM_ETA_LSB, OFR_OFR_PARAM_ETA_BITS);
    t->rule_a = field(unit->param, OFR_OFR_PARAM_RULE_A_LSB, 1);
    t->rule_b = field(unit->param, OFR_OFR_PARAM_RULE_B_LSB, 1);
    t->oidn = field(unit->param, OFR_OFR_PARAM_OIDN_LSB, 1);
    t->widn = unit->widn & ((1u << (1u << unit->n)) - 1);
}

void ofr_unit_reset(struct ofr_unit *unit)
{
    unit->shadow = 1;
    unit->addr = OFR_OFR_ADDR_RESET;
    unit->param = OFR_OFR_PARAM_RESET;
    unit->widn = OFR_OFR_WIDN_RESET;
    unit->crc = ~0u;
    unit->generation = OFR_OFR_COMMIT_RESET;
    ofr_table_reset(&unit->active, unit->n);
}

void ofr_unit_init(struct ofr_unit *unit, unsigned n)
{
    *unit = (struct ofr_unit){.n = (uint8_t)n};
    ofr_unit_reset(unit);
}

uint32_t ofr_unit_read(const struct ofr_unit *unit, uint32_t adr)
{
    switch (adr) {
    case OFR_OFR_PARAM:
        return unit->param;
    case OFR_OFR_WIDN:
        return unit->widn;
    case OFR_OFR_ADDR:
        return unit->addr;
    case OFR_OFR_CRC:
        return ~unit->crc;
    case OFR_OFR_COMMIT:
        return unit->generation;
    default:
        return 0;
    }
}

static bool write_data(struct ofr_unit *unit, uint32_t value)
{
    for (unsigned i = 0; i < 3; i++)
        if ((value >> (2 * i) & 3) == 2)
            return false;
    uint8_t entry = value & DATA_BITS;
    unit->bank[unit->shadow - 1][unit->addr] = entry;
    unit->addr = (unit->addr + 1) & 63;
    unit->crc = crc_byte(unit->crc, entry);
    return true;
}

bool ofr_unit_write(struct ofr_unit *unit, uint32_t adr, uint32_t value)
{
    switch (adr) {
    case OFR_OFR_PARAM:
        unit->param = value & PARAM_BITS;
        return true;
    case OFR_OFR_WIDN:
        unit->widn = value & OFR_OFR_WIDN_MASK_MASK;
        return true;
    case OFR_OFR_ADDR:
        unit->addr = value & (OFR_OFR_ADDR_INDEX_MASK | OFR_OFR_ADDR_SET_MASK);
        if (unit->addr == 0)
            unit->crc = ~0u;
        return true;
    case OFR_OFR_DATA:
        return write_data(unit, value);
    case OFR_OFR_COMMIT:
        unit->generation = (uint16_t)value;
        if (unit->generation == 0) {
            ofr_table_reset(&unit->active, unit->n);
        } else {
            activate(unit, unit->bank[unit->shadow - 1]);
            unit->shadow = 3 - unit->shadow;
        }
        return true;
    default:
        return (adr & 0xf00) != BLOCK;
    }
}

const struct ofr_table *ofr_unit_active(const struct ofr_unit *unit)
{
    return &unit->active;
}
