// SPDX-License-Identifier: Apache-2.0
// GOAL text, as LogGOPSim reads it (Hoefler, Schneider, Lumsdaine: LogGOPSim, 2010): num_ranks N,
// then for each rank `rank R {`, lines, `}`:
//   [LABEL:] calc NS [cpu C]
//   [LABEL:] send BYTESb to RANK [tag T] [cpu C] [nic N]
//   [LABEL:] recv BYTESb from RANK [tag T] [cpu C] [nic N]
//   LABEL requires LABEL      the first waits for the second to end
//   LABEL irequires LABEL     the first waits for the second to begin
// Labels begin with a letter and are a rank's own; they may be used before they are defined. An
// operation that requires nothing begins at once. cpu and nic are read and mean nothing: what is to
// come one after the other says so by requires. A receive from any rank or of any tag (-1) is
// refused: who sends it must be known. // and /* */ are comments.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "app/read.h"

struct label {
    char *name;
    uint32_t op;
};

struct requirement {
    char *op, *before;
    bool at_start;
    uint32_t line;
};

struct goal {
    struct net_reader *reader;
    struct net_application *app;
    bool comment; // in /* */
    struct label *label;
    size_t labels, label_room;
    struct requirement *need;
    size_t needs, need_room;
};

static bool grow(void **at, size_t count, size_t *room, size_t size)
{
    if (count < *room)
        return true;
    size_t more = *room ? 2 * *room : 256;
    void *larger = realloc(*at, more * size);
    if (!larger)
        return false;
    *at = larger;
    *room = more;
    return true;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct label *)a)->name, ((const struct label *)b)->name);
}

static void forget(struct goal *g)
{
    for (size_t i = 0; i < g->labels; i++)
        free(g->label[i].name);
    for (size_t i = 0; i < g->needs; i++) {
        free(g->need[i].op);
        free(g->need[i].before);
    }
    g->labels = g->needs = 0;
}

// The end of a rank: what its labels stand for.
static bool resolve(struct goal *g)
{
    if (g->labels)
        qsort(g->label, g->labels, sizeof *g->label, by_name);
    for (size_t i = 1; i < g->labels; i++)
        if (!strcmp(g->label[i - 1].name, g->label[i].name)) {
            g->reader->number = g->app->op[g->label[i].op].line;
            return net_reader_wrong(g->reader, "label %.40s is there twice", g->label[i].name);
        }
    for (size_t i = 0; i < g->needs; i++) {
        const char *names[2] = {g->need[i].op, g->need[i].before};
        uint32_t op[2];
        for (int end = 0; end < 2; end++) {
            struct label key = {(char *)(uintptr_t)names[end], 0};
            const struct label *found =
                g->labels ? bsearch(&key, g->label, g->labels, sizeof key, by_name) : NULL;
            if (!found) {
                g->reader->number = g->need[i].line;
                return net_reader_wrong(g->reader, "there is no label %.40s", names[end]);
            }
            op[end] = found->op;
        }
        if (!net_read_after(g->reader, g->app, op[0], op[1], g->need[i].at_start))
            return false;
    }
    forget(g);
    return true;
}

// A copy of the identifier at *at, moved behind it and blanks; NULL: none.
static char *identifier(char **at)
{
    size_t length = 0;
    if (!isalpha((unsigned char)**at))
        return NULL;
    while (isalnum((unsigned char)(*at)[length]) || (*at)[length] == '_')
        length++;
    char *name = strndup(*at, length);
    *at += length;
    *at += strspn(*at, " \t");
    return name;
}

static bool read_operation(struct goal *g, char *at, uint32_t rank, char *label)
{
    struct net_reader *reader = g->reader;
    struct net_op op = {.rank = rank};
    uint64_t number = 0, unused;
    uint32_t id;
    if (net_read_word(&at, "calc")) {
        if (!net_read_number(&at, (uint64_t)1e15, &number))
            return net_reader_wrong(reader, "calc: must be ns, 0 to 1e15");
        op.amount = net_read_units((double)number);
    } else {
        op.kind = net_read_word(&at, "send") ? NET_OP_SEND : NET_OP_RECV;
        if (op.kind == NET_OP_RECV && !net_read_word(&at, "recv"))
            return net_reader_wrong(reader, "must be calc, send or recv");
        char *bytes = at;
        if (!net_read_number(&at, INT32_MAX, &op.amount) || *at != 'b')
            return net_reader_wrong(reader, "`%.20s': must be a number of bytes, as 8b", bytes);
        at += 1 + strspn(at + 1, " \t");
        if (!net_read_word(&at, op.kind == NET_OP_SEND ? "to" : "from"))
            return net_reader_wrong(reader, "there must be `to RANK' or `from RANK'");
        if (!strncmp(at, "-1", 2))
            return net_reader_wrong(reader, "a receive from any rank: it must be known from which");
        if (!net_read_number(&at, g->app->ranks - 1, &number))
            return net_reader_wrong(reader, "the rank must be 0 to %u", g->app->ranks - 1);
        op.peer = (uint32_t)number;
        if (net_read_word(&at, "tag")) {
            if (!strncmp(at, "-1", 2))
                return net_reader_wrong(reader, "any tag: it must be known which");
            if (!net_read_number(&at, INT64_MAX, &op.tag))
                return net_reader_wrong(reader, "the tag must be a whole number");
        }
    }
    while (*at) {
        bool known =
            net_read_word(&at, "cpu") || (op.kind != NET_OP_CALC && net_read_word(&at, "nic"));
        if (!known || !net_read_number(&at, UINT32_MAX, &unused))
            return net_reader_wrong(reader, "`%.20s' behind the operation", at);
    }
    if (!net_read_op(reader, g->app, op, &id))
        return false;
    void *room = g->label;
    if (!label)
        return true;
    if (!grow(&room, g->labels, &g->label_room, sizeof *g->label))
        return net_reader_wrong(reader, "out of memory");
    g->label = room;
    char *name = strdup(label);
    g->label[g->labels++] = (struct label){name, id};
    return name || net_reader_wrong(reader, "out of memory");
}

static bool read_line(struct goal *g, char *at, uint32_t rank)
{
    char *behind = at, *label = identifier(&behind);
    bool good;
    if (label && *behind == ':') {
        behind += 1 + strspn(behind + 1, " \t");
        good = read_operation(g, behind, rank, label);
        free(label);
        return good;
    }
    bool ends = label && net_read_word(&behind, "requires");
    bool starts = label && !ends && net_read_word(&behind, "irequires");
    if (!ends && !starts) {
        free(label);
        return read_operation(g, at, rank, NULL);
    }
    char *before = identifier(&behind);
    void *room = g->need;
    if (!before || *behind || !grow(&room, g->needs, &g->need_room, sizeof *g->need)) {
        free(label);
        good = net_reader_wrong(g->reader, before && !*behind ? "out of memory"
                                                              : "there must be one label behind");
        free(before);
        return good;
    }
    g->need = room;
    g->need[g->needs++] = (struct requirement){label, before, starts, g->reader->number};
    return true;
}

// Takes comments and blanks at the ends out of the line.
static char *bare(struct goal *g)
{
    char *line = g->reader->line, *to = line;
    for (char *at = line; *at; at++) {
        if (g->comment) {
            if (at[0] == '*' && at[1] == '/') {
                g->comment = false;
                at++;
            }
        } else if (at[0] == '/' && at[1] == '*') {
            g->comment = true;
            at++;
        } else if (at[0] == '/' && at[1] == '/') {
            break;
        } else {
            *to++ = *at;
        }
    }
    while (to > line && strchr(" \t", to[-1]))
        to--;
    *to = '\0';
    return line + strspn(line, " \t");
}

bool net_read_goal(struct net_reader *reader, struct net_application **app)
{
    struct goal g = {.reader = reader};
    uint64_t ranks, rank = UINT64_MAX;
    char *at = bare(&g);
    net_read_word(&at, "num_ranks");
    if (!net_read_number(&at, NET_MAX_RANKS, &ranks) || !ranks || *at)
        return net_reader_wrong(reader, "must be `num_ranks N', 1 to %d", NET_MAX_RANKS);
    g.app = *app = net_application_new((uint32_t)ranks);
    if (!*app)
        return net_reader_wrong(reader, "out of memory");
    while (net_reader_next(reader)) {
        at = bare(&g);
        if (!*at)
            continue;
        if (rank != UINT64_MAX && !strcmp(at, "}")) {
            rank = UINT64_MAX;
            resolve(&g);
        } else if (rank != UINT64_MAX) {
            read_line(&g, at, (uint32_t)rank);
        } else if (!net_read_word(&at, "rank") || !net_read_number(&at, ranks - 1, &rank) ||
                   strcmp(at, "{") != 0) {
            net_reader_wrong(reader, "must be `rank R {', R 0 to %u", (unsigned)ranks - 1);
        } else if (g.app->begun[rank]) {
            net_reader_wrong(reader, "rank %u begins a second time", (unsigned)rank);
        } else {
            g.app->begun[rank] = true;
        }
    }
    if (rank != UINT64_MAX)
        net_reader_wrong(reader, "there is no } at the end of rank %u", (unsigned)rank);
    forget(&g);
    free(g.label);
    free(g.need);
    return !reader->bad;
}
