// SPDX-License-Identifier: Apache-2.0
#include RTL_HEADER
#include "random_state.h"

#include <cstring>

extern "C" {
#include "counters_shim.h"

struct counters_rtl : random_top<RTL_TOP> {
    using random_top::random_top;
};

struct counters_rtl *counters_rtl_new(uint64_t seed)
{
    return new counters_rtl(seed);
}

void counters_rtl_free(struct counters_rtl *rtl)
{
    delete rtl;
}

void counters_rtl_clock(struct counters_rtl *rtl, struct counters_pins *pins)
{
    RTL_TOP &top = rtl->top;
    top.clk = 0;
    top.rst = pins->rst;
    top.ev_flit = pins->flit;
    top.ev_discarded = pins->discarded;
    top.ev_injected = pins->injected;
    top.ev_delivered = pins->delivered;
    top.ev_poisoned = pins->poisoned;
    top.ev_oidn = pins->oidn;
    top.ev_widn = pins->widn;
    top.ev_pinned = pins->pinned;
    top.ev_crc = pins->crc;
    top.ev_retry = pins->retry;
    top.ev_reset = pins->reset;
#if !COUNTERS_SMALL
    top.ev_flit_vc = pins->flit_vc;
    top.ev_packet = pins->packet;
    top.ev_packet_vc = pins->packet_vc;
    top.ev_stall_credit = pins->stall_credit;
    top.ev_stall_alloc = pins->stall_alloc;
    top.ev_stall_vc = pins->stall_vc;
    top.ev_refused = pins->refused;
    std::memset(&top.used, 0, sizeof top.used); // high-water marks are lockstep's
#endif
    top.reg_we = pins->reg_we;
    top.reg_re = pins->reg_re;
    top.reg_adr = pins->reg_adr;
    top.reg_wdat = pins->reg_wdat;
    top.eval();
    pins->reg_rdat = top.reg_rdat;
    pins->reg_err = top.reg_err;
    pins->copy = top.copy;
    pins->copy_index = top.copy_index;
    pins->copy_value = top.copy_value;
    top.clk = 1;
    top.eval();
}
}
