// SPDX-License-Identifier: Apache-2.0
// The core on a test bench: memory with chosen waits, a checker of the memory port's protocol.
#ifndef OFR_CORE_BENCH_H
#define OFR_CORE_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Pins of ofr_core, without clk. Filled by core_eval from those marked out.
struct core_pins {
    bool rst, mem_ready;
    uint32_t mem_rdata;
    bool mem_valid, mem_instr, trap;       // out
    uint32_t mem_addr, mem_wdata, trap_pc; // out
    uint8_t mem_wstrb, trap_cause;         // out
};

// The Verilated core (core_shim.cpp).
struct core;
struct core *core_new(uint64_t seed); // in random state
void core_free(struct core *core);
void core_eval(struct core *core, struct core_pins *pins); // settle with clk low
void core_edge(struct core *core);                         // clk high
bool core_small(void);                                     // parameter SMALL: more cycles
bool core_early(void); // parameter EARLY: mem_addr is there a cycle before mem_valid

enum {
    BENCH_BASE =
        0x80000000,       // RAM: where QEMU's `virt` machine has it, and the core's reset address
    BENCH_SIZE = 8 << 20, // bytes
    BENCH_UART = 0x10000000, // a 16550 as in `virt`: collects written bytes, always ready
    BENCH_EXIT = 0x00100000, // a store here ends the run (`virt`: power off)
};

struct bench {
    struct core *core;
    uint32_t *ram; // BENCH_SIZE bytes
    int waits;     // cycles from mem_valid to mem_ready; negative: random, 0 to -waits
    uint64_t random;
    uint64_t cycles, instructions; // of the last run; instructions are fetches
    uint64_t fetched[40];          // of these, how many of each bench_class
    uint8_t *output;               // what the program wrote to the UART
    size_t output_size;
    bool trapped;
    uint32_t trap_pc;
    unsigned trap_cause;
    char error[160]; // empty, or what the core did against its port's protocol
};

// A bench with zeroed memory; the seed is of the core's state before its first reset and of random
// waits. Ends the program when memory is out.
struct bench *bench_new(int waits, uint64_t seed);
void bench_free(struct bench *bench);

// Reset, then run until a store to BENCH_EXIT, a fetch from address `stop` (0: none), a trap, a
// protocol error or `limit` cycles. True when it ended by exit or stop.
bool bench_run(struct bench *bench, uint32_t stop, uint64_t limit);

// Class of an RV32I instruction word, 0 .. BENCH_CLASSES - 1, and its name; -1: not RV32I. This is
// the tests' own decoder, written from the specification's table, not from the core.
enum { BENCH_CLASSES = 40 };
int bench_class(uint32_t word);
const char *bench_class_name(int class_number);

// splitmix64
uint64_t bench_random(uint64_t *state);

#endif
