// SPDX-License-Identifier: Apache-2.0
// One Verilated ofr_unit behind C: pins in, one clock edge, pins out.
#ifndef OFR_TEST_UNIT_SHIM_H
#define OFR_TEST_UNIT_SHIM_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct unit_pins {
    // in
    bool rst, tie_both, reg_we, start;
    uint32_t k, me, t; // flat buses
    uint64_t used;
    uint32_t reg_adr, reg_wdat;
    // out: before the edge (combinational) and after it
    uint32_t reg_rdat;
    bool reg_err;
    bool done, busy;
    uint32_t kind, q, generation;
};

struct unit;
struct unit *unit_new(uint64_t seed); // in random state
void unit_free(struct unit *unit);
void unit_clock(struct unit *unit, struct unit_pins *pins);

// Parameters it was built with.
unsigned unit_n(void), unit_c(void), unit_mul(void);

#ifdef __cplusplus
}
#endif
#endif
