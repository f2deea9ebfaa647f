// SPDX-License-Identifier: Apache-2.0
// The ledger: every datagram is delivered whole, at most once, with its sender's name, or counted.
#include "bench.h"

#include <string.h>

static void put(struct bench *b, unsigned n, struct fifo *q, const struct datagram *d)
{
    if (q->count == QUEUE)
        fail(b, n, "datagrams that wait", QUEUE, QUEUE - 1);
    else
        q->item[(q->first + q->count++) % QUEUE] = *d;
}

static void drop_first(struct fifo *q)
{
    q->first = (q->first + 1) % QUEUE;
    q->count--;
}

// ---- The user's logic ---------------------------------------------------------------------------

static void next_datagram(struct bench *b, struct node *x)
{
    struct datagram *d = &x->given;
    unsigned kind = below(b, 100);
    d->bytes = kind < 10   ? 0
               : kind < 15 ? 1
               : kind < 22 ? MOST
               : kind < 26 ? MOST + 1
               : kind < 32 ? MOST + below(b, MOST)
               : kind < 60 ? below(b, 4 * BYTES)
                           : below(b, MOST + 1);
    d->cls = (uint8_t)(chance(b, 50) ? 3 : below(b, 3));
    d->end = (uint16_t)below(b, 16);
    d->node = ofr_coord_word(&b->node[below(b, NODES)].config.me, N);
    if (chance(b, 60)) // a node without anybody, or outside the torus
        d->node = (uint16_t)below(b, chance(b, 500) ? 0x1000 : N == 2 ? 0x100 : 0x200);
    if (x->exact >= 0) {
        d->bytes = (unsigned)x->exact;
        d->cls = OFR_PKT_CLASS_INORDER;
        d->node = ofr_coord_word(&b->node[1].config.me, N);
    }
    x->beat = 0;
    x->beats = (d->bytes + BYTES - 1) / BYTES;
    if (x->beats == 0 || (x->exact < 0 && d->bytes % BYTES == 0 && chance(b, 300)))
        x->beats++; // the last one without a byte
    for (unsigned i = 0; i < x->beats; i++)
        d->flit[i] = rng_next(&b->rng) & FLIT_MASK;
}

void next_beat(struct bench *b, struct node *x)
{
    if (x->s.valid || (x->beats == 0 && x->pause) || !chance(b, x->rate))
        return;
    if (x->beats == 0)
        next_datagram(b, x);
    unsigned bytes =
        x->given.bytes - (x->beat * BYTES < x->given.bytes ? x->beat * BYTES : x->given.bytes);
    bool last = x->beat + 1 == x->beats;
    unsigned keep = (1U << (bytes < BYTES ? bytes : BYTES)) - 1;
    // Behind a gap TKEEP does not count, nor before the last beat; nor TDEST, TUSER but in the
    // first
    if (last && chance(b, 100))
        keep |= ~((2U << bytes) - 1) & below(b, 256);
    if (!last && chance(b, 50))
        keep = below(b, 256);
    bool first = x->beat == 0;
    x->s = (struct ofr_datagram_beat){
        .valid = true,
        .last = last,
        .keep = (uint8_t)(keep & ((1U << BYTES) - 1)),
        .data = x->given.flit[x->beat],
        .dest =
            (uint16_t)(first ? x->given.node | (unsigned)x->given.end << 12 : below(b, 0x10000)),
        .cls = first ? x->given.cls : (uint8_t)below(b, 4),
    };
}

static bool is_outside(const struct node *x, unsigned node)
{
    bool outside = N == 2 && node >> 8 != 0;
    for (unsigned i = 0; i < N; i++)
        outside = outside || (node >> (4 * i) & 15) >= x->config.torus.k[i];
    return outside;
}

void beat_given(struct bench *b, struct node *x)
{
    const struct datagram *d = &x->given;
    x->s.valid = false;
    if (++x->beat < x->beats)
        return;
    unsigned why = is_outside(x, d->node) ? OFR_DATAGRAM_REASON_NODE
                   : d->cls == 3          ? OFR_DATAGRAM_REASON_CLASS
                   : d->bytes > MOST      ? OFR_DATAGRAM_REASON_LONG
                                          : OFR_DATAGRAM_REASON_NONE;
    b->cov.empty += d->bytes == 0;
    b->cov.one_byte += d->bytes == 1;
    b->cov.whole += d->bytes == MOST;
    b->cov.too_long += d->bytes == MOST + 1;
    b->cov.null_beats += d->bytes && (x->beats - 1) * BYTES == d->bytes;
    if (why) {
        x->illegal++;
        x->reason = (uint8_t)why;
        b->cov.reason[why]++;
    } else {
        b->cov.class_of[d->cls]++;
        put(b, (unsigned)(x - b->node), &x->out, d);
    }
    x->beats = 0;
}

// ---- What leaves --------------------------------------------------------------------------------

// The packet is what the datagram has to look like.
static void check_packet(struct bench *b, unsigned n, const struct packet *p,
                         const struct datagram *d)
{
    unsigned payload = (d->bytes + BYTES - 1) / BYTES;
    unsigned flits = HEAD + payload < 4 ? 4 : HEAD + payload;
    struct ofr_header h = {.target = d->node,
                           .cls = d->cls,
                           .leg = 1,
                           .dest = d->node,
                           .source = ofr_coord_word(&b->node[n].config.me, N),
                           .kind = OFR_PKT_KIND_DATAGRAM,
                           .seq = (uint16_t)(d->bytes | (unsigned)d->end << 12)};
    uint64_t head = 0;
    for (unsigned i = 0; i < HEAD; i++)
        head |= p->flit[i] << (i * W % 64);
    same(b, n, "sent: header", head, ofr_header_pack(&h));
    same(b, n, "sent: flits", p->flits, flits);
    for (unsigned i = HEAD; i < p->flits && i < flits; i++)
        same(b, n, "sent: payload", p->flit[i], i - HEAD < payload ? d->flit[i - HEAD] : 0);
}

bool flit_sent(struct bench *b, unsigned n, const struct ofr_flit *tx, bool ready, bool unreachable)
{
    struct node *x = &b->node[n];
    if (!tx->valid) {
        if (x->sent.flits || x->tx.valid)
            fail(b, n, "the port waits inside a packet, at flit", x->sent.flits, 0);
        return false;
    }
    if (x->tx.valid) {
        same(b, n, "sent: a flit that waits, changed", tx->data, x->tx.data);
        same(b, n, "sent: a last flit that waits, changed", tx->last, x->tx.last);
    }
    x->tx = *tx;
    x->tx.valid = !ready;
    if (x->sent.flits == 0 && x->out.count == 0) {
        fail(b, n, "sent: what nobody gave, or not whole yet", tx->data, 0);
        return false;
    }
    x->nowhere = x->nowhere || unreachable;
    b->cov.waited += !ready;
    if (!ready)
        return false;
    if (x->sent.flits < L + 8)
        x->sent.flit[x->sent.flits++] = tx->data;
    if (!tx->last)
        return false;
    check_packet(b, n, &x->sent, &x->out.item[x->out.first]);
    drop_first(&x->out);
    if (!x->nowhere) {
        x->sends++;
        b->cov.sent++;
        return true;
    }
    x->illegal++;
    x->reason = OFR_DATAGRAM_REASON_UNREACHABLE;
    b->cov.reason[OFR_DATAGRAM_REASON_UNREACHABLE]++;
    return true;
}

// ---- What comes ---------------------------------------------------------------------------------

static unsigned word_of(const struct packet *p, unsigned i)
{
    return (unsigned)(p->flit[16 * i / W] >> 16 * i % W) & 0xffff;
}

void flit_comes(struct node *x, unsigned index, const struct packet *last)
{
    // Whole in the RAM are all that the consumer has not, but for two beats on the way to it
    uint32_t wait = x->received - x->takes;
    if (index == 1) {
        x->may_drop = wait >= ROOM;
        x->must_drop = wait >= ROOM + 2;
    }
    if (!last)
        return;
    if (last->flits <= 32 / W || word_of(last, 2) >> 12 != OFR_PKT_KIND_DATAGRAM)
        return;
    x->is = SPOILED;
    if (last->poison || last->flits < 4 || last->flits > L)
        return;
    x->came.bytes = word_of(last, 3) & 0xfff;
    x->came.end = (uint16_t)(word_of(last, 3) >> 12);
    x->came.node = word_of(last, 2) & 0xfff;
    unsigned flits = HEAD + (x->came.bytes + BYTES - 1) / BYTES;
    if (last->flits != (flits < 4 ? 4 : flits))
        return;
    memcpy(x->came.flit, last->flit + HEAD, (last->flits - HEAD) * sizeof *last->flit);
    x->is = GOOD;
}

// The counters say what has become of the packet whose tail came in the cycle before the last one:
// it may be so, and no other packet's count changes.
static void settle(struct bench *b, unsigned n)
{
    struct node *x = &b->node[n];
    uint32_t received = x->model.received - x->received, none = x->model.no_room - x->no_room;
    uint32_t spoiled = x->model.spoiled - x->spoiled;
    same(b, n, "count: SPOILED", spoiled, x->was == SPOILED);
    same(b, n, "count: RECEIVED and NO_ROOM", received + none, x->was == GOOD);
    if (none && !x->may_drop)
        fail(b, n, "count: NO_ROOM where there was room", none, 0);
    if (received && x->must_drop)
        fail(b, n, "count: RECEIVED where there was no room", received, 0);
    if (received)
        put(b, n, &x->in, &x->due);
    x->was = x->is;
    x->is = NOT_OURS;
    if (x->was == GOOD)
        x->due = x->came;
    x->received += received;
    x->no_room += none;
    x->spoiled += spoiled;
    b->cov.received += received;
    b->cov.no_room += none;
    b->cov.spoiled += spoiled;
}

void beat_taken(struct bench *b, unsigned n, const struct ofr_datagram_beat *m, bool ready)
{
    struct node *x = &b->node[n];
    if (!m->valid) {
        same(b, n, "taken: a beat that waits is gone", x->m.valid, false);
        return;
    }
    if (x->in.count == 0) {
        fail(b, n, "taken: a beat that nobody sent, or of one not whole yet", m->data, 0);
        return;
    }
    if (x->m.valid && (m->data != x->m.data || m->keep != x->m.keep || m->last != x->m.last))
        fail(b, n, "taken: a beat that waits, changed", m->data, x->m.data);
    const struct datagram *d = &x->in.item[x->in.first];
    unsigned left = d->bytes - x->got * BYTES, bytes = left < BYTES ? left : BYTES;
    uint64_t mask = bytes ? FLIT_MASK >> (W - 8 * bytes) : 0;
    same(b, n, "taken: TLAST", m->last, left <= BYTES);
    same(b, n, "taken: TKEEP", m->keep, (1U << bytes) - 1);
    same(b, n, "taken: TDATA", m->data & mask, d->flit[x->got] & mask);
    same(b, n, "taken: TID", m->source, d->node);
    same(b, n, "taken: TDEST", m->dest, d->end);
    x->m = *m;
    x->m.valid = !ready;
    b->cov.stopped += !ready;
    if (!ready)
        return;
    x->got++;
    if (!m->last)
        return;
    x->got = 0;
    drop_first(&x->in);
    x->takes++;
    b->cov.taken++;
}

void counts(struct bench *b, unsigned n)
{
    struct node *x = &b->node[n];
    settle(b, n);
    same(b, n, "count: SENT", x->model.sent, x->sends);
    same(b, n, "count: ILLEGAL", x->model.illegal, x->illegal);
    same(b, n, "count: REASON", x->model.reason, x->reason);
}
