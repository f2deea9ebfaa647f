// SPDX-License-Identifier: Apache-2.0
// A Verilated ofr_node behind C functions, see node_shim.h.
#include "node_shim.h"

#include "random_state.h"

#include "Vofr_node.h"
#include "verilated.h"
#include "verilated_bits.h"

#include <memory>
#include <new>

using verilated_bits::get;
using verilated_bits::set;

namespace
{
constexpr int PORTS = 2 * SHAPE_N, W = SHAPE_W;
}

struct node_rtl {
    std::unique_ptr<VerilatedContext> context;
    Vofr_node top;
    node_rtl(VerilatedContext *c, uint64_t seed) : context(c), top(random_state(*c, seed))
    {
    }
};

extern "C" {

struct ofr_shape node_rtl_shape(void)
{
    struct ofr_shape shape = {};
    shape.n = SHAPE_N;
    shape.flit_bits = W;
    shape.slots = SHAPE_C;
    shape.unit_mul = 0;
    shape.slot_flits = SHAPE_L;
    return shape;
}

struct node_rtl *node_rtl_new(uint64_t serial, uint32_t seed)
{
    auto *context = new (std::nothrow) VerilatedContext;
    if (!context)
        return nullptr;
    auto *rtl = new (std::nothrow) node_rtl(context, seed);
    if (!rtl) {
        delete context;
        return nullptr;
    }
    rtl->top.serial = serial;
    return rtl;
}

void node_rtl_delete(struct node_rtl *rtl)
{
    delete rtl;
}

void node_rtl_step(struct node_rtl *rtl, bool rst, const struct ofr_node_in *in,
                   const struct node_bus *bus)
{
    Vofr_node &top = rtl->top;
    top.rst = rst;
    top.wb_cyc = top.wb_stb = bus->stb;
    top.wb_we = bus->we;
    top.wb_adr = bus->adr;
    top.wb_dat_w = bus->dat_w;
    for (int p = 0; p < PORTS; p++) {
        set(top.link_up, p, 1, in->link_up[p]);
        set(top.rx_valid, p, 1, in->rx[p].valid);
        set(top.rx_vc, 2 * p, 2, in->rx[p].vc);
        set(top.rx_data, W * p, W, in->rx[p].data);
        set(top.rx_last, p, 1, in->rx[p].last);
        set(top.rx_poison, p, 1, in->rx[p].poison);
        set(top.rx_abort, p, 1, in->rx_abort[p]);
        set(top.tx_ready, p, 1, in->tx_ready[p]);
        set(top.tx_rebase, p, 1, in->tx_rebase[p]);
        for (int v = 0; v < OFR_VCS; v++) {
            set(top.tx_credit, 12 * p + 4 * v, 4, in->tx_credit[p][v]);
            set(top.tx_base, 12 * p + 4 * v, 4, in->tx_base[p][v]);
        }
    }
    top.clk = 0;
    top.eval();
    top.clk = 1;
    top.eval();
}

struct node_seen node_rtl_bus(const struct node_rtl *rtl)
{
    const Vofr_node &top = rtl->top;
    struct node_seen seen = {};
    seen.we = top.mon_we;
    seen.re = top.mon_re;
    seen.ack = top.wb_ack;
    seen.err = top.wb_err;
    seen.dat_r = top.wb_dat_r;
    return seen;
}

void node_rtl_out(const struct node_rtl *rtl, struct ofr_router_out *out)
{
    const Vofr_node &top = rtl->top;
    *out = {};
    for (int p = 0; p < PORTS; p++) {
        ofr_flit &tx = out->tx[p];
        tx.valid = get(top.tx_valid, p, 1);
        tx.vc = uint8_t(get(top.tx_vc, 2 * p, 2));
        tx.data = get(top.tx_data, W * p, W);
        tx.last = get(top.tx_last, p, 1);
        tx.poison = get(top.tx_poison, p, 1);
        for (int v = 0; v < OFR_VCS; v++) {
            out->rx_credit[p][v] = uint8_t(get(top.rx_credit, 12 * p + 4 * v, 4));
            out->rx_received[p][v] = uint8_t(get(top.rx_received, 12 * p + 4 * v, 4));
        }
    }
}
}
