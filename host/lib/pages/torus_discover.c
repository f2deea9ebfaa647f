// SPDX-License-Identifier: Apache-2.0
// Finds all boards, says what is wrong with the cables, else gives the boards their coordinates.
#include <libtorus.h>
#include <stdio.h>

int main(void)
{
    struct torus *t;
    int error = torus_open(&t, "usb", NULL);
    if (error == TORUS_OK)
        error = torus_discover(t);
    for (unsigned i = 0; torus_fault(t, i); i++)
        printf("%s\n", torus_fault(t, i));
    if (error == TORUS_OK)
        error = torus_assign(t);
    for (unsigned i = 0; i < torus_boards(t) && error == TORUS_OK; i++) {
        const struct torus_board *b = torus_board(t, i);
        printf("%016llx (%u,%u,%u)\n", (unsigned long long)b->serial, b->at[0], b->at[1], b->at[2]);
    }
    if (error != TORUS_OK)
        fprintf(stderr, "%s\n", torus_detail(t));
    torus_close(t);
    return error != TORUS_OK;
}
