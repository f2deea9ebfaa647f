// SPDX-License-Identifier: Apache-2.0
// What the pictures of torussim view have in common.
#ifndef NET_PICTURE_H
#define NET_PICTURE_H

#include <stdio.h>

#include "output/view.h"

// Writes gnuplot's commands for a picture; the lower fifth of the screen is taken.
typedef void net_draw(FILE *out, const void *data);

// Writes the script, width x height pixels, and has it drawn; made_by: the command that made the
// data, NULL: not known. False: a line on stderr says why.
bool net_picture(const struct net_view *view, unsigned width, unsigned height, const char *made_by,
                 net_draw *draw, const void *data);

// A field as the label of an axis: words, and the unit in brackets; engine flit's loads are in
// load_unit.
void net_picture_label(FILE *out, const char *field, const char *load_unit);

// By kind of what was read.
bool net_view_records(const struct net_table *table, const struct net_view *view);
bool net_view_links(const struct net_table *table, const struct net_view *view);
bool net_view_histogram(const struct net_table *table, const struct net_view *view);

#endif
