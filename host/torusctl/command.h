// SPDX-License-Identifier: Apache-2.0
// A command of torusctl: its name, options, manual and code. A file a command; commands.c lists
// them. Help, manual page and completion are made of these (manual.c).
#ifndef COMMAND_H
#define COMMAND_H

#include <argp.h>

#include "libtorus.h"

enum format { TEXT, JSON, CSV };

enum { MAX_REST = 64, MAX_GIVEN = 32 };

// An option that was given, by its name: of which group of those that commands share, 0: its own.
struct given {
    const char *name;
    unsigned group;
};

// What the options that commands share say (options.c), and what stands after the command.
struct args {
    const struct command *command;
    struct given given[MAX_GIVEN];
    unsigned given_count;
    const char *where; // NULL: not given
    enum format format;
    struct torus_options options;
    const char *key_file, *names; // NULL: none
    bool debug;
    struct torus_run run; // of groups STREAM and MESSAGES
    const char *rest[MAX_REST];
    unsigned rest_count;
};

// Options that commands share.
enum {
    CONNECTION = 1, // how to reach the boards
    REQUESTS = 2,   // of its own: session, retries
    AT_ONCE = 4,    // several of them at once
    PLACES = 8,     // places may have names, which are taken or shown
    WRITING = 16,   // key and lease
    FORMAT = 32,
    STREAM = 64, // length, warm-up and window of what is measured
    MESSAGES = 128,
};

enum { GO_ON = -1 };

struct command {
    const char *name;
    const char *arguments; // that follow it, for its help; NULL: none
    unsigned most;         // so many of them at most
    const char *summary;   // half a line
    const char *about;     // the manual, in paragraphs; "@PATTERNS@" is the list of them
    const char *examples;  // without "torusctl -t usb ", a line each; "!": no board in it
    unsigned groups;       // of options, CONNECTION, ...
    // Its own. An argument's name that has "|" in it is the list of its values; with "," it is of a
    // list.
    const struct argp_option *options;
    // Takes one of its own: true, if it has that one.
    bool (*option)(int key, char *arg, struct argp_state *state);
    // Does an option that was given do nothing, as the command is used here? Why, and what to do;
    // NULL: it does something. Own options may be looked at by prepare() as well.
    const char *(*idle)(const struct args *a, const struct given *option);
    // What is done before anything is opened. GO_ON, or the exit status. NULL: nothing.
    int (*prepare)(struct args *a);
    bool shares; // the board is opened by torus_share(); and from the first argument on all is of
                 // a command that it starts
    // The rest. Exit status. NULL: prepare was all of it, no board is needed.
    int (*run)(struct torus *t, const struct args *a);
};

extern const struct command *const commands[]; // NULL ends them

// A group (one of the bits) as options, and as argp's. Its parsers take a struct args.
const struct argp_option *group_options(unsigned group);
const struct argp *group_argp(unsigned group);
enum { LAST_GROUP = MESSAGES };

// Notes that an option of a group was given: that of this key. Its value, which every option's
// comes by here, is refused if it is empty or has an empty place in a list.
void note_given(struct argp_state *state, struct args *a, const struct argp_option *options,
                unsigned group, int key, const char *arg);

// Of the examples from *at on: the next one, as a whole line. False: there is none.
enum { EXAMPLE = 200 };
bool next_example(const struct command *c, const char **at, char line[EXAMPLE]);
// argp's help_filter, which puts in the list of patterns; manual.c calls it, too.
char *fill_in(int key, const char *text, void *input);

// Values of options; what is wrong ends the program with one line and status 2. whole: digits only.
double number(struct argp_state *state, const char *arg, double low, double high);
uint64_t whole(struct argp_state *state, const char *arg, uint64_t low, uint64_t high);
// One of "a|b|c": which.
unsigned one_of(struct argp_state *state, const char *arg, const char *what, const char *list);
// Up to 16 hexadecimal digits, not 0; false: they are not.
bool parse_key(const char *text, uint64_t *key);

#endif
