// SPDX-License-Identifier: Apache-2.0
// Example: the nodes that run it say who they are, and a number goes once round their ring: end 0
// is joined with end 1 of the next node. argument: the number; each node adds 1. The first one
// prints what has come back.
#include "outflank_user.h"

enum { NEXT = 0, BEFORE = 1 }; // ends

int main(void)
{
    uint32_t number = torus_place.argument[0];
    size_t got = 0;
    torus_print("hello from ");
    torus_print_number(torus_place.node);
    torus_print(" of ");
    torus_print_number(torus_place.nodes);
    torus_print("\n");
    if (torus_place.node == 0)
        torus_message_send(NEXT, &number, sizeof number);
    if (torus_message_recv(BEFORE, &number, sizeof number, &got) != TORUS_WHOLE ||
        got != sizeof number)
        return 1;
    number++;
    if (torus_place.node != 0) {
        torus_message_send(NEXT, &number, sizeof number);
        return 0;
    }
    torus_print_number(number);
    torus_print(" has come back\n");
    return 0;
}
