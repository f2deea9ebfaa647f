// SPDX-License-Identifier: Apache-2.0
#include "run/claim.h"

#include <math.h>

#include "measure/steady.h"
#include "output/record.h"
#include "output/replicates.h"

enum { LONGER = 4 };

// Lifetime at a step over base, infinite where the run ended above the limit. NaN: interrupted, or
// its record is of a run that is stuck.
static double ratio(struct net_points *points, const struct net_config *config, int step,
                    unsigned per, double base, double limit, json_t **record)
{
    struct net_config c = *config;
    c.load = step / (double)per;
    *record = net_point(points, &c, limit, NULL);
    return *record && !net_point_is_stuck(*record) ? net_point_mean(*record) / base : NAN;
}

// The largest step below `bad` whose runs of 4 N are within the limit; the lowest is taken to be.
// Negative: as NaN above.
static int search_long(struct net_points *points, const struct net_config *config, int lowest,
                       int bad, unsigned per, double base, double factor, json_t **record)
{
    int good = lowest, stride = 1;
    while (bad - good > 1) {
        int step = good > lowest ? (good + bad) / 2 : bad - stride;
        step = step <= good ? good + 1 : step;
        double r = ratio(points, config, step, per, base, factor * base, record);
        if (isnan(r))
            return -1;
        if (r <= factor)
            good = step;
        else
            bad = step;
        stride *= 2;
    }
    return good;
}

// Replicates at a step: each over its own base.
static bool replicate(struct net_points *points, const struct net_config *config, int step,
                      unsigned per, uint32_t count, double *mean, double *half, json_t **records,
                      json_t **record)
{
    double values[NET_MAX_REPLICATES];
    struct net_config c = *config;
    for (uint32_t i = 0; i < count; i++) {
        c.seed = config->seed + i;
        double base = ratio(points, &c, (int)per / 10, per, 1, 0, record);
        if (isnan(base))
            return false;
        values[i] = ratio(points, &c, step, per, base, 0, record);
        if (isnan(values[i]))
            return false;
        records[i] = *record;
    }
    *half = net_interval95(values, count, mean);
    return true;
}

// Steps 2 and 3.
static bool stand_by(struct net_points *points, const struct net_config *config, unsigned per,
                     uint32_t replicates, struct net_claim *claim, json_t **record)
{
    json_t *records[NET_MAX_REPLICATES];
    struct net_config longer = *config;
    double base = claim->gamma.base_us, factor = claim->factor;
    int lowest = (int)per / 10, step = (int)lround(claim->gamma.gamma * per);
    longer.messages *= LONGER;
    claim->below_long = ratio(points, &longer, step, per, base, factor * base, record);
    if (claim->below_long > factor && step > lowest) {
        step = search_long(points, &longer, lowest, step, per, base, factor, record);
        if (step < 0)
            return false;
        claim->below_long = ratio(points, &longer, step, per, base, factor * base, record);
    }
    if (isnan(claim->below_long))
        return false;
    claim->steady = step / (double)per;
    claim->above_long = ratio(points, &longer, step + 1, per, base, factor * base, record);
    if (isnan(claim->above_long) ||
        !replicate(points, config, step + 1, per, replicates, &claim->above, &claim->above_half,
                   records, record) ||
        !replicate(points, config, step, per, replicates, &claim->below, &claim->below_half,
                   records, record))
        return false;
    claim->at = net_record_combine(records, replicates);
    return true;
}

bool net_claim(struct net_points *points, const struct net_config *config, double start,
               unsigned per, double factor, uint32_t replicates, struct net_claim *claim,
               _Atomic float *progress)
{
    json_t *record = NULL;
    *claim = (struct net_claim){.factor = factor};
    if (!net_gamma_star(points, config, start, 0, per, factor, &claim->gamma, progress))
        return false;
    if (!stand_by(points, config, per, replicates, claim, &record)) {
        claim->gamma.at = record;
        return false;
    }
    bool under = claim->below + claim->below_half <= factor && claim->below_long <= factor;
    bool over = claim->above - claim->above_half > factor || claim->above_long > factor;
    claim->sure = under && over;
    return true;
}

void net_claim_fields(json_t *record, const struct net_claim *claim)
{
    const struct {
        const char *name;
        double value;
    } times[] = {{"below_times", claim->below},           {"below_ci95_times", claim->below_half},
                 {"below_4n_times", claim->below_long},   {"above_times", claim->above},
                 {"above_ci95_times", claim->above_half}, {"above_4n_times", claim->above_long}};
    bool asked = claim->at;
    json_object_set_new(record, "gamma_steady_gamma0",
                        asked ? net_record_real(claim->steady) : json_null());
    json_object_set_new(record, "sure", asked ? json_boolean(claim->sure) : json_null());
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        json_object_set_new(record, times[i].name,
                            asked ? net_record_real(times[i].value) : json_null());
}
