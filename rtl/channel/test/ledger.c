// SPDX-License-Identifier: Apache-2.0
// The ledger of all beats: what a consumer gets is what was given, in order, once; byte counts are
// true.
#include "bench.h"

#include <string.h>

void next_beat(struct bench *b, struct end *x)
{
    if (x->s.valid || (x->left == 0 && x->pause) || !chance(b, x->rate))
        return;
    if (x->left == 0)
        x->left = x->exact ? (x->exact + BYTES - 1) / BYTES
                           : 1 + below(b, chance(b, 500) ? 4 : x->largest);
    x->s.data = rng_next(&b->rng) & (~(uint64_t)0 >> (64 - W));
    x->s.last = x->left == 1;
    // Keep counts in the last beat; with a gap the bytes below it. Else it may be anything
    x->s.keep = (uint8_t)((1U << BYTES) - 1);
    if (x->exact && x->s.last)
        x->s.keep = (uint8_t)((1U << ((x->exact - 1) % BYTES + 1)) - 1);
    else if (!x->exact && (x->s.last ? chance(b, 700) : chance(b, 50)))
        x->s.keep = (uint8_t)(chance(b, 900) ? (1U << below(b, BYTES + 1)) - 1
                                             : below(b, 256) & ((1U << BYTES) - 1));
    x->s.valid = true;
}

void given(struct bench *b, struct node *n, unsigned e)
{
    struct end *x = &n->end[e];
    struct log *log = &x->log[x->now];
    unsigned bytes = 0;
    while (bytes < BYTES && x->s.keep >> bytes & 1)
        bytes++;
    bool kept = is_open(n, e) && !x->old_message;
    b->cov.skipped += !kept;
    if (kept) {
        uint8_t keep = (uint8_t)((1U << (x->s.last ? bytes : BYTES)) - 1);
        log->beat[log->beats++ % LOG] =
            (struct beat){.data = x->s.data, .keep = keep, .last = x->s.last};
        log->bytes += x->s.last ? bytes : BYTES;
        if (x->s.last)
            log->whole = log->bytes;
        b->cov.beats++;
        b->cov.messages += x->s.last;
        b->cov.empty_messages += x->s.last && !x->inside && bytes == 0;
        b->cov.one_byte += x->s.last && !x->inside && bytes == 1;
        b->cov.bytes += x->s.last ? bytes : BYTES;
    }
    x->inside = !x->s.last;
    if (x->s.last)
        x->old_message = false;
    x->left--;
    x->s.valid = false;
}

// The log of what is sent to this end.
static struct log *peers_log(struct bench *b, unsigned n, unsigned e)
{
    uint32_t name = b->node[n].end[e].name, node = name & 0xfff, end = name >> 12 & 15;
    for (unsigned p = 0; p < NODES; p++) {
        if (ofr_coord_word(&b->node[p].config.me, N) != node || end >= ENDS)
            continue;
        struct end *x = &b->node[p].end[end];
        uint32_t back = ofr_coord_word(&b->node[n].config.me, N) | e << 12 | (name & 0xff0000);
        for (unsigned i = 0; i < LOGS; i++)
            if (x->log[i].name == (back | NAMED))
                return &x->log[i];
    }
    return NULL;
}

static void taken(struct bench *b, unsigned n, unsigned e, const struct ofr_beat *m)
{
    struct end *x = &b->node[n].end[e];
    if (m->user) {
        if (x->broken || m->keep || !m->last)
            fail(b, n, e, "the beat of a broken stream", m->keep, 0);
        x->broken = true;
        return;
    }
    struct log *log = peers_log(b, n, e);
    if (!log || x->broken || x->got_beats >= log->beats) {
        fail(b, n, e, "a beat that nobody gave", m->data, 0);
        return;
    }
    const struct beat *want = &log->beat[x->got_beats++ % LOG];
    uint64_t mask = 0;
    for (unsigned i = 0; i < BYTES; i++) {
        mask |= m->keep >> i & 1 ? (uint64_t)0xff << (8 * i) : 0;
        x->got_bytes += m->keep >> i & 1;
    }
    if (want->keep != m->keep || want->last != m->last || ((want->data ^ m->data) & mask))
        fail(b, n, e, "a beat is not what was given", m->data, want->data);
}

void account(struct bench *b, unsigned n, unsigned e, const struct ofr_beat *m, bool ready)
{
    struct end *x = &b->node[n].end[e];
    if (x->held.valid && (!m->valid || m->last != x->held.last || m->user != x->held.user ||
                          m->keep != x->held.keep || (!m->user && m->data != x->held.data)))
        fail(b, n, e, "a beat that was offered has changed", m->data, x->held.data);
    x->held = *m;
    if (m->valid && ready) {
        x->held.valid = false;
        taken(b, n, e, m);
    }
    b->cov.stopped += m->valid && !ready;
}

// The peer says that its consumer has taken all.
void check_taken(struct bench *b, unsigned n, unsigned e)
{
    const struct end *x = &b->node[n].end[e];
    const struct log *log = &x->log[x->now];
    for (unsigned p = 0; p < NODES; p++)
        for (unsigned f = 0; f < ENDS; f++)
            if (name_of(b, p, f, x->name >> 16) == x->name && peers_log(b, p, f) == log &&
                b->node[p].end[f].got_bytes != log->bytes)
                fail(b, n, e, "closed, bytes taken and given", b->node[p].end[f].got_bytes,
                     log->bytes);
}

// Nothing is under way any more: what is open is open at both ends, and all has been taken.
void check_rest(struct bench *b)
{
    for (unsigned n = 0; n < NODES && !b->failed; n++)
        for (unsigned e = 0; e < ENDS && !b->failed; e++) {
            struct node *x = &b->node[n];
            unsigned state = state_of(x, e);
            struct log *log = peers_log(b, n, e);
            if (state == OFR_CHANNEL_STATE_STATE_ENDED || state == OFR_CHANNEL_STATE_STATE_OPEN) {
                if (show(x, e, OFR_CHANNEL_RECEIVED) != (uint32_t)x->end[e].got_bytes)
                    fail(b, n, e, "bytes received and given to the consumer",
                         show(x, e, OFR_CHANNEL_RECEIVED), x->end[e].got_bytes);
            } else if (state != OFR_CHANNEL_STATE_STATE_IDLE &&
                       state != OFR_CHANNEL_STATE_STATE_LISTEN) {
                fail(b, n, e, "hangs in state", state, OFR_CHANNEL_STATE_STATE_ENDED);
            }
            if (state == OFR_CHANNEL_STATE_STATE_OPEN &&
                (!log || x->end[e].got_beats != log->beats))
                fail(b, n, e, "beats taken", x->end[e].got_beats, log ? log->beats : 0);
            if (state == OFR_CHANNEL_STATE_STATE_ENDED && x->end[e].name &&
                x->end[e].broken != (x->model.end[e].reason != OFR_CHANNEL_STATE_REASON_CLOSED) &&
                show(x, e, OFR_CHANNEL_RECEIVED))
                fail(b, n, e, "the broken beat", x->end[e].broken, !x->end[e].broken);
        }
}

// Both ends know what the other has got.
void check_closed(struct bench *b, unsigned n, unsigned e)
{
    struct node *x = &b->node[n];
    uint32_t sent = show(x, e, OFR_CHANNEL_SENT), heard = show(x, e, OFR_CHANNEL_HEARD);
    if (state_of(x, e) != OFR_CHANNEL_STATE_STATE_ENDED ||
        x->model.end[e].reason != OFR_CHANNEL_STATE_REASON_CLOSED)
        fail(b, n, e, "closed, but reason", x->model.end[e].reason, 0);
    if (sent != heard || sent != (uint32_t)x->end[e].log[x->end[e].now].bytes)
        fail(b, n, e, "bytes heard and sent", heard, sent);
    b->cov.exact++;
}
