// SPDX-License-Identifier: Apache-2.0
#include "golden.h"

#include <stdlib.h>

bool golden_init(struct golden *g, const struct fabric_options *options,
                 const struct ofr_config *base)
{
    struct rng rng = {options->seed};
    *g = (struct golden){.nodes = ofr_nodes(&options->torus)};
    g->fabric = fabric_new(options);
    g->router = calloc(g->nodes, sizeof *g->router);
    g->config = calloc(g->nodes, sizeof *g->config);
    g->out = calloc(g->nodes, sizeof *g->out);
    g->in = calloc(g->nodes, sizeof *g->in);
    bool ok = g->fabric && g->router && g->config && g->out && g->in;
    for (uint32_t n = 0; ok && n < g->nodes; n++) {
        void *memory = malloc(ofr_router_size(&options->shape));
        g->router[n] = memory ? ofr_router_init(memory, &options->shape) : NULL;
        if (!g->router[n]) {
            free(memory);
            ok = false;
            break;
        }
        ofr_router_seed(g->router[n], (uint32_t)rng_next(&rng));
        g->config[n] = *base;
        g->config[n].torus = options->torus;
        g->config[n].me = ofr_node_coord(&options->torus, n);
        g->out[n] = ofr_router_out(g->router[n]);
    }
    if (!ok)
        golden_free(g);
    return ok;
}

void golden_free(struct golden *g)
{
    for (uint32_t n = 0; g->router && n < g->nodes; n++)
        free(g->router[n]);
    fabric_free(g->fabric);
    free(g->router);
    free(g->config);
    free(g->out);
    free(g->in);
    *g = (struct golden){0};
}

void golden_step(struct golden *g)
{
    fabric_cycle(g->fabric, g->out, g->in);
    for (uint32_t n = 0; n < g->nodes; n++)
        ofr_router_step(g->router[n], &g->in[n], &g->config[n]);
    g->cycle++;
}

void golden_skip(struct golden *g, uint64_t cycles)
{
    g->cycle += fabric_skip(g->fabric, cycles);
}

bool golden_watchdog(const struct golden *g)
{
    for (uint32_t n = 0; n < g->nodes; n++)
        if (g->out[n]->watchdog)
            return true;
    return false;
}

bool golden_idle(const struct golden *g)
{
    for (uint32_t n = 0; n < g->nodes; n++)
        if (!g->out[n]->drained)
            return false;
    return fabric_drained(g->fabric);
}

bool golden_drain(struct golden *g, uint64_t limit)
{
    fabric_stop(g->fabric);
    for (uint64_t i = 0; i < limit && !golden_idle(g) && !fabric_error(g->fabric); i++)
        golden_step(g);
    return golden_idle(g) && !fabric_error(g->fabric);
}

uint64_t golden_counter(const struct golden *g, unsigned index)
{
    uint64_t sum = 0;
    for (uint32_t n = 0; n < g->nodes; n++)
        sum += ofr_router_counters(g->router[n])[index];
    return sum;
}
