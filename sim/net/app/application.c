// SPDX-License-Identifier: Apache-2.0
#include "app/application.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/random.h"

struct net_application *net_application_new(uint32_t ranks)
{
    struct net_application *app = calloc(1, sizeof *app);
    if (!app)
        return NULL;
    app->ranks = ranks;
    app->begun = calloc(ranks, sizeof *app->begun);
    if (app->begun)
        return app;
    free(app);
    return NULL;
}

void net_application_free(struct net_application *app)
{
    if (!app)
        return;
    free(app->begun);
    free(app->op);
    free(app->edge);
    free(app->send);
    free(app->recv);
    free(app);
}

// Room for one more of `size` bytes; false: none.
static bool room(void **at, uint32_t count, uint32_t *have, size_t size)
{
    if (count < *have)
        return true;
    uint32_t more = *have ? 2 * *have : 1024;
    void *larger = realloc(*at, more * size);
    if (!larger)
        return false;
    *at = larger;
    *have = more;
    return true;
}

uint32_t net_application_op(struct net_application *app, struct net_op op)
{
    void *at = app->op;
    if (app->ops == NET_MAX_OPS || !room(&at, app->ops, &app->op_room, sizeof *app->op))
        return NET_NO_OP;
    app->op = at;
    op.needs = op.first = op.follow = 0;
    app->op[app->ops] = op;
    return app->ops++;
}

bool net_application_after(struct net_application *app, uint32_t op, uint32_t before, bool at_start)
{
    void *at = app->edge;
    if (app->edges == UINT32_MAX / 2 || !room(&at, app->edges, &app->edge_room, sizeof *app->edge))
        return false;
    app->edge = at;
    app->edge[app->edges++] = (struct net_edge){op, before, at_start};
    return true;
}

// Sorts edges by what is waited for, keeping their order. False: out of memory.
static bool sort_edges(struct net_application *app)
{
    struct net_edge *sorted = calloc(app->edges + 1, sizeof *sorted);
    if (!sorted)
        return false;
    for (uint32_t e = 0; e < app->edges; e++) {
        app->op[app->edge[e].before].follow++;
        app->op[app->edge[e].op].needs++;
    }
    uint32_t first = 0;
    for (uint32_t o = 0; o < app->ops; o++) {
        app->op[o].first = first;
        first += app->op[o].follow;
        app->op[o].follow = 0;
    }
    for (uint32_t e = 0; e < app->edges; e++) {
        struct net_op *before = &app->op[app->edge[e].before];
        sorted[before->first + before->follow++] = app->edge[e];
    }
    free(app->edge);
    app->edge = sorted;
    app->edge_room = app->edges;
    return true;
}

// A message's end as a key: sends and receives of the same message differ in `receive` only.
struct end {
    uint64_t tag;
    uint32_t from, to, op;
    bool receive;
};

static int by_message(const void *a, const void *b)
{
    const struct end *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    if (x->tag != y->tag)
        return x->tag < y->tag ? -1 : 1;
    if (x->receive != y->receive)
        return x->receive ? 1 : -1;
    return x->op < y->op ? -1 : 1;
}

// The n-th send with the n-th receive of the same ranks and tag.
static bool match(struct net_application *app, char *wrong, unsigned size)
{
    uint32_t ends = 0;
    for (uint32_t o = 0; o < app->ops; o++)
        ends += app->op[o].kind != NET_OP_CALC;
    struct end *end = malloc((ends + 1) * sizeof *end);
    app->send = malloc((ends / 2 + 1) * sizeof *app->send);
    app->recv = malloc((ends / 2 + 1) * sizeof *app->recv);
    bool good = end && app->send && app->recv;
    if (!good)
        snprintf(wrong, size, "out of memory");
    ends = 0;
    for (uint32_t o = 0; good && o < app->ops; o++) {
        const struct net_op *op = &app->op[o];
        bool receive = op->kind == NET_OP_RECV;
        if (op->kind == NET_OP_CALC) {
            app->calc += (double)op->amount;
            continue;
        }
        end[ends++] = (struct end){op->tag, receive ? op->peer : op->rank,
                                   receive ? op->rank : op->peer, o, receive};
    }
    if (good)
        qsort(end, ends, sizeof *end, by_message);
    for (uint32_t i = 0; good && i < ends;) {
        uint32_t sends = 0, receives = 0, j = i;
        for (; j < ends && end[j].from == end[i].from && end[j].to == end[i].to &&
               end[j].tag == end[i].tag;
             j++) {
            sends += !end[j].receive;
            receives += end[j].receive;
        }
        if (sends != receives) {
            const struct end *odd = &end[i + (sends < receives ? 2 * sends : receives)];
            snprintf(wrong, size,
                     "line %u: rank %u sends %u messages of tag %llu to rank %u, which "
                     "receives %u",
                     app->op[odd->op].line, end[i].from, sends, (unsigned long long)end[i].tag,
                     end[i].to, receives);
            good = false;
        }
        for (uint32_t m = 0; good && m < sends; m++) {
            uint32_t s = end[i + m].op, r = end[i + sends + m].op;
            app->op[s].message = app->op[r].message = app->messages;
            app->send[app->messages] = s;
            app->recv[app->messages++] = r;
            app->bytes += app->op[s].amount;
        }
        i = j;
    }
    free(end);
    return good;
}

// Whether all operations come to an end, if every one takes no time.
static bool ends(const struct net_application *app, char *wrong, unsigned size)
{
    // Of two parts each: it has begun, it has ended.
    uint32_t *missing = malloc((size_t)(app->ops + 1) * sizeof *missing);
    uint32_t *ready = malloc((size_t)(2 * (size_t)app->ops + 1) * sizeof *ready), count = 0;
    bool *half = calloc(app->ops + 1, sizeof *half); // of a recv: begun, or its message sent
    bool good = missing && ready && half;
    uint32_t ended = 0;
    if (!good)
        snprintf(wrong, size, "out of memory");
    for (uint32_t o = 0; good && o < app->ops; o++) {
        missing[o] = app->op[o].needs;
        if (!missing[o])
            ready[count++] = o << 1;
    }
    while (good && count) {
        uint32_t o = ready[--count] >> 1;
        bool end = ready[count] & 1;
        const struct net_op *op = &app->op[o];
        if (!end) {
            if (op->kind != NET_OP_RECV || half[o])
                ready[count++] = o << 1 | 1;
            half[o] = true;
        } else {
            uint32_t r = op->kind == NET_OP_SEND ? app->recv[op->message] : NET_NO_OP;
            ended++;
            if (r != NET_NO_OP && half[r])
                ready[count++] = r << 1 | 1;
            if (r != NET_NO_OP)
                half[r] = true;
        }
        for (uint32_t e = op->first; e < op->first + op->follow; e++)
            if (app->edge[e].at_start == !end && --missing[app->edge[e].op] == 0)
                ready[count++] = app->edge[e].op << 1;
    }
    for (uint32_t o = 0; good && ended < app->ops && o < app->ops; o++)
        if (missing[o] || !half[o]) {
            snprintf(wrong, size, "line %u: this operation of rank %u waits for itself",
                     app->op[o].line, app->op[o].rank);
            good = false;
        }
    free(missing);
    free(ready);
    free(half);
    return good;
}

bool net_application_finish(struct net_application *app, char *wrong, unsigned size)
{
    if (!app->ops) {
        snprintf(wrong, size, "there is no operation in it");
        return false;
    }
    if (!sort_edges(app)) {
        snprintf(wrong, size, "out of memory");
        return false;
    }
    for (uint32_t o = 0; o < app->ops; o++) {
        const struct net_op *op = &app->op[o];
        app->digest = net_random(app->digest, DRAW_DESTINATION, op->kind | (uint64_t)op->rank << 8,
                                 net_random(op->tag, DRAW_DESTINATION, op->peer, op->amount));
    }
    for (uint32_t e = 0; e < app->edges; e++)
        app->digest = net_random(app->digest, DRAW_DESTINATION, app->edge[e].op,
                                 (uint64_t)app->edge[e].before << 1 | app->edge[e].at_start);
    return match(app, wrong, size) && ends(app, wrong, size);
}
