// SPDX-License-Identifier: Apache-2.0
#include "program.h"
#include "core_bench.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { SP_RESULT = 31, SP_SCRATCH = 30, COUNTER = 29, POOL = 29 }; // x0 .. x28 are anybody's

// Instruction formats
static uint32_t r_type(unsigned f7, unsigned rs2, unsigned rs1, unsigned f3, unsigned rd)
{
    return f7 << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 | rd << 7 | 0x33;
}

static uint32_t i_type(int imm, unsigned rs1, unsigned f3, unsigned rd, unsigned opcode)
{
    return (uint32_t)imm << 20 | rs1 << 15 | f3 << 12 | rd << 7 | opcode;
}

static uint32_t s_type(int imm, unsigned rs2, unsigned rs1, unsigned f3)
{
    uint32_t u = (uint32_t)imm;
    return (u >> 5 & 0x7f) << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 | (u & 31) << 7 | 0x23;
}

static uint32_t b_type(int imm, unsigned rs2, unsigned rs1, unsigned f3)
{
    uint32_t u = (uint32_t)imm;
    return (u >> 12 & 1) << 31 | (u >> 5 & 0x3f) << 25 | rs2 << 20 | rs1 << 15 | f3 << 12 |
           (u >> 1 & 15) << 8 | (u >> 11 & 1) << 7 | 0x63;
}

static uint32_t j_type(int imm, unsigned rd)
{
    uint32_t u = (uint32_t)imm;
    return (u >> 20 & 1) << 31 | (u >> 1 & 0x3ff) << 21 | (u >> 11 & 1) << 20 |
           (u >> 12 & 0xff) << 12 | rd << 7 | 0x6f;
}

static uint32_t addi(unsigned rd, unsigned rs1, int imm)
{
    return i_type(imm, rs1, 0, rd, 0x13);
}

static uint32_t lui(unsigned rd, uint32_t value)
{
    return (value & 0xfffff000) | rd << 7 | 0x37;
}

static uint32_t auipc(unsigned rd, uint32_t value)
{
    return (value & 0xfffff000) | rd << 7 | 0x17;
}

static void emit(struct program *p, uint32_t word)
{
    if (p->count == p->capacity) {
        p->capacity = p->capacity ? 2 * p->capacity : 4096;
        p->words = realloc(p->words, p->capacity * sizeof *p->words);
        if (!p->words) {
            fprintf(stderr, "out of memory\n");
            exit(2);
        }
    }
    p->words[p->count++] = word;
}

static uint32_t here(const struct program *p)
{
    return BENCH_BASE + 4 * (uint32_t)p->count;
}

// rd = value
static void load_value(struct program *p, unsigned rd, uint32_t value)
{
    emit(p, lui(rd, value + 0x800));
    emit(p, addi(rd, rd, (int)(value & 0xfff) - (int)(value & 0x800) * 2));
}

// Register rs is the next result.
static void result(struct program *p, unsigned rs)
{
    emit(p, s_type(0, rs, SP_RESULT, 2));
    emit(p, addi(SP_RESULT, SP_RESULT, 4));
    p->results += 4;
}

static struct program begin(void)
{
    struct program p = {0};
    p.far_words = calloc(PROGRAM_FAR_WORDS, sizeof *p.far_words);
    if (!p.far_words) {
        fprintf(stderr, "out of memory\n");
        exit(2);
    }
    load_value(&p, SP_RESULT, PROGRAM_RESULTS);
    load_value(&p, SP_SCRATCH, PROGRAM_SCRATCH);
    return p;
}

// Writes the results to the UART and leaves.
static void end(struct program *p)
{
    p->dump = here(p);
    load_value(p, 1, PROGRAM_RESULTS);
    load_value(p, 2, PROGRAM_RESULTS + p->results);
    load_value(p, 3, BENCH_UART);
    emit(p, i_type(5, 3, 4, 4, 0x03));    // 1: lbu x4, 5(x3)
    emit(p, i_type(0x20, 4, 7, 4, 0x13)); //  andi x4, x4, 0x20
    emit(p, b_type(-8, 0, 4, 0));         //    beqz x4, 1b
    emit(p, i_type(0, 1, 4, 4, 0x03));    //    lbu x4, 0(x1)
    emit(p, s_type(0, 4, 3, 0));          //    sb x4, 0(x3)
    emit(p, addi(1, 1, 1));
    emit(p, b_type(-24, 2, 1, 1)); //         bne x1, x2, 1b
    load_value(p, 1, BENCH_EXIT);
    load_value(p, 2, 0x5555);
    emit(p, s_type(0, 2, 1, 2));
    emit(p, j_type(0, 0));
}

void program_free(struct program *program)
{
    free(program->words);
    free(program->far_words);
}

static const uint32_t corners[] = {0,          1,          2,          3,          0xff,
                                   0x7fff,     0x8000,     0x12345678, 0x55555555, 0x7ffffffe,
                                   0x7fffffff, 0x80000000, 0x80000001, 0xaaaaaaaa, 0xffff7fff,
                                   0xfffffffe, 0xffffffff};
static const int immediates[] = {0, 1, -1, 2, 7, 0x555, -0x556, 2047, -2048, 0x400, -0x400};
enum {
    CORNERS = sizeof corners / sizeof corners[0],
    IMMEDIATES = sizeof immediates / sizeof immediates[0]
};

// funct7 and funct3 of the ten register-register instructions
static const uint8_t operations[10][2] = {{0, 0}, {0x20, 0}, {0, 1},    {0, 2}, {0, 3},
                                          {0, 4}, {0, 5},    {0x20, 5}, {0, 6}, {0, 7}};
static const uint8_t branches[6] = {0, 1, 4, 5, 6, 7};
static const uint8_t immediate_operations[6] = {0, 2, 3, 4, 6, 7};
static const uint8_t loads[5] = {0, 1, 2, 4, 5};

static void far_jumps(struct program *p)
{
    // At PROGRAM_FAR: a chain of jal x1, +d; the code there stores x1 (a difference of addresses
    // would hide nothing here, the addresses are the same everywhere) and jumps back.
    uint32_t *far_words = p->far_words;
    size_t at = 0;
    load_value(p, 5, PROGRAM_FAR);
    emit(p, i_type(1, 5, 0, 6, 0x67)); // jalr x6, 1(x5): bit 0 of the target is cleared
    for (int k = 9; k < 20; k++) {     // jal
        size_t there = at + (1u << k) / 4;
        far_words[at++] = j_type(1 << k, 1);
        far_words[there] = s_type(0, 1, SP_RESULT, 2);
        far_words[there + 1] = addi(SP_RESULT, SP_RESULT, 4);
        far_words[there + 2] = j_type(-(1 << k) - 4, 2);
        far_words[at++] = s_type(0, 2, SP_RESULT, 2);
        far_words[at++] = addi(SP_RESULT, SP_RESULT, 4);
        p->results += 8;
    }
    for (int k = 9; k < 12; k++) { // branches, in a gap of the landing places above
        size_t there = at + (1u << k) / 4 + 16;
        int d = (int)(4 * (there - at));
        far_words[at++] = b_type(d, 0, 0, 0); // beq x0, x0
        far_words[there] = s_type(0, SP_RESULT, SP_RESULT, 2);
        far_words[there + 1] = addi(SP_RESULT, SP_RESULT, 4);
        far_words[there + 2] = b_type(-d - 4, SP_RESULT, 0, 6); // bltu x0, x31
        p->results += 4;
    }
    far_words[at++] = i_type(0, 6, 0, 0, 0x67); // jalr x0, 0(x6)
    far_words[at++] = i_type(0, 0, 0, 0, 0);    // never reached: illegal
}

struct program program_directed(void)
{
    struct program p = begin();
    for (int a = 0; a < CORNERS; a++) {
        load_value(&p, 5, corners[a]);
        for (int b = 0; b < CORNERS; b++) {
            load_value(&p, 6, corners[b]);
            for (int i = 0; i < 10; i++) {
                emit(&p, r_type(operations[i][0], 6, 5, operations[i][1], 7));
                result(&p, 7);
            }
            for (int i = 0; i < 6; i++) {
                emit(&p, addi(7, 0, 1));
                emit(&p, b_type(8, 6, 5, branches[i]));
                emit(&p, addi(7, 7, 2));
                result(&p, 7);
            }
        }
        for (int i = 0; i < 6; i++)
            for (int k = 0; k < IMMEDIATES; k++) {
                emit(&p, i_type(immediates[k], 5, immediate_operations[i], 7, 0x13));
                result(&p, 7);
            }
        for (int k = 0; k < 32; k++) {
            emit(&p, i_type(k, 5, 1, 7, 0x13));
            result(&p, 7);
            emit(&p, i_type(k, 5, 5, 7, 0x13));
            result(&p, 7);
            emit(&p, i_type(k | 0x400, 5, 5, 7, 0x13));
            result(&p, 7);
        }
        emit(&p, lui(7, corners[a]));
        result(&p, 7);
        emit(&p, auipc(7, corners[a]));
        result(&p, 7);
    }
    // x0 stays 0, whatever writes it
    emit(&p, addi(0, 5, 77));
    result(&p, 0);
    emit(&p, lui(0, 0xfffff000));
    emit(&p, j_type(4, 0));
    emit(&p, i_type(0, SP_RESULT, 2, 0, 0x03));
    result(&p, 0);
    emit(&p, r_type(0, 0, 0, 0, 7));
    result(&p, 7);
    // Loads: all sizes, all alignments, offsets of both signs; stores likewise
    for (int i = 0; i < 4; i++) {
        load_value(&p, 5, 0x80ff7f01u * (uint32_t)(2 * i + 1));
        emit(&p, s_type(4 * i - 8, 5, SP_SCRATCH, 2));
    }
    for (int i = 0; i < 5; i++)
        for (int offset = -8; offset < 8; offset += 1 << (loads[i] & 3)) {
            emit(&p, i_type(offset, SP_SCRATCH, loads[i], 7, 0x03));
            result(&p, 7);
        }
    for (int size = 0; size < 3; size++)
        for (int offset = -8; offset < 8; offset += 1 << size) {
            load_value(&p, 5, 0xc001d00du + (uint32_t)offset);
            for (int i = -8; i < 8; i += 4)
                emit(&p, s_type(i, SP_RESULT, SP_SCRATCH, 2));
            emit(&p, s_type(offset, 5, SP_SCRATCH, (unsigned)size));
            for (int i = -8; i < 8; i += 4) {
                emit(&p, i_type(i, SP_SCRATCH, 2, 7, 0x03));
                result(&p, 7);
            }
        }
    // jal and jalr with every destination, forward; odd targets of jalr; rd = rs1
    for (unsigned rd = 0; rd < POOL; rd++) {
        emit(&p, j_type(8, rd));
        emit(&p, addi(rd, rd, 1));
        result(&p, rd);
        emit(&p, auipc(8, 0));
        emit(&p, i_type(13, 8, 0, rd, 0x67));
        emit(&p, addi(rd, rd, 1));
        result(&p, rd);
        emit(&p, auipc(8, 0));
        emit(&p, i_type(12, 8, 0, 8, 0x67));
        emit(&p, addi(8, 8, 1));
        result(&p, 8);
    }
    // Backwards: every branch as the end of a loop
    static const struct {
        uint8_t f3;
        int8_t from, step, limit;
    } loops[6] = {{0, 5, 0, 6},   {1, 5, -1, 0}, {4, -4, 1, 3},
                  {5, 3, -1, -3}, {6, 1, 1, 9},  {7, 9, -1, 2}};
    for (int i = 0; i < 6; i++) {
        emit(&p, addi(5, 0, loops[i].from));
        emit(&p, addi(6, 0, loops[i].limit));
        emit(&p, addi(7, 0, 0));
        emit(&p, addi(7, 7, 3));
        emit(&p, addi(5, 5, loops[i].step));
        emit(&p, b_type(-8, 6, 5, loops[i].f3));
        result(&p, 7);
        result(&p, 5);
    }
    emit(&p, 0x0ff0000f); // fence
    emit(&p, 0x8330000f); // fence.tso
    emit(&p, 0x0000100f); // fence.i
    far_jumps(&p);
    end(&p);
    return p;
}

// --- Random programs --------------------------------------------------------------------------

static unsigned below(uint64_t *state, unsigned n)
{
    return (unsigned)(bench_random(state) % n);
}

static int random_immediate(uint64_t *state)
{
    return below(state, 4) ? (int)below(state, 4096) - 2048 : immediates[below(state, IMMEDIATES)];
}

static void random_alu(struct program *p, uint64_t *s)
{
    unsigned rd = below(s, POOL), rs1 = below(s, POOL), rs2 = below(s, POOL);
    switch (below(s, 8)) {
    case 0:
        emit(p, below(s, 2) ? lui(rd, (uint32_t)bench_random(s))
                            : auipc(rd, (uint32_t)bench_random(s)));
        break;
    case 1:
    case 2: {
        unsigned f3 = below(s, 2) ? 1 : 5;
        emit(p,
             i_type((int)(below(s, 32) | (f3 == 5 && below(s, 2) ? 0x400 : 0)), rs1, f3, rd, 0x13));
        break;
    }
    case 3:
    case 4:
        emit(p, i_type(random_immediate(s), rs1, immediate_operations[below(s, 6)], rd, 0x13));
        break;
    default: {
        unsigned i = below(s, 10);
        emit(p, r_type(operations[i][0], rs2, rs1, operations[i][1], rd));
    }
    }
}

static void random_instruction(struct program *p, uint64_t *s)
{
    unsigned rd = below(s, POOL), rs1 = below(s, POOL), rs2 = below(s, POOL);
    switch (below(s, 16)) {
    case 0:
    case 1: { // load, sometimes by a computed base
        unsigned f3 = loads[below(s, 5)], base = SP_SCRATCH;
        int offset = ((int)below(s, 512) - 256) & -(1 << (f3 & 3)), add = 0;
        if (below(s, 2) && rs1) {
            add = (int)below(s, 1024) - 512;
            base = rs1;
            emit(p, addi(rs1, SP_SCRATCH, add));
        }
        emit(p, i_type(offset - add, base, f3, rd, 0x03));
        break;
    }
    case 2:
    case 3: {
        unsigned size = below(s, 3);
        emit(p, s_type(((int)below(s, 512) - 256) & -(1 << size), rs2, SP_SCRATCH, size));
        break;
    }
    case 4:
    case 5: { // branch forward over up to three
        unsigned skip = below(s, 4);
        emit(p, b_type(4 * (int)skip + 4, below(s, 4) ? rs2 : rs1, rs1, branches[below(s, 6)]));
        while (skip--)
            random_alu(p, s);
        break;
    }
    case 6: { // loop; a body that does not touch the counter
        unsigned body = 1 + below(s, 3);
        emit(p, addi(COUNTER, 0, (int)below(s, 5) + 1));
        for (unsigned i = 0; i < body; i++)
            random_alu(p, s);
        emit(p, addi(COUNTER, COUNTER, -1));
        emit(p, below(s, 2) ? b_type(-4 * (int)body - 4, 0, COUNTER, 1)
                            : b_type(-4 * (int)body - 4, COUNTER, 0, 4));
        break;
    }
    case 7: // jump
        if (below(s, 2)) {
            emit(p, j_type(8, rd));
        } else {
            unsigned base = 1 + below(s, POOL - 1);
            int add = (int)below(s, 2048) - 1024;
            emit(p, auipc(base, 0));
            emit(p, addi(base, base, add));
            emit(p, i_type(16 - add + (int)below(s, 2), base, 0, below(s, 2) ? rd : base, 0x67));
        }
        random_alu(p, s);
        break;
    case 8:
        emit(p, 0x0ff0000f);
        break;
    default:
        random_alu(p, s);
    }
}

struct program program_random(uint64_t seed, int blocks)
{
    struct program p = begin();
    uint64_t s = seed;
    for (unsigned rd = 1; rd < POOL; rd++)
        load_value(&p, rd, (uint32_t)bench_random(&s));
    for (int block = 0; block < blocks; block++) {
        for (int i = 0; i < 10; i++)
            load_value(&p, 1 + below(&s, POOL - 1),
                       below(&s, 2) ? corners[below(&s, CORNERS)] : (uint32_t)bench_random(&s));
        for (int i = 0; i < 24; i++)
            random_instruction(&p, &s);
        for (unsigned rs = 0; rs < POOL; rs++)
            emit(&p, s_type(4 * (int)rs, rs, SP_RESULT, 2));
        emit(&p, addi(SP_RESULT, SP_RESULT, 4 * POOL));
        p.results += 4 * POOL;
    }
    for (int offset = -256; offset < 256; offset += 4) { // what the stores left
        emit(&p, i_type(offset, SP_SCRATCH, 2, 1, 0x03));
        result(&p, 1);
    }
    end(&p);
    return p;
}
