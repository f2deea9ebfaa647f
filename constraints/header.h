// SPDX-License-Identifier: Apache-2.0
// A board's header as constraints/BOARD.json has it: where its pins are, and which source says so.
//
// "header" may be another board's name, whose header it is then. Its pins are counted in rows of
// two, one header after the other: 40 each, or as many as the "parts" have. A part, or the header
// where there are none, has
//     "printed"   what is beside each pin, where that is not its number; "" beside what is no wire
//     "numbered"  the sources that say which pin has which number: for each "in", the path of one
//                 of "sources" or of the header's own "sources", which name no pins, and
//         "name": TEXT       that source's name for a pin is TEXT and the number; or
//         "list": TEXT       behind this text, which is there once, is a list: the first is at pin
//                            1, or at "first", or they are at the numbers in "places"; or
//         "schematic": NAME  it is KiCad's, and has a label at each pin of this 2x20 connector
//     with list and schematic also
//         "as": PATH         what is there is the name that this source has, not the FPGA's pin
//         "otherwise": [[NUMBER, TEXT]...]  there it says this, which is wrong: another one counts
#ifndef HEADER_H
#define HEADER_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct header_place {
    const json_t *part; // NULL: there are none
    int index, own;     // which header it is, and the pin's place there
    char printed[32];   // its number, if nothing else is
};

// Where "header" is another board's name: puts that one's there. Returns what is wrong, NULL if
// nothing is.
const char *header_share(json_t *record);

// Finds place `at` of the header; returns what is wrong, NULL if nothing is.
const char *header_find(const json_t *header, json_int_t at, struct header_place *place);

// Whether a list or schematic in the source at `path` says numbers: whether to read it.
bool header_reads(const json_t *record, const char *path);

// Whether every wire of a cable has a number that a source says. With the text of the source at
// `path`, whether that says so; without, NULL, whether the record is whole. What is wrong in `why`.
bool header_holds(const json_t *record, const char *path, const char *text, char *why, size_t size);

#endif
