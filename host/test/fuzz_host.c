// SPDX-License-Identifier: Apache-2.0
// libtorus under a fuzzer: what a board may answer. fuzz_calls.h says what an input is: what is
// asked of the library, whether it begins with a torus that is known, and what comes back. When
// that is used up the connection breaks. Every call must come back with success or an error and its
// line; and at the end it is said which never had success, so that what parses the last of its
// answers was not reached. Time is made up: it goes by when nothing comes, and a little when it is
// looked at.
// lint-flags: -Ihost/test -Ihost/torusctl
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ctl.h"
#include "fuzz_calls.h"
#include "measure.h"

struct wire {
    const uint8_t *data;
    size_t size;
    uint8_t request[OFR_FRAME_BYTES], answer[OFR_FRAME_BYTES];
    unsigned requested, left; // bytes of the request so far; of the answer still to be read
};

static uint64_t nanoseconds;
static unsigned done[256]; // calls with success

// In place of the C library's, in all that is linked (host.mk).
int fuzz_clock(clockid_t which, struct timespec *now);
int fuzz_sleep(const struct timespec *wanted, struct timespec *left);

int fuzz_clock(clockid_t which, struct timespec *now)
{
    (void)which;
    nanoseconds += 500;
    now->tv_sec = (time_t)(nanoseconds / 1000000000);
    now->tv_nsec = (long)(nanoseconds % 1000000000);
    return 0;
}

int fuzz_sleep(const struct timespec *wanted, struct timespec *left)
{
    nanoseconds += (uint64_t)wanted->tv_sec * 1000000000 + (uint64_t)wanted->tv_nsec;
    if (left)
        *left = (struct timespec){0};
    return 0;
}

static int wire_write(void *ctx, const void *from, size_t bytes, int milliseconds)
{
    struct wire *w = ctx;
    (void)milliseconds;
    for (size_t i = 0; i < bytes; i++)
        w->request[w->requested++ % OFR_FRAME_BYTES] = ((const uint8_t *)from)[i];
    return (int)bytes;
}

static size_t next(struct wire *w, uint8_t *to, size_t bytes)
{
    size_t n = w->size < bytes ? w->size : bytes;
    memcpy(to, w->data, n);
    w->data += n;
    w->size -= n;
    return n;
}

static void next_answer(struct wire *w, unsigned kind)
{
    uint8_t *a = w->answer;
    memcpy(a, w->request, sizeof w->answer);
    a[4] |= OFR_RESPONSE;
    a[5] = OFR_OK;
    if (kind & FUZZ_STATUS)
        next(w, a + 5, 1);
    if (kind & FUZZ_NODES)
        next(w, a + 10, 2);
    if (kind & FUZZ_HEAD)
        next(w, a + 1, 3);
    next(w, a + 12, 16);
    if (!(kind & FUZZ_VERSION))
        a[1] = (uint8_t)((a[1] & 15) | OFR_PROTOCOL_VERSION << 4);
    ofr_put32(a + OFR_FRAME_BYTES - 4, ofr_crc32(a, OFR_FRAME_BYTES - 4));
    w->left = OFR_FRAME_BYTES;
}

static int wire_read(void *ctx, void *to, size_t bytes, int milliseconds)
{
    struct wire *w = ctx;
    uint8_t kind = 0;
    if (!w->left) {
        if (!next(w, &kind, 1))
            return -1;
        if (kind & FUZZ_ANSWER) {
            next_answer(w, kind);
        } else if (kind & FUZZ_SILENCE) {
            nanoseconds += (uint64_t)milliseconds * 1000000;
            return 0;
        } else {
            w->left = (unsigned)next(w, w->answer, (kind >> 3) + 1);
            memmove(w->answer + OFR_FRAME_BYTES - w->left, w->answer, w->left);
            if (!w->left)
                return -1;
        }
    }
    size_t n = w->left < bytes ? w->left : bytes;
    memcpy(to, w->answer + OFR_FRAME_BYTES - w->left, n);
    w->left -= (unsigned)n;
    return (int)n;
}

// A 2x2 torus that was attached to or, so that its boards are known, discovered; programmed.
static void know(struct torus *t, bool discovered)
{
    t->dims = 2;
    t->k[0] = t->k[1] = 2;
    t->k[2] = 1;
    t->slots = 8;
    t->slot_flits = 16;
    t->flit_bytes = 2;
    t->generator = t->checker = t->pins = t->good = t->addressed = true;
    t->attached = !discovered;
    t->clock = 5e7;
    t->generation = 1;
    t->preset = torus_preset_default(TORUS_OFR);
    t->traffic = TORUS_DEROUTE;
    if (!discovered)
        return;
    t->boards = calloc(4, sizeof *t->boards);
    t->board_count = t->board_room = 4;
    for (unsigned i = 0; i < 4; i++)
        t->boards[i] = (struct torus_board){.serial = i + 1,
                                            .dims = 2,
                                            .placed = true,
                                            .at = {i & 1, i >> 1},
                                            .hops = i > 0,
                                            .path = {i & 1 ? 0 : 2}};
}

static void say_never(void)
{
    for (unsigned i = 0; i < fuzz_call_count; i++)
        if (!done[i])
            printf("never done: %s\n", fuzz_calls[i].name);
    fflush(stdout);
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    stderr = fopen("/dev/null", "w"); // debug_frame()'s; the fuzzer has its own by now
    return !stderr || atexit(say_never) != 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct torus_options options = fuzz_options();
    struct torus *t;
    uint64_t sum = 0;
    if (size < 2)
        return 0;
    struct wire w = {.data = data + 2, .size = size - 2};
    unsigned how = data[0], call = data[1] % fuzz_call_count;
    if (how & FUZZ_DEBUG)
        options.frame = debug_frame;
    nanoseconds = 1000000000;
    if (torus_open_transport(&t, (struct torus_transport){wire_read, wire_write, NULL, &w},
                             &options) != TORUS_OK)
        abort();
    int error = TORUS_OK;
    if (how & FUZZ_KNOWN)
        know(t, how & FUZZ_DISCOVER);
    else
        error = fuzz_begin(t, how);
    if (error == TORUS_OK || how & FUZZ_ANYWAY) {
        error = fuzz_calls[call].go(t);
        done[call] += error == TORUS_OK;
    }
    if ((error != TORUS_OK) != (*torus_detail(t) != 0))
        abort();
    for (unsigned i = 0; torus_fault(t, i); i++)
        sum += (unsigned char)torus_fault(t, i)[0];
    torus_close(t);
    return sum > UINT64_MAX / 2;
}
