// SPDX-License-Identifier: Apache-2.0
// The shift registers of generator and checker. The router's own is in router.c.
#ifndef OFR_LFSR_H
#define OFR_LFSR_H

#include <stdint.h>

// Destinations: 12 steps of the 32-bit Fibonacci register x^32 + x^30 + x^26 + x^25 + 1
// (primitive), left shift; the 12 new bits are the low ones. 12 is below the lowest tap: one XOR of
// 4 a bit.
static inline uint32_t ofr_lfsr_step12(uint32_t s)
{
    uint32_t fresh = (s >> 20 ^ s >> 18 ^ s >> 14 ^ s >> 13) & 0xfff;
    return s << 12 | fresh;
}

// Its first state from a seed register: a fixed pattern is mixed in, so that small seeds do not
// begin with a run of zeros. 0 is no state of an LFSR and is taken as 1.
static inline uint32_t ofr_lfsr_seed(uint32_t seed)
{
    uint32_t s = seed ^ 0x9e3779b9U;
    return s ? s : 1;
}

// Payload: one step of a W-bit Galois register, left shift; W = 16, 32, 64. All primitive.
static inline uint64_t ofr_payload_step(uint64_t p, unsigned flit_bits)
{
    switch (flit_bits) {
    case 16: // x^16 + x^5 + x^3 + x^2 + 1
        return (p << 1 & 0xffff) ^ (p >> 15 & 1 ? 0x2d : 0);
    case 32: // x^32 + x^22 + x^2 + x + 1
        return (p << 1 & 0xffffffff) ^ (p >> 31 & 1 ? 0x400007 : 0);
    default: // x^64 + x^4 + x^3 + x + 1
        return p << 1 ^ (p >> 63 ? 0x1b : 0);
    }
}

#endif
