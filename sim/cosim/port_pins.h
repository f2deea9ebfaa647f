// SPDX-License-Identifier: Apache-2.0
// The pins of a Verilated router, node or board towards its links, behind the model's structures.
// For C++. W: bits of a flit; p: the port.
#ifndef PORT_PINS_H
#define PORT_PINS_H

#include "fabric.h"
#include "verilated_bits.h"

namespace port_pins
{
// All but the flit's contents, which do not matter where it is not valid.
template <class Top, class In> void in(Top &top, int p, const In *in)
{
    using verilated_bits::set;
    set(top.link_up, p, 1, in->link_up[p]);
    set(top.rx_valid, p, 1, in->rx[p].valid);
    set(top.rx_abort, p, 1, in->rx_abort[p]);
    set(top.tx_ready, p, 1, in->tx_ready[p]);
    set(top.tx_rebase, p, 1, in->tx_rebase[p]);
    for (int v = 0; v < OFR_VCS; v++) {
        set(top.tx_credit, 12 * p + 4 * v, 4, in->tx_credit[p][v]);
        set(top.tx_base, 12 * p + 4 * v, 4, in->tx_base[p][v]);
    }
}

template <int W, class Top> void flit_in(Top &top, int p, const struct ofr_flit &rx)
{
    using verilated_bits::set;
    set(top.rx_vc, 2 * p, 2, rx.vc);
    set(top.rx_data, W * p, W, rx.data);
    set(top.rx_last, p, 1, rx.last);
    set(top.rx_poison, p, 1, rx.poison);
}

template <class Top> void out(const Top &top, int p, struct ofr_router_out *out)
{
    using verilated_bits::get;
    out->tx[p].valid = get(top.tx_valid, p, 1);
    for (int v = 0; v < OFR_VCS; v++) {
        out->rx_credit[p][v] = uint8_t(get(top.rx_credit, 12 * p + 4 * v, 4));
        out->rx_received[p][v] = uint8_t(get(top.rx_received, 12 * p + 4 * v, 4));
    }
}

template <int W, class Top> void flit_out(const Top &top, int p, struct ofr_flit *tx)
{
    using verilated_bits::get;
    tx->vc = uint8_t(get(top.tx_vc, 2 * p, 2));
    tx->data = get(top.tx_data, W * p, W);
    tx->last = get(top.tx_last, p, 1);
    tx->poison = get(top.tx_poison, p, 1);
}
} // namespace port_pins

#endif
