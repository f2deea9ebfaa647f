// SPDX-License-Identifier: Apache-2.0
// C interface of a Verilated ofr_datagram: eval() shows the outputs for a cycle's inputs, clock()
// is the edge.
#ifndef DATAGRAM_SHIM_H
#define DATAGRAM_SHIM_H

#include <stdint.h>

struct datagram_rtl;

struct datagram_pins {
    uint8_t rst, s_valid, s_keep, s_last, s_user, m_ready, tx_ready, tx_unreachable;
    uint8_t rx_valid, rx_last, rx_poison;
    uint16_t me, reg_adr, s_dest;
    uint32_t size;
    uint64_t s_data, rx_data;
};

struct datagram_outs {
    uint8_t s_ready, m_valid, m_keep, m_last, m_dest, tx_valid, tx_last;
    uint16_t m_id;
    uint32_t reg_rdat;
    uint64_t m_data, tx_data;
};

struct datagram_rtl *datagram_rtl_new(uint64_t seed); // in random state
void datagram_rtl_delete(struct datagram_rtl *rtl);
void datagram_rtl_eval(struct datagram_rtl *rtl, const struct datagram_pins *in,
                       struct datagram_outs *out);
void datagram_rtl_clock(struct datagram_rtl *rtl);

#endif
