// SPDX-License-Identifier: Apache-2.0
// group.c: trees and chains on whole tori and on random sets of nodes, judged by their definition.
// test_group [seed [rounds]]
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "exact.h"
#include "group.h"

enum { MOST = 8 * 8 * 8 };

static uint64_t seed;
static unsigned rounds = 300;
static struct ofr_coord node[MOST];
static struct ofr_group_member to[MOST];

static unsigned draw(unsigned n)
{
    seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (unsigned)(seed >> 33) % n;
}

static unsigned all_nodes(const struct ofr_torus *torus)
{
    for (unsigned i = 0; i < ofr_nodes(torus); i++)
        node[i] = ofr_node_coord(torus, i);
    return ofr_nodes(torus);
}

// A tree of all members, whose sizes and order are those of its subtrees.
static void judge(unsigned count, unsigned root, unsigned children)
{
    static unsigned size[MOST], seen[MOST];
    unsigned roots = 0;
    for (unsigned m = 0; m < count; m++)
        size[m] = seen[m] = 0;
    for (unsigned m = 0; m < count; m++) {
        unsigned steps = 0, i = m;
        for (; to[i].parent >= 0; i = (unsigned)to[i].parent) {
            const struct ofr_group_member *p = &to[to[i].parent];
            size[i]++;
            assert_true(to[i].slot < p->children && p->child[to[i].slot] == i);
            assert_true(steps++ < count);
        }
        size[i]++;
        assert_int_equal(i, root);
        assert_int_equal(to[m].depth, steps);
        assert_true(to[m].children <= children);
        assert_true(to[m].order < count);
        seen[to[m].order]++;
        roots += to[m].parent < 0;
    }
    assert_int_equal(roots, 1);
    for (unsigned m = 0; m < count; m++) {
        unsigned next = to[m].order + 1U;
        assert_int_equal(seen[m], 1);
        for (unsigned s = 0; s < to[m].children; s++) {
            assert_int_equal(to[m].size[s], size[to[m].child[s]]);
            assert_int_equal(to[to[m].child[s]].order, next);
            next += to[m].size[s];
        }
    }
}

static unsigned deepest(unsigned count)
{
    unsigned most = 0;
    for (unsigned m = 0; m < count; m++)
        most = to[m].depth > most ? to[m].depth : most;
    return most;
}

// The hops of the longest way from the root along the edges.
static unsigned farthest(const struct ofr_torus *torus, unsigned count)
{
    unsigned most = 0;
    for (unsigned m = 0; m < count; m++) {
        unsigned hops = 0;
        for (unsigned i = m; to[i].parent >= 0; i = (unsigned)to[i].parent)
            hops += ofr_distance(torus, &node[i], &node[to[i].parent]);
        most = hops > most ? hops : most;
    }
    return most;
}

static const struct ofr_torus tori[] = {{2, {4, 4}},    {2, {8, 8}},    {2, {5, 7}},
                                        {2, {2, 2}},    {3, {4, 4, 4}}, {3, {8, 8, 8}},
                                        {3, {2, 3, 4}}, {3, {5, 1, 3}}, {2, {1, 6}}};

static void whole_tori(void **state)
{
    (void)state;
    for (unsigned i = 0; i < sizeof tori / sizeof *tori; i++) {
        const struct ofr_torus *torus = &tori[i];
        unsigned count = all_nodes(torus), root = draw(count), diameter = 0, even = 1;
        for (unsigned d = 0; d < torus->n; d++) {
            diameter += torus->k[d] / 2U;
            even = even && torus->k[d] % 2 == 0;
        }
        for (unsigned children = torus->n + 1U; children <= 4; children++) {
            assert_true(ofr_group_form(torus, node, count, root, OFR_GROUP_TREE, children, to));
            judge(count, root, children);
            // A ring of odd size is a step deeper where the root has one child in it
            assert_true(deepest(count) <= diameter + (even ? 0 : torus->n));
            assert_true(farthest(torus, count) <= diameter + 2U * torus->n);
        }
        assert_true(ofr_group_form(torus, node, count, root, OFR_GROUP_CHAIN, 2, to));
        judge(count, root, 2);
        assert_int_equal(deepest(count), count / 2);
        for (unsigned m = 0; m < count; m++)
            assert_true(to[m].children <= (m == root ? 2 : 1));
        assert_true(ofr_group_form(torus, node, count, 0, OFR_GROUP_LINE, 1, to));
        judge(count, 0, 1);
        assert_int_equal(deepest(count), count - 1);
        for (unsigned m = 1; m < count; m++) // from neighbour to neighbour
            assert_int_equal(ofr_distance(torus, &node[m], &node[to[m].parent]), 1);
    }
}

static void random_groups(void **state)
{
    (void)state;
    for (unsigned i = 0; i < rounds; i++) {
        struct ofr_torus torus = {.n = (uint8_t)(2 + draw(2))};
        for (unsigned d = 0; d < torus.n; d++)
            torus.k[d] = (uint8_t)(1 + draw(6));
        unsigned nodes = all_nodes(&torus), count = 1 + draw(nodes), root = draw(count);
        for (unsigned m = 0; m < count; m++) {
            unsigned j = m + draw(nodes - m);
            struct ofr_coord c = node[m];
            node[m] = node[j];
            node[j] = c;
        }
        enum ofr_group_shape shape = (enum ofr_group_shape)draw(3);
        unsigned least = shape == OFR_GROUP_TREE ? torus.n + 1U : 2U - (shape == OFR_GROUP_LINE);
        unsigned children = least + draw(5 - least);
        assert_true(ofr_group_form(&torus, node, count, root, shape, children, to));
        judge(count, root, children);
    }
}

static void bad_input(void **state)
{
    (void)state;
    const struct ofr_torus torus = {2, {4, 4}}, wide = {4, {2, 2, 2, 2}};
    unsigned count = all_nodes(&torus);
    assert_false(ofr_group_form(&torus, node, 0, 0, OFR_GROUP_TREE, 4, to));
    assert_false(ofr_group_form(&torus, node, count, count, OFR_GROUP_TREE, 4, to));
    assert_false(ofr_group_form(&torus, node, count, 0, OFR_GROUP_TREE, 2, to));
    assert_false(ofr_group_form(&torus, node, count, 0, OFR_GROUP_TREE, 5, to));
    assert_false(ofr_group_form(&torus, node, count, 0, OFR_GROUP_CHAIN, 1, to));
    assert_false(ofr_group_form(&torus, node, count, 0, OFR_GROUP_LINE, 0, to));
    assert_false(ofr_group_form(&wide, node, 1, 0, OFR_GROUP_LINE, 1, to));
    node[3] = node[7];
    assert_false(ofr_group_form(&torus, node, count, 0, OFR_GROUP_TREE, 4, to));
    node[3].c[1] = 4;
    assert_false(ofr_group_form(&torus, node, count, 0, OFR_GROUP_TREE, 4, to));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_tori),
        cmocka_unit_test(random_groups),
        cmocka_unit_test(bad_input),
    };
    seed = exact_seed(argc, argv, 1);
    if (argc > 2)
        rounds = (unsigned)strtoul(argv[2], NULL, 0);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
