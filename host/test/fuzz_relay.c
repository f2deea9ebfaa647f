// SPDX-License-Identifier: Apache-2.0
// What torusctl serve passes on (torusctl/relay.h) under a fuzzer: clients come and go and send
// what they like, the board answers what it likes, and time goes by. An input is steps: a byte that
// says what (bits 2:0) and who or how much (7:3), then its data. What a client gets must be intact,
// and an answer to what it has asked since it came; what the board gets too, under a number that
// nothing else has that it could still answer. At the end it is said which kind of frame never came
// through.
// lint-flags: -Ihost/torusctl
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "relay.h"

enum { CLIENTS = 4, ASKED = 256, SENT = 64 };
enum step { JOIN, LEAVE, BYTES, REQUEST, NOISE, ANSWER, TIME, READ };

// Frames that a client has asked with since it came.
struct user {
    int id; // -1: not there
    uint8_t asked[ASKED][OFR_FRAME_BYTES];
    unsigned count, used; // modulo ASKED; how far into `in`
    uint8_t in[OFR_FRAME_BYTES];
    // The same as relay.c's eyes: where in a stream of bytes frames are.
    uint8_t out[OFR_FRAME_BYTES];
    unsigned out_count;
};

struct scene {
    struct relay *r;
    struct user user[CLIENTS];
    uint8_t sent[SENT][OFR_FRAME_BYTES]; // to the board
    unsigned sent_count;
    double now;
    const uint8_t *data;
    size_t size;
};

static unsigned long requests, answers, pending, refused, again, gone;

static void must(bool so, const char *what)
{
    if (so)
        return;
    fprintf(stderr, "fuzz_relay: %s\n", what);
    abort();
}

static size_t next(struct scene *s, uint8_t *to, size_t bytes)
{
    size_t n = s->size < bytes ? s->size : bytes;
    memset(to, 0, bytes);
    memcpy(to, s->data, n);
    s->data += n;
    s->size -= n;
    return n;
}

static void seal(uint8_t *frame)
{
    ofr_put32(frame + 28, ofr_crc32(frame, 28));
}

// What the client has sent, as a board would find frames in it.
static void note(struct user *u, uint8_t byte)
{
    u->in[u->used++] = byte;
    while (u->used && u->in[0] != OFR_FRAME_SYNC)
        memmove(u->in, u->in + 1, --u->used);
    while (u->used == OFR_FRAME_BYTES) {
        if (ofr_get32(u->in + 28) == ofr_crc32(u->in, 28)) {
            memcpy(u->asked[u->count++ % ASKED], u->in, OFR_FRAME_BYTES);
            u->used = 0;
            return;
        }
        do
            memmove(u->in, u->in + 1, --u->used);
        while (u->used && u->in[0] != OFR_FRAME_SYNC);
    }
}

static void from_client(struct scene *s, struct user *u, const uint8_t *bytes, size_t count)
{
    size_t taken = relay_from_client(s->r, u->id, bytes, count);
    must(taken <= count, "more bytes taken than there are");
    for (size_t i = 0; i < taken; i++)
        note(u, bytes[i]);
}

static bool asked(const struct user *u, const uint8_t *frame)
{
    unsigned n = u->count < ASKED ? u->count : ASKED;
    for (unsigned i = 0; i < n; i++) {
        const uint8_t *q = u->asked[i];
        if ((frame[4] & 0x7f) == (q[4] & 0x7f) && !memcmp(frame + 6, q + 6, 4))
            return true;
    }
    return false;
}

static void to_client(struct scene *s, struct user *u, size_t most)
{
    const uint8_t *bytes;
    size_t count = relay_for_client(s->r, u->id, &bytes);
    count = count < most ? count : most;
    for (size_t i = 0; i < count; i++) {
        u->out[u->out_count++] = bytes[i];
        if (u->out_count < OFR_FRAME_BYTES)
            continue;
        u->out_count = 0;
        must(ofr_get32(u->out + 28) == ofr_crc32(u->out, 28), "a damaged frame for a client");
        must(u->out[4] & OFR_RESPONSE, "a client is asked");
        must(asked(u, u->out), "an answer to what somebody else has asked");
        answers++;
        pending += u->out[5] == OFR_PENDING;
        refused += u->out[5] == OFR_BAD_VERSION;
    }
    relay_got(s->r, u->id, count);
}

static void to_board(struct scene *s)
{
    uint8_t frame[OFR_FRAME_BYTES];
    double wake;
    while (relay_to_board(s->r, s->now, frame, &wake)) {
        must(ofr_get32(frame + 28) == ofr_crc32(frame, 28), "a damaged frame for the board");
        must(frame[8] || frame[9], "a request without a number");
        unsigned n = s->sent_count < SENT ? s->sent_count : SENT;
        for (unsigned i = 0; i < n; i++) {
            const uint8_t *q = s->sent[i];
            bool same = !memcmp(q, frame, OFR_FRAME_BYTES);
            again += same;
            must(same || memcmp(q + 8, frame + 8, 2) != 0, "one number for two requests");
        }
        memcpy(s->sent[s->sent_count++ % SENT], frame, OFR_FRAME_BYTES);
        requests++;
    }
    must(wake > s->now, "nothing can go, but it is time to look again");
}

static void act(struct scene *s, unsigned step, unsigned arg)
{
    struct user *u = &s->user[arg % CLIENTS];
    uint8_t bytes[OFR_FRAME_BYTES];
    size_t n;
    switch ((enum step)step) {
    case JOIN:
        if (u->id >= 0)
            return;
        memset(u, 0, sizeof *u);
        u->id = relay_join(s->r);
        must(u->id >= 0, "no place for a client");
        return;
    case LEAVE:
        if (u->id < 0)
            return;
        relay_leave(s->r, u->id);
        u->id = -1;
        gone++;
        return;
    case BYTES:
        n = next(s, bytes, arg + 1);
        if (u->id >= 0)
            from_client(s, u, bytes, n);
        return;
    case REQUEST: // mode, operation, number, payload; bit 4: another version
        next(s, bytes, 4);
        {
            uint8_t frame[OFR_FRAME_BYTES] = {OFR_FRAME_SYNC, bytes[0], 0, 0, bytes[1], 0, 7, 0,
                                              bytes[2]};
            frame[1] = (uint8_t)((bytes[0] & 15) | (OFR_PROTOCOL_VERSION + (arg >> 4)) << 4);
            frame[12] = bytes[3];
            seal(frame);
            if (u->id >= 0)
                from_client(s, u, frame, sizeof frame);
        }
        return;
    case NOISE:
        n = next(s, bytes, arg + 1);
        relay_from_board(s->r, bytes, n, s->now);
        return;
    case ANSWER: // to one of the last 32: status, mode and version
        next(s, bytes, 2);
        if (arg < s->sent_count) {
            uint8_t frame[OFR_FRAME_BYTES];
            memcpy(frame, s->sent[(s->sent_count - 1 - arg) % SENT], sizeof frame);
            frame[1] ^= bytes[1];
            frame[4] |= OFR_RESPONSE;
            frame[5] = bytes[0];
            seal(frame);
            relay_from_board(s->r, frame, sizeof frame, s->now);
        }
        return;
    case TIME:
        s->now += arg * arg * 0.01;
        return;
    case READ:
        if (u->id >= 0)
            to_client(s, u, (size_t)(arg / CLIENTS + 1) * 21);
        return;
    }
}

// All are gone: the next one is not kept back by what they have left behind.
static void nobody_is_kept_back(struct scene *s)
{
    unsigned long before = requests;
    for (unsigned i = 0; i < CLIENTS; i++)
        act(s, LEAVE, i);
    act(s, JOIN, 0);
    static const uint8_t frame[] = {OFR_MODE_COLLECTIVE, OFR_OP_PING, 1, 0};
    s->data = frame;
    s->size = sizeof frame;
    act(s, REQUEST, 0);
    to_board(s);
    must(requests == before + 1, "somebody who has gone keeps others back");
}

static void say_never(void)
{
    if (!requests || !answers || !pending || !refused || !again || !gone)
        printf("never done: %lu requests, %lu answers, %lu pending, %lu of another version, %lu "
               "again, %lu gone\n",
               requests, answers, pending, refused, again, gone);
    fflush(stdout);
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    return atexit(say_never) != 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct scene s;
    uint8_t step;
    memset(&s, 0, sizeof s);
    s.data = data;
    s.size = size;
    s.r = relay_new(1 + (size ? data[size - 1] % 7 : 0));
    if (!s.r)
        abort();
    for (unsigned i = 0; i < CLIENTS; i++)
        s.user[i].id = -1;
    while (next(&s, &step, 1)) {
        act(&s, step & 7, step >> 3);
        to_board(&s);
    }
    for (unsigned i = 0; i < CLIENTS; i++)
        if (s.user[i].id >= 0)
            to_client(&s, &s.user[i], SIZE_MAX);
    nobody_is_kept_back(&s);
    relay_free(s.r);
    return 0;
}
