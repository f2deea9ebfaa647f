// SPDX-License-Identifier: Apache-2.0
// Handles, errors, single boards, lease and key.
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "internal.h"

// Errors ------------------------------------------------------------------------------------------

int fail(struct torus *t, int error, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(t->detail, sizeof t->detail, format, args);
    va_end(args);
    return error;
}

int ok(struct torus *t)
{
    t->detail[0] = 0;
    return TORUS_OK;
}

API const char *torus_strerror(int error)
{
    static const char *const text[] = {
        [TORUS_OK] = "success",
        [TORUS_E_USAGE] = "wrong argument",
        [TORUS_E_TRANSPORT] = "no connection",
        [TORUS_E_TIMEOUT] = "no answer",
        [TORUS_E_PROTOCOL] = "protocol error",
        [TORUS_E_BUSY] = "another session has the write lease",
        [TORUS_E_LOCKED] = "the boards have a key",
        [TORUS_E_MISCABLED] = "not cabled as a torus",
        [TORUS_E_UNKNOWN] = "not programmed",
        [TORUS_E_MIXED] = "mixed table generations",
        [TORUS_E_BOARD] = "refused by a board",
        [TORUS_E_FAILED] = "check failed",
        [TORUS_E_MEMORY] = "out of memory",
    };
    if (error < 0 || (size_t)error >= sizeof text / sizeof *text)
        return "unknown error";
    return text[error];
}

API const char *torus_detail(const struct torus *t)
{
    return t ? t->detail : "out of memory";
}

API uint16_t torus_session(const struct torus *t)
{
    return t->session;
}

double monotonic(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void pause_seconds(double seconds)
{
    struct timespec wait = {.tv_sec = (time_t)seconds};
    wait.tv_nsec = (long)(1e9 * (seconds - (double)wait.tv_sec));
    nanosleep(&wait, NULL);
}

// Handle ------------------------------------------------------------------------------------------

struct torus *handle_new(const struct torus_options *options)
{
    struct torus *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    if (options)
        t->options = *options;
    if (!(t->options.timeout > 0))
        t->options.timeout = 30;
    if (!(t->options.retry > 0))
        t->options.retry = 0.5;
    t->window_wanted = t->options.window > 0;
    if (!t->options.window)
        t->options.window = 4;
    if (t->options.window > MAX_WINDOW)
        t->options.window = MAX_WINDOW;
    t->session = t->options.session;
    while (!t->session)
        if (getrandom(&t->session, sizeof t->session, 0) != sizeof t->session)
            t->session = (uint16_t)(getpid() | 1);
    return t;
}

API int torus_open_transport(struct torus **out, struct torus_transport transport,
                             const struct torus_options *options)
{
    *out = handle_new(options);
    if (!*out)
        return TORUS_E_MEMORY;
    (*out)->transport = transport;
    return TORUS_OK;
}

API void torus_close(struct torus *t)
{
    if (!t)
        return;
    if (t->wrote && t->transport.read) {
        if (t->options.timeout > 1)
            t->options.timeout = 1;
        torus_release(t);
    }
    if (t->transport.close)
        t->transport.close(t->transport.ctx);
    clocks_forget(t);
    free(t->boards);
    free(t->faults);
    free(t);
}

// Single boards -----------------------------------------------------------------------------------

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

static bool inside(struct torus *t, const uint8_t at[3])
{
    for (unsigned i = 0; i < 3; i++)
        if (at[i] > 15 || (t->k[i] && at[i] >= t->k[i])) {
            fail(t, TORUS_E_USAGE, "(%u,%u,%u) is outside of the torus", at[0], at[1], at[2]);
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

API int torus_read(struct torus *t, const uint8_t at[3], unsigned offset, uint32_t *value)
{
    struct request q;
    if (at && !inside(t, at))
        return TORUS_E_USAGE;
    if (offset > 0xfff || offset % 4)
        return fail(t, TORUS_E_USAGE, "no register at offset 0x%x", offset);
    if (at)
        by_address(&q, pack_at(at), OFR_OP_READ, 0);
    else
        by_path(&q, NULL, 0, OFR_OP_READ, 0);
    q.m[4] = (OFR_SEL_NODE | offset) << 16;
    int error = ask(t, &q, "read a register");
    if (error == TORUS_OK)
        *value = q.r[5];
    return error;
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
    return ask(t, &q, "write a register");
}

// Lease and key -----------------------------------------------------------------------------------

// Takes the lease of one board, as mode and key want it. q: the target is set.
static int lease_one(struct torus *t, struct request *q, unsigned log2_cycles)
{
    struct request base = *q;
    if (t->options.key) {
        q->m[0] = (base.m[0] & ~0xffffu) | OFR_OP_UNLOCK;
        q->m[4] = (uint32_t)t->options.key;
        q->m[5] = (uint32_t)(t->options.key >> 32);
        return ask(t, q, "unlock");
    }
    q->m[0] = (base.m[0] & ~0xffffu) | OFR_OP_LEASE | (t->options.take_over ? 2u << 8 : 0);
    q->m[4] = (q->m[4] & 0xffff) | (uint32_t)t->options.take_over << 16;
    q->m[5] = log2_cycles;
    return ask(t, q, "take the lease");
}

API int torus_lease(struct torus *t, unsigned log2_cycles)
{
    if (log2_cycles > 30)
        return fail(t, TORUS_E_USAGE, "a lease of 2^%u cycles: at most 30", log2_cycles);
    if (!t->good)
        return fail(t, TORUS_E_UNKNOWN, "discover the torus or attach to it first");
    // Of two sessions that begin at the same time the node at the origin decides.
    struct request q;
    by_address(&q, 0, 0, 0);
    int error = lease_one(t, &q, log2_cycles);
    if (error != TORUS_OK)
        return error;
    to_all(&q, OFR_AGG_OR, 0, 0);
    t->collectives++;
    return lease_one(t, &q, log2_cycles);
}

API int torus_release(struct torus *t)
{
    if (!t->good)
        return ok(t);
    int error = ask_all(t, OFR_AGG_OR, OFR_OP_LEASE, 1, NULL, NULL, "release the lease");
    // A session that was refused has leases on none or some; not having them is what we want.
    if (error == TORUS_E_BUSY)
        error = ok(t);
    if (error == TORUS_OK)
        t->wrote = false;
    return error;
}

API int torus_set_key(struct torus *t, uint64_t key)
{
    int error = torus_lease(t, 0);
    if (error != TORUS_OK)
        return error;
    uint32_t data[4] = {0, 0, (uint32_t)key, (uint32_t)(key >> 32)};
    error = ask_all(t, OFR_AGG_OR, OFR_OP_KEY, 0, data, NULL, "set the key");
    if (error == TORUS_OK)
        t->options.key = key;
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
