// SPDX-License-Identifier: Apache-2.0
// Channels: as many beats between a message and an end as there are, or as there is room for.
#include "fw_parts.h"

// Beats to the end. Returns how many bytes have gone; *flags RX.LAST: the last beat has.
static unsigned to_end(struct fw *fw, const uint32_t *m, unsigned flit, unsigned *flags)
{
    unsigned bytes = m[1] >> OFR_MOVE_BYTES_LSB, at = 0;
    for (;;) {
        unsigned left = bytes - at;
        bool ends = arg_of(m) & OFR_MOVE_LAST && left <= flit;
        if ((!ends && left < flit) || !(node_read(fw, OFR_CHANNEL_TX) & OFR_CHANNEL_TX_READY_MASK))
            return at;
        const uint32_t *word = m + 2 + (at >> 2);
        if (ends)
            node_write(fw, OFR_CHANNEL_TX_END, left);
        if (flit == 8)
            node_write(fw, OFR_CHANNEL_TX_HIGH, word[1]);
        node_write(fw, OFR_CHANNEL_TX_DATA, *word >> (at & 2) * 8);
        if (ends) {
            *flags = OFR_CHANNEL_RX_LAST_MASK;
            return bytes;
        }
        at += flit;
    }
}

// Beats that have come, up to that which ends a message or the stream: RX's flags.
static unsigned from_end(struct fw *fw, uint32_t *m, unsigned flit, unsigned *flags)
{
    unsigned most = m[1] >> OFR_MOVE_BYTES_LSB, at = 0;
    while (!*flags && at + flit <= most) {
        uint32_t rx = node_read(fw, OFR_CHANNEL_RX), *word = m + 2 + (at >> 2);
        if (!(rx & OFR_CHANNEL_RX_VALID_MASK))
            break;
        uint32_t data = node_read(fw, OFR_CHANNEL_RX_DATA);
        *word = at & 2 ? *word | data << 16 : data;
        if (flit == 8)
            word[1] = node_read(fw, OFR_CHANNEL_RX_HIGH);
        node_write(fw, OFR_CHANNEL_RX_NEXT, 0);
        *flags = rx & (OFR_CHANNEL_RX_LAST_MASK | OFR_CHANNEL_RX_BROKEN_MASK);
        at += FIELD(rx, OFR_CHANNEL_RX_BYTES);
    }
    return at;
}

enum ofr_status op_move(struct fw *fw, uint32_t *m)
{
    unsigned flit = FIELD(node_read(fw, OFR_NODE_SHAPE), OFR_NODE_SHAPE_W8), flags = 0;
    if (hop_count(m) || m[1] >> OFR_MOVE_BYTES_LSB > OFR_MOVE_MOST)
        return OFR_BAD_ARG;
    node_write(fw, OFR_CHANNEL_SELECT, arg_of(m) & OFR_MOVE_END_MASK);
    // Else the end before would stay selected.
    if (hal_bus_error(fw) ||
        !(node_read(fw, OFR_CHANNEL_ATTACH) & OFR_CHANNEL_ATTACH_REGISTERS_MASK))
        return OFR_BAD_ARG;
    unsigned bytes =
        arg_of(m) & OFR_MOVE_TAKE ? from_end(fw, m, flit, &flags) : to_end(fw, m, flit, &flags);
    m[1] = (m[1] & 0xffff) | bytes << OFR_MOVE_MOVED_LSB | flags << OFR_MOVE_FLAGS_LSB |
           node_read(fw, OFR_CHANNEL_STATE) << OFR_MOVE_STATE_LSB;
    return OFR_OK;
}
