// SPDX-License-Identifier: Apache-2.0
// See interleave.h.
#include "interleave.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fw_parts.h"

static const struct torus_options quick = {
    .size = sizeof(struct torus_options), .timeout = 2, .retry = 0.001};

unsigned newest(const struct fake_fabric *f)
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

void tick(struct fake_fabric *f)
{
    for (unsigned i = 0; i < f->boards; i++)
        for (unsigned c = 0; c < FAKE_COUNTERS; c++)
            f->board[i].counter[c]++;
}

void set_up(struct stage *s, uint64_t seed, unsigned kx, unsigned ky)
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
    assert_int_equal(torus_attach(s->first), TORUS_OK);
}

static void set_up_for(struct stage *s, const struct operation *o, uint64_t seed)
{
    set_up(s, seed, o->kx, o->ky);
    s->o = o;
    s->f->slot_flits = o->slot_flits;
    s->f->clocks = o->clocks;
    s->f->lifetime = o->clocks ? 40 : 0;
    for (unsigned i = 0; i < s->f->boards; i++)
        s->f->board[i].rate = 1;
}

void tear_down(struct stage *s)
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

unsigned ask_raw(struct stage *s, unsigned op, unsigned session, unsigned high, uint32_t *d3)
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

unsigned routing_of(const struct fake_fabric *f)
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

// It must be done, and be so, where nobody else is.
static bool works_alone(const struct operation *o, uint64_t seed)
{
    struct stage s;
    bool is = false;
    set_up_for(&s, o, seed);
    int error = o->go(&s, &is);
    if (error != TORUS_OK || !is)
        print_message("# %s, alone: error %d, %s\n", o->name, error,
                      *s.why ? s.why : torus_detail(s.first));
    tear_down(&s);
    return error == TORUS_OK && is;
}

// One action, before each frame.
static unsigned lies_with(const struct operation *o, const struct action *a, uint64_t seed,
                          unsigned *refused, unsigned *tried)
{
    unsigned lies = 0;
    bool must = !a->writes && !o->quiet;
    assert_true(works_alone(o, seed));
    for (long at = 0;; at++) {
        struct stage s;
        bool is = false;
        set_up_for(&s, o, seed);
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
                          *s.why ? s.why : torus_detail(s.first));
        }
        *refused += error != TORUS_OK;
        ++*tried;
        if (error != TORUS_OK)
            assert_true(*s.why || *torus_detail(s.first));
        // Nothing is left behind but by a host that was cut off.
        tear_down(&s);
        if (!acted)
            return lies;
    }
}

unsigned lies(const struct operation *o, uint64_t seed, unsigned *refused, unsigned *tried)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < ACTIONS; i++)
        sum += lies_with(o, &actions[i], seed, refused, tried);
    return sum;
}
