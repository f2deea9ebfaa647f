// SPDX-License-Identifier: Apache-2.0
#include "bench.h"

#include <string.h>

void stream_open(struct stream *x)
{
    memset(x, 0, sizeof *x);
}

void stream_break(struct stream *x, bool silent)
{
    x->broken = true;
    x->silent = silent;
}

struct ofr_beat stream_offers(struct bench *b, struct stream *x)
{
    if (x->count && (x->held || (b->cycle >= x->at[x->first] && chance(b, b->ready)))) {
        x->held = true;
        return x->beat[x->first];
    }
    if (!x->count && x->broken && !x->silent && !x->told)
        return (struct ofr_beat){.valid = true, .last = true, .user = true};
    return (struct ofr_beat){0};
}

void stream_taken(struct stream *x, bool taken)
{
    if (!taken)
        return;
    if (x->count) {
        x->first = (x->first + 1) % QUEUE;
        x->count--;
        x->held = false;
    } else {
        x->told = true;
    }
}

bool stream_ready(struct bench *b, const struct stream *x)
{
    return x->broken || (x->count < QUEUE && chance(b, b->ready));
}

void stream_put(struct bench *b, struct stream *x, const struct ofr_beat *beat)
{
    x->mid = !beat->last;
    if (x->broken)
        return;
    unsigned i = (x->first + x->count++) % QUEUE;
    x->beat[i] = *beat;
    x->at[i] = b->cycle + 1 + below(b, b->delay);
}
