// SPDX-License-Identifier: Apache-2.0
// libtorus under a fuzzer: what a board may answer. The fuzzer's first byte says what is asked of
// the library, and whether it begins with a torus that is known; the others are steps: raw bytes,
// or an answer to the last request with the fuzzer's status and data, or the same with other fields
// wrong. When they are used up the connection breaks. Every call must come back with success or an
// error and its line.
#include <stdlib.h>
#include <string.h>

#include "measure.h"

struct wire {
    const uint8_t *data;
    size_t size;
    uint8_t request[OFR_FRAME_BYTES], answer[OFR_FRAME_BYTES];
    unsigned requested, left; // bytes of the request so far; of the answer still to be read
};

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

static int wire_read(void *ctx, void *to, size_t bytes, int milliseconds)
{
    struct wire *w = ctx;
    uint8_t kind = 0;
    (void)milliseconds;
    if (!w->left) {
        if (!next(w, &kind, 1))
            return -1;
        if (!(kind & 7)) {
            w->left = (unsigned)next(w, w->answer, (kind >> 3) + 1);
            memmove(w->answer + OFR_FRAME_BYTES - w->left, w->answer, w->left);
            if (!w->left)
                return -1;
        } else {
            memcpy(w->answer, w->request, sizeof w->answer);
            w->answer[4] |= OFR_RESPONSE;
            w->answer[5] = kind & 6 ? 0 : kind >> 3; // mostly OK
            if (kind & 4)
                next(w, w->answer + 10, 2); // nodes, hops
            if (kind & 8)
                next(w, w->answer + 1, 3);
            next(w, w->answer + 12, 16);
            w->answer[1] = (uint8_t)((w->answer[1] & 15) | OFR_PROTOCOL_VERSION << 4);
            ofr_put32(w->answer + OFR_FRAME_BYTES - 4, ofr_crc32(w->answer, OFR_FRAME_BYTES - 4));
            w->left = OFR_FRAME_BYTES;
        }
    }
    size_t n = w->left < bytes ? w->left : bytes;
    memcpy(to, w->answer + OFR_FRAME_BYTES - w->left, n);
    w->left -= (unsigned)n;
    return (int)n;
}

static void each(void *ctx, const uint8_t at[3], const uint64_t *counters)
{
    uint64_t *sum = ctx;
    for (unsigned i = 0; i < TORUS_COUNTERS; i++)
        *sum += counters[i] + at[0];
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

// Calls that need a torus that is known.
static int measure(struct torus *t, unsigned which, uint64_t *sum)
{
    struct torus_run run = torus_run_default();
    struct torus_result result = {.measured = 1000, .max = 4000};
    struct torus_flow_options o = torus_flow_options_default();
    struct torus_flow flow[2] = {{.from = {0, 0}, .to = {1, 1}}, {.from = {1, 1}, .to = {0, 0}}};
    struct torus_clock clock[4];
    struct torus_alignment aligned[4];
    struct torus_owner owner;
    struct torus_destination list[] = {{.from_all = true, .to = {1, 1}, .mode = TORUS_ESCAPE}};
    struct torus_table table;
    uint32_t count[TORUS_BINS];
    uint8_t at[3];
    double error;
    run.message_packets = 2;
    switch (which) {
    case 0:
        return torus_run(t, &run, &result);
    case 1:
        return torus_histogram(t, &result, count);
    case 2:
        return torus_flows(t, &o, flow, 2);
    case 3:
        return torus_align(t, aligned, &error);
    case 4:
        return torus_snapshot(t, 0.001, clock, &error, each, sum);
    case 5:
        torus_preset_table(&t->preset, 2, &table);
        table.delta = 1;
        table.destinations = list;
        table.destination_count = 1;
        return torus_program_table(t, &table);
    case 6:
        return torus_set_key(t, 0x123456789abcdef);
    default:
        which = (unsigned)torus_find(t, 3, at);
        return which == TORUS_OK ? torus_owner(t, &owner) : torus_stop(t);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct torus_options options = {.size = sizeof(struct torus_options),
                                          .timeout = 0.05,
                                          .retry = 1,
                                          .window = 1,
                                          .session = 7};
    struct torus *t;
    uint64_t sum = 0;
    if (!size)
        return 0;
    struct wire w = {.data = data + 1, .size = size - 1};
    if (torus_open_transport(&t, (struct torus_transport){wire_read, wire_write, NULL, &w},
                             &options) != TORUS_OK)
        abort();
    struct torus_preset preset = torus_preset_default(TORUS_OFR);
    struct torus_identity identity;
    unsigned generation;
    enum { DISCOVER = 1, ANYWAY = 2, MEASURE = 0x20, KNOWN = 0x40 }; // bits 4:2: which call
    int error = TORUS_OK;
    if (data[0] & KNOWN)
        know(t, data[0] & DISCOVER);
    else
        error = data[0] & DISCOVER ? torus_discover(t) : torus_attach(t);
    if (data[0] & MEASURE && (error == TORUS_OK || data[0] & ANYWAY)) {
        error = measure(t, data[0] >> 2 & 7, &sum);
    } else if (error == TORUS_OK || data[0] & ANYWAY) {
        switch (data[0] >> 2 & 7) {
        case 0:
            error = torus_program(t, &preset);
            break;
        case 1:
            error = torus_counters(t, each, &sum);
            break;
        case 2:
            error = torus_programmed(t, &preset, &generation);
            break;
        case 3:
            error = torus_program_resume(t, NULL);
            break;
        case 4:
            error = torus_program_abort(t, NULL);
            break;
        case 5:
            error = torus_assign(t);
            break;
        default:
            error = torus_ping_path(t, (const uint8_t[]){0, 2}, 2, &identity);
        }
    }
    if ((error != TORUS_OK) != (*torus_detail(t) != 0))
        abort();
    for (unsigned i = 0; torus_fault(t, i); i++)
        sum += (unsigned char)torus_fault(t, i)[0];
    torus_close(t);
    return 0;
}
