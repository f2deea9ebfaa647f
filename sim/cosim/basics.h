// SPDX-License-Identifier: Apache-2.0
// What every file of boardsim stands on.
#ifndef BASICS_H
#define BASICS_H

#include <stddef.h>
#include <stdint.h>
#include <stdnoreturn.h>

// die() says what is wrong, in one line, and ends with status 2; allocate() gives zeroed memory, or
// does that.
__attribute__((format(printf, 1, 2))) noreturn void die(const char *format, ...);
void *allocate(size_t n, size_t size);
// A random number of board n's, the same for a seed: `what` 0 is its serial number, which says
// nothing about its place in the torus.
uint64_t random_of(uint64_t seed, uint32_t n, unsigned what);

#endif
