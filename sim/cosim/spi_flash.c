// SPDX-License-Identifier: Apache-2.0
#include "spi_flash.h"

enum { READ = 0x03, RELEASE = 0xab, COMMAND_BITS = 8, HEADER_BITS = 32 };

void spi_flash_init(struct spi_flash *f, const uint8_t *image, size_t offset, size_t bytes)
{
    *f = (struct spi_flash){.image = image,
                            .offset = offset,
                            .bytes = bytes,
                            .asleep = SPI_FLASH_WAKE_CYCLES + 1,
                            .csn = true,
                            .miso = true};
}

static uint8_t byte_at(const struct spi_flash *f, size_t address)
{
    return address >= f->offset && address - f->offset < f->bytes ? f->image[address - f->offset]
                                                                  : 0xff;
}

bool spi_flash_step(struct spi_flash *f, bool csn, bool sck, bool mosi)
{
    if (f->asleep && f->asleep <= SPI_FLASH_WAKE_CYCLES)
        f->asleep--;
    if (csn && !f->csn && f->bits == COMMAND_BITS && f->command == RELEASE && f->asleep)
        f->asleep = SPI_FLASH_WAKE_CYCLES;
    if (csn)
        f->bits = 0;
    if (!csn && sck && !f->sck) {
        if (f->bits < COMMAND_BITS)
            f->command = (uint8_t)(f->command << 1 | mosi);
        else if (f->bits < HEADER_BITS)
            f->address = (f->address << 1 | mosi) & 0xffffff;
        f->bits++;
    }
    if (csn) {
        f->miso = true;
    } else if (!sck && f->sck) {
        unsigned bit = f->bits - HEADER_BITS; // of the data
        bool drives = !f->asleep && f->command == READ && f->bits >= HEADER_BITS;
        f->miso = !drives || byte_at(f, (f->address + bit / 8) & 0xffffff) >> (7 - bit % 8) & 1;
    }
    f->csn = csn;
    f->sck = sck;
    return f->miso;
}
