// SPDX-License-Identifier: Apache-2.0
// The OFR unit in Verilog against ofr_decide(), and its registers against ofr_unit.c.
// test_unit [seed [occupancies per pair]]; the seed also from $SEED. TAP on stdout.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exact.h"
#include "ofr_regs.h"
#include "ofr_unit.h"
#include "unit_shim.h"

struct bench {
    struct unit *rtl;
    struct ofr_unit model;
    struct unit_pins pins;
    uint64_t random;
    uint64_t decisions, cycles;
    unsigned differences; // decisions, latencies, registers
    bool quiet;
};

static unsigned number, failed;

static void verdict(bool ok, const char *name)
{
    failed += !ok;
    printf("%sok %u - %s\n", ok ? "" : "not ", ++number, name);
    fflush(stdout);
}

static void clock_one(struct bench *b)
{
    unit_clock(b->rtl, &b->pins);
    b->cycles++;
    b->pins.start = b->pins.reg_we = false;
}

static void complain(struct bench *b, const char *what, uint32_t got, uint32_t want)
{
    if (b->differences++ == 0 && !b->quiet) {
        printf("# %s: got %#x, want %#x; cycle %llu k %#x me %#x t %#x tie %d used %#llx", what,
               (unsigned)got, (unsigned)want, (unsigned long long)b->cycles, (unsigned)b->pins.k,
               (unsigned)b->pins.me, (unsigned)b->pins.t, b->pins.tie_both,
               (unsigned long long)b->pins.used);
        printf(" delta %u eta %u rules %d %d\n", b->model.active.delta, b->model.active.eta,
               b->model.active.rule_a, b->model.active.rule_b);
    }
}

static void bench_open(struct bench *b, uint64_t seed)
{
    *b = (struct bench){.rtl = unit_new(seed), .random = seed};
    ofr_unit_init(&b->model, unit_n());
    // In reset it may be asked for anything: the node's strobes are registers, too.
    b->pins.rst = true;
    for (int i = 0; i < 2; i++) {
        b->pins.start = exact_random(&b->random) & 1;
        b->pins.reg_we = exact_random(&b->random) & 1;
        b->pins.reg_adr = exact_random(&b->random) & 1 ? OFR_OFR_DATA : OFR_OFR_COMMIT;
        b->pins.reg_wdat = (uint32_t)exact_random(&b->random) & 0x55; // no lambda of 2
        clock_one(b);
    }
    b->pins.rst = false;
}

static void bench_close(struct bench *b)
{
    unit_free(b->rtl);
}

static void check_read(struct bench *b, uint32_t adr)
{
    b->pins.reg_adr = adr;
    clock_one(b);
    uint32_t want = ofr_unit_read(&b->model, adr);
    if (b->pins.reg_rdat != want)
        complain(b, "register read", b->pins.reg_rdat, want);
}

// A write as the node does it: strobe, then two cycles without.
static void write_reg(struct bench *b, uint32_t adr, uint32_t value)
{
    b->pins.reg_we = true;
    b->pins.reg_adr = adr;
    b->pins.reg_wdat = value;
    clock_one(b);
    bool ok = ofr_unit_write(&b->model, adr, value);
    if (b->pins.reg_err == ok)
        complain(b, "bus error", b->pins.reg_err, !ok);
    clock_one(b);
    clock_one(b);
}

static void set_sample(struct bench *b, const struct ofr_sample *x)
{
    unsigned n = unit_n();
    b->pins.k = b->pins.me = b->pins.t = 0;
    b->pins.used = 0;
    for (unsigned i = 0; i < n; i++) {
        b->pins.k |= (uint32_t)x->torus.k[i] << (5 * i);
        b->pins.me |= (uint32_t)x->s.c[i] << (4 * i);
        b->pins.t |= (uint32_t)x->t.c[i] << (4 * i);
    }
    for (unsigned p = 0; p < 2 * n; p++)
        b->pins.used |= (uint64_t)x->used[p] << (4 * p);
    b->pins.tie_both = x->tie == OFR_TIE_BOTH;
}

// One decision on both sides. After the start the unit sees other inputs: it must have sampled.
static void decide(struct bench *b, const struct ofr_sample *x, const struct ofr_table *table)
{
    unsigned n = unit_n(), latency = 0, want_latency = ofr_unit_cycles(n, unit_mul());
    set_sample(b, x);
    b->pins.start = true;
    uint32_t t = b->pins.t;
    uint64_t used = b->pins.used;
    do {
        clock_one(b);
        latency++;
        b->pins.t = ~t;
        b->pins.used = ~used;
        if (b->pins.busy != (latency < want_latency))
            complain(b, "busy", b->pins.busy, latency < want_latency);
    } while (!b->pins.done && latency < 100);
    b->pins.t = t;
    b->pins.used = used;
    struct ofr_decision want = ofr_decide(x, table);
    uint32_t q = 0;
    for (unsigned i = 0; i < n; i++)
        q |= (uint32_t)want.q.c[i] << (4 * i);
    if (latency != want_latency)
        complain(b, "latency", latency, want_latency);
    else if (b->pins.kind != want.kind)
        complain(b, "kind", b->pins.kind, want.kind);
    else if (b->pins.q != q)
        complain(b, "q", b->pins.q, q);
    b->decisions++;
}

static void every_pair(struct bench *b, struct ofr_torus torus, const struct ofr_table *table,
                       unsigned rounds)
{
    uint32_t nodes = ofr_nodes(&torus);
    for (uint32_t s = 0; s < nodes; s++)
        for (uint32_t t = 0; t < nodes; t++)
            for (unsigned r = 0; r < rounds; r++) {
                struct ofr_sample x = {.torus = torus,
                                       .tie = r & 1 ? OFR_TIE_BOTH : OFR_TIE_PLUS,
                                       .s = ofr_node_coord(&torus, s),
                                       .t = ofr_node_coord(&torus, t),
                                       .slots = (uint8_t)unit_c()};
                exact_random_used(&x, &b->random);
                decide(b, &x, table);
            }
}

// Programs `table` through the registers as the firmware would and checks the CRC.
static void program(struct bench *b, const struct ofr_table *table, unsigned generation)
{
    uint8_t data[64] = {0};
    unsigned n = unit_n();
    for (unsigned set = 0; set < 1u << n; set++)
        for (unsigned j = 0; j < OFR_TABLE_INDEXES; j++) {
            uint8_t *entry = &data[8 * set + j];
            for (unsigned i = 0; i < n; i++)
                *entry |= (uint8_t)((table->lambda[set][j][i] & 3) << (2 * i));
            *entry |= (uint8_t)((table->valid[set] >> j & 1) << OFR_OFR_DATA_VALID_LSB);
        }
    write_reg(b, OFR_OFR_ADDR, 0);
    for (unsigned i = 0; i < 64; i++)
        write_reg(b, OFR_OFR_DATA, data[i]);
    write_reg(b, OFR_OFR_PARAM,
              (uint32_t)table->delta << OFR_OFR_PARAM_DELTA_LSB |
                  (uint32_t)table->eta << OFR_OFR_PARAM_ETA_LSB |
                  (uint32_t)table->rule_a << OFR_OFR_PARAM_RULE_A_LSB |
                  (uint32_t)table->rule_b << OFR_OFR_PARAM_RULE_B_LSB |
                  (uint32_t)table->oidn << OFR_OFR_PARAM_OIDN_LSB);
    write_reg(b, OFR_OFR_WIDN, (uint32_t)table->widn);
    check_read(b, OFR_OFR_CRC);
    if (b->pins.reg_rdat != ofr_table_crc(data, 64))
        complain(b, "crc", b->pins.reg_rdat, ofr_table_crc(data, 64));
    write_reg(b, OFR_OFR_COMMIT, generation);
}

static struct ofr_sample random_sample(struct bench *b)
{
    struct ofr_sample x = {.torus = {.n = (uint8_t)unit_n()},
                           .slots = (uint8_t)unit_c(),
                           .tie = exact_random(&b->random) & 1 ? OFR_TIE_BOTH : OFR_TIE_PLUS};
    bool small = exact_random(&b->random) & 1;
    for (unsigned i = 0; i < unit_n(); i++) {
        x.torus.k[i] = 1 + (uint8_t)(exact_random(&b->random) % (small ? 5 : 16));
        x.s.c[i] = (uint8_t)(exact_random(&b->random) % x.torus.k[i]);
        x.t.c[i] = (uint8_t)(exact_random(&b->random) % x.torus.k[i]);
    }
    exact_random_used(&x, &b->random);
    return x;
}

// Whatever state a unit wakes up in, after its first reset it decides by the reset table.
static void power_up(uint64_t seed)
{
    enum { UNITS = 2000, DECISIONS = 100 };
    unsigned bad = 0;
    char name[100];
    for (unsigned i = 0; i < UNITS; i++) {
        struct bench b;
        bench_open(&b, seed + i);
        for (unsigned r = 0; r < DECISIONS && b.differences == 0; r++) {
            struct ofr_sample x = random_sample(&b);
            decide(&b, &x, ofr_unit_active(&b.model));
        }
        bad += b.differences != 0;
        bench_close(&b);
    }
    snprintf(name, sizeof name, "of %u units in random state %u decide wrongly after a reset",
             (unsigned)UNITS, bad);
    verdict(bad == 0, name);
}

// Largest numbers: everything at distance 8, all full or nearly so, the rules off, eta at its end.
static void extremes(struct bench *b)
{
    for (unsigned r = 0; r < 200; r++) {
        struct ofr_table table;
        exact_random_table(&table, unit_n(), &b->random);
        table.eta = 255 - (uint8_t)(exact_random(&b->random) % 3);
        table.delta = 8;
        table.rule_a = r & 1;
        table.rule_b = r & 2;
        program(b, &table, 1 + r);
        for (unsigned i = 0; i < 50; i++) {
            struct ofr_sample x = {.torus = {.n = (uint8_t)unit_n(), .k = {16, 16, 16}},
                                   .slots = (uint8_t)unit_c(),
                                   .tie = OFR_TIE_BOTH};
            for (unsigned d = 0; d < unit_n(); d++)
                x.t.c[d] = 8 - (uint8_t)(exact_random(&b->random) % 8 == 0);
            for (unsigned p = 0; p < 2 * unit_n(); p++)
                x.used[p] = (uint8_t)unit_c() - (uint8_t)(exact_random(&b->random) % 8 == 0);
            decide(b, &x, ofr_unit_active(&b->model));
        }
    }
}

static void random_tables(struct bench *b, unsigned tables)
{
    for (unsigned r = 0; r < tables; r++) {
        struct ofr_table table;
        exact_random_table(&table, unit_n(), &b->random);
        program(b, &table, (unsigned)(exact_random(&b->random) % 5 ? 1 + r : 0));
        for (unsigned i = 0; i < 60; i++) {
            struct ofr_sample x = random_sample(b);
            decide(b, &x, ofr_unit_active(&b->model));
        }
    }
}

// Any write to any address of the block, any read, decisions between.
static void random_registers(struct bench *b, unsigned rounds)
{
    for (unsigned r = 0; r < rounds; r++) {
        uint64_t random = exact_random(&b->random);
        uint32_t adr = (uint32_t)random & 31;
        if ((random >> 5 & 7) != 0) // mostly registers, often DATA
            adr = (random >> 8 & 1) ? 12 : adr & 28;
        adr += OFR_OFR_PARAM;
        if ((random >> 9 & 31) == 0)
            adr = random >> 14 & 0xfff;
        uint32_t value = (uint32_t)exact_random(&b->random);
        if (adr == OFR_OFR_DATA && (random >> 20 & 3))
            value &= ~(value >> 1 & 0x15 & ~value) << 1; // 2 becomes 0
        if (adr == OFR_OFR_ADDR && !(random >> 22 & 1))
            value = 0;
        if (adr == OFR_OFR_COMMIT && !(random >> 23 & 3))
            value = 0;
        write_reg(b, adr, value);
        for (unsigned i = 0; i < 6; i++)
            check_read(b, OFR_OFR_PARAM + 4 * i);
        if (b->pins.generation != b->model.generation)
            complain(b, "generation", b->pins.generation, b->model.generation);
        if (r % 4 == 0) {
            struct ofr_sample x = random_sample(b);
            decide(b, &x, ofr_unit_active(&b->model));
        }
        if (r % 1000 == 999) {
            b->pins.rst = true;
            clock_one(b);
            b->pins.rst = false;
            ofr_unit_reset(&b->model);
        }
    }
}

// A commit while a decision is under way: it keeps its table, the next one has the new.
static void commit_in_flight(struct bench *b)
{
    unsigned latency = ofr_unit_cycles(unit_n(), unit_mul());
    struct ofr_table table, none;
    ofr_table_reset(&table, unit_n());
    none = table;
    none.oidn = false;
    none.widn = 0;
    for (unsigned at = 0; at < latency + 2; at++) {
        struct ofr_sample x = {.torus = {.n = (uint8_t)unit_n(), .k = {8, 8, 8}},
                               .slots = (uint8_t)unit_c()};
        x.t.c[0] = 2;
        x.t.c[1] = 2;
        x.used[0] = x.used[2] = x.used[4] = (uint8_t)unit_c();
        program(b, &table, 1);
        decide(b, &x, &table);
        if (b->pins.kind == OFR_MINIMAL)
            complain(b, "kind before", b->pins.kind, OFR_OIDN);
        write_reg(b, OFR_OFR_PARAM, 0);
        write_reg(b, OFR_OFR_WIDN, 0);
        set_sample(b, &x);
        b->pins.start = true;
        for (unsigned cycle = 0; cycle < latency; cycle++) {
            if (cycle == at) {
                b->pins.reg_we = true;
                b->pins.reg_adr = OFR_OFR_COMMIT;
                b->pins.reg_wdat = 2;
                ofr_unit_write(&b->model, OFR_OFR_COMMIT, 2);
            }
            clock_one(b);
        }
        if (!b->pins.done || b->pins.kind == OFR_MINIMAL)
            complain(b, "kind in flight", b->pins.kind, OFR_OIDN);
        if (at < latency)
            decide(b, &x, &none);
        else
            write_reg(b, OFR_OFR_COMMIT, 0);
    }
}

// Each twin is wrong in one thing on one side only, and must show.
static void twins(uint64_t seed)
{
    static const char *const names[] = {"twin: two candidates swapped",
                                        "twin: one lambda negated",
                                        "twin: rule a off",
                                        "twin: rule b off",
                                        "twin: another eta",
                                        "twin: another Delta",
                                        "twin: a WIDN missing",
                                        "twin: an occupancy off by one",
                                        "twin: the tie turned round"};
    for (unsigned twin = 0; twin < sizeof names / sizeof *names; twin++) {
        struct bench b;
        struct ofr_table good, bad;
        bench_open(&b, seed + twin);
        b.quiet = true;
        ofr_table_reset(&good, unit_n());
        bad = good;
        switch (twin) {
        case 0:
            memcpy(bad.lambda[0][0], good.lambda[0][1], sizeof bad.lambda[0][0]);
            memcpy(bad.lambda[0][1], good.lambda[0][0], sizeof bad.lambda[0][0]);
            break;
        case 1:
            bad.lambda[0][0][1] = (int8_t)-bad.lambda[0][0][1];
            break;
        case 2:
            bad.rule_a = false;
            break;
        case 3:
            bad.rule_b = false;
            break;
        case 4:
            bad.eta = 40;
            break;
        case 5:
            bad.delta = 1;
            break;
        case 6:
            bad.widn &= ~2ull;
            break;
        default:
            break;
        }
        program(&b, &bad, 1);
        if (b.differences != 0) { // the registers themselves must agree
            verdict(false, names[twin]);
            bench_close(&b);
            continue;
        }
        for (unsigned r = 0; r < 20000 && b.differences == 0; r++) {
            struct ofr_sample x = {.torus = {.n = (uint8_t)unit_n(), .k = {8, 8, 8}},
                                   .slots = (uint8_t)unit_c(),
                                   .tie = r & 1};
            for (unsigned i = 0; i < unit_n(); i++)
                x.t.c[i] = (uint8_t)(exact_random(&b.random) % 8);
            exact_random_used(&x, &b.random);
            struct ofr_sample seen = x;
            if (twin == 7)
                seen.used[1] = seen.used[1] ? seen.used[1] - 1 : 1;
            if (twin == 8)
                seen.tie = !x.tie;
            struct ofr_decision a = ofr_decide(&x, &good), c = ofr_decide(&seen, &bad);
            if (a.kind == c.kind && memcmp(&a.q, &c.q, sizeof a.q) == 0)
                continue; // this one cannot tell
            // The unit is given what the twin sees, the model what is right.
            unsigned n = unit_n();
            set_sample(&b, &seen);
            b.pins.start = true;
            for (unsigned cycle = 0; cycle < ofr_unit_cycles(n, unit_mul()); cycle++)
                clock_one(&b);
            uint32_t q = 0;
            for (unsigned i = 0; i < n; i++)
                q |= (uint32_t)a.q.c[i] << (4 * i);
            if (b.pins.kind != a.kind || b.pins.q != q)
                complain(&b, "twin", b.pins.q, q);
        }
        verdict(b.differences != 0, names[twin]);
        bench_close(&b);
    }
}

int main(int argc, char **argv)
{
    static const uint8_t sizes[][3] = {{4, 4, 0}, {8, 8, 0}, {5, 7, 0}, {4, 4, 4}, {3, 4, 5}};
    uint64_t seed = exact_seed(argc, argv, 1);
    unsigned rounds = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 0) : 100;
    printf("# N %u C %u MUL %u, %u cycles a decision\n", unit_n(), unit_c(), unit_mul(),
           ofr_unit_cycles(unit_n(), unit_mul()));

    struct bench b;
    bench_open(&b, seed);
    for (unsigned i = 0; i < 6; i++)
        check_read(&b, OFR_OFR_PARAM + 4 * i);
    verdict(b.differences == 0, "registers after reset");
    b.differences = 0;
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct ofr_torus torus = {.n = sizes[i][2] ? 3 : 2,
                                  .k = {sizes[i][0], sizes[i][1], sizes[i][2]}};
        char name[64];
        if (torus.n != unit_n())
            continue;
        every_pair(&b, torus, ofr_unit_active(&b.model), rounds);
        snprintf(name, sizeof name, "every pair of %ux%ux%u, %u occupancies", torus.k[0],
                 torus.k[1], torus.k[2], rounds);
        verdict(b.differences == 0, name);
        b.differences = 0;
    }
    random_tables(&b, 1000);
    verdict(b.differences == 0, "random tables, parameters and sizes 1 to 16");
    b.differences = 0;
    extremes(&b);
    verdict(b.differences == 0, "largest numbers");
    b.differences = 0;
    commit_in_flight(&b);
    verdict(b.differences == 0, "a commit while a decision is under way");
    b.differences = 0;
    random_registers(&b, 20000);
    verdict(b.differences == 0, "random register accesses");
    b.differences = 0;
    printf("# %llu decisions, %llu cycles\n", (unsigned long long)b.decisions,
           (unsigned long long)b.cycles);
    bench_close(&b);
    power_up(seed);
    twins(seed);
    printf("1..%u\n", number);
    return failed != 0;
}
