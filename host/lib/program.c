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
    bool paths; // destination tables are there, or wanted: they go over directed routes
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
    return destinations_fit(t, p);
}

static int plan_preset(struct torus *t, const struct torus_preset *preset, struct plan *out)
{
    struct torus_preset p = *preset;
    if (p.routing == TORUS_CUSTOM || !torus_routing_name(p.routing))
        return fail(t, TORUS_E_USAGE, "routing %d is no preset", (int)p.routing);
    if (p.delta > 7)
        return fail(t, TORUS_E_USAGE, "Delta = %u: 0 to 7", p.delta);
    for (unsigned i = 0; i < t->dims; i++)
        if (t->k[i] > 1 && p.delta > t->k[i] / 2)
            p.delta = t->k[i] / 2;
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
                    "generation %u is a table of its own: give its file too (program FILE)",
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
// one board after the other, and again where a packet came by.
static int set_tie(struct torus *t, bool tie_both)
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
        if (error != TORUS_OK)
            return error;
    }
    return TORUS_OK;
}

// Tables of all boards, staged and committed, by address.
static int write_tables(struct torus *t, const struct plan *p, unsigned generation)
{
    uint8_t bytes[64];
    unsigned count = table_bytes(&p->table, bytes);
    uint32_t crc = 0xffffffff;
    for (unsigned i = 0; i < count; i++)
        crc = ofr_crc32_byte(crc, bytes[i]);
    int error = TORUS_OK;
    for (unsigned first = 0; first < count && error == TORUS_OK; first += 12) {
        unsigned words = (count - first) / 4 < 3 ? (count - first) / 4 : 3;
        uint32_t d[4] = {0};
        progress(t, "table entries", first, count);
        for (unsigned i = 0; i < 4 * words; i++)
            d[1 + i / 4] |= (uint32_t)bytes[first + i] << 8 * (i % 4);
        error = ask_all(t, OFR_AGG_OR, OFR_OP_TABLE, first / 4 | words << 4, d, NULL,
                        "write the table");
    }
    uint32_t stage[4] = {0, table_parameters(&p->table), ~crc, generation | p->descriptor << 16};
    if (error == TORUS_OK)
        error = ask_all(t, OFR_AGG_OR, OFR_OP_STAGE, 0, stage, NULL, "verify the table");
    // What is committed is what was staged, or nothing.
    uint8_t staged[12];
    for (unsigned i = 0; i < 3; i++)
        ofr_put32(staged + 4 * i, stage[1 + i]);
    uint32_t commit[4] = {0, 0, generation << 16, ofr_crc32(staged, sizeof staged)};
    if (error == TORUS_OK)
        error = ask_all(t, OFR_AGG_OR, OFR_OP_COMMIT, 0, commit, NULL, "commit the table");
    return error;
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
enum { ACTIVE, STAGED, PREVIOUS, PINS_ON, PINS_TAG, WORDS };

// Generations and destination tables of all boards, by whatever way there is; words `first` to
// WORDS - 1. Where there can be no destination tables they count as off.
static int read_boards(struct torus *t, unsigned first, uint32_t (**out)[WORDS], unsigned *count)
{
    static const unsigned selector[WORDS] = {
        OFR_SEL_FIRMWARE | OFR_FW_ACTIVE, OFR_SEL_FIRMWARE | OFR_FW_STAGED,
        OFR_SEL_FIRMWARE | OFR_FW_PREVIOUS, OFR_SEL_NODE | OFR_PINS_CONTROL,
        OFR_SEL_NODE | OFR_PINS_ADDR};
    unsigned n = t->attached ? node_count(t) : t->board_count;
    struct request *q = calloc(n, sizeof *q);
    *out = calloc(n, sizeof **out);
    *count = n;
    int error = TORUS_OK;
    if (!q || !*out) {
        free(q);
        return fail(t, TORUS_E_MEMORY, "out of memory");
    }
    for (unsigned k = first; k < (t->pins ? WORDS : PINS_ON) && error == TORUS_OK; k++) {
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

// d0, d1: and, d2, d3: or of all boards' PINS.CONTROL and PINS.ADDR.
static int read_destinations(struct torus *t, uint32_t span[4])
{
    uint32_t ask4[4] = {
        OFR_SEL_NODE | OFR_PINS_CONTROL | (uint32_t)(OFR_SEL_NODE | OFR_PINS_ADDR) << 16,
        OFR_SEL_NODE | OFR_PINS_CONTROL | (uint32_t)(OFR_SEL_NODE | OFR_PINS_ADDR) << 16};
    return ask_all(t, OFR_AGG_SPAN, OFR_OP_READ4, 0, ask4, span, "look at the destination tables");
}

// What PINS.CONTROL and PINS.ADDR are where `active` is whole.
static uint32_t whole_on(uint32_t active)
{
    return described_destinations(active >> 16);
}

static uint32_t whole_tag(uint32_t active)
{
    return whole_on(active) ? destinations_tag(active & 0xffff) : 0;
}

// Before anything is planned or written: whether it must go over directed routes (*paths), and then
// the torus discovered. Nothing is written where the boards cannot have what is wanted.
static int look(struct torus *t, bool destinations, bool *paths)
{
    *paths = destinations;
    if (!t->good && !t->gaps)
        return fail(t, TORUS_E_UNKNOWN, "discover the torus or attach to it first");
    int error = TORUS_OK;
    if (t->pins && !destinations && t->attached) {
        uint32_t span[4];
        error = read_destinations(t, span);
        *paths = error == TORUS_OK && (span[2] | span[3]);
    } else if (t->pins && !destinations) {
        uint32_t(*words)[WORDS];
        unsigned n;
        error = read_boards(t, PINS_ON, &words, &n);
        for (unsigned i = 0; i < n && error == TORUS_OK; i++)
            *paths |= words[i][PINS_ON] || words[i][PINS_TAG];
        free(words);
    }
    if (error == TORUS_OK && *paths && t->attached) {
        error = torus_discover(t);
        if (t->gaps)
            error = TORUS_OK;
    }
    return error == TORUS_OK && destinations ? destinations_built(t) : error;
}

static int next_generation(struct torus *t, unsigned *generation)
{
    uint32_t ask4[4] = {OFR_SEL_NODE | OFR_OFR_COMMIT | (OFR_SEL_NODE | OFR_OFR_COMMIT) << 16,
                        OFR_SEL_NODE | OFR_OFR_COMMIT | (OFR_SEL_NODE | OFR_OFR_COMMIT) << 16};
    uint32_t now[4];
    int error = ask_all(t, OFR_AGG_MAX, OFR_OP_READ4, 0, ask4, now, "read the generations");
    if (error == TORUS_OK)
        *generation = (now[0] & 0xffff) >= 0xffff ? 1 : (now[0] & 0xffff) + 1;
    return error;
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

// Over directed routes, which no destination table can cut: leases and coordinates, then the
// destination tables, off. On already where cables are missing, so that addresses work.
static int write_destinations(struct torus *t, const struct plan *p, unsigned *generation)
{
    if (!*generation) {
        uint32_t(*words)[WORDS], newest = 0;
        unsigned n;
        int error = read_boards(t, ACTIVE, &words, &n);
        for (unsigned i = 0; i < n && error == TORUS_OK; i++)
            for (unsigned k = ACTIVE; k <= STAGED; k++)
                if (newer(words[i][k], newest))
                    newest = words[i][k] & 0xffff;
        free(words);
        if (error != TORUS_OK)
            return error;
        *generation = newest == 0xffff ? 1 : newest + 1;
    }
    int error = lease_keep(t);
    if (error == TORUS_OK)
        error = configure(t, p->table.tie_both);
    if (error != TORUS_OK)
        return error;
    t->addressed = false; // what is in the boards' destination tables may be in the way
    error = lease_keep(t);
    if (error == TORUS_OK)
        error = destinations_off(t);
    if (error == TORUS_OK)
        error = lease_keep(t);
    if (error == TORUS_OK)
        error = destinations_write(t, &p->table, *generation);
    if (error == TORUS_OK && t->gaps) {
        error = destinations_on(t);
        t->good = error == TORUS_OK;
    }
    return half_done(t, error);
}

// Destination tables on, and a look whether all boards can still be reached.
static int finish_destinations(struct torus *t, const struct plan *p)
{
    char detail[WIDTH];
    uint32_t on[4];
    int error = p->table.destination_count && !t->gaps ? destinations_on(t) : TORUS_OK;
    if (error != TORUS_OK)
        return half_done(t, error);
    error = read_destinations(t, on);
    t->addressed = error == TORUS_OK;
    if (error != TORUS_E_TIMEOUT)
        return error;
    snprintf(detail, sizeof detail, "%s", t->detail);
    return fail(t, TORUS_E_FAILED,
                "programmed, but these destinations cut boards off (%.120s); program others to "
                "mend it",
                detail);
}

// In the lease. generation 0: the next one.
static int write_plan(struct torus *t, const struct plan *p, unsigned generation)
{
    int error;
    if (p->paths)
        error = write_destinations(t, p, &generation);
    else if (t->attached)
        error = set_tie(t, p->table.tie_both);
    else
        error = configure(t, p->table.tie_both);
    if (error == TORUS_OK && !generation)
        error = next_generation(t, &generation);
    if (error == TORUS_OK)
        error = lease_keep(t);
    if (error != TORUS_OK)
        return error;
    error = half_done(t, write_tables(t, p, generation));
    if (error != TORUS_OK)
        return error;
    t->preset = (struct torus_preset){.routing = described(p->descriptor).routing,
                                      .tie_both = p->table.tie_both,
                                      .threshold = p->table.threshold,
                                      .delta = p->table.delta};
    t->traffic = p->table.traffic;
    t->generation = generation;
    return p->paths ? finish_destinations(t, p) : error;
}

static int program(struct torus *t, const struct plan *p, unsigned generation)
{
    int error = lease_begin(t, 0);
    if (error != TORUS_OK)
        return error;
    t->uncut++;
    error = cancel_point(t);
    if (error == TORUS_OK)
        error = write_plan(t, p, generation);
    t->uncut--;
    return lease_done(t, error);
}

API int torus_program(struct torus *t, const struct torus_preset *preset)
{
    struct plan p = {0};
    int error = look(t, false, &p.paths);
    if (error == TORUS_OK)
        error = plan_preset(t, preset, &p);
    return error == TORUS_OK ? program(t, &p, 0) : error;
}

API int torus_program_table(struct torus *t, const struct torus_table *table)
{
    struct plan p = {0};
    char text[120];
    if (torus_table_check(table, text) != TORUS_OK)
        return fail(t, TORUS_E_USAGE, "%s", text);
    int error = look(t, table->destination_count, &p.paths);
    if (error == TORUS_OK)
        error = plan_table(t, table, &p);
    return error == TORUS_OK ? program(t, &p, 0) : error;
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
    if (!t->good)
        return fail(t, TORUS_E_UNKNOWN, "discover the torus or attach to it first");
    uint32_t ask4[4] = {OFR_SEL_FIRMWARE | OFR_FW_ACTIVE |
                        (uint32_t)(OFR_SEL_FIRMWARE | OFR_FW_STAGED) << 16};
    uint32_t span[4];
    int error = ask_all(t, OFR_AGG_SPAN, OFR_OP_READ4, 0, ask4, span, "read the generations");
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
    if (!same)
        return fail(t, TORUS_E_MIXED,
                    "boards have tables of different generations; program --resume or --abort");
    if (staged)
        return fail(t, TORUS_E_MIXED,
                    "a table is staged and not committed; program --resume or --abort");
    if (t->pins) {
        error = read_destinations(t, span);
        if (error != TORUS_OK)
            return error;
        if (span[0] != span[2] || span[1] != span[3] || span[0] != whole_on(active) ||
            span[1] != whole_tag(active))
            return fail(t, TORUS_E_MIXED,
                        "destination tables are not those of generation %u; program --resume or "
                        "--abort",
                        *generation);
    }
    if (*generation && !torus_routing_name(preset->routing))
        return fail(t, TORUS_E_PROTOCOL, "the boards' table is of an unknown kind (0x%08x)",
                    active);
    if (preset->routing == TORUS_CUSTOM) {
        error = read_settings(t, preset);
        if (error != TORUS_OK)
            return error;
    }
    t->preset = *preset;
    t->traffic = described_traffic(active >> 16);
    t->generation = *generation;
    return ok(t);
}

API int torus_destinations_on(struct torus *t, unsigned *boards)
{
    uint32_t ask4[4] = {OFR_SEL_NODE | OFR_PINS_CONTROL | (OFR_SEL_NODE | OFR_PINS_CONTROL) << 16,
                        OFR_SEL_NODE | OFR_PINS_CONTROL | (OFR_SEL_NODE | OFR_PINS_CONTROL) << 16};
    uint32_t sum[4];
    *boards = 0;
    if (!t->good)
        return fail(t, TORUS_E_UNKNOWN, "discover the torus or attach to it first");
    if (!t->pins)
        return ok(t);
    int error = ask_all(t, OFR_AGG_SUM, OFR_OP_READ4, 0, ask4, sum, "count the destination tables");
    *boards = error == TORUS_OK ? sum[0] : 0;
    return error;
}

// Finds the newest table anywhere and the one before it. *mixed: not all boards have the newest
// active, its destination table whole, and nothing staged. Where only destination tables differ and
// none has come to the newest's, a program was cut short before it staged anything, so *before is
// the newest too.
static int survey(struct torus *t, uint32_t *newest, uint32_t *before, bool *mixed)
{
    uint32_t(*g)[WORDS];
    unsigned n;
    int error = read_boards(t, ACTIVE, &g, &n);
    bool tables = false, tags = false, unplaced = false;
    *newest = *before = 0;
    *mixed = false;
    for (unsigned i = 0; i < n && error == TORUS_OK; i++)
        for (unsigned k = ACTIVE; k <= STAGED; k++)
            if (newer(g[i][k], *newest))
                *newest = g[i][k];
    for (unsigned i = 0; i < n && error == TORUS_OK; i++) {
        tables |= g[i][ACTIVE] != *newest || g[i][STAGED];
        tags |= g[i][PINS_TAG] != whole_tag(*newest);
        *mixed |= g[i][PINS_ON] != whole_on(*newest);
        for (unsigned k = ACTIVE; k <= PREVIOUS; k += PREVIOUS)
            if (g[i][k] != *newest && newer(*newest, g[i][k]) && newer(g[i][k], *before))
                *before = g[i][k];
    }
    for (unsigned i = 0; !t->attached && i < n; i++)
        unplaced |= !t->boards[i].configured;
    *mixed |= tables || tags || (unplaced && *newest);
    if (tags && !tables)
        *before = *newest;
    free(g);
    return error;
}

API int torus_program_resume(struct torus *t, const struct torus_table *custom)
{
    uint32_t newest, before;
    bool mixed;
    struct plan p = {0};
    int error = look(t, custom && custom->destination_count, &p.paths);
    if (error == TORUS_OK)
        error = survey(t, &newest, &before, &mixed);
    if (error != TORUS_OK)
        return error;
    if (!mixed || !newest)
        return fail(t, TORUS_E_UNKNOWN,
                    newest ? "nothing to resume: all boards have generation %u"
                           : "nothing to resume: no table is staged (%u)",
                    newest & 0xffff);
    error = plan_again(t, newest, custom, &p);
    return error == TORUS_OK ? program(t, &p, newest & 0xffff) : error;
}

API int torus_program_abort(struct torus *t, const struct torus_table *custom)
{
    uint32_t newest, before;
    bool mixed;
    struct plan p = {0};
    int error = look(t, custom && custom->destination_count, &p.paths);
    if (error == TORUS_OK)
        error = survey(t, &newest, &before, &mixed);
    if (error != TORUS_OK)
        return error;
    if (!mixed)
        return fail(t, TORUS_E_UNKNOWN, "nothing to abort: no program was cut short");
    // Back to what was before; where nothing was, to the table of the reset.
    struct torus_preset reset = torus_preset_default(TORUS_OFR);
    error = before ? plan_again(t, before, custom, &p) : plan_preset(t, &reset, &p);
    if (error == TORUS_OK)
        error = program(t, &p, (newest & 0xffff) == 0xffff ? 1 : (newest & 0xffff) + 1);
    return error;
}
