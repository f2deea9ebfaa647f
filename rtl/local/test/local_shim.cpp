// SPDX-License-Identifier: Apache-2.0
// A Verilated ofr_local behind C functions, see local_shim.h. W and CHANNELS as it was made with.
#include "Vofr_local.h"
#include "clocked_rtl.h"
#include "user_pins.h"

extern "C" {
#include "local_shim.h"
}

CLOCKED_RTL(local, Vofr_local)

extern "C" void local_rtl_eval(struct local_rtl *rtl, const struct local_pins *in,
                               struct local_outs *out)
{
    Vofr_local &t = rtl->top;
    t.clk = 0;
    t.rst = in->rst;
    t.configured = in->configured;
    t.epoch = in->epoch;
    t.me = in->me;
    t.size = in->size;
    t.now = in->now;
    t.reg_we = in->reg_we;
    t.reg_re = in->reg_re;
    t.reg_adr = in->reg_adr;
    t.reg_wdat = in->reg_wdat;
    t.li_ready = in->li_ready;
    t.lo_valid = in->lo_valid;
    t.lo_data = in->lo_data;
    t.lo_last = in->lo_last;
    t.lo_poison = in->lo_poison;
    t.reg_early = in->reg_early;
    set_user_pins<W>(t, *in, CHANNELS);
    t.s_datagram_tvalid = in->sd_valid;
    t.s_datagram_tdata = in->sd_data;
    t.s_datagram_tkeep = in->sd_keep;
    t.s_datagram_tlast = in->sd_last;
    t.s_datagram_tdest = in->sd_dest;
    t.s_datagram_tuser = in->sd_user;
    t.m_datagram_tready = in->md_ready;
    t.s_collective_tvalid = in->sc_valid;
    t.s_collective_tdata = in->sc_data;
    t.s_collective_tkeep = in->sc_keep;
    t.s_collective_tlast = in->sc_last;
    t.s_collective_tuser = in->sc_user;
    t.m_collective_tready = in->mc_ready;
    t.eval();
    out->reg_rdat = t.reg_rdat;
    out->reg_err = t.reg_err;
    out->li_valid = t.li_valid;
    out->li_vc = t.li_vc;
    out->li_data = t.li_data;
    out->li_last = t.li_last;
    out->lo_ready = t.lo_ready;
    out->ev_pinned = t.ev_pinned;
    get_user_pins<W>(t, *out, CHANNELS);
    out->sd_ready = t.s_datagram_tready;
    out->md_valid = t.m_datagram_tvalid;
    out->md_data = t.m_datagram_tdata;
    out->md_keep = t.m_datagram_tkeep;
    out->md_last = t.m_datagram_tlast;
    out->md_id = t.m_datagram_tid;
    out->md_dest = t.m_datagram_tdest;
    out->sc_ready = t.s_collective_tready;
    out->mc_valid = t.m_collective_tvalid;
    out->mc_data = t.m_collective_tdata;
    out->mc_keep = t.m_collective_tkeep;
    out->mc_last = t.m_collective_tlast;
    out->mc_user = t.m_collective_tuser;
}
