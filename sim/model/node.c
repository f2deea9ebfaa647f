// SPDX-License-Identifier: Apache-2.0
#include "node.h"

#include "ofr_regs.h"

#include <stddef.h>
#include <string.h>

enum { ID = 0x4f465247 };

static unsigned get(uint32_t value, unsigned lsb, unsigned bits)
{
    return value >> lsb & ((1U << bits) - 1);
}

// So that anything can be behind them.
static size_t aligned(size_t bytes)
{
    size_t align = _Alignof(max_align_t);
    return (bytes + align - 1) / align * align;
}

static size_t router_size(const struct ofr_shape *shape)
{
    return aligned(ofr_router_size(shape));
}

static size_t channels_size(const struct ofr_shape *shape)
{
    return shape->channels ? aligned(sizeof(struct ofr_channels)) : 0;
}

static size_t datagrams_size(const struct ofr_shape *shape)
{
    return shape->datagrams ? aligned(sizeof(struct ofr_datagrams)) : 0;
}

size_t ofr_node_size(const struct ofr_shape *shape)
{
    return router_size(shape) + channels_size(shape) + datagrams_size(shape) +
           (shape->collectives ? sizeof(struct ofr_collectives) : 0);
}

bool ofr_node_init(struct ofr_node *node, const struct ofr_shape *shape, uint64_t serial,
                   void *memory)
{
    char *channels = (char *)memory + router_size(shape);
    char *datagrams = channels + channels_size(shape);
    char *collectives = datagrams + datagrams_size(shape);
    struct ofr_local_parts parts = {(void *)channels, (void *)datagrams, (void *)collectives};
    memset(node, 0, sizeof *node);
    node->shape = *shape;
    node->router = ofr_router_init(memory, shape);
    if (!node->router || !ofr_local_init(&node->local, shape, &parts))
        return false;
    ofr_unit_init(&node->unit, shape->n);
    ofr_counters_init(&node->counters, shape->n);
    ofr_link_regs_init(&node->links, shape);
    ofr_time_init(&node->time, shape, serial);
    node->counters.small = shape->without & OFR_WITHOUT_COUNT;
    node->config.torus.n = shape->n;
    for (unsigned i = 0; i < shape->n; i++)
        node->config.torus.k[i] = 1;
    node->config.tie = OFR_TIE_BOTH;
    node->config.ring_wait_time = OFR_NODE_RING_WAIT_RESET;
    node->config.table = ofr_unit_active(&node->unit);
    node->seed = (uint32_t)(serial ^ serial >> 32);
    node->seeds = true;
    node->drained = true;
    return true;
}

static void see_links(struct ofr_node *node, const struct ofr_node_in *in)
{
    ofr_link_regs_step(&node->links, in->link, in->link_up, in->link_tick);
    for (unsigned p = 0; p < 2U * node->shape.n; p++) {
        uint64_t *events = &node->link_events[3 * p];
        events[OFR_COUNTER_LINK_CRC] += in->link[p].bad;
        events[OFR_COUNTER_LINK_RETRY] += in->link[p].retry;
        events[OFR_COUNTER_LINK_RESET] += in->link[p].down;
    }
}

void ofr_node_router_in(const struct ofr_node *node, const struct ofr_node_in *in,
                        struct ofr_router_in *router)
{
    *router =
        (struct ofr_router_in){.li = ofr_local_out(&node->local, &node->config), .lo_ready = true};
    memcpy(router->rx, in->rx, sizeof router->rx);
    memcpy(router->rx_abort, in->rx_abort, sizeof router->rx_abort);
    memcpy(router->tx_ready, in->tx_ready, sizeof router->tx_ready);
    memcpy(router->tx_credit, in->tx_credit, sizeof router->tx_credit);
    memcpy(router->tx_base, in->tx_base, sizeof router->tx_base);
    memcpy(router->tx_rebase, in->tx_rebase, sizeof router->tx_rebase);
    memcpy(router->link_up, in->link_up, sizeof router->link_up);
}

void ofr_node_step(struct ofr_node *node, const struct ofr_node_in *in)
{
    const struct ofr_router_out *out = ofr_router_out(node->router);
    struct ofr_local_in local = {.lo = out->lo,
                                 .time = node->time.time,
                                 .config = &node->config,
                                 .access = in->access,
                                 .pins = in->pins,
                                 .datagram = in->datagram,
                                 .collective = in->collective};
    struct ofr_router_in router;

    ofr_node_router_in(node, in, &router);
    memcpy(local.li_ready, out->li_ready, sizeof local.li_ready);
    node->drained = out->drained;
    node->link_up = 0;
    for (unsigned p = 0; p < 2U * node->shape.n; p++)
        node->link_up |= (uint8_t)(in->link_up[p] << p);
    ofr_time_step(&node->time, out->time, in->link, in->link_up);
    if (node->shape.links)
        see_links(node, in);
    ofr_local_step(&node->local, &local);
    ofr_router_step(node->router, &router, &node->config);
    if (node->seeds)
        ofr_router_seed(node->router, node->seed);
    node->seeds = false;
}

const struct ofr_router_out *ofr_node_out(const struct ofr_node *node)
{
    return ofr_router_out(node->router);
}

// Sizes, coordinates and tie may change only here.
static bool unlocked(const struct ofr_node *node)
{
    return !node->config.configured && node->drained;
}

static uint32_t node_register(const struct ofr_node *node, unsigned offset)
{
    const struct ofr_config *c = &node->config;
    const struct ofr_router_out *out = ofr_router_out(node->router);
    switch (offset) {
    case OFR_NODE_ID:
        return ID;
    case OFR_NODE_SHAPE:
        return (uint32_t)node->shape.n << OFR_NODE_SHAPE_N_LSB |
               (uint32_t) !!(node->shape.without & OFR_WITHOUT_UNIT) << OFR_NODE_SHAPE_MINIMAL_LSB |
               (uint32_t)node->shape.flit_bits / 8 << OFR_NODE_SHAPE_W8_LSB |
               (uint32_t)node->shape.slots << OFR_NODE_SHAPE_C_LSB |
               (uint32_t) !(node->shape.without & OFR_WITHOUT_GEN) << OFR_NODE_SHAPE_GEN_LSB |
               (uint32_t) !(node->shape.without & OFR_WITHOUT_CHECK) << OFR_NODE_SHAPE_CHECK_LSB |
               (uint32_t) !(node->shape.without & OFR_WITHOUT_PINS) << OFR_NODE_SHAPE_PINS_LSB |
               (uint32_t) !(node->shape.without & OFR_WITHOUT_COUNT) << OFR_NODE_SHAPE_COUNT_LSB |
               (uint32_t)node->shape.slot_flits << OFR_NODE_SHAPE_L_LSB |
               (uint32_t)(node->shape.links != 0) << OFR_NODE_SHAPE_LINKS_LSB |
               (uint32_t)(node->shape.channels != 0) << OFR_NODE_SHAPE_CHANNEL_LSB |
               (uint32_t)(node->shape.datagrams != 0) << OFR_NODE_SHAPE_DATAGRAM_LSB |
               (uint32_t)(node->shape.collectives != 0) << OFR_NODE_SHAPE_COLLECTIVE_LSB;
    case OFR_NODE_CONTROL:
        return c->configured;
    case OFR_NODE_STATUS:
        return (uint32_t)out->drained << OFR_NODE_STATUS_DRAINED_LSB |
               (uint32_t)out->watchdog << OFR_NODE_STATUS_WATCHDOG_LSB |
               (uint32_t)node->link_up << OFR_NODE_STATUS_LINK_UP_LSB;
    case OFR_NODE_SIZE:
        return (uint32_t)c->torus.k[0] | (uint32_t)c->torus.k[1] << 8 |
               (uint32_t)(c->torus.n == 3 ? c->torus.k[2] : 1) << 16;
    case OFR_NODE_COORD:
        return (uint32_t)c->me.c[0] | (uint32_t)c->me.c[1] << 8 | (uint32_t)c->me.c[2] << 16;
    case OFR_NODE_ROUTING:
        return (uint32_t)c->select << OFR_NODE_ROUTING_SELECT_LSB |
               (uint32_t)c->escape << OFR_NODE_ROUTING_ESCAPE_LSB |
               (uint32_t)c->threshold << OFR_NODE_ROUTING_THRESHOLD_LSB;
    case OFR_NODE_TIE:
        return c->tie == OFR_TIE_BOTH;
    case OFR_NODE_SEED:
        return node->seed;
    case OFR_NODE_WATCHDOG:
        return c->watchdog_time;
    case OFR_NODE_RING_WAIT:
        return c->ring_wait_time;
    case OFR_NODE_DROPPED:
        return (uint32_t)out->dropped_head << OFR_NODE_DROPPED_HEAD_LSB |
               (uint32_t)out->dropped_port << OFR_NODE_DROPPED_PORT_LSB |
               (uint32_t)out->dropped << OFR_NODE_DROPPED_SEEN_LSB |
               (uint32_t)out->malformed << OFR_NODE_DROPPED_MALFORMED_LSB;
    case OFR_NODE_TIME:
        return node->time.time;
    case OFR_NODE_TIME_ADD:
        return node->time.add;
    case OFR_NODE_TIME_RATE:
        return node->time.rate;
    case OFR_NODE_TIME_STATE:
        return ofr_time_state(&node->time);
    default:
        return 0;
    }
}

// Block OFR. Without the unit there is its generation.
static bool there(const struct ofr_node *node, unsigned offset)
{
    return !(node->shape.without & OFR_WITHOUT_UNIT) || offset == OFR_OFR_COMMIT;
}

uint32_t ofr_node_read(struct ofr_node *node, unsigned offset)
{
    return node_register(node, offset) |
           (there(node, offset) ? ofr_unit_read(&node->unit, offset) : 0) |
           ofr_counters_read(&node->counters, offset) | ofr_local_read(&node->local, offset) |
           (node->shape.links ? ofr_link_regs_read(&node->links, offset) : 0);
}

// Three fields of a register, n of which are in use.
static void set_sizes(struct ofr_config *c, uint32_t value)
{
    for (unsigned i = 0; i < c->torus.n; i++)
        c->torus.k[i] = (uint8_t)get(value, 8 * i, 5);
}

static bool sizes_ok(const struct ofr_node *node, uint32_t value)
{
    for (unsigned i = 0; i < node->shape.n; i++)
        if (get(value, 8 * i, 5) < 1 || get(value, 8 * i, 5) > 16)
            return false;
    return true;
}

// Generator, checker and one time for all boards are what NODE.TIME is set for; without them it
// is the cycles since reset.
static bool aligns(const struct ofr_node *node)
{
    enum { NONE = OFR_WITHOUT_GEN | OFR_WITHOUT_CHECK };
    return (node->shape.without & NONE) != NONE || node->time.ports;
}

static bool write_node_register(struct ofr_node *node, unsigned offset, uint32_t value)
{
    struct ofr_config *c = &node->config;
    switch (offset) {
    case OFR_NODE_CONTROL:
        if (value & OFR_NODE_CONTROL_CONFIGURED_MASK && !ofr_inside(&c->torus, &c->me))
            return false;
        c->configured = value & OFR_NODE_CONTROL_CONFIGURED_MASK;
        return true;
    case OFR_NODE_SIZE:
        if (!unlocked(node) || !sizes_ok(node, value))
            return false;
        set_sizes(c, value);
        return true;
    case OFR_NODE_COORD:
        if (!unlocked(node))
            return false;
        for (unsigned i = 0; i < c->torus.n; i++)
            c->me.c[i] = (uint8_t)get(value, 8 * i, 4);
        return true;
    case OFR_NODE_ROUTING:
        if (get(value, OFR_NODE_ROUTING_THRESHOLD_LSB, OFR_NODE_ROUTING_THRESHOLD_BITS) >=
                node->shape.slots ||
            get(value, OFR_NODE_ROUTING_ESCAPE_LSB, OFR_NODE_ROUTING_ESCAPE_BITS) >
                OFR_NODE_ROUTING_ESCAPE_NEVER)
            return false;
        c->escape = (uint8_t)get(value, OFR_NODE_ROUTING_ESCAPE_LSB, OFR_NODE_ROUTING_ESCAPE_BITS);
        c->select = (uint8_t)get(value, OFR_NODE_ROUTING_SELECT_LSB, OFR_NODE_ROUTING_SELECT_BITS);
        c->threshold =
            (uint8_t)get(value, OFR_NODE_ROUTING_THRESHOLD_LSB, OFR_NODE_ROUTING_THRESHOLD_BITS);
        return true;
    case OFR_NODE_TIE:
        if (!unlocked(node))
            return false;
        c->tie = value & 1 ? OFR_TIE_BOTH : OFR_TIE_PLUS;
        return true;
    case OFR_NODE_SEED:
        node->seed = value;
        node->seeds = true;
        return true;
    case OFR_NODE_WATCHDOG:
        c->watchdog_time = (uint8_t)get(value, 0, OFR_NODE_WATCHDOG_TIME_BITS);
        ofr_router_clear_watchdog(node->router);
        return true;
    case OFR_NODE_RING_WAIT:
        c->ring_wait_time = (uint8_t)get(value, 0, OFR_NODE_RING_WAIT_TIME_BITS);
        return true;
    case OFR_NODE_TIME_ADD:
        if (!aligns(node))
            return true;
        node->time.ahead += (uint64_t)(value - node->time.add) << 32;
        node->time.add = value;
        return true;
    case OFR_NODE_TIME_RATE:
        if (aligns(node))
            node->time.rate = value;
        return true;
    default:
        return true;
    }
}

void ofr_node_write(struct ofr_node *node, unsigned offset, uint32_t value, bool *error)
{
    bool node_ok = write_node_register(node, offset, value);
    bool unit_ok = !there(node, offset) || ofr_unit_write(&node->unit, offset, value);
    bool local_ok = ofr_local_write(&node->local, offset, value, &node->config);
    *error = !node_ok || !unit_ok || !local_ok;
    if (offset == OFR_COUNT_SNAPSHOT) {
        uint64_t live[OFR_COUNTS];
        memcpy(live, ofr_router_counters(node->router), sizeof live);
        live[OFR_COUNTER_PINNED] = node->local.pinned;
        memcpy(&live[OFR_COUNTER_LINK_BASE], node->link_events, sizeof node->link_events);
        ofr_counters_write(&node->counters, offset, value, live);
    } else {
        ofr_counters_write(&node->counters, offset, value, NULL);
    }
    node->config.table = ofr_unit_active(&node->unit);
    node->config.epoch = node->unit.generation & 1;
}

void ofr_node_refused(struct ofr_node *node)
{
    if (node->local.channels)
        ofr_channels_refused(node->local.channels);
    if (node->local.collectives)
        ofr_collectives_refused(node->local.collectives);
    if (node->local.datagrams)
        ofr_datagrams_refused(node->local.datagrams);
}

bool ofr_node_idle(const struct ofr_node *node)
{
    const struct ofr_router_out *out = ofr_router_out(node->router);
    return out->drained && !out->malformed_now && ofr_local_idle(&node->local);
}
