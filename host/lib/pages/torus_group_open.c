// SPDX-License-Identifier: Apache-2.0
// A sum over all boards, by one process that acts for all of them: each gives its number, and has
// the sum afterwards.
#include <libtorus.h>
#include <stdio.h>

enum { MOST = 64 };

int main(void)
{
    struct torus *t;
    struct torus_group *group = NULL;
    int32_t value[MOST], *values[MOST];
    for (int i = 0; i < MOST; i++) {
        value[i] = i;
        values[i] = &value[i];
    }
    int error = torus_open(&t, "usb", NULL);
    if (error == TORUS_OK)
        error = torus_attach(t);
    if (error == TORUS_OK)
        error = torus_group_open(&group, t, NULL, NULL, 0); // of at most MOST boards
    if (error == TORUS_OK)
        error = torus_all_reduce(group, TORUS_SUM, values, 1);
    if (error == TORUS_OK)
        printf("%d\n", (int)value[0]);
    if (error != TORUS_OK)
        fprintf(stderr, "%s\n", torus_detail(t));
    torus_group_close(group);
    torus_close(t);
    return error != TORUS_OK;
}
