// SPDX-License-Identifier: Apache-2.0
// The firmware alone, frame by frame: damaged and repeated frames, sessions, lease, key, paths.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "fake.h"

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
};

// One request by path; its response in r. Returns the status, -1 for none.
static int call(struct fake_board *b, const struct call *c, uint32_t r[6])
{
    uint32_t m[6] = {c->op | c->arg << 8 | c->session << 16,
                     c->seq | c->hops << 21,
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

static const struct call table_call = {
    .op = OFR_OP_TABLE, .arg = 0 | 1 << 4, .session = 9, .seq = 1, .d = {0, 0x40414341}};

// A writing operation that comes twice acts once and is answered the same.
static void repeated_request(void **state)
{
    (void)state;
    struct fake_fabric *f = fake_new(2, 1, 1, false, seed);
    struct call c = table_call;
    uint32_t first[6], second[6];
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
    assert_int_equal(call(f->board, &c, first), OFR_OK);
    assert_int_equal(call(f->board, &c, second), OFR_OK);
    assert_memory_equal(first, second, sizeof first);
    assert_int_equal(f->board[3].table_writes, 4);
    assert_int_equal(f->board[0].table_writes, 0);
    fake_free(f);
}

static void lease(void **state)
{
    (void)state;
    struct fake_fabric *f = fake_new(2, 1, 1, false, seed);
    struct fake_board *b = f->board;
    struct call a = table_call, other = table_call;
    uint32_t r[6];
    other.session = 1234;
    assert_int_equal(call(b, &a, r), OFR_OK); // takes it
    assert_int_equal(call(b, &other, r), OFR_BUSY);
    assert_int_equal(r[5], 9); // who has it
    assert_int_equal(b->table_writes, 4);
    // The refusal has not pushed out the holder's response.
    assert_int_equal(call(b, &a, r), OFR_OK);
    assert_int_equal(b->table_writes, 4);
    // Reading goes on for everybody.
    struct call read = {.op = OFR_OP_READ, .session = 1234, .seq = 5, .d = {0, 0, 0}};
    assert_int_equal(call(b, &read, r), OFR_OK);
    // Release.
    struct call release = {.op = OFR_OP_LEASE, .arg = 1, .session = 9, .seq = 2};
    assert_int_equal(call(b, &release, r), OFR_OK);
    other.seq++;
    assert_int_equal(call(b, &other, r), OFR_OK);
    // It runs out by itself, but not before its time.
    b->timer += (1u << OFR_LEASE_DEFAULT) - 10000;
    a.seq = 3;
    assert_int_equal(call(b, &a, r), OFR_BUSY);
    b->timer += 10000;
    assert_int_equal(call(b, &a, r), OFR_OK);
    // Taking over needs the name of the dead session.
    struct call take_over = {.op = OFR_OP_LEASE, .arg = 2, .session = 77, .seq = 1};
    take_over.d[2] = 8u << 16;
    assert_int_equal(call(b, &take_over, r), OFR_BUSY);
    take_over.d[2] = 9u << 16;
    take_over.seq++;
    assert_int_equal(call(b, &take_over, r), OFR_OK);
    a.seq++;
    assert_int_equal(call(b, &a, r), OFR_BUSY);
    assert_int_equal(r[5], 77);
    // Broken twin: a lease that is forgotten lets the other session write.
    b->fw.lease = 0;
    assert_int_equal(call(b, &a, r), OFR_OK);
    fake_free(f);
}

static void key(void **state)
{
    (void)state;
    struct fake_fabric *f = fake_new(2, 1, 1, false, seed);
    struct fake_board *b = f->board;
    uint32_t r[6];
    struct call set = {.op = OFR_OP_KEY, .session = 9, .seq = 1, .d = {0, 0, 0x11223344, 0x5566}};
    assert_int_equal(call(b, &set, r), OFR_OK);
    struct call release = {.op = OFR_OP_LEASE, .arg = 1, .session = 9, .seq = 2};
    assert_int_equal(call(b, &release, r), OFR_OK);
    struct call write = table_call;
    write.session = 10;
    assert_int_equal(call(b, &write, r), OFR_LOCKED);
    assert_int_equal(b->table_writes, 0);
    struct call unlock = {.op = OFR_OP_UNLOCK, .session = 10, .seq = 2};
    unlock.d[2] = 0x11223344;
    unlock.d[3] = 0x5567;
    assert_int_equal(call(b, &unlock, r), OFR_LOCKED); // one bit wrong
    write.seq = 3;
    assert_int_equal(call(b, &write, r), OFR_LOCKED);
    unlock.seq = 4;
    unlock.d[3] = 0x5566;
    assert_int_equal(call(b, &unlock, r), OFR_OK);
    write.seq = 5;
    assert_int_equal(call(b, &write, r), OFR_OK);
    // The key cannot be taken off, or the lease taken over, without it.
    struct call clear = {.op = OFR_OP_KEY, .session = 66, .seq = 1};
    assert_int_equal(call(b, &clear, r), OFR_BUSY);
    struct call take_over = {.op = OFR_OP_LEASE, .arg = 2, .session = 66, .seq = 2};
    take_over.d[2] = 10u << 16;
    assert_int_equal(call(b, &take_over, r), OFR_BUSY);
    release.session = 10;
    release.seq = 6;
    assert_int_equal(call(b, &release, r), OFR_OK);
    clear.seq = 3;
    assert_int_equal(call(b, &clear, r), OFR_LOCKED);
    // In halves, for long paths; the high half of another session does not join.
    struct call half = {.op = OFR_OP_UNLOCK, .arg = 1, .session = 12, .seq = 1};
    half.d[3] = 0x11223344;
    assert_int_equal(call(b, &half, r), OFR_OK);
    struct call stranger = {.op = OFR_OP_UNLOCK, .arg = 2, .session = 13, .seq = 1};
    stranger.d[3] = 0x5566;
    assert_int_equal(call(b, &stranger, r), OFR_BAD_ARG);
    half.arg = 2;
    half.seq = 2;
    half.d[3] = 0x5566;
    assert_int_equal(call(b, &half, r), OFR_OK);
    write.session = 12;
    write.seq = 3;
    assert_int_equal(call(b, &write, r), OFR_OK);
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
        {OFR_OP_READ, 0, (OFR_SEL_LOW | FAKE_COUNTERS) << 16, 0, OFR_BAD_ARG},
        {OFR_OP_WRITE, 0, OFR_NI_TX_SEND << 16, 0, OFR_BAD_ARG},
        {OFR_OP_WRITE, 0, OFR_OFR_COMMIT << 16, 1, OFR_BAD_ARG},
        {OFR_OP_WRITE, 0, 0x801u << 16, 1, OFR_BAD_ARG},
        // A coordinate outside: x = 2 in a torus of 2; a z size in a build of two dimensions.
        {OFR_OP_CONFIGURE, 0, 0, 0x002011, OFR_BAD_ARG},
        {OFR_OP_CONFIGURE, 0, 0, 0x000111, OFR_BAD_ARG},
        {OFR_OP_LEASE, 0, 0, 31, OFR_BAD_ARG},
        {OFR_OP_LEASE, 3, 0, 0, OFR_BAD_ARG},
        {OFR_OP_TABLE, 7 | 2 << 4, 0, 0, OFR_BAD_ARG}, // beyond the 32 entries of 2D
        {OFR_OP_TABLE, 0, 0, 0, OFR_BAD_ARG},
        {OFR_OP_STAGE, 0, 0, 0, OFR_BAD_ARG},
        {OFR_OP_STAGE, 0, 12345, 1, OFR_BAD_CRC},
        {OFR_OP_COMMIT, 0, 0, 1, OFR_NOT_STAGED},
        {OFR_OP_COMMIT, 0, 0, 0, OFR_NOT_STAGED},
        {OFR_OP_GEN, 9, 0, 0, OFR_BAD_ARG},
        {OFR_OP_GEN, 0x40, 0, 0, OFR_MIXED}, // generation 1, and none is active
        {OFR_OP_START, 2, 0, 0, OFR_BAD_ARG},
        {OFR_OP_START, 1, 0, 0, OFR_LATE},
    };
    for (unsigned i = 0; i < sizeof list / sizeof *list; i++) {
        uint32_t r[6];
        struct call c = {.op = list[i].op, .arg = list[i].arg, .session = 3, .seq = i + 1};
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
    c.session = 3;
    c.seq = 100;
    c.d[1] = 0x42;
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

// A snapshot sent again does not latch again; while it is being made, reading says AGAIN.
static void snapshot(void **state)
{
    (void)state;
    struct fake_fabric *f = fake_new(2, 1, 1, false, seed);
    struct fake_board *b = f->board;
    uint32_t r[6];
    struct call c = {.op = OFR_OP_SNAPSHOT, .session = 4, .seq = 1};
    assert_int_equal(call(b, &c, r), OFR_OK);
    assert_int_equal(call(b, &c, r), OFR_OK);
    assert_int_equal(b->snapshots, 1);
    struct call read = {.op = OFR_OP_READ, .session = 4, .seq = 2};
    read.d[2] = (OFR_SEL_LOW | 7) << 16;
    assert_int_equal(call(b, &read, r), OFR_AGAIN);
    read.seq++;
    assert_int_equal(call(b, &read, r), OFR_OK);
    assert_int_equal(r[5], (uint32_t)b->counter[7]);
    c.seq = 9;
    assert_int_equal(call(b, &c, r), OFR_OK);
    assert_int_equal(b->snapshots, 2);
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
        cmocka_unit_test(lease),
        cmocka_unit_test(key),
        cmocka_unit_test(bad_arguments),
        cmocka_unit_test(paths),
        cmocka_unit_test(snapshot),
    };
    seed = fake_seed(argc, argv);
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("firmware", tests, NULL, NULL);
}
