// SPDX-License-Identifier: Apache-2.0
// Topologies by name. What a torus is and how its nodes, ports and distances go: sim/model/torus.h.
#ifndef NET_NAME_H
#define NET_NAME_H

#include <stdbool.h>

#include "torus.h"

enum { NET_TORUS_TEXT = 7 + 4 * OFR_MAX_DIMS }; // enough for any name

// "torus:8x8x8" or "8x8x8"; false where it is not n = 1 .. OFR_MAX_DIMS sizes of 1 .. 255, at most
// 2^22 nodes.
bool net_torus_parse(const char *text, struct ofr_torus *torus);
// A port's link by its axis: "x+" to "w-", then "7+" and so on. Into `text` of NET_PORT_TEXT.
enum { NET_PORT_TEXT = 8 };
const char *net_port_print(unsigned port, char *text);

void net_torus_print(const struct ofr_torus *torus, char *text, unsigned size);

#endif
