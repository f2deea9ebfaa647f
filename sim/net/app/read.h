// SPDX-License-Identifier: Apache-2.0
// What the readers of applications share: a text file line by line, and what is wrong with a line.
#ifndef NET_READ_H
#define NET_READ_H

#include <stdio.h>

#include "app/application.h"

struct net_reader {
    const char *path;
    FILE *file;
    char *line; // without its end
    size_t room;
    uint32_t number; // of the line, from 1
    char *wrong;     // gets the first mistake
    unsigned size;
    bool bad;
};

// False: it cannot be read.
bool net_reader_open(struct net_reader *reader, const char *path, char *wrong, unsigned size);
void net_reader_close(struct net_reader *reader);

// The next line; false: there is none, or a mistake.
bool net_reader_next(struct net_reader *reader);

// Notes what is wrong with this line, unless something was before; returns false.
bool net_reader_wrong(struct net_reader *reader, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// A whole number at *at, moved behind it and the blanks there; false: none, or over `most`.
bool net_read_number(char **at, uint64_t most, uint64_t *value);

// The word at *at, moved behind it and the blanks there, is `word`.
bool net_read_word(char **at, const char *word);

// The formats. `app` is empty when the file's number of ranks is not known yet; they make it.
bool net_read_own(struct net_reader *reader, struct net_application **app);
bool net_read_goal(struct net_reader *reader, struct net_application **app);
bool net_read_allprof(struct net_reader *reader, struct net_application **app);

// As net_application_op and net_application_after, a mistake where there is no memory.
bool net_read_op(struct net_reader *reader, struct net_application *app, struct net_op op,
                 uint32_t *number);
bool net_read_after(struct net_reader *reader, struct net_application *app, uint32_t op,
                    uint32_t before, bool at_start);

// Times in a file: ns to units.
uint64_t net_read_units(double ns);

#endif
