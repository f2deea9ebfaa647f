// SPDX-License-Identifier: Apache-2.0
// torusctl discover: the torus as a picture and a list, as JSON or CSV.
#include <stdio.h>

#include "ctl.h"

enum { ASSIGN = 256, SVG };

static struct {
    bool assign;
    const char *svg; // file to draw into
} set;

static const struct argp_option options[] = {
    {"assign", ASSIGN, 0, 0, "give the boards their coordinates too", 1},
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
    else
        return false;
    return true;
}

static const struct column columns[] = {
    {"board", "board", 0, 0},
    {"at", "at", 0, 0},
    {"serial", "serial number", 0, 0},
    {"path", "here by", -1, 0},
    {"configured", NULL, 0, 0},
    {"cables", NULL, 0, 0},
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
    return json_pack("{s:i,s:o,s:o,s:o,s:b,s:o}", "board", (int)i, "at",
                     b->placed ? json_at(b->at, dims) : json_null(), "serial",
                     json_serial(b->serial), "path", path, "configured", b->configured, "cables",
                     cables);
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
    for (unsigned i = 0; torus_fault(t, i); i++)
        fprintf(stderr, "torusctl: %s\n", torus_fault(t, i));
}

static int do_discover(struct torus *t, const struct args *a)
{
    int error = torus_discover(t);
    if (error != TORUS_OK && error != TORUS_E_MISCABLED)
        return report(t, error);
    uint8_t k[3];
    unsigned dims = torus_sizes(t, k);
    put(t, a, dims, k);
    int drawn = set.svg ? draw_svg(t, k, dims, set.svg) : 0;
    if (drawn || error != TORUS_OK)
        return drawn ? drawn : 1;
    error = set.assign ? torus_assign(t) : TORUS_OK;
    return error == TORUS_OK ? 0 : report(t, error);
}

const struct command command_discover = {
    .name = "discover",
    .summary = "find the boards, draw the torus, report wrong cables",
    .about =
        "Finds all boards by directed routes, whatever the cabling and whether they are programmed "
        "or not; recognises the torus; names each cable that is missing, swapped, doubled, looped "
        "back or misplaced (exit status 1). Coordinates count from the origin, the board with the "
        "lowest serial number, which is (0,0) or (0,0,0); x grows along the ports x+ of the "
        "boards, and so on, whichever board is plugged in.",
    .examples = "discover\ndiscover --svg torus.svg\ndiscover --assign --format json\n",
    .groups = CONNECTION | WRITING | FORMAT,
    .options = options,
    .option = option,
    .run = do_discover,
};
