// SPDX-License-Identifier: Apache-2.0
// Destination tables, for broken cables (registers PINS): what a list may say, and how it gets into
// the boards, one register write an entry, over directed routes.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tables.h"

// The list ----------------------------------------------------------------------------------------

enum { NODES = 4096 }; // coordinates as in packet headers

// Marks the pair in a bit map of from and to; false: it was marked.
static bool mark(uint8_t *seen, unsigned from, unsigned to)
{
    unsigned bit = from * NODES + to;
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
    for (from = 0; from < NODES; from++)
        if (from != to && !mark(seen, from, to))
            return "the same from and to were there before";
    return NULL;
}

bool destinations_check(const struct torus_table *p, char text[120])
{
    if (!p->destination_count)
        return true;
    uint8_t *seen = calloc(NODES / 8, NODES);
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

unsigned destinations_tag(unsigned generation)
{
    return 1 + generation % (DESTINATIONS_WORK - 1);
}

// The boards --------------------------------------------------------------------------------------

int destinations_built(struct torus *t)
{
    char place[16];
    struct request *q = calloc(t->board_count, sizeof *q);
    if (!q)
        return fail(t, TORUS_E_MEMORY, "out of memory");
    for (unsigned i = 0; i < t->board_count; i++)
        to_board(t, &q[i], i, OFR_OP_READ, 0, OFR_SEL_NODE | OFR_NODE_SHAPE, 0);
    int error = ask_boards(t, q, t->board_count, "read the board's shape");
    for (unsigned i = 0; i < t->board_count && error == TORUS_OK; i++)
        if (!(q[i].r[5] & OFR_NODE_SHAPE_PINS_MASK))
            error = fail(
                t, TORUS_E_USAGE, "board %s [%016llx] is built without a destination table",
                place_text(t, t->boards[i].at, place), (unsigned long long)t->boards[i].serial);
    free(q);
    return error;
}

// Marked first: a table that is off and has its tag is one that was never turned on.
int destinations_off(struct torus *t)
{
    int error = write_boards(t, 0, t->board_count, OFR_OP_WRITE, 0, OFR_PINS_ADDR,
                             DESTINATIONS_WORK, "mark the destination table");
    if (error == TORUS_OK)
        error = write_boards(t, 0, t->board_count, OFR_OP_WRITE, 0, OFR_PINS_CONTROL, 0,
                             "turn the destination table off");
    return error;
}

int destinations_on(struct torus *t)
{
    return write_boards(t, 0, t->board_count, OFR_OP_WRITE, 0, OFR_PINS_CONTROL,
                        OFR_PINS_CONTROL_ENABLE_MASK, "turn the destination table on");
}

// Clears the tables of some boards and waits for it: an entry a cycle.
static int clear(struct torus *t, unsigned first, unsigned count)
{
    struct request q[8];
    int error = write_boards(t, first, count, OFR_OP_WRITE, 0, OFR_PINS_CLEAR, 1,
                             "clear the destination table");
    double end = monotonic() + t->options.timeout;
    for (bool busy = true; busy && error == TORUS_OK;) {
        for (unsigned i = 0; i < count; i++)
            to_board(t, &q[i], first + i, OFR_OP_READ, 0, OFR_SEL_NODE | OFR_PINS_CLEAR, 0);
        error = ask_boards(t, q, count, "look at the destination table");
        busy = false;
        for (unsigned i = 0; i < count; i++)
            busy |= q[i].r[5] != 0;
        if (busy && error == TORUS_OK && monotonic() > end)
            error = fail(t, TORUS_E_TIMEOUT, "the destination table is not cleared in %g s",
                         t->options.timeout);
    }
    return error;
}

// PINS.DATA of every destination at node `from`.
static void entries(const struct torus_table *p, uint32_t from, uint16_t out[NODES])
{
    memset(out, 0, NODES * sizeof *out);
    for (unsigned i = 0; i < p->destination_count; i++) {
        const struct torus_destination *d = &p->destinations[i];
        uint32_t to = pack_at(d->to);
        if (d->from_all ? to != from : pack_at(d->from) == from)
            out[to] = (uint16_t)((unsigned)d->mode << OFR_PINS_DATA_MODE_LSB | pack_at(d->via));
    }
}

// Goes through a board's register writes: ADDR where a run of entries begins, then DATA.
struct writer {
    uint16_t data[NODES];
    unsigned next; // entry
    bool there;    // ADDR is `next`
};

static bool next_write(struct writer *w, unsigned *offset, uint32_t *value)
{
    for (; w->next < NODES && !w->data[w->next]; w->next++)
        w->there = false;
    if (w->next == NODES)
        return false;
    *offset = w->there ? OFR_PINS_DATA : OFR_PINS_ADDR;
    *value = w->there ? w->data[w->next] : w->next;
    w->next += w->there;
    w->there = true;
    return true;
}

// One board writes at most once at a time, so this goes through a few boards side by side.
static int write_some(struct torus *t, const struct torus_table *p, unsigned first, unsigned count,
                      struct writer *w)
{
    struct request q[8];
    int error = clear(t, first, count);
    for (unsigned i = 0; i < count; i++) {
        w[i].next = 0;
        w[i].there = false;
        entries(p, pack_at(t->boards[first + i].at), w[i].data);
    }
    for (unsigned n = 1; n && error == TORUS_OK;) {
        n = 0;
        for (unsigned i = 0; i < count; i++) {
            unsigned offset;
            uint32_t value;
            if (next_write(&w[i], &offset, &value))
                to_board(t, &q[n++], first + i, OFR_OP_WRITE, 0, offset, value);
        }
        error = ask_boards(t, q, n, "write the destination table");
        if (error == TORUS_OK)
            error = lease_keep(t);
    }
    return error;
}

int destinations_write(struct torus *t, const struct torus_table *p, unsigned generation)
{
    struct writer *w = calloc(t->options.window, sizeof *w);
    if (!w)
        return fail(t, TORUS_E_MEMORY, "out of memory");
    int error = TORUS_OK;
    for (unsigned i = 0; i < t->board_count && error == TORUS_OK; i += t->options.window) {
        unsigned left = t->board_count - i;
        progress(t, "boards", i, t->board_count);
        if ((error = cancel_point(t)) != TORUS_OK)
            break;
        error = write_some(t, p, i, left < t->options.window ? left : t->options.window, w);
    }
    free(w);
    if (error == TORUS_OK)
        error = write_boards(t, 0, t->board_count, OFR_OP_WRITE, 0, OFR_PINS_ADDR,
                             p->destination_count ? destinations_tag(generation) : 0,
                             "mark the destination table");
    return error;
}
