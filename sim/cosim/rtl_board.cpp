// SPDX-License-Identifier: Apache-2.0
// Wraps one Verilated build of ofr_board (RTL_TOP, with SHAPE_* and OPS given by make) for C.
#include "rtl_board.h"

#include RTL_HEADER
#include "port_pins.h"
#include "random_state.h"

#include <new>

namespace
{
constexpr int PORTS = 2 * SHAPE_N, W = SHAPE_W, RESET_CYCLES = 4;

struct board {
    VerilatedContext context;
    RTL_TOP top;

    explicit board(uint64_t seed) : top(random_state(context, seed))
    {
    }

    void edge()
    {
        for (int level = 0; level < 2; level++) {
            top.clk = level;
            top.eval();
        }
    }
};

board *of(rtl_board *b)
{
    return reinterpret_cast<board *>(b);
}

const board *of(const rtl_board *b)
{
    return reinterpret_cast<const board *>(b);
}

void reset(rtl_board *b)
{
    RTL_TOP &top = of(b)->top;
    top.rst = 1;
    for (int cycle = 0; cycle < RESET_CYCLES; cycle++)
        of(b)->edge();
    top.rst = 0;
    top.eval();
}

rtl_board *create(uint64_t serial, uint64_t seed)
{
    auto *b = new (std::nothrow) board(seed);
    if (!b)
        return nullptr;
    b->top.serial = serial;
    b->top.uart_rx = 1;
    b->top.flash_miso = 1;
    b->top.s_axis_tvalid = 0;
    b->top.m_axis_tready = 0;
    b->top.s_datagram_tvalid = b->top.m_datagram_tready = 0;
    b->top.s_collective_tvalid = b->top.m_collective_tready = 0;
    reset(reinterpret_cast<rtl_board *>(b));
    return reinterpret_cast<rtl_board *>(b);
}

void destroy(rtl_board *b)
{
    delete of(b);
}

void step(rtl_board *b, const ofr_node_in *in, bool uart_rx, bool flash_miso)
{
    RTL_TOP &top = of(b)->top;
    for (int p = 0; p < PORTS && !SHAPE_LINK && !SHAPE_WIRES; p++) {
        port_pins::in(top, p, in);
        if (in->rx[p].valid)
            port_pins::flit_in<W>(top, p, in->rx[p]);
    }
    top.uart_rx = uart_rx;
    top.flash_miso = flash_miso;
    of(b)->edge();
}

void link_in(rtl_board *b, unsigned port, const ofr_link_in *in)
{
    using verilated_bits::set;
    RTL_TOP &top = of(b)->top;
    int p = int(port);
    set(top.phy_up, p, 1, in->phy_up);
    set(top.phy_tx_ready, p, 1, in->phy_tx_ready);
    set(top.phy_rx_valid, p, 1, in->phy_rx_valid);
    set(top.phy_rx_word, W * p, W, in->phy_rx_word);
    set(top.phy_rx_late, p, 1, in->phy_rx_late);
}

void link_out(const rtl_board *b, unsigned port, ofr_link_out *out)
{
    using verilated_bits::get;
    const RTL_TOP &top = of(b)->top;
    int p = int(port);
    out->phy_tx_word = get(top.phy_tx_word, W * p, W);
    out->phase = get(top.phase, p, 1);
    out->link_up = get(top.mon_link_up, p, 1);
    out->state = ofr_link_state(get(top.mon_link_state, 3 * p, 3));
    out->why = ofr_link_why(get(top.mon_link_why, 4 * p, 4));
}

uint32_t time(const rtl_board *b, uint16_t *rank, unsigned *part)
{
    *part = of(b)->top.mon_part;
    *rank = of(b)->top.mon_rank;
    return of(b)->top.mon_time;
}

void out(const rtl_board *b, struct ofr_router_out *o)
{
    const RTL_TOP &top = of(b)->top;
    for (int p = 0; p < PORTS; p++) {
        port_pins::out(top, p, o);
        if (o->tx[p].valid)
            port_pins::flit_out<W>(top, p, &o->tx[p]);
    }
}

bool uart_tx(const rtl_board *b)
{
    return of(b)->top.uart_tx;
}

rtl_flash_pins flash_pins(const rtl_board *b)
{
    const RTL_TOP &top = of(b)->top;
    return {bool(top.flash_csn), bool(top.flash_sck), bool(top.flash_mosi)};
}

bool trapped(const rtl_board *b)
{
    return of(b)->top.trapped;
}

rtl_monitor monitor(const rtl_board *b)
{
    const RTL_TOP &top = of(b)->top;
    rtl_monitor m = {};
    m.we = top.mon_we && !top.mon_re;
    m.re = top.mon_re && !top.mon_we;
    m.refused = top.mon_we && top.mon_re;
    m.adr = top.mon_adr;
    m.wdat = top.mon_wdat;
    m.rdat = top.mon_rdat;
    m.copy = top.mon_copy;
    m.copy_index = top.mon_copy_index;
    m.copy_value = top.mon_copy_value;
    return m;
}

void channels(const rtl_board *b, logic_in *pins)
{
    const RTL_TOP &top = of(b)->top;
    pins->s_ready = top.s_axis_tready;
    pins->m_valid = top.m_axis_tvalid;
    pins->m_last = top.m_axis_tlast;
    pins->m_user = top.m_axis_tuser;
    for (int e = 0; e < SHAPE_CHANNELS; e++)
        if (pins->m_valid >> e & 1) {
            pins->m_data[e] = verilated_bits::get(top.m_axis_tdata, W * e, W);
            pins->m_keep[e] = uint8_t(verilated_bits::get(top.m_axis_tkeep, W / 8 * e, W / 8));
        }
}

void set_channels(rtl_board *b, const logic_out *pins)
{
    RTL_TOP &top = of(b)->top;
    top.s_axis_tvalid = pins->s_valid;
    top.s_axis_tlast = pins->s_last;
    top.m_axis_tready = pins->m_ready;
    for (int e = 0; e < SHAPE_CHANNELS; e++) {
        verilated_bits::set(top.s_axis_tdata, W * e, W, pins->s_data[e]);
        verilated_bits::set(top.s_axis_tkeep, W / 8 * e, W / 8, pins->s_keep[e]);
    }
}

void cables_in(rtl_board *b, const rtl_cable_pins *pins)
{
    RTL_TOP &top = of(b)->top;
    top.cable_rx_clk = pins->clk;
    verilated_bits::set(top.cable_rx, 0, PORTS * SHAPE_WIRES, pins->data);
    top.eval();
}

uint64_t cables_out(const rtl_board *b)
{
    return verilated_bits::get(of(b)->top.cable_tx, 0, PORTS * SHAPE_WIRES);
}

uint32_t links_up(const rtl_board *b)
{
    return of(b)->top.mon_link_up;
}
} // namespace

extern "C" const struct rtl_board_ops OPS;
const struct rtl_board_ops OPS = {
    {SHAPE_N, SHAPE_W, SHAPE_C, SHAPE_MUL, SHAPE_WITHOUT, SHAPE_L, SHAPE_LINK ? 8 : 0,
     SHAPE_LINK ? (SHAPE_SHARED ? W / 2 : W) : 0, SHAPE_CHANNELS, SHAPE_CHANNELS ? 4 : 0},
    create,
    destroy,
    reset,
    SHAPE_FLASH,
    step,
    SHAPE_LINK ? link_in : nullptr,
    SHAPE_LINK ? link_out : nullptr,
    time,
    out,
    uart_tx,
    flash_pins,
    trapped,
    monitor,
    SHAPE_CHANNELS ? channels : nullptr,
    SHAPE_CHANNELS ? set_channels : nullptr,
    SHAPE_WIRES,
    SHAPE_WIRES ? cables_in : nullptr,
    SHAPE_WIRES ? cables_out : nullptr,
    SHAPE_WIRES ? links_up : nullptr,
};
