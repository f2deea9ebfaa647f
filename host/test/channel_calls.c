// SPDX-License-Identifier: Apache-2.0
// libtorus' channels, on the boards at argv[1], as calls: two at once, one of which nobody takes
// anything from; what is refused, and why; one that is broken, one that is closed. argv[2]: largest
// message in bytes. argv[3], argv[4]: one of so many frames from the boards, to them, is lost,
// damaged or repeated on the way, 0 none. argv[5]: of the long messages this length only, as a
// simulated RTL board takes minutes for all. TAP.
#include <libtorus.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static const char subject[] = "channels";
#include "calls.h"

enum { MOST = 4096 };

static const struct torus_end a = {{0, 0, 0}, 1}, b = {{1, 0, 0}, 2}, // a to b
    c = {{0, 0, 0}, 3}, d = {{1, 0, 0}, 0};                           // c to d

// A message of so many bytes goes there, and comes as it was.
static bool passes(const struct torus_end *from, const struct torus_end *to, size_t bytes)
{
    uint8_t out[MOST], in[MOST];
    size_t sent = 0, got = 0;
    bool whole = false;
    fill(out, bytes, 0);
    memset(in, 0, sizeof in);
    return torus_channel_send(t, from, out, bytes, 60, &sent) == TORUS_OK && sent == bytes &&
           torus_channel_recv(t, to, in, sizeof in, 60, &got, &whole) == TORUS_OK && whole &&
           got == bytes && memcmp(in, out, bytes) == 0;
}

// Messages of so many bytes from a to b, and back, at once: more than there is room for on the way.
static bool both_ways(size_t bytes)
{
    static uint8_t out[2][MOST], in[2][MOST];
    struct torus_message m[4] = {
        {.end = a, .data = out[0], .bytes = bytes, .other = 1},
        {.end = b, .take = true, .data = in[0], .bytes = bytes, .other = 0},
        {.end = b, .data = out[1], .bytes = bytes, .other = 3},
        {.end = a, .take = true, .data = in[1], .bytes = bytes, .other = 2},
    };
    for (size_t i = 0; i < bytes; i++) {
        out[0][i] = (uint8_t)(i * 5 + bytes);
        out[1][i] = (uint8_t)(i * 11 + bytes / 3);
    }
    memset(in, 0, sizeof in);
    return torus_messages(t, m, 4, 60) == TORUS_OK && memcmp(in[0], out[0], bytes) == 0 &&
           memcmp(in[1], out[1], bytes) == 0;
}

// Until there is no more room, as nobody takes anything: how many bytes.
static size_t fill_up(const struct torus_end *from)
{
    static const uint8_t zeros[32];
    size_t sent = 0, all = 0;
    int error = TORUS_OK;
    while (error == TORUS_OK && all < 4 * MOST) {
        error = torus_channel_send(t, from, zeros, sizeof zeros, 0, &sent);
        all += sent;
    }
    return error == TORUS_E_TIMEOUT ? all : 0;
}

static void refusals(void)
{
    struct torus_end outside = {{2, 0, 0}, 0}, none = {{1, 0, 0}, 8};
    struct torus_channel state;
    size_t n;
    says(torus_channel_open(t, &a, &outside, 1), TORUS_E_USAGE, "outside of the torus",
         "a node outside");
    says(torus_channel_open(t, &a, &none, 1), TORUS_E_USAGE, "ends 0 to 7",
         "an end that there is not");
    says(torus_channel_open(t, &a, &a, 1), TORUS_E_USAGE, "with itself", "an end with itself");
    says(torus_channel_send(t, &a, "x", 1, 1, &n), TORUS_E_USAGE, "torus_channel_open()",
         "an end that is not open");
    result(torus_channel_state(t, &a, &state) == TORUS_OK && state.free && !state.software &&
               !strcmp(state.state, "idle"),
           "and nothing is left of all that");
}

static void two_at_once(size_t largest, size_t only)
{
    struct torus_identity id;
    struct torus_channel state;
    bool good = true;
    result(torus_channel_open(t, &a, &b, 60) == TORUS_OK, "one is open");
    says(torus_channel_open(t, &c, &b, 1), TORUS_E_BOARD, "busy: open, with (0,0) end 1",
         "an end that another one has");
    result(torus_channel_state(t, &c, &state) == TORUS_OK && state.free,
           "which leaves ours as it was");
    result(torus_channel_open(t, &c, &d, 60) == TORUS_OK, "another one is");
    result(fill_up(&c) > 0, "nobody takes anything from it: at last there is no room");
    result(torus_channel_state(t, &d, &state) == TORUS_OK && state.waits && state.open,
           "what has come waits there");
    for (size_t bytes = 0; bytes <= largest && good; bytes++)
        good = passes(&a, &b, bytes);
    result(good, "meanwhile messages of every length go over the first one");
    result(passes(&b, &a, largest), "and back");
    static const size_t bulk[] = {100, 167, 168, 169, 191, 192, 193, 383, 384, 385, 576, 1000};
    for (unsigned i = 0; i < sizeof bulk / sizeof *bulk && good; i++)
        good = (only && only != bulk[i]) || both_ways(bulk[i]);
    result(good, "longer ones go both ways at once");
    result(torus_ping(t, d.at, &id) == TORUS_OK && id.at[0] == 1, "and management goes on");
}

static void ends(void)
{
    static uint8_t in[MOST];
    struct torus_channel state;
    size_t n;
    bool whole = true;
    says(torus_channel_recv(t, &b, in, 4, 0, &n, &whole), TORUS_E_TIMEOUT, "nothing comes",
         "nothing comes");
    says(torus_channel_recv(t, &b, in, 4, NAN, &n, &whole), TORUS_E_TIMEOUT, "nothing comes",
         "no number of seconds is no time, and not for ever");
    result(torus_channel_close(t, &a, 60) == TORUS_OK, "the first one is closed");
    result(torus_channel_recv(t, &b, in, sizeof in, 60, &n, &whole) == TORUS_OK && !n && !whole,
           "which the other end is told");
    says(torus_channel_send(t, &b, "x", 1, 1, &n), TORUS_E_FAILED, "is closed", "it takes no more");
    says(torus_channel_close(t, &c, 0), TORUS_E_TIMEOUT, "has not taken all",
         "the other one is not, until all is taken");
    result(torus_channel_abort(t, &d) == TORUS_OK, "it is aborted");
    says(torus_channel_send(t, &c, "x", 1, 1, &n), TORUS_E_FAILED, "aborted, the other end said",
         "which the other end is told");
    result(torus_channel_abort(t, &c) == TORUS_OK &&
               torus_channel_state(t, &d, &state) == TORUS_OK && state.free &&
               !strcmp(state.reason, "aborted"),
           "nothing is left of it");
    result(torus_channel_open(t, &c, &d, 60) == TORUS_OK && passes(&c, &d, 5) &&
               torus_channel_close(t, &d, 60) == TORUS_OK,
           "and both ends are joined anew");
}

// Is it, soon? The other end is told of an abort by a packet.
static bool is_free(const struct torus_end *e)
{
    struct torus_channel state = {0};
    for (unsigned i = 0; i < 100 && !state.free; i++)
        if (torus_channel_state(t, e, &state) != TORUS_OK)
            return false;
    return state.free;
}

// At the boards' pins is nobody: nothing is sent, and what comes is taken.
static void pins(void)
{
    struct torus_channel at[2];
    result(torus_channel_state(t, &a, &at[0]) == TORUS_OK && at[0].software &&
               torus_channel_release(t, &a) == TORUS_OK &&
               torus_channel_release(t, &b) == TORUS_OK &&
               torus_channel_state(t, &a, &at[0]) == TORUS_OK &&
               torus_channel_state(t, &b, &at[1]) == TORUS_OK && !at[0].software && !at[1].software,
           "ends go back to their pins");
    result(torus_channel_release(t, &a) == TORUS_OK, "again, which is nothing");
    result(torus_channel_join(t, &a, TORUS_PINS, &b, TORUS_PINS, 60) == TORUS_OK &&
               torus_channel_state(t, &a, &at[0]) == TORUS_OK &&
               torus_channel_state(t, &b, &at[1]) == TORUS_OK && at[0].open && at[1].open &&
               !at[0].software && !at[1].software && at[0].peer.end == b.end,
           "are joined there");
    size_t n;
    says(torus_channel_send(t, &a, "x", 1, 0, &n), TORUS_E_USAGE, "its pins', not software's",
         "and software sends nothing from them");
    says(torus_channel_open(t, &a, &d, 1), TORUS_E_BOARD, "busy", "nor opens them");
    result(torus_channel_close(t, &b, 60) == TORUS_OK &&
               torus_channel_state(t, &a, &at[0]) == TORUS_OK && at[0].free && at[0].reason &&
               !strcmp(at[0].reason, "closed"),
           "until they are closed");
    result(torus_channel_join(t, &a, TORUS_PINS, &b, TORUS_SOFTWARE, 60) == TORUS_OK &&
               torus_channel_state(t, &a, &at[0]) == TORUS_OK &&
               torus_channel_state(t, &b, &at[1]) == TORUS_OK && !at[0].software && at[1].software,
           "or the pins' with software's");
    says(torus_channel_release(t, &b), TORUS_E_BOARD, "busy: open", "which is not to be had now");
    result(torus_channel_abort(t, &b) == TORUS_OK && torus_channel_abort(t, &a) == TORUS_OK &&
               torus_channel_release(t, &b) == TORUS_OK &&
               torus_channel_state(t, &b, &at[1]) == TORUS_OK && !at[1].software,
           "but then");
    result(torus_channel_join(t, &a, TORUS_PINS, &b, TORUS_PINS, 60) == TORUS_OK &&
               torus_channel_abort(t, &a) == TORUS_OK && is_free(&a) && is_free(&b),
           "what the pins have is free again, aborted at one end");
    result(torus_channel_release(t, &c) == TORUS_OK &&
               torus_channel_join(t, &a, TORUS_PINS, &d, TORUS_PINS, 60) == TORUS_OK &&
               torus_channel_open(t, &c, &d, 1) == TORUS_E_BOARD &&
               torus_channel_state(t, &c, &at[0]) == TORUS_OK && !at[0].software &&
               torus_channel_open(t, &a, &c, 1) == TORUS_E_BOARD &&
               torus_channel_state(t, &c, &at[0]) == TORUS_OK && !at[0].software,
           "an end whose opening was refused, as the other one is busy, stays its pins'");
    result(torus_channel_abort(t, &d) == TORUS_OK && is_free(&a) &&
               torus_channel_open(t, &c, &d, 60) == TORUS_OK && passes(&c, &d, 5) &&
               torus_channel_close(t, &d, 60) == TORUS_OK,
           "until that is free");
    says(torus_channel_join(t, &a, TORUS_PINS, &b, (enum torus_channel_user)2, 1), TORUS_E_USAGE,
         "TORUS_PINS", "a user that there is not");
    struct torus_end none = {{1, 0, 0}, 8};
    says(torus_channel_release(t, &none), TORUS_E_USAGE, "ends 0 to 7", "an end that there is not");
}

// ---- A line that loses frames, to boards at unix:PATH -------------------------------------------

// Frames one way: one of so many, drawn, is lost, damaged, or there twice.
struct way {
    unsigned every;
    uint32_t random;
};

struct lossy {
    int socket;
    struct way from, to; // the boards
    uint8_t frame[64];   // from them
    size_t come, given, whole;
};

enum fate { PASSES, LOST, DAMAGED, TWICE };

static enum fate fate_of(struct way *w)
{
    w->random = w->random * 1664525 + 1013904223;
    return !w->every || (w->random >> 16) % w->every ? PASSES : LOST + (w->random >> 8) % 3;
}

static void damage(const struct way *w, uint8_t *frame)
{
    frame[w->random >> 27] ^= (uint8_t)(1 << (w->random >> 24 & 7));
}

static int lossy_read(void *ctx, void *to, size_t bytes, int milliseconds)
{
    struct lossy *l = ctx;
    struct pollfd wait = {.fd = l->socket, .events = POLLIN};
    if (!l->whole) {
        if (poll(&wait, 1, milliseconds) != 1)
            return 0;
        ssize_t n = read(l->socket, l->frame + l->come, 32 - l->come);
        if (n <= 0)
            return -1;
        l->come += (size_t)n;
        if (l->come < 32)
            return 0;
        l->come = 0;
        enum fate fate = fate_of(&l->from);
        if (fate == LOST)
            return 0;
        if (fate == DAMAGED)
            damage(&l->from, l->frame);
        memcpy(l->frame + 32, l->frame, 32);
        l->whole = fate == TWICE ? 64 : 32;
    }
    size_t n = l->whole - l->given < bytes ? l->whole - l->given : bytes;
    memcpy(to, l->frame + l->given, n);
    l->given += n;
    if (l->given == l->whole)
        l->whole = l->given = 0;
    return (int)n;
}

static bool write_frame(const struct lossy *l, const uint8_t frame[32])
{
    for (size_t done = 0; done < 32;) {
        ssize_t n = write(l->socket, frame + done, 32 - done);
        if (n <= 0)
            return false;
        done += (size_t)n;
    }
    return true;
}

// The library writes whole frames, some at once.
static int lossy_write(void *ctx, const void *from, size_t bytes, int milliseconds)
{
    struct lossy *l = ctx;
    (void)milliseconds;
    for (size_t at = 0; at + 32 <= bytes; at += 32) {
        uint8_t frame[32];
        memcpy(frame, (const uint8_t *)from + at, 32);
        enum fate fate = fate_of(&l->to);
        if (fate == DAMAGED)
            damage(&l->to, frame);
        if ((fate != LOST && !write_frame(l, frame)) || (fate == TWICE && !write_frame(l, frame)))
            return -1;
    }
    return (int)bytes;
}

static void lossy_close(void *ctx)
{
    struct lossy *l = ctx;
    close(l->socket);
}

static int open_lossy(const char *where, unsigned from, unsigned to_them)
{
    static struct lossy l;
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    struct torus_options options = torus_options_default();
    options.retry = 0.02;
    snprintf(to.sun_path, sizeof to.sun_path, "%s",
             strchr(where, ':') ? strchr(where, ':') + 1 : "");
    l = (struct lossy){
        .socket = socket(AF_UNIX, SOCK_STREAM, 0), .from = {from, 1}, .to = {to_them, 2}};
    if (from + to_them < 2 || l.socket < 0 || connect(l.socket, (struct sockaddr *)&to, sizeof to))
        return TORUS_E_TRANSPORT;
    return torus_open_transport(
        &t, (struct torus_transport){lossy_read, lossy_write, lossy_close, &l}, &options);
}

int main(int argc, char **argv)
{
    size_t largest = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
    unsigned from = argc > 3 ? (unsigned)strtoul(argv[3], NULL, 10) : 0;
    unsigned to = argc > 4 ? (unsigned)strtoul(argv[4], NULL, 10) : 0;
    size_t only = argc > 5 ? strtoul(argv[5], NULL, 10) : 0;
    int error = argc < 3     ? TORUS_E_USAGE
                : from || to ? open_lossy(argv[1], from, to)
                             : torus_open(&t, argv[1], NULL);
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (error == TORUS_OK)
        error = torus_attach(t);
    if (error != TORUS_OK) {
        fprintf(stderr, "channel_calls: %s\n",
                t ? torus_detail(t) : "WHERE BYTES [FROM [TO [ONLY]]]");
        torus_close(t);
        return 2;
    }
    refusals();
    two_at_once(largest, only);
    ends();
    pins();
    printf("1..%d\n", number);
    torus_close(t);
    return failures != 0;
}
