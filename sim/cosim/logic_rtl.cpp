// SPDX-License-Identifier: Apache-2.0
// A Verilog module as a user's logic (logic.h): TOP, Verilated, with the header HEADER. Its pins,
// W = 32 and 8 ends, seen from the logic: clk, rst, idle; m_axis_* (to the boards' s_axis_*),
// tvalid, tready, tdata, tkeep, tlast; s_axis_* the same with tuser.
#include HEADER
#include "logic.h"
#include "random_state.h"
#include "verilated_bits.h"

#include <new>

double sc_time_stamp()
{
    return 0;
}

namespace
{
constexpr int ENDS = LOGIC_ENDS, W = 32;

using Logic = random_top<TOP>;

void edge(TOP &t)
{
    t.clk = 1;
    t.eval();
    t.clk = 0;
    t.eval();
}

void reset(void *logic)
{
    TOP &t = static_cast<Logic *>(logic)->top;
    t.m_axis_tready = t.s_axis_tvalid = 0;
    t.clk = 0;
    t.rst = 1;
    t.eval();
    edge(t);
    t.rst = 0;
    t.eval();
}

void *create(uint64_t seed)
{
    auto *logic = new (std::nothrow) Logic(seed);
    if (logic)
        reset(logic);
    return logic;
}

void destroy(void *logic)
{
    delete static_cast<Logic *>(logic);
}

void cycle(void *logic, const logic_in *in, logic_out *out)
{
    TOP &t = static_cast<Logic *>(logic)->top;
    t.m_axis_tready = in->s_ready;
    t.s_axis_tvalid = in->m_valid;
    t.s_axis_tlast = in->m_last;
    t.s_axis_tuser = in->m_user;
    for (int e = 0; e < ENDS; e++)
        if (in->m_valid >> e & 1) {
            verilated_bits::set(t.s_axis_tdata, W * e, W, in->m_data[e]);
            verilated_bits::set(t.s_axis_tkeep, W / 8 * e, W / 8, in->m_keep[e]);
        }
    t.eval();
    out->s_valid = t.m_axis_tvalid;
    out->s_last = t.m_axis_tlast;
    out->m_ready = t.s_axis_tready;
    for (int e = 0; e < ENDS; e++) {
        out->s_data[e] = verilated_bits::get(t.m_axis_tdata, W * e, W);
        out->s_keep[e] = uint8_t(verilated_bits::get(t.m_axis_tkeep, W / 8 * e, W / 8));
    }
    edge(t);
}

bool idle(const void *logic)
{
    return static_cast<const Logic *>(logic)->top.idle;
}
} // namespace

extern "C" const logic *outflank_logic()
{
    static const logic made = {LOGIC_VERSION, ENDS, W, create, destroy, reset, cycle, idle};
    return &made;
}
