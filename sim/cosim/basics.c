// SPDX-License-Identifier: Apache-2.0
// See basics.h.
#include "basics.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

noreturn void die(const char *format, ...)
{
    va_list args;
    fprintf(stderr, "boardsim: ");
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    exit(2);
}

void *allocate(size_t n, size_t size)
{
    void *memory = calloc(n, size);
    if (!memory)
        die("out of memory for %zu boards", n);
    return memory;
}

uint64_t random_of(uint64_t seed, uint32_t n, unsigned what)
{
    uint64_t z = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15) + n + ((uint64_t)what << 32);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}
