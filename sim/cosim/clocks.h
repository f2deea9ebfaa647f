// SPDX-License-Identifier: Apache-2.0
// Boards with clocks of their own, with --ppm.
#ifndef CLOCKS_H
#define CLOCKS_H

#include "sim.h"

// Draws each board's clock and the cycle in which it is switched on.
void start_clocks(struct sim *s);
// Whether a cycle of the fastest clock that there could be is one of board n's, too. To be asked
// once for every such cycle.
bool clock_runs(struct sim *s, uint32_t n, uint64_t cycle);
// Board n has been switched on by then.
bool clock_is_on(const struct sim *s, uint32_t n, uint64_t cycle);
// One such cycle of a board with plain links.
void step_own_clock(struct sim *s, uint32_t n, uint64_t cycle, uint64_t *last_flit);
// To be told after every cycle in which its firmware may have worked.
void clock_sees(struct sim *s, uint32_t n, uint64_t cycle);
// All boards are switched on.
bool clocks_run(const struct sim *s);
// So many of those cycles are between the first and the last board's latest snapshot.
uint64_t snapshots_apart(struct sim *s);
// Its edge in the cycle that was stepped last is so much later, in 2^-32 cycles: the simulator's
// edges are those of the fastest clock there could be. Links' words cross, and times are told, by
// that.
uint32_t clock_part(const struct sim *s, uint32_t n);

#endif
