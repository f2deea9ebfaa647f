// SPDX-License-Identifier: Apache-2.0
// Wraps the Verilated ofr_link for C. SHAPE_*: its parameters, given by make. With SHAPE_SLOW > 1
// it is one of the ends that have the logic in turn; what comes to the others is random.
#include "link_rtl.h"

#include "Vofr_link.h"
#include "link_pins.h"
#include "random_state.h"
#include "rng.h"

#include <memory>
#include <new>

struct link_rtl {
    std::unique_ptr<VerilatedContext> context;
    Vofr_link top;
    struct ofr_link_counts counts = {};
    struct rng noise = {};
    unsigned slot = 0;    // its own
    uint64_t tx_word = 0; // SHAPE_SLOW > 1: what went last, which stands at no pin

    link_rtl(VerilatedContext *c, uint64_t seed) : context(c), top(random_state(*c, seed))
    {
        noise.state = seed;
        slot = SHAPE_SLOW > 1 ? rng_below(&noise, SHAPE_SLOW) : 0;
    }

    void settle()
    {
        top.clk = 0;
        top.eval();
    }

    void edge()
    {
        settle();
        top.clk = 1;
        top.eval();
    }

    // Cycles of the other ends, which must not matter
    void others()
    {
        for (settle(); top.slot != slot; settle()) {
            struct ofr_link_in in = {};
            in.enable = rng_below(&noise, 64);
            in.tx.valid = rng_below(&noise, 2);
            in.tx.vc = rng_below(&noise, 3);
            in.tx.data = rng_next(&noise);
            in.tx.last = rng_below(&noise, 2);
            in.phy_up = rng_below(&noise, 64);
            in.phy_tx_ready = rng_below(&noise, 2);
            in.phy_rx_valid = rng_below(&noise, 2);
            in.phy_rx_word = rng_below(&noise, 2) ? rng_next(&noise) : link_pins::SYNC;
            pins(&in);
            edge();
        }
    }

    void pins(const struct ofr_link_in *in)
    {
        link_pins::in(top, in);
        top.phy_up = in->phy_up;
        top.phy_tx_ready = in->phy_tx_ready;
        top.phy_rx_valid = in->phy_rx_valid;
        verilated_bits::set(top.phy_rx_word, 0, SHAPE_W, in->phy_rx_word);
        top.phy_rx_late = in->phy_rx_late;
    }
};

extern "C" {

struct ofr_link_shape link_rtl_shape(void)
{
    struct ofr_link_shape shape = link_pins::shape();
    shape.slow = SHAPE_SLOW > 1;
    return shape;
}

void link_rtl_reset(struct link_rtl *l)
{
    l->top.rst = 1;
    for (int i = 0; i < SHAPE_SLOW + 1; i++)
        l->edge();
    l->top.rst = 0;
    for (l->settle(); l->top.slot != 0; l->settle())
        l->edge();
    l->counts = {};
    l->tx_word = link_pins::SYNC;
    l->others();
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
    l->pins(in);
    l->settle();
    link_pins::count(l->top, &l->counts);
    if (in->phy_tx_ready && l->top.phase)
        l->tx_word = verilated_bits::get(l->top.phy_tx_word, 0, SHAPE_W);
    l->edge();
    l->others();
}

void link_rtl_out(const struct link_rtl *l, struct ofr_link_out *out)
{
    link_pins::out(l->top, out);
    if (SHAPE_SLOW > 1)
        out->phy_tx_word = l->tx_word;
}

struct ofr_link_counts link_rtl_counts(const struct link_rtl *l)
{
    return l->counts;
}
}
