// SPDX-License-Identifier: Apache-2.0
// Which port is joined to which: the cables of the torus, then what --cable changes.
#ifndef CABLES_H
#define CABLES_H

#include "sim.h"

void cable_torus(struct sim *s);
void change_cables(struct sim *s);
// --pull, once the cables are as they are.
void read_pulls(struct sim *s);

#endif
