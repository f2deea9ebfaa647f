// SPDX-License-Identifier: Apache-2.0
// Register block OFR (rtl/regs/outflank.json): the IDN table's banks, its parameters, the commit.
// What rtl/ofr/ofr_table.v does.
//
// Bank 0 is the reset table, for good; banks 1 and 2 take turns as the shadow bank. A COMMIT of a
// generation other than 0 makes the shadow bank, PARAM and WIDN active, and the other one of banks
// 1 and 2 the shadow. A COMMIT of 0 makes the reset table active, with the reset values of PARAM
// and WIDN; the shadow bank and the shadow's PARAM and WIDN stay as they are. A reset does the
// latter too, and sets every register to its reset value; the banks' content survives it.
//
// A decision under way keeps the table it started with, provided nothing is written to DATA, PARAM
// or WIDN in the 64 cycles after a COMMIT.
#ifndef OFR_UNIT_H
#define OFR_UNIT_H

#include "decide.h"

struct ofr_unit {
    uint8_t n;               // dimensions, 2 or 3
    uint8_t shadow;          // 1 or 2
    uint8_t bank[2][64];     // banks 1 and 2: DATA by ADDR
    uint8_t addr;            // {set, index}
    uint16_t param;          // the shadow's
    uint8_t widn;            // the shadow's
    uint32_t crc;            // CRC register before the final inversion
    uint16_t generation;     // of the active table
    struct ofr_table active; //
};

// Power-up: banks 1 and 2 all 0, then as ofr_unit_reset(). n: 2 or 3.
void ofr_unit_init(struct ofr_unit *unit, unsigned n);
void ofr_unit_reset(struct ofr_unit *unit);

// Byte offsets within the node's 4 KiB (OFR_OFR_PARAM ...). Reading has no side effect; a register
// that cannot be read, or an offset outside the block, is 0. Writing returns false where the
// hardware answers with a bus error, and then does nothing: a lambda of 2 in any field of DATA, a
// register that cannot be written, an offset of the block without a register. An offset of another
// block is not the unit's business: true.
uint32_t ofr_unit_read(const struct ofr_unit *unit, uint32_t adr);
bool ofr_unit_write(struct ofr_unit *unit, uint32_t adr, uint32_t value);

// The table that decides; valid as long as `unit`, changes with COMMIT.
const struct ofr_table *ofr_unit_active(const struct ofr_unit *unit);

// CRC-32 (IEEE 802.3) of `bytes` table entries as written to DATA: what CRC then reads. For the
// host and the firmware, which check what they have programmed.
uint32_t ofr_table_crc(const uint8_t *data, unsigned bytes);

#endif
