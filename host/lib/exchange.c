// SPDX-License-Identifier: Apache-2.0
// The request engine: messages, frames out and in, time-outs and retries.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aggregate.h"
#include "request.h"

// Messages ----------------------------------------------------------------------------------------

static void message(struct request *q, enum ofr_mode mode, unsigned op, unsigned arg)
{
    memset(q, 0, sizeof *q);
    q->mode = mode;
    q->m[0] = op | (uint32_t)arg << 8;
}

void by_path(struct request *q, const uint8_t *path, unsigned hops, unsigned op, unsigned arg)
{
    message(q, OFR_MODE_PATH, op, arg);
    q->m[1] = (uint32_t)hops << 21;
    for (unsigned i = 0; i < hops; i++)
        ofr_path_set(q->m, i, path[i]);
}

void by_address(struct request *q, uint32_t to, unsigned op, unsigned arg)
{
    message(q, OFR_MODE_ADDRESS, op, arg);
    q->to = to;
}

void to_all(struct request *q, enum ofr_aggregate aggregate, unsigned op, unsigned arg)
{
    message(q, OFR_MODE_COLLECTIVE, op, arg);
    q->aggregate = aggregate;
}

// Where a request goes, for messages.
static const char *target(const struct torus *t, const struct request *q, char text[WIDTH])
{
    char place[16];
    if (q->mode == OFR_MODE_ADDRESS) {
        const uint8_t at[3] = {q->to & 15, q->to >> 4 & 15, q->to >> 8 & 15};
        snprintf(text, WIDTH, "board %s", place_text(t, at, place));
    } else if (q->mode == OFR_MODE_COLLECTIVE) {
        if (q->status != OFR_PENDING || !t->k[0])
            return "all boards";
        uint8_t at[3];
        node_at(t, q->r[3], at);
        snprintf(text, WIDTH, "board %s or its row", place_text(t, at, place));
    } else {
        unsigned hops = q->m[1] >> 21 & 31, n = 0;
        if (!hops)
            return "the board we are plugged into";
        n += (unsigned)snprintf(text, WIDTH, "the board behind");
        for (unsigned i = 0; i < hops; i++)
            n += (unsigned)snprintf(text + n, WIDTH - n, " %s",
                                    torus_port_name(ofr_path_get(q->m, i)));
    }
    return text;
}

// Frames ------------------------------------------------------------------------------------------

static void make_frame(uint8_t frame[OFR_FRAME_BYTES], uint32_t word0, const uint32_t *m)
{
    ofr_put32(frame, OFR_FRAME_SYNC | (uint32_t)OFR_PROTOCOL_VERSION << 12 | word0);
    for (unsigned i = 0; i < OFR_MESSAGE_WORDS; i++)
        ofr_put32(frame + 4 + 4 * i, m[i]);
    ofr_put32(frame + 28, ofr_crc32(frame, 28));
}

static int send_frames(struct torus *t, const uint8_t (*frame)[OFR_FRAME_BYTES], unsigned count)
{
    const uint8_t *bytes = frame[0];
    for (unsigned i = 0; i < count && t->options.frame; i++)
        t->options.frame(t->options.ctx, true, frame[i]);
    double end = monotonic() + t->options.timeout;
    for (unsigned done = 0, all = count * OFR_FRAME_BYTES; done < all;) {
        int n = t->transport.write(t->transport.ctx, bytes + done, all - done, 100);
        if (n < 0)
            return fail(t, TORUS_E_TRANSPORT, "the connection to the board broke");
        done += (unsigned)n;
        if (done < all && monotonic() > end)
            return fail(t, TORUS_E_TIMEOUT, "the board takes no more bytes");
    }
    return TORUS_OK;
}

void with_bulk(struct request *q, uint8_t *bulk, unsigned bytes)
{
    q->m[0] |= (uint32_t)OFR_MOVE_BULK << 8;
    q->m[2] = bytes;
    q->bulk = bulk;
}

static bool takes_bulk(const struct request *q)
{
    return q->bulk && q->m[0] >> 8 & OFR_MOVE_TAKE;
}

// Word 0 of bulk frame i of the request, but for SYNC and version.
static uint32_t bulk_word(const struct request *q, unsigned i)
{
    return (OFR_MODE_BULK | (q->m[1] & 7)) << 8 | q->to << 16 | (uint32_t)i << 28;
}

// Bytes of it.
static unsigned bulk_part(const struct request *q, unsigned i)
{
    unsigned left = q->m[2] - i * OFR_BULK_BYTES;
    return left < OFR_BULK_BYTES ? left : OFR_BULK_BYTES;
}

static int send_request(struct torus *t, const struct request *q)
{
    uint8_t frame[1 + OFR_BULK_TO / OFR_BULK_BYTES][OFR_FRAME_BYTES];
    unsigned more = q->bulk && !takes_bulk(q) ? ofr_bulk_frames(q->m[2]) : 0;
    make_frame(frame[0], (uint32_t)q->mode << 8 | q->to << 16 | (uint32_t)q->aggregate << 28, q->m);
    for (unsigned i = 0; i < more; i++) {
        uint8_t bytes[OFR_BULK_BYTES] = {0};
        uint32_t words[OFR_MESSAGE_WORDS];
        memcpy(bytes, q->bulk + i * OFR_BULK_BYTES, bulk_part(q, i));
        for (unsigned w = 0; w < OFR_MESSAGE_WORDS; w++)
            words[w] = ofr_get32(bytes + 4 * w);
        make_frame(frame[1 + i], bulk_word(q, i), words);
    }
    return send_frames(t, (const uint8_t(*)[OFR_FRAME_BYTES])frame, 1 + more);
}

// Waits up to `milliseconds` for an intact frame. 1: words is it; 0: none; below 0: an error,
// negated.
static int receive_frame(struct torus *t, uint32_t words[OFR_FRAME_WORDS], int milliseconds)
{
    double end = monotonic() + milliseconds * 1e-3;
    for (;;) {
        if (t->rx_count == OFR_FRAME_BYTES) {
            if (ofr_get32(t->rx + 28) == ofr_crc32(t->rx, 28)) {
                if (t->options.frame)
                    t->options.frame(t->options.ctx, false, t->rx);
                for (unsigned i = 0; i < OFR_FRAME_WORDS; i++)
                    words[i] = ofr_get32(t->rx + 4 * i);
                t->rx_count = 0;
                unsigned version = words[0] >> 12 & 15;
                if (version == OFR_PROTOCOL_VERSION)
                    return 1;
                return -fail(t, TORUS_E_PROTOCOL,
                             "the board speaks version %u of the protocol, this program version "
                             "%u: install one that goes with its firmware",
                             version, OFR_PROTOCOL_VERSION);
            }
            t->rx[0] = 0;           // no frame starts here
            if (monotonic() >= end) // and the stream may never pause
                return 0;
        }
        unsigned skip = 0;
        while (skip < t->rx_count && t->rx[skip] != OFR_FRAME_SYNC)
            skip++;
        t->rx_count -= skip;
        memmove(t->rx, t->rx + skip, t->rx_count);
        double left = end - monotonic();
        int n = t->transport.read(t->transport.ctx, t->rx + t->rx_count,
                                  OFR_FRAME_BYTES - t->rx_count, left > 0 ? (int)(left * 1e3) : 0);
        if (n < 0)
            return -fail(t, TORUS_E_TRANSPORT, "the connection to the board broke");
        t->rx_count += (unsigned)n;
        if (t->rx_count < OFR_FRAME_BYTES && monotonic() >= end)
            return 0;
    }
}

// Requests ----------------------------------------------------------------------------------------

static void number(struct torus *t, struct request *q)
{
    if (!++t->seq)
        t->seq = 1;
    // Writes are made in the lease's session. So is what is done to the lease, once it is ours.
    unsigned op = q->m[0] & OFR_OP_MASK, what = q->m[0] >> 8 & 7;
    bool writes = ofr_op_writes(op) && op != OFR_OP_UNLOCK &&
                  (op != OFR_OP_LEASE || what > OFR_LEASE_TAKE_OVER);
    uint32_t session = writes ? t->lease.session : t->session;
    q->m[0] = (q->m[0] & 0xffff) | session << 16;
    q->m[1] = (q->m[1] & 0xffff0000) | t->seq;
}

static int transmit(struct torus *t, struct request *q)
{
    double now = monotonic();
    if (q->state == WAITING) {
        number(t, q);
        q->frames = 0;
        q->first = now;
        q->gap = 4 * t->round_trip > t->options.retry ? 4 * t->round_trip : t->options.retry;
        // After a request that had to be sent again its gap is kept (Karn): nobody knows which
        // sending was answered.
        if (t->kept_gap > q->gap)
            q->gap = t->kept_gap;
    } else {
        if (q->gap < 16 * t->options.retry)
            q->gap *= 2;
        q->resent = true;
    }
    q->state = SENT;
    q->sent = now;
    return send_request(t, q);
}

// A bulk frame: bytes of the request that it belongs to.
static void take_bulk(struct request *q, unsigned count, const uint32_t *frame)
{
    unsigned at = frame[0] >> 28;
    for (unsigned i = 0; i < count; i++)
        if (q[i].state == SENT && takes_bulk(&q[i]) && at * OFR_BULK_BYTES < q[i].m[2] &&
            !((frame[0] ^ bulk_word(&q[i], at)) & 0x0fff0f00) && !(q[i].frames >> at & 1)) {
            uint8_t bytes[OFR_BULK_BYTES];
            for (unsigned w = 0; w < OFR_MESSAGE_WORDS; w++)
                ofr_put32(bytes + 4 * w, frame[1 + w]);
            memcpy(q[i].bulk + at * OFR_BULK_BYTES, bytes, bulk_part(&q[i], at));
            q[i].frames |= 1U << at;
        }
}

// Have all bulk frames come that the answer speaks of?
static bool is_whole(const struct request *q, const uint32_t *m)
{
    if (!takes_bulk(q) || q->status != OFR_OK)
        return true;
    unsigned bytes = m[2] < q->m[2] ? m[2] : q->m[2];
    uint32_t wanted = (1U << ofr_bulk_frames(bytes)) - 1;
    return (q->frames & wanted) == wanted;
}

// Has whoever it is for been waited for in vain, and not been heard since? Boards behind a path are
// not known by it.
static bool in_vain(const struct torus *t, const struct request *q)
{
    return q->mode == OFR_MODE_COLLECTIVE
               ? t->all_in_vain
               : q->mode == OFR_MODE_ADDRESS && t->in_vain[q->to >> 3] >> (q->to & 7) & 1;
}

static void note_vain(struct torus *t, const struct request *q, bool vain)
{
    uint8_t bit = (uint8_t)(1U << (q->to & 7));
    if (q->mode == OFR_MODE_COLLECTIVE)
        t->all_in_vain = vain;
    else if (q->mode == OFR_MODE_ADDRESS && vain)
        t->in_vain[q->to >> 3] |= bit;
    else if (q->mode == OFR_MODE_ADDRESS)
        t->in_vain[q->to >> 3] &= (uint8_t)~bit;
}

// A few round trips: what is waited for of whom nobody has heard, and where all is to end.
static double few_trips(const struct torus *t)
{
    double few = 8 * t->round_trip > 2 ? 8 * t->round_trip : 2;
    return few < t->options.timeout ? few : t->options.timeout;
}

// Seconds without an answer to give up after.
static double patience(const struct torus *t, const struct request *q, bool ends)
{
    return ends || in_vain(t, q) ? few_trips(t) : t->options.timeout;
}

// Gives a frame to the request it answers. True if that one is done.
static bool answer(struct torus *t, struct request *q, unsigned count, const uint32_t *frame)
{
    const uint32_t *m = frame + 1;
    if (frame[0] >> 8 & OFR_MODE_BULK) {
        take_bulk(q, count, frame);
        return false;
    }
    for (unsigned i = 0; i < count; i++) {
        if (q[i].state != SENT ||
            (m[0] & 0xffff00ff) != ((q[i].m[0] & 0xffff007f) | OFR_RESPONSE) ||
            (m[1] & 0xffff) != (q[i].m[1] & 0xffff) || (frame[0] >> 8 & 15) != q[i].mode)
            continue;
        double now = monotonic();
        q[i].status = m[0] >> 8 & 0xff;
        if (!is_whole(&q[i], m)) { // at once again, which is no good answer
            q[i].sent = now - q[i].gap;
            return false;
        }
        t->last_good = now;
        if (q[i].status == OFR_PENDING) { // alive; the answer or our next look is to come
            memcpy(q[i].r, m, sizeof q[i].r);
            // Fewer than ever before: any other number could go on for ever.
            if (m[2] < q[i].missing || q[i].moved < q[i].first) {
                q[i].missing = m[2];
                q[i].moved = now;
            }
            if (now - q[i].moved > patience(t, &q[i], is_cancelled(t)))
                q[i].state = FAILED;
            return false;
        }
        note_vain(t, &q[i], false);
        if (!q[i].resent) {
            double trip = now - q[i].first;
            t->round_trip = t->round_trip > 0 ? 0.875 * t->round_trip + 0.125 * trip : trip;
            t->kept_gap = 0;
        } else {
            t->kept_gap = q[i].gap;
        }
        if (q[i].status == OFR_AGAIN) {
            // Not ready: ask anew (a new number: the answer to this one is AGAIN for good).
            q[i].state = WAITING;
            q[i].resent = false;
            return true;
        }
        memcpy(q[i].r, m, sizeof q[i].r);
        q[i].state = DONE;
        return true;
    }
    return false;
}

// Whose report is it? -1: of a board that is not known by that path.
static int reporter(const struct torus *t, const uint32_t *m)
{
    int board = t->board_count ? 0 : -1;
    for (unsigned i = 0; i < (m[1] >> 21 & 31) && i < OFR_MAX_HOPS && board >= 0; i++) {
        unsigned port = ofr_path_get(m, i);
        board = port < TORUS_PORTS ? t->boards[board].peer[port] : -1;
    }
    return board;
}

// Notes what a report says, where that is other than what is known: a board sends it until it is
// asked anew, and may be known by another path meanwhile.
static bool note_report(struct torus *t, const uint32_t *frame)
{
    const uint32_t *m = frame + 1;
    bool report = !(frame[0] >> 8 & OFR_MODE_BULK) && ofr_is_report(m);
    int board = report ? reporter(t, m) : -1;
    if (!report || (board >= 0 && t->boards[board].links == m[5]))
        return report;
    t->reported = true;
    unsigned i = 0;
    while (i < t->reports && i < MAX_REPORTS && t->report[i].board != (unsigned)board)
        i++;
    if (board < 0 || i == MAX_REPORTS) {
        t->reports = MAX_REPORTS + 1;
        return report;
    }
    t->report[i].board = (unsigned)board;
    t->report[i].links = m[5];
    t->reports += i == t->reports;
    return report;
}

int await_report(struct torus *t, double seconds)
{
    uint32_t frame[OFR_FRAME_WORDS] = {0};
    if (!t->transport.read)
        return fail(t, TORUS_E_TRANSPORT, "there is no connection");
    for (double end = monotonic() + seconds, left = seconds; left > 0 && !t->reported;
         left = end - monotonic()) {
        int error = look_cancelled(t);
        if (error != TORUS_OK)
            return error;
        int got = receive_frame(t, frame, (int)(1e3 * (left < 0.2 ? left : 0.2)) + 1);
        if (got < 0)
            return -got;
        if (got > 0)
            note_report(t, frame);
    }
    return ok(t);
}

int exchange(struct torus *t, struct request *q, unsigned count)
{
    enum { MANY = 16 }; // requests that are worth a word
    if (!t->transport.read)
        return fail(t, TORUS_E_TRANSPORT, "there is no connection");
    unsigned next = 0, failed = count;
    double again_until = monotonic() + t->options.timeout, waited = t->options.timeout;
    t->last_good = monotonic();
    for (;;) {
        unsigned under_way = 0, open = 0;
        bool ends = is_cancelled(t); // but for what is not cut short
        double now = monotonic(), wake = now + 1;
        for (unsigned i = 0; i < next; i++) {
            if (q[i].state == WAITING) { // told AGAIN
                if (now > again_until)
                    q[i].state = FAILED;
                else if (transmit(t, &q[i]) != TORUS_OK)
                    return TORUS_E_TRANSPORT;
            }
            if (q[i].state != SENT)
                continue;
            double since = q[i].first > t->last_good ? q[i].first : t->last_good;
            double most = patience(t, &q[i], ends);
            if (now - since > most) {
                q[i].state = FAILED;
                waited = most;
                continue;
            }
            if (now - q[i].sent >= q[i].gap) {
                int error = transmit(t, &q[i]);
                if (error != TORUS_OK)
                    return error;
            }
            if (q[i].sent + q[i].gap < wake)
                wake = q[i].sent + q[i].gap;
            if (since + most < wake)
                wake = since + most;
            under_way++;
            open++;
        }
        while (next < count && under_way < t->options.window) {
            int error = transmit(t, &q[next++]);
            if (error != TORUS_OK)
                return error;
            under_way++;
            open++;
            wake = now;
        }
        if (!open && next == count)
            break;
        int error = t->heeds && t->reported
                        ? fail(t, TORUS_E_TIMEOUT, "a board reports that its links have changed")
                    : ends ? look_cancelled(t)
                           : TORUS_OK;
        for (unsigned i = 0; i < next && error != TORUS_OK; i++)
            if (q[i].state == SENT && now - q[i].first > few_trips(t))
                note_vain(t, &q[i], true); // of what comes next
        if (error != TORUS_OK)
            return error;
        if (count >= MANY)
            progress(t, "requests", next - open, count);
        uint32_t frame[OFR_FRAME_WORDS] = {0};
        double left = wake - monotonic();
        if (t->options.cancelled && left > 0.2)
            left = 0.2;
        int got = receive_frame(t, frame, left > 0 ? (int)(left * 1e3) + 1 : 1);
        if (got < 0)
            return -got;
        if (got > 0 && !note_report(t, frame))
            answer(t, q, next, frame);
    }
    for (unsigned i = count; i-- > 0;)
        if (q[i].state == FAILED) {
            note_vain(t, &q[i], true);
            failed = i;
        }
    if (failed == count)
        return ok(t);
    char text[WIDTH];
    // Who has heard a board has the way to it.
    bool heard = t->round_trip > 0;
    const char *why = t->silent && !heard ? t->silent(t->transport.ctx) : NULL;
    return fail(t, TORUS_E_TIMEOUT, "no answer from %s in %.3g s; %s", target(t, &q[failed], text),
                waited, why ? why : "is it powered, cabled and running the firmware?");
}

int status_error(struct torus *t, const struct request *q, const char *what)
{
    char text[WIDTH], place[16];
    const char *where = target(t, q, text);
    if (q->status != OFR_OK && q->mode == OFR_MODE_COLLECTIVE && t->k[0]) {
        uint8_t at[3];
        node_at(t, q->r[1] >> 16, at);
        snprintf(text, WIDTH, "board %s", place_text(t, at, place));
        where = text;
    }
    t->status = q->status;
    switch (q->status) {
    case OFR_OK:
        return ok(t);
    case OFR_BUSY:
        return fail(
            t, TORUS_E_BUSY, "%s: session %u has the write lease of %s, for %u s by its clock; %s",
            what, q->r[5] & 0xffff, where, q->r[5] >> 16,
            t->options.take_over ? "it is not one of yours to take over: wait until it is free"
                                 : "wait until it is free, or take it over");
    case OFR_NO_LEASE:
        if (q->r[5])
            return fail(t, TORUS_E_LEASE, "%s: the write lease of %s is lost: session %u has it",
                        what, where, q->r[5] & 0xffff);
        return fail(t, TORUS_E_LEASE, "%s: the write lease of %s ran out", what, where);
    case OFR_STALE:
        return fail(t, TORUS_E_BOARD, "%s: another host has latched the counters of %s since", what,
                    where);
    case OFR_LOCKED:
        return fail(t, TORUS_E_LOCKED,
                    t->options.key ? "%s: %s has another key"
                                   : "%s: %s has a key; give it with --key or --key-file",
                    what, where);
    case OFR_BUS_ERROR:
        if ((q->m[0] & OFR_OP_MASK) == OFR_OP_WRITE)
            return fail(t, TORUS_E_BOARD, "%s: that at 0x%03x of %s does not take 0x%x, or not now",
                        what, q->m[4] >> 16, where, q->m[5]);
        return fail(t, TORUS_E_BOARD, "%s: %s refused a register access; is traffic running?", what,
                    where);
    case OFR_NOT_CONFIGURED:
        return fail(t, TORUS_E_UNKNOWN, "%s: the boards are not configured; run program first",
                    what);
    case OFR_BAD_CRC:
        return fail(t, TORUS_E_BOARD, "%s: table CRC of %s differs: it is 0x%08x", what, where,
                    q->r[5]);
    case OFR_NOT_STAGED:
        return fail(t, TORUS_E_BOARD, "%s: %s has no such table to commit", what, where);
    case OFR_LATE:
        return fail(t, TORUS_E_BOARD, "%s: too late at %s", what, where);
    case OFR_NO_LINK:
        return fail(t, TORUS_E_TIMEOUT, "%s: a link on the way to %s is down", what, where);
    case OFR_BAD_OP:
        return fail(t, TORUS_E_PROTOCOL, "%s: unknown to the firmware of %s", what, where);
    case OFR_MIXED:
        return fail(t, TORUS_E_MIXED, "%s: %s has a table of another generation (%u)", what, where,
                    q->r[5] & 0xffff);
    default:
        return fail(t, TORUS_E_BOARD, "%s: refused by %s, status %u", what, where, q->status);
    }
}

int ask(struct torus *t, struct request *q, const char *what)
{
    int error = exchange(t, q, 1);
    if (error != TORUS_OK) {
        char copy[WIDTH];
        snprintf(copy, sizeof copy, "%s", t->detail);
        return fail(t, error, "%s: %.180s", what, copy);
    }
    return status_error(t, q, what);
}

// The shortest path over directed routes, z first; returns its hops.
static unsigned path_to(const struct torus *t, const uint8_t from[3], const uint8_t to[3],
                        uint8_t path[OFR_MAX_HOPS])
{
    unsigned hops = 0;
    for (unsigned dim = 3; dim-- > 0;) {
        unsigned k = t->k[dim], ahead = (to[dim] + k - from[dim] % k) % k;
        // Of two there is one cable, at + of node 0; a wrap may not be there.
        bool back = k == 2 ? ahead && from[dim] : ahead > k - ahead;
        for (unsigned i = 0; i < (back ? k - ahead : ahead); i++)
            path[hops++] = (uint8_t)(2 * dim + back);
    }
    return hops;
}

// Asks a board over a directed route, which needs no coordinates; *info: OFR_INFO_*.
static int look_at(struct torus *t, const uint8_t *path, unsigned hops, uint32_t *info)
{
    struct request q;
    by_path(&q, path, hops, OFR_OP_PING, hops > OFR_WIDE_HOPS ? 3 : 0);
    int error = exchange(t, &q, 1);
    *info = q.r[5];
    return error == TORUS_OK && q.status != OFR_OK ? TORUS_E_BOARD : error; // a link is down
}

// A collective has had no answer from the part of the torus that `missing` stands for: a plane, a
// row, or itself. Names the first board there that answers nothing, or that is not configured;
// where there is none the error stays what it is. waited: seconds.
static int name_missing(struct torus *t, unsigned missing, const char *what, double waited,
                        int error)
{
    double timeout = t->options.timeout;
    uint8_t path[OFR_MAX_HOPS], here[3], at[3];
    char place[16], detail[WIDTH];
    uint32_t info;
    unsigned nodes = 1;
    snprintf(detail, sizeof detail, "%s", t->detail);
    t->options.timeout = waited / 4; // they have had that time already
    int answer = look_at(t, NULL, 0, &info);
    for (unsigned i = 0; i < 3; i++)
        here[i] = (uint8_t)(info >> (OFR_INFO_COORD_LSB + 4 * i) & 15);
    node_at(t, missing, at);
    if (at[2] != here[2])
        nodes = (unsigned)t->k[0] * t->k[1];
    else if (at[1] != here[1])
        nodes = t->k[0];
    for (unsigned i = 0; i < nodes && answer == TORUS_OK; i++) {
        node_at(t, nodes == 1 ? missing : missing / nodes * nodes + i, at);
        answer = look_at(t, path, path_to(t, here, at, path), &info);
        if (answer == TORUS_OK && !(info >> OFR_INFO_CONFIGURED_LSB & 1))
            answer = TORUS_E_UNKNOWN;
    }
    t->options.timeout = timeout;
    place_text(t, at, place);
    if (answer == TORUS_E_UNKNOWN)
        return fail(t, TORUS_E_UNKNOWN,
                    "%s: board %s is not configured: it was reset, or it is another board; run "
                    "program again",
                    what, place);
    if (answer == TORUS_E_TIMEOUT)
        return fail(t, error,
                    "%s: no answer from board %s in %.3g s; is it powered, cabled and running the "
                    "firmware?",
                    what, place, waited);
    if (answer == TORUS_E_BOARD)
        return fail(t, error,
                    "%s: no answer in %.3g s from where board %s is: a link on the way is down; "
                    "discover names it",
                    what, waited, place);
    return fail(t, error, "%s", detail);
}

// What a collective does, where a board is missing that it would go by: asks the others one by one.
static int ask_each(struct torus *t, enum ofr_aggregate aggregate, const struct request *all,
                    uint32_t result[4], const char *what)
{
    bool start = starts_from_now(all->m);
    struct request here;
    uint32_t a[4];
    aggregate_begin(aggregate, a);
    by_path(&here, NULL, 0, OFR_OP_READ, 0);
    here.m[4] |= (uint32_t)(OFR_SEL_NODE | OFR_NODE_TIME) << 16;
    int error = start ? ask(t, &here, "read the time") : TORUS_OK;
    if (error != TORUS_OK)
        return error;
    struct request *q = calloc(t->board_count, sizeof *q);
    if (!q)
        return fail(t, TORUS_E_MEMORY, "out of memory");
    for (unsigned i = 0; i < t->board_count; i++) {
        by_address(&q[i], pack_at(t->boards[i].at), 0, 0);
        memcpy(q[i].m, all->m, sizeof q[i].m);
        if (start) // as the gateway does
            start_at(q[i].m, here.r[5]);
    }
    error = exchange(t, q, t->board_count);
    for (unsigned i = 0; i < t->board_count && error == TORUS_OK; i++) {
        error = status_error(t, &q[i], what);
        aggregate_add(aggregate, a, q[i].r + 2, false);
    }
    free(q);
    if (error == TORUS_OK && result)
        memcpy(result, a, 16);
    return error;
}

int ask_all(struct torus *t, enum ofr_aggregate aggregate, unsigned op, unsigned arg,
            const uint32_t data[4], uint32_t result[4], const char *what)
{
    struct request q;
    to_all(&q, aggregate, op, arg);
    if (data)
        memcpy(q.m + 2, data, 16);
    if (t->absent)
        return ask_each(t, aggregate, &q, result, what);
    t->collectives++;
    double waited = patience(t, &q, false);
    int error = ask(t, &q, what);
    if (error == TORUS_E_TIMEOUT && q.status == OFR_PENDING && t->k[0])
        error = name_missing(t, q.r[3], what, waited, error);
    if (error == TORUS_OK && (q.r[1] >> 16) != node_count(t))
        error = fail(t, TORUS_E_PROTOCOL, "%s: %u boards answered, there are %u", what,
                     q.r[1] >> 16, node_count(t));
    if (error == TORUS_OK && result)
        memcpy(result, q.r + 2, 16);
    return error;
}
