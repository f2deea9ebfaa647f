// SPDX-License-Identifier: Apache-2.0
// The timing wheel with its lines against a sorted list. test_wheel [seed]
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "exact.h"
#include "packet/wheel.h"

static uint64_t seed;

struct entry {
    uint64_t time;
    uint32_t kind, index;
    bool taken;
};

// Least key of those that are not taken.
static uint64_t next_of(const struct entry *list, size_t count)
{
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < count; i++) {
        uint64_t key = net_wheel_key(list[i].time, list[i].kind);
        if (!list[i].taken && key < least)
            least = key;
    }
    return least;
}

static void order(void **state)
{
    (void)state;
    enum { COUNT = 3000 };
    static struct entry list[COUNT];
    for (unsigned round = 0; round < 8; round++) {
        struct net_wheel wheel;
        // Lines 0 and 2 carry the entry's number. Two lines are of one kind.
        static const size_t cargo[NET_LINES] = {sizeof(size_t), 0, 3 * sizeof(size_t)};
        static const uint32_t kind[NET_LINES] = {2, 0, 2, 5, 0, 1};
        assert_true(net_wheel_init(&wheel, 1000, cargo, kind));
        // Some go over a multiple of 2^32.
        wheel.now = (exact_random(&seed) % 4 << 32) - exact_random(&seed) % 200;
        wheel.now &= UINT64_MAX >> 8;
        size_t put = 0, taken = 0, last = 0;
        uint64_t before = 0;
        while (taken < COUNT) {
            // Every other round more pile up than a line has room for at first.
            if (put < COUNT && exact_random(&seed) % 8 < (round % 2 ? 7 : 5)) {
                // Few different delays, so that there are ties; some beyond the horizon. Line l
                // has one delay, as it must.
                uint32_t l = (uint32_t)(exact_random(&seed) % (NET_LINES + 2));
                uint64_t delay = l < NET_LINES ? 5 + 9 * (l % 3) : exact_random(&seed) % 40;
                uint32_t k = l < NET_LINES ? kind[l] : (uint32_t)(exact_random(&seed) % NET_KINDS);
                if (l >= NET_LINES && exact_random(&seed) % 10 == 0)
                    delay = delay * 200 + exact_random(&seed) % 3;
                struct entry e = {wheel.now + delay, k, (uint32_t)put, false};
                if (l < NET_LINES) {
                    char *at = net_wheel_put_line(&wheel, l, e.time, e.index);
                    assert_non_null(at);
                    for (size_t i = 0; i < cargo[l]; i += sizeof put)
                        memcpy(at + i, &put, sizeof put);
                } else {
                    assert_true(net_wheel_put(&wheel, e.time, k, e.index, (uint32_t)put));
                }
                list[put++] = e;
                continue;
            }
            struct net_event event = {0};
            uint64_t want = next_of(list, put), key;
            uint32_t l = net_wheel_first(&wheel, &key);
            assert_true(key == want);
            char carried[3 * sizeof put];
            if (want < UINT64_MAX && l < NET_LINES)
                memcpy(carried, net_wheel_cargo_ahead(&wheel.line[l], 0), cargo[l]);
            assert_int_equal(net_wheel_take(&wheel, &event), want < UINT64_MAX);
            if (want == UINT64_MAX)
                continue;
            struct entry *e = &list[event.index];
            for (size_t i = 0; l < NET_LINES && i < cargo[l]; i += sizeof put)
                assert_memory_equal(carried + i, &(size_t){event.index}, sizeof put);
            assert_false(e->taken);
            assert_int_equal(event.kind, e->kind);
            assert_int_equal(wheel.now, e->time);
            assert_true(net_wheel_key(e->time, e->kind) == want);
            if (l == NET_LINES) { // of one time and kind in the order in which they came
                assert_int_equal(event.packet, event.index);
                assert_true(want != before || event.index > last);
                before = want;
                last = event.index;
            }
            e->taken = true;
            taken++;
        }
        net_wheel_free(&wheel);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(order)};
    seed = exact_seed(argc, argv, 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
