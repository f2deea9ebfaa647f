// SPDX-License-Identifier: Apache-2.0
// Discovery: a breadth-first walk over directed routes that assumes nothing of the cabling; then
// the torus is recognised in the graph of boards and cables (recognise.c). And the quick look at
// boards that are configured.
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
    for (unsigned i = 0; i < 3 && b->configured; i++) // as it says itself
        b->at[i] = info >> (OFR_INFO_COORD_LSB + 4 * i) & 15;
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
    unsigned version = p->info >> OFR_INFO_VERSION_LSB & 15;
    int c = board_with(t, p->serial);
    if (version != OFR_PROTOCOL_VERSION) {
        fault(t, TORUS_FAULT_BOARD, NULL,
              "board %016llx, at port %s of board %016llx, speaks version %u of the protocol, the "
              "one we are plugged into version %u: give all the same firmware",
              (unsigned long long)p->serial, torus_port_name(p->port),
              (unsigned long long)b->serial, version, OFR_PROTOCOL_VERSION);
        return TORUS_OK;
    }
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

// From SHAPE: parts that all boards have, and any.
static void parts_are(struct torus *t, uint32_t all, uint32_t any)
{
    t->generator = all & OFR_NODE_SHAPE_GEN_MASK;
    t->checker = all & OFR_NODE_SHAPE_CHECK_MASK;
    t->all_counters = all & OFR_NODE_SHAPE_COUNT_MASK;
    t->pins = any & OFR_NODE_SHAPE_PINS_MASK;
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
    t->shapes = false;
    parts_are(t, shape, shape);
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
        progress(t, "boards", end, 0);
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
    t->board_count = 0;
    t->reported = false;
    t->reports = 0;
    faults_forget(t);
    t->good = t->attached = t->addressed = t->gaps = false;
    clocks_forget(t);
    t->collective_flits = 0;
    memset(t->k, 0, sizeof t->k);
    struct torus_identity id;
    int error = torus_ping_path(t, NULL, 0, &id);
    uint32_t size, control;
    if (error == TORUS_OK)
        error = read_shape(t, &size, &control);
    if (error != TORUS_OK)
        return error;
    uint32_t info = (uint32_t)id.dims << OFR_INFO_N_LSB | (uint32_t)id.links << OFR_INFO_LINKS_LSB |
                    (uint32_t)id.configured << OFR_INFO_CONFIGURED_LSB |
                    pack_at(id.at) << OFR_INFO_COORD_LSB;
    if (add_board(t, id.serial, info, NULL, 0) < 0)
        return fail(t, TORUS_E_MEMORY, "out of memory");
    error = walk(t);
    if (error != TORUS_OK)
        return error;
    error = recognise(t);
    if (error != TORUS_OK && error != TORUS_E_MISCABLED)
        return error;
    char detail[WIDTH];
    memcpy(detail, t->detail, sizeof detail);
    int links = check_links(t);
    if (links != TORUS_OK)
        return links;
    memcpy(t->detail, detail, sizeof detail);
    return error;
}

API int torus_keep(struct torus *t, const uint8_t k[3], const struct torus_place *places,
                   unsigned count)
{
    struct torus_place *kept = NULL;
    for (unsigned i = 0; i < count; i++)
        for (unsigned d = 0; d < 3; d++)
            if (places[i].at[d] >= k[d])
                return fail(t, TORUS_E_USAGE, "coordinates outside of the torus");
    if (count && !(kept = calloc(count, sizeof *kept)))
        return fail(t, TORUS_E_MEMORY, "out of memory");
    if (count)
        memcpy(kept, places, count * sizeof *kept);
    free(t->kept);
    t->kept = kept;
    t->kept_count = count;
    memcpy(t->kept_k, k, 3);
    return ok(t);
}

// Quick look --------------------------------------------------------------------------------------

// The hash tells sizes, ties, builds apart that make no torus; in *same whether it is that of all.
static int look_at_all(struct torus *t, bool *same)
{
    // d0, d1: and of all boards; d2, d3: or of all
    uint32_t ask[4] = {
        OFR_SEL_FIRMWARE | OFR_FW_SETUP | (uint32_t)(OFR_SEL_NODE | OFR_NODE_SHAPE) << 16,
        OFR_SEL_FIRMWARE | OFR_FW_SETUP | (uint32_t)(OFR_SEL_FIRMWARE | OFR_FW_SETUP) << 16};
    uint32_t all[4];
    int error = ask_all(t, OFR_AGG_SPAN, OFR_OP_READ4, 0, ask, all, "look at all boards");
    if (error != TORUS_OK)
        return error;
    *same = all[0] == all[2];
    t->shapes = true;
    parts_are(t, all[1], all[3]);
    return TORUS_OK;
}

int parts_known(struct torus *t)
{
    bool same;
    return t->shapes ? TORUS_OK : look_at_all(t, &same);
}

API int torus_attach(struct torus *t)
{
    uint32_t size, control;
    t->good = t->attached = t->addressed = t->gaps = false;
    clocks_forget(t);
    t->collective_flits = 0;
    faults_forget(t);
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
    bool same;
    error = look_at_all(t, &same);
    if (error != TORUS_OK)
        return error;
    if (!same)
        return fail(t, TORUS_E_MIXED, "the boards' sizes, ties or builds differ; run program");
    t->good = t->attached = t->addressed = true;
    return ok(t);
}
