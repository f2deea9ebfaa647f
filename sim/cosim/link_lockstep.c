// SPDX-License-Identifier: Apache-2.0
// Two ends of a reliable link, RTL and golden model in lockstep, joined by a cable to which
// everything happens: bit errors, bursts, a dead direction, a stuck wire, noise, the plug pulled
// and put back, resets of one end. Every packet is in a ledger. Everything follows from the seed.
#include "link_bench.h"
#include "link_report.h"
#include "link_rtl.h"
#include "link_wire.h"

#include <argp.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ENDS = 2, DRAIN_CYCLES = 200000, WARM = 8000, AHEAD = 12345 }; // cycles

// What a run is about: run `seed` has kind seed % KINDS.
enum kind { CLEAN, ERRORS, HARD, BURSTS, FAULTS, PLUGS, RESETS, ALL, KINDS };
static const char *const kind_name[KINDS] = {"clean",  "1e-6 to 1e-4",       "1e-3 and 1e-2",
                                             "bursts", "dead, stuck, noise", "plugs pulled",
                                             "resets", "everything"};

struct options {
    struct link_bench_options bench;
    unsigned length; // flits of every packet, 0: drawn
    unsigned cable;  // cycles, 0: drawn, or with full_load and sparse 4
    bool model_only, full_load, sparse, every_cycle;
};

struct end {
    struct link_rtl *rtl;
    struct ofr_link *model;
    struct port port;
    struct ofr_link_in in;
    unsigned off_for;  // cycles of a reset to go
    unsigned deny_for; // cycles for which it is not enabled
    uint64_t bad, downs;
    bool wrong_word, wrong; // the word that came last; one of the frame that comes
};

struct run {
    const struct options *o;
    struct ofr_link_shape shape;
    enum kind kind;
    struct rng rng;
    struct end end[ENDS];
    struct wire wire[ENDS]; // from end i
    unsigned pace;          // a word every so many cycles
    uint64_t cycle, apart, apart_max, next_event, calm_at, up_cycles;
    unsigned plug_out;                 // cycles to go
    uint64_t flits[ENDS], words[ENDS]; // from cycle WARM until the cable becomes good
    bool unseen; // a frame was taken that the cable had damaged, as the CRC fits: it ends here
    char why[256];
};

static void differ(struct run *r, unsigned e, const char *pin, uint64_t rtl, uint64_t model)
{
    if (!r->why[0])
        snprintf(r->why, sizeof r->why,
                 "cycle %" PRIu64 ", end %u: %s is %" PRIx64 " in the RTL, %" PRIx64
                 " in the model",
                 r->cycle, e, pin, rtl, model);
}

static void compare(struct run *r, unsigned e)
{
    struct ofr_link_out rtl;
    uint64_t is[2];
    link_rtl_out(r->end[e].rtl, &rtl);
    const char *pin = link_differs(&rtl, &r->end[e].model->out, is);
    if (pin)
        differ(r, e, pin, is[0], is[1]);
}

static void compare_counts(struct run *r, unsigned e)
{
    struct ofr_link_counts rtl = link_rtl_counts(r->end[e].rtl), *model = &r->end[e].model->counts;
#define SAME(count)                                                                                \
    if (rtl.count != model->count)                                                                 \
    differ(r, e, #count, rtl.count, model->count)
    SAME(frames);
    SAME(retries);
    SAME(bad);
    SAME(ups);
    SAME(downs);
#undef SAME
}

// --- What happens to the cable -------------------------------------------------------------------

static void set_rates(struct run *r)
{
    static const double soft[] = {1e-6, 1e-5, 3e-5, 1e-4}, hard[] = {1e-3, 1e-2};
    for (unsigned i = 0; i < ENDS; i++) {
        double rate = 0;
        if (r->kind == ERRORS || (r->kind >= FAULTS && rng_below(&r->rng, 2)))
            rate = soft[rng_below(&r->rng, 4)];
        if (r->kind == HARD || (r->kind == ALL && rng_below(&r->rng, 4) == 0))
            rate = hard[rng_below(&r->rng, 2)];
        if (r->o->bench.rate >= 0)
            rate = r->o->bench.rate;
        wire_error_rate(&r->wire[i], rate);
        bool bursts = r->kind == BURSTS || (r->kind == ALL && rng_below(&r->rng, 2));
        r->wire[i].noise.burst_rate = bursts ? 1.0 / (200 + rng_below(&r->rng, 5000)) : 0;
        r->wire[i].noise.burst_steps = 1 + rng_below(&r->rng, 60);
    }
}

static void calm(struct run *r)
{
    for (unsigned i = 0; i < ENDS; i++) {
        r->wire[i].fault = WIRE_GOOD;
        r->wire[i].noise.burst_rate = 0;
        r->wire[i].noise.burst_left = 0;
        r->end[i].port.stopped = true;
        wire_error_rate(&r->wire[i], 0);
    }
}

static void event(struct run *r)
{
    unsigned e = rng_below(&r->rng, ENDS), tick = 1U << r->shape.tick;
    bool faults = r->kind == FAULTS || r->kind == ALL;
    for (unsigned i = 0; i < ENDS; i++)
        r->wire[i].fault = WIRE_GOOD;
    if (r->cycle && (r->kind == ALL || r->kind == HARD))
        set_rates(r);
    if (faults && rng_below(&r->rng, 2)) {
        r->wire[e].fault = WIRE_DEAD + rng_below(&r->rng, 3);
        r->wire[e].stuck_bit = rng_below(&r->rng, r->shape.flit_bits);
        r->wire[e].stuck_at = rng_below(&r->rng, 2);
    }
    if ((r->kind == PLUGS || r->kind == ALL) && rng_below(&r->rng, 2))
        r->plug_out = 1 + rng_below(&r->rng, rng_below(&r->rng, 2) ? 200 : 20 * tick);
    if ((r->kind == RESETS || r->kind == ALL) && rng_below(&r->rng, 2))
        r->end[e].off_for = 2 + rng_below(&r->rng, rng_below(&r->rng, 2) ? 60 : 5 * tick);
    else if (r->kind == RESETS && rng_below(&r->rng, 4) == 0)
        r->end[e].deny_for = 1 + rng_below(&r->rng, 2 * tick);
    r->next_event = r->cycle + 1 + rng_below(&r->rng, rng_below(&r->rng, 2) ? 3000 : 60 * tick);
}

// --- A cycle -------------------------------------------------------------------------------------

static void step_end(struct run *r, unsigned e)
{
    struct end *u = &r->end[e];
    if (u->off_for) {
        if (u->off_for == 1) { // out of reset in the next cycle
            struct ofr_link_shape shape = r->shape;
            u->bad += u->model->counts.bad;
            u->downs += u->model->counts.downs + u->model->out.link_up;
            ofr_link_init(u->model, &shape);
            if (u->rtl)
                link_rtl_reset(u->rtl);
        }
        u->off_for--;
        return;
    }
    bool step = u->model->rx.in && (!r->shape.shared || u->model->time & 1);
    u->wrong |= step && u->wrong_word;
    if (u->in.phy_rx_valid)
        u->wrong_word = r->wire[1 - e].wrong;
    ofr_link_step(u->model, &u->in);
    r->unseen |= u->model->rx.good && u->wrong;
    if (ofr_link_between(u->model))
        u->wrong = false;
    if (u->rtl)
        link_rtl_step(u->rtl, &u->in);
}

static void step(struct run *r)
{
    if (r->cycle >= r->next_event && r->cycle < r->calm_at)
        event(r);
    if (r->cycle == r->calm_at)
        calm(r);
    if (r->cycle == WARM)
        for (unsigned e = 0; e < ENDS; e++)
            r->end[e].port.totals.flits = r->wire[e].sent = 0;
    if (r->cycle <= r->calm_at)
        for (unsigned e = 0; e < ENDS; e++) {
            r->flits[e] = r->end[e].port.totals.flits;
            r->words[e] = r->wire[e].sent;
        }
    for (unsigned e = 0; e < ENDS; e++) {
        struct end *u = &r->end[e], *far = &r->end[1 - e];
        if (u->off_for && u->port.down_for <= 3)
            port_reset(&u->port, &far->port);
        if (u->rtl && !u->off_for)
            compare(r, e);
    }
    for (unsigned e = 0; e < ENDS; e++) {
        struct end *u = &r->end[e], *far = &r->end[1 - e];
        const struct ofr_link_out *out = &u->model->out;
        if (r->o->sparse) // a packet is well through before the next one begins
            u->port.stopped = r->cycle % 251 || r->cycle < WARM || !rng_below(&r->rng, 2);
        unsigned latency = r->wire[1 - e].latency;
        bool plug = r->plug_out > 0,
             turn = r->pace ? r->cycle % r->pace == 0 : rng_below(&r->rng, 3) == 0;
        u->in.enable = u->deny_for == 0;
        u->deny_for -= u->deny_for > 0;
        u->in.serial = 0x1122334455667700U + e;
        u->in.now = (uint32_t)r->cycle + AHEAD * e;
        u->in.rank = (uint16_t)(r->cycle >> 7);
        if (!u->off_for)
            port_step(&u->port, &far->port, out, &u->in, r->cycle, latency);
        else if (r->end[e].off_for == 1)
            port_reset(&u->port, &far->port);
        // A physical layer that notices a plug that is out does so a while later
        u->in.phy_up = !(plug && r->cycle % 7 < 3 && r->kind == PLUGS);
        u->in.phy_tx_ready = turn && (!r->shape.shared || out->phase) && !u->off_for;
        u->in.phy_rx_valid = false;
    }
    r->plug_out -= r->plug_out > 0;
    for (unsigned e = 0; e < ENDS; e++) {
        struct end *u = &r->end[e], *far = &r->end[1 - e];
        uint64_t word;
        bool valid = u->in.phy_tx_ready && r->plug_out == 0;
        bool comes = wire_step(&r->wire[e], valid, u->model->out.phy_tx_word, &word);
        far->in.phy_rx_valid = comes && r->plug_out == 0;
        far->in.phy_rx_word = word;
    }
    for (unsigned e = 0; e < ENDS; e++)
        step_end(r, e);
    bool up[ENDS];
    for (unsigned e = 0; e < ENDS; e++)
        up[e] = r->end[e].model->out.state == OFR_LINK_UP && !r->end[e].off_for;
    r->up_cycles += up[0] && up[1];
    r->apart = up[0] != up[1] ? r->apart + 1 : 0;
    if (r->apart > r->apart_max)
        r->apart_max = r->apart;
    for (unsigned e = 0; e < ENDS; e++)
        if (r->end[e].port.error[0] && !r->why[0])
            snprintf(r->why, sizeof r->why, "cycle %" PRIu64 ", end %u: %.150s", r->cycle, e,
                     r->end[e].port.error);
    r->cycle++;
}

static bool set_up(struct run *r)
{
    const struct options *o = r->o;
    r->shape = link_rtl_shape();
    r->rng.state = r->kind * 1000003U + r->o->bench.seed;
    for (unsigned i = 0; i < 8; i++)
        rng_next(&r->rng);
    r->pace = r->shape.shared ? 1 : rng_below(&r->rng, 4);
    if (o->every_cycle)
        r->pace = 1;
    unsigned fixed = rng_below(&r->rng, 3);
    for (unsigned e = 0; e < ENDS; e++) {
        struct end *u = &r->end[e];
        struct port *p = &u->port;
        unsigned longest = WIRE_LATENCY / (rng_below(&r->rng, 2) ? 1 : 16);
        wire_init(&r->wire[e], rng_next(&r->rng), r->shape.flit_bits,
                  o->cable                    ? o->cable
                  : o->full_load || o->sparse ? 4
                                              : 1 + rng_below(&r->rng, longest));
        link_bench_port(p, &r->shape, &r->rng, fixed);
        if (o->length)
            p->length_min = p->length_max = o->length;
        if (o->full_load || o->sparse)
            link_bench_press(p);
        u->model = calloc(1, sizeof *u->model);
        if (!u->model)
            return false;
        ofr_link_init(u->model, &r->shape);
        if (!o->model_only)
            u->rtl = link_rtl_new(rng_next(&r->rng));
        if (!o->model_only && !u->rtl)
            return false;
    }
    r->calm_at = o->bench.cycles;
    r->next_event = r->kind >= FAULTS || r->kind == HARD ? 4000 : UINT64_MAX;
    set_rates(r);
    return true;
}

static void check_end(struct run *r)
{
    unsigned tick = 1U << r->shape.tick;
    for (unsigned e = 0; e < ENDS && !r->why[0]; e++) {
        const struct end *u = &r->end[e];
        struct port_totals t = u->port.totals;
        if (t.sent != t.delivered + t.cut + t.lost + t.gone)
            snprintf(r->why, sizeof r->why,
                     "end %u: of %" PRIu64 " packets %" PRIu64 " delivered, %" PRIu64
                     " cut, %" PRIu64 " lost, %" PRIu64 " on a board that was reset",
                     e, t.sent, t.delivered, t.cut, t.lost, t.gone);
        else if (r->kind <= ERRORS && (t.cut || t.lost || u->model->counts.downs))
            snprintf(r->why, sizeof r->why, "end %u: the link fell at a tame error rate", e);
        else if (r->kind >= BURSTS && r->kind < ALL && t.delivered < 10)
            snprintf(r->why, sizeof r->why, "end %u: only %" PRIu64 " packets", e, t.delivered);
        if (u->rtl)
            compare_counts(r, e);
    }
    // One end is down: the other hears it or nothing for 8 ticks; and once more on the way up
    if (r->apart_max > 17ULL * tick + 2 * WIRE_LATENCY + 100 && !r->why[0])
        snprintf(r->why, sizeof r->why, "the ends disagreed for %" PRIu64 " cycles", r->apart_max);
}

// Chance that at least so many events happen where `mean` are to be expected (Poisson).
static double at_least(uint64_t events, double mean)
{
    double below = 0, term = exp(-mean);
    for (uint64_t i = 0; i < events; i++) {
        below += term;
        term *= mean / (double)(i + 1);
    }
    return events ? 1 - below : 1;
}

static bool run_once(const struct options *o, uint64_t seed, unsigned number, uint64_t *bad_frames,
                     uint64_t *unseen)
{
    struct options mine = *o;
    mine.bench.seed = seed;
    struct run r = {.o = &mine,
                    .kind =
                        o->bench.kind >= 0 ? (enum kind)o->bench.kind : (enum kind)(seed % KINDS)};
    if (!set_up(&r)) {
        fprintf(stderr, "link: out of memory\n");
        exit(2);
    }
    bool drained = false;
    while (!r.why[0] && !drained && !r.unseen) {
        step(&r);
        bool calm_now = r.cycle > o->bench.cycles;
        drained = calm_now && r.end[0].model->out.link_up && r.end[1].model->out.link_up &&
                  port_idle(&r.end[0].port) && port_idle(&r.end[1].port);
        if (r.cycle > o->bench.cycles + DRAIN_CYCLES && !drained)
            snprintf(r.why, sizeof r.why,
                     "not up and empty %d cycles after the cable was good again", DRAIN_CYCLES);
    }
    if (!r.unseen)
        check_end(&r);
    struct port_totals t[ENDS] = {r.end[0].port.totals, r.end[1].port.totals};
    uint64_t downs = 0, bad = 0;
    for (unsigned e = 0; e < ENDS; e++) {
        downs += r.end[e].model->counts.downs + r.end[e].downs;
        bad += r.end[e].model->counts.bad + r.end[e].bad;
    }
    *bad_frames += bad;
    *unseen += r.unseen;
    printf("%sok %u - seed %" PRIu64 " %s: %" PRIu64 " packets, %" PRIu64 " cut, %" PRIu64
           " lost and counted, %" PRIu64 " bad frames, %" PRIu64 " falls, apart %" PRIu64 "%s\n",
           r.why[0] ? "not " : "", number, seed, kind_name[r.kind], t[0].delivered + t[1].delivered,
           t[0].cut + t[1].cut, t[0].lost + t[1].lost, bad, downs, r.apart_max,
           r.unseen ? "; ended by a damaged frame whose CRC fits" : "");
    if (o->full_load)
        printf("# goodput %.4f\n",
               (double)(r.flits[0] + r.flits[1]) / (double)(r.words[0] + r.words[1]));
    if (o->sparse)
        link_print_latency(&t[0], &t[1]);
    if (r.why[0])
        link_print_replay(r.why, seed, o->bench.cycles, o->bench.kind);
    fflush(stdout);
    for (unsigned e = 0; e < ENDS; e++) {
        link_rtl_free(r.end[e].rtl);
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
    case 'l':
        number = link_bench_number(state, arg);
        if (number < 4 || number > link_rtl_shape().slot_flits)
            argp_error(state, "--length %s: 4 to %u flits", arg, link_rtl_shape().slot_flits);
        o->length = (unsigned)number;
        return 0;
    case 'w':
        number = link_bench_number(state, arg);
        if (number < 1 || number > WIRE_LATENCY)
            argp_error(state, "--cable %s: 1 to %d cycles", arg, WIRE_LATENCY);
        o->cable = (unsigned)number;
        return 0;
    case 'm':
        o->model_only = true;
        return 0;
    case 'f':
        o->full_load = o->every_cycle = true;
        return 0;
    case 'p':
        o->sparse = o->every_cycle = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int main(int argc, char **argv)
{
    static const struct argp_option list[] = {
        {"length", 'l', "FLITS", 0, "of every packet (default: drawn)", 0},
        {"cable", 'w', "CYCLES", 0, "its length each way (default: drawn; 4 at full load)", 0},
        {"model", 'm', NULL, 0, "the golden model alone", 0},
        {"goodput", 'f', NULL, 0, "full load, a word a cycle: payload bits over wire bits", 0},
        {"latency", 'p', NULL, 0, "packets far apart: added latency of headers", 0},
        {0}};
    static const struct argp_child children[] = {{&link_bench_argp, 0, NULL, 0}, {0}};
    static const struct argp parser = {
        list, parse, NULL, "A reliable link's two ends over a bad cable.", children, NULL, NULL};
    struct options o = {
        .bench = {.seed = 1, .cycles = 100000, .runs = 16, .kind = -1, .rate = -1, .kinds = KINDS}};
    argp_err_exit_status = 2;
    argp_parse(&parser, argc, argv, 0, NULL, &o);
    unsigned failed = 0, i = 0;
    uint64_t bad = 0, unseen = 0;
    for (; link_bench_goes_on(&o.bench, i) && failed < 3; i++)
        failed += !run_once(&o, o.bench.seed + i, i + 1, &bad, &unseen);
    double expected = (double)(bad + unseen) / (double)(1U << link_rtl_shape().crc_check);
    bool likely = at_least(unseen, expected) > 1e-6;
    failed += !likely;
    printf("%sok %u - %" PRIu64 " damaged frames whose CRC fits, %.2g to be expected of %" PRIu64
           "\n1..%u\n",
           likely ? "" : "not ", i + 1, unseen, expected, bad + unseen, i + 1);
    if (!likely)
        printf("# more damaged frames are taken than the CRC lets through\n");
    return failed ? 1 : 0;
}
