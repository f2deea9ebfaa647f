// SPDX-License-Identifier: Apache-2.0
// Links that fall and come up again while boards run.
#include "falls.h"

#include <string.h>

// A link that fell is down so long that every packet which had its header out is done with, and is
// then trained for one batch: the count of packets sent becomes what the neighbour has received.
enum { DOWN_CYCLES = 4 * BATCH };

void link_fall(struct sim *s, struct cable_end end)
{
    struct cable_end far = s->peer[end.board][end.port];
    struct cable_end ends[] = {end, far};
    for (unsigned i = 0; i < (far.board < 0 ? 1 : 2); i++) {
        struct link *l = &s->link[ends[i].board][ends[i].port];
        l->phase = LINK_DOWN;
        l->until = s->cycle + DOWN_CYCLES;
        l->abort = l->abort || l->receiving;
        l->receiving = false;
        l->dropping = l->sending;
    }
}

void falls_reset(struct sim *s, uint32_t n)
{
    if (s->link_end || s->phy_end)
        return; // the other ends notice
    for (unsigned p = 0; p < 2U * s->o.torus.n; p++) {
        link_fall(s, (struct cable_end){(int)n, (int)p});
        s->link[n][p].sending = s->link[n][p].dropping = s->link[n][p].abort = false;
    }
}

void falls_clear(struct sim *s)
{
    memset(s->link, 0, s->boards * sizeof *s->link);
}

void falls_go_on(struct sim *s)
{
    for (uint32_t n = 0; n < s->boards; n++)
        for (unsigned p = 0; p < 2U * s->o.torus.n; p++) {
            struct link *l = &s->link[n][p];
            struct cable_end far = s->peer[n][p];
            if (l->phase == LINK_TRAINS || (l->phase == LINK_DOWN && far.board < 0)) {
                l->phase = LINK_UP;
            } else if (l->phase == LINK_DOWN && s->cycle >= l->until) {
                const struct ofr_router_out *out = board_out(s->board[far.board]);
                memcpy(l->base, out->rx_received[far.port], OFR_VCS);
                l->phase = LINK_TRAINS;
            }
        }
}

bool falls_settling(const struct sim *s)
{
    for (uint32_t n = 0; n < s->boards; n++)
        for (unsigned p = 0; p < 2U * s->o.torus.n; p++)
            if (s->link[n][p].phase != LINK_UP)
                return true;
    return false;
}

bool link_pins(struct sim *s, uint32_t n, unsigned p, bool run, struct ofr_node_in *in)
{
    struct link *l = &s->link[n][p];
    in->link_up[p] = s->peer[n][p].board >= 0 && l->phase == LINK_UP;
    in->rx_abort[p] = l->abort;
    in->tx_rebase[p] = l->phase == LINK_TRAINS;
    memcpy(in->tx_base[p], l->base, OFR_VCS);
    in->tx_ready[p] = true;
    in->rx[p].valid = false;
    l->abort = l->abort && !run;
    return in->link_up[p];
}

void link_brings(struct sim *s, uint32_t n, unsigned p, const struct ofr_flit *rx)
{
    if (rx->valid)
        s->link[n][p].receiving = !rx->last;
}

struct ofr_flit link_takes(struct sim *s, uint32_t n, unsigned p, const struct ofr_flit *tx)
{
    struct link *l = &s->link[n][p];
    struct ofr_flit taken = *tx;
    if (!tx->valid)
        return taken;
    if (l->phase != LINK_UP)
        l->dropping = true;
    else if (!l->sending)
        l->dropping = false;
    l->sending = !tx->last;
    taken.valid = !l->dropping;
    return taken;
}
