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

// A board is in reset for 2^15 cycles from the PLL's lock on, whose model takes 2,400.
enum { CHIP_RESET = (1 << 15) + 2400 };

// Input pins. Of a cable (rtl/link/phy): bit p is its clock at port p, bit WIRES p + w a data wire.
struct chip_in {
    bool uart_rx, flash_miso;
    uint32_t cable_rx_clk;
    uint64_t cable_rx;
};

// Output pins; flash_csn is 1, sck and mosi 0 where the flash is not at pins.
struct chip_pins {
    bool uart_tx, flash_csn, flash_sck, flash_mosi;
    uint8_t led; // 1: lit
    uint32_t cable_tx_clk;
    uint64_t cable_tx;
};

struct chip_ops {
    const char *name;
    unsigned ports, wires; // of cables, and data wires each way; 0: no cables at pins
    // A chip just configured, NULL when memory is short. What configuration does not set, if
    // anything (in the RTL, registers without a reset), is drawn from the seed.
    struct chip *(*create)(uint64_t seed);
    void (*destroy)(struct chip *chip);
    // Gives a chip of RTL another serial number, once it is created; NULL: a bitstream, which has
    // its own.
    void (*serial)(struct chip *chip, uint64_t serial);
    // Half a period of the clock, in which it has that level; returns false when the model itself
    // ended the simulation. in: the UART and the flash change with the low level.
    bool (*half)(struct chip *chip, bool clk, const struct chip_in *in, struct chip_pins *out);
};

#ifdef __cplusplus
}
#endif
#endif
