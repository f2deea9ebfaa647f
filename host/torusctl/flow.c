// SPDX-License-Identifier: Apache-2.0
// torusctl bandwidth, latency and trace: streams from board to board.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl.h"
#include "ofr_regs.h"

struct shape {
    unsigned dims, nodes, flit_bytes;
    uint8_t k[3];
};

// What the commands share: attached, sizes, bytes a flit. Exit status.
static int get_shape(struct torus *t, struct shape *s)
{
    uint32_t shape;
    int status = attach(t, NULL);
    if (status)
        return status;
    s->dims = torus_sizes(t, s->k);
    s->nodes = (unsigned)s->k[0] * s->k[1] * s->k[2];
    int error = torus_read(t, NULL, OFR_NODE_SHAPE, &shape);
    s->flit_bytes = (shape & OFR_NODE_SHAPE_W8_MASK) >> OFR_NODE_SHAPE_W8_LSB;
    return error == TORUS_OK ? 0 : report(t, error);
}

static void node_place(const struct shape *s, unsigned node, uint8_t at[3])
{
    at[0] = (uint8_t)(node % s->k[0]);
    at[1] = (uint8_t)(node / s->k[0] % s->k[1]);
    at[2] = (uint8_t)(node / s->k[0] / s->k[1]);
}

static unsigned distance(const struct shape *s, const uint8_t a[3], const uint8_t b[3])
{
    unsigned sum = 0;
    for (unsigned i = 0; i < 3; i++) {
        unsigned d = a[i] > b[i] ? a[i] - b[i] : b[i] - a[i];
        sum += s->k[i] - d < d ? s->k[i] - d : d;
    }
    return sum;
}

// The settings: --load (of `load` if it is not given), --length, --warmup, --cycles.
static int flow_options(const struct args *a, double load, struct torus_flow_options *o)
{
    char *end = NULL;
    *o = torus_flow_options_default();
    o->load = a->loads ? strtod(a->loads, &end) : load;
    if (a->loads && (end == a->loads || *end || !(o->load > 0 && o->load <= 1000)))
        return wrong("load", a->loads, "one number above 0, at most 1000");
    o->packet_flits = a->run.packet_flits;
    o->warmup = a->run.warmup;
    o->cycles = a->run.cycles;
    return 0;
}

// The two places that stand after the command. Exit status.
static int two_places(const struct args *a, uint8_t from[3], uint8_t to[3])
{
    if (a->rest_count < 2)
        return wrong("command", a->command, "write two places after it, X,Y or X,Y,Z each");
    return parse_at(a->rest[0], from) && parse_at(a->rest[1], to) ? 0 : 2;
}

static int done(struct torus *t, int status)
{
    int error = status ? TORUS_OK : torus_release(t);
    return error == TORUS_OK ? status : report(t, error);
}

// Bandwidth ---------------------------------------------------------------------------------------

int do_bandwidth(struct torus *t, const struct args *a)
{
    static const char *const both[] = {"alone", "alone", "both ways", "both ways"};
    struct torus_flow flow[4] = {0};
    struct torus_flow_options o;
    struct shape s;
    int status = two_places(a, flow[0].from, flow[0].to);
    if (!status)
        status = flow_options(a, 1, &o);
    if (!status)
        status = get_shape(t, &s);
    if (status)
        return status;
    memcpy(flow[1].from, flow[0].to, 3);
    memcpy(flow[1].to, flow[0].from, 3);
    memcpy(&flow[2], flow, 2 * sizeof *flow);
    int error = torus_flows(t, &o, &flow[0], 1);
    if (error == TORUS_OK)
        error = torus_flows(t, &o, &flow[1], 1);
    if (error == TORUS_OK)
        error = torus_flows(t, &o, &flow[2], 2);
    if (error != TORUS_OK)
        return report(t, error);
    json_t *rows = json_array();
    for (unsigned i = 0; i < 4; i++)
        json_array_append_new(
            rows, json_pack("{s:o,s:o,s:i,s:s,s:f,s:f,s:f,s:f,s:I}", "from",
                            json_at(flow[i].from, s.dims), "to", json_at(flow[i].to, s.dims),
                            "distance", (int)distance(&s, flow[i].from, flow[i].to), "streams",
                            both[i], "offered", o.load, "accepted", flow[i].accepted,
                            "bytes_per_cycle", flow[i].accepted * s.flit_bytes, "mean",
                            flow[i].mean, "packets", (json_int_t)flow[i].received));
    if (a->format == TEXT)
        printf("loads in flits of %u bytes per cycle, headers included; mean lifetime in cycles\n",
               s.flit_bytes);
    put_apart(a, flow[3].apart);
    put_rows(a,
             json_pack("{s:i,s:f}", "flit_bytes", (int)s.flit_bytes, "clocks_apart", flow[3].apart),
             "streams", rows, NULL);
    return done(t, 0);
}

// Latency -----------------------------------------------------------------------------------------

static void latency_row(json_t *rows, const struct shape *s, const struct torus_flow *w)
{
    json_array_append_new(rows,
                          json_pack("{s:o,s:o,s:i,s:f,s:I,s:I}", "from", json_at(w->from, s->dims),
                                    "to", json_at(w->to, s->dims), "distance",
                                    (int)distance(s, w->from, w->to), "mean", w->mean, "max",
                                    (json_int_t)w->max, "packets", (json_int_t)w->measured));
}

static void put_pairs(const struct args *a, const struct shape *s, double apart, json_t *rows)
{
    put_rows(a, json_pack("{s:o,s:f}", "sizes", json_at(s->k, s->dims), "clocks_apart", apart),
             "pairs", json_incref(rows), NULL);
}

static void print_matrix(const struct shape *s, const double *mean)
{
    uint8_t at[3];
    char place[16];
    printf("mean lifetime in cycles, row to column\n%8s", "");
    for (unsigned to = 0; to < s->nodes; to++) {
        node_place(s, to, at);
        at_text(at, s->dims, place);
        printf(" %7s", place);
    }
    putchar('\n');
    for (unsigned from = 0; from < s->nodes; from++) {
        node_place(s, from, at);
        at_text(at, s->dims, place);
        printf("%8s", place);
        for (unsigned to = 0; to < s->nodes; to++)
            if (from == to)
                printf(" %7s", "-");
            else
                printf(" %7.1f", mean[from * s->nodes + to]);
        putchar('\n');
    }
}

// All pairs: one run a shift, in which every board sends to the one so many numbers on.
static int latency_all(struct torus *t, const struct args *a, const struct shape *s,
                       const struct torus_flow_options *o)
{
    struct torus_flow *flow = calloc(s->nodes, sizeof *flow);
    double *mean = calloc((size_t)s->nodes * s->nodes, sizeof *mean);
    json_t *rows = json_array();
    int error = TORUS_OK, status = 2;
    if (!flow || !mean) {
        wrong("command", "latency --all", "out of memory");
        goto out;
    }
    for (unsigned shift = 1; shift < s->nodes && error == TORUS_OK; shift++) {
        progress("shifts", shift - 1, s->nodes - 1);
        for (unsigned n = 0; n < s->nodes; n++) {
            node_place(s, n, flow[n].from);
            node_place(s, (n + shift) % s->nodes, flow[n].to);
        }
        error = torus_flows(t, o, flow, s->nodes);
        for (unsigned n = 0; n < s->nodes && error == TORUS_OK; n++) {
            latency_row(rows, s, &flow[n]);
            mean[n * s->nodes + (n + shift) % s->nodes] = flow[n].mean;
        }
    }
    progress("", 1, 1);
    status = error == TORUS_OK ? 0 : report(t, error);
    if (!status && a->format == TEXT)
        print_matrix(s, mean);
    if (!status)
        put_apart(a, flow->apart);
    if (!status && a->format != TEXT)
        put_pairs(a, s, flow->apart, rows);
out:
    json_decref(rows);
    free(flow);
    free(mean);
    return done(t, status);
}

int do_latency(struct torus *t, const struct args *a)
{
    struct torus_flow flow[2] = {0};
    struct torus_flow_options o;
    struct shape s;
    if (a->all && a->rest_count)
        return wrong("place", a->rest[0], "either two places or --all");
    int status = a->all ? 0 : two_places(a, flow[0].from, flow[0].to);
    if (!status)
        status = flow_options(a, 0.05, &o);
    if (!status)
        status = get_shape(t, &s);
    if (status)
        return status;
    if (a->all)
        return latency_all(t, a, &s, &o);
    memcpy(flow[1].from, flow[0].to, 3);
    memcpy(flow[1].to, flow[0].from, 3);
    json_t *rows = json_array();
    int error = TORUS_OK;
    for (unsigned i = 0; i < 2 && error == TORUS_OK; i++) {
        error = torus_flows(t, &o, &flow[i], 1);
        latency_row(rows, &s, &flow[i]);
    }
    if (error == TORUS_OK) {
        put_apart(a, flow[1].apart);
        put_pairs(a, &s, flow[1].apart, rows);
    }
    json_decref(rows);
    return error == TORUS_OK ? done(t, 0) : report(t, error);
}

// Trace -------------------------------------------------------------------------------------------

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
static void trace_rows(const struct trace *r, const struct torus_flow *w, json_t *rows)
{
    const struct shape *s = r->s;
    for (unsigned far = 0; far <= 3 * 8; far++)
        for (unsigned node = 0; node < s->nodes; node++) {
            uint8_t at[3], to[3];
            node_place(s, node, at);
            if (distance(s, w->from, at) != far)
                continue;
            for (unsigned p = 0; p < 2 * s->dims; p++) {
                const uint64_t *n = &r->packets[2 * (node * TORUS_PORTS + p)];
                uint64_t escape = n[1] >= w->sent ? w->sent : 0;
                if (!n[0] && !escape)
                    continue;
                memcpy(to, at, 3);
                to[p / 2] = (uint8_t)((to[p / 2] + (p % 2 ? s->k[p / 2] - 1u : 1u)) % s->k[p / 2]);
                json_array_append_new(
                    rows, json_pack("{s:o,s:s,s:o,s:I,s:f}", "at", json_at(at, s->dims), "port",
                                    torus_port_name(p), "to", json_at(to, s->dims), "packets",
                                    (json_int_t)(n[0] + escape), "share",
                                    (double)(n[0] + escape) / w->sent));
            }
        }
}

static int trace_stream(struct torus *t, const struct args *a)
{
    struct torus_flow flow = {0};
    struct torus_flow_options o;
    struct torus_preset preset;
    struct shape s;
    unsigned generation;
    int status = two_places(a, flow.from, flow.to);
    if (!status)
        status = flow_options(a, 0.1, &o);
    if (!status)
        status = get_shape(t, &s);
    if (status)
        return status;
    o.untimed = true;
    struct trace r = {.s = &s, .from = flow.from, .sign = -1};
    json_t *rows = json_array();
    r.packets = calloc((size_t)s.nodes * TORUS_PORTS * 2, sizeof *r.packets);
    int error = r.packets ? torus_programmed(t, &preset, &generation) : TORUS_E_MEMORY;
    // In order all packets take one way, on the VC that management takes: there must be more.
    if (error == TORUS_OK && preset.routing == TORUS_DOR && !a->loads) {
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
    if (error == TORUS_OK) {
        trace_rows(&r, &flow, rows);
        if (a->format == TEXT)
            printf("%u packets, %llu of them derouted, distance %u; ", flow.sent,
                   (unsigned long long)r.deroutes, distance(&s, flow.from, flow.to));
        if (a->format == TEXT && flow.mean < 0)
            printf("lifetime not known, as the boards' clocks differ\n");
        else if (a->format == TEXT)
            printf("lifetime %.1f cycles, at most %u\n", flow.mean, flow.max);
        put_rows(a,
                 json_pack("{s:o,s:o,s:i,s:I,s:I,s:o}", "from", json_at(flow.from, s.dims), "to",
                           json_at(flow.to, s.dims), "distance",
                           (int)distance(&s, flow.from, flow.to), "packets", (json_int_t)flow.sent,
                           "derouted", (json_int_t)r.deroutes, "mean",
                           flow.mean < 0 ? json_null() : json_real(flow.mean)),
                 "hops", json_incref(rows), NULL);
    }
    json_decref(rows);
    free(r.packets);
    return error == TORUS_OK ? done(t, 0) : report(t, error);
}

// Every board on a path of one's own, by directed routes.
static int trace_path(struct torus *t, const struct args *a)
{
    uint8_t path[TORUS_MAX_HOPS];
    unsigned hops;
    if (!parse_path(a->path, path, &hops))
        return 2;
    json_t *rows = json_array();
    int error = TORUS_OK;
    for (unsigned n = 0; n <= hops && error == TORUS_OK; n++) {
        struct torus_identity id;
        error = torus_ping_path(t, path, n, &id);
        if (error == TORUS_OK)
            json_array_append_new(
                rows, json_pack("{s:i,s:s,s:o,s:o,s:s,s:f}", "hop", (int)n, "by",
                                n ? torus_port_name(path[n - 1]) : "plugged in", "serial",
                                json_serial(id.serial), "at",
                                id.configured ? json_at(id.at, id.dims) : json_null(), "arrives_at",
                                id.arrival < TORUS_PORTS ? torus_port_name(id.arrival) : "UART",
                                "milliseconds", 1e3 * id.seconds));
    }
    put_rows(a, json_object(), "hops", rows, NULL);
    return error == TORUS_OK ? 0 : report(t, error);
}

int do_trace(struct torus *t, const struct args *a)
{
    if (a->path && a->rest_count)
        return wrong("place", a->rest[0], "either two places or --path");
    return a->path ? trace_path(t, a) : trace_stream(t, a);
}
