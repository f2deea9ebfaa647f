// SPDX-License-Identifier: Apache-2.0
// Programming: coordinates, tables to the shadow banks, CRC, commit; and mending what was cut
// short.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../sim/model/decide.h"
#include "internal.h"

static const char *const routing_names[] = {
    [TORUS_ABR] = "abr", [TORUS_POR] = "por", [TORUS_OFR] = "ofr",
    [TORUS_DOR] = "dor", [TORUS_RDR] = "rdr",
};

enum { ROUTINGS = sizeof routing_names / sizeof *routing_names };

API const char *torus_routing_name(enum torus_routing routing)
{
    return (unsigned)routing < ROUTINGS ? routing_names[routing] : NULL;
}

API int torus_routing_named(const char *name)
{
    for (int i = 1; i < ROUTINGS; i++)
        if (!strcmp(name, routing_names[i]))
            return i;
    return 0;
}

API struct torus_preset torus_preset_default(enum torus_routing routing)
{
    return (struct torus_preset){
        .routing = routing, .tie_both = true, .threshold = 255, .delta = 2};
}

// The 16 bits that boards keep beside the generation: routing 2:0, tie 3, threshold 7:4, Delta
// 10:8.
static uint32_t describe(const struct torus_preset *p)
{
    return (uint32_t)p->routing | (uint32_t)p->tie_both << 3 | (uint32_t)(p->threshold & 15) << 4 |
           (uint32_t)(p->delta & 7) << 8;
}

static struct torus_preset described(uint32_t word)
{
    return (struct torus_preset){.routing = (enum torus_routing)(word & 7),
                                 .tie_both = word >> 3 & 1,
                                 .threshold = word >> 4 & 15,
                                 .delta = word >> 8 & 7};
}

// Fills in the defaults and checks the ranges.
static int settle(struct torus *t, struct torus_preset *p)
{
    if (!t->good)
        return fail(t, TORUS_E_UNKNOWN, "discover the torus or attach to it first");
    if (!torus_routing_name(p->routing))
        return fail(t, TORUS_E_USAGE, "unknown routing %d", (int)p->routing);
    if (p->threshold == 255)
        p->threshold = (uint8_t)(t->slots / 2);
    if (p->threshold >= t->slots)
        return fail(t, TORUS_E_USAGE,
                    "threshold %u: nothing would ever enter where a VC has %u slots", p->threshold,
                    t->slots);
    for (unsigned i = 0; i < t->dims; i++)
        if (t->k[i] > 1 && p->delta > t->k[i] / 2)
            p->delta = t->k[i] / 2;
    if (p->delta > 7)
        return fail(t, TORUS_E_USAGE, "Delta = %u: 0 to 7", p->delta);
    return TORUS_OK;
}

// Bytes of OFR.DATA for the table of n dimensions, 2^n sets of 8.
static unsigned table_bytes(unsigned n, uint8_t out[64])
{
    struct ofr_table table;
    ofr_table_reset(&table, n);
    for (unsigned set = 0; set < 1u << n; set++)
        for (unsigned j = 0; j < OFR_TABLE_INDEXES; j++) {
            unsigned byte = 0;
            if (table.valid[set] >> j & 1) {
                byte = OFR_OFR_DATA_VALID_MASK;
                for (unsigned i = 0; i < n; i++)
                    byte |= ((unsigned)table.lambda[set][j][i] & 3) << 2 * i;
            }
            out[set * OFR_TABLE_INDEXES + j] = (uint8_t)byte;
        }
    return 8u << n;
}

// OFR.PARAM (15:0), OFR.WIDN (23:16), NODE.ROUTING's select (25:24) and threshold (29:26).
static uint32_t parameters(const struct torus *t, const struct torus_preset *p)
{
    bool por = p->routing == TORUS_POR;
    uint32_t eta = por ? 16 : 32; // POR 1.0, OFR 2.0 (paper, sec. 4), 4.4 fixed point
    uint32_t select = p->routing == TORUS_RDR ? OFR_SELECT_RDR : OFR_SELECT_MOST_FREE;
    uint32_t widn = t->dims == 2 ? 0x0e : 0xfe;
    return (uint32_t)p->delta << OFR_OFR_PARAM_DELTA_LSB | eta << OFR_OFR_PARAM_ETA_LSB |
           OFR_OFR_PARAM_RULE_A_MASK | OFR_OFR_PARAM_RULE_B_MASK |
           (por ? 0 : OFR_OFR_PARAM_OIDN_MASK) |
           (p->routing == TORUS_POR || p->routing == TORUS_OFR ? widn : 0) << 16 | select << 24 |
           (uint32_t)p->threshold << 26;
}

// The other boards get this only once it is sure that the first did: between two sessions that
// begin at the same time, the board with the lowest serial number decides.
static int lease_by_path(struct torus *t)
{
    unsigned first = 0;
    for (unsigned i = 1; i < t->board_count; i++)
        if (t->boards[i].serial < t->boards[first].serial)
            first = i;
    bool all = t->options.key || t->options.take_over;
    for (unsigned n = 0; n < (all ? t->board_count : 1); n++) {
        const struct torus_board *b = &t->boards[n == 0 ? first : n <= first ? n - 1 : n];
        struct request q;
        int error = TORUS_OK;
        if (!t->options.key) {
            by_path(&q, b->path, b->hops, OFR_OP_LEASE, t->options.take_over ? 2 : 0);
            if (b->hops <= 2 * OFR_WIDE_HOPS)
                q.m[4] = (uint32_t)t->options.take_over << 16;
            else
                q.m[4] |= (uint32_t)t->options.take_over << 16;
            error = ask(t, &q, "take the lease");
        } else if (b->hops <= OFR_WIDE_HOPS) {
            by_path(&q, b->path, b->hops, OFR_OP_UNLOCK, 0);
            q.m[4] = (uint32_t)t->options.key;
            q.m[5] = (uint32_t)(t->options.key >> 32);
            error = ask(t, &q, "unlock");
        } else {
            for (unsigned half = 0; half < 2 && error == TORUS_OK; half++) {
                by_path(&q, b->path, b->hops, OFR_OP_UNLOCK, half + 1);
                q.m[5] = (uint32_t)(t->options.key >> 32 * half);
                error = ask(t, &q, "unlock");
            }
        }
        if (error != TORUS_OK)
            return error;
    }
    return TORUS_OK;
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
    if (error != TORUS_OK || is[0] == (tie_both ? torus_nodes(t) : 0))
        return error;
    for (unsigned node = 0; node < torus_nodes(t); node++) {
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
static int write_tables(struct torus *t, const struct torus_preset *p, unsigned generation)
{
    uint8_t bytes[64] = {0};
    unsigned count = table_bytes(t->dims, bytes);
    uint32_t crc = 0xffffffff;
    for (unsigned i = 0; i < count; i++)
        crc = ofr_crc32_byte(crc, bytes[i]);
    int error = TORUS_OK;
    for (unsigned first = 0; first < count && error == TORUS_OK; first += 12) {
        unsigned words = (count - first) / 4 < 3 ? (count - first) / 4 : 3;
        uint32_t d[4] = {0};
        for (unsigned i = 0; i < 4 * words; i++)
            d[1 + i / 4] |= (uint32_t)bytes[first + i] << 8 * (i % 4);
        error = ask_all(t, OFR_AGG_OR, OFR_OP_TABLE, first / 4 | words << 4, d, NULL,
                        "write the table");
    }
    uint32_t stage[4] = {0, parameters(t, p), ~crc, generation | describe(p) << 16};
    if (error == TORUS_OK)
        error = ask_all(t, OFR_AGG_OR, OFR_OP_STAGE, 0, stage, NULL, "verify the table");
    uint32_t commit[4] = {0, 0, 0, generation};
    if (error == TORUS_OK)
        error = ask_all(t, OFR_AGG_OR, OFR_OP_COMMIT, 0, commit, NULL, "commit the table");
    return error;
}

// Says in the detail what an error in the middle of a program has left.
static int half_done(struct torus *t, int error)
{
    char detail[WIDTH];
    if (error == TORUS_OK || error == TORUS_E_BUSY || error == TORUS_E_LOCKED)
        return error;
    snprintf(detail, sizeof detail, "%s", t->detail);
    return fail(t, error, "%.160s; boards may differ now: program --resume or --abort", detail);
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

// Everything from the lease to the commit. generation 0: the next one.
static int program(struct torus *t, struct torus_preset *p, unsigned generation)
{
    int error = settle(t, p);
    if (error != TORUS_OK)
        return error;
    if (t->attached) {
        error = torus_lease(t, 0);
        if (error == TORUS_OK)
            error = set_tie(t, p->tie_both);
    } else {
        error = lease_by_path(t);
        if (error == TORUS_OK)
            error = configure(t, p->tie_both);
        // The key is given to all above; now that addresses work, the leases are ours.
        if (error == TORUS_OK)
            error = torus_lease(t, 0);
    }
    if (error == TORUS_OK && !generation)
        error = next_generation(t, &generation);
    if (error != TORUS_OK)
        return error;
    error = half_done(t, write_tables(t, p, generation));
    if (error == TORUS_OK) {
        t->preset = *p;
        t->generation = generation;
    }
    return error == TORUS_OK ? torus_release(t) : error;
}

API int torus_program(struct torus *t, const struct torus_preset *preset)
{
    struct torus_preset p = *preset;
    return program(t, &p, 0);
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
    t->generation = 0; // known only where all boards agree
    if (!same)
        return fail(t, TORUS_E_MIXED,
                    "boards have tables of different generations; program --resume or --abort");
    if (span[3])
        return fail(t, TORUS_E_MIXED,
                    "a table is staged and not committed; program --resume or --abort");
    if (*generation && !torus_routing_name(preset->routing))
        return fail(t, TORUS_E_PROTOCOL, "the boards' table is of an unknown kind (0x%08x)",
                    span[2]);
    t->preset = *preset;
    t->generation = *generation;
    return ok(t);
}

// Active, staged and previous of all boards, by whatever way there is.
static int read_generations(struct torus *t, uint32_t (**out)[3], unsigned *count)
{
    unsigned n = t->attached ? torus_nodes(t) : t->board_count;
    struct request *q = calloc(n, sizeof *q);
    *out = calloc(n, sizeof **out);
    *count = n;
    int error = TORUS_OK;
    if (!q || !*out) {
        free(q);
        return fail(t, TORUS_E_MEMORY, "out of memory");
    }
    for (unsigned k = 0; k < 3 && error == TORUS_OK; k++) {
        for (unsigned i = 0; i < n; i++) {
            uint8_t at[3];
            if (t->attached) {
                node_at(t, i, at);
                by_address(&q[i], pack_at(at), OFR_OP_READ, 0);
            } else {
                by_path(&q[i], t->boards[i].path, t->boards[i].hops, OFR_OP_READ, 0);
            }
            q[i].m[4] |= (uint32_t)(OFR_SEL_FIRMWARE | (OFR_FW_ACTIVE + k)) << 16;
        }
        error = exchange(t, q, n);
        for (unsigned i = 0; i < n && error == TORUS_OK; i++) {
            error = status_error(t, &q[i], "read the generations");
            (*out)[i][k] = q[i].r[5];
        }
    }
    free(q);
    return error;
}

// a newer than b, modulo 2^16, where 0 is older than all.
static bool newer(uint32_t a, uint32_t b)
{
    a &= 0xffff;
    b &= 0xffff;
    return a && (!b || (a != b && ((a - b) & 0xffff) < 0x8000));
}

// Finds the newest table anywhere and the one before it. *mixed: not all boards have the newest
// active and nothing staged.
static int survey(struct torus *t, uint32_t *newest, uint32_t *before, bool *mixed)
{
    uint32_t(*g)[3];
    unsigned n;
    int error = read_generations(t, &g, &n);
    *newest = *before = 0;
    *mixed = false;
    for (unsigned i = 0; i < n && error == TORUS_OK; i++)
        for (unsigned k = 0; k < 2; k++)
            if (newer(g[i][k], *newest))
                *newest = g[i][k];
    for (unsigned i = 0; i < n && error == TORUS_OK; i++) {
        *mixed |= g[i][0] != *newest || g[i][1];
        for (unsigned k = 0; k < 3; k += 2)
            if (g[i][k] != *newest && newer(*newest, g[i][k]) && newer(g[i][k], *before))
                *before = g[i][k];
    }
    for (unsigned i = 0; !t->attached && i < n; i++)
        *mixed |= !t->boards[i].configured;
    free(g);
    return error;
}

API int torus_program_resume(struct torus *t)
{
    uint32_t newest, before;
    bool mixed;
    if (!t->good)
        return fail(t, TORUS_E_UNKNOWN, "discover the torus or attach to it first");
    int error = survey(t, &newest, &before, &mixed);
    if (error != TORUS_OK)
        return error;
    if (!mixed || !newest)
        return fail(t, TORUS_E_UNKNOWN,
                    newest ? "nothing to resume: all boards have generation %u"
                           : "nothing to resume: no table is staged (%u)",
                    newest & 0xffff);
    struct torus_preset p = described(newest >> 16);
    if (!torus_routing_name(p.routing))
        return fail(t, TORUS_E_PROTOCOL, "generation %u is of an unknown kind", newest & 0xffff);
    error = program(t, &p, newest & 0xffff);
    // Boards that had it active already have it staged too now.
    if (error == TORUS_OK)
        error = ask_all(t, OFR_AGG_OR, OFR_OP_UNSTAGE, 0, NULL, NULL, "clear the shadow banks");
    return error == TORUS_OK ? torus_release(t) : error;
}

API int torus_program_abort(struct torus *t)
{
    uint32_t newest, before;
    bool mixed;
    if (!t->good)
        return fail(t, TORUS_E_UNKNOWN, "discover the torus or attach to it first");
    int error = survey(t, &newest, &before, &mixed);
    if (error != TORUS_OK)
        return error;
    if (!mixed || !newest)
        return fail(t, TORUS_E_UNKNOWN, "nothing to abort: no program was cut short");
    // Back to what was before; where nothing was, to the table of the reset.
    struct torus_preset p = before ? described(before >> 16) : torus_preset_default(TORUS_OFR);
    error = program(t, &p, (newest & 0xffff) == 0xffff ? 1 : (newest & 0xffff) + 1);
    return error;
}
