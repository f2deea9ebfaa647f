// SPDX-License-Identifier: Apache-2.0
// Channels, and what else takes beats from software: as many beats between a message, or bulk
// frames, and an end as there are, or as there is room for.
#include "fw_parts.h"

// What bulk frames are under way (fw->bulking): those that are to come, or to go.
enum { QUIET, COMING, GOING };

// Registers of what else there is, from an end's on: the collectives' are in the same order.
enum {
    COLLECTIVE = OFR_COLLECTIVE_TX - OFR_CHANNEL_TX,
    PROGRAM = OFR_USER_MEM_DATA - OFR_CHANNEL_TX_DATA,
};

// Of what arg says: where its registers are, and its beats. Selects an end. False: it is not
// software's, or there is no such thing.
static bool find(struct fw *fw, unsigned arg)
{
    unsigned attached = OFR_CHANNEL_ATTACH;
    fw->beat = (uint8_t)FIELD(node_read(fw, OFR_NODE_SHAPE), OFR_NODE_SHAPE_W8);
    fw->port = 0;
    if (!(arg & OFR_MOVE_OTHER)) {
        node_write(fw, OFR_CHANNEL_SELECT, arg & OFR_MOVE_END_MASK);
        if (hal_bus_error(fw))
            return false; // else the end before would stay selected
    } else if ((arg & OFR_MOVE_END_MASK) == OFR_MOVE_COLLECTIVE) {
        fw->port = COLLECTIVE;
        attached = OFR_COLLECTIVE_ATTACH;
    } else {
        fw->beat = 4;
        fw->port = PROGRAM;
        return !(arg & (OFR_MOVE_LAST | OFR_MOVE_TAKE)) &&
               (arg & OFR_MOVE_END_MASK) == OFR_MOVE_PROGRAM;
    }
    return node_read(fw, attached) & OFR_CHANNEL_ATTACH_REGISTERS_MASK;
}

// Beats to the end. Returns how many bytes have gone; *flags RX.LAST: the last beat has.
static unsigned to_end(struct fw *fw, const uint32_t *words, unsigned bytes, bool last,
                       unsigned *flags)
{
    unsigned beat = fw->beat, port = fw->port, at = 0;
    for (;;) {
        unsigned left = bytes - at;
        bool ends = last && left <= beat;
        if ((!ends && left < beat) || (port != PROGRAM && !(node_read(fw, port + OFR_CHANNEL_TX) &
                                                            OFR_CHANNEL_TX_READY_MASK)))
            return at;
        const uint32_t *word = words + (at >> 2);
        if (ends)
            node_write(fw, port + OFR_CHANNEL_TX_END, left);
        if (beat == 8)
            node_write(fw, port + OFR_CHANNEL_TX_HIGH, word[1]);
        node_write(fw, port + OFR_CHANNEL_TX_DATA, *word >> (at & 2) * 8);
        if (ends) {
            *flags = OFR_CHANNEL_RX_LAST_MASK;
            return bytes;
        }
        at += beat;
    }
}

// Beats that have come, up to that which ends a message, an operation or the stream: RX's flags.
static unsigned from_end(struct fw *fw, uint32_t *words, unsigned most, unsigned *flags)
{
    unsigned beat = fw->beat, port = fw->port, at = 0;
    while (!*flags && at + beat <= most) {
        uint32_t rx = node_read(fw, port + OFR_CHANNEL_RX), *word = words + (at >> 2);
        if (!(rx & OFR_CHANNEL_RX_VALID_MASK))
            break;
        uint32_t data = node_read(fw, port + OFR_CHANNEL_RX_DATA);
        *word = at & 2 ? *word | data << 16 : data;
        if (beat == 8)
            word[1] = node_read(fw, port + OFR_CHANNEL_RX_HIGH);
        node_write(fw, port + OFR_CHANNEL_RX_NEXT, 0);
        *flags = rx & (OFR_CHANNEL_RX_LAST_MASK | OFR_CHANNEL_RX_BROKEN_MASK |
                       OFR_COLLECTIVE_RX_VERDICT_MASK);
        at += FIELD(rx, OFR_CHANNEL_RX_BYTES);
    }
    return at;
}

// Into the response how it ended.
static void say(struct fw *fw, uint32_t *m, unsigned bytes, unsigned flags)
{
    uint32_t state = fw->port ? 0 : node_read(fw, OFR_CHANNEL_STATE);
    m[1] = (m[1] & 0xffff) | bytes << OFR_MOVE_MOVED_LSB | flags << OFR_MOVE_FLAGS_LSB |
           state << OFR_MOVE_STATE_LSB;
}

enum ofr_status op_move(struct fw *fw, uint32_t *m)
{
    unsigned arg = arg_of(m), bytes = m[1] >> OFR_MOVE_BYTES_LSB, flags = 0, most = OFR_MOVE_MOST;
    bool take = arg & OFR_MOVE_TAKE, bulk = arg & OFR_MOVE_BULK;
    uint32_t *words = m + 2;
    fw->bulking = fw->bulk_frames = 0;
    if (bulk) {
        bytes = m[2];
        most = fw->asks == FW_NOBODY ? 0 : take ? OFR_BULK_FROM : OFR_BULK_TO;
        words = fw->bulk;
    }
    if (hop_count(m) || bytes > most || !find(fw, arg))
        return OFR_BAD_ARG;
    unsigned moved = take            ? from_end(fw, words, bytes, &flags)
                     : bulk && bytes ? 0
                                     : to_end(fw, words, bytes, arg & OFR_MOVE_LAST, &flags);
    say(fw, m, bulk ? 0 : moved, flags);
    if (!bulk)
        return OFR_OK;
    m[2] = moved;
    fw->bulk_arg = (uint8_t)arg;
    fw->bulk_to = fw->asks;
    fw->bulk_code = (uint8_t)((m[1] & 7) << OFR_BULK_TAG_LSB);
    fw->bulk_frames = (uint8_t)ofr_bulk_frames(moved);
    fw->bulk_left = (uint16_t)bytes;
    fw->bulking = moved ? GOING : !take && bytes ? COMING : QUIET;
    if (fw->bulking)
        fw->asks = FW_NOBODY; // the answer comes behind them
    return OFR_OK;
}

// The answer to the OP_MOVE, at last. Where it goes by the network its slot must be free.
static void answer(struct fw *fw)
{
    fw->bulking = QUIET;
    if (fw->bulk_to == FW_HOST)
        to_host(fw, fw->stored, OFR_MODE_ADDRESS, coordinates(fw));
    else
        to_address(fw, fw->stored, fw->bulk_to, OFR_MESSAGE_BYTES);
}

void bulk_take(struct fw *fw, const uint32_t *words, unsigned code, unsigned from)
{
    unsigned bytes = fw->bulk_left, flags = 0;
    bool last = bytes <= OFR_BULK_BYTES;
    if (fw->bulking != COMING || code != fw->bulk_code || from != fw->bulk_to)
        return;
    if (!last)
        bytes = OFR_BULK_BYTES;
    fw->bulk_code++;
    // What the OP_MOVE found is so still: any other write would have ended this.
    unsigned moved = to_end(fw, words, bytes, last && fw->bulk_arg & OFR_MOVE_LAST, &flags);
    fw->bulk_left = (uint16_t)(fw->bulk_left - moved);
    fw->stored[2] += moved;
    if (moved == bytes && !last)
        return;
    say(fw, fw->stored, 0, flags);
    if (hal_bus_error(fw))
        respond(fw->stored, OFR_BUS_ERROR);
    answer(fw);
}

bool bulk_again(struct fw *fw)
{
    fw->bulking = QUIET; // what has come so far is what the answer says
    if (!fw->bulk_frames || fw->asks == FW_NOBODY)
        return false;
    fw->bulk_to = fw->asks;
    fw->bulk_code &= 7 << OFR_BULK_TAG_LSB;
    fw->bulking = GOING;
    return true;
}

bool bulk_send(struct fw *fw)
{
    unsigned code = fw->bulk_code, at = code & 15;
    if (fw->bulking != GOING ||
        (fw->bulk_to == FW_HOST ? fw->tx_count == FW_TX_FRAMES : fw->out_full))
        return false;
    if (at == fw->bulk_frames) {
        answer(fw);
        return true;
    }
    const uint32_t *words = fw->bulk + at * OFR_MESSAGE_WORDS;
    if (fw->bulk_to == FW_HOST)
        to_host(fw, words, OFR_MODE_BULK | code >> OFR_BULK_TAG_LSB, coordinates(fw) | at << 12);
    else
        to_address(fw, words, fw->bulk_to, OFR_BULK_PACKET | (OFR_BULK_TO_HOST | code) << 8);
    fw->bulk_code++;
    return true;
}
