// SPDX-License-Identifier: Apache-2.0
// Scripts for gnuplot: what torussim's and torusctl's plots share.
#ifndef GNUPLOT_H
#define GNUPLOT_H

#include <stdbool.h>
#include <stdio.h>

// A text in quotes, on one line.
void gnuplot_text(FILE *out, const char *text);
// A blank and a number; "NaN", which gnuplot leaves out, where it is not finite.
void gnuplot_number(FILE *out, double value);
// Colour of curve i, for `lc rgb`.
const char *gnuplot_colour(unsigned i);
// What follows goes to STEM.svg or STEM.png, so many pixels large.
void gnuplot_output(FILE *out, bool svg, unsigned width, unsigned height, const char *stem);
// Runs gnuplot on a script in a folder; false: no picture is new, and a line on stderr, which
// begins with `program`, has gnuplot's reason.
bool gnuplot_run(const char *program, const char *directory, const char *script);

#endif
