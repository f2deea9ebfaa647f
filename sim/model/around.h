// SPDX-License-Identifier: Apache-2.0
// Destination tables around dead links: for every pair of nodes the entry (pins.h) that leaves its
// packets most freedom of those that are safe.
//
// A packet is discarded where its escape is dead, so an adaptive one must never come to such a
// node: FREE and MINIMAL are for a pair only if from every node that minimal hops over live links
// can lead to on any leg, dimension order to that leg's end is alive. In order:
//   FREE         if so for the minimal route and every way over an IDN of the table
//   MINIMAL      if so for the minimal route
//   ESCAPE       if dimension order is alive
//   IDN q        if it is from s to q and from q to t; of all q one with the shortest way, drawn by
//                s and t among those
//   UNREACHABLE  else
// For any one dead link where two dimensions have size 2 or more, and any two where every
// dimension has 3 or more, nothing is UNREACHABLE (test/test_around.c). Pure functions.
#ifndef OFR_AROUND_H
#define OFR_AROUND_H

#include "deadlock.h"

// Bytes of memory (aligned as for malloc) for ofr_around().
size_t ofr_around_bytes(const struct ofr_torus *torus);

// Works out entry[s * nodes + t], as written to PINS.DATA (t = s: FREE), for a torus, tie, IDN
// table and links; p->entry is not looked at. Returns how many pairs are UNREACHABLE.
uint32_t ofr_around(const struct ofr_programmed *p, uint16_t *entry, void *memory);

#endif
