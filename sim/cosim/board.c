// SPDX-License-Identifier: Apache-2.0
#include "board.h"

#include "golden_soc.h"
#include "ofr_regs.h"
#include "serial_line.h"
#include "spi_flash.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// firmware/flash.ld's image, linked into the program as it is, and its place in the flash.
extern const uint8_t flash_image[] __asm__("_binary_flash_bin_start");
extern const uint8_t flash_image_end[] __asm__("_binary_flash_bin_end");
enum {
    FLASH_OFFSET = 0x40000,
    FLASH_SERIAL = 4, // bytes into it, the board's serial number: firmware/flash.S
    ONE_FOR_ALL = 1,  // that of the hardware, where boards are told apart by their flashes
};

struct board {
    struct board_options o;
    const struct rtl_board_ops *ops;
    struct ofr_shape shape;
    struct rtl_board *rtl;
    struct spi_flash flash;
    uint8_t *flash_image; // its own
    uint64_t hardware;    // serial number of the hardware
    struct ofr_router_out rtl_out;
    // Golden board, or the RTL board's shadow
    struct ofr_node *node;
    void *router_memory;
    struct golden_soc soc; // of an RTL board only its bytes, cycle and snapshots
    struct serial_line sender, receiver;
    struct board_verdict verdict;
    char difference[160];
    void *logic; // of o.logic
    struct ofr_channels_pins pins;
};

bool board_poll_firmware(struct board *b)
{
    return b->o.kind == BOARD_GOLDEN && golden_soc_poll(&b->soc);
}

// --- RTL board: UART pins ------------------------------------------------------------------------

// Level of the board's rx pin for this cycle.
static bool send_bit(struct board *b)
{
    uint8_t byte;
    if (!serial_busy(&b->sender) && byte_fifo_get(&b->soc.to_board, &byte))
        serial_put(&b->sender, byte, RTL_UART_DIVISOR);
    return serial_level(&b->sender, RTL_UART_DIVISOR);
}

static void receive_bit(struct board *b, bool level)
{
    int byte = serial_take(&b->receiver, level, RTL_UART_DIVISOR);
    if (byte >= 0)
        byte_fifo_put(&b->soc.from_board, (uint8_t)byte);
}

// --- RTL board: its shadow
// ---------------------------------------------------------------------------

static void differ(struct board *b, const char *what, int at, uint64_t rtl, uint64_t golden)
{
    if (b->verdict.difference)
        return;
    snprintf(b->difference, sizeof b->difference,
             "cycle %" PRIu64 ": %s %d is %" PRIx64 " in the RTL, %" PRIx64 " in the golden model",
             b->soc.cycle, what, at, rtl, golden);
    b->verdict.difference = b->difference;
}

static void compare_pins(struct board *b)
{
    const struct ofr_router_out *golden = ofr_node_out(b->node), *rtl = &b->rtl_out;
    for (int p = 0; p < 2 * (int)b->o.n; p++) {
        const struct ofr_flit *r = &rtl->tx[p], *g = &golden->tx[p];
        if (r->valid != g->valid)
            differ(b, "tx_valid of port", p, r->valid, g->valid);
        else if (g->valid && (r->data != g->data || r->vc != g->vc || r->last != g->last))
            differ(b, "flit of port", p, r->data, g->data);
        for (int v = 0; v < OFR_VCS; v++) {
            if (rtl->rx_credit[p][v] != golden->rx_credit[p][v])
                differ(b, "credit of port", p, rtl->rx_credit[p][v], golden->rx_credit[p][v]);
            if (rtl->rx_received[p][v] != golden->rx_received[p][v])
                differ(b, "packets received by port", p, rtl->rx_received[p][v],
                       golden->rx_received[p][v]);
        }
    }
}

static void compare_channels(struct board *b)
{
    const struct ofr_channels *c = b->node->local.channels;
    struct logic_in rtl;
    if (!c)
        return;
    b->ops->channels(b->rtl, &rtl);
    int ready = ofr_channels_ready(c);
    if (rtl.s_ready != (ready < 0 ? 0 : 1U << ready))
        differ(b, "s_axis_tready: end", ready, rtl.s_ready, ready < 0 ? 0 : 1U << ready);
    for (int e = 0; e < (int)b->shape.channels; e++) {
        struct ofr_beat m = ofr_channels_m(c, (unsigned)e);
        if ((rtl.m_valid >> e & 1) != m.valid)
            differ(b, "m_axis_tvalid of end", e, rtl.m_valid >> e & 1, m.valid);
        else if (m.valid && !m.user && rtl.m_data[e] != m.data)
            differ(b, "m_axis_tdata of end", e, rtl.m_data[e], m.data);
    }
}

static void compare_copy(struct board *b, const struct rtl_monitor *m)
{
    uint64_t golden = b->node->counters.snapshot[m->copy_index % OFR_COUNTS];
    b->verdict.rounds += m->copy_index == ofr_counters_last(&b->node->counters);
    if (m->copy_value == golden) {
        b->verdict.counters_equal++;
    } else {
        b->verdict.counters_differ++;
        differ(b, "counter", m->copy_index, m->copy_value, golden);
    }
}

static void step_shadow(struct board *b, const struct ofr_node_in *in, const struct rtl_monitor *m)
{
    struct ofr_node_in wrong = *in;
    bool error;
    if (m->re) {
        uint32_t golden = ofr_node_read(b->node, m->adr);
        if (m->adr >= OFR_BLOCK_LINKS && m->rdat != golden)
            differ(b, "register", m->adr, m->rdat, golden);
    }
    if (b->o.break_at && b->soc.cycle >= b->o.break_at)
        wrong.tx_credit[0][OFR_VC_VS2] ^= 1; // for the test that a difference is found
    wrong.access = m->re || m->we || m->refused;
    ofr_node_step(b->node, &wrong);
    if (m->we)
        ofr_node_write(b->node, m->adr, m->wdat, &error);
    if (m->refused)
        ofr_node_refused(b->node);
    if (m->copy)
        compare_copy(b, m);
}

// --- Public
// ------------------------------------------------------------------------------------------

static const struct rtl_board_ops *ops_of(const struct board_options *o)
{
    if (o->kind == BOARD_SMALL)
        return o->reliable ? &rtl_board_small_link : &rtl_board_small;
    if (o->phy)
        return &rtl_board_2_phy;
    if (o->n == 2)
        return o->user                               ? &rtl_board_2_user
               : o->channels && o->kind == BOARD_RTL ? &rtl_board_2_channels
               : o->reliable                         ? &rtl_board_2_link
                                                     : &rtl_board_2;
    return o->reliable ? &rtl_board_3_link : &rtl_board_3;
}

bool board_may_have_channels(enum board_kind kind, unsigned n, bool reliable)
{
    return kind == BOARD_GOLDEN || (kind == BOARD_RTL && n == 2 && reliable);
}

// Its flash, with its serial number. False: out of memory.
static bool flash_it(struct board *b)
{
    size_t bytes = (size_t)(flash_image_end - flash_image);
    b->flash_image = malloc(bytes);
    if (!b->flash_image)
        return false;
    memcpy(b->flash_image, flash_image, bytes);
    for (unsigned i = 0; i < 8; i++)
        b->flash_image[FLASH_SERIAL + i] = (uint8_t)(b->o.serial >> (8 * i));
    spi_flash_init(&b->flash, b->flash_image, FLASH_OFFSET, bytes);
    return true;
}

// At the channels' pins is no logic: what comes there is taken, and gone, so that an end is free
// again once its connection is over.
static void take_all(struct board *b)
{
    struct logic_out out = {.m_ready = (1U << LOGIC_ENDS) - 1};
    for (unsigned e = 0; e < b->o.channels; e++)
        b->pins.m_ready[e] = true;
    if (b->rtl)
        b->ops->set_channels(b->rtl, &out);
}

struct board *board_new(const struct board_options *o)
{
    struct board *b = calloc(1, sizeof *b);
    bool channels = !o->channels || (o->channels == BOARD_CHANNELS &&
                                     board_may_have_channels(o->kind, o->n, o->reliable));
    bool logic = !o->logic || o->channels;
    bool phy = !o->phy || (o->kind == BOARD_RTL && o->n == 2 && !o->shadow && !o->channels);
    bool user = !o->user || (o->kind == BOARD_RTL && o->channels && !o->shadow);
    if (!b || !channels || !logic || !phy || !user || (o->n != 2 && o->n != 3) ||
        (o->kind == BOARD_SMALL && o->n != 2)) {
        free(b);
        return NULL;
    }
    b->o = *o;
    b->ops = ops_of(o);
    b->shape = b->ops->shape;
    b->shape.channels = (uint8_t)o->channels;
    b->shape.room = 4;
    b->shape.collectives = o->channels ? BOARD_COLLECTIVES : 0;
    b->shape.datagrams = o->channels ? BOARD_DATAGRAMS : 0;
    b->hardware = b->ops->flash ? ONE_FOR_ALL : o->serial;
    if (b->ops->flash && !flash_it(b)) {
        board_free(b);
        return NULL;
    }
    if (o->kind == BOARD_GOLDEN || o->shadow) {
        b->node = calloc(1, sizeof *b->node);
        b->router_memory = malloc(ofr_node_size(&b->shape));
        if (!b->node || !b->router_memory ||
            !ofr_node_init(b->node, &b->shape, b->hardware, b->router_memory)) {
            board_free(b);
            return NULL;
        }
    }
    if (o->kind == BOARD_GOLDEN) {
        b->soc.node = b->node;
        b->soc.serial = o->serial;
        b->soc.clock_hz = RTL_CLOCK_HZ;
        b->soc.divisor = RTL_UART_DIVISOR;
        golden_soc_reset(&b->soc);
    } else if (!(b->rtl = b->ops->create(b->hardware, o->serial))) {
        board_free(b);
        return NULL;
    }
    if (o->logic && !(b->logic = o->logic->create(o->serial))) {
        board_free(b);
        return NULL;
    }
    if (o->channels && !o->logic)
        take_all(b);
    return b;
}

void board_free(struct board *b)
{
    if (!b)
        return;
    if (b->rtl)
        b->ops->destroy(b->rtl);
    if (b->logic)
        b->o.logic->destroy(b->logic);
    free(b->node);
    free(b->router_memory);
    free(b->flash_image);
    free(b);
}

void board_reset(struct board *b)
{
    if (b->logic)
        b->o.logic->reset(b->logic);
    if (b->node)
        ofr_node_init(b->node, &b->shape, b->hardware, b->router_memory);
    if (b->o.kind == BOARD_GOLDEN) {
        golden_soc_reset(&b->soc);
        return;
    }
    b->ops->reset(b->rtl);
    b->ops->out(b->rtl, &b->rtl_out);
}

const struct ofr_router_out *board_out(const struct board *b)
{
    return b->o.kind == BOARD_GOLDEN ? ofr_node_out(b->node) : &b->rtl_out;
}

uint64_t board_link(struct board *b, unsigned port, const struct ofr_link_in *in,
                    const struct ofr_link_out *golden)
{
    if (b->o.kind == BOARD_GOLDEN)
        return golden->phy_tx_word;
    struct ofr_link_out rtl;
    int p = (int)port;
    b->ops->link_out(b->rtl, port, &rtl);
    if (rtl.phy_tx_word != golden->phy_tx_word)
        differ(b, "word of link", p, rtl.phy_tx_word, golden->phy_tx_word);
    if (rtl.state != golden->state || rtl.why != golden->why)
        differ(b, "state and reason of link", p, (uint64_t)rtl.state << 4 | rtl.why,
               (uint64_t)golden->state << 4 | golden->why);
    if (rtl.link_up != golden->link_up || rtl.phase != golden->phase)
        differ(b, "up and phase of link", p, rtl.link_up << 1 | rtl.phase,
               golden->link_up << 1 | golden->phase);
    b->ops->link_in(b->rtl, port, in);
    return rtl.phy_tx_word;
}

// A cycle of the user's logic: what it sees of the channels, what it gives them.
static void step_logic(struct board *b)
{
    struct logic_in in = {0};
    struct logic_out out = {0};
    unsigned ends = b->o.channels;
    if (b->rtl) {
        b->ops->channels(b->rtl, &in);
    } else {
        const struct ofr_channels *c = b->node->local.channels;
        int ready = ofr_channels_ready(c);
        in.s_ready = ready < 0 ? 0 : (uint16_t)(1U << ready);
        for (unsigned e = 0; e < ends; e++) {
            struct ofr_beat m = ofr_channels_m(c, e);
            in.m_valid |= (uint16_t)(m.valid << e);
            in.m_last |= (uint16_t)(m.last << e);
            in.m_user |= (uint16_t)(m.user << e);
            in.m_data[e] = m.data;
            in.m_keep[e] = m.keep;
        }
    }
    b->o.logic->cycle(b->logic, &in, &out);
    if (b->rtl)
        b->ops->set_channels(b->rtl, &out);
    for (unsigned e = 0; e < ends; e++) {
        b->pins.s[e] = (struct ofr_beat){.valid = out.s_valid >> e & 1,
                                         .last = out.s_last >> e & 1,
                                         .data = out.s_data[e],
                                         .keep = out.s_keep[e]};
        b->pins.m_ready[e] = out.m_ready >> e & 1;
    }
}

void board_step(struct board *b, const struct ofr_node_in *in)
{
    struct ofr_node_in with;
    b->soc.cycle++;
    if (b->logic)
        step_logic(b);
    if (b->o.channels) {
        with = *in;
        with.pins = &b->pins;
        in = &with;
    }
    if (b->o.kind == BOARD_GOLDEN) {
        ofr_node_step(b->node, in);
        return;
    }
    struct rtl_monitor m = b->ops->monitor(b->rtl);
    b->soc.snapshots += m.we && m.adr == OFR_COUNT_SNAPSHOT;
    bool miso = true;
    if (b->ops->flash) {
        struct rtl_flash_pins pins = b->ops->flash_pins(b->rtl);
        miso = spi_flash_step(&b->flash, pins.csn, pins.sck, pins.mosi);
    }
    b->ops->step(b->rtl, in, send_bit(b), miso);
    b->ops->out(b->rtl, &b->rtl_out);
    receive_bit(b, b->ops->uart_tx(b->rtl));
    if (b->node) {
        step_shadow(b, in, &m);
        compare_pins(b);
        compare_channels(b);
    }
}

void board_cables_in(struct board *b, const struct rtl_cable_pins *pins)
{
    b->ops->cables_in(b->rtl, pins);
}

uint64_t board_cables(struct board *b)
{
    static const struct ofr_node_in none;
    board_step(b, &none);
    return b->ops->cables_out(b->rtl);
}

uint32_t board_links_up(const struct board *b)
{
    return b->ops->links_up(b->rtl);
}

void board_uart_send(struct board *b, uint8_t byte)
{
    byte_fifo_put(&b->soc.to_board, byte);
}

bool board_uart_receive(struct board *b, uint8_t *byte)
{
    return byte_fifo_get(&b->soc.from_board, byte);
}

size_t board_uart_backlog(const struct board *b)
{
    return b->soc.to_board.count;
}

bool board_idle(const struct board *b)
{
    return b->o.kind == BOARD_GOLDEN && ofr_node_idle(b->node) &&
           (!b->logic || b->o.logic->idle(b->logic));
}

void board_skip(struct board *b, uint64_t cycles)
{
    b->soc.cycle += cycles;
    b->node->time.time += (uint32_t)cycles;
    b->node->time.ahead += cycles << 32;
    b->node->time.wait = 3; // measurements that the leap is in do not count
}

bool board_trapped(const struct board *b)
{
    return b->rtl && b->ops->trapped(b->rtl);
}

uint32_t board_time(struct board *b, uint16_t *rank, unsigned *part)
{
    if (b->o.kind == BOARD_GOLDEN) {
        *rank = b->node->time.rank;
        *part = b->node->time.part >> 30;
        return b->node->time.time;
    }
    uint32_t time = b->ops->time(b->rtl, rank, part);
    if (b->node && (time != b->node->time.time || *rank != b->node->time.rank ||
                    *part != b->node->time.part >> 30))
        differ(b, "NODE.TIME and rank", -1, (uint64_t)time << 16 | *rank,
               (uint64_t)b->node->time.time << 16 | b->node->time.rank);
    return time;
}

double board_time_part(const struct board *b)
{
    return b->node ? b->node->time.part * 0x1p-32 : 0;
}

uint64_t board_snapshots(const struct board *b)
{
    return b->soc.snapshots;
}

struct board_verdict board_verdict(const struct board *b)
{
    return b->verdict;
}
