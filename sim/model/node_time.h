// SPDX-License-Identifier: Apache-2.0
// NODE.TIME of a golden node, and how it follows a neighbour's over a reliable link: what
// rtl/board/ofr_time.v computes.
#ifndef OFR_NODE_TIME_H
#define OFR_NODE_TIME_H

#include "link_regs.h"

struct ofr_time {
    uint32_t time, add, rate; // registers
    uint64_t ahead;           // of NODE.TIME to the cycles since reset, in 2^-32 cycles
    uint32_t part;            // of a cycle that NODE.TIME leaves out, in 2^-32 cycles
    unsigned ports;           // of reliable links, 0: it follows nobody
    uint8_t tick;             // theirs
    uint16_t id;              // of its rank, 11 bits
    bool old, follows;
    unsigned port, scan; // of the neighbour nearest to the root; whose rank is heard
    unsigned with;       // the neighbour that is measured
    uint16_t rank;       // told to all neighbours
    unsigned wait, good;
    int error; // eighths of a cycle by which it was ahead, the last time it was near
};

// Of a node of that shape after reset.
void ofr_time_init(struct ofr_time *t, const struct ofr_shape *shape, uint64_t serial);

// One cycle: cycles since reset, what the ends show in it, and which links are up.
void ofr_time_step(struct ofr_time *t, uint32_t cycle,
                   const struct ofr_link_status status[OFR_LINKS], const bool link_up[OFR_LINKS]);

// Register TIME_STATE.
uint32_t ofr_time_state(const struct ofr_time *t);

#endif
