// SPDX-License-Identifier: Apache-2.0
#include "datagrams.h"

#include "ofr_regs.h"

#include <string.h>

enum { SOON = 64 }; // cycles, more than a beat that there is room for, or one that is taken, needs

bool ofr_datagrams_init(struct ofr_datagrams *d, const struct ofr_datagram_shape *shape)
{
    memset(d, 0, sizeof *d);
    return ofr_datagram_init(&d->block, shape);
}

// ---- Pins ---------------------------------------------------------------------------------------

bool ofr_datagrams_ready(const struct ofr_datagrams *d)
{
    return ofr_datagram_ready(&d->block) && !d->attached;
}

struct ofr_datagram_beat ofr_datagrams_m(const struct ofr_datagrams *d)
{
    struct ofr_datagram_beat m = ofr_datagram_m(&d->block);
    m.valid = m.valid && !d->attached;
    return m;
}

struct ofr_flit ofr_datagrams_tx(const struct ofr_datagrams *d)
{
    return ofr_datagram_tx(&d->block);
}

// What the registers go by, before a cycle in which the user gives and takes so much.
static struct ofr_datagrams_seen see(const struct ofr_datagrams *d, bool giving, bool taking)
{
    return (struct ofr_datagrams_seen){
        .inside = giving || taking || d->waits,
        .ready = d->attached && !d->waits,
        .mid = d->waits ? !d->beat.last : d->giving,
        .comes = d->attached && ofr_datagram_m(&d->block).valid,
    };
}

void ofr_datagrams_step(struct ofr_datagrams *d, const struct ofr_datagrams_in *in)
{
    struct ofr_datagram_in block = {.tx_ready = in->tx_ready,
                                    .tx_unreachable = in->tx_unreachable,
                                    .rx = in->rx,
                                    .config = in->config};
    if (d->attached) {
        block.s = d->beat;
        block.s.valid = d->waits;
        block.m_ready = d->take;
    } else if (in->pins) {
        block.s = in->pins->s;
        block.m_ready = in->pins->m_ready;
    }
    struct ofr_datagram_beat m = ofr_datagram_m(&d->block);
    bool given = block.s.valid && ofr_datagram_ready(&d->block);
    bool giving = given ? !block.s.last : d->giving;
    bool taking = m.valid && block.m_ready ? !m.last : d->taking;
    d->config = in->config;
    d->accessed = in->access;
    d->timed |= in->access;
    if (in->access)
        d->seen = see(d, giving, taking);
    d->giving = giving;
    d->taking = taking;
    d->take = false;
    if (d->waits && given) {
        d->waits = false;
        d->beat.last = false;
    }
    ofr_datagram_step(&d->block, &block);
}

// ---- Registers ----------------------------------------------------------------------------------

// Software that takes no cycles: the block has those that it needs, in which nothing else happens.
static void finish(struct ofr_datagrams *d, bool beat)
{
    struct ofr_datagrams_in in = {.config = d->config};
    for (unsigned i = 0; d->config && i < SOON && (d->take || (beat && d->waits)); i++)
        ofr_datagrams_step(d, &in);
}

static uint32_t head_of(const struct ofr_datagram_beat *m, bool first)
{
    uint32_t bytes = 0;
    for (unsigned i = 0; i < 8; i++)
        bytes += m->keep >> i & 1;
    return 1U << OFR_DATAGRAM_RX_VALID_LSB | (uint32_t)m->last << OFR_DATAGRAM_RX_LAST_LSB |
           (uint32_t)first << OFR_DATAGRAM_RX_FIRST_LSB | bytes << OFR_DATAGRAM_RX_BYTES_LSB |
           (uint32_t)m->dest << OFR_DATAGRAM_RX_END_LSB |
           (uint32_t)m->source << OFR_DATAGRAM_RX_NODE_LSB;
}

uint32_t ofr_datagrams_read(struct ofr_datagrams *d, unsigned offset)
{
    finish(d, !d->timed);
    struct ofr_datagram_beat m = ofr_datagram_m(&d->block);
    struct ofr_datagrams_seen seen = see(d, d->giving, d->taking);
    switch (offset) {
    case OFR_DATAGRAM_ATTACH:
        return d->attached;
    case OFR_DATAGRAM_TX_TO:
        return d->beat.dest | (uint32_t)d->beat.cls << OFR_DATAGRAM_TX_TO_CLASS_LSB;
    case OFR_DATAGRAM_TX:
        return (uint32_t)seen.ready << OFR_DATAGRAM_TX_READY_LSB | (uint32_t)seen.mid
                                                                       << OFR_DATAGRAM_TX_MID_LSB;
    case OFR_DATAGRAM_RX:
        return seen.comes ? head_of(&m, !d->taking) : 0;
    case OFR_DATAGRAM_RX_HIGH:
        return seen.comes ? (uint32_t)(m.data >> 32) : 0;
    case OFR_DATAGRAM_RX_DATA:
        return seen.comes ? (uint32_t)m.data : 0;
    default:
        return ofr_datagram_read(&d->block, offset);
    }
}

static bool is_refused(const struct ofr_datagrams *d, const struct ofr_datagrams_seen *seen,
                       unsigned offset, uint32_t value)
{
    switch (offset) {
    case OFR_DATAGRAM_ATTACH:
        return seen->inside;
    case OFR_DATAGRAM_TX_TO:
        return !seen->ready || seen->mid;
    case OFR_DATAGRAM_TX_END:
        return !seen->ready ||
               (value & OFR_DATAGRAM_TX_END_BYTES_MASK) > d->block.shape.flit_bits / 8U;
    case OFR_DATAGRAM_TX_HIGH:
    case OFR_DATAGRAM_TX_DATA:
        return !seen->ready;
    case OFR_DATAGRAM_RX_NEXT:
        return !seen->comes;
    default:
        return false;
    }
}

bool ofr_datagrams_write(struct ofr_datagrams *d, unsigned offset, uint32_t value)
{
    if (!d->accessed)
        finish(d, true);
    struct ofr_datagrams_seen seen = d->accessed ? d->seen : see(d, d->giving, d->taking);
    bool ok = !is_refused(d, &seen, offset, value);
    d->accessed = false;
    if (!ok)
        return false;
    switch (offset) {
    case OFR_DATAGRAM_ATTACH:
        d->attached = value & OFR_DATAGRAM_ATTACH_REGISTERS_MASK;
        d->beat.last = false;
        break;
    case OFR_DATAGRAM_TX_TO:
        d->beat.dest = (uint16_t)value;
        d->beat.cls =
            (uint8_t)((value & OFR_DATAGRAM_TX_TO_CLASS_MASK) >> OFR_DATAGRAM_TX_TO_CLASS_LSB);
        break;
    case OFR_DATAGRAM_TX_END:
        d->beat.last = true;
        d->beat.keep = (uint8_t)((1U << (value & OFR_DATAGRAM_TX_END_BYTES_MASK)) - 1);
        break;
    case OFR_DATAGRAM_TX_HIGH:
        d->high = value;
        break;
    case OFR_DATAGRAM_TX_DATA:
        d->beat.data = (d->block.shape.flit_bits == 64 ? (uint64_t)d->high << 32 : 0) |
                       (d->block.shape.flit_bits == 16 ? value & 0xffff : value);
        d->waits = true;
        break;
    case OFR_DATAGRAM_RX_NEXT:
        d->take = true;
        break;
    default:
        break;
    }
    return true;
}

void ofr_datagrams_refused(struct ofr_datagrams *d)
{
    d->accessed = false;
}

bool ofr_datagrams_idle(const struct ofr_datagrams *d)
{
    return !d->waits && !d->take && ofr_datagram_idle(&d->block);
}
