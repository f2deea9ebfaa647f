// SPDX-License-Identifier: Apache-2.0
#include "link_bench.h"

#include <stdlib.h>

uint64_t link_bench_number(struct argp_state *state, const char *arg)
{
    char *end;
    uint64_t number = strtoull(arg, &end, 10);
    if (end == arg || *end || *arg == '-')
        argp_error(state, "%s: not a number", arg);
    return number;
}

bool link_bench_goes_on(const struct link_bench_options *o, unsigned run)
{
    return o->until ? time(NULL) < o->until : run < o->runs;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct link_bench_options *o = state->input;
    char *end;
    switch (key) {
    case 's':
        o->seed = link_bench_number(state, arg);
        return 0;
    case 'c':
        o->cycles = link_bench_number(state, arg);
        return 0;
    case 'r':
        o->runs = (unsigned)link_bench_number(state, arg);
        return 0;
    case 'S':
        o->until = time(NULL) + (time_t)link_bench_number(state, arg);
        return 0;
    case 'k':
        if (link_bench_number(state, arg) >= (uint64_t)o->kinds)
            argp_error(state, "--kind %s: at most %d", arg, o->kinds - 1);
        o->kind = (int)link_bench_number(state, arg);
        return 0;
    case 'e':
        o->rate = strtod(arg, &end);
        if (end == arg || *end || !(o->rate >= 0 && o->rate < 1))
            argp_error(state, "--errors %s: a rate from 0 on, below 1", arg);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option list[] = {
    {"seed", 's', "N", 0, "seed of the first run", 0},
    {"cycles", 'c', "N", 0, "cycles a run, before the cable becomes good", 0},
    {"runs", 'r', "N", 0, "runs, seeds counting up", 0},
    {"seconds", 'S', "N", 0, "new runs begin for so long", 0},
    {"kind", 'k', "N", 0, "0 clean to the last, everything (default: of the seed)", 0},
    {"errors", 'e', "RATE", 0, "bit error rate (default: of the kind)", 0},
    {0}};
const struct argp link_bench_argp = {list, parse, NULL, NULL, NULL, NULL, NULL};

void link_bench_port(struct port *port, const struct ofr_link_shape *shape, struct rng *rng,
                     unsigned fixed)
{
    port_init(port, shape, rng_next(rng));
    port->length_min = fixed == 0 ? shape->slot_flits : 4;
    port->length_max = fixed == 1 ? 4 + rng_below(rng, 5) : shape->slot_flits;
    port->start_permille = rng_below(rng, 2) ? 1000 : 20 + rng_below(rng, 400);
    port->gap_permille = rng_below(rng, 2) ? 0 : rng_below(rng, 700);
    port->hold = 1 + rng_below(rng, rng_below(rng, 2) ? 40 : 1000);
}

void link_bench_press(struct port *port)
{
    port->start_permille = 1000;
    port->gap_permille = 0;
    port->hold = 2;
}
