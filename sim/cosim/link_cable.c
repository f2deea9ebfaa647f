// SPDX-License-Identifier: Apache-2.0
// Two boards' link ends with their physical layers, RTL, each with a clock of its own, joined at
// the pins by a cable to which everything happens. Every packet is in a ledger (link_port.h); the
// golden link runs in lockstep with ofr_link above each physical layer, in the board's clock. The
// physical layer has no golden model: it is held by what must hold, see check(). Everything follows
// from the seed.
#include "link_bench.h"
#include "link_report.h"
#include "phy_rtl.h"
#include "pin_cable.h"

#include <argp.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { ENDS = 2, DRIFT = 200, AFTERWARDS = 10 }; // ppm; packets each way on the mended cable
enum { ULX3S_SLOWER = 2101 + DRIFT }; // ppm, than an iCE40HX8K-B-EVN, which has four ends
// Log2 of the bits by which sampling points are compared: in clean runs, as hardware may, and in
// the others, so that there are many trainings.
enum { TUNE_LONG = 19, TUNE = 12 };
#define QUARTER (PIN_BIT / 4) // by which a clock comes later than the data, double data rate
enum { CREEP_EVERY = 250, CREEP_MAX = 200 }; // cycles; permille of a bit

// Of look_at_way(): ticks between two times that are said, by how much clocks differ at most
enum { TIME_TICKS = 10, PPM_APART = 200 };

// What a run is about: run `seed` has kind seed % KINDS.
enum kind { CLEAN, ERRORS, HARD, BURSTS, FAULTS, PLUGS, RESETS, SKEWS, BERT, ALL, KINDS };
static const char *const kind_name[KINDS] = {
    "clean",        "1e-6 to 1e-4", "1e-3 and 1e-2", "bursts",         "dead, stuck, noise",
    "plugs pulled", "resets",       "skew moves",    "bit error test", "everything"};

struct options {
    struct link_bench_options bench;
    int stuck; // wire that end 1 hears as 1 from the start; WIRES: it hears nothing; -1: none
    int tune;  // -1: of the kind
    bool sparse, bert, creep, verbose;
};

struct end {
    struct phy_rtl *rtl;
    struct ofr_link *model;
    struct port port;
    struct ofr_link_in in;
    struct ofr_link_out out;
    uint64_t half, next; // half a period of its clock; its next edge, fs
    bool level;
    unsigned off_for; // cycles of a reset to go
    bool four;        // it is one of four with one logic
    bool bert, was_up;
    uint64_t ups, falls, retrains, bad;
    uint64_t words, listened; // that came over the cable, in so many cycles with both ends up
};

struct run {
    const struct options *o;
    struct ofr_link_shape shape;
    unsigned wires;
    bool dual;           // double data rate: two bits a period
    uint64_t bit;        // fs
    bool inverted[ENDS]; // the clock that end i sends; double data rate only
    enum kind kind;
    struct rng rng;
    struct end end[ENDS];
    struct pin_cable cable[ENDS]; // from end i
    int crept;                    // permille of a bit
    uint64_t later; // the wires that come later and later; the others earlier and earlier
    uint64_t now, cycle, first_up, next_event, calm_at, drain, apart, apart_max, alone, alone_max;
    unsigned plug_out;           // cycles to go
    unsigned ways;               // how often looked at
    int way_least, way_most;     // there and back, quarters of cycles
    uint64_t calm_packets[ENDS]; // delivered when the cable became good
    char why[256];
};

__attribute__((format(printf, 2, 3))) static void fail(struct run *r, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (!r->why[0]) {
        int n = snprintf(r->why, sizeof r->why, "cycle %" PRIu64 ": ", r->cycle);
        vsnprintf(r->why + n, sizeof r->why - (size_t)n, format, args);
    }
    va_end(args);
}

static void compare(struct run *r, unsigned e)
{
    uint64_t is[2];
    const char *pin = link_differs(&r->end[e].out, &r->end[e].model->out, is);
    if (pin)
        fail(r, "end %u: %s is %" PRIx64 " in the RTL, %" PRIx64 " in the model", e, pin, is[0],
             is[1]);
}

// --- What happens to the cable -------------------------------------------------------------------

static uint64_t part(struct run *r, unsigned permille)
{
    return r->bit / 1000 * rng_below(&r->rng, permille + 1);
}

static void set_rates(struct run *r)
{
    static const double soft[] = {1e-6, 1e-5, 3e-5, 1e-4}, hard[] = {1e-3, 1e-2};
    for (unsigned i = 0; i < ENDS; i++) {
        double rate = 0;
        if (r->kind == ERRORS || (r->kind >= FAULTS && r->kind != SKEWS && rng_below(&r->rng, 2)))
            rate = soft[rng_below(&r->rng, 4)];
        if (r->kind == HARD || (r->kind == ALL && rng_below(&r->rng, 4) == 0))
            rate = hard[rng_below(&r->rng, 2)];
        if (r->o->bench.rate >= 0)
            rate = r->o->bench.rate;
        pin_error_rate(&r->cable[i], rate);
        bool bursts = r->kind == BURSTS || (r->kind == ALL && rng_below(&r->rng, 2));
        r->cable[i].noise.burst_rate = bursts ? 1.0 / (2000 + rng_below(&r->rng, 20000)) : 0;
        r->cable[i].noise.burst_steps = 1 + rng_below(&r->rng, 200);
    }
}

// By how much a line is late, up to 3 bits. Double data rate without delays at the pins has one
// sampling point a bit: there whole bits, and up to an eighth of one.
static int64_t skew(struct run *r)
{
    if (phy_rtl_mixed()) // what has no training takes all wires at the clock's edge
        return (int64_t)part(r, 150);
    if (!r->dual || phy_rtl_taps() > 1)
        return (int64_t)part(r, 3000);
    return (int64_t)(r->bit * rng_below(&r->rng, 4) + part(r, 125));
}

// Wires up to 3 bits apart, the clock anywhere.
static void set_skew(struct run *r, struct pin_cable *c)
{
    for (unsigned w = 0; w < c->wires; w++)
        c->data[w].skew = skew(r);
    c->clock.skew = skew(r);
}

// As with the temperature: each wire goes its own way, by up to a fifth of a bit.
static void creep(struct run *r)
{
    for (unsigned e = 0; e < ENDS && r->crept < CREEP_MAX; e++)
        for (unsigned w = 0; w < r->wires; w++)
            r->cable[e].data[w].skew += (int64_t)r->bit / 1000 * (r->later >> w & 1 ? 1 : -1);
    r->crept++;
}

static void calm(struct run *r)
{
    for (unsigned i = 0; i < ENDS; i++) {
        r->cable[i].fault = PIN_GOOD;
        r->cable[i].noise.burst_rate = 0;
        r->cable[i].noise.burst_left = 0;
        r->cable[i].out = false;
        r->end[i].bert = false;
        r->calm_packets[i] = r->end[i].port.totals.delivered;
        pin_error_rate(&r->cable[i], 0);
    }
    r->plug_out = 0;
}

// All four ends with one logic have to have had their turn.
static unsigned least_reset(void)
{
    return phy_rtl_mixed() ? 4 : 2;
}

static void event(struct run *r)
{
    unsigned e = rng_below(&r->rng, ENDS);
    for (unsigned i = 0; i < ENDS; i++)
        r->cable[i].fault = PIN_GOOD;
    if (r->kind == ALL || r->kind == HARD)
        set_rates(r);
    if ((r->kind == FAULTS || r->kind == ALL) && rng_below(&r->rng, 2)) {
        r->cable[e].fault = PIN_DEAD + rng_below(&r->rng, 3);
        r->cable[e].stuck_wire = rng_below(&r->rng, r->wires);
        r->cable[e].stuck_at = rng_below(&r->rng, 2);
    }
    bool both = r->kind == ALL;
    if (r->kind == PLUGS || (both && rng_below(&r->rng, 3) == 0))
        r->plug_out = 1 + rng_below(&r->rng, rng_below(&r->rng, 2) ? 200 : 20000);
    if (r->kind == RESETS || (both && rng_below(&r->rng, 3) == 0))
        r->end[e].off_for = least_reset() + rng_below(&r->rng, rng_below(&r->rng, 2) ? 60 : 3000);
    if (r->kind == SKEWS || (both && rng_below(&r->rng, 3) == 0))
        set_skew(r, &r->cable[e]);
    if (r->kind == BERT || (both && rng_below(&r->rng, 4) == 0))
        r->end[e].bert = !r->end[e].bert;
    r->next_event = r->cycle + r->first_up / 2 + rng_below(&r->rng, (uint32_t)r->first_up);
}

// --- Time ----------------------------------------------------------------------------------------

// The parameters of an end. A tick of one that has a cycle of four takes as long as the other's.
static struct ofr_link_shape shape_of(const struct run *r, const struct end *u)
{
    struct ofr_link_shape shape = r->shape;
    shape.tick = (uint8_t)(shape.tick - (u->four ? 2 : 0));
    shape.slow = u->four;
    shape.shared |= u->four;
    shape.straight = true;
    return shape;
}

static void reset_ends(struct run *r, struct end *u, struct end *far)
{
    port_reset(&u->port, &far->port);
    if (--u->off_for == 0) {
        struct ofr_link_shape shape = shape_of(r, u);
        u->bad += u->model->counts.bad;
        u->falls += u->model->counts.downs + u->model->out.link_up;
        ofr_link_init(u->model, &shape);
    }
}

// A cycle of a board begins: everything of the last one is at the pins.
static void rise(struct run *r, unsigned e)
{
    struct end *u = &r->end[e], *far = &r->end[1 - e];
    bool off = u->off_for != 0, turn = phy_rtl_turn(u->rtl);
    if (off || turn)
        phy_rtl_out(u->rtl, &u->out, &u->in);
    if (off) {
        reset_ends(r, u, far);
    } else if (turn) {
        compare(r, e);
        if (r->o->sparse && r->cycle < r->calm_at)
            u->port.stopped = r->cycle % 251 || !rng_below(&r->rng, 2);
        port_step(&u->port, &far->port, &u->out, &u->in, r->now / PIN_BIT,
                  (unsigned)(r->cable[1 - e].delay / PIN_BIT));
        if (u->port.error[0])
            fail(r, "end %u: %.150s", e, u->port.error);
        u->in.enable = true;
        u->in.serial = 0x1122334455667700U + e;
        u->in.now += 4; // quarters
        u->in.rank = (uint16_t)(u->in.now >> 7);
        ofr_link_step(u->model, &u->in);
        u->ups += u->in.phy_up && !u->was_up;
        u->retrains += phy_rtl_status(u->rtl).retrain;
        u->words += r->first_up && u->in.phy_rx_valid;
        u->listened += r->first_up && u->in.phy_up;
    }
    u->was_up = u->in.phy_up && !off;
    phy_rtl_clk(u->rtl, true, &u->in, off, u->bert);
    pin_drive(&r->cable[e], r->now, phy_rtl_bits(u->rtl));
}

// The sum of both ends' lags is the way there and back, whatever their clocks say.
static void look_at_way(struct run *r)
{
    uint16_t there = r->end[0].out.lag, back = r->end[1].out.lag;
    if (!r->first_up || r->kind != CLEAN || r->o->bench.rate >= 0 || r->o->creep ||
        there == OFR_LINK_LAG_UNKNOWN || back == OFR_LINK_LAG_UNKNOWN)
        return;
    int way = (int16_t)(there + back);
    if (!r->ways++)
        r->way_least = r->way_most = way;
    if (way < r->way_least)
        r->way_least = way;
    if (way > r->way_most)
        r->way_most = way;
}

static void each_cycle(struct run *r)
{
    bool up[ENDS], phy[ENDS];
    for (unsigned e = 0; e < ENDS; e++) {
        up[e] = r->end[e].model->out.state == OFR_LINK_UP && !r->end[e].off_for;
        phy[e] = r->end[e].was_up;
    }
    r->apart = up[0] != up[1] ? r->apart + 1 : 0;
    r->alone = phy[0] != phy[1] ? r->alone + 1 : 0;
    if (r->apart > r->apart_max)
        r->apart_max = r->apart;
    if (r->alone > r->alone_max)
        r->alone_max = r->alone;
    if (!r->first_up && up[0] && up[1]) {
        r->first_up = r->cycle;
        r->calm_at = r->cycle + r->o->bench.cycles;
        r->next_event = r->kind >= FAULTS || r->kind == HARD ? r->cycle + 2000 : UINT64_MAX;
        set_rates(r);
    }
    if (!r->first_up && !r->o->bert && r->o->stuck < 0 && r->cycle > r->drain)
        fail(r, "not up %" PRIu64 " cycles after reset", r->cycle);
    look_at_way(r);
    if (r->cycle >= r->next_event && r->cycle < r->calm_at)
        event(r);
    if (r->o->creep && r->first_up && r->cycle % CREEP_EVERY == 0)
        creep(r);
    if (r->cycle == r->calm_at)
        calm(r);
    if (r->cycle > r->calm_at) {
        bool flows = true;
        for (unsigned e = 0; e < ENDS; e++)
            flows = flows && r->end[e].port.totals.delivered >= r->calm_packets[e] + AFTERWARDS;
        for (unsigned e = 0; e < ENDS && flows; e++)
            r->end[e].port.stopped = true;
    }
    if (r->plug_out) {
        r->plug_out--;
        for (unsigned i = 0; i < ENDS; i++)
            r->cable[i].out = r->plug_out != 0;
    }
    r->cycle++;
}

// The next edge, of a board's clock or of one that comes over the cable.
static void step(struct run *r)
{
    uint64_t at = PIN_NEVER, t;
    unsigned which = 0;
    for (unsigned e = 0; e < ENDS; e++) {
        if (r->end[e].next < at) {
            at = r->end[e].next;
            which = e;
        }
        t = pin_next(&r->cable[1 - e]);
        if (t < at) {
            at = t;
            which = ENDS + e;
        }
    }
    r->now = at;
    if (which >= ENDS) {
        uint64_t bits;
        struct pin_cable *c = &r->cable[1 - (which - ENDS)];
        for (unsigned w = 0; w < r->wires; w++)
            c->data[w].taps = phy_rtl_tap(r->end[which - ENDS].rtl, w);
        bool level = pin_take(c, &bits);
        phy_rtl_rx_clk(r->end[which - ENDS].rtl, level, bits);
        return;
    }
    struct end *u = &r->end[which];
    u->level = !u->level;
    u->next += u->half;
    if (u->level) {
        rise(r, which);
        if (which == 0)
            each_cycle(r);
    } else {
        phy_rtl_clk(u->rtl, false, &u->in, u->off_for != 0, u->bert);
        if (r->dual)
            pin_drive(&r->cable[which], r->now, phy_rtl_bits(u->rtl));
    }
    if (r->dual)
        pin_clock(&r->cable[which], r->now + QUARTER, u->level ^ r->inverted[which]);
    else
        pin_clock(&r->cable[which], r->now, !u->level);
}

// --- Runs ----------------------------------------------------------------------------------------

static bool set_up(struct run *r)
{
    const struct options *o = r->o;
    static const int drifts[] = {0, DRIFT, -DRIFT};
    r->shape = phy_rtl_shape();
    r->wires = phy_rtl_wires();
    r->dual = phy_rtl_double();
    r->bit = r->dual ? PIN_BIT / 2 : PIN_BIT;
    r->rng.state = r->kind * 1000003U + o->bench.seed;
    for (unsigned i = 0; i < 8; i++)
        rng_next(&r->rng);
    // Training, the hand-shake of the link, and what is still to be sent
    unsigned beats = (r->shape.flit_bits + r->wires - 1) / r->wires;
    unsigned tune = o->tune >= 0 ? (unsigned)o->tune : r->kind == CLEAN ? TUNE_LONG : TUNE;
    r->drain = (UINT64_C(4) << tune) + 400000 + 60ULL * 128 * beats + (100ULL << r->shape.tick) +
               2000ULL * r->wires * (r->dual ? 2 * phy_rtl_taps() : 1);
    r->next_event = r->calm_at = UINT64_MAX;
    unsigned fixed = rng_below(&r->rng, 3);
    int drift = drifts[rng_below(&r->rng, 3)];
    unsigned four = phy_rtl_mixed() ? rng_below(&r->rng, 3) : ENDS + 1; // the end, or both, or none
    if (four < ENDS && rng_below(&r->rng, 2))
        drift = four ? -ULX3S_SLOWER : ULX3S_SLOWER; // of end 1
    for (unsigned e = 0; e < ENDS; e++) {
        struct end *u = &r->end[e];
        struct port *p = &u->port;
        pin_init(&r->cable[e], rng_next(&r->rng), r->wires);
        r->cable[e].delay = part(r, o->sparse ? 0 : rng_below(&r->rng, 2) ? 2000 : 60000);
        r->cable[e].jitter = part(r, o->sparse ? 0 : 50);
        if (r->dual) {
            r->inverted[e] = rng_below(&r->rng, 2);
            r->cable[e].tap = r->bit * (60 + rng_below(&r->rng, 70)) / (200 * phy_rtl_half());
        }
        if (o->creep) // no wire comes before it is driven
            r->cable[e].delay += PIN_BIT;
        if (!o->sparse)
            set_skew(r, &r->cable[e]);
        link_bench_port(p, &r->shape, &r->rng, fixed);
        if (o->sparse) {
            p->length_min = p->length_max = 8;
            link_bench_press(p);
        }
        u->half = PIN_BIT / 2 + (e ? (uint64_t)((int64_t)PIN_BIT / 2 * drift / 1000000) : 0);
        u->next = 1 + rng_next(&r->rng) % PIN_BIT;
        u->off_for = least_reset() + rng_below(&r->rng, 300);
        u->bert = o->bert;
        if (e == 0 && o->stuck >= 0) {
            r->cable[e].fault = (unsigned)o->stuck == r->wires ? PIN_DEAD : PIN_STUCK;
            r->cable[e].stuck_wire = (unsigned)o->stuck;
            r->cable[e].stuck_at = true;
        }
        u->model = calloc(1, sizeof *u->model);
        u->four = four == ENDS || four == e;
        u->rtl = phy_rtl_new(rng_next(&r->rng), tune, u->four);
        if (!u->model || !u->rtl)
            return false;
        struct ofr_link_shape shape = shape_of(r, u);
        ofr_link_init(u->model, &shape);
    }
    r->later = rng_next(&r->rng);
    if (o->bert)
        set_rates(r);
    return true;
}

// Double data rate: in which bit a wire is sampled that is delayed by so many steps, counted from
// any; how far that is from the bit's ends, fs.
static uint64_t margin(const struct run *r, const struct pin_cable *c, unsigned wire, unsigned tap,
                       uint64_t *which)
{
    uint64_t at = 1000 * r->bit + QUARTER + (uint64_t)c->clock.skew - (uint64_t)c->data[wire].skew -
                  tap * c->tap;
    *which = at / r->bit;
    at %= r->bit;
    return at < r->bit - at ? at : r->bit - at;
}

// The delays found, and how many lay side by side, against what the cable is: a quarter of a bit
// from its ends, or as far as a delay can be less two steps and jitter; as many as are clear of the
// jitter, or two steps more at each end.
static void check_eyes(struct run *r)
{
    for (unsigned e = 0; e < ENDS; e++) {
        struct phy_status s = phy_rtl_status(r->end[e].rtl);
        const struct pin_cable *c = &r->cable[1 - e];
        for (unsigned w = 0; w < r->wires; w++) {
            uint64_t bit, last = 0, is = margin(r, c, w, s.tap[w], &bit);
            uint64_t best = 0, most = 0, row = 0;
            for (unsigned t = 0; t < phy_rtl_taps(); t++) {
                uint64_t m = margin(r, c, w, t, &bit);
                best = m > best ? m : best;
                row = m <= 2 * c->jitter ? 0 : bit == last ? row + 1 : 1;
                most = row > most ? row : most;
                last = bit;
            }
            if (is < r->bit / 4 && is + 2 * c->tap + 2 * c->jitter < best)
                fail(r, "end %u, wire %u: %" PRIu64 " fs from its bit's ends, could be %" PRIu64, e,
                     w, is, best);
            else if (s.width[w] < most || s.width[w] > most + 4)
                fail(r, "end %u, wire %u: %u delays are good, it should be %" PRIu64, e, w,
                     s.width[w], most);
        }
    }
}

// What must hold at the end of a run, besides the ledger, which port_step() checks.
static void check(struct run *r)
{
    uint64_t tick = UINT64_C(1) << r->shape.tick;
    for (unsigned e = 0; e < ENDS && !r->why[0]; e++) {
        const struct end *u = &r->end[e];
        struct port_totals t = u->port.totals;
        if (t.sent != t.delivered + t.cut + t.lost + t.gone)
            fail(r,
                 "end %u: of %" PRIu64 " packets %" PRIu64 " delivered, %" PRIu64 " cut, %" PRIu64
                 " lost, %" PRIu64 " on a board that was reset",
                 e, t.sent, t.delivered, t.cut, t.lost, t.gone);
        else if (r->kind <= ERRORS && (u->falls || u->model->counts.downs || u->ups != 1))
            fail(r, "end %u: the link fell at a tame error rate", e);
        else if (r->kind == CLEAN && r->o->bench.rate < 0 &&
                 u->model->counts.bad > (r->o->creep       ? 4 * r->wires
                                         : r->o->tune >= 0 ? 2 * r->wires // trained too shortly
                                                           : 1))
            fail(r, "end %u: %" PRIu64 " damaged frames on a clean cable", e, u->model->counts.bad);
        else if (phy_rtl_lost(u->rtl) && r->kind <= ERRORS)
            fail(r, "end %u: %" PRIu64 " words found the FIFO full", e, phy_rtl_lost(u->rtl));
        else if (phy_rtl_counts(u->rtl).bad != u->model->counts.bad)
            fail(r, "end %u: counts differ", e);
    }
    if (r->dual && r->kind <= ERRORS && phy_rtl_taps() > 1)
        check_eyes(r);
    // The way there and back is the same each time, but for a cycle that each crossing may round,
    // one of both, and what the clocks differ by between two times
    uint64_t cycles = 3 + tick * TIME_TICKS * PPM_APART / 1000000;
    if (!r->why[0] && r->way_most - r->way_least > 4 * (int)cycles)
        fail(r, "there and back in %d quarters of a cycle and in %d, by what the ends say",
             r->way_least, r->way_most);
    if (r->apart_max > 17 * tick + 1000)
        fail(r, "the ends disagreed for %" PRIu64 " cycles", r->apart_max);
}

// The bit error test: errors that the receivers counted, against the rate at which they were made.
static void check_bert(struct run *r)
{
    for (unsigned e = 0; e < ENDS; e++) {
        struct phy_status s = phy_rtl_status(r->end[e].rtl);
        double bits = (double)s.seen * r->wires, expected = bits * r->o->bench.rate, errors = 0;
        for (unsigned w = 0; w < r->wires; w++)
            errors += s.errors[w];
        printf("# bert: end %u counts %.0f errors in %.0f bits, %.1f to be expected\n", e, errors,
               bits, expected);
        if (!s.locked || r->end[e].in.phy_up || (uint64_t)s.seen * 2 < r->o->bench.cycles)
            fail(r, "end %u: locked %d, up %d, %u bits of a wire", e, s.locked, r->end[e].in.phy_up,
                 s.seen);
        else if (fabs(errors - expected) > 6 * sqrt(expected) + 3)
            fail(r, "end %u: %.0f errors, %.1f to be expected", e, errors, expected);
    }
}

// A wire stuck, or one direction dead, from the start: no end ever comes up, and the eyes name the
// wire.
static void check_stuck(struct run *r)
{
    struct phy_status s = phy_rtl_status(r->end[1].rtl);
    bool dead = (unsigned)r->o->stuck == r->wires;
    for (unsigned e = 0; e < ENDS; e++)
        if (r->end[e].ups || r->end[e].port.totals.sent)
            fail(r, "end %u was up", e);
    if (s.stopped != dead)
        fail(r, "stopped %d", s.stopped);
    for (unsigned w = 0; w < r->wires && r->o->stuck && !dead; w++)
        if ((s.eye[w] == 0) != (w == (unsigned)r->o->stuck))
            fail(r, "wire %u is stuck, wire %u has an eye of %u", (unsigned)r->o->stuck, w,
                 s.eye[w]);
}

static bool run_once(const struct options *o, uint64_t seed, unsigned number)
{
    struct options mine = *o;
    mine.bench.seed = seed;
    struct run r = {.o = &mine,
                    .kind =
                        o->bench.kind >= 0 ? (enum kind)o->bench.kind : (enum kind)(seed % KINDS)};
    if (!set_up(&r)) {
        fprintf(stderr, "link_cable: out of memory\n");
        exit(2);
    }
    bool drained = false;
    while (!r.why[0] && !drained && !((o->bert || o->stuck >= 0) && r.cycle >= o->bench.cycles)) {
        step(&r);
        drained = r.cycle > r.calm_at && r.end[0].port.stopped && r.end[1].port.stopped &&
                  r.end[0].out.link_up && r.end[1].out.link_up && port_idle(&r.end[0].port) &&
                  port_idle(&r.end[1].port);
        if (r.calm_at != UINT64_MAX && r.cycle > r.calm_at + r.drain && !drained)
            fail(&r, "not up and empty %" PRIu64 " cycles after the cable was good again", r.drain);
    }
    if (o->bert)
        check_bert(&r);
    else if (o->stuck >= 0)
        check_stuck(&r);
    else
        check(&r);
    uint64_t falls = 0, bad = 0, retrains = 0, delivered = 0, cut = 0, lost = 0;
    for (unsigned e = 0; e < ENDS; e++) {
        const struct end *u = &r.end[e];
        falls += u->model->counts.downs + u->falls;
        bad += u->model->counts.bad + u->bad;
        retrains += u->retrains;
        delivered += u->port.totals.delivered;
        cut += u->port.totals.cut;
        lost += u->port.totals.lost;
    }
    printf("%sok %u - seed %" PRIu64 " %s: up after %" PRIu64 " of %" PRIu64 " cycles, %" PRIu64
           " packets, %" PRIu64 " cut, %" PRIu64 " lost and counted, %" PRIu64
           " bad frames, %" PRIu64 " falls, %" PRIu64 " retrainings asked for, apart %" PRIu64 "\n",
           r.why[0] ? "not " : "", number, seed, kind_name[r.kind], r.first_up, r.cycle, delivered,
           cut, lost, bad, falls, retrains, r.apart_max);
    if (o->sparse)
        link_print_latency(&r.end[0].port.totals, &r.end[1].port.totals);
    if (r.why[0] || o->verbose)
        for (unsigned e = 0; e < ENDS; e++) {
            const struct end *u = &r.end[e];
            struct phy_status s = phy_rtl_status(u->rtl);
            printf("# end %u: locked %d, stopped %d, up %d, seen %u; eye, place, errors, tap, "
                   "width a wire:",
                   e, s.locked, s.stopped, u->in.phy_up, s.seen);
            for (unsigned w = 0; w < r.wires; w++)
                printf(" %u/%u/%u/%u/%u", s.eye[w], s.place[w], s.errors[w], s.tap[w], s.width[w]);
            printf("\n# end %u: %.3f bits a cycle\n", e,
                   (double)u->words * r.shape.flit_bits / (double)(u->listened ? u->listened : 1));
        }
    if (r.why[0])
        link_print_replay(r.why, seed, o->bench.cycles, o->bench.kind);
    fflush(stdout);
    for (unsigned e = 0; e < ENDS; e++) {
        phy_rtl_free(r.end[e].rtl);
        free(r.end[e].model);
    }
    return !r.why[0];
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;
    uint64_t number;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->bench;
        return 0;
    case 'p':
        o->sparse = true;
        return 0;
    case 'b':
        o->bert = true;
        return 0;
    case 'w':
        number = link_bench_number(state, arg);
        if (number > phy_rtl_wires())
            argp_error(state, "--stuck %s: at most %u", arg, phy_rtl_wires());
        o->stuck = (int)number;
        return 0;
    case 't':
        number = link_bench_number(state, arg);
        if (number < 8 || number > 24)
            argp_error(state, "--tune %s: 8 to 24", arg);
        o->tune = (int)number;
        return 0;
    case 'd':
        o->creep = true;
        return 0;
    case 'v':
        o->verbose = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int main(int argc, char **argv)
{
    static const struct argp_option list[] = {
        {"latency", 'p', NULL, 0, "packets far apart: added latency of headers", 0},
        {"bert", 'b', NULL, 0, "bit error test on --errors alone: what is counted against the rate",
         0},
        {"stuck", 'w', "WIRE", 0, "stuck from the start one way; WIRES: that way is dead", 0},
        {"tune", 't', "N", 0, "training compares sampling points by 2^N bits (clean: 19, else 12)",
         0},
        {"creep", 'd', NULL, 0, "all wires' skew moves slowly, by a fifth of a bit in the end", 0},
        {"verbose", 'v', NULL, 0, "the physical layers' status at the end of each run", 0},
        {0}};
    static const struct argp_child children[] = {{&link_bench_argp, 0, NULL, 0}, {0}};
    static const struct argp parser = {
        list,     parse, NULL, "Two boards' reliable links at the pins of a bad cable.",
        children, NULL,  NULL};
    struct options o = {
        .bench = {.seed = 1, .cycles = 20000, .runs = 10, .kind = -1, .rate = -1, .kinds = KINDS},
        .stuck = -1,
        .tune = -1};
    argp_err_exit_status = 2;
    argp_parse(&parser, argc, argv, 0, NULL, &o);
    if (o.bert && o.bench.rate < 0)
        o.bench.rate = 0;
    unsigned failed = 0, i = 0;
    for (; link_bench_goes_on(&o.bench, i) && failed < 3; i++)
        failed += !run_once(&o, o.bench.seed + i, i + 1);
    printf("1..%u\n", i);
    return failed ? 1 : 0;
}
