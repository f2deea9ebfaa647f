// SPDX-License-Identifier: Apache-2.0
// torusctl latency: lifetimes of packets between two boards, or all pairs.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "streams.h"

enum { TOGETHER = 256 };

static struct {
    double load;
    bool all, together;
} set = {.load = 0.05};

static const struct argp_option options[] = {
    {"all", 'A', 0, 0, "all pairs, as a matrix, one after the other", 1},
    {"together", TOGETHER, 0, 0, "with --all: all boards send at once, to one other each", 1},
    {"load", 'l', "LOAD", 0, "offered by a source, in flits per cycle, header included (0.05)", 1},
    {0},
};

static bool option(int key, char *arg, struct argp_state *state)
{
    if (key == 'A')
        set.all = true;
    else if (key == TOGETHER)
        set.together = true;
    else if (key == 'l')
        set.load = one_load(state, arg);
    else
        return false;
    return true;
}

static const struct column columns[] = {
    {"from", "from", 0, 0},         {"to", "to", 0, 0},
    {"distance", "distance", 0, 0}, {"streams", "streams", -1, 0},
    {"mean", "mean", 0, 0},         {"max", "max", 0, 0},
    {"packets", "packets", 0, 0},   {0},
};

static json_t *row(const struct shape *s, const struct torus_flow *w)
{
    return json_pack("{s:o,s:o,s:i,s:s,s:o,s:o,s:I}", "from", json_at(w->from, s->dims), "to",
                     json_at(w->to, s->dims), "distance", (int)shape_distance(s, w->from, w->to),
                     "streams", set.together ? "together" : "alone", "mean",
                     w->measured ? json_real(w->mean) : json_null(), "max",
                     w->measured ? json_integer(w->max) : json_null(), "packets",
                     (json_int_t)w->measured);
}

static json_t *head(const struct shape *s, double apart)
{
    return json_pack("{s:o,s:f}", "sizes", json_at(s->k, s->dims), "clocks_apart", apart);
}

// The matrix: a column a destination. A table too, whose columns are made here. Where nothing was
// measured the mean is negative.
static void put_matrix(const struct args *a, const struct shape *s, const double *mean)
{
    struct column *c = calloc(s->boards + 2, sizeof *c);
    char(*name)[PLACE] = calloc(s->boards, sizeof *name);
    if (c && name) {
        int wide = names_longest() > 7 ? (int)names_longest() : 7;
        c[0] = (struct column){"from", "from", 0, 0};
        for (unsigned n = 0; n < s->boards; n++) {
            const char *called = place_name(s->at[n]);
            char place[16];
            snprintf(name[n], PLACE, "%s", called ? called : at_text(s->at[n], s->dims, place));
            c[n + 1] = (struct column){name[n], name[n], wide, 1};
        }
        struct table *rows = table_begin(a, "matrix", c);
        for (unsigned from = 0; from < s->boards; from++) {
            json_t *row = json_object();
            json_object_set_new(row, "from", json_string(name[from]));
            for (unsigned to = 0; to < s->boards; to++)
                json_object_set_new(row, name[to],
                                    from == to || mean[from * s->boards + to] < 0
                                        ? json_null()
                                        : json_real(mean[from * s->boards + to]));
            table_row(rows, row);
        }
        table_end(rows, NULL);
    }
    free(c);
    free(name);
}

// All pairs: each alone; or one run a shift, in which every board sends to the one so many numbers
// on, all of them in the same cycle, so that packets meet.
static int latency_all(struct torus *t, const struct args *a, const struct shape *s,
                       const struct torus_flow_options *o)
{
    struct torus_flow *flow = calloc(s->boards, sizeof *flow);
    double *mean = calloc((size_t)s->boards * s->boards, sizeof *mean);
    if (!flow || !mean) {
        free(flow);
        free(mean);
        return wrong("command", "latency --all", "out of memory");
    }
    struct table *rows = table_begin(a, "pairs", columns);
    json_t *pairs = json_array(), *pair;
    size_t i;
    int error = TORUS_OK, status;
    unsigned at_once = set.together ? s->boards : 1;
    for (unsigned shift = 1; shift < s->boards && error == TORUS_OK; shift++) {
        for (unsigned n = 0; n < s->boards; n++) {
            memcpy(flow[n].from, s->at[n], 3);
            memcpy(flow[n].to, s->at[(n + shift) % s->boards], 3);
        }
        for (unsigned n = 0; n < s->boards && error == TORUS_OK; n += at_once) {
            progress_bar("pairs", (shift - 1) * s->boards + n, (s->boards - 1) * s->boards);
            error = torus_flows(t, o, &flow[n], at_once);
        }
        for (unsigned n = 0; n < s->boards && error == TORUS_OK; n++) {
            json_array_append_new(pairs, row(s, &flow[n]));
            mean[n * s->boards + (n + shift) % s->boards] = flow[n].measured ? flow[n].mean : -1;
        }
    }
    progress_bar("", 1, 1);
    status = error == TORUS_OK ? 0 : report(t, error);
    if (!status && a->format == TEXT) {
        table_note(rows, "mean lifetime in cycles, row to column; %s",
                   set.together ? "all boards send at once" : "one pair at a time");
        put_apart(a, flow->apart);
        put_matrix(a, s, mean);
    } else if (!status) {
        json_array_foreach(pairs, i, pair)
        {
            table_row(rows, json_incref(pair));
        }
        table_end(rows, head(s, flow->apart));
        rows = NULL;
    }
    if (rows)
        table_drop(rows);
    json_decref(pairs);
    free(flow);
    free(mean);
    return streams_end(t, !status && s->missing ? 1 : status);
}

static int prepare(struct args *a)
{
    if (set.all && a->rest_count)
        return wrong("place", a->rest[0], "either two places or --all");
    if (set.together && !set.all)
        return wrong("option", "--together", "with --all");
    int status = set.all ? 0 : two_places(a);
    return status ? status : GO_ON;
}

static int do_latency(struct torus *t, const struct args *a)
{
    struct torus_flow flow[2] = {0};
    struct torus_flow_options o = stream_options(a, set.load);
    struct shape s;
    int error = TORUS_OK, status = shape_get(t, &s);
    if (!status && !set.all)
        status = find_places(t, a, flow[0].from, flow[0].to);
    if (status)
        return status;
    if (set.all)
        return latency_all(t, a, &s, &o);
    memcpy(flow[1].from, flow[0].to, 3);
    memcpy(flow[1].to, flow[0].from, 3);
    for (unsigned i = 0; i < 2 && error == TORUS_OK; i++)
        error = torus_flows(t, &o, &flow[i], 1);
    if (error != TORUS_OK)
        return report(t, error);
    struct table *rows = table_begin(a, "pairs", columns);
    put_apart(a, flow[1].apart);
    for (unsigned i = 0; i < 2; i++)
        table_row(rows, row(&s, &flow[i]));
    table_end(rows, head(&s, flow[1].apart));
    return streams_end(t, 0);
}

const struct command command_latency = {
    .name = "latency",
    .arguments = "A B\n--all",
    .most = 2,
    .summary = "lifetimes of packets between A and B; --all: of all pairs",
    .about =
        "Lifetimes of packets from A to B and back, or a matrix of all pairs, in cycles from "
        "generation to the tail's delivery. One pair sends at a time, all other boards are silent: "
        "what latency A B and latency --all say of a pair is the same. N (N - 1) pairs take their "
        "time; with --together every board sends, to one other each, so that there are N - 1 "
        "measurements only, but packets meet and wait for each other. A and B are places, X,Y or "
        "X,Y,Z.",
    .examples = "latency 0,0 2,1\nlatency --all\nlatency --all --together --format csv\n",
    .groups = CONNECTION | REQUESTS | AT_ONCE | PLACES | WRITING | FORMAT | STREAM,
    .options = options,
    .option = option,
    .prepare = prepare,
    .run = do_latency,
};
