// SPDX-License-Identifier: Apache-2.0
#include "noise.h"

#include <math.h>

static double uniform(struct rng *rng)
{
    return (double)((rng_next(rng) >> 11) + 1) / 9007199254740993.0; // above 0, at most 1
}

static double draw_error(const struct noise *n, struct rng *rng)
{
    return n->error_rate > 0 ? floor(log(uniform(rng)) / log1p(-n->error_rate)) : 0;
}

void noise_error_rate(struct noise *n, struct rng *rng, double rate)
{
    n->error_rate = rate;
    n->until_error = draw_error(n, rng);
}

uint64_t noise_step(struct noise *n, struct rng *rng, unsigned bits, bool hiss)
{
    uint64_t wrong = 0;
    if (n->error_rate > 0) {
        while (n->until_error < bits) {
            wrong ^= UINT64_C(1) << (unsigned)n->until_error;
            n->until_error += draw_error(n, rng) + 1;
        }
        n->until_error -= bits;
    }
    if (!n->burst_left && n->burst_rate > 0 && uniform(rng) < n->burst_rate)
        n->burst_left = 1 + rng_below(rng, 2 * n->burst_steps);
    if (n->burst_left || hiss) {
        n->burst_left -= n->burst_left > 0;
        wrong ^= rng_next(rng);
    }
    return wrong;
}
