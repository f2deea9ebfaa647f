// SPDX-License-Identifier: Apache-2.0
// The only C++ here: wraps the Verilated top (RTL_TOP, with SHAPE_N, _W, _L, _C given by make) for C.
#include "rtl_router.h"

#include RTL_HEADER
#include "ofr_regs.h"
#include "verilated.h"
#include "verilated_vcd_c.h"

#include <new>

namespace
{
constexpr int N = SHAPE_N, W = SHAPE_W, PORTS = 2 * N;

// Bits of a Verilated port, whatever its width: integers up to 64 bits, else arrays of 32.
template <class T> uint64_t get_bits(const T &port, int lsb, int width)
{
    uint64_t mask = width == 64 ? ~uint64_t(0) : (uint64_t(1) << width) - 1;
    if constexpr (std::is_integral<T>::value) {
        return (uint64_t(port) >> lsb) & mask;
    } else {
        uint64_t value = 0;
        for (int done = 0; done < width;) {
            int at = lsb + done, take = std::min(32 - at % 32, width - done);
            value |= ((uint64_t(port[at / 32]) >> (at % 32)) & ((uint64_t(1) << take) - 1)) << done;
            done += take;
        }
        return value;
    }
}

template <class T> void set_bits(T &port, int lsb, int width, uint64_t value)
{
    uint64_t mask = width == 64 ? ~uint64_t(0) : (uint64_t(1) << width) - 1;
    if constexpr (std::is_integral<T>::value) {
        port = T((uint64_t(port) & ~(mask << lsb)) | ((value & mask) << lsb));
    } else {
        for (int done = 0; done < width;) {
            int at = lsb + done, take = std::min(32 - at % 32, width - done);
            uint32_t part = uint32_t(((uint64_t(1) << take) - 1) << (at % 32));
            uint32_t bits = uint32_t((value >> done) << (at % 32));
            port[at / 32] = (port[at / 32] & ~part) | (bits & part);
            done += take;
        }
    }
}
} // namespace

struct rtl_router {
    VerilatedContext context;
    RTL_TOP top{&context};
    VerilatedVcdC *vcd = nullptr;
    uint64_t time = 0;

    void dump()
    {
        if (vcd && vcd->isOpen())
            vcd->dump(time++);
    }

    void edge()
    {
        top.clk = 0;
        top.eval();
        dump();
        top.clk = 1;
        top.eval();
        dump();
        top.seed_we = 0;
        top.watchdog_clear = 0;
    }
};

extern "C" {

struct ofr_shape rtl_router_shape(void)
{
    struct ofr_shape shape = {};
    shape.n = N;
    shape.flit_bits = W;
    shape.slots = SHAPE_C;
    shape.unit_mul = SHAPE_MUL;
    shape.slot_flits = SHAPE_L;
    return shape;
}

struct rtl_router *rtl_router_new(void)
{
    auto *r = new (std::nothrow) rtl_router;
    if (!r)
        return nullptr;
    r->top.rst = 1;
    r->edge();
    r->edge();
    r->top.rst = 0;
    r->top.clk = 0;
    r->top.eval();
    return r;
}

void rtl_router_free(struct rtl_router *r)
{
    if (r && r->vcd) {
        r->vcd->close();
        delete r->vcd;
    }
    delete r;
}

void rtl_router_trace(struct rtl_router *r, const char *path)
{
    if (!r->vcd) {
        r->context.traceEverOn(true);
        r->vcd = new VerilatedVcdC;
        r->top.trace(r->vcd, 9);
    }
    if (path)
        r->vcd->open(path);
}

void rtl_router_seed(struct rtl_router *r, uint32_t seed)
{
    r->top.seed_we = 1;
    r->top.seed = seed;
}

void rtl_router_clear_watchdog(struct rtl_router *r)
{
    r->top.watchdog_clear = 1;
}

void rtl_router_step(struct rtl_router *r, const struct ofr_router_in *in,
                     const struct ofr_config *config)
{
    RTL_TOP &top = r->top;
    top.configured = config->configured;
    for (int i = 0; i < N; i++) {
        set_bits(top.k, 5 * i, 5, config->torus.k[i]);
        set_bits(top.me, 4 * i, 4, config->me.c[i]);
    }
    top.tie_both = config->tie == OFR_TIE_BOTH;
    top.select = config->select;
    top.threshold = config->threshold;
    top.watchdog_time = config->watchdog_time;
    top.ring_wait_time = config->ring_wait_time;
    for (int p = 0; p < PORTS; p++) {
        set_bits(top.link_up, p, 1, in->link_up[p]);
        set_bits(top.rx_valid, p, 1, in->rx[p].valid);
        set_bits(top.rx_vc, 2 * p, 2, in->rx[p].vc);
        set_bits(top.rx_data, W * p, W, in->rx[p].data);
        set_bits(top.rx_last, p, 1, in->rx[p].last);
        set_bits(top.rx_poison, p, 1, in->rx[p].poison);
        set_bits(top.rx_abort, p, 1, in->rx_abort[p]);
        set_bits(top.tx_ready, p, 1, in->tx_ready[p]);
        for (int v = 0; v < OFR_VCS; v++)
            set_bits(top.tx_credit, 12 * p + 4 * v, 4, in->tx_credit[p][v]);
    }
    top.li_valid = in->li.valid;
    top.li_vc = in->li.vc;
    set_bits(top.li_data, 0, W, in->li.data);
    top.li_last = in->li.last;
    top.lo_ready = in->lo_ready;
    r->edge();
}

void rtl_router_out(const struct rtl_router *r, struct ofr_router_out *out)
{
    const RTL_TOP &top = r->top;
    *out = {};
    for (int p = 0; p < PORTS; p++) {
        struct ofr_flit &tx = out->tx[p];
        tx.valid = get_bits(top.tx_valid, p, 1);
        tx.vc = uint8_t(get_bits(top.tx_vc, 2 * p, 2));
        tx.data = get_bits(top.tx_data, W * p, W);
        tx.last = get_bits(top.tx_last, p, 1);
        tx.poison = get_bits(top.tx_poison, p, 1);
        for (int v = 0; v < OFR_VCS; v++)
            out->rx_credit[p][v] = uint8_t(get_bits(top.rx_credit, 12 * p + 4 * v, 4));
    }
    for (int v = 0; v < OFR_VCS; v++)
        out->li_ready[v] = get_bits(top.li_ready, v, 1);
    out->lo.valid = top.lo_valid;
    out->lo.data = get_bits(top.lo_data, 0, W);
    out->lo.last = top.lo_last;
    out->lo.poison = top.lo_poison;
    out->drained = top.drained;
    out->watchdog = top.watchdog;
    out->time = top.cycle;
}
}
