// SPDX-License-Identifier: Apache-2.0
#include "channels.h"

#include "ofr_regs.h"

#include <string.h>

enum { SOON = 64 }; // cycles, more than a beat that has room, or a command, needs

bool ofr_channels_init(struct ofr_channels *c, const struct ofr_channel_shape *shape,
                       unsigned pairs)
{
    memset(c, 0, sizeof *c);
    c->pairs = (uint8_t)pairs;
    return ofr_channel_init(&c->block, shape) && pairs <= shape->ends &&
           pairs <= OFR_COLLECTIVE_PAIRS;
}

static bool is_attached(const struct ofr_channels *c, unsigned e)
{
    return c->attached >> e & 1;
}

static bool is_joined(const struct ofr_channels *c, unsigned e)
{
    return c->joined >> e & 1;
}

static bool is_the_pins(const struct ofr_channels *c, unsigned e)
{
    return !is_attached(c, e) && !is_joined(c, e);
}

// ---- Output pins --------------------------------------------------------------------------------

int ofr_channels_ready(const struct ofr_channels *c)
{
    int e = ofr_channel_ready(&c->block);
    return e >= 0 && !is_the_pins(c, (unsigned)e) ? -1 : e;
}

struct ofr_beat ofr_channels_m(const struct ofr_channels *c, unsigned e)
{
    struct ofr_beat m = ofr_channel_m(&c->block, e);
    m.valid = m.valid && is_the_pins(c, e);
    return m;
}

struct ofr_beat ofr_channels_from(const struct ofr_channels *c, unsigned p)
{
    struct ofr_beat m = ofr_channel_m(&c->block, p);
    m.valid = m.valid && is_joined(c, p);
    return m;
}

bool ofr_channels_to_ready(const struct ofr_channels *c, unsigned p)
{
    return is_joined(c, p) && ofr_channel_ready(&c->block) == (int)p;
}

struct ofr_flit ofr_channels_tx(const struct ofr_channels *c)
{
    return ofr_channel_tx(&c->block);
}

// ---- One cycle ----------------------------------------------------------------------------------

// What the registers show of the end that is selected.
static struct ofr_channels_seen see(const struct ofr_channels *c)
{
    unsigned e = c->block.select;
    bool mine = is_attached(c, e);
    return (struct ofr_channels_seen){
        .end = ofr_channel_see(&c->block),
        .mid = c->block.end[e].mid,
        .ready = mine && ofr_channel_room(&c->block, e) && !c->waits,
        .comes = mine && ofr_channel_m(&c->block, e).valid,
        .waits = c->waits,
    };
}

void ofr_channels_step(struct ofr_channels *c, const struct ofr_channels_in *in)
{
    struct ofr_channel_in block = {.tx_ready = in->tx_ready, .rx = in->rx, .config = in->config};
    int ready = ofr_channel_ready(&c->block);
    for (unsigned e = 0; e < c->block.shape.ends; e++) {
        if (is_attached(c, e)) {
            block.s[e] = c->beat;
            block.s[e].valid = c->waits && c->end == e;
            block.m_ready[e] = c->take && c->take_end == e;
        } else if (is_joined(c, e)) {
            if (in->collective) {
                block.s[e] = in->collective->to[e];
                block.s[e].keep = (uint8_t)((1U << c->block.shape.flit_bits / 8U) - 1);
                block.m_ready[e] = in->collective->from_ready[e];
            }
        } else if (in->pins) {
            block.s[e] = in->pins->s[e];
            block.m_ready[e] = in->pins->m_ready[e];
        }
    }
    c->config = in->config;
    c->accessed = in->access;
    c->timed |= in->access;
    if (in->access) {
        c->seen = see(c);
        ofr_channel_accessed(&c->block);
    }
    c->take = false;
    if (c->waits && ready == c->end) {
        c->waits = false;
        c->beat.last = false;
    }
    ofr_channel_step(&c->block, &block, false, 0, 0);
}

// ---- Registers ----------------------------------------------------------------------------------

// Software that takes no cycles: the block has those that it needs, in which nothing else happens.
static void finish(struct ofr_channels *c, bool beat)
{
    struct ofr_channels_in in = {.config = c->config};
    for (unsigned i = 0;
         c->config && i < SOON && (c->block.command || c->take || (beat && c->waits)); i++)
        ofr_channels_step(c, &in);
}

uint32_t ofr_channels_read(struct ofr_channels *c, unsigned offset)
{
    finish(c, !c->timed);
    unsigned e = c->block.select;
    struct ofr_channels_seen seen = see(c);
    struct ofr_beat m = ofr_channel_m(&c->block, e);
    switch (offset) {
    case OFR_CHANNEL_SHAPE:
        return (uint32_t)c->block.shape.ends << OFR_CHANNEL_SHAPE_ENDS_LSB |
               (uint32_t)c->block.shape.room << OFR_CHANNEL_SHAPE_ROOM_LSB;
    case OFR_CHANNEL_ATTACH:
        return (uint32_t)is_attached(c, e) << OFR_CHANNEL_ATTACH_REGISTERS_LSB |
               (uint32_t)is_joined(c, e) << OFR_CHANNEL_ATTACH_COLLECTIVE_LSB;
    case OFR_CHANNEL_TX:
        return (uint32_t)seen.ready << OFR_CHANNEL_TX_READY_LSB |
               (uint32_t)seen.mid << OFR_CHANNEL_TX_MID_LSB |
               (uint32_t)seen.waits << OFR_CHANNEL_TX_WAITS_LSB;
    case OFR_CHANNEL_RX: {
        uint32_t bytes = 0;
        for (unsigned i = 0; i < 8; i++)
            bytes += m.keep >> i & 1;
        return !seen.comes
                   ? 0
                   : 1U << OFR_CHANNEL_RX_VALID_LSB | (uint32_t)m.last << OFR_CHANNEL_RX_LAST_LSB |
                         (uint32_t)m.user << OFR_CHANNEL_RX_BROKEN_LSB |
                         bytes << OFR_CHANNEL_RX_BYTES_LSB;
    }
    case OFR_CHANNEL_RX_HIGH:
        return seen.comes ? (uint32_t)(m.data >> 32) : 0;
    case OFR_CHANNEL_RX_DATA:
        return seen.comes ? (uint32_t)m.data : 0;
    default:
        return ofr_channel_read(&c->block, offset);
    }
}

static bool is_refused(const struct ofr_channels *c, const struct ofr_channels_seen *seen,
                       unsigned offset, uint32_t value, const struct ofr_config *config)
{
    bool mine = is_attached(c, c->block.select);
    switch (offset) {
    case OFR_CHANNEL_ATTACH:
        return !seen->end.free || seen->mid || seen->waits;
    case OFR_CHANNEL_TX_END:
        return !mine || seen->waits ||
               (value & OFR_CHANNEL_TX_END_BYTES_MASK) > c->block.shape.flit_bits / 8U;
    case OFR_CHANNEL_TX_HIGH:
        return !mine;
    case OFR_CHANNEL_TX_DATA:
        return !seen->ready;
    case OFR_CHANNEL_RX_NEXT:
        return !seen->comes;
    default:
        return (offset == OFR_CHANNEL_COMMAND && seen->waits) ||
               ofr_channel_was_refused(&c->block, &seen->end, offset, value, config);
    }
}

static void attach(struct ofr_channels *c, unsigned e, uint32_t value)
{
    bool joined = e < c->pairs && (value & OFR_CHANNEL_ATTACH_COLLECTIVE_MASK);
    bool attached = !joined && (value & OFR_CHANNEL_ATTACH_REGISTERS_MASK);
    c->attached = (uint16_t)((c->attached & ~(1U << e)) | (unsigned)attached << e);
    c->joined = (uint8_t)((c->joined & ~(1U << e)) | (unsigned)joined << e);
}

bool ofr_channels_write(struct ofr_channels *c, unsigned offset, uint32_t value,
                        const struct ofr_config *config)
{
    if (!c->accessed)
        finish(c, true);
    struct ofr_channels_seen seen = c->accessed ? c->seen : see(c);
    unsigned e = c->block.select;
    bool ok = !is_refused(c, &seen, offset, value, config);
    c->accessed = false;
    ofr_channel_written(&c->block, ok, offset, value);
    if (!ok)
        return false;
    switch (offset) {
    case OFR_CHANNEL_ATTACH:
        attach(c, e, value);
        break;
    case OFR_CHANNEL_SELECT:
        if (!seen.waits)
            c->beat.last = false;
        break;
    case OFR_CHANNEL_TX_END:
        c->beat.last = true;
        c->beat.keep = (uint8_t)((1U << (value & OFR_CHANNEL_TX_END_BYTES_MASK)) - 1);
        break;
    case OFR_CHANNEL_TX_HIGH:
        c->high = value;
        break;
    case OFR_CHANNEL_TX_DATA:
        c->beat.data = (uint64_t)c->high << 32 | value;
        c->waits = true;
        c->end = (uint8_t)e;
        break;
    case OFR_CHANNEL_RX_NEXT:
        c->take = true;
        c->take_end = (uint8_t)e;
        break;
    default:
        break;
    }
    return true;
}

void ofr_channels_refused(struct ofr_channels *c)
{
    c->accessed = false;
    ofr_channel_written(&c->block, false, 0, 0);
}

bool ofr_channels_idle(const struct ofr_channels *c)
{
    return !c->waits && !c->take && ofr_channel_idle(&c->block);
}
