// SPDX-License-Identifier: Apache-2.0
// C interface of a Verilated ofr_node, with the model's own pin structures. SHAPE_* given by make.
#ifndef NODE_SHIM_H
#define NODE_SHIM_H

#ifdef __cplusplus
extern "C" {
#endif

#include "node.h"

struct node_rtl;

// One access, held until ack or err comes.
struct node_bus {
    bool stb, we;
    uint16_t adr;
    uint32_t dat_w;
};

struct node_seen {
    bool we, re; // this cycle's strobe
    bool ack, err;
    uint32_t dat_r;
};

struct ofr_shape node_rtl_shape(void);
// What reset leaves alone is random from `seed`. NULL when memory is short.
struct node_rtl *node_rtl_new(uint64_t serial, uint32_t seed);
void node_rtl_delete(struct node_rtl *rtl);
// One clock cycle.
void node_rtl_step(struct node_rtl *rtl, bool rst, const struct ofr_node_in *in,
                   const struct node_bus *bus);
// Between two steps.
struct node_seen node_rtl_bus(const struct node_rtl *rtl);
void node_rtl_out(const struct node_rtl *rtl, struct ofr_router_out *out);
// The datagrams' user: TREADY, and what is offered to it.
bool node_rtl_datagram(const struct node_rtl *rtl, struct ofr_datagram_beat *m);
// The collectives' user: s_ready, m, m_end.
void node_rtl_collective(const struct node_rtl *rtl, struct ofr_collective_out *out);

#ifdef __cplusplus
}
#endif
#endif
