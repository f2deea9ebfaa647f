// SPDX-License-Identifier: Apache-2.0
// A program is started on all boards; what the first one prints in its first second.
#include <libtorus.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    static char image[16384], text[256];
    static const uint8_t first[3] = {0, 0, 0};
    struct torus *t;
    FILE *file = argc > 1 ? fopen(argv[1], "rb") : NULL;
    size_t bytes = file ? fread(image, 1, sizeof image, file) : 0, got = 0;
    int error = torus_open(&t, "usb", NULL);
    if (error == TORUS_OK)
        error = torus_attach(t);
    if (error == TORUS_OK)
        error = torus_user_load(t, NULL, 0, image, bytes);
    if (error == TORUS_OK)
        error = torus_user_start(t, NULL, 0, NULL);
    sleep(1);
    if (error == TORUS_OK)
        error = torus_user_console(t, first, text, sizeof text, &got);
    if (error != TORUS_OK)
        fprintf(stderr, "%s\n", torus_detail(t));
    fwrite(text, 1, got, stdout);
    torus_close(t);
    return error != TORUS_OK;
}
