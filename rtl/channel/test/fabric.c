// SPDX-License-Identifier: Apache-2.0
// The fabric between the nodes: any delay, gaps, and in bad times harm.
#include "bench.h"

#include <string.h>

static void put_field(struct packet *p, unsigned lsb, unsigned bits, uint64_t value)
{
    for (unsigned i = 0; i < bits; i++) {
        unsigned at = lsb + i;
        if (at / W < p->flits) {
            p->flit[at / W] &= ~((uint64_t)1 << at % W);
            p->flit[at / W] |= (value >> i & 1) << at % W;
        }
    }
}

static void enqueue(struct bench *b, unsigned from, unsigned to, const struct packet *p)
{
    struct queue *q = &b->node[to].from[from];
    if (q->count == QUEUE) {
        fail(b, to, 0, "packets on their way", q->count, QUEUE - 1);
        return;
    }
    struct packet *slot = &q->packet[(q->first + q->count++) % QUEUE];
    *slot = *p;
    slot->at = b->cycle + b->delay;
}

#define HEAD_LSB(field) (64 + OFR_CHANNEL_HEAD_##field##_LSB)

// One that came, changed so that nobody can take it for a true one, comes again.
void forge(struct bench *b, unsigned to)
{
    struct packet p = b->node[to].seen;
    if (p.flits < HEAD + 1)
        return;
    uint64_t old = p.flit[64 / W] >> (W == 16 ? 8 : 0);
    switch (below(b, 8)) {
    case 0:
        put_field(&p, HEAD_LSB(CONN), 8, rng_next(&b->rng));
        put_field(&p, HEAD_LSB(TYPE), 3, rng_next(&b->rng));
        put_field(&p, OFR_PKT_SRC_X_LSB, 8, 0x13); // that nobody has as a peer
        break;
    case 1:
        put_field(&p, HEAD_LSB(TYPE), 3, 6 + below(b, 2));
        break;
    case 6: { // the next one, of another connection of the same ends
        unsigned e = (unsigned)(old >> (W == 16 ? 0 : 8)) & 15;
        if (e >= ENDS)
            return;
        put_field(&p, HEAD_LSB(TYPE), 3, 0);
        put_field(&p, HEAD_LSB(CODE), 4, 1);
        put_field(&p, HEAD_LSB(CONN), 8, b->node[to].model.end[e].conn ^ 0x55U);
        put_field(&p, OFR_PKT_SEQ_LSB, 8, b->node[to].model.end[e].expect);
        p.flit[HEAD] = 0;
        break;
    }
    case 2:
        put_field(&p, HEAD_LSB(CODE), 4, chance(b, 500) ? 0 : 3 + BYTES + below(b, 13 - BYTES));
        put_field(&p, HEAD_LSB(TYPE), 3, 0);
        break;
    case 3:
        put_field(&p, HEAD_LSB(TO), 4, rng_next(&b->rng));
        put_field(&p, HEAD_LSB(CONN), 8, (old >> 24) + 100);
        break;
    case 4:
        put_field(&p, OFR_PKT_KIND_LSB, 4, 4 + below(b, 12));
        break;
    case 5: // too short, too long
        p.flits = chance(b, 500) ? 1 + below(b, HEAD) : L + 1 + below(b, 6);
        break;
    default: // again, as it was; DATA out of order
        if ((p.flit[64 / W] & 7) == OFR_CHANNEL_HEAD_TYPE_DATA) {
            unsigned e = (unsigned)(old >> (W == 16 ? 0 : 8)) & 15;
            unsigned expect = e < ENDS ? b->node[to].model.end[e].expect : 0;
            put_field(&p, OFR_PKT_SEQ_LSB, 8, expect + 80 + below(b, 96));
        }
        break;
    }
    b->cov.forged++;
    enqueue(b, below(b, NODES), to, &p);
}

static void leave(struct bench *b, unsigned n, const struct packet *sent)
{
    struct packet p = *sent;
    unsigned target = p.flit[0] & 0xfff;
    b->cov.packets++;
    if (p.flits < 4 || p.flits > L || (p.flit[0] >> OFR_PKT_CLASS_LSB & 15) != 4)
        fail(b, n, 0, "a packet that cannot be: flits, head", p.flits, p.flit[0]);
    for (unsigned to = 0; to < NODES; to++) {
        if (ofr_coord_word(&b->node[to].config.me, N) != target)
            continue;
        if (b->bad && chance(b, 10)) {
            unsigned how = below(b, 3);
            b->cov.lost += how == 0;
            b->cov.poisoned += how == 1;
            b->cov.cut += how == 2;
            if (how == 0)
                return;
            p.poison = true;
            if (how == 2)
                p.flits = 4 + below(b, p.flits - 3);
            p.flit[p.flits - 1] = rng_next(&b->rng) & (~(uint64_t)0 >> (64 - W));
        }
        enqueue(b, n, to, &p);
    }
}

struct ofr_flit arrive(struct bench *b, unsigned n)
{
    struct node *x = &b->node[n];
    struct ofr_flit f = {.data = rng_next(&b->rng) & (~(uint64_t)0 >> (64 - W))};
    if (b->wire)
        return b->line[n][b->cycle % 64];
    if (x->source < 0) {
        unsigned first = below(b, NODES);
        for (unsigned i = 0; i < NODES && x->source < 0; i++) {
            const struct queue *q = &x->from[(first + i) % NODES];
            if (q->count && q->packet[q->first].at <= b->cycle)
                x->source = (int)((first + i) % NODES);
        }
        x->flit = 0;
    }
    if (x->source < 0 || chance(b, b->gap))
        return f;
    struct queue *q = &x->from[x->source];
    const struct packet *p = &q->packet[q->first];
    f.valid = true;
    f.data = p->flit[x->flit++];
    f.last = x->flit == p->flits;
    f.poison = f.last && p->poison;
    if (f.last) {
        x->seen = *p;
        q->first = (q->first + 1) % QUEUE;
        q->count--;
        x->source = -1;
    }
    return f;
}

void depart(struct bench *b, unsigned n, const struct ofr_flit *f, bool ready)
{
    struct node *x = &b->node[n];
    if (b->wire)
        b->line[!n][(b->cycle + b->delay) % 64] = f->valid && ready ? *f : (struct ofr_flit){0};
    else if (f->valid && ready) {
        if (x->sent.flits < L + 8)
            x->sent.flit[x->sent.flits++] = f->data;
        if (f->last) {
            leave(b, n, &x->sent);
            x->sent.flits = 0;
        }
    }
}
