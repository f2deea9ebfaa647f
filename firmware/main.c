// SPDX-License-Identifier: Apache-2.0
// The firmware on the target: one loop over fw_poll(), and the two functions gcc may call.
#include <stddef.h>

#include "fw.h"

__attribute__((used)) void *memset(void *to, int value, size_t bytes);
__attribute__((used)) void *memcpy(void *restrict to, const void *restrict from, size_t bytes);

__attribute__((optimize("no-tree-loop-distribute-patterns"))) void *memset(void *to, int value,
                                                                           size_t bytes)
{
    for (char *p = to; bytes--;)
        *p++ = (char)value;
    return to;
}

__attribute__((optimize("no-tree-loop-distribute-patterns"))) void *
memcpy(void *restrict to, const void *restrict from, size_t bytes)
{
    char *p = to;
    for (const char *q = from; bytes--;)
        *p++ = *q++;
    return to;
}

static struct fw state;

int main(void)
{
    fw_init(&state);
    for (;;)
        fw_poll(&state);
}
