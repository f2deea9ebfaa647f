// SPDX-License-Identifier: Apache-2.0
// Calls cut short: cancelled at any moment, or by a board that stops answering; what is left on the
// boards then, and after torus_close(). Structures of options of other versions; progress. For each
// protection there is a twin without it that this finds out (host.mk, CANCEL_TWIN_*).
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "fake.h"
#include "fw_parts.h"

static uint64_t seed;

// Boards and a host at one of them, whose wire can be cut for a while.
struct stage {
    struct fake_fabric *f;
    struct fake_wire wire;
    struct torus_transport beneath;
    struct torus *t;
    bool deaf;               // the wire: all is lost
    long frames, deaf_from;  // frames sent; from which on it is cut, -1: never
    long looks, cancel_from; // looks at `cancelled`; from which on it says so, -1: never
    double last, least_gap;  // seconds: progress was told at, at least apart
    unsigned told;
    bool backwards, beyond; // it was told less than before of the same; more than all
    char what[20];
    double done;
};

static bool cancelled(void *ctx)
{
    struct stage *s = ctx;
    return s->looks++ >= s->cancel_from && s->cancel_from >= 0;
}

static double now(void)
{
    return fake_cycles() / FAKE_CLOCK;
}

static void told(void *ctx, const char *what, double done, double total)
{
    struct stage *s = ctx;
    double at = now();
    if (s->told++ && at - s->last < s->least_gap)
        s->least_gap = at - s->last;
    s->last = at;
    s->backwards |= !strcmp(what, s->what) && done < s->done;
    s->beyond |= total > 0 && done > total;
    snprintf(s->what, sizeof s->what, "%s", what);
    s->done = done;
}

static int wire_write(void *ctx, const void *from, size_t bytes, int milliseconds)
{
    struct stage *s = ctx;
    s->deaf |= s->frames++ == s->deaf_from;
    return s->deaf ? (int)bytes : s->beneath.write(s->beneath.ctx, from, bytes, milliseconds);
}

static int wire_read(void *ctx, void *to, size_t bytes, int milliseconds)
{
    struct stage *s = ctx;
    const struct timespec nap = {.tv_nsec = 1000000L * (milliseconds > 0 ? milliseconds : 1)};
    if (!s->deaf)
        return s->beneath.read(s->beneath.ctx, to, bytes, milliseconds);
    nanosleep(&nap, NULL);
    return 0;
}

static void set_up(struct stage *s, unsigned kx, unsigned ky)
{
    struct torus_options o = torus_options_default();
    memset(s, 0, sizeof *s);
    s->f = fake_new(kx, ky, 1, true, seed);
    s->wire = (struct fake_wire){s->f->board, -1};
    s->beneath = fake_transport(&s->wire);
    s->deaf_from = s->cancel_from = -1;
    s->least_gap = 1e9;
    o.timeout = 2;
    o.retry = 0.001;
    o.window = 2; // so that boards come after one another
    o.cancelled = cancelled;
    o.progress = told;
    o.ctx = s;
    struct torus_transport wire = {wire_read, wire_write, NULL, s};
    assert_int_equal(torus_open_transport(&s->t, wire, &o), TORUS_OK);
}

static void tear_down(struct stage *s)
{
    torus_close(s->t);
    fake_free(s->f);
}

static unsigned leases(const struct stage *s)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < s->f->boards; i++)
        sum += s->f->board[i].fw.lease != 0;
    return sum;
}

// Generators that have been started and not stopped.
static unsigned running(const struct stage *s)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < s->f->boards; i++)
        sum += s->f->board[i].reg[OFR_GEN_CONTROL / 4] & OFR_GEN_CONTROL_ENABLE_MASK;
    return sum;
}

// Boards that do not have what the first one has, destinations among it, or have something staged.
static unsigned mixed(const struct stage *s)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < s->f->boards; i++)
        sum +=
            s->f->board[i].fw.active != s->f->board[0].fw.active || s->f->board[i].fw.staged ||
            s->f->board[i].reg[OFR_PINS_CONTROL / 4] != s->f->board[0].reg[OFR_PINS_CONTROL / 4] ||
            memcmp(s->f->board[i].table, s->f->board[0].table, sizeof s->f->board[i].table) != 0;
    return sum;
}

// What may take long
// -------------------------------------------------------------------------------

static int discover(struct stage *s)
{
    return torus_discover(s->t);
}

static int program(struct stage *s)
{
    struct torus_preset p = torus_preset_default(TORUS_POR);
    return torus_program(s->t, &p);
}

static int destinations(struct stage *s)
{
    struct torus_preset p = torus_preset_default(TORUS_OFR);
    struct torus_destination list[] = {{.from_all = true, .to = {1, 1}, .mode = TORUS_NO_DEROUTE}};
    struct torus_table table;
    assert_int_equal(torus_preset_table(&p, 2, &table), TORUS_OK);
    table.delta = 1;
    table.destinations = list;
    table.destination_count = 1;
    return torus_program_table(s->t, &table);
}

static int run(struct stage *s)
{
    struct torus_run wanted = torus_run_default();
    struct torus_result result;
    return torus_run(s->t, &wanted, &result);
}

static int flows(struct stage *s)
{
    struct torus_flow_options o = torus_flow_options_default();
    struct torus_flow flow[4] = {{.from = {0, 0}, .to = {1, 1}},
                                 {.from = {1, 1}, .to = {0, 0}},
                                 {.from = {0, 1}, .to = {1, 0}},
                                 {.from = {1, 0}, .to = {0, 1}}};
    return torus_flows(s->t, &o, flow, 4);
}

static int histogram(struct stage *s)
{
    struct torus_result result = {.measured = 1, .max = 100000};
    uint32_t count[TORUS_BINS];
    return torus_histogram(s->t, &result, count);
}

static void ignore(void *ctx, const uint8_t at[3], const uint64_t *counters)
{
    (void)ctx;
    (void)at;
    (void)counters;
}

static int counters(struct stage *s)
{
    return torus_counters(s->t, ignore, NULL);
}

static int snapshot(struct stage *s)
{
    double late[64], residual;
    return torus_snapshot(s->t, late, &residual, ignore, NULL);
}

static int one_time(struct stage *s)
{
    struct torus_time board[64];
    double error;
    return torus_one_time(s->t, board, &error);
}

static const struct {
    const char *name;
    int (*go)(struct stage *s);
} operations[] = {{"discover", discover}, {"program", program},   {"destinations", destinations},
                  {"run", run},           {"flows", flows},       {"histogram", histogram},
                  {"counters", counters}, {"snapshot", snapshot}, {"one time", one_time}};
enum { OPERATIONS = sizeof operations / sizeof *operations };

static void prepare(struct stage *s)
{
    struct torus_preset p = torus_preset_default(TORUS_ABR);
    assert_int_equal(torus_discover(s->t), TORUS_OK);
    assert_int_equal(torus_program(s->t, &p), TORUS_OK);
    assert_int_equal(torus_attach(s->t), TORUS_OK);
}

// -------------------------------------------------------------------------------------------------

// Cancelled from the first look on, the second, ...: the call says so, no generator runs, nobody
// has the lease and all boards have one table.
static void anywhere(void **state)
{
    (void)state;
    unsigned cut = 0;
    for (unsigned o = 0; o < OPERATIONS; o++)
        for (long from = 0;; from++) {
            struct stage s;
            set_up(&s, 2, 2);
            prepare(&s);
            s.looks = 0;
            s.cancel_from = from;
            int error = operations[o].go(&s);
            bool looked = s.looks > from;
            if (!looked) {
                assert_true(from > 0); // it is looked at, at all
                tear_down(&s);
                break;
            }
            // It may have been over, but for what is not cut short.
            if (error != TORUS_E_CANCELLED)
                assert_true(error == TORUS_OK);
            cut += error == TORUS_E_CANCELLED;
            assert_int_equal(leases(&s), 0);
            assert_true(error == TORUS_OK || !running(&s));
            if (error != TORUS_OK)
                assert_true(*torus_detail(s.t));
            assert_int_equal(mixed(&s), 0);
            // Nothing is left that the next one would trip over.
            s.cancel_from = -1;
            assert_int_equal(torus_discover(s.t), TORUS_OK);
            assert_int_equal(program(&s), TORUS_OK);
            tear_down(&s);
        }
    print_message("# cancelled %u times\n", cut);
    assert_true(cut > 100);
}

// The wire is cut in the middle of a run or of flows, and there again when the handle is closed:
// generators and lease are not left behind, though they could not be stopped and given back before.
static void close_stops(void **state)
{
    static const struct {
        int (*go)(struct stage *s);
    } traffic[] = {{run}, {flows}};
    enum {
        AFTER = 2
    }; // frames after the last one that may find out something: the lease goes back
    (void)state;
    unsigned left = 0;
    for (unsigned o = 0; o < sizeof traffic / sizeof *traffic; o++) {
        struct stage s;
        long all = AFTER + 1;
        for (long from = -1; from < all - AFTER; from++) {
            set_up(&s, 2, 2);
            prepare(&s);
            s.frames = 0;
            s.deaf_from = from;
            int error = traffic[o].go(&s);
            assert_int_equal(error, from < 0 ? TORUS_OK : TORUS_E_TIMEOUT);
            all = from < 0 ? s.frames : all;
            left += error != TORUS_OK && leases(&s) && running(&s);
            s.deaf = false;
            torus_close(s.t);
            assert_int_equal(leases(&s), 0);
            assert_true(error == TORUS_OK || !running(&s));
            fake_free(s.f);
        }
    }
    print_message("# with generators running and leased before it was closed: %u times\n", left);
    assert_true(left > 10);
}

// A lease that could not be given back is taken once more by the same handle, not refused as
// another host's.
static void once_more(void **state)
{
    (void)state;
    struct stage s;
    set_up(&s, 2, 2);
    prepare(&s);
    assert_int_equal(torus_lease(s.t, 0), TORUS_OK);
    s.deaf = true;
    assert_int_equal(torus_release(s.t), TORUS_E_TIMEOUT);
    s.deaf = false;
    assert_int_equal(leases(&s), 4);
    assert_int_equal(program(&s), TORUS_OK);
    assert_int_equal(leases(&s), 0);
    tear_down(&s);
}

// Told at most ten times a second, and never less than before nor more than all.
static void progress(void **state)
{
    (void)state;
    struct stage s;
    set_up(&s, 8, 8);
    prepare(&s);
    assert_int_equal(destinations(&s), TORUS_OK);
    for (unsigned n = 0; n < 10000 && s.told < 5; n++) // some tenths of a second
        assert_int_equal(counters(&s), TORUS_OK);
    print_message("# told %u times, %.3f s apart at least\n", s.told, s.least_gap);
    assert_int_equal(s.told, 5);
    assert_true(s.least_gap > 0.099);
    assert_false(s.beyond);
    tear_down(&s);
}

// Options of a program that was compiled with another version of libtorus.h.
static void options(void **state)
{
    (void)state;
    struct stage s;
    struct {
        struct torus_options known;
        double more;
    } newer;
    struct torus_transport wire = {wire_read, wire_write, NULL, &s};
    struct torus *t;
    set_up(&s, 2, 2);
    // None at all, or no size.
    struct torus_options none = {.timeout = 1};
    assert_int_equal(torus_open_transport(&t, wire, &none), TORUS_E_USAGE);
    assert_non_null(strstr(torus_detail(t), "torus_options_default"));
    torus_close(t);
    assert_int_equal(torus_open(&t, "unix:/nowhere", &none), TORUS_E_USAGE);
    torus_close(t);
    // Newer, with nothing set that is not known here; and with something.
    torus_options_init(&newer.known, sizeof newer);
    assert_int_equal(newer.known.size, sizeof newer);
    assert_true(newer.known.timeout > 0 && newer.more == 0);
    newer.known.session = 77;
    assert_int_equal(torus_open_transport(&t, wire, &newer.known), TORUS_OK);
    assert_int_equal(torus_session(t), 77);
    torus_close(t);
    newer.more = 1;
    assert_int_equal(torus_open_transport(&t, wire, &newer.known), TORUS_E_USAGE);
    torus_close(t);
    // Older: what it had not is as by default, whatever lies behind it.
    struct torus_options older;
    memset(&older, 0xff, sizeof older);
    torus_options_init(&older, offsetof(struct torus_options, cancelled));
    older.session = 78;
    assert_int_equal(torus_open_transport(&t, wire, &older), TORUS_OK);
    assert_int_equal(torus_session(t), 78);
    assert_int_equal(torus_discover(t), TORUS_OK);
    torus_close(t);
    // Runs and flows.
    struct torus_run no_run = {.load = 0.1, .cycles = 100};
    struct torus_flow_options no_flow = {.load = 0.1, .cycles = 100};
    struct torus_result result;
    prepare(&s);
    assert_int_equal(torus_run(s.t, &no_run, &result), TORUS_E_USAGE);
    assert_int_equal(torus_flows(s.t, &no_flow, NULL, 0), TORUS_E_USAGE);
    assert_int_equal(run(&s), TORUS_OK);
    tear_down(&s);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(anywhere), cmocka_unit_test(close_stops), cmocka_unit_test(once_more),
        cmocka_unit_test(progress), cmocka_unit_test(options),
    };
    seed = fake_seed(argc, argv);
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const char *only = getenv("ONLY"); // for the twins
    if (only)
        cmocka_set_test_filter(only);
    return cmocka_run_group_tests_name("cancel", tests, NULL, NULL);
}
