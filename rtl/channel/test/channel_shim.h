// SPDX-License-Identifier: Apache-2.0
// C interface of a Verilated ofr_channel: eval() shows the outputs for a cycle's inputs, clock()
// is the edge.
#ifndef CHANNEL_SHIM_H
#define CHANNEL_SHIM_H

#include <stdint.h>

struct channel_rtl;

struct channel_pins {
    uint8_t rst, reg_early, reg_we, tx_ready, rx_valid, rx_last, rx_poison;
    uint16_t me, reg_adr, s_valid, s_last, m_ready; // a bit an end
    uint32_t size, reg_wdat;
    uint64_t rx_data, s_data[16];
    uint8_t s_keep[16];
};

struct channel_outs {
    uint32_t reg_rdat;
    uint8_t reg_err, tx_valid, tx_last, m_keep[16];
    uint16_t s_ready, m_valid, m_last, m_user;
    uint64_t tx_data, m_data[16];
};

struct channel_rtl *channel_rtl_new(uint64_t seed); // in random state
void channel_rtl_delete(struct channel_rtl *rtl);
void channel_rtl_eval(struct channel_rtl *rtl, const struct channel_pins *in,
                      struct channel_outs *out);
void channel_rtl_clock(struct channel_rtl *rtl);

#endif
