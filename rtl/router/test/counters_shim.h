// SPDX-License-Identifier: Apache-2.0
// One Verilated ofr_counters (COUNTERS_SMALL 0) or ofr_counters_small (1) behind C: pins in, one
// clock edge; what is combinational is of before the edge.
#ifndef COUNTERS_SHIM_H
#define COUNTERS_SHIM_H

#include <stdbool.h>
#include <stdint.h>

struct counters_pins {
    // Events, a bit a port, the local port last; _vc: 2 bits a port
    bool rst, injected, delivered, poisoned, oidn, widn, pinned, reg_we, reg_re;
    uint8_t flit, packet, stall_credit, stall_alloc, refused, discarded, crc, retry, reset;
    uint16_t flit_vc, packet_vc, stall_vc, reg_adr;
    uint32_t reg_wdat;
    // out
    bool reg_err, copy;
    uint8_t copy_index;
    uint32_t reg_rdat;
    uint64_t copy_value;
};

struct counters_rtl;
struct counters_rtl *counters_rtl_new(uint64_t seed); // in random state
void counters_rtl_free(struct counters_rtl *rtl);
void counters_rtl_clock(struct counters_rtl *rtl, struct counters_pins *pins);

#endif
