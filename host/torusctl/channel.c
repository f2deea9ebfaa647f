// SPDX-License-Identifier: Apache-2.0
// torusctl channel: the ends of a board; two of them joined for the logic at the pins; or a file
// sent from one board's end to another's.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl.h"
#include "ofr_regs.h"

enum { MESSAGE = 256, ABORT, CLOSE, RELEASE, MOST_MESSAGE = 1 << 20 };

static struct {
    unsigned message; // bytes
    bool abort, close, release;
} set = {.message = 1024};

static const struct argp_option options[] = {
    {"message", MESSAGE, "BYTES", 0, "of the file in each message, up to 1048576 (1024)", 1},
    {"abort", ABORT, 0, 0,
     "ends what the end has open, and throws away what has come for it and was not taken; of "
     "`all': so for every end of every board that software has",
     1},
    {"close", CLOSE, 0, 0, "ends what the end has open, once all that was sent is taken", 1},
    {"release", RELEASE, 0, 0,
     "gives an end that software has back to the logic at its pins, or the board's user's core", 1},
    {0},
};

static bool option(int key, char *arg, struct argp_state *state)
{
    if (key == MESSAGE)
        set.message = (unsigned)whole(state, arg, 1, MOST_MESSAGE);
    else if (key == ABORT)
        set.abort = true;
    else if (key == CLOSE)
        set.close = true;
    else if (key == RELEASE)
        set.release = true;
    return key == MESSAGE || key == ABORT || key == CLOSE || key == RELEASE;
}

// "PLACE:END"; place takes the first part. False: a line on stderr; *end -1: there is none.
static bool parse_end(const char *text, char place[64], int *end)
{
    const char *colon = strrchr(text, ':');
    char *rest = NULL;
    unsigned long number = colon ? strtoul(colon + 1, &rest, 10) : 0;
    *end = -1;
    snprintf(place, 64, "%.*s", (int)(colon ? colon - text : (long)strlen(text)), text);
    if (colon && (colon[1] < '0' || colon[1] > '9' || *rest || number > 15)) {
        wrong("end", text, "write PLACE:END, as 1,0:3; ends are from 0 to 15");
        return false;
    }
    if (colon)
        *end = (int)number;
    return place_good(place);
}

static int find_end(struct torus *t, const char *text, struct torus_end *out, int *end)
{
    char place[64];
    if (!parse_end(text, place, end))
        return 2;
    out->end = (uint8_t)(*end < 0 ? 0 : *end);
    return place_find(t, place, out->at);
}

// `channel all --abort`
static bool aborts_all(const struct args *a)
{
    return set.abort && a->rest_count == 1 && !strcmp(a->rest[0], "all");
}

static const char *idle(const struct args *a, const struct given *o)
{
    bool sends = a->rest_count == 3, one = a->rest_count == 1 && strchr(a->rest[0], ':') != NULL;
    if (!strcmp(o->name, "format") && aborts_all(a))
        return "--abort of all prints nothing";
    if (!strcmp(o->name, "message") && !sends)
        return "nothing is sent: say FROM TO FILE";
    if (!strcmp(o->name, "abort") && !aborts_all(a) && !one)
        return "it is of one end, or of all: say PLACE:END, or all, alone";
    if ((!strcmp(o->name, "close") || !strcmp(o->name, "release")) && !one)
        return "it is of one end: say PLACE:END, alone";
    if (!strcmp(o->name, "close") && set.abort)
        return "--abort ends it at once";
    return NULL;
}

static int prepare(struct args *a)
{
    char place[64];
    int end = -1;
    if (a->rest_count < 1)
        return wrong("command", "channel", "say PLACE, PLACE:END, FROM TO or FROM TO FILE");
    if (aborts_all(a))
        return GO_ON;
    for (unsigned i = 0; i < (a->rest_count > 1 ? 2 : 1); i++) {
        if (!parse_end(a->rest[i], place, &end))
            return 2;
        if (end < 0 && a->rest_count > 1)
            return wrong("end", a->rest[i], "write PLACE:END, as 1,0:3");
    }
    return GO_ON;
}

// ---- Ends as they are ---------------------------------------------------------------------------

static const struct column end_columns[] = {
    {"end", "end", 0, 0},       {"has", "has", -1, 0},
    {"state", "state", -1, 0},  {"reason", "reason", -1, 0},
    {"peer", "peer", 0, 0},     {"peer_end", "peer's end", 0, 0},
    {"sent", "sent", 0, 0},     {"received", "received", 0, 0},
    {"heard", "arrived", 0, 0}, {0},
};

// Of the board all, from 0 on; of an end this one.
static int show(struct torus *t, const struct args *a, struct torus_end *e, bool all, unsigned dims)
{
    struct table *rows = table_begin(a, "ends", end_columns);
    uint32_t shape = 0, user = 0;
    int error = torus_read(t, e->at, OFR_CHANNEL_SHAPE, &shape);
    if (error == TORUS_OK)
        error = torus_read(t, e->at, OFR_USER_SHAPE, &user);
    unsigned ends = all ? shape & OFR_CHANNEL_SHAPE_ENDS_MASK : 1;
    if (!ends) // says what there is not
        ends = 1;
    for (unsigned i = 0; i < ends && error == TORUS_OK; i++) {
        struct torus_channel c;
        error = torus_channel_state(t, e, &c);
        if (error != TORUS_OK)
            break;
        bool joined = strcmp(c.state, "idle") != 0;
        table_row(rows,
                  json_pack("{s:i,s:s,s:s,s:s?,s:o,s:o,s:I,s:I,s:I}", "end", (int)e->end, "has",
                            c.software                                   ? "software"
                            : c.collective                               ? "collective"
                            : e->end < (user & OFR_USER_SHAPE_ENDS_MASK) ? "user"
                                                                         : "pins",
                            "state", c.state, "reason", c.reason, "peer",
                            joined ? json_at(c.peer.at, dims) : json_null(), "peer_end",
                            joined ? json_integer(c.peer.end) : json_null(), "sent",
                            (json_int_t)c.sent, "received", (json_int_t)c.received, "heard",
                            (json_int_t)c.heard));
        e->end++;
    }
    if (error != TORUS_OK) {
        table_drop(rows);
        return report(t, error);
    }
    table_end(rows, NULL);
    return 0;
}

// ---- A file -------------------------------------------------------------------------------------

struct transfer {
    struct torus_end from, to;
    uint8_t *data, *got;
    size_t bytes, messages;
    size_t sent, received;    // bytes
    size_t whole_sent, whole; // messages
    double seconds;           // that it took
    double patience;          // how long nothing may move, in seconds
};

// Where message m ends.
static size_t end_of(const struct transfer *x, size_t m)
{
    size_t end = (m + 1) * set.message;
    return end < x->bytes ? end : x->bytes;
}

// What has come is what was sent? The exit status.
static int compare(const struct transfer *x, size_t n, bool whole, bool ended)
{
    size_t border = end_of(x, x->whole);
    const char *what = memcmp(x->data + x->received, x->got + x->received, n) ? "differs"
                       : x->received + n > border || (whole && x->received + n != border)
                           ? "has its messages' borders elsewhere"
                       : ended ? "has ended too early"
                               : NULL;
    if (what)
        fprintf(stderr, "torusctl: what has come %s, in message %zu, after %zu bytes\n", what,
                x->whole, x->received);
    return what ? 1 : 0;
}

// Sends what there is room for and takes what has come, in turn. The library's error; *status: 1, a
// line on stderr has said that what came is not what was sent.
static int move(struct torus *t, struct transfer *x, int *status)
{
    double moved = seconds_now();
    while (x->whole < x->messages && !*status) {
        size_t n = 0, before = x->sent + x->received;
        bool whole = false;
        int error = TORUS_OK;
        if (x->whole_sent < x->messages) {
            error = torus_channel_send(t, &x->from, x->data + x->sent,
                                       end_of(x, x->whole_sent) - x->sent, 0, &n);
            x->sent += n;
            x->whole_sent += error == TORUS_OK;
        }
        if (error != TORUS_OK && error != TORUS_E_TIMEOUT)
            return error;
        error = torus_channel_recv(t, &x->to, x->got + x->received, x->bytes - x->received + 8, 0,
                                   &n, &whole);
        if (error != TORUS_OK && error != TORUS_E_TIMEOUT) {
            x->received += n;
            return error;
        }
        *status = compare(x, n, whole, error == TORUS_OK && !whole);
        x->received += n;
        x->whole += whole;
        if (x->sent + x->received != before || whole)
            moved = seconds_now();
        else if (error != TORUS_OK && seconds_now() - moved > x->patience)
            return error;
        progress_bar("bytes", (double)x->received, (double)x->bytes);
    }
    return TORUS_OK;
}

static const struct column columns[] = {
    {"from", "from", 0, 0},
    {"from_end", "end", 0, 0},
    {"to", "to", 0, 0},
    {"to_end", "end", 0, 0},
    {"bytes", "bytes", 0, 0},
    {"messages", "messages", 0, 0},
    {"seconds", "seconds", 0, 3},
    {"rate", "bytes/s", 0, 0},
    {"verdict", "verdict", -1, 0},
    {0},
};

// Cut short: how far it came, and frees both ends. Those that could not be freed are named, as the
// next one who wants them is refused.
static void give_up(struct torus *t, const struct transfer *x, unsigned dims)
{
    const struct torus_end *end[2] = {&x->from, &x->to};
    char place[PLACE], taken[2 * PLACE + 24] = "";
    unsigned count = 0;
    fprintf(stderr, "torusctl: of %zu bytes %zu had gone, %zu were taken\n", x->bytes, x->sent,
            x->received);
    interrupt_overhear();
    for (unsigned i = 0; i < 2; i++)
        if (torus_channel_abort(t, end[i]) != TORUS_OK) {
            size_t length = strlen(taken);
            snprintf(taken + length, sizeof taken - length, "%s%s end %u", count++ ? " and " : "",
                     place_called(end[i]->at, dims, place), end[i]->end);
        }
    if (count)
        fprintf(stderr,
                "torusctl: %s stay%s taken: once there is a way to all boards again (program "
                "--around), channel all --abort, both with --take-over if told of a lease\n",
                taken, count > 1 ? "" : "s");
}

static int send_file(struct torus *t, const struct args *a, struct transfer *x, unsigned dims)
{
    int status = 0;
    int error = torus_channel_open(t, &x->from, &x->to, x->patience);
    if (error != TORUS_OK)
        return report(t, error);
    double start = seconds_now();
    error = move(t, x, &status);
    x->seconds = seconds_now() - start;
    if (error == TORUS_OK && !status)
        error = torus_channel_close(t, &x->from, x->patience);
    if (error != TORUS_OK)
        status = report(t, error);
    if (status) {
        give_up(t, x, dims);
        return status;
    }
    struct table *rows = table_begin(a, NULL, columns);
    table_row(rows,
              json_pack("{s:o,s:i,s:o,s:i,s:I,s:I,s:f,s:f,s:s}", "from", json_at(x->from.at, dims),
                        "from_end", (int)x->from.end, "to", json_at(x->to.at, dims), "to_end",
                        (int)x->to.end, "bytes", (json_int_t)x->bytes, "messages",
                        (json_int_t)x->messages, "seconds", x->seconds, "rate",
                        x->seconds > 0 ? (double)x->bytes / x->seconds : 0.0, "verdict", "equal"));
    table_end(rows, NULL);
    return 0;
}

// What software has, as a program that was killed has left it. Pins' ends and the collectives'
// stay.
static int abort_all(struct torus *t)
{
    struct torus_end e;
    int error = TORUS_OK;
    for (unsigned node = 0; error == TORUS_OK && next_there(t, &node, e.at); node++) {
        uint32_t shape = 0;
        e.end = 0;
        error = torus_read(t, e.at, OFR_CHANNEL_SHAPE, &shape);
        unsigned ends = shape & OFR_CHANNEL_SHAPE_ENDS_MASK;
        do { // at least one, so that it is said where there is none
            struct torus_channel c;
            if (error == TORUS_OK)
                error = torus_channel_state(t, &e, &c);
            if (error == TORUS_OK && c.software && !c.free)
                error = torus_channel_abort(t, &e);
        } while (++e.end < ends && error == TORUS_OK);
    }
    return error == TORUS_OK ? 0 : report(t, error);
}

// Of the file: all of it is in memory, and once more as it comes.
static const struct most most_sent = {64, "a message has no more here, send it in pieces"};

static int do_channel(struct torus *t, const struct args *a)
{
    struct transfer x = {.patience = a->options.timeout > 0 ? a->options.timeout : 30};
    const char *why;
    uint8_t k[3];
    unsigned missing;
    int end, error = TORUS_OK, status = attach_there(t, &missing);
    unsigned dims = torus_sizes(t, k);
    if (status)
        return status;
    if (aborts_all(a)) {
        status = abort_all(t);
        return status ? status : missing > 0;
    }
    status = find_end(t, a->rest[0], &x.from, &end);
    if (status)
        return status;
    if (set.abort)
        error = torus_channel_abort(t, &x.from);
    if (set.close)
        error = torus_channel_close(t, &x.from, x.patience);
    if (set.release && error == TORUS_OK)
        error = torus_channel_release(t, &x.from);
    if (error != TORUS_OK)
        return report(t, error);
    if (a->rest_count == 1)
        return show(t, a, &x.from, end < 0, dims);
    status = find_end(t, a->rest[1], &x.to, &end);
    if (status)
        return status;
    if (a->rest_count == 2) {
        error = torus_channel_join(t, &x.from, TORUS_PINS, &x.to, TORUS_PINS, x.patience);
        return error == TORUS_OK ? show(t, a, &x.from, false, dims) : report(t, error);
    }
    x.data = file_whole(a->rest[2], most_sent, &x.bytes, &why);
    if (!x.data)
        return wrong("file", a->rest[2], why);
    x.got = malloc(x.bytes + 8);
    x.messages = x.bytes ? (x.bytes - 1) / set.message + 1 : 1; // an empty file: an empty message
    status = x.got ? send_file(t, a, &x, dims) : wrong("file", a->rest[2], "out of memory");
    free(x.data);
    free(x.got);
    return status;
}

const struct command command_channel = {
    .name = "channel",
    .arguments = "PLACE[:END]|all [TO:END [FILE]]",
    .most = 3,
    .summary = "channels' ends of a board; two of them joined; a file sent over one, and compared",
    .about =
        "Boards that are built with channels have ends of streams, for a user's logic or, as here, "
        "for software. Of a PLACE, X,Y or X,Y,Z, it shows all ends, of PLACE:END this one: who has "
        "it, whether it is open and with whom, or why it has ended, how many bytes were sent, "
        "came, and have arrived at the other side. With TO:END it joins the two ends for the logic "
        "at "
        "their pins, or the programs of the boards' user's cores, until --close or --abort. With "
        "TO:END and a FILE it joins the two ends, "
        "sends the file in messages, takes what comes at the other end, compares it, and closes "
        "both. Up to 384 bytes a request: for trials, not for speed. `all --abort` frees what a "
        "program that was killed has left open, on all boards. Where a board is cut off under way "
        "it says how many bytes had gone and were taken, and which ends could not be freed. Exit "
        "status 1: what came is not what was sent.",
    .examples = "channel 0,0\nchannel 0,0:2 1,0:3 /etc/hostname\nchannel 0,0:5 "
                "1,0:5\nchannel 1,0:3 --abort --release\nchannel all --abort\n",
    .groups = CONNECTION | REQUESTS | PLACES | WRITING | FORMAT,
    .options = options,
    .option = option,
    .idle = idle,
    .prepare = prepare,
    .run = do_channel,
};
