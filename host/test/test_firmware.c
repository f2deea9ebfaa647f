// SPDX-License-Identifier: Apache-2.0
// The firmware alone, frame by frame: damaged and repeated frames, sessions, lease, key, paths.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fake.h"
#include "fw_parts.h"

static uint64_t seed;

static void make_frame(uint8_t frame[32], unsigned mode, uint32_t to, const uint32_t m[6])
{
    ofr_put32(frame, OFR_FRAME_SYNC | mode << 8 | OFR_PROTOCOL_VERSION << 12 | to << 16);
    for (unsigned i = 0; i < 6; i++)
        ofr_put32(frame + 4 + 4 * i, m[i]);
    ofr_put32(frame + 28, ofr_crc32(frame, 28));
}

static void feed(struct fake_board *b, const uint8_t *bytes, unsigned n)
{
    while (n--)
        b->from_host.byte[b->from_host.in++ % FAKE_UART] = *bytes++;
    fake_settle(b->fabric);
}

// Takes a frame from the board; false if there is none. Fails where it is not sound.
static bool take(struct fake_board *b, uint32_t m[6])
{
    uint8_t frame[32];
    if (b->to_host.in == b->to_host.out)
        return false;
    assert_true(b->to_host.in - b->to_host.out >= 32);
    for (unsigned i = 0; i < 32; i++)
        frame[i] = b->to_host.byte[b->to_host.out++ % FAKE_UART];
    assert_int_equal(frame[0], OFR_FRAME_SYNC);
    assert_int_equal(frame[1] >> 4, OFR_PROTOCOL_VERSION);
    assert_int_equal(ofr_get32(frame + 28), ofr_crc32(frame, 28));
    for (unsigned i = 0; i < 6; i++)
        m[i] = ofr_get32(frame + 4 + 4 * i);
    return true;
}

struct call {
    unsigned op, arg, session, seq;
    uint32_t d[4];
    unsigned hops;
    uint8_t path[OFR_MAX_HOPS + 1];
    unsigned bytes; // of OP_MOVE
};

// One request by path; its response in r. Returns the status, -1 for none.
static int call(struct fake_board *b, const struct call *c, uint32_t r[6])
{
    uint32_t m[6] = {c->op | c->arg << 8 | c->session << 16,
                     c->seq | c->hops << 21 | (uint32_t)c->bytes << OFR_MOVE_BYTES_LSB,
                     c->d[0],
                     c->d[1],
                     c->d[2],
                     c->d[3]};
    uint8_t frame[32];
    memset(r, 0, 6 * sizeof *r);
    for (unsigned i = 0; i < c->hops && i < OFR_MAX_HOPS; i++)
        ofr_path_set(m, i, c->path[i]);
    make_frame(frame, OFR_MODE_PATH, 0, m);
    feed(b, frame, sizeof frame);
    if (!take(b, r))
        return -1;
    assert_int_equal(r[0] & 0xff, c->op | OFR_RESPONSE);
    assert_int_equal(r[0] >> 16, c->session);
    assert_int_equal(r[1] & 0xffff, c->seq);
    return r[0] >> 8 & 0xff;
}

static void crc_check_value(void **state)
{
    (void)state;
    // The standard check value of CRC-32.
    assert_int_equal(ofr_crc32((const uint8_t *)"123456789", 9), 0xcbf43926);
}

static void ping(void **state)
{
    (void)state;
    struct fake_fabric *f = fake_new(2, 1, 1, false, seed);
    uint32_t r[6];
    assert_int_equal(call(f->board, &(struct call){.op = OFR_OP_PING, .session = 5, .seq = 1}, r),
                     OFR_OK);
    assert_int_equal(r[3] | (uint64_t)r[4] << 32, f->board[0].serial);
    assert_int_equal(r[5] >> OFR_INFO_ARRIVAL_LSB & 7, 7);
    assert_int_equal(r[5] >> OFR_INFO_LINKS_LSB & 63, 1);
    assert_int_equal(r[5] >> OFR_INFO_VERSION_LSB & 15, OFR_PROTOCOL_VERSION);
    assert_int_equal(
        call(f->board, &(struct call){.op = OFR_OP_PING, .session = 5, .seq = 2, .hops = 1}, r),
        OFR_OK);
    assert_int_equal(r[3] | (uint64_t)r[4] << 32, f->board[1].serial);
    assert_int_equal(r[5] >> OFR_INFO_ARRIVAL_LSB & 7, 1);
    assert_int_equal(ofr_path_get(r, 0), 0); // our own path comes back
    fake_free(f);
}

// Every single-bit error of a frame: no answer, and the intact frame after it is answered.
static void damaged_frames(void **state)
{
    (void)state;
    struct fake_fabric *f = fake_new(2, 1, 1, false, seed);
    uint32_t m[6] = {OFR_OP_PING | 7u << 16, 1}, r[6];
    uint8_t good[32], bad[32];
    make_frame(good, OFR_MODE_PATH, 0, m);
    for (unsigned bit = 0; bit < 256; bit++) {
        memcpy(bad, good, sizeof bad);
        bad[bit / 8] ^= (uint8_t)(1 << bit % 8);
        feed(f->board, bad, sizeof bad);
        assert_false(take(f->board, r));
        feed(f->board, good, sizeof good);
        assert_true(take(f->board, r));
        assert_false(take(f->board, r));
    }
    // Broken twin: the same damage with a CRC that fits is acted upon. So it is the CRC that helps.
    memcpy(bad, good, sizeof bad);
    bad[8] ^= 1;
    ofr_put32(bad + 28, ofr_crc32(bad, 28));
    feed(f->board, bad, sizeof bad);
    assert_true(take(f->board, r));
    assert_int_equal(r[1] & 0xffff, 0);
    fake_free(f);
}

static void truncated_frames(void **state)
{
    (void)state;
    struct fake_fabric *f = fake_new(2, 1, 1, false, seed);
    uint32_t m[6] = {OFR_OP_PING | 7u << 16, 1}, r[6];
    uint8_t good[32];
    make_frame(good, OFR_MODE_PATH, 0, m);
    for (unsigned n = 0; n < 32; n++) {
        feed(f->board, good, n); // the first n bytes only
        assert_false(take(f->board, r));
        feed(f->board, good, 32);
        assert_true(take(f->board, r));
        feed(f->board, good + n, 32 - n); // the last ones only
        feed(f->board, good, 32);
        assert_true(take(f->board, r));
        while (take(f->board, r)) // n = 0: a whole frame more
            assert_int_equal(n, 0);
    }
    fake_free(f);
}

// After any noise the board is in step again within two frames.
static void noise(void **state)
{
    (void)state;
    struct fake_fabric *f = fake_new(2, 1, 1, false, seed);
    uint32_t m[6] = {OFR_OP_PING | 7u << 16, 1}, r[6];
    uint8_t good[32], junk[200];
    make_frame(good, OFR_MODE_PATH, 0, m);
    for (unsigned round = 0; round < 2000; round++) {
        unsigned n = fake_random(f, sizeof junk);
        for (unsigned i = 0; i < n; i++)
            junk[i] = fake_random(f, 4) ? (uint8_t)fake_random(f, 256) : (uint8_t)OFR_FRAME_SYNC;
        feed(f->board, junk, n);
        assert_false(take(f->board, r));
        feed(f->board, good, 32);
        feed(f->board, good, 32);
        assert_true(take(f->board, r));
        while (take(f->board, r)) {
        }
    }
    fake_free(f);
}

static void other_version(void **state)
{
    (void)state;
    struct fake_fabric *f = fake_new(2, 1, 1, false, seed);
    uint32_t m[6] = {OFR_OP_PING | 7u << 16, 1}, r[6];
    uint8_t frame[32];
    make_frame(frame, OFR_MODE_PATH, 0, m);
    frame[1] = (uint8_t)((frame[1] & 15) | (OFR_PROTOCOL_VERSION + 1) << 4);
    ofr_put32(frame + 28, ofr_crc32(frame, 28));
    feed(f->board, frame, 32);
    assert_true(take(f->board, r)); // in a frame of its own version
    assert_int_equal(r[0], m[0] | OFR_RESPONSE | OFR_BAD_VERSION << 8);
    assert_int_equal(r[1], m[1]);
    frame[4] |= OFR_RESPONSE;
    ofr_put32(frame + 28, ofr_crc32(frame, 28));
    feed(f->board, frame, 32);
    assert_false(take(f->board, r)); // that goes no further
    frame[4] ^= 1;
    feed(f->board, frame, 32);
    assert_false(take(f->board, r)); // nor does a damaged one
    fake_free(f);
}

// Session 9 is the lease's, which the tests take for session 8 with token 77.
enum { OWNER = 8, TOKEN = 77, LEASE = 9 };

static const struct call table_call = {.op = OFR_OP_TABLE,
                                       .arg = OFR_BANK_IDN << 4 | 1,
                                       .session = LEASE,
                                       .seq = 1,
                                       .d = {0, 0, 0, 0x40414341}};

// What OP_LEASE says, in a session: 64 seconds. d2 31:16 and d3.
static int lease_call(struct fake_board *b, unsigned what, unsigned session, unsigned high,
                      uint32_t token, uint32_t r[6])
{
    static unsigned seq = 1000;
    struct call c = {.op = OFR_OP_LEASE,
                     .arg = what | 10 << OFR_LEASE_TIME_LSB,
                     .session = session,
                     .seq = ++seq,
                     .d = {0, 0, high << 16, token}};
    return call(b, &c, r);
}

static void take_lease(struct fake_board *b)
{
    uint32_t r[6];
    assert_int_equal(lease_call(b, OFR_LEASE_TAKE, OWNER, LEASE, TOKEN, r), OFR_OK);
    assert_int_equal(r[4] >> 16, LEASE);
}

// A writing operation that comes twice acts once and is answered the same.
static void repeated_request(void **state)
{
    (void)state;
    struct fake_fabric *f = fake_new(2, 1, 1, false, seed);
    struct call c = table_call;
    uint32_t first[6], second[6];
    take_lease(f->board);
    assert_int_equal(call(f->board, &c, first), OFR_OK);
    assert_int_equal(f->board[0].table_writes, 4);
    assert_int_equal(call(f->board, &c, second), OFR_OK);
    assert_memory_equal(first, second, sizeof first);
    assert_int_equal(f->board[0].table_writes, 4);
    // A new number acts again.
    c.seq++;
    assert_int_equal(call(f->board, &c, second), OFR_OK);
    assert_int_equal(f->board[0].table_writes, 8);
    // Broken twin: without its store the board acts again on a retry.
    memset(f->board[0].fw.stored, 0, sizeof f->board[0].fw.stored);
    assert_int_equal(call(f->board, &c, second), OFR_OK);
    assert_int_equal(f->board[0].table_writes, 12);
    fake_free(f);
}

// The same over a directed route, whose way back is refilled at each hop.
static void repeated_far_request(void **state)
{
    (void)state;
    struct fake_fabric *f = fake_new(4, 1, 1, false, seed);
    struct call c = table_call;
    uint32_t first[6], second[6];
    c.hops = 3;
    take_lease(f->board + 3);
    assert_int_equal(call(f->board, &c, first), OFR_OK);
    assert_int_equal(call(f->board, &c, second), OFR_OK);
    assert_memory_equal(first, second, sizeof first);
    assert_int_equal(f->board[3].table_writes, 4);
    assert_int_equal(f->board[0].table_writes, 0);
    fake_free(f);
}

// Bytes moved by a request whose answer got lost are not moved again by its repetition, either way.
// What the board's ends do is in fake.c: they always have room, and a message of two bytes.
static void move(void **state)
{
    (void)state;
    struct fake_fabric *f = fake_new(2, 1, 1, false, seed);
    struct fake_board *b = f->board;
    struct call attach = {
        .op = OFR_OP_WRITE, .session = LEASE, .seq = 1, .d = {0, 0, OFR_CHANNEL_ATTACH << 16, 1}};
    struct call c = {.op = OFR_OP_MOVE, .arg = 3, .session = LEASE, .seq = 2, .bytes = 16};
    uint32_t first[6], second[6];
    take_lease(b);
    assert_int_equal(call(b, &c, first), OFR_BAD_ARG); // it is the pins'
    assert_int_equal(b->beats, 0);
    assert_int_equal(call(b, &attach, first), OFR_OK);
    for (unsigned take = 0; take < 2; take++) {
        unsigned before = b->beats, beats = take ? 1 : 8; // flits have two bytes
        c.arg = take ? 3 | OFR_MOVE_TAKE : 3;
        c.seq += 2;
        assert_int_equal(call(b, &c, first), OFR_OK);
        assert_int_equal(first[1] >> OFR_MOVE_MOVED_LSB & 31, 2 * beats);
        assert_int_equal(b->reg[OFR_CHANNEL_SELECT / 4], 3);
        assert_int_equal(b->beats - before, beats);
        assert_int_equal(call(b, &c, second), OFR_OK);
        assert_memory_equal(first, second, sizeof first);
        assert_int_equal(b->beats - before, beats);
        c.seq++;
        assert_int_equal(call(b, &c, second), OFR_OK);
        assert_int_equal(b->beats - before, 2 * beats);
    }
    // An odd number: whole beats only, but in the last one, which may have none.
    c.arg = 3;
    c.bytes = 5;
    c.seq++;
    assert_int_equal(call(b, &c, first), OFR_OK);
    assert_int_equal(first[1] >> OFR_MOVE_MOVED_LSB & 31, 4);
    assert_false(first[1] >> OFR_MOVE_FLAGS_LSB & OFR_CHANNEL_RX_LAST_MASK);
    for (unsigned bytes = 0; bytes <= 5; bytes += 5) {
        c.arg = 3 | OFR_MOVE_LAST;
        c.bytes = bytes;
        c.seq++;
        assert_int_equal(call(b, &c, first), OFR_OK);
        assert_int_equal(first[1] >> OFR_MOVE_MOVED_LSB & 31, bytes);
        assert_true(first[1] >> OFR_MOVE_FLAGS_LSB & OFR_CHANNEL_RX_LAST_MASK);
        assert_int_equal(b->reg[OFR_CHANNEL_TX_END / 4], bytes % 2);
    }
    c.bytes = 17;
    c.seq++;
    assert_int_equal(call(b, &c, first), OFR_BAD_ARG);
    c.session++;
    assert_int_equal(call(b, &c, first), OFR_NO_LEASE);
    fake_free(f);
}

// ---- Bulk frames --------------------------------------------------------------------------------

// A board's address, configured, in a torus of 2x1, with its end 3 software's and the lease taken.
static void prepare(struct fake_board *b, unsigned x)
{
    uint32_t r[6];
    struct call c = {
        .op = OFR_OP_CONFIGURE,
        .session = LEASE,
        .seq = 1,
        .d = {0, 0, 0,
              1u << OFR_CONFIG_SIZE_LSB | x << OFR_CONFIG_COORD_LSB | 1u << OFR_CONFIG_ON_LSB}};
    take_lease(b);
    assert_int_equal(call(b, &c, r), OFR_OK);
    c = (struct call){
        .op = OFR_OP_WRITE, .session = LEASE, .seq = 2, .d = {0, 0, OFR_CHANNEL_ATTACH << 16, 1}};
    assert_int_equal(call(b, &c, r), OFR_OK);
}

static void ask_bulk(struct fake_board *b, unsigned to, unsigned arg, unsigned seq, unsigned bytes)
{
    uint32_t m[6] = {OFR_OP_MOVE | (arg | OFR_MOVE_BULK) << 8 | (uint32_t)LEASE << 16, seq, bytes};
    uint8_t frame[32];
    make_frame(frame, OFR_MODE_ADDRESS, to, m);
    feed(b, frame, sizeof frame);
}

static void send_bulk(struct fake_board *b, unsigned to, unsigned seq, unsigned number, bool good)
{
    uint32_t m[6] = {number, 1, 2, 3, 4, 5};
    uint8_t frame[32];
    make_frame(frame, OFR_MODE_BULK | (seq & 7), to | number << 12, m);
    frame[20] ^= !good;
    feed(b, frame, sizeof frame);
}

// The answer has come, and says so many bytes.
static void expect_bulk(struct fake_board *b, unsigned seq, unsigned bytes, bool last)
{
    uint32_t r[6];
    assert_true(take(b, r));
    assert_int_equal(r[0] & 0xffff, OFR_OP_MOVE | OFR_RESPONSE | OFR_OK << 8);
    assert_int_equal(r[1] & 0xffff, seq);
    assert_int_equal(r[2], bytes);
    assert_int_equal(r[1] >> OFR_MOVE_FLAGS_LSB & OFR_CHANNEL_RX_LAST_MASK,
                     last ? OFR_CHANNEL_RX_LAST_MASK : 0);
    assert_false(take(b, r));
}

// To an end, of the board plugged into and of the one behind it: each byte once, and none behind
// one that is missing, whatever frames are damaged, lost, repeated, or of another request.
static void bulk_to(void **state)
{
    (void)state;
    for (unsigned x = 0; x < 2; x++) {
        struct fake_fabric *f = fake_new(2, 1, 1, false, seed);
        struct fake_board *b = f->board, *at = b + x;
        uint32_t r[6];
        prepare(b, 0);
        prepare(b + 1, 1);
        unsigned before = at->beats;
        ask_bulk(b, x, 3 | OFR_MOVE_LAST, 8, 100); // of five frames, the last one of four bytes
        for (unsigned i = 0; i < 4; i++) {
            send_bulk(b, x, 8, i, true);
            assert_false(take(b, r));
            assert_int_equal(at->beats - before, 12 * (i + 1)); // of two bytes
            send_bulk(b, x, 8, i, true);                        // once more
            send_bulk(b, x, 9, i + 1, true);                    // of another request
            send_bulk(b, 1 - x, 8, i + 1, true);                // of another board
            assert_int_equal(at->beats - before, 12 * (i + 1));
        }
        send_bulk(b, x, 8, 4, true);
        expect_bulk(b, 8, 100, true);
        assert_int_equal(at->beats - before, 50);
        ask_bulk(b, x, 3 | OFR_MOVE_LAST, 8, 100); // the answer was lost
        expect_bulk(b, 8, 100, true);
        send_bulk(b, x, 8, 0, true);
        assert_int_equal(at->beats - before, 50);
        // One is damaged: the rest of them is nothing, and the request that comes again ends it.
        ask_bulk(b, x, 3, 9, 96);
        for (unsigned i = 0; i < 4; i++)
            send_bulk(b, x, 9, i, i != 2);
        assert_false(take(b, r));
        assert_int_equal(at->beats - before, 50 + 24);
        ask_bulk(b, x, 3, 9, 96);
        expect_bulk(b, 9, 48, false);
        send_bulk(b, x, 9, 2, true);
        assert_int_equal(at->beats - before, 50 + 24);
        // Another write comes in between; the lease is given back.
        for (unsigned i = 0; i < 2; i++) {
            ask_bulk(b, x, 3, 10 + i, 48);
            send_bulk(b, x, 10 + i, 0, true);
            struct call c = {.op = i ? OFR_OP_LEASE : OFR_OP_WRITE,
                             .arg = i ? OFR_LEASE_RELEASE : 0,
                             .session = LEASE,
                             .seq = 20 + i,
                             .d = {0, 0, OFR_CHANNEL_ATTACH << 16, i ? TOKEN : 1}};
            assert_int_equal(call(at, &c, r), OFR_OK);
            unsigned now = at->beats;
            send_bulk(b, x, 10 + i, 1, true);
            assert_int_equal(at->beats, now);
            assert_false(take(b, r));
        }
        fake_free(f);
    }
}

// From an end: the same again when it is asked for again, and not what came meanwhile.
static void bulk_from(void **state)
{
    (void)state;
    for (unsigned x = 0; x < 2; x++) {
        struct fake_fabric *f = fake_new(2, 1, 1, false, seed);
        struct fake_board *b = f->board, *at = b + x;
        uint32_t r[6];
        prepare(b, 0);
        prepare(b + 1, 1);
        unsigned before = at->beats;
        for (unsigned i = 0; i < 3; i++) {
            at->reg[OFR_CHANNEL_RX_DATA / 4] = 0x100 + i;
            ask_bulk(b, x, 3 | OFR_MOVE_TAKE, 12, 192);
            assert_true(take(b, r)); // a message of two bytes, which is all that there is
            assert_int_equal(r[0], 0x100);
            expect_bulk(b, 12, 2, true);
            assert_int_equal(at->beats - before, 1);
        }
        ask_bulk(b, x, 3 | OFR_MOVE_TAKE, 13, 192);
        assert_true(take(b, r));
        assert_int_equal(r[0], 0x102);
        expect_bulk(b, 13, 2, true);
        fake_free(f);
    }
}

// What cannot be: by a path, too many bytes, no end of software's.
static void bulk_refused(void **state)
{
    (void)state;
    struct fake_fabric *f = fake_new(2, 1, 1, false, seed);
    struct fake_board *b = f->board;
    uint32_t r[6];
    struct call c = {
        .op = OFR_OP_MOVE, .arg = 3 | OFR_MOVE_BULK, .session = LEASE, .seq = 30, .d = {24}};
    prepare(b, 0);
    unsigned before = b->beats;
    assert_int_equal(call(b, &c, r), OFR_BAD_ARG);
    const unsigned arg[4] = {3, 3 | OFR_MOVE_TAKE, OFR_MOVE_OTHER | OFR_MOVE_COLLECTIVE,
                             OFR_MOVE_OTHER | OFR_MOVE_PROGRAM | OFR_MOVE_TAKE};
    const unsigned bytes[4] = {OFR_BULK_TO + 1, OFR_BULK_FROM + 1, 24, 24};
    for (unsigned i = 0; i < 4; i++) {
        ask_bulk(b, 0, arg[i], 31 + i, bytes[i]);
        assert_true(take(b, r));
        assert_int_equal(r[0] >> 8 & 0xff, OFR_BAD_ARG);
        send_bulk(b, 0, 31 + i, 0, true);
        assert_false(take(b, r));
    }
    assert_int_equal(b->beats, before);
    fake_free(f);
}

// Bytes to and from what is no end: the board's collectives, and its user's core's memory.
static void move_other(void **state)
{
    (void)state;
    struct fake_fabric *f = fake_new(2, 1, 1, false, seed);
    struct fake_board *b = f->board;
    uint32_t r[6];
    struct call c = {.op = OFR_OP_MOVE,
                     .arg = OFR_MOVE_OTHER | OFR_MOVE_COLLECTIVE | OFR_MOVE_LAST,
                     .session = LEASE,
                     .seq = 30,
                     .d = {0x10002, 0x30004, 0x50006, 0x70008},
                     .bytes = 16};
    prepare(b, 0);
    assert_int_equal(call(b, &c, r), OFR_BAD_ARG); // it is the pins'
    b->reg[OFR_COLLECTIVE_ATTACH / 4] = 1;
    c.seq++;
    assert_int_equal(call(b, &c, r), OFR_OK);
    assert_int_equal(r[1] >> OFR_MOVE_MOVED_LSB & 31, 0); // there is no room
    b->reg[OFR_COLLECTIVE_TX / 4] = OFR_COLLECTIVE_TX_READY_MASK;
    c.seq++;
    assert_int_equal(call(b, &c, r), OFR_OK);
    assert_int_equal(r[1] >> OFR_MOVE_MOVED_LSB,
                     16 | OFR_CHANNEL_RX_LAST_MASK << (OFR_MOVE_FLAGS_LSB - OFR_MOVE_MOVED_LSB));
    assert_int_equal(b->reg[OFR_COLLECTIVE_TX_DATA / 4], 7); // beats have two bytes
    assert_int_equal(b->reg[OFR_COLLECTIVE_TX_END / 4], 2);
    b->reg[OFR_COLLECTIVE_RX / 4] = OFR_COLLECTIVE_RX_VALID_MASK | OFR_COLLECTIVE_RX_VERDICT_MASK;
    c.arg = OFR_MOVE_OTHER | OFR_MOVE_COLLECTIVE | OFR_MOVE_TAKE;
    c.seq++;
    assert_int_equal(call(b, &c, r), OFR_OK);
    assert_int_equal(r[1] >> OFR_MOVE_MOVED_LSB,
                     OFR_COLLECTIVE_RX_VERDICT_MASK << (OFR_MOVE_FLAGS_LSB - OFR_MOVE_MOVED_LSB));
    c.arg = OFR_MOVE_OTHER | OFR_MOVE_PROGRAM;
    c.seq++;
    assert_int_equal(call(b, &c, r), OFR_OK);
    assert_int_equal(r[1] >> OFR_MOVE_MOVED_LSB, 16);
    assert_int_equal(b->reg[OFR_USER_MEM_DATA / 4], 0x70008); // words
    c.arg = OFR_MOVE_OTHER | 2;
    c.seq++;
    assert_int_equal(call(b, &c, r), OFR_BAD_ARG); // there is no such thing
    fake_free(f);
}

// Tenths of a second pass, in steps that no timer of 32 bits misses.
static void pass(struct fake_board *b, unsigned tenths)
{
    while (tenths--) {
        b->timer += FAKE_CLOCK / 10;
        lease_expire(&b->fw);
    }
}

static int read_word(struct fake_board *b, unsigned selector, uint32_t *value)
{
    static unsigned seq = 5000;
    struct call c = {
        .op = OFR_OP_READ, .session = 1234, .seq = ++seq, .d = {0, 0, selector << 16, 0}};
    uint32_t r[6];
    int status = call(b, &c, r);
    *value = r[5];
    return status;
}

static void lease(void **state)
{
    (void)state;
    struct fake_fabric *f = fake_new(2, 1, 1, false, seed);
    struct fake_board *b = f->board;
    struct call a = table_call, other = table_call;
    uint32_t r[6], who;
    // Nobody writes without it.
    assert_int_equal(call(b, &a, r), OFR_NO_LEASE);
    assert_int_equal(r[5], 0);
    // Taken with a token; the board makes a number up that is neither asker's nor token's.
    assert_int_equal(lease_call(b, OFR_LEASE_TAKE, OWNER, 0, 0, r), OFR_BAD_ARG);
    struct call take = {.op = OFR_OP_LEASE,
                        .arg = OFR_LEASE_TAKE | 10 << OFR_LEASE_TIME_LSB,
                        .session = OWNER,
                        .seq = 7,
                        .d = {0, 0, 0, TOKEN}};
    assert_int_equal(call(b, &take, r), OFR_OK);
    unsigned number = r[4] >> 16;
    assert_true(number && number != OWNER && number != TOKEN);
    assert_int_equal(call(b, &take, r), OFR_OK); // sent again: the same one
    assert_int_equal(r[4] >> 16, number);
    take.d[3] = TOKEN + 1; // by somebody who does not know the token
    assert_int_equal(call(b, &take, r), OFR_BUSY);
    assert_int_equal(r[4] >> 16, 0);
    a.session = number;
    assert_int_equal(call(b, &a, r), OFR_OK);
    assert_int_equal(b->table_writes, 4);
    // Others are told by whom and since when, but not the number.
    assert_int_equal(lease_call(b, OFR_LEASE_LABEL, number, 0, 0x63696c61, r), OFR_OK);
    assert_int_equal(lease_call(b, OFR_LEASE_LABEL, OWNER, 0, 1, r), OFR_NO_LEASE);
    a.seq++;
    assert_int_equal(call(b, &a, r), OFR_OK);
    pass(b, 59);
    other.session = 1234;
    assert_int_equal(call(b, &other, r), OFR_NO_LEASE);
    assert_int_equal(r[5], OWNER | 5 << 16);
    assert_int_equal(lease_call(b, OFR_LEASE_TAKE, 1234, 0, 55, r), OFR_BUSY);
    assert_int_equal(r[5], OWNER | 5 << 16);
    assert_int_equal(read_word(b, OFR_SEL_FIRMWARE | OFR_FW_LEASE, &who), OFR_OK);
    assert_int_equal(who, OWNER | 5 << 16);
    assert_int_equal(read_word(b, OFR_SEL_FIRMWARE | OFR_FW_LABEL, &who), OFR_OK);
    assert_int_equal(who, 0x63696c61);
    for (unsigned w = 0; w < 0x1000; w++) // nothing that can be read is it, or the token
        if (read_word(b, OFR_SEL_FIRMWARE | w, &who) == OFR_OK)
            assert_true(who != number && who >> 16 != number && who != TOKEN);
    // The refusals have not pushed out the owner's response.
    assert_int_equal(call(b, &a, r), OFR_OK);
    assert_int_equal(b->table_writes, 8);
    // Renewing, taking over and giving back need the token too.
    assert_int_equal(lease_call(b, OFR_LEASE_RENEW, number, 0, TOKEN + 1, r), OFR_NO_LEASE);
    assert_int_equal(lease_call(b, OFR_LEASE_RELEASE, number, 0, TOKEN + 1, r), OFR_NO_LEASE);
    assert_int_equal(lease_call(b, OFR_LEASE_RELEASE, OWNER, 0, TOKEN, r), OFR_NO_LEASE);
    assert_int_equal(lease_call(b, OFR_LEASE_TAKE_OVER, 1234, 0, TOKEN + 1, r), OFR_BUSY);
    assert_int_equal(lease_call(b, OFR_LEASE_TAKE, 1234, 0, TOKEN, r), OFR_BUSY);
    assert_int_equal(lease_call(b, OFR_LEASE_TAKE_OVER, 1234, 0, TOKEN, r), OFR_OK);
    assert_int_not_equal(r[4] >> 16, number);
    number = r[4] >> 16;
    a.seq++;
    assert_int_equal(call(b, &a, r), OFR_NO_LEASE);
    assert_int_equal(r[5], 1234);
    // It runs out by itself, but not before its time; writing does not renew it, renewing does.
    a.session = number;
    pass(b, 400);
    assert_int_equal(call(b, &a, r), OFR_OK);
    pass(b, 235);
    a.seq++;
    assert_int_equal(call(b, &a, r), OFR_OK);
    assert_int_equal(lease_call(b, OFR_LEASE_RENEW, number, 0, TOKEN, r), OFR_OK);
    pass(b, 635);
    a.seq++;
    assert_int_equal(call(b, &a, r), OFR_OK);
    pass(b, 10);
    a.seq++;
    assert_int_equal(call(b, &a, r), OFR_NO_LEASE);
    assert_int_equal(r[5], 0);
    // And for good, however long the timer goes on.
    for (unsigned i = 0; i < 200; i++) {
        pass(b, 600);
        a.seq++;
        assert_int_equal(call(b, &a, r), OFR_NO_LEASE);
    }
    // Broken twin: a lease that is compared with a timer of 32 bits comes back.
    assert_int_equal(lease_call(b, OFR_LEASE_TAKE, OWNER, number, TOKEN, r), OFR_OK);
    struct fw was = b->fw;
    unsigned back = 0;
    for (unsigned i = 0; i < 200; i++) {
        b->timer += 60u * FAKE_CLOCK;
        uint32_t since = b->timer - was.clock_at;
        back += since / (FAKE_CLOCK / 16) < 1u << 10;
    }
    assert_true(back);
    fake_free(f);
}

static int key_call(struct fake_board *b, unsigned op, unsigned half, unsigned session,
                    unsigned high, uint32_t word)
{
    static unsigned seq = 20000;
    struct call c = {
        .op = op, .arg = half, .session = session, .seq = ++seq, .d = {0, 0, high << 16, word}};
    uint32_t r[6];
    return call(b, &c, r);
}

static void key(void **state)
{
    (void)state;
    struct fake_fabric *f = fake_new(2, 1, 1, false, seed);
    struct fake_board *b = f->board;
    uint32_t r[6];
    assert_int_equal(key_call(b, OFR_OP_KEY, 0, LEASE, 0, 0x11223344), OFR_NO_LEASE);
    take_lease(b);
    assert_int_equal(key_call(b, OFR_OP_KEY, 0, LEASE, 0, 0x11223344), OFR_OK);
    assert_int_equal(key_call(b, OFR_OP_KEY, 1, LEASE, 0, 0x5566), OFR_OK);
    // Who knows the session that has the lease, and its token, cannot do anything with it.
    struct call write = table_call;
    write.session = OWNER;
    assert_int_equal(call(b, &write, r), OFR_NO_LEASE);
    assert_int_equal(lease_call(b, OFR_LEASE_TAKE_OVER, 10, 0, TOKEN, r), OFR_LOCKED);
    assert_int_equal(lease_call(b, OFR_LEASE_TAKE, 10, 0, TOKEN, r), OFR_LOCKED);
    assert_int_equal(lease_call(b, OFR_LEASE_RELEASE, LEASE, 0, TOKEN, r), OFR_OK);
    assert_int_equal(lease_call(b, OFR_LEASE_TAKE, 10, 0, 5, r), OFR_LOCKED);
    // One bit wrong; the halves of two sessions, or for another token.
    assert_int_equal(key_call(b, OFR_OP_UNLOCK, 0, 10, 5, 0x11223344), OFR_OK);
    assert_int_equal(key_call(b, OFR_OP_UNLOCK, 1, 10, 5, 0x5567), OFR_LOCKED);
    assert_int_equal(lease_call(b, OFR_LEASE_TAKE, 10, 0, 5, r), OFR_LOCKED);
    assert_int_equal(key_call(b, OFR_OP_UNLOCK, 0, 10, 5, 0x11223344), OFR_OK);
    assert_int_equal(key_call(b, OFR_OP_UNLOCK, 1, 11, 5, 0x5566), OFR_BAD_ARG);
    assert_int_equal(key_call(b, OFR_OP_UNLOCK, 0, 10, 5, 0x11223344), OFR_OK);
    assert_int_equal(key_call(b, OFR_OP_UNLOCK, 1, 10, 6, 0x5566), OFR_BAD_ARG);
    assert_int_equal(lease_call(b, OFR_LEASE_TAKE, 10, 0, 5, r), OFR_LOCKED);
    // Right: for that session and token, once.
    assert_int_equal(key_call(b, OFR_OP_UNLOCK, 0, 10, 5, 0x11223344), OFR_OK);
    assert_int_equal(key_call(b, OFR_OP_UNLOCK, 1, 10, 5, 0x5566), OFR_OK);
    assert_int_equal(lease_call(b, OFR_LEASE_TAKE, 11, 0, 5, r), OFR_LOCKED);
    assert_int_equal(lease_call(b, OFR_LEASE_TAKE, 10, 0, 6, r), OFR_LOCKED);
    assert_int_equal(lease_call(b, OFR_LEASE_TAKE, 10, LEASE, 5, r), OFR_OK);
    write.session = LEASE;
    assert_int_equal(call(b, &write, r), OFR_OK);
    assert_int_equal(b->table_writes, 4);
    assert_int_equal(lease_call(b, OFR_LEASE_TAKE_OVER, 10, 0, 5, r), OFR_LOCKED);
    // With the key the lease is taken over without its token; the key is taken off in it only.
    assert_int_equal(key_call(b, OFR_OP_UNLOCK, 0, 12, 99, 0x11223344), OFR_OK);
    assert_int_equal(key_call(b, OFR_OP_UNLOCK, 1, 12, 99, 0x5566), OFR_OK);
    assert_int_equal(lease_call(b, OFR_LEASE_TAKE, 12, 0, 99, r), OFR_BUSY);
    assert_int_equal(lease_call(b, OFR_LEASE_TAKE_OVER, 12, 0, 99, r), OFR_OK);
    unsigned number = r[4] >> 16;
    assert_int_equal(key_call(b, OFR_OP_KEY, 0, LEASE, 0, 0), OFR_NO_LEASE);
    assert_int_equal(key_call(b, OFR_OP_KEY, 0, number, 0, 0), OFR_OK);
    assert_int_equal(key_call(b, OFR_OP_KEY, 1, number, 0, 0), OFR_OK);
    assert_int_equal(lease_call(b, OFR_LEASE_RELEASE, number, 0, 99, r), OFR_OK);
    assert_int_equal(lease_call(b, OFR_LEASE_TAKE, 13, 0, 1, r), OFR_OK);
    fake_free(f);
}

static unsigned table_seq;

// One OP_TABLE, with d3, d0, d1 as said. crc, idn: registers, of what it says and of bank IDN.
static int table(struct fake_board *b, unsigned bank, unsigned words, unsigned first,
                 const uint32_t word[3], uint32_t *crc, uint32_t *idn)
{
    struct call c = {.op = OFR_OP_TABLE, .arg = bank << 4 | words, .session = LEASE};
    uint32_t r[6], m[6] = {c.arg << 8, 0, word[1], word[2], first << 16, word[0]}, said[4];
    int status;
    memcpy(c.d, m + 2, sizeof c.d);
    do {
        c.seq = ++table_seq;
        status = call(b, &c, r);
    } while (status == OFR_AGAIN);
    for (unsigned i = 0, n = ofr_table_words(m, said); i < n; i++)
        for (unsigned j = 0; j < 32; j += 8) {
            *crc = ofr_crc32_byte(*crc, (uint8_t)(said[i] >> j));
            if (i && bank == OFR_BANK_IDN)
                *idn = ofr_crc32_byte(*idn, (uint8_t)(said[i] >> j));
        }
    return status;
}

// A table with this entry for destination (3,0), 0: none. Returns what OP_STAGE is to say.
static uint32_t fill(struct fake_board *b, unsigned entry)
{
    uint32_t crc = 0xffffffff, idn = 0xffffffff;
    assert_int_equal(
        table(b, OFR_BANK_SETTINGS, 1, 0x7700, (uint32_t[3]){0x1200 | 1 << 16}, &crc, &idn),
        OFR_OK);
    for (unsigned first = 0; first < 32; first += 8)
        assert_int_equal(table(b, OFR_BANK_IDN, 2, first, (uint32_t[3]){0x41}, &crc, &idn), OFR_OK);
    if (entry)
        assert_int_equal(
            table(b, OFR_BANK_DESTINATIONS, 1, 2, (uint32_t[3]){entry << 16}, &crc, &idn), OFR_OK);
    return crc ^ idn;
}

static int name(struct fake_board *b, unsigned op, unsigned generation, uint32_t crc)
{
    struct call c = {.op = op, .session = LEASE, .seq = ++table_seq};
    uint32_t r[6];
    c.d[2] = generation << 16;
    c.d[3] = crc;
    int status = call(b, &c, r);
    if (status == OFR_BAD_CRC) // then the board says which it is
        assert_true(r[5] != crc);
    return status;
}

// Has the board these tables, and whole: entry and generation?
static bool has(const struct fake_board *b, unsigned entry, unsigned generation)
{
    return (b->fw.active & 0xffff) == generation && b->reg[OFR_PINS_CONTROL / 4] == (entry != 0) &&
           (!entry || (b->pins[3] == entry && !b->pins[2])) &&
           (b->reg[OFR_OFR_COMMIT / 4] & 0xffff) == generation &&
           b->table[0] == (generation ? 0x41 : 0);
}

// A commit is of what was staged, both tables of it, in the lease that staged it; a board that does
// not commit has the old ones.
static void commit(void **state)
{
    (void)state;
    enum { OLD = OFR_PINS_DATA_MODE_IDN << 12 | 1, NEW = OFR_PINS_DATA_MODE_ESCAPE << 12 };
    enum {
        OTHER,
        GENERATION,
        LOST,
        TAKEN,
        REPLACED,
        UNSTAGED,
        WRONG,
        HOLE,
        WRITTEN,
        GOOD,
        AGAIN,
        NONE,
        WAYS
    };
    for (unsigned way = 0; way < WAYS; way++) {
        struct fake_fabric *f = fake_new(2, 1, 1, false, seed);
        struct fake_board *b = f->board;
        uint32_t r[6], crc, none = 0;
        unsigned entry = way == NONE ? 0 : NEW, generation = 4;
        take_lease(b);
        crc = fill(b, OLD);
        assert_int_equal(name(b, OFR_OP_STAGE, 3, crc), OFR_OK);
        assert_true(has(b, 0, 0));
        assert_int_equal(name(b, OFR_OP_COMMIT, 3, crc), OFR_OK);
        assert_true(has(b, OLD, 3));

        crc = fill(b, entry);
        if (way == HOLE) // an entry that the hardware refuses, and so has not
            assert_int_equal(
                table(b, OFR_BANK_DESTINATIONS, 1, 8, (uint32_t[3]){0x7000}, &crc, &none),
                OFR_BUS_ERROR);
        int staged =
            way == UNSTAGED ? OFR_OK : name(b, OFR_OP_STAGE, generation, crc ^ (way == WRONG));
        assert_int_equal(staged, way == WRONG  ? OFR_BAD_CRC
                                 : way == HOLE ? OFR_NOT_STAGED
                                               : OFR_OK);
        if (way == LOST) { // meanwhile, and got again
            assert_int_equal(lease_call(b, OFR_LEASE_RELEASE, LEASE, 0, TOKEN, r), OFR_OK);
            take_lease(b);
        }
        if (way == TAKEN)
            assert_int_equal(lease_call(b, OFR_LEASE_TAKE_OVER, 5, LEASE + 1, TOKEN, r), OFR_OK);
        if (way == REPLACED) // by one that is alike but for an entry of its destination table
            assert_int_equal(name(b, OFR_OP_STAGE, generation, fill(b, NEW | 1 << 12)), OFR_OK);
        if (way == WRITTEN) {
            struct call c = {.op = OFR_OP_WRITE, .session = LEASE, .seq = ++table_seq};
            c.d[2] = OFR_PINS_CONTROL << 16;
            assert_int_equal(call(b, &c, r), OFR_BAD_ARG); // by commit only
            c.d[2] = OFR_OFR_DATA << 16;
            c.seq = ++table_seq;
            assert_int_equal(call(b, &c, r), OFR_OK);
        }
        if (way == GENERATION)
            generation = 5;
        assert_true(has(b, OLD, 3));
        int committed = name(b, OFR_OP_COMMIT, generation, crc ^ (way == OTHER));
        assert_int_equal(committed, way == TAKEN ? OFR_NO_LEASE
                                    : way < GOOD ? OFR_NOT_STAGED
                                                 : OFR_OK);
        assert_true(way < GOOD ? has(b, OLD, 3) : has(b, entry, 4));
        if (way == AGAIN) { // the same once more: the one before stays the one before
            assert_int_equal(name(b, OFR_OP_STAGE, 4, fill(b, entry)), OFR_OK);
            assert_int_equal(name(b, OFR_OP_COMMIT, 4, crc), OFR_OK);
            assert_true(has(b, entry, 4));
        }
        assert_int_equal(b->fw.previous & 0xffff, way < GOOD ? 0 : 3);
        fake_free(f);
    }
}

// Digits of an OP_CHANGE, from the first one on; what is left is passed over.
static struct call changes(unsigned begin, unsigned first, unsigned count, const uint8_t *digit)
{
    struct call c = {.op = OFR_OP_CHANGE, .arg = begin, .session = LEASE, .seq = ++table_seq};
    c.d[1] = first | ~(uint32_t)0xfff;
    c.d[2] = c.d[3] = 0xffffffff;
    for (unsigned i = 0; i < count; i++) {
        unsigned at = OFR_CHANGE_FIRST + i, lsb = at % 8 * 4;
        c.d[1 + at / 8] &= ~((uint32_t)(15u ^ digit[i]) << lsb);
    }
    return c;
}

// Begins, once the shadow is what it is to be.
static void begin_changes(struct fake_board *b, struct call *c, uint32_t r[6])
{
    int status = call(b, c, r);
    for (unsigned i = 0; status == OFR_AGAIN && i < 10; i++) {
        c->seq = ++table_seq;
        status = call(b, c, r);
    }
    assert_int_equal(status, OFR_OK);
}

// CRC-32's register behind what an OP_CHANGE says.
static uint32_t crc_behind(uint32_t crc, const struct call *c)
{
    for (unsigned i = 1; i < 4; i++)
        for (unsigned j = 0; j < 32; j += 8)
            crc = ofr_crc32_byte(crc, (uint8_t)(c->d[i] >> j));
    return crc;
}

static int commit_changes(struct fake_board *b, unsigned generation, uint32_t crc)
{
    uint32_t r[6];
    struct call w = {.op = OFR_OP_COMMIT, .arg = 1, .session = LEASE, .seq = ++table_seq};
    w.d[1] = 0x1234;
    w.d[2] = generation << 16;
    w.d[3] = crc;
    return call(b, &w, r);
}

// From the table in force on: what is not said stays, of what was begun before nothing does, and
// the CRC tells which table it was. Nothing said: it is the same. A table that is off is all FREE.
static void change_copy(void **state)
{
    (void)state;
    enum { BEGIN = OFR_CHANGE_BEGIN, COPY = BEGIN | OFR_CHANGE_COPY };
    struct fake_fabric *f = fake_new(4, 4, 1, true, seed);
    struct fake_board *b = f->board;
    uint16_t want[256] = {[0x01] = TORUS_ESCAPE << 12, [0x03] = TORUS_NO_DEROUTE << 12};
    uint32_t r[6], crc = 0xffffffff;
    static const uint8_t first[] = {2, OFR_CHANGE_SKIP, 1}, other[] = {4, 4, 4, 4},
                         more[] = {0, 3, 2, 2, 0};
    struct call c = changes(BEGIN, 0x01, sizeof first, first);
    take_lease(b);
    b->reg[OFR_NODE_SIZE / 4] = 0x010404;
    begin_changes(b, &c, r);
    crc = crc_behind(crc, &c);
    assert_int_equal(commit_changes(b, 1, crc), OFR_OK);
    for (unsigned way = 0; way < 4; way++) {
        if (way % 2) { // begun, and left
            c = changes(way > 2 ? COPY : BEGIN, 0x20, sizeof other, other);
            begin_changes(b, &c, r);
        }
        c = changes(COPY, 0x03, way < 2 ? 0 : sizeof more, more);
        begin_changes(b, &c, r);
        crc = crc_behind(crc, &c);
        assert_int_equal(r[5], crc);
        assert_int_equal(commit_changes(b, 2 + way, crc), OFR_OK);
        if (way >= 2) {
            want[0x03] = 0;
            want[0x10] = TORUS_IDN << 12 | 0x022;
        }
        assert_memory_equal(b->pins, want, sizeof want);
        assert_int_equal(b->reg[OFR_PINS_CONTROL / 4], 1);
    }
    c = changes(BEGIN, 0, 0, NULL); // off
    begin_changes(b, &c, r);
    crc = crc_behind(0xffffffff, &c);
    assert_int_equal(commit_changes(b, 7, crc), OFR_OK);
    assert_int_equal(b->reg[OFR_PINS_CONTROL / 4], 0);
    c = changes(COPY, 0x03, sizeof more, more);
    begin_changes(b, &c, r);
    crc = crc_behind(crc, &c);
    want[0x01] = 0;
    assert_int_equal(commit_changes(b, 8, crc), OFR_OK);
    assert_memory_equal(b->pins, want, sizeof want);
    fake_free(f);
}

// Destinations alone: what digits say, in one request or more, is committed whole or not at all, in
// the lease that began it; the IDN table stays.
static void change(void **state)
{
    (void)state;
    struct fake_fabric *f = fake_new(4, 4, 1, true, seed);
    struct fake_board *b = f->board;
    uint16_t want[256] = {0};
    uint32_t r[6], crc = 0xffffffff;
    static const uint8_t some[] = {2, OFR_CHANGE_SKIP, 3, 3, 2, 0, OFR_CHANGE_SKIP + 1, 1, 0, 4};
    static const uint8_t more[] = {2, OFR_CHANGE_MORE + 1, 1};
    // An IDN with its digits cut off: no more than the message is read.
    static const uint8_t last[] = {5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 3};
    struct call c;
    take_lease(b);
    b->reg[OFR_NODE_COORD / 4] = 0x201;
    b->reg[OFR_NODE_SIZE / 4] = 0x010404;
    for (unsigned way = 0; way < 2; way++) { // way 0: what was begun before is gone
        c = changes(true, way ? 0x01 : 0x22, sizeof some, some);
        begin_changes(b, &c, r);
    }
    crc = crc_behind(crc, &c);
    assert_int_equal(r[3], 0); // no table yet
    assert_int_equal(r[4], 0x201);
    assert_int_equal(r[5], crc);
    c = changes(false, 0x21, sizeof more, more);
    assert_int_equal(call(b, &c, r), OFR_OK);
    crc = crc_behind(crc, &c);
    assert_int_equal(r[5], crc);
    want[0x01] = TORUS_ESCAPE << 12;
    want[0x03] = TORUS_IDN << 12 | 0x23;
    want[0x12] = TORUS_NO_DEROUTE << 12;
    want[0x20] = TORUS_UNREACHABLE << 12;
    want[0x21] = want[0x22] = want[0x23] = want[0x30] = want[0x31] = TORUS_ESCAPE << 12;
    want[0x32] = TORUS_NO_DEROUTE << 12;
    for (unsigned way = 0; way < 5; way++) {
        static const uint16_t none[256];
        struct call w = {.op = OFR_OP_COMMIT, .arg = 1, .session = LEASE, .seq = ++table_seq};
        w.d[1] = 0x1234;
        w.d[2] = way == 0 ? 0 : 7u << 16;
        w.d[3] = crc ^ (way == 1);
        w.arg = way != 2;
        if (way == 3)
            w.op = OFR_OP_STAGE;
        assert_int_equal(call(b, &w, r), way < 4 ? OFR_NOT_STAGED : OFR_OK);
        assert_memory_equal(b->pins, way < 4 ? none : want, sizeof want);
        assert_int_equal(b->reg[OFR_PINS_CONTROL / 4], way == 4);
        assert_int_equal(b->fw.active, way < 4 ? 0 : 0x12340007);
    }
    assert_int_equal(b->reg[OFR_OFR_COMMIT / 4], 0);
    assert_int_equal(b->table[0], 0);
    c = changes(false, 0, sizeof more, more);
    assert_int_equal(call(b, &c, r), OFR_NOT_STAGED);
    // None: the table is off
    c = changes(true, 0, 0, NULL);
    begin_changes(b, &c, r);
    assert_int_equal(r[3], 0x12340007);
    struct call w = {.op = OFR_OP_COMMIT, .arg = 1, .session = LEASE, .seq = ++table_seq};
    w.d[2] = 8u << 16;
    w.d[3] = r[5];
    assert_int_equal(call(b, &w, r), OFR_OK);
    assert_int_equal(b->reg[OFR_PINS_CONTROL / 4], 0);
    assert_int_equal(b->fw.previous, 0x12340007);
    c = changes(true, 0, sizeof last, last);
    assert_int_equal(call(b, &c, r), OFR_OK);
    // Not by a path that leaves no room; nor where there is no such table
    c = changes(true, 0, sizeof some, some);
    c.hops = OFR_WIDE_HOPS + 2;
    for (unsigned i = 0; i < c.hops; i++)
        c.path[i] = i % 2; // there and back
    assert_int_equal(call(b, &c, r), OFR_BAD_ARG);
    b->no_pins = true;
    c = changes(true, 0, sizeof some, some);
    assert_int_equal(call(b, &c, r), OFR_BUS_ERROR);
    fake_free(f);
}

static void bad_arguments(void **state)
{
    (void)state;
    struct fake_fabric *f = fake_new(2, 2, 1, false, seed);
    struct fake_board *b = f->board;
    static const struct {
        unsigned op, arg;
        uint32_t d2, d3;
        int status;
    } list[] = {
        {0, 0, 0, 0, OFR_BAD_OP},
        {31, 0, 0, 0, OFR_BAD_OP},
        {OFR_OP_PING, 4, 0, 0, OFR_BAD_ARG},
        {OFR_OP_READ, 0, 0x9000u << 16, 0, OFR_BAD_ARG},
        {OFR_OP_READ, 0, (OFR_SEL_NODE | OFR_NI_RX_DATA) << 16, 0, OFR_BAD_ARG},
        {OFR_OP_READ, 0, (OFR_SEL_NODE | 6) << 16, 0, OFR_BAD_ARG},
        {OFR_OP_READ, 0, 0x1000u << 16, 0, OFR_BAD_ARG},
        {OFR_OP_WRITE, 0, OFR_NI_TX_SEND << 16, 0, OFR_BAD_ARG},
        {OFR_OP_WRITE, 0, OFR_OFR_COMMIT << 16, 1, OFR_BAD_ARG},
        {OFR_OP_WRITE, 0, 0x801u << 16, 1, OFR_BAD_ARG},
        // A coordinate outside: x = 2 in a torus of 2; a z size in a build of two dimensions.
        {OFR_OP_CONFIGURE, 0, 0, 0x002011, OFR_BAD_ARG},
        {OFR_OP_CONFIGURE, 0, 0, 0x000111, OFR_BAD_ARG},
        {OFR_OP_LEASE, 5, 0, 1, OFR_BAD_ARG},
        {OFR_OP_LEASE, 21 << 3, 0, 1, OFR_BAD_ARG},
        {OFR_OP_LEASE, OFR_LEASE_RENEW, 0, 0, OFR_BAD_ARG},
        {OFR_OP_UNLOCK, 2, 0, 0, OFR_BAD_ARG},
        {OFR_OP_KEY, 2, 0, 0, OFR_BAD_ARG},
        {OFR_OP_CHANGE, 0, 0, 0, OFR_NOT_STAGED}, // none were begun
        {OFR_OP_SNAPSHOT, 0, 0, 0, OFR_BAD_ARG},
        {OFR_OP_READ4, 1, 0, 0, OFR_BAD_ARG},
        {OFR_OP_WRITE, 0, OFR_PINS_CONTROL << 16, 1, OFR_BAD_ARG},
        {OFR_OP_TABLE, OFR_BANK_IDN << 4 | 2, 28 << 16, 0, OFR_BAD_ARG}, // of 32 entries in 2D
        {OFR_OP_TABLE, OFR_BANK_DESTINATIONS << 4 | 1, 255 << 16, 0, OFR_BAD_ARG}, // of 256
        {OFR_OP_TABLE, OFR_BANK_IDN << 4, 0, 0, OFR_BAD_ARG},
        {OFR_OP_TABLE, OFR_BANK_IDN << 4 | 4, 0, 0, OFR_BAD_ARG},
        {OFR_OP_TABLE, OFR_BANK_SETTINGS << 4 | 2, 0, 0, OFR_BAD_ARG},
        {OFR_OP_TABLE, OFR_BANKS << 4 | 1, 0, 0, OFR_BAD_ARG},
        {OFR_OP_STAGE, 0, 1 << 16, 0, OFR_NOT_STAGED}, // nothing was begun
        {OFR_OP_TABLE, OFR_BANK_SETTINGS << 4 | 1, 0, 0, OFR_OK},
        {OFR_OP_STAGE, 0, 0, 0, OFR_BAD_ARG},
        {OFR_OP_STAGE, 0, 1 << 16, 12345, OFR_BAD_CRC},
        {OFR_OP_COMMIT, 0, 1u << 16, 0, OFR_NOT_STAGED},
        {OFR_OP_COMMIT, 0, 0, 0, OFR_NOT_STAGED},
        {OFR_OP_GEN, 9, 0, 0, OFR_BAD_ARG},
        {OFR_OP_GEN, 0x40, 0, 0, OFR_MIXED}, // generation 1, and none is active
        {OFR_OP_START, 2, 0, 0, OFR_BAD_ARG},
        {OFR_OP_START, 1, 0, 0, OFR_LATE},
    };
    for (unsigned i = 0; i < sizeof list / sizeof *list; i++) {
        uint32_t r[6];
        struct call c = {.op = list[i].op, .arg = list[i].arg, .session = LEASE, .seq = i + 1};
        if (!i)
            take_lease(b);
        c.d[2] = list[i].d2;
        c.d[3] = list[i].d3;
        int status = call(b, &c, r);
        if (status != list[i].status)
            print_message("# case %u: status %d, not %d\n", i, status, list[i].status);
        assert_int_equal(status, list[i].status);
    }
    // An unknown lambda (2) is refused by the hardware.
    struct call c = table_call;
    uint32_t r[6];
    c.seq = 100;
    c.d[3] = 0x42;
    assert_int_equal(call(b, &c, r), OFR_BUS_ERROR);
    fake_free(f);
}

static void paths(void **state)
{
    (void)state;
    struct fake_fabric *f = fake_new(3, 1, 1, false, seed);
    uint32_t r[6];
    unsigned seq = 1;
    // Round and round a ring of three, every length; x+ arrives at x-.
    for (unsigned hops = 0; hops <= OFR_MAX_HOPS; hops++) {
        uint32_t word[3] = {0};
        for (unsigned part = 1; part <= 3; part++) {
            struct call c = {.op = OFR_OP_PING, .arg = part, .session = 4, .seq = seq++};
            c.hops = hops;
            assert_int_equal(call(f->board, &c, r), OFR_OK);
            word[part - 1] = r[5];
            for (unsigned i = 0; i < hops; i++)
                assert_int_equal(ofr_path_get(r, i), 0);
        }
        assert_int_equal(word[0] | (uint64_t)word[1] << 32, f->board[hops % 3].serial);
        assert_int_equal(word[2] & 7, hops ? 1 : 7);
        struct call wide = {.op = OFR_OP_PING, .session = 4, .seq = seq++, .hops = hops};
        assert_int_equal(call(f->board, &wide, r), hops <= OFR_WIDE_HOPS ? OFR_OK : OFR_BAD_ARG);
    }
    struct call c = {.op = OFR_OP_PING, .session = 4, .seq = seq++, .hops = OFR_MAX_HOPS + 1};
    assert_int_equal(call(f->board, &c, r), -1);
    // A port without a cable, at once and after two hops; a port that is none.
    struct call off = {.op = OFR_OP_PING, .session = 4, .seq = seq++, .hops = 3, .path = {0, 0, 2}};
    assert_int_equal(call(f->board, &off, r), OFR_NO_LINK);
    assert_int_equal(r[1] >> 16 & 31, 0);
    off.path[0] = 7;
    off.seq = seq++;
    assert_int_equal(call(f->board, &off, r), OFR_NO_LINK);
    fake_free(f);
}

// A snapshot sent again does not latch again; while it is being made, reading says AGAIN. One that
// is not the last any more says so, and which is.
static void snapshot(void **state)
{
    (void)state;
    struct fake_fabric *f = fake_new(2, 1, 1, false, seed);
    struct fake_board *b = f->board;
    uint32_t r[6];
    struct call c = {.op = OFR_OP_SNAPSHOT, .session = 4, .seq = 1, .d = {1001}};
    assert_int_equal(call(b, &c, r), OFR_OK);
    assert_int_equal(call(b, &c, r), OFR_OK);
    assert_int_equal(b->snapshots, 1);
    struct call read = {.op = OFR_OP_COUNTERS, .arg = 7, .session = 4, .seq = 2, .d = {1001}};
    assert_int_equal(call(b, &read, r), OFR_AGAIN);
    read.seq++;
    assert_int_equal(call(b, &read, r), OFR_OK);
    assert_true(r[1] >> 16 & 0xff);
    // The same session and number of a request again, of another program: latched anew.
    c.d[0] = 1002;
    assert_int_equal(call(b, &c, r), OFR_OK);
    assert_int_equal(b->snapshots, 2);
    read.seq++;
    assert_int_equal(call(b, &read, r), OFR_STALE);
    assert_int_equal(r[5], 1002);
    struct call totals = {.op = OFR_OP_TOTALS, .session = 4, .seq = 9, .d = {1001}};
    assert_int_equal(call(b, &totals, r), OFR_STALE);
    fake_free(f);
}

// Links that come and go are reported, by the way that the last one took who asked, again and again
// until somebody asks anew; how often says the time, not the links.
static void watch(void **state)
{
    (void)state;
    struct fake_fabric *f = fake_new(4, 1, 1, true, seed);
    struct fake_board *b = f->board;
    uint32_t r[6];
    struct call c = {.op = OFR_OP_WATCH, .session = 4, .seq = 1, .hops = 1, .path = {0}};
    fake_cut(&f->board[2], 0);
    fake_settle(f);
    assert_false(take(b, r)); // nobody has asked
    assert_int_equal(call(b, &c, r), OFR_OK);
    unsigned up = r[5];
    assert_false(ofr_is_report(r));
    assert_int_equal(up & 3, 3); // of board 1
    for (unsigned i = 0; i < 50; i++)
        fake_settle(f);
    assert_false(take(b, r));
    unsigned reports = 0;
    for (unsigned i = 0, last = 0; i < 3000; i++) {
        if (i < 64)
            i & 1 ? fake_cable(&f->board[1], 0, &f->board[2], 1) : fake_cut(&f->board[1], 0);
        else
            f->board[1].timer += 1 << 16;
        for (unsigned j = 0; j < 16; j++)
            fake_settle(f);
        if (!take(b, r))
            continue;
        assert_true(ofr_is_report(r));
        assert_int_equal(r[0] >> 16, 4);
        assert_int_equal(ofr_path_get(r, 0), 0); // the host's own path
        assert_int_equal(r[5], i < 64 ? (i & 1 ? up : up & ~1u) : up);
        assert_true(!reports || i - last > 1u << (reports - 1));
        last = i;
        reports++;
    }
    print_message("# %u reports\n", reports);
    assert_in_range(reports, 8, 12);
    // Asked anew it is quiet, until the next change
    c.seq++;
    assert_int_equal(call(b, &c, r), OFR_OK);
    assert_int_equal(r[5], up);
    f->board[1].timer += 1u << 31;
    for (unsigned i = 0; i < 50; i++)
        fake_settle(f);
    assert_false(take(b, r));
    // The board itself, which the host is plugged into
    c = (struct call){.op = OFR_OP_WATCH, .session = 4, .seq = 9};
    assert_int_equal(call(b, &c, r), OFR_OK);
    fake_cut(b, 0);
    for (unsigned i = 0; i < 50; i++)
        fake_settle(f);
    assert_true(take(b, r));
    assert_true(ofr_is_report(r));
    assert_int_equal(r[5] & 1, 0);
    fake_free(f);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crc_check_value),
        cmocka_unit_test(ping),
        cmocka_unit_test(damaged_frames),
        cmocka_unit_test(truncated_frames),
        cmocka_unit_test(noise),
        cmocka_unit_test(other_version),
        cmocka_unit_test(repeated_request),
        cmocka_unit_test(repeated_far_request),
        cmocka_unit_test(move),
        cmocka_unit_test(bulk_to),
        cmocka_unit_test(bulk_from),
        cmocka_unit_test(bulk_refused),
        cmocka_unit_test(move_other),
        cmocka_unit_test(lease),
        cmocka_unit_test(key),
        cmocka_unit_test(commit),
        cmocka_unit_test(change),
        cmocka_unit_test(change_copy),
        cmocka_unit_test(bad_arguments),
        cmocka_unit_test(paths),
        cmocka_unit_test(snapshot),
        cmocka_unit_test(watch),
    };
    if (getenv("ONLY")) // for the twins
        cmocka_set_test_filter(getenv("ONLY"));
    seed = fake_seed(argc, argv);
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("firmware", tests, NULL, NULL);
}
