// SPDX-License-Identifier: Apache-2.0
// What the tests of libtorus' calls share: a handle, TAP of what a call is to do or say, bytes to
// be sent. `subject` is defined before.
#ifndef CALLS_H
#define CALLS_H

#include <libtorus.h>
#include <stdio.h>
#include <string.h>

static struct torus *t;
static int number, failures;

static void result(bool good, const char *name)
{
    printf("%sok %d - %s: %s\n", good ? "" : "not ", ++number, subject, name);
    if (!good)
        printf("# %s\n", torus_detail(t));
    failures += !good;
}

// The call ends like this, and its detail says that.
static inline void says(int error, int wanted, const char *words, const char *name)
{
    bool good = error == wanted && strstr(torus_detail(t), words);
    result(good, name);
    if (!good)
        printf("# error %d\n", error);
}

// Bytes that differ by place, length and seed.
static void fill(uint8_t *data, size_t bytes, unsigned seed)
{
    for (size_t i = 0; i < bytes; i++)
        data[i] = (uint8_t)(seed + bytes + 7 * i + i / 256);
}

#endif
