// SPDX-License-Identifier: Apache-2.0
// Wraps the Verilated ofr_lockstep (RTL_TOP; SHAPE_N, _W, _L, _C, _MUL given by make) for C.
#include "rtl_router.h"

#include "ofr_regs.h"
#include "random_state.h"

#include RTL_HEADER
#include "port_pins.h"
#include "verilated.h"
#include "verilated_vcd_c.h"

#include <memory>
#include <new>

namespace
{
constexpr int N = SHAPE_N, W = SHAPE_W, PORTS = 2 * N;

using verilated_bits::get;
using verilated_bits::set;
} // namespace

struct rtl_router {
    std::unique_ptr<VerilatedContext> context;
    RTL_TOP top;
    VerilatedVcdC *vcd = nullptr;
    uint64_t time = 0;

    rtl_router(VerilatedContext *c, uint64_t seed) : context(c), top(random_state(*c, seed))
    {
    }

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
        top.rst = 0;
        top.seed_we = 0;
        top.watchdog_clear = 0;
        top.reg_we = 0;
        top.reg_re = 0;
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
    shape.without = 0;
    shape.slot_flits = SHAPE_L;
    return shape;
}

struct rtl_router *rtl_router_new(uint32_t seed)
{
    auto *context = new (std::nothrow) VerilatedContext;
    if (!context)
        return nullptr;
    auto *r = new (std::nothrow) rtl_router(context, seed);
    if (!r) {
        delete context;
        return nullptr;
    }
    r->top.clk = 0;
    r->top.reg_we = 0;
    r->top.reg_re = 0;
    r->top.seed_we = 0;
    r->top.watchdog_clear = 0;
    for (int i = 0; i < 2; i++) {
        r->top.rst = 1;
        r->edge();
    }
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
        r->context->traceEverOn(true);
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

void rtl_router_reset(struct rtl_router *r)
{
    r->top.rst = 1;
}

void rtl_router_clear_watchdog(struct rtl_router *r)
{
    r->top.watchdog_clear = 1;
}

void rtl_router_write(struct rtl_router *r, unsigned offset, uint32_t value)
{
    r->top.reg_we = 1;
    r->top.reg_adr = offset;
    r->top.reg_wdat = value;
}

uint32_t rtl_router_read(struct rtl_router *r, unsigned offset)
{
    r->top.reg_re = 1;
    r->top.reg_adr = offset;
    r->top.clk = 0;
    r->top.eval();
    return r->top.reg_rdat;
}

void rtl_router_step(struct rtl_router *r, const struct ofr_router_in *in,
                     const struct ofr_config *config)
{
    RTL_TOP &top = r->top;
    top.configured = config->configured;
    for (int i = 0; i < N; i++) {
        set(top.k, 5 * i, 5, config->torus.k[i]);
        set(top.me, 4 * i, 4, config->me.c[i]);
    }
    top.tie_both = config->tie == OFR_TIE_BOTH;
    top.select = config->select;
    top.escape = config->escape;
    top.threshold = config->threshold;
    top.watchdog_time = config->watchdog_time;
    top.ring_wait_time = config->ring_wait_time;
    for (int p = 0; p < PORTS; p++) {
        port_pins::in(top, p, in);
        port_pins::flit_in<W>(top, p, in->rx[p]);
    }
    top.li_valid = in->li.valid;
    top.li_vc = in->li.vc;
    set(top.li_data, 0, W, in->li.data);
    top.li_last = in->li.last;
    top.lo_ready = in->lo_ready;
    r->edge();
}

void rtl_router_out(const struct rtl_router *r, struct ofr_router_out *out)
{
    const RTL_TOP &top = r->top;
    *out = {};
    for (int p = 0; p < PORTS; p++) {
        port_pins::out(top, p, out);
        port_pins::flit_out<W>(top, p, &out->tx[p]);
    }
    for (int v = 0; v < OFR_VCS; v++)
        out->li_ready[v] = get(top.li_ready, v, 1);
    out->lo.valid = top.lo_valid;
    out->lo.data = get(top.lo_data, 0, W);
    out->lo.last = top.lo_last;
    out->lo.poison = top.lo_poison;
    out->drained = top.drained;
    out->watchdog = top.watchdog;
    out->time = top.cycle;
    out->dropped_head = uint16_t(get(top.dropped, OFR_NODE_DROPPED_HEAD_LSB, 16));
    out->dropped_port = uint8_t(get(top.dropped, OFR_NODE_DROPPED_PORT_LSB, 3));
    out->dropped = get(top.dropped, OFR_NODE_DROPPED_SEEN_LSB, 1);
    out->malformed = uint8_t(get(top.dropped, OFR_NODE_DROPPED_MALFORMED_LSB, 8));
}
}
