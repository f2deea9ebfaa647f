// SPDX-License-Identifier: Apache-2.0
// torusctl bandwidth: of streams between two boards.
#include <string.h>

#include "streams.h"

static double load = 1;

static const struct argp_option options[] = {
    {"load", 'l', "LOAD", 0, "offered by a source, in flits per cycle, header included (1)", 1},
    {0},
};

static bool option(int key, char *arg, struct argp_state *state)
{
    if (key == 'l')
        load = one_load(state, arg);
    return key == 'l';
}

static const struct column columns[] = {
    {"from", "from", 0, 0},
    {"to", "to", 0, 0},
    {"distance", "distance", 0, 0},
    {"streams", "streams", -1, 0},
    {"offered", "offered", 0, 0},
    {"accepted", "accepted", 0, 0},
    {"bytes_per_cycle", "bytes_per_cycle", 0, 0},
    {"mean", "mean", 0, 0},
    {"packets", "packets", 0, 0},
    {0},
};

static void put(const struct args *a, const struct shape *s, const struct torus_flow flow[4])
{
    static const char *const both[] = {"alone", "alone", "both ways", "both ways"};
    struct table *rows = table_begin(a, "streams", columns);
    table_note(rows,
               "loads in flits of %u bytes per cycle, headers included; mean lifetime in cycles",
               s->flit_bytes);
    put_apart(a, flow[3].apart);
    for (unsigned i = 0; i < 4; i++)
        table_row(rows,
                  json_pack("{s:o,s:o,s:i,s:s,s:f,s:f,s:f,s:o,s:I}", "from",
                            json_at(flow[i].from, s->dims), "to", json_at(flow[i].to, s->dims),
                            "distance", (int)shape_distance(s, flow[i].from, flow[i].to), "streams",
                            both[i], "offered", load, "accepted", flow[i].accepted,
                            "bytes_per_cycle", flow[i].accepted * s->flit_bytes, "mean",
                            flow[i].measured ? json_real(flow[i].mean) : json_null(), "packets",
                            (json_int_t)flow[i].received));
    table_end(rows, json_pack("{s:i,s:f}", "flit_bytes", (int)s->flit_bytes, "clocks_apart",
                              flow[3].apart));
}

static int prepare(struct args *a)
{
    int status = two_places(a);
    return status ? status : GO_ON;
}

static int do_bandwidth(struct torus *t, const struct args *a)
{
    struct torus_flow flow[4] = {0};
    struct torus_flow_options o = stream_options(a, load);
    struct shape s;
    int status = shape_get(t, &s);
    if (!status)
        status = find_places(t, a, flow[0].from, flow[0].to);
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
    put(a, &s, flow);
    return streams_end(t, 0);
}

const struct command command_bandwidth = {
    .name = "bandwidth",
    .arguments = "A B",
    .most = 2,
    .summary = "of streams between A and B",
    .about = "Of a stream from A to B, of one back, and of both at once, by the checkers; all "
             "other boards are silent. A and B are places, X,Y or X,Y,Z.",
    .examples = "bandwidth 0,0 2,1\nbandwidth --load 0.5 --format json 0,0 2,1\n",
    .groups = CONNECTION | REQUESTS | AT_ONCE | PLACES | WRITING | FORMAT | STREAM,
    .options = options,
    .option = option,
    .prepare = prepare,
    .run = do_bandwidth,
};
