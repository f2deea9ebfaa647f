// SPDX-License-Identifier: Apache-2.0
// The time and the chance of tests on fake boards, in place of the C library's clock, sleep and
// random bytes: time goes on by what the program does, a look at the clock takes 0.1 to 0.9
// microseconds, and a sleep is over at once; the bytes are always the same ones. So a test with a
// seed does the same each time, however fast the machine is and whatever else runs on it; and
// nobody in it guesses a lease's number of 16 bits, which in thousands of tries happens now and
// then.
#define _POSIX_C_SOURCE 200809L
#include <stdint.h>
#include <sys/random.h>
#include <time.h>

static uint64_t nanoseconds = UINT64_C(1000000000), draw = 1, bytes_drawn = 2;

static uint32_t next(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 32);
}

ssize_t getrandom(void *to, size_t size, unsigned flags)
{
    (void)flags;
    for (size_t i = 0; i < size; i++)
        ((uint8_t *)to)[i] = (uint8_t)(next(&bytes_drawn) >> 24);
    return (ssize_t)size;
}

int clock_gettime(clockid_t which, struct timespec *now)
{
    (void)which;
    nanoseconds += 100 + next(&draw) % 801;
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
