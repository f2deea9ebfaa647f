// SPDX-License-Identifier: Apache-2.0
// Two programs and a run that no other host can come between.
#include <libtorus.h>
#include <stdio.h>

int main(void)
{
    struct torus *t;
    struct torus_run run = torus_run_default();
    struct torus_result result;
    int error = torus_open(&t, "usb", NULL);
    if (error == TORUS_OK)
        error = torus_attach(t);
    if (error == TORUS_OK)
        error = torus_lease(t, 120);
    for (enum torus_routing r = TORUS_ABR; r <= TORUS_POR && error == TORUS_OK; r++) {
        struct torus_preset preset = torus_preset_default(r);
        error = torus_program(t, &preset);
        if (error == TORUS_OK)
            error = torus_run(t, &run, &result);
        if (error == TORUS_OK)
            printf("%s: %.1f cycles\n", torus_routing_name(r), result.mean);
    }
    if (error != TORUS_OK)
        fprintf(stderr, "%s\n", torus_detail(t));
    torus_close(t); // gives the lease back
    return error != TORUS_OK;
}
