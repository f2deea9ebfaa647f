// SPDX-License-Identifier: Apache-2.0
// What is done to boards and cables while they run: "reset 5", "cut 5.x+", "join 5.x+",
// "join 5.x+:7.y-"; from another process over DIR/control.sock, a line there and a line back, or in
// given cycles, --at.
#ifndef CONTROL_H
#define CONTROL_H

#include "sim.h"

void open_control(struct sim *s);
void close_control(struct sim *s);
// Between two batches: does what is asked for, and what --at says of this cycle.
void serve_control(struct sim *s);

// The other process: sends o->order, prints what comes back. Its exit status.
int ask_control(const struct options *o);

#endif
