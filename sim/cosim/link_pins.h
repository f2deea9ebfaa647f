// SPDX-License-Identifier: Apache-2.0
// The pins that a Verilated ofr_link and a Verilated ofr_link_cabled share, towards the router,
// behind the model's structures. For C++; SHAPE_*: the parameters, given by make.
#ifndef LINK_PINS_H
#define LINK_PINS_H

#include "link.h"
#include "verilated_bits.h"

namespace link_pins
{
// A word of SYNC half-words
constexpr uint64_t SYNC = (~UINT64_C(0) >> (64 - SHAPE_W)) / 0xffff * OFR_LINK_SYNC;

inline struct ofr_link_shape shape()
{
    struct ofr_link_shape shape = {};
    shape.n = SHAPE_N;
    shape.flit_bits = SHAPE_W;
    shape.slot_flits = SHAPE_L;
    shape.slots = SHAPE_C;
    shape.shared = SHAPE_SHARED;
    shape.serial = SHAPE_SERIAL;
    shape.time = SHAPE_SERIAL; // the small build has neither
    shape.tick = SHAPE_TICK;
    shape.crc_check = SHAPE_CRC;
    return shape;
}

template <class T> void in(T &top, const struct ofr_link_in *in)
{
    using verilated_bits::set;
    top.enable = in->enable;
    top.serial = in->serial;
    top.now = in->now;
    top.rank = in->rank;
    top.tx_valid = in->tx.valid;
    top.tx_vc = in->tx.vc;
    set(top.tx_data, 0, SHAPE_W, in->tx.data);
    top.tx_last = in->tx.last;
    top.tx_poison = in->tx.poison;
    for (int v = 0; v < OFR_VCS; v++) {
        set(top.rx_credit, 4 * v, 4, in->rx_credit[v]);
        set(top.rx_received, 4 * v, 4, in->rx_received[v]);
    }
}

template <class T> void out(const T &top, struct ofr_link_out *out)
{
    using verilated_bits::get;
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
    out->lag = top.lag;
    out->says = top.says;
    out->says_what = top.says_what;
    out->says_data = top.says_data;
}

template <class T> void count(const T &top, struct ofr_link_counts *counts)
{
    counts->frames += top.ev_frame;
    counts->retries += top.ev_retry;
    counts->bad += top.ev_bad;
    counts->ups += top.ev_up;
    counts->downs += top.ev_down;
}
} // namespace link_pins

#endif
