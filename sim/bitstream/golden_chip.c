// SPDX-License-Identifier: Apache-2.0
// lint-flags: -DOPS=chip_golden -DNAME="golden" -DPORTS=4 -DWIRES=3 -DSHAPE_N=2 -DSHAPE_W=16
// lint-flags: -DSHAPE_L=16 -DSHAPE_C=2 -DSHAPE_TICK=10 -DSHAPE_WIRES=2 -DTUNE=20
// lint-flags: -DCLOCK_HZ=42000000 -DDIVISOR=14
// lint-flags: -Isim/cosim -Isim/bitstream
//
// The golden model of a board, at the board's pins: golden node, firmware that takes no time, and
// the ends of its cables' links, golden ones; below them the RTL's (phy_rtl.h), as a physical layer
// has no golden model. Both ends of a link must show the same in every cycle. For a torus with
// bitstreams in it (build.sh, golden:BOARD): what the host asks of it, the counters among it, is
// the model's word.
//
// OPS, NAME, PORTS, WIRES: as of chip.cpp. SHAPE_N, SHAPE_W, SHAPE_L, SHAPE_C: of the router;
// SHAPE_TICK and TUNE of the links, SHAPE_WIRES those of a cable's wires that they use; CLOCK_HZ:
// what BOARD.CLOCK says; DIVISOR: cycles a UART bit takes.
#include "chip.h"
#include "golden_soc.h"
#include "link_node.h"
#include "link_report.h"
#include "phy_rtl.h"
#include "serial_line.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { ANSWERS = 16 }; // cycles between two turns of the firmware

struct chip {
    struct ofr_node node;
    void *memory;
    struct golden_soc soc;
    struct serial_line to_board, from_board;
    bool uart_tx;
    bool differs;    // an end was not the model's, which has been said
    uint32_t rx_clk; // the cables' clocks as they were
    struct end {
        struct ofr_link model;
        struct phy_rtl *rtl;
        struct ofr_link_in in;
        struct ofr_link_out out; // the RTL's
    } end[PORTS];
};

static const struct ofr_shape shape = {
    .n = SHAPE_N,
    .flit_bits = SHAPE_W,
    .slots = SHAPE_C,
    .unit_mul = 1,
    .without = OFR_WITHOUT_TIME,
    .slot_flits = SHAPE_L,
    .links = SHAPE_TICK,
    .link_bits = SHAPE_WIRES,
    .room = 4,
};

static void destroy(struct chip *c)
{
    for (unsigned p = 0; p < PORTS; p++)
        if (c->end[p].rtl)
            phy_rtl_free(c->end[p].rtl);
    free(c->memory);
    free(c);
}

static struct chip *create(uint64_t seed)
{
    struct chip *c = calloc(1, sizeof *c);

    if (!c)
        return NULL;
    c->soc.node = &c->node;
    c->soc.clock_hz = CLOCK_HZ;
    c->soc.divisor = DIVISOR;
    c->uart_tx = true;
    bool good = (c->memory = malloc(ofr_node_size(&shape)));
    for (unsigned p = 0; p < PORTS && good; p++)
        good = (c->end[p].rtl = phy_rtl_new(seed + p, TUNE, false));
    if (good)
        return c;
    destroy(c);
    return NULL;
}

static void serial(struct chip *c, uint64_t number)
{
    c->soc.serial = number;
}

static void reset(struct chip *c)
{
    struct ofr_link_shape link = phy_rtl_shape();

    link.straight = true;
    link.time = false;
    ofr_node_init(&c->node, &shape, c->soc.serial, c->memory);
    golden_soc_reset(&c->soc);
    for (unsigned p = 0; p < PORTS; p++)
        ofr_link_init(&c->end[p].model, &link);
}

// An end's cycle: between router and link, and what the node's registers see of the link.
static void step_link(struct chip *c, unsigned p, struct ofr_node_in *in)
{
    struct end *e = &c->end[p];
    const struct ofr_link_out *o = &e->model.out;
    uint64_t is[2];
    const char *pin = link_differs(&e->out, o, is);

    if (pin && !c->differs)
        printf("bitsim: %s, serial number %016" PRIx64 ", cycle %" PRIu64
               ", link %u: %s is %" PRIx64 " in the RTL, %" PRIx64 " in the golden model\n",
               NAME, c->soc.serial, c->soc.cycle, p, pin, is[0], is[1]);
    c->differs |= pin != NULL;
    link_to_node(o, in, p);
    in->link_tick = ofr_link_tick(&e->model);
    e->in.enable = true;
    e->in.serial = c->soc.serial;
    link_from_node(ofr_node_out(&c->node), p, &e->in);
    in->link[p] = link_step(&e->model, &e->in);
}

static void step_uart(struct chip *c, bool rx)
{
    int byte = serial_take(&c->to_board, rx, DIVISOR);
    uint8_t next;

    if (byte >= 0)
        byte_fifo_put(&c->soc.to_board, (uint8_t)byte);
    if (!serial_busy(&c->from_board) && byte_fifo_get(&c->soc.from_board, &next))
        serial_put(&c->from_board, next, DIVISOR);
    c->uart_tx = serial_level(&c->from_board, DIVISOR);
}

// The clock rises.
static void step(struct chip *c, bool rx)
{
    struct ofr_node_in in = {.link_tick = false};
    bool off = c->soc.cycle < CHIP_RESET;

    for (unsigned p = 0; p < PORTS; p++) {
        phy_rtl_out(c->end[p].rtl, &c->end[p].out, &c->end[p].in);
        if (!off)
            step_link(c, p, &in);
    }
    c->soc.cycle++;
    if (!off)
        ofr_node_step(&c->node, &in);
    else if (c->soc.cycle == CHIP_RESET)
        reset(c);
    for (unsigned p = 0; p < PORTS; p++)
        phy_rtl_clk(c->end[p].rtl, true, &c->end[p].in, off, false);
    if (!off) {
        step_uart(c, rx);
        if (c->soc.cycle % ANSWERS == 0)
            golden_soc_poll(&c->soc);
    }
}

static bool half(struct chip *c, bool clk, const struct chip_in *in, struct chip_pins *out)
{
    const uint64_t mask = ((uint64_t)1 << SHAPE_WIRES) - 1;

    if (clk)
        step(c, in->uart_rx);
    *out = (struct chip_pins){
        .uart_tx = c->uart_tx, .flash_csn = true, .led = c->soc.cycle > CHIP_RESET};
    bool all = true, any = false, wrong = false; // cables up; a clock comes over one that is not
    for (unsigned p = 0; p < PORTS; p++) {
        struct phy_rtl *rtl = c->end[p].rtl;
        bool level = in->cable_rx_clk >> p & 1;
        if (!clk)
            phy_rtl_clk(rtl, false, &c->end[p].in, c->soc.cycle <= CHIP_RESET, false);
        if (level != (c->rx_clk >> p & 1))
            phy_rtl_rx_clk(rtl, level, in->cable_rx >> p * WIRES & mask);
        out->cable_tx |= (phy_rtl_bits(rtl) & mask) << p * WIRES;
        out->cable_tx_clk |= (uint32_t)!clk << p;
        bool up = c->end[p].model.out.link_up;
        all = all && up;
        any = any || up;
        wrong = wrong || (!up && !phy_rtl_status(rtl).stopped);
    }
    out->led |= (uint8_t)(all << 4 | any << 5 | wrong << 6);
    c->rx_clk = in->cable_rx_clk;
    return !c->differs;
}

const struct chip_ops OPS = {NAME, PORTS, WIRES, create, destroy, serial, half};
