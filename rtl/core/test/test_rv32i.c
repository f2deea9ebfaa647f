// SPDX-License-Identifier: Apache-2.0
// The core against QEMU, its traps, its cycles. TAP on stdout, exit status 1 if something failed.
// Usage: test_rv32i [mix.bin [seed]]; without QEMU the comparisons are skipped.
// mix.bin: the compiled programs of mix.c. The environment variable SEED gives the seed, too.
#define _POSIX_C_SOURCE 200809L // mkstemp

#include "core_bench.h"
#include "program.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ofr_regs.h"

static int tests, failures;
static uint64_t seed; // of random programs, and of the state that cores start in

static void check(bool good, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    printf("%sok %d - ", good ? "" : "not ", ++tests);
    vprintf(format, args);
    printf("\n");
    fflush(stdout);
    va_end(args);
    failures += !good;
}

static bool have_qemu(void)
{
    static int known = -1;
    if (known < 0)
        known = system("qemu-system-riscv32 --version >/dev/null 2>&1") == 0;
    return known;
}

static uint8_t *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    uint8_t *data = calloc(1, BENCH_SIZE);
    *size = 0;
    if (file && data) {
        *size = fread(data, 1, BENCH_SIZE, file);
        fclose(file);
    }
    return data;
}

// Runs memory image `ram` (BENCH_SIZE bytes) in QEMU; what it wrote to the UART, NULL on failure.
static uint8_t *run_qemu(const uint32_t *ram, size_t *size)
{
    char image[] = "/tmp/ofr-core-XXXXXX", output[sizeof image + 8], command[512];
    uint8_t *data = NULL;
    int fd = mkstemp(image);
    if (fd < 0)
        return NULL;
    size_t used = BENCH_SIZE;
    while (used > 4 && !ram[used / 4 - 1])
        used -= 4;
    bool good = write(fd, ram, used) == (ssize_t)used;
    close(fd);
    snprintf(output, sizeof output, "%s.out", image);
    snprintf(command, sizeof command,
             "timeout 60 qemu-system-riscv32 -M virt -m 64M -bios none -display none -monitor none "
             "-serial file:%s -device loader,file=%s,addr=0x%x,force-raw=on </dev/null",
             output, image, (unsigned)BENCH_BASE);
    if (good && system(command) == 0)
        data = read_file(output, size);
    unlink(image);
    unlink(output);
    return data;
}

static const struct {
    int waits;
    const char *name;
} memories[] = {{0, "at once"}, {1, "after one cycle"}, {-5, "after 0 to 5 cycles"}};

// One program on all three memories, and each result word against QEMU's.
static void test_program(const char *name, const struct program *program, uint64_t *fetched)
{
    struct bench *bench = bench_new(1, seed);
    uint8_t *expected = NULL;
    size_t size = 0;
    memcpy(bench->ram, program->words, program->count * 4);
    memcpy(bench->ram + (PROGRAM_FAR - BENCH_BASE) / 4, program->far_words, PROGRAM_FAR_WORDS * 4);
    if (have_qemu()) {
        expected = run_qemu(bench->ram, &size);
        check(expected && size == program->results, "%s: QEMU gives %u bytes of results", name,
              program->results);
    }
    bench_free(bench);
    for (int i = 0; i < 3; i++) {
        bench = bench_new(memories[i].waits, seed);
        memcpy(bench->ram, program->words, program->count * 4);
        memcpy(bench->ram + (PROGRAM_FAR - BENCH_BASE) / 4, program->far_words,
               PROGRAM_FAR_WORDS * 4);
        bool ended = bench_run(bench, program->dump, 2000000);
        const uint32_t *results = bench->ram + (PROGRAM_RESULTS - BENCH_BASE) / 4;
        check(ended, "%s: memory answers %s: ends%s%s (%" PRIu64 " instructions)", name,
              memories[i].name, bench->error[0] ? ": " : "", bench->error, bench->instructions);
        size_t bad = 0;
        while (expected && bad + 4 <= size && !memcmp(expected + bad, &results[bad / 4], 4))
            bad += 4;
        if (!expected) {
            printf("ok %d - %s: memory answers %s: results # SKIP no qemu-system-riscv32\n",
                   ++tests, name, memories[i].name);
        } else {
            uint32_t want = 0;
            if (bad + 4 <= size)
                memcpy(&want, expected + bad, 4);
            check(bad == size && size == program->results,
                  "%s: memory answers %s: results as QEMU's", name, memories[i].name);
            if (bad < size)
                printf("# result %zu is %08x, QEMU's is %08x\n", bad / 4, results[bad / 4], want);
        }
        for (int k = 0; k < BENCH_CLASSES; k++)
            fetched[k] += bench->fetched[k];
        bench_free(bench);
    }
    free(expected);
}

// Of most of them, likewise
static unsigned cycles_an_instruction(void)
{
    return core_small() ? 4 : 3;
}

// Cycles from this instruction's fetch to the next one's, memory answering after one cycle.
static uint64_t cycles_of(uint32_t word)
{
    struct bench *bench = bench_new(1, seed);
    bench->ram[0] = 0x80200537; // lui a0, 0x80200
    for (int i = 1; i < 64; i++)
        bench->ram[i] = 0x00000013;
    bench_run(bench, BENCH_BASE + 32, 1000);
    uint64_t without = bench->cycles;
    bench->ram[4] = word;
    bench_run(bench, BENCH_BASE + 32, 1000);
    uint64_t cycles = bench->cycles - without + cycles_an_instruction();
    bench_free(bench);
    return cycles;
}

static void test_cycles(void)
{
    static const struct {
        uint32_t word;
        unsigned cycles;
        const char *name;
        unsigned distance; // cycles that a shift takes more
    } table[] = {
        {0x00a50533, 3, "add", 0},
        {0x41f55513, 3, "srai by 31", 32},
        {0x0000006f | 4 << 20, 3, "jal", 0},
        {0x00052503, 6, "lw", 0},
        {0x00050583, 6, "lb", 0},
        {0x00a52023, 6, "sw", 0},
        {0x00000263, 4, "beq, taken", 0},
        {0x00001263, 4, "bne, not taken", 0},
        {0x0ff0000f, 3, "fence", 0},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        uint64_t cycles = cycles_of(table[i].word);
        unsigned right = table[i].cycles + core_small() * (1 + table[i].distance);
        check(cycles == right, "%s takes %u cycles (%" PRIu64 ")", table[i].name, right, cycles);
    }
}

enum { REGISTERS = 31 }; // x0 to x30; x31 is the base of the stores that show them

// Resets the core and has it store its registers. False when it does not get there.
static bool show_registers(struct bench *bench, uint32_t *value)
{
    bench->ram[0] = 0x80000fb7; // lui x31, 0x80000
    for (uint32_t i = 0; i < REGISTERS; i++)
        bench->ram[1 + i] = 0x200fa023 | i << 20 | (i & 7) << 9 | (i >> 3) << 25; // sw xi, 512+4i
    bench->ram[1 + REGISTERS] = 0x00100073;
    bench_run(bench, 0, 10000);
    memcpy(value, &bench->ram[128], REGISTERS * sizeof *value);
    return bench->trapped && bench->trap_cause == OFR_BOARD_TRAP_CAUSE_EBREAK && !bench->error[0];
}

// Whatever state a core wakes up in, its first reset leaves the registers at their initial 0, x0
// above all, which nothing would ever mend.
static void test_power_up(void)
{
    enum { CORES = 1000 };
    unsigned bad = 0;
    for (unsigned i = 0; i < CORES; i++) {
        struct bench *bench = bench_new(1, seed + i);
        uint32_t value[REGISTERS];
        bool good = show_registers(bench, value);
        for (unsigned r = 0; r < REGISTERS; r++)
            if (!good || value[r]) {
                if (!bad++)
                    printf("# seed %" PRIu64 ": x%u is %08x\n", seed + i, r, value[r]);
                break;
            }
        bench_free(bench);
    }
    check(!bad,
          "of %u cores in random state %u come out of the first reset with a register changed",
          CORES, bad);
}

// A reset in the very cycle of a register's write: the write is not done.
static void test_reset(void)
{
    unsigned bad = 0;
    const unsigned each = cycles_an_instruction();
    for (unsigned cycles = 0; cycles < each * REGISTERS; cycles++) {
        struct bench *bench = bench_new(1, seed + cycles);
        uint32_t value[REGISTERS];
        for (uint32_t i = 1; i < REGISTERS; i++)
            bench->ram[i - 1] = 0x00000013 | i << 7 | (100 + i) << 20; // addi xi, x0, 100 + i
        bench->ram[REGISTERS - 1] = 0x0000006f;                        // j .
        bench_run(bench, 0, cycles);
        bool good = show_registers(bench, value);
        for (unsigned r = 0; r < REGISTERS; r++)
            if (!good || value[r] != (r && cycles >= each * r ? 100 + r : 0)) {
                if (!bad++)
                    printf("# reset after %u cycles: x%u is %u\n", cycles, r, value[r]);
                break;
            }
        bench_free(bench);
    }
    check(!bad, "a reset after 0 to %u cycles: registers keep what had been written, no more",
          each * REGISTERS - 1);
}

static void expect_trap(struct bench *bench, const char *name, uint32_t pc, unsigned cause)
{
    bool ended = bench_run(bench, 0, 10000);
    check(!ended && bench->trapped && !bench->error[0] && bench->trap_pc == pc &&
              bench->trap_cause == cause,
          "%s traps with cause %u at %08x (%s, cause %u, %08x)%s", name, cause, pc,
          bench->trapped ? "trap" : "none", bench->trap_cause, bench->trap_pc, bench->error);
}

// A trap leaves rd, memory and pc alone, and reset starts again.
static void test_traps(void)
{
    enum {
        ILLEGAL = OFR_BOARD_TRAP_CAUSE_ILLEGAL,
        MISALIGNED = OFR_BOARD_TRAP_CAUSE_MISALIGNED,
        EBREAK = OFR_BOARD_TRAP_CAUSE_EBREAK
    };
    static const struct {
        uint32_t word;
        unsigned cause;
        const char *name;
    } table[] = {
        {0x00052503 | 1 << 20, MISALIGNED, "lw a0, 1(a0)"},
        {0x00052503 | 2 << 20, MISALIGNED, "lw a0, 2(a0)"},
        {0x00052503 | 3 << 20, MISALIGNED, "lw a0, 3(a0)"},
        {0x00051503 | 1 << 20, MISALIGNED, "lh a0, 1(a0)"},
        {0x00051503 | 3 << 20, MISALIGNED, "lh a0, 3(a0)"},
        {0x00055503 | 1 << 20, MISALIGNED, "lhu a0, 1(a0)"},
        {0x00a52023 | 1 << 7, MISALIGNED, "sw a0, 1(a0)"},
        {0x00a52023 | 2 << 7, MISALIGNED, "sw a0, 2(a0)"},
        {0x00a52023 | 3 << 7, MISALIGNED, "sw a0, 3(a0)"},
        {0x00a51023 | 1 << 7, MISALIGNED, "sh a0, 1(a0)"},
        {0x00a51023 | 3 << 7, MISALIGNED, "sh a0, 3(a0)"},
        {0x00050567 | 2 << 20, MISALIGNED, "jalr a0, 2(a0)"},
        {0x00050567 | 3 << 20, MISALIGNED, "jalr a0, 3(a0)"},
        {0x0060056f, MISALIGNED, "jal a0, .+6"},
        {0x00000363, MISALIGNED, "beq x0, x0, .+6"},
        {0x00000073, EBREAK, "ecall"},
        {0x00100073, EBREAK, "ebreak"},
        {0x00000000, ILLEGAL, "all zeros"},
        {0xffffffff, ILLEGAL, "all ones"},
        {0xc0002573, ILLEGAL, "rdcycle a0"},
        {0x30001073, ILLEGAL, "csrw mstatus, x0"},
        {0x30200073, ILLEGAL, "mret"},
        {0x10500073, ILLEGAL, "wfi"},
        {0x02a50533, ILLEGAL, "mul a0, a0, a0"},
        {0x00008082, ILLEGAL, "a compressed ret"},
        {0x02051513, ILLEGAL, "slli by 32"},
        {0x00053503, ILLEGAL, "ld"},
    };
    struct bench *bench = bench_new(1, seed);
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        memset(bench->ram, 0, 256);
        bench->ram[0] = 0x80000537; // lui a0, 0x80000
        bench->ram[1] = 0x00000593; // li a1, 0
        bench->ram[2] = table[i].word;
        expect_trap(bench, table[i].name, BENCH_BASE + 8, table[i].cause);
    }
    // A branch that is not taken may have any target; and rd keeps its value through a trap,
    // which a second start shows: registers outlive reset.
    bench->ram[2] = 0x00001363; // bne x0, x0, .+6
    bench->ram[3] = 0x00100073;
    expect_trap(bench, "bne x0, x0, .+6 and ebreak", BENCH_BASE + 12, EBREAK);
    bench->ram[2] = 0x00050567 | 2 << 20; // jalr a0, 2(a0) must not write a0
    expect_trap(bench, "jalr a0, 2(a0)", BENCH_BASE + 8, MISALIGNED);
    bench->ram[0] = 0x00000013;
    bench->ram[1] = 0x800005b7; // lui a1, 0x80000
    bench->ram[2] = 0x04a5a023; // sw a0, 64(a1)
    bench->ram[3] = 0x00100073;
    expect_trap(bench, "the next start", BENCH_BASE + 12, EBREAK);
    check(bench->ram[16] == 0x80000000, "a jump to a misaligned target does not write rd (%08x)",
          bench->ram[16]);
    bench_free(bench);
}

// Words drawn near the legal ones: the core stops exactly at those that the specification's table
// does not have.
static void test_illegal(void)
{
    static const uint8_t opcodes[] = {0x03, 0x0f, 0x13, 0x17, 0x23, 0x33,
                                      0x37, 0x63, 0x67, 0x6f, 0x73};
    struct bench *bench = bench_new(1, seed);
    uint64_t state = seed;
    int wrong = 0, illegal = 0, count = 60000;
    for (int i = 0; i < count; i++) {
        uint32_t word = (uint32_t)bench_random(&state);
        unsigned how = (unsigned)(bench_random(&state) % 8);
        if (how < 6)
            word = (word & ~0x7fu) | opcodes[bench_random(&state) % sizeof opcodes];
        if (how & 1)
            word &= 0x41ffffff; // funct7 0 or 0x20
        if (how == 7)
            word = 0x73 | (word & 0x00100000u << (word & 7)) | (word & 0x80u << (word >> 3 & 7));
        int class_number = bench_class(word);
        bool legal = class_number >= 0;
        unsigned cause = !legal               ? OFR_BOARD_TRAP_CAUSE_ILLEGAL
                         : class_number >= 38 ? OFR_BOARD_TRAP_CAUSE_EBREAK
                                              : 0;
        bench->ram[0] = word;
        for (int k = 1; k < 8; k++)
            bench->ram[k] = 0x00000013;
        // Legal ones may go anywhere, the next fetch included: one cycle after the first transfer
        // the trap is known, and a data access outside the memory is none of it.
        bench_run(bench, 0, 5);
        bool trapped = bench->trapped && bench->trap_cause != OFR_BOARD_TRAP_CAUSE_MISALIGNED;
        illegal += !legal;
        if (trapped != (cause != 0) || (trapped && bench->trap_cause != cause)) {
            if (!wrong++)
                printf("# word %08x: %s\n", word, trapped ? "traps" : "does not trap as it should");
        }
    }
    check(!wrong, "%d random words, %d of them illegal: the core stops at exactly those", count,
          illegal);
    bench_free(bench);
}

// Cycles an instruction of compiled C (mix.c), and the same output as QEMU's.
static void test_mix(const char *path)
{
    size_t size;
    uint8_t *image = read_file(path, &size);
    struct bench *bench = bench_new(1, seed);
    memcpy(bench->ram, image, size);
    size_t expected_size = 0;
    uint8_t *expected = have_qemu() && size ? run_qemu(bench->ram, &expected_size) : NULL;
    bool ended = size && bench_run(bench, 0, 50000000);
    double cpi = (double)bench->cycles / (double)(bench->instructions ? bench->instructions : 1);
    const double most = core_small() ? 6.0 : 4.0;
    check(ended && cpi <= most,
          "compiled C: %.3f cycles an instruction, at most %.0f (%" PRIu64 ")%s", cpi, most,
          bench->instructions, bench->error);
    if (!have_qemu())
        printf("ok %d - compiled C prints what it prints in QEMU # SKIP no qemu\n", ++tests);
    else
        check(expected && expected_size == bench->output_size && expected_size > 20 &&
                  !memcmp(expected, bench->output, expected_size),
              "compiled C prints what it prints in QEMU (%zu bytes)", expected_size);
    free(expected);
    free(image);
    bench_free(bench);
}

int main(int argc, char **argv)
{
    const char *seed_text = argc > 2 ? argv[2] : getenv("SEED");
    seed = seed_text ? strtoull(seed_text, NULL, 0) : 20131;
    uint64_t fetched[BENCH_CLASSES] = {0};
    printf("# seed %" PRIu64 "; again: SEED=%" PRIu64 "\n", seed, seed);

    test_cycles();
    test_power_up();
    test_reset();
    test_traps();
    test_illegal();
    struct program program = program_directed();
    test_program("directed", &program, fetched);
    program_free(&program);
    for (unsigned i = 0; i < 4; i++) {
        char name[32];
        snprintf(name, sizeof name, "random %u", i);
        program = program_random(seed + i, 1000);
        test_program(name, &program, fetched);
        program_free(&program);
    }
    int missing = 0;
    for (int k = 0; k < BENCH_CLASSES - 2; k++)
        if (fetched[k] < 100) {
            printf("# %s: executed %" PRIu64 " times\n", bench_class_name(k), fetched[k]);
            missing++;
        }
    check(!missing, "each of the 38 instructions that do not trap was executed 100 times or more");
    if (argc > 1)
        test_mix(argv[1]);
    printf("1..%d\n", tests);
    return failures != 0;
}
