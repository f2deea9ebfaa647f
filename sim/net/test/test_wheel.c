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
    uint64_t time, order;
    uint32_t index;
    bool far, taken;
};

// The next entry by the wheel's rule: time; heap before wheel; index in the heap, order in the
// wheel.
static size_t next_of(const struct entry *list, size_t count)
{
    size_t best = count;
    for (size_t i = 0; i < count; i++) {
        const struct entry *a = &list[i], *b = best < count ? &list[best] : NULL;
        if (a->taken)
            continue;
        bool first = !b || a->time < b->time;
        if (b && a->time == b->time)
            first = a->far != b->far ? a->far : a->far ? a->index < b->index : a->order < b->order;
        if (first)
            best = i;
    }
    return best;
}

static void order(void **state)
{
    (void)state;
    enum { COUNT = 3000 };
    static struct entry list[COUNT];
    static uint32_t kind[COUNT];
    for (unsigned round = 0; round < 4; round++) {
        struct net_wheel wheel;
        // Lines 0 and 2 carry the entry's number, the others show it by their index alone.
        static const size_t cargo[NET_LINES] = {sizeof(size_t), 0, 3 * sizeof(size_t)};
        assert_true(net_wheel_init(&wheel, 1000, cargo));
        size_t put = 0, taken = 0;
        while (taken < COUNT) {
            // Every other round more pile up than a line has room for at first.
            if (put < COUNT && exact_random(&seed) % 8 < (round % 2 ? 7 : 5)) {
                // Few different delays, so that there are ties; some beyond the horizon. Line l
                // has one delay, as it must.
                uint32_t l = (uint32_t)(exact_random(&seed) % 5);
                uint64_t delay = l < NET_LINES ? 5 + 9 * l : exact_random(&seed) % 40;
                if (l >= NET_LINES && exact_random(&seed) % 10 == 0)
                    delay = delay * 200 + exact_random(&seed) % 3;
                struct entry e = {wheel.now + delay, put, (uint32_t)(COUNT - put),
                                  delay > wheel.mask, false};
                if (l < NET_LINES) {
                    char *at = net_wheel_put_line(&wheel, l, e.time, e.index);
                    assert_non_null(at);
                    for (size_t i = 0; i < cargo[l]; i += sizeof put)
                        memcpy(at + i, &put, sizeof put);
                } else
                    assert_true(net_wheel_put(&wheel, e.time, l, e.index, (uint32_t)put));
                kind[put] = l;
                list[put++] = e;
                continue;
            }
            struct net_event event;
            size_t want = next_of(list, put);
            bool there = net_wheel_take(&wheel, &event);
            assert_int_equal(there, want < put);
            if (!there)
                continue;
            if (event.kind >= NET_LINES)
                assert_int_equal(event.packet, want);
            for (size_t i = 0; event.kind < NET_LINES && i < cargo[event.kind]; i += sizeof want)
                assert_memory_equal((const char *)net_wheel_cargo(&wheel.line[event.kind]) + i,
                                    &want, sizeof want);
            assert_int_equal(event.index, list[want].index);
            assert_int_equal(event.kind, kind[want]);
            assert_int_equal(wheel.now, list[want].time);
            list[want].taken = true;
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
