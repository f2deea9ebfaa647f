// SPDX-License-Identifier: Apache-2.0
// A recorded run of a board: when its UART input changed, and a hash of its output pins in both
// halves of every cycle. A text file: lines `rx CYCLE LEVEL`, `hash CYCLES HASH` after each
// SESSION_CHECK, and at last `end CYCLES HASH`. Where cables are plugged in, what they bring in
// every half, a word of 16 bits of session_cables(), is in a file beside it: its name with
// SESSION_CABLES behind it.
#ifndef SESSION_H
#define SESSION_H

#include "chip.h"

#include <inttypes.h>
#include <stdio.h>

#define SESSION_CABLES     ".cables"
#define SESSION_HASH_START UINT64_C(0xcbf29ce484222325)

// Where the first LED, cable's clock and cable's wire are in the pins of a half, and the first wire
// in what cables bring.
enum {
    SESSION_CHECK = 1 << 16,
    SESSION_LED = 4,
    SESSION_TX_CLK = 12,
    SESSION_TX = 20,
    SESSION_RX = 4,
    SESSION_WIRES = 2,
};

static inline uint64_t session_pins(const struct chip_pins *p)
{
    return p->uart_tx | p->flash_csn << 1 | p->flash_sck << 2 | p->flash_mosi << 3 |
           (uint64_t)p->led << SESSION_LED | (uint64_t)p->cable_tx_clk << SESSION_TX_CLK |
           p->cable_tx << SESSION_TX;
}

// Of at most SESSION_RX ports.
static inline uint16_t session_cables(const struct chip_in *in)
{
    return (uint16_t)(in->cable_rx_clk | in->cable_rx << SESSION_RX);
}

static inline uint64_t session_hash(uint64_t hash, uint64_t pins)
{
    return (hash ^ pins) * UINT64_C(0x100000001b3);
}

static inline void session_write_rx(FILE *f, uint64_t cycle, bool level)
{
    fprintf(f, "rx %" PRIu64 " %d\n", cycle, level);
}

static inline void session_write_hash(FILE *f, uint64_t cycles, uint64_t hash)
{
    fprintf(f, "hash %" PRIu64 " %016" PRIx64 "\n", cycles, hash);
}

static inline void session_write_end(FILE *f, uint64_t cycles, uint64_t hash)
{
    fprintf(f, "end %" PRIu64 " %016" PRIx64 "\n", cycles, hash);
}

#endif
