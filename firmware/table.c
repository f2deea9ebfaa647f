// SPDX-License-Identifier: Apache-2.0
// IDN and destination table: begun, filled, verified, made active (protocol.h, TABLES).
#include "fw_parts.h"

enum { NOTHING, TABLE, CHANGES }; // fw->begun
enum { FREE, COPY, WRITTEN };     // fw->shadow; begun with one of the first two

// Nothing is staged, and nothing can be before another table is begun.
void table_drop(struct fw *fw)
{
    fw->staged = 0;
    fw->begun = NOTHING;
}

// The shadow of the destination table is made FREE, or a copy of what is in force; that takes a
// while, but resets leave it FREE, and commits of such a table a COPY.
static void begin(struct fw *fw, unsigned what, unsigned shadow)
{
    table_drop(fw);
    fw->begun = (uint8_t)what;
    fw->table_crc = shadow ? fw->active_crc : 0xffffffff;
    if (fw->shadow != shadow)
        node_write(fw, OFR_PINS_CLEAR, shadow << OFR_PINS_CLEAR_COPY_LSB);
    fw->shadow = (uint8_t)shadow;
}

static void begin_table(struct fw *fw, const uint32_t *words)
{
    begin(fw, TABLE, FREE);
    fw->descriptor = (uint16_t)(words[0] >> 16);
    fw->routing = words[1] >> 24 & 0x3f;
    node_write(fw, OFR_OFR_PARAM, words[1] & 0xffff);
    node_write(fw, OFR_OFR_WIDN, words[1] >> 16 & 0xff);
}

// Is the shadow of the destination table still being cleared, or copied?
static bool clearing(struct fw *fw)
{
    return node_read(fw, OFR_PINS_CLEAR);
}

// The image that runs from the FPGA's RAM has no room for what boards without the OFR unit need;
// these run theirs from flash (rtl/board/ofr_board.v).
#ifdef OFR_IN_RAM
enum { MAY_BE_MINIMAL = 0 };
#else
enum { MAY_BE_MINIMAL = 1 };
#endif

// Entries into the shadow.
static enum ofr_status fill(struct fw *fw, const uint32_t *words, unsigned count, bool idn)
{
    unsigned first = words[0] >> 16, bits = idn ? 8 : 16, entries = idn ? 64 : 4096;
    if (link_ports(fw) == 4)
        entries = idn ? 32 : 256;
    if (first + count * (idn ? 4 : 2) > entries)
        return OFR_BAD_ARG;
    if (!idn && clearing(fw))
        return OFR_AGAIN;
    if (!idn)
        fw->shadow = WRITTEN;
    fw->staged = 0;
    if (MAY_BE_MINIMAL && idn && !first)
        fw->entries_crc = 0xffffffff;
    uint32_t data = idn ? OFR_OFR_DATA : OFR_PINS_DATA;
    node_write(fw, data - 4, first); // ADDR
    while (count--) {
        uint32_t word = *++words;
        if (MAY_BE_MINIMAL && idn)
            fw->entries_crc = crc_words(fw->entries_crc, &(uint32_t){word & 0x7f7f7f7f}, 1);
        for (unsigned j = 0; j < 32; j += bits, word >>= bits)
            node_write(fw, data, idn ? word & 0xff : word & 0xffff);
    }
    return OFR_OK;
}

enum ofr_status op_table(struct fw *fw, const uint32_t *m)
{
    uint32_t words[4];
    unsigned bank = arg_of(m) >> 4, count = ofr_table_words(m, words);
    enum ofr_status status = OFR_OK;
    if (arg_of(m) & 12 || count < 2 || count > (hop_count(m) || !bank ? 2 : 4) || bank >= OFR_BANKS)
        return OFR_BAD_ARG;
    if (bank == OFR_BANK_SETTINGS)
        begin_table(fw, words);
    else
        status = fill(fw, words, count - 1, bank == OFR_BANK_IDN);
    if (status == OFR_OK)
        fw->table_crc = crc_words(fw->table_crc, words, count);
    if (!hal_bus_error(fw))
        return status;
    table_drop(fw); // it has a hole
    return OFR_BUS_ERROR;
}

// The next destination of a torus of such a NODE.SIZE: sizes are 1 to 16 in bytes, coordinates four
// bits, so that 16 carries by itself.
static uint32_t after(uint32_t at, uint32_t size)
{
    at++;
    if ((at & 15) == (size & 31))
        at = (at | 15) + 1;
    if ((at >> 4 & 15) == (size >> 8 & 31))
        at = (at | 0xff) + 1;
    return at;
}

enum ofr_status op_change(struct fw *fw, uint32_t *m)
{
    uint32_t at = m[3], entry = 0, size = node_read(fw, OFR_NODE_SIZE);
    if (hop_count(m) > OFR_WIDE_HOPS)
        return OFR_BAD_ARG;
    if (arg_of(m))
        begin(fw, CHANGES, arg_of(m) / OFR_CHANGE_COPY & COPY);
    if (fw->begun != CHANGES)
        return OFR_NOT_STAGED;
    if (clearing(fw))
        return OFR_AGAIN;
    for (unsigned i = OFR_CHANGE_FIRST; i < OFR_CHANGE_DIGITS; i++) {
        unsigned digit = ofr_change_digit(m, i), count = 1;
        if (digit < OFR_CHANGE_MORE)
            entry = digit << OFR_PINS_DATA_MODE_LSB;
        else if (digit < OFR_CHANGE_SKIP)
            count = 2u << (digit - OFR_CHANGE_MORE);
        else
            count = digit - OFR_CHANGE_SKIP + 1;
        for (unsigned lsb = 0; digit == OFR_PINS_DATA_MODE_IDN && lsb < 12; lsb += 4)
            entry |= ofr_change_digit(m, ++i) << lsb;
        for (; count; count--) {
            if (digit < OFR_CHANGE_SKIP) {
                node_write(fw, OFR_PINS_ADDR, at);
                node_write(fw, OFR_PINS_DATA, entry);
                fw->shadow = WRITTEN;
            }
            at = after(at, size);
        }
    }
    fw->table_crc = crc_words(fw->table_crc, m + 3, 3);
    m[3] = fw->active;
    m[4] = node_read(fw, OFR_NODE_COORD);
    m[5] = fw->table_crc;
    return OFR_OK;
}

enum ofr_status op_stage(struct fw *fw, uint32_t *m)
{
    // Without the OFR unit nothing is kept of its table, but that it came whole is seen to
    bool minimal = MAY_BE_MINIMAL && node_read(fw, OFR_NODE_SHAPE) & OFR_NODE_SHAPE_MINIMAL_MASK;
    uint32_t generation = m[4] >> 16;
    uint32_t crc = ~fw->table_crc ^ (minimal ? ~fw->entries_crc : node_read(fw, OFR_OFR_CRC));
    if (!generation)
        return OFR_BAD_ARG;
    fw->staged = 0;
    if (fw->begun != TABLE)
        return OFR_NOT_STAGED;
    if (crc != m[5]) {
        m[5] = crc;
        return OFR_BAD_CRC;
    }
    fw->staged_crc = crc;
    fw->staged = generation | (uint32_t)fw->descriptor << 16;
    return OFR_OK;
}

enum ofr_status op_commit(struct fw *fw, const uint32_t *m)
{
    uint32_t generation = m[4] >> 16;
    bool changes = fw->begun == CHANGES;
    if (changes) {
        fw->staged = generation | m[3] << 16;
        fw->staged_crc = fw->table_crc;
    }
    if (!fw->begun || changes != arg_of(m) || generation != (fw->staged & 0xffff) ||
        m[5] != fw->staged_crc || !generation)
        return OFR_NOT_STAGED;
    if (!changes) {
        node_write(fw, OFR_NODE_ROUTING,
                   (node_read(fw, OFR_NODE_ROUTING) & OFR_NODE_ROUTING_ESCAPE_MASK) |
                       (uint32_t)(fw->routing & 3) << OFR_NODE_ROUTING_SELECT_LSB |
                       (uint32_t)(fw->routing >> 2) << OFR_NODE_ROUTING_THRESHOLD_LSB);
        node_write(fw, OFR_OFR_COMMIT, generation);
    }
    bool was_on = node_read(fw, OFR_PINS_CONTROL);
    bool on = fw->shadow == WRITTEN || (fw->shadow == COPY && was_on);
    if (on || was_on) // else there may be no such table
        node_write(fw, OFR_PINS_CONTROL, on);
    if (on)
        fw->shadow = COPY;
    fw->active_crc = fw->staged_crc;
    if (fw->active != fw->staged) // else it is done once more
        fw->previous = fw->active;
    fw->active = fw->staged;
    table_drop(fw);
    return OFR_OK;
}
