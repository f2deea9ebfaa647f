// SPDX-License-Identifier: Apache-2.0
// Where a packet may go on at a node. Pure functions: the router routes by them (router.c), and who
// asks whether packets can wait for each other in a circle enumerates with them (deadlock.h).
#ifndef OFR_ROUTE_H
#define OFR_ROUTE_H

#include "ofr_regs.h"
#include "torus.h"

// Ports over which a packet of a class (OFR_PKT_CLASS_INORDER, MINIMAL or DEROUTE) at `me` may go
// on toward the end of its leg by the adaptive VC, as a mask; with `rdr` by those of one dimension.
static inline uint32_t ofr_route_adaptive(const struct ofr_torus *torus, enum ofr_tie tie,
                                          const struct ofr_coord *me, const struct ofr_coord *end,
                                          unsigned cls)
{
    return cls == OFR_PKT_CLASS_INORDER ? 0 : ofr_minimal_ports(torus, me, end, tie);
}

// The escape VC of a leg (0: toward the IDN, 1: toward the destination), which is taken over port
// ofr_escape_port(). One each, so that a packet that turns back at its IDN waits for nothing that
// waits for it.
static inline unsigned ofr_route_ring(unsigned leg)
{
    return leg ? OFR_VC_VS2 : OFR_VC_VS1;
}

// Does a packet that came by (in_port, in_vc) go on in its escape ring by (port, vc)? in_port: a
// number that is no link's, from the local port. For ofr_bubble_allows().
static inline bool ofr_route_goes_on(unsigned in_port, unsigned in_vc, unsigned port, unsigned vc)
{
    return (in_port == (port ^ 1)) & (in_vc == vc);
}

#endif
