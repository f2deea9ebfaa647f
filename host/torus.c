// SPDX-License-Identifier: Apache-2.0
// Handles, transports, and the request engine: frames out, frames in, time-outs and retries.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <termios.h>
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

// A file descriptor as transport ------------------------------------------------------------------

struct stream {
    int fd;
    bool tty;
    struct termios before;
};

static int fd_wait(int fd, short events, int milliseconds)
{
    struct pollfd p = {.fd = fd, .events = events};
    int n = poll(&p, 1, milliseconds);
    return n < 0 && errno != EINTR ? -1 : n > 0;
}

static int fd_read(void *ctx, void *to, size_t bytes, int milliseconds)
{
    struct stream *s = ctx;
    int ready = fd_wait(s->fd, POLLIN, milliseconds);
    if (ready <= 0)
        return ready;
    ssize_t n = read(s->fd, to, bytes);
    if (n < 0)
        return errno == EAGAIN || errno == EINTR ? 0 : -1;
    return n == 0 ? -1 : (int)n;
}

static int fd_write(void *ctx, const void *from, size_t bytes, int milliseconds)
{
    struct stream *s = ctx;
    int ready = fd_wait(s->fd, POLLOUT, milliseconds);
    if (ready <= 0)
        return ready;
    ssize_t n = s->tty ? write(s->fd, from, bytes) : send(s->fd, from, bytes, MSG_NOSIGNAL);
    if (n < 0)
        return errno == EAGAIN || errno == EINTR ? 0 : -1;
    return (int)n;
}

static void fd_close(void *ctx)
{
    struct stream *s = ctx;
    if (s->tty)
        tcsetattr(s->fd, TCSANOW, &s->before);
    close(s->fd);
    free(s);
}

static int open_unix(struct torus *t, const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path)
        return fail(t, TORUS_E_USAGE, "unix:%s: the path is too long", path), -1;
    memcpy(address.sun_path, path, strlen(path));
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof address) < 0) {
        fail(t, TORUS_E_TRANSPORT, "unix:%s: %s; is the board or the simulator running?", path,
             strerror(errno));
        if (fd >= 0)
            close(fd);
        return -1;
    }
    return fd;
}

static int open_tty(struct torus *t, const char *path, struct termios *before)
{
    int fd = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return fail(t, TORUS_E_TRANSPORT, "%s: %s", path, strerror(errno)), -1;
    struct termios raw;
    if (tcgetattr(fd, before) < 0) {
        fail(t, TORUS_E_TRANSPORT, "%s: not a terminal device", path);
        close(fd);
        return -1;
    }
    raw = *before;
    cfmakeraw(&raw);
    raw.c_cflag |= CLOCAL | CREAD;
    tcsetattr(fd, TCSANOW, &raw);
    return fd;
}

// Handle ------------------------------------------------------------------------------------------

static struct torus *handle_new(const struct torus_options *options)
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
    if (!t->options.window)
        t->options.window = 4;
    if (t->options.window > 7)
        t->options.window = 7;
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

API int torus_open(struct torus **out, const char *where, const struct torus_options *options)
{
    struct torus *t = *out = handle_new(options);
    if (!t)
        return TORUS_E_MEMORY;
    struct stream *s = calloc(1, sizeof *s);
    if (!s)
        return fail(t, TORUS_E_MEMORY, "out of memory");
    if (!strncmp(where, "unix:", 5)) {
        s->fd = open_unix(t, where + 5);
    } else if (!strncmp(where, "tty:", 4) || !strncmp(where, "/dev/", 5)) {
        s->tty = true;
        s->fd = open_tty(t, where[0] == 't' ? where + 4 : where, &s->before);
    } else {
        free(s);
        return fail(t, TORUS_E_USAGE, "%s: say unix:PATH or tty:PATH", where);
    }
    if (s->fd < 0) {
        free(s);
        return TORUS_E_TRANSPORT;
    }
    t->transport = (struct torus_transport){fd_read, fd_write, fd_close, s};
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
    free(t->boards);
    free(t->faults);
    free(t);
}

// Messages ----------------------------------------------------------------------------------------

static void message(struct request *q, enum ofr_mode mode, unsigned op, unsigned arg)
{
    memset(q, 0, sizeof *q);
    q->mode = mode;
    q->m[0] = op | (uint32_t)arg << 8;
}

void by_path(struct request *q, const uint8_t *path, unsigned hops, unsigned op, unsigned arg)
{
    message(q, OFR_MODE_PATH, op, arg);
    q->m[1] = (uint32_t)hops << 21;
    for (unsigned i = 0; i < hops; i++)
        ofr_path_set(q->m, i, path[i]);
}

void by_address(struct request *q, uint32_t to, unsigned op, unsigned arg)
{
    message(q, OFR_MODE_ADDRESS, op, arg);
    q->to = to;
}

void to_all(struct request *q, enum ofr_aggregate aggregate, unsigned op, unsigned arg)
{
    message(q, OFR_MODE_COLLECTIVE, op, arg);
    q->aggregate = aggregate;
}

uint32_t pack_at(const uint8_t at[3])
{
    return at[0] | (uint32_t)at[1] << 4 | (uint32_t)at[2] << 8;
}

const char *port_name(unsigned port)
{
    static const char *const names[] = {"x+", "x-", "y+", "y-", "z+", "z-"};
    return port < 6 ? names[port] : "?";
}

unsigned torus_nodes(const struct torus *t)
{
    return (unsigned)t->k[0] * t->k[1] * t->k[2];
}

void node_at(const struct torus *t, unsigned node, uint8_t at[3])
{
    for (unsigned i = 0; i < 3; i++) {
        at[i] = (uint8_t)(node % t->k[i]);
        node /= t->k[i];
    }
}

// Where a request goes, for messages.
static const char *target(const struct torus *t, const struct request *q, char text[WIDTH])
{
    if (q->mode == OFR_MODE_ADDRESS) {
        snprintf(text, WIDTH, "board (%u,%u,%u)", q->to & 15, q->to >> 4 & 15, q->to >> 8);
    } else if (q->mode == OFR_MODE_COLLECTIVE) {
        if (q->status != OFR_PENDING || !t->k[0])
            return "all boards";
        uint8_t at[3];
        node_at(t, q->r[3], at);
        snprintf(text, WIDTH, "board (%u,%u,%u) or its row", at[0], at[1], at[2]);
    } else {
        unsigned hops = q->m[1] >> 21 & 31, n = 0;
        if (!hops)
            return "the board we are plugged into";
        n += (unsigned)snprintf(text, WIDTH, "the board behind");
        for (unsigned i = 0; i < hops; i++)
            n += (unsigned)snprintf(text + n, WIDTH - n, " %s", port_name(ofr_path_get(q->m, i)));
    }
    return text;
}

// Frames ------------------------------------------------------------------------------------------

static uint32_t crc32(const uint8_t *bytes, unsigned count)
{
    uint32_t crc = 0xffffffff;
    while (count--)
        crc = ofr_crc32_byte(crc, *bytes++);
    return ~crc;
}

static void put32(uint8_t *to, uint32_t value)
{
    for (unsigned i = 0; i < 4; i++)
        to[i] = (uint8_t)(value >> 8 * i);
}

static uint32_t get32(const uint8_t *from)
{
    return from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 | (uint32_t)from[3] << 24;
}

static int send_frame(struct torus *t, const struct request *q)
{
    uint8_t frame[OFR_FRAME_BYTES];
    put32(frame, OFR_FRAME_SYNC | (uint32_t)q->mode << 8 | (uint32_t)OFR_PROTOCOL_VERSION << 12 |
                     q->to << 16 | (uint32_t)q->aggregate << 28);
    for (unsigned i = 0; i < OFR_MESSAGE_WORDS; i++)
        put32(frame + 4 + 4 * i, q->m[i]);
    put32(frame + 28, crc32(frame, 28));
    double end = monotonic() + t->options.timeout;
    for (unsigned done = 0; done < sizeof frame;) {
        int n = t->transport.write(t->transport.ctx, frame + done, sizeof frame - done, 100);
        if (n < 0)
            return fail(t, TORUS_E_TRANSPORT, "the connection to the board broke");
        done += (unsigned)n;
        if (done < sizeof frame && monotonic() > end)
            return fail(t, TORUS_E_TIMEOUT, "the board takes no more bytes");
    }
    return TORUS_OK;
}

// Waits up to `milliseconds` for an intact frame. 1: words is it; 0: none; -1: broken.
static int receive_frame(struct torus *t, uint32_t words[OFR_FRAME_WORDS], int milliseconds)
{
    double end = monotonic() + milliseconds * 1e-3;
    for (;;) {
        if (t->rx_count == OFR_FRAME_BYTES) {
            if (t->rx[1] >> 4 == OFR_PROTOCOL_VERSION && get32(t->rx + 28) == crc32(t->rx, 28)) {
                for (unsigned i = 0; i < OFR_FRAME_WORDS; i++)
                    words[i] = get32(t->rx + 4 * i);
                t->rx_count = 0;
                return 1;
            }
            t->rx[0] = 0; // no frame starts here
        }
        unsigned skip = 0;
        while (skip < t->rx_count && t->rx[skip] != OFR_FRAME_SYNC)
            skip++;
        t->rx_count -= skip;
        memmove(t->rx, t->rx + skip, t->rx_count);
        double left = end - monotonic();
        int n = t->transport.read(t->transport.ctx, t->rx + t->rx_count,
                                  OFR_FRAME_BYTES - t->rx_count, left > 0 ? (int)(left * 1e3) : 0);
        if (n < 0)
            return -1;
        if (!n && monotonic() >= end)
            return 0;
        t->rx_count += (unsigned)n;
    }
}

// Requests ----------------------------------------------------------------------------------------

static void number(struct torus *t, struct request *q)
{
    if (!++t->seq)
        t->seq = 1;
    q->m[0] = (q->m[0] & 0xffff) | (uint32_t)t->session << 16;
    q->m[1] = (q->m[1] & 0xffff0000) | t->seq;
    if ((q->m[0] & 0xff) >= OFR_OP_WRITE && (q->m[0] & 0xff) <= OFR_OP_START)
        t->wrote = true;
}

static int transmit(struct torus *t, struct request *q)
{
    double now = monotonic();
    if (q->state == WAITING) {
        number(t, q);
        q->first = now;
        q->gap = 4 * t->round_trip > t->options.retry ? 4 * t->round_trip : t->options.retry;
        // After a request that had to be sent again its gap is kept (Karn): nobody knows which
        // sending was answered.
        if (t->kept_gap > q->gap)
            q->gap = t->kept_gap;
    } else {
        if (q->gap < 16 * t->options.retry)
            q->gap *= 2;
        q->resent = true;
    }
    q->state = SENT;
    q->sent = now;
    return send_frame(t, q);
}

// Gives a frame to the request it answers. True if that one is done.
static bool answer(struct torus *t, struct request *q, unsigned count, const uint32_t *frame)
{
    const uint32_t *m = frame + 1;
    for (unsigned i = 0; i < count; i++) {
        if (q[i].state != SENT ||
            (m[0] & 0xffff00ff) != ((q[i].m[0] & 0xffff007f) | OFR_RESPONSE) ||
            (m[1] & 0xffff) != (q[i].m[1] & 0xffff) || (frame[0] >> 8 & 15) != q[i].mode)
            continue;
        double now = monotonic();
        t->last_good = now;
        q[i].status = m[0] >> 8 & 0xff;
        if (q[i].status == OFR_PENDING) { // alive; the answer or our next look is to come
            memcpy(q[i].r, m, sizeof q[i].r);
            q[i].pending++;
            if (now - q[i].first > t->options.timeout)
                q[i].state = FAILED;
            return false;
        }
        if (!q[i].resent) {
            double trip = now - q[i].first;
            t->round_trip = t->round_trip > 0 ? 0.875 * t->round_trip + 0.125 * trip : trip;
            t->kept_gap = 0;
        } else {
            t->kept_gap = q[i].gap;
        }
        if (q[i].status == OFR_AGAIN) {
            // Not ready: ask anew (a new number: the answer to this one is AGAIN for good).
            q[i].state = WAITING;
            q[i].resent = false;
            return true;
        }
        memcpy(q[i].r, m, sizeof q[i].r);
        q[i].state = DONE;
        return true;
    }
    return false;
}

int exchange(struct torus *t, struct request *q, unsigned count)
{
    if (!t->transport.read)
        return fail(t, TORUS_E_TRANSPORT, "there is no connection");
    unsigned next = 0, failed = count;
    double again_until = monotonic() + t->options.timeout;
    t->last_good = monotonic();
    for (;;) {
        unsigned under_way = 0, open = 0;
        double now = monotonic(), wake = now + 1;
        for (unsigned i = 0; i < next; i++) {
            if (q[i].state == WAITING) { // told AGAIN
                if (now > again_until)
                    q[i].state = FAILED;
                else if (transmit(t, &q[i]) != TORUS_OK)
                    return TORUS_E_TRANSPORT;
            }
            if (q[i].state != SENT)
                continue;
            double since = q[i].first > t->last_good ? q[i].first : t->last_good;
            if (now - since > t->options.timeout) {
                q[i].state = FAILED;
                failed = i < failed ? i : failed;
                continue;
            }
            if (now - q[i].sent >= q[i].gap) {
                int error = transmit(t, &q[i]);
                if (error != TORUS_OK)
                    return error;
            }
            if (q[i].sent + q[i].gap < wake)
                wake = q[i].sent + q[i].gap;
            if (since + t->options.timeout < wake)
                wake = since + t->options.timeout;
            under_way++;
            open++;
        }
        while (next < count && under_way < t->options.window) {
            int error = transmit(t, &q[next++]);
            if (error != TORUS_OK)
                return error;
            under_way++;
            open++;
            wake = now;
        }
        if (!open && next == count)
            break;
        uint32_t frame[OFR_FRAME_WORDS];
        double left = wake - monotonic();
        int got = receive_frame(t, frame, left > 0 ? (int)(left * 1e3) + 1 : 1);
        if (got < 0)
            return fail(t, TORUS_E_TRANSPORT, "the connection to the board broke");
        if (got > 0)
            answer(t, q, next, frame);
    }
    if (failed == count)
        return ok(t);
    char text[WIDTH];
    return fail(t, TORUS_E_TIMEOUT,
                "no answer from %s in %g s; is it powered, cabled and running the firmware?",
                target(t, &q[failed], text), t->options.timeout);
}

int status_error(struct torus *t, const struct request *q, const char *what)
{
    char text[WIDTH];
    const char *where = target(t, q, text);
    if (q->status != OFR_OK && q->mode == OFR_MODE_COLLECTIVE && t->k[0]) {
        uint8_t at[3];
        node_at(t, q->r[1] >> 16, at);
        snprintf(text, WIDTH, "board (%u,%u,%u)", at[0], at[1], at[2]);
        where = text;
    }
    switch (q->status) {
    case OFR_OK:
        return ok(t);
    case OFR_BUSY:
        return fail(t, TORUS_E_BUSY,
                    "%s: session %u has the write lease of %s; wait, or take over from a dead one",
                    what, q->r[5] & 0xffff, where);
    case OFR_LOCKED:
        return fail(t, TORUS_E_LOCKED, "%s: %s has a key; give it with --key", what, where);
    case OFR_BUS_ERROR:
        return fail(t, TORUS_E_BOARD, "%s: %s refused a register access; is traffic running?", what,
                    where);
    case OFR_NOT_CONFIGURED:
        return fail(t, TORUS_E_UNKNOWN, "%s: the boards are not configured; run program first",
                    what);
    case OFR_BAD_CRC:
        return fail(t, TORUS_E_BOARD, "%s: table CRC of %s differs: it is 0x%08x", what, where,
                    q->r[5]);
    case OFR_NOT_STAGED:
        return fail(t, TORUS_E_BOARD, "%s: %s has no such table to commit", what, where);
    case OFR_LATE:
        return fail(t, TORUS_E_BOARD, "%s: too late at %s", what, where);
    case OFR_NO_LINK:
        return fail(t, TORUS_E_TIMEOUT, "%s: a link on the way to %s is down", what, where);
    case OFR_BAD_OP:
        return fail(t, TORUS_E_PROTOCOL, "%s: unknown to the firmware of %s", what, where);
    case OFR_MIXED:
        return fail(t, TORUS_E_MIXED, "%s: %s has a table of another generation (%u)", what, where,
                    q->r[5] & 0xffff);
    default:
        return fail(t, TORUS_E_BOARD, "%s: refused by %s, status %u", what, where, q->status);
    }
}

int ask(struct torus *t, struct request *q, const char *what)
{
    int error = exchange(t, q, 1);
    if (error != TORUS_OK) {
        char copy[WIDTH];
        snprintf(copy, sizeof copy, "%s", t->detail);
        return fail(t, error, "%s: %.180s", what, copy);
    }
    return status_error(t, q, what);
}

int ask_all(struct torus *t, enum ofr_aggregate aggregate, unsigned op, unsigned arg,
            const uint32_t data[4], uint32_t result[4], const char *what)
{
    struct request q;
    to_all(&q, aggregate, op, arg);
    if (data)
        memcpy(q.m + 2, data, 16);
    t->collectives++;
    int error = ask(t, &q, what);
    if (error == TORUS_OK && (q.r[1] >> 16) != torus_nodes(t))
        error = fail(t, TORUS_E_PROTOCOL, "%s: %u boards answered, there are %u", what,
                     q.r[1] >> 16, torus_nodes(t));
    if (error == TORUS_OK && result)
        memcpy(result, q.r + 2, 16);
    return error;
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
    struct request q;
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

API const char *torus_fault(const struct torus *t, unsigned i)
{
    return i < t->fault_count ? t->faults[i] : NULL;
}
