// SPDX-License-Identifier: Apache-2.0
// What benches of two link ends say alike: where an end differs from its model, latency, how a run
// is replayed.
#ifndef LINK_REPORT_H
#define LINK_REPORT_H

#include "link_port.h"

// The first output pin that is not the model's, and its two values; NULL: all are.
const char *link_differs(const struct ofr_link_out *rtl, const struct ofr_link_out *model,
                         uint64_t value[2]);
// Lines of TAP's comments. Of both ends' packets: latency of headers, in cycles, the cable's left
// out.
void link_print_latency(const struct port_totals *a, const struct port_totals *b);
// kind: the one that was asked for, -1: none.
void link_print_replay(const char *why, uint64_t seed, uint64_t cycles, int kind);

#endif
