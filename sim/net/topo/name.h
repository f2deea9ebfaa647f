// SPDX-License-Identifier: Apache-2.0
// Topologies by name. What a torus is and how its nodes, ports and distances go: sim/model/torus.h.
#ifndef NET_NAME_H
#define NET_NAME_H

#include <stdbool.h>

#include "torus.h"

// "torus:8x8x8" or "8x8x8"; false where it is not n = 1 .. 6 sizes of 1 .. 255.
bool net_torus_parse(const char *text, struct ofr_torus *torus);
void net_torus_print(const struct ofr_torus *torus, char *text, unsigned size);

#endif
