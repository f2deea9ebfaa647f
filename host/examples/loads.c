// SPDX-License-Identifier: Apache-2.0
// What a torus carries: cc loads.c $(pkg-config --cflags --libs torus) && ./a.out usb
#include <libtorus.h>
#include <stdio.h>

static int failed(struct torus *t)
{
    fprintf(stderr, "loads: %s\n", torus_detail(t));
    torus_close(t);
    return 1;
}

int main(int argc, char **argv)
{
    struct torus *t;
    struct torus_preset ofr = torus_preset_default(TORUS_OFR);
    if (torus_open(&t, argc > 1 ? argv[1] : "usb", NULL) != TORUS_OK)
        return failed(t);
    if (torus_discover(t) != TORUS_OK || torus_program(t, &ofr) != TORUS_OK)
        return failed(t);
    for (unsigned tenths = 1; tenths < 10; tenths += 2) {
        struct torus_run run = torus_run_default();
        struct torus_result result;
        run.load = 0.1 * tenths;
        if (torus_run(t, &run, &result) != TORUS_OK)
            return failed(t);
        printf("load %.1f: accepted %.3f, mean lifetime %.1f cycles\n", run.load, result.accepted,
               result.mean);
    }
    torus_close(t);
    return 0;
}
