// SPDX-License-Identifier: Apache-2.0
// boardsim --link phy: RTL boards with the links' physical layer, and cables at its pins, edge by
// edge: lengths, skew of each wire, jitter, bit errors, bursts, a wire that is stuck, a direction
// that is dead, contacts that bounce when a plug is put in; with one clock for all boards, or each
// with its own (clocks.h).
#ifndef PHY_CABLES_H
#define PHY_CABLES_H

#include "sim.h"

// All cables as after power-up. Ends the program where memory is short or an option is wrong.
void open_phy(struct sim *s);
// A cycle of board n: what its cables bring, its step, what it sends.
void step_phy(struct sim *s, uint32_t n, uint64_t cycle, uint64_t *last_flit);
// All that are cabled are up, at both ends; and a line about what they have met.
bool phy_is_up(const struct sim *s);
void say_phy(const struct sim *s);
void close_phy(struct sim *s);

#endif
