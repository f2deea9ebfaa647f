// SPDX-License-Identifier: Apache-2.0
// Discovery: a breadth-first walk over directed routes that assumes nothing of the cabling, then
// recognition of the torus in the graph of boards and cables.
#include <stdlib.h>
#include <string.h>

#include "boards.h"

// Walk --------------------------------------------------------------------------------------------

static int board_with(const struct torus *t, uint64_t serial)
{
    for (unsigned i = 0; i < t->board_count; i++)
        if (t->boards[i].serial == serial)
            return (int)i;
    return -1;
}

static int add_board(struct torus *t, uint64_t serial, uint32_t info, const uint8_t *path,
                     unsigned hops)
{
    if (t->board_count == t->board_room) {
        unsigned room = t->board_room ? 2 * t->board_room : 64;
        struct torus_board *boards =
            room > 2 * MAX_BOARDS ? NULL : realloc(t->boards, room * sizeof *boards);
        if (!boards)
            return -1;
        t->boards = boards;
        t->board_room = room;
    }
    struct torus_board *b = &t->boards[t->board_count];
    memset(b, 0, sizeof *b);
    b->serial = serial;
    b->dims = info >> OFR_INFO_N_LSB & 3;
    b->links = info >> OFR_INFO_LINKS_LSB & 63;
    b->configured = info >> OFR_INFO_CONFIGURED_LSB & 1;
    b->hops = (uint8_t)hops;
    if (hops)
        memcpy(b->path, path, hops);
    for (unsigned p = 0; p < TORUS_PORTS; p++)
        b->peer[p] = b->peer_port[p] = -1;
    return (int)t->board_count++;
}

struct probe {
    unsigned board, port;
    uint64_t serial;
    uint32_t info;
    bool got, no_link;
};

// Asks who is at the other end of each probe's port.
static int ask_probes(struct torus *t, struct probe *probes, unsigned count)
{
    struct request *q = calloc(3 * (size_t)count, sizeof *q);
    unsigned *of = calloc(3 * (size_t)count, sizeof *of), n = 0;
    int error = TORUS_OK;
    if (!q || !of) {
        error = fail(t, TORUS_E_MEMORY, "out of memory");
        goto out;
    }
    for (unsigned i = 0; i < count; i++) {
        const struct torus_board *b = &t->boards[probes[i].board];
        uint8_t path[TORUS_MAX_HOPS];
        memcpy(path, b->path, b->hops);
        path[b->hops] = (uint8_t)probes[i].port;
        bool wide = b->hops < OFR_WIDE_HOPS;
        for (unsigned part = wide ? 0 : 1; part <= (wide ? 0u : 3u); part++) {
            by_path(&q[n], path, b->hops + 1u, OFR_OP_PING, part);
            of[n++] = i;
        }
    }
    error = exchange(t, q, n);
    if (error != TORUS_OK && error != TORUS_E_TIMEOUT)
        goto out;
    error = TORUS_OK;
    for (unsigned i = 0; i < n; i++) {
        struct probe *p = &probes[of[i]];
        if (q[i].state != DONE) {
            p->got = false;
            continue;
        }
        if (q[i].status != OFR_OK) {
            p->no_link = q[i].status == OFR_NO_LINK;
            continue;
        }
        switch (q[i].m[0] >> 8 & 0xff) {
        case 0:
            p->serial = q[i].r[3] | (uint64_t)q[i].r[4] << 32;
            p->info = q[i].r[5];
            p->got = true;
            break;
        case 1:
            p->serial = q[i].r[5];
            break;
        case 2:
            p->serial |= (uint64_t)q[i].r[5] << 32;
            break;
        case 3:
            p->info = q[i].r[5];
            p->got = true;
            break;
        }
    }
out:
    free(q);
    free(of);
    return error;
}

static int join(struct torus *t, const struct probe *p)
{
    struct torus_board *b = &t->boards[p->board];
    unsigned arrival = p->info >> OFR_INFO_ARRIVAL_LSB & 7;
    int c = board_with(t, p->serial);
    if (c < 0) {
        uint8_t path[TORUS_MAX_HOPS];
        memcpy(path, b->path, b->hops);
        path[b->hops] = (uint8_t)p->port;
        c = add_board(t, p->serial, p->info, path, b->hops + 1u);
        if (c < 0)
            return fail(t, TORUS_E_MEMORY, "out of memory, or more than %d boards", MAX_BOARDS);
        b = &t->boards[p->board];
    }
    struct torus_board *peer = &t->boards[c];
    if (arrival >= TORUS_PORTS)
        return fail(t, TORUS_E_PROTOCOL, "board %016llx arrived at by port %u",
                    (unsigned long long)p->serial, arrival);
    if (peer->peer[arrival] >= 0 &&
        (peer->peer[arrival] != (int)p->board || peer->peer_port[arrival] != (int)p->port)) {
        fault(t, TORUS_FAULT_BOARD, NULL,
              "port %s of board %016llx answers on two cables: do two boards have this number?",
              torus_port_name(arrival), (unsigned long long)p->serial);
        return TORUS_OK;
    }
    b->peer[p->port] = c;
    b->peer_port[p->port] = (int8_t)arrival;
    peer->peer[arrival] = (int)p->board;
    peer->peer_port[arrival] = (int8_t)p->port;
    return TORUS_OK;
}

// One level: the cables of boards first to end - 1 that are not known yet.
static int walk_level(struct torus *t, unsigned first, unsigned end)
{
    struct probe *probes = calloc((size_t)(end - first) * TORUS_PORTS, sizeof *probes);
    unsigned count = 0;
    if (!probes)
        return fail(t, TORUS_E_MEMORY, "out of memory");
    for (unsigned i = first; i < end; i++) {
        const struct torus_board *b = &t->boards[i];
        for (unsigned p = 0; p < 2u * b->dims; p++) {
            if (!(b->links >> p & 1) || b->peer[p] >= 0)
                continue;
            if (b->hops == TORUS_MAX_HOPS)
                fault(t, TORUS_FAULT_BOARD, NULL,
                      "board %016llx is %d hops away: no torus up to 16x16x16 needs more",
                      (unsigned long long)b->serial, TORUS_MAX_HOPS);
            else
                probes[count++] = (struct probe){.board = i, .port = p};
        }
    }
    int error = ask_probes(t, probes, count);
    for (unsigned i = 0; i < count && error == TORUS_OK; i++) {
        if (probes[i].got)
            error = join(t, &probes[i]);
        else if (!probes[i].no_link)
            fault(t, TORUS_FAULT_BOARD, NULL,
                  "nothing answers at port %s of board %016llx, though its link is up",
                  torus_port_name(probes[i].port),
                  (unsigned long long)t->boards[probes[i].board].serial);
    }
    free(probes);
    return error;
}

// SHAPE, SIZE and CONTROL of the board we are plugged into.
static int read_shape(struct torus *t, uint32_t *size, uint32_t *control)
{
    struct request q;
    by_path(&q, NULL, 0, OFR_OP_READ4, 0);
    q.m[2] = OFR_SEL_NODE | OFR_NODE_SHAPE | (uint32_t)(OFR_SEL_NODE | OFR_NODE_SIZE) << 16;
    q.m[3] = OFR_SEL_NODE | OFR_NODE_CONTROL | (uint32_t)(OFR_SEL_NODE | OFR_NODE_CONTROL) << 16;
    int error = ask(t, &q, "read the board's shape");
    if (error != TORUS_OK)
        return error;
    uint32_t shape = q.r[2];
    *size = q.r[3];
    *control = q.r[4];
    t->dims = shape >> OFR_NODE_SHAPE_N_LSB & ((1u << OFR_NODE_SHAPE_N_BITS) - 1);
    t->flit_bytes = shape >> OFR_NODE_SHAPE_W8_LSB & ((1u << OFR_NODE_SHAPE_W8_BITS) - 1);
    t->slots = shape >> OFR_NODE_SHAPE_C_LSB & ((1u << OFR_NODE_SHAPE_C_BITS) - 1);
    t->slot_flits = shape >> OFR_NODE_SHAPE_L_LSB & ((1u << OFR_NODE_SHAPE_L_BITS) - 1);
    t->generator = shape >> OFR_NODE_SHAPE_GEN_LSB & 1;
    t->checker = shape >> OFR_NODE_SHAPE_CHECK_LSB & 1;
    t->pins = shape & OFR_NODE_SHAPE_PINS_MASK;
    if (t->dims < 2 || t->dims > 3 || !t->flit_bytes || !t->slots || t->slot_flits < 4)
        return fail(t, TORUS_E_PROTOCOL, "the board says SHAPE = 0x%08x, which makes no sense",
                    shape);
    return TORUS_OK;
}

// All of them. Its requests go all over the torus, so more can be under way than to a single board.
static int walk(struct torus *t)
{
    unsigned window = t->options.window;
    int error = TORUS_OK;
    if (!t->window_wanted)
        t->options.window = MAX_WINDOW;
    for (unsigned first = 0; first < t->board_count && error == TORUS_OK;) {
        unsigned end = t->board_count;
        error = walk_level(t, first, end);
        if (error == TORUS_OK && t->board_count > MAX_BOARDS)
            error = fail(t, TORUS_E_MISCABLED, "more than %d boards", MAX_BOARDS);
        first = end;
    }
    t->options.window = window;
    return error;
}

API int torus_discover(struct torus *t)
{
    t->board_count = t->fault_count = t->missing = 0;
    t->good = t->attached = t->gaps = false;
    clocks_forget(t);
    t->collective_flits = 0;
    memset(t->k, 0, sizeof t->k);
    if (!t->faults && !(t->faults = calloc(MAX_FAULTS, sizeof *t->faults)))
        return fail(t, TORUS_E_MEMORY, "out of memory");
    struct torus_identity id;
    int error = torus_ping_path(t, NULL, 0, &id);
    uint32_t size, control;
    if (error == TORUS_OK)
        error = read_shape(t, &size, &control);
    if (error != TORUS_OK)
        return error;
    uint32_t info = (uint32_t)id.dims << OFR_INFO_N_LSB | (uint32_t)id.links << OFR_INFO_LINKS_LSB |
                    (uint32_t)id.configured << OFR_INFO_CONFIGURED_LSB;
    if (add_board(t, id.serial, info, NULL, 0) < 0)
        return fail(t, TORUS_E_MEMORY, "out of memory");
    error = walk(t);
    if (error != TORUS_OK)
        return error;
    return recognise(t);
}

// Recognition -------------------------------------------------------------------------------------

// The board at the other end of dimension `dim`'s + (or -) cable, if that ends at a port of the
// opposite direction and is not excluded; else -1.
static int step(const struct torus *t, const uint8_t *bad, int board, unsigned dim, bool minus)
{
    unsigned port = 2 * dim + minus;
    const struct torus_board *b = &t->boards[board];
    if (board < 0 || b->peer[port] < 0 || b->peer_port[port] != (int)(port ^ 1))
        return -1;
    return bad && bad[board] >> port & 1 ? -1 : b->peer[port];
}

// A step in + in a ring or, where a dimension has but one cable of two, the other board.
static int across(const struct torus *t, int board, unsigned dim, bool minus)
{
    int c = step(t, NULL, board, dim, minus);
    return c >= 0 || t->k[dim] != 2 ? c : step(t, NULL, board, dim, !minus);
}

// Length of the ring or the line through `board` in dimension `dim`.
static unsigned ring_length(const struct torus *t, unsigned board, unsigned dim)
{
    unsigned length = 1;
    int at = (int)board;
    while ((at = step(t, NULL, at, dim, false)) >= 0 && at != (int)board &&
           length <= t->board_count)
        length++;
    if (at == (int)board)
        return length;
    for (at = (int)board; (at = step(t, NULL, at, dim, true)) >= 0 && length <= t->board_count;)
        length++;
    return length;
}

// Lengths of rings and lines in a dimension, and how many boards see each.
struct votes {
    unsigned count, length[8], boards[8];
};

static void vote(struct votes *v, unsigned length)
{
    for (unsigned i = 0; i < v->count; i++)
        if (v->length[i] == length) {
            v->boards[i]++;
            return;
        }
    if (v->count == 8)
        return; // so many wrong cables that one more size does not matter
    v->length[v->count] = length;
    v->boards[v->count++] = 1;
}

// Sizes: in each dimension a length that boards see; those whose product is the number of boards,
// if any are, and of these those that most boards see.
static int find_sizes(struct torus *t)
{
    struct votes v[3] = {{0}};
    unsigned best = 0, k[3] = {1, 1, 1}, pick[3];
    for (unsigned dim = 0; dim < 3; dim++)
        for (unsigned i = 0; i < t->board_count; i++)
            vote(&v[dim], dim < t->dims ? ring_length(t, i, dim) : 1);
    for (pick[0] = 0; pick[0] < v[0].count; pick[0]++)
        for (pick[1] = 0; pick[1] < v[1].count; pick[1]++)
            for (pick[2] = 0; pick[2] < v[2].count; pick[2]++) {
                unsigned nodes = 1, boards = 0;
                for (unsigned d = 0; d < 3; d++) {
                    nodes *= v[d].length[pick[d]];
                    boards += v[d].boards[pick[d]];
                }
                boards += nodes == t->board_count ? 4 * MAX_BOARDS : 0;
                if (boards <= best)
                    continue;
                best = boards;
                for (unsigned d = 0; d < 3; d++)
                    k[d] = v[d].length[pick[d]];
            }
    for (unsigned d = 0; d < 3; d++) {
        if (k[d] > 16) {
            fault(t, TORUS_FAULT_BOARD, NULL,
                  "%u boards in a ring of dimension %c: a size is at most 16", k[d], "xyz"[d]);
            memset(t->k, 0, sizeof t->k);
            return fail(t, TORUS_E_MISCABLED, "%s", t->faults[t->fault_count - 1].text);
        }
        t->k[d] = (uint8_t)k[d];
    }
    return TORUS_OK;
}

// A cable along i from b to c is right where going along another dimension first ends at the same
// board as going there afterwards. Those that no such square confirms and one contradicts are
// marked: they are probably the wrong ones.
static void find_suspects(const struct torus *t, uint8_t *bad)
{
    for (unsigned b = 0; b < t->board_count; b++) {
        for (unsigned i = 0; i < t->dims; i++) {
            int c = step(t, NULL, (int)b, i, false);
            unsigned agree = 0, differ = 0;
            if (c < 0)
                continue;
            for (unsigned d = 0; d < 2 * t->dims; d++) {
                unsigned j = d / 2;
                if (j == i || t->k[j] == 1 || (t->k[j] == 2 && d % 2))
                    continue;
                int beside = across(t, (int)b, j, d % 2), there = across(t, c, j, d % 2);
                if (beside < 0 || there < 0 || beside == (int)b || there == c)
                    continue; // no square: a cable is missing or loops back
                int also = step(t, NULL, beside, i, false);
                if (also < 0)
                    continue;
                *(also == there ? &agree : &differ) += 1;
            }
            if (differ && !agree) {
                bad[b] |= (uint8_t)(1u << 2 * i);
                bad[c] |= (uint8_t)(2u << 2 * i);
            }
        }
    }
}

// Where a board is by its cable in direction `port`. False: that cable says nothing.
static bool place_by(const struct torus *t, unsigned board, unsigned port, uint8_t at[3])
{
    unsigned dim = port / 2, k = t->k[dim];
    int c = step(t, NULL, (int)board, dim, port % 2);
    if (c < 0 || c == (int)board || !t->boards[c].placed)
        return false;
    memcpy(at, t->boards[c].at, 3);
    at[dim] = (uint8_t)((at[dim] + (port % 2 ? 1 : k - 1)) % k);
    return true;
}

// Moves a board to where most of its cables say it is, if fewer say where it was put: that may have
// been over a wrong cable that faults nearby kept from being suspect.
static void settle(struct torus *t, unsigned board)
{
    uint8_t at[2 * 3][3], *now = t->boards[board].at;
    unsigned count = 0, here = 0;
    for (unsigned p = 0; p < 2 * t->dims; p++)
        count += place_by(t, board, p, at[count]);
    for (unsigned i = 0; i < count; i++)
        here += !memcmp(at[i], now, 3);
    for (unsigned i = 0; i < count; i++) {
        unsigned votes = 0;
        for (unsigned j = 0; j < count; j++)
            votes += !memcmp(at[i], at[j], 3);
        if (votes > here) {
            memcpy(now, at[i], 3);
            here = votes;
        }
    }
}

// Coordinates from the lowest serial number on, over cables that are not suspect. False where two
// ways to a board give it different ones.
static bool place(struct torus *t, const uint8_t *bad)
{
    unsigned *queue = calloc(t->board_count + 1u, sizeof *queue), head = 0, tail = 0, origin = 0;
    bool good = queue != NULL;
    for (unsigned i = 0; i < t->board_count; i++) {
        t->boards[i].placed = false;
        if (t->boards[i].serial < t->boards[origin].serial)
            origin = i;
    }
    if (!queue)
        return false;
    memset(t->boards[origin].at, 0, 3);
    t->boards[origin].placed = true;
    queue[tail++] = origin;
    for (;;) {
        if (head == tail) { // whoever is left: over suspect cables too
            if (!bad)
                break;
            bad = NULL;
            head = 0;
        }
        const struct torus_board *b = &t->boards[queue[head]];
        for (unsigned p = 0; p < 2 * t->dims; p++) {
            int c = step(t, bad, (int)queue[head], p / 2, p % 2);
            if (c < 0 || (!bad && t->boards[c].placed))
                continue;
            uint8_t at[3];
            memcpy(at, b->at, 3);
            unsigned k = t->k[p / 2];
            at[p / 2] = (uint8_t)((at[p / 2] + (p % 2 ? k - 1 : 1)) % k);
            if (!t->boards[c].placed) {
                memcpy(t->boards[c].at, at, 3);
                t->boards[c].placed = true;
                queue[tail++] = (unsigned)c;
            } else if (memcmp(t->boards[c].at, at, 3) != 0) {
                good = false;
            }
        }
        head++;
    }
    free(queue);
    for (unsigned i = 0; i < t->board_count; i++)
        if (t->boards[i].placed)
            settle(t, i);
    // Where a dimension of 2 has one cable a pair, node 0 is the one that uses its +.
    for (unsigned dim = 0; dim < t->dims; dim++) {
        if (t->k[dim] != 2)
            continue;
        unsigned turned = 0, straight = 0;
        for (unsigned i = 0; i < t->board_count; i++) {
            const struct torus_board *b = &t->boards[i];
            bool plus = step(t, bad, (int)i, dim, false) >= 0;
            bool minus = step(t, bad, (int)i, dim, true) >= 0;
            if (!b->placed || plus == minus)
                continue;
            *(plus == (b->at[dim] == 0) ? &straight : &turned) += 1;
        }
        for (unsigned i = 0; turned > straight && i < t->board_count; i++)
            t->boards[i].at[dim] ^= 1;
    }
    return good;
}

int recognise(struct torus *t)
{
    int error = find_sizes(t);
    if (error != TORUS_OK)
        return error;
    uint8_t *bad = calloc(t->board_count + 1u, 1);
    if (!bad)
        return fail(t, TORUS_E_MEMORY, "out of memory");
    find_suspects(t, bad);
    unsigned faults = t->fault_count;
    bool good = place(t, bad);
    error = check_cables(t);
    if (error != TORUS_OK) {
        free(bad);
        return error;
    }
    if (!good && t->fault_count == faults)
        fault(t, TORUS_FAULT_BOARD, NULL,
              "the cables make no %ux%ux%u torus: two ways to a board disagree on its place",
              t->k[0], t->k[1], t->k[2]);
    free(bad);
    t->gaps = good && t->fault_count && t->fault_count == t->missing;
    if (t->fault_count) {
        for (unsigned i = 0; i < t->board_count && t->board_count != node_count(t); i++)
            t->boards[i].placed &= t->boards[i].at[0] < t->k[0];
        return fail(t, TORUS_E_MISCABLED, "%s%s", t->faults[0].text,
                    t->fault_count > 1 ? " (and more)" : "");
    }
    t->good = true;
    return ok(t);
}

// Quick look --------------------------------------------------------------------------------------

API int torus_attach(struct torus *t)
{
    uint32_t size, control;
    t->good = t->attached = t->gaps = false;
    clocks_forget(t);
    t->collective_flits = 0;
    t->fault_count = 0;
    int error = read_shape(t, &size, &control);
    if (error != TORUS_OK)
        return error;
    if (!(control & OFR_NODE_CONTROL_CONFIGURED_MASK))
        return fail(t, TORUS_E_UNKNOWN, "the board is not configured; run program first");
    for (unsigned i = 0; i < 3; i++) {
        t->k[i] = size >> 8 * i & 31;
        if (!t->k[i] || t->k[i] > 16)
            return fail(t, TORUS_E_PROTOCOL, "the board says SIZE = 0x%08x", size);
    }
    // d0, d1: and of all boards; d2, d3: or of all. The hash tells sizes, ties, builds apart.
    uint32_t ask[4] = {OFR_SEL_FIRMWARE | OFR_FW_SETUP | (OFR_SEL_NODE | OFR_NODE_CONTROL) << 16,
                       OFR_SEL_FIRMWARE | OFR_FW_SETUP |
                           (uint32_t)(OFR_SEL_FIRMWARE | OFR_FW_SETUP) << 16};
    uint32_t all[4];
    error = ask_all(t, OFR_AGG_SPAN, OFR_OP_READ4, 0, ask, all, "look at all boards");
    if (error != TORUS_OK)
        return error;
    if (all[0] != all[2])
        return fail(t, TORUS_E_MIXED, "the boards' sizes, ties or builds differ; run program");
    t->good = t->attached = true;
    return ok(t);
}
