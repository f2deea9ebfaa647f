// SPDX-License-Identifier: Apache-2.0
#include "Vofr_soc.h"
#include "random_state.h"

extern "C" {
#include "soc_shim.h"

struct soc : random_top<Vofr_soc> {
    using random_top::random_top;
};

struct soc *soc_new(uint64_t seed)
{
    return new soc(seed);
}

void soc_free(struct soc *soc)
{
    delete soc;
}

void soc_clock(struct soc *soc, struct soc_pins *pins)
{
    Vofr_soc &m = soc->top;
    m.clk = 0;
    m.rst = pins->rst;
    m.uart_rx = pins->uart_rx;
    m.wb_ack = pins->wb_ack;
    m.wb_err = pins->wb_err;
    m.wb_dat_r = pins->wb_dat_r;
    m.flash_miso = pins->flash_miso;
    m.serial = pins->serial;
    m.eval();
    m.clk = 1;
    m.eval();
    pins->uart_tx = m.uart_tx;
    pins->wb_cyc = m.wb_cyc;
    pins->wb_stb = m.wb_stb;
    pins->wb_we = m.wb_we;
    pins->wb_adr = m.wb_adr;
    pins->wb_dat_w = m.wb_dat_w;
    pins->flash_csn = m.flash_csn;
    pins->flash_sck = m.flash_sck;
    pins->flash_mosi = m.flash_mosi;
    pins->trapped = m.trapped;
}
}
