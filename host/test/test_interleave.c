// SPDX-License-Identifier: Apache-2.0
// Two hosts at once: whatever one does, a second session acts between any two of its frames. What
// the first one is told must be so: it did it all, and nobody else's was among it, or an error. For
// each protection there is a twin without it that this finds out (host.mk, INTERLEAVE_TWIN_*).
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fake.h"
#include "fw_parts.h"

static uint64_t seed;

static const struct torus_options quick = {
    .size = sizeof(struct torus_options), .timeout = 2, .retry = 0.001};

// The boards, the first host, and what the second one does at which of the first one's frames.
struct stage {
    struct fake_fabric *f;
    struct fake_wire wire[2];
    struct torus *first, *second;
    struct torus_transport beneath; // the first host's wire
    long at, frames;                // acts before frame `at`; frames so far
    void (*act)(struct stage *s);
    bool acted;
    bool broken;         // who had no right to wrote all the same
    int said;            // the second host's, of what it did
    unsigned generation; // that it gave a table, 0: none
    unsigned latches;    // boards that latched by the second host
    uint64_t number[64]; // counters that boards had, a run number, at the first host's
};

static unsigned newest(const struct fake_fabric *f)
{
    unsigned generation = 0;
    for (unsigned i = 0; i < f->boards; i++)
        if ((f->board[i].fw.active & 0xffff) > generation)
            generation = f->board[i].fw.active & 0xffff;
    return generation;
}

static int watched_write(void *ctx, const void *from, size_t bytes, int milliseconds)
{
    struct stage *s = ctx;
    if (s->frames++ == s->at && !s->acted) {
        unsigned before = newest(s->f);
        s->acted = true;
        s->act(s);
        s->generation = newest(s->f) != before ? newest(s->f) : 0;
    }
    return s->beneath.write(s->beneath.ctx, from, bytes, milliseconds);
}

static int watched_read(void *ctx, void *to, size_t bytes, int milliseconds)
{
    struct stage *s = ctx;
    return s->beneath.read(s->beneath.ctx, to, bytes, milliseconds);
}

// Counters that tell when they were latched: all of a board the same number, which goes up.
static void tick(struct fake_fabric *f)
{
    for (unsigned i = 0; i < f->boards; i++)
        for (unsigned c = 0; c < FAKE_COUNTERS; c++)
            f->board[i].counter[c]++;
}

static void set_up(struct stage *s, unsigned kx, unsigned ky)
{
    struct torus_preset preset = torus_preset_default(TORUS_ABR);
    memset(s, 0, sizeof *s);
    s->f = fake_new(kx, ky, 1, true, seed);
    s->wire[0] = (struct fake_wire){s->f->board, -1};
    s->wire[1] = (struct fake_wire){s->f->board + s->f->boards - 1, -1};
    s->beneath = fake_transport(&s->wire[0]);
    s->at = -1;
    for (unsigned i = 0; i < s->f->boards; i++)
        for (unsigned c = 0; c < FAKE_COUNTERS; c++)
            s->f->board[i].counter[c] = 1000;
    assert_int_equal(torus_open_transport(&s->second, fake_transport(&s->wire[1]), &quick), 0);
    assert_int_equal(torus_discover(s->second), TORUS_OK);
    assert_int_equal(torus_program(s->second, &preset), TORUS_OK);
    assert_int_equal(torus_attach(s->second), TORUS_OK);
    struct torus_transport wire = {watched_read, watched_write, NULL, s};
    assert_int_equal(torus_open_transport(&s->first, wire, &quick), TORUS_OK);
}

static void tear_down(struct stage *s)
{
    s->acted = true;
    torus_close(s->first);
    torus_close(s->second);
    fake_free(s->f);
}

// What the second host may do -----------------------------------------------------------------

static void program_dor(struct stage *s)
{
    struct torus_preset preset = torus_preset_default(TORUS_DOR);
    s->said = torus_program(s->second, &preset);
}

// After so long a time that any lease has run out.
static void program_later(struct stage *s)
{
    for (unsigned n = 0; n < 100; n++)
        for (unsigned i = 0; i < s->f->boards; i++) {
            s->f->board[i].timer += FAKE_CLOCK;
            lease_expire(&s->f->board[i].fw);
        }
    program_dor(s);
}

static void ignore(void *ctx, const uint8_t at[3], const uint64_t *counters)
{
    (void)ctx;
    (void)at;
    (void)counters;
}

static void look_at_counters(struct stage *s)
{
    tick(s->f);
    s->said = torus_counters(s->second, ignore, NULL);
    tick(s->f);
}

static void write_register(struct stage *s)
{
    s->said = torus_write(s->second, (const uint8_t[]){0, 0, 0}, OFR_NODE_SEED, 0xbad);
}

static void run_traffic(struct stage *s)
{
    struct torus_run run = torus_run_default();
    struct torus_result result;
    run.load = 0.25;
    s->said = torus_run(s->second, &run, &result);
}

static void stop_traffic(struct stage *s)
{
    s->said = torus_stop(s->second);
}

static void set_key(struct stage *s)
{
    s->said = torus_set_key(s->second, 0x5555);
}

// One request to the board that the second host is plugged into, by its frame; its status. d3.
static unsigned ask_raw(struct stage *s, unsigned op, unsigned session, unsigned high, uint32_t *d3)
{
    struct torus_transport t = fake_transport(&s->wire[1]);
    uint32_t word[7] = {OFR_FRAME_SYNC | (uint32_t)OFR_PROTOCOL_VERSION << 12, op | session << 16,
                        12345};
    uint8_t frame[OFR_FRAME_BYTES];
    word[3] = 12345; // a snapshot's number, where it is one
    word[5] = high << 16;
    word[6] = *d3;
    for (unsigned i = 0; i < 7; i++)
        ofr_put32(frame + 4 * i, word[i]);
    ofr_put32(frame + 28, ofr_crc32(frame, 28));
    t.write(t.ctx, frame, sizeof frame, 0);
    assert_int_equal(t.read(t.ctx, frame, sizeof frame, 0), sizeof frame);
    *d3 = ofr_get32(frame + 24);
    return frame[5];
}

// Somebody without key or lease who goes by what every board tells: who has the lease.
static void impostor(struct stage *s)
{
    uint32_t who = 0, value = 0xbad;
    bool held = s->wire[1].board->fw.lease;
    unsigned status = ask_raw(s, OFR_OP_READ, 999, OFR_SEL_FIRMWARE | OFR_FW_LEASE, &who);
    assert_int_equal(status, OFR_OK);
    unsigned session = who & 0xffff ? who & 0xffff : 998;
    s->broken |= ask_raw(s, OFR_OP_WRITE, session, OFR_NODE_SEED, &value) == OFR_OK && held;
}

static const struct action {
    const char *name;
    void (*act)(struct stage *s);
    bool writes;
} actions[] = {
    {"program", program_dor, true},
    {"program, much later", program_later, true},
    {"counters", look_at_counters, false},
    {"a register", write_register, true},
    {"a run", run_traffic, true},
    {"stop", stop_traffic, true},
    {"the key", set_key, true},
    {"an impostor", impostor, true},
};
enum { ACTIONS = sizeof actions / sizeof *actions };

// What the first host may do ------------------------------------------------------------------
// Each gives the library's error, and where that is TORUS_OK sets *true_ to whether it is so.

// Which routing do all boards have? 0: not all the same one.
static unsigned routing_of(const struct fake_fabric *f)
{
    unsigned routing = f->board[0].fw.active >> 16 & 7;
    for (unsigned i = 1; i < f->boards; i++)
        if (f->board[i].fw.active != f->board[0].fw.active ||
            f->board[i].reg[OFR_OFR_WIDN / 4] != f->board[0].reg[OFR_OFR_WIDN / 4] ||
            f->board[i].reg[OFR_NODE_ROUTING / 4] != f->board[0].reg[OFR_NODE_ROUTING / 4] ||
            memcmp(f->board[i].table, f->board[0].table, sizeof f->board[i].table) != 0)
            return 0;
    // POR and OFR deroute, the others do not.
    bool widn = routing == TORUS_OFR || routing == TORUS_POR;
    return (f->board[0].reg[OFR_OFR_WIDN / 4] != 0) == widn ? routing : 0;
}

// Frames after the last one that needs the lease: a look, giving back.
enum { AFTER = 2 };

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
    struct torus_clock clock[64];
    double residual;
    int error = torus_snapshot(s->first, 0.01, clock, &residual, see, &seen);
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

static int align(struct stage *s, bool *is)
{
    struct torus_alignment board[64];
    double apart;
    int error = torus_align(s->first, board, &apart);
    *is = true; // a fake board's packets take no time: it is an error, or nothing to be done
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

static const struct operation {
    const char *name;
    int (*go)(struct stage *s, bool *is);
} operations[] = {
    {"program", program_ofr},
    {"counters", read_all_counters},
    {"snapshot", snapshot},
    {"run", run},
    {"flows", flows},
    {"destinations", destinations},
    {"key", key_set},
    {"write", write_one},
    {"assign", assign},
    {"align", align},
    {"histogram", histogram},
    {"stop", stop},
    {"resume", program_resume},
    {"abort", program_abort},
    {"program, with a key", keyed_program},
};
enum { OPERATIONS = sizeof operations / sizeof *operations };

// Can it be done here, where nobody else is?
static bool works_alone(const struct operation *o)
{
    struct stage s;
    bool is;
    set_up(&s, 2, 2);
    assert_int_equal(torus_attach(s.first), TORUS_OK);
    int error = o->go(&s, &is);
    tear_down(&s);
    return error == TORUS_OK;
}

// Every operation with every action of the other host before each of its frames. Lies: the first
// host was told that it had done what was not so, or could not do it although the other one did but
// read. *refused: of the others, errors.
static unsigned lies(const struct operation *o, const struct action *a, unsigned *refused,
                     unsigned *tried)
{
    unsigned lies = 0;
    bool must = !a->writes && works_alone(o);
    for (long at = 0;; at++) {
        struct stage s;
        bool is = false;
        set_up(&s, 2, 2);
        assert_int_equal(torus_attach(s.first), TORUS_OK);
        s.frames = 0;
        s.at = at;
        s.act = a->act;
        int error = o->go(&s, &is);
        bool acted = s.acted;
        if (s.broken || (error == TORUS_OK && !is)) {
            lies++;
            print_message("# %s, %s before frame %ld: not so\n", o->name, a->name, at);
        }
        if (must && error != TORUS_OK) {
            lies++;
            print_message("# %s, %s before frame %ld: not so: %s\n", o->name, a->name, at,
                          torus_detail(s.first));
        }
        *refused += error != TORUS_OK;
        ++*tried;
        if (error != TORUS_OK)
            assert_true(*torus_detail(s.first));
        // Nothing is left behind but by a host that was cut off.
        tear_down(&s);
        if (!acted)
            return lies;
    }
}

static void between_any_two_frames(void **state)
{
    (void)state;
    const char *only = getenv("ONLY"); // an operation; for the twins, one of which this finds out
    unsigned tried = 0, refused = 0, wrong = 0;
    for (unsigned i = 0; i < OPERATIONS; i++)
        for (unsigned j = 0; j < ACTIONS && (!only || !strcmp(only, operations[i].name)); j++)
            wrong += lies(&operations[i], &actions[j], &refused, &tried);
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
        set_up(&s, 2, 2);
        assert_int_equal(torus_attach(s.first), TORUS_OK);
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
