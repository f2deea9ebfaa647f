// SPDX-License-Identifier: Apache-2.0
// Single boards: who they are, their registers; and what discover found, to be read.
#include <stdlib.h>
#include <string.h>

#include "boards.h"

static void identity(struct torus_identity *out, uint64_t serial, uint32_t info, double seconds)
{
    *out = (struct torus_identity){
        .serial = serial,
        .dims = info >> OFR_INFO_N_LSB & 3,
        .links = info >> OFR_INFO_LINKS_LSB & 63,
        .version = info >> OFR_INFO_VERSION_LSB & 15,
        .configured = info >> OFR_INFO_CONFIGURED_LSB & 1,
        .has_key = info >> OFR_INFO_KEY_LSB & 1,
        .leased = info >> OFR_INFO_LEASED_LSB & 1,
        .staged = info >> OFR_INFO_STAGED_LSB & 1,
        .arrival = info >> OFR_INFO_ARRIVAL_LSB & 7,
        .seconds = seconds,
    };
    for (unsigned i = 0; i < 3; i++)
        out->at[i] = info >> (OFR_INFO_COORD_LSB + 4 * i) & 15;
}

API int torus_ping_path(struct torus *t, const uint8_t *path, unsigned hops,
                        struct torus_identity *out)
{
    if (hops > TORUS_MAX_HOPS)
        return fail(t, TORUS_E_USAGE, "a path of %u hops: at most %d", hops, TORUS_MAX_HOPS);
    for (unsigned i = 0; i < hops; i++)
        if (path[i] >= TORUS_PORTS)
            return fail(t, TORUS_E_USAGE, "port %u in a path: 0 to 5", path[i]);
    struct request q;
    double start = monotonic();
    if (hops <= OFR_WIDE_HOPS) {
        by_path(&q, path, hops, OFR_OP_PING, 0);
        int error = ask(t, &q, "ping");
        if (error != TORUS_OK)
            return error;
        identity(out, q.r[3] | (uint64_t)q.r[4] << 32, q.r[5], monotonic() - start);
        return TORUS_OK;
    }
    uint32_t word[3];
    for (unsigned i = 0; i < 3; i++) {
        by_path(&q, path, hops, OFR_OP_PING, i + 1);
        int error = ask(t, &q, "ping");
        if (error != TORUS_OK)
            return error;
        word[i] = q.r[5];
    }
    identity(out, word[0] | (uint64_t)word[1] << 32, word[2], (monotonic() - start) / 3);
    return TORUS_OK;
}

bool inside(struct torus *t, const uint8_t at[3])
{
    for (unsigned i = 0; i < 3; i++)
        if (at[i] > 15 || (t->k[i] && at[i] >= t->k[i])) {
            char place[16];
            fail(t, TORUS_E_USAGE, "%s is outside of the torus", place_text(t, at, place));
            return false;
        }
    return true;
}

API int torus_ping(struct torus *t, const uint8_t at[3], struct torus_identity *out)
{
    if (!inside(t, at))
        return TORUS_E_USAGE;
    struct request q;
    by_address(&q, pack_at(at), OFR_OP_PING, 0);
    double start = monotonic();
    int error = ask(t, &q, "ping");
    if (error == TORUS_OK)
        identity(out, q.r[3] | (uint64_t)q.r[4] << 32, q.r[5], monotonic() - start);
    return error;
}

API int torus_places(struct torus *t, torus_place_fn fn, void *ctx)
{
    uint8_t at[3];
    if (!t->k[0])
        return fail(t, TORUS_E_UNKNOWN, "discover the torus or attach to it first");
    if (!t->attached) {
        for (unsigned i = 0; i < t->board_count; i++)
            if (t->boards[i].placed)
                fn(ctx, t->boards[i].serial, t->boards[i].at);
        return ok(t);
    }
    unsigned nodes = node_count(t);
    struct request *q = calloc(nodes, sizeof *q);
    if (!q)
        return fail(t, TORUS_E_MEMORY, "out of memory");
    for (unsigned i = 0; i < nodes; i++) {
        node_at(t, i, at);
        by_address(&q[i], pack_at(at), OFR_OP_PING, 0);
    }
    int error = ask_boards(t, q, nodes, "ping");
    for (unsigned i = 0; i < nodes && error == TORUS_OK; i++) {
        node_at(t, i, at);
        fn(ctx, q[i].r[3] | (uint64_t)q[i].r[4] << 32, at);
    }
    free(q);
    return error;
}

struct search {
    uint64_t serial;
    uint8_t *at;
    bool found;
};

static void compare(void *ctx, uint64_t serial, const uint8_t at[3])
{
    struct search *s = ctx;
    if (serial != s->serial || s->found)
        return;
    memcpy(s->at, at, 3);
    s->found = true;
}

API int torus_find(struct torus *t, uint64_t serial, uint8_t at[3])
{
    struct search s = {.serial = serial, .at = at};
    int error = torus_places(t, compare, &s);
    if (error != TORUS_OK || s.found)
        return error;
    return fail(t, TORUS_E_USAGE, "board %016llx is not in this torus", (unsigned long long)serial);
}

API int torus_read(struct torus *t, const uint8_t at[3], unsigned offset, uint32_t *value)
{
    struct request q;
    if (at && !inside(t, at))
        return TORUS_E_USAGE;
    if ((offset & ~(unsigned)TORUS_BOARD) > 0xfff || offset % 4)
        return fail(t, TORUS_E_USAGE, "no register at offset 0x%x", offset);
    _Static_assert(TORUS_BOARD == OFR_SEL_BOARD && !OFR_SEL_NODE, "a selector is an offset");
    if (at)
        by_address(&q, pack_at(at), OFR_OP_READ, 0);
    else
        by_path(&q, NULL, 0, OFR_OP_READ, 0);
    q.m[4] = offset << 16;
    int error = ask(t, &q, "read a register");
    if (error == TORUS_OK)
        *value = q.r[5];
    return error;
}

int read_clock(struct torus *t)
{
    struct request q;
    if (t->clock > 0)
        return TORUS_OK;
    by_path(&q, NULL, 0, OFR_OP_READ, 0);
    q.m[4] = (OFR_SEL_BOARD | OFR_BOARD_CLOCK) << 16;
    int error = ask(t, &q, "read the clock's rate");
    t->clock = q.r[5];
    if (error == TORUS_OK && !(t->clock > 0))
        error = fail(t, TORUS_E_PROTOCOL, "the board says that its clock stands still");
    return error;
}

int ask_boards(struct torus *t, struct request *q, unsigned count, const char *what)
{
    int error = exchange(t, q, count);
    for (unsigned i = 0; i < count && error == TORUS_OK; i++)
        error = status_error(t, &q[i], what);
    return error;
}

void to_board(struct torus *t, struct request *q, unsigned board, unsigned op, unsigned arg,
              unsigned high, uint32_t value)
{
    by_path(q, t->boards[board].path, t->boards[board].hops, op, arg);
    q->m[4] |= high << 16; // the low half may be path
    q->m[5] = value;
}

int ask_every(struct torus *t, unsigned op, unsigned high, struct request **q, const char *what)
{
    *q = calloc(t->board_count, sizeof **q);
    if (!*q)
        return fail(t, TORUS_E_MEMORY, "out of memory");
    for (unsigned i = 0; i < t->board_count; i++)
        to_board(t, &(*q)[i], i, op, 0, high, 0);
    return ask_boards(t, *q, t->board_count, what);
}

int read_register(struct torus *t, unsigned offset, struct request **q, const char *what)
{
    return ask_every(t, OFR_OP_READ, OFR_SEL_NODE | offset, q, what);
}

int write_boards(struct torus *t, unsigned first, unsigned count, unsigned op, unsigned arg,
                 unsigned high, uint32_t value, const char *what)
{
    struct request *q = calloc(count, sizeof *q);
    if (!q)
        return fail(t, TORUS_E_MEMORY, "out of memory");
    for (unsigned i = 0; i < count; i++)
        to_board(t, &q[i], first + i, op, arg, high, value);
    int error = ask_boards(t, q, count, what);
    free(q);
    return error;
}

int gateway_node(struct torus *t, unsigned *node)
{
    uint32_t coord = 0;
    int error = torus_read(t, NULL, OFR_NODE_COORD, &coord);
    uint8_t at[3] = {coord & 15, coord >> 8 & 15, coord >> 16 & 15};
    *node = node_of(t, at);
    return error;
}

API unsigned torus_boards(const struct torus *t)
{
    return t->board_count;
}

API const struct torus_board *torus_board(const struct torus *t, unsigned i)
{
    return i < t->board_count ? &t->boards[i] : NULL;
}

API unsigned torus_sizes(const struct torus *t, uint8_t k[3])
{
    memcpy(k, t->k, 3);
    return t->k[0] ? t->dims : 0;
}

API bool torus_gaps(const struct torus *t)
{
    return t->gaps;
}
