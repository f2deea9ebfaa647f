// SPDX-License-Identifier: Apache-2.0
#include "streams.h"

#include <stdlib.h>

#include "ofr_regs.h"

int shape_get(struct torus *t, struct shape *s)
{
    uint32_t shape = 0;
    int status = attach(t, &s->missing);
    if (status)
        return status;
    s->dims = torus_sizes(t, s->k);
    s->boards = 0;
    for (unsigned n = 0; next_there(t, &n, s->at[s->boards]); n++)
        s->boards++;
    int error = torus_lease(t, 0); // until streams_end()
    if (error == TORUS_OK)
        error = torus_read(t, NULL, OFR_NODE_SHAPE, &shape);
    s->flit_bytes = (shape & OFR_NODE_SHAPE_W8_MASK) >> OFR_NODE_SHAPE_W8_LSB;
    s->slot_flits = (shape & OFR_NODE_SHAPE_L_MASK) >> OFR_NODE_SHAPE_L_LSB;
    return error == TORUS_OK ? 0 : report(t, error);
}

unsigned shape_distance(const struct shape *s, const uint8_t a[3], const uint8_t b[3])
{
    unsigned sum = 0;
    for (unsigned i = 0; i < 3; i++) {
        unsigned d = a[i] > b[i] ? a[i] - b[i] : b[i] - a[i];
        sum += s->k[i] - d < d ? s->k[i] - d : d;
    }
    return sum;
}

struct torus_flow_options stream_options(const struct args *a, double load)
{
    struct torus_flow_options o = torus_flow_options_default();
    o.load = load;
    o.packet_flits = a->run.packet_flits;
    o.warmup = a->run.warmup;
    o.cycles = a->run.cycles;
    return o;
}

int two_places(const struct args *a)
{
    if (a->rest_count < 2)
        return wrong("command", a->command->name, "write two places after it, X,Y or X,Y,Z each");
    return place_good(a->rest[0]) && place_good(a->rest[1]) ? 0 : 2;
}

int find_places(struct torus *t, const struct args *a, uint8_t from[3], uint8_t to[3])
{
    int status = place_find(t, a->rest[0], from);
    return status ? status : place_find(t, a->rest[1], to);
}

int streams_end(struct torus *t, int status)
{
    int error = status > 1 ? TORUS_OK : torus_release(t);
    return error == TORUS_OK ? status : report(t, error);
}

double one_load(struct argp_state *state, const char *arg)
{
    char *end;
    double load = strtod(arg, &end);
    if (end == arg || *end || !(load > 0 && load <= 1000))
        argp_failure(state, 2, 0, "load '%s': one number above 0, at most 1000", arg);
    return load;
}
