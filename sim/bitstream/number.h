// SPDX-License-Identifier: Apache-2.0
// A number among a program's words; without one it ends, with one line and status 2.
#ifndef NUMBER_H
#define NUMBER_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static inline unsigned long number(const char *program, const char *name, const char *text,
                                   unsigned long most)
{
    char *end;

    errno = 0;
    unsigned long n = strtoul(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || errno || n > most) {
        fprintf(stderr, "%s: %s: '%s' is not a number up to %lu\n", program, name, text, most);
        exit(2);
    }
    return n;
}

#endif
