// SPDX-License-Identifier: Apache-2.0
// What the link's frames promise, computed: distances of half-words, what the CRC detects at every
// frame length, and how often it fails, held against a receiver whose CRC is cut to 8 bits.
#include "link.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
// after the C headers it needs
#include <cmocka.h>

enum { MOST_BITS = 17 * 64 + 16, CUT = 8, TRIALS = 150000 };

static unsigned ones(unsigned word)
{
    return (unsigned)__builtin_popcount(word);
}

static void test_half_words(void **state)
{
    (void)state;
    unsigned legal[2048], count = 0, least = 16, to_sync = 16;
    for (unsigned word = 0; word < 65536; word++)
        if (ofr_link_legal((uint16_t)word))
            legal[count++] = word;
    assert_int_equal(count, 256 + 64);
    for (unsigned i = 0; i < count; i++) {
        for (unsigned j = 0; j < i; j++)
            if (ones(legal[i] ^ legal[j]) < least)
                least = ones(legal[i] ^ legal[j]);
        if (ones(legal[i] ^ OFR_LINK_SYNC) < to_sync)
            to_sync = ones(legal[i] ^ OFR_LINK_SYNC);
    }
    assert_int_equal(least, 4);
    assert_true(to_sync >= 6);
}

// What a wrong bit does to the CRC, for each bit of a frame's words and its CRC; returns how many.
// flits 0: a frame without flits. The half-word has its own code, but is under the CRC too.
static unsigned syndromes(unsigned bits, unsigned flits, uint16_t s[MOST_BITS])
{
    unsigned words = flits + (bits == 16 ? 2 : 1), count = 16;
    for (unsigned i = 0; i < 16; i++)
        s[i] = (uint16_t)(1U << i);
    s[count++] = ofr_link_crc(0, 1, 1);
    while (count < 16 + words * bits) {
        s[count] = ofr_link_crc(s[count - 1], 0, 1);
        count++;
    }
    return count;
}

// Fewest wrong bits that can go unseen, up to 4; *fours: how many sets of 4 bits do.
static unsigned distance(const uint16_t *s, unsigned n, uint64_t *fours)
{
    static uint32_t pairs[65536];
    static bool single[65536];
    memset(pairs, 0, sizeof pairs);
    memset(single, 0, sizeof single);
    unsigned least = 4;
    *fours = 0;
    for (unsigned i = 0; i < n; i++) {
        if (s[i] == 0)
            return 1;
        if (single[s[i]])
            least = 2;
        single[s[i]] = true;
        for (unsigned j = 0; j < i; j++)
            pairs[s[i] ^ s[j]]++;
    }
    for (unsigned i = 0; i < n && least > 2; i++)
        if (pairs[s[i]])
            least = 3;
    for (unsigned x = 1; x < 65536; x++)
        *fours += (uint64_t)pairs[x] * (pairs[x] - 1) / 2;
    *fours /= 3; // each set of four is three pairs of pairs
    return least;
}

static void test_crc(void **state)
{
    (void)state;
    static uint16_t s[MOST_BITS];
    uint64_t fours = 0;
    for (unsigned bits = 16; bits <= 64; bits *= 2) {
        for (unsigned flits = 0; flits <= OFR_LINK_FRAME_FLITS; flits++) {
            unsigned n = syndromes(bits, flits, s);
            assert_int_equal(distance(s, n, &fours), 4);
        }
        double a_year = (double)fours * 1e-24 * 1e8 / 18 * 365.25 * 86400;
        printf("# W %u, 16 flits: %llu of the sets of 4 bits go unseen; at 1e-6, a word a cycle at "
               "100 MHz: %.1e frames a year\n",
               bits, (unsigned long long)fours, a_year);
    }
    // A broken twin: a bit of the polynomial gone, and two wrong bits can go unseen
    unsigned n = syndromes(16, 16, s);
    for (unsigned i = 17; i < n; i++)
        s[i] = (uint16_t)(s[i - 1] << 1 ^ (s[i - 1] & 0x8000 ? 0x1001 : 0));
    assert_true(distance(s, n, &fours) < 4);
}

static uint64_t rng(uint64_t *x)
{
    uint64_t z = *x += 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
}

static void give(struct ofr_link *l, uint64_t word, bool *good)
{
    struct ofr_link_in in = {.enable = true, .phy_up = true, .phy_rx_valid = true};
    in.phy_rx_word = word;
    ofr_link_step(l, &in);
    *good = *good || l->rx.good;
}

// A receiver that looks at 8 bits of the CRC gets frames in which each bit behind the half-word is
// wrong with probability p. Unseen ones are computed: N_w(x), the sets of w bits with syndrome x,
// by adding one bit after the other; the sum over w of N_w(0) p^w (1 - p)^(n - w).
static void test_cut_crc(void **state)
{
    (void)state;
    enum { BITS = 16, FLITS = 16, N = (FLITS + 1) * BITS + 16, WEIGHTS = 16 };
    static double sets[WEIGHTS + 1][1 << CUT];
    static uint16_t s[MOST_BITS];
    const double p = 0.01;
    double expected = 0;
    memset(sets, 0, sizeof sets);
    syndromes(BITS, FLITS, s);
    sets[0][0] = 1;
    for (unsigned i = 0; i < N; i++)
        for (unsigned w = WEIGHTS; w > 0; w--)
            for (unsigned x = 0; x < 1 << CUT; x++)
                sets[w][x] += sets[w - 1][x ^ (s[i] & ((1 << CUT) - 1))];
    for (unsigned w = 1; w <= WEIGHTS; w++)
        expected += sets[w][0] * pow(p, w) * pow(1 - p, N - (int)w);

    struct ofr_link_shape shape = {
        .n = 2, .flit_bits = BITS, .slots = 4, .slot_flits = 32, .tick = 20, .crc_check = CUT};
    const char *given = getenv("SEED");
    uint64_t seed = given ? strtoull(given, NULL, 10) : 1, x = seed;
    unsigned unseen = 0, seen = 0;
    static struct ofr_link link;
    ofr_link_init(&link, &shape);
    for (unsigned trial = 0; trial < TRIALS; trial++) {
        uint64_t word[FLITS + 3];
        uint16_t crc = OFR_LINK_CRC_INIT;
        bool good = false, wrong = false;
        for (unsigned i = 0; i < OFR_LINK_RUN; i++)
            give(&link, OFR_LINK_SYNC, &good);
        good = false;
        word[0] = ofr_link_half_word(1 << 10 | (FLITS - 1));
        for (unsigned i = 1; i < FLITS + 2; i++)
            word[i] = rng(&x) & 0xffff;
        for (unsigned i = 0; i < FLITS + 2; i++)
            crc = ofr_link_crc(crc, word[i], BITS);
        word[FLITS + 2] = crc;
        for (unsigned i = 0; i < FLITS + 3; i++) {
            for (unsigned b = 0; b < BITS && i > 0; b++)
                if ((double)(rng(&x) >> 11) / 9007199254740992.0 < p) {
                    word[i] ^= UINT64_C(1) << b;
                    wrong = true;
                }
            give(&link, word[i], &good);
        }
        give(&link, OFR_LINK_SYNC, &good);
        give(&link, OFR_LINK_SYNC, &good);
        assert_true(wrong || good);
        unseen += wrong && good;
        seen += wrong && !good;
    }
    double mean = expected * TRIALS, sigma = sqrt(mean);
    printf("# seed %llu, CRC cut to %d bits: %u damaged frames, %u unseen, computed %.1f\n",
           (unsigned long long)seed, CUT, seen + unseen, unseen, mean);
    assert_true(mean > 400);
    assert_true(fabs(unseen - mean) < 5 * sigma);
}

// --- Two ends on a good cable --------------------------------------------------------------------

struct pair {
    struct ofr_link end[2];
    struct ofr_link_in in[2];
};

static void join(struct pair *p, const struct ofr_link_shape *a, const struct ofr_link_shape *b)
{
    memset(p, 0, sizeof *p);
    ofr_link_init(&p->end[0], a);
    ofr_link_init(&p->end[1], b);
    for (unsigned e = 0; e < 2; e++) {
        p->in[e].enable = p->in[e].phy_up = p->in[e].phy_tx_ready = true;
        p->in[e].serial = 0xfedcba9876543210U + e;
    }
}

static void go(struct pair *p, unsigned cycles)
{
    while (cycles--) {
        for (unsigned e = 0; e < 2; e++) {
            p->in[e].phy_rx_valid = true;
            p->in[e].phy_rx_word = p->end[1 - e].out.phy_tx_word;
        }
        for (unsigned e = 0; e < 2; e++)
            ofr_link_step(&p->end[e], &p->in[e]);
    }
}

static const struct ofr_link_shape usual = {.n = 3,
                                            .flit_bits = 32,
                                            .slots = 8,
                                            .slot_flits = 128,
                                            .serial = true,
                                            .tick = 8,
                                            .crc_check = 16};

static void test_identities(void **state)
{
    (void)state;
    static struct pair p;
    join(&p, &usual, &usual);
    go(&p, 6000);
    for (unsigned e = 0; e < 2; e++) {
        assert_int_equal(p.end[e].out.state, OFR_LINK_UP);
        assert_true(p.end[e].out.link_up);
        assert_true(p.end[e].out.peer == p.in[1 - e].serial);
    }
    // One end is taken down, and put up again
    p.in[0].enable = false;
    go(&p, 200);
    assert_int_equal(p.end[0].out.why, OFR_LINK_WHY_DISABLED);
    assert_int_equal(p.end[1].out.state, OFR_LINK_DOWN);
    assert_int_equal(p.end[1].out.why, OFR_LINK_WHY_PEER);
    p.in[0].enable = true;
    go(&p, 8000);
    assert_true(p.end[0].out.link_up && p.end[1].out.link_up);
}

static void refuse(const struct ofr_link_shape *other, enum ofr_link_why why)
{
    static struct pair p;
    join(&p, &usual, other);
    go(&p, 20000);
    bool why_said = false;
    for (unsigned e = 0; e < 2; e++) {
        assert_int_equal(p.end[e].out.state, OFR_LINK_FAILED);
        assert_true(p.end[e].out.why == why || p.end[e].out.why == OFR_LINK_WHY_REFUSED);
        assert_int_equal(p.end[e].counts.ups, 0);
        why_said = why_said || p.end[e].out.why == why;
    }
    assert_true(why_said);
    ofr_link_init(&p.end[1], &usual); // another board on the same cable
    go(&p, 20000);
    assert_true(p.end[0].out.link_up && p.end[1].out.link_up);
}

static void test_refusals(void **state)
{
    (void)state;
    struct ofr_link_shape other = usual;
    other.slot_flits = 64;
    refuse(&other, OFR_LINK_WHY_L);
    other = usual;
    other.slots = 4;
    refuse(&other, OFR_LINK_WHY_C);
    other = usual;
    other.n = 2;
    refuse(&other, OFR_LINK_WHY_N);
}

// One direction is dead: neither end may come up, and neither may stay up.
static void test_no_one_way_link(void **state)
{
    (void)state;
    static struct pair p;
    for (unsigned dead_first = 0; dead_first < 2; dead_first++) {
        join(&p, &usual, &usual);
        if (!dead_first)
            go(&p, 6000);
        for (unsigned i = 0; i < 20 * 256; i++) {
            p.in[0].phy_rx_valid = true;
            p.in[0].phy_rx_word = p.end[1].out.phy_tx_word;
            p.in[1].phy_rx_valid = false;
            for (unsigned e = 0; e < 2; e++)
                ofr_link_step(&p.end[e], &p.in[e]);
            if (dead_first)
                assert_false(p.end[0].out.link_up || p.end[1].out.link_up);
        }
        assert_false(p.end[0].out.link_up || p.end[1].out.link_up);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_half_words), cmocka_unit_test(test_crc),
        cmocka_unit_test(test_cut_crc),    cmocka_unit_test(test_identities),
        cmocka_unit_test(test_refusals),   cmocka_unit_test(test_no_one_way_link),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
