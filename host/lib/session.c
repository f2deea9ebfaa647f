// SPDX-License-Identifier: Apache-2.0
// A session: a connection from opening to closing, its write lease and key (protocol.h).
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "boards.h"
#include "stream.h"

API int torus_open_transport(struct torus **out, struct torus_transport transport,
                             const struct torus_options *options)
{
    *out = handle_new(options);
    if (!*out)
        return TORUS_E_MEMORY;
    (*out)->transport = transport;
    return options_check(*out);
}

API uint16_t torus_session(const struct torus *t)
{
    return t->session;
}

// The lease ---------------------------------------------------------------------------------------

static const double default_time = 60; // seconds
enum { UNLOCK_TRIES = 4 };             // two hosts with the key may come at the same time

static double lease_seconds(const struct torus *t)
{
    return (double)((uint32_t)1 << t->lease.time) / 16;
}

// Time asked for, as OP_LEASE has it.
static unsigned time_code(double seconds)
{
    unsigned n = 0;
    while (n < OFR_LEASE_TIME_MAX && (double)((uint32_t)1 << n) / 16 < seconds)
        n++;
    return n;
}

static void lease_request(struct torus *t, struct request *q, unsigned what)
{
    q->m[0] |= OFR_OP_LEASE | (what | t->lease.time << OFR_LEASE_TIME_LSB) << 8;
    q->m[4] |= (what <= OFR_LEASE_TAKE_OVER ? (uint32_t)t->lease.session : 0) << 16;
    q->m[5] = t->lease.token;
}

// The same of OP_LEASE to all boards, by address or over directed routes.
static int lease_all(struct torus *t, unsigned what, const char *text)
{
    struct request lease = {.m = {0}};
    lease_request(t, &lease, what);
    unsigned arg = lease.m[0] >> 8 & 0xff;
    if (t->lease.single) {
        by_path(&lease, NULL, 0, 0, 0);
        lease_request(t, &lease, what);
        return ask(t, &lease, text);
    }
    if (!t->addressed)
        return write_boards(t, 0, t->board_count, OFR_OP_LEASE, arg, lease.m[4] >> 16, lease.m[5],
                            text);
    return ask_all(t, OFR_AGG_OR, OFR_OP_LEASE, arg, lease.m + 2, NULL, text);
}

// The first board: that with the lowest serial number or, where boards go by address only, that at
// the origin, which has it unless somebody else gave the coordinates; where boards are missing, of
// the others.
static unsigned first_board(const struct torus *t)
{
    unsigned first = 0;
    for (unsigned i = 1; i < t->board_count; i++)
        if (t->boards[i].serial < t->boards[first].serial)
            first = i;
    return first;
}

static void to_first(struct torus *t, struct request *q, unsigned op, unsigned arg, unsigned high,
                     uint32_t value)
{
    if (!t->lease.single && !t->addressed) {
        to_board(t, q, first_board(t), op, arg, high, value);
        return;
    }
    if (t->lease.single)
        by_path(q, NULL, 0, op, arg);
    else
        by_address(q, t->absent ? pack_at(t->boards[first_board(t)].at) : 0, op, arg);
    q->m[4] = high << 16;
    q->m[5] = value;
}

// A board that has no key refuses any, and needs none; one that has another refuses the lease then.
static int unlocked(struct torus *t, int error)
{
    return error == TORUS_E_LOCKED ? ok(t) : error;
}

static int unlock_first(struct torus *t)
{
    int error = TORUS_OK;
    for (unsigned half = 0; half < 2 && t->options.key && error == TORUS_OK; half++) {
        struct request q;
        to_first(t, &q, OFR_OP_UNLOCK, half, t->lease.token & 0xffff,
                 (uint32_t)(t->options.key >> 32 * half));
        error = unlocked(t, ask(t, &q, "unlock"));
    }
    return error;
}

static int unlock_all(struct torus *t)
{
    int error = TORUS_OK;
    for (unsigned half = 0; half < 2 && t->options.key && error == TORUS_OK; half++) {
        uint32_t word = (uint32_t)(t->options.key >> 32 * half), nonce = t->lease.token & 0xffff;
        uint32_t data[4] = {0, 0, nonce << 16, word};
        error = t->addressed ? ask_all(t, OFR_AGG_OR, OFR_OP_UNLOCK, half, data, NULL, "unlock")
                             : write_boards(t, 0, t->board_count, OFR_OP_UNLOCK, half, nonce, word,
                                            "unlock");
        error = unlocked(t, error);
    }
    return error;
}

// Who has it calls itself what? Adds it to the detail.
static void add_label(struct torus *t)
{
    char detail[WIDTH], label[9] = "", *rest;
    int error = TORUS_OK;
    snprintf(detail, sizeof detail, "%s", t->detail);
    rest = strchr(detail, ';');
    for (unsigned i = 0; i < 2 && error == TORUS_OK; i++) {
        struct request q;
        to_first(t, &q, OFR_OP_READ, 0, OFR_SEL_FIRMWARE | (OFR_FW_LABEL + i), 0);
        error = ask(t, &q, "read the label");
        for (unsigned j = 0; j < 4 && error == TORUS_OK; j++) {
            char c = (char)(q.r[5] >> 8 * j);
            label[4 * i + j] = c >= ' ' && c <= '~' ? c : 0;
        }
    }
    if (*label && rest)
        snprintf(t->detail, sizeof t->detail, "%.*s, and calls itself %.8s%.80s",
                 (int)(rest - detail), detail, label, rest);
    else
        snprintf(t->detail, sizeof t->detail, "%s", detail);
}

static int take_first(struct torus *t, unsigned what)
{
    int error = TORUS_E_LOCKED;
    for (unsigned i = 0; i < UNLOCK_TRIES && error == TORUS_E_LOCKED; i++) {
        struct request q, lease = {.m = {0}};
        error = unlock_first(t);
        if (error != TORUS_OK)
            return error;
        lease_request(t, &lease, what);
        to_first(t, &q, OFR_OP_LEASE, lease.m[0] >> 8 & 0xff, t->lease.behind, lease.m[5]);
        error = ask(t, &q, "take the write lease");
        if (error == TORUS_OK)
            t->lease.session = (uint16_t)(q.r[4] >> 16);
        if (!t->options.key)
            break;
    }
    if (error == TORUS_E_BUSY)
        add_label(t);
    if (error == TORUS_OK && !t->lease.session)
        error = fail(t, TORUS_E_PROTOCOL, "take the write lease: the board gave no session");
    return error;
}

static int by_serial(const void *a, const void *b)
{
    const struct torus_board *const *p = a, *const *q = b;
    return ((*p)->serial > (*q)->serial) - ((*p)->serial < (*q)->serial);
}

// Over directed routes, in the order of serial numbers.
static int take_in_order(struct torus *t, unsigned what)
{
    const struct torus_board **order = calloc(t->board_count, sizeof(const struct torus_board *));
    struct request *q = calloc(t->board_count, sizeof *q);
    int error = TORUS_E_MEMORY;
    if (order && q) {
        for (unsigned i = 0; i < t->board_count; i++)
            order[i] = &t->boards[i];
        qsort(order, t->board_count, sizeof *order, by_serial);
        for (unsigned i = 0; i < t->board_count; i++) {
            by_path(&q[i], order[i]->path, order[i]->hops, 0, 0);
            lease_request(t, &q[i], what);
        }
        error = ask_boards(t, q, t->board_count, "take the write lease");
    } else {
        fail(t, error, "out of memory");
    }
    free(order);
    free(q);
    return error;
}

static int take_rest(struct torus *t, unsigned what)
{
    int error = t->lease.single ? TORUS_OK : TORUS_E_LOCKED;
    for (unsigned i = 0; i < UNLOCK_TRIES && error == TORUS_E_LOCKED; i++) {
        error = unlock_all(t);
        if (error == TORUS_OK)
            error =
                t->addressed ? lease_all(t, what, "take the write lease") : take_in_order(t, what);
        if (!t->options.key)
            break;
    }
    return error;
}

// So that others know whose it is: where they ask first.
static int put_label(struct torus *t)
{
    const char *label = t->options.label ? t->options.label : getenv("USER");
    uint8_t bytes[8] = {0};
    int error = TORUS_OK;
    for (unsigned i = 0; label && i < sizeof bytes && label[i]; i++)
        bytes[i] = (uint8_t)label[i];
    for (unsigned i = 0; i < 2 && error == TORUS_OK; i++) {
        struct request q;
        if (!ofr_get32(bytes + 4 * i))
            continue;
        to_first(t, &q, OFR_OP_LEASE, OFR_LEASE_LABEL, i, ofr_get32(bytes + 4 * i));
        error = ask(t, &q, "put a label on the write lease");
    }
    return error;
}

// Now is when its time begins.
static int note_time(struct torus *t, double since)
{
    t->lease.since = since;
    return torus_read(t, NULL, OFR_NODE_TIME, &t->lease.cycle);
}

// Gives back what there is of it: not having it is what we want.
static int give_back(struct torus *t)
{
    int error = TORUS_OK;
    t->uncut++;
    if (t->lease.session && (t->lease.single || t->addressed || t->board_count))
        error = lease_all(t, OFR_LEASE_RELEASE, "give the write lease back");
    // A board is not configured any more, or a destination table may be in the way.
    bool left = error == TORUS_E_UNKNOWN;
    if ((left || error == TORUS_E_TIMEOUT) && !t->lease.single && t->addressed) {
        if (left && !t->board_count)
            torus_discover(t);
        t->addressed = false;
        if (t->board_count)
            error = lease_all(t, OFR_LEASE_RELEASE, "give the write lease back");
        t->addressed = !left;
    }
    t->uncut--;
    t->lease.behind = error == TORUS_OK || error == TORUS_E_LEASE ? 0 : t->lease.session;
    t->lease.session = 0;
    t->lease.kept = false;
    return error == TORUS_E_LEASE ? ok(t) : error;
}

static int take(struct torus *t, double seconds)
{
    unsigned what = t->options.take_over ? OFR_LEASE_TAKE_OVER : OFR_LEASE_TAKE;
    double since = monotonic();
    int error = read_clock(t);
    t->uncut++; // what has been taken is known only by its answer
    t->lease.session = 0;
    t->lease.single = !t->good && !t->gaps;
    if (!t->lease.behind) // else it is taken once more, by its owner
        t->lease.token = t->options.token ? t->options.token : random_word();
    t->lease.time = time_code(seconds);
    if (error == TORUS_OK)
        error = take_first(t, what);
    if (error == TORUS_OK)
        error = take_rest(t, what);
    t->lease.behind = error == TORUS_OK ? 0 : t->lease.behind;
    if (error == TORUS_OK)
        error = put_label(t);
    if (error == TORUS_OK)
        error = note_time(t, since);
    if (error == TORUS_OK) // many boards may have taken long
        error = lease_keep(t);
    t->uncut--;
    if (error != TORUS_OK && t->lease.session) {
        char detail[WIDTH];
        memcpy(detail, t->detail, sizeof detail);
        give_back(t);
        memcpy(t->detail, detail, sizeof detail);
    }
    if (error != TORUS_OK)
        t->lease.session = 0;
    return error;
}

static int renew(struct torus *t, double seconds)
{
    unsigned time = time_code(seconds);
    double since = monotonic();
    if (time > t->lease.time)
        t->lease.time = time;
    int error = lease_all(t, OFR_LEASE_RENEW, "renew the write lease");
    return error == TORUS_OK ? note_time(t, since) : error;
}

// Seconds left of it, at least. By our clock; where that says half is over, by the board's, which
// is what counts: a simulated one may be slower.
static int time_left(struct torus *t, double *left)
{
    double all = lease_seconds(t), passed = monotonic() - t->lease.since;
    uint32_t now;
    *left = all - passed;
    if (*left > all / 2)
        return TORUS_OK;
    int error = torus_read(t, NULL, OFR_NODE_TIME, &now);
    double by_board = (now - t->lease.cycle) / t->clock;
    if (all < 4294967296.0 / t->clock && by_board < passed) // else NODE.TIME may have gone round
        *left = all - by_board;
    return error;
}

int lease_begin(struct torus *t, double seconds)
{
    double left = 0;
    int error = TORUS_OK;
    seconds = seconds > default_time ? seconds : default_time;
    if (t->lease.session && t->lease.single && t->good) // now of all boards
        error = give_back(t);
    if (error != TORUS_OK)
        return error;
    if (!t->lease.session) {
        error = take(t, seconds);
    } else {
        error = time_left(t, &left);
        if (error == TORUS_OK && left < (seconds > default_time ? seconds : seconds / 2))
            error = renew(t, seconds);
    }
    t->lease.depth += error == TORUS_OK;
    return error;
}

int lease_keep(struct torus *t)
{
    double left;
    int error = time_left(t, &left);
    return error == TORUS_OK && left < lease_seconds(t) / 2 ? renew(t, 0) : error;
}

int lease_verify(struct torus *t)
{
    return renew(t, 0);
}

int lease_done(struct torus *t, int error)
{
    char detail[WIDTH];
    t->lease.depth--;
    if (t->lease.depth || (t->lease.kept && error != TORUS_E_LEASE))
        return error;
    memcpy(detail, t->detail, sizeof detail);
    int given = give_back(t);
    if (error == TORUS_OK)
        return given;
    memcpy(t->detail, detail, sizeof detail);
    return error;
}

API int torus_lease(struct torus *t, double seconds)
{
    if (!t->good && !t->gaps)
        return fail(t, TORUS_E_UNKNOWN, "discover the torus or attach to it first");
    if (!(seconds >= 0 && seconds <= 65536))
        return fail(t, TORUS_E_USAGE, "a lease of %g s: at most 65536", seconds);
    int error = lease_begin(t, seconds);
    if (error != TORUS_OK)
        return error;
    t->lease.kept = true;
    return lease_done(t, error);
}

API int torus_release(struct torus *t)
{
    return t->lease.session && !t->lease.depth ? give_back(t) : ok(t);
}

API int torus_owner(struct torus *t, struct torus_owner *out)
{
    struct request q;
    *out = (struct torus_owner){.session = 0};
    by_path(&q, NULL, 0, OFR_OP_READ4, 0);
    q.m[2] = OFR_SEL_FIRMWARE | OFR_FW_LEASE | (uint32_t)(OFR_SEL_FIRMWARE | OFR_FW_LABEL) << 16;
    q.m[3] = OFR_SEL_FIRMWARE | OFR_FW_LABEL2 | (uint32_t)(OFR_SEL_FIRMWARE | OFR_FW_LABEL2) << 16;
    int error = ask(t, &q, "ask who has the write lease");
    if (error != TORUS_OK)
        return error;
    out->session = (uint16_t)q.r[2];
    out->seconds = q.r[2] >> 16;
    for (unsigned i = 0; i < 8; i++) {
        char c = (char)(q.r[3 + i / 4] >> 8 * (i % 4));
        out->label[i] = c >= ' ' && c <= '~' ? c : 0;
    }
    return ok(t);
}

API int torus_write(struct torus *t, const uint8_t at[3], unsigned offset, uint32_t value)
{
    struct request q;
    if (at && !inside(t, at))
        return TORUS_E_USAGE;
    if (offset > 0xfff || offset % 4)
        return fail(t, TORUS_E_USAGE, "no register at offset 0x%x", offset);
    if (at)
        by_address(&q, pack_at(at), OFR_OP_WRITE, 0);
    else
        by_path(&q, NULL, 0, OFR_OP_WRITE, 0);
    q.m[4] = (uint32_t)offset << 16;
    q.m[5] = value;
    int error = lease_begin(t, 0);
    if (error != TORUS_OK)
        return error;
    return lease_done(t, ask(t, &q, "write a register"));
}

API int torus_set_key(struct torus *t, uint64_t key)
{
    if (!t->good)
        return fail(t, TORUS_E_UNKNOWN, "discover the torus or attach to it first");
    int error = lease_begin(t, 0);
    if (error != TORUS_OK)
        return error;
    t->uncut++; // not half of it
    for (unsigned half = 0; half < 2 && error == TORUS_OK; half++) {
        uint32_t word = (uint32_t)(key >> 32 * half), data[4] = {0, 0, 0, word};
        error = t->addressed
                    ? ask_all(t, OFR_AGG_OR, OFR_OP_KEY, half, data, NULL, "set the key")
                    : write_boards(t, 0, t->board_count, OFR_OP_KEY, half, 0, word, "set the key");
    }
    t->uncut--;
    if (error == TORUS_OK)
        t->options.key = key;
    return lease_done(t, error);
}

int stop_all(struct torus *t)
{
    t->uncut++;
    int error =
        t->addressed
            ? ask_all(t, OFR_AGG_OR, OFR_OP_START, 0, NULL, NULL, "stop the generators")
            : write_boards(t, 0, t->board_count, OFR_OP_START, 0, 0, 0, "stop the generators");
    t->uncut--;
    t->started &= error != TORUS_OK;
    return error;
}

API void torus_close(struct torus *t)
{
    if (!t)
        return;
    if ((t->lease.session || t->lease.behind || t->started) && t->transport.read) {
        if (t->options.timeout > 1)
            t->options.timeout = 1;
        t->options.take_over = false; // who has it now starts and stops what there is
        t->uncut++;
        if (!t->lease.session)
            lease_begin(t, 0);
        if (t->lease.session && t->started)
            stop_all(t);
        give_back(t);
    }
    share_end(t);
    if (t->transport.close)
        t->transport.close(t->transport.ctx);
    share_let_go(t);
    handle_free(t);
}
