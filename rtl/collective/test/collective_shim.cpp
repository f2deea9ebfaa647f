// SPDX-License-Identifier: Apache-2.0
// A Verilated ofr_collective behind C functions, see collective_shim.h. W and CHILDREN as it was
// made with.
#include "Vofr_collective.h"
#include "clocked_rtl.h"
#include "verilated_bits.h"

extern "C" {
#include "collective_shim.h"
}

CLOCKED_RTL(collective, Vofr_collective)

extern "C" void collective_rtl_eval(struct collective_rtl *rtl, const struct collective_pins *in,
                                    struct collective_outs *out)
{
    Vofr_collective &t = rtl->top;
    t.clk = 0;
    t.rst = in->rst;
    t.has_parent = in->has_parent;
    t.children = in->children;
    for (int i = 0; i < CHILDREN; i++)
        verilated_bits::set(t.sizes, 12 * i, 12, in->size[i]);
    t.leave = in->leave;
    t.drop = in->drop;
    t.clear = in->clear;
    t.s_axis_tvalid = in->s_valid;
    t.s_axis_tdata = in->s_data;
    t.s_axis_tkeep = in->s_keep;
    t.s_axis_tlast = in->s_last;
    t.s_axis_tuser = in->s_user;
    t.m_axis_tready = in->m_ready;
    t.from_tvalid = in->from_valid;
    t.from_tlast = in->from_last;
    t.from_tuser = in->from_user;
    t.to_tready = in->to_ready;
    for (int p = 0; p <= CHILDREN; p++)
        verilated_bits::set(t.from_tdata, W * p, W, in->from_data[p]);
    t.eval();
    out->busy = t.busy;
    out->reason = t.reason;
    out->broken = t.broken;
    out->waits = t.waits;
    out->s_ready = t.s_axis_tready;
    out->m_valid = t.m_axis_tvalid;
    out->m_data = t.m_axis_tdata;
    out->m_keep = t.m_axis_tkeep;
    out->m_last = t.m_axis_tlast;
    out->m_user = t.m_axis_tuser;
    out->from_ready = t.from_tready;
    out->to_valid = t.to_tvalid;
    out->to_last = t.to_tlast;
    for (int p = 0; p <= CHILDREN; p++) {
        out->to_data[p] = verilated_bits::get(t.to_tdata, W * p, W);
        out->to_keep[p] = uint8_t(verilated_bits::get(t.to_tkeep, W / 8 * p, W / 8));
    }
}
