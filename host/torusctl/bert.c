// SPDX-License-Identifier: Apache-2.0
// torusctl bert: bit error test of a cable.
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ctl.h"

enum { TIME = 256, CONFIDENCE, RECORD, CABLE };

static struct {
    double seconds, confidence; // from 0 to 1
    const char *record, *cable;
} set = {.seconds = 1, .confidence = 0.95};

static const struct argp_option options[] = {
    {"time", TIME, "SECONDS", 0, "of the board's clock, up to 86400 (default 1)", 1},
    {"confidence", CONFIDENCE, "PERCENT", 0, "of the error rate's bound (default 95)", 1},
    {"record", RECORD, "FILE", 0, "adds the result to this file, CSV, a line a wire", 1},
    {"cable", CABLE, "TEXT", 0, "what cable it is, for --record", 1},
    {0},
};

static bool option(int key, char *arg, struct argp_state *state)
{
    if (key == TIME)
        set.seconds = number(state, arg, 1e-6, 86400);
    else if (key == CONFIDENCE)
        set.confidence = number(state, arg, 1, 99.9999) / 100;
    else if (key == RECORD)
        set.record = arg;
    else if (key == CABLE)
        set.cable = arg;
    return key == TIME || key == CONFIDENCE || key == RECORD || key == CABLE;
}

static const char *idle(const struct args *a, const struct given *o)
{
    (void)a;
    return !strcmp(o->name, "cable") && !set.record ? "it is written by --record" : NULL;
}

static const struct column columns[] = {
    {"serial", "serial number", 0, 0},
    {"port", "port", -1, 0},
    {"wire", "wire", 0, 0},
    {"eye", "eye", 0, 0},
    {"place", "place", 0, 0},
    {"bits", "bits", 0, 0},
    {"errors", "errors", 0, 0},
    {"error_rate", "errors a bit", 0, 0},
    {"error_rate_below", "below", 0, 0},
    {0},
};

// The port that text names, or -1.
static int port_of(const char *text)
{
    for (int p = 0; p < TORUS_PORTS; p++)
        if (!strcmp(text, torus_port_name((unsigned)p)))
            return p;
    return -1;
}

static const char header[] =
    "cable,serial,port,wire,Mb/s,seconds,eye,bits,errors,error_rate_below,confidence\n";

// Nothing is added to what is somebody else's. An empty file is as good as none.
static bool is_ours(FILE *f)
{
    char line[sizeof header + 1];
    rewind(f);
    return !fgets(line, sizeof line, f) ? !ferror(f) : !strcmp(line, header);
}

static int prepare(struct args *a)
{
    if (a->rest_count != 2)
        return wrong("command", "bert", "say A B, two neighbours, or A and a port of its");
    if (!place_good(a->rest[0]))
        return 2;
    if (port_of(a->rest[1]) < 0 && !place_is(a->rest[1]))
        return wrong("place or port", a->rest[1],
                     "write X,Y or X,Y,Z of a neighbour, or a port, as x+");
    if (set.cable && strpbrk(set.cable, "\",\n"))
        return wrong("cable", set.cable, "without commas, quotes and line ends");
    bool there = set.record && !access(set.record, F_OK);
    FILE *f = set.record ? fopen(set.record, "a+") : NULL;
    if (set.record && !f)
        return wrong("file", set.record, strerror(errno));
    bool ours = !f || is_ours(f);
    if (f)
        fclose(f);
    if (!ours)
        return wrong("file", set.record, "not one that bert has begun: name another");
    if (f && !there) // until there is a result
        remove(set.record);
    return GO_ON;
}

// The board at that place, among those discovered. A board alone is at any.
static int find_board(struct torus *t, const char *text, unsigned *board)
{
    uint8_t at[3] = {0};
    unsigned boards = torus_boards(t);
    *board = 0;
    int status = boards == 1 ? 0 : place_find(t, text, at);
    if (status || boards == 1)
        return status;
    for (*board = 0; *board < boards; ++*board)
        if (torus_board(t, *board)->placed && !memcmp(torus_board(t, *board)->at, at, sizeof at))
            return 0;
    return wrong("place", text, "there is no board, or it is not known which one");
}

// The port of a board at which the cable to another one is.
static int find_cable(struct torus *t, const char *const *rest, unsigned from, unsigned to,
                      unsigned *port)
{
    const struct torus_board *b = torus_board(t, from);
    unsigned count = 0;
    for (unsigned p = 2u * b->dims; p-- > 0;)
        if (b->peer[p] == (int)to) {
            *port = p;
            count++;
        }
    if (!count)
        return wrong("place", rest[1], "no cable that is up leads there; say a port, as x+");
    return count > 1 ? wrong("place", rest[1], "several cables lead there; say a port, as x+") : 0;
}

static int find_port(struct torus *t, const char *const *rest, unsigned *board, unsigned *port)
{
    unsigned other;
    int status = find_board(t, rest[0], board), named = port_of(rest[1]);
    *port = named < 0 ? 0 : (unsigned)named;
    if (status || named >= 0)
        return !status && *port >= 2u * torus_board(t, *board)->dims
                   ? wrong("port", rest[1], "the board has x+ x- y+ y-")
                   : status;
    status = find_board(t, rest[1], &other);
    return status ? status : find_cable(t, rest, *board, other, port);
}

static json_t *row(const struct torus *t, const struct torus_bert_end *end, unsigned wire)
{
    const struct torus_wire *w = &end->phy.wire[wire];
    double bits = end->phy.bits;
    double bound = torus_error_bound((uint64_t)w->errors, bits, set.confidence);
    return json_pack("{s:o,s:s,s:i,s:o,s:o,s:f,s:f,s:o,s:o}", "serial",
                     json_serial(torus_board(t, end->board)->serial), "port",
                     torus_port_name(end->port), "wire", (int)wire, "eye",
                     end->phy.stopped ? json_null() : json_integer(w->eye), "place",
                     bits > 0 ? json_integer(w->place) : json_null(), "bits", bits, "errors",
                     w->errors, "error_rate", bits > 0 ? json_real(w->errors / bits) : json_null(),
                     "error_rate_below", isnan(bound) ? json_null() : json_real(bound));
}

// Added to the file: of each wire of both ends. Exit status.
static int record(const struct torus *t, const struct torus_bert *r)
{
    FILE *f = fopen(set.record, "a");
    if (f && fseek(f, 0, SEEK_END) == 0 && ftell(f) == 0)
        fputs(header, f);
    for (unsigned i = 0; i < r->ends && f; i++)
        for (unsigned w = 0; w < r->end[i].phy.wires; w++) {
            const struct torus_bert_end *end = &r->end[i];
            double errors = end->phy.wire[w].errors;
            double bound = torus_error_bound((uint64_t)errors, end->phy.bits, set.confidence);
            char eye[16] = ""; // where no clock comes there is none
            if (!end->phy.stopped)
                snprintf(eye, sizeof eye, "%u", end->phy.wire[w].eye);
            fprintf(f, "%s,%016llx,%s,%u,%g,%g,%s,%.0f,%.0f,%.3g,%g\n", set.cable ? set.cable : "",
                    (unsigned long long)torus_board(t, end->board)->serial,
                    torus_port_name(end->port), w, 1e-6 * r->rate, r->seconds, eye, end->phy.bits,
                    errors, isnan(bound) ? 1 : bound, set.confidence);
        }
    bool good = f && !ferror(f);
    good = f && fclose(f) == 0 && good;
    return good ? 0 : wrong("file", set.record, strerror(errno));
}

static int put(struct torus *t, const struct args *a, const struct torus_bert *r)
{
    struct table *rows = table_begin(a, "wires", columns);
    bool bad = false;
    table_note(rows, "%.4g s at %.4g Mb/s a wire; the link is %s; bounds with %g%% confidence",
               r->seconds, 1e-6 * r->rate,
               r->up       ? "up again"
               : r->was_up ? "not up again"
                           : "not up",
               100 * set.confidence);
    for (unsigned i = 0; i < r->ends; i++)
        for (unsigned w = 0; w < r->end[i].phy.wires; w++) {
            table_row(rows, row(t, &r->end[i], w));
            bad |= !(r->end[i].phy.bits > 0) || r->end[i].phy.wire[w].errors > 0;
        }
    table_end(rows, json_pack("{s:f,s:f,s:f,s:b}", "seconds", r->seconds, "confidence",
                              set.confidence, "bits_a_second", r->rate, "up", r->up));
    int status = set.record ? record(t, r) : 0;
    return status ? status : bad || (r->was_up && !r->up);
}

static int do_bert(struct torus *t, const struct args *a)
{
    struct torus_bert result;
    unsigned board, port;
    int error = discover(t);
    if (error != TORUS_OK && error != TORUS_E_MISCABLED)
        return report(t, error);
    int status = find_port(t, a->rest, &board, &port);
    if (status)
        return status;
    error = torus_bert(t, board, port, set.seconds, &result);
    return error == TORUS_OK ? put(t, a, &result) : report(t, error);
}

const struct command command_bert = {
    .name = "bert",
    .arguments = "A B|PORT",
    .most = 2,
    .summary = "bit error test of a cable, wire by wire",
    .about =
        "A and B are places, X,Y or X,Y,Z, or names, of two neighbours; or a port of A, x+, x- and "
        "so on. Both ends of the cable send a PRBS for --time, and count the bits that come wrong; "
        "the link is down meanwhile, all others work on. It ends by itself, also where torusctl is "
        "killed. Of each wire that comes to either end: the eye, sampling points half a bit apart "
        "that are good, 0 to 2, the one in use, wrong bits over bits, and what the rate of errors "
        "is below, with a confidence of 95% or --confidence. An end counts up to 2^31 bits a turn, "
        "and less once one wire has 512 errors. No bits: the end did not lock; a wire with an eye "
        "of 0 is dead. Of a link that is not up, and of a cable that joins a port with itself, "
        "there is this one end. Boards with a physical layer only. Exit status 1: a bit came "
        "wrong, or none came, or the link did not come up again.",
    .examples = "bert 0,0 1,0\nbert 0,0 x+ --time 60\n"
                "bert 0,0 x+ --time 600 --record cables.csv --cable '20 cm flat'\n",
    .groups = CONNECTION | REQUESTS | AT_ONCE | PLACES | WRITING | FORMAT,
    .options = options,
    .option = option,
    .idle = idle,
    .prepare = prepare,
    .run = do_bert,
};
