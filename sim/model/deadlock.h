// SPDX-License-Identifier: Apache-2.0
// Can the boards' routing deadlock, or send packets at dead links? A static check of what the
// router and the local port do, by the functions by which they do it (route.h, credit.h, pins.h,
// decide.h): all sources, destinations, classes and detours, and all places that a packet can come
// to. The verdict is that of waits.h.
//
// Where packets come to an IDN it is not asked which of them goes on to which destination: any
// that comes there may be any that goes on. So a cycle may be said where there is none (not by the
// router as it is, whose second legs wait for no first leg), but not the other way round.
#ifndef OFR_DEADLOCK_H
#define OFR_DEADLOCK_H

#include "decide.h"
#include "waits.h"

// What boards are programmed with, 1 <= n <= 3, sizes 1 to 16 (2 <= n where there are entries).
struct ofr_programmed {
    struct ofr_torus torus;
    enum ofr_tie tie;
    const struct ofr_table *table; // the IDN table
    // Destination tables: entry[s * nodes + t] is as PINS.DATA of t at s; NULL: they are off.
    const uint16_t *entry;
    // Per node the ports whose link is up, as a mask; NULL: all. A link is up that is so at both of
    // its ends.
    const uint8_t *up;
};

// May the link from a node over an existing port be used?
bool ofr_link_up(const struct ofr_programmed *p, uint32_t node, unsigned port);

// Bytes of memory (aligned as for malloc) that the check needs.
size_t ofr_deadlock_bytes(const struct ofr_torus *torus);

// Any of the verdicts but OFR_NO_CHECK and OFR_NO_ESCAPE. Packets are of every class (in order,
// minimal, derouting), whatever class a preset's traffic has.
struct ofr_deadlock ofr_deadlock_check(const struct ofr_programmed *p, void *memory);

#endif
