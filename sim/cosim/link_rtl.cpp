// SPDX-License-Identifier: Apache-2.0
// Wraps the Verilated ofr_link for C. SHAPE_*: its parameters, given by make.
#include "link_rtl.h"

#include "Vofr_link.h"
#include "random_state.h"
#include "verilated_bits.h"

#include <memory>
#include <new>

using verilated_bits::get;
using verilated_bits::set;

struct link_rtl {
    std::unique_ptr<VerilatedContext> context;
    Vofr_link top;
    struct ofr_link_counts counts = {};

    link_rtl(VerilatedContext *c, uint64_t seed) : context(c), top(random_state(*c, seed))
    {
    }

    void edge()
    {
        top.clk = 0;
        top.eval();
        counts.frames += top.ev_frame;
        counts.retries += top.ev_retry;
        counts.bad += top.ev_bad;
        counts.ups += top.ev_up;
        counts.downs += top.ev_down;
        top.clk = 1;
        top.eval();
    }
};

extern "C" {

struct ofr_link_shape link_rtl_shape(void)
{
    struct ofr_link_shape shape = {};
    shape.n = SHAPE_N;
    shape.flit_bits = SHAPE_W;
    shape.slot_flits = SHAPE_L;
    shape.slots = SHAPE_C;
    shape.shared = SHAPE_SHARED;
    shape.serial = SHAPE_SERIAL;
    shape.tick = SHAPE_TICK;
    shape.crc_check = SHAPE_CRC;
    return shape;
}

void link_rtl_reset(struct link_rtl *l)
{
    l->top.rst = 1;
    for (int i = 0; i < 2; i++)
        l->edge();
    l->top.rst = 0;
    l->counts = {};
    l->top.clk = 0;
    l->top.eval();
}

struct link_rtl *link_rtl_new(uint64_t seed)
{
    auto *context = new (std::nothrow) VerilatedContext;
    auto *l = context ? new (std::nothrow) link_rtl(context, seed) : nullptr;
    if (!l) {
        delete context;
        return nullptr;
    }
    l->top.clk = 0;
    l->top.enable = 0;
    l->top.phy_rx_valid = 0;
    l->top.tx_valid = 0;
    link_rtl_reset(l);
    return l;
}

void link_rtl_free(struct link_rtl *l)
{
    delete l;
}

void link_rtl_step(struct link_rtl *l, const struct ofr_link_in *in)
{
    Vofr_link &top = l->top;
    top.enable = in->enable;
    top.serial = in->serial;
    top.tx_valid = in->tx.valid;
    top.tx_vc = in->tx.vc;
    set(top.tx_data, 0, SHAPE_W, in->tx.data);
    top.tx_last = in->tx.last;
    top.tx_poison = in->tx.poison;
    for (int v = 0; v < OFR_VCS; v++) {
        set(top.rx_credit, 4 * v, 4, in->rx_credit[v]);
        set(top.rx_received, 4 * v, 4, in->rx_received[v]);
    }
    top.phy_up = in->phy_up;
    top.phy_tx_ready = in->phy_tx_ready;
    top.phy_rx_valid = in->phy_rx_valid;
    set(top.phy_rx_word, 0, SHAPE_W, in->phy_rx_word);
    l->edge();
}

void link_rtl_out(const struct link_rtl *l, struct ofr_link_out *out)
{
    const Vofr_link &top = l->top;
    *out = {};
    out->link_up = top.link_up;
    out->tx_ready = top.tx_ready;
    out->tx_rebase = top.tx_rebase;
    for (int v = 0; v < OFR_VCS; v++)
        out->tx_credit[v] = uint8_t(get(top.tx_credit, 4 * v, 4));
    out->rx.valid = top.rx_valid;
    out->rx.vc = top.rx_vc;
    out->rx.data = get(top.rx_data, 0, SHAPE_W);
    out->rx.last = top.rx_last;
    out->rx.poison = top.rx_poison;
    out->rx_abort = top.rx_abort;
    out->phy_tx_word = get(top.phy_tx_word, 0, SHAPE_W);
    out->phase = top.phase;
    out->state = ofr_link_state(top.state);
    out->why = ofr_link_why(top.why);
    out->peer = top.peer;
}

struct ofr_link_counts link_rtl_counts(const struct link_rtl *l)
{
    return l->counts;
}
}
