// SPDX-License-Identifier: Apache-2.0
// What calls have left in a torus, through the handle `t`, which is defined before; boards with
// eight ends.
#ifndef LEFT_H
#define LEFT_H

#include <libtorus.h>
#include <ofr_regs.h>
#include <stdbool.h>
#include <stdio.h>

// Is every end of every board free, and no collective's?
static inline bool all_free(void)
{
    uint8_t k[3];
    torus_sizes(t, k);
    for (unsigned n = 0; n < (unsigned)k[0] * k[1] * k[2]; n++)
        for (uint8_t i = 0; i < 8; i++) {
            struct torus_end e = {.end = i};
            struct torus_channel c = {0};
            torus_node_at(k, n, e.at);
            int error = torus_channel_state(t, &e, &c);
            if (error == TORUS_OK && c.free && !c.collective)
                continue;
            printf("# (%u,%u,%u) end %u: %s%s\n", e.at[0], e.at[1], e.at[2], i,
                   error == TORUS_OK ? c.state : torus_detail(t),
                   c.collective ? ", in a group" : "");
            return false;
        }
    return true;
}

// Is there no packet in any router, and are all credits home? A request is a packet: its board is
// asked again.
static inline bool drained(void)
{
    enum { LOOKS = 200 };
    uint8_t k[3], at[3];
    torus_sizes(t, k);
    for (unsigned n = 0; n < (unsigned)k[0] * k[1] * k[2]; n++) {
        uint32_t status = 0;
        torus_node_at(k, n, at);
        for (unsigned i = 0; i < LOOKS && !(status & OFR_NODE_STATUS_DRAINED_MASK); i++)
            if (torus_read(t, at, OFR_NODE_STATUS, &status) != TORUS_OK)
                return false;
        if (!(status & OFR_NODE_STATUS_DRAINED_MASK)) {
            printf("# (%u,%u,%u) is not drained\n", at[0], at[1], at[2]);
            return false;
        }
    }
    return true;
}

#endif
