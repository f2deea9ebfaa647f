// SPDX-License-Identifier: Apache-2.0
// An FPGA at its pins, for C: the board top from the RTL, or what a bitstream decodes to. One
// header for both; chip.cpp is compiled once for each.
#ifndef CHIP_H
#define CHIP_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct chip;

// Output pins after a clock edge; flash_csn is 1, sck and mosi 0 where the flash is not at pins.
struct chip_pins {
    bool uart_tx, flash_csn, flash_sck, flash_mosi;
    uint8_t led;
};

struct chip_ops {
    const char *name;
    // A chip just configured, NULL when memory is short. What configuration does not set, if
    // anything (in the RTL, registers without a reset), is drawn from the seed.
    struct chip *(*create)(uint64_t seed);
    void (*destroy)(struct chip *chip);
    // One period of the clock; returns false when the model itself ended the simulation.
    bool (*step)(struct chip *chip, bool uart_rx, bool flash_miso, struct chip_pins *out);
};

extern const struct chip_ops chip_rtl, chip_bits;

#ifdef __cplusplus
}
#endif
#endif
