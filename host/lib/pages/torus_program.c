// SPDX-License-Identifier: Apache-2.0
// OutFlank Routing with a threshold of two slots; where a program was cut short, that one first.
#include <libtorus.h>
#include <stdio.h>

int main(void)
{
    struct torus *t;
    struct torus_preset preset = torus_preset_default(TORUS_OFR), was;
    unsigned generation;
    preset.threshold = 2;
    int error = torus_open(&t, "usb", NULL);
    if (error == TORUS_OK)
        error = torus_discover(t);
    if (error == TORUS_OK && torus_programmed(t, &was, &generation) == TORUS_E_MIXED)
        error = torus_program_resume(t, NULL);
    if (error == TORUS_OK)
        error = torus_program(t, &preset);
    if (error != TORUS_OK)
        fprintf(stderr, "%s\n", torus_detail(t));
    torus_close(t);
    return error != TORUS_OK;
}
