// SPDX-License-Identifier: Apache-2.0
// A Verilated ofr_datagram behind C functions, see datagram_shim.h.
#include "Vofr_datagram.h"
#include "clocked_rtl.h"

extern "C" {
#include "datagram_shim.h"
}

CLOCKED_RTL(datagram, Vofr_datagram)

extern "C" void datagram_rtl_eval(struct datagram_rtl *rtl, const struct datagram_pins *in,
                                  struct datagram_outs *out)
{
    Vofr_datagram &t = rtl->top;
    t.clk = 0;
    t.rst = in->rst;
    t.me = in->me;
    t.size = in->size;
    t.reg_adr = in->reg_adr;
    t.s_axis_tvalid = in->s_valid;
    t.s_axis_tdata = in->s_data;
    t.s_axis_tkeep = in->s_keep;
    t.s_axis_tlast = in->s_last;
    t.s_axis_tdest = in->s_dest;
    t.s_axis_tuser = in->s_user;
    t.m_axis_tready = in->m_ready;
    t.tx_ready = in->tx_ready;
    t.tx_unreachable = in->tx_unreachable;
    t.rx_valid = in->rx_valid;
    t.rx_data = in->rx_data;
    t.rx_last = in->rx_last;
    t.rx_poison = in->rx_poison;
    t.eval();
    out->reg_rdat = t.reg_rdat;
    out->s_ready = t.s_axis_tready;
    out->m_valid = t.m_axis_tvalid;
    out->m_data = t.m_axis_tdata;
    out->m_keep = t.m_axis_tkeep;
    out->m_last = t.m_axis_tlast;
    out->m_id = t.m_axis_tid;
    out->m_dest = t.m_axis_tdest;
    out->tx_valid = t.tx_valid;
    out->tx_data = t.tx_data;
    out->tx_last = t.tx_last;
}
