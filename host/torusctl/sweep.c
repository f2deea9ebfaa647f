// SPDX-License-Identifier: Apache-2.0
// Lists of patterns and loads, and the rows that run and bench print of them.
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

void pattern_list(char *text, size_t bytes)
{
    size_t n = 0;
    text[0] = 0;
    for (unsigned i = 0; i < TORUS_PATTERNS && n < bytes; i++)
        n += (size_t)snprintf(text + n, bytes - n, "%s%s", i ? ", " : "",
                              torus_pattern_name((enum torus_pattern)i));
}

const char *sweep_seedless(const char *patterns)
{
    char text[1024];
    struct list list = {.count = 0};
    snprintf(text, sizeof text, "%s", patterns);
    bool drawn = !strcmp(text, "all") || !split(text, &list);
    for (unsigned i = 0; i < list.count; i++) // an unknown one is said later
        drawn |= torus_pattern_named(list.item[i]) <= TORUS_UNIFORM;
    return drawn ? NULL : "none of these patterns draws its destinations: leave it out";
}

int sweep_read(const char *patterns, const char *loads, struct sweep *s)
{
    char text[1024], known[400];
    struct list list = {.count = 0};
    snprintf(known, sizeof known, "say all, or some of ");
    pattern_list(known + strlen(known), sizeof known - strlen(known));
    snprintf(text, sizeof text, "%s", patterns);
    if (!strcmp(text, "all")) {
        text[0] = 0;
        for (int i = 0; i < TORUS_PATTERNS; i++) {
            strcat(text, i ? "," : "");
            strcat(text, torus_pattern_name((enum torus_pattern)i));
        }
    }
    if (!split(text, &list))
        return wrong("patterns", patterns, "a list of 1 to 64 names");
    s->patterns = list.count;
    for (unsigned i = 0; i < list.count; i++) {
        int pattern = torus_pattern_named(list.item[i]);
        if (pattern < 0)
            return wrong("pattern", list.item[i], known);
        s->pattern[i] = (enum torus_pattern)pattern;
    }
    snprintf(text, sizeof text, "%s", loads);
    if (!split(text, &list))
        return wrong("loads", loads, "a list of 1 to 64 numbers");
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

double sweep_unit(bool gamma, unsigned dims, const uint8_t k[3])
{
    double unit = gamma ? torus_gamma0(dims, k) : 1;
    if (!(unit > 0))
        wrong("option", "--gamma", "a torus of one board has no gamma0: leave it out");
    return unit;
}

const struct column run_columns[] = {
    {"pattern", "pattern", -15, 0},
    {"routing", "routing", -7, 0},
    {"offered", "offered", 7, 4},
    {"offered_gamma0", "gamma0", 6, 3},
    {"accepted", "accepted", 8, 4},
    {"accepted_gamma0", "gamma0", 6, 3},
    {"mean", "mean", 8, 1},
    {"p99", "p99", 6, -1},
    {"max", NULL, 0, 0},
    {"oidn", "OIDN", 6, 3},
    {"widn", "WIDN", 6, 3},
    {"link_use", "links", 6, 3},
    {"hops", NULL, 0, 0},
    {"sent", NULL, 0, 0},
    {"received", "packets", 8, 0},
    {"errors", NULL, 0, 0},
    {"packet_flits", NULL, 0, 0},
    {"clocks_apart", NULL, 0, 0},
    {0},
};

// Null in a torus of one board, which has no load that would fill its links.
static json_t *of_gamma0(double load, double gamma0)
{
    return gamma0 > 0 ? json_real(load / gamma0) : json_null();
}

json_t *run_row(const char *routing, const char *pattern, const struct torus_result *r)
{
    return json_pack("{s:s,s:s,s:f,s:f,s:o,s:o,s:o,s:o,s:o,s:f,s:f,s:f,s:f,s:I,s:I,s:i,s:i,s:f}",
                     "pattern", pattern, "routing", routing, "offered", r->offered, "accepted",
                     r->accepted, "offered_gamma0", of_gamma0(r->offered, r->gamma0),
                     "accepted_gamma0", of_gamma0(r->accepted, r->gamma0), "mean",
                     r->measured ? json_real(r->mean) : json_null(), "p99",
                     r->measured ? json_real(r->p99) : json_null(), "max",
                     r->measured ? json_integer(r->max) : json_null(), "oidn", r->oidn, "widn",
                     r->widn, "link_use", r->link_use, "hops", r->hops, "sent", (json_int_t)r->sent,
                     "received", (json_int_t)r->received, "errors", (int)r->errors, "packet_flits",
                     (int)r->packet_flits, "clocks_apart", r->apart);
}

void run_note(struct table *rows, unsigned dims, const uint8_t k[3])
{
    table_note(rows,
               "loads in flits per cycle and node, and in gamma0 = %.4f of them; latency in "
               "cycles; links in flits per cycle and link",
               torus_gamma0(dims, k));
}
