// SPDX-License-Identifier: Apache-2.0
// What bandwidth, latency and trace share: streams from board to board.
#ifndef STREAMS_H
#define STREAMS_H

#include "ctl.h"

struct shape {
    unsigned dims, flit_bytes, slot_flits;
    unsigned boards, missing;  // those that are there, those that are not
    uint8_t k[3], at[4096][3]; // at[0], ... at[boards - 1]: in the order of their nodes
};
// Attached, to those that are there; sizes, bytes a flit, flits a slot. Exit status.
int shape_get(struct torus *t, struct shape *s);
// Hops between two places.
unsigned shape_distance(const struct shape *s, const uint8_t a[3], const uint8_t b[3]);
// The settings: load, --length, --warmup, --cycles.
struct torus_flow_options stream_options(const struct args *a, double load);
// The two places that stand after the command. Exit status.
int two_places(const struct args *a);
int find_places(struct torus *t, const struct args *a, uint8_t from[3], uint8_t to[3]);
// Gives back the lease, but after an error. Exit status.
int streams_end(struct torus *t, int status);
// Of --load: one load.
double one_load(struct argp_state *state, const char *arg);

#endif
