// SPDX-License-Identifier: Apache-2.0
// Programming: coordinates, tables to the shadow banks, CRC, commit; and mending what was cut
// short.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tables.h"

// A table to be programmed, and the 16 bits that stand for it.
struct plan {
    struct torus_table table;
    uint32_t descriptor;
    bool paths; // destination tables are in use, or wanted: it goes over directed routes
};

// Fills in what depends on the boards, and checks against them.
static int settle(struct torus *t, struct torus_table *p)
{
    char text[120];
    if (t->gaps && !p->destination_count)
        return fail(t, TORUS_E_MISCABLED,
                    "%s; only a table with destinations goes round it (program --around)",
                    t->faults[0].text);
    if (torus_table_check(p, text) != TORUS_OK)
        return fail(t, TORUS_E_USAGE, "%s", text);
    if (p->dims != t->dims)
        return fail(t, TORUS_E_USAGE, "a table of %u dimensions, and the torus has %u", p->dims,
                    t->dims);
    if (p->threshold == 255)
        p->threshold = (uint8_t)(t->slots / 2);
    if (p->threshold >= t->slots)
        return fail(t, TORUS_E_USAGE,
                    "threshold %u: nothing would ever enter where a VC has %u slots", p->threshold,
                    t->slots);
    for (unsigned i = 0; i < t->dims; i++)
        if (t->k[i] > 1 && p->delta > t->k[i] / 2)
            return fail(t, TORUS_E_USAGE, "Delta = %u: at most %u, half the size in dimension %c",
                        p->delta, t->k[i] / 2, "xyz"[i]);
    return torus_table_safe(t, p);
}

// What a preset becomes in this torus: no Delta above half a size.
static struct torus_preset fit(const struct torus *t, const struct torus_preset *preset)
{
    struct torus_preset p = *preset;
    for (unsigned i = 0; i < t->dims; i++)
        if (t->k[i] > 1 && p.delta > t->k[i] / 2)
            p.delta = t->k[i] / 2;
    return p;
}

API int torus_preset_here(struct torus *t, const struct torus_preset *preset,
                          struct torus_table *out)
{
    if (!t->good && !t->gaps)
        return fail(t, TORUS_E_UNKNOWN, "discover the torus or attach to it first");
    struct torus_preset p = fit(t, preset);
    return torus_preset_table(&p, t->dims, out) == TORUS_OK
               ? ok(t)
               : fail(t, TORUS_E_USAGE, "routing %d is no preset", (int)p.routing);
}

static int plan_preset(struct torus *t, const struct torus_preset *preset, struct plan *out)
{
    struct torus_preset p = fit(t, preset);
    if (p.routing == TORUS_CUSTOM || !torus_routing_name(p.routing))
        return fail(t, TORUS_E_USAGE, "routing %d is no preset", (int)p.routing);
    if (preset->delta > 7)
        return fail(t, TORUS_E_USAGE, "Delta = %u: 0 to 7", preset->delta);
    torus_preset_table(&p, t->dims, &out->table);
    int error = settle(t, &out->table);
    p.threshold = out->table.threshold;
    out->descriptor = describe(&p);
    return error;
}

static int plan_table(struct torus *t, const struct torus_table *table, struct plan *out)
{
    out->table = *table;
    int error = settle(t, &out->table);
    if (error == TORUS_OK)
        out->descriptor = describe_table(&out->table);
    return error;
}

// The plan behind a generation that boards have: a preset, or `custom` if that is the table.
static int plan_again(struct torus *t, uint32_t active, const struct torus_table *custom,
                      struct plan *out)
{
    struct torus_preset p = described(active >> 16);
    unsigned generation = active & 0xffff;
    if (p.routing != TORUS_CUSTOM)
        return torus_routing_name(p.routing) && p.routing
                   ? plan_preset(t, &p, out)
                   : fail(t, TORUS_E_PROTOCOL, "generation %u is of an unknown kind", generation);
    if (!custom)
        return fail(t, TORUS_E_USAGE,
                    "generation %u is a table of its own: give its file too (program FILE), or "
                    "program something else (program --around mends what it left, too)",
                    generation);
    int error = plan_table(t, custom, out);
    if (error == TORUS_OK && out->descriptor != active >> 16)
        error =
            fail(t, TORUS_E_USAGE, "generation %u is another table than the one given", generation);
    return error;
}

// Sizes, coordinates and tie of all boards, by directed routes.
static int configure(struct torus *t, bool tie_both)
{
    struct request *q = calloc(t->board_count, sizeof *q);
    if (!q)
        return fail(t, TORUS_E_MEMORY, "out of memory");
    for (unsigned i = 0; i < t->board_count; i++) {
        const struct torus_board *b = &t->boards[i];
        by_path(&q[i], b->path, b->hops, OFR_OP_CONFIGURE, 0);
        uint32_t v = (uint32_t)tie_both << OFR_CONFIG_TIE_LSB | 1u << OFR_CONFIG_ON_LSB;
        for (unsigned d = 0; d < 3; d++)
            v |= (t->k[d] - 1u) << (OFR_CONFIG_SIZE_LSB + 4 * d) |
                 (uint32_t)b->at[d] << (OFR_CONFIG_COORD_LSB + 4 * d);
        q[i].m[5] = v;
    }
    int error = exchange(t, q, t->board_count);
    for (unsigned i = 0; i < t->board_count && error == TORUS_OK; i++) {
        error = status_error(t, &q[i], "configure");
        t->boards[i].configured = error == TORUS_OK;
    }
    free(q);
    t->addressed |= error == TORUS_OK;
    return error;
}

// The tie of boards that are configured: the register is open while no packet is at the board, so
// one board after the other, and again where a packet came by. *begun: a board may have it.
static int set_tie(struct torus *t, bool tie_both, bool *begun)
{
    uint32_t ask4[4] = {OFR_SEL_NODE | OFR_NODE_TIE | (OFR_SEL_NODE | OFR_NODE_TIE) << 16,
                        OFR_SEL_NODE | OFR_NODE_TIE | (OFR_SEL_NODE | OFR_NODE_TIE) << 16};
    uint32_t is[4];
    int error = ask_all(t, OFR_AGG_SUM, OFR_OP_READ4, 0, ask4, is, "read the ties");
    if (error != TORUS_OK || is[0] == (tie_both ? node_count(t) : 0))
        return error;
    for (unsigned node = 0; node < node_count(t); node++) {
        uint8_t at[3];
        node_at(t, node, at);
        for (unsigned tries = 0; tries < 50; tries++) {
            error = torus_write(t, at, OFR_NODE_TIE, tie_both);
            if (error != TORUS_E_BOARD)
                break;
            pause_seconds(0.002);
        }
        *begun |= error != TORUS_E_BOARD;
        if (error != TORUS_OK)
            return error;
    }
    return TORUS_OK;
}

// Says in the detail what an error in the middle of a program has left.
static int half_done(struct torus *t, int error)
{
    char detail[WIDTH];
    if (error == TORUS_OK)
        return error;
    snprintf(detail, sizeof detail, "%s", t->detail);
    return fail(t, error, "%.160s; boards may differ now: program --resume or --abort", detail);
}

// What read_boards() asks for.
enum { ACTIVE, STAGED, PREVIOUS, WORDS };

// Generations of all boards, by whatever way there is.
static int read_boards(struct torus *t, uint32_t (**out)[WORDS], unsigned *count)
{
    static const unsigned selector[WORDS] = {OFR_SEL_FIRMWARE | OFR_FW_ACTIVE,
                                             OFR_SEL_FIRMWARE | OFR_FW_STAGED,
                                             OFR_SEL_FIRMWARE | OFR_FW_PREVIOUS};
    unsigned n = t->attached ? node_count(t) : t->board_count;
    struct request *q = calloc(n, sizeof *q);
    *out = calloc(n, sizeof **out);
    *count = n;
    int error = TORUS_OK;
    if (!q || !*out) {
        free(q);
        return fail(t, TORUS_E_MEMORY, "out of memory");
    }
    for (unsigned k = 0; k < WORDS && error == TORUS_OK; k++) {
        for (unsigned i = 0; i < n; i++) {
            uint8_t at[3];
            if (t->attached) {
                node_at(t, i, at);
                by_address(&q[i], pack_at(at), OFR_OP_READ, 0);
            } else {
                by_path(&q[i], t->boards[i].path, t->boards[i].hops, OFR_OP_READ, 0);
            }
            q[i].m[4] |= (uint32_t)selector[k] << 16;
        }
        error = exchange(t, q, n);
        for (unsigned i = 0; i < n && error == TORUS_OK; i++) {
            error = status_error(t, &q[i], "read the generations");
            (*out)[i][k] = q[i].r[5];
        }
        if (error == TORUS_OK && t->lease.session)
            error = lease_keep(t);
    }
    free(q);
    return error;
}

// Before anything is planned or written: whether it must go over directed routes (*paths), and then
// the torus discovered. Nothing is written where the boards cannot have what is wanted.
static int look(struct torus *t, bool destinations, bool *paths)
{
    int error = TORUS_OK;
    *paths = destinations;
    if (!t->good && !t->gaps)
        return fail(t, TORUS_E_UNKNOWN, "discover the torus or attach to it first");
    if (!destinations)
        error = destinations_used(t, paths);
    if (error == TORUS_OK && *paths && t->attached) {
        error = torus_discover(t);
        if (t->gaps)
            error = TORUS_OK;
    }
    return error == TORUS_OK && destinations ? destinations_built(t) : error;
}

API int torus_assign(struct torus *t)
{
    if (!t->good || t->attached)
        return fail(t, TORUS_E_UNKNOWN, "discover the torus first");
    int error = lease_begin(t, 0);
    if (error != TORUS_OK)
        return error;
    t->uncut++;
    error = configure(t, true);
    t->uncut--;
    return lease_done(t, error);
}

// a newer than b, modulo 2^16, where 0 is older than all.
static bool newer(uint32_t a, uint32_t b)
{
    a &= 0xffff;
    b &= 0xffff;
    return a && (!b || (a != b && ((a - b) & 0xffff) < 0x8000));
}

// The generation after one; 0 is none's.
static unsigned after(unsigned generation)
{
    return generation == 0xffff ? 1 : generation + 1;
}

// The newest generation that is active or staged anywhere: the next one, by whatever way there is.
static int next_anywhere(struct torus *t, unsigned *generation)
{
    uint32_t(*words)[WORDS], newest = 0;
    unsigned n;
    int error = read_boards(t, &words, &n);
    for (unsigned i = 0; i < n && error == TORUS_OK; i++)
        for (unsigned k = ACTIVE; k <= STAGED; k++)
            if (newer(words[i][k], newest))
                newest = words[i][k] & 0xffff;
    free(words);
    *generation = after(newest);
    return error;
}

// By address, of all boards: span[0] and [2] their active generations ANDed and ORed, [3] those
// that are staged ORed.
static int read_generations(struct torus *t, uint32_t span[4])
{
    uint32_t ask4[4] = {OFR_SEL_FIRMWARE | OFR_FW_ACTIVE |
                        (uint32_t)(OFR_SEL_FIRMWARE | OFR_FW_STAGED) << 16};
    return ask_all(t, OFR_AGG_SPAN, OFR_OP_READ4, 0, ask4, span, "read the generations");
}

// By address: the one after the newest that is active; where boards differ, or something is staged,
// anywhere.
static int next_generation(struct torus *t, unsigned *generation)
{
    uint32_t span[4];
    int error = read_generations(t, span);
    if (error != TORUS_OK)
        return error;
    if (span[0] != span[2] || span[3])
        return next_anywhere(t, generation);
    *generation = after(span[2] & 0xffff);
    return TORUS_OK;
}

// A request of a table's: to board number `board` over its directed route, or to all at once.
static void aim(struct torus *t, const struct plan *p, struct request *q, unsigned board,
                unsigned op)
{
    if (p->paths)
        to_board(t, q, board, op, 0, 0, 0);
    else
        to_all(q, OFR_AGG_OR, op, 0);
}

static int ask_aimed(struct torus *t, const struct plan *p, struct request *q, unsigned count,
                     const char *what)
{
    if (p->paths)
        return ask_boards(t, q, count, what);
    return ask_all(t, OFR_AGG_OR, q->m[0] & OFR_OP_MASK, q->m[0] >> 8 & 0xff, q->m + 2, NULL, what);
}

// Stages some boards' tables side by side, as each takes one message at a time, and makes the
// requests that commit them.
static int stage_some(struct torus *t, const struct plan *p, unsigned generation, unsigned first,
                      unsigned count, struct staging *s, struct request *commit)
{
    struct request q[MAX_WINDOW];
    int error = TORUS_OK;
    for (unsigned i = 0; i < count; i++) {
        staging_begin(&s[i], &p->table, p->descriptor, generation, p->paths ? 1 : 3);
        if (p->paths)
            staging_destinations(&s[i], &p->table, pack_at(t->boards[first + i].at));
    }
    for (unsigned n = count; n && error == TORUS_OK;) {
        n = 0;
        for (unsigned i = 0; i < count; i++) {
            aim(t, p, &q[n], first + i, OFR_OP_TABLE);
            n += staging_next(&s[i], &q[n]);
        }
        if (n)
            error = ask_aimed(t, p, q, n, "write the table");
        if (error == TORUS_OK)
            error = lease_keep(t);
    }
    for (unsigned i = 0; i < count; i++) {
        aim(t, p, &q[i], first + i, OFR_OP_STAGE);
        aim(t, p, &commit[i], first + i, OFR_OP_COMMIT);
        staging_name(&s[i], &q[i]);
        staging_name(&s[i], &commit[i]);
    }
    return error == TORUS_OK && count ? ask_aimed(t, p, q, count, "verify the table") : error;
}

// Drops what was staged: over directed routes at the first `count` boards, else at all. What went
// wrong before stays in the detail.
static int drop(struct torus *t, const struct plan *p, unsigned count)
{
    static const uint32_t nothing[4];
    const unsigned what = OFR_BANK_SETTINGS << 4 | 1;
    char detail[WIDTH];
    memcpy(detail, t->detail, sizeof detail);
    int error = p->paths
                    ? write_boards(t, 0, count, OFR_OP_TABLE, what, 0, 0, "drop the table")
                    : ask_all(t, OFR_AGG_OR, OFR_OP_TABLE, what, nothing, NULL, "drop the table");
    if (error == TORUS_OK)
        memcpy(t->detail, detail, sizeof detail);
    return error;
}

// Stages the table: at all boards at once or, over directed routes, at a few after the other.
// There it may be cancelled: then all boards are as before.
static int stage(struct torus *t, const struct plan *p, unsigned generation, struct request *commit)
{
    unsigned boards = p->paths ? t->board_count : 1, window = p->paths ? t->options.window : 1;
    struct staging *s = calloc(window, sizeof *s);
    int error = s ? TORUS_OK : fail(t, TORUS_E_MEMORY, "out of memory");
    for (unsigned i = 0; i < boards && error == TORUS_OK; i += window) {
        unsigned left = boards - i;
        progress(t, "boards", i, boards);
        error = p->paths ? cancel_point(t) : TORUS_OK;
        if (error == TORUS_OK)
            error = half_done(
                t, stage_some(t, p, generation, i, left < window ? left : window, s, commit + i));
        else if (drop(t, p, i) != TORUS_OK)
            error = half_done(t, error);
    }
    free(s);
    return error;
}

// Coordinates, sizes and tie, where they are not there, once the table is staged: so whoever is
// killed in between is seen to have been. Where the boards do not take the tie, all are as before.
static int settings(struct torus *t, const struct plan *p)
{
    bool begun = false;
    if (!t->attached)
        return half_done(t, configure(t, p->table.tie_both));
    int error = set_tie(t, p->table.tie_both, &begun);
    if (error != TORUS_OK && !begun && drop(t, p, t->board_count) == TORUS_OK)
        return error;
    return half_done(t, error);
}

// All boards have the table: can they be reached?
static int reach(struct torus *t)
{
    char detail[WIDTH];
    uint32_t ask4[4] = {OFR_SEL_FIRMWARE | OFR_FW_ACTIVE};
    t->good = t->addressed = true;
    int error = ask_all(t, OFR_AGG_OR, OFR_OP_READ4, 0, ask4, NULL, "look at all boards");
    t->addressed = error == TORUS_OK;
    if (error != TORUS_E_TIMEOUT)
        return error;
    snprintf(detail, sizeof detail, "%s", t->detail);
    return fail(t, TORUS_E_FAILED,
                "programmed, but these destinations cut boards off (%.120s); program others to "
                "mend it",
                detail);
}

// All boards have committed it: what this handle knows then.
static int in_force(struct torus *t, const struct plan *p, unsigned generation,
                    const struct request *commit)
{
    t->preset = (struct torus_preset){.routing = described(p->descriptor).routing,
                                      .tie_both = p->table.tie_both,
                                      .threshold = p->table.threshold,
                                      .delta = p->table.delta};
    t->traffic = p->table.traffic;
    t->generation = generation;
    changes_remember(t, &p->table, p->descriptor << 16 | generation, commit, p->paths);
    return p->paths ? reach(t) : ok(t);
}

// In the lease. generation 0: the next one. By address boards must be configured first; else that
// comes when all is staged.
static int write_plan(struct torus *t, const struct plan *p, unsigned generation)
{
    struct request *commit = calloc(p->paths ? t->board_count : 1, sizeof *commit);
    int error = TORUS_OK;
    if (!commit)
        return fail(t, TORUS_E_MEMORY, "out of memory");
    changes_forget(t);
    if (p->paths)
        t->addressed = false; // what is in the boards' destination tables may be in the way
    else if (!t->attached)
        error = configure(t, p->table.tie_both);
    if (error == TORUS_OK && !generation)
        error = p->paths ? next_anywhere(t, &generation) : next_generation(t, &generation);
    if (error == TORUS_OK)
        error = lease_keep(t);
    if (error == TORUS_OK)
        error = stage(t, p, generation, commit);
    if ((p->paths || t->attached) && error == TORUS_OK) {
        error = settings(t, p);
        t->addressed = !p->paths;
        if (error == TORUS_OK)
            error = half_done(t, lease_keep(t));
    }
    if (error == TORUS_OK)
        error = half_done(
            t, ask_aimed(t, p, commit, p->paths ? t->board_count : 1, "commit the table"));
    if (error == TORUS_OK) {
        t->changes = (struct torus_changes){0};
        error = in_force(t, p, generation, commit);
    }
    free(commit);
    return error;
}

// Likewise where nothing but destinations is another than what boards have; else *whole, and
// nothing is done.
static int write_changes(struct torus *t, const struct plan *p, bool *whole)
{
    struct request *commit = calloc(t->board_count, sizeof *commit);
    unsigned generation = (t->active & 0xffff) == 0xffff ? 1 : (t->active & 0xffff) + 1;
    bool fit = true;
    if (!commit)
        return fail(t, TORUS_E_MEMORY, "out of memory");
    t->addressed = false;
    int error = changes_stage(t, &p->table, p->descriptor, generation, commit, &fit);
    *whole = error == TORUS_E_BOARD || (error == TORUS_OK && !fit);
    if (error == TORUS_OK && fit) {
        changes_forget(t);
        error = half_done(t, ask_boards(t, commit, t->board_count, "commit the destinations"));
        if (error == TORUS_OK)
            error = in_force(t, p, generation, commit);
    }
    free(commit);
    return error;
}

// changes: first it is tried with the destinations alone, and *whole says whether that was not
// enough.
static int program(struct torus *t, const struct plan *p, unsigned generation, bool changes,
                   bool *whole)
{
    int error = lease_begin(t, 0);
    if (error != TORUS_OK)
        return error;
    t->uncut++;
    error = cancel_point(t);
    if (error == TORUS_OK)
        error = changes ? write_changes(t, p, whole) : write_plan(t, p, generation);
    t->uncut--;
    return lease_done(t, error);
}

// A table, or else a preset.
static int plan(struct torus *t, const struct torus_preset *preset, const struct torus_table *table,
                struct plan *out)
{
    if (table)
        return plan_table(t, table, out);
    return preset ? plan_preset(t, preset, out) : fail(t, TORUS_E_USAGE, "no routing");
}

static int program_next(struct torus *t, const struct torus_preset *preset,
                        const struct torus_table *table)
{
    struct plan p = {.paths = true};
    bool whole = false;
    int error;
    if (t->active && !t->attached && (t->good || t->gaps)) {
        error = plan(t, preset, table, &p);
        if (error != TORUS_OK)
            return error;
        if (changes_fit(t, &p.table)) {
            error = program(t, &p, 0, true, &whole);
            if (!whole)
                return error;
        }
    }
    error = look(t, table && table->destination_count, &p.paths);
    if (error == TORUS_OK)
        error = plan(t, preset, table, &p);
    return error == TORUS_OK ? program(t, &p, 0, false, NULL) : error;
}

API int torus_program(struct torus *t, const struct torus_preset *preset)
{
    return program_next(t, preset, NULL);
}

API int torus_program_table(struct torus *t, const struct torus_table *table)
{
    char text[120];
    if (torus_table_check(table, text) != TORUS_OK)
        return fail(t, TORUS_E_USAGE, "%s", text);
    return program_next(t, NULL, table);
}

// Of a custom table: what a preset would say, from the registers of the board we are plugged into.
static int read_settings(struct torus *t, struct torus_preset *p)
{
    struct request q;
    by_path(&q, NULL, 0, OFR_OP_READ4, 0);
    q.m[2] = OFR_SEL_NODE | OFR_NODE_TIE | (uint32_t)(OFR_SEL_NODE | OFR_NODE_ROUTING) << 16;
    q.m[3] = OFR_SEL_NODE | OFR_OFR_PARAM | (uint32_t)(OFR_SEL_NODE | OFR_OFR_PARAM) << 16;
    int error = ask(t, &q, "read the settings");
    p->tie_both = q.r[2] & OFR_NODE_TIE_BOTH_MASK;
    p->threshold = (q.r[3] & OFR_NODE_ROUTING_THRESHOLD_MASK) >> OFR_NODE_ROUTING_THRESHOLD_LSB;
    p->delta = (q.r[4] & OFR_OFR_PARAM_DELTA_MASK) >> OFR_OFR_PARAM_DELTA_LSB;
    return error;
}

API int torus_programmed(struct torus *t, struct torus_preset *preset, unsigned *generation)
{
    if (!reached(t))
        return fail(t, TORUS_E_UNKNOWN, "discover the torus or attach to it first");
    uint32_t span[4];
    int error = read_generations(t, span);
    if (error != TORUS_OK)
        return error;
    bool same = span[0] == span[2];
    if (!same) { // what the board we are plugged into has
        struct request q;
        by_path(&q, NULL, 0, OFR_OP_READ, 0);
        q.m[4] = (uint32_t)(OFR_SEL_FIRMWARE | OFR_FW_ACTIVE) << 16;
        error = ask(t, &q, "read the generation");
        if (error != TORUS_OK)
            return error;
        span[2] = q.r[5];
    }
    *preset = described(span[2] >> 16);
    *generation = span[2] & 0xffff;
    uint32_t active = span[2], staged = span[3];
    t->generation = 0; // known only where all boards agree
    if (preset->routing == TORUS_CUSTOM && (error = read_settings(t, preset)) != TORUS_OK)
        return error;
    if (!same)
        return fail(t, TORUS_E_MIXED,
                    "boards have tables of different generations; program --resume or --abort");
    if (staged)
        return fail(t, TORUS_E_MIXED,
                    "a table is staged and not committed; program --resume or --abort");
    if (*generation && !torus_routing_name(preset->routing))
        return fail(t, TORUS_E_PROTOCOL, "the boards' table is of an unknown kind (0x%08x)",
                    active);
    t->preset = *preset;
    t->traffic = described_traffic(active >> 16);
    t->generation = *generation;
    return ok(t);
}

API int torus_destinations_on(struct torus *t, unsigned *boards)
{
    *boards = 0;
    if (!reached(t))
        return fail(t, TORUS_E_UNKNOWN, "discover the torus or attach to it first");
    return t->shapes && !t->pins ? ok(t)
                                 : destinations_count(t, boards, "count the destination tables");
}

// The newest table anywhere and the one before it: descriptor and generation, 0: none.
struct found {
    uint32_t newest, before;
    bool mixed;  // not all boards have the newest active, and nothing staged
    bool staged; // that is all: the newest is active nowhere, and all have the same active
};

static int survey(struct torus *t, struct found *f)
{
    uint32_t(*g)[WORDS];
    unsigned n;
    int error = read_boards(t, &g, &n);
    *f = (struct found){.staged = true};
    for (unsigned i = 0; i < n && error == TORUS_OK; i++)
        for (unsigned k = ACTIVE; k <= STAGED; k++)
            if (newer(g[i][k], f->newest))
                f->newest = g[i][k];
    for (unsigned i = 0; i < n && error == TORUS_OK; i++) {
        f->mixed |= g[i][ACTIVE] != f->newest || g[i][STAGED];
        f->staged &= g[i][ACTIVE] != f->newest && g[i][ACTIVE] == g[0][ACTIVE];
        for (unsigned k = ACTIVE; k <= PREVIOUS; k += PREVIOUS)
            if (g[i][k] != f->newest && newer(f->newest, g[i][k]) && newer(g[i][k], f->before))
                f->before = g[i][k];
    }
    for (unsigned i = 0; !t->attached && i < n; i++)
        f->mixed |= !t->boards[i].configured && f->newest;
    free(g);
    return error;
}

static int resume(struct torus *t, const struct torus_table *custom, const struct found *f,
                  struct plan *p)
{
    if (!f->mixed || !f->newest)
        return fail(t, TORUS_E_UNKNOWN,
                    f->newest ? "nothing to resume: all boards have generation %u"
                              : "nothing to resume: no table is staged (%u)",
                    f->newest & 0xffff);
    int error = plan_again(t, f->newest, custom, p);
    return error == TORUS_OK ? program(t, p, f->newest & 0xffff, false, NULL) : error;
}

static int undo(struct torus *t, const struct torus_table *custom, const struct found *f,
                struct plan *p)
{
    unsigned last = f->newest & 0xffff;
    if (!f->mixed)
        return fail(t, TORUS_E_UNKNOWN, "nothing to abort: no program was cut short");
    // Of a table that nobody has given nothing can be written, but what was staged is taken back.
    if (f->staged && !custom && described(f->before >> 16).routing == TORUS_CUSTOM)
        return drop(t, p, t->board_count);
    // Back to what was before; where nothing was, to the table of the reset.
    struct torus_preset reset = torus_preset_default(TORUS_OFR);
    int error = f->before ? plan_again(t, f->before, custom, p) : plan_preset(t, &reset, p);
    return error == TORUS_OK ? program(t, p, last == 0xffff ? 1 : last + 1, false, NULL) : error;
}

// From the survey on nobody else may program: in the lease.
static int mend(struct torus *t, const struct torus_table *custom,
                int (*how)(struct torus *, const struct torus_table *, const struct found *,
                           struct plan *))
{
    struct plan p = {0};
    struct found found;
    int error = look(t, custom && custom->destination_count, &p.paths);
    if (error == TORUS_OK)
        error = lease_begin(t, 0);
    if (error != TORUS_OK)
        return error;
    error = survey(t, &found);
    return lease_done(t, error == TORUS_OK ? how(t, custom, &found, &p) : error);
}

API int torus_program_resume(struct torus *t, const struct torus_table *custom)
{
    return mend(t, custom, resume);
}

API int torus_program_abort(struct torus *t, const struct torus_table *custom)
{
    return mend(t, custom, undo);
}
