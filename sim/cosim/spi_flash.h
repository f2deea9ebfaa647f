// SPDX-License-Identifier: Apache-2.0
// An SPI flash at its pins, as far as rtl/soc/ofr_flash.v uses one: mode 0, read (03h, 24-bit
// address, as long as the chip is selected) and release from power-down (ABh). It starts in
// power-down, where an iCE40 leaves it after configuration; until it is awake it drives nothing.
#ifndef SPI_FLASH_H
#define SPI_FLASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SPI_FLASH_WAKE_CYCLES = 150 }; // tRES1: 3 us at 50 MHz

struct spi_flash {
    const uint8_t *image; // `bytes` bytes from byte address `offset` on; all else is erased: ff
    size_t offset, bytes;
    unsigned bits; // of the present command
    uint8_t command;
    uint32_t address;
    unsigned asleep; // cycles to go; SPI_FLASH_WAKE_CYCLES + 1: in power-down
    bool csn, sck, miso;
};

// The image must outlive the flash.
void spi_flash_init(struct spi_flash *flash, const uint8_t *image, size_t offset, size_t bytes);

// One cycle of the board's clock: the board's output pins in, returns the level of miso (high where
// the flash does not drive it).
bool spi_flash_step(struct spi_flash *flash, bool csn, bool sck, bool mosi);

#endif
