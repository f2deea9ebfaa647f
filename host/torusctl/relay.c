// SPDX-License-Identifier: Apache-2.0
// See relay.h.
#include "relay.h"

#include <stdlib.h>
#include <string.h>

// Seconds. Sent again sooner than `soon`, a request is not passed on: the answer is on its way.
static const double time_out = 0.1 * RELAY_TIME_OUT, soon = 0.05, far_away = 1e9;

// A request as the client sent it, and the number that it goes under, 0: none yet.
struct request {
    uint8_t frame[OFR_FRAME_BYTES];
    uint16_t number;
    int client;
    bool under_way, again; // at the board; sent more than once
    double sent, last;     // the first time, since it is under way; the last time
    double slice;          // a collective's, seconds
    uint64_t used;         // the higher the later
};

// Bytes of which frames are made.
struct input {
    uint8_t bytes[OFR_FRAME_BYTES];
    unsigned count;
};

struct client {
    bool here;
    struct input input;
    uint8_t queue[RELAY_QUEUE][OFR_FRAME_BYTES];
    unsigned first, queued;
    struct request known[RELAY_KNOWN];
    unsigned under_way;
    uint8_t out[RELAY_ANSWERS * OFR_FRAME_BYTES];
    size_t out_count;
};

struct relay {
    unsigned window, under_way;
    struct client client[RELAY_CLIENTS];
    struct request *by_number[65536];
    uint16_t last_read, last_write; // numbers given
    struct input input;
    unsigned turn;              // whose it is
    struct request *collective; // under way: the board knows one at a time
    double trip;                // seconds from request to answer, smoothed
    uint64_t uses;
};

static uint32_t word(const uint8_t *frame, unsigned i)
{
    return ofr_get32(frame + 4 * i);
}

static unsigned mode_of(const uint8_t *frame)
{
    return word(frame, 0) >> 8 & 15;
}

static unsigned version_of(const uint8_t *frame)
{
    return word(frame, 0) >> 12 & 15;
}

static bool is_collective(const uint8_t *frame)
{
    return mode_of(frame) == OFR_MODE_COLLECTIVE;
}

static void seal(uint8_t *frame)
{
    ofr_put32(frame + 28, ofr_crc32(frame, 28));
}

struct relay *relay_new(unsigned window)
{
    struct relay *r = calloc(1, sizeof *r);
    if (r)
        r->window = window;
    return r;
}

void relay_free(struct relay *r)
{
    free(r);
}

// Clients -----------------------------------------------------------------------------------------

int relay_join(struct relay *r)
{
    for (int i = 0; i < RELAY_CLIENTS; i++)
        if (!r->client[i].here) {
            memset(&r->client[i], 0, sizeof r->client[i]);
            r->client[i].here = true;
            return i;
        }
    return -1;
}

// It has its answer, or will not get one.
static void end_request(struct relay *r, struct request *q)
{
    if (r->collective == q)
        r->collective = NULL;
    if (!q->under_way)
        return;
    q->under_way = false;
    r->client[q->client].under_way--;
    r->under_way--;
}

static void forget(struct relay *r, struct request *q)
{
    end_request(r, q);
    if (q->number)
        r->by_number[q->number] = NULL;
    q->number = 0;
}

void relay_leave(struct relay *r, int client)
{
    for (unsigned i = 0; i < RELAY_KNOWN; i++)
        if (r->client[client].known[i].number)
            forget(r, &r->client[client].known[i]);
    r->client[client].here = false;
}

size_t relay_for_client(const struct relay *r, int client, const uint8_t **bytes)
{
    *bytes = r->client[client].out;
    return r->client[client].out_count;
}

void relay_got(struct relay *r, int client, size_t count)
{
    struct client *c = &r->client[client];
    c->out_count -= count;
    memmove(c->out, c->out + count, c->out_count);
}

static void give(struct client *c, const uint8_t *frame)
{
    if (c->out_count + OFR_FRAME_BYTES > sizeof c->out)
        return;
    memcpy(c->out + c->out_count, frame, OFR_FRAME_BYTES);
    c->out_count += OFR_FRAME_BYTES;
}

// Frames in ---------------------------------------------------------------------------------------

// One byte more: true, an intact frame.
static bool take_byte(struct input *in, uint8_t byte)
{
    if (in->count == OFR_FRAME_BYTES) // the one before is done with
        in->count = 0;
    in->bytes[in->count++] = byte;
    for (;;) {
        unsigned skip = 0;
        while (skip < in->count && in->bytes[skip] != OFR_FRAME_SYNC)
            skip++;
        in->count -= skip;
        memmove(in->bytes, in->bytes + skip, in->count);
        if (in->count < OFR_FRAME_BYTES)
            return false;
        if (word(in->bytes, 7) == ofr_crc32(in->bytes, 28))
            return true;
        in->bytes[0] = 0; // no frame starts here
    }
}

bool relay_takes(const struct relay *r, int client)
{
    return r->client[client].queued < RELAY_QUEUE;
}

// The board would answer it.
static bool is_request(const uint8_t *frame)
{
    uint32_t m = word(frame, 1);
    return !(m & (OFR_RESPONSE | OFR_LEVEL_MASK)) && m >> 16 &&
           mode_of(frame) <= OFR_MODE_COLLECTIVE;
}

static void take_frame(struct client *c, const uint8_t *frame)
{
    if (!is_request(frame))
        return;
    if (version_of(frame) != OFR_PROTOCOL_VERSION) { // as the firmware does
        uint8_t answer[OFR_FRAME_BYTES];
        memcpy(answer, frame, sizeof answer);
        ofr_put32(answer, OFR_FRAME_SYNC | (uint32_t)OFR_MODE_PATH << 8 |
                              (uint32_t)OFR_PROTOCOL_VERSION << 12);
        answer[4] |= OFR_RESPONSE;
        answer[5] = OFR_BAD_VERSION;
        seal(answer);
        give(c, answer);
        return;
    }
    for (unsigned i = 0; i < c->queued; i++) // sent again before it has been sent once
        if (!memcmp(c->queue[(c->first + i) % RELAY_QUEUE], frame, OFR_FRAME_BYTES))
            return;
    memcpy(c->queue[(c->first + c->queued++) % RELAY_QUEUE], frame, OFR_FRAME_BYTES);
}

size_t relay_from_client(struct relay *r, int client, const uint8_t *bytes, size_t count)
{
    struct client *c = &r->client[client];
    size_t i = 0;
    for (; i < count && relay_takes(r, client); i++)
        if (take_byte(&c->input, bytes[i]))
            take_frame(c, c->input.bytes);
    return i;
}

// Answers -----------------------------------------------------------------------------------------

static void answer(struct relay *r, const uint8_t *frame, double now)
{
    uint32_t m = word(frame, 1);
    struct request *q = r->by_number[word(frame, 2) & 0xffff];
    uint8_t out[OFR_FRAME_BYTES];
    for (int i = 0; ofr_is_report(&m) && i < RELAY_CLIENTS; i++) // whoever has asked for it
        if (r->client[i].here)
            give(&r->client[i], frame);
    if (!q || (m & 0xffff00ff) != ((word(q->frame, 1) & 0xffff007f) | OFR_RESPONSE) ||
        (version_of(frame) == OFR_PROTOCOL_VERSION && mode_of(frame) != mode_of(q->frame)))
        return;
    memcpy(out, frame, sizeof out);
    memcpy(out + 8, q->frame + 8, 2); // its own number
    seal(out);
    give(&r->client[q->client], out);
    if ((m >> 8 & 0xff) == OFR_PENDING)
        return;
    if (q->under_way && !q->again)
        r->trip += (now - q->sent - r->trip) / 8;
    end_request(r, q);
}

void relay_from_board(struct relay *r, const uint8_t *bytes, size_t count, double now)
{
    for (size_t i = 0; i < count; i++)
        if (take_byte(&r->input, bytes[i]))
            answer(r, r->input.bytes, now);
}

// Turns -------------------------------------------------------------------------------------------

static struct request *find(struct client *c, const uint8_t *frame)
{
    for (unsigned i = 0; i < RELAY_KNOWN; i++)
        if (c->known[i].number && !memcmp(c->known[i].frame, frame, OFR_FRAME_BYTES))
            return &c->known[i];
    return NULL;
}

// A number that no request has which is still known. Writes have numbers of their own: the board
// keeps the last one's answer, and must not take another for that one sent again, however many
// reads there are in between.
static uint16_t new_number(struct relay *r, const uint8_t *frame)
{
    bool writes = ofr_op_writes(word(frame, 1) & OFR_OP_MASK);
    uint16_t *last = writes ? &r->last_write : &r->last_read;
    uint16_t number;
    do {
        *last = (uint16_t)((*last + 1) & 0x7fff);
        number = (uint16_t)(*last | (writes ? 0x8000 : 0));
    } while (!number || r->by_number[number]);
    return number;
}

// In the place of that which was used longest ago and is not under way.
static struct request *new_request(struct relay *r, int client, const uint8_t *frame)
{
    struct client *c = &r->client[client];
    struct request *q = NULL;
    for (unsigned i = 0; i < RELAY_KNOWN; i++)
        if (!c->known[i].under_way && (!q || c->known[i].used < q->used))
            q = &c->known[i];
    if (q->number)
        forget(r, q);
    *q = (struct request){.client = client, .slice = 2 * time_out};
    memcpy(q->frame, frame, sizeof q->frame);
    q->number = new_number(r, frame);
    r->by_number[q->number] = q;
    return q;
}

static double patience(const struct relay *r)
{
    return time_out + 4 * r->trip;
}

// What has no answer after so long keeps nobody back any more; if it comes all the same it is
// passed on. When the next one will be so late.
static double give_up(struct relay *r, double now)
{
    double next = far_away;
    for (int i = 0; i < RELAY_CLIENTS; i++) {
        struct client *c = &r->client[i];
        for (unsigned j = 0; c->here && c->under_way && j < RELAY_KNOWN; j++) {
            struct request *q = &c->known[j];
            double end = q->last + patience(r);
            if (!q->under_way || q == r->collective)
                continue;
            if (now >= end)
                end_request(r, q);
            else if (end < next)
                next = end;
        }
    }
    return next;
}

// How many of its requests may be under way: an equal share for each client that has any, and one
// alone leaves room for another's first one.
static unsigned share(const struct relay *r)
{
    unsigned busy = 0;
    for (int i = 0; i < RELAY_CLIENTS; i++)
        busy += r->client[i].here && (r->client[i].queued || r->client[i].under_way);
    return busy > 1 || r->window == 1 ? (r->window + busy - 1) / (busy ? busy : 1) : r->window - 1;
}

// May the first one in the client's queue go? *wake is made earlier where time alone will let it.
static bool may_go(struct relay *r, struct client *c, unsigned most, double now, double *wake)
{
    const uint8_t *frame = c->queue[c->first];
    const struct request *q = find(c, frame);
    if (q && q->under_way)
        return true;
    if (is_collective(frame) && r->collective) {
        double end = r->collective->sent + r->collective->slice;
        if (now < end) {
            *wake = end < *wake ? end : *wake;
            return false;
        }
    }
    return r->under_way < r->window && c->under_way < most;
}

// The board would start a collective anew for another one's, and then neither ends: so they go one
// after the other. One that does not end in its time stands back, and next time has twice as much,
// up to where it is to be feared that it never ends: others' wait is bounded.
static void begin_collective(struct relay *r, struct request *q)
{
    if (r->collective && r->collective != q) {
        if (r->collective->slice < 8 * patience(r))
            r->collective->slice *= 2;
        end_request(r, r->collective);
    }
    r->collective = q;
}

// The first one of the client's queue. False: it was sent a moment ago, and is left out.
static bool send_first(struct relay *r, int client, double now, uint8_t out[OFR_FRAME_BYTES])
{
    struct client *c = &r->client[client];
    const uint8_t *frame = c->queue[c->first];
    struct request *q = find(c, frame);
    bool again = q;
    c->first = (c->first + 1) % RELAY_QUEUE;
    c->queued--;
    if (again && q->under_way && now < q->last + soon)
        return false;
    if (!q)
        q = new_request(r, client, frame);
    if (!q->under_way) {
        if (is_collective(frame))
            begin_collective(r, q);
        q->under_way = true;
        c->under_way++;
        r->under_way++;
        q->sent = now;
    }
    q->again = again;
    q->last = now;
    q->used = ++r->uses;
    memcpy(out, q->frame, OFR_FRAME_BYTES);
    out[8] = (uint8_t)q->number;
    out[9] = (uint8_t)(q->number >> 8);
    seal(out);
    return true;
}

bool relay_to_board(struct relay *r, double now, uint8_t out[OFR_FRAME_BYTES], double *wake)
{
    *wake = give_up(r, now);
    unsigned most = share(r);
    for (unsigned i = 0; i < RELAY_CLIENTS; i++) {
        int client = (int)((r->turn + i) % RELAY_CLIENTS);
        struct client *c = &r->client[client];
        if (!c->here || !c->queued || !may_go(r, c, most, now, wake))
            continue;
        r->turn = (unsigned)client + 1;
        if (send_first(r, client, now, out))
            return true;
    }
    return false;
}
