// SPDX-License-Identifier: Apache-2.0
// lint-flags: -DW=32 -DENDS=4 -Ifirmware/user
// Programs on four Verilated user cores: the example against the host's result, holds and resets at
// any time, stores and jumps to any address, random instructions. TAP.
//
//     test_user PROGRAMS [ROUNDS [SEED]]     PROGRAMS: folder of jacobi.bin and the others
#include "collectives.h"
#include "jacobi.h"
#include "nodes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = RAM / 4, PLACE = 4, RESULT = PLACE + 24 };

static struct bench bench;
static int number, failures;
static uint64_t beats, checks;

static void result(bool good, const char *what, const char *more)
{
    printf("%sok %d - %s%s\n", good ? "" : "not ", ++number, what, more);
    failures += !good;
}

struct program {
    uint32_t word[WORDS];
    unsigned words;
};
static struct program jacobi, messages, collectives, twin[3];

static void get_program(struct program *p, const char *folder, const char *file)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    FILE *f = fopen(path, "rb");
    if (!f) {
        fprintf(stderr, "test_user: cannot read %s: make it first\n", path);
        exit(2);
    }
    p->words = (unsigned)((fread(p->word, 1, sizeof p->word, f) + 3) / 4);
    fclose(f);
}

// ---- Instructions -------------------------------------------------------------------------------

enum { ENDLESS = 0x6f, EBREAK = 0x100073 };
static uint32_t lui(unsigned rd, uint32_t value)
{
    return (value & 0xfffff000) | rd << 7 | 0x37;
}
static uint32_t addi(unsigned rd, unsigned rs, int imm)
{
    return (uint32_t)imm << 20 | rs << 15 | rd << 7 | 0x13;
}
static uint32_t store(unsigned width, unsigned rs2, unsigned rs1, unsigned imm)
{
    return (imm >> 5) << 25 | rs2 << 20 | rs1 << 15 | width << 12 | (imm & 31) << 7 | 0x23;
}
static uint32_t load_to(unsigned rd, unsigned width, unsigned rs1)
{
    return rs1 << 15 | width << 12 | rd << 7 | 3;
}
static unsigned constant(uint32_t *word, unsigned rd, uint32_t value) // 2 words
{
    word[0] = lui(rd, value + 0x800);
    word[1] = addi(rd, rd, (int)(value & 0xfff));
    return 2;
}

// ---- The example and the messages ---------------------------------------------------------------

static void golden(uint32_t seed, unsigned steps_, int32_t out[NODES * JACOBI_ROWS][JACOBI_COLS])
{
    enum { ROWS = NODES * JACOBI_ROWS };
    static int32_t next[ROWS][JACOBI_COLS];
    for (unsigned r = 0; r < ROWS; r++)
        for (unsigned c = 0; c < JACOBI_COLS; c++)
            out[r][c] = jacobi_first(seed, r, c);
    while (steps_--) {
        for (unsigned r = 0; r < ROWS; r++)
            for (unsigned c = 0; c < JACOBI_COLS; c++)
                next[r][c] = jacobi_cell(out[(r + ROWS - 1) % ROWS][c], out[(r + 1) % ROWS][c],
                                         out[r][(c + JACOBI_COLS - 1) % JACOBI_COLS],
                                         out[r][(c + 1) % JACOBI_COLS]);
        memcpy(out, next, sizeof next);
    }
}

static void start(struct bench *b, const struct program *p, uint32_t seed, unsigned count)
{
    unsigned first = rng_below(&b->rng, NODES);
    for (unsigned i = 0; i < NODES; i++) {
        const uint32_t place[] = {i, NODES, seed, count};
        load(b, i, 0, p->word, p->words);
        load(b, i, PLACE, place, 4);
    }
    for (unsigned i = 0; i < NODES; i++) {
        if (!writes(b, (first + i) % NODES, OFR_USER_CONTROL, OFR_USER_CONTROL_RUN_MASK))
            fail(b, i, "the start is refused", 0, 1);
        steps(b, rng_below(&b->rng, 100));
    }
}

static bool ended(struct bench *b, unsigned n, unsigned code)
{
    uint32_t s = reads(b, n, OFR_USER_STATE);
    return (s & OFR_USER_STATE_STATE_MASK) == OFR_USER_STATE_STATE_STOPPED &&
           cause(b, n) == OFR_USER_STATE_CAUSE_EXIT &&
           (s & OFR_USER_STATE_CODE_MASK) >> OFR_USER_STATE_CODE_LSB == code;
}

static void wait_all(struct bench *b, unsigned most)
{
    for (unsigned n = 0, i = 0; n < NODES && i < most; i++)
        if (state(b, n) == OFR_USER_STATE_STATE_RUNNING)
            steps(b, 200);
        else
            n++;
}

static void run_messages(struct bench *b)
{
    start(b, &messages, 0, 0);
    wait_all(b, 4000);
    for (unsigned n = 0; n < NODES; n++)
        if (!ended(b, n, 0))
            fail(b, n, "messages: STATE", reads(b, n, OFR_USER_STATE), 0x62);
}

// ---- Collectives --------------------------------------------------------------------------------

static int32_t golden_reduced(uint32_t seed, unsigned operation, unsigned size, unsigned i)
{
    int64_t all = (int32_t)collective_word(seed, 0, size, i);
    for (unsigned n = 1; n < NODES; n++) {
        int32_t v = (int32_t)collective_word(seed, n, size, i);
        all = operation == 0   ? all + v
              : operation == 1 ? (v < all ? v : all)
              : operation == 2 ? (v > all ? v : all)
                               : (all | v);
    }
    return (int32_t)(uint32_t)(uint64_t)all;
}

// What node n must have after all calls with `size` words, folded as it does.
static uint32_t golden_folded(uint32_t seed, unsigned n, unsigned size, uint32_t sum)
{
    for (unsigned root = 0; root < NODES; root++) {
        for (unsigned i = 0; i < size; i++) // broadcast
            sum = collective_fold(sum, collective_word(seed, root, size, i));
        for (unsigned i = 0; i < size; i++) // scatter
            sum = collective_fold(sum, collective_word(seed, root, size, n * size + i));
        for (unsigned m = 0; m < NODES && n == root; m++) // gather
            for (unsigned i = 0; i < size; i++)
                sum = collective_fold(sum, collective_word(seed, m, size, i));
        for (unsigned i = 0; i < size && n == root; i++) // reduce
            sum = collective_fold(sum, (uint32_t)golden_reduced(seed, root % 4, size, i));
    }
    for (unsigned operation = 0; operation < 4; operation++)
        for (unsigned i = 0; i < size; i++)
            sum = collective_fold(sum, (uint32_t)golden_reduced(seed, operation, size, i));
    return sum;
}

// All calls, with every root and operation; then one member that does another than the others.
static void run_collectives(struct bench *b, const struct program *p)
{
    uint64_t last_in = 0, first_out = ~0ULL;
    uint32_t seed = (uint32_t)rng_next(&b->rng);
    start(b, p, seed, 0);
    wait_all(b, 8000);
    for (unsigned n = 0; n < NODES; n++) {
        uint32_t sum = seed;
        if (!ended(b, n, 0))
            fail(b, n, "collectives: STATE", reads(b, n, OFR_USER_STATE), 0x62);
        writes(b, n, OFR_USER_CONTROL, 0);
        uint32_t at = peek(b, n, RESULT);
        if (at >= RAM - 12) {
            fail(b, n, "collectives: where the result is", at, 0);
            return;
        }
        for (unsigned i = 0; i < sizeof collective_sizes / sizeof *collective_sizes; i++)
            sum = golden_folded(seed, n, collective_sizes[i], sum);
        if (peek(b, n, at) != sum)
            fail(b, n, "collectives: what has come", peek(b, n, at), sum);
        uint64_t in = peek(b, n, at + 4), out = peek(b, n, at + 8); // of a barrier
        last_in = in > last_in ? in : last_in;
        first_out = out < first_out ? out : first_out;
    }
    if (first_out <= last_in)
        fail(b, 0, "a barrier: left before all had come", first_out, last_in);
    settle(b);
    for (unsigned wrong = 1; wrong <= 3; wrong++) {
        start(b, p, seed, wrong);
        wait_all(b, 2000);
        for (unsigned n = 0; n < NODES; n++)
            if (!ended(b, n, COLLECTIVE_OTHER))
                fail(b, n, "members that do not the same: STATE", reads(b, n, OFR_USER_STATE),
                     COLLECTIVE_OTHER << 8 | 0x62);
        settle(b);
    }
}

static bool collectives_of(uint64_t seed, bool channels, const struct program *p)
{
    struct bench *b = &bench;
    bench_begin(b, seed, channels);
    run_collectives(b, p);
    bench_end(b);
    beats += b->beats;
    checks += b->checks;
    return b->failures == 0;
}

// ---- The example --------------------------------------------------------------------------------

static void run_jacobi(struct bench *b)
{
    static int32_t want[NODES * JACOBI_ROWS][JACOBI_COLS];
    uint32_t seed = (uint32_t)rng_next(&b->rng);
    unsigned count = 1 + rng_below(&b->rng, 8);
    char text[64], good[64];

    golden(seed, count, want);
    for (unsigned n = 0; n < NODES; n++)
        console(b, n, text, sizeof text); // of the one before
    start(b, &jacobi, seed, count);
    wait_all(b, 4000);
    for (unsigned n = 0; n < NODES; n++) {
        uint32_t sum = 0;
        if (!ended(b, n, 0))
            fail(b, n, "STATE", reads(b, n, OFR_USER_STATE), 0x62);
        writes(b, n, OFR_USER_CONTROL, 0);
        uint32_t at = peek(b, n, RESULT);
        for (unsigned r = 0; r < JACOBI_ROWS && at < RAM - sizeof want / NODES; r++)
            for (unsigned c = 0; c < JACOBI_COLS; c++) {
                uint32_t is = peek(b, n, at + 4 * (r * JACOBI_COLS + c));
                uint32_t should = (uint32_t)want[n * JACOBI_ROWS + r][c];
                if (is != should)
                    fail(b, n, "a cell", is, should);
                sum += should;
            }
        snprintf(good, sizeof good, "sum %" PRIu32 "\n", sum);
        console(b, n, text, sizeof text);
        if (strcmp(text, good) != 0)
            fail(b, n, "what it has printed", (unsigned char)text[4], (unsigned char)good[4]);
    }
}

// Something happens while it runs; then all is settled, and the next run must be right again.
static void disturb(struct bench *b)
{
    start(b, &jacobi, 1, 2000);
    steps(b, rng_below(&b->rng, 8000));
    for (unsigned n = 0; n < NODES; n++) {
        unsigned what = rng_below(&b->rng, 4);
        if (what == 1) {
            writes(b, n, OFR_USER_CONTROL, 0);
        } else if (what == 2 && b->channels) {
            abort_channel(b, n);
        } else if (what == 2) { // channels would be reset with it
            unsigned cycles = 1 + rng_below(&b->rng, 3);
            while (cycles--)
                step(b, 1U << n);
        }
        steps(b, rng_below(&b->rng, 200));
    }
    steps(b, 2000);
    settle(b);
}

// One stream is broken: who comes to need it is told, ends with 1, and has said why.
static void break_one(struct bench *b)
{
    unsigned n = rng_below(&b->rng, NODES), next = (n + 1) % NODES, tries = 0;
    char text[16];
    start(b, &jacobi, 1, 2000);
    steps(b, 1000 + rng_below(&b->rng, 8000));
    abort_channel(b, n);
    while (!ended(b, n, 1) && !ended(b, next, 1) && tries++ < 400)
        steps(b, 200);
    if (!ended(b, n, 1))
        n = next;
    console(b, n, text, sizeof text);
    if (tries >= 400 || strcmp(text, "broken\n") != 0)
        fail(b, n, "a program whose stream was broken: STATE", reads(b, n, OFR_USER_STATE), 0x162);
    settle(b);
}

// ---- Programs that do wrong ---------------------------------------------------------------------

static uint32_t shadow[NODES][WORDS];

static void load_shadow(struct bench *b, unsigned n, unsigned from, unsigned words)
{
    load(b, n, 4 * from, shadow[n] + from, words);
}

static uint32_t any_address(struct bench *b)
{
    uint32_t r = (uint32_t)rng_next(&b->rng), near = rng_below(&b->rng, 32) * 2;
    switch (rng_below(&b->rng, 8)) {
    case 0:
        return RAM + near - 32;
    case 1: // an alias of the memory, at any bit above it
        return (r % RAM) | 1U << (14 + rng_below(&b->rng, 18));
    case 2:
        return OFR_BASE_PROGRAM + near - 8;
    case 3:
        return OFR_BASE_STREAM + rng_below(&b->rng, 32 * 18);
    case 4: // the board's own registers, were they here
        return OFR_BASE_NODE + (r & 0xfff);
    case 5:
        return (r & 0xf0003fffU);
    case 6:
        return 64 + r % (RAM - 64);
    default:
        return r;
    }
}

static bool in_program(uint32_t a)
{
    return a >= OFR_BASE_PROGRAM && a < OFR_BASE_PROGRAM + OFR_PROGRAM_SHAPE + 4;
}
static bool in_stream(uint32_t a)
{
    return a >= OFR_BASE_STREAM && a < OFR_BASE_STREAM + 32 * ENDS;
}

// One load, store or jump to an address, then the exit: what must become of it, to the word.
struct one {
    unsigned kind; // 0 to 2: store of 1, 2, 4 bytes; 3 to 5: load; 6: jump
    uint32_t a, v;
    bool any; // either EXIT or BUS: hangs on what has come
};

static unsigned expected(const struct one *o)
{
    uint32_t bytes = 1U << o->kind % 3, offset = (o->a - OFR_BASE_STREAM) % 32;
    bool word = o->kind == 2;
    if (o->kind == 6)
        return o->a & 2 ? OFR_USER_STATE_CAUSE_MISALIGNED : OFR_USER_STATE_CAUSE_BUS;
    if (o->a % bytes)
        return OFR_USER_STATE_CAUSE_MISALIGNED;
    if (o->a < RAM || ((in_program(o->a) || in_stream(o->a)) && o->kind >= 3))
        return OFR_USER_STATE_CAUSE_EXIT;
    if (!word || (!in_program(o->a) && !in_stream(o->a)))
        return OFR_USER_STATE_CAUSE_BUS;
    return in_stream(o->a) && offset == OFR_STREAM_TX_END && o->v > BYTES
               ? OFR_USER_STATE_CAUSE_BUS
               : OFR_USER_STATE_CAUSE_EXIT;
}

static struct one begin_one(struct bench *b, unsigned n)
{
    struct one o = {.kind = rng_below(&b->rng, 7), .v = (uint32_t)rng_next(&b->rng)};
    uint32_t *p = shadow[n];
    do
        o.a = any_address(b);
    while (o.a < 64 || (o.kind == 6 && o.a < RAM));
    if (rng_chance(&b->rng, 700))
        o.a &= ~3U;
    if (rng_chance(&b->rng, 300))
        o.v = rng_below(&b->rng, 12);
    uint32_t offset = (o.a - OFR_BASE_STREAM) % 32;
    o.any = o.kind == 2 && in_stream(o.a) &&
            (offset == OFR_STREAM_TX_DATA || offset == OFR_STREAM_RX_NEXT);
    constant(p, 1, o.a);
    constant(p + 2, 2, o.v);
    p[4] = o.kind < 3   ? store(o.kind, 2, 1, 0)
           : o.kind < 6 ? load_to(4, o.kind - 3, 1)
                        : (1U << 15 | 0x67);
    p[5] = lui(3, OFR_BASE_PROGRAM);
    p[6] = store(2, 2, 3, OFR_PROGRAM_EXIT);
    p[7] = ENDLESS;
    load_shadow(b, n, 0, 8);
    return o;
}

static void check_one(struct bench *b, unsigned n, const struct one *o)
{
    unsigned is = cause(b, n), should = expected(o);
    uint32_t pc = reads(b, n, OFR_USER_PC), want = 16;
    if (o->any && is == OFR_USER_STATE_CAUSE_BUS)
        should = is;
    if (state(b, n) != OFR_USER_STATE_STATE_STOPPED || is != should) {
        fail(b, n, "an access: its address", o->a, o->kind);
        fail(b, n, "CAUSE", is, should);
    }
    if (is == OFR_USER_STATE_CAUSE_EXIT && !ended(b, n, o->v & 255))
        fail(b, n, "CODE", reads(b, n, OFR_USER_STATE), o->v & 255);
    if (o->kind == 6 && is == OFR_USER_STATE_CAUSE_BUS)
        want = o->a & ~3U;
    else if (is == OFR_USER_STATE_CAUSE_EXIT &&
             !(o->kind == 2 && o->a == OFR_BASE_PROGRAM + OFR_PROGRAM_EXIT))
        want = 24;
    if (pc != want)
        fail(b, n, "PC", pc, want);
    if (is == OFR_USER_STATE_CAUSE_BUS && reads(b, n, OFR_USER_ADDR) != (o->a & ~3U))
        fail(b, n, "ADDR", reads(b, n, OFR_USER_ADDR), o->a & ~3U);
    if (o->kind < 3 && o->a < RAM && is == OFR_USER_STATE_CAUSE_EXIT) {
        uint32_t mask = (o->kind == 2 ? ~0U : (1U << (8U << o->kind)) - 1) << 8 * (o->a % 4);
        uint32_t *w = &shadow[n][o->a / 4];
        *w = (*w & ~mask) | (o->v << 8 * (o->a % 4) & mask);
    }
    writes(b, n, OFR_USER_CONTROL, 0);
    uint32_t at = o->a % RAM & ~3U; // where an alias of the memory would have written
    if (peek(b, n, at) != shadow[n][at / 4])
        fail(b, n, "memory", peek(b, n, at), shadow[n][at / 4]);
    char text[16];
    console(b, n, text, sizeof text);
}

static void wild_accesses(struct bench *b, unsigned rounds)
{
    for (unsigned n = 0; n < NODES; n++) {
        for (unsigned i = 0; i < WORDS; i++)
            shadow[n][i] = (uint32_t)rng_next(&b->rng);
        load_shadow(b, n, 0, WORDS);
    }
    for (unsigned i = 0; i < rounds; i++) {
        struct one one[NODES];
        for (unsigned n = 0; n < NODES; n++)
            one[n] = begin_one(b, n);
        for (unsigned n = 0; n < NODES; n++)
            writes(b, n, OFR_USER_CONTROL, OFR_USER_CONTROL_RUN_MASK);
        steps(b, 80);
        for (unsigned n = 0; n < NODES; n++)
            check_one(b, n, &one[n]);
        if (i % 16 == 15)
            settle(b);
    }
    for (unsigned n = 0; n < NODES; n++)
        for (unsigned i = 0; i < WORDS; i++)
            if (peek(b, n, 4 * i) != shadow[n][i])
                fail(b, n, "memory in the end", peek(b, n, 4 * i), shadow[n][i]);
}

// Random words as a program: whatever it does, it is held at once and the memory is the board's.
static void wild_program(struct bench *b, unsigned n)
{
    uint32_t word[64];
    for (unsigned i = 0; i < 64; i++) {
        word[i] = (uint32_t)rng_next(&b->rng);
        if (rng_chance(&b->rng, 900))
            word[i] |= 3;
        if (rng_chance(&b->rng, 500)) { // likely to go on: sums, stores, loads, jumps
            static const uint8_t op[] = {0x13, 0x33, 0x37, 0x23, 0x03, 0x63, 0x6f};
            word[i] = (word[i] & ~0x7fU) | op[rng_below(&b->rng, 7)];
        }
    }
    if (rng_chance(&b->rng, 200))
        word[rng_below(&b->rng, 8)] = ENDLESS;
    if (rng_chance(&b->rng, 500))
        constant(word, 1, rng_chance(&b->rng, 500) ? OFR_BASE_STREAM : OFR_BASE_PROGRAM);
    load(b, n, 0, word, 64);
    writes(b, n, OFR_USER_CONTROL, OFR_USER_CONTROL_RUN_MASK);
    if (writes(b, n, OFR_USER_MEM_DATA, 0))
        fail(b, n, "memory is written while the program runs", 1, 0);
    if (reads(b, n, OFR_USER_MEM_DATA))
        fail(b, n, "memory is read while the program runs", 1, 0);
}

static void held_again(struct bench *b, unsigned n)
{
    uint32_t word[16], at = 4 * rng_below(&b->rng, WORDS - 16);
    if (!writes(b, n, OFR_USER_CONTROL, 0) || state(b, n) != OFR_USER_STATE_STATE_HELD)
        fail(b, n, "it is not held", state(b, n), 0);
    for (unsigned i = 0; i < 16; i++)
        word[i] = (uint32_t)rng_next(&b->rng);
    load(b, n, at, word, 16);
    for (unsigned i = 0; i < 16; i++)
        if (peek(b, n, at + 4 * i) != word[i])
            fail(b, n, "what was loaded", peek(b, n, at + 4 * i), word[i]);
}

static void wild_programs(struct bench *b, unsigned rounds)
{
    for (unsigned i = 0; i < rounds; i++) {
        for (unsigned n = 0; n < NODES; n++)
            wild_program(b, n);
        steps(b, rng_below(&b->rng, 400));
        for (unsigned n = 0; n < NODES; n++)
            held_again(b, n);
        if (i % 4 == 3)
            settle(b);
    }
}

static void traps(struct bench *b)
{
    static const struct {
        uint32_t word, cause;
    } trap[] = {
        {EBREAK, OFR_USER_STATE_CAUSE_EBREAK},
        {0x73, OFR_USER_STATE_CAUSE_EBREAK},
        {0, OFR_USER_STATE_CAUSE_ILLEGAL},
        {0xc0001073, OFR_USER_STATE_CAUSE_ILLEGAL}, // a CSR
        {0x00202003 | 1U << 20, OFR_USER_STATE_CAUSE_MISALIGNED},
        {ENDLESS, OFR_USER_STATE_CAUSE_NONE},
    };
    for (unsigned i = 0; i < sizeof trap / sizeof *trap; i++) {
        unsigned n = i % NODES, before = rng_below(&b->rng, 40);
        uint32_t word[48];
        for (unsigned k = 0; k < 48; k++)
            word[k] = addi(5, 5, (int)k);
        word[before] = trap[i].word;
        load(b, n, 0, word, 48);
        writes(b, n, OFR_USER_CONTROL, OFR_USER_CONTROL_RUN_MASK);
        steps(b, 400);
        unsigned runs =
            trap[i].word == ENDLESS ? OFR_USER_STATE_STATE_RUNNING : OFR_USER_STATE_STATE_STOPPED;
        if (cause(b, n) != trap[i].cause || state(b, n) != runs)
            fail(b, n, "CAUSE", cause(b, n), trap[i].cause);
        if (reads(b, n, OFR_USER_PC) != 4 * before)
            fail(b, n, "PC", reads(b, n, OFR_USER_PC), 4 * before);
        held_again(b, n);
        if (reads(b, n, OFR_USER_PC) != 4 * before || cause(b, n) != trap[i].cause)
            fail(b, n, "PC of one that is held", reads(b, n, OFR_USER_PC), 4 * before);
    }
}

static void run_words(struct bench *b, unsigned n, const uint32_t *word, unsigned words)
{
    load(b, n, 0, word, words);
    writes(b, n, OFR_USER_CONTROL, OFR_USER_CONTROL_RUN_MASK);
    steps(b, 200);
}

// Stores to end 0: value, offset; then it is endless.
static unsigned stores(uint32_t *word, const uint32_t (*what)[2], unsigned count)
{
    unsigned words = 0;
    word[words++] = lui(3, OFR_BASE_STREAM);
    for (unsigned i = 0; i < count; i++) {
        word[words++] = addi(2, 0, (int)what[i][0]);
        word[words++] = store(2, 2, 3, what[i][1]);
    }
    word[words++] = ENDLESS;
    return words;
}

static void stopped_at(struct bench *b, unsigned n, unsigned pc)
{
    if (cause(b, n) != OFR_USER_STATE_CAUSE_BUS || reads(b, n, OFR_USER_PC) != pc)
        fail(b, n, "a wrong call: PC", reads(b, n, OFR_USER_PC), pc);
}

// What is called wrong stops the program; a beat outlives a hold, what was said of the next does
// not; a drain ends the message.
static void calls(struct bench *b)
{
    static const uint32_t twice[][2] = {{7, OFR_STREAM_TX_DATA}, {8, OFR_STREAM_TX_DATA}};
    static const uint32_t nothing[][2] = {{0, OFR_STREAM_RX_NEXT}};
    static const uint32_t long_end[][2] = {{BYTES + 1, OFR_STREAM_TX_END}};
    static const uint32_t end[][2] = {{1, OFR_STREAM_TX_END}};
    static const uint32_t beat[][2] = {{9, OFR_STREAM_TX_DATA}};
    unsigned n = rng_below(&b->rng, NODES), slow = b->slow;
    const struct node *x = &b->node[n];
    uint32_t word[8];
    settle(b);
    b->slow = 1000; // nothing is taken
    run_words(b, n, word, stores(word, nothing, 1));
    stopped_at(b, n, 8);
    run_words(b, n, word, stores(word, long_end, 1));
    stopped_at(b, n, 8);
    run_words(b, n, word, stores(word, end, 1));
    writes(b, n, OFR_USER_CONTROL, 0);
    run_words(b, n, word, stores(word, beat, 1));
    if (!(x->out.m_valid & 1) || x->out.m_last & 1 || x->out.m_data[0] != 9)
        fail(b, n, "a beat is its message's last", x->out.m_last, 0);
    writes(b, n, OFR_USER_CONTROL, 0);
    steps(b, 20);
    run_words(b, n, word, stores(word, beat, 1));
    stopped_at(b, n, 8);
    writes(b, n, OFR_USER_CONTROL, 0);
    if (!(x->out.m_valid & 1) || !(reads(b, n, OFR_USER_STATE) & 1U << OFR_USER_STATE_MID_LSB))
        fail(b, n, "a beat that was offered", x->out.m_valid, 1);
    writes(b, n, OFR_USER_CONTROL, OFR_USER_CONTROL_DRAIN_MASK);
    b->slow = 0;
    for (unsigned i = 0; i < 100 && !(x->out.m_last & x->out.m_valid & 1); i++)
        step(b, 0);
    if (!(x->out.m_last & x->out.m_valid & 1) || x->out.m_keep[0])
        fail(b, n, "the end of a message that is drained", x->out.m_last, 1);
    settle(b);
    b->slow = 1000;
    run_words(b, n, word, stores(word, twice, 2));
    stopped_at(b, n, 16);
    b->slow = 0;
    settle(b);
    b->slow = slow;
}

static void registers(struct bench *b)
{
    struct {
        unsigned offset;
        uint32_t value;
        bool taken;
    } w[] = {
        {OFR_USER_CONTROL, 3, false},
        {OFR_USER_CONTROL, 4, false},
        {OFR_USER_CONTROL, 2, true},
        {OFR_USER_CONTROL, 0, true},
        {OFR_USER_MEM_ADDR, RAM, false},
        {OFR_USER_MEM_ADDR, 2, false},
        {OFR_USER_MEM_ADDR, ~3U, false},
        {OFR_USER_MEM_ADDR, RAM - 4, true},
        {OFR_USER_MEM_DATA, 0x1234567, true},
        {OFR_USER_MEM_DATA, 1, false},
        {OFR_USER_CONSOLE, 1, false},
        {OFR_USER_CONSOLE, 0, true},
        {OFR_USER_STATE, 1, true},
    };
    for (unsigned n = 0; n < NODES; n++) {
        char text[128];
        while (console(b, n, text, sizeof text))
            ;
        uint32_t first = peek(b, n, 0);
        for (unsigned i = 0; i < sizeof w / sizeof *w; i++)
            if (writes(b, n, w[i].offset, w[i].value) != w[i].taken)
                fail(b, n, "a write is taken, or not", w[i].offset, w[i].value);
        if (peek(b, n, RAM - 4) != 0x1234567 || peek(b, n, 0) != first)
            fail(b, n, "the last word", peek(b, n, RAM - 4), 0x1234567);
    }
}

// A program that prints 0, 1, 2, ..., read while it runs or after.
static void prints(struct bench *b, unsigned count, bool late)
{
    uint32_t p[9] = {lui(3, OFR_BASE_PROGRAM),
                     addi(5, 0, (int)count),
                     addi(6, 0, 0),
                     store(2, 6, 3, OFR_PROGRAM_CONSOLE),
                     addi(6, 6, 1),
                     addi(5, 5, -1),
                     0xfe029ae3 /* bnez x5, -12 */,
                     store(2, 0, 3, OFR_PROGRAM_EXIT),
                     ENDLESS};
    char text[1024];
    unsigned n = rng_below(&b->rng, NODES), got = 0, none = 0, tries = 0;
    while (console(b, n, text, sizeof text))
        ;
    load(b, n, 0, p, 9);
    writes(b, n, OFR_USER_CONTROL, OFR_USER_CONTROL_RUN_MASK);
    if (late)
        steps(b, 40 * count + 100);
    while (none < 2 && tries++ < 1000 && got < 960) {
        unsigned more = console(b, n, text + got, late ? 1000 - got : 20);
        none = more || state(b, n) == OFR_USER_STATE_STATE_RUNNING ? 0 : none + 1;
        got += more;
        steps(b, rng_below(&b->rng, 300));
    }
    unsigned lost =
        (reads(b, n, OFR_USER_CONSOLE) & OFR_USER_CONSOLE_LOST_MASK) >> OFR_USER_CONSOLE_LOST_LSB;
    unsigned gaps = 0, keeps = count < CONSOLE - 1 ? count : CONSOLE - 1;
    for (unsigned i = 1; i < got; i++)
        gaps += (uint8_t)(text[i] - text[i - 1] - 1);
    if (got + lost != count)
        fail(b, n, "bytes read and lost", got + lost, count);
    if (gaps > lost || got < keeps || (keeps && text[0]))
        fail(b, n, "bytes between others", gaps, lost);
    for (unsigned i = 0; late && i < keeps; i++)
        if ((unsigned char)text[i] != i)
            fail(b, n, "a byte", (unsigned char)text[i], i);
    if (late && count > CONSOLE + 8 && !lost)
        fail(b, n, "bytes lost", lost, count - CONSOLE);
}

// ---- Rounds -------------------------------------------------------------------------------------

static bool round_of(uint64_t seed, int kind, unsigned rounds, unsigned flips)
{
    struct bench *b = &bench;
    bench_begin(b, seed, kind == 1);
    b->flips = flips;
    if (kind < 2) {
        run_jacobi(b);
        run_messages(b);
        for (unsigned i = 0; i < rounds && !b->failures; i++) {
            if (kind == 1)
                break_one(b);
            disturb(b);
            run_jacobi(b);
        }
    } else {
        traps(b);
        registers(b);
        calls(b);
        for (unsigned i = 0; i < 6; i++)
            prints(b, 1 + rng_below(&b->rng, 250), i % 2);
        wild_accesses(b, 100 * rounds);
        wild_programs(b, 20 * rounds);
        settle(b);
        run_jacobi(b);
    }
    bench_end(b);
    beats += b->beats;
    checks += b->checks;
    return b->failures == 0;
}

int main(int argc, char **argv)
{
    static const char *const wrong[] = {"a barrier once round", "a minimum that is the maximum",
                                        "heads that are not looked at"};
    const char *env = getenv("SEED");
    unsigned rounds = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 0) : 2;
    uint64_t seed = strtoull(argc > 3 ? argv[3] : env ? env : "1", NULL, 0);

    if (argc < 2) {
        fprintf(stderr, "usage: test_user PROGRAMS [ROUNDS [SEED]]\n");
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    printf("# seed %" PRIu64 ", %u rounds; again: %s %s %u %" PRIu64 "\n", seed, rounds, argv[0],
           argv[1], rounds, seed);
    get_program(&jacobi, argv[1], "jacobi.bin");
    get_program(&messages, argv[1], "messages.bin");
    get_program(&collectives, argv[1], "collectives.bin");
    get_program(&twin[0], argv[1], "once.bin");
    get_program(&twin[1], argv[1], "min.bin");
    get_program(&twin[2], argv[1], "same.bin");
    result(collectives_of(seed, false, &collectives), "collectives over wires", "");
    result(collectives_of(seed, true, &collectives), "collectives over channels", "");
    for (unsigned i = 0; i < 3 && !failures; i++)
        result(!collectives_of(seed, false, &twin[i]), "twin: found out: ", wrong[i]);
    result(round_of(seed, 0, rounds, 0), "the example and messages over wires, held and reset", "");
    result(round_of(seed, 1, rounds, 0), "the same over channels, held and broken", "");
    result(round_of(seed, 2, rounds, 0), "programs that do wrong, console, registers", "");
    printf("# %" PRIu64 " beats, %" PRIu64 " registers looked at\n", beats, checks);
    result(beats > 1000 && checks > 10000, "something was sent and looked at", "");
    result(!round_of(seed, 0, 0, 20), "twin: wires that flip bits are found out", "");
    printf("1..%d\n", number);
    return failures != 0;
}
