// SPDX-License-Identifier: Apache-2.0
// Reliable links, unless it is boardsim --link plain: the golden model's link end at every port,
// and cables of words with bit errors.
#ifndef RELIABLE_H
#define RELIABLE_H

#include "sim.h"

// All ends as after reset. Ends the program where memory is short.
void open_links(struct sim *s);
// Those of a board that is reset, likewise.
void reset_links(struct sim *s, uint32_t n);
// A cycle of board n's ends: its links' input pins, as they stand before the ends' step. run: the
// board's clock has an edge; without, only what its cables bring is kept (boards with clocks of
// their own).
void step_links(struct sim *s, uint32_t n, uint64_t cycle, bool run, struct ofr_node_in *in,
                uint64_t *last_flit);
// A plug is out for a while, or an end at a cable is on its way up: time must go on.
bool links_settling(const struct sim *s);
// All that are cabled are up, at both ends; and a line about what they have met.
bool links_are_up(const struct sim *s);
void say_links(const struct sim *s);
void close_links(struct sim *s);

#endif
