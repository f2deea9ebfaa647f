// SPDX-License-Identifier: Apache-2.0
#include "run/point.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/record.h"
#include "run/pool.h"
#include "run/ranks.h"

static bool ended(const json_t *record, const char *how)
{
    const char *end = json_string_value(json_object_get(record, "end"));
    return end && !strcmp(end, how);
}

// With the digits that a file of records keeps, so that a verdict from there holds.
static double as_kept(double limit_us)
{
    char text[40];
    snprintf(text, sizeof text, "%.9g", limit_us);
    return strtod(text, NULL);
}

// The record that is in the store; NULL: none, or its verdict is on a lower limit.
static json_t *stored(struct net_points *points, const char *key, double limit_us)
{
    json_t *record = net_store_find(&points->store, key);
    if (record && ended(record, "limited") &&
        !(limit_us > 0 && json_real_value(json_object_get(record, "limit_us")) >= limit_us))
        return NULL;
    return record;
}

json_t *net_point(struct net_points *points, const struct net_config *config, double limit_us,
                  _Atomic float *progress)
{
    char key[NET_KEY];
    net_key("point", config, key);
    limit_us = as_kept(limit_us);
    json_t *record = stored(points, key, limit_us);
    if (!record && !atomic_load(points->stop)) {
        double start = net_seconds();
        struct net_result result = net_run(config, limit_us, points->stop, progress);
        if (result.end != NET_INTERRUPTED && result.end != NET_NO_MEMORY) {
            record = net_record(config, &result, net_seconds() - start);
            if (result.end == NET_LIMITED)
                json_object_set_new(record, "limit_us", json_real(limit_us));
            if (!net_store_add(&points->store, key, record))
                atomic_store(&points->unwritten, true);
        }
        // Rank 0 says it with what is not done for that, and does not hear it of the others.
        if (result.end == NET_NO_MEMORY && !atomic_exchange(&points->failed, true) && net_rank())
            fputs("torussim: out of memory\n", stderr);
        net_result_free(&result);
    }
    return record;
}

double net_point_mean(const json_t *record)
{
    if (ended(record, "complete")) { // of engine flit
        const json_t *cycles = json_object_get(record, "latency_cycles");
        return json_is_number(cycles) ? json_number_value(cycles) : INFINITY;
    }
    return ended(record, "drained") ? json_number_value(json_object_get(record, "mean_lifetime_us"))
                                    : INFINITY;
}

bool net_point_is_stuck(const json_t *record)
{
    return record && ended(record, "stuck");
}

bool net_point_stuck(const json_t *record)
{
    const char *what = json_string_value(json_object_get(record, "stuck"));
    if (!net_point_is_stuck(record))
        return false;
    const json_t *load = json_object_get(record, "load_gamma0");
    fprintf(stderr, "torussim: %s, %s, %s", json_string_value(json_object_get(record, "topology")),
            json_string_value(json_object_get(record, "routing")),
            json_string_value(json_object_get(record, "traffic")));
    if (json_is_number(load))
        fprintf(stderr, " at load %g", json_number_value(load));
    fprintf(stderr, ": stuck at %g us: %s\n", json_number_value(json_object_get(record, "end_us")),
            what ? what : "");
    return true;
}

double net_gamma_factor(const struct net_config *config)
{
    return config->arrivals == NET_ARRIVAL_BERNOULLI || config->arrivals == NET_ARRIVAL_ONOFF ? 3
                                                                                              : 1.2;
}

bool net_gamma_star(struct net_points *points, const struct net_config *config, double start,
                    uint32_t base_messages, unsigned per, double factor, struct net_gamma *gamma,
                    _Atomic float *progress)
{
    const int base_step = (int)per / 10; // in steps
    int top = 2 * (int)per;
    char wrong[200];
    struct net_config c = *config;
    for (; top > base_step + 1; top--) { // what the arrivals can make
        c.load = (top - 1) / (double)per;
        if (!net_config_check(&c, wrong, sizeof wrong))
            break;
    }
    c.load = base_step / (double)per;
    c.messages = base_messages ? base_messages : config->messages;
    const json_t *record = net_point(points, &c, 0, NULL);
    *gamma = (struct net_gamma){
        .base_us = record ? net_point_mean(record) : NAN, .at = record, .runs = 1};
    double base = gamma->base_us;
    c.messages = config->messages;
    if (!isfinite(base))
        return false;
    // Good and bad enclose gamma*: what the store has of it first, then away from `start` in
    // strides, which grow from the third on, until they are known.
    int good = base_step, bad = top;
    for (int step = base_step + 1; step < bad; step++) {
        char key[NET_KEY];
        c.load = step / (double)per;
        net_key("point", &c, key);
        record = stored(points, key, as_kept(factor * base));
        double mean = record ? net_point_mean(record) : NAN;
        if (mean <= factor * base) {
            good = step;
            gamma->at = record;
        } else if (record && !ended(record, "stuck")) {
            bad = step;
        }
    }
    int stride = start > 0 ? base_step / 2 : 2 * base_step;
    bool far = false; // it is not in the first stride
    int step = start > 0 ? (int)lround(start * per) : 2 * base_step;
    while (bad - good > 1) {
        step = step <= good ? good + 1 : step >= bad ? bad - 1 : step;
        c.load = step / (double)per;
        record = net_point(points, &c, factor * base, NULL);
        if (!record || ended(record, "stuck")) {
            gamma->at = record;
            return false;
        }
        gamma->runs++;
        double mean = net_point_mean(record);
        bool low = mean <= factor * base;
        good = low ? step : good;
        bad = low ? bad : step;
        gamma->at = low ? record : gamma->at;
        if ((low && bad == top) || (!low && good == base_step)) {
            step += low ? stride : -stride;
            stride *= far ? 2 : 1;
            far = true;
        } else {
            step = (good + bad) / 2;
        }
        atomic_store(progress, 1 - (float)(bad - good) / (float)(top - base_step));
    }
    gamma->gamma = good / (double)per;
    return true;
}
