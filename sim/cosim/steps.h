// SPDX-License-Identifier: Apache-2.0
// Time: boards and what is on their cables, cycle by cycle, on several threads.
#ifndef STEPS_H
#define STEPS_H

#include "sim.h"

void start_threads(struct sim *s);
void end_threads(struct sim *s);
// Some cycles of all boards.
void step_batch(struct sim *s);
// Nothing on any cable.
bool quiet(const struct sim *s);
// Nothing in any golden board or on any cable: time may stand still.
bool idle(const struct sim *s);

#endif
