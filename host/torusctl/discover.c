// SPDX-License-Identifier: Apache-2.0
// torusctl discover: the torus as a picture and a list, as JSON or CSV.
#include <inttypes.h>
#include <stdio.h>

#include "ctl.h"

enum { ASSIGN = 256, SVG, KEEP, DIFF };

static struct {
    bool assign;
    const char *svg;         // file to draw into
    const char *keep, *diff; // files of a torus before
    struct topology kept, before;
} set;

static const struct argp_option options[] = {
    {"assign", ASSIGN, 0, 0, "give the boards their coordinates too", 1},
    {"keep", KEEP, "FILE", 0,
     "coordinates as in FILE, from discover --format json, as far as the boards are the same", 1},
    {"diff", DIFF, "FILE", 0, "print only what has changed since FILE was printed", 1},
    {"svg", SVG, "FILE", 0, "draw the torus into FILE (with graphviz)", 1},
    {0},
};

static bool option(int key, char *arg, struct argp_state *state)
{
    (void)state;
    if (key == ASSIGN)
        set.assign = true;
    else if (key == SVG)
        set.svg = arg;
    else if (key == KEEP)
        set.keep = arg;
    else if (key == DIFF)
        set.diff = arg;
    else
        return false;
    return true;
}

static struct column columns[] = {
    {"board", "board", 0, 0},
    {"at", "at", 0, 0},
    {"serial", "serial number", 0, 0},
    {"path", "here by", -1, 0},
    {"configured", NULL, 0, 0},
    {"cables", NULL, 0, 0},
    {"name", NULL, -1, 0},
    {0},
};

static json_t *board_json(const struct torus *t, unsigned i, unsigned dims)
{
    const struct torus_board *b = torus_board(t, i);
    json_t *cables = json_array(), *path = json_array();
    for (unsigned p = 0; p < 2u * b->dims; p++)
        json_array_append_new(cables, b->peer[p] < 0
                                          ? json_null()
                                          : json_pack("{s:i,s:s}", "board", b->peer[p], "port",
                                                      torus_port_name((unsigned)b->peer_port[p])));
    for (unsigned h = 0; h < b->hops; h++)
        json_array_append_new(path, json_string(torus_port_name(b->path[h])));
    return json_pack("{s:i,s:o,s:o,s:o,s:b,s:o,s:s?}", "board", (int)i, "at",
                     b->placed ? json_at(b->at, dims) : json_null(), "serial",
                     json_serial(b->serial), "path", path, "configured", b->configured, "cables",
                     cables, "name", name_of(b->serial));
}

static json_t *fault_json(const struct torus *t, unsigned i)
{
    struct torus_cable c;
    const char *kind = torus_fault_name(torus_fault_kind(t, i, &c));
    json_t *ends = json_array();
    for (unsigned e = 0; e < 2 && c.board[0] >= 0; e++)
        json_array_append_new(ends, json_pack("{s:i,s:s}", "board", c.board[e], "port",
                                              torus_port_name((unsigned)c.port[e])));
    json_t *to = c.to < 0 ? json_null()
                          : json_pack("{s:i,s:s}", "board", c.to, "port",
                                      torus_port_name((unsigned)c.to_port));
    return json_pack("{s:s,s:o,s:o,s:s}", "kind", kind, "ends", ends, "to", to, "text",
                     torus_fault(t, i));
}

static void put(const struct torus *t, const struct args *a, unsigned dims, const uint8_t k[3])
{
    if (names_given())
        columns[sizeof columns / sizeof *columns - 2].title = "name";
    struct table *rows = table_begin(a, "boards", columns);
    json_t *faults = json_array();
    if (a->format == TEXT)
        draw_text(t, dims, k);
    for (unsigned i = 0; i < torus_boards(t); i++)
        table_row(rows, board_json(t, i, dims));
    for (unsigned i = 0; torus_fault(t, i); i++)
        json_array_append_new(faults, fault_json(t, i));
    table_end(rows, json_pack("{s:o,s:o}", "sizes", dims ? json_at(k, dims) : json_null(), "faults",
                              faults));
}

// Boards that are not configured where others are.
static void put_reset(const struct torus *t)
{
    unsigned n = torus_boards(t), configured = 0;
    for (unsigned i = 0; i < n; i++)
        configured += torus_board(t, i)->configured;
    for (unsigned i = 0; i < n && configured; i++) {
        const struct torus_board *b = torus_board(t, i);
        uint8_t k[3];
        char place[PLACE];
        if (!b->configured)
            fprintf(stderr,
                    "torusctl: board %s [%016" PRIx64 "] is not configured, others are: it was "
                    "reset, or it is another board; run program\n",
                    b->placed ? place_called(b->at, torus_sizes(t, k), place) : "(?)", b->serial);
    }
}

static int look(struct torus *t, const struct args *a)
{
    // What is compared has the coordinates that it had, unless others are to be kept.
    const struct topology *keep = set.keep ? &set.kept : set.diff ? &set.before : NULL;
    int status = keep ? topology_keep(t, keep) : 0;
    if (status)
        return status;
    int error = discover(t);
    if (error != TORUS_OK && error != TORUS_E_MISCABLED)
        return report(t, error);
    uint8_t k[3];
    unsigned dims = torus_sizes(t, k);
    if (set.diff)
        status = topology_diff(t, a, &set.before);
    else
        put(t, a, dims, k);
    for (unsigned i = 0; torus_fault(t, i); i++) {
        fputs("torusctl: ", stderr);
        put_named(stderr, torus_fault(t, i));
        fputc('\n', stderr);
    }
    if (!set.assign && !set.diff)
        put_reset(t);
    int drawn = set.svg ? draw_svg(t, k, dims, set.svg) : 0;
    if (drawn || error != TORUS_OK)
        return drawn ? drawn : 1;
    if (set.keep && topology_moved(t, &set.kept)) {
        if (set.assign)
            wrong("file", set.keep, "its coordinates cannot be kept: nothing is assigned");
        return 1;
    }
    error = set.assign ? torus_assign(t) : TORUS_OK;
    return error == TORUS_OK ? status : report(t, error);
}

static const char *idle(const struct args *a, const struct given *o)
{
    (void)a;
    return o->group == WRITING && !set.assign
               ? "nothing is written without --assign: leave it out, or say --assign"
               : NULL;
}

static int prepare(struct args *a)
{
    (void)a;
    return (!set.keep || topology_read(set.keep, &set.kept)) &&
                   (!set.diff || topology_read(set.diff, &set.before))
               ? GO_ON
               : 2;
}

static int do_discover(struct torus *t, const struct args *a)
{
    int status = look(t, a);
    topology_free(&set.kept);
    topology_free(&set.before);
    return status;
}

const struct command command_discover = {
    .name = "discover",
    .summary = "find the boards, draw the torus, report wrong cables",
    .about =
        "Finds all boards by directed routes, whatever the cabling and whether they are programmed "
        "or not; recognises the torus; names each cable that is missing, swapped, doubled, looped "
        "back or misplaced (exit status 1), and each link that does not come up because its ends "
        "do not fit. Coordinates count from the origin, the board with the "
        "lowest serial number, which is (0,0) or (0,0,0); x grows along the ports x+ of the "
        "boards, and so on, whichever board is plugged in. Where boards have been given "
        "coordinates "
        "already that fit together, they have these, so that one that was put in another's place "
        "gets its coordinates.\n\n"
        "FILE is what --format json has printed. --keep: coordinates as there; a board that was "
        "moved cannot have them (exit status 1, and nothing is assigned). --diff: boards that are "
        "gone, new, replaced or moved, and cables, by the places of their ends (exit status 1 if "
        "there is a change).",
    .examples = "discover\ndiscover --svg torus.svg\ndiscover --assign --format json > torus.json\n"
                "discover --assign --keep torus.json\ndiscover --diff torus.json\n",
    .groups = CONNECTION | REQUESTS | AT_ONCE | PLACES | WRITING | FORMAT,
    .options = options,
    .option = option,
    .idle = idle,
    .prepare = prepare,
    .run = do_discover,
};
