// SPDX-License-Identifier: Apache-2.0
// torusctl ping.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctl.h"

// at: by address; else along the path.
static int ping_one(struct torus *t, const struct args *a, const uint8_t *at, const uint8_t *path,
                    unsigned hops, json_t *rows)
{
    struct torus_identity id;
    int error = at ? torus_ping(t, at, &id) : torus_ping_path(t, path, hops, &id);
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
    uint8_t at[3], k[3] = {0}, path[TORUS_MAX_HOPS];
    unsigned hops = 0;
    int error = TORUS_OK, status = 0;
    if ((a->at && !parse_at(a->at, at)) || (a->path && !parse_path(a->path, path, &hops)))
        return 2;
    if (!!a->at + !!a->path + a->all > 1)
        return wrong("option", a->path ? "--path" : "--at", "one of --at, --path and --all");
    if (a->at || a->all)
        error = torus_attach(t);
    if (error != TORUS_OK)
        return report(t, error);
    torus_sizes(t, k);
    json_t *rows = json_array();
    if (a->format == CSV)
        printf("serial,at,configured,dims,links,version,seconds\n");
    for (unsigned i = 0; (i < a->count || !i) && !status; i++) {
        if (!a->all) {
            status = ping_one(t, a, a->at ? at : NULL, path, hops, rows);
            continue;
        }
        for (at[2] = 0; at[2] < k[2]; at[2]++)
            for (at[1] = 0; at[1] < k[1]; at[1]++)
                for (at[0] = 0; at[0] < k[0] && !status; at[0]++)
                    status = ping_one(t, a, at, NULL, 0, rows);
    }
    if (a->format == JSON && !status)
        put_json(json_incref(rows));
    json_decref(rows);
    return status;
}
