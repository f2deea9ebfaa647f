// SPDX-License-Identifier: Apache-2.0
// What the files of torusctl share besides command.h and output.h: places, files, counters.
#ifndef CTL_H
#define CTL_H

#include "output.h"

enum { MAX_LIST = 64 };

// Patterns and loads, from the command line. Exit status.
struct sweep {
    enum torus_pattern pattern[MAX_LIST];
    double load[MAX_LIST];
    unsigned patterns, loads;
};
int sweep_read(const char *patterns, const char *loads, struct sweep *s);
// Why a seed does nothing with these patterns, NULL: one of them draws destinations.
const char *sweep_seedless(const char *patterns);
// Is it a pattern of several that does not exist in this torus? Says so, and notes it.
bool sweep_skips(const struct sweep *s, unsigned pattern, unsigned dims, const uint8_t k[3],
                 json_t *skipped);
// What loads are in: flits, or gamma0. 0: there is none here, a line on stderr.
double sweep_unit(bool gamma, unsigned dims, const uint8_t k[3]);
// Rows of run and bench.
extern const struct column run_columns[];
void run_note(struct table *rows, unsigned dims, const uint8_t k[3]);
json_t *run_row(const char *routing, const char *pattern, const struct torus_result *r);
// The names of all patterns, "uniform, ...".
void pattern_list(char *text, size_t bytes);

// The user's token for write leases; 0: there is no place to keep one.
uint32_t token_load(void);

// JSON from a file; NULL: a line on stderr has said what is wrong, and where.
json_t *file_load(const char *file);
// All of a file, with room for 8 bytes more, to be freed; NULL: why it cannot be read. One of more
// than a command takes, or without an end, is refused.
struct most {
    unsigned mib;
    const char *instead; // what to do with a longer one
};
uint8_t *file_whole(const char *file, struct most most, size_t *bytes, const char **why);
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
    double seconds;                    // since 1970
    uint32_t cycle;                    // NODE.TIME of the board we are plugged into, at that time,
    double hertz;                      // and how fast it goes, by our clock
    uint64_t (*value)[TORUS_COUNTERS]; // a node; to be freed
    bool absent[TORUS_COUNTERS];       // what the boards do not count
};
// Reads them; makes room where value is NULL.
int counters_take(struct torus *t, struct counter_set *set);
// The same by torus_snapshot().
int counters_at_once(struct torus *t, double *late, double *residual, struct counter_set *set);
// From a file that `counters` or `snapshot` printed as JSON. false: said what is wrong.
bool counters_read(const char *file, struct counter_set *set);
// As in such a file: a row a board, and what stands beside the rows.
extern const struct column board_columns[];
json_t *board_row(const struct counter_set *s, unsigned node);
// A counter's value; null where boards do not count that.
json_t *counter_json(const struct counter_set *s, unsigned counter, uint64_t value);
json_t *boards_head(const struct counter_set *s);
// Is it a largest value, of which there is no difference?
bool counter_high_water(unsigned counter);
// Between two of them: seconds; cycles, of which NODE.TIME has the lower 32 bits only; whether a
// board was reset, so that it counts from 0 again; by how much a counter is up.
double counters_seconds(const struct counter_set *before, const struct counter_set *after);
double counters_cycles(const struct counter_set *before, const struct counter_set *after);
bool counters_reset(const struct counter_set *before, const struct counter_set *after,
                    unsigned node);
uint64_t counters_change(const struct counter_set *before, const struct counter_set *after,
                         unsigned node, unsigned counter);
// What has changed between two of them, as a table. all: what has not, too. Boards that were reset
// are named on stderr: how many.
unsigned put_changes(const struct args *a, const struct counter_set *before,
                     const struct counter_set *after, bool all);

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
// Says which links are bad. How many.
unsigned bad_links(const struct rules *rules, const struct counter_set *before,
                   const struct counter_set *after);

// A torus as `discover --format json` prints it, from a file; board to be freed by topology_free()
// in any case. false: a line on stderr has said what is wrong, and where.
struct topology_board {
    uint64_t serial;
    bool placed;
    uint8_t at[3];
    int peer[TORUS_PORTS]; // board of the list at the other end of the cable, -1: none
    int8_t peer_port[TORUS_PORTS];
};
struct topology {
    unsigned dims, boards;
    uint8_t k[3];
    struct topology_board *board;
};
bool topology_read(const char *file, struct topology *y);
void topology_free(struct topology *y);
// The next discover gives boards the coordinates that they have there. Exit status.
int topology_keep(struct torus *t, const struct topology *y);
// Boards of the file that have other coordinates now: each is said on stderr. How many.
unsigned topology_moved(const struct torus *t, const struct topology *y);
// What has changed, as a table. Exit status: 1 if something has.
int topology_diff(struct torus *t, const struct args *a, const struct topology *before);

// A table from a file (README.md), out->destinations to be freed in any case; false: a line on
// stderr has said what is wrong, and where.
bool table_read(const char *file, struct torus_table *out);
// The boards that it names among its destinations, in the torus as discovered. Exit status: what is
// wrong has been said.
int table_find_names(struct torus *t, const char *file, struct torus_table *table);
// To stdout, as such a file.
void table_print(const struct torus_table *table);
// What is programmed, printed. Exit status.
int put_programmed(struct torus *t, const struct args *a);
// The routing that options stand for; threshold, delta: below 0 is the default.
struct torus_preset preset_of(unsigned routing, bool plus, int threshold, int delta);
extern const char routing_list[], tie_list[]; // "abr|por|...", "both|plus"

// A place on the command line: "X,Y" or "X,Y,Z" each from 0 to 15, or a name of --names. Is it one?
// false: a line on stderr. Then, of boards attached to, its coordinates: 0, or the exit status.
bool place_good(const char *text);
bool place_is(const char *text); // likewise, and nothing is said
int place_find(struct torus *t, const char *text, uint8_t at[3]);
// Boards with a user's core: PLACE of --at, or all of them (NULL, "all"). Is it one? false: a line
// on stderr. users_find() attaches and finds them, to be freed; NULL: *status, what is wrong has
// been said. *missing: boards that are not there, of all.
bool users_good(const char *at);
// Are several boards asked, for that or to find a name?
bool users_several(const struct args *a, const char *at);
uint8_t (*users_find(struct torus *t, const char *at, unsigned *boards, unsigned *missing,
                     int *status))[3];
// "x+,x+,y-": ports; false: a line on stderr.
bool parse_path(const char *text, uint8_t path[TORUS_MAX_HOPS], unsigned *hops);
// For what reads of all boards: attaches, or where boards are missing discovers the others; those
// that are missing are said on stderr, and how many. Exit status: what is wrong has been said.
int attach_there(struct torus *t, unsigned *missing);
// The same, and sees to it that all of them have the same table.
int attach(struct torus *t, unsigned *missing);
// Of a torus attached to so: is there a board from *node on, which it then is, with its place?
bool next_there(const struct torus *t, unsigned *node, uint8_t at[3]);
// For what must be done to boards that are programmed by half, too: attached if possible, else
// discovered. The library's error.
int attach_or_discover(struct torus *t);
// torus_discover(), and what boards are called where they are.
int discover(struct torus *t);

// The serial number of a name of --names; false: it has none such. (What boards are called:
// output.h)
bool names_read(const char *file); // false: a line on stderr has said what is wrong, and where
bool name_serial(const char *name, uint64_t *serial);
// Where the named boards are, of a torus that is attached to: all are asked. The library's error.
int names_learn(struct torus *t);
// The name of the board there, as a file says; false: no memory.
bool place_call(const uint8_t at[3], const char *name);

// Between two looks of a command that stays: others may have the board for so many seconds, and
// until they let it go, which is said. Ctrl-C ends it. The library's error.
int rest(struct torus *t, double seconds);
// Of such a look: did its connection break, and is it worth another one? One that broke for the
// first time is (*broke, 0 before a look, counts), and one that others shared always: its serve is
// ending, and lets us in to the last. Where it does so no more, the board itself is found, or is
// not there.
bool look_anew(const struct torus *t, int error, unsigned *broke);

// Ctrl-C, SIGTERM and SIGHUP are noted from now on; has one come? (torus_options.cancelled)
void interrupt_note(void);
bool interrupted(void *ctx);
// No longer: what is done from now on is tidying up.
void interrupt_overhear(void);
// torus_options.frame: a line on stderr.
void debug_frame(void *ctx, bool sent, const uint8_t bytes[32]);
// Of the clock that nobody sets.
double seconds_now(void);
// The key in a file; 0: a line on stderr has said what is wrong.
uint64_t key_read(const char *file);

// Text: what a lifetime may be wrong by, where boards have clocks of their own.
void put_apart(const struct args *a, double apart);

// The board of a place; NULL: none is known there.
const struct torus_board *board_at(const struct torus *t, unsigned x, unsigned y, unsigned z);
// The next place from *node on, by torus_node_at(), at which no board is; false: there is no more.
bool next_missing(const struct torus *t, unsigned *node, uint8_t at[3]);
// Is the cable at b's port p the one that a torus has there? b may be NULL.
bool right_cable(const struct torus *t, const uint8_t k[3], const struct torus_board *b,
                 unsigned p);
// The torus drawn in letters.
void draw_text(const struct torus *t, unsigned dims, const uint8_t k[3]);
// What was discovered as a picture, by the program neato of graphviz. Exit status.
int draw_svg(const struct torus *t, const uint8_t k[3], unsigned dims, const char *file);

#endif
