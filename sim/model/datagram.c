// SPDX-License-Identifier: Apache-2.0
#include "datagram.h"

#include "packet.h"

#include <string.h>

static unsigned flit_bytes(const struct ofr_datagram *dg)
{
    return dg->shape.flit_bits / 8U;
}

static unsigned head_flits(const struct ofr_datagram *dg)
{
    return 64U / dg->shape.flit_bits;
}

bool ofr_datagram_init(struct ofr_datagram *dg, const struct ofr_datagram_shape *shape)
{
    unsigned n = shape->n, w = shape->flit_bits, l = shape->slot_flits, room = shape->room;
    if ((n != 2 && n != 3) || (w != 16 && w != 32 && w != 64) || l < 8 || l > OFR_DATAGRAM_FLITS ||
        (l & (l - 1)) || l * w < 256 || (room != 2 && room != 4 && room != 8))
        return false;
    memset(dg, 0, sizeof *dg);
    dg->shape = *shape;
    dg->at = (uint16_t)head_flits(dg);
    return true;
}

// ---- Sending ------------------------------------------------------------------------------------

// Why a datagram that begins with this beat cannot be sent. Whether there is a way to the node the
// local port knows.
static uint8_t find_fault(const struct ofr_datagram *dg, const struct ofr_datagram_beat *s,
                          const struct ofr_config *config)
{
    bool outside = dg->shape.n == 2 && (s->dest >> 8 & 15);
    for (unsigned i = 0; i < dg->shape.n; i++)
        outside = outside || (s->dest >> (4 * i) & 15) >= config->torus.k[i];
    return outside                            ? OFR_DATAGRAM_REASON_NODE
           : s->cls == OFR_PKT_CLASS_DIRECTED ? OFR_DATAGRAM_REASON_CLASS
                                              : OFR_DATAGRAM_REASON_NONE;
}

// Takes a beat. One that cannot be sent is swallowed to its last beat, and counted there.
static void gather(struct ofr_datagram *dg, const struct ofr_datagram_beat *s,
                   const struct ofr_config *config)
{
    unsigned bytes = 0, most = dg->shape.slot_flits - head_flits(dg), size = flit_bytes(dg);
    while (bytes < size && (!s->last || s->keep >> bytes & 1))
        bytes++;
    if (!dg->inside) {
        dg->dest = s->dest;
        dg->cls = s->cls;
        dg->why = find_fault(dg, s, config);
    }
    if (dg->why == OFR_DATAGRAM_REASON_NONE && dg->count == most && bytes)
        dg->why = OFR_DATAGRAM_REASON_LONG;
    dg->length = (uint16_t)(dg->count * size + bytes);
    if (dg->count < most)
        dg->out[dg->half][dg->count++] = s->data;
    dg->inside = !s->last;
    if (!s->last)
        return;
    dg->count = 0;
    dg->held = dg->why == OFR_DATAGRAM_REASON_NONE;
    if (!dg->held) {
        dg->illegal++;
        dg->reason = dg->why;
    }
}

// Moves the packet's next flit to the port, if that is free; its header first, and zeros behind its
// payload, where it has less than four flits. The packet that is held starts as the one before has
// been moved.
static void send(struct ofr_datagram *dg, const struct ofr_datagram_in *in)
{
    unsigned w = dg->shape.flit_bits, head = head_flits(dg);
    uint64_t mask = w == 64 ? ~(uint64_t)0 : ((uint64_t)1 << w) - 1;
    if (dg->tx.valid && !in->tx_ready)
        return;
    dg->tx.valid = dg->busy || dg->held;
    if (!dg->tx.valid)
        return;
    if (!dg->busy) {
        dg->busy = true;
        dg->held = false;
        dg->half ^= 1;
        dg->step = 0;
        dg->to = dg->dest & 0xfff;
        dg->word = (uint16_t)(dg->length | (dg->dest & 0xf000));
        dg->end = (uint16_t)(head + (dg->length + flit_bytes(dg) - 1) / flit_bytes(dg));
    }
    struct ofr_header header = {.target = dg->to,
                                .cls = dg->cls,
                                .leg = 1,
                                .dest = dg->to,
                                .source = ofr_coord_word(&in->config->me, dg->shape.n),
                                .kind = OFR_PKT_KIND_DATAGRAM,
                                .seq = dg->word};
    unsigned step = dg->step++;
    dg->tx.data = step < head      ? ofr_header_pack(&header) >> (step * w) & mask
                  : step < dg->end ? dg->out[dg->half ^ 1][step - head]
                                   : 0;
    dg->tx.last = dg->step >= dg->end && dg->step >= 4;
    dg->busy = !dg->tx.last;
}

// Counts a packet as its last flit is taken.
static void count_sent(struct ofr_datagram *dg, const struct ofr_flit *tx,
                       const struct ofr_datagram_in *in)
{
    if (!tx->valid)
        return;
    dg->nowhere = dg->nowhere || in->tx_unreachable;
    if (!tx->last || !in->tx_ready)
        return;
    if (dg->nowhere) {
        dg->illegal++;
        dg->reason = OFR_DATAGRAM_REASON_UNREACHABLE;
    } else {
        dg->sent++;
    }
    dg->nowhere = false;
}

// ---- Receiving ----------------------------------------------------------------------------------

// A cycle behind a packet's last flit: it is kept, or counted.
static void settle(struct ofr_datagram *dg)
{
    unsigned length = dg->head & OFR_DATAGRAM_HEAD_LENGTH_MASK, size = flit_bytes(dg);
    unsigned flits = head_flits(dg) + (length + size - 1) / size;
    bool fits = dg->tail < dg->shape.slot_flits && dg->tail + 1U == (flits < 4 ? 4 : flits);
    if (!dg->ended || dg->kind != OFR_PKT_KIND_DATAGRAM)
        return;
    if (!fits || dg->poison) {
        dg->spoiled++;
    } else if (dg->drop) {
        dg->no_room++;
    } else {
        dg->received++;
        dg->kept[dg->write] = (struct ofr_datagram_kept){.source = dg->source, .word = dg->head};
        dg->write = (uint8_t)((dg->write + 1) % dg->shape.room);
        dg->used++;
    }
}

// A flit that is delivered. Whether there is room for its packet is found at the second one.
static void take_flit(struct ofr_datagram *dg, const struct ofr_flit *rx, bool full)
{
    unsigned w = dg->shape.flit_bits, index = dg->index;
    dg->ended = rx->valid && rx->last;
    dg->poison = rx->poison;
    dg->tail = dg->index;
    if (!rx->valid)
        return;
    if (index == 1)
        dg->drop = full;
    if (index == 0)
        dg->kind = OFR_PKT_KIND_USER;
    if (index == OFR_PKT_SRC_X_LSB / w) {
        dg->source = rx->data >> OFR_PKT_SRC_X_LSB % w & 0xfff;
        dg->kind = rx->data >> OFR_PKT_KIND_LSB % w & 15;
    }
    if (index == OFR_PKT_SEQ_LSB / w)
        dg->head = (uint16_t)(rx->data >> OFR_PKT_SEQ_LSB % w);
    if (index >= head_flits(dg) && index < dg->shape.slot_flits && !dg->drop)
        dg->in[dg->write][index] = rx->data;
    dg->index = (uint16_t)(rx->last ? 0 : index < dg->shape.slot_flits ? index + 1 : index);
}

// A beat goes from the RAM to its output, and the one that was there to the port.
static void show(struct ofr_datagram *dg, bool ready)
{
    bool moves = !dg->shown.valid || ready;
    bool reads = dg->used && (!dg->got.valid || moves);
    if (moves) {
        dg->shown = dg->got;
        dg->got.valid = false;
    }
    if (!reads)
        return;
    const struct ofr_datagram_kept *kept = &dg->kept[dg->read];
    unsigned length = kept->word & OFR_DATAGRAM_HEAD_LENGTH_MASK, size = flit_bytes(dg);
    unsigned done = (dg->at - head_flits(dg)) * size; // bytes before this beat's
    unsigned left = length - done, bytes = left < size ? left : size;
    dg->got = (struct ofr_datagram_beat){.valid = true,
                                         .last = left <= size,
                                         .keep = (uint8_t)((1U << bytes) - 1),
                                         .data = length ? dg->in[dg->read][dg->at] : 0,
                                         .source = kept->source,
                                         .dest = kept->word >> OFR_DATAGRAM_HEAD_END_LSB};
    dg->at++;
    if (dg->got.last) {
        dg->at = (uint16_t)head_flits(dg);
        dg->read = (uint8_t)((dg->read + 1) % dg->shape.room);
        dg->used--;
    }
}

// ---- The block ----------------------------------------------------------------------------------

bool ofr_datagram_ready(const struct ofr_datagram *dg)
{
    return !dg->held;
}

struct ofr_datagram_beat ofr_datagram_m(const struct ofr_datagram *dg)
{
    return dg->shown;
}

struct ofr_flit ofr_datagram_tx(const struct ofr_datagram *dg)
{
    return dg->tx;
}

void ofr_datagram_step(struct ofr_datagram *dg, const struct ofr_datagram_in *in)
{
    struct ofr_flit tx = dg->tx;
    bool take = in->s.valid && ofr_datagram_ready(dg), full = dg->used == dg->shape.room;
    send(dg, in);
    if (take)
        gather(dg, &in->s, in->config);
    count_sent(dg, &tx, in);
    show(dg, in->m_ready);
    settle(dg);
    take_flit(dg, &in->rx, full);
}

bool ofr_datagram_idle(const struct ofr_datagram *dg)
{
    bool reads = dg->used && !dg->got.valid,
         moves = !dg->shown.valid && (dg->got.valid || dg->used);
    return !dg->held && !dg->busy && !dg->tx.valid && !dg->ended && !reads && !moves;
}

uint32_t ofr_datagram_read(const struct ofr_datagram *dg, unsigned offset)
{
    switch (offset) {
    case OFR_DATAGRAM_SENT:
        return dg->sent;
    case OFR_DATAGRAM_RECEIVED:
        return dg->received;
    case OFR_DATAGRAM_NO_ROOM:
        return dg->no_room;
    case OFR_DATAGRAM_SPOILED:
        return dg->spoiled;
    case OFR_DATAGRAM_ILLEGAL:
        return dg->illegal;
    case OFR_DATAGRAM_REASON:
        return dg->reason;
    case OFR_DATAGRAM_HEAD:
        return dg->head;
    case OFR_DATAGRAM_SHAPE:
        return dg->shape.room;
    default:
        return 0;
    }
}
