// SPDX-License-Identifier: Apache-2.0
// Operations: what each member gives, and what it must get. Nothing here knows how the block works.
#include "bench.h"

#include <string.h>

static bool has_own(unsigned op, bool root)
{
    return op >= OFR_COLLECTIVE_GATHER ||
           (root && (op == OFR_COLLECTIVE_BROADCAST || op == OFR_COLLECTIVE_SCATTER));
}

static unsigned some_words(struct bench *b)
{
    unsigned kind = below(b, 20);
    if (kind == 0)
        return below(b, LONG);
    return kind < 4 ? kind - 1 : kind < 12 ? below(b, 24) : below(b, 80);
}

void make_plan(struct bench *b)
{
    struct plan *p = plan_of(b, b->plans++);
    memset(p, 0, sizeof *p);
    p->seed = rng_next(&b->rng);
    p->op = below(b, OFR_COLLECTIVE_OPS);
    p->type = below(b, 8);
    p->culprit = below(b, b->members);
    bool parts = p->op == OFR_COLLECTIVE_SCATTER || p->op == OFR_COLLECTIVE_GATHER;
    unsigned all = some_words(b);
    for (unsigned n = 0; n < b->members; n++)
        p->words[n] = parts ? some_words(b) : all;
    if (b->breaking < MEMBERS || !chance(b, 250))
        return;
    unsigned fault = 1 + below(b, FAULTS - 1);
    bool sent = p->op == OFR_COLLECTIVE_BROADCAST && p->culprit == 0;
    if ((fault == LENGTHS && (parts || sent || (p->culprit == 0 && b->members == 1))) ||
        (fault == LENGTHS && p->op >= OFR_COLLECTIVE_REDUCE && b->members == 1) ||
        (fault == ANOTHER && b->members == 1) ||
        (fault == PARTS && p->op != OFR_COLLECTIVE_SCATTER) ||
        ((fault == BREAKS || fault == CLOSES || fault == FORGOTTEN) && b->members == 1))
        return;
    // Those are for who is at rest to begin with: the bench does them
    if (fault == FORGOTTEN)
        return;
    p->fault = fault;
    if (fault == PARTS)
        p->culprit = 0;
}

unsigned op_of(const struct plan *p, unsigned n)
{
    struct rng r = {.state = p->seed ^ 77};
    unsigned way = rng_below(&r, 4), step = rng_below(&r, 8);
    if (n != p->culprit)
        return p->op | p->type << OFR_COLLECTIVE_TYPE_LSB;
    if (p->fault == ANOTHER && way < 2)
        return p->op | ((p->type + 1 + step % 7) & 7) << OFR_COLLECTIVE_TYPE_LSB;
    if (p->fault == ANOTHER)
        return (p->op + 1 + step % 5) % OFR_COLLECTIVE_OPS | p->type << OFR_COLLECTIVE_TYPE_LSB;
    if (p->fault == ILLEGAL && way == 0)
        return (6 + step % 2) | p->type << OFR_COLLECTIVE_TYPE_LSB;
    return p->op | p->type << OFR_COLLECTIVE_TYPE_LSB;
}

static unsigned fault_way(const struct plan *p)
{
    struct rng r = {.state = p->seed ^ 77};
    return rng_below(&r, 4);
}

// Word i of a member's vector, or of its part.
static uint32_t word_of(const struct plan *p, unsigned n, unsigned i)
{
    static const uint32_t edges[] = {0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0xffff, 0x10000};
    struct rng r = {.state = p->seed ^ (uint64_t)n << 40 ^ (uint64_t)(i + 1) << 8};
    uint64_t x = rng_next(&r);
    return x >> 60 < 6 ? edges[(x >> 32) % 7] : (uint32_t)x;
}

// ---- What is given ------------------------------------------------------------------------------

// Member of a place in the order of members.
static unsigned member_at(const struct bench *b, unsigned order)
{
    unsigned n = 0;
    while (n < b->members - 1 && b->member[n].order != order)
        n++;
    return n;
}

// How many messages a member gives, and the words of one of them, which are those of `whose`.
static unsigned messages(const struct bench *b, const struct plan *p, unsigned n)
{
    if ((op_of(p, n) & 7) != OFR_COLLECTIVE_SCATTER || n != 0)
        return 1;
    if (p->fault == PARTS) // one more, or fewer
        return fault_way(p) < 2 || b->members == 1 ? b->members + 1 : b->members - 1;
    return b->members;
}

static unsigned words_of(const struct bench *b, const struct plan *p, unsigned n, unsigned message,
                         unsigned *whose)
{
    unsigned op = op_of(p, n) & 7;
    bool root = n == 0;
    *whose = root && op == OFR_COLLECTIVE_SCATTER ? member_at(b, message) : n;
    unsigned words = has_own(op, root) ? p->words[*whose] : 0;
    if (p->fault == LENGTHS && n == p->culprit)
        words += 1 + fault_way(p) * 7;
    return words;
}

void next_beat(struct bench *b, unsigned n)
{
    struct member *x = &b->member[n];
    const struct plan *p = plan_of(b, x->given);
    unsigned whose, words = words_of(b, p, n, x->message, &whose);
    unsigned beats = (words * 32 + W - 1) / W, at = x->beat * W / 32;
    struct rng r = {.state = p->seed ^ n ^ (uint64_t)x->message << 20};
    bool extra = !words || (rng_chance(&r, 300) && words * 32 % W == 0);
    struct ofr_beat s = {.valid = true, .keep = (uint8_t)rng_next(&b->rng)};
    if (x->beat < beats && W == 16)
        s.data = word_of(p, whose, at) >> (x->beat % 2 * 16) & 0xffff;
    else if (x->beat < beats)
        s.data = word_of(p, whose, at) |
                 (W == 64 && at + 1 < words ? (uint64_t)word_of(p, whose, at + 1) << 32 : 0);
    else
        s.data = rng_next(&b->rng) & (~(uint64_t)0 >> (64 - W));
    if (x->beat + !extra >= beats) {
        s.last = true;
        s.keep = x->beat == beats ? 0 : (uint8_t)((1U << BYTES) - 1);
        if (W == 64 && x->beat < beats && words % 2)
            s.keep = 0x0f;
        if (p->fault == ILLEGAL && n == p->culprit && fault_way(p) == 1)
            s.keep = 2; // of no whole words
    }
    x->user = (uint8_t)op_of(p, n);
    if (x->message + 1 < messages(b, p, n))
        x->user |= OFR_COLLECTIVE_MORE;
    if (p->fault == ILLEGAL && n == p->culprit && fault_way(p) == 2 &&
        !(n == 0 && p->op == OFR_COLLECTIVE_SCATTER))
        x->user |= OFR_COLLECTIVE_MORE;
    x->s = s;
}

void given(struct bench *b, unsigned n)
{
    struct member *x = &b->member[n];
    const struct plan *p = plan_of(b, x->given);
    x->inside = true;
    x->beat++;
    if (x->s.last) {
        x->beat = 0;
        x->message++;
        if (x->message == messages(b, p, n)) {
            x->message = 0;
            x->inside = false;
            x->given++;
        }
    }
    x->s.valid = false;
    b->cov.beats++;
}

// ---- What must come -----------------------------------------------------------------------------

static int32_t signed_of(uint32_t x)
{
    return (int32_t)x;
}

static uint32_t all_of(const struct bench *b, const struct plan *p, unsigned i)
{
    uint32_t r = word_of(p, 0, i);
    for (unsigned n = 1; n < b->members; n++) {
        uint32_t w = word_of(p, n, i);
        bool less = p->type & OFR_COLLECTIVE_UNSIGNED ? w < r : signed_of(w) < signed_of(r);
        switch (p->type & 3) {
        case OFR_COLLECTIVE_SUM:
            r += w;
            break;
        case OFR_COLLECTIVE_OR:
            r |= w;
            break;
        case OFR_COLLECTIVE_MIN:
            r = less ? w : r;
            break;
        default:
            r = less ? r : w;
        }
    }
    return r;
}

// A part, or the vector, that a member must have got; `from`: its first word.
static void check_words(struct bench *b, unsigned n, const struct plan *p, unsigned from,
                        unsigned to, int whose, unsigned want)
{
    const struct member *x = &b->member[n];
    if (to - from != want)
        fail(b, n, "words of a result", to - from, want);
    for (unsigned i = 0; i < want && !b->failed; i++) {
        uint32_t w = whose < 0 ? all_of(b, p, i) : word_of(p, (unsigned)whose, i);
        if (x->word[from + i] != w)
            fail(b, n, "a word of a result", x->word[from + i], w);
    }
    b->cov.words += want;
    b->cov.odd += W == 64 && want % 2;
    b->cov.empty += want == 0;
    if (want > b->cov.longest)
        b->cov.longest = want;
}

static void check_result(struct bench *b, unsigned n, const struct plan *p)
{
    struct member *x = &b->member[n];
    bool root = n == 0;
    unsigned parts = p->op == OFR_COLLECTIVE_SCATTER          ? 1
                     : p->op == OFR_COLLECTIVE_GATHER && root ? b->members
                                                              : 0;
    if (x->borders != parts + 1) {
        fail(b, n, "messages of a result", x->borders, parts + 1);
        return;
    }
    unsigned from = 0;
    for (unsigned i = 0; i < parts; i++) {
        unsigned whose = p->op == OFR_COLLECTIVE_SCATTER ? n : member_at(b, i);
        check_words(b, n, p, from, x->border[i], (int)whose, p->words[whose]);
        from = x->border[i];
    }
    bool vector = p->op == OFR_COLLECTIVE_ALLREDUCE || (p->op == OFR_COLLECTIVE_REDUCE && root) ||
                  (p->op == OFR_COLLECTIVE_BROADCAST && !root);
    check_words(b, n, p, from, x->words, p->op == OFR_COLLECTIVE_BROADCAST ? 0 : -1,
                vector ? p->words[0] : 0);
}

// Whether a verdict can be, by what goes wrong.
static bool fits(const struct plan *p, unsigned reason, bool left)
{
    unsigned way = fault_way(p);
    switch (p->fault) {
    case LENGTHS:
    case PARTS:
        // To others a vector where none is to be looks like another operation
        return reason == OFR_COLLECTIVE_LENGTH;
    case ANOTHER:
        return reason == OFR_COLLECTIVE_MISMATCH || (way >= 2 && reason == OFR_COLLECTIVE_LENGTH);
    case ILLEGAL:
        return way == 3 || (way == 2 && p->culprit == 0 && p->op == OFR_COLLECTIVE_SCATTER)
                   ? reason == OFR_COLLECTIVE_OK
                   : reason == OFR_COLLECTIVE_ILLEGAL;
    case LEAVES:
        return reason == OFR_COLLECTIVE_ABORTED || (reason == OFR_COLLECTIVE_OK && !left);
    case BREAKS:
    case CLOSES:
        return reason == OFR_COLLECTIVE_BROKEN || reason == OFR_COLLECTIVE_OK;
    case FORGOTTEN:
        return reason == OFR_COLLECTIVE_MISMATCH;
    default:
        return reason == OFR_COLLECTIVE_OK;
    }
}

static void verdict(struct bench *b, unsigned n, const struct ofr_beat *m)
{
    struct member *x = &b->member[n];
    const struct plan *p = plan_of(b, x->got);
    uint64_t fields = W == 64 ? m->data >> 32 : m->data;
    unsigned reason = fields >> OFR_COLLECTIVE_REASON_LSB & 7;
    if (x->got >= x->given + (x->inside || x->s.valid))
        fail(b, n, "a verdict of no operation", x->got, x->given);
    if (m->user != (reason != 0))
        fail(b, n, "TUSER of a verdict", m->user, reason != 0);
    // A stream that breaks does so for all operations until the group is formed anew
    if (!fits(p, reason, x->left) && (b->breaking == MEMBERS || reason != OFR_COLLECTIVE_BROKEN))
        fail(b, n, "the verdict; it went wrong", reason, p->fault);
    if (x->left && reason != OFR_COLLECTIVE_ABORTED)
        fail(b, n, "the verdict of who has left", reason, OFR_COLLECTIVE_ABORTED);
    if (!reason)
        check_result(b, n, p);
    b->cov.ops[p->op] += n == 0;
    b->cov.faults[p->fault] += n == 0;
    b->cov.reasons[reason < 6 ? reason : 0]++;
    b->cov.failed += m->user;
    x->left = false;
    x->leaves = 0;
    x->words = x->borders = 0;
    x->halved = false;
    x->got++;
    b->moved = b->cycle;
}

void account(struct bench *b, unsigned n, const struct ofr_beat *m, bool end)
{
    struct member *x = &b->member[n];
    unsigned bytes = 0;
    while (m->keep >> bytes & 1)
        bytes++;
    if (m->keep != (1U << bytes) - 1 || (!m->last && bytes != BYTES) || (end && !m->last) ||
        (m->user && !end))
        fail(b, n, "TKEEP of a result", m->keep, m->last);
    for (unsigned i = 0; i < bytes && x->words < WORDS; i += W == 16 ? 2 : 4) {
        if (W == 16 && !x->halved)
            x->half = (uint16_t)m->data;
        else if (W == 16)
            x->word[x->words++] = x->half | (uint32_t)m->data << 16;
        else
            x->word[x->words++] = (uint32_t)(m->data >> (8 * i));
        x->halved = W == 16 && !x->halved;
    }
    if (m->last && x->halved && !m->user)
        fail(b, n, "half a word", 1, 0);
    if (m->last && x->borders <= MEMBERS)
        x->border[x->borders++] = x->words;
    if (end)
        verdict(b, n, m);
}
