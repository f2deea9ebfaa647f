// SPDX-License-Identifier: Apache-2.0
// Bytes on their way to or from a simulated board's UART. All 0: empty.
#ifndef BYTE_FIFO_H
#define BYTE_FIFO_H

#include <stdbool.h>
#include <stdint.h>

enum { BYTE_FIFO_BYTES = 4096 }; // a power of two

struct byte_fifo {
    uint8_t byte[BYTE_FIFO_BYTES];
    unsigned head, count;
};

// False, and nothing is done: it is full.
static inline bool byte_fifo_put(struct byte_fifo *f, uint8_t byte)
{
    if (f->count == BYTE_FIFO_BYTES)
        return false;
    f->byte[(f->head + f->count++) % BYTE_FIFO_BYTES] = byte;
    return true;
}

// False, and *byte stays as it is: it is empty.
static inline bool byte_fifo_get(struct byte_fifo *f, uint8_t *byte)
{
    if (f->count == 0)
        return false;
    *byte = f->byte[f->head];
    f->head = (f->head + 1) % BYTE_FIFO_BYTES;
    f->count--;
    return true;
}

#endif
