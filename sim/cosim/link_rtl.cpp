// SPDX-License-Identifier: Apache-2.0
// Wraps the Verilated ofr_link for C. SHAPE_*: its parameters, given by make.
#include "link_rtl.h"

#include "Vofr_link.h"
#include "link_pins.h"
#include "random_state.h"

#include <memory>
#include <new>

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
        link_pins::count(top, &counts);
        top.clk = 1;
        top.eval();
    }
};

extern "C" {

struct ofr_link_shape link_rtl_shape(void)
{
    return link_pins::shape();
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
    link_pins::in(top, in);
    top.phy_up = in->phy_up;
    top.phy_tx_ready = in->phy_tx_ready;
    top.phy_rx_valid = in->phy_rx_valid;
    set(top.phy_rx_word, 0, SHAPE_W, in->phy_rx_word);
    top.phy_rx_late = in->phy_rx_late;
    l->edge();
}

void link_rtl_out(const struct link_rtl *l, struct ofr_link_out *out)
{
    link_pins::out(l->top, out);
}

struct ofr_link_counts link_rtl_counts(const struct link_rtl *l)
{
    return l->counts;
}
}
