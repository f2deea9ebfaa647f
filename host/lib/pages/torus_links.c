// SPDX-License-Identifier: Apache-2.0
// Every link that is up: which boards, and what its rate of bit errors is below.
#include <libtorus.h>
#include <stdio.h>

int main(void)
{
    struct torus *t;
    struct torus_link links[TORUS_PORTS];
    int error = torus_open(&t, "usb", NULL);
    if (error == TORUS_OK)
        error = torus_discover(t);
    for (unsigned i = 0; i < torus_boards(t) && error == TORUS_OK; i++) {
        error = torus_links(t, i, links);
        for (unsigned p = 0; p < TORUS_PORTS && error == TORUS_OK; p++)
            if (links[p].reliable && links[p].state == TORUS_LINK_UP)
                printf("%016llx %s to %016llx: below %.1e\n",
                       (unsigned long long)torus_board(t, i)->serial, torus_port_name(p),
                       (unsigned long long)links[p].peer,
                       torus_error_bound(links[p].crc, links[p].bits, 0.95));
    }
    if (error != TORUS_OK)
        fprintf(stderr, "%s\n", torus_detail(t));
    torus_close(t);
    return error != TORUS_OK;
}
