// SPDX-License-Identifier: Apache-2.0
#include "collective.h"

#include <string.h>

enum {
    BARRIER = OFR_COLLECTIVE_BARRIER,
    BROADCAST = OFR_COLLECTIVE_BROADCAST,
    SCATTER = OFR_COLLECTIVE_SCATTER,
    GATHER = OFR_COLLECTIVE_GATHER,
    REDUCE = OFR_COLLECTIVE_REDUCE,
    ALLREDUCE = OFR_COLLECTIVE_ALLREDUCE,
    OWN = OFR_COLLECTIVE_OWN,
    CHILD = OFR_COLLECTIVE_CHILD,
    MERGE = OFR_COLLECTIVE_MERGE,
    FLUSH = OFR_COLLECTIVE_FLUSH,
};

bool ofr_collective_init(struct ofr_collective *c, const struct ofr_collective_shape *shape)
{
    unsigned w = shape->flit_bits;
    if ((w != 16 && w != 32 && w != 64) || shape->children < 1 ||
        shape->children > OFR_COLLECTIVE_CHILDREN)
        return false;
    memset(c, 0, sizeof *c);
    c->shape = *shape;
    return true;
}

// A cycle: the state as it began, what it becomes, pins, and what follows from them.
struct cycle {
    const struct ofr_collective *c;
    struct ofr_collective *x;
    const struct ofr_collective_in *in;
    struct ofr_collective_out *out;
    unsigned kids; // children that there are
    bool root, leaf;
    bool up_taken; // the first beat on its way up goes
};

// ---- Beats --------------------------------------------------------------------------------------

// The fields of an end.
struct end {
    unsigned what; // operation, type
    unsigned reason, number;
    bool part, odd;
};

static struct end end_of(const struct ofr_collective *c, uint64_t data)
{
    unsigned f = (unsigned)(c->shape.flit_bits == 64 ? data >> 32 : data);
    return (struct end){.what = f & 63,
                        .reason = f >> OFR_COLLECTIVE_REASON_LSB & 7,
                        .part = f >> OFR_COLLECTIVE_PART_LSB & 1,
                        .odd = c->shape.flit_bits == 64 && (f >> OFR_COLLECTIVE_ODD_LSB & 1),
                        .number = f >> OFR_COLLECTIVE_NUMBER_LSB & 31};
}

static unsigned what_of(const struct ofr_collective *c)
{
    return c->op | (unsigned)c->type << OFR_COLLECTIVE_TYPE_LSB;
}

// An end of this member's; word: of an odd one.
static struct ofr_beat make_end(const struct ofr_collective *c, unsigned reason, bool part,
                                bool odd, uint64_t word)
{
    uint64_t f = what_of(c) | reason << OFR_COLLECTIVE_REASON_LSB |
                 (part ? 1U << OFR_COLLECTIVE_PART_LSB : 0) |
                 (odd ? 1U << OFR_COLLECTIVE_ODD_LSB : 0) |
                 (unsigned)c->number << OFR_COLLECTIVE_NUMBER_LSB;
    return (struct ofr_beat){.valid = true,
                             .last = true,
                             .data = c->shape.flit_bits == 64 ? f << 32 | (odd ? (uint32_t)word : 0)
                                                              : f};
}

static uint8_t all_bytes(const struct ofr_collective *c)
{
    return (uint8_t)((1U << c->shape.flit_bits / 8U) - 1);
}

static uint32_t merge_word(unsigned type, uint32_t a, uint32_t b)
{
    uint32_t flip = type & OFR_COLLECTIVE_UNSIGNED ? 0 : 1U << 31;
    bool less = (a ^ flip) < (b ^ flip);
    switch (type & 3) {
    case OFR_COLLECTIVE_SUM:
        return a + b;
    case OFR_COLLECTIVE_OR:
        return a | b;
    case OFR_COLLECTIVE_MIN:
        return less ? a : b;
    default:
        return less ? b : a;
    }
}

static uint64_t merge(const struct ofr_collective *c, uint64_t a, uint64_t b)
{
    uint64_t high = c->shape.flit_bits == 64
                        ? merge_word(c->type, (uint32_t)(a >> 32), (uint32_t)(b >> 32))
                        : 0;
    return high << 32 | merge_word(c->type, (uint32_t)a, (uint32_t)b);
}

// The first beat on its way up.
static struct ofr_beat up_of(const struct ofr_collective *c)
{
    struct ofr_beat b = c->up[c->up_first];
    b.valid = c->up_count != 0;
    return b;
}

static void put_up(struct cycle *y, struct ofr_beat b)
{
    y->x->up[(y->c->up_first + y->c->up_count) % OFR_COLLECTIVE_QUEUE] = b;
    y->x->up_count++;
}

// The first child after `from` - 1, or the number of children: none.
static unsigned child_from(const struct cycle *y, unsigned from)
{
    while (from < y->c->shape.children && !(y->kids >> from & 1))
        from++;
    return from;
}

// A beat of child `i` that is not the broken one.
static const struct ofr_beat *beat_of(const struct cycle *y, unsigned i)
{
    const struct ofr_beat *b = &y->in->from[1 + i];
    return b->valid && !b->user ? b : NULL;
}

// ---- Down ---------------------------------------------------------------------------------------

// A part of SCATTER has gone to the one whose it is.
static void next_part(struct cycle *y)
{
    const struct ofr_collective *c = y->c;
    struct ofr_collective *x = y->x;
    if (c->served) {
        x->extra = true;
    } else if (c->self || c->left == 1) {
        unsigned next = child_from(y, c->self ? 0 : c->whose + 1U);
        x->self = false;
        x->served = next == c->shape.children;
        x->whose = (uint8_t)next;
        x->left = x->served ? 0 : y->in->size[next] & 0xfff;
    } else {
        x->left = (c->left - 1) & 0xfff;
    }
}

static void go_down(struct cycle *y)
{
    const struct ofr_collective *c = y->c;
    struct ofr_collective *x = y->x;
    const struct ofr_collective_in *in = y->in;
    unsigned took = 0;
    for (unsigned i = 0; i < c->shape.children; i++)
        took |= (unsigned)in->to_ready[1 + i] << i;
    bool m_free = !c->m.valid || in->m_ready;
    x->to = c->to & (uint8_t)~took;
    x->m.valid = c->m.valid && !in->m_ready;
    if (c->fails && m_free) {
        x->m = make_end(c, OFR_COLLECTIVE_ABORTED, false, false, 0);
        x->m.user = x->m_end = true;
        x->fails = false;
    }

    bool lost = !y->root && (c->broken & 1); // no parent to give a verdict
    const struct ofr_beat up = up_of(c), *b = y->root ? &up : &in->from[0];
    bool there = c->busy && !c->over && (lost || (b->valid && !b->user));
    struct end end = end_of(c, b->data);
    bool verdict = lost || (b->last && !end.part), part = !lost && b->last && end.part;
    bool scatters = c->op == SCATTER && !verdict;
    bool spreads = c->op == BROADCAST || c->op == ALLREDUCE;
    bool vector = y->root ? c->op >= GATHER : spreads; // is the member's, too
    bool keeps = verdict || (part ? y->root && c->op == GATHER : vector);
    unsigned kids = verdict || (spreads && !part) ? y->kids : 0;
    if (scatters) {
        keeps = c->self;
        kids = c->self || c->served ? 0 : 1U << c->whose;
    }
    keeps = keeps && !c->cut;
    bool goes = there && !(c->to & ~took) && (!keeps || (m_free && !c->fails));
    y->up_taken = y->root ? goes : in->to_ready[0];
    y->out->from_ready[0] = (!y->root && goes) || (c->broken & 1);
    if (in->leave && c->busy && !c->over && !c->cut && !(goes && verdict)) {
        x->cut = x->fails = true;
        x->reason = OFR_COLLECTIVE_ABORTED;
    }
    if (!goes)
        return;

    unsigned reason = lost                                           ? OFR_COLLECTIVE_BROKEN
                      : end.reason                                   ? end.reason
                      : !y->root && end.number != c->number          ? OFR_COLLECTIVE_MISMATCH
                      : c->op == SCATTER && (!c->served || c->extra) ? OFR_COLLECTIVE_LENGTH
                                                                     : OFR_COLLECTIVE_OK;
    bool odd = b->last && !lost && end.odd && !(verdict && reason);
    x->down = (struct ofr_beat){.valid = true, .last = b->last, .data = b->data};
    if (verdict)
        x->down = make_end(c, reason, false, odd, b->data);
    x->to = (uint8_t)kids;
    if (keeps) {
        x->m = x->down;
        x->m.keep = !x->down.last ? all_bytes(c) : odd && (part || vector) ? 0x0f : 0;
        x->m.user = verdict && reason;
        x->m_end = verdict;
    }
    if (scatters && (part || c->served))
        next_part(y);
    if (verdict) {
        x->over = true;
        if (!c->cut)
            x->reason = (uint8_t)reason;
    }
}

// ---- Up -----------------------------------------------------------------------------------------

// The member's own beat: data, or the end of its vector.
struct own {
    bool data, end, odd, illegal;
    bool more; // SCATTER, root: not its last message
};

static struct own own_of(const struct cycle *y)
{
    const struct ofr_collective *c = y->c;
    const struct ofr_beat *s = &y->in->s;
    bool full = s->keep == all_bytes(c), half = c->shape.flit_bits == 64 && s->keep == 0x0f;
    bool there = s->valid && !c->own_over, last = there && s->last;
    return (struct own){
        .data = there && (!last || full),
        .end = c->own_over || (last && (half || !s->keep)),
        .odd = last && half,
        .illegal = last && !full && !half && s->keep,
        .more = y->root && c->op == SCATTER && (y->in->s_user & OFR_COLLECTIVE_MORE),
    };
}

static void take_own(struct cycle *y, const struct own *own)
{
    y->out->s_ready = true;
    if (y->in->s.valid && y->in->s.last)
        y->x->own_over = !own->more;
}

// The member's own vector, as it is: the root's, or for GATHER. Returns why it cannot go on.
static unsigned pass_own(struct cycle *y, const struct own *own, bool can)
{
    const struct ofr_collective *c = y->c;
    struct ofr_collective *x = y->x;
    const struct ofr_beat *s = &y->in->s;
    uint8_t next = c->op == GATHER && !y->leaf ? CHILD : MERGE;
    if (c->own_part) {
        if (can) {
            put_up(y, make_end(c, 0, true, false, 0));
            x->own_part = false;
            x->phase = c->own_over ? next : OWN;
        }
    } else if (own->illegal) {
        return OFR_COLLECTIVE_ILLEGAL;
    } else if (own->end && c->op == BROADCAST) {
        x->phase = MERGE;
    } else if (own->end && can) {
        take_own(y, own);
        put_up(y, make_end(c, 0, true, own->odd, s->data));
        x->phase = own->more ? OWN : next;
    } else if (own->data && can) {
        take_own(y, own);
        put_up(y, (struct ofr_beat){.valid = true, .data = s->data});
        x->own_part = s->last && c->op != BROADCAST;
        if (s->last && c->op == BROADCAST)
            x->phase = MERGE;
    }
    return 0;
}

// GATHER: a child's parts, as they are, until its end.
static void pass_child(struct cycle *y, bool can)
{
    const struct ofr_collective *c = y->c;
    struct ofr_collective *x = y->x;
    const struct ofr_beat *b = beat_of(y, c->cur);
    if (!b)
        return;
    if (b->last && !end_of(c, b->data).part) {
        unsigned next = child_from(y, c->cur + 1U);
        bool all = next == c->shape.children;
        x->cur = (uint8_t)(all ? child_from(y, 0) : next);
        x->phase = all ? MERGE : CHILD;
    } else if (can) {
        y->out->from_ready[1 + c->cur] = true;
        put_up(y, (struct ofr_beat){.valid = true, .last = b->last, .data = b->data});
    }
}

// The burst's next word, or the next child's turn.
static void next_word(struct cycle *y, bool first, bool last, bool is_end, bool odd)
{
    const struct ofr_collective *c = y->c;
    struct ofr_collective *x = y->x;
    if (first && last)
        return;
    bool all = first ? is_end || c->at == OFR_COLLECTIVE_BURST - 1 : c->at == c->length;
    if (first) {
        x->length = c->at;
        x->ends = is_end;
        x->ends_odd = odd;
    }
    x->at = all ? 0 : c->at + 1;
    if (all)
        x->cur = (uint8_t)child_from(y, last ? 0 : c->cur + 1U);
}

// Own and children's vectors, word by word, and their ends. The first child's is merged with the
// member's own, the result with the next one's. Returns why it cannot go on.
static unsigned merge_all(struct cycle *y, const struct own *own, bool can)
{
    const struct ofr_collective *c = y->c;
    struct ofr_collective *x = y->x;
    bool halves = c->shape.flit_bits == 16, merges = c->op >= REDUCE;
    bool first = y->leaf || c->cur == child_from(y, 0);
    bool last = y->leaf || child_from(y, c->cur + 1U) == c->shape.children;
    const struct ofr_beat *b = y->leaf ? NULL : beat_of(y, c->cur);
    bool is_end = first ? own->end : c->ends && c->at == c->length;
    bool odd = first ? own->odd : is_end && c->ends_odd;
    struct end end = end_of(c, b ? b->data : 0);

    if (first && own->illegal)
        return OFR_COLLECTIVE_ILLEGAL;
    if (first && !merges && (own->data || (own->odd && (!y->root || c->op != BROADCAST))))
        return OFR_COLLECTIVE_LENGTH;
    if (first && own->end && c->high)
        return OFR_COLLECTIVE_LENGTH;
    if (b && b->last && end.reason)
        return end.reason;
    if ((!y->leaf && !b) || (first && !own->end && !own->data))
        return 0;
    if (b && b->last != is_end)
        return merges ? OFR_COLLECTIVE_LENGTH : OFR_COLLECTIVE_MISMATCH;
    if (b && is_end && (end.what != what_of(c) || end.number != c->number || end.part))
        return OFR_COLLECTIVE_MISMATCH;
    if (b && is_end && end.odd != (odd && merges))
        return OFR_COLLECTIVE_LENGTH;

    uint64_t a = first ? y->in->s.data : c->acc[c->at], d = b ? b->data : 0;
    bool low = halves && !is_end && !c->high;
    if (!low && last && !can)
        return 0;
    if (first && !c->own_over)
        take_own(y, own);
    if (b)
        y->out->from_ready[1 + c->cur] = true;
    if (low) {
        x->low_own = (uint16_t)a;
        x->low_child = (uint16_t)d;
        x->high = true;
        return 0;
    }
    x->high = false;
    if (halves) {
        a = first ? (a & 0xffff) << 16 | c->low_own : a;
        d = (d & 0xffff) << 16 | c->low_child;
    }
    // At the leaf, and where only the member's own counts, nothing is merged with it
    uint64_t r = b && merges ? merge(c, a, d) : a;
    if (b && is_end)
        x->seen |= (uint8_t)(1U << c->cur);
    if (!last) {
        x->acc[c->at] = r;
    } else if (is_end) {
        put_up(y, make_end(c, 0, false, odd, odd ? r : 0));
        x->up_done = true;
    } else {
        put_up(y, (struct ofr_beat){.valid = true, .data = halves ? r & 0xffff : r});
        x->high_up = (uint16_t)(r >> 16);
        x->due = halves;
    }
    next_word(y, first, last, is_end, odd);
    return 0;
}

// The operation has failed. The end says why, and all others' are waited for.
static void flush(struct cycle *y, const struct own *own, bool can)
{
    const struct ofr_collective *c = y->c;
    struct ofr_collective *x = y->x;
    if (!c->up_done && can) {
        put_up(y, make_end(c, c->err, false, false, 0));
        x->up_done = true;
    }
    if (!c->own_over)
        take_own(y, own);
    for (unsigned i = 0; i < c->shape.children; i++) {
        const struct ofr_beat *b = beat_of(y, i);
        if (!(y->kids >> i & 1) || (c->seen >> i & 1))
            continue;
        y->out->from_ready[1 + i] = true;
        if (b && b->last && !end_of(c, b->data).part)
            x->seen |= (uint8_t)(1U << i);
    }
}

// A child's error is seen before its turn comes, once it is next in its stream.
static unsigned look(const struct cycle *y)
{
    for (unsigned i = 0; i < y->c->shape.children; i++) {
        const struct ofr_beat *b = beat_of(y, i);
        unsigned reason = b && b->last ? end_of(y->c, b->data).reason : 0;
        if (reason && (y->kids >> i & 1) && !(y->c->seen >> i & 1))
            return reason;
    }
    return 0;
}

static void go_up(struct cycle *y)
{
    const struct ofr_collective *c = y->c;
    struct ofr_collective *x = y->x;
    const struct own own = own_of(y);
    bool can = c->up_count < OFR_COLLECTIVE_QUEUE;
    unsigned err = 0;
    if (c->up_count && y->up_taken) {
        x->up_first = (c->up_first + 1) % OFR_COLLECTIVE_QUEUE;
        x->up_count--;
    }
    if (c->due && can) {
        put_up(y, (struct ofr_beat){.valid = true, .data = c->high_up});
        x->due = false;
    }
    can = can && !c->due;
    if (c->busy && c->phase == FLUSH) {
        flush(y, &own, can);
    } else if (c->busy && !c->up_done) {
        if (c->phase == OWN)
            err = pass_own(y, &own, can);
        else if (c->phase == CHILD)
            pass_child(y, can);
        else
            err = merge_all(y, &own, can);
        unsigned seen = look(y);
        err = y->in->leave                 ? OFR_COLLECTIVE_ABORTED
              : y->kids & (c->broken >> 1) ? OFR_COLLECTIVE_BROKEN
              : c->over                    ? (c->reason ? c->reason : OFR_COLLECTIVE_MISMATCH)
              : seen                       ? seen
                                           : err;
        if (err) {
            x->phase = FLUSH;
            x->err = (uint8_t)err;
        }
    }
}

// ---- A cycle ------------------------------------------------------------------------------------

static void start(struct cycle *y)
{
    const struct ofr_collective_in *in = y->in;
    struct ofr_collective *x = y->x;
    unsigned op = in->s_user & 7;
    bool sends = y->root && (op == BROADCAST || op == SCATTER);
    x->busy = true;
    x->op = (uint8_t)op;
    x->type = in->s_user >> OFR_COLLECTIVE_TYPE_LSB & 7;
    x->phase = sends || op == GATHER ? OWN : MERGE;
    if (op >= OFR_COLLECTIVE_OPS ||
        ((in->s_user & OFR_COLLECTIVE_MORE) && !(sends && op == SCATTER))) {
        x->phase = FLUSH;
        x->err = OFR_COLLECTIVE_ILLEGAL;
    }
    x->up_done = x->own_over = x->own_part = x->over = x->cut = x->high = false;
    x->seen = x->at = 0;
    x->cur = (uint8_t)child_from(y, 0);
    x->self = true;
    x->served = x->extra = false;
}

static void work(struct cycle *y)
{
    const struct ofr_collective *c = y->c;
    struct ofr_collective *x = y->x;
    const struct ofr_collective_in *in = y->in;
    struct ofr_collective_out *out = y->out;
    memset(out, 0, sizeof *out);
    y->kids = in->children & ((1U << c->shape.children) - 1);
    y->root = !in->has_parent;
    y->leaf = y->kids == 0;
    unsigned open = c->busy ? y->kids & ~c->seen & ~(c->broken >> 1U) : 0;

    out->m = c->m;
    out->m_end = c->m_end;
    out->to[0] = up_of(c);
    out->to[0].valid = out->to[0].valid && !y->root;
    for (unsigned i = 0; i < c->shape.children; i++) {
        out->to[1 + i] = c->down;
        out->to[1 + i].valid = c->to >> i & 1;
    }
    out->busy = c->busy;
    out->reason = c->reason;
    out->broken = c->broken;
    out->waits = (uint8_t)(open << 1 | (c->busy && !y->root && !c->over));

    go_down(y);
    go_up(y);
    if (!c->busy && in->s.valid && !in->clear)
        start(y);
    if (c->busy && c->up_done && !open && c->own_over && c->over && !c->fails) {
        x->busy = false;
        x->number = (c->number + 1) % OFR_COLLECTIVE_NUMBERS;
    }
    if (in->clear && !c->busy)
        x->broken = x->number = 0;
    for (unsigned p = 0; p <= c->shape.children; p++) {
        bool breaks = in->from[p].valid && in->from[p].user;
        if (breaks || (c->broken >> p & 1))
            out->from_ready[p] = true;
        x->broken |= (uint8_t)(breaks ? 1U << p : in->drop & 1U << p);
    }
}

void ofr_collective_out(const struct ofr_collective *c, const struct ofr_collective_in *in,
                        struct ofr_collective_out *out)
{
    struct ofr_collective next = *c;
    struct cycle y = {.c = c, .x = &next, .in = in, .out = out};
    work(&y);
}

void ofr_collective_step(struct ofr_collective *c, const struct ofr_collective_in *in)
{
    const struct ofr_collective old = *c;
    struct ofr_collective_out out;
    struct cycle y = {.c = &old, .x = c, .in = in, .out = &out};
    work(&y);
}
