// SPDX-License-Identifier: Apache-2.0
// Makes test programs: machine code that leaves its results in memory, for the core and for QEMU.
#ifndef OFR_CORE_PROGRAM_H
#define OFR_CORE_PROGRAM_H

#include <stddef.h>
#include <stdint.h>

enum {
    PROGRAM_FAR = 0x80400000,     // code at the ends of long jumps and branches
    PROGRAM_FAR_WORDS = 0x50000,  // 1.25 MiB
    PROGRAM_SCRATCH = 0x80200000, // loads and stores go round here
    PROGRAM_RESULTS = 0x80300000,
};

// A program to be placed at BENCH_BASE and at PROGRAM_FAR. It ends at `dump`: from there on it
// writes its results to the UART and leaves by BENCH_EXIT, for QEMU.
struct program {
    uint32_t *words, *far_words;
    size_t count, capacity, far_count;
    uint32_t dump;    // address
    uint32_t results; // bytes at PROGRAM_RESULTS
};

// Every instruction with chosen operands: all pairs of corner values, shifts by all amounts, loads
// and stores of all sizes and alignments, jumps and branches both ways and far.
struct program program_directed(void);

// `blocks` blocks of random instructions on random registers; every block's registers are results.
struct program program_random(uint64_t seed, int blocks);

void program_free(struct program *program);

#endif
