// SPDX-License-Identifier: Apache-2.0
#include "square.h"

#include <string.h>

enum { N = 2 };

bool square_begin(struct square *s, uint64_t seed)
{
    memset(s, 0, sizeof *s);
    ofr_table_reset(&s->table, N);
    for (unsigned n = 0; n < SQUARE_NODES; n++) {
        struct square_node *x = &s->node[n];
        x->router = rtl_router_new((uint32_t)seed + n);
        if (!x->router)
            return false;
        x->config = (struct ofr_config){.configured = true,
                                        .torus = {.n = N, .k = {SQUARE_SIDE, SQUARE_SIDE, 1}},
                                        .me = {{(uint8_t)(n & 1), (uint8_t)(n >> 1)}},
                                        .ring_wait_time = 8,
                                        .table = &s->table};
        rtl_router_out(x->router, &x->out);
    }
    return true;
}

void square_end(struct square *s)
{
    for (unsigned n = 0; n < SQUARE_NODES; n++)
        rtl_router_free(s->node[n].router);
}

// Both dimensions have two nodes, so node 0 uses + and node 1 -.
void square_cables(struct square *s)
{
    for (unsigned n = 0; n < SQUARE_NODES; n++) {
        struct ofr_router_in *in = &s->node[n].in;
        memset(in, 0, sizeof *in);
        for (unsigned d = 0; d < N; d++) {
            bool minus = s->node[n].config.me.c[d] != 0;
            const struct ofr_router_out *far = &s->node[n ^ (1U << d)].out;
            unsigned p = ofr_port(d, minus), q = ofr_port(d, !minus);
            in->link_up[p] = in->tx_ready[p] = true;
            in->rx[p] = far->tx[q];
            if (s->flips && s->cycle % 500 == 0)
                in->rx[p].data ^= 1U << 13;
            memcpy(in->tx_credit[p], far->rx_credit[q], OFR_VCS);
        }
        in->lo_ready = true;
    }
}

void square_step(struct square *s)
{
    for (unsigned n = 0; n < SQUARE_NODES; n++) {
        struct square_node *x = &s->node[n];
        rtl_router_step(x->router, &x->in, &x->config);
        rtl_router_out(x->router, &x->out);
    }
    s->cycle++;
}

bool square_drained(const struct square *s)
{
    bool drained = true;
    for (unsigned n = 0; n < SQUARE_NODES; n++)
        drained = drained && s->node[n].out.drained;
    return drained;
}
