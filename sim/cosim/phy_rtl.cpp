// SPDX-License-Identifier: Apache-2.0
// Wraps the Verilated ofr_link_cabled for C, or with SHAPE_MIXED ofr_link_mixed. SHAPE_*: its
// parameters, given by make.
#include "phy_rtl.h"

#if SHAPE_MIXED
#include "Vofr_link_mixed.h"
using Top = Vofr_link_mixed;
#else
#include "Vofr_link_cabled.h"
using Top = Vofr_link_cabled;
#endif
#include "link_pins.h"
#include "random_state.h"

#include <memory>
#include <new>

using verilated_bits::get;
using verilated_bits::set;

enum { ERRORS = 16 };

struct phy_rtl {
    std::unique_ptr<VerilatedContext> context;
    Top top;
    struct ofr_link_counts counts = {};
    uint64_t lost = 0;
    bool four = false;
    uint64_t tx_word = link_pins::SYNC; // the last one that went, which stands at no pin

    phy_rtl(VerilatedContext *c, uint64_t seed) : context(c), top(random_state(*c, seed))
    {
    }
};

extern "C" {

struct ofr_link_shape phy_rtl_shape(void)
{
    return link_pins::shape();
}

unsigned phy_rtl_wires(void)
{
    return SHAPE_WIRES;
}

bool phy_rtl_double(void)
{
    return SHAPE_CELLS != 0;
}

unsigned phy_rtl_taps(void)
{
    return SHAPE_TAPS;
}

unsigned phy_rtl_half(void)
{
    return SHAPE_HALF;
}

bool phy_rtl_mixed(void)
{
    return SHAPE_MIXED;
}

bool phy_rtl_turn(const struct phy_rtl *end)
{
#if SHAPE_MIXED
    return end->top.turn;
#else
    (void)end;
    return true;
#endif
}

struct phy_rtl *phy_rtl_new(uint64_t seed, unsigned tune, bool four)
{
    auto *context = new (std::nothrow) VerilatedContext;
    auto *end = context ? new (std::nothrow) phy_rtl(context, seed) : nullptr;
    if (!end) {
        delete context;
        return nullptr;
    }
    end->top.clk = 0;
    end->top.cable_rx_clk = 0;
    end->top.rst = 1;
    end->top.hold = 0;
    end->top.tune = tune;
    end->top.tx_valid = 0;
    end->four = four;
#if SHAPE_MIXED
    end->top.four = four;
    end->top.which = seed & 3;
#endif
    end->top.eval();
    return end;
}

void phy_rtl_free(struct phy_rtl *end)
{
    delete end;
}

void phy_rtl_clk(struct phy_rtl *end, bool level, const struct ofr_link_in *in, bool rst, bool bert)
{
    Top &top = end->top;
    if (level) {
        link_pins::in(top, in);
        top.rst = rst;
        top.bert = bert;
        top.eval();
        if (rst) {
            end->counts = {};
            end->tx_word = link_pins::SYNC;
        } else if (phy_rtl_turn(end)) {
            link_pins::count(top, &end->counts);
            if (top.phy_tx_ready)
                end->tx_word = get(top.phy_tx_word, 0, SHAPE_W);
        }
    }
    top.clk = level;
    top.eval();
}

void phy_rtl_rx_clk(struct phy_rtl *end, bool level, uint64_t bits)
{
    Top &top = end->top;
    set(top.cable_rx, 0, SHAPE_WIRES, bits);
    top.cable_rx_clk = level;
    top.eval();
    end->lost += level && top.phy_up && top.phy_lost; // before its first reset it may say anything
}

void phy_rtl_out(const struct phy_rtl *end, struct ofr_link_out *out, struct ofr_link_in *in)
{
    const Top &top = end->top;
    link_pins::out(top, out);
    out->phy_tx_word = end->tx_word;
    in->phy_up = top.phy_up;
    in->phy_tx_ready = top.phy_tx_ready;
    in->phy_rx_valid = top.phy_rx_valid;
    in->phy_rx_word = get(top.phy_rx_word, 0, SHAPE_W);
    in->phy_rx_late = top.phy_rx_late;
}

uint64_t phy_rtl_bits(const struct phy_rtl *end)
{
    return get(end->top.cable_tx, 0, SHAPE_WIRES);
}

unsigned phy_rtl_tap(const struct phy_rtl *end, unsigned wire)
{
    return unsigned(get(end->top.tap, int(5 * wire), 5));
}

uint64_t phy_rtl_lost(const struct phy_rtl *end)
{
    return end->lost;
}

struct phy_status phy_rtl_status(const struct phy_rtl *end)
{
    const Top &top = end->top;
    struct phy_status s = {};
    s.locked = top.phy_locked;
    s.stopped = top.phy_stopped;
    s.retrain = top.retrain;
    for (int w = 0; w < SHAPE_WIRES; w++) {
        s.eye[w] = uint8_t(get(top.eye, 2 * w, 2));
        s.place[w] = uint8_t(get(top.place, 4 * w, 4));
        s.tap[w] = uint8_t(get(top.tap, 5 * w, 5));
        s.width[w] = uint8_t(get(top.width, 6 * w, 6));
        s.errors[w] = uint16_t(get(top.errors, ERRORS * w, ERRORS));
    }
    s.seen = top.seen;
    return s;
}

struct ofr_link_counts phy_rtl_counts(const struct phy_rtl *end)
{
    return end->counts;
}
}
