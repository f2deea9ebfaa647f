// SPDX-License-Identifier: Apache-2.0
// One time over reliable links, by the simulator's own: how far apart NODE.TIME of the boards is.
#ifndef OFR_TIMES_H
#define OFR_TIMES_H

#include "sim.h"

// Looks, once links have been up for a million cycles, between two steps.
void times_watch(struct sim *s);

// NODE.TIME of any two boards are so many cycles apart at most, now.
uint32_t times_apart(const struct sim *s);

// What it has seen, if anything.
void times_say(const struct sim *s);

#endif
