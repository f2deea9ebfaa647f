// SPDX-License-Identifier: Apache-2.0
// Wraps one Verilated chip (TOP, HEADER, OPS and NAME given by build.sh) for C. CLOCK is the name
// of its clock's pin, LED that of its LEDs, which are LEDS many and lit by LIT, FLASH 1 if the
// flash is at its pins: an ECP5's firmware is in block RAM. PORTS and WIRES: cables and data wires
// of each, 0 where there are none at pins. SERIAL: where a model of RTL has its
// serial number, if it is to be given one (ROOT is the header that has it).
#include "chip.h"

#include HEADER
#ifdef SERIAL
#include ROOT
#endif
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

#ifdef SERIAL
void serial(chip *c, uint64_t number)
{
    reinterpret_cast<chip_top *>(c)->top.rootp->SERIAL = number;
}
#else
constexpr void (*serial)(chip *, uint64_t) = nullptr;
#endif

bool half(chip *c, bool clk, const chip_in *in, chip_pins *out)
{
    auto &[context, top] = *reinterpret_cast<chip_top *>(c);
    top.CLOCK = clk;
    top.uart_rx = in->uart_rx;
#if FLASH
    top.flash_miso = in->flash_miso;
#endif
#if PORTS
    top.cable_rx_clk = in->cable_rx_clk;
    top.cable_rx = in->cable_rx;
#endif
    top.eval();
    *out = {bool(top.uart_tx), true, false, false, uint8_t(top.LED), 0, 0};
    if (!LIT)
        out->led ^= uint8_t((1 << LEDS) - 1);
#if FLASH
    out->flash_csn = top.flash_csn;
    out->flash_sck = top.flash_sck;
    out->flash_mosi = top.flash_mosi;
#endif
#if PORTS
    out->cable_tx_clk = top.cable_tx_clk;
    out->cable_tx = top.cable_tx;
#endif
    return !context.gotFinish();
}
} // namespace

extern "C" const struct chip_ops OPS;
const struct chip_ops OPS = {NAME, PORTS, WIRES, create, destroy, serial, half};
