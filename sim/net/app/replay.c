// SPDX-License-Identifier: Apache-2.0
#include "app/replay.h"

#include <math.h>
#include <stdlib.h>

#include "traffic/trace.h"

#define END   (1u << 31) // of an entry of the stack
#define BEGUN UINT32_MAX

bool net_replay_init(struct net_replay *x, const struct net_application *app, double pace,
                     uint32_t packet_bytes, uint32_t nodes, uint32_t *node)
{
    *x = (struct net_replay){.app = app, .pace = pace, .packet = packet_bytes, .node = node};
    if (!x->node) {
        x->node = malloc(app->ranks * sizeof *x->node);
        for (uint32_t r = 0; x->node && r < app->ranks; r++)
            x->node[r] = r;
    }
    x->missing = malloc(app->ops * sizeof *x->missing);
    x->ready = calloc(app->ops, sizeof *x->ready);
    x->stack = malloc(2 * (size_t)app->ops * sizeof *x->stack);
    size_t messages = app->messages + 1;
    x->born = malloc(messages * sizeof *x->born);
    x->arrived = calloc(messages, sizeof *x->arrived);
    x->to_leave = malloc(messages * sizeof *x->to_leave);
    x->to_arrive = malloc(messages * sizeof *x->to_arrive);
    x->next = malloc(messages * sizeof *x->next);
    x->head = malloc(nodes * sizeof *x->head);
    x->tail = malloc(nodes * sizeof *x->tail);
    if (!x->node || !x->missing || !x->ready || !x->stack || !x->born || !x->arrived ||
        !x->to_leave || !x->to_arrive || !x->next || !x->head || !x->tail)
        return false;
    for (uint32_t o = 0; o < app->ops; o++)
        x->missing[o] = app->op[o].needs;
    for (uint32_t m = 0; m < app->messages; m++) {
        x->born[m] = UINT64_MAX;
        x->to_leave[m] = x->to_arrive[m] = net_replay_packets(x, m);
        x->next[m] = NET_NO_MESSAGE;
    }
    for (uint32_t n = 0; n < nodes; n++)
        x->head[n] = x->tail[n] = NET_NO_MESSAGE;
    return true;
}

void net_replay_free(struct net_replay *x)
{
    free(x->node);
    free(x->missing);
    free(x->ready);
    free(x->stack);
    free(x->born);
    free(x->arrived);
    free(x->to_leave);
    free(x->to_arrive);
    free(x->next);
    free(x->head);
    free(x->tail);
    *x = (struct net_replay){0};
}

uint32_t net_replay_packets(const struct net_replay *x, uint32_t message)
{
    uint64_t bytes = x->app->op[x->app->send[message]].amount;
    return bytes ? (uint32_t)((bytes - 1) / x->packet + 1) : 1;
}

static void later(uint64_t *time, uint64_t than)
{
    if (*time < than)
        *time = than;
}

// Sees to all that follows from the entries of the stack.
static void go_on(struct net_replay *x, uint32_t count, net_replay_born *born, void *context)
{
    const struct net_application *app = x->app;
    while (count) {
        uint32_t entry = x->stack[--count], o = entry & ~END;
        bool end = entry & END;
        const struct net_op *op = &app->op[o];
        uint64_t time = x->ready[o];
        if (end) {
            x->ended++;
            later(&x->end, time);
        }
        for (uint32_t e = op->first; e < op->first + op->follow; e++) {
            uint32_t to = app->edge[e].op;
            if (app->edge[e].at_start != !end)
                continue;
            later(&x->ready[to], time);
            if (--x->missing[to] == 0)
                x->stack[count++] = to;
        }
        if (end)
            continue;
        switch (op->kind) {
        case NET_OP_CALC:
            x->ready[o] += (uint64_t)llround((double)op->amount * x->pace);
            x->stack[count++] = o | END;
            break;
        case NET_OP_SEND:
            x->born[op->message] = time;
            born(context, op->message, time);
            break;
        default:
            x->missing[o] = BEGUN;
            if (x->to_arrive[op->message])
                break;
            later(&x->ready[o], x->arrived[op->message]);
            x->stack[count++] = o | END;
            break;
        }
    }
}

void net_replay_start(struct net_replay *x, net_replay_born *born, void *context)
{
    // One by one: the stack has room for what one leads to, and what waits for nothing now must not
    // be taken for what another has led to.
    for (uint32_t o = 0; o < x->app->ops; o++)
        if (!x->app->op[o].needs) {
            x->stack[0] = o;
            go_on(x, 1, born, context);
        }
}

void net_replay_left(struct net_replay *x, uint32_t message, uint64_t time, net_replay_born *born,
                     void *context)
{
    uint32_t o = x->app->send[message];
    later(&x->ready[o], time);
    if (--x->to_leave[message])
        return;
    x->stack[0] = o | END;
    go_on(x, 1, born, context);
}

void net_replay_arrived(struct net_replay *x, uint32_t message, uint64_t time,
                        net_replay_born *born, void *context)
{
    uint32_t o = x->app->recv[message];
    later(&x->arrived[message], time);
    if (--x->to_arrive[message] || x->missing[o] != BEGUN)
        return;
    later(&x->ready[o], x->arrived[message]);
    x->stack[0] = o | END;
    go_on(x, 1, born, context);
}

void net_replay_queue(struct net_replay *x, uint32_t message)
{
    uint32_t node = net_replay_source(x, message);
    if (x->head[node] == NET_NO_MESSAGE)
        x->head[node] = message;
    else
        x->next[x->tail[node]] = message;
    x->tail[node] = message;
    x->generated += x->to_arrive[message];
}

uint32_t net_replay_next(struct net_replay *x, uint32_t node)
{
    uint32_t message = x->head[node];
    if (message != NET_NO_MESSAGE)
        x->head[node] = x->next[message];
    return message;
}
