// SPDX-License-Identifier: Apache-2.0
// What the files of torusctl share.
#ifndef CTL_H
#define CTL_H

#include <jansson.h>

#include "libtorus.h"

enum format { TEXT, JSON, CSV };

enum { MAX_LIST = 64, MAX_REST = 2 };

struct args {
    const char *command, *where;
    enum format format;
    struct torus_options options;
    // discover
    bool assign;
    const char *svg; // file to draw into
    // program
    const char *routing, *tie;
    long threshold, delta;
    bool resume, abort, print;
    unsigned dims;    // of what is printed
    const char *file; // a table's: rest[0]
    struct torus_preset preset;
    struct torus_table table;
    // run
    const char *patterns, *loads, *lengths;
    bool gamma; // loads are in gamma0
    // bench
    const char *plot; // files' stem
    bool histogram, links;
    struct torus_run run;
    // counters, ping
    const char *at;
    bool all;
    unsigned count;         // 0: not given
    const char *path;       // ping's, trace's
    double watch;           // counters: seconds between two looks, 0: one look
    const char *thresholds; // file
    // What stands after the command.
    const char *rest[MAX_REST];
    unsigned rest_count;
};

// The commands: exit statuses.
int do_discover(struct torus *t, const struct args *a);
int do_info(struct torus *t, const struct args *a);
int do_program(struct torus *t, const struct args *a);
int do_run(struct torus *t, const struct args *a);
int do_counters(struct torus *t, const struct args *a);
int do_bench(struct torus *t, const struct args *a);
int do_align(struct torus *t, const struct args *a);
int do_snapshot(struct torus *t, const struct args *a);
int do_monitor(struct torus *t, const struct args *a);
int do_ping(struct torus *t, const struct args *a);
int do_trace(struct torus *t, const struct args *a);
int do_bandwidth(struct torus *t, const struct args *a);
int do_diff(const struct args *a); // needs no board
int do_latency(struct torus *t, const struct args *a);

// Patterns and loads, from the command line. Exit status.
struct sweep {
    enum torus_pattern pattern[MAX_LIST];
    double load[MAX_LIST];
    unsigned patterns, loads;
};
int sweep_read(const struct args *a, const char *all_loads, struct sweep *s);
// Is it a pattern of several that does not exist in this torus? Says so, and notes it.
bool sweep_skips(const struct sweep *s, unsigned pattern, unsigned dims, const uint8_t k[3],
                 json_t *skipped);
// A row of run and bench, and what stands above them.
void run_head(const struct args *a, unsigned dims, const uint8_t k[3]);
void run_row(const struct args *a, json_t *rows, const char *routing, const char *pattern,
             const struct torus_result *r);

// Works out a->preset or a->table, prints it if that is wanted. Exit status.
int prepare_program(struct args *a);

// One line on stderr; the exit status that goes with the error.
int report(struct torus *t, int error);
// The same for wrong use.
int wrong(const char *what, const char *value, const char *hint);

// JSON from a file; NULL: a line on stderr has said what is wrong, and where.
json_t *file_load(const char *file);
// Something else that is wrong in it; the message begins with its place as "table[0].lambda[1]: ",
// of which line and column are worked out. false.
__attribute__((format(printf, 2, 3))) bool file_bad(const char *file, const char *format, ...);
// An object with just these keys (NULL ends them), and perhaps one more. what: its place.
bool file_keys(const char *file, const char *what, json_t *object, const char *const *wanted,
               const char *optional);

// Counters of all boards, at one time.
struct counter_set {
    unsigned dims, nodes;
    uint8_t k[3];
    double seconds;                    // since 1970, 0: unknown
    uint32_t cycle;                    // NODE.TIME of the board we are plugged into
    uint64_t (*value)[TORUS_COUNTERS]; // a node; to be freed
};
// Reads them; makes room where value is NULL.
int counters_take(struct torus *t, struct counter_set *set);
// The same by torus_snapshot().
int counters_at_once(struct torus *t, double seconds, struct torus_clock *clock, double *residual,
                     struct counter_set *set);
// Counters of a board, to stdout; JSON: into `boards`.
void print_board(const struct args *a, const struct counter_set *s, unsigned node, json_t *boards);
// A link is bad of which a counter goes up by more than `above` in all, a second or a cycle.
enum { MAX_RULES = 32 };
struct rule {
    char counter[32]; // without the port
    double above;
    unsigned per;
};
struct rules {
    struct rule rule[MAX_RULES];
    unsigned count;
};
bool thresholds_read(const char *file, struct rules *out);

// counters --watch: attached already. Exit status.
int watch(struct torus *t, const struct args *a);

// A table from a file (README.md), out->destinations to be freed in any case; false: a line on
// stderr has said what is wrong, and where.
bool table_read(const char *file, struct torus_table *out);
// To stdout, as such a file.
void table_print(const struct torus_table *table);

// "X,Y" or "X,Y,Z" each from 0 to 15; false: a line on stderr.
bool parse_at(const char *text, uint8_t at[3]);
// "x+,x+,y-": ports; false: a line on stderr.
bool parse_path(const char *text, uint8_t path[TORUS_MAX_HOPS], unsigned *hops);
// Attaches, and sees to it that all boards have the same table: TORUS_OK, or the exit status of
// what was said. A mixed torus is said, and let pass where `mixed` is not NULL, which is then 1.
int attach(struct torus *t, int *mixed);

// Rows (JSON objects with the same keys in the same order) as a table: text, CSV with a head, or
// JSON: `head` with them under `name`. Frees both. fields: of text, NULL: all, else those with
// commas between.
void put_rows(const struct args *a, json_t *head, const char *name, json_t *rows,
              const char *fields);

// A bar on stderr, where that is a terminal; done = total: takes it away.
void progress(const char *what, double done, double total);

// Text: what a lifetime may be wrong by, where clocks were aligned.
void put_apart(const struct args *a, double apart);

// Prints and frees.
void put_json(json_t *value);
json_t *json_at(const uint8_t at[3], unsigned dims);
json_t *json_serial(uint64_t serial);
void at_text(const uint8_t at[3], unsigned dims, char text[16]);

// Is the cable at b's port p the one that a torus has there? b may be NULL.
bool right_cable(const struct torus *t, const uint8_t k[3], const struct torus_board *b,
                 unsigned p);
// What was discovered as a picture, by the program neato of graphviz. Exit status.
int draw_svg(const struct torus *t, const uint8_t k[3], unsigned dims, const char *file);

#endif
