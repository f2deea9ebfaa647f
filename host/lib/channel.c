// SPDX-License-Identifier: Apache-2.0
// Channels: ends of boards joined, and used by registers (block CHANNEL). All ends of a board share
// SELECT, and what is done with one needs the lease; so each turn takes the lease, does what can be
// done now, and gives it back: nobody waits inside it. Bytes go by OP_MOVE.
#include <stdio.h>
#include <string.h>

#include "boards.h"
#include "moves.h"

enum {
    MOST_FRAMES = 512, // in a turn, so that others have theirs
    KEEP_FRAMES = 64,  // between two looks at the lease
    TURNS = 3,         // seconds in which others end theirs
};

static const char *const reasons[] = {
    "closed",
    "refused by the other end",
    "nothing was heard of the other end",
    "a packet was lost",
    "a packet that cannot be",
    "aborted",
};
static const char *const states[] = {
    "idle", "listening", "opening", "open", "closing", "closed by the other end", "ended"};
enum { REASONS = sizeof reasons / sizeof *reasons, STATES = sizeof states / sizeof *states };

static unsigned state_of(const struct seen *s)
{
    return FIELD(s->state, OFR_CHANNEL_STATE_STATE);
}

const char *end_text(const struct torus *t, const struct torus_end *e, char text[24])
{
    char place[16];
    snprintf(text, 24, "%s end %u", place_text(t, e->at, place), e->end);
    return text;
}

// Of register PEER.
static struct torus_end end_at(uint32_t peer)
{
    return (struct torus_end){.at = {peer & 15, peer >> 4 & 15, peer >> 8 & 15},
                              .end = (uint8_t)FIELD(peer, OFR_CHANNEL_PEER_END)};
}

// Up to four registers of the board at once.
int read_four(struct torus *t, const uint8_t at[3], const uint16_t offset[4], uint32_t value[4])
{
    struct request q;
    by_address(&q, pack_at(at), OFR_OP_READ4, 0);
    q.m[2] = offset[0] | (uint32_t)offset[1] << 16;
    q.m[3] = offset[2] | (uint32_t)offset[3] << 16;
    int error = ask(t, &q, "read registers");
    memcpy(value, &q.r[2], 4 * sizeof *value);
    return error;
}

static int look(struct torus *t, const struct torus_end *e, struct seen *s)
{
    static const uint16_t offset[4] = {OFR_CHANNEL_STATE, OFR_CHANNEL_TX, OFR_CHANNEL_RX,
                                       OFR_CHANNEL_RX_DATA};
    uint32_t value[4] = {0};
    int error = read_four(t, e->at, offset, value);
    *s = (struct seen){value[0], value[1], value[2], value[3]};
    return error;
}

// Is there such a node?
int want_node(struct torus *t, const struct torus_end *e)
{
    if (!t->k[0])
        return fail(t, TORUS_E_UNKNOWN, "discover the torus or attach to it first");
    if (!inside(t, e->at))
        return TORUS_E_USAGE;
    if (t->flit_bytes != 2 && t->flit_bytes != 4 && t->flit_bytes != 8)
        return fail(t, TORUS_E_PROTOCOL, "the boards' flits have %u bytes", t->flit_bytes);
    return TORUS_OK;
}

int lease_turn(struct torus *t)
{
    double until = monotonic() + TURNS;
    for (;;) {
        bool late = is_late(until);
        int error = look_cancelled(t); // as taking it is not cut short
        if (error == TORUS_OK)
            error = lease_begin(t, 0);
        if (error != TORUS_E_BUSY || late)
            return error;
        error = wait_more(t, 0.003);
        if (error != TORUS_OK)
            return error;
    }
}

// Is there such an end?
static int want_end(struct torus *t, const struct torus_end *e)
{
    char text[24];
    uint32_t shape = 0;
    int error = want_node(t, e);
    if (error == TORUS_OK)
        error = torus_read(t, e->at, OFR_CHANNEL_SHAPE, &shape);
    if (error != TORUS_OK)
        return error;
    if (!shape)
        return fail(t, TORUS_E_USAGE, "%s: the board is built without channels",
                    end_text(t, e, text));
    unsigned ends = FIELD(shape, OFR_CHANNEL_SHAPE_ENDS);
    if (!ends)
        return fail(t, TORUS_E_PROTOCOL, "%s: the board says CHANNEL.SHAPE = 0x%08x: no ends",
                    end_text(t, e, text), shape);
    if (e->end >= ends)
        return fail(t, TORUS_E_USAGE, "%s: the board has ends 0 to %u", end_text(t, e, text),
                    ends - 1);
    return TORUS_OK;
}

// A turn begins: the lease is ours, the end is selected. What it returns ends it with lease_done()
// where *begun.
static int turn(struct torus *t, const struct torus_end *e, struct seen *s, bool *begun)
{
    *begun = false;
    int error = want_end(t, e);
    if (error == TORUS_OK)
        error = lease_turn(t);
    if (error != TORUS_OK)
        return error;
    *begun = true;
    error = torus_write(t, e->at, OFR_CHANNEL_SELECT, e->end);
    return error == TORUS_OK ? look(t, e, s) : error;
}

// One of them is over: what it says of how it ended.
static int over(struct torus *t, const struct torus_end *e, const struct seen *s)
{
    char text[24];
    unsigned reason = FIELD(s->state, OFR_CHANNEL_STATE_REASON);
    static const uint16_t offset[4] = {OFR_CHANNEL_HEARD, OFR_CHANNEL_RECEIVED, OFR_CHANNEL_HEARD,
                                       OFR_CHANNEL_RECEIVED};
    uint32_t value[4] = {0};
    int error = read_four(t, e->at, offset, value);
    if (error != TORUS_OK)
        return error;
    bool closed = reason == OFR_CHANNEL_STATE_REASON_CLOSED;
    return fail(t, TORUS_E_FAILED,
                "%s: the channel is %s%s%s; of what was sent %u bytes have arrived, %u bytes have "
                "come (modulo 2^32)",
                end_text(t, e, text),
                closed ? "" : "broken: ", reason < REASONS ? reasons[reason] : "?",
                !closed && FIELD(s->state, OFR_CHANNEL_STATE_TOLD) ? ", the other end said" : "",
                value[0], value[1]);
}

static bool is_broken(const struct seen *s)
{
    return state_of(s) == OFR_CHANNEL_STATE_STATE_ENDED &&
           FIELD(s->state, OFR_CHANNEL_STATE_REASON) != OFR_CHANNEL_STATE_REASON_CLOSED;
}

// Is it joined with another end, whatever has become of that? bytes: and may software move them?
// Else *software: does it have the end?
static int want_joined(struct torus *t, const struct torus_end *e, const struct seen *s, bool bytes,
                       bool *software)
{
    char text[24];
    uint32_t attached = 0;
    unsigned state = state_of(s);
    int error = torus_read(t, e->at, OFR_CHANNEL_ATTACH, &attached);
    if (error != TORUS_OK)
        return error;
    *software = attached & OFR_CHANNEL_ATTACH_REGISTERS_MASK;
    if (bytes && !attached)
        return fail(t, TORUS_E_USAGE, "%s is its pins', not software's: torus_channel_open()",
                    end_text(t, e, text));
    if (bytes && attached & OFR_CHANNEL_ATTACH_COLLECTIVE_MASK)
        return fail(t, TORUS_E_USAGE, "%s is the board's collectives', not software's",
                    end_text(t, e, text));
    if (state == OFR_CHANNEL_STATE_STATE_IDLE)
        return fail(t, TORUS_E_USAGE, "%s is not open: torus_channel_open()", end_text(t, e, text));
    return is_broken(s) ? over(t, e, s) : TORUS_OK;
}

// ---- Opening ------------------------------------------------------------------------------------

// What makes an end free that is not.
static const char *frees(const struct seen *s, uint32_t attached)
{
    if (state_of(s) != OFR_CHANNEL_STATE_STATE_ENDED)
        return "; an abort of either end frees it";
    if (attached & OFR_CHANNEL_ATTACH_REGISTERS_MASK)
        return ", and what has come is not taken; an abort of this end frees it";
    if (attached)
        return ", and the board's collectives have not taken all that has come; "
               "torus_tree_clear() frees it";
    return ", and the logic at its pins, or the user's program, has not taken all that has come; "
           "it is free once that has";
}

// An end that nobody uses becomes ours: who had it, and the number of its last connection.
static int take_end(struct torus *t, const struct torus_end *e, const struct seen *s,
                    uint32_t attach, uint32_t *before, unsigned *conn)
{
    char text[24];
    uint32_t peer = 0;
    int error = torus_read(t, e->at, OFR_CHANNEL_PEER, &peer);
    if (error == TORUS_OK)
        error = torus_read(t, e->at, OFR_CHANNEL_ATTACH, before);
    if (error != TORUS_OK)
        return error;
    *conn = FIELD(peer, OFR_CHANNEL_PEER_CONN);
    if (!FIELD(s->state, OFR_CHANNEL_STATE_FREE)) {
        struct torus_end other = end_at(peer);
        char with[24];
        return fail(t, TORUS_E_BOARD, "%s is busy: %s, with %s%s", end_text(t, e, text),
                    states[state_of(s) % STATES], end_text(t, &other, with), frees(s, *before));
    }
    if (FIELD(s->tx, OFR_CHANNEL_TX_MID)) { // of a message that the last user began
        if (!(*before & OFR_CHANNEL_ATTACH_REGISTERS_MASK))
            return fail(t, TORUS_E_BOARD, "%s is busy: %s inside a message", end_text(t, e, text),
                        *before ? "the board's collectives are" : "the logic at its pins is");
        error = torus_write(t, e->at, OFR_CHANNEL_TX_END, 0);
        if (error == TORUS_OK)
            error = torus_write(t, e->at, OFR_CHANNEL_TX_DATA, 0);
        if (error != TORUS_OK)
            return error;
    }
    return torus_write(t, e->at, OFR_CHANNEL_ATTACH, attach);
}

static int join(struct torus *t, const struct torus_end *e, const struct torus_end *with,
                unsigned conn, unsigned command)
{
    int error = torus_write(t, e->at, OFR_CHANNEL_SELECT, e->end);
    if (error == TORUS_OK)
        error = torus_write(t, e->at, OFR_CHANNEL_PEER,
                            pack_at(with->at) | with->end << OFR_CHANNEL_PEER_END_LSB |
                                (uint32_t)conn << OFR_CHANNEL_PEER_CONN_LSB);
    return error == TORUS_OK ? torus_write(t, e->at, OFR_CHANNEL_COMMAND, command) : error;
}

// Who have two ends that are to be joined, as far as they were taken from them.
struct owners {
    uint32_t attach[2];
    unsigned taken;
};

// As if it had not been tried: nobody is to listen for ever. What the error says stays.
static int give_back(struct torus *t, const struct torus_end *from, const struct torus_end *to,
                     const struct owners *before, int error)
{
    const struct torus_end *end[2] = {from, to};
    char detail[WIDTH];
    struct seen s = {0};
    bool begun;
    snprintf(detail, sizeof detail, "%s", torus_detail(t));
    t->uncut++;
    for (unsigned i = 0; i < 2 && i < before->taken; i++) {
        torus_channel_abort(t, end[i]);
        if (turn(t, end[i], &s, &begun) == TORUS_OK && FIELD(s.state, OFR_CHANNEL_STATE_FREE))
            torus_write(t, end[i]->at, OFR_CHANNEL_ATTACH, before->attach[i]);
        if (begun)
            lease_done(t, TORUS_OK);
    }
    t->uncut--;
    return fail(t, error, "%s", detail);
}

// Both ends listen and open, or neither.
static int begin(struct torus *t, const struct torus_end *from, const struct torus_end *to,
                 const uint32_t attach[2], struct owners *before)
{
    struct seen s = {0};
    bool begun, outer = false;
    unsigned conn[2] = {0, 0};
    int error = want_end(t, to);
    if (error == TORUS_OK)
        error = turn(t, from, &s, &outer);
    if (error == TORUS_OK)
        error = take_end(t, from, &s, attach[0], &before->attach[0], &conn[0]);
    if (error == TORUS_OK) {
        before->taken = 1;
        error = turn(t, to, &s, &begun);
        if (error == TORUS_OK)
            error = take_end(t, to, &s, attach[1], &before->attach[1], &conn[1]);
        before->taken += error == TORUS_OK;
        unsigned number = (unsigned)random_word() & 255;
        while (number == conn[0] || number == conn[1])
            number = (number + 1) & 255;
        if (error == TORUS_OK)
            error = join(t, to, from, number, OFR_CHANNEL_COMMAND_LISTEN);
        if (error == TORUS_OK)
            error = join(t, from, to, number, OFR_CHANNEL_COMMAND_OPEN);
        if (begun)
            error = lease_done(t, error);
        if (error != TORUS_OK)
            error = give_back(t, from, to, before, error);
    }
    return outer ? lease_done(t, error) : error;
}

bool is_late(double until)
{
    return !(monotonic() < until); // also where that is no number: never for ever
}

int pause_turn(struct torus *t, double until)
{
    double left = until - monotonic();
    return wait_more(t, left < 0 ? 0 : left < 0.01 ? left : 0.01);
}

// What has come and was not taken, to the beat that says that it is over.
static int throw_away(struct torus *t, const struct torus_end *e)
{
    struct seen s = {0};
    int error = TORUS_OK;
    unsigned most = 16 * t->slot_flits; // twice what an end can have
    for (unsigned idle = 0; idle < 3 && most && error == TORUS_OK; most--) {
        error = look(t, e, &s);
        bool comes = FIELD(s.rx, OFR_CHANNEL_RX_VALID);
        if (error == TORUS_OK && comes)
            error = torus_write(t, e->at, OFR_CHANNEL_RX_NEXT, 0);
        if (FIELD(s.state, OFR_CHANNEL_STATE_FREE))
            break;
        idle = comes ? 0 : idle + 1;
        if (error == TORUS_OK)
            error = lease_keep(t);
    }
    return error;
}

API int torus_channel_abort(struct torus *t, const struct torus_end *end)
{
    struct seen s = {0};
    bool begun;
    int error = turn(t, end, &s, &begun);
    unsigned state = state_of(&s);
    if (error == TORUS_OK && state != OFR_CHANNEL_STATE_STATE_IDLE &&
        state != OFR_CHANNEL_STATE_STATE_ENDED)
        error = torus_write(t, end->at, OFR_CHANNEL_COMMAND, OFR_CHANNEL_COMMAND_ABORT);
    if (error == TORUS_OK)
        error = throw_away(t, end);
    return begun ? lease_done(t, error) : error;
}

int join_ends(struct torus *t, const struct torus_end *from, const struct torus_end *to,
              const uint32_t attach[2], double seconds)
{
    double until = monotonic() + seconds;
    bool begun;
    struct seen s = {0};
    struct owners before = {.taken = 0};
    char text[24], other[24];
    if (pack_at(from->at) == pack_at(to->at) && from->end == to->end)
        return fail(t, TORUS_E_USAGE, "%s cannot be joined with itself", end_text(t, from, text));
    int error = begin(t, from, to, attach, &before);
    while (error == TORUS_OK) {
        bool late = is_late(until);
        error = turn(t, from, &s, &begun);
        if (begun)
            error = lease_done(t, error);
        if (error != TORUS_OK)
            return error;
        if (state_of(&s) == OFR_CHANNEL_STATE_STATE_OPEN)
            return ok(t);
        if (is_broken(&s))
            error = over(t, from, &s);
        else if (late)
            error = fail(t, TORUS_E_TIMEOUT, "%s does not answer %s: no way there?",
                         end_text(t, to, other), end_text(t, from, text));
        else
            error = pause_turn(t, until);
        if (error != TORUS_OK)
            return give_back(t, from, to, &before, error);
    }
    return error;
}

API int torus_channel_open(struct torus *t, const struct torus_end *from,
                           const struct torus_end *to, double seconds)
{
    return torus_channel_join(t, from, TORUS_SOFTWARE, to, TORUS_SOFTWARE, seconds);
}

static bool is_user(enum torus_channel_user user)
{
    return user == TORUS_SOFTWARE || user == TORUS_PINS;
}

API int torus_channel_join(struct torus *t, const struct torus_end *from,
                           enum torus_channel_user from_user, const struct torus_end *to,
                           enum torus_channel_user to_user, double seconds)
{
    const uint32_t attach[2] = {from_user == TORUS_SOFTWARE ? OFR_CHANNEL_ATTACH_REGISTERS_MASK : 0,
                                to_user == TORUS_SOFTWARE ? OFR_CHANNEL_ATTACH_REGISTERS_MASK : 0};
    if (!is_user(from_user) || !is_user(to_user))
        return fail(t, TORUS_E_USAGE, "a user of an end is TORUS_SOFTWARE or TORUS_PINS");
    return join_ends(t, from, to, attach, seconds);
}

API int torus_channel_release(struct torus *t, const struct torus_end *end)
{
    struct seen s = {0};
    bool begun;
    unsigned conn;
    char text[24];
    uint32_t attached = 0;
    int error = turn(t, end, &s, &begun);
    if (error == TORUS_OK)
        error = torus_read(t, end->at, OFR_CHANNEL_ATTACH, &attached);
    if (error == TORUS_OK && attached & OFR_CHANNEL_ATTACH_COLLECTIVE_MASK)
        error = fail(t, TORUS_E_USAGE, "%s is the board's collectives': torus_tree_clear()",
                     end_text(t, end, text));
    else if (error == TORUS_OK && attached)
        error = take_end(t, end, &s, 0, &attached, &conn);
    return begun ? lease_done(t, error) : error;
}

// ---- Bytes --------------------------------------------------------------------------------------

// Why an end moves nothing, where it is not one of ours that is open.
static int explain(struct torus *t, const struct torus_end *e)
{
    struct seen s = {0};
    bool begun, software;
    char text[24];
    int error = turn(t, e, &s, &begun);
    if (error == TORUS_OK)
        error = want_joined(t, e, &s, true, &software);
    if (error == TORUS_OK)
        error = fail(t, TORUS_E_PROTOCOL, "%s: the board moves no bytes, and does not say why",
                     end_text(t, e, text));
    return begun ? lease_done(t, error) : error;
}

unsigned move_most(const struct torus *t, bool take)
{
    if (t->shared) // it passes on what is answered one by one
        return OFR_MOVE_MOST;
    return take ? OFR_BULK_FROM : OFR_BULK_TO;
}

void move_ask(struct request *q, const struct torus_end *e, unsigned arg, unsigned bytes,
              uint8_t *data)
{
    by_address(q, pack_at(e->at), OFR_OP_MOVE, e->end | arg);
    if (bytes > OFR_MOVE_MOST) {
        with_bulk(q, data, bytes);
        return;
    }
    q->m[1] = (uint32_t)bytes << OFR_MOVE_BYTES_LSB;
    uint8_t payload[OFR_MOVE_MOST] = {0};
    if (!(arg & OFR_MOVE_TAKE) && bytes)
        memcpy(payload, data, bytes);
    for (unsigned i = 0; i < OFR_MOVE_MOST / 4; i++)
        q->m[2 + i] = ofr_get32(payload + 4 * i);
}

int move_unsure(struct torus *t, const struct torus_end *e, const struct request *q, int error)
{
    char detail[WIDTH], text[24];
    unsigned bytes = q->bulk ? q->m[2] : q->m[1] >> OFR_MOVE_BYTES_LSB;
    snprintf(detail, sizeof detail, "%s", t->detail);
    return fail(t, error == TORUS_E_TIMEOUT ? TORUS_E_FAILED : error,
                "%.160s; up to %u bytes more may have %s %s", detail, bytes,
                q->m[0] >> 8 & OFR_MOVE_TAKE ? "come from" : "gone to", end_text(t, e, text));
}

int move_answer(struct torus *t, const struct torus_end *e, const struct request *q, uint8_t *data,
                struct moved *out)
{
    char text[24];
    unsigned bytes = q->bulk ? q->m[2] : q->m[1] >> OFR_MOVE_BYTES_LSB,
             flags = field_of(q->r[1], OFR_MOVE_FLAGS_LSB, 4);
    *out = (struct moved){0};
    int error = status_error(t, q, "move bytes of a channel");
    if (error == TORUS_E_BOARD && t->status == OFR_BAD_ARG)
        return explain(t, e);
    if (error == TORUS_E_LEASE && q->resent)
        return move_unsure(t, e, q, error);
    if (error != TORUS_OK)
        return error;
    out->bytes = q->bulk ? q->r[2] : field_of(q->r[1], OFR_MOVE_MOVED_LSB, 5);
    out->last = flags & OFR_CHANNEL_RX_LAST_MASK;
    out->broken = flags & OFR_CHANNEL_RX_BROKEN_MASK;
    out->now.state = q->r[1] >> OFR_MOVE_STATE_LSB;
    if (out->bytes > bytes)
        return fail(t, TORUS_E_PROTOCOL, "%s: %u bytes were moved of %u", end_text(t, e, text),
                    out->bytes, bytes);
    if (q->bulk || !(q->m[0] >> 8 & OFR_MOVE_TAKE))
        return TORUS_OK;
    uint8_t payload[OFR_MOVE_MOST];
    for (unsigned i = 0; i < OFR_MOVE_MOST / 4; i++)
        ofr_put32(payload + 4 * i, q->r[2 + i]);
    if (out->bytes)
        memcpy(data, payload, out->bytes);
    return TORUS_OK;
}

// Up to move_most() bytes between data, which has room for as many, and the end.
static int move(struct torus *t, const struct torus_end *e, unsigned arg, unsigned bytes,
                uint8_t *data, struct moved *out)
{
    struct request q;
    *out = (struct moved){0};
    if (e->end > OFR_MOVE_END_MASK)
        return explain(t, e);
    move_ask(&q, e, arg, bytes, data);
    int error = exchange(t, &q, 1);
    return error == TORUS_OK ? move_answer(t, e, &q, data, out) : move_unsure(t, e, &q, error);
}

int want_sending(struct torus *t, const struct torus_end *e, const struct seen *s)
{
    char text[24];
    unsigned state = state_of(s);
    if (state == OFR_CHANNEL_STATE_STATE_ENDED)
        return over(t, e, s);
    if (state == OFR_CHANNEL_STATE_STATE_IDLE)
        return explain(t, e);
    if (state == OFR_CHANNEL_STATE_STATE_OPEN || state == OFR_CHANNEL_STATE_STATE_LISTEN ||
        state == OFR_CHANNEL_STATE_STATE_OPENING)
        return TORUS_OK;
    return fail(t, TORUS_E_FAILED, "%s: the channel is %s", end_text(t, e, text),
                states[state % STATES]);
}

// Before bytes are moved: the lease is ours.
static int begin_moves(struct torus *t, const struct torus_end *e)
{
    int error = want_node(t, e);
    return error == TORUS_OK ? lease_turn(t) : error;
}

// What a request counts for in a turn, and whether the lease is to be looked at by now.
static int count_frames(struct torus *t, unsigned bytes, unsigned *all, unsigned *kept)
{
    unsigned frames = 1 + ofr_bulk_frames(bytes);
    *all += frames;
    *kept += frames;
    if (*kept < KEEP_FRAMES)
        return TORUS_OK;
    *kept = 0;
    return lease_keep(t);
}

// As much of the message as there is room for now.
static int send_some(struct torus *t, const struct torus_end *e, const uint8_t *data, size_t bytes,
                     size_t *sent, bool *whole)
{
    struct moved moved = {0};
    unsigned bulk = move_most(t, false), most = bulk, kept = 0;
    int error = begin_moves(t, e);
    if (error != TORUS_OK)
        return error;
    for (unsigned all = 0; error == TORUS_OK && !*whole && all < MOST_FRAMES;) {
        size_t left = bytes - *sent;
        bool last = left <= most;
        unsigned now = last ? (unsigned)left : most;
        error = count_frames(t, now, &all, &kept);
        if (error != TORUS_OK)
            break;
        error = move(t, e, last ? OFR_MOVE_LAST : 0, now, (uint8_t *)data + *sent, &moved);
        if (error == TORUS_OK) // what is broken takes all, and nothing of it goes anywhere
            error = want_sending(t, e, &moved.now);
        if (error != TORUS_OK)
            break;
        *sent += moved.bytes;
        *whole = moved.last;
        // Fewer than all, or none, may be those that got through: only one without bulk frames says
        // that there is no room.
        if (!moved.bytes && !moved.last && now <= OFR_MOVE_MOST)
            break;
        most = moved.bytes ? bulk : OFR_MOVE_MOST;
    }
    return lease_done(t, error);
}

API int torus_channel_send(struct torus *t, const struct torus_end *from, const void *data,
                           size_t bytes, double seconds, size_t *sent)
{
    double until = monotonic() + seconds;
    bool whole = false;
    char text[24];
    *sent = 0;
    for (;;) {
        bool late = is_late(until);
        int error = send_some(t, from, data, bytes, sent, &whole);
        if (error != TORUS_OK || whole)
            return error;
        if (late)
            return fail(t, TORUS_E_TIMEOUT,
                        "%s: there is no room for more: the other end takes nothing (%zu of %zu "
                        "bytes sent)",
                        end_text(t, from, text), *sent, bytes);
        error = pause_turn(t, until);
        if (error != TORUS_OK)
            return error;
    }
}

int want_coming(struct torus *t, const struct torus_end *e, const struct moved *m, bool *ended)
{
    bool nothing = !m->bytes && (!m->last || m->broken);
    bool taken = FIELD(m->now.state, OFR_CHANNEL_STATE_FREE); // all that came, to the end
    *ended = nothing && taken;
    if (m->broken || (*ended && is_broken(&m->now)))
        return over(t, e, &m->now);
    return nothing && state_of(&m->now) == OFR_CHANNEL_STATE_STATE_IDLE ? explain(t, e) : TORUS_OK;
}

// As many beats as are there now. *whole: a message's end has come; *ended: that of the stream.
static int receive_some(struct torus *t, const struct torus_end *e, uint8_t *data, size_t room,
                        size_t *got, bool *whole, bool *ended)
{
    struct moved moved = {0};
    unsigned kept = 0;
    int error = begin_moves(t, e);
    if (error != TORUS_OK)
        return error;
    for (unsigned all = 0; error == TORUS_OK && !*whole && all < MOST_FRAMES;) {
        size_t left = room - *got;
        unsigned most = move_most(t, true), now = left < most ? (unsigned)left : most;
        if (now < t->flit_bytes)
            break;
        error = count_frames(t, now, &all, &kept);
        if (error == TORUS_OK)
            error = move(t, e, OFR_MOVE_TAKE, now, data + *got, &moved);
        if (error != TORUS_OK)
            break;
        *got += moved.bytes;
        *whole = moved.last && !moved.broken;
        error = want_coming(t, e, &moved, ended);
        if (!moved.bytes && !*whole)
            break;
    }
    return lease_done(t, error);
}

API int torus_channel_recv(struct torus *t, const struct torus_end *to, void *data, size_t room,
                           double seconds, size_t *got, bool *whole)
{
    double until = monotonic() + seconds;
    bool ended = false;
    char text[24];
    *got = 0;
    *whole = false;
    for (;;) {
        bool late = is_late(until);
        size_t before = *got;
        int error = receive_some(t, to, data, room, got, whole, &ended);
        if (error != TORUS_OK || *whole || ended)
            return error;
        if (room - *got < t->flit_bytes)
            return room < t->flit_bytes
                       ? fail(t, TORUS_E_USAGE, "room for %zu bytes: a beat has up to %u", room,
                              t->flit_bytes)
                       : ok(t);
        if (late)
            return fail(t, TORUS_E_TIMEOUT, "%s: nothing comes (%zu bytes of the message have)",
                        end_text(t, to, text), *got);
        error = *got > before ? TORUS_OK : pause_turn(t, until);
        if (error != TORUS_OK)
            return error;
    }
}

API int torus_channel_close(struct torus *t, const struct torus_end *end, double seconds)
{
    double until = monotonic() + seconds;
    bool begun, software = false;
    struct seen s = {0};
    char text[24];
    for (;;) {
        bool late = is_late(until);
        int error = turn(t, end, &s, &begun);
        if (error == TORUS_OK)
            error = want_joined(t, end, &s, false, &software);
        if (error == TORUS_OK && state_of(&s) == OFR_CHANNEL_STATE_STATE_OPEN) {
            if (software && FIELD(s.tx, OFR_CHANNEL_TX_MID)) // the board waits for others' rest
                error = fail(t, TORUS_E_USAGE, "%s is inside a message: send the rest, or abort",
                             end_text(t, end, text));
            else
                error = torus_write(t, end->at, OFR_CHANNEL_COMMAND, OFR_CHANNEL_COMMAND_CLOSE);
        }
        if (begun)
            error = lease_done(t, error);
        if (error != TORUS_OK || state_of(&s) == OFR_CHANNEL_STATE_STATE_ENDED)
            return error;
        if (late)
            return fail(t, TORUS_E_TIMEOUT,
                        "%s is %s: the other end has not taken all yet; close it again, or abort",
                        end_text(t, end, text), states[state_of(&s) % STATES]);
        error = pause_turn(t, until);
        if (error != TORUS_OK)
            return error;
    }
}

API int torus_channel_state(struct torus *t, const struct torus_end *end, struct torus_channel *out)
{
    static const uint16_t offset[4] = {OFR_CHANNEL_PEER, OFR_CHANNEL_SENT, OFR_CHANNEL_RECEIVED,
                                       OFR_CHANNEL_HEARD};
    struct seen s = {0};
    bool begun;
    uint32_t value[4] = {0}, attached = 0;
    int error = turn(t, end, &s, &begun);
    if (error == TORUS_OK)
        error = read_four(t, end->at, offset, value);
    if (error == TORUS_OK)
        error = torus_read(t, end->at, OFR_CHANNEL_ATTACH, &attached);
    if (begun)
        error = lease_done(t, error);
    if (error != TORUS_OK)
        return error;
    unsigned reason = FIELD(s.state, OFR_CHANNEL_STATE_REASON);
    *out = (struct torus_channel){
        .state = states[state_of(&s) % STATES],
        .reason = state_of(&s) != OFR_CHANNEL_STATE_STATE_ENDED ? NULL
                  : reason < REASONS                            ? reasons[reason]
                                                                : "?",
        .peer = end_at(value[0]),
        .open = state_of(&s) == OFR_CHANNEL_STATE_STATE_OPEN,
        .free = FIELD(s.state, OFR_CHANNEL_STATE_FREE),
        .software = attached & OFR_CHANNEL_ATTACH_REGISTERS_MASK,
        .collective = attached & OFR_CHANNEL_ATTACH_COLLECTIVE_MASK,
        .waits = FIELD(s.rx, OFR_CHANNEL_RX_VALID),
        .sent = value[1],
        .received = value[2],
        .heard = value[3],
    };
    return TORUS_OK;
}
