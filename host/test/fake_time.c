// SPDX-License-Identifier: Apache-2.0
// The time of tests on fake boards, in place of the C library's clock and sleep: it goes on by what
// the program does, a look at the clock takes 0.1 to 0.9 microseconds, and a sleep is over at once.
// So a test with a seed does the same each time, however fast the machine is and whatever else runs
// on it.
#define _POSIX_C_SOURCE 200809L
#include <stdint.h>
#include <time.h>

static uint64_t nanoseconds = UINT64_C(1000000000), draw = 1;

int clock_gettime(clockid_t which, struct timespec *now)
{
    (void)which;
    draw = draw * 6364136223846793005u + 1442695040888963407u;
    nanoseconds += 100 + (draw >> 32) % 801;
    now->tv_sec = (time_t)(nanoseconds / 1000000000);
    now->tv_nsec = (long)(nanoseconds % 1000000000);
    return 0;
}

int nanosleep(const struct timespec *wanted, struct timespec *left)
{
    nanoseconds += (uint64_t)wanted->tv_sec * 1000000000 + (uint64_t)wanted->tv_nsec;
    if (left)
        *left = (struct timespec){0};
    return 0;
}
