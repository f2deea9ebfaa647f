// SPDX-License-Identifier: Apache-2.0
// Seams: all the cables of a dimension between two neighbouring lines or planes of boards. Where
// most of a seam's wrong cables are off by the same number of rows, it is twisted; where they go to
// the rows in the opposite order, it is mirrored. A row is what the coordinates in the other
// dimensions name.
#include "boards.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FEW = 3 }; // cables: fewer are only swapped

// Where a seam sends its rows: row r to sign r + offset, modulo the sizes, in each other dimension.
struct map {
    int8_t sign[3];
    uint8_t offset[3];
};

struct seam {
    const struct torus *t;
    unsigned dim, at; // from coordinate `at` in this dimension to the next
    struct crossing { // its wrong cables, from + to -: the boards' coordinates
        const uint8_t *from, *to;
    } * wrong;
    unsigned count;
};

static void list_crossings(struct seam *s, const struct torus_cable *wrong, unsigned count)
{
    const struct torus *t = s->t;
    s->count = 0;
    for (unsigned i = 0; i < count; i++) {
        const struct torus_cable *c = &wrong[i];
        const struct torus_board *a = &t->boards[c->board[0]], *b = &t->boards[c->board[1]];
        if (c->port[0] == (int)(2 * s->dim) && c->port[1] == (int)(2 * s->dim + 1) && a->placed &&
            b->placed && a->at[s->dim] == s->at && b->at[s->dim] == (s->at + 1) % t->k[s->dim])
            s->wrong[s->count++] = (struct crossing){a->at, b->at};
    }
}

static void send_row(const struct seam *s, const struct map *m, const uint8_t from[3],
                     uint8_t to[3])
{
    for (unsigned d = 0; d < 3; d++) {
        unsigned k = s->t->k[d], r = m->sign[d] > 0 ? from[d] : k - from[d];
        to[d] = (uint8_t)((r + m->offset[d]) % k);
    }
    to[s->dim] = (uint8_t)((from[s->dim] + 1) % s->t->k[s->dim]);
}

static bool follows(const struct seam *s, const struct map *m, const struct crossing *c)
{
    uint8_t to[3];
    send_row(s, m, c->from, to);
    return !memcmp(to, c->to, 3);
}

// The map by which this cable goes, with these dimensions mirrored.
static struct map map_of(const struct seam *s, const struct crossing *c, unsigned mirrored)
{
    struct map m;
    for (unsigned d = 0; d < 3; d++) {
        unsigned k = s->t->k[d], from = c->from[d];
        m.sign[d] = mirrored >> d & 1 ? -1 : 1;
        m.offset[d] = (uint8_t)((c->to[d] + (m.sign[d] > 0 ? k - from : from)) % k);
    }
    m.offset[s->dim] = 0;
    return m;
}

// Can these dimensions be mirrored? One of 2 is then the same as shifted by 1.
static bool can_mirror(const struct seam *s, unsigned mirrored)
{
    for (unsigned d = 0; d < 3; d++)
        if (mirrored >> d & 1 && (d == s->dim || s->t->k[d] <= 2))
            return false;
    return true;
}

// So many rows a map moves.
static unsigned rows_moved(const struct seam *s, const struct map *m)
{
    unsigned moved = 0;
    for (unsigned node = 0; node < node_count(s->t); node++) {
        uint8_t at[3], to[3];
        node_at(s->t, node, at);
        send_row(s, m, at, to);
        for (unsigned d = 0; d < 3; d++)
            if (at[s->dim] == s->at && d != s->dim && at[d] != to[d]) {
                moved++;
                break;
            }
    }
    return moved;
}

// The map that most of the seam's wrong cables follow, of several that which moves fewest rows: how
// many follow it. 0: there is no such map.
static unsigned best_map(const struct seam *s, struct map *best)
{
    unsigned most = 0;
    for (unsigned i = 0; i < 8 * s->count; i++) {
        if (!can_mirror(s, i % 8))
            continue;
        struct map m = map_of(s, &s->wrong[i / 8], i % 8);
        unsigned follow = 0;
        for (unsigned j = 0; j < s->count; j++)
            follow += follows(s, &m, &s->wrong[j]);
        if (follow > most || (follow == most && rows_moved(s, &m) < rows_moved(s, best))) {
            most = follow;
            *best = m;
        }
    }
    return most >= FEW && 2 * most > s->count ? most : 0;
}

// "x" as it goes over the seam: "x+2", "5-x".
static void term(const struct seam *s, const struct map *m, unsigned d, char *text, size_t size)
{
    unsigned k = s->t->k[d], o = m->offset[d];
    char name = "xyz"[d];
    if (m->sign[d] < 0 && !o)
        snprintf(text, size, "-%c", name);
    else if (m->sign[d] < 0)
        snprintf(text, size, "%u-%c", o, name);
    else if (!o)
        snprintf(text, size, "%c", name);
    else if (2 * o <= k)
        snprintf(text, size, "%c+%u", name, o);
    else
        snprintf(text, size, "%c-%u", name, k - o);
}

// "(15,y)", or with a map "(0,y+1)": the boards on one side of the seam.
static void side(const struct seam *s, const struct map *m, unsigned at, char text[40])
{
    size_t n = 0;
    for (unsigned d = 0; d < s->t->dims; d++) {
        char one[12];
        if (d == s->dim)
            snprintf(one, sizeof one, "%u", at);
        else if (s->t->k[d] == 1)
            snprintf(one, sizeof one, "0");
        else
            term(s, m, d, one, sizeof one);
        n += (size_t)snprintf(text + n, 40 - n, "%c%s", d ? ',' : '(', one);
    }
    snprintf(text + n, 40 - n, ")");
}

// The dimension that alone numbers the rows, 3 if there is more than one.
static unsigned row_dimension(const struct seam *s)
{
    unsigned other = 3, others = 0;
    for (unsigned d = 0; d < s->t->dims; d++)
        if (d != s->dim && s->t->k[d] > 1) {
            other = d;
            others++;
        }
    return others == 1 ? other : 3;
}

enum { ROWS = 80 };

// Which rows go by the map: "y = 0 to 4, 6 to 15"; where that is too long or a row has two
// coordinates, how many of those that the map moves.
static void name_rows(const struct seam *s, const struct map *m, unsigned follow, char text[ROWS])
{
    unsigned dim = row_dimension(s), n = ROWS, moved = rows_moved(s, m);
    bool go[16] = {false};
    for (unsigned i = 0; i < s->count && dim < 3; i++)
        if (follows(s, m, &s->wrong[i]))
            go[s->wrong[i].from[dim]] = true;
    if (dim < 3)
        n = (unsigned)snprintf(text, ROWS, "%c = ", "xyz"[dim]);
    for (unsigned r = 0, last; dim < 3 && r < s->t->k[dim] && n < ROWS; r = last + 1) {
        for (last = r; last + 1 < s->t->k[dim] && go[r] && go[last + 1];)
            last++;
        if (go[r])
            n += (unsigned)snprintf(text + n, ROWS - n, "%s%u", n > 4 ? ", " : "", r);
        if (last > r && n < ROWS)
            n += (unsigned)snprintf(text + n, ROWS - n, "%s%u", last > r + 1 ? " to " : ", ", last);
    }
    if (n < ROWS)
        return;
    if (follow == moved)
        snprintf(text, ROWS, "all %u rows", moved);
    else
        snprintf(text, ROWS, "%u of %u rows", follow, moved);
}

// How the rows are counted: "modulo 5: 1 -> 4, 2 -> 3", the first two that move.
static void name_modulo(const struct seam *s, const struct map *m, char text[ROWS])
{
    unsigned dim = row_dimension(s), n, shown = 0;
    if (dim == 3) {
        snprintf(text, ROWS, "modulo the sizes");
        return;
    }
    n = (unsigned)snprintf(text, ROWS, "modulo %u", s->t->k[dim]);
    for (unsigned row = 0; row < s->t->k[dim] && shown < 2; row++) {
        uint8_t from[3] = {0}, to[3];
        from[dim] = (uint8_t)row;
        send_row(s, m, from, to);
        if (to[dim] != row)
            n += (unsigned)snprintf(text + n, ROWS - n, "%s%u -> %u", shown++ ? ", " : ": ", row,
                                    to[dim]);
    }
}

static void name_seam(struct torus *t, const struct seam *s)
{
    struct map m = {.sign = {1, 1, 1}}, same = m;
    unsigned follow = best_map(s, &m);
    if (!follow)
        return;
    char from[40], to[40], which[ROWS], modulo[ROWS];
    bool mirror = m.sign[0] < 0 || m.sign[1] < 0 || m.sign[2] < 0;
    side(s, &same, s->at, from);
    side(s, &m, (s->at + 1) % t->k[s->dim], to);
    name_rows(s, &m, follow, which);
    name_modulo(s, &m, modulo);
    fault(t, mirror ? TORUS_FAULT_MIRROR : TORUS_FAULT_TWIST, NULL,
          "%s: %u cables from %s of %s go to %s of %s, %s, %s; each of them is named below",
          mirror ? "mirrored" : "twisted", follow, torus_port_name(2 * s->dim), from,
          torus_port_name(2 * s->dim + 1), to, modulo, which);
}

int check_seams(struct torus *t, const struct torus_cable *wrong, unsigned count)
{
    struct seam s = {.t = t, .wrong = calloc(count + 1u, sizeof *s.wrong)};
    if (!s.wrong)
        return fail(t, TORUS_E_MEMORY, "out of memory");
    for (s.dim = 0; s.dim < t->dims; s.dim++)
        for (s.at = 0; s.at < t->k[s.dim]; s.at++) {
            list_crossings(&s, wrong, count);
            name_seam(t, &s);
        }
    free(s.wrong);
    return TORUS_OK;
}
