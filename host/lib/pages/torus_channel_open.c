// SPDX-License-Identifier: Apache-2.0
// A message from a board to its neighbour.
#include <libtorus.h>
#include <stdio.h>

int main(void)
{
    static const struct torus_end from = {{0, 0, 0}, 0}, to = {{1, 0, 0}, 0};
    struct torus *t;
    char text[80];
    size_t sent, got;
    bool whole;
    int error = torus_open(&t, "usb", NULL);
    if (error == TORUS_OK)
        error = torus_attach(t);
    if (error == TORUS_OK)
        error = torus_channel_open(t, &from, &to, 1);
    if (error == TORUS_OK)
        error = torus_channel_send(t, &from, "hello", 5, 1, &sent);
    if (error == TORUS_OK)
        error = torus_channel_recv(t, &to, text, sizeof text, 1, &got, &whole);
    if (error == TORUS_OK)
        printf("%.*s\n", (int)got, text);
    if (error == TORUS_OK)
        error = torus_channel_close(t, &from, 1);
    if (error != TORUS_OK)
        fprintf(stderr, "%s\n", torus_detail(t));
    torus_close(t);
    return error != TORUS_OK;
}
