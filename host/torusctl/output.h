// SPDX-License-Identifier: Apache-2.0
// What torusctl prints: every row of every command, as text, JSON or CSV, by one writer; errors.
#ifndef OUTPUT_H
#define OUTPUT_H

#include <jansson.h>

#include "command.h"

// A column of a table. Rows are JSON objects that have all of its keys.
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
const char *at_text(const uint8_t at[3], unsigned dims, char text[16]);   // "1,2"
const char *sizes_text(const uint8_t k[3], unsigned dims, char text[16]); // "4x3"

#endif
