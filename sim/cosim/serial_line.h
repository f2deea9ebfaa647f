// SPDX-License-Identifier: Apache-2.0
//
// One direction of a UART's wires, 8N1 (a start bit, 8 data bits with the lowest first, a stop
// bit), level by level: what a host's end of it sends and hears. A level of idle is 1; divisor:
// cycles a bit takes, 2 and up.
#ifndef SERIAL_LINE_H
#define SERIAL_LINE_H

#include <stdbool.h>
#include <stdint.h>

enum { SERIAL_BITS = 10 }; // of a byte on the line

// All 0: idle.
struct serial_line {
    uint16_t bits;
    uint8_t left;   // of SERIAL_BITS, to come
    uint64_t count; // cycles to the next bit
};

static inline bool serial_busy(const struct serial_line *l)
{
    return l->left != 0;
}

// Begins to send a byte, in the cycle whose level is asked for next. Not while the line is busy.
static inline void serial_put(struct serial_line *l, uint8_t byte, uint64_t divisor)
{
    l->bits = (uint16_t)(byte << 1 | 1 << (SERIAL_BITS - 1));
    l->left = SERIAL_BITS;
    l->count = divisor;
}

// The sender's level in this cycle.
static inline bool serial_level(struct serial_line *l, uint64_t divisor)
{
    if (!l->left)
        return true;
    bool level = l->bits & 1;
    if (--l->count == 0) {
        l->bits >>= 1;
        l->left--;
        l->count = divisor;
    }
    return level;
}

// The receiver takes the level of this cycle. Returns the byte that ends with it, in the middle of
// its stop bit, else -1; a byte without a stop bit is none.
static inline int serial_take(struct serial_line *l, bool level, uint64_t divisor)
{
    if (!l->left) {
        if (!level) {
            l->left = SERIAL_BITS;
            l->count = divisor / 2;
        }
        return -1;
    }
    if (--l->count)
        return -1;
    l->count = divisor;
    l->bits = (uint16_t)(l->bits >> 1 | level << (SERIAL_BITS - 1));
    return --l->left == 0 && level ? (uint8_t)(l->bits >> 1) : -1;
}

#endif
