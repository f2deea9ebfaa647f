// SPDX-License-Identifier: Apache-2.0
// decide.c against exact rationals on every (s, t), and the paper's examples by hand.
// test_decide [seed [occupancies per pair]]
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

#include "exact.h"

static uint64_t seed;
static unsigned rounds = 100;

static const uint8_t issue_sizes[][3] = {{4, 4, 0}, {8, 8, 0}, {5, 7, 0}, {4, 4, 4}, {3, 4, 5}};

static struct ofr_torus make_torus(const uint8_t *k)
{
    return (struct ofr_torus){.n = k[2] ? 3 : 2, .k = {k[0], k[1], k[2]}};
}

static void show(const struct ofr_sample *x, struct ofr_decision a, struct ofr_decision b)
{
    fprintf(stderr, "# k %u %u %u tie %u s %u %u %u t %u %u %u used", x->torus.k[0], x->torus.k[1],
            x->torus.k[2], x->tie, x->s.c[0], x->s.c[1], x->s.c[2], x->t.c[0], x->t.c[1],
            x->t.c[2]);
    for (unsigned p = 0; p < 2u * x->torus.n; p++)
        fprintf(stderr, " %u", x->used[p]);
    fprintf(stderr, ": model %u (%u %u %u), exact %u (%u %u %u)\n", a.kind, a.q.c[0], a.q.c[1],
            a.q.c[2], b.kind, b.q.c[0], b.q.c[1], b.q.c[2]);
}

static bool same(struct ofr_decision a, struct ofr_decision b, unsigned n)
{
    bool equal = a.kind == b.kind;
    for (unsigned i = 0; i < n; i++)
        equal = equal && a.q.c[i] == b.q.c[i];
    return equal;
}

// Differences between ofr_decide and the exact evaluation for one torus and table on every (s, t).
static unsigned compare_all(struct ofr_torus torus, const struct ofr_table *ours,
                            const struct ofr_table *theirs, unsigned per_pair, uint64_t *state,
                            unsigned kinds[3])
{
    unsigned differences = 0;
    uint32_t nodes = ofr_nodes(&torus);
    for (uint32_t s = 0; s < nodes; s++) {
        for (uint32_t t = 0; t < nodes; t++) {
            struct ofr_sample x = {
                .torus = torus, .s = ofr_node_coord(&torus, s), .t = ofr_node_coord(&torus, t)};
            for (unsigned r = 0; r < per_pair; r++) {
                x.tie = r & 1 ? OFR_TIE_BOTH : OFR_TIE_PLUS;
                x.slots = r % 5 ? 8 : (uint8_t)(1 + exact_random(state) % 24);
                exact_random_used(&x, state);
                struct ofr_decision a = ofr_decide(&x, ours), b = exact_decide(&x, theirs);
                kinds[a.kind]++;
                if (!same(a, b, torus.n) && differences++ == 0 && ours == theirs)
                    show(&x, a, b);
            }
        }
    }
    return differences;
}

static void reset_tables_agree_with_exact_rationals(void **unused)
{
    (void)unused;
    for (unsigned i = 0; i < 5; i++) {
        uint64_t state = seed + i;
        unsigned kinds[3] = {0};
        struct ofr_torus torus = make_torus(issue_sizes[i]);
        struct ofr_table table;
        ofr_table_reset(&table, torus.n);
        assert_int_equal(compare_all(torus, &table, &table, rounds, &state, kinds), 0);
        for (unsigned kind = 0; kind < 3; kind++) // or the test would not have tested much
            assert_in_range(kinds[kind], rounds, UINT32_MAX);
    }
}

static void random_tables_and_sizes_agree(void **unused)
{
    (void)unused;
    uint64_t state = seed + 100;
    unsigned kinds[3] = {0};
    for (unsigned round = 0; round < 3000; round++) {
        uint8_t k[3];
        for (unsigned i = 0; i < 3; i++)
            k[i] = 1 + (uint8_t)(exact_random(&state) % (round % 4 ? 5 : 16));
        if (round % 3 == 0)
            k[2] = 0;
        struct ofr_torus torus = make_torus(k);
        struct ofr_table table;
        exact_random_table(&table, torus.n, &state);
        if (ofr_nodes(&torus) <= 12) {
            assert_int_equal(compare_all(torus, &table, &table, 4, &state, kinds), 0);
            continue;
        }
        for (unsigned r = 0; r < 60; r++) {
            uint32_t nodes = ofr_nodes(&torus);
            struct ofr_sample x = {
                .torus = torus,
                .tie = exact_random(&state) & 1 ? OFR_TIE_BOTH : OFR_TIE_PLUS,
                .slots = 1 + (uint8_t)(exact_random(&state) % 24),
                .s = ofr_node_coord(&torus, (uint32_t)(exact_random(&state) % nodes)),
                .t = ofr_node_coord(&torus, (uint32_t)(exact_random(&state) % nodes))};
            exact_random_used(&x, &state);
            struct ofr_decision a = ofr_decide(&x, &table), b = exact_decide(&x, &table);
            kinds[a.kind]++;
            if (!same(a, b, torus.n))
                show(&x, a, b);
            assert_true(same(a, b, torus.n));
        }
    }
    for (unsigned kind = 0; kind < 3; kind++)
        assert_in_range(kinds[kind], 1000, UINT32_MAX);
}

// Six dimensions (torussim): sets and betas up to 63.
static void six_dimensions_agree(void **unused)
{
    (void)unused;
    uint64_t state = seed + 200;
    struct ofr_torus torus = {.n = 6, .k = {4, 3, 2, 5, 1, 4}};
    struct ofr_table table;
    unsigned kinds[3] = {0};
    for (unsigned r = 0; r < 2000; r++) {
        if (r % 50 == 0)
            exact_random_table(&table, 6, &state);
        struct ofr_sample x = {.torus = torus, .tie = r & 1, .slots = 8};
        x.s = ofr_node_coord(&torus, (uint32_t)(exact_random(&state) % ofr_nodes(&torus)));
        x.t = ofr_node_coord(&torus, (uint32_t)(exact_random(&state) % ofr_nodes(&torus)));
        exact_random_used(&x, &state);
        struct ofr_decision a = ofr_decide(&x, &table), b = exact_decide(&x, &table);
        kinds[a.kind]++;
        assert_true(same(a, b, 6));
    }
    assert_in_range(kinds[OFR_WIDN], 100, 2000);
}

// A wrong vector, parameter or rule on one side must show.
static void a_broken_table_is_caught(void **unused)
{
    (void)unused;
    struct ofr_torus torus = make_torus(issue_sizes[1]);
    struct ofr_table good, bad;
    ofr_table_reset(&good, 2);
    for (unsigned twin = 0; twin < 8; twin++) {
        uint64_t state = seed + 300;
        unsigned kinds[3] = {0};
        bad = good;
        switch (twin) {
        case 0:
            bad.lambda[0][1][0] = 1;
            break;
        case 1: // swapped candidates: only ties can tell
            for (unsigned i = 0; i < 2; i++) {
                bad.lambda[0][0][i] = good.lambda[0][1][i];
                bad.lambda[0][1][i] = good.lambda[0][0][i];
            }
            break;
        case 2:
            bad.rule_a = false;
            break;
        case 3:
            bad.rule_b = false;
            break;
        case 4:
            bad.eta = 40;
            break;
        case 5:
            bad.delta = 3;
            break;
        case 6:
            bad.widn = 0x6;
            break;
        default:
            bad.oidn = false;
            break;
        }
        assert_int_not_equal(compare_all(torus, &good, &bad, 25, &state, kinds), 0);
    }
}

// Candidates of s = (8, 8[, 8]), t = s + to, on a torus of 16 in every dimension, reset table.
static unsigned list(unsigned n, const int *to, struct ofr_candidate *out, struct ofr_sample *x)
{
    struct ofr_table table;
    struct ofr_profit minimal;
    ofr_table_reset(&table, n);
    *x = (struct ofr_sample){.torus = {.n = (uint8_t)n, .k = {16, 16, 16}}, .slots = 8};
    for (unsigned i = 0; i < n; i++) {
        x->s.c[i] = 8;
        x->t.c[i] = (uint8_t)(8 + to[i]);
    }
    for (unsigned i = n; i < 3; i++)
        x->torus.k[i] = 0;
    return ofr_candidates(x, &table, out, &minimal);
}

static void expect(const struct ofr_candidate *c, unsigned n, const int *q, unsigned dilation,
                   const struct ofr_sample *x)
{
    assert_true(c->admissible);
    for (unsigned i = 0; i < n; i++)
        assert_int_equal(c->q.c[i], q[i]);
    assert_int_equal(c->distance, ofr_distance(&x->torus, &x->s, &x->t) + dilation);
}

static void example_1_general_position(void **unused)
{
    (void)unused;
    struct ofr_candidate c[OFR_MAX_CANDIDATES];
    struct ofr_sample x;
    // t = (12, 11): mu-links x+ y+; q0 = (t1 + 2, s2 - 2), q1 = (s1 - 2, t2 + 2)
    assert_int_equal(list(2, (int[]){4, 3}, c, &x), 5);
    expect(&c[0], 2, (int[]){14, 6}, 8, &x);
    expect(&c[1], 2, (int[]){6, 13}, 8, &x);
    assert_int_equal(c[2].kind, OFR_WIDN);
    // beta = 1 (x wraps): floor((8 + 12 + 16)/2) = 18 mod 16 = 2, y floor(19/2) = 9
    assert_int_equal(c[2].q.c[0], 2);
    assert_int_equal(c[2].q.c[1], 9);
    // mirrored, t = (4, 5): mu-links x- y-
    list(2, (int[]){-4, -3}, c, &x);
    expect(&c[0], 2, (int[]){2, 10}, 8, &x);
    expect(&c[1], 2, (int[]){10, 3}, 8, &x);
    // one of each: t = (12, 5): x+ y-
    list(2, (int[]){4, -3}, c, &x);
    expect(&c[0], 2, (int[]){14, 10}, 8, &x);
    expect(&c[1], 2, (int[]){6, 3}, 8, &x);
}

// Figure 2 and equations 4, 5, 7, 8, with Delta = 2.
static void example_1_collinear_and_its_dilations(void **unused)
{
    (void)unused;
    static const unsigned dilation[6] = {8, 4, 8, 8, 4, 8};
    static const int along[6] = {6, 10, 14, 6, 10, 14}, across[6] = {10, 10, 10, 6, 6, 6};
    struct ofr_candidate c[OFR_MAX_CANDIDATES];
    struct ofr_sample x;
    list(2, (int[]){4, 0}, c, &x);
    for (unsigned j = 0; j < 6; j++)
        expect(&c[j], 2, (int[]){along[j], across[j]}, dilation[j], &x);
    list(2, (int[]){0, 4}, c, &x);
    for (unsigned j = 0; j < 6; j++)
        expect(&c[j], 2, (int[]){across[j], along[j]}, dilation[j], &x);
}

static void example_2(void **unused)
{
    (void)unused;
    struct ofr_candidate c[OFR_MAX_CANDIDATES];
    struct ofr_sample x;
    // t = (10, 12, 14): eq. 9, 10
    assert_int_equal(list(3, (int[]){2, 4, 6}, c, &x), 13);
    expect(&c[0], 3, (int[]){9, 6, 0}, 8, &x);
    expect(&c[1], 3, (int[]){9, 14, 6}, 8, &x);
    expect(&c[2], 3, (int[]){6, 10, 0}, 8, &x);
    expect(&c[3], 3, (int[]){12, 10, 6}, 8, &x);
    expect(&c[4], 3, (int[]){6, 14, 11}, 8, &x);
    expect(&c[5], 3, (int[]){12, 6, 11}, 8, &x);
    // s1 = t1: eq. 11, 12
    assert_int_equal(list(3, (int[]){0, 4, 5}, c, &x), 11);
    expect(&c[0], 3, (int[]){8, 6, 15}, 8, &x);
    expect(&c[1], 3, (int[]){8, 14, 6}, 8, &x);
    expect(&c[2], 3, (int[]){10, 10, 10}, 4, &x);
    expect(&c[3], 3, (int[]){6, 10, 10}, 4, &x);
    // s1 = t1, s2 = t2: eq. 13, 14
    list(3, (int[]){0, 0, 4}, c, &x);
    expect(&c[0], 3, (int[]){10, 8, 14}, 8, &x);
    expect(&c[1], 3, (int[]){6, 8, 10}, 4, &x);
    expect(&c[2], 3, (int[]){8, 10, 6}, 8, &x);
    expect(&c[3], 3, (int[]){8, 6, 10}, 4, &x);
}

// Eq. 15, 16 by hand: 8x8, collinear over 3 hops, used x+ 6, x- 3, y+ 2, y- 4.
static void profit_by_hand(void **unused)
{
    (void)unused;
    struct ofr_sample x = {.torus = {.n = 2, .k = {8, 8}}, .slots = 8, .used = {6, 3, 2, 4}};
    struct ofr_candidate c[OFR_MAX_CANDIDATES];
    struct ofr_table table;
    struct ofr_profit minimal;
    x.t.c[0] = 3;
    ofr_table_reset(&table, 2);
    ofr_candidates(&x, &table, c, &minimal);
    // minimal: 2/6 + 2 = 7/3; lambda (0, 1): u_q = (6 + 2)/2 = 4, 2/4 + 2 * 3/7 = 19/14
    assert_int_equal(minimal.num * 3, minimal.den * 7);
    assert_int_equal(c[1].distance, 7);
    assert_int_equal(c[1].profit.num * 14, c[1].profit.den * 19);
    assert_int_equal(ofr_decide(&x, &table).kind, OFR_MINIMAL);
    // all of x+ full: rule a. lambda (-1, 1): q = (6, 2), D = 4 + (3 + 2), u_q = 5/2:
    // 4/5 + 6/9 = 22/15. WIDN beta = (1, 0): q = (5, 0), D = 3 + 2, u_q = 3: 2/3 + 6/5 = 28/15.
    x.used[0] = 8;
    ofr_candidates(&x, &table, c, &minimal);
    assert_int_equal(minimal.num, 0);
    assert_int_equal(c[0].profit.num * 15, c[0].profit.den * 22);
    assert_int_equal(c[6].profit.num * 15, c[6].profit.den * 28);
    struct ofr_decision best = ofr_decide(&x, &table);
    assert_int_equal(best.kind, OFR_WIDN);
    assert_int_equal(best.q.c[0], 5);
    assert_int_equal(best.q.c[1], 0);
    table.widn = 0;
    best = ofr_decide(&x, &table);
    assert_int_equal(best.kind, OFR_OIDN);
    assert_int_equal(best.q.c[0], 6);
    assert_int_equal(best.q.c[1], 2);
}

static void neighbours_and_self_are_never_derouted(void **unused)
{
    (void)unused;
    struct ofr_table table;
    ofr_table_reset(&table, 2);
    struct ofr_sample x = {.torus = {.n = 2, .k = {8, 8}}, .slots = 8, .used = {8, 0, 0, 0}};
    assert_int_equal(ofr_decide(&x, &table).kind, OFR_MINIMAL);
    x.t.c[0] = 1;
    assert_int_equal(ofr_decide(&x, &table).kind, OFR_MINIMAL);
    x.t.c[0] = 2;
    assert_int_not_equal(ofr_decide(&x, &table).kind, OFR_MINIMAL);
}

// Torus geometry against stepping, every pair of coordinates, k = 1 to 16.
static void geometry(void **unused)
{
    (void)unused;
    for (unsigned k = 1; k <= 16; k++) {
        struct ofr_torus torus = {.n = 2, .k = {(uint8_t)k, 3}};
        for (uint32_t a = 0; a < ofr_nodes(&torus); a++) {
            struct ofr_coord s = ofr_node_coord(&torus, a);
            assert_int_equal(ofr_node_id(&torus, &s), a);
            assert_true(ofr_inside(&torus, &s));
            for (uint32_t b = 0; b < ofr_nodes(&torus); b++) {
                struct ofr_coord t = ofr_node_coord(&torus, b), at = s;
                unsigned steps = 0;
                for (int port; (port = ofr_escape_port(&torus, &at, &t)) >= 0; steps++) {
                    uint32_t both = ofr_minimal_ports(&torus, &at, &t, OFR_TIE_BOTH);
                    assert_true(both >> port & 1);
                    assert_int_equal(both & ~ofr_existing_ports(&torus, &at), 0);
                    for (unsigned p = 0; p < 4; p++) {
                        struct ofr_coord next = ofr_neighbour(&torus, at, p);
                        bool nearer =
                            ofr_distance(&torus, &next, &t) + 1 == ofr_distance(&torus, &at, &t);
                        bool there = ofr_existing_ports(&torus, &at) >> p & 1;
                        assert_int_equal(there && nearer, both >> p & 1);
                    }
                    at = ofr_neighbour(&torus, at, (unsigned)port);
                    assert_in_range(steps, 0, 32);
                }
                assert_int_equal(steps, ofr_distance(&torus, &s, &t));
            }
        }
    }
}

// n = 4 to 6: the reset table's OIDNs leave over every nu-link of s and arrive over every one of t.
// (Coordinates far from each other and from half the size: no q is beyond the other end.)
static void nu_links_are_covered(void **state)
{
    (void)state;
    for (unsigned n = 4; n <= 6; n++) {
        struct ofr_torus torus = {.n = (uint8_t)n};
        struct ofr_table table;
        ofr_table_reset(&table, n);
        for (unsigned i = 0; i < n; i++)
            torus.k[i] = 20;
        for (unsigned set = 0; set + 1 < 1u << n; set++) {
            struct ofr_coord s = {{0}}, t = {{0}};
            struct ofr_way ways[OFR_MAX_WAYS];
            uint32_t leave = 0, arrive = 0;
            for (unsigned i = 0; i < n; i++)
                t.c[i] = set >> i & 1 ? 0 : i & 1 ? 4 : 16;
            unsigned count = ofr_ways(&torus, OFR_TIE_PLUS, &s, &t, &table, ways);
            for (unsigned w = 1; w < count && ways[w].kind == OFR_OIDN; w++) {
                assert_true(ways[w].admissible);
                leave |= ways[w].leave;
                arrive |= ofr_minimal_ports(&torus, &ways[w].q, &t, OFR_TIE_PLUS);
            }
            uint32_t nu = ((1u << 2 * n) - 1) & ~(uint32_t)ways[0].leave;
            assert_int_equal(leave & nu, nu);
            assert_int_equal(arrive & nu, nu);
        }
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(geometry),
        cmocka_unit_test(example_1_general_position),
        cmocka_unit_test(example_1_collinear_and_its_dilations),
        cmocka_unit_test(example_2),
        cmocka_unit_test(profit_by_hand),
        cmocka_unit_test(neighbours_and_self_are_never_derouted),
        cmocka_unit_test(a_broken_table_is_caught),
        cmocka_unit_test(random_tables_and_sizes_agree),
        cmocka_unit_test(six_dimensions_agree),
        cmocka_unit_test(nu_links_are_covered),
        cmocka_unit_test(reset_tables_agree_with_exact_rationals),
    };
    seed = exact_seed(argc, argv, 1);
    if (argc > 2)
        rounds = (unsigned)strtoul(argv[2], NULL, 0);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
