// SPDX-License-Identifier: Apache-2.0
// Destination tables, for broken cables (registers PINS): what a list may say, what entries that
// makes at a node, which boards have such a table.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tables.h"

// The list ----------------------------------------------------------------------------------------

// Marks the pair in a bit map of from and to; false: it was marked.
static bool mark(uint8_t *seen, unsigned from, unsigned to)
{
    unsigned bit = from * DESTINATIONS + to;
    if (seen[bit / 8] >> bit % 8 & 1)
        return false;
    seen[bit / 8] |= (uint8_t)(1u << bit % 8);
    return true;
}

static bool is_node(const uint8_t at[3], unsigned dims)
{
    return at[0] < 16 && at[1] < 16 && at[2] < (dims == 3 ? 16 : 1);
}

static const char *wrong_one(const struct torus_destination *d, unsigned dims, uint8_t *seen)
{
    static const uint8_t none[3] = {0};
    unsigned from = pack_at(d->from), to = pack_at(d->to);
    if (!is_node(d->from, dims) || !is_node(d->to, dims) || !is_node(d->via, dims))
        return "coordinates are from 0 to 15";
    if ((unsigned)d->mode > TORUS_UNREACHABLE)
        return "unknown mode";
    if (d->mode != TORUS_IDN && memcmp(d->via, none, 3) != 0)
        return "via without mode idn";
    if (!d->from_all && from == to)
        return "from and to are the same";
    if (!d->from_all)
        return mark(seen, from, to) ? NULL : "the same from and to were there before";
    for (from = 0; from < DESTINATIONS; from++)
        if (from != to && !mark(seen, from, to))
            return "the same from and to were there before";
    return NULL;
}

bool destinations_check(const struct torus_table *p, char text[120])
{
    if (!p->destination_count)
        return true;
    uint8_t *seen = calloc(DESTINATIONS / 8, DESTINATIONS);
    const char *wrong = seen ? NULL : "out of memory";
    for (unsigned i = 0; !wrong && i < p->destination_count; i++) {
        wrong = wrong_one(&p->destinations[i], p->dims, seen);
        if (wrong)
            snprintf(text, 120, "destinations[%u]: %s", i, wrong);
    }
    if (!seen)
        snprintf(text, 120, "%s", wrong);
    free(seen);
    return !wrong;
}

static const uint8_t *outside(const struct torus *t, const uint8_t at[3])
{
    for (unsigned d = 0; d < 3; d++)
        if (at[d] >= t->k[d])
            return at;
    return NULL;
}

int destinations_fit(struct torus *t, const struct torus_table *p)
{
    for (unsigned i = 0; i < p->destination_count; i++) {
        const struct torus_destination *d = &p->destinations[i];
        const uint8_t *const at[] = {d->from, d->to, d->via};
        static const char *const name[] = {"from", "to", "via"};
        for (unsigned j = 0; j < 3; j++)
            if (outside(t, at[j])) {
                char place[16], size[16];
                return fail(t, TORUS_E_USAGE, "destinations[%u].%s: %s is outside of the %s torus",
                            i, name[j], place_text(t, at[j], place), size_text(t, size));
            }
    }
    return TORUS_OK;
}

void destinations_of(const struct torus_table *p, uint32_t from, uint16_t out[DESTINATIONS])
{
    memset(out, 0, DESTINATIONS * sizeof *out);
    for (unsigned i = 0; i < p->destination_count; i++) {
        const struct torus_destination *d = &p->destinations[i];
        uint32_t to = pack_at(d->to);
        if (d->from_all ? to != from : pack_at(d->from) == from)
            out[to] = (uint16_t)((unsigned)d->mode << OFR_PINS_DATA_MODE_LSB | pack_at(d->via));
    }
}

// The boards --------------------------------------------------------------------------------------

int destinations_built(struct torus *t)
{
    char place[16];
    struct request *q;
    int error = read_register(t, OFR_NODE_SHAPE, &q, "read the board's shape");
    for (unsigned i = 0; i < t->board_count && error == TORUS_OK; i++)
        if (!(q[i].r[5] & OFR_NODE_SHAPE_PINS_MASK))
            error = fail(
                t, TORUS_E_USAGE, "board %s [%016llx] is built without a destination table",
                place_text(t, t->boards[i].at, place), (unsigned long long)t->boards[i].serial);
    free(q);
    return error;
}

int destinations_count(struct torus *t, unsigned *boards, const char *what)
{
    uint32_t ask4[4], sum[4];
    for (unsigned i = 0; i < 4; i++)
        ask4[i] = OFR_SEL_NODE | OFR_PINS_CONTROL | (OFR_SEL_NODE | OFR_PINS_CONTROL) << 16;
    int error = ask_all(t, OFR_AGG_SUM, OFR_OP_READ4, 0, ask4, sum, what);
    *boards = error == TORUS_OK ? sum[0] : 0;
    return error;
}

int destinations_used(struct torus *t, bool *used)
{
    static const char what[] = "look at the destination tables";
    struct request *q = NULL;
    unsigned on = 0;
    int error = TORUS_OK;
    *used = false;
    if (t->shapes && !t->pins)
        return TORUS_OK;
    if (t->attached)
        error = destinations_count(t, &on, what);
    else
        error = read_register(t, OFR_PINS_CONTROL, &q, what);
    for (unsigned i = 0; q && i < t->board_count && error == TORUS_OK; i++)
        on += q[i].r[5] != 0;
    free(q);
    *used = on;
    return error;
}
