// SPDX-License-Identifier: Apache-2.0
// torusctl run: a row a pattern and load.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl.h"

struct list {
    char *item[MAX_LIST];
    unsigned count;
};

static bool split(char *text, struct list *out)
{
    out->count = 0;
    for (char *save, *word = strtok_r(text, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
        if (out->count == MAX_LIST)
            return false;
        out->item[out->count++] = word;
    }
    return out->count > 0;
}

int sweep_read(const struct args *a, const char *all_loads, struct sweep *s)
{
    char patterns[1024], loads[1024];
    struct list list = {.count = 0};
    snprintf(patterns, sizeof patterns, "%s", a->patterns);
    if (!strcmp(patterns, "all")) {
        patterns[0] = 0;
        for (int i = 0; i < TORUS_PATTERNS; i++) {
            strcat(patterns, i ? "," : "");
            strcat(patterns, torus_pattern_name((enum torus_pattern)i));
        }
    }
    snprintf(loads, sizeof loads, "%s", a->loads ? a->loads : all_loads);
    if (!split(patterns, &list))
        return wrong("patterns", a->patterns, "a list of 1 to 64 names");
    s->patterns = list.count;
    for (unsigned i = 0; i < list.count; i++) {
        int pattern = torus_pattern_named(list.item[i]);
        if (pattern < 0)
            return wrong("pattern", list.item[i],
                         "say uniform, butterfly, transpose, bitreverse, rotate3d, complement, "
                         "tornado, neighbour or all");
        s->pattern[i] = (enum torus_pattern)pattern;
    }
    if (!split(loads, &list))
        return wrong("loads", a->loads, "a list of 1 to 64 numbers");
    s->loads = list.count;
    for (unsigned i = 0; i < list.count; i++) {
        char *end;
        s->load[i] = strtod(list.item[i], &end);
        if (end == list.item[i] || *end || !(s->load[i] > 0 && s->load[i] <= 1000))
            return wrong("load", list.item[i], "a number above 0, at most 1000");
    }
    return 0;
}

bool sweep_skips(const struct sweep *s, unsigned pattern, unsigned dims, const uint8_t k[3],
                 json_t *skipped)
{
    const char *name = torus_pattern_name(s->pattern[pattern]);
    const char *why = torus_pattern_missing(s->pattern[pattern], dims, k);
    if (!why || s->patterns == 1)
        return false;
    fprintf(stderr, "torusctl: pattern %s is skipped: %s\n", name, why);
    json_array_append_new(skipped, json_string(name));
    return true;
}

void run_row(const struct args *a, json_t *rows, const char *routing, const char *pattern,
             const struct torus_result *r)
{
    if (a->format == JSON) {
        json_array_append_new(
            rows,
            json_pack("{s:s,s:s,s:f,s:f,s:f,s:f,s:f,s:f,s:I,s:f,s:f,s:f,s:f,s:I,s:I,s:i,s:i,s:f}",
                      "pattern", pattern, "routing", routing, "offered", r->offered, "accepted",
                      r->accepted, "offered_gamma0", r->offered / r->gamma0, "accepted_gamma0",
                      r->accepted / r->gamma0, "mean", r->mean, "p99", r->p99, "max",
                      (json_int_t)r->max, "oidn", r->oidn, "widn", r->widn, "link_use", r->link_use,
                      "hops", r->hops, "sent", (json_int_t)r->sent, "received",
                      (json_int_t)r->received, "errors", (int)r->errors, "packet_flits",
                      (int)r->packet_flits, "clocks_apart", r->apart));
    } else if (a->format == CSV) {
        printf("%s,%s,%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%u,%.6g,%.6g,%.6g,%.6g,%llu,%llu,%u,%.3g\n",
               pattern, routing, r->offered, r->accepted, r->offered / r->gamma0,
               r->accepted / r->gamma0, r->mean, r->p99, r->max, r->oidn, r->widn, r->link_use,
               r->hops, (unsigned long long)r->sent, (unsigned long long)r->received, r->errors,
               r->apart);
    } else {
        printf("%-11s %-7s %7.4f %6.3f %8.4f %6.3f %8.1f %6.0f %6.3f %6.3f %6.3f %8llu\n", pattern,
               routing, r->offered, r->offered / r->gamma0, r->accepted, r->accepted / r->gamma0,
               r->mean, r->p99, r->oidn, r->widn, r->link_use, (unsigned long long)r->received);
    }
    fflush(stdout);
}

void run_head(const struct args *a, unsigned dims, const uint8_t k[3])
{
    if (a->format == CSV)
        printf("pattern,routing,offered,accepted,offered_gamma0,accepted_gamma0,mean,p99,max,oidn,"
               "widn,link_use,hops,sent,received,errors,clocks_apart\n");
    if (a->format != TEXT)
        return;
    printf("loads in flits per cycle and node, and in gamma0 = %.4f of them; latency in cycles; "
           "link use in flits per cycle and link\n",
           torus_gamma0(dims, k));
    printf("%-11s %-7s %7s %6s %8s %6s %8s %6s %6s %6s %6s %8s\n", "pattern", "routing", "offered",
           "gamma", "accepted", "gamma", "mean", "p99", "OIDN", "WIDN", "links", "packets");
}

int do_run(struct torus *t, const struct args *a)
{
    struct sweep s = {.patterns = 0};
    int status = sweep_read(a, "0.1", &s);
    if (status)
        return status;
    int error = torus_attach(t);
    struct torus_preset preset;
    unsigned generation;
    if (error == TORUS_OK)
        error = torus_programmed(t, &preset, &generation);
    if (error != TORUS_OK)
        return report(t, error);
    uint8_t k[3];
    unsigned dims = torus_sizes(t, k);
    double unit = a->gamma ? torus_gamma0(dims, k) : 1;
    const char *routing = preset.routing ? torus_routing_name(preset.routing) : "none";
    json_t *rows = json_array(), *skipped = json_array();
    bool head = false;
    double apart = 0;
    for (unsigned i = 0; i < s.patterns && status != 2; i++) {
        if (sweep_skips(&s, i, dims, k, skipped))
            continue;
        for (unsigned j = 0; j < s.loads && status != 2; j++) {
            struct torus_run run = a->run;
            struct torus_result result;
            run.pattern = s.pattern[i];
            run.load = s.load[j] * unit;
            error = torus_run(t, &run, &result);
            if (error == TORUS_OK || (error == TORUS_E_FAILED && result.accepted > 0)) {
                if (!head)
                    run_head(a, dims, k);
                head = true;
                run_row(a, rows, routing, torus_pattern_name(run.pattern), &result);
                apart = result.apart > apart ? result.apart : apart;
            }
            if (error != TORUS_OK)
                status = report(t, error);
        }
    }
    put_apart(a, apart);
    // Not left to torus_close(), which waits a second only: many simulated boards need more.
    if (status == 0 && (error = torus_release(t)) != TORUS_OK)
        status = report(t, error);
    if (a->format == JSON && head)
        put_json(json_pack("{s:o,s:o,s:f,s:s,s:s,s:i,s:O,s:O}", "sizes", json_at(k, dims), "at",
                           json_null(), "gamma0", torus_gamma0(dims, k), "routing", routing, "tie",
                           preset.tie_both ? "both" : "plus", "generation", (int)generation, "runs",
                           rows, "skipped", skipped));
    json_decref(rows);
    json_decref(skipped);
    return status;
}
