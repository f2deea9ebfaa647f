// SPDX-License-Identifier: Apache-2.0
#include "core_bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t bench_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

// mask, match, name; in the order of the specification's listing (Volume I, chapter RV32/64G).
static const struct {
    uint32_t mask, match;
    const char *name;
} classes[BENCH_CLASSES] = {
    {0x0000007f, 0x00000037, "lui"},   {0x0000007f, 0x00000017, "auipc"},
    {0x0000007f, 0x0000006f, "jal"},   {0x0000707f, 0x00000067, "jalr"},
    {0x0000707f, 0x00000063, "beq"},   {0x0000707f, 0x00001063, "bne"},
    {0x0000707f, 0x00004063, "blt"},   {0x0000707f, 0x00005063, "bge"},
    {0x0000707f, 0x00006063, "bltu"},  {0x0000707f, 0x00007063, "bgeu"},
    {0x0000707f, 0x00000003, "lb"},    {0x0000707f, 0x00001003, "lh"},
    {0x0000707f, 0x00002003, "lw"},    {0x0000707f, 0x00004003, "lbu"},
    {0x0000707f, 0x00005003, "lhu"},   {0x0000707f, 0x00000023, "sb"},
    {0x0000707f, 0x00001023, "sh"},    {0x0000707f, 0x00002023, "sw"},
    {0x0000707f, 0x00000013, "addi"},  {0x0000707f, 0x00002013, "slti"},
    {0x0000707f, 0x00003013, "sltiu"}, {0x0000707f, 0x00004013, "xori"},
    {0x0000707f, 0x00006013, "ori"},   {0x0000707f, 0x00007013, "andi"},
    {0xfe00707f, 0x00001013, "slli"},  {0xfe00707f, 0x00005013, "srli"},
    {0xfe00707f, 0x40005013, "srai"},  {0xfe00707f, 0x00000033, "add"},
    {0xfe00707f, 0x40000033, "sub"},   {0xfe00707f, 0x00001033, "sll"},
    {0xfe00707f, 0x00002033, "slt"},   {0xfe00707f, 0x00003033, "sltu"},
    {0xfe00707f, 0x00004033, "xor"},   {0xfe00707f, 0x00005033, "srl"},
    {0xfe00707f, 0x40005033, "sra"},   {0xfe00707f, 0x00006033, "or"},
    {0xfe00707f, 0x00007033, "and"},   {0x0000607f, 0x0000000f, "fence"}, // and fence.i
    {0xffffffff, 0x00000073, "ecall"}, {0xffffffff, 0x00100073, "ebreak"},
};

int bench_class(uint32_t word)
{
    for (int i = 0; i < BENCH_CLASSES; i++)
        if ((word & classes[i].mask) == classes[i].match)
            return i;
    return -1;
}

const char *bench_class_name(int class_number)
{
    return classes[class_number].name;
}

struct bench *bench_new(int waits, uint64_t seed)
{
    struct bench *bench = calloc(1, sizeof *bench);
    if (bench)
        bench->ram = calloc(1, BENCH_SIZE);
    if (bench && bench->ram)
        bench->output = calloc(1, BENCH_SIZE);
    if (!bench || !bench->ram || !bench->output) {
        fprintf(stderr, "out of memory\n");
        exit(2);
    }
    bench->core = core_new(seed);
    bench->waits = waits;
    bench->random = seed;
    return bench;
}

void bench_free(struct bench *bench)
{
    core_free(bench->core);
    free(bench->ram);
    free(bench->output);
    free(bench);
}

static void protocol_error(struct bench *bench, const char *what, const struct core_pins *pins)
{
    if (!bench->error[0])
        snprintf(bench->error, sizeof bench->error, "cycle %llu, address %08x: %s",
                 (unsigned long long)bench->cycles, pins->mem_addr, what);
}

// Carries out a transfer in the cycle of mem_ready. True if it ends the run.
static bool transfer(struct bench *bench, struct core_pins *pins)
{
    uint32_t address = pins->mem_addr;
    uint32_t mask = 0;
    for (int i = 0; i < 4; i++)
        if (pins->mem_wstrb >> i & 1)
            mask |= 0xffu << (8 * i);
    pins->mem_rdata = (uint32_t)bench_random(&bench->random);
    if (address - BENCH_BASE < BENCH_SIZE) {
        uint32_t *word = &bench->ram[(address - BENCH_BASE) / 4];
        if (!mask)
            pins->mem_rdata = *word;
        else
            *word = (*word & ~mask) | (pins->mem_wdata & mask);
    } else if (address == BENCH_UART && mask == 0xff) {
        if (bench->output_size < BENCH_SIZE)
            bench->output[bench->output_size++] = (uint8_t)pins->mem_wdata;
    } else if (address == BENCH_UART + 4 && !mask) {
        pins->mem_rdata = 0x6000; // line status: transmitter empty
    } else if (address == BENCH_EXIT && mask) {
        return true;
    } else {
        protocol_error(bench, "access outside the memory", pins);
        return true;
    }
    return false;
}

bool bench_run(struct bench *bench, uint32_t stop, uint64_t limit)
{
    struct core_pins pins = {.rst = true}, before = {0};
    bool waiting = false, ended = false, after_ready = false;
    uint32_t early = 0; // mem_addr in the cycle before
    int left = 0;

    bench->cycles = bench->instructions = 0;
    bench->output_size = 0;
    bench->trapped = false;
    bench->error[0] = 0;
    memset(bench->fetched, 0, sizeof bench->fetched);
    for (int i = 0; i < 3; i++) {
        core_eval(bench->core, &pins);
        core_edge(bench->core);
    }
    core_eval(bench->core, &pins);
    if (pins.mem_valid)
        protocol_error(bench, "mem_valid during reset", &pins);
    early = pins.mem_addr;
    pins.rst = false;
    while (!ended && !bench->error[0] && bench->cycles < limit) {
        pins.mem_ready = false;
        pins.mem_rdata = (uint32_t)bench_random(&bench->random);
        core_eval(bench->core, &pins);
        if (pins.trap) {
            bench->trapped = true;
            bench->trap_pc = pins.trap_pc;
            bench->trap_cause = pins.trap_cause;
            if (pins.mem_valid)
                protocol_error(bench, "mem_valid while trap", &pins);
            return false;
        }
        if (waiting && (!pins.mem_valid || pins.mem_addr != before.mem_addr ||
                        pins.mem_instr != before.mem_instr || pins.mem_wstrb != before.mem_wstrb ||
                        (pins.mem_wstrb && pins.mem_wdata != before.mem_wdata)))
            protocol_error(bench, "changed before mem_ready", &pins);
        if (after_ready && pins.mem_valid)
            protocol_error(bench, "mem_valid in the cycle after a transfer", &pins);
        after_ready = false;
        if (pins.mem_valid) {
            if (pins.mem_addr % 4 || (pins.mem_instr && pins.mem_wstrb))
                protocol_error(bench, "not aligned, or a fetch that writes", &pins);
            if (!waiting) {
                if (core_early() && pins.mem_addr != early)
                    protocol_error(bench, "not there a cycle before mem_valid", &pins);
                left = bench->waits >= 0
                           ? bench->waits
                           : (int)(bench_random(&bench->random) % (unsigned)(1 - bench->waits));
                if (pins.mem_instr && stop && pins.mem_addr == stop)
                    ended = true;
            }
            waiting = left > 0;
            before = pins;
            if (left-- == 0) {
                ended |= transfer(bench, &pins);
                if (pins.mem_instr) {
                    int class_number = bench_class(pins.mem_rdata);
                    bench->instructions++;
                    if (class_number >= 0)
                        bench->fetched[class_number]++;
                }
                pins.mem_ready = true;
                core_eval(bench->core, &pins);
                if (!pins.mem_valid || pins.mem_addr != before.mem_addr)
                    protocol_error(bench, "mem_valid depends on mem_ready", &pins);
                after_ready = true;
            }
        }
        early = pins.mem_addr;
        core_edge(bench->core);
        bench->cycles++;
    }
    return ended && !bench->error[0];
}
