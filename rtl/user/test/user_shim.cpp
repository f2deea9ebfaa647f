// SPDX-License-Identifier: Apache-2.0
// A Verilated ofr_user behind C functions, see user_shim.h. W and ENDS as it was made with.
#include "Vofr_user.h"
#include "clocked_rtl.h"
#include "verilated_bits.h"

extern "C" {
#include "user_shim.h"
}

CLOCKED_RTL(user, Vofr_user)

extern "C" void user_rtl_eval(struct user_rtl *rtl, const struct user_pins *in,
                              struct user_outs *out)
{
    using namespace verilated_bits;
    Vofr_user &t = rtl->top;
    t.clk = 0;
    t.rst = in->rst;
    t.reg_we = in->reg_we;
    t.reg_adr = in->reg_adr;
    t.reg_wdat = in->reg_wdat;
    t.m_axis_tready = in->m_ready;
    t.s_axis_tvalid = in->s_valid;
    t.s_axis_tlast = in->s_last;
    t.s_axis_tuser = in->s_user;
    for (int e = 0; e < ENDS; e++) {
        set(t.s_axis_tdata, W * e, W, in->s_data[e]);
        set(t.s_axis_tkeep, W / 8 * e, W / 8, in->s_keep[e]);
    }
    t.eval();
    out->reg_rdat = t.reg_rdat;
    out->reg_err = t.reg_err;
    out->s_ready = t.s_axis_tready;
    out->m_valid = t.m_axis_tvalid;
    out->m_last = t.m_axis_tlast;
    for (int e = 0; e < ENDS; e++) {
        out->m_data[e] = get(t.m_axis_tdata, W * e, W);
        out->m_keep[e] = uint8_t(get(t.m_axis_tkeep, W / 8 * e, W / 8));
    }
}
