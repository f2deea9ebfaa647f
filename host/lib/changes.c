// SPDX-License-Identifier: Apache-2.0
// Destinations alone: where boards have a table that this handle has written, and the next one
// differs in its destinations only, they are sent those that change, or all that are not FREE where
// these are fewer, packed, and commit them (protocol.h, OP_CHANGE).
#include <stdlib.h>
#include <string.h>

#include "tables.h"

enum { MOST_SKIPPED = 16 - OFR_CHANGE_SKIP, MORES = OFR_CHANGE_SKIP - OFR_CHANGE_MORE, WORDS = 3 };

// A destination, as its place in the order of digits, too.
struct said {
    uint16_t place, number, entry;
};

// What one board is sent.
struct change {
    uint32_t (*words)[WORDS]; // of each request
    unsigned count;
    unsigned begin;         // OFR_CHANGE_BEGIN, and how
    unsigned digit, number; // the next digit of the last request, and the destination it is about
    unsigned entry;         // the last one that it says
    uint32_t crc;           // register, of what was sent
};

// Destinations written
// -----------------------------------------------------------------------------

static void put_digit(struct change *c, unsigned digit)
{
    uint32_t *word = &c->words[c->count - 1][c->digit / 8];
    unsigned lsb = c->digit % 8 * 4;
    *word = (*word & ~((uint32_t)15 << lsb)) | digit << lsb;
    c->digit++;
}

// What no digit is said of is passed over.
static void begin(struct change *c, unsigned place, unsigned number)
{
    memset(c->words[c->count], 0xff, sizeof *c->words);
    c->words[c->count++][0] = place | ~(uint32_t)0xfff;
    c->digit = OFR_CHANGE_FIRST;
    c->number = number;
    c->entry = 0;
}

// How many from the first one on are alike and side by side.
static unsigned alike(const struct said *s, unsigned left)
{
    unsigned n = 1;
    while (n < left && s[n].number == s->number + n && s[n].entry == s->entry)
        n++;
    return n;
}

// The first of these, or more; how many.
static unsigned put_entries(struct change *c, const struct said *s, unsigned left)
{
    unsigned run = alike(s, left), count = 1, more = 0, entry = s->entry;
    unsigned mode = entry >> OFR_PINS_DATA_MODE_LSB, idn = mode == OFR_PINS_DATA_MODE_IDN ? 3 : 0;
    unsigned skipped = s->number - c->number;
    while (entry == c->entry && more < MORES && 2U << more <= run)
        more++;
    unsigned digits = (skipped + MOST_SKIPPED - 1) / MOST_SKIPPED + 1 + (more ? 0 : idn);
    if (c->digit + digits > OFR_CHANGE_DIGITS) {
        begin(c, s->place, s->number);
        return put_entries(c, s, left);
    }
    for (unsigned n; skipped; skipped -= n) {
        n = skipped < MOST_SKIPPED ? skipped : MOST_SKIPPED;
        put_digit(c, OFR_CHANGE_SKIP + n - 1);
    }
    put_digit(c, more ? OFR_CHANGE_MORE + more - 1 : mode);
    for (unsigned i = 0; i < (more ? 0 : idn); i++)
        put_digit(c, entry >> 4 * i & 15);
    if (more)
        count = 1U << more;
    c->entry = entry;
    c->number = s->number + count;
    return count;
}

// At least one request, and where any board has destinations, at least one entry, so that the table
// is on. was_on: it is in force with destinations, and its CRC is `crc`.
static bool pack(struct torus *t, struct change *c, const uint16_t *entry, const uint16_t *before,
                 bool on, bool was_on, uint32_t crc)
{
    unsigned there = 0, changed = 0;
    for (unsigned i = 0; i < DESTINATIONS; i++) {
        there += entry[i] != 0;
        changed += entry[i] != before[i];
    }
    bool copy = on && was_on && changed <= there;
    unsigned count = copy ? changed : there;
    struct said *said = calloc(count + 1, sizeof *said);
    c->words = calloc(count + 1, sizeof *c->words);
    if (!c->words || !said) {
        free(said);
        return false;
    }
    for (unsigned i = 0, n = 0; i < DESTINATIONS; i++) {
        uint8_t at[3] = {i & 15, i >> 4 & 15, (uint8_t)(i >> 8)};
        if (copy ? entry[i] != before[i] : entry[i])
            said[n++] = (struct said){(uint16_t)i, (uint16_t)node_of(t, at), entry[i]};
    }
    begin(c, said->place, said->number);
    for (unsigned i = 0; i < count;)
        i += put_entries(c, said + i, count - i);
    free(said);
    if (!count && on && !copy)
        put_digit(c, OFR_PINS_DATA_MODE_FREE);
    t->changes.changed += changed;
    t->changes.sent += count;
    t->changes.requests += c->count;
    c->begin = OFR_CHANGE_BEGIN | (copy ? OFR_CHANGE_COPY : 0);
    c->crc = copy ? crc : 0xffffffff;
    return true;
}

static bool pack_all(struct torus *t, const struct torus_table *table, struct change *c)
{
    uint16_t *entry = calloc(DESTINATIONS, sizeof *entry);
    uint16_t *before = calloc(DESTINATIONS, sizeof *before);
    bool good = entry && before;
    t->changes = (struct torus_changes){0};
    for (unsigned i = 0; i < t->board_count && good; i++) {
        uint32_t from = pack_at(t->boards[i].at);
        destinations_of(table, from, entry);
        destinations_of(&t->in_force, from, before);
        good = pack(t, &c[i], entry, before, table->destination_count,
                    t->in_force.destination_count, t->committed[from]);
    }
    free(entry);
    free(before);
    return good;
}

// The boards
// ---------------------------------------------------------------------------------------

// To many boards, more at once than to a single one.
static int ask_many(struct torus *t, struct request *q, unsigned count, const char *what)
{
    unsigned window = t->options.window;
    if (!t->window_wanted)
        t->options.window = MAX_WINDOW;
    int error = ask_boards(t, q, count, what);
    t->options.window = window;
    return error;
}

// Is it the board that we know, with the table that we know, and has all come to it?
static bool as_known(const struct torus *t, const struct request *q, unsigned board,
                     const struct change *c)
{
    const uint8_t *at = t->boards[board].at;
    return q->r[3] == t->active && q->r[5] == c->crc &&
           q->r[4] == (at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16);
}

// The request of number `round` to each board that has one. *fit: boards are as known.
static int send_round(struct torus *t, struct change *c, unsigned round, struct request *q,
                      unsigned *sent, bool *fit)
{
    unsigned count = 0;
    for (unsigned i = 0; i < t->board_count; i++) {
        if (c[i].count <= round)
            continue;
        to_board(t, &q[count], i, OFR_OP_CHANGE, round ? 0 : c[i].begin, 0, 0);
        for (unsigned j = 0; j < WORDS; j++) {
            uint32_t word = q[count].m[3 + j] = c[i].words[round][j];
            for (unsigned k = 0; k < 32; k += 8)
                c[i].crc = ofr_crc32_byte(c[i].crc, (uint8_t)(word >> k));
        }
        count++;
    }
    *sent = count;
    int error = count ? ask_many(t, q, count, "write destinations") : TORUS_OK;
    for (unsigned i = 0, n = 0; i < t->board_count && n < count && error == TORUS_OK; i++)
        if (c[i].count > round)
            *fit &= as_known(t, &q[n++], i, &c[i]);
    return error;
}

bool changes_fit(const struct torus *t, const struct torus_table *table)
{
    uint8_t is[64], was[64];
    unsigned bytes = table_bytes(table, is);
    if (!table->destination_count && !t->in_force.destination_count)
        return false; // by address it is fewer
    if (!t->active || t->attached || table->tie_both != t->in_force.tie_both ||
        table->dims != t->in_force.dims || table_bytes(&t->in_force, was) != bytes ||
        memcmp(is, was, bytes) != 0 || table_parameters(table) != table_parameters(&t->in_force))
        return false;
    for (unsigned i = 0; i < t->board_count; i++)
        if (t->boards[i].hops > OFR_WIDE_HOPS)
            return false;
    return true;
}

int changes_stage(struct torus *t, const struct torus_table *table, uint32_t descriptor,
                  unsigned generation, struct request *commit, bool *fit)
{
    struct change *c = calloc(t->board_count, sizeof *c);
    struct request *q = calloc(t->board_count, sizeof *q);
    *fit = true;
    if (!c || !q) {
        free(c);
        free(q);
        return fail(t, TORUS_E_MEMORY, "out of memory");
    }
    int error = pack_all(t, table, c) ? TORUS_OK : fail(t, TORUS_E_MEMORY, "out of memory");
    for (unsigned round = 0, sent = 1; sent && *fit && error == TORUS_OK; round++) {
        error = send_round(t, c, round, q, &sent, fit);
        if (error == TORUS_OK)
            error = lease_keep(t);
    }
    for (unsigned i = 0; i < t->board_count && error == TORUS_OK; i++) {
        to_board(t, &commit[i], i, OFR_OP_COMMIT, 1, generation, c[i].crc);
        commit[i].m[3] = descriptor;
    }
    for (unsigned i = 0; i < t->board_count; i++)
        free(c[i].words);
    free(c);
    free(q);
    return error;
}

// What is in force
// ---------------------------------------------------------------------------------

void changes_forget(struct torus *t)
{
    t->active = 0;
    free((void *)t->in_force.destinations);
    t->in_force.destinations = NULL;
    free(t->committed);
    t->committed = NULL;
}

void changes_remember(struct torus *t, const struct torus_table *table, uint32_t active,
                      const struct request *commit, bool each)
{
    changes_forget(t);
    uint32_t *committed = calloc(DESTINATIONS, sizeof *committed);
    if (!committed)
        return; // then the next one is written whole
    for (unsigned i = 0; i < t->board_count; i++)
        committed[pack_at(t->boards[i].at)] = commit[each ? i : 0].m[5];
    size_t bytes = table->destination_count * sizeof *table->destinations;
    struct torus_destination *list = bytes ? malloc(bytes) : NULL;
    if (bytes && !list) {
        free(committed);
        return;
    }
    if (bytes)
        memcpy(list, table->destinations, bytes);
    t->in_force = *table;
    t->in_force.destinations = list;
    t->committed = committed;
    t->active = active;
}

API bool torus_changes(const struct torus *t, struct torus_changes *out)
{
    *out = t->changes;
    return out->requests;
}
