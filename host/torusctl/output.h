// SPDX-License-Identifier: Apache-2.0
// What torusctl prints: every row of every command, as text, JSON or CSV, by one writer; errors.
#ifndef OUTPUT_H
#define OUTPUT_H

#include <jansson.h>
#include <stdio.h>

#include "command.h"

// A column of a table. Rows are JSON objects that have all of its keys.
//
// Where boards have names, a place ("at", "from", "to") or a serial number ("serial", "peer") in a
// row is followed by the name in text; JSON and CSV have it as "name", "from_name", "to_name" and
// "peer_name" besides, null or empty where there is none. A table that has a column "name" of its
// own shows it there only.
struct column {
    const char *key;   // in JSON and CSV
    const char *title; // in text; NULL: not there
    int width;         // in text; 0: as wide as its widest, so that rows wait for the last one.
                       // Below 0: to the left, at least so wide
    int digits;        // in text, of a real; 0: four that count
};
struct table;
// columns: a NULL key ends them. name: of the list of rows in the JSON document; NULL: there is one
// row, which is the document.
struct table *table_begin(const struct args *a, const char *name, const struct column *columns);
// A line of text above the rows.
__attribute__((format(printf, 2, 3))) void table_note(struct table *t, const char *format, ...);
// Takes the row.
void table_row(struct table *t, json_t *row);
// Prints what is left. head: what else the JSON document has, taken; NULL: nothing.
void table_end(struct table *t, json_t *head);
// Prints nothing more.
void table_drop(struct table *t);

// From now on a failure to write to the standard output ends the program with one line and status
// 2, whatever it was about to say.
void output_guard(void);
// It has happened: a command that goes on for long ends.
bool output_failed(void);

// One line on stderr; the exit status that goes with the error.
int report(struct torus *t, int error);
// The same for wrong use.
int wrong(const char *what, const char *value, const char *hint);
// A bar on stderr, where that is a terminal; done = total: takes it away.
void progress_bar(const char *what, double done, double total);
// The same of a call of the library (torus_options.progress), where the command has no bar.
void progress_of_call(void *ctx, const char *what, double done, double total);

// Pieces of rows.
json_t *json_at(const uint8_t at[3], unsigned dims);
json_t *json_serial(uint64_t serial);

// Places and sizes in letters, and what boards are called (names.c).
const char *at_text(const uint8_t at[3], unsigned dims, char text[16]);   // "1,2"
const char *sizes_text(const uint8_t k[3], unsigned dims, char text[16]); // "4x3"
// The name of a board by its serial number, by its place; NULL: it has none, or nobody knows.
const char *name_of(uint64_t serial);
const char *place_name(const uint8_t at[3]);
bool names_given(void); // any board may have one
unsigned names_longest(void);
// For sentences: `(1,2)`, with a name `(1,2) "left"`; a board's text, and its name behind it, NULL:
// it has none.
enum { PLACE = 64 };
const char *with_name(const char *board, const char *name, char text[PLACE]);
const char *place_called(const uint8_t at[3], unsigned dims, char text[PLACE]);
// A sentence of the library, with the name after every place and serial number in it that has one.
void put_named(FILE *out, const char *text);

#endif
