// SPDX-License-Identifier: Apache-2.0
#include "limit/limit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A path of a flow; its links by class.
struct path {
    struct path *next;
    double carries; // of the flow's demand, links' capacities
    uint32_t length, link[];
};

struct solver {
    const struct net_demand *demand;
    double unit; // demand of share 1 at load 1
    struct net_shortest shortest;
    uint32_t links, ports;
    uint32_t *class;       // per link: the link that stands for it
    bool *stands;          // per link: it stands for others or itself, and exists
    double *load;          // per class, at load 1
    double *length;        // per class
    double *spread;        // per link: its class's, as they were when paths were looked for last
    double largest, sharp; // length = exp(sharp (load / largest - 1)) + FLOOR
    int *differs;          // per class: scratch, 0 between calls
    struct path **of;      // per flow
};

// Keeps hops from being free.
#define FLOOR 1e-9

static double length_of(const struct solver *x, double load)
{
    return exp(x->sharp * (load / x->largest - 1)) + FLOOR;
}

static double path_length(const struct solver *x, const struct path *path)
{
    double sum = 0;
    for (uint32_t i = 0; i < path->length; i++)
        sum += x->length[path->link[i]];
    return sum;
}

static void move(struct solver *x, const struct path *path, double amount)
{
    for (uint32_t i = 0; i < path->length; i++) {
        uint32_t link = path->link[i];
        x->load[link] += amount;
        x->length[link] = length_of(x, x->load[link]);
    }
}

// Of a flow: moves from each path to the shortest what makes them equally long.
static void balance(struct solver *x, struct path **list)
{
    struct path *best = *list;
    double least = INFINITY;
    for (struct path *p = *list; p; p = p->next) {
        double length = path_length(x, p);
        if (length < least) {
            least = length;
            best = p;
        }
    }
    for (struct path **at = list; *at;) {
        struct path *p = *at;
        double curve = 0;
        if (p == best) {
            at = &p->next;
            continue;
        }
        double longer = path_length(x, p) - path_length(x, best);
        for (uint32_t i = 0; i < p->length; i++)
            x->differs[p->link[i]]++;
        for (uint32_t i = 0; i < best->length; i++)
            x->differs[best->link[i]]--;
        for (int b = 0; b < 2; b++) {
            const struct path *q = b ? best : p;
            for (uint32_t i = 0; i < q->length; i++) {
                double by = x->differs[q->link[i]];
                x->differs[q->link[i]] = 0;
                curve += by * by * x->length[q->link[i]];
            }
        }
        if (longer > 0 && curve > 0) {
            double amount = longer * x->largest / (x->sharp * curve);
            amount = amount < p->carries ? amount : p->carries;
            move(x, p, -amount);
            move(x, best, amount);
            p->carries -= amount;
            best->carries += amount;
        }
        if (p->carries > 0) {
            at = &p->next;
        } else {
            *at = p->next;
            free(p);
        }
    }
}

// Adds the path to a flow's, if it is not among them. False: out of memory.
static bool add_path(struct solver *x, struct path **list, const struct net_path *found,
                     double carries)
{
    struct path *path = malloc(sizeof *path + found->length * sizeof *path->link);
    if (!path)
        return false;
    path->carries = carries;
    path->length = found->length;
    for (uint32_t i = 0; i < found->length; i++)
        path->link[i] = x->class[found->link[i]];
    for (struct path *p = *list; p; p = p->next)
        if (p->length == path->length &&
            !memcmp(p->link, path->link, path->length * sizeof *path->link)) {
            free(path);
            return true;
        }
    path->next = *list;
    *list = path;
    if (carries > 0)
        move(x, path, carries);
    return true;
}

// In a large torus one look at all flows takes a minute, so every loop over them asks.
static bool stopped(atomic_bool *stop)
{
    return stop && atomic_load(stop);
}

// Looks for the shortest path of every flow at lengths as they are; sum: of demand times distance.
static bool search(struct solver *x, bool first, atomic_bool *stop, double *sum)
{
    for (uint32_t link = 0; link < x->links; link++)
        x->spread[link] = x->length[x->class[link]];
    net_shortest_changed(&x->shortest);
    *sum = 0;
    for (uint32_t f = 0; f < x->demand->count && !stopped(stop); f++) {
        const struct net_flow *flow = &x->demand->flow[f];
        const struct net_path *found;
        double amount = flow->share * x->unit;
        double distance = net_shortest(&x->shortest, flow->source, flow->destination, &found);
        if (!isfinite(distance) || !add_path(x, &x->of[f], found, first ? amount : 0))
            return false;
        *sum += amount * distance;
    }
    return true;
}

// Loads anew from the flows, without the rounding of many moves; the largest; lengths by that.
static void measure(struct solver *x)
{
    memset(x->load, 0, x->links * sizeof *x->load);
    for (uint32_t f = 0; f < x->demand->count; f++)
        for (const struct path *p = x->of[f]; p; p = p->next)
            for (uint32_t i = 0; i < p->length; i++)
                x->load[p->link[i]] += p->carries;
    x->largest = 0;
    for (uint32_t link = 0; link < x->links; link++)
        x->largest = x->load[link] > x->largest ? x->load[link] : x->largest;
    for (uint32_t link = 0; link < x->links; link++)
        x->length[link] = length_of(x, x->load[link]);
}

static bool start(struct solver *x, const struct net_config *config, enum net_path_kind kind,
                  const struct net_demand *demand)
{
    const struct ofr_torus *torus = &config->torus;
    unsigned k_max = 1;
    for (unsigned i = 0; i < torus->n; i++)
        k_max = torus->k[i] > k_max ? torus->k[i] : k_max;
    *x = (struct solver){.demand = demand,
                         .unit = 8.0 / k_max,
                         .ports = 2u * torus->n,
                         .links = ofr_nodes(torus) * 2u * torus->n,
                         .largest = 1,
                         .sharp = 1};
    if (!net_shortest_init(&x->shortest, config, kind))
        return false;
    x->class = malloc(x->links * sizeof *x->class);
    x->stands = calloc(x->links, sizeof *x->stands);
    x->load = calloc(x->links, sizeof *x->load);
    x->length = malloc(x->links * sizeof *x->length);
    x->spread = malloc(x->links * sizeof *x->spread);
    x->differs = calloc(x->links, sizeof *x->differs);
    x->of = calloc(demand->count, sizeof *x->of);
    if (!x->class || !x->stands || !x->load || !x->length || !x->spread || !x->differs || !x->of)
        return false;
    x->shortest.length = x->spread;
    for (uint32_t link = 0; link < x->links; link++) {
        x->class[link] = demand->least[link / x->ports] * x->ports + link % x->ports;
        x->stands[link] =
            x->class[link] == link && x->shortest.neighbour[link] != NET_SHORTEST_NONE;
        x->length[link] = 1;
    }
    return true;
}

static void quit(struct solver *x)
{
    for (uint32_t f = 0; x->of && f < x->demand->count; f++)
        while (x->of[f]) {
            struct path *p = x->of[f];
            x->of[f] = p->next;
            free(p);
        }
    net_shortest_free(&x->shortest);
    free(x->class);
    free(x->stands);
    free(x->load);
    free(x->length);
    free(x->spread);
    free(x->differs);
    free(x->of);
}

// False: out of memory.
static bool solve(struct solver *x, double gap, uint32_t most_passes, atomic_bool *stop,
                  _Atomic float *progress, struct net_limit *limit)
{
    enum { SWEEPS = 30 };
    limit->upper = INFINITY;
    while (limit->passes < most_passes && !stopped(stop)) {
        double total = 0, mean = 0, sum;
        for (uint32_t link = 0; link < x->links; link++) {
            total += x->stands[link] ? x->length[link] : 0;
            mean += x->stands[link] ? x->length[link] * x->load[link] : 0;
        }
        if (!search(x, limit->passes == 0, stop, &sum))
            return false;
        limit->upper = fmin(limit->upper, total / sum);
        if (limit->passes++ == 0) {
            measure(x);
            x->sharp = 10;
            measure(x);
        } else {
            // How far the longest link is above the mean by length, and that above the least it
            // could be at these lengths.
            double blunt = 1 - mean / (total * x->largest);
            double imbalance = (mean - sum) / (total * x->largest);
            if (imbalance < blunt / 2) {
                x->sharp *= 1.5;
                measure(x);
            }
        }
        for (int sweep = 0; sweep < SWEEPS && !stopped(stop); sweep++)
            for (uint32_t f = 0; f < x->demand->count && !stopped(stop); f++)
                balance(x, &x->of[f]);
        measure(x);
        limit->lower = fmax(limit->lower, 1 / x->largest);
        double apart = limit->upper / limit->lower - 1;
        if (progress)
            atomic_store(progress, (float)fmin(1, gap / apart));
        if (apart <= gap)
            break;
    }
    for (uint32_t f = 0; f < x->demand->count; f++)
        for (const struct path *p = x->of[f]; p; p = p->next)
            limit->paths += p->carries > 0;
    return true;
}

struct net_limit net_limit(const struct net_config *config, enum net_path_kind kind, int message,
                           double gap, uint32_t most_passes, atomic_bool *stop,
                           _Atomic float *progress)
{
    struct net_limit limit = {0};
    struct net_demand demand;
    struct solver x;
    // Of the paper's presets the IDNs change when the torus is shifted (paths.h).
    bool shifts = kind != NET_PATHS_IDN || config->preset == NET_PRESET_OFR;
    limit.wrong =
        net_demand_init(&demand, &config->traffic, &config->torus, config->seed, message, shifts);
    if (limit.wrong)
        return limit;
    limit.flows = demand.count;
    limit.shifts = demand.shifts;
    if (!start(&x, config, kind, &demand) || !solve(&x, gap, most_passes, stop, progress, &limit))
        limit.wrong = "out of memory";
    quit(&x);
    net_demand_free(&demand);
    return limit;
}
