// SPDX-License-Identifier: Apache-2.0
#include "golden_soc.h"

#include "ofr_regs.h"

static uint32_t uart_read(struct golden_soc *s, uint32_t offset)
{
    uint8_t byte = 0;
    uint32_t word = 0;
    switch (offset) {
    case OFR_UART_DATA:
        byte_fifo_get(&s->to_board, &byte);
        return byte;
    case OFR_UART_WORD:
        for (unsigned i = 0; i < 4 && byte_fifo_get(&s->to_board, &byte); i++)
            word |= (uint32_t)byte << 8 * i;
        return word;
    case OFR_UART_STATUS:
        return (uint32_t)(s->to_board.count > 0) << OFR_UART_STATUS_RX_VALID_LSB |
               (uint32_t)(s->to_board.count >= 4) << OFR_UART_STATUS_RX_WORD_LSB |
               (uint32_t)(s->from_board.count + 4 <= BYTE_FIFO_BYTES)
                   << OFR_UART_STATUS_TX_READY_LSB;
    case OFR_UART_DIVISOR:
        return s->divisor;
    default:
        return 0;
    }
}

static uint32_t golden_read(void *ctx, uint32_t address, bool *err)
{
    struct golden_soc *s = ctx;
    uint32_t base = address & ~UINT32_C(0xfff), offset = address & 0xfff;
    switch (base) {
    case OFR_BASE_NODE:
        // Firmware is between two steps here, and a write is of the cycle of the last one: so this
        // says whether PINS.DATA would be taken.
        if (offset == OFR_PINS_CLEAR)
            return !ofr_pins_idle(&s->node->local.pins);
        return ofr_node_read(s->node, offset);
    case OFR_BASE_UART:
        return uart_read(s, offset);
    case OFR_BASE_TIMER:
        return (uint32_t)((s->cycle - s->reset_at) >> (offset == OFR_TIMER_LOW ? 0 : 32));
    case OFR_BASE_BOARD:
        return offset == OFR_BOARD_SERIAL_LOW    ? (uint32_t)s->serial
               : offset == OFR_BOARD_SERIAL_HIGH ? (uint32_t)(s->serial >> 32)
               : offset == OFR_BOARD_RESTART     ? 1 // as it is after reset; firmware leaves it
               : offset == OFR_BOARD_CLOCK       ? s->clock_hz
                                                 : 0;
    default:
        *err = true;
        return 0;
    }
}

static void golden_write(void *ctx, uint32_t address, uint32_t value, bool *err)
{
    struct golden_soc *s = ctx;
    uint32_t base = address & ~UINT32_C(0xfff), offset = address & 0xfff;
    switch (base) {
    case OFR_BASE_NODE:
        s->snapshots += offset == OFR_COUNT_SNAPSHOT;
        // As the firmware reads it: what asks it to write has left the router by now.
        s->node->drained = ofr_router_out(s->node->router)->drained;
        ofr_node_write(s->node, offset, value, err);
        break;
    case OFR_BASE_UART:
        for (unsigned i = 0; i < (offset == OFR_UART_DATA   ? 1U
                                  : offset == OFR_UART_WORD ? 4U
                                                            : 0);
             i++)
            byte_fifo_put(&s->from_board, (uint8_t)(value >> 8 * i));
        break;
    case OFR_BASE_TIMER:
    case OFR_BASE_BOARD:
        break;
    default:
        *err = true;
    }
}

void golden_soc_reset(struct golden_soc *s)
{
    s->reset_at = s->cycle;
    s->to_board.count = s->from_board.count = 0;
    s->fw.hal = (struct fw_hal){golden_read, golden_write, s};
    fw_init(&s->fw);
}

bool golden_soc_poll(struct golden_soc *s)
{
    bool any = false;

    while (fw_poll(&s->fw))
        any = true;
    return any;
}
