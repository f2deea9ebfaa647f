// SPDX-License-Identifier: Apache-2.0
// Register block LINKS (rtl/regs/outflank.json): state and counters of the reliable links' ends,
// what rtl/board/ofr_link_regs.v does.
#ifndef OFR_LINK_REGS_H
#define OFR_LINK_REGS_H

#include "link.h"

// What a node sees of the end at one port in one cycle; the events are of that cycle.
struct ofr_link_status {
    enum ofr_link_state state;
    enum ofr_link_why why;
    uint64_t peer;
    uint16_t lag, says_data; // as in struct ofr_link_out
    uint8_t says_what;
    bool says;
    bool frame, retry, bad, down;
};

// Words of a port, in the order of the registers.
enum { OFR_LINK_COUNTERS = 7 };

struct ofr_link_regs {
    unsigned ports;
    uint8_t tick; // log2 of cycles
    uint8_t bits; // that come over a cable a cycle
    struct ofr_link_regs_port {
        struct ofr_link_status now;
        unsigned frames, retries, bad; // in this tick
        bool fell, up;                 // in this tick; at the end of the last one
        uint32_t shown[OFR_LINK_COUNTERS], next[OFR_LINK_COUNTERS];
    } port[OFR_LINKS];
};

// Of a node of that shape.
void ofr_link_regs_init(struct ofr_link_regs *regs, const struct ofr_shape *shape);

// A cycle: what the ends show in it, and whether a tick ends with it.
void ofr_link_regs_step(struct ofr_link_regs *regs, const struct ofr_link_status status[OFR_LINKS],
                        const bool link_up[OFR_LINKS], bool tick);

// By byte offset within the node's 4 KiB, before the step of its cycle; 0 where there is none.
uint32_t ofr_link_regs_read(const struct ofr_link_regs *regs, unsigned offset);

#endif
