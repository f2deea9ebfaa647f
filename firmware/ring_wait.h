// SPDX-License-Identifier: Apache-2.0
// NODE.RING_WAIT by the board's shape: the one definition, for the firmware and for benches of the
// model.
#ifndef OFR_RING_WAIT_H
#define OFR_RING_WAIT_H

#include "ofr_regs.h"

// RING_WAIT.TIME, 8 to 15: an entry that starves has every other 2^TIME cycles for two slots to
// come free in (rtl/router/README.md, Ring wait), each a packet of slot_flits flits, of flit_cycles
// cycles over a link, behind one of each of the inputs of the router there. With less they do not
// where all send to one board: who has to enter the ring then waits for ever, management too.
static inline uint32_t ofr_ring_wait(unsigned slot_flits, unsigned flit_cycles, unsigned inputs)
{
    uint32_t packets = 0, cycles = 0, time = OFR_NODE_RING_WAIT_RESET;
    for (unsigned i = 0; i < flit_cycles; i++) // the core has no multiplier
        packets += slot_flits;
    for (unsigned i = 0; i < inputs; i++)
        cycles += 2 * packets;
    while (time < OFR_NODE_RING_WAIT_TIME_MASK && cycles > (uint32_t)1 << time)
        time++;
    return time;
}

#endif
