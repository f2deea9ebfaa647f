// SPDX-License-Identifier: Apache-2.0
// Messages: any number of them, sent and received at once. In a turn, which has the lease, requests
// to different boards are under way together, one to a board at a time, as each writes. An end that
// had nothing, or no room, is not asked again before its other end has done something, if that is
// ours, or all have nothing to do.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../sim/model/channel.h"
#include "boards.h"
#include "moves.h"
#include "parts.h"

enum {
    ROUND = 32,      // requests at once: more than a window
    AT_ONCE = 16,    // bulk frames on their way to boards, so that a slow one is not run over,
    BACK = 8,        // and from them: the gateway's queue for the host
    TURN = 256,      // of them at least, and
    IDLE_ROUNDS = 3, // after which others have their turn
};
static const double turn_seconds = 0.25; // so that others have theirs, and each moves something

static size_t part_bytes(const struct part *p)
{
    return (p->headed ? HEAD : 0) + p->bytes;
}

// Bytes that a full packet of a channel carries: until it is full it does not leave, but at a
// message's end.
static unsigned packet_bytes(const struct torus *t)
{
    unsigned heads = ofr_channel_head_flits(8 * t->flit_bytes);
    return (t->slot_flits > heads ? t->slot_flits - heads : 1) * t->flit_bytes;
}

// How many bytes its next request is to move, at most `most`; -1: it can do nothing now.
static int wanted(const struct part *p, unsigned packet, unsigned most)
{
    const struct part *o = p->other;
    if (p->whole || p->waits || p->held)
        return -1;
    size_t left = part_bytes(p) - (p->moved < part_bytes(p) ? p->moved : part_bytes(p));
    if (p->take) {
        size_t now = left < most ? left : most;
        // A beat more than is there shall not be asked for in parts.
        if (now <= OFR_MOVE_MOST)
            now = OFR_MOVE_MOST;
        if (o && !o->whole) { // what has not left cannot come
            size_t gone = o->moved - o->moved % packet, few = now < packet ? now : packet;
            if (gone <= p->moved || (gone < p->moved + few && !o->waits))
                return -1;
        }
        return (int)now;
    }
    size_t now = (p->headed ? HEAD : 0) + p->ready - p->moved;
    // Only a message's last beat may have fewer bytes than a flit.
    if (now > most)
        now = most;
    return now == left || now >= OFR_MOVE_MOST ? (int)(now == left ? now : now - now % 8) : -1;
}

// Byte i of the message.
static uint8_t *byte_of(struct part *p, uint8_t *head, size_t i)
{
    return !p->headed ? p->body + i : i < HEAD ? head + i : p->body + (i - HEAD);
}

static void set_up(struct request *q, struct part *p, unsigned bytes, uint8_t data[OFR_BULK_TO])
{
    bool last = p->moved + bytes == part_bytes(p);
    for (unsigned i = 0; i < bytes && !p->take; i++)
        data[i] = *byte_of(p, p->head, p->moved + i);
    move_ask(q, p->end, p->take ? OFR_MOVE_TAKE : last ? OFR_MOVE_LAST : 0, bytes, data);
}

// Is what has come of a collective's message what it should be?
static int want_same(struct torus *t, const struct part *p, size_t before)
{
    char text[24];
    if (!p->headed || !p->take)
        return TORUS_OK;
    if (before < HEAD && p->moved >= HEAD && memcmp(p->head, p->came, HEAD) != 0)
        return fail(t, TORUS_E_FAILED,
                    "%s: members of the group do not do the same: this one what begins with "
                    "%08x %08x, the other end %08x %08x (operation, bytes)",
                    end_text(t, p->end, text), ofr_get32(p->head), ofr_get32(p->head + 4),
                    ofr_get32(p->came), ofr_get32(p->came + 4));
    if (p->moved > part_bytes(p) || (p->whole && p->moved < part_bytes(p)))
        return fail(t, TORUS_E_FAILED, "%s: a message of %zu bytes or more, where %zu should come",
                    end_text(t, p->end, text), p->moved, part_bytes(p));
    return TORUS_OK;
}

static int take_answer(struct torus *t, struct part *p, const struct request *q,
                       uint8_t data[OFR_BULK_TO])
{
    struct moved moved;
    bool ended = false;
    char text[24];
    size_t before = p->moved;
    int error = move_answer(t, p->end, q, data, &moved);
    if (error != TORUS_OK)
        return error;
    if (!p->take) // what is broken takes all, and nothing of it goes anywhere
        error = want_sending(t, p->end, &moved.now);
    if (error != TORUS_OK)
        return error;
    for (unsigned i = 0; i < moved.bytes && p->take; i++)
        if (before + i < part_bytes(p))
            *byte_of(p, p->came, before + i) = data[i];
    p->moved += moved.bytes;
    p->whole = moved.last && !moved.broken;
    p->waits = p->moved == before && !p->whole;
    if (p->other && !p->waits)
        p->other->waits = false;
    if (p->take)
        error = want_coming(t, p->end, &moved, &ended);
    if (error == TORUS_OK && ended)
        error = fail(t, TORUS_E_FAILED, "%s: the channel is closed, nothing comes any more",
                     end_text(t, p->end, text));
    return error == TORUS_OK ? want_same(t, p, before) : error;
}

// Bytes of a request each way, where all that have some to move now do so at once.
static void share_out(const struct torus *t, const struct part *p, unsigned count, unsigned most[2])
{
    unsigned packet = packet_bytes(t), many[2] = {0, 0};
    const unsigned frames[2] = {AT_ONCE, BACK};
    for (unsigned i = 0; i < count; i++)
        if (wanted(&p[i], packet, OFR_MOVE_MOST) >= 0)
            many[p[i].take]++;
    for (unsigned take = 0; take < 2; take++) {
        unsigned each = many[take] ? frames[take] / many[take] * OFR_BULK_BYTES : 0;
        most[take] = move_most(t, take);
        if (each < most[take])
            most[take] = each > OFR_MOVE_MOST ? each : OFR_MOVE_MOST;
    }
}

// A request of each of some parts, no two of a board, from part *first on, which goes on from round
// to round. *asked: how many; *moved: something was.
static int round_of(struct torus *t, struct part *p, unsigned count, unsigned *first,
                    unsigned *asked, bool *moved)
{
    struct request q[ROUND];
    struct part *of[ROUND]; // whose
    uint8_t data[ROUND][OFR_BULK_TO];
    uint8_t busy[4096 / 8] = {0};
    unsigned n = 0, i = 0, begin = *first, most[2];
    bool unsure = false;
    share_out(t, p, count, most);
    for (; i < count && n < ROUND; i++) {
        struct part *a = &p[(begin + i) % count];
        int bytes = wanted(a, packet_bytes(t), most[a->take]);
        uint32_t at = pack_at(a->end->at);
        if (bytes < 0 || busy[at / 8] >> at % 8 & 1)
            continue;
        busy[at / 8] |= (uint8_t)(1 << at % 8);
        *first = (begin + i + 1) % count;
        of[n] = a;
        set_up(&q[n], a, (unsigned)bytes, data[n]);
        n++;
    }
    *asked = n;
    *moved = false;
    int error = n ? exchange(t, q, n) : TORUS_OK;
    for (i = 0; i < n; i++) {
        if (q[i].state != DONE) {
            error = unsure ? error : move_unsure(t, of[i]->end, &q[i], error);
            unsure = true;
            continue;
        }
        char detail[WIDTH];
        memcpy(detail, t->detail, sizeof detail); // the first error's
        int wrong = take_answer(t, of[i], &q[i], data[i]);
        if (error != TORUS_OK)
            memcpy(t->detail, detail, sizeof detail);
        else
            error = wrong;
        *moved |= !of[i]->waits;
    }
    return error;
}

static bool all_whole(const struct part *p, unsigned count)
{
    while (count && p[count - 1].whole)
        count--;
    return !count;
}

// A turn, without the lease: until all is there, nothing moves, or others want theirs. *until: the
// time is over then, where nothing moves any more.
static int turn(struct torus *t, struct part *p, unsigned count, unsigned *first, double seconds,
                double *until, void (*step)(void *ctx), void *ctx)
{
    double end = monotonic() + turn_seconds;
    int error = TORUS_OK;
    unsigned all = 0;
    for (unsigned idle = 0, kept = 0; idle < IDLE_ROUNDS && (all < TURN || monotonic() < end);) {
        unsigned asked;
        bool moved;
        error = round_of(t, p, count, first, &asked, &moved);
        if (error == TORUS_OK && moved && step)
            step(ctx);
        all += asked;
        kept += asked;
        if (error == TORUS_OK && kept >= ROUND) {
            error = lease_keep(t);
            kept = 0;
        }
        if (error != TORUS_OK || all_whole(p, count))
            return error;
        if (moved)
            *until = monotonic() + seconds;
        for (unsigned i = 0; i < count && !asked; i++) // all wait: they are asked once more
            p[i].waits = false;
        idle = moved ? 0 : asked ? idle : idle + 1;
    }
    return error;
}

// busy: others had the lease all that time, and here is what was said of that; or empty.
static int too_late(struct torus *t, const struct part *p, double seconds, const char *busy)
{
    char text[24];
    while (p->whole || p->held)
        p++;
    return fail(t, TORUS_E_TIMEOUT, "%s: %s for %g s (%zu bytes of the message have %s)%s%.120s",
                end_text(t, p->end, text),
                p->take ? "nothing comes" : "the other end takes nothing", seconds, p->moved,
                p->take ? "come" : "gone", *busy ? "; " : "", busy);
}

int move_parts(struct torus *t, struct part *p, unsigned count, double seconds,
               void (*step)(void *ctx), void *ctx)
{
    double until = monotonic() + seconds;
    unsigned first = 0;
    while (!all_whole(p, count)) {
        bool late = is_late(until);
        char busy[WIDTH] = "";
        int error = lease_turn(t);
        if (error == TORUS_OK) {
            error = lease_done(t, turn(t, p, count, &first, seconds, &until, step, ctx));
        } else if (error == TORUS_E_BUSY) {
            snprintf(busy, sizeof busy, "%s", t->detail);
            error = TORUS_OK;
        }
        if (error != TORUS_OK || all_whole(p, count))
            return error;
        if (late && is_late(until))
            return too_late(t, p, seconds, busy);
        error = pause_turn(t, until);
        if (error != TORUS_OK)
            return error;
    }
    return ok(t);
}

// ---- Calls --------------------------------------------------------------------------------------

static int want_messages(struct torus *t, const struct torus_message *m, unsigned count)
{
    char text[24];
    for (unsigned i = 0; i < count; i++) {
        int error = want_node(t, &m[i].end);
        if (error != TORUS_OK)
            return error;
        if (m[i].end.end > OFR_MOVE_END_MASK)
            return fail(t, TORUS_E_USAGE, "%s: ends are from 0 to %u", end_text(t, &m[i].end, text),
                        OFR_MOVE_END_MASK);
        for (unsigned j = 0; j < i; j++)
            if (pack_at(m[i].end.at) == pack_at(m[j].end.at) && m[i].end.end == m[j].end.end &&
                m[i].take == m[j].take)
                return fail(t, TORUS_E_USAGE, "%s has two messages at once %s it",
                            end_text(t, &m[i].end, text), m[i].take ? "from" : "to");
    }
    return TORUS_OK;
}

API int torus_messages(struct torus *t, struct torus_message *m, unsigned count, double seconds)
{
    int error = want_messages(t, m, count);
    if (error != TORUS_OK || !count)
        return error;
    struct part *p = calloc(count, sizeof *p);
    if (!p)
        return fail(t, TORUS_E_MEMORY, "no memory for %u messages", count);
    for (unsigned i = 0; i < count; i++) {
        p[i] = (struct part){.end = &m[i].end,
                             .take = m[i].take,
                             .body = m[i].data,
                             .bytes = m[i].bytes,
                             .ready = m[i].bytes};
        bool pair = m[i].other >= 0 && (unsigned)m[i].other < count &&
                    m[m[i].other].other == (int)i && m[m[i].other].take != m[i].take;
        p[i].other = pair ? &p[m[i].other] : NULL;
    }
    error = move_parts(t, p, count, seconds, NULL, NULL);
    for (unsigned i = 0; i < count; i++) {
        m[i].moved = p[i].moved;
        m[i].whole = p[i].whole;
        char text[24];
        if (error == TORUS_OK && p[i].moved > p[i].bytes)
            error = fail(t, TORUS_E_USAGE,
                         "%s: a message of %zu bytes has come, there is room for %zu: the rest is "
                         "thrown away",
                         end_text(t, &m[i].end, text), p[i].moved, p[i].bytes);
    }
    free(p);
    return error;
}

API int torus_message_send(struct torus *t, const struct torus_end *from, const void *data,
                           size_t bytes, double seconds)
{
    struct torus_message m = {.end = *from, .data = (void *)data, .bytes = bytes, .other = -1};
    return torus_messages(t, &m, 1, seconds);
}

API int torus_message_recv(struct torus *t, const struct torus_end *to, void *data, size_t room,
                           double seconds, size_t *bytes)
{
    struct torus_message m = {.end = *to, .take = true, .data = data, .bytes = room, .other = -1};
    int error = torus_messages(t, &m, 1, seconds);
    *bytes = m.moved;
    return error;
}
