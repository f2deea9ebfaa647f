// SPDX-License-Identifier: Apache-2.0
// A golden node: the router with its OFR unit, what sits at its local port, and the registers of
// all of it: what rtl/board/ofr_node.v computes. One bus access and one step a cycle.
#ifndef OFR_NODE_H
#define OFR_NODE_H

#include "counters.h"
#include "link_regs.h"
#include "local.h"
#include "node_time.h"
#include "ofr_unit.h"

// Input pins of one cycle: the links' half of struct ofr_router_in.
struct ofr_node_in {
    struct ofr_flit rx[OFR_LINKS];
    bool rx_abort[OFR_LINKS];
    bool tx_ready[OFR_LINKS];
    uint8_t tx_credit[OFR_LINKS][OFR_VCS]; // cumulative, modulo 16
    uint8_t tx_base[OFR_LINKS][OFR_VCS];   // see struct ofr_router_in
    bool tx_rebase[OFR_LINKS];
    bool link_up[OFR_LINKS];
    // Reliable links' ends (shape.links)
    struct ofr_link_status link[OFR_LINKS];
    bool link_tick; // a tick of theirs ends with this cycle
    // Channels (shape.channels), as in struct ofr_channels_in
    bool access;
    const struct ofr_channels_pins *pins;
    const struct ofr_datagram_pins *datagram;      // as in struct ofr_local_in
    const struct ofr_collectives_pins *collective; // likewise
};

struct ofr_node {
    struct ofr_shape shape;
    struct ofr_config config;
    struct ofr_router *router;
    struct ofr_unit unit;
    struct ofr_local local;
    struct ofr_counters counters;
    struct ofr_link_regs links;
    uint64_t link_events[3 * OFR_LINKS]; // counters from OFR_COUNTER_LINK_BASE on
    uint32_t seed;
    bool seeds;   // SEED was written, or is that of the reset: the next step starts the LFSR there
    bool drained; // in the cycle of the last step: a write is of that cycle
    uint8_t link_up; // as of the last step, a bit a port
    struct ofr_time time;
};

// A node after reset. memory: ofr_node_size() bytes, for the router, the channels, the datagrams
// and the collectives of this shape. The board's serial number makes the reset value of SEED.
// Returns false where the shape is out of range.
size_t ofr_node_size(const struct ofr_shape *shape);
bool ofr_node_init(struct ofr_node *node, const struct ofr_shape *shape, uint64_t serial,
                   void *memory);

// One clock cycle.
void ofr_node_step(struct ofr_node *node, const struct ofr_node_in *in);

// Its router's input pins in the cycle of the next step, for another router to stand beside it.
void ofr_node_router_in(const struct ofr_node *node, const struct ofr_node_in *in,
                        struct ofr_router_in *router);

// Output pins, as they stand between two steps.
const struct ofr_router_out *ofr_node_out(const struct ofr_node *node);

// Register access by byte offset in the node's 4 KiB (rtl/regs/outflank.json). In a cycle a read
// comes before the step, a write after it. *error: a bus error, nothing was written.
uint32_t ofr_node_read(struct ofr_node *node, unsigned offset);
void ofr_node_write(struct ofr_node *node, unsigned offset, uint32_t value, bool *error);
// In place of a write that is known to be refused.
void ofr_node_refused(struct ofr_node *node);

// A step would change nothing but the time and the LFSR until a flit comes or a register is
// written.
bool ofr_node_idle(const struct ofr_node *node);

#endif
