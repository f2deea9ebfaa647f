// SPDX-License-Identifier: Apache-2.0
// Two hosts at once: whatever one does, a second session acts between any two of its frames. What
// the first one is told must be so: it did it all, and nobody else's was among it, or an error. For
// each protection there is a twin without it that this finds out (host.mk, INTERLEAVE_TWIN_*). Here
// every call of the library that more than looks at one board; test_commands.c does the same with
// every command of torusctl.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "interleave.h"

static uint64_t seed;

// What the first host may do ------------------------------------------------------------------
// Each gives the library's error, and where that is TORUS_OK sets *is to whether it is so.

// Where both did it, each thinks that it was the last one: so one of them must be right, and the
// first one is, unless the second one came at the very end.
static int program_ofr(struct stage *s, bool *is)
{
    struct torus_preset preset = torus_preset_default(TORUS_OFR);
    int error = torus_program(s->first, &preset);
    unsigned now = routing_of(s->f);
    *is = now == TORUS_OFR || (now == TORUS_DOR && s->said == TORUS_OK && s->at == s->frames - 1);
    return error;
}

// DOR came to all boards but one: somebody was cut off in the middle of it.
static void cut_short(struct stage *s)
{
    struct torus_preset preset = torus_preset_default(TORUS_DOR);
    struct fake_board *last = &s->f->board[s->f->boards - 1], was = *last;
    assert_int_equal(torus_program(s->second, &preset), TORUS_OK);
    *last = was;
}

// Generations never go back, and no two tables have the same one.
static int program_resume(struct stage *s, bool *is)
{
    cut_short(s);
    int error = torus_program_resume(s->first, NULL);
    *is = routing_of(s->f) == TORUS_DOR && newest(s->f) >= s->generation;
    return error;
}

static int program_abort(struct stage *s, bool *is)
{
    cut_short(s);
    int error = torus_program_abort(s->first, NULL);
    unsigned now = routing_of(s->f);
    *is = (now == TORUS_ABR && newest(s->f) > s->generation) ||
          (now == TORUS_DOR && s->said == TORUS_OK && s->at >= s->frames - AFTER);
    return error;
}

struct seen {
    uint64_t low, high;
    unsigned boards;
};

static void see(void *ctx, const uint8_t at[3], const uint64_t *counters)
{
    struct seen *seen = ctx;
    (void)at;
    for (unsigned i = 0; i < FAKE_COUNTERS; i++) {
        seen->low = counters[i] < seen->low ? counters[i] : seen->low;
        seen->high = counters[i] > seen->high ? counters[i] : seen->high;
    }
    seen->boards++;
}

static int read_all_counters(struct stage *s, bool *is)
{
    struct seen seen = {.low = UINT64_MAX};
    int error = torus_counters(s->first, see, &seen);
    *is = seen.low == seen.high && seen.boards == s->f->boards;
    return error;
}

static int snapshot(struct stage *s, bool *is)
{
    struct seen seen = {.low = UINT64_MAX};
    double late[64], residual;
    int error = torus_snapshot(s->first, late, &residual, see, &seen);
    *is = seen.low == seen.high && seen.boards == s->f->boards;
    return error;
}

// A run is of one routing and of its own traffic: packets of one load.
static int run(struct stage *s, bool *is)
{
    struct torus_run wanted = torus_run_default();
    struct torus_result result = {.sent = 0};
    struct torus_preset preset;
    unsigned generation;
    wanted.load = 0.5;
    wanted.warmup = 0;
    wanted.cycles = 3200; // packets of 16 flits, one in 32 cycles: 100, and one at the end
    int error = torus_programmed(s->first, &preset, &generation);
    unsigned before = routing_of(s->f);
    long from = s->frames;
    if (error == TORUS_OK)
        error = torus_run(s->first, &wanted, &result);
    bool among = s->acted && s->at >= from && s->at < s->frames - AFTER;
    *is = result.sent == s->f->boards * 101 && result.received == result.sent &&
          (!among || routing_of(s->f) == before);
    return error;
}

static int flows(struct stage *s, bool *is)
{
    struct torus_flow_options o = torus_flow_options_default();
    struct torus_flow flow[4] = {{.from = {0, 0}, .to = {1, 1}},
                                 {.from = {1, 1}, .to = {0, 0}},
                                 {.from = {0, 1}, .to = {1, 0}},
                                 {.from = {1, 0}, .to = {0, 1}}};
    o.load = 0.5;
    o.warmup = 0;
    o.cycles = 3200;
    unsigned before = routing_of(s->f);
    long from = s->frames;
    int error = torus_flows(s->first, &o, flow, 4);
    bool among = s->acted && s->at > from && s->at < s->frames - AFTER;
    *is = flow[0].sent == 101 && flow[1].sent == 101 && (!among || routing_of(s->f) == before);
    return error;
}

static int destinations(struct stage *s, bool *is)
{
    struct torus_preset preset = torus_preset_default(TORUS_OFR);
    struct torus_destination list[2] = {{.from = {0, 0}, .to = {1, 0}, .mode = TORUS_ESCAPE},
                                        {.from_all = true, .to = {1, 1}, .mode = TORUS_NO_DEROUTE}};
    struct torus_table table;
    assert_int_equal(torus_preset_table(&preset, 2, &table), TORUS_OK);
    table.delta = 1;
    table.destinations = list;
    table.destination_count = 2;
    int error = torus_program_table(s->first, &table);
    unsigned on = 0, whole = 0, wholly = s->f->boards;
    for (unsigned i = 0; i < s->f->boards; i++) {
        const struct fake_board *b = &s->f->board[i];
        uint32_t at = b->reg[OFR_NODE_COORD / 4];
        on += b->reg[OFR_PINS_CONTROL / 4];
        whole += b->fw.active == s->f->board->fw.active &&
                 (b->fw.active >> 16 & 7) == TORUS_CUSTOM &&
                 b->pins[0x01] == (at ? 0 : OFR_PINS_DATA_MODE_ESCAPE << 12) &&
                 b->pins[0x11] == (at == 0x101 ? 0 : OFR_PINS_DATA_MODE_MINIMAL << 12);
    }
    *is = (on == wholly && whole == wholly) ||
          (routing_of(s->f) == TORUS_DOR && s->said == TORUS_OK && !on && !whole &&
           s->at >= s->frames - AFTER);
    return error;
}

static int key_set(struct stage *s, bool *is)
{
    int error = torus_set_key(s->first, 0x123456789abcdef0);
    *is = true;
    for (unsigned i = 0; i < s->f->boards; i++)
        *is &= s->f->board[i].fw.key[0] == 0x9abcdef0 && s->f->board[i].fw.key[1] == 0x12345678;
    return error;
}

static int keyed_program(struct stage *s, bool *is)
{
    int error = torus_set_key(s->first, 0x123456789abcdef0);
    return error == TORUS_OK ? program_ofr(s, is) : error;
}

static int write_one(struct stage *s, bool *is)
{
    int error = torus_write(s->first, (const uint8_t[]){0, 0, 0}, OFR_NODE_SEED, 0x600d);
    *is = true; // the last one's is there
    for (unsigned i = 0; i < s->f->boards; i++)
        if (!s->f->board[i].reg[OFR_NODE_COORD / 4])
            *is = s->f->board[i].reg[OFR_NODE_SEED / 4] == 0x600d ||
                  (s->said == TORUS_OK && s->f->board[i].reg[OFR_NODE_SEED / 4] == 0xbad);
    return error;
}

static int assign(struct stage *s, bool *is)
{
    int error = torus_discover(s->first);
    if (error == TORUS_OK)
        error = torus_assign(s->first);
    *is = true;
    for (unsigned i = 0; i < s->f->boards; i++)
        *is &= s->f->board[i].reg[OFR_NODE_CONTROL / 4] & 1;
    return error;
}

static int one_time(struct stage *s, bool *is)
{
    struct torus_time board[64];
    double apart;
    int error = torus_one_time(s->first, board, &apart);
    *is = true; // they share a clock
    for (unsigned i = 0; i < s->f->boards; i++)
        *is &= !s->f->board[i].reg[OFR_NODE_TIME_ADD / 4] &&
               !s->f->board[i].reg[OFR_NODE_TIME_RATE / 4];
    return error;
}

// The histogram is of the run before it, all of whose packets the fake board puts into one bin.
static int histogram(struct stage *s, bool *is)
{
    struct torus_run wanted = torus_run_default();
    struct torus_result result;
    uint32_t count[TORUS_BINS], sum = 0;
    wanted.load = 0.5;
    wanted.warmup = 0;
    wanted.cycles = 3200;
    int error = torus_run(s->first, &wanted, &result);
    if (error == TORUS_OK)
        error = torus_histogram(s->first, &result, count);
    for (unsigned i = 0; i < TORUS_BINS && error == TORUS_OK; i++)
        sum += count[i];
    *is = sum == s->f->boards * 101 && sum == result.measured;
    return error;
}

// Nobody generates any more, unless it is the other host's, after that.
static int stop(struct stage *s, bool *is)
{
    unsigned running = 0;
    for (unsigned i = 0; i < s->f->boards; i++) // somebody has left it running
        s->f->board[i].reg[OFR_GEN_CONTROL / 4] |= OFR_GEN_CONTROL_ENABLE_MASK;
    int error = torus_stop(s->first);
    for (unsigned i = 0; i < s->f->boards; i++)
        running += s->f->board[i].reg[OFR_GEN_CONTROL / 4] & OFR_GEN_CONTROL_ENABLE_MASK;
    *is = !running || (s->acted && s->said == TORUS_OK);
    return error;
}

static const struct operation operations[] = {
    {.name = "program", .go = program_ofr, .kx = 2, .ky = 2},
    {.name = "counters", .go = read_all_counters, .kx = 2, .ky = 2},
    {.name = "snapshot", .go = snapshot, .kx = 2, .ky = 2},
    {.name = "run", .go = run, .kx = 2, .ky = 2},
    {.name = "flows", .go = flows, .kx = 2, .ky = 2},
    {.name = "destinations", .go = destinations, .kx = 2, .ky = 2},
    {.name = "key", .go = key_set, .kx = 2, .ky = 2},
    {.name = "write", .go = write_one, .kx = 2, .ky = 2},
    {.name = "assign", .go = assign, .kx = 2, .ky = 2},
    {.name = "one time", .go = one_time, .kx = 2, .ky = 2, .clocks = true},
    {.name = "histogram", .go = histogram, .kx = 2, .ky = 2},
    {.name = "stop", .go = stop, .kx = 2, .ky = 2},
    {.name = "resume", .go = program_resume, .kx = 2, .ky = 2},
    {.name = "abort", .go = program_abort, .kx = 2, .ky = 2},
    {.name = "program, with a key", .go = keyed_program, .kx = 2, .ky = 2},
};
enum { OPERATIONS = sizeof operations / sizeof *operations };

static void between_any_two_frames(void **state)
{
    (void)state;
    const char *only = getenv("ONLY"); // an operation; for the twins, one of which this finds out
    unsigned tried = 0, refused = 0, wrong = 0;
    for (unsigned i = 0; i < OPERATIONS; i++)
        if (!only || !strcmp(only, operations[i].name))
            wrong += lies(&operations[i], seed, &refused, &tried);
    print_message("# %u times, %u of them refused\n", tried, refused);
    assert_int_equal(wrong, 0);
    assert_true(only || tried > 1000);
}

// Two hosts plugged into two boards latch at the same time: some boards have the one's snapshot,
// some the other's, and nobody latches any more. The counters are read all the same, of one
// instant.
static void half_latched(struct stage *s)
{
    uint32_t value = 0;
    tick(s->f);
    assert_int_equal(ask_raw(s, OFR_OP_SNAPSHOT, 999, 0, &value), OFR_OK);
    tick(s->f);
}

static void snapshots_that_differ(void **state)
{
    unsigned ways = 0;
    (void)state;
    for (bool acted = true; acted; ways++) {
        struct stage s;
        bool is = false;
        set_up(&s, seed, 2, 2);
        s.frames = 0;
        s.at = (long)ways;
        s.act = half_latched;
        int error = read_all_counters(&s, &is);
        if (error != TORUS_OK)
            print_message("# before frame %u: %s\n", ways, torus_detail(s.first));
        assert_int_equal(error, TORUS_OK);
        assert_true(is);
        acted = s.acted;
        tear_down(&s);
    }
    assert_true(ways > 4);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(snapshots_that_differ),
        cmocka_unit_test(between_any_two_frames),
    };
    seed = fake_seed(argc, argv);
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("interleave", tests, NULL, NULL);
}
