// SPDX-License-Identifier: Apache-2.0
// A golden link's end between a node and a cable: what the two show each other in a cycle, before
// either is stepped.
#ifndef LINK_NODE_H
#define LINK_NODE_H

#include "link.h"
#include "node.h"

#include <string.h>

// To the node's input pins at that port.
static inline void link_to_node(const struct ofr_link_out *link, struct ofr_node_in *node,
                                unsigned port)
{
    node->link_up[port] = link->link_up;
    node->rx[port] = link->rx;
    node->rx_abort[port] = link->rx_abort;
    node->tx_ready[port] = link->tx_ready;
    node->tx_rebase[port] = link->tx_rebase;
    memcpy(node->tx_credit[port], link->tx_credit, OFR_VCS);
    memcpy(node->tx_base[port], link->tx_credit, OFR_VCS);
}

// To the link's from the node's output pins.
static inline void link_from_node(const struct ofr_router_out *node, unsigned port,
                                  struct ofr_link_in *link)
{
    link->tx = node->tx[port];
    memcpy(link->rx_credit, node->rx_credit[port], OFR_VCS);
    memcpy(link->rx_received, node->rx_received[port], OFR_VCS);
}

// A step of the link, and what the node's registers see of it in this cycle.
static inline struct ofr_link_status link_step(struct ofr_link *link, const struct ofr_link_in *in)
{
    const struct ofr_link_counts before = link->counts, *after = &link->counts;
    struct ofr_link_status status = {.state = link->out.state,
                                     .why = link->out.why,
                                     .peer = link->out.peer,
                                     .lag = link->out.lag,
                                     .says = link->out.says,
                                     .says_what = link->out.says_what,
                                     .says_data = link->out.says_data};

    ofr_link_step(link, in);
    status.frame = after->frames != before.frames;
    status.retry = after->retries != before.retries;
    status.bad = after->bad != before.bad;
    status.down = after->downs != before.downs;
    return status;
}

#endif
