// SPDX-License-Identifier: Apache-2.0
// torusctl list: where a board could be. Asks none of them.
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "ctl.h"

static const struct column columns[] = {
    {"where", "where", -40, 0},
    {"what", "what", -1, 0},
    {0},
};

// By name, numbers in it by value.
static int in_order(const void *a, const void *b)
{
    return strverscmp(((const struct torus_stream *)a)->where,
                      ((const struct torus_stream *)b)->where);
}

static int do_list(struct args *a)
{
    struct torus_stream *found = NULL;
    unsigned room = 0, count = torus_list(NULL, 0);
    while (count > room) { // more may have come
        free(found);
        room = count;
        found = calloc(room, sizeof *found);
        if (!found)
            return wrong("command", "list", "out of memory");
        count = torus_list(found, room);
    }
    if (count)
        qsort(found, count, sizeof *found, in_order);
    struct table *rows = table_begin(a, "places", columns);
    for (unsigned i = 0; i < count; i++)
        table_row(rows, json_pack("{s:s,s:s}", "where", found[i].where, "what", found[i].what));
    table_end(rows, NULL);
    free(found);
    return 0;
}

const struct command command_list = {
    .name = "list",
    .summary = "where boards could be: on USB, sockets of boardsim",
    .about =
        "Lists what -t may be given: FTDI chips on USB that could be a board's, and sockets of "
        "simulators that somebody listens at. None of them is asked anything. Serial lines "
        "cannot be told from others, and are not in it.",
    .examples = "list\nlist --format json\n",
    .groups = FORMAT,
    .prepare = do_list,
};
