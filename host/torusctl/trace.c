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
    {"path", PATH, "PORT[,...]", 0, "a directed route, such as x+,x+,y-", 1},
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

// Packets that went out of each port, by VC: the counters give packets and flits of all that went
// there, those of management included, which takes the escape VCs too. Its packets have a length of
// their own, so that both are known: p packets and f flits are (f - p m) / (l - m) packets of l
// flits, where management's have m. A board that latches its counters while a packet of management
// goes through has some flits too few; l - m is at least m, so that a remainder is left, and the
// counters are latched again.
enum { MGMT_BYTES = 32, VCS = 3, MOST_LOOKS = 20 };

struct trace {
    const struct shape *s;
    unsigned length, mgmt;           // flits a packet
    int64_t (*before)[2], (*now)[2]; // a node, port and VC: packets, flits
    uint64_t deroutes;               // by OIDN, WIDN, of the source
    const uint8_t *from;
};

static void add_counters(void *ctx, const uint8_t at[3], const uint64_t *counters)
{
    struct trace *r = ctx;
    unsigned node = torus_node(r->s->k, at);
    for (unsigned i = 0; i < TORUS_PORTS * VCS; i++) { // 4 counters a VC
        bool has = i < 2 * r->s->dims * VCS;
        r->now[node * TORUS_PORTS * VCS + i][0] = has ? (int64_t)counters[4 * i + 1] : 0;
        r->now[node * TORUS_PORTS * VCS + i][1] = has ? (int64_t)counters[4 * i] : 0;
    }
    if (!memcmp(at, r->from, 3))
        r->deroutes = counters[OFR_COUNTER_OIDN] + counters[OFR_COUNTER_WIDN];
}

// The stream's packets since `before` on a VC; whole: no packet was cut by a snapshot.
static int64_t on_vc(const struct trace *r, size_t i, bool *whole)
{
    int64_t packets = r->now[i][0] - r->before[i][0], flits = r->now[i][1] - r->before[i][1];
    int64_t more = flits - packets * r->mgmt, each = (int64_t)r->length - r->mgmt;
    *whole &= more % each == 0 && more / each >= 0 && more / each <= packets;
    return more / each;
}

// Counters such that nothing is cut since `before`.
static int look(struct torus *t, struct trace *r)
{
    bool whole = false;
    int error = TORUS_OK;
    for (unsigned i = 0; i < MOST_LOOKS && !whole && error == TORUS_OK; i++) {
        error = torus_counters(t, add_counters, r);
        whole = true;
        for (size_t vc = 0; vc < (size_t)r->s->boards * TORUS_PORTS * VCS; vc++)
            on_vc(r, vc, &whole);
    }
    return error == TORUS_OK && !whole ? TORUS_E_FAILED : error;
}

// A first look, which a second one agrees with.
static int look_first(struct torus *t, struct trace *r)
{
    size_t bytes = (size_t)r->s->boards * TORUS_PORTS * VCS * sizeof *r->now;
    int error = TORUS_E_FAILED;
    for (unsigned i = 0; i < MOST_LOOKS && error == TORUS_E_FAILED; i++) {
        error = torus_counters(t, add_counters, r);
        memcpy(r->before, r->now, bytes);
        if (error == TORUS_OK)
            error = look(t, r);
    }
    return error;
}

// Links in the order of their distance from the source.
static void trace_rows(const struct trace *r, const struct torus_flow *w, struct table *rows)
{
    const struct shape *s = r->s;
    for (unsigned far = 0; far <= 3 * 8; far++)
        for (unsigned node = 0; node < s->boards; node++) {
            uint8_t at[3], to[3];
            torus_node_at(s->k, node, at);
            if (shape_distance(s, w->from, at) != far)
                continue;
            for (unsigned p = 0; p < 2 * s->dims; p++) {
                bool whole = true;
                int64_t packets = 0;
                for (unsigned vc = 0; vc < VCS; vc++)
                    packets += on_vc(r, (node * TORUS_PORTS + p) * VCS + vc, &whole);
                if (!packets)
                    continue;
                memcpy(to, at, 3);
                to[p / 2] = (uint8_t)((to[p / 2] + (p % 2 ? s->k[p / 2] - 1u : 1u)) % s->k[p / 2]);
                table_row(rows,
                          json_pack("{s:o,s:s,s:o,s:I,s:f}", "at", json_at(at, s->dims), "port",
                                    torus_port_name(p), "to", json_at(to, s->dims), "packets",
                                    (json_int_t)packets, "share", (double)packets / w->sent));
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
    struct shape s;
    int status = shape_get(t, &s);
    if (!status && s.missing)
        status = wrong("torus", "with boards missing", "trace reads counters of all of them");
    if (!status)
        status = find_places(t, a, flow.from, flow.to);
    if (status)
        return status;
    o.untimed = true;
    uint32_t shape;
    int error = torus_read(t, NULL, OFR_NODE_SHAPE, &shape);
    if (error != TORUS_OK)
        return report(t, error);
    struct trace r = {.s = &s, .from = flow.from, .mgmt = MGMT_BYTES / s.flit_bytes};
    if (!o.packet_flits)
        o.packet_flits = (shape & OFR_NODE_SHAPE_L_MASK) >> OFR_NODE_SHAPE_L_LSB;
    r.length = o.packet_flits;
    if (r.length < 2 * r.mgmt) {
        char text[16];
        snprintf(text, sizeof text, "%u", r.length);
        return wrong("length", text,
                     "twice that of management's packets (32 bytes) or more, by "
                     "which the counters tell them apart");
    }
    size_t counters = (size_t)s.boards * TORUS_PORTS * VCS;
    r.before = calloc(counters, sizeof *r.before);
    r.now = calloc(counters, sizeof *r.now);
    error = r.before && r.now ? look_first(t, &r) : TORUS_E_MEMORY;
    uint64_t deroutes = r.deroutes;
    if (error == TORUS_OK)
        error = torus_flows(t, &o, &flow, 1);
    if (error == TORUS_OK)
        error = look(t, &r);
    r.deroutes -= deroutes;
    if (error == TORUS_OK)
        put_links(a, &r, &flow);
    free(r.before);
    free(r.now);
    if (error == TORUS_E_FAILED && !*torus_detail(t))
        return wrong("command", "trace", "other traffic is on the links");
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

static const char *idle(const struct args *a, const struct given *o)
{
    (void)a;
    if (!set.path)
        return NULL;
    if (o->group == WRITING || o->group == STREAM || !strcmp(o->name, "load"))
        return "there is no traffic along a --path";
    return o->group == AT_ONCE ? "the boards of a --path are asked one after the other" : NULL;
}

static int prepare(struct args *a)
{
    uint8_t path[TORUS_MAX_HOPS];
    unsigned hops;
    if (set.path && a->rest_count)
        return wrong("place", a->rest[0], "either two places or --path");
    if (set.path)
        return parse_path(set.path, path, &hops) ? GO_ON : 2;
    int status = two_places(a);
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
    .groups = CONNECTION | REQUESTS | AT_ONCE | PLACES | WRITING | FORMAT | STREAM,
    .options = options,
    .option = option,
    .idle = idle,
    .prepare = prepare,
    .run = do_trace,
};
