// SPDX-License-Identifier: Apache-2.0
// Destinations around missing cables, and whether a table is safe: libofr's around.h and deadlock.h
// (sim/model/) on the torus as discovered.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../sim/model/around.h"
#include "tables.h"

static struct ofr_table idn_table(const struct torus_table *p)
{
    struct ofr_table table = {.widn = p->widn,
                              .delta = p->delta,
                              .eta = p->eta,
                              .rule_a = p->rule_a,
                              .rule_b = p->rule_b,
                              .oidn = p->oidn};
    for (unsigned set = 0; set < 1u << p->dims; set++)
        for (unsigned j = 0; j < p->count[set]; j++) {
            table.valid[set] |= (uint8_t)(1u << j);
            memcpy(table.lambda[set][j], p->lambda[set][j], 3);
        }
    return table;
}

// Per node the ports that have a cable, as far as that is known, none where no board is; NULL: out
// of memory.
static uint8_t *cabled(const struct torus *t)
{
    uint8_t *up = malloc(node_count(t));
    if (up)
        memset(up, t->attached ? 0xff : 0, node_count(t));
    for (unsigned i = 0; up && !t->attached && i < t->board_count; i++)
        for (unsigned p = 0; p < 2 * t->dims; p++)
            if (t->boards[i].peer[p] >= 0)
                up[node_of(t, t->boards[i].at)] |= (uint8_t)(1u << p);
    return up;
}

static struct ofr_programmed programmed(const struct torus *t, const struct torus_table *p,
                                        const struct ofr_table *idns, const uint8_t *up)
{
    struct ofr_programmed out = {.torus = {.n = (uint8_t)t->dims},
                                 .tie = p->tie_both ? OFR_TIE_BOTH : OFR_TIE_PLUS,
                                 .table = idns,
                                 .up = up};
    memcpy(out.torus.k, t->k, 3);
    return out;
}

// What both ask first: a torus, and a table that can be one of it.
static int look(struct torus *t, const struct torus_table *p)
{
    char text[120];
    if (!t->good && !t->gaps)
        return fail(t, TORUS_E_UNKNOWN, "discover the torus or attach to it first");
    if (torus_table_check(p, text) != TORUS_OK)
        return fail(t, TORUS_E_USAGE, "%s", text);
    if (p->dims != t->dims)
        return fail(t, TORUS_E_USAGE, "a table of %u dimensions, and the torus has %u", p->dims,
                    t->dims);
    return destinations_fit(t, p);
}

// Around -----------------------------------------------------------------------------------------

static void list(const struct torus *t, const uint16_t *entry, struct torus_destination *out)
{
    unsigned n = node_count(t);
    for (unsigned s = 0; s < n; s++)
        for (unsigned i = 0; i < n; i++) {
            unsigned e = entry[s * n + i], mode = e >> OFR_PINS_DATA_MODE_LSB;
            if (mode == OFR_PINS_DATA_MODE_FREE)
                continue;
            *out = (struct torus_destination){.mode = (enum torus_pin)mode};
            node_at(t, s, out->from);
            node_at(t, i, out->to);
            for (unsigned d = 0; d < 3 && mode == OFR_PINS_DATA_MODE_IDN; d++)
                out->via[d] = e >> 4 * d & 15;
            out++;
        }
}

API int torus_around(struct torus *t, const struct torus_table *table,
                     struct torus_destination **destinations, unsigned *count,
                     unsigned *unreachable)
{
    *destinations = NULL;
    *count = *unreachable = 0;
    int error = look(t, table);
    if (error != TORUS_OK)
        return error;
    if (table->destination_count)
        return fail(t, TORUS_E_USAGE, "the table has destinations already");
    size_t n = node_count(t);
    const struct ofr_table idns = idn_table(table);
    uint8_t *up = cabled(t);
    const struct ofr_programmed p = programmed(t, table, &idns, up);
    uint16_t *entry = calloc(n * n, sizeof *entry);
    void *memory = malloc(ofr_around_bytes(&p.torus));
    if (up && entry && memory) {
        *unreachable = ofr_around(&p, entry, memory);
        for (size_t i = 0; i < n * n; i++)
            *count += entry[i] >> OFR_PINS_DATA_MODE_LSB != OFR_PINS_DATA_MODE_FREE;
        *destinations = *count ? calloc(*count, sizeof **destinations) : NULL;
        if (*destinations)
            list(t, entry, *destinations);
    }
    bool good = up && entry && memory && (!*count || *destinations);
    free(up);
    free(entry);
    free(memory);
    return good ? ok(t) : fail(t, TORUS_E_MEMORY, "out of memory");
}

// Safe -------------------------------------------------------------------------------------------

static uint16_t *entries(const struct torus *t, const struct torus_table *p)
{
    size_t n = node_count(t);
    uint16_t *entry = calloc(n * n, sizeof *entry);
    for (unsigned i = 0; entry && i < p->destination_count; i++) {
        const struct torus_destination *d = &p->destinations[i];
        uint16_t e = (uint16_t)((unsigned)d->mode << OFR_PINS_DATA_MODE_LSB | pack_at(d->via));
        for (size_t s = 0; d->from_all && s < n; s++)
            entry[s * n + node_of(t, d->to)] = e;
        if (!d->from_all)
            entry[node_of(t, d->from) * n + node_of(t, d->to)] = e;
    }
    return entry;
}

// A node and one of its ports, "x+ of (1,0)".
static void name(const struct torus *t, const struct ofr_waiting *q, char text[32])
{
    char place[16];
    uint8_t at[3];
    node_at(t, q->node, at);
    snprintf(text, 32, "%s of %s", torus_port_name(q->port), place_text(t, at, place));
}

static int refuse(struct torus *t, const struct ofr_deadlock *d)
{
    char where[32], text[160] = "", place[16];
    uint8_t at[3];
    name(t, &d->queue[0], where);
    node_at(t, d->toward, at);
    if (d->verdict == OFR_DEAD_LINK)
        return fail(t, TORUS_E_USAGE,
                    "packets on their way to %s come to a missing cable, %s; program --around "
                    "leads round it",
                    place_text(t, at, place), where);
    for (unsigned i = 0; i < d->length && i < 3; i++) {
        name(t, &d->queue[i], where);
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%s %s", i ? ", " : "",
                 d->queue[i].vc == OFR_VC_VS1 ? "VS1" : "VS2", where);
    }
    return fail(t, TORUS_E_USAGE, "packets can wait for each other in a circle: %s%s", text,
                d->length > 3 ? ", ..." : "");
}

API int torus_table_safe(struct torus *t, const struct torus_table *table)
{
    int error = look(t, table);
    if (error != TORUS_OK)
        return error;
    const struct ofr_table idns = idn_table(table);
    uint8_t *up = cabled(t);
    struct ofr_programmed p = programmed(t, table, &idns, up);
    uint16_t *entry = entries(t, table);
    void *memory = malloc(ofr_deadlock_bytes(&p.torus));
    struct ofr_deadlock d = {.verdict = OFR_NO_CHECK};
    p.entry = entry;
    if (up && entry && memory)
        d = ofr_deadlock_check(&p, memory);
    free(up);
    free(entry);
    free(memory);
    if (d.verdict == OFR_NO_CHECK)
        return fail(t, TORUS_E_MEMORY, "out of memory");
    return d.verdict == OFR_ACYCLIC || d.verdict == OFR_ESCAPABLE ? ok(t) : refuse(t, &d);
}

// Changed ----------------------------------------------------------------------------------------

API int torus_links_changed(struct torus *t, bool *changed)
{
    *changed = false;
    if (t->attached || (!t->good && !t->gaps))
        return fail(t, TORUS_E_UNKNOWN, "discover the torus first");
    struct request *q;
    t->reported = false;
    t->reports = 0;
    t->heeds = true; // where the way to a board is gone, its neighbour says so before time is up
    int error = ask_every(t, OFR_OP_WATCH, 0, &q, "look at the links");
    t->heeds = false;
    for (unsigned i = 0; i < t->board_count && error == TORUS_OK; i++)
        *changed |= q[i].r[5] != t->boards[i].links;
    free(q);
    // A board that its way does not lead to any more, or one that says so of a link on it
    if (error == TORUS_E_TIMEOUT) {
        *changed = true;
        return ok(t);
    }
    return error;
}

API int torus_links_wait(struct torus *t, double seconds, bool *reported)
{
    int error = await_report(t, seconds);
    *reported = t->reported;
    return error;
}
