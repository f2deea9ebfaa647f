// SPDX-License-Identifier: Apache-2.0
// What b_eff and osu share: messages of doubling sizes, timed in cycles of NODE.TIME, each beside
// what the wires would allow; rows and a plot.
#ifndef SIZES_H
#define SIZES_H

#include "../../sim/model/wires.h"
#include "streams.h"

enum { MOST_SIZES = 21, MOST_CURVES = 18 }; // 1 B to 1 MiB

// Of a torus as it was asked for; what wires.h says of it.
unsigned wires_links(const struct shape *s);
double wires_flits(const struct shape *s, size_t bytes);

// Measured: a curve a ring or a test, best[] in cycles, 0 where nothing was measured.
struct sizes {
    unsigned curves, first, sizes; // sizes 2^first, ... 2^(sizes - 1)
    bool empty;                    // one, of no bytes
    char name[MOST_CURVES][16];
    double best[MOST_CURVES][MOST_SIZES], bound[MOST_CURVES][MOST_SIZES];
    unsigned moved; // in such a message's time a board sends so many of its size
    const char *title;
};
// The time, of the board we are plugged into.
int sizes_time(struct torus *t, uint32_t *cycle);
// Notes a repetition of size i of the last curve. False: twice as many bytes may take longer than
// the time goes before it begins anew; they are not measured.
bool sizes_note(struct sizes *s, unsigned i, uint32_t from, uint32_t to);
void sizes_rows(const struct sizes *s, struct table *rows);
extern const struct column sizes_columns[];
// Mean over all sizes of the best bytes a cycle, NAN where some were not measured.
double sizes_mean(const struct sizes *s, unsigned curve);
// STEM.gp, .png and .svg. Exit status.
int sizes_plot(const struct sizes *s, const char *stem);

#endif
