// SPDX-License-Identifier: Apache-2.0
// A recorded run of a board: when its UART input changed, and a hash of its output pins in every
// cycle. A text file: lines `rx CYCLE LEVEL`, and at last `end CYCLES HASH`.
#ifndef SESSION_H
#define SESSION_H

#include "chip.h"

#include <inttypes.h>
#include <stdio.h>

#define SESSION_HASH_START UINT64_C(0xcbf29ce484222325)

static inline uint16_t session_pins(const struct chip_pins *p)
{
    return (uint16_t)(p->uart_tx | p->flash_csn << 1 | p->flash_sck << 2 | p->flash_mosi << 3 |
                      p->led << 4);
}

static inline uint64_t session_hash(uint64_t hash, uint16_t pins)
{
    return (hash ^ pins) * UINT64_C(0x100000001b3);
}

static inline void session_write_rx(FILE *f, uint64_t cycle, bool level)
{
    fprintf(f, "rx %" PRIu64 " %d\n", cycle, level);
}

static inline void session_write_end(FILE *f, uint64_t cycles, uint64_t hash)
{
    fprintf(f, "end %" PRIu64 " %016" PRIx64 "\n", cycles, hash);
}

#endif
