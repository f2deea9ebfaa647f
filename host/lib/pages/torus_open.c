// SPDX-License-Identifier: Apache-2.0
// Opens the board at argv[1], with a time-out of five seconds, and says who it is.
#include <libtorus.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    struct torus *t;
    struct torus_identity board;
    struct torus_options options = torus_options_default();
    options.timeout = 5;
    int error = torus_open(&t, argc > 1 ? argv[1] : "usb", &options);
    if (error == TORUS_OK)
        error = torus_ping_path(t, NULL, 0, &board);
    if (error == TORUS_OK)
        printf("%016llx\n", (unsigned long long)board.serial);
    else
        fprintf(stderr, "%s: %s\n", torus_strerror(error), torus_detail(t));
    torus_close(t);
    return error != TORUS_OK;
}
