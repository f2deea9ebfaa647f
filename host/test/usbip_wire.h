// SPDX-License-Identifier: Apache-2.0
// A word of USB/IP: big-endian.
#ifndef USBIP_WIRE_H
#define USBIP_WIRE_H

#include <stdint.h>

static inline uint32_t get32(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static inline void put32(uint8_t *at, uint32_t value)
{
    for (unsigned i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> (24 - 8 * i));
}

#endif
