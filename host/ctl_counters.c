// SPDX-License-Identifier: Apache-2.0
// torusctl counters and ping.
#include <ctype.h>
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

// "X,Y" or "X,Y,Z".
static bool parse_at(const char *text, uint8_t at[3])
{
    unsigned v[3] = {0, 0, 0};
    char extra;
    if (sscanf(text, "%u,%u,%u%c", &v[0], &v[1], &v[2], &extra) != 3) {
        v[2] = 0;
        if (sscanf(text, "%u,%u%c", &v[0], &v[1], &extra) != 2)
            return false;
    }
    for (unsigned i = 0; i < 3; i++) {
        if (v[i] > 15)
            return false;
        at[i] = (uint8_t)v[i];
    }
    return isdigit((unsigned char)text[0]);
}

int do_counters(struct torus *t, const struct args *a)
{
    struct dump d = {.a = a, .one = a->at != NULL};
    if (a->at && !parse_at(a->at, d.at))
        return wrong("place", a->at, "write X,Y or X,Y,Z, each from 0 to 15");
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

// Ping --------------------------------------------------------------------------------------------

static int ping_one(struct torus *t, const struct args *a, const uint8_t *at, json_t *rows)
{
    struct torus_identity id;
    int error = at ? torus_ping(t, at, &id) : torus_ping_path(t, NULL, 0, &id);
    if (error != TORUS_OK)
        return report(t, error);
    char place[16] = "-";
    if (id.configured)
        at_text(id.at, id.dims, place);
    if (a->format == JSON)
        json_array_append_new(rows, json_pack("{s:o,s:o,s:b,s:i,s:i,s:i,s:b,s:b,s:b,s:f}", "serial",
                                              json_serial(id.serial), "at",
                                              id.configured ? json_at(id.at, id.dims) : json_null(),
                                              "configured", id.configured, "dims", id.dims, "links",
                                              id.links, "version", id.version, "key", id.has_key,
                                              "leased", id.leased, "staged", id.staged, "seconds",
                                              id.seconds));
    else if (a->format == CSV)
        printf("%016llx,%s%s%s,%d,%u,%u,%u,%.6f\n", (unsigned long long)id.serial, "\"", place,
               "\"", id.configured, id.dims, id.links, id.version, id.seconds);
    else
        printf("board %016llx at %s%s%s: %u dimensions, links 0x%02x, protocol %u%s, %.3f ms\n",
               (unsigned long long)id.serial, id.configured ? "(" : "", place,
               id.configured ? ")" : "", id.dims, id.links, id.version,
               id.configured ? "" : ", not configured", 1e3 * id.seconds);
    fflush(stdout);
    return 0;
}

int do_ping(struct torus *t, const struct args *a)
{
    uint8_t at[3], k[3] = {0};
    int error = TORUS_OK, status = 0;
    if (a->at && !parse_at(a->at, at))
        return wrong("place", a->at, "write X,Y or X,Y,Z, each from 0 to 15");
    if (a->at || a->all)
        error = torus_attach(t);
    if (error != TORUS_OK)
        return report(t, error);
    torus_sizes(t, k);
    json_t *rows = json_array();
    if (a->format == CSV)
        printf("serial,at,configured,dims,links,version,seconds\n");
    for (unsigned i = 0; i < a->count && !status; i++) {
        if (!a->all) {
            status = ping_one(t, a, a->at ? at : NULL, rows);
            continue;
        }
        for (at[2] = 0; at[2] < k[2]; at[2]++)
            for (at[1] = 0; at[1] < k[1]; at[1]++)
                for (at[0] = 0; at[0] < k[0] && !status; at[0]++)
                    status = ping_one(t, a, at, rows);
    }
    if (a->format == JSON && !status)
        put_json(json_incref(rows));
    json_decref(rows);
    return status;
}
