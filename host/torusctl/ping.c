// SPDX-License-Identifier: Apache-2.0
// torusctl ping.
#include <stdio.h>

#include "ctl.h"

enum { PATH = 256 };

static struct {
    const char *at, *path;
    bool all;
    unsigned count;
} set = {.count = 1};

static const struct argp_option options[] = {
    {"at", 'a', "X,Y[,Z]", 0, "the board there (the one we are plugged into)", 1},
    {"path", PATH, "PORT[,...]", 0, "the board at the end of a directed route, such as x+,x+,y-",
     1},
    {"all", 'A', 0, 0, "all boards", 1},
    {"count", 'c', "N", 0, "so often (1)", 1},
    {0},
};

static bool option(int key, char *arg, struct argp_state *state)
{
    switch (key) {
    case 'a':
        set.at = arg;
        return true;
    case PATH:
        set.path = arg;
        return true;
    case 'A':
        set.all = true;
        return true;
    case 'c':
        set.count = (unsigned)whole(state, arg, 1, 1000000);
        return true;
    default:
        return false;
    }
}

static struct column columns[] = {
    {"serial", "serial number", 16, 0},
    {"at", "at", -8, 0},
    {"configured", NULL, 0, 0},
    {"dims", "dimensions", 10, 0},
    {"links", "links up", -17, 0},
    {"version", "protocol", 8, 0},
    {"key", NULL, 0, 0},
    {"leased", NULL, 0, 0},
    {"staged", NULL, 0, 0},
    {"milliseconds", "milliseconds", 12, 3},
    {"name", NULL, -1, 0},
    {0},
};

// at: by address; else along the path.
static int ping_one(struct torus *t, const uint8_t *at, const uint8_t *path, unsigned hops,
                    struct table *rows)
{
    struct torus_identity id;
    int error = at ? torus_ping(t, at, &id) : torus_ping_path(t, path, hops, &id);
    if (error != TORUS_OK)
        return report(t, error);
    json_t *links = json_array();
    for (unsigned p = 0; p < TORUS_PORTS; p++)
        if (id.links >> p & 1)
            json_array_append_new(links, json_string(torus_port_name(p)));
    table_row(rows, json_pack("{s:o,s:o,s:b,s:i,s:o,s:i,s:b,s:b,s:b,s:f,s:s?}", "serial",
                              json_serial(id.serial), "at",
                              id.configured ? json_at(id.at, id.dims) : json_null(), "configured",
                              id.configured, "dims", id.dims, "links", links, "version", id.version,
                              "key", id.has_key, "leased", id.leased, "staged", id.staged,
                              "milliseconds", 1e3 * id.seconds, "name", name_of(id.serial)));
    return output_failed() ? 2 : 0;
}

static const char *idle(const struct args *a, const struct given *o)
{
    return o->group == AT_ONCE && !(set.at && a->names)
               ? "one board is asked after the other; only an --at by name asks several"
               : NULL;
}

static int prepare(struct args *a)
{
    uint8_t path[TORUS_MAX_HOPS];
    unsigned hops;
    (void)a;
    if ((set.at && !place_good(set.at)) || (set.path && !parse_path(set.path, path, &hops)))
        return 2;
    if (!!set.at + !!set.path + set.all > 1)
        return wrong("option", set.path ? "--path" : "--at", "one of --at, --path and --all");
    return GO_ON;
}

static int do_ping(struct torus *t, const struct args *a)
{
    uint8_t at[3], path[TORUS_MAX_HOPS];
    unsigned hops = 0, missing = 0;
    int status = 0;
    if (set.path && !parse_path(set.path, path, &hops))
        return 2;
    if (set.at || set.all)
        status = attach_there(t, &missing);
    if (status)
        return status;
    if (set.at && (status = place_find(t, set.at, at)))
        return status;
    if (names_given())
        columns[sizeof columns / sizeof *columns - 2].title = "name";
    struct table *rows = table_begin(a, "boards", columns);
    for (unsigned i = 0; i < set.count && !status; i++) {
        if (!set.all)
            status = ping_one(t, set.at ? at : NULL, path, hops, rows);
        for (unsigned n = 0; set.all && !status && next_there(t, &n, at); n++)
            status = ping_one(t, at, NULL, 0, rows);
    }
    if (status)
        table_drop(rows);
    else
        table_end(rows, NULL);
    return status ? status : set.all && missing;
}

const struct command command_ping = {
    .name = "ping",
    .summary = "ask a board who it is",
    .about = "Asks a board, the one we are plugged into or another, who and where it is, which of "
             "its links are up, which version of the protocol it speaks, and how long the answer "
             "takes. JSON and CSV also say whether it has a key, whether somebody has its write "
             "lease, and whether a table is staged.",
    .examples = "ping\nping --all\nping --path x+,x+,y- --count 10\n",
    .groups = CONNECTION | REQUESTS | AT_ONCE | PLACES | FORMAT,
    .options = options,
    .option = option,
    .idle = idle,
    .prepare = prepare,
    .run = do_ping,
};
