// SPDX-License-Identifier: Apache-2.0
#include "link_wire.h"

#include <math.h>
#include <string.h>

static double uniform(struct rng *rng)
{
    return (double)((rng_next(rng) >> 11) + 1) / 9007199254740993.0; // above 0, at most 1
}

static void draw_error(struct wire *w)
{
    w->until_error = w->error_rate > 0 ? floor(log(uniform(&w->rng)) / log1p(-w->error_rate)) : 0;
}

void wire_init(struct wire *w, uint64_t seed, unsigned bits, unsigned latency)
{
    memset(w, 0, sizeof *w);
    w->rng.state = seed;
    w->bits = bits;
    w->latency = latency;
}

void wire_error_rate(struct wire *w, double rate)
{
    w->error_rate = rate;
    draw_error(w);
}

static uint64_t disturb(struct wire *w, uint64_t word)
{
    uint64_t seen = word, mask = w->bits == 64 ? ~UINT64_C(0) : (UINT64_C(1) << w->bits) - 1;
    if (w->error_rate > 0) {
        while (w->until_error < w->bits) {
            seen ^= UINT64_C(1) << (unsigned)w->until_error;
            double at = w->until_error;
            draw_error(w);
            w->until_error += at + 1;
        }
        w->until_error -= w->bits;
    }
    if (!w->burst_left && w->burst_rate > 0 && uniform(&w->rng) < w->burst_rate)
        w->burst_left = 1 + rng_below(&w->rng, 2 * w->burst_words);
    if (w->burst_left) {
        w->burst_left--;
        seen ^= rng_next(&w->rng);
    }
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
