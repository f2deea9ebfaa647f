// SPDX-License-Identifier: Apache-2.0
// torusctl counters.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl.h"

void print_board(const struct args *a, const struct counter_set *s, unsigned node, json_t *boards)
{
    uint8_t at[3] = {(uint8_t)(node % s->k[0]), (uint8_t)(node / s->k[0] % s->k[1]),
                     (uint8_t)(node / s->k[0] / s->k[1])};
    char place[16], name[32];
    at_text(at, s->dims, place);
    json_t *values = json_object();
    if (a->format == TEXT)
        printf("(%s)\n", place);
    for (unsigned i = 0; i < TORUS_COUNTERS; i++) {
        uint64_t value = s->value[node][i];
        if (!torus_counter_name(i, s->dims, name) || (!value && !a->all && a->format == TEXT))
            continue;
        if (a->format == JSON)
            json_object_set_new(values, name, json_integer((json_int_t)value));
        else if (a->format == CSV)
            printf("%u,%u,%u,%s,%llu\n", at[0], at[1], at[2], name, (unsigned long long)value);
        else
            printf("  %-24s %llu\n", name, (unsigned long long)value);
    }
    if (a->format == JSON)
        json_array_append_new(
            boards, json_pack("{s:o,s:O}", "at", json_at(at, s->dims), "counters", values));
    json_decref(values);
}

int do_counters(struct torus *t, const struct args *a)
{
    struct counter_set s = {0};
    uint8_t at[3];
    int mixed;
    if (a->at && !parse_at(a->at, at))
        return 2;
    if (a->at && a->watch > 0)
        return wrong("option", "--at", "not with --watch");
    if (a->thresholds && !(a->watch > 0))
        return wrong("option", "--thresholds", "with --watch, or with diff");
    int status = attach(t, &mixed);
    if (status)
        return status;
    if (a->watch > 0) {
        status = watch(t, a);
        return status ? status : mixed;
    }
    torus_sizes(t, s.k);
    for (unsigned i = 0; i < 3; i++)
        if (a->at && at[i] >= s.k[i])
            return wrong("place", a->at, "outside of the torus");
    int error = counters_take(t, &s);
    json_t *boards = json_array();
    if (a->format == CSV && error == TORUS_OK)
        printf("x,y,z,counter,value\n");
    unsigned one = a->at ? torus_node(s.k, at) : 0;
    for (unsigned node = 0; error == TORUS_OK && node < s.nodes; node++)
        if (!a->at || node == one)
            print_board(a, &s, node, boards);
    if (a->format == JSON && error == TORUS_OK)
        put_json(json_pack("{s:o,s:O,s:I,s:I}", "sizes", json_at(s.k, s.dims), "boards", boards,
                           "milliseconds", (json_int_t)(1e3 * s.seconds), "cycle",
                           (json_int_t)s.cycle));
    json_decref(boards);
    free(s.value);
    return error == TORUS_OK ? mixed : report(t, error);
}
