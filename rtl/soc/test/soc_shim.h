// SPDX-License-Identifier: Apache-2.0
// C interface of the Verilated SoC.
#ifndef OFR_SOC_SHIM_H
#define OFR_SOC_SHIM_H

#include <stdbool.h>
#include <stdint.h>

struct soc_pins {
    bool rst, uart_rx, wb_ack, wb_err, flash_miso;
    uint64_t serial;
    uint32_t wb_dat_r;
    bool uart_tx, wb_cyc, wb_stb, wb_we, flash_csn, flash_sck, flash_mosi, trapped; // out
    uint16_t wb_adr;                                                                // out
    uint32_t wb_dat_w;                                                              // out
};

struct soc;
struct soc *soc_new(uint64_t seed); // in random state
void soc_free(struct soc *soc);
void soc_clock(struct soc *soc, struct soc_pins *pins); // one cycle; the outputs after the edge

#endif
