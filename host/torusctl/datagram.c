// SPDX-License-Identifier: Apache-2.0
// torusctl datagram: what a board counts of datagrams, or a file sent in them from one board to
// another.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl.h"
#include "ofr_regs.h"

enum { MESSAGE = 256, CLASS, END, MOST_BYTES = 2040 };

static struct {
    unsigned message; // bytes, 0: as many as a packet has room for
    enum torus_traffic traffic;
    uint8_t end;
} set = {.traffic = TORUS_MINIMAL};

static const char class_list[] = "inorder|minimal|deroute"; // as enum torus_traffic has them
_Static_assert(TORUS_INORDER == 0 && TORUS_MINIMAL == 1 && TORUS_DEROUTE == 2, "their order");

static const struct argp_option options[] = {
    {"message", MESSAGE, "BYTES", 0,
     "of the file in each datagram (as many as a packet has room for)", 1},
    {"class", CLASS, "NAME", 0, "inorder, minimal (default) or deroute: how the packets go", 1},
    {"end", END, "N", 0, "number 0 to 15 that each carries: which user at TO it is for (0)", 1},
    {0},
};

static bool option(int key, char *arg, struct argp_state *state)
{
    switch (key) {
    case MESSAGE:
        set.message = (unsigned)whole(state, arg, 1, MOST_BYTES);
        return true;
    case CLASS:
        set.traffic = (enum torus_traffic)one_of(state, arg, "class", class_list);
        return true;
    case END:
        set.end = (uint8_t)whole(state, arg, 0, 15);
        return true;
    default:
        return false;
    }
}

static const char *idle(const struct args *a, const struct given *o)
{
    bool ours = !strcmp(o->name, "message") || !strcmp(o->name, "class") || !strcmp(o->name, "end");
    return ours && a->rest_count != 3 ? "nothing is sent: say FROM TO FILE" : NULL;
}

static int prepare(struct args *a)
{
    if (a->rest_count != 1 && a->rest_count != 3)
        return wrong("command", "datagram", "say PLACE, or FROM TO FILE");
    for (unsigned i = 0; i < (a->rest_count == 3 ? 2 : 1); i++)
        if (!place_good(a->rest[i]))
            return 2;
    return GO_ON;
}

// ---- What a board counts ------------------------------------------------------------------------

static const struct column count_columns[] = {
    {"has", "has", -1, 0},          {"room", "room", 0, 0},       {"sent", "sent", 0, 0},
    {"received", "received", 0, 0}, {"no_room", "no room", 0, 0}, {"spoiled", "spoiled", 0, 0},
    {"illegal", "illegal", 0, 0},   {"reason", "reason", -1, 0},  {0},
};

static int show(struct torus *t, const struct args *a, const uint8_t at[3])
{
    static const char *const reasons[] = {"none", "long", "node", "class", "unreachable"};
    static const uint16_t offset[] = {
        OFR_DATAGRAM_SHAPE,   OFR_DATAGRAM_ATTACH,  OFR_DATAGRAM_SENT,    OFR_DATAGRAM_RECEIVED,
        OFR_DATAGRAM_NO_ROOM, OFR_DATAGRAM_SPOILED, OFR_DATAGRAM_ILLEGAL, OFR_DATAGRAM_REASON};
    uint32_t value[sizeof offset / sizeof *offset] = {0};
    int error = TORUS_OK;
    for (unsigned i = 0; i < sizeof offset / sizeof *offset && error == TORUS_OK; i++)
        error = torus_read(t, at, offset[i], &value[i]);
    if (error != TORUS_OK)
        return report(t, error);
    if (!value[0])
        return wrong("place", a->rest[0], "the board is built without datagrams");
    struct table *rows = table_begin(a, NULL, count_columns);
    table_row(
        rows,
        json_pack("{s:s,s:I,s:I,s:I,s:I,s:I,s:I,s:s}", "has", value[1] & 1 ? "software" : "pins",
                  "room", (json_int_t)value[0], "sent", (json_int_t)value[2], "received",
                  (json_int_t)value[3], "no_room", (json_int_t)value[4], "spoiled",
                  (json_int_t)value[5], "illegal", (json_int_t)value[6], "reason",
                  value[7] < sizeof reasons / sizeof *reasons ? reasons[value[7]] : "unknown"));
    table_end(rows, NULL);
    return 0;
}

// ---- A file -------------------------------------------------------------------------------------

struct transfer {
    uint8_t from[3];
    struct torus_end to;
    uint8_t *data;
    size_t bytes;
    unsigned datagrams;
    double patience; // seconds
};

// The one that was just sent has come, as it was. The library's error; *status: 1, it has not.
static int compare(struct torus *t, const struct transfer *x, size_t at, size_t n, int *status)
{
    uint8_t got[MOST_BYTES];
    struct torus_end from;
    size_t bytes;
    int error = torus_datagram_recv(t, x->to.at, got, sizeof got, x->patience, &bytes, &from);
    if (error != TORUS_OK)
        return error;
    if (bytes != n || memcmp(got, x->data + at, n) != 0 || from.end != x->to.end ||
        memcmp(from.at, x->from, 3) != 0) {
        fprintf(stderr, "torusctl: what has come differs, after %zu bytes\n", at);
        *status = 1;
    }
    return TORUS_OK;
}

// One by one, as they have no order.
static int move(struct torus *t, struct transfer *x, int *status)
{
    size_t most = torus_datagram_most(t), size = set.message ? set.message : most, done = 0;
    int error = TORUS_OK;
    do {
        size_t n = x->bytes - done < size ? x->bytes - done : size;
        error =
            torus_datagram_send(t, x->from, &x->to, set.traffic, x->data + done, n, x->patience);
        if (error == TORUS_OK)
            error = compare(t, x, done, n, status);
        if (error == TORUS_OK) {
            done += n;
            x->datagrams++;
            progress_bar("bytes", (double)done, (double)x->bytes);
        }
    } while (error == TORUS_OK && !*status && done < x->bytes);
    return error;
}

// What waits there is of an earlier time.
static int drain(struct torus *t, const uint8_t at[3])
{
    uint8_t none[1];
    size_t bytes;
    int error;
    do
        error = torus_datagram_recv(t, at, none, 0, 0, &bytes, NULL);
    while (error == TORUS_OK);
    return error == TORUS_E_TIMEOUT ? TORUS_OK : error;
}

static const struct column columns[] = {
    {"from", "from", 0, 0},
    {"to", "to", 0, 0},
    {"bytes", "bytes", 0, 0},
    {"datagrams", "datagrams", 0, 0},
    {"seconds", "seconds", 0, 3},
    {"verdict", "verdict", -1, 0},
    {0},
};

static int send_file(struct torus *t, const struct args *a, struct transfer *x, unsigned dims)
{
    uint32_t had[2] = {0};
    const uint8_t *place[2] = {x->from, x->to.at};
    int status = 0, error = TORUS_OK;
    unsigned taken = 0; // of these places
    double start = seconds_now();
    for (unsigned i = 0; i < 2 && error == TORUS_OK; i++) {
        error = torus_read(t, place[i], OFR_DATAGRAM_ATTACH, &had[i]);
        if (error == TORUS_OK)
            error = torus_datagram_attach(t, place[i], true);
        taken += error == TORUS_OK;
    }
    if (error == TORUS_OK)
        error = drain(t, x->to.at);
    if (error == TORUS_OK)
        error = move(t, x, &status);
    double seconds = seconds_now() - start;
    if (error != TORUS_OK) {
        status = report(t, error);
        interrupt_overhear(); // leaves the boards as they were
    }
    while (taken--) {
        int last = torus_datagram_attach(t, place[taken], had[taken] & 1);
        if (last != TORUS_OK && !status)
            status = report(t, last);
    }
    if (status)
        return status;
    struct table *rows = table_begin(a, NULL, columns);
    table_row(rows, json_pack("{s:o,s:o,s:I,s:i,s:f,s:s}", "from", json_at(x->from, dims), "to",
                              json_at(x->to.at, dims), "bytes", (json_int_t)x->bytes, "datagrams",
                              (int)x->datagrams, "seconds", seconds, "verdict", "equal"));
    table_end(rows, NULL);
    return 0;
}

// Of the file: all of it is in memory, and once more as it comes.
static const struct most most_sent = {64, "one call sends no more, send it in pieces"};

static int do_datagram(struct torus *t, const struct args *a)
{
    struct transfer x = {.patience = a->options.timeout > 0 ? a->options.timeout : 30,
                         .to.end = set.end};
    const char *why;
    uint8_t k[3];
    unsigned missing;
    int status = attach_there(t, &missing);
    unsigned dims = torus_sizes(t, k);
    if (!status)
        status = place_find(t, a->rest[0], x.from);
    if (status || a->rest_count == 1)
        return status ? status : show(t, a, x.from);
    status = place_find(t, a->rest[1], x.to.at);
    if (status)
        return status;
    x.data = file_whole(a->rest[2], most_sent, &x.bytes, &why);
    if (!x.data)
        return wrong("file", a->rest[2], why);
    status = send_file(t, a, &x, dims);
    free(x.data);
    return status;
}

const struct command command_datagram = {
    .name = "datagram",
    .arguments = "PLACE [TO FILE]",
    .most = 3,
    .summary = "datagrams of a board, counted; a file sent in them, and compared",
    .about =
        "Boards that are built with datagrams send and take single packets, for a user's logic "
        "or, as here, for software. Of a PLACE, X,Y or X,Y,Z, it shows who has them, how many "
        "packets wait at most, how many were sent, were received, had no room, came spoiled, and "
        "were dropped here as illegal, with the last one's reason. With TO and a FILE it takes the "
        "datagrams of both boards from the logic at their pins, throws away what waits at TO, "
        "sends the file one datagram after the other, compares each with what has come, and gives "
        "both back. A beat a request: for trials, not for speed. Exit status 1: what came is not "
        "what was sent.",
    .examples = "datagram 0,0\ndatagram 0,0 1,0 /etc/hostname\n"
                "datagram 0,0 1,0 /etc/hostname --class deroute --message 8\n",
    .groups = CONNECTION | REQUESTS | PLACES | WRITING | FORMAT,
    .options = options,
    .option = option,
    .idle = idle,
    .prepare = prepare,
    .run = do_datagram,
};
