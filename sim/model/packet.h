// SPDX-License-Identifier: Apache-2.0
// The packet header as fields, packed into and out of its 64 bits (rtl/regs/outflank.json).
// Word 0 is in the low 16 bits: flit 0 at W = 64, flits 0 and 1 at W = 32, 0 to 3 at W = 16.
#ifndef OFR_PACKET_H
#define OFR_PACKET_H

#include "ofr_regs.h"
#include "torus.h"

#include <stdint.h>

// Coordinates x, y, z as a 12-bit word, x in the low 4 bits.
struct ofr_header {
    uint16_t target; // current target, 12 bits
    uint8_t cls;     // OFR_PKT_CLASS_*
    uint8_t leg;     // 0 toward the IDN, 1 toward the destination
    uint8_t mgmt;    // stamped by the network interface
    uint16_t dest;   // 12 bits
    uint8_t epoch;   // low bit of the table generation
    uint16_t source; // 12 bits
    uint8_t kind;    // OFR_PKT_KIND_*
    uint16_t seq;
};

// Coordinates of n dimensions (2 or 3) as such a word.
static inline uint16_t ofr_coord_word(const struct ofr_coord *c, unsigned n)
{
    unsigned word = (c->c[0] & 15U) | (c->c[1] & 15U) << 4;
    return (uint16_t)(n == 3 ? word | (c->c[2] & 15U) << 8 : word);
}

static inline uint64_t ofr_header_pack(const struct ofr_header *h)
{
    return (uint64_t)(h->target & 0xfffU) << OFR_PKT_TARGET_X_LSB |
           (uint64_t)(h->cls & 3U) << OFR_PKT_CLASS_LSB |
           (uint64_t)(h->leg & 1U) << OFR_PKT_LEG_LSB |
           (uint64_t)(h->mgmt & 1U) << OFR_PKT_MGMT_LSB |
           (uint64_t)(h->dest & 0xfffU) << OFR_PKT_DEST_X_LSB |
           (uint64_t)(h->epoch & 1U) << OFR_PKT_EPOCH_LSB |
           (uint64_t)(h->source & 0xfffU) << OFR_PKT_SRC_X_LSB |
           (uint64_t)(h->kind & 15U) << OFR_PKT_KIND_LSB | (uint64_t)h->seq << OFR_PKT_SEQ_LSB;
}

static inline struct ofr_header ofr_header_unpack(uint64_t bits)
{
    return (struct ofr_header){
        .target = (uint16_t)(bits >> OFR_PKT_TARGET_X_LSB & 0xfff),
        .cls = (uint8_t)(bits >> OFR_PKT_CLASS_LSB & 3),
        .leg = (uint8_t)(bits >> OFR_PKT_LEG_LSB & 1),
        .mgmt = (uint8_t)(bits >> OFR_PKT_MGMT_LSB & 1),
        .dest = (uint16_t)(bits >> OFR_PKT_DEST_X_LSB & 0xfff),
        .epoch = (uint8_t)(bits >> OFR_PKT_EPOCH_LSB & 1),
        .source = (uint16_t)(bits >> OFR_PKT_SRC_X_LSB & 0xfff),
        .kind = (uint8_t)(bits >> OFR_PKT_KIND_LSB & 15),
        .seq = (uint16_t)(bits >> OFR_PKT_SEQ_LSB),
    };
}

#endif
