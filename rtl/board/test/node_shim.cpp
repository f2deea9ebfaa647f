// SPDX-License-Identifier: Apache-2.0
// A Verilated ofr_node behind C functions, see node_shim.h.
#include "node_shim.h"

#include "random_state.h"

#include "Vofr_node.h"
#include "port_pins.h"
#include "verilated.h"

#include <memory>
#include <new>

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
    shape.links = 8;
    shape.link_bits = 5;
    shape.channels = 3;
    shape.room = 4;
    shape.datagrams = 2;
    shape.collectives = 2;
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
    rtl->top.s_axis_tvalid = rtl->top.m_axis_tready = 0; // channels are software's
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
        port_pins::in(top, p, in);
        port_pins::flit_in<W>(top, p, in->rx[p]);
        using verilated_bits::set;
        const ofr_link_status &link = in->link[p];
        set(top.link_state, 3 * p, 3, link.state);
        set(top.link_why, 4 * p, 4, link.why);
        set(top.link_peer, 64 * p, 64, link.peer);
        set(top.lag, 16 * p, 16, link.lag);
        set(top.says, p, 1, link.says);
        set(top.says_what, 3 * p, 3, link.says_what);
        set(top.says_data, 16 * p, 16, link.says_data);
        set(top.ev_frame, p, 1, link.frame);
        set(top.ev_retry, p, 1, link.retry);
        set(top.ev_bad, p, 1, link.bad);
        set(top.ev_down, p, 1, link.down);
    }
    const ofr_datagram_pins none = {}, &user = in->datagram ? *in->datagram : none;
    top.s_datagram_tvalid = user.s.valid;
    top.s_datagram_tdata = user.s.data;
    top.s_datagram_tkeep = user.s.keep;
    top.s_datagram_tlast = user.s.last;
    top.s_datagram_tdest = user.s.dest;
    top.s_datagram_tuser = user.s.cls;
    top.m_datagram_tready = user.m_ready;
    const ofr_collectives_pins nothing = {}, &member = in->collective ? *in->collective : nothing;
    top.s_collective_tvalid = member.s.valid;
    top.s_collective_tdata = member.s.data;
    top.s_collective_tkeep = member.s.keep;
    top.s_collective_tlast = member.s.last;
    top.s_collective_tuser = member.s_user;
    top.m_collective_tready = member.m_ready;
    top.ev_tick = in->link_tick;
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
        port_pins::out(top, p, out);
        port_pins::flit_out<W>(top, p, &out->tx[p]);
    }
}

bool node_rtl_datagram(const struct node_rtl *rtl, struct ofr_datagram_beat *m)
{
    const Vofr_node &top = rtl->top;
    *m = {};
    m->valid = top.m_datagram_tvalid;
    m->data = top.m_datagram_tdata;
    m->keep = top.m_datagram_tkeep;
    m->last = top.m_datagram_tlast;
    m->source = top.m_datagram_tid;
    m->dest = top.m_datagram_tdest;
    return top.s_datagram_tready;
}

void node_rtl_collective(const struct node_rtl *rtl, struct ofr_collective_out *out)
{
    const Vofr_node &top = rtl->top;
    *out = {};
    out->s_ready = top.s_collective_tready;
    out->m.valid = top.m_collective_tvalid;
    out->m.data = top.m_collective_tdata;
    out->m.keep = top.m_collective_tkeep;
    out->m.last = top.m_collective_tlast;
    out->m.user = top.m_collective_tuser & 1;
    out->m_end = top.m_collective_tuser >> 1;
}
}
