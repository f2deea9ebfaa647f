// SPDX-License-Identifier: Apache-2.0
// torusctl counters.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl.h"
#include "ofr_regs.h"

// Name of a counter as in rtl/regs/outflank.json; false where this build has no such port.
static bool counter_name(unsigned index, unsigned dims, char text[32])
{
    static const char *const ports[] = {"x+", "x-", "y+", "y-", "z+", "z-"};
    static const char *const vcs[] = {"adaptive", "vs1", "vs2"};
    static const char *const per_vc[] = {"flits", "packets", "stall_credit", "stall_alloc"};
    static const char *const node[] = {"injected", "delivered", "oidn",     "widn", "pinned",
                                       "refused",  "discarded", "poisoned", "hops"};
    static const char *const link[] = {"crc", "retry", "reset"};
    unsigned port, local = 2 * dims;
    if (index < OFR_COUNTER_NODE_BASE) {
        port = index / 12;
        snprintf(text, 32, "%s.%s.%s",
                 port == local ? "local"
                 : port < 6    ? ports[port]
                               : "?",
                 vcs[index / 4 % 3], per_vc[index % 4]);
        return port <= local;
    }
    if (index < OFR_COUNTER_LINK_BASE) {
        snprintf(text, 32, "%s", node[index - OFR_COUNTER_NODE_BASE]);
        return true;
    }
    bool high = index >= OFR_COUNTER_HIGH_BASE;
    unsigned i = index - (high ? OFR_COUNTER_HIGH_BASE : OFR_COUNTER_LINK_BASE);
    port = i / 3;
    if (high)
        snprintf(text, 32, "%s.%s.high_water", ports[port], vcs[i % 3]);
    else
        snprintf(text, 32, "%s.%s", ports[port], link[i % 3]);
    return port < local;
}

struct dump {
    const struct args *a;
    unsigned dims;
    bool one;
    uint8_t at[3];
    json_t *boards;
};

static void dump_board(void *ctx, const uint8_t at[3], const uint64_t *counters)
{
    struct dump *d = ctx;
    char place[16], name[32];
    if (d->one && memcmp(at, d->at, 3) != 0)
        return;
    at_text(at, d->dims, place);
    json_t *values = json_object();
    if (d->a->format == TEXT)
        printf("(%s)\n", place);
    for (unsigned i = 0; i < TORUS_COUNTERS; i++) {
        if (!counter_name(i, d->dims, name) || (!counters[i] && !d->a->all && d->a->format == TEXT))
            continue;
        if (d->a->format == JSON)
            json_object_set_new(values, name, json_integer((json_int_t)counters[i]));
        else if (d->a->format == CSV)
            printf("%u,%u,%u,%s,%llu\n", at[0], at[1], at[2], name,
                   (unsigned long long)counters[i]);
        else
            printf("  %-24s %llu\n", name, (unsigned long long)counters[i]);
    }
    if (d->a->format == JSON)
        json_array_append_new(
            d->boards, json_pack("{s:o,s:O}", "at", json_at(at, d->dims), "counters", values));
    json_decref(values);
}

int do_counters(struct torus *t, const struct args *a)
{
    struct dump d = {.a = a, .one = a->at != NULL};
    if (a->at && !parse_at(a->at, d.at))
        return 2;
    int error = torus_attach(t);
    struct torus_preset preset;
    unsigned generation;
    if (error == TORUS_OK)
        error = torus_programmed(t, &preset, &generation);
    if (error != TORUS_OK && error != TORUS_E_MIXED)
        return report(t, error);
    int status = error == TORUS_OK ? 0 : report(t, error);
    uint8_t k[3];
    d.dims = torus_sizes(t, k);
    for (unsigned i = 0; i < 3; i++)
        if (d.one && d.at[i] >= k[i])
            return wrong("place", a->at, "outside of the torus");
    d.boards = json_array();
    if (a->format == CSV)
        printf("x,y,z,counter,value\n");
    error = torus_counters(t, dump_board, &d);
    if (a->format == JSON && error == TORUS_OK)
        put_json(json_pack("{s:o,s:O}", "sizes", json_at(k, d.dims), "boards", d.boards));
    json_decref(d.boards);
    return error == TORUS_OK ? status : report(t, error);
}
