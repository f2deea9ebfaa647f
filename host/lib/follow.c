// SPDX-License-Identifier: Apache-2.0
// What boards have reported of their links (protocol.h, WATCH), taken into the graph that discover
// found: only the ends of those links are asked.
#include <stdlib.h>
#include <string.h>

#include "boards.h"

enum { MOST_ENDS = 2 * MAX_REPORTS * TORUS_PORTS };

// The boards at the ends of links that have come or gone.
struct ends {
    unsigned board[MOST_ENDS], count;
};

static void add_end(struct ends *e, unsigned board)
{
    for (unsigned i = 0; i < e->count; i++)
        if (e->board[i] == board)
            return;
    e->board[e->count++] = board;
}

// The cable at a board's port, which is down.
static void unplug(struct torus *t, struct ends *e, unsigned board, unsigned port)
{
    struct torus_board *b = &t->boards[board];
    int peer = b->peer[port], peer_port = b->peer_port[port];
    add_end(e, board);
    b->links &= (uint8_t) ~(1u << port);
    b->peer[port] = b->peer_port[port] = -1;
    if (peer < 0)
        return;
    struct torus_board *c = &t->boards[peer];
    add_end(e, (unsigned)peer);
    c->links &= (uint8_t) ~(1u << peer_port);
    c->peer[peer_port] = c->peer_port[peer_port] = -1;
}

// The board that a torus has at the other end of that cable, -1: none.
static int neighbour(const struct torus *t, unsigned board, unsigned port)
{
    uint8_t at[3];
    unsigned dim = port / 2, k = t->k[dim];
    memcpy(at, t->boards[board].at, 3);
    at[dim] = (uint8_t)((at[dim] + (port % 2 ? k - 1 : 1)) % k);
    for (unsigned i = 0; i < t->board_count; i++)
        if (t->boards[i].placed && !memcmp(t->boards[i].at, at, 3))
            return (int)i;
    return -1;
}

// The cable at a board's port, which is up. *known: it goes where a torus has it.
static int plug(struct torus *t, struct ends *e, unsigned board, unsigned port, bool *known)
{
    struct torus_board *b = &t->boards[board];
    int peer = b->placed ? neighbour(t, board, port) : -1;
    uint8_t path[TORUS_MAX_HOPS];
    struct request q;
    *known = false;
    if (peer < 0 || b->hops >= OFR_WIDE_HOPS || t->boards[peer].peer[port ^ 1] >= 0)
        return TORUS_OK;
    struct torus_board *c = &t->boards[peer];
    memcpy(path, b->path, b->hops);
    path[b->hops] = (uint8_t)port;
    by_path(&q, path, b->hops + 1u, OFR_OP_PING, 0);
    int error = exchange(t, &q, 1);
    if (error != TORUS_OK || q.status != OFR_OK || (q.r[3] | (uint64_t)q.r[4] << 32) != c->serial ||
        (q.r[5] >> OFR_INFO_ARRIVAL_LSB & 7) != (port ^ 1))
        return error;
    b->links |= (uint8_t)(1u << port);
    c->links |= (uint8_t)(1u << (port ^ 1));
    b->peer[port] = peer;
    b->peer_port[port] = (int8_t)(port ^ 1);
    c->peer[port ^ 1] = (int)board;
    c->peer_port[port ^ 1] = (int8_t)port;
    add_end(e, board);
    add_end(e, (unsigned)peer);
    *known = true;
    return TORUS_OK;
}

// Shortest ways to all boards over the cables that there are. False: there is none to some.
static bool find_ways(struct torus *t, int *error)
{
    unsigned *order = malloc(t->board_count * sizeof *order), count = 1;
    bool *seen = calloc(t->board_count, sizeof *seen);
    if (!order || !seen) {
        free(order);
        free(seen);
        *error = fail(t, TORUS_E_MEMORY, "out of memory");
        return false;
    }
    order[0] = 0;
    seen[0] = true;
    for (unsigned i = 0; i < count; i++) {
        const struct torus_board *b = &t->boards[order[i]];
        for (unsigned p = 0; p < 2u * b->dims && b->hops < TORUS_MAX_HOPS; p++) {
            if (b->peer[p] < 0 || seen[b->peer[p]])
                continue;
            struct torus_board *c = &t->boards[b->peer[p]];
            memcpy(c->path, b->path, b->hops);
            c->path[b->hops] = (uint8_t)p;
            c->hops = (uint8_t)(b->hops + 1);
            seen[b->peer[p]] = true;
            order[count++] = (unsigned)b->peer[p];
        }
    }
    free(order);
    free(seen);
    return count == t->board_count;
}

// Have both ends of each link the links up that are known now? From now on they report once more.
static int ask_ends(struct torus *t, const struct ends *e, bool *known)
{
    struct request q[MOST_ENDS];
    for (unsigned i = 0; i < e->count; i++)
        to_board(t, &q[i], e->board[i], OFR_OP_WATCH, 0, 0, 0);
    t->heeds = true;
    int error = ask_boards(t, q, e->count, "look at the links");
    t->heeds = false;
    for (unsigned i = 0; i < e->count && error == TORUS_OK; i++)
        *known &= q[i].r[5] == t->boards[e->board[i]].links;
    return error;
}

// Of a cable that has come both ends report: what came meanwhile may be known by now.
static void forget_known(struct torus *t)
{
    unsigned news = 0;
    for (unsigned i = 0; i < t->reports && t->reports <= MAX_REPORTS; i++)
        if (t->boards[t->report[i].board].links != t->report[i].links)
            t->report[news++] = t->report[i];
    if (t->reports <= MAX_REPORTS)
        t->reports = news;
    t->reported = t->reports > 0;
}

// Takes the reports into the graph, with the ways over it. *known: all of it fits.
static int take_in(struct torus *t, struct ends *e, bool *known)
{
    unsigned reports = t->reports;
    int error = TORUS_OK;
    struct report report[MAX_REPORTS];
    memcpy(report, t->report, sizeof report);
    t->reports = 0;
    t->reported = false;
    for (unsigned i = 0; i < reports; i++)
        for (unsigned p = 0; p < 2 * t->dims; p++)
            if (t->boards[report[i].board].links & ~report[i].links & 1u << p)
                unplug(t, e, report[i].board, p);
    *known = find_ways(t, &error);
    for (unsigned i = 0; i < reports; i++)
        for (unsigned p = 0; p < 2 * t->dims && *known && error == TORUS_OK; p++)
            if (report[i].links & ~(uint32_t)t->boards[report[i].board].links & 1u << p)
                error = plug(t, e, report[i].board, p, known);
    if (*known && error == TORUS_OK)
        *known = find_ways(t, &error);
    forget_known(t);
    if (*known && error == TORUS_OK)
        error = ask_ends(t, e, known);
    return error;
}

API int torus_links_follow(struct torus *t, bool *known)
{
    struct ends e = {.count = 0};
    *known = false;
    if (t->attached || (!t->good && !t->gaps))
        return fail(t, TORUS_E_UNKNOWN, "discover the torus first");
    // Where a size is 2, two boards may have one cable or two, which is the torus': discover knows
    bool two = t->k[0] == 2 || t->k[1] == 2 || t->k[2] == 2;
    if (!t->reported || t->reports > MAX_REPORTS || t->absent || two)
        return ok(t);
    t->addressed = false;
    int error = take_in(t, &e, known);
    if (error == TORUS_E_TIMEOUT || error == TORUS_E_BOARD) { // or links change again
        *known = false;
        return ok(t);
    }
    if (error != TORUS_OK || !*known)
        return error == TORUS_OK ? ok(t) : error;
    faults_forget(t);
    t->good = t->gaps = false;
    return judge(t);
}
