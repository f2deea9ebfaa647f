// SPDX-License-Identifier: Apache-2.0
// A torus as `discover --format json` has printed it, from a file: to keep its coordinates, and to
// compare it with what is discovered now.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl.h"

static const char *const file_keys_wanted[] = {"sizes", "faults", "boards", NULL};

static bool read_at(const char *file, const char *what, json_t *at, const struct topology *y,
                    struct topology_board *out)
{
    out->placed = !json_is_null(at);
    bool good = !out->placed || json_array_size(at) == y->dims;
    for (unsigned i = 0; out->placed && good && i < y->dims; i++) {
        json_int_t c = json_integer_value(json_array_get(at, i));
        good = json_is_integer(json_array_get(at, i)) && c >= 0 && c < y->k[i];
        out->at[i] = (uint8_t)c;
    }
    return good || file_bad(file, "%s.at: no place in the torus", what);
}

// The cable at each port, to a board of `boards` and a port of it.
static bool read_cables(const char *file, const char *what, json_t *cables, size_t boards,
                        struct topology_board *out)
{
    size_t p;
    json_t *cable;
    if (json_array_size(cables) > TORUS_PORTS)
        return file_bad(file, "%s.cables: a list, of up to 6", what);
    for (p = 0; p < TORUS_PORTS; p++)
        out->peer[p] = -1;
    json_array_foreach(cables, p, cable)
    {
        json_t *board = json_object_get(cable, "board");
        const char *port = json_string_value(json_object_get(cable, "port"));
        if (json_is_null(cable))
            continue;
        if (!json_is_integer(board) || json_integer_value(board) < 0 ||
            json_integer_value(board) >= (json_int_t)boards || !port || torus_port_named(port) < 0)
            return file_bad(file, "%s.cables[%zu]: null, or a board of the file and its port", what,
                            p);
        out->peer[p] = (int)json_integer_value(board);
        out->peer_port[p] = (int8_t)torus_port_named(port);
    }
    return true;
}

static bool read_board(const char *file, size_t number, json_t *entry, struct topology *y)
{
    char what[40], extra;
    struct topology_board *out = &y->board[number];
    const char *serial = json_string_value(json_object_get(entry, "serial"));
    unsigned long long value;
    snprintf(what, sizeof what, "boards[%zu]", number);
    if (!json_is_object(entry) || !serial || strlen(serial) > 16 ||
        sscanf(serial, "%16llx%c", &value, &extra) != 1)
        return file_bad(file, "%s: an object, with \"serial\", up to 16 hexadecimal digits", what);
    out->serial = value;
    for (size_t i = 0; i < number; i++)
        if (y->board[i].serial == value)
            return file_bad(file, "%s.serial: it was there before", what);
    return read_at(file, what, json_object_get(entry, "at"), y, out) &&
           read_cables(file, what, json_object_get(entry, "cables"), y->boards, out);
}

bool topology_read(const char *file, struct topology *y)
{
    json_t *root = file_load(file), *entry;
    size_t i;
    memset(y, 0, sizeof *y);
    if (!root)
        return false;
    json_t *sizes = json_object_get(root, "sizes"), *boards = json_object_get(root, "boards");
    bool good = file_keys(file, "file", root, file_keys_wanted, NULL);
    y->dims = (unsigned)json_array_size(sizes);
    y->k[0] = y->k[1] = y->k[2] = 1;
    if (good && y->dims != 2 && y->dims != 3)
        good = file_bad(file, "sizes: 2 or 3 numbers");
    for (i = 0; good && i < y->dims; i++) {
        json_int_t k = json_integer_value(json_array_get(sizes, i));
        good = (k >= 1 && k <= 16) || file_bad(file, "sizes[%zu]: from 1 to 16", i);
        y->k[i] = (uint8_t)k;
    }
    y->boards = (unsigned)json_array_size(boards);
    if (good && !y->boards)
        good = file_bad(file, "boards: a list");
    if (good && !(y->board = calloc(y->boards, sizeof *y->board))) {
        wrong("file", file, "out of memory");
        good = false;
    }
    for (i = 0; good && i < y->boards; i++) {
        entry = json_array_get(boards, i);
        good = read_board(file, i, entry, y);
    }
    json_decref(root);
    return good;
}

void topology_free(struct topology *y)
{
    free(y->board);
    y->board = NULL;
}

// What was discovered.
static bool take_now(const struct torus *t, struct topology *y)
{
    memset(y, 0, sizeof *y);
    y->dims = torus_sizes(t, y->k);
    y->boards = torus_boards(t);
    y->board = calloc(y->boards, sizeof *y->board);
    if (!y->board)
        return wrong("boards", "discovered", "out of memory") == 0;
    for (unsigned i = 0; i < y->boards; i++) {
        const struct torus_board *b = torus_board(t, i);
        struct topology_board *out = &y->board[i];
        out->serial = b->serial;
        out->placed = b->placed;
        memcpy(out->at, b->at, sizeof out->at);
        memcpy(out->peer, b->peer, sizeof out->peer);
        memcpy(out->peer_port, b->peer_port, sizeof out->peer_port);
    }
    return true;
}

int topology_keep(struct torus *t, const struct topology *y)
{
    struct torus_place *places = calloc(y->boards, sizeof *places);
    unsigned count = 0;
    if (!places)
        return wrong("boards", "of the file", "out of memory");
    for (unsigned i = 0; i < y->boards; i++)
        if (y->board[i].placed) {
            places[count].serial = y->board[i].serial;
            memcpy(places[count++].at, y->board[i].at, 3);
        }
    int error = torus_keep(t, y->k, places, count);
    free(places);
    return error == TORUS_OK ? 0 : report(t, error);
}

static const struct topology_board *with_serial(const struct topology *y, uint64_t serial)
{
    for (unsigned i = 0; i < y->boards; i++)
        if (y->board[i].serial == serial)
            return &y->board[i];
    return NULL;
}

static bool same_at(const struct topology_board *a, const struct topology_board *b)
{
    return a->placed && b->placed && !memcmp(a->at, b->at, sizeof a->at);
}

static const struct topology_board *at_place(const struct topology *y,
                                             const struct topology_board *b)
{
    for (unsigned i = 0; i < y->boards; i++)
        if (same_at(&y->board[i], b))
            return &y->board[i];
    return NULL;
}

unsigned topology_moved(const struct torus *t, const struct topology *y)
{
    struct topology now;
    unsigned moved = 0;
    char was[16], is[16], serial[20], called[PLACE];
    if (!take_now(t, &now))
        return 1;
    bool other = memcmp(now.k, y->k, sizeof now.k) != 0;
    if (other) {
        fputs("torusctl: the file is of a torus of other sizes\n", stderr);
        moved++;
    }
    for (unsigned i = 0; i < now.boards && !other; i++) {
        const struct topology_board *b = &now.board[i], *old = with_serial(y, b->serial);
        if (!old || !old->placed || !b->placed || same_at(old, b))
            continue;
        snprintf(serial, sizeof serial, "%016llx", (unsigned long long)b->serial);
        fprintf(stderr, "torusctl: board %s was at (%s) and is at (%s)\n",
                with_name(serial, name_of(b->serial), called), at_text(old->at, y->dims, was),
                at_text(b->at, now.dims, is));
        moved++;
    }
    topology_free(&now);
    return moved;
}

// The difference ----------------------------------------------------------------------------------

static const struct column columns[] = {
    {"change", "change", -1, 0},
    {"at", "at", 0, 0},
    {"serial", "serial number", -1, 0},
    {"port", "port", -1, 0},
    {"before", "before", -1, 0},
    {"after", "after", -1, 0},
    {0},
};

enum { END = 80 };

// A board, by its place, where it has one.
static void board_text(const struct topology *y, const struct topology_board *b, bool named,
                       char text[END])
{
    char at[16], where[24];
    if (b->placed)
        snprintf(where, sizeof where, "(%s)", at_text(b->at, y->dims, at));
    else
        snprintf(where, sizeof where, "%016llx", (unsigned long long)b->serial);
    with_name(where, named ? name_of(b->serial) : NULL, text);
}

// The other end of the cable at a board's port: "x- of (1,2)"; false: there is none.
static bool far_end(const struct topology *y, const struct topology_board *b, unsigned port,
                    bool named, char text[END])
{
    char board[END];
    *text = 0;
    if (!b || b->peer[port] < 0)
        return false;
    board_text(y, &y->board[b->peer[port]], named, board);
    snprintf(text, END, "%s of %.70s", torus_port_name((unsigned)b->peer_port[port]), board);
    return true;
}

struct difference {
    const struct topology *before, *after;
    struct table *rows;
    unsigned count;
};

static void add(struct difference *d, const char *change, const struct topology_board *b,
                const char *port, const char *before, const char *after)
{
    table_row(d->rows,
              json_pack("{s:s,s:o,s:o,s:s?,s:s?,s:s?}", "change", change, "at",
                        b->placed ? json_at(b->at, d->after->dims) : json_null(), "serial",
                        json_serial(b->serial), "port", port, "before", before, "after", after));
    d->count++;
}

// The board that is now where `old` was, or itself where it had no place.
static const struct topology_board *successor(const struct difference *d,
                                              const struct topology_board *old)
{
    return old->placed ? at_place(d->after, old) : with_serial(d->after, old->serial);
}

static void boards_changed(struct difference *d)
{
    char was[END], is[END];
    for (unsigned i = 0; i < d->before->boards; i++) {
        const struct topology_board *old = &d->before->board[i];
        const struct topology_board *b = with_serial(d->after, old->serial), *next;
        board_text(d->before, old, true, was);
        if (b) {
            board_text(d->after, b, true, is);
            if (strcmp(was, is) != 0)
                add(d, "moved", b, NULL, was, is);
            continue;
        }
        next = old->placed ? at_place(d->after, old) : NULL;
        if (next && !with_serial(d->before, next->serial)) {
            snprintf(was, sizeof was, "%016llx", (unsigned long long)old->serial);
            snprintf(is, sizeof is, "%016llx", (unsigned long long)next->serial);
            add(d, "replaced", next, NULL, was, is);
        } else {
            add(d, "gone", old, NULL, was, NULL);
        }
    }
    for (unsigned i = 0; i < d->after->boards; i++) {
        const struct topology_board *b = &d->after->board[i];
        const struct topology_board *old = b->placed ? at_place(d->before, b) : NULL;
        board_text(d->after, b, true, is);
        if (!with_serial(d->before, b->serial) && !(old && !with_serial(d->after, old->serial)))
            add(d, "new", b, NULL, NULL, is);
    }
}

// Cables by the places of their ends, so that a board that was replaced changes none; each once, by
// its lower end.
static void cables_changed(struct difference *d)
{
    char was[END], is[END];
    for (unsigned i = 0; i < d->before->boards; i++) {
        const struct topology_board *old = &d->before->board[i], *b = successor(d, old);
        for (unsigned p = 0; p < TORUS_PORTS && b; p++) {
            bool had = far_end(d->before, old, p, false, was);
            bool has = far_end(d->after, b, p, false, is);
            const struct topology_board *far = has   ? &d->after->board[b->peer[p]]
                                               : had ? &d->before->board[old->peer[p]]
                                                     : NULL;
            if (!strcmp(was, is) || !far)
                continue;
            unsigned far_port = (unsigned)(has ? b->peer_port[p] : old->peer_port[p]);
            bool lower = far->serial > b->serial || (far->serial == b->serial && far_port > p);
            // Names go with boards, which may have been replaced; places were compared.
            far_end(d->before, old, p, true, was);
            far_end(d->after, b, p, true, is);
            // Where the far ends differ, each end of either cable says something else.
            if ((had && has) || lower || !successor(d, far))
                add(d, "cable", b, torus_port_name(p), had ? was : NULL, has ? is : NULL);
        }
    }
}

int topology_diff(struct torus *t, const struct args *a, const struct topology *before)
{
    struct topology now;
    if (!take_now(t, &now))
        return 2;
    struct difference d = {.before = before, .after = &now};
    d.rows = table_begin(a, "changes", columns);
    bool sizes = now.dims != before->dims || memcmp(now.k, before->k, sizeof now.k) != 0;
    if (sizes) {
        char was[16], is[16];
        table_note(d.rows, "a torus of %s before, of %s now",
                   sizes_text(before->k, before->dims, was), sizes_text(now.k, now.dims, is));
        d.count++;
    }
    boards_changed(&d);
    if (!sizes)
        cables_changed(&d);
    if (!d.count)
        table_note(d.rows, "no change: %u board%s", now.boards, now.boards == 1 ? "" : "s");
    table_end(d.rows, json_pack("{s:o,s:o}", "sizes_before", json_at(before->k, before->dims),
                                "sizes", now.dims ? json_at(now.k, now.dims) : json_null()));
    topology_free(&now);
    return d.count > 0;
}
