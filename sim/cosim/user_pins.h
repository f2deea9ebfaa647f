// SPDX-License-Identifier: Apache-2.0
// The pins of channels towards a user's logic, of any Verilated module that has them; `ends` of
// them, `width` bits of data each. In and Out: structures with the members used here.
#ifndef USER_PINS_H
#define USER_PINS_H

#include "verilated_bits.h"

template <int width, class Top, class In> void set_user_pins(Top &t, const In &in, int ends)
{
    t.s_axis_tvalid = in.s_valid;
    t.s_axis_tlast = in.s_last;
    t.m_axis_tready = in.m_ready;
    for (int e = 0; e < ends; e++) {
        verilated_bits::set(t.s_axis_tdata, width * e, width, in.s_data[e]);
        verilated_bits::set(t.s_axis_tkeep, width / 8 * e, width / 8, in.s_keep[e]);
    }
}

template <int width, class Top, class Out> void get_user_pins(const Top &t, Out &out, int ends)
{
    out.s_ready = t.s_axis_tready;
    out.m_valid = t.m_axis_tvalid;
    out.m_last = t.m_axis_tlast;
    out.m_user = t.m_axis_tuser;
    for (int e = 0; e < ends; e++) {
        out.m_data[e] = verilated_bits::get(t.m_axis_tdata, width * e, width);
        out.m_keep[e] = uint8_t(verilated_bits::get(t.m_axis_tkeep, width / 8 * e, width / 8));
    }
}

#endif
