// SPDX-License-Identifier: Apache-2.0
// Wraps one Verilated build of ofr_board (RTL_TOP, with SHAPE_* and OPS given by make) for C.
#include "rtl_board.h"

#include RTL_HEADER
#include "random_state.h"
#include "verilated_bits.h"

#include <new>

using verilated_bits::get;
using verilated_bits::set;

namespace
{
constexpr int PORTS = 2 * SHAPE_N, W = SHAPE_W;

struct board {
    VerilatedContext context;
    RTL_TOP top;

    explicit board(uint64_t seed) : top(random_state(context, seed))
    {
    }

    void edge()
    {
        top.clk = 0;
        top.eval();
        top.clk = 1;
        top.eval();
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

rtl_board *create(uint64_t serial, uint64_t seed)
{
    auto *b = new (std::nothrow) board(seed);
    if (!b)
        return nullptr;
    b->top.serial = serial;
    b->top.uart_rx = 1;
    b->top.flash_miso = 1;
    b->top.rst = 1;
    b->edge();
    b->edge();
    b->top.rst = 0;
    b->top.eval();
    return reinterpret_cast<rtl_board *>(b);
}

void destroy(rtl_board *b)
{
    delete of(b);
}

void step(rtl_board *b, const ofr_node_in *in, bool uart_rx, bool flash_miso)
{
    RTL_TOP &top = of(b)->top;
    for (int p = 0; p < PORTS; p++) {
        set(top.link_up, p, 1, in->link_up[p]);
        set(top.rx_valid, p, 1, in->rx[p].valid);
        set(top.tx_ready, p, 1, in->tx_ready[p]);
        set(top.rx_abort, p, 1, in->rx_abort[p]);
        set(top.tx_rebase, p, 1, in->tx_rebase[p]);
        for (int v = 0; v < OFR_VCS; v++) {
            set(top.tx_credit, 12 * p + 4 * v, 4, in->tx_credit[p][v]);
            set(top.tx_base, 12 * p + 4 * v, 4, in->tx_base[p][v]);
        }
        if (!in->rx[p].valid)
            continue;
        set(top.rx_vc, 2 * p, 2, in->rx[p].vc);
        set(top.rx_data, W * p, W, in->rx[p].data);
        set(top.rx_last, p, 1, in->rx[p].last);
        set(top.rx_poison, p, 1, in->rx[p].poison);
    }
    top.uart_rx = uart_rx;
    top.flash_miso = flash_miso;
    of(b)->edge();
}

void out(const rtl_board *b, struct ofr_router_out *o)
{
    const RTL_TOP &top = of(b)->top;
    for (int p = 0; p < PORTS; p++) {
        ofr_flit &tx = o->tx[p];
        tx.valid = get(top.tx_valid, p, 1);
        for (int v = 0; v < OFR_VCS; v++) {
            o->rx_credit[p][v] = uint8_t(get(top.rx_credit, 12 * p + 4 * v, 4));
            o->rx_received[p][v] = uint8_t(get(top.rx_received, 12 * p + 4 * v, 4));
        }
        if (!tx.valid)
            continue;
        tx.vc = uint8_t(get(top.tx_vc, 2 * p, 2));
        tx.data = get(top.tx_data, W * p, W);
        tx.last = get(top.tx_last, p, 1);
        tx.poison = get(top.tx_poison, p, 1);
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
    m.we = top.mon_we;
    m.re = top.mon_re;
    m.adr = top.mon_adr;
    m.wdat = top.mon_wdat;
    m.rdat = top.mon_rdat;
    m.copy = top.mon_copy;
    m.copy_index = top.mon_copy_index;
    m.copy_value = top.mon_copy_value;
    return m;
}
} // namespace

extern "C" const struct rtl_board_ops OPS;
const struct rtl_board_ops OPS = {
    {SHAPE_N, SHAPE_W, SHAPE_C, SHAPE_MUL, SHAPE_WITHOUT, SHAPE_L},
    create,
    destroy,
    SHAPE_FLASH,
    step,
    out,
    uart_tx,
    flash_pins,
    trapped,
    monitor,
};
