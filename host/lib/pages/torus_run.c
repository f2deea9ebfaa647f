// SPDX-License-Identifier: Apache-2.0
// Tornado at half a flit a cycle and node, and what every board has delivered since its reset.
#include <inttypes.h>
#include <libtorus.h>
#include <stdio.h>

static void delivered(void *ctx, const uint8_t at[3], const uint64_t *counters)
{
    printf("(%u,%u,%u) %" PRIu64 "\n", at[0], at[1], at[2], counters[*(int *)ctx]);
}

int main(void)
{
    struct torus *t;
    struct torus_run run = torus_run_default();
    struct torus_result result;
    int which = torus_counter_named("delivered", 2);
    run.pattern = TORUS_TORNADO;
    run.load = 0.5;
    int error = torus_open(&t, "usb", NULL);
    if (error == TORUS_OK)
        error = torus_attach(t);
    if (error == TORUS_OK)
        error = torus_run(t, &run, &result);
    if (error == TORUS_OK)
        printf("accepted %.3f, lifetime %.1f cycles\n", result.accepted, result.mean);
    if (error == TORUS_OK)
        error = torus_counters(t, delivered, &which);
    if (error != TORUS_OK)
        fprintf(stderr, "%s\n", torus_detail(t));
    torus_close(t);
    return error != TORUS_OK;
}
