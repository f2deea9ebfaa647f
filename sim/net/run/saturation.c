// SPDX-License-Identifier: Apache-2.0
#include "run/saturation.h"

#include <math.h>

// The record at a number of steps; NULL: there is none to go on with, *at says why.
static const json_t *at_step(struct net_points *points, const struct net_config *config, int step,
                             unsigned per, const json_t **at)
{
    struct net_config c = *config;
    c.load = step / (double)per;
    *at = net_point(points, &c, 0, NULL);
    return net_point_is_stuck(*at) ? NULL : *at;
}

bool net_saturation_point(struct net_points *points, const struct net_config *config, double start,
                          unsigned per, struct net_saturated *found, _Atomic float *progress)
{
    struct net_config c = *config;
    char wrong[200];
    int top = 2 * (int)per, good = 0, bad, stride = 1;
    for (; top > 1; top--) { // what a node can make
        c.load = (top - 1) / (double)per;
        if (!net_config_check(&c, wrong, sizeof wrong))
            break;
    }
    bad = top;
    *found = (struct net_saturated){.load = NAN};
    int step = (int)lround((start > 0 ? start : 0.5) * per);
    while (bad - good > 1) {
        step = step <= good ? good + 1 : step >= bad ? bad - 1 : step;
        const json_t *at, *record = at_step(points, config, step, per, &at);
        found->runs++;
        if (!record) {
            found->at = at;
            return false;
        }
        bool saturated = json_is_true(json_object_get(record, "saturated"));
        good = saturated ? good : step;
        bad = saturated ? step : bad;
        found->at = saturated ? record : found->at;
        if ((saturated && good == 0) || (!saturated && bad == top)) {
            step += saturated ? -stride : stride;
            stride *= 2;
        } else {
            step = (good + bad) / 2;
        }
        atomic_store(progress, 1 - (float)(bad - good) / (float)top);
    }
    if (bad < top)
        found->load = bad / (double)per;
    return true;
}

bool net_saturation_sides(struct net_points *points, const struct net_config *config, unsigned per,
                          uint32_t replicates, struct net_saturated *found, struct net_sides *sides)
{
    *sides = (struct net_sides){0};
    for (int i = 0; i < 2; i++) {
        int step = (int)lround(found->load * per) - 1 + i;
        for (uint32_t r = 0; r <= replicates && step > 0; r++) {
            struct net_config c = *config;
            bool long_run = r == replicates;
            c.seed += long_run ? 0 : r;
            c.flit.batch *= long_run ? 4 : 1;
            const json_t *at, *record = at_step(points, &c, step, per, &at);
            if (!record) {
                found->at = at;
                return false;
            }
            bool saturated = json_is_true(json_object_get(record, "saturated"));
            sides->long_run[i] = long_run ? saturated : sides->long_run[i];
            sides->saturated[i] += saturated && !long_run;
            sides->runs++;
        }
    }
    return true;
}

bool net_peak(struct net_points *points, const struct net_config *config, unsigned per,
              double *peak, const json_t **at, _Atomic float *progress)
{
    int first = (int)(3 * per / 10), last = (int)per;
    *peak = NAN;
    // From the highest load down: what a load below the peak accepts is no more than that, but for
    // the births that there happen to be.
    for (int step = last; step >= first && !(step < *peak * per - 1); step--) {
        const json_t *record = at_step(points, config, step, per, at);
        if (!record)
            return false;
        double accepted = json_number_value(json_object_get(record, "accepted_load"));
        *peak = accepted > *peak || isnan(*peak) ? accepted : *peak;
        atomic_store(progress, (float)(last - step + 1) / (float)(last - first + 1));
    }
    return true;
}
