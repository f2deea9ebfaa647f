// SPDX-License-Identifier: Apache-2.0
// Seconds, by a clock that nobody sets: for how long calls take. Needs POSIX (_POSIX_C_SOURCE).
#ifndef NOW_H
#define NOW_H

#include <time.h>

static inline double now(void)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
}

#endif
