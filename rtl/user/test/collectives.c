// SPDX-License-Identifier: Apache-2.0
// lint-flags: -Ifirmware/user
// The collectives of outflank_user.h with every root and operation. Its result: all that has come,
// folded, and when this node came to a barrier and left it. argument: seed; 0, or which of some
// calls one member does that the others do not.
#include "collectives.h"
#include "outflank_user.h"

enum { NODES = 4 };

static struct {
    uint32_t sum, in, out;
} result;
static uint32_t mine[COLLECTIVE_MOST], all[NODES * COLLECTIVE_MOST];
static uint32_t seed;

static void make(uint32_t *to, uint32_t node, uint32_t size, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        to[i] = collective_word(seed, node, size, i);
}

static void fold(const uint32_t *word, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        result.sum = collective_fold(result.sum, word[i]);
}

static bool with_root(uint32_t size, uint32_t root)
{
    uint32_t me = torus_place.node;
    bool is_root = me == root, good;
    make(mine, me, size, size);
    good = torus_broadcast(root, mine, 4 * size) == TORUS_WHOLE;
    fold(mine, size);
    make(all, me, size, NODES * size);
    good &= torus_scatter(root, is_root ? all : NULL, mine, 4 * size) == TORUS_WHOLE;
    fold(mine, size);
    make(mine, me, size, size);
    good &= torus_gather(root, mine, is_root ? all : NULL, 4 * size) == TORUS_WHOLE;
    fold(all, is_root ? NODES * size : 0);
    good &= torus_reduce(root, root % 4, (int32_t *)mine, is_root ? (int32_t *)mine : NULL, size) ==
            TORUS_WHOLE;
    fold(mine, is_root ? size : 0);
    return good;
}

static bool all_reduces(uint32_t size)
{
    bool good = true;
    for (uint32_t operation = TORUS_SUM; operation <= TORUS_OR; operation++) {
        make(mine, torus_place.node, size, size);
        good &= torus_all_reduce(operation, (int32_t *)mine, size) == TORUS_WHOLE;
        fold(mine, size);
    }
    return good;
}

// Node 2 does another call than the others: another kind, root or number of bytes.
static int differs(uint32_t which)
{
    bool odd = torus_place.node == 2;
    enum torus_moved moved =
        which == 1 && odd ? torus_barrier()
        : which == 2      ? torus_broadcast(odd ? 1 : 0, all, 200)
                     : torus_reduce(0, TORUS_SUM, (int32_t *)mine, (int32_t *)all, odd ? 39 : 40);
    // A member that was through before is told by its next call
    enum torus_moved next = torus_barrier();
    return (moved == TORUS_OTHER || moved == TORUS_WHOLE) && next == TORUS_OTHER ? COLLECTIVE_OTHER
                                                                                 : 1;
}

int main(void)
{
    seed = torus_place.argument[0];
    if (torus_place.nodes != NODES)
        return 2;
    if (torus_place.argument[1])
        return differs(torus_place.argument[1]);
    torus_place.result = (uint32_t)(uintptr_t)&result;
    result.sum = seed;
    for (uint32_t s = 0; s < sizeof collective_sizes / sizeof *collective_sizes; s++) {
        for (uint32_t root = 0; root < NODES; root++)
            if (!with_root(collective_sizes[s], root))
                return 3;
        if (!all_reduces(collective_sizes[s]))
            return 4;
    }
    if (torus_barrier() != TORUS_WHOLE)
        return 5;
    // One comes late: whoever does not wait for it is seen
    uint64_t late = torus_time() + (torus_place.node == 0 ? 6000 : 0);
    while (torus_time() < late)
        ;
    result.in = (uint32_t)torus_time();
    if (torus_barrier() != TORUS_WHOLE)
        return 6;
    result.out = (uint32_t)torus_time();
    if (torus_broadcast(NODES, mine, 4) != TORUS_USAGE ||
        torus_all_reduce(4, NULL, 0) != TORUS_USAGE)
        return 7;
    return 0;
}
