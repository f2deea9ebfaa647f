// SPDX-License-Identifier: Apache-2.0
// Example: collectives. argument: a number, which the first node says to all. Node n has 40 words,
// i (n + 1) times that number; all get the words' sums over the nodes, place by place, and the
// largest word, and print the last sum and that.
#include "outflank_user.h"

enum { WORDS = 40 };

int main(void)
{
    static int32_t sum[WORDS];
    int32_t number = 0, largest;
    if (torus_place.node == 0)
        number = (int32_t)torus_place.argument[0];
    if (torus_broadcast(0, &number, sizeof number) != TORUS_WHOLE)
        return 1;
    for (int32_t i = 0; i < WORDS; i++)
        sum[i] = i * (int32_t)(torus_place.node + 1) * number;
    largest = sum[WORDS - 1];
    if (torus_all_reduce(TORUS_SUM, sum, WORDS) != TORUS_WHOLE ||
        torus_all_reduce(TORUS_MAX, &largest, 1) != TORUS_WHOLE)
        return 1;
    torus_print("sum ");
    torus_print_number((uint32_t)sum[WORDS - 1]);
    torus_print(", largest ");
    torus_print_number((uint32_t)largest);
    torus_print("\n");
    return torus_barrier() != TORUS_WHOLE;
}
