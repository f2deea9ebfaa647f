// SPDX-License-Identifier: Apache-2.0
#include "limit/shortest.h"

#include <math.h>
#include <stdlib.h>

static bool grow(struct net_path *path, uint32_t room)
{
    if (room <= path->room)
        return true;
    uint32_t *link = realloc(path->link, (size_t)2 * room * sizeof *link);
    if (!link)
        return false;
    path->link = link;
    path->room = 2 * room;
    return true;
}

bool net_shortest_init(struct net_shortest *x, const struct net_config *config,
                       enum net_path_kind kind)
{
    *x = (struct net_shortest){.kind = kind};
    net_paths_init(&x->paths, config);
    if (x->paths.tie == NET_TIE_RANDOM)
        x->paths.tie = NET_TIE_BOTH;
    const struct ofr_torus *torus = &config->torus;
    x->nodes = ofr_nodes(torus);
    x->ports = 2u * torus->n;
    size_t links = (size_t)x->nodes * x->ports;
    x->neighbour = malloc(links * sizeof *x->neighbour);
    x->distance = malloc(x->nodes * sizeof *x->distance);
    x->by = malloc(x->nodes * sizeof *x->by);
    x->heap = malloc((links + 1) * sizeof *x->heap);
    x->cell_node = malloc(x->nodes * sizeof *x->cell_node);
    x->cell_by = malloc(x->nodes * sizeof *x->cell_by);
    x->cell_distance = malloc(x->nodes * sizeof *x->cell_distance);
    if (!x->neighbour || !x->distance || !x->by || !x->heap || !x->cell_node || !x->cell_by ||
        !x->cell_distance)
        return false;
    for (uint32_t node = 0; node < x->nodes; node++) {
        struct ofr_coord at = ofr_node_coord(torus, node);
        uint32_t exists = ofr_existing_ports(torus, &at);
        for (unsigned port = 0; port < x->ports; port++) {
            struct ofr_coord to = ofr_neighbour(torus, at, port);
            x->neighbour[node * x->ports + port] =
                exists >> port & 1 ? ofr_node_id(torus, &to) : NET_SHORTEST_NONE;
        }
    }
    net_shortest_changed(x);
    return true;
}

void net_shortest_free(struct net_shortest *x)
{
    free(x->neighbour);
    free(x->distance);
    free(x->by);
    free(x->heap);
    free(x->cell_node);
    free(x->cell_by);
    free(x->cell_distance);
    free(x->leg[0].link);
    free(x->leg[1].link);
    free(x->found.link);
}

void net_shortest_changed(struct net_shortest *x)
{
    x->tree_source = NET_SHORTEST_NONE;
}

// ---- Any path: Dijkstra's tree of a source
// -------------------------------------------------------

static void push(struct net_shortest_entry *heap, uint32_t *count, struct net_shortest_entry e)
{
    uint32_t i = (*count)++;
    for (; i && heap[(i - 1) / 2].distance > e.distance; i = (i - 1) / 2)
        heap[i] = heap[(i - 1) / 2];
    heap[i] = e;
}

static struct net_shortest_entry pop(struct net_shortest_entry *heap, uint32_t *count)
{
    struct net_shortest_entry first = heap[0], last = heap[--*count];
    uint32_t i = 0;
    for (;;) {
        uint32_t child = 2 * i + 1;
        if (child >= *count)
            break;
        child += child + 1 < *count && heap[child + 1].distance < heap[child].distance;
        if (heap[child].distance >= last.distance)
            break;
        heap[i] = heap[child];
        i = child;
    }
    heap[i] = last;
    return first;
}

static void grow_tree(struct net_shortest *x, uint32_t source)
{
    uint32_t count = 0;
    for (uint32_t node = 0; node < x->nodes; node++)
        x->distance[node] = INFINITY;
    x->distance[source] = 0;
    push(x->heap, &count, (struct net_shortest_entry){0, source});
    while (count) {
        struct net_shortest_entry e = pop(x->heap, &count);
        if (e.distance > x->distance[e.node])
            continue;
        for (uint32_t link = e.node * x->ports; link < (e.node + 1) * x->ports; link++) {
            uint32_t to = x->neighbour[link];
            if (to == NET_SHORTEST_NONE)
                continue;
            double distance = e.distance + x->length[link];
            if (distance >= x->distance[to])
                continue;
            x->distance[to] = distance;
            x->by[to] = link;
            push(x->heap, &count, (struct net_shortest_entry){distance, to});
        }
    }
    x->tree_source = source;
}

static double by_tree(struct net_shortest *x, uint32_t s, uint32_t t)
{
    if (x->tree_source != s)
        grow_tree(x, s);
    uint32_t hops = 0;
    for (uint32_t node = t; node != s; node = x->by[node] / x->ports)
        hops++;
    if (!grow(&x->found, hops))
        return INFINITY;
    x->found.length = hops;
    for (uint32_t node = t; node != s; node = x->by[node] / x->ports)
        x->found.link[--hops] = x->by[node];
    return x->distance[t];
}

// ---- Minimal paths: of a leg's box of nodes, one for each choice of directions
// -------------------

// Distances of the cells of the box from node s, in the order of their offsets, so that those
// before a cell are done; returns the last one's.
static double fill_box(struct net_shortest *x, uint32_t s, const uint8_t *left,
                       const unsigned *port, uint32_t *cells)
{
    unsigned n = x->paths.torus.n;
    uint32_t stride[OFR_MAX_DIMS], count = 1;
    uint8_t at[OFR_MAX_DIMS] = {0};
    for (unsigned i = 0; i < n; i++) {
        stride[i] = count;
        count *= left[i] + 1u;
    }
    x->cell_node[0] = s;
    x->cell_distance[0] = 0;
    for (uint32_t cell = 1; cell < count; cell++) {
        for (unsigned i = 0; at[i] == left[i] ? (at[i] = 0, true) : (at[i]++, false); i++)
            ;
        double least = INFINITY;
        for (unsigned i = 0; i < n; i++) {
            if (!at[i])
                continue;
            uint32_t before = cell - stride[i];
            uint32_t link = x->cell_node[before] * x->ports + port[i];
            double distance = x->cell_distance[before] + x->length[link];
            if (distance < least) {
                least = distance;
                x->cell_by[cell] = i;
                x->cell_node[cell] = x->neighbour[link];
            }
        }
        x->cell_distance[cell] = least;
    }
    *cells = count;
    return x->cell_distance[count - 1];
}

static double by_leg(struct net_shortest *x, uint32_t s, struct net_leg leg, struct net_path *path)
{
    unsigned n = x->paths.torus.n, hops = 0, choices = 1;
    double least = INFINITY;
    for (unsigned i = 0; i < n; i++) {
        hops += leg.left[i];
        choices <<= (leg.mu >> 2 * i & 3) == 3;
    }
    if (!grow(path, hops + 1))
        return INFINITY;
    path->length = hops;
    if (!hops)
        return 0;
    for (unsigned choice = 0; choice < choices; choice++) {
        unsigned port[OFR_MAX_DIMS], rest = choice;
        for (unsigned i = 0; i < n; i++) {
            unsigned both = leg.mu >> 2 * i & 3;
            port[i] = 2 * i + (both == 2);
            if (both == 3) {
                port[i] = 2 * i + (rest & 1);
                rest >>= 1;
            }
        }
        uint32_t cell;
        double distance = fill_box(x, s, leg.left, port, &cell);
        if (distance >= least)
            continue;
        least = distance;
        uint32_t stride[OFR_MAX_DIMS], at = hops;
        for (unsigned i = 0, size = 1; i < n; size *= leg.left[i++] + 1u)
            stride[i] = size;
        for (cell--; cell; cell -= stride[x->cell_by[cell]]) {
            unsigned dim = x->cell_by[cell];
            path->link[--at] = x->cell_node[cell - stride[dim]] * x->ports + port[dim];
        }
    }
    return least;
}

static double by_ways(struct net_shortest *x, uint32_t s, uint32_t t)
{
    struct ofr_way ways[OFR_MAX_WAYS];
    const struct ofr_torus *torus = &x->paths.torus;
    struct ofr_coord from = ofr_node_coord(torus, s), to = ofr_node_coord(torus, t);
    unsigned count = 1;
    if (x->kind == NET_PATHS_IDN)
        count = net_ways(&x->paths, &from, &to, true, ways);
    else
        ways[0] = ofr_way_minimal(torus, x->paths.tie == NET_TIE_PLUS ? OFR_TIE_PLUS : OFR_TIE_BOTH,
                                  &from, &to);
    if (count > 1 && ways[0].distance < 2) // there is no decision
        count = 1;
    double least = INFINITY;
    for (unsigned w = 0; w < count; w++) {
        struct net_leg leg = net_first_leg(&x->paths, &from, &to, &ways[w], 0);
        double distance = by_leg(x, s, leg, &x->leg[0]);
        x->leg[1].length = 0;
        if (ways[w].kind == OFR_OIDN || ways[w].kind == OFR_WIDN)
            distance += by_leg(x, ofr_node_id(torus, &ways[w].q),
                               net_leg(&x->paths, &ways[w].q, &to, 0), &x->leg[1]);
        if (distance >= least)
            continue;
        least = distance;
        if (!grow(&x->found, x->leg[0].length + x->leg[1].length))
            return INFINITY;
        x->found.length = 0;
        for (int l = 0; l < 2; l++)
            for (uint32_t i = 0; i < x->leg[l].length; i++)
                x->found.link[x->found.length++] = x->leg[l].link[i];
    }
    return least;
}

double net_shortest(struct net_shortest *x, uint32_t s, uint32_t t, const struct net_path **path)
{
    double distance = x->kind == NET_PATHS_ANY ? by_tree(x, s, t) : by_ways(x, s, t);
    *path = &x->found;
    return distance;
}
