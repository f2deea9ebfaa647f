// SPDX-License-Identifier: Apache-2.0
// Datagrams: single packets from one board to another, given and taken by registers (block
// DATAGRAM), a beat a write. Each turn takes the lease, does what can be done now, and gives it
// back, as with channels.
#include <stdio.h>
#include <string.h>

#include "boards.h"
#include "moves.h"

enum { HEAD = 8 }; // bytes of a packet's header

API size_t torus_datagram_most(const struct torus *t)
{
    size_t packet = (size_t)t->slot_flits * t->flit_bytes;
    return packet < HEAD ? 0 : packet - HEAD;
}

// A board whose datagrams software can have; with `ours` it has them.
static int want_pair(struct torus *t, const uint8_t at[3], bool ours)
{
    static const uint16_t offset[4] = {OFR_DATAGRAM_SHAPE, OFR_DATAGRAM_ATTACH, OFR_DATAGRAM_TX,
                                       OFR_DATAGRAM_RX};
    uint32_t value[4] = {0};
    char place[16];
    struct torus_end end = {.end = 0};
    memcpy(end.at, at, 3);
    int error = want_node(t, &end);
    if (error == TORUS_OK)
        error = read_four(t, at, offset, value);
    if (error != TORUS_OK)
        return error;
    if (!FIELD(value[0], OFR_DATAGRAM_SHAPE_ROOM))
        return fail(t, TORUS_E_USAGE, "%s: the board is built without datagrams",
                    place_text(t, at, place));
    if (ours && !FIELD(value[1], OFR_DATAGRAM_ATTACH_REGISTERS))
        return fail(t, TORUS_E_USAGE,
                    "%s: its datagrams are the logic's at its pins: torus_datagram_attach() first",
                    place_text(t, at, place));
    return TORUS_OK;
}

// ---- Sending ------------------------------------------------------------------------------------

// Waits until a beat can be written.
static int want_ready(struct torus *t, const uint8_t at[3], double until)
{
    char place[16];
    for (;;) {
        uint32_t tx = 0;
        bool late = is_late(until);
        int error = torus_read(t, at, OFR_DATAGRAM_TX, &tx);
        if (error != TORUS_OK || FIELD(tx, OFR_DATAGRAM_TX_READY))
            return error;
        if (late)
            return fail(t, TORUS_E_TIMEOUT, "%s: the network does not take the datagram before",
                        place_text(t, at, place));
        error = wait_more(t, 0.003);
        if (error == TORUS_OK)
            error = lease_keep(t);
        if (error != TORUS_OK)
            return error;
    }
}

// Gives these bytes, the last beat with TX_END. Only the first beat may have to wait: a datagram is
// taken whole.
static int give(struct torus *t, const uint8_t at[3], const uint8_t *data, size_t bytes,
                double until)
{
    size_t done = 0;
    int error;
    do {
        uint8_t beat[8] = {0};
        size_t now = bytes - done < t->flit_bytes ? bytes - done : t->flit_bytes;
        if (now)
            memcpy(beat, data + done, now);
        done += now;
        error = want_ready(t, at, until);
        if (error == TORUS_OK && done == bytes)
            error = torus_write(t, at, OFR_DATAGRAM_TX_END, (uint32_t)now);
        if (error == TORUS_OK && t->flit_bytes == 8)
            error = torus_write(t, at, OFR_DATAGRAM_TX_HIGH, ofr_get32(beat + 4));
        if (error == TORUS_OK)
            error = torus_write(t, at, OFR_DATAGRAM_TX_DATA, ofr_get32(beat));
        if (error == TORUS_OK)
            error = lease_keep(t);
    } while (error == TORUS_OK && done < bytes);
    return error;
}

// What somebody began and never ended: made too long, so that the board drops it.
static int swallow(struct torus *t, const uint8_t at[3], double until)
{
    uint32_t tx = 0;
    int error = want_ready(t, at, until);
    if (error == TORUS_OK)
        error = torus_read(t, at, OFR_DATAGRAM_TX, &tx);
    if (error != TORUS_OK || !FIELD(tx, OFR_DATAGRAM_TX_MID))
        return error;
    static const uint8_t nothing[OFR_DATAGRAM_HEAD_LENGTH_MASK];
    return give(t, at, nothing, torus_datagram_most(t) + 1, until);
}

// How the block's counts stand.
struct counts {
    uint32_t sent, illegal, reason;
};

static int count(struct torus *t, const uint8_t at[3], struct counts *c)
{
    static const uint16_t offset[4] = {OFR_DATAGRAM_SENT, OFR_DATAGRAM_ILLEGAL, OFR_DATAGRAM_REASON,
                                       OFR_DATAGRAM_SHAPE};
    uint32_t value[4] = {0};
    int error = read_four(t, at, offset, value);
    *c = (struct counts){value[0], value[1], value[2]};
    return error;
}

// The network has taken it, or the board has dropped it, and why.
static int want_gone(struct torus *t, const uint8_t at[3], const struct torus_end *to,
                     const struct counts *before, double until)
{
    static const char *const reasons[] = {
        "for no reason", "as longer than a packet",       "as it knows of no such node",
        "for its class", "as its table has no way there",
    };
    char place[16], other[24];
    struct counts now;
    for (;;) {
        bool late = is_late(until);
        int error = count(t, at, &now);
        if (error != TORUS_OK || now.sent != before->sent)
            return error;
        if (now.illegal != before->illegal)
            return fail(t, TORUS_E_FAILED, "%s: the datagram to %s was dropped, %s",
                        place_text(t, at, place), end_text(t, to, other),
                        now.reason < sizeof reasons / sizeof *reasons ? reasons[now.reason]
                                                                      : reasons[0]);
        if (late)
            return fail(t, TORUS_E_TIMEOUT,
                        "%s: the network has not taken the datagram to %s: it may yet go",
                        place_text(t, at, place), end_text(t, to, other));
        error = wait_more(t, 0.003);
        if (error == TORUS_OK)
            error = lease_keep(t);
        if (error != TORUS_OK)
            return error;
    }
}

API int torus_datagram_send(struct torus *t, const uint8_t from[3], const struct torus_end *to,
                            enum torus_traffic traffic, const void *data, size_t bytes,
                            double seconds)
{
    static const uint8_t cls[] = {[TORUS_INORDER] = OFR_PKT_CLASS_INORDER,
                                  [TORUS_MINIMAL] = OFR_PKT_CLASS_MINIMAL,
                                  [TORUS_DEROUTE] = OFR_PKT_CLASS_DEROUTE};
    struct counts before;
    double until = monotonic() + seconds;
    int error = want_node(t, to);
    if (error != TORUS_OK)
        return error;
    if (to->end > 15)
        return fail(t, TORUS_E_USAGE, "end %u: they are from 0 to 15", to->end);
    if ((unsigned)traffic >= sizeof cls)
        return fail(t, TORUS_E_USAGE, "class %d: there is no such one", (int)traffic);
    if (bytes > torus_datagram_most(t))
        return fail(t, TORUS_E_USAGE, "%zu bytes: a datagram has %zu at most", bytes,
                    torus_datagram_most(t));
    error = want_pair(t, from, true);
    if (error == TORUS_OK)
        error = lease_turn(t);
    if (error != TORUS_OK)
        return error;
    error = swallow(t, from, until);
    if (error == TORUS_OK) // also forgets a TX_END without a beat
        error = torus_write(t, from, OFR_DATAGRAM_ATTACH, OFR_DATAGRAM_ATTACH_REGISTERS_MASK);
    if (error == TORUS_OK)
        error = torus_write(t, from, OFR_DATAGRAM_TX_TO,
                            pack_at(to->at) | (uint32_t)to->end << OFR_DATAGRAM_TX_TO_END_LSB |
                                (uint32_t)cls[traffic] << OFR_DATAGRAM_TX_TO_CLASS_LSB);
    if (error == TORUS_OK)
        error = count(t, from, &before);
    if (error == TORUS_OK)
        error = give(t, from, data, bytes, until);
    if (error == TORUS_OK)
        error = want_gone(t, from, to, &before, until);
    return lease_done(t, error);
}

// ---- Receiving ----------------------------------------------------------------------------------

// The beat that has come; *rx 0: there is none.
static int look(struct torus *t, const uint8_t at[3], uint32_t *rx, uint8_t beat[8])
{
    static const uint16_t offset[4] = {OFR_DATAGRAM_RX, OFR_DATAGRAM_RX_DATA, OFR_DATAGRAM_RX_HIGH,
                                       OFR_DATAGRAM_SHAPE};
    uint32_t value[4] = {0};
    char place[16];
    int error = read_four(t, at, offset, value);
    *rx = value[0];
    ofr_put32(beat, value[1]);
    ofr_put32(beat + 4, value[2]);
    if (error == TORUS_OK && FIELD(*rx, OFR_DATAGRAM_RX_BYTES) > t->flit_bytes)
        return fail(t, TORUS_E_PROTOCOL, "%s: a beat of %u bytes", place_text(t, at, place),
                    FIELD(*rx, OFR_DATAGRAM_RX_BYTES));
    return error;
}

struct datagram {
    uint8_t *data;
    size_t room, bytes;
    struct torus_end from;
};

// In the lease: the rest of a datagram that somebody has begun to take is thrown away.
static int skip_rest(struct torus *t, const uint8_t at[3])
{
    int error = TORUS_OK;
    for (unsigned most = t->slot_flits; most && error == TORUS_OK; most--) {
        uint8_t beat[8];
        uint32_t rx;
        error = look(t, at, &rx, beat);
        if (error != TORUS_OK || !FIELD(rx, OFR_DATAGRAM_RX_VALID) ||
            FIELD(rx, OFR_DATAGRAM_RX_FIRST))
            break;
        error = torus_write(t, at, OFR_DATAGRAM_RX_NEXT, 0);
        if (error == TORUS_OK)
            error = lease_keep(t);
    }
    return error;
}

// In the lease: takes a datagram, if there is one (*came), behind the rest of one that somebody has
// begun to take.
static int take(struct torus *t, const uint8_t at[3], struct datagram *d, bool *came)
{
    bool inside = false, whole = false;
    char place[16];
    unsigned most = 2 * t->slot_flits + 8; // and looks at which the next beat had not come
    int error = TORUS_OK;
    *came = false;
    while (error == TORUS_OK && !whole && most--) {
        uint8_t beat[8];
        uint32_t rx;
        error = look(t, at, &rx, beat);
        if (error != TORUS_OK || (!FIELD(rx, OFR_DATAGRAM_RX_VALID) && !inside))
            return error;
        if (!FIELD(rx, OFR_DATAGRAM_RX_VALID))
            continue;
        unsigned bytes = FIELD(rx, OFR_DATAGRAM_RX_BYTES);
        if (FIELD(rx, OFR_DATAGRAM_RX_FIRST)) {
            unsigned node = FIELD(rx, OFR_DATAGRAM_RX_NODE);
            d->bytes = 0;
            d->from = (struct torus_end){.at = {node & 15, node >> 4 & 15, node >> 8 & 15},
                                         .end = (uint8_t)FIELD(rx, OFR_DATAGRAM_RX_END)};
            inside = true;
        }
        for (unsigned i = 0; i < bytes && inside; i++, d->bytes++)
            if (d->bytes < d->room)
                d->data[d->bytes] = beat[i];
        whole = inside && FIELD(rx, OFR_DATAGRAM_RX_LAST);
        error = torus_write(t, at, OFR_DATAGRAM_RX_NEXT, 0);
        if (error == TORUS_OK)
            error = lease_keep(t);
    }
    *came = whole;
    if (error == TORUS_OK && !whole)
        return fail(t, TORUS_E_PROTOCOL, "%s: a datagram that does not end",
                    place_text(t, at, place));
    return error;
}

API int torus_datagram_recv(struct torus *t, const uint8_t at[3], void *data, size_t room,
                            double seconds, size_t *bytes, struct torus_end *from)
{
    struct datagram d = {.data = data, .room = room};
    double until = monotonic() + seconds;
    char place[16];
    bool came = false;
    *bytes = 0;
    int error = want_pair(t, at, true);
    while (error == TORUS_OK && !came) {
        uint8_t beat[8];
        uint32_t rx = 0;
        bool late = is_late(until);
        error = look(t, at, &rx, beat); // needs no lease
        if (error == TORUS_OK && FIELD(rx, OFR_DATAGRAM_RX_VALID)) {
            error = lease_turn(t);
            if (error == TORUS_OK) {
                error = take(t, at, &d, &came);
                error = lease_done(t, error);
            }
        } else if (error == TORUS_OK && late) {
            return fail(t, TORUS_E_TIMEOUT, "%s: no datagram has come", place_text(t, at, place));
        } else if (error == TORUS_OK) {
            error = pause_turn(t, until);
        }
    }
    if (error != TORUS_OK)
        return error;
    *bytes = d.bytes;
    if (from)
        *from = d.from;
    return ok(t);
}

// ---- Whose they are -----------------------------------------------------------------------------

API int torus_datagram_attach(struct torus *t, const uint8_t at[3], bool software)
{
    uint32_t attached = 0;
    char place[16];
    int error = want_pair(t, at, false);
    if (error == TORUS_OK)
        error = lease_turn(t);
    if (error != TORUS_OK)
        return error;
    error = torus_read(t, at, OFR_DATAGRAM_ATTACH, &attached);
    if (error == TORUS_OK && FIELD(attached, OFR_DATAGRAM_ATTACH_REGISTERS)) {
        error = swallow(t, at, monotonic() + 1);
        if (error == TORUS_OK)
            error = skip_rest(t, at);
    }
    if (error == TORUS_OK)
        error = torus_write(t, at, OFR_DATAGRAM_ATTACH, software);
    if (error == TORUS_E_BOARD)
        error =
            fail(t, TORUS_E_BOARD, "%s: its logic is inside a datagram", place_text(t, at, place));
    return lease_done(t, error);
}
