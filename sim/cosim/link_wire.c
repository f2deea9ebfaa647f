// SPDX-License-Identifier: Apache-2.0
#include "link_wire.h"

#include <string.h>

void wire_init(struct wire *w, uint64_t seed, unsigned bits, unsigned latency)
{
    memset(w, 0, sizeof *w);
    w->rng.state = seed;
    w->bits = bits;
    w->latency = latency;
}

void wire_error_rate(struct wire *w, double rate)
{
    noise_error_rate(&w->noise, &w->rng, rate);
}

static uint64_t disturb(struct wire *w, uint64_t word)
{
    uint64_t seen = word, mask = w->bits == 64 ? ~UINT64_C(0) : (UINT64_C(1) << w->bits) - 1;
    seen ^= noise_step(&w->noise, &w->rng, w->bits, false);
    if (w->fault == WIRE_STUCK)
        seen = (seen & ~(UINT64_C(1) << w->stuck_bit)) | (uint64_t)w->stuck_at << w->stuck_bit;
    if (w->fault == WIRE_NOISE)
        seen = rng_next(&w->rng);
    w->wrong = ((seen ^ word) & mask) != 0;
    w->errors += w->wrong;
    w->sent++;
    return seen & mask;
}

bool wire_step(struct wire *w, bool valid, uint64_t word, uint64_t *out)
{
    bool comes = w->line[w->at].valid && w->fault != WIRE_DEAD;
    *out = w->line[w->at].word;
    if (comes)
        *out = disturb(w, *out);
    w->line[w->at].valid = valid;
    w->line[w->at].word = word;
    w->at = (w->at + 1) % w->latency;
    return comes;
}
