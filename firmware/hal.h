// SPDX-License-Identifier: Apache-2.0
// How the firmware reaches registers. On the target (OFR_TARGET defined) by volatile accesses; in
// the host build, for boards whose router is the golden model, by the functions of a struct fw_hal.
// Addresses are the core's (OFR_BASE_* + offset), accesses are of 32 bits.
#ifndef OFR_HAL_H
#define OFR_HAL_H

#include <stdbool.h>
#include <stdint.h>

#include "ofr_regs.h"

#ifndef OFR_TARGET
// Register access of the host build. `*err` is to be set to true where the hardware would answer
// with a bus error (it is false on entry); a read then gives 0. The functions must not call fw_*.
struct fw_hal {
    uint32_t (*read)(void *ctx, uint32_t address, bool *err);
    void (*write)(void *ctx, uint32_t address, uint32_t value, bool *err);
    void *ctx;
};
#endif

#endif
