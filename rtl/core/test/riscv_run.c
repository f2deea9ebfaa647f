// SPDX-License-Identifier: Apache-2.0
// Programs of riscv-tests on the core, each with its memory answering at once, after a cycle, and
// after 0 to 5. TAP; exit status 0 all passed, 1 not, 2 a file cannot be read.
// Usage: riscv_run IMAGE.bin...   (the name without .bin is the test's; see riscv_test.h)
#include "core_bench.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ofr_regs.h"

enum { CYCLES = 1000000, SEED = 1 };

// What is wrong, "" if nothing is.
static void run(const char *name, const uint8_t *image, size_t size, int waits, char *why,
                size_t room)
{
    struct bench *bench = bench_new(waits, SEED);
    memcpy(bench->ram, image, size);
    bool ended = bench_run(bench, 0, CYCLES);
    // Its loads and stores are misaligned, which this core leaves to software: it must stop there.
    bool misaligned = strcmp(name, "ma_data") == 0;
    why[0] = 0;
    if (bench->error[0])
        snprintf(why, room, "%s", bench->error);
    else if (bench->trapped && misaligned &&
             (bench->trap_cause == OFR_BOARD_TRAP_CAUSE_MISALIGNED ||
              bench->trap_cause == OFR_BOARD_TRAP_CAUSE_UNKNOWN))
        why[0] = 0;
    else if (bench->trapped)
        snprintf(why, room, "traps at %08" PRIx32 ", cause %u", bench->trap_pc, bench->trap_cause);
    else if (!ended)
        snprintf(why, room, "does not end within %d cycles", CYCLES);
    else if (misaligned)
        snprintf(why, room, "does not trap");
    else if (bench->output_size != 1)
        snprintf(why, room, "ends without a verdict");
    else if (bench->output[0])
        snprintf(why, room, "case %u fails", bench->output[0]);
    bench_free(bench);
}

int main(int argc, char **argv)
{
    static const int waits[] = {0, 1, -5};
    static uint8_t image[BENCH_SIZE];
    int failures = 0;
    for (int i = 1; i < argc; i++) {
        const char *slash = strrchr(argv[i], '/');
        char name[64], why[200] = "";
        FILE *file = fopen(argv[i], "rb");
        size_t size = file ? fread(image, 1, sizeof image, file) : 0;
        if (file)
            fclose(file);
        if (!size) {
            fprintf(stderr, "%s: cannot be read\n", argv[i]);
            return 2;
        }
        snprintf(name, sizeof name, "%s", slash ? slash + 1 : argv[i]);
        name[strcspn(name, ".")] = 0;
        for (unsigned k = 0; k < sizeof waits / sizeof *waits && !why[0]; k++)
            run(name, image, size, waits[k], why, sizeof why);
        failures += why[0] != 0;
        printf("%sok %d - rv32ui %s%s%s\n", why[0] ? "not " : "", i, name, why[0] ? ": " : "", why);
    }
    printf("1..%d\n", argc - 1);
    return failures != 0;
}
