// SPDX-License-Identifier: Apache-2.0
#include "app/collective.h"

static uint64_t of(const struct net_collective_call *c, const uint64_t *bytes, unsigned member)
{
    return bytes ? bytes[c->same ? 0 : member] : 0;
}

// Down a binomial tree from the root, or up it.
static void tree(const struct net_collective_call *c, bool up, net_collective_step *step,
                 void *context)
{
    unsigned n = c->members, at = (c->member + n - c->root) % n, top = 1, count = 0;
    for (; top < n; top *= 2)
        count++;
    for (unsigned s = 0; s < count; s++) {
        // Down, step s: those below 2^s send to those 2^s on.
        unsigned far = up ? 1u << (count - 1 - s) : 1u << s;
        bool low = at < far && at + far < n, high = at >= far && at < 2 * far;
        if (low)
            step(context, s, up, (at + far + c->root) % n, c->out[0]);
        else if (high)
            step(context, s, !up, (at - far + c->root) % n, c->out[0]);
    }
}

static void allreduce(const struct net_collective_call *c, net_collective_step *step, void *context)
{
    unsigned power = 1, count = 0;
    while (2 * power <= c->members) {
        power *= 2;
        count++;
    }
    unsigned beyond = c->members - power;
    if (c->member >= power) {
        step(context, 0, false, c->member - power, c->out[0]);
        step(context, count + 1, true, c->member - power, c->out[0]);
        return;
    }
    if (c->member < beyond)
        step(context, 0, true, c->member + power, c->out[0]);
    for (unsigned s = 0; s < count; s++) {
        step(context, s + 1, false, c->member ^ 1u << s, c->out[0]);
        step(context, s + 1, true, c->member ^ 1u << s, c->out[0]);
    }
    if (c->member < beyond)
        step(context, count + 1, false, c->member + power, c->out[0]);
}

void net_collective(const struct net_collective_call *c, net_collective_step *step, void *context)
{
    unsigned n = c->members, me = c->member, s = 0;
    switch (c->kind) {
    case NET_BARRIER:
        for (unsigned far = 1; far < n; far *= 2, s++) {
            step(context, s, false, (me + far) % n, 0);
            step(context, s, true, (me + n - far) % n, 0);
        }
        break;
    case NET_BROADCAST:
    case NET_REDUCE:
        tree(c, c->kind == NET_REDUCE, step, context);
        break;
    case NET_ALLREDUCE:
        allreduce(c, step, context);
        break;
    case NET_GATHER:
    case NET_SCATTER:
        if (me != c->root) {
            bool receive = c->kind == NET_SCATTER;
            step(context, 0, receive, c->root, receive ? c->in[0] : c->out[0]);
        }
        for (unsigned m = 0; me == c->root && m < n; m++)
            if (m != me)
                step(context, 0, c->kind == NET_GATHER, m,
                     of(c, c->kind == NET_GATHER ? c->in : c->out, m));
        break;
    case NET_ALLGATHER:
        for (s = 0; s + 1 < n; s++) {
            step(context, s, false, (me + 1) % n, of(c, c->in, (me + n - s) % n));
            step(context, s, true, (me + n - 1) % n, of(c, c->in, (me + n - s - 1) % n));
        }
        break;
    case NET_ALLTOALL:
        for (s = 1; s < n; s++) {
            step(context, s, false, (me + s) % n, of(c, c->out, (me + s) % n));
            step(context, s, true, (me + n - s) % n, of(c, c->in, (me + n - s) % n));
        }
        break;
    case NET_SCAN:
        for (unsigned far = 1; far < n; far *= 2, s++) {
            if (me + far < n)
                step(context, s, false, me + far, c->out[0]);
            if (me >= far)
                step(context, s, true, me - far, c->out[0]);
        }
        break;
    }
}
