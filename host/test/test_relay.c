// SPDX-License-Identifier: Apache-2.0
// The frames that torusctl serve passes on (torusctl/relay.h), in a time of its own, with a board
// that forgets a collective when another one comes, answers out of order, and loses frames. Clients
// all have the same session and the same numbers; one of them sends nonsense, repeats itself, asks
// what nobody answers and never reads. argument or SEED: the seed.
// lint-flags: -Ihost/torusctl
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "relay.h"

enum {
    HONEST = 5,
    WANTED = 400, // answers for each of them
    WINDOW = 4,   // of each
    SESSION = 4711,
    TICKS = 1 << 20,    // the end, in milliseconds, whatever is still missing
    RETRY = 500,        // milliseconds
    ROOM = 7,           // requests that the board takes at once
    COLLECTIVE_MS = 40, // that one takes
    SILENT = 0xdead,    // in d2: never answered
};

static uint64_t seed;

static uint32_t draw(uint32_t below)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)(seed >> 33) % below;
}

static void frame_of(uint8_t *frame, unsigned mode, unsigned op, unsigned number, uint32_t d2,
                     uint32_t d3)
{
    memset(frame, 0, OFR_FRAME_BYTES);
    ofr_put32(frame, OFR_FRAME_SYNC | mode << 8 | OFR_PROTOCOL_VERSION << 12);
    ofr_put32(frame + 4, op | (uint32_t)SESSION << 16);
    ofr_put32(frame + 8, number);
    ofr_put32(frame + 20, d2);
    ofr_put32(frame + 24, d3);
    ofr_put32(frame + 28, ofr_crc32(frame, 28));
}

// The board ---------------------------------------------------------------------------------------

static struct {
    struct {
        uint8_t frame[OFR_FRAME_BYTES];
        unsigned at; // millisecond of its answer, 0: none
    } open[64];
    uint8_t collective[OFR_FRAME_BYTES]; // under way
    unsigned collective_at;
    unsigned most;    // requests at once
    unsigned dropped; // collectives for another one's
    uint32_t wrote;   // the last payload that was written
    uint32_t stored;  // number of the last write
    unsigned twice, writes;
} board;

static void board_answer(struct relay *r, const uint8_t *frame, unsigned status, unsigned ms)
{
    uint8_t out[OFR_FRAME_BYTES];
    memcpy(out, frame, sizeof out);
    out[4] |= OFR_RESPONSE;
    out[5] = (uint8_t)status;
    ofr_put32(out + 24, ~ofr_get32(frame + 24));
    ofr_put32(out + 28, ofr_crc32(out, 28));
    if (draw(50) == 0)
        out[draw(32)] ^= 1; // damaged
    for (unsigned at = 0, n; at < sizeof out; at += n) {
        n = 1 + draw(32);
        n = n < sizeof out - at ? n : (unsigned)sizeof out - at;
        relay_from_board(r, out + at, n, ms * 1e-3);
    }
}

static void board_take(struct relay *r, const uint8_t *frame, unsigned ms)
{
    unsigned op = frame[4] & OFR_OP_MASK, used = 0, free = 64;
    uint32_t number = ofr_get32(frame + 8), payload = ofr_get32(frame + 24);
    assert_int_equal(ofr_get32(frame + 28), ofr_crc32(frame, 28));
    if ((frame[1] & 15) == OFR_MODE_COLLECTIVE) {
        if (board.collective_at && !memcmp(board.collective, frame, sizeof board.collective)) {
            board_answer(r, frame, OFR_PENDING, ms);
            return;
        }
        board.dropped += board.collective_at > 0;
        memcpy(board.collective, frame, sizeof board.collective);
        board.collective_at = ms + COLLECTIVE_MS;
        return;
    }
    if (draw(50) == 0 || ofr_get32(frame + 20) == SILENT)
        return; // lost
    if (op == OFR_OP_WRITE && number != board.stored) {
        board.stored = number;
        board.writes++;
        board.twice += board.wrote >= payload;
        board.wrote = payload;
    }
    bool again = false;
    for (unsigned i = 0; i < 64; i++) {
        bool same = board.open[i].at && !memcmp(board.open[i].frame, frame, OFR_FRAME_BYTES);
        again |= same;
        used += board.open[i].at && !same;
        if (!board.open[i].at)
            free = i;
    }
    if (!again && used + 1 > board.most)
        board.most = used + 1;
    assert_int_not_equal(free, 64);
    memcpy(board.open[free].frame, frame, OFR_FRAME_BYTES);
    // Now and then so late that it has been asked again.
    board.open[free].at = ms + 1 + (draw(40) ? draw(20) : RETRY - 2 + draw(5));
}

static void board_step(struct relay *r, unsigned ms)
{
    if (board.collective_at && ms >= board.collective_at) {
        board.collective_at = 0;
        board_answer(r, board.collective, OFR_OK, ms);
    }
    for (unsigned i = 0; i < 64; i++)
        if (board.open[i].at && ms >= board.open[i].at) {
            board.open[i].at = 0;
            board_answer(r, board.open[i].frame, OFR_OK, ms);
        }
}

// Clients -----------------------------------------------------------------------------------------

struct honest {
    int id;
    uint32_t next; // number and payload of the next request
    struct {
        uint8_t frame[OFR_FRAME_BYTES];
        unsigned sent, first; // milliseconds; sent 0: none
    } open[WINDOW];
    uint8_t in[OFR_FRAME_BYTES];
    unsigned in_count, answers, slowest, others;
};

static void send_some(struct relay *r, int id, const uint8_t *bytes, size_t count)
{
    size_t taken = relay_from_client(r, id, bytes, count); // what it does not take is lost
    assert_true(taken <= count);
}

static void honest_take(struct honest *c, unsigned who, const uint8_t *frame, unsigned ms)
{
    assert_int_equal(ofr_get32(frame + 28), ofr_crc32(frame, 28));
    uint32_t payload = ~ofr_get32(frame + 24);
    if (frame[5] == OFR_PENDING)
        return;
    c->others += payload >> 24 != who;
    for (unsigned i = 0; i < WINDOW; i++)
        if (c->open[i].sent && !memcmp(frame + 8, c->open[i].frame + 8, 2) &&
            payload == ofr_get32(c->open[i].frame + 24)) {
            unsigned took = ms - c->open[i].first;
            c->slowest = took > c->slowest ? took : c->slowest;
            c->open[i].sent = 0;
            c->answers++;
        }
}

static void honest_step(struct relay *r, struct honest *c, unsigned who, unsigned ms)
{
    const uint8_t *bytes;
    size_t count = relay_for_client(r, c->id, &bytes);
    if (count && draw(3)) {
        count = 1 + draw((uint32_t)count);
        for (size_t i = 0; i < count; i++) {
            c->in[c->in_count++] = bytes[i];
            if (c->in_count == OFR_FRAME_BYTES) {
                c->in_count = 0;
                honest_take(c, who, c->in, ms);
            }
        }
        relay_got(r, c->id, count);
    }
    // The first one has the lease: every other request of its is a write, one at a time.
    for (unsigned i = 0; i < (who ? WINDOW : 1); i++) {
        if (c->open[i].sent && ms - c->open[i].sent < RETRY)
            continue;
        if (!c->open[i].sent) {
            if (c->answers >= WANTED)
                return;
            bool write = !who && ++c->next % 2, all = !write && draw(8) == 0;
            c->next += who > 0;
            frame_of(c->open[i].frame, all ? OFR_MODE_COLLECTIVE : OFR_MODE_PATH,
                     write ? OFR_OP_WRITE : OFR_OP_READ, c->next, 0, who << 24 | c->next);
            c->open[i].first = ms;
        }
        c->open[i].sent = ms;
        send_some(r, c->id, c->open[i].frame, OFR_FRAME_BYTES);
    }
}

// Nonsense, halves of frames, what nobody answers, the same over and over; and it never reads.
static void rogue_step(struct relay *r, int *id, uint32_t *next)
{
    uint8_t bytes[OFR_FRAME_BYTES * 2];
    unsigned what = draw(8), count = OFR_FRAME_BYTES;
    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = what == 0 ? (uint8_t)draw(256) : OFR_FRAME_SYNC;
    if (what == 1)
        count = draw(sizeof bytes + 1);
    if (what > 1)
        frame_of(bytes, what == 2 ? OFR_MODE_COLLECTIVE : OFR_MODE_PATH, OFR_OP_READ,
                 what == 3 ? 1 : ++*next, SILENT, HONEST << 24);
    if (what == 4)
        count = draw(OFR_FRAME_BYTES);
    if (what == 5)
        bytes[draw(28)] ^= 1;
    if (draw(2000) == 0) {
        relay_leave(r, *id);
        *id = relay_join(r);
        assert_true(*id >= 0);
    }
    send_some(r, *id, bytes, count);
}

// So long until all honest ones have their answers, in milliseconds.
static unsigned play(bool rogue, struct honest *client)
{
    struct relay *r = relay_new(ROOM);
    uint8_t frame[OFR_FRAME_BYTES];
    double wake;
    uint32_t next = 0;
    unsigned ms = 1, done = 0;
    assert_non_null(r);
    memset(&board, 0, sizeof board);
    memset(client, 0, HONEST * sizeof *client);
    for (unsigned i = 0; i < HONEST; i++)
        client[i].id = relay_join(r);
    int bad = rogue ? relay_join(r) : 0;
    for (; ms < TICKS && done < HONEST; ms++) {
        for (unsigned i = 0; i < HONEST; i++)
            honest_step(r, &client[i], i, ms);
        for (unsigned i = 0; rogue && i < 4; i++)
            rogue_step(r, &bad, &next);
        while (relay_to_board(r, ms * 1e-3, frame, &wake))
            board_take(r, frame, ms);
        board_step(r, ms);
        for (done = 0; done < HONEST && client[done].answers >= WANTED;)
            done++;
    }
    relay_free(r);
    return ms;
}

static void same_numbers(void **state)
{
    struct honest client[HONEST];
    unsigned ms = play(false, client), slowest = 0;
    (void)state;
    for (unsigned i = 0; i < HONEST; i++) {
        assert_int_equal(client[i].others, 0); // answers to somebody else's
        assert_true(client[i].answers >= WANTED);
        slowest = client[i].slowest > slowest ? client[i].slowest : slowest;
    }
    print_message("%u ms, slowest %u, %u writes, %u at once, %u collectives dropped\n", ms, slowest,
                  board.writes, board.most, board.dropped);
    assert_int_equal(board.twice, 0);
    assert_true(board.writes > WANTED / 3);
    // And the second copies of requests that came again and have been answered.
    assert_true(board.most <= ROOM + 2);
    // What keeps one from its end: only where its answer was lost again and again.
    assert_true(board.dropped < 5);
}

static void rogue_harms_nobody(void **state)
{
    struct honest client[HONEST];
    unsigned alone = play(false, client), with = play(true, client);
    (void)state;
    print_message("alone %u ms, with a rogue %u ms\n", alone, with);
    for (unsigned i = 0; i < HONEST; i++) {
        assert_int_equal(client[i].others, 0);
        assert_true(client[i].answers >= WANTED);
    }
    assert_int_equal(board.twice, 0);
    assert_true(with < 4 * alone);
}

// One has all under way that it may, without an answer: another one's request goes at once.
static void room_for_others(void **state)
{
    struct relay *r = relay_new(ROOM);
    uint8_t frame[OFR_FRAME_BYTES];
    double wake;
    int silent = relay_join(r), honest = relay_join(r);
    uint32_t next = 0, got = 0, asked = 0;
    (void)state;
    for (unsigned ms = 1; ms < 10000; ms++) {
        do
            frame_of(frame, OFR_MODE_PATH, OFR_OP_READ, ++next & 0xffff, SILENT, 0);
        while (relay_from_client(r, silent, frame, sizeof frame));
        if (ms % 100 == 50) {
            frame_of(frame, OFR_MODE_PATH, OFR_OP_READ, ++asked, 0, 1);
            assert_int_equal(relay_from_client(r, honest, frame, sizeof frame), sizeof frame);
        }
        while (relay_to_board(r, ms * 1e-3, frame, &wake))
            if (ofr_get32(frame + 24)) {
                got++;
                frame[4] |= OFR_RESPONSE;
                ofr_put32(frame + 28, ofr_crc32(frame, 28));
                relay_from_board(r, frame, sizeof frame, ms * 1e-3);
            }
        assert_int_equal(got, asked);
    }
    relay_free(r);
}

// A board's report, which nobody has just asked for, goes to all who are there.
static void reports(void **state)
{
    struct relay *r = relay_new(ROOM);
    uint8_t frame[OFR_FRAME_BYTES];
    const uint8_t *bytes;
    int one = relay_join(r), left = relay_join(r), two = relay_join(r);
    (void)state;
    relay_leave(r, left);
    frame_of(frame, OFR_MODE_PATH, OFR_OP_WATCH | OFR_RESPONSE | OFR_CHANGED << 8, 99, 0, 7);
    relay_from_board(r, frame, sizeof frame, 1);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(relay_for_client(r, i ? two : one, &bytes), sizeof frame);
        assert_memory_equal(bytes, frame, sizeof frame);
    }
    frame_of(frame, OFR_MODE_PATH, OFR_OP_WATCH | OFR_RESPONSE, 99, 0, 7); // an answer is not
    relay_from_board(r, frame, sizeof frame, 2);
    assert_int_equal(relay_for_client(r, one, &bytes), sizeof frame);
    relay_free(r);
}

// A collective that never ends is asked for again and again, by one who has no end either: another
// one's, asked when the last is answered, waits 16 patiences at most, which are a time-out and four
// round trips each.
static void endless_collective(void **state)
{
    struct relay *r = relay_new(ROOM);
    uint8_t frame[OFR_FRAME_BYTES];
    const uint8_t *bytes;
    double wake;
    int endless = relay_join(r), honest = relay_join(r);
    uint32_t asked = 0;
    unsigned since = 0, again = 0, done = 0, slowest = 0;
    (void)state;
    for (unsigned ms = 1; ms < 1000000; ms++) {
        if (ms % RETRY == 1) {
            frame_of(frame, OFR_MODE_COLLECTIVE, OFR_OP_READ, 1, SILENT, 0);
            relay_from_client(r, endless, frame, sizeof frame);
        }
        if (!since) {
            asked++;
            since = again = ms;
        }
        if (again == ms) {
            frame_of(frame, OFR_MODE_COLLECTIVE, OFR_OP_READ, asked & 0xffff, 0, 1);
            relay_from_client(r, honest, frame, sizeof frame);
            again += RETRY;
        }
        while (relay_to_board(r, ms * 1e-3, frame, &wake))
            if (ofr_get32(frame + 24)) {
                frame[4] |= OFR_RESPONSE;
                ofr_put32(frame + 28, ofr_crc32(frame, 28));
                relay_from_board(r, frame, sizeof frame, ms * 1e-3);
            }
        size_t count = relay_for_client(r, honest, &bytes);
        if (count) {
            relay_got(r, honest, count);
            slowest = ms - since > slowest ? ms - since : slowest;
            since = 0;
            done++;
        }
    }
    print_message("%u answers, slowest %u ms\n", done, slowest);
    assert_true(done > 50);
    assert_true(slowest <= 16 * 100 * RELAY_TIME_OUT + RETRY);
    relay_free(r);
}

static void full(void **state)
{
    struct relay *r = relay_new(ROOM);
    uint8_t frame[OFR_FRAME_BYTES];
    const uint8_t *bytes;
    double wake;
    int id = -1;
    (void)state;
    for (unsigned i = 0; i < RELAY_CLIENTS; i++)
        id = relay_join(r);
    assert_int_equal(id, RELAY_CLIENTS - 1);
    assert_int_equal(relay_join(r), -1);
    relay_leave(r, 5);
    assert_int_equal(relay_join(r), 5);
    // Its queue: so many, and the board takes ROOM of one client alone.
    for (unsigned i = 0; i < RELAY_QUEUE + 3; i++) {
        frame_of(frame, OFR_MODE_PATH, OFR_OP_READ, i + 1, 0, i);
        size_t taken = relay_from_client(r, id, frame, sizeof frame);
        assert_int_equal(taken, i < RELAY_QUEUE ? sizeof frame : 0);
    }
    unsigned sent = 0;
    while (relay_to_board(r, 1, frame, &wake))
        sent++;
    assert_int_equal(sent, ROOM - 1);
    assert_true(wake > 1 && wake < 1.5 + 0.1 * RELAY_TIME_OUT);
    assert_true(relay_takes(r, id));
    // After so long others' turn has come.
    assert_true(relay_to_board(r, wake, frame, &wake));
    // A version that is not ours is told so, as the firmware does.
    frame_of(frame, OFR_MODE_PATH, OFR_OP_PING, 9, 0, 0);
    frame[1] ^= 0xf0;
    ofr_put32(frame + 28, ofr_crc32(frame, 28));
    relay_from_client(r, 7, frame, sizeof frame);
    assert_int_equal(relay_for_client(r, 7, &bytes), OFR_FRAME_BYTES);
    assert_int_equal(bytes[5], OFR_BAD_VERSION);
    assert_int_equal(bytes[1] >> 4, OFR_PROTOCOL_VERSION);
    relay_free(r);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_numbers),       cmocka_unit_test(rogue_harms_nobody),
        cmocka_unit_test(room_for_others),    cmocka_unit_test(reports),
        cmocka_unit_test(endless_collective), cmocka_unit_test(full),
    };
    const char *text = argc > 1 ? argv[1] : getenv("SEED");
    seed = text ? strtoull(text, NULL, 10) : 1;
    printf("# SEED=%llu\n", (unsigned long long)seed);
    seed = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15);
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("relay", tests, NULL, NULL);
}
