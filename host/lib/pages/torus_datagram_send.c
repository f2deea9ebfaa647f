// SPDX-License-Identifier: Apache-2.0
// A datagram from one board to its neighbour.
#include <libtorus.h>
#include <stdio.h>

int main(void)
{
    static const uint8_t here[3] = {0, 0, 0};
    static const struct torus_end there = {.at = {1, 0, 0}, .end = 3};
    struct torus_end from;
    struct torus *t;
    char text[64];
    size_t bytes;
    int error = torus_open(&t, "usb", NULL);
    if (error == TORUS_OK)
        error = torus_attach(t);
    if (error == TORUS_OK)
        error = torus_datagram_attach(t, here, true);
    if (error == TORUS_OK)
        error = torus_datagram_attach(t, there.at, true);
    if (error == TORUS_OK)
        error = torus_datagram_send(t, here, &there, TORUS_MINIMAL, "hello", 5, 1);
    if (error == TORUS_OK)
        error = torus_datagram_recv(t, there.at, text, sizeof text, 1, &bytes, &from);
    if (error == TORUS_OK)
        printf("%.*s from (%u,%u) to end %u\n", (int)bytes, text, from.at[0], from.at[1], from.end);
    else
        fprintf(stderr, "%s\n", torus_detail(t));
    torus_close(t);
    return error != TORUS_OK;
}
