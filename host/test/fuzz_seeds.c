// SPDX-License-Identifier: Apache-2.0
// fuzz_seeds DIR: what fake boards answer to each call of fuzz_calls.c, as inputs of fuzz_host.c,
// DIR/CALL.attached and DIR/CALL.discovered; so the fuzzer begins where all of an answer is parsed,
// whatever the protocol is today. A call that cannot be done either way: status 1.
// lint-flags: -Ihost/test
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake.h"
#include "fuzz_calls.h"
#include "protocol.h"

// The fuzzer's view of the wire.
static struct {
    struct torus_transport beneath;
    uint8_t request[OFR_FRAME_BYTES], answer[OFR_FRAME_BYTES];
    unsigned requested, answered;
    uint8_t input[1 << 16];
    size_t size;
} tape;

static void put(const void *from, size_t bytes)
{
    if (tape.size + bytes > sizeof tape.input)
        abort();
    memcpy(tape.input + tape.size, from, bytes);
    tape.size += bytes;
}

static void put_answer(void)
{
    const uint8_t *q = tape.request, *a = tape.answer;
    uint8_t kind = FUZZ_ANSWER;
    kind |= a[5] != OFR_OK ? FUZZ_STATUS : 0;
    kind |= memcmp(q + 10, a + 10, 2) ? FUZZ_NODES : 0;
    kind |= memcmp(q + 1, a + 1, 3) ? FUZZ_HEAD : 0;
    put(&kind, 1);
    if (kind & FUZZ_STATUS)
        put(a + 5, 1);
    if (kind & FUZZ_NODES)
        put(a + 10, 2);
    if (kind & FUZZ_HEAD)
        put(a + 1, 3);
    put(a + 12, 16);
}

static int tape_write(void *ctx, const void *from, size_t bytes, int milliseconds)
{
    for (size_t i = 0; i < bytes; i++)
        tape.request[tape.requested++ % OFR_FRAME_BYTES] = ((const uint8_t *)from)[i];
    return tape.beneath.write(ctx, from, bytes, milliseconds);
}

static int tape_read(void *ctx, void *to, size_t bytes, int milliseconds)
{
    int n = tape.beneath.read(ctx, to, bytes, milliseconds);
    for (int i = 0; i < n; i++) {
        tape.answer[tape.answered++ % OFR_FRAME_BYTES] = ((const uint8_t *)to)[i];
        if (tape.answered % OFR_FRAME_BYTES == 0)
            put_answer();
    }
    return n;
}

// DOR came to all boards but one: somebody was cut off in the middle of it.
static void cut_short(struct fake_fabric *f, struct torus *other)
{
    struct torus_preset preset = torus_preset_default(TORUS_DOR);
    struct fake_board *last = &f->board[f->boards - 1], was = *last;
    if (torus_program(other, &preset) != TORUS_OK)
        abort();
    *last = was;
}

// True: the call was done.
static bool record(const char *dir, unsigned call, unsigned how)
{
    struct fake_fabric *f = fake_new(2, 2, 1, true, 1);
    struct fake_wire wire = {f->board, -1}, far = {f->board + 3, -1};
    struct torus_options quick = torus_options_default(), options = fuzz_options();
    struct torus_preset preset = torus_preset_default(TORUS_ABR);
    struct torus *t, *other;
    char path[4096];
    f->clocks = true; // the same one
    f->lifetime = 40;
    for (unsigned i = 0; i < f->boards; i++) {
        f->board[i].serial = i + 1;
        f->board[i].rate = 1;
    }
    quick.timeout = 2;
    if (torus_open_transport(&other, fake_transport(&far), &quick) != TORUS_OK ||
        torus_discover(other) != TORUS_OK || torus_program(other, &preset) != TORUS_OK)
        abort();
    bool mends =
        strstr(fuzz_calls[call].name, "_resume") || strstr(fuzz_calls[call].name, "_abort");
    tape.size = tape.requested = tape.answered = 0;
    put((const uint8_t[]){(uint8_t)(how | FUZZ_DEBUG), (uint8_t)call}, 2);
    tape.beneath = fake_transport(&wire);
    if (torus_open_transport(&t, (struct torus_transport){tape_read, tape_write, NULL, &wire},
                             &options) != TORUS_OK)
        abort();
    // Boards that are mixed cannot be attached to, which is no reason not to call.
    if (mends) {
        cut_short(f, other);
        tape.input[0] |= FUZZ_ANYWAY;
    }
    int error = fuzz_begin(t, how);
    if (error == TORUS_OK || mends)
        error = fuzz_calls[call].go(t);
    bool done = error == TORUS_OK;
    torus_close(t);
    torus_close(other);
    fake_free(f);
    if (!done)
        return false;
    snprintf(path, sizeof path, "%s/%s.%s", dir, fuzz_calls[call].name,
             how & FUZZ_DISCOVER ? "discovered" : "attached");
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(tape.input, 1, tape.size, file) != tape.size || fclose(file) != 0) {
        perror(path);
        exit(2);
    }
    return true;
}

int main(int argc, char **argv)
{
    int status = 0;
    if (argc != 2) {
        fprintf(stderr, "fuzz_seeds: give a folder\n");
        return 2;
    }
    for (unsigned call = 0; call < fuzz_call_count; call++) {
        bool attached = record(argv[1], call, 0);
        bool discovered = record(argv[1], call, FUZZ_DISCOVER);
        if (attached || discovered)
            continue;
        fprintf(stderr, "fuzz_seeds: %s cannot be done on fake boards\n", fuzz_calls[call].name);
        status = 1;
    }
    return status;
}
