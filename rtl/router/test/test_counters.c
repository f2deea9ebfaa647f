// SPDX-License-Identifier: Apache-2.0
// The counters against their golden model (sim/model/counters.c) in lockstep: events as dense as a
// router's can be, snapshots at any moment, register reads as often as they may come, resets. TAP.
// Usage: test_counters [SEED [RUNS]], or SEED in the environment. Built with -DN= (dimensions),
// -DCOUNTERS_SMALL= and -DSTART= (what each counter begins with) as the RTL is.
#include "counters.h"
#include "counters_shim.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ofr_regs.h"

#ifndef N // for tools that read this file alone
#define N              2
#define COUNTERS_SMALL 1
#define START          0
#endif

enum {
    P = 2 * N,
    CYCLES = 20000, // a run
    LINK_SPACING = 16,
    BUSY = 1000, // longer than this no snapshot takes
};

struct spaced { // an event that needs some cycles to come again
    unsigned rest;
};

struct bench {
    struct counters_rtl *rtl;
    struct counters_pins pins;
    struct ofr_counters model;
    uint64_t live[OFR_COUNTS], random, cycle;
    unsigned dense, often; // per cent: events, register accesses
    bool hammer;           // accesses are nearly all of those that take cycles from the counting
    unsigned since, busy;  // cycles since the last strobe; since a snapshot was asked for, 0: none
    unsigned copied;       // of the snapshot under way
    struct spaced injected, delivered, poisoned, pinned, discarded[P + 1], link[3][P];
    // what was exercised
    uint64_t snapshots, refused, compared, resets, saturated;
    char error[160];
};

static uint64_t draw(struct bench *b)
{
    uint64_t z = b->random += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static bool chance(struct bench *b, unsigned percent)
{
    return draw(b) % 100 < percent;
}

// Whether the event happens in this cycle, as often as it may at most.
static bool happens(struct bench *b, struct spaced *event, unsigned spacing)
{
    if (event->rest) {
        event->rest--;
        return false;
    }
    if (!chance(b, b->dense))
        return false;
    event->rest = spacing - 1;
    return true;
}

static void differ(struct bench *b, const char *what, unsigned at, uint64_t rtl, uint64_t model)
{
    if (!b->error[0])
        snprintf(b->error, sizeof b->error,
                 "cycle %" PRIu64 ": %s %u is %" PRIx64 " in the RTL, %" PRIx64 " in the model",
                 b->cycle, what, at, rtl, model);
}

static void count_vc(struct bench *b, unsigned port, unsigned vc, unsigned what)
{
    b->live[((port == P ? 6 : port) * 3 + vc) * 4 + what]++;
}

static void draw_events(struct bench *b)
{
    struct counters_pins *p = &b->pins;
    uint64_t *node = b->live;
    p->flit = p->packet = p->stall_credit = p->stall_alloc = p->refused = p->discarded = 0;
    p->crc = p->retry = p->reset = 0;
    p->flit_vc = p->packet_vc = p->stall_vc = 0;
    for (unsigned i = 0; i <= P; i++) {
        unsigned vc = (unsigned)(draw(b) % 3), out_vc = i == P ? 0 : vc;
        p->flit_vc |= (uint16_t)(vc << 2 * i);
        p->packet_vc |= (uint16_t)(vc << 2 * i);
        p->stall_vc |= (uint16_t)(vc << 2 * i);
        if (chance(b, b->dense)) {
            p->flit |= (uint8_t)(1U << i);
            count_vc(b, i, out_vc, OFR_COUNTER_FLITS);
        }
        if (happens(b, &b->discarded[i], 4)) {
            p->discarded |= (uint8_t)(1U << i);
            node[OFR_COUNTER_DISCARDED]++;
        }
        if (COUNTERS_SMALL)
            continue;
        if (chance(b, b->dense)) {
            p->packet |= (uint8_t)(1U << i);
            count_vc(b, i, out_vc, OFR_COUNTER_PACKETS);
            node[OFR_COUNTER_HOPS] += i < P;
        }
        if (chance(b, b->dense)) {
            bool credit = draw(b) & 1;
            *(credit ? &p->stall_credit : &p->stall_alloc) |= (uint8_t)(1U << i);
            count_vc(b, i, vc, credit ? OFR_COUNTER_STALL_CREDIT : OFR_COUNTER_STALL_ALLOC);
        }
        if (chance(b, b->dense)) {
            p->refused |= (uint8_t)(1U << i);
            node[OFR_COUNTER_REFUSED]++;
        }
    }
    for (unsigned i = 0; i < P; i++) {
        uint8_t *bits[3] = {&p->crc, &p->retry, &p->reset};
        for (unsigned k = 0; k < 3; k++)
            if (happens(b, &b->link[k][i], LINK_SPACING)) {
                *bits[k] |= (uint8_t)(1U << i);
                node[OFR_COUNTER_LINK_BASE + 3 * i + k]++;
            }
    }
    node[OFR_COUNTER_INJECTED] += p->injected = happens(b, &b->injected, 4);
    node[OFR_COUNTER_DELIVERED] += p->delivered = happens(b, &b->delivered, 4);
    node[OFR_COUNTER_POISONED] += p->poisoned = happens(b, &b->poisoned, 2);
    node[OFR_COUNTER_PINNED] += p->pinned = happens(b, &b->pinned, 4);
    unsigned how = p->injected ? (unsigned)(draw(b) % 3) : 0;
    node[OFR_COUNTER_OIDN] += p->oidn = how == 1;
    node[OFR_COUNTER_WIDN] += p->widn = how == 2;
}

// A register access, or none; strobes are 3 cycles apart at least.
static void draw_access(struct bench *b)
{
    static const uint16_t offset[] = {OFR_COUNT_SNAPSHOT, OFR_COUNT_INDEX, OFR_COUNT_LOW,
                                      OFR_COUNT_HIGH};
    struct counters_pins *p = &b->pins;
    p->reg_we = p->reg_re = false;
    if (++b->since < 3 || !chance(b, b->often))
        return;
    b->since = 0;
    p->reg_adr = offset[draw(b) % 4];
    p->reg_re = chance(b, 70);
    if (b->hammer) {
        p->reg_re = chance(b, 95);
        p->reg_adr = p->reg_re ? OFR_COUNT_HIGH : OFR_COUNT_SNAPSHOT;
        if (b->busy && chance(b, 5))
            p->reg_adr = OFR_COUNT_SNAPSHOT, p->reg_re = true; // to see its end
    }
    p->reg_we = !p->reg_re;
    p->reg_wdat = (uint32_t)(draw(b) % 140);
}

static void check_access(struct bench *b)
{
    struct counters_pins *p = &b->pins;
    if (p->reg_re) {
        uint32_t want = ofr_counters_read(&b->model, p->reg_adr);
        if (p->reg_adr == OFR_COUNT_SNAPSHOT) {
            if (!p->reg_rdat && b->busy) {
                b->busy = 0;
                if (b->copied)
                    differ(b, "copied", b->copied, 0, 0);
            } else if (p->reg_rdat && !b->busy) {
                b->busy = 1; // after a reset, until the bank is cleared
            }
        } else if (p->reg_adr == OFR_COUNT_INDEX || (!b->busy && b->model.index != 127)) {
            if (p->reg_rdat != want)
                differ(b, "register", p->reg_adr, p->reg_rdat, want);
            b->compared++;
        }
    }
    if (p->reg_we && !p->reg_err) {
        uint64_t live[OFR_COUNTS];
        for (unsigned i = 0; i < OFR_COUNTS; i++)
            live[i] = b->live[i] + (i >= OFR_COUNTER_NODE_BASE || i % 12 == 0 ? START : 0);
        ofr_counters_write(&b->model, p->reg_adr, p->reg_wdat, live);
        if (p->reg_adr == OFR_COUNT_SNAPSHOT) {
            b->busy = 1;
            b->copied = 1;
            b->snapshots++;
        }
    }
    b->refused += p->reg_we && p->reg_err;
    if (b->busy && b->busy++ > BUSY && p->reg_re && p->reg_adr == OFR_COUNT_SNAPSHOT)
        differ(b, "busy for cycles", b->busy, 1, 0);
}

static void check_copy(struct bench *b)
{
    const struct counters_pins *p = &b->pins;
    if (!p->copy)
        return;
    uint64_t want = b->model.snapshot[p->copy_index % OFR_COUNTS];
    if (p->copy_value != want)
        differ(b, "copy of counter", p->copy_index, p->copy_value, want);
    b->saturated += COUNTERS_SMALL && want == UINT32_MAX;
    if (!b->copied)
        differ(b, "copy without a snapshot, of counter", p->copy_index, 0, 0);
    if (p->copy_index == ofr_counters_last(&b->model))
        b->copied = 0;
}

static void reset(struct bench *b)
{
    uint64_t none[OFR_COUNTS] = {0};
    memset(&b->pins, 0, sizeof b->pins);
    b->pins.rst = true;
    counters_rtl_clock(b->rtl, &b->pins);
    counters_rtl_clock(b->rtl, &b->pins);
    b->pins.rst = false;
    memcpy(b->live, none, sizeof none);
    ofr_counters_init(&b->model, N);
    b->model.small = COUNTERS_SMALL;
    b->since = 2;
    b->busy = b->copied = 0;
    b->resets++;
}

// Returns whether RTL and model agreed.
static bool run(uint64_t seed, struct bench *sum)
{
    struct bench bench = {.random = seed, .rtl = counters_rtl_new(seed)}, *b = &bench;
    for (; b->cycle < CYCLES && !b->error[0]; b->cycle++) {
        if (b->cycle % 2000 == 0) {
            if (b->cycle % 4000 == 0)
                reset(b);
            b->dense = chance(b, 40) ? 100 : (unsigned)(draw(b) % 60);
            b->hammer = chance(b, 40);
            b->often = b->hammer || chance(b, 40) ? 100 : 1 + (unsigned)(draw(b) % 30);
        }
        draw_events(b);
        draw_access(b);
        counters_rtl_clock(b->rtl, &b->pins);
        check_copy(b);
        check_access(b);
    }
    counters_rtl_free(b->rtl);
    sum->snapshots += b->snapshots;
    sum->refused += b->refused;
    sum->compared += b->compared;
    sum->saturated += b->saturated;
    if (b->error[0])
        printf("# seed %" PRIu64 ": %s\n", seed, b->error);
    return !b->error[0];
}

int main(int argc, char **argv)
{
    const char *text = argc > 1 ? argv[1] : getenv("SEED");
    uint64_t seed = text ? strtoull(text, NULL, 0) : 1;
    unsigned runs = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 0) : 100, good = 0;
    struct bench sum = {0};
    printf("# seed %" PRIu64 "; again: SEED=%" PRIu64 "\n", seed, seed);
    while (good < runs && run(seed + good, &sum))
        good++;
    printf("%sok 1 - %dD, %s counters%s: as the model for %u x %d cycles\n",
           good < runs ? "not " : "", N, COUNTERS_SMALL ? "small" : "all",
           START ? " near their end" : "", good, CYCLES);
    bool all = sum.snapshots && sum.refused && sum.compared && (!START || sum.saturated);
    printf("%sok 2 - %" PRIu64 " snapshots, %" PRIu64 " refused, %" PRIu64 " values read, %" PRIu64
           " at their end\n1..2\n",
           good < runs || all ? "" : "not ", sum.snapshots, sum.refused, sum.compared,
           sum.saturated);
    return good < runs || !all;
}
