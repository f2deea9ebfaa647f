// SPDX-License-Identifier: Apache-2.0
// Links that fall and come up again while boards run: resets, cables that are pulled and put back
// (rtl/README.md, "When a link falls and rises").
#ifndef FALLS_H
#define FALLS_H

#include "sim.h"

// The link at an end and at the other end of its cable falls, now; what is on the cable is lost, a
// packet that is half in is aborted. After some hundred cycles it is trained and comes up, if there
// is a cable then. Between two batches only.
void link_fall(struct sim *s, struct cable_end end);
// Board n begins a reset: all its plain links fall, and what it was sending has no tail.
void falls_reset(struct sim *s, uint32_t n);
// All links up, with no books kept of what was: all boards are new.
void falls_clear(struct sim *s);
// Between two batches: lets links go on to their next phase.
void falls_go_on(struct sim *s);
// Some link is on its way up.
bool falls_settling(const struct sim *s);

// A cycle at port p of board n. Its pins; true: the link is up. run: the board's clock has an edge.
bool link_pins(struct sim *s, uint32_t n, unsigned p, bool run, struct ofr_node_in *in);
// What it brings: the receiver's half of the books.
void link_brings(struct sim *s, uint32_t n, unsigned p, const struct ofr_flit *rx);
// What the cable takes of what the board sends: nothing while the link is down, nor the rest of a
// packet that began before it came up.
struct ofr_flit link_takes(struct sim *s, uint32_t n, unsigned p, const struct ofr_flit *tx);

#endif
