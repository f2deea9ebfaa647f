// SPDX-License-Identifier: Apache-2.0
// torusctl trace: the links that packets take, by the counters; the boards on a path.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ofr_regs.h"
#include "streams.h"

enum { PATH = 256 };

static struct {
    double load; // 0: not given
    const char *path;
} set;

static const struct argp_option options[] = {
    {"path", PATH, "PORTS", 0, "a directed route, such as x+,x+,y-", 1},
    {"load", 'l', "LOAD", 0, "offered by A, in flits per cycle, header included (0.1)", 1},
    {0},
};

static bool option(int key, char *arg, struct argp_state *state)
{
    if (key == PATH)
        set.path = arg;
    else if (key == 'l')
        set.load = one_load(state, arg);
    else
        return false;
    return true;
}

static const struct column link_columns[] = {
    {"at", "at", 0, 0},           {"port", "port", 0, 0},   {"to", "to", 0, 0},
    {"packets", "packets", 0, 0}, {"share", "share", 0, 0}, {0},
};

static const struct column path_columns[] = {
    {"hop", "hop", 0, 0},
    {"by", "by", 0, 0},
    {"serial", "serial", 0, 0},
    {"at", "at", 0, 0},
    {"arrives_at", "arrives_at", 0, 0},
    {"milliseconds", "milliseconds", 0, 0},
    {0},
};

struct trace {
    const struct shape *s;
    uint64_t *packets; // a node and port: adaptive, escape
    uint64_t deroutes; // by OIDN, WIDN, of the source
    const uint8_t *from;
    int sign;
};

static void add_counters(void *ctx, const uint8_t at[3], const uint64_t *counters)
{
    struct trace *r = ctx;
    unsigned node = torus_node(r->s->k, at);
    for (unsigned p = 0; p < 2 * r->s->dims; p++) {
        uint64_t *out = &r->packets[2 * (node * TORUS_PORTS + p)];
        const uint64_t *in = &counters[p * 12 + 1]; // PACKETS of VC 0; 4 counters a VC
        out[0] += (uint64_t)r->sign * in[0];
        out[1] += (uint64_t)r->sign * (in[4] + in[8]);
    }
    if (!memcmp(at, r->from, 3))
        r->deroutes +=
            (uint64_t)r->sign * (counters[OFR_COUNTER_OIDN] + counters[OFR_COUNTER_WIDN]);
}

// Links in the order of their distance from the source. An escape VC counts only where all packets
// went there: fewer may be management.
static void trace_rows(const struct trace *r, const struct torus_flow *w, struct table *rows)
{
    const struct shape *s = r->s;
    for (unsigned far = 0; far <= 3 * 8; far++)
        for (unsigned node = 0; node < s->nodes; node++) {
            uint8_t at[3], to[3];
            torus_node_at(s->k, node, at);
            if (shape_distance(s, w->from, at) != far)
                continue;
            for (unsigned p = 0; p < 2 * s->dims; p++) {
                const uint64_t *n = &r->packets[2 * (node * TORUS_PORTS + p)];
                uint64_t escape = n[1] >= w->sent ? w->sent : 0;
                if (!n[0] && !escape)
                    continue;
                memcpy(to, at, 3);
                to[p / 2] = (uint8_t)((to[p / 2] + (p % 2 ? s->k[p / 2] - 1u : 1u)) % s->k[p / 2]);
                table_row(rows, json_pack("{s:o,s:s,s:o,s:I,s:f}", "at", json_at(at, s->dims),
                                          "port", torus_port_name(p), "to", json_at(to, s->dims),
                                          "packets", (json_int_t)(n[0] + escape), "share",
                                          (double)(n[0] + escape) / w->sent));
            }
        }
}

static void put_links(const struct args *a, const struct trace *r, const struct torus_flow *flow)
{
    const struct shape *s = r->s;
    struct table *rows = table_begin(a, "hops", link_columns);
    unsigned far = shape_distance(s, flow->from, flow->to);
    char life[80] = "lifetime not known, as the boards' clocks differ";
    if (flow->mean >= 0)
        snprintf(life, sizeof life, "lifetime %.1f cycles, at most %u", flow->mean, flow->max);
    table_note(rows, "%u packets, %llu of them derouted, distance %u; %s", flow->sent,
               (unsigned long long)r->deroutes, far, life);
    trace_rows(r, flow, rows);
    table_end(rows, json_pack("{s:o,s:o,s:i,s:I,s:I,s:o}", "from", json_at(flow->from, s->dims),
                              "to", json_at(flow->to, s->dims), "distance", (int)far, "packets",
                              (json_int_t)flow->sent, "derouted", (json_int_t)r->deroutes, "mean",
                              flow->mean < 0 ? json_null() : json_real(flow->mean)));
}

static int trace_stream(struct torus *t, const struct args *a)
{
    struct torus_flow flow = {0};
    struct torus_flow_options o = stream_options(a, set.load > 0 ? set.load : 0.1);
    struct torus_preset preset;
    struct shape s;
    unsigned generation;
    int status = two_places(a, flow.from, flow.to);
    if (!status)
        status = shape_get(t, &s);
    if (status)
        return status;
    o.untimed = true;
    struct trace r = {.s = &s, .from = flow.from, .sign = -1};
    r.packets = calloc((size_t)s.nodes * TORUS_PORTS * 2, sizeof *r.packets);
    int error = r.packets ? torus_programmed(t, &preset, &generation) : TORUS_E_MEMORY;
    // In order all packets take one way, on the VC that management takes: there must be more.
    if (error == TORUS_OK && preset.routing == TORUS_DOR && !(set.load > 0)) {
        o.load = 1;
        o.cycles += 400 * s.nodes;
    }
    if (error == TORUS_OK)
        error = torus_counters(t, add_counters, &r);
    r.sign = 1;
    if (error == TORUS_OK)
        error = torus_flows(t, &o, &flow, 1);
    if (error == TORUS_OK)
        error = torus_counters(t, add_counters, &r);
    if (error == TORUS_OK)
        put_links(a, &r, &flow);
    free(r.packets);
    return error == TORUS_OK ? streams_end(t, 0) : report(t, error);
}

// Every board on a path of one's own, by directed routes.
static int trace_path(struct torus *t, const struct args *a)
{
    uint8_t path[TORUS_MAX_HOPS];
    unsigned hops;
    if (!parse_path(set.path, path, &hops))
        return 2;
    struct table *rows = table_begin(a, "hops", path_columns);
    int error = TORUS_OK;
    for (unsigned n = 0; n <= hops && error == TORUS_OK; n++) {
        struct torus_identity id;
        error = torus_ping_path(t, path, n, &id);
        if (error == TORUS_OK)
            table_row(rows,
                      json_pack("{s:i,s:s,s:o,s:o,s:s,s:f}", "hop", (int)n, "by",
                                n ? torus_port_name(path[n - 1]) : "plugged in", "serial",
                                json_serial(id.serial), "at",
                                id.configured ? json_at(id.at, id.dims) : json_null(), "arrives_at",
                                id.arrival < TORUS_PORTS ? torus_port_name(id.arrival) : "UART",
                                "milliseconds", 1e3 * id.seconds));
    }
    table_end(rows, NULL);
    return error == TORUS_OK ? 0 : report(t, error);
}

static int prepare(struct args *a)
{
    uint8_t from[3], to[3], path[TORUS_MAX_HOPS];
    unsigned hops;
    if (set.path && a->rest_count)
        return wrong("place", a->rest[0], "either two places or --path");
    if (set.path && set.load > 0)
        return wrong("option", "--load", "there is no traffic along a --path");
    if (set.path)
        return parse_path(set.path, path, &hops) ? GO_ON : 2;
    int status = two_places(a, from, to);
    return status ? status : GO_ON;
}

static int do_trace(struct torus *t, const struct args *a)
{
    return set.path ? trace_path(t, a) : trace_stream(t, a);
}

const struct command command_trace = {
    .name = "trace",
    .arguments = "A B\n--path=PORTS",
    .most = 2,
    .summary = "the links that packets from A to B take; or the boards on --path",
    .about = "The links that packets from A to B take, each with its share, from the counters; or "
             "the boards along a directed route, which works before anything is programmed. A and "
             "B are places, X,Y or X,Y,Z.",
    .examples = "trace 0,0 1,1\ntrace --load 0.9 0,0 2,1\ntrace --path x+,x+,y-\n",
    .groups = CONNECTION | WRITING | FORMAT | STREAM,
    .options = options,
    .option = option,
    .prepare = prepare,
    .run = do_trace,
};
