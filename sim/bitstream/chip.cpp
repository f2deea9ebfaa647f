// SPDX-License-Identifier: Apache-2.0
// Wraps one Verilated chip (TOP, HEADER, OPS and NAME given by build.sh) for C. CLOCK is the name
// of its clock's pin, LED that of its LEDs, FLASH 1 if the flash is at its pins: an ECP5's firmware
// is in block RAM.
#include "chip.h"

#include HEADER
#include "random_state.h"

#include <new>

namespace
{
using chip_top = random_top<TOP>;

chip *create(uint64_t seed)
{
    auto *c = new (std::nothrow) chip_top(seed);
    if (!c)
        return nullptr;
    c->top.CLOCK = 0;
    c->top.uart_rx = 1;
#if FLASH
    c->top.flash_miso = 1;
#endif
    c->top.eval();
    return reinterpret_cast<chip *>(c);
}

void destroy(chip *c)
{
    delete reinterpret_cast<chip_top *>(c);
}

bool step(chip *c, bool uart_rx, bool flash_miso, chip_pins *out)
{
    auto &[context, top] = *reinterpret_cast<chip_top *>(c);
    top.CLOCK = 0;
    top.uart_rx = uart_rx;
#if FLASH
    top.flash_miso = flash_miso;
#else
    (void)flash_miso;
#endif
    top.eval();
    top.CLOCK = 1;
    top.eval();
#if FLASH
    *out = {bool(top.uart_tx), bool(top.flash_csn), bool(top.flash_sck), bool(top.flash_mosi),
            uint8_t(top.LED)};
#else
    *out = {bool(top.uart_tx), true, false, false, uint8_t(top.LED)};
#endif
    return !context.gotFinish();
}
} // namespace

extern "C" const struct chip_ops OPS;
const struct chip_ops OPS = {NAME, create, destroy, step};
