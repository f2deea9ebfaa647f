// SPDX-License-Identifier: Apache-2.0
#include "ni.h"

#include "gen.h"
#include "packet.h"

#include <string.h>

void ofr_ni_init(struct ofr_ni *ni, unsigned n, unsigned flit_bits)
{
    memset(ni, 0, sizeof *ni);
    ni->n = (uint8_t)n;
    ni->flit_bits = (uint8_t)flit_bits;
    ni->was_ready = true;
}

static unsigned flits(const struct ofr_ni *ni)
{
    return 8 * OFR_NI_BYTES / ni->flit_bits;
}

static uint32_t tx_word(const struct ofr_ni *ni, unsigned i)
{
    return i < ni->tx_count ? ni->tx[i] : 0;
}

static void show(struct ofr_ni *ni)
{
    unsigned i = ni->tx_index;
    ni->out.valid = ni->sending;
    ni->out.last = i + 1 == flits(ni);
    if (ni->flit_bits == 16)
        ni->out.data = tx_word(ni, i / 2) >> (16 * (i & 1)) & 0xffff;
    else if (ni->flit_bits == 32)
        ni->out.data = tx_word(ni, i);
    else
        ni->out.data = (uint64_t)tx_word(ni, 2 * i + 1) << 32 | tx_word(ni, 2 * i);
}

static void receive(struct ofr_ni *ni, const struct ofr_flit *flit, unsigned me)
{
    unsigned i = ni->rx_index;
    uint32_t *packet = ni->rx[ni->rx_write];
    if (i == 0) {
        unsigned where = ni->n == 3 ? 0xfff : 0xff;
        bool directed = (flit->data >> OFR_PKT_CLASS_LSB & 3) == OFR_PKT_CLASS_DIRECTED;
        ni->rx_drop = ni->rx_used == OFR_NI_PACKETS || (!directed && (flit->data & where) != me);
    }
    if (i < flits(ni) && !ni->rx_drop) {
        if (ni->flit_bits == 16) {
            unsigned shift = 16 * (i & 1);
            packet[i / 2] = (packet[i / 2] & ~(0xffffU << shift)) | (uint32_t)(flit->data & 0xffff)
                                                                        << shift;
        } else if (ni->flit_bits == 32) {
            packet[i] = (uint32_t)flit->data;
        } else {
            packet[2 * i] = (uint32_t)flit->data;
            packet[2 * i + 1] = (uint32_t)(flit->data >> 32);
        }
    }
    if (flit->last) {
        bool keep = !ni->rx_drop && !flit->poison && i + 1 == flits(ni);
        if (keep) {
            ni->rx_write = (ni->rx_write + 1) % OFR_NI_PACKETS;
            ni->rx_used++;
        } else if (ni->dropped != UINT16_MAX) {
            ni->dropped++;
        }
        ni->rx_index = 0;
    } else if (i < flits(ni)) {
        ni->rx_index++;
    }
}

void ofr_ni_step(struct ofr_ni *ni, bool take, const struct ofr_flit *flit,
                 const struct ofr_config *config)
{
    ni->was_ready = !ni->sending;
    ni->was_valid = ni->rx_used != 0;
    if (take) {
        if (ni->out.last) {
            ni->sending = false;
            ni->tx_count = 0;
            ni->tx_index = 0;
        } else {
            ni->tx_index++;
        }
        show(ni);
    }
    if (flit->valid)
        receive(ni, flit, ofr_coord_word(&config->me, ni->n));
}

uint32_t ofr_ni_read(struct ofr_ni *ni, unsigned offset)
{
    ni->was_ready = !ni->sending;
    ni->was_valid = ni->rx_used != 0;
    switch (offset) {
    case OFR_NI_STATUS:
        return (uint32_t)!ni->sending << OFR_NI_STATUS_TX_READY_LSB |
               (uint32_t)ni->was_valid << OFR_NI_STATUS_RX_VALID_LSB |
               (uint32_t)ni->dropped << OFR_NI_STATUS_RX_DROPPED_LSB;
    case OFR_NI_RX_DATA:
        if (!ni->was_valid || ni->rx_word == OFR_NI_WORDS)
            return 0;
        return ni->rx[ni->rx_read][ni->rx_word++];
    default:
        return 0;
    }
}

bool ofr_ni_write(struct ofr_ni *ni, unsigned offset, uint32_t v, const struct ofr_config *config)
{
    bool ready = ni->was_ready && !ni->sending, begun = ready && ni->tx_count != 0;
    switch (offset) {
    case OFR_NI_TX_HEAD: {
        if (!ready)
            return false;
        bool directed = (v >> OFR_PKT_CLASS_LSB & 3) == OFR_PKT_CLASS_DIRECTED;
        ni->tx[0] = (v & ~(3U << OFR_PKT_CLASS_LSB)) |
                    (directed ? OFR_PKT_CLASS_DIRECTED : OFR_PKT_CLASS_INORDER)
                        << OFR_PKT_CLASS_LSB |
                    1U << OFR_PKT_LEG_LSB | 1U << OFR_PKT_MGMT_LSB;
        ni->tx_count = 1;
        break;
    }
    case OFR_NI_TX_DATA:
        if (!begun)
            return false;
        if (ni->tx_count == 1)
            v = (v & 0xffff0000U) | OFR_PKT_KIND_MGMT << (OFR_PKT_KIND_LSB - 32) |
                ofr_coord_word(&config->me, ni->n);
        if (ni->tx_count < OFR_NI_WORDS)
            ni->tx[ni->tx_count++] = v;
        break;
    case OFR_NI_TX_SEND:
        if (!begun)
            return false;
        ni->sending = true;
        show(ni);
        break;
    case OFR_NI_RX_NEXT:
        if (ni->was_valid && ni->rx_used != 0) {
            ni->rx_read = (ni->rx_read + 1) % OFR_NI_PACKETS;
            ni->rx_used--;
            ni->rx_word = 0;
            ni->was_valid = ni->rx_used != 0;
        }
        break;
    default:
        break;
    }
    return true;
}

bool ofr_ni_idle(const struct ofr_ni *ni)
{
    return !ni->sending;
}
