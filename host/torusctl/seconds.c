// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include <time.h>

#include "ctl.h"

double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
