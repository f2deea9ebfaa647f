// SPDX-License-Identifier: Apache-2.0
// A Verilated ofr_channel behind C functions, see channel_shim.h. W and ENDS as it was made with.
#include "Vofr_channel.h"
#include "clocked_rtl.h"
#include "user_pins.h"

extern "C" {
#include "channel_shim.h"
}

CLOCKED_RTL(channel, Vofr_channel)

extern "C" void channel_rtl_eval(struct channel_rtl *rtl, const struct channel_pins *in,
                                 struct channel_outs *out)
{
    Vofr_channel &t = rtl->top;
    t.clk = 0;
    t.rst = in->rst;
    t.me = in->me;
    t.size = in->size;
    t.reg_early = in->reg_early;
    t.reg_we = in->reg_we;
    t.reg_adr = in->reg_adr;
    t.reg_wdat = in->reg_wdat;
    set_user_pins<W>(t, *in, ENDS);
    t.tx_ready = in->tx_ready;
    t.rx_valid = in->rx_valid;
    t.rx_data = in->rx_data;
    t.rx_last = in->rx_last;
    t.rx_poison = in->rx_poison;
    t.eval();
    out->reg_rdat = t.reg_rdat;
    out->reg_err = t.reg_err;
    out->tx_valid = t.tx_valid;
    out->tx_last = t.tx_last;
    out->tx_data = t.tx_data;
    get_user_pins<W>(t, *out, ENDS);
}
